/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* The walk over what the vectors do not hold: tags, fragments, limits, defects one by one. */

#include <netinet/in.h>

#include "fcn_test.h"
#include "fcn_parse.h"
#include "frame.h"
#include "vectors.h"

static struct fcn_wire_info info;
static struct frame f;

/* Walks the frame in a heap buffer of its size, by both forms. */
static enum fcn_wire_error
walk_codes(const struct fcn_parse_codes *codes)
{
	uint8_t *copy = exact_copy(f.data, f.len);
	struct fcn_wire_info fast;
	enum fcn_wire_error e;

	memset(&info, 0xA5, sizeof(info));
	e = fcn_parse_slow(copy, f.len, f.len, codes, &info);
	assert_int_equal(e, info.error);
	assert_int_equal(fcn_parse(copy, f.len, f.len, codes, &fast), e);
	assert_memory_equal(&info, &fast, sizeof(info));
	free(copy);
	return e;
}

static enum fcn_wire_error
walk(void)
{
	return walk_codes(&fcn_parse_default_codes);
}

static void
assert_roce(bool want)
{
	assert_int_equal((info.flags & FCN_PKT_ROCE) != 0, want);
}

static void
roce6(void)
{
	frame_ether(&f, 0x86DD);
	frame_ip6(&f, IPPROTO_UDP);
	frame_roce(&f, 16);
	frame_finish(&f);
}

static void
roce4(uint32_t hdr_len)
{
	frame_ether(&f, 0x0800);
	frame_ip4(&f, IPPROTO_UDP, hdr_len);
	frame_roce(&f, 16);
	frame_finish(&f);
}

TEST(vlan)
{
	for (unsigned int tags = 1; tags <= 3; tags++) {
		frame_ether(&f, 0x86DD);
		for (unsigned int i = 0; i < tags; i++)
			frame_vlan(&f, i == 0 ? 0x88A8 : 0x8100, (uint16_t)(0x6064 + i));
		frame_ip6(&f, IPPROTO_UDP);
		frame_roce(&f, 0);
		frame_finish(&f);
		assert_int_equal(walk(), FCN_WIRE_OK);
		assert_roce(tags <= 2);
		assert_int_equal(info.n_vlans, tags <= 2 ? tags : 2);
		assert_int_equal(info.vlan_tci, 0x6064);
		assert_int_equal(info.ether_type, tags <= 2 ? 0x86DD : 0x8100);
		assert_int_equal(info.l3_off, tags <= 2 ? 14 + 4 * tags : 0);
		assert_int_equal(info.l4_off, tags <= 2 ? 54 + 4 * tags : 0);
	}
	/* Cut between the tag's TCI and the type behind it. */
	f.len = 16;
	assert_int_equal(walk(), FCN_WIRE_ETH_TRUNCATED);
}

TEST(not_ip)
{
	frame_ether(&f, 0x8808);
	frame_zero(&f, 46);
	assert_int_equal(walk(), FCN_WIRE_OK);
	assert_int_equal(info.ether_type, 0x8808);
	assert_int_equal(info.l3_off, 0);
	assert_int_equal(info.flags, 0);
}

/* The shortest RoCEv2 packets are shorter than an Ethernet frame may be. */
TEST(padding)
{
	frame_ether(&f, 0x0800);
	frame_ip4(&f, IPPROTO_UDP, 20);
	frame_roce(&f, 0);
	frame_finish(&f);
	assert_int_equal(f.len, 58);
	frame_zero(&f, 2);
	assert_int_equal(walk(), FCN_WIRE_OK);
	assert_roce(true);
	assert_int_equal(info.ip_len, 44);
}

TEST(ipv4)
{
	roce4(20);
	assert_int_equal(walk(), FCN_WIRE_OK);
	assert_roce(true);
	assert_int_equal(info.final_dst_off, 0);
	assert_int_equal(info.dest_qp, 0x123456);
	assert_int_equal(info.p_key, 0xABCD);
	roce4(60); /* options */
	assert_int_equal(walk(), FCN_WIRE_OK);
	assert_roce(true);
	assert_int_equal(info.l4_off, 74);

	roce4(20);
	f.data[14] = 0x65;
	assert_int_equal(walk(), FCN_WIRE_IPV4_VERSION);
	f.data[14] = 0x44;
	assert_int_equal(walk(), FCN_WIRE_IPV4_IHL);
	assert_int_equal(info.l3_off, 0);
	roce4(20);
	f.data[24] ^= 1;
	assert_int_equal(walk(), FCN_WIRE_IPV4_CHECKSUM);
	roce4(20);
	f.data[17]++; /* total length one past the frame */
	assert_int_equal(walk(), FCN_WIRE_IPV4_LENGTH);
	roce4(20);
	f.data[16] = 0;
	f.data[17] = 19;
	assert_int_equal(walk(), FCN_WIRE_IPV4_LENGTH);
	roce4(20);
	f.len = 14 + 19;
	assert_int_equal(walk(), FCN_WIRE_IPV4_TRUNCATED);
	roce4(60);
	f.len = 14 + 59;
	assert_int_equal(walk(), FCN_WIRE_IPV4_IHL);
	/* Options in the second segment only. */
	roce4(60);
	assert_int_equal(fcn_parse(f.data, 14 + 59, f.len, &fcn_parse_default_codes, &info),
			FCN_WIRE_IPV4_TRUNCATED);
}

