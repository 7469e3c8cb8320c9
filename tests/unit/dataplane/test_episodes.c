/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Congestion of a queue from its beginning to its end: events, episodes, and when it was over. */

#include "testbed.h"

#define LEN 1000

static int
setup(void **state)
{
	bench_setup_two_ports(state);
	bench_set_ops(1, &bench_gate_ops);
	bench.port[1].accept = 0;
	bench_notices(1, 4000); /* left below 2000 */
	return 0;
}

TEST_FIXTURE(FCN_TEST_EAL, .setup = setup, .teardown = bench_teardown);

static void
send_some(unsigned int n, unsigned int class)
{
	struct frame f;

	for (unsigned int i = 0; i < n; i++) {
		frame_roce6(&f, i, 1, 2, LEN - 14 - 64);
		frame_class(&f, class, 1);
		bench_in(0, &f);
	}
}

/* All leaves by port 1. */
static void
drain(uint64_t now)
{
	bench.port[1].accept = UINT16_MAX;
	bench_poll(now);
	bench.port[1].accept = 0;
}

static const struct fcn_detector *
detector(unsigned int class)
{
	return &bench_queue(1, class)->detector;
}

/* The next state event, of this type and class; none of any kind comes between. */
static void
assert_event(enum fcn_event_type type, unsigned int class, uint64_t time)
{
	struct fcn_event ev;

	do
		assert_int_equal(bench_events(&ev, 1), 1);
	while (!fcn_event_is_state(ev.type));
	assert_int_equal(ev.type, type);
	assert_int_equal(ev.port, 1);
	assert_int_equal(ev.class, class);
	assert_int_equal(ev.time_ns, time);
}

static void
assert_no_event(void)
{
	struct fcn_event ev;

	while (bench_events(&ev, 1) == 1)
		assert_false(fcn_event_is_state(ev.type));
}

/* The end is held back, seen late or at once, and always told as of its own time. */
TEST(hold)
{
	static const uint64_t seen_after[] = {0, 1, 777777};
	uint64_t now = 1000;

	bench_queue_conf(1, 3)->detector.hold_ns = 10000;
	for (size_t i = 0; i < RTE_DIM(seen_after); i++) {
		send_some(6, 3);
		bench_poll(now);
		assert_event(FCN_EVENT_CONGESTED, 3, now);
		drain(now + 500);
		assert_true(detector(3)->congested);
		assert_int_equal(fcn_worker_next_event(bench.worker, now + 500), now + 10500);
		bench_poll(now + 10499);
		assert_no_event();
		assert_int_equal(fcn_worker_next_event(bench.worker, now + 10499), now + 10500);
		bench_poll(now + 10500 + seen_after[i]);
		assert_event(FCN_EVENT_RECOVERED, 3, now + 10500);
		assert_int_equal(detector(3)->left_ns, now + 10500);
		assert_int_equal(bench_queue(1, 3)->episodes->n_ended, i + 1);
		assert_int_equal(bench_queue(1, 3)->episodes->kept[i].end_ns, now + 10500);
		assert_false(detector(3)->congested);
		assert_true(fcn_worker_next_event(bench.worker, now + 2000000) == FCN_TIME_NEVER);
		assert_int_equal(detector(3)->enters, i + 1);
		assert_int_equal(detector(3)->leaves, i + 1);
		now += 2000000;
	}
	bench_poll(now);
	assert_no_event();
}

/* Who comes back above `leave` before the time is up begins it anew; below `enter` is enough. */
TEST(comes_back)
{
	bench_queue_conf(1, 3)->detector.hold_ns = 10000;
	send_some(4, 3);
	bench_poll(1000);
	assert_event(FCN_EVENT_CONGESTED, 3, 1000);
	drain(2000);
	send_some(2, 3); /* 2000 */
	bench_poll(11999);
	assert_true(fcn_worker_next_event(bench.worker, 11999) > 12000);
	drain(13000);
	assert_int_equal(fcn_worker_next_event(bench.worker, 13000), 23000);
	send_some(1, 3); /* 1000: below */
	bench_poll(20000);
	assert_int_equal(fcn_worker_next_event(bench.worker, 20000), 23000);
	bench_poll(23000);
	assert_event(FCN_EVENT_RECOVERED, 3, 23000);
	assert_no_event();
	/* At the very moment it is over, a packet that finds 4000 begins another. */
	send_some(4, 3);
	bench_poll(24000);
	assert_event(FCN_EVENT_CONGESTED, 3, 24000);
	drain(25000);
	send_some(4, 3);
	bench_poll(35000);
	assert_event(FCN_EVENT_RECOVERED, 3, 35000);
	assert_event(FCN_EVENT_CONGESTED, 3, 35000);
	assert_no_event();
	drain(36000);
	/* And so does one that comes late: the end is told as of its time, first. */
	send_some(4, 3);
	bench_poll(99000);
	assert_event(FCN_EVENT_RECOVERED, 3, 46000);
	assert_event(FCN_EVENT_CONGESTED, 3, 99000);
	assert_no_event();
}

