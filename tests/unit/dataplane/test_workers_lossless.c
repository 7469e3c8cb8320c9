/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Flow control over several workers, on one thread: pauses that another worker than the port's
 * received, and lossless classes on their way to other workers. Port p is worker p's; a second
 * receive queue of port 0, whose packets stand in the array of port 3, is worker 1's.
 */

#include <fcn_pfc.h>

#include "cross_core.h"
#include "lossless.h"
#include "fcn_worker_group.h"
#include "testbed.h"

#define N 3
#define LEN 500

static struct fcn_worker *workers[N];

static void *
rx_queue(void *port, uint16_t queue)
{
	return queue == 0 ? port : &bench.port[3];
}

static uint16_t
rx_queues(void *port)
{
	RTE_SET_USED(port);
	return 2;
}

static struct fcn_port_ops two_ops;

/* Bytes that stand on accounts, and those that have to. */
static void
check(void)
{
	struct fcn_conservation c = {0};
	uint64_t used = 0, back = 0, waiting = 0;

	for (unsigned int i = 0; i < N; i++) {
		fcn_worker_conservation(workers[i], &c);
		for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
			used += workers[i]->ingress[p][3].used;
			for (unsigned int k = 0; k < N - 1; k++) {
				const struct fcn_released *r = workers[i]->peer[k].released_rx;

				back += r->bytes[p][3] - r->seen[p][3];
			}
			if (workers[i]->port[p].egress != NULL)
				waiting += workers[i]->port[p].egress->queue[3].bytes;
		}
		for (unsigned int k = 0; k < workers[i]->n_peers; k++)
			waiting += LEN * fcn_cross_core_count(workers[i]->peer[k].cross_core_tx);
		waiting += LEN * workers[i]->held.n;
	}
	assert_true(fcn_conservation_holds(&c));
	if (bench.snap.port[0].lossless != 0) /* all that comes in by any port is, then */
		assert_int_equal(used, waiting + back);
}

static void
poll(unsigned int i, uint64_t now)
{
	fcn_poll_once(workers[i], now);
	check();
}

static void
place(uint16_t port, const struct fcn_port_ops *ops)
{
	struct fcn_placement place = {.owner = port, .n_rx_queues = 1, .rx_worker = {port}};
	uint32_t slots[FCN_CLASSES];

	if (ops->rx_queues != NULL) {
		place.n_rx_queues = 2;
		place.rx_worker[1] = 1;
	}
	for (unsigned int c = 0; c < FCN_CLASSES; c++)
		slots[c] = 4096;
	assert_int_equal(fcn_worker_group_port_add(
					 workers, N, &place, port, ops, &bench.port[port], slots),
			0);
}

static int
setup(void **state)
{
	struct fcn_worker_conf conf = {.socket = SOCKET_ID_ANY,
			.published = &bench.published,
			.mac_entries = 1024,
			.flow_sets = 1024,
			.dest_sets = 64,
			.events = 256};
	char name[16];

	bench_setup(state);
	two_ops = bench_gate_ops;
	two_ops.rx_queues = rx_queues;
	two_ops.rx_queue = rx_queue;
	for (uint16_t p = 0; p < 4; p++)
		fcn_worker_port_remove(bench.worker, p);
	conf.pool = bench.pool;
	for (unsigned int i = 0; i < N; i++) {
		snprintf(name, sizeof(name), "w%u", i);
		conf.name = name;
		conf.id = i;
		workers[i] = fcn_worker_create(&conf);
		assert_non_null(workers[i]);
	}
	assert_int_equal(fcn_worker_group_connect(workers, N), 0);
	place(0, &two_ops);
	place(1, &bench_gate_ops);
	place(2, &bench_gate_ops);
	for (unsigned int p = 0; p < 3; p++) {
		char prefix[32];

		bench.port[p].accept = UINT16_MAX;
		snprintf(prefix, sizeof(prefix), "2001:db8:%u::/48", p);
		bench_route(prefix, p + 4);
	}
	bench_routes_done();
	return 0;
}

static int
teardown(void **state)
{
	check();
	bench_forget_out();
	fcn_worker_group_free(workers, N);
	return bench_teardown(state);
}

TEST_FIXTURE(BENCH_LARGE_EAL, .setup = setup, .teardown = teardown);

