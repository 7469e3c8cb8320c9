/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Cycles of a notice all in, a Fast CNP or with --cnp a CNP: what packets cost of which each causes
 * one, less what the same packets cost without. And of its building alone. One line of JSON each.
 */

#include <err.h>
#include <stdio.h>
#include <string.h>

#include <rte_common.h>
#include <rte_cycles.h>
#include <rte_eal.h>
#include <rte_mbuf.h>

#include "config.h"
#include "fcn_fastcnp.h"
#include "measure.h"
#include "options.h"
#include "stages.h"

/* So much time passes in a turn that no interval between notices holds any back. */
#define TURN_NS 10000

#define BUILD_BURST 32
#define BUILD_BUFFERS 64

static const struct bench_variant quiet = {.name = "quiet", .detector = FCN_DETECTOR_STEP};
static const struct bench_variant congested = {
		.name = "congested", .detector = FCN_DETECTOR_STEP, .congested = true};

/* ---- the kind's build() alone ---- */

struct build {
	unsigned int chunks;
	bool trace;
	struct bench_chunks *cycles; /* per notice */
};

static void
measure_build(struct bench_rig *rig, void *arg)
{
	const struct build *build = arg;
	const struct bench_traffic traffic = {.trace = build->trace,
			.ipv4 = rig->setup.traffic.ipv4,
			.srv6 = rig->setup.traffic.srv6};
	const struct fcn_notify_conf *kind =
			&fcn_control_snapshot(rig->ctl)
					 ->notify.kind[bench_notice_kind(&rig->setup)];
	const uint8_t form = (build->trace ? FCN_FASTCNP_SENT_OPT2 : FCN_FASTCNP_SENT_OPT1) -
			     FCN_NOTIFY_SENT;
	uint64_t chunk = rte_get_tsc_hz() / 1000000 * BENCH_CHUNK_US;
	struct fcn_notice_order order[BUILD_BURST];
	struct fcn_wire_info built[BUILD_BURST];
	struct rte_mbuf *m[BUILD_BUFFERS];
	uint8_t packet[BENCH_PACKET_MAX];
	struct fcn_wire_info info;
	uint32_t len = bench_packet(&traffic, 0, 1, packet);

	if (fcn_parse(packet, len, len, &fcn_parse_default_codes, &info) != FCN_WIRE_OK ||
			!(info.flags & FCN_PKT_ROCE) ||
			build->trace != !!(info.flags & FCN_PKT_IOAM_TRACE) ||
			rte_pktmbuf_alloc_bulk(rig->pool, m, BUILD_BUFFERS) != 0)
		errx(1, "nothing to build from");
	for (unsigned int c = 0; c < build->chunks; c++) {
		uint64_t start = rte_rdtsc(), tsc;
		uint64_t n = 0;

		do {
			/* two sets of buffers, as no buffer is used again at once */
			for (unsigned int i = 0; i < BUILD_BURST; i++)
				order[i] = (struct fcn_notice_order){
						.data = packet,
						.about = &info,
						.mbuf = m[n / BUILD_BURST % 2 * BUILD_BURST + i],
						.info = &built[i],
						.form = form,
				};
			kind->kind->build(kind->own, kind->common, order, BUILD_BURST);
			n += BUILD_BURST;
			tsc = rte_rdtsc();
		} while (tsc - start < chunk);
		bench_chunks_add(build->cycles, (double)(tsc - start) / n);
	}
	rte_pktmbuf_free_bulk(m, BUILD_BUFFERS);
}

/* ---- all in ---- */

static void
measure_variant(struct bench_rig *rig, const struct bench_variant *variant, unsigned int chunks,
		struct bench_result *result)
{
	struct bench_run run = {.chunks = chunks, .turn_ns = TURN_NS, .result = result};

	bench_rig_configure(rig, variant);
	bench_rig_run(rig, bench_measure, &run);
}

