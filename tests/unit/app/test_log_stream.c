/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Messages into a pipe that nobody reads, and then somebody does. */

#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "fcn_test.h"
#include "log_stream.h"

#define ROOM 4096

static char text[1024 * 1024];

/* Whatever comes until nothing does for a while, behind what came before. */
static size_t
take(int fd, size_t len)
{
	struct pollfd pfd = {.fd = fd, .events = POLLIN};
	ssize_t n;

	while (poll(&pfd, 1, 200) == 1 && (n = read(fd, text + len, sizeof(text) - 1 - len)) > 0)
		len += (size_t)n;
	text[len] = '\0';
	return len;
}

struct watched {
	char text[64];
	size_t len;
};

static void
watch(void *arg, const char *data, size_t len)
{
	struct watched *w = arg;

	assert_true(len <= sizeof(w->text) - w->len);
	memcpy(w->text + w->len, data, len);
	w->len += len;
}

/* Whoever watches the stream sees all that is written, in time. */
TEST(watched)
{
	struct watched w = {.len = 0};
	struct fcn_log_stream *ls;
	int fds[2];

	assert_int_equal(pipe2(fds, O_NONBLOCK), 0);
	ls = fcn_log_stream_create(fds[1], ROOM);
	assert_non_null(ls);
	fcn_log_stream_watch(ls, watch, &w);
	fprintf(fcn_log_stream_file(ls), "one %d\n", 1);
	fprintf(fcn_log_stream_file(ls), "two\n");
	assert_int_equal(w.len, 10);
	assert_memory_equal(w.text, "one 1\ntwo\n", 10);
	fcn_log_stream_free(ls);
	close(fds[0]);
	close(fds[1]);
}

TEST(at_once)
{
	struct fcn_log_stream *ls;
	int fds[2];
	size_t len;

	assert_int_equal(pipe2(fds, O_NONBLOCK), 0);
	ls = fcn_log_stream_create(fds[1], ROOM);
	assert_non_null(ls);
	fprintf(fcn_log_stream_file(ls), "one %d\n", 1);
	len = (size_t)read(fds[0], text, sizeof(text)); /* no waiting */
	assert_int_equal(len, 6);
	assert_memory_equal(text, "one 1\n", 6);
	fprintf(fcn_log_stream_file(ls), "half");
	fcn_log_stream_free(ls);
	assert_int_equal(read(fds[0], text, sizeof(text)), 4);
	close(fds[0]);
	close(fds[1]);
}

/* Every line that is written is there, in order, or was counted; and the text says where. */
TEST(full)
{
	const int lines = 20000;
	struct fcn_log_stream *ls;
	unsigned long lost, told = 0;
	int fds[2], next = 0, n;
	char *line, *save = NULL;
	size_t len;

	assert_int_equal(pipe2(fds, O_NONBLOCK), 0);
	ls = fcn_log_stream_create(fds[1], ROOM);
	assert_non_null(ls);
	for (int i = 0; i < lines; i++)
		fprintf(fcn_log_stream_file(ls), "line %d of those that nobody reads\n", i);
	lost = fcn_log_stream_lost(ls);
	assert_true(lost > 0);
	len = take(fds[0], 0);
	fprintf(fcn_log_stream_file(ls), "line %d of those that nobody reads\n", lines);
	take(fds[0], len);
	for (line = strtok_r(text, "\n", &save); line != NULL; line = strtok_r(NULL, "\n", &save)) {
		if (sscanf(line, "fastcn: %lu line", &lost) == 1) {
			told += lost;
			next += (int)lost;
		} else {
			assert_int_equal(sscanf(line, "line %d of", &n), 1);
			assert_int_equal(n, next);
			next++;
		}
	}
	assert_int_equal(next, lines + 1);
	assert_int_equal(told, fcn_log_stream_lost(ls));
	fcn_log_stream_free(ls);
	close(fds[0]);
	close(fds[1]);
}

/* The end does not wait for a reader that never comes. */
TEST(end)
{
	struct fcn_log_stream *ls;
	int fds[2];

	assert_int_equal(pipe2(fds, O_NONBLOCK), 0);
	ls = fcn_log_stream_create(fds[1], ROOM);
	assert_non_null(ls);
	for (int i = 0; i < 10000; i++)
		fputs("a line that nobody reads\n", fcn_log_stream_file(ls));
	fcn_log_stream_free(ls);
	close(fds[0]);
	close(fds[1]);
}