/*
 * The first packet to come when it is over may be congestion by itself. A nanosecond before, it
 * belongs to what there was; at the very moment, and later, it begins another episode.
 */
TEST(comes_back_with_one)
{
	static const uint64_t after[] = {9999, 10000, 10001, 500000};

	bench_queue_conf(1, 3)->detector.hold_ns = 10000;
	for (size_t i = 0; i < 2 * RTE_DIM(after); i++) {
		const uint64_t now = 2000 + after[i / 2];

		if (i != 0) {
			assert_int_equal(bench_teardown(state), 0);
			setup(state);
		}
		bench_notices(1, LEN);
		bench_queue_conf(1, 3)->detector.hold_ns = 10000;
		bench_queue_conf(1, 3)->policy.notify = i % 2;
		send_some(2, 3);
		bench_poll(1000);
		assert_event(FCN_EVENT_CONGESTED, 3, 1000);
		drain(2000);
		assert_no_event();
		send_some(1, 3);
		bench_poll(now);
		if (after[i / 2] >= 10000) {
			assert_event(FCN_EVENT_RECOVERED, 3, 12000);
			assert_event(FCN_EVENT_CONGESTED, 3, now);
		}
		assert_no_event();
		assert_int_equal(bench_queue(1, 3)->episodes->n_ended, after[i / 2] >= 10000);
		assert_int_equal(bench_queue(1, 3)->stats.congested_packets, 3);
		drain(now + 1);
		bench_poll(now + 10000);
		assert_no_event();
		bench_poll(now + 10001);
		assert_event(FCN_EVENT_RECOVERED, 3, now + 10001);
		assert_no_event();
	}
}

/* Each class has its own, in one turn or several. */
TEST(classes)
{
	send_some(4, 2);
	send_some(4, 5);
	bench_poll(1000);
	assert_event(FCN_EVENT_CONGESTED, 2, 1000);
	assert_event(FCN_EVENT_CONGESTED, 5, 1000);
	assert_int_equal(bench.worker->port[1].egress->congested, 1 << 2 | 1 << 5);
	bench.snap.port[1].egress.strict |= 1 << 5;
	bench_queue_conf(1, 2)->detector.hold_ns = 300;
	drain(2000);
	assert_event(FCN_EVENT_RECOVERED, 5, 2000);
	assert_no_event();
	assert_int_equal(fcn_worker_next_event(bench.worker, 2000), 2300);
	bench_poll(2300);
	assert_event(FCN_EVENT_RECOVERED, 2, 2300);
	assert_no_event();
}

/* What an episode holds, and that the last ones are kept. */
TEST(episode)
{
	const struct fcn_episodes *ep = bench_queue(1, 3)->episodes;
	const struct fcn_episode *e;

	bench_queue_conf(1, 3)->limit_bytes = 7000;
	bench_queue_conf(1, 3)->detector.limit = 7000;
	fcn_detector_levels(&bench_queue_conf(1, 3)->detector);
	bench.fastcnp.default_capability = FCN_SENDER_CAPABLE;
	bench.snap.notify.kind[0].interval_ns = 1000000;
	for (unsigned int k = 1; k <= FCN_EPISODES_KEPT + 3; k++) {
		uint64_t start = 10000000 * k;

		/* 4000 to 7000, one lost: 5 packets of 5 flows; then one more of the first */
		send_some(8, 3);
		bench_poll(start);
		assert_int_equal(ep->current.start_ns, start);
		assert_int_equal(ep->current.end_ns, 0);
		send_some(1, 3);
		bench_poll(start + 100);
		drain(start + 200);
		assert_int_equal(ep->n_ended, k);
		e = &ep->kept[(k - 1) % FCN_EPISODES_KEPT];
		assert_int_equal(e->start_ns, start);
		assert_int_equal(e->end_ns, start + 200);
		assert_int_equal(e->packets, 6);
		assert_int_equal(e->bytes, 6000);
		assert_int_equal(e->over_bytes, 6000);
		assert_int_equal(e->peak_bytes, 7000); /* what was refused never was there */
		assert_int_equal(e->peak_ns, start);
		assert_int_equal(e->max_level, 7);
		assert_int_equal(e->dropped, 2);
		/* flows 3 to 7 were told; flow 0 is a new one, too */
		assert_int_equal(e->notices, 6);
		assert_int_equal(e->flows, 6);
		assert_false(e->more_flows);
		assert_int_equal(e->marked, 0);
	}
	/* The first three are gone. */
	for (unsigned int i = 0; i < FCN_EPISODES_KEPT; i++) {
		unsigned int k = i < 3 ? FCN_EPISODES_KEPT + 1 + i : i + 1;

		assert_int_equal(ep->kept[i].start_ns, 10000000 * k);
	}
}