TEST(ipv6)
{
	static uint8_t jumbo[70000];
	struct fcn_wire_info fast;

	roce6();
	f.data[14] = 0x46;
	assert_int_equal(walk(), FCN_WIRE_IPV6_VERSION);
	roce6();
	f.data[19]++;
	assert_int_equal(walk(), FCN_WIRE_IPV6_LENGTH);
	f.data[19] -= 2; /* UDP now longer than the packet */
	f.data[57]++;    /* and not RoCEv2 */
	assert_int_equal(walk(), FCN_WIRE_UDP_LENGTH);
	assert_false(info.flags & FCN_PKT_UDP);
	roce6();
	f.len = 14 + 39;
	assert_int_equal(walk(), FCN_WIRE_IPV6_TRUNCATED);

	/* No upper layer at all. */
	frame_ether(&f, 0x86DD);
	frame_ip6(&f, IPPROTO_NONE);
	frame_finish(&f);
	assert_int_equal(walk(), FCN_WIRE_OK);
	assert_int_equal(info.l4_off, 54);
	assert_int_equal(info.proto, IPPROTO_NONE);

	/* A length of 0 is that of a jumbogram where Hop-by-Hop Options follow, and the length of
	 * the packet where anything else does. */
	roce6();
	f.data[18] = f.data[19] = 0;
	assert_int_equal(walk(), FCN_WIRE_UDP_TRUNCATED);
	assert_int_equal(info.ip_len, 40);
	f.data[20] = IPPROTO_HOPOPTS;
	assert_int_equal(walk(), FCN_WIRE_IPV6_JUMBOGRAM);

	/* More than ip_len can say: 40 + 65496 bytes. */
	roce6();
	memcpy(jumbo, f.data, f.len);
	jumbo[18] = jumbo[58] = 65496 >> 8;
	jumbo[19] = jumbo[59] = 65496 & 0xFF;
	assert_int_equal(fcn_parse_slow(jumbo, sizeof(jumbo), sizeof(jumbo),
					 &fcn_parse_default_codes, &info),
			FCN_WIRE_IPV6_LENGTH);
	assert_int_equal(fcn_parse(jumbo, sizeof(jumbo), sizeof(jumbo), &fcn_parse_default_codes,
					 &fast),
			FCN_WIRE_IPV6_LENGTH);
	jumbo[19] = jumbo[59] = 65495 & 0xFF;
	assert_int_equal(fcn_parse(jumbo, sizeof(jumbo), sizeof(jumbo), &fcn_parse_default_codes,
					 &fast),
			FCN_WIRE_OK);
	assert_int_equal(fast.ip_len, 65535);
	fcn_parse_slow(jumbo, sizeof(jumbo), sizeof(jumbo), &fcn_parse_default_codes, &info);
	assert_memory_equal(&fast, &info, sizeof(info));
}

/* What a switch has left of a packet: all IP lengths are those of what is left, the UDP length is
 * that of the packet. */
static void
trim_to(uint32_t len)
{
	const uint32_t payload = len - 14 - 40;

	roce6();
	assert_true(len < f.len);
	f.len = len;
	f.data[18] = (uint8_t)(payload >> 8);
	f.data[19] = (uint8_t)payload;
}

TEST(trimmed)
{
	const uint32_t headers = 14 + 40 + 8 + 12;
	struct fcn_wire_info fast;

	for (uint32_t len = headers; len <= headers + 5; len++) {
		trim_to(len);
		assert_int_equal(walk(), FCN_WIRE_OK);
		assert_int_equal(info.flags, FCN_PKT_IPV6 | FCN_PKT_ROCE_PORT | FCN_PKT_TRIMMED);
		assert_int_equal(info.l4_off, 54);
		assert_int_equal(info.dest_qp, f.data[67] << 16 | f.data[68] << 8 | f.data[69]);
		assert_int_equal(info.opcode, f.data[62]);
		fcn_parse(f.data, f.len, f.len, &fcn_parse_default_codes, &fast);
		assert_memory_equal(&fast, &info, sizeof(info));
	}
	/* Not with a BTH that is cut, of another version, or of a CNP; nor with another port. */
	trim_to(headers - 1);
	assert_int_equal(walk(), FCN_WIRE_UDP_LENGTH);
	trim_to(headers);
	f.data[63] |= 1;
	assert_int_equal(walk(), FCN_WIRE_UDP_LENGTH);
	assert_false(info.flags & FCN_PKT_TRIMMED);
	trim_to(headers);
	f.data[62] = 0x81;
	assert_int_equal(walk(), FCN_WIRE_UDP_LENGTH);
	trim_to(headers);
	f.data[57]++;
	assert_int_equal(walk(), FCN_WIRE_UDP_LENGTH);
	/* The headers that are there are in the first segment. */
	trim_to(headers);
	assert_int_equal(fcn_parse(f.data, headers - 1, headers, &fcn_parse_default_codes, &info),
			FCN_WIRE_UDP_LENGTH);
}

