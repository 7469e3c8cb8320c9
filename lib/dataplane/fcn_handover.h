/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The way from one worker to a port that is another's: a ring a class, and a
 * byte that says which of them have something, so that the owner looks at one
 * cache line and not at eight rings.
 */

#ifndef FCN_HANDOVER_H
#define FCN_HANDOVER_H

#include <stdbool.h>
#include <stdint.h>

#include <rte_ring.h>
#include <rte_ring_elem.h>

#include "fcn_burst.h"
#include "fcn_queue.h"

/** Packets that a ring holds: two turns of its producer. */
#define FCN_HANDOVER_PACKETS (2 * FCN_BURST_MAX - 1)

/** A packet between two workers. */
struct fcn_handed {
	struct rte_mbuf *mbuf;
	uint8_t pkt[sizeof(struct fcn_packet)]; /**< less aligned than the original */
};

/** No packet is held back. */
#define FCN_HELD_NONE UINT32_MAX

/** Pause frames that wait for the port's owner. */
#define FCN_HANDOVER_PAUSES 63
#define FCN_HANDOVER_PAUSE (1u << FCN_CLASSES)

/** What a PFC or PAUSE frame says, on its way from the worker that received it to the port's owner.
 */
struct fcn_handed_pause {
	uint64_t time_ns; /**< when it came */
	uint16_t quanta[FCN_CLASSES];
	uint8_t priorities; /**< bit set: classes it speaks of */
	bool link;          /**< it is an 802.3x PAUSE */
};

struct fcn_handover {
	/** Bit set: classes with packets, FCN_HANDOVER_PAUSE with pauses; both write it. */
	uint16_t pending __rte_cache_aligned;
	uint8_t from; /**< worker that hands over */
	uint16_t port;
	struct rte_ring *ring[FCN_CLASSES]; /**< of struct fcn_handed */
	struct rte_ring *pauses;            /**< of struct fcn_handed_pause */
	/* the worker's that hands over: packets of lossless classes that are held back */
	uint32_t held_first[FCN_CLASSES] __rte_cache_aligned; /**< FCN_HELD_NONE: none */
	uint32_t held_last[FCN_CLASSES];
};

/** @return NULL on lack of memory */
struct fcn_handover *fcn_handover_create(unsigned int from, uint16_t port, int socket);

/** Free it; the rings must be empty. NULL is allowed. */
void fcn_handover_free(struct fcn_handover *h);

/** Take one packet out, of any class; for a port that goes. @return NULL: none is left */
struct rte_mbuf *fcn_handover_pop(struct fcn_handover *h, struct fcn_packet *p);

/** Packets on their way. Exact while neither end works. */
unsigned int fcn_handover_count(const struct fcn_handover *h);

#endif /* FCN_HANDOVER_H */
