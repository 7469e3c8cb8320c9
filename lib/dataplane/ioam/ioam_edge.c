/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <fcn_ioam_remove.h>

#include "fcn_stages.h"
#include "icrc_place.h"

/* Get the stricter one of the settings of the ingress and egress port of a packet. */
static enum fcn_ioam_edge
edge_of(const struct fcn_snapshot *s, const struct fcn_packet *p)
{
	enum fcn_ioam_edge in = s->port[p->in_port].ioam.edge;
	enum fcn_ioam_edge out = s->port[p->out_port].ioam.edge;

	return RTE_MAX(in, out);
}

/* Remove the IOAM options of a packet, or drop it if that is not possible (RFC 9486 section 4). */
static void
strip(struct fcn_worker *w, struct fcn_burst *b, unsigned int i)
{
	struct fcn_packet *p = &b->pkt[i];
	struct rte_mbuf *m = b->mbuf[i];
	uint8_t *icrc = p->info.flags & FCN_PKT_ROCE ? fcn_icrc_place(m, &p->info) : NULL;
	uint32_t removed = 0;
	enum fcn_ioam_remove_result r = FCN_IOAM_REMOVE_FAILED;

	if (!(p->info.flags & FCN_PKT_ROCE) || icrc != NULL)
		r = fcn_ioam_remove(rte_pktmbuf_mtod(m, uint8_t *), m->data_len, &p->info,
				w->snap->notify.common.icrc_mode, icrc, &removed);
	switch (r) {
	case FCN_IOAM_REMOVE_NONE:
		break;
	case FCN_IOAM_REMOVE_DONE:
		rte_pktmbuf_adj(m, removed);
		p->flags &= ~FCN_PACKET_IOAM;
		w->counters[p->in_port].ioam_stripped++;
		break;
	case FCN_IOAM_REMOVE_FAILED: /* options that cannot be removed must not cross the edge */
		fcn_drop(w, b, i, FCN_DROP_IOAM_EDGE);
		break;
	}
}

/*
 * Check whether a packet is a Fast CNP with option 2, which contains a trace, behind any header of
 * a tunnel or chain. A packet with UDP directly behind IPv6 is not such a packet; most packets are
 * like that.
 */
static bool
is_trace_notice(const struct fcn_worker *w, const struct rte_mbuf *m,
		const struct fcn_wire_info *info)
{
	const uint32_t len = RTE_MIN(m->pkt_len, (uint32_t)FCN_BORDER_MAX_HEADERS);
	uint8_t copy[FCN_BORDER_MAX_HEADERS];
	struct fcn_border_view view;

	if (likely((info->flags & (FCN_PKT_UDP | FCN_PKT_TUNNEL)) == FCN_PKT_UDP &&
			    info->l4_off == info->l3_off + sizeof(struct rte_ipv6_hdr)))
		return false;
	fcn_border_parse(rte_pktmbuf_read(m, 0, len, copy), len, m->pkt_len, &w->snap->border.codes,
			&view);
	return view.trace;
}

/*
 * Keep IOAM options from crossing the edge of their domain in either direction (RFC 9486 section
 * 4).
 */
void
fcn_stage_ioam_edge(struct fcn_worker *w, struct fcn_burst *b)
{
	if (likely(!w->snap->ioam.any_edge))
		return;
	for (unsigned int i = 0; i < b->n; i++) {
		struct fcn_packet *p = &b->pkt[i];
		struct rte_mbuf *m = b->mbuf[i];
		enum fcn_ioam_edge edge;

		if (m == NULL || p->out_port == FCN_PORT_NONE)
			continue;
		/* A notice made here has no trace if its route crosses an edge. */
		if (p->flags & FCN_PACKET_NOTICE)
			continue;
		edge = edge_of(w->snap, p);
		if (edge == FCN_IOAM_EDGE_OFF)
			continue;
		/*
		 * The notice of another switch is not rewritten, because its ICRC and checksum
		 * belong to that switch.
		 */
		if (is_trace_notice(w, m, &p->info)) {
			fcn_drop(w, b, i, FCN_DROP_IOAM_EDGE);
			continue;
		}
		if (!fcn_ioam_has_option(
				    rte_pktmbuf_mtod(m, const uint8_t *), m->data_len, &p->info))
			continue;
		if (edge == FCN_IOAM_EDGE_DROP)
			fcn_drop(w, b, i, FCN_DROP_IOAM_EDGE);
		else
			strip(w, b, i);
	}
}
