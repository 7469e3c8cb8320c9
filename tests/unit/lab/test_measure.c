/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* What a run measures. Expected numbers are computed by hand in the comments. */

#include "measured.h"

static void
assert_metric(const json_t *result, const char *path, double want)
{
	double got = metric(result, path);

	if (got < want - 1e-9 || got > want + 1e-9) {
		print_error("%s is %.9g, not %.9g\n", path, got, want);
		fail();
	}
}

/* By time: 100 for 10 us, 300 for 80 us, 0 for 10 us: the mean is (1000 + 24000) / 100. */
TEST(queue_by_time)
{
	struct measured t;
	json_t *r;

	measured_init(&t);
	measured_begin(&t, NULL);
	measured_queue(&t, 100, 0);
	measured_queue(&t, 300, 10 * US);
	measured_queue(&t, 0, 90 * US);
	r = measured_end(&t, 100 * US);
	assert_metric(r, "queue.s1.h3.3.peak", 300);
	assert_metric(r, "queue.s1.h3.3.peak_ns", 10 * US);
	assert_metric(r, "queue.s1.h3.3.mean", 250);
	/* 300 = 0x12c lies in the step 300..301, whose middle is above the maximum */
	assert_metric(r, "queue.s1.h3.3.p50", 300);
	assert_metric(r, "queue.s1.h3.3.p999", 300);
	/* never congested: the only peak there is */
	assert_metric(r, "queue.s1.h3.3.first_peak", 300);
	assert_metric(r, "queue.s1.h3.3.episodes", 0);
	assert_no_metric(r, "queue.s1.h3.3.first_congested_ns");
	assert_no_metric(r, "queue.s1.h3.2.peak");
	json_decref(r);
}

/* What was before settle does not count, but for the peak. */
TEST(queue_settles)
{
	struct measured t;
	json_t *r;

	measured_init(&t);
	t.sc.settle_ns = 50 * US;
	measured_begin(&t, NULL);
	measured_queue(&t, 100000, 0);
	measured_queue(&t, 80, 60 * US);
	measured_queue(&t, 20, 80 * US);
	/* 100000 for 10, 80 for 20, 20 for 20 us: (1000000 + 1600 + 400) / 50 */
	r = measured_end(&t, 100 * US);
	assert_metric(r, "queue.s1.h3.3.peak", 100000);
	assert_metric(r, "queue.s1.h3.3.mean", 20040);
	assert_metric(r, "queue.s1.h3.3.p50", 80);
	json_decref(r);
}

/* 5000 before congestion, then 9000, down to 4500 (not below half), 9500, 4000: over; 20000 later
 * is another peak. */
TEST(first_peak)
{
	struct measured t;
	json_t *r;

	measured_init(&t);
	measured_begin(&t, NULL);
	measured_queue(&t, 5000, 1 * US);
	measured_queue(&t, 100, 2 * US);
	measured_queue(&t, 3000, 3 * US);
	measured_state(&t, FCN_EVENT_CONGESTED, 3 * US);
	measured_queue(&t, 9000, 4 * US);
	measured_queue(&t, 4500, 5 * US);
	measured_queue(&t, 9500, 6 * US);
	measured_queue(&t, 4000, 7 * US);
	measured_state(&t, FCN_EVENT_RECOVERED, 8 * US);
	measured_state(&t, FCN_EVENT_CONGESTED, 9 * US);
	measured_queue(&t, 20000, 10 * US);
	r = measured_end(&t, 12 * US);
	assert_metric(r, "queue.s1.h3.3.first_peak", 9500);
	assert_metric(r, "queue.s1.h3.3.first_peak_ns", 6 * US);
	assert_metric(r, "queue.s1.h3.3.peak", 20000);
	assert_metric(r, "queue.s1.h3.3.episodes", 2);
	/* 3..8 and 9..12 */
	assert_metric(r, "queue.s1.h3.3.congested_ns", 8 * US);
	assert_metric(r, "queue.s1.h3.3.first_congested_ns", 3 * US);
	json_decref(r);
}

/* One packet of 1024 bytes is 1126 on the wire: 900.8 ns at 10G, twice, and 3 us; its
 * acknowledgement 106 bytes: 84.8 ns twice, and 3 us. 7971.2 ns, rounded up: 7972. */
