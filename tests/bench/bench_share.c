/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Packets a second that a port gets through one worker: alone, and beside a port whose packets go
 * from one local SID to the next as often as a packet may, without and with shares of ports in the
 * cycles of the worker (set worker cycle-share). And those of two ports with plain packets
 * together, which need no shares: what they cost. The ways take turns. One line of JSON.
 */

#include <err.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_cycles.h>
#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_lcore.h>
#include <rte_mbuf.h>

#include "chunks.h"
#include "config.h"
#include "rig.h"

#define ROUNDS 20
#define ROUND_MS 20
#define WARM_UP_MS 5
#define SLACK_NS 100000
#define LINK_BPS UINT64_C(100000000000)
#define SEGMENTS 8
#define PACKETS 64 /* of different flows */

/* The port whose packets are plain, and the one whose packets cost much. */
enum {
	PLAIN,
	DEAR
};

struct source {
	struct rte_mempool *pool;
	bool silent, plain;
	uint32_t len[2]; /* by struct source.plain */
	unsigned int next;
	uint8_t packet[2][PACKETS][256]; /* likewise */
};

static struct source sources[BENCH_PORTS];

enum way {
	ALONE,
	WITHOUT,
	WITH,
	PLAIN_WITHOUT,
	PLAIN_WITH,
	N_WAYS
};

static const char *const names[] = {"alone", "without", "with", "plain_without", "plain_with"};

/* What a job measures. */
struct run {
	uint64_t cycles;
	uint64_t received[BENCH_PORTS];
};

static uint16_t
receive(void *port, struct rte_mbuf **pkts, uint16_t n, uint64_t now)
{
	struct source *s = port;

	RTE_SET_USED(now);
	if (s->silent || rte_pktmbuf_alloc_bulk(s->pool, pkts, n) != 0)
		return 0;
	for (uint16_t i = 0; i < n; i++) {
		memcpy(rte_pktmbuf_mtod(pkts[i], void *), s->packet[s->plain][s->next++ % PACKETS],
				sizeof(s->packet[0][0]));
		pkts[i]->pkt_len = pkts[i]->data_len = s->len[s->plain];
	}
	return n;
}

static uint16_t
transmit(void *port, struct rte_mbuf **pkts, uint16_t n, uint64_t now)
{
	RTE_SET_USED(port);
	RTE_SET_USED(now);
	rte_pktmbuf_free_bulk(pkts, n);
	return n;
}

static uint64_t
link_bps(void *port)
{
	RTE_SET_USED(port);
	return LINK_BPS;
}

static const struct fcn_port_ops ops = {
		.kind = "source", .rx_burst = receive, .tx_burst = transmit, .link_bps = link_bps};

static int
port_open(void *arg, const struct fcn_config_port *port, uint16_t number,
		struct fcn_control_port *out, char *why, size_t why_size)
{
	struct bench_rig *rig = arg;

	RTE_SET_USED(number);
	RTE_SET_USED(why);
	RTE_SET_USED(why_size);
	out->ops = &ops;
	out->priv = &sources[atoi(port->device)];
	sources[atoi(port->device)].pool = rig->pool;
	out->info.mac = port->mac;
	out->info.link_bps = LINK_BPS;
	return 0;
}

static void
port_close(void *arg, struct fcn_control_port *open)
{
	RTE_SET_USED(arg);
	RTE_SET_USED(open);
}

/* A packet whose segments are all the same local SID. */
static uint32_t
put_ping_pong(uint8_t *frame)
{
	struct rte_ether_hdr *eth = (struct rte_ether_hdr *)(void *)frame;
	uint8_t *ip = frame + sizeof(*eth), *srh = ip + 40;
	const uint32_t len = 8 + 16 * SEGMENTS;

	eth->dst_addr = bench_router_mac;
	eth->src_addr = bench_host_mac(DEAR, 0);
	eth->ether_type = RTE_BE16(RTE_ETHER_TYPE_IPV6);
	ip[0] = 0x60;
	ip[5] = (uint8_t)len;
	ip[6] = IPPROTO_ROUTING;
	ip[7] = 255;
	bench_outer_source(DEAR, ip + 8);
	bench_sid_address(BENCH_SRV6_END, ip + 24);
	srh[0] = IPPROTO_NONE;
	srh[1] = 2 * SEGMENTS;
	srh[2] = 4;
	srh[3] = srh[4] = SEGMENTS - 1;
	for (unsigned int i = 0; i < SEGMENTS; i++)
		bench_sid_address(BENCH_SRV6_END, srh + 8 + 16 * i);
	return (uint32_t)sizeof(*eth) + 40 + len;
}

static void
fill_sources(const struct bench_setup *setup)
{
	const struct bench_traffic plain = {.ports = setup->traffic.ports};

	for (unsigned int i = 0; i < PACKETS; i++) {
		for (unsigned int p = 0; p < BENCH_PORTS; p++)
			sources[p].len[true] = bench_packet(
					&plain, p, i, sources[p].packet[true][i]);
		sources[DEAR].len[false] = put_ping_pong(sources[DEAR].packet[false][i]);
	}
}

