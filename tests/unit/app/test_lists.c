/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Every declared list: what was typed to add a thing is what is saved and shown, and it is gone
 * when it was removed. The lines are made from the forms of the commands, with values whose text is
 * as the switch writes it and that are no defaults, so a line is expected to be saved as it was
 * typed.
 */

#include <unistd.h>

#include <bsd/string.h>
#include <jansson.h>

#include "app_util.h"
#include "fcn_list.h"

#define LINES 32 /* lines of a list, at most */
#define TRIES 64

static uint64_t seed = 32;

static const char *const before[] = {"set loopback 2001:db8:f::5", "port add p0", "port add p1",
		"port add p1.7 vlan 7 of p1", "table add blue", "table add red",
		"srv6 policy add green", "srv6 policy add gold", NULL};

static unsigned int
choose(unsigned int n)
{
	return fcn_test_random(&seed) % n;
}

/* A line, and the words that its arguments stand for. */
struct line {
	char text[512];
	struct fcn_command_word words[FCN_COMMAND_MAX_WORDS];
	char value[FCN_COMMAND_MAX_WORDS][96];
	unsigned int n;
};

/* Numbers for which there is a condition, and names of what there is. */
static const struct {
	const char *key, *values[3];
} known[] = {
		{"port", {"p0", "p1", "p1.7"}},
		{"table", {"blue", "red", "blue"}},
		{"policy", {"green", "gold", "green"}},
		{"block", {"32", "32", "32"}},
		{"node", {"16", "16", "16"}},
		{"dscp", {"1", "46", "63"}},
};

static void
choose_word(const char *words, char *buf, size_t size)
{
	unsigned int n = 1;

	for (const char *c = words; *c != '\0'; c++)
		n += *c == '#';
	for (n = choose(n); n > 0; n--)
		words = strchr(words, '#') + 1;
	snprintf(buf, size, "%.*s", (int)strcspn(words, "#"), words);
}

static void
make_value(const struct fcn_command_word *w, bool is_new, char *buf, size_t size)
{
	const unsigned int a = 1 + choose(250), b = 1 + choose(250);
	const bool ipv4 = choose(2) != 0;

	for (unsigned int i = 0; i < RTE_DIM(known); i++) {
		if (!is_new && strcmp(known[i].key, w->key) == 0) {
			snprintf(buf, size, "%s", known[i].values[choose(3)]);
			return;
		}
	}
	if (strchr(w->type, '#') != NULL)
		choose_word(w->type, buf, size);
	else if (strcmp(w->type, "prefix") == 0 && is_new)
		snprintf(buf, size, ipv4 ? "198.%u.%u.9/24" : "2001:db8:%x:%x::9/64", a, b);
	else if (strcmp(w->type, "prefix") == 0)
		snprintf(buf, size, ipv4 ? "198.%u.%u.0/24" : "2001:%x:%x::/48", 0xd00 + a, b);
	else if (strcmp(w->type, "addr") == 0 || strcmp(w->type, "addr6") == 0)
		snprintf(buf, size, ipv4 ? "203.%u.%u.7" : "2001:db8:%x::%x", a, b);
	else if (strcmp(w->type, "mac") == 0)
		snprintf(buf, size, "02:00:00:00:%02x:%02x", a, b);
	else if (strcmp(w->type, "names") == 0)
		snprintf(buf, size, "2001:db8:%x::1,2001:db8:%x::2", a, b);
	else if (strcmp(w->type, "number") == 0)
		snprintf(buf, size, "%u", 2 + choose(4000));
	else
		snprintf(buf, size, "n%u", choose(100000));
}

static void
join(struct line *line)
{
	line->text[0] = '\0';
	for (unsigned int i = 0; i < line->n; i++) {
		strlcat(line->text, i > 0 ? " " : "", sizeof(line->text));
		strlcat(line->text, line->value[i], sizeof(line->text));
	}
}

/* Tell whether a form is that of a command of a list, with this verb. Other commands with these
 * words have no data. */
