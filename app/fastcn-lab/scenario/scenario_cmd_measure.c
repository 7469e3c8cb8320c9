/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Commands for recorded queues, definitions and expectations. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_common.h>

#include "expression_private.h"
#include "scenario_private.h"

#define MAX_TEXT 8192 /* maximum size of an expression with its definitions */

static int
add_watches(struct lab_reader *r, const struct fcn_args *args, unsigned int node, const char *port)
{
	uint64_t class = fcn_args_u64(args, "class", 0);
	unsigned int first = class == FCN_ARG_CLASS_ALL ? 0 : (unsigned int)class;
	unsigned int last = class == FCN_ARG_CLASS_ALL ? 7 : (unsigned int)class;
	struct lab_watch *watch;

	if (!lab_node_has_port(r->sc, (struct lab_node){LAB_SWITCH, node}, port))
		return fcn_command_error(args, -ENOENT, "ports",
				"switch %s has no port %s with a link",
				r->sc->node_switch[node].name, port);
	for (; first <= last; first++) {
		watch = lab_push(&r->sc->watch, &r->sc->n_watches, sizeof(*watch));
		if (watch == NULL)
			return -ENOMEM;
		watch->node = node;
		watch->class = (uint8_t)first;
		snprintf(watch->port, sizeof(watch->port), "%s", port);
	}
	return 0;
}

static int
watch_queue(struct fcn_session *session, const struct fcn_args *args)
{
	struct lab_reader *r = lab_reader_in(session, LAB_PASS_REST);
	struct lab_names ports;
	struct lab_nodes nodes;
	int rc;

	if (r == NULL)
		return 0;
	rc = lab_nodes_of(r, args, "switches", LAB_SWITCHES, &nodes);
	if (rc != 0)
		return rc;
	rc = lab_names_of(args, "ports", &ports);
	for (unsigned int i = 0; rc == 0 && i < nodes.n; i++)
		for (unsigned int j = 0; rc == 0 && j < ports.n; j++)
			rc = add_watches(r, args, nodes.node[i].index, ports.name[j]);
	lab_names_free(&ports);
	lab_nodes_free(&nodes);
	return rc;
}

/* ---- expressions ---- */

static const struct lab_let *
find_let(const struct lab_reader *r, const char *name, size_t len)
{
	for (unsigned int i = 0; i < r->n_lets; i++)
		if (strlen(r->let[i].name) == len && memcmp(r->let[i].name, name, len) == 0)
			return &r->let[i];
	return NULL;
}

/*
 * Replace the names of definitions in a text by their texts, so that the result does not depend on
 * definitions.
 *
 * @return text to be freed; NULL when it is too long
 */
static char *
define(const struct lab_reader *r, const char *text)
{
	char *out = malloc(MAX_TEXT), why[128];
	const struct lab_let *let;
	struct lab_token token;
	size_t used = 0;
	int n;

	for (; out != NULL; text = token.text + token.len) {
		lab_token_read(text, &token, why, sizeof(why));
		let = token.kind == LAB_TOKEN_NAME ? find_let(r, token.text, token.len) : NULL;
		if (let != NULL)
			n = snprintf(out + used, MAX_TEXT - used, "%.*s(%s)",
					(int)(token.text - text), text, let->text);
		else
			n = snprintf(out + used, MAX_TEXT - used, "%.*s",
					(int)(token.text + token.len - text), text);
		used += (size_t)n;
		if (used >= MAX_TEXT)
			break;
		if (token.kind == LAB_TOKEN_END)
			return out;
	}
	free(out);
	return NULL;
}

/* Report an error within the text of an argument. */
static int
error_within(struct lab_reader *r, const struct fcn_args *args, const char *key,
		const struct lab_expression_error *err)
{
	fcn_command_error(args, -EINVAL, key, "%s", err->message);
	r->diag->column += err->column > 0 ? err->column - 1 : 0;
	return -EINVAL;
}

