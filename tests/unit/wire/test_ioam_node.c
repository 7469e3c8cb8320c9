/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* A node's data in an IOAM trace: every field, every combination, every size of the room left. */

#include <rte_common.h>

#include "fcn_test.h"
#include "fcn_ioam.h"
#include "reference.h"
#include "vectors.h"

#define NS 1000000000ull

static const uint8_t schema[4 * FCN_IOAM_MAX_SCHEMA_WORDS + 4] = {
		0xD0, 0xD1, 0xD2, 0xD3, 0xD4, 0xD5, 0xD6, 0xD7, [251] = 0xFB, [252] = 0xBD};

/* Octets of its own in each field; identifiers longer than their fields. */
static const struct fcn_ioam_node sample = {
		.hop_limit = 0x3F,
		.node_id = 0xEE010203,
		.node_id_wide = 0xEE11121314151617,
		.ingress_id = 0x2122,
		.egress_id = 0x2324,
		.ingress_id_wide = 0x31323334,
		.egress_id_wide = 0x35363738,
		.time = {0x41424344, 0x45464748},
		.transit_delay = 0x51525354,
		.namespace_short = 0x61626364,
		.queue_depth = 0x71727374,
		.namespace_wide = 0x8182838485868788,
		.buffer_occupancy = 0x91929394,
		.schema_id = 0xEEA1A2A3,
		.schema = schema,
};

/* What it is on the wire, bit by bit of the Trace-Type (RFC 9197 section 4.4.2). */
static const struct {
	uint8_t len;
	uint8_t bytes[8];
} field[24] = {
		{4, {0x3F, 0x01, 0x02, 0x03}},
		{4, {0x21, 0x22, 0x23, 0x24}},
		{4, {0x41, 0x42, 0x43, 0x44}},
		{4, {0x45, 0x46, 0x47, 0x48}},
		{4, {0x51, 0x52, 0x53, 0x54}},
		{4, {0x61, 0x62, 0x63, 0x64}},
		{4, {0x71, 0x72, 0x73, 0x74}},
		{4, {0xFF, 0xFF, 0xFF, 0xFF}},
		{8, {0x3F, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17}},
		{8, {0x31, 0x32, 0x33, 0x34, 0x35, 0x36, 0x37, 0x38}},
		{8, {0x81, 0x82, 0x83, 0x84, 0x85, 0x86, 0x87, 0x88}},
		{4, {0x91, 0x92, 0x93, 0x94}},
		{4, {0xFF, 0xFF, 0xFF, 0xFF}},
		{4, {0xFF, 0xFF, 0xFF, 0xFF}},
		{4, {0xFF, 0xFF, 0xFF, 0xFF}},
		{4, {0xFF, 0xFF, 0xFF, 0xFF}},
		{4, {0xFF, 0xFF, 0xFF, 0xFF}},
		{4, {0xFF, 0xFF, 0xFF, 0xFF}},
		{4, {0xFF, 0xFF, 0xFF, 0xFF}},
		{4, {0xFF, 0xFF, 0xFF, 0xFF}},
		{4, {0xFF, 0xFF, 0xFF, 0xFF}},
		{4, {0xFF, 0xFF, 0xFF, 0xFF}},
		{4, {0x00, 0xA1, 0xA2, 0xA3}}, /* and the schema, its length in the first octet */
		{0, {0}},
};

static bool
has_bit(uint32_t type, unsigned int bit)
{
	return (type >> (23 - bit) & 1) != 0;
}

/* Words of the fields, without the snapshot. */
static uint8_t
words_of(uint32_t type)
{
	uint32_t len = 0;

	for (unsigned int bit = 0; bit < 22; bit++)
		len += has_bit(type, bit) ? field[bit].len : 0;
	return (uint8_t)(len / 4);
}

/* The node's element; returns its length. *delay: where the transit delay is in it, -1: nowhere. */
static uint32_t
element(uint8_t *out, uint32_t type, uint8_t schema_words, int *delay)
{
	uint32_t len = 0;

	*delay = -1;
	for (unsigned int bit = 0; bit < 24; bit++) {
		if (!has_bit(type, bit))
			continue;
		if (bit == 4)
			*delay = (int)len;
		memcpy(out + len, field[bit].bytes, field[bit].len);
		if (bit == 22) {
			out[len] = schema_words;
			memcpy(out + len + 4, schema, 4u * schema_words);
			len += 4u * schema_words;
		}
		len += field[bit].len;
	}
	return len;
}

