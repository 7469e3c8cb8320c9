/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* From a configuration to a snapshot: defaults, routes, and every refusal. */

#include "fcn_build.h"
#include "fcn_test.h"

static struct fcn_config *cfg;
static struct fcn_build_env env;
static char err[256];

static int
setup(void **state)
{
	RTE_SET_USED(state);
	env = (struct fcn_build_env){.name = "build", .socket = SOCKET_ID_ANY, .generation = 1};
	cfg = fcn_config_create();
	return cfg == NULL || fcn_config_port_add(cfg, "p0") != 0 ||
	       fcn_config_port_add(cfg, "p1") != 1 || fcn_config_port_add(cfg, "p2") != 2;
}

static int
teardown(void **state)
{
	RTE_SET_USED(state);
	fcn_config_free(cfg);
	return 0;
}

static struct fcn_prefix
prefix(const char *text)
{
	struct fcn_prefix p;

	assert_int_equal(fcn_prefix_parse(text, &p), 0);
	return p;
}

static struct fcn_addr
addr(const char *text)
{
	struct fcn_addr a;

	assert_int_equal(fcn_addr_parse(text, &a), 0);
	return a;
}

static void
add_address(uint16_t port, const char *text)
{
	struct fcn_prefix p = prefix(text);

	assert_int_equal(fcn_config_address_add(cfg, port, &p), 0);
}

static void
add_neighbour(uint16_t port, const char *text, uint8_t n)
{
	struct fcn_addr a = addr(text);
	struct rte_ether_addr mac = {{2, 0, 0, 0, 7, n}};

	assert_int_equal(fcn_config_neighbour_set(cfg, port, &a, &mac), 0);
}

static void
add_route(const char *text, const char *via, uint16_t port)
{
	struct fcn_config_route r = {
			.prefix = prefix(text), .port = port, .blackhole = via == NULL};

	if (via != NULL)
		r.via = addr(via);
	assert_int_equal(fcn_config_route_add(cfg, &r), 0);
}

static struct fcn_snapshot *
build(void)
{
	struct fcn_snapshot *s;

	err[0] = '\0';
	s = fcn_snapshot_build(cfg, &env, err, sizeof(err));
	if (s == NULL)
		print_error("%s\n", err);
	assert_non_null(s);
	assert_string_equal(err, "");
	return s;
}

static void
assert_refused(const char *want)
{
	struct fcn_snapshot *s = fcn_snapshot_build(cfg, &env, err, sizeof(err));

	assert_null(s);
	assert_string_equal(err, want);
}

/* The next hop of an address in a table. */
static const struct fcn_next_hop *
look_up_in(const struct fcn_snapshot *s, unsigned int table, const char *text)
{
	struct fcn_addr a = addr(text);
	uint64_t nh;

	if (a.version == 6) {
		uint8_t bytes[1][16];

		memcpy(bytes[0], a.bytes, 16);
		fcn_fib6_lookup(s->table[table].fib, bytes, &nh, 1);
	} else {
		uint32_t v4 = (uint32_t)a.bytes[0] << 24 | a.bytes[1] << 16 | a.bytes[2] << 8 |
			      a.bytes[3];

		fcn_fib4_lookup(s->table[table].fib, &v4, &nh, 1);
	}
	nh += s->table[table].first;
	assert_true(nh < s->n_next_hops);
	return &s->next_hop[nh];
}

/* The next hop of an address in the main table. */
static const struct fcn_next_hop *
look_up(const struct fcn_snapshot *s, const char *text)
{
	return look_up_in(s, FCN_TABLE_MAIN, text);
}

static void
assert_forward(const struct fcn_next_hop *nh, uint16_t port, uint8_t n)
{
	assert_int_equal(nh->type, FCN_NEXT_HOP_FORWARD);
	assert_int_equal(nh->port, port);
	assert_int_equal(nh->l2.dst_addr.addr_bytes[5], n);
}

