/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Remote consoles of the live switch: the options of its socket, and a session for each line.
 */

#ifndef FCN_REMOTE_SESSION_H
#define FCN_REMOTE_SESSION_H

#include "fcn_remote.h"
#include "fcn_session.h"

/** Options of the command line for the socket. */
struct fcn_remote_options {
	const char *name; /**< name of the switch; NULL: FCN_REMOTE_NAME */
	const char *path; /**< NULL: derived from the name */
	const char *mode; /**< permissions as an octal number; NULL: 0600 */
	bool off;
};

/**
 * Start to serve remote consoles.
 *
 * @param session is copied for each line that is run; must outlive the server
 * @param remote  is set to the server, or to NULL when the options turn it off
 * @return 0, or -1 after a message on stderr
 */
int fcn_remote_session_open(const struct fcn_remote_options *options, struct fcn_session *session,
		struct fcn_remote **remote);

#endif /* FCN_REMOTE_SESSION_H */
