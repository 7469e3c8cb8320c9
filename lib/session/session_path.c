/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Names of files in the commands of a restricted session. A name is resolved before it is used,
 * with all its symbolic links, and what it leads to has to be below a directory. Only the owner of
 * that directory can change what is in it between the check and the use, so the directory must not
 * be writable for those who are restricted to it.
 */

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "fcn_command.h"
#include "session_private.h"

/* Resolving a name, which another thread does, as file systems may be slow. */
struct resolving {
	const char *directory, *name;
	char *path; /* the resolved name, allocated; on success */
	int rc;     /* 0; -EPERM: outside of the directory; -ENOENT: there is no such directory */
};

static bool
is_below(const char *path, const char *directory)
{
	size_t len = strlen(directory);

	if (len == 1) /* the root directory */
		return true;
	return strncmp(path, directory, len) == 0 && path[len] == '/';
}

/* Resolve the directory that a file is in, which may be `base` itself. @return NULL: it is outside
 */
static char *
resolve_parent(const char *full, const char *base)
{
	char text[PATH_MAX], *parent, *slash;

	snprintf(text, sizeof(text), "%s", full);
	slash = strrchr(text, '/');
	slash[slash == text ? 1 : 0] = '\0';
	parent = realpath(text, NULL);
	if (parent != NULL && strcmp(parent, base) != 0 && !is_below(parent, base)) {
		free(parent);
		parent = NULL;
	}
	return parent;
}

/* What a path in a permitted directory leads to, if it is a symbolic link. @return allocated; NULL:
 * something outside, or nothing */
static char *
follow(const char *path, const char *base)
{
	struct stat st;
	char *target;

	if (lstat(path, &st) != 0 || !S_ISLNK(st.st_mode))
		return strdup(path);
	target = realpath(path, NULL);
	if (target != NULL && !is_below(target, base)) {
		free(target);
		target = NULL;
	}
	return target;
}

static int
resolve_in(struct resolving *r, const char *base)
{
	char full[PATH_MAX], path[PATH_MAX], *parent;
	const char *leaf;
	int n = r->name[0] == '/' ? snprintf(full, sizeof(full), "%s", r->name)
				  : snprintf(full, sizeof(full), "%s/%s", base, r->name);

	if (n < 0 || n >= (int)sizeof(full))
		return -EPERM;
	leaf = strrchr(full, '/') + 1;
	if (leaf[0] == '\0' || strcmp(leaf, ".") == 0 || strcmp(leaf, "..") == 0)
		return -EPERM;
	parent = resolve_parent(full, base);
	if (parent == NULL)
		return -EPERM;
	n = snprintf(path, sizeof(path), "%s/%s", strcmp(parent, "/") == 0 ? "" : parent, leaf);
	free(parent);
	if (n < 0 || n >= (int)sizeof(path))
		return -EPERM;
	r->path = follow(path, base);
	return r->path != NULL ? 0 : -EPERM;
}

/* Runs on the helper thread. */
static void
resolve(void *arg)
{
	struct resolving *r = arg;
	char *base = realpath(r->directory, NULL);

	r->rc = base != NULL ? resolve_in(r, base) : -ENOENT;
	free(base);
}

int
fcn_session_path(struct fcn_session *session, const struct fcn_args *args,
		enum fcn_session_directory which, char **path)
{
	return fcn_session_path_of(session, args, fcn_args_str(args, "file"), which, path);
}

int
fcn_session_path_of(struct fcn_session *session, const struct fcn_args *args, const char *name,
		enum fcn_session_directory which, char **path)
{
	struct resolving r = {.name = name};

	*path = NULL;
	if (session->files == NULL) {
		*path = strdup(r.name);
		return *path != NULL ? 0 : fcn_command_error(args, -ENOMEM, NULL, "out of memory");
	}
	r.directory = session->files->directory[which];
	if (r.directory == NULL)
		return fcn_command_error(args, -EPERM, "file",
				"this session may write no such files, as fastcn was started "
				"without --output-dir");
	fcn_control_aside(session->ctl, resolve, &r);
	*path = r.path;
	if (r.rc == -ENOENT)
		return fcn_command_error(args, -EPERM, "file",
				"this session may use files in %s only, and there is no such "
				"directory",
				r.directory);
	return r.rc == 0 ? 0
			 : fcn_command_error(args, r.rc, "file",
					   "%s: this session may use files in %s only", r.name,
					   r.directory);
}

int
fcn_session_device(struct fcn_session *session, const struct fcn_args *args)
{
	const char *device = fcn_args_str(args, "device");

	if (session->files == NULL || device == NULL || strpbrk(device, ",=/") == NULL)
		return 0;
	return fcn_command_error(args, -EPERM, "device",
			"this session may add devices without arguments only, as arguments can "
			"name files: make the device by an option of fastcn (--vdev), or load a "
			"file of %s",
			session->files->directory[FCN_SESSION_CONFIG]);
}
