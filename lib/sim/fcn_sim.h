/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Virtual time: events, each at a nanosecond, run one after the other. At the same nanosecond those
 * of the lower rank go first, and among these those scheduled first: the order never depends on
 * anything else, so the same simulation gives the same outcome. One owner, no locks.
 */

#ifndef FCN_SIM_H
#define FCN_SIM_H

#include <stdbool.h>
#include <stdint.h>

/** Time that never comes. */
#define FCN_SIM_NEVER UINT64_MAX

/** Order of events at the same time: what arrives is there before anybody looks. */
enum fcn_sim_rank {
	FCN_SIM_ACTION,  /**< the scenario changes something */
	FCN_SIM_ARRIVAL, /**< frames come off links */
	FCN_SIM_NODE,    /**< switches and hosts take their turns */
};

struct fcn_sim;

/** An event: in one simulation, scheduled once or not at all. Part of what it is about. */
struct fcn_sim_event {
	void (*fn)(void *arg, uint64_t now);
	void *arg;
	uint32_t leaf; /**< in the queue */
	uint8_t rank;  /**< enum fcn_sim_rank */
};

/** @return NULL on lack of memory */
struct fcn_sim *fcn_sim_create(void);

/** The events themselves belong to others, and must not be touched through it any more. */
void fcn_sim_free(struct fcn_sim *sim);

/**
 * Make an event of the simulation, not scheduled; there is room for it from now on.
 * @return 0 or -ENOMEM
 */
int fcn_sim_event_init(struct fcn_sim *sim, struct fcn_sim_event *ev, enum fcn_sim_rank rank,
		void (*fn)(void *arg, uint64_t now), void *arg);

/** The event leaves the simulation, and its room with it. */
void fcn_sim_event_fini(struct fcn_sim *sim, struct fcn_sim_event *ev);

/**
 * Have it run at a time, now at the earliest, wherever it was scheduled before (at the same time:
 * its place in the order stays); FCN_SIM_NEVER: not at all.
 */
void fcn_sim_schedule(struct fcn_sim *sim, struct fcn_sim_event *ev, uint64_t time);

/** When it is scheduled, FCN_SIM_NEVER: it is not. */
uint64_t fcn_sim_scheduled(const struct fcn_sim *sim, const struct fcn_sim_event *ev);

/** Time of the event that runs, or ran last. */
uint64_t fcn_sim_now(const struct fcn_sim *sim);

/** Time of the next event. */
uint64_t fcn_sim_next(const struct fcn_sim *sim);

/** Run the next event, if it is not later than this. @return whether there was one */
bool fcn_sim_step(struct fcn_sim *sim, uint64_t until);

/** No event is before this time: it is this late now. */
void fcn_sim_advance(struct fcn_sim *sim, uint64_t time);

/** Events that ran so far. */
uint64_t fcn_sim_count(const struct fcn_sim *sim);

#endif /* FCN_SIM_H */
