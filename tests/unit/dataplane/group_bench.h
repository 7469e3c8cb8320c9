/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The test bench of testbed.h with eight ports that one to four workers share, on one thread. Port
 * p belongs to worker p % n, and the next worker polls its second receive queue. The same input to
 * any number of workers has to have the same outcome, which is observed from outside: frames,
 * counters, events and packets for the host functions.
 *
 * Time stands still while packets are received and queued, as no port takes any then. So it does
 * not matter how many turns that takes, nor in which order the workers have theirs.
 */

#ifndef GROUP_BENCH_H
#define GROUP_BENCH_H

#include "fcn_worker_group.h"
#include "group_outcome.h"
#include "testbed.h"

#define GROUP_WORKERS 4 /**< greatest number of workers */
/** What arrives by bench.port[GROUP_SECOND_QUEUE + p] comes in by the second receive queue of port
 * p. */
#define GROUP_SECOND_QUEUE OUTCOME_PORTS
#define GROUP_ROOM_ALL 2048 /**< room of a port for all that may be queued */

/** The workers. */
struct group {
	unsigned int n;
	struct fcn_worker *w[GROUP_WORKERS];
	uint64_t clears;    /**< number of times that counters were cleared */
	uint64_t now;       /**< time of the turns */
	uint64_t order;     /**< seed of the order in which the workers have their turns */
	uint64_t turns;     /**< of all workers, so far */
	uint32_t away;      /**< bit set of the workers that have no turns */
	struct outcome *to; /**< where group_turn() notes what comes out; NULL: nowhere */
};

extern struct group group;
/** Ports that take only as many packets as they have room for, which a test sets. */
extern const struct fcn_port_ops group_ops;

/**
 * Begin with n workers. The route to 2001:db8:<0x10 + p>::/48 and to 10.<p>.0.0/16 leads to port p.
 * No port has room.
 */
void group_begin(unsigned int n);
/** Check the accounting, and end. */
void group_end(void);

/** Get the worker that owns a port. */
static inline unsigned int
group_owner(uint16_t port)
{
	return port % group.n;
}
struct fcn_egress *group_egress(uint16_t port);

/** Add a port, which is its owner's. */
void group_place(uint16_t port);

/** Check that the packet accounting and that of notices balance over all workers. */
void group_check(void);
/** Run one turn of a worker. @return as fcn_poll_once() */
unsigned int group_turn(unsigned int i);
/** Run turns of workers in any order, some of them more often than others. */
void group_turns(unsigned int n);
/** Run turns of all workers until none has anything to do. */
void group_settle(void);
/** Let the ports take packets for one step of time, each as many as room[] says. */
void group_transmit(const uint16_t room[OUTCOME_PORTS]);
/** The same for all that is queued. */
void group_drain(void);

#endif /* GROUP_BENCH_H */
