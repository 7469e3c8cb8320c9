/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <netinet/in.h>

#include <rte_ether.h>

#include "fcn_arp.h"
#include "fcn_nd.h"
#include "host_frames.h"
#include "hostbed.h"
#include "icmp_frames.h"

static uint64_t seed;

static uint32_t
chance(uint32_t n)
{
	return (uint32_t)((fcn_test_random(&seed) >> 32) * n >> 32);
}

static void
forget_when_full(void)
{
	if (bed.n_sent > BED_SENT - 1024)
		bed_forget();
}

/* Let up to a second pass, now and then ten. */
static void
some_time(void)
{
	bed_run(bed.now + chance(chance(20) == 0 ? 4000000000u : 10000000u) * UINT64_C(3));
	forget_when_full();
}

static void
come(const struct bytes *b)
{
	enum fcn_punt_reason reason = chance(FCN_PUNT_REASON_COUNT);
	uint16_t port = (uint16_t)chance(3);

	if (chance(3) == 0)
		bed_punt_chain(reason, port, b, 54 + chance(100));
	else
		bed_punt(reason, port, b);
	forget_when_full();
}

TEST_FIXTURE(.begin = bed_begin, .end = bed_end, .setup = bed_setup, .teardown = bed_teardown);

/* Nothing but noise. */
TEST(noise)
{
	seed = 5;
	for (unsigned int i = 0; i < 30000; i++) {
		struct bytes b = {.len = 1 + chance(200)};

		for (uint32_t k = 0; k < b.len; k++)
			b.data[k] = (uint8_t)fcn_test_random(&seed);
		if (b.len > 14) /* most of it with an IP version */
			b.data[14] = (uint8_t)(chance(2) == 0 ? 0x45 : 0x60 | chance(16));
		come(&b);
		if (chance(50) == 0)
			some_time();
	}
}

/* Frames that mean something, with some bits turned, some octets lost. */
TEST(mutants)
{
	static const char *const frame[] = {NS_ALL_B, NS_TO_B, NS_DAD_1, NA_1, NA_0_TO_A,
			NA_LINK_LOCAL_0_TO_A, ARP_ALL_B, ARP_TO_B, ARP_PROBE_1, ARP_ANNOUNCE_1,
			ARP_0_TO_A, RA_1, REQ6, REP6, REQ6LL, REQ4, REP4, TIME6, PORT6, PROTO6,
			TIME4, PORT4};

	seed = 6;
	bed.conf.port[1].advertise = true;
	bed.conf.dad = true;
	bed_configure();
	for (unsigned int i = 0; i < 60000; i++) {
		struct bytes b = hex_of(frame[chance(RTE_DIM(frame))]);

		for (uint32_t n = chance(4); n > 0; n--)
			b.data[chance(b.len)] ^= (uint8_t)(1u << chance(8));
		if (chance(4) == 0)
			b.len = 1 + chance(b.len);
		bed.notified = chance(2) == 0;
		bed.refuse = chance(10) == 0;
		come(&b);
		if (chance(50) == 0)
			some_time();
	}
}

/* All stations of a network at once ask, claim, answer, and are asked for, with a small table,
 * while ports go up and down. */
