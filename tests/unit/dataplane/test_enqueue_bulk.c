/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Successive packets within the bounds of a detector are queued in bulk, by the fast path or by the
 * stage `enqueue`; with `slow_path` each is queued alone. All must come to the same: the same
 * random traffic, configurations and times in each of these ways, and
 * all that can be seen of it compared turn by turn. The same with a shared buffer
 * and lossless classes, to whose accounts packets are charged in bulk.
 */

#include "fast_widths.h"
#include "mix.h"
#include "testbed.h"

#define PORTS 4
#define TURNS 2500

/* What a turn left behind, as sums that differ when anything does. */
struct outcome {
	uint64_t departures;
	uint64_t queues;
	uint64_t accounts;
	uint64_t detectors;
	uint64_t episodes;
	uint64_t verdicts;
	uint64_t counters;
	uint64_t events;
	uint64_t next_event;
};

/* How packets are queued. */
enum way {
	ALONE,     /* each packet alone */
	BY_STAGES, /* in bulk, without the fast path */
	FAST,      /* in bulk, with the fast path */
	WAYS,
};

static struct outcome outcome[WAYS][TURNS];
static uint64_t n_fast; /* packets that took the fast path */

static bool
one_in(uint64_t n)
{
	return bench_below(n) == 0;
}

static void
mix_detector(uint64_t *sum, const struct fcn_detector *d)
{
	mix(sum, d->congested | d->below << 1 | d->above << 2 | d->windowed << 3);
	mix(sum, (uint8_t)d->level | d->type << 8);
	mix(sum, d->q_old);
	mix(sum, d->rate);
	mix(sum, d->arrived);
	mix(sum, d->rate_sum);
	mix(sum, d->window_ns);
	mix(sum, d->below ? d->below_ns : 0);
	mix(sum, d->above ? d->above_ns : 0);
	mix(sum, d->level_ns);
	mix(sum, d->entered_ns);
	mix(sum, d->left_ns);
	mix(sum, d->enters);
	mix(sum, d->leaves);
}

static void
mix_episode(uint64_t *sum, const struct fcn_episode *e)
{
	mix(sum, e->start_ns);
	mix(sum, e->end_ns);
	mix(sum, e->peak_ns);
	mix(sum, e->peak_bytes);
	mix(sum, (uint8_t)e->max_level);
	mix(sum, e->packets);
	mix(sum, e->bytes);
	mix(sum, e->over_bytes);
	mix(sum, e->notices);
	mix(sum, e->marked);
	mix(sum, e->dropped);
	mix(sum, e->flows);
}

static void
mix_accounts(uint64_t *sum)
{
	const struct fcn_worker *w = bench.worker;

	mix(sum, w->buffer.shared_used);
	mix(sum, w->buffer.shared_max);
	mix(sum, w->buffer.headroom_used);
	mix(sum, w->buffer.headroom_max);
	for (unsigned int p = 0; p < PORTS; p++) {
		for (unsigned int c = 0; c < FCN_CLASSES; c++) {
			const struct fcn_ingress *in = &w->ingress[p][c];

			mix(sum, bench_queue(p, c)->charged);
			mix(sum, in->used);
			mix(sum, in->headroom | (uint64_t)in->xoff << 32);
			mix(sum, in->used_max);
			mix(sum, in->headroom_max);
			mix(sum, in->lost_packets);
			mix(sum, in->lost_bytes);
		}
		mix(sum, w->port[p].pause.xoff | w->port[p].pause.sent_xoff << 8);
	}
}

static void
observe(struct outcome *o)
{
	const struct fcn_worker *w = bench.worker;
	struct fcn_event ev;

	memset(o, 0, sizeof(*o));
	mix_accounts(&o->accounts);
	for (unsigned int p = 0; p < PORTS; p++) {
		for (unsigned int i = 0; i < bench.port[p].n_out; i++) {
			mix(&o->departures, p);
			mix_bytes(&o->departures, bench_out(p, i), bench_out_len(p, i));
		}
		mix_bytes(&o->counters, &w->counters[p], sizeof(w->counters[p]));
		mix_bytes(&o->verdicts, w->notify[0].stats[p], sizeof(w->notify[0].stats[p]));
		for (unsigned int c = 0; c < FCN_CLASSES; c++) {
			const struct fcn_queue *q = bench_queue(p, c);

			mix_bytes(&o->queues, &q->stats, sizeof(q->stats));
			mix(&o->queues, q->bytes);
			mix(&o->queues, q->wm_max);
			mix(&o->queues, q->wm_min);
			/* occupancy over time, up to now */
			mix(&o->queues, (uint64_t)(q->wm_integral +
							(unsigned __int128)q->bytes *
									(w->now - q->wm_at)));
			mix_detector(&o->detectors, &q->detector);
			mix_episode(&o->episodes, &q->episodes->current);
			mix(&o->episodes, q->episodes->n_ended);
		}
	}
	while (bench_events(&ev, 1) == 1)
		mix_bytes(&o->events, &ev, sizeof(ev));
	mix(&o->events, w->events_lost);
	o->next_event = fcn_worker_next_event(w, w->now);
}

