/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Whose packets a queue gets while it is congested, and whose it refuses. */

#include "testbed.h"

#define LEN 1000 /* bytes of a packet where it matters */
#define HEADERS (14 + 64)

static struct fcn_top_flows_sum sum;

static int
setup(void **state)
{
	bench_setup(state);
	bench_route("192.0.2.0/24", 5);
	bench_port_routes(2);
	bench_set_ops(1, &bench_gate_ops);
	bench.port[1].accept = 0;
	return 0;
}

TEST_FIXTURE(BENCH_LARGE_EAL, .setup = setup, .teardown = bench_teardown);

/* Send packets of a sender, which cannot be told anything. */
static void
send_from(uint8_t sender, unsigned int n, uint32_t len)
{
	struct frame f;

	frame_roce6(&f, sender, 1, 2, len - HEADERS);
	for (unsigned int i = 0; i < n; i++)
		bench_in(0, &f);
	bench_poll(bench.worker->now + 10);
}

static const struct fcn_top_flow *
flow_of(uint8_t sender)
{
	fcn_top_flows_sum(bench_queue(1, 3)->top_flows, &sum);
	for (unsigned int i = 0; i < sum.n; i++) {
		if (sum.flow[i].key.sender[15] == sender)
			return &sum.flow[i];
	}
	return NULL;
}

static void
assert_flow(uint8_t sender, uint64_t bytes, uint64_t packets, uint64_t marked, uint64_t dropped)
{
	const struct fcn_top_flow *f = flow_of(sender);

	assert_non_null(f);
	assert_int_equal(f->bytes, bytes);
	assert_int_equal(f->packets, 256 * packets);
	assert_int_equal(f->marked, 256 * marked);
	assert_int_equal(f->dropped, 256 * dropped);
	assert_int_equal(f->over, 0);
}

/* From the packet on that makes the queue congested, those that are lost included; whatever the
 * sender understands, and whether notices are on or not. */
TEST(from_threshold)
{
	const struct fcn_queue_stats *s = &bench_queue(1, 3)->stats;

	for (unsigned int round = 0; round < 2; round++) {
		bench_notices(1, 3000);
		bench_queue_conf(1, 3)->limit_bytes = 10000;
		bench_queue_conf(1, 3)->policy.notify = round == 0;
		bench.fastcnp.default_capability = FCN_SENDER_NONE;
		send_from(1, 2, LEN);
		assert_int_equal(s->arrived_packets, 0);
		assert_null(flow_of(1));
		send_from(2, 3, LEN);
		send_from(3, 4, LEN);
		send_from(1, 4, LEN);
		assert_int_equal(s->arrived_packets, 11);
		assert_int_equal(s->arrived_bytes, 11 * LEN);
		assert_flow(2, 3 * LEN, 3, 3, 0);
		assert_flow(3, 4 * LEN, 4, 4, 0);
		assert_flow(1, 4 * LEN, 4, 1, 3);
		assert_int_equal(s->drop[FCN_REFUSED_QUEUE_BYTES], 3);
		assert_int_equal(s->ce_marked, 8);
		assert_int_equal(s->notices, 0);
		/* It drains, and what comes then finds no congestion. */
		bench.port[1].accept = UINT16_MAX;
		bench_poll(bench.worker->now + 10);
		send_from(4, 2, LEN);
		assert_null(flow_of(4));
		bench_poll(bench.worker->now + 10);
		bench.port[1].accept = 0;
		fcn_worker_clear_counters(bench.worker);
		assert_int_equal(s->arrived_bytes, 0);
		assert_null(flow_of(1));
	}
}

/* Without a detector, who is refused counts; without room at the link, nobody is to blame. */
TEST(refused)
{
	bench_queue_conf(1, 3)->limit_bytes = 5000;
	send_from(1, 3, LEN);
	send_from(2, 4, LEN);
	assert_null(flow_of(1));
	assert_flow(2, 2 * LEN, 2, 0, 2);
	bench_queue_conf(1, 3)->limit_bytes = 50000;
	bench_queue_conf(1, 3)->limit_packets = 6;
	send_from(1, 3, 500);
	assert_flow(1, 2 * 500, 2, 0, 2);
	assert_int_equal(bench_queue(1, 3)->stats.arrived_packets, 4);
	bench.snap.port[1].down = true;
	send_from(3, 5, LEN);
	assert_null(flow_of(3));
	assert_int_equal(bench_queue(1, 3)->stats.drop[FCN_REFUSED_PORT_DOWN], 5 + 6);
	assert_int_equal(bench_queue(1, 3)->stats.arrived_packets, 4);
}

