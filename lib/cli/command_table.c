/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Create the instances of rte_cmdline from declarations. A declaration is read
 * into a list of items: tokens, and the brackets of optional groups. Each choice
 * of groups makes an instance. The instances of a declaration share its tokens.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "command_private.h"

#define MAX_ITEMS (2 * FCN_MAX_TOKENS)

/* A token; or a bracket, if token is NULL. */
struct item {
	struct fcn_token *token;
	unsigned int close; /* opening bracket: index of the closing one */
	bool opens;
};

struct compiler {
	struct fcn_command_table *table;
	const struct fcn_command *command;
	const char *syntax;
	bool negated;
	struct item items[MAX_ITEMS];
	unsigned int n_items;
	unsigned int n_args;
	struct fcn_token *chosen[MAX_ITEMS];
	unsigned int n_chosen;
	unsigned int n_insts;
};

static int
syntax_error(const struct compiler *c, const char *what)
{
	fprintf(stderr, "command \"%s\": %s\n",
			c->command->syntax != NULL ? c->command->syntax : "(no syntax)", what);
	return -EINVAL;
}

static int
no_memory(const struct compiler *c)
{
	syntax_error(c, strerror(ENOMEM));
	return -ENOMEM;
}

/* Parse an argument, as a callback of rte_cmdline. @return the bytes that were used; -1 */
static int
parse_value(cmdline_parse_token_hdr_t *hdr, const char *buf, void *res, unsigned int size)
{
	const struct fcn_token *token = (const struct fcn_token *)(const void *)hdr;
	union fcn_value unused;
	size_t len;

	if (buf == NULL || (res != NULL && size < sizeof(union fcn_value)))
		return -1;
	if (token->kind == FCN_TOKEN_TEXT) {
		len = strcspn(buf, "\r\n");
		while (len > 0 && (buf[len - 1] == ' ' || buf[len - 1] == '\t'))
			len--;
	} else {
		len = strcspn(buf, " \t\r\n");
	}
	if (len > FCN_COMMAND_MAX_LINE)
		return -1;
	if (fcn_value_parse(token->kind, buf, len, res != NULL ? res : &unused, NULL, 0) < 0)
		return -1;
	return (int)len;
}

static struct fcn_token *
new_token(struct compiler *c, enum fcn_token_kind kind, const char *text, size_t len)
{
	struct fcn_command_table *table = c->table;
	struct fcn_token **tokens, *token;

	tokens = realloc(table->tokens, (table->n_tokens + 1) * sizeof(*tokens));
	if (tokens == NULL)
		return NULL;
	table->tokens = tokens;
	token = calloc(1, sizeof(*token));
	if (token == NULL)
		return NULL;
	tokens[table->n_tokens++] = token;
	token->kind = kind;
	token->text = strndup(text, len);
	if (token->text == NULL)
		return NULL;
	if (kind == FCN_TOKEN_WORD || kind == FCN_TOKEN_CHOICE) {
		token->dpdk.hdr.ops = &table->word_ops;
		token->dpdk.hdr.offset = offsetof(struct fcn_args, word);
		token->dpdk.string.string_data.str = token->text;
	} else {
		token->dpdk.hdr.ops = &table->value_ops;
	}
	return token;
}

/* Tell whether a text can be a literal word: visible ASCII without the characters of the syntax,
 * and without '?', which the console uses. */
static bool
is_word(const char *text, size_t len)
{
	size_t i;

	if (len == 0 || len > FCN_MAX_WORD)
		return false;
	for (i = 0; i < len; i++)
		if (text[i] <= ' ' || text[i] > '~' || strchr("<>[]|#?", text[i]) != NULL)
			return false;
	return true;
}

static int
add_item(struct compiler *c, struct fcn_token *token, bool opens)
{
	if (c->n_items == MAX_ITEMS)
		return syntax_error(c, "too long");
	c->items[c->n_items].token = token;
	c->items[c->n_items].opens = opens;
	c->n_items++;
	return 0;
}

