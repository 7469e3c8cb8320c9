/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Scheduling, buffer, detectors, flow control and IOAM, from a configuration to
 * a snapshot. Figures are arithmetic on rates: 25 Gbit/s are 3.125 bytes a nanosecond.
 */

#include "fcn_build.h"
#include "fcn_list.h"
#include "fcn_test.h"

#define G 1000000000ull

static struct fcn_config *cfg;
static struct fcn_build_env env;
static struct fcn_config_queue *q; /* class 3 of port 0 */
static struct fcn_snapshot *s;
static const struct fcn_queue_conf *conf; /* the same */

static int
setup(void **state)
{
	RTE_SET_USED(state);
	env = (struct fcn_build_env){.name = "cong", .socket = SOCKET_ID_ANY, .slack_ns = 7000};
	cfg = fcn_config_create();
	if (cfg == NULL || fcn_config_port_add(cfg, "p0") != 0 ||
			fcn_config_port_add(cfg, "p1") != 1)
		return -1;
	cfg->port[0].link_bps = cfg->port[1].link_bps = 25 * G;
	q = &cfg->port[0].queue[3];
	return 0;
}

static int
teardown(void **state)
{
	RTE_SET_USED(state);
	fcn_snapshot_free(s);
	s = NULL;
	fcn_config_free(cfg);
	return 0;
}

TEST_FIXTURE(FCN_TEST_EAL, .setup = setup, .teardown = teardown);

static void
build(void)
{
	char err[256] = "";

	fcn_snapshot_free(s);
	env.generation++;
	s = fcn_snapshot_build(cfg, &env, err, sizeof(err));
	if (s == NULL)
		fail_msg("%s", err);
	conf = &s->port[0].egress.queue[3];
}

/* Nothing of all this is on until it is asked for. */
TEST(off)
{
	build();
	assert_int_equal(s->buffer.size, 0);
	assert_false(s->ioam.any_transit || s->ioam.any_edge);
	assert_int_equal(s->ioam.n_namespaces, 0);
	assert_int_equal(s->ioam.node_id, 0xFFFFFF);
	assert_int_equal(s->ioam.node_id_wide, 0xFFFFFFFFFFFFFF);
	assert_int_equal(s->ioam.time_format, FCN_IOAM_TIME_PTP);
	assert_int_equal(s->ioam.tai_offset, 37);
	for (unsigned int p = 0; p < 2; p++) {
		const struct fcn_snapshot_port *port = &s->port[p];

		assert_int_equal(port->link_bps, 25 * G);
		assert_false(port->pause_on);
		assert_int_equal(port->lossless, 0);
		assert_int_equal(port->pause.rx_classes | port->pause.tx_classes |
						 port->pause.exempt,
				0);
		assert_int_equal(port->pause.action, FCN_STORM_DROP);
		assert_false(port->ioam.transit);
		assert_int_equal(port->ioam.edge, FCN_IOAM_EDGE_OFF);
		assert_int_equal(port->egress.urgent, 0);
		assert_int_equal(port->egress.strict, 0xC0);
		assert_int_equal(port->egress.committed | port->egress.peak, 0);
		assert_int_equal(port->egress.at_dequeue, 0);
		assert_int_equal(port->egress.shaper.overhead, 24);
		for (unsigned int c = 0; c < FCN_CLASSES; c++) {
			conf = &port->egress.queue[c];
			assert_false(conf->slow_path || conf->policy.heavy_flows ||
					conf->policy.ecn || conf->policy.notify);
			assert_int_equal(conf->quantum, 1600);
			assert_int_equal(conf->account.reserve, 0);
			assert_true(conf->account.alpha == FCN_ALPHA_ONE);
			assert_int_equal(conf->detector.type, FCN_DETECTOR_OFF);
			assert_int_equal(conf->policy.mark_bytes + conf->policy.mark_level, 0);
			assert_int_equal(conf->policy.notify_bytes + conf->policy.notify_level, 0);
			assert_false(port->ingress[c].lossless);
		}
	}
}

