/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* A configuration is put in force whole, or nothing of it. */

#include "platform.h"

static int
setup(void **state)
{
	struct fcn_config *cfg;

	RTE_SET_USED(state);
	if (platform_setup(false) != 0)
		return -1;
	cfg = platform_edit();
	assert_int_equal(fcn_config_port_add(cfg, "p0"), 0);
	assert_int_equal(fcn_config_port_add(cfg, "p1"), 1);
	platform_neighbour(cfg, 1, "2001:db8:1::1", 1);
	platform_commit(cfg);
	return 0;
}

TEST_FIXTURE(FCN_TEST_EAL, .setup = setup, .teardown = platform_teardown);

static void
assert_conservation(void)
{
	struct fcn_conservation c;

	fcn_control_conservation(platform.ctl, &c);
	assert_true(fcn_conservation_holds(&c));
}

/* Everything a failed commit could have left behind. */
struct before {
	const struct fcn_config *config;
	const struct fcn_snapshot *published;
	uint64_t generation;
	bool host;
	struct fcn_control_port port[FCN_MAX_PORTS];
	struct fcn_build_port env[FCN_MAX_PORTS];
	unsigned int n_rx_ports;
	bool open[FCN_MAX_PORTS];
	uint64_t link_bps[FCN_MAX_PORTS];
	uint16_t mtu[FCN_MAX_PORTS];
};

static void
look(struct before *b)
{
	memset(b, 0, sizeof(*b));
	b->config = fcn_control_config(platform.ctl);
	b->published = fcn_control_snapshot(platform.ctl);
	b->generation = fcn_control_build_env(platform.ctl)->generation;
	b->host = fcn_control_build_env(platform.ctl)->host;
	memcpy(b->env, fcn_control_build_env(platform.ctl)->port, sizeof(b->env));
	b->n_rx_ports = fcn_control_worker(platform.ctl, 0)->n_own_ports;
	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
		const struct fcn_control_port *port = fcn_control_port(platform.ctl, p);

		if (port != NULL)
			b->port[p] = *port;
		b->open[p] = platform.port[p].open;
		b->link_bps[p] = b->open[p] ? platform.port[p].link_bps : 0;
		b->mtu[p] = b->open[p] ? platform.port[p].mtu : 0;
	}
}

static void
assert_as_before(const struct before *b)
{
	struct before now;

	look(&now);
	assert_memory_equal(&now, b, sizeof(now));
}

TEST(failing_commits)
{
	unsigned int updated;
	struct fcn_config *cfg;
	struct before b;

	assert_string_equal(fcn_control_build_env(platform.ctl)->name, "platform");
	look(&b);
	/* The second of two new ports does not open: the first is closed again. */
	cfg = platform_edit();
	assert_int_equal(fcn_config_port_add(cfg, "p2"), 2);
	assert_int_equal(fcn_config_port_add(cfg, PLATFORM_BROKEN), 3);
	platform_refused(cfg, "port broken: does not open");
	assert_as_before(&b);
	assert_int_equal(platform.port[2].opened, 1);
	assert_int_equal(platform.port[2].closed, 1);
	/* A snapshot that cannot be built: so it goes, and changes of open ports are taken back. */
	cfg = platform_edit();
	assert_int_equal(fcn_config_port_add(cfg, "p2"), 2);
	cfg->port[0].mtu = 9000;
	cfg->port[1].link_bps = 100000000000;
	cfg->notify.on = 1;
	platform_refused(cfg, "notify fast-cnp needs a source address: set loopback ADDRESS");
	assert_as_before(&b);
	/* There is no memory for the queues of a new port. */
	cfg = platform_edit();
	assert_int_equal(fcn_config_port_add(cfg, "p2"), 2);
	cfg->port[2].queue[3].limit_packets = UINT32_C(1) << 30;
	cfg->host.mode = FCN_HOST_ON;
	platform_refused(cfg, "queues: out of memory");
	assert_as_before(&b);
	/* A port that refuses its change, behind one that has taken its own. */
	cfg = platform_edit();
	cfg->port[0].mtu = 9000;
	cfg->port[0].link_bps = 1000000000;
	cfg->port[1].mtu = PLATFORM_BAD_MTU;
	platform_refused(cfg, "port p1: MTU refused");
	assert_as_before(&b);
	/* The change of one port is no reason to touch another one. */
	updated = platform.port[0].updated;
	cfg = platform_edit();
	cfg->port[1].mtu = PLATFORM_BAD_MTU;
	platform_refused(cfg, "port p1: MTU refused");
	assert_int_equal(platform.port[0].updated, updated);
	assert_as_before(&b);
	/* Another device under the same name. */
	cfg = platform_edit();
	snprintf(cfg->port[1].device, sizeof(cfg->port[1].device), "other");
	platform_refused(cfg,
			"port p1: remove it first, then add it with another device or number of "
			"queues or descriptors");
	assert_as_before(&b);
	/* And a good one goes through. */
	cfg = platform_edit();
	cfg->port[0].mtu = 9000;
	platform_commit(cfg);
	assert_int_equal(platform.port[0].mtu, 9000);
	assert_int_equal(fcn_control_snapshot(platform.ctl)->port[0].mtu, 9000);
	assert_int_equal(fcn_control_build_env(platform.ctl)->generation, b.generation + 1);
}

