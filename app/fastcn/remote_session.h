/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Remote consoles of the live switch: the sockets, and a session for each line.
 */

#ifndef FCN_REMOTE_SESSION_H
#define FCN_REMOTE_SESSION_H

#include <limits.h>

#include <jansson.h>

#include "fcn_remote.h"
#include "fcn_remote_frame.h"
#include "fcn_session.h"
#include "remote_audit.h"
#include "remote_options.h"

/** Who may do what through the sockets. */
struct fcn_remote_access {
	const struct fcn_session *session;
	struct fcn_session_files files;
	char of_config[PATH_MAX]; /**< directory of the configuration file */
	bool everybody; /**< the restriction also holds for root and the switch's own user */
	struct fcn_remote_places places;
	struct fcn_audit audit;
	const struct fcn_remote *remote;
};

/**
 * Get the path of the first socket with the role full that the options name.
 *
 * @return 0, or -1 after a message on stderr: there is none
 */
int fcn_remote_session_path(
		const struct fcn_remote_options *options, char path[FCN_REMOTE_PATH_SIZE]);

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

/** Get the value of `show sessions`. @param access a struct fcn_remote_access @return a new
 * reference, or NULL on lack of memory */
json_t *fcn_remote_session_show(void *access);

#endif /* FCN_REMOTE_SESSION_H */