static void
assert_step(uint32_t enter)
{
	build();
	assert_int_equal(conf->detector.enter, enter);
	assert_int_equal(conf->detector.leave, enter / 2);
	assert_int_equal(conf->detector.limit, conf->limit_bytes);
	assert_int_equal(fcn_detector_level(&conf->detector, enter), 0);
	assert_int_equal(fcn_detector_level(&conf->detector, conf->limit_bytes), 7);
}

/* 32 us of the lowest of link, port shaper and class peak; never less than a frame. */
TEST(step)
{
	q->detector.type = FCN_DETECTOR_STEP;
	assert_step(100000);
	env.port[0].link_bps = 10 * G; /* the device knows better */
	assert_step(40000);
	cfg->port[0].rate_bps = 5 * G;
	assert_step(20000);
	q->peak.bps = G;
	assert_step(4000);
	cfg->port[0].rate_bps = G / 2;
	assert_step(2000);
	q->peak.bps = G / 10;
	assert_step(1514);
	cfg->port[0].mtu = 9000;
	assert_step(9014);
	/* two VLAN tags */
	assert_int_equal(fcn_config_bridge_add(cfg, "br0"), 0);
	cfg->port[0].bridge = 0;
	assert_step(9022);
	q->detector.enter = 5;
	q->detector.leave = 5;
	build();
	assert_int_equal(conf->detector.enter, 5);
	assert_int_equal(conf->detector.leave, 5);
	assert_int_equal(conf->detector.hold_ns, 0);
	assert_int_equal(conf->detector.level_hold_ns, 4000);
	assert_false(conf->slow_path);
	q->detector.at_dequeue = true;
	build();
	assert_true(conf->detector.at_dequeue && conf->slow_path);
	assert_int_equal(s->port[0].egress.at_dequeue, 1 << 3);
}

TEST(red)
{
	q->detector.type = FCN_DETECTOR_RED;
	build();
	assert_int_equal(conf->detector.enter, 100000);
	assert_int_equal(conf->detector.kmax, 400000);
	assert_int_equal(conf->detector.leave, 50000);
	assert_int_equal(conf->detector.pmax, 858993459); /* 2^32 / 5, cut off */
	assert_false(conf->detector.at_dequeue || conf->slow_path);
	q->detector.pmax = FCN_RATIO_ONE;
	q->detector.at_dequeue = true;
	q->detector.hold_ns = 9;
	build();
	assert_true(conf->detector.pmax == 1ull << 32);
	assert_true(conf->detector.at_dequeue && conf->slow_path);
	assert_int_equal(s->port[0].egress.at_dequeue, 1 << 3);
	assert_false(s->port[0].egress.queue[2].slow_path);
	assert_int_equal(conf->detector.hold_ns, 9);
	/* where a frame is more than both, they keep their distance */
	q->peak.bps = G / 10;
	build();
	assert_int_equal(conf->detector.enter, 1514);
	assert_int_equal(conf->detector.kmax, 6056);
	q->detector.kmax = 2000;
	q->detector.enter = 1999;
	build();
	assert_int_equal(conf->detector.kmax, 2000);
	assert_int_equal(conf->detector.enter, 1999);
	/* kmax may lie above what the queue ever holds */
	q->limit_bytes = 1000000;
	q->detector.kmax = 2 * q->limit_bytes;
	build();
}

TEST(sojourn)
{
	q->detector.type = FCN_DETECTOR_SOJOURN;
	build();
	assert_int_equal(conf->detector.enter, 20000);
	assert_int_equal(conf->detector.leave, 10000);
	assert_int_equal(conf->detector.interval_ns, 100000);
	assert_int_equal(conf->detector.hold_ns, 0);
	assert_int_equal(conf->detector.limit, 320000); /* a megabyte at 25 Gbit/s */
	assert_int_equal(fcn_detector_level(&conf->detector, 319999), 6);
	assert_int_equal(fcn_detector_level(&conf->detector, 320000), 7);
	q->peak.bps = 4000000;
	build();
	assert_int_equal(conf->detector.limit, 2000000000);
	q->peak.bps = 1000; /* 8000 s are more than 32 bits of nanoseconds */
	build();
	assert_int_equal(conf->detector.limit, UINT32_MAX);
	q->detector.target_ns = 17;
	q->detector.interval_ns = 0;
	q->detector.leave_ns = 3;
	build();
	assert_int_equal(conf->detector.enter, 17);
	assert_int_equal(conf->detector.interval_ns, 0);
	assert_int_equal(conf->detector.leave, 3);
}

