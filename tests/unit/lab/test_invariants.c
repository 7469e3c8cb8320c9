/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Invariants of a network, each broken on purpose: between two events of a run, the test reaches
 * into the switch, the host or the buffers and does what a defect would do. The run that nobody
 * disturbs has no violation.
 */

#include "endpoint_state.h"
#include "fcn_test.h"
#include "network_util.h"

/* Two senders of 10 Gb/s to a receiver behind a line as fast; the queue in front of it grows. */
static const char incast[] = "buffers 2047\n"
			     "duration 200us\n"
			     "check on\n"
			     "switch add s1\n"
			     "host add h1,h2,r\n"
			     "link add h1,h2,r s1 rate 10G\n"
			     "host all set fast-cnp accept\n"
			     "flow add f from h1,h2 to r size 100K\n"
			     "switch s1 do set queue r class 3 detector step 10K\n"
			     "switch s1 do set queue r class 3 notify on\n"
			     "switch s1 do set queue r class 3 ecn on\n"
			     "switch s1 do set notify fast-cnp on\n"
			     "switch s1 do sender default ";

/* The same behind a second switch, which pauses the first. */
static const char paused[] = "buffers 2047\n"
			     "duration 200us\n"
			     "check on\n"
			     "switch add s1,s2\n"
			     "host add h1,h2,r\n"
			     "link add h1,h2 s1 rate 10G\n"
			     "link add s1 s2 rate 25G\n"
			     "link add r s2 rate 10G\n"
			     "flow add f from h1,h2 to r size 100K\n"
			     "switch s2 do set pfc s1 class 3 send on\n"
			     "switch s2 do set pfc s1 class 3 xoff 10K\n"
			     "switch s1 do set pfc s2 class 3 receive on\n"
			     "switch s1 do set pfc all class 3 ";

/* Another ECN field for all packets of a queue. */
static void
set_ecn(struct fcn_queue *q, uint8_t ecn)
{
	for (uint32_t i = q->head; i != q->tail; i++) {
		uint8_t *ip = rte_pktmbuf_mtod_offset(
				q->ring[i & q->mask].mbuf, uint8_t *, RTE_ETHER_HDR_LEN);

		ip[1] = (ip[1] & 0xCF) | ecn << 4;
	}
}

TEST_FIXTURE(.begin = net_eal, .end = fcn_test_eal_cleanup);

TEST(sound)
{
	static const char *const senders[] = {"capable", "unknown", "none",
			"unknown\nswitch s1 do set notify mark-unknown off"};

	for (unsigned int i = 0; i < RTE_DIM(senders); i++) {
		start(incast, senders[i]);
		run(NULL);
		assert_int_equal(json_array_size(net->violations), 0);
		if (i != 2)
			assert_true(queue_to(0, "r")->stats.notices > 1);
		if (i == 1 || i == 2)
			assert_true(queue_to(0, "r")->stats.ce_marked > 0);
		assert_int_equal(stop(), 0);
	}
	for (unsigned int i = 0; i < 2; i++) {
		start(paused, i == 0 ? "send off"
				     : "send on\nswitch s1 do set pfc all class 3 xoff 5K");
		run(NULL);
		assert_int_equal(json_array_size(net->violations), 0);
		assert_true(worker(0)->port[port_named(0, "s2")->number].pause.stats[3].rx_xoff >
				0);
		assert_int_equal(stop(), 0);
	}
}

static void
count_one_more(void)
{
	if (fcn_sim_now(net->sim) > 100000 && fcn_sim_now(net->sim) < 101000)
		worker(0)->counters[0].rx_packets++;
}

TEST(conservation)
{
	start(incast, "capable");
	run(count_one_more);
	assert_true(violations_with("s1: packets are not conserved") > 0);
	stop();
}

TEST(bound)
{
	struct fcn_queue *q;

	start(incast, "capable");
	q = queue_to(0, "r");
	q->bytes += 1000000;
	lab_check_switch(&net->node_switch[0]);
	assert_int_equal(violations_with("queue r class 3 holds"), 0);
	q->bytes++;
	lab_check_switch(&net->node_switch[0]);
	assert_int_equal(violations_with("s1: queue r class 3 holds 1000001 of 1000000 bytes"), 1);
	/* One that is above a limit set meanwhile may stay there. */
	port_named(0, "r")->seen[3] = q->bytes;
	lab_check_switch(&net->node_switch[0]);
	assert_int_equal(violations_with("queue r class 3 holds"), 1);
	/* What is lossless has room of its own. */
	q->bytes += 1000;
	worker(0)->ingress[0][3].used = 1001;
	lab_check_switch(&net->node_switch[0]);
	assert_int_equal(violations_with("queue r class 3 holds"), 1);
	worker(0)->ingress[0][3].used = 0;
	q->bytes = 0;
	stop();
}

TEST(leak)
{
	struct rte_mbuf *m;

	start(incast, "capable");
	run(NULL);
	m = rte_pktmbuf_alloc(net->node_switch[0].pool);
	assert_non_null(m);
	assert_int_equal(stop(), 1);
}

TEST(packet_accounting)
{
	start(incast, "capable");
	net->host[0].received++;
	run(NULL);
	assert_int_equal(violations_with("frames were made"), 1);
	stop();
}

static void
mark_all(void)
{
	set_ecn(queue_to(0, "r"), 3);
}

static void
mark_none(void)
{
	set_ecn(queue_to(0, "r"), 2);
}

