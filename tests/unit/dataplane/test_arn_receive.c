/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Messages that downstream switches send to this one, through a whole worker: which it obeys, and
 * why it refuses others. The messages are those of vector 15; checksums are computed here.
 */

#include <arpa/inet.h>

#include "reference.h"
#include "srv6_bench.h"

#define PORT 1022
#define UDP_OFF (ETHER_LEN + IP6_LEN)
#define ARN_OFF (UDP_OFF + 8)
#define LOCAL 2 /* next hop of the bench */
#define US UINT64_C(1000)

enum {
	FLOW,
	SERVICE,
	PRIORITY,
	RESUME
}; /* messages of the vector */

static struct vectors v;

/* Messages to the switch are obeyed if they come from a source of the vector. */
static int
setup(void **state)
{
	struct fcn_arn_conf *conf = &bench.snap.arn;

	srv6_bench_setup(state);
	vectors_load(&v, "15_arn");
	*conf = (struct fcn_arn_conf){
			.port = PORT, .receive = true, .any_port = true, .n_sources = 1};
	memcpy(conf->source_list[0].addr, v.data[0] + ETHER_LEN + 8, 16);
	conf->source_list[0].len = 128;
	conf->source_list[0].port = FCN_PORT_NONE;
	conf->held = (struct fcn_held_flows_conf){.flows = 4,
			.packets = 100,
			.bytes = 100000,
			.flow_packets = 100,
			.flow_bytes = 100000,
			.max_ns = 400 * US};
	bench_route("::/0", LOCAL);
	bench_routes_done();
	bench_pfc_rx(0, 0xFF);
	bench_pfc_rx(1, 0xFF);
	bench_new_snapshot();
	bench_poll(1000);
	return 0;
}

static int
teardown(void **state)
{
	vectors_free(&v);
	return srv6_bench_teardown(state);
}

TEST_FIXTURE(FCN_TEST_EAL, .setup = setup, .teardown = teardown);

static void
message(unsigned int which)
{
	srv6_arrive(v.data[which], v.len[which]);
	bench_poll(bench.worker->now + 1 * US);
}

static const struct fcn_arn_received_counters *
counters(void)
{
	return &bench.worker->arn_received.counters;
}

static void
assert_refused(enum fcn_drop_reason why, unsigned int n)
{
	bench_poll(bench.worker->now + 1 * US);
	assert_int_equal(bench_drops(why), n);
	assert_int_equal(counters()->refused, bench_all_drops());
}

/* Whether class 3 of a port is halted. */
static bool
is_halted(unsigned int port)
{
	return bench.worker->port[port].pause.halted >> 3 & 1;
}

TEST(obeyed)
{
	struct fcn_worker *w = bench.worker;
	struct fcn_punt punt;

	message(FLOW);
	assert_int_equal(w->arn_held.flows.n_flows, 1);
	message(SERVICE);
	assert_int_equal(w->arn_held.flows.n_flows, 2);
	assert_int_equal(w->arn_held.halted, 0);
	message(PRIORITY);
	assert_int_equal(w->arn_held.halted, 1);
	message(RESUME);
	assert_int_equal(w->arn_held.ended, 1);
	assert_int_equal(w->arn_held.flows.n_flows, 1);
	assert_int_equal(counters()->halts, 3);
	assert_int_equal(counters()->resumes, 1);
	assert_int_equal(counters()->services, 1);
	assert_int_equal(counters()->flows, 2);
	assert_int_equal(counters()->priorities, 1);
	assert_int_equal(counters()->refused, 0);
	assert_int_equal(w->counters[0].consumed, 4);
	assert_int_equal(w->counters[0].pause_received, 0);
	assert_int_equal(bench_all_drops(), 0);
	assert_false(srv6_take(&punt));
	bench_check();
}