static void
test_refusals(void **state)
{
	RTE_SET_USED(state);
	cfg->port[1].queue[3].detector.type = FCN_DETECTOR_STEP;
	cfg->port[1].queue[3].detector.enter = 1000;
	cfg->port[1].queue[3].detector.leave = 1001;
	assert_refused("port p1 class 3: the detector's leave of 1001 bytes must not be above its "
		       "threshold of 1000 bytes");
	cfg->port[1].queue[3].detector.leave = 1000;
	cfg->port[1].queue[3].limit_bytes = 999;
	assert_refused("port p1 class 3: the detector's threshold of 1000 bytes is above the "
		       "queue's "
		       "limit of 999 bytes");
	cfg->port[1].queue[3].limit_bytes = 1000;
	fcn_snapshot_free(build());
	/* QCN has no such order. */
	cfg->port[1].queue[3].detector.type = FCN_DETECTOR_QCN;
	cfg->port[1].queue[3].detector.leave = 1000000;
	fcn_snapshot_free(build());

	cfg->notify.on = 1;
	assert_refused("notify fast-cnp needs a source address: set loopback ADDRESS first");
	cfg->loopback = addr("192.0.2.1");
	assert_refused("notify fast-cnp needs a source address: set loopback ADDRESS first");
	cfg->loopback = addr("2001:db8::1");
	fcn_snapshot_free(build());

	/* 2^31 ns: 16 tokens of 134217728 ns each are one too many. 7 a second: 142857142 ns. */
	cfg->notify.queue_bucket = (struct fcn_config_bucket){.rate = 7, .burst = 16};
	assert_refused("notify queue bucket: 16 tokens at 7 a second take longer than 2.1 s to "
		       "fill");
	cfg->notify.queue_bucket.burst = 15;
	fcn_snapshot_free(build());
	cfg->notify.global_bucket = (struct fcn_config_bucket){.rate = 2, .burst = 5};
	assert_refused("notify global bucket: 5 tokens at 2 a second take longer than 2.1 s to "
		       "fill");
	cfg->notify.global_bucket.rate = 0;
	fcn_snapshot_free(build());
	cfg->notify.dest_bucket = (struct fcn_config_bucket){.rate = 1, .burst = 3};
	assert_refused("notify destination bucket: 3 tokens at 1 a second take longer than 2.1 s "
		       "to "
		       "fill");
	cfg->notify.dest_bucket.rate = 0;
	fcn_snapshot_free(build());

	assert_int_equal(fcn_config_bridge_add(cfg, "br0"), 0);
	cfg->port[2].bridge = 0;
	add_address(2, "2001:db8:2::1/64");
	assert_refused("address 2001:db8:2::1/64: port p2 is in bridge br0 and cannot have one");
	cfg->addresses.n = 0;
	add_neighbour(2, "2001:db8:2::2", 1);
	assert_refused("neighbour 2001:db8:2::2: port p2 is in bridge br0 and cannot have one");
	cfg->neighbours.n = 0;
	add_route("2001:db8:3::/48", "2001:db8:2::2", 2);
	assert_refused("route 2001:db8:3::/48: port p2 is in bridge br0 and cannot be routed to");
	cfg->routes.n = 0;
	fcn_snapshot_free(build());

	for (unsigned int i = 0; i <= FCN_NEXT_HOP_MAX_MEMBERS; i++) {
		char via[32];

		snprintf(via, sizeof(via), "2001:db8::%x", i + 1);
		add_route("2001:db8:4::/48", via, 1);
	}
	assert_refused("route 2001:db8:4::/48: more than 64 paths");
	cfg->routes.n--;
	fcn_snapshot_free(build());
}

static void
test_detector_defaults(void **state)
{
	struct fcn_config_queue q;
	struct fcn_detector_conf d;

	RTE_SET_USED(state);
	fcn_config_queue_default(&q);
	q.detector.type = FCN_DETECTOR_QCN;
	cfg->notify.interval_ns = 7000;
	/* 4 us of 100G are 50000 bytes; of 10G 5000, below the floor of 26000. */
	fcn_build_detector(cfg, &cfg->port[0], &q, 100000000000, &d);
	assert_int_equal(d.qeq, 50000);
	assert_int_equal(d.leave, 25000);
	assert_int_equal(d.hold_ns, 20000);
	assert_int_equal(d.level_hold_ns, 7000);
	assert_int_equal(d.weight, 2);
	assert_int_equal(d.sample, 4096);
	fcn_build_detector(cfg, &cfg->port[0], &q, 10000000000, &d);
	assert_int_equal(d.qeq, 26000);
	/* The shaper's rate where it is the lower one. */
	cfg->port[0].rate_bps = 80000000000;
	fcn_build_detector(cfg, &cfg->port[0], &q, 100000000000, &d);
	assert_int_equal(d.qeq, 40000);
	fcn_build_detector(cfg, &cfg->port[0], &q, 60000000000, &d);
	assert_int_equal(d.qeq, 30000);
	q.detector.qeq = 1000;
	q.detector.leave = 7;
	q.detector.hold_ns = 0;
	fcn_build_detector(cfg, &cfg->port[0], &q, 60000000000, &d);
	assert_int_equal(d.qeq, 1000);
	assert_int_equal(d.leave, 7);
	assert_int_equal(d.hold_ns, 0);
	/* step */
	fcn_config_queue_default(&q);
	q.detector.type = FCN_DETECTOR_STEP;
	q.detector.enter = 20001;
	q.limit_bytes = 100000;
	fcn_build_detector(cfg, &cfg->port[0], &q, 60000000000, &d);
	assert_int_equal(d.leave, 10000);
	assert_int_equal(d.hold_ns, 0);
	assert_int_equal(d.limit, 100000);
	assert_int_equal(fcn_detector_level(&d, 100000), 7);
	assert_int_equal(fcn_detector_level(&d, 20001), 0);
}