TEST(crowd)
{
	uint32_t next, n_neighbours;
	struct fcn_host_neighbour n;

	seed = 7;
	bed.conf.max_neighbours = 16;
	bed.conf.port[0].advertise = true;
	bed_configure();
	for (unsigned int i = 0; i < 60000; i++) {
		uint16_t port = (uint16_t)chance(2);
		uint8_t who = (uint8_t)chance(40);
		char addr[40], addr4[40];
		struct bytes b;

		snprintf(addr, sizeof(addr), "2001:db8:%u::%x", port, who);
		snprintf(addr4, sizeof(addr4), port == 0 ? "192.0.2.%u" : "198.51.100.%u", who);
		switch (chance(8)) {
		case 0:
		case 1:
			b = packet(port, who, "2001:db8::a", addr, IPPROTO_UDP, 64, 8);
			bed_punt(FCN_PUNT_NO_NEIGHBOUR, port, &b);
			break;
		case 2:
			b = packet(port, who, "192.0.2.10", addr4, IPPROTO_UDP, 64, 8);
			bed_punt(FCN_PUNT_NO_NEIGHBOUR, port, &b);
			break;
		case 3:
			if (who > 0) /* 2001:db8:<port>:: has a MAC address, too */
				nd_receive_solicitation(port, who, addr,
						port == 0 ? "2001:db8::1" : "2001:db8:1::1",
						chance(3) > 0);
			break;
		case 4:
			nd_receive_advertisement(
					port, who, addr, (uint8_t)(chance(8) << 5), chance(4) > 0);
			break;
		case 5:
			arp_receive(port, who, (uint16_t)(1 + chance(2)), addr4,
					port == 0 ? "192.0.2.1" : "198.51.100.1");
			break;
		case 6:
			arp_receive(port, who, (uint16_t)(1 + chance(2)), addr4, addr4);
			break;
		default:
			some_time();
			break;
		}
		if (chance(500) == 0) {
			bed.conf.port[chance(2)].up ^= true;
			bed.conf.dad = chance(2) == 0;
			bed.conf.max_neighbours = chance(4) == 0 ? 17 : 16;
			bed_configure();
		}
		next = n_neighbours = 0;
		while (fcn_host_neighbour_next(bed.host, &next, &n)) {
			n_neighbours++;
			assert_true(n.waiting <= 3);
			assert_true(n.waiting == 0 || n.state == FCN_NEIGHBOUR_INCOMPLETE);
		}
		assert_true(n_neighbours <= bed.conf.max_neighbours);
		forget_when_full();
	}
	assert_true(bed_count(FCN_HOST_WAIT_SENT) > 100);
	assert_true(bed_count(FCN_HOST_NEIGHBOUR_FAILED) > 100);
}

/* No buffer left: nothing is sent, nothing breaks. */
TEST(out_of_buffers)
{
	static struct rte_mbuf *hold[8192];
	struct bytes late = a_to_b(1, 8), ns = hex_of(NS_ALL_B);
	unsigned int n = 0;
	struct fcn_punt p = {.l3_off = 14, .reason = FCN_PUNT_HOP_LIMIT};

	bed_static("2001:db8::a", 0, 0x0a);
	while (n < RTE_DIM(hold) && (hold[n] = rte_pktmbuf_alloc(bed.pool)) != NULL)
		n++;
	assert_true(n > 2);
	p.mbuf = hold[--n];
	memcpy(rte_pktmbuf_append(p.mbuf, (uint16_t)late.len), late.data, late.len);
	fcn_host_receive(bed.host, &p, bed.now);
	/* the buffer of the packet itself is not free before the answer is made */
	assert_int_equal(bed_count(FCN_HOST_NO_MBUF), 1);
	p.reason = FCN_PUNT_LINK;
	p.in_port = 1;
	p.mbuf = rte_pktmbuf_alloc(bed.pool);
	ns = hex_of(NA_0_TO_A);
	memcpy(rte_pktmbuf_append(p.mbuf, (uint16_t)ns.len), ns.data, ns.len);
	fcn_host_receive(bed.host, &p, bed.now);
	bed_run(bed.now + 10 * S);
	assert_int_equal(bed.n_sent, 0);
	while (n > 0)
		rte_pktmbuf_free(hold[--n]);
	bed_punt(FCN_PUNT_HOP_LIMIT, 0, &late);
	assert_int_equal(bed.n_sent, 1);
}

/* What waits when the end comes is given back. */
TEST(end_while_packets_wait)
{
	struct bytes b = a_to_b(64, 8);

	for (unsigned int i = 0; i < 3; i++)
		bed_punt(FCN_PUNT_NO_NEIGHBOUR, 0, &b);
	assert_int_equal(fcn_host_waiting(bed.host), 3);
}
