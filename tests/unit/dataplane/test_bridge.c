/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Bridged frames: learning, flooding, VLANs, and who may not pass. */

#include "testbed.h"
#include "port_bits.h"

static int
setup(void **state)
{
	bench_setup(state);
	bench_bridge(4);
	return 0;
}

TEST_FIXTURE(FCN_TEST_EAL, .setup = setup, .teardown = bench_teardown);

/* A frame of some type between stations dst and src, with n payload octets. */
static void
plain(struct frame *f, uint8_t dst, uint8_t src, uint32_t n)
{
	frame_ether(f, 0x88B5);
	memset(frame_zero(f, n), 0x5A, n);
	frame_macs(f, dst, src);
}

static void
tagged(struct frame *f, uint8_t dst, uint8_t src, uint16_t tci)
{
	frame_ether(f, 0x88B5);
	frame_vlan(f, 0x8100, tci);
	memset(frame_zero(f, 46), 0x5A, 46);
	frame_macs(f, dst, src);
}

static uint64_t
replicated(void)
{
	uint64_t n = 0;

	for (unsigned int p = 0; p < bench.snap.n_ports; p++)
		n += bench.worker->counters[p].replicated;
	return n;
}

/* Station n is behind port p. */
static void
teach(uint8_t n, uint16_t p)
{
	struct frame f;

	plain(&f, 200, n, 46);
	bench_send(p, &f, 1);
}

TEST(flood_and_learn)
{
	struct frame f, back;

	plain(&f, 2, 1, 100);
	bench_send(0, &f, 1);
	for (unsigned int p = 1; p < 4; p++) {
		assert_int_equal(bench.port[p].n_out, 1);
		assert_int_equal(bench_out_len(p, 0), f.len);
		assert_memory_equal(bench_out(p, 0), f.data, f.len);
		/* bytes of their own */
		for (unsigned int q = 1; q < p; q++)
			assert_ptr_not_equal(bench_out(p, 0), bench_out(q, 0));
	}
	assert_int_equal(bench.port[0].n_out, 0);
	assert_int_equal(replicated(), 2);
	plain(&back, 1, 2, 46);
	bench_send(3, &back, 2);
	assert_memory_equal(bench_only_out(0), back.data, back.len);
	bench_send(0, &f, 3);
	assert_memory_equal(bench_only_out(3), f.data, f.len);
	assert_int_equal(replicated(), 2);
	/* It moves. */
	bench_send(2, &back, 4);
	bench_send(0, &f, 5);
	bench_only_out(2);
}

/* Of a burst all sources are learned before any destination is looked up. */
TEST(learning_first)
{
	struct frame f, back;

	plain(&f, 2, 1, 46);
	plain(&back, 1, 2, 46);
	bench_in(0, &f);
	bench_send(3, &back, 1);
	assert_int_equal(bench.port[3].n_out, 1);
	assert_int_equal(bench.port[0].n_out, 1);
	assert_int_equal(bench_n_out(), 2);
	assert_int_equal(replicated(), 0);
}

TEST(group_addresses)
{
	static const struct {
		uint8_t dst[6];
		enum fcn_drop_reason want;
	} cases[] = {
			{{0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF}, FCN_DROP_NONE},
			{{0x33, 0x33, 0, 0, 0, 1}, FCN_DROP_NONE},
			{{0x01, 0x80, 0xC2, 0, 0, 0x00}, FCN_DROP_RESERVED_MAC},
			{{0x01, 0x80, 0xC2, 0, 0, 0x0F}, FCN_DROP_RESERVED_MAC},
			{{0x01, 0x80, 0xC2, 0, 0, 0x10}, FCN_DROP_NONE},
			{{0x01, 0x80, 0xC2, 0, 1, 0x00}, FCN_DROP_NONE},
	};
	uint64_t dropped = 0;
	struct frame f;

	for (size_t i = 0; i < RTE_DIM(cases); i++) {
		plain(&f, 0, 1, 46);
		memcpy(f.data, cases[i].dst, 6);
		bench_send(1, &f, 1);
		dropped += cases[i].want != FCN_DROP_NONE;
		assert_int_equal(bench_drops(FCN_DROP_RESERVED_MAC), dropped);
		assert_int_equal(bench_n_out(), cases[i].want == FCN_DROP_NONE ? 3 : 0);
	}
	/* A source that is a group is refused, and not learned. */
	plain(&f, 2, 1, 46);
	f.data[6] |= 1;
	bench_send(1, &f, 1);
	assert_int_equal(bench_drops(FCN_DROP_SOURCE_MAC), 1);
	assert_int_equal(fcn_mac_table_count(bench.worker->macs), 1);
}

