/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * The option with the address of a proxy at the edges of the domain: inserted where packets of
 * senders come in, removed where they leave, and left out where it makes packets too long.
 */

#include "proxy_edge.h"
#include "fcn_proxy_option.h"
#include "port_bits.h"

#define TYPE 0x1E
#define MTU 1500

static const uint8_t header[OPTION_LEN] = {
		17, 2, 0x01, 0x02, 0, 0, TYPE, 16, 0x20, 0x01, 0x0D, 0xB8, 0x00, 0x0F, [23] = 0x03};

/* The option is inserted at port 0, removed at port 2, both at port 3; port 1 does neither. */
static int
setup(void **state)
{
	static const enum fcn_proxy_edge edges[4] = {
			FCN_PROXY_EDGE_INSERT, 0, FCN_PROXY_EDGE_REMOVE, FCN_PROXY_EDGE_BOTH};
	struct fcn_proxy_prefix sender = {.origin = FCN_PROXY_STATIC};

	bench_setup(state);
	for (unsigned int p = 0; p < 4; p++) {
		char prefix[32];

		snprintf(prefix, sizeof(prefix), "2001:db8:%x::/48", p);
		bench_route(prefix, p + 4);
		bench.snap.port[p].proxy_option = edges[p];
	}
	bench_routes_done();
	assert_int_equal(fcn_prefix_parse("2001:db8::/64", &sender.prefix), 0);
	assert_int_equal(fcn_addr_parse("2001:db8:f::3", &sender.proxy), 0);
	bench.snap.proxy_edge = (struct fcn_proxy_edge_conf){
			.any_insert = true,
			.any_remove = true,
			.too_big = FCN_PROXY_TOO_BIG_OMIT,
			.senders = fcn_proxy_map_create("test", &sender, 1, SOCKET_ID_ANY),
	};
	assert_non_null(bench.snap.proxy_edge.senders);
	bench.snap.codes = fcn_parse_default_codes;
	bench_punts();
	bench_new_snapshot();
	return 0;
}

static int
teardown(void **state)
{
	struct fcn_proxy_map *senders = bench.snap.proxy_edge.senders;
	int rc;

	fcn_punt_queues_free(bench.worker->punts);
	bench.worker->punts = NULL;
	rc = bench_teardown(state);
	fcn_proxy_map_free(senders);
	return rc;
}

TEST_FIXTURE(FCN_TEST_EAL, .setup = setup, .teardown = teardown);

/* From one port to another, with its ICRC. */
static void
make(struct frame *f, uint16_t in, uint16_t out, uint32_t payload)
{
	frame_roce6(f, 1, out, 9, payload);
	frame_to_port(f, in, 1);
	for (uint32_t i = 0; i < payload; i++)
		f->data[f->len - 5 - i] = (uint8_t)(17 * i);
	ioam_finish(f, REF_SKIP, true);
}

/* All pairs of ports, for packets without the option and with it. */
TEST(every_way)
{
	uint64_t inserted[4] = {0}, present[4] = {0}, removed[4] = {0};
	struct frame plain, with;

	for (uint16_t in = 0; in < 4; in++) {
		for (uint16_t out = 0; out < 4; out++) {
			const bool inserts = in == 0 || in == 3, removes = out >= 2;

			make(&plain, in, out, 100);
			make_with(&with, &plain);
			bench_in(in, &plain);
			bench_send(in, &with, 1 + in * 4 + out);
			assert_int_equal(bench.port[out].n_out, 2);
			assert_routed(out, 0, inserts && !removes ? &with : &plain);
			assert_routed(out, 1, removes ? &plain : &with);
			inserted[in] += inserts;
			present[in] += inserts;
			removed[in] += removes ? 1u + inserts : 0;
		}
	}
	for (uint16_t p = 0; p < 4; p++) {
		const struct fcn_port_counters *c = &bench.worker->counters[p];

		assert_int_equal(c->proxy_inserted, inserted[p]);
		assert_int_equal(c->proxy_present, present[p]);
		assert_int_equal(c->proxy_removed, removed[p]);
		assert_int_equal(c->proxy_unfit + c->proxy_omitted + c->proxy_stuck, 0);
	}
	assert_int_equal(bench_all_drops(), 0);
	/* Off everywhere. */
	bench.snap.proxy_edge.any_insert = bench.snap.proxy_edge.any_remove = false;
	make(&plain, 0, 1, 100);
	bench_send(0, &plain, 100);
	assert_routed(1, 0, &plain);
}

