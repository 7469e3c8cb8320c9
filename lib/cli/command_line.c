/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <string.h>

#include "command_private.h"

/* Get the length of the UTF-8 character at text in bytes; 0 if it is not well-formed (Unicode,
 * table 3-7). */
static size_t
utf8_len(const unsigned char *text, size_t len)
{
	unsigned char low = 0x80, high = 0xbf;
	size_t n, i;

	if (text[0] < 0x80)
		return 1;
	if (text[0] >= 0xc2 && text[0] <= 0xdf)
		n = 2;
	else if (text[0] >= 0xe0 && text[0] <= 0xef)
		n = 3;
	else if (text[0] >= 0xf0 && text[0] <= 0xf4)
		n = 4;
	else
		return 0;
	if (text[0] == 0xe0) /* below 0xa0 it would be overlong */
		low = 0xa0;
	else if (text[0] == 0xed) /* surrogates */
		high = 0x9f;
	else if (text[0] == 0xf0)
		low = 0x90;
	else if (text[0] == 0xf4) /* above U+10FFFF */
		high = 0x8f;
	if (n > len || text[1] < low || text[1] > high)
		return 0;
	for (i = 2; i < n; i++)
		if (text[i] < 0x80 || text[i] > 0xbf)
			return 0;
	return n;
}

static int
check_characters(const char *text, size_t len, struct fcn_diag *diag)
{
	const unsigned char *p = (const unsigned char *)text;
	unsigned int column = 1;
	size_t n;

	for (; len > 0; p += n, len -= n, column++) {
		n = utf8_len(p, len);
		diag->column = column;
		if (n == 0) {
			snprintf(diag->message, sizeof(diag->message), "byte 0x%02x is not UTF-8",
					*p);
			return -EILSEQ;
		}
		/* These are the control characters C0 and C1, except the tab, and DEL. */
		if ((*p < 0x20 && *p != '\t') || *p == 0x7f || (*p == 0xc2 && p[1] < 0xa0)) {
			snprintf(diag->message, sizeof(diag->message),
					"control character 0x%02x is not allowed",
					n == 1 ? *p : p[1]);
			return -EILSEQ;
		}
	}
	diag->column = 0;
	return 0;
}

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t';
}

int
fcn_line_split(struct fcn_line *line, const char *text, size_t len, struct fcn_diag *diag)
{
	size_t i, start;
	int rc;

	if (len > 0 && text[len - 1] == '\n')
		len--;
	if (len > 0 && text[len - 1] == '\r')
		len--;
	if (len > FCN_COMMAND_MAX_LINE) {
		diag->column = FCN_COMMAND_MAX_LINE + 1;
		snprintf(diag->message, sizeof(diag->message), "the line is longer than %d bytes",
				FCN_COMMAND_MAX_LINE);
		return -E2BIG;
	}
	rc = check_characters(text, len, diag);
	if (rc < 0)
		return rc;

	for (i = 0; i < len; i++)
		if (text[i] == '#' && (i == 0 || is_blank(text[i - 1])))
			break;
	len = i;
	while (len > 0 && is_blank(text[len - 1]))
		len--;
	memcpy(line->text, text, len);
	line->text[len] = '\0';
	line->len = len;
	line->end = len + 1;
	line->n_words = 0;
	for (i = 0; i < len && line->n_words < FCN_MAX_TOKENS + 1;) {
		while (is_blank(text[i])) /* This ends, as the last character is not blank. */
			i++;
		for (start = i; i < len && !is_blank(text[i]); i++)
			;
		line->words[line->n_words].start = start;
		line->words[line->n_words].at = start;
		line->words[line->n_words].len = i - start;
		line->n_words++;
	}
	return 0;
}

unsigned int
fcn_line_word_column(const struct fcn_line *line, unsigned int i)
{
	/* Bytes are counted as characters: only a text can have longer ones, and it comes last. */
	return (unsigned int)(i < line->n_words ? line->words[i].at : line->len) + 1;
}
