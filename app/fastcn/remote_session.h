/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Sessions of remote consoles with the live switch, and where its socket is.
 */

#ifndef FCN_REMOTE_SESSION_H
#define FCN_REMOTE_SESSION_H

#include "fcn_remote.h"
#include "fcn_session.h"

/** What the command line says of the socket. */
struct fcn_remote_options {
	const char *name; /**< of the switch; NULL: FCN_REMOTE_NAME */
	const char *path; /**< NULL: by the name */
	const char *mode; /**< permissions, octal; NULL: 0600 */
	bool off;
};

/**
 * Serve remote consoles.
 *
 * @param session what each line's session begins as; must outlive the remote
 * @param remote NULL when there is to be none
 * @return 0; -1: what is wrong was said on stderr
 */
int fcn_remote_session_open(const struct fcn_remote_options *options, struct fcn_session *session,
		struct fcn_remote **remote);

#endif /* FCN_REMOTE_SESSION_H */