/* Who gets no option: other senders, ICMPv6, groups, IPv4; who cannot: fragments and tunnels. */
TEST(without)
{
	const struct fcn_port_counters *c = &bench.worker->counters[0];
	struct frame f;

	make(&f, 0, 1, 100);
	f.data[14 + 8 + 7] = 1; /* 2001:db8:0:1::1 */
	ioam_finish(&f, REF_SKIP, true);
	bench_send(0, &f, 1);
	assert_routed(1, 0, &f);
	make(&f, 0, 1, 100);
	f.data[14 + 6] = IPPROTO_ICMPV6;
	bench_send(0, &f, 2);
	assert_routed(1, 0, &f);
	assert_int_equal(c->proxy_unfit, 0);
	frame_ether(&f, 0x86DD);
	frame_ip6(&f, IPPROTO_FRAGMENT);
	memcpy(frame_zero(&f, 8), (const uint8_t[8]){17, 0, 0, 1, 0, 0, 0, 7}, 8);
	frame_zero(&f, 80);
	frame_finish(&f);
	frame_to_port(&f, 0, 1);
	f.data[14 + 24 + 5] = 1;
	bench_send(0, &f, 3);
	assert_routed(1, 0, &f);
	assert_int_equal(c->proxy_unfit, 1);
	frame_ether(&f, 0x86DD);
	frame_ip6(&f, IPPROTO_IPV6);
	frame_ip6(&f, IPPROTO_UDP);
	frame_roce(&f, 80);
	frame_finish(&f);
	frame_to_port(&f, 0, 1);
	f.data[14 + 24 + 5] = 1;
	bench_send(0, &f, 4);
	assert_routed(1, 0, &f);
	assert_int_equal(c->proxy_unfit, 2);
	assert_int_equal(c->proxy_inserted, 0);
}

static bool
take(struct fcn_punt *punt)
{
	for (unsigned int k = 0; k < FCN_PUNT_KIND_COUNT; k++) {
		if (fcn_punt_dequeue(bench.worker->punts, k, punt))
			return true;
	}
	return false;
}

/* The host functions get a packet as it was received. */
static void
assert_punted(const struct frame *f, enum fcn_punt_reason reason, uint16_t mtu)
{
	struct fcn_punt punt;

	assert_true(take(&punt));
	assert_int_equal(punt.reason, reason);
	assert_int_equal(punt.mtu, mtu);
	assert_int_equal(punt.mbuf->pkt_len, f->len);
	assert_memory_equal(rte_pktmbuf_mtod(punt.mbuf, uint8_t *), f->data, f->len);
	rte_pktmbuf_free(punt.mbuf);
	assert_false(take(&punt));
}

/* IPv6 packets of this length, on either side of the MTU. */
static void
make_long(struct frame *f, uint32_t ip_len)
{
	make(f, 0, 1, ip_len - 40 - 8 - 12 - 4);
	assert_int_equal(f->len, 14 + ip_len);
}

