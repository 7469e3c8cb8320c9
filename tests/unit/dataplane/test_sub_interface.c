/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Sub-interfaces: packets of a VLAN on a routed port, in and out. */

#include <rte_ring_elem.h>

#include "fcn_punt.h"
#include "fcn_worker_group.h"
#include "testbed.h"

/* VLAN 100 and 200 of port 0, 4094 of port 1. */
#define SUB_A 10
#define SUB_B 11
#define SUB_C 12

#define TAG_LEN 4
#define LEN 1000

static uint16_t vlans[2][FCN_VLANS];

static void
add_sub(uint16_t number, uint16_t port, uint16_t vlan, uint32_t next_hop)
{
	struct fcn_snapshot_port *line = &bench.snap.port[port], *sub = &bench.snap.port[number];

	sub->mode = FCN_PORT_ROUTED;
	sub->mac = line->mac;
	sub->mtu = 1400;
	sub->parent = port;
	sub->vlan = vlan;
	line->sub = vlans[port];
	vlans[port][vlan] = number;
	bench.next_hop[next_hop] = (struct fcn_next_hop){.type = FCN_NEXT_HOP_FORWARD_TAGGED,
			.port = port,
			.interface = number,
			.vlan = vlan,
			.mtu = 1400,
			.l2 = {.dst_addr = {{2, 0, 0, 0, 2, number}},
					.src_addr = line->mac,
					.ether_type = RTE_BE16(RTE_ETHER_TYPE_IPV6)}};
}

/* 2001:db8:<n>::/48 is by port n, 2001:db8:1<n>::/48 by the sub-interfaces, in their order. */
static int
setup(void **state)
{
	bench_setup(state);
	memset(vlans, 0xFF, sizeof(vlans));
	add_sub(SUB_A, 0, 100, 20);
	add_sub(SUB_B, 0, 200, 21);
	add_sub(SUB_C, 1, 4094, 22);
	bench_route("2001:db8:0::/48", 20); /* senders are behind VLAN 100 */
	bench_route("2001:db8:1::/48", 5);
	bench_route("2001:db8:10::/48", 20);
	bench_route("2001:db8:11::/48", 21);
	bench_route("2001:db8:12::/48", 22);
	bench_route("192.0.2.0/24", 21);
	bench_routes_done();
	return 0;
}

TEST_FIXTURE(FCN_TEST_EAL, .setup = setup, .teardown = bench_teardown);

/* Put a tag behind the MAC addresses. */
static void
tag(struct frame *f, uint16_t tpid, uint16_t tci)
{
	memmove(f->data + 12 + TAG_LEN, f->data + 12, f->len - 12);
	memcpy(f->data + 12, (uint8_t[]){tpid >> 8, tpid & 0xFF, tci >> 8, tci & 0xFF}, TAG_LEN);
	f->len += TAG_LEN;
}

static void
untag(struct frame *f)
{
	memmove(f->data + 12, f->data + 12 + TAG_LEN, f->len - 12 - TAG_LEN);
	f->len -= TAG_LEN;
}

/* A packet to a network, and how it leaves: by port, with a tag when it has a VLAN. */
static void
packet(struct frame *f, uint16_t port, uint16_t net, uint32_t len)
{
	frame_roce6(f, 1, net, 2, len - 14 - 64);
	frame_to_port(f, port, 1);
}

static void
leaves(struct frame *f, uint16_t port, uint8_t mac_group, uint8_t mac, uint16_t tci)
{
	memcpy(f->data, (uint8_t[]){2, 0, 0, 0, mac_group, mac}, 6);
	memcpy(f->data + 6, (uint8_t[]){2, 0, 0, 0, 0, 10 + port}, 6);
	f->data[14 + 7]--;
	if (tci != 0)
		tag(f, 0x8100, tci);
}

