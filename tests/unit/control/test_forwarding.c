/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Configurations change while a worker forwards on a thread of its own. */

#include <unistd.h>

#include <rte_launch.h>
#include <rte_lcore.h>

#include "platform.h"

#define DEADLINE_S 120

static int quit;

static int
worker_main(void *arg)
{
	struct fcn_worker *w = fcn_control_worker(platform.ctl, 0);
	uint64_t now = 0;

	RTE_SET_USED(arg);
	rte_rcu_qsbr_thread_register(fcn_control_qsbr(platform.ctl), w->id);
	rte_rcu_qsbr_thread_online(fcn_control_qsbr(platform.ctl), w->id);
	while (!__atomic_load_n(&quit, __ATOMIC_RELAXED)) {
		fcn_poll_once(w, now += 1000);
		if (now % 16000 == 0) /* two cores for everybody */
			usleep(20);
	}
	rte_rcu_qsbr_thread_offline(fcn_control_qsbr(platform.ctl), w->id);
	rte_rcu_qsbr_thread_unregister(fcn_control_qsbr(platform.ctl), w->id);
	return 0;
}

static int
setup(void **state)
{
	struct fcn_config *cfg;

	RTE_SET_USED(state);
	alarm(DEADLINE_S); /* a worker that hangs fails */
	if (fcn_test_eal("0,1") != 0 || platform_setup(true) != 0 ||
			rte_eal_remote_launch(worker_main, NULL, rte_get_next_lcore(-1, 1, 0)) != 0)
		return -1;
	platform.accept = 5; /* less than arrives: queues of every class are full */
	cfg = platform_edit();
	assert_int_equal(fcn_config_port_add(cfg, "p0"), 0);
	assert_int_equal(fcn_addr_parse("2001:db8::5", &cfg->loopback), 0);
	cfg->notify.on = 1;
	platform_commit(cfg);
	__atomic_store_n(&platform.source, true, __ATOMIC_RELAXED);
	return 0;
}

static int
teardown(void **state)
{
	int rc;

	RTE_SET_USED(state);
	__atomic_store_n(&quit, 1, __ATOMIC_RELAXED);
	rte_eal_mp_wait_lcore();
	rc = platform_teardown(state);
	rte_eal_cleanup();
	return rc;
}

TEST_FIXTURE(.begin = setup, .end = teardown);

/* What is to be seen adds up, whenever one looks. */
static void
assert_conservation(void)
{
	json_t *c = fcn_show_conservation(platform.ctl);

	assert_true(json_is_true(json_object_get(c, "ok")));
	json_decref(c);
}

/* Ports with full queues of many classes come and go, the rest of the configuration changes. */
TEST(commits)
{
	struct fcn_conservation c;

	for (unsigned int i = 0; i < 60; i++) {
		struct fcn_config *cfg = platform_edit();
		int p = fcn_config_port_add(cfg, "p1");

		assert_int_equal(p, 1);
		for (unsigned int k = 0; k < FCN_CLASSES; k++) {
			cfg->port[1].queue[k].limit_packets = 64;
			cfg->port[1].queue[k].strict = k == i % 8 || k == cfg->notify.class;
			cfg->port[1].queue[k].detector.type = FCN_DETECTOR_STEP;
			cfg->port[1].queue[k].detector.enter = 1000;
			cfg->port[1].queue[k].policy.notify = true;
			cfg->port[1].queue[k].policy.ecn = true;
		}
		platform_neighbour(cfg, 1, "2001:db8:1::1", 1);
		platform_commit(cfg);
		usleep(500);
		assert_conservation();
		cfg = platform_edit();
		cfg->port[1].queue[3].weight = 1 + i;
		cfg->port[1].mtu = 1500 + i;
		platform_route(cfg, "2001:db8:2::/48", "2001:db8:1::1", 1);
		platform_commit(cfg);
		assert_conservation();
		if (i % 8 == 3 && i < 50)
			fcn_control_clear_counters(platform.ctl, NULL, 0);
		cfg = platform_edit();
		fcn_config_port_remove(cfg, 1);
		platform_commit(cfg);
		assert_conservation();
	}
	fcn_control_conservation(platform.ctl, &c);
	assert_true(c.received > 1000);
	assert_true(c.transmitted > 100);
	assert_int_equal(c.queued, 0);
}

static json_t *
show_bridges(struct fcn_control *ctl)
{
	return fcn_show_bridges(ctl, -1);
}

static json_t *
show_routes(struct fcn_control *ctl)
{
	const struct fcn_route_query all = {.limit = UINT64_MAX};

	return fcn_show_some_routes(ctl, &all);
}

static json_t *
show_trace(struct fcn_control *ctl)
{
	return fcn_show_trace(ctl, true);
}

/* Every table of what is to be seen, between two turns of a busy worker. */
TEST(shows)
{
	json_t *(*const shows[])(struct fcn_control *) = {fcn_show_drops, fcn_show_errors,
			fcn_show_conservation, show_bridges, fcn_show_macs, fcn_show_addresses,
			fcn_show_neighbours, show_routes, fcn_show_class_map, fcn_show_notify,
			fcn_show_senders, show_trace, fcn_show_buffer, fcn_show_ioam};
	char err[256];

	assert_int_equal(fcn_control_trace_add(platform.ctl, 20, NULL, "ip6", err, sizeof(err)), 0);
	for (unsigned int i = 0; i < 50; i++) {
		json_t *v;

		for (size_t k = 0; k < RTE_DIM(shows); k++) {
			v = shows[k](platform.ctl);
			assert_non_null(v);
			json_decref(v);
		}
		v = fcn_show_ports(platform.ctl, -1);
		assert_int_equal(json_array_size(v), 1);
		json_decref(v);
		v = fcn_show_queues(platform.ctl, -1, -1, true);
		assert_int_equal(json_array_size(v), FCN_CLASSES);
		json_decref(v);
		v = fcn_show_queues(platform.ctl, 0, 3, true);
		assert_int_equal(json_array_size(v), 1);
		json_decref(v);
		json_decref(fcn_show_pfc(platform.ctl, -1));
		json_decref(fcn_show_episodes(platform.ctl, -1, -1, UINT32_MAX));
		v = fcn_show_events(platform.ctl, UINT32_MAX);
		json_decref(v);
		json_decref(fcn_show_flows(platform.ctl, -1, -1, 10));
	}
}