/* What is no message to the switch goes to the host functions, as without this behaviour. */
TEST(not_a_message)
{
	uint8_t *frame = v.data[FLOW];
	struct fcn_punt punt;

	bench.snap.arn.receive = false;
	bench_new_snapshot();
	message(FLOW);
	assert_true(srv6_take(&punt));
	bench.snap.arn.receive = true;
	bench_new_snapshot();
	frame[UDP_OFF + 3] ^= 1; /* another port */
	message(FLOW);
	assert_true(srv6_take(&punt));
	frame[UDP_OFF + 3] ^= 1;
	frame[ETHER_LEN + 6] = IPPROTO_TCP;
	message(FLOW);
	assert_true(srv6_take(&punt));
	frame[ETHER_LEN + 6] = IPPROTO_UDP;
	assert_int_equal(bench.worker->arn_held.flows.n_flows, 0);
	assert_int_equal(counters()->refused, 0);
	message(FLOW);
	assert_false(srv6_take(&punt));
	assert_int_equal(bench.worker->arn_held.flows.n_flows, 1);
}

/* A message in a tunnel that is no SID, and a fragment, are none. */
TEST(inner)
{
	uint8_t frame[200] = {0};
	const uint32_t len = v.len[FLOW] - ETHER_LEN;
	struct fcn_punt punt;

	memcpy(frame, v.data[FLOW], ETHER_LEN + IP6_LEN);
	memcpy(frame + ETHER_LEN + IP6_LEN, v.data[FLOW] + ETHER_LEN, len);
	frame[ETHER_LEN + 5] = (uint8_t)len;
	frame[ETHER_LEN + 6] = IPPROTO_IPV6;
	srv6_arrive(frame, ETHER_LEN + IP6_LEN + len);
	bench_poll(bench.worker->now + 1 * US);
	assert_true(srv6_take(&punt));
	memcpy(frame + ETHER_LEN + IP6_LEN, (uint8_t[]){IPPROTO_UDP, 0, 0, 1, 0, 0, 0, 1}, 8);
	memcpy(frame + ETHER_LEN + IP6_LEN + 8, v.data[FLOW] + UDP_OFF, len - IP6_LEN);
	frame[ETHER_LEN + 5] = (uint8_t)(8 + len - IP6_LEN);
	frame[ETHER_LEN + 6] = IPPROTO_FRAGMENT;
	srv6_arrive(frame, ETHER_LEN + 8 + len);
	bench_poll(bench.worker->now + 1 * US);
	assert_true(srv6_take(&punt));
	assert_int_equal(bench.worker->arn_held.flows.n_flows, 0);
}

/* An octet of a message that is changed, and the reason for which it is refused. */
TEST(refused)
{
	static const struct {
		uint8_t which, off, value;
		enum fcn_drop_reason why;
	} cases[] = {
			{FLOW, ARN_OFF, 0, FCN_DROP_ARN_TYPE},
			{FLOW, ARN_OFF, 3, FCN_DROP_ARN_TYPE},
			{FLOW, ARN_OFF + 1, 0x20, FCN_DROP_ARN_VERSION},
			{FLOW, ARN_OFF + 2, 8, FCN_DROP_ARN_LEVEL},
			{FLOW, ARN_OFF + 3, 0x98, FCN_DROP_ARN_UNKNOWN_PARAMETER},
			{FLOW, ARN_OFF + 3, 0x91, FCN_DROP_ARN_UNKNOWN_PARAMETER},
			{FLOW, ARN_OFF + 3, 0xD0, FCN_DROP_ARN_TRUNCATED},
			{FLOW, ARN_OFF + 3, 0x80, FCN_DROP_ARN_LENGTH},
			{FLOW, ARN_OFF + 4, 0x50, FCN_DROP_ARN_FLOW},
			{PRIORITY, ARN_OFF + 7, 8, FCN_DROP_ARN_PRIORITY},
			{PRIORITY, ARN_OFF + 3, 0x50, FCN_DROP_ARN_NO_FLOW},
			{FLOW, ARN_OFF + 3, 0xC0, FCN_DROP_ARN_NO_TIME},
	};

	for (unsigned int i = 0; i < RTE_DIM(cases); i++) {
		uint8_t *frame = exact_copy(v.data[cases[i].which], v.len[cases[i].which]);
		const uint64_t before = bench_drops(cases[i].why);

		frame[cases[i].off] = cases[i].value;
		ref_udp_set_checksum(frame + ETHER_LEN, v.len[cases[i].which] - ETHER_LEN);
		srv6_arrive(frame, v.len[cases[i].which]);
		assert_refused(cases[i].why, before + 1);
		free(frame);
	}
	assert_int_equal(counters()->refused, RTE_DIM(cases));
	assert_int_equal(counters()->halts, 0);
	assert_int_equal(bench.worker->arn_held.flows.n_flows, 0);
}

