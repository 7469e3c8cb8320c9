/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Counters of a worker that belong to none of its ports.
 */

#ifndef FCN_WORKER_COUNTERS_H
#define FCN_WORKER_COUNTERS_H

#include <stdint.h>

#include "fcn_counter.h"

/* In `show worker`, the loop around fcn_poll_once(); the form is described in fcn_counter.h. */
#define FCN_WORKER_LOAD_COUNTERS(X)                                                             \
	X(packets, "packets", COUNTER, "worker_packets",                                        \
			"Packets that the worker received from ports or other workers, "        \
			"or sent")                                                              \
	X(turns, "turns", COUNTER, "worker_turns", "Turns of the worker's loop")                \
	X(busy_turns, "busy_turns", COUNTER, "worker_busy_turns",                               \
			"Turns of the worker's loop that moved packets")                        \
	X(busy_ns, "busy_ns", SECONDS, "worker_busy", "Time spent in turns that moved packets") \
	X(idle_ns, "idle_ns", SECONDS, "worker_idle",                                           \
			"Time spent in turns that moved no packets, and asleep")                \
	X(sleeps, "sleeps", COUNTER, "worker_sleeps",                                           \
			"Times the worker slept because it had nothing to do")                  \
	X(longest_ns, "longest_turn_ns", DURATION, "worker_longest_turn",                       \
			"Longest time from the beginning of one turn to the beginning "         \
			"of the next, without sleep")

/** How busy a worker is. Times are in nanoseconds. */
struct fcn_worker_load {
	FCN_WORKER_LOAD_COUNTERS(FCN_COUNTER_MEMBER)
};

/* In `show worker`: packets between workers. They are never cleared, see struct fcn_conservation.
 */
#define FCN_WORKER_CROSS_CORE_COUNTERS(X)                                                   \
	X(cross_core_tx, "cross_core_tx", COUNTER, "worker_cross_core_transmitted_packets", \
			"Packets that the worker put on cross-core rings, for ports of "    \
			"other workers")                                                    \
	X(cross_core_rx, "cross_core_rx", COUNTER, "worker_cross_core_received_packets",    \
			"Packets that the worker took from cross-core rings, sent by "      \
			"other workers")

/*
 * In `show worker`: messages to other workers and to the collector of events. A MAC address counts
 * as lost when the ring to another worker is full, and when this worker has no room for an address
 * that another one has learned.
 */
#define FCN_WORKER_COUNTERS(X)                                                            \
	X(learn_lost, "learn_lost", COUNTER, "worker_learned_lost",                       \
			"Learned MAC addresses that another worker was not informed of")  \
	X(events_made, "events_made", COUNTER, "worker_event_records",                    \
			"Event records made by the worker, including those lost")         \
	X(events_lost, "events_lost", COUNTER, "worker_lost_event_records",               \
			"Event records lost because the ring to the collector was full")  \
	X(shared_turns, "shared_turns", COUNTER, "worker_shared_turns",                   \
			"Turns in which ports shared the worker's cycles, because it "    \
			"could not keep up with all of them, or nearly not")              \
	X(pool_empty, "pool_empty", COUNTER, "worker_empty_pool_samples",                 \
			"Times that the worker found no free packet buffer for itself; "  \
			"it looks once a millisecond. Devices receive nothing then, and " \
			"most do not count it")

#endif /* FCN_WORKER_COUNTERS_H */
