/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Reading the file of a scenario: its lines are run in several passes, and errors are reported. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_common.h>

#include "scenario_private.h"

#define MAX_REPORTED 20 /* further errors are only counted */
#define FIRST_READ 65536

struct lines {
	struct lab_read_line *line;
	unsigned int n;
};

struct fcn_command_table *
lab_scenario_commands(void)
{
	struct fcn_command_group reactions;

	if (lab_reaction_commands(&reactions) != 0)
		return NULL;

	const struct fcn_command_group groups[] = {lab_base_commands, lab_switch_commands,
			lab_host_commands, reactions, lab_link_commands, lab_topology_commands,
			lab_flow_commands, lab_traffic_commands, lab_goal_commands,
			lab_flow_file_commands, lab_generator_commands, lab_simbricks_commands,
			lab_fault_commands, lab_action_commands, lab_measure_commands};

	return fcn_command_table_create(groups, RTE_DIM(groups));
}

void *
lab_push(void *slot, unsigned int *n, size_t size)
{
	char *array, *more;

	memcpy(&array, slot, sizeof(array));
	if ((*n & (*n - 1)) == 0) { /* full: room is a power of 2 */
		more = realloc(array, (*n == 0 ? 1 : (size_t)*n * 2) * size);
		if (more == NULL)
			return NULL;
		array = more;
		memcpy(slot, &array, sizeof(array));
	}
	memset(array + *n * size, 0, size);
	return array + (*n)++ * size;
}

static void __attribute__((format(printf, 5, 0)))
report(struct lab_reader *r, const struct lab_place *place, unsigned int column, bool warning,
		const char *fmt, va_list ap)
{
	unsigned int *n = warning ? &r->n_warnings : &r->n_errors;

	if ((*n)++ >= MAX_REPORTED)
		return;
	fprintf(r->err, "%s", place->file);
	if (place->line > 0)
		fprintf(r->err, ":%u:%u", place->line, column);
	fprintf(r->err, ": %s", warning ? "warning: " : "");
	vfprintf(r->err, fmt, ap);
	fputc('\n', r->err);
}

void
lab_report_error(struct lab_reader *r, const struct lab_place *place, unsigned int column,
		const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	report(r, place, column, false, fmt, ap);
	va_end(ap);
}

/* Get the column in the file for a column in the line as it was run. */
static unsigned int
column_of(const struct lab_read_line *line, unsigned int column)
{
	size_t len = strlen(line->text);

	if (line->origin == NULL || column == 0)
		return column;
	return line->origin[RTE_MIN(column - 1, len)];
}

unsigned int
lab_column(struct lab_reader *r, const struct fcn_args *args, const char *key)
{
	struct fcn_diag diag = *r->diag;
	unsigned int column;

	fcn_command_error(args, 0, key, " "); /* this call only computes the column */
	column = r->line != NULL ? column_of(r->line, r->diag->column) : r->diag->column;
	*r->diag = diag;
	return column;
}

void
lab_warning(struct lab_reader *r, const struct fcn_args *args, const char *key, const char *fmt,
		...)
{
	va_list ap;

	va_start(ap, fmt);
	report(r, &r->place, lab_column(r, args, key), true, fmt, ap);
	va_end(ap);
}

/* ---- lines ---- */

static void
free_lines(struct lines *lines)
{
	for (unsigned int i = 0; i < lines->n; i++) {
		free(lines->line[i].text);
		free(lines->line[i].origin);
	}
	free(lines->line);
}

static void
set_place(struct lab_reader *r, const struct lab_read_line *line)
{
	r->place = (struct lab_place){.file = line->option ? LAB_LINE_OPTION : r->sc->file,
			.line = line->number,
			.option = line->option};
}

/* Run a line in the current pass of the reader. */
static void
run_line(struct lab_reader *r, struct lab_read_line *line)
{
	struct fcn_diag diag;
	int rc;

	if (line->bad)
		return;
	set_place(r, line);
	r->line = line;
	r->diag = &diag;
	rc = fcn_command_run(
			r->table, lab_reader_session(r), line->text, FCN_COMMAND_ALLOW_ALL, &diag);
	r->diag = NULL;
	if (rc == 0)
		return;
	line->bad = true;
	lab_report_error(r, &r->place, column_of(line, diag.column), "%s", diag.message);
}

