/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "scenario_private.h"

#define MAX_NUMBER 1000000u /* largest number in brackets */

/* State of the expansion of a list. */
struct writer {
	struct lab_names *names;
	char name[LAB_NAME_LEN];
	char *err;
	size_t err_size;
};

static int __attribute__((format(printf, 2, 3))) wrong(struct writer *w, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(w->err, w->err_size, fmt, ap);
	va_end(ap);
	return -EINVAL;
}

static int
put(struct writer *w)
{
	char(*name)[LAB_NAME_LEN];

	if (w->names->n == LAB_MAX_NAMES)
		return wrong(w, "the list has more than %u names", LAB_MAX_NAMES);
	name = lab_push(&w->names->name, &w->names->n, sizeof(*name));
	if (name == NULL)
		return wrong(w, "%s", strerror(ENOMEM));
	memcpy(*name, w->name, sizeof(*name));
	return 0;
}

/* Read a number at *text, and its number of digits. */
static int
read_number(struct writer *w, const char **text, const char *end, unsigned int *n, int *width)
{
	const char *begin = *text;

	for (*n = 0; *text < end && **text >= '0' && **text <= '9' && *n <= MAX_NUMBER; (*text)++)
		*n = *n * 10 + (unsigned int)(**text - '0');
	*width = (int)(*text - begin);
	if (*width == 0)
		return wrong(w, "brackets contain numbers and ranges, as in h[1-4,7]");
	if (*n > MAX_NUMBER)
		return wrong(w, "a number in brackets must be at most %u", MAX_NUMBER);
	return 0;
}

static int write_rest(struct writer *w, size_t used, const char *text, const char *end);

static int
append(struct writer *w, size_t *used, const char *text, size_t len)
{
	if (*used + len >= LAB_NAME_LEN)
		return wrong(w, "a name has at most %u characters", LAB_NAME_LEN - 1);
	memcpy(w->name + *used, text, len);
	*used += len;
	w->name[*used] = '\0';
	return 0;
}

/* Expand the numbers between brackets. Each of them is followed by the rest of the name. */
static int
write_numbers(struct writer *w, size_t used, const char *text, const char *close, const char *end)
{
	unsigned int first, last, n;
	int width, unused, rc;

	for (;; text++) {
		rc = read_number(w, &text, close, &first, &width);
		last = first;
		if (rc == 0 && text < close && *text == '-') {
			text++;
			rc = read_number(w, &text, close, &last, &unused);
		}
		if (rc != 0)
			return rc;
		if (last < first)
			return wrong(w, "the range %u-%u ends before it begins", first, last);
		for (n = first; n <= last; n++) {
			size_t now = used;
			char digits[16];
			int len = snprintf(digits, sizeof(digits), "%0*u", width, n);

			rc = append(w, &now, digits, (size_t)len);
			if (rc == 0)
				rc = write_rest(w, now, close + 1, end);
			if (rc != 0)
				return rc;
		}
		if (text == close)
			return 0;
		if (*text != ',')
			return wrong(w, "brackets contain numbers and ranges, as in h[1-4,7]");
	}
}

static int
write_rest(struct writer *w, size_t used, const char *text, const char *end)
{
	const char *open = memchr(text, '[', (size_t)(end - text)), *close;
	size_t len = (size_t)((open != NULL ? open : end) - text);
	int rc;

	if (memchr(text, ']', len) != NULL)
		return wrong(w, "] without [");
	rc = append(w, &used, text, len);
	if (rc != 0)
		return rc;
	if (open == NULL)
		return used == 0 ? wrong(w, "the list has an empty name") : put(w);
	close = memchr(open, ']', (size_t)(end - open));
	if (close == NULL)
		return wrong(w, "[ without ]");
	return write_numbers(w, used, open + 1, close, end);
}

/* Find the end of the name at text: a comma outside brackets. */
static const char *
end_of_name(const char *text)
{
	bool within = false;

	for (; *text != '\0' && (within || *text != ','); text++) {
		if (*text == '[')
			within = true;
		else if (*text == ']')
			within = false;
	}
	return text;
}

int
lab_names_expand(const char *list, struct lab_names *names, char *err, size_t err_size)
{
	struct writer w = {.names = names, .err = err, .err_size = err_size};
	const char *end;
	int rc;

	names->name = NULL;
	names->n = 0;
	for (;; list = end + 1) {
		end = end_of_name(list);
		w.name[0] = '\0';
		rc = write_rest(&w, 0, list, end);
		if (rc != 0) {
			lab_names_free(names);
			return rc;
		}
		if (*end == '\0')
			return 0;
	}
}

void
lab_names_free(struct lab_names *names)
{
	free(names->name);
	names->name = NULL;
	names->n = 0;
}

int
lab_names_of(const struct fcn_args *args, const char *key, struct lab_names *names)
{
	char err[128];
	int rc = lab_names_expand(fcn_args_str(args, key), names, err, sizeof(err));

	return rc == 0 ? 0 : fcn_command_error(args, rc, key, "%s", err);
}

static bool
is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

const char *
lab_name_error(const char *name)
{
	if (strcmp(name, "all") == 0 || strcmp(name, "add") == 0)
		return "is a word of the scenario language";
	if (!is_letter(name[0]))
		return "does not begin with a letter";
	for (; *name != '\0'; name++)
		if (!is_letter(*name) && !(*name >= '0' && *name <= '9') && *name != '_')
			return "has another character than letters, digits and _";
	return NULL;
}

