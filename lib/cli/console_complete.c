/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * rte_cmdline lists a candidate once for each instance that has it, as "set" for
 * all commands that begin with it. Here its answers are collected, and each
 * candidate is listed once. They differ by their form: "WORD [...]: HELP" is a
 * word, "[LABEL\tHINT]: HELP" is an argument, and "[RETURN]" a complete command.
 */

#include <stdlib.h>
#include <string.h>

#include <rte_common.h>

#include "console_private.h"

struct fcn_candidate {
	char name[64];
	char hint[64];
	char help[192]; /* help of the last command that has it */
	unsigned int n_commands;
	bool word;
};

/* Split an answer of rte_cmdline into its parts. */
static void
read_answer(const char *answer, struct fcn_candidate *candidate)
{
	const char *help = strstr(answer, "]: ");
	const char *hint;
	size_t len;

	memset(candidate, 0, sizeof(*candidate));
	candidate->n_commands = 1;
	candidate->word = answer[0] != '[';
	len = strcspn(answer, candidate->word || help == NULL ? " " : "\t]");
	hint = answer + len + 1;
	if (!candidate->word && help != NULL) {
		answer++;
		len--;
		if (hint < help)
			snprintf(candidate->hint, sizeof(candidate->hint), "%.*s",
					(int)(help - hint), hint);
	}
	snprintf(candidate->name, sizeof(candidate->name), "%.*s", (int)len, answer);
	if (help != NULL)
		snprintf(candidate->help, sizeof(candidate->help), "%s", help + 3);
}

static void
add(struct fcn_candidates *candidates, const char *answer)
{
	struct fcn_candidate candidate, *list;
	unsigned int i;

	read_answer(answer, &candidate);
	for (i = 0; i < candidates->n; i++) {
		list = &candidates->list[i];
		if (strcmp(list->name, candidate.name) != 0)
			continue;
		if (strcmp(list->help, candidate.help) != 0) { /* It is of another command. */
			candidate.n_commands += list->n_commands;
			*list = candidate;
		}
		return;
	}
	list = realloc(candidates->list, (candidates->n + 1) * sizeof(*list));
	if (list == NULL)
		return; /* Then the list is shorter, which does no harm. */
	candidates->list = list;
	list[candidates->n++] = candidate;
}

/* Write line i of the list of candidates. */
static void
format(const struct fcn_candidates *candidates, unsigned int i, char *dst, unsigned int size)
{
	const struct fcn_candidate *candidate = &candidates->list[i];
	char commands[32];
	size_t width = 0;
	unsigned int j;

	for (j = 0; j < candidates->n; j++)
		width = RTE_MAX(width, strlen(candidates->list[j].name));
	snprintf(commands, sizeof(commands), "%u commands", candidate->n_commands);
	snprintf(dst, size, candidate->hint[0] != '\0' ? "%-*s  %s (%s)" : "%-*s  %s", (int)width,
			candidate->name, candidate->n_commands > 1 ? commands : candidate->help,
			candidate->hint);
}

int
fcn_candidates_complete(struct fcn_candidates *candidates, struct cmdline *cmdline, const char *buf,
		int *state, char *dst, unsigned int size)
{
	int answer_state = *state, rc;

	if (*state > 0) { /* The first line of the list was given by an earlier call. */
		if ((unsigned int)*state >= candidates->n)
			return CMDLINE_PARSE_COMPLETE_FINISHED;
		format(candidates, (unsigned int)(*state)++, dst, size);
		return CMDLINE_PARSE_COMPLETE_AGAIN;
	}

	candidates->n = 0;
	rc = cmdline_complete(cmdline, buf, &answer_state, dst, size);
	if (rc != CMDLINE_PARSE_COMPLETE_AGAIN)
		return rc;
	while (rc == CMDLINE_PARSE_COMPLETE_AGAIN) {
		add(candidates, dst);
		rc = cmdline_complete(cmdline, buf, &answer_state, dst, size);
	}
	if (candidates->n == 0)
		return CMDLINE_PARSE_COMPLETE_FINISHED;
	/* After TAB behind a blank, rte_cmdline lists even a single candidate; here it is added to
	 * the line. Behind a word, rte_cmdline has done so itself. */
	if (*state == 0 && candidates->n == 1 && candidates->list[0].word &&
			(buf[0] == '\0' || strchr(" \t", buf[strlen(buf) - 1]) != NULL)) {
		snprintf(dst, size, "%s ", candidates->list[0].name);
		return CMDLINE_PARSE_COMPLETED_BUFFER;
	}
	*state = 1;
	format(candidates, 0, dst, size);
	return CMDLINE_PARSE_COMPLETE_AGAIN;
}

void
fcn_candidates_free(struct fcn_candidates *candidates)
{
	free(candidates->list);
	candidates->list = NULL;
	candidates->n = 0;
}
