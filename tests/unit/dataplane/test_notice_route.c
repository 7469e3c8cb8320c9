/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Whether a notice can reach the sender is known before it is made; what is lost later is told. */

#include "fcn_punt.h"
#include "testbed.h"

#define GROUP 40

static int
setup(void **state)
{
	bench_setup(state);
	bench_route("2001:db8:1::/48", 5); /* the congested way: by port 1 */
	bench_route("2001:db8:0::/48", 6); /* senders: by port 2 */
	bench_routes_done();
	bench_notices(1, 1);
	return 0;
}

TEST_FIXTURE(FCN_TEST_EAL, .setup = setup, .teardown = bench_teardown);

static void
arrive_by(uint16_t port, uint8_t sender)
{
	struct frame f;

	frame_roce6(&f, sender, 1, 2, 100);
	memcpy(f.data, &bench.snap.port[port].mac, 6);
	bench_in(port, &f);
}

static void
arrive(uint8_t sender)
{
	arrive_by(0, sender);
}

/* One packet: no notice, nothing dropped, CE instead, and it is said why. */
static void
assert_unreachable(uint8_t sender)
{
	const uint64_t before = bench_verdict(1, 3, FCN_NOTIFY_UNREACHABLE);
	const uint64_t made = bench.worker->notice_accounting[0].made;

	arrive(sender);
	bench_poll(bench.worker->now + 1);
	assert_int_equal(bench.port[1].n_out, 1);
	assert_int_equal(bench_out(1, 0)[15] & 0x30, 0x30);
	assert_int_equal(bench.port[2].n_out, 0);
	assert_int_equal(bench_verdict(1, 3, FCN_NOTIFY_UNREACHABLE), before + 1);
	assert_int_equal(bench.worker->notice_accounting[0].made, made);
	assert_int_equal(bench_all_drops(), 0);
}

static void
assert_notified(uint8_t sender, uint16_t port)
{
	arrive(sender);
	bench_poll(bench.worker->now + 1);
	assert_int_equal(bench.port[1].n_out, 1);
	assert_int_equal(bench.port[port].n_out, 1);
	assert_int_equal(bench_out(port, 0)[14 + 24 + 15], sender);
}

/* What stands in the route table where the sender's next hop should be. */
TEST(next_hops)
{
	static const uint8_t types[] = {FCN_NEXT_HOP_NO_ROUTE, FCN_NEXT_HOP_BLACKHOLE,
			FCN_NEXT_HOP_LOCAL, FCN_NEXT_HOP_NO_NEIGHBOUR, FCN_NEXT_HOP_CONNECTED};
	const struct fcn_next_hop good = bench.next_hop[6];

	assert_notified(1, 2);
	for (unsigned int cap = FCN_SENDER_UNKNOWN; cap <= FCN_SENDER_CAPABLE; cap++) {
		bench.fastcnp.default_capability = cap;
		for (unsigned int mark = 0; mark < 2; mark++) {
			bench.fastcnp.mark_unknown = mark;
			for (unsigned int i = 0; i < RTE_DIM(types); i++) {
				bench.next_hop[6].type = types[i];
				bench_new_snapshot();
				assert_unreachable(1);
				assert_unreachable(1);
			}
		}
	}
	bench.next_hop[6] = good;
	bench_new_snapshot();
	assert_notified(1, 2);
}

/* The port of the way back has no link, or is gone: of a routed packet and of a bridged one. */
TEST(ports)
{
	bench.snap.port[2].down = true;
	bench_new_snapshot();
	assert_unreachable(1);
	bench.snap.port[2].down = false;
	bench_new_snapshot();
	assert_notified(1, 2);
	bench_forget_out();
	fcn_worker_port_remove(bench.worker, 2);
	assert_unreachable(2);
}

TEST(bridged)
{
	struct frame f;

	bench_bridge(2);
	bench_notices(1, 1);
	bench.fastcnp.default_capability = FCN_SENDER_CAPABLE;
	for (unsigned int k = 0; k < 3; k++) {
		bench.snap.port[0].down = k == 1;
		bench.snap.port[0].err_disabled = k == 2;
		bench_new_snapshot();
		frame_roce6(&f, 9, 1, 2, 100);
		frame_macs(&f, 2, 9);
		bench_send(0, &f, 1 + k);
		assert_int_equal(bench.port[1].n_out, 1);
		assert_int_equal((bench_out(1, 0)[15] & 0x30) == 0x30, k != 0);
		assert_int_equal(bench.port[0].n_out, k == 0);
	}
	assert_int_equal(bench_verdict(1, 3, FCN_NOTIFY_UNREACHABLE), 2);
}

