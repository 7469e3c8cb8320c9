/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "fcn_stale_socket.h"

/* Try to connect to a socket. @return 0 or an errno */
static int
try_to_connect(const char *path)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	int fd, error;

	if (strlen(path) >= sizeof(addr.sun_path))
		return ENAMETOOLONG;
	memcpy(addr.sun_path, path, strlen(path));
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return errno;
	error = connect(fd, (const struct sockaddr *)&addr, sizeof(addr)) == 0 ? 0 : errno;
	close(fd);
	return error;
}

int
fcn_stale_socket_remove(const char *path)
{
	struct stat st;
	int error;

	if (lstat(path, &st) != 0)
		return errno == ENOENT ? 0 : -errno;
	if (!S_ISSOCK(st.st_mode))
		return -EEXIST;
	error = try_to_connect(path);
	/* EAGAIN: it has no room for more connections; EPROTOTYPE: it is of another type. */
	if (error == 0 || error == EAGAIN || error == EPROTOTYPE)
		return -EADDRINUSE;
	if (error != ECONNREFUSED)
		return -error;
	return unlink(path) != 0 && errno != ENOENT ? -errno : 0;
}
