/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <string.h>

#include "fcn_exports.h"
#include "health.h"

/* Why a port does not work; NULL: it does. */
static const char *
fault_of(const struct fcn_control *ctl, unsigned int p)
{
	if (fcn_control_build_env(ctl)->port[p].down)
		return "has no link";
	if (fcn_control_snapshot(ctl)->port[p].err_disabled)
		return "is closed because of a loop";
	if (__atomic_load_n(&fcn_control_owner(ctl, p)->port[p].stalled, __ATOMIC_RELAXED))
		return "takes no packets";
	return NULL;
}

static bool
write_stalled(const struct fcn_control *ctl, FILE *out)
{
	bool ok = true;

	for (unsigned int i = 0; i < fcn_control_n_workers(ctl); i++) {
		if (!fcn_control_is_stalled(ctl, i))
			continue;
		fprintf(out, "worker %u is stalled: its thread does not run\n", i);
		ok = false;
	}
	return ok;
}

/* The ports that the probe needs. */
static bool
write_needed(const struct fcn_control *ctl, const char *names, FILE *out)
{
	const struct fcn_config *cfg = fcn_control_config(ctl);
	char copy[sizeof(((struct fcn_health_question *)0)->ports)], *save = NULL;
	bool ok = true;

	snprintf(copy, sizeof(copy), "%s", names);
	for (char *name = strtok_r(copy, ",", &save); name != NULL;
			name = strtok_r(NULL, ",", &save)) {
		const int p = fcn_config_port_find(cfg, name);
		const char *fault;

		if (p < 0 || !fcn_config_has_link(cfg, p))
			fault = "does not exist";
		else
			fault = fault_of(ctl, p);
		if (fault == NULL)
			continue;
		fprintf(out, "port %s %s\n", name, fault);
		ok = false;
	}
	return ok;
}

/* No port works, although there are some. */
static bool
write_no_port(const struct fcn_control *ctl, FILE *out)
{
	const struct fcn_config *cfg = fcn_control_config(ctl);
	unsigned int n = 0, first = 0;

	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
		if (!fcn_config_has_link(cfg, p))
			continue;
		if (fault_of(ctl, p) == NULL)
			return true;
		first = n++ == 0 ? p : first;
	}
	if (n == 0)
		return true;
	fprintf(out, "no port works: port %s %s", cfg->port[first].name, fault_of(ctl, first));
	fprintf(out, n > 1 ? ", and so on for all %u\n" : "\n", n);
	return false;
}

static void
write_others(const struct fcn_control *ctl, FILE *out)
{
	const struct fcn_config *cfg = fcn_control_config(ctl);

	fputs("ok\n", out);
	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
		const char *fault = fcn_config_has_link(cfg, p) ? fault_of(ctl, p) : NULL;

		if (fault != NULL)
			fprintf(out, "port %s %s\n", cfg->port[p].name, fault);
	}
}

bool
fcn_health_write(const struct fcn_show_source *source, const struct fcn_health_question *q,
		FILE *out)
{
	bool ok = write_stalled(source->ctl, out);

	if (q->alive_only) {
		if (ok)
			fputs("ok\n", out);
		return ok;
	}
	if (!fcn_exports_is_forwarding(source->exports)) {
		fputs("the switch is stopped: the command start has it forward\n", out);
		ok = false;
	}
	ok &= write_no_port(source->ctl, out);
	ok &= write_needed(source->ctl, q->ports, out);
	if (ok)
		write_others(source->ctl, out);
	return ok;
}
