/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <stdbool.h>

#include "fcn_ioam.h"

uint8_t
fcn_ioam_node_len(uint32_t trace_type)
{
	return (uint8_t)(__builtin_popcount(trace_type & FCN_IOAM_TYPE_SHORT) +
			 2 * __builtin_popcount(trace_type & FCN_IOAM_TYPE_WIDE));
}

enum fcn_wire_error
fcn_ioam_trace_parse_type(
		uint8_t opt_type, const uint8_t *hdr, uint32_t len, struct fcn_ioam_trace *trace)
{
	bool prealloc = opt_type == FCN_IOAM_PREALLOC_TRACE;
	struct fcn_ioam_trace t;
	uint32_t words, used;

	if (!prealloc && opt_type != FCN_IOAM_INCR_TRACE)
		return FCN_WIRE_IOAM_OPT_TYPE;
	if (len < FCN_IOAM_TRACE_HDR_LEN || (len - FCN_IOAM_TRACE_HDR_LEN) % 4 != 0)
		return FCN_WIRE_IOAM_LENGTH;
	words = (len - FCN_IOAM_TRACE_HDR_LEN) / 4;
	if (words > UINT8_MAX)
		return FCN_WIRE_IOAM_LENGTH;
	t = (struct fcn_ioam_trace){
			.namespace_id = (uint16_t)(hdr[0] << 8 | hdr[1]),
			.node_len = hdr[2] >> 3,
			.flags = (hdr[2] & 0x07) << 1 | hdr[3] >> 7,
			.remaining_len = hdr[3] & 0x7F,
			.words = (uint8_t)words,
			.type = (uint32_t)hdr[4] << 16 | (uint32_t)hdr[5] << 8 | hdr[6],
			.data = hdr + FCN_IOAM_TRACE_HDR_LEN,
	};
	if (t.node_len == 0)
		return FCN_WIRE_IOAM_NODELEN_ZERO;
	if (t.node_len != fcn_ioam_node_len(t.type))
		return FCN_WIRE_IOAM_NODELEN_TYPE;
	if (prealloc && t.remaining_len > words)
		return FCN_WIRE_IOAM_REMAINING_LEN;
	used = prealloc ? words - t.remaining_len : words;
	/*
	 * Each opaque state snapshot has a length of its own, so the sum cannot be checked when
	 * there are any.
	 */
	if (!(t.type & FCN_IOAM_TYPE_OPAQUE) && used % t.node_len != 0)
		return FCN_WIRE_IOAM_RAGGED;
	*trace = t;
	return FCN_WIRE_OK;
}

enum fcn_wire_error
fcn_ioam_trace_parse(const uint8_t *hdr, uint32_t len, struct fcn_ioam_trace *trace)
{
	return fcn_ioam_trace_parse_type(FCN_IOAM_PREALLOC_TRACE, hdr, len, trace);
}

void
fcn_ioam_trace_hdr_build(uint8_t *hdr, const struct fcn_ioam_trace *trace)
{
	hdr[0] = (uint8_t)(trace->namespace_id >> 8);
	hdr[1] = (uint8_t)trace->namespace_id;
	hdr[2] = (uint8_t)(trace->node_len << 3 | (trace->flags & 0x0F) >> 1);
	hdr[3] = (uint8_t)((trace->flags & 0x01) << 7 | (trace->remaining_len & 0x7F));
	hdr[4] = (uint8_t)(trace->type >> 16);
	hdr[5] = (uint8_t)(trace->type >> 8);
	hdr[6] = (uint8_t)trace->type;
	hdr[7] = 0;
}
