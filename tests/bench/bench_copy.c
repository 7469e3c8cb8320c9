/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Cycles of packets that share bytes with others, and of whole copies of them, from their making to
 * the return of their buffers, the driver that sends them included: frames that are flooded to 2, 4
 * and 8 ports, Congestion Notification Messages, and IOAM traces in Fast CNPs. They are sent at
 * once, so that all of it is in the CPU's caches; or when hundreds of others have been made that
 * wait, as in the queues of ports, so that little of it is. The two ways take turns. One line of
 * JSON for each.
 */

#include <err.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_cycles.h>
#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_mbuf.h>

#include "chunks.h"
#include "copies.h"
#include "egress_options.h"

#define DATA_ROOM (RTE_PKTMBUF_HEADROOM + 2048) /* as in the switch */
#define POOL 65535
#define CACHE 256
#define BURST 8 /* so many that all buffers of a burst fit into the cache of the pool */
#define WAITING_BUFFERS 24000 /* of packets that wait */
#define WAITING_MAX 1024      /* bursts that wait */
#define WARM_UP 8
#define ROUNDS 10

/* RoCEv2 frames of path MTU 2048 and 4096 among them, which need one buffer more than their payload
 */
static const uint32_t frame_lens[] = {64, 128, 256, 512, 1024, 1500, 2048, 2130, 3000, 4178, 9000};
/* what messages quote at most: over IPv4 about a flow of IPv6 and IPv4, over IPv6 likewise */
static const uint32_t message_lens[] = {508, 532, 1192, 1216};
static const uint32_t trace_lens[] = {28, 64, 124, 184, 236};

struct use {
	const char *name;
	bench_make_fn *make;
	unsigned int ports;  /* of which the last one sends the packet itself */
	uint32_t packet_len; /* 0: as long as what is made */
	bool queued;         /* it is measured with others that wait, too */
	const uint32_t *lens;
	unsigned int n_lens;
};

#define LENS(list) (list), RTE_DIM(list)

static const struct use uses[] = {
		{"flooded to 2", bench_flooded, 2, 0, false, LENS(frame_lens)},
		{"flooded to 4", bench_flooded, 4, 0, true, LENS(frame_lens)},
		{"flooded to 8", bench_flooded, 8, 0, false, LENS(frame_lens)},
		{"message", bench_message, 2, 0, true, LENS(message_lens)},
		{"trace", bench_trace, 2, BENCH_TRACE_PACKET, true, LENS(trace_lens)},
};

/* Packets of a burst, by the device that sends them. */
struct burst {
	struct rte_mbuf *pkt[BENCH_EGRESS_MAX][BURST];
};

struct bench {
	struct bench_egress egress;
	struct bench_copies copies;
	struct bench_egress_options options;
	const struct use *use;
	uint32_t len;
	unsigned int n_waiting; /* bursts */
	unsigned int next;      /* of the ring `waiting` */
	struct burst waiting[WAITING_MAX];
};

static void
send_burst(struct bench *b, struct burst *burst)
{
	for (unsigned int p = 0; p < b->use->ports; p++)
		bench_egress_send(&b->egress, p, burst->pkt[p], BURST);
	if (b->egress.loops)
		bench_egress_drain(&b->egress);
}

/*
 * Make a burst, and send the one that was made longest ago. The packets themselves are received
 * before the time begins.
 * @return cycles for each packet that leaves
 */
static double
measure(struct bench *b, enum bench_way way)
{
	struct burst *burst = &b->waiting[b->next];
	const unsigned int copies = b->use->ports - 1;
	struct rte_mbuf *received[BURST];
	uint64_t start, cycles;

	bench_packets(b->copies.pool, b->use->packet_len != 0 ? b->use->packet_len : b->len,
			received, BURST);
	start = rte_rdtsc();
	if (burst->pkt[0][0] != NULL)
		send_burst(b, burst);
	for (unsigned int i = 0; i < BURST; i++) {
		for (unsigned int p = 0; p < copies; p++) {
			burst->pkt[p][i] = b->use->make(&b->copies, received[i], b->len, way);
			if (unlikely(burst->pkt[p][i] == NULL))
				errx(1, "no buffers");
		}
		burst->pkt[copies][i] = received[i];
	}
	if (b->n_waiting == 0) {
		send_burst(b, burst);
		burst->pkt[0][0] = NULL;
	} else {
		b->next = (b->next + 1) % b->n_waiting;
	}
	cycles = rte_rdtsc() - start - b->egress.apart;
	b->egress.apart = 0;
	bench_egress_drain(&b->egress);
	return (double)cycles / (BURST * b->use->ports);
}

