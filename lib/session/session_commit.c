/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* The candidate of a session, from its beginning to the commit. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "session_private.h"

/* Put metrics and event log of a configuration into force, if the program has them. */
static int
apply_exports(struct fcn_session *session, const struct fcn_config *cfg, char *err, size_t err_size)
{
	struct fcn_exports *exports = fcn_session_exports(session);

	if (!session->exports_dirty || exports == NULL)
		return 0;
	if (session->starting) {
		fcn_exports_start(exports, &cfg->exports);
		return 0;
	}
	if (fcn_exports_apply(exports, &cfg->exports, err, err_size) == 0)
		return 0;
	if (!session->returning)
		return -1;
	fcn_exports_start(exports, &cfg->exports); /* what is not possible now is tried again */
	err[0] = '\0';
	return 0;
}

/* ---- a configuration of before, of which parts may not be there any more ---- */

/* Add the ports whose devices other ports of the candidate have: a device is open once. */
static void
add_devices_in_use(const struct fcn_config *running, const struct fcn_config *candidate,
		struct fcn_port_set *set)
{
	for (unsigned int p = 0; p < running->n_ports; p++) {
		const char *device = running->port[p].device;

		for (unsigned int q = 0; device[0] != '\0' && q < candidate->n_ports; q++) {
			if (q != p && strcmp(candidate->port[q].device, device) == 0)
				fcn_port_set_add(set, p);
		}
	}
}

/*
 * Remove ports from the running configuration that the candidate has as others: they come back with
 * it.
 *
 * @return a copy of the configuration of before, if ports were removed; otherwise NULL
 */
static struct fcn_config *
make_way(struct fcn_session *session)
{
	const struct fcn_config *running = fcn_control_config(session->ctl);
	struct fcn_config *rest, *before;
	struct fcn_port_set set;
	char err[256];

	fcn_control_conflicts(session->ctl, session->candidate, &set);
	add_devices_in_use(running, session->candidate, &set);
	if (fcn_port_set_is_empty(&set))
		return NULL;
	before = fcn_config_copy(running);
	rest = fcn_config_copy(running);
	if (before != NULL && rest != NULL) {
		FCN_PORT_SET_FOREACH (p, &set)
			fcn_config_port_remove(rest, (uint16_t)p);
		if (fcn_control_commit(session->ctl, rest, err, sizeof(err)) == 0)
			return before;
		/* It is refused, so the candidate is, too, and that tells why. */
	}
	fcn_config_free(rest);
	fcn_config_free(before);
	return NULL;
}

/* Have ports on workers that there are not served by any worker. */
static void
choose_workers(struct fcn_session *session, struct fcn_warnings *left_out)
{
	const unsigned int n = fcn_control_n_workers(session->ctl);
	struct fcn_config *cfg = session->candidate;
	char place[FCN_WARNING_PLACE];

	for (unsigned int p = 0; p < cfg->n_ports; p++) {
		struct fcn_config_port *port = &cfg->port[p];

		if (fcn_control_qsbr(session->ctl) == NULL || port->name[0] == '\0' ||
				port->worker == FCN_AUTO || port->worker < n)
			continue;
		snprintf(place, sizeof(place), "port %s", port->name);
		fcn_warn(left_out, FCN_WARNING_LEFT_OUT, p, place,
				"there is no worker %u now; another one serves the port",
				port->worker);
		port->worker = FCN_AUTO;
	}
}

/* Leave what a commit did not find out of the candidate. @return false: that is not why it failed
 */
static bool
leave_out(struct fcn_session *session, const char *why, struct fcn_warnings *left_out)
{
	const struct fcn_config *running = fcn_control_config(session->ctl);
	const int lacking = fcn_control_lacking(session->ctl);
	struct fcn_config *cfg = session->candidate;
	char place[FCN_WARNING_PLACE];
	bool any = false;

	if (!fcn_control_is_unavailable(session->ctl))
		return false;
	if (lacking >= 0) {
		snprintf(place, sizeof(place), "port %s", cfg->port[lacking].name);
		fcn_warn(left_out, FCN_WARNING_LEFT_OUT, FCN_MAX_PORTS, place,
				"%.200s; it and what refers to it is left out", why);
		return fcn_config_port_remove(cfg, (uint16_t)lacking) == 0;
	}
	/* It is something of the kernel: the interfaces that there are stay. */
	for (unsigned int p = 0; p < cfg->n_ports; p++) {
		struct fcn_config_port *port = &cfg->port[p];

		if (port->kernel[0] == '\0' || strcmp(port->kernel, running->port[p].kernel) == 0)
			continue;
		port->kernel[0] = '\0';
		any = true;
	}
	any |= strcmp(cfg->kernel.netns, running->kernel.netns) != 0;
	memcpy(cfg->kernel.netns, running->kernel.netns, sizeof(cfg->kernel.netns));
	fcn_warn(left_out, FCN_WARNING_LEFT_OUT, FCN_MAX_PORTS, "kernel",
			"%.160s; interfaces of the kernel that were not there are left out", why);
	return any;
}

