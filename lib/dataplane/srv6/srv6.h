/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * What the files of the local behaviour `srv6` and of the SRv6 headend share. Used by the stages
 * only.
 */

#ifndef SRV6_H
#define SRV6_H

#include "fcn_srv6_headers.h"
#include "fcn_stages.h"

/** A packet at a local SID. */
struct fcn_srv6_packet {
	struct fcn_worker *w;
	struct fcn_burst *b;
	unsigned int i; /**< index of the packet in the burst */
	const struct fcn_srv6_sid *sid;
	uint8_t *ip;  /**< outer IPv6 header, in the first segment of the mbuf */
	uint32_t len; /**< bytes of the packet in the first segment, from `ip` on */
	struct fcn_srv6_headers h;
};

/** Most bytes of a chained packet that are gathered in its first segment. */
#define FCN_SRV6_GATHER 1024

/** Check whether nobody else can see or change the bytes of a segment. */
static inline bool
fcn_mbuf_is_private(const struct rte_mbuf *m)
{
	return RTE_MBUF_DIRECT(m) && rte_mbuf_refcnt_read(m) == 1;
}

/**
 * Gather the first bytes of packet i, which may be chained or share its bytes, in one buffer that
 * no other packet shares. b->mbuf[i] may change.
 *
 * @return false when there is no buffer; the packet is unchanged
 */
bool fcn_srv6_gather(struct fcn_worker *w, struct fcn_burst *b, unsigned int i);

/**
 * Refuse a packet: the host functions send an ICMPv6 error if there is one for the reason, and it
 * is dropped.
 *
 * @param why drop reason
 */
enum fcn_local_result fcn_srv6_refuse(const struct fcn_srv6_packet *q, enum fcn_srv6_error error,
		enum fcn_drop_reason why);

/**
 * Combine the ECN fields of the inner packet, at q->h.upper_off, and of the outer one (RFC 6040
 * section 4.2), cut off everything in front of the inner packet, and write an Ethernet header with
 * its EtherType.
 *
 * @return false when the combination requires that the packet is dropped, and it was
 */
bool fcn_srv6_decapsulate(const struct fcn_srv6_packet *q);

/** Tell whether an address, 16 bytes, is in the list of P nodes whose Fast CNPs END.CON takes. */
static inline bool
fcn_endcon_is_p_node(const struct fcn_snapshot *s, const uint8_t *address)
{
	return s->srv6.p_nodes != NULL && fcn_prefix_list_lookup6(s->srv6.p_nodes, address, 0) != 0;
}

/**
 * Find what the Fast CNPs of a P node have in common.
 *
 * @param address of the node, 16 bytes
 * @return NULL: it is not in the access list
 */
const struct fcn_endcon_known *fcn_endcon_know(struct fcn_worker *w, const uint8_t *address);

/** Deliver a packet to END.CON (draft-hu-rtgwg-rocev2-fcn section 4.2.2). */
enum fcn_local_result fcn_srv6_endcon(struct fcn_srv6_packet *q);

#endif /* SRV6_H */