TEST(same_port)
{
	struct frame f;

	teach(2, 0);
	plain(&f, 2, 1, 46);
	bench_send(0, &f, 2);
	assert_int_equal(bench_drops(FCN_DROP_SAME_PORT), 1);
	assert_int_equal(bench_n_out(), 0);
}

TEST(alone)
{
	struct frame f;

	bench_bridge(1);
	plain(&f, 2, 1, 46);
	bench_send(0, &f, 1);
	assert_int_equal(bench_drops(FCN_DROP_NO_FLOOD_PORT), 1);
}

static void
set_tagged(uint16_t port, uint16_t vlan)
{
	bench.snap.port[port].tagged[vlan / 64] |= 1ull << (vlan % 64);
}

/* Port 0: 10 untagged; 1: 10 and 20 tagged, 1 untagged; 2: 20 untagged; 3: 10 tagged, no untagged.
 */
static void
vlans(void)
{
	bench.snap.port[0].pvid = 10;
	bench.snap.port[2].pvid = 20;
	bench.snap.port[3].pvid = 0;
	set_tagged(1, 10);
	set_tagged(1, 20);
	set_tagged(3, 10);
}

static void
assert_frame(uint16_t port, const struct frame *want)
{
	assert_int_equal(bench.port[port].n_out, 1);
	assert_int_equal(bench_out_len(port, 0), want->len);
	assert_memory_equal(bench_out(port, 0), want->data, want->len);
}

TEST(vlan_out)
{
	struct frame f, want;

	vlans();
	/* Untagged in 10: out with a tag, its priority the class; not an IP packet: class 0. */
	plain(&f, 2, 1, 46);
	tagged(&want, 2, 1, 10);
	bench_send(0, &f, 1);
	assert_frame(1, &want);
	assert_frame(3, &want);
	assert_int_equal(bench_n_out(), 2);
	/* IPv6 of DSCP 24 is class 3. */
	frame_roce6(&f, 1, 1, 2, 10);
	frame_macs(&f, 2, 1);
	frame_ether(&want, 0x86DD);
	frame_vlan(&want, 0x8100, 3 << 13 | 10);
	frame_put(&want, f.data + 14, f.len - 14);
	frame_macs(&want, 2, 1);
	bench_send(0, &f, 2);
	assert_frame(1, &want);
	/* Tagged 10 with priority 5 and DEI: untagged to port 0, as it is to port 3. */
	tagged(&f, 2, 3, 5 << 13 | 1 << 12 | 10);
	plain(&want, 2, 3, 46);
	bench_send(1, &f, 3);
	assert_frame(0, &want);
	assert_frame(3, &f);
	assert_int_equal(bench_n_out(), 2);
	/* 20 goes from the tagged port to the untagged one and nowhere else. */
	tagged(&f, 2, 3, 20);
	plain(&want, 2, 3, 46);
	bench_send(1, &f, 4);
	assert_frame(2, &want);
	assert_int_equal(bench_n_out(), 1);
	/* A priority tag counts as none: its priority goes on where tags are wanted. */
	tagged(&f, 2, 1, 6 << 13);
	tagged(&want, 2, 1, 6 << 13 | 10);
	bench_send(0, &f, 5);
	assert_frame(1, &want);
	assert_int_equal(bench_all_drops(), 0);
}