static bool
is_of(const struct fcn_list *list, const char *verb, size_t form, struct line *line)
{
	char head[96], begin[96] = "";

	line->n = fcn_command_form_words(session.table, form, line->words);
	snprintf(head, sizeof(head), "%s %s", list->words, verb);
	for (unsigned int i = 0; i < line->n && line->words[i].literal != NULL &&
				 strlen(begin) < strlen(head);
			i++)
		snprintf(begin + strlen(begin), sizeof(begin) - strlen(begin), "%s%s",
				i > 0 ? " " : "", line->words[i].literal);
	return strcmp(begin, head) == 0 &&
	       fcn_command_form_command(session.table, form)->data != NULL;
}

/* Tell whether the list gives the argument its name: it is the key of things that are called so. */
static bool
is_new(const struct fcn_list *list, const struct fcn_command_word *w)
{
	const struct fcn_setting_value *v = &list->members[0].value;

	return (v->type == FCN_SETTING_NAME && strcmp(v->key, w->key) == 0) ||
	       (list->n_members > 1 && list->members[1].value.type == FCN_SETTING_ADDR_LEN &&
			       strcmp(list->members[1].value.key, w->key) == 0);
}

static void
make(const struct fcn_list *list, struct line *line)
{
	for (unsigned int i = 0; i < line->n; i++) {
		if (line->words[i].literal != NULL)
			snprintf(line->value[i], sizeof(line->value[i]), "%s",
					line->words[i].literal);
		else
			make_value(&line->words[i], is_new(list, &line->words[i]), line->value[i],
					sizeof(line->value[i]));
	}
	join(line);
}

/* Tell whether a configuration has a line. */
static bool
has_line(const char *text, const char *line)
{
	for (const char *at = text; (at = strstr(at, line)) != NULL; at++)
		if (at > text && at[-1] == '\n' && at[strlen(line)] == '\n')
			return true;
	return false;
}

static bool
is_saved(const char *line)
{
	char *text = app_config();
	const bool found = has_line(text, line);

	free(text);
	return found;
}

/* Add a thing of a form with values that were not used yet. */
static void
add(const struct fcn_list *list, size_t form, struct line *line)
{
	char last[640] = "";

	assert_true(is_of(list, "add", form, line));
	for (unsigned int i = 0; i < TRIES; i++) {
		make(list, line);
		if (is_saved(line->text))
			continue;
		if (app_line(line->text) == 0) {
			if (!is_saved(line->text))
				fail_msg("it is saved as something else: %s\n%s", line->text,
						app_config());
			return;
		}
		snprintf(last, sizeof(last), "%s: %s", line->text, app_output());
	}
	fail_msg("no value was right: %s", last);
}

static void
assert_error_at(const struct line *line, unsigned int word, const char *wrong)
{
	size_t column = 1;
	char head[32];

	for (unsigned int i = 0; i < word; i++)
		column += strlen(line->value[i]) + 1;
	snprintf(head, sizeof(head), "column %zu: ", column);
	if (strncmp(app_output(), head, strlen(head)) != 0 || strstr(app_output(), wrong) == NULL)
		fail_msg("%s\nexpected %s... about %s, not: %s", line->text, head, wrong,
				app_output());
}

/* A slip in any word is an error at that word, and so is the name of what there is not. */
static void
check_slips(const struct fcn_list *list, const struct line *right)
{
	for (unsigned int w = 1; w < right->n; w++) {
		struct line line = *right;
		char *text = app_config(), *after;
		const bool is_name = line.words[w].literal == NULL &&
				     strcmp(line.words[w].type, "name") == 0;

		snprintf(line.value[w], sizeof(line.value[w]), "%s", "?!");
		join(&line);
		if (app_line(line.text) == 0)
			fail_msg("it was understood: %s", line.text);
		assert_error_at(&line, w, "?!");
		if (is_name && !is_new(list, &line.words[w])) {
			snprintf(line.value[w], sizeof(line.value[w]), "%s", "nope");
			join(&line);
			if (app_line(line.text) == 0)
				fail_msg("there is no such thing: %s", line.text);
			assert_error_at(&line, w, "nope");
		}
		after = app_config();
		assert_string_equal(after, text);
		free(after);
		free(text);
	}
}