/* Replace the parameters in a line, if they are defined by now. */
static int
expand_line(struct lab_reader *r, struct lab_read_line *line, const char *text)
{
	struct lab_expanded out;
	unsigned int column;
	char why[256];

	if (strchr(text, '$') == NULL) {
		line->text = strdup(text);
		return line->text != NULL ? 0 : -ENOMEM;
	}
	set_place(r, line);
	if (lab_expand_line(r->sc, text, &out, &column, why, sizeof(why)) != 0) {
		lab_report_error(r, &r->place, column, "%s", why);
		line->bad = true;
		return 0;
	}
	line->text = strdup(out.text);
	line->origin = malloc(sizeof(out.origin));
	if (line->text == NULL || line->origin == NULL)
		return -ENOMEM;
	memcpy(line->origin, out.origin, sizeof(out.origin));
	return 0;
}

/* Split the text into lines, and run each of them in the pass for parameters and nodes. */
static int
read_lines(struct lab_reader *r, struct lines *lines, char *text, size_t size)
{
	static const char mark[] = "\xef\xbb\xbf"; /* byte order mark; some editors write it */
	char *end = text + size, *next;
	struct lab_read_line *line;

	if (size >= strlen(mark) && memcmp(text, mark, strlen(mark)) == 0)
		text += strlen(mark);
	for (; text < end; text = next) {
		char *stop = memchr(text, '\n', (size_t)(end - text));
		size_t len;

		next = stop != NULL ? stop + 1 : end;
		if (stop == NULL)
			stop = end;
		*stop = '\0';
		line = lab_push(&lines->line, &lines->n, sizeof(*line));
		if (line == NULL)
			return -ENOMEM;
		line->number = lines->n;
		r->place.line = line->number;
		len = strlen(text);
		if (text + len != stop) {
			lab_report_error(r, &r->place, (unsigned int)len + 1,
					"control character 0x00 is not allowed");
			line->bad = true;
			continue;
		}
		if (len > 0 && text[len - 1] == '\r')
			text[len - 1] = '\0';
		if (expand_line(r, line, text) != 0)
			return -ENOMEM;
		run_line(r, line);
	}
	return 0;
}

/*
 * Add the lines of the command line to those of the file, and run each of them in the pass for
 * parameters and nodes.
 */
static int
add_lines(struct lab_reader *r, struct lines *lines, const struct lab_setting *set,
		unsigned int n_set)
{
	struct lab_scenario *sc = r->sc;
	struct lab_read_line *line;
	char **copy;

	for (unsigned int i = 0; i < n_set; i++) {
		if (set[i].name != NULL)
			continue;
		copy = lab_push(&sc->line, &sc->n_lines, sizeof(*copy));
		line = lab_push(&lines->line, &lines->n, sizeof(*line));
		if (copy == NULL || line == NULL)
			return -ENOMEM;
		*copy = strdup(set[i].value);
		line->number = sc->n_lines;
		line->option = true;
		if (*copy == NULL || expand_line(r, line, set[i].value) != 0)
			return -ENOMEM;
		run_line(r, line);
	}
	return 0;
}

/* Run the values from the command line instead of the commands of the same names. */
static void
run_settings(struct lab_reader *r, const struct lab_setting *set, unsigned int n_set)
{
	const struct lab_place place = {.file = "--set"};
	struct fcn_diag diag;
	char text[FCN_COMMAND_MAX_LINE];
	unsigned int i;

	for (i = 0; i < n_set; i++) {
		if (set[i].name != NULL && lab_is_scalar(set[i].name)) {
			snprintf(text, sizeof(text), "%s %s", set[i].name, set[i].value);
			r->setting = true;
			r->line = NULL;
			r->diag = &diag;
			if (fcn_command_run(r->table, lab_reader_session(r), text,
					    FCN_COMMAND_ALLOW_ALL, &diag) != 0)
				lab_report_error(r, &place, 0, "%s: %s", text, diag.message);
			r->diag = NULL;
			r->setting = false;
		}
	}
}

