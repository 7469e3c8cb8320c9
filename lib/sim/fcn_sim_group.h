/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Simulations that run side by side, each on a thread: the parts of a network whose nodes are
 * divided between them. Time goes on in windows. In a window each part runs its own events, up to
 * the time before which nothing of another part can reach it: the time of the first event, plus the
 * lookahead, which is the least time that anything takes from a part to another. Between two
 * windows one thread hands over what the parts have sent one another. A simulation of its own has
 * the events that concern several parts; these run between windows, while no part does.
 *
 * All events of a group have one order (fcn_sim.h), in which a single simulation of them would run
 * them. Each part runs its events in this order, and so the result is the same with any number of
 * parts, provided that
 * - an event of a part touches that part only, and sends something to another part only so that it
 *   arrives by the lookahead later, or more;
 * - events of parts have other ranks than FCN_SIM_ACTION, and those of the whole have this rank;
 * - events are made in the same order, whatever the division;
 * - an event of a part schedules none of the whole.
 */

#ifndef FCN_SIM_GROUP_H
#define FCN_SIM_GROUP_H

#include "fcn_sim.h"

struct fcn_sim_group;

/** How the events of a window are run. */
enum fcn_sim_way {
	FCN_SIM_TOGETHER, /**< each part on its thread */
	FCN_SIM_ALONE,    /**< one after the other in their order, by one thread */
	FCN_SIM_END,      /**< not at all: the run ends */
};

/** What a group asks of its user. All but begin and end are called by the thread that runs the
 * group, while no part runs. */
struct fcn_sim_group_user {
	/** Hand over what parts have sent one another; before each window, and at the end. */
	void (*exchange)(void *arg);
	/** A window begins, with events from one time up to another; events of rank FCN_SIM_TRAFFIC
	 * can be of the time `to` itself. */
	enum fcn_sim_way (*window)(void *arg, uint64_t from, uint64_t to);
	/** An event has run alone, or was one of the whole. @return false to end the run */
	bool (*after)(void *arg, uint64_t now);
	/** A thread begins and ends; called by each but the one that runs the group. May be NULL.
	 */
	void (*begin)(void *arg), (*end)(void *arg);
	void *arg;
};

/** How a run ended. */
enum fcn_sim_group_end {
	FCN_SIM_GROUP_DONE,      /**< no event is left up to the time */
	FCN_SIM_GROUP_STOPPED,   /**< the user ended it */
	FCN_SIM_GROUP_STUCK,     /**< a part has event after event at one time */
	FCN_SIM_GROUP_NO_THREAD, /**< a thread could not be made */
};

/**
 * Create a group.
 *
 * @param n_parts   number of parts, and of threads; at least 1
 * @param lookahead in ns, above 0
 * @param most      number of events of a part at one time with which a run is stuck
 * @return NULL when memory is exhausted
 */
struct fcn_sim_group *fcn_sim_group_create(unsigned int n_parts, uint64_t lookahead, uint64_t most);

/** Free a group with its simulations. */
void fcn_sim_group_free(struct fcn_sim_group *group);

/** Get the simulation of a part, or with n_parts that of the whole. */
struct fcn_sim *fcn_sim_group_part(const struct fcn_sim_group *group, unsigned int part);

/**
 * Run all events up to a time.
 *
 * @param spare whether there is a processor for each thread, so that threads wait for one another
 *              awake for a while; otherwise they sleep at once
 */
enum fcn_sim_group_end fcn_sim_group_run(struct fcn_sim_group *group, uint64_t until, bool spare,
		const struct fcn_sim_group_user *user);

#endif /* FCN_SIM_GROUP_H */
