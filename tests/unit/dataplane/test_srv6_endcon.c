/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* END.CON at a PE, through a whole worker: which Fast CNPs it takes, and why not the others. */

#include "reference.h"
#include "srv6_bench.h"

#define P_NODE "2001:db8:f::/48"

TEST_FIXTURE(FCN_TEST_EAL, .setup = srv6_endcon_setup, .teardown = srv6_endcon_teardown);

static void
assert_dropped(enum fcn_drop_reason why, unsigned int n)
{
	bench_poll(bench.worker->now + 1000);
	assert_int_equal(bench_drops(why), n);
	assert_int_equal(bench_all_drops(), n);
	assert_int_equal(bench.port[1].n_out, 0);
}

/* A packet is refused, and whoever has sent it is told so: the upper layer at this offset is not
 * processed. The host functions have it dropped. */
static void
assert_told(enum fcn_drop_reason why, uint32_t pointer)
{
	struct fcn_punt punt;

	bench_poll(bench.worker->now + 1000);
	assert_true(srv6_take(&punt));
	assert_int_equal(punt.reason, FCN_PUNT_ENDCON);
	assert_int_equal(punt.drop, why);
	assert_int_equal(punt.error.type, FCN_ICMP6_PARAM_PROBLEM);
	assert_int_equal(punt.error.code, 4); /* SR Upper-layer Header Error */
	assert_int_equal(punt.error.param, pointer);
	assert_int_equal(bench_all_drops(), 0);
	assert_int_equal(bench.port[1].n_out, 0);
	bench.worker->counters[0].rx_packets = bench.worker->counters[0].consumed;
}

/* What Linux's End.DT6 makes of the same packet (22) leaves to the sender. */
TEST(taken)
{
	struct vectors linux_made;

	vectors_load(&linux_made, "22_linux_end_dt6");
	srv6_arrive(srv6_endcon.data[0], srv6_endcon.len[0]);
	srv6_expect(1, linux_made.data[1], linux_made.len[1]);
	assert_int_equal(bench.worker->srv6.endcon.taken, 1);
	assert_int_equal(bench.worker->srv6.sid[0].packets, 1);
	vectors_free(&linux_made);
}

/* The same in a chain of segments. */
TEST(chain)
{
	struct vectors linux_made;
	struct rte_mbuf *m, *rest;

	vectors_load(&linux_made, "22_linux_end_dt6");
	m = srv6_arrive(srv6_endcon.data[0], srv6_endcon.len[0]);
	rest = rte_pktmbuf_copy(m, bench.pool, 100, UINT32_MAX);
	assert_non_null(rest);
	rte_pktmbuf_trim(m, (uint16_t)(m->pkt_len - 100));
	assert_int_equal(rte_pktmbuf_chain(m, rest), 0);
	srv6_expect(1, linux_made.data[1], linux_made.len[1]);
	vectors_free(&linux_made);
}

/* Nobody is in an empty list, and only those of the prefix are in the list. */
TEST(access)
{
	struct fcn_prefix_list *nodes = bench.snap.srv6.p_nodes;

	bench.snap.srv6.p_nodes = NULL;
	bench_new_snapshot();
	srv6_arrive(srv6_endcon.data[0], srv6_endcon.len[0]);
	assert_told(FCN_DROP_ENDCON_ACCESS, IP6_LEN);
	bench.snap.srv6.p_nodes = nodes;
	bench_new_snapshot();
	srv6_endcon.data[0][ETHER_LEN + 8 + 5] ^= 1;
	srv6_arrive(srv6_endcon.data[0], srv6_endcon.len[0]);
	assert_told(FCN_DROP_ENDCON_ACCESS, IP6_LEN);
	assert_int_equal(bench.worker->srv6.sid[0].refused, 2);
}

/* Let the Fast CNP of a vector be one that another node has made, and sent. */
static void
set_node(uint8_t *frame, bool is_listed, uint8_t node)
{
	uint8_t *ip = frame + ETHER_LEN + IP6_LEN;

	frame[ETHER_LEN + 8 + 5] = ip[8 + 5] = is_listed ? 0x0f : 0x0e;
	frame[ETHER_LEN + 8 + 15] = ip[8 + 15] = node;
	ref_fastcnp_finish(ip, REF_SKIP, true);
}

/*
 * In one turn come Fast CNPs of nodes in the list and of others, which are as they ought to be but
 * for that, after others of both kinds. Each of the former is taken, and none of the latter.
 */
