/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Cycles per packet from receive to transmit, with each detector, and of the
 * bare ports beside them; the variants take turns. One line of JSON each.
 */

#include <err.h>
#include <stdio.h>
#include <string.h>

#include <rte_common.h>
#include <rte_eal.h>

#include "measure.h"
#include "options.h"
#include "stages.h"

static const struct bench_variant variants[] = {
		{.name = "off"},
		{.name = "step", .detector = FCN_DETECTOR_STEP},
		{.name = "red", .detector = FCN_DETECTOR_RED},
		{.name = "qcn", .detector = FCN_DETECTOR_QCN},
		{.name = "sojourn", .detector = FCN_DETECTOR_SOJOURN},
		{.name = "rate", .detector = FCN_DETECTOR_RATE},
		{.name = "shared", .detector = FCN_DETECTOR_STEP, .shared = true},
		{.name = "lossless", .detector = FCN_DETECTOR_STEP, .lossless = true},
		{.name = "untold",
				.detector = FCN_DETECTOR_STEP,
				.congested = true,
				.untold = true},
};

/* The last result is that of the bare ports. */
#define BARE RTE_DIM(variants)

static const char *
name_of(unsigned int i)
{
	return i == BARE ? "bare" : variants[i].name;
}

static bool
is_wanted(const struct bench_options *o, unsigned int i)
{
	const char *name = name_of(i), *found = o->variant;
	const size_t len = strlen(name);

	while (found != NULL) {
		if (strncmp(found, name, len) == 0 && (found[len] == '\0' || found[len] == ','))
			return true;
		found = strchr(found, ',');
		found = found == NULL ? NULL : found + 1;
	}
	return o->variant == NULL;
}

/* Whether each packet, and no other, was processed by SRv6. */
static bool
is_right_srv6(const struct bench_options *o, unsigned int i, const struct bench_result *r)
{
	const enum bench_srv6 kind = o->setup.traffic.srv6;
	const bool wanted = i != BARE && kind != BENCH_SRV6_NONE && kind != BENCH_SRV6_P_NODE;

	return r->srv6 == (wanted ? r->received : 0);
}

static int
report(const struct bench_options *o, struct bench_result *results)
{
	const char *bench = o->setup.traffic.bridged ? "bridge" : "route";
	int status = 0;

	for (unsigned int i = 0; i <= BARE; i++) {
		struct bench_result *r = &results[i];

		if (!is_wanted(o, i))
			continue;
		bench_result_print(bench, o->source, name_of(i), r);
		if (r->dropped != 0 || r->notices != 0 || r->received == 0 ||
				!is_right_srv6(o, i, r)) {
			warnx("%s: not what was to be measured", name_of(i));
			status = 1;
		}
		bench_chunks_free(&r->cycles);
	}
	return status;
}

int
main(int argc, char **argv)
{
	struct bench_result results[RTE_DIM(variants) + 1] = {0};
	struct bench_options options;
	struct bench_rig rig;
	int status;

	bench_options_read(argc, argv, &options);
	options.setup.has_counter = true;
	bench_rig_create(&rig, &options.setup);
	for (unsigned int round = 0; round < options.rounds; round++) {
		for (unsigned int i = 0; i <= BARE; i++) {
			struct bench_run run = {
					.chunks = options.chunks,
					.bare = i == BARE,
					.result = &results[i],
			};

			if (!is_wanted(&options, i))
				continue;
			if (!run.bare)
				bench_rig_configure(&rig, &variants[i]);
			bench_rig_run(&rig, bench_measure, &run);
		}
	}
	bench_stages_print(options.source);
	bench_rig_free(&rig);
	status = report(&options, results);
	rte_eal_cleanup();
	return status;
}
