/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <netinet/in.h>

#include <rte_ether.h>

#include "fcn_arp.h"
#include "fcn_nd.h"
#include "host_frames.h"
#include "host_state.h"
#include "hostbed.h"

/* Port 1 alone, with one address, and its link-local one. */
static void
only(const char *prefix)
{
	bed.conf.port[0].routed = false;
	bed.conf.loopback.version = 0;
	bed.conf.n_addresses = 0;
	bed_address(1, prefix);
	bed.conf.dad = true;
	bed_configure();
}

static bool
usable(const char *addr)
{
	struct fcn_addr a = addr_of(addr);

	return fcn_host_address_usable(bed.host, &a);
}

/* Run until the next frame about this address is sent. @return its index */
static unsigned int
run_to_frame(const char *hex)
{
	struct bytes want = hex_of(hex);
	unsigned int from = bed.n_sent;

	for (unsigned int i = 0; i < 100; i++) {
		bed_run(fcn_host_next(bed.host));
		for (; from < bed.n_sent; from++) {
			if (bed.sent[from].len == want.len &&
					memcmp(bed.sent[from].data, want.data, want.len) == 0)
				return from;
		}
	}
	fail_msg("not sent");
	return 0;
}

TEST_FIXTURE(.begin = bed_begin, .end = bed_end, .setup = bed_setup_fresh,
		.teardown = bed_teardown);

/* RFC 4862 section 5.4: within 1 s a question, 1 s of silence, then it is ours and announced. */
TEST(ip6_is_checked)
{
	uint64_t asked, version;

	only("2001:db8:1::1/64");
	assert_false(usable("2001:db8:1::1"));
	asked = bed.sent[run_to_frame(NS_DAD_1)].at;
	assert_true(asked <= S);
	bed_run(asked + S - 1);
	assert_false(usable("2001:db8:1::1"));
	version = fcn_host_version(bed.host);
	bed_run(asked + S);
	assert_true(usable("2001:db8:1::1"));
	assert_true(fcn_host_version(bed.host) > version);
	assert_int_equal(bed.sent[run_to_frame(NA_1)].at, asked + 2 * S);
	bed_run(20 * S);
	assert_true(usable("fe80::ff:fe00:11"));
	assert_false(usable("fe80::ff:fe00:10"));
	/* two questions, two announcements each */
	assert_int_equal(bed.n_sent, 6);
	assert_int_equal(bed_count(FCN_HOST_ND_TX), 6);
	assert_int_equal(fcn_host_next(bed.host), FCN_HOST_NEVER);
}

static unsigned int
arp_frames(const char *hex, uint64_t at[8])
{
	struct bytes want = hex_of(hex);
	unsigned int n = 0;

	for (unsigned int i = 0; i < bed.n_sent; i++) {
		if (bed.sent[i].len == want.len &&
				memcmp(bed.sent[i].data, want.data, want.len) == 0 && n < 8)
			at[n++] = bed.sent[i].at;
	}
	return n;
}

/* RFC 5227 section 2.1.1: three probes 1 to 2 s apart, 2 s of silence, two announcements. */
TEST(ip4_is_checked)
{
	uint64_t probe[8], announced[8];

	only("198.51.100.1/24");
	while (!usable("198.51.100.1"))
		bed_run(fcn_host_next(bed.host));
	assert_int_equal(arp_frames(ARP_PROBE_1, probe), 3);
	assert_true(probe[0] <= S);
	for (unsigned int i = 1; i < 3; i++)
		assert_true(probe[i] - probe[i - 1] >= S && probe[i] - probe[i - 1] <= 2 * S);
	assert_int_equal(bed.now, probe[2] + 2 * S);
	bed_run(20 * S);
	assert_int_equal(arp_frames(ARP_ANNOUNCE_1, announced), 2);
	assert_int_equal(announced[0], probe[2] + 2 * S);
	assert_int_equal(announced[1], announced[0] + 2 * S);
}

/* How an address stands is told at each step, with the time that is left at most. */
TEST(status)
{
	struct fcn_addr a = addr_of("198.51.100.1"), other = addr_of("198.51.100.2");
	struct fcn_host_address_status s;
	uint64_t last = UINT64_MAX;

	only("198.51.100.1/24");
	s = fcn_host_address_status(bed.host, 1, &other, bed.now);
	assert_string_equal(s.state, "unused");
	while (!usable("198.51.100.1")) {
		s = fcn_host_address_status(bed.host, 1, &a, bed.now);
		assert_string_equal(s.state, "tentative");
		/* RFC 5227: up to 1 s, two times up to 2 s, 2 s of silence */
		assert_in_range(s.left_ns, 1, 7 * S);
		assert_true(last == UINT64_MAX || s.left_ns + bed.now <= last);
		last = s.left_ns + bed.now;
		bed_run(fcn_host_next(bed.host));
	}
	assert_true(bed.now <= last);
	s = fcn_host_address_status(bed.host, 1, &a, bed.now);
	assert_string_equal(s.state, "preferred");
	assert_int_equal(s.left_ns, 0);
	s = fcn_host_address_status(bed.host, 0, &a, bed.now);
	assert_string_equal(s.state, "unused");
}

