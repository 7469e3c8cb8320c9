/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "remote_util.h"

uid_t remote_user = (uid_t)-1;

int __real_getsockopt(int fd, int level, int name, void *value, socklen_t *len);
int __wrap_getsockopt(int fd, int level, int name, void *value, socklen_t *len);

int
__wrap_getsockopt(int fd, int level, int name, void *value, socklen_t *len)
{
	const int rc = __real_getsockopt(fd, level, name, value, len);

	if (rc == 0 && name == SO_PEERCRED && remote_user != (uid_t)-1)
		((struct ucred *)value)->uid = remote_user;
	return rc;
}

void
remote_sleep(unsigned int ms)
{
	const struct timespec ts = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L};

	nanosleep(&ts, NULL);
}

static int
run(void *arg, const char *line, FILE *out, struct fcn_remote_peer *peer, bool *last)
{
	struct remote_testbed *bed = arg;
	unsigned int at = bed->n_lines++ % 8;

	bed->peer = *peer;
	snprintf(bed->lines[at], sizeof(bed->lines[at]), "%s", line);
	bed->lengths[at] = strlen(line);
	if (strncmp(line, "fail ", 5) == 0) {
		fprintf(out, "%s\n", line + 5);
		return -EINVAL;
	}
	if (strncmp(line, "big ", 4) == 0) {
		for (long i = atol(line + 4); i > 0; i--)
			putc('x', out);
		return 0;
	}
	if (strcmp(line, "later") == 0) {
		peer->unsettled = true;
		return 0;
	}
	if (strncmp(line, "slow ", 5) == 0)
		remote_sleep((unsigned int)atoi(line + 5));
	*last = strcmp(line, "quit") == 0;
	fprintf(out, "%s\n", line);
	return 0;
}

static void
settle(void *arg)
{
	struct remote_testbed *bed = arg;

	bed->settled++;
	bed->settled_lines = bed->n_lines;
}

void
remote_begin(struct remote_testbed *bed, const struct fcn_remote_conf *limits)
{
	struct fcn_remote_conf conf = {0};

	memset(bed, 0, sizeof(*bed));
	if (limits != NULL)
		conf = *limits;
	conf.run = run;
	conf.settle = settle;
	remote_user = (uid_t)-1;
	conf.arg = bed;
	bed->remote = fcn_remote_create(&conf);
	assert_non_null(bed->remote);
}

void
remote_end(struct remote_testbed *bed)
{
	fcn_remote_free(bed->remote);
}

int
remote_client(struct remote_testbed *bed)
{
	int fds[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	assert_int_equal(fcntl(fds[1], F_SETFL, O_NONBLOCK), 0); /* but not the switch's end */
	fcn_remote_add(bed->remote, 0, fds[0]);
	return fds[1];
}

void
remote_turns(struct remote_testbed *bed)
{
	struct pollfd pfd = {.fd = fcn_remote_fd(bed->remote), .events = POLLIN};

	for (int i = 0; i < 1000; i++)
		if (!fcn_remote_run(bed->remote) && poll(&pfd, 1, 0) == 0)
			return;
	fail_msg("lines wait for ever");
}

void
remote_send(int fd, const char *text)
{
	assert_int_equal(send(fd, text, strlen(text), MSG_NOSIGNAL), strlen(text));
}

int
remote_receive(int fd, char *buf, size_t size)
{
	size_t len = 0;
	ssize_t n = 1;

	while (len < size - 1 && (n = recv(fd, buf + len, size - 1 - len, 0)) > 0)
		len += (size_t)n;
	buf[len] = '\0';
	return len == 0 && (n == 0 || errno != EAGAIN) ? -1 : (int)len;
}

void
remote_expect(int fd, const char *text)
{
	char buf[8192];

	buf[0] = '\0';
	remote_receive(fd, buf, sizeof(buf));
	assert_string_equal(buf, text);
}

void
remote_expect_end(int fd)
{
	char buf[8];

	assert_int_equal(remote_receive(fd, buf, sizeof(buf)), -1);
}
