/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Links that go, come back and change their speed: what is told, and what follows. */

#include "fcn_mac_table.h"
#include "fcn_show.h"
#include "platform.h"
#include "port_bits.h"

#define G 1000000000ull

static char log_lines[16][128];
static unsigned int n_lines;

static void
log_line(void *arg, const char *line)
{
	RTE_SET_USED(arg);
	assert_true(n_lines < RTE_DIM(log_lines));
	snprintf(log_lines[n_lines++], sizeof(log_lines[0]), "%s", line);
}

/* What was logged since, these lines and no other. */
#define ASSERT_LOG(...) assert_log((const char *const[]){__VA_ARGS__, NULL})

static void
assert_log(const char *const *want)
{
	unsigned int i = 0;

	for (; want[i] != NULL; i++)
		assert_string_equal(i < n_lines ? log_lines[i] : "nothing", want[i]);
	assert_int_equal(n_lines, i);
	n_lines = 0;
}

static int
setup(void **state)
{
	struct fcn_config *cfg;

	RTE_SET_USED(state);
	n_lines = 0;
	if (platform_setup(false) != 0)
		return -1;
	platform.ops.log = log_line;
	cfg = platform_edit();
	for (unsigned int p = 0; p < 4; p++) {
		char name[] = "p0";

		name[1] += p;
		assert_int_equal(fcn_config_port_add(cfg, name), p);
	}
	platform_commit(cfg);
	ASSERT_LOG("port p0: is a diary", "port p1: is a diary", "port p2: is a diary",
			"port p3: is a diary");
	return 0;
}

TEST_FIXTURE(FCN_TEST_EAL, .setup = setup, .teardown = platform_teardown);

static void
poll_link(unsigned int port, bool down)
{
	platform.port[port].down = down;
	fcn_control_link_poll(platform.ctl);
}

static const struct fcn_next_hop *
way_to(const char *text)
{
	const struct fcn_snapshot *s = fcn_control_snapshot(platform.ctl);
	struct fcn_addr a;
	uint8_t bytes[1][16];
	uint64_t nh;

	assert_int_equal(fcn_addr_parse(text, &a), 0);
	memcpy(bytes[0], a.bytes, 16);
	fcn_fib6_lookup(s->table[0].fib, bytes, &nh, 1);
	return &s->next_hop[nh];
}

/* Told once, when it changes. */
TEST(told)
{
	uint64_t generation = fcn_control_snapshot(platform.ctl)->generation;

	fcn_control_link_poll(platform.ctl);
	assert_int_equal(n_lines, 0);
	assert_int_equal(fcn_control_snapshot(platform.ctl)->generation, generation);
	poll_link(1, true);
	ASSERT_LOG("port p1: link down");
	assert_true(fcn_control_snapshot(platform.ctl)->port[1].down);
	assert_false(fcn_control_snapshot(platform.ctl)->port[0].down);
	fcn_control_link_poll(platform.ctl);
	assert_int_equal(n_lines, 0);
	platform.port[1].link_bps = 25 * G; /* a speed without a link is none */
	fcn_control_link_poll(platform.ctl);
	assert_int_equal(n_lines, 0);
	poll_link(1, false);
	ASSERT_LOG("port p1: link up, 25G");
	assert_false(fcn_control_snapshot(platform.ctl)->port[1].down);
	assert_int_equal(fcn_control_snapshot(platform.ctl)->port[1].link_bps, 25 * G);
}

/* A change of the configuration finds the link as it is, and keeps it. */
TEST(commit)
{
	struct fcn_config *cfg;

	poll_link(1, true);
	ASSERT_LOG("port p1: link down");
	cfg = platform_edit();
	cfg->port[1].mtu = 9000;
	platform_commit(cfg);
	assert_true(fcn_control_snapshot(platform.ctl)->port[1].down);
	assert_int_equal(fcn_control_snapshot(platform.ctl)->port[1].mtu, 9000);
	cfg = platform_edit();
	fcn_config_port_remove(cfg, 1);
	platform_commit(cfg);
	fcn_control_link_poll(platform.ctl);
	assert_int_equal(n_lines, 0);
	/* another device, which has a link */
	platform.port[1].down = false;
	cfg = platform_edit();
	assert_int_equal(fcn_config_port_add(cfg, "p1"), 1);
	platform_commit(cfg);
	ASSERT_LOG("port p1: is a diary");
	assert_false(fcn_control_snapshot(platform.ctl)->port[1].down);
}

