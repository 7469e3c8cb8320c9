/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Reading the text of a GOAL trace. An operation, or what it waits for, ends with its line, with a
 * semicolon, or with the bracket of its rank. */

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_common.h>

#include "goal_build.h"
#include "scenario_private.h"

#define MAX_CPU 255u
#define SHOWN 32 /* bytes of a word in a message */

struct reader {
	struct lab_goal_build build;
	struct lab_goal *g; /* of build */
	const char *at, *end, *line_begin;
	uint32_t line;
	char *err;
	size_t err_size;
	bool failed;
	struct lab_goal_labels labels;
	uint8_t *seen; /* ranks that were described */
};

static bool __attribute__((format(printf, 3, 4)))
wrong(struct reader *r, const char *at, const char *fmt, ...)
{
	int used;
	va_list ap;

	if (r->failed)
		return false;
	r->failed = true;
	used = snprintf(r->err, r->err_size, "%" PRIu32 ":%zu: ", r->line,
			(size_t)(at - r->line_begin) + 1);
	va_start(ap, fmt);
	if (used > 0 && (size_t)used < r->err_size)
		vsnprintf(r->err + used, r->err_size - (size_t)used, fmt, ap);
	va_end(ap);
	return false;
}

/* Get how many bytes of a word a message shows. */
static int
shown(size_t len)
{
	return (int)RTE_MIN(len, (size_t)SHOWN);
}

static bool
no_memory(struct reader *r)
{
	return wrong(r, r->at, "%s", strerror(ENOMEM));
}

/* ---- words ---- */

static bool
is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Skip a comment at the present position. @return whether there was one */
static bool
skip_comment(struct reader *r)
{
	if (r->end - r->at < 2 || r->at[0] != '/' || (r->at[1] != '/' && r->at[1] != '*'))
		return false;
	if (r->at[1] == '/') {
		while (r->at < r->end && *r->at != '\n')
			r->at++;
		return true;
	}
	for (r->at += 2; r->end - r->at >= 2 && !(r->at[0] == '*' && r->at[1] == '/'); r->at++) {
		if (*r->at == '\n') {
			r->line++;
			r->line_begin = r->at + 1;
		}
	}
	if (r->end - r->at < 2)
		return wrong(r, r->at, "the comment has no end");
	r->at += 2;
	return true;
}

/* Skip blanks and comments, and ends of lines if wanted. */
static void
skip(struct reader *r, bool lines)
{
	while (!r->failed && r->at < r->end) {
		char c = *r->at;

		if (c == '\n' && lines) {
			r->line++;
			r->line_begin = ++r->at;
		} else if (c == ' ' || c == '\t' || c == '\r' || (c == ';' && lines)) {
			r->at++;
		} else if (!skip_comment(r)) {
			return;
		}
	}
}

/* The length of the word of letters, digits and _ at the present position. */
static size_t
word_len(const struct reader *r)
{
	const char *p = r->at;

	while (p < r->end && (is_letter(*p) || is_digit(*p) || *p == '_'))
		p++;
	return (size_t)(p - r->at);
}

static bool
is_word(const char *text, size_t len, const char *word)
{
	return strlen(word) == len && memcmp(text, word, len) == 0;
}

/* Take a word, if it is the next one. */
static bool
take(struct reader *r, const char *word)
{
	size_t len = word_len(r);

	if (!is_word(r->at, len, word))
		return false;
	r->at += len;
	skip(r, false);
	return true;
}

static bool
expected(struct reader *r, const char *what)
{
	size_t len = word_len(r);

	if (r->at == r->end)
		return wrong(r, r->at, "expected %s, found the end of the file", what);
	if (*r->at == '\n')
		return wrong(r, r->at, "expected %s, found the end of the line", what);
	if (len == 0 && (*r->at < 0x20 || *r->at > 0x7E))
		return wrong(r, r->at, "expected %s, found the byte 0x%02x", what, (uint8_t)*r->at);
	return wrong(r, r->at, "expected %s, found \"%.*s\"", what, shown(len > 0 ? len : 1),
			r->at);
}

static bool
take_char(struct reader *r, char c, const char *what)
{
	if (r->at == r->end || *r->at != c)
		return expected(r, what);
	r->at++;
	skip(r, false);
	return true;
}

/* Take a number, whose digits need not end a word: 1024b. */
static bool
take_number(struct reader *r, const char *what, uint64_t max, uint64_t *value)
{
	const char *begin = r->at;

	if (r->at == r->end || !is_digit(*r->at))
		return expected(r, what);
	for (*value = 0; r->at < r->end && is_digit(*r->at); r->at++) {
		if (*value > (max - (uint64_t)(*r->at - '0')) / 10)
			return wrong(r, begin, "%s is at most %" PRIu64, what, max);
		*value = *value * 10 + (uint64_t)(*r->at - '0');
	}
	skip(r, false);
	return true;
}

