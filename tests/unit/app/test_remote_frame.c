/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Headers of answers, the place of the socket, and what a service manager is told. */

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "fcn_remote_frame.h"
#include "fcn_service.h"
#include "fcn_stale_socket.h"
#include "remote_util.h"

TEST(headers)
{
	char buf[FCN_REMOTE_HEADER_SIZE];

	assert_int_equal(fcn_remote_header(buf, true, 0), 5);
	assert_string_equal(buf, "ok 0\n");
	assert_int_equal(fcn_remote_header(buf, false, 1234567), 14);
	assert_string_equal(buf, "error 1234567\n");
	/* 20 digits are the most that there can be */
	assert_int_equal(fcn_remote_header(buf, false, SIZE_MAX), 27);
}

static void
expect_parsed(const char *text, int length, bool ok, size_t body)
{
	size_t got_body = 999;
	bool got_ok = !ok;

	/* whatever stands behind */
	assert_int_equal(fcn_remote_header_parse(text, strlen(text), &got_ok, &got_body), length);
	assert_int_equal(got_ok, ok);
	assert_int_equal(got_body, body);
	/* every piece of it is not complete */
	for (int n = 0; n < length; n++)
		assert_int_equal(fcn_remote_header_parse(text, (size_t)n, &got_ok, &got_body), 0);
}

TEST(parse)
{
	static const char *const bad[] = {"no 3\n", "OK 3\n", "ok\n", "ok \n", "ok -1\n", "ok 3 \n",
			"ok  3\n", "ok 3\r\n", "error x\n", "ok 12345678901234567\n", "\n",
			"erro 1\n"};
	size_t body;
	bool ok;

	expect_parsed("ok 0\n", 5, true, 0);
	expect_parsed("ok 12\nok 13\n", 6, true, 12);
	expect_parsed("error 1234567890123456\n", 23, false, 1234567890123456);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(fcn_remote_header_parse(bad[i], strlen(bad[i]), &ok, &body),
				-EBADMSG);
}

TEST(path)
{
	char path[FCN_REMOTE_PATH_SIZE], name[FCN_REMOTE_PATH_SIZE + 8];

	if (geteuid() != 0)
		setenv("XDG_RUNTIME_DIR", "/run", 1);
	assert_int_equal(fcn_remote_path("fastcn", path), 0);
	assert_string_equal(path, "/run/fastcn/fastcn.sock");
	assert_int_equal(fcn_remote_path("", path), -EINVAL);
	assert_int_equal(fcn_remote_path("../x", path), -EINVAL);
	assert_int_equal(fcn_remote_path("a/b", path), -EINVAL);
	/* "/run/fastcn/" and ".sock" are 17 of the 107 bytes */
	memset(name, 'n', sizeof(name));
	name[90] = '\0';
	assert_int_equal(fcn_remote_path(name, path), 0);
	name[90] = 'n';
	name[91] = '\0';
	assert_int_equal(fcn_remote_path(name, path), -ENAMETOOLONG);
	if (geteuid() != 0) {
		unsetenv("XDG_RUNTIME_DIR");
		assert_int_equal(fcn_remote_path("fastcn", path), -ENOENT);
	}
}

TEST(notify)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	socklen_t len = sizeof(addr);
	char at[128], buf[64];
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0);
	ssize_t n;

	unsetenv("NOTIFY_SOCKET");
	assert_int_equal(fcn_service_notify("READY=1"), 0);
	setenv("NOTIFY_SOCKET", "nowhere", 1);
	assert_int_equal(fcn_service_notify("READY=1"), -EINVAL);
	setenv("NOTIFY_SOCKET", "/nonexistent/socket", 1);
	assert_int_equal(fcn_service_notify("READY=1"), -ENOENT);

	/* An abstract address that the kernel chooses: '\0' and five digits. */
	assert_int_equal(bind(fd, (struct sockaddr *)&addr, sizeof(sa_family_t)), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&addr, &len), 0);
	snprintf(at, sizeof(at), "@%.*s", (int)(len - sizeof(sa_family_t) - 1), addr.sun_path + 1);
	setenv("NOTIFY_SOCKET", at, 1);
	assert_int_equal(fcn_service_notify("READY=1\nSTATUS=here"), 1);
	n = recv(fd, buf, sizeof(buf), 0);
	assert_int_equal(n, 19);
	assert_memory_equal(buf, "READY=1\nSTATUS=here", 19);
	close(fd);
}

static int
listen_at(const char *path, int type)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, type, 0);

	snprintf(addr.sun_path, sizeof(addr.sun_path), "%s", path);
	assert_int_equal(bind(fd, (struct sockaddr *)&addr, sizeof(addr)), 0);
	assert_int_equal(listen(fd, 1), 0);
	return fd;
}

/* The file of a socket is removed when nobody listens any more, and nothing else is. */
TEST(stale_socket)
{
	static const int types[] = {SOCK_STREAM, SOCK_SEQPACKET};
	char directory[] = "/tmp/fcn-stale-XXXXXX", path[64];
	int fd;

	assert_non_null(mkdtemp(directory));
	snprintf(path, sizeof(path), "%s/sock", directory);
	assert_int_equal(fcn_stale_socket_remove(path), 0);
	for (size_t i = 0; i < 2; i++) {
		fd = listen_at(path, types[i]);
		assert_int_equal(fcn_stale_socket_remove(path), -EADDRINUSE);
		assert_int_equal(access(path, F_OK), 0);
		close(fd);
		assert_int_equal(access(path, F_OK), 0);
		assert_int_equal(fcn_stale_socket_remove(path), 0);
		assert_int_not_equal(access(path, F_OK), 0);
	}
	fd = open(path, O_CREAT | O_WRONLY, 0600);
	close(fd);
	assert_int_equal(fcn_stale_socket_remove(path), -EEXIST);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(fcn_stale_socket_remove(directory), -EEXIST);
	assert_int_equal(rmdir(directory), 0);
}

/* As sd_watchdog_enabled(3) has it. */
TEST(watchdog)
{
	char own[24], other[24];

	snprintf(own, sizeof(own), "%d", (int)getpid());
	snprintf(other, sizeof(other), "%d", (int)getppid());
	unsetenv("WATCHDOG_PID");
	unsetenv("WATCHDOG_USEC");
	assert_int_equal(fcn_service_watchdog_ms(), 0);
	setenv("WATCHDOG_USEC", "30000000", 1);
	assert_int_equal(fcn_service_watchdog_ms(), 30000);
	setenv("WATCHDOG_PID", own, 1);
	assert_int_equal(fcn_service_watchdog_ms(), 30000);
	setenv("WATCHDOG_PID", other, 1);
	assert_int_equal(fcn_service_watchdog_ms(), 0);
	setenv("WATCHDOG_PID", own, 1);
	setenv("WATCHDOG_USEC", "30s", 1);
	assert_int_equal(fcn_service_watchdog_ms(), 0);
	setenv("WATCHDOG_USEC", "10", 1);
	assert_int_equal(fcn_service_watchdog_ms(), 1);
	setenv("WATCHDOG_USEC", "0", 1);
	assert_int_equal(fcn_service_watchdog_ms(), 0);
	unsetenv("WATCHDOG_PID");
	unsetenv("WATCHDOG_USEC");
}
