/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "captures_private.h"
#include "fcn_show.h"

static const char *
error_text(int error)
{
	return error == ETIMEDOUT ? "the reader of the pipe does not read" : strerror(error);
}

bool
fcn_captures_failure(const struct fcn_captured *c, char line[FCN_CAPTURES_LINE_LEN])
{
	struct fcn_capture_file_stats stats;

	fcn_capture_file_stats(c->file, &stats);
	snprintf(line, FCN_CAPTURES_LINE_LEN, "capture %s: %s", fcn_capture_file_path(c->file),
			error_text(stats.error));
	return stats.error != 0;
}

unsigned int
fcn_captures_failed(struct fcn_captures *cs, void (*say)(void *arg, const char *line), void *arg)
{
	unsigned int failed = 0;

	for (unsigned int i = 0; cs != NULL && i < FCN_CAPTURE_MAX; i++) {
		const struct fcn_captured *c = &cs->capture[i];
		char line[FCN_CAPTURES_LINE_LEN];

		if (fcn_captures_state(cs, c) == FCN_CAPTURE_FREE || !fcn_captures_failure(c, line))
			continue;
		say(arg, line);
		failed++;
	}
	return failed;
}

static uint64_t
sum(const uint64_t missed[FCN_MAX_PORTS])
{
	uint64_t n = 0;

	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++)
		n += missed[p];
	return n;
}

/* The counters of a capture. */
struct shown {
	FCN_CAPTURE_COUNTERS(FCN_COUNTER_MEMBER)
};

static json_t *
show_one(struct fcn_captures *cs, const struct fcn_captured *c)
{
	enum fcn_captures_state state = fcn_captures_state(cs, c);
	struct fcn_capture_file_stats stats;
	struct fcn_tap_counts counts;
	struct shown shown;
	const char *says;
	json_t *o;

	if (state == FCN_CAPTURE_TAPPED)
		fcn_control_tap_read(cs->ctl, c - cs->capture, &counts);
	else
		counts = c->counts;
	fcn_capture_file_stats(c->file, &stats);
	if (stats.error != 0)
		says = "failed";
	else if (state != FCN_CAPTURE_ENDED)
		says = state == FCN_CAPTURE_TAPPED && !stats.full ? "running" : "ending";
	else
		says = stats.full ? "full" : "stopped";
	o = json_pack("{s:s, s:s, s:s, s:s?, s:I, s:s, s:s?}", "file",
			fcn_capture_file_path(c->file), "port", c->port, "what", c->what, "filter",
			c->filter_text, "snaplen", (json_int_t)c->snaplen, "state", says, "error",
			stats.error != 0 ? error_text(stats.error) : NULL);
	shown = (struct shown){.packets = stats.packets,
			.bytes = stats.bytes,
			.missed = sum(counts.missed) + stats.lost};
	FCN_SHOW_COUNTERS(o, &shown, FCN_CAPTURE_COUNTERS);
	return o;
}

/* The capture with the lowest order that is not below one. */
static const struct fcn_captured *
next_of(struct fcn_captures *cs, uint64_t order)
{
	const struct fcn_captured *next = NULL;

	for (unsigned int i = 0; i < FCN_CAPTURE_MAX; i++) {
		const struct fcn_captured *c = &cs->capture[i];

		if (fcn_captures_state(cs, c) != FCN_CAPTURE_FREE && c->order >= order &&
				(next == NULL || c->order < next->order))
			next = c;
	}
	return next;
}

json_t *
fcn_captures_show(struct fcn_captures *cs)
{
	json_t *list = json_array();

	const struct fcn_captured *c;

	if (cs == NULL)
		return list;
	for (uint64_t order = 0; (c = next_of(cs, order)) != NULL; order = c->order + 1)
		json_array_append_new(list, show_one(cs, c));
	return list;
}
