/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Random traffic under a configuration that changes at random, over ports that
 * come and go: behind every turn the sums are those of what is queued (that is
 * the bench's own check), and when all has left nothing is left of anything.
 */

#include "one_worker.h"
#include "port_bits.h"
#include "testbed.h"

#define PORTS 6

static const struct fcn_port_ops *const ops[] = {&bench_gate_ops, &bench_ring_ops, &bench_ops};

static bool
one_in(uint64_t n)
{
	return bench_below(n) == 0;
}

static int
setup(void **state)
{
	bench_setup(state);
	for (uint16_t p = 4; p < PORTS; p++)
		bench_add_port(p);
	for (unsigned int p = 0; p < PORTS; p++) {
		char prefix[32];

		snprintf(prefix, sizeof(prefix), "2001:db8:%x::/48", p);
		bench_route(prefix, p + 4);
		bench_set_ops(p, &bench_gate_ops);
	}
	bench_routes_done();
	return 0;
}

TEST_FIXTURE(BENCH_LARGE_EAL, .setup = setup, .teardown = bench_teardown);

static void
random_queue(struct fcn_snapshot_port *sp, unsigned int c, bool buffer)
{
	struct fcn_queue_conf *q = &sp->egress.queue[c];

	q->account.reserve = buffer ? bench_below(5000) : 0;
	q->account.alpha = bench_below(4 * FCN_ALPHA_ONE);
	q->policy.heavy_flows = one_in(3);
	q->trim_size = one_in(3) ? 64 + bench_below(300) : 0;
	q->limit_bytes = 2000 + bench_below(100000);
	q->policy.notify = one_in(2);
	q->policy.ecn = one_in(2);
	bench_random_detector(&q->detector, q->limit_bytes, &bench_seed);
	if (q->detector.type == FCN_DETECTOR_RED)
		q->detector.at_dequeue = one_in(2);
	sp->egress.at_dequeue |= q->detector.at_dequeue << c;
	q->slow_path = buffer || q->policy.heavy_flows || q->detector.at_dequeue;
}

static void
random_flow_control(struct fcn_snapshot_port *sp, unsigned int p, bool buffer)
{
	sp->lossless = sp->pause.tx_classes = sp->pause.rx_classes = 0;
	memset(sp->ingress, 0, sizeof(sp->ingress));
	for (unsigned int c = 0; c < 6; c++) {
		sp->pause.rx_classes |= one_in(3) ? 1u << c : 0;
		if (!one_in(3))
			continue;
		bench_lossless(p, c, bench_below(8000), bench_below(3000), bench_below(6000));
		if (buffer && one_in(2)) {
			sp->ingress[c].dynamic = true;
			sp->ingress[c].reserve = bench_below(4000);
			sp->ingress[c].alpha = bench_below(2 * FCN_ALPHA_ONE);
			sp->ingress[c].xon_below = bench_below(3000);
		}
	}
	sp->pause_on = (sp->pause.tx_classes | sp->pause.rx_classes) != 0;
	sp->pause.action = bench_below(3);
	sp->pause.detect_ns = 1 + bench_below(20000);
	sp->pause.restore_ns = 1 + bench_below(60000);
}

/* What control could have built, and some that it would not. */
static void
reconfigure(void)
{
	const bool buffer = one_in(2);

	bench.snap.buffer = (struct fcn_buffer_conf){0};
	if (buffer)
		bench.snap.buffer = (struct fcn_buffer_conf){
				.size = 300000, .shared = 20000 + bench_below(100000)};
	bench.snap.bridge[0].members = ports_of(0);
	for (unsigned int p = 0; p < PORTS; p++) {
		struct fcn_snapshot_port *sp = &bench.snap.port[p];

		sp->mode = one_in(3) ? FCN_PORT_BRIDGED : FCN_PORT_ROUTED;
		if (sp->mode == FCN_PORT_BRIDGED)
			fcn_port_set_add(&bench.snap.bridge[0].members, p);
		sp->pvid = one_in(2);
		sp->tagged[0] = sp->pvid == 0 ? 1 << 1 : 0;
		sp->egress.at_dequeue = 0;
		for (unsigned int c = 0; c < FCN_CLASSES; c++)
			random_queue(sp, c, buffer);
		random_flow_control(sp, p, buffer);
		sp->trim.class = bench_below(FCN_CLASSES);
		sp->trim.dscp = one_in(2) ? FCN_TRIM_DSCP_KEEP : bench_below(64);
		sp->ioam.transit = one_in(2);
		sp->ioam.edge = one_in(4) ? 1 + bench_below(2) : FCN_IOAM_EDGE_OFF;
	}
	bench_new_snapshot();
}

/* A packet with a trace, one in a tunnel, or one without. */
static void
random_frame(struct frame *f, uint16_t port)
{
	const struct fcn_snapshot_port *sp = &bench.snap.port[port];
	const unsigned int kind = bench_below(6);
	const uint8_t net = bench_below(PORTS);
	struct frame plain;

	if (kind == 0)
		frame_ioam6(f, 0xC80000, 3, bench_below(7), 0, bench_below(1200));
	else if (kind == 1)
		frame_ioam6_tunnel(f, 0xC80000, 3, bench_below(7), one_in(2), 100);
	else
		frame_roce6(f, bench_below(9), net, 2, bench_below(1300));
	f->data[14 + 24 + 5] = net;
	frame_class(f, bench_below(8), bench_below(4));
	frame_to_port(f, port, 1);
	if (sp->mode != FCN_PORT_BRIDGED)
		return;
	/* between a few stations, of which one is never reported of */
	if (sp->pvid == 0) {
		plain = *f;
		frame_ether(f, 0x86DD);
		frame_vlan(f, 0x8100, bench_below(8) << 13 | 1);
		frame_put(f, plain.data + 14, plain.len - 14);
	}
	frame_macs(f, bench_below(PORTS + 1), port);
}

static void
traffic(void)
{
	for (uint16_t p = 0; p < PORTS; p++) {
		unsigned int n = bench_below(12);
		struct frame f;

		if (bench.worker->port[p].egress == NULL)
			continue;
		while (n-- > 0) {
			random_frame(&f, p);
			bench_in(p, &f);
		}
		if (one_in(6)) {
			frame_pfc(&f, bench_below(256), one_in(3) ? 0 : bench_below(700));
			bench_in(p, &f);
		}
		bench.port[p].accept = one_in(3) ? 0 : bench_below(6);
		bench.port[p].backlog = bench_below(20);
	}
	if (one_in(20))
		bench.worker->trace.wanted = bench_below(9);
	if (bench.worker->trace.n == FCN_TRACE_MAX)
		fcn_trace_clear(bench.worker);
}

static void
remove_port(uint16_t p)
{
	struct bench_port *bp = &bench.port[p];

	fcn_worker_port_remove(bench.worker, p);
	/* what it has not read yet never came */
	while (bp->next_in < bp->n_in)
		rte_pktmbuf_free(bp->in[bp->next_in++]);
	bp->next_in = bp->n_in = 0;
}

static void
add_port(uint16_t p)
{
	uint32_t slots[FCN_CLASSES];

	for (unsigned int c = 0; c < FCN_CLASSES; c++)
		slots[c] = 16u << bench_below(5);
	assert_int_equal(one_worker_port_add(bench.worker, p, ops[bench_below(RTE_DIM(ops))],
					 &bench.port[p], slots),
			0);
	/* control publishes a snapshot with it at once */
	bench_new_snapshot();
}

static void
come_and_go(void)
{
	uint16_t p = bench_below(PORTS);

	if (bench.worker->port[p].egress != NULL)
		remove_port(p);
	else
		add_port(p);
}

/* All leaves, and the pauses taken end. */
static void
drain(uint64_t now)
{
	for (uint16_t p = 0; p < PORTS; p++) {
		if (bench.worker->port[p].egress == NULL)
			add_port(p);
		bench.port[p].accept = UINT16_MAX;
		bench.port[p].backlog = 0;
	}
	for (unsigned int i = 0; i < 50; i++) {
		bench_poll(now);
		now += 1000000;
	}
}

static void
assert_nothing_left(void)
{
	for (uint16_t p = 0; p < FCN_MAX_PORTS; p++) {
		const struct fcn_worker_port *wp = &bench.worker->port[p];

		for (unsigned int c = 0; c < FCN_CLASSES; c++) {
			assert_int_equal(bench.worker->ingress[p][c].used, 0);
			assert_int_equal(bench.worker->ingress[p][c].headroom, 0);
			assert_false(bench.worker->ingress[p][c].xoff);
		}
		if (p >= PORTS)
			continue;
		assert_int_equal(fcn_egress_packets(wp->egress), 0);
		assert_int_equal(wp->pause.xoff | wp->pause.sent_xoff | wp->pause.pending, 0);
		assert_int_equal(wp->egress->held | wp->egress->dropping, 0);
		assert_int_equal(wp->egress->congested, 0);
	}
	assert_int_equal(bench.worker->buffer.shared_used, 0);
	assert_int_equal(bench.worker->buffer.headroom_used, 0);
	assert_true(fcn_worker_next_event(bench.worker, bench.worker->now) == FCN_TIME_NEVER);
}

TEST(random)
{
	static const enum fcn_drop_reason met[] = {FCN_DROP_BUFFER, FCN_DROP_QUEUE_BYTES,
			FCN_DROP_LOSSLESS_HEADROOM, FCN_DROP_PAUSE_STORM, FCN_DROP_PORT_GONE,
			FCN_DROP_IOAM_EDGE};
	uint64_t seen[RTE_DIM(met)] = {0}, now = 1000;
	uint64_t made = 0, copied = 0, written = 0, stripped = 0, trimmed = 0;

	for (uint16_t p = 0; p < PORTS; p++)
		bench_notices(p, 1000);
	bench.snap.bridge[0] = (struct fcn_snapshot_bridge){.used = true, .ageing_ns = 1000000};
	bench.snap.mac_ageing_ns = 1000000;
	bench.snap.ioam.any_transit = bench.snap.ioam.any_edge = true;
	bench.snap.ioam.n_namespaces = 1;
	bench.snap.ioam.ns[0] = (struct fcn_ioam_namespace){
			.id = 0x1234, .schema_id = FCN_IOAM_NO_SCHEMA};
	reconfigure();
	for (unsigned int round = 0; round < 12; round++) {
		for (unsigned int turn = 0; turn < 400; turn++) {
			if (one_in(30))
				reconfigure();
			if (one_in(40))
				come_and_go();
			traffic();
			now += bench_below(3000);
			bench_poll(now);
		}
		for (size_t i = 0; i < RTE_DIM(met); i++)
			seen[i] += bench_drops(met[i]);
		for (unsigned int p = 0; p < PORTS; p++) {
			const struct fcn_port_counters *c = &bench.worker->counters[p];

			made += c->generated;
			copied += c->replicated;
			written += c->ioam_written;
			stripped += c->ioam_stripped;
			for (unsigned int k = 0;
					bench.worker->port[p].egress != NULL && k < FCN_CLASSES;
					k++)
				trimmed += bench_queue(p, k)->stats.trimmed;
		}
		drain(now + 1000000);
		now += 100000000;
		assert_nothing_left();
	}
	for (size_t i = 0; i < RTE_DIM(met); i++)
		assert_true(seen[i] > 0);
	assert_true(made > 0 && copied > 0 && written > 0 && stripped > 0 && trimmed > 0);
}
