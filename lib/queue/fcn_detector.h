/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Congestion detectors. Each class queue has one, which computes a congestion level of 0 to 7, with
 * hysteresis, from the state of the queue when packets arrive.
 *
 * Each detector has a measure:
 *
 * step: the occupancy in bytes. The queue is congested from `enter` on.
 *
 * red: the occupancy in bytes. The queue is congested from `enter` (Kmin) on. A packet is chosen
 * with probability 0 up to Kmin, pmax * (q - Kmin) / (Kmax - Kmin) between Kmin and Kmax, and 1
 * from Kmax on. The packets are those that arrive or, with `at_dequeue`, those that leave.
 *
 * qcn: the occupancy and its growth, as the feedback of IEEE 802.1Qau, which is computed after
 * every `sample` bytes of arrivals: Fb = -((q - qeq) + w * (q - q_old)), with a full scale of qeq *
 * (2w + 1). |Fb| is quantised to 6 bits, and the level is that value >> 3. No packet is chosen
 * while Fb >= 0. The queue becomes congested with level 1.
 *
 * sojourn: the time in nanoseconds that the packet at the head has waited. As in CoDel (RFC 8289),
 * the queue becomes congested when the measure was at `enter` (the target) or above at every
 * arrival for `interval_ns`. This measure also grows without an arrival.
 *
 * rate: the rate of arrivals, in 1/1000 of the rate of the port. Bytes are summed over windows of
 * `interval_ns`, the first of which begins with the first arrival. The measure r is an average over
 * windows, empty ones included: r += (sum - r) / 8. The queue is congested when an arrival finds r
 * at `enter` or above, which may be before the queue has grown.
 *
 * With every detector, congestion ends when the measure (with qcn: the occupancy) was below `leave`
 * for `hold_ns`. Arrivals check this, their packet included, and so does fcn_detector_tick() after
 * packets have left. The time at which congestion ends does not depend on when that is noticed.
 *
 * The level is the position of the measure between `enter` and `limit` on a logarithmic scale, so
 * that 7 means that loss is imminent: level = clamp(floor(log2(m / enter) * 7 / log2(limit /
 * enter)), 0, 7), which is the greatest l with (m / enter)^7 >= (limit / enter)^l. The level of qcn
 * follows from Fb. A higher level takes effect at once, and so does Fb >= 0; a lower one takes
 * effect only after `level_hold_ns` (with qcn it also has to be more than one step of the 6-bit
 * value below the lower edge of the level).
 *
 * The occupancy is in bytes of frames without FCS, and includes the packet that arrives or leaves.
 * The worker that owns the queue makes all calls. `now` is the time in nanoseconds, and `random` is
 * the only source of random numbers.
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
#define FCN_LEVEL_NONE (-1) /**< there is no congestion, or the packet was not chosen */

#define FCN_DETECTOR_NEVER UINT64_MAX

/*
 * The list of detectors: X(symbol, name). From it come the types, their names in commands and JSON,
 * and the choice of the functions fcn_detector_evaluate_<name>() and fcn_detector_tick_<name>(),
 * which detector_state.h declares. For some types, the inline functions below avoid the call when
 * the state cannot change; any other type is called for each arrival.
 */
#define FCN_DETECTORS(X)    \
	X(OFF, off)         \
	X(STEP, step)       \
	X(RED, red)         \
	X(QCN, qcn)         \
	X(SOJOURN, sojourn) \
	X(RATE, rate)

enum fcn_detector_type {
#define FCN_DETECTOR_ENUM(sym, name) FCN_DETECTOR_##sym,
	FCN_DETECTORS(FCN_DETECTOR_ENUM)
#undef FCN_DETECTOR_ENUM
	FCN_DETECTOR_TYPE_COUNT,
};

/** Get the name of a type in commands and JSON. */
const char *fcn_detector_type_name(enum fcn_detector_type t);

/** Parameters of a detector. They are part of the configuration, and workers only read them. */
struct fcn_detector_conf {
	enum fcn_detector_type type;
	bool at_dequeue; /**< step, red: packets are chosen when they leave */
	uint32_t enter;  /**< the queue is congested when the measure is this or more; red: Kmin */
	uint32_t leave;  /**< congestion can end when the measure is below this */
	uint32_t limit;  /**< measure at the top of the scale of levels */
	/** Lowest measure of each level, computed by fcn_detector_levels(). */
	uint32_t level_from[FCN_LEVEL_MAX + 1];
	uint32_t kmax;          /**< red: bytes, above enter */
	uint64_t pmax;          /**< red: probability at kmax, in 2^-32; 2^32 is 1 */
	uint32_t qeq;           /**< qcn: equilibrium, bytes */
	uint32_t weight;        /**< qcn: w */
	uint32_t sample;        /**< qcn: bytes of arrivals between two evaluations */
	uint64_t interval_ns;   /**< sojourn: time above the target; rate: window, not 0 */
	uint64_t bps;           /**< rate: the port's rate in bits per second, not 0 */
	uint64_t hold_ns;       /**< time for which the measure has to be below leave */
	uint64_t level_hold_ns; /**< minimum time before the level falls */
};