TEST(vlan_in)
{
	struct frame f;
	uint64_t dropped = 0;

	vlans();
	plain(&f, 2, 1, 46); /* no untagged frames */
	bench_send(3, &f, 1);
	assert_int_equal(bench_drops(FCN_DROP_VLAN_NOT_MEMBER), ++dropped);
	tagged(&f, 2, 1, 3 << 13); /* nor those tagged for the priority */
	bench_send(3, &f, 1);
	assert_int_equal(bench_drops(FCN_DROP_VLAN_NOT_MEMBER), ++dropped);
	tagged(&f, 2, 1, 20); /* no member */
	bench_send(3, &f, 1);
	assert_int_equal(bench_drops(FCN_DROP_VLAN_NOT_MEMBER), ++dropped);
	tagged(&f, 2, 1, 4095); /* reserved */
	bench_send(3, &f, 1);
	assert_int_equal(bench_drops(FCN_DROP_VLAN_NOT_MEMBER), ++dropped);
	assert_int_equal(fcn_mac_table_count(bench.worker->macs), 0);
	tagged(&f, 2, 1, 10); /* the port's own VLAN may come with a tag */
	bench_send(0, &f, 1);
	assert_frame(1, &f);
	assert_int_equal(bench_n_out(), 2);
	assert_int_equal(bench_drops(FCN_DROP_VLAN_NOT_MEMBER), dropped);
}

/* What is learned in one VLAN is not known in another. */
TEST(vlan_learning)
{
	struct frame f;

	vlans();
	tagged(&f, 200, 7, 10);
	bench_send(3, &f, 1);
	tagged(&f, 7, 8, 20);
	bench_in(1, &f);
	bench_poll(2); /* 20 floods to port 2 */
	assert_int_equal(bench.port[2].n_out, 1);
	assert_int_equal(bench.port[3].n_out, 0);
	tagged(&f, 7, 8, 10);
	bench_send(1, &f, 3);
	bench_only_out(3);
}

/* A station behind a port that has left the bridge, or the VLAN, is anywhere. */
TEST(port_leaves)
{
	struct frame f;

	teach(2, 3);
	fcn_port_set_remove(&bench.snap.bridge[0].members, 3);
	bench.snap.port[3].mode = FCN_PORT_ROUTED;
	plain(&f, 2, 1, 46);
	bench_send(0, &f, 2);
	assert_int_equal(bench.port[1].n_out, 1);
	assert_int_equal(bench.port[2].n_out, 1);
	assert_int_equal(bench_n_out(), 2);
	/* Back, in another VLAN. */
	bench_bridge(4);
	bench.snap.port[3].pvid = 9;
	bench_send(0, &f, 3);
	assert_int_equal(bench.port[3].n_out, 0);
	assert_int_equal(bench_n_out(), 2);
}

TEST(two_bridges)
{
	struct frame f;

	teach(2, 3);
	bench.snap.bridge[0].members = ports_of(3);
	bench.snap.bridge[5] = (struct fcn_snapshot_bridge){
			.used = true, .ageing_ns = 1000000, .members = ports_of(3 << 2)};
	bench.snap.port[2].bridge = bench.snap.port[3].bridge = 5;
	plain(&f, 200, 1, 46);
	bench_send(0, &f, 1);
	bench_only_out(1);
	plain(&f, 2, 9, 46); /* what bridge 0 learned on port 3 is not bridge 5's */
	bench_send(2, &f, 2);
	bench_only_out(3);
}

TEST(ageing)
{
	struct frame f;

	bench.snap.bridge[0].ageing_ns = bench.snap.mac_ageing_ns = 1000000;
	teach(2, 3); /* at 1 */
	plain(&f, 2, 1, 46);
	bench_send(0, &f, 1000001);
	bench_only_out(3);
	bench_send(0, &f, 1000002);
	assert_int_equal(bench_n_out(), 3);
	/* Their places become free without traffic. */
	for (uint64_t t = 3000000; fcn_mac_table_count(bench.worker->macs) > 0; t += 1000000) {
		bench_poll(t);
		assert_true(t < 1000000000);
	}
}

