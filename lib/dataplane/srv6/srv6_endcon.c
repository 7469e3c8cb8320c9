/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * END.CON: the SID of an ingress PE that takes Fast CNPs of P nodes out of their tunnel, and routes
 * them to the senders in the data centre.
 */

#include "srv6.h"

#define IP6_SRC_OFF 8

/* Check a packet. @return drop reason; FCN_DROP_NONE: it is taken */
static enum fcn_drop_reason
check(struct fcn_srv6_packet *q, struct fcn_endcon *found)
{
	const struct fcn_snapshot *s = q->w->snap;
	const struct rte_mbuf *m = q->b->mbuf[q->i];
	enum fcn_endcon_error error;

	if (!fcn_endcon_is_p_node(s, q->ip + IP6_SRC_OFF))
		return FCN_DROP_ENDCON_ACCESS;
	/*
	 * No Fast CNP is longer than what was gathered of a chained packet. No specification says
	 * how its extension header enters the ICRC, so P nodes of others may read that differently.
	 */
	error = fcn_endcon_check(&q->w->srv6.crc, FCN_ICRC_ANY,
			rte_pktmbuf_mtod(m, const uint8_t *), m->data_len, &q->b->pkt[q->i].info,
			&s->codes, found);
	if (error != FCN_ENDCON_OK)
		return fcn_drop_of_endcon(error);
	if (!fcn_endcon_is_p_node(s, found->notice.cnp.src))
		return FCN_DROP_ENDCON_SOURCE;
	/* The limits of what the switch sends are enough for what it sends itself. */
	if (q->b->pkt[q->i].flags & FCN_PACKET_NOTICE)
		return FCN_DROP_NONE;
	switch (fcn_source_limit_take(&q->w->srv6.nodes, &q->w->hash_key, q->ip + IP6_SRC_OFF,
			&s->srv6.endcon, s->port[q->b->pkt[q->i].in_port].parent, q->w->now)) {
	case FCN_SOURCE_TAKEN:
		break;
	case FCN_SOURCE_OVER_RATE:
		return FCN_DROP_ENDCON_RATE;
	case FCN_SOURCE_OVER_TOTAL:
		return FCN_DROP_ENDCON_TOTAL;
	}
	return FCN_DROP_NONE;
}

/*
 * How often a P node is told that its Fast CNPs are refused, and all that send to END.CON together:
 * it learns from one message for as long as `set host capability` says.
 */
static const struct fcn_source_limits told = {
		.each = {.port = {{.cost_ns = 100000000, .burst = 4}}},
		.all = {.port = {{.cost_ns = 10000000, .burst = 64}}},
};

/*
 * Find out whether the node that has sent a packet is to be told that it is refused, and where in
 * the packet the header is that is not processed, for the message (RFC 8986 section 4.1.1: the
 * configuration does not permit it). A lack of tokens passes, so nobody is told of it.
 */
static enum fcn_srv6_error
tell(struct fcn_srv6_packet *q, enum fcn_drop_reason why)
{
	if (why == FCN_DROP_ENDCON_RATE || why == FCN_DROP_ENDCON_TOTAL)
		return FCN_SRV6_OK;
	if (fcn_srv6_headers_find(q->ip, q->len, &q->h) != FCN_SRV6_OK || q->h.upper_off == 0)
		return FCN_SRV6_OK;
	if (fcn_source_limit_take(&q->w->srv6.told, &q->w->hash_key, q->ip + IP6_SRC_OFF, &told, 0,
			    q->w->now) != FCN_SOURCE_TAKEN)
		return FCN_SRV6_OK;
	q->h.pointer = q->h.upper_off;
	return FCN_SRV6_UPPER_LAYER;
}

/* Refuse a packet, and tell its source at times. */
static enum fcn_local_result
refuse(struct fcn_srv6_packet *q, enum fcn_drop_reason why)
{
	const enum fcn_srv6_error error = tell(q, why);
	struct fcn_icmp6_error icmp;

	if (!fcn_srv6_icmp_error(error, q->h.pointer, &icmp))
		return fcn_srv6_refuse(q, FCN_SRV6_OK, why);
	q->w->srv6.sid[q->sid->slot].refused++;
	if (fcn_punt_endcon(q->w, q->b, q->i, &icmp, why) != FCN_PUNTED)
		fcn_drop(q->w, q->b, q->i, why);
	return FCN_LOCAL_CONSUMED;
}

enum fcn_local_result
fcn_srv6_endcon(struct fcn_srv6_packet *q)
{
	struct fcn_endcon found = {.srv6 = FCN_SRV6_OK};
	enum fcn_drop_reason why = check(q, &found);

	q->h = found.headers;
	if (found.srv6 != FCN_SRV6_OK)
		return fcn_srv6_refuse(q, found.srv6, why);
	if (why != FCN_DROP_NONE)
		return refuse(q, why);
	if (!fcn_srv6_decapsulate(q))
		return FCN_LOCAL_CONSUMED;
	q->w->srv6.endcon.taken++;
	q->b->pkt[q->i].table = (uint8_t)q->sid->table;
	return FCN_LOCAL_ROUTE;
}

const struct fcn_endcon_known *
fcn_endcon_know(struct fcn_worker *w, const uint8_t *address)
{
	const uint64_t hash = fcn_source_limit_hash(&w->hash_key, address);
	struct fcn_endcon_nodes *nodes = &w->srv6.known;
	struct fcn_endcon_known *known = &nodes->entry[hash >> 32 & (FCN_ENDCON_NODES - 1)];

	if (unlikely(nodes->generation != w->snap->generation)) {
		memset(nodes, 0, sizeof(*nodes));
		nodes->generation = w->snap->generation;
	}
	if (likely(known->used && fcn_endcon_node_is(&known->node, address)))
		return known;
	if (!fcn_endcon_is_p_node(w->snap, address))
		return NULL;
	fcn_endcon_node_init(&w->srv6.crc, w->snap->srv6.icrc, address, &known->node);
	known->hash = hash;
	known->used = true;
	return known;
}
