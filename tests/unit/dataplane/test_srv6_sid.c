/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Packets to local SIDs, through a whole worker: what scapy and Linux made of the same packets
 * leaves by the right port, and what is malformed is refused by its name with the right ICMPv6
 * error.
 */

#include <netinet/in.h>

#include "srv6_bench.h"

#define BOTH (FCN_SRV6_INNER_IPV6 | FCN_SRV6_INNER_IPV4)
#define PSP FCN_SRV6_FLAVOR_PSP
#define USP FCN_SRV6_FLAVOR_USP
#define USD FCN_SRV6_FLAVOR_USD

/* Pairs of a file, before and after: behavior, flavors, and whether the route counts a hop. The
 * behaviors that go on to the next segment have counted theirs. */
static const struct {
	unsigned int pair;
	enum fcn_srv6_behavior behavior;
	unsigned int flavors;
} pairs[] = {
		{0, FCN_SRV6_END, 0},
		{1, FCN_SRV6_END, USP | USD},
		{2, FCN_SRV6_END, PSP}, /* not the last but one segment */
		{0, FCN_SRV6_END_T, USD},
		{0, FCN_SRV6_END_X, 0},
		{3, FCN_SRV6_END, PSP},
		{4, FCN_SRV6_END, PSP | USP | USD},
		{4, FCN_SRV6_END_X, PSP},
		{6, FCN_SRV6_END_DT6, 0},
		{6, FCN_SRV6_END_DX6, 0},
		{7, FCN_SRV6_END_DT46, 0},
		{7, FCN_SRV6_END, USD},
		{7, FCN_SRV6_END_X, USD | PSP},
		{8, FCN_SRV6_END_DT4, 0},
		{8, FCN_SRV6_END_DX4, 0},
		{9, FCN_SRV6_END_DT46, 0},
		{9, FCN_SRV6_END_T, USD},
};

static void
test_pairs(void **state)
{
	struct vectors v;

	RTE_SET_USED(state);
	vectors_load(&v, "41_srv6_end");
	for (unsigned int i = 0; i < RTE_DIM(pairs); i++) {
		const unsigned int from = 2 * pairs[i].pair, to = from + 1;
		const bool is_via = fcn_srv6_behaviors[pairs[i].behavior].argument ==
				    FCN_SRV6_ARGUMENT_VIA;
		uint8_t *want = exact_copy(v.data[to], v.len[to]);

		srv6_set_sid(v.data[from], pairs[i].behavior, pairs[i].flavors);
		srv6_arrive(v.data[from], v.len[from]);
		if (pairs[i].pair >= 6)
			srv6_count_hop(want);
		srv6_expect(is_via ? 2 : 1, want, v.len[to]);
		free(want);
	}
	assert_int_equal(bench.worker->srv6.sid[0].packets, 1); /* of the last SID */
	assert_int_equal(bench.worker->srv6.sid[0].bytes, v.len[18]);
	assert_int_equal(bench.worker->srv6.sid[0].refused, 0);
	vectors_free(&v);
}

/* A frame without Segment Routing Header, and one with: both end in the packet of 01. */
static void
test_sender_vectors(void **state)
{
	static const char *const names[] = {"07_srv6_encaps_nosrh", "06_srv6_encaps_srh"};
	struct vectors v, plain;

	RTE_SET_USED(state);
	vectors_load(&plain, "01_roce6_write");
	for (unsigned int i = 0; i < RTE_DIM(names); i++) {
		uint8_t want[256];

		vectors_load(&v, names[i]);
		/* 06, frame 2: segments left 0, and a mark that the inner packet gets */
		srv6_set_sid(v.data[i], FCN_SRV6_END_DT6, 0);
		srv6_arrive(v.data[i], v.len[i]);
		memcpy(want, plain.data[0], plain.len[0]);
		/* The headend has counted a hop, and the route counts another. */
		srv6_count_hop(want);
		srv6_count_hop(want);
		if (i == 1)
			want[ETHER_LEN + 1] |= 0x30;
		srv6_expect(1, want, plain.len[0]);
		vectors_free(&v);
	}
	vectors_free(&plain);
}

