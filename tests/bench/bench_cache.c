/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Cycles of a look-up in the cache that spaces notices, at 65,536 and at a million random
 * flows: one by one, and in bursts whose sets are fetched beforehand. And how
 * many flows found no way of their own. One line of JSON each.
 */

#include <err.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <rte_cycles.h>
#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_lcore.h>
#include <rte_malloc.h>

#include "chunks.h"
#include "fcn_random.h"
#include "fcn_limit_cache.h"

#define FLOWS_MAX (1u << 20)
#define BURST 32
#define PASSES 12      /* over all flows, each way */
#define CHUNK 16384    /* look-ups in a sample */
#define NOW 1000000000 /* nanoseconds */
#define INTERVAL_NS 4000

static const struct {
	uint32_t flows;
	uint32_t sets;
} cases[] = {{65536, 8192}, {65536, 16384}, {65536, 32768}, {FLOWS_MAX, 131072},
		{FLOWS_MAX, 262144}, {FLOWS_MAX, 524288}};

/* Hashes of the flows, in the order in which they are looked up. */
static uint64_t *
random_flows(void)
{
	struct fcn_random random = {.state = 1};
	uint64_t *flow = rte_malloc("flows", FLOWS_MAX * sizeof(*flow), 0);

	if (flow == NULL)
		errx(1, "no memory for the flows");
	for (unsigned int i = 0; i < FLOWS_MAX; i++)
		flow[i] = fcn_random64(&random);
	return flow;
}

/* Every flow comes once; those that are not there any more afterwards were displaced. */
static unsigned int
fill(struct fcn_limit_cache *cache, const uint64_t *flow, uint32_t flows)
{
	unsigned int displaced = 0;

	for (unsigned int i = 0; i < flows; i++)
		fcn_limit_cache_interval(cache, flow[i], NOW, INTERVAL_NS);
	for (unsigned int i = 0; i < flows; i++)
		displaced += fcn_limit_cache_interval_peek(cache, flow[i], NOW, INTERVAL_NS);
	return displaced;
}

/*
 * The same by arithmetic: flows in a set are Poisson distributed, and those
 * beyond the ways lose theirs.
 */
static double
predict(uint32_t flows, uint32_t sets)
{
	double live = (double)flows / sets, p = exp(-live), lost = 0;

	for (unsigned int k = 1; k < 100; k++) {
		p *= live / k;
		if (k > FCN_LIMIT_CACHE_WAYS)
			lost += p * (k - FCN_LIMIT_CACHE_WAYS);
	}
	return lost / live;
}

/* Cycles of look-ups, some of which are granted. @return how many. */
static unsigned int
look_up(struct fcn_limit_cache *cache, const uint64_t *flow, unsigned int n, uint64_t now,
		bool prefetch)
{
	unsigned int granted = 0;

	for (unsigned int i = 0; i < n; i += BURST) {
		for (unsigned int k = i; prefetch && k < i + BURST; k++)
			fcn_limit_cache_prefetch(cache, flow[k]);
		for (unsigned int k = i; k < i + BURST; k++)
			granted += fcn_limit_cache_interval(cache, flow[k], now, INTERVAL_NS);
	}
	return granted;
}

static void
measure(struct fcn_limit_cache *cache, const uint64_t *flow, uint32_t flows, bool prefetch,
		struct bench_chunks *cycles)
{
	uint64_t now = NOW;
	unsigned int granted = 0;

	for (unsigned int pass = 0; pass < PASSES; pass++) {
		now += INTERVAL_NS / 2; /* every other time a flow is granted */
		for (unsigned int i = 0; i < flows; i += CHUNK) {
			uint64_t start = rte_rdtsc();

			granted += look_up(cache, flow + i, CHUNK, now, prefetch);
			if (pass > 0)
				bench_chunks_add(cycles, (double)(rte_rdtsc() - start) / CHUNK);
		}
	}
	if (granted == 0)
		errx(1, "nothing was granted");
}

static void
run(const uint64_t *flow, uint32_t flows, uint32_t sets)
{
	struct bench_chunks cycles[2] = {0};
	struct fcn_limit_cache cache;
	unsigned int displaced;

	if (fcn_limit_cache_init(&cache, sets, (int)rte_socket_id()) != 0)
		errx(1, "no memory for %u sets", sets);
	displaced = fill(&cache, flow, flows);
	for (unsigned int prefetch = 0; prefetch < 2; prefetch++) {
		struct bench_chunks *c = &cycles[prefetch];

		measure(&cache, flow, flows, prefetch, c);
		printf("{\"bench\": \"cache\", \"variant\": \"%u sets%s\", \"flows\": %u, "
		       "\"p10\": %.2f, \"median\": %.2f, \"p90\": %.2f, \"chunks\": %zu, "
		       "\"megabytes\": %.0f, \"displaced\": %.6f, \"predicted\": %.6f}\n",
				sets, prefetch ? ", prefetched" : "", flows,
				bench_chunks_quantile(c, 0.1), bench_chunks_quantile(c, 0.5),
				bench_chunks_quantile(c, 0.9), c->n,
				(double)sets * sizeof(*cache.set) / (1 << 20),
				(double)displaced / flows, predict(flows, sets));
		bench_chunks_free(c);
	}
	fcn_limit_cache_fini(&cache);
}

int
main(int argc, char **argv)
{
	uint64_t *flow;

	if (rte_eal_init(argc, argv) < 0)
		errx(1, "EAL: %s", rte_strerror(rte_errno));
	flow = random_flows();
	for (unsigned int i = 0; i < RTE_DIM(cases); i++)
		run(flow, cases[i].flows, cases[i].sets);
	rte_free(flow);
	rte_eal_cleanup();
	return 0;
}