/* Notices a second of a core that forwards all the packets that they are about, too. */
static void
print_rate(const char *source, struct bench_chunks *cycles)
{
	const double hz = (double)rte_get_tsc_hz();

	printf("{\"bench\": \"notice\", \"source\": \"%s\", \"variant\": \"all\", "
	       "\"notices_per_second\": %.0f, \"p10\": %.0f, \"p90\": %.0f, \"chunks\": %zu}\n",
			source, hz / bench_chunks_quantile(cycles, 0.5),
			hz / bench_chunks_quantile(cycles, 0.9),
			hz / bench_chunks_quantile(cycles, 0.1), cycles->n);
}

/* One variant for the whole time, for a profiler: quiet, congested, or all, which is congested, and
 * tells how many notices a second that makes. */
static int
profile(struct bench_rig *rig, const struct bench_options *o)
{
	const struct bench_variant *variant = strcmp(o->variant, quiet.name) == 0 ? &quiet
										  : &congested;
	struct bench_result result = {0};

	for (unsigned int round = 0; round < o->rounds; round++)
		measure_variant(rig, variant, o->chunks, &result);
	bench_result_print("notice", o->source, variant->name, &result);
	if (strcmp(o->variant, "all") == 0 && result.notices == result.received)
		print_rate(o->source, &result.cycles);
	bench_chunks_free(&result.cycles);
	bench_rig_free(rig);
	rte_eal_cleanup();
	return 0;
}

static void
print_figure(const char *source, const char *variant, struct bench_chunks *c)
{
	printf("{\"bench\": \"notice\", \"source\": \"%s\", \"variant\": \"%s\", \"p10\": %.2f, "
	       "\"median\": %.2f, \"p90\": %.2f, \"chunks\": %zu, \"hz\": %lu}\n",
			source, variant, bench_chunks_quantile(c, 0.1),
			bench_chunks_quantile(c, 0.5), bench_chunks_quantile(c, 0.9), c->n,
			rte_get_tsc_hz());
}

int
main(int argc, char **argv)
{
	struct bench_result base = {0}, all = {0};
	struct bench_chunks notice = {0}, option[2] = {0};
	struct bench_options o;
	struct bench_rig rig;

	bench_options_read(argc, argv, &o);
	bench_rig_create(&rig, &o.setup);
	if (o.variant != NULL)
		return profile(&rig, &o);
	for (unsigned int round = 0; round < o.rounds; round++) {
		struct bench_result with = {0}, without = {0};
		struct build build[2];

		measure_variant(&rig, &quiet, o.chunks, &without);
		measure_variant(&rig, &congested, o.chunks, &with);
		if (without.notices != 0 || with.notices != with.received || with.dropped != 0)
			errx(1,
					"not what was to be measured: %lu notices for %lu packets, "
					"%lu dropped",
					with.notices, with.received, with.dropped);
		/* a sample a round: the difference of two medians */
		bench_chunks_add(&notice,
				bench_chunks_quantile(&with.cycles, 0.5) -
						bench_chunks_quantile(&without.cycles, 0.5));
		for (size_t i = 0; i < with.cycles.n; i++)
			bench_chunks_add(&all.cycles, with.cycles.sample[i]);
		for (size_t i = 0; i < without.cycles.n; i++)
			bench_chunks_add(&base.cycles, without.cycles.sample[i]);
		bench_chunks_free(&with.cycles);
		bench_chunks_free(&without.cycles);
		for (unsigned int k = 0; k < (o.setup.cnp ? 1 : RTE_DIM(build)); k++) {
			build[k] = (struct build){o.chunks, k == 1, &option[k]};
			bench_rig_run(&rig, measure_build, &build[k]);
		}
	}
	bench_rig_free(&rig);
	print_figure(o.source, "quiet_packet", &base.cycles);
	print_figure(o.source, "congested_packet", &all.cycles);
	print_figure(o.source, "all_in", &notice);
	print_rate(o.source, &all.cycles);
	print_figure(o.source, o.setup.cnp ? "build_cnp" : "build_option1", &option[0]);
	if (!o.setup.cnp)
		print_figure(o.source, "build_option2", &option[1]);
	bench_stages_print(o.source);
	rte_eal_cleanup();
	return 0;
}