TEST(slowdown_of_a_packet)
{
	struct measured t;
	json_t *r;

	measured_init(&t);
	measured_begin(&t, NULL);
	measured_host(&t, FLOW_A, FCN_ENDPOINT_COMPLETE, 1024, 500, 500 + 7972);
	measured_host(&t, FLOW_A, FCN_ENDPOINT_COMPLETE, 1024, 9000, 9000 + 3 * 7972);
	r = measured_end(&t, 100 * US);
	assert_metric(r, "flow.a.fct_ns.min", 7972);
	assert_metric(r, "flow.a.fct_ns.mean", 2 * 7972);
	assert_metric(r, "flow.a.fct_ns.max", 3 * 7972);
	assert_metric(r, "flow.a.slowdown.min", 1);
	assert_metric(r, "flow.a.slowdown.p50", 1);
	assert_metric(r, "flow.a.slowdown.p99", 3);
	assert_metric(r, "flows.0.slowdown.mean", 2);
	assert_metric(r, "slowdown.all.mean", 2);
	assert_metric(r, "slowdown.websearch.10K.messages", 2);
	assert_metric(r, "slowdown.hadoop.2K.p99", 3);
	assert_no_metric(r, "slowdown.hadoop.1K.p99");
	assert_metric(r, "flow.a.messages", 2);
	assert_metric(r, "flow.a.bytes", 2048);
	assert_no_metric(r, "flow.b.fct_ns.p50");
	json_decref(r);
}

/* 10000 bytes: nine packets of 1126 and one of 784 + 102 = 886. The second link at 2.5G, 3603.2 ns
 * a packet, sets the pace: 900.8 + 1000 + 9 * 3603.2 + 886 * 3.2 + 2000 = 39164.8; acknowledgement:
 * 106 * 3.2 + 2000 + 84.8 + 1000 = 3424. 42588.8, rounded up 42589. */
TEST(slowdown_of_a_message)
{
	struct measured t;
	json_t *r;

	measured_init(&t);
	t.link[2].rate_bps = 2500000000;
	measured_begin(&t, NULL);
	measured_host(&t, FLOW_A, FCN_ENDPOINT_COMPLETE, 10000, 0, 42589);
	r = measured_end(&t, 100 * US);
	assert_metric(r, "flow.a.slowdown.max", 1);
	json_decref(r);

	/* The other way round the switch waits for the slow line: each packet goes on at once.
	 * 9 * 3603.2 + 886 * 3.2 + 1000 + 886 * 0.8 + 2000 = 38972.8; and 3424: 42396.8. */
	measured_init(&t);
	t.link[0].rate_bps = 2500000000;
	measured_begin(&t, NULL);
	measured_host(&t, FLOW_A, FCN_ENDPOINT_COMPLETE, 10000, 0, 2 * 42397);
	r = measured_end(&t, 100 * US);
	assert_metric(r, "flow.a.slowdown.max", 2);
	json_decref(r);
}

/* Paced to 1G: packets begin 9008 ns apart; the last after 9 * 9008. Switch and acknowledgement:
 * 81072 + 886 * 0.8 * 2 + 3000 + 2 * 84.8 + 3000, and 500 ns in the switch both ways: 89659.2. */
TEST(slowdown_paced)
{
	struct measured t;
	json_t *r;

	measured_init(&t);
	t.flow[FLOW_A].rate_bps = 1000000000;
	t.node_switch[0].latency_ns = 500;
	measured_begin(&t, NULL);
	measured_host(&t, FLOW_A, FCN_ENDPOINT_COMPLETE, 10000, 0, 89660);
	r = measured_end(&t, 100 * US);
	assert_metric(r, "flow.a.slowdown.max", 1);
	json_decref(r);
}

/* From 20 to 100 us: a 40000, b1 10000, b2 30000 bytes. Goodput 4, 1 and 3 Gb/s; Jain
 * (4+1+3)^2 / (3 * (16+1+9)) = 64/78; of b 16/20. */
