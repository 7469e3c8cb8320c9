/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Packets for the switch itself: delivered by a behaviour, routed again, and that not for ever. */

#include <netinet/in.h>

#include "fcn_punt.h"
#include "local_test.h"
#include "testbed.h"

#define NEXT_HOP_STRIP 20
#define NEXT_HOP_STEP 21

static const struct fcn_local_behaviour table[] = {
		FCN_LOCAL_BEHAVIOURS(FCN_LOCAL_ENTRY) LOCAL_TEST_BEHAVIOURS(FCN_LOCAL_ENTRY)};

static int
setup(void **state)
{
	bench_setup(state);
	bench.worker->local = table;
	bench_punts();
	bench.next_hop[NEXT_HOP_STRIP] = (struct fcn_next_hop){
			.type = FCN_NEXT_HOP_LOCAL, .local = LOCAL_STRIP};
	bench.next_hop[NEXT_HOP_STEP] = (struct fcn_next_hop){
			.type = FCN_NEXT_HOP_LOCAL, .local = LOCAL_STEP};
	bench_route("2001:db8:1::/48", 5); /* by port 1 */
	bench_route("192.0.2.0/24", 5);
	bench_route("2001:db8:3::/48", 2); /* the switch */
	bench_route("2001:db8:8::/48", NEXT_HOP_STRIP);
	bench_route("2001:db8:9::/48", NEXT_HOP_STEP);
	bench_routes_done();
	return 0;
}

TEST_FIXTURE(FCN_TEST_EAL, .setup = setup, .teardown = bench_teardown);

/* Packets that wait for the host functions. */
static unsigned int
take(enum fcn_punt_kind kind)
{
	struct fcn_punt punt;
	unsigned int n = 0;

	while (fcn_punt_dequeue(bench.worker->punts, kind, &punt)) {
		n++;
		rte_pktmbuf_free(punt.mbuf);
	}
	return n;
}

/* A tunnel's packet of class 5 to 2001:db8:8::1, whose inside is the IP packet of a frame. */
static void
wrap(struct frame *f, const struct frame *inner)
{
	const bool v4 = inner->data[12] == 0x08;

	frame_ether(f, 0x86DD);
	frame_ip6(f, v4 ? IPPROTO_IPIP : IPPROTO_IPV6);
	frame_put(f, inner->data + 14, inner->len - 14);
	f->data[14 + 4] = (inner->len - 14) >> 8;
	f->data[14 + 5] = (inner->len - 14) & 0xFF;
	f->data[14 + 24 + 5] = 8;
	frame_to_port(f, 0, 1);
	frame_class(f, 5, 0);
}

/* What leaves by port 1 is the inner packet, with the next hop's Ethernet header and one hop less
 * than it had inside: nothing of the outer header counts. */
static void
assert_stripped(const struct frame *inner)
{
	static const uint8_t macs[12] = {2, 0, 0, 0, 0, 21, 2, 0, 0, 0, 0, 11};
	struct frame want = *inner;

	memcpy(want.data, macs, sizeof(macs));
	if (want.data[12] == 0x08) {
		want.data[14 + 8]--;
		want.data[14 + 10] = want.data[14 + 11] = 0;
		memcpy(want.data + 14 + 10,
				(uint8_t[]){ip4_checksum(want.data + 14) >> 8,
						ip4_checksum(want.data + 14) & 0xFF},
				2);
	} else {
		want.data[14 + 7]--;
	}
	assert_memory_equal(bench_only_out(1), want.data, want.len);
	assert_int_equal(bench_out_len(1, 0), want.len);
}

TEST(routed_again)
{
	const struct fcn_queue *outer = bench_queue(1, 5), *inner = bench_queue(1, 3);
	struct frame in, f;

	frame_roce6(&in, 1, 1, 2, 100);
	wrap(&f, &in);
	bench_send(0, &f, 1);
	assert_stripped(&in);
	assert_int_equal(bench.worker->counters[0].rx_packets, 1);
	assert_int_equal(bench.worker->counters[1].tx_packets, 1);
	/* it keeps the class that it came with */
	assert_int_equal(bench_accepted(outer), 1);
	assert_int_equal(bench_accepted(inner), 0);

	frame_ether(&in, 0x0800);
	frame_ip4(&in, 17, 20);
	frame_roce(&in, 32);
	frame_finish(&in);
	wrap(&f, &in);
	bench_send(0, &f, 2);
	assert_stripped(&in);
	assert_int_equal(bench_all_drops(), 0);
	assert_int_equal(bench.worker->rx->n_local, 0);
}

