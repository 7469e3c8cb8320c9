/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* What downstream switches have asked to halt, and the packets that wait for it. */

#include <stdlib.h>

#include "show_private.h"

/* A class of a port that is halted, or whose halts are ignored by the watchdog. */
struct halted {
	uint16_t port;
	uint8_t class;
	bool storm;
	uint64_t since, until;
};

/* What the workers have. A flow is held by each worker. */
struct sums {
	unsigned int n, limit; /* limit: of each worker */
	uint64_t restore_ns;   /* the time for which a storm counts */
	struct halted halted[FCN_MAX_PORTS * FCN_CLASSES];
	unsigned int n_halted;
	uint64_t now;
	uint64_t flows, packets, bytes;             /* flows: at one worker */
	uint64_t flows_max, packets_max, bytes_max; /* at one worker */
	struct fcn_arn_held counters;
	struct fcn_held_flow flow[];
};

static void
read_halted(const struct fcn_worker *w, struct sums *sums)
{
	for (unsigned int i = 0; i < w->n_own_ports; i++) {
		const struct fcn_pause *p = &w->port[w->own_port[i]].pause;
		const uint8_t storms = fcn_pause_halt_storms(p, sums->restore_ns, w->now);

		for (unsigned int left = p->halted | storms; left != 0; left &= left - 1) {
			const unsigned int c = __builtin_ctz(left);

			sums->halted[sums->n_halted++] = (struct halted){.port = w->own_port[i],
					.class = c,
					.storm = storms >> c & 1,
					.since = p->halt_since[c],
					.until = p->halt_until[c]};
		}
	}
}

static void
read_worker(struct fcn_worker *w, void *arg)
{
	const struct fcn_arn_held *h = &w->arn_held;
	struct sums *sums = arg;
	unsigned int n = 0;

	FCN_COUNTERS_ADD(&sums->counters, h, FCN_ARN_OBEYED_COUNTERS);
	FCN_COUNTERS_ADD(&sums->counters, h, FCN_ARN_HELD_COUNTERS);
	sums->now = RTE_MAX(sums->now, w->now);
	sums->flows = RTE_MAX(sums->flows, (uint64_t)h->flows.n_flows);
	sums->packets += h->flows.packets;
	sums->bytes += h->flows.bytes;
	sums->flows_max = RTE_MAX(sums->flows_max, h->flows_max);
	sums->packets_max = RTE_MAX(sums->packets_max, h->packets_max);
	sums->bytes_max = RTE_MAX(sums->bytes_max, h->bytes_max);
	for (uint32_t i = 0; i < h->flows.max_flows && n < sums->limit; i++) {
		if (h->flows.flow[i].used)
			sums->flow[sums->n + n++] = h->flows.flow[i];
	}
	sums->n += n;
	read_halted(w, sums);
}

static bool
is_same(const struct fcn_held_key *a, const struct fcn_held_key *b)
{
	return a->mode == b->mode && memcmp(&a->flow, &b->flow, sizeof(a->flow)) == 0;
}

/* Add what several workers have of one flow. */
static void
merge(struct sums *sums)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < sums->n; i++) {
		const struct fcn_held_flow *f = &sums->flow[i];
		unsigned int k = 0;

		while (k < n && !is_same(&sums->flow[k].key, &f->key))
			k++;
		if (k == n) {
			sums->flow[n++] = *f;
			continue;
		}
		sums->flow[k].packets += f->packets;
		sums->flow[k].bytes += f->bytes;
		sums->flow[k].bytes_max += f->bytes_max;
		sums->flow[k].held |= f->held;
		sums->flow[k].storm |= f->storm;
		sums->flow[k].until = RTE_MAX(sums->flow[k].until, f->until);
	}
	sums->n = RTE_MIN(n, sums->limit);
}

static void
show_flow(const struct fcn_held_flow *f, uint64_t now, json_t *list)
{
	json_t *o = fcn_show_row(list);

	fcn_show_set_str(o, "mode", fcn_arn_mode_name(f->key.mode));
	fcn_show_descriptor(&f->key.flow, o);
	fcn_show_set_str(o, "state", f->storm ? "storm" : f->held ? "held" : "leaving");
	fcn_show_set(o, "remaining_ns", f->held && f->until > now ? f->until - now : 0);
	fcn_show_set(o, "age_ns", now - RTE_MIN(f->since, now));
	fcn_show_set(o, "packets", f->packets);
	fcn_show_set(o, "bytes", f->bytes);
	fcn_show_set(o, "bytes_max", f->bytes_max);
}

static void
show_halted(const struct fcn_control *ctl, const struct halted *h, uint64_t now, json_t *list)
{
	json_t *o = fcn_show_class_row(ctl, list, h->port, h->class);

	fcn_show_set_str(o, "state", h->storm ? "storm" : "halted");
	fcn_show_set(o, "remaining_ns", h->until > now ? h->until - now : 0);
	fcn_show_set(o, "age_ns", now - RTE_MIN(h->since, now));
}

static void
show_sums(const struct fcn_control *ctl, struct sums *sums, json_t *o)
{
	json_t *flows = json_array(), *halted = json_array();

	fcn_show_set(o, "flows", sums->flows);
	fcn_show_set(o, "flows_max", sums->flows_max);
	fcn_show_set(o, "packets", sums->packets);
	fcn_show_set(o, "packets_max", sums->packets_max);
	fcn_show_set(o, "bytes", sums->bytes);
	fcn_show_set(o, "bytes_max", sums->bytes_max);
	FCN_SHOW_COUNTERS(o, &sums->counters, FCN_ARN_OBEYED_COUNTERS);
	FCN_SHOW_COUNTERS(o, &sums->counters, FCN_ARN_HELD_COUNTERS);
	merge(sums);
	for (unsigned int i = 0; i < sums->n; i++)
		show_flow(&sums->flow[i], sums->now, flows);
	for (unsigned int i = 0; i < sums->n_halted; i++)
		show_halted(ctl, &sums->halted[i], sums->now, halted);
	json_object_set_new(o, "held", flows);
	json_object_set_new(o, "halted", halted);
}

json_t *
fcn_show_arn_held(struct fcn_control *ctl, unsigned int limit)
{
	const unsigned int most = RTE_MIN(limit, (unsigned int)FCN_ARN_HELD_FLOWS);
	const size_t size = sizeof(struct sums) +
			    (size_t)most * FCN_MAX_WORKERS * sizeof(struct fcn_held_flow);
	struct sums *sums = calloc(1, size);
	json_t *o = json_object();

	if (sums == NULL)
		return o;
	sums->limit = most;
	sums->restore_ns = fcn_control_snapshot(ctl)->arn.held.restore_ns;
	fcn_control_read(ctl, read_worker, sums, size);
	show_sums(ctl, sums, o);
	free(sums);
	return o;
}
