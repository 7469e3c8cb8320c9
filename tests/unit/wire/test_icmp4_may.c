/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Which packets an ICMP error may answer: RFC 1122 section 3.2.2, RFC 1812 section 4.3.2.7. */

#include "fcn_test.h"
#include "fcn_icmp4.h"
#include "vectors.h"

/* UDP or ICMP from 192.0.2.9 to 198.51.100.20, total length as given; 8 octets of upper layer. */
static void
make(uint8_t *p, unsigned int words, uint8_t proto, uint8_t first)
{
	static const uint8_t hdr[20] = {
			0x45, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 192, 0, 2, 9, 198, 51, 100, 20};

	memset(p, 0, 68);
	memcpy(p, hdr, sizeof(hdr));
	p[0] = (uint8_t)(0x40 | words);
	p[3] = (uint8_t)(words * 4 + 8);
	p[9] = proto;
	p[words * 4] = first;
}

static bool
may(const uint8_t *p, uint32_t len, bool group)
{
	uint8_t *copy = exact_copy(p, len);
	bool answer = fcn_icmp4_may_answer(copy, len, group);

	free(copy);
	return answer;
}

TEST(protocols)
{
	uint8_t p[68];

	for (unsigned int proto = 0; proto < 256; proto++) {
		make(p, 5, (uint8_t)proto, 3);
		assert_int_equal(may(p, 28, false), proto != 1);
		assert_false(may(p, 28, true));
		make(p, 5, (uint8_t)proto, 8);
		assert_true(may(p, 28, false));
	}
}

/* Errors, redirects, and what nobody knows are not answered; queries and answers are. */
TEST(icmp_types)
{
	static const uint8_t queries[] = {0, 8, 9, 10, 13, 14, 15, 16, 17, 18, 42, 43};
	uint8_t p[68];

	for (unsigned int words = 5; words <= 15; words++) {
		for (unsigned int type = 0; type < 256; type++) {
			make(p, words, 1, (uint8_t)type);
			assert_int_equal(may(p, words * 4 + 8, false),
					memchr(queries, (int)type, sizeof(queries)) != NULL);
		}
	}
}

TEST(addresses)
{
	uint8_t p[68];

	for (unsigned int off = 12; off <= 16; off += 4) {
		for (unsigned int first = 0; first < 256; first++) {
			make(p, 5, 17, 0);
			p[off] = (uint8_t)first;
			assert_int_equal(may(p, 28, false),
					first != 0 && first != 127 && first < 224);
		}
		make(p, 5, 17, 0);
		memset(p + off, 0xFF, 4);
		assert_false(may(p, 28, false));
		memset(p + off, 0, 4);
		assert_false(may(p, 28, false));
	}
}

TEST(fragments)
{
	uint8_t p[68];

	for (uint32_t x = 0; x <= 0xFFFF; x++) {
		make(p, 5, 17, 0);
		p[6] = (uint8_t)(x >> 8);
		p[7] = (uint8_t)x;
		assert_int_equal(may(p, 28, false), (x & 0x1FFF) == 0);
	}
}

/* Cut at every octet, by what can be read and by the total length. */
TEST(cut)
{
	uint8_t p[68];

	for (unsigned int words = 5; words <= 15; words++) {
		for (uint32_t len = 0; len <= words * 4 + 8; len++) {
			make(p, words, 17, 0);
			assert_int_equal(may(p, len, false), len >= words * 4);
			make(p, words, 1, 8);
			assert_int_equal(may(p, len, false), len > words * 4);
			p[3] = (uint8_t)len;
			assert_int_equal(may(p, words * 4 + 8, false), len > words * 4);
			p[9] = 17;
			assert_int_equal(may(p, words * 4 + 8, false), len >= words * 4);
		}
	}
	for (unsigned int x = 0; x < 256; x++) {
		make(p, 5, 17, 0);
		p[3] = 68;
		p[0] = (uint8_t)x;
		assert_int_equal(may(p, 68, false), x >> 4 == 4 && (x & 15) >= 5);
	}
}

/* An error is not built about what is no packet. */
TEST(refused)
{
	static const struct fcn_icmp4_error error = {FCN_ICMP4_UNREACHABLE, FCN_ICMP4_NET, 0};
	static const uint8_t src[4] = {192, 0, 2, 1};
	uint8_t p[68], buf[FCN_ICMP4_ERROR_MAX];

	for (unsigned int words = 0; words <= 15; words++) {
		for (uint32_t len = 0; len <= 68; len++) {
			uint8_t *copy;

			make(p, words, 17, 0);
			p[0] = (uint8_t)(0x40 | words);
			p[3] = 68;
			copy = exact_copy(p, len);
			assert_int_equal(fcn_icmp4_build_error(&error, src, 64, 0, copy, len, buf,
							 sizeof(buf)),
					words >= 5 && len >= words * 4 ? 28 + len : 0);
			free(copy);
		}
	}
	make(p, 5, 17, 0);
	p[0] = 0x65;
	assert_int_equal(fcn_icmp4_build_error(&error, src, 64, 0, p, 68, buf, sizeof(buf)), 0);
}