/* All that a router checks, it checks of the packet that comes out, too. */
TEST(checked_again)
{
	static const struct {
		enum fcn_drop_reason want;
		uint8_t src[2], dst[2];
		uint8_t hop_limit;
		uint8_t length; /* lower octet of the payload length; 0: as it is */
	} cases[] = {
			{FCN_DROP_MARTIAN, {0xFF, 2}, {0x20, 1}, 64, 0},
			{FCN_DROP_MULTICAST, {0x20, 1}, {0xFF, 0x0E}, 64, 0},
			{FCN_DROP_LINK_LOCAL, {0xFE, 0x80}, {0x20, 1}, 255, 0},
			{FCN_DROP_NO_ROUTE, {0x20, 1}, {0x20, 2}, 64, 0},
			{FCN_DROP_HOP_LIMIT, {0x20, 1}, {0x20, 1}, 1, 0},
			{FCN_DROP_IPV6_LENGTH, {0x20, 1}, {0x20, 1}, 64, 0xFF},
	};

	bench.snap.punt = 0;
	for (size_t i = 0; i < RTE_DIM(cases); i++) {
		struct frame in, f;

		frame_roce6(&in, 1, 1, 2, 16);
		memcpy(in.data + 14 + 8, cases[i].src, 2);
		memcpy(in.data + 14 + 24, cases[i].dst, 2);
		in.data[14 + 7] = cases[i].hop_limit;
		if (cases[i].length != 0)
			in.data[14 + 5] = cases[i].length;
		wrap(&f, &in);
		bench_send(0, &f, 1 + i);
		assert_int_equal(bench_drops(cases[i].want), 1);
		assert_int_equal(bench_all_drops(), 1 + i);
	}
}

/* What is of this link alone is not taken out of a tunnel: anybody could send it from afar. */
TEST(no_discovery_from_within)
{
	static const uint8_t addresses[] = {0xfe, 0x80, [15] = 9, [16] = 0xff, 2, [31] = 1};
	struct frame in, f;

	frame_ether(&in, 0x86DD);
	memcpy(frame_zero(&in, 40 + 24), (uint8_t[]){0x60, 0, 0, 0, 0, 24, IPPROTO_ICMPV6, 255}, 8);
	memcpy(in.data + 22, addresses, sizeof(addresses));
	in.data[54] = 135; /* neighbour solicitation */
	wrap(&f, &in);
	bench_in(0, &f);
	frame_to_port(&in, 0, 1);
	memcpy(in.data, (uint8_t[]){0x33, 0x33, 0, 0, 0, 1}, 6);
	bench_in(0, &in); /* the same, as a host of the link sends it */
	bench_poll(1);
	assert_int_equal(bench_drops(FCN_DROP_MULTICAST), 1);
	assert_int_equal(take(FCN_PUNT_KIND_NEIGHBOUR), 1);
	assert_int_equal(bench.worker->counters[0].consumed, 1);
}

/* From one behaviour to another: the inner packet is to an address of the switch. */
TEST(to_host)
{
	struct frame in, f;

	frame_roce6(&in, 1, 3, 1, 16);
	wrap(&f, &in);
	bench_send(0, &f, 1);
	assert_int_equal(take(FCN_PUNT_KIND_LOCAL), 1);
	/* wrapped once more */
	wrap(&in, &f);
	bench_send(0, &in, 2);
	assert_int_equal(take(FCN_PUNT_KIND_LOCAL), 1);
	assert_int_equal(bench.worker->counters[0].consumed, 2);
	/* nobody is there who takes it; and what the behaviour cannot read, it drops */
	bench.snap.punt = 0;
	bench_in(0, &in);
	frame_roce6(&in, 1, 8, 1, 16);
	bench_send(0, &in, 3);
	assert_int_equal(bench_drops(FCN_DROP_LOCAL), 2);
	assert_int_equal(bench_all_drops(), 2);
}

static void
stepping(unsigned int steps)
{
	struct frame f;

	frame_roce6(&f, 1, 9, steps, 16);
	bench_in(0, &f);
}

/* So often and no oftener; the packets around go their way. */
TEST(bound)
{
	struct frame f;

	for (unsigned int n = 1; n <= FCN_LOCAL_PASSES; n++) {
		stepping(n);
		bench_poll(n);
		assert_int_equal(bench_only_out(1)[14 + 24 + 5], 1);
	}
	assert_int_equal(bench_all_drops(), 0);
	stepping(FCN_LOCAL_PASSES + 1);
	stepping(0);
	frame_roce6(&f, 1, 1, 7, 16);
	bench_in(0, &f);
	stepping(0);
	bench_poll(100);
	assert_int_equal(bench_only_out(1)[14 + 24 + 15], 7);
	assert_int_equal(bench_drops(FCN_DROP_LOCAL_LOOP), 3);
	assert_int_equal(bench_all_drops(), 3);
	assert_int_equal(bench.worker->rx->n_local, 0);
}

