/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* ICRC: long packets, what it masks and what it does not. */

#include <rte_common.h>

#include "fcn_icrc.h"
#include "crc.h"
#include "frame.h"
#include "reference.h"
#include "vectors.h"

#define LONG 9216

TEST_FIXTURE(FCN_TEST_CRC);

/* The largest length of each way the sum is made: in one copy, and in pieces put together. */
TEST(lengths)
{
	static const uint32_t rests[] = {0, 1, 15, 16, 17, 1024, 4096, 4500, 4540, 4600, 8000};
	static const uint32_t l4s[] = {40, 48, 296, 2088};
	const enum fcn_icrc_mode modes[] = {FCN_ICRC_SKIP, FCN_ICRC_COVER, FCN_ICRC_NORM};
	const enum ref_mode refs[] = {REF_SKIP, REF_COVER, REF_NORM};
	uint64_t seed = 4791;

	for (unsigned int i = 0; i < RTE_DIM(rests); i++) {
		for (unsigned int j = 0; j < RTE_DIM(l4s); j++) {
			uint32_t len = l4s[j] + 20 + rests[i] + 4;
			uint8_t *ip = malloc(len);

			assert_non_null(ip);
			ref_random_fill(&seed, ip, len);
			ip[0] = 0x60;
			for (unsigned int k = 0; k < 3; k++)
				assert_int_equal(fcn_icrc(&crc, ip, l4s[j], len, modes[k]),
						ref_icrc(ip, l4s[j], len, refs[k]));
			free(ip);
		}
		for (uint32_t l4 = 20; l4 <= 60; l4 += 20) {
			uint32_t len = l4 + 20 + rests[i] + 4;
			uint8_t *ip = malloc(len);

			assert_non_null(ip);
			ref_random_fill(&seed, ip, len);
			ip[0] = (uint8_t)(0x40 | l4 / 4);
			for (unsigned int k = 0; k < 3; k++)
				assert_int_equal(fcn_icrc(&crc, ip, l4, len, modes[k]),
						ref_icrc(ip, l4, len, REF_SKIP));
			free(ip);
		}
	}
}

/* The ICRC that an adapter made. */
TEST(hardware)
{
	struct vectors v;

	vectors_load(&v, "04_cnp");
	assert_int_equal(fcn_icrc(&crc, v.data[2] + 14, 20, 60, FCN_ICRC_SKIP), 0x2A00FD82);
	vectors_free(&v);
}

/* Every octet counts, but for those that change on the way. */
TEST(masked_octets)
{
	struct vectors v;
	uint32_t before;

	vectors_load(&v, "01_roce6_write");
	before = fcn_icrc(&crc, v.data[0] + 14, 40, 144, FCN_ICRC_SKIP);
	for (uint32_t i = 0; i < 140; i++) {
		bool masked = (i >= 1 && i <= 3) || i == 7 || i == 46 || i == 47 || i == 52;

		v.data[0][14 + i] ^= 0x01;
		if (i == 0) /* low nibble of the first octet: traffic class */
			masked = true;
		assert_int_equal(fcn_icrc(&crc, v.data[0] + 14, 40, 144, FCN_ICRC_SKIP) == before,
				masked);
		v.data[0][14 + i] ^= 0x01;
	}
	vectors_free(&v);

	vectors_load(&v, "02_roce4_write");
	before = fcn_icrc(&crc, v.data[0] + 14, 20, 124, FCN_ICRC_SKIP);
	for (uint32_t i = 0; i < 120; i++) {
		bool masked = i == 1 || i == 8 || i == 10 || i == 11 || i == 26 || i == 27 ||
			      i == 32;

		v.data[0][14 + i] ^= 0x01;
		assert_int_equal(fcn_icrc(&crc, v.data[0] + 14, 20, 124, FCN_ICRC_SKIP) == before,
				masked);
		v.data[0][14 + i] ^= 0x01;
	}
	vectors_free(&v);
}

/* Register after n octets of zero, bit by bit. */
static uint32_t
zeros(uint32_t reg, uint32_t n)
{
	for (uint32_t i = 0; i < 8 * n; i++)
		reg = reg >> 1 ^ (reg & 1 ? 0xEDB88320 : 0);
	return reg;
}

TEST(register)
{
	static const uint8_t ones[8] = {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF};
	uint32_t reg = 0x12345678;

	/* The check value of CRC-32. */
	assert_int_equal(fcn_crc32_update(0xFFFFFFFF, (const uint8_t *)"123456789", 9),
			~0xCBF43926u);
	assert_int_equal(fcn_crc32_update(0xFFFFFFFF, ones, 8), FCN_ICRC_REGISTER);
	assert_int_equal(fcn_crc32_update(reg, ones, 0), reg);
	for (unsigned int byte = 0; byte < 256; byte++) {
		uint8_t b = (uint8_t)byte;

		assert_int_equal(fcn_crc32_update(reg, &b, 1), zeros(reg ^ byte, 1));
	}
}