static void
test_ports(void **state)
{
	struct fcn_snapshot *s;

	RTE_SET_USED(state);
	env.slack_ns = 100000;
	env.port[1].mac = (struct rte_ether_addr){{2, 9, 9, 9, 9, 9}};
	cfg->port[2].mac = (struct rte_ether_addr){{2, 8, 8, 8, 8, 8}};
	env.port[2].mac = env.port[1].mac;
	cfg->port[1].rate_bps = 3000000000;
	cfg->port[2].rate_bps = 3000000000;
	cfg->port[2].burst = 15000;
	assert_int_equal(fcn_config_bridge_add(cfg, "br0"), 0);
	assert_int_equal(fcn_config_bridge_add(cfg, "br1"), 1);
	cfg->bridge[1].ageing_ns = 400000000000;
	cfg->port[1].bridge = cfg->port[2].bridge = 1;
	s = build();
	assert_memory_equal(&s->port[0].mac, "\x02\x66\x63\x6e\x00\x00", 6);
	assert_memory_equal(&s->port[1].mac, &env.port[1].mac, 6);
	assert_memory_equal(&s->port[2].mac, &cfg->port[2].mac, 6);
	assert_int_equal(s->port[0].mode, FCN_PORT_ROUTED);
	assert_int_equal(s->port[1].mode, FCN_PORT_BRIDGED);
	assert_int_equal(s->port[3].mode, FCN_PORT_UNUSED);
	assert_int_equal(s->bridge[1].members, 6);
	assert_int_equal(s->bridge[0].members, 0);
	assert_int_equal(s->mac_ageing_ns, 400000000000);
	assert_int_equal(s->port[0].egress.shaper.bps, 0);
	assert_int_equal(s->port[1].egress.shaper.slack_ns, 100000);
	/* 15000 bytes at 3 Gbit/s are 40 us */
	assert_int_equal(s->port[2].egress.shaper.slack_ns, 40000);
	fcn_snapshot_free(s);
}

/* The neighbour table says which stations are attached, those that are configured, too. */
static void
test_neighbour_table(void **state)
{
	static const struct fcn_build_neighbour found = {.port = 1,
			.addr = {.version = 6, .bytes = {0x20, 1, 0xd, 0xb8, 0, 1, [15] = 9}},
			.mac = {{2, 0, 0, 0, 7, 9}}};
	static const struct {
		const char *addr;
		uint16_t port;
		uint8_t n; /* last octet of the MAC address */
	} wanted[] = {{"2001:db8:1::9", 1, 9}, {"2001:db8:1::2", 1, 2}, {"192.0.2.2", 2, 4},
			{"2001:db8:7::7", 2, 3}};
	struct fcn_snapshot *s;

	RTE_SET_USED(state);
	add_address(1, "2001:db8:1::1/64");
	add_neighbour(1, "2001:db8:1::2", 2);
	add_neighbour(2, "2001:db8:7::7", 3); /* on no connected network */
	add_neighbour(2, "192.0.2.2", 4);
	add_route("2001:db8:8::/48", "2001:db8:7::7", 2);
	env.neighbours = &found;
	env.n_neighbours = 1;
	s = build();
	assert_int_equal(s->neighbours.n, RTE_DIM(wanted));
	for (unsigned int i = 0; i < RTE_DIM(wanted); i++) {
		const struct fcn_addr a = addr(wanted[i].addr);
		uint32_t nh = fcn_neighbour_find(
				&s->neighbours, a.version, wanted[i].port, a.bytes);

		assert_int_not_equal(nh, 0);
		assert_forward(&s->next_hop[nh], wanted[i].port, wanted[i].n);
		/* By another port, it is none. */
		assert_int_equal(fcn_neighbour_find(&s->neighbours, a.version, 0, a.bytes), 0);
	}
	assert_forward(look_up(s, "2001:db8:8::1"), 2, 3);
	fcn_snapshot_free(s);
}

