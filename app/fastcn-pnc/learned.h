/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The proxies and END.CON SIDs that were learned, and what the switch has to be told of them.
 * Readers of routing protocols add and remove prefixes; the connection to the switch takes lines,
 * each of which adds or removes one, and reports the answers. The switch forgets them after a
 * lifetime, so it is
 * told again in time. What it has refused it is told again after LEARNED_RETRY_NS, and after twice
 * the time whenever it refuses that again, up to LEARNED_RETRY_LONGEST_NS or half of the lifetime.
 * After a new connection it is told everything again.
 */

#ifndef PNC_LEARNED_H
#define PNC_LEARNED_H

#include "fcn_pnc.h"

#define LEARNED_WINDOW 256 /**< maximum number of lines that are not answered yet */
#define LEARNED_LINE 192   /**< size of a line, terminator included */
#define LEARNED_LONGEST_NS UINT64_C(86400000000000) /**< longest lifetime, a day */
#define LEARNED_RETRY_NS UINT64_C(1000000000)       /**< time until a refused line is said again */
#define LEARNED_RETRY_LEVELS 7                      /**< how often that time can double, and once */
/** Longest time until a refused line is said again, 64 s. */
#define LEARNED_RETRY_LONGEST_NS (LEARNED_RETRY_NS << (LEARNED_RETRY_LEVELS - 1))
#define LEARNED_RETRIES                                                                        \
	256               /**< maximum number of refused lines that are said again in a second \
			   */
#define LEARNED_ACCEPT 64 /**< maximum number of prefixes to which learning is restricted */

/* X(member, text) */
#define LEARNED_COUNTERS(X)                                                                 \
	X(not_accepted, "proxies and SIDs that were not learned, as no --accept contains "  \
			"their prefix, or no --endcon-accept the SID")                      \
	X(told_add, "lines to the switch that add a proxy or SID for the first time or "    \
		    "change it")                                                            \
	X(told_refresh, "lines to the switch that repeat what it knows")                    \
	X(told_remove, "lines to the switch that remove a proxy or SID")                    \
	X(told_retry, "lines to the switch that say again what it has refused")             \
	X(refused, "lines that add a proxy or SID and that the switch has refused")         \
	X(remove_unknown, "lines that remove a proxy or SID that the switch does not know") \
	X(memory, "proxies and SIDs that were not learned, as memory is used up")

struct learned_counters {
#define LEARNED_MEMBER(member, text) uint64_t member;
	LEARNED_COUNTERS(LEARNED_MEMBER)
#undef LEARNED_MEMBER
};

/** What learning is restricted to: prefixes within one of these, or all if there is none. */
struct learned_accept {
	unsigned int n;
	struct fcn_prefix prefix[LEARNED_ACCEPT];
};

struct learned_conf {
	/** after which the switch forgets what was learned from BGP; it is told all at half of it
	 */
	uint64_t lifetime_ns;
	uint64_t secret;                                  /**< for the hash of prefixes */
	struct learned_accept accept[FCN_PNC_KIND_COUNT]; /**< by enum fcn_pnc_kind */
};

struct learned;

/** @return NULL on lack of memory */
struct learned *learned_create(const struct learned_conf *conf);
void learned_destroy(struct learned *learned);

/** Get the sink for readers. */
struct fcn_pnc_sink learned_sink(struct learned *learned);

/**
 * Take the next line for the switch, without its end.
 *
 * @param line LEARNED_LINE bytes
 * @return false if there is none to be sent now, or LEARNED_WINDOW are not answered yet
 */
bool learned_next(struct learned *learned, uint64_t now_ns, char *line);

/**
 * Note the switch's answer to the first line that has none yet.
 *
 * @return whether the line added a proxy or SID
 */
bool learned_answered(struct learned *learned, bool is_ok);

/** The switch has to be told everything again: its connection is a new one. */
void learned_again(struct learned *learned);

/** Get the time when learned_next() has a line; 0: now; UINT64_MAX: not before a change. */
uint64_t learned_due(const struct learned *learned);

/** Number of what was learned of a kind from a protocol, and of lines that wait to be sent. */
uint32_t learned_count(const struct learned *learned, enum fcn_pnc_kind kind,
		enum fcn_pnc_protocol protocol);
uint32_t learned_pending(const struct learned *learned);
/** Number of proxies and SIDs that the switch has refused, and that it will be told again. */
uint32_t learned_refused(const struct learned *learned);
const struct learned_counters *learned_counters(const struct learned *learned);

#endif /* PNC_LEARNED_H */
