/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Packets a second of one worker, and of two at the same time, each with two net_ring ports of its
 * own: what workers share would slow both. One line of JSON each.
 */

#include <err.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include <rte_cycles.h>
#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_ethdev.h>
#include <rte_launch.h>
#include <rte_lcore.h>
#include <rte_pause.h>

#include "chunks.h"
#include "config.h"
#include "rig.h"

#define WORKERS 2
#define CHUNKS 1000
#define WARM_UP 50
#define MBUFS 8191
#define MBUF_CACHE 256
#define MAC_ENTRIES 1024
#define FLOW_SETS 16384
#define DEST_SETS 1024
#define DESTINATIONS 65536
#define SLACK_NS 100000

struct thread {
	struct bench_rig *rig;
	unsigned int number;
	bool wanted; /* to measure */
	bool quit;
	uint64_t dropped;
	struct bench_chunks cycles; /* of a packet */
};

/* Workers that measure begin together, and go on until the last of them has all its chunks, so that
 * no chunk is one of a worker alone. */
static unsigned int n_ready, n_done, n_all;

static uint64_t
received(const struct fcn_worker *w, unsigned int number)
{
	uint64_t sum = 0;

	for (unsigned int p = 0; p < BENCH_PORTS; p++)
		sum += w->counters[BENCH_PORTS * number + p].rx_packets;
	return sum;
}

static double
one_chunk(const struct thread *t, struct fcn_worker *w, uint64_t chunk)
{
	uint64_t before, start, tsc;

	for (unsigned int p = 0; p < BENCH_PORTS; p++)
		bench_ring_refresh(t->rig->device[BENCH_PORTS * t->number + p]);
	before = received(w, t->number);
	start = tsc = rte_rdtsc();
	do {
		fcn_poll_once(w, bench_rig_ns(t->rig, tsc));
		tsc = rte_rdtsc();
	} while (tsc - start < chunk);
	return (double)(tsc - start) / (double)(received(w, t->number) - before);
}

static void
measure(struct thread *t, struct fcn_worker *w)
{
	const uint64_t chunk = rte_get_tsc_hz() / 1000000 * BENCH_CHUNK_US;
	struct fcn_conservation before = {0}, after = {0};
	unsigned int n = 0;

	fcn_worker_conservation(w, &before);
	__atomic_add_fetch(&n_ready, 1, __ATOMIC_ACQ_REL);
	while (__atomic_load_n(&n_ready, __ATOMIC_ACQUIRE) < n_all)
		rte_pause();
	while (__atomic_load_n(&n_done, __ATOMIC_ACQUIRE) < n_all) {
		double cycles = one_chunk(t, w, chunk);

		if (n >= WARM_UP && n < WARM_UP + CHUNKS)
			bench_chunks_add(&t->cycles, cycles);
		if (++n == WARM_UP + CHUNKS)
			__atomic_add_fetch(&n_done, 1, __ATOMIC_ACQ_REL);
	}
	fcn_worker_conservation(w, &after);
	t->dropped = after.dropped - before.dropped;
}

/* Idle turns take over what the control has changed. */
static int
worker_main(void *arg)
{
	struct thread *t = arg;
	struct fcn_worker *w = fcn_control_worker(t->rig->ctl, t->number);
	struct rte_rcu_qsbr *qsbr = fcn_control_qsbr(t->rig->ctl);

	rte_rcu_qsbr_thread_register(qsbr, w->id);
	rte_rcu_qsbr_thread_online(qsbr, w->id);
	while (!__atomic_load_n(&t->quit, __ATOMIC_ACQUIRE)) {
		fcn_poll_idle(w, bench_rig_ns(t->rig, rte_rdtsc()));
		if (!__atomic_load_n(&t->wanted, __ATOMIC_ACQUIRE)) {
			usleep(100);
			continue;
		}
		measure(t, w);
		__atomic_store_n(&t->wanted, false, __ATOMIC_RELEASE);
	}
	rte_rcu_qsbr_thread_offline(qsbr, w->id);
	rte_rcu_qsbr_thread_unregister(qsbr, w->id);
	return 0;
}

