/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "command_private.h"

bool
fcn_token_match(const struct fcn_token *token, const struct fcn_line *line, unsigned int i,
		struct fcn_args *args)
{
	/* The parsers of rte_cmdline take a pointer that is not const, but do not change the token.
	 */
	cmdline_parse_token_hdr_t *hdr = (cmdline_parse_token_hdr_t *)(uintptr_t)&token->dpdk.hdr;
	size_t start = line->words[i].start;
	size_t len = token->kind == FCN_TOKEN_TEXT ? line->len - start : line->words[i].len;
	void *res = NULL;
	unsigned int size = 0;
	int n;

	/* A line is held against each word of hundreds of commands, so this comes without a parser.
	 */
	if (args == NULL && token->kind == FCN_TOKEN_WORD)
		return strncmp(token->text, line->text + start, len) == 0 &&
		       token->text[len] == '\0';
	if (args != NULL) {
		res = (char *)args + hdr->offset;
		size = (unsigned int)(offsetof(struct fcn_args, inst) - hdr->offset);
	}
	n = hdr->ops->parse(hdr, line->text + start, res, size);
	return n >= 0 && (size_t)n == len;
}

unsigned int
fcn_inst_match(const struct fcn_inst *inst, const struct fcn_line *line, bool *complete)
{
	unsigned int i;

	for (i = 0; i < inst->n_tokens && i < line->n_words; i++) {
		const struct fcn_token *token = fcn_inst_token(inst, i);

		if (!fcn_token_match(token, line, i, NULL))
			break;
		if (token->kind ==
				FCN_TOKEN_TEXT) { /* It is the last token, and takes all words. */
			*complete = true;
			return i + 1;
		}
	}
	*complete = i == inst->n_tokens && i == line->n_words;
	return i;
}

int
fcn_inst_compare(const struct fcn_inst *a, const struct fcn_inst *b, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n && i < a->n_tokens && i < b->n_tokens; i++) {
		int difference = (int)fcn_inst_token(a, i)->kind - (int)fcn_inst_token(b, i)->kind;

		if (difference != 0)
			return difference;
	}
	return 0;
}

/* Find the instance that a line matches. @param forbidden result: one that matches and is not
 * allowed, or NULL @return NULL: none matches */
static const struct fcn_inst *
find_inst(const struct fcn_command_table *table, const struct fcn_line *line, int allow,
		const struct fcn_inst **forbidden)
{
	const struct fcn_inst *best = NULL;
	unsigned int n;
	bool complete;
	size_t i, next;

	*forbidden = NULL;
	for (i = 0; i < table->n_insts; i = next) {
		const struct fcn_inst *inst = table->insts[i];

		n = fcn_inst_match(inst, line, &complete);
		/* Those that begin with the words that differ do not match, either. */
		next = !complete && n < RTE_DIM(inst->next) ? inst->next[n] : i + 1;
		if (!complete)
			continue;
		if (!fcn_inst_allowed(inst, allow))
			*forbidden = inst;
		else if (best == NULL || fcn_inst_compare(inst, best, FCN_MAX_TOKENS) < 0)
			best = inst;
	}
	return best;
}

int
fcn_command_run_bytes(const struct fcn_command_table *table, struct fcn_session *session,
		const char *text, size_t len, int allow, struct fcn_diag *diag)
{
	const struct fcn_inst *inst, *forbidden;
	struct fcn_line line;
	struct fcn_args args;
	unsigned int i;
	int rc;

	diag->column = 0;
	diag->message[0] = '\0';
	rc = fcn_line_split(&line, text, len, diag);
	if (rc < 0 || line.n_words == 0)
		return rc;

	inst = find_inst(table, &line, allow, &forbidden);
	if (inst == NULL && allow == FCN_COMMAND_ALLOW_SHORT) {
		rc = fcn_line_expand(table, &line, diag);
		if (rc < 0)
			return rc;
		inst = find_inst(table, &line, allow, &forbidden);
	}
	if (inst == NULL) {
		if (forbidden == NULL) {
			fcn_command_diagnose(table, &line, allow, diag);
			return -EINVAL;
		}
		diag->column = fcn_line_word_column(&line, 0);
		snprintf(diag->message, sizeof(diag->message),
				"this command is for the console, it is not configuration");
		return -EPERM;
	}

	rc = table->gate != NULL ? table->gate(session, inst->command, diag) : 0;
	if (rc != 0) {
		diag->column = fcn_line_word_column(&line, 0);
		return rc;
	}
	args.inst = inst;
	args.diag = diag;
	for (i = 0; i < inst->n_tokens; i++) {
		const struct fcn_token *token = fcn_inst_token(inst, i);

		fcn_token_match(token, &line, i, &args);
		args.columns[i] = fcn_line_word_column(&line, i);
	}
	rc = inst->negated && inst->command->run_no != NULL ? inst->command->run_no(session, &args)
							    : inst->command->run(session, &args);
	if (rc == 0) {
		diag->column = 0;
		diag->message[0] = '\0';
	} else if (diag->message[0] == '\0') {
		diag->column = args.columns[0];
		snprintf(diag->message, sizeof(diag->message), "%s", strerror(abs(rc)));
	}
	return rc > 0 ? -rc : rc;
}

int
fcn_command_run(const struct fcn_command_table *table, struct fcn_session *session,
		const char *line, int allow, struct fcn_diag *diag)
{
	struct fcn_diag unused;

	return fcn_command_run_bytes(
			table, session, line, strlen(line), allow, diag != NULL ? diag : &unused);
}
