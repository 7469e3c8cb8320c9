/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <inttypes.h>
#include <stdio.h>

#include <rte_time.h>

#include "build_parts.h"

/* Default thresholds, as time at the queue's rate: 100 KB and 400 KB at 25 Gbit/s. */
#define ENTER_NS 32000
#define KMAX_NS 128000
/* Default equilibrium of QCN: 4 us at the queue's rate, at least the 26 KB of IEEE 802.1Qau. */
#define QEQ_NS 4000
#define QEQ_MIN 26000
#define QCN_HOLD_NS 20000
#define SOJOURN_INTERVAL_NS 100000
#define RATE_WINDOW_NS 10000
#define RATE_LIMIT 8000 /* highest congestion level begins at 8 times the rate; in 1/1000 */

uint64_t
fcn_build_fixed(uint64_t ratio)
{
	return (uint64_t)(((unsigned __int128)ratio << 32) / FCN_RATIO_ONE);
}

uint32_t
fcn_build_frame(const struct fcn_config_port *port)
{
	uint32_t tags = port->bridge >= 0 ? 2 * RTE_VLAN_HLEN : 0;

	return port->mtu + RTE_ETHER_HDR_LEN + tags;
}

uint32_t
fcn_build_bytes(const struct fcn_config_port *port, uint64_t bps, uint64_t ns)
{
	uint64_t bytes = (uint64_t)((unsigned __int128)bps * ns / (8 * (uint64_t)NS_PER_S));

	bytes = RTE_MAX(bytes, (uint64_t)fcn_build_frame(port));
	return RTE_MIN(bytes, (uint64_t)UINT32_MAX - 1);
}

/* Get the rate at which a queue can drain. */
static uint64_t
queue_rate(const struct fcn_config_port *port, const struct fcn_config_queue *q, uint64_t port_bps)
{
	uint64_t rate = port->rate_bps != 0 ? RTE_MIN(port->rate_bps, port_bps) : port_bps;

	return q->peak.bps != 0 ? RTE_MIN(q->peak.bps, rate) : rate;
}

uint64_t
fcn_build_queue_rate(const struct fcn_config_port *port, unsigned int class, uint64_t link_bps)
{
	return queue_rate(port, &port->queue[class], link_bps);
}

static uint32_t
drain_ns(uint32_t bytes, uint64_t bps)
{
	unsigned __int128 ns = (unsigned __int128)bytes * 8 * (uint64_t)NS_PER_S / bps;

	return ns < UINT32_MAX ? (uint32_t)ns : UINT32_MAX;
}

/* Get the default of the lowest threshold: by the rate, and such that what is configured fits. */
static uint32_t
default_enter(const struct fcn_config_port *port, const struct fcn_config_detector *c,
		uint64_t rate, uint32_t limit)
{
	uint32_t enter = RTE_MIN(fcn_build_bytes(port, rate, ENTER_NS), limit);

	if (c->type == FCN_DETECTOR_RED && c->kmax != FCN_AUTO && enter >= c->kmax)
		enter = RTE_MAX(c->kmax / 4, 1u);
	return c->leave != FCN_AUTO ? RTE_MAX(enter, c->leave) : enter;
}

/* Compute the parameters of the detectors that compare the queue's bytes: step and red. */
static void
occupancy_detector(const struct fcn_config_port *port, const struct fcn_config_queue *q,
		uint64_t rate, struct fcn_detector_conf *d)
{
	const struct fcn_config_detector *c = &q->detector;

	d->limit = q->limit_bytes;
	d->enter = c->enter != FCN_AUTO ? c->enter : default_enter(port, c, rate, d->limit);
	d->leave = c->leave != FCN_AUTO ? c->leave : d->enter / 2;
	if (c->type != FCN_DETECTOR_RED)
		return;
	d->at_dequeue = c->at_dequeue;
	d->pmax = fcn_build_fixed(c->pmax);
	if (c->kmax != FCN_AUTO) {
		d->kmax = c->kmax;
	} else {
		d->kmax = fcn_build_bytes(port, rate, KMAX_NS);
		/* At low rates both defaults would be one frame. */
		if (c->enter == FCN_AUTO)
			d->kmax = RTE_MAX(d->kmax, 4 * d->enter);
		else if (d->kmax <= d->enter)
			d->kmax = d->enter + fcn_build_frame(port);
	}
}

