/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * What the files of expressions share: tokens, and an expression being evaluated while it is read.
 */

#ifndef LAB_EXPRESSION_PRIVATE_H
#define LAB_EXPRESSION_PRIVATE_H

#include "expression.h"

enum lab_token_kind {
	LAB_TOKEN_END,
	LAB_TOKEN_NUMBER,
	LAB_TOKEN_NAME,     /**< a metric, a definition, a function, a word */
	LAB_TOKEN_OPERATOR, /**< op: its character; '<' with '=' is 'l', '>' with '=' 'g', "!=" '!'
			     */
	LAB_TOKEN_BAD,      /**< err says why */
};

struct lab_token {
	enum lab_token_kind kind;
	const char *text; /**< its first character */
	size_t len;
	char op;
	double number;
	bool percent; /**< the number was a percentage */
	bool list;    /**< the name has a `*` */
};

/** The token at text, blanks before it skipped; what is wrong with it is told in why. */
void lab_token_read(const char *text, struct lab_token *token, char *why, size_t why_size);

static inline bool
lab_token_is(const struct lab_token *token, const char *word)
{
	size_t i;

	for (i = 0; i < token->len && word[i] == token->text[i]; i++)
		;
	return token->kind == LAB_TOKEN_NAME && i == token->len && word[i] == '\0';
}

/** An expression being read. */
struct lab_parser {
	const char *text;
	struct lab_token token; /**< the next one */
	const json_t *result;
	bool dry;    /**< syntax only: metrics are not looked up, they are NaN */
	bool failed; /**< err is filled; nothing counts any more */
	int rc;      /**< of a failure */
	unsigned int depth;
	struct lab_expression_error *err;
};

/** What is wrong, at a place in the text; the first error counts. */
void lab_expression_fail(struct lab_parser *p, const char *at, const char *fmt, ...)
		__attribute__((format(printf, 3, 4)));
void lab_parser_init(struct lab_parser *p, const char *text, const json_t *result, bool dry,
		struct lab_expression_error *err);
/** Go on to the next token. */
void lab_parser_next(struct lab_parser *p);
bool lab_parser_at(const struct lab_parser *p, char op);
/** A sum: what a comparison has at either side. NaN after an error, and for what is not known. */
double lab_parse_sum(struct lab_parser *p);

/** Numbers that a function is of. */
struct lab_numbers {
	double *value;
	unsigned int n;
};

void lab_numbers_add(struct lab_parser *p, struct lab_numbers *numbers, double value);
/** A function by its name; at: where it stands. NaN after an error. */
double lab_function(struct lab_parser *p, const struct lab_token *name,
		const struct lab_numbers *numbers);
/** Whether there is such a function. */
bool lab_function_exists(const struct lab_token *name);

#endif /* LAB_EXPRESSION_PRIVATE_H */