/* Make the line that removes what a line added: the longest form with nothing but its words. */
static void
make_remove(const struct fcn_list *list, const struct line *added, struct line *line)
{
	struct line best = {.n = 0};

	for (size_t form = 0; form < fcn_command_form_count(session.table); form++) {
		bool fits = is_of(list, "remove", form, line) && line->n > best.n;

		for (unsigned int i = 0; fits && i < line->n; i++) {
			const struct fcn_command_word *w = &line->words[i];
			const char *value = w->literal;

			for (unsigned int k = 0; w->literal == NULL && k < added->n; k++) {
				if (added->words[k].literal == NULL &&
						strcmp(added->words[k].key, w->key) == 0)
					value = added->value[k];
			}
			if (w->literal != NULL && strcmp(w->literal, "remove") != 0) {
				value = NULL;
				for (unsigned int k = 0; k < added->n; k++)
					if (strcmp(added->value[k], w->literal) == 0)
						value = w->literal;
			}
			fits = value != NULL;
			if (fits)
				snprintf(line->value[i], sizeof(line->value[i]), "%s", value);
		}
		if (fits)
			best = *line;
	}
	assert_true(best.n > 0);
	*line = best;
	join(line);
}

/* Tell whether a JSON value contains a word as the value of a member, or is that word. */
static bool
has_value(const json_t *o, const char *word)
{
	const char *key;
	json_t *value;
	char text[32];

	if (json_is_string(o))
		return strcmp(json_string_value(o), word) == 0;
	if (json_is_integer(o)) {
		snprintf(text, sizeof(text), "%lld", (long long)json_integer_value(o));
		return strcmp(text, word) == 0;
	}
	json_object_foreach ((json_t *)(uintptr_t)o, key, value) {
		if (has_value(value, word))
			return true;
	}
	return false;
}

/* What was added is in the array of its `show`, with the words that were typed. */
static void
check_shown(const struct fcn_list *list, const struct line *lines, unsigned int n)
{
	char command[64];
	json_t *shown, *things;

	if (list->show == NULL)
		return;
	snprintf(command, sizeof(command), "show %.*s json", (int)strcspn(list->show, "."),
			list->show);
	app_ok(command);
	shown = json_loads(app_output(), 0, NULL);
	assert_non_null(shown);
	things = json_object_get(shown, strchr(list->show, '.') + 1);
	assert_int_equal(json_array_size(things), n);
	for (unsigned int i = 0; i < n; i++) {
		for (unsigned int w = 0; w < lines[i].n; w++) {
			if (lines[i].words[w].literal == NULL &&
					!has_value(json_array_get(things, i), lines[i].value[w]))
				fail_msg("%s: %s is not shown: %s", lines[i].text,
						lines[i].value[w], app_output());
		}
	}
	json_decref(shown);
}

static void
note_name(void *list, const char *name)
{
	strlcat(list, " ", 256);
	strlcat(list, name, 256);
}

/* What a member refers to is completed: the names of what there is. */
static void
check_completed(const struct fcn_list *list)
{
	for (unsigned int i = 0; i < list->n_members; i++) {
		const struct fcn_setting_value *v = &list->members[i].value;
		const char *want = v->type == FCN_SETTING_PORT     ? " p0 p1 p1.7"
				   : v->type == FCN_SETTING_TABLE  ? " main blue red"
				   : v->type == FCN_SETTING_POLICY ? " green gold"
								   : NULL;
		char names[256] = "";

		if (want == NULL)
			continue;
		fcn_session_names(fcn_control_config(platform.ctl), v->key, note_name, names);
		if (strcmp(names, want) != 0)
			fail_msg("%s: <%s> is completed by%s", list->words, v->key, names);
	}
}

