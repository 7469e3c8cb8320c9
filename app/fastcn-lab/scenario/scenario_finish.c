/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Checks and computations that need all lines of a scenario. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_common.h>

#include "scenario_private.h"

#define MAX_QPS 65536u
#define MIN_QPS 1u

void
lab_finish_links(struct lab_reader *r)
{
	struct lab_scenario *sc = r->sc;
	unsigned int i, e;

	for (i = 0; i < sc->n_links; i++)
		for (e = 0; e < 2; e++)
			if (sc->link[i].end[e].kind == LAB_HOST)
				fcn_endpoint_defaults(&sc->host[sc->link[i].end[e].index].conf,
						sc->link[i].rate_bps);
}

/* Count the queue pairs that each host needs for its flows. */
static void
count_qps(struct lab_reader *r)
{
	struct lab_scenario *sc = r->sc;
	unsigned int i;

	for (i = 0; i < sc->n_hosts; i++)
		sc->host[i].conf.max_qps = 0;
	for (i = 0; i < sc->n_flows; i++) {
		sc->host[sc->flow[i].from].conf.max_qps++;
		sc->host[sc->flow[i].to].conf.max_qps++;
	}
	for (i = 0; i < sc->n_hosts; i++) {
		struct lab_host *host = &sc->host[i];

		if (host->conf.max_qps > MAX_QPS)
			lab_report_error(r, &host->place, 1,
					"host %s is an end of %u flows, more than the maximum of "
					"%u",
					host->name, host->conf.max_qps, MAX_QPS);
		host->conf.max_qps = RTE_MAX(host->conf.max_qps, MIN_QPS);
	}
}

/* ---- actions ---- */

static int
by_time(const void *a, const void *b)
{
	const struct lab_action *x = a, *y = b;

	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns ? -1 : 1;
	return lab_place_compare(&x->place, &y->place);
}

static int
changes_by_time(const void *a, const void *b)
{
	const struct lab_fault_change *x = a, *y = b;

	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns ? -1 : 1;
	if (lab_place_compare(&x->place, &y->place) != 0)
		return lab_place_compare(&x->place, &y->place);
	return x->link < y->link ? -1 : x->link > y->link;
}

/* Add an action for the faults of a link in one direction, after one of them has changed. */
static int
add_faults(struct lab_reader *r, const struct lab_fault_change *change, unsigned int direction,
		struct fcn_link_faults *now)
{
	struct lab_action *action = lab_push(&r->sc->action, &r->sc->n_actions, sizeof(*action));

	if (action == NULL)
		return -ENOMEM;
	lab_fault_apply(&change->fault, now);
	*action = (struct lab_action){.kind = LAB_LINK_FAULTS,
			.time_ns = change->time_ns,
			.target = change->link,
			.direction = direction,
			.faults = *now,
			.place = change->place};
	return 0;
}

/*
 * Make actions of the changes of faults. A line changes one fault, but an action sets all faults of
 * a link, so the others keep their values at that time.
 *
 * @param drop changes of the loss of notices on all links, in the order of time; they are actions
 *             of their own
 */
static int
add_changes(struct lab_reader *r, struct lab_action *drop, unsigned int n_drops)
{
	struct lab_scenario *sc = r->sc;
	struct fcn_link_faults(*now)[2] = calloc(sc->n_links + 1, sizeof(*now));
	unsigned int i, l, d, done = 0;
	int rc = now == NULL ? -ENOMEM : 0;

	for (l = 0; rc == 0 && l < sc->n_links; l++)
		memcpy(now[l], sc->link[l].faults, sizeof(now[l]));
	for (i = 0; rc == 0 && i < r->n_changes; i++) {
		const struct lab_fault_change *change = &r->change[i];

		for (; done < n_drops && drop[done].time_ns <= change->time_ns; done++)
			for (l = 0; l < sc->n_links; l++)
				now[l][0].notice_loss = now[l][1].notice_loss = drop[done].ratio;
		for (d = 0; rc == 0 && d < 2; d++)
			if (change->direction == d || change->direction == 2)
				rc = add_faults(r, change, d, &now[change->link][d]);
	}
	free(now);
	return rc;
}