/* Nothing is opened for a sub-interface; its number is its own. */
TEST(sub_interfaces)
{
	struct fcn_port_counters *c = fcn_control_worker(platform.ctl, 0)->counters;
	struct fcn_config *cfg;

	cfg = platform_edit();
	assert_int_equal(fcn_config_sub_interface_add(cfg, "p0.7", 0, 7), 2);
	platform_neighbour(cfg, 2, "2001:db8:7::1", 1);
	platform_commit(cfg);
	assert_int_equal(platform.port[2].opened, 0);
	assert_null(fcn_control_port(platform.ctl, 2));
	assert_int_equal(fcn_control_worker(platform.ctl, 0)->n_own_ports, 2);
	assert_int_equal(fcn_control_snapshot(platform.ctl)->port[2].parent, 0);
	/* Its counters are its own as long as it is the same. */
	c[2].sub_rx_packets = 5;
	c[2].drop[FCN_DROP_NO_ROUTE] = 3;
	c[2].consumed = 2;
	c[0].rx_packets = 5;
	cfg = platform_edit();
	cfg->port[2].mtu = 1300;
	platform_commit(cfg);
	assert_int_equal(c[2].sub_rx_packets, 5);
	assert_conservation();
	cfg = platform_edit();
	cfg->port[2].vlan = 8;
	platform_commit(cfg);
	assert_int_equal(c[2].sub_rx_packets, 0);
	assert_int_equal(c[2].drop[FCN_DROP_NO_ROUTE], 0);
	assert_conservation();
	/* Of a port that goes and one that comes with its name. */
	cfg = platform_edit();
	fcn_config_port_remove(cfg, 1);
	assert_int_equal(fcn_config_sub_interface_add(cfg, "p1", 0, 9), 1);
	platform_refused(cfg, "port p1: remove it first, then add it as an interface");
	cfg = platform_edit();
	fcn_config_port_remove(cfg, 2);
	assert_int_equal(fcn_config_port_add(cfg, "p0.7"), 2);
	platform_commit(cfg);
	assert_true(platform.port[2].open);
	/* The port goes, and with it its sub-interface. */
	cfg = platform_edit();
	assert_int_equal(fcn_config_sub_interface_add(cfg, "p0.9", 0, 9), 3);
	platform_commit(cfg);
	cfg = platform_edit();
	fcn_config_port_remove(cfg, 0);
	platform_commit(cfg);
	assert_int_equal(fcn_control_snapshot(platform.ctl)->port[3].mode, FCN_PORT_UNUSED);
	assert_int_equal(platform.port[0].closed, 1);
	assert_conservation();
}

static uint32_t
slots(unsigned int port, unsigned int class)
{
	return fcn_queue_slots(
			&fcn_control_worker(platform.ctl, 0)->port[port].egress->queue[class]);
}

