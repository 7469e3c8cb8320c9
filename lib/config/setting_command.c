/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Create the commands of settings, with syntax and help. */

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "setting_private.h"

#define SYNTAX 384
#define HELP 640

struct made {
	struct setting_command data;
	char syntax[SYNTAX];
	char no[SYNTAX]; /* "": no command takes it back */
	char help[HELP];
};

void
setting_append(char *to, size_t size, const char *fmt, ...)
{
	size_t len = strlen(to);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(to + len, size - len, fmt, ap);
	va_end(ap);
}

static void
append_type(char *syntax, size_t size, const struct fcn_setting_value *v)
{
	static const char *const types[] = {
			[FCN_SETTING_NUMBER] = "number",
			[FCN_SETTING_HEX] = "number",
			[FCN_SETTING_COUNT] = "count",
			[FCN_SETTING_SIZE] = "size",
			[FCN_SETTING_RATE] = "rate",
			[FCN_SETTING_TIME] = "time",
			[FCN_SETTING_RATIO] = "ratio",
			[FCN_SETTING_CLASS] = "class",
			[FCN_SETTING_SWITCH] = "on|off",
			[FCN_SETTING_PORT] = "name",
			[FCN_SETTING_TABLE] = "name",
			[FCN_SETTING_POLICY] = "name",
			[FCN_SETTING_NAME] = "name",
			[FCN_SETTING_MAC] = "mac",
			[FCN_SETTING_ADDR6] = "addr6",
			[FCN_SETTING_ADDR4] = "addr4",
			[FCN_SETTING_VLANS] = "vlans",
			[FCN_SETTING_OCTETS] = "name",
			[FCN_SETTING_ADDR] = "addr",
			[FCN_SETTING_PREFIX] = "prefix",
			[FCN_SETTING_ADDR_LEN] = "prefix",
			[FCN_SETTING_SEGMENTS] = "names",
	};

	if (v->type != FCN_SETTING_CHOICE) {
		setting_append(syntax, size, "%s", types[v->type]);
		return;
	}
	for (uint64_t c = v->least; c <= v->most; c++)
		setting_append(syntax, size, "%s%s", c > v->least ? "|" : "",
				v->name((unsigned int)c));
}

void
setting_append_value(char *syntax, size_t size, const struct fcn_setting_value *v)
{
	if (v->word != NULL)
		setting_append(syntax, size, "%s%s", v->word,
				v->type != FCN_SETTING_WORD ? " " : "");
	if (v->type == FCN_SETTING_WORD)
		return;
	setting_append(syntax, size, "<%s:", v->key);
	append_type(syntax, size, v);
	setting_append(syntax, size, ">");
}

static void
append_value(char *syntax, const struct fcn_setting_value *v)
{
	setting_append(syntax, SYNTAX, " %s", v->optional ? "[" : "");
	setting_append_value(syntax, SYNTAX, v);
	setting_append(syntax, SYNTAX, "%s", v->optional ? "]" : "");
}

static void
begin_syntax(struct made *m, const struct fcn_setting_scope *scope, const struct fcn_setting *s)
{
	m->data.scope = scope;
	m->data.setting = s;
	setting_append(m->syntax, SYNTAX, "%s%s%s", scope->syntax, s->words[0] != '\0' ? " " : "",
			s->words);
}

static bool
is_special(const struct fcn_setting_value *v, uint64_t value)
{
	for (unsigned int i = 0; i < FCN_SETTING_SPECIALS && v->special[i].word != NULL; i++)
		if (v->special[i].value == value || setting_is_bytes(v))
			return true;
	return false;
}

/* Append the defaults of the values to help, as " (default 1M, packets 4096)". */
static void
append_defaults(char *help, const struct fcn_setting *s)
{
	char text[SETTING_TEXT];
	bool any = false;

	SETTING_FOREACH_VALUE(v, s)
	{
		const char *shown = v->initial_text;

		if (shown == NULL && !is_special(v, v->initial) && !setting_is_bytes(v))
			shown = setting_short_text(v, v->initial, text, sizeof(text));
		if (shown == NULL || shown[0] == '\0')
			continue;
		setting_append(help, HELP, "%s%s%s%s", any ? ", " : " (default ",
				v->word != NULL && (v->optional || v != s->value) ? v->word : "",
				v->word != NULL && (v->optional || v != s->value) ? " " : "",
				shown);
		any = true;
	}
	if (any)
		setting_append(help, HELP, ")");
}

/* Tell whether an earlier setting of the scope has the same words. */
static bool
is_repeated(const struct fcn_setting_scope *scope, const struct fcn_setting *s)
{
	for (const struct fcn_setting *other = scope->settings; other < s; other++)
		if (strcmp(other->words, s->words) == 0 && other->value[0].type != FCN_SETTING_NONE)
			return true;
	return false;
}