TEST(without_checks)
{
	uint64_t announced[8];

	bed_configure();
	assert_true(usable("2001:db8:1::1"));
	assert_true(usable("198.51.100.1"));
	assert_true(usable("fe80::ff:fe00:11"));
	assert_true(usable("2001:db8:ffff::1"));
	assert_false(usable("2001:db8:1::2"));
	bed_run(0);
	assert_int_equal(arp_frames(ARP_ANNOUNCE_1, announced), 1);
	assert_int_equal(arp_frames(NA_1, announced), 1);
	assert_int_equal(arp_frames(NS_DAD_1, announced), 0);
}

/* The loopback has no link: nobody is asked about it. */
TEST(loopback)
{
	bed.conf.dad = true;
	bed_address(FCN_HOST_LOOPBACK, "2001:db8:ffff::2/128");
	bed_configure();
	assert_true(usable("2001:db8:ffff::1"));
	assert_true(usable("2001:db8:ffff::2"));
	assert_false(usable("2001:db8:1::1"));
}

/* In use by another: one who answers, one who asks the same at the same time. */
TEST(ip6_duplicate)
{
	uint64_t t;

	for (unsigned int way = 0; way < 2; way++) {
		bed.now = 0;
		bed_teardown(state);
		bed_setup_fresh(state);
		only("2001:db8:1::1/64");
		run_to_frame(NS_DAD_1);
		bed_run(bed.now + S / 2);
		/* a question from one who has an address already is none about it */
		nd_receive_solicitation(1, 0x0b, "2001:db8:1::b", "2001:db8:1::1", true);
		assert_int_equal(bed_count(FCN_HOST_DAD_DUPLICATE), 0);
		if (way == 0)
			nd_receive_advertisement(1, 0x0b, "2001:db8:1::1", FCN_ND_OVERRIDE, true);
		else
			nd_receive_solicitation(1, 0x0b, NULL, "2001:db8:1::1", false);
		t = bed.now;
		assert_int_equal(bed_count(FCN_HOST_DAD_DUPLICATE), 1);
		assert_int_equal(bed.n_logs, 1);
		assert_non_null(strstr(bed.log, "2001:db8:1::1"));
		assert_non_null(strstr(bed.log, "02:00:00:00:01:0B"));
		bed_run(t + 60 * S - 1);
		assert_false(usable("2001:db8:1::1"));
		assert_true(usable("fe80::ff:fe00:11"));
		/* not answered for */
		bed_forget();
		nd_receive_solicitation(1, 0x0b, "2001:db8:1::b", "2001:db8:1::1", true);
		assert_int_equal(bed.n_sent, 0);
		/* once more after a minute */
		bed_run(t + 60 * S);
		bed_run(t + 61 * S - 1);
		assert_int_equal(bed.n_sent, 1);
		bed_sent_is(0, 1, NS_DAD_1);
		assert_false(usable("2001:db8:1::1"));
		bed_run(t + 61 * S);
		assert_true(usable("2001:db8:1::1"));
	}
}

TEST(ip4_duplicate)
{
	for (unsigned int way = 0; way < 3; way++) {
		bed_teardown(state);
		bed_setup_fresh(state);
		only("198.51.100.1/24");
		run_to_frame(ARP_PROBE_1);
		if (way == 0)
			arp_receive(1, 0x0b, FCN_ARP_REPLY, "198.51.100.1", "0.0.0.0");
		else if (way == 1)
			arp_receive(1, 0x0b, FCN_ARP_REQUEST, "198.51.100.1", "198.51.100.7");
		else
			arp_receive(1, 0x0b, FCN_ARP_REQUEST, "0.0.0.0", "198.51.100.1");
		assert_int_equal(bed_count(FCN_HOST_DAD_DUPLICATE), 1);
		bed_run(bed.now + 50 * S);
		assert_false(usable("198.51.100.1"));
		/* after that minute, and 2 * 2 + 2 s at the most */
		bed_run(bed.now + 17 * S);
		assert_true(usable("198.51.100.1"));
	}
}

/* Our own question, come back by a loop, is no other station's. */
TEST(own_echo_is_no_conflict)
{
	struct bytes own = hex_of(NS_DAD_1), probe = hex_of(ARP_PROBE_1), na = hex_of(NA_1);
	struct bytes announced = hex_of(ARP_ANNOUNCE_1);

	bed.conf.dad = true;
	bed_configure();
	bed_punt(FCN_PUNT_LINK, 1, &own);
	bed_punt(FCN_PUNT_ARP, 1, &probe);
	bed_run(20 * S);
	assert_true(usable("2001:db8:1::1"));
	bed_punt(FCN_PUNT_LINK, 1, &na);
	bed_punt(FCN_PUNT_ARP, 1, &announced);
	assert_int_equal(bed_count(FCN_HOST_DAD_DUPLICATE), 0);
}

