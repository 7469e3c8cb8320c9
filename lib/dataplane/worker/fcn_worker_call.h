/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * What the control thread has a worker do between two turns, and what it does about a worker that
 * stands still.
 *
 * A worker whose thread does not come back for some time is *stalled*: it is waited for no more,
 * until it is seen to turn again. No function here waits longer than FCN_WORKER_PATIENCE_NS, unless
 * it says so. Without fcn_worker_conf.patience there is no clock, so each wait lasts as long as it
 * takes, and no worker is ever stalled.
 *
 * Only the control thread may use these functions.
 */

#ifndef FCN_WORKER_CALL_H
#define FCN_WORKER_CALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fcn_worker;
struct fcn_mail;

/** Time, ns, that a worker may take to answer. A turn takes some microseconds, a sleep at most a
 * millisecond. */
#define FCN_WORKER_PATIENCE_NS UINT64_C(1000000000)

/**
 * Longest time, ns, that counts of an interval in which the control thread itself may not have run.
 * So a machine that was suspended, or has too few cores, does not make workers look stalled.
 */
#define FCN_PATIENCE_STEP_NS UINT64_C(10000000)

/** The clock by which the control thread waits for workers. */
struct fcn_patience {
	uint64_t (*now)(void *arg); /**< nanoseconds; it never goes back */
	void *arg;
};

/** A wait that began some time ago. */
struct fcn_wait {
	const struct fcn_patience *patience; /**< NULL: it never ends */
	uint64_t last_ns, waited_ns;
	unsigned int spins;
};

/** Begin a wait. */
void fcn_wait_begin(struct fcn_wait *wait, const struct fcn_patience *patience);
/** Wait for a moment. @return whether the wait has lasted for FCN_WORKER_PATIENCE_NS */
bool fcn_wait_is_over(struct fcn_wait *wait);

/** What the control thread knows of a worker's thread. */
struct fcn_worker_watch {
	const struct fcn_patience *patience;
	bool stalled;
	uint64_t stalls; /**< number of times that it stalled */
	uint64_t seen;   /**< fcn_worker.now when it was last seen to turn */
	uint64_t last_ns, waited_ns;
	unsigned int turns;    /**< stalled: looks in succession that found it turning */
	struct fcn_mail *mail; /**< memory for the next call */
	size_t room;           /**< bytes of argument that it has room for */
	struct fcn_mail *left; /**< the call that it stalled in; NULL: none */
};

/**
 * Let a worker call a function between two turns, and wait until it has returned. If the worker is
 * one thread with the control, the function is called directly.
 *
 * @param arg  the function gets a copy of it, which is copied back when the function has returned.
 *  What it points to is not copied: it may only be something that stays, whatever becomes of the
 *  call.
 * @param size bytes of arg, 0 for NULL
 * @return 0; -EAGAIN: the worker is stalled, and the function was not and will not be called;
 *  -EINPROGRESS: the worker has stalled within the function, which it will end some time; -ENOMEM
 */
int fcn_worker_call(struct fcn_worker *w, void (*fn)(struct fcn_worker *w, void *arg), void *arg,
		size_t size);

/**
 * Do the same, but wait as long as it takes. For a change of several workers that cannot be left
 * half done; the caller has just seen that all of them turn.
 */
void fcn_worker_call_patiently(struct fcn_worker *w, void (*fn)(struct fcn_worker *w, void *arg),
		void *arg, size_t size);

/**
 * Have a function read the state of a worker. The worker itself calls it between two turns, as by
 * fcn_worker_call(). A worker that is stalled changes nothing of its state, so the control thread
 * calls the function then; what it returns is what the worker has left. If the worker begins to
 * turn at this very moment, single values may be of different turns.
 *
 * @param fn writes nothing but *arg, and does not read fcn_worker.snap
 */
void fcn_worker_read(struct fcn_worker *w, void (*fn)(struct fcn_worker *w, void *arg), void *arg,
		size_t size);

/** Tell whether a worker is stalled. */
bool fcn_worker_is_stalled(const struct fcn_worker *w);

/** Note that a worker was waited for in vain. */
void fcn_worker_set_stalled(struct fcn_worker *w);

/** What a look at a worker finds. */
enum fcn_worker_look {
	FCN_WORKER_TURNS,
	FCN_WORKER_STALLED,
	FCN_WORKER_WAKES,     /**< it was stalled and turns, but not for long enough */
	FCN_WORKER_RECOVERED, /**< it was stalled, and turns again */
};

/**
 * Look whether a worker turns, without waiting for it. To be called often: at least about every
 * FCN_PATIENCE_STEP_NS, if a stall is to be found soon.
 */
enum fcn_worker_look fcn_worker_look(struct fcn_worker *w);

/** Free the memory of calls. The worker does not run any more. */
void fcn_worker_watch_fini(struct fcn_worker *w);

#endif /* FCN_WORKER_CALL_H */
