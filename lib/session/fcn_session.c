/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fcn_captures.h"
#include "fcn_render.h"
#include "load_file.h"
#include "session_private.h"

struct fcn_command_table *
fcn_session_commands(void)
{
	const struct fcn_command_group groups[] = {
			fcn_port_commands,
			fcn_worker_commands,
			fcn_bridge_commands,
			fcn_bridge_limit_commands,
			fcn_bridge_loop_commands,
			fcn_bridge_interface_commands,
			fcn_route_commands,
			fcn_class_commands,
			fcn_queue_commands,
			fcn_detector_commands,
			fcn_buffer_commands,
			fcn_copies_commands,
			fcn_host_commands,
			fcn_police_commands,
			fcn_kernel_commands,
			fcn_pfc_commands,
			fcn_ioam_commands,
			fcn_border_commands,
			fcn_notify_commands,
			fcn_show_commands,
			fcn_trace_commands,
			fcn_capture_commands,
			fcn_system_commands,
			fcn_export_commands,
			fcn_exit_commands,
	};

	return fcn_command_table_create(groups, RTE_DIM(groups));
}

struct fcn_config *
fcn_session_edit(struct fcn_session *session)
{
	session->dirty = true;
	return session->candidate;
}

int
fcn_session_port(struct fcn_session *session, const struct fcn_args *args, const char *key)
{
	const char *name = fcn_args_str(args, key);
	int port = fcn_config_port_find(session->candidate, name);

	if (port < 0)
		return fcn_command_error(args, -ENOENT, key, "there is no port %s", name);
	return port;
}

int
fcn_session_line_port(struct fcn_session *session, const struct fcn_args *args, const char *key)
{
	int port = fcn_session_port(session, args, key);
	const struct fcn_config_port *p;

	if (port < 0 || fcn_config_is_line(session->candidate, port))
		return port;
	p = &session->candidate->port[port];
	if (p->of_bridge >= 0)
		return fcn_command_error(args, -EINVAL, key,
				"%s is an interface of bridge %s and has no line", p->name,
				session->candidate->bridge[p->of_bridge].name);
	return fcn_command_error(args, -EINVAL, key,
			"%s is a sub-interface: this is set for its port, %s", p->name,
			session->candidate->port[p->parent].name);
}

int
fcn_session_ports(struct fcn_session *session, const struct fcn_args *args, const char *key,
		uint64_t *set)
{
	int port;

	*set = 0;
	if (strcmp(fcn_args_str(args, key), "all") != 0) {
		port = fcn_session_line_port(session, args, key);
		*set = port < 0 ? 0 : 1ull << port;
		return port < 0 ? port : 0;
	}
	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
		if (fcn_config_is_line(session->candidate, p))
			*set |= 1ull << p;
	}
	return *set != 0 ? 0 : fcn_command_error(args, -ENOENT, key, "there is no port");
}

int
fcn_session_select(
		struct fcn_session *session, const struct fcn_args *args, struct fcn_selection *sel)
{
	uint64_t class = fcn_args_u64(args, "class", FCN_ARG_CLASS_ALL);

	sel->first_class = class == FCN_ARG_CLASS_ALL ? 0 : class;
	sel->last_class = class == FCN_ARG_CLASS_ALL ? FCN_CLASSES - 1 : class;
	return fcn_session_ports(session, args, "port", &sel->ports);
}

bool
fcn_session_is_on(const struct fcn_args *args)
{
	return strcmp(fcn_args_str(args, "state"), "on") == 0;
}

/* 400 Gbit/s ports exist; more than ten times that is a typing mistake. */
#define MAX_RATE 4000000000000ull
#define MAX_BURST 1000000000

int
fcn_session_rate(const struct fcn_args *args, uint64_t *bps, uint32_t *burst)
{
	uint64_t rate = fcn_args_u64(args, "rate", 0), b = fcn_args_u64(args, "burst", FCN_AUTO);

	if (!fcn_args_has(args, "off") && (rate < 1000 || rate > MAX_RATE))
		return fcn_command_error(args, -ERANGE, "rate", "a rate is 1K to 4000G, or off");
	if (fcn_args_has(args, "burst") && b > MAX_BURST)
		return fcn_command_error(args, -ERANGE, "burst", "a burst is at most 1G");
	*bps = rate;
	*burst = b;
	return 0;
}

/* A value on its way to text, by the helper: of a long list that takes a while. */
struct rendering {
	json_t *value;
	FILE *out;
	bool json, detail;
	const char *const *columns; /* NULL: all of it */
};

static void
render(void *arg)
{
	const struct rendering *r = arg;

	if (r->json)
		fcn_render_json(r->value, r->out);
	else if (r->columns == NULL)
		fcn_render_text(r->value, r->out);
	else if (r->detail)
		fcn_render_each(r->value, r->out);
	else
		fcn_render_columns(r->value, r->columns, r->out);
	json_decref(r->value);
}

int
fcn_session_put(struct fcn_session *session, const struct fcn_args *args, json_t *value)
{
	return fcn_session_put_list(session, args, value, NULL);
}

int
fcn_session_put_list(struct fcn_session *session, const struct fcn_args *args, json_t *value,
		const char *const *columns)
{
	struct rendering r = {.value = value,
			.out = session->out,
			.json = fcn_args_has(args, "json"),
			.detail = fcn_args_has(args, "detail"),
			.columns = columns};

	if (value == NULL)
		return -ENOMEM;
	fcn_control_aside(session->ctl, render, &r);
	return 0;
}