TEST(udp_bth)
{
	roce6();
	f.data[63] = 0x41; /* TVer 1 */
	assert_int_equal(walk(), FCN_WIRE_BTH_VERSION);
	assert_roce(false);
	assert_true(info.flags & FCN_PKT_ROCE_PORT);
	assert_int_equal(info.dest_qp, 0);
	roce6();
	f.data[62] = 0x81; /* CNP, but UDP length 40 */
	assert_int_equal(walk(), FCN_WIRE_OK);
	frame_zero(&f, 4);
	frame_finish(&f);
	assert_int_equal(walk(), FCN_WIRE_CNP_LENGTH);
	assert_roce(false);
	roce6();
	f.data[57] = 0xB8; /* port 4792 */
	assert_int_equal(walk(), FCN_WIRE_OK);
	assert_int_equal(info.flags, FCN_PKT_IPV6 | FCN_PKT_UDP);
	assert_int_equal(info.dst_port, 4792);
	/* Octets of the IP packet that UDP does not count. */
	roce6();
	f.udp = 0;
	frame_zero(&f, 4);
	frame_finish(&f);
	assert_int_equal(walk(), FCN_WIRE_UDP_LENGTH);
	assert_roce(false);
	/* BTH and ICRC exactly, and one byte less. */
	frame_ether(&f, 0x86DD);
	frame_ip6(&f, IPPROTO_UDP);
	frame_roce(&f, 0);
	frame_finish(&f);
	assert_int_equal(walk(), FCN_WIRE_OK);
	f.len--;
	frame_finish(&f);
	assert_int_equal(walk(), FCN_WIRE_BTH_TRUNCATED);
	/* No room for a UDP header. */
	f.len = f.udp + 7;
	f.udp = 0;
	frame_finish(&f);
	assert_int_equal(walk(), FCN_WIRE_UDP_TRUNCATED);
}

TEST(fragments)
{
	static const struct {
		uint16_t field;
		bool fragment, ports;
	} v4[] = {{0x4000, false, true}, {0x2000, true, true}, {0x2001, true, false},
			{0x0001, true, false}, {0x1FFF, true, false}};
	static const struct {
		uint16_t field;
		bool ports;
	} v6[] = {{0x0000, true}, {0x0001, true}, {0x0008, false}, {0xFFF9, false}};

	for (unsigned int i = 0; i < RTE_DIM(v4); i++) {
		roce4(20);
		f.data[20] = (uint8_t)(v4[i].field >> 8);
		f.data[21] = (uint8_t)v4[i].field;
		frame_finish(&f);
		assert_int_equal(walk(), FCN_WIRE_OK);
		assert_int_equal((info.flags & FCN_PKT_FRAGMENT) != 0, v4[i].fragment);
		assert_roce(!v4[i].fragment);
		assert_int_equal(info.l4_off, v4[i].ports ? 34 : 0);
		assert_int_equal(info.dst_port, v4[i].ports ? 4791 : 0);
		assert_int_equal(info.proto, IPPROTO_UDP);
	}
	for (unsigned int i = 0; i < RTE_DIM(v6); i++) {
		uint8_t hdr[8] = {
				IPPROTO_UDP, 0, (uint8_t)(v6[i].field >> 8), (uint8_t)v6[i].field};

		frame_ether(&f, 0x86DD);
		frame_ip6(&f, IPPROTO_FRAGMENT);
		frame_put(&f, hdr, sizeof(hdr));
		frame_roce(&f, 16);
		frame_finish(&f);
		assert_int_equal(walk(), FCN_WIRE_OK);
		assert_int_equal(info.flags & ~FCN_PKT_ROCE_PORT, FCN_PKT_IPV6 | FCN_PKT_FRAGMENT);
		assert_int_equal(info.l4_off, v6[i].ports ? 62 : 0);
		assert_int_equal(info.src_port, v6[i].ports ? 0xC0DE : 0);
		assert_int_equal(info.proto, IPPROTO_UDP);
	}
}

