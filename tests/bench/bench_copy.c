/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Cycles of a copy of a packet, as for flooding, of a quotation after a message's header, of a
 * whole Congestion Notification Message, and of an IOAM trace in a Fast CNP, by copy and by clone.
 * What is made is freed within the time that is taken, as it has to be: at once, so that all of it
 * is in the CPU's caches; or when thousands of others wait, as in the queues of ports, so that
 * little of it is. One line of JSON each.
 */

#include <err.h>
#include <stdio.h>

#include <rte_cycles.h>
#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_mbuf.h>

#include "chunks.h"
#include "fcn_cnm.h"
#include "fcn_quote.h"

#define DATA_ROOM (RTE_PKTMBUF_HEADROOM + 2048) /* as in the switch */
#define POOL 65535
#define CACHE 256
#define BURST 32
#define COPIES 3 /* of each packet: a bridge of five ports */
#define OWN 128  /* bytes that flooding copies in any case */
#define HEADER 62
#define TRACE_OFF 62     /* offset of the trace in the packet */
#define BEFORE_TRACE 48  /* bytes of a Fast CNP with option 2 before its trace: IPv6, option */
#define AFTER_TRACE 60   /* and after it: receiver's address, PadN, UDP, BTH, ICRC */
#define TRACE_PACKET 500 /* length of a packet with a trace */
#define WAITING (80 * COPIES * BURST) /* packets in queues */
#define BURSTS 1000                   /* of each, in rounds */
#define ROUNDS 5

static const uint32_t lens[] = {78, 128, 256, 512, 1024, 1192, 1500, 2048, 4096, 9000};
/* what Congestion Notification Messages quote at most: over IPv4 about a flow of IPv6 and IPv4,
 * over IPv6 likewise */
static const uint32_t message_lens[] = {508, 532, 1192, 1216};
static const uint32_t trace_lens[] = {28, 64, 124, 184, 236};

enum way {
	COPY,
	CLONE,
	WAYS,
};

static const char *const way_names[] = {[COPY] = "copy", [CLONE] = "clone"};

static struct rte_mempool *pool;
static struct rte_mbuf *packet[BURST];
static struct rte_mbuf *made[WAITING]; /* a ring */
static unsigned int next_made;
static uint32_t trace_len;
static struct fcn_cnm_template message = {.port = 1021, .dscp = 48, .hop_limit = 64};

/* Packets as a device leaves them, in as many buffers as they need. */
static void
make_packets(uint32_t len)
{
	for (unsigned int i = 0; i < BURST; i++) {
		struct rte_mbuf *from = rte_pktmbuf_alloc(pool), *last = from;
		uint32_t left = len;

		for (; left > 0; left -= RTE_MIN(left, 2048u)) {
			uint32_t n = RTE_MIN(left, 2048u);

			if (last != NULL && left < len) {
				struct rte_mbuf *next = rte_pktmbuf_alloc(pool);

				if (next == NULL || rte_pktmbuf_chain(from, next) != 0)
					errx(1, "no buffers");
				last = next;
			}
			if (last == NULL)
				errx(1, "no buffers");
			memset(rte_pktmbuf_mtod(last, void *), (int)i, n);
			last->data_len = n;
			from->pkt_len += n;
		}
		packet[i] = from;
	}
}

static struct rte_mbuf *
copy_of(struct rte_mbuf *from, enum way way)
{
	if (way == COPY)
		return rte_pktmbuf_copy(from, pool, 0, UINT32_MAX);
	return fcn_quote_packet(from, OWN, pool);
}

/* A message of its header and a quotation. */
static struct rte_mbuf *
quote_of(struct rte_mbuf *from, enum way way)
{
	struct rte_mbuf *m = rte_pktmbuf_alloc(pool);
	int rc;

	if (m == NULL)
		return NULL;
	memset(rte_pktmbuf_append(m, HEADER), 0, HEADER);
	if (way == COPY)
		rc = fcn_quote_copy(m, from, 0, from->pkt_len, pool);
	else
		rc = fcn_quote_clone(m, from, 0, from->pkt_len, pool);
	return rc == 0 ? m : NULL;
}

/* Append bytes that a notice has of its own. */
static int
append_own(struct rte_mbuf *m, uint32_t len)
{
	char *to = rte_pktmbuf_append(m, len);

	if (to == NULL)
		return -1;
	memset(to, 0, len);
	return 0;
}

/* A Fast CNP with option 2. Its trace is followed by bytes of its own, for which a clone needs a
 * third mbuf. */
static struct rte_mbuf *
trace_of(struct rte_mbuf *from, enum way way)
{
	struct rte_mbuf *m = rte_pktmbuf_alloc(pool), *last;
	int rc;

	if (m == NULL || append_own(m, BEFORE_TRACE) != 0)
		return NULL;
	if (way == COPY)
		return fcn_quote_copy(m, from, TRACE_OFF, trace_len, pool) == 0 &&
						       append_own(m, AFTER_TRACE) == 0
				       ? m
				       : NULL;
	rc = fcn_quote_clone(m, from, TRACE_OFF, trace_len, pool);
	last = rte_pktmbuf_alloc(pool);
	if (rc != 0 || last == NULL || append_own(last, AFTER_TRACE) != 0)
		return NULL;
	return rte_pktmbuf_chain(m, last) == 0 ? m : NULL;
}