static struct line lines[LINES];
static unsigned int n_lists;

static void
check_list(const struct fcn_list *list, void *arg)
{
	char *empty, *now;
	unsigned int n = 0;
	struct line line;

	RTE_SET_USED(arg);
	n_lists++;
	assert_true(list->n_members <= FCN_LIST_MEMBERS && list->size <= FCN_LIST_THING);
	assert_true(list->n_forms <= 32 && (list->most == 0 || list->many != NULL));
	assert_true(list->slot == 0 || (list->most > 0 && list->most <= FCN_LIST_SLOTS));
	app_teardown(NULL);
	app_setup(NULL);
	app_all(before);
	check_completed(list);
	empty = app_config();
	for (size_t form = 0; form < fcn_command_form_count(session.table); form++) {
		for (unsigned int i = 0; n < LINES && i < 2 && is_of(list, "add", form, &line); i++)
			add(list, form, &lines[n++]);
		if (n > 0 && is_of(list, "add", form, &line))
			check_slips(list, &lines[n - 1]);
	}
	if (n == 0)
		fail_msg("no command adds %s", list->words);
	check_shown(list, lines, n);
	for (unsigned int i = 0; i < n && !list->replaces && !list->repeats; i++) {
		if (app_line(lines[i].text) == 0)
			fail_msg("it is there twice: %s", lines[i].text);
		assert_non_null(strstr(app_output(), " already"));
	}
	app_reload();
	for (unsigned int i = 0; i < n; i++) {
		make_remove(list, &lines[i], &line);
		if (app_line(line.text) != 0)
			fail_msg("%s\n%s: %s", lines[i].text, line.text, app_output());
		if (is_saved(lines[i].text))
			fail_msg("%s: it is still there", line.text);
		if (app_line(line.text) == 0)
			fail_msg("%s: it was removed twice", line.text);
	}
	now = app_config();
	assert_string_equal(now, empty);
	free(now);
	free(empty);
}

static int
begin(void **state)
{
	alarm(120);
	return app_group_setup(state);
}

TEST_FIXTURE(.begin = begin, .end = app_group_teardown, .setup = app_setup,
		.teardown = app_teardown);

TEST(lists)
{
	fcn_list_each(check_list, NULL);
	assert_true(n_lists > 15);
}

static void
check_port(const struct fcn_list *list, void *arg)
{
	char *left;
	unsigned int n = 0;

	RTE_SET_USED(arg);
	app_teardown(NULL);
	app_setup(NULL);
	app_all(before);
	for (size_t form = 0; form < fcn_command_form_count(session.table); form++) {
		struct line line;

		if (n < LINES && is_of(list, "add", form, &line))
			add(list, form, &lines[n++]);
	}
	app_ok("port remove p0");
	app_ok("port remove p1");
	app_ok("srv6 policy remove green");
	app_ok("srv6 policy remove gold");
	left = app_config();
	/* Whatever names one of them is gone with it, and nothing else is. */
	for (unsigned int i = 0; i < n; i++) {
		bool named = false;

		for (unsigned int w = 0; w < lines[i].n; w++)
			named |= lines[i].words[w].literal == NULL &&
				 !is_new(list, &lines[i].words[w]) &&
				 (strcmp(lines[i].words[w].key, "port") == 0 ||
						 strcmp(lines[i].words[w].key, "policy") == 0);
		if (has_line(left, lines[i].text) == named)
			fail_msg("%s: %s", named ? "it is still there" : "it is gone",
					lines[i].text);
	}
	free(left);
}

TEST(references)
{
	fcn_list_each(check_port, NULL);
}

/* The prefix length of an address does not matter when it is removed. */
TEST(address)
{
	app_all(before);
	app_ok("address add p0 2001:db8:1::1/64");
	app_ok("address remove p0 2001:db8:1::1/48");
	assert_false(is_saved("address add p0 2001:db8:1::1/64"));
}