static void
assert_sub(uint16_t sub, uint64_t rx, uint64_t rx_bytes, uint64_t tx, uint64_t tx_bytes)
{
	const struct fcn_port_counters *c = &bench.worker->counters[sub];

	assert_int_equal(c->sub_rx_packets, rx);
	assert_int_equal(c->sub_rx_bytes, rx_bytes);
	assert_int_equal(c->sub_tx_packets, tx);
	assert_int_equal(c->sub_tx_bytes, tx_bytes);
	/* the packet accounting is the port's alone */
	assert_int_equal(c->rx_packets + c->tx_packets, 0);
}

/* In by a VLAN, out by a port: the tag is gone. Twice: by the table, and by what was remembered. */
TEST(in)
{
	struct frame in, out;

	packet(&in, 0, 1, LEN);
	out = in;
	leaves(&out, 1, 0, 21, 0);
	tag(&in, 0x8100, 0xF000 | 100); /* its priority and DEI are another bridge's */
	for (unsigned int i = 0; i < 2; i++) {
		bench_send(0, &in, 1 + i);
		assert_memory_equal(bench_only_out(1), out.data, out.len);
		assert_int_equal(bench_out_len(1, 0), out.len);
	}
	assert_sub(SUB_A, 2, 2 * LEN, 0, 0);
	assert_sub(SUB_B, 0, 0, 0, 0);
	assert_int_equal(bench.worker->counters[0].rx_packets, 2);
	assert_int_equal(bench.worker->counters[0].rx_bytes, 2 * (LEN + TAG_LEN));
}

/* Out by a VLAN: the priority is the class, whatever came in. */
TEST(out)
{
	struct frame in, out;

	for (unsigned int class = 0; class < FCN_CLASSES; class ++) {
		packet(&in, 2, 0x12, LEN);
		frame_class(&in, class, 1);
		out = in;
		leaves(&out, 1, 2, SUB_C, class << 13 | 4094);
		for (unsigned int i = 0; i < 2; i++) {
			bench_send(2, &in, 1 + 2 * class + i);
			assert_memory_equal(bench_only_out(1), out.data, out.len);
			assert_int_equal(bench_out_len(1, 0), out.len);
		}
	}
	assert_sub(SUB_C, 0, 0, 16, 16 * LEN);
	assert_int_equal(bench.worker->counters[1].tx_bytes, 16 * (LEN + TAG_LEN));
}

/* Between two VLANs of one port, and back into the one it came by. */
TEST(on_a_stick)
{
	struct frame in, out;

	packet(&in, 0, 0x11, LEN);
	out = in;
	tag(&in, 0x8100, 100);
	leaves(&out, 0, 2, SUB_B, 3 << 13 | 200);
	for (unsigned int i = 0; i < 2; i++) {
		bench_send(0, &in, 1 + i);
		assert_memory_equal(bench_only_out(0), out.data, out.len);
	}
	packet(&in, 0, 0x10, LEN);
	out = in;
	tag(&in, 0x8100, 100);
	leaves(&out, 0, 2, SUB_A, 3 << 13 | 100);
	bench_send(0, &in, 3);
	assert_memory_equal(bench_only_out(0), out.data, out.len);
	assert_sub(SUB_A, 3, 3 * LEN, 1, LEN);
	assert_sub(SUB_B, 0, 0, 2, 2 * LEN);
}

static void
set_checksum(uint8_t *ip)
{
	uint16_t sum = ip4_checksum(ip);

	ip[10] = sum >> 8;
	ip[11] = sum & 0xFF;
}