/* More than are looked up at once. Packets of one flow leave as they came, although some take more
 * passes than others; the source port tells which is which. */
TEST(order)
{
	for (unsigned int p = 0; p < 4; p++) {
		for (unsigned int i = 0; i < 32; i++) {
			struct frame in, f;

			frame_roce6(&in, 1, 1, 2, 16);
			in.data[14 + 40] = p;
			in.data[14 + 41] = i;
			wrap(&f, &in);
			if (i % 3 == 1) /* twice in a tunnel */
				wrap(&in, &f);
			else if (i % 3 == 2)
				in = f;
			frame_class(&in, 5, 0);
			frame_to_port(&in, p, 1);
			bench_in(p, &in);
		}
	}
	bench_poll(1);
	assert_int_equal(bench.port[1].n_out, 128);
	for (unsigned int k = 0, next[4] = {0}; k < 128; k++) {
		const uint8_t *out = bench_out(1, k);

		assert_int_equal(out[14 + 41], next[out[14 + 40]]++);
	}
	assert_int_equal(bench_all_drops(), 0);
}

/* An interface of a bridge does not route, whatever a behaviour says. */
TEST(bridge_interface)
{
	static struct fcn_addr own = {.version = 6, .bytes = {0x20, 1, 0xd, 0xb8, 0, 9, [15] = 0}};
	struct fcn_local_behaviour stepping_host[FCN_LOCAL_COUNT];
	struct frame f;

	memcpy(stepping_host, fcn_local_behaviours, sizeof(stepping_host));
	stepping_host[FCN_LOCAL_HOST] = table[LOCAL_STEP];
	bench.worker->local = stepping_host;
	bench_bridge(3);
	bench.snap.port[9] = (struct fcn_snapshot_port){.mode = FCN_PORT_BRIDGE_INTERFACE,
			.mac = {{2, 0, 0, 0, 0, 19}},
			.mtu = 1500,
			.parent = 9,
			.vlan = 1,
			.own = &own,
			.n_own = 1};
	fcn_port_set_add(&bench.snap.bridge[0].interfaces, 9);
	bench_new_snapshot();
	frame_roce6(&f, 1, 9, 0, 16);
	frame_to_port(&f, 9, 1);
	bench_send(0, &f, 1);
	assert_int_equal(bench_drops(FCN_DROP_BRIDGE_INTERFACE), 1);
	assert_int_equal(bench_all_drops(), 1);
}

/* All that a walk can hold: an untrusted port, a sub-interface, as many deliveries as there may be,
 * the edge of an IOAM domain, and the address of a proxy put in and taken out. Each stage is a
 * step, and there is room for all of them. */
