/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "show_private.h"

struct reading {
	struct fcn_stage_work work[FCN_CYCLES_COUNT];
	uint64_t left_out;
	bool available;
};

static void
read_stages(struct fcn_worker *w, void *arg)
{
	struct reading *r = arg;

	memcpy(r->work, w->stage_cycles.sum, sizeof(r->work));
	r->left_out = w->stage_cycles.left_out;
	r->available = w->stage_clock.read != NULL;
}

/* A ratio with one decimal, cut off; null without a divisor. */
static json_t *
tenths(uint64_t value, uint64_t times, uint64_t by)
{
	unsigned __int128 product = (unsigned __int128)value * times * 10;

	return by != 0 ? json_real((double)(uint64_t)(product / by) / 10) : json_null();
}

/* @param all cycles of busy turns, of which the stage has a share; 0: it is no part of them */
static void
show_work(const char *stage, const struct fcn_stage_work *work, uint64_t all, json_t *list)
{
	json_t *o = fcn_show_row(list);

	fcn_show_set_str(o, "stage", stage);
	json_object_set_new(o, "cycles_per_packet", tenths(work->cycles, 1, work->packets));
	json_object_set_new(o, "cycles_per_call", tenths(work->cycles, 1, work->calls));
	json_object_set_new(o, "percent", tenths(work->cycles, 100, all));
	fcn_show_set(o, "packets", work->packets);
	fcn_show_set(o, "calls", work->calls);
	fcn_show_set(o, "cycles", work->cycles);
}

/* List the stages that were called, what else busy turns did, and the sum of both. Packets of the
 * sum are those that came from ports and from other workers. */
static json_t *
show_stages(const struct fcn_stage_work *work)
{
	struct fcn_stage_work busy = work[FCN_CYCLES_OTHER];
	json_t *list = json_array();

	for (unsigned int s = 0; s < FCN_STAGE_COUNT; s++)
		busy.cycles += work[s].cycles;
	for (unsigned int s = 0; s < FCN_STAGE_COUNT; s++) {
		if (work[s].calls != 0)
			show_work(fcn_stage_name(s), &work[s], busy.cycles, list);
	}
	if (busy.calls != 0) {
		show_work("other", &work[FCN_CYCLES_OTHER], busy.cycles, list);
		show_work("all", &busy, busy.cycles, list);
	}
	if (work[FCN_CYCLES_IDLE].calls != 0)
		show_work("idle", &work[FCN_CYCLES_IDLE], 0, list);
	return list;
}

static void
add(struct reading *sum, const struct reading *r)
{
	for (unsigned int s = 0; s < FCN_CYCLES_COUNT; s++) {
		sum->work[s].cycles += r->work[s].cycles;
		sum->work[s].packets += r->work[s].packets;
		sum->work[s].calls += r->work[s].calls;
	}
	sum->left_out += r->left_out;
	sum->available |= r->available;
}

json_t *
fcn_show_stage_cycles(struct fcn_control *ctl)
{
	const unsigned int n = fcn_control_n_workers(ctl);
	struct reading sum = {.available = false};
	json_t *o = json_object(), *workers = json_array();

	for (unsigned int i = 0; i < n; i++) {
		struct reading r = {.available = false};
		json_t *rows, *row;
		size_t k;

		fcn_worker_read(fcn_control_worker(ctl, i), read_stages, &r, sizeof(r));
		add(&sum, &r);
		rows = show_stages(r.work);
		json_array_foreach (rows, k, row) {
			json_t *with = json_object();

			fcn_show_set(with, "worker", i);
			json_object_update(with, row);
			json_array_append_new(workers, with);
		}
		json_decref(rows);
	}
	fcn_setting_show(&fcn_worker_scope, "stage cycles", fcn_control_config(ctl), NULL, o);
	fcn_show_set_bool(o, "available", sum.available);
	fcn_show_set(o, "left_out_turns", sum.left_out);
	json_object_set_new(o, "total", show_stages(sum.work));
	json_object_set_new(o, "workers", workers);
	return o;
}