/* Nothing but the checksum and the lengths is wrong. */
TEST(udp)
{
	uint8_t *frame = v.data[FLOW];
	const uint32_t len = v.len[FLOW];

	frame[UDP_OFF + 7] ^= 1;
	srv6_arrive(frame, len);
	assert_refused(FCN_DROP_ARN_UDP_CHECKSUM, 1);
	frame[UDP_OFF + 6] = frame[UDP_OFF + 7] = 0;
	srv6_arrive(frame, len);
	assert_refused(FCN_DROP_ARN_UDP_CHECKSUM, 2);
	ref_udp_set_checksum(frame + ETHER_LEN, len - ETHER_LEN);
	frame[UDP_OFF + 5]--;
	srv6_arrive(frame, len);
	assert_refused(FCN_DROP_ARN_UDP_LENGTH, 1);
	frame[UDP_OFF + 5] += 2;
	srv6_arrive(frame, len);
	assert_refused(FCN_DROP_ARN_UDP_LENGTH, 2);
	frame[UDP_OFF + 5]--;
	srv6_arrive(frame, len);
	bench_poll(bench.worker->now + 1 * US);
	assert_int_equal(counters()->flows, 1);
}

/* Cut at each octet, and longer by one and by so many that it is a chain of buffers. */
TEST(lengths)
{
	static uint8_t frame[3000];
	uint64_t truncated = 0;

	memcpy(frame, v.data[FLOW], v.len[FLOW]);
	for (uint32_t len = ARN_OFF; len < v.len[FLOW]; len++) {
		ref_udp_finish(frame + ETHER_LEN, len - ETHER_LEN);
		srv6_arrive(frame, len);
		assert_refused(FCN_DROP_ARN_TRUNCATED, ++truncated);
	}
	ref_udp_finish(frame + ETHER_LEN, v.len[FLOW] + 1 - ETHER_LEN);
	srv6_arrive(frame, v.len[FLOW] + 1);
	assert_refused(FCN_DROP_ARN_LENGTH, 1);
	bench.snap.port[0].mtu = 9000;
	bench_new_snapshot();
	ref_udp_finish(frame + ETHER_LEN, 2500 - ETHER_LEN);
	srv6_arrive(frame, 2500);
	assert_refused(FCN_DROP_ARN_LENGTH, 2);
	assert_int_equal(bench.worker->arn_held.flows.n_flows, 0);
}

/* Octets behind the packet are padding. */
TEST(padding)
{
	uint8_t frame[300] = {0};

	memcpy(frame, v.data[FLOW], v.len[FLOW]);
	srv6_arrive(frame, v.len[FLOW] + 20);
	bench_poll(bench.worker->now + 1 * US);
	assert_int_equal(counters()->flows, 1);
}

