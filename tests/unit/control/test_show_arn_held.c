/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* `show arn held` of a switch with two workers, which both hold each flow. */

#include "platform.h"

#define US UINT64_C(1000)

static struct fcn_control *two;

static const struct fcn_held_flows_conf conf = {.flows = 8,
		.packets = 100,
		.bytes = 100000,
		.flow_packets = 100,
		.flow_bytes = 100000,
		.max_ns = 1000 * US,
		.detect_ns = 50 * US,
		.restore_ns = 500 * US};

static int
setup(void **state)
{
	struct fcn_control_conf c = {.name = "two",
			.platform = &platform.ops,
			.socket = SOCKET_ID_ANY,
			.n_workers = 2,
			.mac_entries = 64,
			.flow_sets = 64,
			.dest_sets = 64};
	char err[256];

	RTE_SET_USED(state);
	if (platform_setup(false) != 0)
		return -1;
	c.pool = platform.pool;
	for (unsigned int i = 0; i < 2; i++) {
		c.worker[i].lcore = i + 1;
		c.worker[i].socket = SOCKET_ID_ANY;
		c.worker[i].pool = platform.pool;
	}
	two = fcn_control_create(&c, err, sizeof(err));
	return two != NULL ? 0 : -1;
}

static int
teardown(void **state)
{
	fcn_control_free(two);
	return platform_teardown(state);
}

TEST_FIXTURE(FCN_TEST_EAL, .setup = setup, .teardown = teardown);

static struct fcn_held_key
key(uint8_t proto, uint16_t port)
{
	return (struct fcn_held_key){.mode = proto == 41 ? FCN_ARN_MODE_SERVICE : FCN_ARN_MODE_FLOW,
			.flow = {.version = 6,
					.proto = proto,
					.src_port = port,
					.src = {0x20, 1, 0x0d, 0xb8, [15] = 1},
					.dst = {0x20, 1, 0x0d, 0xb8, [15] = 2}}};
}

static void
hold(unsigned int worker, const struct fcn_held_key *k, uint64_t ns, uint64_t now)
{
	struct fcn_worker *w = fcn_control_worker(two, worker);

	w->now = now;
	fcn_held_flows_message(&w->arn_held.flows, &conf, k, ns, now);
}

static void
push(unsigned int worker, const struct fcn_held_key *k, uint32_t len)
{
	struct fcn_held_flows *h = &fcn_control_worker(two, worker)->arn_held.flows;
	uint32_t slot;

	assert_int_equal(fcn_held_flows_push(h, &conf, fcn_held_flows_find(h, k), len, &slot),
			FCN_HELD_WAITS);
}

static bool
is_any(void *arg, uint32_t slot)
{
	RTE_SET_USED(arg);
	RTE_SET_USED(slot);
	return true;
}

TEST(show)
{
	const struct fcn_held_key flow = key(17, 5), tunnel = key(41, 0), storm = key(6, 7);
	const json_t *list, *row;
	json_t *v;

	for (unsigned int i = 0; i < 2; i++) {
		struct fcn_worker *w = fcn_control_worker(two, i);

		hold(i, &flow, 20 * US, 10 * US);
		hold(i, &storm, 1000 * US, 10 * US);
		hold(i, &tunnel, 100 * US, 40 * US);
		w->arn_held.packets_max = 5 + i;
		w->arn_held.bytes_max = 600 - i;
		w->arn_held.flows_max = 3;
		w->arn_held.began = 3 * i;
	}
	push(0, &flow, 100);
	push(1, &flow, 200);
	push(1, &flow, 300);
	push(1, &tunnel, 50);
	for (unsigned int i = 0; i < 2; i++) {
		struct fcn_worker *w = fcn_control_worker(two, i);

		w->now = 60 * US;
		fcn_held_flows_update(&w->arn_held.flows, &conf, 60 * US);
	}
	v = fcn_show_arn_held(two, 100);
	platform_shows(v, "{'flows': 3, 'packets': 4, 'bytes': 650, 'flows_max': 3, "
			  "'packets_max': 6, 'bytes_max': 600, 'begun': 3}");
	list = json_object_get(v, "held");
	assert_int_equal(json_array_size(list), 3);
	row = json_array_get(list, 0);
	platform_shows(row,
			"{'mode': 'flow', 'source': '2001:db8::1', 'destination': '2001:db8::2', "
			"'protocol': 17, 'source_port': 5, 'state': 'leaving', 'remaining_ns': 0}");
	assert_int_equal(platform_number(row, "age_ns"), 50 * US);
	platform_shows(row, "{'packets': 3, 'bytes': 600, 'bytes_max': 600}");
	row = json_array_get(list, 1);
	assert_string_equal(platform_string(row, "state"), "storm");
	row = json_array_get(list, 2);
	platform_shows(row, "{'mode': 'service', 'state': 'held'}");
	assert_int_equal(platform_number(row, "remaining_ns"), 80 * US);
	assert_int_equal(platform_number(row, "packets"), 1);
	assert_int_equal(json_array_size(json_object_get(v, "halted")), 0);
	json_decref(v);
	v = fcn_show_arn_held(two, 1);
	assert_int_equal(platform_number(v, "flows"), 3);
	assert_int_equal(json_array_size(json_object_get(v, "held")), 1);
	assert_int_equal(platform_number(json_array_get(json_object_get(v, "held"), 0), "packets"),
			3);
	json_decref(v);
	v = fcn_show_arn_held(two, 0);
	assert_int_equal(json_array_size(json_object_get(v, "held")), 0);
	json_decref(v);
	for (unsigned int i = 0; i < 2; i++)
		fcn_held_flows_remove(&fcn_control_worker(two, i)->arn_held.flows, is_any, NULL);
}

