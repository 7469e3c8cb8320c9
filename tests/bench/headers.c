/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <err.h>
#include <stdlib.h>
#include <string.h>

#include <rte_mbuf.h>

#include "headers.h"

#define LINK_BPS 100000000000
#define HOP_LIMIT 255
/* Of an IPv6 header in a frame: the octets of addresses that differ, bench_host_address(). */
#define HOP_LIMIT_AT (RTE_ETHER_HDR_LEN + 7)
#define SOURCE_AT (RTE_ETHER_HDR_LEN + 8 + 4)
#define DESTINATION_AT (RTE_ETHER_HDR_LEN + 24 + 4)

/* What is written for a flow. */
struct flow {
	uint8_t source[4];
	uint8_t destination[4];
};

struct port {
	struct rte_mempool *pool;
	uint32_t len; /* of the packets */
	unsigned int next;
	unsigned int n;
	struct flow flow[];
} __rte_cache_aligned;

void *
bench_headers_open(const struct bench_rig *rig, unsigned int port)
{
	const struct bench_traffic *traffic = &rig->setup.traffic;
	const unsigned int n = bench_flows(traffic);
	const size_t size = RTE_ALIGN_CEIL(
			sizeof(struct port) + n * sizeof(struct flow), RTE_CACHE_LINE_SIZE);
	struct port *p = aligned_alloc(RTE_CACHE_LINE_SIZE, size);

	if (p == NULL)
		errx(1, "out of memory");
	*p = (struct port){.pool = rig->pool, .len = bench_packet_len(traffic), .n = n};
	for (unsigned int f = 0; f < n; f++) {
		uint8_t packet[BENCH_PACKET_MAX];

		bench_packet(traffic, port, f, packet);
		memcpy(p->flow[f].source, packet + SOURCE_AT, sizeof(p->flow[f].source));
		memcpy(p->flow[f].destination, packet + DESTINATION_AT,
				sizeof(p->flow[f].destination));
	}
	return p;
}

void
bench_headers_close(void *port)
{
	free(port);
}

static void
fill(struct rte_mempool *pool, void *arg, void *obj, unsigned int i)
{
	const struct bench_rig *rig = arg;
	struct rte_mbuf *m = obj;

	RTE_SET_USED(pool);
	RTE_SET_USED(i);
	bench_packet(&rig->setup.traffic, 0, 0, (uint8_t *)m->buf_addr + RTE_PKTMBUF_HEADROOM);
}

void
bench_headers_fill(const struct bench_rig *rig)
{
	rte_mempool_obj_iter(rig->pool, fill, (void *)(uintptr_t)rig);
}

static uint16_t
receive(void *port, struct rte_mbuf **pkts, uint16_t n, uint64_t now)
{
	struct port *p = port;

	RTE_SET_USED(now);
	if (rte_pktmbuf_alloc_bulk(p->pool, pkts, n) != 0)
		return 0;
	for (uint16_t i = 0; i < n; i++) {
		uint8_t *packet = rte_pktmbuf_mtod(pkts[i], uint8_t *);
		const struct flow *f = &p->flow[p->next];

		p->next = p->next + 1 == p->n ? 0 : p->next + 1;
		packet[HOP_LIMIT_AT] = HOP_LIMIT;
		memcpy(packet + SOURCE_AT, f->source, sizeof(f->source));
		memcpy(packet + DESTINATION_AT, f->destination, sizeof(f->destination));
		pkts[i]->pkt_len = pkts[i]->data_len = p->len;
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

const struct fcn_port_ops bench_headers_ops = {
		.kind = "headers", .rx_burst = receive, .tx_burst = transmit, .link_bps = link_bps};
