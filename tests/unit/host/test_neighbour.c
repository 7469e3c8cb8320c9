/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <netinet/in.h>

#include <rte_ether.h>

#include "fcn_nd.h"
#include "host_frames.h"
#include "hostbed.h"

#define ICMP6(i) (&bed.sent[i].data[54]) /* behind Ethernet and IPv6 */
#define ASKED_B FCN_ND_SOLICITED | FCN_ND_OVERRIDE

static void
unknown_b(uint32_t payload)
{
	struct bytes b = a_to_b(64, payload);

	bed_punt(FCN_PUNT_NO_NEIGHBOUR, 0, &b);
}

static struct fcn_host_neighbour
the_b(void)
{
	struct fcn_host_neighbour n;

	assert_true(bed_neighbour(1, "2001:db8:1::b", &n) >= 0);
	return n;
}

static void
assert_mac(struct rte_ether_addr mac, uint8_t n)
{
	struct rte_ether_addr want = mac_of(n);

	assert_true(rte_is_same_ether_addr(&mac, &want));
}

/* Resolve B, and forget what was sent for that. */
static void
resolve_b(void)
{
	unknown_b(8);
	nd_receive_advertisement(1, 0x0b, "2001:db8:1::b", ASKED_B, true);
	assert_int_equal(the_b().state, FCN_NEIGHBOUR_REACHABLE);
	bed_forget();
}

TEST_FIXTURE(.begin = bed_begin, .end = bed_end, .setup = bed_setup, .teardown = bed_teardown);

TEST(packet_waits_and_goes)
{
	struct bytes b = a_to_b(64, 8), want;
	uint64_t version = fcn_host_version(bed.host);
	struct rte_ether_addr dst = mac_of(0x0b), src = mac_of_port(1);

	bed_punt(FCN_PUNT_NO_NEIGHBOUR, 0, &b);
	assert_int_equal(bed.n_sent, 1);
	bed_sent_is(0, 1, NS_ALL_B);
	assert_int_equal(bed.sent[0].class, 7);
	assert_int_equal(the_b().state, FCN_NEIGHBOUR_INCOMPLETE);
	assert_int_equal(the_b().waiting, 1);
	assert_int_equal(fcn_host_version(bed.host), version);

	bed.now += MS;
	nd_receive_advertisement(1, 0x0b, "2001:db8:1::b", ASKED_B, true);
	assert_int_equal(bed.n_sent, 2);
	want = b;
	memcpy(want.data, &dst, 6);
	memcpy(want.data + 6, &src, 6);
	want.data[14 + 7] = 63;
	assert_int_equal(bed.sent[1].port, 1);
	assert_int_equal(bed.sent[1].class, 3);
	assert_int_equal(bed.sent[1].len, want.len);
	assert_memory_equal(bed.sent[1].data, want.data, want.len);
	assert_int_equal(the_b().state, FCN_NEIGHBOUR_REACHABLE);
	assert_int_equal(the_b().since_ns, bed.now);
	assert_int_equal(the_b().waiting, 0);
	assert_int_equal(fcn_host_version(bed.host), version + 1);
	assert_int_equal(bed_count(FCN_HOST_WAIT_SENT), 1);

	/* The worker's routes lag: the next one goes at once. */
	bed_punt(FCN_PUNT_NO_NEIGHBOUR, 0, &b);
	assert_int_equal(bed.n_sent, 3);
	assert_memory_equal(bed.sent[2].data, want.data, want.len);
	assert_int_equal(bed_count(FCN_HOST_WAIT_QUEUED), 1);
}

/* Tagged frames lose the tag, padding stays behind, in chains as well. */
TEST(what_stands_around_the_packet_goes)
{
	struct bytes b = a_to_b(64, 40), padded = b;
	uint8_t pad[6] = {1, 2, 3, 4, 5, 6};

	bed_static("2001:db8:1::b", 1, 0x0b);
	bytes_put(&padded, pad, sizeof(pad));
	bed_punt_chain(FCN_PUNT_NO_NEIGHBOUR, 0, &padded, 98);
	bed_punt_chain(FCN_PUNT_NO_NEIGHBOUR, 0, &padded, 54);
	assert_int_equal(bed.n_sent, 2);
	for (unsigned int i = 0; i < 2; i++) {
		assert_int_equal(bed.sent[i].len, b.len);
		assert_memory_equal(bed.sent[i].data + 54, b.data + 54, 40);
	}
}

