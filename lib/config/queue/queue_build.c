/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <inttypes.h>
#include <stdio.h>

#include <rte_time.h>

#include "build_parts.h"

uint64_t
fcn_build_fixed(uint64_t ratio)
{
	return (uint64_t)(((unsigned __int128)ratio << 32) / FCN_RATIO_ONE);
}

uint64_t
fcn_build_queue_rate(const struct fcn_config_port *port, const struct fcn_config_queue *q,
		uint64_t link_bps)
{
	uint64_t rate = port->rate_bps != 0 ? RTE_MIN(port->rate_bps, link_bps) : link_bps;

	return q->peak.bps != 0 ? RTE_MIN(q->peak.bps, rate) : rate;
}

/* The queue that is being checked, for messages, which begin with its port and class. */
struct place {
	const char *port;
	unsigned int number, class;
	struct fcn_warnings *warnings;
	char *err;
	size_t size;
};

#define REFUSE(place, fmt, ...)                                                              \
	fcn_build_fail((place)->err, (place)->size, "port %s class %u: " fmt, (place)->port, \
			(place)->class, ##__VA_ARGS__)

static int
check_occupancy(const struct place *at, const struct fcn_detector_conf *d)
{
	if (d->enter > d->limit)
		return REFUSE(at,
				"the detector's threshold of %u bytes is above the queue's "
				"limit of %u bytes",
				d->enter, d->limit);
	if (d->leave > d->enter)
		return REFUSE(at,
				"the detector's leave of %u bytes must not be above its "
				"threshold of %u bytes",
				d->leave, d->enter);
	if (d->type == FCN_DETECTOR_RED && d->kmax <= d->enter)
		return REFUSE(at,
				"the detector's kmax of %u bytes must be above its kmin of %u "
				"bytes",
				d->kmax, d->enter);
	return 0;
}

/* Limit the target of a queue whose packets never wait that long at the present speed. */
static void
limit_target(const struct place *at, struct fcn_queue_conf *q)
{
	struct fcn_detector_conf *d = &q->detector;
	const uint32_t target = d->enter;
	char place[FCN_WARNING_PLACE];

	d->enter = RTE_MAX(d->limit / 2, 1u);
	d->leave = RTE_MIN(d->leave, d->enter);
	fcn_detector_levels(d);
	snprintf(place, sizeof(place), "port %s class %u", at->port, at->class);
	fcn_warn(at->warnings, FCN_WARNING_DETECTOR, at->number, place,
			"no packet waits for the detector's target of %u ns, because the queue's "
			"limit of %u bytes drains in %u ns; the target is %u ns",
			target, q->limit_bytes, d->limit, d->enter);
}

static int
check_detector(const struct place *at, struct fcn_queue_conf *q)
{
	struct fcn_detector_conf *d = &q->detector;

	switch (d->type) {
	default:
		break;
	case FCN_DETECTOR_STEP:
	case FCN_DETECTOR_RED:
		return check_occupancy(at, d);
	case FCN_DETECTOR_SOJOURN:
		if (d->leave > d->enter)
			return REFUSE(at,
					"the detector's leave of %u ns must not be above its "
					"target of %u ns",
					d->leave, d->enter);
		if (d->enter > d->limit)
			limit_target(at, q);
		break;
	case FCN_DETECTOR_RATE:
		if (d->leave > d->enter)
			return REFUSE(at,
					"the detector's leave of %u/1000 of the rate must not be "
					"above its threshold of %u/1000",
					d->leave, d->enter);
		break;
	}
	return 0;
}

static int
check_queue(const struct place *at, const struct fcn_queue_conf *q, const struct fcn_config *cfg)
{
	if (q->policy.mark_bytes > q->limit_bytes || q->policy.notify_bytes > q->limit_bytes)
		return REFUSE(at, "%s from %u bytes is above the queue's limit of %u bytes",
				q->policy.mark_bytes > q->limit_bytes ? "mark" : "notify",
				RTE_MAX(q->policy.mark_bytes, q->policy.notify_bytes),
				q->limit_bytes);
	if (q->peak.bps != 0 && q->peak.bps < q->committed.bps)
		return REFUSE(at,
				"a peak of %" PRIu64
				" bits/s is below the committed rate of %" PRIu64,
				q->peak.bps, q->committed.bps);
	if (cfg->notify.class != at->class || !fcn_config_sends_notices(cfg))
		return 0;
	if (q->committed.bps != 0 || q->peak.bps != 0)
		return REFUSE(at, "this is the class of notices, which must not be shaped: set "
				  "committed off and peak off");
	if (!q->strict)
		return REFUSE(at, "this is the class of notices, which must have strict "
				  "priority: set strict on");
	return 0;
}

static uint64_t
burst_ns(uint64_t bps, uint32_t burst)
{
	return bps == 0 ? 0 : (uint64_t)burst * 8 * (uint64_t)NS_PER_S / bps;
}

/*
 * Compute the burst of a class's shaper as time. The default makes up for a late
 * poll, and for the frame of another class that is being sent when the class may
 * send. A committed rate also waits for a frame of each other class that has one.
 */
static uint64_t
class_slack_ns(const struct fcn_build_env *env, const struct fcn_config_port *port,
		uint64_t rate_bps, uint64_t bps, uint32_t burst, unsigned int others)
{
	uint64_t frame = fcn_build_frame(port) + (uint64_t)FCN_SHAPER_OVERHEAD;

	if (burst != FCN_AUTO)
		return burst_ns(bps, burst);
	return env->slack_ns +
	       (1 + others) * ((frame * 8 * (uint64_t)NS_PER_S + rate_bps - 1) / rate_bps);
}

/* Count the other classes that have a committed rate. */
static unsigned int
other_committed(const struct fcn_config_port *port, unsigned int class)
{
	unsigned int n = 0;

	for (unsigned int c = 0; c < FCN_CLASSES; c++)
		n += c != class && port->queue[c].committed.bps != 0;
	return n;
}

/* Get the sum of the committed rates of a port's classes. */
static uint64_t
sum_committed(const struct fcn_config_port *port)
{
	uint64_t sum = 0;

	for (unsigned int c = 0; c < FCN_CLASSES; c++)
		sum += port->queue[c].committed.bps;
	return sum;
}

/*
 * Get the committed rate of a class. If a port commits more than it has, each class has its share
 * in proportion.
 *
 * @param committed sum of the committed rates of all classes
 * @param has       the rate that is there for them
 */
static uint64_t
committed_bps(const struct fcn_config_queue *q, uint64_t committed, uint64_t has)
{
	if (committed <= has)
		return q->committed.bps;
	return (uint64_t)((unsigned __int128)q->committed.bps * has / committed);
}

static void
build_queue(const struct fcn_config *cfg, const struct fcn_build_env *env, unsigned int number,
		unsigned int c, uint64_t committed, struct fcn_snapshot *s)
{
	const struct fcn_config_port *port = &cfg->port[number];
	const struct fcn_config_queue *q = &port->queue[c];
	const uint64_t link = s->port[number].link_bps;
	const uint32_t limit = fcn_build_limit(q, fcn_build_queue_rate(port, q, link));
	struct fcn_queue_conf *out = &s->port[number].egress.queue[c];
	uint64_t rate_bps = port->rate_bps != 0 ? RTE_MIN(port->rate_bps, link) : link;

	*out = (struct fcn_queue_conf){
			.limit_bytes = limit,
			.limit_packets = fcn_build_limit_packets(q, limit),
			.strict = fcn_config_is_strict(cfg, number, c),
			.trim_size = q->trim & FCN_TRIM_FORWARD ? q->trim_size : 0,
			.trim_return = q->trim & FCN_TRIM_RETURN,
			.policy = q->policy,
			.committed = {committed,
					class_slack_ns(env, port, rate_bps, committed,
							q->committed.burst,
							other_committed(port, c)),
					port->overhead},
			.peak = {q->peak.bps,
					class_slack_ns(env, port, rate_bps, q->peak.bps,
							q->peak.burst, 0),
					port->overhead},
			.account = {q->reserve, fcn_build_fixed(q->alpha)},
			.arn_time_us = q->arn_time_ns / (NS_PER_S / 1000000),
	};
	if (!cfg->arn.send)
		out->policy.arn = 0;
	out->slots = fcn_build_slots(s, c, q, out->limit_packets);
	fcn_build_detector(cfg, port, q, link, &s->buffer, &out->detector);
	out->slow_path = cfg->buffer != 0 || out->policy.heavy_flows || out->detector.at_dequeue;
}

static void
warn_committed(const struct fcn_config_port *port, unsigned int number, uint64_t committed,
		uint64_t link, const struct fcn_build_env *env)
{
	char place[FCN_WARNING_PLACE];

	snprintf(place, sizeof(place), "port %s", port->name);
	fcn_warn(env->warnings, FCN_WARNING_COMMITTED, number, place,
			"its classes' committed rates are %" PRIu64
			" bits/s together, more than the %" PRIu64
			" %s; each class has its share of them",
			committed, link,
			env->port[number].link_bps != 0
					? "of the link"
					: "assumed for the link, as the device reports no speed");
}

int
fcn_build_egress(const struct fcn_config *cfg, const struct fcn_build_env *env, unsigned int number,
		struct fcn_snapshot *s, char *err, size_t size)
{
	const struct fcn_config_port *port = &cfg->port[number];
	const uint64_t link = s->port[number].link_bps, committed = sum_committed(port);
	/* A link that is down has no speed that rates could exceed. */
	const uint64_t has = env->port[number].down ? UINT64_MAX : link;
	struct fcn_egress_conf *out = &s->port[number].egress;
	uint32_t quantum[FCN_CLASSES];
	uint16_t weight[FCN_CLASSES];

	out->shaper = (struct fcn_shaper_conf){port->rate_bps,
			port->burst == FCN_AUTO ? env->slack_ns
						: burst_ns(port->rate_bps, port->burst),
			port->overhead};
	if (fcn_config_sends_notices(cfg))
		out->urgent = 1u << cfg->notify.class;
	for (unsigned int c = 0; c < FCN_CLASSES; c++) {
		const struct place at = {port->name, number, c, env->warnings, err, size};
		struct fcn_queue_conf *q = &out->queue[c];

		build_queue(cfg, env, number, c, committed_bps(&port->queue[c], committed, has), s);
		if (check_detector(&at, q) != 0 || check_queue(&at, q, cfg) != 0)
			return -1;
		weight[c] = port->queue[c].weight;
		out->strict |= q->strict << c;
		out->committed |= (q->committed.bps != 0) << c;
		out->peak |= (q->peak.bps != 0) << c;
		out->at_dequeue |= q->detector.at_dequeue << c;
	}
	if (port->rate_bps != 0 && committed > port->rate_bps)
		return fcn_build_fail(err, size,
				"port %s: its classes' committed rates are %" PRIu64
				" bits/s together, more than the port's rate of %" PRIu64,
				port->name, committed, port->rate_bps);
	if (committed > has)
		warn_committed(port, number, committed, has, env);
	fcn_egress_quanta(weight, out->strict, quantum);
	for (unsigned int c = 0; c < FCN_CLASSES; c++)
		out->queue[c].quantum = quantum[c];
	return 0;
}
