/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "remote_options.h"

#include <errno.h>
#include <grp.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <bsd/string.h>

#define MODE 0600
#define MODE_WITH_GROUP 0660
#define IDLE_S 900
#define IDLE_MOST_S (7 * 86400)

/* Report what is wrong with an option. @return -1 */
static int
wrong(const char *option, const char *arg, const char *what)
{
	fprintf(stderr, "fastcn: %s %s: %s\n", option, arg, what);
	return -1;
}

int
fcn_remote_options_socket(struct fcn_remote_options *options, const char *arg)
{
	if (options->n_sockets == FCN_REMOTE_SOCKETS)
		return wrong("--socket", arg, "there are eight sockets already");
	options->socket[options->n_sockets++] = arg;
	return 0;
}

int
fcn_remote_options_group_role(struct fcn_remote_options *options, const char *arg)
{
	if (options->n_group_roles == REMOTE_GROUP_ROLES)
		return wrong("--group-role", arg, "there are 16 groups already");
	options->group_role[options->n_group_roles++] = arg;
	return 0;
}

static bool
read_mode(const char *text, mode_t *mode)
{
	char *end;
	unsigned long value = strtoul(text, &end, 8);

	if (text[0] < '0' || text[0] > '7' || *end != '\0' || value > 0777)
		return false;
	*mode = (mode_t)value;
	return true;
}

static bool
read_group(const char *text, gid_t *gid)
{
	const struct group *group = getgrnam(text);
	char *end;
	unsigned long value = strtoul(text, &end, 10);
	bool is_number = text[0] >= '0' && text[0] <= '9' && *end == '\0' && value < UINT32_MAX;

	if (group == NULL && !is_number)
		return false;
	*gid = group != NULL ? group->gr_gid : (gid_t)value;
	return true;
}

static const char no_mode[] = "the value must be an octal number up to 777";
static const char no_group[] = "there is no such group";
static const char no_role[] = "a role is full, operate, learned or read";

/* Read what follows the path of a socket. @return NULL, or what is wrong */
static const char *
read_property(char *text, struct fcn_remote_place *place, bool *has_mode)
{
	char *value = strchr(text, '=');

	if (value == NULL)
		return "behind the path there may be ,role=ROLE ,group=GROUP and ,mode=MODE";
	*value++ = '\0';
	if (strcmp(text, "role") == 0)
		return fcn_role_find(value, &place->role) ? NULL : no_role;
	if (strcmp(text, "group") == 0)
		return read_group(value, &place->group) ? NULL : no_group;
	if (strcmp(text, "mode") == 0) {
		*has_mode = true;
		return read_mode(value, &place->mode) ? NULL : no_mode;
	}
	return "behind the path there may be ,role=ROLE ,group=GROUP and ,mode=MODE";
}

/* Read a socket. What it does not say itself is in `place` already. */
static int
read_socket(const char *arg, struct fcn_remote_place *place, bool has_mode)
{
	char *copy = strdup(arg), *rest = copy, *word;
	const char *what = copy == NULL ? strerror(ENOMEM) : NULL;

	word = copy != NULL ? strsep(&rest, ",") : NULL;
	if (word != NULL && (word[0] == '\0' || strlcpy(place->path, word, sizeof(place->path)) >=
								sizeof(place->path)))
		what = "a path has 1 to 107 bytes";
	while (what == NULL && (word = strsep(&rest, ",")) != NULL)
		what = read_property(word, place, &has_mode);
	free(copy);
	if (what != NULL)
		return wrong("--socket", arg, what);
	if (!has_mode && place->group != (gid_t)-1)
		place->mode = MODE_WITH_GROUP;
	return 0;
}

/* The path of the socket without the option --socket. Its directory is created. @return 0; 1: there
 * is no such path */
