/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Lossless classes: the accounts that their packets stand on, and their way to other
 * workers; for the stages alone.
 *
 * A packet stands on the account of the worker that received it, from the moment it is
 * queued, or is on its way to another worker, until it leaves its queue, whichever
 * worker's that is. That worker tells the account's worker of the bytes that left. So one
 * account holds all that came in by a receive queue, and one threshold covers it. What
 * the ring to another worker has no room for is held back, in order, until it has.
 */

#ifndef LOSSLESS_H
#define LOSSLESS_H

#include "cross_core.h"
#include "fcn_stages.h"

/** Packets that one worker can hold back, for all ports together. */
#define FCN_HELD_PACKETS 4096

/** struct fcn_queued.account of a queued lossless packet: it stands on an account of this worker.
 */
#define FCN_ACCOUNT_OWN UINT16_MAX

/** A packet that is held back. */
struct fcn_held {
	struct fcn_cross_core_packet item;
	uint32_t next; /**< FCN_HELD_NONE: the last of its ring, or of those that are free */
};

/** Bytes that left their queues at one worker, and stand on accounts of another. */
struct fcn_returns {
	/* written by the worker they left at; both write `dirty` */
	uint64_t dirty __rte_cache_aligned; /**< bit set: ports with bytes that were not seen yet */
	uint64_t bytes[FCN_MAX_PORTS][FCN_CLASSES]; /**< ever */
	/* of the worker that has the accounts alone */
	uint64_t seen[FCN_MAX_PORTS][FCN_CLASSES] __rte_cache_aligned;
};

/** The parent port of the one a packet came in by: it has the link, and lossless classes are of a
 * link. */
static inline uint16_t
fcn_parent_port_of(const struct fcn_worker *w, const struct fcn_packet *p)
{
	return w->snap->port[p->in_port].parent;
}

/** Memory for what a worker holds back. @return 0 or -ENOMEM */
int fcn_lossless_init(struct fcn_worker *w);
/** Free that; nothing is held any more. */
void fcn_lossless_fini(struct fcn_worker *w);

/** Put a packet on its account. @return false: it is lost for want of headroom, and counted so */
bool fcn_lossless_charge(struct fcn_worker *w, uint16_t parent, uint8_t class, uint32_t len);

/** Count a packet of a lossless class that is lost for another reason, and tell of it. */
void fcn_lossless_lost(struct fcn_worker *w, uint16_t parent, uint8_t class, uint32_t len);

/** A packet leaves its queue, or is dropped: its bytes leave their account. */
void fcn_lossless_release(
		struct fcn_worker *w, const struct rte_mbuf *m, uint8_t class, uint32_t len);

/**
 * Hand packets `from` to `from + n - 1` over, which all have one egress key and are of a lossless
 * class. What finds no room is held back, or dropped and counted as a loss.
 */
void fcn_lossless_cross_core_tx(
		struct fcn_worker *w, struct fcn_burst *b, unsigned int from, unsigned int n);

/** What left at other workers leaves the accounts here, and what is held back goes on. */
void fcn_lossless_go_on(struct fcn_worker *w);

/** Whether fcn_lossless_go_on() may have something to do. */
bool fcn_lossless_is_waiting(const struct fcn_worker *w);

/** The port goes: what is held back for it is dropped. */
void fcn_lossless_drop_held(struct fcn_worker *w, struct fcn_cross_core *h);

#endif /* LOSSLESS_H */
