/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Remote consoles that behave: lines in whatever pieces, answers in order, the socket's file. */

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "remote_util.h"

#define LINE_MAX_BYTES 1024

TEST(answers)
{
	struct remote_testbed w;
	int a, b;

	remote_begin(&w, NULL);
	a = remote_client(&w);
	b = remote_client(&w);
	remote_send(a, "one\nfail because\n\n# three\n");
	remote_send(b, "two\r\n");
	remote_turns(&w);
	remote_expect(a, "ok 4\none\nerror 8\nbecause\nok 1\n\nok 8\n# three\n");
	remote_expect(b, "ok 5\ntwo\r\n");
	assert_int_equal(w.n_lines, 5);
	/* by turns: the second client's line came after the first one's first */
	assert_string_equal(w.lines[1], "two\r");
	close(a);
	close(b);
	remote_turns(&w);
	assert_int_equal(fcn_remote_clients(w.remote), 0);
	remote_end(&w);
}

/* Lines that a client sends together take effect together, and nothing is answered before; each
 * has an answer of its own, in order. Those of another client do not wait for more. */
TEST(settled)
{
	char text[6 * 200 + 1] = "", want[5 * 200 + 1] = "";
	struct remote_testbed w;
	int a, b;

	remote_begin(&w, NULL);
	a = remote_client(&w);
	b = remote_client(&w);
	remote_send(a, "later\nlater\nlater\n");
	fcn_remote_run(w.remote);
	assert_int_equal(w.settled, 1);
	assert_int_equal(w.settled_lines, 3);
	remote_expect(a, "ok 0\nok 0\nok 0\n");
	/* A line with a text ends it, and so does one that fails. */
	remote_send(a, "later\nlater\none\nlater\nfail x\nlat");
	remote_send(b, "two\n");
	remote_turns(&w);
	assert_int_equal(w.settled, 3);
	remote_expect(a, "ok 0\nok 0\nok 4\none\nok 0\nerror 2\nx\n");
	remote_expect(b, "ok 4\ntwo\n");
	remote_send(a, "er\n");
	remote_turns(&w);
	assert_int_equal(w.settled, 4);
	remote_expect(a, "ok 0\n");
	/* There is a limit, also where the answers are not read at once. */
	for (unsigned int i = 0; i < 200; i++) {
		strcat(text, "later\n");
		strcat(want, "ok 0\n");
	}
	remote_send(a, text);
	remote_turns(&w);
	assert_int_equal(w.settled, 4 + 4);
	remote_expect(a, want);
	close(a);
	close(b);
	remote_end(&w);
}

TEST(pieces)
{
	static const char text[] = "first line\nsecond line\n";
	struct remote_testbed w;
	char piece[2] = "";
	int a;

	remote_begin(&w, NULL);
	a = remote_client(&w);
	for (size_t i = 0; i < strlen(text); i++) {
		piece[0] = text[i];
		remote_send(a, piece);
		remote_turns(&w);
		assert_int_equal(w.n_lines, i < 10 ? 0 : i < 22 ? 1 : 2);
	}
	remote_expect(a, "ok 11\nfirst line\nok 12\nsecond line\n");
	close(a);
	remote_end(&w);
}

