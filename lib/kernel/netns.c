/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "netns.h"

static int
open_netns(const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "/run/netns/%s", name);
	return open(path, O_RDONLY | O_CLOEXEC);
}

int
fcn_netns_enter(const char *name)
{
	int home, there, rc;

	if (name[0] == '\0')
		return FCN_NETNS_STAYED;
	home = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
	there = open_netns(name);
	rc = home >= 0 && there >= 0 ? setns(there, CLONE_NEWNET) : -1;
	if (there >= 0)
		close(there);
	if (rc == 0)
		return home;
	if (home >= 0) {
		rc = errno;
		close(home);
		errno = rc;
	}
	return FCN_NETNS_FAILED;
}

void
fcn_netns_leave(int home)
{
	int error = errno;

	if (home < 0)
		return;
	if (setns(home, CLONE_NEWNET) != 0)
		abort();
	close(home);
	errno = error;
}

int
fcn_netns_id(const char *name, struct fcn_netns_id *id)
{
	int fd = open_netns(name), rc, error;
	struct stat st;

	if (fd < 0)
		return -1;
	rc = fstat(fd, &st);
	error = errno;
	close(fd);
	errno = error;
	if (rc == 0)
		*id = (struct fcn_netns_id){.device = st.st_dev, .inode = st.st_ino};
	return rc;
}