TEST(three_questions_then_failed)
{
	const uint64_t t = bed.now;

	bed_static("2001:db8::a", 0, 0x0a);
	unknown_b(8);
	for (unsigned int i = 1; i < 3; i++) {
		bed_run(t + i * S - 1);
		assert_int_equal(bed.n_sent, i);
		bed_run(t + i * S);
		assert_int_equal(bed.n_sent, i + 1);
		bed_sent_is(i, 1, NS_ALL_B);
	}
	bed_run(t + 3 * S - 1);
	assert_int_equal(bed.n_sent, 3);
	assert_int_equal(the_b().state, FCN_NEIGHBOUR_INCOMPLETE);
	bed_run(t + 3 * S);
	assert_int_equal(the_b().state, FCN_NEIGHBOUR_FAILED);
	assert_int_equal(the_b().since_ns, t + 3 * S);
	assert_int_equal(bed_count(FCN_HOST_NEIGHBOUR_FAILED), 1);
	assert_int_equal(bed_count(FCN_HOST_WAIT_DROPPED), 1);
	/* address unreachable, to A, about the packet as it came */
	assert_int_equal(bed.n_sent, 4);
	assert_int_equal(bed.sent[3].port, 0);
	assert_int_equal(ICMP6(3)[0], 1);
	assert_int_equal(ICMP6(3)[1], 3);
	assert_int_equal(ICMP6(3)[8 + 7], 64);

	/* held down: answered at once, nobody is asked */
	bed_run(t + 5 * S);
	unknown_b(8);
	assert_int_equal(bed.n_sent, 5);
	assert_int_equal(ICMP6(4)[0], 1);
	assert_int_equal(ICMP6(4)[1], 3);
	bed_run(t + 6 * S - 1);
	assert_int_equal(the_b().state, FCN_NEIGHBOUR_FAILED);
	bed_run(t + 6 * S);
	assert_int_equal(bed_neighbour(1, "2001:db8:1::b", NULL), -1);
	unknown_b(8);
	assert_int_equal(bed.n_sent, 6);
	bed_sent_is(5, 1, NS_ALL_B);
}

TEST(late_answer_to_failed)
{
	unknown_b(8);
	bed_run(bed.now + 3 * S);
	assert_int_equal(the_b().state, FCN_NEIGHBOUR_FAILED);
	nd_receive_advertisement(1, 0x0b, "2001:db8:1::b", ASKED_B, true);
	assert_int_equal(the_b().state, FCN_NEIGHBOUR_REACHABLE);
}

TEST(three_wait_the_oldest_gives_way)
{
	for (unsigned int i = 1; i <= 5; i++)
		unknown_b(8 * i);
	assert_int_equal(bed.n_sent, 1);
	assert_int_equal(the_b().waiting, 3);
	assert_int_equal(bed_count(FCN_HOST_WAIT_DROPPED), 2);
	nd_receive_advertisement(1, 0x0b, "2001:db8:1::b", ASKED_B, true);
	assert_int_equal(bed.n_sent, 4);
	for (unsigned int i = 0; i < 3; i++)
		assert_int_equal(bed.sent[1 + i].len, 54 + 8 * (i + 3));
}

/* Between half of 30 s and one and a half, then three questions to itself. */
TEST(reachable_then_probed_then_gone)
{
	uint64_t t = bed.now, probed, version;

	resolve_b();
	probed = fcn_host_next(bed.host);
	assert_true(probed >= t + 15 * S && probed <= t + 45 * S);
	bed_run(probed - 1);
	assert_int_equal(the_b().state, FCN_NEIGHBOUR_REACHABLE);
	assert_int_equal(bed.n_sent, 0);
	version = fcn_host_version(bed.host);
	for (unsigned int i = 0; i < 3; i++) {
		bed_run(probed + i * S);
		assert_int_equal(bed.n_sent, i + 1);
		bed_sent_is(i, 1, NS_TO_B);
		assert_int_equal(bed.sent[i].at, probed + i * S);
		assert_int_equal(the_b().state, FCN_NEIGHBOUR_PROBE);
		assert_int_equal(the_b().since_ns, probed);
	}
	/* used meanwhile */
	unknown_b(8);
	assert_int_equal(bed.n_sent, 4);
	bed_run(probed + 3 * S - 1);
	assert_int_equal(the_b().state, FCN_NEIGHBOUR_PROBE);
	assert_int_equal(fcn_host_version(bed.host), version);
	bed_run(probed + 3 * S);
	assert_int_equal(bed_neighbour(1, "2001:db8:1::b", NULL), -1);
	assert_int_equal(fcn_host_version(bed.host), version + 1);
	assert_int_equal(fcn_host_next(bed.host), FCN_HOST_NEVER);
}