static int
default_path(const char *name, char path[FCN_REMOTE_PATH_SIZE])
{
	char dir[FCN_REMOTE_PATH_SIZE];
	int rc = fcn_remote_path(name, path);

	if (rc == -ENOENT) {
		fprintf(stderr, "fastcn: no socket for fastcnctl: XDG_RUNTIME_DIR is not set "
				"(give a path by --socket PATH)\n");
		return 1;
	}
	if (rc != 0)
		return wrong("--name", name, "not a valid name for a socket");
	snprintf(dir, sizeof(dir), "%s", path);
	if (mkdir(dirname(dir), 0755) != 0 && errno != EEXIST) {
		fprintf(stderr,
				"fastcn: no socket for fastcnctl: %s: %s (give another path by "
				"--socket PATH)\n",
				dir, strerror(errno));
		return 1;
	}
	return 0;
}

static int
read_group_role(const char *arg, struct fcn_remote_group_role *to)
{
	const char *value = strrchr(arg, '=');
	char group[256];

	if (value == NULL || value == arg || value - arg >= (ptrdiff_t)sizeof(group))
		return wrong("--group-role", arg, "the argument must be GROUP=ROLE");
	snprintf(group, sizeof(group), "%.*s", (int)(value - arg), arg);
	if (!read_group(group, &to->group))
		return wrong("--group-role", arg, no_group);
	if (!fcn_role_find(value + 1, &to->role))
		return wrong("--group-role", arg, no_role);
	return 0;
}

static int
read_idle(const char *arg, uint64_t *idle_ms)
{
	char *end;
	unsigned long value = strtoul(arg, &end, 10);

	if (arg[0] < '0' || arg[0] > '9' || *end != '\0' || value > IDLE_MOST_S)
		return wrong("--session-idle", arg,
				"the value must be 0 (never) to 604800 seconds");
	*idle_ms = value * UINT64_C(1000);
	return 0;
}

/* Read the sockets. @param usual what a socket has that does not say otherwise */
static int
read_sockets(const struct fcn_remote_options *options, const struct fcn_remote_place *usual,
		struct fcn_remote_places *to)
{
	bool has_full = false;
	int rc;

	for (unsigned int i = 0; i < options->n_sockets; i++) {
		struct fcn_remote_place *place = &to->place[to->n_places++];

		*place = *usual;
		if (read_socket(options->socket[i], place, options->mode != NULL) != 0)
			return -1;
		has_full |= place->role == FCN_ROLE_FULL;
	}
	if (has_full)
		return 0;
	if (to->n_places == FCN_REMOTE_SOCKETS)
		return wrong("--socket", options->socket[0],
				"eight sockets leave no room for the default one: give one of "
				"them the role full");
	to->place[to->n_places] = *usual;
	rc = default_path(options->name != NULL ? options->name : FCN_REMOTE_NAME,
			to->place[to->n_places].path);
	to->n_places += rc == 0;
	return rc < 0 ? -1 : 0;
}

int
fcn_remote_options_read(const struct fcn_remote_options *options, struct fcn_remote_places *places)
{
	struct fcn_remote_place usual = {.mode = MODE, .group = (gid_t)-1};

	*places = (struct fcn_remote_places){.idle_ms = IDLE_S * UINT64_C(1000)};
	if (options->group != NULL && !read_group(options->group, &usual.group))
		return wrong("--socket-group", options->group, no_group);
	if (options->group != NULL)
		usual.mode = MODE_WITH_GROUP;
	if (options->mode != NULL && !read_mode(options->mode, &usual.mode))
		return wrong("--socket-mode", options->mode, no_mode);
	if (options->idle != NULL && read_idle(options->idle, &places->idle_ms) != 0)
		return -1;
	for (unsigned int i = 0; i < options->n_group_roles; i++) {
		if (read_group_role(options->group_role[i], &places->group[i]) != 0)
			return -1;
		places->n_groups++;
	}
	if (options->off && options->n_sockets > 0)
		return wrong("--socket", options->socket[0], "--no-socket is given, too");
	return options->off ? 0 : read_sockets(options, &usual, places);
}