TEST(too_big)
{
	const struct fcn_port_counters *c = &bench.worker->counters[0];
	struct frame f, with;

	bench.snap.punt = (1u << FCN_PUNT_REASON_COUNT) - 1;
	for (unsigned int error = 0; error < 2; error++) {
		const uint64_t omitted = c->proxy_omitted;

		bench.snap.proxy_edge.too_big = error ? FCN_PROXY_TOO_BIG_ERROR
						      : FCN_PROXY_TOO_BIG_OMIT;
		make_long(&f, MTU - OPTION_LEN); /* fits with it */
		make_with(&with, &f);
		bench_send(0, &f, 100 + error * 10);
		assert_routed(1, 0, &with);
		make_long(&f, MTU - OPTION_LEN + 1);
		bench_send(0, &f, 101 + error * 10);
		if (error) {
			assert_int_equal(bench.port[1].n_out, 0);
			assert_punted(&f, FCN_PUNT_MTU, MTU - OPTION_LEN);
			assert_int_equal(c->proxy_omitted, omitted);
		} else {
			assert_routed(1, 0, &f);
			assert_int_equal(c->proxy_omitted, omitted + 1);
		}
		make_long(&f, MTU);
		bench_send(0, &f, 102 + error * 10);
		if (error)
			assert_punted(&f, FCN_PUNT_MTU, MTU - OPTION_LEN);
		else
			assert_routed(1, 0, &f);
	}
	/* It is too long with and without. */
	bench.next_hop[5].mtu = 1400;
	for (unsigned int error = 0; error < 2; error++) {
		bench.snap.proxy_edge.too_big = error ? FCN_PROXY_TOO_BIG_ERROR
						      : FCN_PROXY_TOO_BIG_OMIT;
		bench_new_snapshot();
		make_long(&f, 1401);
		bench_send(0, &f, 200 + error);
		assert_int_equal(bench.port[1].n_out, 0);
		assert_punted(&f, FCN_PUNT_MTU, error ? 1400 - OPTION_LEN : 1400);
	}
	/* No host need send less than 1280 octets, so no error can make room. */
	for (uint16_t mtu = 1280 + OPTION_LEN - 1; mtu <= 1280 + OPTION_LEN; mtu++) {
		bench.next_hop[5].mtu = mtu;
		bench_new_snapshot();
		make_long(&f, mtu);
		bench_send(0, &f, 300 + mtu);
		if (mtu < 1280 + OPTION_LEN)
			assert_routed(1, 0, &f);
		else
			assert_punted(&f, FCN_PUNT_MTU, 1280);
	}
}

/* Other reasons for which the host functions get a packet. */
TEST(punted)
{
	struct frame f;

	bench.snap.punt = (1u << FCN_PUNT_REASON_COUNT) - 1;
	make(&f, 0, 1, 100);
	f.data[14 + 7] = 1;
	bench_send(0, &f, 1);
	assert_punted(&f, FCN_PUNT_HOP_LIMIT, 0);
	make(&f, 0, 7, 100); /* no route */
	bench_send(0, &f, 2);
	assert_punted(&f, FCN_PUNT_NO_ROUTE, 0);
	bench.next_hop[5].type = FCN_NEXT_HOP_NO_NEIGHBOUR;
	bench_new_snapshot();
	make(&f, 0, 1, 100);
	bench_send(0, &f, 3);
	assert_punted(&f, FCN_PUNT_NO_NEIGHBOUR, 0);
}

/* In a bridge: too long frames leave without it, padding stays behind, copies are as their ports
 * want them. */
