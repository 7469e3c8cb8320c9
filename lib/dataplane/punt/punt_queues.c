/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Queues of packets for the host functions: a ring for each kind, and the share of each port. */

#include <rte_malloc.h>
#include <rte_ring_elem.h>
#include <rte_time.h>

#include "fcn_names.h"
#include "fcn_punt.h"

#define RING_ALIGN(size) RTE_ALIGN_CEIL(size, (size_t)RTE_CACHE_LINE_SIZE)

static const struct {
	uint32_t backlog;
	struct fcn_punt_rate rate;
} kinds[] = {
#define KIND(sym, name, rate, burst, backlog, text) {backlog, {rate, burst}},
		FCN_PUNT_KINDS(KIND)
#undef KIND
};

/*
 * The worker counts the packets that it has enqueued, and the host functions those that they have
 * dequeued; the difference is the number of packets that wait. Each counter has one writer.
 */
struct fcn_punt_queues {
	struct rte_ring *ring[FCN_PUNT_KIND_COUNT];
	uint32_t most[FCN_PUNT_KIND_COUNT]; /* packets of one port that may wait */
	uint32_t put[FCN_MAX_PORTS][FCN_PUNT_KIND_COUNT] __rte_cache_aligned;
	uint32_t taken[FCN_MAX_PORTS][FCN_PUNT_KIND_COUNT] __rte_cache_aligned;
};

FCN_NAME_FUNCTION(fcn_punt_kind_name, enum fcn_punt_kind, FCN_PUNT_KINDS(FCN_ITEM_WORD))

struct fcn_punt_rate
fcn_punt_default(enum fcn_punt_kind kind)
{
	return kinds[kind].rate;
}

uint32_t
fcn_punt_backlog(void)
{
	uint32_t sum = 0;

	for (unsigned int k = 0; k < FCN_PUNT_KIND_COUNT; k++)
		sum += kinds[k].backlog;
	return sum;
}

struct fcn_punt_limit
fcn_punt_limit_of(const struct fcn_punt_rate *rate, unsigned int parts)
{
	uint64_t cost;
	uint32_t burst;

	if (rate->per_second == 0)
		return (struct fcn_punt_limit){0};
	parts = RTE_MAX(parts, 1u);
	burst = RTE_MAX(rate->burst / parts, 1u);
	/* The cost is rounded up, so that the rate is not exceeded. */
	cost = ((uint64_t)NS_PER_S * parts + rate->per_second - 1) / rate->per_second;
	return (struct fcn_punt_limit){.cost_ns = cost, .spare_ns = cost * (burst - 1)};
}

/* Compute the size of the ring of a kind, which holds the maximum of all ports. One slot of a ring
 * cannot be used. */
static uint32_t
ring_slots(unsigned int kind)
{
	return rte_align32pow2(kinds[kind].backlog * FCN_PUNT_PORTS + 1);
}

struct fcn_punt_queues *
fcn_punt_queues_create(int socket)
{
	const size_t head = RING_ALIGN(sizeof(struct fcn_punt_queues));
	struct fcn_punt_queues *q;
	size_t size = head;
	char *at;

	for (unsigned int k = 0; k < FCN_PUNT_KIND_COUNT; k++)
		size += RING_ALIGN((size_t)rte_ring_get_memsize_elem(
				sizeof(struct fcn_punt), ring_slots(k)));
	q = rte_zmalloc_socket("fcn_punts", size, RTE_CACHE_LINE_SIZE, socket);
	if (q == NULL)
		return NULL;
	at = (char *)q + head;
	for (unsigned int k = 0; k < FCN_PUNT_KIND_COUNT; k++) {
		q->ring[k] = (struct rte_ring *)(void *)at;
		if (rte_ring_init(q->ring[k], fcn_punt_kind_name(k), ring_slots(k),
				    RING_F_SP_ENQ | RING_F_SC_DEQ) != 0) {
			rte_free(q);
			return NULL;
		}
		at += RING_ALIGN((size_t)rte_ring_get_memsize_elem(
				sizeof(struct fcn_punt), ring_slots(k)));
	}
	fcn_punt_queues_divide(q, 0);
	return q;
}

void
fcn_punt_queues_divide(struct fcn_punt_queues *q, unsigned int n_ports)
{
	for (unsigned int k = 0; k < FCN_PUNT_KIND_COUNT; k++)
		q->most[k] = kinds[k].backlog * FCN_PUNT_PORTS / RTE_MAX(n_ports, FCN_PUNT_PORTS);
}

void
fcn_punt_queues_free(struct fcn_punt_queues *q)
{
	struct fcn_punt punt;

	for (unsigned int k = 0; q != NULL && k < FCN_PUNT_KIND_COUNT; k++) {
		while (fcn_punt_dequeue(q, k, &punt))
			rte_pktmbuf_free(punt.mbuf);
	}
	rte_free(q);
}

bool
fcn_punt_enqueue(struct fcn_punt_queues *q, enum fcn_punt_kind kind, const struct fcn_punt *punt,
		unsigned int shift)
{
	const uint16_t port = punt->in_port;
	struct fcn_punt copy = *punt; /* the ring function does not accept a pointer to const */
	const uint32_t taken = __atomic_load_n(&q->taken[port][kind], __ATOMIC_RELAXED);

	if (q->put[port][kind] - taken >= RTE_MAX(q->most[kind] >> shift, 1u) ||
			rte_ring_sp_enqueue_elem(q->ring[kind], &copy, sizeof(copy)) != 0)
		return false;
	q->put[port][kind]++;
	return true;
}

bool
fcn_punt_is_waiting(const struct fcn_punt_queues *q)
{
	for (unsigned int k = 0; k < FCN_PUNT_KIND_COUNT; k++) {
		if (!rte_ring_empty(q->ring[k]))
			return true;
	}
	return false;
}

bool
fcn_punt_dequeue(struct fcn_punt_queues *q, enum fcn_punt_kind kind, struct fcn_punt *punt)
{
	uint32_t *taken;

	if (rte_ring_sc_dequeue_elem(q->ring[kind], punt, sizeof(*punt)) != 0)
		return false;
	taken = &q->taken[punt->in_port][kind];
	__atomic_store_n(taken, *taken + 1, __ATOMIC_RELAXED);
	return true;
}