/* A trace in a heap buffer of exactly its size: free words in front, used ones behind. */
static uint8_t *
make_trace(uint32_t type, uint8_t node_len, uint32_t free_words, uint32_t used_words, uint32_t *len)
{
	const struct fcn_ioam_trace t = {.namespace_id = 0x1234,
			.node_len = node_len,
			.flags = FCN_IOAM_FLAG_LOOPBACK | FCN_IOAM_FLAG_ACTIVE | 1,
			.remaining_len = (uint8_t)free_words,
			.type = type};
	uint8_t *hdr;

	*len = 8 + 4 * (free_words + used_words);
	hdr = malloc(*len);
	assert_non_null(hdr);
	fcn_ioam_trace_hdr_build(hdr, &t);
	hdr[7] = 0x77; /* reserved, but not this node's to clear */
	for (uint32_t i = 8; i < *len; i++)
		hdr[i] = (uint8_t)(0xC0 + i % 13);
	return hdr;
}

static void
check_untouched(uint32_t type, uint8_t schema_words, uint32_t free_words, uint32_t used_words)
{
	struct fcn_ioam_node node = sample;
	uint16_t delay_off = 0xABCD;
	uint8_t *hdr, *before;
	uint32_t len;

	hdr = make_trace(type, words_of(type), free_words, used_words, &len);
	before = exact_copy(hdr, len);
	node.schema_words = schema_words;
	assert_int_equal(fcn_ioam_trace_write(hdr, len, &node, &delay_off), FCN_IOAM_OVERFLOW_SET);
	before[2] |= 0x04;
	assert_memory_equal(hdr, before, len);
	assert_int_equal(fcn_ioam_trace_write(hdr, len, &node, &delay_off),
			FCN_IOAM_OVERFLOW_BEFORE);
	assert_memory_equal(hdr, before, len);
	free(before);
	free(hdr);
}

/* With Overflow set nothing is written, room or not. */
static void
check_overflow_before(uint32_t type, uint32_t free_words, uint32_t used_words)
{
	uint16_t delay_off;
	uint8_t *hdr, *before;
	uint32_t len;

	hdr = make_trace(type, words_of(type), free_words, used_words, &len);
	hdr[2] |= 0x04;
	before = exact_copy(hdr, len);
	assert_int_equal(fcn_ioam_trace_write(hdr, len, &sample, &delay_off),
			FCN_IOAM_OVERFLOW_BEFORE);
	assert_memory_equal(hdr, before, len);
	free(before);
	free(hdr);
}

static void
check_written(uint32_t type, uint8_t schema_words, uint32_t free_words, uint32_t used_words)
{
	struct fcn_ioam_node node = sample;
	uint8_t want[4 * 300], *hdr, *before;
	uint16_t delay_off = 0xABCD;
	uint32_t len, n, at;
	int delay;

	hdr = make_trace(type, words_of(type), free_words, used_words, &len);
	before = exact_copy(hdr, len);
	node.schema_words = schema_words;
	n = element(want, type, schema_words, &delay);
	assert_int_equal(fcn_ioam_trace_write(hdr, len, &node, &delay_off), FCN_IOAM_WRITTEN);
	at = 8 + 4 * free_words - n;
	memcpy(before + at, want, n);
	before[3] = (uint8_t)((before[3] & 0x80) | (free_words - n / 4));
	assert_memory_equal(hdr, before, len);
	assert_int_equal(delay_off, delay < 0 ? 0 : at + (uint32_t)delay);
	if (delay >= 0)
		assert_memory_equal(hdr + delay_off, field[4].bytes, 4);
	free(before);
	free(hdr);
}

/* Rooms around what the node needs, with 0, 1 and 2 nodes before it. */
static void
check_type(uint32_t type, uint8_t schema_words)
{
	uint32_t node_len = words_of(type);
	uint32_t need = node_len + (has_bit(type, 22) ? 1u + schema_words : 0);

	for (uint32_t nodes = 0; nodes < 3; nodes++) {
		uint32_t used = nodes * node_len;

		for (uint32_t room = 0; room <= need + 2 && room <= 127; room++) {
			if (room < need)
				check_untouched(type, schema_words, room, used);
			else
				check_written(type, schema_words, room, used);
		}
		if (need <= 127)
			check_written(type, schema_words, 127, used);
		else
			check_untouched(type, schema_words, 127, used);
		check_overflow_before(type, need > 127 ? 127 : need, used);
	}
}

