/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * END.CON: the SID of an ingress PE that takes Fast CNPs of P nodes out of their tunnel, and routes
 * them to the senders in the data centre.
 */

#include "srv6.h"

#define IP6_SRC_OFF 8

static bool
is_p_node(const struct fcn_snapshot *s, const uint8_t *address)
{
	return s->srv6.p_nodes != NULL && fcn_prefix_list_lookup6(s->srv6.p_nodes, address, 0) != 0;
}

/* Check a packet. @return drop reason; FCN_DROP_NONE: it is taken */
static enum fcn_drop_reason
check(struct fcn_srv6_packet *q, struct fcn_endcon *found)
{
	const struct fcn_snapshot *s = q->w->snap;
	const struct rte_mbuf *m = q->b->mbuf[q->i];
	enum fcn_endcon_error error;

	if (!is_p_node(s, q->ip + IP6_SRC_OFF))
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
	if (!is_p_node(s, found->notice.cnp.src))
		return FCN_DROP_ENDCON_SOURCE;
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

enum fcn_local_result
fcn_srv6_endcon(struct fcn_srv6_packet *q)
{
	struct fcn_endcon found = {.srv6 = FCN_SRV6_OK};
	enum fcn_drop_reason why = check(q, &found);

	q->h = found.headers;
	if (why != FCN_DROP_NONE)
		return fcn_srv6_refuse(q, found.srv6, why);
	if (!fcn_srv6_decapsulate(q))
		return FCN_LOCAL_CONSUMED;
	q->w->srv6.endcon.taken++;
	q->b->pkt[q->i].table = (uint8_t)q->sid->table;
	return FCN_LOCAL_ROUTE;
}