/* The switch's own packets are no flows: its notices meet a congested queue here. */
TEST(own_packets)
{
	bench_notices(1, 1);
	bench_notices(0, 1);
	bench.fastcnp.default_capability = FCN_SENDER_CAPABLE;
	send_from(1, 20, LEN);
	assert_int_equal(bench_accepted(bench_queue(0, 6)), 20);
	assert_int_equal(bench_queue(0, 6)->stats.arrived_packets, 0);
	assert_flow(1, 20 * LEN, 20, 0, 0);
}

/* A detector that chooses at dequeue: what leaves while it finds congestion, with its marks, and
 * what is refused. */
TEST(at_dequeue)
{
	struct fcn_queue_conf *conf = bench_queue_conf(1, 3);

	bench.snap.port[1].egress.at_dequeue = 1 << 3;
	conf->slow_path = true;
	conf->policy.ecn = true;
	conf->limit_bytes = 10000;
	conf->detector = (struct fcn_detector_conf){.type = FCN_DETECTOR_STEP,
			.at_dequeue = true,
			.enter = 6000,
			.leave = 4000,
			.limit = conf->limit_bytes};
	fcn_detector_levels(&conf->detector);
	send_from(1, 4, LEN);
	send_from(2, 8, LEN);
	assert_flow(2, 2 * LEN, 2, 0, 2);
	assert_null(flow_of(1));
	bench.port[1].accept = UINT16_MAX;
	bench_poll(bench.worker->now + 10);
	/* They leave 10000, 9000 ... 4000 bytes, the seventh the last before congestion ends. */
	assert_int_equal(bench_queue(1, 3)->stats.ce_marked, 7);
	assert_flow(1, 4 * LEN, 4, 4, 0);
	assert_flow(2, 5 * LEN, 5, 3, 2);
}

/* Get the only flow of a queue that one frame came to. */
static const struct fcn_flow_key *
only_key(const struct frame *f, unsigned int class)
{
	bench_forget_out();
	fcn_worker_clear_counters(bench.worker);
	bench_in(0, f);
	bench_poll(bench.worker->now + 10);
	fcn_top_flows_sum(bench_queue(1, class)->top_flows, &sum);
	assert_int_equal(sum.n, 1);
	assert_int_equal(sum.bytes, f->len);
	return &sum.flow[0].key;
}

static void
assert_ends(const struct fcn_flow_key *key, const char *sender, const char *receiver)
{
	const struct fcn_addr from = fcn_addr_unmap(key->sender),
			      to = fcn_addr_unmap(key->receiver);
	char text[FCN_ADDR_STRLEN];

	assert_string_equal(fcn_addr_format(&from, text, sizeof(text)), sender);
	assert_string_equal(fcn_addr_format(&to, text, sizeof(text)), receiver);
}

/* What tells flows apart. */
TEST(keys)
{
	const struct fcn_flow_key *key;
	struct frame f;

	bench_notices(1, 1);
	bench.snap.notify.on = 0;
	bench.port[1].accept = UINT16_MAX;
	frame_roce6(&f, 9, 1, 2, 100);
	key = only_key(&f, 3);
	assert_ends(key, "2001:db8::9", "2001:db8:1::2");
	assert_int_equal(key->form, FCN_FLOW_ROCE);
	assert_int_equal(key->dest_qp, 0x123456);
	assert_int_equal(key->src_port | key->dst_port | key->proto, 0);

	frame_ether(&f, 0x0800);
	frame_ip4(&f, 17, 20);
	frame_roce(&f, 0);
	frame_finish(&f);
	frame_to_port(&f, 0, 1);
	key = only_key(&f, bench.snap.class_map.dscp[0x6A >> 2]);
	assert_ends(key, "192.0.2.1", "192.0.2.2");
	assert_int_equal(key->form, FCN_FLOW_ROCE);
	assert_int_equal(key->dest_qp, 0x123456);

	/* TCP */
	frame_ether(&f, 0x86DD);
	frame_ip6(&f, 6);
	frame_put(&f, ((uint8_t[20]){0x12, 0x34, 0x56, 0x78, [12] = 5 << 4}), 20);
	frame_finish(&f);
	frame_to_port(&f, 0, 1);
	f.data[14 + 24 + 5] = 1;
	frame_class(&f, 3, 0);
	key = only_key(&f, 3);
	assert_ends(key, "2001:db8::1", "2001:db8:1::2");
	assert_int_equal(key->form, FCN_FLOW_PORTS);
	assert_int_equal(key->proto, 6);
	assert_int_equal(key->src_port, 0x1234);
	assert_int_equal(key->dst_port, 0x5678);
	assert_int_equal(key->dest_qp, 0);

	/* RoCEv2 in a tunnel belongs to those at its ends. */
	frame_ether(&f, 0x86DD);
	frame_ip6(&f, 41);
	frame_ip6(&f, 17);
	frame_roce(&f, 100);
	frame_finish(&f);
	frame_to_port(&f, 0, 1);
	f.data[14 + 24 + 5] = 1;
	f.data[14 + 40 + 8 + 15] = 0x77;
	frame_class(&f, 3, 1);
	key = only_key(&f, 3);
	assert_ends(key, "2001:db8::77", "2001:db8::2");
	assert_int_equal(key->form, FCN_FLOW_ROCE);
}