TEST(rate)
{
	q->detector.type = FCN_DETECTOR_RATE;
	build();
	assert_int_equal(conf->detector.enter, 950);
	assert_int_equal(conf->detector.leave, 855);
	assert_int_equal(conf->detector.limit, 8000);
	assert_int_equal(conf->detector.interval_ns, 10000);
	assert_int_equal(conf->detector.bps, 25 * G);
	q->peak.bps = 3 * G;
	q->detector.threshold = 8 * FCN_RATIO_ONE;
	q->detector.leave_ratio = FCN_RATIO_ONE / 8;
	q->detector.interval_ns = 50000;
	build();
	assert_int_equal(conf->detector.enter, 8000);
	assert_int_equal(conf->detector.leave, 125);
	assert_int_equal(conf->detector.interval_ns, 50000);
	assert_int_equal(conf->detector.bps, 3 * G);
}

/* Below what a queue recovers is above nothing: else it never would. */
TEST(least_leave)
{
	q->detector.enter = q->detector.qeq = q->detector.target_ns = 1;
	q->detector.threshold = FCN_RATE_STEP;
	for (unsigned int t = FCN_DETECTOR_STEP; t <= FCN_DETECTOR_RATE; t++) {
		q->detector.type = t;
		build();
		assert_int_equal(conf->detector.leave, 1);
	}
	q->detector.type = FCN_DETECTOR_SOJOURN;
	q->detector.leave_ns = 0;
	build();
	assert_int_equal(conf->detector.leave, 1);
}

TEST(scheduler)
{
	static const uint16_t weight[FCN_CLASSES] = {4, 6, 2, 1000, 8, 2, 3, 5};
	static const uint32_t quantum[FCN_CLASSES] = {3200, 4800, 1600, 800000, 6400, 1600};
	struct fcn_egress_conf *eg;

	for (unsigned int c = 0; c < FCN_CLASSES; c++)
		cfg->port[0].queue[c].weight = weight[c];
	cfg->port[0].rate_bps = 20 * G;
	cfg->port[0].burst = 5000;
	cfg->port[0].overhead = 20;
	q->committed = (struct fcn_config_shaper){2 * G, 9000};
	q->peak = (struct fcn_config_shaper){4 * G, FCN_AUTO};
	cfg->port[0].queue[5].committed = (struct fcn_config_shaper){18 * G, 0};
	build();
	eg = &s->port[0].egress;
	for (unsigned int c = 0; c < 6; c++) /* 6 and 7 are strict: not in the divisor */
		assert_int_equal(eg->queue[c].quantum, quantum[c]);
	assert_int_equal(eg->committed, 1 << 3 | 1 << 5);
	assert_int_equal(eg->peak, 1 << 3);
	assert_int_equal(eg->shaper.bps, 20 * G);
	assert_int_equal(eg->shaper.slack_ns, 2000);
	assert_int_equal(eg->shaper.overhead, 20);
	assert_int_equal(conf->committed.bps, 2 * G);
	assert_int_equal(conf->committed.slack_ns, 36000);
	assert_int_equal(conf->committed.overhead, 20);
	assert_int_equal(conf->peak.bps, 4 * G);
	/* as late as polls may be, and a frame of 1514 + 24 octets at 20 Gbit/s: 615.2 ns */
	assert_int_equal(conf->peak.slack_ns, 7616);
	assert_int_equal(conf->peak.overhead, 20);
	assert_int_equal(eg->queue[5].committed.slack_ns, 0);
	assert_int_equal(s->port[1].egress.queue[3].quantum, 1600);
	/* committed: a frame of each other class with a rate of its own, too */
	q->committed.burst = FCN_AUTO;
	build();
	assert_int_equal(conf->committed.slack_ns, 7000 + 2 * 616);
}

