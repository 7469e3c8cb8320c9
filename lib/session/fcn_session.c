/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fcn_capture_control.h"
#include "fcn_config_scopes.h"
#include "fcn_list.h"
#include "fcn_render.h"
#include "fcn_show.h"
#include "load_file.h"
#include "session_private.h"

/* Run a command that was made from a setting. */
static int
set(struct fcn_session *session, const struct fcn_args *args)
{
	return fcn_setting_run(fcn_session_edit(session), args);
}

/* Run a command that takes a setting back. */
static int
set_default(struct fcn_session *session, const struct fcn_args *args)
{
	return fcn_setting_reset(fcn_session_edit(session), args);
}

/* Run a command that was made from a list. */
static int
add_thing(struct fcn_session *session, const struct fcn_args *args)
{
	return fcn_list_run_add(fcn_session_edit(session), args);
}

static int
remove_thing(struct fcn_session *session, const struct fcn_args *args)
{
	return fcn_list_run_remove(fcn_session_edit(session), args);
}

/* Commands in the order of the reference, made from settings or lists, or with a function each. */
static const struct {
	const struct fcn_setting_scope *scope;
	const struct fcn_list_group *lists;
	const struct fcn_command_group *group;
} parts[] = {
		{.group = &fcn_port_commands},
		{.scope = &fcn_mac_scope},
		{.scope = &fcn_mtu_scope},
		{.scope = &fcn_port_scope},
		{.scope = &fcn_worker_scope},
		{.group = &fcn_bridge_commands},
		{.scope = &fcn_bridge_scope},
		{.scope = &fcn_bridge_port_scope},
		{.group = &fcn_bridge_loop_commands},
		{.scope = &fcn_storm_scope},
		{.group = &fcn_bridge_interface_commands},
		{.scope = &fcn_loopback_scope},
		{.group = &fcn_table_commands},
		{.lists = &fcn_route_lists},
		{.scope = &fcn_table_port_scope},
		{.group = &fcn_class_commands},
		{.scope = &fcn_queue_scope},
		{.scope = &fcn_detector_scope},
		{.scope = &fcn_buffer_scope},
		{.scope = &fcn_queue_buffer_scope},
		{.scope = &fcn_copies_scope},
		{.scope = &fcn_host_scope},
		{.scope = &fcn_interface_scope},
		{.group = &fcn_host_commands},
		{.scope = &fcn_police_scope},
		{.scope = &fcn_police_port_scope},
		{.scope = &fcn_kernel_scope},
		{.scope = &fcn_kernel_table_scope},
		{.scope = &fcn_kernel_port_scope},
		{.scope = &fcn_pfc_class_scope},
		{.scope = &fcn_pfc_scope},
		{.scope = &fcn_ioam_scope},
		{.scope = &fcn_ioam_port_scope},
		{.lists = &fcn_ioam_lists},
		{.group = &fcn_ioam_commands},
		{.scope = &fcn_ioam_namespace_scope},
		{.scope = &fcn_border_scope},
		{.scope = &fcn_border_port_scope},
		{.scope = &fcn_source_check_scope},
		{.lists = &fcn_border_lists},
		{.group = &fcn_border_commands},
		{.lists = &fcn_srv6_policy_lists},
		{.lists = &fcn_srv6_segments_lists},
		{.scope = &fcn_srv6_policy_scope},
		{.lists = &fcn_srv6_steering_lists},
		{.lists = &fcn_srv6_sid_lists},
		{.group = &fcn_endcon_learned_commands},
		{.scope = &fcn_srv6_scope},
		{.scope = &fcn_arn_scope},
		{.scope = &fcn_arn_port_scope},
		{.lists = &fcn_arn_lists},
		{.scope = &fcn_cnm_scope},
		{.lists = &fcn_proxy_lists},
		{.group = &fcn_proxy_learned_commands},
		{.group = &fcn_reported_commands},
		{.scope = &fcn_proxy_option_scope},
		{.scope = &fcn_proxy_port_scope},
		{.lists = &fcn_proxy_insert_lists},
		{.scope = &fcn_proxy_scope},
		{.lists = &fcn_proxy_role_lists},
		{.scope = &fcn_notify_scope},
		{.scope = &fcn_trim_scope},
		{.scope = &fcn_trim_port_scope},
		{.lists = &fcn_sender_lists},
		{.scope = &fcn_sender_scope},
		{.group = &fcn_show_commands},
		{.group = &fcn_config_commands},
		{.group = &fcn_explain_commands},
		{.group = &fcn_diff_commands},
		{.group = &fcn_event_commands},
		{.group = &fcn_trace_commands},
		{.group = &fcn_capture_commands},
		{.group = &fcn_load_commands},
		{.group = &fcn_system_commands},
		{.group = &fcn_export_commands},
		{.scope = &fcn_event_log_scope},
		{.group = &fcn_exit_commands},
};