/* The most that a command may have comes whole; more comes as too long, once. */
TEST(long_lines)
{
	char text[12000];
	struct remote_testbed w;
	int a;

	remote_begin(&w, NULL);
	a = remote_client(&w);
	memset(text, 'y', sizeof(text));
	text[LINE_MAX_BYTES] = '\n';
	text[2 * LINE_MAX_BYTES + 2] = '\n'; /* a byte too much */
	strcpy(text + 2 * LINE_MAX_BYTES + 3, "short\n");
	remote_send(a, text);
	remote_turns(&w);
	assert_int_equal(w.n_lines, 3);
	assert_int_equal(w.lengths[0], LINE_MAX_BYTES);
	assert_int_equal(w.lengths[1], LINE_MAX_BYTES + 1);
	assert_string_equal(w.lines[2], "short");

	/* far too long, over many reads: refused at once, its rest is nothing */
	memset(text, 'y', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	remote_send(a, text);
	remote_turns(&w);
	remote_send(a, text);
	remote_turns(&w);
	assert_int_equal(w.n_lines, 4);
	assert_true(w.lengths[3] > LINE_MAX_BYTES);
	remote_send(a, "still\nafter\n");
	remote_turns(&w);
	assert_int_equal(w.n_lines, 5);
	assert_string_equal(w.lines[4], "after");

	/* the longest, its end apart */
	memset(text, 'y', LINE_MAX_BYTES);
	text[LINE_MAX_BYTES] = '\0';
	remote_send(a, text);
	remote_turns(&w);
	remote_send(a, "\r");
	remote_turns(&w);
	assert_int_equal(w.n_lines, 5);
	remote_send(a, "\n");
	remote_turns(&w);
	assert_int_equal(w.n_lines, 6);
	assert_int_equal(w.lengths[5], LINE_MAX_BYTES + 1);
	close(a);
	remote_end(&w);
}

TEST(nul)
{
	struct remote_testbed w;
	int a;

	remote_begin(&w, NULL);
	a = remote_client(&w);
	assert_int_equal(send(a, "qu\0it\n", 6, 0), 6);
	remote_turns(&w);
	assert_string_equal(w.lines[0], "qu\001it");
	close(a);
	remote_end(&w);
}

/* As a script does: everything in, no more to come, then the answers. */
TEST(end_of_input)
{
	struct remote_testbed w;
	int a;

	remote_begin(&w, NULL);
	a = remote_client(&w);
	remote_send(a, "one\ntwo");
	assert_int_equal(shutdown(a, SHUT_WR), 0);
	remote_turns(&w);
	remote_expect(a, "ok 4\none\nok 4\ntwo\n");
	remote_expect_end(a);
	assert_int_equal(fcn_remote_clients(w.remote), 0);
	close(a);
	remote_end(&w);
}

TEST(quit)
{
	struct remote_testbed w;
	int a, b;

	remote_begin(&w, NULL);
	a = remote_client(&w);
	b = remote_client(&w);
	remote_send(a, "quit\nnever\n");
	remote_turns(&w);
	remote_expect(a, "ok 5\nquit\n");
	remote_expect_end(a);
	assert_int_equal(w.n_lines, 1);
	remote_send(b, "here\n");
	remote_turns(&w);
	remote_expect(b, "ok 5\nhere\n");
	close(a);
	close(b);
	remote_end(&w);
}

static int
connect_to(const char *path)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);

	snprintf(addr.sun_path, sizeof(addr.sun_path), "%s", path);
	if (connect(fd, (struct sockaddr *)&addr, sizeof(addr)) == 0)
		return fd;
	close(fd);
	return -errno;
}

TEST(socket)
{
	char dir[] = "/tmp/fcn-remote-XXXXXX", path[64], err[256];
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	struct remote_testbed w, other;
	struct pollfd pfd;
	struct stat st;
	int a, fd;

	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/s", dir);

	/* what a dead process left */
	fd = socket(AF_UNIX, SOCK_STREAM, 0);
	snprintf(addr.sun_path, sizeof(addr.sun_path), "%s", path);
	assert_int_equal(bind(fd, (struct sockaddr *)&addr, sizeof(addr)), 0);
	close(fd);

	remote_begin(&w, NULL);
	assert_int_equal(fcn_remote_listen(w.remote, path, 0620, (gid_t)-1, err, sizeof(err)), 0);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0620);
	a = connect_to(path);
	assert_true(a >= 0);
	pfd = (struct pollfd){.fd = fcn_remote_fd(w.remote), .events = POLLIN};
	assert_int_equal(poll(&pfd, 1, 0), 1);
	remote_send(a, "hello\n");
	remote_turns(&w);
	remote_turns(&w);
	remote_expect(a, "ok 6\nhello\n");
	assert_int_equal(poll(&pfd, 1, 0), 0); /* nothing to do: no turn for nothing */

	/* one that lives is left alone */
	remote_begin(&other, NULL);
	assert_int_equal(fcn_remote_listen(other.remote, path, 0600, (gid_t)-1, err, sizeof(err)),
			-EADDRINUSE);
	assert_non_null(strstr(err, "a running switch uses it"));
	remote_end(&other);
	assert_int_equal(stat(path, &st), 0);

	remote_end(&w);
	remote_expect_end(a);
	close(a);
	assert_int_equal(connect_to(path), -ENOENT);

	/* neither is a file that is no socket */
	fd = open(path, O_CREAT | O_WRONLY, 0600);
	close(fd);
	remote_begin(&w, NULL);
	assert_int_equal(fcn_remote_listen(w.remote, path, 0600, (gid_t)-1, err, sizeof(err)),
			-EEXIST);
	remote_end(&w);
	assert_int_equal(unlink(path), 0);

	/* nor, at the end, what somebody else put there */
	remote_begin(&w, NULL);
	assert_int_equal(fcn_remote_listen(w.remote, path, 0600, (gid_t)-1, err, sizeof(err)), 0);
	assert_int_equal(unlink(path), 0);
	remote_begin(&other, NULL);
	assert_int_equal(fcn_remote_listen(other.remote, path, 0600, (gid_t)-1, err, sizeof(err)),
			0);
	remote_end(&w);
	assert_int_equal(stat(path, &st), 0);
	remote_end(&other);
	assert_int_equal(rmdir(dir), 0);
}
