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

#include <stdbool.h>
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

/** How a node writes its timestamps (RFC 9197 section 5). */
enum fcn_ioam_time_format {
	FCN_IOAM_TIME_POSIX,    /**< seconds since 1970; microseconds, as Linux does */
	FCN_IOAM_TIME_POSIX_NS, /**< seconds since 1970; nanoseconds */
	FCN_IOAM_TIME_PTP,      /**< TAI seconds since 1970; nanoseconds */
	FCN_IOAM_TIME_NTP,      /**< seconds since 1900; 2^-32 seconds */
};

/** Time in a format: what the caller has, as the two words of the trace. */
struct fcn_ioam_time {
	uint32_t seconds;
	uint32_t fraction;
};

/**
 * @param unix_ns    nanoseconds since 1970, UTC
 * @param tai_offset PTP: seconds that TAI is ahead of UTC
 */
struct fcn_ioam_time fcn_ioam_time(
		enum fcn_ioam_time_format format, uint64_t unix_ns, int32_t tai_offset);

#define FCN_IOAM_NA16 0xFFFFu
#define FCN_IOAM_NA32 0xFFFFFFFFu /**< "not available" in a field of four octets */
#define FCN_IOAM_NA64 UINT64_MAX
#define FCN_IOAM_DELAY_OVERFLOW 0x80000000u /**< transit delay of 2^31 ns and more */
#define FCN_IOAM_NO_SCHEMA 0xFFFFFFu        /**< opaque snapshot: none */
#define FCN_IOAM_MAX_SCHEMA_WORDS 63

/**
 * What a node has to say of a packet; host byte order. A field that is not
 * known holds all ones. Bits 7 (checksum complement) and 12 to 21 (undefined) are always
 * written as all ones.
 */
struct fcn_ioam_node {
	uint8_t hop_limit;     /**< as it leaves the node */
	uint32_t node_id;      /**< 24 bits */
	uint64_t node_id_wide; /**< 56 bits */
	uint16_t ingress_id, egress_id;
	uint32_t ingress_id_wide, egress_id_wide;
	struct fcn_ioam_time time; /**< of reception */
	uint32_t transit_delay;    /**< ns */
	uint32_t namespace_short;
	uint32_t queue_depth;
	uint64_t namespace_wide;
	uint32_t buffer_occupancy;
	uint32_t schema_id;    /**< 24 bits; FCN_IOAM_NO_SCHEMA: none, schema_words 0 */
	uint8_t schema_words;  /**< words at schema, at most FCN_IOAM_MAX_SCHEMA_WORDS */
	const uint8_t *schema; /**< opaque data, as it goes on the wire */
};

/**
 * Find the pre-allocated trace option in the Hop-by-Hop Options header of the
 * outermost IPv6 packet: the one a transit node writes to. In a tunnel that
 * is the tunnel's, which fcn_parse() does not report.
 *
 * @param data    the frame
 * @param seg_len bytes readable at data
 * @param l3_off  offset of the IPv6 header
 * @param off     offset of the trace option header, behind the IOAM Opt-Type
 * @param len     bytes of header and node data list
 * @return false: there is none, or not where it can be read, or not at a multiple of 4 octets
 */
bool fcn_ioam_find_trace(const uint8_t *data, uint32_t seg_len, uint16_t l3_off, uint16_t *off,
		uint8_t *len);

/** What became of a node's data. */
enum fcn_ioam_write {
	FCN_IOAM_WRITTEN,
	FCN_IOAM_OVERFLOW_SET,    /**< no room: Overflow set, nothing else written */
	FCN_IOAM_OVERFLOW_BEFORE, /**< Overflow was set already: untouched */
	FCN_IOAM_MALFORMED,       /**< untouched */
};

/**
 * Add a node's data to a pre-allocated trace (RFC 9197 section 4.4.1): in
 * front of the populated part, fields in the order of the Trace-Type's bits,
 * the opaque snapshot last. Nothing else in the header changes but RemainingLen.
 *
 * The caller has found out that the namespace is one of the node's.
 *
 * @param hdr       the trace option header, writable
 * @param len       bytes of header and node data list
 * @param delay_off written with FCN_IOAM_WRITTEN: offset of the transit delay word from hdr, for
 *                  whom the delay is known later; 0 when the Trace-Type does not ask for it
 */
enum fcn_ioam_write fcn_ioam_trace_write(
		uint8_t *hdr, uint32_t len, const struct fcn_ioam_node *node, uint16_t *delay_off);

#endif /* FCN_IOAM_H */
