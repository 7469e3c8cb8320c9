/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * State of the walk over a frame, shared by the files that make up
 * fcn_parse_slow(). Internal to lib/wire.
 */

#ifndef FCN_WALK_H
#define FCN_WALK_H

#include <stdbool.h>
#include <stdint.h>

#include "fcn_parse.h"
#include "fcn_wire_error.h"

/** Offsets count from the start of the frame. */
struct fcn_walk {
	const uint8_t *data;
	uint32_t seg_len; /**< bytes readable at data */
	uint32_t off;     /**< where the walk stands */
	uint32_t end;     /**< end of the IP packet the walk is in */
	const struct fcn_parse_codes *codes;
	struct fcn_wire_info *info;
	uint8_t proto;     /**< what stands at off */
	uint8_t n_fastcnp; /**< Fast CNP options met behind this IP header */
	uint8_t n_proxy;   /**< proxy options met behind this IP header */
	bool not_roce;     /**< a defect was met that RoCEv2 does not survive */
};

/** Record a defect; the first one met is the one reported. */
static inline void
fcn_walk_defect(struct fcn_walk *w, enum fcn_wire_error error)
{
	if (w->info->error == FCN_WIRE_OK)
		w->info->error = error;
}

/**
 * Whether header bytes up to end may be read.
 *
 * @param past  error when end lies behind the IP packet
 * @param cut   error when end lies behind the readable bytes
 */
static inline enum fcn_wire_error
fcn_walk_reach(const struct fcn_walk *w, uint32_t end, enum fcn_wire_error past,
		enum fcn_wire_error cut)
{
	if (end > w->end)
		return past;
	if (end > FCN_PARSE_MAX_HEADERS)
		return FCN_WIRE_EXT_LIMIT;
	return end > w->seg_len ? cut : FCN_WIRE_OK;
}

/**
 * Walk the extension headers of the IPv6 header that ends at w->off.
 *
 * @return true when w->off and w->proto are the upper layer's and it may be
 *         read; false when the walk ends here
 */
bool fcn_walk_ext(struct fcn_walk *w);

#endif /* FCN_WALK_H */
