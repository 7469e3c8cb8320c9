/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * A socket file is left over if nobody accepts a connection to it. Another switch could start
 * between that check and the replacement of the file. A switch that starts therefore locks the
 * directory meanwhile, which leaves no lock file behind.
 */

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "fcn_stale_socket.h"
#include "remote_private.h"

#define BACKLOG 256 /* more than the maximum of clients, so that those beyond it get an error */
#define LOCK_TRIES 50
#define LOCK_WAIT_NS 20000000

static int
fail(char *err, size_t err_size, int rc, const char *path, const char *what)
{
	snprintf(err, err_size, "socket %s: %s", path, what);
	return rc;
}

/* Lock the directory of a path. Another program may hold the lock, as on /tmp, so after one second
 * the function returns without it. @return a descriptor to close, or -1 */
static int
lock_directory(const char *path)
{
	const struct timespec wait = {.tv_nsec = LOCK_WAIT_NS};
	char copy[FCN_REMOTE_PATH_SIZE];
	int fd;

	snprintf(copy, sizeof(copy), "%s", path);
	fd = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	for (int i = 0; fd >= 0 && i < LOCK_TRIES && flock(fd, LOCK_EX | LOCK_NB) != 0; i++)
		nanosleep(&wait, NULL);
	return fd;
}

/* Remove a socket file that no process serves. @return 0: there is no file; or a negative errno */
static int
remove_stale(const struct sockaddr_un *addr, char *err, size_t err_size)
{
	const int rc = fcn_stale_socket_remove(addr->sun_path);

	if (rc == -EEXIST)
		return fail(err, err_size, rc, addr->sun_path,
				"the path exists and is not a socket; it is left unchanged");
	if (rc == -EADDRINUSE)
		return fail(err, err_size, rc, addr->sun_path,
				"a running switch uses it (give another by --name or --socket, "
				"or none by --no-socket)");
	return rc == 0 ? 0 : fail(err, err_size, rc, addr->sun_path, strerror(-rc));
}

/* Bind the socket and listen. At no time does the file have more permissions than `mode`. */
static int
bind_and_listen(struct fcn_remote_socket *s, const struct sockaddr_un *addr, mode_t mode,
		gid_t group)
{
	struct stat st;

	if (fchmod(s->fd, 0600) != 0 ||
			bind(s->fd, (const struct sockaddr *)addr, sizeof(*addr)) != 0)
		return -errno;
	if (group != (gid_t)-1 && chown(s->path, (uid_t)-1, group) != 0) {
		int error = errno;

		unlink(s->path);
		return error == EPERM ? -EACCES : -error;
	}
	if (chmod(s->path, mode) != 0 || lstat(s->path, &st) != 0 || listen(s->fd, BACKLOG) != 0) {
		int error = errno;

		unlink(s->path);
		return -error;
	}
	s->dev = st.st_dev;
	s->ino = st.st_ino;
	return 0;
}

int
fcn_remote_socket_open(struct fcn_remote_socket *s, const char *path, mode_t mode, gid_t group,
		char *err, size_t err_size)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	int lock, rc;

	s->fd = -1;
	if (path[0] == '\0' || strlen(path) >= sizeof(s->path))
		return fail(err, err_size, -ENAMETOOLONG, path, "a path has 1 to 107 bytes");
	snprintf(s->path, sizeof(s->path), "%s", path);
	snprintf(addr.sun_path, sizeof(addr.sun_path), "%s", path);

	lock = lock_directory(path);
	rc = remove_stale(&addr, err, err_size);
	if (rc == 0) {
		s->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
		rc = s->fd < 0 ? -errno : bind_and_listen(s, &addr, mode, group);
		if (rc == -EACCES && s->fd >= 0 && group != (gid_t)-1)
			fail(err, err_size, rc, path,
					"its group cannot be set: that needs CAP_CHOWN, or to be a "
					"member of the group");
		else if (rc != 0)
			fail(err, err_size, rc, path, strerror(-rc));
	}
	if (lock >= 0)
		close(lock);
	if (rc != 0 && s->fd >= 0) {
		close(s->fd);
		s->fd = -1;
	}
	return rc;
}

void
fcn_remote_socket_close(struct fcn_remote_socket *s)
{
	struct stat st;

	if (s->fd < 0)
		return;
	if (lstat(s->path, &st) == 0 && st.st_dev == s->dev && st.st_ino == s->ino)
		unlink(s->path);
	close(s->fd);
	s->fd = -1;
}