/* End at the first SID of 06 and 08: by H.Encaps.Red the list does not have that SID. */
static void
test_policy_vectors(void **state)
{
	struct vectors v, red;
	uint8_t want[256];

	RTE_SET_USED(state);
	vectors_load(&v, "06_srv6_encaps_srh");
	srv6_set_sid(v.data[0], FCN_SRV6_END, 0);
	srv6_arrive(v.data[0], v.len[0]);
	memcpy(want, v.data[1], v.len[1]);
	want[ETHER_LEN + 1] = v.data[0][ETHER_LEN + 1]; /* frame 2 was CE-marked on its way */
	want[ETHER_LEN + 7]++;                          /* ... and made one more hop */
	srv6_expect(1, want, v.len[1]);

	vectors_load(&red, "08_srv6_encaps_red");
	srv6_set_sid(red.data[0], FCN_SRV6_END, 0);
	srv6_arrive(red.data[0], red.len[0]);
	memcpy(want, red.data[0], red.len[0]);
	memcpy(want + ETHER_LEN + 24, v.data[1] + ETHER_LEN + 24, 16);
	want[ETHER_LEN + 7]--;
	want[ETHER_LEN + IP6_LEN + 3] = 0;
	srv6_expect(1, want, red.len[0]);
	vectors_free(&v);
	vectors_free(&red);
}

/* What Linux encapsulated is taken on by End, then PSP, and then decapsulated. */
static void
test_linux_policy(void **state)
{
	struct vectors v;
	uint8_t want[256];

	RTE_SET_USED(state);
	vectors_load(&v, "21_linux_srv6_encaps");
	for (unsigned int i = 1; i < 3; i++) {
		const uint32_t srh = 8 + 16 * (3 - i);

		srv6_set_sid(v.data[i], FCN_SRV6_END, PSP);
		srv6_arrive(v.data[i], v.len[i]);
		memcpy(want, v.data[i], ETHER_LEN + IP6_LEN);
		memcpy(want + ETHER_LEN + IP6_LEN, v.data[i] + ETHER_LEN + IP6_LEN + srh,
				v.len[i] - ETHER_LEN - IP6_LEN - srh);
		want[ETHER_LEN + 5] = (uint8_t)(want[ETHER_LEN + 5] - srh);
		want[ETHER_LEN + 6] = IPPROTO_IPV6;
		want[ETHER_LEN + 7]--;
		memcpy(want + ETHER_LEN + 24, v.data[i] + ETHER_LEN + IP6_LEN + 8, 16);
		srv6_expect(1, want, v.len[i] - srh);

		srv6_set_sid(want, FCN_SRV6_END_DT6, 0);
		srv6_arrive(want, v.len[i] - srh);
		memcpy(want, v.data[0], v.len[0]);
		srv6_count_hop(want);
		srv6_expect(1, want, v.len[0]);
	}
	vectors_free(&v);
}

/* What Linux's End.DT6 made of the same packet. */
static void
test_linux_decaps(void **state)
{
	struct vectors v;

	RTE_SET_USED(state);
	vectors_load(&v, "22_linux_end_dt6");
	srv6_set_sid(v.data[0], FCN_SRV6_END_DT6, 0);
	srv6_arrive(v.data[0], v.len[0]);
	srv6_expect(1, v.data[1], v.len[1]);
	vectors_free(&v);
}

