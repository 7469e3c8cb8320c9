/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* The switch as a station of a bridge: port 9 is its interface in VLAN 1, port 10 that in VLAN 20.
 */

#include "fcn_punt.h"
#include "fcn_stages.h"
#include "port_bits.h"
#include "testbed.h"

#define UNTAGGED 9
#define TAGGED 10
#define VLAN 20

static const uint8_t address[16] = {0x20, 1, 0xd, 0xb8, [15] = 0xFE};
static const uint8_t other[16] = {0x20, 1, 0xd, 0xb8, [15] = 0x77};
static struct fcn_addr own[2] = {
		{.version = 6, .bytes = {0x20, 1, 0xd, 0xb8, [15] = 0xFE}},
		{.version = 4, .bytes = {192, 0, 2, 1}},
};

static struct rte_ring *
make_ring(const char *name, unsigned int size)
{
	struct rte_ring *r = rte_ring_create_elem(name, size, 64, SOCKET_ID_ANY, 0);

	assert_non_null(r);
	return r;
}

static void
add_interface(uint16_t number, uint16_t vlan)
{
	bench.snap.port[number] = (struct fcn_snapshot_port){
			.mode = FCN_PORT_BRIDGE_INTERFACE,
			.mac = {{2, 0, 0, 0, 0, 10 + number}},
			.mtu = 1500,
			.parent = number,
			.vlan = vlan,
			.own = own,
			.n_own = RTE_DIM(own),
	};
	fcn_port_set_add(&bench.snap.bridge[0].interfaces, number);
}

static int
setup(void **state)
{
	bench_setup(state);
	bench_bridge(4);
	bench.snap.port[2].tagged[VLAN / 64] |= 1ull << VLAN % 64;
	bench.snap.port[3].tagged[VLAN / 64] |= 1ull << VLAN % 64;
	add_interface(UNTAGGED, 1);
	add_interface(TAGGED, VLAN);
	bench_punts();
	bench.worker->injects = make_ring("b_injects", sizeof(struct fcn_inject));
	bench_new_snapshot();
	return 0;
}

TEST_FIXTURE(FCN_TEST_EAL, .setup = setup, .teardown = bench_teardown);

/* ICMPv6 of a type with a target behind its header, as ND has it, to an IPv6 address. */
static void
icmp6(struct frame *f, uint16_t vlan, const uint8_t mac[6], const uint8_t dst[16], uint8_t type,
		const uint8_t target[16])
{
	uint8_t *ip, *icmp;

	frame_ether(f, 0x86DD);
	if (vlan != 0) {
		frame_vlan(f, 0x8100, vlan);
		memcpy(f->data + 16, (uint8_t[]){0x86, 0xDD}, 2);
	}
	ip = frame_zero(f, 40);
	ip[0] = 0x60;
	ip[5] = 24;
	ip[6] = 58;
	ip[7] = 255;
	memcpy(ip + 8, other, 16);
	memcpy(ip + 24, dst, 16);
	icmp = frame_zero(f, 24);
	icmp[0] = type;
	memcpy(icmp + 8, target, 16);
	memcpy(f->data, mac, 6);
	memcpy(f->data + 6, (uint8_t[]){2, 0, 0, 0, 1, 1}, 6);
}

static void
solicit(struct frame *f, uint16_t vlan, const uint8_t target[16])
{
	static const uint8_t group[16] = {0xFF, 2, [11] = 1, [12] = 0xFF, [15] = 0xFE};

	icmp6(f, vlan, (uint8_t[]){0x33, 0x33, 0xFF, 0, 0, 0xFE}, group, 135, target);
}

static bool
punted(struct fcn_punt *punt)
{
	for (unsigned int k = 0; k < FCN_PUNT_KIND_COUNT; k++) {
		if (fcn_punt_dequeue(bench.worker->punts, k, punt))
			return true;
	}
	return false;
}

static void
assert_punted(const struct frame *f, uint16_t in_port, uint16_t interface, uint8_t reason)
{
	struct fcn_punt punt;

	assert_true(punted(&punt));
	assert_int_equal(punt.in_port, in_port); /* what it takes is that port's */
	assert_int_equal(punt.interface, interface);
	assert_int_equal(punt.reason, reason);
	assert_int_equal(punt.mbuf->pkt_len, f->len);
	assert_memory_equal(rte_pktmbuf_mtod(punt.mbuf, void *), f->data, f->len);
	rte_pktmbuf_free(punt.mbuf);
	assert_false(punted(&punt));
}