/* Queues have memory for their limit, rounded up to a power of two, which may grow later. */
TEST(queue_growth)
{
	struct fcn_config *cfg;

	assert_int_equal(slots(1, 3), 4096);
	cfg = platform_edit();
	cfg->port[1].queue[3].limit_packets = 100; /* memory stays */
	platform_commit(cfg);
	assert_int_equal(slots(1, 3), 4096);
	cfg = platform_edit();
	cfg->port[1].queue[3].limit_packets = 4097;
	platform_commit(cfg);
	assert_int_equal(slots(1, 3), 8192);
	assert_int_equal(slots(1, 2), 4096);
	cfg = platform_edit();
	fcn_config_port_remove(cfg, 1);
	platform_commit(cfg);
	cfg = platform_edit();
	assert_int_equal(fcn_config_port_add(cfg, "p1"), 1);
	cfg->port[1].queue[3].limit_packets = 5;
	platform_commit(cfg);
	assert_int_equal(slots(1, 3), 8);
	cfg = platform_edit();
	cfg->port[1].queue[3].limit_packets = FCN_AUTO;
	cfg->port[1].queue[3].limit_bytes = 32000000;
	platform_commit(cfg);
	assert_int_equal(slots(1, 3), 65536);
	/* Without memory it stays as it is, which is said as long as it is so. */
	assert_int_equal(fcn_control_warnings(platform.ctl)->n, 0);
	cfg = platform_edit();
	cfg->port[1].queue[3].limit_packets = UINT32_C(1) << 30;
	platform_commit(cfg);
	assert_int_equal(slots(1, 3), 65536);
	assert_int_equal(fcn_control_warnings(platform.ctl)->n, 1);
	assert_int_equal(
			fcn_control_warnings(platform.ctl)->item[0].kind, FCN_WARNING_QUEUE_MEMORY);
	assert_string_equal(fcn_control_warnings(platform.ctl)->item[0].place, "port p1");
	cfg = platform_edit();
	cfg->port[1].queue[3].limit_packets = FCN_AUTO;
	platform_commit(cfg);
	assert_int_equal(fcn_control_warnings(platform.ctl)->n, 0);
}

/* A port goes with its backlog; what stood on it in the configuration goes, too. */
TEST(remove_port)
{
	struct fcn_config *cfg = platform_edit();
	struct fcn_prefix p;

	assert_int_equal(fcn_prefix_parse("2001:db8:7::1/64", &p), 0);
	assert_int_equal(FCN_LIST_ADD(cfg, "address", fcn_config_address, 1, p), 0);
	assert_int_equal(fcn_prefix_parse("2001:db8:8::1/64", &p), 0);
	assert_int_equal(FCN_LIST_ADD(cfg, "address", fcn_config_address, 0, p), 0);
	platform_route(cfg, "2001:db8:9::/48", "2001:db8:1::1", 1);
	platform_route(cfg, "2001:db8:a::/48", "2001:db8:1::1", 0);
	platform_commit(cfg);
	platform.source = true;
	platform.accept = 3;
	fcn_poll_once(fcn_control_worker(platform.ctl, 0), 1);
	platform.source = false;
	cfg = platform_edit();
	fcn_config_port_remove(cfg, 1);
	assert_int_equal(cfg->addresses.n, 1);
	assert_int_equal(cfg->neighbours.n, 0);
	assert_int_equal(cfg->routes.n, 1);
	platform_commit(cfg);
	assert_false(platform.port[1].open);
	assert_int_equal(fcn_control_worker(platform.ctl, 0)->counters[1].drop[FCN_DROP_PORT_GONE],
			32 - 3);
	assert_conservation();
	fcn_poll_once(fcn_control_worker(platform.ctl, 0), 2);
	assert_conservation();
}

/* Removed in one line and added in the next, under the same number: a port like new. */
TEST(number_again)
{
	struct fcn_config *cfg;

	cfg = platform_edit();
	fcn_config_port_remove(cfg, 1);
	assert_int_equal(fcn_config_port_add(cfg, "other"), 1);
	platform_refused(cfg,
			"port other: remove it first, then add it with another device or number "
			"of queues or descriptors");
	cfg = platform_edit();
	fcn_config_port_remove(cfg, 1);
	platform_commit(cfg);
	cfg = platform_edit();
	assert_int_equal(fcn_config_port_add(cfg, "other"), 1);
	platform_commit(cfg);
	assert_true(platform.port[1].open);
	assert_int_equal(platform.port[1].opened, 2);
}

/* Leaving a bridge, one way or the other, leaves its VLANs behind. */
TEST(leave_bridge)
{
	struct fcn_config *cfg = platform_edit();

	cfg->neighbours.n = 0;
	assert_int_equal(fcn_config_bridge_add(cfg, "br0"), 0);
	for (unsigned int p = 0; p < 2; p++) {
		cfg->port[p].bridge = 0;
		cfg->port[p].pvid = 10;
		cfg->port[p].tagged[1] = 5;
	}
	platform_commit(cfg);
	cfg = platform_edit();
	fcn_config_bridge_leave(cfg, 0);
	assert_int_equal(cfg->port[0].bridge, -1);
	assert_int_equal(cfg->port[0].pvid, 1);
	assert_int_equal(cfg->port[0].tagged[1], 0);
	fcn_config_bridge_remove(cfg, 0);
	assert_int_equal(cfg->port[1].bridge, -1);
	assert_int_equal(cfg->port[1].pvid, 1);
	assert_int_equal(cfg->port[1].tagged[1], 0);
	platform_commit(cfg);
}

