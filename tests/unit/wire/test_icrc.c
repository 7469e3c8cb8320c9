/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* ICRC: long packets, what it masks and what it does not. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <rte_common.h>

#include "fcn_icrc.h"
#include "fcn_test.h"
#include "frame.h"
#include "reference.h"
#include "simd.h"
#include "vectors.h"

#define LONG 9216

/* The largest length of each way the sum is made: in one copy, and in pieces put together. */
static void
test_lengths(void **state)
{
	static const uint32_t rests[] = {0, 1, 15, 16, 17, 1024, 4096, 4500, 4540, 4600, 8000};
	static const uint32_t l4s[] = {40, 48, 296, 2088};
	const enum fcn_icrc_mode modes[] = {FCN_ICRC_SKIP, FCN_ICRC_COVER, FCN_ICRC_NORM};
	const enum ref_mode refs[] = {REF_SKIP, REF_COVER, REF_NORM};
	uint64_t seed = 4791;
	struct fcn_crc32 crc;

	(void)state;
	assert_int_equal(fcn_crc32_init(&crc), 0);
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
	fcn_crc32_fini(&crc);
}

/* The ICRC that an adapter made. */
static void
test_hardware(void **state)
{
	struct fcn_crc32 crc;
	struct vectors v;

	(void)state;
	vectors_load(&v, "04_cnp");
	assert_int_equal(fcn_crc32_init(&crc), 0);
	assert_int_equal(fcn_icrc(&crc, v.data[2] + 14, 20, 60, FCN_ICRC_SKIP), 0x2A00FD82);
	fcn_crc32_fini(&crc);
	vectors_free(&v);
}

/* Every octet counts, but for those that change on the way. */
static void
test_masked_octets(void **state)
{
	struct fcn_crc32 crc;
	struct vectors v;
	uint32_t before;

	(void)state;
	assert_int_equal(fcn_crc32_init(&crc), 0);
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
	fcn_crc32_fini(&crc);
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(test_lengths),
			cmocka_unit_test(test_hardware),
			cmocka_unit_test(test_masked_octets),
	};

	use_simd(argc, argv);
	return cmocka_run_group_tests(tests, NULL, fcn_test_eal_cleanup);
}