static int
add_word(struct compiler *c, const char *text, size_t len)
{
	struct fcn_token *token;

	if (!is_word(text, len))
		return syntax_error(
				c, "a word is too long or has a character that no word can have");
	token = new_token(c, FCN_TOKEN_WORD, text, len);
	return token == NULL ? no_memory(c) : add_item(c, token, false);
}

static int
type_kind(const struct compiler *c, const char *type, size_t len, enum fcn_token_kind *kind)
{
	size_t n;

	if (memchr(type, '|', len) != NULL) {
		for (; len > 0; type += n, len -= n) {
			for (n = 0; n < len && type[n] != '|'; n++)
				;
			if (!is_word(type, n))
				return syntax_error(c,
						"a choice is empty, too long or has a character "
						"that no word can have");
			if (n < len && ++n == len)
				return syntax_error(c, "the last choice is empty");
		}
		*kind = FCN_TOKEN_CHOICE;
		return 0;
	}
	for (*kind = 0; *kind < FCN_TOKEN_KINDS; (*kind)++) {
		const char *name = fcn_value_types[*kind].name;

		if (name != NULL && strlen(name) == len && memcmp(name, type, len) == 0)
			return 0;
	}
	return syntax_error(c, "unknown type of argument");
}

/* Add an argument. @param text "key:type", of len bytes */
static int
add_arg(struct compiler *c, const char *text, size_t len)
{
	const char *type = memchr(text, ':', len);
	size_t key_len, type_len, size;
	enum fcn_token_kind kind;
	struct fcn_token *token;
	unsigned int i;
	char *p;

	if (type == NULL || !is_word(text, (size_t)(type - text)))
		return syntax_error(c, "an argument is written <key:type>");
	key_len = (size_t)(type++ - text);
	type_len = len - key_len - 1;
	if (type_kind(c, type, type_len, &kind) < 0)
		return -EINVAL;
	if (c->n_args == FCN_COMMAND_MAX_ARGS)
		return syntax_error(c, "too many arguments");

	token = new_token(c, kind, type, type_len);
	if (token == NULL)
		return no_memory(c);
	token->slot = c->n_args++;
	token->dpdk.hdr.offset = (unsigned int)(offsetof(struct fcn_args, values) +
						token->slot * sizeof(union fcn_value));
	size = key_len + type_len + sizeof("<:>");
	token->key = strndup(text, key_len);
	token->label = malloc(size);
	if (token->key == NULL || token->label == NULL)
		return no_memory(c);
	snprintf(token->label, size, strcmp(token->key, token->text) == 0 ? "<%s>" : "<%s:%s>",
			token->key, token->text);
	for (p = token->text; kind == FCN_TOKEN_CHOICE && *p != '\0'; p++)
		if (*p == '|')
			*p = '#'; /* rte_cmdline's separator */
	for (i = 0; i < c->n_items; i++)
		if (c->items[i].token != NULL && c->items[i].token->key != NULL &&
				strcmp(c->items[i].token->key, token->key) == 0)
			return syntax_error(c, "two arguments have the same key");
	return add_item(c, token, false);
}

/* Read the syntax of a declaration into items. */
static int
read_syntax(struct compiler *c)
{
	const char *s = c->syntax;
	unsigned int open[MAX_ITEMS], depth = 0;
	size_t len;
	int rc;

	while (*s != '\0') {
		len = 1;
		switch (*s) {
		case ' ':
			break;
		case '[':
			open[depth++ % MAX_ITEMS] = c->n_items;
			rc = add_item(c, NULL, true);
			if (rc < 0)
				return rc;
			break;
		case ']':
			if (depth == 0)
				return syntax_error(c, "] without [");
			if (open[--depth] + 1 == c->n_items)
				return syntax_error(c, "nothing between [ and ]");
			c->items[open[depth]].close = c->n_items;
			rc = add_item(c, NULL, false);
			if (rc < 0)
				return rc;
			break;
		case '<':
			len = strcspn(s, ">");
			if (s[len] == '\0')
				return syntax_error(c, "< without >");
			rc = add_arg(c, s + 1, len - 1);
			if (rc < 0)
				return rc;
			len++;
			break;
		default:
			len = strcspn(s, " []<");
			rc = add_word(c, s, len);
			if (rc < 0)
				return rc;
			break;
		}
		s += len;
	}
	return depth > 0 ? syntax_error(c, "[ without ]") : 0;
}