/* Paths of equal cost: the notice takes the one that its own addresses and ports say. */
TEST(group)
{
	uint64_t share[FCN_MAX_PORTS] = {0};

	bench.next_hop[6] = (struct fcn_next_hop){
			.type = FCN_NEXT_HOP_GROUP, .n_members = 2, .first_member = 0};
	bench.next_hop[GROUP] = bench.next_hop[7];
	bench.next_hop[GROUP].port = bench.next_hop[GROUP].interface = 2;
	bench.member[0] = GROUP;
	bench.member[1] = 7;
	bench_new_snapshot();
	for (unsigned int sender = 1; sender < 65; sender++) {
		uint16_t by[2];

		for (unsigned int k = 0; k < 2; k++) {
			arrive(sender);
			bench_poll(bench.worker->now + 1);
			assert_int_equal(bench.port[2].n_out + bench.port[3].n_out, 1);
			by[k] = bench.port[2].n_out == 1 ? 2 : 3;
		}
		assert_int_equal(by[0], by[1]);
		share[by[0]]++;
	}
	/* Expected 32 each, standard deviation 4: four of them. */
	assert_in_range(share[2], 16, 48);
	/* One path without link: the senders whose notices would take it cannot be reached. */
	bench.snap.port[3].down = true;
	bench_new_snapshot();
	for (unsigned int sender = 1; sender < 65; sender++) {
		arrive(sender);
		bench_poll(bench.worker->now + 1);
	}
	assert_int_equal(bench_verdict(1, 3, FCN_NOTIFY_UNREACHABLE), share[3]);
	assert_int_equal(bench_all_drops(), 0);
}

/* A policy leads to the sender: the notice is in a tunnel, and otherwise as it was. It is made only
 * if it can leave. */
TEST(policy)
{
	static const uint8_t segment[1][16] = {{0x20, 1, 0xd, 0xb8, 0xe1}};
	const struct fcn_srv6_encaps_conf conf = {.mode = FCN_SRV6_NO_SRH,
			.segments = segment,
			.n_segments = 1,
			.source = {0x20, 1, 0xd, 0xb8, 0xff}};
	struct fcn_encaps encaps = {.via = 7, .tclass_copied = 0xFF, .hop_limit = 33};
	uint8_t plain[256];
	uint32_t len;

	assert_int_equal(fcn_srv6_encaps_init(&encaps.other, &conf), 0);
	encaps.roce = encaps.other;
	arrive(1);
	bench_poll(bench.worker->now + 1);
	len = bench_out_len(2, 0) - 14;
	memcpy(plain, bench_out(2, 0) + 14, len);
	bench.snap.srv6.encaps = &encaps;
	bench.snap.srv6.n_encaps = 1;
	bench.next_hop[6] = (struct fcn_next_hop){
			.type = FCN_NEXT_HOP_ENCAPS, .port = 3, .interface = 3, .mtu = 1460};
	bench_new_snapshot();
	bench_forget_out();
	arrive(1);
	bench_poll(bench.worker->now + 1);
	assert_int_equal(bench.port[3].n_out, 1);
	assert_int_equal(bench_out_len(3, 0), 14 + 40 + len);
	assert_memory_equal(bench_out(3, 0) + 14 + 8, conf.source, 16);
	assert_memory_equal(bench_out(3, 0) + 14 + 24, segment[0], 16);
	assert_int_equal(bench_out(3, 0)[14 + 6], IPPROTO_IPV6);
	assert_int_equal(bench_out(3, 0)[14 + 7], 33);
	assert_memory_equal(bench_out(3, 0) + 14 + 40, plain, len);
	bench.next_hop[7].type = FCN_NEXT_HOP_NO_NEIGHBOUR;
	bench_new_snapshot();
	assert_unreachable(1);
	bench.snap.srv6.encaps = NULL;
}

TEST(sub_interface)
{
	bench.next_hop[6].type = FCN_NEXT_HOP_FORWARD_TAGGED;
	bench.next_hop[6].vlan = 100;
	bench_new_snapshot();
	arrive(1);
	bench_poll(1);
	assert_int_equal(bench.port[2].n_out, 1);
	assert_memory_equal(bench_out(2, 0) + 12, ((uint8_t[]){0x81, 0, 6 << 5, 100}), 4);
	assert_int_equal(bench_out(2, 0)[18 + 24 + 15], 1);
}

static uint64_t
lost(enum fcn_drop_reason why)
{
	return bench.worker->notice_accounting[0].lost[why];
}

