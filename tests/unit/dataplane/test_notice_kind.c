/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Other kinds of notices beside Fast CNP: what adding one takes is its file and one line. The
 * workers alone are tested here, and the whole switch in tests/unit/app/test_notice_kinds.c. */

#include "notice_kind_report.h"
#include "workers_bench.h"

#define REPORT FCN_NOTICE_LAST_REPORT

_Static_assert(REPORT > 4, "its number is not one of the first ones");

/* Fast CNP and the kinds that only tests have. */
static const unsigned int kinds[] = {
		FCN_NOTICE_FAST_CNP, FCN_NOTICE_REPORT, FCN_NOTICE_NEXT_REPORT, REPORT};

#define ALL_KINDS (1u << kinds[0] | 1u << kinds[1] | 1u << kinds[2] | 1u << kinds[3])

static struct report_conf report[FCN_NOTICE_KIND_MAX];

/* Configure all kinds, and let port 1 be congested. */
static void
configure(void)
{
	bench_notices(1, 1);
	bench.snap.notify.n_kinds = fcn_notice_kind_count;
	for (unsigned int k = FCN_NOTICE_FAST_CNP + 1; k < fcn_notice_kind_count; k++) {
		report[k] = (struct report_conf){
				.to = {0x20, 1, 0xd, 0xb8, [14] = 0x77, [15] = (uint8_t)k}};
		bench.snap.notify.kind[k] = (struct fcn_notify_conf){
				.kind = fcn_notice_kinds[k],
				.common = &bench.snap.notify.common,
				.own = &report[k],
		};
	}
}

static int
setup(void **state)
{
	bench_setup_two_ports(state);
	configure();
	return 0;
}

TEST_FIXTURE(FCN_TEST_EAL, .setup = setup, .teardown = bench_teardown);

static uint64_t
verdict(unsigned int kind, unsigned int v)
{
	return bench.worker->notify[kind].stats[1][3].verdict[v];
}

static const struct fcn_notice_accounting *
accounting(unsigned int kind)
{
	return &bench.worker->notice_accounting[kind];
}

/* A data packet of flow qp, at a time. */
static void
send_data(uint8_t sender, uint64_t now)
{
	struct frame f;

	frame_roce6(&f, sender, 1, 2, 100);
	bench_send(0, &f, now);
}

/* A packet can have both, each with what it says of itself, in the order of the kinds. */
TEST(both)
{
	struct fcn_event ev[8];
	const uint8_t *n;

	bench.snap.notify.on = 1 | 1 << REPORT;
	send_data(9, 5);
	assert_int_equal(bench.port[0].n_out, 2);
	assert_int_equal(bench_out_len(0, 0), 14 + 104);
	n = bench_out(0, 1);
	assert_int_equal(bench_out_len(0, 1), 14 + REPORT_LEN);
	assert_memory_equal(n + 14 + 8, bench.snap.notify.common.source, 16);
	assert_memory_equal(n + 14 + 24, report[REPORT].to, 16);
	assert_int_equal(n[14 + 48] | n[14 + 49] << 8 | n[14 + 50] << 16, 0x123456);
	assert_int_equal(verdict(0, FCN_FASTCNP_SENT_OPT1), 1);
	assert_int_equal(verdict(REPORT, FCN_NOTIFY_SENT_1), 1);
	for (unsigned int k = 0; k <= REPORT; k += REPORT) {
		assert_int_equal(accounting(k)->made, 1);
		assert_int_equal(accounting(k)->transmitted, 1);
		assert_int_equal(accounting(k)->queued, 0);
	}
	assert_int_equal(bench.worker->counters[1].generated, 2);
	assert_int_equal(bench_queue(1, 3)->stats.notices, 2);
	assert_int_equal(bench_events_of(FCN_EVENT_NOTICE, ev, 8), 2);
	assert_int_equal(ev[0].kind, 0);
	assert_int_equal(ev[0].len, 104);
	assert_int_equal(ev[1].kind, REPORT);
	assert_int_equal(ev[1].verdict, FCN_NOTIFY_SENT_1);
	assert_int_equal(ev[1].len, REPORT_LEN);
}

/* Check that each kind has made a notice about the only packet, and the notices that left by port
 * 0, in the order of the kinds. */
static void
check_all(struct fcn_worker *made_by)
{
	const uint8_t *n;

	assert_int_equal(bench.port[0].n_out, RTE_DIM(kinds));
	for (unsigned int i = 0; i < RTE_DIM(kinds); i++) {
		const unsigned int k = kinds[i];
		const struct fcn_notify_stats *stats = &made_by->notify[k].stats[1][3];

		assert_int_equal(fcn_notify_sent(stats), 1);
		assert_int_equal(made_by->notice_accounting[k].made, 1);
		assert_int_equal(made_by->counters[1].notices[k], 1);
		n = bench_out(0, i) + 14;
		if (i == 0) {
			assert_int_equal(n[24 + 15], 9); /* the sender */
		} else {
			assert_int_equal(bench_out_len(0, i), 14 + REPORT_LEN);
			assert_memory_equal(n + 24, report[k].to, 16);
		}
	}
}

/* More kinds than two bits can tell apart: each is decided about, built, queued, sent and counted
 * as what it is. */
