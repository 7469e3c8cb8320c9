/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* What the collector makes of a worker's events. */

#include "fcn_collector.h"
#include "fcn_test.h"

#define RING 1024

static struct fcn_worker worker; /* of which only the ring is looked at */
static struct fcn_collector *collector;

static int
setup(void **state)
{
	RTE_SET_USED(state);
	worker.events = rte_ring_create_elem("events", sizeof(struct fcn_event), RING,
			SOCKET_ID_ANY, RING_F_SP_ENQ | RING_F_SC_DEQ | RING_F_EXACT_SZ);
	collector = fcn_collector_create("flows", 0);
	return worker.events == NULL || collector == NULL ? -1 : 0;
}

static int
teardown(void **state)
{
	RTE_SET_USED(state);
	fcn_collector_free(collector);
	rte_ring_free(worker.events);
	return 0;
}

TEST_FIXTURE(FCN_TEST_EAL, .setup = setup, .teardown = teardown);

static void
push(struct fcn_event *ev)
{
	assert_int_equal(rte_ring_sp_enqueue_elem(worker.events, ev, sizeof(*ev)), 0);
}

/* A notice for sender 2001:db8::<sender>, receiver 2001:db8::<receiver>. */
static void
notice(uint64_t now, uint8_t sender, uint8_t receiver, uint32_t qp, int8_t level)
{
	struct fcn_event ev = {.type = FCN_EVENT_NOTICE,
			.time_ns = now,
			.level = level,
			.dest_qp = qp,
			.sender = {0x20, 1, 0xd, 0xb8, [15] = sender},
			.receiver = {0x20, 1, 0xd, 0xb8, [15] = receiver}};

	push(&ev);
}

static void
sent(uint32_t wait)
{
	struct fcn_event ev = {.type = FCN_EVENT_NOTICE_SENT, .wait_ns = wait};

	push(&ev);
}

static void
change(enum fcn_event_type type, uint64_t now)
{
	struct fcn_event ev = {.type = type, .time_ns = now};

	push(&ev);
}

static void
note_type(void *arg, const struct fcn_event *ev)
{
	char **p = arg;

	*(*p)++ = "nsCr"[ev->type];
	**p = '\0';
}

TEST(summary)
{
	struct fcn_collector_summary s;
	char order[64], *end = order;

	change(FCN_EVENT_CONGESTED, 90);
	notice(100, 1, 2, 3, 4);
	sent(500);
	sent(20);
	sent(100);
	change(FCN_EVENT_RECOVERED, 150);
	change(FCN_EVENT_CONGESTED, 160);
	notice(200, 1, 2, 3, 2);
	assert_int_equal(fcn_collector_drain(collector, &worker, note_type, &end), 8);
	assert_string_equal(order, "CnsssrCn");
	fcn_collector_summary(collector, &s);
	assert_int_equal(s.records, 8);
	assert_int_equal(s.notices, 2);
	assert_int_equal(s.first_ns, 100);
	assert_int_equal(s.sent, 3);
	assert_int_equal(s.wait_min_ns, 20);
	assert_int_equal(s.wait_max_ns, 500);
	assert_int_equal(s.wait_sum_ns, 620);
	assert_int_equal(s.congested, 2);
	assert_int_equal(s.first_congested_ns, 90);
	assert_int_equal(s.recovered, 1);
	assert_int_equal(s.flows, 1);
	assert_int_equal(s.untracked, 0);
	assert_int_equal(fcn_collector_drain(collector, &worker, NULL, NULL), 0);
	fcn_collector_clear(collector);
	fcn_collector_summary(collector, &s);
	assert_int_equal(s.notices + s.sent + s.congested + s.flows + s.records, 0);
}

TEST(top)
{
	struct fcn_collector_flow top[8];

	assert_int_equal(fcn_collector_top(collector, top, 8), 0);
	notice(1, 9, 1, 7, 0); /* once */
	for (uint64_t i = 0; i < 3; i++)
		notice(10 + i, 5, 1, 7, i == 1 ? 6 : 2); /* three times */
	for (unsigned int i = 0; i < 2; i++) {
		notice(20, 4, 2, 8, 1); /* equal ones by sender, receiver, queue pair */
		notice(20, 4, 2, 7, 1);
		notice(20, 4, 1, 9, 1);
		notice(20, 3, 9, 9, 1);
	}
	fcn_collector_drain(collector, &worker, NULL, NULL);
	assert_int_equal(fcn_collector_top(collector, top, 8), 6);
	assert_int_equal(top[0].sender[15], 5);
	assert_int_equal(top[0].notices, 3);
	assert_int_equal(top[0].first_ns, 10);
	assert_int_equal(top[0].last_ns, 12);
	assert_int_equal(top[0].max_level, 6);
	assert_int_equal(top[1].sender[15], 3);
	assert_int_equal(top[2].receiver[15], 1);
	assert_int_equal(top[3].dest_qp, 7);
	assert_int_equal(top[4].dest_qp, 8);
	assert_int_equal(top[5].sender[15], 9);
	assert_int_equal(fcn_collector_top(collector, top, 2), 2);
	assert_int_equal(top[1].sender[15], 3);
	assert_int_equal(fcn_collector_top(collector, top, 0), 0);
}