static void
send_all(struct bench *b)
{
	for (unsigned int i = 0; i < RTE_DIM(b->waiting); i++) {
		if (b->waiting[i].pkt[0][0] != NULL)
			send_burst(b, &b->waiting[i]);
		bench_egress_drain(&b->egress);
	}
	memset(b->waiting, 0, sizeof(b->waiting));
	b->next = 0;
}

/* A round of one way. @return number of packets for the devices */
static uint64_t
run_round(struct bench *b, enum bench_way way, struct bench_chunks *cycles)
{
	const unsigned int before = b->n_waiting + WARM_UP;

	for (unsigned int i = 0; i < before; i++)
		measure(b, way);
	for (unsigned int i = 0; i < b->options.bursts; i++)
		bench_chunks_add(cycles, measure(b, way));
	send_all(b);
	return (uint64_t)(before + b->options.bursts) * BURST * b->use->ports;
}

static void
print(const struct bench *b, enum bench_way way, struct bench_chunks *medians, uint64_t lost)
{
	printf("{\"bench\": \"%s\", \"variant\": \"%s\", \"queued\": %s, \"bytes\": %u, "
	       "\"driver\": \"%s\", \"multi_segs\": %s, \"lost\": %" PRIu64 ", "
	       "\"least\": %.1f, \"median\": %.1f, \"most\": %.1f}\n",
			b->use->name, way == BENCH_COPY ? "copy" : "clone",
			b->n_waiting != 0 ? "true" : "false", b->len, b->egress.driver,
			b->egress.multi_segs ? "true" : "false", lost,
			bench_chunks_quantile(medians, 0), bench_chunks_quantile(medians, 0.5),
			bench_chunks_quantile(medians, 1));
}

/* Both ways in turn. The figure of a round is its median. */
static void
run(struct bench *b, bool queued)
{
	const unsigned int buffers = BURST * b->use->ports * RTE_MAX(2u, (b->len + 2047) / 2048);
	struct bench_chunks medians[BENCH_WAYS] = {0};
	uint64_t sent, wanted = 0;

	b->n_waiting = 0;
	measure(b, BENCH_COPY); /* a device may lose the first packets */
	sent = bench_egress_sent(&b->egress);
	b->n_waiting = queued ? RTE_MIN(WAITING_BUFFERS / buffers, (unsigned int)WAITING_MAX) : 0;
	for (unsigned int round = 0; round < ROUNDS; round++) {
		for (enum bench_way way = BENCH_COPY; way < BENCH_WAYS; way++) {
			struct bench_chunks cycles = {0};

			wanted += run_round(b, way, &cycles);
			bench_chunks_add(&medians[way], bench_chunks_quantile(&cycles, 0.5));
			bench_chunks_free(&cycles);
		}
	}
	sent = bench_egress_sent(&b->egress) - sent;
	for (enum bench_way way = BENCH_COPY; way < BENCH_WAYS; way++) {
		print(b, way, &medians[way], wanted > sent ? wanted - sent : 0);
		bench_chunks_free(&medians[way]);
	}
}

static void
run_use(struct bench *b)
{
	if (b->use->ports > b->egress.n || !bench_egress_wants(&b->options, b->use->name))
		return;
	b->egress.used = b->use->ports;
	for (unsigned int k = 0; k < b->use->n_lens; k++) {
		b->len = b->use->lens[k];
		if (b->len > b->options.longest)
			break;
		run(b, false);
		if (b->use->queued && !b->options.at_once)
			run(b, true);
	}
}

int
main(int argc, char **argv)
{
	struct bench *b = calloc(1, sizeof(*b));
	int used = rte_eal_init(argc, argv);

	if (used < 0 || b == NULL)
		errx(1, "EAL: %s", rte_strerror(rte_errno));
	b->copies.message = (struct fcn_cnm_template){.port = 1021, .dscp = 48, .hop_limit = 64};
	b->copies.pool = rte_pktmbuf_pool_create("copy", POOL, CACHE, 0, DATA_ROOM, SOCKET_ID_ANY);
	if (b->copies.pool == NULL || fcn_cnm_template_init(&b->copies.message) != 0)
		errx(1, "pool: %s", rte_strerror(rte_errno));
	bench_egress_options_read(
			argc - used, argv + used, b->copies.pool, &b->egress, &b->options);
	for (unsigned int i = 0; i < RTE_DIM(uses); i++) {
		b->use = &uses[i];
		run_use(b);
	}
	bench_egress_close(&b->egress);
	fcn_cnm_template_fini(&b->copies.message);
	rte_mempool_free(b->copies.pool);
	free(b);
	rte_eal_cleanup();
	return 0;
}