/* A station that port p has learned in a bridge. */
static struct fcn_mac_key
station(uint16_t bridge, uint16_t p)
{
	return (struct fcn_mac_key){
			.mac = {{2, 0, 0, 0, 0, (uint8_t)p}}, .vlan = 1, .bridge = bridge};
}

static void
learn(uint16_t bridge, uint16_t p)
{
	const struct fcn_mac_key key = station(bridge, p);

	fcn_mac_table_learn(fcn_control_worker(platform.ctl, 0)->macs, &key, p, 1000);
}

static bool
is_known(uint16_t bridge, uint16_t p)
{
	const struct fcn_mac_key key = station(bridge, p);

	return fcn_mac_table_lookup(fcn_control_worker(platform.ctl, 0)->macs, &key, 2000,
			       UINT64_MAX / 2) == p;
}

/* What a port has learned is forgotten when it is in another bridge, in none, or in one that only
 * has the number of the former, and kept by any other change. */
TEST(forget_moved)
{
	struct fcn_config *cfg = platform_edit();

	cfg->neighbours.n = 0;
	assert_int_equal(fcn_config_bridge_add(cfg, "br0"), 0);
	assert_int_equal(fcn_config_bridge_add(cfg, "br1"), 1);
	for (unsigned int p = 0; p < 2; p++) {
		cfg->port[p].bridge = 0;
		cfg->port[p].pvid = 1;
	}
	platform_commit(cfg);
	learn(0, 0);
	learn(0, 1);
	cfg = platform_edit();
	cfg->port[1].mtu = 9000;
	platform_commit(cfg);
	assert_true(is_known(0, 0));
	assert_true(is_known(0, 1));
	cfg = platform_edit();
	cfg->port[1].bridge = 1;
	platform_commit(cfg);
	assert_true(is_known(0, 0));
	assert_false(is_known(0, 1));
	learn(1, 1);
	cfg = platform_edit();
	fcn_config_bridge_leave(cfg, 0);
	platform_commit(cfg);
	assert_false(is_known(0, 0));
	assert_true(is_known(1, 1));
	cfg = platform_edit();
	fcn_config_bridge_remove(cfg, 1);
	assert_int_equal(fcn_config_bridge_add(cfg, "br2"), 1);
	cfg->port[1].bridge = 1;
	platform_commit(cfg);
	assert_false(is_known(1, 1));
}

/* Copies share nothing; lists keep their order and know what is in them. */
TEST(config_lists)
{
	struct fcn_config *a = platform_edit(), *b;
	struct fcn_prefix p;
	struct fcn_addr via;

	for (unsigned int i = 0; i < 100; i++) {
		char text[64];

		snprintf(text, sizeof(text), "2001:db8:%x::/48", i);
		assert_int_equal(fcn_prefix_parse(text, &p), 0);
		assert_int_equal(
				FCN_LIST_ADD(a, "sender", fcn_config_sender, p, FCN_SENDER_CAPABLE),
				0);
		platform_route(a, text, "2001:db8::1", 1);
	}
	b = fcn_config_copy(a);
	for (unsigned int i = 0; i < 100; i += 2) {
		p = b->senders.item[i / 2].prefix;
		assert_int_equal(FCN_LIST_REMOVE(b, "sender", fcn_config_sender, p), 0);
		assert_int_equal(FCN_LIST_REMOVE(b, "sender", fcn_config_sender, p), -ENOENT);
		assert_int_equal(FCN_LIST_REMOVE_ANY(b, "route", fcn_config_route, .prefix = p), 0);
	}
	assert_int_equal(a->senders.n, 100);
	assert_int_equal(b->senders.n, 50);
	assert_int_equal(a->routes.n, 100);
	assert_int_equal(b->routes.n, 50);
	for (unsigned int i = 0; i < 50; i++)
		assert_int_equal(b->senders.item[i].prefix.addr.bytes[5], 2 * i + 1);
	/* A sender is set again, not added; whatever the bits behind the prefix. */
	assert_int_equal(fcn_prefix_parse("2001:db8:1:2::3/48", &p), 0);
	assert_int_equal(FCN_LIST_ADD(b, "sender", fcn_config_sender, p, FCN_SENDER_NONE), 0);
	assert_int_equal(b->senders.n, 50);
	assert_int_equal(b->senders.item[0].capability, FCN_SENDER_NONE);
	/* A path is removed by gateway and port, a prefix whole. */
	platform_route(b, "2001:db8:1::/48", "2001:db8::2", 1);
	assert_int_equal(fcn_addr_parse("2001:db8::2", &via), 0);
	assert_int_equal(FCN_LIST_REMOVE(b, "route", fcn_config_route, .prefix = p, .via = via,
					 .port = 0),
			-ENOENT);
	assert_int_equal(FCN_LIST_REMOVE(b, "route", fcn_config_route, .prefix = p, .via = via,
					 .port = 1),
			0);
	assert_int_equal(FCN_LIST_REMOVE_ANY(b, "route", fcn_config_route, .prefix = p), 0);
	assert_int_equal(FCN_LIST_REMOVE_ANY(b, "route", fcn_config_route, .prefix = p), -ENOENT);
	/* A gateway of the other IP version is none. */
	struct fcn_config_route r = {.prefix = p};
	assert_int_equal(fcn_addr_parse("192.0.2.1", &r.via), 0);
	assert_int_equal(fcn_list_add(b, fcn_list_of("route"), &r, NULL), -EINVAL);
	fcn_config_free(b);
	platform_commit(a);
}

