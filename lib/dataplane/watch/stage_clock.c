/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "stage_clock.h"

#include <string.h>

/* Readings of the counter, the least distance of which is what a reading takes. */
#define COST_READINGS 100

/* Get the cycles since the counter had a value, without those that the reading takes. */
static uint64_t
since(const struct fcn_worker *w, uint64_t last, uint64_t now)
{
	/* The counters of cores may differ by a few cycles. */
	return now > last + w->stage_cycles.cost ? now - last - w->stage_cycles.cost : 0;
}

void
fcn_cycles_reconfigure(struct fcn_worker *w)
{
	struct fcn_stage_cycles *c = &w->stage_cycles;
	const bool on = w->snap->stage_cycles && w->stage_clock.read != NULL;
	uint64_t last, now;

	if (on == w->stage_clock.on)
		return;
	w->stage_clock.on = on;
	if (!on)
		return;
	memset(c, 0, sizeof(*c));
	c->cost = UINT64_MAX;
	last = w->stage_clock.read();
	for (unsigned int i = 0; i < COST_READINGS; i++) {
		now = w->stage_clock.read();
		c->cost = RTE_MIN(c->cost, now - last);
		last = now;
	}
	c->last = last; /* a turn that has begun without is measured from here on */
}

void
fcn_cycles_begin(struct fcn_worker *w)
{
	memset(w->stage_cycles.turn, 0, sizeof(w->stage_cycles.turn));
	w->stage_cycles.last = w->stage_clock.read();
}

void
fcn_cycles_lap(struct fcn_worker *w, unsigned int stage, unsigned int packets)
{
	struct fcn_stage_cycles *c = &w->stage_cycles;
	struct fcn_stage_work *work = &c->turn[stage];
	uint64_t now = w->stage_clock.read();

	work->cycles += since(w, c->last, now);
	work->packets += packets;
	work->calls += packets != 0;
	c->last = now;
}

uint64_t
fcn_cycles_interrupt(struct fcn_worker *w)
{
	uint64_t now = w->stage_clock.read(), before = since(w, w->stage_cycles.last, now);

	w->stage_cycles.last = now;
	return before;
}

void
fcn_cycles_resume(struct fcn_worker *w, uint64_t before)
{
	w->stage_cycles.last -= before;
}

void
fcn_cycles_end(struct fcn_worker *w, bool busy)
{
	struct fcn_stage_cycles *c = &w->stage_cycles;
	uint64_t cycles = 0;

	for (unsigned int i = 0; i < FCN_CYCLES_COUNT; i++)
		cycles += c->turn[i].cycles;
	if (cycles > FCN_CYCLES_TURN_MAX) {
		c->left_out++;
		return;
	}
	if (!busy) {
		c->sum[FCN_CYCLES_IDLE].cycles += cycles;
		c->sum[FCN_CYCLES_IDLE].calls++;
		return;
	}
	c->turn[FCN_CYCLES_OTHER].calls = 1;
	for (unsigned int i = 0; i < FCN_CYCLES_COUNT; i++) {
		c->sum[i].cycles += c->turn[i].cycles;
		c->sum[i].packets += c->turn[i].packets;
		c->sum[i].calls += c->turn[i].calls;
	}
}
