/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <fcn_pfc.h>

#include "cross_core.h"
#include "fcn_stages.h"

/*
 * Check whether a frame is addressed to the group address that no bridge forwards, or to the port
 * itself (IEEE 802.3 annex 31B.1).
 */
static bool
is_for_port(const struct fcn_worker *w, const struct fcn_packet *p, const uint8_t *data)
{
	const struct rte_ether_hdr *eth = (const struct rte_ether_hdr *)data;

	return p->info.ether_type == FCN_MAC_CONTROL_ETHER_TYPE && p->info.n_vlans == 0 &&
	       (rte_is_same_ether_addr(&eth->dst_addr, &fcn_mac_control_addr) ||
			       rte_is_same_ether_addr(
					       &eth->dst_addr, &w->snap->port[p->in_port].mac));
}

/*
 * Pass the contents of a frame to the worker that owns the port. @return false when the ring to it
 * is full
 */
static bool
cross_core_tx(struct fcn_worker *w, uint16_t port, const struct fcn_mac_control *mc)
{
	struct fcn_cross_core *h = w->port[port].cross_core;
	struct fcn_cross_core_pause pause = {
			.time_ns = w->now,
			.port = port,
			.link = mc->type == FCN_MAC_CONTROL_IS_PAUSE,
			.priorities = mc->priorities,
	};

	if (h == NULL) /* the port was removed */
		return true;
	memcpy(pause.quanta, mc->quanta, sizeof(pause.quanta));
	if (rte_ring_sp_enqueue_elem(h->pauses, &pause, sizeof(pause)) != 0)
		return false;
	__atomic_store_n(&h->n_pauses, h->n_pauses + 1, __ATOMIC_RELEASE);
	return true;
}

/*
 * Consume a MAC Control frame. Obey it if it is PFC or PAUSE: at this worker if it owns the port,
 * otherwise at the owner.
 */
static void
consume(struct fcn_worker *w, struct fcn_burst *b, unsigned int i)
{
	const struct fcn_packet *p = &b->pkt[i];
	const struct rte_mbuf *m = b->mbuf[i];
	struct fcn_port_counters *c = &w->counters[p->in_port];
	struct fcn_mac_control mc;

	switch (fcn_mac_control_parse(rte_pktmbuf_mtod(m, const uint8_t *), m->data_len, &mc)) {
	case FCN_MAC_CONTROL_IS_PFC:
	case FCN_MAC_CONTROL_IS_PAUSE:
		if (unlikely(w->port[p->in_port].egress == NULL)) {
			if (cross_core_tx(w, p->in_port, &mc))
				break;
			fcn_drop(w, b, i, FCN_DROP_CROSS_CORE_FULL);
			return;
		}
		fcn_pause_receive(&w->port[p->in_port].pause, &w->snap->port[p->in_port].pause,
				mc.type == FCN_MAC_CONTROL_IS_PAUSE, mc.priorities, mc.quanta,
				w->now);
		w->port[p->in_port].pausing = true;
		break;
	case FCN_MAC_CONTROL_IS_OTHER:
	case FCN_MAC_CONTROL_IS_MALFORMED:
		c->pause_unknown++;
		break;
	}
	c->pause_received++;
	c->consumed++;
	w->dead[w->n_dead++] = b->mbuf[i];
	b->mbuf[i] = NULL;
}

/*
 * Consume MAC Control frames, which are for the ends of a link and never forwarded (IEEE 802.1Q
 * section 8.6.3, IEEE 802.3 clause 31).
 */
void
fcn_stage_mac_control(struct fcn_worker *w, struct fcn_burst *b)
{
	if (likely(!b->has_mac_control))
		return;
	if (w->n_peers != 0) /* frames that other workers received came before */
		fcn_cross_core_rx_pauses(w);
	for (unsigned int i = 0; i < b->n; i++) {
		if (b->mbuf[i] != NULL &&
				is_for_port(w, &b->pkt[i],
						rte_pktmbuf_mtod(b->mbuf[i], const uint8_t *)))
			consume(w, b, i);
	}
}
