/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <netinet/in.h>

#include <rte_ether.h>

#include "fcn_icmp6.h"
#include "fcn_nd.h"
#include "hostbed.h"
#include "icmp6_request.h"
#include "icmp_frames.h"

static int
setup(void **state)
{
	if (bed_setup(state) != 0)
		return -1;
	bed_static("2001:db8::a", 0, 0x0a);
	bed_static("192.0.2.10", 0, 0x0a);
	return 0;
}

TEST_FIXTURE(.begin = bed_begin, .end = bed_end, .setup = setup, .teardown = bed_teardown);

TEST(echo)
{
	struct bytes req6 = hex_of(REQ6), ll = hex_of(REQ6LL), req4 = hex_of(REQ4);

	bed_punt(FCN_PUNT_LOCAL, 0, &req6);
	bed_punt(FCN_PUNT_LOCAL, 0, &req4);
	assert_int_equal(bed.n_sent, 2);
	bed_sent_is(0, 0, REP6);
	bed_sent_is(1, 0, REP4);
	assert_int_equal(bed.sent[0].class, 7);
	/* to a link-local address, by a neighbour that is known */
	nd_receive_solicitation(0, 0x0a, "fe80::a", "fe80::ff:fe00:10", true);
	bed_forget();
	bed_punt(FCN_PUNT_LINK, 0, &ll);
	assert_int_equal(bed.n_sent, 1);
	bed_sent_is(0, 0, REP6LL);
	assert_int_equal(bed_count(FCN_HOST_ECHO_RX), 3);
	assert_int_equal(bed_count(FCN_HOST_ECHO_TX), 3);
	/* that address is none of the other port's */
	bed_punt(FCN_PUNT_LINK, 1, &ll);
	assert_int_equal(bed.n_sent, 1);
	assert_int_equal(bed_count(FCN_HOST_LOCAL_UNHANDLED), 1);
}

/* Replies wait for a neighbour like any packet. */
TEST(echo_waits)
{
	struct bytes ll = hex_of(REQ6LL);

	bed_punt(FCN_PUNT_LINK, 0, &ll);
	assert_int_equal(fcn_host_waiting(bed.host), 1);
	nd_receive_advertisement(0, 0x0a, "fe80::a", FCN_ND_SOLICITED, true);
	assert_int_equal(bed.n_sent, 2);
	bed_sent_is(1, 0, REP6LL);
	/* one that nobody waits for any more: no error about it */
	fcn_host_clear_neighbours(bed.host);
	bed_punt(FCN_PUNT_LINK, 0, &ll);
	bed_run(bed.now + 4 * S);
	assert_int_equal(bed_count(FCN_HOST_WAIT_DROPPED), 1);
	assert_int_equal(bed_count(FCN_HOST_ERROR_TX) + bed_count(FCN_HOST_ERROR_UNDUE), 0);
}

/* Data longer than a buffer, in pieces of any size; the extension header of the request goes. */
TEST(echo_in_pieces)
{
	uint8_t data[1400], opt[8] = {IPPROTO_ICMPV6, 0, 1, 4, 0, 0, 0, 0};
	struct bytes b = packet(0, 0x0a, "2001:db8::a", "2001:db8::1", IPPROTO_DSTOPTS, 64, 0);
	uint8_t plain[2000];
	uint32_t len;

	for (unsigned int i = 0; i < sizeof(data); i++)
		data[i] = (uint8_t)(i * 7);
	len = echo_request6(b.data + 22, b.data + 38, 1, 2, data, sizeof(data), plain);
	bytes_put(&b, opt, sizeof(opt));
	bytes_put(&b, plain + 40, len - 40);
	b.data[18] = (uint8_t)((len - 32) >> 8);
	b.data[19] = (uint8_t)(len - 32);
	for (uint32_t segment = 100; segment < 1600; segment += 99) {
		bed_forget();
		bed_punt_chain(FCN_PUNT_LOCAL, 0, &b, segment);
		assert_int_equal(bed.n_sent, 1);
		assert_int_equal(bed.sent[0].len, 14 + 40 + 8 + sizeof(data));
		assert_int_equal(bed.sent[0].data[54], 129);
		assert_memory_equal(bed.sent[0].data + 62, data, sizeof(data));
	}
}

