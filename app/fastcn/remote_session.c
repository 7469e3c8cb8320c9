/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <grp.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fcn_remote_frame.h"
#include "remote_session.h"

#define MODE 0600
#define MODE_WITH_GROUP 0660
#define CONFIG_DIR "/etc/fastcn"

/* Root and the switch's own user can read and write whatever the switch can. */
static bool
is_restricted(const struct fcn_remote_access *access, uid_t user)
{
	return access->everybody || (user != 0 && user != geteuid());
}

static int
run(void *arg, const char *line, FILE *out, uid_t user, bool *last)
{
	const struct fcn_remote_access *access = arg;
	struct fcn_session session = *access->session;
	int rc;

	session.files = is_restricted(access, user) ? &access->files : NULL;
	session.out = out;
	session.ended = false;
	rc = fcn_session_line(&session, line, -1);
	*last = session.ended;
	return rc;
}

static int
parse_mode(const char *text, mode_t *mode)
{
	char *end;
	unsigned long value = strtoul(text, &end, 8);

	if (text[0] < '0' || text[0] > '7' || *end != '\0' || value > 0777) {
		fprintf(stderr,
				"fastcn: --socket-mode %s: the value must be an octal number "
				"up to 777\n",
				text);
		return -1;
	}
	*mode = (mode_t)value;
	return 0;
}

/* @return 0; -1 after a message */
static int
parse_group(const char *text, gid_t *gid)
{
	const struct group *group = getgrnam(text);
	char *end;
	unsigned long value = strtoul(text, &end, 10);
	bool is_number = text[0] >= '0' && text[0] <= '9' && *end == '\0' && value < UINT32_MAX;

	if (group == NULL && !is_number) {
		fprintf(stderr, "fastcn: --socket-group %s: there is no such group\n", text);
		return -1;
	}
	*gid = group != NULL ? group->gr_gid : (gid_t)value;
	return 0;
}

static int
check_directory(const char *option, const char *path)
{
	struct stat st;

	if (path == NULL || (stat(path, &st) == 0 && S_ISDIR(st.st_mode)))
		return 0;
	fprintf(stderr, "fastcn: %s %s: there is no such directory\n", option, path);
	return -1;
}

static int
set_access(struct fcn_remote_access *access, const struct fcn_remote_options *options)
{
	const char **directory = access->files.directory;

	if (check_directory("--config-dir", options->config_dir) != 0 ||
			check_directory("--output-dir", options->output_dir) != 0)
		return -1;
	snprintf(access->of_config, sizeof(access->of_config), "%s",
			options->config != NULL ? options->config : CONFIG_DIR "/fastcn.conf");
	directory[FCN_SESSION_CONFIG] = options->config_dir != NULL ? options->config_dir
								    : dirname(access->of_config);
	directory[FCN_SESSION_OUTPUT] = options->output_dir != NULL ? options->output_dir
								    : directory[FCN_SESSION_CONFIG];
	access->everybody = options->config_dir != NULL || options->output_dir != NULL;
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
	if (rc != 0) {
		fprintf(stderr, "fastcn: --name %s: not a valid name for a socket\n", name);
		return -1;
	}
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

int
fcn_remote_session_open(const struct fcn_remote_options *options, struct fcn_remote_access *access,
		const struct fcn_session *session, struct fcn_remote **remote)
{
	const struct fcn_remote_conf conf = {.run = run, .arg = access};
	char path[FCN_REMOTE_PATH_SIZE], err[256];
	const char *at = options->path;
	mode_t mode = options->group != NULL ? MODE_WITH_GROUP : MODE;
	gid_t group = (gid_t)-1;
	int rc = 0;

	*remote = NULL;
	access->session = session;
	if (set_access(access, options) != 0)
		return -1;
	if (options->group != NULL && parse_group(options->group, &group) != 0)
		return -1;
	if (options->mode != NULL && parse_mode(options->mode, &mode) != 0)
		return -1;
	if (options->off)
		return 0;
	if (at == NULL) {
		rc = default_path(options->name != NULL ? options->name : FCN_REMOTE_NAME, path);
		at = path;
	}
	if (rc != 0)
		return rc < 0 ? -1 : 0;
	*remote = fcn_remote_create(&conf);
	if (*remote == NULL) {
		fprintf(stderr, "fastcn: no memory for the socket\n");
		return -1;
	}
	if (fcn_remote_listen(*remote, at, mode, group, err, sizeof(err)) != 0) {
		fprintf(stderr, "fastcn: %s\n", err);
		fcn_remote_free(*remote);
		*remote = NULL;
		return -1;
	}
	return 0;
}
