/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* ICMPv6: what is like nothing in ICMP for IPv4. Which packets may be answered: test_icmp6_may. */

#include <rte_common.h>

#include "fcn_test.h"
#include "icmp.h"
#include "message.h"
#include "vectors.h"

#define ETHER 14

/* Frames of 32_icmp6; behind the echoes a packet and the error about it in turn. */
enum {
	REQUEST,
	REPLY,
	FIRST_ERROR = 3,
};

static const uint8_t group[16] = {0xFF, 2, [15] = 1};

/* Each bit behind what the checksum does not cover; a source that is a group. */
TEST(checksum)
{
	struct vectors v;
	uint8_t *ip;

	vectors_load(&v, "32_icmp6");
	ip = v.data[FIRST_ERROR] + ETHER;
	for (uint32_t bit = 8 * 8; bit < (v.len[FIRST_ERROR] - ETHER) * 8; bit++) {
		ip[bit / 8] ^= 1 << bit % 8;
		assert_int_equal(icmp_parse(6, ip, v.len[FIRST_ERROR] - ETHER, NULL),
				FCN_MSG_CHECKSUM);
		ip[bit / 8] ^= 1 << bit % 8;
	}
	ip[8] = 0xFF;
	msg_finish6(ip, 40, v.len[FIRST_ERROR] - ETHER);
	assert_int_equal(icmp_parse(6, ip, v.len[FIRST_ERROR] - ETHER, NULL), FCN_MSG_SOURCE);
	ip[0] = 0x4C;
	assert_int_equal(icmp_parse(6, ip, v.len[FIRST_ERROR] - ETHER, NULL), FCN_MSG_IP_HEADER);
	vectors_free(&v);
}

/* All types: errors quote, the others do not; only some have numbers in the word. */
TEST(types)
{
	uint8_t p[40 + 8 + 60] = {0x60, [6] = 58, 64};

	memcpy(p + 8, icmp6_b, 16);
	memcpy(p + 24, icmp6_a, 16);
	for (unsigned int type = 0; type < 256; type++) {
		struct icmp msg;

		p[40] = (uint8_t)type;
		p[41] = 77;
		memcpy(p + 44, "\x01\x02\x03\x04", 4);
		msg_finish6(p, 40, sizeof(p));
		assert_int_equal(icmp_parse(6, p, sizeof(p), &msg), FCN_MSG_OK);
		assert_int_equal(msg.type, type);
		assert_int_equal(msg.code, 77);
		assert_int_equal(msg.quote_len, type < 128 ? 60 : 0);
		assert_int_equal(msg.param, type == 2 || type == 4 ? 0x01020304 : 0);
		assert_int_equal(msg.id, type == 128 || type == 129 ? 0x0102 : 0);
		assert_int_equal(msg.seq, type == 128 || type == 129 ? 0x0304 : 0);
	}
}

/*
 * Where the quoted packet ends: with the message, with itself, or where
 * extensions begin, by a length in units of 8 octets of at least 128 (RFC 4884).
 */
TEST(quotes)
{
	static const uint8_t types[] = {1, 2, 3, 4};
	uint8_t p[40 + 8 + 300];

	for (unsigned int t = 0; t < RTE_DIM(types); t++) {
		for (unsigned int units = 0; units < 256; units++) {
			for (uint32_t plen = 0; plen <= 300; plen += 20) {
				bool extended = types[t] == 1 || types[t] == 3;
				uint32_t want = 300;
				struct icmp msg;

				memset(p, 0, sizeof(p));
				p[0] = p[48] = 0x60;
				p[6] = 58;
				p[40] = types[t];
				p[44] = (uint8_t)units;
				p[52] = (uint8_t)(plen >> 8);
				p[53] = (uint8_t)plen;
				msg_finish6(p, 40, sizeof(p));
				if (extended && units >= 16 && units * 8 < want)
					want = units * 8;
				if (40 + plen < want)
					want = 40 + plen;
				assert_int_equal(icmp_parse(6, p, sizeof(p), &msg), FCN_MSG_OK);
				assert_int_equal(msg.quote_len, want);
			}
		}
	}
	/* Of another version, or too short to say: all there is. */
	memset(p + 48, 0, 300);
	p[44] = 0;
	p[48] = 0x45;
	msg_finish6(p, 40, sizeof(p));
	for (uint32_t len = 48; len < 100; len++) {
		struct icmp msg;

		p[48] = len < 88 ? 0x60 : 0x45;
		msg_finish6(p, 40, len);
		assert_int_equal(icmp_parse(6, p, len, &msg), FCN_MSG_OK);
		assert_int_equal(msg.quote_len, len - 48);
	}
}