static bool
is_taken(const char *name)
{
	const struct lab_token token = {.kind = LAB_TOKEN_NAME, .text = name, .len = strlen(name)};

	return lab_function_exists(&token) || lab_token_is(&token, "within") ||
	       lab_token_is(&token, "of");
}

static int
let(struct fcn_session *session, const struct fcn_args *args)
{
	struct lab_reader *r = lab_reader_in(session, LAB_PASS_LINKS);
	const char *name = fcn_args_str(args, "name");
	struct lab_expression_error err;
	struct lab_let *new;
	char *text;

	if (r == NULL)
		return 0;
	if (!lab_param_name_ok(name) || is_taken(name))
		return fcn_command_error(args, -EINVAL, "name",
				"the name of a definition has letters, digits and _, does not "
				"begin with a digit, and is not that of a function");
	if (find_let(r, name, strlen(name)) != NULL)
		return fcn_command_error(
				args, -EEXIST, "name", "there is a definition %s already", name);
	if (lab_expression_check(fcn_args_str(args, "expression"), &err) != 0)
		return error_within(r, args, "expression", &err);
	text = define(r, fcn_args_str(args, "expression"));
	if (text == NULL)
		return fcn_command_error(args, -E2BIG, "expression",
				"the expression with its definitions is longer than %d bytes",
				MAX_TEXT - 1);
	new = lab_push(&r->let, &r->n_lets, sizeof(*new));
	if (new == NULL) {
		free(text);
		return -ENOMEM;
	}
	snprintf(new->name, sizeof(new->name), "%s", name);
	new->text = text;
	return 0;
}

/* Remove the note from the end of an expression. @return the note, or NULL */
static char *
cut_note(char *said)
{
	char *note = strstr(said, " -- "), *end;

	if (note == NULL)
		return NULL;
	for (end = note; end > said && (end[-1] == ' ' || end[-1] == '\t'); end--)
		;
	*end = '\0';
	note += strlen(" -- ");
	return strdup(note + strspn(note, " \t"));
}

static int
expect(struct fcn_session *session, const struct fcn_args *args)
{
	struct lab_reader *r = lab_reader_in(session, LAB_PASS_REST);
	struct lab_expression_error err;
	struct lab_expect *new;

	if (r == NULL)
		return 0;
	new = lab_push(&r->sc->expect, &r->sc->n_expects, sizeof(*new));
	if (new == NULL)
		return -ENOMEM;
	new->place = r->place;
	new->said = strdup(fcn_args_str(args, "expression"));
	if (new->said == NULL)
		return -ENOMEM;
	new->note = cut_note(new->said);
	if (lab_expectation_check(new->said, &err) != 0)
		return error_within(r, args, "expression", &err);
	new->text = define(r, new->said);
	if (new->text == NULL)
		return fcn_command_error(args, -E2BIG, "expression",
				"the expression with its definitions is longer than %d bytes",
				MAX_TEXT - 1);
	if (lab_expectation_check(new->text, &err) != 0)
		return fcn_command_error(args, -EINVAL, "expression", "with its definitions: %s",
				err.message);
	return 0;
}

static const struct fcn_command commands[] = {
		{"watch <switches:names> <ports:names> class <class:class>",
				"Record the occupancy of these queues as a time series, and "
				"plot it. The maximum and distribution of the occupancy of all "
				"queues are in the result anyway",
				FCN_COMMAND_CONFIG, watch_queue},
		{"let <name:name> = <expression:text>",
				"Define a name for an expression, for the expectations and "
				"definitions after this line",
				FCN_COMMAND_CONFIG, let},
		{"expect <expression:text>",
				"Expression that must be true at the end of the run. "
				"doc/lab.md describes expressions. The text after ` -- ` is a "
				"note that explains the expectation",
				FCN_COMMAND_CONFIG, expect},
};

const struct fcn_command_group lab_measure_commands = {
		"Measuring and expecting", commands, RTE_DIM(commands)};