bool
lab_node_find(const struct lab_scenario *sc, const char *name, struct lab_node *node)
{
	unsigned int i;

	for (i = 0; i < sc->n_hosts; i++)
		if (strcmp(sc->host[i].name, name) == 0) {
			*node = (struct lab_node){LAB_HOST, i};
			return true;
		}
	for (i = 0; i < sc->n_switches; i++)
		if (strcmp(sc->node_switch[i].name, name) == 0) {
			*node = (struct lab_node){LAB_SWITCH, i};
			return true;
		}
	return false;
}

const char *
lab_node_name(const struct lab_scenario *sc, struct lab_node node)
{
	return node.kind == LAB_HOST ? sc->host[node.index].name : sc->node_switch[node.index].name;
}

static int
add_node(struct lab_nodes *nodes, struct lab_node node)
{
	struct lab_node *item = lab_push(&nodes->node, &nodes->n, sizeof(*item));

	if (item == NULL)
		return -ENOMEM;
	*item = node;
	return 0;
}

static int
add_all(struct lab_nodes *nodes, const struct lab_scenario *sc, unsigned int kinds)
{
	unsigned int i;
	int rc = 0;

	for (i = 0; rc == 0 && (kinds & LAB_SWITCHES) != 0 && i < sc->n_switches; i++)
		rc = add_node(nodes, (struct lab_node){LAB_SWITCH, i});
	for (i = 0; rc == 0 && (kinds & LAB_HOSTS) != 0 && i < sc->n_hosts; i++)
		rc = add_node(nodes, (struct lab_node){LAB_HOST, i});
	return rc;
}

static const char *
kind_text(unsigned int kinds)
{
	if (kinds == LAB_HOSTS)
		return "host";
	return kinds == LAB_SWITCHES ? "switch" : "switch or host";
}

int
lab_nodes_of(struct lab_reader *r, const struct fcn_args *args, const char *key, unsigned int kinds,
		struct lab_nodes *nodes)
{
	struct lab_names names;
	struct lab_node node;
	unsigned int i;
	int rc = lab_names_of(args, key, &names);

	nodes->node = NULL;
	nodes->n = 0;
	for (i = 0; rc == 0 && i < names.n; i++) {
		if (strcmp(names.name[i], "all") == 0)
			rc = add_all(nodes, r->sc, kinds);
		else if (!lab_node_find(r->sc, names.name[i], &node))
			rc = fcn_command_error(args, -ENOENT, key, "there is no %s %s",
					kind_text(kinds), names.name[i]);
		else if ((kinds & 1u << node.kind) == 0)
			rc = fcn_command_error(args, -EINVAL, key, "%s is a %s, not a %s",
					names.name[i], kind_text(1u << node.kind),
					kind_text(kinds));
		else
			rc = add_node(nodes, node);
	}
	lab_names_free(&names);
	if (rc == 0 && nodes->n == 0)
		rc = fcn_command_error(args, -ENOENT, key, "there is no %s", kind_text(kinds));
	if (rc != 0)
		lab_nodes_free(nodes);
	return rc;
}

void
lab_nodes_free(struct lab_nodes *nodes)
{
	free(nodes->node);
	nodes->node = NULL;
	nodes->n = 0;
}

int
lab_node_of(struct lab_reader *r, const struct fcn_args *args, const char *key, unsigned int kinds,
		struct lab_node *node)
{
	struct lab_nodes nodes;
	int rc = lab_nodes_of(r, args, key, kinds, &nodes);

	if (rc != 0)
		return rc;
	*node = nodes.node[0];
	if (nodes.n != 1)
		rc = fcn_command_error(args, -EINVAL, key, "exactly one %s must be given here",
				kind_text(kinds));
	lab_nodes_free(&nodes);
	return rc;
}

/* Repeat the only node of a list n times. */
static int
repeat(struct lab_nodes *nodes, unsigned int n)
{
	int rc = 0;

	while (rc == 0 && nodes->n < n)
		rc = add_node(nodes, nodes->node[0]);
	return rc;
}

int
lab_pairs_of(struct lab_reader *r, const struct fcn_args *args, const char *a, const char *b,
		struct lab_nodes ends[2])
{
	int rc = lab_nodes_of(r, args, a, LAB_SWITCHES | LAB_HOSTS, &ends[0]);

	ends[1].node = NULL;
	ends[1].n = 0;
	if (rc == 0)
		rc = lab_nodes_of(r, args, b, LAB_SWITCHES | LAB_HOSTS, &ends[1]);
	if (rc == 0 && ends[0].n != ends[1].n && ends[0].n != 1 && ends[1].n != 1)
		rc = fcn_command_error(args, -EINVAL, b,
				"%u nodes and %u nodes: lists must have the same length, or "
				"one of them a single node",
				ends[0].n, ends[1].n);
	if (rc == 0 && ends[0].n == 1)
		rc = repeat(&ends[0], ends[1].n);
	else if (rc == 0 && ends[1].n == 1)
		rc = repeat(&ends[1], ends[0].n);
	if (rc != 0) {
		lab_nodes_free(&ends[0]);
		lab_nodes_free(&ends[1]);
	}
	return rc;
}
