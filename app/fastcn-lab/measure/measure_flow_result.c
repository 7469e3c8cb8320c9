/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <rte_common.h>

#include "measure_private.h"

#define NS_PER_S 1000000000

static void
set(json_t *o, const char *name, uint64_t value)
{
	json_object_set_new(o, name, json_integer((json_int_t)value));
}

static void
set_unless_never(json_t *o, const char *name, uint64_t value)
{
	if (value != LAB_NEVER)
		set(o, name, value);
}

static void
set_distribution(struct lab_measure *m, json_t *o, const char *name, struct lab_distribution *d,
		uint64_t divisor)
{
	m->failed |= d->failed;
	if (d->weight > 0)
		json_object_set_new(o, name, lab_distribution_json(d, divisor));
}

static json_t *
jain_json(uint64_t millionths)
{
	return lab_scaled(millionths, 1000000);
}

static uint64_t
goodput(const struct lab_measure *m, const struct lab_flow_measure *f, uint64_t now)
{
	uint64_t window = now > m->sc->settle_ns ? now - m->sc->settle_ns : 0;

	if (window == 0 || f->delivered < f->delivered_settle)
		return 0;
	return (uint64_t)((unsigned __int128)(f->delivered - f->delivered_settle) * 8 * NS_PER_S /
			  window);
}

static uint64_t
mean_rate(const struct lab_flow_measure *f)
{
	return f->rate_ns == 0 ? 0 : (uint64_t)(f->rate_sum / f->rate_ns);
}

/*
 * Number of messages that should have been sent and are not complete. For an endless flow, this is
 * the message that was cut off.
 */
static uint64_t
incomplete(const struct lab_flow *flow, const struct lab_flow_measure *f)
{
	if (flow->messages != UINT64_MAX && flow->stop_ns == LAB_NEVER)
		return flow->messages > f->messages ? flow->messages - f->messages : 0;
	if (flow->bytes == 0 || f->posted <= f->bytes)
		return 0;
	return (f->posted - f->bytes + flow->bytes - 1) / flow->bytes;
}

/* Sums over all flows, or over the flows of one name. */
struct totals {
	unsigned int flows;
	uint64_t messages, incomplete, bytes, bytes_incomplete, repeats, detours, goodput, rate;
	uint64_t sent, accepted, duplicate, lost, cnps;
	unsigned __int128 goodput_squares;
};

static void
total(struct totals *t, const struct lab_measure *m, unsigned int i, uint64_t now)
{
	const struct lab_flow_measure *f = &m->flow[i];
	uint64_t bps = goodput(m, f, now);

	t->flows++;
	t->messages += f->messages;
	t->incomplete += incomplete(&m->sc->flow[i], f);
	t->bytes += f->bytes;
	t->bytes_incomplete += f->posted > f->bytes ? f->posted - f->bytes : 0;
	t->repeats += f->repeats;
	t->detours += f->detours;
	t->goodput += bps;
	t->goodput_squares += (unsigned __int128)bps * bps;
	t->rate += mean_rate(f);
	t->sent += f->notices_sent;
	t->accepted += f->notices_accepted;
	t->duplicate += f->notices_duplicate;
	t->lost += f->notices_lost;
	t->cnps += f->cnps;
}

static void
set_totals(json_t *o, const struct totals *t)
{
	set(o, "messages", t->messages);
	set(o, "incomplete", t->incomplete);
	set(o, "bytes", t->bytes);
	set(o, "bytes_incomplete", t->bytes_incomplete);
	set(o, "repeats", t->repeats);
	set(o, "detours", t->detours);
	set(o, "goodput_bps", t->goodput);
	set(o, "rate_bps", t->rate);
	set(o, "notices_sent", t->sent);
	set(o, "notices_accepted", t->accepted);
	set(o, "notices_duplicate", t->duplicate);
	set(o, "notices_lost", t->lost);
	set(o, "cnps", t->cnps);
}

