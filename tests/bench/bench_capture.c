/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Cycles that a worker needs to capture and to send a packet, the driver that sends it included, in
 * three ways. "copy" is that of the switch: the worker copies the packet into the ring of the
 * captures (lib/dataplane/watch/fcn_capture.h). The others are alternatives: the worker puts a
 * record with a clone of the packet into the ring, which the reader either frees itself ("clone")
 * or returns to the worker ("clone, returned"). What the reader does is not measured. In the second
 * way, it frees the clones in a thread that is none of the EAL's, so the worker gets its mbufs from
 * the pool and not from its cache. The ways take turns. One line of JSON for each.
 */

#include <err.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include <rte_cycles.h>
#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_mbuf.h>

#include "chunks.h"
#include "egress_options.h"
#include "fcn_worker.h"

#define DATA_ROOM (RTE_PKTMBUF_HEADROOM + 2048) /* as in the switch */
#define POOL 65535
#define CACHE 256
#define BURST 32
#define UNITS (256 * 1024) /* of the ring: 16 MiB, as in the switch */
#define LAG 1024           /* packets that the reader is behind */
#define ROUNDS 10

static const uint32_t lens[] = {64, 128, 256, 512, 1024, 1500, 2048, 4096, 9000};

static struct rte_mempool *pool;
static struct fcn_worker *worker;
static struct fcn_capture_reader reader;
static struct rte_mbuf *packet[BURST]; /* to send */
static struct fcn_queue_entry entry[BURST];
static struct rte_mbuf *made[BURST];   /* clones of the last burst */
static struct rte_mbuf *returned[LAG]; /* clones that the worker frees, the oldest next */
static unsigned int next_returned;

static void
capture_copies(void)
{
	fcn_capture_tx(worker, 0, entry, BURST, FCN_CAPTURE_NOTICE);
	fcn_capture_tx_done(worker, BURST);
}

/* @return number of packets that the reader has not read */
static unsigned int
read_copies(unsigned int waiting)
{
	struct fcn_capture_octets octets;

	for (; waiting > LAG; waiting--) {
		if (fcn_capture_peek(&reader, &octets) == NULL)
			errx(1, "a packet was not captured");
		fcn_capture_next(&reader);
	}
	fcn_capture_release(&reader);
	return waiting;
}

/* A record that holds a clone in place of the octets that follow a record. */
struct clone_record {
	struct fcn_capture_record seen;
	struct rte_mbuf *clone;
	uint8_t pad[FCN_CAPTURE_UNIT - sizeof(struct rte_mbuf *)];
};

static void
capture_clones(void)
{
	struct clone_record record = {.seen = {.point = FCN_CAPTURE_TX}};

	for (unsigned int i = 0; i < BURST; i++) {
		record.seen.time_ns = worker->epoch_ns + worker->now;
		record.seen.len = record.seen.caplen = entry[i].mbuf->pkt_len;
		record.clone = made[i] = rte_pktmbuf_clone(entry[i].mbuf, pool);
		if (record.clone == NULL ||
				rte_ring_sp_enqueue_bulk_elem(worker->capture.ring, &record,
						FCN_CAPTURE_UNIT, 2, NULL) != 2)
			errx(1, "a packet was not captured");
	}
}

/* A thread that is none of the EAL's has no cache, so what it frees goes to the pool. */
static void *
free_clones(void *arg)
{
	unsigned int *waiting = arg;
	struct clone_record record;

	for (; *waiting > LAG; (*waiting)--) {
		if (rte_ring_sc_dequeue_bulk_elem(
				    worker->capture.ring, &record, FCN_CAPTURE_UNIT, 2, NULL) != 2)
			errx(1, "a packet was not captured");
		rte_pktmbuf_free(record.clone);
	}
	return NULL;
}

/* The reader has read, and returned, as many clones as the worker makes. The worker frees them. */
static void
capture_and_free_clones(void)
{
	struct rte_mbuf **oldest = &returned[next_returned];

	capture_clones();
	rte_pktmbuf_free_bulk(oldest, BURST);
	memcpy(oldest, made, sizeof(made));
	next_returned = (next_returned + BURST) % LAG;
}

static unsigned int
read_records(unsigned int waiting)
{
	struct clone_record record;

	for (; waiting > LAG; waiting--) {
		if (rte_ring_sc_dequeue_bulk_elem(
				    worker->capture.ring, &record, FCN_CAPTURE_UNIT, 2, NULL) != 2)
			errx(1, "a packet was not captured");
	}
	return waiting;
}

static unsigned int
read_clones(unsigned int waiting)
{
	pthread_t thread;

	if (waiting < 2 * LAG)
		return waiting;
	if (pthread_create(&thread, NULL, free_clones, &waiting) != 0)
		errx(1, "no thread");
	pthread_join(thread, NULL);
	return waiting;
}

struct way {
	const char *name;
	void (*capture)(void);
	unsigned int (*drain)(unsigned int);
};

static const struct way ways[] = {
		{"copy", capture_copies, read_copies},
		{"clone", capture_clones, read_clones},
		{"clone, returned", capture_and_free_clones, read_records},
};

