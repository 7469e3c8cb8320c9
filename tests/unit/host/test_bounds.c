/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <netinet/in.h>

#include <rte_ether.h>

#include "fcn_nd.h"
#include "host_frames.h"
#include "hostbed.h"

#define ANSWER (FCN_ND_SOLICITED | FCN_ND_OVERRIDE)

static const char *
b_number(unsigned int i)
{
	static char addr[40];

	snprintf(addr, sizeof(addr), "2001:db8:1::%x", i);
	return addr;
}

static void
unknown(unsigned int i)
{
	struct bytes b = packet(0, 0x0a, "2001:db8::a", b_number(i), IPPROTO_UDP, 64, 8);

	bed_punt(FCN_PUNT_NO_NEIGHBOUR, 0, &b);
}

static int
state_of(unsigned int i)
{
	return bed_neighbour(1, b_number(i), NULL);
}

static void
max_neighbours(uint32_t n)
{
	bed.conf.max_neighbours = n;
	bed_configure();
}

TEST_FIXTURE(.begin = bed_begin, .end = bed_end, .setup = bed_setup, .teardown = bed_teardown);

/* Those that are asked for give way to newer ones, oldest first; those that answered do not. */
TEST(full_of_unknown)
{
	max_neighbours(4);
	unknown(0x10);
	nd_receive_advertisement(1, 0x10, b_number(0x10), ANSWER, true);
	for (unsigned int i = 0x20; i < 0x28; i++)
		unknown(i);
	assert_int_equal(state_of(0x10), FCN_NEIGHBOUR_REACHABLE);
	for (unsigned int i = 0x20; i < 0x28; i++)
		assert_int_equal(state_of(i), i < 0x25 ? -1 : (int)FCN_NEIGHBOUR_INCOMPLETE);
	assert_int_equal(fcn_host_waiting(bed.host), 3);
	assert_int_equal(bed_count(FCN_HOST_WAIT_DROPPED), 5);
	assert_int_equal(bed_count(FCN_HOST_NEIGHBOUR_FULL), 0);
}

TEST(full_of_confirmed)
{
	max_neighbours(4);
	for (unsigned int i = 0x10; i < 0x14; i++) {
		unknown(i);
		nd_receive_advertisement(1, (uint8_t)i, b_number(i), ANSWER, true);
	}
	unknown(0x20);
	nd_receive_solicitation(1, 0x21, b_number(0x21), "2001:db8:1::1", true);
	assert_int_equal(bed_count(FCN_HOST_NEIGHBOUR_FULL), 2);
	assert_int_equal(state_of(0x20), -1);
	assert_int_equal(state_of(0x21), -1);
	/* it was answered all the same */
	assert_int_equal(bed.sent[bed.n_sent - 1].data[5], 0x21);
	for (unsigned int i = 0x10; i < 0x14; i++)
		assert_int_equal(state_of(i), FCN_NEIGHBOUR_REACHABLE);
	/* one that failed goes first */
	bed_run(bed.now + 50 * S);
	assert_int_equal(state_of(0x10), -1);
}

/* A scan does not drive out hosts that spoke to us, nor they those that are asked for. */
TEST(kinds_do_not_drive_out_each_other)
{
	max_neighbours(4);
	for (unsigned int i = 0x10; i < 0x12; i++)
		nd_receive_solicitation(1, (uint8_t)i, b_number(i), "2001:db8:1::1", true);
	for (unsigned int i = 0x20; i < 0x30; i++)
		unknown(i);
	for (unsigned int i = 0x10; i < 0x12; i++)
		assert_int_equal(state_of(i), FCN_NEIGHBOUR_PROBE);
	for (unsigned int i = 0x30; i < 0x40; i++)
		nd_receive_solicitation(1, (uint8_t)i, b_number(i), "2001:db8:1::1", true);
	assert_int_equal(state_of(0x2e), FCN_NEIGHBOUR_INCOMPLETE);
	assert_int_equal(state_of(0x2f), FCN_NEIGHBOUR_INCOMPLETE);
	assert_int_equal(state_of(0x3e), FCN_NEIGHBOUR_PROBE);
	assert_int_equal(state_of(0x3f), FCN_NEIGHBOUR_PROBE);
}

