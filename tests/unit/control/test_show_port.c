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

/* What a device lost, where it says; and packets that were not understood, by error. */
static void
test_shown(void **state)
{
	struct fcn_port_counters *c = fcn_control_worker(platform.ctl, 0)->counters;
	struct fcn_config *cfg = platform_edit();
	struct fcn_port_ops ops;
	const json_t *row;
	json_t *v;

	RTE_SET_USED(state);
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
	assert_int_equal(platform_number(row, "device_rx_missed"), 3);
	assert_int_equal(platform_number(row, "device_rx_errors"), 5);
	assert_int_equal(platform_number(row, "device_rx_no_mbuf"), 7);
	assert_int_equal(platform_number(row, "device_tx_errors"), 11);
	json_decref(v);
	v = fcn_show_errors(platform.ctl);
	assert_int_equal(json_array_size(v), 0);
	json_decref(v);
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

int
main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test_setup_teardown(
					test_shown, platform_setup_empty, platform_teardown),
	};

	return cmocka_run_group_tests_name(
			"show_port", tests, fcn_test_eal_init, fcn_test_eal_cleanup);
}