/* Report values on the command line for parameters that the scenario does not have. */
static void
check_settings(struct lab_reader *r, const struct lab_setting *set, unsigned int n_set)
{
	const struct lab_place place = {.file = "--set"};
	char known[256] = "";
	size_t used = 0;
	unsigned int i;

	for (i = 0; i < r->sc->n_params && used < sizeof(known); i++)
		if (r->sc->param[i].declared)
			used += (size_t)snprintf(known + used, sizeof(known) - used, "%s%s",
					used > 0 ? ", " : "", r->sc->param[i].name);
	for (i = 0; i < n_set; i++) {
		const struct lab_param *param;

		if (set[i].name == NULL)
			continue;
		param = lab_param_find(r->sc, set[i].name);
		if (!lab_is_scalar(set[i].name) && (param == NULL || !param->declared))
			lab_report_error(r, &place, 0, "%s has no parameter %s; it has %s",
					r->sc->file, set[i].name, used > 0 ? known : "none");
	}
}

static int
take_settings(struct lab_reader *r, const struct lab_setting *set, unsigned int n_set)
{
	int rc = 0;

	for (unsigned int i = 0; rc == 0 && i < n_set; i++) {
		struct lab_param *param;

		if (set[i].name == NULL)
			continue;
		param = lab_param_find(r->sc, set[i].name);
		if (param != NULL)
			param->given = false; /* the last value on the command line is used */
		if (lab_param_name_ok(set[i].name))
			rc = lab_param_set(r->sc, set[i].name, set[i].value, true);
	}
	return rc;
}

static int
run_passes(struct lab_reader *r, char *text, size_t size, const struct lab_setting *set,
		unsigned int n_set)
{
	struct lines lines = {.n = 0};
	unsigned int i;
	int rc = take_settings(r, set, n_set);

	if (rc == 0)
		rc = read_lines(r, &lines, text, size);
	if (rc == 0)
		rc = add_lines(r, &lines, set, n_set);
	if (rc == 0) {
		run_settings(r, set, n_set);
		check_settings(r, set, n_set);
		for (r->pass = LAB_PASS_LINKS; r->pass < LAB_PASS_COUNT; r->pass++) {
			for (i = 0; i < lines.n; i++)
				run_line(r, &lines.line[i]);
			if (r->pass == LAB_PASS_LINKS)
				lab_finish_links(r);
			r->half_read = r->n_errors > 0;
		}
		if (r->n_errors == 0)
			rc = lab_finish(r);
	}
	free_lines(&lines);
	return rc;
}

/* ---- the file ---- */

/* Append all that a stream has to a text, but no more than a byte above max. */
static int
read_stream(FILE *in, size_t max, char **text, size_t *size)
{
	size_t room = 0, wanted;
	char *more;

	for (*size = 0; !feof(in) && *size <= max;) {
		if (*size + FIRST_READ > room) {
			wanted = room == 0 ? 2 * FIRST_READ : 2 * room;
			more = realloc(*text, wanted);
			if (more == NULL)
				return -ENOMEM;
			*text = more;
			room = wanted;
		}
		*size += fread(*text + *size, 1, RTE_MIN(room - *size - 1, max + 1 - *size), in);
		if (ferror(in))
			return -errno;
	}
	if (*size > max)
		return -EFBIG;
	(*text)[*size] = '\0';
	return 0;
}

char *
lab_read_file(const char *file, size_t max, size_t *size, int *rc)
{
	FILE *in = fopen(file, "re");
	char *text = NULL;

	*rc = in == NULL ? -errno : 0;
	if (in == NULL)
		return NULL;
	*rc = read_stream(in, max, &text, size);
	fclose(in);
	if (*rc == 0)
		return text;
	free(text);
	return NULL;
}

static int
note_file(struct lab_scenario *sc, const char *file)
{
	char **name;

	for (unsigned int i = 0; i < sc->n_read; i++)
		if (strcmp(sc->read[i], file) == 0)
			return 0;
	name = lab_push(&sc->read, &sc->n_read, sizeof(*name));
	if (name == NULL)
		return -ENOMEM;
	*name = strdup(file);
	if (*name == NULL)
		sc->n_read--;
	return *name != NULL ? 0 : -ENOMEM;
}

char *
lab_beside(struct lab_scenario *sc, const char *file)
{
	const char *slash = strrchr(sc->file, '/');
	char *path;

	if (note_file(sc, file) != 0)
		return NULL;
	if (file[0] == '/' || slash == NULL)
		return strdup(file);
	if (asprintf(&path, "%.*s%s", (int)(slash - sc->file) + 1, sc->file, file) < 0)
		return NULL;
	return path;
}

