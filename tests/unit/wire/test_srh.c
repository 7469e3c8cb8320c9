/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Segment Routing Headers and their TLVs: vectors, every defect by its name, and cut headers. */

#include "fcn_test.h"

#include "fcn_srh.h"
#include "fcn_srv6_headers.h"
#include "reference.h"
#include "vectors.h"

#define ETHER_LEN 14
#define IP6_LEN 40
#define DST_OFF 24

static uint8_t *
srh_of(uint8_t *frame)
{
	return frame + ETHER_LEN + IP6_LEN;
}

/* What tshark reads from the vectors: Segments Left, Last Entry, Tag, length. */
TEST(vectors)
{
	static const struct {
		const char *file;
		unsigned int frame;
		struct fcn_srh srh;
	} cases[] = {
			{"06_srv6_encaps_srh", 0, {41, 1, 1, 0, 0, 40, 40}},
			{"06_srv6_encaps_srh", 1, {41, 0, 1, 0, 0, 40, 40}},
			{"08_srv6_encaps_red", 0, {41, 1, 0, 0, 0, 24, 24}},
			{"21_linux_srv6_encaps", 1, {41, 1, 1, 0, 0, 40, 40}},
			{"21_linux_srv6_encaps", 2, {41, 1, 0, 0, 0, 24, 24}},
			{"40_srh", 0, {17, 1, 2, 0, 0xBEEF, 96, 56}},
			{"40_srh", 1, {17, 2, 2, 0, 0xBEEF, 80, 56}},
			{"40_srh", 2, {17, 0, 2, 0, 0xBEEF, 104, 56}},
			{"40_srh", 3, {17, 3, 2, 0, 0xBEEF, 88, 56}},
	};
	struct fcn_srh_tlvs tlvs;
	struct vectors v;
	struct fcn_srh srh;

	for (unsigned int i = 0; i < RTE_DIM(cases); i++) {
		const struct fcn_srh *want = &cases[i].srh;
		uint8_t *p;

		vectors_load(&v, cases[i].file);
		p = srh_of(v.data[cases[i].frame]);
		memset(&srh, 0xA5, sizeof(srh));
		assert_int_equal(fcn_srh_parse(p, v.len[cases[i].frame] - 54, &srh), FCN_SRV6_OK);
		assert_memory_equal(&srh, want, sizeof(srh));
		assert_int_equal(fcn_srh_parse_tlvs(p, &srh, p - 16, &tlvs), FCN_SRV6_OK);
		vectors_free(&v);
	}
}

TEST(tlvs)
{
	static const struct fcn_srh_tlvs want[] = {
			{.hmac_off = 56, .hmac_len = 32, .key_id = 0xC0FFEE01},
			{.unknown = 1, .hmac_off = 64, .hmac_len = 8, .key_id = 5},
			{.unknown = 2, .hmac_off = 64, .hmac_len = 16, .key_id = 0xFFFFFFFF},
			{.hmac_off = 56, .hmac_len = 24, .reduced = true, .key_id = 7},
	};
	struct fcn_srh_tlvs tlvs;
	struct fcn_srh srh;
	struct vectors v;

	vectors_load(&v, "40_srh");
	assert_int_equal(v.n, RTE_DIM(want));
	for (unsigned int i = 0; i < v.n; i++) {
		const uint8_t *p = srh_of(v.data[i]);

		memset(&tlvs, 0xA5, sizeof(tlvs));
		assert_int_equal(fcn_srh_parse(p, v.len[i] - 54, &srh), FCN_SRV6_OK);
		assert_int_equal(fcn_srh_parse_tlvs(p, &srh, p - 16, &tlvs), FCN_SRV6_OK);
		assert_int_equal(tlvs.unknown, want[i].unknown);
		assert_int_equal(tlvs.hmac_off, want[i].hmac_off);
		assert_int_equal(tlvs.hmac_len, want[i].hmac_len);
		assert_int_equal(tlvs.reduced, want[i].reduced);
		assert_int_equal(tlvs.key_id, want[i].key_id);
		assert_int_equal(tlvs.error_off, 0);
	}
	vectors_free(&v);
}

