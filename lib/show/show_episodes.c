/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <stdlib.h>
#include <string.h>

#include "show_private.h"

/* What a worker copies of a port between two turns. */
struct episodes_reading {
	unsigned int port;
	bool open;
	uint64_t now;
	bool congested[FCN_CLASSES];
	struct fcn_episodes of[FCN_CLASSES];
};

static void
read_episodes(struct fcn_worker *w, void *arg)
{
	struct episodes_reading *r = arg;
	const struct fcn_egress *eg = w->port[r->port].egress;

	r->open = eg != NULL;
	r->now = w->now;
	for (unsigned int c = 0; r->open && c < FCN_CLASSES; c++) {
		const struct fcn_queue *q = &eg->queue[c];

		r->congested[c] = q->detector.congested && q->episodes != NULL;
		if (q->episodes != NULL)
			r->of[c] = *q->episodes;
	}
}

/* An episode, and the queue where it was. */
struct found {
	struct fcn_episode e;
	unsigned int port, class;
	uint64_t now;
	bool lasts;
};

struct founds {
	struct found *item;
	size_t n;
};

static void
find_class(const struct episodes_reading *r, unsigned int c, struct founds *found)
{
	const struct fcn_episodes *e = &r->of[c];
	uint64_t kept = RTE_MIN(e->n_ended, (uint64_t)FCN_EPISODES_KEPT);

	for (uint64_t k = e->n_ended - kept; k < e->n_ended; k++)
		found->item[found->n++] = (struct found){
				.e = e->kept[k % FCN_EPISODES_KEPT],
				.port = r->port,
				.class = c,
		};
	if (r->congested[c])
		found->item[found->n++] = (struct found){
				.e = e->current,
				.port = r->port,
				.class = c,
				.now = r->now,
				.lasts = true,
		};
}

static int
compare(const void *va, const void *vb)
{
	const struct found *a = va, *b = vb;

	if (a->e.start_ns != b->e.start_ns)
		return a->e.start_ns < b->e.start_ns ? -1 : 1;
	if (a->port != b->port)
		return a->port < b->port ? -1 : 1;
	return (a->class > b->class) - (a->class < b->class);
}

static void
show_episode(const struct fcn_control *ctl, const struct found *f, json_t *list)
{
	const struct fcn_episode *e = &f->e;
	uint64_t end = f->lasts ? RTE_MAX(f->now, e->start_ns) : e->end_ns;
	json_t *o = fcn_show_class_row(ctl, list, f->port, f->class);

	fcn_show_set(o, "start_ns", e->start_ns);
	fcn_show_set_known(o, "end_ns", !f->lasts, e->end_ns);
	fcn_show_set(o, "duration_ns", end - e->start_ns);
	fcn_show_set(o, "peak_bytes", e->peak_bytes);
	FCN_SHOW_COUNTERS(o, e, FCN_EPISODE_COUNTERS);
	fcn_show_set(o, "flows", e->flows);
	fcn_show_set_bool(o, "more_flows", e->more_flows);
	fcn_show_set(o, "peak_ns", e->peak_ns);
	fcn_show_set_level(o, "max_level", e->max_level);
	FCN_SHOW_COUNTERS(o, e, FCN_EPISODE_ARRIVAL_COUNTERS);
}

json_t *
fcn_show_episodes(struct fcn_control *ctl, int port, int class, unsigned int last)
{
	const size_t most = (size_t)FCN_MAX_PORTS * FCN_CLASSES * (FCN_EPISODES_KEPT + 1);
	struct episodes_reading *r = calloc(1, sizeof(*r));
	struct founds found = {.item = calloc(most, sizeof(*found.item))};
	json_t *list = json_array();

	for (unsigned int p = 0; r != NULL && found.item != NULL && p < FCN_MAX_PORTS; p++) {
		if (!fcn_show_is_chosen(ctl, p, port))
			continue;
		memset(r, 0, sizeof(*r));
		r->port = p;
		fcn_worker_read(fcn_control_owner(ctl, p), read_episodes, r, sizeof(*r));
		for (unsigned int c = 0; c < FCN_CLASSES; c++) {
			if (class < 0 || (unsigned int)class == c)
				find_class(r, c, &found);
		}
	}
	if (found.n > 0)
		qsort(found.item, found.n, sizeof(found.item[0]), compare);
	for (size_t i = found.n - RTE_MIN(found.n, (size_t)last); i < found.n; i++)
		show_episode(ctl, &found.item[i], list);
	free(found.item);
	free(r);
	return list;
}
