/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <stdlib.h>

#include <rte_common.h>

#include "measure_private.h"

/*
 * The sizes for which the distributions WebSearch and Hadoop in the simulations of the HPCC paper
 * have points.
 */
static const struct lab_bin websearch[] = {{"10K", 10000}, {"20K", 20000}, {"30K", 30000},
		{"50K", 50000}, {"80K", 80000}, {"200K", 200000}, {"1M", 1000000}, {"2M", 2000000},
		{"5M", 5000000}, {"10M", 10000000}, {"30M", 30000000}};
static const struct lab_bin hadoop[] = {{"100", 100}, {"300", 300}, {"350", 350}, {"500", 500},
		{"700", 700}, {"1K", 1000}, {"2K", 2000}, {"7K", 7000}, {"30K", 30000},
		{"50K", 50000}, {"80K", 80000}, {"120K", 120000}, {"300K", 300000}, {"1M", 1000000},
		{"2M", 2000000}, {"10M", 10000000}};

_Static_assert(RTE_DIM(websearch) <= LAB_BINS_MAX && RTE_DIM(hadoop) <= LAB_BINS_MAX, "room");

/*
 * Give a flow its label and its group. Flows of the same name are in one group, and are numbered in
 * their labels.
 */
static void
name_flow(struct lab_measure *m, unsigned int i)
{
	struct lab_flow_measure *f = &m->flow[i];
	const char *name = m->sc->flow[i].name;

	while (f->group < m->n_groups && strcmp(m->group[f->group].name, name) != 0)
		f->group++;
	if (f->group == m->n_groups)
		m->group[m->n_groups++].name = name;
	m->group[f->group].n_flows++;
	snprintf(f->label, sizeof(f->label), "%s/%u", name, m->group[f->group].n_flows);
}

static uint64_t
first_rate(const struct lab_measure *m, const struct lab_flow *flow)
{
	uint64_t line = m->sc->host[flow->from].conf.line_bps;

	return flow->rate_bps != 0 && flow->rate_bps < line ? flow->rate_bps : line;
}

static void
flow_init(struct lab_measure *m, unsigned int i)
{
	const struct lab_flow *flow = &m->sc->flow[i];
	struct lab_flow_measure *f = &m->flow[i];

	f->first_notice_ns = LAB_NEVER;
	f->first_cnp_ns = LAB_NEVER;
	f->rate_bps = f->rate_lowest_bps = first_rate(m, flow);
	f->rate_since = flow->start_ns;
	f->payload = m->sc->host[flow->from].conf.payload;
	lab_path_find(m->sc, (struct lab_node){LAB_HOST, flow->from},
			(struct lab_node){LAB_HOST, flow->to}, &f->path);
}

int
measure_flow_init(struct lab_measure *m)
{
	unsigned int n = m->sc->n_flows;

	m->bins[0] = (struct lab_bins){"websearch", websearch, RTE_DIM(websearch)};
	m->bins[1] = (struct lab_bins){"hadoop", hadoop, RTE_DIM(hadoop)};
	m->table_size = (unsigned int)rte_align32pow2(2 * n + 16);
	m->flow = calloc(n + 1, sizeof(*m->flow));
	m->group = calloc(n + 1, sizeof(*m->group));
	m->by_sender = calloc(m->table_size, sizeof(*m->by_sender));
	m->by_receiver = calloc(m->table_size, sizeof(*m->by_receiver));
	if (m->flow == NULL || m->group == NULL || m->by_sender == NULL || m->by_receiver == NULL)
		return -1;
	for (unsigned int i = 0; i < n; i++) {
		flow_init(m, i);
		name_flow(m, i);
	}
	for (unsigned int i = 0; i < n; i++) {
		struct lab_flow_measure *f = &m->flow[i];

		if (m->group[f->group].n_flows == 1)
			snprintf(f->label, sizeof(f->label), "%s", m->sc->flow[i].name);
	}
	return 0;
}

void
measure_flow_fini(struct lab_measure *m)
{
	for (unsigned int i = 0; m->flow != NULL && i < m->sc->n_flows; i++) {
		lab_path_free(&m->flow[i].path);
		lab_distribution_free(&m->flow[i].fct);
		free(m->flow[i].pending.item);
	}
	for (unsigned int i = 0; i < m->n_groups; i++) {
		lab_distribution_free(&m->group[i].fct);
		lab_distribution_free(&m->group[i].slowdown);
	}
	for (unsigned int b = 0; b < RTE_DIM(m->bins); b++)
		for (unsigned int i = 0; i < LAB_BINS_MAX; i++)
			lab_distribution_free(&m->bins[b].slowdown[i]);
	lab_distribution_free(&m->slowdown);
	free(m->flow);
	free(m->group);
	free(m->by_sender);
	free(m->by_receiver);
}

