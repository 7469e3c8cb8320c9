/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Senders that understand CE marks only: for some time, a share of the packets of their flow is
 * marked on the way to the receiver, which then tells the sender. Each worker has a table of these
 * flows, and marks what it received.
 */

#include "congestion.h"
#include "fcn_cnm.h"
#include "proxy.h"

/* Shares are counted in eighths: at level L, L + 1 of eight packets are marked. */
#define EIGHTHS 8

static struct fcn_proxy_mark *
set_of(const struct fcn_worker *w, const struct fcn_flow_descriptor *flow)
{
	/* The lowest bits select the set of the table of flows, and the highest the owner. */
	const uint64_t hash = fcn_proxy_flow_hash(&w->hash_key, flow) >> 16;

	return &w->proxy.mark[(hash & (FCN_PROXY_MARK_SETS - 1)) * FCN_PROXY_MARK_WAYS];
}

static void
discard(struct fcn_proxy_state *s, struct fcn_proxy_mark *m)
{
	m->used = false;
	s->n_marks--;
}

/* Get the time from which on no packet of the flow is marked, at any level. */
static uint64_t
end_of(const struct fcn_proxy_mark *m)
{
	uint64_t end = 0;

	for (unsigned int level = 0; level <= FCN_PROXY_LEVEL_MAX; level++)
		end = RTE_MAX(end, m->until_ns[level]);
	return end;
}

/* Check whether packets of a flow are still marked. The flow gets the highest level whose time is
 * not over. */
static bool
has_level(struct fcn_proxy_mark *m, uint64_t now)
{
	while (unlikely(m->until_ns[m->flow.level] <= now)) {
		if (m->flow.level == 0)
			return false;
		m->flow.level--;
	}
	return true;
}

/* Check whether the sender is still to be told by marks, as the configuration may be another. */
static bool
is_wanted(const struct fcn_worker *w, struct fcn_proxy_mark *m)
{
	if (likely(m->generation == w->snap->generation))
		return true;
	if (fcn_proxy_translation_of(&w->snap->proxy, &m->flow) != FCN_PROXY_CE)
		return false;
	m->generation = w->snap->generation;
	return true;
}

/* Add a level. */
static void
add_level(struct fcn_proxy_mark *m, uint8_t level, uint64_t until_ns)
{
	m->flow.level = RTE_MAX(m->flow.level, level);
	m->until_ns[level] = RTE_MAX(m->until_ns[level], until_ns);
}

void
fcn_proxy_mark_flow(struct fcn_worker *w, const struct fcn_flow_descriptor *flow, uint64_t until_ns)
{
	struct fcn_proxy_state *s = &w->proxy;
	struct fcn_proxy_mark *set = set_of(w, flow), *oldest = set;

	/* The owner of the flow may not have had the latest snapshot. */
	if (fcn_proxy_translation_of(&w->snap->proxy, flow) != FCN_PROXY_CE)
		return;
	for (struct fcn_proxy_mark *m = set; m < set + FCN_PROXY_MARK_WAYS; m++) {
		if (m->used && fcn_proxy_flow_is_same(&m->flow, flow)) {
			add_level(m, flow->level, until_ns);
			return;
		}
		if (oldest->used && (!m->used || end_of(m) < end_of(oldest)))
			oldest = m;
	}
	s->counters.mark_forgotten += oldest->used && end_of(oldest) > w->now;
	s->n_marks += !oldest->used;
	memset(oldest, 0, sizeof(*oldest));
	memcpy(&oldest->flow, flow, sizeof(oldest->flow));
	oldest->used = true;
	oldest->generation = w->snap->generation;
	add_level(oldest, flow->level, until_ns);
}

void
fcn_proxy_mark_none(struct fcn_worker *w)
{
	memset(w->proxy.mark, 0, FCN_PROXY_MARKS * sizeof(w->proxy.mark[0]));
	w->proxy.n_marks = 0;
}

static bool
is_running(const struct fcn_worker *w, struct fcn_proxy_mark *m)
{
	return has_level(m, w->now) && is_wanted(w, m);
}

/* Free the flows of one set that are not marked any more, so that no packet is looked at when there
 * are none. */
static void
sweep(struct fcn_worker *w)
{
	struct fcn_proxy_state *s = &w->proxy;
	struct fcn_proxy_mark *set = &s->mark[s->mark_swept * FCN_PROXY_MARK_WAYS];

	for (struct fcn_proxy_mark *m = set; m < set + FCN_PROXY_MARK_WAYS; m++) {
		if (m->used && !is_running(w, m))
			discard(s, m);
	}
	s->mark_swept = (s->mark_swept + 1) & (FCN_PROXY_MARK_SETS - 1);
}

/* Find the flow of a packet. @return NULL: the packet is not to be looked at */
static struct fcn_proxy_mark *
find_flow_of(struct fcn_worker *w, const struct rte_mbuf *m, const struct fcn_packet *p)
{
	struct fcn_flow_descriptor flow;
	struct fcn_proxy_mark *set;

	if (!fcn_cnm_has_flow(&p->info))
		return NULL;
	fcn_cnm_flow_of(rte_pktmbuf_mtod(m, const uint8_t *), &p->info, &flow);
	set = set_of(w, &flow);
	for (struct fcn_proxy_mark *found = set; found < set + FCN_PROXY_MARK_WAYS; found++) {
		if (!found->used || !fcn_proxy_flow_is_same(&found->flow, &flow))
			continue;
		if (is_running(w, found))
			return found;
		discard(&w->proxy, found);
	}
	return NULL;
}

uint32_t
fcn_proxy_mark_find(
		const struct fcn_worker *w, const struct rte_mbuf *m, const struct fcn_packet *p)
{
	struct fcn_flow_descriptor flow;

	if (!fcn_cnm_has_flow(&p->info))
		return FCN_PROXY_MARKS;
	fcn_cnm_flow_of(rte_pktmbuf_mtod(m, const uint8_t *), &p->info, &flow);
	return (uint32_t)(set_of(w, &flow) - w->proxy.mark);
}

/* Choose whether a packet is marked. @return whether its turn has come */
static bool
is_chosen(struct fcn_proxy_mark *mark)
{
	mark->eighths += mark->flow.level + 1;
	if (mark->eighths < EIGHTHS)
		return false;
	mark->eighths -= EIGHTHS;
	return true;
}

void
fcn_stage_proxy_mark(struct fcn_worker *w, struct fcn_burst *b)
{
	struct fcn_proxy_state *s = &w->proxy;

	for (unsigned int i = 0; i < b->n; i++) {
		struct fcn_packet *p = &b->pkt[i];
		struct fcn_proxy_mark *mark;

		if (b->mbuf[i] == NULL || p->flags & (FCN_PACKET_NOTICE | FCN_PACKET_OWN))
			continue;
		mark = find_flow_of(w, b->mbuf[i], p);
		if (mark == NULL || !is_chosen(mark))
			continue;
		switch (fcn_congestion_set_ce(b->mbuf[i], p)) {
		case FCN_CE_SET:
			s->counters.marked++;
			break;
		case FCN_CE_NOT_ECT:
			s->counters.not_ect++;
			break;
		case FCN_CE_ALREADY:
			break;
		}
	}
	sweep(w);
}