/* Claimed when it is ours: kept, and defended once in 10 s. */
TEST(defended)
{
	uint64_t t = 30 * S;

	bed_configure();
	bed_run(t);
	bed_forget();
	nd_receive_advertisement(1, 0x0b, "2001:db8:1::1", FCN_ND_OVERRIDE, true);
	arp_receive(1, 0x0b, FCN_ARP_REQUEST, "198.51.100.1", "198.51.100.1");
	assert_int_equal(bed.n_sent, 2);
	bed_sent_is(0, 1, NA_1);
	bed_sent_is(1, 1, ARP_ANNOUNCE_1);
	assert_int_equal(bed.n_logs, 2);
	bed_run(t + 10 * S - 1);
	nd_receive_advertisement(1, 0x0b, "2001:db8:1::1", FCN_ND_OVERRIDE, true);
	arp_receive(1, 0x0b, FCN_ARP_REPLY, "198.51.100.1", "198.51.100.1");
	assert_int_equal(bed.n_sent, 2);
	bed_run(t + 10 * S);
	nd_receive_advertisement(1, 0x0b, "2001:db8:1::1", FCN_ND_OVERRIDE, true);
	arp_receive(1, 0x0b, FCN_ARP_REPLY, "198.51.100.1", "198.51.100.1");
	assert_int_equal(bed.n_sent, 4);
	assert_int_equal(bed_count(FCN_HOST_DAD_DUPLICATE), 6);
	assert_true(usable("2001:db8:1::1"));
	assert_true(usable("198.51.100.1"));
	assert_int_equal(bed_neighbour(1, "2001:db8:1::1", NULL), -1);
	assert_int_equal(bed_neighbour(1, "198.51.100.1", NULL), -1);
}

/* One who checks the same address later is told by all nodes' address. */
TEST(dad_of_another_is_answered)
{
	static const uint8_t all_nodes[6] = {0x33, 0x33, 0, 0, 0, 1};

	bed_configure();
	bed_run(30 * S);
	bed_forget();
	nd_receive_solicitation(1, 0x0b, NULL, "2001:db8:1::1", false);
	assert_int_equal(bed.n_sent, 1);
	assert_memory_equal(bed.sent[0].data, all_nodes, 6);
	assert_memory_equal(bed.sent[0].data + 38, fcn_nd_all_nodes, 16);
	/* router, override, not solicited */
	assert_int_equal(bed.sent[0].data[58], FCN_ND_ROUTER | FCN_ND_OVERRIDE);
	assert_int_equal(bed_count(FCN_HOST_DAD_DUPLICATE), 0);
}

/* Nothing is said on a port that is down; what was found out holds when it comes back. */
TEST(link)
{
	uint64_t at[8];

	bed.conf.port[1].up = false;
	only("2001:db8:1::1/64");
	bed_run(10 * S);
	assert_int_equal(bed.n_sent, 0);
	assert_false(usable("2001:db8:1::1"));
	bed.conf.port[1].up = true;
	bed_configure();
	bed_run(20 * S);
	assert_true(usable("2001:db8:1::1"));
	assert_int_equal(arp_frames(NS_DAD_1, at), 1);
	bed_forget();
	bed.conf.port[1].up = false;
	bed_configure();
	bed_run(30 * S);
	assert_int_equal(bed.n_sent, 0);
	bed.conf.port[1].up = true;
	bed_configure();
	assert_true(usable("2001:db8:1::1"));
	bed_run(40 * S);
	assert_int_equal(arp_frames(NS_DAD_1, at), 0);
	assert_int_equal(arp_frames(NA_1, at), 2);
	assert_int_equal(at[0], 30 * S);
}

/* What stays is left alone, what is new is checked, what is gone is gone. */
TEST(configured_anew)
{
	uint64_t version;

	only("2001:db8:1::1/64");
	bed_run(20 * S);
	bed_forget();
	version = fcn_host_version(bed.host);
	bed_configure();
	bed_run(30 * S);
	assert_int_equal(bed.n_sent, 0);
	assert_int_equal(fcn_host_version(bed.host), version);
	bed_address(1, "2001:db8:1::2/64");
	bed_configure();
	assert_true(usable("2001:db8:1::1"));
	assert_false(usable("2001:db8:1::2"));
	assert_int_equal(fcn_host_version(bed.host), version);
	bed_run(40 * S);
	assert_true(usable("2001:db8:1::2"));
	assert_int_equal(bed.n_sent, 3);
	version = fcn_host_version(bed.host);
	bed.conf.n_addresses = 1;
	bed_configure();
	assert_false(usable("2001:db8:1::2"));
	assert_true(usable("2001:db8:1::1"));
	assert_int_equal(fcn_host_version(bed.host), version + 1);
	/* another MAC address: another link-local one, and the others are announced */
	bed_forget();
	bed.conf.port[1].mac = mac_of(0x99);
	bed_configure();
	assert_true(usable("2001:db8:1::1"));
	assert_false(usable("fe80::ff:fe00:11"));
	bed_run(50 * S);
	assert_true(usable("fe80::ff:fe00:199"));
	assert_int_equal(bed.n_sent, 5);
	/* a bridge's port */
	bed.conf.port[1].routed = false;
	bed_configure();
	assert_false(usable("2001:db8:1::1"));
	assert_false(usable("fe80::ff:fe00:199"));
}
