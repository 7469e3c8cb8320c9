/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Packets that were to be sent and never will be, at the egress port; for the
 * stages alone.
 */

#ifndef DISCARD_H
#define DISCARD_H

#include "fcn_stages.h"

/**
 * Drop packets from the head of a class queue, as many as a turn may.
 *
 * @param why a refusal that stands for the loss
 * @return packets dropped
 */
unsigned int fcn_discard_queued(struct fcn_worker *w, uint16_t port, unsigned int class,
		enum fcn_queue_verdict why);

/** The port has no link: what waits for it is dropped, a part of it a turn. @return packets */
unsigned int fcn_discard_down(struct fcn_worker *w, uint16_t port);

/**
 * Drop those of some entries, pulled from their queues, that are longer than
 * the device may be given; the rest close up in order.
 * @return entries left
 */
unsigned int fcn_drop_oversize(struct fcn_worker *w, uint16_t port, struct fcn_queue_entry *e,
		unsigned int n, uint32_t max_frame);

/**
 * The device took none of the staged packets. When that has been so for a
 * second, the first of them is dropped: it may be the one that the device
 * cannot take, and if not, what waits gets too old. From then on one a turn,
 * until the device takes something.
 *
 * @return whether a packet was dropped
 */
bool fcn_discard_refused(struct fcn_worker *w, uint16_t port);

#endif /* DISCARD_H */
