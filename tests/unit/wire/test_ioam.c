/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* IOAM trace option: header both ways, and each way it can be wrong. */

#include <rte_common.h>

#include "fcn_test.h"
#include "fcn_ioam.h"
#include "vectors.h"

/* Bits of RFC 9197 section 4.4.2, counted by hand. */
TEST(node_len)
{
	assert_int_equal(fcn_ioam_node_len(0), 0);
	assert_int_equal(fcn_ioam_node_len(0x800000), 1);
	assert_int_equal(fcn_ioam_node_len(0x008000), 2); /* bit 8: wide */
	assert_int_equal(fcn_ioam_node_len(0x004000), 2);
	assert_int_equal(fcn_ioam_node_len(0x002000), 2);
	assert_int_equal(fcn_ioam_node_len(0x001000), 1); /* bit 11 */
	assert_int_equal(fcn_ioam_node_len(0x000004), 1); /* bit 21 */
	assert_int_equal(fcn_ioam_node_len(0x000002), 0); /* bit 22: opaque, not counted */
	assert_int_equal(fcn_ioam_node_len(0x000001), 0);
	assert_int_equal(fcn_ioam_node_len(0xB62000), 7);
	assert_int_equal(fcn_ioam_node_len(0xFFFFFF), 8 + 6 + 11);
}

TEST(vector)
{
	/* RemainingLen and Overflow after 0, 1, 2, 3 hops, and at the fourth. */
	static const uint8_t remaining[] = {21, 14, 7, 0, 0};
	struct fcn_ioam_trace t;
	struct vectors v;
	uint8_t hdr[8];

	vectors_load(&v, "05_roce6_write_ioam");
	assert_int_equal(v.n, RTE_DIM(remaining));
	for (unsigned int i = 0; i < v.n; i++) {
		const uint8_t *p = v.data[i] + 62;

		assert_int_equal(fcn_ioam_trace_parse(p, 92, &t), FCN_WIRE_OK);
		assert_int_equal(t.namespace_id, 123);
		assert_int_equal(t.node_len, 7);
		assert_int_equal(t.type, 0xB62000);
		assert_int_equal(t.words, 21);
		assert_int_equal(t.remaining_len, remaining[i]);
		assert_int_equal(t.flags, i == 4 ? FCN_IOAM_FLAG_OVERFLOW : 0);
		assert_ptr_equal(t.data, p + 8);
		memset(hdr, 0xEE, sizeof(hdr));
		fcn_ioam_trace_hdr_build(hdr, &t);
		assert_memory_equal(hdr, p, 8);
	}
	vectors_free(&v);
}

TEST(header_bits)
{
	/* NodeLen 31, flags 1111, RemainingLen 127; then each alone. */
	struct fcn_ioam_trace t = {.namespace_id = 0x1234,
			.node_len = 31,
			.flags = 15,
			.remaining_len = 127,
			.type = 0xABCDEF};
	static const uint8_t want[8] = {0x12, 0x34, 0xFF, 0xFF, 0xAB, 0xCD, 0xEF, 0};
	uint8_t hdr[8];

	fcn_ioam_trace_hdr_build(hdr, &t);
	assert_memory_equal(hdr, want, 8);
	t.node_len = 7;
	t.flags = FCN_IOAM_FLAG_OVERFLOW;
	t.remaining_len = 0;
	fcn_ioam_trace_hdr_build(hdr, &t);
	assert_int_equal(hdr[2] << 8 | hdr[3], 0x3C00);
	t.flags = 1;
	fcn_ioam_trace_hdr_build(hdr, &t);
	assert_int_equal(hdr[2] << 8 | hdr[3], 0x3880);
}

struct trace_case {
	uint8_t node_len;
	uint8_t remaining;
	uint32_t type;
	uint32_t len;
	enum fcn_wire_error prealloc, incremental;
};

TEST(defects)
{
	static const struct trace_case cases[] = {
			{1, 0, 0x800000, 0, FCN_WIRE_IOAM_LENGTH, FCN_WIRE_IOAM_LENGTH},
			{1, 0, 0x800000, 7, FCN_WIRE_IOAM_LENGTH, FCN_WIRE_IOAM_LENGTH},
			{1, 0, 0x800000, 8, FCN_WIRE_OK, FCN_WIRE_OK},
			{1, 0, 0x800000, 11, FCN_WIRE_IOAM_LENGTH, FCN_WIRE_IOAM_LENGTH},
			{1, 0, 0x800000, 12, FCN_WIRE_OK, FCN_WIRE_OK},
			{1, 0, 0x800000, 8 + 4 * 256, FCN_WIRE_IOAM_LENGTH, FCN_WIRE_IOAM_LENGTH},
			{0, 0, 0x800000, 8, FCN_WIRE_IOAM_NODELEN_ZERO, FCN_WIRE_IOAM_NODELEN_ZERO},
			{0, 0, 0, 8, FCN_WIRE_IOAM_NODELEN_ZERO, FCN_WIRE_IOAM_NODELEN_ZERO},
			{2, 0, 0x800000, 16, FCN_WIRE_IOAM_NODELEN_TYPE,
					FCN_WIRE_IOAM_NODELEN_TYPE},
			{2, 2, 0xC00000, 16, FCN_WIRE_OK, FCN_WIRE_OK},
			{2, 3, 0xC00000, 16, FCN_WIRE_IOAM_REMAINING_LEN, FCN_WIRE_OK},
			{2, 1, 0xC00000, 16, FCN_WIRE_IOAM_RAGGED, FCN_WIRE_OK},
			{2, 1, 0xC00000, 20, FCN_WIRE_OK, FCN_WIRE_IOAM_RAGGED},
			{2, 1, 0xC00002, 16, FCN_WIRE_OK,
					FCN_WIRE_OK}, /* snapshots: no whole number */
	};
	struct fcn_ioam_trace t = {0}, out;

	for (unsigned int i = 0; i < RTE_DIM(cases); i++) {
		const struct trace_case *c = &cases[i];
		uint8_t hdr[8], *exact;

		t.node_len = c->node_len;
		t.remaining_len = c->remaining;
		t.type = c->type;
		fcn_ioam_trace_hdr_build(hdr, &t);
		exact = malloc(c->len);
		memcpy(exact, hdr, RTE_MIN(c->len, 8u));
		assert_int_equal(fcn_ioam_trace_parse(exact, c->len, &out), c->prealloc);
		assert_int_equal(
				fcn_ioam_trace_parse_type(FCN_IOAM_INCR_TRACE, exact, c->len, &out),
				c->incremental);
		assert_int_equal(fcn_ioam_trace_parse_type(FCN_IOAM_POT, exact, c->len, &out),
				FCN_WIRE_IOAM_OPT_TYPE);
		free(exact);
	}
}
