/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Cross-core rings, by which packets get from one worker to the ports of another. There is one for
 * each pair of workers and each direction, with all packets between the two in one order. One
 * thread enqueues, one dequeues.
 *
 * A cache line that one core writes and another one reads takes hundreds of cycles on its way, so
 * there are few of them: a packet is an entry of 16 octets, four of which are in a line, and the
 * end of the ring, which only the sender writes, is published once a turn. Only packets whose entry
 * does not say everything about them, such as those that have passed through the stages, have their
 * metadata beside it. What only the receiver writes is read by the sender only when a ring seems to
 * be full.
 */

#ifndef CROSS_CORE_H
#define CROSS_CORE_H

#include <stdbool.h>
#include <stdint.h>

#include <rte_prefetch.h>
#include <rte_ring.h>
#include <rte_ring_elem.h>

#include "fcn_burst.h"
#include "fcn_peer.h"
#include "fcn_queue.h"
#include "fcn_ready.h"

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
	uint16_t port;
	uint8_t priorities; /**< bit set of the classes in the frame */
	bool link;          /**< it is an 802.3x PAUSE */
};

/** The ring from one worker to another. */
struct fcn_cross_core {
	/* never written while the workers run */
	struct fcn_queue_entry *slots __rte_cache_aligned; /**< see fcn_ready.h */
	struct fcn_packet *beside; /**< metadata of entries with FCN_READY_BESIDE, by slot */
	struct rte_ring *pauses;   /**< of struct fcn_cross_core_pause */
	uint8_t to;                /**< index of the receiving worker among those of the switch */

	/* written by the sending worker */
	/** Packets that were put on the ring, modulo 2^32. */
	uint32_t tail __rte_cache_aligned;
	uint32_t n_pauses; /**< pauses that were sent */

	/* written by the receiving worker */
	/** Packets that were taken from the ring. */
	uint32_t head __rte_cache_aligned;
	uint32_t n_pauses_taken;
	uint32_t n_gone; /**< entries between head and tail whose packets were dropped */

	/* used by the sending worker only */
	/** Packets that were put on the ring, with those that the receiver may not see yet. */
	uint32_t filled __rte_cache_aligned;
	uint32_t seen_head; /**< value of `head` when it was last read */
	/** Slots that series of the fast path write to; they begin with slot `filled`. */
	struct fcn_ready_slots slots_of_series;
	/** Number of ports that the ring leads to. */
	uint32_t n_ports;
	/** Slots that packets may fill by the budget of packet buffers; at least
	 * FCN_CROSS_CORE_QUIET. Those of lossless classes have their buffers already. */
	uint32_t limit;
	/* For fcn_cross_core_share(): `seen_head` and `filled` when packets were counted last. */
	uint32_t counted_head, counted_filled;
	uint16_t counted[FCN_MAX_PORTS]; /**< packets between the two, by egress port */
	/** Packets of lossless classes that are held back; FCN_HELD_NONE: none. */
	uint32_t held_first[FCN_CLASSES];
	uint32_t held_last[FCN_CLASSES];
};

/** Get slot n of the ring, counted modulo 2^32 as its ends are. */
static inline struct fcn_queue_entry *
fcn_cross_core_slot(const struct fcn_cross_core *h, uint32_t n)
{
	return &h->slots[n % FCN_CROSS_CORE_SLOTS];
}

/** Get the metadata beside slot n. */
static inline struct fcn_packet *
fcn_cross_core_beside(const struct fcn_cross_core *h, uint32_t n)
{
	return &h->beside[n % FCN_CROSS_CORE_SLOTS];
}

/**
 * Get the number of slots that packets of a class may fill: the higher the class, the more of them.
 * So packets of low classes, with which a ring may be full, leave slots to those of high classes.
 * What the switch itself has made may fill all: notices, which are wanted most when there is no
 * room, and packets of the host functions.
 *
 * @param flags FCN_PACKET_*
 */
static inline uint32_t
fcn_cross_core_most(uint8_t class, uint16_t flags)
{
	if (flags & (FCN_PACKET_NOTICE | FCN_PACKET_OWN))
		return FCN_CROSS_CORE_SLOTS;
	return FCN_CROSS_CORE_SLOTS / 2 + (class + 1u) * (FCN_CROSS_CORE_SLOTS / 2 / FCN_CLASSES) -
	       FCN_CROSS_CORE_SLOTS / 32;
}

/**
 * For the sender: count the packets on its rings beyond FCN_CROSS_CORE_QUIET on each, which the
 * budget of packet buffers has room for, and set the limits of the rings for the next turn.
 */