/* Nobody is in an empty list; of prefixes that contain a source the longest counts. */
TEST(access)
{
	struct fcn_arn_conf *conf = &bench.snap.arn;
	struct fcn_arn_source *s = conf->source_list;

	conf->n_sources = 0;
	bench_new_snapshot();
	srv6_arrive(v.data[FLOW], v.len[FLOW]);
	assert_refused(FCN_DROP_ARN_ACCESS, 1);
	conf->n_sources = 1;
	s[0].len = 45;
	for (unsigned int bit = 40; bit < 50; bit++) {
		memcpy(s[0].addr, v.data[FLOW] + ETHER_LEN + 8, 16);
		s[0].addr[bit / 8] ^= 0x80 >> bit % 8;
		bench_new_snapshot();
		srv6_arrive(v.data[FLOW], v.len[FLOW]);
		bench_poll(bench.worker->now + 1 * US);
		assert_int_equal(bench_drops(FCN_DROP_ARN_ACCESS), 1 + RTE_MIN(bit - 40 + 1, 5u));
	}
	assert_int_equal(counters()->flows, 5);
	/* A source with a port is obeyed by this port only; the longest prefix counts. */
	memcpy(s[0].addr, v.data[FLOW] + ETHER_LEN + 8, 16);
	s[0].port = 1;
	s[1] = (struct fcn_arn_source){.len = 0, .port = FCN_PORT_NONE};
	conf->n_sources = 2;
	bench_new_snapshot();
	srv6_arrive(v.data[PRIORITY], v.len[PRIORITY]);
	bench_poll(bench.worker->now + 1 * US);
	assert_int_equal(bench_drops(FCN_DROP_ARN_PORT), 1);
	assert_false(is_halted(0) || is_halted(1));
	s[0].port = 0;
	bench_new_snapshot();
	message(PRIORITY);
	assert_true(is_halted(0));
	assert_int_equal(bench_drops(FCN_DROP_ARN_PORT), 1);
}

/* A source without a port is obeyed where a route to it leaves: by one path of a group, too. */
TEST(reverse_path)
{
	char prefix[INET6_ADDRSTRLEN + 4];

	inet_ntop(AF_INET6, v.data[FLOW] + ETHER_LEN + 8, prefix, sizeof(prefix));
	strcat(prefix, "/128");
	bench.snap.arn.any_port = false;
	bench_route(prefix, 5); /* by port 1 */
	bench_routes_done();
	bench_new_snapshot();
	srv6_arrive(v.data[FLOW], v.len[FLOW]);
	assert_refused(FCN_DROP_ARN_PORT, 1);
	bench.member[0] = 5;
	bench.member[1] = 4; /* by port 0 */
	bench.next_hop[20] = (struct fcn_next_hop){.type = FCN_NEXT_HOP_GROUP, .n_members = 2};
	bench_route(prefix, 20);
	bench_routes_done();
	bench_new_snapshot();
	message(FLOW);
	assert_int_equal(counters()->flows, 1);
	bench.member[1] = 6;
	bench_new_snapshot();
	srv6_arrive(v.data[FLOW], v.len[FLOW]);
	assert_refused(FCN_DROP_ARN_PORT, 2);
	bench.snap.arn.any_port = true;
	bench_new_snapshot();
	message(FLOW);
	assert_int_equal(counters()->flows, 2);
}

/* RFC 5082: a message of a neighbour has the hop limit 255, of two hops at least 254. */
TEST(hop_limit)
{
	uint8_t *frame = v.data[FLOW];

	bench.snap.arn.least_hop_limit = 255;
	bench_new_snapshot();
	assert_int_equal(frame[ETHER_LEN + 7], 255); /* of the vector */
	message(FLOW);
	assert_int_equal(counters()->flows, 1);
	frame[ETHER_LEN + 7] = 254;
	srv6_arrive(frame, v.len[FLOW]);
	assert_refused(FCN_DROP_ARN_HOP_LIMIT, 1);
	bench.snap.arn.least_hop_limit = 254;
	bench_new_snapshot();
	message(FLOW);
	assert_int_equal(counters()->flows, 2);
	frame[ETHER_LEN + 7] = 3;
	srv6_arrive(frame, v.len[FLOW]);
	assert_refused(FCN_DROP_ARN_HOP_LIMIT, 2);
}