static int
add_inst(struct compiler *c)
{
	struct fcn_command_table *table = c->table;
	struct fcn_inst **insts, *inst;
	unsigned int i;

	if (c->n_chosen == 0 || c->chosen[0]->kind != FCN_TOKEN_WORD)
		return syntax_error(c, "a command begins with a word");
	if (c->n_chosen > FCN_MAX_TOKENS)
		return syntax_error(c, "too long");
	if (c->n_insts++ == FCN_MAX_INSTANCES)
		return syntax_error(c, "too many optional groups");
	for (i = 0; i + 1 < c->n_chosen; i++)
		if (c->chosen[i]->kind == FCN_TOKEN_TEXT)
			return syntax_error(c, "nothing can follow a text");

	insts = realloc(table->insts, (table->n_insts + 1) * sizeof(*insts));
	if (insts == NULL)
		return no_memory(c);
	table->insts = insts;
	inst = calloc(1, sizeof(*inst) + (c->n_chosen + 1) * sizeof(inst->dpdk.tokens[0]));
	if (inst == NULL)
		return no_memory(c);
	insts[table->n_insts++] = inst;
	inst->command = c->command;
	inst->negated = c->negated;
	inst->n_tokens = c->n_chosen;
	for (i = 0; i < c->n_chosen; i++)
		inst->dpdk.tokens[i] = &c->chosen[i]->dpdk.hdr;
	return 0;
}

/* Add an instance for each choice of optional groups among the items from i on. */
static int
expand(struct compiler *c, unsigned int i)
{
	int rc;

	if (i == c->n_items)
		return add_inst(c);
	if (c->items[i].token != NULL) {
		c->chosen[c->n_chosen++] = c->items[i].token;
		rc = expand(c, i + 1);
		c->n_chosen--;
		return rc;
	}
	rc = expand(c, i + 1);
	if (rc == 0 && c->items[i].opens)
		rc = expand(c, c->items[i].close + 1);
	return rc;
}

/* Tell whether two instances match the same lines. */
static bool
same_inst(const struct fcn_inst *a, const struct fcn_inst *b)
{
	unsigned int i;

	if (a->n_tokens != b->n_tokens)
		return false;
	for (i = 0; i < a->n_tokens; i++) {
		const struct fcn_token *x = fcn_inst_token(a, i), *y = fcn_inst_token(b, i);

		if (x->kind != y->kind || strcmp(x->text, y->text) != 0)
			return false;
	}
	return true;
}

static int
compile(struct fcn_command_table *table, const struct fcn_command *command, const char *syntax,
		bool negated)
{
	struct compiler c = {
			.table = table, .command = command, .syntax = syntax, .negated = negated};
	size_t i = table->n_insts, j;
	int rc;

	if (command->syntax == NULL || command->help == NULL || command->run == NULL)
		return syntax_error(&c, "syntax, help or run is missing");
	rc = read_syntax(&c);
	if (rc == 0)
		rc = expand(&c, 0);
	if (rc < 0)
		return rc;
	for (; i < table->n_insts; i++)
		for (j = 0; j < i; j++)
			if (same_inst(table->insts[i], table->insts[j])) {
				fprintf(stderr, "command \"%s\": can be written like \"%s\"\n",
						command->syntax, table->insts[j]->command->syntax);
				return -EINVAL;
			}
	return 0;
}

