/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Declarations shared by the source files of expressions: tokens, and the parser.
 */

#ifndef LAB_EXPRESSION_PRIVATE_H
#define LAB_EXPRESSION_PRIVATE_H

#include "expression.h"

enum lab_token_kind {
	LAB_TOKEN_END,
	LAB_TOKEN_NUMBER,
	LAB_TOKEN_NAME, /**< name of a metric, definition or function, or a word such as "within" */
	/** Op is its character; 'l' stands for "<=", 'g' for ">=", '!' for "!=". */
	LAB_TOKEN_OPERATOR,
	LAB_TOKEN_BAD, /**< no valid token; lab_token_read() has written the reason to `why` */
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

/** Read the token at text, after blanks. An error is described in why. */
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
	bool dry;    /**< only the syntax is checked: the value of a metric is NaN */
	bool failed; /**< an error was stored in err; further results are ignored */
	int rc;      /**< negative errno of the error */
	unsigned int depth;
	struct lab_expression_error *err;
};

/** Report an error at a place in the text. Only the first error is stored. */
void lab_expression_fail(struct lab_parser *p, const char *at, const char *fmt, ...)
		__attribute__((format(printf, 3, 4)));
void lab_parser_init(struct lab_parser *p, const char *text, const json_t *result, bool dry,
		struct lab_expression_error *err);
/** Advance to the next token. */
void lab_parser_next(struct lab_parser *p);
bool lab_parser_at(const struct lab_parser *p, char op);
/**
 * Read and evaluate a sum, such as one side of a comparison.
 *
 * @return NaN after an error, or if a value is not known
 */
double lab_parse_sum(struct lab_parser *p);

/** Arguments of a function. */
struct lab_numbers {
	double *value;
	unsigned int n;
};

void lab_numbers_add(struct lab_parser *p, struct lab_numbers *numbers, double value);
/** Call the function with this name. @return NaN after an error */
double lab_function(struct lab_parser *p, const struct lab_token *name,
		const struct lab_numbers *numbers);
/** Whether there is a function with this name. */
bool lab_function_exists(const struct lab_token *name);

#endif /* LAB_EXPRESSION_PRIVATE_H */
