/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Cycles of one message of precise flow control, of several with the same contents to different
 * neighbours: each built anew; the first one built, and copies of it adapted; or one body that is
 * cloned behind a header for each. Destination address and UDP checksum differ. Messages are freed
 * within the time that is taken, in bursts, as a device does. One line of JSON each.
 */

#include <err.h>
#include <stdio.h>

#include <rte_cycles.h>
#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_mbuf.h>

#include "chunks.h"
#include "fcn_arn.h"
#include "fcn_inet.h"

#define DATA_ROOM (RTE_PKTMBUF_HEADROOM + 2048) /* as in the switch */
#define POOL 8191
#define CACHE 256
#define BURST 64 /* messages of a turn */
#define BURSTS 2000
#define ROUNDS 5
#define HEADERS (40 + 8)
#define DESTINATION_OFF 24
#define CHECKSUM_OFF (40 + 6)
#define PORT 1022

enum way {
	BUILD,
	COPY,
	CLONE,
	WAYS,
};

static const char *const way_names[] = {[BUILD] = "build", [COPY] = "copy", [CLONE] = "clone"};

static struct rte_mempool *pool;
static const uint8_t source[16] = {0x20, 0x01, 0x0d, 0xb8, [15] = 1};
static uint8_t neighbour[FCN_ARN_NEIGHBOURS][16];
static struct fcn_arn arn = {
		.type = FCN_ARN_CONGESTION,
		.level = 5,
		.parameters = FCN_ARN_FLOW | FCN_ARN_TIME,
		.time_us = 500,
		.flow = {.version = 6, .proto = 17, .src_port = 49374, .dst_port = 4791},
};

static struct rte_mbuf *
buffer(void)
{
	struct rte_mbuf *m = rte_pktmbuf_alloc(pool);

	if (unlikely(m == NULL))
		errx(1, "no buffers");
	return m;
}

/* Adapt a UDP checksum to another destination address (RFC 1624). */
static void
adapt_checksum(uint8_t *ip, const uint8_t *from, const uint8_t *to)
{
	uint32_t sum = (uint16_t)~fcn_get_be16(ip + CHECKSUM_OFF);

	for (unsigned int i = 0; i < 16; i += 2)
		sum += (uint16_t)~fcn_get_be16(from + i) + fcn_get_be16(to + i);
	sum = (sum & 0xFFFF) + (sum >> 16);
	sum = (sum & 0xFFFF) + (sum >> 16);
	sum = ~sum & 0xFFFF;
	fcn_put_be16(ip + CHECKSUM_OFF, sum == 0 ? 0xFFFF : (uint16_t)sum);
}

static void
adapt(uint8_t *ip, const uint8_t *from, const uint8_t *to)
{
	memcpy(ip + DESTINATION_OFF, to, 16);
	adapt_checksum(ip, from, to);
}

static struct rte_mbuf *
built(const uint8_t *to)
{
	struct rte_mbuf *m = buffer();
	const uint32_t len = fcn_arn_build(&arn, source, to, PORT, rte_pktmbuf_mtod(m, uint8_t *),
			FCN_ARN_MAX_PACKET_LEN);

	m->data_len = len;
	m->pkt_len = len;
	return m;
}

static struct rte_mbuf *
copied(const struct rte_mbuf *first, const uint8_t *to)
{
	struct rte_mbuf *m = buffer();
	uint8_t *ip = rte_pktmbuf_mtod(m, uint8_t *);

	memcpy(ip, rte_pktmbuf_mtod(first, const uint8_t *), first->data_len);
	adapt(ip, neighbour[0], to);
	m->data_len = first->data_len;
	m->pkt_len = first->data_len;
	return m;
}

static struct rte_mbuf *
cloned(const struct rte_mbuf *first, struct rte_mbuf *body, const uint8_t *to)
{
	struct rte_mbuf *m = buffer(), *c = rte_pktmbuf_clone(body, pool);
	uint8_t *ip = rte_pktmbuf_mtod(m, uint8_t *);

	if (unlikely(c == NULL))
		errx(1, "no buffers");
	memcpy(ip, rte_pktmbuf_mtod(first, const uint8_t *), HEADERS);
	adapt(ip, neighbour[0], to);
	m->data_len = HEADERS;
	m->pkt_len = HEADERS;
	if (unlikely(rte_pktmbuf_chain(m, c) != 0))
		errx(1, "no chain");
	return m;
}

