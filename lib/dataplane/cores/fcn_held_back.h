/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * What a worker knows of the packets of lossless classes that it holds back, because cross-core
 * rings are full: see lossless.h.
 */

#ifndef FCN_HELD_BACK_H
#define FCN_HELD_BACK_H

#include <stdint.h>

struct fcn_held;

/** Packets that are held back. */
struct fcn_held_back {
	struct fcn_held *packet; /**< FCN_HELD_PACKETS elements; NULL: there is one worker only */
	uint32_t first_free;     /**< index of the first free element */
	uint32_t n;              /**< number of packets */
	uint32_t peers; /**< bit set of the elements of `peer` that packets are held back for */
};

#endif /* FCN_HELD_BACK_H */
