/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Packet trimming: a packet that its class queue refuses is cut to its headers, which go on to the
 * receiver in a class of their own (UEC 1.0; `packet trimming` of SAI). Used by the stages only.
 */

#ifndef TRIM_H
#define TRIM_H

#include "queue_target.h"

/**
 * Trim a packet that its class queue has refused, if the queue is configured so and the limits of
 * trimmed packets permit it. The bytes behind the first ones are cut off, the lengths in its IP
 * headers are those of what is left, and it has the class and the DSCP of trimmed packets. It is to
 * be queued again: it belongs to no account any more.
 *
 * @param t   the queue that has refused it
 * @param why the reason
 * @return whether it was trimmed; if not, the caller drops it
 */
bool fcn_trim(struct fcn_worker *w, struct rte_mbuf *m, struct fcn_packet *p,
		const struct fcn_queue_target *t, enum fcn_queue_verdict why);

/**
 * Tell the sender of a packet that its class queue has refused, if it did so for lack of room: a
 * notice returns what the sender needs to know of the packet. The packet itself stays as it is.
 *
 * @param t   the queue that has refused it, which is configured so
 * @param why the reason
 */
void fcn_trim_return(struct fcn_worker *w, const struct rte_mbuf *m, struct fcn_packet *p,
		const struct fcn_queue_target *t, enum fcn_queue_verdict why);

#endif /* TRIM_H */