/* Make a burst of messages, n with the same contents at a time, and free it. @return cycles each */
static double
measure(enum way way, unsigned int n)
{
	struct rte_mbuf *made[BURST + 2 * FCN_ARN_NEIGHBOURS], *body;
	unsigned int k = 0, halts = 0;
	const uint64_t start = rte_rdtsc();

	while (k < BURST) {
		struct rte_mbuf *first = built(neighbour[0]);

		arn.flow.src_port++; /* another flow */
		halts++;
		made[k++] = first;
		if (way == CLONE) {
			body = rte_pktmbuf_clone(first, pool);
			if (unlikely(body == NULL))
				errx(1, "no buffers");
			rte_pktmbuf_adj(body, HEADERS);
			for (unsigned int i = 1; i < n; i++)
				made[k++] = cloned(first, body, neighbour[i]);
			rte_pktmbuf_free(body);
		} else {
			for (unsigned int i = 1; i < n; i++)
				made[k++] = way == BUILD ? built(neighbour[i])
							 : copied(first, neighbour[i]);
		}
	}
	rte_pktmbuf_free_bulk(made, k);
	return (double)(rte_rdtsc() - start) / (halts * n);
}

/* Check that all ways make the same bytes. */
static void
check(void)
{
	struct rte_mbuf *first = built(neighbour[0]), *body = rte_pktmbuf_clone(first, pool);
	struct rte_mbuf *m[WAYS] = {built(neighbour[1]), copied(first, neighbour[1])};
	uint8_t bytes[WAYS][FCN_ARN_MAX_PACKET_LEN];

	rte_pktmbuf_adj(body, HEADERS);
	m[CLONE] = cloned(first, body, neighbour[1]);
	for (enum way way = BUILD; way < WAYS; way++) {
		const void *at = rte_pktmbuf_read(m[way], 0, m[way]->pkt_len, bytes[way]);

		if (at != bytes[way])
			memcpy(bytes[way], at, m[way]->pkt_len);
		if (m[way]->pkt_len != m[BUILD]->pkt_len ||
				memcmp(bytes[way], bytes[BUILD], m[BUILD]->pkt_len) != 0)
			errx(1, "%s is not %s", way_names[way], way_names[BUILD]);
		rte_pktmbuf_free(m[way]);
	}
	rte_pktmbuf_free(body);
	rte_pktmbuf_free(first);
}

int
main(int argc, char **argv)
{
	static const unsigned int receivers[] = {1, 2, 4, 8, 32};

	if (rte_eal_init(argc, argv) < 0)
		errx(1, "EAL: %s", rte_strerror(rte_errno));
	pool = rte_pktmbuf_pool_create("arn", POOL, CACHE, 0, DATA_ROOM, SOCKET_ID_ANY);
	if (pool == NULL)
		errx(1, "pool: %s", rte_strerror(rte_errno));
	for (unsigned int i = 0; i < FCN_ARN_NEIGHBOURS; i++) {
		memcpy(neighbour[i], source, 16);
		neighbour[i][13] = 0xF0;
		neighbour[i][15] = i;
	}
	check();
	for (unsigned int r = 0; r < RTE_DIM(receivers); r++) {
		struct bench_chunks cycles[WAYS] = {0};

		for (unsigned int round = 0; round < ROUNDS; round++) {
			for (enum way way = BUILD; way < WAYS; way++) {
				for (unsigned int i = 0; i < BURSTS; i++)
					bench_chunks_add(&cycles[way], measure(way, receivers[r]));
			}
		}
		for (enum way way = BUILD; way < WAYS; way++) {
			printf("{\"bench\": \"message\", \"variant\": \"%s\", \"receivers\": %u, "
			       "\"p10\": %.1f, \"median\": %.1f, \"p90\": %.1f}\n",
					way_names[way], receivers[r],
					bench_chunks_quantile(&cycles[way], 0.1),
					bench_chunks_quantile(&cycles[way], 0.5),
					bench_chunks_quantile(&cycles[way], 0.9));
			bench_chunks_free(&cycles[way]);
		}
	}
	if (rte_mempool_in_use_count(pool) != 0)
		errx(1, "%u buffers are missing", rte_mempool_in_use_count(pool));
	rte_mempool_free(pool);
	rte_eal_cleanup();
	return 0;
}
