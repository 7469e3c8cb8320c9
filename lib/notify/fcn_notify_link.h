/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The share of a link that notices may use. Buckets of notices count messages; this limit counts
 * the octets that they take on the line, so that a strict class of long notices cannot fill a slow
 * link.
 *
 * It is a token bucket in the virtual scheduling form of GCRA (ITU-T I.371): a time per link, at
 * which the bucket is full. A notice may be sent as long as the bucket is not in debt, whatever the
 * length of the notice, which can bring it into debt by one notice.
 *
 * A worker has the times of all links for itself; nothing here takes a lock.
 */

#ifndef FCN_NOTIFY_LINK_H
#define FCN_NOTIFY_LINK_H

#include <stdbool.h>
#include <stdint.h>

#include <rte_common.h>

/** The cost of an octet is in units of 2^-16 ns, as an octet at 400 Gbit/s takes 0.02 ns. */
#define FCN_NOTIFY_LINK_SHIFT 16

/** Greatest cost of an octet: 0.27 s. */
#define FCN_NOTIFY_LINK_MAX_COST (UINT64_C(1) << 44)

/** Octets on the line besides the frame without FCS: preamble, FCS and inter-packet gap. */
#define FCN_NOTIFY_LINK_OVERHEAD 24

/** Octets of the shortest frame without FCS. */
#define FCN_NOTIFY_LINK_MIN_FRAME 60

/** The limit of one link, of one worker. */
struct fcn_notify_link {
	uint64_t cost;     /**< time of an octet, see FCN_NOTIFY_LINK_SHIFT; 0: there is no limit */
	uint64_t burst_ns; /**< time in which the empty bucket fills, in ns */
};

/** By which link a notice would leave, and what it gets in front. */
struct fcn_notify_way {
	uint16_t port; /**< port, below FCN_MAX_PORTS; FCN_NOTIFY_NO_LINK: none, or not known yet */
	uint16_t head; /**< octets in front of the IP header of the notice */
};

#define FCN_NOTIFY_NO_LINK UINT16_MAX

/** Check whether a notice may be sent. @param full time at which the bucket is full, in ns */
static inline bool
fcn_notify_link_has_room(const struct fcn_notify_link *link, uint64_t full, uint64_t now)
{
	return link->cost == 0 || full <= now + link->burst_ns;
}

/** Get the time in ns by which a notice moves the time at which the bucket is full. @param len
 * length of the frame without FCS */
static inline uint64_t
fcn_notify_link_time(const struct fcn_notify_link *link, uint32_t len)
{
	const uint64_t octets = RTE_MAX(len, (uint32_t)FCN_NOTIFY_LINK_MIN_FRAME) +
				FCN_NOTIFY_LINK_OVERHEAD;
	const uint64_t part = (UINT64_C(1) << FCN_NOTIFY_LINK_SHIFT) - 1;

	/* This is rounded up, since the share is a limit. */
	return (link->cost * octets + part) >> FCN_NOTIFY_LINK_SHIFT;
}

/**
 * Charge a notice.
 *
 * @param full time at which the bucket is full, in ns; it is moved
 * @param len  length of the frame without FCS
 */
static inline void
fcn_notify_link_charge(
		const struct fcn_notify_link *link, uint64_t *full, uint32_t len, uint64_t now)
{
	*full = RTE_MAX(*full, now) + fcn_notify_link_time(link, len);
}

#endif /* FCN_NOTIFY_LINK_H */
