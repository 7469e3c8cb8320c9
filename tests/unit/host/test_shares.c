/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* What one port can use up of the host functions is its own part of them. */

#include <netinet/in.h>

#include "hostbed.h"

#define ANSWER 0x60 /* solicited, override */

static const char *
number(unsigned int port, unsigned int i)
{
	static char addr[4][40]; /* several of them are used in one expression */
	static unsigned int next;
	char *a = addr[next++ % RTE_DIM(addr)];

	snprintf(a, sizeof(addr[0]), "2001:db8%s::%x", port == 0 ? "" : ":1", i);
	return a;
}

/* A packet to an address of the other port's network, by this port. */
static void
unknown(uint16_t port, unsigned int i)
{
	struct bytes b = packet(
			port, 0x0a, number(port, 0xa), number(!port, i), IPPROTO_UDP, 64, 8);

	bed_punt(FCN_PUNT_NO_NEIGHBOUR, port, &b);
}

static int
state_of(uint16_t port, unsigned int i)
{
	return bed_neighbour(port, number(port, i), NULL);
}

TEST_FIXTURE(.begin = bed_begin, .end = bed_end, .setup = bed_setup, .teardown = bed_teardown);

/* Packet Too Big is sent in spite of the junk, and so are the errors of another port. */
TEST(errors)
{
	struct bytes late = a_to_b(1, 8), big = a_to_b(64, 1400);
	struct bytes other = packet(1, 0x0b, "2001:db8:1::b", "2001:db8::a", IPPROTO_UDP, 1, 8);

	bed.conf.icmp_errors = (struct fcn_host_rate){.per_second = 10, .burst = 3};
	bed_configure();
	bed_static("2001:db8::a", 0, 0x0a);
	bed_static("2001:db8:1::b", 1, 0x0b);
	for (unsigned int i = 0; i < 100; i++)
		bed_punt(FCN_PUNT_HOP_LIMIT, 0, &late);
	assert_int_equal(bed.n_sent, 3);
	assert_int_equal(bed_count(FCN_HOST_ERROR_LIMITED), 97);
	bed_forget();
	bed_punt_mtu(0, &big, 1300);
	assert_int_equal(bed.n_sent, 1);
	assert_int_equal(bed.sent[0].data[54], 2); /* Packet Too Big */
	bed_punt(FCN_PUNT_HOP_LIMIT, 1, &other);
	assert_int_equal(bed.n_sent, 2);
	assert_int_equal(bed.sent[1].port, 1);
	assert_int_equal(bed.dropped[FCN_DROP_HOP_LIMIT], 101);
	assert_int_equal(bed.dropped[FCN_DROP_MTU], 1);
}

static struct bytes
echo_request(uint16_t port, uint8_t n)
{
	struct bytes b = packet(port, n, number(port, n), number(port, 1), IPPROTO_ICMPV6, 64, 8);
	uint32_t sum = 58 + 8 + 0x8000;

	b.data[54] = 128;
	for (unsigned int i = 22; i < 54; i += 2)
		sum += (uint32_t)b.data[i] << 8 | b.data[i + 1];
	while (sum >> 16 != 0)
		sum = (sum & 0xFFFF) + (sum >> 16);
	b.data[56] = (uint8_t)(~sum >> 8);
	b.data[57] = (uint8_t)~sum;
	return b;
}

TEST(echo)
{
	struct bytes a = echo_request(0, 0xa), b = echo_request(1, 0xb);

	bed.conf.icmp_replies = (struct fcn_host_rate){.per_second = 10, .burst = 3};
	bed_configure();
	bed_static("2001:db8::a", 0, 0x0a);
	bed_static("2001:db8:1::b", 1, 0x0b);
	for (unsigned int i = 0; i < 100; i++)
		bed_punt(FCN_PUNT_LOCAL, 0, &a);
	assert_int_equal(bed_count(FCN_HOST_ECHO_TX), 3);
	assert_int_equal(bed_count(FCN_HOST_ECHO_LIMITED), 97);
	bed_punt(FCN_PUNT_LOCAL, 1, &b);
	assert_int_equal(bed_count(FCN_HOST_ECHO_TX), 4);
}