static void
set_defaults(struct lab_scenario *sc)
{
	sc->seed = 1;
	sc->duration_ns = FCN_ENDPOINT_NEVER;
	sc->buffers = LAB_DEFAULT_BUFFERS;
}

static void
free_reader(struct lab_reader *r)
{
	for (unsigned int i = 0; i < r->n_lets; i++)
		free(r->let[i].text);
	free(r->let);
	free(r->change);
}

/* Read the text into r->sc. */
static int
read_text(struct lab_reader *r, char *text, size_t size, const struct lab_setting *set,
		unsigned int n_set)
{
	int rc;

	r->place.file = r->sc->file;
	rc = run_passes(r, text, size, set, n_set);
	if (r->n_errors > MAX_REPORTED)
		fprintf(r->err, "%s: and %u more\n", r->sc->file, r->n_errors - MAX_REPORTED);
	if (r->n_errors > 0 && rc == 0)
		rc = -EINVAL;
	free_reader(r);
	return rc;
}

struct lab_scenario *
lab_scenario_read(const struct fcn_command_table *table, const char *file, const char *text,
		const struct lab_setting *set, unsigned int n_set, FILE *err)
{
	struct lab_reader r = {.table = table, .err = err};
	struct lab_scenario *sc = calloc(1, sizeof(*sc));
	char *copy = NULL;
	size_t size = 0;
	int rc = -ENOMEM;

	if (sc != NULL)
		sc->file = strdup(file);
	if (sc != NULL && sc->file != NULL) {
		set_defaults(sc);
		r.sc = sc;
		if (text == NULL) {
			copy = lab_read_file(file, LAB_MAX_FILE, &size, &rc);
		} else {
			copy = strdup(text);
			size = strlen(text);
		}
		if (copy != NULL)
			rc = read_text(&r, copy, size, set, n_set);
		free(copy);
	}
	if (rc != 0 && r.n_errors == 0)
		fprintf(err, "%s: %s\n", file, strerror(-rc));
	if (rc != 0) {
		lab_scenario_free(sc);
		sc = NULL;
	}
	return sc;
}

struct lab_scenario *
lab_scenario_load(const char *file, const char *text, const struct lab_setting *set,
		unsigned int n_set, FILE *err)
{
	struct fcn_command_table *table = lab_scenario_commands();
	struct lab_scenario *sc = NULL;

	if (table != NULL)
		sc = lab_scenario_read(table, file, text, set, n_set, err);
	else
		fprintf(err, "%s: %s\n", file, strerror(ENOMEM));
	fcn_command_table_free(table);
	return sc;
}

static void
free_switches(struct lab_scenario *sc)
{
	unsigned int i, j;

	for (i = 0; i < sc->n_switches; i++) {
		for (j = 0; j < sc->node_switch[i].n_lines; j++)
			free(sc->node_switch[i].lines[j].text);
		free(sc->node_switch[i].lines);
		free(sc->node_switch[i].file);
	}
	free(sc->node_switch);
}

void
lab_scenario_free(struct lab_scenario *sc)
{
	unsigned int i;

	if (sc == NULL)
		return;
	for (i = 0; i < sc->n_params; i++)
		free(sc->param[i].value);
	for (i = 0; i < sc->n_captures; i++)
		free(sc->capture[i].file);
	for (i = 0; i < sc->n_simbricks; i++)
		free(sc->simbricks[i].path);
	for (i = 0; i < sc->n_goals; i++) {
		lab_goal_free(sc->goal[i].goal);
		free(sc->goal[i].host);
		free(sc->goal[i].flow);
	}
	for (i = 0; i < sc->n_actions; i++)
		free(sc->action[i].text);
	for (i = 0; i < sc->n_expects; i++) {
		free(sc->expect[i].text);
		free(sc->expect[i].said);
		free(sc->expect[i].note);
	}
	for (i = 0; i < sc->n_lines; i++)
		free(sc->line[i]);
	for (i = 0; i < sc->n_read; i++)
		free(sc->read[i]);
	free(sc->read);
	free_switches(sc);
	free(sc->line);
	free(sc->param);
	free(sc->host);
	free(sc->link);
	free(sc->flow);
	free(sc->capture);
	free(sc->simbricks);
	free(sc->generator);
	free(sc->goal);
	free(sc->action);
	free(sc->watch);
	free(sc->expect);
	free(sc->title);
	free(sc->file);
	free(sc);
}
