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
#define FCN_IOAM_TYPE_SHORT 0xFF1FFC         /**< Trace-Type bits of one word each */
#define FCN_IOAM_TYPE_WIDE 0x00E000          /**< Trace-Type bits of two words each */
#define FCN_IOAM_TYPE_TRANSIT_DELAY 0x080000 /**< Trace-Type bit 4: transit delay */
#define FCN_IOAM_TYPE_OPAQUE 0x000002        /**< Trace-Type bit 22: opaque state snapshot */

/**
 * Fields of a trace option that was parsed. A word is four octets; numbers are in host byte order.
 */
struct fcn_ioam_trace {
	uint16_t namespace_id; /**< Namespace-ID */
	/** NodeLen: words that each node adds, without the opaque state snapshot */
	uint8_t node_len;
	uint8_t flags;         /**< FCN_IOAM_FLAG_* */
	uint8_t remaining_len; /**< RemainingLen: free words */
	uint8_t words;         /**< words of the node data list, used and free */
	uint32_t type;         /**< Trace-Type, 24 bits */
	const uint8_t *data;   /**< the node data list */
};

/**
 * Get the number of words that a node adds for a Trace-Type, without the opaque state snapshot (RFC
 * 9197 section 4.4.2).
 */
uint8_t fcn_ioam_node_len(uint32_t trace_type);

/**
 * Read and validate a pre-allocated trace option from its 8-byte header on.
 *
 * @param hdr   the trace option header, which follows the IOAM Opt-Type octet
 * @param len   bytes of header and node data list
 * @param trace written when the result is FCN_WIRE_OK
 * @return FCN_WIRE_OK or FCN_WIRE_IOAM_*
 */
enum fcn_wire_error fcn_ioam_trace_parse(
		const uint8_t *hdr, uint32_t len, struct fcn_ioam_trace *trace);

/**
 * Read and validate a trace option of the given IOAM Opt-Type.
 *
 * In an incremental trace all words are used, and RemainingLen is the length by which the option
 * may still grow. It is therefore not checked against the length of the option.
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
 * @param trace all fields but words and data are written
 */
void fcn_ioam_trace_hdr_build(uint8_t *hdr, const struct fcn_ioam_trace *trace);

/** How a node writes its timestamps (RFC 9197 section 5). */
enum fcn_ioam_time_format {
	FCN_IOAM_TIME_POSIX,    /**< seconds since 1970; microseconds, as Linux does */
	FCN_IOAM_TIME_POSIX_NS, /**< seconds since 1970; nanoseconds */
	FCN_IOAM_TIME_PTP,      /**< TAI seconds since 1970; nanoseconds */
	FCN_IOAM_TIME_NTP,      /**< seconds since 1900; 2^-32 seconds */
};

/** A timestamp in one of the formats, as the two words of the trace; host byte order. */
struct fcn_ioam_time {
	uint32_t seconds;
	uint32_t fraction;
};

/**
 * Convert a time into one of the formats.
 *
 * @param unix_ns    nanoseconds since 1970, UTC
 * @param tai_offset used for PTP only: seconds that TAI is ahead of UTC
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
 * Data that a node adds for a packet; host byte order. A field whose value is not known has all
 * bits set. The fields of Trace-Type bits 7 (checksum complement) and 12 to 21 (undefined) are
 * always written with all bits set.
 */
struct fcn_ioam_node {
	uint8_t hop_limit;     /**< hop limit with which the packet leaves the node */
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
	uint32_t schema_id;    /**< 24 bits; FCN_IOAM_NO_SCHEMA: no snapshot, schema_words is 0 */
	uint8_t schema_words;  /**< words at schema, at most FCN_IOAM_MAX_SCHEMA_WORDS */
	const uint8_t *schema; /**< opaque data as on the wire */
};

/**
 * Find the pre-allocated trace option to which a transit node writes: the one in the Hop-by-Hop
 * Options header of the outermost IPv6 packet (RFC 9486 section 3). For a tunnelled packet
 * fcn_parse() reports the option of the inner packet instead.
 *
 * @param data    the frame
 * @param seg_len bytes readable at data
 * @param l3_off  offset of the IPv6 header
 * @param off     written: offset of the trace option header, which follows the IOAM Opt-Type
 * @param len     written: bytes of header and node data list
 * @return false when there is no such option, it is beyond the readable bytes, or it is not aligned
 *         to 4 octets
 */
bool fcn_ioam_find_trace(const uint8_t *data, uint32_t seg_len, uint16_t l3_off, uint16_t *off,
		uint8_t *len);

/** Result of adding a node's data to a trace. */
enum fcn_ioam_write {
	FCN_IOAM_WRITTEN,
	FCN_IOAM_OVERFLOW_SET,    /**< no room: the Overflow flag was set, nothing else changed */
	FCN_IOAM_OVERFLOW_BEFORE, /**< the Overflow flag was set already: nothing changed */
	FCN_IOAM_MALFORMED,       /**< the trace is malformed: nothing changed */
};

/**
 * Add a node's data to a pre-allocated trace (RFC 9197 section 4.4.1). The data goes in front of
 * the populated part, with its fields in the order of the Trace-Type bits and the opaque state
 * snapshot last. In the header only RemainingLen changes. The caller has checked that the node is
 * configured for the Namespace-ID.
 *
 * @param hdr       the trace option header, writable
 * @param len       bytes of header and node data list
 * @param delay_off written with FCN_IOAM_WRITTEN: offset of the transit delay word from hdr, for a
 *                  caller that learns the delay later; 0 when the Trace-Type does not ask for the
 *                  delay
 */
enum fcn_ioam_write fcn_ioam_trace_write(
		uint8_t *hdr, uint32_t len, const struct fcn_ioam_node *node, uint16_t *delay_off);

#endif /* FCN_IOAM_H */
