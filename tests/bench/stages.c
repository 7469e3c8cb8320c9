/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Clocks around the stages, by the linker's --wrap. A clock costs some 20 to
 * 40 cycles a burst; medians over bursts of the same stage.
 */

#include <stdio.h>

#include <rte_cycles.h>

#include "chunks.h"
#include "fcn_stages.h"
#include "stages.h"

/* Bursts whose cycles are kept, per stage. */
#define SAMPLES 20000

/* The linker's names: what calls the stage gets __wrap_, and __real_ is the stage. */
#define STAGES(X)                          \
	X(fast_path, w->received.n - b->n) \
	X(classify, b->n)                  \
	X(bridge, b->n)                    \
	X(route, b->n)                     \
	X(enqueue, b->n)                   \
	X(notice, b->n)

#define DECLARE(name, count)                                                     \
	void __real_fcn_stage_##name(struct fcn_worker *w, struct fcn_burst *b); \
	void __wrap_fcn_stage_##name(struct fcn_worker *w, struct fcn_burst *b);
STAGES(DECLARE)
void __real_fcn_stage_rx(struct fcn_worker *w);
void __wrap_fcn_stage_rx(struct fcn_worker *w);
unsigned int __real_fcn_stage_transmit(struct fcn_worker *w);
unsigned int __wrap_fcn_stage_transmit(struct fcn_worker *w);

/* Which walk a stage was part of. */
enum walk {
	QUIET,     /* of packets, in a turn after one without notices */
	CONGESTED, /* of packets, in a turn after one with notices */
	NOTICES,   /* of the notices themselves */
	WALKS,
};

static const char *const walk_name[WALKS] = {"quiet", "congested", "notices"};

struct stage_clock {
	const char *name;
	struct bench_chunks cycles[WALKS]; /* per packet of a burst */
};

static struct stage_clock clock_rx = {.name = "rx"};
static struct stage_clock clock_transmit = {.name = "transmit"};

static enum walk
walk_of(const struct fcn_worker *w, const struct fcn_burst *b)
{
	if (b == w->notices)
		return NOTICES;
	return w->notices->n != 0 ? CONGESTED : QUIET;
}

static void
note(struct stage_clock *c, enum walk walk, uint64_t cycles, unsigned int packets)
{
	if (packets != 0 && c->cycles[walk].n < SAMPLES)
		bench_chunks_add(&c->cycles[walk], (double)cycles / packets);
}

#define DEFINE(name_, count)                                                     \
	static struct stage_clock clock_##name_ = {.name = #name_};              \
	void __wrap_fcn_stage_##name_(struct fcn_worker *w, struct fcn_burst *b) \
	{                                                                        \
		enum walk walk = walk_of(w, b);                                  \
		uint64_t start = rte_rdtsc();                                    \
		__real_fcn_stage_##name_(w, b);                                  \
		note(&clock_##name_, walk, rte_rdtsc() - start, count);          \
	}
STAGES(DEFINE)

void
__wrap_fcn_stage_rx(struct fcn_worker *w)
{
	uint64_t start = rte_rdtsc();

	__real_fcn_stage_rx(w);
	note(&clock_rx, walk_of(w, w->rx), rte_rdtsc() - start, w->received.n);
}

unsigned int
__wrap_fcn_stage_transmit(struct fcn_worker *w)
{
	uint64_t start = rte_rdtsc();
	unsigned int n = __real_fcn_stage_transmit(w);

	note(&clock_transmit, walk_of(w, w->rx), rte_rdtsc() - start, n);
	return n;
}

static void
print(const char *source, struct stage_clock *c)
{
	for (unsigned int walk = 0; walk < WALKS; walk++) {
		struct bench_chunks *cycles = &c->cycles[walk];

		if (cycles->n == 0)
			continue;
		printf("{\"bench\": \"%s\", \"source\": \"%s\", \"variant\": \"%s\", "
		       "\"p10\": %.2f, \"median\": %.2f, \"p90\": %.2f, \"chunks\": %zu}\n",
				walk_name[walk], source, c->name,
				bench_chunks_quantile(cycles, 0.1),
				bench_chunks_quantile(cycles, 0.5),
				bench_chunks_quantile(cycles, 0.9), cycles->n);
		bench_chunks_free(cycles);
	}
}

void
bench_stages_print(const char *source)
{
#define PRINT(name, count) print(source, &clock_##name);
	print(source, &clock_rx);
	STAGES(PRINT)
	print(source, &clock_transmit);
}