TEST(each_bit)
{
	for (unsigned int bit = 0; bit < 22; bit++) {
		check_type(0x800000u >> bit, 0);
		check_type(0x800000u >> bit | 1, 0); /* bit 23 is ignored */
		check_type(0x800000u >> bit | 2, 0);
		check_type(0x800000u >> bit | 2, 1);
		check_type(0x800000u >> bit | 3, 2);
	}
	check_type(0xFFFFFF, 0);
	check_type(0xFFFFFF, 2);
	check_type(0xFFFFFC, 0);
	check_type(0xB62000, 0);
}

/* Every combination of the fields that are defined, with and without those that are not. */
TEST(combinations)
{
	for (uint32_t bits = 1; bits < 4096; bits++) {
		uint32_t type = bits << 12, node_len = words_of(type);

		check_written(type, 0, node_len, node_len);
		check_untouched(type, 0, node_len - 1, 2 * node_len);
		type |= 0xFFC;
		check_written(type, 0, node_len + 10, 0);
		check_untouched(type, 0, node_len + 9, 0);
		type |= 2;
		check_written(type, 3, node_len + 14, 1);
		check_untouched(type, 3, node_len + 13, 1);
	}
	for (uint32_t bits = 1; bits < 1024; bits++)
		check_written(bits << 2, 0, words_of(bits << 2) + 1, 0);
}

TEST(schema)
{
	struct fcn_ioam_node node = sample;
	static const uint8_t none[4] = {0x00, 0xFF, 0xFF, 0xFF};
	uint16_t delay_off;
	uint8_t *hdr;
	uint32_t len;

	for (uint8_t n = 0; n <= FCN_IOAM_MAX_SCHEMA_WORDS; n++)
		check_type(0x800002, n);
	/* Without one it still takes its word, as a Linux router writes it. */
	hdr = make_trace(0x800002, 1, 2, 0, &len);
	node.schema_id = FCN_IOAM_NO_SCHEMA;
	node.schema = NULL;
	assert_int_equal(fcn_ioam_trace_write(hdr, len, &node, &delay_off), FCN_IOAM_WRITTEN);
	assert_memory_equal(hdr + 8, field[0].bytes, 4);
	assert_memory_equal(hdr + 12, none, 4);
	assert_int_equal(hdr[3] & 0x7F, 0);
	free(hdr);
}

/* "Not available" is all ones, but for the hop limit in front of an identifier. */
TEST(not_available)
{
	static const struct fcn_ioam_node unknown = {.hop_limit = 5,
			.node_id = FCN_IOAM_NA32,
			.node_id_wide = FCN_IOAM_NA64,
			.ingress_id = FCN_IOAM_NA16,
			.egress_id = FCN_IOAM_NA16,
			.ingress_id_wide = FCN_IOAM_NA32,
			.egress_id_wide = FCN_IOAM_NA32,
			.time = {FCN_IOAM_NA32, FCN_IOAM_NA32},
			.transit_delay = FCN_IOAM_NA32,
			.namespace_short = FCN_IOAM_NA32,
			.queue_depth = FCN_IOAM_NA32,
			.namespace_wide = FCN_IOAM_NA64,
			.buffer_occupancy = FCN_IOAM_NA32};
	uint16_t delay_off;
	uint32_t len;
	uint8_t *hdr = make_trace(0xFFFFFC, 25, 25, 0, &len);

	assert_int_equal(fcn_ioam_trace_write(hdr, len, &unknown, &delay_off), FCN_IOAM_WRITTEN);
	for (uint32_t i = 8; i < len; i++)
		assert_int_equal(hdr[i], i == 8 || i == 8 + 8 * 4 ? 5 : 0xFF);
	assert_int_equal(delay_off, 8 + 4 * 4);
	free(hdr);
}

static uint64_t
be(const uint8_t *p, unsigned int len)
{
	uint64_t v = 0;

	while (len-- > 0)
		v = v << 8 | *p++;
	return v;
}

/* Node data of type 0xB62000: identifier, time, namespace data, queue depth. */
static struct fcn_ioam_node
read_element(const uint8_t *p)
{
	return (struct fcn_ioam_node){.hop_limit = p[0],
			.node_id = (uint32_t)be(p + 1, 3),
			.time = {(uint32_t)be(p + 4, 4), (uint32_t)be(p + 8, 4)},
			.namespace_short = (uint32_t)be(p + 12, 4),
			.queue_depth = (uint32_t)be(p + 16, 4),
			.namespace_wide = be(p + 20, 8)};
}

