/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "show_platform.h"

int
show_platform_setup(struct fcn_worker **worker, struct fcn_queue **queue, uint64_t slack_ns)
{
	struct fcn_config *cfg;

	if (platform_setup_as(&(struct fcn_platform){.slack_ns = slack_ns}, false) != 0)
		return -1;
	cfg = platform_edit();
	assert_int_equal(fcn_config_port_add(cfg, "p0"), 0);
	assert_int_equal(fcn_config_port_add(cfg, "p1"), 1);
	platform_commit(cfg);
	*worker = fcn_control_worker(platform.ctl, 0);
	*queue = &(*worker)->port[0].egress->queue[3];
	(*worker)->now = 1000000;
	return 0;
}

bool
show_platform_is_true(const json_t *o, const char *key)
{
	assert_true(json_is_boolean(json_object_get(o, key)));
	return json_is_true(json_object_get(o, key));
}
