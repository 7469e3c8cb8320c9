/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "fcn_worker_group.h"

#include "arn_order.h"
#include "lossless.h"
#include "proxy.h"

#include <errno.h>
#include <stdio.h>

#include <rte_malloc.h>
#include <rte_ring_elem.h>

/* MAC addresses that a worker may learn before another takes them from the ring. */
#define LEARN_RING_SIZE 1024

static struct rte_ring *
create_learn_ring(const struct fcn_worker *from, const struct fcn_worker *to)
{
	char name[RTE_RING_NAMESIZE];

	/* A unique short name, because there may be several switches in one process. */
	snprintf(name, sizeof(name), "l_%llx_%u", (unsigned long long)(uintptr_t)from, to->id);
	return rte_ring_create_elem(name, FCN_LEARNED_SIZE, LEARN_RING_SIZE, to->socket,
			RING_F_SP_ENQ | RING_F_SC_DEQ);
}

static struct rte_ring *
create_order_ring(const struct fcn_worker *from, const struct fcn_worker *to)
{
	char name[RTE_RING_NAMESIZE];

	snprintf(name, sizeof(name), "o_%llx_%u", (unsigned long long)(uintptr_t)from, to->id);
	return rte_ring_create_elem(name, sizeof(struct fcn_arn_order), FCN_ARN_ORDERS + 1,
			to->socket, RING_F_SP_ENQ | RING_F_SC_DEQ);
}

static struct rte_ring *
create_proxy_ring(const struct fcn_worker *from, const struct fcn_worker *to)
{
	char name[RTE_RING_NAMESIZE];

	snprintf(name, sizeof(name), "p_%llx_%u", (unsigned long long)(uintptr_t)from, to->id);
	return rte_ring_create_elem(name, sizeof(struct fcn_proxy_claim), FCN_PROXY_RING + 1,
			to->socket, RING_F_SP_ENQ | RING_F_SC_DEQ);
}

static struct rte_ring *
create_mark_ring(const struct fcn_worker *from, const struct fcn_worker *to)
{
	char name[RTE_RING_NAMESIZE];

	snprintf(name, sizeof(name), "m_%llx_%u", (unsigned long long)(uintptr_t)from, to->id);
	return rte_ring_create_elem(name, sizeof(struct fcn_proxy_order), FCN_PROXY_RING + 1,
			to->socket, RING_F_SP_ENQ | RING_F_SC_DEQ);
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
					.learn_tx = create_learn_ring(w, workers[k]),
					.order_tx = create_order_ring(w, workers[k]),
					.proxy_tx = create_proxy_ring(w, workers[k]),
					.mark_tx = create_mark_ring(w, workers[k]),
					.cross_core_tx = fcn_cross_core_create(
							k, workers[k]->socket),
			};
			w->n_peers++; /* what was created is freed with the worker */
			if (peer->learn_tx == NULL || peer->order_tx == NULL ||
					peer->proxy_tx == NULL || peer->mark_tx == NULL ||
					peer->cross_core_tx == NULL)
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
			struct fcn_peer *peer = &workers[i]->peer[k - (k > i)];

			if (k == i)
				continue;
			peer->learn_rx = workers[k]->peer[i - (i > k)].learn_tx;
			peer->order_rx = workers[k]->peer[i - (i > k)].order_tx;
			peer->proxy_rx = workers[k]->peer[i - (i > k)].proxy_tx;
			peer->mark_rx = workers[k]->peer[i - (i > k)].mark_tx;
			peer->cross_core_rx = workers[k]->peer[i - (i > k)].cross_core_tx;
			peer->released_rx = workers[k]->peer[i - (i > k)].released_tx;
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