/* In `show queue`; the form of the list is described in fcn_counter.h. */
#define FCN_DETECTOR_COUNTERS(X)                                        \
	X(enters, "enters", COUNTER, "queue_congestion_episodes",       \
			"Times the queue became congested")             \
	X(leaves, "leaves", COUNTER, "queue_congestion_episodes_ended", \
			"Times the congestion of the queue ended")

/** State of a detector. */
struct fcn_detector {
	bool congested;
	bool below;     /**< the measure has been below leave since below_ns */
	bool above;     /**< sojourn: every arrival since above_ns saw enter or more */
	bool windowed;  /**< rate: a window has begun, at window_ns */
	int8_t level;   /**< present level; FCN_LEVEL_NONE also while congested and Fb >= 0 (qcn) */
	uint8_t type;   /**< enum fcn_detector_type that this state was computed for */
	uint32_t q_old; /**< qcn: occupancy at the last evaluation, bytes */
	uint32_t rate;  /**< rate: average at the end of the last window, 1/1000 of the port's */
	uint64_t arrived; /**< bytes that arrived; qcn: since the last evaluation; rate: in this
			     window */
	/**
	 * rate: 8 times the average bytes per window, in units of 2^-16 bytes. At the end of a
	 * window rate_sum += (arrived << 16) - (rate_sum >> 3). The bits that the shift cuts off
	 * stay in rate_sum, so the average is exact to 2^-16 bytes, and reaches its limit.
	 */
	uint64_t rate_sum;
	uint64_t window_ns; /**< rate: when the present window began */
	uint64_t below_ns;
	uint64_t above_ns;
	/** sojourn, while below: time at which the head will have waited `leave` */
	uint64_t ripe_ns;
	uint64_t level_ns;   /**< time of the last change of the level */
	uint64_t entered_ns; /**< when congestion was last entered */
	uint64_t left_ns; /**< when congestion last ended: below_ns + hold_ns, or when the detector
			   was switched off */
	FCN_DETECTOR_COUNTERS(FCN_COUNTER_MEMBER)
};

/** Set the counters to zero; the state of the detector stays. */
static inline void
fcn_detector_clear_counters(struct fcn_detector *c)
{
	FCN_DETECTOR_COUNTERS(FCN_COUNTER_CLEAR)
}

/** State of the queue when a packet arrives or leaves, as the detector gets it. */
struct fcn_detector_view {
	uint32_t occupancy; /**< bytes, the packet included */
	uint32_t len;       /**< bytes of the packet */
	uint32_t age_ns; /**< time that the packet at the head has waited; 0 for an empty queue */
	uint64_t now;    /**< nanoseconds */
	struct fcn_random *random; /**< for detectors that choose packets at random */
};

/** Check whether the measure is at the detector's threshold or above (with qcn, whether the
 * occupancy is at qeq or above). */
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

/** Initialise the state: not congested, and all counters 0. */
void fcn_detector_reset(struct fcn_detector *d);

/**
 * Check whether the detector is off or of type step, and not congested even with this arrival. Then
 * fcn_detector_arrival() need not be called: it would change nothing, and not choose the packet.
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
 * Check whether a detector of type step is congested, and an arrival changes neither that nor the
 * level. Then fcn_detector_arrival() need not be called: it would change nothing, and choose the
 * packet.
 */
static inline bool
fcn_detector_stays_congested(const struct fcn_detector *d, const struct fcn_detector_conf *conf,
		uint32_t occupancy, uint64_t now)
{
	const int level = d->level;

	return d->congested && conf->type == FCN_DETECTOR_STEP && !conf->at_dequeue &&
	       d->type == conf->type && !d->below && occupancy >= conf->leave &&
	       (level == FCN_LEVEL_MAX || occupancy < conf->level_from[level + 1]) &&
	       (occupancy >= conf->level_from[level] || now - d->level_ns < conf->level_hold_ns);
}

/** Occupancies in bytes, from the lowest to the highest. */
struct fcn_detector_range {
	uint32_t from;
	uint32_t to; /**< below `from`: there is none */
};