/* IPv4, and IPv6 that is not of the commonest kind; Ethernet padding stays behind. */
TEST(other_kinds)
{
	struct frame in, out;

	frame_ether(&in, 0x0800);
	frame_ip4(&in, 17, 20);
	frame_roce(&in, 100);
	frame_finish(&in);
	frame_to_port(&in, 0, 1);
	memcpy(in.data + 14 + 12, (uint8_t[]){10, 1, 2, 3, 192, 0, 2, 9}, 8);
	set_checksum(in.data + 14);
	out = in;
	memcpy(out.data, (uint8_t[]){2, 0, 0, 0, 2, SUB_B, 2, 0, 0, 0, 0, 10}, 12);
	out.data[14 + 8]--;
	set_checksum(out.data + 14);
	tag(&out, 0x8100, (uint16_t)(bench.snap.class_map.dscp[26] << 13 | 200));
	tag(&in, 0x8100, 100);
	frame_zero(&in, 30);
	bench_send(0, &in, 1);
	assert_memory_equal(bench_only_out(0), out.data, out.len);
	assert_int_equal(bench_out_len(0, 0), out.len);

	frame_ioam6(&in, 0x800000, 1, 2, 0, 64);
	frame_to_port(&in, 0, 1);
	in.data[14 + 24 + 5] = 0x12;
	out = in;
	tag(&in, 0x8100, 100);
	leaves(&out, 1, 2, SUB_C, 3 << 13 | 4094);
	bench_send(0, &in, 2);
	assert_memory_equal(bench_only_out(1), out.data, out.len);
}

/* Tags that no sub-interface takes. */
TEST(unexpected)
{
	static const struct {
		uint16_t tpid, tci, inner_tpid, inner_tci;
	} tags[] = {{0x8100, 101, 0, 0}, {0x8100, 4095, 0, 0}, {0x88A8, 100, 0, 0},
			{0x8100, 100, 0x8100, 5}, {0x88A8, 7, 0x8100, 100},
			{0x8100, 100, 0x8100, 0}, {0x8100, 0, 0x8100, 100}};
	struct frame in;

	for (unsigned int i = 0; i < RTE_DIM(tags); i++) {
		packet(&in, 0, 1, LEN);
		if (tags[i].inner_tpid != 0)
			tag(&in, tags[i].inner_tpid, tags[i].inner_tci);
		tag(&in, tags[i].tpid, tags[i].tci);
		bench_send(0, &in, 1 + i);
		assert_int_equal(bench.worker->counters[0].drop[FCN_DROP_VLAN_UNEXPECTED], i + 1);
	}
	/* Another port's VLAN; to a group; to nobody. */
	packet(&in, 1, 1, LEN);
	tag(&in, 0x8100, 100);
	bench_in(1, &in);
	packet(&in, 1, 1, LEN);
	memcpy(in.data, (uint8_t[]){0x33, 0x33, 0, 0, 0, 1}, 6);
	tag(&in, 0x8100, 100);
	bench_in(1, &in);
	packet(&in, 2, 1, LEN); /* of port 2 */
	tag(&in, 0x8100, 100);
	bench_send(2, &in, 20);
	assert_int_equal(bench.worker->counters[1].drop[FCN_DROP_VLAN_UNEXPECTED], 2);
	assert_int_equal(bench.worker->counters[2].drop[FCN_DROP_VLAN_UNEXPECTED], 1);
	assert_int_equal(bench_all_drops(), RTE_DIM(tags) + 3);
	/* To a station that is not the port: of the VLAN, and dropped there. */
	packet(&in, 1, 1, LEN);
	tag(&in, 0x8100, 100);
	bench_send(0, &in, 21);
	assert_int_equal(bench.worker->counters[SUB_A].drop[FCN_DROP_NOT_MY_MAC], 1);
	assert_sub(SUB_A, 1, LEN, 0, 0);
}

/* A tag without a VLAN is none, on a port with sub-interfaces and on one without. */
TEST(priority_tag)
{
	struct frame in, out;

	for (uint16_t p = 0; p < 4; p += 2) {
		packet(&in, p, 1, LEN);
		out = in;
		leaves(&out, 1, 0, 21, 0);
		tag(&in, 0x8100, 5 << 13);
		bench_send(p, &in, 1 + p);
		assert_memory_equal(bench_only_out(1), out.data, out.len);
		assert_sub(SUB_A, 0, 0, 0, 0);
	}
}