TEST(echo_not_answered)
{
	struct bytes b = hex_of(REQ6), b4 = hex_of(REQ4);
	struct fcn_addr own = addr_of("2001:db8::1");
	static uint8_t none[1];

	/* checksum */
	b.data[60] ^= 1;
	bed_punt(FCN_PUNT_LOCAL, 0, &b);
	b4.data[50] ^= 1;
	bed_punt(FCN_PUNT_LOCAL, 0, &b4);
	/* from an address of ours */
	b.len = 14 + echo_request6(own.bytes, addr_of("2001:db8:1::1").bytes, 1, 1, none, 0,
				     b.data + 14);
	bed_punt(FCN_PUNT_LOCAL, 0, &b);
	/* to a group */
	b.len = 14 + echo_request6(addr_of("2001:db8::a").bytes, fcn_nd_all_nodes, 1, 1, none, 0,
				     b.data + 14);
	bed_punt(FCN_PUNT_LINK, 0, &b);
	/* an answer */
	b = hex_of(REP6);
	bed_punt(FCN_PUNT_LOCAL, 0, &b);
	/* not to us */
	b.len = 14 + echo_request6(addr_of("2001:db8::a").bytes, addr_of("2001:db8::2").bytes, 1, 1,
				     none, 0, b.data + 14);
	bed_punt(FCN_PUNT_LOCAL, 0, &b);
	assert_int_equal(bed.n_sent, 0);
	assert_int_equal(bed_count(FCN_HOST_LOCAL_UNHANDLED), 6);
}

/* A bucket of 3, a token each 100 ms, to the nanosecond. */
TEST(rates)
{
	struct bytes req = hex_of(REQ6), late = a_to_b(1, 8);
	uint64_t t;

	bed.conf.icmp_replies = (struct fcn_host_rate){.per_second = 10, .burst = 3};
	bed.conf.icmp_errors = (struct fcn_host_rate){.per_second = 10, .burst = 3};
	bed_configure();
	t = bed.now;
	for (unsigned int i = 0; i < 5; i++) {
		bed_punt(FCN_PUNT_LOCAL, 0, &req);
		bed_punt(FCN_PUNT_HOP_LIMIT, 0, &late);
	}
	assert_int_equal(bed_count(FCN_HOST_ECHO_TX), 3);
	assert_int_equal(bed_count(FCN_HOST_ECHO_LIMITED), 2);
	assert_int_equal(bed_count(FCN_HOST_ERROR_TX), 3);
	assert_int_equal(bed_count(FCN_HOST_ERROR_LIMITED), 2);
	bed_run(t + 100 * MS - 1);
	bed_punt(FCN_PUNT_LOCAL, 0, &req);
	bed_punt(FCN_PUNT_HOP_LIMIT, 0, &late);
	assert_int_equal(bed_count(FCN_HOST_ECHO_TX), 3);
	assert_int_equal(bed_count(FCN_HOST_ERROR_TX), 3);
	bed_run(t + 100 * MS);
	for (unsigned int i = 0; i < 2; i++) {
		bed_punt(FCN_PUNT_LOCAL, 0, &req);
		bed_punt(FCN_PUNT_HOP_LIMIT, 0, &late);
	}
	assert_int_equal(bed_count(FCN_HOST_ECHO_TX), 4);
	assert_int_equal(bed_count(FCN_HOST_ERROR_TX), 4);
	/* none at all */
	bed.conf.icmp_errors.per_second = bed.conf.icmp_replies.per_second = 0;
	bed_configure();
	bed_run(t + 100 * S);
	bed_punt(FCN_PUNT_LOCAL, 0, &req);
	bed_punt(FCN_PUNT_HOP_LIMIT, 0, &late);
	assert_int_equal(bed_count(FCN_HOST_ECHO_TX), 4);
	assert_int_equal(bed_count(FCN_HOST_ERROR_TX), 4);
}

/* Frame 0 that was sent begins so, and quotes the packet behind. */
static void
begins_and_quotes(const char *hex, const struct bytes *quoted, uint32_t quote_len)
{
	struct bytes head = hex_of(hex);

	assert_int_equal(bed.n_sent, 1);
	assert_int_equal(bed.sent[0].len, head.len + quote_len);
	assert_memory_equal(bed.sent[0].data, head.data, head.len);
	assert_memory_equal(bed.sent[0].data + head.len, quoted->data + 14, quote_len);
	bed_forget();
}