/* The packets are received before the time begins. @return cycles of each */
static double
measure(const struct way *way, struct bench_egress *egress, uint32_t len)
{
	uint64_t start, cycles;

	bench_packets(pool, len, packet, BURST);
	for (unsigned int i = 0; i < BURST; i++)
		entry[i] = (struct fcn_queue_entry){.mbuf = packet[i]};
	start = rte_rdtsc();
	way->capture();
	bench_egress_send(egress, 0, packet, BURST);
	if (egress->loops)
		bench_egress_drain(egress);
	cycles = rte_rdtsc() - start - egress->apart;
	egress->apart = 0;
	bench_egress_drain(egress);
	return (double)cycles / BURST;
}

/* Free the clones that are still in the ring. */
static void
free_rest(unsigned int waiting)
{
	struct clone_record record;

	for (; waiting > 0; waiting--) {
		if (rte_ring_sc_dequeue_bulk_elem(
				    worker->capture.ring, &record, FCN_CAPTURE_UNIT, 2, NULL) != 2)
			errx(1, "a packet was not captured");
		rte_pktmbuf_free(record.clone);
	}
}

/* A round of one way. @return its median */
static double
run_round(const struct way *way, struct bench_egress *egress, uint32_t len, unsigned int bursts)
{
	const unsigned int warm_up = 2 * LAG / BURST;
	struct bench_chunks cycles = {0};
	unsigned int waiting = 0;
	double median;

	worker->capture.ring = fcn_capture_ring_create("captured", UNITS, SOCKET_ID_ANY);
	if (worker->capture.ring == NULL)
		errx(1, "ring: %s", rte_strerror(rte_errno));
	reader = (struct fcn_capture_reader){.ring = worker->capture.ring};
	for (unsigned int i = 0; i < warm_up + bursts; i++) {
		double each = measure(way, egress, len);

		if (i >= warm_up)
			bench_chunks_add(&cycles, each);
		waiting = way->drain(waiting + BURST);
	}
	if (way->capture == capture_clones)
		free_rest(waiting);
	rte_pktmbuf_free_bulk(returned, LAG);
	memset(returned, 0, sizeof(returned));
	next_returned = 0;
	rte_ring_free(worker->capture.ring);
	median = bench_chunks_quantile(&cycles, 0.5);
	bench_chunks_free(&cycles);
	return median;
}

static void
run(struct bench_egress *egress, uint32_t len, unsigned int bursts)
{
	struct bench_chunks medians[RTE_DIM(ways)] = {0};
	const uint64_t wanted = (uint64_t)ROUNDS * RTE_DIM(ways) * (2 * LAG + bursts * BURST);
	uint64_t sent = bench_egress_sent(egress);

	for (unsigned int round = 0; round < ROUNDS; round++) {
		for (unsigned int k = 0; k < RTE_DIM(ways); k++)
			bench_chunks_add(&medians[k], run_round(&ways[k], egress, len, bursts));
	}
	sent = bench_egress_sent(egress) - sent;
	for (unsigned int k = 0; k < RTE_DIM(ways); k++) {
		printf("{\"bench\": \"captured\", \"variant\": \"%s\", \"queued\": false, "
		       "\"bytes\": %u, \"driver\": \"%s\", \"lost\": %" PRIu64 ", "
		       "\"least\": %.1f, \"median\": %.1f, \"most\": %.1f}\n",
				ways[k].name, len, egress->driver,
				wanted > sent ? wanted - sent : 0,
				bench_chunks_quantile(&medians[k], 0),
				bench_chunks_quantile(&medians[k], 0.5),
				bench_chunks_quantile(&medians[k], 1));
		bench_chunks_free(&medians[k]);
	}
}

int
main(int argc, char **argv)
{
	const struct fcn_capture_tap tap = {.ports = {[FCN_CAPTURE_TX] = fcn_port_set_of(0)},
			.snaplen = FCN_CAPTURE_SNAPLEN};
	struct bench_egress_options options;
	struct bench_egress egress = {0};
	int used = rte_eal_init(argc, argv);

	if (used < 0)
		errx(1, "EAL: %s", rte_strerror(rte_errno));
	pool = rte_pktmbuf_pool_create("capture", POOL, CACHE, 0, DATA_ROOM, SOCKET_ID_ANY);
	worker = calloc(1, sizeof(*worker));
	if (pool == NULL || worker == NULL)
		errx(1, "pool: %s", rte_strerror(rte_errno));
	bench_egress_options_read(argc - used, argv + used, pool, &egress, &options);
	egress.used = 1;
	fcn_capture_open(worker, 0, &tap);
	for (unsigned int i = 0; i < RTE_DIM(lens) && bench_egress_wants(&options, "captured");
			i++) {
		if (lens[i] <= options.longest)
			run(&egress, lens[i], options.bursts);
	}
	bench_egress_close(&egress);
	free(worker);
	rte_mempool_free(pool);
	rte_eal_cleanup();
	return 0;
}
