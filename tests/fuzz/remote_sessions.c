/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Sessions of the remote console and their limits: many consoles, parts of lines, slow readers.
 * Time is what the steps make it.
 */

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "fcn_remote.h"
#include "fcn_remote_frame.h"
#include "remote_sessions.h"
#include "fuzz.h"

#define CONSOLES 8
#define STEPS 200
#define TURNS 20000
#define STALL_MS 1000
#define HALF_MS 3000
#define BIG 400 /* bytes of a big answer for each of its line */
#define MS UINT64_C(1000000)

/* The other end of a session, and how far what came was understood. */
struct console {
	int fd; /* -1: none */
	bool ends;
	char header[FCN_REMOTE_HEADER_SIZE];
	size_t header_len, body_left;
	char body[16]; /* its last bytes */
};

struct bench {
	struct fcn_remote *remote;
	struct fcn_remote_conf conf;
	struct console console[CONSOLES];
	unsigned int lines; /* run in this turn */
};

/* 0: the real time */
static uint64_t virtual_ns;

int __real_clock_gettime(clockid_t clock, struct timespec *ts);
int __wrap_clock_gettime(clockid_t clock, struct timespec *ts);

int
__wrap_clock_gettime(clockid_t clock, struct timespec *ts)
{
	if (virtual_ns == 0 || clock != CLOCK_MONOTONIC)
		return __real_clock_gettime(clock, ts);
	ts->tv_sec = (time_t)(virtual_ns / 1000000000);
	ts->tv_nsec = (long)(virtual_ns % 1000000000);
	return 0;
}

/* What a line does, by its first letter. */
static int
run_line(void *arg, const char *line, FILE *out, struct fcn_remote_peer *peer, bool *last)
{
	struct bench *b = arg;
	size_t len = strlen(line);

	(void)peer;
	b->lines++;
	*last = line[0] == 'q';
	if (line[0] == 's')
		virtual_ns += len * MS;
	for (size_t i = 0; line[0] == 'b' && i < BIG * len; i++)
		putc('x', out);
	fprintf(out, "%s\n", line);
	return line[0] == 'f' ? -EINVAL : 0;
}

static void
turn(struct bench *b)
{
	unsigned int clients = fcn_remote_clients(b->remote);

	b->lines = 0;
	fcn_remote_run(b->remote);
	require(b->lines <= clients);
	require(fcn_remote_clients(b->remote) <= b->conf.clients);
}

/* Run turns until nothing is left to do. */
static void
turns(struct bench *b)
{
	struct pollfd pfd = {.fd = fcn_remote_fd(b->remote), .events = POLLIN};
	unsigned int n = 0;

	while (fcn_remote_run(b->remote) || poll(&pfd, 1, 0) != 0)
		require(++n < TURNS);
}

/* Check the bytes of answers: complete headers, and bodies within the limits. */
static void
understand(const struct bench *b, struct console *c, const char *text, size_t len)
{
	size_t n;
	bool ok;
	int rc;

	while (len > 0) {
		if (c->body_left > 0) {
			n = len < c->body_left ? len : c->body_left;
			if (n >= sizeof(c->body)) {
				memcpy(c->body, text + n - sizeof(c->body), sizeof(c->body));
			} else {
				memmove(c->body, c->body + n, sizeof(c->body) - n);
				memcpy(c->body + sizeof(c->body) - n, text, n);
			}
			c->body_left -= n;
			text += n;
			len -= n;
			continue;
		}
		require(c->header_len < sizeof(c->header));
		c->header[c->header_len++] = *text++;
		len--;
		rc = fcn_remote_header_parse(c->header, c->header_len, &ok, &n);
		require(rc == 0 || (size_t)rc == c->header_len);
		if (rc > 0) {
			require(n <= b->conf.answer_bytes || n < 100); /* why there is none */
			c->body_left = n;
			c->header_len = 0;
		}
	}
}

static void
leave(struct console *c)
{
	if (c->fd >= 0)
		close(c->fd);
	memset(c, 0, sizeof(*c));
	c->fd = -1;
}

/* @return false when the other end is gone */
static bool
read_some(const struct bench *b, struct console *c, size_t most)
{
	char text[8192];
	ssize_t n = recv(c->fd, text, most < sizeof(text) ? most : sizeof(text), MSG_DONTWAIT);

	if (n > 0)
		understand(b, c, text, (size_t)n);
	return n > 0 || (n < 0 && errno == EAGAIN);
}

static void
come(struct bench *b, struct console *c)
{
	const int small = 4096;
	unsigned int before = fcn_remote_clients(b->remote);
	char text[64] = "";
	int fd[2], rc;

	leave(c);
	require(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fd) == 0);
	setsockopt(fd[0], SOL_SOCKET, SO_SNDBUF, &small, sizeof(small));
	setsockopt(fd[1], SOL_SOCKET, SO_SNDBUF, &small, sizeof(small));
	rc = fcn_remote_add(b->remote, 0, fd[0]);
	require(rc == (before == b->conf.clients ? -EMFILE : 0));
	if (rc == 0) {
		c->fd = fd[1];
		return;
	}
	require(recv(fd[1], text, sizeof(text) - 1, MSG_DONTWAIT) > 0);
	require(strcmp(text, "error 18\ntoo many sessions\n") == 0);
	require(recv(fd[1], text, sizeof(text), MSG_DONTWAIT) == 0);
	close(fd[1]);
}

