/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "report_table.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX /* no entry */
#define FIRST 256       /* entries for which there is room at first */

/* Entries are numbers in an array, which are half as long as pointers. */
struct entry {
	struct fcn_host_report_qp qp;
	uint32_t chain; /* next one of the bucket, or free one */
	uint32_t next;  /* next one that the switch has to be told of */
	uint32_t told;  /* local number that the switch was told; 0: it was not */
	bool is_wanted; /* it is to be there */
	bool is_queued; /* the switch has to be told, or it was removed since */
};

_Static_assert(sizeof(struct entry) == 56, "as report_table.h says");

struct report_table {
	uint64_t secret;
	uint32_t most, room, count, mask;
	uint32_t free, first, last; /* NONE: there is none */
	uint32_t until_end;         /* entries in the queue before END; NONE: it was said */
	struct entry *entry;
	uint32_t *buckets;
};

struct report_table *
report_table_create(uint32_t most, uint64_t secret)
{
	struct report_table *t = calloc(1, sizeof(*t));
	uint32_t buckets = 64;

	if (t == NULL)
		return NULL;
	while (buckets < most)
		buckets *= 2;
	t->secret = secret;
	t->most = most;
	t->mask = buckets - 1;
	t->free = t->first = t->last = t->until_end = NONE;
	t->buckets = malloc(buckets * sizeof(*t->buckets));
	if (t->buckets == NULL) {
		free(t);
		return NULL;
	}
	memset(t->buckets, 0xFF, buckets * sizeof(*t->buckets));
	return t;
}

void
report_table_free(struct report_table *t)
{
	if (t == NULL)
		return;
	free(t->entry);
	free(t->buckets);
	free(t);
}

/* ---- entries ---- */

/* The finaliser of a 64-bit hash: each bit of the input changes about half of the output. */
static uint64_t
mix(uint64_t x)
{
	x ^= x >> 32;
	x *= UINT64_C(0xE9846AF9B1A615D5);
	x ^= x >> 29;
	x *= UINT64_C(0x9E6F0F1D3C2B8A47);
	return x ^ x >> 32;
}

/* Get the place that has the number of an entry, or is the end of its chain. */
static uint32_t *
find(struct report_table *t, const struct fcn_host_report_qp *qp)
{
	uint64_t w[4], hash = t->secret;
	uint32_t *at;

	memcpy(w, qp->local, 16);
	memcpy(w + 2, qp->remote, 16);
	for (unsigned int i = 0; i < 4; i++)
		hash = mix(hash ^ w[i]);
	at = &t->buckets[mix(hash ^ qp->remote_qp) & t->mask];
	while (*at != NONE && (t->entry[*at].qp.remote_qp != qp->remote_qp ||
					      memcmp(t->entry[*at].qp.local, qp->local, 32) != 0))
		at = &t->entry[*at].chain;
	return at;
}

_Static_assert(offsetof(struct fcn_host_report_qp, remote) == 16, "find() compares both addresses");

/* Take a free entry. @return its number; NONE: there is no memory */
static uint32_t
take_free(struct report_table *t)
{
	uint32_t i = t->free;

	if (i == NONE) {
		const uint32_t room = t->room == 0 ? FIRST : 2 * t->room;
		struct entry *more = realloc(t->entry, room * sizeof(*more));

		if (more == NULL)
			return NONE;
		t->entry = more;
		for (i = t->room; i < room; i++)
			more[i].chain = i + 1 < room ? i + 1 : NONE;
		i = t->room;
		t->room = room;
	}
	t->free = t->entry[i].chain;
	return i;
}

static void
queue(struct report_table *t, uint32_t i)
{
	struct entry *e = &t->entry[i];

	if (e->is_queued)
		return;
	e->is_queued = true;
	e->next = NONE;
	if (t->first == NONE)
		t->first = i;
	else
		t->entry[t->last].next = i;
	t->last = i;
}

/* Free an entry of which nothing is left to do. */
static void
settle(struct report_table *t, uint32_t i)
{
	struct entry *e = &t->entry[i];

	if (e->is_wanted || e->is_queued)
		return;
	*find(t, &e->qp) = e->chain;
	e->chain = t->free;
	t->free = i;
}

int
report_table_add(struct report_table *t, const struct fcn_host_report_qp *qp)
{
	uint32_t i = *find(t, qp);
	struct entry *e;

	if (t->count == t->most && (i == NONE || !t->entry[i].is_wanted))
		return -ENOSPC;
	if (i == NONE) {
		i = take_free(t);
		if (i == NONE)
			return -ENOMEM;
		t->entry[i] = (struct entry){.qp = *qp, .chain = NONE};
		*find(t, qp) = i;
	}
	e = &t->entry[i];
	if (e->is_wanted && e->qp.local_qp == qp->local_qp)
		return 0;
	t->count += !e->is_wanted;
	e->is_wanted = true;
	e->qp.local_qp = qp->local_qp;
	queue(t, i);
	return 0;
}

void
report_table_remove(struct report_table *t, const struct fcn_host_report_qp *qp)
{
	const uint32_t i = *find(t, qp);
	struct entry *e = i != NONE ? &t->entry[i] : NULL;

	if (e == NULL || !e->is_wanted || e->qp.local_qp != qp->local_qp)
		return;
	e->is_wanted = false;
	t->count--;
	if (e->told != 0)
		queue(t, i);
	settle(t, i);
}

/* ---- what the switch is told ---- */

/* Take the first entry of the queue. @return NONE: it is empty */
static uint32_t
take_first(struct report_table *t)
{
	const uint32_t i = t->first;

	if (i == NONE)
		return NONE;
	t->first = t->entry[i].next;
	if (t->first == NONE)
		t->last = NONE;
	t->entry[i].is_queued = false;
	return i;
}

void
report_table_begin(struct report_table *t)
{
	uint32_t i;

	while ((i = take_first(t)) != NONE)
		settle(t, i);
	t->until_end = 0;
	for (uint32_t b = 0; b <= t->mask; b++) {
		for (i = t->buckets[b]; i != NONE; i = t->entry[i].chain) {
			t->entry[i].told = 0;
			queue(t, i);
			t->until_end++;
		}
	}
}

bool
report_table_next(struct report_table *t, struct fcn_host_report_record *record)
{
	uint32_t i;

	memset(record, 0, sizeof(*record));
	while (t->until_end != 0 && (i = take_first(t)) != NONE) {
		struct entry *e = &t->entry[i];
		const bool is_said = e->is_wanted || e->told != 0;

		if (t->until_end != NONE)
			t->until_end--;
		record->type = e->is_wanted ? FCN_HOST_REPORT_ADD : FCN_HOST_REPORT_REMOVE;
		record->qp = e->qp;
		if (!e->is_wanted)
			record->qp.local_qp = e->told;
		e->told = e->is_wanted ? e->qp.local_qp : 0;
		settle(t, i);
		if (is_said)
			return true;
	}
	if (t->until_end != 0)
		return false;
	t->until_end = NONE;
	record->qp = (struct fcn_host_report_qp){0};
	record->type = FCN_HOST_REPORT_END;
	return true;
}

bool
report_table_has_more(const struct report_table *t)
{
	return t->first != NONE || t->until_end == 0;
}

uint32_t
report_table_count(const struct report_table *t)
{
	return t->count;
}
