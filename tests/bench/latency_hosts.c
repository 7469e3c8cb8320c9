/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <err.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <rte_cycles.h>
#include <rte_ether.h>

#include "fcn_bth.h"
#include "fcn_random.h"
#include "latency_hosts.h"

#define ONE_IN 32  /* packets: one of them meets congestion */
#define GAPS 65536 /* random times between packets, a power of two */

#define FRAME_AT RTE_ETHER_HDR_LEN
#define SOURCE_AT (FRAME_AT + 8)
#define DESTINATION_AT (FRAME_AT + 24)
#define OPCODE_AT (FRAME_AT + 48) /* of RoCEv2 without extension headers */

static double gaps[GAPS]; /* exponentially distributed, of mean 1 */

static void
make_gaps(void)
{
	struct fcn_random random = {.state = 1};

	for (unsigned int i = 0; i < GAPS; i++)
		gaps[i] = -log(((double)(fcn_random64(&random) >> 11) + 1) / 0x1p53);
}

struct bench_hosts *
bench_hosts_create(const struct bench_traffic *traffic, unsigned int port, struct rte_mempool *pool)
{
	struct bench_hosts *h = calloc(1, sizeof(*h));

	if (h == NULL)
		errx(1, "out of memory");
	if (gaps[0] == 0)
		make_gaps();
	h->pool = pool;
	h->len = bench_packet_len(traffic);
	for (unsigned int flow = 0; flow < BENCH_HOSTS_FLOWS; flow++) {
		uint8_t packet[BENCH_PACKET_MAX];

		memcpy(h->packet[flow], packet, bench_packet(traffic, port, flow, packet));
		if (flow % ONE_IN != 0) { /* DSCP 0 */
			h->packet[flow][FRAME_AT] &= 0xF0;
			h->packet[flow][FRAME_AT + 1] &= 0x3F;
		}
	}
	return h;
}

void
bench_hosts_begin(struct bench_hosts *h, unsigned int port, double gap)
{
	h->gap = gap;
	h->due = rte_rdtsc();
	h->next_gap = port * (GAPS / BENCH_DEVICES);
	h->arrived = h->lost = h->told = h->answered = h->repeated = 0;
	memset(h->since, 0, sizeof(h->since));
	memset(h->histogram, 0, sizeof(h->histogram));
}

/* Write the packet of the next flow into a buffer. */
static void
write_packet(struct bench_hosts *h, struct rte_mbuf *m, uint64_t arrived)
{
	const unsigned int flow = h->next_flow;

	h->next_flow = (flow + 1) % BENCH_HOSTS_FLOWS;
	memcpy(rte_pktmbuf_mtod(m, uint8_t *), h->packet[flow], h->len);
	m->pkt_len = m->data_len = h->len;
	if (flow % ONE_IN != 0)
		return;
	h->told++;
	h->repeated += h->since[flow] != 0;
	h->since[flow] = arrived;
}

/* Let packets arrive until now. Those that find the ring full are lost. @return how many wait */
static unsigned int
waiting(struct bench_hosts *h, uint64_t now, uint64_t arrivals[BENCH_HOSTS_RING], unsigned int n)
{
	unsigned int found = 0;

	while (found < n && (h->gap == 0 || h->due <= now)) {
		arrivals[found++] = h->gap == 0 ? now : h->due;
		h->due += (uint64_t)(h->gap * gaps[h->next_gap++ % GAPS]) + 1;
	}
	/* A worker that was away finds what the ring holds. */
	if (h->gap != 0 && h->due + (uint64_t)(BENCH_HOSTS_RING * h->gap) < now) {
		h->lost += (uint64_t)((double)(now - h->due) / h->gap) - BENCH_HOSTS_RING;
		h->due = now - (uint64_t)(BENCH_HOSTS_RING * h->gap);
	}
	return found;
}

uint16_t
bench_hosts_packets(struct bench_hosts *h, struct rte_mbuf **pkts, uint16_t n)
{
	uint64_t arrivals[BENCH_HOSTS_RING];
	const unsigned int found = waiting(
			h, rte_rdtsc(), arrivals, RTE_MIN(n, (uint16_t)BENCH_HOSTS_RING));

	if (found == 0 || rte_pktmbuf_alloc_bulk(h->pool, pkts, found) != 0)
		return 0;
	for (unsigned int i = 0; i < found; i++)
		write_packet(h, pkts[i], arrivals[i]);
	h->arrived += found;
	return found;
}

/* Get the host of an address in a frame. */
static unsigned int
host_at(const uint8_t *frame, unsigned int at)
{
	return (frame[at + 6] << 8 | frame[at + 7]) % BENCH_HOSTS_FLOWS;
}

/* The packet of a host that meets congestion came at some time, and is answered now. */
static void
answer(struct bench_hosts *h, unsigned int host, uint64_t now)
{
	uint64_t ns;

	if (h->since[host] == 0)
		return;
	ns = (now - h->since[host]) * 1000000000 / rte_get_tsc_hz();
	h->since[host] = 0;
	h->answered++;
	h->histogram[RTE_MIN(ns / BENCH_HOSTS_BIN_NS, (uint64_t)BENCH_HOSTS_BINS - 1)]++;
}

void
bench_hosts_sent(struct bench_hosts *h, struct rte_mbuf *const *pkts, uint16_t n, uint64_t now)
{
	for (uint16_t i = 0; i < n; i++) {
		const unsigned int host = host_at(
				rte_pktmbuf_mtod(pkts[i], const uint8_t *), SOURCE_AT);

		if (h->since[host] != 0)
			h->since[host] = now;
	}
}

/* Notices are what comes from the loopback address of the switch, 2001:db8:ffff::1, and CNPs. */
static bool
is_notice(const uint8_t *frame)
{
	static const uint8_t loopback[6] = {0x20, 0x01, 0x0d, 0xb8, 0xff, 0xff};

	return memcmp(frame + SOURCE_AT, loopback, sizeof(loopback)) == 0 ||
	       frame[OPCODE_AT] == FCN_BTH_OPCODE_CNP;
}

void
bench_hosts_notified(struct bench_hosts *h, const uint8_t *frame, uint64_t now)
{
	if (is_notice(frame))
		answer(h, host_at(frame, DESTINATION_AT), now);
}

void
bench_hosts_seen(struct bench_hosts *h, const uint8_t *frame, uint64_t now)
{
	answer(h, host_at(frame, SOURCE_AT), now);
}

double
bench_hosts_quantile(struct bench_hosts *const *all, unsigned int n, double share)
{
	uint64_t seen = 0, answered = 0;

	for (unsigned int i = 0; i < n; i++)
		answered += all[i]->answered;
	for (unsigned int bin = 0; bin < BENCH_HOSTS_BINS; bin++) {
		for (unsigned int i = 0; i < n; i++)
			seen += all[i]->histogram[bin];
		if (seen != 0 && (double)seen >= share * (double)answered)
			return (bin + 1) * BENCH_HOSTS_BIN_NS;
	}
	return NAN;
}