TEST(goodput)
{
	static const uint64_t at_settle[] = {1000, 2000, 3000}, at_end[] = {41000, 12000, 33000};
	struct measured t;
	json_t *r;

	measured_init(&t);
	t.sc.settle_ns = 20 * US;
	measured_begin(&t, NULL);
	assert_int_equal(lab_measure_sample_time(t.m), 20 * US);
	for (unsigned int i = 0; i < FLOWS; i++)
		lab_measure_sample(t.m, i, 50000, 0, at_settle[i], 20 * US);
	lab_measure_sampled(t.m, 20 * US);
	for (unsigned int i = 0; i < FLOWS; i++)
		lab_measure_sample(t.m, i, 50000, 0, at_end[i], 100 * US);
	lab_measure_sampled(t.m, 100 * US);
	r = measured_end(&t, 100 * US);
	assert_metric(r, "flow.a.goodput_bps", 4e9);
	assert_metric(r, "flow.b.goodput_bps", 4e9);
	assert_metric(r, "flow.b.jain", 0.8);
	assert_metric(r, "flows.2.goodput_bps", 3e9);
	assert_metric(r, "traffic.goodput_bps", 8e9);
	assert_metric(r, "traffic.jain", 0.820513);
	assert_metric(r, "traffic.bytes_incomplete", 150000);
	assert_metric(r, "phase", 1);
	assert_metric(r, "phase.0.goodput_bps", 8e9);
	assert_metric(r, "phase.0.jain", 0.820513);
	assert_no_metric(r, "phase.0.converged_ns");
	json_decref(r);
}

/* Samples are asked for, and taken, as the run does: of flows that stopped no more, and of one that
 * stops a last time before the others. rate: bytes per us of each flow.
 */
static void
run_until(struct measured *t, uint64_t *delivered, const uint64_t *rate, uint64_t *now,
		uint64_t until)
{
	const struct lab_flow *flow = t->sc.flow;

	while (lab_measure_sample_time(t->m) <= until) {
		uint64_t at = lab_measure_sample_time(t->m);

		assert_true(at >= *now);
		for (unsigned int i = 0; i < FLOWS; i++) {
			delivered[i] += rate[i] * (at - *now) / US;
			if (flow[i].stop_ns == at)
				lab_measure_sample(t->m, i, 0, 0, delivered[i], at);
		}
		for (unsigned int i = 0; i < FLOWS; i++) {
			if (flow[i].stop_ns > at)
				lab_measure_sample(t->m, i, 0, 0, delivered[i], at);
		}
		lab_measure_sampled(t->m, at);
		*now = at;
	}
}

/* b starts at 1 ms: two phases. In the second all have the same from 1.5 ms on. */
TEST(phases)
{
	static const uint64_t alone[] = {1000, 0, 0}, unfair[] = {1000, 100, 100},
			      fair[] = {400, 400, 400};
	uint64_t delivered[FLOWS] = {0}, now = 0;
	struct measured t;
	json_t *r;

	measured_init(&t);
	t.sc.duration_ns = 3000 * US;
	t.flow[FLOW_B1].start_ns = t.flow[FLOW_B2].start_ns = 1000 * US;
	measured_begin(&t, NULL);
	run_until(&t, delivered, alone, &now, 1000 * US);
	run_until(&t, delivered, unfair, &now, 1500 * US);
	run_until(&t, delivered, fair, &now, 3000 * US);
	assert_int_equal(lab_measure_sample_time(t.m), FCN_ENDPOINT_NEVER);
	r = measured_end(&t, 3000 * US);
	assert_metric(r, "phase", 2);
	assert_metric(r, "phase.0.to_ns", 1000 * US);
	assert_metric(r, "phase.0.flows", 1);
	assert_metric(r, "phase.0.jain", 1);
	assert_metric(r, "phase.0.goodput_bps", 8e9);
	assert_metric(r, "phase.0.converged_ns", 0);
	assert_metric(r, "phase.1.flows", 3);
	assert_metric(r, "phase.1.converged_ns", 500 * US);
	/* 500 * (1000, 100, 100) + 1500 * 400 = 1.1, .65, .65 MB: 5.76 / (3 * 2.055) */
	assert_metric(r, "phase.1.jain", 0.934307);
	json_decref(r);
}

/* Rate: 10G until 40 us, 5G until 100: (400 + 300) / 100 = 7G. */
TEST(rate)
{
	struct measured t;
	json_t *r;

	measured_init(&t);
	measured_begin(&t, NULL);
	measured_host(&t, FLOW_A, FCN_ENDPOINT_RATE, 5000000000, 0, 40 * US);
	r = measured_end(&t, 100 * US);
	assert_metric(r, "flow.a.rate_bps", 7e9);
	assert_metric(r, "flow.b.rate_bps", 20e9);
	assert_metric(r, "flows.0.rate_lowest_bps", 5e9);
	assert_metric(r, "flows.1.rate_lowest_bps", 10e9);
	json_decref(r);
}

