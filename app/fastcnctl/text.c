/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ctl.h"

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
ctl_is_last(const char *line)
{
	return ctl_word(line, "quit", NULL) || ctl_word(line, "exit", NULL) ||
	       ctl_word(line, "shutdown", NULL);
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
	static const char word[] = " json";
	size_t len = command_length(line), n = strlen(word);
	char *out = NULL;

	if (!ctl->json || !ctl_word(line, "show", NULL) ||
			(len >= n && strncmp(line + len - n, word, n) == 0))
		return strdup(line);
	if (asprintf(&out, "%.*s%s", (int)len, line, word) < 0)
		return NULL;
	return out;
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