static void
qcn_detector(const struct fcn_config_queue *q, uint64_t rate, struct fcn_detector_conf *d)
{
	const struct fcn_config_detector *c = &q->detector;
	uint64_t qeq = RTE_MAX(rate / 8 * QEQ_NS / (uint64_t)NS_PER_S, (uint64_t)QEQ_MIN);

	d->qeq = c->qeq != FCN_AUTO ? c->qeq : RTE_MIN(qeq, (uint64_t)UINT32_MAX - 1);
	d->weight = c->weight;
	d->sample = c->sample;
	d->leave = c->leave != FCN_AUTO ? c->leave : d->qeq / 2;
	d->limit = q->limit_bytes;
}

static void
sojourn_detector(const struct fcn_config_queue *q, uint64_t rate, struct fcn_detector_conf *d)
{
	const struct fcn_config_detector *c = &q->detector;

	d->enter = c->target_ns;
	d->leave = c->leave_ns != FCN_AUTO64 ? c->leave_ns : c->target_ns / 2;
	d->limit = drain_ns(q->limit_bytes, rate);
	d->interval_ns = c->interval_ns != FCN_AUTO64 ? c->interval_ns : SOJOURN_INTERVAL_NS;
}

static void
rate_detector(const struct fcn_config_queue *q, uint64_t rate, struct fcn_detector_conf *d)
{
	const struct fcn_config_detector *c = &q->detector;

	d->enter = c->threshold / FCN_RATE_STEP;
	d->leave = c->leave_ratio != FCN_AUTO64 ? c->leave_ratio / FCN_RATE_STEP
						: d->enter * 9 / 10;
	d->limit = RATE_LIMIT;
	d->interval_ns = c->interval_ns != FCN_AUTO64 ? c->interval_ns : RATE_WINDOW_NS;
	d->bps = rate;
}

void
fcn_build_detector(const struct fcn_config *cfg, const struct fcn_config_port *port,
		const struct fcn_config_queue *q, uint64_t port_bps, struct fcn_detector_conf *d)
{
	uint64_t rate = queue_rate(port, q, port_bps), hold = q->detector.hold_ns;

	*d = (struct fcn_detector_conf){
			.type = q->detector.type,
			.level_hold_ns = cfg->notify.interval_ns,
	};
	switch (d->type) {
	default:
		return;
	case FCN_DETECTOR_STEP:
	case FCN_DETECTOR_RED:
		occupancy_detector(port, q, rate, d);
		break;
	case FCN_DETECTOR_QCN:
		qcn_detector(q, rate, d);
		break;
	case FCN_DETECTOR_SOJOURN:
		sojourn_detector(q, rate, d);
		break;
	case FCN_DETECTOR_RATE:
		rate_detector(q, rate, d);
		break;
	}
	if (hold != FCN_AUTO64)
		d->hold_ns = hold;
	else
		d->hold_ns = d->type == FCN_DETECTOR_QCN ? QCN_HOLD_NS : 0;
	d->leave = RTE_MAX(d->leave, 1u); /* Congestion ends below it, and nothing is below 0. */
	if (d->type != FCN_DETECTOR_QCN)
		fcn_detector_levels(d);
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
	if (!fcn_config_sends_notices(cfg) || cfg->notify.class != at->class)
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
		unsigned int c, uint64_t link, uint64_t committed, struct fcn_queue_conf *out)
{
	const struct fcn_config_port *port = &cfg->port[number];
	const struct fcn_config_queue *q = &port->queue[c];
	uint64_t rate_bps = port->rate_bps != 0 ? RTE_MIN(port->rate_bps, link) : link;

	*out = (struct fcn_queue_conf){
			.limit_bytes = q->limit_bytes,
			.limit_packets = q->limit_packets,
			.strict = fcn_config_is_strict(cfg, number, c),
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
	fcn_build_detector(cfg, port, q, link, &out->detector);
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

		build_queue(cfg, env, number, c, link,
				committed_bps(&port->queue[c], committed, has), q);
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