static int
finish_actions(struct lab_reader *r)
{
	struct lab_scenario *sc = r->sc;
	struct lab_action *drop = NULL, *item;
	unsigned int i, n_drops = 0;
	int rc = 0;

	if (r->n_changes > 1)
		qsort(r->change, r->n_changes, sizeof(*r->change), changes_by_time);
	if (sc->n_actions > 1)
		qsort(sc->action, sc->n_actions, sizeof(*sc->action), by_time);
	for (i = 0; rc == 0 && i < sc->n_actions; i++) {
		if (sc->action[i].kind != LAB_NOTICES_DROP)
			continue;
		item = lab_push(&drop, &n_drops, sizeof(*item));
		if (item == NULL)
			rc = -ENOMEM;
		else
			*item = sc->action[i];
	}
	if (rc == 0)
		rc = add_changes(r, drop, n_drops);
	if (rc == 0 && sc->n_actions > 1)
		qsort(sc->action, sc->n_actions, sizeof(*sc->action), by_time);
	free(drop);
	return rc;
}

/* Check that a host either has an endpoint or sends a capture. */
static void
check_captures(struct lab_reader *r)
{
	struct lab_scenario *sc = r->sc;
	unsigned int i, j;

	for (i = 0; i < sc->n_captures; i++) {
		const struct lab_capture *capture = &sc->capture[i];

		for (j = 0; j < sc->n_flows; j++)
			if (sc->flow[j].from == capture->host || sc->flow[j].to == capture->host)
				break;
		if (j < sc->n_flows)
			lab_report_error(r, &capture->place, 1,
					"host %s sends a capture and cannot be an end of flow %s",
					sc->host[capture->host].name, sc->flow[j].name);
		for (j = 0; j < i; j++)
			if (sc->capture[j].host == capture->host)
				lab_report_error(r, &capture->place, 1,
						"host %s sends another capture already",
						sc->host[capture->host].name);
	}
}

/*
 * Warn if selective-repeat is on at one end of a flow only. The meaning of a NAK for a sequence
 * error differs, so both ends need the same setting.
 */
static void
check_repeats(struct lab_reader *r)
{
	const struct lab_scenario *sc = r->sc;

	for (unsigned int i = 0; i < sc->n_flows; i++) {
		const struct lab_host *from = &sc->host[sc->flow[i].from];
		const struct lab_host *to = &sc->host[sc->flow[i].to];

		if (from->conf.selective_repeat == to->conf.selective_repeat)
			continue;
		lab_report_error(r, &from->place, 1,
				"selective-repeat is on at one end of flow %s only, %s to %s",
				sc->flow[i].name, from->name, to->name);
		return;
	}
}

/*
 * Check InfiniBand's limit for the length of an RDMA WRITE. There is no limit for a SEND, because
 * the model has no memory.
 */
static void
check_writes(struct lab_reader *r)
{
	const struct lab_scenario *sc = r->sc;

	for (unsigned int i = 0; i < sc->n_flows; i++) {
		const struct lab_flow *flow = &sc->flow[i];
		const struct lab_host *from = &sc->host[flow->from];
		enum fcn_operation operation = flow->operation != FCN_OPERATION_DEFAULT
							       ? flow->operation
							       : from->conf.operation;

		if (operation != FCN_OPERATION_WRITE || flow->bytes <= FCN_ENDPOINT_WRITE_MAX)
			continue;
		lab_report_error(r, &from->place, 1,
				"a message of flow %s from %s is longer than 2 GiB, the "
				"maximum of an RDMA WRITE",
				flow->name, from->name);
		return;
	}
}

/* Check that there is a switch at the link of a host that reports its queue pairs. */
static void
check_reports(struct lab_reader *r)
{
	const struct lab_scenario *sc = r->sc;

	for (unsigned int i = 0; i < 2 * sc->n_links; i++) {
		const struct lab_node *node = &sc->link[i / 2].end[i % 2];
		const struct lab_host *host = &sc->host[node->index];

		if (node->kind == LAB_HOST && host->reports &&
				sc->link[i / 2].end[!(i % 2)].kind != LAB_SWITCH)
			lab_report_error(r, &host->reports_place, 1,
					"host %s has no switch at its link to which it could "
					"report",
					host->name);
	}
}

int
lab_finish(struct lab_reader *r)
{
	struct lab_scenario *sc = r->sc;

	for (unsigned int i = 0; i < sc->n_hosts; i++)
		sc->host[i].conf.seed = sc->seed * 0x9e3779b97f4a7c15 + i;
	if (sc->duration_ns == FCN_ENDPOINT_NEVER && r->endless.line != 0)
		lab_report_error(r, &r->endless, 1,
				"this flow is endless, so the run needs a duration");
	if (sc->settle_ns >= sc->duration_ns)
		lab_report_error(r, &(struct lab_place){.file = sc->file}, 0,
				"settle is after the end of the run");
	count_qps(r);
	check_captures(r);
	lab_simbricks_check(r);
	check_repeats(r);
	check_writes(r);
	check_reports(r);
	return finish_actions(r);
}