/* Changes of an octet in a frame of the vectors, counted from the header, and what they cause. */
TEST(defects)
{
	static const struct {
		unsigned int frame;
		struct {
			uint8_t off, value;
		} set[2];
		enum fcn_srv6_error error;
		uint16_t error_off;
	} cases[] = {
			{0, {{2, 3}}, FCN_SRV6_ROUTING_TYPE, 0},
			{0, {{1, 255}}, FCN_SRV6_SRH_TRUNCATED, 0},
			/* 5 units, three segments need 6; 4 units: no part of a segment is left */
			{0, {{1, 5}}, FCN_SRV6_SRH_LENGTH, 0},
			{0, {{1, 4}}, FCN_SRV6_SRH_LAST_ENTRY, 0},
			{0, {{1, 0}}, FCN_SRV6_SRH_LAST_ENTRY, 0},
			{0, {{4, 255}}, FCN_SRV6_SRH_LENGTH, 0},
			{0, {{1, 10}, {4, 5}}, FCN_SRV6_SRH_LAST_ENTRY, 0},
			{0, {{3, 4}}, FCN_SRV6_SRH_SEGMENTS_LEFT, 0},
			{0, {{3, 255}}, FCN_SRV6_SRH_SEGMENTS_LEFT, 0},
			{0, {{57, 39}}, FCN_SRV6_SRH_TLV_OVERRUN, 56},
			{0, {{56, 99}, {57, 255}}, FCN_SRV6_SRH_TLV_OVERRUN, 56},
			/* the last octet of the header is a type without a length */
			{0, {{57, 37}, {95, 9}}, FCN_SRV6_SRH_HMAC_LENGTH, 56},
			{0, {{56, 4}, {57, 37}}, FCN_SRV6_SRH_TLV_OVERRUN, 95},
			{0, {{57, 0}}, FCN_SRV6_SRH_HMAC_LENGTH, 56},
			{0, {{57, 6}}, FCN_SRV6_SRH_HMAC_LENGTH, 56},
			{0, {{57, 13}}, FCN_SRV6_SRH_HMAC_LENGTH, 56},
			/* 8 octets of HMAC, and behind them a second TLV where the others were */
			{0, {{57, 14}, {72, 5}}, FCN_SRV6_SRH_HMAC_DUPLICATE, 72},
			{0, {{3, 0}}, FCN_SRV6_SRH_HMAC_DESTINATION, 56},
			{0, {{3, 3}}, FCN_SRV6_SRH_HMAC_DESTINATION, 56},
			{0, {{39, 0}}, FCN_SRV6_SRH_HMAC_DESTINATION, 56},
			/* padding of one octet more in front of it */
			{1, {{57, 5}, {63, 5}}, FCN_SRV6_SRH_HMAC_ALIGNMENT, 63},
			{3, {{60, 7}, {58, 0}}, FCN_SRV6_SRH_HMAC_DESTINATION, 56},
	};
	struct fcn_srh_tlvs tlvs;
	struct fcn_srh srh;
	struct vectors v;

	for (unsigned int i = 0; i < RTE_DIM(cases); i++) {
		unsigned int frame = cases[i].frame;
		enum fcn_srv6_error e;
		uint8_t *p;

		vectors_load(&v, "40_srh");
		p = srh_of(v.data[frame]);
		for (unsigned int j = 0; j < RTE_DIM(cases[i].set); j++) {
			if (cases[i].set[j].off != 0)
				p[cases[i].set[j].off] = cases[i].set[j].value;
		}
		memset(&tlvs, 0, sizeof(tlvs));
		e = fcn_srh_parse(p, v.len[frame] - 54, &srh);
		if (e == FCN_SRV6_OK)
			e = fcn_srh_parse_tlvs(p, &srh, p - 16, &tlvs);
		if (e != cases[i].error || tlvs.error_off != cases[i].error_off)
			fail_msg("case %u: %s at %u", i, fcn_srv6_error_name(e), tlvs.error_off);
		vectors_free(&v);
	}
}

/* A TLV of 33 to 255 octets of HMAC has the wrong length, and each other length but four, too. */
TEST(hmac_lengths)
{
	uint8_t p[8 + 16 + 264] = {17, 35, 4, 0, 0}, *tlv = p + 24;
	struct fcn_srh_tlvs tlvs;
	struct fcn_srh srh;

	for (unsigned int len = 0; len < 256; len++) {
		bool good = len == 14 || len == 22 || len == 30 || len == 38;

		memset(tlv, 0, 264);
		tlv[0] = 5;
		tlv[1] = (uint8_t)len;
		p[3] = 0;
		assert_int_equal(fcn_srh_parse(p, sizeof(p), &srh), FCN_SRV6_OK);
		assert_int_equal(fcn_srh_parse_tlvs(p, &srh, p + 8, &tlvs),
				good ? FCN_SRV6_OK : FCN_SRV6_SRH_HMAC_LENGTH);
		assert_int_equal(tlvs.hmac_len, good ? len - 6 : 0);
	}
}

/* Lengths, Last Entry and Segments Left in all combinations, against the text of RFC 8986. */
TEST(list)
{
	for (unsigned int units = 0; units < 256; units++) {
		uint8_t *p = calloc(1, 8 * (units + 1));
		struct fcn_srh srh;

		assert_non_null(p);
		p[1] = (uint8_t)units;
		p[2] = 4;
		for (int last = 0; last < 256; last++) {
			for (int left = 0; left<256; left += last> 3 && last < 250 ? 17 : 1) {
				/* section 4.1 lines S08 and S09, with -1 for an empty list */
				int max_le = (int)units / 2 - 1;
				bool bad = last > max_le || left > last + 1;

				p[3] = (uint8_t)left;
				p[4] = (uint8_t)last;
				assert_int_equal(fcn_srh_parse(p, 8 * (units + 1), &srh) !=
								 FCN_SRV6_OK,
						bad);
				assert_int_equal(fcn_srh_check_list(p) != FCN_SRV6_OK, bad);
				if (!bad)
					assert_int_equal(srh.tlv_off, 8 + 16 * (last + 1));
			}
		}
		free(p);
	}
}

