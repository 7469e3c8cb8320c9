/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Remote consoles of the live switch: the options of its socket, and a session for each line.
 */

#ifndef FCN_REMOTE_SESSION_H
#define FCN_REMOTE_SESSION_H

#include <limits.h>

#include "fcn_remote.h"
#include "fcn_session.h"

/** Options of the command line for the socket. */
struct fcn_remote_options {
	const char *name;  /**< name of the switch; NULL: FCN_REMOTE_NAME */
	const char *path;  /**< NULL: derived from the name */
	const char *mode;  /**< permissions as an octal number; NULL: 0600, or 0660 with a group */
	const char *group; /**< name or number of the group of the socket; NULL: none */
	const char *config_dir; /**< directory for `load` and `save`; NULL: derived from `config` */
	const char *output_dir; /**< directory for captures and the event log; NULL: config_dir */
	const char *config;     /**< the configuration file; NULL: none */
	bool off;
};

/** Who may use which files through the socket. */
struct fcn_remote_access {
	const struct fcn_session *session;
	struct fcn_session_files files;
	char of_config[PATH_MAX]; /**< directory of the configuration file */
	bool everybody; /**< the restriction also holds for root and the switch's own user */
};

/**
 * Start to serve remote consoles.
 *
 * @param access  is filled in; must outlive the server
 * @param session is copied for each line that is run; must outlive the server
 * @param remote  is set to the server, or to NULL when the options turn it off
 * @return 0, or -1 after a message on stderr
 */
int fcn_remote_session_open(const struct fcn_remote_options *options,
		struct fcn_remote_access *access, const struct fcn_session *session,
		struct fcn_remote **remote);

#endif /* FCN_REMOTE_SESSION_H */