static void
test_next_csid(void **state)
{
	static const struct fcn_srv6_csid csids[] = {{32, 16}, {32, 16}, {48, 32}, {37, 19},
			{64, 16}, {48, 16}, {16, 64}, {1, 126}, {126, 1}, {8, 96}};
	struct vectors v;

	RTE_SET_USED(state);
	vectors_load(&v, "43_srv6_csid");
	for (unsigned int i = 0; i < RTE_DIM(csids); i++) {
		uint8_t *before = v.data[2 * i], *after = v.data[2 * i + 1];

		/* Addresses that no packet may go to are refused after the SID, see below. */
		if ((after[ETHER_LEN + 24] & 0xE0) != 0x20)
			continue;
		srv6_set_sid(before, i % 2 == 0 ? FCN_SRV6_END : FCN_SRV6_END_X, 0);
		srv6_sid.has_csid = true;
		srv6_sid.csid = csids[i];
		bench_new_snapshot();
		srv6_arrive(before, v.len[2 * i]);
		srv6_expect(i % 2 == 0 ? 1 : 2, after, v.len[2 * i + 1]);
	}
	vectors_free(&v);
}

/* All cells of RFC 6040 figure 4, IPv6 and IPv4 inside, built by scapy. */
static void
test_ecn(void **state)
{
	static const char *const marked[] = {"tunnel_ecn_not_ect_ect0", "tunnel_ecn_not_ect_ect1",
			"tunnel_ecn_not_ect_ce", "tunnel_ecn_ect1_ect0", "tunnel_ecn_ce_ect1"};
	/* cells of the figure that stand in the list above, row by row */
	static const int mark_of[16] = {-1, 0, 1, 2, -1, -1, -1, -1, -1, 3, -1, -1, -1, -1, 4, -1};
	const uint64_t *ecn = bench.worker->srv6.ecn;
	unsigned int frame = 0;
	struct vectors v;

	RTE_SET_USED(state);
	vectors_load(&v, "44_tunnel_ecn");
	for (unsigned int i = 0; i < 32; i++) {
		const unsigned int cell = i % 16;
		uint64_t counted = 0;

		srv6_set_sid(v.data[frame], FCN_SRV6_END_DT46, 0);
		srv6_arrive(v.data[frame], v.len[frame]);
		frame++;
		if (mark_of[cell] == 2) {
			bench_poll(bench.worker->now + 1000);
			assert_int_equal(bench_all_drops(), i / 16 + 1);
			assert_int_equal(bench_drops(FCN_DROP_TUNNEL_ECN), i / 16 + 1);
		} else {
			srv6_count_hop(v.data[frame]);
			srv6_expect(1, v.data[frame], v.len[frame]);
			bench.worker->counters[0].drop[FCN_DROP_TUNNEL_ECN] = i > 3 ? 1 + i / 20
										    : 0;
			frame++;
		}
		for (unsigned int c = 1; c < FCN_TUNNEL_ECN_COMBINATION_COUNT; c++) {
			counted += ecn[c];
			if (mark_of[cell] >= 0 &&
					strcmp(fcn_tunnel_ecn_name(c), marked[mark_of[cell]]) == 0)
				assert_int_equal(ecn[c], i / 16 + 1);
		}
		/* Five of the 16 cells are marked: so many have been counted. */
		assert_int_equal(counted,
				5 * (i / 16) + RTE_MIN(cell, 3u) + (cell >= 9) + (cell >= 14));
	}
	assert_int_equal(frame, v.n);
	vectors_free(&v);
}

/* An event about ECN fields comes once a second, and not when it is suppressed. */
static void
test_ecn_event(void **state)
{
	static const uint64_t times[] = {2000, 3000, 1000001999, 1000002000, 3000000000};
	static const unsigned int expected[] = {1, 0, 0, 1, 0};
	struct fcn_event ev[4];
	struct vectors v;

	RTE_SET_USED(state);
	vectors_load(&v, "44_tunnel_ecn");
	for (unsigned int i = 0; i < RTE_DIM(times); i++) {
		srv6_set_sid(v.data[2], FCN_SRV6_END_DT6, 0);
		bench.snap.srv6.ecn_event = i < 4;
		bench_new_snapshot();
		srv6_arrive(v.data[2], v.len[2]);
		bench_poll(times[i]);
		assert_int_equal(bench_events_of(FCN_EVENT_TUNNEL_ECN, ev, 4), expected[i]);
		if (expected[i] != 0) {
			assert_int_equal(ev[0].verdict, FCN_TUNNEL_ECN_NOT_ECT_ECT0);
			assert_int_equal(ev[0].port, 0);
		}
	}
	assert_int_equal(bench.worker->srv6.ecn[FCN_TUNNEL_ECN_NOT_ECT_ECT0], RTE_DIM(times));
	vectors_free(&v);
}

