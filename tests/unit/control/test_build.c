/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* From a configuration to a snapshot: defaults, ports, notices, and every refusal. */

#include "fcn_burst.h"
#include "build_util.h"
#include "port_bits.h"

TEST_FIXTURE(FCN_TEST_EAL, .setup = build_setup, .teardown = build_teardown);

TEST(refusals)
{
	build_cfg->port[1].queue[3].detector.type = FCN_DETECTOR_STEP;
	build_cfg->port[1].queue[3].detector.enter = 1000;
	build_cfg->port[1].queue[3].detector.leave = 1001;
	build_assert_refused(
			"port p1 class 3: the detector's leave of 1001 bytes must not be above its "
			"threshold of 1000 bytes");
	build_cfg->port[1].queue[3].detector.leave = 1000;
	build_cfg->port[1].queue[3].limit_bytes = 999;
	build_assert_refused("port p1 class 3: the detector's threshold of 1000 bytes is above the "
			     "queue's "
			     "limit of 999 bytes");
	build_cfg->port[1].queue[3].limit_bytes = 1000;
	fcn_snapshot_free(build_snapshot());
	/* QCN has no such order. */
	build_cfg->port[1].queue[3].detector.type = FCN_DETECTOR_QCN;
	build_cfg->port[1].queue[3].detector.leave = 1000000;
	fcn_snapshot_free(build_snapshot());

	build_cfg->notify.on = 1;
	build_assert_refused("notify fast-cnp needs a source address: set loopback ADDRESS");
	build_cfg->loopback = build_addr("192.0.2.1");
	build_assert_refused("notify fast-cnp needs a source address: set loopback ADDRESS");
	build_cfg->loopback = build_addr("2001:db8::1");
	fcn_snapshot_free(build_snapshot());

	/* 2^31 ns: 16 tokens of 134217728 ns each are one too many. 7 a second: 142857142 ns. */
	build_cfg->notify.queue_bucket = (struct fcn_config_bucket){.rate = 7, .burst = 16};
	build_assert_refused(
			"notify queue bucket: 16 tokens at 7 a second take longer than 2.1 s to "
			"fill");
	build_cfg->notify.queue_bucket.burst = 15;
	fcn_snapshot_free(build_snapshot());
	build_cfg->notify.global_bucket = (struct fcn_config_bucket){.rate = 2, .burst = 5};
	build_assert_refused(
			"notify global bucket: 5 tokens at 2 a second take longer than 2.1 s to "
			"fill");
	build_cfg->notify.global_bucket.rate = 0;
	fcn_snapshot_free(build_snapshot());
	build_cfg->notify.dest_bucket = (struct fcn_config_bucket){.rate = 1, .burst = 3};
	build_assert_refused(
			"notify destination bucket: 3 tokens at 1 a second take longer than 2.1 s "
			"to "
			"fill");
	build_cfg->notify.dest_bucket.rate = 0;
	fcn_snapshot_free(build_snapshot());

	assert_int_equal(fcn_config_bridge_add(build_cfg, "br0"), 0);
	build_cfg->port[2].bridge = 0;
	build_add_address(2, "2001:db8:2::1/64");
	build_assert_refused(
			"address 2001:db8:2::1/64: port p2 is in bridge br0 and cannot have one");
	build_cfg->addresses.n = 0;
	build_add_neighbour(2, "2001:db8:2::2", 1);
	build_assert_refused(
			"neighbour 2001:db8:2::2: port p2 is in bridge br0 and cannot have one");
	build_cfg->neighbours.n = 0;
	build_add_route("2001:db8:3::/48", "2001:db8:2::2", 2);
	build_assert_refused(
			"route 2001:db8:3::/48: port p2 is in bridge br0 and cannot be routed to");
	build_cfg->routes.n = 0;
	fcn_snapshot_free(build_snapshot());

	for (unsigned int i = 0; i <= FCN_NEXT_HOP_MAX_MEMBERS; i++) {
		char via[32];

		snprintf(via, sizeof(via), "2001:db8::%x", i + 1);
		build_add_route("2001:db8:4::/48", via, 1);
	}
	build_assert_refused("route 2001:db8:4::/48: more than 255 paths");
	build_cfg->routes.n--;
	fcn_snapshot_free(build_snapshot());
}

