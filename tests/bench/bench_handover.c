/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Cycles that it takes to hand packets over from the worker that received them to the worker that
 * has their port: the sender's part, which puts them on the rings, and the receiver's, which takes
 * them from there and reads their length, as the queue does. First both workers take turns on one
 * lcore, so that all is in one cache; then, if there is a second one, each has an lcore. Then every
 * cache line goes from one core to the other, and what a line takes depends on the machine, so that
 * is measured as well. In "mixed" consecutive packets have different classes. One line of JSON
 * each.
 */

#include <err.h>
#include <stdio.h>
#include <stdlib.h>

#include <rte_cycles.h>
#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_launch.h>
#include <rte_lcore.h>
#include <rte_malloc.h>
#include <rte_mbuf.h>

#include "chunks.h"
#include "fcn_stages.h"
#include "fcn_worker_group.h"

#define POOL 32767
#define CACHE 512
#define CHUNK 64 /* bursts of a sample */
#define CHUNKS 2000
#define PORT 1 /* which the second worker has */

static struct rte_mempool *pool;
static struct fcn_worker *workers[2];
static struct fcn_snapshot snapshot = {.generation = 1}, *published = &snapshot;
static unsigned int burst_size;
static bool mixed;
static bool stop;

/* ---- a port that does nothing ---- */

static uint16_t
rx_none(void *queue, struct rte_mbuf **pkts, uint16_t n, uint64_t now)
{
	RTE_SET_USED(queue);
	RTE_SET_USED(pkts);
	RTE_SET_USED(n);
	RTE_SET_USED(now);
	return 0;
}

static const struct fcn_port_ops none = {.rx_burst = rx_none};

/* ---- the two workers ---- */

static void
create(void)
{
	struct fcn_worker_conf conf = {.socket = SOCKET_ID_ANY,
			.published = &published,
			.mac_entries = 64,
			.flow_sets = 64,
			.dest_sets = 64,
			.pool = pool};
	const struct fcn_placement place = {.owner = 1, .n_rx_queues = 1, .rx_worker = {1}};
	uint32_t slots[FCN_CLASSES];

	for (unsigned int i = 0; i < 2; i++) {
		conf.name = i == 0 ? "sender" : "receiver";
		conf.id = i;
		workers[i] = fcn_worker_create(&conf);
		if (workers[i] == NULL)
			errx(1, "worker: %s", rte_strerror(rte_errno));
	}
	for (unsigned int c = 0; c < FCN_CLASSES; c++)
		slots[c] = 64;
	if (fcn_worker_group_connect(workers, 2) != 0 ||
			fcn_worker_group_port_add(workers, 2, &place, PORT, &none, NULL, slots) !=
					0)
		errx(1, "no memory for the rings");
}

/* Packets as they leave the stage before the queues. */
static bool
fill(struct fcn_burst *b)
{
	if (rte_pktmbuf_alloc_bulk(pool, b->mbuf, burst_size) != 0)
		return false;
	b->n = burst_size;
	b->n_traced = 0;
	for (unsigned int i = 0; i < burst_size; i++) {
		b->pkt[i] = fcn_packet_fresh(0);
		b->pkt[i].out_port = PORT;
		b->pkt[i].class = mixed ? i % 2 : 0;
		b->mbuf[i]->pkt_len = b->mbuf[i]->data_len = 78;
	}
	return true;
}

static uint64_t
send_burst(struct fcn_burst *b)
{
	uint64_t start = rte_rdtsc();

	for (unsigned int i = 0; i < b->n;)
		i += fcn_cross_core_tx(workers[0], b, i);
	fcn_cross_core_flush(workers[0]);
	return rte_rdtsc() - start;
}

/* @param n added to: packets @return cycles */
static uint64_t
receive_burst(struct fcn_burst *b, uint64_t *n, uint64_t *bytes)
{
	uint64_t start = rte_rdtsc();

	fcn_stage_cross_core_rx(workers[1], b);
	for (unsigned int i = 0; i < b->n; i++)
		*bytes += b->mbuf[i]->pkt_len;
	*n += b->n;
	return rte_rdtsc() - start;
}

/* Drops of a full ring are freed as at the end of a turn. */
static void
free_dead(struct fcn_worker *w)
{
	rte_pktmbuf_free_bulk(w->dead, w->n_dead);
	w->n_dead = 0;
}

static void
print(const char *bench, const char *variant, struct bench_chunks *c)
{
	printf("{\"bench\": \"handover, %s\", \"source\": \"%u%s\", \"variant\": \"%s\", "
	       "\"p10\": %.2f, \"median\": %.2f, \"p90\": %.2f, \"chunks\": %zu}\n",
			bench, burst_size, mixed ? " mixed" : "", variant,
			bench_chunks_quantile(c, 0.1), bench_chunks_quantile(c, 0.5),
			bench_chunks_quantile(c, 0.9), c->n);
	bench_chunks_free(c);
}

/* ---- both on one lcore ---- */

