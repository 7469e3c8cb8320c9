/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Reading of the hop data that HPCC++ needs from the node data of an IOAM trace (RFC 9197 section
 * 4.4.2).
 */

#include <string.h>

#include <rte_byteorder.h>
#include <rte_cycles.h>

#include "reaction_hops.h"

#define MBPS UINT64_C(1000000)
#define SECONDS_WRAP ((UINT64_C(1) << 32) * NS_PER_S)

#define TYPE_BIT(n) (0x800000u >> (n)) /* Trace-Type, bit 0 first */
#define ID_MASK 0xFFFFFFu              /* node_id, which follows Hop_Lim */
#define ID_WIDE_MASK UINT64_C(0xFFFFFFFFFFFFFF)
#define SCHEMA_WORDS_SHIFT 24

/* Keys of records: these bits keep wide node ids and positions distinct from short node ids. */
#define KEY_WIDE (UINT64_C(1) << 62)
#define KEY_PLACE (UINT64_C(1) << 63)

enum bit {
	BIT_NODE = 0,
	BIT_SECONDS = 2,
	BIT_FRACTION = 3,
	BIT_SPEED = 5, /* namespace data, short: profile HPCC */
	BIT_QUEUE = 6,
	BIT_NODE_WIDE = 8,
	BIT_TX_BYTES = 10, /* namespace data, wide: profile HPCC */
	BIT_BUFFER = 11,
};

static uint32_t
get32(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return rte_be_to_cpu_32(v);
}

static uint64_t
get64(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return rte_be_to_cpu_64(v);
}

/*
 * Find a field in the data of a node: it follows the fields of the Trace-Type bits before its own.
 * NULL: the trace does not have it.
 */
static const uint8_t *
field(const uint8_t *node, uint32_t type, enum bit bit)
{
	if (!(type & TYPE_BIT(bit)))
		return NULL;
	return node + 4 * fcn_ioam_node_len(type & ~(2 * TYPE_BIT(bit) - 1));
}

/* Value of a field; all ones, which means "not available", when the trace does not have it. */
static uint32_t
field32(const uint8_t *node, uint32_t type, enum bit bit)
{
	const uint8_t *p = field(node, type, bit);

	return p == NULL ? FCN_IOAM_NA32 : get32(p);
}

static uint64_t
field64(const uint8_t *node, uint32_t type, enum bit bit)
{
	const uint8_t *p = field(node, type, bit);

	return p == NULL ? FCN_IOAM_NA64 : get64(p);
}

/*
 * Read the time of a node as nanoseconds of PTP or POSIX, or within the second only, if the trace
 * has no seconds.
 */
static void
read_time(struct reaction_hop *hop, const uint8_t *node, uint32_t type, uint64_t now)
{
	uint32_t seconds = field32(node, type, BIT_SECONDS);
	uint32_t ns = field32(node, type, BIT_FRACTION);

	if (ns >= NS_PER_S) { /* not available, or not in nanoseconds */
		hop->time_ns = now;
		hop->time_wrap = 0;
	} else if (seconds == FCN_IOAM_NA32) {
		hop->time_ns = ns;
		hop->time_wrap = NS_PER_S;
	} else {
		hop->time_ns = (uint64_t)seconds * NS_PER_S + ns;
		hop->time_wrap = SECONDS_WRAP;
	}
}

static uint64_t
read_id(const uint8_t *node, uint32_t type, unsigned int index)
{
	uint64_t wide = field64(node, type, BIT_NODE_WIDE) & ID_WIDE_MASK;
	uint32_t id = field32(node, type, BIT_NODE) & ID_MASK;

	if (wide != ID_WIDE_MASK)
		return KEY_WIDE | wide;
	return id != ID_MASK ? id : KEY_PLACE | index;
}

static uint64_t
read_speed(const uint8_t *node, uint32_t type, uint64_t fallback_bps)
{
	uint32_t speed = field32(node, type, BIT_SPEED);

	return speed == 0 || speed == FCN_IOAM_NA32 ? fallback_bps : speed * MBPS;
}

static void
read_hop(struct reaction_hop *hop, const uint8_t *node, uint32_t type, uint64_t fallback_bps,
		uint64_t now)
{
	read_time(hop, node, type, now);
	hop->tx_bytes = field64(node, type, BIT_TX_BYTES);
	hop->rate_bps = read_speed(node, type, fallback_bps);
	hop->queue = field32(node, type, BIT_QUEUE);
	hop->heard_ns = now;
	hop->known = true;
}

/* Words of a node's data including its opaque state snapshot; 0 when they exceed the trace. */
static unsigned int
node_words(const struct fcn_ioam_trace *trace, unsigned int off)
{
	unsigned int words = trace->node_len, left = trace->words - off;

	if (words > left)
		return 0;
	if (trace->type & FCN_IOAM_TYPE_OPAQUE) {
		if (words == left)
			return 0;
		words += 1 + (get32(trace->data + 4 * (off + words)) >> SCHEMA_WORDS_SHIFT);
	}
	return words > left ? 0 : words;
}

static bool
is_sound(const struct fcn_ioam_trace *trace)
{
	return trace->node_len != 0 && trace->node_len == fcn_ioam_node_len(trace->type) &&
	       trace->remaining_len <= trace->words;
}

bool
reaction_hops_read(struct reaction_hops *hops, const struct fcn_ioam_trace *trace,
		uint64_t fallback_bps, uint64_t now)
{
	unsigned int words, total = 0;

	hops->n = 0;
	if (!is_sound(trace))
		return false;
	for (unsigned int off = trace->remaining_len; off < trace->words; off += words, total++) {
		const uint8_t *node = trace->data + 4 * off;

		words = node_words(trace, off);
		if (words == 0)
			return false;
		if (hops->n == REACTION_HOPS)
			continue;
		hops->hop[hops->n].node = read_id(node, trace->type, total);
		read_hop(&hops->hop[hops->n++], node, trace->type, fallback_bps, now);
	}
	/*
	 * Positions count from the sender, so that a hop has the same one in the trace of a notice.
	 */
	for (unsigned int i = 0; i < hops->n; i++)
		if (hops->hop[i].node & KEY_PLACE)
			hops->hop[i].node = KEY_PLACE | (total - 1 - i);
	hops->whole = total == hops->n && !(trace->flags & FCN_IOAM_FLAG_OVERFLOW);
	return true;
}

bool
reaction_hops_backlog(const struct fcn_ioam_trace *trace, uint64_t fallback_bps, uint32_t *bytes,
		uint64_t *rate_bps)
{
	const uint8_t *node;

	if (!is_sound(trace) || node_words(trace, trace->remaining_len) == 0)
		return false;
	node = trace->data + 4 * trace->remaining_len;
	*bytes = field32(node, trace->type, BIT_QUEUE);
	if (*bytes == FCN_IOAM_NA32)
		*bytes = field32(node, trace->type, BIT_BUFFER);
	*rate_bps = read_speed(node, trace->type, fallback_bps);
	return *bytes != FCN_IOAM_NA32;
}

bool
reaction_hops_elapsed(const struct reaction_hop *a, const struct reaction_hop *b, int64_t *ns)
{
	uint64_t wrap = a->time_wrap, d;

	if (wrap != b->time_wrap)
		return false;
	d = a->time_ns - b->time_ns;
	if (wrap != 0 && a->time_ns < b->time_ns)
		d += wrap;
	if (wrap != 0 && d > wrap / 2)
		d -= wrap;
	*ns = (int64_t)d;
	return true;
}
