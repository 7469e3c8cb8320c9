/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <inttypes.h>
#include <time.h>
#include <unistd.h>

#include "fcn_endpoint.h"
#include "fcn_render.h"
#include "progress.h"

#define NS_IN_S 1000000000
#define EVERY (NS_IN_S / 10)
#define WIDTH 40

static uint64_t
wall_clock(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * NS_IN_S + (uint64_t)ts.tv_nsec;
}

void
lab_progress_begin(struct lab_progress_bar *bar, FILE *out)
{
	*bar = (struct lab_progress_bar){
			.out = out, .on = isatty(fileno(out)) == 1, .began = wall_clock()};
	bar->last = bar->began;
}

/* Whether it is time to draw the bar again. */
static bool
is_due(struct lab_progress_bar *bar, uint64_t *now)
{
	if (!bar->on)
		return false;
	*now = wall_clock();
	if (*now - bar->last < EVERY)
		return false;
	bar->last = *now;
	bar->shown = true;
	return true;
}

static void
draw(FILE *out, uint64_t done, uint64_t all)
{
	unsigned int full = all == 0 ? 0 : (unsigned int)((double)done / (double)all * WIDTH);

	fputs("\r[", out);
	for (unsigned int i = 0; i < WIDTH; i++)
		fputc(i < full ? '#' : ' ', out);
	fprintf(out, "] %3.0f%%  ", all == 0 ? 0 : (double)done / (double)all * 100);
}

void
lab_progress_run(void *arg, uint64_t now, uint64_t end, uint64_t frames)
{
	struct lab_progress_bar *bar = arg;
	double seconds;
	char time[32];
	uint64_t t;

	if (!is_due(bar, &t))
		return;
	if (end != FCN_ENDPOINT_NEVER)
		draw(bar->out, now, end);
	else
		fputc('\r', bar->out);
	seconds = (double)(t - bar->began) / (double)NS_IN_S;
	fprintf(bar->out, "%s, %.2f M frames, %.2f M/s\033[K",
			fcn_format_time(now / 1000 * 1000, time, sizeof(time)),
			(double)frames / 1e6, (double)frames / 1e6 / seconds);
	fflush(bar->out);
}

void
lab_progress_end(struct lab_progress_bar *bar)
{
	if (bar->shown)
		fputs("\r\033[K", bar->out);
	bar->shown = false;
	fflush(bar->out);
}