/* A question for its address: it has a copy, without tag; the others have the frame as ever. */
TEST(groups)
{
	struct frame f, plain;
	struct fcn_punt punt;

	solicit(&f, 0, address);
	bench_send(1, &f, 1);
	assert_int_equal(bench_n_out(), 3);
	assert_memory_equal(bench_out(0, 0), f.data, f.len);
	assert_punted(&f, 1, UNTAGGED, FCN_PUNT_LINK);
	assert_int_equal(bench.worker->counters[1].consumed, 1);
	/* in a VLAN */
	plain = f;
	solicit(&f, VLAN, address);
	bench_send(2, &f, 2);
	assert_int_equal(bench_n_out(), 1);
	assert_memory_equal(bench_out(3, 0), f.data, f.len);
	assert_punted(&plain, 2, TAGGED, FCN_PUNT_LINK);
	/* Questions for others are none of its business, nor is what is cut short. */
	solicit(&f, 0, other);
	bench_send(1, &f, 3);
	assert_int_equal(bench_n_out(), 3);
	solicit(&f, 0, address);
	f.len -= 1;
	bench_send(1, &f, 4);
	assert_int_equal(bench_n_out(), 3);
	assert_false(punted(&punt));
}

TEST(arp)
{
	struct fcn_punt punt;
	struct frame f;
	uint8_t *arp;

	for (unsigned int k = 0; k < 3; k++) {
		frame_ether(&f, 0x0806);
		arp = frame_zero(&f, 46);
		memcpy(arp, (uint8_t[]){0, 1, 8, 0, 6, 4, 0, 1}, 8);
		memcpy(arp + 14, (uint8_t[]){192, 0, 2, k == 1 ? 1 : 9}, 4);
		memcpy(arp + 24, (uint8_t[]){192, 0, 2, k == 0 ? 1 : 8}, 4);
		memset(f.data, 0xFF, 6);
		memcpy(f.data + 6, (uint8_t[]){2, 0, 0, 0, 1, 1}, 6);
		bench_send(0, &f, 1 + k);
		assert_int_equal(bench_n_out(), 3);
		if (k < 2)
			assert_punted(&f, 0, UNTAGGED, FCN_PUNT_ARP);
	}
	assert_false(punted(&punt));
}

/* To its MAC address: never flooded; to its IP address, or of no use. */
TEST(unicast)
{
	static const uint8_t mac[6] = {2, 0, 0, 0, 0, 10 + UNTAGGED};
	static const uint8_t mac_tagged[6] = {2, 0, 0, 0, 0, 10 + TAGGED};
	struct fcn_punt punt;
	struct frame f;

	icmp6(&f, 0, mac, address, 4, other); /* Parameter Problem */
	bench_send(1, &f, 1);
	assert_int_equal(bench_n_out(), 0);
	assert_punted(&f, 1, UNTAGGED, FCN_PUNT_LOCAL);
	icmp6(&f, 0, mac, other, 4, other);
	bench_send(1, &f, 2);
	assert_int_equal(bench_n_out(), 0);
	assert_int_equal(bench_drops(FCN_DROP_BRIDGE_INTERFACE), 1);
	/* That of another VLAN is a station like others. */
	icmp6(&f, 0, mac_tagged, address, 4, other);
	bench_send(1, &f, 3);
	assert_int_equal(bench_n_out(), 3);
	assert_false(punted(&punt));
	/* Without host functions nothing takes it. */
	bench.snap.punt = 0;
	icmp6(&f, 0, mac, address, 4, other);
	bench_send(1, &f, 4);
	assert_int_equal(bench_drops(FCN_DROP_LOCAL), 1);
}

/* Nobody else is believed to have its MAC address. */
TEST(stolen_mac)
{
	static const uint8_t mac[6] = {2, 0, 0, 0, 0, 10 + UNTAGGED};
	struct frame f;

	icmp6(&f, 0, (uint8_t[]){2, 0, 9, 9, 9, 9}, other, 4, other);
	memcpy(f.data + 6, mac, 6);
	bench_send(3, &f, 1);
	assert_int_equal(bench_drops(FCN_DROP_SOURCE_MAC), 1);
	assert_int_equal(fcn_mac_table_count(bench.worker->macs), 0);
	icmp6(&f, 0, mac, address, 4, other);
	bench_send(1, &f, 2);
	assert_punted(&f, 1, UNTAGGED, FCN_PUNT_LOCAL);
}

/* An address that a station had before the interface got it: what was learned of it is forgotten.
 */
TEST(learned_before)
{
	static const uint8_t mac[6] = {2, 0, 0, 0, 7, 7};
	struct frame f;

	icmp6(&f, 0, (uint8_t[]){2, 0, 9, 9, 9, 9}, other, 4, other);
	memcpy(f.data + 6, mac, 6);
	bench_send(3, &f, 1);
	assert_int_equal(fcn_mac_table_count_port(bench.worker->macs, 3), 1);
	bench_forget_out();
	memcpy(&bench.snap.port[UNTAGGED].mac, mac, 6);
	bench_new_snapshot();
	bench_in(3, &f); /* by the same port again */
	bench_poll(2);
	assert_int_equal(bench_drops(FCN_DROP_SOURCE_MAC), 1);
	assert_int_equal(bench_n_out(), 0);
	assert_int_equal(fcn_mac_table_count(bench.worker->macs), 0);
	icmp6(&f, 0, mac, address, 4, other);
	bench_send(1, &f, 3);
	assert_punted(&f, 1, UNTAGGED, FCN_PUNT_LOCAL);
}

