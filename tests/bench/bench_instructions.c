/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * The same turns of a worker in every run, in a function that a profiler can be told to count
 * within. instructions.py runs it. One line of JSON.
 */

#include <err.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <rte_common.h>
#include <rte_eal.h>
#include <rte_version.h>

#include "config.h"
#include "options.h"
#include "rig.h"

/* valgrind runs what comes before several times as fast as what it counts. */
#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#else
#define CALLGRIND_START_INSTRUMENTATION (void)0
#define CALLGRIND_STOP_INSTRUMENTATION (void)0
#endif

/* So much time passes in a turn that no interval between notices holds any back. */
#define TURN_NS 10000

/* Both are whole rounds of the packets of a port. */
#define TURNS_BEFORE 128 /* fill the caches of the worker */
#define TURNS_COUNTED 512

static const struct bench_variant variants[] = {
		{.name = "step", .detector = FCN_DETECTOR_STEP},
		{.name = "shared", .detector = FCN_DETECTOR_STEP, .shared = true},
		{.name = "lossless", .detector = FCN_DETECTOR_STEP, .lossless = true},
		{.name = "border", .detector = FCN_DETECTOR_STEP, .border = true},
		{.name = "congested", .detector = FCN_DETECTOR_STEP, .congested = true},
		{.name = "untold",
				.detector = FCN_DETECTOR_STEP,
				.congested = true,
				.untold = true},
		{.name = "full", .full = true},
		{.name = "trim", .full = true, .trim = FCN_TRIM_FORWARD},
		{.name = "return", .full = true, .trim = FCN_TRIM_RETURN},
};

/* instructions.py knows the name; so it has to stay a function, and the only one of that name. */
static __attribute__((noinline, noclone)) uint64_t
bench_counted_turns(struct fcn_worker *w, uint64_t now)
{
	for (unsigned int i = 0; i < TURNS_COUNTED; i++)
		fcn_poll_once(w, now += TURN_NS);
	return now;
}

static void
run_turns(struct bench_rig *rig, void *arg)
{
	struct fcn_worker *w = fcn_control_worker(rig->ctl, 0);
	struct fcn_conservation before = {0}, *counted = arg;
	uint64_t now = w->now;

	for (unsigned int i = 0; i < TURNS_BEFORE; i++)
		fcn_poll_once(w, now += TURN_NS);
	bench_rig_refresh(rig);
	fcn_worker_conservation(w, &before);
	CALLGRIND_START_INSTRUMENTATION;
	bench_counted_turns(w, now);
	CALLGRIND_STOP_INSTRUMENTATION;
	fcn_worker_conservation(w, counted);
	counted->received -= before.received;
	counted->transmitted -= before.transmitted;
	counted->dropped -= before.dropped;
	counted->generated -= before.generated;
}

static const struct bench_variant *
variant_of(const struct bench_options *o)
{
	for (unsigned int i = 0; i < RTE_DIM(variants); i++) {
		if (o->variant == NULL || strcmp(o->variant, variants[i].name) == 0)
			return &variants[i];
	}
	errx(2, "there is no variant %s", o->variant);
}

/* Check whether packets, notices and drops are as many as the variant makes. */
static bool
is_as_expected(const struct bench_variant *variant, const struct fcn_conservation *c)
{
	const bool is_told = (variant->congested && !variant->untold) ||
			     variant->trim & FCN_TRIM_RETURN;
	const bool is_lost = variant->full && !(variant->trim & FCN_TRIM_FORWARD);

	return c->received != 0 && c->dropped == (is_lost ? c->received : 0) &&
	       c->generated == (is_told ? c->received : 0) &&
	       c->transmitted == c->received + c->generated - c->dropped;
}

int
main(int argc, char **argv)
{
	struct fcn_conservation counted = {0};
	const struct bench_variant *variant;
	struct bench_options options;
	struct bench_rig rig;

	bench_options_read(argc, argv, &options);
	variant = variant_of(&options);
	bench_rig_create(&rig, &options.setup);
	bench_rig_configure(&rig, variant);
	bench_rig_run(&rig, run_turns, &counted);
	bench_rig_free(&rig);
	printf("{\"compiler\": \"%s %d.%d.%d\", \"dpdk\": \"%s\", \"packets\": %" PRIu64 "}\n",
#ifdef __clang__
			"clang", __clang_major__, __clang_minor__, __clang_patchlevel__,
#else
			"gcc", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__,
#endif
			rte_version(), counted.received);
	if (!is_as_expected(variant, &counted))
		errx(1,
				"not what was to be counted: %" PRIu64 " received, %" PRIu64
				" transmitted, %" PRIu64 " dropped, %" PRIu64 " notices",
				counted.received, counted.transmitted, counted.dropped,
				counted.generated);
	rte_eal_cleanup();
	return 0;
}
