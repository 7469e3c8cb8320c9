/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * What may be forwarded, and what a received packet is before its route is
 * known: to be forwarded, for the switch itself, or to be dropped; for the
 * stages alone.
 */

#ifndef FCN_ROUTE_CHECK_H
#define FCN_ROUTE_CHECK_H

#include "fcn_local.h"
#include "fcn_snapshot.h"
#include "fcn_stages.h"

/** What the check says of a packet. */
struct fcn_route_verdict {
	uint8_t drop;  /**< enum fcn_drop_reason, FCN_DROP_NONE: it may be forwarded. Of a local
			  packet, the reason if nobody wants it */
	uint8_t local; /**< enum fcn_local */
	bool is_local; /**< it is for the switch: to be delivered */
};

/** Check a packet received on a routed port. */
struct fcn_route_verdict fcn_route_check(
		const struct fcn_snapshot *s, const struct fcn_packet *p, const uint8_t *data);

/**
 * Check a packet whose frame is addressed to a group, or is neither IPv6 nor IPv4: whether the
 * switch is one of those it is for. It is never forwarded.
 */
struct fcn_route_verdict fcn_route_check_group(
		const struct fcn_snapshot *s, const struct fcn_packet *p, const uint8_t *data);

/**
 * Check the IP header alone: its defects, and its addresses (RFC 4291 sections 2.5 and 2.7, RFC
 * 1812 section 5.3.7).
 *
 * @return FCN_DROP_NONE: it may be forwarded
 */
enum fcn_drop_reason fcn_route_check_ip(const struct fcn_wire_info *info, const uint8_t *data);

/** Have packet i delivered by the local stage. @param unwanted reason of its drop if nobody wants
 * it */
static inline void
fcn_local_mark(struct fcn_burst *b, unsigned int i, uint8_t behaviour,
		enum fcn_drop_reason unwanted)
{
	struct fcn_packet *p = &b->pkt[i];

	p->flags |= FCN_PACKET_LOCAL;
	p->local = behaviour;
	p->unwanted = unwanted;
	b->n_local++;
}

/** A packet that is not to be forwarded: it is for the switch, or it is dropped. */
static inline void
fcn_route_stop(struct fcn_worker *w, struct fcn_burst *b, unsigned int i,
		struct fcn_route_verdict verdict)
{
	if (verdict.is_local)
		fcn_local_mark(b, i, verdict.local, verdict.drop);
	else
		fcn_drop(w, b, i, verdict.drop);
}

#endif /* FCN_ROUTE_CHECK_H */
