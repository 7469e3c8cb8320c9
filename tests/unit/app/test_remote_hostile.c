/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Remote consoles that do not behave: the others are served, and no turn waits. */

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "remote_util.h"

static double
seconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

/* More than a socket takes: nobody reads it. */
TEST(never_reads)
{
	const struct fcn_remote_conf limits = {.stall_ms = 500};
	struct remote_testbed w;
	int bad, good;

	remote_begin(&w, &limits);
	bad = remote_client(&w);
	good = remote_client(&w);
	remote_send(bad, "big 4000000\nagain\n");
	remote_turns(&w);
	remote_send(bad, "more\n"); /* is not even looked at */
	remote_turns(&w);
	remote_send(good, "there?\n");
	remote_turns(&w);
	remote_expect(good, "ok 7\nthere?\n");
	assert_int_equal(w.n_lines, 2); /* "again" waits for its turn that never comes */
	assert_int_equal(fcn_remote_clients(w.remote), 2);
	remote_sleep(550);
	remote_turns(&w);
	assert_int_equal(fcn_remote_clients(w.remote), 1);
	remote_send(good, "still?\n");
	remote_turns(&w);
	remote_expect(good, "ok 7\nstill?\n");
	assert_int_equal(w.n_lines, 3);
	close(bad);
	close(good);
	remote_end(&w);
}

/* Reads late, but reads: it gets everything, and then its next line is run. */
TEST(reads_late)
{
	struct remote_testbed w;
	char *buf = malloc(1 << 20);
	size_t len = 0;
	int a, n;

	assert_non_null(buf);
	remote_begin(&w, NULL);
	a = remote_client(&w);
	remote_send(a, "big 3000000\nnext\n");
	for (int i = 0; i < 1000 && len < 3000011 + 10; i++) {
		remote_turns(&w);
		n = remote_receive(a, buf, 1 << 20);
		assert_true(n >= 0);
		len += (size_t)n;
	}
	/* "ok 3000000\n", the body, "ok 5\nnext\n" */
	assert_int_equal(len, 11 + 3000000 + 10);
	assert_int_equal(w.n_lines, 2);
	free(buf);
	close(a);
	remote_end(&w);
}

TEST(half_line)
{
	const struct fcn_remote_conf limits = {.half_ms = 400};
	struct remote_testbed w;
	int half, dribble, endless, idle;
	char junk[3000];

	remote_begin(&w, &limits);
	half = remote_client(&w);
	dribble = remote_client(&w);
	endless = remote_client(&w);
	idle = remote_client(&w);
	memset(junk, 'j', sizeof(junk));
	junk[sizeof(junk) - 1] = '\0';
	remote_send(half, "port add");
	for (int i = 0; i < 8; i++) {
		remote_send(dribble, "x");
		remote_send(endless, junk); /* without an end, and answered once */
		remote_turns(&w);
		remote_sleep(20);
	}
	assert_int_equal(fcn_remote_clients(w.remote), 4);
	remote_sleep(300);
	remote_turns(&w);
	assert_int_equal(fcn_remote_clients(w.remote), 1);
	assert_int_equal(w.n_lines, 1);
	/* one that sends nothing may stay */
	remote_send(idle, "me\n");
	remote_turns(&w);
	remote_expect(idle, "ok 3\nme\n");
	close(half);
	close(dribble);
	close(endless);
	close(idle);
	remote_end(&w);
}

/* One sends as fast as it can: a turn runs one line of it, and one of the other. */
TEST(flood)
{
	struct remote_testbed w;
	char text[3001];
	int flood, other;

	for (size_t i = 0; i < 3000; i += 2)
		memcpy(text + i, "f\n", 2);
	text[3000] = '\0';
	remote_begin(&w, NULL);
	flood = remote_client(&w);
	other = remote_client(&w);
	remote_send(flood, text);
	assert_true(fcn_remote_run(w.remote));
	assert_int_equal(w.n_lines, 1);
	remote_send(other, "o\n");
	assert_true(fcn_remote_run(w.remote));
	assert_int_equal(w.n_lines, 3);
	remote_expect(other, "ok 2\no\n");
	while (send(flood, text, 3000, MSG_NOSIGNAL) > 0) /* until nothing fits any more */
		;
	for (int i = 0; i < 100; i++)
		fcn_remote_run(w.remote);
	assert_int_equal(w.n_lines, 103);
	close(flood);
	close(other);
	remote_end(&w);
}

