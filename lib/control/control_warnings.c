/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * The warnings in force: those of the snapshot that is published, and those that control raises
 * itself. Each is logged once, when it comes, when its reason changes and when it is over, and is
 * an event when it comes and when it is over.
 */

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bsd/string.h>

#include "control_private.h"

/* Room that warnings of snapshots leave to those of control: of the kernel's interface of each
 * port, of route tables, workers, and some others. */
#define OF_CONTROL (FCN_MAX_PORTS + FCN_MAX_TABLES + FCN_MAX_WORKERS + 16)

int
fcn_control_warnings_create(struct fcn_control *ctl)
{
	ctl->warnings = calloc(1, sizeof(*ctl->warnings));
	ctl->env.warnings = calloc(1, sizeof(*ctl->env.warnings));
	return ctl->warnings == NULL || ctl->env.warnings == NULL ? -ENOMEM : 0;
}

void
fcn_control_warnings_free(struct fcn_control *ctl)
{
	free(ctl->warnings);
	free(ctl->env.warnings);
}

const struct fcn_warnings *
fcn_control_warnings(const struct fcn_control *ctl)
{
	return ctl->warnings;
}

uint64_t
fcn_control_warnings_total(const struct fcn_control *ctl)
{
	return ctl->n_warnings;
}

static void
note(struct fcn_control *ctl, enum fcn_event_type type, const struct fcn_warning *w)
{
	const struct fcn_event ev = {
			.time_ns = fcn_control_now(ctl),
			.type = type,
			.level = FCN_LEVEL_NONE,
			.verdict = w->kind,
			.port = w->port,
			.in_port = w->port,
	};

	fcn_collector_note(ctl->collector, &ev);
}

static void
log_warning(struct fcn_control *ctl, const struct fcn_warning *w, bool is_over)
{
	char line[FCN_WARNING_PLACE + FCN_WARNING_REASON + 32];

	snprintf(line, sizeof(line), "%s: %s: %s", is_over ? "over" : "warning", w->place,
			w->reason);
	fcn_control_log(ctl, line);
}

/* Put a warning in force, unless it is. */
static void
begin(struct fcn_control *ctl, const struct fcn_warning *from)
{
	struct fcn_warning *w = fcn_warning_find(ctl->warnings, from->kind, from->place);
	const bool is_new = w == NULL;

	if (!is_new && strcmp(w->reason, from->reason) == 0)
		return;
	fcn_warn(ctl->warnings, from->kind, from->port, from->place, "%s", from->reason);
	w = fcn_warning_find(ctl->warnings, from->kind, from->place);
	if (w == NULL) /* there is no room */
		return;
	w->number = ctl->n_warnings++;
	w->of_control = from->of_control;
	log_warning(ctl, w, false);
	if (!is_new)
		return;
	w->since_ns = fcn_control_now(ctl);
	note(ctl, FCN_EVENT_WARNING, w);
}

static void
end(struct fcn_control *ctl, const struct fcn_warning *w)
{
	const struct fcn_warning copy = *w;

	fcn_warning_remove(ctl->warnings, copy.kind, copy.place);
	log_warning(ctl, &copy, true);
	note(ctl, FCN_EVENT_WARNING_OVER, &copy);
}

void
fcn_control_warnings_publish(struct fcn_control *ctl)
{
	struct fcn_warnings *built = ctl->env.warnings, *set = ctl->warnings;

	for (unsigned int i = set->n; i > 0; i--) {
		const struct fcn_warning *w = &set->item[i - 1];

		if (!w->of_control && fcn_warning_find(built, w->kind, w->place) == NULL)
			end(ctl, w);
	}
	set->left_out = built->left_out;
	for (unsigned int i = 0; i < built->n; i++) {
		const struct fcn_warning *w = &built->item[i];

		if (set->n < FCN_WARNINGS_MAX - OF_CONTROL ||
				fcn_warning_find(set, w->kind, w->place) != NULL)
			begin(ctl, w);
		else
			set->left_out++;
	}
}

void
fcn_control_warn(struct fcn_control *ctl, enum fcn_warning_kind kind, unsigned int port,
		const char *place, const char *fmt, ...)
{
	struct fcn_warning w = {.kind = kind, .port = (uint16_t)port, .of_control = true};
	va_list ap;

	strlcpy(w.place, place, sizeof(w.place));
	va_start(ap, fmt);
	vsnprintf(w.reason, sizeof(w.reason), fmt, ap);
	va_end(ap);
	begin(ctl, &w);
}

void
fcn_control_warning_over(struct fcn_control *ctl, enum fcn_warning_kind kind, const char *place)
{
	const struct fcn_warning *w = fcn_warning_find(ctl->warnings, kind, place);

	if (w != NULL)
		end(ctl, w);
}

void
fcn_control_warnings_replace(
		struct fcn_control *ctl, enum fcn_warning_kind kind, struct fcn_warnings *these)
{
	for (unsigned int i = ctl->warnings->n; i > 0; i--) {
		const struct fcn_warning *w = &ctl->warnings->item[i - 1];

		if (w->kind == kind && fcn_warning_find(these, kind, w->place) == NULL)
			fcn_control_warning_over(ctl, kind, w->place);
	}
	for (unsigned int i = 0; i < these->n; i++) {
		const struct fcn_warning *w = &these->item[i];

		fcn_control_warn(ctl, kind, w->port, w->place, "%s", w->reason);
	}
}