TEST(access_in_a_burst)
{
	uint64_t seed = 11, taken = 0, refused = 0;
	unsigned int forwarded = 0;

	assert_int_equal(srv6_endcon.data[0][ETHER_LEN + 8 + 5], 0x0f); /* of 2001:db8:f:: */
	for (unsigned int turn = 0; turn < 300; turn++) {
		const unsigned int n = 1 + (unsigned int)(ref_random(&seed) % 12);
		struct fcn_punt punt;

		for (unsigned int i = 0; i < n; i++) {
			const bool is_listed = ref_random(&seed) % (turn < 3 ? 1 : 4) < 3;
			uint8_t frame[512];

			memcpy(frame, srv6_endcon.data[0], srv6_endcon.len[0]);
			set_node(frame, is_listed, (uint8_t)(1 + ref_random(&seed) % 3));
			srv6_arrive(frame, srv6_endcon.len[0]);
			taken += is_listed;
			refused += !is_listed;
		}
		bench_poll(bench.worker->now + 1000);
		while (srv6_take(&punt))
			;
		forwarded += bench.port[1].n_out;
		for (unsigned int i = 0; i < bench.port[1].n_out; i++)
			assert_int_equal(bench_out(1, i)[ETHER_LEN + 8 + 5], 0x0f);
		assert_int_equal(forwarded, taken);
		assert_int_equal(bench.worker->srv6.endcon.taken, taken);
		assert_int_equal(bench.worker->srv6.sid[0].packets, taken);
		assert_int_equal(bench.worker->srv6.sid[0].refused, refused);
	}
	assert_true(taken > 1000 && refused > 300);
}

/* A node is told four times at once, and then once in 100 ms, which does not keep another one from
 * being told; all of them 64 times at once. */
TEST(told_rate)
{
	struct fcn_punt punt;
	unsigned int told = 0;

	srv6_endcon.data[0][ETHER_LEN + 8 + 5] ^= 1;
	for (unsigned int node = 0; node < 2; node++) {
		srv6_endcon.data[0][ETHER_LEN + 8 + 15] = (uint8_t)node;
		for (unsigned int i = 0; i < 6; i++)
			srv6_arrive(srv6_endcon.data[0], srv6_endcon.len[0]);
		bench_poll(bench.worker->now + 1000);
		for (told = 0; srv6_take(&punt);)
			told++;
		assert_int_equal(told, 4);
		assert_int_equal(bench_drops(FCN_DROP_ENDCON_ACCESS), 2 * (node + 1));
	}
	for (unsigned int i = 0; i < 3; i++)
		srv6_arrive(srv6_endcon.data[0], srv6_endcon.len[0]);
	bench_poll(bench.worker->now + 100000000);
	for (told = 0; srv6_take(&punt);)
		told++;
	assert_int_equal(told, 1);
	/* Many nodes, one after the other, as tokens of the punts permit. */
	told = 0;
	for (unsigned int node = 2; node < 250; node++) {
		srv6_endcon.data[0][ETHER_LEN + 8 + 15] = (uint8_t)node;
		srv6_arrive(srv6_endcon.data[0], srv6_endcon.len[0]);
		bench_poll(bench.worker->now + 1000);
		while (srv6_take(&punt))
			told++;
	}
	assert_in_range(told, 30, 64);
	bench.worker->counters[0].rx_packets = bench.worker->counters[0].consumed +
					       bench_all_drops();
}

/* Octets of the frame that are changed, and the reason for which it is refused. */
TEST(refused)
{
	static const struct {
		uint8_t off, value;
		enum fcn_drop_reason why;
	} cases[] = {
			{ETHER_LEN + 6, IPPROTO_UDP, FCN_DROP_ENDCON_SID},
			{ETHER_LEN + 6, IPPROTO_IPIP, FCN_DROP_ENDCON_SID},
			{ETHER_LEN + IP6_LEN, 0x40, FCN_DROP_ENDCON_SID},
			/* the ICRC, the option type, the opcode, another packet to that port */
			{157, 0, FCN_DROP_ENDCON_NOTICE},
			{ETHER_LEN + 2 * IP6_LEN + 6, 0x3E, FCN_DROP_ENDCON_NOTICE},
			{ETHER_LEN + 2 * IP6_LEN + 24 + 8, 0x0A, FCN_DROP_ENDCON_NOTICE},
	};
	struct fcn_punt punt;

	for (unsigned int i = 0; i < RTE_DIM(cases); i++) {
		uint8_t *frame = exact_copy(srv6_endcon.data[0], srv6_endcon.len[0]);

		assert_int_not_equal(frame[cases[i].off], cases[i].value);
		frame[cases[i].off] = cases[i].value;
		srv6_arrive(frame, srv6_endcon.len[0]);
		bench_poll(bench.worker->now + 1000);
		assert_int_equal(bench.port[1].n_out, 0);
		/* All but an inner packet that is none are answered by an ICMPv6 error. */
		if (cases[i].off != ETHER_LEN + IP6_LEN) {
			assert_true(srv6_take(&punt));
			assert_int_equal(punt.drop, cases[i].why);
			assert_int_equal(punt.error.code, FCN_ICMP6_SR_UPPER_LAYER);
		} else {
			assert_int_equal(bench_drops(cases[i].why), 1);
		}
		memset(bench.worker->counters[0].drop, 0, sizeof(bench.worker->counters[0].drop));
		bench.worker->counters[0].rx_packets = bench.worker->counters[0].consumed;
		free(frame);
	}
}

