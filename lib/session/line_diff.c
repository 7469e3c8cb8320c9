/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Equal lines of the two texts are paired, the first of one text with the first of the other and so
 * on. The pairs that stay where they are, are the longest series of pairs that is in order in both
 * texts: the longest increasing subsequence of the places of partners (C. Schensted, "Longest
 * increasing and decreasing subsequences", 1961).
 */

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "line_diff.h"

#define NONE SIZE_MAX

struct line {
	const char *text;
	size_t len, place;
};

struct text {
	struct line *line; /* in the order of the text */
	struct line *sorted;
	size_t n;
	size_t *partner; /* by place: the place in the other text of the equal line; NONE */
};

static int
compare(const void *va, const void *vb)
{
	const struct line *a = va, *b = vb;
	const size_t len = a->len < b->len ? a->len : b->len;
	int d = memcmp(a->text, b->text, len);

	if (d == 0)
		d = (a->len > b->len) - (a->len < b->len);
	return d;
}

static int
compare_places(const void *va, const void *vb)
{
	const struct line *a = va, *b = vb;
	int d = compare(a, b);

	return d != 0 ? d : (a->place > b->place) - (a->place < b->place);
}

static int
split(const char *text, struct text *to)
{
	size_t n = 0;

	for (const char *p = text; *p != '\0'; p += strcspn(p, "\n"), p += *p == '\n')
		n++;
	to->line = calloc(n + 1, sizeof(*to->line));
	to->sorted = calloc(n + 1, sizeof(*to->sorted));
	to->partner = calloc(n + 1, sizeof(*to->partner));
	if (to->line == NULL || to->sorted == NULL || to->partner == NULL)
		return -ENOMEM;
	for (const char *p = text; *p != '\0'; p += *p == '\n') {
		to->line[to->n] = (struct line){p, strcspn(p, "\n"), to->n};
		to->partner[to->n] = NONE;
		p += to->line[to->n++].len;
	}
	memcpy(to->sorted, to->line, n * sizeof(*to->line));
	qsort(to->sorted, n, sizeof(*to->sorted), compare_places);
	return 0;
}

static void
release(struct text *t)
{
	free(t->line);
	free(t->sorted);
	free(t->partner);
}

static void
pair(struct text *a, struct text *b)
{
	size_t i = 0, k = 0;

	while (i < a->n && k < b->n) {
		const int d = compare(&a->sorted[i], &b->sorted[k]);

		if (d == 0) {
			a->partner[a->sorted[i].place] = b->sorted[k].place;
			b->partner[b->sorted[k].place] = a->sorted[i].place;
		}
		i += d <= 0;
		k += d >= 0;
	}
}

/* Part the pairs that are not in the longest series which is in order. */
static int
keep_order(struct text *a, struct text *b)
{
	size_t *end = calloc(a->n + 1, sizeof(*end)); /* by length: the least last line of one */
	size_t *before = calloc(a->n + 1, sizeof(*before)); /* by line: the line before it */
	size_t longest = 0, at;

	if (end == NULL || before == NULL) {
		free(end);
		free(before);
		return -ENOMEM;
	}
	for (size_t i = 0; i < a->n; i++) {
		size_t low = 0, high = longest;

		if (a->partner[i] == NONE)
			continue;
		while (low < high) {
			const size_t middle = low + (high - low) / 2;

			if (a->partner[end[middle]] < a->partner[i])
				low = middle + 1;
			else
				high = middle;
		}
		before[i] = low > 0 ? end[low - 1] : NONE;
		end[low] = i;
		longest += low == longest;
	}
	at = longest > 0 ? end[longest - 1] : NONE;
	for (size_t i = a->n; i > 0; i--) {
		if (i - 1 == at) {
			at = before[at];
		} else if (a->partner[i - 1] != NONE) {
			b->partner[a->partner[i - 1]] = NONE;
			a->partner[i - 1] = NONE;
		}
	}
	free(end);
	free(before);
	return 0;
}

static void
put(struct line_diff_line *to, bool added, const struct line *line)
{
	*to = (struct line_diff_line){added, line->place + 1, line->text, line->len};
}

static int
collect(const struct text *a, const struct text *b, struct line_diff_line **lines, size_t *n)
{
	size_t i = 0, k = 0;

	*lines = calloc(a->n + b->n + 1, sizeof(**lines));
	if (*lines == NULL)
		return -ENOMEM;
	while (i < a->n || k < b->n) {
		if (i < a->n && a->partner[i] == NONE) {
			put(&(*lines)[(*n)++], false, &a->line[i++]);
		} else if (k < b->n && b->partner[k] == NONE) {
			put(&(*lines)[(*n)++], true, &b->line[k++]);
		} else {
			i++;
			k++;
		}
	}
	return 0;
}

int
line_diff(const char *from, const char *to, struct line_diff_line **lines, size_t *n)
{
	struct text a = {0}, b = {0};
	int rc = split(from, &a);

	*lines = NULL;
	*n = 0;
	if (rc == 0)
		rc = split(to, &b);
	if (rc == 0) {
		pair(&a, &b);
		rc = keep_order(&a, &b);
	}
	if (rc == 0)
		rc = collect(&a, &b, lines, n);
	release(&a);
	release(&b);
	return rc;
}
