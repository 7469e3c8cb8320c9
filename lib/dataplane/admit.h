/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Which account a packet's bytes stand on while it is queued, and what is
 * to be done when it leaves its queue; for the stages alone.
 */

#ifndef ADMIT_H
#define ADMIT_H

#include "fcn_stages.h"

/**
 * Whether a packet may be queued; it stands on an account then.
 *
 * @param flags of its entry: FCN_ENTRY_LOSSLESS or _CHARGED is added where one of them applies
 */
enum fcn_queue_verdict fcn_admit(struct fcn_worker *w, const struct fcn_packet *p,
		struct fcn_egress *eg, const struct fcn_queue_conf *conf, uint32_t len,
		uint16_t *flags);

/** Leave in the mbuf what is needed of the packet when it leaves the queue. */
void fcn_note_dequeue_actions(const struct fcn_worker *w, const struct fcn_packet *p,
		struct rte_mbuf *m, struct fcn_queue *q, const struct fcn_queue_conf *conf,
		uint16_t *flags);

/** Do what an entry's FCN_ENTRY_DEQUEUE_ACTIONS say. It left the queue, its mbuf is still here. */
void fcn_run_dequeue_actions(struct fcn_worker *w, struct fcn_queue *q,
		const struct fcn_queue_conf *conf, const struct fcn_queue_entry *e);

/** Bring the shared buffer's sums in line with the configuration. */
void fcn_admit_recount(struct fcn_worker *w);

#endif /* ADMIT_H */