/* Take a number, or -1 for LAB_GOAL_ANY. */
static bool
take_number_or_any(struct reader *r, bool any, const char *what, uint64_t max, uint32_t *value)
{
	uint64_t number;

	if (any && r->end - r->at >= 2 && r->at[0] == '-' && r->at[1] == '1') {
		r->at += 2;
		skip(r, false);
		*value = LAB_GOAL_ANY;
		return true;
	}
	if (!take_number(r, what, max, &number))
		return false;
	*value = (uint32_t)number;
	return true;
}

/* What an operation, or a wait, ends with. */
static bool
end_of_operation(struct reader *r, const char *instead)
{
	if (r->at == r->end || *r->at == '\n' || *r->at == ';' || *r->at == '}')
		return true;
	return expected(r, instead);
}

/* ---- labels and pairs ---- */

static bool
add_label(struct reader *r, uint32_t rank, uint32_t op, const char *text, size_t len)
{
	const struct lab_goal_label *known = lab_goal_labels_find(&r->labels, rank, text, len);

	if (known != NULL)
		return wrong(r, text, "rank %u has a label %.*s already, in line %u", rank,
				shown(len), text, r->g->op[known->op].line);
	if (lab_goal_labels_add(&r->labels,
			    &(struct lab_goal_label){text, (uint32_t)len, op, rank}) != 0)
		return no_memory(r);
	return true;
}

static bool
get_label(struct reader *r, uint32_t rank, const char *text, size_t len, uint32_t *op)
{
	const struct lab_goal_label *l = lab_goal_labels_find(&r->labels, rank, text, len);

	if (l == NULL)
		return wrong(r, text, "rank %u has no label %.*s above", rank, shown(len), text);
	*op = l->op;
	return true;
}

/* ---- operations ---- */

static bool
read_attributes(struct reader *r, struct lab_goal_op *op)
{
	bool tag = op->kind == LAB_GOAL_CALC, cpu = false, nic = false;
	uint64_t number;

	for (;;) {
		if (!tag && take(r, "tag")) {
			tag = true;
			if (!take_number_or_any(r, op->kind == LAB_GOAL_RECV, "a tag",
					    LAB_GOAL_ANY - 1, &op->tag))
				return false;
		} else if (!cpu && take(r, "cpu")) {
			cpu = true;
			if (!take_number(r, "a CPU", MAX_CPU, &number))
				return false;
			op->cpu = (uint8_t)number;
		} else if (!nic && take(r, "nic")) {
			nic = true;
			if (!take_number(r, "a NIC", MAX_CPU, &number))
				return false;
			op->nic = (uint8_t)number;
		} else {
			return end_of_operation(r,
					tag && op->kind != LAB_GOAL_CALC
							? "cpu, nic or the end of the line"
					: op->kind == LAB_GOAL_CALC
							? "cpu or the end of the line"
							: "tag, cpu, nic or the end of the line");
		}
	}
}

static bool
read_message(struct reader *r, struct lab_goal_op *op)
{
	const bool recv = op->kind == LAB_GOAL_RECV;
	const char *peer;

	if (!take_number(r, "a number of bytes", LAB_GOAL_MAX_BYTES, &op->size))
		return false;
	if (!take(r, "b"))
		return expected(r, "b behind the number of bytes");
	if (!take(r, recv ? "from" : "to"))
		return expected(r, recv ? "from" : "to");
	peer = r->at;
	if (!take_number_or_any(r, recv, "a rank", LAB_GOAL_ANY - 1, &op->peer))
		return false;
	if (op->peer != LAB_GOAL_ANY && op->peer >= r->g->n_ranks)
		return wrong(r, peer, "there are %u ranks, the last one is %u", r->g->n_ranks,
				r->g->n_ranks - 1);
	return read_attributes(r, op);
}

/* Read an operation whose first word is the next one. */
static bool
read_operation(struct reader *r, uint32_t rank, const char *label, size_t label_len)
{
	struct lab_goal_op new = {.rank = rank, .peer = LAB_GOAL_NONE, .line = r->line};
	const char *at = r->at;
	bool good;
	int rc;

	if (take(r, "calc")) {
		new.kind = LAB_GOAL_CALC;
		good = take_number(r, "a time in ns", LAB_GOAL_MAX_CALC, &new.size) &&
		       read_attributes(r, &new);
	} else if (take(r, "send")) {
		new.kind = LAB_GOAL_SEND;
		good = read_message(r, &new);
	} else if (take(r, "recv")) {
		new.kind = LAB_GOAL_RECV;
		good = read_message(r, &new);
	} else {
		return expected(r, "calc, send or recv");
	}
	if (!good)
		return false;
	rc = lab_goal_build_op(&r->build, &new);
	if (rc == -ENOSPC)
		return wrong(r, at, "there are more than %u operations", LAB_GOAL_MAX_OPS);
	if (rc != 0)
		return no_memory(r);
	return label == NULL || add_label(r, rank, r->build.n_ops - 1, label, label_len);
}