TEST(detector_defaults)
{
	const struct fcn_buffer_conf no_buffer = {.size = 0};
	struct fcn_config_queue q;
	struct fcn_detector_conf d;

	fcn_config_queue_default(&q);
	q.detector.type = FCN_DETECTOR_QCN;
	build_cfg->notify.interval_ns = 7000;
	/* 4 us of 100G are 50000 bytes; of 10G 5000, below the floor of 26000. */
	fcn_build_detector(build_cfg, &build_cfg->port[0], &q, 100000000000, &no_buffer, &d);
	assert_int_equal(d.qeq, 50000);
	assert_int_equal(d.leave, 25000);
	assert_int_equal(d.hold_ns, 20000);
	assert_int_equal(d.level_hold_ns, 7000);
	assert_int_equal(d.weight, 2);
	assert_int_equal(d.sample, 4096);
	fcn_build_detector(build_cfg, &build_cfg->port[0], &q, 10000000000, &no_buffer, &d);
	assert_int_equal(d.qeq, 26000);
	/* The shaper's rate where it is the lower one. */
	build_cfg->port[0].rate_bps = 80000000000;
	fcn_build_detector(build_cfg, &build_cfg->port[0], &q, 100000000000, &no_buffer, &d);
	assert_int_equal(d.qeq, 40000);
	fcn_build_detector(build_cfg, &build_cfg->port[0], &q, 60000000000, &no_buffer, &d);
	assert_int_equal(d.qeq, 30000);
	q.detector.qeq = 1000;
	q.detector.leave = 7;
	q.detector.hold_ns = 0;
	fcn_build_detector(build_cfg, &build_cfg->port[0], &q, 60000000000, &no_buffer, &d);
	assert_int_equal(d.qeq, 1000);
	assert_int_equal(d.leave, 7);
	assert_int_equal(d.hold_ns, 0);
	/* step */
	fcn_config_queue_default(&q);
	q.detector.type = FCN_DETECTOR_STEP;
	q.detector.enter = 20001;
	q.limit_bytes = 100000;
	fcn_build_detector(build_cfg, &build_cfg->port[0], &q, 60000000000, &no_buffer, &d);
	assert_int_equal(d.leave, 10000);
	assert_int_equal(d.hold_ns, 0);
	assert_int_equal(d.limit, 100000);
	assert_int_equal(fcn_detector_level(&d, 100000), 7);
	assert_int_equal(fcn_detector_level(&d, 20001), 0);
}

TEST(ports)
{
	struct fcn_snapshot *s;

	build_env.slack_ns = 100000;
	build_env.port[1].mac = (struct rte_ether_addr){{2, 9, 9, 9, 9, 9}};
	build_cfg->port[2].mac = (struct rte_ether_addr){{2, 8, 8, 8, 8, 8}};
	build_env.port[2].mac = build_env.port[1].mac;
	build_cfg->port[1].rate_bps = 3000000000;
	build_cfg->port[2].rate_bps = 3000000000;
	build_cfg->port[2].burst = 15000;
	assert_int_equal(fcn_config_bridge_add(build_cfg, "br0"), 0);
	assert_int_equal(fcn_config_bridge_add(build_cfg, "br1"), 1);
	build_cfg->bridge[1].ageing_ns = 400000000000;
	build_cfg->port[1].bridge = build_cfg->port[2].bridge = 1;
	s = build_snapshot();
	assert_memory_equal(&s->port[0].mac, "\x02\x66\x63\x6e\x00\x00", 6);
	assert_memory_equal(&s->port[1].mac, &build_env.port[1].mac, 6);
	assert_memory_equal(&s->port[2].mac, &build_cfg->port[2].mac, 6);
	assert_int_equal(s->port[0].mode, FCN_PORT_ROUTED);
	assert_int_equal(s->port[1].mode, FCN_PORT_BRIDGED);
	assert_int_equal(s->port[3].mode, FCN_PORT_UNUSED);
	assert_int_equal(bits_of(s->bridge[1].members), 6);
	assert_int_equal(bits_of(s->bridge[0].members), 0);
	assert_int_equal(s->mac_ageing_ns, 400000000000);
	assert_int_equal(s->port[0].egress.shaper.bps, 0);
	assert_int_equal(s->port[1].egress.shaper.slack_ns, 100000);
	/* 15000 bytes at 3 Gbit/s are 40 us */
	assert_int_equal(s->port[2].egress.shaper.slack_ns, 40000);
	fcn_snapshot_free(s);
}