TEST(mtu)
{
	struct frame f;

	teach(2, 3);
	bench.snap.port[3].mtu = 1400;
	plain(&f, 2, 1, 1400);
	bench_send(0, &f, 2);
	bench_only_out(3);
	plain(&f, 2, 1, 1401);
	bench_send(0, &f, 3);
	assert_int_equal(bench_drops(FCN_DROP_MTU), 1);
	plain(&f, 2, 1, 1501);
	bench_send(0, &f, 4);
	assert_int_equal(bench_drops(FCN_DROP_RX_OVERSIZE), 1);
	/* Flooded, it goes where it fits. */
	plain(&f, 50, 1, 1500);
	bench_send(0, &f, 5);
	assert_int_equal(bench_n_out(), 2);
	assert_int_equal(bench_drops(FCN_DROP_MTU), 2);
	/* A tag does not count. */
	bench.snap.port[3].mtu = 1500;
	bench.snap.port[3].pvid = 0;
	set_tagged(3, 1);
	plain(&f, 60, 1, 1500);
	bench_send(0, &f, 6);
	assert_int_equal(bench_out_len(3, 0), 1518);
}

TEST(headroom)
{
	struct rte_mbuf *m;
	struct frame f;

	bench.snap.port[3].pvid = 0;
	set_tagged(3, 1);
	teach(2, 0);
	frame_ether(&f, 0x88B5);
	frame_vlan(&f, 0x8100, 1);
	frame_zero(&f, 46);
	frame_macs(&f, 200, 3);
	bench_send(3, &f, 2);
	plain(&f, 3, 2, 46);
	m = bench_in(0, &f);
	m->data_off = 4; /* just enough */
	memcpy(rte_pktmbuf_mtod(m, void *), f.data, f.len);
	bench_poll(3);
	assert_int_equal(bench_out_len(3, 0), f.len + 4);
	m = bench_in(0, &f);
	m->data_off = 2;
	memcpy(rte_pktmbuf_mtod(m, void *), f.data, f.len);
	bench_poll(4);
	assert_int_equal(bench_drops(FCN_DROP_HEADROOM), 1);
}

/* Eight ports, each a full burst of unknown addresses: 256 frames, 6 copies each and itself. */
TEST(flood_limit)
{
	struct frame f;

	for (uint16_t p = 4; p < 8; p++)
		bench_add_port(p);
	bench_bridge(8);
	for (uint16_t p = 0; p < 8; p++) {
		for (unsigned int i = 0; i < 32; i++) {
			plain(&f, 200, p, 46);
			bench_in(p, &f);
		}
	}
	bench_poll(1);
	assert_int_equal(bench.worker->counters[0].rx_packets, 32);
	assert_int_equal(replicated(), 256 * 6);
	assert_int_equal(bench_drops(FCN_DROP_FLOOD_LIMIT), 256 * 6 - 256);
	assert_int_equal(bench_n_out(), 256 + 256);
}

TEST(no_buffer)
{
	static struct rte_mbuf *all[BENCH_POOL];
	unsigned int n = 0;
	struct frame f;

	plain(&f, 200, 1, 46);
	bench_in(0, &f);
	while ((all[n] = rte_pktmbuf_alloc(bench.pool)) != NULL)
		n++;
	bench_poll(1);
	assert_int_equal(bench_drops(FCN_DROP_NO_MBUF), 2);
	bench_only_out(3); /* the frame itself, to the last */
	rte_pktmbuf_free_bulk(all, n);
}

/* Marked in one queue, a copy leaves the others as they are. */
TEST(copies_are_whole)
{
	struct frame f;

	bench_notices(1, 1);
	bench.snap.notify.on = 0;
	frame_roce6(&f, 1, 1, 2, 3000); /* chained */
	frame_macs(&f, 200, 1);
	for (unsigned int p = 0; p < 4; p++)
		bench.snap.port[p].mtu = 9000;
	bench_send(0, &f, 1);
	assert_int_equal(bench_out(1, 0)[15] & 0x30, 0x30);
	assert_int_equal(bench_out(2, 0)[15] & 0x30, 0x10);
	assert_int_equal(bench_out(3, 0)[15] & 0x30, 0x10);
	assert_int_equal(bench_out_len(1, 0), f.len);
	assert_int_equal(bench_out_len(2, 0), f.len);
}