TEST(marks)
{
	start(incast, "capable");
	run(mark_all);
	assert_true(violations_with("with CE, whose sender was notified") > 0);
	assert_int_equal(violations_with("without CE"), 0);
	stop();
	start(incast, "unknown\nswitch s1 do set notify mark-unknown off");
	run(mark_all);
	assert_true(violations_with("with CE, whose sender was notified") > 0);
	stop();
	start(incast, "unknown");
	run(mark_none);
	assert_true(violations_with("without CE") > 0);
	assert_int_equal(violations_with("with CE"), 0);
	stop();
	start(incast, "none");
	run(mark_all);
	assert_int_equal(json_array_size(net->violations), 0);
	stop();
}

static void
forget_flows(void)
{
	fcn_limit_cache_clear(&worker(0)->notify[0].flows);
}

TEST(interval)
{
	start(incast, "capable");
	run(forget_flows);
	assert_true(violations_with("s1: flow f is notified") > 0);
	stop();
}

static void
forget_pauses(void)
{
	struct fcn_worker *w = worker(0);

	fcn_pause_reset(&w->port[port_named(0, "s2")->number].pause);
	w->port[port_named(0, "s2")->number].egress->held = 0;
}

TEST(paused_switch)
{
	start(paused, "send off");
	run(forget_pauses);
	assert_true(violations_with("s1: a packet of class 3 leaves by port s2, paused until") > 0);
	stop();
}

static void
host_forgets_pauses(void)
{
	net->host[0].ep->paused = 0;
}

TEST(paused_host)
{
	start(paused, "send on\nswitch s1 do set pfc all class 3 xoff 5K");
	run(host_forgets_pauses);
	assert_true(violations_with("h1 sends a packet of class 3, paused until") > 0);
	stop();
}

/* A host that pauses its switch, with a quantum of 51.2 ns: nothing leaves for 10.24 us, then all.
 */
TEST(storm)
{
	const struct fcn_pause_class_stats *stats;
	unsigned int class = 3;

	start(incast, "capable\nswitch s1 do set pfc r class 3 receive on\n"
		      "at 50us host r pause 3 200\nat 80us host r pause all 1");
	run(NULL);
	assert_int_equal(json_array_size(net->violations), 0);
	stats = worker(0)->port[port_named(0, "r")->number].pause.stats;
	assert_int_equal(stats[class].rx_xoff, 2);
	assert_int_equal(stats[class].rx_pause_ns, 10240 + 52);
	assert_int_equal(stats[2].rx_ignored, 1);
	assert_int_equal(stop(), 0);
}

/* A notice of the switch's own, sent by port h1. to: 16 octets; damage: added to its last octet */
static void
send_notice(const uint8_t *to, uint8_t damage)
{
	struct lab_net_switch *sw = &net->node_switch[0];
	struct lab_net_port *port = port_named(0, "h1");
	const struct fcn_fastcnp_kind_conf *kind = worker(0)->snap->notify.kind[0].own;
	struct rte_mbuf *m = rte_pktmbuf_alloc(sw->pool);
	struct rte_ether_hdr *eth = rte_pktmbuf_mtod(m, struct rte_ether_hdr *);
	struct fcn_fastcnp_request req = {
			.sender = to,
			.receiver = net->host[2].addr,
			.buf = (uint8_t *)(eth + 1),
			.dest_qp = 17,
			.src_port = 0xC000,
			.p_key = 0xFFFF,
	};

	memset(eth, 0, sizeof(*eth));
	eth->ether_type = RTE_BE16(RTE_ETHER_TYPE_IPV6);
	fcn_fastcnp_build_burst(&kind->fastcnp, &req, 1);
	m->data_len = sizeof(*eth) + req.len;
	m->pkt_len = m->data_len;
	req.buf[req.len - 1] += damage;
	assert_int_equal(lab_checker_ops.tx_burst(port, &m, 1, lab_checker_ops.tx_ready(port, 0)),
			1);
}

TEST(notice_frames)
{
	start(incast, "capable");
	fcn_sim_step(net->sim, 0);
	send_notice(net->host[0].addr, 0);
	assert_int_equal(json_array_size(net->violations), 0);
	send_notice(net->host[0].addr, 1);
	assert_int_equal(violations_with("a malformed Fast CNP leaves by port h1"), 1);
	send_notice(fcn_control_config(net->node_switch[0].ctl)->loopback.bytes, 0);
	assert_int_equal(violations_with("a notice about a notice leaves by port h1"), 1);
	assert_int_equal(json_array_size(net->violations), 2);
	stop();
}

TEST(notice_events)
{
	struct fcn_event ev = {
			.type = FCN_EVENT_NOTICE, .class = 3, .verdict = FCN_FASTCNP_SENT_OPT1};

	start(incast, "none");
	fcn_sim_step(net->sim, 0);
	ev.port = port_named(0, "r")->number;
	memcpy(ev.sender, net->host[0].addr, sizeof(ev.sender));
	memcpy(ev.receiver, net->host[2].addr, sizeof(ev.receiver));
	lab_checker_event(&net->node_switch[0], &ev);
	assert_int_equal(violations_with("a notice about a packet that did not come"), 1);
	assert_int_equal(violations_with("a sender that does not understand it"), 1);
	memcpy(ev.sender, fcn_control_config(net->node_switch[0].ctl)->loopback.bytes,
			sizeof(ev.sender));
	lab_checker_event(&net->node_switch[0], &ev);
	assert_int_equal(violations_with("a notice about a packet of a switch"), 1);
	stop();
}