/* Crossing at 10 us; decided 10.5, parsed 12: first after 2 us, latency 1.5. The second of the
 * episode took 2.5 us; the second episode began at 40 and told its sender at 45, of 41. */
TEST(notice_latency)
{
	struct measured t;
	json_t *r;

	measured_init(&t);
	measured_begin(&t, NULL);
	measured_state(&t, FCN_EVENT_CONGESTED, 10 * US);
	measured_notice(&t, FLOW_A, true, 10500);
	measured_notice(&t, FLOW_A, false, 11 * US); /* is not counted by events */
	lab_measure_counters(t.m, 0, "h3", 2, 3,
			&(struct lab_counters){.suppressed = 4, .paused_ns = 700});
	lab_measure_counters(t.m, 0, "h9", 9, 5,
			&(struct lab_counters){.suppressed = 3, .paused_ns = 50});
	measured_notice(&t, FLOW_B2, true, 11 * US);
	measured_host(&t, FLOW_A, FCN_ENDPOINT_FASTCNP, 0, 0, 12 * US);
	measured_host(&t, FLOW_B2, FCN_ENDPOINT_FASTCNP, 0, 0, 13500);
	measured_host(&t, FLOW_B2, FCN_ENDPOINT_CNP, 0, 0, 16 * US);
	measured_state(&t, FCN_EVENT_RECOVERED, 30 * US);
	measured_state(&t, FCN_EVENT_CONGESTED, 40 * US);
	measured_notice(&t, FLOW_B1, true, 41 * US);
	measured_host(&t, FLOW_B1, FCN_ENDPOINT_FASTCNP, 0, 0, 45 * US);
	measured_host(&t, FLOW_B1, FCN_ENDPOINT_FASTCNP, 0, 0, 46 * US);
	r = measured_end(&t, 100 * US);
	assert_metric(r, "notices.sent", 3);
	assert_metric(r, "notices.suppressed", 7);
	assert_metric(r, "notices.accepted", 4);
	assert_metric(r, "notices.duplicate", 1);
	assert_metric(r, "notices.lost", 0);
	assert_metric(r, "notices.first_ns", 2 * US);
	assert_metric(r, "notices.latency_ns.min", 1500);
	assert_metric(r, "notices.latency_ns.p50", 2500);
	assert_metric(r, "notices.latency_ns.max", 4 * US);
	/* (1500 + 2500 + 4000) / 3 */
	assert_metric(r, "notices.latency_ns.mean", 2667);
	assert_metric(r, "notices.episode_ns.min", 2 * US);
	assert_metric(r, "notices.episode_ns.mean", 3500);
	assert_metric(r, "notices.episode_ns.max", 5 * US);
	assert_metric(r, "queue.s1.h3.3.first_notice_ns", 2 * US);
	assert_metric(r, "queue.s1.h3.3.notices", 3);
	assert_metric(r, "queue.s1.h3.3.suppressed", 4);
	assert_metric(r, "queue.s1.h9.5.suppressed", 3);
	assert_metric(r, "pfc.switch_paused_ns", 750);
	assert_metric(r, "pfc.switch_paused_max_ns", 700);
	assert_metric(r, "pfc.switch.s1.h9.5.paused_ns", 50);
	assert_metric(r, "flows.0.notices_sent", 1);
	assert_metric(r, "flows.1.notices_duplicate", 1);
	assert_metric(r, "flow.b.notices_accepted", 3);
	assert_metric(r, "flow.b.first_notice_ns", 3500);
	assert_metric(r, "cnps.received", 1);
	assert_metric(r, "cnps.first_ns", 6 * US);
	assert_metric(r, "flow.b.first_cnp_ns", 6 * US);
	json_decref(r);
}

