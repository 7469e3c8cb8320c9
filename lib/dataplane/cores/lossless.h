/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Lossless classes: the accounts of their packets, and the way of their packets to other workers.
 * Used by the stages only.
 *
 * A packet counts on an account of the worker that received it, from the time when it is queued or
 * enters a cross-core ring until it leaves its queue, whichever worker has that queue. The worker
 * that has the queue reports the bytes that left to the worker that has the account. So one account
 * contains everything received by a receive queue, and one threshold applies to it. Packets for
 * which the ring to another worker has no room are held back, in order.
 *
 * An account has two parts with the same rules: bytes, and packets, which are limited by the packet
 * buffers that there are. The sender is paused as long as one of them requires it.
 */

#ifndef LOSSLESS_H
#define LOSSLESS_H

#include "cross_core.h"
#include "fcn_port_set.h"
#include "fcn_stages.h"

/** Maximum number of packets that a worker can hold back, for all ports together. */
#define FCN_HELD_PACKETS 4096

/** A packet that is held back. */
struct fcn_held {
	struct fcn_packet packet;
	struct rte_mbuf *mbuf;
	/** Index of the next one; FCN_HELD_NONE: it is the last one of its class and ring, or of
	 * the free list. */
	uint32_t next;
};

/** Bytes that have left queues of one worker and were charged to accounts of another. */
struct fcn_released {
	/* written by the worker with the queues; both workers write `dirty` */
	/** Ports with bytes that the worker with the accounts has not processed. */
	struct fcn_port_set dirty __rte_cache_aligned;
	uint64_t bytes[FCN_MAX_PORTS][FCN_CLASSES];   /**< total */
	uint32_t packets[FCN_MAX_PORTS][FCN_CLASSES]; /**< total, modulo 2^32 */
	/* used only by the worker with the accounts: the part that it has processed */
	uint64_t seen[FCN_MAX_PORTS][FCN_CLASSES] __rte_cache_aligned;
	uint32_t seen_packets[FCN_MAX_PORTS][FCN_CLASSES];
};

/**
 * Get the parent port of the ingress port of a packet. Lossless classes belong to the link, which
 * the parent port has.
 */
static inline uint16_t
fcn_parent_port_of(const struct fcn_worker *w, const struct fcn_packet *p)
{
	return w->snap->port[p->in_port].parent;
}

/** Allocate the memory for packets that a worker holds back. @return 0 or -ENOMEM */
int fcn_lossless_init(struct fcn_worker *w);
/** Free this memory. No packet may be held back any more. */
void fcn_lossless_fini(struct fcn_worker *w);

/**
 * Add a packet to its account.
 *
 * @return FCN_QUEUE_ACCEPTED; otherwise there is no headroom left, and the loss is counted
 */
enum fcn_queue_verdict fcn_lossless_charge(
		struct fcn_worker *w, uint16_t parent, uint8_t class, uint32_t len);

/**
 * Check whether fcn_lossless_charge() would certainly accept each of a series of packets, and would
 * not let their sender pause.
 *
 * @param bytes sum of their lengths, or more
 * @param n     number of packets, or more
 */
bool fcn_lossless_admits_all(const struct fcn_worker *w, uint16_t parent, uint8_t class,
		uint32_t bytes, uint32_t n);

/** Add a series of packets for which fcn_lossless_admits_all() is true to their account at once. */
void fcn_lossless_add_all(
		struct fcn_worker *w, uint16_t parent, uint8_t class, uint32_t bytes, uint32_t n);

/** Count a packet of a lossless class that is lost for another reason, and push an event. */
void fcn_lossless_lost(struct fcn_worker *w, uint16_t parent, uint8_t class, uint32_t len);

/** Remove the bytes of a packet that leaves its queue, or is dropped, from its account. */
void fcn_lossless_release(
		struct fcn_worker *w, const struct rte_mbuf *m, uint8_t class, uint32_t len);

/**
 * Remove the bytes of several packets from their account at once, as fcn_lossless_release() does
 * for one: those of the first entry, which has left its queue, and of the entries behind it up to
 * the first that is on another account. FCN_ENTRY_LOSSLESS is the only dequeue action of these
 * entries, and is removed from them.
 *
 * @param n number of entries in `e`, at least 1
 * @return number of entries whose bytes were removed
 */
unsigned int fcn_lossless_release_run(
		struct fcn_worker *w, struct fcn_queue_entry *e, unsigned int n);

/**
 * Put packets `from` to `from + n - 1`, which have the same egress key and belong to a lossless
 * class, on a cross-core ring. Packets that find no room are held back, or dropped and counted as a
 * loss.
 */
void fcn_lossless_cross_core_tx(
		struct fcn_worker *w, struct fcn_burst *b, unsigned int from, unsigned int n);

/**
 * Remove the bytes that have left at other workers from the accounts, and move packets that were
 * held back to their rings.
 */
void fcn_lossless_poll(struct fcn_worker *w);

/** Check whether fcn_lossless_poll() may have work to do. */
bool fcn_lossless_is_waiting(const struct fcn_worker *w);

/** Drop the packets that are held back for a port that is being removed. */
void fcn_lossless_drop_held(struct fcn_worker *w, struct fcn_cross_core *h, uint16_t port);

#endif /* LOSSLESS_H */
