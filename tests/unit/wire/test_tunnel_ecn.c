/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* The ECN field at both ends of a tunnel: each cell of RFC 6040, headers that scapy built. */

#include "fcn_test.h"

#include "fcn_tunnel_ecn.h"
#include "message.h"
#include "reference.h"
#include "vectors.h"

#define ETHER_LEN 14
#define IP6_LEN 40

/* The fields in the order of the figures. */
static const uint8_t fields[4] = {0 /* Not-ECT */, 2 /* ECT(0) */, 1 /* ECT(1) */, 3 /* CE */};

/* RFC 6040 figure 4, as it is drawn. */
static const char *const figure4[4][4] = {
		{"Not-ECT", "Not-ECT(!!!)", "Not-ECT(!!!)", "<drop>(!!!)"},
		{"ECT(0)", "ECT(0)", "ECT(1)", "CE"},
		{"ECT(1)", "ECT(1)(!)", "ECT(1)", "CE"},
		{"CE", "CE", "CE(!!!)", "CE"},
};

static uint8_t
field_of(const char *cell)
{
	static const char *const names[4] = {"Not-ECT", "ECT(1)", "ECT(0)", "CE"};

	for (uint8_t i = 0; i < 4; i++) {
		if (strncmp(cell, names[i], strlen(names[i])) == 0)
			return i;
	}
	assert_true(strncmp(cell, "<drop>", 6) == 0);
	return 0;
}

/* RFC 6040 figure 3: all eight cells; what is not the ECN field plays no part. */
TEST(ingress)
{
	for (unsigned int tclass = 0; tclass < 256; tclass++) {
		assert_int_equal(fcn_tunnel_ecn_encaps(FCN_TUNNEL_ECN_NORMAL, (uint8_t)tclass),
				tclass % 4);
		assert_int_equal(fcn_tunnel_ecn_encaps(
						 FCN_TUNNEL_ECN_COMPATIBILITY, (uint8_t)tclass),
				0);
	}
}

/* All cells of figure 4, with the marks, for both versions and every DSCP. */
TEST(egress)
{
	static const char *const names[4] = {"not_ect", "ect0", "ect1", "ce"};
	uint64_t seed = 6040;

	for (unsigned int i = 0; i < 4 * 4 * 64 * 2; i++) {
		unsigned int row = i % 4, column = i / 4 % 4, dscp = i / 16 % 64;
		const char *cell = figure4[row][column];
		uint8_t tclass = (uint8_t)(dscp << 2 | fields[row]);
		uint8_t after = (uint8_t)(dscp << 2 | field_of(cell));
		bool drop = cell[0] == '<', is_ipv4 = i / 1024;
		enum fcn_tunnel_ecn_combination c;
		uint8_t ip[IP6_LEN], want[IP6_LEN];
		char name[64];

		ref_random_fill(&seed, ip, sizeof(ip));
		if (is_ipv4) {
			ip[0] = 0x45;
			ip[1] = tclass;
		} else {
			ip[0] = (uint8_t)(0x60 | tclass >> 4);
			ip[1] = (uint8_t)(tclass << 4 | (ip[1] & 0xF));
		}
		memcpy(want, ip, sizeof(ip));
		if (!drop && is_ipv4)
			want[1] = after;
		else if (!drop)
			want[1] = (uint8_t)(after << 4 | (ip[1] & 0xF));
		c = fcn_tunnel_ecn_decaps(ip, (uint8_t)(ref_random(&seed) << 2 | fields[column]));
		/* test_checksum looks at the checksum; without a change of the octet it stays. */
		if (is_ipv4 && !drop && after != tclass)
			memcpy(want + 10, ip + 10, 2);
		assert_memory_equal(ip, want, sizeof(ip));

		assert_int_equal(fcn_tunnel_ecn_is_drop(c), drop);
		assert_int_equal(fcn_tunnel_ecn_is_dangerous(c), strstr(cell, "(!!!)") != NULL);
		assert_int_equal(c != FCN_TUNNEL_ECN_USED, strchr(cell, '!') != NULL);
		if (c != FCN_TUNNEL_ECN_USED) {
			snprintf(name, sizeof(name), "tunnel_ecn_%s_%s", names[row], names[column]);
			assert_string_equal(fcn_tunnel_ecn_name(c), name);
		}
	}
}

/* Any IPv4 header, right checksum before, right checksum after, also where it is 0 or 0xffff. */
TEST(checksum)
{
	uint64_t seed = 1624;

	for (unsigned int i = 0; i < 300000; i++) {
		uint8_t ip[20];
		uint16_t sum;

		ref_random_fill(&seed, ip, sizeof(ip));
		ip[0] = 0x45;
		if (i % 3 == 0) /* the checksum comes out as 0 or small */
			memset(ip + 2, i % 2 ? 0 : 0xFF, 18);
		ip[10] = ip[11] = 0;
		if (i % 3 == 0) {
			sum = (uint16_t)(0xFFFF - msg_sum(ip, 18, 0) - i / 3 % 8);
			ip[18] = (uint8_t)(sum >> 8);
			ip[19] = (uint8_t)sum;
		}
		sum = (uint16_t)~msg_sum(ip, 20, 0);
		ip[10] = (uint8_t)(sum >> 8);
		ip[11] = (uint8_t)sum;
		assert_int_equal(msg_sum(ip, 20, 0), 0xFFFF);
		fcn_tunnel_ecn_decaps(ip, (uint8_t)i);
		assert_int_equal(msg_sum(ip, 20, 0), 0xFFFF);
	}
}

/* Packets of both versions, before and after, by scapy. */
TEST(vectors)
{
	unsigned int frame = 0;
	struct vectors v;

	vectors_load(&v, "44_tunnel_ecn");
	for (unsigned int i = 0; i < 32; i++) {
		uint8_t *outer = v.data[frame] + ETHER_LEN, *inner = outer + IP6_LEN;
		uint32_t len = v.len[frame] - ETHER_LEN - IP6_LEN;
		bool drop = i % 16 == 3;

		assert_int_equal(inner[0] >> 4, i < 16 ? 6 : 4);
		assert_int_equal(
				fcn_tunnel_ecn_is_drop(fcn_tunnel_ecn_decaps(inner, outer[1] >> 4)),
				drop);
		frame++;
		if (drop)
			continue;
		assert_int_equal(len, v.len[frame] - ETHER_LEN);
		assert_memory_equal(inner, v.data[frame] + ETHER_LEN, len);
		frame++;
	}
	assert_int_equal(frame, v.n);
	vectors_free(&v);
}

TEST(names)
{
	for (unsigned int c = 0; c < FCN_TUNNEL_ECN_COMBINATION_COUNT; c++)
		assert_true(strlen(fcn_tunnel_ecn_text(c)) > 4);
	assert_string_equal(fcn_tunnel_ecn_name(FCN_TUNNEL_ECN_COMBINATION_COUNT), "unknown");
	assert_false(fcn_tunnel_ecn_is_dangerous(FCN_TUNNEL_ECN_COMBINATION_COUNT));
}
