/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The segment list of an SRv6 headend: the SIDs that a packet visits, and how they are written. It
 * is a path of a route, whether the configuration or a route of the Linux kernel (`encap seg6`)
 * names it. What else an outer header contains, such as its source address, belongs to the policy.
 */

#ifndef FCN_SEGMENT_LIST_H
#define FCN_SEGMENT_LIST_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "fcn_srv6_encaps.h"

/** Maximum number of different segment lists of the Linux kernel, and of its local SIDs. */
#define FCN_SRV6_KERNEL_LISTS 1024

/** A segment list. Lists are compared as bytes, so segments from n on are all zero. */
struct fcn_segment_list {
	uint8_t mode; /**< enum fcn_srv6_encaps_mode */
	uint8_t n;    /**< number of segments, 1 to FCN_SRV6_MAX_SEGMENTS */
	/** in the order in which they are visited, network byte order */
	uint8_t segment[FCN_SRV6_MAX_SEGMENTS][16];
};

/** Tell whether two lists are the same. Pure, safe from any thread. */
static inline bool
fcn_segment_list_is_same(const struct fcn_segment_list *a, const struct fcn_segment_list *b)
{
	return memcmp(a, b, sizeof(*a)) == 0;
}

#endif /* FCN_SEGMENT_LIST_H */
