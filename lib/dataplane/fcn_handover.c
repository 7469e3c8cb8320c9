/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "fcn_handover.h"

#include <rte_malloc.h>

/* All of it is one piece of memory: named rings are few in DPDK. */
struct fcn_handover *
fcn_handover_create(unsigned int from, uint16_t port, int socket)
{
	const unsigned int slots = rte_align32pow2(FCN_HANDOVER_PACKETS + 1);
	ssize_t ring = rte_ring_get_memsize_elem(sizeof(struct fcn_handed), slots);
	const unsigned int pause_slots = rte_align32pow2(FCN_HANDOVER_PAUSES + 1);
	ssize_t pauses = rte_ring_get_memsize_elem(sizeof(struct fcn_handed_pause), pause_slots);
	struct fcn_handover *h;
	uint8_t *rings;

	ring = RTE_ALIGN_CEIL(ring, RTE_CACHE_LINE_SIZE);
	h = rte_zmalloc_socket("fcn_handover", sizeof(*h) + FCN_CLASSES * ring + pauses,
			RTE_CACHE_LINE_SIZE, socket);
	if (h == NULL)
		return NULL;
	h->from = from;
	h->port = port;
	rings = (uint8_t *)(h + 1);
	for (unsigned int c = 0; c < FCN_CLASSES; c++) {
		h->ring[c] = (struct rte_ring *)(rings + c * ring);
		rte_ring_init(h->ring[c], "handover", slots, RING_F_SP_ENQ | RING_F_SC_DEQ);
		h->held_first[c] = FCN_HELD_NONE;
	}
	h->pauses = (struct rte_ring *)(rings + FCN_CLASSES * ring);
	rte_ring_init(h->pauses, "pauses", pause_slots, RING_F_SP_ENQ | RING_F_SC_DEQ);
	return h;
}

void
fcn_handover_free(struct fcn_handover *h)
{
	rte_free(h);
}

struct rte_mbuf *
fcn_handover_pop(struct fcn_handover *h, struct fcn_packet *p)
{
	struct fcn_handed item;

	for (unsigned int c = 0; c < FCN_CLASSES; c++) {
		if (rte_ring_sc_dequeue_elem(h->ring[c], &item, sizeof(item)) != 0)
			continue;
		memcpy(p, item.pkt, sizeof(*p));
		return item.mbuf;
	}
	return NULL;
}

unsigned int
fcn_handover_count(const struct fcn_handover *h)
{
	unsigned int n = 0;

	for (unsigned int c = 0; c < FCN_CLASSES; c++)
		n += rte_ring_count(h->ring[c]);
	return n;
}
