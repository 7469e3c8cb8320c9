/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Applied to the first text, a difference gives the second one; and it is no longer than it has to
 * be, by the table of longest common subsequences. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fcn_test.h"
#include "line_diff.h"

#define LINES 40
#define WORDS 60

struct lines {
	char line[LINES][8];
	size_t n;
};

static uint64_t seed = 1;

static unsigned int
choose(unsigned int n)
{
	seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (unsigned int)((seed >> 33) % n);
}

/* @param repeats lines may stand there several times */
static void
make(struct lines *l, bool repeats)
{
	bool used[WORDS] = {false};

	l->n = 0;
	for (unsigned int i = choose(LINES); i > 0; i--) {
		const unsigned int w = choose(repeats ? 6 : WORDS);

		if (used[w] && !repeats)
			continue;
		used[w] = true;
		snprintf(l->line[l->n++], sizeof(l->line[0]), "w%u", w);
	}
}

static void
join(const struct lines *l, char text[LINES * 8 + 1])
{
	text[0] = '\0';
	for (size_t i = 0; i < l->n; i++)
		strcat(strcat(text, l->line[i]), "\n");
}

/* Length of a longest common subsequence, by dynamic programming. */
static size_t
longest(const struct lines *a, const struct lines *b)
{
	static size_t best[LINES + 1][LINES + 1];

	for (size_t i = 0; i <= a->n; i++) {
		for (size_t k = 0; k <= b->n; k++) {
			if (i == 0 || k == 0)
				best[i][k] = 0;
			else if (strcmp(a->line[i - 1], b->line[k - 1]) == 0)
				best[i][k] = best[i - 1][k - 1] + 1;
			else
				best[i][k] = RTE_MAX(best[i - 1][k], best[i][k - 1]);
		}
	}
	return best[a->n][b->n];
}

/* Take the lines away that go, then put those that come at their numbers. */
static void
apply(const struct lines *a, const struct line_diff_line *d, size_t n, struct lines *to)
{
	bool goes[LINES + 1] = {false};

	to->n = 0;
	for (size_t i = 0; i < n; i++) {
		if (d[i].added)
			continue;
		assert_in_range(d[i].number, 1, a->n);
		assert_int_equal(strlen(a->line[d[i].number - 1]), d[i].len);
		assert_memory_equal(a->line[d[i].number - 1], d[i].text, d[i].len);
		goes[d[i].number] = true;
	}
	for (size_t i = 0; i < a->n; i++) {
		if (!goes[i + 1])
			memcpy(to->line[to->n++], a->line[i], sizeof(a->line[0]));
	}
	for (size_t i = 0; i < n; i++) {
		if (!d[i].added)
			continue;
		assert_in_range(d[i].number, 1, to->n + 1);
		memmove(to->line[d[i].number], to->line[d[i].number - 1],
				(to->n - d[i].number + 1) * sizeof(to->line[0]));
		snprintf(to->line[d[i].number - 1], sizeof(to->line[0]), "%.*s", (int)d[i].len,
				d[i].text);
		to->n++;
	}
}

static void
check(bool repeats)
{
	char from[LINES * 8 + 1], to[LINES * 8 + 1], got[LINES * 8 + 1];
	struct line_diff_line *d;
	struct lines a, b, c;
	size_t n;

	make(&a, repeats);
	make(&b, repeats);
	join(&a, from);
	join(&b, to);
	assert_int_equal(line_diff(from, to, &d, &n), 0);
	if (!repeats)
		assert_int_equal(n, a.n + b.n - 2 * longest(&a, &b));
	apply(&a, d, n, &c);
	join(&c, got);
	assert_string_equal(got, to);
	free(d);
}

TEST(single_lines)
{
	for (unsigned int i = 0; i < 3000; i++)
		check(false);
}

TEST(repeated_lines)
{
	for (unsigned int i = 0; i < 3000; i++)
		check(true);
}

TEST(edges)
{
	struct line_diff_line *d;
	size_t n;

	assert_int_equal(line_diff("", "", &d, &n), 0);
	assert_int_equal(n, 0);
	free(d);
	assert_int_equal(line_diff("a\nb\n", "a\nb\n", &d, &n), 0);
	assert_int_equal(n, 0);
	free(d);
	assert_int_equal(line_diff("", "a", &d, &n), 0);
	assert_int_equal(n, 1);
	assert_true(d[0].added && d[0].number == 1 && d[0].len == 1);
	free(d);
	assert_int_equal(line_diff("a\n\n", "\n", &d, &n), 0); /* an empty line is a line */
	assert_int_equal(n, 1);
	assert_false(d[0].added);
	free(d);
}