/* What is of the line is the port's; what is of the network its own. */
static void
test_sub_interfaces(void **state)
{
	const struct fcn_next_hop *nh;
	struct fcn_snapshot *s;

	RTE_SET_USED(state);
	cfg->port[0].mtu = 9000;
	cfg->port[0].ioam.transit = true;
	env.port[0].mac = (struct rte_ether_addr){{2, 9, 9, 9, 9, 9}};
	assert_int_equal(fcn_config_sub_interface_add(cfg, "p0.7", 0, 7), 3);
	assert_int_equal(fcn_config_sub_interface_add(cfg, "p0.8", 0, 8), 4);
	assert_int_equal(fcn_config_sub_interface_add(cfg, "again", 0, 7), -EADDRINUSE);
	assert_int_equal(fcn_config_sub_interface_add(cfg, "p0.8", 0, 9), -EEXIST);
	assert_int_equal(fcn_config_sub_interface_find(cfg, 0, 8), 4);
	assert_int_equal(fcn_config_sub_interface_find(cfg, 1, 8), -ENOENT);
	cfg->port[4].mtu = 1280;
	env.kernel = true;
	strcpy(cfg->port[4].kernel, "eth4");
	add_address(0, "2001:db8:0::1/64");
	add_address(3, "2001:db8:7::1/64");
	add_address(4, "2001:db8:8::1/64");
	add_neighbour(0, "2001:db8::2", 1);
	add_neighbour(3, "2001:db8:7::2", 2);
	add_neighbour(4, "2001:db8:8::2", 3);
	add_route("2001:db8:77::/48", "2001:db8:7::2", 3);
	s = build();
	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
		assert_int_equal(s->port[p].parent, p == 3 || p == 4 ? 0 : p);
		assert_int_equal(s->port[p].sub != NULL, p == 0);
	}
	for (unsigned int v = 0; v < FCN_VLANS; v++)
		assert_int_equal(s->port[0].sub[v], v == 7 ? 3 : v == 8 ? 4 : FCN_NO_SUB_INTERFACE);
	assert_int_equal(s->port[3].vlan, 7);
	assert_int_equal(s->port[3].mode, FCN_PORT_ROUTED);
	assert_int_equal(s->port[3].mtu, 9000);
	assert_int_equal(s->port[4].mtu, 1280);
	assert_true(s->port[4].kernel && !s->port[3].kernel && !s->port[0].kernel);
	assert_memory_equal(&s->port[3].mac, &env.port[0].mac, 6);
	assert_int_equal(s->port[3].ioam.id, s->port[0].ioam.id);
	assert_true(s->port[3].ioam.transit);
	nh = look_up(s, "2001:db8:77::5");
	assert_int_equal(nh->type, FCN_NEXT_HOP_FORWARD_TAGGED);
	assert_int_equal(nh->port, 0);
	assert_int_equal(nh->interface, 3);
	assert_int_equal(nh->vlan, 7);
	assert_int_equal(nh->mtu, 9000);
	assert_memory_equal(&nh->l2.src_addr, &env.port[0].mac, 6);
	assert_memory_equal(&nh->l2.dst_addr, "\x02\0\0\0\x07\x02", 6);
	nh = look_up(s, "2001:db8:8::2");
	assert_int_equal(nh->interface, 4);
	assert_int_equal(nh->mtu, 1280);
	nh = look_up(s, "2001:db8:8::3");
	assert_int_equal(nh->type, FCN_NEXT_HOP_CONNECTED);
	assert_int_equal(nh->interface, 4);
	assert_int_equal(nh->port, 0);
	nh = look_up(s, "2001:db8::2");
	assert_int_equal(nh->type, FCN_NEXT_HOP_FORWARD);
	assert_int_equal(nh->interface, 0);
	fcn_snapshot_free(s);

	/* Without link on the line there is none on its VLANs. */
	env.port[0].down = true;
	s = build();
	assert_true(s->port[0].down && s->port[3].down && s->port[4].down);
	assert_false(s->port[1].down);
	fcn_snapshot_free(s);
	env.port[0].down = false;

	cfg->port[4].mtu = 9001;
	assert_refused("port p0.8: the MTU of 9001 is larger than that of port p0, 9000");
	cfg->port[4].mtu = 9000;
	assert_int_equal(fcn_config_bridge_add(cfg, "br0"), 0);
	fcn_config_port_remove(cfg, 4);
	for (size_t i = 0; i < cfg->addresses.n; i++)
		assert_int_not_equal(cfg->addresses.item[i].port, 4);
	cfg->port[0].bridge = 0;
	assert_refused("port p0.7: port p0 is in bridge br0 and cannot have sub-interfaces");
	/* With the port all goes that stands on it. */
	fcn_config_port_remove(cfg, 0);
	assert_int_equal(fcn_config_port_find(cfg, "p0.7"), -ENOENT);
	assert_int_equal(cfg->addresses.n + cfg->neighbours.n + cfg->routes.n, 0);
}