TEST(probe_answered)
{
	uint64_t version;

	resolve_b();
	bed_run(fcn_host_next(bed.host) + S);
	assert_int_equal(bed.n_sent, 2);
	version = fcn_host_version(bed.host);
	/* without the option: the address is known */
	nd_receive_advertisement(1, 0x0b, "2001:db8:1::b", FCN_ND_SOLICITED, false);
	assert_int_equal(the_b().state, FCN_NEIGHBOUR_REACHABLE);
	assert_int_equal(the_b().since_ns, bed.now);
	assert_mac(the_b().mac, 0x0b);
	assert_int_equal(fcn_host_version(bed.host), version);
	assert_true(fcn_host_next(bed.host) >= bed.now + 15 * S);
}

/* Forty neighbours: their times are spread over 15 to 45 s. */
TEST(reachable_times_are_spread)
{
	uint64_t t = bed.now, first = UINT64_MAX, last = 0;
	struct fcn_host_neighbour n;
	char addr[32];

	for (unsigned int i = 16; i < 56; i++) {
		struct bytes b;

		snprintf(addr, sizeof(addr), "2001:db8:1::%x", i);
		b = packet(0, 0x0a, "2001:db8::a", addr, IPPROTO_UDP, 64, 8);
		bed_punt(FCN_PUNT_NO_NEIGHBOUR, 0, &b);
		nd_receive_advertisement(1, (uint8_t)i, addr, ASKED_B, true);
	}
	bed_run(t + 15 * S - 1);
	for (unsigned int i = 16; i < 56; i++) {
		snprintf(addr, sizeof(addr), "2001:db8:1::%x", i);
		assert_int_equal(bed_neighbour(1, addr, &n), FCN_NEIGHBOUR_REACHABLE);
	}
	bed_forget();
	bed_run(t + 45 * S);
	for (unsigned int i = 0; i < bed.n_sent; i++) {
		first = RTE_MIN(first, bed.sent[i].at);
		last = RTE_MAX(last, bed.sent[i].at);
	}
	assert_true(first < t + 20 * S);
	assert_true(last > t + 40 * S);
	for (unsigned int i = 16; i < 56; i++) {
		snprintf(addr, sizeof(addr), "2001:db8:1::%x", i);
		assert_int_not_equal(bed_neighbour(1, addr, &n), FCN_NEIGHBOUR_REACHABLE);
	}
}

/* RFC 4861 section 7.2.5: state before, what comes, state and MAC address behind. */
TEST(advertisements_of_known_neighbours)
{
	static const struct {
		uint8_t flags;
		uint8_t mac; /* 0: no option */
		int state_after;
		uint8_t mac_after;
		bool fresh; /* confirmed or doubted anew */
	} rule[] = {
			/* same address, or none: nothing but a confirmation, if solicited */
			{0, 0x0b, FCN_NEIGHBOUR_REACHABLE, 0x0b, false},
			{FCN_ND_OVERRIDE, 0x0b, FCN_NEIGHBOUR_REACHABLE, 0x0b, false},
			{FCN_ND_SOLICITED, 0x0b, FCN_NEIGHBOUR_REACHABLE, 0x0b, true},
			{FCN_ND_SOLICITED | FCN_ND_OVERRIDE, 0x0b, FCN_NEIGHBOUR_REACHABLE, 0x0b,
					true},
			{FCN_ND_SOLICITED, 0, FCN_NEIGHBOUR_REACHABLE, 0x0b, true},
			{FCN_ND_OVERRIDE, 0, FCN_NEIGHBOUR_REACHABLE, 0x0b, false},
			/* another, not overriding: the old one is kept, and doubted */
			{0, 0x0c, FCN_NEIGHBOUR_PROBE, 0x0b, true},
			{FCN_ND_SOLICITED, 0x0c, FCN_NEIGHBOUR_PROBE, 0x0b, true},
			/* another, overriding: taken; believed if solicited */
			{FCN_ND_OVERRIDE, 0x0c, FCN_NEIGHBOUR_PROBE, 0x0c, true},
			{FCN_ND_SOLICITED | FCN_ND_OVERRIDE, 0x0c, FCN_NEIGHBOUR_REACHABLE, 0x0c,
					true},
	};

	for (unsigned int i = 0; i < RTE_DIM(rule); i++) {
		uint64_t version, since;

		resolve_b();
		since = bed.now;
		bed_run(bed.now + S);
		version = fcn_host_version(bed.host);
		nd_receive_advertisement(1, rule[i].mac == 0 ? 0x0b : rule[i].mac, "2001:db8:1::b",
				rule[i].flags, rule[i].mac != 0);
		assert_int_equal(the_b().state, rule[i].state_after);
		assert_mac(the_b().mac, rule[i].mac_after);
		assert_int_equal(the_b().since_ns, rule[i].fresh ? bed.now : since);
		assert_int_equal(fcn_host_version(bed.host) - version, rule[i].mac_after != 0x0b);
		assert_int_equal(bed.n_sent, 0);
		assert_int_equal(fcn_host_clear_neighbours(bed.host), 1);
	}
}

