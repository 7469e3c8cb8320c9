/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* What `show` says of a port's device, and of packets that were not understood. */

#include <jansson.h>

#include "fcn_wire_error.h"
#include "platform.h"

static void
device_stats(void *priv, struct fcn_port_device_stats *s)
{
	assert_int_equal(((const struct platform_port *)priv)->number, 1);
	*s = (struct fcn_port_device_stats){
			.rx_missed = 3, .rx_errors = 5, .rx_no_mbuf = 7, .tx_errors = 11};
}

TEST_FIXTURE(FCN_TEST_EAL, .setup = platform_setup_empty, .teardown = platform_teardown);

/* What a device lost, where it says; and packets that were not understood, by error. */
TEST(shown)
{
	struct fcn_port_counters *c = fcn_control_worker(platform.ctl, 0)->counters;
	struct fcn_config *cfg = platform_edit();
	struct fcn_port_ops ops;
	const json_t *row;
	json_t *v;

	for (int p = 0; p < 4; p++) {
		char name[8];

		snprintf(name, sizeof(name), "p%d", p);
		assert_int_equal(fcn_config_port_add(cfg, name), p);
	}
	ops = platform_port_ops;
	ops.device_stats = device_stats;
	platform.port[1].ops = &ops;
	platform_commit(cfg);
	v = fcn_show_ports(platform.ctl, -1);
	assert_int_equal(json_array_size(v), 4);
	assert_null(json_object_get(json_array_get(v, 0), "device_rx_missed"));
	row = json_array_get(v, 1);
	platform_shows(row,
			"{'device_rx_missed': 3, 'device_rx_errors': 5, 'device_rx_no_mbuf': 7, "
			"'device_tx_errors': 11}");
	json_decref(v);
	platform_gives(fcn_show_errors(platform.ctl), "[]");
	c[2].wire_error[1] = 13;
	c[3].wire_error[FCN_WIRE_ERROR_COUNT - 1] = 17;
	v = fcn_show_errors(platform.ctl);
	assert_int_equal(json_array_size(v), 2);
	row = json_array_get(v, 0);
	assert_string_equal(json_string_value(json_object_get(row, "port")), "p2");
	assert_string_equal(
			json_string_value(json_object_get(row, "error")), fcn_wire_error_name(1));
	assert_string_equal(json_string_value(json_object_get(row, "error_text")),
			fcn_wire_error_text(1));
	assert_int_equal(platform_number(row, "packets"), 13);
	row = json_array_get(v, 1);
	assert_string_equal(json_string_value(json_object_get(row, "port")), "p3");
	assert_int_equal(platform_number(row, "packets"), 17);
	json_decref(v);
	platform_commit(fcn_config_create()); /* while ops are still here */
}

/* The state of each port, and its rates once they were measured. */
TEST(state)
{
	struct fcn_worker *w = fcn_control_worker(platform.ctl, 0);
	struct fcn_config *cfg = platform_edit();
	const json_t *row;
	json_t *v;

	assert_int_equal(fcn_config_port_add(cfg, "p0"), 0);
	assert_int_equal(fcn_config_port_add(cfg, "p1"), 1);
	platform_commit(cfg);
	v = fcn_show_ports(platform.ctl, -1);
	row = json_array_get(v, 0);
	assert_string_equal(platform_string(row, "state"), "up");
	assert_true(json_is_null(json_object_get(row, "rx_bps")));
	assert_true(json_is_null(json_object_get(row, "tx_bps")));
	assert_true(json_is_null(json_object_get(row, "rate_bps"))); /* no shaper */
	json_decref(v);
	fcn_control_measure_rates(platform.ctl, 1000000000);
	w->counters[1].rx_bytes += 125;
	w->counters[1].tx_bytes += 250;
	w->port[1].stalled = true;
	fcn_control_measure_rates(platform.ctl, 2000000000);
	v = fcn_show_ports(platform.ctl, -1);
	assert_int_equal(platform_number(json_array_get(v, 0), "rx_bps"), 0);
	row = json_array_get(v, 1);
	platform_shows(row, "{'state': 'stalled', 'rx_bps': 1000, 'tx_bps': 2000}");
	json_decref(v);
	w->port[1].stalled = false;
}

static int
xstats(void *priv, struct fcn_port_xstat *out, unsigned int n)
{
	RTE_SET_USED(priv);
	if (n < 2)
		return 2;
	out[0] = (struct fcn_port_xstat){"rx_good_packets", 5};
	out[1] = (struct fcn_port_xstat){"rx_fcs_errors", 0};
	return 2;
}