/* A message with its checksum, for which all that is quoted has to be read. Headers of the packet
 * may be written to later, so they are never shared. */
static struct rte_mbuf *
message_of(struct rte_mbuf *from, enum way way)
{
	static const struct fcn_flow_descriptor flow = {.version = 6, .proto = 17};
	const uint32_t len = from->pkt_len, head = fcn_cnm_head_len(6, 6);
	struct rte_mbuf *m = rte_pktmbuf_alloc(pool);
	uint16_t sum;

	if (m == NULL || rte_pktmbuf_append(m, head) == NULL)
		return NULL;
	if (way == COPY) {
		if (fcn_quote_copy(m, from, 0, len, pool) != 0)
			return NULL;
		sum = rte_raw_cksum(rte_pktmbuf_mtod_offset(m, const void *, head), len);
	} else if (fcn_quote_copy(m, from, 0, OWN, pool) != 0 ||
			fcn_quote_clone(m, from, OWN, len - OWN, pool) != 0 ||
			rte_raw_cksum_mbuf(m, head, len, &sum) != 0) {
		return NULL;
	}
	fcn_cnm_write(&message, 6, flow.src, flow.dst, &flow, len, sum,
			rte_pktmbuf_mtod(m, uint8_t *));
	return m;
}

struct bench_case {
	const char *name;
	struct rte_mbuf *(*make)(struct rte_mbuf *from, enum way way);
	unsigned int copies; /* of a packet */
	bool waiting;        /* others do before it */
	bool trace;          /* the length is that of a trace */
	const uint32_t *lens;
	unsigned int n_lens;
};

#define LENS(list) (list), RTE_DIM(list)

static const struct bench_case cases[] = {
		{"flooded copy", copy_of, COPIES, false, false, LENS(lens)},
		{"flooded copy, queued", copy_of, COPIES, true, false, LENS(lens)},
		{"quotation", quote_of, 1, false, false, LENS(lens)},
		{"quotation, queued", quote_of, 1, true, false, LENS(lens)},
		{"message", message_of, 1, false, false, LENS(message_lens)},
		{"message, queued", message_of, 1, true, false, LENS(message_lens)},
		{"trace", trace_of, 1, false, true, LENS(trace_lens)},
		{"trace, queued", trace_of, 1, true, true, LENS(trace_lens)},
};

/* A burst in place of the one that was made longest ago. @return cycles each */
static double
measure(const struct bench_case *c, enum way way)
{
	const unsigned int n = c->copies * BURST;
	struct rte_mbuf **at = &made[next_made];
	uint64_t start = rte_rdtsc();

	if (c->waiting)
		rte_pktmbuf_free_bulk(at, n);
	for (unsigned int i = 0; i < n; i++) {
		at[i] = c->make(packet[i / c->copies], way);
		if (unlikely(at[i] == NULL))
			errx(1, "no buffers");
	}
	if (!c->waiting)
		rte_pktmbuf_free_bulk(at, n);
	else
		next_made = (next_made + n) % WAITING;
	return (double)(rte_rdtsc() - start) / n;
}

static void
run(const struct bench_case *c, uint32_t len)
{
	struct bench_chunks cycles[WAYS] = {0};

	trace_len = len;
	make_packets(c->trace ? TRACE_PACKET : len);
	for (unsigned int round = 0; round < ROUNDS; round++) {
		for (enum way way = COPY; way < WAYS; way++) {
			next_made = 0;
			memset(made, 0, sizeof(made));
			for (unsigned int i = 0; i < WAITING / (c->copies * BURST); i++)
				measure(c, way);
			for (unsigned int i = 0; i < BURSTS; i++)
				bench_chunks_add(&cycles[way], measure(c, way));
			if (c->waiting)
				rte_pktmbuf_free_bulk(made, WAITING);
		}
	}
	rte_pktmbuf_free_bulk(packet, BURST);
	for (enum way way = COPY; way < WAYS; way++) {
		printf("{\"bench\": \"%s\", \"variant\": \"%s\", \"bytes\": %u, \"p10\": %.1f, "
		       "\"median\": %.1f, \"p90\": %.1f}\n",
				c->name, way_names[way], len,
				bench_chunks_quantile(&cycles[way], 0.1),
				bench_chunks_quantile(&cycles[way], 0.5),
				bench_chunks_quantile(&cycles[way], 0.9));
		bench_chunks_free(&cycles[way]);
	}
}

int
main(int argc, char **argv)
{
	if (rte_eal_init(argc, argv) < 0)
		errx(1, "EAL: %s", rte_strerror(rte_errno));
	pool = rte_pktmbuf_pool_create("copy", POOL, CACHE, 0, DATA_ROOM, SOCKET_ID_ANY);
	if (pool == NULL)
		errx(1, "pool: %s", rte_strerror(rte_errno));
	if (fcn_cnm_template_init(&message) != 0)
		errx(1, "no CRC-32");
	for (unsigned int i = 0; i < RTE_DIM(cases); i++) {
		for (unsigned int k = 0; k < cases[i].n_lens; k++)
			run(&cases[i], cases[i].lens[k]);
	}
	if (rte_mempool_in_use_count(pool) != 0)
		errx(1, "%u buffers are missing", rte_mempool_in_use_count(pool));
	fcn_cnm_template_fini(&message);
	rte_mempool_free(pool);
	rte_eal_cleanup();
	return 0;
}