/* Octets that are set in a frame of 41_srv6_end, and the error that follows. */
static const struct {
	unsigned int frame;
	struct {
		uint8_t off, value;
	} set[2];
	enum fcn_srv6_behavior behavior;
	enum fcn_srv6_error error;
	uint16_t pointer;
} refusals[] = {
		{0, {{7, 1}}, FCN_SRV6_END, FCN_SRV6_HOP_LIMIT, 0},
		{0, {{7, 0}}, FCN_SRV6_END_X, FCN_SRV6_HOP_LIMIT, 0},
		{0, {{59, 4}}, FCN_SRV6_END, FCN_SRV6_SRH_SEGMENTS_LEFT, 59},
		{0, {{60, 3}}, FCN_SRV6_END_T, FCN_SRV6_SRH_LAST_ENTRY, 59},
		{0, {{57, 5}}, FCN_SRV6_END, FCN_SRV6_SRH_LENGTH, 59},
		{0, {{7, 1}, {60, 3}}, FCN_SRV6_END, FCN_SRV6_HOP_LIMIT, 0},
		{0, {{58, 3}}, FCN_SRV6_END, FCN_SRV6_ROUTING_TYPE, 58},
		{0, {{58, 3}, {59, 0}}, FCN_SRV6_END_DT46, FCN_SRV6_UPPER_LAYER, 112},
		{0, {{57, 11}}, FCN_SRV6_END, FCN_SRV6_SRH_TRUNCATED, 0},
		{0, {{41, 20}}, FCN_SRV6_END, FCN_SRV6_EXT_TRUNCATED, 0},
		{0, {{58, 3}, {57, 11}}, FCN_SRV6_END, FCN_SRV6_EXT_TRUNCATED, 0},
		{0, {{40, 0}}, FCN_SRV6_END_DT46, FCN_SRV6_UPPER_LAYER, 48},
		{0, {{59, 0}}, FCN_SRV6_END, FCN_SRV6_UPPER_LAYER, 112},
		{12, {{59, 1}}, FCN_SRV6_END_DT46, FCN_SRV6_SEGMENTS_LEFT, 59},
		{12, {{59, 1}}, FCN_SRV6_END_DX6, FCN_SRV6_SEGMENTS_LEFT, 59},
		{14, {{0, 0x60}}, FCN_SRV6_END_DT4, FCN_SRV6_UPPER_LAYER, 40},
		{14, {{0, 0x60}}, FCN_SRV6_END, FCN_SRV6_UPPER_LAYER, 40},
		{18, {{0, 0x60}}, FCN_SRV6_END_DX6, FCN_SRV6_UPPER_LAYER, 40},
		{14, {{6, 59}}, FCN_SRV6_END_DT46, FCN_SRV6_UPPER_LAYER, 40},
		{14, {{6, 44}}, FCN_SRV6_END_DT46, FCN_SRV6_UPPER_LAYER, 40},
		{14, {{40, 0x45}}, FCN_SRV6_END_DT46, FCN_SRV6_INNER_HEADER, 0},
		{14, {{45, 24}}, FCN_SRV6_END_DT6, FCN_SRV6_INNER_HEADER, 0},
		{18, {{40, 0x65}}, FCN_SRV6_END_DT46, FCN_SRV6_INNER_HEADER, 0},
		{18, {{40, 0x44}}, FCN_SRV6_END_DX4, FCN_SRV6_INNER_HEADER, 0},
		{18, {{43, 44}}, FCN_SRV6_END_DT4, FCN_SRV6_INNER_HEADER, 0},
};

