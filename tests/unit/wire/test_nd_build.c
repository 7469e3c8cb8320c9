/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Neighbour Discovery built: frames of scapy, rooms of every size; the addresses that go with it.
 */

#include <rte_common.h>

#include "fcn_test.h"
#include "icmp6_request.h"
#include "message.h"
#include "nd_frames.h"

static uint32_t
build(unsigned int i, uint8_t *buf, uint32_t room)
{
	struct fcn_nd_ra ra = nd_expected_ra;

	switch (i) {
	case NS:
		return fcn_nd_build_ns(nd_link_a, &nd_mac_a, NULL, nd_addr_b, buf, room);
	case NS_UNICAST:
		return fcn_nd_build_ns(nd_link_a, &nd_mac_a, nd_addr_b, nd_addr_b, buf, room);
	case NS_DAD:
		return fcn_nd_build_ns(NULL, &nd_mac_a, NULL, nd_addr_b, buf, room);
	case NA:
		return fcn_nd_build_na_reply(&nd_expected[NS], &nd_mac_b, true, buf, room);
	case NA_ALL:
		return fcn_nd_build_na_reply(&nd_expected[NS_DAD], &nd_mac_b, false, buf, room);
	case RS:
		return room < nd_frames[i].len ? 0 : router_solicitation(nd_link_a, &nd_mac_a, buf);
	case RS_UNSPECIFIED:
		return room < nd_frames[i].len ? 0 : router_solicitation(NULL, NULL, buf);
	default:
		/* Bits that have no place in the message do not get there. */
		ra.flags |= 0x3F;
		ra.prefix[0].flags |= 0x3F;
		ra.prefix[1].flags |= 0x3F;
		memset(ra.prefix[0].addr + 8, 0xFF, 8);
		memset(ra.prefix[1].addr + 8, 0xFF, 8);
		ra.prefix[1].addr[7] |= 0x07;
		return fcn_nd_build_ra(nd_link_a, NULL, &nd_mac_a, &ra, buf, room);
	}
}

TEST_FIXTURE(.begin = nd_setup);

TEST(vectors_built)
{
	for (unsigned int i = 0; i < N_FRAMES; i++) {
		for (uint32_t room = 0; room <= nd_frames[i].len + 3; room++) {
			uint8_t *buf = msg_room(room);
			uint32_t len = build(i, buf, room);

			assert_int_equal(len, room < nd_frames[i].len ? 0 : nd_frames[i].len);
			assert_memory_equal(buf, nd_frames[i].data, len);
			assert_true(msg_untouched(buf + len, room - len));
			free(buf);
		}
	}
}

/* The other ways to the same messages. */
TEST(advertisements)
{
	uint8_t buf[FCN_ND_NEIGHBOUR_LEN];
	struct fcn_nd nd;

	assert_int_equal(fcn_nd_build_na(nd_link_a, &nd_mac_b, nd_addr_b, 0xFF, buf, sizeof(buf)),
			72);
	assert_memory_equal(buf, nd_frames[NA].data, 72);
	/* To a group never solicited; reserved flags are not sent. */
	assert_int_equal(fcn_nd_build_na(NULL, &nd_mac_b, nd_addr_b, 0x7F, buf, sizeof(buf)), 72);
	assert_memory_equal(buf, nd_frames[NA_ALL].data, 72);
	assert_int_equal(fcn_nd_build_na_reply(&nd_expected[NS_UNICAST], &nd_mac_b, false, buf,
					 sizeof(buf)),
			72);
	assert_int_equal(nd_parse(buf, sizeof(buf), &nd), FCN_MSG_OK);
	assert_int_equal(nd.flags, FCN_ND_SOLICITED | FCN_ND_OVERRIDE);
	assert_memory_equal(nd.dst, nd_link_a, 16);
	assert_int_equal(fcn_nd_build_na_reply(
					 &nd_expected[NS_DAD], &nd_mac_b, true, buf, sizeof(buf)),
			72);
	assert_int_equal(nd_parse(buf, sizeof(buf), &nd), FCN_MSG_OK);
	assert_int_equal(nd.flags, FCN_ND_ROUTER | FCN_ND_OVERRIDE);
	assert_memory_equal(nd.dst, fcn_nd_all_nodes, 16);
}

