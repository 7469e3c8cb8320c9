/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Adaptive Routing Notifications that a congested switch sends to its upstream neighbours: from
 * packets that met congestion to messages, see fcn_arn_sender.h. Used by the stages only.
 */

#ifndef ARN_SEND_H
#define ARN_SEND_H

#include "fcn_stages.h"

/**
 * Ask the upstream neighbours of the port that received a packet to halt its traffic.
 *
 * @param p     gets FCN_REACTION_HALT if there is a halt
 * @param m     the packet as it will leave
 * @param cause its key, time, level and reason; the rest is written
 * @return whether there is a halt; if not, the reason was counted
 */
bool fcn_arn_ask(struct fcn_worker *w, const struct rte_mbuf *m, struct fcn_packet *p,
		struct fcn_arn_cause *cause);

/**
 * Ask the upstream neighbours to halt the traffic of a packet that met congestion in a queue whose
 * policy wants it.
 *
 * @param p its port and class are those of the queue; gets FCN_REACTION_HALT if there is a halt
 * @param m the packet as it will leave
 */
void fcn_arn_congested(struct fcn_worker *w, const struct rte_mbuf *m, struct fcn_packet *p,
		const struct fcn_queue_conf *conf);

/**
 * Ask the upstream neighbours to halt the traffic of a packet that goes to a queue that is paused
 * or halted: one that has been paused long enough, or whose halt is to be passed on. Parameters as
 * fcn_arn_congested(); its class is in fcn_egress.paused or fcn_egress.halted.
 */
void fcn_arn_waits(struct fcn_worker *w, const struct rte_mbuf *m, struct fcn_packet *p,
		const struct fcn_queue_conf *conf);

/**
 * Find the classes of a port whose pause or halt concerns upstream neighbours, and tell these that
 * pauses have ended. To be called when pauses or halts have begun or ended.
 */
void fcn_arn_update_paused(struct fcn_worker *w, uint16_t port);

/** Tell the upstream neighbours that the congestion of a queue has ended. */
void fcn_arn_congestion_ended(struct fcn_worker *w, uint16_t port, unsigned int class);

/**
 * Build the messages that are due into a burst, which continues with the stage `route` as notices
 * do. The work is bounded; what is left is due in the next turn.
 */
void fcn_arn_make_due(struct fcn_worker *w, struct fcn_burst *b);

/** Adapt the halts to a new snapshot. */
void fcn_arn_reconfigure(struct fcn_worker *w);

#endif /* ARN_SEND_H */