/* One packet was refused for a reason, and the host functions are to send its ICMPv6 error. */
static void
assert_refused(enum fcn_srv6_error error, uint16_t pointer)
{
	const enum fcn_drop_reason why = fcn_drop_of_srv6(error);
	struct fcn_icmp6_error want;
	struct fcn_punt punt;

	bench_poll(bench.worker->now + 1000);
	assert_int_equal(bench.port[1].n_out + bench.port[2].n_out, 0);
	if (!fcn_srv6_icmp_error(error, pointer, &want)) {
		assert_false(srv6_take(&punt));
		assert_int_equal(bench_drops(why), 1);
	} else {
		assert_true(srv6_take(&punt));
		assert_int_equal(punt.reason, FCN_PUNT_ERROR);
		assert_int_equal(punt.drop, why);
		assert_int_equal(punt.error.type, want.type);
		assert_int_equal(punt.error.code, want.code);
		assert_int_equal(punt.error.param, want.param);
		assert_int_equal(punt.l3_off, ETHER_LEN);
		assert_false(srv6_take(&punt));
		/* Without the host functions, or beyond their rate, the packet is dropped. */
		assert_int_equal(bench_all_drops(), 0);
	}
	assert_int_equal(bench.worker->srv6.sid[0].refused, 1);
	assert_int_equal(bench.worker->srv6.sid[0].packets, 0);
	fcn_worker_clear_counters(bench.worker);
}

static void
test_refusals(void **state)
{
	struct vectors v;

	RTE_SET_USED(state);
	for (unsigned int i = 0; i < RTE_DIM(refusals); i++) {
		const unsigned int frame = refusals[i].frame;

		vectors_load(&v, "41_srv6_end");
		for (unsigned int j = 0; j < RTE_DIM(refusals[i].set); j++) {
			if (refusals[i].set[j].value != 0 || refusals[i].set[j].off != 0)
				v.data[frame][ETHER_LEN + refusals[i].set[j].off] =
						refusals[i].set[j].value;
		}
		srv6_set_sid(v.data[frame], refusals[i].behavior, 0);
		srv6_arrive(v.data[frame], v.len[frame]);
		assert_refused(refusals[i].error, refusals[i].pointer);
		vectors_free(&v);
	}
}

/* TLVs of a Segment Routing Header: of 40_srh, with the first TLV at 40 + 8 + 16 * segments. */
static void
test_tlv_refusals(void **state)
{
	static const struct {
		unsigned int off; /* from the first TLV on */
		uint8_t value;
		enum fcn_srv6_error error;
		unsigned int at; /* of the TLV that is wrong */
	} cases[] = {
			{1, 250, FCN_SRV6_SRH_TLV_OVERRUN, 0}, {1, 37, FCN_SRV6_SRH_HMAC_LENGTH, 0},
			{8, 0xFF, FCN_SRV6_OK, 0}, /* the HMAC itself is not verified */
	};
	struct vectors v;

	RTE_SET_USED(state);
	for (unsigned int i = 0; i < RTE_DIM(cases); i++) {
		uint32_t tlv;

		vectors_load(&v, "40_srh");
		tlv = IP6_LEN + 8 + 16 * (v.data[0][ETHER_LEN + IP6_LEN + 4] + 1u);
		assert_int_equal(v.data[0][ETHER_LEN + tlv], FCN_SRH_TLV_HMAC);
		v.data[0][ETHER_LEN + tlv + cases[i].off] = cases[i].value;
		srv6_set_sid(v.data[0], FCN_SRV6_END, 0);
		srv6_arrive(v.data[0], v.len[0]);
		if (cases[i].error != FCN_SRV6_OK) {
			assert_refused(cases[i].error, (uint16_t)(tlv + cases[i].at));
		} else {
			bench_poll(bench.worker->now + 1000);
			bench_only_out(1);
		}
		vectors_free(&v);
	}
	/* The active segment has to be the destination, if there is an HMAC. */
	vectors_load(&v, "40_srh");
	v.data[0][ETHER_LEN + IP6_LEN + 8 + 16 * v.data[0][ETHER_LEN + IP6_LEN + 3] + 15] ^= 1;
	srv6_set_sid(v.data[0], FCN_SRV6_END, 0);
	srv6_arrive(v.data[0], v.len[0]);
	assert_refused(FCN_SRV6_SRH_HMAC_DESTINATION,
			(uint16_t)(IP6_LEN + 8 + 16 * (v.data[0][ETHER_LEN + IP6_LEN + 4] + 1)));
	vectors_free(&v);
}

