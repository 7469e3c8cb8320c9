/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The tests of lib/queue append packets one by one, as the enqueue stage of the dataplane does on
 * its slow path.
 */

#ifndef QUEUE_PUSH_H
#define QUEUE_PUSH_H

#include "fcn_queue.h"

/** Append a packet, or refuse and count it, by the queue's own limits. */
static inline enum fcn_queue_verdict
queue_push(struct fcn_queue *q, const struct fcn_queue_conf *conf, struct rte_mbuf *m, uint32_t len,
		uint16_t flags, uint64_t now)
{
	enum fcn_queue_verdict v = fcn_queue_check(q, conf, FCN_PACKETS_ANY, len);

	if (v == FCN_QUEUE_ACCEPTED)
		fcn_queue_append(q, m, len, flags, now);
	else
		fcn_queue_count_drop(q, v, len);
	return v;
}

#endif /* QUEUE_PUSH_H */
