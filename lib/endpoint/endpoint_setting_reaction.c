/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Commands of the reaction of a sender to congestion, made from what each reaction declares. */

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "endpoint_setting_private.h"

#define PERMILLE 1000000u /* billionths */
#define SYNTAX 640
#define HELP 3072

/* A command: that of a reaction, or, with a parameter, that of one of its settings. */
struct made {
	enum fcn_reaction_kind kind;
	const struct fcn_reaction_parameter *setting;
	char syntax[SYNTAX], help[HELP];
};

/* The types of lib/cli. */
static const char *const type_names[] = {
		[FCN_REACTION_NUMBER] = "number",
		[FCN_REACTION_SIZE] = "size",
		[FCN_REACTION_RATE] = "rate",
		[FCN_REACTION_TIME] = "time",
		[FCN_REACTION_RATIO] = "ratio",
		[FCN_REACTION_SWITCH] = "on|off",
};

static void __attribute__((format(printf, 3, 4))) add(char *text, size_t size, const char *fmt, ...)
{
	size_t len = strlen(text);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text + len, size - len, fmt, ap);
	va_end(ap);
}

static void
make_reaction(struct made *m, const char *before, enum fcn_reaction_kind kind)
{
	const struct fcn_reaction_type *type = fcn_reaction_type(kind);

	m->kind = kind;
	add(m->syntax, SYNTAX, "%sreaction %s", before, fcn_reaction_name(kind));
	add(m->help, HELP, "%s", type->help);
	for (unsigned int i = 0; i < type->n_profiles; i++)
		add(m->syntax, SYNTAX, "%s%s", i == 0 ? " [<profile:" : "|",
				type->profiles[i].name);
	if (type->n_profiles > 0)
		add(m->syntax, SYNTAX, ">]");
	for (unsigned int i = 0; i < type->n_arguments; i++) {
		const struct fcn_reaction_parameter *p = &type->arguments[i];

		add(m->syntax, SYNTAX, " [%s <%s:%s>]", p->word, p->word, type_names[p->unit]);
		add(m->help, HELP, ". %s is %s", p->word, p->help);
	}
}

static void
make_setting(struct made *m, const char *before, enum fcn_reaction_kind kind,
		const struct fcn_reaction_parameter *p)
{
	m->kind = kind;
	m->setting = p;
	add(m->syntax, SYNTAX, "%sset %s <%s:%s>", before, p->word,
			p->unit == FCN_REACTION_SWITCH ? "state" : "value", type_names[p->unit]);
	add(m->help, HELP, "%s", p->help);
}

static unsigned int
make_all(struct made *made, const char *before)
{
	unsigned int n = 0;

	for (unsigned int k = 0; k < FCN_REACTION_COUNT; k++)
		make_reaction(&made[n++], before, (enum fcn_reaction_kind)k);
	for (unsigned int k = 0; k < FCN_REACTION_COUNT; k++) {
		const struct fcn_reaction_type *type = fcn_reaction_type((enum fcn_reaction_kind)k);

		for (unsigned int i = 0; i < type->n_settings; i++)
			make_setting(&made[n++], before, (enum fcn_reaction_kind)k,
					&type->settings[i]);
	}
	return n;
}

int
fcn_endpoint_reaction_commands(const char *title, const char *before,
		int (*run)(struct fcn_session *session, const struct fcn_args *args),
		struct fcn_command_group *into)
{
	struct fcn_command *commands;
	unsigned int n = 0;
	struct made *made;

	for (unsigned int kind = 0; kind < FCN_REACTION_COUNT; kind++)
		n += 1 + fcn_reaction_type((enum fcn_reaction_kind)kind)->n_settings;
	commands = calloc(n, sizeof(*commands) + sizeof(*made));
	if (commands == NULL)
		return -ENOMEM;
	made = (struct made *)(void *)(commands + n);
	make_all(made, before);
	for (unsigned int i = 0; i < n; i++) {
		/* A text that fills its room may have been cut off. */
		if (strlen(made[i].syntax) == SYNTAX - 1 || strlen(made[i].help) == HELP - 1) {
			free(commands);
			return -E2BIG;
		}
		commands[i] = (struct fcn_command){.syntax = made[i].syntax,
				.help = made[i].help,
				.kind = FCN_COMMAND_CONFIG,
				.run = run,
				.data = &made[i]};
	}
	*into = (struct fcn_command_group){
			.title = title, .commands = commands, .n_commands = n, .memory = commands};
	return 0;
}

static int
out_of_range(const struct fcn_args *args, const struct fcn_reaction_parameter *p, const char *key)
{
	if (p->unit == FCN_REACTION_RATIO)
		return fcn_command_error(args, -ERANGE, key, "%s must be %g to %g", p->word,
				(double)p->least / 1e3, (double)p->most / 1e3);
	return fcn_command_error(args, -ERANGE, key, "%s must be %" PRIu64 " to %" PRIu64, p->word,
			p->least, p->most);
}

/* Read the argument of a parameter. */
static int
read_value(const struct fcn_args *args, const struct fcn_reaction_parameter *p, const char *key,
		uint64_t *value)
{
	*value = fcn_args_u64(args, key, 0);
	if (p->unit == FCN_REACTION_RATIO) {
		if (*value % PERMILLE != 0)
			return fcn_command_error(args, -EINVAL, key,
					"a ratio of at most three decimals is expected");
		*value /= PERMILLE;
	}
	return *value < p->least || *value > p->most ? out_of_range(args, p, key) : 0;
}

static int
set_own(const struct fcn_args *args, const struct made *m, struct fcn_endpoint_conf *conf)
{
	uint64_t value = 0;
	int rc = 0;

	if (m->setting->unit == FCN_REACTION_SWITCH)
		value = strcmp(fcn_args_str(args, "state"), "on") == 0;
	else
		rc = read_value(args, m->setting, "value", &value);
	return rc != 0 ? rc : fcn_reaction_set(&conf->reaction, m->kind, m->setting->word, value);
}

static void
set_profile(const struct fcn_args *args, const struct fcn_reaction_type *type,
		struct fcn_endpoint_conf *conf)
{
	const char *name = fcn_args_str(args, "profile");

	for (unsigned int i = 0; name != NULL && i < type->n_profiles; i++)
		if (strcmp(type->profiles[i].name, name) == 0)
			type->profiles[i].set(&conf->reaction, conf->line_bps);
}

int
endpoint_setting_reaction(const struct fcn_args *args, struct fcn_endpoint_conf *conf)
{
	const struct made *m = fcn_args_data(args);
	const struct fcn_reaction_type *type = fcn_reaction_type(m->kind);

	if (m->setting != NULL)
		return set_own(args, m, conf);
	conf->reaction.kind = m->kind;
	conf->ioam = conf->ioam || type->traces;
	conf->ecn_echo = conf->ecn_echo || type->marks;
	set_profile(args, type, conf);
	for (unsigned int i = 0; i < type->n_arguments; i++) {
		const struct fcn_reaction_parameter *p = &type->arguments[i];
		uint64_t value;
		int rc;

		if (!fcn_args_given(args, p->word))
			continue;
		rc = read_value(args, p, p->word, &value);
		if (rc != 0)
			return rc;
		fcn_reaction_set(&conf->reaction, m->kind, p->word, value);
	}
	return 0;
}
