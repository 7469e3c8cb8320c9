/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * What makes a run a poor side of a comparison: set-ups in which one way to notify senders is worse
 * than it has to be. The run is as valid as any other, so these are warnings.
 */

#include <inttypes.h>
#include <string.h>

#include <rte_common.h>

#include "report.h"

/* A minimum rate below this part of the line's stops a sender for good. */
#define TINY 1000

/* The packets of an acknowledgement are at most this part of the window. */
#define WINDOW_PART 4

#define EARLY                                                                                \
	"queue %s %s class %d: packets are marked when they arrive, so receivers see marks " \
	"one queueing delay later than at dequeue"
#define NEVER                                                                             \
	"no detector found its queue congested: the highest occupancy of those that are " \
	"watched was %" PRId64 " bytes"

/* Hosts or flows that have the same fault: the first, and how many. */
struct faulty {
	const char *first;
	unsigned int n;
};

static json_int_t
integer(const json_t *o, const char *key)
{
	return json_integer_value(json_object_get(o, key));
}

static bool
is(const json_t *o, const char *key, const char *text)
{
	const char *value = json_string_value(json_object_get(o, key));

	return value != NULL && strcmp(value, text) == 0;
}

static void
add(struct faulty *f, const char *name)
{
	if (f->n++ == 0)
		f->first = name;
}

/* Add a warning about hosts or flows, if there are any. */
static void
warn(json_t *list, const struct faulty *f, const char *what, const char *text)
{
	char more[32] = "";

	if (f->n == 0)
		return;
	if (f->n > 1)
		snprintf(more, sizeof(more), " and %u more", f->n - 1);
	json_array_append_new(list, json_sprintf("%s %s%s: %s", what, f->first, more, text));
}

/* Whether the rate of a flow fell to a minimum that is a tiny part of the line. */
static bool
stopped(const struct lab_host *host, const json_t *flow)
{
	const struct fcn_reaction_conf *reaction = &host->conf.reaction;
	const uint64_t lowest = (uint64_t)integer(flow, "rate_lowest_bps");
	uint64_t least;

	return reaction->kind == FCN_REACTION_DCQCN &&
	       fcn_reaction_parameter(reaction, reaction->kind, "rpg-min-rate", &least) != NULL &&
	       lowest <= least && lowest < host->conf.line_bps / TINY;
}

/* Whether acknowledgements come so rarely that the sender's window is empty before they do. */
static bool
waits(const struct lab_host *from, const struct lab_host *to)
{
	const uint64_t window = from->conf.window, every = to->conf.ack_every;

	return window != FCN_WINDOW_NONE &&
	       (every == 0 || every * from->conf.payload > window / WINDOW_PART);
}

/* Whether a sender whose windows depend on marks is not told those that its receiver saw. */
static bool
is_not_told(const struct lab_host *from, const struct lab_host *to, const json_t *result)
{
	const json_t *counted = json_object_get(json_object_get(result, "host"), to->name);

	return from->conf.reaction.kind == FCN_REACTION_NSCC && !to->conf.ecn_echo &&
	       integer(counted, "data_ce") != 0;
}

static void
flows(const struct lab_scenario *sc, const json_t *result, json_t *list)
{
	const json_t *all = json_object_get(result, "flows"), *flow;
	struct faulty slow = {0}, late = {0}, deaf = {0};
	size_t i;

	json_array_foreach (all, i, flow) {
		const struct lab_host *from = &sc->host[sc->flow[i].from];
		const struct lab_host *to = &sc->host[sc->flow[i].to];
		const char *name = json_string_value(json_object_get(flow, "name"));

		if (is_not_told(from, to, result))
			add(&deaf, name);
		if (stopped(from, flow))
			add(&slow, name);
		if (waits(from, to))
			add(&late, name);
	}
	warn(list, &deaf, "flow",
			"NSCC is not told the marks that the receiver saw: see set ecn-echo of "
			"receivers");
	warn(list, &late, "flow",
			"acknowledgements are rare for this window, so the sender waits for them: "
			"see "
			"set ack-every");
	warn(list, &slow, "flow",
			"the rate fell to the minimum, which is less than 1/1000 of the line's: "
			"see "
			"set rpg-min-rate");
}