TEST(pauses)
{
	struct fcn_endpoint_event ev = {
			.type = FCN_ENDPOINT_PAUSE, .time_ns = 10 * US, .qp = 3, .value = 1};
	struct measured t;
	json_t *r;

	measured_init(&t);
	t.sc.settle_ns = 50 * US;
	measured_begin(&t, NULL);
	lab_measure_host(t.m, 0, &ev);
	lab_measure_host(t.m, 1, &ev);
	ev.time_ns = 25 * US;
	lab_measure_host(t.m, 0, &ev); /* again: it goes on */
	ev.time_ns = 30 * US;
	ev.value = 0;
	lab_measure_host(t.m, 0, &ev);
	measured_state(&t, FCN_EVENT_PFC_XOFF, 9 * US);
	measured_state(&t, FCN_EVENT_PFC_XON, 29 * US);
	measured_state(&t, FCN_EVENT_PFC_XOFF, 90 * US);
	r = measured_end(&t, 100 * US);
	/* h1 20 us, h2 to the end: 90 us */
	assert_metric(r, "pfc.paused_ns", 110 * US);
	assert_metric(r, "pfc.paused_max_ns", 90 * US);
	assert_metric(r, "pfc.host.h1.3.paused_ns", 20 * US);
	assert_metric(r, "pfc.host.h1.3.pauses", 2);
	assert_metric(r, "pfc.xoffs", 2);
	assert_metric(r, "pfc.xoffs_settled", 1);
	assert_metric(r, "pfc.xoff_ns", 30 * US);
	assert_metric(r, "pfc.switch.s1.h3.3.xoffs", 2);
	json_decref(r);
}

TEST(totals)
{
	struct measured t;
	json_t *r;

	measured_init(&t);
	measured_begin(&t, NULL);
	r = measured_end(&t, 100 * US);
	assert_metric(r, "hosts.cnp_sent", 5);
	assert_metric(r, "hosts.paused_ns", 33);
	assert_metric(r, "host.h2.cnp_sent", 3);
	assert_metric(r, "switch.s1.dropped", 4);
	assert_metric(r, "links.packets.lost", 6);
	assert_metric(r, "link.h1-s1.packets.lost", 1);
	assert_metric(r, "link.s1-h1.packets.lost", 5);
	assert_metric(r, "violations", 0);
	assert_metric(r, "seed", 7);
	assert_string_equal(json_string_value(json_object_get(
					    json_object_get(r, "parameters"), "interval")),
			"4us");
	json_decref(r);
}

/* b/2 is there from 1 to 2 ms, b/1 from 1 to 3 ms: who leaves ends a phase, and the next begins. */
TEST(phases_of_those_who_leave)
{
	static const uint64_t alone[] = {1000, 0, 0}, three[] = {400, 400, 400},
			      two[] = {600, 600, 0};
	uint64_t delivered[FLOWS] = {0}, now = 0;
	struct measured t;
	json_t *r;

	measured_init(&t);
	t.sc.duration_ns = 4000 * US;
	t.flow[FLOW_B1].start_ns = t.flow[FLOW_B2].start_ns = 1000 * US;
	t.flow[FLOW_B1].stop_ns = 3000 * US;
	t.flow[FLOW_B2].stop_ns = 2000 * US;
	measured_begin(&t, NULL);
	run_until(&t, delivered, alone, &now, 1000 * US);
	run_until(&t, delivered, three, &now, 2000 * US);
	run_until(&t, delivered, two, &now, 3000 * US);
	run_until(&t, delivered, alone, &now, 4000 * US);
	r = measured_end(&t, 4000 * US);
	assert_metric(r, "phase", 4);
	assert_metric(r, "phase.1.flows", 3);
	assert_metric(r, "phase.1.to_ns", 2000 * US);
	assert_metric(r, "phase.1.goodput_bps", 9.6e9);
	assert_metric(r, "phase.1.jain", 1);
	assert_metric(r, "phase.1.converged_ns", 0);
	assert_metric(r, "phase.2.flows", 2);
	assert_metric(r, "phase.2.to_ns", 3000 * US);
	assert_metric(r, "phase.2.goodput_bps", 9.6e9);
	assert_metric(r, "phase.3.flows", 1);
	assert_metric(r, "phase.3.goodput_bps", 8e9);
	json_decref(r);
}

/* Nothing happens, nobody is there. */
TEST(nothing)
{
	struct measured t;
	json_t *r;

	measured_init(&t);
	t.sc.n_flows = t.sc.n_hosts = t.sc.n_switches = t.sc.n_links = t.sc.n_watches = 0;
	measured_begin(&t, NULL);
	assert_int_equal(lab_measure_sample_time(t.m), FCN_ENDPOINT_NEVER);
	r = measured_end(&t, 0);
	assert_metric(r, "traffic.goodput_bps", 0);
	assert_metric(r, "phase", 0);
	json_decref(r);
}
