/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "ctl.h"
#include "fcn_filter.h"

#define BLANKS " \t\r\n"

bool
ctl_word(const char *line, const char *word, const char **rest)
{
	size_t len = strlen(word);

	line += strspn(line, BLANKS);
	if (strncmp(line, word, len) != 0 ||
			(line[len] != '\0' && strchr(BLANKS, line[len]) == NULL))
		return false;
	if (rest != NULL)
		*rest = line + len + strspn(line + len, BLANKS);
	return true;
}

bool
ctl_is_show(const char *line)
{
	/* The abbreviation "s" is ambiguous. */
	return ctl_word(line, "show", NULL) || ctl_word(line, "sho", NULL) ||
	       ctl_word(line, "sh", NULL);
}

/* Get the length of the line without its comment and the blanks before the comment. */
static size_t
command_length(const char *line)
{
	size_t len;

	for (len = 0; line[len] != '\0'; len++)
		if (line[len] == '#' && (len == 0 || strchr(BLANKS, line[len - 1]) != NULL))
			break;
	while (len > 0 && strchr(BLANKS, line[len - 1]) != NULL)
		len--;
	return len;
}

char *
ctl_line(const struct ctl *ctl, const char *line)
{
	size_t len = command_length(line), bar = fcn_filters_find(line);
	char *out = NULL;
	int rc;

	if (!ctl->json || !ctl_is_show(line))
		return strdup(line);
	/* As a filter, it does not appear among the words of the command in an error. */
	if (line[bar] == '|')
		rc = asprintf(&out, "%.*s| json %s", (int)bar, line, line + bar);
	else
		rc = asprintf(&out, "%.*s | json", (int)len, line);
	return rc >= 0 ? out : NULL;
}

bool
ctl_is_last(const char *line)
{
	static const char *const words[] = {"quit", "exit", "shutdown"};
	size_t begin = strspn(line, BLANKS), len = command_length(line);

	if (len <= begin)
		return false;
	/* An abbreviation that has succeeded is not ambiguous. */
	for (unsigned int i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strncmp(line + begin, words[i], len - begin) == 0)
			return true;
	return false;
}

unsigned int
ctl_column(const char **text)
{
	static const char word[] = "column ";
	unsigned long column;
	char *end;

	if (strncmp(*text, word, strlen(word)) != 0 ||
			!isdigit((unsigned char)(*text)[strlen(word)]))
		return 0;
	column = strtoul(*text + strlen(word), &end, 10);
	if (column == 0 || column > 65535 || strncmp(end, ": ", 2) != 0)
		return 0;
	*text = end + 2;
	return (unsigned int)column;
}
