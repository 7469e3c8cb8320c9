/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Number of descriptors of a transmit ring that wait to be sent, determined from the status of a
 * few of them.
 */

#ifndef FCN_TX_BACKLOG_H
#define FCN_TX_BACKLOG_H

#include <stdint.h>

/**
 * Callback that checks whether a descriptor waits to be sent.
 *
 * @param offset distance from the descriptor of the next packet, round the ring
 * @return 1: it waits; 0: it does not; negative: unknown
 */
typedef int (*fcn_tx_probe)(void *arg, uint16_t offset);

/**
 * Count the waiting descriptors by binary search, with at most 2 + log2(size) calls of the
 * callback.
 *
 * The waiting descriptors are contiguous at one end of the range of offsets. According to the DPDK
 * API that is the high end, just before the descriptor of the next packet. Some drivers count
 * offsets from the oldest descriptor, and have them at the low end. With a driver that marks only
 * every n-th descriptor as done, the result is a multiple of n.
 *
 * @param size number of descriptors of the ring, above 0
 * @return number of waiting descriptors; negative when the callback returns a negative number
 */
int fcn_tx_backlog_find(fcn_tx_probe probe, void *arg, uint16_t size);

#endif /* FCN_TX_BACKLOG_H */
