/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "remote_session.h"

#include <errno.h>
#include <grp.h>
#include <libgen.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <bsd/string.h>

#include "fcn_json_text.h"
#include "fcn_reported.h"
#include "fcn_show.h"

#define CONFIG_DIR "/etc/fastcn"
#define GROUPS 256 /* groups of a user that are looked at */

/* Root and the switch's own user can read and write whatever the switch can. */
static bool
is_restricted(const struct fcn_remote_access *access, uid_t user)
{
	return access->everybody || !fcn_remote_is_own(user);
}

static int
run(void *arg, const char *line, FILE *out, struct fcn_remote_peer *peer, bool *last)
{
	struct fcn_remote_access *access = arg;
	struct fcn_session session = *access->session;
	struct timespec now;
	char uid[16];
	int rc;

	snprintf(uid, sizeof(uid), "%d", (int)peer->user);
	session.user = peer->name[0] != '\0' ? peer->name : uid;
	session.follow = NULL;
	session.files = is_restricted(access, peer->user) ? &access->files : NULL;
	session.privileged = peer->user == 0 || peer->user == geteuid();
	session.out = out;
	session.role = peer->role;
	session.settles = true;
	/* Loading the configuration has set some of these. */
	session.ended = session.acts = session.reports = session.refused = false;
	rc = fcn_session_line(&session, line, -1);
	peer->unsettled = fcn_reported_is_unsettled(session.ctl);
	peer->denied += session.refused;
	clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
	fcn_audit(&access->audit, peer, &session, line, rc, (uint64_t)now.tv_sec);
	*last = session.ended;
	return rc;
}

static void
settle(void *arg)
{
	const struct fcn_remote_access *access = arg;

	fcn_reported_settle(access->session->ctl);
}

/* ---- users and their roles ---- */

/* Looking for the name of a user, which another thread does, as it may ask a server. */
struct lookup {
	uid_t user;
	char *name;
};

static void
look_up(void *arg)
{
	const struct lookup *l = arg;
	struct passwd entry, *found = NULL;
	char buf[4096];

	if (getpwuid_r(l->user, &entry, buf, sizeof(buf), &found) == 0 && found != NULL)
		strlcpy(l->name, found->pw_name, FCN_REMOTE_USER_SIZE);
}

static bool
is_member(gid_t group, const struct fcn_remote_peer *peer, const gid_t *groups, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (groups[i] == group)
			return true;
	}
	return group == peer->group;
}

/* Find the role of a user by the groups of the process that connected. @return that of the socket
 * if no group is named, or if it is the lesser one */
static enum fcn_role
role_by_group(const struct fcn_remote_places *places, const struct fcn_remote_peer *peer, int fd,
		enum fcn_role of_socket)
{
	gid_t groups[GROUPS];
	socklen_t len = sizeof(groups);
	size_t n = 0;

	if (places->n_groups > 0 && getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, groups, &len) == 0)
		n = len / sizeof(groups[0]);
	for (unsigned int i = 0; i < places->n_groups; i++) {
		const struct fcn_remote_group_role *g = &places->group[i];

		if (is_member(g->group, peer, groups, n))
			return fcn_role_includes(of_socket, g->role) ? g->role : of_socket;
	}
	return of_socket;
}

static void
connected(void *arg, struct fcn_remote_peer *peer, int fd)
{
	const struct fcn_remote_access *access = arg;
	const struct fcn_remote_places *places = &access->places;
	struct lookup l = {peer->user, peer->name};

	peer->role = places->place[peer->socket].role;
	if (!fcn_remote_is_own(peer->user))
		peer->role = role_by_group(places, peer, fd, peer->role);
	fcn_control_aside(access->session->ctl, look_up, &l);
}

/* ---- directories ---- */

/* Get the name of a directory without links and "..". @return 0; -1 after a message */
static int
resolve(const char *option, const char *path, char resolved[PATH_MAX])
{
	struct stat st;

	if (realpath(path, resolved) != NULL && stat(resolved, &st) == 0 && S_ISDIR(st.st_mode))
		return 0;
	fprintf(stderr, "fastcn: %s %s: there is no such directory\n", option, path);
	return -1;
}

static bool
contains(const char *directory, const char *path)
{
	const size_t len = strlen(directory);

	return strncmp(directory, path, len) == 0 &&
	       (len == 1 || path[len] == '\0' || path[len] == '/');
}

/*
 * Refuse a directory for captures that has the configuration in it: a capture could replace that,
 * which the next start reads.
 */
static int
check_output(const char *output, const char *path, const char *config_dir)
{
	char config[PATH_MAX];

	if (realpath(config_dir, config) == NULL || !contains(output, config))
		return 0;
	fprintf(stderr,
			"fastcn: --output-dir %s: %s %s, and captures could replace the "
			"configuration: give another directory\n",
			path,
			strcmp(output, config) == 0 ? "it is the directory of the configuration,"
						    : "it contains the directory of the "
						      "configuration,",
			config);
	return -1;
}