static void
test_notify(void **state)
{
	const struct fcn_notice_cnp_conf *fastcnp;
	static const struct {
		uint64_t rate;
		uint32_t cost;
	} costs[] = {{0, 0}, {1, 1000000000}, {250000, 4000}, {1000000, 1000}, {1000000000, 1}};
	struct fcn_snapshot *s;
	struct fcn_prefix p = prefix("2001:db8:9::/48");

	RTE_SET_USED(state);
	for (size_t i = 0; i < RTE_DIM(costs); i++) {
		cfg->notify.queue_bucket = (struct fcn_config_bucket){costs[i].rate, 1};
		cfg->notify.global_bucket = (struct fcn_config_bucket){costs[i].rate, 1};
		cfg->notify.dest_bucket = (struct fcn_config_bucket){costs[i].rate, 2};
		if (costs[i].rate == 1)
			cfg->notify.dest_bucket.burst = 1;
		s = build();
		assert_int_equal(s->notify.common.queue[1][3].cost_ns, costs[i].cost);
		assert_int_equal(s->notify.kind[0].global_cost_ns, costs[i].cost);
		assert_int_equal(s->notify.kind[0].dest_cost_ns, costs[i].cost);
		fcn_snapshot_free(s);
	}
	/* One a second, divided among 16 workers: each has one in 16 s, more than 32 bits hold. */
	cfg->notify.global_bucket = (struct fcn_config_bucket){1, 1};
	env.n_workers = 16;
	s = build();
	assert_int_equal(s->notify.kind[0].global_cost_ns, UINT64_C(16000000000));
	fcn_snapshot_free(s);
	env.n_workers = 1;
	cfg->loopback = addr("2001:db8::5");
	cfg->notify.dscp = 10;
	cfg->notify.hop_limit = 9;
	cfg->codes.fastcnp_opt1 = 0x81;
	cfg->codes.fastcnp_opt2 = 0x82;
	assert_int_equal(fcn_config_sender_set(cfg, &p, FCN_SENDER_CAPABLE), 0);
	s = build();
	fastcnp = s->notify.kind[FCN_NOTICE_FAST_CNP].own;
	assert_memory_equal(fastcnp->fastcnp.conf.source, cfg->loopback.bytes, 16);
	assert_int_equal(fastcnp->fastcnp.conf.dscp, 10);
	assert_int_equal(fastcnp->fastcnp.conf.hop_limit, 9);
	assert_int_equal(fastcnp->fastcnp.conf.opt1_type, 0x81);
	assert_int_equal(fastcnp->fastcnp.conf.opt2_type, 0x82);
	assert_int_equal(s->notify.kind[FCN_NOTICE_FAST_CNP].recent_ns, 2000000000);
	assert_int_equal(s->codes.fastcnp_opt1, 0x81);
	assert_int_equal(fcn_prefix_list_lookup6(fastcnp->senders, p.addr.bytes, 99),
			FCN_SENDER_CAPABLE);
	assert_int_equal(fcn_prefix_list_lookup6(fastcnp->senders, cfg->loopback.bytes, 99), 99);
	fcn_snapshot_free(s);
}

