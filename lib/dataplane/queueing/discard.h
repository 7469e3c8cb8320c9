/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Dropping of queued packets that cannot be sent; the egress port counts the drops. Used by the
 * stages only.
 */

#ifndef DISCARD_H
#define DISCARD_H

#include "fcn_stages.h"

/**
 * Drop packets from the head of a class queue, at most 256.
 *
 * @param why refusal that is counted as the reason
 * @return number of packets dropped
 */
unsigned int fcn_discard_queued(struct fcn_worker *w, uint16_t port, unsigned int class,
		enum fcn_queue_verdict why);

/**
 * Drop packets for a port without a link: those that were offered to the device, and a part of each
 * class queue.
 *
 * @return number of packets dropped
 */
unsigned int fcn_discard_down(struct fcn_worker *w, uint16_t port);

/**
 * Drop those entries, which have left their queues, that are longer than max_frame bytes. The
 * others are moved together, in order.
 *
 * @return number of entries left
 */
unsigned int fcn_drop_oversize(struct fcn_worker *w, uint16_t port, struct fcn_queue_entry *e,
		unsigned int n, uint32_t max_frame);

/**
 * Handle a device that has accepted none of the packets offered to it. After a second of this, drop
 * the first of the packets, because the device may be unable to send it, or the packets get too
 * old. From then on, drop one in each turn until the device accepts a packet.
 *
 * @return whether a packet was dropped
 */
bool fcn_discard_refused(struct fcn_worker *w, uint16_t port);

#endif /* DISCARD_H */