/* In PROBE, an address that is not to override is ignored altogether. */
TEST(no_override_in_probe)
{
	uint64_t since;

	resolve_b();
	bed_run(fcn_host_next(bed.host));
	since = bed.now;
	bed_run(since + S / 2);
	nd_receive_advertisement(1, 0x0c, "2001:db8:1::b", FCN_ND_SOLICITED, true);
	assert_int_equal(the_b().state, FCN_NEIGHBOUR_PROBE);
	assert_int_equal(the_b().since_ns, since);
	assert_mac(the_b().mac, 0x0b);
	bed_run(since + 3 * S);
	assert_int_equal(bed_neighbour(1, "2001:db8:1::b", NULL), -1);
}

/* Doubted: probed after 5 s, then like any other. */
TEST(doubt_is_probed_after_5_s)
{
	uint64_t t;

	resolve_b();
	t = bed.now;
	nd_receive_advertisement(1, 0x0c, "2001:db8:1::b", 0, true);
	bed_run(t + 5 * S - 1);
	assert_int_equal(bed.n_sent, 0);
	bed_run(t + 5 * S);
	assert_int_equal(bed.n_sent, 1);
	bed_sent_is(0, 1, NS_TO_B);
	bed_run(t + 7 * S);
	assert_int_equal(bed.n_sent, 3);
	bed_run(t + 8 * S - 1);
	assert_int_equal(the_b().state, FCN_NEIGHBOUR_PROBE);
	bed_run(t + 8 * S);
	assert_int_equal(bed_neighbour(1, "2001:db8:1::b", NULL), -1);
}

TEST(incomplete_and_advertisements)
{
	/* says no address */
	unknown_b(8);
	nd_receive_advertisement(1, 0x0b, "2001:db8:1::b", FCN_ND_SOLICITED, false);
	assert_int_equal(the_b().state, FCN_NEIGHBOUR_INCOMPLETE);
	/* unasked: used, to be probed */
	nd_receive_advertisement(1, 0x0b, "2001:db8:1::b", 0, true);
	assert_int_equal(the_b().state, FCN_NEIGHBOUR_PROBE);
	assert_int_equal(bed.n_sent, 2);
	/* one that nobody asked for is none of our business */
	nd_receive_advertisement(1, 0x0c, "2001:db8:1::c", ASKED_B, true);
	assert_int_equal(bed_neighbour(1, "2001:db8:1::c", NULL), -1);
}

TEST(learned_from_its_question)
{
	struct fcn_host_neighbour n;
	uint64_t t = bed.now, version = fcn_host_version(bed.host);

	nd_receive_solicitation(0, 0x0a, "2001:db8::a", "2001:db8::1", true);
	assert_int_equal(bed.n_sent, 1);
	bed_sent_is(0, 0, NA_0_TO_A);
	assert_int_equal(bed_neighbour(0, "2001:db8::a", &n), FCN_NEIGHBOUR_PROBE);
	assert_mac(n.mac, 0x0a);
	assert_int_equal(fcn_host_version(bed.host), version + 1);
	/* the same once more changes nothing */
	bed_run(t + S);
	nd_receive_solicitation(0, 0x0a, "2001:db8::a", "2001:db8::1", true);
	assert_int_equal(bed_neighbour(0, "2001:db8::a", &n), FCN_NEIGHBOUR_PROBE);
	assert_int_equal(n.since_ns, t);
	bed_run(t + 5 * S - 1);
	assert_int_equal(bed.n_sent, 2);
	bed_run(t + 5 * S);
	assert_int_equal(bed.n_sent, 3);
	nd_receive_advertisement(0, 0x0a, "2001:db8::a", ASKED_B, true);
	assert_int_equal(bed_neighbour(0, "2001:db8::a", &n), FCN_NEIGHBOUR_REACHABLE);
	/* with another MAC address: followed, and probed */
	version = fcn_host_version(bed.host);
	nd_receive_solicitation(0, 0x0c, "2001:db8::a", "2001:db8::1", true);
	assert_int_equal(bed_neighbour(0, "2001:db8::a", &n), FCN_NEIGHBOUR_PROBE);
	assert_mac(n.mac, 0x0c);
	assert_int_equal(fcn_host_version(bed.host), version + 1);
}

