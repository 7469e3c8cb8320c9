/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <stdlib.h>
#include <string.h>

#include "expression_private.h"

#define MAX_NUMBER 64 /* maximum number of characters of a number */

static const struct {
	const char *name;
	double factor;
} units[] = {
		{"ns", 1},
		{"us", 1e3},
		{"ms", 1e6},
		{"s", 1e9},
		{"K", 1e3},
		{"k", 1e3},
		{"M", 1e6},
		{"G", 1e9},
		{"T", 1e12},
		{"Ki", 1024},
		{"Mi", 1048576},
		{"Gi", 1073741824},
		{"Ti", 1099511627776},
};

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool
is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static void __attribute__((format(printf, 4, 5)))
bad(struct lab_token *token, char *why, size_t why_size, const char *fmt, ...)
{
	va_list ap;

	token->kind = LAB_TOKEN_BAD;
	va_start(ap, fmt);
	vsnprintf(why, why_size, fmt, ap);
	va_end(ap);
}

/* Get the length of a number: digits, a fraction and an exponent. */
static size_t
number_len(const char *text)
{
	size_t n = strspn(text, "0123456789"), e;

	if (text[n] == '.' && is_digit(text[n + 1]))
		n += 1 + strspn(text + n + 1, "0123456789");
	e = n + 1;
	if (text[n] != 'e')
		return n;
	if (text[e] == '+' || text[e] == '-')
		e++;
	return is_digit(text[e]) ? e + strspn(text + e, "0123456789") : n;
}

static void
read_number(struct lab_token *token, char *why, size_t why_size)
{
	const char *text = token->text;
	size_t len = number_len(text), unit = 0;
	char copy[MAX_NUMBER];

	token->kind = LAB_TOKEN_NUMBER;
	token->len = len;
	if (len >= sizeof(copy)) {
		bad(token, why, why_size, "a number has at most %d characters", MAX_NUMBER - 1);
		return;
	}
	memcpy(copy, text, len);
	copy[len] = '\0';
	token->number = strtod(copy, NULL);
	if (text[len] == '%') {
		token->number /= 100;
		token->percent = true;
		token->len++;
		return;
	}
	while (is_letter(text[len + unit]) || is_digit(text[len + unit]))
		unit++;
	token->len += unit;
	if (unit == 0)
		return;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (strlen(units[i].name) == unit && memcmp(units[i].name, text + len, unit) == 0) {
			token->number *= units[i].factor;
			return;
		}
	bad(token, why, why_size,
			"%.*s is not a unit; units are ns, us, ms, s, K, M, G, T, Ki, "
			"Mi, Gi, Ti and %%",
			(int)(unit < 20 ? unit : 20), text + len);
}

/*
 * Get the length of a part of a name: letters and digits, `*`, or any text in quotes.
 *
 * @return 0 when there is none
 */
static size_t
part_len(const char *text, bool *list)
{
	size_t n = 0;

	if (*text == '*') {
		*list = true;
		return 1;
	}
	if (*text == '"') {
		n = strcspn(text + 1, "\"");
		return text[n + 1] == '"' && n > 0 ? n + 2 : 0;
	}
	while (is_letter(text[n]) || is_digit(text[n]))
		n++;
	return n;
}

static void
read_name(struct lab_token *token, char *why, size_t why_size)
{
	const char *p = token->text;
	size_t n;

	token->kind = LAB_TOKEN_NAME;
	for (;; p++) {
		n = part_len(p, &token->list);
		p += n;
		token->len = (size_t)(p - token->text);
		if (n == 0) {
			bad(token, why, why_size, "%.*s must be followed by a name, a number or *",
					(int)(token->len < 40 ? token->len : 40), token->text);
			return;
		}
		if (*p != '.')
			return;
	}
}

static void
read_operator(struct lab_token *token, char *why, size_t why_size)
{
	const char *text = token->text;

	token->kind = LAB_TOKEN_OPERATOR;
	token->op = *text;
	token->len = 1;
	if (strchr("<>=!", *text) != NULL && text[1] == '=') {
		token->len = 2;
		if (*text == '<' || *text == '>')
			token->op = *text == '<' ? 'l' : 'g';
	} else if (strchr("+-*/(),<>=", *text) == NULL) {
		bad(token, why, why_size, "%.1s is not a character of expressions", text);
	}
}

void
lab_token_read(const char *text, struct lab_token *token, char *why, size_t why_size)
{
	while (*text == ' ' || *text == '\t')
		text++;
	*token = (struct lab_token){.text = text};
	if (*text == '\0')
		token->kind = LAB_TOKEN_END;
	else if (is_digit(*text))
		read_number(token, why, why_size);
	else if (is_letter(*text) || *text == '"')
		read_name(token, why, why_size);
	else
		read_operator(token, why, why_size);
}
