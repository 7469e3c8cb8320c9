/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Congestion detectors: from a queue's occupancy at each arrival to a
 * congestion level 0..7, with hysteresis.
 *
 * step: congested from `enter` bytes on until occupancy at an arrival is below
 *   `leave`. The level places the occupancy between `enter` and the queue's
 *   limit on a logarithmic scale, so that 7 means "loss is next":
 *   level = clamp(floor(log2(q / enter) * 7 / log2(limit / enter)), 0, 7),
 *   that is the greatest l with (q / enter)^7 >= (limit / enter)^l.
 *
 * qcn: the feedback of IEEE 802.1Qau, taken after every `sample` bytes of
 *   arrivals: Fb = -((q - qeq) + w * (q - q_old)), full scale qeq * (2w + 1).
 *   |Fb| is quantised to 6 bits, level = |Fb| >> 3 of that; Fb >= 0 asks for
 *   nothing. Congested from level 1 on; not any more when occupancy stayed
 *   below `leave` (default qeq / 2) for `hold_ns`. A rise of the level counts
 *   at once, and so does Fb >= 0; a fall only after `level_hold_ns`, and only when it is more than
 *   one step of the 6-bit value below the level's lower edge.
 *
 * Occupancy is in bytes of frames without FCS and includes the arriving
 * packet. One writer: the worker that owns the queue. No clock but `now`.
 */

#ifndef FCN_DETECTOR_H
#define FCN_DETECTOR_H

#include <stdbool.h>
#include <stdint.h>

#include <rte_branch_prediction.h>
#include <rte_common.h>

#define FCN_LEVEL_MAX 7
#define FCN_LEVEL_NONE (-1) /**< not congested */

enum fcn_detector_type {
	FCN_DETECTOR_OFF,
	FCN_DETECTOR_STEP,
	FCN_DETECTOR_QCN,
};

/** Parameters of a detector; part of the configuration, read only for workers. */
struct fcn_detector_conf {
	enum fcn_detector_type type;
	uint32_t enter; /**< step: bytes from which on the queue is congested */
	uint32_t leave; /**< bytes below which it is not any more */
	uint32_t limit; /**< step: the queue's limit, for the scale of levels */
	/** step: occupancy from which on each level holds, made by fcn_step_levels() */
	uint32_t level_from[FCN_LEVEL_MAX + 1];
	uint32_t qeq;           /**< qcn: equilibrium, bytes */
	uint32_t weight;        /**< qcn: w */
	uint32_t sample;        /**< qcn: bytes of arrivals between two evaluations */
	uint64_t hold_ns;       /**< how long occupancy must stay below leave */
	uint64_t level_hold_ns; /**< shortest time a level stands before it falls */
};

/** State of a detector. */
struct fcn_detector {
	bool congested;
	bool below;       /**< occupancy is below leave, since below_ns */
	int8_t level;     /**< level now, FCN_LEVEL_NONE when Fb asks for nothing */
	uint32_t q_old;   /**< qcn: occupancy at the last evaluation */
	uint32_t arrived; /**< qcn: bytes arrived since the last evaluation */
	uint64_t below_ns;
	uint64_t level_ns;   /**< since when the level stands */
	uint64_t entered_ns; /**< when congestion was last entered */
	uint64_t enters;     /**< times congestion was entered */
	uint64_t leaves;     /**< times it was left */
};

/** Start afresh: not congested, counters zero. */
void fcn_detector_reset(struct fcn_detector *d);

/** The part of fcn_detector_arrival() that only queues near or in congestion meet. */
int fcn_detector_evaluate(struct fcn_detector *d, const struct fcn_detector_conf *conf, uint32_t q,
		uint64_t now);

/**
 * Note an arrival.
 *
 * @param q   occupancy in bytes, the arriving packet included
 * @param len bytes of the arriving packet
 * @return level 0..7 when a notice is asked for this packet, else FCN_LEVEL_NONE
 */
static inline int
fcn_detector_arrival(struct fcn_detector *d, const struct fcn_detector_conf *conf, uint32_t q,
		uint32_t len, uint64_t now)
{
	switch (conf->type) {
	case FCN_DETECTOR_OFF:
		return FCN_LEVEL_NONE;
	case FCN_DETECTOR_STEP:
		if (likely(q < conf->enter && !d->congested))
			return FCN_LEVEL_NONE;
		return fcn_detector_evaluate(d, conf, q, now);
	case FCN_DETECTOR_QCN:
		d->arrived += len;
		if (likely(d->arrived < conf->sample && !d->congested))
			return FCN_LEVEL_NONE;
		return fcn_detector_evaluate(d, conf, q, now);
	}
	return FCN_LEVEL_NONE;
}

/** Arrivals within these bounds ask for nothing and change nothing but a sum. */
struct fcn_detector_quiet {
	uint32_t occupancy; /**< below it, the arriving packet included, and ... */
	uint32_t arrived;   /**< ... fewer bytes than that arrive, the packet's included */
};

/** The bounds for arrivals from now on, up to the first beyond them. */
static inline struct fcn_detector_quiet
fcn_detector_quiet(const struct fcn_detector *d, const struct fcn_detector_conf *conf)
{
	struct fcn_detector_quiet quiet = {UINT32_MAX, UINT32_MAX};

	if (conf->type == FCN_DETECTOR_OFF)
		return quiet;
	if (unlikely(d->congested))
		quiet.occupancy = 0;
	else if (conf->type == FCN_DETECTOR_STEP)
		quiet.occupancy = conf->enter;
	else
		quiet.arrived = conf->sample - RTE_MIN(d->arrived, conf->sample);
	return quiet;
}

/** Note bytes that arrived within the bounds of fcn_detector_quiet(). */
static inline void
fcn_detector_quiet_arrivals(
		struct fcn_detector *d, const struct fcn_detector_conf *conf, uint32_t bytes)
{
	if (conf->type == FCN_DETECTOR_QCN)
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

/** Fill in level_from, from enter and limit. For the control thread: it takes its time. */
void fcn_step_levels(struct fcn_detector_conf *conf);

/** Level of the step detector for an occupancy of at least enter. */
int fcn_step_level(const struct fcn_detector_conf *conf, uint32_t q);

#endif /* FCN_DETECTOR_H */
