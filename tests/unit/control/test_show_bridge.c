/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* What `show` says of bridges, their ports and interfaces, and of MAC addresses they learned. */

#include <jansson.h>

#include "platform.h"

#define BRIDGE_MAC "02:66:63:6e:00:02" /* of interface number 2 */

/* Ports 0 and 1 are in br0, port 1 in VLAN 20 and 4094 with tags; br0.20 is its interface. */
static int
setup(void **state)
{
	struct fcn_config *cfg;
	int bridge;

	RTE_SET_USED(state);
	if (platform_setup(false) != 0)
		return -1;
	cfg = platform_edit();
	bridge = fcn_config_bridge_add(cfg, "br0");
	assert_int_equal(bridge, 0);
	for (int p = 0; p < 2; p++) {
		assert_int_equal(fcn_config_port_add(cfg, p == 0 ? "p0" : "p1"), p);
		cfg->port[p].bridge = bridge;
		cfg->port[p].pvid = 1 + p;
	}
	cfg->port[1].tagged[20 / 64] |= 1ull << 20 % 64;
	cfg->port[1].tagged[4094 / 64] |= 1ull << 4094 % 64;
	cfg->port[0].storm[FCN_FLOOD_BROADCAST].rate = 1000;
	cfg->port[0].storm[FCN_FLOOD_BROADCAST].burst = 50;
	cfg->bridge[0].ageing_ns = 300000000000;
	assert_int_equal(fcn_config_bridge_interface_add(cfg, "br0.20", bridge, 20), 2);
	platform_commit(cfg);
	return 0;
}

TEST_FIXTURE(FCN_TEST_EAL, .setup = setup, .teardown = platform_teardown);

static void
learn(uint16_t vlan, uint8_t mac, uint16_t port, uint64_t now)
{
	const struct fcn_mac_key key = {.mac = {{2, 0, 0, 0, 0, mac}}, .vlan = vlan};

	assert_true(fcn_mac_table_learn(fcn_control_worker(platform.ctl, 0)->macs, &key, port,
				    now) >= 0);
}

TEST(bridge)
{
	struct fcn_port_counters *c = fcn_control_worker(platform.ctl, 0)->counters;

	learn(1, 1, 0, 1000);
	learn(20, 2, 1, 1000);
	learn(20, 3, 1, 1000);
	c[0].mac_moves = 5;
	c[1].mac_limit = 6;
	c[1].drop[FCN_DROP_STORM_MULTICAST] = 7;
	platform_gives(fcn_show_bridges(platform.ctl, 1), "[]"); /* there is no such bridge */
	/* storm control that is on, and what was dropped although it is off now */
	platform_gives(fcn_show_bridges(platform.ctl, -1),
			"[{'bridge': 'br0', 'ageing_ns': 300000000000, "
			"'interfaces': [{'vlan': 20, 'mac': '" BRIDGE_MAC "'}], "
			"'ports': [{'port': 'p0', 'pvid': 1, 'macs': 1, 'mac_moves': 5, "
			"'tagged': [], 'storm_control': [{'kind': 'broadcast', "
			"'packets_per_second': 1000, 'burst': 50, 'dropped': 0}]}, "
			"{'macs': 2, 'mac_limited': 6, 'tagged': [20, 4094], "
			"'storm_control': [{'kind': 'multicast', 'dropped': 7}]}]}]");
	memset(c, 0, 2 * sizeof(*c)); /* there were no packets */
}

/* By bridge, VLAN and address, with the time since they were seen. */
TEST(macs)
{
	static const struct {
		json_int_t vlan, age;
		const char *mac, *port;
	} want[] = {
			{1, 4000, "02:00:00:00:00:09", "p0"},
			{20, 3000, "02:00:00:00:00:02", "p1"},
			{20, 0, "02:00:00:00:00:03", "p1"},
	};
	unsigned int n;
	json_t *v;

	learn(20, 3, 1, 6000);
	learn(20, 2, 1, 2000);
	learn(1, 9, 0, 1000);
	fcn_control_worker(platform.ctl, 0)->now = 5000;
	v = fcn_show_macs(platform.ctl);
	assert_int_equal(json_array_size(v), RTE_DIM(want));
	for (size_t i = 0; i < RTE_DIM(want); i++) {
		const json_t *row = json_array_get(v, i);

		assert_string_equal(platform_string(row, "bridge"), "br0");
		assert_int_equal(platform_number(row, "vlan"), want[i].vlan);
		assert_string_equal(platform_string(row, "mac"), want[i].mac);
		assert_string_equal(platform_string(row, "port"), want[i].port);
		assert_int_equal(platform_number(row, "age_ns"), want[i].age);
	}
	json_decref(v);
	assert_int_equal(fcn_control_clear_macs(platform.ctl, &n, NULL, 0), 0);
	assert_int_equal(n, 3);
	platform_gives(fcn_show_macs(platform.ctl), "[]");
}