/* Two messages at once of a source, then one a millisecond; three of all. */
TEST(rate)
{
	struct fcn_arn_conf *conf = &bench.snap.arn;

	conf->limits.each.port[0] = (struct fcn_source_bucket){.cost_ns = 1000000, .burst = 2};
	conf->limits.all.port[0] = (struct fcn_source_bucket){.cost_ns = 1000000, .burst = 3};
	conf->source_list[0].len = 64;
	bench_new_snapshot();
	for (unsigned int i = 0; i < 3; i++)
		message(FLOW);
	assert_refused(FCN_DROP_ARN_RATE, 1);
	assert_int_equal(counters()->flows, 2);
	v.data[FLOW][ETHER_LEN + 8 + 15] ^= 1; /* another source */
	ref_udp_set_checksum(v.data[FLOW] + ETHER_LEN, v.len[FLOW] - ETHER_LEN);
	message(FLOW);
	assert_int_equal(counters()->flows, 3);
	v.data[FLOW][ETHER_LEN + 8 + 15] ^= 2; /* a third one */
	ref_udp_set_checksum(v.data[FLOW] + ETHER_LEN, v.len[FLOW] - ETHER_LEN);
	message(FLOW);
	assert_refused(FCN_DROP_ARN_TOTAL, 1);
	bench_poll(bench.worker->now + 1000 * US);
	message(FLOW);
	assert_int_equal(counters()->flows, 4);
	assert_int_equal(bench_all_drops(), 2);
}

/* Doubled: held as long as by one of them. */
TEST(doubled)
{
	struct fcn_worker *w = bench.worker;
	uint64_t until;

	srv6_arrive(v.data[FLOW], v.len[FLOW]);
	srv6_arrive(v.data[FLOW], v.len[FLOW]);
	bench_poll(2 * US);
	assert_int_equal(w->arn_held.began, 1);
	assert_int_equal(w->arn_held.flows.n_flows, 1);
	until = w->arn_held.flows.flow[0].until;
	assert_int_equal(until, 402 * US); /* 500 us are asked for, 400 us are permitted */
	message(RESUME);
	message(RESUME);
	assert_int_equal(w->arn_held.ended, 1);
	assert_int_equal(w->arn_held.not_held, 1);
	assert_int_equal(w->arn_held.flows.n_flows, 0);
}

/* The message of the end is late, and comes behind one that begins the next halt, or is lost. */
TEST(late_and_lost)
{
	struct fcn_worker *w = bench.worker;

	message(RESUME); /* before there is something to end */
	assert_int_equal(w->arn_held.not_held, 1);
	message(FLOW);
	assert_int_equal(w->arn_held.flows.n_flows, 1);
	bench_poll(401 * US);
	assert_int_equal(w->arn_held.flows.n_flows, 1);
	bench_poll(404 * US); /* its end never comes */
	assert_int_equal(w->arn_held.flows.n_flows, 0);
}

/* A message with a time of 0 ends a halt, whatever its type. */
TEST(time_of_zero)
{
	uint8_t *end = exact_copy(v.data[FLOW], v.len[FLOW]);

	message(FLOW);
	memset(end + v.len[FLOW] - 4, 0, 4);
	ref_udp_set_checksum(end + ETHER_LEN, v.len[FLOW] - ETHER_LEN);
	srv6_arrive(end, v.len[FLOW]);
	bench_poll(bench.worker->now + 1 * US);
	assert_int_equal(bench.worker->arn_held.ended, 1);
	assert_int_equal(counters()->resumes, 1);
	free(end);
}

