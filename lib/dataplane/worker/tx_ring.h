/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Number of bytes in the transmit ring of a device. The device reports how many descriptors have
 * not been sent (a frame of several buffers has several), and this structure keeps the lengths of
 * the frames passed to it last. It is used by one worker; there are no locks.
 */

#ifndef TX_RING_H
#define TX_RING_H

#include <stdint.h>

#include "fcn_queue.h"

#define FCN_TX_RING_PACKETS 1024 /**< descriptors remembered, power of two */

struct fcn_tx_ring {
	uint64_t n;                         /**< descriptors passed to the device so far */
	uint32_t sum;                       /**< their bytes, modulo 2^32 */
	uint32_t upto[FCN_TX_RING_PACKETS]; /**< value of sum after each of the last descriptors */
};

/**
 * Record a frame that was passed to the device, with a descriptor for each segment. Its bytes count
 * until the last descriptor has been sent.
 */
static inline void
fcn_tx_ring_add(struct fcn_tx_ring *r, uint32_t len, unsigned int segments)
{
	for (; segments > 1; segments--)
		r->upto[r->n++ % FCN_TX_RING_PACKETS] = r->sum;
	r->sum += len;
	r->upto[r->n++ % FCN_TX_RING_PACKETS] = r->sum;
}

/** Record packets that were passed to the device. @param segments number of segments of each */
static inline void
fcn_tx_ring_note(struct fcn_tx_ring *r, const struct fcn_queue_entry *e, const uint16_t *segments,
		unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		fcn_tx_ring_add(r, e[i].len, segments[i]);
}

/**
 * Get the number of bytes of the last `backlog` descriptors, as far as they are remembered; 0 when
 * `backlog` is negative, because the device cannot report it.
 */
static inline uint32_t
fcn_tx_ring_bytes(const struct fcn_tx_ring *r, int backlog)
{
	uint64_t n = backlog < 0 ? 0 : (uint64_t)backlog;

	n = RTE_MIN(n, r->n);
	n = RTE_MIN(n, (uint64_t)FCN_TX_RING_PACKETS - 1);
	if (n == 0)
		return 0;
	return r->sum - (n == r->n ? 0 : r->upto[(r->n - n - 1) % FCN_TX_RING_PACKETS]);
}

#endif /* TX_RING_H */
