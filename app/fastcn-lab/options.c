/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <rte_common.h>

#include "fcn_program_options.h"
#include "main.h"

static int
add_setting(const struct fcn_session *session, const struct fcn_args *args, const char *name,
		const char *value)
{
	struct lab_options *opt = fcn_options_object(session);

	if (opt->n_set == LAB_MAX_SETTINGS)
		return fcn_command_error(args, -ENOSPC, NULL, "more than %u settings and lines",
				LAB_MAX_SETTINGS);
	opt->set[opt->n_set++] = (struct lab_setting){.name = name, .value = value};
	return 0;
}

/* Split "NAME=VALUE" and add it to the settings. */
static int
set(struct fcn_session *session, const struct fcn_args *args)
{
	char *word = (char *)(uintptr_t)fcn_options_word(session), *eq = strchr(word, '=');

	if (eq == NULL || eq == word)
		return fcn_command_error(
				args, -EINVAL, "name=value", "the argument must be NAME=VALUE");
	*eq = '\0';
	return add_setting(session, args, word, eq + 1);
}

static int
add_line(struct fcn_session *session, const struct fcn_args *args)
{
	return add_setting(session, args, NULL, fcn_options_word(session));
}

static int
set_seed(struct fcn_session *session, const struct fcn_args *args)
{
	return add_setting(session, args, "seed", fcn_options_word(session));
}

static int
set_check(struct fcn_session *session, const struct fcn_args *args)
{
	return add_setting(session, args, "check", "on");
}

#define FLAG(member) FCN_OPTIONS_FLAG(struct lab_options, member)
#define NUMBER(member, least, most) FCN_OPTIONS_NUMBER(struct lab_options, member, least, most)
#define TEXT(member) FCN_OPTIONS_TEXT(struct lab_options, member)

/* The options, each with "--" in front. */
static const struct fcn_command commands[] = {
		{"set <name=value:text>",
				"Set a parameter of the scenario, or the value of one of its "
				"commands seed, duration, settle, buffers and check",
				FCN_COMMAND_CONFIG, set},
		{"line <line:text>", "Add a line to the end of the scenario", FCN_COMMAND_CONFIG,
				add_line},
		{"seed <n:text>", "The same as --set seed=N", FCN_COMMAND_CONFIG, set_seed},
		{"check", "The same as --set check=on: check invariants after each event",
				FCN_COMMAND_CONFIG, set_check},
		{"out <dir:text>",
				"Write result, time series, captures and pictures into a directory",
				TEXT(out)},
		{"json <file:text>",
				"Write the result as JSON ('-': to standard output, instead of the "
				"text)",
				TEXT(json)},
		{"report <file:text>",
				"Write a page for a browser with pictures of queues, notices and "
				"rates over time ('-': a sketch as text to standard output)",
				TEXT(report)},
		{"threads <value:number>",
				"Divide the switches, each with its hosts, between so many threads "
				"(default 1, which is best while other runs have the other "
				"processors). The result is the same",
				NUMBER(threads, 1, LAB_MAX_THREADS)},
		{"quiet", "Print neither report nor progress bar", FLAG(quiet)},
		{"no-plots", "Draw no pictures", FLAG(no_plots)},
		{"help", "Print this text", FLAG(help)},
};

static int
take_scenario(void *object, const char *word)
{
	struct lab_options *opt = object;

	if (opt->scenario != NULL) {
		fprintf(stderr, "fastcn-lab: one scenario is expected, not also %s\n", word);
		return -1;
	}
	opt->scenario = word;
	return 0;
}

static const struct fcn_options options = {
		"fastcn-lab", commands, RTE_DIM(commands), take_scenario};

void
lab_options_help(FILE *out)
{
	fcn_options_help(&options, out);
}

int
lab_options_parse(struct lab_options *opt, int argc, char **argv)
{
	RTE_SET_USED(argc);
	memset(opt, 0, sizeof(*opt));
	if (fcn_options_read(&options, opt, argv + 1) != 0)
		return -1;
	if (opt->help || opt->scenario != NULL)
		return 0;
	fprintf(stderr, "fastcn-lab: one scenario is expected\n");
	return -1;
}
