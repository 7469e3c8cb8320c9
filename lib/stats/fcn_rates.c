/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <stdlib.h>
#include <string.h>

#include "fcn_rates.h"

/* A reading of the counters of a port, in the structures of rates: a rate is the difference of two.
 */
struct port_reading {
	bool open;
	struct fcn_port_rates port;
	struct fcn_queue_rates queue[FCN_CLASSES];
};

struct reading {
	uint64_t time;
	struct port_reading port[FCN_MAX_PORTS];
};

struct fcn_rates {
	unsigned int readings; /* number of readings, counted up to 2 */
	struct reading last, before;
};

struct fcn_rates *
fcn_rates_create(void)
{
	return calloc(1, sizeof(struct fcn_rates));
}

void
fcn_rates_free(struct fcn_rates *rates)
{
	free(rates);
}

static void
read_queue(const struct fcn_queue_stats *s, struct fcn_queue_rates *look)
{
	look->packets = s->deq_packets;
	look->bits = 8 * s->deq_bytes;
	look->marks = s->ce_marked;
	look->notices = s->notices;
	for (unsigned int v = FCN_QUEUE_ACCEPTED + 1; v < FCN_QUEUE_VERDICT_COUNT; v++)
		look->drops += s->drop[v];
}

static void
read_ports(struct fcn_worker *w, void *arg)
{
	struct reading *look = arg;

	for (unsigned int p = 0; p < w->n_ports; p++) {
		const struct fcn_port_counters *c = &w->counters[p];
		const struct fcn_egress *eg = w->port[p].egress;
		struct port_reading *l = &look->port[p];

		l->open |= eg != NULL;
		l->port.rx_packets += c->rx_packets;
		l->port.rx_bits += 8 * c->rx_bytes;
		l->port.tx_packets += c->tx_packets;
		l->port.tx_bits += 8 * c->tx_bytes;
		l->port.notices += fcn_port_notices(c);
		l->port.drops += fcn_port_drops(c);
		for (unsigned int q = 0; eg != NULL && q < FCN_CLASSES; q++)
			read_queue(&eg->queue[q].stats, &l->queue[q]);
	}
}

void
fcn_rates_read(struct fcn_rates *rates, struct fcn_worker *const *workers, unsigned int n,
		uint64_t now)
{
	if (rates->readings > 0 && now <= rates->last.time)
		return;
	rates->before = rates->last;
	memset(&rates->last, 0, sizeof(rates->last));
	rates->last.time = now;
	for (unsigned int i = 0; i < n; i++)
		fcn_worker_read(workers[i], read_ports, &rates->last, sizeof(rates->last));
	if (rates->readings < 2)
		rates->readings++;
}

uint64_t
fcn_rates_over(const struct fcn_rates *rates)
{
	return rates->readings < 2 ? 0 : rates->last.time - rates->before.time;
}

/* Compute n rates; the structures of rates have no members but uint64_t. @return false if a counter
 * was cleared in between */
static bool
grew(const uint64_t *last, const uint64_t *before, uint64_t *out, size_t n, uint64_t over)
{
	for (size_t i = 0; i < n; i++) {
		if (last[i] < before[i])
			return false;
		out[i] = (unsigned __int128)(last[i] - before[i]) * 1000000000 / over;
	}
	return true;
}

bool
fcn_rates_get(const struct fcn_rates *rates, unsigned int port, struct fcn_port_rates *out,
		struct fcn_queue_rates *queue)
{
	const struct port_reading *last = &rates->last.port[port],
				  *before = &rates->before.port[port];
	uint64_t over = fcn_rates_over(rates);

	if (over == 0 || !last->open || !before->open)
		return false;
	if (!grew((const uint64_t *)&last->port, (const uint64_t *)&before->port, (uint64_t *)out,
			    sizeof(*out) / (sizeof(uint64_t)), over))
		return false;
	if (!grew((const uint64_t *)last->queue, (const uint64_t *)before->queue, (uint64_t *)queue,
			    sizeof(last->queue) / (sizeof(uint64_t)), over))
		return false;
	return true;
}