uint32_t fcn_cross_core_over(struct fcn_worker *w);

/**
 * For the sender: do the work of fcn_cross_core_room() for a ring that is not quiet. A port may
 * have twice as many packets there as slots are left to their class. So a port to which more is
 * sent than the receiver takes has two thirds of these slots at most, and leaves room for packets
 * to other ports, as in a shared buffer. What the switch itself has made is exempt, and so are
 * packets of lossless classes, which nothing may drop, and the only port of a receiver.
 */
uint32_t fcn_cross_core_share(
		struct fcn_cross_core *h, const struct fcn_packet *p, uint32_t wanted);

/**
 * For the sender: get the number of packets for which a ring has room, if they are less than
 * `wanted`, otherwise at least `wanted`.
 *
 * @param p the packets have its class, kind and egress port
 */
static inline uint32_t
fcn_cross_core_room(struct fcn_cross_core *h, const struct fcn_packet *p, uint32_t wanted)
{
	const uint32_t used = h->filled - h->seen_head;

	if (likely(used + wanted <= FCN_CROSS_CORE_QUIET))
		return FCN_CROSS_CORE_QUIET - used;
	return fcn_cross_core_share(h, p, wanted);
}

/** For the sender: put a packet on the ring, which has room for it. */
static inline void
fcn_cross_core_put(struct fcn_cross_core *h, const struct fcn_packet *p, struct rte_mbuf *m)
{
	struct fcn_queue_entry *e = fcn_cross_core_slot(h, h->filled);

	e->mbuf = m;
	e->meta = fcn_ready_meta_of(p, m->pkt_len);
	if (e->flags & FCN_READY_BESIDE)
		*fcn_cross_core_beside(h, h->filled) = *p;
	h->filled++;
}

/**
 * For the sender: get slots for series of packets, until fcn_cross_core_end().
 *
 * @param p as for fcn_cross_core_room(). Series that were begun for other packets may fill the
 *          slots, too
 * @return false if there is no room
 */
static inline bool
fcn_cross_core_begin(struct fcn_cross_core *h, const struct fcn_packet *p)
{
	const uint32_t behind = FCN_CROSS_CORE_SLOTS - h->filled % FCN_CROSS_CORE_SLOTS;
	const uint32_t room = fcn_cross_core_room(h, p, RTE_MIN(behind, (uint32_t)FCN_RX_BURST));

	if (unlikely(room == 0)) /* other packets may fill slots before the next series begins */
		return false;
	h->slots_of_series.next = fcn_cross_core_slot(h, h->filled);
	h->slots_of_series.end = h->slots_of_series.next + RTE_MIN(room, behind);
	return true;
}

/** For the sender: take over what series have written. @return number of packets */
static inline uint32_t
fcn_cross_core_end(struct fcn_cross_core *h)
{
	struct fcn_ready_slots *slots = &h->slots_of_series;
	uint32_t n = 0;

	if (likely(slots->next != NULL))
		n = (uint32_t)(slots->next - fcn_cross_core_slot(h, h->filled));
	h->filled += n;
	*slots = (struct fcn_ready_slots){NULL, NULL};
	return n;
}

/** For the receiver: get the number of packets on the ring. */
static inline uint32_t
fcn_cross_core_waiting(const struct fcn_cross_core *h)
{
	return __atomic_load_n(&h->tail, __ATOMIC_ACQUIRE) - h->head;
}

/** For the receiver: load what it reads first of each ring, before it has other work to do. */
void fcn_cross_core_prefetch(const struct fcn_worker *w);

/** Load the headers of the buffers that the next receive will take, which other workers may have
 * had last. */
void fcn_cross_core_prefetch_buffers(const struct fcn_worker *w);

/** Create the ring to a worker. @param to its index @return NULL when memory is exhausted */
struct fcn_cross_core *fcn_cross_core_create(unsigned int to, int socket);

/** Free a ring, which must be empty. NULL is allowed. */
void fcn_cross_core_free(struct fcn_cross_core *h);

/**
 * For the receiver: drop the packets for a port, to which no worker sends packets any more. Their
 * entries stay, without a packet.
 */
void fcn_cross_core_drop(struct fcn_worker *w, struct fcn_cross_core *h, uint16_t port);

/** Get the number of packets on the ring. It is exact while neither worker runs. */
unsigned int fcn_cross_core_count(const struct fcn_cross_core *h);

/**
 * For the receiver: obey the PFC and PAUSE frames that the sender has received for its ports, from
 * the time of their reception.
 */
void fcn_cross_core_obey_pauses(struct fcn_worker *w, struct fcn_cross_core *h);

#endif /* CROSS_CORE_H */
