/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <inttypes.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "series.h"

struct lab_series_set {
	struct lab_series **series;
	unsigned int n;
	void *by_name; /* tree of the series by kind and place, for tsearch() */
};

struct lab_series_set *
lab_series_create(void)
{
	return calloc(1, sizeof(struct lab_series_set));
}

static int
by_name(const void *a, const void *b)
{
	const struct lab_series *x = a, *y = b;
	int order = strcmp(x->where, y->where);

	return order != 0 ? order : strcmp(x->what, y->what);
}

static void
stays(void *series)
{
	(void)series;
}

void
lab_series_free(struct lab_series_set *set)
{
	if (set == NULL)
		return;
	tdestroy(set->by_name, stays);
	for (unsigned int i = 0; i < set->n; i++) {
		free(set->series[i]->point);
		free(set->series[i]);
	}
	free(set->series);
	free(set);
}

struct lab_series *
lab_series_add(struct lab_series_set *set, const char *what, const char *where, bool events)
{
	struct lab_series key = {.what = what}, *s, **list, **found;

	snprintf(key.where, sizeof(key.where), "%s", where);
	found = tfind(&key, &set->by_name, by_name);
	if (found != NULL)
		return *found;
	list = realloc(set->series, (set->n + 1) * sizeof(struct lab_series *));
	if (list == NULL)
		return NULL;
	set->series = list;
	s = malloc(sizeof(*s));
	if (s == NULL)
		return NULL;
	*s = key;
	s->events = events;
	if (tsearch(s, &set->by_name, by_name) == NULL) {
		free(s);
		return NULL;
	}
	list[set->n++] = s;
	return s;
}

/*
 * The points of a stretch of time that are kept when a series is thinned out, as indexes in the
 * order of time.
 */
struct stretch {
	uint32_t first, last, least, greatest;
};

static void
keep(struct lab_series *s, uint32_t *out, const struct stretch *st)
{
	uint32_t low = st->least < st->greatest ? st->least : st->greatest;
	uint32_t high = st->least < st->greatest ? st->greatest : st->least;
	uint32_t index[4] = {st->first, low, high, st->last};

	for (unsigned int i = 0; i < 4; i++)
		if (i == 0 || index[i] != index[i - 1])
			s->point[(*out)++] = s->point[index[i]];
}

/*
 * Thin out a series in place. Points only move towards the beginning, so points that have not been
 * read yet are not overwritten.
 */
static void
thin_out(struct lab_series *s)
{
	uint64_t begin = s->point[0].time_ns;
	uint64_t width = (s->point[s->n - 1].time_ns - begin) / LAB_SERIES_STRETCHES + 1;
	struct stretch st = {0};
	uint32_t out = 0;

	for (uint32_t i = 1; i < s->n; i++) {
		const struct lab_series_point *p = &s->point[i];

		if ((p->time_ns - begin) / width != (s->point[st.first].time_ns - begin) / width) {
			keep(s, &out, &st);
			st = (struct stretch){i, i, i, i};
			continue;
		}
		st.last = i;
		if (p->value < s->point[st.least].value)
			st.least = i;
		if (p->value > s->point[st.greatest].value)
			st.greatest = i;
	}
	keep(s, &out, &st);
	s->n = out;
}

static bool
make_room(struct lab_series *s)
{
	struct lab_series_point *point;
	uint32_t room;

	if (s->n < s->room)
		return true;
	if (s->n == LAB_SERIES_MAX) {
		thin_out(s);
		return true;
	}
	room = s->room == 0 ? 64 : 2 * s->room;
	point = realloc(s->point, room * sizeof(*point));
	if (point == NULL) {
		s->failed = true;
		return false;
	}
	s->point = point;
	s->room = room;
	return true;
}

void
lab_series_put(struct lab_series *s, uint64_t now, uint64_t value)
{
	struct lab_series_point *last = s->n > 0 ? &s->point[s->n - 1] : NULL;

	if (!s->events && last != NULL) {
		if (last->value == value)
			return;
		if (last->time_ns == now) {
			last->value = value;
			return;
		}
	}
	if (make_room(s))
		s->point[s->n++] = (struct lab_series_point){now, value};
}

void
lab_series_end(struct lab_series *s, uint64_t end)
{
	while (s->n > 0 && s->point[s->n - 1].time_ns > end)
		s->n--;
	lab_series_put(s, end, 0);
}

/*
 * Merge of all series in the order of time: a heap of series, ordered by the time of their next
 * point and then by the order in which they were added.
 */
struct merge {
	const struct lab_series_set *set;
	unsigned int *heap, n;
	uint32_t *at;
};

static bool
before(const struct merge *m, unsigned int a, unsigned int b)
{
	uint64_t x = m->set->series[a]->point[m->at[a]].time_ns;
	uint64_t y = m->set->series[b]->point[m->at[b]].time_ns;

	return x != y ? x < y : a < b;
}

static void
sink(struct merge *m, unsigned int i)
{
	for (;;) {
		unsigned int child = 2 * i + 1, swap;

		if (child >= m->n)
			return;
		if (child + 1 < m->n && before(m, m->heap[child + 1], m->heap[child]))
			child++;
		if (!before(m, m->heap[child], m->heap[i]))
			return;
		swap = m->heap[i];
		m->heap[i] = m->heap[child];
		m->heap[child] = swap;
		i = child;
	}
}

static void
merge(struct merge *m, FILE *out)
{
	for (unsigned int i = 0; i < m->set->n; i++)
		if (m->set->series[i]->n > 0)
			m->heap[m->n++] = i;
	for (unsigned int i = m->n / 2; i-- > 0;)
		sink(m, i);
	while (m->n > 0) {
		unsigned int i = m->heap[0];
		const struct lab_series *s = m->set->series[i];
		const struct lab_series_point *p = &s->point[m->at[i]++];

		fprintf(out, "%" PRIu64 ",%s,%s,%" PRIu64 "\n", p->time_ns, s->what, s->where,
				p->value);
		if (m->at[i] == s->n)
			m->heap[0] = m->heap[--m->n];
		sink(m, 0);
	}
}

int
lab_series_write(const struct lab_series_set *set, FILE *out)
{
	struct merge m = {.set = set};
	int rc = -1;

	fputs("time_ns,what,where,value\n", out);
	m.heap = calloc(set->n + 1, sizeof(*m.heap));
	m.at = calloc(set->n + 1, sizeof(*m.at));
	if (m.heap != NULL && m.at != NULL) {
		merge(&m, out);
		rc = 0;
	}
	free(m.heap);
	free(m.at);
	return rc;
}