/* Another's frame with its MAC address, by a port whose part of the table is used up: nothing can
 * be learned there, and the frame does not pass either. */
TEST(stolen_mac_at_the_limit)
{
	static const uint8_t mac[6] = {2, 0, 0, 0, 0, 10 + UNTAGGED};
	struct frame f;

	bench.snap.port[3].mac_limit = 1;
	bench_new_snapshot();
	icmp6(&f, 0, (uint8_t[]){2, 0, 9, 9, 9, 9}, other, 4, other);
	bench_send(3, &f, 1);
	assert_int_equal(fcn_mac_table_count(bench.worker->macs), 1);
	bench_forget_out();
	memcpy(f.data + 6, mac, 6);
	bench_send(3, &f, 2);
	assert_int_equal(bench_drops(FCN_DROP_SOURCE_MAC), 1);
	assert_int_equal(bench.port[0].n_out + bench.port[1].n_out + bench.port[2].n_out, 0);
	/* It was not to be learned, so no limit kept it out. */
	assert_int_equal(bench.worker->counters[3].mac_limit, 0);
	assert_int_equal(fcn_mac_table_count(bench.worker->macs), 1);
}

static void
inject(const struct frame *f, uint16_t interface)
{
	struct fcn_inject in = {.out_port = interface, .class = 7};

	in.mbuf = rte_pktmbuf_alloc(bench.pool);
	memcpy(rte_pktmbuf_append(in.mbuf, f->len), f->data, f->len);
	assert_int_equal(rte_ring_enqueue_elem(bench.worker->injects, &in, sizeof(in)), 0);
}

/* What it sends goes to the port behind which the station is, in its VLAN; or to all. */
TEST(inject)
{
	struct frame f, in;

	icmp6(&f, 0, (uint8_t[]){2, 0, 0, 0, 1, 1}, other, 136, address);
	memcpy(f.data + 6, (uint8_t[]){2, 0, 0, 0, 0, 10 + UNTAGGED}, 6);
	inject(&f, UNTAGGED);
	bench_poll(1);
	assert_int_equal(bench_n_out(), 4);
	inject(&f, TAGGED);
	bench_poll(2);
	assert_int_equal(bench_n_out(), 2);
	assert_int_equal(bench_out_len(2, 0), f.len + 4);
	/* priority is the class */
	assert_memory_equal(
			bench_out(3, 0) + 12, ((uint8_t[]){0x81, 0, 7 << 5, VLAN, 0x86, 0xDD}), 6);
	solicit(&in, VLAN, other); /* station 1 is behind port 3, in that VLAN */
	bench_send(3, &in, 3);
	inject(&f, TAGGED);
	bench_poll(4);
	assert_memory_equal(bench_only_out(3), f.data, 12);
	assert_int_equal(bench.worker->counters[TAGGED].injected, 2);
	assert_int_equal(bench.worker->counters[TAGGED].sub_tx_packets, 2);
	/* A turn that receives nothing: nothing of the last one goes out again. */
	bench_poll(5);
	assert_int_equal(bench_n_out(), 0);
	/* The bridge has no port with a link. */
	bench.snap.bridge[0].members = ports_of(0);
	bench_new_snapshot();
	inject(&f, UNTAGGED);
	bench_poll(6);
	assert_int_equal(bench_drops(FCN_DROP_NO_FLOOD_PORT), 1);
}

/* Copies of what it sends go out once, whatever path the packets take that the next turn receives.
 */
TEST(turn_after_copies)
{
	struct frame f, forth, back;

	icmp6(&f, 0, (uint8_t[]){2, 0, 0, 0, 9, 9}, other, 136, address);
	frame_roce6(&forth, 1, 1, 2, 64);
	frame_macs(&forth, 2, 1);
	frame_roce6(&back, 2, 1, 1, 64);
	frame_macs(&back, 1, 2);
	bench_send(0, &forth, 1); /* now both are known */
	bench_send(1, &back, 2);
	/* The fast path lets packets wait for the stages where a queue may become congested. */
	bench_notices(1, 1);
	bench_new_snapshot();
	for (unsigned int turn = 0; turn < 200; turn++) {
		bench.worker->fast = turn < 10 ? NULL : fcn_fast_path_choose();
		inject(&f, UNTAGGED);
		bench_poll(3 + 2 * turn);
		assert_int_equal(bench_n_out(), 4);
		for (unsigned int i = 0; i < 8; i++)
			bench_in(0, &forth);
		bench_poll(4 + 2 * turn);
		assert_int_equal(bench.port[1].n_out, 8);
		assert_int_equal(bench.port[2].n_out + bench.port[3].n_out, 0);
	}
}