TEST(too_many)
{
	const struct fcn_remote_conf limits = {.clients = 2};
	struct remote_testbed w;
	int a, b, c;

	remote_begin(&w, &limits);
	a = remote_client(&w);
	b = remote_client(&w);
	c = remote_client(&w);
	remote_expect(c, "error 18\ntoo many sessions\n");
	remote_expect_end(c);
	assert_int_equal(fcn_remote_clients(w.remote), 2);
	close(a);
	remote_turns(&w);
	close(c);
	c = remote_client(&w); /* a place is free */
	remote_send(c, "in\n");
	remote_turns(&w);
	remote_expect(c, "ok 3\nin\n");
	close(b);
	close(c);
	remote_end(&w);
}

TEST(memory)
{
	const struct fcn_remote_conf limits = {
			.answer_bytes = 2000000, .waiting_bytes = 3000000, .stall_ms = 500};
	struct remote_testbed w;
	char head[11];
	int a, b;

	remote_begin(&w, &limits);
	a = remote_client(&w);
	b = remote_client(&w);
	remote_send(a, "big 2000001\n");
	remote_turns(&w);
	remote_expect(a, "error 23\nthe answer is too long\n");
	remote_send(a, "big 2000000\n");
	remote_turns(&w);
	remote_send(b, "big 1000001\n");
	remote_turns(&w);
	remote_expect(b, "error 62\ntoo many answers wait to be read by other sessions; "
			 "try again\n");
	/* What is small goes on, and so does all when who does not read is gone. */
	remote_send(b, "x\n");
	remote_turns(&w);
	remote_expect(b, "ok 2\nx\n");
	remote_sleep(550);
	remote_turns(&w);
	assert_int_equal(fcn_remote_clients(w.remote), 1);
	remote_send(b, "big 1999999\n");
	remote_turns(&w);
	assert_int_equal(recv(b, head, 11, 0), 11);
	assert_memory_equal(head, "ok 1999999\n", 11);
	assert_int_equal(fcn_remote_clients(w.remote), 1);
	close(a);
	close(b);
	remote_turns(&w); /* gone in the middle of an answer */
	assert_int_equal(fcn_remote_clients(w.remote), 0);
	remote_end(&w);
}

/* Lines that take long: a turn ends behind the first, and the next begins with the next client. */
TEST(slow_lines)
{
	const struct fcn_remote_conf limits = {.turn_ms = 10};
	struct remote_testbed w;
	char line[32];
	int fds[4];
	double begin;

	remote_begin(&w, &limits);
	for (int i = 0; i < 4; i++) {
		fds[i] = remote_client(&w);
		snprintf(line, sizeof(line), "slow 20 %d\nslow 20 %d\n", i, i + 4);
		remote_send(fds[i], line);
	}
	for (unsigned int i = 0; i < 8; i++) {
		begin = seconds();
		assert_int_equal(fcn_remote_run(w.remote), i < 7);
		assert_int_equal(w.n_lines, i + 1);
		assert_true(seconds() - begin < 1);
		snprintf(line, sizeof(line), "slow 20 %u", i);
		assert_string_equal(w.lines[i], line);
	}
	for (int i = 0; i < 4; i++)
		close(fds[i]);
	remote_end(&w);
}

TEST(hundred)
{
	char line[32], answer[64];
	struct remote_testbed w;
	int fds[100];

	remote_begin(&w, NULL);
	for (int i = 0; i < 100; i++) {
		fds[i] = remote_client(&w);
		snprintf(line, sizeof(line), "client %02d\n", i);
		remote_send(fds[i], line);
	}
	remote_turns(&w);
	remote_turns(&w);
	for (int i = 0; i < 100; i++) {
		snprintf(answer, sizeof(answer), "ok 10\nclient %02d\n", i);
		remote_expect(fds[i], answer);
		close(fds[i]);
	}
	remote_turns(&w);
	remote_turns(&w);
	assert_int_equal(fcn_remote_clients(w.remote), 0);
	remote_end(&w);
}