/* The class of the notices goes first, and is strict without being told. */
TEST(notices)
{
	assert_int_equal(fcn_addr_parse("2001:db8::1", &cfg->loopback), 0);
	cfg->notify.on = 1;
	cfg->notify.class = 2;
	q->policy.heavy_flows = true;
	q->policy.mark_bytes = 30000;
	q->policy.mark_level = 2;
	q->policy.notify_bytes = 40000;
	q->policy.notify_level = 7;
	build();
	assert_int_equal(s->port[1].egress.urgent, 1 << 2);
	assert_int_equal(s->port[1].egress.strict, 0xC4);
	assert_int_equal(s->port[1].pause.exempt, 1 << 2);
	assert_true(conf->policy.heavy_flows && conf->slow_path);
	assert_int_equal(conf->policy.mark_bytes, 30000);
	assert_int_equal(conf->policy.mark_level, 2);
	assert_int_equal(conf->policy.notify_bytes, 40000);
	assert_int_equal(conf->policy.notify_level, 7);
	cfg->port[0].queue[7].strict = 0;
	build();
	assert_int_equal(s->port[0].egress.strict, 0x44);
}

TEST(buffer)
{
	q->reserve = 3000;
	q->alpha = FCN_RATIO_ONE / 3;
	cfg->port[0].queue[4].alpha = 128 * FCN_RATIO_ONE;
	cfg->port[1].queue[0].reserve = 500;
	cfg->port[0].pfc.class[5].send = true;
	cfg->port[0].pfc.class[5].reserve = 20000;
	cfg->port[0].pfc.class[5].headroom = 100000;
	/* not lossless: takes nothing */
	cfg->port[0].pfc.class[4].reserve = 7777;
	cfg->port[0].pfc.class[4].headroom = 7777;
	build();
	assert_int_equal(s->buffer.shared, 0); /* no buffer */
	assert_int_equal(s->port[0].ingress[5].headroom, 100000);
	cfg->buffer = 1000000;
	build();
	assert_int_equal(s->buffer.size, 1000000);
	assert_int_equal(s->buffer.shared, 1000000 - 3000 - 500 - 20000 - 100000);
	assert_int_equal(conf->account.reserve, 3000);
	assert_int_equal(conf->account.alpha, 1431655763); /* 0.333333333 * 2^32 */
	assert_true(s->port[0].egress.queue[4].account.alpha == 1ull << 39);
	assert_int_equal(s->port[0].ingress[4].headroom, 0);
	for (unsigned int c = 0; c < FCN_CLASSES; c++)
		assert_true(s->port[1].egress.queue[c].slow_path);
	cfg->buffer = 123500;
	build(); /* nothing is left to share, and that is fine */
	assert_int_equal(s->buffer.shared, 0);
}

TEST(pfc_thresholds)
{
	struct fcn_config_pfc_class *c = &cfg->port[0].pfc.class[3];
	const struct fcn_ingress_conf *in;

	c->send = true;
	build();
	in = &s->port[0].ingress[3];
	assert_true(in->lossless && !in->dynamic);
	assert_int_equal(s->port[0].lossless, 1 << 3);
	assert_int_equal(in->xoff, 100000);
	assert_int_equal(in->xon, 97000);
	assert_int_equal(in->reserve, 0);
	cfg->port[0].link_bps = G;
	build();
	assert_int_equal(s->port[0].ingress[3].xoff, 4000);
	assert_int_equal(s->port[0].ingress[3].xon, 2000); /* 3 KB less would be less than half */
	cfg->port[0].link_bps = G / 10;
	build();
	assert_int_equal(s->port[0].ingress[3].xoff, 1514);
	assert_int_equal(s->port[0].ingress[3].xon, 757);
	c->xoff = 6000;
	build();
	assert_int_equal(s->port[0].ingress[3].xon, 3000);
	c->xoff = 6002;
	build();
	assert_int_equal(s->port[0].ingress[3].xon, 3002);
	c->xon = 6002;
	build();
	assert_int_equal(s->port[0].ingress[3].xon, 6002);
	c->dynamic = true;
	cfg->buffer = 1000000;
	build();
	in = &s->port[0].ingress[3];
	assert_true(in->dynamic);
	assert_true(in->alpha == FCN_ALPHA_ONE / 8);
	assert_int_equal(in->xon_below, 3000);
}

