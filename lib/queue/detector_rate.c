/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* The detector rate: arrivals in relation to the rate of the port, which show congestion before a
 * queue has grown. */

#include "detector_state.h"

#define SUM_SHIFT 16                   /* rate_sum is in units of 2^-16 bytes */
#define WINDOW_BYTES_MAX (1ull << 40)  /* keeps rate_sum far below 2^64 */
#define BIT_NS_PERMILLE 8000000000000u /* 8 bits a byte, 10^9 ns a second, 1000 */

/*
 * The maximum number of windows that are applied one by one. After as many empty windows the
 * average is 0.
 */
#define WINDOWS_MAX 128

static uint32_t
average(const struct fcn_detector *d, const struct fcn_detector_conf *conf)
{
	unsigned __int128 sum = (unsigned __int128)d->rate_sum * BIT_NS_PERMILLE;
	unsigned __int128 full = (unsigned __int128)conf->bps * conf->interval_ns;
	unsigned __int128 rate = sum / (full << (SUM_SHIFT + 3));

	return RTE_MIN(rate, (unsigned __int128)UINT32_MAX);
}

/* Update the state at the end of a window, to find the time at which the rate falls below leave. */
static void
follow(struct fcn_detector *d, const struct fcn_detector_conf *conf)
{
	d->rate = average(d, conf);
	fcn_detector_follow(d, conf, d->rate, d->window_ns);
}

static void
pass_windows(struct fcn_detector *d, const struct fcn_detector_conf *conf, uint64_t now)
{
	uint64_t windows = (now - d->window_ns) / conf->interval_ns;
	uint64_t alone = RTE_MIN(windows, (uint64_t)WINDOWS_MAX);

	for (uint64_t i = 0; i < alone; i++) {
		uint64_t bytes = RTE_MIN(d->arrived, WINDOW_BYTES_MAX);

		d->rate_sum += (bytes << SUM_SHIFT) - (d->rate_sum >> 3);
		d->arrived = 0;
		d->window_ns += conf->interval_ns;
		/* Empty windows cannot raise a rate that is already below. */
		if (d->congested && (i == 0 || !d->below))
			follow(d, conf);
	}
	if (windows > alone) {
		d->rate_sum = 0;
		d->window_ns += conf->interval_ns;
		follow(d, conf);
		d->window_ns += (windows - alone - 1) * conf->interval_ns;
	}
	d->rate = average(d, conf);
}

/* Update the state to the time `now`: windows may have ended. */
static void
update(struct fcn_detector *d, const struct fcn_detector_conf *conf, uint64_t now)
{
	if (d->windowed && now - d->window_ns >= conf->interval_ns)
		pass_windows(d, conf, now);
	fcn_detector_follow(d, conf, d->rate, now);
}

int
fcn_detector_evaluate_rate(struct fcn_detector *d, const struct fcn_detector_conf *conf,
		const struct fcn_detector_view *view)
{
	if (!d->windowed) {
		d->windowed = true;
		d->window_ns = view->now;
		d->arrived = 0;
	}
	update(d, conf, view->now);
	d->arrived += view->len;
	if (!d->congested) {
		if (d->rate < conf->enter)
			return FCN_LEVEL_NONE;
		fcn_detector_enter(d, conf, d->rate, view->now);
	}
	fcn_detector_set_level(d, conf, fcn_detector_level(conf, d->rate), view->now);
	return d->level;
}

void
fcn_detector_tick_rate(struct fcn_detector *d, const struct fcn_detector_conf *conf,
		uint32_t occupancy, uint32_t age_ns, uint64_t now)
{
	RTE_SET_USED(occupancy);
	RTE_SET_USED(age_ns);
	update(d, conf, now);
}