/* Own addresses before neighbours before static routes before what is connected. */
static void
test_precedence(void **state)
{
	struct fcn_snapshot *s;

	RTE_SET_USED(state);
	add_address(0, "2001:db8:1::1/64");
	add_address(1, "192.0.2.1/24");
	s = build();
	assert_int_equal(look_up(s, "2001:db8:1::1")->type, FCN_NEXT_HOP_LOCAL);
	assert_int_equal(look_up(s, "192.0.2.1")->type, FCN_NEXT_HOP_LOCAL);
	assert_int_equal(look_up(s, "2001:db8:1::2")->type, FCN_NEXT_HOP_CONNECTED);
	assert_int_equal(look_up(s, "192.0.2.2")->type, FCN_NEXT_HOP_CONNECTED);
	assert_int_equal(look_up(s, "192.0.3.1")->type, FCN_NEXT_HOP_NO_ROUTE);
	assert_int_equal(look_up(s, "2001:db8:2::1")->type, FCN_NEXT_HOP_NO_ROUTE);
	fcn_snapshot_free(s);
	/* a static route as long as the connected one wins */
	add_route("2001:db8:1::/64", NULL, 0);
	add_route("192.0.2.0/24", NULL, 0);
	add_neighbour(0, "2001:db8:1::2", 2);
	s = build();
	assert_int_equal(look_up(s, "2001:db8:1::3")->type, FCN_NEXT_HOP_BLACKHOLE);
	assert_int_equal(look_up(s, "192.0.2.3")->type, FCN_NEXT_HOP_BLACKHOLE);
	assert_forward(look_up(s, "2001:db8:1::2"), 0, 2);
	assert_int_equal(look_up(s, "2001:db8:1::1")->type, FCN_NEXT_HOP_LOCAL);
	fcn_snapshot_free(s);
	/* a neighbour wins against a host route, our own address against a neighbour */
	add_route("2001:db8:1::2/128", NULL, 0);
	add_neighbour(0, "2001:db8:1::1", 1);
	cfg->loopback = addr("2001:db8:1::9");
	add_neighbour(0, "2001:db8:1::9", 9);
	s = build();
	assert_forward(look_up(s, "2001:db8:1::2"), 0, 2);
	assert_int_equal(look_up(s, "2001:db8:1::1")->type, FCN_NEXT_HOP_LOCAL);
	assert_int_equal(look_up(s, "2001:db8:1::9")->type, FCN_NEXT_HOP_LOCAL);
	fcn_snapshot_free(s);
}

/* Link-local neighbours serve as gateways, on their port; no host route leads to them. */
static void
test_link_local(void **state)
{
	struct fcn_snapshot *s;

	RTE_SET_USED(state);
	add_neighbour(0, "fe80::1", 1);
	add_neighbour(1, "fe80::1", 2);
	add_route("2001:db8:1::/48", "fe80::1", 0);
	add_route("2001:db8:2::/48", "fe80::1", 1);
	add_route("2001:db8:3::/48", "fe80::1", 2);
	s = build();
	assert_forward(look_up(s, "2001:db8:1::1"), 0, 1);
	assert_forward(look_up(s, "2001:db8:2::1"), 1, 2);
	assert_int_equal(look_up(s, "2001:db8:3::1")->type, FCN_NEXT_HOP_NO_NEIGHBOUR);
	assert_int_equal(look_up(s, "fe80::1")->type, FCN_NEXT_HOP_NO_ROUTE);
	fcn_snapshot_free(s);
}

/* A path whose gateway has no MAC address takes no share of the flows while another has one. */
static void
test_group_without_neighbour(void **state)
{
	struct fcn_snapshot *s;

	RTE_SET_USED(state);
	add_route("2001:db8:1::/48", "2001:db8::1", 0);
	add_route("2001:db8:1::/48", "2001:db8::2", 1);
	s = build();
	assert_int_equal(look_up(s, "2001:db8:1::1")->type, FCN_NEXT_HOP_NO_NEIGHBOUR);
	fcn_snapshot_free(s);
	add_neighbour(1, "2001:db8::2", 2);
	s = build();
	assert_forward(look_up(s, "2001:db8:1::1"), 1, 2);
	fcn_snapshot_free(s);
}

