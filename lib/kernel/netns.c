/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "netns.h"

int
fcn_netns_enter(const char *name)
{
	char path[64];
	int home, there, rc;

	if (name[0] == '\0')
		return FCN_NETNS_STAYED;
	snprintf(path, sizeof(path), "/run/netns/%s", name);
	home = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
	there = open(path, O_RDONLY | O_CLOEXEC);
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