static void
measure_one(void)
{
	struct fcn_burst *out = workers[0]->rx, *in = workers[1]->received_cross_core;
	struct bench_chunks tx = {0}, rx = {0};
	uint64_t bytes = 0;

	for (unsigned int chunk = 0; chunk < CHUNKS; chunk++) {
		uint64_t sent = 0, received = 0, n = 0;

		for (unsigned int k = 0; k < CHUNK; k++) {
			if (!fill(out))
				errx(1, "no buffers");
			sent += send_burst(out);
			received += receive_burst(in, &n, &bytes);
			rte_pktmbuf_free_bulk(in->mbuf, in->n);
		}
		if (n != CHUNK * burst_size)
			errx(1, "packets were lost");
		bench_chunks_add(&tx, (double)sent / n);
		bench_chunks_add(&rx, (double)received / n);
	}
	print("one lcore", "sender", &tx);
	print("one lcore", "receiver", &rx);
}

/* ---- each on an lcore ---- */

static int
receiver(void *arg)
{
	struct fcn_burst *in = workers[1]->received_cross_core;
	struct bench_chunks *rx = arg;
	uint64_t bytes = 0, n = 0, cycles = 0;

	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		uint64_t took = receive_burst(in, &n, &bytes);

		if (in->n == 0)
			continue;
		cycles += took;
		rte_pktmbuf_free_bulk(in->mbuf, in->n);
		if (n < CHUNK * burst_size)
			continue;
		bench_chunks_add(rx, (double)cycles / n);
		n = cycles = 0;
	}
	do { /* what is left */
		fcn_stage_cross_core_rx(workers[1], in);
		rte_pktmbuf_free_bulk(in->mbuf, in->n);
	} while (in->n != 0);
	return 0;
}

static void
measure_two(unsigned int lcore)
{
	struct fcn_burst *out = workers[0]->rx;
	struct bench_chunks tx = {0}, rx = {0};
	const uint64_t interval = 100 * burst_size; /* so that the receiver keeps up */
	uint64_t cycles = 0, due;

	stop = false;
	rte_eal_remote_launch(receiver, &rx, lcore);
	due = rte_rdtsc();
	for (unsigned int k = 0; k < CHUNK * CHUNKS;) {
		if (rte_rdtsc() < due)
			continue;
		due = rte_rdtsc() + interval;
		if (!fill(out))
			continue;
		cycles += send_burst(out);
		free_dead(workers[0]);
		if (++k % CHUNK != 0)
			continue;
		bench_chunks_add(&tx, (double)cycles / CHUNK / burst_size);
		cycles = 0;
	}
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	rte_eal_wait_lcore(lcore);
	print("two lcores", "sender", &tx);
	print("two lcores", "receiver", &rx);
}

/* ---- what a cache line takes to the other lcore and back ---- */

#define PASSES 20000

struct line {
	uint32_t n __rte_cache_aligned;
};

static struct line line;

static int
answer(void *arg)
{
	RTE_SET_USED(arg);
	for (uint32_t n = 1; n < 2 * PASSES; n += 2) {
		while (__atomic_load_n(&line.n, __ATOMIC_ACQUIRE) != n)
			;
		__atomic_store_n(&line.n, n + 1, __ATOMIC_RELEASE);
	}
	return 0;
}

static void
measure_line(unsigned int lcore)
{
	struct bench_chunks c = {0};

	rte_eal_remote_launch(answer, NULL, lcore);
	for (uint32_t n = 0; n < 2 * PASSES; n += 2) {
		uint64_t start = rte_rdtsc();

		__atomic_store_n(&line.n, n + 1, __ATOMIC_RELEASE);
		while (__atomic_load_n(&line.n, __ATOMIC_ACQUIRE) != n + 2)
			;
		bench_chunks_add(&c, (double)(rte_rdtsc() - start) / 2);
	}
	rte_eal_wait_lcore(lcore);
	print("two lcores", "cache line, one way", &c);
}

int
main(int argc, char **argv)
{
	static const unsigned int sizes[] = {8, 32, 128};
	unsigned int lcore;

	if (rte_eal_init(argc, argv) < 0)
		errx(1, "EAL: %s", rte_strerror(rte_errno));
	pool = rte_pktmbuf_pool_create("packets", POOL, CACHE, 0, FCN_DATA_ROOM, SOCKET_ID_ANY);
	if (pool == NULL)
		errx(1, "buffers: %s", rte_strerror(rte_errno));
	create();
	lcore = rte_get_next_lcore(-1, 1, 0);
	for (unsigned int i = 0; i < 2 * RTE_DIM(sizes); i++) {
		burst_size = sizes[i / 2];
		mixed = i % 2 != 0;
		measure_one();
		if (lcore < RTE_MAX_LCORE)
			measure_two(lcore);
	}
	if (lcore < RTE_MAX_LCORE)
		measure_line(lcore);
	fcn_worker_group_free(workers, 2);
	rte_eal_cleanup();
	return 0;
}
