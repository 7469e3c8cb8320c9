/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <stdlib.h>

#include <rte_common.h>

#include "measure_private.h"

#define NS_PER_S 1000000000
#define PHASES_MAX 64
#define SAMPLES 100           /* number of samples of a phase whose end is known */
#define SAMPLES_MAX 200       /* of a phase; when it is reached, the interval doubles */
#define INTERVAL_MIN 10000ull /* ns, shortest interval between two samples */
#define INTERVAL_NEW 100000   /* ns, first interval of a phase whose end is not known */
#define FAIR 950000           /* Jain's index, in millionths, from which on rates count as fair */

/*
 * A phase lasts from one start or stop of a flow to the next. Fairness is only defined within a
 * phase.
 */

static int
compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/*
 * Collect the boundaries of phases, sorted and without duplicates: settle is the first, and the end
 * of the run the last.
 *
 * @return their number
 */
static unsigned int
boundaries(const struct lab_scenario *sc, uint64_t *t)
{
	unsigned int n = 0, out = 0;

	t[n++] = sc->settle_ns;
	t[n++] = sc->duration_ns;
	for (unsigned int i = 0; i < sc->n_flows; i++) {
		if (sc->flow[i].start_ns > sc->settle_ns && sc->flow[i].start_ns < sc->duration_ns)
			t[n++] = sc->flow[i].start_ns;
		if (sc->flow[i].stop_ns > sc->settle_ns && sc->flow[i].stop_ns < sc->duration_ns)
			t[n++] = sc->flow[i].stop_ns;
	}
	qsort(t, n, sizeof(*t), compare);
	for (unsigned int i = 0; i < n; i++)
		if (out == 0 || t[i] != t[out - 1])
			t[out++] = t[i];
	return out;
}

int
measure_phase_init(struct lab_measure *m)
{
	const struct lab_scenario *sc = m->sc;
	struct lab_phases *ph = &m->phases;
	uint64_t *t = calloc(2 * (size_t)sc->n_flows + 2, sizeof(*t));
	unsigned int n;

	ph->at_begin = calloc((size_t)sc->n_flows + 1, sizeof(*ph->at_begin));
	ph->at_last = calloc((size_t)sc->n_flows + 1, sizeof(*ph->at_last));
	ph->phase = calloc(PHASES_MAX, sizeof(*ph->phase));
	if (t == NULL || ph->at_begin == NULL || ph->at_last == NULL || ph->phase == NULL) {
		free(t);
		return -1;
	}
	n = boundaries(sc, t);
	if (sc->n_flows == 0)
		n = 0;
	if (n > PHASES_MAX + 1) {
		t[1] = t[n - 1];
		n = 2;
	}
	for (unsigned int i = 0; i + 1 < n; i++)
		ph->phase[ph->n++] = (struct lab_phase){
				.from = t[i], .to = t[i + 1], .converged_since = LAB_NEVER};
	ph->next = sc->settle_ns;
	free(t);
	return 0;
}

void
measure_phase_fini(struct lab_measure *m)
{
	free(m->phases.phase);
	free(m->phases.at_begin);
	free(m->phases.at_last);
}

uint64_t
lab_measure_sample_time(const struct lab_measure *m)
{
	return m->phases.current < m->phases.n ? m->phases.next : LAB_NEVER;
}

uint64_t
measure_jain(uint64_t sum, unsigned __int128 squares, unsigned int n)
{
	if (squares == 0)
		return 0;
	return (uint64_t)(((unsigned __int128)sum * sum * 1000000 + squares * n / 2) /
			  (squares * n));
}

struct share {
	unsigned int n;
	uint64_t bytes;
	unsigned __int128 squares;
};

/*
 * Compute the shares of the flows that have been sending from the beginning of the phase until now.
 */
static struct share
share(const struct lab_measure *m, const struct lab_phase *p, const uint64_t *before, uint64_t now)
{
	struct share s = {0};

	for (unsigned int i = 0; i < m->sc->n_flows; i++) {
		uint64_t bytes = m->flow[i].delivered - before[i];

		if (m->sc->flow[i].start_ns > p->from || measure_flow_end(m, i, now) < now)
			continue;
		s.n++;
		s.bytes += bytes;
		s.squares += (unsigned __int128)bytes * bytes;
	}
	return s;
}