TEST(errors_as_bytes)
{
	struct bytes b;

	bed_punt_once(FCN_PUNT_HOP_LIMIT, 0, a_to_b(1, 8));
	bed_punt_once(FCN_PUNT_NO_ROUTE, 0,
			packet(0, 0x0a, "2001:db8::a", "2001:db8:77::b", IPPROTO_UDP, 9, 8));
	bed_punt_once(FCN_PUNT_LOCAL, 0,
			packet(0, 0x0a, "2001:db8::a", "2001:db8:ffff::1", IPPROTO_UDP, 64, 8));
	bed_punt_once(FCN_PUNT_LOCAL, 0,
			packet(0, 0x0a, "2001:db8::a", "2001:db8:ffff::1", IPPROTO_TCP, 64, 20));
	assert_int_equal(bed.n_sent, 4);
	bed_sent_is(0, 0, TIME6);
	bed_sent_is(1, 0, NOROUTE6);
	bed_sent_is(2, 0, PORT6);
	bed_sent_is(3, 0, PROTO6);
	bed_forget();

	bed_punt_once(FCN_PUNT_HOP_LIMIT, 0,
			packet(0, 0x0a, "192.0.2.10", "198.51.100.11", IPPROTO_UDP, 1, 8));
	bed_punt_once(FCN_PUNT_NO_ROUTE, 0,
			packet(0, 0x0a, "192.0.2.10", "203.0.113.1", IPPROTO_UDP, 9, 8));
	bed_punt_once(FCN_PUNT_LOCAL, 0,
			packet(0, 0x0a, "192.0.2.10", "192.0.2.1", IPPROTO_UDP, 64, 8));
	bed_punt_once(FCN_PUNT_LOCAL, 0,
			packet(0, 0x0a, "192.0.2.10", "192.0.2.1", IPPROTO_TCP, 64, 20));
	assert_int_equal(bed.n_sent, 4);
	bed_sent_is(0, 0, TIME4);
	bed_sent_is(1, 0, NET4);
	bed_sent_is(2, 0, PORT4);
	bed_sent_is(3, 0, PROTO4);
	bed_forget();

	/* as much as fits 1280 and 576 octets, out of a chain too */
	b = a_to_b(64, 1461);
	bed_punt_mtu(0, &b, 1400);
	begins_and_quotes(TOOBIG6, &b, 1280 - 48);
	b = packet(0, 0x0a, "192.0.2.10", "198.51.100.11", IPPROTO_UDP, 64, 1481);
	bed_punt_mtu(0, &b, 1400);
	begins_and_quotes(FRAG4, &b, 576 - 28);
	assert_int_equal(bed_count(FCN_HOST_ERROR_TX), 10);
}

/* No smaller MTU than IPv6 links have is told. */
TEST(mtu_of_ip6)
{
	struct bytes b = a_to_b(64, 1461);

	bed_punt_mtu(0, &b, 1000);
	assert_int_equal(bed.n_sent, 1);
	assert_int_equal(bed.sent[0].data[60] << 8 | bed.sent[0].data[61], 1280);
}

TEST(no_error_is_due)
{
	struct bytes b;

	/* about an error: a port unreachable on its way */
	bed_punt_once(FCN_PUNT_HOP_LIMIT, 0, hex_of(PORT6));
	bed_punt_once(FCN_PUNT_HOP_LIMIT, 0, hex_of(PORT4));
	/* to a group of stations, by MAC address */
	b = a_to_b(1, 8);
	b.data[0] = 0x33;
	bed_punt(FCN_PUNT_HOP_LIMIT, 0, &b);
	/* to a subnet's broadcast address, or from one */
	bed_punt_once(FCN_PUNT_HOP_LIMIT, 0,
			packet(0, 0x0a, "192.0.2.10", "198.51.100.255", IPPROTO_UDP, 1, 8));
	bed_punt_once(FCN_PUNT_HOP_LIMIT, 0,
			packet(0, 0x0a, "192.0.2.255", "198.51.100.11", IPPROTO_UDP, 1, 8));
	/* from nobody, and from ourselves */
	bed_punt_once(FCN_PUNT_HOP_LIMIT, 0,
			packet(0, 0x0a, "::", "2001:db8:1::b", IPPROTO_UDP, 1, 8));
	bed_punt_once(FCN_PUNT_HOP_LIMIT, 0,
			packet(0, 0x0a, "2001:db8:1::1", "2001:db8:1::b", IPPROTO_UDP, 1, 8));
	assert_int_equal(bed.n_sent, 0);
	assert_int_equal(bed_count(FCN_HOST_ERROR_UNDUE), 7);
}