/* Begin a change; nested for `load`, which is itself a line. */
static int
begin(struct fcn_session *session, bool afresh)
{
	session->dirty = false;
	session->candidate = afresh ? fcn_config_create()
				    : fcn_config_copy(fcn_control_config(session->ctl));
	if (session->candidate == NULL)
		return -ENOMEM;
	fcn_config_note_ports(session->candidate, fcn_control_config(session->ctl));
	return 0;
}

/* Put the candidate in force if it was changed and nothing went wrong. */
static int
end(struct fcn_session *session, int rc, char *err, size_t err_size)
{
	if (rc == 0 && session->dirty) {
		rc = fcn_control_commit(session->ctl, session->candidate, err, err_size);
		if (rc == 0) {
			session->candidate = NULL;
			fcn_captures_ports(session->captures);
		} else {
			rc = -EINVAL;
		}
	}
	fcn_config_free(session->candidate);
	session->candidate = NULL;
	session->dirty = false;
	return rc;
}

static void
report(struct fcn_session *session, const struct fcn_diag *diag, int shown_at)
{
	if (diag->column > 0 && shown_at >= 0)
		fprintf(session->out, "%*s^\n%s\n", shown_at + (int)diag->column - 1, "",
				diag->message);
	else if (diag->column > 0)
		fprintf(session->out, "column %u: %s\n", diag->column, diag->message);
	else
		fprintf(session->out, "%s\n", diag->message);
}

int
fcn_session_line(struct fcn_session *session, const char *line, int shown_at)
{
	struct fcn_diag diag = {0};
	char err[512] = "";
	int rc = begin(session, false);

	if (rc == 0) {
		rc = fcn_command_run(session->table, session, line, FCN_COMMAND_ALLOW_ALL, &diag);
		if (rc != 0)
			report(session, &diag, shown_at);
	}
	rc = end(session, rc, err, sizeof(err));
	if (err[0] != '\0')
		fprintf(session->out, "%s\nnothing was changed\n", err);
	fflush(session->out);
	return rc;
}

int
fcn_session_lines(struct fcn_session *session, const char *commands)
{
	char *copy = strdup(commands), *save = NULL;
	int rc = copy == NULL ? -ENOMEM : 0;

	for (char *line = rc == 0 ? strtok_r(copy, ";\n", &save) : NULL; line != NULL && rc == 0;
			line = strtok_r(NULL, ";\n", &save))
		rc = fcn_session_line(session, line, -1);
	free(copy);
	return rc;
}

/* A text's lines; without a text, those of the file of that name. */
static int
run_text(struct fcn_session *session, const struct fcn_session_text *text, FILE *err_out)
{
	FILE *in;
	int rc;

	if (text->text == NULL) {
		rc = fcn_load_file(session->ctl, text->name, &in);
		if (rc != 0)
			return rc;
	} else {
		if (text->text[0] == '\0')
			return 0;
		in = fmemopen((void *)(uintptr_t)text->text, strlen(text->text), "r");
		if (in == NULL)
			return -errno;
	}
	rc = fcn_command_run_stream(session->table, session, in, text->name, err_out);
	fclose(in);
	return rc;
}

static int
run_texts(struct fcn_session *session, const struct fcn_session_text *texts, unsigned int n,
		FILE *err_out)
{
	int rc, failed = 0;

	for (unsigned int i = 0; i < n; i++) {
		rc = run_text(session, &texts[i], err_out);
		if (rc < 0)
			fprintf(err_out, "%s: %s\n", texts[i].name, strerror(-rc));
		if (rc != 0 && failed == 0)
			failed = rc < 0 ? rc : -EINVAL;
	}
	return failed;
}

int
fcn_session_load_text(struct fcn_session *session, const struct fcn_session_text *texts,
		unsigned int n, bool replace, FILE *err_out)
{
	struct fcn_config *outer = session->candidate;
	bool outer_dirty = session->dirty;
	const char *name = texts[n - 1].name;
	char err[512] = "";
	int rc = begin(session, replace);

	session->dirty = replace; /* even a file without a command is a configuration */
	if (rc == 0)
		rc = run_texts(session, texts, n, err_out);
	else
		fprintf(err_out, "%s: %s\n", name, strerror(-rc));
	rc = end(session, rc, err, sizeof(err));
	if (err[0] != '\0')
		fprintf(err_out, "%s: %s\n", name, err);
	if (rc != 0)
		fprintf(err_out, "%s: nothing was changed\n", name);
	session->candidate = outer;
	session->dirty = outer_dirty;
	return rc;
}

int
fcn_session_load(struct fcn_session *session, const char *file, bool replace, FILE *err)
{
	const struct fcn_session_text text = {.name = file};

	return fcn_session_load_text(session, &text, 1, replace, err);
}

void
fcn_session_save(const struct fcn_config *cfg, FILE *out)
{
	fputs("# fastcn configuration\n", out);
	fcn_save_classes(cfg, out);
	fcn_save_workers(cfg, out);
	fcn_save_ports(cfg, out);
	fcn_save_bridges(cfg, out);
	fcn_save_bridge_limits(cfg, out);
	fcn_save_bridge_loops(cfg, out);
	fcn_save_bridge_interfaces(cfg, out);
	fcn_save_routes(cfg, out);
	fcn_save_queues(cfg, out);
	fcn_save_detectors(cfg, out);
	fcn_save_buffer(cfg, out);
	fcn_save_copies(cfg, out);
	fcn_save_host(cfg, out);
	fcn_save_police(cfg, out);
	fcn_save_kernel(cfg, out);
	fcn_save_pfc(cfg, out);
	fcn_save_ioam(cfg, out);
	fcn_save_notify(cfg, out);
	fcn_save_border(cfg, out);
}