/* Its own MTU, both ways; the port's counts without the tag. */
TEST(mtu)
{
	struct frame in;

	packet(&in, 0, 1, 14 + 1400);
	tag(&in, 0x8100, 100);
	bench_send(0, &in, 1);
	bench_only_out(1);
	packet(&in, 0, 1, 14 + 1401);
	tag(&in, 0x8100, 100);
	bench_send(0, &in, 2);
	assert_int_equal(bench.worker->counters[SUB_A].drop[FCN_DROP_RX_OVERSIZE], 1);
	packet(&in, 0, 1, 14 + 1501);
	tag(&in, 0x8100, 100);
	bench_send(0, &in, 3);
	assert_int_equal(bench.worker->counters[0].drop[FCN_DROP_RX_OVERSIZE], 1);
	packet(&in, 2, 0x12, 14 + 1400);
	bench_send(2, &in, 4);
	assert_int_equal(bench_out_len(1, 0), 18 + 1400);
	for (unsigned int i = 0; i < 2; i++) {
		packet(&in, 2, 0x12, 14 + 1401);
		bench_send(2, &in, 5 + i);
	}
	assert_int_equal(bench.worker->counters[2].drop[FCN_DROP_MTU], 2);
}

/* The account of a lossless class is the line's, and outlives the sub-interface. */
TEST(lossless)
{
	struct frame in;

	bench_lossless(0, 3, 1500, 500, 5000);
	bench.port[1].accept = 0;
	bench_set_ops(1, &bench_gate_ops);
	packet(&in, 0, 1, LEN);
	bench_in(0, &in);
	tag(&in, 0x8100, 100);
	bench_send(0, &in, 1);
	assert_int_equal(bench.worker->ingress[0][3].used, 2 * LEN);
	assert_int_equal(bench.worker->ingress[SUB_A][3].used, 0);
	assert_true(bench.worker->ingress[0][3].xoff);
	bench.snap.port[SUB_A] = (struct fcn_snapshot_port){.parent = SUB_A};
	vlans[0][100] = FCN_PORT_NONE;
	bench_new_snapshot();
	bench.port[1].accept = UINT16_MAX;
	bench_poll(2);
	assert_int_equal(bench.port[1].n_out, 2);
	assert_int_equal(bench.worker->ingress[0][3].used, 0);
	assert_false(bench.worker->ingress[0][3].xoff);
}

/* A notice finds its sender behind a VLAN: first by the table, then as remembered. */
TEST(notice)
{
	static const uint8_t head[] = {2, 0, 0, 0, 2, SUB_A, 2, 0, 0, 0, 0, 10, 0x81, 0, 6 << 5,
			100, 0x86, 0xDD, 0x6C};
	struct frame in;

	bench_notices(1, 100);
	packet(&in, 0, 1, LEN);
	tag(&in, 0x8100, 100);
	for (unsigned int i = 0; i < 2; i++) {
		bench_send(0, &in, 1 + i);
		assert_int_equal(bench.port[1].n_out, 1);
		assert_int_equal(bench.port[0].n_out, 1);
		assert_memory_equal(bench_out(0, 0), head, sizeof(head));
	}
	assert_int_equal(bench.worker->counters[1].generated, 2);
	assert_int_equal(bench.worker->counters[SUB_A].sub_tx_packets, 2);
}

static struct rte_ring *
make_ring(const char *name, unsigned int size)
{
	struct rte_ring *r = rte_ring_create_elem(name, size, 8, SOCKET_ID_ANY, 0);

	assert_non_null(r);
	return r;
}

