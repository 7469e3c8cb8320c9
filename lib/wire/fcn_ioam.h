/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * IOAM trace option: header, node data list (RFC 9197 section 4.4), and its
 * IPv6 option (RFC 9486 section 3).
 */

#ifndef FCN_IOAM_H
#define FCN_IOAM_H

#include <stdint.h>

#include <fcn_compat.h>

#include "fcn_wire_error.h"

#define FCN_IPV6_OPT_IOAM_CHG 0x31 /**< IPv6 option type: pre-allocated trace, POT */
#define FCN_IPV6_OPT_IOAM 0x11     /**< IPv6 option type: E2E, DEX */
#define FCN_IOAM_PREALLOC_TRACE 0  /**< IOAM Opt-Type */
#define FCN_IOAM_INCR_TRACE 1
#define FCN_IOAM_POT 2
#define FCN_IOAM_E2E 3
#define FCN_IOAM_DEX 4

#define FCN_IOAM_FLAG_OVERFLOW 0x8 /**< struct fcn_ioam_trace.flags */
#define FCN_IOAM_FLAG_LOOPBACK 0x4
#define FCN_IOAM_FLAG_ACTIVE 0x2

#define FCN_IOAM_TRACE_HDR_LEN 8
#define FCN_IOAM_TYPE_SHORT 0xFF1FFC  /**< Trace-Type bits of one word each */
#define FCN_IOAM_TYPE_WIDE 0x00E000   /**< Trace-Type bits of two words each */
#define FCN_IOAM_TYPE_OPAQUE 0x000002 /**< Trace-Type bit 22: opaque state snapshot */

/** A trace option, read. Words are of four octets; numbers in host byte order. */
struct fcn_ioam_trace {
	uint16_t namespace_id; /**< Namespace-ID */
	uint8_t node_len;      /**< NodeLen: words each node adds, opaque snapshot left out */
	uint8_t flags;         /**< FCN_IOAM_FLAG_* */
	uint8_t remaining_len; /**< RemainingLen: free words */
	uint8_t words;         /**< words of node data room, used and free */
	uint32_t type;         /**< Trace-Type, 24 bits */
	const uint8_t *data;   /**< the node data list */
};

/** Words one node adds for a Trace-Type, opaque snapshot left out (RFC 9197 section 4.4.2). */
uint8_t fcn_ioam_node_len(uint32_t trace_type);

/**
 * Read and validate a pre-allocated trace option from its 8-byte header on.
 *
 * @param hdr   the trace option header (what stands behind the IOAM Opt-Type octet)
 * @param len   bytes of header and node data list
 * @param trace written when the result is FCN_WIRE_OK
 * @return FCN_WIRE_OK or FCN_WIRE_IOAM_*
 */
enum fcn_wire_error fcn_ioam_trace_parse(
		const uint8_t *hdr, uint32_t len, struct fcn_ioam_trace *trace);

/**
 * Read and validate a trace option of the given IOAM Opt-Type.
 *
 * In an incremental trace all words are used, and RemainingLen is room that the
 * option has yet to grow by; so it is not held against the option's length.
 *
 * @param opt_type FCN_IOAM_PREALLOC_TRACE or FCN_IOAM_INCR_TRACE
 * @return as fcn_ioam_trace_parse(), or FCN_WIRE_IOAM_OPT_TYPE
 */
enum fcn_wire_error fcn_ioam_trace_parse_type(
		uint8_t opt_type, const uint8_t *hdr, uint32_t len, struct fcn_ioam_trace *trace);

/**
 * Build the 8-byte trace option header.
 *
 * @param hdr   room for FCN_IOAM_TRACE_HDR_LEN bytes
 * @param trace all but words and data is used
 */
void fcn_ioam_trace_hdr_build(uint8_t *hdr, const struct fcn_ioam_trace *trace);

#endif /* FCN_IOAM_H */