/* Make the commands of a part. @return 0, -ENOMEM, -E2BIG */
static int
make_part(size_t i, struct fcn_command_group *into)
{
	if (parts[i].lists != NULL)
		return fcn_list_commands(parts[i].lists, add_thing, remove_thing, into);
	if (parts[i].scope != NULL)
		return fcn_setting_commands(parts[i].scope, set, set_default, into);
	*into = *parts[i].group;
	return 0;
}

/* What those type who know other switches, and testpmd. */
static const struct fcn_command_foreign foreign[] = {
		{"commit confirmed", "commit confirm SECONDS"},
		{"compare", "show diff"},
		{"configure", "set"},
		{"copy", "save FILE"},
		{"copy running-config startup-config", "save"},
		{"interface", "set port PORT"},
		{"ip", "address, route or neighbour"},
		{"ipv6", "address, route or neighbour"},
		{"port start", "start"},
		{"port stop", "stop"},
		{"reload", "load FILE"},
		{"show arp", "show neighbour"},
		{"show cnp", "show notify"},
		{"show counters", "show port detail"},
		{"show compare", "show diff"},
		{"show ecn", "show queue"},
		{"show fwd", "show summary"},
		{"show interfaces", "show port"},
		{"show ip", "show address, show route or show neighbour"},
		{"show ipv6", "show address, show route or show neighbour"},
		{"show mac-address-table", "show mac"},
		{"show qos", "show queue, or show class-map"},
		{"show statistics", "show summary"},
		{"show vlan", "show bridge"},
		{"vlan", "bridge BRIDGE vlan"},
		{"write", "save, or save FILE"},
		{NULL, NULL},
};

struct fcn_command_table *
fcn_session_commands(void)
{
	struct fcn_command_group groups[RTE_DIM(parts)];
	size_t n = 0;

	while (n < RTE_DIM(parts) && make_part(n, &groups[n]) == 0)
		n++;
	if (n == RTE_DIM(parts)) {
		struct fcn_command_table *table = fcn_command_table_create(groups, n);
		const struct fcn_command_option *options = fcn_session_options(&n);

		if (table == NULL)
			return NULL;
		fcn_command_table_options(table, options, n);
		fcn_command_table_foreign(table, foreign);
		fcn_command_table_gate(table, fcn_session_gate);
		return table;
	}
	while (n > 0)
		free(groups[--n].memory);
	return NULL;
}

struct fcn_config *
fcn_session_edit(struct fcn_session *session)
{
	session->dirty = true;
	return session->candidate;
}

bool
fcn_session_is_on(const struct fcn_args *args)
{
	return strcmp(fcn_args_str(args, "state"), "on") == 0;
}

