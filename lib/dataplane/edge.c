/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <fcn_ioam_edge.h>

#include "fcn_stages.h"

/* The stricter of the two ports a packet crosses the domain's edge by. */
static enum fcn_ioam_edge
edge_of(const struct fcn_snapshot *s, const struct fcn_packet *p)
{
	enum fcn_ioam_edge in = s->port[p->in_port].ioam.edge;
	enum fcn_ioam_edge out = s->port[p->out_port].ioam.edge;

	return RTE_MAX(in, out);
}

/* The last four bytes of a packet; NULL when they do not lie in one piece. */
static uint8_t *
last_word(struct rte_mbuf *m)
{
	struct rte_mbuf *last = rte_pktmbuf_lastseg(m);

	if (last->data_len < FCN_ICRC_LEN)
		return NULL;
	return rte_pktmbuf_mtod_offset(last, uint8_t *, last->data_len - FCN_ICRC_LEN);
}

static void
strip(struct fcn_worker *w, struct fcn_burst *b, unsigned int i)
{
	struct fcn_packet *p = &b->pkt[i];
	struct rte_mbuf *m = b->mbuf[i];
	uint8_t *icrc = p->info.flags & FCN_PKT_ROCE ? last_word(m) : NULL;
	uint32_t removed = 0;
	enum fcn_ioam_edge_result r = FCN_IOAM_EDGE_STUCK;

	/* Octets behind the IP packet: a bridged frame keeps its Ethernet padding. */
	if (icrc != NULL && m->pkt_len > (uint32_t)p->info.l3_off + p->info.ip_len)
		icrc = m->nb_segs == 1 ? rte_pktmbuf_mtod_offset(m, uint8_t *,
							 p->info.l3_off + p->info.ip_len -
									 FCN_ICRC_LEN)
				       : NULL;
	if (!(p->info.flags & FCN_PKT_ROCE) || icrc != NULL)
		r = fcn_ioam_edge_strip(rte_pktmbuf_mtod(m, uint8_t *), m->data_len, &p->info,
				w->snap->notify.fastcnp.conf.icrc_mode, icrc, &removed);
	switch (r) {
	case FCN_IOAM_EDGE_NONE:
		break;
	case FCN_IOAM_EDGE_STRIPPED:
		rte_pktmbuf_adj(m, removed);
		p->flags &= ~FCN_PACKET_IOAM;
		w->counters[p->in_port].ioam_stripped++;
		break;
	case FCN_IOAM_EDGE_STUCK: /* what cannot be taken out must not cross */
		fcn_drop(w, b, i, FCN_DROP_IOAM_EDGE);
		break;
	}
}

/* IOAM ends at the edge of its domain (RFC 9486 section 4), whichever way a packet crosses it. */
void
fcn_stage_edge(struct fcn_worker *w, struct fcn_burst *b)
{
	if (likely(!w->snap->ioam.any_edge))
		return;
	for (unsigned int i = 0; i < b->n; i++) {
		const struct fcn_packet *p = &b->pkt[i];
		enum fcn_ioam_edge edge;

		if (b->mbuf[i] == NULL || p->flags & FCN_PACKET_NOTICE ||
				p->out_port == FCN_PORT_NONE)
			continue;
		edge = edge_of(w->snap, p);
		if (edge == FCN_IOAM_EDGE_OFF ||
				!fcn_ioam_edge_has_option(
						rte_pktmbuf_mtod(b->mbuf[i], const uint8_t *),
						b->mbuf[i]->data_len, &p->info))
			continue;
		if (edge == FCN_IOAM_EDGE_DROP)
			fcn_drop(w, b, i, FCN_DROP_IOAM_EDGE);
		else
			strip(w, b, i);
	}
}