TEST(bridge)
{
	const struct fcn_port_counters *c = &bench.worker->counters[0];
	struct frame f, with;

	bench_bridge(4);
	bench.snap.copies = FCN_COPY_CLONE; /* where the option is removed, copies share nothing */
	make(&f, 0, 1, 700);
	frame_macs(&f, 99, 1);
	make_with(&with, &f);
	bench_send(0, &f, 1);
	assert_memory_equal(bench_out(1, 0), with.data, with.len);
	assert_int_equal(bench_out_len(1, 0), with.len);
	for (uint16_t p = 2; p < 4; p++) {
		assert_int_equal(bench.port[p].n_out, 1);
		assert_int_equal(bench_out_len(p, 0), f.len);
		assert_memory_equal(bench_out(p, 0), f.data, f.len);
	}
	assert_int_equal(c->proxy_inserted, 1);
	assert_int_equal(c->proxy_removed, 2);
	/* The other way round: learned. */
	make(&f, 1, 0, 100);
	frame_macs(&f, 1, 99);
	bench_send(1, &f, 2);
	assert_int_equal(bench_out_len(0, 0), f.len);
	bench.snap.proxy_edge.too_big = FCN_PROXY_TOO_BIG_ERROR;
	make_long(&f, MTU - OPTION_LEN + 1);
	frame_macs(&f, 99, 1);
	bench_send(0, &f, 3);
	assert_int_equal(bench_out_len(1, 0), f.len);
	assert_memory_equal(bench_out(1, 0), f.data, f.len);
	assert_int_equal(c->proxy_omitted, 1);
	make(&f, 0, 1, 3);
	frame_macs(&f, 99, 1);
	make_with(&with, &f);
	frame_zero(&f, 5);
	bench_send(0, &f, 4);
	assert_int_equal(bench_out_len(1, 0), with.len + 5);
	assert_memory_equal(bench_out(1, 0), with.data, with.len);
}

/* A packet in two buffers: its ICRC is at the end of the second. In pieces it is not corrected. */
TEST(chained)
{
	struct frame f, with;

	for (uint16_t p = 0; p < 4; p++) {
		bench.snap.port[p].mtu = 4096;
		bench.next_hop[p + 4].mtu = 4096;
	}
	bench_new_snapshot();
	for (unsigned int behind = 2; behind <= 100; behind += 2) {
		const struct rte_mbuf *m;
		const uint8_t *icrc;

		make(&f, 0, 1, 2048 + behind - 54 - 24);
		make_with(&with, &f);
		bench_send(0, &f, behind);
		assert_int_equal(bench.port[1].n_out, 1);
		m = bench.port[1].out[0];
		if (behind < 4) {
			assert_int_equal(bench_out_len(1, 0), f.len);
			assert_int_equal(bench.worker->counters[0].proxy_unfit, 1);
			continue;
		}
		assert_int_equal(m->pkt_len, with.len);
		assert_memory_equal(bench_out(1, 0) + OPTION_AT, with.data + OPTION_AT, 200);
		icrc = rte_pktmbuf_mtod_offset(m->next, const uint8_t *, m->next->data_len - 4);
		assert_memory_equal(icrc, with.data + with.len - 4, 4);
	}
}

/* At the border of the domain packets lose what was inserted; others with the option are dropped.
 */
TEST(border)
{
	struct frame f, with;

	bench.snap.border.codes.options = fcn_parse_default_codes;
	bench.snap.border.ports = ports_of(1u << 1);
	bench_new_snapshot();
	make(&f, 0, 1, 100);
	make_with(&with, &f);
	bench_in(0, &f);
	bench_send(0, &with, 1);
	assert_int_equal(bench.port[1].n_out, 1);
	assert_routed(1, 0, &f);
	assert_int_equal(bench_drops(FCN_DROP_BORDER_PROXY), 1);
	/* A border port that removes the option. */
	bench.snap.port[1].proxy_option = FCN_PROXY_EDGE_REMOVE;
	bench_new_snapshot();
	bench_send(0, &with, 2);
	assert_routed(1, 0, &f);
	assert_int_equal(bench_all_drops(), 1);
}

/* What cannot be removed leaves, and is counted. */
TEST(stuck)
{
	struct frame f;

	make(&f, 1, 2, 100);
	make_with(&f, &f);
	f.data[OPTION_AT + 7] = 17; /* longer than its header */
	bench_send(1, &f, 1);
	assert_routed(2, 0, &f);
	assert_int_equal(bench.worker->counters[1].proxy_stuck, 1);
}