static json_t *
flow_json(struct lab_measure *m, unsigned int i, uint64_t now)
{
	const struct lab_scenario *sc = m->sc;
	const struct lab_flow *flow = &sc->flow[i];
	struct lab_flow_measure *f = &m->flow[i];
	json_t *o = json_pack("{s:s, s:s, s:s, s:I}", "name", f->label, "from",
			sc->host[flow->from].name, "to", sc->host[flow->to].name, "start_ns",
			(json_int_t)flow->start_ns);
	struct totals t = {0};

	total(&t, m, i, now);
	set_totals(o, &t);
	set(o, "rate_lowest_bps", f->rate_lowest_bps);
	set_distribution(m, o, "fct_ns", &f->fct, 1);
	if (f->messages > 0 && f->path.n_hops > 0)
		json_object_set_new(o, "slowdown",
				json_pack("{s:o, s:o}", "mean",
						lab_scaled((f->slowdown_sum + f->messages / 2) /
										f->messages,
								LAB_PERMILLE),
						"max", lab_scaled(f->slowdown_max, LAB_PERMILLE)));
	set_unless_never(o, "first_notice_ns", f->first_notice_ns);
	set_unless_never(o, "first_cnp_ns", f->first_cnp_ns);
	return o;
}

static json_t *
group_json(struct lab_measure *m, unsigned int g, uint64_t now)
{
	uint64_t first_notice = LAB_NEVER, first_cnp = LAB_NEVER;
	struct totals t = {0};
	json_t *o;

	for (unsigned int i = 0; i < m->sc->n_flows; i++) {
		if (m->flow[i].group != g)
			continue;
		total(&t, m, i, now);
		first_notice = RTE_MIN(first_notice, m->flow[i].first_notice_ns);
		first_cnp = RTE_MIN(first_cnp, m->flow[i].first_cnp_ns);
	}
	o = json_pack("{s:I}", "flows", (json_int_t)t.flows);
	set_totals(o, &t);
	json_object_set_new(
			o, "jain", jain_json(measure_jain(t.goodput, t.goodput_squares, t.flows)));
	set_distribution(m, o, "fct_ns", &m->group[g].fct, 1);
	set_distribution(m, o, "slowdown", &m->group[g].slowdown, LAB_PERMILLE);
	set_unless_never(o, "first_notice_ns", first_notice);
	set_unless_never(o, "first_cnp_ns", first_cnp);
	return o;
}

static json_t *
bins_json(struct lab_measure *m, struct lab_bins *bins)
{
	json_t *all = json_object(), *o;

	for (unsigned int i = 0; i < bins->n_bins; i++) {
		struct lab_distribution *d = &bins->slowdown[i];

		if (d->weight == 0)
			continue;
		m->failed |= d->failed;
		o = json_pack("{s:I, s:I}", "up_to", (json_int_t)bins->bin[i].bytes, "messages",
				(json_int_t)d->weight);
		json_object_update_new(o, lab_distribution_json(d, LAB_PERMILLE));
		json_object_set_new(all, bins->bin[i].name, o);
	}
	return all;
}

static json_t *
slowdown_json(struct lab_measure *m)
{
	json_t *o = json_object();

	set_distribution(m, o, "all", &m->slowdown, LAB_PERMILLE);
	for (unsigned int b = 0; b < RTE_DIM(m->bins); b++)
		json_object_set_new(o, m->bins[b].name, bins_json(m, &m->bins[b]));
	return o;
}

void
measure_flow_result(struct lab_measure *m, json_t *result, uint64_t now)
{
	json_t *groups = json_object(), *flows = json_array(), *traffic;
	struct totals t = {0};

	for (unsigned int i = 0; i < m->sc->n_flows; i++)
		total(&t, m, i, now);
	traffic = json_pack("{s:I}", "flows", (json_int_t)t.flows);
	set_totals(traffic, &t);
	json_object_set_new(traffic, "jain",
			jain_json(measure_jain(t.goodput, t.goodput_squares, t.flows)));
	json_object_set_new(result, "traffic", traffic);
	for (unsigned int g = 0; g < m->n_groups; g++)
		json_object_set_new(groups, m->group[g].name, group_json(m, g, now));
	json_object_set_new(result, "flow", groups);
	for (unsigned int i = 0; i < m->sc->n_flows; i++)
		json_array_append_new(flows, flow_json(m, i, now));
	json_object_set_new(result, "flows", flows);
	json_object_set_new(result, "slowdown", slowdown_json(m));
}
