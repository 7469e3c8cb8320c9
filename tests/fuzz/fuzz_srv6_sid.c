/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * libFuzzer target: a worker that receives a frame whose destination is a local SID, several times,
 * whole or in segments, so that both the slow and the fast path of SIDs see it. The first eight
 * octets say which SID (struct setup); the others are the frame. Each packet must be accounted for,
 * as must each buffer in the end.
 */

#include "fuzz_bench.h"
#include "testbed.h"

#define NEXT_HOP_SID 30 /* ... and 31: a second SID, which decapsulates */

/* Bits of setup.on. */
#define CSID 0x08
#define NO_ECHO 0x10
#define NO_HOST 0x20 /* without host functions */
#define P_NODES 0x40 /* everybody is a P node */
#define LIMITS 0x80

struct setup {
	uint8_t behavior;
	uint8_t on; /* flavors, and what is above */
	uint8_t block, node;
	uint8_t segment; /* octets of a segment; 0: there is one segment */
	uint8_t copies;
	uint8_t change; /* each copy has another octet here... */
	uint8_t where;
};

_Static_assert(sizeof(struct setup) == FRAME_OFFSET,
		"the mutator must know where the frame begins");

static struct fcn_srv6_sid sids[2];

static void
set_up_sids(const struct setup *s, const uint8_t *dst)
{
	const unsigned int behavior = s->behavior % FCN_SRV6_BEHAVIOR_COUNT;
	const struct fcn_srv6_behavior_row *row = &fcn_srv6_behaviors[behavior];
	struct fcn_fib_route *route = &bench.route[bench.n_routes++];

	sids[0] = (struct fcn_srv6_sid){
			.behavior = (uint8_t)behavior,
			.inner = row->inner,
			.argument = row->argument,
			.next_hop = s->copies & 1 ? 6 : 3,
			.serial = 1,
	};
	if (row->inner == 0) {
		sids[0].flavors = s->on & 7;
		if (s->on & FCN_SRV6_FLAVOR_USD)
			sids[0].inner = FCN_SRV6_INNER_IPV6 | FCN_SRV6_INNER_IPV4;
		sids[0].has_csid = s->on & CSID && fcn_srv6_csid_is_valid(s->block, s->node);
		sids[0].csid = (struct fcn_srv6_csid){s->block, s->node};
	}
	sids[0].is_fast_step = behavior == FCN_SRV6_END && !sids[0].has_csid;
	sids[0].is_fast_decaps = behavior == FCN_SRV6_END_DT6 || behavior == FCN_SRV6_END_DT46;
	sids[1] = (struct fcn_srv6_sid){.behavior = FCN_SRV6_END_DT46,
			.inner = FCN_SRV6_INNER_IPV6 | FCN_SRV6_INNER_IPV4,
			.argument = FCN_SRV6_ARGUMENT_TABLE,
			.slot = 1,
			.serial = 2,
			.is_fast_decaps = true};
	*route = (struct fcn_fib_route){.next_hop = NEXT_HOP_SID};
	route->prefix.addr.version = 6;
	memcpy(route->prefix.addr.bytes, dst, 16);
	route->prefix.len = sids[0].has_csid ? s->block + s->node : 128;
	fcn_prefix_normalise(&route->prefix);
}

static void
set_up(const struct setup *s, const uint8_t *dst)
{
	bench_route("::/0", 5);
	bench_route("0.0.0.0/0", 5);
	bench_route("2001:db8:e4::/48", NEXT_HOP_SID + 1);
	set_up_sids(s, dst);
	for (unsigned int i = 0; i < 2; i++)
		bench.next_hop[NEXT_HOP_SID + i] = (struct fcn_next_hop){.type = FCN_NEXT_HOP_LOCAL,
				.local = FCN_LOCAL_SRV6,
				.first_member = i};
	bench_routes_done();
	bench.snap.srv6 = (struct fcn_srv6_conf){
			.sid = sids, .n_sids = 2, .echo = !(s->on & NO_ECHO), .ecn_event = true};
	if (s->on & LIMITS) {
		bench.snap.srv6.endcon.each.port[0] = (struct fcn_source_bucket){1000, 2};
		bench.snap.srv6.endcon.all.port[0] = (struct fcn_source_bucket){700, 3};
	}
	if (s->on & P_NODES) {
		struct fcn_prefix_value all = {.prefix.addr.version = 6, .value = 1};

		bench.snap.srv6.p_nodes = fcn_prefix_list_create("nodes", &all, 1, SOCKET_ID_ANY);
		assert_non_null(bench.snap.srv6.p_nodes);
	}
	if (!(s->on & NO_HOST))
		bench_punts();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64_t now = 1000000;
	struct setup s;
	uint8_t *frame;
	uint32_t len;

	frame = fuzz_begin(data, size, RTE_ETHER_HDR_LEN + 40, 3000, &s, &len);
	if (frame == NULL)
		return 0;
	set_up(&s, frame + RTE_ETHER_HDR_LEN + 24);
	bench_new_snapshot();
	memcpy(frame, &bench.snap.port[0].mac, RTE_ETHER_ADDR_LEN);
	for (unsigned int i = 0; i <= s.copies % 6; i++) {
		fuzz_arrive(0, frame, len, s.segment, true);
		now += 500;
		bench_poll(now);
		fuzz_take_punts();
		bench_check();
		fuzz_change(frame, len, s.where, s.change);
	}
	fcn_prefix_list_free(bench.snap.srv6.p_nodes);
	fuzz_end(frame);
	return 0;
}