/* 32 us of the line's rate, 128 us of it: 40 and 160 KB at 10 Gbit/s. */
TEST(speed)
{
	struct fcn_config *cfg = platform_edit();
	const struct fcn_snapshot_port *port;

	cfg->port[2].queue[3].detector.type = FCN_DETECTOR_RED;
	cfg->port[2].pfc.class[3].send = true;
	platform_commit(cfg);
	port = &fcn_control_snapshot(platform.ctl)->port[2];
	assert_int_equal(port->egress.queue[3].detector.enter, 40000);
	assert_int_equal(port->pause.link_bps, 10 * G);
	platform.port[2].link_bps = 25 * G;
	fcn_control_link_poll(platform.ctl);
	ASSERT_LOG("port p2: link is 25G now, was 10G");
	port = &fcn_control_snapshot(platform.ctl)->port[2];
	assert_int_equal(port->egress.queue[3].detector.enter, 100000);
	assert_int_equal(port->egress.queue[3].detector.kmax, 400000);
	assert_int_equal(port->pause.link_bps, 25 * G);
	assert_int_equal(port->ingress[3].xoff, 100000);
}

/* Paths by a port without link take no share, unless there is no other. */
TEST(paths)
{
	struct fcn_config *cfg = platform_edit();
	const struct fcn_next_hop *nh;

	for (uint16_t p = 0; p < 3; p++) {
		char via[] = "2001:db8::0";

		via[10] += p;
		platform_neighbour(cfg, p, via, p);
		platform_route(cfg, "2001:db8:8::/48", via, p);
	}
	platform_route(cfg, "2001:db8:8::/48", "2001:db8::9", 3); /* nobody knows it */
	platform_route(cfg, "2001:db8:9::/48", "2001:db8::1", 1);
	platform_commit(cfg);
	nh = way_to("2001:db8:8::1");
	assert_int_equal(nh->type, FCN_NEXT_HOP_GROUP);
	assert_int_equal(nh->n_members, 3);
	poll_link(1, true);
	nh = way_to("2001:db8:8::1");
	assert_int_equal(nh->type, FCN_NEXT_HOP_GROUP);
	assert_int_equal(nh->n_members, 2);
	for (unsigned int i = 0; i < 2; i++) {
		const struct fcn_snapshot *s = fcn_control_snapshot(platform.ctl);

		assert_int_equal(s->next_hop[s->member[nh->first_member + i]].port, i == 0 ? 0 : 2);
	}
	/* the only way stays, and what takes it is dropped there */
	nh = way_to("2001:db8:9::1");
	assert_int_equal(nh->type, FCN_NEXT_HOP_FORWARD);
	assert_int_equal(nh->port, 1);
	poll_link(0, true);
	nh = way_to("2001:db8:8::1");
	assert_int_equal(nh->type, FCN_NEXT_HOP_FORWARD);
	assert_int_equal(nh->port, 2);
	/* rather one whose gateway can be asked for than one without link */
	poll_link(2, true);
	nh = way_to("2001:db8:8::1");
	assert_int_equal(nh->type, FCN_NEXT_HOP_NO_NEIGHBOUR);
	assert_int_equal(nh->port, 3);
	poll_link(3, true);
	nh = way_to("2001:db8:8::1");
	assert_int_equal(nh->type, FCN_NEXT_HOP_FORWARD);
	poll_link(1, false);
	assert_int_equal(way_to("2001:db8:8::1")->port, 1);
}

