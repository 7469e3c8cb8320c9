/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Commands about the scenario itself: title, parameters, duration, number of buffers. */

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include <rte_common.h>

#include "scenario_private.h"

#define MIN_BUFFERS 1024u
#define MAX_BUFFERS (1u << 22)
#define MAX_TIME_NS UINT64_C(1000000000000000) /* about eleven days */

static const char *const scalars[] = {"seed", "duration", "settle", "buffers", "check"};

bool
lab_is_scalar(const char *name)
{
	for (size_t i = 0; i < RTE_DIM(scalars); i++)
		if (strcmp(scalars[i], name) == 0)
			return true;
	return false;
}

/*
 * Get the reader, if the value of a command is to be used. If the command line has a value for it,
 * that of the file is ignored. The value is also stored as a parameter; without a unit, it is "on"
 * or "off".
 */
static struct lab_reader *
scalar(struct fcn_session *session, const char *name, const char *unit, uint64_t value)
{
	struct lab_reader *r = lab_reader_in(session, LAB_PASS_NODES);
	const struct lab_param *param;
	char text[32];

	if (r == NULL || r->setting)
		return r;
	param = lab_param_find(r->sc, name);
	if (param != NULL && param->given)
		return NULL;
	if (unit != NULL)
		snprintf(text, sizeof(text), "%" PRIu64 "%s", value, unit);
	else
		snprintf(text, sizeof(text), "%s", value != 0 ? "on" : "off");
	return lab_param_set(r->sc, name, text, false) == 0 ? r : NULL;
}

static int
title(struct fcn_session *session, const struct fcn_args *args)
{
	struct lab_reader *r = lab_reader_in(session, LAB_PASS_NODES);

	if (r == NULL)
		return 0;
	if (r->sc->title != NULL)
		return fcn_command_error(args, -EEXIST, NULL, "the scenario has a title already");
	r->sc->title = strdup(fcn_args_str(args, "title"));
	return r->sc->title != NULL ? 0 : -ENOMEM;
}

static int
seed(struct fcn_session *session, const struct fcn_args *args)
{
	uint64_t value = fcn_args_u64(args, "seed", 0);
	struct lab_reader *r = scalar(session, "seed", "", value);

	if (r != NULL)
		r->sc->seed = value;
	return 0;
}

static int
duration(struct fcn_session *session, const struct fcn_args *args)
{
	uint64_t value = fcn_args_u64(args, "time", 0);
	struct lab_reader *r = scalar(session, "duration", "ns", value);

	if (r == NULL)
		return 0;
	if (value == 0 || value > MAX_TIME_NS)
		return fcn_command_error(
				args, -ERANGE, "time", "a duration must be 1ns to 1000000s");
	r->sc->duration_ns = value;
	return 0;
}

static int
settle(struct fcn_session *session, const struct fcn_args *args)
{
	uint64_t value = fcn_args_u64(args, "time", 0);
	struct lab_reader *r = scalar(session, "settle", "ns", value);

	if (r == NULL)
		return 0;
	if (value > MAX_TIME_NS)
		return fcn_command_error(args, -ERANGE, "time", "a time must be at most 1000000s");
	r->sc->settle_ns = value;
	return 0;
}

static int
buffers(struct fcn_session *session, const struct fcn_args *args)
{
	uint64_t value = fcn_args_u64(args, "count", 0);
	struct lab_reader *r = scalar(session, "buffers", "", value);

	if (r == NULL)
		return 0;
	if (value < MIN_BUFFERS || value > MAX_BUFFERS)
		return fcn_command_error(args, -ERANGE, "count",
				"the number of buffers must be %u to %u", MIN_BUFFERS, MAX_BUFFERS);
	r->sc->buffers = (uint32_t)value;
	return 0;
}

static int
check(struct fcn_session *session, const struct fcn_args *args)
{
	bool on = strcmp(fcn_args_str(args, "state"), "on") == 0;
	struct lab_reader *r = scalar(session, "check", NULL, on);

	if (r != NULL)
		r->sc->check = on;
	return 0;
}

static int
param(struct fcn_session *session, const struct fcn_args *args)
{
	struct lab_reader *r = lab_reader_in(session, LAB_PASS_NODES);
	const char *name = fcn_args_str(args, "name");
	struct lab_param *p;
	int rc;

	if (r == NULL)
		return 0;
	if (!lab_param_name_ok(name))
		return fcn_command_error(args, -EINVAL, "name",
				"the name of a parameter has letters, digits and _, and does "
				"not begin with a digit");
	if (lab_is_scalar(name))
		return fcn_command_error(args, -EINVAL, "name",
				"%s is a command, and $%s is its value without a param line", name,
				name);
	p = lab_param_find(r->sc, name);
	if (p != NULL && p->declared)
		return fcn_command_error(
				args, -EEXIST, "name", "there is a parameter %s already", name);
	rc = lab_param_set(r->sc, name, fcn_args_str(args, "value"), false);
	if (rc == 0)
		lab_param_find(r->sc, name)->declared = true;
	return rc;
}