/* Each source has counters; if there are more sources than room, the oldest of a set goes. */
TEST(sources)
{
	struct fcn_arn_received *r = &bench.worker->arn_received;
	const unsigned int room = FCN_ARN_RECEIVED_SETS * FCN_ARN_RECEIVED_WAYS;
	struct fcn_arn_received_counters sum = {0};
	unsigned int used = 0;

	bench.snap.arn.source_list[0].len = 64;
	bench_new_snapshot();
	for (unsigned int i = 0; i < 200; i++) {
		v.data[PRIORITY][ETHER_LEN + 8 + 15] = (uint8_t)i;
		ref_udp_set_checksum(v.data[PRIORITY] + ETHER_LEN, v.len[PRIORITY] - ETHER_LEN);
		message(PRIORITY);
		message(PRIORITY);
	}
	assert_int_equal(counters()->priorities, 400);
	for (unsigned int i = 0; i < room; i++) {
		const struct fcn_arn_received_source *s = &r->source[0][0] + i;

		used += s->used;
		if (s->used)
			assert_int_equal(s->counters.priorities, 2);
		FCN_COUNTERS_ADD(&sum, &s->counters, FCN_ARN_RECEIVED_COUNTERS);
	}
	assert_int_equal(used + r->forgotten, 200);
	assert_int_equal(sum.priorities, 2 * used);
	assert_true(r->forgotten > 0);
	fcn_worker_clear_counters(bench.worker);
	assert_int_equal(counters()->priorities, 0);
	assert_false(r->source[0][0].used);
}

/* Whether a source has counters. */
static bool
is_known(const struct fcn_arn_received *r, uint8_t last)
{
	for (unsigned int i = 0; i < FCN_ARN_RECEIVED_SETS * FCN_ARN_RECEIVED_WAYS; i++) {
		const struct fcn_arn_received_source *s = &r->source[0][0] + i;

		if (s->used && s->addr[15] == last)
			return true;
	}
	return false;
}

/* Each set keeps the sources whose last message is newest; source 0 sends again and again. */
TEST(oldest_goes)
{
	struct fcn_arn_received *r = &bench.worker->arn_received;
	const struct fcn_hash_key *key = &bench.worker->hash_key;
	unsigned int set[200], newer[FCN_ARN_RECEIVED_SETS] = {0};
	uint8_t addr[16] = {0x20, 1};

	for (unsigned int i = 0; i < RTE_DIM(set); i++) {
		struct fcn_arn_received_counters *c;

		addr[15] = (uint8_t)i;
		c = fcn_arn_received_source(r, key, addr, 2 * i + 1);
		set[i] = ((uintptr_t)c - (uintptr_t)r->source) / sizeof(r->source[0]);
		addr[15] = 0;
		c = fcn_arn_received_source(r, key, addr, 2 * i + 2);
		assert_int_equal(++c->flows, i + 1);
	}
	newer[set[0]] = 1;
	for (unsigned int i = RTE_DIM(set) - 1; i > 0; i--)
		assert_int_equal(is_known(r, (uint8_t)i), newer[set[i]]++ < FCN_ARN_RECEIVED_WAYS);
	assert_true(is_known(r, 0));
	assert_true(newer[set[0]] > FCN_ARN_RECEIVED_WAYS);
}

TEST(events)
{
	struct fcn_event ev[8];

	bench_events(ev, RTE_DIM(ev));
	message(PRIORITY);
	message(FLOW);
	message(RESUME);
	assert_int_equal(bench_events_of(FCN_EVENT_ARN_RECEIVED, ev, RTE_DIM(ev)), 1);
	assert_int_equal(ev[0].verdict, FCN_ARN_MODE_PRIORITY);
	assert_int_equal(ev[0].class, 3);
	assert_int_equal(ev[0].port, 0);
	assert_memory_equal(ev[0].sender, v.data[0] + ETHER_LEN + 8, 16);
	bench_poll(1004 * US);
	message(RESUME);
	message(FLOW);
	assert_int_equal(bench_events_of(FCN_EVENT_ARN_RESUMED, ev, RTE_DIM(ev)), 1);
	assert_int_equal(ev[0].verdict, FCN_ARN_MODE_FLOW);
	message(SERVICE);
	message(SERVICE);
	assert_int_equal(bench_events_of(FCN_EVENT_ARN_RECEIVED, ev, RTE_DIM(ev)), 0);
	bench_poll(3000 * US);
	message(SERVICE);
	assert_int_equal(bench_events_of(FCN_EVENT_ARN_RECEIVED, ev, RTE_DIM(ev)), 1);
	assert_int_equal(ev[0].verdict, FCN_ARN_MODE_SERVICE);
}