static void
step(struct bench *b, struct fuzz_input *in)
{
	const uint8_t what = fuzz_take(in), how = fuzz_take(in);
	struct console *c = &b->console[what >> 3 & (CONSOLES - 1)];
	size_t n = how < in->left ? how : in->left;

	switch (what & 7) {
	case 0:
		come(b, c);
		return;
	case 6:
		virtual_ns += (uint64_t)how * how / 8 * MS;
		return;
	case 7:
		turn(b);
		return;
	default:
		break;
	}
	if (c->fd < 0)
		return;
	if ((what & 7) < 3) {
		send(c->fd, in->at, n, MSG_DONTWAIT | MSG_NOSIGNAL);
		in->at += n;
		in->left -= n;
		if (how & 1)
			turn(b);
	} else if ((what & 7) == 3 && !read_some(b, c, 32u * how + 1)) {
		leave(c);
	} else if ((what & 7) == 4 && how & 1) {
		leave(c);
	} else if ((what & 7) == 5 && how & 1) {
		shutdown(c->fd, SHUT_WR);
		c->ends = true;
	}
}

/* The longest permitted answer arrives completely when no other answer is waiting. */
static void
check_answer(struct bench *b, struct console *c)
{
	size_t most = b->conf.answer_bytes < b->conf.waiting_bytes ? b->conf.answer_bytes
								   : b->conf.waiting_bytes;
	size_t len = (most + BIG) / (BIG + 1);
	char text[120];

	memset(text, 'y', sizeof(text));
	if (len > sizeof(c->body) + 2)
		text[0] = 'b';
	else
		len = 100; /* said back as it is */
	text[len - 1] = '\n';
	require(len <= sizeof(text));
	require(send(c->fd, text, len, MSG_DONTWAIT | MSG_NOSIGNAL) == (ssize_t)len);
	do {
		turns(b);
	} while (read_some(b, c, SIZE_MAX) && (c->header_len != 0 || c->body_left != 0));
	require(c->header_len == 0 && c->body_left == 0);
	require(memcmp(c->body, text + len - sizeof(c->body), sizeof(c->body)) == 0);
}

/*
 * Sessions that read nothing, or do not complete a line, are closed in time; the others are still
 * served.
 */
static void
check_end(struct bench *b)
{
	unsigned int there = 0;
	char byte;

	for (unsigned int i = 0; i < 2; i++) {
		turns(b);
		virtual_ns += (HALF_MS + STALL_MS) * MS;
	}
	turns(b);
	for (unsigned int i = 0; i < CONSOLES; i++) {
		struct console *c = &b->console[i];

		while (c->fd >= 0 && recv(c->fd, &byte, 1, MSG_DONTWAIT | MSG_PEEK) > 0)
			require(read_some(b, c, SIZE_MAX));
		if (c->fd >= 0 && (recv(c->fd, &byte, 1, MSG_DONTWAIT | MSG_PEEK) == 0 ||
						  errno != EAGAIN))
			leave(c);
		if (c->fd < 0)
			continue;
		require(!c->ends && c->header_len == 0 && c->body_left == 0);
		there++;
		check_answer(b, c);
	}
	require(fcn_remote_clients(b->remote) == there);
	for (unsigned int i = 0; i < CONSOLES; i++)
		leave(&b->console[i]);
	turns(b);
	require(fcn_remote_clients(b->remote) == 0);
}

void
fuzz_sessions(const uint8_t *data, size_t size)
{
	struct fuzz_input in = {data, size};
	static struct bench b;

	memset(&b, 0, sizeof(b));
	virtual_ns = 1000 * MS;
	b.conf = (struct fcn_remote_conf){.run = run_line,
			.arg = &b,
			.clients = 1 + fuzz_take(&in) % (CONSOLES - 1),
			.answer_bytes = 200 + 64u * fuzz_take(&in),
			.waiting_bytes = 200 + 128u * fuzz_take(&in),
			.stall_ms = STALL_MS,
			.half_ms = HALF_MS};
	b.remote = fcn_remote_create(&b.conf);
	require(b.remote != NULL);
	for (unsigned int i = 0; i < CONSOLES; i++)
		b.console[i].fd = -1;
	for (unsigned int i = 0; i < STEPS && in.left > 0; i++)
		step(&b, &in);
	if (data[size - 1] & 1)
		check_end(&b);
	fcn_remote_free(b.remote);
	for (unsigned int i = 0; i < CONSOLES; i++)
		leave(&b.console[i]);
	virtual_ns = 0;
}