TEST(longest_trace)
{
	static const enum fcn_stage want[] = {FCN_STAGE_RX, FCN_STAGE_CLASSIFY, FCN_STAGE_TRUST,
			FCN_STAGE_SUB_INTERFACE, FCN_STAGE_PROXY_INSERT, FCN_STAGE_ROUTE,
			FCN_STAGE_LOCAL, FCN_STAGE_ROUTE, FCN_STAGE_LOCAL, FCN_STAGE_ROUTE,
			FCN_STAGE_LOCAL, FCN_STAGE_ROUTE, FCN_STAGE_LOCAL, FCN_STAGE_ROUTE,
			FCN_STAGE_PROXY_REMOVE, FCN_STAGE_IOAM_EDGE, FCN_STAGE_ENQUEUE,
			FCN_STAGE_TRANSMIT};
	static uint16_t vlans[FCN_VLANS];
	const struct fcn_trace_record *r = &bench.worker->trace.record[0];
	struct fcn_proxy_prefix sender = {.origin = FCN_PROXY_STATIC};
	struct frame f;

	assert_int_equal(fcn_prefix_parse("2001:db8::/64", &sender.prefix), 0);
	assert_int_equal(fcn_addr_parse("2001:db8:f::3", &sender.proxy), 0);
	bench.snap.proxy_edge = (struct fcn_proxy_edge_conf){
			.any_insert = true,
			.any_remove = true,
			.senders = fcn_proxy_map_create("test", &sender, 1, SOCKET_ID_ANY),
	};
	bench.snap.port[1].proxy_option = FCN_PROXY_EDGE_REMOVE;
	memset(vlans, 0xFF, sizeof(vlans));
	vlans[100] = 10;
	bench.snap.port[0].sub = vlans;
	bench.snap.port[10] = (struct fcn_snapshot_port){.mode = FCN_PORT_ROUTED,
			.mac = bench.snap.port[0].mac,
			.mtu = 1500,
			.parent = 0,
			.vlan = 100,
			.proxy_option = FCN_PROXY_EDGE_INSERT};
	bench.snap.port[0].checked_ingress = true;
	bench.snap.port[0].untrusted = (struct fcn_trust_conf){.untrusted = true, .class = 1};
	fcn_snapshot_protect(&bench.snap, 1u << 3);
	bench.snap.ioam.any_edge = true;
	bench.snap.port[1].ioam.edge = FCN_IOAM_EDGE_STRIP;
	bench_new_snapshot();
	frame_ioam6(&f, 0x800000, 1, 4, 0, 100);
	f.data[14 + 24 + 5] = 9; /* 2001:db8:9::4 */
	f.data[14 + 24 + 15] = FCN_LOCAL_PASSES;
	memmove(f.data + 18, f.data + 14, f.len - 14);
	memcpy(f.data + 12, (uint8_t[]){0x81, 0, 0, 100, 0x86, 0xDD}, 6);
	f.len += 4;
	bench.worker->trace.wanted = 1;
	bench_send(0, &f, 1);
	assert_int_equal(bench.port[1].n_out, 1);
	/* The packet may also wait twice, see test_service_and_flow() in test_arn_held.c. */
	assert_int_equal(RTE_DIM(want) + 2, FCN_TRACE_STEPS);
	assert_int_equal(r->n_steps, RTE_DIM(want));
	for (unsigned int i = 0; i < RTE_DIM(want); i++) {
		assert_int_equal(r->step[i].stage, want[i]);
		assert_int_equal(r->step[i].left, want[i] >= FCN_STAGE_ENQUEUE);
	}
	assert_int_equal(r->step[3].pkt.in_port, 10);
	assert_int_equal(r->step[4].pkt.info.ip_len, r->step[3].pkt.info.ip_len + 24);
	assert_true(r->step[5].pkt.flags & FCN_PACKET_LOCAL);
	assert_int_equal(r->step[6].pkt.local, LOCAL_STEP);
	assert_int_equal(r->step[14].pkt.info.ip_len + 24, r->step[13].pkt.info.ip_len);
	assert_true(r->step[15].pkt.info.ip_len < r->step[14].pkt.info.ip_len);
	fcn_proxy_map_free(bench.snap.proxy_edge.senders);
	bench.snap.proxy_edge.senders = NULL;
}

/* A packet that is taken has its last step there; one that is dropped for its circle, too. */
TEST(last_step)
{
	const struct fcn_trace_record *r = bench.worker->trace.record;
	struct frame f;

	bench.worker->trace.wanted = 3;
	frame_roce6(&f, 1, 3, 1, 16);
	bench_in(0, &f);
	stepping(0);
	frame_roce6(&f, 1, 0x99, 1, 16); /* no route: left to the host functions by `route` */
	bench_send(0, &f, 1);
	assert_int_equal(take(FCN_PUNT_KIND_LOCAL), 1);
	assert_int_equal(take(FCN_PUNT_KIND_NO_ROUTE), 1);
	assert_int_equal(r[0].n_steps, 4);
	assert_int_equal(r[0].step[3].stage, FCN_STAGE_LOCAL);
	assert_true(r[0].step[3].left);
	assert_int_equal(r[0].step[3].pkt.drop, FCN_DROP_NONE);
	assert_int_equal(r[1].n_steps, 3 + 2 * FCN_LOCAL_PASSES + 1);
	assert_int_equal(r[1].step[r[1].n_steps - 1].stage, FCN_STAGE_LOCAL);
	assert_int_equal(r[1].step[r[1].n_steps - 1].pkt.drop, FCN_DROP_LOCAL_LOOP);
	assert_int_equal(r[2].n_steps, 3);
	assert_int_equal(r[2].step[2].stage, FCN_STAGE_ROUTE);
	assert_true(r[2].step[2].left);
	assert_int_equal(r[2].step[2].pkt.drop, FCN_DROP_NONE);
}

/* Of a worker that is not told otherwise, and every behaviour says what it is. */
TEST_WITH(table, bench_setup, bench_teardown)
{
	assert_ptr_equal(bench.worker->local, fcn_local_behaviours);
	for (unsigned int i = 0; i < FCN_LOCAL_COUNT; i++) {
		assert_true(strlen(fcn_local_behaviours[i].text) > 0);
		assert_non_null(fcn_local_behaviours[i].deliver);
		for (unsigned int k = 0; k < i; k++)
			assert_string_not_equal(
					fcn_local_behaviours[i].name, fcn_local_behaviours[k].name);
	}
}