/* Packets a second of the workers of a set, together. */
static double
run(struct thread *threads, unsigned int set)
{
	double rate = 0;

	n_ready = n_done = 0;
	n_all = (unsigned int)__builtin_popcount(set);
	for (unsigned int i = 0; i < WORKERS; i++)
		__atomic_store_n(&threads[i].wanted, (set & 1u << i) != 0, __ATOMIC_RELEASE);
	for (unsigned int i = 0; i < WORKERS; i++) {
		while (__atomic_load_n(&threads[i].wanted, __ATOMIC_ACQUIRE))
			usleep(1000);
		if (!(set & 1u << i))
			continue;
		if (threads[i].dropped != 0)
			errx(1, "worker %u dropped %" PRIu64 " packets", i, threads[i].dropped);
		rate += (double)rte_get_tsc_hz() / bench_chunks_quantile(&threads[i].cycles, 0.5);
		bench_chunks_free(&threads[i].cycles);
	}
	return rate;
}

static void
print(const char *variant, double rate)
{
	printf("{\"bench\": \"workers\", \"variant\": \"%s\", \"rate\": %.0f}\n", variant, rate);
}

static void
create(struct bench_rig *rig, struct fcn_platform *platform, struct thread *threads,
		const unsigned int *lcores)
{
	const struct bench_variant variant = {.name = "step", .detector = FCN_DETECTOR_STEP};
	struct fcn_control_conf conf = {
			.name = "bench",
			.platform = platform,
			.n_workers = WORKERS,
			.threaded = true,
			.mac_entries = MAC_ENTRIES,
			.flow_sets = FLOW_SETS,
			.dest_sets = DEST_SETS,
			.destinations = DESTINATIONS,
	};
	char why[256];

	rig->pool = rte_pktmbuf_pool_create(
			"packets", MBUFS, MBUF_CACHE, 0, FCN_DATA_ROOM, (int)rte_socket_id());
	if (rig->pool == NULL)
		errx(1, "packet buffers: %s", rte_strerror(rte_errno));
	conf.socket = (int)rte_socket_id();
	conf.pool = rig->pool;
	for (unsigned int i = 0; i < WORKERS; i++) {
		conf.worker[i].lcore = lcores[i];
		conf.worker[i].socket = conf.socket;
		conf.worker[i].pool = rig->pool;
	}
	rig->ctl = fcn_control_create(&conf, why, sizeof(why));
	if (rig->ctl == NULL)
		errx(1, "%s", why);
	for (unsigned int i = 0; i < WORKERS; i++) {
		threads[i] = (struct thread){.rig = rig, .number = i};
		if (rte_eal_remote_launch(worker_main, &threads[i], lcores[i]) != 0)
			errx(1, "cannot start lcore %u", lcores[i]);
	}
	bench_rig_configure(rig, &variant);
	for (unsigned int p = 0; p < WORKERS * BENCH_PORTS; p++)
		bench_ring_fill(rig, p);
}

int
main(int argc, char **argv)
{
	struct bench_rig rig = {.setup = {.source = BENCH_RING,
						.workers = WORKERS,
						.traffic.circulating = true}};
	struct fcn_platform platform = {.name = "bench",
			.slack_ns = SLACK_NS,
			.port_open = bench_port_open,
			.port_close = bench_port_close,
			.arg = &rig};
	unsigned int lcores[WORKERS], n = 0, lcore;
	struct thread threads[WORKERS];
	double alone[WORKERS];

	if (rte_eal_init(argc, argv) < 0)
		errx(1, "EAL: %s", rte_strerror(rte_errno));
	if (rte_lcore_count() != 1 + WORKERS || rte_eth_dev_count_avail() < WORKERS * BENCH_PORTS)
		errx(2, "usage: %s --lcores 0@0,1@0,2@1 --vdev net_ring0 ... --vdev net_ring3",
				argv[0]);
	RTE_LCORE_FOREACH_WORKER (lcore)
		lcores[n++] = lcore;
	for (unsigned int p = 0; p < WORKERS * BENCH_PORTS; p++)
		rig.device[p] = p;
	rig.tsc_start = rte_rdtsc();
	rig.tsc_mult = (uint64_t)(((unsigned __int128)1000000000 << 32) / rte_get_tsc_hz());
	create(&rig, &platform, threads, lcores);
	for (unsigned int i = 0; i < WORKERS; i++)
		alone[i] = run(threads, 1u << i);
	print("one", (alone[0] + alone[1]) / 2);
	print("two", run(threads, (1u << WORKERS) - 1));
	for (unsigned int i = 0; i < WORKERS; i++)
		__atomic_store_n(&threads[i].quit, true, __ATOMIC_RELEASE);
	rte_eal_mp_wait_lcore();
	fcn_control_free(rig.ctl);
	rte_eal_cleanup();
	return 0;
}