static void
begin(struct lab_measure *m, uint64_t now)
{
	struct lab_phases *ph = &m->phases;
	const struct lab_phase *p = &ph->phase[ph->current];

	for (unsigned int i = 0; i < m->sc->n_flows; i++)
		ph->at_begin[i] = ph->at_last[i] = m->flow[i].delivered;
	ph->interval = p->to == LAB_NEVER ? INTERVAL_NEW
					  : RTE_MAX((p->to - p->from) / SAMPLES, INTERVAL_MIN);
	ph->begun = true;
	ph->samples = 0;
	ph->last = now;
	ph->next = RTE_MIN(now + ph->interval, p->to);
}

static void
end(struct lab_measure *m, uint64_t now)
{
	struct lab_phases *ph = &m->phases;
	struct lab_phase *p = &ph->phase[ph->current++];
	struct share s = share(m, p, ph->at_begin, now);
	uint64_t all = 0;

	for (unsigned int i = 0; i < m->sc->n_flows; i++)
		all += m->flow[i].delivered - ph->at_begin[i];
	p->to = now;
	p->n_active = s.n;
	p->jain = measure_jain(s.bytes, s.squares, s.n);
	if (now > p->from)
		p->goodput_bps = (uint64_t)((unsigned __int128)all * 8 * NS_PER_S /
					    (now - p->from));
	ph->begun = false;
}

static void
sample(struct lab_measure *m, uint64_t now)
{
	struct lab_phases *ph = &m->phases;
	struct lab_phase *p = &ph->phase[ph->current];
	struct share s = share(m, p, ph->at_last, now);
	uint64_t all = 0;

	for (unsigned int i = 0; i < m->sc->n_flows; i++)
		all += m->flow[i].delivered - ph->at_last[i];
	measure_event(m, &m->goodput, "goodput", "all", ph->last,
			(uint64_t)((unsigned __int128)all * 8 * NS_PER_S / (now - ph->last)));
	if (measure_jain(s.bytes, s.squares, s.n) < FAIR)
		p->converged_since = LAB_NEVER;
	else if (p->converged_since == LAB_NEVER)
		p->converged_since = ph->last;
	for (unsigned int i = 0; i < m->sc->n_flows; i++)
		ph->at_last[i] = m->flow[i].delivered;
	if (++ph->samples % SAMPLES_MAX == 0)
		ph->interval *= 2;
	ph->last = now;
	ph->next = RTE_MIN(now + ph->interval, p->to);
}

void
lab_measure_sampled(struct lab_measure *m, uint64_t now)
{
	struct lab_phases *ph = &m->phases;

	if (ph->current == ph->n)
		return;
	if (ph->begun && now > ph->last)
		sample(m, now);
	if (ph->begun && now >= ph->phase[ph->current].to)
		end(m, now);
	if (!ph->begun && ph->current < ph->n && now >= ph->phase[ph->current].from)
		begin(m, now);
}

json_t *
measure_phase_result(struct lab_measure *m, uint64_t now)
{
	struct lab_phases *ph = &m->phases;
	json_t *all = json_array(), *o;

	if (ph->begun)
		end(m, now);
	for (unsigned int i = 0; i < ph->current; i++) {
		const struct lab_phase *p = &ph->phase[i];

		if (p->to <= p->from)
			continue;
		o = json_pack("{s:I, s:I, s:I, s:I}", "from_ns", (json_int_t)p->from, "to_ns",
				(json_int_t)p->to, "flows", (json_int_t)p->n_active, "goodput_bps",
				(json_int_t)p->goodput_bps);
		if (p->jain > 0)
			json_object_set_new(o, "jain", lab_scaled(p->jain, 1000000));
		if (p->converged_since != LAB_NEVER)
			json_object_set_new(o, "converged_ns",
					json_integer((json_int_t)(p->converged_since - p->from)));
		json_array_append_new(all, o);
	}
	return all;
}
