/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <string.h>

#include <rte_branch_prediction.h>
#include <rte_byteorder.h>
#include <rte_cycles.h>

#include "fcn_ioam.h"

#define NS_PER_US 1000u
#define NTP_UNIX_SECONDS 2208988800u /* from 1900 to 1970 */

#define TYPE_BIT(n) (0x800000u >> (n)) /* Trace-Type, bit 0 first */
#define TYPE_UNDEFINED 0x000FFCu       /* bits 12 to 21 */
#define OVERFLOW_OFF 2                 /* octet of the header with the Overflow flag */
#define OVERFLOW_BIT 0x04
#define REMAINING_OFF 3 /* octet with RemainingLen */
#define REMAINING_MASK 0x7F
#define NODE_ID_MASK 0xFFFFFFu
#define NODE_ID_WIDE_MASK 0xFFFFFFFFFFFFFFu

struct fcn_ioam_time
fcn_ioam_time(enum fcn_ioam_time_format format, uint64_t unix_ns, int32_t tai_offset)
{
	uint32_t seconds = (uint32_t)(unix_ns / NS_PER_S), ns = (uint32_t)(unix_ns % NS_PER_S);

	switch (format) {
	case FCN_IOAM_TIME_POSIX:
		return (struct fcn_ioam_time){seconds, ns / NS_PER_US};
	case FCN_IOAM_TIME_PTP:
		return (struct fcn_ioam_time){seconds + (uint32_t)tai_offset, ns};
	case FCN_IOAM_TIME_NTP:
		return (struct fcn_ioam_time){seconds + NTP_UNIX_SECONDS,
				(uint32_t)(((uint64_t)ns << 32) / NS_PER_S)};
	case FCN_IOAM_TIME_POSIX_NS:
	default:
		return (struct fcn_ioam_time){seconds, ns};
	}
}

static inline uint8_t *
put32(uint8_t *p, uint32_t v)
{
	v = rte_cpu_to_be_32(v);
	memcpy(p, &v, sizeof(v));
	return p + sizeof(v);
}

static inline uint8_t *
put64(uint8_t *p, uint64_t v)
{
	v = rte_cpu_to_be_64(v);
	memcpy(p, &v, sizeof(v));
	return p + sizeof(v);
}

/* Write the fields of Trace-Type bits 0 to 7, of one word each (RFC 9197 section 4.4.2). */
static inline uint8_t *
put_short_fields(uint8_t *p, uint32_t type, const struct fcn_ioam_node *node, uint8_t **delay)
{
	if (type & TYPE_BIT(0))
		p = put32(p, (uint32_t)node->hop_limit << 24 | (node->node_id & NODE_ID_MASK));
	if (type & TYPE_BIT(1))
		p = put32(p, (uint32_t)node->ingress_id << 16 | node->egress_id);
	if (type & TYPE_BIT(2))
		p = put32(p, node->time.seconds);
	if (type & TYPE_BIT(3))
		p = put32(p, node->time.fraction);
	if (type & TYPE_BIT(4)) {
		*delay = p;
		p = put32(p, node->transit_delay);
	}
	if (type & TYPE_BIT(5))
		p = put32(p, node->namespace_short);
	if (type & TYPE_BIT(6))
		p = put32(p, node->queue_depth);
	if (type & TYPE_BIT(7))
		p = put32(p, FCN_IOAM_NA32);
	return p;
}

/* Write the fields of Trace-Type bits 8 to 21 (RFC 9197 section 4.4.2). */
static inline uint8_t *
put_other_fields(uint8_t *p, uint32_t type, const struct fcn_ioam_node *node)
{
	if (type & TYPE_BIT(8))
		p = put64(p, (uint64_t)node->hop_limit << 56 |
						(node->node_id_wide & NODE_ID_WIDE_MASK));
	if (type & TYPE_BIT(9)) {
		p = put32(p, node->ingress_id_wide);
		p = put32(p, node->egress_id_wide);
	}
	if (type & TYPE_BIT(10))
		p = put64(p, node->namespace_wide);
	if (type & TYPE_BIT(11))
		p = put32(p, node->buffer_occupancy);
	for (type &= TYPE_UNDEFINED; unlikely(type != 0); type &= type - 1)
		p = put32(p, FCN_IOAM_NA32);
	return p;
}

enum fcn_ioam_write
fcn_ioam_trace_write(
		uint8_t *hdr, uint32_t len, const struct fcn_ioam_node *node, uint16_t *delay_off)
{
	struct fcn_ioam_trace trace;
	uint8_t *p, *delay = hdr;
	uint32_t need, left;

	if (unlikely(fcn_ioam_trace_parse(hdr, len, &trace) != FCN_WIRE_OK))
		return FCN_IOAM_MALFORMED;
	if (unlikely(trace.flags & FCN_IOAM_FLAG_OVERFLOW))
		return FCN_IOAM_OVERFLOW_BEFORE;
	need = trace.node_len;
	if (trace.type & FCN_IOAM_TYPE_OPAQUE)
		need += 1u + node->schema_words;
	if (unlikely(need > trace.remaining_len)) {
		hdr[OVERFLOW_OFF] |= OVERFLOW_BIT;
		return FCN_IOAM_OVERFLOW_SET;
	}

	left = trace.remaining_len - need;
	p = hdr + FCN_IOAM_TRACE_HDR_LEN + 4 * left;
	p = put_short_fields(p, trace.type, node, &delay);
	p = put_other_fields(p, trace.type, node);
	if (trace.type & FCN_IOAM_TYPE_OPAQUE) {
		p = put32(p, (uint32_t)node->schema_words << 24 |
						(node->schema_id & FCN_IOAM_NO_SCHEMA));
		if (node->schema_words != 0)
			memcpy(p, node->schema, 4u * node->schema_words);
	}
	hdr[REMAINING_OFF] = (uint8_t)((hdr[REMAINING_OFF] & ~REMAINING_MASK) | left);
	*delay_off = (uint16_t)(delay - hdr);
	return FCN_IOAM_WRITTEN;
}