/* Malformed Segment Routing Headers of 16, whose list is refused by its name. */
static void
test_malformed_vectors(void **state)
{
	static const enum fcn_srv6_error errors[] = {
			FCN_SRV6_SRH_SEGMENTS_LEFT, FCN_SRV6_SRH_LAST_ENTRY, FCN_SRV6_SRH_LENGTH};
	struct vectors v;

	RTE_SET_USED(state);
	vectors_load(&v, "16_malformed");
	for (unsigned int i = 0; i < RTE_DIM(errors); i++) {
		srv6_set_sid(v.data[11 + i], FCN_SRV6_END, 0);
		srv6_arrive(v.data[11 + i], v.len[11 + i]);
		assert_refused(errors[i], IP6_LEN + 3);
	}
	vectors_free(&v);
}

/* An error is sent within the rate of its kind: then the packet is dropped by its own reason. */
static void
test_policed(void **state)
{
	struct fcn_punt punt;
	struct vectors v;

	RTE_SET_USED(state);
	vectors_load(&v, "41_srv6_end");
	v.data[0][ETHER_LEN + 7] = 1;
	bench.snap.port[0].punt[FCN_PUNT_KIND_SRV6] = (struct fcn_punt_limit){.cost_ns = 1000000};
	srv6_set_sid(v.data[0], FCN_SRV6_END, 0);
	for (unsigned int i = 0; i < 5; i++)
		srv6_arrive(v.data[0], v.len[0]);
	bench_poll(5000);
	assert_true(srv6_take(&punt));
	assert_false(srv6_take(&punt));
	assert_int_equal(bench_drops(FCN_DROP_SRV6_HOP_LIMIT), 4);
	assert_int_equal(bench.worker->counters[0].punt_limited[FCN_PUNT_KIND_SRV6], 4);
	vectors_free(&v);
}

/* An echo request to a SID is answered, unless that is off; with PSP's header too. */
static void
test_echo(void **state)
{
	struct fcn_punt punt;
	struct frame f;

	RTE_SET_USED(state);
	for (unsigned int i = 0; i < 3; i++) {
		memset(&f, 0, sizeof(f));
		frame_ether(&f, RTE_ETHER_TYPE_IPV6);
		frame_ip6(&f, i == 1 ? IPPROTO_ROUTING : IPPROTO_ICMPV6);
		if (i == 1)
			frame_srh(&f, IPPROTO_ICMPV6, 1, 0, 0);
		frame_zero(&f, 16);
		f.data[f.len - 16] = 128;
		frame_finish(&f);
		srv6_set_sid(f.data, i == 1 ? FCN_SRV6_END : FCN_SRV6_END_DT6, i == 1 ? USP : 0);
		bench.snap.srv6.echo = i < 2;
		bench_new_snapshot();
		srv6_arrive(f.data, f.len);
		if (i == 2) {
			assert_refused(FCN_SRV6_UPPER_LAYER, IP6_LEN);
			continue;
		}
		bench_poll(bench.worker->now + 1000);
		assert_true(srv6_take(&punt));
		assert_int_equal(punt.reason, FCN_PUNT_SID);
		assert_int_equal(bench.worker->srv6.sid[0].packets, 1);
	}
}

/* To a station whose MAC address is unknown: the host functions are to resolve that one, and get
 * the packet with the hop limit that they count down themselves. */