/* Each of the flows is found, by all that tells it from others. */
TEST(find)
{
	struct fcn_collector_flow top[8];
	uint8_t other[16];

	notice(1, 9, 1, 7, 0);
	notice(2, 9, 1, 8, 0);
	notice(3, 9, 1, 8, 0);
	fcn_collector_drain(collector, &worker, NULL, NULL);
	assert_int_equal(fcn_collector_top(collector, top, 8), 2);
	for (unsigned int i = 0; i < 2; i++) {
		const struct fcn_collector_flow *f = fcn_collector_find(
				collector, top[i].sender, top[i].receiver, top[i].dest_qp);

		assert_memory_equal(f, &top[i], sizeof(top[i]));
	}
	memcpy(other, top[0].sender, sizeof(other));
	other[15]++;
	assert_null(fcn_collector_find(collector, other, top[0].receiver, 8));
	assert_null(fcn_collector_find(collector, top[0].sender, other, 8));
	assert_null(fcn_collector_find(collector, top[0].sender, top[0].receiver, 9));
}

/* As many flows as it says are kept; further ones are counted, those kept go on being counted. */
TEST(many_flows)
{
	static struct fcn_collector_flow top[FCN_COLLECTOR_FLOWS + 1];
	struct fcn_collector_summary s;

	for (unsigned int round = 0; round < 2; round++) {
		for (uint32_t qp = 0; qp < FCN_COLLECTOR_FLOWS + 1000; qp++) {
			notice(1 + qp, qp % 256, qp / 256 % 256, qp, 1);
			if (qp % 512 == 511)
				fcn_collector_drain(collector, &worker, NULL, NULL);
		}
		fcn_collector_drain(collector, &worker, NULL, NULL);
		fcn_collector_summary(collector, &s);
		assert_int_equal(s.flows, FCN_COLLECTOR_FLOWS);
		assert_int_equal(s.untracked, 1000 * (round + 1));
		assert_int_equal(s.notices, (FCN_COLLECTOR_FLOWS + 1000) * (round + 1));
	}
	assert_int_equal(fcn_collector_top(collector, top, RTE_DIM(top)), FCN_COLLECTOR_FLOWS);
	for (unsigned int i = 0; i < FCN_COLLECTOR_FLOWS; i++)
		assert_int_equal(top[i].notices, 2);
	/* Forgotten, there is room again. */
	fcn_collector_clear(collector);
	notice(1, 1, 1, 99999, 1);
	fcn_collector_drain(collector, &worker, NULL, NULL);
	assert_int_equal(fcn_collector_top(collector, top, 8), 1);
	assert_int_equal(top[0].dest_qp, 99999);
}

/* Of the events of queues and classes the last 256 are kept, in their order; notices are not of
 * them. */
TEST(events)
{
	static struct fcn_event last[FCN_COLLECTOR_EVENTS + 1];

	assert_int_equal(fcn_collector_events(collector, last, RTE_DIM(last)), 0);
	change(FCN_EVENT_CONGESTED, 10);
	notice(11, 1, 1, 1, 1);
	sent(5);
	change(FCN_EVENT_STORM_OVER, 12);
	fcn_collector_drain(collector, &worker, NULL, NULL);
	assert_int_equal(fcn_collector_events(collector, last, RTE_DIM(last)), 2);
	assert_int_equal(last[0].type, FCN_EVENT_CONGESTED);
	assert_int_equal(last[0].time_ns, 10);
	assert_int_equal(last[1].type, FCN_EVENT_STORM_OVER);
	assert_int_equal(fcn_collector_events(collector, last, 1), 1);
	assert_int_equal(last[0].time_ns, 12);
	for (unsigned int i = 0; i < 300; i++) {
		change(FCN_EVENT_CONGESTED + i % 7, 1000 + i);
		notice(11, 1, 1, 1, 1);
	}
	fcn_collector_drain(collector, &worker, NULL, NULL);
	assert_int_equal(fcn_collector_events(collector, last, RTE_DIM(last)), 256);
	for (unsigned int i = 0; i < 256; i++) {
		assert_int_equal(last[i].time_ns, 1044 + i);
		assert_int_equal(last[i].type, FCN_EVENT_CONGESTED + (44 + i) % 7);
	}
	fcn_collector_clear(collector);
	assert_int_equal(fcn_collector_events(collector, last, RTE_DIM(last)), 0);
}