/* A question from the neighbour that is being asked for is as good as an answer. */
TEST(question_frees_waiting)
{
	unknown_b(8);
	nd_receive_solicitation(1, 0x0b, "2001:db8:1::b", "2001:db8:1::1", true);
	assert_int_equal(bed.n_sent, 3);
	assert_int_equal(bed.sent[1].data[5], 0x0b);
	assert_int_equal(bed_count(FCN_HOST_WAIT_SENT), 1);
	assert_int_equal(the_b().state, FCN_NEIGHBOUR_PROBE);
}

/* Asked by unicast without a MAC address: the answer waits for that. */
TEST(question_without_lladdr)
{
	nd_receive_solicitation(1, 0x0b, "2001:db8:1::b", "2001:db8:1::1", false);
	assert_int_equal(bed.n_sent, 1);
	bed_sent_is(0, 1, NS_ALL_B);
	assert_int_equal(the_b().waiting, 1);
	nd_receive_advertisement(1, 0x0b, "2001:db8:1::b", ASKED_B, true);
	assert_int_equal(bed.n_sent, 2);
	assert_int_equal(ICMP6(1)[0], FCN_ND_NEIGHBOUR_ADVERT);
	assert_int_equal(bed.sent[1].data[14 + 7], 255);
	/* known now: at once */
	nd_receive_solicitation(1, 0x0b, "2001:db8:1::b", "2001:db8:1::1", false);
	assert_int_equal(bed.n_sent, 3);
	assert_int_equal(bed.sent[2].data[5], 0x0b);
}

TEST(link_local_neighbours)
{
	struct bytes b = packet(0, 0x0a, "2001:db8::a", "2001:db8:5::5", IPPROTO_UDP, 64, 8);

	nd_receive_solicitation(0, 0x0a, "fe80::a", "fe80::ff:fe00:10", true);
	assert_int_equal(bed.n_sent, 1);
	bed_sent_is(0, 0, NA_LINK_LOCAL_0_TO_A);
	assert_int_equal(bed_neighbour(0, "fe80::a", NULL), FCN_NEIGHBOUR_PROBE);
	assert_int_equal(bed_neighbour(1, "fe80::a", NULL), -1);
	/* not on another port */
	bed_forget();
	nd_receive_solicitation(1, 0x0b, "fe80::b", "fe80::ff:fe00:10", true);
	assert_int_equal(bed.n_sent, 0);
	/* a gateway */
	bed_route("2001:db8:5::/48", 1, "fe80::b");
	bed_punt(FCN_PUNT_NO_NEIGHBOUR, 0, &b);
	assert_int_equal(bed.n_sent, 1);
	assert_memory_equal(bed.sent[0].data + 22, addr_of("fe80::ff:fe00:11").bytes, 16);
	nd_receive_advertisement(1, 0x0b, "fe80::b", ASKED_B, true);
	assert_int_equal(bed.n_sent, 2);
	assert_memory_equal(bed.sent[1].data + 38, addr_of("2001:db8:5::5").bytes, 16);
}