static uint64_t
received(const struct fcn_worker *w, unsigned int port)
{
	return w->counters[port].rx_packets;
}

/* Run turns for some time. */
static void
turns(struct bench_rig *rig, struct fcn_worker *w, unsigned int ms)
{
	const uint64_t end = rte_rdtsc() + rte_get_tsc_hz() / 1000 * ms;
	uint64_t tsc = rte_rdtsc();

	while (tsc < end) {
		fcn_poll_once(w, bench_rig_ns(rig, tsc));
		tsc = rte_rdtsc();
	}
}

/* A job of the thread of the worker. */
static void
measure(struct bench_rig *rig, void *arg)
{
	struct fcn_worker *w = fcn_control_worker(rig->ctl, 0);
	struct run *r = arg;
	uint64_t begin;

	turns(rig, w, WARM_UP_MS);
	for (unsigned int p = 0; p < BENCH_PORTS; p++)
		r->received[p] = received(w, p);
	begin = rte_rdtsc();
	turns(rig, w, ROUND_MS);
	r->cycles = rte_rdtsc() - begin;
	for (unsigned int p = 0; p < BENCH_PORTS; p++)
		r->received[p] = received(w, p) - r->received[p];
}

static void
configure(struct bench_rig *rig, bool share)
{
	const struct bench_variant variant = {.name = "off"};
	struct fcn_config *cfg = bench_config(&rig->setup, &variant);
	char why[256];

	cfg->cycle_share = share;
	if (fcn_control_commit(rig->ctl, cfg, why, sizeof(why)) != 0)
		errx(1, "%s", why);
}

/* Get the packets a second of both ports. */
static double
together(struct bench_chunks rate[BENCH_PORTS])
{
	return bench_chunks_quantile(&rate[PLAIN], 0.5) + bench_chunks_quantile(&rate[DEAR], 0.5);
}

static void
print(struct bench_rig *rig, struct bench_chunks rate[N_WAYS][BENCH_PORTS])
{
	const double alone = bench_chunks_quantile(&rate[ALONE][PLAIN], 0.5);
	struct fcn_conservation sum;

	fcn_control_conservation(rig->ctl, &sum);
	printf("{\"bench\": \"share\"");
	for (unsigned int i = 0; i < N_WAYS; i++) {
		const double plain = bench_chunks_quantile(&rate[i][PLAIN], 0.5);

		printf(", \"%s\": {\"plain\": %.0f, \"dear\": %.0f, \"ratio\": %.3f}", names[i],
				plain, bench_chunks_quantile(&rate[i][DEAR], 0.5), plain / alone);
	}
	printf(", \"cost\": %.3f", 1 - together(rate[PLAIN_WITH]) / together(rate[PLAIN_WITHOUT]));
	printf(", \"balances\": %s}\n", fcn_conservation_holds(&sum) ? "true" : "false");
}

int
main(int argc, char **argv)
{
	struct bench_chunks rate[N_WAYS][BENCH_PORTS] = {0};
	struct fcn_platform platform = {.name = "bench",
			.slack_ns = SLACK_NS,
			.port_open = port_open,
			.port_close = port_close};
	struct bench_rig rig = {.setup = {.source = BENCH_HEADERS,
						.traffic = {.srv6 = BENCH_SRV6_END, .workers = 1}}};
	struct bench_thread thread;

	if (rte_eal_init(argc, argv) < 0)
		errx(1, "EAL: %s", rte_strerror(rte_errno));
	if (rte_lcore_count() != 2)
		errx(2, "two lcores are needed: -l 0,1");
	platform.arg = &rig;
	rig.tsc_start = rte_rdtsc();
	rig.tsc_mult = (uint64_t)(((unsigned __int128)1000000000 << 32) / rte_get_tsc_hz());
	fill_sources(&rig.setup);
	sources[PLAIN].plain = true;
	bench_rig_create_workers(&rig, &platform, 1);
	bench_thread_launch(&thread, &rig, 0, rig.lcores[0]);
	for (unsigned int round = 0; round < ROUNDS * N_WAYS; round++) {
		const enum way way = round % N_WAYS;
		struct run run;

		configure(&rig, way == WITH || way == PLAIN_WITH);
		sources[DEAR].silent = way == ALONE;
		sources[DEAR].plain = way == PLAIN_WITHOUT || way == PLAIN_WITH;
		bench_thread_start(&thread, measure, &run);
		bench_thread_wait(&thread);
		for (unsigned int p = 0; p < BENCH_PORTS; p++)
			bench_chunks_add(&rate[way][p], (double)run.received[p] *
									(double)rte_get_tsc_hz() /
									(double)run.cycles);
	}
	print(&rig, rate);
	bench_thread_end(&thread);
	rte_eal_mp_wait_lcore();
	fcn_control_free(rig.ctl);
	rte_eal_cleanup();
	return 0;
}
