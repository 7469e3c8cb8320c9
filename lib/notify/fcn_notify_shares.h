/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The parts of ingress ports in a token bucket, so that a port that asks for all of it does not
 * take what is for others. Half of the burst is divided into equal parts for those ports that have
 * asked for tokens lately, and each part fills at an equal part of the rate. The other half, and
 * what a port does not use of its part, is for whoever comes.
 *
 * A worker has all of this for itself; nothing here takes a lock.
 */

#ifndef FCN_NOTIFY_SHARES_H
#define FCN_NOTIFY_SHARES_H

#include <stdbool.h>
#include <stdint.h>

#include <rte_branch_prediction.h>
#include <rte_common.h>

#include "fcn_notify_link.h"

/** Parts of a bucket. Which one an ingress port has is in struct fcn_notice_common. */
#define FCN_NOTIFY_SHARES 16

/** Time for which a port counts as one of those among which a bucket is shared, or the time in
 * which an empty bucket fills, if that is longer. */
#define FCN_NOTIFY_SHARE_NS 1000000

/** The parts of a bucket. */
struct fcn_notify_shares {
	uint64_t since;                  /**< when the present interval began */
	uint16_t wanted;                 /**< bit set of the parts that were asked for in it */
	uint16_t before;                 /**< the same of the interval before */
	uint64_t tat[FCN_NOTIFY_SHARES]; /**< by part: when it is full */
};

/**
 * Note that the port of a part asks for tokens.
 *
 * @param i      number of the part
 * @param lately time for which it counts
 * @return number of parts whose ports have asked for some lately, this one included
 */
static inline uint32_t
fcn_notify_shares_want(struct fcn_notify_shares *s, unsigned int i, uint64_t lately, uint64_t now)
{
	if (now - s->since >= lately) {
		s->before = now - s->since < 2 * lately ? s->wanted : 0;
		s->wanted = 0;
		s->since = now;
	}
	s->wanted |= 1u << i;
	return (uint32_t)__builtin_popcount((unsigned int)s->wanted | s->before);
}

/** Bring the times at which parts are full forward. @param most the latest */
static inline void
fcn_notify_shares_limit(struct fcn_notify_shares *s, uint64_t most)
{
	for (unsigned int i = 0; i < FCN_NOTIFY_SHARES; i++)
		s->tat[i] = RTE_MIN(s->tat[i], most);
}

/** The bucket of a link, see struct fcn_notify_link, and its parts. */
struct fcn_notify_link_shares {
	uint64_t full; /**< time at which it is full, in ns */
	struct fcn_notify_shares part;
};

/**
 * Take the octets of a frame from the bucket of a link, if it is not in debt. A port for which
 * nothing is left of its own part gets none of the last half, in which there is also a part for a
 * port that has not asked for any yet.
 *
 * @param i   number of the part of the ingress port of the packet that asks for them
 * @param len length of the frame without FCS
 * @return whether it was taken
 */
static inline bool
fcn_notify_link_take(const struct fcn_notify_link *link, struct fcn_notify_link_shares *s,
		unsigned int i, uint32_t len, uint64_t now)
{
	const uint64_t half = now + link->burst_ns / 2;
	uint64_t time, before, *tat = &s->part.tat[i];
	uint32_t n;

	if (link->cost == 0)
		return true;
	n = fcn_notify_shares_want(
			&s->part, i, RTE_MAX((uint64_t)FCN_NOTIFY_SHARE_NS, link->burst_ns), now);
	if (s->full > now + link->burst_ns || (s->full > half && *tat > half))
		return false;
	time = fcn_notify_link_time(link, len);
	/* What a port has in addition to its part does not bring that into debt. */
	before = RTE_MAX(*tat, now);
	*tat = RTE_MIN(before, half) + time * (n + 1);
	s->full = RTE_MAX(s->full, now) + time;
	return true;
}

/** Adapt the bucket to another rate, at which it may take longer to fill than it could. */
static inline void
fcn_notify_link_shares_limit(
		struct fcn_notify_link_shares *s, const struct fcn_notify_link *link, uint64_t now)
{
	const uint64_t most = now + link->burst_ns;

	s->full = RTE_MIN(s->full, most);
	fcn_notify_shares_limit(&s->part, most);
}

#endif /* FCN_NOTIFY_SHARES_H */
