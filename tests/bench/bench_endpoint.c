/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Cycles of an endpoint for a data packet: sent by its scheduler, received, acknowledged; with one
 * queue pair and with thousands that share the line by their pacers. One line of JSON each.
 */

#include <err.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <rte_cycles.h>
#include <rte_eal.h>

#include "fcn_endpoint.h"

#define LINE_BPS UINT64_C(100000000000)
#define BURST 32
#define PACKETS (1u << 20)
#define CHUNK 4096 /* packets in a sample */
#define MESSAGE (UINT64_C(1) << 30)

static struct fcn_endpoint *
make(uint8_t last, uint32_t qps)
{
	struct fcn_endpoint_conf conf;
	struct fcn_endpoint *ep;

	fcn_endpoint_defaults(&conf, LINE_BPS);
	memcpy(conf.addr, (const uint8_t[16]){0x20, 1, 0xd, 0xb8, [15] = last}, 16);
	conf.mac = (struct rte_ether_addr){.addr_bytes = {2, 0, 0, 0, 0, last}};
	conf.max_qps = qps;
	conf.ack_every = 1;
	ep = fcn_endpoint_create(&conf);
	if (ep == NULL)
		errx(1, "no endpoint");
	return ep;
}

static void
join(struct fcn_endpoint *ep[2], uint32_t qps)
{
	for (uint32_t i = 0; i < qps; i++) {
		int qp[2] = {fcn_endpoint_qp_add(ep[0]), fcn_endpoint_qp_add(ep[1])};

		for (unsigned int side = 0; side < 2; side++) {
			struct fcn_endpoint_peer peer = {
					.addr = {0x20, 1, 0xd, 0xb8, [15] = (uint8_t)(2 - side)},
					.mac = {.addr_bytes = {2, 0, 0, 0, 0, (uint8_t)(2 - side)}},
					.qp = (uint32_t)qp[!side],
					.src_port = 0xC000,
					.p_key = 0xFFFF,
					.dscp = 26,
					.rate_bps = LINE_BPS / qps,
			};

			if (fcn_endpoint_qp_connect(ep[side], (uint32_t)qp[side], &peer, 0) != 0)
				errx(1, "no queue pair");
		}
		if (fcn_endpoint_post(ep[0], (uint32_t)qp[0], MESSAGE, 0, 0) != 0)
			errx(1, "no message");
	}
}

/* A burst sent, its packets received, their answers given back. @return packets */
static unsigned int
burst(struct fcn_endpoint *ep[2], uint64_t *now, uint64_t cycles[3])
{
	static uint8_t frame[BURST][FCN_ENDPOINT_MAX_FRAME];
	uint32_t len[BURST];
	unsigned int n = 0;
	uint64_t t0 = rte_rdtsc_precise(), t1, t2;

	while (n < BURST) {
		len[n] = fcn_endpoint_send(ep[0], frame[n], sizeof(frame[n]), *now);
		if (len[n] != 0)
			n++;
		else
			*now = fcn_endpoint_next(ep[0], *now);
	}
	t1 = rte_rdtsc_precise();
	for (unsigned int i = 0; i < n; i++)
		fcn_endpoint_receive(ep[1], frame[i], len[i], *now);
	t2 = rte_rdtsc_precise();
	for (unsigned int i = 0;
			(len[0] = fcn_endpoint_send(ep[1], frame[0], sizeof(frame[0]), *now)) != 0;
			i++)
		fcn_endpoint_receive(ep[0], frame[0], len[0], *now);
	cycles[0] += t1 - t0;
	cycles[1] += t2 - t1;
	cycles[2] += rte_rdtsc_precise() - t2;
	return n;
}

static void
measure(uint32_t qps)
{
	struct fcn_endpoint *ep[2] = {make(1, qps), make(2, qps)};
	double best[3] = {1e9, 1e9, 1e9};
	uint64_t now = 0;

	join(ep, qps);
	for (uint32_t done = 0; done < PACKETS; done += CHUNK) {
		uint64_t cycles[3] = {0};

		for (uint32_t n = 0; n < CHUNK;)
			n += burst(ep, &now, cycles);
		for (unsigned int i = 0; i < 3; i++)
			best[i] = RTE_MIN(best[i], (double)cycles[i] / CHUNK);
	}
	printf("{\"endpoint\": {\"queue_pairs\": %" PRIu32 ", \"send\": %.1f, \"receive\": %.1f, "
	       "\"acknowledge\": %.1f}}\n",
			qps, best[0], best[1], best[2]);
	fcn_endpoint_free(ep[0]);
	fcn_endpoint_free(ep[1]);
}

int
main(int argc, char **argv)
{
	static const uint32_t counts[] = {1, 16, 1000, 10000};

	if (rte_eal_init(argc, argv) < 0)
		errx(1, "no EAL");
	for (unsigned int i = 0; i < RTE_DIM(counts); i++)
		measure(counts[i]);
	return rte_eal_cleanup();
}