/* The addresses that one port has asked for are so many a second. */
TEST(scan_rate)
{
	bed.conf.solicitations = (struct fcn_host_rate){.per_second = 10, .burst = 5};
	bed_configure();
	for (unsigned int i = 0; i < 50; i++)
		unknown(0, 0x100 + i);
	assert_int_equal(bed.n_sent, 5);
	assert_int_equal(bed_count(FCN_HOST_SOLICIT_LIMITED), 45);
	assert_int_equal(bed.dropped[FCN_DROP_NEIGHBOUR_LIMIT], 45);
	unknown(1, 0x100);
	assert_int_equal(bed.n_sent, 6);
	assert_int_equal(state_of(0, 0x100), FCN_NEIGHBOUR_INCOMPLETE);
	/* A tenth of a second is one more. */
	bed.now += 100 * MS;
	unknown(0, 0x201);
	unknown(0, 0x202);
	assert_int_equal(bed.n_sent, 7);
}

/* Of 64 entries a port has 6 to ask for and 6 to find; of the others 34 are for all. */
TEST(scan_and_the_table)
{
	unknown(1, 0x10); /* waits for its answer meanwhile */
	for (unsigned int i = 0; i < 200; i++)
		unknown(0, 0x100 + i);
	for (unsigned int i = 0; i < 200; i++)
		assert_int_equal(state_of(1, 0x100 + i),
				i < 200 - 40 ? -1 : (int)FCN_NEIGHBOUR_INCOMPLETE);
	nd_receive_advertisement(0, 0x10, number(0, 0x10), ANSWER, true);
	assert_int_equal(state_of(0, 0x10), FCN_NEIGHBOUR_REACHABLE);
	assert_int_equal(bed.forwarded, 1);
	/* And six more can be asked for by the other port. */
	for (unsigned int i = 0; i < 6; i++)
		unknown(1, 0x20 + i);
	for (unsigned int i = 0; i < 6; i++)
		assert_int_equal(state_of(0, 0x20 + i), FCN_NEIGHBOUR_INCOMPLETE);
	assert_int_equal(bed_count(FCN_HOST_NEIGHBOUR_FULL), 0);
}

/* Who answers for very many addresses has the places that nobody is promised, and no others. */
TEST(answers_for_everything)
{
	unsigned int there = 0;

	for (unsigned int i = 0; i < 100; i++) {
		unknown(0, 0x100 + i);
		nd_receive_advertisement(1, 0x66, number(1, 0x100 + i), ANSWER, true);
	}
	for (unsigned int i = 0; i < 100; i++)
		there += state_of(1, 0x100 + i) == FCN_NEIGHBOUR_REACHABLE;
	assert_int_equal(there, 40);
	assert_int_equal(bed_count(FCN_HOST_NEIGHBOUR_FULL), 60);
	for (unsigned int i = 0; i < 6; i++) {
		unknown(1, 0x20 + i);
		nd_receive_advertisement(0, (uint8_t)(0x20 + i), number(0, 0x20 + i), ANSWER, true);
		assert_int_equal(state_of(0, 0x20 + i), FCN_NEIGHBOUR_REACHABLE);
	}
	/* Nothing was displaced for that. */
	for (unsigned int i = 0; i < 40; i++)
		assert_int_equal(state_of(1, 0x100 + i), FCN_NEIGHBOUR_REACHABLE);
}

TEST(limit_of_a_port)
{
	unsigned int there = 0;

	bed.conf.port_neighbours = 5;
	bed_configure();
	for (unsigned int i = 0; i < 20; i++) {
		unknown(0, 0x100 + i);
		nd_receive_advertisement(1, 0x66, number(1, 0x100 + i), ANSWER, true);
	}
	for (unsigned int i = 0; i < 20; i++)
		there += state_of(1, 0x100 + i) == FCN_NEIGHBOUR_REACHABLE;
	assert_int_equal(there, 5);
}