/* The host functions know sub-interfaces, and nothing of tags. */
TEST(host)
{
	struct fcn_inject inject = {.out_port = SUB_B, .class = 7};
	struct fcn_port_counters *c = bench.worker->counters;
	struct fcn_punt punt;
	struct frame f, out;

	bench.worker->punts = fcn_punt_queues_create(SOCKET_ID_ANY);
	assert_non_null(bench.worker->punts);
	bench.worker->injects = make_ring("sub_injects", sizeof(inject));
	bench.snap.punt = (1u << FCN_PUNT_REASON_COUNT) - 1;
	bench.snap.port[SUB_B].punt[FCN_PUNT_KIND_NEIGHBOUR] = (struct fcn_punt_limit){
			.cost_ns = 1, .spare_ns = 100};

	frame_ether(&f, 0x0806);
	memcpy(frame_zero(&f, 28), (uint8_t[]){0, 1, 8, 0, 6, 4, 0, 1}, 8);
	memcpy(f.data, (uint8_t[]){255, 255, 255, 255, 255, 255, 2, 0, 0, 0, 1, 1}, 12);
	out = f;
	tag(&f, 0x8100, 200);
	bench_send(0, &f, 1);
	assert_true(fcn_punt_dequeue(bench.worker->punts, FCN_PUNT_KIND_NEIGHBOUR, &punt));
	assert_int_equal(punt.reason, FCN_PUNT_ARP);
	assert_int_equal(punt.in_port, SUB_B);
	assert_int_equal(punt.mbuf->pkt_len, out.len);
	assert_memory_equal(rte_pktmbuf_mtod(punt.mbuf, void *), out.data, out.len);
	assert_int_equal(c[SUB_B].punted[FCN_PUNT_KIND_NEIGHBOUR], 1);
	/* A VLAN that nobody has is nobody's business. */
	tag(&out, 0x8100, 300);
	bench_send(0, &out, 2);
	assert_false(fcn_punt_dequeue(bench.worker->punts, FCN_PUNT_KIND_NEIGHBOUR, &punt));
	assert_int_equal(c[0].drop[FCN_DROP_VLAN_UNEXPECTED], 1);

	/* And back. */
	inject.mbuf = punt.mbuf;
	assert_int_equal(rte_ring_enqueue_elem(bench.worker->injects, &inject, sizeof(inject)), 0);
	bench_poll(3);
	untag(&out);
	tag(&out, 0x8100, 7 << 13 | 200);
	assert_int_equal(bench_out_len(0, 0), out.len);
	assert_memory_equal(bench_only_out(0), out.data, out.len);
	assert_int_equal(c[SUB_B].injected, 1);
	assert_sub(SUB_B, 1, out.len - TAG_LEN, 1, out.len - TAG_LEN);

	/* To one that is gone meanwhile. */
	bench.snap.port[SUB_B] = (struct fcn_snapshot_port){.parent = SUB_B};
	inject.mbuf = rte_pktmbuf_alloc(bench.pool);
	rte_pktmbuf_append(inject.mbuf, 60);
	assert_int_equal(rte_ring_enqueue_elem(bench.worker->injects, &inject, sizeof(inject)), 0);
	bench_poll(4);
	assert_int_equal(c[SUB_B].drop[FCN_DROP_PORT_GONE], 1);
}

/* Pause frames have no tag (IEEE 802.1Q section 36): one that has is nothing. */
TEST(tagged_pause)
{
	struct frame f;

	bench_pfc_rx(0, 0xFF);
	frame_pfc(&f, 0xFF, 65535);
	tag(&f, 0x8100, 100);
	bench_send(0, &f, 1);
	assert_int_equal(bench.worker->port[0].pause.stopped, 0);
	assert_int_equal(bench.worker->counters[SUB_A].drop[FCN_DROP_ETHER_TYPE], 1);
}

/* A number that is given to another: counters from 0, the packet accounting as it was. */
TEST(renew)
{
	struct fcn_conservation before = {0}, after = {0};
	struct frame in;

	packet(&in, 1, 1, LEN);
	tag(&in, 0x8100, 100);
	bench_send(0, &in, 1);
	assert_int_equal(bench.worker->counters[SUB_A].drop[FCN_DROP_NOT_MY_MAC], 1);
	fcn_worker_conservation(bench.worker, &before);
	fcn_worker_group_port_renew(&bench.worker, 1, SUB_A);
	fcn_worker_conservation(bench.worker, &after);
	assert_memory_equal(&before, &after, sizeof(before));
	assert_sub(SUB_A, 0, 0, 0, 0);
	assert_int_equal(bench.worker->counters[SUB_A].drop[FCN_DROP_NOT_MY_MAC], 0);
}
