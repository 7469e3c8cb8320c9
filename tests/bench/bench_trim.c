/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Cycles of a packet for which a queue has no room, by what becomes of it: it is dropped, its
 * headers go on, a notice about it goes back, or both. The ways take turns; what a way costs is the
 * difference to the drops of the same round. One line of JSON each.
 */

#include <err.h>
#include <inttypes.h>
#include <stdio.h>

#include <rte_common.h>
#include <rte_cycles.h>
#include <rte_eal.h>

#include "config.h"
#include "measure.h"
#include "options.h"

/* So much time passes in a turn that events about trimming are no part of it. */
#define TURN_NS 10000

static const struct bench_variant ways[] = {
		{.name = "dropped", .full = true},
		{.name = "forward", .full = true, .trim = FCN_TRIM_FORWARD},
		{.name = "return", .full = true, .trim = FCN_TRIM_RETURN},
		{.name = "both", .full = true, .trim = FCN_TRIM_BOTH},
};

static void
print_figure(const char *source, const char *way, const char *what, struct bench_chunks *c)
{
	printf("{\"bench\": \"trim\", \"source\": \"%s\", \"variant\": \"%s\", \"figure\": \"%s\", "
	       "\"p10\": %.2f, \"median\": %.2f, \"p90\": %.2f, \"chunks\": %zu, \"hz\": %" PRIu64
	       "}\n",
			source, way, what, bench_chunks_quantile(c, 0.1),
			bench_chunks_quantile(c, 0.5), bench_chunks_quantile(c, 0.9), c->n,
			rte_get_tsc_hz());
}

static void
check(const struct bench_variant *way, const struct bench_result *r)
{
	const uint64_t lost = way->trim & FCN_TRIM_FORWARD ? 0 : r->received;
	const uint64_t told = way->trim & FCN_TRIM_RETURN ? r->received : 0;

	if (r->received == 0 || r->dropped != lost || r->notices != told)
		errx(1,
				"%s: not what was to be measured: %" PRIu64 " received, %" PRIu64
				" dropped, %" PRIu64 " notices",
				way->name, r->received, r->dropped, r->notices);
}

int
main(int argc, char **argv)
{
	struct bench_chunks cycles[RTE_DIM(ways)] = {0}, more[RTE_DIM(ways)] = {0};
	struct bench_options o;
	struct bench_rig rig;

	bench_options_read(argc, argv, &o);
	bench_rig_create(&rig, &o.setup);
	for (unsigned int round = 0; round < o.rounds; round++) {
		double median[RTE_DIM(ways)];

		for (unsigned int i = 0; i < RTE_DIM(ways); i++) {
			struct bench_result result = {0};
			struct bench_run run = {
					.chunks = o.chunks, .turn_ns = TURN_NS, .result = &result};

			bench_rig_configure(&rig, &ways[i]);
			bench_rig_run(&rig, bench_measure, &run);
			check(&ways[i], &result);
			median[i] = bench_chunks_quantile(&result.cycles, 0.5);
			bench_chunks_add(&cycles[i], median[i]);
			bench_chunks_add(&more[i], median[i] - median[0]);
			bench_chunks_free(&result.cycles);
		}
	}
	bench_rig_free(&rig);
	for (unsigned int i = 0; i < RTE_DIM(ways); i++) {
		print_figure(o.source, ways[i].name, "cycles", &cycles[i]);
		if (i != 0)
			print_figure(o.source, ways[i].name, "above_a_drop", &more[i]);
		bench_chunks_free(&cycles[i]);
		bench_chunks_free(&more[i]);
	}
	rte_eal_cleanup();
	return 0;
}