static void
test_groups(void **state)
{
	const struct fcn_next_hop *nh;
	struct fcn_snapshot *s;

	RTE_SET_USED(state);
	cfg->port[1].mtu = 9000;
	add_neighbour(0, "2001:db8::1", 1);
	add_neighbour(1, "2001:db8::2", 2);
	add_neighbour(2, "2001:db8::3", 3);
	/* given in disorder, among others, one of them three times */
	add_route("2001:db8:8::/48", "2001:db8::3", 2);
	add_route("2001:db8:9::/48", "2001:db8::1", 0);
	add_route("2001:db8:8:7::/48", "2001:db8::1", 0); /* the same prefix, not normalised */
	add_route("2001:db8:8::/48", "2001:db8::3", 2);
	add_route("2001:db8:8::/48", "2001:db8::2", 1);
	add_route("2001:db8:8::/48", "2001:db8::3", 2);
	add_route("2001:db8:8::/64", "2001:db8::2", 1); /* longer: on its own */
	s = build();
	nh = look_up(s, "2001:db8:8:1::1");
	assert_int_equal(nh->type, FCN_NEXT_HOP_GROUP);
	assert_int_equal(nh->n_members, 3);
	for (unsigned int i = 0; i < 3; i++) {
		const struct fcn_next_hop *m = &s->next_hop[s->member[nh->first_member + i]];

		assert_forward(m, i, i + 1);
		assert_int_equal(m->mtu, i == 1 ? 9000 : 1500);
	}
	assert_forward(look_up(s, "2001:db8:9::1"), 0, 1);
	assert_forward(look_up(s, "2001:db8:8::1"), 1, 2);
	fcn_snapshot_free(s);
	/* the same path twice is one path, no group */
	cfg->routes.n = 0;
	add_route("2001:db8:8::/48", "2001:db8::3", 2);
	add_route("2001:db8:8::/48", "2001:db8::3", 2);
	s = build();
	assert_forward(look_up(s, "2001:db8:8::1"), 2, 3);
	fcn_snapshot_free(s);
	/* a blackhole hides any path, however many */
	add_route("2001:db8:8::/48", "2001:db8::1", 0);
	add_route("2001:db8:8::/48", NULL, 0);
	s = build();
	assert_int_equal(look_up(s, "2001:db8:8::1")->type, FCN_NEXT_HOP_BLACKHOLE);
	fcn_snapshot_free(s);
}

/* As many routes as take the large tables; the order they are given in makes no difference. */
static void
test_many_routes(void **state)
{
	struct fcn_snapshot *s;
	uint64_t seed = 1;

	RTE_SET_USED(state);
	add_neighbour(0, "2001:db8::1", 1);
	add_neighbour(1, "2001:db8::2", 2);
	for (unsigned int i = 0; i < 600; i++) {
		unsigned int net = (i * 7919) % 600;
		char text[64];

		snprintf(text, sizeof(text), "2001:db8:%x::/48", 0x1000 + net);
		add_route(text, net % 2 == 0 ? "2001:db8::1" : "2001:db8::2", net % 2);
		if (net % 3 == 0)
			add_route(text, net % 2 != 0 ? "2001:db8::1" : "2001:db8::2", 1 - net % 2);
	}
	s = build();
	for (unsigned int i = 0; i < 200; i++) {
		unsigned int net = fcn_test_random(&seed) % 600;
		const struct fcn_next_hop *nh;
		char text[64];

		snprintf(text, sizeof(text), "2001:db8:%x::77", 0x1000 + net);
		nh = look_up(s, text);
		if (net % 3 != 0) {
			assert_forward(nh, net % 2, net % 2 + 1);
			continue;
		}
		assert_int_equal(nh->type, FCN_NEXT_HOP_GROUP);
		assert_int_equal(nh->n_members, 2);
		for (unsigned int k = 0; k < 2; k++)
			assert_forward(&s->next_hop[s->member[nh->first_member + k]], k, k + 1);
	}
	fcn_snapshot_free(s);
}

static void
add_route_in(unsigned int table, const char *text, const char *via, uint16_t port)
{
	add_route(text, via, port);
	cfg->routes.item[cfg->routes.n - 1].table = (uint8_t)table;
}

