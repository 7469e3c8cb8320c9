/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * The fast path for Fast CNPs to END.CON against the general functions: frames with octets changed
 * at random, some of which get a right ICRC and checksum afterwards.
 */

#include "fcn_endcon_plain.h"
#include "crc.h"
#include "reference.h"
#include "vectors.h"

#define ETHER_LEN 14
#define IP6_LEN 40
#define TURNS fcn_test_effort(20000)

/* Compare the results for a frame. @return whether it is a Fast CNP that END.CON takes */
static bool
compare(const uint8_t *frame, uint32_t part, uint32_t whole, uint8_t opt1, enum fcn_icrc_mode mode)
{
	struct fcn_parse_codes codes = fcn_parse_default_codes;
	uint8_t *bytes = exact_copy(frame, part), *inner = bytes + FCN_ENDCON_PLAIN_INNER_OFF;
	struct fcn_wire_info slow;
	struct fcn_endcon_node node;
	enum fcn_endcon_error e;
	struct fcn_endcon out;
	bool intact = false;

	codes.fastcnp_opt1 = opt1;
	if (part == FCN_ENDCON_PLAIN_LEN)
		assert_int_equal(fcn_endcon_plain_is_form(bytes, opt1),
				fcn_endcon_plain_is_form_portable(bytes, opt1));
	fcn_parse_slow(bytes, part, whole, &codes, &slow);
	if (fcn_endcon_is_plain(bytes, part, whole, opt1)) {
		assert_int_equal(slow.error, FCN_WIRE_OK);
		assert_int_equal(slow.flags, FCN_PKT_IPV6 | FCN_PKT_TUNNEL | FCN_PKT_UDP |
							     FCN_PKT_ROCE | FCN_PKT_ROCE_PORT |
							     FCN_PKT_FASTCNP);
		assert_int_equal(slow.inner_l3_off, FCN_ENDCON_PLAIN_INNER_OFF);
		assert_int_equal(slow.ip_len, FCN_ENDCON_PLAIN_LEN - ETHER_LEN);
		fcn_endcon_node_init(&crc, mode, bytes + ETHER_LEN + 8, &node);
		intact = fcn_endcon_plain_is_intact(&crc, mode, &node, inner);
		assert_int_equal(fcn_endcon_plain_is_intact_any(&crc, mode, &node, inner), intact);
		e = fcn_endcon_check(&crc, mode, bytes, part, &slow, &codes, &out);
		/* The checks of the destination are those of the route. What the node has not made
		 * itself is left to the general functions. */
		if (e == FCN_ENDCON_OK || e == FCN_ENDCON_BAD_DESTINATION ||
				e == FCN_ENDCON_BAD_LOOP)
			assert_int_equal(intact, fcn_endcon_node_is(&node, inner + 8));
		else
			assert_false(intact);
	}
	free(bytes);
	return intact;
}

TEST_FIXTURE(FCN_TEST_CRC);

TEST(random)
{
	static const enum fcn_icrc_mode modes[] = {FCN_ICRC_SKIP, FCN_ICRC_COVER, FCN_ICRC_NORM};
	static const enum ref_mode refs[] = {REF_SKIP, REF_COVER, REF_NORM};
	unsigned int taken = 0, refused = 0;
	uint64_t seed = 16807;
	struct vectors v;

	vectors_load(&v, "11_fastcnp_srv6_endcon");
	assert_int_equal(v.len[0], FCN_ENDCON_PLAIN_LEN);
	for (unsigned int i = 0; i < TURNS; i++) {
		uint8_t *frame = exact_copy(v.data[0], v.len[0]);
		uint32_t part = v.len[0], whole = part;
		bool is_taken;

		for (unsigned int k = i / 3 % 4; k > 0; k--)
			frame[12 + ref_random(&seed) % (part - 12)] ^=
					(uint8_t)(1u << ref_random(&seed) % 8);
		if (ref_random(&seed) % 4 != 0)
			ref_fastcnp_finish(frame + FCN_ENDCON_PLAIN_INNER_OFF, refs[i % 3], true);
		if (ref_random(&seed) % 4 == 0) {
			frame[part - 1 - ref_random(&seed) % 40] ^=
					(uint8_t)(1u << ref_random(&seed) % 8);
		}
		if (ref_random(&seed) % 16 == 0)
			memset(frame + part - 34, 0, 2); /* no checksum */
		if (ref_random(&seed) % 16 == 0)
			part = (uint32_t)(ref_random(&seed) % part);
		if (ref_random(&seed) % 16 == 0)
			whole = part;
		is_taken = compare(frame, part, whole, ref_random(&seed) % 16 == 0 ? 0x9F : 0x9E,
				modes[i % 3]);
		taken += is_taken;
		refused += !is_taken;
		free(frame);
	}
	vectors_free(&v);
	assert_in_range(taken, TURNS / 10, TURNS);
	assert_in_range(refused, TURNS / 10, TURNS);
}

/* Every bit of a Fast CNP, changed alone: the check finds it, unless neither ICRC nor checksum
 * cover it. */
TEST(bits)
{
	struct fcn_endcon_node node;
	unsigned int intact = 0;
	struct vectors v;
	uint8_t *inner;

	vectors_load(&v, "11_fastcnp_srv6_endcon");
	inner = v.data[0] + FCN_ENDCON_PLAIN_INNER_OFF;
	fcn_endcon_node_init(&crc, FCN_ICRC_SKIP, v.data[0] + ETHER_LEN + 8, &node);
	assert_true(fcn_endcon_plain_is_intact(&crc, FCN_ICRC_SKIP, &node, inner));
	for (unsigned int bit = 8 * 8; bit < 8 * FCN_FASTCNP_OPT1_LEN; bit++) {
		inner[bit / 8] ^= (uint8_t)(1u << bit % 8);
		assert_int_equal(fcn_endcon_plain_is_intact(&crc, FCN_ICRC_SKIP, &node, inner),
				fcn_endcon_plain_is_intact_any(&crc, FCN_ICRC_SKIP, &node, inner));
		intact += fcn_endcon_plain_is_intact(&crc, FCN_ICRC_SKIP, &node, inner);
		inner[bit / 8] ^= (uint8_t)(1u << bit % 8);
	}
	/* The octets of the extension header. */
	assert_int_equal(intact, 8 * FCN_ENDCON_PLAIN_EXT_LEN);
	vectors_free(&v);
}

/* Many source ports and senders, so that sums of all sizes occur, and are found right. */
TEST(sums)
{
	struct vectors v;
	uint8_t *inner;

	vectors_load(&v, "11_fastcnp_srv6_endcon");
	inner = v.data[0] + FCN_ENDCON_PLAIN_INNER_OFF;
	for (unsigned int i = 0; i < 9000; i++) {
		fcn_put_be16(inner + 64, (uint16_t)(i * 8));
		inner[40 - 1] = (uint8_t)(i >> 9);
		if (i % 7 == 0)
			memset(inner + 24, 0xFF, 12);
		ref_fastcnp_finish(v.data[0] + FCN_ENDCON_PLAIN_INNER_OFF, REF_SKIP, true);
		assert_true(compare(v.data[0], v.len[0], v.len[0], 0x9E, FCN_ICRC_SKIP));
	}
	vectors_free(&v);
}