/* Notices made, and lost behind that: by a full queue, a link that goes, a port that goes. */
TEST(lost)
{
	const struct fcn_notice_accounting *l = &bench.worker->notice_accounting[0];

	bench.port[2].accept = 0;
	bench_queue_conf(2, 6)->limit_packets = 5;
	for (unsigned int i = 0; i < 8; i++)
		arrive(i + 1);
	bench_poll(1);
	bench_check();
	assert_int_equal(l->made, 8);
	assert_int_equal(lost(FCN_DROP_QUEUE_PACKETS), 3);
	/* Counters begin anew: what is queued is carried over. */
	fcn_worker_clear_counters(bench.worker);
	assert_int_equal(l->carried, 5);
	bench_check();
	bench.port[2].accept = 2;
	bench_poll(2);
	assert_int_equal(l->transmitted, 2);
	bench_check();
	bench.port[2].accept = 0;
	bench.snap.port[2].down = true;
	bench_new_snapshot();
	bench_poll(3);
	assert_int_equal(lost(FCN_DROP_PORT_DOWN), 3);
	assert_int_equal(l->queued, 0);
	bench_check();
	bench.snap.port[2].down = false;
	bench_new_snapshot();
	arrive(1);
	arrive(2);
	bench_poll(4);
	assert_int_equal(l->queued, 2);
	fcn_worker_port_remove(bench.worker, 2);
	assert_int_equal(lost(FCN_DROP_PORT_GONE), 2);
	bench_check();
}

/* A notice that is longer than the way back can carry. */
TEST(too_long)
{
	bench.next_hop[6].mtu = 100;
	bench_new_snapshot();
	arrive(1);
	bench_poll(1);
	assert_int_equal(lost(FCN_DROP_MTU), 1);
	assert_int_equal(bench.worker->notice_accounting[0].made, 1);
}

/* A notice that cannot go is dropped by its worker. It has no Ethernet header, and the host
 * functions, which take packets from that header on, never get it. */
TEST(lost_is_not_punted)
{
	struct fcn_punt punt;

	bench_punts();
	test_too_long(state);
	for (unsigned int k = 0; k < FCN_PUNT_KIND_COUNT; k++)
		assert_false(fcn_punt_dequeue(bench.worker->punts, k, &punt));
}

/* The host functions are asked for a neighbour: now and then, so many for packets of one port. */
TEST(questions)
{
	struct fcn_resolve_request question;
	unsigned int n;

	bench.worker->resolve.requests = rte_ring_create_elem("asks", sizeof(question), 256,
			SOCKET_ID_ANY, RING_F_SP_ENQ | RING_F_SC_DEQ);
	assert_non_null(bench.worker->resolve.requests);
	bench.next_hop[6].type = FCN_NEXT_HOP_CONNECTED;
	bench_new_snapshot();
	arrive(1); /* no host functions: nobody is asked */
	bench_poll(1000);
	assert_true(rte_ring_empty(bench.worker->resolve.requests));
	bench.snap.punt = 1u << FCN_PUNT_NO_NEIGHBOUR;
	for (unsigned int turn = 0; turn < 10; turn++) {
		arrive(1);
		arrive(1);
		bench_poll(1000 + turn * UINT64_C(10000000)); /* 0 to 90 ms */
	}
	assert_int_equal(rte_ring_count(bench.worker->resolve.requests), 1);
	assert_int_equal(rte_ring_sc_dequeue_elem(bench.worker->resolve.requests, &question,
					 sizeof(question)),
			0);
	assert_int_equal(question.sender[15], 1);
	assert_int_equal(question.in_port, 0);
	arrive_by(3, 99);
	bench_poll(1000 + UINT64_C(95000000));
	assert_int_equal(rte_ring_sc_dequeue_elem(bench.worker->resolve.requests, &question,
					 sizeof(question)),
			0);
	assert_int_equal(question.sender[15], 99);
	assert_int_equal(question.in_port, 3); /* whose packet it was, not where it was to leave */
	arrive(1);
	bench_poll(1000 + UINT64_C(100000000));
	assert_int_equal(rte_ring_count(bench.worker->resolve.requests), 1);
	/* A scan: 32 at once. Then one a millisecond. */
	for (unsigned int k = 0; k < 2; k++) {
		for (unsigned int i = 0; i < 200; i++)
			arrive(i + 2);
		for (unsigned int turn = 0; turn < 10; turn++)
			bench_poll(UINT64_C(1000000000) + k * UINT64_C(10000000));
		n = rte_ring_count(bench.worker->resolve.requests) - 1;
		assert_int_equal(n, k == 0 ? 32 : 42);
	}
}
