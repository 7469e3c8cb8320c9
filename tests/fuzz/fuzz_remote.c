/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Both ends of the remote console's socket. An odd first byte: the others are what a console sends
 * to the switch; an even one: what a switch sends to fastcnctl. The second byte says in pieces of
 * which size they are sent. From 0x80 on: the others are steps of several sessions
 * (remote_sessions.c), after the limits in three bytes.
 */

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../../app/fastcnctl/ctl.h"
#include "remote_private.h"
#include "remote_sessions.h"
#include "fuzz.h"

#define MOST 16384 /* less than the buffer of a socket */

/* Take an answer from the socket, and compare it with what was given to the client. */
static void
check_answer(int fd, const char *body, size_t len, bool ok)
{
	static char got[MOST];
	ssize_t n = recv(fd, got, sizeof(got), MSG_DONTWAIT);
	size_t body_len;
	bool said;
	int head;

	require(n > 0);
	head = fcn_remote_header_parse(got, (size_t)n, &said, &body_len);
	require(head > 0 && said == ok && body_len == len && (size_t)n == (size_t)head + len);
	require(memcmp(got + head, body, len) == 0);
	for (int i = 0; i < head; i++) /* a part of a header is never taken for a whole one */
		require(fcn_remote_header_parse(got, (size_t)i, &said, &body_len) == 0);
}

/* The next line as the input has it, whatever the pieces. @return bytes of the input it takes */
static size_t
expected_line(const char *text, size_t left, char line[FCN_REMOTE_LINE_SIZE])
{
	const char *end = memchr(text, '\n', left);
	size_t len = end != NULL ? (size_t)(end - text) : left, kept = len;

	if (kept > FCN_REMOTE_LINE_SIZE - 1)
		kept = FCN_REMOTE_LINE_SIZE - 1;
	for (size_t i = 0; i < kept; i++)
		line[i] = text[i] != '\0' ? text[i] : '\001';
	line[kept] = '\0';
	return len + (end != NULL);
}

static void
run_lines(struct fcn_remote_client *c, int peer, const char *text, size_t size, size_t *at)
{
	char line[FCN_REMOTE_LINE_SIZE], want[FCN_REMOTE_LINE_SIZE], *body;
	bool there;
	size_t len;

	while ((there = fcn_remote_client_has_line(c), fcn_remote_client_line(c, line))) {
		require(there && *at < size);
		*at += expected_line(text + *at, size - *at, want);
		require(strcmp(line, want) == 0);
		body = strdup(line);
		require(body != NULL);
		len = strlen(body);
		fcn_remote_client_answer(c, len % 2 == 0, body, len, 0);
		require(fcn_remote_client_write(c, 0) == len);
		check_answer(peer, line, len, len % 2 == 0);
	}
	require(!there);
}

static void
fuzz_switch(const char *text, size_t size, size_t piece)
{
	struct fcn_remote_client c = {0};
	size_t at = 0, sent = 0;
	int fd[2];

	require(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fd) == 0);
	c.fd = fd[0];
	while (!c.eof) {
		size_t n = size - sent < piece ? size - sent : piece;

		if (n > 0)
			require(send(fd[1], text + sent, n, MSG_DONTWAIT) == (ssize_t)n);
		else
			shutdown(fd[1], SHUT_WR);
		sent += n;
		fcn_remote_client_read(&c, 0);
		require(c.fd >= 0);
		run_lines(&c, fd[1], text, size, &at);
	}
	require(at == size && c.in_len == 0);
	fcn_remote_client_close(&c);
	close(fd[1]);
}

/* An answer by the words of remote_frame.h, read in another way. @return its length; 0: none */
static size_t
expected_answer(const char *text, size_t size, size_t *head)
{
	const char *end = memchr(text, '\n', size);
	size_t at, len = 0;

	if (end == NULL)
		return 0;
	*head = (size_t)(end - text) + 1;
	at = strncmp(text, "ok ", 3) == 0 ? 3 : strncmp(text, "error ", 6) == 0 ? 6 : 0;
	if (at == 0 || *head == at + 1 || *head - 1 - at > FCN_REMOTE_LENGTH_DIGITS ||
			strspn(text + at, "0123456789") != *head - 1 - at)
		return 0;
	len = strtoull(text + at, NULL, 10);
	return len <= size - *head ? *head + len : 0;
}

static void
fuzz_console(const char *text, size_t size)
{
	struct ctl ctl = {.signals = -1};
	struct ctl_answer answer;
	size_t at = 0, head, len;
	int fd[2], rc;

	require(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fd) == 0);
	require(size == 0 || send(fd[1], text, size, MSG_DONTWAIT) == (ssize_t)size);
	shutdown(fd[1], SHUT_WR);
	shutdown(fd[1], SHUT_RD); /* lines go nowhere, as of a switch that turns one away */
	ctl.fd = fd[0];
	while ((rc = ctl_ask(&ctl, "show port", &answer)) == 0) {
		len = expected_answer(text + at, size - at, &head);
		require(len > 0 && answer.len == len - head);
		require(answer.ok == (text[at] == 'o'));
		require(memcmp(answer.text, text + at + head, answer.len) == 0);
		require(answer.text[answer.len] == '\0');
		at += len;
	}
	require(expected_answer(text + at, size - at, &head) == 0);
	require(rc == -ECONNRESET || rc == -EBADMSG);
	free(ctl.in);
	close(fd[0]);
	close(fd[1]);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t piece;
	char *text;

	if (size < 2 || size > MOST / 2)
		return 0;
	if (data[0] & 0x80) {
		fuzz_sessions(data + 1, size - 1);
		return 0;
	}
	piece = data[1] == 0 ? size : 1 + (size_t)data[1] * data[1] / 16;
	text = malloc(size - 1);
	require(text != NULL);
	memcpy(text, data + 2, size - 2);
	text[size - 2] = '\0';
	if (data[0] % 2 == 1)
		fuzz_switch(text, size - 2, piece);
	else
		fuzz_console(text, size - 2);
	free(text);
	return 0;
}
