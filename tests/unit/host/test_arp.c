/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <netinet/in.h>

#include <rte_ether.h>

#include "fcn_arp.h"
#include "host_frames.h"
#include "hostbed.h"

static void
unknown_b(void)
{
	struct bytes b = packet(0, 0x0a, "192.0.2.10", "198.51.100.11", IPPROTO_UDP, 64, 8);

	bed_punt(FCN_PUNT_NO_NEIGHBOUR, 0, &b);
}

static int
b_is(uint8_t mac)
{
	struct rte_ether_addr want = mac_of(mac);
	struct fcn_host_neighbour n;
	int state = bed_neighbour(1, "198.51.100.11", &n);

	if (state >= 0)
		assert_true(rte_is_same_ether_addr(&n.mac, &want));
	return state;
}

TEST_FIXTURE(.begin = bed_begin, .end = bed_end, .setup = bed_setup, .teardown = bed_teardown);

TEST(asked_and_forwarded)
{
	struct bytes want = packet(0, 0x0a, "192.0.2.10", "198.51.100.11", IPPROTO_UDP, 63, 8);
	struct rte_ether_addr dst = mac_of(0x0b), src = mac_of_port(1);

	memcpy(want.data, &dst, 6);
	memcpy(want.data + 6, &src, 6);
	unknown_b();
	assert_int_equal(bed.n_sent, 1);
	bed_sent_is(0, 1, ARP_ALL_B);
	arp_receive(1, 0x0b, FCN_ARP_REPLY, "198.51.100.11", "198.51.100.1");
	assert_int_equal(bed.n_sent, 2);
	assert_int_equal(bed.sent[1].len, want.len);
	assert_memory_equal(bed.sent[1].data, want.data, want.len);
	assert_int_equal(b_is(0x0b), FCN_NEIGHBOUR_REACHABLE);
	/* to itself, when it is time */
	bed_run(fcn_host_next(bed.host));
	assert_int_equal(bed.n_sent, 3);
	bed_sent_is(2, 1, ARP_TO_B);
	arp_receive(1, 0x0b, FCN_ARP_REPLY, "198.51.100.11", "198.51.100.1");
	assert_int_equal(b_is(0x0b), FCN_NEIGHBOUR_REACHABLE);
}

/* One less in the TTL at every value, also where the sum carries: RFC 1624 section 3. */
TEST(ttl_and_checksum)
{
	bed_static("198.51.100.11", 1, 0x0b);
	for (unsigned int ttl = 2; ttl < 256; ttl++) {
		struct bytes b = packet(0, 0x0a, "192.0.2.10", "198.51.100.11", IPPROTO_UDP,
				(uint8_t)ttl, 8);
		struct bytes want = packet(0, 0x0a, "192.0.2.10", "198.51.100.11", IPPROTO_UDP,
				(uint8_t)(ttl - 1), 8);

		for (unsigned int id = 0; id < 512; id += 16) {
			b.data[18] = want.data[18] = (uint8_t)(id >> 8);
			b.data[19] = want.data[19] = (uint8_t)id;
			ip4_set_checksum(&b);
			ip4_set_checksum(&want);
			bed_forget();
			bed_punt(FCN_PUNT_NO_NEIGHBOUR, 0, &b);
			assert_int_equal(bed.n_sent, 1);
			assert_memory_equal(bed.sent[0].data + 14, want.data + 14, 20);
		}
	}
}

TEST(not_there)
{
	uint64_t t = bed.now;

	bed_static("192.0.2.10", 0, 0x0a);
	unknown_b();
	bed_run(t + 3 * S - 1);
	assert_int_equal(bed.n_sent, 3);
	bed_run(t + 3 * S);
	assert_int_equal(bed.n_sent, 4);
	/* host unreachable, from the address that A knows the switch by */
	assert_int_equal(bed.sent[3].port, 0);
	assert_memory_equal(bed.sent[3].data + 26, addr_of("192.0.2.1").bytes, 4);
	assert_memory_equal(bed.sent[3].data + 30, addr_of("192.0.2.10").bytes, 4);
	assert_int_equal(bed.sent[3].data[34], 3);
	assert_int_equal(bed.sent[3].data[35], 1);
}