/* Make the syntax that takes a setting back. One without values can be if it is one of several that
 * is selected, and not the one that is selected without any. */
static void
make_no(struct made *m, const struct fcn_setting_scope *scope, const struct fcn_setting *s)
{
	const bool has_none = s->value[0].type == FCN_SETTING_NONE;

	if ((has_none && s->selects.value == 0) || s->alias || s->former || is_repeated(scope, s))
		return;
	setting_append(m->no, SYNTAX, "no %s", m->syntax);
}

static void
make_main(struct made *m, const struct fcn_setting_scope *scope, const struct fcn_setting *s)
{
	begin_syntax(m, scope, s);
	make_no(m, scope, s);
	m->data.of = -1;
	SETTING_FOREACH_VALUE(v, s)
	append_value(m->syntax, v);
	setting_append(m->help, HELP, "%s", s->help);
	if (s->value[0].type != FCN_SETTING_NONE)
		append_defaults(m->help, s);
	else if (s->selects.size != 0 && s->selects.value == 0)
		setting_append(m->help, HELP, " (default)");
}

static void
make_special(struct made *m, const struct fcn_setting_scope *scope, const struct fcn_setting *s,
		unsigned int of, unsigned int special)
{
	const struct fcn_setting_value *v = &s->value[of];
	const struct fcn_setting_special *sp = &v->special[special];

	begin_syntax(m, scope, s);
	m->data.of = (int)of;
	m->data.special = (int)special;
	/* A special word replaces the word in front of the first value, too: `idle sleep 10us`,
	 * `idle spin`. */
	if ((of > 0 || v->optional) && v->word != NULL)
		setting_append(m->syntax, SYNTAX, " %s", v->word);
	setting_append(m->syntax, SYNTAX, " %s", sp->word);
	/* Values behind it that stay as they are can be given with the word, too. */
	for (; of == 0 && v + 1 < s->value + FCN_SETTING_VALUES && v[1].keeps; v++)
		append_value(m->syntax, v + 1);
	v = &s->value[of];
	setting_append(m->help, HELP, "%s%s", sp->help,
			v->initial_text == NULL && (sp->value == v->initial || setting_is_bytes(v))
					? " (default)"
					: "");
}

/* Get the number of commands of a setting. */
static unsigned int
count(const struct fcn_setting *s)
{
	unsigned int n = 1;

	SETTING_FOREACH_VALUE(v, s)
	for (unsigned int i = 0; i < FCN_SETTING_SPECIALS && v->special[i].word != NULL; i++)
		n++;
	return n;
}

static struct made *
make(struct made *m, const struct fcn_setting_scope *scope, const struct fcn_setting *s)
{
	make_main(m++, scope, s);
	SETTING_FOREACH_VALUE(v, s)
	for (unsigned int i = 0; i < FCN_SETTING_SPECIALS && v->special[i].word != NULL; i++)
		make_special(m++, scope, s, (unsigned int)(v - s->value), i);
	return m;
}

int
fcn_setting_commands(const struct fcn_setting_scope *scope,
		int (*run)(struct fcn_session *session, const struct fcn_args *args),
		int (*no)(struct fcn_session *session, const struct fcn_args *args),
		struct fcn_command_group *into)
{
	struct fcn_command *commands;
	struct made *made, *end;
	unsigned int n = 0;

	for (unsigned int i = 0; i < scope->n_settings; i++)
		n += count(&scope->settings[i]);
	commands = calloc(n, sizeof(*commands) + sizeof(*made));
	if (commands == NULL)
		return -ENOMEM;
	made = end = (struct made *)(void *)(commands + n);
	for (unsigned int i = 0; i < scope->n_settings; i++)
		end = make(end, scope, &scope->settings[i]);
	for (unsigned int i = 0; i < n; i++) {
		/* A text that fills its room may have been cut off. */
		if (strlen(made[i].syntax) == SYNTAX - 1 || strlen(made[i].no) == SYNTAX - 1 ||
				strlen(made[i].help) == HELP - 1) {
			free(commands);
			return -E2BIG;
		}
	}
	for (unsigned int i = 0; i < n; i++)
		commands[i] = (struct fcn_command){.syntax = made[i].syntax,
				.help = made[i].help,
				.kind = FCN_COMMAND_CONFIG,
				.run = run,
				.no = no != NULL && made[i].no[0] != '\0' ? made[i].no : NULL,
				.run_no = no,
				.data = &made[i].data,
				.former = made[i].data.setting->former,
				.role = scope->role};
	*into = (struct fcn_command_group){scope->title, commands, n, commands};
	return 0;
}
