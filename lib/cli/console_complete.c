/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * What can follow in a line: the next words and arguments of all commands that begin like it, and
 * the names that the program knows for an argument. TAB adds what all of them have in common, or
 * lists them; '?' lists them.
 */

#include <stdlib.h>
#include <string.h>

#include <rte_common.h>

#include "console_private.h"
#include "fcn_filter.h"

/* Results of rdline's callback. */
#define NOTHING 0
#define LISTED 1
#define ADDED 2

#define MAX_KEYS 16 /* most arguments for whose names a program is asked at once */

struct fcn_candidate {
	char name[128];
	char hint[64];
	char help[192]; /* help of the last command that has it */
	unsigned int n_commands;
	bool word; /* it can be typed as it is; else it describes an argument */
};

/* A completion on its way. */
struct search {
	struct fcn_completion *completion;
	const struct fcn_command_table *table;
	struct fcn_line line; /* the words in front of the one that is completed */
	const char *prefix;   /* what was typed of that one */
	size_t prefix_len;
	const char *keys[MAX_KEYS];
	bool named[MAX_KEYS]; /* whether names were found for each key */
	unsigned int n_keys;
};

static void
add(struct fcn_completion *c, const char *name, size_t len, bool word, const char *help,
		const char *hint)
{
	struct fcn_candidate *list;
	unsigned int i;

	for (i = 0; i < c->n; i++) {
		list = &c->list[i];
		if (strlen(list->name) != len || memcmp(list->name, name, len) != 0 ||
				list->word != word)
			continue;
		if (strncmp(list->help, help, sizeof(list->help) - 1) != 0) {
			list->n_commands++; /* It is of another command. */
			snprintf(list->help, sizeof(list->help), "%s", help);
		}
		return;
	}
	if (len >= sizeof(list->name))
		return;
	list = realloc(c->list, (c->n + 1) * sizeof(*list));
	if (list == NULL)
		return; /* Then the list is shorter, which does no harm. */
	c->list = list;
	list += c->n++;
	memset(list, 0, sizeof(*list));
	memcpy(list->name, name, len);
	snprintf(list->help, sizeof(list->help), "%s", help);
	snprintf(list->hint, sizeof(list->hint), "%s", hint);
	list->n_commands = 1;
	list->word = word;
}

static bool
is_typed(const struct search *s, const char *word, size_t len)
{
	return len >= s->prefix_len && memcmp(word, s->prefix, s->prefix_len) == 0;
}

static void
add_name(void *list, const char *name)
{
	struct search *s = list;

	if (!is_typed(s, name, strlen(name)))
		return;
	s->named[s->n_keys - 1] = true;
	add(s->completion, name, strlen(name), true, "", "");
}

/* Tell whether token n is the name of an object that the command makes: "bridge add <bridge>". */
static bool
is_new(const struct fcn_inst *inst, unsigned int n)
{
	const struct fcn_token *last = n >= 2 ? fcn_inst_token(inst, n - 1) : NULL;

	for (unsigned int i = 0; i < n; i++)
		if (fcn_inst_token(inst, i)->kind != FCN_TOKEN_WORD)
			return false;
	return last != NULL && strcmp(last->text, "add") == 0 &&
	       strcmp(fcn_inst_token(inst, n - 2)->text, fcn_inst_token(inst, n)->key) == 0;
}

/* Add the names that the program knows. @return whether there are any */
static bool
add_names(struct search *s, const struct fcn_inst *inst, unsigned int n)
{
	const struct fcn_completion *c = s->completion;
	const char *key = fcn_inst_token(inst, n)->key;
	unsigned int i;

	if (c->names == NULL || is_new(inst, n))
		return false;
	for (i = 0; i < s->n_keys; i++)
		if (strcmp(s->keys[i], key) == 0)
			return s->named[i];
	if (s->n_keys == MAX_KEYS)
		return false;
	s->keys[s->n_keys++] = key;
	c->names(c->arg, key, s->prefix, add_name, s);
	return s->named[i];
}

static void
add_argument(struct search *s, const struct fcn_token *token, const char *help)
{
	add(s->completion, token->label, strlen(token->label), false, help,
			fcn_value_types[token->kind].hint);
}

/* Add token n of an instance, which matches all words in front. */
static void
add_token(struct search *s, const struct fcn_inst *inst, unsigned int n)
{
	const struct fcn_token *token = fcn_inst_token(inst, n);
	const char *help = fcn_inst_option(s->table, inst, n), *p;
	size_t len;

	if (help == NULL)
		help = inst->command->help;
	if (token->kind != FCN_TOKEN_WORD && token->kind != FCN_TOKEN_CHOICE) {
		if (s->prefix_len == 0)
			add_argument(s, token, help);
		if (!add_names(s, inst, n) && s->prefix_len > 0)
			add_argument(s, token, help);
		return;
	}
	for (p = token->text; *p != '\0'; p += len + (p[len] == '#')) {
		len = strcspn(p, "#");
		if (is_typed(s, p, len))
			add(s->completion, p, len, true, help, "");
	}
}

static bool
ends_in_text(const struct fcn_inst *inst, unsigned int n)
{
	return n > 0 && fcn_inst_token(inst, n - 1)->kind == FCN_TOKEN_TEXT;
}

