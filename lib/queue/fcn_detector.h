/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Congestion detectors: from what is seen of a queue at each arrival to a
 * congestion level 0..7, with hysteresis. One a queue.
 *
 * What each looks at, its measure:
 *
 * step: occupancy, bytes. Congested from `enter` on.
 *
 * red: occupancy, bytes. Congested from `enter` (Kmin) on; a packet is chosen with
 *   probability 0 up to Kmin, pmax * (q - Kmin) / (Kmax - Kmin) between, 1 from
 *   Kmax on. Looks at arrivals, or with `at_dequeue` at departures.
 *
 * qcn: occupancy and its growth. The feedback of IEEE 802.1Qau, taken after
 *   every `sample` bytes of arrivals: Fb = -((q - qeq) + w * (q - q_old)), full
 *   scale qeq * (2w + 1). |Fb| is quantised to 6 bits, level = |Fb| >> 3 of
 *   that; Fb >= 0 asks for nothing. Congested from level 1 on.
 *
 * sojourn: time the packet at the head has waited, nanoseconds. Congested when
 *   it was at `enter` (the target) or above at every arrival for `interval_ns`.
 *   A head that stays grows old, whether or not anybody looks.
 *
 * rate: arrivals by the port's rate, in 1/1000. Bytes are summed over windows of
 *   `interval_ns`, the first of which begins with the first arrival; an average
 *   over windows follows, r += (sum - r) / 8 with each, empty ones too. Congested
 *   when an arrival finds r at `enter` or above, before a queue has grown.
 *
 * All: not congested any more when the measure (qcn: occupancy) stayed below
 * `leave` for `hold_ns`; arrivals see that (their packet included), and
 * fcn_detector_tick() sees it in what departures left behind. Congestion ends as
 * of that very moment, whoever notices it, and whenever. The level of all but qcn places the
 * measure between `enter` and `limit` on a logarithmic scale, so that 7 means "loss is next": level
 * = clamp(floor(log2(m / enter) * 7 / log2(limit / enter)), 0, 7), that is the greatest l with (m /
 * enter)^7 >= (limit / enter)^l. A rise of the level counts at once, and so does a Fb >= 0; a fall
 * only after `level_hold_ns` (and with qcn only when it is more than one step of the 6-bit value
 * below the level's lower edge).
 *
 * Occupancy is in bytes of frames without FCS and includes the packet that
 * arrives, or leaves. One writer: the worker that owns the queue. No clock but
 * `now`, no chance but `random`.
 */

#ifndef FCN_DETECTOR_H
#define FCN_DETECTOR_H

#include <stdbool.h>
#include <stdint.h>

#include <rte_branch_prediction.h>
#include <rte_common.h>

#include "fcn_counter.h"
#include "fcn_random.h"

#define FCN_LEVEL_MAX 7
#define FCN_LEVEL_NONE (-1) /**< not congested */

#define FCN_DETECTOR_NEVER UINT64_MAX

enum fcn_detector_type {
	FCN_DETECTOR_OFF,
	FCN_DETECTOR_STEP,
	FCN_DETECTOR_RED,
	FCN_DETECTOR_QCN,
	FCN_DETECTOR_SOJOURN,
	FCN_DETECTOR_RATE,
};

/** Parameters of a detector; part of the configuration, read only for workers. */
struct fcn_detector_conf {
	enum fcn_detector_type type;
	bool at_dequeue; /**< red: looks at departures */
	uint32_t enter;  /**< measure from which on the queue is congested; red: Kmin */
	uint32_t leave;  /**< measure below which it is not any more */
	uint32_t limit;  /**< measure at the top of the scale of levels */
	/** Measure from which on each level holds, made by fcn_detector_levels(). */
	uint32_t level_from[FCN_LEVEL_MAX + 1];
	uint32_t kmax;          /**< red: bytes, above enter */
	uint64_t pmax;          /**< red: probability at kmax, in 2^-32; 2^32 is 1 */
	uint32_t qeq;           /**< qcn: equilibrium, bytes */
	uint32_t weight;        /**< qcn: w */
	uint32_t sample;        /**< qcn: bytes of arrivals between two evaluations */
	uint64_t interval_ns;   /**< sojourn: time above target; rate: window, above 0 */
	uint64_t bps;           /**< rate: the port's rate, bits per second, above 0 */
	uint64_t hold_ns;       /**< how long the measure must stay below leave */
	uint64_t level_hold_ns; /**< shortest time a level stands before it falls */
};

/* In `show queue`; the form of the list is described in fcn_counter.h. */
#define FCN_DETECTOR_COUNTERS(X)                                  \
	X(enters, "enters", COUNTER, "queue_congestion_episodes", \
			"Times the queue became congested")       \
	X(leaves, "leaves", COUNTER, "queue_congestion_episodes_ended", "Times the queue recovered")

/** State of a detector. */
struct fcn_detector {
	bool congested;
	bool below;       /**< the measure is below leave, since below_ns */
	bool above;       /**< sojourn: every arrival since above_ns saw enter or more */
	bool windowed;    /**< rate: there is a window, since window_ns */
	int8_t level;     /**< level now, FCN_LEVEL_NONE when Fb asks for nothing */
	uint8_t type;     /**< enum fcn_detector_type that the state is of */
	uint32_t q_old;   /**< qcn: occupancy at the last evaluation */
	uint32_t rate;    /**< rate: average at the end of the last window, 1/1000 of the port's */
	uint64_t arrived; /**< qcn: bytes arrived since the last evaluation; rate: in this window */
	/**
	 * rate: 8 times the average of bytes a window, in 2^-16 bytes. At a window's end
	 * rate_sum += (arrived << 16) - (rate_sum >> 3): what the shift leaves over stays
	 * in, so the average is exact but for less than 2^-16 bytes, and reaches its limit.
	 */
	uint64_t rate_sum;
	uint64_t window_ns;
	uint64_t below_ns;
	uint64_t above_ns;
	uint64_t ripe_ns;  /**< sojourn, while below: when the head will have waited for `leave` */
	uint64_t level_ns; /**< since when the level stands */
	uint64_t entered_ns; /**< when congestion was last entered */
	uint64_t left_ns;    /**< when congestion was last left: what was below_ns + hold_ns */
	FCN_DETECTOR_COUNTERS(FCN_COUNTER_MEMBER)
};

/** Set the counters to zero; the state of the detector stays. */
static inline void
fcn_detector_clear_counters(struct fcn_detector *c)
{
	FCN_DETECTOR_COUNTERS(FCN_COUNTER_CLEAR)
}

/** What is seen of a queue when a packet arrives, or leaves. */
struct fcn_detector_view {
	uint32_t occupancy; /**< bytes, the packet included */
	uint32_t len;       /**< bytes of the packet */
	uint32_t age_ns;    /**< time the head has waited; 0 for an empty queue */
	uint64_t now;
	struct fcn_random *random;
};

/** Whether what is seen is at the detector's threshold or above (qcn: at qeq). */
static inline bool
fcn_detector_is_over(const struct fcn_detector *d, const struct fcn_detector_conf *conf,
		const struct fcn_detector_view *view)
{
	switch (conf->type) {
	case FCN_DETECTOR_QCN:
		return view->occupancy >= conf->qeq;
	case FCN_DETECTOR_SOJOURN:
		return view->age_ns >= conf->enter;
	case FCN_DETECTOR_RATE:
		return d->rate >= conf->enter;
	default:
		return view->occupancy >= conf->enter;
	}
}

/** Start afresh: not congested, counters zero. */
void fcn_detector_reset(struct fcn_detector *d);

/**
 * Whether the detector is off, or step, and an arrival leaves it uncongested: then
 * fcn_detector_arrival() would change nothing, and not choose the packet.
 */
static inline bool
fcn_detector_stays_uncongested(const struct fcn_detector *d, const struct fcn_detector_conf *conf,
		uint32_t occupancy)
{
	return !d->congested &&
	       (conf->type == FCN_DETECTOR_OFF ||
			       (conf->type == FCN_DETECTOR_STEP && occupancy < conf->enter));
}

/**
 * Whether an arrival finds step congested, and leaves it so and on its level: then
 * fcn_detector_arrival() would change nothing, and choose the packet.
 */
static inline bool
fcn_detector_stays_congested(const struct fcn_detector *d, const struct fcn_detector_conf *conf,
		uint32_t occupancy, uint64_t now)
{
	const int level = d->level;

	return d->congested && conf->type == FCN_DETECTOR_STEP && d->type == conf->type &&
	       !d->below && occupancy >= conf->leave &&
	       (level == FCN_LEVEL_MAX || occupancy < conf->level_from[level + 1]) &&
	       (occupancy >= conf->level_from[level] || now - d->level_ns < conf->level_hold_ns);
}

/** The part of fcn_detector_arrival() that only queues near or in congestion meet. */
int fcn_detector_evaluate(struct fcn_detector *d, const struct fcn_detector_conf *conf,
		const struct fcn_detector_view *view);

/**
 * Note an arrival.
 *
 * @return level 0..7 when the packet is chosen, to be marked or notified for, else FCN_LEVEL_NONE
 */
static inline int
fcn_detector_arrival(struct fcn_detector *d, const struct fcn_detector_conf *conf,
		const struct fcn_detector_view *view)
{
	struct fcn_detector_view rare;

	switch (conf->type) {
	case FCN_DETECTOR_OFF:
		return FCN_LEVEL_NONE;
	case FCN_DETECTOR_STEP:
		if (likely(view->occupancy < conf->enter && !d->congested))
			return FCN_LEVEL_NONE;
		break;
	case FCN_DETECTOR_RED:
		if (likely((conf->at_dequeue || view->occupancy < conf->enter) && !d->congested))
			return FCN_LEVEL_NONE;
		break;
	case FCN_DETECTOR_QCN:
		d->arrived += view->len;
		if (likely(d->arrived < conf->sample && !d->congested))
			return FCN_LEVEL_NONE;
		break;
	case FCN_DETECTOR_SOJOURN:
		if (likely(view->age_ns < conf->enter && !d->above && !d->congested))
			return FCN_LEVEL_NONE;
		break;
	case FCN_DETECTOR_RATE:
		if (likely(d->windowed && view->now - d->window_ns < conf->interval_ns &&
				    d->rate < conf->enter && !d->congested)) {
			d->arrived += view->len;
			return FCN_LEVEL_NONE;
		}
		break;
	}
	/* A copy, so that the caller's may stay in registers. */
	rare = *view;
	return fcn_detector_evaluate(d, conf, &rare);
}

/**
 * Note a packet about to leave, for a detector with at_dequeue; others are left alone.
 * @return as fcn_detector_arrival()
 */
int fcn_detector_departure(struct fcn_detector *d, const struct fcn_detector_conf *conf,
		const struct fcn_detector_view *view);

/**
 * Note what is left behind departures, and that time passes: may end
 * congestion, as of below_ns + hold_ns. For queues that are congested. When the
 * configuration has turned the detector off, congestion ends now.
 *
 * To be called behind the departures of a poll. Further calls change nothing,
 * but for qcn, which samples afresh from what is queued when the end is
 * noticed: for that to be exact, also at fcn_detector_next().
 *
 * @param occupancy bytes now queued
 * @param age_ns    time the head has waited; 0 for an empty queue
 */
void fcn_detector_tick(struct fcn_detector *d, const struct fcn_detector_conf *conf,
		uint32_t occupancy, uint32_t age_ns, uint64_t now);

/** Earliest time at which fcn_detector_tick() may have something to say without any further
 * arrival or departure; FCN_DETECTOR_NEVER when never. */
uint64_t fcn_detector_next(const struct fcn_detector *d, const struct fcn_detector_conf *conf);

/** Within these bounds no arrival is chosen, and none changes the detector but for the sum of bytes
 * that arrived. */
struct fcn_detector_bounds {
	uint32_t occupancy; /**< below it, the arriving packet included, and ... */
	uint32_t arrived;   /**< ... fewer bytes than that arrive, the packet's included */
};

/** The bounds for arrivals at `now`, up to the first beyond them. */
static inline struct fcn_detector_bounds
fcn_detector_bounds(const struct fcn_detector *d, const struct fcn_detector_conf *conf,
		uint32_t age_ns, uint64_t now)
{
	struct fcn_detector_bounds bounds = {UINT32_MAX, UINT32_MAX};

	switch (conf->type) {
	case FCN_DETECTOR_OFF:
		return bounds;
	case FCN_DETECTOR_STEP:
		bounds.occupancy = conf->enter;
		break;
	case FCN_DETECTOR_RED:
		if (!conf->at_dequeue)
			bounds.occupancy = conf->enter;
		break;
	case FCN_DETECTOR_QCN:
		bounds.arrived = conf->sample - (uint32_t)RTE_MIN(d->arrived, conf->sample);
		break;
	case FCN_DETECTOR_SOJOURN:
		if (unlikely(age_ns >= conf->enter || d->above))
			bounds.occupancy = 0;
		break;
	case FCN_DETECTOR_RATE:
		if (unlikely(!d->windowed || now - d->window_ns >= conf->interval_ns ||
				    d->rate >= conf->enter))
			bounds.occupancy = 0;
		break;
	}
	if (unlikely(d->congested))
		bounds.occupancy = 0;
	return bounds;
}

/** Note bytes that arrived within the bounds of fcn_detector_bounds(). */
static inline void
fcn_detector_add_arrived(
		struct fcn_detector *d, const struct fcn_detector_conf *conf, uint32_t bytes)
{
	if (conf->type == FCN_DETECTOR_QCN || conf->type == FCN_DETECTOR_RATE)
		d->arrived += bytes;
}

/**
 * The 6-bit quantised congestion of QCN.
 *
 * @return 0 when Fb >= 0, else floor(64 * |Fb| / (qeq * (2 * weight + 1))), at most 63
 */
uint32_t fcn_qcn_quantise(const struct fcn_detector_conf *conf, uint32_t q, uint32_t q_old);

/** Whether Fb is below 0: position and growth together say "congested". */
bool fcn_qcn_is_negative(const struct fcn_detector_conf *conf, uint32_t q, uint32_t q_old);

/** Probability, in 2^-32, with which red chooses a packet at an occupancy. */
uint64_t fcn_red_probability(const struct fcn_detector_conf *conf, uint32_t q);

/** Fill in level_from, from enter and limit. For the control thread: it takes its time. */
void fcn_detector_levels(struct fcn_detector_conf *conf);

/** Level of a measure of at least enter, by level_from. */
int fcn_detector_level(const struct fcn_detector_conf *conf, uint32_t measure);

#endif /* FCN_DETECTOR_H */