/* The address of the port, else the loopback, else any that is global. */
TEST(source_of_errors)
{
	struct bytes b = packet(0, 0x0a, "2001:db8:4::4", "2001:db8:1::b", IPPROTO_UDP, 1, 8);

	bed_static("2001:db8:4::4", 0, 0x0a);
	bed_address(0, "2001:db8:4::1/64");
	bed_configure();
	bed_punt(FCN_PUNT_HOP_LIMIT, 0, &b); /* of its own prefix */
	bed.address[0].port = bed.address[4].port = 1;
	bed_configure();
	bed_punt(FCN_PUNT_HOP_LIMIT, 0, &b); /* loopback */
	bed.conf.loopback.version = 0;
	bed_configure();
	bed_punt(FCN_PUNT_HOP_LIMIT, 0, &b); /* another port's */
	assert_true(bed.n_sent > 2);
	for (unsigned int i = 0, n = 0; i < bed.n_sent; i++) {
		static const char *const want[] = {
				"2001:db8:4::1", "2001:db8:ffff::1", "2001:db8:4::1"};

		if (bed.sent[i].data[54] != 3)
			continue;
		assert_memory_equal(bed.sent[i].data + 22, addr_of(want[n]).bytes, 16);
		n++;
	}
	/* none at all */
	bed.conf.n_addresses = 0;
	bed_configure();
	bed_forget();
	bed_punt(FCN_PUNT_HOP_LIMIT, 0, &b);
	assert_int_equal(bed.n_sent, 0);
	assert_int_equal(bed_count(FCN_HOST_ERROR_UNDUE), 1);
}

/* The one message that was sent has this source address. */
static void
assert_source(const char *text)
{
	const struct fcn_addr want = addr_of(text);
	const uint8_t *ip = bed.sent[0].data + 14;

	assert_int_equal(bed.n_sent, 1);
	assert_int_equal(ip[0] >> 4, want.version);
	assert_memory_equal(
			ip + (want.version == 6 ? 8 : 12), want.bytes, want.version == 6 ? 16 : 4);
	bed_forget();
}

/*
 * About a packet to an address of the switch, it is this address (RFC 4443 section 2.2 (a), RFC
 * 1122 section 3.2.1.3), whatever the port.
 */
TEST(source_to_us)
{
	static const char *const to[] = {"2001:db8::1", "2001:db8:1::1", "2001:db8:ffff::1",
			"2001:db8:fff4::4", "192.0.2.1", "198.51.100.1", "203.0.113.4"};
	struct bytes b;

	bed_address(FCN_HOST_LOOPBACK, "2001:db8:fff4::4/128");
	bed_address(FCN_HOST_LOOPBACK, "203.0.113.4/32");
	bed_configure();
	bed_forget();
	for (unsigned int i = 0; i < RTE_DIM(to); i++) {
		const char *from = addr_of(to[i]).version == 6 ? "2001:db8::a" : "192.0.2.10";

		b = packet(0, 0x0a, from, to[i], IPPROTO_UDP, 64, 8); /* no such port */
		bed_punt(FCN_PUNT_LOCAL, 0, &b);
		assert_source(to[i]);
		b = packet(0, 0x0a, from, to[i], IPPROTO_SCTP, 64, 20); /* no such protocol */
		bed_punt(FCN_PUNT_LOCAL, 0, &b);
		assert_source(to[i]);
	}
	/* A SID is not an address of the switch. */
	bed_punt_once(FCN_PUNT_SID, 0,
			packet(0, 0x0a, "2001:db8::a", "2001:db8:5::1", IPPROTO_UDP, 64, 8));
	assert_source("2001:db8::1");
	/* A link-local address is one of its port. */
	nd_receive_solicitation(0, 0x0a, "fe80::a", "fe80::ff:fe00:10", true);
	bed_forget();
	bed_punt_once(FCN_PUNT_LINK, 0,
			packet(0, 0x0a, "fe80::a", "fe80::ff:fe00:10", IPPROTO_UDP, 64, 8));
	assert_source("fe80::ff:fe00:10");
}