/* Every third port has lossless classes, with thresholds near to what the traffic needs. */
static void
random_accounts(struct fcn_snapshot_port *sp, unsigned int p, bool buffer)
{
	sp->lossless = sp->pause.tx_classes = 0;
	memset(sp->ingress, 0, sizeof(sp->ingress));
	for (unsigned int c = 0; c < FCN_CLASSES; c++) {
		struct fcn_account_conf *account = &sp->egress.queue[c].account;

		account->reserve = one_in(2) ? bench_below(5000) : 0;
		account->alpha = bench_below(4 * FCN_ALPHA_ONE);
		if (c > 5 || !one_in(3))
			continue;
		bench_lossless(p, c, bench_below(20000), bench_below(9000), bench_below(6000));
		sp->ingress[c].dynamic = buffer && one_in(2);
		sp->ingress[c].reserve = buffer ? bench_below(4000) : 0;
		sp->ingress[c].alpha = bench_below(2 * FCN_ALPHA_ONE);
		sp->ingress[c].xon_below = bench_below(3000);
	}
}

static void
reconfigure(bool slow_path, bool accounts)
{
	const bool buffer = accounts && !one_in(3);

	bench.snap.buffer = (struct fcn_buffer_conf){0};
	if (buffer)
		bench.snap.buffer = (struct fcn_buffer_conf){
				.size = 300000, .shared = 10000 + bench_below(90000)};
	for (unsigned int p = 0; p < PORTS; p++) {
		struct fcn_snapshot_port *sp = &bench.snap.port[p];

		for (unsigned int c = 0; c < FCN_CLASSES; c++) {
			struct fcn_queue_conf *q = bench_queue_conf(p, c);

			q->limit_bytes = 3000 + bench_below(40000);
			q->limit_packets = 4 + bench_below(200);
			q->policy.notify = !one_in(3);
			q->policy.ecn = !one_in(3);
			q->policy.mark_level = one_in(3) ? bench_below(4) : 0;
			q->policy.notify_bytes = one_in(3) ? bench_below(9000) : 0;
			bench_random_detector(&q->detector, q->limit_bytes, &bench_seed);
			q->slow_path = slow_path || buffer;
			/*
			 * With a buffer, it is the occupancy by flow that has each packet handled
			 * alone. Only notices depend on it.
			 */
			q->policy.heavy_flows = slow_path && buffer;
			q->policy.notify &= !buffer;
		}
		if (accounts)
			random_accounts(sp, p, buffer);
		sp->egress.shaper.bps = one_in(3) ? UINT64_C(1000000000) : 0;
		sp->pause.rx_classes = one_in(3) ? bench_below(64) : 0;
		if (accounts && !one_in(4)) /* no pause keeps packets from being charged in bulk */
			sp->pause.rx_classes = 0;
		sp->pause_on = (sp->pause.rx_classes | sp->pause.tx_classes) != 0;
		sp->ioam.transit = one_in(2);
	}
	bench.snap.notify.kind[0].interval_ns = one_in(2) ? 0 : bench_below(20000);
	bench_queue_bucket(one_in(2) ? 0 : bench_below(3000), 1 + bench_below(9));
	bench.fastcnp.default_capability = bench_below(3);
	bench_new_snapshot();
}