/* A packet of class 3 by a queue: those of port 0 are 0 and 3. */
static void
arrive(uint16_t queue, uint16_t to, uint16_t n)
{
	uint16_t from = queue % 3;
	struct frame f;

	frame_roce6(&f, n, to, 9, LEN - 14 - 64);
	f.data[14 + 8 + 5] = from;
	f.data[14 + 8 + 14] = n >> 8;
	frame_to_port(&f, from, 1);
	bench_in(queue, &f);
}

static void
pfc(uint16_t queue, uint16_t quanta)
{
	struct frame f;

	frame_pfc(&f, 1 << 3, quanta);
	bench_in(queue, &f);
}

/* A pause that worker 1 received stops the class at worker 0, and counts from when it came. */
TEST(pause_cross_core)
{
	const uint64_t quantum = 512 * UINT64_C(1000000000) / BENCH_LINK_BPS; /* 51.2 ns */

	assert_int_equal(quantum, 51);
	bench_pfc_rx(0, 1 << 3);
	bench_new_snapshot();
	poll(0, 500);
	pfc(3, 1000); /* 51.2 us */
	poll(1, 1000);
	assert_int_equal(workers[1]->counters[0].consumed, 1);
	assert_int_equal(fcn_worker_next_event(workers[0], 1000), 1000);
	arrive(2, 0, 1);
	poll(2, 1500);
	poll(0, 2000);
	assert_int_equal(workers[0]->port[0].pause.until[3], 1000 + 51200);
	assert_int_equal(bench.port[0].n_out, 0);
	poll(0, 52199);
	assert_int_equal(bench.port[0].n_out, 0);
	poll(0, 52200);
	assert_int_equal(bench.port[0].n_out, 1);
	assert_int_equal(workers[0]->port[0].pause.stats[3].rx_pause_ns, 51200);
	/* Go on, behind another pause: in their order, together. */
	bench_forget_out();
	pfc(3, 1000);
	pfc(3, 0);
	arrive(2, 0, 2);
	poll(2, 60000);
	poll(1, 60000);
	poll(0, 60001);
	assert_int_equal(bench.port[0].n_out, 1);
	assert_int_equal(workers[0]->port[0].pause.stats[3].rx_xoff, 2);
	assert_int_equal(workers[0]->port[0].pause.stats[3].rx_xon, 1);
	/* The newest counts, and that is the one that the owner itself received. */
	pfc(3, 1000);
	poll(1, 70000);
	pfc(0, 10);
	poll(0, 70100);
	assert_int_equal(workers[0]->port[0].pause.until[3], 70100 + 512);
	poll(0, 80000);
	assert_int_equal(workers[0]->port[0].pause.stats[3].rx_pause_ns, 51200 + 612);
}

/* More pauses than wait for an owner that does not come: dropped by name, not in silence. */
TEST(pauses_full)
{
	bench_pfc_rx(0, 1 << 3);
	bench_new_snapshot();
	for (unsigned int i = 0; i < 100; i++)
		pfc(3, 1000);
	for (unsigned int i = 0; i < 4; i++)
		poll(1, 1000 + i);
	assert_int_equal(workers[1]->counters[0].consumed, FCN_CROSS_CORE_PAUSES);
	assert_int_equal(workers[1]->counters[0].drop[FCN_DROP_CROSS_CORE_FULL],
			100 - FCN_CROSS_CORE_PAUSES);
	poll(0, 2000);
	assert_int_equal(workers[0]->port[0].pause.stats[3].rx_xoff, FCN_CROSS_CORE_PAUSES);
}