TEST(failed_ones_go_first)
{
	max_neighbours(3);
	unknown(0x10);
	bed_run(bed.now + 3 * S);
	assert_int_equal(state_of(0x10), FCN_NEIGHBOUR_FAILED);
	unknown(0x11);
	unknown(0x12);
	unknown(0x13);
	assert_int_equal(state_of(0x10), -1);
	assert_int_equal(state_of(0x11), FCN_NEIGHBOUR_INCOMPLETE);
}

TEST(no_room_at_all)
{
	max_neighbours(0);
	unknown(0x10);
	assert_int_equal(bed_count(FCN_HOST_NEIGHBOUR_FULL), 1);
	assert_int_equal(bed.n_sent, 0);
	assert_int_equal(fcn_host_waiting(bed.host), 0);
}

/* 128 packets of a port wait: the oldest gives way, whosever it is. */
TEST(packets_that_wait_are_bounded)
{
	max_neighbours(1000); /* one of two ports can ask for 600 of them */
	for (unsigned int i = 0; i < 3 * 400; i++)
		unknown(0x100 + i / 3);
	assert_int_equal(fcn_host_waiting(bed.host), 128);
	assert_int_equal(bed_count(FCN_HOST_WAIT_DROPPED), 1200 - 128);
	assert_int_equal(bed.dropped[FCN_DROP_NEIGHBOUR_WAIT], 1200 - 128);
	for (unsigned int i = 0; i < 400; i++) {
		struct fcn_host_neighbour n;

		/* 1072 = 357 * 3 + 1 were dropped */
		assert_int_equal(bed_neighbour(1, b_number(0x100 + i), &n),
				FCN_NEIGHBOUR_INCOMPLETE);
		assert_int_equal(n.waiting, i < 357 ? 0 : i == 357 ? 2 : 3);
	}
}

/* A tick sees to so many timers, and says that there are more. */
TEST(a_tick_is_bounded)
{
	unsigned int ticks = 0, before;

	max_neighbours(2000); /* one of two ports can ask for 1200 of them */
	for (unsigned int i = 0; i < 1000; i++)
		unknown(0x100 + i);
	bed.now += S;
	while (fcn_host_next(bed.host) <= bed.now) {
		before = bed.n_sent;
		fcn_host_tick(bed.host, bed.now);
		assert_true(bed.n_sent - before <= 256);
		ticks++;
	}
	assert_int_equal(ticks, 4);
	assert_int_equal(bed.n_sent, 2000);
}

TEST(forgotten)
{
	uint64_t version;

	unknown(0x10);
	nd_receive_advertisement(1, 0x10, b_number(0x10), ANSWER, true);
	unknown(0x11);
	version = fcn_host_version(bed.host);
	/* nothing that matters */
	bed.conf.icmp_errors.per_second = 5;
	bed_configure();
	assert_int_equal(state_of(0x10), FCN_NEIGHBOUR_REACHABLE);
	assert_int_equal(fcn_host_waiting(bed.host), 1);
	assert_int_equal(fcn_host_version(bed.host), version);
	/* the link */
	bed.conf.port[1].up = false;
	bed_configure();
	assert_int_equal(state_of(0x10), -1);
	assert_int_equal(state_of(0x11), -1);
	assert_int_equal(fcn_host_waiting(bed.host), 0);
	assert_int_equal(fcn_host_version(bed.host), version + 1);
	bed_forget();
	unknown(0x10);
	assert_int_equal(state_of(0x10), -1);
	assert_int_equal(bed_count(FCN_HOST_UNSENDABLE), 1);
	/* the prefix */
	bed.conf.port[1].up = true;
	bed_configure();
	unknown(0x10);
	assert_int_equal(state_of(0x10), FCN_NEIGHBOUR_INCOMPLETE);
	bed.address[2].prefix = (struct fcn_prefix){.addr = addr_of("2001:db8:9::1"), .len = 64};
	bed_configure();
	assert_int_equal(state_of(0x10), -1);
	/* the size of the table */
	bed.address[2].prefix = (struct fcn_prefix){.addr = addr_of("2001:db8:1::1"), .len = 64};
	bed_configure();
	unknown(0x10);
	max_neighbours(32);
	assert_int_equal(state_of(0x10), -1);
	/* and by command */
	unknown(0x10);
	unknown(0x11);
	assert_int_equal(fcn_host_clear_neighbours(bed.host), 2);
	bed_check();
	assert_int_equal(fcn_host_waiting(bed.host), 0);
}