/** Get the occupancies with which fcn_detector_stays_congested() holds at the time `now`. */
static inline struct fcn_detector_range
fcn_detector_congested_range(
		const struct fcn_detector *d, const struct fcn_detector_conf *conf, uint64_t now)
{
	struct fcn_detector_range range = {.from = conf->leave, .to = UINT32_MAX};

	if (!d->congested || conf->type != FCN_DETECTOR_STEP || conf->at_dequeue ||
			d->type != conf->type || d->below)
		return (struct fcn_detector_range){.from = 1};
	if (d->level != FCN_LEVEL_MAX && conf->level_from[d->level + 1] == 0)
		return (struct fcn_detector_range){.from = 1};
	if (d->level != FCN_LEVEL_MAX)
		range.to = conf->level_from[d->level + 1] - 1;
	if (now - d->level_ns >= conf->level_hold_ns)
		range.from = RTE_MAX(range.from, conf->level_from[d->level]);
	return range;
}

/**
 * The part of fcn_detector_arrival() that is not inline: it runs only near congestion and during
 * congestion.
 */
int fcn_detector_evaluate(struct fcn_detector *d, const struct fcn_detector_conf *conf,
		const struct fcn_detector_view *view);

/**
 * Take note of an arrival.
 *
 * @return the level, 0 to 7, if the packet is chosen for a CE mark or a notice, FCN_LEVEL_NONE
 * otherwise
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
	default:
		break;
	}
	/* The address of a copy is passed, so that the caller's view can stay in registers. */
	rare = *view;
	return fcn_detector_evaluate(d, conf, &rare);
}

/**
 * Update the detector for a packet that is about to leave. Only a detector with at_dequeue does
 * anything.
 *
 * @return the same as fcn_detector_arrival()
 */
int fcn_detector_departure(struct fcn_detector *d, const struct fcn_detector_conf *conf,
		const struct fcn_detector_view *view);

/**
 * Update the detector of a congested queue for the time, and for the packets that remain after
 * others have left. Congestion may end, with below_ns + hold_ns as its end. If the configuration
 * has switched the detector off, it ends now.
 *
 * This is to be called after the departures of each turn. More calls change nothing, except that
 * qcn begins a new sample with the present occupancy when the end of congestion is noticed. For
 * exact results it is also to be called at the time that fcn_detector_next() gives.
 *
 * @param occupancy bytes that are queued now
 * @param age_ns    time that the packet at the head has waited; 0 for an empty queue
 */
void fcn_detector_tick(struct fcn_detector *d, const struct fcn_detector_conf *conf,
		uint32_t occupancy, uint32_t age_ns, uint64_t now);

/** Get the earliest time at which fcn_detector_tick() may change anything without a further arrival
 * or departure: 0 if the configuration has changed the type of a congested detector, and
 * FCN_DETECTOR_NEVER if there is no such time. */
uint64_t fcn_detector_next(const struct fcn_detector *d, const struct fcn_detector_conf *conf);

/** Bounds for a series of arrivals. While both hold, no packet is chosen, and the detector changes
 * only by the sum of bytes that arrived. */
struct fcn_detector_bounds {
	uint32_t occupancy; /**< the occupancy, arriving packet included, is below this; and */
	uint32_t arrived;   /**< the bytes of the arrivals of this series are fewer than this */
};

/** Get the bounds for arrivals at the time `now`. They hold until the first arrival that exceeds
 * one.
 *
 * @param age_ns time that the packet at the head has waited; 0 for an empty queue */
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
	default:
		bounds.occupancy = 0;
		break;
	}
	if (unlikely(d->congested))
		bounds.occupancy = 0;
	return bounds;
}

/** Update the detector for the bytes of arrivals within the bounds of fcn_detector_bounds(). */
static inline void
fcn_detector_add_arrived(
		struct fcn_detector *d, const struct fcn_detector_conf *conf, uint32_t bytes)
{
	if (conf->type == FCN_DETECTOR_QCN || conf->type == FCN_DETECTOR_RATE)
		d->arrived += bytes;
}

/**
 * Compute the quantised feedback of QCN, 6 bits (IEEE 802.1Qau).
 *
 * @param q     occupancy, bytes
 * @param q_old occupancy at the evaluation before, bytes
 * @return 0 when Fb >= 0, else floor(64 * |Fb| / (qeq * (2 * weight + 1))), at most 63
 */
uint32_t fcn_qcn_quantise(const struct fcn_detector_conf *conf, uint32_t q, uint32_t q_old);

/** Check whether Fb is below 0, so that occupancy and growth together mean congestion. */
bool fcn_qcn_is_negative(const struct fcn_detector_conf *conf, uint32_t q, uint32_t q_old);

/** Get the probability, in units of 2^-32, with which red chooses a packet at an occupancy q,
 * bytes. */
uint64_t fcn_red_probability(const struct fcn_detector_conf *conf, uint32_t q);

/**
 * Compute level_from from enter and limit. The control thread calls this, because it takes long.
 */
void fcn_detector_levels(struct fcn_detector_conf *conf);

/** Get the level, 0 to 7, of a measure by level_from. The measure is at least enter. */
int fcn_detector_level(const struct fcn_detector_conf *conf, uint32_t measure);

#endif /* FCN_DETECTOR_H */