static void
test_via(void **state)
{
	struct fcn_punt punt;
	struct vectors v;

	RTE_SET_USED(state);
	vectors_load(&v, "41_srv6_end");
	for (unsigned int i = 0; i < 2; i++) {
		const unsigned int frame = i == 0 ? 0 : 14;
		uint8_t hop_limit[1];

		srv6_set_sid(v.data[frame], i == 0 ? FCN_SRV6_END_X : FCN_SRV6_END_DX6, 0);
		srv6_sid.next_hop = 3;
		srv6_sid.port = 2;
		assert_int_equal(fcn_addr_parse("fe80::9", &srv6_sid.via), 0);
		srv6_arrive(v.data[frame], v.len[frame]);
		bench_poll(bench.worker->now + 1000);
		assert_true(fcn_punt_dequeue(bench.worker->punts, FCN_PUNT_KIND_RESOLVE, &punt));
		assert_int_equal(punt.reason, FCN_PUNT_NO_NEIGHBOUR);
		assert_int_equal(punt.via_port, 2);
		assert_true(fcn_addr_equal(&punt.via, &srv6_sid.via));
		memcpy(hop_limit, rte_pktmbuf_mtod_offset(punt.mbuf, uint8_t *, ETHER_LEN + 7), 1);
		assert_int_equal(hop_limit[0],
				v.data[frame][ETHER_LEN + (i == 0 ? 0 : IP6_LEN) + 7]);
		rte_pktmbuf_free(punt.mbuf);
	}
	vectors_free(&v);
}

/* A packet that comes to SID after SID of the switch is not delivered for ever. */
static void
test_loop(void **state)
{
	struct frame f = {0};

	RTE_SET_USED(state);
	frame_ether(&f, RTE_ETHER_TYPE_IPV6);
	frame_ip6(&f, IPPROTO_ROUTING);
	frame_srh(&f, IPPROTO_NONE, 9, 8, 0);
	for (unsigned int i = 0; i < 9; i++)
		memcpy(f.data + ETHER_LEN + IP6_LEN + 8 + 16 * i, f.data + ETHER_LEN + 24, 16);
	frame_finish(&f);
	srv6_set_sid(f.data, FCN_SRV6_END, 0);
	srv6_arrive(f.data, f.len);
	bench_poll(1000);
	assert_int_equal(bench_drops(FCN_DROP_LOCAL_LOOP), 1);
	assert_int_equal(bench.worker->srv6.sid[0].packets, FCN_LOCAL_PASSES);
}

/* A header with segments left to an address of the switch that is no SID (RFC 8754 4.3.2). */
static void
test_no_sid(void **state)
{
	struct fcn_punt punt;
	struct vectors v;

	RTE_SET_USED(state);
	vectors_load(&v, "41_srv6_end");
	srv6_set_sid(v.data[0], FCN_SRV6_END, 0);
	bench.next_hop[30].local = FCN_LOCAL_HOST;
	bench_new_snapshot();
	srv6_arrive(v.data[0], v.len[0]);
	bench_poll(1000);
	assert_true(srv6_take(&punt));
	assert_int_equal(punt.reason, FCN_PUNT_ERROR);
	assert_int_equal(punt.drop, FCN_DROP_SRV6_NO_SID);
	assert_int_equal(punt.error.type, FCN_ICMP6_PARAM_PROBLEM);
	assert_int_equal(punt.error.code, FCN_ICMP6_BAD_FIELD);
	assert_int_equal(punt.error.param, 58); /* the Routing Type */
	vectors_free(&v);
}

/* Replace a packet by a chain of segments of these lengths; the last one has the rest. With
 * `cloned`, every segment shares its bytes with an mbuf that is returned to be freed. */