TEST(limits)
{
	struct fcn_config *cfg = fcn_config_create();
	char name[40];

	for (int i = 0; i < FCN_MAX_PORTS; i++) {
		snprintf(name, sizeof(name), "p%d", i);
		assert_int_equal(fcn_config_port_add(cfg, name), i);
	}
	assert_int_equal(fcn_config_port_add(cfg, "more"), -ENOSPC);
	assert_int_equal(fcn_config_port_add(cfg, "p7"), -EEXIST);
	for (int i = 0; i < FCN_MAX_BRIDGES; i++) {
		snprintf(name, sizeof(name), "b%d", i);
		assert_int_equal(fcn_config_bridge_add(cfg, name), i);
	}
	assert_int_equal(fcn_config_bridge_add(cfg, "more"), -ENOSPC);
	fcn_config_port_remove(cfg, 5);
	memset(name, 'x', 32);
	name[32] = '\0';
	assert_int_equal(fcn_config_port_add(cfg, name), -EINVAL);
	assert_int_equal(fcn_config_port_add(cfg, ""), -EINVAL);
	name[31] = '\0';
	assert_int_equal(fcn_config_port_add(cfg, name), 5);
	fcn_config_free(cfg);
}

/* Cleared counters stay cleared: what the ring still held was before. */
TEST(clear_counters)
{
	struct fcn_collector_summary s;
	struct fcn_config *cfg = platform_edit();

	assert_int_equal(fcn_addr_parse("2001:db8::5", &cfg->loopback), 0);
	cfg->notify.on = 1;
	platform_neighbour(cfg, 0, "2001:db8::7", 1);
	for (unsigned int c = 0; c < FCN_CLASSES; c++) {
		cfg->port[1].queue[c].policy.notify = true;
		cfg->port[1].queue[c].detector.type = FCN_DETECTOR_STEP;
		cfg->port[1].queue[c].detector.enter = 1;
	}
	platform_commit(cfg);
	platform.source = true;
	fcn_poll_once(fcn_control_worker(platform.ctl, 0), 1);
	platform.source = false;
	assert_true(fcn_control_worker(platform.ctl, 0)->counters[1].generated > 0);
	fcn_control_clear_counters(platform.ctl, NULL, 0);
	assert_int_equal(fcn_control_worker(platform.ctl, 0)->counters[1].generated, 0);
	fcn_collector_drain(fcn_control_collector(platform.ctl),
			fcn_control_worker(platform.ctl, 0), NULL, NULL);
	fcn_collector_summary(fcn_control_collector(platform.ctl), &s);
	assert_int_equal(s.notices, 0);
	assert_int_equal(s.flows, 0);
	assert_int_equal(s.congested, 0);
	assert_conservation();
}

