/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "console_search.h"

#define KEY_INTERRUPT 003 /* Ctrl-C */
#define KEY_ABORT 007     /* Ctrl-G */
#define KEY_ERASE 010     /* Ctrl-H */
#define KEY_OLDER 022     /* Ctrl-R */
#define KEY_DELETE 0177

static const char *
get(const struct fcn_search *s, size_t number)
{
	return s->line[number % FCN_SEARCH_LINES];
}

static size_t
oldest(const struct fcn_search *s)
{
	return s->end > FCN_SEARCH_LINES ? s->end - FCN_SEARCH_LINES : 0;
}

void
fcn_search_remember(struct fcn_search *s, const char *line)
{
	char *copy;

	if (line[0] == '\0' || (s->end > 0 && strcmp(get(s, s->end - 1), line) == 0))
		return;
	copy = strdup(line);
	if (copy == NULL)
		return; /* Then it is not found, which does no harm. */
	free(s->line[s->end % FCN_SEARCH_LINES]);
	s->line[s->end++ % FCN_SEARCH_LINES] = copy;
}

void
fcn_search_begin(struct fcn_search *s)
{
	s->on = true;
	s->failed = false;
	s->len = 0;
	s->typed[0] = '\0';
	s->at = s->end;
}

/* Find the newest line before a number that has what was typed. */
static void
find(struct fcn_search *s, size_t before)
{
	size_t n;

	for (n = before; n > oldest(s) && strstr(get(s, n - 1), s->typed) == NULL; n--)
		;
	s->failed = n <= oldest(s);
	if (!s->failed)
		s->at = n - 1;
}

static void
type(struct fcn_search *s, char key)
{
	if (s->len + 1 == sizeof(s->typed))
		return;
	s->typed[s->len++] = key;
	s->typed[s->len] = '\0';
	/* The line that was found may have this, too. */
	find(s, s->at < s->end ? s->at + 1 : s->end);
	if (s->failed)
		s->at = s->end; /* Enter runs no line that does not have it. */
}

static void
erase(struct fcn_search *s)
{
	if (s->len > 0)
		s->typed[--s->len] = '\0';
	s->at = s->end;
	s->failed = false;
	if (s->len > 0)
		find(s, s->end);
}

enum fcn_search_key
fcn_search_use(struct fcn_search *s, char key)
{
	switch (key) {
	case KEY_OLDER:
		if (s->len > 0)
			find(s, s->at);
		return FCN_SEARCH_GOES_ON;
	case KEY_ERASE:
	case KEY_DELETE:
		erase(s);
		return FCN_SEARCH_GOES_ON;
	case KEY_INTERRUPT:
	case KEY_ABORT:
		s->on = false;
		return FCN_SEARCH_CANCELLED;
	default:
		if (key >= ' ' && key <= '~') {
			type(s, key);
			return FCN_SEARCH_GOES_ON;
		}
		s->on = false;
		return FCN_SEARCH_TAKEN;
	}
}

const char *
fcn_search_found(const struct fcn_search *s)
{
	return s->at < s->end ? get(s, s->at) : NULL;
}

void
fcn_search_format(const struct fcn_search *s, unsigned int columns, char *dst, size_t size)
{
	const char *found = fcn_search_found(s);
	int n = snprintf(dst, size, "(%s)`%s': %s", s->failed ? "history has no" : "history",
			s->typed, found != NULL ? found : "");

	/* Behind the last column, the terminal would begin another row. */
	if (columns > 1 && n >= (int)columns && columns < size)
		dst[columns - 1] = '\0';
}

void
fcn_search_free(struct fcn_search *s)
{
	for (size_t i = 0; i < FCN_SEARCH_LINES; i++)
		free(s->line[i]);
}
