/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * What local SIDs refuse, through a whole worker: each malformed packet by its name, with the right
 * ICMPv6 error; and what goes to the host functions instead.
 */

#include <netinet/in.h>

#include "srv6_bench.h"

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

TEST_FIXTURE(FCN_TEST_EAL, .setup = srv6_bench_setup, .teardown = srv6_bench_teardown);

TEST(refusals)
{
	struct vectors v;

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
TEST(tlv_refusals)
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
TEST(malformed_vectors)
{
	static const enum fcn_srv6_error errors[] = {
			FCN_SRV6_SRH_SEGMENTS_LEFT, FCN_SRV6_SRH_LAST_ENTRY, FCN_SRV6_SRH_LENGTH};
	struct vectors v;

	vectors_load(&v, "16_malformed");
	for (unsigned int i = 0; i < RTE_DIM(errors); i++) {
		srv6_set_sid(v.data[11 + i], FCN_SRV6_END, 0);
		srv6_arrive(v.data[11 + i], v.len[11 + i]);
		assert_refused(errors[i], IP6_LEN + 3);
	}
	vectors_free(&v);
}

/* An error is sent within the rate of its kind: then the packet is dropped by its own reason. */
TEST(policed)
{
	struct fcn_punt punt;
	struct vectors v;

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
TEST(echo)
{
	struct fcn_punt punt;
	struct frame f;

	for (unsigned int i = 0; i < 3; i++) {
		memset(&f, 0, sizeof(f));
		frame_ether(&f, RTE_ETHER_TYPE_IPV6);
		frame_ip6(&f, i == 1 ? IPPROTO_ROUTING : IPPROTO_ICMPV6);
		if (i == 1)
			frame_srh(&f, IPPROTO_ICMPV6, 1, 0, 0);
		frame_zero(&f, 16);
		f.data[f.len - 16] = 128;
		frame_finish(&f);
		srv6_set_sid(f.data, i == 1 ? FCN_SRV6_END : FCN_SRV6_END_DT6,
				i == 1 ? FCN_SRV6_FLAVOR_USP : 0);
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

/* A header with segments left to an address of the switch that is no SID (RFC 8754 4.3.2). */
TEST(no_sid)
{
	struct fcn_punt punt;
	struct vectors v;

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
