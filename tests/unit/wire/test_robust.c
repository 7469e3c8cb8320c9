/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Cut, chained, padded and mutated frames: nothing is read past the bytes given, nothing is
 * claimed. */

#include "fcn_cnp.h"
#include "fcn_fastcnp.h"
#include "fcn_parse.h"
#include "crc.h"
#include "reference.h"
#include "vectors.h"

/* Both forms of the walk, which must agree, and the readers behind it. */
static enum fcn_wire_error
walk(const uint8_t *data, uint32_t seg_len, uint32_t pkt_len, struct fcn_wire_info *info)
{
	const struct fcn_parse_codes *codes = &fcn_parse_default_codes;
	struct fcn_wire_info fast;
	struct fcn_fastcnp fcnp;
	struct fcn_cnp cnp;
	enum fcn_wire_error e;

	memset(info, 0xA5, sizeof(*info));
	memset(&fast, 0x5A, sizeof(fast));
	e = fcn_parse_slow(data, seg_len, pkt_len, codes, info);
	assert_int_equal(e, info->error);
	assert_int_equal(fcn_parse(data, seg_len, pkt_len, codes, &fast), e);
	assert_memory_equal(&fast, info, sizeof(fast));
	if (seg_len == pkt_len)
		fcn_cnp_parse(&crc, data, info, &cnp);
	for (int mode = FCN_ICRC_SKIP; mode <= FCN_ICRC_ANY; mode++)
		fcn_fastcnp_parse(&crc, mode, data, seg_len, info, codes, &fcnp);
	return e;
}

static void
for_each_frame(void (*fn)(uint8_t *data, uint32_t len, bool malformed))
{
	struct vectors v;

	for (unsigned int i = 0; i < vector_n_files; i++) {
		vectors_load(&v, vector_files[i]);
		for (unsigned int j = 0; j < v.n; j++)
			fn(v.data[j], v.len[j], strcmp(vector_files[i], "16_malformed") == 0);
		vectors_free(&v);
	}
}

static void
check_cut(uint8_t *data, uint32_t len, bool malformed)
{
	struct fcn_wire_info info;

	(void)malformed;
	for (uint32_t cut = 0; cut < len; cut++) {
		uint8_t *copy = exact_copy(data, cut);
		enum fcn_wire_error e = walk(copy, cut, cut, &info);

		assert_false(info.flags & FCN_PKT_ROCE);
		assert_true(fcn_wire_error_is_fatal(e));
		if (cut < 14)
			assert_int_equal(e, FCN_WIRE_ETH_TRUNCATED);
		free(copy);
	}
}

TEST(cut)
{
	for_each_frame(check_cut);
}

static void
check_chained(uint8_t *data, uint32_t len, bool malformed)
{
	struct fcn_wire_info whole, info;

	walk(data, len, len, &whole);
	for (uint32_t cut = 0; cut < len; cut++) {
		uint8_t *copy = exact_copy(data, cut);

		walk(copy, cut, len, &info);
		if (malformed) {
			free(copy);
			continue;
		}
		/* All headers in the first segment, and the walk sees what it sees in one piece. */
		if (cut >= whole.l4_off + 20u) {
			assert_memory_equal(&info, &whole, sizeof(info));
		} else {
			assert_false(info.flags & FCN_PKT_ROCE);
			assert_int_not_equal(info.error, FCN_WIRE_OK);
		}
		free(copy);
	}
}

TEST(chained)
{
	for_each_frame(check_chained);
}

static void
check_padded(uint8_t *data, uint32_t len, bool malformed)
{
	struct fcn_wire_info whole, info;
	uint8_t *copy = malloc(len + 46);

	assert_non_null(copy);
	walk(data, len, len, &whole);
	for (uint32_t pad = 1; pad <= 46; pad += 5) {
		memcpy(copy, data, len);
		memset(copy + len, 0xEE, pad);
		walk(copy, len + pad, len + pad, &info);
		if (!malformed)
			assert_memory_equal(&info, &whole, sizeof(info));
	}
	free(copy);
}

TEST(padded)
{
	for_each_frame(check_padded);
}

static void
check_mutated(uint8_t *data, uint32_t len, bool malformed)
{
	static const uint8_t values[] = {
			0x00, 0x01, 0x04, 0x11, 0x29, 0x2B, 0x2C, 0x3C, 0x7F, 0xFF};
	struct fcn_wire_info info;

	(void)malformed;
	for (uint32_t i = 0; i < len; i++) {
		uint8_t was = data[i];

		for (unsigned int j = 0; j < sizeof(values); j++) {
			data[i] = values[j];
			walk(data, len, len, &info);
		}
		data[i] = was;
	}
}

/* One octet changed at a time, everywhere. */
TEST(mutated)
{
	for_each_frame(check_mutated);
}

static void
check_scrambled(uint8_t *data, uint32_t len, bool malformed)
{
	struct fcn_wire_info info;
	uint64_t seed = 0x9E3779B97F4A7C15u + len;
	uint8_t *copy = exact_copy(data, len);

	(void)malformed;
	for (int round = 0; round < 500; round++) {
		memcpy(copy, data, len);
		for (int i = 0; i < 3; i++) {
			uint64_t r = ref_random(&seed);

			copy[12 + r % (len - 12)] = (uint8_t)(r >> 32);
		}
		walk(copy, len, len, &info);
	}
	free(copy);
}

TEST(scrambled)
{
	for_each_frame(check_scrambled);
}

TEST_FIXTURE(FCN_TEST_CRC);
