/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "fcn_worker_group.h"

#include "arn_order.h"
#include "lossless.h"
#include "proxy.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <rte_malloc.h>
#include <rte_ring_elem.h>

/* MAC addresses that a worker may learn before another takes them from the ring. */
#define LEARN_RING_SIZE 1024

/* The rings of each kind of messages: the size of an element, and how many of them there are room
 * for, and one more. */
static const struct {
	unsigned int size, slots;
} ring_of[FCN_PEER_RINGS] = {
		[FCN_PEER_LEARNED] = {FCN_LEARNED_SIZE, LEARN_RING_SIZE},
		[FCN_PEER_ARN_ORDERS] = {sizeof(struct fcn_arn_order), FCN_ARN_ORDERS + 1},
		[FCN_PEER_PROXY_CLAIMS] = {sizeof(struct fcn_proxy_claim), FCN_PROXY_RING + 1},
		[FCN_PEER_PROXY_ORDERS] = {sizeof(struct fcn_proxy_order), FCN_PROXY_RING + 1},
};

/* Create the rings to a worker. Those that were created are freed with the worker `from`. */
static int
create_rings(const struct fcn_worker *from, const struct fcn_worker *to, struct fcn_peer *peer)
{
	char name[RTE_RING_NAMESIZE];

	for (unsigned int r = 0; r < FCN_PEER_RINGS; r++) {
		/* A unique short name, because there may be several switches in one process. */
		snprintf(name, sizeof(name), "%u_%llx_%u", r, (unsigned long long)(uintptr_t)from,
				to->id);
		peer->tx[r] = rte_ring_create_elem(name, ring_of[r].size, ring_of[r].slots,
				to->socket, RING_F_SP_ENQ | RING_F_SC_DEQ);
		if (peer->tx[r] == NULL)
			return -ENOMEM;
	}
	return 0;
}

/* Allocate the structures for lossless classes that several workers need. */
static int
connect_accounts(struct fcn_worker *w)
{
	for (unsigned int i = 0; i < w->n_peers; i++) {
		w->peer[i].released_tx = rte_zmalloc_socket("fcn_released",
				sizeof(*w->peer[i].released_tx), RTE_CACHE_LINE_SIZE, w->socket);
		if (w->peer[i].released_tx == NULL)
			return -ENOMEM;
	}
	return fcn_lossless_init(w);
}

int
fcn_worker_group_connect(struct fcn_worker *const *workers, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++) {
		struct fcn_worker *w = workers[i];

		for (unsigned int k = 0; k < n; k++) {
			struct fcn_peer *peer = &w->peer[w->n_peers];

			if (k == i)
				continue;
			*peer = (struct fcn_peer){
					.worker = workers[k],
					.cross_core_tx = fcn_cross_core_create(
							k, workers[k]->socket),
			};
			w->n_peers++; /* what was created is freed with the worker */
			if (create_rings(w, workers[k], peer) != 0 || peer->cross_core_tx == NULL)
				return -ENOMEM;
		}
		w->index = i;
		if (n > 1 && connect_accounts(w) != 0)
			return -ENOMEM;
	}
	/* The ring that one worker writes is the ring that its peer reads; no worker is its own
	 * peer. */
	for (unsigned int i = 0; i < n; i++) {
		for (unsigned int k = 0; k < n; k++) {
			struct fcn_peer *peer = &workers[i]->peer[k - (k > i)], *other;

			if (k == i)
				continue;
			other = &workers[k]->peer[i - (i > k)];
			memcpy(peer->rx, other->tx, sizeof(peer->rx));
			peer->cross_core_rx = other->cross_core_tx;
			peer->released_rx = other->released_tx;
		}
	}
	return 0;
}

void
fcn_worker_group_free(struct fcn_worker *const *workers, unsigned int n)
{
	/* The workers no longer run: calls are made directly. */
	for (unsigned int i = 0; i < n; i++) {
		if (workers[i] != NULL)
			fcn_worker_watch_fini(workers[i]);
	}
	for (unsigned int i = 0; i < n; i++) {
		while (workers[i] != NULL && workers[i]->n_own_ports > 0)
			fcn_worker_group_port_remove(workers, n, workers[i]->own_port[0]);
	}
	for (unsigned int i = 0; i < n; i++)
		fcn_worker_free(workers[i]);
}
