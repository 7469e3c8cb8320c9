/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "cross_core.h"
#include "fcn_conservation.h"
#include "fcn_worker.h"

void
fcn_conservation_add(struct fcn_conservation *sum, const struct fcn_port_counters *c)
{
	sum->received += c->rx_packets;
	sum->generated += c->generated;
	sum->returned += c->returned;
	sum->replicated += c->replicated;
	sum->transmitted += c->tx_packets;
	sum->consumed += c->consumed;
	for (unsigned int r = 0; r < FCN_DROP_REASON_COUNT; r++)
		sum->dropped += c->drop[r];
}

static void
add_conservation(struct fcn_conservation *sum, const struct fcn_conservation *c)
{
	FCN_COUNTERS_ADD(sum, c, FCN_CONSERVATION_IN_COUNTERS);
	FCN_COUNTERS_ADD(sum, c, FCN_CONSERVATION_OUT_COUNTERS);
}

void
fcn_worker_conservation(const struct fcn_worker *w, struct fcn_conservation *sum)
{
	sum->carried += w->carried;
	sum->between += w->cross_core_tx - w->cross_core_rx;
	sum->queued += w->held.n + w->arn_held.flows.packets;
	for (unsigned int i = 0; i < w->n_peers; i++)
		sum->waiting += fcn_cross_core_count(w->peer[i].cross_core_rx);
	sum->working |= !w->idle;
	add_conservation(sum, &w->retired);
	for (unsigned int p = 0; p < w->n_ports; p++) {
		fcn_conservation_add(sum, &w->counters[p]);
		if (w->port[p].egress != NULL)
			sum->queued += fcn_egress_packets(w->port[p].egress);
	}
}