/* Mostly runs of the same flow, as they come from a line. */
static void
traffic(uint16_t port)
{
	unsigned int n = one_in(4) ? bench_below(32) : bench_below(6);

	while (n > 0) {
		unsigned int run = RTE_MIN(n, 1 + bench_below(8));
		struct frame f;

		if (one_in(12)) {
			frame_ioam6(&f, 0xC00000, 2, 2, 0, bench_below(1200));
		} else {
			/* often such that sums come out even with samples and thresholds */
			frame_roce6(&f, bench_below(6), bench_below(PORTS), 2,
					one_in(2) ? bench_below(1400)
						  : 200 * (1 + bench_below(6)) - 78);
			frame_class(&f, one_in(3) ? bench_below(8) : 3, bench_below(4));
		}
		frame_to_port(&f, port, 1);
		n -= run;
		while (run-- > 0)
			bench_in(port, &f);
	}
	if (one_in(10)) {
		struct frame f;

		frame_pfc(&f, bench_below(256), one_in(3) ? 0 : bench_below(400));
		bench_in(port, &f);
	}
}

static void
run(enum way way, uint64_t with_seed, bool accounts)
{
	static const struct fcn_port_ops *const ops[PORTS] = {
			&bench_ops, &bench_gate_ops, &bench_ring_ops, &bench_ring_ops};
	uint64_t now = 0;

	assert_int_equal(bench_setup(NULL), 0);
	if (way != FAST)
		bench.worker->fast = NULL;
	bench_seed = with_seed;
	for (unsigned int p = 0; p < PORTS; p++) {
		char prefix[32];

		snprintf(prefix, sizeof(prefix), "2001:db8:%x::/48", p);
		bench_route(prefix, p + 4);
		bench_set_ops(p, ops[p]);
	}
	bench_routes_done();
	bench_notices(1, 1);
	bench.snap.ioam.any_transit = true;
	bench.snap.ioam.n_namespaces = 1;
	bench.snap.ioam.ns[0].id = 0x1234;
	for (unsigned int turn = 0; turn < TURNS; turn++) {
		if (turn == 0 || one_in(60))
			reconfigure(way == ALONE, accounts);
		for (uint16_t p = 0; p < PORTS; p++) {
			traffic(p);
			bench.port[p].accept = one_in(2) ? 0 : bench_below(20);
			bench.port[p].backlog = one_in(3) ? -1 : (int)bench_below(12);
		}
		now += one_in(4) ? 0 : bench_below(5000);
		fast_try();
		bench_poll(now);
		n_fast += fast_taken();
		observe(&outcome[way][turn]);
	}
	/* It saw what it is about. */
	assert_true(bench_drops(FCN_DROP_QUEUE_BYTES) > 0);
	assert_true(bench_drops(FCN_DROP_QUEUE_PACKETS) > 0);
	assert_true(bench.worker->counters[1].generated > 100);
	assert_true(bench.worker->counters[2].generated > 100);
	if (accounts) {
		assert_true(bench_drops(FCN_DROP_BUFFER) > 100);
		assert_true(bench_drops(FCN_DROP_LOSSLESS_HEADROOM) > 100);
		assert_true(bench.worker->buffer.headroom_max > 0);
	}
	assert_int_equal(bench_teardown(NULL), 0);
}

static void
compare(bool accounts)
{
	const unsigned int seeds = fcn_test_effort(4);

	n_fast = 0;
	for (uint64_t s = 1; s <= seeds; s++) {
		for (enum way way = ALONE; way < WAYS; way++)
			run(way, s, accounts);
		for (unsigned int i = 0; i < (WAYS - 1) * TURNS; i++) {
			const unsigned int turn = i % TURNS, way = 1 + i / TURNS;
			const struct outcome *a = &outcome[way][turn], *b = &outcome[ALONE][turn];

			if (memcmp(a, b, sizeof(*a)) == 0)
				continue;
			print_error("seed %u, turn %u, way %u\n", (unsigned int)s, turn, way);
			assert_int_equal(a->departures, b->departures);
			assert_int_equal(a->queues, b->queues);
			assert_int_equal(a->accounts, b->accounts);
			assert_int_equal(a->detectors, b->detectors);
			assert_int_equal(a->episodes, b->episodes);
			assert_int_equal(a->verdicts, b->verdicts);
			assert_int_equal(a->counters, b->counters);
			assert_int_equal(a->events, b->events);
			assert_int_equal(a->next_event, b->next_event);
		}
	}
	assert_true(n_fast > TURNS / 4 * seeds);
}

TEST_FIXTURE(FCN_TEST_EAL);

TEST(same)
{
	compare(false);
}

TEST(same_accounts)
{
	compare(true);
}