static void
collect(struct search *s)
{
	const struct fcn_inst *best = NULL;
	const unsigned int n = s->line.n_words;
	bool complete;
	size_t i;

	for (i = 0; i < s->table->n_insts; i++) {
		const struct fcn_inst *inst = s->table->insts[i];

		if (!inst->command->former && fcn_inst_match(inst, &s->line, &complete) == n &&
				(best == NULL || fcn_inst_compare(inst, best, n) < 0))
			best = inst;
	}
	for (i = 0; best != NULL && i < s->table->n_insts; i++) {
		const struct fcn_inst *inst = s->table->insts[i];

		if (inst->command->former || fcn_inst_match(inst, &s->line, &complete) != n ||
				fcn_inst_compare(inst, best, n) != 0 || ends_in_text(inst, n))
			continue;
		if (n < inst->n_tokens)
			add_token(s, inst, n);
		else if (s->prefix_len == 0)
			add(s->completion, "[RETURN]", strlen("[RETURN]"), false,
					inst->command->help, "");
	}
}

/* Find the candidates for the end of a line. @return length of what was typed of the last word */
static size_t
find_candidates(struct fcn_completion *c, const char *buf)
{
	struct search s = {.completion = c, .table = c->table};
	size_t behind = fcn_filters_last(buf), len = strlen(buf);
	struct fcn_diag diag = {0};
	bool comment;

	c->n = 0;
	if (behind > 0)
		s.table = c->filters;
	if (behind > 0 && behind == len)
		return 0; /* A blank has to follow the bar. */
	buf += behind;
	len -= behind;
	if (fcn_line_split(&s.line, buf, len, &diag) < 0 || s.line.n_words > FCN_MAX_TOKENS)
		return 0;
	comment = s.line.len < len && strspn(buf + s.line.len, " \t") != len - s.line.len;
	if (comment)
		return 0;
	s.prefix = buf + len;
	if (s.line.len == len && s.line.n_words > 0) { /* The last word is being typed. */
		s.line.n_words--;
		s.prefix = buf + s.line.words[s.line.n_words].start;
		s.prefix_len = len - s.line.words[s.line.n_words].start;
	}
	if (fcn_line_expand(s.table, &s.line, &diag) == 0)
		collect(&s);
	return s.prefix_len;
}

/* Break a line at blanks, so that none has more characters than columns. The rest is indented. */
static void
wrap(char *line, size_t size, size_t indent, unsigned int columns)
{
	size_t len = strlen(line), begin = 0, at;

	while (columns >= indent + 20 && len - begin > columns && len + indent + 1 < size) {
		for (at = begin + columns; at > begin + indent && line[at] != ' '; at--)
			;
		if (at <= begin + indent)
			return; /* A word is longer than that. */
		/* The blank becomes the end of a line, and behind it comes the indentation. */
		memmove(line + at + 1 + indent, line + at + 1, len - at);
		line[at] = '\n';
		memset(line + at + 1, ' ', indent);
		len += indent;
		begin = at + 1;
	}
}

/* Write line i of the list of candidates. */
static void
format(const struct fcn_completion *c, unsigned int i, char *dst, unsigned int size)
{
	const struct fcn_candidate *candidate = &c->list[i];
	char commands[32];
	size_t width = 0;
	unsigned int j;

	for (j = 0; j < c->n; j++)
		width = RTE_MAX(width, strlen(c->list[j].name));
	snprintf(commands, sizeof(commands), "%u commands", candidate->n_commands);
	if (candidate->help[0] == '\0')
		snprintf(dst, size, "%s", candidate->name);
	else
		snprintf(dst, size, candidate->hint[0] != '\0' ? "%-*s  %s (%s)" : "%-*s  %s",
				(int)width, candidate->name,
				candidate->n_commands > 1 ? commands : candidate->help,
				candidate->hint);
	/* rdline puts a blank in front. */
	wrap(dst, size, width + 3, RTE_MAX(c->columns, 1u) - 1);
}

/* Get the characters that all words have in common behind the first `typed` ones. @return whether
 * there are any */
static bool
common(const struct fcn_completion *c, size_t typed, char *dst, unsigned int size)
{
	const char *first = NULL;
	unsigned int i, words = 0;
	size_t len = 0, j;

	for (i = 0; i < c->n; i++) {
		if (!c->list[i].word)
			continue;
		if (words++ == 0) {
			first = c->list[i].name;
			len = strlen(first);
		}
		for (j = 0; j < len && c->list[i].name[j] == first[j]; j++)
			;
		len = j;
	}
	/* Without a letter, what was typed may go on with something that has no name here. */
	if (first == NULL || (typed == 0 && words < c->n))
		return false;
	snprintf(dst, size, "%.*s%s", (int)(len - typed), first + typed,
			words == 1 && first[len - 1] != '/' ? " " : "");
	return dst[0] != '\0';
}

int
fcn_completion_run(
		struct fcn_completion *c, const char *buf, int *state, char *dst, unsigned int size)
{
	size_t typed;

	if (*state > 0) { /* The first line of the list was given by an earlier call. */
		if ((unsigned int)*state >= c->n)
			return NOTHING;
		format(c, (unsigned int)(*state)++, dst, size);
		return LISTED;
	}
	typed = find_candidates(c, buf);
	if (c->n == 0)
		return NOTHING;
	if (*state == 0 && common(c, typed, dst, size))
		return ADDED;
	*state = 1;
	format(c, 0, dst, size);
	return LISTED;
}

void
fcn_completion_free(struct fcn_completion *c)
{
	free(c->list);
	fcn_command_table_free(c->filters);
	c->list = NULL;
	c->filters = NULL;
	c->n = 0;
}
