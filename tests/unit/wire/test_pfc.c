/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* MAC Control frames, read and built; quanta as time. */

#include <rte_common.h>

#include "fcn_test.h"
#include "fcn_pfc.h"
#include "reference.h"
#include "vectors.h"

static const struct rte_ether_addr port = {.addr_bytes = {2, 0, 0, 0, 1, 1}};

static void
put16(uint8_t *p, uint32_t value)
{
	p[0] = (uint8_t)(value >> 8);
	p[1] = (uint8_t)value;
}

/* What each frame of the vectors says; the last two are PAUSE. */
static const struct fcn_mac_control said[] = {
		{FCN_MAC_CONTROL_IS_PFC, 0x08, {[3] = 0xFFFF}},
		{FCN_MAC_CONTROL_IS_PFC, 0x08, {0}},
		{FCN_MAC_CONTROL_IS_PFC, 0x18, {[3] = 0x1000, [4] = 0x2000}},
		{FCN_MAC_CONTROL_IS_PAUSE, 0xFF,
				{0xFFFF, 0xFFFF, 0xFFFF, 0xFFFF, 0xFFFF, 0xFFFF, 0xFFFF, 0xFFFF}},
		{FCN_MAC_CONTROL_IS_PAUSE, 0xFF, {0}},
};

static void
assert_says(const uint8_t *data, uint32_t len, const struct fcn_mac_control *want)
{
	struct fcn_mac_control out;

	memset(&out, 0xA5, sizeof(out));
	assert_int_equal(fcn_mac_control_parse(data, len, &out), want->type);
	assert_int_equal(out.type, want->type);
	assert_int_equal(out.priorities, want->priorities);
	assert_memory_equal(out.quanta, want->quanta, sizeof(out.quanta));
}

TEST(vectors_read)
{
	struct vectors v;

	vectors_load(&v, "12_pfc");
	assert_int_equal(v.n, RTE_DIM(said));
	for (unsigned int i = 0; i < v.n; i++)
		assert_says(v.data[i], v.len[i], &said[i]);
	vectors_free(&v);
}

/* Quanta of priorities that the frame does not speak of must not get into it. */
TEST(vectors_built)
{
	struct vectors v;

	vectors_load(&v, "12_pfc");
	for (unsigned int i = 0; i < v.n; i++) {
		uint8_t *buf;
		uint16_t quanta[FCN_PFC_PRIORITIES];

		if (said[i].type != FCN_MAC_CONTROL_IS_PFC)
			continue;
		buf = malloc(FCN_PFC_FRAME_LEN);
		assert_non_null(buf);
		memset(buf, 0xEE, FCN_PFC_FRAME_LEN);
		assert_int_equal(v.len[i], FCN_PFC_FRAME_LEN);
		for (unsigned int j = 0; j < FCN_PFC_PRIORITIES; j++)
			quanta[j] = said[i].priorities & 1u << j ? said[i].quanta[j] : 0xBEEF;
		fcn_pfc_build(buf, &port, said[i].priorities, quanta);
		assert_memory_equal(buf, v.data[i], FCN_PFC_FRAME_LEN);
		free(buf);
	}
	vectors_free(&v);
}

/* Every class enable vector, times in all eight fields, an upper octet that is not zero. */
TEST(priorities)
{
	uint8_t buf[FCN_PFC_FRAME_LEN];
	uint16_t quanta[FCN_PFC_PRIORITIES];

	for (unsigned int i = 0; i < FCN_PFC_PRIORITIES; i++)
		quanta[i] = (uint16_t)(0x1101 * (i + 1));
	for (unsigned int vector = 0; vector < 256; vector++) {
		struct fcn_mac_control want = {FCN_MAC_CONTROL_IS_PFC, (uint8_t)vector, {0}};

		for (unsigned int i = 0; i < FCN_PFC_PRIORITIES; i++)
			want.quanta[i] = vector >> i & 1 ? quanta[i] : 0;
		fcn_pfc_build(buf, &port, (uint8_t)vector, quanta);
		assert_int_equal(buf[16], 0);
		assert_int_equal(buf[17], vector);
		for (unsigned int i = 0; i < FCN_PFC_PRIORITIES; i++)
			assert_int_equal(buf[18 + 2 * i] << 8 | buf[19 + 2 * i], want.quanta[i]);
		for (unsigned int i = 34; i < FCN_PFC_FRAME_LEN; i++)
			assert_int_equal(buf[i], 0);
		assert_says(buf, sizeof(buf), &want);

		for (unsigned int i = 0; i < FCN_PFC_PRIORITIES; i++)
			put16(buf + 18 + 2 * i, quanta[i]);
		buf[16] = 0xFF;
		assert_says(buf, sizeof(buf), &want);
	}
}

TEST(cut)
{
	static const struct fcn_mac_control malformed = {FCN_MAC_CONTROL_IS_MALFORMED, 0, {0}};
	static const struct fcn_mac_control other = {FCN_MAC_CONTROL_IS_OTHER, 0, {0}};
	struct vectors v;

	vectors_load(&v, "12_pfc");
	for (unsigned int i = 0; i < v.n; i++) {
		uint32_t needed = said[i].type == FCN_MAC_CONTROL_IS_PFC ? 34 : 18;

		for (uint32_t len = 0; len <= v.len[i]; len++) {
			uint8_t *copy = exact_copy(v.data[i], len);

			assert_says(copy, len, len < needed ? &malformed : &said[i]);
			free(copy);
		}
	}
	v.data[0][15] = 0x02;
	for (uint32_t len = 0; len <= v.len[0]; len++) {
		uint8_t *copy = exact_copy(v.data[0], len);

		assert_says(copy, len, len < 16 ? &malformed : &other);
		free(copy);
	}
	vectors_free(&v);
}

