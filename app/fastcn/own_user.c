/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "own_user.h"

#include <dirent.h>
#include <mntent.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <rte_eal.h>

/* A capability that is kept, and why. */
struct kept {
	uint64_t capability;
	const char *name, *why;
};

#define MOST_KEPT 4

/* Choose what is kept. @return its number */
static unsigned int
choose(const struct fcn_control *ctl, struct kept kept[MOST_KEPT])
{
	unsigned int n = 0;

	kept[n++] = (struct kept){FCN_USER_CAP(CAP_NET_ADMIN), "CAP_NET_ADMIN",
			"interfaces of the kernel are set up with it"};
	kept[n++] = (struct kept){FCN_USER_CAP(CAP_NET_RAW), "CAP_NET_RAW",
			"packet sockets are opened with it"};
	if (fcn_control_config(ctl)->kernel.netns[0] != '\0')
		kept[n++] = (struct kept){FCN_USER_CAP(CAP_SYS_ADMIN), "CAP_SYS_ADMIN",
				"it enters the namespace of set kernel namespace"};
	else if (rte_eal_has_hugepages() && rte_eal_iova_mode() == RTE_IOVA_PA)
		kept[n++] = (struct kept){FCN_USER_CAP(CAP_SYS_ADMIN), "CAP_SYS_ADMIN",
				"it reads physical addresses of memory, as there is no IOMMU"};
	return n;
}

/* What a thread does, and what came of it. */
struct limiting {
	uint64_t keep;
	int rc;
};

static void
keep(void *arg)
{
	((struct limiting *)arg)->rc |= fcn_user_keep();
}

static void
limit(void *arg)
{
	struct limiting *l = arg;

	l->rc |= fcn_user_limit(l->keep, true);
}

/* ---- what the user cannot do ---- */

static bool
may_write(const char *path)
{
	return access(path, R_OK | W_OK) == 0;
}

static void
tell_hugepages(const struct fcn_user *user)
{
	const char *last = NULL;
	struct mntent *m;
	FILE *mounts = rte_eal_has_hugepages() ? setmntent("/proc/self/mounts", "re") : NULL;
	char at[256];

	while (mounts != NULL && (m = getmntent(mounts)) != NULL) {
		if (strcmp(m->mnt_type, "hugetlbfs") != 0)
			continue;
		snprintf(at, sizeof(at), "%s", m->mnt_dir);
		last = at;
		if (access(at, W_OK | X_OK) == 0) {
			last = NULL;
			break;
		}
	}
	if (mounts != NULL)
		endmntent(mounts);
	if (last != NULL)
		fprintf(stderr,
				"fastcn: user %s takes no more hugepages than EAL has now, as %s "
				"is "
				"not theirs (mount it with uid=%u)\n",
				user->name, last, user->uid);
}

/* A device of VFIO that is closed can be opened again by those only to whom its file belongs. */
static void
tell_vfio(const struct fcn_user *user)
{
	DIR *dir = opendir("/dev/vfio");
	const struct dirent *entry;
	char path[300];

	while (dir != NULL && (entry = readdir(dir)) != NULL) {
		snprintf(path, sizeof(path), "/dev/vfio/%s", entry->d_name);
		if (entry->d_name[0] != '.' && !may_write(path))
			fprintf(stderr,
					"fastcn: user %s cannot open %s: what is open stays, and "
					"is "
					"not opened again after it was closed\n",
					user->name, path);
	}
	if (dir != NULL)
		closedir(dir);
}

static void
tell(const struct fcn_user *user, const struct fcn_session_files *files)
{
	static const char *const uses[FCN_SESSION_DIRECTORIES] = {
			[FCN_SESSION_CONFIG] = "save", [FCN_SESSION_OUTPUT] = "capture"};

	tell_hugepages(user);
	tell_vfio(user);
	if (!may_write("/dev/net/tun"))
		fprintf(stderr,
				"fastcn: user %s cannot open /dev/net/tun: no further net_tap and "
				"no further interfaces of set port kernel\n",
				user->name);
	for (unsigned int i = 0; i < FCN_SESSION_DIRECTORIES; i++) {
		const char *directory = files->directory[i];

		if (directory != NULL && access(directory, W_OK | X_OK) != 0)
			fprintf(stderr,
					"fastcn: user %s writes no files in %s, so `%s` does not "
					"there\n",
					user->name, directory, uses[i]);
	}
}

int
own_user_become(const struct fcn_user *user, struct fcn_control *ctl,
		const struct fcn_session_files *files)
{
	struct kept kept[MOST_KEPT];
	const unsigned int n = choose(ctl, kept);
	struct limiting l = {.keep = 0};
	char err[256];

	for (unsigned int i = 0; i < n; i++)
		l.keep |= kept[i].capability;
	keep(&l);
	fcn_control_aside(ctl, keep, &l);
	if (fcn_user_become(user, err, sizeof(err)) != 0) {
		fprintf(stderr, "fastcn: --user %s: %s\n", user->name, err);
		return -1;
	}
	limit(&l);
	fcn_control_aside(ctl, limit, &l);
	if (l.rc != 0) {
		fprintf(stderr, "fastcn: --user %s: capabilities cannot be given up\n", user->name);
		return -1;
	}
	fprintf(stderr, "fastcn: runs as user %s (%u) from now on\n", user->name, user->uid);
	for (unsigned int i = 0; i < n; i++) {
		if ((fcn_user_capabilities() & kept[i].capability) != 0)
			fprintf(stderr, "fastcn: keeps %s: %s\n", kept[i].name, kept[i].why);
	}
	tell(user, files);
	return 0;
}