/*
 * Find the entry of a queue pair, or the free entry for it, by linear probing. The tables are never
 * more than half full.
 */
static struct lab_qp_key *
find_queue_pair(const struct lab_measure *m, struct lab_qp_key *table, uint64_t a, uint64_t b,
		uint32_t qp)
{
	uint64_t h = (a ^ b * 0x9e3779b97f4a7c15 ^ qp) * 0xbf58476d1ce4e5b9;
	unsigned int i = (unsigned int)(h >> 32);

	for (;; i++) {
		struct lab_qp_key *k = &table[i & (m->table_size - 1)];

		if (k->flow == 0 || (k->qp == qp && k->a == a && k->b == b))
			return k;
	}
}

static struct lab_qp_key *
find_address(const struct lab_measure *m, const uint8_t addr[16], uint32_t qp)
{
	uint64_t a, b;

	memcpy(&a, addr, sizeof(a));
	memcpy(&b, addr + sizeof(a), sizeof(b));
	return find_queue_pair(m, m->by_receiver, a, b, qp);
}

static void
set_entry(struct lab_qp_key *k, uint64_t a, uint64_t b, uint32_t qp, unsigned int flow)
{
	*k = (struct lab_qp_key){.a = a, .b = b, .qp = qp, .flow = flow + 1};
}

void
lab_measure_flow(struct lab_measure *m, unsigned int flow, uint32_t sender_qp, uint32_t receiver_qp,
		const uint8_t receiver[16])
{
	unsigned int from = m->sc->flow[flow].from;
	uint64_t a, b;

	if (m->flow[flow].known)
		return;
	m->flow[flow].known = true;
	memcpy(&a, receiver, sizeof(a));
	memcpy(&b, receiver + sizeof(a), sizeof(b));
	set_entry(find_queue_pair(m, m->by_sender, from, 0, sender_qp), from, 0, sender_qp, flow);
	set_entry(find_address(m, receiver, receiver_qp), a, b, receiver_qp, flow);
}

/* A rate of a flow, for its series. */
struct rate {
	struct lab_flow_measure *flow;
	uint64_t now, bps;
};

static struct lab_log *
log_of(const struct lab_measure *m, const struct lab_flow_measure *f)
{
	return measure_host_log(m, m->sc->flow[f - m->flow].from);
}

static void
replay_begin(void *arg, const void *data)
{
	struct lab_measure *m = arg;
	const struct rate *rate = data;
	struct lab_flow_measure *f = rate->flow;
	const struct lab_flow *flow = &m->sc->flow[f - m->flow];

	f->series = lab_series_add(m->series, "rate", f->label, false);
	if (f->series == NULL) {
		m->failed = true;
		return;
	}
	lab_series_put(f->series, flow->start_ns, first_rate(m, flow));
	lab_series_put(f->series, rate->now, rate->bps);
}

static void
replay_rate(void *arg, const void *data)
{
	const struct rate *rate = data;

	RTE_SET_USED(arg);
	if (rate->flow->series != NULL)
		lab_series_put(rate->flow->series, rate->now, rate->bps);
}

void
lab_measure_flow_begins(struct lab_measure *m, unsigned int flow)
{
	struct lab_flow_measure *f = &m->flow[flow];
	const struct rate rate = {f, f->rate_since, f->rate_bps};

	if (m->series != NULL && f->known)
		lab_log_call(log_of(m, f), replay_begin, m, &rate, sizeof(rate));
}

struct lab_flow_measure *
measure_flow_of_host(struct lab_measure *m, unsigned int host, uint32_t qp)
{
	const struct lab_qp_key *k = find_queue_pair(m, m->by_sender, host, 0, qp);

	return k->flow == 0 ? NULL : &m->flow[k->flow - 1];
}

struct lab_flow_measure *
measure_flow_of_packet(struct lab_measure *m, const uint8_t receiver[16], uint32_t qp)
{
	const struct lab_qp_key *k = find_address(m, receiver, qp);

	return k->flow == 0 ? NULL : &m->flow[k->flow - 1];
}

