/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Admission of packets to class queues: the accounts on which the bytes of a queued packet count,
 * and the actions when it leaves its queue. Used by the stages only.
 */

#ifndef ADMIT_H
#define ADMIT_H

#include "fcn_stages.h"

/**
 * Decide whether a packet may be queued, and if so, add its bytes to its account.
 *
 * @param eg    class queues of the egress port
 * @param len   length of the packet in bytes
 * @param flags flags of its queue entry: FCN_ENTRY_LOSSLESS or FCN_ENTRY_CHARGED may be added
 * @return FCN_QUEUE_ACCEPTED when it may be queued, otherwise the reason of the refusal
 */
enum fcn_queue_verdict fcn_admit(struct fcn_worker *w, const struct fcn_packet *p,
		struct fcn_egress *eg, const struct fcn_queue_conf *conf, uint32_t len,
		uint16_t *flags);

/**
 * Add the bytes of a series of packets to their account at once, if fcn_admit() would certainly
 * accept each of them. They have the same egress key, and those of a lossless class the same
 * ingress port; their queue accepts them by its own limits.
 *
 * @param p     the first of the packets
 * @param bytes sum of their lengths
 * @param n     their number
 * @return false if fcn_admit() has to decide about each of them; nothing has changed
 */
bool fcn_admit_all(struct fcn_worker *w, const struct fcn_packet *p, struct fcn_queue *q,
		const struct fcn_queue_conf *conf, uint32_t bytes, uint32_t n);

/** Do what fcn_admit_all() does when it is true. It must be certain that it would be. */
void fcn_admit_add(struct fcn_worker *w, const struct fcn_packet *p, struct fcn_queue *q,
		const struct fcn_queue_conf *conf, uint32_t bytes, uint32_t n);

/** Check whether fcn_admit_all() would be true, for so many bytes and packets and for fewer.
 * Nothing changes. */
bool fcn_admits_all(const struct fcn_worker *w, const struct fcn_packet *p,
		const struct fcn_queue *q, const struct fcn_queue_conf *conf, uint32_t bytes,
		uint32_t n);

/**
 * Check whether fcn_admit() would accept a packet, or would never do so as long as the
 * configuration stays the same.
 *
 * @param len length of the packet in bytes
 */
bool fcn_admit_has_room(const struct fcn_worker *w, const struct fcn_packet *p,
		const struct fcn_egress *eg, const struct fcn_queue_conf *conf, uint32_t len);

/**
 * Store in the mbuf the facts that are needed when the packet leaves its queue, and set flags of
 * its entry.
 */
void fcn_note_dequeue_actions(const struct fcn_worker *w, const struct fcn_packet *p,
		struct rte_mbuf *m, struct fcn_queue *q, const struct fcn_queue_conf *conf,
		uint16_t *flags);

/**
 * Run the FCN_ENTRY_DEQUEUE_ACTIONS of an entry that has left its queue. The mbuf must not have
 * been freed or passed to a port.
 */
void fcn_run_dequeue_actions(struct fcn_worker *w, struct fcn_queue *q,
		const struct fcn_queue_conf *conf, const struct fcn_queue_entry *e);

/**
 * Run the FCN_ENTRY_DEQUEUE_ACTIONS of entries that have left the queues of a port, and remove the
 * actions from the entries. Successive packets on one account are removed from it together.
 *
 * @param conf the configuration of the port's egress
 */
void fcn_run_all_dequeue_actions(struct fcn_worker *w, struct fcn_egress *eg,
		const struct fcn_egress_conf *conf, struct fcn_queue_entry *e, unsigned int n);

/** Compute the use of the shared buffer again, after the configuration has changed. */
void fcn_admit_recount(struct fcn_worker *w);

#endif /* ADMIT_H */