/* The same prefixes and addresses in two tables, which have different next hops. */
static void
test_tables(void **state)
{
	const struct fcn_next_hop *nh;
	struct fcn_snapshot *s;

	RTE_SET_USED(state);
	assert_int_equal(fcn_config_table_add(cfg, "red"), 1);
	strcpy(cfg->port[1].table, "red");
	strcpy(cfg->port[2].table, "red");
	add_address(0, "2001:db8::fe/64");
	add_address(1, "2001:db8::fe/64");
	add_neighbour(0, "2001:db8::1", 1);
	add_neighbour(1, "2001:db8::1", 2);
	add_neighbour(2, "2001:db8:2::1", 3);
	add_route("2001:db8:8::/48", "2001:db8::1", 0);
	add_route("10.0.0.0/8", NULL, 0);
	add_route_in(1, "2001:db8:8::/48", "2001:db8::1", 1);
	add_route_in(1, "2001:db8:9::/48", "2001:db8::1", 1);
	add_route_in(1, "2001:db8:9::/48", "2001:db8:2::1", 2);
	s = build();
	assert_int_equal(s->port[0].table, FCN_TABLE_MAIN);
	assert_int_equal(s->port[1].table, 1);
	assert_true(s->table[1].first > 0);
	assert_forward(look_up(s, "2001:db8:8::7"), 0, 1);
	assert_forward(look_up_in(s, 1, "2001:db8:8::7"), 1, 2);
	assert_forward(look_up(s, "2001:db8::1"), 0, 1);
	assert_forward(look_up_in(s, 1, "2001:db8::1"), 1, 2);
	assert_int_equal(look_up_in(s, 1, "2001:db8::fe")->type, FCN_NEXT_HOP_LOCAL);
	assert_int_equal(look_up(s, "10.1.2.3")->type, FCN_NEXT_HOP_BLACKHOLE);
	assert_int_equal(look_up_in(s, 1, "10.1.2.3")->type, FCN_NEXT_HOP_NO_ROUTE);
	assert_int_equal(look_up(s, "2001:db8:9::7")->type, FCN_NEXT_HOP_NO_ROUTE);
	assert_int_equal(look_up(s, "2001:db8:2::1")->type, FCN_NEXT_HOP_NO_ROUTE);
	nh = look_up_in(s, 1, "2001:db8:9::7");
	assert_int_equal(nh->type, FCN_NEXT_HOP_GROUP);
	assert_int_equal(nh->n_members, 2);
	for (unsigned int k = 0; k < 2; k++)
		assert_forward(&s->next_hop[s->member[nh->first_member + k]], k + 1, k + 2);
	fcn_snapshot_free(s);
}

static void
test_tables_refused(void **state)
{
	char by[FCN_PREFIX_STRLEN + 16];

	RTE_SET_USED(state);
	strcpy(cfg->port[1].table, "red");
	assert_refused("port p1: there is no table red");
	assert_int_equal(fcn_config_table_add(cfg, "red"), 1);
	assert_true(fcn_config_table_is_used(cfg, 1, by, sizeof(by)));
	assert_string_equal(by, "port p1");
	add_address(0, "2001:db8::fe/64");
	add_address(1, "2001:db8::fe/64");
	fcn_snapshot_free(build());
	cfg->port[1].table[0] = '\0';
	assert_false(fcn_config_table_is_used(cfg, 1, by, sizeof(by)));
	assert_refused("address 2001:db8::fe: ports p0 and p1 of table main both have it");
	cfg->addresses.n = 0;
	add_route_in(1, "2001:db8:9::/48", NULL, 0);
	assert_true(fcn_config_table_is_used(cfg, 1, by, sizeof(by)));
	assert_string_equal(by, "route 2001:db8:9::/48");
	strcpy(cfg->port[2].table, "red");
	assert_int_equal(fcn_config_bridge_add(cfg, "br0"), 0);
	cfg->port[2].bridge = 0;
	assert_refused("port p2: it is in bridge br0 and cannot belong to table red");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
			TEST(test_refusals),
			TEST(test_group_without_neighbour),
			TEST(test_detector_defaults),
			TEST(test_ports),
			TEST(test_neighbour_table),
			TEST(test_sub_interfaces),
			TEST(test_notify),
			TEST(test_precedence),
			TEST(test_link_local),
			TEST(test_groups),
			TEST(test_many_routes),
			TEST(test_tables),
			TEST(test_tables_refused),
	};

	return cmocka_run_group_tests_name("build", tests, fcn_test_eal_init, fcn_test_eal_cleanup);
}
