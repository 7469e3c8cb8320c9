/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * State of the parser of a frame, shared by the files that make up fcn_parse_slow(). Internal to
 * lib/wire.
 */

#ifndef WALK_H
#define WALK_H

#include <stdbool.h>
#include <stdint.h>

#include "fcn_parse.h"
#include "fcn_wire_error.h"

/** Offsets count from the start of the frame. */
struct fcn_walk {
	const uint8_t *data;
	uint32_t seg_len; /**< bytes readable at data */
	uint32_t off;     /**< offset of the next header to read */
	uint32_t end;     /**< end of the IP packet that is being parsed */
	const struct fcn_parse_codes *codes;
	struct fcn_wire_info *info;
	uint8_t proto;     /**< protocol number of the header at off */
	uint8_t n_fastcnp; /**< Fast CNP options found behind this IP header */
	uint8_t n_proxy;   /**< proxy options found behind this IP header */
	bool not_roce;     /**< the packet has a defect that keeps it from being RoCEv2 */
};

/** Record a defect. The first one found is reported. */
static inline void
fcn_walk_defect(struct fcn_walk *w, enum fcn_wire_error error)
{
	if (w->info->error == FCN_WIRE_OK)
		w->info->error = error;
}

/**
 * Check whether the header bytes up to end may be read.
 *
 * @param past  error to return when end is beyond the IP packet
 * @param cut   error to return when end is beyond the readable bytes
 * @return FCN_WIRE_OK; past; cut; FCN_WIRE_EXT_LIMIT when end is beyond FCN_PARSE_MAX_HEADERS
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
 * @return true when w->off and w->proto are those of the upper layer, which may be read; false when
 *         parsing ends here
 */
bool fcn_walk_ext(struct fcn_walk *w);

#endif /* WALK_H */