static int
set_access(struct fcn_remote_access *access, const struct fcn_remote_options *options)
{
	const char **directory = access->files.directory, *of_config;
	char path[PATH_MAX];

	strlcpy(access->of_config,
			options->config != NULL ? options->config : CONFIG_DIR "/fastcn.conf",
			sizeof(access->of_config));
	of_config = dirname(access->of_config);
	if (options->config_dir != NULL && resolve("--config-dir", options->config_dir, path) != 0)
		return -1;
	directory[FCN_SESSION_CONFIG] = options->config_dir != NULL ? options->config_dir
								    : of_config;
	if (options->output_dir != NULL &&
			(resolve("--output-dir", options->output_dir, path) != 0 ||
					check_output(path, options->output_dir, of_config) != 0 ||
					check_output(path, options->output_dir,
							directory[FCN_SESSION_CONFIG]) != 0))
		return -1;
	directory[FCN_SESSION_OUTPUT] = options->output_dir;
	access->everybody = options->config_dir != NULL || options->output_dir != NULL;
	return 0;
}

/* ---- the server ---- */

static int
listen_at_all(struct fcn_remote *remote, const struct fcn_remote_places *places)
{
	char err[256];

	for (unsigned int i = 0; i < places->n_places; i++) {
		const struct fcn_remote_place *p = &places->place[i];

		if (fcn_remote_listen(remote, p->path, p->mode, p->group, err, sizeof(err)) != 0) {
			fprintf(stderr, "fastcn: %s\n", err);
			return -1;
		}
	}
	return 0;
}

int
fcn_remote_session_path(const struct fcn_remote_options *options, char path[FCN_REMOTE_PATH_SIZE])
{
	struct fcn_remote_places places;

	if (fcn_remote_options_read(options, &places) != 0)
		return -1;
	for (unsigned int i = 0; i < places.n_places; i++) {
		if (places.place[i].role == FCN_ROLE_FULL) {
			strlcpy(path, places.place[i].path, FCN_REMOTE_PATH_SIZE);
			return 0;
		}
	}
	fprintf(stderr, "fastcn: a socket of the switch with the role full is needed\n");
	return -1;
}

int
fcn_remote_session_open(const struct fcn_remote_options *options, struct fcn_remote_access *access,
		const struct fcn_session *session, struct fcn_remote **remote)
{
	struct fcn_remote_conf conf = {
			.run = run, .settle = settle, .connected = connected, .arg = access};

	*remote = NULL;
	access->session = session;
	if (set_access(access, options) != 0 ||
			fcn_remote_options_read(options, &access->places) != 0)
		return -1;
	if (access->places.n_places == 0)
		return 0;
	conf.idle_ms = access->places.idle_ms;
	*remote = fcn_remote_create(&conf);
	if (*remote == NULL) {
		fprintf(stderr, "fastcn: no memory for the socket\n");
		return -1;
	}
	if (listen_at_all(*remote, &access->places) != 0) {
		fcn_remote_free(*remote);
		*remote = NULL;
		return -1;
	}
	access->remote = *remote;
	return 0;
}

/* ---- show ---- */

static json_t *
show_sockets(const struct fcn_remote_access *access)
{
	json_t *list = json_array();

	for (unsigned int i = 0; i < access->places.n_places; i++) {
		const struct fcn_remote_place *p = &access->places.place[i];
		char mode[8];
		json_t *o = json_object();

		snprintf(mode, sizeof(mode), "%04o", p->mode);
		json_object_set_new(o, "socket", fcn_json_text(p->path));
		json_object_set_new(o, "role", json_string(fcn_role_name(p->role)));
		json_object_set_new(o, "mode", json_string(mode));
		json_object_set_new(o, "group",
				p->group != (gid_t)-1 ? json_integer(p->group) : json_null());
		json_array_append_new(list, o);
	}
	return list;
}

static json_t *
show_session(const struct fcn_remote *remote, unsigned int i)
{
	struct fcn_remote_session s;
	const char *path;
	json_t *o = json_object();

	fcn_remote_session(remote, i, &s);
	path = fcn_remote_socket_path(remote, s.peer->socket);
	fcn_show_set(o, "session", s.peer->number);
	json_object_set_new(o, "user",
			s.peer->name[0] != '\0' ? fcn_json_text(s.peer->name) : json_null());
	json_object_set_new(o, "uid",
			s.peer->user != (uid_t)-1 ? json_integer(s.peer->user) : json_null());
	json_object_set_new(o, "role", json_string(fcn_role_name(s.peer->role)));
	json_object_set_new(o, "socket", path != NULL ? fcn_json_text(path) : json_null());
	fcn_show_set(o, "age_s", s.age_ms / 1000);
	fcn_show_set(o, "idle_s", s.idle_ms / 1000);
	fcn_show_set(o, "lines", s.lines);
	fcn_show_set(o, "denied", s.peer->denied);
	return o;
}

json_t *
fcn_remote_session_show(void *arg)
{
	const struct fcn_remote_access *access = arg;
	json_t *o = json_object(), *list = json_array(), *counters = json_object();

	fcn_show_set(o, "most", fcn_remote_most(access->remote));
	fcn_show_set(o, "idle_timeout_s", access->places.idle_ms / 1000);
	json_object_set_new(o, "sockets", show_sockets(access));
	for (unsigned int i = 0; i < fcn_remote_clients(access->remote); i++)
		json_array_append_new(list, show_session(access->remote, i));
	json_object_set_new(o, "sessions", list);
	FCN_SHOW_COUNTERS(counters, fcn_remote_counters(access->remote), FCN_REMOTE_COUNTERS);
	json_object_set_new(o, "counters", counters);
	return o;
}
