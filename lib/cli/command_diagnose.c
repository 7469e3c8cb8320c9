/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Find out why a line is no command. Its author may have meant any of the
 * instances that match most of its words; what follows in each of them was
 * expected at that place.
 */

#include <string.h>

#include <rte_common.h>

#include "command_private.h"

#define MAX_ALTERNATIVES 128
#define MAX_LISTED 8 /* most alternatives that a message lists */

struct alternatives {
	struct {
		const char *text;
		unsigned int len;
		bool literal;
	} list[MAX_ALTERNATIVES];
	unsigned int n;
	unsigned int n_unlisted;
	bool end_of_line;
	const struct fcn_token *value; /**< the typed argument among them */
	unsigned int n_values;
};

static bool
add(struct alternatives *alts, const char *text, size_t len, bool literal)
{
	unsigned int i;

	for (i = 0; i < alts->n; i++)
		if (alts->list[i].len == len && memcmp(alts->list[i].text, text, len) == 0)
			return false;
	if (alts->n == MAX_ALTERNATIVES) {
		alts->n_unlisted++;
		return false;
	}
	alts->list[alts->n].text = text;
	alts->list[alts->n].len = (unsigned int)len;
	alts->list[alts->n].literal = literal;
	alts->n++;
	return true;
}

static void
add_token(struct alternatives *alts, const struct fcn_token *token)
{
	const char *p;
	size_t len;

	if (token->kind == FCN_TOKEN_WORD || token->kind == FCN_TOKEN_CHOICE) {
		for (p = token->text; *p != '\0'; p += len + (p[len] == '#')) {
			len = strcspn(p, "#");
			add(alts, p, len, true);
		}
	} else if (add(alts, token->label, strlen(token->label), false)) {
		alts->value = token;
		alts->n_values++;
	}
}

/* Get the greatest number of words that an instance matches, of those that are allowed or of those
 * that are not; and the most specific of the instances that match so many. */
static unsigned int
furthest(const struct fcn_command_table *table, const struct fcn_line *line, int allow,
		bool allowed, const struct fcn_inst **best)
{
	unsigned int most = 0, n;
	bool complete;
	size_t i;

	*best = NULL;
	for (i = 0; i < table->n_insts; i++) {
		const struct fcn_inst *inst = table->insts[i];

		if (fcn_inst_allowed(inst, allow) != allowed)
			continue;
		n = fcn_inst_match(inst, line, &complete);
		if (*best == NULL || n > most ||
				(n == most && fcn_inst_compare(inst, *best, n) < 0)) {
			most = n;
			*best = inst;
		}
	}
	return most;
}

static void
collect(const struct fcn_command_table *table, const struct fcn_line *line, int allow,
		unsigned int word, const struct fcn_inst *best, struct alternatives *alts)
{
	bool complete;
	size_t i;

	for (i = 0; i < table->n_insts; i++) {
		const struct fcn_inst *inst = table->insts[i];

		if (inst->command->former && !best->command->former)
			continue;
		if (!fcn_inst_allowed(inst, allow) ||
				fcn_inst_match(inst, line, &complete) != word ||
				fcn_inst_compare(inst, best, word) != 0)
			continue;
		if (word == inst->n_tokens)
			alts->end_of_line = true;
		else
			add_token(alts, fcn_inst_token(inst, word));
	}
}

/* Count the insertions, deletions, replacements and swaps of adjacent characters that turn one word
 * into the other. */