TEST(trace_filter)
{
	char err[256];

	assert_int_equal(fcn_control_trace_add(
					 platform.ctl, 5, NULL, "udp and and", err, sizeof(err)),
			-1);
	assert_true(strncmp(err, "filter: ", 8) == 0);
	assert_int_equal(fcn_control_worker(platform.ctl, 0)->trace.wanted, 0);
	assert_int_equal(fcn_control_trace_add(platform.ctl, 5, NULL, "ip6 src 2001:db8::3", err,
					 sizeof(err)),
			0);
	platform.source = true;
	fcn_poll_once(fcn_control_worker(platform.ctl, 0), 1);
	assert_int_equal(fcn_control_worker(platform.ctl, 0)->trace.n, 1);
	assert_int_equal(fcn_control_worker(platform.ctl, 0)->trace.wanted, 4);
	/* A new order takes the place of the old one, its filter with it. */
	assert_int_equal(fcn_control_trace_add(platform.ctl, 3, NULL, NULL, err, sizeof(err)), 0);
	fcn_poll_once(fcn_control_worker(platform.ctl, 0), 2);
	assert_int_equal(fcn_control_worker(platform.ctl, 0)->trace.n, 4);
	fcn_control_trace_clear(platform.ctl, NULL, 0);
	assert_int_equal(fcn_control_worker(platform.ctl, 0)->trace.n, 0);
	assert_int_equal(fcn_control_trace_add(platform.ctl, 1, NULL, "ip6", err, sizeof(err)), 0);
}

/* More ports than the snapshot in force has room for, with gaps: it grows before workers get them,
 * and does not shrink again. */
TEST(many_ports)
{
	const struct fcn_snapshot *s;
	struct fcn_config *cfg;
	struct fcn_port_set bridged;
	char name[16], err[256];
	uint16_t room;

	room = fcn_control_snapshot(platform.ctl)->n_ports;
	assert_in_range(room, 2, FCN_MAX_PORTS - 1);
	/* One of them does not open: nothing changes. */
	cfg = platform_edit();
	for (unsigned int i = 2; i < 100; i++) {
		snprintf(name, sizeof(name), "p%u", i);
		assert_int_equal(fcn_config_port_add(cfg, name), i);
	}
	assert_int_equal(fcn_config_port_add(cfg, PLATFORM_BROKEN), 100);
	assert_int_equal(fcn_control_commit(platform.ctl, cfg, err, sizeof(err)), -1);
	for (unsigned int i = 2; i < 101; i++)
		assert_false(platform.port[i].open);
	/* All there can be, those with odd numbers in a bridge. */
	fcn_config_port_remove(cfg, 100);
	assert_int_equal(fcn_config_bridge_add(cfg, "br"), 0);
	for (unsigned int i = 100; i < FCN_MAX_PORTS; i++) {
		snprintf(name, sizeof(name), "p%u", i);
		assert_int_equal(fcn_config_port_add(cfg, name), i);
	}
	memset(&bridged, 0, sizeof(bridged));
	for (unsigned int i = 2; i < FCN_MAX_PORTS; i++) {
		for (unsigned int c = 0; c < FCN_CLASSES; c++)
			cfg->port[i].queue[c].limit_packets = 16;
		if (i % 2 == 0)
			continue;
		cfg->port[i].bridge = 0;
		fcn_port_set_add(&bridged, i);
	}
	platform_commit(cfg);
	s = fcn_control_snapshot(platform.ctl);
	assert_int_equal(s->n_ports, FCN_MAX_PORTS);
	assert_true(fcn_port_set_is_same(&s->bridge[0].members, &bridged));
	assert_int_equal(fcn_control_worker(platform.ctl, 0)->n_own_ports, FCN_MAX_PORTS);
	for (unsigned int i = 0; i < FCN_MAX_PORTS; i++) {
		assert_true(platform.port[i].open);
		assert_int_equal(s->port[i].mtu, FCN_DEFAULT_MTU);
	}
	/* A fresh configuration of few ports. */
	cfg = fcn_config_create();
	assert_int_equal(fcn_config_port_add(cfg, "p0"), 0);
	platform_commit(cfg);
	for (unsigned int i = 0; i < FCN_MAX_PORTS; i++)
		assert_int_equal(platform.port[i].open, i == 0);
	assert_int_equal(fcn_control_snapshot(platform.ctl)->n_ports, FCN_MAX_PORTS);
	cfg = platform_edit();
	assert_int_equal(fcn_config_port_add(cfg, "p9"), 1);
	platform_commit(cfg);
	assert_true(platform.port[1].open);
}