/*
 * Whether a list contains a word.
 *
 * @return 1 if it does, 0 if not, or a negative errno after the error was reported
 */
static int
has_word(const struct fcn_args *args, const char *key, const char *word)
{
	struct lab_names names;
	int rc = lab_names_of(args, key, &names);

	if (rc != 0)
		return rc;
	for (unsigned int i = 0; rc == 0 && i < names.n; i++)
		rc = strcmp(names.name[i], word) == 0;
	lab_names_free(&names);
	return rc;
}

static int
choice(struct fcn_session *session, const struct fcn_args *args)
{
	struct lab_reader *r = lab_reader_in(session, LAB_PASS_NODES);
	const struct lab_param *p;
	int rc;

	if (r == NULL)
		return 0;
	rc = param(session, args);
	if (rc != 0)
		return rc;
	p = lab_param_find(r->sc, fcn_args_str(args, "name"));
	rc = has_word(args, "values", p->value);
	if (rc == 0)
		return fcn_command_error(args, -EINVAL, p->given ? "name" : "value",
				"%s is not one of %s", p->value, fcn_args_str(args, "values"));
	return rc < 0 ? rc : 0;
}

/*
 * Run the line after `then` in every pass. Blanks are put before it, so that columns in errors are
 * those of the file.
 */
static int
run_if(struct fcn_session *session, const struct fcn_args *args)
{
	struct lab_reader *r = lab_reader_of(session);
	int rc = has_word(args, "values", fcn_args_str(args, "value"));
	char text[FCN_COMMAND_MAX_LINE + 1];

	if (rc < 0 || (rc == 1) == fcn_args_has(args, "not"))
		return rc < 0 ? rc : 0;
	fcn_command_error(args, 0, "line", " "); /* this call only computes the column */
	snprintf(text, sizeof(text), "%*s%s", (int)r->diag->column - 1, "",
			fcn_args_str(args, "line"));
	return fcn_command_run(r->table, session, text, FCN_COMMAND_ALLOW_ALL, r->diag);
}

static const struct fcn_command commands[] = {
		{"title <title:text>",
				"Title of the scenario, one line that reports and pictures show",
				FCN_COMMAND_CONFIG, title},
		{"param <name:name> <value:text>",
				"Define a parameter with its default value, which the option "
				"`--set NAME=VALUE` replaces. In the lines after this one, and "
				"in the switches' files, $NAME and ${NAME} are replaced by the "
				"value, and $((3*$NAME)) by the result of the expression",
				FCN_COMMAND_CONFIG, param},
		{"choice <name:name> <value:name> of <values:names>",
				"Define a parameter whose value must be one of these values",
				FCN_COMMAND_CONFIG, choice},
		{"if <value:name> is <values:names> then <line:text>",
				"Run the line if the value, usually that of a parameter, is "
				"one of these. Example: if $mode is cnp,fastcnp then host all "
				"reaction dcqcn",
				FCN_COMMAND_CONFIG, run_if},
		{"if <value:name> is not <values:names> then <line:text>",
				"Run the line if the value is not one of these", FCN_COMMAND_CONFIG,
				run_if},
		{"duration <time:time>",
				"Virtual time at which the run ends (default: the time at "
				"which all finite traffic has ended)",
				FCN_COMMAND_CONFIG, duration},
		{"settle <time:time>", "Virtual time from which on rates are measured (default 0)",
				FCN_COMMAND_CONFIG, settle},
		{"seed <seed:number>",
				"Seed of all random numbers. The same seed gives exactly the "
				"same run (default 1)",
				FCN_COMMAND_CONFIG, seed},
		{"buffers <count:count>",
				"Number of packet buffers for all switches together (default "
				"32768)",
				FCN_COMMAND_CONFIG, buffers},
		{"check <state:on|off>",
				"Check all invariants after each event, for example that no "
				"packet is lost without being counted, that no buffer leaks, "
				"and that no notice is sent about a notice. This is slow "
				"(default off)",
				FCN_COMMAND_CONFIG, check},
};

const struct fcn_command_group lab_base_commands = {"Scenario", commands, RTE_DIM(commands)};
