/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Random traffic under a configuration that changes at random, over ports that
 * come and go: behind every turn the sums are those of what is queued (that is
 * the bench's own check), and when all has left nothing is left of anything.
 */

#include "testbed.h"

#define PORTS 6

static uint64_t seed;

static uint64_t
random_below(uint64_t n)
{
	return fcn_test_random(&seed) % n;
}

static bool
one_in(uint64_t n)
{
	return random_below(n) == 0;
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

/* What control could have built, and some that it would not. */
static void
reconfigure(void)
{
	bool buffer = one_in(2);

	bench.snap.buffer = (struct fcn_buffer_conf){0};
	if (buffer)
		bench.snap.buffer = (struct fcn_buffer_conf){
				.size = 300000, .shared = 20000 + random_below(100000)};
	for (unsigned int p = 0; p < PORTS; p++) {
		struct fcn_snapshot_port *sp = &bench.snap.port[p];

		sp->lossless = sp->pause.given = sp->pause.taken = 0;
		for (unsigned int c = 0; c < FCN_CLASSES; c++) {
			struct fcn_queue_conf *q = bench_queue_conf(p, c);

			memset(&sp->ingress[c], 0, sizeof(sp->ingress[c]));
			if (c < 6 && one_in(3)) {
				bench_lossless(p, c, random_below(8000), random_below(3000),
						random_below(6000));
				if (buffer && one_in(2)) {
					sp->ingress[c].dynamic = true;
					sp->ingress[c].reserve = random_below(4000);
					sp->ingress[c].alpha = random_below(2 * FCN_ALPHA_ONE);
					sp->ingress[c].xon_below = random_below(3000);
				}
			}
			sp->pause.taken |= c < 6 && one_in(3) ? 1u << c : 0;
			q->account.reserve = buffer ? random_below(5000) : 0;
			q->account.alpha = random_below(4 * FCN_ALPHA_ONE);
			q->contributors = one_in(3);
			q->careful = buffer || q->contributors;
			q->limit_bytes = 2000 + random_below(100000);
			q->notify = one_in(2);
			q->detector.enter = random_below(20000);
		}
		sp->pause_on = (sp->pause.given | sp->pause.taken) != 0;
		sp->pause.action = random_below(3);
		sp->pause.detect_ns = 1 + random_below(20000);
		sp->pause.restore_ns = 1 + random_below(60000);
	}
	bench_new_snapshot();
}

static void
traffic(void)
{
	for (uint16_t p = 0; p < PORTS; p++) {
		unsigned int n = random_below(12);
		struct frame f;

		if (bench.worker->port[p].egress == NULL)
			continue;
		for (unsigned int i = 0; i < n; i++) {
			frame_roce6(&f, random_below(9), random_below(PORTS), 2,
					random_below(1300));
			frame_class(&f, random_below(8), random_below(4));
			frame_to_port(&f, p, 1);
			bench_in(p, &f);
		}
		if (one_in(6)) {
			frame_pfc(&f, random_below(256), one_in(3) ? 0 : random_below(700));
			bench_in(p, &f);
		}
		bench.port[p].accept = one_in(3) ? 0 : random_below(6);
	}
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
		slots[c] = 16u << random_below(5);
	assert_int_equal(fcn_worker_port_add(
					 bench.worker, p, &bench_gate_ops, &bench.port[p], slots),
			0);
	/* control publishes a snapshot with it at once */
	bench_new_snapshot();
}

static void
come_and_go(void)
{
	uint16_t p = random_below(PORTS);

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
		assert_int_equal(wp->pause.xoff | wp->pause.told | wp->pause.pending, 0);
		assert_int_equal(wp->egress->held | wp->egress->dropping, 0);
		assert_int_equal(wp->egress->congested, 0);
	}
	assert_int_equal(bench.worker->buffer.shared_used, 0);
	assert_int_equal(bench.worker->buffer.headroom_used, 0);
	assert_true(fcn_worker_next_event(bench.worker, bench.worker->now) == FCN_TIME_NEVER);
}

static void
test_random(void **state)
{
	static const enum fcn_drop_reason met[] = {FCN_DROP_BUFFER, FCN_DROP_QUEUE_BYTES,
			FCN_DROP_LOSSLESS_HEADROOM, FCN_DROP_PAUSE_STORM, FCN_DROP_PORT_GONE};
	uint64_t seen[RTE_DIM(met)] = {0}, now = 1000;

	RTE_SET_USED(state);
	for (uint16_t p = 0; p < PORTS; p++)
		bench_notices(p, 1000);
	for (unsigned int round = 0; round < 12; round++) {
		for (unsigned int turn = 0; turn < 400; turn++) {
			if (one_in(30))
				reconfigure();
			if (one_in(40))
				come_and_go();
			traffic();
			now += random_below(3000);
			bench_poll(now);
		}
		for (size_t i = 0; i < RTE_DIM(met); i++)
			seen[i] += bench_drops(met[i]);
		drain(now + 1000000);
		now += 100000000;
		assert_nothing_left();
	}
	for (size_t i = 0; i < RTE_DIM(met); i++)
		assert_true(seen[i] > 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, bench_teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
			TEST(test_random),
	};

	return cmocka_run_group_tests_name(
			"accounts", tests, fcn_test_eal_init, fcn_test_eal_cleanup);
}