TEST(tcp)
{
	static const uint8_t tcp[20] = {0x12, 0x34, 0x01, 0xBB, [12] = 0x50};

	for (int v4 = 0; v4 <= 1; v4++) {
		frame_ether(&f, v4 ? 0x0800 : 0x86DD);
		if (v4)
			frame_ip4(&f, IPPROTO_TCP, 20);
		else
			frame_ip6(&f, IPPROTO_TCP);
		frame_put(&f, tcp, sizeof(tcp));
		frame_finish(&f);
		assert_int_equal(walk(), FCN_WIRE_OK);
		assert_int_equal(info.flags, v4 ? FCN_PKT_IPV4 | FCN_PKT_INNER_IPV4 : FCN_PKT_IPV6);
		assert_int_equal(info.proto, IPPROTO_TCP);
		assert_int_equal(info.src_port, 0x1234);
		assert_int_equal(info.dst_port, 443);
		f.len -= 17; /* three octets of TCP: no ports, no defect of IP */
		frame_finish(&f);
		assert_int_equal(walk(), FCN_WIRE_OK);
		assert_int_equal(info.src_port, 0);
	}
}

TEST(tunnels)
{
	for (int outer4 = 0; outer4 <= 1; outer4++) {
		for (int inner4 = 0; inner4 <= 1; inner4++) {
			uint8_t proto = inner4 ? IPPROTO_IPIP : IPPROTO_IPV6;
			uint32_t outer_len = outer4 ? 20 : 40;

			frame_ether(&f, outer4 ? 0x0800 : 0x86DD);
			if (outer4)
				frame_ip4(&f, proto, 20);
			else
				frame_ip6(&f, proto);
			if (inner4)
				frame_ip4(&f, IPPROTO_UDP, 20);
			else
				frame_ip6(&f, IPPROTO_UDP);
			frame_roce(&f, 16);
			frame_finish(&f);
			f.data[14 + (outer4 ? 8 : 7)] = 9; /* outer hop limit */
			if (outer4)
				frame_finish(&f);
			assert_int_equal(walk(), FCN_WIRE_OK);
			assert_roce(true);
			assert_true(info.flags & FCN_PKT_TUNNEL);
			assert_int_equal(!!(info.flags & FCN_PKT_IPV4), outer4);
			assert_int_equal(!!(info.flags & FCN_PKT_INNER_IPV4), inner4);
			assert_int_equal(info.ttl, 9);
			assert_int_equal(info.inner_l3_off, 14 + outer_len);
			assert_int_equal(info.final_dst_off, inner4 ? 0 : 14 + outer_len + 24);
			assert_int_equal(info.ip_len, f.len - 14);

			/* A malformed inner header is no reason not to forward the outer. */
			f.data[14 + outer_len] ^= 0x10;
			assert_int_equal(walk(), FCN_WIRE_TUNNEL_HEADER);
			assert_roce(false);
			assert_false(info.flags & FCN_PKT_TUNNEL);
			assert_int_equal(info.inner_l3_off, 14);
			assert_int_equal(info.l4_off, 14 + outer_len);
			assert_int_equal(info.proto, proto);
			assert_false(fcn_wire_error_is_fatal(info.error));
		}
	}
	/* An inner header behind the last octet that is read. */
	frame_ether(&f, 0x86DD);
	frame_ip6(&f, IPPROTO_DSTOPTS);
	frame_options(&f, IPPROTO_IPV6, 424);
	frame_ip6(&f, IPPROTO_UDP);
	frame_roce(&f, 0);
	frame_finish(&f);
	assert_int_equal(walk(), FCN_WIRE_EXT_LIMIT);
	assert_false(info.flags & FCN_PKT_TUNNEL);
	assert_int_equal(info.l4_off, 478);

	/* Three IP headers: the third stays unread. */
	frame_ether(&f, 0x86DD);
	frame_ip6(&f, IPPROTO_IPV6);
	frame_ip6(&f, IPPROTO_IPV6);
	frame_ip6(&f, IPPROTO_UDP);
	frame_roce(&f, 0);
	frame_finish(&f);
	assert_int_equal(walk(), FCN_WIRE_EXT_LIMIT);
	assert_roce(false);
	assert_int_equal(info.inner_l3_off, 54);
	assert_int_equal(info.l4_off, 94);
	assert_int_equal(info.proto, IPPROTO_IPV6);
}

/* Octets between the end of the inner packet and that of the outer one are not the inner's. */
TEST(inner_shorter)
{
	frame_ether(&f, 0x86DD);
	frame_ip6(&f, IPPROTO_IPV6);
	frame_ip6(&f, IPPROTO_UDP);
	frame_roce(&f, 16);
	frame_finish(&f);
	f.n_ip = 1;
	f.udp = 0;
	frame_zero(&f, 8);
	frame_finish(&f);
	assert_int_equal(walk(), FCN_WIRE_OK);
	assert_roce(true);
}
