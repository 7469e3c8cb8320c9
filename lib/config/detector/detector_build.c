/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Compute the parameters of congestion detectors. Defaults follow the rate of the queue, and fit
 * what it can hold: queue_defaults.c has the rule. */

#include <rte_time.h>

#include "build_parts.h"

/* Default equilibrium of QCN: 4 us at the queue's rate, at least the 26 KB of IEEE 802.1Qau. */
#define QEQ_NS 4000
#define QEQ_MIN 26000
#define QCN_HOLD_NS 20000
#define SOJOURN_TARGET_NS 20000
#define SOJOURN_INTERVAL 5 /* times the target */
#define RATE_WINDOW_NS 10000
#define RATE_LIMIT 8000 /* highest congestion level begins at 8 times the rate; in 1/1000 */

/* A queue, and what the defaults of its detector depend on. */
struct queue {
	const struct fcn_config_port *port;
	const struct fcn_config_detector *conf;
	uint64_t rate;  /* bits per second */
	uint32_t limit; /* bytes */
	uint32_t room;  /* bytes that it can hold */
};

static uint32_t
drain_ns(uint32_t bytes, uint64_t bps)
{
	unsigned __int128 ns = (unsigned __int128)bytes * 8 * (uint64_t)NS_PER_S / bps;

	return ns < UINT32_MAX ? (uint32_t)ns : UINT32_MAX;
}

/* Compute the parameters of the detectors that compare the queue's bytes: step and red. */
static void
occupancy_detector(const struct queue *q, struct fcn_detector_conf *d)
{
	const struct fcn_config_detector *c = q->conf;

	d->limit = q->limit;
	d->enter = fcn_build_enter(q->port, c, q->rate, q->room);
	d->leave = c->leave != FCN_AUTO ? c->leave : d->enter / 2;
	d->at_dequeue = c->at_dequeue;
	if (c->type != FCN_DETECTOR_RED)
		return;
	d->pmax = fcn_build_fixed(c->pmax);
	d->kmax = fcn_build_kmax(c, d->enter, q->rate, q->room);
}

static void
qcn_detector(const struct queue *q, struct fcn_detector_conf *d)
{
	const struct fcn_config_detector *c = q->conf;
	uint32_t qeq = RTE_MAX(fcn_build_bytes(q->rate, QEQ_NS), (uint32_t)QEQ_MIN);

	d->qeq = c->qeq != FCN_AUTO ? c->qeq : fcn_build_threshold(q->port, qeq, q->room);
	d->weight = c->weight;
	d->sample = c->sample;
	d->leave = c->leave != FCN_AUTO ? c->leave : d->qeq / 2;
	d->limit = q->limit;
}

/* A packet behind another one waits for as long as that takes, which is no congestion. */
static void
sojourn_detector(const struct queue *q, struct fcn_detector_conf *d)
{
	const struct fcn_config_detector *c = q->conf;
	const uint64_t least = RTE_MAX(
			fcn_build_frame_ns(q->port, q->rate), (uint64_t)SOJOURN_TARGET_NS);
	/* Half of the longest time that packets wait. */
	const uint64_t most = drain_ns(q->room, q->rate) / 2;
	uint64_t target = RTE_MIN(least, most);

	target = RTE_MAX(target, c->leave_ns != FCN_AUTO64 ? c->leave_ns : UINT64_C(1));
	d->limit = drain_ns(q->limit, q->rate);
	d->enter = c->target_ns != FCN_AUTO64 ? c->target_ns : target;
	d->leave = c->leave_ns != FCN_AUTO64 ? c->leave_ns : d->enter / 2;
	d->interval_ns = c->interval_ns != FCN_AUTO64 ? c->interval_ns : SOJOURN_INTERVAL * least;
}

/* A single frame must not be more than a window can take. */
static void
rate_detector(const struct queue *q, struct fcn_detector_conf *d)
{
	const struct fcn_config_detector *c = q->conf;
	uint64_t window = RTE_MAX(fcn_build_frame_ns(q->port, q->rate), (uint64_t)RATE_WINDOW_NS);

	d->enter = c->threshold / FCN_RATE_STEP;
	d->leave = c->leave_ratio != FCN_AUTO64 ? c->leave_ratio / FCN_RATE_STEP
						: d->enter * 9 / 10;
	d->limit = RATE_LIMIT;
	d->interval_ns = c->interval_ns != FCN_AUTO64 ? c->interval_ns : window;
	d->bps = q->rate;
}

void
fcn_build_detector(const struct fcn_config *cfg, const struct fcn_config_port *port,
		const struct fcn_config_queue *conf, uint64_t port_bps,
		const struct fcn_buffer_conf *buffer, struct fcn_detector_conf *d)
{
	const uint64_t hold = conf->detector.hold_ns;
	struct queue q = {port, &conf->detector, fcn_build_queue_rate(port, conf, port_bps)};

	q.limit = fcn_build_limit(conf, q.rate);
	q.room = fcn_build_room(conf, q.limit, buffer);
	*d = (struct fcn_detector_conf){
			.type = conf->detector.type,
			.level_hold_ns = cfg->notify.interval_ns,
	};
	switch (d->type) {
	default:
		return;
	case FCN_DETECTOR_STEP:
	case FCN_DETECTOR_RED:
		occupancy_detector(&q, d);
		break;
	case FCN_DETECTOR_QCN:
		qcn_detector(&q, d);
		break;
	case FCN_DETECTOR_SOJOURN:
		sojourn_detector(&q, d);
		break;
	case FCN_DETECTOR_RATE:
		rate_detector(&q, d);
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