/* Each frame of the vectors is the one before it, one hop later. */
TEST(vector)
{
	static const uint16_t at[] = {70 + 56, 70 + 28, 70};
	static const uint32_t ids[] = {0x101, 0x102, 0x103};
	struct fcn_ioam_node node;
	uint16_t delay_off;
	struct vectors v;

	vectors_load(&v, "05_roce6_write_ioam");
	for (unsigned int i = 0; i + 1 < v.n; i++) {
		uint8_t *frame = exact_copy(v.data[i], v.len[i]);

		node = sample;
		if (i < 3) {
			node = read_element(v.data[i + 1] + at[i]);
			assert_int_equal(node.node_id, ids[i]);
		}
		assert_int_equal(fcn_ioam_trace_write(frame + 62, 92, &node, &delay_off),
				i < 3 ? FCN_IOAM_WRITTEN : FCN_IOAM_OVERFLOW_SET);
		if (i < 3)
			assert_int_equal(delay_off, 0);
		frame[21]--;
		assert_memory_equal(frame, v.data[i + 1], v.len[i]);
		free(frame);
	}
	vectors_free(&v);
}

/* The same as a Linux router: its clock in microseconds, all else from the network header on. */
TEST(linux)
{
	struct fcn_ioam_node node = {.hop_limit = 62,
			.node_id = 0x101,
			.namespace_short = 100000,
			.queue_depth = 0,
			.namespace_wide = 0x123456789ABCDEF0};
	uint16_t delay_off;
	struct vectors v;

	vectors_load(&v, "20_linux_ioam_hop");
	assert_int_equal(v.n, 2);
	assert_int_equal(v.len[0], v.len[1]);
	/* 0x6B020D76 s and 0x0E455D us */
	node.time = fcn_ioam_time(FCN_IOAM_TIME_POSIX, 1795296630ull * NS + 935261999, 37);
	assert_int_equal(fcn_ioam_trace_write(v.data[0] + 62, 92, &node, &delay_off),
			FCN_IOAM_WRITTEN);
	v.data[0][21]--;
	assert_memory_equal(v.data[0] + 14, v.data[1] + 14, v.len[0] - 14);
	vectors_free(&v);
}

static void
check_malformed(const uint8_t *hdr, uint32_t len)
{
	uint8_t *copy = exact_copy(hdr, len), *before = exact_copy(hdr, len);
	uint16_t delay_off;

	assert_int_equal(fcn_ioam_trace_write(copy, len, &sample, &delay_off), FCN_IOAM_MALFORMED);
	assert_memory_equal(copy, before, len);
	free(copy);
	free(before);
}

TEST(malformed)
{
	struct vectors v;
	uint32_t len;
	uint8_t *hdr;

	vectors_load(&v, "16_malformed");
	for (unsigned int i = 8; i < 11; i++)
		check_malformed(v.data[i] + 62, 92);
	vectors_free(&v);

	hdr = make_trace(2, 0, 4, 0, &len); /* a snapshot alone: NodeLen 0 */
	check_malformed(hdr, len);
	free(hdr);
	hdr = make_trace(1, 0, 4, 0, &len);
	check_malformed(hdr, len);
	free(hdr);
	hdr = make_trace(0xC00000, 2, 4, 1, &len); /* half a node */
	check_malformed(hdr, len);
	hdr[2] |= 0x04; /* malformed first, overflowed second */
	check_malformed(hdr, len);
	free(hdr);
	hdr = make_trace(0xC00000, 3, 6, 0, &len);
	check_malformed(hdr, len);
	free(hdr);
}

/* Cut anywhere: written only where the room that the header claims is there. */
TEST(cut)
{
	static const uint32_t types[] = {0x800000, 0xB62000, 0xFFFFFC, 0xFFFFFF, 0xC00002};
	uint16_t delay_off;

	for (unsigned int i = 0; i < RTE_DIM(types); i++) {
		uint32_t type = types[i], node_len = words_of(type), len;
		uint8_t *hdr = make_trace(
				type, (uint8_t)node_len, 2 * node_len, 2 * node_len, &len);

		for (uint32_t cut = 0; cut < len; cut++) {
			bool whole = cut >= 8 + 8 * node_len && cut % 4 == 0;
			uint8_t *copy;

			if (!has_bit(type, 22) && (cut - 8) / 4 % node_len != 0)
				whole = false;
			if (!whole) {
				check_malformed(hdr, cut);
				continue;
			}
			copy = exact_copy(hdr, cut);
			assert_int_equal(fcn_ioam_trace_write(copy, cut, &sample, &delay_off),
					FCN_IOAM_WRITTEN);
			free(copy);
		}
		free(hdr);
	}
}