TEST(shift)
{
	uint64_t seed = 32;

	for (uint32_t n = 0; n < 300; n++) {
		uint32_t d = (uint32_t)(ref_random(&seed) >> 32);

		assert_int_equal(fcn_crc32_shift(d, n), zeros(d, n));
		assert_int_equal(fcn_crc32_shift(0, n), 0);
	}
	for (uint32_t n = 1; n <= 1u << 18; n <<= 1) {
		for (uint32_t bit = 1; bit != 0; bit <<= 11)
			assert_int_equal(fcn_crc32_shift(bit, n), zeros(bit, n));
		assert_int_equal(fcn_crc32_shift(0xCBF43926, n - 1), zeros(0xCBF43926, n - 1));
	}
	/* Longer ones, in steps. */
	for (unsigned int i = 0; i < 1000; i++) {
		uint32_t d = (uint32_t)(ref_random(&seed) >> 32);
		uint32_t a = (uint32_t)(ref_random(&seed) >> 33);
		uint32_t b = (uint32_t)(ref_random(&seed) >> 33);

		assert_int_equal(fcn_crc32_shift(fcn_crc32_shift(d, a), b),
				fcn_crc32_shift(d, a + b));
	}
	/* x has order 2^32 - 1: eight times 2^29 bits are one bit more than that. */
	assert_int_equal(fcn_crc32_shift(0x80000000, 1u << 29), 0x40000000);
}

/* Two packets that differ in front have ICRCs that differ by what is shifted to the end. */
TEST(difference)
{
	uint64_t seed = 1624;

	for (unsigned int i = 0; i < 2000; i++) {
		uint32_t head[2], n = (uint32_t)(ref_random(&seed) % 1500), reg[2], sum[2];
		uint8_t buf[2][2048], tail[1500];

		ref_random_fill(&seed, tail, n);
		for (unsigned int j = 0; j < 2; j++) {
			head[j] = (uint32_t)(ref_random(&seed) % 500);
			ref_random_fill(&seed, buf[j], head[j]);
			memcpy(buf[j] + head[j], tail, n);
			reg[j] = fcn_crc32_update(0xFFFFFFFF, buf[j], head[j]);
			sum[j] = fcn_crc32(&crc, buf[j], head[j] + n);
		}
		if (head[0] + n == 0 || head[1] + n == 0)
			continue;
		assert_int_equal(sum[0] ^ sum[1], fcn_crc32_shift(reg[0] ^ reg[1], n));
	}
}

/* Checksum by hand: C = ~S, and S grows by what the ICRC does. */
TEST(checksum)
{
	static const struct {
		uint8_t len; /* UDP length; the ICRC is all of it, or stands at 5 - 4, an odd place
			      */
		uint32_t difference;
		uint8_t before[4], now[4];
		uint16_t was, is;
	} cases[] = {
			{4, 0, {1, 2, 3, 4}, {1, 2, 3, 4}, 0x0000, 0x0000},
			{4, 0, {1, 2, 3, 4}, {1, 2, 3, 4}, 0xFFFF, 0xFFFF},
			{4, 0x00000001, {0, 0, 0, 0}, {1, 0, 0, 0}, 0x0000, 0x0000}, /* none */
			{4, 0x00000001, {0, 0, 0, 0}, {1, 0, 0, 0}, 0x1234, 0x1134},
			{4, 0x00000100, {0, 0, 0, 0}, {0, 1, 0, 0}, 0x1234, 0x1233},
			{4, 0x00010000, {0, 0, 0, 0}, {0, 0, 1, 0}, 0x1234, 0x1134},
			{4, 0x01000000, {0, 0, 0, 0}, {0, 0, 0, 1}, 0x1234, 0x1233},
			{4, 0x01000000, {0, 0, 0, 1}, {0, 0, 0, 0}, 0x1234, 0x1235},
			/* S FFFE: one more is FFFF, whose complement is not written as 0. */
			{4, 0x01000000, {0, 0, 0, 0}, {0, 0, 0, 1}, 0x0001, 0xFFFF},
			{4, 0x02000000, {0, 0, 0, 0}, {0, 0, 0, 2}, 0x0001, 0xFFFE},
			/* Three more: carries twice. */
			{4, 0x02000100, {0, 0, 0, 0}, {0, 1, 0, 2}, 0x0001, 0xFFFD},
			{4, 0xFFFFFFFF, {0, 0, 0, 0}, {0xFF, 0xFF, 0xFF, 0xFF}, 0x1234, 0x1234},
			/* One octet behind the difference, which it moves by. */
			{5, 0x00000100, {0, 0, 0, 0}, {1, 0, 0, 0}, 0x1234, 0x1233},
			{5, 0x00010000, {0, 0, 0, 0}, {0, 1, 0, 0}, 0x1234, 0x1134},
			{5, 0x01000000, {0, 0, 0, 0}, {0, 0, 1, 0}, 0x1234, 0x1233},
	};

	for (unsigned int i = 0; i < RTE_DIM(cases); i++) {
		uint8_t udp[8] = {0xC0, 0xDE, 0x12, 0xB7, 0, cases[i].len};
		uint8_t icrc[4];

		udp[6] = (uint8_t)(cases[i].was >> 8);
		udp[7] = (uint8_t)cases[i].was;
		memcpy(icrc, cases[i].before, 4);
		fcn_icrc_correct(udp, icrc, FCN_ICRC_COVER, cases[i].difference);
		assert_memory_equal(icrc, cases[i].now, 4);
		assert_int_equal(udp[6] << 8 | udp[7], cases[i].is);
	}
}