/* What cannot go is answered and counted, and nobody is asked. */
TEST(ways_that_are_none)
{
	static const struct {
		const char *dst;
		uint8_t hop_limit;
		uint16_t payload;
		uint8_t type, code;
	} way[] = {
			{"2001:db8:1::b", 1, 8, 3, 0}, {"2001:db8:1::b", 0, 8, 3, 0},
			{"2001:db8:77::b", 64, 8, 1, 0}, {"2001:db8:1::b", 64, 1461, 2, 0},
			{"2001:db8:1::1", 64, 8, 1, 3}, /* ours, but not usable there */
			{"2001:db8:8::8", 64, 8, 1, 3}, /* gateway off the link */
			{"2001:db8:6::6", 64, 8, 1, 3}, /* port that is down */
	};

	bed_static("2001:db8::a", 0, 0x0a);
	bed_route("2001:db8:8::/48", 1, "2001:db8:99::1");
	bed_route("2001:db8:6::/48", 5, NULL);
	for (unsigned int i = 0; i < RTE_DIM(way); i++) {
		struct bytes b = packet(0, 0x0a, "2001:db8::a", way[i].dst, IPPROTO_UDP,
				way[i].hop_limit, way[i].payload);

		bed_forget();
		bed_punt(FCN_PUNT_NO_NEIGHBOUR, 0, &b);
		assert_int_equal(bed.n_sent, 1);
		assert_int_equal(bed.sent[0].port, 0);
		assert_int_equal(bed.sent[0].data[54], way[i].type);
		assert_int_equal(bed.sent[0].data[55], way[i].code);
	}
	assert_int_equal(fcn_host_waiting(bed.host), 0);
	/* 1460 fit */
	bed_forget();
	bed_static("2001:db8:1::b", 1, 0x0b);
	{
		struct bytes b = a_to_b(64, 1460);

		bed_punt(FCN_PUNT_NO_NEIGHBOUR, 0, &b);
	}
	assert_int_equal(bed.n_sent, 1);
	assert_int_equal(bed.sent[0].port, 1);
	assert_int_equal(bed.sent[0].len, 1514);
}

TEST(refused_by_the_worker)
{
	unknown(0x0b);
	bed.refuse = true;
	nd_receive_advertisement(1, 0x0b, "2001:db8:1::b", ANSWER, true);
	assert_int_equal(bed_count(FCN_HOST_SEND_REFUSED), 1);
	assert_int_equal(bed_count(FCN_HOST_DISCOVERY_REFUSED), 0);
	assert_int_equal(fcn_host_waiting(bed.host), 0);
	/* questions of the switch, by both protocols, and an answer */
	unknown(0x0c);
	assert_int_equal(bed_count(FCN_HOST_DISCOVERY_REFUSED), 1);
	nd_receive_solicitation(1, 0x0b, "2001:db8:1::b", "2001:db8:1::1", true);
	assert_int_equal(bed_count(FCN_HOST_DISCOVERY_REFUSED), 2);
	arp_receive(1, 0x0b, 1, "198.51.100.11", "198.51.100.1");
	assert_int_equal(bed_count(FCN_HOST_DISCOVERY_REFUSED), 3);
	assert_int_equal(bed_count(FCN_HOST_SEND_REFUSED), 4);
}
