/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * END.CON: the SID of an ingress PE that takes Fast CNPs of P nodes out of their tunnel, and routes
 * them to the senders in the data centre.
 */

#include "srv6.h"

#define IP6_SRC_OFF 8
#define AGE_NS 1000000 /* time after which times in the cache are aged again */

/* Take a token from the bucket of a P node. */
static bool
take_of_node(struct fcn_worker *w, const uint8_t source[16])
{
	const struct fcn_srv6_bucket *bucket = &w->snap->srv6.endcon_source;
	uint64_t words[2];

	if (bucket->cost_ns == 0)
		return true;
	if (w->now - w->srv6.nodes.aged_ns >= AGE_NS)
		fcn_limit_cache_age(
				&w->srv6.nodes, w->now, 0, bucket->cost_ns * (bucket->burst + 1));
	memcpy(words, source, sizeof(words));
	return fcn_limit_cache_bucket(&w->srv6.nodes,
			fcn_hash_pair(&w->hash_key, words[0], words[1]), w->now, bucket->cost_ns,
			bucket->burst);
}

/* Take a token from the bucket of all P nodes. */
static bool
take_of_all(struct fcn_worker *w)
{
	const struct fcn_srv6_bucket *bucket = &w->snap->srv6.endcon_total;
	uint64_t full = RTE_MAX(w->srv6.total_tat, w->now);

	if (bucket->cost_ns == 0)
		return true;
	if (full - w->now > (uint64_t)bucket->cost_ns * (bucket->burst - 1))
		return false;
	w->srv6.total_tat = full + bucket->cost_ns;
	return true;
}

/* Check a packet. @return drop reason; FCN_DROP_NONE: it is taken */
static enum fcn_drop_reason
check(struct fcn_srv6_packet *q, struct fcn_endcon *found)
{
	const struct fcn_snapshot *s = q->w->snap;
	const struct rte_mbuf *m = q->b->mbuf[q->i];
	enum fcn_endcon_error error;

	if (s->srv6.p_nodes == NULL ||
			fcn_prefix_list_lookup6(s->srv6.p_nodes, q->ip + IP6_SRC_OFF, 0) == 0)
		return FCN_DROP_ENDCON_ACCESS;
	/* No Fast CNP is longer than what was gathered of a chained packet. */
	error = fcn_endcon_check(&q->w->srv6.crc, s->srv6.icrc,
			rte_pktmbuf_mtod(m, const uint8_t *), m->data_len, &q->b->pkt[q->i].info,
			&s->codes, found);
	if (error != FCN_ENDCON_OK)
		return fcn_drop_of_endcon(error);
	if (!take_of_node(q->w, q->ip + IP6_SRC_OFF))
		return FCN_DROP_ENDCON_RATE;
	return take_of_all(q->w) ? FCN_DROP_NONE : FCN_DROP_ENDCON_TOTAL;
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