/* A scan that was not answered does not keep a port from growing beyond what it is promised. */
TEST(failed_give_way_to_found)
{
	for (unsigned int i = 0; i < 40; i++)
		unknown(0, 0x100 + i);
	bed_run(bed.now + 3 * S);
	assert_int_equal(state_of(1, 0x100), FCN_NEIGHBOUR_FAILED);
	assert_int_equal(bed.dropped[FCN_DROP_NEIGHBOUR_FAILED], 40);
	for (unsigned int i = 0; i < 20; i++) {
		nd_receive_solicitation(
				1, (uint8_t)(0x20 + i), number(1, 0x20 + i), "2001:db8:1::1", true);
		assert_int_equal(state_of(1, 0x20 + i), FCN_NEIGHBOUR_PROBE);
	}
	assert_int_equal(state_of(1, 0x100), -1);
}

static void
resolve(uint16_t who, unsigned int i)
{
	struct fcn_addr addr = addr_of(number(1, i));

	fcn_host_resolve(bed.host, 1, &addr, who, bed.now);
	bed_check();
}

/* The neighbours that notices want are the part of the port whose packets caused the notices. The
 * switch's own part, and those of other ports, stay as they are. */
TEST(notices_of_one_port)
{
	for (unsigned int i = 0; i < 200; i++)
		resolve(0, 0x100 + i);
	for (unsigned int i = 0; i < 200; i++)
		assert_int_equal(state_of(1, 0x100 + i),
				i < 200 - 40 ? -1 : (int)FCN_NEIGHBOUR_INCOMPLETE);
	for (unsigned int i = 0; i < 6; i++) {
		resolve(1, 0x20 + i);
		resolve(FCN_HOST_SELF, 0x30 + i);
	}
	for (unsigned int i = 0; i < 6; i++) {
		assert_int_equal(state_of(1, 0x20 + i), FCN_NEIGHBOUR_INCOMPLETE);
		assert_int_equal(state_of(1, 0x30 + i), FCN_NEIGHBOUR_INCOMPLETE);
	}
	assert_int_equal(state_of(1, 0x100 + 199), FCN_NEIGHBOUR_INCOMPLETE);
	assert_int_equal(bed_count(FCN_HOST_NEIGHBOUR_FULL), 0);
}

/* The same for how many may be asked for in a second. */
TEST(notices_and_the_rate)
{
	bed.conf.solicitations = (struct fcn_host_rate){.per_second = 10, .burst = 5};
	bed_configure();
	for (unsigned int i = 0; i < 50; i++)
		resolve(0, 0x100 + i);
	assert_int_equal(bed.n_sent, 5);
	assert_int_equal(bed_count(FCN_HOST_SOLICIT_LIMITED), 45);
	resolve(1, 0x20);
	resolve(FCN_HOST_SELF, 0x30);
	assert_int_equal(bed.n_sent, 7);
}

/* Packets of one port do not drive out those of another one that wait. */
TEST(waiting)
{
	struct fcn_host_neighbour n;

	bed.conf.max_neighbours = 1000;
	bed_configure();
	unknown(1, 0x10);
	for (unsigned int i = 0; i < 400; i++)
		unknown(0, 0x100 + i);
	assert_int_equal(fcn_host_waiting(bed.host), 129);
	nd_receive_advertisement(0, 0x10, number(0, 0x10), ANSWER, true);
	assert_int_equal(bed.forwarded, 1);
	/* Not for the same neighbour either. */
	{
		struct bytes b = packet(
				1, 0x0a, number(1, 0xa), number(1, 0xee), IPPROTO_UDP, 64, 8);

		bed_punt(FCN_PUNT_NO_NEIGHBOUR, 1, &b);
	}
	for (unsigned int i = 0; i < 10; i++)
		unknown(0, 0xee);
	assert_int_equal(bed_neighbour(1, number(1, 0xee), &n), FCN_NEIGHBOUR_INCOMPLETE);
	assert_int_equal(n.waiting, 3);
	nd_receive_advertisement(1, 0xee, number(1, 0xee), ANSWER, true);
	assert_int_equal(bed.sent[bed.n_sent - 3].data[RTE_ETHER_HDR_LEN + 8 + 5], 1);
}