/* Nothing is flooded to a bridge port without link, and what was learned there is forgotten. */
TEST(bridge)
{
	struct fcn_config *cfg = platform_edit();
	struct fcn_mac_key key = {.mac = {{2, 0, 0, 0, 0, 1}}, .vlan = 1};
	struct fcn_mac_table *macs = fcn_control_worker(platform.ctl, 0)->macs;
	int bridge = fcn_config_bridge_add(cfg, "br0");

	for (unsigned int p = 0; p < 3; p++) {
		cfg->port[p].bridge = bridge;
		cfg->port[p].pvid = 1;
	}
	platform_commit(cfg);
	key.bridge = bridge;
	assert_int_equal(bits_of(fcn_control_snapshot(platform.ctl)->bridge[bridge].members), 7);
	fcn_mac_table_learn(macs, &key, 1, 1000);
	key.mac.addr_bytes[5] = 2;
	fcn_mac_table_learn(macs, &key, 2, 1000);
	poll_link(1, true);
	assert_int_equal(bits_of(fcn_control_snapshot(platform.ctl)->bridge[bridge].members), 5);
	assert_int_equal(fcn_mac_table_lookup(macs, &key, 2000, UINT64_MAX / 2), 2);
	key.mac.addr_bytes[5] = 1;
	assert_true(fcn_mac_table_lookup(macs, &key, 2000, UINT64_MAX / 2) < 0);
	poll_link(1, false);
	assert_int_equal(bits_of(fcn_control_snapshot(platform.ctl)->bridge[bridge].members), 7);
}

/* The worker finds that a device takes nothing; control tells of it once. */
TEST(stall)
{
	fcn_control_worker(platform.ctl, 0)->port[2].stalled = true;
	fcn_control_link_poll(platform.ctl);
	ASSERT_LOG("port p2: its device takes no packets; what waits for it is dropped "
		   "(tx_stalled)");
	fcn_control_link_poll(platform.ctl);
	assert_int_equal(n_lines, 0);
	fcn_control_worker(platform.ctl, 0)->port[2].stalled = false;
	fcn_control_link_poll(platform.ctl);
	ASSERT_LOG("port p2: its device takes packets again");
}

/* What the port in the bridge says of shared bytes. */
static void
assert_accepts_clones(bool want)
{
	json_t *v = fcn_show_bridges(platform.ctl, -1);
	const json_t *port = json_array_get(json_object_get(json_array_get(v, 0), "ports"), 0);

	assert_int_equal(fcn_control_snapshot(platform.ctl)->port[4].no_clones, !want);
	assert_int_equal(bits_of(fcn_control_snapshot(platform.ctl)->bridge[0].no_clones),
			bits_of(fcn_control_snapshot(platform.ctl)->bridge[0].members) &
					(want ? 0 : 1 << 4));
	assert_int_equal(json_is_true(json_object_get(port, "accepts_clones")), want);
	assert_string_equal(json_string_value(json_object_get(json_array_get(v, 0), "copies")),
			"clone");
	json_decref(v);
}

/* A port whose device takes no packets that share bytes: workers know, whatever becomes of it. */
TEST(no_clones)
{
	struct fcn_config *cfg = platform_edit();

	cfg->copies = FCN_COPY_CLONE;
	platform.port[4].no_clones = true;
	assert_int_equal(fcn_config_port_add(cfg, "p4"), 4);
	assert_int_equal(fcn_config_bridge_add(cfg, "br0"), 0);
	cfg->port[4].bridge = 0;
	platform_commit(cfg);
	assert_int_equal(fcn_control_snapshot(platform.ctl)->copies, FCN_COPY_CLONE);
	assert_false(fcn_control_snapshot(platform.ctl)->port[0].no_clones);
	assert_accepts_clones(false);
	cfg = platform_edit();
	cfg->port[4].mtu = 1400;
	platform_commit(cfg);
	assert_accepts_clones(false);
	platform.port[4].down = true;
	fcn_control_link_poll(platform.ctl);
	assert_accepts_clones(false);
	platform.port[4].down = false;
	fcn_control_link_poll(platform.ctl);
	assert_accepts_clones(false);
	cfg = platform_edit();
	assert_int_equal(fcn_config_port_remove(cfg, 4), 0);
	platform_commit(cfg);
	platform.port[4].no_clones = false;
	cfg = platform_edit();
	assert_int_equal(fcn_config_port_add(cfg, "p4"), 4);
	cfg->port[4].bridge = 0;
	platform_commit(cfg);
	assert_accepts_clones(true);
	n_lines = 0;
}