/*
 * 2 * 500 ns of delay, 60 quanta at 25 Gbit/s (1228.8 ns, so 1229) and 10 us are 38215.6
 * octets; a frame of 1514 with 24 around it; the pause frame's 84; two frames.
 */
TEST(headroom)
{
	cfg->port[0].pfc.class[3].send = true;
	build();
	assert_int_equal(s->port[0].ingress[3].headroom, 38216 + 1538 + 84 + 2 * 1514);
	cfg->port[0].pfc.react_ns = 0;
	cfg->port[0].pfc.delay_ns = 8000;
	build();
	assert_int_equal(s->port[0].ingress[3].headroom, 50000 + 1538 + 84 + 2 * 1514);
	cfg->port[0].mtu = 9000;
	build();
	assert_int_equal(s->port[0].ingress[3].headroom, 50000 + 9038 + 84 + 2 * 9014);
	cfg->port[0].pfc.class[3].headroom = 0;
	build();
	assert_int_equal(s->port[0].ingress[3].headroom, 0);
}

TEST(pause)
{
	struct fcn_config_pfc *pfc = &cfg->port[0].pfc;
	const struct fcn_pause_conf *pause;

	pfc->class[2].receive = true;
	pfc->class[4].send = pfc->class[4].receive = true;
	build();
	pause = &s->port[0].pause;
	assert_true(s->port[0].pause_on);
	assert_false(s->port[1].pause_on);
	assert_int_equal(pause->rx_classes, 1 << 2 | 1 << 4);
	assert_int_equal(pause->tx_classes, 1 << 4);
	assert_false(pause->link);
	assert_int_equal(pause->quanta, 65535);
	assert_int_equal(pause->link_bps, 25 * G);
	/* 65535 * 512 bits at 25 Gbit/s are 1342156.8 ns, so 1342157: half of it */
	assert_int_equal(pause->refresh_ns, 671078);
	pfc->quanta = 1; /* 20.48 ns, so 21 */
	pfc->action = FCN_STORM_FORWARD;
	pfc->detect_ns = 5000;
	pfc->restore_ns = 6000;
	build();
	pause = &s->port[0].pause;
	assert_int_equal(pause->refresh_ns, 10);
	assert_int_equal(pause->action, FCN_STORM_FORWARD);
	assert_int_equal(pause->detect_ns, 5000);
	assert_int_equal(pause->restore_ns, 6000);
	cfg->port[0].link_bps = 1000 * G; /* 0.512 ns, so 1: never 0 */
	build();
	assert_int_equal(s->port[0].pause.refresh_ns, 1);
	cfg->port[1].pfc.link_pause = true;
	build();
	assert_true(s->port[1].pause_on && s->port[1].pause.link);
	assert_int_equal(s->port[1].lossless, 0);
}

