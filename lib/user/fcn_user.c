/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "fcn_user.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool
read_number(const char *text, uint32_t *number)
{
	char *end;
	unsigned long value = strtoul(text, &end, 10);

	*number = (uint32_t)value;
	return text[0] >= '0' && text[0] <= '9' && *end == '\0' && value < UINT32_MAX;
}

int
fcn_user_find(const char *text, struct fcn_user *user, char *err, size_t err_size)
{
	const char *colon = strchr(text, ':');
	const struct passwd *entry;
	const struct group *group;
	char name[256];

	*user = (struct fcn_user){.name = ""};
	snprintf(name, sizeof(name), "%.*s",
			colon != NULL ? (int)(colon - text) : (int)strlen(text), text);
	entry = getpwnam(name);
	if (entry == NULL && read_number(name, &user->uid))
		entry = getpwuid(user->uid);
	if (entry == NULL) {
		snprintf(err, err_size, "there is no user %s", name);
		return -ENOENT;
	}
	snprintf(user->name, sizeof(user->name), "%s", entry->pw_name);
	user->uid = entry->pw_uid;
	user->gid = entry->pw_gid;
	if (colon == NULL)
		return 0;
	group = getgrnam(colon + 1);
	if (group != NULL) {
		user->gid = group->gr_gid;
	} else if (!read_number(colon + 1, &user->gid)) {
		snprintf(err, err_size, "there is no group %s", colon + 1);
		return -ENOENT;
	}
	return 0;
}

int
fcn_user_keep(void)
{
	return prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) == 0 ? 0 : -errno;
}

int
fcn_user_become(const struct fcn_user *user, char *err, size_t err_size)
{
	uid_t real, effective, saved;
	int rc;

	if (getresuid(&real, &effective, &saved) == 0 && real == user->uid &&
			effective == user->uid && saved == user->uid)
		return 0;
	/* The library has all threads do each of these. */
	if (initgroups(user->name, user->gid) == 0 &&
			setresgid(user->gid, user->gid, user->gid) == 0 &&
			setresuid(user->uid, user->uid, user->uid) == 0)
		return 0;
	rc = -errno;
	snprintf(err, err_size, "%s%s", strerror(-rc),
			rc == -EPERM ? ": only root, or who has CAP_SETUID and CAP_SETGID, becomes "
				       "another user"
				     : "");
	return rc;
}

static int
read_sets(struct __user_cap_header_struct *header, struct __user_cap_data_struct sets[2])
{
	*header = (struct __user_cap_header_struct){.version = _LINUX_CAPABILITY_VERSION_3};
	return syscall(SYS_capget, header, sets) == 0 ? 0 : -errno;
}

/* Have programs that are started get the capabilities of the inheritable set. */
static int
pass_on(uint64_t capabilities)
{
	for (unsigned int c = 0; c < 64; c++) {
		if ((capabilities >> c & 1) != 0 &&
				prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, c, 0, 0) != 0)
			return -errno;
	}
	return 0;
}

int
fcn_user_limit(uint64_t keep, bool pass)
{
	struct __user_cap_header_struct header;
	struct __user_cap_data_struct sets[2];
	int rc = read_sets(&header, sets);

	if (rc != 0)
		return rc;
	for (unsigned int i = 0; i < 2; i++) {
		sets[i].permitted &= (uint32_t)(keep >> 32 * i);
		sets[i].effective = sets[i].permitted;
		sets[i].inheritable = pass ? sets[i].permitted : 0;
	}
	/* Those of the ambient set go with the inheritable ones. */
	if (syscall(SYS_capset, &header, sets) != 0)
		return -errno;
	rc = pass ? pass_on(sets[0].permitted | (uint64_t)sets[1].permitted << 32) : 0;
	if (rc != 0)
		return rc;
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 ? 0 : -errno;
}

uint64_t
fcn_user_capabilities(void)
{
	struct __user_cap_header_struct header;
	struct __user_cap_data_struct sets[2];

	if (read_sets(&header, sets) != 0)
		return 0;
	return sets[0].effective | (uint64_t)sets[1].effective << 32;
}
