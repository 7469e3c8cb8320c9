/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * A packet that is ready: only its class queue is left to come. Its headers are those with which it
 * will leave, and its egress port and class are known.
 *
 * On the way to the queue it is an entry as those of queues, with a word that says what the queue
 * has to know of it. So a packet that was recognised at receipt needs no struct fcn_packet, unless
 * its queue is congested, when fcn_ready_packet() makes it from the frame and the entry.
 */

#ifndef FCN_READY_H
#define FCN_READY_H

#include "fcn_burst.h"
#include "fcn_queue.h"
#include "fcn_snapshot.h"

/* struct fcn_queue_entry.flags of a packet that is ready */
/** Its struct fcn_packet is beside the entry. */
#define FCN_READY_BESIDE 0x0001
/** Its class is lossless at its ingress port. */
#define FCN_READY_LOSSLESS 0x0002
/** With FCN_READY_LOSSLESS: it counts on an account of the worker that received it already. */
#define FCN_READY_ACCOUNTED 0x0004
/** It is a notice, of the kind in FCN_READY_KIND; otherwise it is RoCEv2. */
#define FCN_READY_NOTICE 0x0008
#define FCN_READY_KIND_SHIFT 8 /**< position of the bits of FCN_READY_KIND */
#define FCN_READY_KIND 0xFF00  /**< mask: enum fcn_notice_kind_number */

/**
 * The slots for the next entries, in the ring of a class queue, in a cross-core ring or in a list.
 */
struct fcn_ready_slots {
	struct fcn_queue_entry *next; /**< slot of the next packet */
	struct fcn_queue_entry *end;  /**< end of the slots that may be written to */
};

/**
 * Packets of a turn that are ready, but cannot be queued yet: their queue is congested, or a packet
 * in front of them passes through the stages. They stand in the order in which they were received,
 * each of those in front with an entry that has FCN_READY_BESIDE.
 */
struct fcn_ready_list {
	struct fcn_ready_slots slots;
	uint32_t bytes; /**< sum of the lengths of those that are ready */
	bool all;       /**< all packets that follow wait */
	/**
	 * Packets to different queues are queued in the order in which they were received, too,
	 * because accounts or IOAM data depend on it.
	 */
	bool in_order;
	bool some; /**< `classes` is not all zeros */
	/** By egress port: bit set of the classes that packets wait for. */
	uint8_t classes[FCN_MAX_PORTS];
	struct fcn_queue_entry entry[FCN_BURST_MAX];
};

/** Combine egress port and class. */
static inline uint32_t
fcn_ready_to(uint16_t port, uint8_t class)
{
	return (uint32_t)port << 8 | class;
}

/**
 * Get struct fcn_queue_entry.meta of a packet that is ready.
 *
 * @param to      of fcn_ready_to(): the port is below 256
 * @param in_port its ingress port, below 65536
 * @param len     bytes of the frame
 * @param flags   FCN_READY_*
 */
static inline uint64_t
fcn_ready_meta(uint32_t to, uint16_t in_port, uint16_t len, uint16_t flags)
{
	return fcn_queue_meta(to | (uint32_t)in_port << 16, len, flags);
}

/** The same for a packet that has its metadata. */
static inline uint64_t
fcn_ready_meta_of(const struct fcn_packet *p, uint16_t len)
{
	uint16_t flags = FCN_READY_BESIDE;

	/* The limits of a queue are all that a notice without a trace meets there. */
	if ((p->flags & (uint16_t)~FCN_PACKET_KIND) == FCN_PACKET_NOTICE && p->trace == 0)
		flags = FCN_READY_NOTICE |
			(uint16_t)(fcn_packet_notice_kind(p) << FCN_READY_KIND_SHIFT);
	return fcn_ready_meta(fcn_ready_to(p->out_port, p->class), p->in_port, len, flags);
}

/** Get the egress port and the class of a packet that is ready: fcn_ready_to(). */
static inline uint32_t
fcn_ready_where(const struct fcn_queue_entry *e)
{
	return e->enqueued_ns & 0xFFFF;
}

/** Get its ingress port. */
static inline uint16_t
fcn_ready_in_port(const struct fcn_queue_entry *e)
{
	return (uint16_t)(e->enqueued_ns >> 16);
}

/** Get the kind of a notice. */
static inline unsigned int
fcn_ready_notice_kind(const struct fcn_queue_entry *e)
{
	return (e->flags & FCN_READY_KIND) >> FCN_READY_KIND_SHIFT;
}

/** Get the index in the burst of a packet that passes through the stages. */
static inline uint32_t
fcn_ready_index(const struct fcn_queue_entry *e)
{
	return e->enqueued_ns;
}

/** Empty the list, before the packets of a turn. */
static inline void
fcn_ready_begin(struct fcn_ready_list *ready)
{
	ready->slots = (struct fcn_ready_slots){ready->entry, ready->entry + RTE_DIM(ready->entry)};
	ready->bytes = 0;
	ready->all = false;
	if (unlikely(ready->some))
		memset(ready->classes, 0, sizeof(ready->classes));
	ready->some = false;
}

/** Get the number of packets in the list, with those that pass through the stages. */
static inline uint32_t
fcn_ready_count(const struct fcn_ready_list *ready)
{
	return (uint32_t)(ready->slots.next - ready->entry);
}

/** Note that a packet, which is about to be put into the burst, passes through the stages. */
static inline void
fcn_ready_pass(struct fcn_ready_list *ready, const struct fcn_burst *b, struct rte_mbuf *m)
{
	struct fcn_queue_entry *e = ready->slots.next++;

	e->mbuf = m;
	e->meta = fcn_queue_meta(b->n, 0, FCN_READY_BESIDE);
}

/** Make the metadata of a packet that is ready, without FCN_READY_BESIDE. */
void fcn_ready_packet(const struct fcn_snapshot *s, const struct fcn_queue_entry *e,
		struct fcn_packet *p);

#endif /* FCN_READY_H */
