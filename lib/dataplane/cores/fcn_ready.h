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
#include "fcn_parse_trace.h"
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
/** In a cross-core ring: its packet was dropped, as its port was removed. */
#define FCN_READY_GONE 0x0010
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
	/**
	 * Packets to different queues are queued in the order in which they were received, too,
	 * because accounts or IOAM data depend on it.
	 */
	bool in_order;
	uint8_t all; /**< bit set of the classes of which all packets that follow wait */
	bool some;   /**< `all` or `classes` has bits */
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
	if (p->flags == FCN_PACKET_NOTICE && p->trace == 0)
		flags = FCN_READY_NOTICE | (uint16_t)(p->notice_kind << FCN_READY_KIND_SHIFT);
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

/** Mask: what struct fcn_queue_entry.meta says beside the length of the frame. */
#define FCN_READY_ALIKE (~fcn_queue_meta(0, UINT16_MAX, 0))

/** Empty the list, before the packets of a turn. */
static inline void
fcn_ready_begin(struct fcn_ready_list *ready)
{
	ready->slots = (struct fcn_ready_slots){ready->entry, ready->entry + RTE_DIM(ready->entry)};
	ready->bytes = 0;
	ready->all = 0;
	if (unlikely(ready->some))
		memset(ready->classes, 0, sizeof(ready->classes));
	ready->some = false;
}

/**
 * Note that n packets, which are about to be put into the burst, pass through the stages. One entry
 * stands for all of them: with the index of the first as struct fcn_queue_entry.enqueued_ns, and
 * their number as the length.
 */
static inline void
fcn_ready_pass(struct fcn_ready_list *ready, const struct fcn_burst *b, unsigned int n)
{
	struct fcn_queue_entry *e = ready->slots.next;

	if (e != ready->entry && e[-1].flags & FCN_READY_BESIDE) {
		e[-1].len += n;
		return;
	}
	e->mbuf = NULL;
	e->meta = fcn_queue_meta(b->n, n, FCN_READY_BESIDE);
	ready->slots.next++;
}

/** Make the metadata of a packet that is ready, without FCN_READY_BESIDE, but for `info`. */
struct fcn_packet fcn_ready_packet(const struct fcn_snapshot *s, const struct fcn_queue_entry *e);

/**
 * The part of fcn_ready_headers() that is not inline. It takes the packets whose RoCEv2 headers do
 * not directly follow the IPv6 header: with an IOAM trace, over IPv4, in a tunnel, or a notice.
 */
void fcn_ready_other_headers(const struct rte_mbuf *m, const struct fcn_parse_codes *codes,
		struct fcn_trace_layout *known, struct fcn_wire_info *info);

/**
 * Write what the parser finds in a packet that is ready.
 *
 * @param codes of the snapshot
 * @param known layout of the IOAM trace that was read last; its `head` is 0 before the first one
 */
static inline void
fcn_ready_headers(const struct rte_mbuf *m, const struct fcn_parse_codes *codes,
		struct fcn_trace_layout *known, struct fcn_wire_info *info)
{
	const uint8_t *data = rte_pktmbuf_mtod(m, const uint8_t *);
	const uint64_t ip6 = fcn_get_be64(data + RTE_ETHER_HDR_LEN);

	/* It was recognised as RoCEv2 before, so this is all that is left to find out. */
	if (likely((ip6 & UINT64_C(0xF00000000000FF00)) == (UINT64_C(6) << 60 | IPPROTO_UDP << 8)))
		fcn_parse_fast_info(data, ip6, info);
	else
		fcn_ready_other_headers(m, codes, known, info);
}

#endif /* FCN_READY_H */
