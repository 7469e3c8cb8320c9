/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * What would become of a packet now: the stages of the dataplane process it in a worker of its own
 * (fcn_dry_run.h), with what the switch knows at this moment. Nothing is sent, and no counter,
 * token bucket, learned address or queue of the switch changes.
 */

#ifndef FCN_EXPLAIN_H
#define FCN_EXPLAIN_H

#include "fcn_control.h"
#include "fcn_dry_run.h"

/** Packets that one packet can become: copies to all ports, and notices. */
#define FCN_EXPLAIN_OUTPUTS (2 * FCN_MAX_PORTS)

/** What would become of a packet. */
struct fcn_explanation {
	uint16_t in_port;        /**< port that it would be received by */
	uint32_t len;            /**< bytes, without FCS */
	struct fcn_trace *trace; /**< its steps are those of record 0; others are its notices */
	struct fcn_dry_run_output output[FCN_EXPLAIN_OUTPUTS]; /**< packets that come to queues */
	unsigned int n_outputs;
	/** The queues of the port that the packet itself comes to, before it does; NULL: it comes
	 * to none. */
	struct fcn_dry_run_port *queues;
	/** First bytes of the packet as it stands in its class queue; 0 of them: it is in none. */
	uint8_t queued[FCN_TRACE_BYTES];
	uint32_t n_queued;
	bool several_queues; /**< its port has several receive queues, which several workers poll */
};

/**
 * Find out what would become of a packet.
 *
 * @param in_port number of an open port
 * @param frame   the packet from its Ethernet header on, without FCS
 * @param len     1 to FCN_DRY_RUN_MAX_LEN
 * @param ex      written on success; to be freed with fcn_explanation_free()
 * @return 0; -ENOMEM, -EAGAIN: the facts changed all the time; err says it in a line
 */
int fcn_control_explain(struct fcn_control *ctl, uint16_t in_port, const uint8_t *frame,
		uint32_t len, struct fcn_explanation *ex, char *err, size_t err_size);

/** Free what an explanation has. */
void fcn_explanation_free(struct fcn_explanation *ex);

#endif /* FCN_EXPLAIN_H */