TEST(echo_vector)
{
	struct icmp msg;
	struct vectors v;
	uint8_t buf[64];

	vectors_load(&v, "32_icmp6");
	assert_int_equal(icmp_parse(6, v.data[REQUEST] + ETHER, 61, &msg), FCN_MSG_OK);
	assert_int_equal(icmp_echo_reply(&msg, v.data[REQUEST] + ETHER, NULL, 0, buf, sizeof(buf)),
			61);
	assert_memory_equal(buf, v.data[REPLY] + ETHER, 61);
	/* From an address of choice; the reply is no request. */
	assert_int_equal(fcn_icmp6_build_echo_reply(v.data[REQUEST] + ETHER, &msg.v6, icmp6_b, 9,
					 buf, sizeof(buf)),
			61);
	assert_memory_equal(buf + 8, icmp6_b, 16);
	assert_int_equal(buf[7], 9);
	assert_int_equal(icmp_parse(6, v.data[REPLY] + ETHER, 61, &msg), FCN_MSG_OK);
	assert_int_equal(
			icmp_echo_reply(&msg, v.data[REPLY] + ETHER, NULL, 0, buf, sizeof(buf)), 0);
	vectors_free(&v);
}

TEST(echo_groups)
{
	static const uint8_t no_station[][16] = {{0}, {[15] = 1}};
	uint8_t request[64], buf[64];
	uint32_t len = icmp6_request(request, 16, 0);
	struct icmp msg;

	memcpy(request + 24, group, 16);
	msg_finish6(request, 40, len);
	assert_int_equal(icmp_parse(6, request, len, &msg), FCN_MSG_OK);
	assert_int_equal(icmp_echo_reply(&msg, request, NULL, 0, buf, sizeof(buf)), 0);
	assert_int_equal(icmp_echo_reply(&msg, request, group, 0, buf, sizeof(buf)), 0);
	assert_int_equal(icmp_echo_reply(&msg, request, icmp6_a, 0, buf, sizeof(buf)), len);
	assert_memory_equal(buf + 8, icmp6_a, 16);
	for (unsigned int i = 0; i < RTE_DIM(no_station); i++) {
		memcpy(request + 8, no_station[i], 16);
		msg_finish6(request, 40, len);
		assert_int_equal(icmp_parse(6, request, len, &msg), FCN_MSG_OK);
		assert_int_equal(icmp_echo_reply(&msg, request, icmp6_a, 0, buf, sizeof(buf)), 0);
	}
}

TEST(error_refused)
{
	static const struct fcn_icmp6_error error = {FCN_ICMP6_UNREACHABLE, FCN_ICMP6_NO_ROUTE, 0};
	uint8_t ip[40] = {0x60}, buf[FCN_ICMP6_ERROR_MAX];

	for (uint32_t len = 0; len < 40; len++) {
		uint8_t *copy = exact_copy(ip, len);

		assert_int_equal(fcn_icmp6_build_error(
						 &error, icmp6_a, 64, copy, len, buf, sizeof(buf)),
				0);
		free(copy);
	}
	assert_int_equal(fcn_icmp6_build_error(&error, icmp6_a, 64, ip, 40, buf, sizeof(buf)), 88);
	ip[0] = 0x45;
	assert_int_equal(fcn_icmp6_build_error(&error, icmp6_a, 64, ip, 40, buf, sizeof(buf)), 0);
}
