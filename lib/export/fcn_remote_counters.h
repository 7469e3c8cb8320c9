/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The counters of the sessions of remote consoles, in `show sessions`. lib/remote counts; the
 * metrics have them, too.
 */

#ifndef FCN_REMOTE_COUNTERS_H
#define FCN_REMOTE_COUNTERS_H

#include "fcn_counter.h"

/* The form of the list is described in fcn_counter.h. */
#define FCN_REMOTE_COUNTERS(X)                                                                   \
	X(accepted, "accepted", COUNTER, "sessions_accepted", "Sessions that were accepted")     \
	X(full, "full", COUNTER, "sessions_refused_full",                                        \
			"Connections refused, as there are as many sessions as there may be")    \
	X(share, "share", COUNTER, "sessions_refused_share",                                     \
			"Connections refused, as their user has a quarter of all sessions")      \
	X(idle, "idle", COUNTER, "sessions_ended_idle",                                          \
			"Sessions ended, as nothing was asked for the time of --session-idle")   \
	X(made_room, "made_room", COUNTER, "sessions_ended_for_root",                            \
			"Sessions ended, the one that was idle for longest first, as root came " \
			"and there was no other place")                                          \
	X(stalled, "stalled", COUNTER, "sessions_ended_stalled",                                 \
			"Sessions ended, as they did not read an answer or complete a line")     \
	X(denied, "denied", COUNTER, "session_lines_denied",                                     \
			"Lines refused, as the role of the session does not include the command")

/** Counters of a server. */
struct fcn_remote_counters {
	FCN_REMOTE_COUNTERS(FCN_COUNTER_MEMBER)
};

#endif /* FCN_REMOTE_COUNTERS_H */
