/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The record of what sessions of remote consoles change: a line of the program's log for each
 * change and for each line that was refused as the session's role does not include it, with the
 * user, the role and the text. Of refused lines, and of what programs report that read routing
 * protocols, at most ten lines a second are written, and then the number of the others.
 */

#ifndef REMOTE_AUDIT_H
#define REMOTE_AUDIT_H

#include "fcn_remote.h"
#include "fcn_session.h"

/** Lines that are not written while there are too many. */
struct fcn_audit_limit {
	uint64_t second; /**< the second that `written` is of */
	unsigned int written;
	uint64_t left_out;
};

struct fcn_audit {
	struct fcn_audit_limit denied, reports;
};

/**
 * Record what became of a line.
 *
 * @param session the session that ran it, with its results
 * @param rc      what fcn_session_line() returned
 * @param now_s   the present time in seconds, of any clock that does not go back
 */
void fcn_audit(struct fcn_audit *audit, const struct fcn_remote_peer *peer,
		const struct fcn_session *session, const char *line, int rc, uint64_t now_s);

/** Write the numbers of lines that were left out, if their second is over. */
void fcn_audit_tick(struct fcn_audit *audit, uint64_t now_s);

#endif /* REMOTE_AUDIT_H */
