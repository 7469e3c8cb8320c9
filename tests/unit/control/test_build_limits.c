/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* From a configuration to a snapshot: limits of notices that follow the rate of a link. */

#include "build_util.h"
#include "fcn_burst.h"

#define GBPS UINT64_C(1000000000)
#define CLASS 3

TEST_FIXTURE(FCN_TEST_EAL, .setup = build_setup_sub_interfaces, .teardown = build_teardown);

static const struct fcn_notice_common *
build(void)
{
	build_again();
	return &built->notify.common;
}

/*
 * Rates and bursts on paper: link / 8192, at least 1M a second, at most half of the ceiling divided
 * by the workers; the burst is that of 64 us. The time for each token is rounded up.
 */
TEST(queue_bucket)
{
	static const struct {
		uint64_t link, ceiling; /* bits and notices a second; ceiling 0: none */
		unsigned int workers;
		uint64_t rate;
		uint32_t cost_ns, burst;
	} paper[] = {
			{1 * GBPS, 10000000, 1, 1000000, 1000, 64},
			{10 * GBPS, 10000000, 1, 1220703, 820, 78},
			{25 * GBPS, 10000000, 1, 3051757, 328, 195},
			{100 * GBPS, 10000000, 1, 5000000, 200, 320},
			{100 * GBPS, 0, 1, 12207031, 82, 781},
			{100 * GBPS, 10000000, 4, 1250000, 800, 80},
			{100 * GBPS, 10000000, 8, 1000000, 1000, 64},
			{100 * GBPS, 1000, 1, 1000000, 1000, 64},
	};

	for (size_t i = 0; i < RTE_DIM(paper); i++) {
		const struct fcn_notice_common *common;
		struct fcn_config_bucket b;

		build_env.port[1].link_bps = paper[i].link;
		build_env.n_workers = paper[i].workers;
		build_cfg->notify.global_bucket.rate = paper[i].ceiling;
		common = build();
		assert_int_equal(common->queue[1][CLASS].cost_ns, paper[i].cost_ns);
		assert_int_equal(common->queue[1][CLASS].burst, paper[i].burst);
		b = fcn_build_queue_bucket(build_cfg, paper[i].workers, 1, CLASS, paper[i].link);
		assert_int_equal(b.rate, paper[i].rate);
		assert_int_equal(b.burst, paper[i].burst);
	}
}

/* The rate of a queue is the lowest of link, shaper of the port and peak rate. */
TEST(queue_rate)
{
	build_env.port[1].link_bps = 100 * GBPS;
	build_cfg->port[1].rate_bps = 32768000000; /* 4M packets of 1024 bytes */
	assert_int_equal(build()->queue[1][CLASS].cost_ns, 250);
	build_cfg->port[1].queue[CLASS].peak.bps = 16384000000;
	assert_int_equal(build()->queue[1][CLASS].cost_ns, 500);
	assert_int_equal(built->notify.common.queue[1][CLASS + 1].cost_ns, 250);
}

/*
 * Rates and bursts of a receiver on paper: link / 16384, at least 1M a second, at most a quarter of
 * the ceiling divided by the workers. The time for each token is rounded up, and the burst is
 * 64000 ns divided by it.
 */