/* What is of the line is the port's; what is of the network its own. */
TEST(sub_interfaces)
{
	const struct fcn_next_hop *nh;
	struct fcn_snapshot *s;

	build_cfg->port[0].mtu = 9000;
	build_cfg->port[0].ioam.transit = true;
	build_env.port[0].mac = (struct rte_ether_addr){{2, 9, 9, 9, 9, 9}};
	assert_int_equal(fcn_config_sub_interface_add(build_cfg, "p0.7", 0, 7), 3);
	assert_int_equal(fcn_config_sub_interface_add(build_cfg, "p0.8", 0, 8), 4);
	assert_int_equal(fcn_config_sub_interface_add(build_cfg, "again", 0, 7), -EADDRINUSE);
	assert_int_equal(fcn_config_sub_interface_add(build_cfg, "p0.8", 0, 9), -EEXIST);
	assert_int_equal(fcn_config_sub_interface_find(build_cfg, 0, 8), 4);
	assert_int_equal(fcn_config_sub_interface_find(build_cfg, 1, 8), -ENOENT);
	build_cfg->port[4].mtu = 1280;
	build_env.kernel = true;
	strcpy(build_cfg->port[4].kernel, "eth4");
	build_add_address(0, "2001:db8:0::1/64");
	build_add_address(3, "2001:db8:7::1/64");
	build_add_address(4, "2001:db8:8::1/64");
	build_add_neighbour(0, "2001:db8::2", 1);
	build_add_neighbour(3, "2001:db8:7::2", 2);
	build_add_neighbour(4, "2001:db8:8::2", 3);
	build_add_route("2001:db8:77::/48", "2001:db8:7::2", 3);
	s = build_snapshot();
	for (unsigned int p = 0; p < s->n_ports; p++) {
		assert_int_equal(s->port[p].parent, p == 3 || p == 4 ? 0 : p);
		assert_int_equal(s->port[p].sub != NULL, p == 0);
	}
	for (unsigned int v = 0; v < FCN_VLANS; v++)
		assert_int_equal(s->port[0].sub[v], v == 7 ? 3 : v == 8 ? 4 : FCN_PORT_NONE);
	assert_int_equal(s->port[3].vlan, 7);
	assert_int_equal(s->port[3].mode, FCN_PORT_ROUTED);
	assert_int_equal(s->port[3].mtu, 9000);
	assert_int_equal(s->port[4].mtu, 1280);
	assert_true(s->port[4].kernel && !s->port[3].kernel && !s->port[0].kernel);
	assert_memory_equal(&s->port[3].mac, &build_env.port[0].mac, 6);
	assert_int_equal(s->port[3].ioam.id, s->port[0].ioam.id);
	assert_true(s->port[3].ioam.transit);
	nh = build_look_up(s, "2001:db8:77::5");
	assert_int_equal(nh->type, FCN_NEXT_HOP_FORWARD_TAGGED);
	assert_int_equal(nh->port, 0);
	assert_int_equal(nh->interface, 3);
	assert_int_equal(nh->vlan, 7);
	assert_int_equal(nh->mtu, 9000);
	assert_memory_equal(&nh->l2.src_addr, &build_env.port[0].mac, 6);
	assert_memory_equal(&nh->l2.dst_addr, "\x02\0\0\0\x07\x02", 6);
	nh = build_look_up(s, "2001:db8:8::2");
	assert_int_equal(nh->interface, 4);
	assert_int_equal(nh->mtu, 1280);
	nh = build_look_up(s, "2001:db8:8::3");
	assert_int_equal(nh->type, FCN_NEXT_HOP_CONNECTED);
	assert_int_equal(nh->interface, 4);
	assert_int_equal(nh->port, 0);
	nh = build_look_up(s, "2001:db8::2");
	assert_int_equal(nh->type, FCN_NEXT_HOP_FORWARD);
	assert_int_equal(nh->interface, 0);
	fcn_snapshot_free(s);

	/* Without link on the line there is none on its VLANs. */
	build_env.port[0].down = true;
	s = build_snapshot();
	assert_true(s->port[0].down && s->port[3].down && s->port[4].down);
	assert_false(s->port[1].down);
	fcn_snapshot_free(s);
	build_env.port[0].down = false;

	build_cfg->port[4].mtu = 9001;
	build_assert_refused("port p0.8: the MTU of 9001 is larger than that of port p0, 9000");
	build_cfg->port[4].mtu = 9000;
	assert_int_equal(fcn_config_bridge_add(build_cfg, "br0"), 0);
	fcn_config_port_remove(build_cfg, 4);
	for (size_t i = 0; i < build_cfg->addresses.n; i++)
		assert_int_not_equal(build_cfg->addresses.item[i].port, 4);
	build_cfg->port[0].bridge = 0;
	build_assert_refused("port p0.7: port p0 is in bridge br0 and cannot have sub-interfaces");
	/* With the port all goes that stands on it. */
	fcn_config_port_remove(build_cfg, 0);
	assert_int_equal(fcn_config_port_find(build_cfg, "p0.7"), -ENOENT);
	assert_int_equal(build_cfg->addresses.n + build_cfg->neighbours.n + build_cfg->routes.n, 0);
}