/* Advertisements of all sizes, there and back. */
TEST(ra_round_trip)
{
	for (unsigned int n = 0; n < 4 * 9; n++) {
		bool mac = n & 1, mtu = n & 2;
		struct fcn_nd_ra ra = {.hop_limit = (uint8_t)n,
				.lifetime_s = (uint16_t)(0xFFFF - n),
				.reachable_ms = 0x01020304 + n,
				.retrans_ms = UINT32_MAX - n,
				.mtu = mtu ? 0x80000000 + n : 0,
				.n_prefixes = (uint8_t)(n / 4)};
		uint32_t want = 56 + 8 * mac + 8 * mtu + 32 * (n / 4);
		uint8_t *buf;
		struct fcn_nd nd;

		for (unsigned int i = 0; i < ra.n_prefixes; i++) {
			ra.prefix[i] = (struct fcn_nd_prefix){
					.len = (uint8_t)(128 - i), .valid_s = i, .preferred_s = ~i};
			memset(ra.prefix[i].addr, 0xFF, 16 - (i + 7) / 8);
			if (i % 8 != 0)
				ra.prefix[i].addr[15] = (uint8_t)(0xFF << i);
		}
		assert_true(want <= FCN_ND_ROUTER_ADVERT_MAX);
		buf = msg_room(want);
		assert_int_equal(fcn_nd_build_ra(nd_link_a, nd_addr_b, mac ? &nd_mac_a : NULL, &ra,
						 buf, want - 1),
				0);
		assert_true(msg_untouched(buf, want));
		assert_int_equal(fcn_nd_build_ra(nd_link_a, nd_addr_b, mac ? &nd_mac_a : NULL, &ra,
						 buf, want),
				want);
		assert_int_equal(msg_sum6(buf, 40, want), 0xFFFF);
		assert_int_equal(nd_parse(buf, want, &nd), FCN_MSG_OK);
		nd_assert_same_ra(&nd.ra, &ra);
		assert_memory_equal(nd.dst, nd_addr_b, 16);
		assert_int_equal(nd.has_lladdr, mac);
		free(buf);
	}
}

TEST(ra_refused)
{
	struct fcn_nd_ra ra = {.n_prefixes = 9};
	uint8_t buf[512];

	assert_int_equal(fcn_nd_build_ra(nd_link_a, NULL, NULL, &ra, buf, sizeof(buf)), 0);
	ra.n_prefixes = 1;
	ra.prefix[0].len = 129;
	assert_int_equal(fcn_nd_build_ra(nd_link_a, NULL, NULL, &ra, buf, sizeof(buf)), 0);
	ra.prefix[0].len = 128;
	assert_int_equal(fcn_nd_build_ra(nd_link_a, NULL, NULL, &ra, buf, sizeof(buf)), 88);
}

/* RFC 4291 section 2.7.1 and appendix A; RFC 2464 sections 5 and 7 (their examples). */
TEST(helpers)
{
	static const uint8_t host[16] = {0x40, 0x37, [11] = 1, 0x80, 0x0E, 0x8C, 0x6C},
			     group[16] = {0xFF, 2, [11] = 1, 0xFF, 0x0E, 0x8C, 0x6C},
			     link[16] = {0xFE, 0x80, [8] = 0x36, 0x56, 0x78, 0xFF, 0xFE, 0x9A, 0xBC,
					     0xDE};
	static const struct rte_ether_addr mac = {{0x34, 0x56, 0x78, 0x9A, 0xBC, 0xDE}},
					   group_mac = {{0x33, 0x33, 0xFF, 0x0E, 0x8C, 0x6C}};
	struct rte_ether_addr out_mac;
	uint8_t out[16];

	fcn_nd_solicited_node(host, out);
	assert_memory_equal(out, group, 16);
	assert_true(fcn_nd_is_solicited_node(out));
	fcn_nd_multicast_mac(group, &out_mac);
	assert_memory_equal(&out_mac, &group_mac, 6);
	fcn_nd_multicast_mac(fcn_nd_all_routers, &out_mac);
	assert_memory_equal(&out_mac, "\x33\x33\x00\x00\x00\x02", 6);
	fcn_nd_link_local(&mac, out);
	assert_memory_equal(out, link, 16);
	fcn_nd_link_local(&nd_mac_a, out);
	assert_memory_equal(out, nd_link_a, 16);
	/* In place, too. */
	memcpy(out, host, 16);
	fcn_nd_solicited_node(out, out);
	assert_memory_equal(out, group, 16);
}