TEST(receiver_bucket)
{
	static const struct {
		uint64_t link, ceiling; /* bits and notices a second; ceiling 0: none */
		unsigned int workers;
		uint64_t rate;
		uint32_t cost_ns, burst;
	} paper[] = {
			{1 * GBPS, 10000000, 1, 1000000, 1000, 64},
			{25 * GBPS, 10000000, 1, 1525878, 656, 97},
			{40 * GBPS, 10000000, 1, 2441406, 410, 156},
			{100 * GBPS, 10000000, 1, 2500000, 400, 160},
			{100 * GBPS, 0, 1, 6103515, 164, 390},
			{100 * GBPS, 10000000, 2, 1250000, 800, 80},
			{100 * GBPS, 10000000, 4, 1000000, 1000, 64},
			{100 * GBPS, 10000000, 5, 1000000, 1000, 64},
			{100 * GBPS, 10000000, 8, 625000, 1600, 40}, /* together 5M */
	};

	for (size_t i = 0; i < RTE_DIM(paper); i++) {
		const struct fcn_notice_common *common;
		const bool many = paper[i].workers > 5;

		build_env.port[1].link_bps = paper[i].link;
		build_env.n_workers = paper[i].workers;
		build_cfg->notify.global_bucket.rate = paper[i].ceiling;
		common = build();
		assert_true(common->receiver_by_link);
		assert_int_equal(common->receiver[1].cost_ns, paper[i].cost_ns);
		assert_int_equal(common->receiver[1].burst, paper[i].burst);
		assert_int_equal(fcn_build_receiver_bucket(
						 build_cfg, paper[i].workers, paper[i].link)
						 .rate,
				paper[i].rate);
		/* Without a link it is the least. */
		assert_int_equal(built->notify.kind[0].dest_cost_ns, many ? 1600 : 1000);
		assert_int_equal(built->notify.kind[0].dest_burst, many ? 40 : 64);
	}
	build_cfg->notify.dest_bucket = (struct fcn_config_bucket){.rate = 250000, .burst = 7};
	assert_false(build()->receiver_by_link);
	assert_int_equal(built->notify.kind[0].dest_cost_ns, 4000);
	assert_int_equal(built->notify.kind[0].dest_burst, 7);
}

/* ---- what is taken ---- */

static void
check_taken(const struct fcn_source_limits *limits, uint32_t node_ns, uint32_t node_burst,
		uint32_t nodes_ns, uint32_t nodes_burst)
{
	assert_true(limits->each.by_port);
	assert_true(limits->all.by_port);
	assert_int_equal(limits->each.port[1].cost_ns, node_ns);
	assert_int_equal(limits->each.port[1].burst, node_burst);
	assert_int_equal(limits->all.port[1].cost_ns, nodes_ns);
	assert_int_equal(limits->all.port[1].burst, nodes_burst);
}

/*
 * What a worker takes by a port on paper, of each kind of message: link / 2048 from all nodes, 2M
 * to 10M a second, and half of it from one node. The burst is that of 512 us. The number of workers
 * does not matter, as all messages may come to one of them. A link of unknown speed is no limit.
 */
TEST(taken)
{
	static const struct {
		uint64_t link;
		uint32_t node_ns, node_burst, nodes_ns, nodes_burst;
	} paper[] = {
			{1 * GBPS, 1000, 512, 500, 1024},
			{10 * GBPS, 410, 1248, 205, 2497}, /* 4882812 a second, and half of it */
			{100 * GBPS, 200, 2560, 100, 5120},
			{400 * GBPS, 200, 2560, 100, 5120},
	};

	assert_int_equal(fcn_build_node_bucket(0).rate, 5000000);
	assert_int_equal(fcn_build_nodes_bucket(0).rate, 10000000);
	for (size_t i = 0; i < RTE_DIM(paper); i++) {
		for (unsigned int workers = 1; workers <= 16; workers *= 4) {
			build_env.port[1].link_bps = paper[i].link;
			build_env.n_workers = workers;
			build();
			check_taken(&built->srv6.endcon, paper[i].node_ns, paper[i].node_burst,
					paper[i].nodes_ns, paper[i].nodes_burst);
			check_taken(&built->proxy.limits, paper[i].node_ns, paper[i].node_burst,
					paper[i].nodes_ns, paper[i].nodes_burst);
			check_taken(&built->arn.limits, paper[i].node_ns, paper[i].node_burst,
					paper[i].nodes_ns, paper[i].nodes_burst);
		}
	}
}

/*
 * What a node with default limits sends of one kind to one receiver, with all its workers and by a
 * link of any speed, is no more than a node takes from it by such a link. 150 octets is less than
 * any of these messages has on the line.
 */
TEST(taken_is_enough)
{
	static const uint64_t links[] = {1, 10, 25, 40, 50, 100, 200, 400, 800};

	for (size_t i = 0; i < RTE_DIM(links); i++) {
		for (unsigned int workers = 1; workers <= 32; workers++) {
			const uint64_t share = links[i] * GBPS / 10 / 8 / 150;
			struct fcn_config_bucket sent, taken;

			sent = fcn_build_receiver_bucket(build_cfg, workers, links[i] * GBPS);
			taken = fcn_build_node_bucket(links[i] * GBPS);
			assert_true(RTE_MIN(workers * sent.rate, share) <= taken.rate);
			assert_true(workers * sent.burst <= taken.burst);
			assert_true(build_cfg->arn.neighbour_bucket.rate <= taken.rate);
			assert_true(build_cfg->arn.neighbour_bucket.burst <= taken.burst);
			assert_true(2 * taken.rate <= fcn_build_nodes_bucket(links[i] * GBPS).rate);
		}
	}
}