/* A class of a port that is halted. */
TEST(halted)
{
	struct fcn_worker *w = fcn_control_worker(platform.ctl, 0);
	const struct fcn_pause_conf none = {.link_bps = 1000000000};
	const struct fcn_halt_conf limits = {
			.max_ns = UINT64_MAX, .detect_ns = 50 * US, .restore_ns = 500 * US};
	struct fcn_config *cfg = platform_edit();
	const json_t *row;
	json_t *v;

	assert_int_equal(fcn_config_port_add(cfg, "p0"), 0);
	cfg->arn.held.restore_ns = limits.restore_ns;
	platform_commit(cfg);
	w->now = 10 * US;
	assert_int_equal(fcn_pause_halt(&w->port[0].pause, &none, &limits, 3, 40 * US, 10 * US),
			FCN_HALT_OBEYED);
	w->now = 15 * US;
	v = fcn_show_arn_held(platform.ctl, 100);
	assert_int_equal(json_array_size(json_object_get(v, "halted")), 1);
	row = json_array_get(json_object_get(v, "halted"), 0);
	platform_shows(row, "{'port': 'p0', 'class': 3, 'state': 'halted'}");
	assert_int_equal(platform_number(row, "remaining_ns"), 35 * US);
	assert_int_equal(platform_number(row, "age_ns"), 5 * US);
	json_decref(v);
	/* The watchdog ends a halt after 50 us, and ignores others for 500 us. */
	fcn_pause_halt(&w->port[0].pause, &none, &limits, 3, 40 * US, 45 * US);
	w->now = 60 * US;
	fcn_pause_update(&w->port[0].pause, &none, 0, w->now);
	v = fcn_show_arn_held(platform.ctl, 100);
	row = json_array_get(json_object_get(v, "halted"), 0);
	platform_shows(row, "{'state': 'storm', 'remaining_ns': 0}");
	assert_int_equal(platform_number(row, "age_ns"), 50 * US);
	json_decref(v);
	w->now = 545 * US;
	v = fcn_show_arn_held(platform.ctl, 100);
	assert_int_equal(json_array_size(json_object_get(v, "halted")), 0);
	json_decref(v);
}

/* No flow can have as many bytes as are needed to pass its halt on. */
TEST(pass_on_above_limit)
{
	static const struct {
		uint64_t pass_on, flow, all;
		bool above;
	} of[] = {{2000, 2000, 2000, false}, {2001, 2000, 3000, true}, {2001, 3000, 2000, true},
			{0, 1, 1, false}};

	for (unsigned int i = 0; i < RTE_DIM(of); i++) {
		struct fcn_config *cfg = platform_edit();
		json_t *v;

		cfg->arn.pass_on_bytes = of[i].pass_on;
		cfg->arn.held.flow_bytes = of[i].flow;
		cfg->arn.held.bytes = of[i].all;
		platform_commit(cfg);
		v = fcn_show_arn(platform.ctl);
		assert_int_equal(json_is_true(json_object_get(v, "pass_on_above_limit")),
				of[i].above);
		assert_non_null(json_object_get(v, "pass_on_above_limit"));
		json_decref(v);
	}
}
