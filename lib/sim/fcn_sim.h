/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Discrete event simulation in virtual time. Events run one after the other, each at a time in
 * nanoseconds. Of events at the same time, those with the lower rank run first, and among these
 * those that were made first. The order depends on nothing else, not on the order in which events
 * are scheduled either: so the same simulation always gives the same result, also when its nodes
 * are divided between several threads (fcn_sim_group.h). A simulation is used by one thread; there
 * are no locks.
 */

#ifndef FCN_SIM_H
#define FCN_SIM_H

#include <stdbool.h>
#include <stdint.h>

/** A time that is never reached. */
#define FCN_SIM_NEVER UINT64_MAX

/** A place in the order of all events: time, rank and number, concatenated. */
__extension__ typedef unsigned __int128 fcn_sim_order;

/** Order of events at the same time: frames arrive before nodes run. */
enum fcn_sim_rank {
	FCN_SIM_TRAFFIC, /**< a node gets something to send */
	FCN_SIM_ACTION,  /**< the scenario changes something, of any number of nodes */
	FCN_SIM_ARRIVAL, /**< frames arrive from links */
	FCN_SIM_NODE,    /**< switches and hosts run */
};

struct fcn_sim;

/**
 * An event, which is embedded in the structure that it belongs to. It belongs to one simulation and
 * is scheduled at most once at a time.
 */
struct fcn_sim_event {
	void (*fn)(void *arg, uint64_t now);
	void *arg;
	/** Its rank and its number, by which it stands among events at the same time. */
	uint64_t among;
	uint32_t leaf; /**< position in the queue */
};

/** Create a simulation. @return NULL when memory is exhausted */
struct fcn_sim *fcn_sim_create(void);

/** Free a simulation. Its events, which belong to their users, must not be scheduled any more. */
void fcn_sim_free(struct fcn_sim *sim);

/**
 * Add an event to a simulation, and reserve room for it in the queue. The event is not scheduled.
 *
 * @return 0 or -ENOMEM
 */
int fcn_sim_event_init(struct fcn_sim *sim, struct fcn_sim_event *ev, enum fcn_sim_rank rank,
		void (*fn)(void *arg, uint64_t now), void *arg);

/** Remove an event from its simulation, and release its room. */
void fcn_sim_event_fini(struct fcn_sim *sim, struct fcn_sim_event *ev);

/**
 * Schedule an event at a time, or at the current time if that is later. An earlier schedule is
 * replaced. With FCN_SIM_NEVER the event does not run.
 */
void fcn_sim_schedule(struct fcn_sim *sim, struct fcn_sim_event *ev, uint64_t time);

/** Get the time at which an event is scheduled, or FCN_SIM_NEVER. */
uint64_t fcn_sim_scheduled(const struct fcn_sim *sim, const struct fcn_sim_event *ev);

/** Get the current time: that of the event that is running or ran last. */
uint64_t fcn_sim_now(const struct fcn_sim *sim);

/** Get the time of the next event, or FCN_SIM_NEVER. */
uint64_t fcn_sim_next(const struct fcn_sim *sim);

/** Run the next event, if its time is not later than until. @return whether there was one */
bool fcn_sim_step(struct fcn_sim *sim, uint64_t until);

/**
 * Get the place of the event that is running in the order in which events run. That is its own
 * place, or that of an earlier event, if it was scheduled at the current time after one behind it
 * had run. What events of several simulations do has one order by this.
 */
fcn_sim_order fcn_sim_place(const struct fcn_sim *sim);

/** Get the number of events that have run at the current time. */
uint64_t fcn_sim_at_once(const struct fcn_sim *sim);

/** Advance the current time. There must be no event before it. */
void fcn_sim_advance(struct fcn_sim *sim, uint64_t time);

/** Get the number of events that have run so far. */
uint64_t fcn_sim_count(const struct fcn_sim *sim);

#endif /* FCN_SIM_H */