static void
senders(const struct lab_scenario *sc, const json_t *result, json_t *list)
{
	struct faulty blind = {0}, open = {0};

	for (unsigned int i = 0; i < sc->n_hosts; i++) {
		const struct lab_host *host = &sc->host[i];
		const struct fcn_reaction_conf *reaction = &host->conf.reaction;
		const json_t *counted = json_object_get(
				json_object_get(result, "host"), host->name);

		if (integer(counted, "data_sent") == 0)
			continue;
		if (reaction->kind == FCN_REACTION_HPCC && integer(counted, "ack_received") != 0 &&
				integer(counted, "trace_received") ==
						integer(counted, "trace_empty"))
			add(&blind, host->name);
		if (reaction->kind == FCN_REACTION_DCQCN && host->conf.window == FCN_WINDOW_NONE)
			add(&open, host->name);
	}
	warn(list, &blind, "host",
			"HPCC++ without traces, as no switch has written into one: see set ioam "
			"of hosts, and ioam of switches");
	warn(list, &open, "host",
			"DCQCN without a window, where one of a bandwidth-delay product is usual: "
			"see set window");
}

/* Whether this detector could choose packets when they leave, and chooses them when they arrive. */
static bool
marks_early(const json_t *queue)
{
	return json_is_true(json_object_get(queue, "ecn")) &&
	       !json_is_true(json_object_get(queue, "notify")) &&
	       integer(queue, "ce_marked") != 0 &&
	       is(json_object_get(queue, "thresholds"), "at", "enqueue");
}

/* Whether the scenario watches a queue of a switch; if it watches none, each of them. */
static bool
is_watched(const struct lab_scenario *sc, unsigned int node, const json_t *queue)
{
	for (unsigned int i = 0; i < sc->n_watches; i++) {
		const struct lab_watch *watch = &sc->watch[i];

		if (watch->node == node && watch->class == integer(queue, "class") &&
				is(queue, "port", watch->port))
			return true;
	}
	return sc->n_watches == 0;
}

/* Whether a queue marks packets, or makes notices, when its detector finds it congested. */
static bool
tells(const json_t *queue)
{
	return !is(queue, "detector", "off") &&
	       (json_is_true(json_object_get(queue, "ecn")) ||
			       json_is_true(json_object_get(queue, "notify")));
}

/* Get what was measured of a queue. */
static const json_t *
measured(const json_t *result, const char *name, const json_t *queue)
{
	const json_t *port = json_object_get(
			json_object_get(json_object_get(result, "queue"), name),
			json_string_value(json_object_get(queue, "port")));
	char class[8];

	snprintf(class, sizeof(class), "%u", (unsigned int)integer(queue, "class"));
	return json_object_get(port, class);
}

/* Detectors of the watched queues: how many, whether one of them found its queue congested, and the
 * highest occupancy of all. */
struct detectors {
	unsigned int n;
	bool fired;
	json_int_t peak;
};

static void
note(struct detectors *d, const json_t *queue, const json_t *seen)
{
	d->n++;
	d->fired |= integer(queue, "enters") != 0 || integer(seen, "episodes") != 0;
	d->peak = RTE_MAX(d->peak, integer(seen, "peak"));
}

static void
queues(const struct lab_scenario *sc, const json_t *result, json_t *list)
{
	const json_t *switches = json_object_get(result, "switch"), *queue;
	struct detectors found = {0};
	size_t k;

	for (unsigned int i = 0; i < sc->n_switches; i++) {
		const char *name = sc->node_switch[i].name;
		const json_t *all = json_object_get(json_object_get(switches, name), "queues");

		json_array_foreach (all, k, queue) {
			if (marks_early(queue))
				json_array_append_new(list,
						json_sprintf(EARLY, name,
								json_string_value(json_object_get(
										queue, "port")),
								(int)integer(queue, "class")));
			if (is_watched(sc, i, queue) && tells(queue))
				note(&found, queue, measured(result, name, queue));
		}
	}
	if (found.n != 0 && !found.fired)
		json_array_append_new(list, json_sprintf(NEVER, (int64_t)found.peak));
}

void
lab_warn_unfair(const struct lab_scenario *sc, json_t *result)
{
	json_t *list = json_array();

	senders(sc, result, list);
	flows(sc, result, list);
	queues(sc, result, list);
	json_object_set_new(result, "warnings", list);
}
