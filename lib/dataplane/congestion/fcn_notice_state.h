/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Notices at a worker: buffers for new ones, and their accounting.
 */

#ifndef FCN_NOTICE_STATE_H
#define FCN_NOTICE_STATE_H

#include <stdint.h>

#include <rte_mbuf.h>
#include <rte_mempool.h>

#include "fcn_counter.h"
#include "fcn_drop.h"
#include "fcn_notice_kind.h"

struct fcn_worker;

/** Instead of the next hop of a notice: the bridge sends it back to the sender of the packet. */
#define FCN_NOTICE_BY_BRIDGE UINT32_MAX

/** The fields of a new buffer that rte_pktmbuf_reset() sets, as they stand in it. */
struct fcn_buffer_reset {
	const struct rte_mempool *pool; /**< that they are of; NULL: none yet */
	uint64_t rearm[2];              /**< from rearm_data, up to ol_flags */
	uint64_t fields[2];             /**< from rx_descriptor_fields1 on, vlan_tci included */
};

/** Buffers for notices, which are allocated in bulk. */
struct fcn_spare_buffers {
	struct rte_mbuf *mbuf[FCN_NOTICE_MAX];
	unsigned int n; /**< number of elements of `mbuf` */
	struct fcn_buffer_reset reset;
};

/* In `show notify`, by kind; the form of the list is described in fcn_counter.h. */
#define FCN_NOTICE_COUNTERS(X)                                                          \
	X(carried, "carried", GAUGE, "notify_carried_notices",                          \
			"Notices that were still in the switch when the counters were " \
			"last cleared")                                                 \
	X(made, "made", COUNTER, "notify_made_notices", "Notices generated")            \
	X(transmitted, "transmitted", COUNTER, "notify_transmitted_notices",            \
			"Notices passed to a port's device for transmission")           \
	X(taken, "taken", COUNTER, "notify_taken_notices",                              \
			"Notices that the switch took itself, as it is their receiver") \
	X(queued, "queued", GAUGE, "notify_queued_notices", "Notices in class queues")

/**
 * Accounting of the notices of one kind that a worker made or received from other workers. The sum
 * over all workers fulfils carried + made = transmitted + taken + lost + queued + cross_core_tx
 * - cross_core_rx.
 */
struct fcn_notice_accounting {
	FCN_NOTICE_COUNTERS(FCN_COUNTER_MEMBER)
	uint64_t cross_core_tx; /**< put on cross-core rings to the owners of their ports */
	uint64_t cross_core_rx; /**< taken from cross-core rings */
	/** Made and dropped later, by reason; they are also part of struct fcn_port_counters.drop.
	 */
	uint64_t lost[FCN_DROP_REASON_COUNT];
};

/**
 * Add the accounting of a worker's notices of a kind to a sum. To be called by fcn_worker_call(),
 * or while the worker does not run.
 */
void fcn_worker_notice_accounting(
		const struct fcn_worker *w, unsigned int kind, struct fcn_notice_accounting *sum);

/** Add an accounting of notices to a sum. */
void fcn_notice_accounting_add(
		struct fcn_notice_accounting *sum, const struct fcn_notice_accounting *l);

/** Get the number of notices that were lost after they were made, for any reason. */
uint64_t fcn_notice_accounting_lost(const struct fcn_notice_accounting *l);

/**
 * Set an accounting of notices to zero. Notices in queues and in cross-core rings stay in it as
 * carried, because they are counted as transmitted or lost later, perhaps by another worker.
 */
void fcn_notice_accounting_clear(struct fcn_notice_accounting *l);

#endif /* FCN_NOTICE_STATE_H */
