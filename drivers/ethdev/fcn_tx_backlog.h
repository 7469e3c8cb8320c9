/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * How many descriptors of a transmit ring have not left yet, found out by
 * asking about some of them.
 */

#ifndef FCN_TX_BACKLOG_H
#define FCN_TX_BACKLOG_H

#include <stdint.h>

/**
 * Whether a descriptor waits to be sent.
 *
 * @param offset from the place where the next packet goes on, round the ring
 * @return 1: it waits; 0: it does not; negative: cannot be told
 */
typedef int (*fcn_tx_probe)(void *arg, uint16_t offset);

/**
 * Descriptors that wait, by binary search: at most 2 + log2(size) questions.
 *
 * Those that wait lie together at one end of the offsets. By the API that is the
 * far end, just behind where the next packet goes; some drivers count from the
 * oldest one on, and have them at the near end. A driver that marks only every
 * n-th descriptor as done answers in steps of n.
 *
 * @param size descriptors of the ring, above 0
 * @return negative when a question is answered so
 */
int fcn_tx_backlog_find(fcn_tx_probe probe, void *arg, uint16_t size);

#endif /* FCN_TX_BACKLOG_H */
