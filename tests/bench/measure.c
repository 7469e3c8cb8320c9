/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <inttypes.h>
#include <stdio.h>

#include <rte_cycles.h>
#include <rte_ethdev.h>
#include <rte_mbuf.h>

#include "measure.h"

/* Chunks that only warm the caches, at least, and how often all flows have to come along in them.
 */
#define WARM_UP 4
#define WARM_UP_ROUNDS 2

static void
forward_bare(struct bench_rig *rig, struct bench_result *r)
{
	const unsigned int ports = bench_ports(&rig->setup.traffic);
	struct rte_mbuf *m[FCN_RX_BURST];

	for (unsigned int p = 0; p < ports; p++) {
		unsigned int to = rig->setup.traffic.circulating ? p : (p + 1) % ports;
		uint16_t n = rte_eth_rx_burst(rig->device[p], 0, m, FCN_RX_BURST), sent;

		if (n == 0)
			continue;
		sent = rte_eth_tx_burst(rig->device[to], 0, m, n);
		r->received += n;
		r->transmitted += sent;
		r->dropped += n - sent;
		rte_pktmbuf_free_bulk(m + sent, n - sent);
	}
}

static uint64_t
received(const struct bench_rig *rig)
{
	const struct fcn_worker *w = fcn_control_worker(rig->ctl, 0);
	uint64_t sum = 0;

	for (unsigned int p = 0; p < bench_ports(&rig->setup.traffic); p++)
		sum += w->counters[p].rx_packets;
	return sum;
}

/* Turns until the chunk is over. @return cycles per packet. */
static double
chunk_of_turns(struct bench_rig *rig, const struct bench_run *run, uint64_t chunk, uint64_t *now)
{
	struct fcn_worker *w = fcn_control_worker(rig->ctl, 0);
	uint64_t before = received(rig), start = rte_rdtsc(), tsc = start;

	do {
		*now = run->turn_ns != 0 ? *now + run->turn_ns : bench_rig_ns(rig, tsc);
		fcn_poll_once(w, *now);
		tsc = rte_rdtsc();
	} while (tsc - start < chunk);
	return (double)(tsc - start) / (received(rig) - before);
}

static double
chunk_bare(struct bench_rig *rig, struct bench_result *r, uint64_t chunk)
{
	uint64_t before = r->received, start = rte_rdtsc(), tsc;

	do {
		forward_bare(rig, r);
		tsc = rte_rdtsc();
	} while (tsc - start < chunk);
	return (double)(tsc - start) / (r->received - before);
}

static uint64_t
sent_by_srv6(const struct fcn_worker *w)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < FCN_SRV6_SIDS; i++)
		sum += w->srv6.sid[i].packets;
	for (unsigned int i = 0; i < FCN_SRV6_SEGMENT_LISTS; i++)
		sum += w->srv6.segments[i].packets;
	return sum;
}

/* PFC frames: a worker that cannot keep up may pause the senders of lossless classes. */
static uint64_t
pauses(const struct bench_rig *rig)
{
	const struct fcn_worker *w = fcn_control_worker(rig->ctl, 0);
	uint64_t sum = 0;

	for (unsigned int p = 0; p < bench_ports(&rig->setup.traffic); p++)
		sum += w->counters[p].pause_sent;
	return sum;
}

static void
add_conservation(const struct fcn_conservation *before, const struct fcn_conservation *after,
		struct bench_result *r)
{
	r->received += after->received - before->received;
	r->transmitted += after->transmitted - before->transmitted;
	r->dropped += after->dropped - before->dropped;
	r->notices += after->generated - before->generated;
}

static double
one_chunk(struct bench_rig *rig, const struct bench_run *run, uint64_t chunk, uint64_t *now)
{
	bench_rig_refresh(rig);
	return run->bare ? chunk_bare(rig, run->result, chunk)
			 : chunk_of_turns(rig, run, chunk, now);
}

static void
warm_up(struct bench_rig *rig, const struct bench_run *run, uint64_t chunk, uint64_t *now)
{
	const uint64_t packets = WARM_UP_ROUNDS * bench_ports(&rig->setup.traffic) *
				 (uint64_t)bench_flows(&rig->setup.traffic);
	const uint64_t bare = run->result->received;
	const uint64_t before = received(rig);

	for (unsigned int i = 0; i < WARM_UP ||
				 received(rig) - before + run->result->received - bare < packets;
			i++)
		one_chunk(rig, run, chunk, now);
}

void
bench_measure(struct bench_rig *rig, void *arg)
{
	const struct bench_run *run = arg;
	uint64_t chunk = rte_get_tsc_hz() / 1000000 * BENCH_CHUNK_US;
	struct fcn_conservation before = {0}, after = {0};
	const struct fcn_worker *w = fcn_control_worker(rig->ctl, 0);
	const uint64_t srv6 = sent_by_srv6(w), paused = pauses(rig);
	uint64_t now = RTE_MAX(bench_rig_ns(rig, rte_rdtsc()), w->now);

	fcn_worker_conservation(w, &before);
	warm_up(rig, run, chunk, &now);
	for (unsigned int i = 0; i < run->chunks; i++)
		bench_chunks_add(&run->result->cycles, one_chunk(rig, run, chunk, &now));
	fcn_worker_conservation(w, &after);
	run->result->srv6 += sent_by_srv6(w) - srv6;
	add_conservation(&before, &after, run->result);
	run->result->notices -= pauses(rig) - paused;
}

void
bench_result_print(
		const char *bench, const char *source, const char *variant, struct bench_result *r)
{
	printf("{\"bench\": \"%s\", \"source\": \"%s\", \"variant\": \"%s\", "
	       "\"p10\": %.2f, \"median\": %.2f, \"p90\": %.2f, \"chunks\": %zu, "
	       "\"hz\": %" PRIu64 ", \"received\": %" PRIu64 ", \"transmitted\": %" PRIu64
	       ", \"dropped\": %" PRIu64 ", \"notices\": %" PRIu64 "}\n",
			bench, source, variant, bench_chunks_quantile(&r->cycles, 0.1),
			bench_chunks_quantile(&r->cycles, 0.5),
			bench_chunks_quantile(&r->cycles, 0.9), r->cycles.n, rte_get_tsc_hz(),
			r->received, r->transmitted, r->dropped, r->notices);
}