static unsigned int
distance(const char *a, size_t a_len, const char *b, size_t b_len)
{
	unsigned int rows[3][FCN_MAX_WORD + 1];
	unsigned int *before = rows[0], *last = rows[1], *row = rows[2], *spare;
	size_t i, j;

	if (a_len > FCN_MAX_WORD || b_len > FCN_MAX_WORD)
		return UINT32_MAX;
	for (j = 0; j <= b_len; j++)
		before[j] = last[j] = (unsigned int)j;
	for (i = 1; i <= a_len; i++) {
		row[0] = (unsigned int)i;
		for (j = 1; j <= b_len; j++) {
			unsigned int d = last[j - 1] + (a[i - 1] != b[j - 1]);

			d = RTE_MIN(d, last[j] + 1);
			d = RTE_MIN(d, row[j - 1] + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				d = RTE_MIN(d, before[j - 2] + 1);
			row[j] = d;
		}
		spare = before;
		before = last;
		last = row;
		row = spare;
	}
	return last[b_len];
}

/* Find the alternative that the word abbreviates or resembles. @return its index; -1: none */
static int
resembling(const struct alternatives *alts, const char *word, size_t len)
{
	unsigned int i, d, n_short = 0, nearest = UINT32_MAX;
	int similar = -1, is_short = -1;

	for (i = 0; i < alts->n; i++) {
		if (!alts->list[i].literal)
			continue;
		if (len < alts->list[i].len && memcmp(alts->list[i].text, word, len) == 0) {
			is_short = (int)i;
			n_short++;
		}
		d = distance(word, len, alts->list[i].text, alts->list[i].len);
		/* One error in three characters, or two in six, are taken for a typing error. */
		if (d < nearest && d <= 2 && 3 * d <= alts->list[i].len) {
			nearest = d;
			similar = (int)i;
		}
	}
	return n_short == 1 ? is_short : similar;
}

/* Find the place of a token among the first n of an instance. @return n: it has none */
static unsigned int
place_of(const struct fcn_inst *inst, unsigned int n, const struct fcn_token *token)
{
	unsigned int i = 0;

	while (i < n && fcn_inst_token(inst, i) != token)
		i++;
	return i;
}

/*
 * Find the word of the line in front of which this one has to stand, if it is one that the command
 * has further ahead. @param n words that match @return NULL: it is not
 */
static const struct fcn_token *
find_successor(const struct fcn_command_table *table, const struct fcn_inst *best, unsigned int n,
		const char *word, size_t len)
{
	unsigned int first = n;

	for (size_t k = 0; k < table->n_insts; k++) {
		const struct fcn_inst *inst = table->insts[k];
		bool seen = false;

		for (unsigned int i = 0; inst->command == best->command && i < inst->n_tokens;
				i++) {
			const struct fcn_token *token = fcn_inst_token(inst, i);

			if (token->kind != FCN_TOKEN_WORD)
				continue;
			if (seen)
				first = RTE_MIN(first, place_of(best, n, token));
			else if (strlen(token->text) == len &&
					memcmp(token->text, word, len) == 0 &&
					place_of(best, n, token) == n)
				seen = true;
		}
	}
	return first < n ? fcn_inst_token(best, first) : NULL;
}

/* Append to a message; what does not fit is cut off. */
static void
append(struct fcn_diag *diag, size_t *used, const char *text, size_t len)
{
	size_t room = sizeof(diag->message) - 1 - *used;

	len = RTE_MIN(len, room);
	memcpy(diag->message + *used, text, len);
	*used += len;
	diag->message[*used] = '\0';
}

static void
append_str(struct fcn_diag *diag, size_t *used, const char *text)
{
	append(diag, used, text, strlen(text));
}

/* Append "expected a, b or c", up to a length of limit bytes and MAX_LISTED alternatives. A longer
 * list ends in the number of further ones. */
static void
append_expected(struct fcn_diag *diag, size_t *used, struct alternatives *alts, size_t limit)
{
	unsigned int i, n = alts->n, more = alts->n_unlisted;
	char count[32];

	append_str(diag, used, "expected ");
	for (i = 0; i < n; i++) {
		if (i == MAX_LISTED || *used + alts->list[i].len > limit) {
			more += n - i;
			break;
		}
		if (i > 0)
			append_str(diag, used, i + 1 == n && more == 0 ? " or " : ", ");
		append(diag, used, alts->list[i].text, alts->list[i].len);
	}
	if (more > 0) {
		snprintf(count, sizeof(count), " or %u more", more);
		append_str(diag, used, count);
	}
}

#define SHORTEST 3 /* characters of a word of another program that are taken for it */

/* Count the words of another program's command that a line begins with. @return 0: not with all */
static unsigned int
begins_with(const struct fcn_line *line, const char *typed)
{
	unsigned int n = 0;

	for (; *typed != '\0'; typed += strspn(typed, " ")) {
		const size_t len = strcspn(typed, " ");
		const char *word = line->text + line->words[n].start;

		if (n == line->n_words || line->words[n].len > len ||
				line->words[n].len < RTE_MIN(len, (size_t)SHORTEST) ||
				memcmp(word, typed, line->words[n].len) != 0)
			return 0;
		typed += len;
		n++;
	}
	return n;
}

/* Find what somebody means who types a command of another program. @return NULL: it is none */
static const char *
meant_by(const struct fcn_command_table *table, const struct fcn_line *line, unsigned int at)
{
	const char *meant = NULL;
	unsigned int most = at;

	for (const struct fcn_command_foreign *f = table->foreign; f != NULL && f->typed != NULL;
			f++) {
		const unsigned int n = begins_with(line, f->typed);

		if (n > most) { /* the word that no command has is one of them */
			most = n;
			meant = f->meant;
		}
	}
	return meant;
}

void
fcn_command_diagnose(const struct fcn_command_table *table, const struct fcn_line *line, int allow,
		struct fcn_diag *diag)
{
	static const char end_of_line[] = "end of line";
	struct alternatives alts = {.n = 0};
	const struct fcn_inst *best, *forbidden;
	const struct fcn_token *successor;
	char quote[FCN_QUOTE_SIZE], why[256];
	const char *word = NULL, *meant;
	unsigned int at;
	size_t len = 0, used = 0;
	int i;

	at = furthest(table, line, allow, true, &best);
	if (allow == FCN_COMMAND_ALLOW_CONFIG &&
			furthest(table, line, allow, false, &forbidden) > at) {
		diag->column = fcn_line_word_column(line, 0);
		snprintf(diag->message, sizeof(diag->message),
				"commands like this one are for the console, they are not "
				"configuration");
		return;
	}
	if (best != NULL)
		collect(table, line, allow, at, best, &alts);
	diag->column = fcn_line_word_column(line, at);
	diag->message[0] = '\0';

	if (at < line->n_words) {
		word = line->text + line->words[at].start;
		len = line->words[at].len;
		if (alts.value != NULL && alts.value->kind == FCN_TOKEN_TEXT)
			len = line->len - line->words[at].start;
	}
	why[0] = '\0';
	if (word != NULL && alts.n_values == 1) {
		union fcn_value value;

		fcn_value_parse(alts.value->kind, word, len, &value, why, sizeof(why));
		if (alts.n == 1) { /* Nothing else was expected, so the reason is enough. */
			append_str(diag, &used, why);
			return;
		}
	}

	if (alts.end_of_line)
		add(&alts, end_of_line, sizeof(end_of_line) - 1, false);
	successor = word != NULL && best != NULL ? find_successor(table, best, at, word, len)
						 : NULL;
	i = word == NULL || successor != NULL ? -1 : resembling(&alts, word, len);
	meant = word == NULL ? NULL : meant_by(table, line, at);
	if (meant != NULL || i >= 0) {
		append_str(diag, &used, "did you mean ");
		if (meant != NULL)
			append_str(diag, &used, meant);
		else
			append(diag, &used, alts.list[i].text, alts.list[i].len);
		append_str(diag, &used, "? ");
	}
	/* Room is left for "found", the word, and either a hint or the reason. */
	append_expected(diag, &used, &alts, sizeof(diag->message) - (why[0] == '\0' ? 160 : 320));
	if (word == NULL) {
		if (alts.n == 1 && alts.n_values == 1) {
			append_str(diag, &used, " (");
			append_str(diag, &used, fcn_value_types[alts.value->kind].what);
			append_str(diag, &used, "; ");
			append_str(diag, &used, fcn_value_types[alts.value->kind].hint);
			append_str(diag, &used, ")");
		}
		append_str(diag, &used, ", found end of line");
		return;
	}
	append_str(diag, &used, ", found \"");
	append_str(diag, &used, fcn_quote(quote, word, len));
	append_str(diag, &used, "\"");
	if (successor != NULL) {
		append_str(diag, &used, ", which has to come before ");
		append_str(diag, &used, successor->text);
	} else if (i < 0 && why[0] != '\0') {
		append_str(diag, &used, "; ");
		append_str(diag, &used, why);
	}
}
