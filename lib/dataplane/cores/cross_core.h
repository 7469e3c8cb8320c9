/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Cross-core rings, by which packets get from one worker to a port that another worker owns. There
 * is a ring for each class. One thread enqueues, one dequeues.
 *
 * A cache line that one core writes and another one reads takes hundreds of cycles on its way, so
 * there are few of them: a packet with its metadata is one line, and the ends of all eight rings,
 * which only the sender writes, are another. What only the receiver writes is read by the sender
 * only when a ring seems to be full.
 */

#ifndef CROSS_CORE_H
#define CROSS_CORE_H

#include <stdbool.h>
#include <stdint.h>

#include <string.h>

#include <rte_prefetch.h>
#include <rte_ring.h>
#include <rte_ring_elem.h>

#include "fcn_burst.h"
#include "fcn_queue.h"

/** Packets that a ring holds: two turns of its producer. */
#define FCN_CROSS_CORE_PACKETS (2 * FCN_BURST_MAX - 1)

/** Number of slots of a ring. */
#define FCN_CROSS_CORE_SLOTS (2 * FCN_BURST_MAX)

/** Where the pointer to the mbuf is in struct fcn_cross_core_packet. */
#define FCN_CROSS_CORE_MBUF offsetof(struct fcn_packet, drop)

/**
 * A packet between two workers, one cache line: its metadata with the pointer to the mbuf in place
 * of what the owner of the port determines, which is the last part of the metadata, from `drop` on.
 * Until then, it has the values of fcn_packet_fresh(), but for `local`, which nobody reads then.
 */
struct fcn_cross_core_packet {
	uint8_t bytes[sizeof(struct fcn_packet)]; /**< less aligned than the original */
};

/** Index that stands for "no packet is held back". */
#define FCN_HELD_NONE UINT32_MAX

/** Maximum number of PFC and PAUSE frames that wait for the owner of the port. */
#define FCN_CROSS_CORE_PAUSES 63

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
	/* never written while the workers run */
	struct fcn_cross_core_packet *slots __rte_cache_aligned; /**< those of all rings */
	struct rte_ring *pauses; /**< of struct fcn_cross_core_pause */
	uint16_t port;
	uint8_t from; /**< index of the sending worker */

	/* written by the sending worker */
	/** Packets that were put on each ring, modulo 2^32. */
	uint32_t tail[FCN_CLASSES] __rte_cache_aligned;
	uint32_t n_pauses; /**< pauses that were sent */
	uint32_t sent;     /**< changed after each change of the others: there is something */

	/* written by the owner of the port */
	/** Packets that were taken from each ring. */
	uint32_t head[FCN_CLASSES] __rte_cache_aligned;
	uint32_t n_pauses_taken;
	uint32_t seen; /**< value of `sent` up to which everything was taken */

	/* used by the sending worker only */
	/** Packets that were put on each ring, with those that the owner may not see yet. */
	uint32_t filled[FCN_CLASSES] __rte_cache_aligned;
	/** Values of `head` when they were last read. */
	uint32_t seen_head[FCN_CLASSES];
	/** Packets of lossless classes that are held back; FCN_HELD_NONE: none. */
	uint32_t held_first[FCN_CLASSES];
	uint32_t held_last[FCN_CLASSES];
};

static inline void
fcn_cross_core_pack(struct fcn_cross_core_packet *item, const struct fcn_packet *p,
		const struct rte_mbuf *m)
{
	_Static_assert(sizeof(*p) - FCN_CROSS_CORE_MBUF == 8 && sizeof(m) <= 8,
			"the pointer replaces fields that the owner of the port sets");
	memcpy(item->bytes, p, sizeof(item->bytes));
	memcpy(item->bytes + FCN_CROSS_CORE_MBUF, &m, sizeof(m));
}

/** Get the metadata and the mbuf of a packet. */
static inline struct rte_mbuf *
fcn_cross_core_unpack(const struct fcn_cross_core_packet *item, struct fcn_packet *p)
{
	struct rte_mbuf *m;

	memcpy(&m, item->bytes + FCN_CROSS_CORE_MBUF, sizeof(m));
	memcpy(p, item->bytes, sizeof(*p));
	p->drop = FCN_DROP_NONE;
	p->level = FCN_LEVEL_NONE;
	p->reactions = 0;
	p->local = 0;
	p->delay_off = 0;
	p->unused = 0;
	return m;
}

/** Get slot n of a ring, counted modulo 2^32 as the ends of the ring are. */
static inline struct fcn_cross_core_packet *
fcn_cross_core_slot(const struct fcn_cross_core *h, unsigned int class, uint32_t n)
{
	return &h->slots[class * FCN_CROSS_CORE_SLOTS + n % FCN_CROSS_CORE_SLOTS];
}

/** For the sender: get the number of packets for which a ring has room, if they are less than
 * `wanted`, otherwise at least `wanted`. */
static inline unsigned int
fcn_cross_core_room(struct fcn_cross_core *h, unsigned int class, unsigned int wanted)
{
	unsigned int room = FCN_CROSS_CORE_PACKETS - (h->filled[class] - h->seen_head[class]);

	if (likely(room >= wanted))
		return room;
	h->seen_head[class] = __atomic_load_n(&h->head[class], __ATOMIC_ACQUIRE);
	return FCN_CROSS_CORE_PACKETS - (h->filled[class] - h->seen_head[class]);
}

/** For the sender: let the owner of the port see that there is something. */
static inline void
fcn_cross_core_announce(struct fcn_cross_core *h)
{
	__atomic_store_n(&h->sent, h->sent + 1, __ATOMIC_RELEASE);
}

/** For the sender: let the owner of the port see the packets whose slots are filled. */
static inline void
fcn_cross_core_publish(struct fcn_cross_core *h)
{
	for (unsigned int c = 0; c < FCN_CLASSES; c++) {
		if (h->tail[c] != h->filled[c])
			__atomic_store_n(&h->tail[c], h->filled[c], __ATOMIC_RELEASE);
	}
	fcn_cross_core_announce(h);
}

/** Create the rings from a worker to a port. @return NULL when memory is exhausted */
struct fcn_cross_core *fcn_cross_core_create(unsigned int from, uint16_t port, int socket);

/** Free the rings, which must be empty. NULL is allowed. */
void fcn_cross_core_free(struct fcn_cross_core *h);

/** Take a packet of any class; used when the port is removed. @return NULL when there is none */
struct rte_mbuf *fcn_cross_core_pop(struct fcn_cross_core *h, struct fcn_packet *p);

/** Get the number of packets in the ring of a class. It is exact while neither worker runs. */
unsigned int fcn_cross_core_count_class(const struct fcn_cross_core *h, unsigned int class);

/** Get the number of packets in the rings. It is exact while neither worker runs. */
unsigned int fcn_cross_core_count(const struct fcn_cross_core *h);

#endif /* CROSS_CORE_H */