/*
 * Of IPv4 and about a packet in transit, it is an address of the interface that the message leaves
 * by, or else that of the router itself (RFC 1812 section 4.3.2.4); without any, the dummy address
 * (RFC 7600 section 4.8). Addresses of other tables do not count.
 */
TEST(source_of_errors4)
{
	struct bytes b = packet(0, 0x0a, "198.51.100.11", "203.0.113.1", IPPROTO_UDP, 1, 8);

	bed_static("198.51.100.11", 1, 0x0b);
	bed_punt(FCN_PUNT_HOP_LIMIT, 0, &b);
	assert_source("198.51.100.1");
	/* This port has none, but another one has. */
	b = packet(0, 0x0a, "192.0.2.10", "203.0.113.1", IPPROTO_UDP, 1, 8);
	bed.address[1] = bed.address[3];
	bed_configure();
	bed_forget();
	bed_punt(FCN_PUNT_HOP_LIMIT, 0, &b);
	assert_source("198.51.100.1");
	/* That one belongs to another table, and so does a loopback address. */
	bed.conf.port[1].table = 1;
	bed_address(FCN_HOST_LOOPBACK, "203.0.113.9/32");
	bed.address[bed.conf.n_addresses - 1].table = 1;
	bed_configure();
	bed_forget();
	bed_punt(FCN_PUNT_HOP_LIMIT, 0, &b);
	assert_source("192.0.0.8");
	bed_punt(FCN_PUNT_NO_ROUTE, 0, &b);
	assert_source("192.0.0.8");
	bed_punt_mtu(0, &b, 1400);
	assert_source("192.0.0.8");
	/* An address of another table is not ours here. */
	b = packet(0, 0x0a, "192.0.2.10", "203.0.113.9", IPPROTO_UDP, 9, 8);
	bed_punt(FCN_PUNT_NO_ROUTE, 0, &b);
	assert_source("192.0.0.8");
	/* The loopback of this table, which may be the same. */
	bed_address(FCN_HOST_LOOPBACK, "203.0.113.9/32");
	bed_configure();
	bed_forget();
	bed_punt(FCN_PUNT_HOP_LIMIT, 0, &b);
	assert_source("203.0.113.9");
}

/* What extension headers of a packet to us lead to (RFC 8200 section 4). */
/* What END.CON refuses is answered from END.CON, which no interface has as its address: an SR
 * Upper-layer Header Error, at the rate of each kind of error. */
TEST(endcon)
{
	struct bytes b = packet(0, 0x0a, "2001:db8::a", "2001:db8:e1:1::c", IPPROTO_IPV6, 64, 60);
	const uint8_t *sent;

	bed_punt(FCN_PUNT_ENDCON, 0, &b);
	assert_int_equal(bed.n_sent, 1);
	sent = bed.sent[0].data;
	assert_memory_equal(sent + 14 + 8, b.data + 14 + 24, 16);
	assert_memory_equal(sent + 14 + 24, b.data + 14 + 8, 16);
	assert_memory_equal(sent + 14 + 40, ((const uint8_t[]){4, 4}), 2);
	assert_memory_equal(sent + 14 + 48, b.data + 14, 40 + 60);
}

