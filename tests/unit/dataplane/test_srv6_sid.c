/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Packets to local SIDs, through a whole worker: what scapy and Linux made of the same packets
 * leaves by the right port.
 */

#include <netinet/in.h>

#include "srv6_bench.h"

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

TEST_FIXTURE(FCN_TEST_EAL, .setup = srv6_bench_setup, .teardown = srv6_bench_teardown);

TEST(pairs)
{
	struct vectors v;

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
TEST(sender_vectors)
{
	static const char *const names[] = {"07_srv6_encaps_nosrh", "06_srv6_encaps_srh"};
	struct vectors v, plain;

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
TEST(policy_vectors)
{
	struct vectors v, red;
	uint8_t want[256];

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
TEST(linux_policy)
{
	struct vectors v;
	uint8_t want[256];

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
TEST(linux_decaps)
{
	struct vectors v;

	vectors_load(&v, "22_linux_end_dt6");
	srv6_set_sid(v.data[0], FCN_SRV6_END_DT6, 0);
	srv6_arrive(v.data[0], v.len[0]);
	srv6_expect(1, v.data[1], v.len[1]);
	vectors_free(&v);
}

TEST(next_csid)
{
	static const struct fcn_srv6_csid csids[] = {{32, 16}, {32, 16}, {48, 32}, {37, 19},
			{64, 16}, {48, 16}, {16, 64}, {1, 126}, {126, 1}, {8, 96}};
	struct vectors v;

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
TEST(ecn)
{
	static const char *const marked[] = {"tunnel_ecn_not_ect_ect0", "tunnel_ecn_not_ect_ect1",
			"tunnel_ecn_not_ect_ce", "tunnel_ecn_ect1_ect0", "tunnel_ecn_ce_ect1"};
	/* cells of the figure that stand in the list above, row by row */
	static const int mark_of[16] = {-1, 0, 1, 2, -1, -1, -1, -1, -1, 3, -1, -1, -1, -1, 4, -1};
	const uint64_t *ecn = bench.worker->srv6.ecn;
	unsigned int frame = 0;
	struct vectors v;

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
TEST(ecn_event)
{
	static const uint64_t times[] = {2000, 3000, 1000001999, 1000002000, 3000000000};
	static const unsigned int expected[] = {1, 0, 0, 1, 0};
	struct fcn_event ev[4];
	struct vectors v;

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

/* To a station whose MAC address is unknown: the host functions are to resolve that one, and get
 * the packet with the hop limit that they count down themselves. */
TEST(via)
{
	struct fcn_punt punt;
	struct vectors v;

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
TEST(loop)
{
	struct frame f = {0};

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
TEST(chains)
{
	static const uint16_t lens[][8] = {{54}, {60}, {100}, {60, 60}, {54, 1, 40, 8, 1}, {200}};
	static const struct {
		unsigned int pair;
		enum fcn_srv6_behavior behavior;
		unsigned int flavors;
	} todo[] = {{0, FCN_SRV6_END, 0}, {3, FCN_SRV6_END, PSP}, {6, FCN_SRV6_END_DT6, 0},
			{8, FCN_SRV6_END_DX4, 0}};
	struct vectors v;

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
