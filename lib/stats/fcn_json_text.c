/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_common.h>

#include "fcn_json_text.h"

#define MAX_CHARACTER 4 /* a character has at most this many bytes in UTF-8 */
#define ESCAPED 4       /* length of \xHH */

/* Get the number of bytes of the first character of the text, or 0 if it is not valid UTF-8. The
 * JSON library is asked, because it refuses strings that it does not consider valid. */
static size_t
character_length(const char *text)
{
	size_t left = strnlen(text, MAX_CHARACTER);

	for (size_t n = 1; n <= left; n++) {
		json_t *one = json_stringn(text, n);

		json_decref(one);
		if (one != NULL)
			return n;
	}
	return 0;
}

static json_t *
escape(const char *text)
{
	char *out = malloc(ESCAPED * strlen(text) + 1), *end = out;
	json_t *value;

	if (out == NULL)
		return NULL;
	while (*text != '\0') {
		size_t n = character_length(text);

		if (n == 0)
			end += sprintf(end, "\\x%02x", (unsigned char)*text);
		else
			end = mempcpy(end, text, n);
		text += RTE_MAX(n, (size_t)1);
	}
	*end = '\0';
	value = json_string(out);
	free(out);
	return value;
}

json_t *
fcn_json_text(const char *text)
{
	json_t *value = json_string(text);

	return value != NULL ? value : escape(text);
}