TEST(extension_headers)
{
	static const struct {
		uint8_t first;
		uint8_t header[8];
		int type, code, pointer; /* type -1: nothing */
	} way[] = {
			/* unknown options by action: skip, drop, report, report */
			{IPPROTO_DSTOPTS, {IPPROTO_UDP, 0, 0x1E, 4}, 1, 4, 0},
			{IPPROTO_DSTOPTS, {IPPROTO_UDP, 0, 0x5E, 4}, -1, 0, 0},
			{IPPROTO_DSTOPTS, {IPPROTO_UDP, 0, 0x8E, 4}, 4, 2, 42},
			{IPPROTO_DSTOPTS, {IPPROTO_UDP, 0, 0xDE, 4}, 4, 2, 42},
			{IPPROTO_HOPOPTS, {IPPROTO_UDP, 0, 0, 1, 0, 0x8E, 1}, 4, 2, 45},
			/* ours is known */
			{IPPROTO_DSTOPTS, {IPPROTO_UDP, 0, 0x9E, 4}, 1, 4, 0},
			/* past the header */
			{IPPROTO_DSTOPTS, {IPPROTO_UDP, 0, 0x1E, 5}, -1, 0, 0},
			{IPPROTO_DSTOPTS, {IPPROTO_UDP, 9, 0x1E, 4}, -1, 0, 0},
			/* routing: done with, or not for us to go on with */
			{IPPROTO_ROUTING, {IPPROTO_UDP, 0, 4, 0}, 1, 4, 0},
			{IPPROTO_ROUTING, {IPPROTO_UDP, 0, 4, 1}, 4, 0, 42},
			/* a whole packet in one fragment; a part of one */
			{IPPROTO_FRAGMENT, {IPPROTO_UDP, 0, 0, 0, 1, 2, 3, 4}, 1, 4, 0},
			{IPPROTO_FRAGMENT, {IPPROTO_UDP, 0, 0, 1, 1, 2, 3, 4}, -1, 0, 0},
			{IPPROTO_FRAGMENT, {IPPROTO_UDP, 0, 0, 8, 1, 2, 3, 4}, -1, 0, 0},
			/* next headers nobody knows, and none */
			{IPPROTO_DSTOPTS, {IPPROTO_SCTP, 0, 1, 4}, 4, 1, 40},
			{IPPROTO_DSTOPTS, {IPPROTO_HOPOPTS, 0, 1, 4}, 4, 1, 40},
			{IPPROTO_DSTOPTS, {IPPROTO_NONE, 0, 1, 4}, -1, 0, 0},
	};

	for (unsigned int i = 0; i < RTE_DIM(way); i++) {
		struct bytes b = packet(
				0, 0x0a, "2001:db8::a", "2001:db8::1", way[i].first, 64, 24);

		memcpy(b.data + 54, way[i].header, 8);
		bed_forget();
		bed_punt(FCN_PUNT_LOCAL, 0, &b);
		assert_int_equal(bed.n_sent, way[i].type >= 0);
		if (way[i].type < 0)
			continue;
		assert_int_equal(bed.sent[0].data[54], way[i].type);
		assert_int_equal(bed.sent[0].data[55], way[i].code);
		assert_int_equal(bed.sent[0].data[61], way[i].pointer);
	}
	/* to a group: reported if the action says so even then */
	for (unsigned int i = 0; i < 2; i++) {
		struct bytes b = packet(0, 0x0a, "2001:db8::a", "ff02::1", IPPROTO_DSTOPTS, 64, 24);

		memcpy(b.data + 54, way[2 + i].header, 8);
		bed_forget();
		bed_punt(FCN_PUNT_LINK, 0, &b);
		assert_int_equal(bed.n_sent, i == 0);
	}
}

/* Parts of IPv4 packets, and errors about what was sent. */
TEST(others_to_us)
{
	struct bytes b = packet(0, 0x0a, "192.0.2.10", "192.0.2.1", IPPROTO_UDP, 64, 16);

	b.data[20] = 0x20;
	ip4_set_checksum(&b);
	bed_punt(FCN_PUNT_LOCAL, 0, &b);
	assert_int_equal(bed_count(FCN_HOST_LOCAL_UNHANDLED), 1);
	/* errors to 192.0.2.10 and 2001:db8::a, when those are ours */
	bed_address(1, "192.0.2.10/32");
	bed_address(1, "2001:db8::a/128");
	bed_configure();
	bed_forget();
	b = hex_of(PORT4);
	b.data[29] = 2; /* from 192.0.2.2 */
	ip4_set_checksum(&b);
	bed_punt(FCN_PUNT_LOCAL, 0, &b);
	bed_punt_once(FCN_PUNT_LOCAL, 0, hex_of(PORT6));
	assert_int_equal(bed_count(FCN_HOST_ERROR_RX), 2);
	assert_int_equal(bed.n_sent, 0);
}