/* Who listens hears each event, whoever drains, until it does not. */
TEST(listener)
{
	char heard[64] = "", drained[64] = "", *h = heard, *d = drained;

	fcn_collector_listen(collector, note_type, &h);
	notice(1, 1, 2, 3, 4);
	assert_int_equal(fcn_collector_drain(collector, &worker, NULL, NULL), 1);
	change(FCN_EVENT_CONGESTED, 2);
	sent(1);
	assert_int_equal(fcn_collector_drain(collector, &worker, note_type, &d), 2);
	assert_string_equal(heard, "nCs");
	assert_string_equal(drained, "Cs");
	fcn_collector_clear(collector);
	sent(1);
	fcn_collector_drain(collector, &worker, NULL, NULL);
	assert_string_equal(heard, "nCss");
	fcn_collector_listen(collector, NULL, NULL);
	sent(1);
	fcn_collector_drain(collector, &worker, NULL, NULL);
	assert_string_equal(heard, "nCss");
}

/* Who watches hears of all of it as well, before who listens, and both without the other. */
TEST(watcher)
{
	char heard[64] = "", *h = heard;

	fcn_collector_watch(collector, note_type, &h);
	notice(1, 1, 2, 3, 4);
	fcn_collector_drain(collector, &worker, NULL, NULL);
	assert_string_equal(heard, "n");
	fcn_collector_listen(collector, note_type, &h);
	change(FCN_EVENT_CONGESTED, 2);
	fcn_collector_drain(collector, &worker, NULL, NULL);
	assert_string_equal(heard, "nCC");
	fcn_collector_watch(collector, NULL, NULL);
	sent(1);
	fcn_collector_drain(collector, &worker, NULL, NULL);
	assert_string_equal(heard, "nCCs");
}

/* A worker that writes an event for each that is taken. It stops some time, so that the test ends.
 */
static void
write_another(void *arg, const struct fcn_event *ev)
{
	unsigned int *left = arg;

	if (*left == 0)
		return;
	(*left)--;
	change(FCN_EVENT_CONGESTED, ev->time_ns + 100);
}

/* What comes while events are taken is left for the next call, so that a busy worker does not keep
 * the control thread. */
TEST(bound)
{
	unsigned int left = 800;

	for (unsigned int i = 0; i < 100; i++)
		change(FCN_EVENT_CONGESTED, i);
	assert_int_equal(fcn_collector_drain(collector, &worker, write_another, &left), 100);
	assert_int_equal(left, 700);
	assert_int_equal(fcn_collector_drain(collector, &worker, NULL, NULL), 100);
	assert_int_equal(fcn_collector_drain(collector, &worker, NULL, NULL), 0);
}

TEST(no_ring)
{
	struct fcn_worker none = {.events = NULL};

	assert_int_equal(fcn_collector_drain(collector, &none, NULL, NULL), 0);
}

/* Words are kept for as long as the event can be. */
TEST(words)
{
	char text[16];
	uint32_t first, number;

	assert_null(fcn_collector_words(collector, 0));
	first = fcn_collector_keep_words(
			collector, &(const struct fcn_event_text){"alice", NULL, "first"});
	assert_int_not_equal(first, 0);
	assert_string_equal(fcn_collector_words(collector, first)->user, "alice");
	assert_null(fcn_collector_words(collector, first)->role);
	assert_string_equal(fcn_collector_words(collector, first)->text, "first");
	assert_null(fcn_collector_words(collector, first + 1));
	for (unsigned int i = 1; i < FCN_COLLECTOR_EVENTS; i++) {
		snprintf(text, sizeof(text), "text %u", i);
		number = fcn_collector_keep_words(
				collector, &(const struct fcn_event_text){.text = text});
		assert_string_equal(fcn_collector_words(collector, number)->text, text);
	}
	assert_non_null(fcn_collector_words(collector, first));
	fcn_collector_keep_words(collector, &(const struct fcn_event_text){.text = "more"});
	assert_null(fcn_collector_words(collector, first));
}

/* Numbers go on when the events are cleared. */
TEST(numbers)
{
	assert_int_equal(fcn_collector_event_first(collector), 0);
	for (unsigned int i = 0; i < 300; i++) {
		fcn_collector_note(collector,
				&(const struct fcn_event){.type = FCN_EVENT_STORM, .time_ns = i});
	}
	assert_int_equal(fcn_collector_event_count(collector), 300);
	assert_int_equal(fcn_collector_event_first(collector), 300 - FCN_COLLECTOR_EVENTS);
	assert_int_equal(fcn_collector_event(collector, 299)->time_ns, 299);
	fcn_collector_clear(collector);
	assert_int_equal(fcn_collector_event_count(collector), 300);
	assert_int_equal(fcn_collector_event_first(collector), 300);
}