static uint16_t
rx_queues(void *priv)
{
	RTE_SET_USED(priv);
	return 2;
}

static int handles[2] = {7, -1}; /* frames that wait; those of the second are not known */

static void *
rx_queue(void *priv, uint16_t queue)
{
	RTE_SET_USED(priv);
	return &handles[queue];
}

static int
rx_waiting(void *queue)
{
	return *(int *)queue;
}

static uint16_t
rx_nothing(void *queue, struct rte_mbuf **pkts, uint16_t n, uint64_t now)
{
	RTE_SET_USED(queue);
	RTE_SET_USED(pkts);
	RTE_SET_USED(n);
	RTE_SET_USED(now);
	return 0;
}

static int
descriptors(void *priv, bool tx, uint16_t queue)
{
	RTE_SET_USED(priv);
	if (tx)
		return 256;
	return queue == 0 ? 1024 : -ENOTSUP;
}

static int
tx_backlog(void *priv)
{
	RTE_SET_USED(priv);
	return 3;
}

/* The counters of a driver, and its descriptors with what each worker knows of them. */
TEST(device)
{
	struct fcn_config *cfg = platform_edit();
	struct fcn_port_ops ops = platform_port_ops;
	json_t *v, *want;

	assert_int_equal(fcn_config_port_add(cfg, "p0"), 0);
	assert_int_equal(fcn_config_port_add(cfg, "p1"), 1);
	ops.xstats = xstats;
	ops.rx_burst = rx_nothing;
	ops.rx_queues = rx_queues;
	ops.rx_queue = rx_queue;
	ops.rx_waiting = rx_waiting;
	ops.descriptors = descriptors;
	ops.tx_backlog = tx_backlog;
	platform.port[1].ops = &ops;
	platform_commit(cfg);
	v = fcn_show_xstats(platform.ctl, -1, false);
	want = json_pack("[{s:s, s:s, s:i}]", "port", "p1", "counter", "rx_good_packets", "value",
			5);
	assert_true(json_equal(v, want));
	json_decref(want);
	json_decref(v);
	v = fcn_show_xstats(platform.ctl, 1, true);
	assert_int_equal(json_array_size(v), 2);
	assert_string_equal(platform_string(json_array_get(v, 1), "counter"), "rx_fcs_errors");
	json_decref(v);
	/* no device */
	platform_gives(fcn_show_xstats(platform.ctl, 0, true), "[]");
	v = fcn_show_descriptors(platform.ctl, -1);
	want = json_pack("[{s:s, s:s, s:i, s:i, s:i}, {s:s, s:s, s:i, s:n, s:n}, "
			 "{s:s, s:s, s:i, s:i, s:i}]",
			"port", "p1", "direction", "rx", "queue", 0, "descriptors", 1024, "in_use",
			7, "port", "p1", "direction", "rx", "queue", 1, "descriptors", "in_use",
			"port", "p1", "direction", "tx", "queue", 0, "descriptors", 256, "in_use",
			3);
	assert_true(json_equal(v, want));
	json_decref(want);
	json_decref(v);
	platform_commit(fcn_config_create()); /* while ops are still here */
}

/* The pool of all workers stands there once, with what is in use. */
TEST(mempool)
{
	struct rte_mbuf *m[3];
	const json_t *row;
	json_int_t in_use;
	json_t *v;

	v = fcn_show_mempools(platform.ctl);
	assert_int_equal(json_array_size(v), 1);
	row = json_array_get(v, 0);
	assert_string_equal(platform_string(row, "pool"), platform.pool->name);
	assert_int_equal(platform_number(row, "buffers"), platform.pool->size);
	assert_int_equal(platform_number(row, "buffer_bytes"), FCN_DATA_ROOM);
	in_use = platform_number(row, "in_use");
	assert_int_equal(platform_number(row, "available"), platform.pool->size - in_use);
	json_decref(v);
	assert_int_equal(rte_pktmbuf_alloc_bulk(platform.pool, m, RTE_DIM(m)), 0);
	v = fcn_show_mempools(platform.ctl);
	assert_int_equal(platform_number(json_array_get(v, 0), "in_use"), in_use + 3);
	json_decref(v);
	rte_pktmbuf_free_bulk(m, RTE_DIM(m));
}