/* A configured limit of each node is that of each worker, and one of all nodes is divided. */
TEST(taken_configured)
{
	build_env.port[1].link_bps = 100 * GBPS;
	build_env.n_workers = 4;
	build_cfg->proxy.node_bucket = (struct fcn_config_bucket){.rate = 250000, .burst = 7};
	build_cfg->proxy.total_bucket = (struct fcn_config_bucket){.rate = 1000000, .burst = 9};
	build();
	assert_false(built->proxy.limits.each.by_port);
	assert_false(built->proxy.limits.all.by_port);
	assert_int_equal(built->proxy.limits.each.port[0].cost_ns, 4000);
	assert_int_equal(built->proxy.limits.each.port[0].burst, 7);
	assert_int_equal(built->proxy.limits.all.port[0].cost_ns, 4000);
	assert_int_equal(built->proxy.limits.all.port[0].burst, 9);
	build_cfg->proxy.node_bucket.rate = 0;
	build();
	assert_false(built->proxy.limits.each.by_port);
	assert_int_equal(built->proxy.limits.each.port[0].cost_ns, 0);
	assert_true(built->arn.limits.each.by_port);
}

/* What is configured holds for all queues, whatever their rate. */
TEST(configured)
{
	build_env.port[1].link_bps = 100 * GBPS;
	build_cfg->notify.queue_bucket = (struct fcn_config_bucket){.rate = 250000, .burst = 7};
	assert_int_equal(build()->queue[0][CLASS].cost_ns, 4000);
	assert_int_equal(built->notify.common.queue[1][CLASS].cost_ns, 4000);
	assert_int_equal(built->notify.common.queue[1][CLASS].burst, 7);
	build_cfg->notify.queue_bucket.rate = 0;
	assert_int_equal(build()->queue[1][CLASS].cost_ns, 0);
}

/*
 * A tenth of 1 Gbit/s is 80 ns for an octet, and the burst is that of 10000 octets; a tenth of 100
 * Gbit/s is 0.8 ns, in units of 2^-16 ns and rounded up, and the burst is that of 500 us.
 */
TEST(link_share)
{
	static const struct {
		uint64_t link, share;
		unsigned int workers;
		uint64_t cost, burst_ns;
	} paper[] = {
			{1 * GBPS, FCN_RATIO_ONE / 10, 1, 80 << 16, 800000},
			{100 * GBPS, FCN_RATIO_ONE / 10, 1, 52429, 500000},
			{100 * GBPS, FCN_RATIO_ONE / 10, 4, 209716, 500000},
			{400 * GBPS, FCN_RATIO_ONE, 1, 1311, 500000},
			{25 * GBPS, FCN_RATIO_ONE / 1000, 1, 320 << 16, 3200000},
			{25 * GBPS, 0, 1, 0, 0},
	};

	assert_int_equal(build_cfg->notify.link_share, FCN_RATIO_ONE / 10); /* the default */
	for (size_t i = 0; i < RTE_DIM(paper); i++) {
		const struct fcn_notice_common *common;

		build_env.port[1].link_bps = paper[i].link;
		build_env.n_workers = paper[i].workers;
		build_cfg->notify.link_share = paper[i].share;
		common = build();
		assert_int_equal(common->link[1].cost, paper[i].cost);
		assert_int_equal(common->link[1].burst_ns, paper[i].burst_ns);
	}
}

/* Ports have parts in turn, and sub-interfaces, which are numbers 2 and 3 here, that of their port.
 */
TEST(parts_of_ports)
{
	static const uint8_t want[] = {0, 1, 0, 0, 2};

	assert_int_equal(fcn_config_port_add(build_cfg, "p2"), 4);
	build();
	assert_memory_equal(built->notify.common.part, want, sizeof(want));
}
