/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Cross-core rings: how packets get from one worker to a port that another worker
 * owns. There is a ring for each class, and a word with a bit for each ring that has
 * packets, so that the owner reads one cache line and not eight rings. One thread
 * enqueues, one dequeues.
 */

#ifndef CROSS_CORE_H
#define CROSS_CORE_H

#include <stdbool.h>
#include <stdint.h>

#include <rte_ring.h>
#include <rte_ring_elem.h>

#include "fcn_burst.h"
#include "fcn_queue.h"

/** Packets that a ring holds: two turns of its producer. */
#define FCN_CROSS_CORE_PACKETS (2 * FCN_BURST_MAX - 1)

/** A packet between two workers. */
struct fcn_cross_core_packet {
	struct rte_mbuf *mbuf;
	uint8_t pkt[sizeof(struct fcn_packet)]; /**< less aligned than the original */
};

/** No packet is held back. */
#define FCN_HELD_NONE UINT32_MAX

/** Pause frames that wait for the port's owner. */
#define FCN_CROSS_CORE_PAUSES 63
#define FCN_CROSS_CORE_PAUSE (1u << FCN_CLASSES)

/** What a PFC or PAUSE frame says, on its way from the worker that received it to the port's owner.
 */
struct fcn_cross_core_pause {
	uint64_t time_ns; /**< when it came */
	uint16_t quanta[FCN_CLASSES];
	uint8_t priorities; /**< bit set: classes it speaks of */
	bool link;          /**< it is an 802.3x PAUSE */
};

struct fcn_cross_core {
	/** Bit set: classes with packets, FCN_CROSS_CORE_PAUSE with pauses; both write it. */
	uint16_t pending __rte_cache_aligned;
	uint8_t from; /**< the worker that sends */
	uint16_t port;
	struct rte_ring *ring[FCN_CLASSES]; /**< of struct fcn_cross_core_packet */
	struct rte_ring *pauses;            /**< of struct fcn_cross_core_pause */
	/* used by the sending worker alone: packets of lossless classes that are held back */
	uint32_t held_first[FCN_CLASSES] __rte_cache_aligned; /**< FCN_HELD_NONE: none */
	uint32_t held_last[FCN_CLASSES];
};

/** @return NULL on lack of memory */
struct fcn_cross_core *fcn_cross_core_create(unsigned int from, uint16_t port, int socket);

/** Free it; the rings must be empty. NULL is allowed. */
void fcn_cross_core_free(struct fcn_cross_core *h);

/** Take one packet out, of any class; for a port that goes. @return NULL: none is left */
struct rte_mbuf *fcn_cross_core_pop(struct fcn_cross_core *h, struct fcn_packet *p);

/** Packets on their way. Exact while neither end works. */
unsigned int fcn_cross_core_count(const struct fcn_cross_core *h);

#endif /* CROSS_CORE_H */