/* Any header, any length: nothing outside the buffer, nothing in front of the free room's start. */
TEST(random)
{
	uint64_t seed = 9197;

	for (unsigned int i = 0; i < 200000; i++) {
		uint32_t len = (uint32_t)(ref_random(&seed) % 300);
		uint8_t *hdr = malloc(len), *before;
		struct fcn_ioam_node node = sample;
		enum fcn_ioam_write result;
		uint16_t delay_off;

		assert_true(hdr != NULL || len == 0);
		ref_random_fill(&seed, hdr, len);
		/* Every other one is sound as far as NodeLen goes. */
		if (i % 2 == 0 && len >= 8)
			hdr[2] = (uint8_t)(words_of((uint32_t)be(hdr + 4, 3)) << 3 | (hdr[2] & 7));
		before = exact_copy(hdr, len);
		node.schema_words = (uint8_t)(ref_random(&seed) % 64);
		result = fcn_ioam_trace_write(hdr, len, &node, &delay_off);
		if (result == FCN_IOAM_MALFORMED || result == FCN_IOAM_OVERFLOW_BEFORE) {
			assert_memory_equal(hdr, before, len);
		} else if (result == FCN_IOAM_OVERFLOW_SET) {
			before[2] |= 0x04;
			assert_memory_equal(hdr, before, len);
		} else {
			uint32_t was = before[3] & 0x7F, is = hdr[3] & 0x7F;

			before[3] = (uint8_t)((before[3] & 0x80) | is);
			assert_true(is < was && 8 + 4 * was <= len);
			assert_memory_equal(hdr, before, 8 + 4 * is);
			assert_memory_equal(
					hdr + 8 + 4 * was, before + 8 + 4 * was, len - 8 - 4 * was);
		}
		free(hdr);
		free(before);
	}
}

TEST(time)
{
	static const struct {
		enum fcn_ioam_time_format format;
		uint64_t unix_ns;
		int32_t tai_offset;
		uint32_t seconds, fraction;
	} cases[] = {
			{FCN_IOAM_TIME_POSIX, 0, 37, 0, 0},
			{FCN_IOAM_TIME_POSIX, 999, 0, 0, 0},
			{FCN_IOAM_TIME_POSIX, 1000, 0, 0, 1},
			{FCN_IOAM_TIME_POSIX, NS - 1, 0, 0, 999999},
			{FCN_IOAM_TIME_POSIX, NS, 0, 1, 0},
			{FCN_IOAM_TIME_POSIX_NS, NS - 1, 37, 0, 999999999},
			{FCN_IOAM_TIME_POSIX_NS, 1700000000 * NS + 123456789, 37, 1700000000,
					123456789},
			{FCN_IOAM_TIME_PTP, 1700000000 * NS + 123456789, 37, 1700000037, 123456789},
			{FCN_IOAM_TIME_PTP, 5 * NS + 1, -2, 3, 1},
			{FCN_IOAM_TIME_PTP, 0, -1, 0xFFFFFFFF, 0},
			{FCN_IOAM_TIME_PTP, 4294967295 * NS, 37, 36, 0},
			/* 1900 to 1970: 70 years with 17 leap days, 25567 days. */
			{FCN_IOAM_TIME_NTP, 0, 37, 25567u * 86400u, 0},
			{FCN_IOAM_TIME_NTP, NS / 2, 0, 2208988800u, 0x80000000},
			{FCN_IOAM_TIME_NTP, NS / 4, 0, 2208988800u, 0x40000000},
			{FCN_IOAM_TIME_NTP, 1, 0, 2208988800u, 4},                /* 4.29 */
			{FCN_IOAM_TIME_NTP, NS - 1, 0, 2208988800u, 4294967291u}, /* 2^32 - 4.29 */
			/* Era 1 begins on 2036-02-07 06:28:16. */
			{FCN_IOAM_TIME_NTP, 2085978495 * NS, 0, 0xFFFFFFFF, 0},
			{FCN_IOAM_TIME_NTP, 2085978496 * NS, 0, 0, 0},
			/* 18446744073.709551615 s, less 4 times 2^32 */
			{FCN_IOAM_TIME_POSIX_NS, UINT64_MAX, 0, 1266874889, 709551615},
			{FCN_IOAM_TIME_POSIX, UINT64_MAX, 0, 1266874889, 709551},
	};

	for (unsigned int i = 0; i < RTE_DIM(cases); i++) {
		struct fcn_ioam_time t = fcn_ioam_time(
				cases[i].format, cases[i].unix_ns, cases[i].tai_offset);

		if (t.seconds != cases[i].seconds || t.fraction != cases[i].fraction)
			fail_msg("case %u: %u %u", i, t.seconds, t.fraction);
	}
}