/* All opcodes but two are another's, and so is all that is not MAC Control, tagged frames too. */
TEST(others)
{
	static const uint16_t quanta[FCN_PFC_PRIORITIES] = {1, 1, 1, 1, 1, 1, 1, 1};
	uint8_t buf[FCN_PFC_FRAME_LEN];
	struct fcn_mac_control out;

	fcn_pfc_build(buf, &port, 0xFF, quanta);
	for (uint32_t op = 0; op <= 0xFFFF; op++) {
		put16(buf + 14, op);
		fcn_mac_control_parse(buf, sizeof(buf), &out);
		if (op == 0x0101)
			assert_int_equal(out.type, FCN_MAC_CONTROL_IS_PFC);
		else if (op == 0x0001)
			assert_int_equal(out.type, FCN_MAC_CONTROL_IS_PAUSE);
		else
			assert_int_equal(out.type, FCN_MAC_CONTROL_IS_OTHER);
		assert_int_equal(out.priorities, op == 0x0101 || op == 0x0001 ? 0xFF : 0);
	}
	put16(buf + 14, 0x0101);
	for (uint32_t type = 0; type <= 0xFFFF; type++) {
		put16(buf + 12, type);
		assert_int_equal(fcn_mac_control_parse(buf, sizeof(buf), &out),
				type == 0x8808 ? FCN_MAC_CONTROL_IS_PFC : FCN_MAC_CONTROL_IS_OTHER);
	}
	/* VLAN tag with TCI 0x0101, then 88 08 where a class enable vector would stand. */
	put16(buf + 12, 0x8100);
	put16(buf + 16, 0x8808);
	assert_int_equal(fcn_mac_control_parse(buf, sizeof(buf), &out), FCN_MAC_CONTROL_IS_OTHER);
	assert_int_equal(out.priorities, 0);
}

TEST(address)
{
	static const uint8_t address[6] = {0x01, 0x80, 0xC2, 0x00, 0x00, 0x01};

	assert_memory_equal(&fcn_mac_control_addr, address, 6);
}

/* 512 bit times each: 51.2 ns at 10G, 20.48 at 25G, 5.12 at 100G, 1.28 at 400G. */
TEST(quanta)
{
	static const struct {
		uint16_t quanta;
		uint64_t bps, ns;
	} cases[] = {
			{0, 10000000000, 0},
			{1, 1000000000, 512},
			{1, 10000000000, 52},
			{5, 10000000000, 256},
			{65535, 10000000000, 3355392},
			{1, 25000000000, 21},
			{25, 25000000000, 512},
			{65535, 25000000000, 1342157}, /* 1342156.8 */
			{1, 100000000000, 6},
			{25, 100000000000, 128},
			{65535, 100000000000, 335540}, /* 335539.2 */
			{65535, 200000000000, 167770}, /* 167769.6 */
			{1, 400000000000, 2},
			{25, 400000000000, 32},
			{65535, 400000000000, 83885}, /* 83884.8 */
			{1, 1, 512000000000},
			{65535, 1, 33553920000000000},
			{3, 7, 219428571429}, /* 219428571428.57 */
			{1, 512000000000, 1},
			{1, 512000000001, 1},
			{1, 511999999999, 2},
			{65535, UINT64_MAX, 1},
			{0, UINT64_MAX, 0},
			{65535, 0, 0},
			{0, 0, 0},
	};

	for (unsigned int i = 0; i < RTE_DIM(cases); i++) {
		if (fcn_pfc_quanta_to_ns(cases[i].quanta, cases[i].bps) != cases[i].ns)
			fail_msg("case %u", i);
	}
}

/* The first whole nanosecond at which all the bits have passed, in 128 bits. */
TEST(quanta_exact)
{
	static const uint64_t rates[] = {1, 2, 3, 7, 10, 511, 512, 513, 9600, 64000, 999999999,
			1000000000, 1000000007, 2500000000, 10000000000, 10312500000, 25000000000,
			25781250000, 40000000000, 100000000000, 400000000000, 800000000000,
			INT64_MAX, UINT64_MAX - 1, UINT64_MAX};
	uint64_t seed = 512;

	for (unsigned int i = 0; i < RTE_DIM(rates) + 1000; i++) {
		uint64_t bps = i < RTE_DIM(rates)
					       ? rates[i]
					       : ref_random(&seed) >> (ref_random(&seed) % 64) | 1;

		for (uint32_t q = 0; q <= 0xFFFF; q += i < RTE_DIM(rates) ? 1 : 1117) {
			unsigned __int128 bits = (unsigned __int128)q * 512 * 1000000000;
			uint64_t ns = fcn_pfc_quanta_to_ns((uint16_t)q, bps);

			if ((unsigned __int128)ns * bps < bits ||
					(ns != 0 && (unsigned __int128)(ns - 1) * bps >= bits))
				fail_msg("%u quanta at %ju bit/s", q, (uintmax_t)bps);
		}
	}
}
