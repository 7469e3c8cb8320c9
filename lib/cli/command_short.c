/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Abbreviated words. A word is replaced by the literal word that it begins, if the whole line
 * leaves no other. Where a word can be read in several ways, a word in full comes before a value,
 * and a value before an abbreviation: a new command never changes what a line in full means.
 */

#include <errno.h>
#include <string.h>

#include <rte_common.h>

#include "command_private.h"

/* How a word of the line matches a token, the best first. */
enum fit {
	FIT_FULL,
	FIT_VALUE,
	FIT_SHORT,
	FIT_NONE,
};

#define MAX_NAMED 8 /* most candidates that an error names */

/* The words that an abbreviation can stand for. */
struct meanings {
	const char *text[MAX_NAMED];
	size_t len[MAX_NAMED];
	unsigned int n, more;
};

static void
add_meaning(struct meanings *m, const char *text, size_t len)
{
	for (unsigned int i = 0; i < m->n; i++)
		if (m->len[i] == len && memcmp(m->text[i], text, len) == 0)
			return;
	if (m->n == MAX_NAMED) {
		m->more++;
		return;
	}
	m->text[m->n] = text;
	m->len[m->n++] = len;
}

/* Tell how a literal word or a choice fits. @param m result: the words it can stand for if they are
 * longer; may be NULL */
static enum fit
fit_literal(const char *text, const char *word, size_t len, struct meanings *m)
{
	enum fit fit = FIT_NONE;
	size_t n;

	for (; *text != '\0'; text += n + (text[n] == '#')) {
		n = strcspn(text, "#");
		if (n < len || memcmp(text, word, len) != 0)
			continue;
		if (n == len)
			return FIT_FULL;
		fit = FIT_SHORT;
		if (m != NULL)
			add_meaning(m, text, n);
	}
	return fit;
}

static enum fit
fit_of(const struct fcn_token *token, const struct fcn_line *line, unsigned int i,
		struct meanings *m)
{
	if (token->kind == FCN_TOKEN_WORD || token->kind == FCN_TOKEN_CHOICE)
		return fit_literal(token->text, line->text + line->words[i].start,
				line->words[i].len, m);
	return fcn_token_match(token, line, i, NULL) ? FIT_VALUE : FIT_NONE;
}

unsigned int
fcn_inst_match_short(const struct fcn_inst *inst, const struct fcn_line *line)
{
	unsigned int i;

	for (i = 0; i < inst->n_tokens && i < line->n_words; i++) {
		const struct fcn_token *token = fcn_inst_token(inst, i);

		if (fit_of(token, line, i, NULL) == FIT_NONE)
			break;
		if (token->kind == FCN_TOKEN_TEXT)
			return line->n_words;
	}
	return i;
}

/* Tell whether an instance reads each of the first n words in the best way in which any reads it.
 */
static bool
is_candidate(const struct fcn_inst *inst, const struct fcn_line *line, unsigned int most,
		const enum fit best[], unsigned int n)
{
	if (inst->command->former || fcn_inst_match_short(inst, line) < most)
		return false;
	for (unsigned int i = 0; i < n && i < inst->n_tokens; i++)
		if (fit_of(fcn_inst_token(inst, i), line, i, NULL) > best[i])
			return false;
	return true;
}

static int
ambiguous(const struct fcn_line *line, unsigned int i, const struct meanings *m,
		struct fcn_diag *diag)
{
	char quote[FCN_QUOTE_SIZE];
	size_t used;

	diag->column = fcn_line_word_column(line, i);
	used = (size_t)snprintf(diag->message, sizeof(diag->message), "\"%s\" is ambiguous: ",
			fcn_quote(quote, line->text + line->words[i].start, line->words[i].len));
	/* MAX_NAMED words of FCN_MAX_WORD characters fit the message. */
	for (unsigned int j = 0; j < m->n; j++)
		used += (size_t)snprintf(diag->message + used, sizeof(diag->message) - used,
				"%s%.*s",
				j == 0                        ? ""
				: j + 1 < m->n || m->more > 0 ? ", "
							      : " or ",
				(int)m->len[j], m->text[j]);
	if (m->more > 0)
		snprintf(diag->message + used, sizeof(diag->message) - used, " or %u more",
				m->more);
	return -EINVAL;
}

_Static_assert(sizeof(((struct fcn_diag *)0)->message) >
				FCN_QUOTE_SIZE + MAX_NAMED * (FCN_MAX_WORD + 4) + 32,
		"an error names all candidates");

/* Replace a word by its full form, behind the text of the line. */
static void
replace(struct fcn_line *line, unsigned int i, const char *text, size_t len)
{
	memcpy(line->text + line->end, text, len);
	line->text[line->end + len] = '\0';
	line->words[i].start = line->end;
	line->words[i].len = len;
	line->end += len + 1;
}

int
fcn_line_expand(const struct fcn_command_table *table, struct fcn_line *line, struct fcn_diag *diag)
{
	enum fit best[FCN_MAX_TOKENS + 1];
	unsigned int most = 0, i;
	size_t j;

	for (j = 0; j < table->n_insts; j++)
		if (!table->insts[j]->command->former)
			most = RTE_MAX(most, fcn_inst_match_short(table->insts[j], line));
	for (i = 0; i < most; i++) {
		struct meanings m = {.n = 0};

		best[i] = FIT_NONE;
		for (j = 0; j < table->n_insts; j++) {
			const struct fcn_inst *inst = table->insts[j];

			if (i < inst->n_tokens && is_candidate(inst, line, most, best, i))
				best[i] = RTE_MIN(best[i],
						fit_of(fcn_inst_token(inst, i), line, i, NULL));
		}
		if (best[i] != FIT_SHORT)
			continue;
		for (j = 0; j < table->n_insts; j++) {
			const struct fcn_inst *inst = table->insts[j];

			if (i < inst->n_tokens && is_candidate(inst, line, most, best, i))
				fit_of(fcn_inst_token(inst, i), line, i, &m);
		}
		if (m.n > 1)
			return ambiguous(line, i, &m, diag);
		replace(line, i, m.text[0], m.len[0]);
		best[i] = FIT_FULL;
	}
	return 0;
}
