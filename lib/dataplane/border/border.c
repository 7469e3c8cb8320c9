/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Filter at the border of the domain, in both directions (draft-xiao-rtgwg-rocev2-fast-cnp section
 * 5).
 */

#include "fcn_stages.h"

enum {
	FROM_OUTSIDE,
	TO_OUTSIDE,
};

static bool
is_listed(const struct fcn_prefix_list *list, const uint8_t *data, uint8_t version, uint16_t off)
{
	if (list == NULL)
		return false;
	return (version == 6 ? fcn_prefix_list_lookup6(list, data + off, 0)
			     : fcn_prefix_list_lookup4(list, fcn_load_be32(data + off), 0)) ==
	       FCN_BORDER_LISTED;
}

/*
 * Look for segment identifiers of the domain (RFC 8754 section 5.1): in both headers of a tunnel,
 * and in the segments of an SRH that are still to be visited.
 */
static uint32_t
find_sids(const struct fcn_prefix_list *sids, const uint8_t *data,
		const struct fcn_border_view *view)
{
	uint32_t found = 0;

	if (likely(sids == NULL))
		return 0;
	for (unsigned int i = 0; i < view->n_ip; i++) {
		const struct fcn_border_ip *ip = &view->ip[i];

		if (is_listed(sids, data, ip->version, ip->dst))
			found |= 1u << FCN_BORDER_SID_DESTINATION;
		if (is_listed(sids, data, ip->version, ip->src))
			found |= 1u << FCN_BORDER_SID_SOURCE;
	}
	for (unsigned int i = 0; i < view->n_srh; i++) {
		for (unsigned int k = 0; k < view->srh[i].n; k++) {
			if (is_listed(sids, data, 6, view->srh[i].off + 16 * k))
				found |= 1u << FCN_BORDER_SID_DESTINATION;
		}
	}
	return found;
}

/*
 * Get the reasons for which a packet may not cross the border at a port, as a bit set of 1 <<
 * FCN_BORDER_*.
 */
static uint32_t
reasons_to_refuse(const struct fcn_snapshot *s, const struct rte_mbuf *m, uint16_t port,
		unsigned int direction)
{
	const struct fcn_border_conf *conf = &s->border;
	const uint32_t len = RTE_MIN(m->pkt_len, (uint32_t)FCN_BORDER_MAX_HEADERS);
	uint8_t copy[FCN_BORDER_MAX_HEADERS];
	/* A chained mbuf is made contiguous. */
	const uint8_t *data = rte_pktmbuf_read(m, 0, len, copy);
	struct fcn_border_view view;
	uint32_t found;

	fcn_border_parse(data, len, m->pkt_len, &conf->codes, &view);
	found = view.found | find_sids(conf->sids, data, &view);
	/*
	 * A border is also an edge of the IOAM domain. If the edge removes IOAM options, the stage
	 * ioam_edge does so.
	 */
	if (view.ioam_outer && s->port[port].ioam.edge != FCN_IOAM_EDGE_STRIP)
		found |= 1u << FCN_BORDER_IOAM;
	if (found >> FCN_BORDER_CNP & 1) {
		const struct fcn_border_ip *ip = &view.ip[view.cnp];

		if (conf->cnp == FCN_BORDER_PASS ||
				is_listed(conf->peers, data, ip->version,
						direction == FROM_OUTSIDE ? ip->src : ip->dst))
			found &= ~(1u << FCN_BORDER_CNP);
	}
	return found;
}

/*
 * Drop a packet that may not cross the border at a port. If there are several reasons, the first in
 * the list FCN_BORDER_KINDS counts.
 */
static void
check_crossing(struct fcn_worker *w, struct fcn_burst *b, unsigned int i, uint16_t port,
		unsigned int direction)
{
	uint32_t found = reasons_to_refuse(w->snap, b->mbuf[i], port, direction);
	unsigned int kind;

	if (likely(found == 0))
		return;
	kind = __builtin_ctz(found);
	w->counters[port].border[direction][kind]++;
	fcn_drop(w, b, i, fcn_drop_of_border(kind));
}

static inline bool
is_border(const struct fcn_worker *w, uint16_t port)
{
	return port < FCN_MAX_PORTS && fcn_port_set_has(&w->snap->border.ports, port);
}

void
fcn_stage_border_in(struct fcn_worker *w, struct fcn_burst *b)
{
	for (unsigned int i = 0; i < b->n; i++) {
		const struct fcn_packet *p = &b->pkt[i];

		if (b->mbuf[i] == NULL || !is_border(w, p->in_port))
			continue;
		/* A malformed IP header has a drop reason of its own, as in the other stages. */
		if (fcn_wire_error_is_fatal(p->info.error))
			fcn_drop(w, b, i, fcn_drop_of_wire_error(p->info.error));
		else
			check_crossing(w, b, i, p->in_port, FROM_OUTSIDE);
	}
}

void
fcn_stage_border_out(struct fcn_worker *w, struct fcn_burst *b)
{
	if (likely(fcn_port_set_is_empty(&w->snap->border.ports)))
		return;
	for (unsigned int i = 0; i < b->n; i++) {
		if (b->mbuf[i] != NULL && is_border(w, b->pkt[i].out_port))
			check_crossing(w, b, i, b->pkt[i].out_port, TO_OUTSIDE);
	}
}