/* Not from a prefix of the link, not our own, not with our MAC address. */
TEST(not_believed)
{
	struct fcn_host_neighbour n;
	uint32_t next = 0;
	struct bytes b;

	nd_receive_solicitation(0, 0x0a, "2001:db8:7::a", "2001:db8::1", true);
	nd_receive_solicitation(0, 0x0a, "2001:db8:1::a", "2001:db8::1", true);
	nd_receive_solicitation(0, 0x0a, "2001:db8::1", "2001:db8::1", true);
	nd_receive_solicitation(0, 0x0a, "2001:db8:1::1", "2001:db8::1", true);
	nd_receive_solicitation(0, 0x0a, "2001:db8:ffff::1", "2001:db8::1", true);
	assert_int_equal(bed.n_sent, 0);
	assert_int_equal(bed_count(FCN_HOST_ND_BAD), 5);
	/* not for us */
	nd_receive_solicitation(0, 0x0a, "2001:db8::a", "2001:db8::2", true);
	nd_receive_solicitation(0, 0x0a, "2001:db8::a", "2001:db8:1::1", true);
	nd_receive_solicitation(0, 0x0a, "2001:db8::a", "2001:db8:ffff::1", true);
	assert_int_equal(bed.n_sent, 0);
	assert_false(fcn_host_neighbour_next(bed.host, &next, &n));
	/* an answer through a router */
	unknown_b(8);
	bed_forget();
	bytes_ether(&b, mac_of_port(1), mac_of(0x0b), RTE_ETHER_TYPE_IPV6);
	b.len += fcn_nd_build_na(addr_of("2001:db8:1::1").bytes, &(struct rte_ether_addr){{2, 2}},
			addr_of("2001:db8:1::b").bytes, FCN_ND_SOLICITED | FCN_ND_OVERRIDE,
			b.data + b.len, 100);
	b.data[14 + 7] = 254;
	bed_punt(FCN_PUNT_LOCAL, 1, &b);
	assert_int_equal(the_b().state, FCN_NEIGHBOUR_INCOMPLETE);
	/* a group's MAC address */
	b.len = 14;
	b.len += fcn_nd_build_na(addr_of("2001:db8:1::1").bytes, &(struct rte_ether_addr){{3, 2}},
			addr_of("2001:db8:1::b").bytes, FCN_ND_SOLICITED | FCN_ND_OVERRIDE,
			b.data + b.len, 100);
	bed_punt(FCN_PUNT_LOCAL, 1, &b);
	assert_int_equal(the_b().state, FCN_NEIGHBOUR_INCOMPLETE);
	/* ours */
	b.len = 14;
	b.len += fcn_nd_build_na(addr_of("2001:db8:1::1").bytes,
			&(struct rte_ether_addr){{2, 0, 0, 0, 0, 0x11}},
			addr_of("2001:db8:1::b").bytes, FCN_ND_SOLICITED | FCN_ND_OVERRIDE,
			b.data + b.len, 100);
	bed_punt(FCN_PUNT_LOCAL, 1, &b);
	assert_int_equal(the_b().state, FCN_NEIGHBOUR_INCOMPLETE);
	assert_int_equal(bed.n_sent, 0);
}

/* On an interface of a bridge the loopback is asked for, too, by stations of any prefix. */
TEST(loopback_in_bridge)
{
	bed_run(10 * S);
	bed_forget();
	nd_receive_solicitation(0, 0x0a, "2001:db8:7::a", "2001:db8:ffff::1", true);
	assert_int_equal(bed.n_sent, 0);
	bed.conf.port[0].in_bridge = true;
	bed_configure();
	bed_run(10 * S);
	bed_forget();
	nd_receive_solicitation(0, 0x0a, "2001:db8:7::a", "2001:db8:ffff::1", true);
	assert_int_equal(bed.n_sent, 1);
	/* to who asked, from our MAC address; solicited and override, but no router */
	assert_int_equal(bed.sent[0].data[5], 0x0a);
	assert_int_equal(bed.sent[0].data[54], 136);
	assert_int_equal(bed.sent[0].data[58], 0x60);
	nd_receive_solicitation(0, 0x0a, "2001:db8:7::a", "2001:db8:ffff::2", true);
	assert_int_equal(bed.n_sent, 1);
	/* the same by ARP */
	bed_address(FCN_HOST_LOOPBACK, "203.0.113.9/32");
	bed_configure();
	bed_run(bed.now + 10 * S);
	bed_forget();
	arp_receive(0, 0x0a, 1, "203.0.113.200", "203.0.113.9");
	assert_int_equal(bed.n_sent, 1);
	assert_int_equal(bed.sent[0].data[5], 0x0a);
	assert_int_equal(bed.sent[0].data[21], 2);
	assert_memory_equal(bed.sent[0].data + 28, addr_of("203.0.113.9").bytes, 4);
	arp_receive(0, 0x0a, 1, "203.0.113.200", "203.0.113.8");
	assert_int_equal(bed.n_sent, 1);
	bed.conf.port[0].in_bridge = false;
	bed_configure();
	bed_run(bed.now + 10 * S);
	bed_forget();
	arp_receive(0, 0x0a, 1, "203.0.113.200", "203.0.113.9");
	assert_int_equal(bed.n_sent, 0);
}