/* What is not IP has MAC addresses and a type. */
TEST(not_ip)
{
	const struct fcn_flow_key *key;
	struct frame f;

	bench_bridge(2);
	bench_notices(1, 1);
	bench.port[1].accept = UINT16_MAX;
	frame_ether(&f, 0x8915);
	frame_zero(&f, 46);
	frame_macs(&f, 2, 9);
	key = only_key(&f, bench.snap.class_map.dscp[0]);
	assert_int_equal(key->form, FCN_FLOW_LINK);
	assert_int_equal(key->ether_type, 0x8915);
	assert_memory_equal(key->sender, f.data + 6, 6);
	assert_memory_equal(key->receiver, f.data, 6);
}

/* Packets that are queued together count as those that are queued one by one: the same traffic both
 * ways, with marks and drops, and beyond the packets that are all drawn. */
TEST(runs)
{
	static struct fcn_top_flows_sum found[2];
	uint64_t all[2], refused[2];

	for (unsigned int alone = 0; alone < 2; alone++) {
		const struct fcn_queue *q = bench_queue(1, 3);
		uint64_t seed = 5;

		fcn_worker_clear_counters(bench.worker);
		bench.worker->drawing.state = 1;
		bench_notices(1, 9000);
		bench.snap.notify.on = 0;
		bench_queue_conf(1, 3)->slow_path = alone != 0;
		bench_queue_conf(1, 3)->limit_bytes = 30000;
		bench_queue_conf(1, 3)->policy.mark_bytes = 15000;
		bench.port[1].accept = UINT16_MAX;
		bench_poll(bench.worker->now + 10);
		for (unsigned int turn = 0; turn < 3000; turn++) {
			const unsigned int n = fcn_test_random(&seed) % 30;

			for (unsigned int i = 0; i < n; i++) {
				uint8_t sender = fcn_test_random(&seed) % 60;
				struct frame f;

				if (fcn_test_random(&seed) % 3 == 0)
					sender = 200;
				frame_roce6(&f, sender, 1, 2, fcn_test_random(&seed) % 1400);
				bench_in(0, &f);
			}
			bench.port[1].accept = fcn_test_random(&seed) % 30;
			bench_poll(bench.worker->now + 10);
		}
		all[alone] = q->stats.arrived_bytes;
		refused[alone] = q->stats.drop[FCN_REFUSED_QUEUE_BYTES];
		fcn_top_flows_sum(q->top_flows, &found[alone]);
		/* All that came is in the sum, but for the stratum that has just begun. */
		assert_true(found[alone].bytes < all[alone] + q->top_flows->size);
		assert_true(all[alone] < found[alone].bytes + q->top_flows->size);
		assert_false(found[alone].exact);
		bench.port[1].accept = UINT16_MAX;
		bench_poll(bench.worker->now + 10);
	}
	assert_true(all[0] == all[1] && refused[0] == refused[1] && refused[0] > 200);
	assert_true(found[0].bytes == found[1].bytes);
	assert_int_equal(found[0].n, found[1].n);
	for (unsigned int i = 0; i < found[0].n; i++) {
		const struct fcn_top_flow *a = &found[0].flow[i], *b = &found[1].flow[i];

		assert_memory_equal(&a->key, &b->key, sizeof(a->key));
		assert_true(a->bytes == b->bytes && a->over == b->over && a->packets == b->packets);
		assert_true(a->marked == b->marked && a->dropped == b->dropped);
	}
	/* A third of the packets are of one sender. */
	assert_int_equal(found[0].flow[0].key.sender[15], 200);
	assert_true(found[0].flow[0].bytes > all[0] / 4 && found[0].flow[0].bytes < all[0] / 2);
	assert_true(found[0].flow[0].marked > 0 && found[0].flow[0].dropped > 0);
}
