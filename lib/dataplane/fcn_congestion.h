/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * What is done about congestion, once a detector has seen it; for the stages alone.
 */

#ifndef FCN_CONGESTION_H
#define FCN_CONGESTION_H

#include "fcn_stages.h"

/** CE-mark a packet, if it is ECT. */
void fcn_congestion_mark(struct fcn_queue *q, struct rte_mbuf *m, struct fcn_packet *p);

/**
 * A packet that the detector chose: its sender is notified, or not.
 *
 * @param p         port, class and level are those it met; its verdict is set
 * @param occupancy bytes of the queue, the packet included
 * @return whether to CE-mark it
 */
bool fcn_congestion_decide(struct fcn_worker *w, const struct rte_mbuf *m, struct fcn_packet *p,
		struct fcn_queue *q, const struct fcn_queue_conf *conf, uint32_t occupancy);

/** A queue became congested with a packet. */
void fcn_congestion_began(struct fcn_worker *w, const struct fcn_packet *p, struct fcn_egress *eg,
		uint32_t occupancy);

/** A queue is not congested any more. */
void fcn_congestion_ended(
		struct fcn_worker *w, uint16_t port, struct fcn_egress *eg, unsigned int class);

/** Let congested queues of a port see what is left of them, and that time passes. */
void fcn_congestion_tick(struct fcn_worker *w, uint16_t port, struct fcn_egress *eg);

#endif /* FCN_CONGESTION_H */