int
lab_measure_flow_of(struct lab_measure *m, const uint8_t receiver[16], uint32_t qp)
{
	const struct lab_flow_measure *f = measure_flow_of_packet(m, receiver, qp);

	return f == NULL ? -1 : (int)(f - m->flow);
}

static struct lab_distribution *
bin_of(struct lab_bins *bins, uint64_t bytes)
{
	unsigned int i = 0;

	while (i + 1 < bins->n_bins && bytes > bins->bin[i].bytes)
		i++;
	return &bins->slowdown[i];
}

void
measure_flow_complete(struct lab_measure *m, struct lab_flow_measure *f,
		const struct fcn_endpoint_event *ev)
{
	const struct lab_flow *flow = &m->sc->flow[f - m->flow];
	uint64_t fct = ev->time_ns - ev->created_ns;
	uint64_t ideal = lab_path_ideal_ns(&f->path, ev->value, f->payload, flow->rate_bps);
	uint64_t slowdown;

	f->messages++;
	f->bytes += ev->value;
	f->last_complete_ns = ev->time_ns;
	lab_distribution_add(&f->fct, fct);
	lab_distribution_add(&m->group[f->group].fct, fct);
	if (m->records != NULL)
		lab_records_put(m->records,
				&(struct lab_message_record){.flow = (unsigned int)(f - m->flow),
						.label = f->label,
						.qp = ev->qp,
						.bytes = ev->value,
						.start_ns = ev->created_ns,
						.end_ns = ev->time_ns,
						.ideal_ns = ideal});
	if (ideal == 0)
		return;
	slowdown = (uint64_t)(((unsigned __int128)fct * LAB_PERMILLE + ideal / 2) / ideal);
	f->slowdown_sum += slowdown;
	f->slowdown_max = RTE_MAX(f->slowdown_max, slowdown);
	lab_distribution_add(&m->group[f->group].slowdown, slowdown);
	lab_distribution_add(&m->slowdown, slowdown);
	for (unsigned int b = 0; b < RTE_DIM(m->bins); b++)
		lab_distribution_add(bin_of(&m->bins[b], ev->value), slowdown);
}

static void
account_rate(const struct lab_measure *m, struct lab_flow_measure *f, uint64_t now)
{
	uint64_t from = RTE_MAX(f->rate_since, m->sc->settle_ns);

	if (now > from) {
		f->rate_sum += (unsigned __int128)f->rate_bps * (now - from);
		f->rate_ns += now - from;
	}
	f->rate_since = RTE_MAX(now, f->rate_since);
}

void
measure_flow_rate(struct lab_measure *m, struct lab_flow_measure *f, uint64_t bps, uint64_t now)
{
	account_rate(m, f, now);
	f->rate_bps = bps;
	f->rate_lowest_bps = RTE_MIN(f->rate_lowest_bps, bps);
	if (f->series != NULL) {
		lab_series_put(f->series, now, bps);
	} else if (m->series != NULL) {
		const struct rate rate = {f, now, bps};

		lab_log_call(log_of(m, f), replay_rate, m, &rate, sizeof(rate));
	}
}

void
lab_measure_sample(struct lab_measure *m, unsigned int flow, uint64_t posted, uint64_t acked,
		uint64_t delivered, uint64_t now)
{
	struct lab_flow_measure *f = &m->flow[flow];

	f->posted = posted;
	f->acked = acked;
	f->delivered = delivered;
	if (now <= m->sc->settle_ns)
		f->delivered_settle = delivered;
}

uint64_t
measure_flow_end(const struct lab_measure *m, unsigned int flow, uint64_t now)
{
	const struct lab_flow *sf = &m->sc->flow[flow];
	const struct lab_flow_measure *f = &m->flow[flow];

	if (f->messages > 0 && f->messages >= sf->messages)
		return f->last_complete_ns;
	return RTE_MIN(sf->stop_ns, now);
}

void
measure_flow_finish(struct lab_measure *m, uint64_t now)
{
	for (unsigned int i = 0; i < m->sc->n_flows; i++) {
		struct lab_flow_measure *f = &m->flow[i];

		uint64_t end = measure_flow_end(m, i, now);

		account_rate(m, f, end);
		if (f->series != NULL && end < now)
			lab_series_end(f->series, end);
		m->failed |= f->fct.failed;
	}
}