/* The owner of port 1 does not come: what its ring has no room for waits, and the sender pauses. */
TEST(held_back)
{
	const unsigned int many = 900;
	struct fcn_worker *w = workers[0];

	bench_lossless(0, 3, 100 * LEN, 50 * LEN, 800 * LEN);
	bench_new_snapshot();
	for (unsigned int i = 0; i < many; i++)
		arrive(0, 1, i);
	for (unsigned int i = 0; i < many / FCN_RX_BURST + 2; i++)
		poll(0, 100 + i);
	assert_int_equal(w->held.n, many - fcn_cross_core_most(3, 0));
	assert_int_equal(w->ingress[0][3].used, many * LEN);
	assert_int_equal(w->ingress[0][3].headroom, (many - 100) * LEN);
	assert_int_equal(w->xoff[0], 1 << 3);
	assert_int_equal(w->counters[0].pause_sent, 1);
	/* One more is one too many: a loss of the class, told as such. */
	arrive(0, 1, 901);
	poll(0, 300);
	assert_int_equal(w->ingress[0][3].lost_packets, 1);
	assert_int_equal(w->counters[0].drop[FCN_DROP_LOSSLESS_HEADROOM], 1);
	bench_forget_out();
	for (unsigned int i = 0; i < 8; i++) {
		poll(1, 1000 + i);
		if (i == 0) /* there is room again, and bytes have left */
			assert_int_equal(fcn_worker_next_event(w, 1000), 1000);
		poll(0, 1000 + i);
	}
	assert_int_equal(bench.port[1].n_out, many);
	for (unsigned int i = 0; i < many; i++) {
		const uint8_t *sender = bench_out(1, i) + 14 + 8;

		assert_int_equal(sender[15], (uint8_t)i);
		assert_int_equal(sender[14], i >> 8);
	}
	assert_int_equal(w->ingress[0][3].used, 0);
	assert_int_equal(w->xoff[0], 0);
	assert_int_equal(w->held.n, 0);
}

/*
 * Ports with numbers around the end of a word of a set: what has left at the worker of port 1 is
 * reported for each of them.
 */
TEST(reported_by_port)
{
	static const uint16_t numbers[] = {63, 64, 128, 255};
	struct fcn_worker *w = workers[0];

	bench.snap.n_ports = FCN_MAX_PORTS;
	for (unsigned int i = 0; i < RTE_DIM(numbers); i++) {
		const uint16_t number = numbers[i];
		struct fcn_placement at_0 = {.owner = 0, .n_rx_queues = 1};
		uint32_t slots[FCN_CLASSES] = {[3] = 4096};

		bench.snap.port[number] = bench.snap.port[0];
		bench.snap.port[number].parent = number;
		bench.port[number].accept = UINT16_MAX;
		assert_int_equal(fcn_worker_group_port_add(workers, N, &at_0, number,
						 &bench_gate_ops, &bench.port[number], slots),
				0);
		bench_lossless(number, 3, 100 * LEN, 50 * LEN, 800 * LEN);
	}
	bench_lossless(0, 3, 100 * LEN, 50 * LEN, 800 * LEN);
	bench_new_snapshot();
	for (unsigned int i = 0; i < RTE_DIM(numbers); i++) {
		struct frame f;

		frame_roce6(&f, 1, 1, 9, LEN - 14 - 64);
		frame_to_port(&f, 0, 1); /* the address of all of them */
		for (unsigned int k = 0; k <= i; k++)
			bench_in(numbers[i], &f);
	}
	poll(0, 100);
	for (unsigned int i = 0; i < RTE_DIM(numbers); i++)
		assert_int_equal(w->ingress[numbers[i]][3].used, (i + 1) * LEN);
	poll(1, 200);
	assert_int_equal(bench.port[1].n_out, 1 + 2 + 3 + 4);
	assert_int_equal(fcn_worker_next_event(w, 200), 200);
	poll(0, 300);
	for (unsigned int i = 0; i < RTE_DIM(numbers); i++)
		assert_int_equal(w->ingress[numbers[i]][3].used, 0);
	assert_int_equal(w->ingress[0][3].used, 0);
	for (unsigned int i = 0; i < RTE_DIM(numbers); i++)
		fcn_worker_group_port_remove(workers, N, numbers[i]);
}

/*
 * Many are held back, and the ring has room for some of them only: what comes now has to wait
 * behind those that are held, although there is room for it in the ring.
 */