TEST(malformed_vectors)
{
	static const enum fcn_srv6_error want[] = {
			FCN_SRV6_SRH_SEGMENTS_LEFT, FCN_SRV6_SRH_LAST_ENTRY, FCN_SRV6_SRH_LENGTH};
	struct fcn_srh srh;
	struct vectors v;

	vectors_load(&v, "16_malformed");
	for (unsigned int i = 0; i < RTE_DIM(want); i++)
		assert_string_equal(fcn_srv6_error_name(fcn_srh_parse(srh_of(v.data[11 + i]),
						    v.len[11 + i] - 54, &srh)),
				fcn_srv6_error_name(want[i]));
	vectors_free(&v);
}

/* A header that is not whole is truncated, whatever else; nothing behind it is read. */
TEST(cut)
{
	struct vectors v;

	vectors_load(&v, "40_srh");
	for (unsigned int i = 0; i < v.n; i++) {
		uint32_t whole = (srh_of(v.data[i])[1] + 1) * 8;

		for (uint32_t len = 0; len <= whole; len++) {
			uint8_t *copy = exact_copy(srh_of(v.data[i]), len);
			struct fcn_srh_tlvs tlvs;
			struct fcn_srh srh;
			enum fcn_srv6_error e = fcn_srh_parse(copy, len, &srh);

			assert_int_equal(e, len < whole ? FCN_SRV6_SRH_TRUNCATED : FCN_SRV6_OK);
			if (e == FCN_SRV6_OK)
				fcn_srh_parse_tlvs(copy, &srh, v.data[i] + 38, &tlvs);
			free(copy);
		}
	}
	vectors_free(&v);
}

/* TLVs of random octets: whatever is found lies in the header. */
TEST(random_tlvs)
{
	uint64_t seed = 8754;
	unsigned int valid = 0;

	for (unsigned int i = 0; i < 100000; i++) {
		uint32_t units = 2 + ref_random(&seed) % 8, len = 8 * (units + 1);
		uint8_t *p = malloc(len);
		struct fcn_srh_tlvs tlvs;
		struct fcn_srh srh;

		assert_non_null(p);
		ref_random_fill(&seed, p, len);
		for (uint32_t j = 24; j < len; j++) {
			if (ref_random(&seed) % 2)
				p[j] %= 8;
		}
		p[1] = (uint8_t)units;
		p[2] = 4;
		p[3] = p[4] = 0;
		assert_int_equal(fcn_srh_parse(p, len, &srh), FCN_SRV6_OK);
		if (fcn_srh_parse_tlvs(p, &srh, p + 8, &tlvs) == FCN_SRV6_OK)
			valid++;
		else
			assert_true(tlvs.error_off >= 24 && tlvs.error_off < len);
		assert_true(tlvs.hmac_off == 0 || tlvs.hmac_off + 8u + tlvs.hmac_len <= len);
		free(p);
	}
	assert_true(valid > 1000 && valid < 99000);
}

/* The ICMPv6 error of each refusal, by the RFCs. */
TEST(icmp)
{
	struct fcn_icmp6_error error;

	assert_false(fcn_srv6_icmp_error(FCN_SRV6_OK, 1, &error));
	assert_false(fcn_srv6_icmp_error(FCN_SRV6_EXT_TRUNCATED, 1, &error));
	assert_false(fcn_srv6_icmp_error(FCN_SRV6_ERROR_COUNT, 1, &error));
	assert_true(fcn_srv6_icmp_error(FCN_SRV6_HOP_LIMIT, 43, &error));
	assert_true(error.type == 3 && error.code == 0 && error.param == 0);
	assert_true(fcn_srv6_icmp_error(FCN_SRV6_SRH_LAST_ENTRY, 43, &error));
	assert_true(error.type == 4 && error.code == 0 && error.param == 43);
	assert_true(fcn_srv6_icmp_error(FCN_SRV6_SEGMENTS_LEFT, 43, &error));
	assert_true(error.type == 4 && error.code == 0 && error.param == 43);
	assert_true(fcn_srv6_icmp_error(FCN_SRV6_UPPER_LAYER, 64, &error));
	assert_true(error.type == 4 && error.code == 4 && error.param == 64);
	assert_string_equal(fcn_srv6_error_name(FCN_SRV6_ERROR_COUNT), "unknown");
	assert_string_equal(fcn_srv6_error_name(FCN_SRV6_HOP_LIMIT), "srv6_hop_limit");
	for (unsigned int e = 0; e < FCN_SRV6_ERROR_COUNT; e++)
		assert_true(strlen(fcn_srv6_error_text(e)) > 4);
}
