/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Cross-core rings, by which packets get from one worker to a port that another worker owns. There
 * is a ring for each class, and a word with a bit for each ring that has packets, so that the owner
 * reads one cache line and not eight rings. One thread enqueues, one dequeues.
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

/** Index that stands for "no packet is held back". */
#define FCN_HELD_NONE UINT32_MAX

/** Maximum number of PFC and PAUSE frames that wait for the owner of the port. */
#define FCN_CROSS_CORE_PAUSES 63
#define FCN_CROSS_CORE_PAUSE (1u << FCN_CLASSES)

/**
 * Contents of a PFC or PAUSE frame, passed from the worker that received it to the owner of the
 * port.
 */
struct fcn_cross_core_pause {
	uint64_t time_ns; /**< time of reception */
	uint16_t quanta[FCN_CLASSES];
	uint8_t priorities; /**< bit set of the classes in the frame */
	bool link;          /**< it is an 802.3x PAUSE */
};

struct fcn_cross_core {
	/**
	 * Bit set of the classes with packets, and FCN_CROSS_CORE_PAUSE if there are pauses; both
	 * workers write it.
	 */
	uint16_t pending __rte_cache_aligned;
	uint8_t from; /**< index of the sending worker */
	uint16_t port;
	struct rte_ring *ring[FCN_CLASSES]; /**< of struct fcn_cross_core_packet */
	struct rte_ring *pauses;            /**< of struct fcn_cross_core_pause */
	/* used by the sending worker only: packets of lossless classes that are held back */
	uint32_t held_first[FCN_CLASSES] __rte_cache_aligned; /**< FCN_HELD_NONE: none */
	uint32_t held_last[FCN_CLASSES];
};

/** Create the rings from a worker to a port. @return NULL when memory is exhausted */
struct fcn_cross_core *fcn_cross_core_create(unsigned int from, uint16_t port, int socket);

/** Free the rings, which must be empty. NULL is allowed. */
void fcn_cross_core_free(struct fcn_cross_core *h);

/** Take a packet of any class; used when the port is removed. @return NULL when there is none */
struct rte_mbuf *fcn_cross_core_pop(struct fcn_cross_core *h, struct fcn_packet *p);

/** Get the number of packets in the rings. It is exact while neither worker runs. */
unsigned int fcn_cross_core_count(const struct fcn_cross_core *h);

#endif /* CROSS_CORE_H */
