/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Messages of precise flow control that downstream switches sent. */

#include <stdlib.h>
#include <string.h>

#include "fcn_arn_received.h"
#include "show_private.h"

#define SOURCES (FCN_ARN_RECEIVED_SETS * FCN_ARN_RECEIVED_WAYS)

/* What the workers have, summed up. */
struct sums {
	struct fcn_arn_received_counters counters;
	uint64_t forgotten;
	uint64_t now;
	unsigned int n, room;
	struct fcn_arn_received_source source[];
};

static void
add_source(struct sums *sums, const struct fcn_arn_received_source *s)
{
	unsigned int i = 0;

	while (i < sums->n && memcmp(sums->source[i].addr, s->addr, sizeof(s->addr)) != 0)
		i++;
	if (i == sums->room)
		return;
	if (i == sums->n) {
		sums->source[sums->n++] = *s;
		return;
	}
	sums->source[i].last_ns = RTE_MAX(sums->source[i].last_ns, s->last_ns);
	FCN_COUNTERS_ADD(&sums->source[i].counters, &s->counters, FCN_ARN_RECEIVED_COUNTERS);
}

static void
read_worker(struct fcn_worker *w, void *arg)
{
	const struct fcn_arn_received *r = &w->arn_received;
	struct sums *sums = arg;

	FCN_COUNTERS_ADD(&sums->counters, &r->counters, FCN_ARN_RECEIVED_COUNTERS);
	sums->forgotten += r->forgotten;
	sums->now = RTE_MAX(sums->now, w->now);
	for (unsigned int i = 0; i < SOURCES; i++) {
		const struct fcn_arn_received_source *s =
				&r->source[i / FCN_ARN_RECEIVED_WAYS][i % FCN_ARN_RECEIVED_WAYS];

		if (s->used)
			add_source(sums, s);
	}
}

static int
newest_first(const void *a, const void *b)
{
	const struct fcn_arn_received_source *x = a, *y = b;

	if (x->last_ns != y->last_ns)
		return x->last_ns < y->last_ns ? 1 : -1;
	return memcmp(x->addr, y->addr, sizeof(x->addr));
}

static json_t *
show_sources(const struct sums *sums)
{
	json_t *list = json_array();

	for (unsigned int i = 0; i < sums->n; i++) {
		const struct fcn_arn_received_source *s = &sums->source[i];
		struct fcn_addr addr = {.version = 6};
		json_t *o = fcn_show_row(list);

		memcpy(addr.bytes, s->addr, sizeof(s->addr));
		json_object_set_new(o, "source", fcn_show_addr(&addr));
		FCN_SHOW_COUNTERS(o, &s->counters, FCN_ARN_RECEIVED_COUNTERS);
		fcn_show_set(o, "age_ns", sums->now - s->last_ns);
	}
	return list;
}

json_t *
fcn_show_arn_received(struct fcn_control *ctl)
{
	const unsigned int room = SOURCES * fcn_control_n_workers(ctl);
	const size_t size = sizeof(struct sums) + room * sizeof(struct fcn_arn_received_source);
	struct sums *sums = calloc(1, size);
	json_t *o = json_object();

	if (sums == NULL)
		return o;
	sums->room = room;
	fcn_control_read(ctl, read_worker, sums, size);
	qsort(sums->source, sums->n, sizeof(sums->source[0]), newest_first);
	FCN_SHOW_COUNTERS(o, &sums->counters, FCN_ARN_RECEIVED_COUNTERS);
	FCN_SHOW_COUNTERS(o, sums, FCN_ARN_RECEIVED_FORGOTTEN);
	json_object_set_new(o, "refusals", fcn_show_refusals(ctl, fcn_drop_is_of_arn));
	json_object_set_new(o, "sources", show_sources(sums));
	free(sums);
	return o;
}