/* Put the warnings about what was left out in force, in place of those of before. */
static void
put_left_out(struct fcn_control *ctl, struct fcn_warnings *left_out)
{
	const struct fcn_warnings *set = fcn_control_warnings(ctl);

	for (unsigned int i = set->n; i > 0; i--) {
		const struct fcn_warning *w = &set->item[i - 1];
		char place[FCN_WARNING_PLACE];

		if (w->kind != FCN_WARNING_LEFT_OUT ||
				fcn_warning_find(left_out, w->kind, w->place) != NULL)
			continue;
		memcpy(place, w->place, sizeof(place));
		fcn_control_warning_over(ctl, FCN_WARNING_LEFT_OUT, place);
	}
	for (unsigned int i = 0; i < left_out->n; i++) {
		const struct fcn_warning *w = &left_out->item[i];

		fcn_control_warn(ctl, FCN_WARNING_LEFT_OUT, w->port, w->place, "%s", w->reason);
	}
}

static int
commit_what_is_there(struct fcn_session *session, char *err, size_t err_size)
{
	struct fcn_warnings *left_out = calloc(1, sizeof(*left_out));
	struct fcn_config *before;
	char again[256];
	int rc;

	if (left_out == NULL)
		return -1;
	choose_workers(session, left_out);
	before = make_way(session);
	do
		rc = fcn_control_commit(session->ctl, session->candidate, err, err_size);
	while (rc != 0 && leave_out(session, err, left_out));
	if (rc == 0) {
		err[0] = '\0';
		put_left_out(session->ctl, left_out);
	}
	/* All of it or nothing: the ports that were removed come back. */
	if (rc == 0 || before == NULL ||
			fcn_control_commit(session->ctl, before, again, sizeof(again)) != 0)
		fcn_config_free(before);
	free(left_out);
	return rc;
}

/* End the warnings about ports that are there again. */
static void
look_for_left_out(struct fcn_control *ctl)
{
	const struct fcn_warnings *set = fcn_control_warnings(ctl);

	for (unsigned int i = set->n; i > 0; i--) {
		const struct fcn_warning *w = &set->item[i - 1];
		char place[FCN_WARNING_PLACE];

		if (w->kind != FCN_WARNING_LEFT_OUT || w->port != FCN_MAX_PORTS ||
				strncmp(w->place, "port ", 5) != 0 ||
				fcn_config_port_find(fcn_control_config(ctl), w->place + 5) < 0)
			continue;
		memcpy(place, w->place, sizeof(place));
		fcn_control_warning_over(ctl, FCN_WARNING_LEFT_OUT, place);
	}
}

/* ---- commits ---- */

/* Commit the candidate, all of it or nothing. @return as fcn_session_load() */
static int
commit(struct fcn_session *session, char *err, size_t err_size)
{
	char again[256];
	int rc;

	if (apply_exports(session, session->candidate, err, err_size) != 0)
		return -ENODEV;
	rc = session->returning
			     ? commit_what_is_there(session, err, err_size)
			     : fcn_control_commit(session->ctl, session->candidate, err, err_size);
	if (rc == 0) {
		look_for_left_out(session->ctl);
		return 0;
	}
	apply_exports(session, fcn_control_config(session->ctl), again, sizeof(again));
	return fcn_control_is_unavailable(session->ctl) ? -ENODEV : -EINVAL;
}

int
fcn_session_begin(struct fcn_session *session, bool afresh)
{
	session->dirty = session->exports_dirty = false;
	session->candidate = afresh ? fcn_config_create()
				    : fcn_config_copy(fcn_control_config(session->ctl));
	if (session->candidate == NULL)
		return -ENOMEM;
	fcn_config_note_ports(session->candidate, fcn_control_config(session->ctl));
	return 0;
}

int
fcn_session_end(struct fcn_session *session, int rc, char *err, size_t err_size)
{
	if (rc == 0 && session->dirty) {
		rc = commit(session, err, err_size);
		if (rc == 0) {
			session->candidate = NULL;
			fcn_captures_ports(session->captures);
		}
	}
	fcn_config_free(session->candidate);
	session->candidate = NULL;
	session->dirty = session->exports_dirty = false;
	return rc;
}

int
fcn_session_return(struct fcn_session *session, const struct fcn_session_text *text, FILE *err)
{
	const struct fcn_session_files *files = session->files;
	int rc;

	session->files = NULL; /* it was in force before */
	session->returning = true;
	rc = fcn_session_load_text(session, text, 1, true, err);
	session->returning = false;
	session->files = files;
	return rc;
}

void
fcn_session_print_warnings(const struct fcn_session *session, uint64_t before, FILE *out)
{
	const struct fcn_warnings *set = fcn_control_warnings(session->ctl);

	for (unsigned int i = 0; i < set->n; i++) {
		const struct fcn_warning *w = &set->item[i];

		if (w->number >= before)
			fprintf(out, "warning: %s: %s\n", w->place, w->reason);
	}
}