/*
 * A P node of others: each reading of the rule for extension headers, with a checksum or without,
 * and the Fast CNP from the address that encapsulates it or from another one.
 */
TEST(others)
{
	static const enum ref_mode refs[] = {REF_SKIP, REF_COVER, REF_NORM};
	uint8_t *inner = srv6_endcon.data[0] + ETHER_LEN + IP6_LEN;

	for (unsigned int i = 0; i < 4 * RTE_DIM(refs); i++) {
		inner[8 + 15] ^= 0x40 * (i % 2);
		ref_fastcnp_finish(inner, refs[i / 4], i / 2 % 2);
		srv6_arrive(srv6_endcon.data[0], srv6_endcon.len[0]);
		bench_poll(bench.worker->now + 1000);
		inner[7]--; /* one hop */
		assert_int_equal(bench.port[1].n_out, 1);
		assert_int_equal(bench_out_len(1, 0), srv6_endcon.len[0] - IP6_LEN);
		assert_memory_equal(bench_out(1, 0) + ETHER_LEN, inner, 104);
		inner[7]++;
		bench_forget_out();
	}
	assert_int_equal(bench.worker->srv6.endcon.taken, 4 * RTE_DIM(refs));
	assert_int_equal(bench_all_drops(), 0);
}

/* A node of the list passes on what somebody else has made, who is not in the list. */
TEST(forged)
{
	uint8_t *inner = srv6_endcon.data[0] + ETHER_LEN + IP6_LEN;

	inner[8 + 5] ^= 1;
	ref_fastcnp_finish(inner, REF_SKIP, true);
	srv6_arrive(srv6_endcon.data[0], srv6_endcon.len[0]);
	assert_told(FCN_DROP_ENDCON_SOURCE, IP6_LEN);
	assert_int_equal(bench.worker->srv6.sid[0].refused, 1);
}

/* Each P node has a bucket of its own, and all of them have one. */
TEST(rates)
{
	bench.snap.srv6.endcon.each.port[0] = (struct fcn_source_bucket){
			.cost_ns = 1000000, .burst = 3};
	bench_new_snapshot();
	for (unsigned int i = 0; i < 5; i++)
		srv6_arrive(srv6_endcon.data[0], srv6_endcon.len[0]);
	bench_poll(10000000);
	assert_int_equal(bench.port[1].n_out, 3);
	assert_int_equal(bench_drops(FCN_DROP_ENDCON_RATE), 2);
	srv6_arrive(srv6_endcon.data[0], srv6_endcon.len[0]);
	srv6_arrive(srv6_endcon.data[0], srv6_endcon.len[0]);
	bench_poll(11000000);
	assert_int_equal(bench.port[1].n_out, 1);
	assert_int_equal(bench_drops(FCN_DROP_ENDCON_RATE), 3);

	bench.snap.srv6.endcon.each.port[0] = (struct fcn_source_bucket){0};
	bench.snap.srv6.endcon.all.port[0] = (struct fcn_source_bucket){
			.cost_ns = 1000000, .burst = 2};
	bench_new_snapshot();
	for (unsigned int i = 0; i < 5; i++)
		srv6_arrive(srv6_endcon.data[0], srv6_endcon.len[0]);
	bench_poll(20000000);
	assert_int_equal(bench.port[1].n_out, 2);
	assert_int_equal(bench_drops(FCN_DROP_ENDCON_TOTAL), 3);
	/* Tokens that were taken at another rate do not delay others for long. */
	bench.snap.srv6.endcon.all.port[0] = (struct fcn_source_bucket){.cost_ns = 10, .burst = 2};
	bench_new_snapshot();
	bench_poll(20000100);
	srv6_arrive(srv6_endcon.data[0], srv6_endcon.len[0]);
	bench_poll(20000110);
	assert_int_equal(bench.port[1].n_out, 1);
	assert_int_equal(bench.worker->srv6.endcon.taken, 3 + 1 + 2 + 1);
}

/* The outer header was marked on the way: RFC 6040 drops the packet, as Fast CNPs are Not-ECT. */
TEST(ecn)
{
	srv6_endcon.data[0][ETHER_LEN + 1] |= 0x30;
	srv6_arrive(srv6_endcon.data[0], srv6_endcon.len[0]);
	assert_dropped(FCN_DROP_TUNNEL_ECN, 1);
	assert_int_equal(bench.worker->srv6.ecn[FCN_TUNNEL_ECN_NOT_ECT_CE], 1);
}