TEST(questions_are_answered_and_learned)
{
	struct fcn_host_neighbour n;

	arp_receive(0, 0x0a, FCN_ARP_REQUEST, "192.0.2.10", "192.0.2.1");
	assert_int_equal(bed.n_sent, 1);
	bed_sent_is(0, 0, ARP_0_TO_A);
	assert_int_equal(bed_neighbour(0, "192.0.2.10", &n), FCN_NEIGHBOUR_PROBE);
	/* not on the wrong port, not for another address */
	bed_forget();
	arp_receive(1, 0x0b, FCN_ARP_REQUEST, "198.51.100.11", "192.0.2.1");
	arp_receive(1, 0x0b, FCN_ARP_REQUEST, "198.51.100.11", "198.51.100.2");
	assert_int_equal(bed.n_sent, 0);
	assert_int_equal(b_is(0x0b), -1);
	/* from no address of the link */
	arp_receive(0, 0x0a, FCN_ARP_REQUEST, "192.0.3.10", "192.0.2.1");
	arp_receive(0, 0x0a, FCN_ARP_REQUEST, "192.0.2.255", "192.0.2.1");
	arp_receive(0, 0x0a, FCN_ARP_REQUEST, "192.0.2.0", "192.0.2.1");
	assert_int_equal(bed.n_sent, 0);
	assert_int_equal(bed_count(FCN_HOST_ARP_BAD), 3);
}

/* Who probes for one of our addresses is told, and nothing is learned of it. */
TEST(probe_is_answered)
{
	struct fcn_host_neighbour n;
	uint32_t next = 0;

	arp_receive(0, 0x0a, FCN_ARP_REQUEST, "0.0.0.0", "192.0.2.1");
	assert_int_equal(bed.n_sent, 1);
	assert_int_equal(bed.sent[0].data[5], 0x0a);
	assert_int_equal(bed.sent[0].data[21], FCN_ARP_REPLY);
	assert_false(fcn_host_neighbour_next(bed.host, &next, &n));
	assert_int_equal(bed_count(FCN_HOST_DAD_DUPLICATE), 0);
	arp_receive(0, 0x0a, FCN_ARP_REQUEST, "0.0.0.0", "192.0.2.2");
	assert_int_equal(bed.n_sent, 1);
}

TEST(announcements_are_followed)
{
	uint64_t version;

	/* of a stranger: nothing */
	arp_receive(1, 0x0b, FCN_ARP_REQUEST, "198.51.100.11", "198.51.100.11");
	assert_int_equal(b_is(0x0b), -1);
	unknown_b();
	arp_receive(1, 0x0b, FCN_ARP_REPLY, "198.51.100.11", "198.51.100.1");
	/* the same address: nothing changes */
	version = fcn_host_version(bed.host);
	arp_receive(1, 0x0b, FCN_ARP_REQUEST, "198.51.100.11", "198.51.100.11");
	assert_int_equal(b_is(0x0b), FCN_NEIGHBOUR_REACHABLE);
	assert_int_equal(fcn_host_version(bed.host), version);
	/* moved to another one: by request, by reply, unasked */
	arp_receive(1, 0x0c, FCN_ARP_REQUEST, "198.51.100.11", "198.51.100.11");
	assert_int_equal(b_is(0x0c), FCN_NEIGHBOUR_PROBE);
	assert_int_equal(fcn_host_version(bed.host), version + 1);
	arp_receive(1, 0x0d, FCN_ARP_REPLY, "198.51.100.11", "198.51.100.11");
	assert_int_equal(b_is(0x0d), FCN_NEIGHBOUR_PROBE);
	/* an answer while it is asked is believed */
	bed_run(bed.now + 5 * S);
	arp_receive(1, 0x0d, FCN_ARP_REPLY, "198.51.100.11", "198.51.100.1");
	assert_int_equal(b_is(0x0d), FCN_NEIGHBOUR_REACHABLE);
	/* one without a question is none */
	arp_receive(1, 0x0e, FCN_ARP_REPLY, "198.51.100.11", "198.51.100.1");
	assert_int_equal(b_is(0x0e), FCN_NEIGHBOUR_PROBE);
}

TEST(tagged_and_broken)
{
	struct bytes b = hex_of("02000000001002000000010a"
				"81000000"
				"0806"
				"000108000604000102000000010ac000020a000000000000c0000201");

	bed_punt(FCN_PUNT_ARP, 0, &b);
	assert_int_equal(bed.n_sent, 1);
	bed_sent_is(0, 0, ARP_0_TO_A);
	for (uint32_t len = 14; len < b.len; len++) {
		struct bytes cut = b;

		cut.len = len;
		bed_punt(FCN_PUNT_ARP, 0, &cut);
	}
	assert_int_equal(bed.n_sent, 1);
	assert_int_equal(bed_count(FCN_HOST_ARP_BAD), b.len - 14);
}
