/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <stdlib.h>
#include <string.h>

#include <bsd/string.h>

#include "fcn_json_text.h"
#include "fcn_show.h"
#include "status.h"

void
status_begin(struct status *status)
{
	*status = (struct status){.started = time(NULL)};
	status->since = status->started;
}

void
status_forwarding(struct status *status, bool forwarding)
{
	status->forwarding = forwarding;
	status->since = time(NULL);
}

void
status_saved(struct status *status, const char *file, const struct fcn_control *ctl)
{
	char path[PATH_MAX];

	if (realpath(file, path) == NULL)
		strlcpy(path, file, sizeof(path));
	if (status->file[0] == '\0')
		strlcpy(status->file, path, sizeof(status->file));
	if (strcmp(status->file, path) == 0)
		status->saved = fcn_control_commits(ctl);
}

static json_t *
show_time(time_t time)
{
	struct tm tm;
	char text[32];

	gmtime_r(&time, &tm);
	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm);
	return json_string(text);
}

/* The ports with a link of their own: all, and those whose link is up. */
static json_t *
show_ports(const struct fcn_control *ctl)
{
	const struct fcn_config *cfg = fcn_control_config(ctl);
	uint64_t all = 0, up = 0;

	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
		if (!fcn_config_has_link(cfg, p))
			continue;
		all++;
		up += !fcn_control_build_env(ctl)->port[p].down;
	}
	return json_pack("{s:I, s:I}", "up", (json_int_t)up, "all", (json_int_t)all);
}

/* Notices of all ports over the last second; null if nothing measures them. */
static json_t *
show_notices(const struct fcn_control *ctl)
{
	const struct fcn_rates *rates = fcn_control_rates(ctl);
	uint64_t sum = 0;

	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
		struct fcn_queue_rates queue[FCN_CLASSES];
		struct fcn_port_rates port;

		if (fcn_rates_get(rates, p, &port, queue))
			sum += port.notices;
	}
	return fcn_rates_over(rates) != 0 ? json_integer((json_int_t)sum) : json_null();
}

/* The numbers of the workers whose thread does not run. */
static json_t *
show_stalled(const struct fcn_control *ctl)
{
	json_t *list = json_array();

	for (unsigned int i = 0; i < fcn_control_n_workers(ctl); i++) {
		if (fcn_control_is_stalled(ctl, i))
			json_array_append_new(list, json_integer(i));
	}
	return list;
}

json_t *
status_show(const struct status *status, struct fcn_control *ctl)
{
	json_t *o = json_object(), *file = json_object();

	if (status != NULL) {
		json_object_set_new(o, "forwarding", json_boolean(status->forwarding));
		json_object_set_new(o, "since", show_time(status->since));
		json_object_set_new(o, "started", show_time(status->started));
		fcn_show_set(o, "started_unix", (uint64_t)status->started);
	}
	if (status != NULL && status->file[0] != '\0') {
		json_object_set_new(file, "file", fcn_json_text(status->file));
		json_object_set_new(file, "saved",
				json_boolean(status->saved == fcn_control_commits(ctl)));
		json_object_set_new(o, "configuration", file);
	} else {
		json_decref(file);
		json_object_set_new(o, "configuration", json_null());
	}
	json_object_set_new(o, "ports", show_ports(ctl));
	fcn_show_set(o, "workers", fcn_control_n_workers(ctl));
	json_object_set_new(o, "stalled_workers", show_stalled(ctl));
	fcn_show_set(o, "warnings",
			fcn_control_warnings(ctl)->n + fcn_control_warnings(ctl)->left_out);
	json_object_set_new(o, "notices_per_second", show_notices(ctl));
	return o;
}