TEST(ioam)
{
	struct fcn_ioam_namespace ns = {.id = 9,
			.short_data = FCN_IOAM_DATA_LINK_SPEED,
			.schema_id = FCN_IOAM_NO_SCHEMA};
	const struct fcn_list *namespaces = fcn_list_of("ioam namespace");

	assert_int_equal(fcn_list_add(cfg, namespaces, &ns, NULL), 0);
	assert_int_equal(fcn_list_add(cfg, namespaces, &ns, NULL), -EEXIST);
	ns.short_data = FCN_IOAM_DATA_NONE;
	ns.id = 4;
	assert_int_equal(fcn_list_add(cfg, namespaces, &ns, NULL), 0);
	cfg->port[1].ioam.edge = FCN_IOAM_EDGE_STRIP;
	build();
	assert_false(s->ioam.any_transit);
	assert_true(s->ioam.any_edge);
	assert_int_equal(s->ioam.n_namespaces, 2);
	assert_int_equal(s->ioam.ns[0].id, 4);
	assert_int_equal(s->ioam.ns[1].id, 9);
	cfg->port[0].ioam.transit = true;
	cfg->ioam.node_id = 5;
	build();
	assert_true(s->ioam.any_transit && s->port[0].ioam.transit);
	assert_int_equal(s->ioam.node_id, 5);
	assert_int_equal(s->ioam.n_namespaces, 3);
	assert_int_equal(s->ioam.ns[0].id, 0);
	assert_int_equal(s->ioam.ns[0].short_data, FCN_IOAM_DATA_NONE);
	assert_int_equal(s->ioam.ns[0].wide_data, FCN_IOAM_DATA_NONE);
	assert_int_equal(s->ioam.ns[0].schema_id, FCN_IOAM_NO_SCHEMA);
	assert_int_equal(s->ioam.ns[2].short_data, FCN_IOAM_DATA_LINK_SPEED);
	assert_int_equal(s->port[1].ioam.id, 2);
	assert_int_equal(s->port[1].ioam.id_wide, 2);
	/* configured, it is there with what was configured */
	ns.id = 0;
	ns.wide_data = FCN_IOAM_DATA_VALUE;
	ns.wide_value = 77;
	assert_int_equal(fcn_list_add(cfg, namespaces, &ns, NULL), 0);
	cfg->port[1].ioam.id = FCN_IOAM_NA16;
	cfg->port[1].ioam.id_wide = FCN_IOAM_NA32;
	cfg->port[0].ioam.id = 300;
	cfg->port[0].ioam.id_wide = 70000;
	build();
	assert_int_equal(s->ioam.n_namespaces, 3);
	assert_int_equal(s->ioam.ns[0].wide_value, 77);
	assert_int_equal(s->port[0].ioam.id, 300);
	assert_int_equal(s->port[0].ioam.id_wide, 70000);
	assert_int_equal(s->port[1].ioam.id, FCN_IOAM_NA16);
	assert_int_equal(s->port[1].ioam.id_wide, FCN_IOAM_NA32);
	ns.id = 4;
	assert_int_equal(fcn_list_remove(cfg, namespaces, &ns, false, NULL), 0);
	assert_int_equal(fcn_list_remove(cfg, namespaces, &ns, false, NULL), -ENOENT);
	build();
	assert_int_equal(s->ioam.ns[1].id, 9);
}

/* Trimmed packets: their class is strict where a queue trims, and their share of the link is that
 * of one worker, since one has the queue. */
TEST(trim)
{
	const struct fcn_trim_conf *trim;

	env.n_workers = 4;
	build();
	assert_int_equal(conf->trim_size, 0);
	assert_false(s->port[0].egress.queue[5].strict);
	q->trim = FCN_TRIM_FORWARD;
	build();
	trim = &s->port[0].trim;
	assert_int_equal(conf->trim_size, 256);
	assert_true(s->port[0].egress.queue[5].strict);
	assert_false(s->port[1].egress.queue[5].strict);
	assert_int_equal(trim->class, 5);
	assert_int_equal(trim->dscp, FCN_TRIM_DSCP_KEEP);
	/* A tenth of 25 Gbit/s: an octet takes 3.2 ns. */
	assert_int_equal(trim->link.cost, 209716);
	assert_int_equal(trim->link.burst_ns, 50000);
	cfg->trim.dscp = 12;
	cfg->trim.link_share = 0;
	cfg->port[1].trim_dscp = 0;
	cfg->port[0].queue[5].strict = 0;
	build();
	assert_int_equal(s->port[0].trim.dscp, 12);
	assert_int_equal(s->port[1].trim.dscp, 0);
	assert_int_equal(s->port[0].trim.link.cost, 0);
	assert_false(s->port[0].egress.queue[5].strict);
}

/* What was trimmed is not trimmed again. */
TEST(trim_class_trims)
{
	char err[256] = "";

	q->trim = FCN_TRIM_FORWARD;
	cfg->trim.class = 3;
	assert_null(fcn_snapshot_build(cfg, &env, err, sizeof(err)));
	assert_string_equal(err, "port p0 class 3: this is the class of trimmed packets, which are "
				 "not trimmed again: set trim off, or choose another class with "
				 "set trim class");
}
