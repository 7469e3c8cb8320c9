/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Packets for the switch itself: each is delivered to its behaviour, and routed again if the
 * behaviour requests it.
 */

#include "fcn_local.h"
#include "fast_route.h"
#include "route_check.h"
#include "route_find.h"
#include "fcn_source_check.h"
#include "fcn_stages.h"

const struct fcn_local_behaviour fcn_local_behaviours[] = {FCN_LOCAL_BEHAVIOURS(FCN_LOCAL_ENTRY)};

const char *
fcn_local_text(unsigned int behaviour)
{
	return behaviour < FCN_LOCAL_COUNT ? fcn_local_behaviours[behaviour].text : "unknown";
}

/*
 * Parse and check a packet again that a behaviour has changed. A packet for this link only cannot
 * come out of another packet, so it is not delivered from here.
 *
 * @return false when it was dropped because it may not be routed
 */
static bool
prepare(struct fcn_worker *w, struct fcn_burst *b, unsigned int i)
{
	struct fcn_packet *p = &b->pkt[i];
	const struct rte_mbuf *m = b->mbuf[i];
	const uint8_t *data = rte_pktmbuf_mtod(m, const uint8_t *);
	enum fcn_drop_reason why;

	if (p->flags & FCN_PACKET_BRIDGED) { /* the interface of a bridge does not route */
		fcn_drop(w, b, i, FCN_DROP_BRIDGE_INTERFACE);
		return false;
	}
	fcn_parse_slow(data, m->data_len, m->pkt_len, &w->snap->codes, &p->info);
	p->flags &= ~(FCN_PACKET_LOCAL | FCN_PACKET_CHECKED | FCN_PACKET_IOAM);
	p->flags |= FCN_PACKET_REROUTE;
	if (w->snap->port[p->in_port].ioam.transit && fcn_has_trace(&p->info))
		p->flags |= FCN_PACKET_IOAM;
	why = fcn_route_check_ip(&p->info, data);
	/* Notices and packets of the host functions pass through tunnels to the switch, too. */
	if (why == FCN_DROP_NONE && !(p->flags & (FCN_PACKET_NOTICE | FCN_PACKET_OWN)) &&
			unlikely(fcn_source_is_own_in(
					w->snap, fcn_route_table(w->snap, p), &p->info, data)) &&
			!fcn_source_may_return(w->snap, p))
		why = FCN_DROP_OWN_SOURCE;
	if (why != FCN_DROP_NONE)
		fcn_drop(w, b, i, why);
	return why == FCN_DROP_NONE;
}

/* Indexes of packets of a burst that are to be sent on. */
struct onward {
	unsigned int n_route, n_forward;
	uint16_t route[FCN_BURST_MAX];   /* to be looked up again */
	uint16_t forward[FCN_BURST_MAX]; /* to the next hop that is set */
};

/* Deliver the packets of a burst that are for the switch. */
static void
deliver(struct fcn_worker *w, struct fcn_burst *b, struct onward *to)
{
	for (unsigned int i = 0; i < b->n; i++) {
		const struct fcn_packet *p = &b->pkt[i];
		enum fcn_local_result result;

		if (b->mbuf[i] == NULL || !(p->flags & FCN_PACKET_LOCAL))
			continue;
		result = w->local[p->local].deliver(w, b, i);
		if (result == FCN_LOCAL_CONSUMED || !prepare(w, b, i))
			continue;
		if (result == FCN_LOCAL_ROUTE)
			to->route[to->n_route++] = i;
		else
			to->forward[to->n_forward++] = i;
	}
}

/* Drop the packets that are for the switch once more after the maximum number of deliveries. */
static void
drop_local(struct fcn_worker *w, struct fcn_burst *b)
{
	for (unsigned int i = 0; i < b->n; i++) {
		if (b->mbuf[i] != NULL && b->pkt[i].flags & FCN_PACKET_LOCAL)
			fcn_drop(w, b, i, FCN_DROP_LOCAL_LOOP);
	}
}

/*
 * Deliver packets until none is for the switch any more. They keep their position in the burst,
 * however often they are delivered, so no packet of a flow overtakes another.
 */
void
fcn_stage_local(struct fcn_worker *w, struct fcn_burst *b)
{
	for (unsigned int pass = 0; unlikely(b->n_local != 0); pass++) {
		struct onward to;

		to.n_route = 0;
		to.n_forward = 0;
		b->n_local = 0;
		if (pass < FCN_LOCAL_PASSES)
			deliver(w, b, &to);
		else
			drop_local(w, b);
		fcn_stage_done(w, b, FCN_STAGE_LOCAL);
		if (to.n_route + to.n_forward != 0) {
			fcn_reroute(w, b, to.route, to.n_route);
			fcn_forward_again(w, b, to.forward, to.n_forward);
			fcn_stage_done(w, b, FCN_STAGE_ROUTE);
		}
	}
}