static struct rte_mbuf *
chain(struct rte_mbuf **packet, const uint16_t *lens, bool cloned)
{
	struct rte_mbuf *from = *packet, *head = NULL, *last = NULL, *keep = NULL;
	uint32_t off = 0;

	for (unsigned int i = 0; off < from->pkt_len; i++) {
		const uint32_t left = from->pkt_len - off;
		const uint16_t len = (uint16_t)(lens[i] == 0 ? left : RTE_MIN(left, lens[i]));
		struct rte_mbuf *m = rte_pktmbuf_alloc(bench.pool);

		assert_non_null(m);
		memcpy(rte_pktmbuf_append(m, len),
				rte_pktmbuf_mtod_offset(from, const uint8_t *, off), len);
		off += len;
		if (head == NULL) {
			head = m;
		} else {
			last->next = m;
			head->nb_segs++;
			head->pkt_len += len;
		}
		last = m;
	}
	rte_pktmbuf_free(from);
	if (cloned) {
		keep = head;
		head = rte_pktmbuf_clone(keep, bench.pool);
		assert_non_null(head);
	}
	*packet = head;
	return keep;
}

/* Segments of every length: what leaves is the same, and nobody else's bytes are changed. */
static void
test_chains(void **state)
{
	static const uint16_t lens[][8] = {{54}, {60}, {100}, {60, 60}, {54, 1, 40, 8, 1}, {200}};
	static const struct {
		unsigned int pair;
		enum fcn_srv6_behavior behavior;
		unsigned int flavors;
	} todo[] = {{0, FCN_SRV6_END, 0}, {3, FCN_SRV6_END, PSP}, {6, FCN_SRV6_END_DT6, 0},
			{8, FCN_SRV6_END_DX4, 0}};
	struct vectors v;

	RTE_SET_USED(state);
	vectors_load(&v, "41_srv6_end");
	for (unsigned int i = 0; i < 2 * RTE_DIM(lens) * RTE_DIM(todo); i++) {
		const unsigned int t = i / 2 % RTE_DIM(todo), from = 2 * todo[t].pair;
		uint8_t *want = exact_copy(v.data[from + 1], v.len[from + 1]);
		struct bench_port *port = &bench.port[0];
		const uint16_t out = todo[t].behavior == FCN_SRV6_END_DX4 ? 2 : 1;
		struct rte_mbuf *keep, *copy;
		uint8_t bytes[2048];

		srv6_set_sid(v.data[from], todo[t].behavior, todo[t].flavors);
		srv6_arrive(v.data[from], v.len[from]);
		keep = chain(&port->in[port->n_in - 1], lens[i / 2 / RTE_DIM(todo)], i % 2);
		copy = keep != NULL ? rte_pktmbuf_copy(keep, bench.pool, 0, UINT32_MAX) : NULL;
		if (todo[t].pair >= 6)
			srv6_count_hop(want);
		bench_poll(bench.worker->now + 1000);
		assert_int_equal(bench.port[out].n_out, 1);
		assert_int_equal(bench.port[out].out[0]->pkt_len, v.len[from + 1]);
		assert_memory_equal((const uint8_t *)rte_pktmbuf_read(bench.port[out].out[0], 0,
						    v.len[from + 1], bytes) +
						    12,
				want + 12, v.len[from + 1] - 12);
		if (keep != NULL) {
			uint8_t a[2048], b[2048];

			assert_memory_equal(rte_pktmbuf_read(keep, 0, v.len[from], a),
					rte_pktmbuf_read(copy, 0, v.len[from], b), v.len[from]);
		}
		bench_forget_out();
		rte_pktmbuf_free(keep);
		rte_pktmbuf_free(copy);
		free(want);
	}
	vectors_free(&v);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, srv6_bench_setup, srv6_bench_teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
			TEST(test_pairs),
			TEST(test_sender_vectors),
			TEST(test_policy_vectors),
			TEST(test_linux_policy),
			TEST(test_linux_decaps),
			TEST(test_next_csid),
			TEST(test_ecn),
			TEST(test_ecn_event),
			TEST(test_refusals),
			TEST(test_tlv_refusals),
			TEST(test_malformed_vectors),
			TEST(test_policed),
			TEST(test_echo),
			TEST(test_via),
			TEST(test_loop),
			TEST(test_no_sid),
			TEST(test_chains),
	};

	return cmocka_run_group_tests_name(
			"srv6_sid", tests, fcn_test_eal_init, fcn_test_eal_cleanup);
}