/* Compile the form of a command that begins with `no`, if it has one. */
static int
compile_no(struct fcn_command_table *table, const struct fcn_command *command)
{
	static const char word[] = " remove ";
	const char *at;
	char *syntax = NULL;
	int rc;

	if (command->former || command->syntax == NULL)
		return 0;
	if (command->no != NULL)
		return compile(table, command, command->no, true);
	at = strstr(command->syntax, word);
	if (at == NULL)
		return 0;
	if (asprintf(&syntax, "no %.*s [add] %s", (int)(at - command->syntax), command->syntax,
			    at + strlen(word)) < 0)
		return -ENOMEM;
	rc = compile(table, command, syntax, true);
	free(syntax);
	return rc;
}

/* Whether the first n tokens of two instances are the same words. */
static bool
begin_alike(const struct fcn_inst *a, const struct fcn_inst *b, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++) {
		if (i >= a->n_tokens || i >= b->n_tokens ||
				fcn_inst_token(a, i)->kind != FCN_TOKEN_WORD ||
				fcn_inst_token(b, i)->kind != FCN_TOKEN_WORD ||
				strcmp(fcn_inst_token(a, i)->text, fcn_inst_token(b, i)->text) != 0)
			return false;
	}
	return true;
}

/* Note where neighbours that begin with the same words end, so that a line is held against the
 * first of them only when it begins otherwise. */
static void
note_neighbours(struct fcn_command_table *table)
{
	for (size_t i = table->n_insts; i-- > 0;) {
		struct fcn_inst *inst = table->insts[i];

		for (unsigned int n = 0; n < RTE_DIM(inst->next); n++) {
			inst->next[n] = i + 1;
			if (i + 1 < table->n_insts && begin_alike(inst, table->insts[i + 1], n + 1))
				inst->next[n] = table->insts[i + 1]->next[n];
		}
	}
}

struct fcn_command_table *
fcn_command_table_create(const struct fcn_command_group *groups, size_t n_groups)
{
	struct fcn_command_table *table = calloc(1, sizeof(*table));
	bool failed = false;
	size_t i, j;

	if (table != NULL)
		table->groups = malloc(n_groups * sizeof(*groups));
	if (table == NULL || table->groups == NULL) {
		for (i = 0; i < n_groups; i++)
			free(groups[i].memory);
		free(table);
		return NULL;
	}
	memcpy(table->groups, groups, n_groups * sizeof(*groups));
	table->n_groups = n_groups;
	table->word_ops = cmdline_token_string_ops;
	table->value_ops.parse = parse_value;

	for (i = 0; i < n_groups; i++)
		for (j = 0; j < groups[i].n_commands; j++)
			if (compile(table, &groups[i].commands[j], groups[i].commands[j].syntax,
					    false) < 0)
				failed = true; /* Go on, to report all errors. */
	table->n_forms = table->n_insts;
	for (i = 0; i < n_groups && !failed; i++)
		for (j = 0; j < groups[i].n_commands; j++)
			if (compile_no(table, &groups[i].commands[j]) < 0)
				failed = true;
	if (failed) {
		fcn_command_table_free(table);
		return NULL;
	}
	note_neighbours(table);
	return table;
}

void
fcn_command_table_free(struct fcn_command_table *table)
{
	size_t i;

	if (table == NULL)
		return;
	for (i = 0; i < table->n_insts; i++)
		free(table->insts[i]);
	for (i = 0; i < table->n_tokens; i++) {
		free(table->tokens[i]->text);
		free(table->tokens[i]->key);
		free(table->tokens[i]->label);
		free(table->tokens[i]);
	}
	for (i = 0; i < table->n_groups; i++)
		free(table->groups[i].memory);
	free(table->groups);
	free(table->insts);
	free(table->tokens);
	free(table);
}

void
fcn_command_table_gate(struct fcn_command_table *table,
		int (*gate)(struct fcn_session *session, const struct fcn_command *command,
				struct fcn_diag *diag))
{
	table->gate = gate;
}