TEST(all)
{
	struct fcn_event ev[8];

	bench.snap.notify.on = ALL_KINDS;
	bench.port[0].accept = 0;
	send_data(9, 5);
	for (unsigned int i = 0; i < RTE_DIM(kinds); i++) {
		assert_int_equal(accounting(kinds[i])->queued, 1);
		assert_int_equal(accounting(kinds[i])->transmitted, 0);
	}
	assert_int_equal(bench_events_of(FCN_EVENT_NOTICE, ev, 8), RTE_DIM(kinds));
	for (unsigned int i = 0; i < RTE_DIM(kinds); i++)
		assert_int_equal(ev[i].kind, kinds[i]);
	bench.port[0].accept = UINT16_MAX;
	bench_poll(6);
	for (unsigned int i = 0; i < RTE_DIM(kinds); i++) {
		assert_int_equal(accounting(kinds[i])->queued, 0);
		assert_int_equal(accounting(kinds[i])->transmitted, 1);
	}
	check_all(bench.worker);
}

/* A notice of any kind is still of that kind when another worker sends it. */
TEST_WITH(workers, workers_setup, workers_teardown)
{
	configure();
	bench.snap.notify.on = ALL_KINDS;
	bench_new_snapshot();
	workers_arrive(0, 1, 3, 9);
	workers_poll(0, 10); /* port 0: data goes to worker 1 */
	workers_poll(1, 20); /* port 1: notices go back */
	for (unsigned int i = 0; i < RTE_DIM(kinds); i++)
		assert_int_equal(workers[1]->notice_accounting[kinds[i]].cross_core_tx, 1);
	workers_poll(0, 30);
	for (unsigned int i = 0; i < RTE_DIM(kinds); i++) {
		assert_int_equal(workers[0]->notice_accounting[kinds[i]].cross_core_rx, 1);
		assert_int_equal(workers[0]->notice_accounting[kinds[i]].transmitted, 1);
	}
	check_all(workers[1]);
}

/* Fast CNP replaces the CE mark of a capable sender's packet; a report does not, and neither when
 * both are sent does it put the mark back. */
TEST(mark)
{
	static const struct {
		uint8_t on;
		bool marked;
	} cases[] = {{0, true}, {1, false}, {1 << REPORT, true}, {1 | 1 << REPORT, false}};

	bench.fastcnp.default_capability = FCN_SENDER_CAPABLE;
	for (unsigned int i = 0; i < RTE_DIM(cases); i++) {
		bench.snap.notify.on = cases[i].on;
		send_data(1 + i, 10 * i);
		assert_int_equal((bench_out(1, 0)[15] & 0x30) == 0x30, cases[i].marked);
		bench_forget_out();
	}
}

/* Each kind has limits of its own, and wanted = sent + suppressed for each. */
TEST(limits)
{
	bench.snap.notify.on = 1 | 1 << REPORT;
	bench.snap.notify.kind[0].interval_ns = 1000000;
	bench.snap.notify.kind[REPORT].dest_cost_ns = 1000000; /* one receiver for all senders */
	bench.snap.notify.kind[REPORT].dest_burst = 2;
	for (unsigned int i = 0; i < 6; i++)
		send_data(1 + i % 3, 100 + i);
	/* Three flows, each twice within the interval. */
	assert_int_equal(verdict(0, FCN_FASTCNP_SENT_OPT1), 3);
	assert_int_equal(verdict(0, FCN_NOTIFY_INTERVAL), 3);
	/* Six reports to one receiver, of which its bucket has two. */
	assert_int_equal(verdict(REPORT, FCN_NOTIFY_SENT_1), 2);
	assert_int_equal(verdict(REPORT, FCN_NOTIFY_BUCKET_DESTINATION), 4);
	for (unsigned int k = 0; k <= REPORT; k += REPORT) {
		const struct fcn_notify_stats *stats = &bench.worker->notify[k].stats[1][3];

		assert_int_equal(fcn_notify_sent(stats) + fcn_notify_suppressed(stats), 6);
		assert_int_equal(fcn_notify_sent(stats), accounting(k)->made);
	}
}

/* What is lost is lost on the account of its kind. */
TEST(lost)
{
	bench.snap.notify.on = 1 | 1 << REPORT;
	bench.snap.port[0].egress.queue[6].limit_packets = 1;
	bench.port[0].accept = 0;
	send_data(1, 1);
	assert_int_equal(accounting(0)->lost[FCN_DROP_QUEUE_PACKETS] +
					 accounting(REPORT)->lost[FCN_DROP_QUEUE_PACKETS],
			1);
	assert_int_equal(accounting(0)->queued, 1);
	assert_int_equal(accounting(REPORT)->lost[FCN_DROP_QUEUE_PACKETS], 1);
	bench.port[0].accept = UINT16_MAX;
	bench_poll(2);
	assert_int_equal(accounting(0)->transmitted, 1);
	assert_int_equal(accounting(REPORT)->transmitted, 0);
}

/* Each packet has its notices of all kinds, also when these are more than are made at once. */
TEST(more_than_at_once)
{
	bench.snap.notify.on = 1 | 1 << REPORT;
	for (unsigned int i = 0; i < 40; i++) {
		struct frame f;

		frame_roce6(&f, 1 + i, 1, 2, 100);
		bench_in(i % 2 == 0 ? 0 : 2, &f);
	}
	bench.snap.port[2].mac = bench.snap.port[0].mac;
	bench_poll(1);
	for (unsigned int k = 0; k <= REPORT; k += REPORT) {
		_Static_assert(2 * 40 > FCN_NOTICE_MAX, "they are more than are made at once");
		assert_int_equal(fcn_notify_sent(&bench.worker->notify[k].stats[1][3]), 40);
	}
}