/* Read what follows the label: "requires LABEL" or "irequires LABEL". */
static bool
read_wait(struct reader *r, uint32_t rank, const char *label, size_t len)
{
	uint32_t to = 0, from = 0;
	const char *other;
	size_t other_len;
	bool begin;
	int rc;

	begin = take(r, "irequires");
	if (!begin && !take(r, "requires"))
		return expected(r, "\":\", requires or irequires");
	other = r->at;
	other_len = word_len(r);
	if (other_len == 0 || !is_letter(*other))
		return expected(r, "a label");
	if (!get_label(r, rank, label, len, &to) || !get_label(r, rank, other, other_len, &from))
		return false;
	r->at += other_len;
	skip(r, false);
	if (to == from)
		return wrong(r, label, "%.*s waits for itself", shown(len), label);
	rc = lab_goal_build_wait(&r->build, from, to, begin);
	if (rc == -ENOSPC)
		return wrong(r, label, "more than %u operations wait", LAB_GOAL_MAX_WAITS);
	if (rc != 0)
		return no_memory(r);
	return end_of_operation(r, "the end of the line");
}

static bool
read_item(struct reader *r, uint32_t rank)
{
	const char *label = r->at;
	size_t len = word_len(r);

	if (is_word(label, len, "calc") || is_word(label, len, "send") ||
			is_word(label, len, "recv"))
		return read_operation(r, rank, NULL, 0);
	if (len == 0 || !is_letter(*label))
		return expected(r, "calc, send, recv, a label or }");
	r->at += len;
	skip(r, false);
	if (r->at < r->end && *r->at == ':') {
		r->at++;
		skip(r, false);
		return read_operation(r, rank, label, len);
	}
	return read_wait(r, rank, label, len);
}

static bool
read_rank(struct reader *r)
{
	const char *at = r->at;
	uint64_t rank;

	if (r->g->n_ranks == 0)
		return wrong(r, at, "num_ranks must come before the first rank");
	if (!take_number(r, "a rank", UINT32_MAX, &rank))
		return false;
	if (rank >= r->g->n_ranks)
		return wrong(r, at, "there are %u ranks, the last one is %u", r->g->n_ranks,
				r->g->n_ranks - 1);
	if (r->seen[rank])
		return wrong(r, at, "rank %" PRIu64 " is described twice", rank);
	r->seen[rank] = 1;
	r->labels.n = 0;
	skip(r, true);
	if (!take_char(r, '{', "{"))
		return false;
	for (;;) {
		skip(r, true);
		if (r->failed)
			return false;
		if (r->at < r->end && *r->at == '}') {
			r->at++;
			return true;
		}
		if (!read_item(r, (uint32_t)rank))
			return false;
	}
}

static bool
read_number_of_ranks(struct reader *r)
{
	const char *at = r->at;
	uint64_t n;

	if (r->g->n_ranks != 0)
		return wrong(r, at, "num_ranks is given twice");
	if (!take_number(r, "a number of ranks", LAB_GOAL_MAX_RANKS, &n))
		return false;
	if (n == 0)
		return wrong(r, at, "there must be at least one rank");
	r->seen = calloc(n, sizeof(*r->seen));
	if (r->seen == NULL || lab_goal_build_ranks(&r->build, (uint32_t)n) != 0)
		return no_memory(r);
	return true;
}

static bool
read_file(struct reader *r)
{
	for (;;) {
		skip(r, true);
		if (r->failed)
			return false;
		if (r->at == r->end)
			break;
		if (take(r, "num_ranks")) {
			if (!read_number_of_ranks(r))
				return false;
		} else if (take(r, "rank")) {
			if (!read_rank(r))
				return false;
		} else {
			return expected(r, "num_ranks or rank");
		}
	}
	return r->g->n_ranks != 0 || wrong(r, r->at, "there is no num_ranks");
}

static bool
read_trace(struct reader *r)
{
	r->g = r->build.g = calloc(1, sizeof(*r->g));
	if (r->g == NULL)
		return no_memory(r);
	return read_file(r) && (lab_goal_build_finish(&r->build) == 0 || no_memory(r));
}

struct lab_goal *
lab_goal_read(const char *text, size_t size, char *err, size_t err_size)
{
	struct reader r = {.at = text,
			.end = text + size,
			.line_begin = text,
			.line = 1,
			.err = err,
			.err_size = err_size};

	if (lab_goal_is_binary(text, size))
		return lab_goal_read_binary(text, size, err, err_size);
	if (!read_trace(&r)) {
		lab_goal_free(r.g);
		r.g = NULL;
	}
	free(r.labels.label);
	free(r.seen);
	lab_goal_build_free(&r.build);
	return r.g;
}