static void
check_none_overtakes(uint32_t xoff, uint32_t headroom)
{
	unsigned int in = 0, out = 0;

	bench_lossless(0, 3, xoff, 50 * LEN, headroom);
	bench_new_snapshot();
	for (unsigned int turn = 0; turn < 45; turn++) {
		arrive(0, 0, 1); /* one that need not wait is in front of those that have to */
		for (unsigned int i = 0; i < FCN_RX_BURST - 1; i++)
			arrive(0, 1, in++);
		poll(0, 100 + turn);
		bench_forget_out();
	}
	assert_true(workers[0]->held.n > 2 * FCN_BURST_MAX);
	for (unsigned int turn = 0; turn < 40; turn++) {
		/* It empties the ring, which has more room then than is moved to it in a turn. */
		for (unsigned int i = 0; i < 4 && turn % 2 == 0; i++)
			poll(1, 1000 + 10 * turn + i);
		arrive(0, 0, 1);
		for (unsigned int i = 0; i < 4 && turn < 20; i++)
			arrive(0, 1, in++);
		poll(0, 1005 + 10 * turn);
		for (unsigned int i = 0; i < bench.port[1].n_out; i++, out++) {
			const uint8_t *sender = bench_out(1, i) + 14 + 8;

			assert_int_equal(sender[14] << 8 | sender[15], out);
		}
		bench_forget_out();
	}
	assert_int_equal(out, in);
	assert_int_equal(workers[0]->ingress[0][3].used, 0);
}

TEST(none_overtakes)
{
	check_none_overtakes(100 * LEN, 1900 * LEN); /* the sender is paused */
	check_none_overtakes(1900 * LEN, 100 * LEN); /* it is not, as its account has room */
}

/* The port goes while packets are held back for it: they are dropped as that, and accounts end. */
TEST(port_gone)
{
	bench_lossless(0, 3, 100 * LEN, 50 * LEN, 900 * LEN);
	bench_new_snapshot();
	for (unsigned int i = 0; i < 900; i++)
		arrive(0, 1, i);
	for (unsigned int i = 0; i < 30; i++)
		poll(0, 100 + i);
	bench.port[1].accept = 0;
	assert_int_equal(workers[0]->held.n, 900 - fcn_cross_core_most(3, 0));
	fcn_worker_group_port_remove(workers, N, 1);
	check();
	poll(0, 201);
	assert_int_equal(workers[0]->ingress[0][3].used, 0);
	assert_int_equal(workers[0]->counters[0].drop[FCN_DROP_PORT_GONE] +
					 workers[1]->counters[0].drop[FCN_DROP_PORT_GONE] +
					 workers[1]->counters[1].drop[FCN_DROP_PORT_GONE],
			900);
	assert_int_equal(workers[0]->held.n, 0);
	place(1, &bench_gate_ops);
	poll(1, 300);
}

/*
 * Turns in any order, ports that take what they like: every byte stands on one
 * account, every loss is counted as one, and in the end all accounts are empty.
 */
TEST(any_order)
{
	uint64_t seed = 7, lost = 0, dropped = 0;

	bench_lossless(0, 3, 20 * LEN, 10 * LEN, 60 * LEN);
	bench_lossless(2, 3, 20 * LEN, 10 * LEN, 60 * LEN);
	bench_new_snapshot();
	for (uint64_t now = 1; now < 6000; now++) {
		static const uint16_t queues[] = {0, 2, 3};
		uint32_t r = fcn_test_random(&seed);

		for (unsigned int p = 0; p < 3; p++)
			bench.port[p].accept = now < 5000 ? r >> (4 * p) & 7 : UINT16_MAX;
		for (unsigned int n = r >> 20 & 15; now < 5000 && n > 0; n--) {
			uint16_t q = queues[fcn_test_random(&seed) % 3];

			if (bench.port[q].n_in - bench.port[q].next_in < 200)
				arrive(q, fcn_test_random(&seed) % 3, n);
		}
		if (now % 1000 < 300) /* worker 1 is away */
			poll(r & 1 ? 0 : 2, now);
		else
			poll(fcn_test_random(&seed) % N, now);
		bench_forget_out();
	}
	for (unsigned int i = 0; i < N; i++) {
		for (unsigned int p = 0; p < 3; p++) {
			const uint64_t *drop = workers[i]->counters[p].drop;

			assert_int_equal(workers[i]->ingress[p][3].used, 0);
			assert_int_equal(workers[i]->xoff[p], 0);
			lost += workers[i]->ingress[p][3].lost_packets;
			if (p != 1)
				dropped += drop[FCN_DROP_CROSS_CORE_FULL] +
					   drop[FCN_DROP_LOSSLESS_HEADROOM] +
					   drop[FCN_DROP_LOSSLESS_PACKETS];
		}
	}
	assert_int_equal(lost, dropped);
	assert_true(lost > 0);
}
