/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "fcn_host_state.h"

void
fcn_host_wait_init(struct fcn_host *h)
{
	TAILQ_INIT(&h->waiting);
	TAILQ_INIT(&h->wait_free);
	for (unsigned int i = 0; i < FCN_HOST_WAIT_MAX; i++)
		TAILQ_INSERT_TAIL(&h->wait_free, &h->wait[i], all);
}

/* Take a packet out of its queue. */
static struct fcn_host_packet
take(struct fcn_host *h, struct fcn_host_wait *w)
{
	struct fcn_host_packet p = {.mbuf = w->mbuf,
			.l3_off = w->l3_off,
			.in_port = w->in_port,
			.class = w->class,
			.own = w->own};

	TAILQ_REMOVE(&w->neighbour->waiting, w, mine);
	w->neighbour->n_waiting--;
	TAILQ_REMOVE(&h->waiting, w, all);
	h->n_waiting--;
	TAILQ_INSERT_HEAD(&h->wait_free, w, all);
	return p;
}

static void
drop(struct fcn_host *h, struct fcn_host_wait *w)
{
	fcn_host_discard(h, take(h, w).mbuf, FCN_HOST_WAIT_DROPPED);
}

void
fcn_host_wait_add(struct fcn_host *h, struct fcn_neighbour *n, const struct fcn_host_packet *p)
{
	struct fcn_host_wait *w;

	if (n->n_waiting == FCN_HOST_WAIT_NEIGHBOUR)
		drop(h, TAILQ_FIRST(&n->waiting));
	else if (h->n_waiting == FCN_HOST_WAIT_MAX)
		drop(h, TAILQ_FIRST(&h->waiting));
	w = TAILQ_FIRST(&h->wait_free);
	TAILQ_REMOVE(&h->wait_free, w, all);
	w->neighbour = n;
	w->mbuf = p->mbuf;
	w->l3_off = p->l3_off;
	w->in_port = p->in_port;
	w->class = p->class;
	w->own = p->own;
	TAILQ_INSERT_TAIL(&n->waiting, w, mine);
	n->n_waiting++;
	TAILQ_INSERT_TAIL(&h->waiting, w, all);
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
	unsigned int n_packets = 0;

	/* An answer may wait itself, and put out this very neighbour for that. */
	while (!TAILQ_EMPTY(&n->waiting))
		p[n_packets++] = take(h, TAILQ_FIRST(&n->waiting));
	for (unsigned int i = 0; i < n_packets; i++) {
		if (answer && !p[i].own)
			fcn_host_error(h, p[i].mbuf, p[i].l3_off, p[i].in_port,
					FCN_HOST_ERROR_ADDRESS, 0, now);
		fcn_host_discard(h, p[i].mbuf, FCN_HOST_WAIT_DROPPED);
	}
}

uint32_t
fcn_host_waiting(const struct fcn_host *h)
{
	return h->n_waiting;
}
