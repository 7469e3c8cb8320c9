/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "host_state.h"

void
fcn_host_wait_init(struct fcn_host *h)
{
	TAILQ_INIT(&h->wait_free);
	for (unsigned int i = 0; i < FCN_HOST_SHARES; i++)
		TAILQ_INIT(&h->waiting[i]);
}

/* Remove a packet from its queues. */
static struct fcn_host_packet
take(struct fcn_host *h, struct fcn_host_wait *w)
{
	struct fcn_host_packet p = {.mbuf = w->mbuf,
			.l3_off = w->l3_off,
			.in_port = w->in_port,
			.class = w->class,
			.table = w->table,
			.own = w->own,
			.left = w->left};

	TAILQ_REMOVE(&w->neighbour->waiting, w, mine);
	w->neighbour->n_waiting--;
	TAILQ_REMOVE(&h->waiting[w->in_port], w, port);
	h->waiting_of[w->in_port]--;
	h->n_waiting--;
	TAILQ_INSERT_HEAD(&h->wait_free, w, port);
	return p;
}

void
fcn_host_drop(struct fcn_host *h, const struct fcn_host_packet *p, enum fcn_host_counter c,
		enum fcn_drop_reason why)
{
	fcn_host_count(h, c);
	if (p->left && h->env.drop != NULL)
		h->env.drop(h->env.arg, p->mbuf, p->in_port, p->class, why);
	else
		rte_pktmbuf_free(p->mbuf);
}

static void
give_way(struct fcn_host *h, struct fcn_host_wait *w)
{
	struct fcn_host_packet p = take(h, w);

	fcn_host_drop(h, &p, FCN_HOST_WAIT_DROPPED, FCN_DROP_NEIGHBOUR_WAIT);
}

/*
 * The packet that is dropped for a new one of this ingress port: of those that wait for the
 * neighbour, the oldest of the same port, or else the oldest of all.
 */
static struct fcn_host_wait *
oldest(const struct fcn_neighbour *n, uint16_t in_port)
{
	struct fcn_host_wait *w;

	TAILQ_FOREACH (w, &n->waiting, mine) {
		if (w->in_port == in_port)
			return w;
	}
	return TAILQ_FIRST(&n->waiting);
}

static struct fcn_host_wait *
place(struct fcn_host *h)
{
	struct fcn_host_wait *w = TAILQ_FIRST(&h->wait_free);

	if (w == NULL)
		return &h->wait[h->wait_used++];
	TAILQ_REMOVE(&h->wait_free, w, port);
	return w;
}

void
fcn_host_wait_add(struct fcn_host *h, struct fcn_neighbour *n, const struct fcn_host_packet *p)
{
	struct fcn_host_wait *w;

	if (n->n_waiting == FCN_HOST_WAIT_NEIGHBOUR)
		give_way(h, oldest(n, p->in_port));
	while (h->waiting_of[p->in_port] >= h->conf.port_waiting)
		give_way(h, TAILQ_FIRST(&h->waiting[p->in_port]));
	w = place(h);
	w->neighbour = n;
	w->mbuf = p->mbuf;
	w->l3_off = p->l3_off;
	w->in_port = p->in_port;
	w->class = p->class;
	w->table = p->table;
	w->own = p->own;
	w->left = p->left;
	TAILQ_INSERT_TAIL(&n->waiting, w, mine);
	n->n_waiting++;
	TAILQ_INSERT_TAIL(&h->waiting[w->in_port], w, port);
	h->waiting_of[w->in_port]++;
	h->n_waiting++;
	fcn_host_count(h, FCN_HOST_WAIT_QUEUED);
}

void
fcn_host_wait_send(struct fcn_host *h, struct fcn_neighbour *n)
{
	while (!TAILQ_EMPTY(&n->waiting)) {
		struct fcn_host_packet p = take(h, TAILQ_FIRST(&n->waiting));

		fcn_host_count(h, FCN_HOST_WAIT_SENT);
		fcn_host_transmit(h, &p, n->port, &n->mac);
	}
}

void
fcn_host_wait_drop(struct fcn_host *h, struct fcn_neighbour *n, bool answer, uint64_t now)
{
	struct fcn_host_packet p[FCN_HOST_WAIT_NEIGHBOUR];
	const uint8_t table = h->table;
	unsigned int n_packets = 0;

	/* An ICMP error may itself have to wait for a neighbour, and evict this one. */
	while (!TAILQ_EMPTY(&n->waiting))
		p[n_packets++] = take(h, TAILQ_FIRST(&n->waiting));
	for (unsigned int i = 0; i < n_packets; i++) {
		h->table = p[i].table;
		if (answer && !p[i].own)
			fcn_host_error(h, p[i].mbuf, p[i].l3_off, p[i].in_port,
					FCN_HOST_ERROR_ADDRESS, 0, now);
		fcn_host_drop(h, &p[i], FCN_HOST_WAIT_DROPPED,
				answer ? FCN_DROP_NEIGHBOUR_FAILED : FCN_DROP_NO_NEIGHBOUR);
	}
	h->table = table;
}

uint32_t
fcn_host_waiting(const struct fcn_host *h)
{
	return h->n_waiting;
}