TEST(notify)
{
	const struct fcn_fastcnp_kind_conf *fastcnp;
	static const struct {
		uint64_t rate;
		uint32_t cost;
	} costs[] = {{0, 0}, {1, 1000000000}, {250000, 4000}, {1000000, 1000}, {1000000000, 1}};
	struct fcn_snapshot *s;
	struct fcn_prefix p = build_prefix("2001:db8:9::/48");

	for (size_t i = 0; i < RTE_DIM(costs); i++) {
		build_cfg->notify.queue_bucket = (struct fcn_config_bucket){costs[i].rate, 1};
		build_cfg->notify.global_bucket = (struct fcn_config_bucket){costs[i].rate, 1};
		build_cfg->notify.dest_bucket = (struct fcn_config_bucket){costs[i].rate, 2};
		if (costs[i].rate == 1)
			build_cfg->notify.dest_bucket.burst = 1;
		s = build_snapshot();
		assert_int_equal(s->notify.common.queue[1][3].cost_ns, costs[i].cost);
		assert_int_equal(s->notify.kind[0].global_cost_ns, costs[i].cost);
		assert_int_equal(s->notify.kind[0].dest_cost_ns, costs[i].cost);
		fcn_snapshot_free(s);
	}
	/* One a second, divided among 16 workers: each has one in 16 s, more than 32 bits hold. */
	build_cfg->notify.global_bucket = (struct fcn_config_bucket){1, 1};
	build_env.n_workers = 16;
	s = build_snapshot();
	assert_int_equal(s->notify.kind[0].global_cost_ns, UINT64_C(16000000000));
	fcn_snapshot_free(s);
	build_env.n_workers = 1;
	build_cfg->loopback = build_addr("2001:db8::5");
	build_cfg->notify.dscp = 10;
	build_cfg->notify.hop_limit = 9;
	build_cfg->codes.fastcnp_opt1 = 0x81;
	build_cfg->codes.fastcnp_opt2 = 0x82;
	assert_int_equal(
			FCN_LIST_ADD(build_cfg, "sender", fcn_config_sender, p, FCN_SENDER_CAPABLE),
			0);
	s = build_snapshot();
	fastcnp = s->notify.kind[FCN_NOTICE_FAST_CNP].own;
	assert_memory_equal(fastcnp->fastcnp.conf.source, build_cfg->loopback.bytes, 16);
	assert_int_equal(fastcnp->fastcnp.conf.dscp, 10);
	assert_int_equal(fastcnp->fastcnp.conf.hop_limit, 9);
	assert_int_equal(fastcnp->fastcnp.conf.opt1_type, 0x81);
	assert_int_equal(fastcnp->fastcnp.conf.opt2_type, 0x82);
	assert_int_equal(s->notify.kind[FCN_NOTICE_FAST_CNP].recent_ns, 2000000000);
	assert_int_equal(s->codes.fastcnp_opt1, 0x81);
	assert_int_equal(fcn_prefix_list_lookup6(fastcnp->senders, p.addr.bytes, 99),
			FCN_SENDER_CAPABLE);
	assert_int_equal(fcn_prefix_list_lookup6(fastcnp->senders, build_cfg->loopback.bytes, 99),
			99);
	fcn_snapshot_free(s);
}
