/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* From a configuration to a snapshot: limits of notices that follow the rate of a link. */

#include "fcn_build.h"
#include "fcn_burst.h"
#include "fcn_test.h"

#define GBPS UINT64_C(1000000000)
#define CLASS 3

static struct fcn_config *cfg;
static struct fcn_snapshot *built;
static struct fcn_build_env env;

/* Ports 0 and 1, and a sub-interface of port 0, which is 2. */
static int
setup(void **state)
{
	RTE_SET_USED(state);
	cfg = fcn_config_create();
	built = NULL;
	env = (struct fcn_build_env){.name = "limits", .socket = SOCKET_ID_ANY, .n_workers = 1};
	return cfg == NULL || fcn_config_port_add(cfg, "p0") != 0 ||
	       fcn_config_port_add(cfg, "p1") != 1 ||
	       fcn_config_sub_interface_add(cfg, "p0.7", 0, 7) != 2;
}

static int
teardown(void **state)
{
	RTE_SET_USED(state);
	fcn_snapshot_free(built);
	fcn_config_free(cfg);
	return 0;
}

static const struct fcn_notice_common *
build(void)
{
	char err[256] = "";

	fcn_snapshot_free(built);
	env.generation++;
	built = fcn_snapshot_build(cfg, &env, err, sizeof(err));
	assert_string_equal(err, "");
	assert_non_null(built);
	return &built->notify.common;
}

/*
 * Rates and bursts on paper: link / 8192, at least 1M a second, at most half of the ceiling divided
 * by the workers; the burst is that of 64 us. The time for each token is rounded up.
 */
static void
test_queue_bucket(void **state)
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

	RTE_SET_USED(state);
	for (size_t i = 0; i < RTE_DIM(paper); i++) {
		const struct fcn_notice_common *common;
		struct fcn_config_bucket b;

		env.port[1].link_bps = paper[i].link;
		env.n_workers = paper[i].workers;
		cfg->notify.global_bucket.rate = paper[i].ceiling;
		common = build();
		assert_int_equal(common->queue[1][CLASS].cost_ns, paper[i].cost_ns);
		assert_int_equal(common->queue[1][CLASS].burst, paper[i].burst);
		b = fcn_build_queue_bucket(cfg, paper[i].workers, 1, CLASS, paper[i].link);
		assert_int_equal(b.rate, paper[i].rate);
		assert_int_equal(b.burst, paper[i].burst);
	}
}

/* The rate of a queue is the lowest of link, shaper of the port and peak rate. */
static void
test_queue_rate(void **state)
{
	RTE_SET_USED(state);
	env.port[1].link_bps = 100 * GBPS;
	cfg->port[1].rate_bps = 32768000000; /* 4M packets of 1024 bytes */
	assert_int_equal(build()->queue[1][CLASS].cost_ns, 250);
	cfg->port[1].queue[CLASS].peak.bps = 16384000000;
	assert_int_equal(build()->queue[1][CLASS].cost_ns, 500);
	assert_int_equal(built->notify.common.queue[1][CLASS + 1].cost_ns, 250);
}

/*
 * Rates and bursts of a receiver on paper: link / 16384, at least 1M a second, at most a quarter of
 * the ceiling divided by the workers. The time for each token is rounded up, and the burst is
 * 64000 ns divided by it.
 */
static void
test_receiver_bucket(void **state)
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
	};

	RTE_SET_USED(state);
	for (size_t i = 0; i < RTE_DIM(paper); i++) {
		const struct fcn_notice_common *common;

		env.port[1].link_bps = paper[i].link;
		env.n_workers = paper[i].workers;
		cfg->notify.global_bucket.rate = paper[i].ceiling;
		common = build();
		assert_true(common->receiver_by_link);
		assert_int_equal(common->receiver[1].cost_ns, paper[i].cost_ns);
		assert_int_equal(common->receiver[1].burst, paper[i].burst);
		assert_int_equal(fcn_build_receiver_bucket(cfg, paper[i].workers, paper[i].link)
						 .rate,
				paper[i].rate);
		/* Without a link it is the least. */
		assert_int_equal(built->notify.kind[0].dest_cost_ns, 1000);
		assert_int_equal(built->notify.kind[0].dest_burst, 64);
	}
	cfg->notify.dest_bucket = (struct fcn_config_bucket){.rate = 250000, .burst = 7};
	assert_false(build()->receiver_by_link);
	assert_int_equal(built->notify.kind[0].dest_cost_ns, 4000);
	assert_int_equal(built->notify.kind[0].dest_burst, 7);
}

/* What is configured holds for all queues, whatever their rate. */
static void
test_configured(void **state)
{
	RTE_SET_USED(state);
	env.port[1].link_bps = 100 * GBPS;
	cfg->notify.queue_bucket = (struct fcn_config_bucket){.rate = 250000, .burst = 7};
	assert_int_equal(build()->queue[0][CLASS].cost_ns, 4000);
	assert_int_equal(built->notify.common.queue[1][CLASS].cost_ns, 4000);
	assert_int_equal(built->notify.common.queue[1][CLASS].burst, 7);
	cfg->notify.queue_bucket.rate = 0;
	assert_int_equal(build()->queue[1][CLASS].cost_ns, 0);
}

/*
 * A tenth of 1 Gbit/s is 80 ns for an octet, and the burst is that of 10000 octets; a tenth of 100
 * Gbit/s is 0.8 ns, in units of 2^-16 ns and rounded up, and the burst is that of 500 us.
 */
static void
test_link_share(void **state)
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

	RTE_SET_USED(state);
	assert_int_equal(cfg->notify.link_share, FCN_RATIO_ONE / 10); /* the default */
	for (size_t i = 0; i < RTE_DIM(paper); i++) {
		const struct fcn_notice_common *common;

		env.port[1].link_bps = paper[i].link;
		env.n_workers = paper[i].workers;
		cfg->notify.link_share = paper[i].share;
		common = build();
		assert_int_equal(common->link[1].cost, paper[i].cost);
		assert_int_equal(common->link[1].burst_ns, paper[i].burst_ns);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
			TEST(test_queue_bucket),
			TEST(test_receiver_bucket),
			TEST(test_queue_rate),
			TEST(test_configured),
			TEST(test_link_share),
	};

	return cmocka_run_group_tests_name(
			"build_limits", tests, fcn_test_eal_init, fcn_test_eal_cleanup);
}