/* A detector that a new snapshot switches off, or a port that goes, ends it: told once. */
TEST(ended_from_outside)
{
	send_some(5, 3);
	bench_poll(1000);
	assert_event(FCN_EVENT_CONGESTED, 3, 1000);
	bench_queue_conf(1, 3)->detector.type = FCN_DETECTOR_OFF;
	bench_new_snapshot();
	assert_true(fcn_worker_next_event(bench.worker, 2000) <= 2000);
	bench_poll(2000);
	assert_event(FCN_EVENT_RECOVERED, 3, 2000);
	bench_queue_conf(1, 3)->detector.type = FCN_DETECTOR_STEP;
	bench_new_snapshot();
	bench_poll(3000);
	assert_no_event();
	send_some(1, 3);
	bench_poll(4000);
	assert_event(FCN_EVENT_CONGESTED, 3, 4000);
	bench_poll(5000);
	fcn_worker_port_remove(bench.worker, 1);
	assert_event(FCN_EVENT_RECOVERED, 3, 5000);
	bench_poll(6000);
	assert_no_event();
}

/* Counters cleared in the midst of it do not end it. */
TEST(cleared)
{
	send_some(5, 3);
	bench_poll(1000);
	assert_event(FCN_EVENT_CONGESTED, 3, 1000);
	fcn_worker_clear_counters(bench.worker);
	send_some(1, 3);
	bench_poll(2000);
	assert_no_event();
	assert_true(detector(3)->congested);
	drain(3000);
	assert_event(FCN_EVENT_RECOVERED, 3, 3000);
	assert_int_equal(detector(3)->enters, 0);
	assert_int_equal(detector(3)->leaves, 1);
}

/* Random traffic: they alternate on each queue, and their times never go back. */
TEST(alternate)
{
	static const enum fcn_detector_type types[] = {FCN_DETECTOR_STEP, FCN_DETECTOR_RED,
			FCN_DETECTOR_QCN, FCN_DETECTOR_SOJOURN, FCN_DETECTOR_RATE};
	uint64_t last[FCN_CLASSES] = {0}, seed = 8, now = 0, seen = 0;
	bool congested[FCN_CLASSES] = {false};

	for (unsigned int c = 0; c < FCN_CLASSES; c++) {
		struct fcn_detector_conf *d = &bench_queue_conf(1, c)->detector;

		*d = (struct fcn_detector_conf){.type = types[c % RTE_DIM(types)],
				.enter = 3000,
				.leave = 1500,
				.limit = 100000,
				.kmax = 6000,
				.pmax = UINT64_C(1) << 31,
				.qeq = 3000,
				.weight = 2,
				.sample = 4000,
				.interval_ns = 2000,
				.bps = UINT64_C(1000000000),
				.hold_ns = 500 * c};
		if (d->type == FCN_DETECTOR_RATE) {
			d->enter = 600;
			d->leave = 300;
			d->limit = 2000;
		}
		fcn_detector_levels(d);
	}
	for (unsigned int turn = 0; turn < 6000; turn++) {
		struct fcn_event ev;

		/* busy times and quiet ones */
		for (unsigned int c = 0; c < FCN_CLASSES && turn / 50 % 2 == 0; c++) {
			if (fcn_test_random(&seed) % 4 == 0)
				send_some(fcn_test_random(&seed) % 4, c);
		}
		bench.port[1].accept = fcn_test_random(&seed) % 8 == 0 ? 3 : 0;
		now += fcn_test_random(&seed) % 3000;
		bench_poll(now);
		while (bench_events(&ev, 1) == 1) {
			if (!fcn_event_is_state(ev.type))
				continue;
			assert_int_equal(ev.type, congested[ev.class] ? FCN_EVENT_RECOVERED
								      : FCN_EVENT_CONGESTED);
			assert_true(ev.time_ns >= last[ev.class] && ev.time_ns <= now);
			last[ev.class] = ev.time_ns;
			congested[ev.class] = !congested[ev.class];
			seen++;
		}
		for (unsigned int c = 0; c < FCN_CLASSES; c++)
			assert_int_equal(detector(c)->congested, congested[c]);
	}
	assert_true(seen > 500);
	for (unsigned int c = 0; c < FCN_CLASSES; c++)
		assert_true(detector(c)->enters > 40);
	assert_int_equal(bench.worker->events_lost, 0);
}