/* Writing a value as text or JSON. Another thread does it, as a long list takes a while. */
struct rendering {
	json_t *value;
	FILE *out;
	bool json, detail;
	const char *const *columns; /* NULL: the whole value */
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
fcn_session_put(struct fcn_session *session, const struct fcn_args *args, json_t *value,
		const char *const *columns)
{
	struct rendering r = {.value = value,
			.out = session->out,
			.json = session->json || fcn_args_has(args, "json"),
			.detail = fcn_args_has(args, "detail"),
			.columns = columns};

	if (value == NULL)
		return -ENOMEM;
	session->json_written = r.json;
	fcn_control_aside(session->ctl, render, &r);
	return 0;
}

void
fcn_session_summary(struct fcn_session *session)
{
	struct rendering r = {.value = fcn_show_summary(session->ctl), .out = session->out};

	if (r.value != NULL)
		fcn_control_aside(session->ctl, render, &r);
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
	char err[FCN_EXPORT_FILE_LEN + 256] = "";
	uint64_t warnings = fcn_control_warnings_total(session->ctl);
	const uint64_t commits = fcn_control_commits(session->ctl);
	int rc = fcn_session_begin(session, false);

	session->json_written = session->notable = false;
	if (rc == 0) {
		rc = fcn_session_run(session, line, &diag);
		if (rc != 0 && diag.message[0] == '\0')
			snprintf(diag.message, sizeof(diag.message), "%s", strerror(-rc));
		if (rc != 0)
			report(session, &diag, shown_at);
	}
	rc = fcn_session_end(session, rc, err, sizeof(err));
	if (err[0] != '\0')
		fprintf(session->out, "%s\nnothing was changed\n", err);
	if (rc == 0 && (session->notable || fcn_control_commits(session->ctl) != commits))
		fcn_session_note(session, FCN_EVENT_CONFIGURED, line);
	/* What comes up while something is shown is not of this command, and does not end its JSON.
	 */
	if (!session->json_written)
		fcn_session_print_warnings(session, warnings, session->out);
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

/* Run the lines of a text, or those of the file of that name when there is no text. */
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

/* What options say holds above a file. */
static void
apply_options(struct fcn_session *session)
{
	const struct fcn_session_options *o = session->options;
	struct fcn_config_exports *exports = &session->candidate->exports;

	session->exports_dirty = true;
	if (o != NULL && o->metrics) {
		exports->metrics = o->exports.metrics;
		exports->port = o->exports.port;
	}
	if (o != NULL && o->events)
		memcpy(exports->events, o->exports.events, sizeof(exports->events));
}

int
fcn_session_load_text(struct fcn_session *session, const struct fcn_session_text *texts,
		unsigned int n, bool replace, FILE *err_out)
{
	struct fcn_config *outer = session->candidate;
	bool outer_dirty = session->dirty;
	const char *name = texts[n - 1].name;
	char err[FCN_EXPORT_FILE_LEN + 256] = "";
	uint64_t warnings = fcn_control_warnings_total(session->ctl);
	int rc = fcn_session_begin(session, replace);

	session->dirty = replace; /* even a file without a command is a configuration */
	if (rc == 0)
		rc = run_texts(session, texts, n, err_out);
	else
		fprintf(err_out, "%s: %s\n", name, strerror(-rc));
	if (rc == 0 && replace)
		apply_options(session);
	rc = fcn_session_end(session, rc, err, sizeof(err));
	if (err[0] != '\0')
		fprintf(err_out, "%s: %s\n", name, err);
	if (rc != 0)
		fprintf(err_out, "%s: nothing was changed\n", name);
	/* On a console, the command that loads prints them; where there is a log, it has them. */
	if (err_out != session->out && !session->quiet && !fcn_control_has_log(session->ctl))
		fcn_session_print_warnings(session, warnings, err_out);
	session->candidate = outer;
	session->dirty = outer_dirty;
	return rc;
}

int
fcn_session_try(struct fcn_session *session, const struct fcn_session_text *text, bool replace,
		struct fcn_warnings *warnings, char **saved, FILE *err_out)
{
	const struct fcn_session outer = *session;
	char err[FCN_EXPORT_FILE_LEN + 256] = "";
	int rc = fcn_session_begin(session, replace);

	*saved = NULL;
	session->files = NULL;         /* whoever wrote the file chose what it names */
	session->role = FCN_ROLE_FULL; /* nothing is done */
	if (rc == 0)
		rc = run_texts(session, text, 1, err_out);
	else
		fprintf(err_out, "%s: %s\n", text->name, strerror(-rc));
	if (rc == 0 && replace)
		apply_options(session);
	if (rc == 0 && warnings != NULL &&
			fcn_control_check(session->ctl, session->candidate, warnings, err,
					sizeof(err)) != 0) {
		fprintf(err_out, "%s: %s\n", text->name, err);
		rc = -EINVAL;
	}
	if (rc == 0)
		rc = fcn_session_saved(session->candidate, saved);
	fcn_config_free(session->candidate);
	*session = outer;
	return rc;
}

int
fcn_session_load(struct fcn_session *session, const char *file, bool replace, FILE *err)
{
	const struct fcn_session_text text = {.name = file};

	return fcn_session_load_text(session, &text, 1, replace, err);
}

/* What is saved, in an order in which it can be loaded. */
static const struct {
	const struct fcn_setting_scope *scope;
	const struct fcn_list_group *lists;
	void (*save)(const struct fcn_config *cfg, FILE *out);
} saved[] = {
		{.save = fcn_save_classes},
		{.scope = &fcn_worker_scope},
		{.save = fcn_save_ports},
		{.scope = &fcn_port_scope},
		{.save = fcn_save_bridges},
		{.scope = &fcn_bridge_scope},
		{.scope = &fcn_bridge_port_scope},
		{.scope = &fcn_storm_scope},
		{.save = fcn_save_bridge_interfaces},
		{.scope = &fcn_mac_scope},
		{.scope = &fcn_mtu_scope},
		{.scope = &fcn_loopback_scope},
		{.save = fcn_save_tables},
		{.scope = &fcn_table_port_scope},
		{.lists = &fcn_srv6_policy_lists},
		{.scope = &fcn_srv6_policy_scope},
		{.lists = &fcn_srv6_segments_lists},
		{.lists = &fcn_srv6_steering_lists},
		{.lists = &fcn_route_lists},
		{.scope = &fcn_queue_scope},
		{.scope = &fcn_detector_scope},
		{.scope = &fcn_buffer_scope},
		{.scope = &fcn_queue_buffer_scope},
		{.scope = &fcn_copies_scope},
		{.scope = &fcn_host_scope},
		{.scope = &fcn_interface_scope},
		{.scope = &fcn_police_scope},
		{.scope = &fcn_police_port_scope},
		{.scope = &fcn_kernel_scope},
		{.scope = &fcn_kernel_table_scope},
		{.scope = &fcn_kernel_port_scope},
		{.scope = &fcn_pfc_scope},
		{.scope = &fcn_pfc_class_scope},
		{.scope = &fcn_ioam_scope},
		{.lists = &fcn_ioam_lists},
		{.scope = &fcn_ioam_namespace_scope},
		{.scope = &fcn_ioam_port_scope},
		{.scope = &fcn_notify_scope},
		{.scope = &fcn_trim_scope},
		{.scope = &fcn_trim_port_scope},
		{.scope = &fcn_sender_scope},
		{.lists = &fcn_sender_lists},
		{.scope = &fcn_border_scope},
		{.lists = &fcn_border_lists},
		{.save = fcn_save_border},
		{.scope = &fcn_srv6_scope},
		{.lists = &fcn_srv6_sid_lists},
		{.scope = &fcn_border_port_scope},
		{.scope = &fcn_source_check_scope},
		{.scope = &fcn_arn_scope},
		{.scope = &fcn_arn_port_scope},
		{.lists = &fcn_arn_lists},
		{.scope = &fcn_cnm_scope},
		{.lists = &fcn_proxy_lists},
		{.scope = &fcn_proxy_option_scope},
		{.scope = &fcn_proxy_port_scope},
		{.lists = &fcn_proxy_insert_lists},
		{.scope = &fcn_proxy_scope},
		{.lists = &fcn_proxy_role_lists},
		{.save = fcn_save_exports},
		{.scope = &fcn_event_log_scope},
};

void
fcn_session_save_lines(const struct fcn_config *cfg, bool all, FILE *out)
{
	for (size_t i = 0; i < RTE_DIM(saved); i++) {
		if (saved[i].scope != NULL)
			fcn_setting_save(saved[i].scope, cfg, all, out);
		else if (saved[i].lists != NULL)
			fcn_list_save(saved[i].lists, cfg, out);
		else
			saved[i].save(cfg, out);
	}
}

void
fcn_session_save(const struct fcn_config *cfg, FILE *out)
{
	fputs("# fastcn configuration\n", out);
	fcn_session_save_lines(cfg, true, out);
}

int
fcn_session_saved(const struct fcn_config *cfg, char **text)
{
	size_t len;
	FILE *out;

	*text = NULL;
	out = open_memstream(text, &len);
	if (out == NULL)
		return -ENOMEM;
	fcn_session_save(cfg, out);
	if (fclose(out) == 0)
		return 0;
	free(*text);
	*text = NULL;
	return -ENOMEM;
}

void
fcn_session_note(const struct fcn_session *session, enum fcn_event_type type, const char *text)
{
	const struct fcn_event_text words = {session->user, fcn_role_name(session->role), text};

	if (session->user != NULL)
		fcn_control_note(session->ctl, type, &words);
}
