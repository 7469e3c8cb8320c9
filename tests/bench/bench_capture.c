/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Cycles that a worker needs to capture a packet that it sends, in three ways. "copy" is that of
 * the switch: the worker copies the packet into the ring of the captures
 * (lib/dataplane/fcn_capture.h). The others are alternatives: the worker puts a record with a clone
 * of the packet into the ring, which the reader either frees itself ("clone") or returns to the
 * worker ("clone, returned"). What the reader does is not measured. In the second way, it frees the
 * clones in a thread that is none of the EAL's, so the worker gets its mbufs from the pool and not
 * from its cache. One line of JSON each.
 */

#include <err.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include <rte_cycles.h>
#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_mbuf.h>

#include "chunks.h"
#include "fcn_worker.h"

#define DATA_ROOM (RTE_PKTMBUF_HEADROOM + 2048) /* as in the switch */
#define POOL 65535
#define CACHE 256
#define BURST 32
#define UNITS (256 * 1024) /* of the ring: 16 MiB, as in the switch */
#define LAG 4096           /* packets that the reader is behind */
#define PACKETS 1000000    /* measured of each, in bursts */

static const uint32_t lens[] = {78, 256, 512, 1024, 1500, 2048, 4096, 9000};

static struct rte_mempool *pool;
static struct fcn_worker *worker;
static struct fcn_capture_reader reader;
static struct fcn_queue_entry entry[BURST];
static struct rte_mbuf *made[BURST];   /* clones of the last burst */
static struct rte_mbuf *returned[LAG]; /* clones that the worker frees, the oldest next */
static unsigned int next_returned;

static void
make_packets(uint32_t len)
{
	for (unsigned int i = 0; i < BURST; i++) {
		struct rte_mbuf *m = NULL;

		for (uint32_t left = len; left > 0; left -= RTE_MIN(left, 2048u)) {
			struct rte_mbuf *seg = rte_pktmbuf_alloc(pool);
			uint32_t n = RTE_MIN(left, 2048u);

			if (seg == NULL)
				errx(1, "no buffers");
			memset(rte_pktmbuf_append(seg, n), (int)i, n);
			if (m == NULL)
				m = seg;
			else if (rte_pktmbuf_chain(m, seg) != 0)
				errx(1, "too many segments");
		}
		entry[i] = (struct fcn_queue_entry){.mbuf = m};
	}
}

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

static void
run(const char *name, uint32_t len, void (*capture)(void), unsigned int (*drain)(unsigned int))
{
	struct bench_chunks cycles = {0};
	struct clone_record record;
	unsigned int waiting = 0;

	make_packets(len);
	worker->capture.ring = fcn_capture_ring_create(name, UNITS, SOCKET_ID_ANY);
	if (worker->capture.ring == NULL)
		errx(1, "ring: %s", rte_strerror(rte_errno));
	reader = (struct fcn_capture_reader){.ring = worker->capture.ring};
	for (unsigned int i = 0; i < PACKETS / BURST; i++) {
		uint64_t start = rte_rdtsc();

		capture();
		if (i >= PACKETS / BURST / 10) /* once the ring has been written to once */
			bench_chunks_add(&cycles, (double)(rte_rdtsc() - start) / BURST);
		waiting = drain(waiting + BURST);
	}
	for (; capture == capture_clones && waiting > 0; waiting--) {
		if (rte_ring_sc_dequeue_bulk_elem(
				    worker->capture.ring, &record, FCN_CAPTURE_UNIT, 2, NULL) != 2)
			errx(1, "a packet was not captured");
		rte_pktmbuf_free(record.clone);
	}
	rte_pktmbuf_free_bulk(returned, LAG);
	memset(returned, 0, sizeof(returned));
	rte_ring_free(worker->capture.ring);
	for (unsigned int i = 0; i < BURST; i++)
		rte_pktmbuf_free(entry[i].mbuf);
	printf("{\"bench\": \"captured\", \"variant\": \"%s\", \"bytes\": %u, \"p10\": %.1f, "
	       "\"median\": %.1f, \"p90\": %.1f}\n",
			name, len, bench_chunks_quantile(&cycles, 0.1),
			bench_chunks_quantile(&cycles, 0.5), bench_chunks_quantile(&cycles, 0.9));
	bench_chunks_free(&cycles);
}

int
main(int argc, char **argv)
{
	const struct fcn_capture_tap tap = {
			.ports = {[FCN_CAPTURE_TX] = 1}, .snaplen = FCN_CAPTURE_SNAPLEN};

	if (rte_eal_init(argc, argv) < 0)
		errx(1, "EAL: %s", rte_strerror(rte_errno));
	pool = rte_pktmbuf_pool_create("capture", POOL, CACHE, 0, DATA_ROOM, SOCKET_ID_ANY);
	worker = calloc(1, sizeof(*worker));
	if (pool == NULL || worker == NULL)
		errx(1, "pool: %s", rte_strerror(rte_errno));
	fcn_capture_open(worker, 0, &tap);
	for (unsigned int i = 0; i < RTE_DIM(lens); i++) {
		run("copy", lens[i], capture_copies, read_copies);
		run("clone", lens[i], capture_clones, read_clones);
		run("clone, returned", lens[i], capture_and_free_clones, read_records);
	}
	if (rte_mempool_in_use_count(pool) != 0)
		errx(1, "%u buffers are missing", rte_mempool_in_use_count(pool));
	free(worker);
	rte_mempool_free(pool);
	rte_eal_cleanup();
	return 0;
}
