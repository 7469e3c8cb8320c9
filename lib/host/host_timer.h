/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * A binary heap of timers, which are embedded in the structures that they belong to. Finding the
 * next timer takes constant time; setting and stopping one takes O(log n). Internal to lib/host.
 */

#ifndef HOST_TIMER_H
#define HOST_TIMER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** The kind of structure in which a timer is embedded. */
enum fcn_host_timer_kind {
	FCN_HOST_TIMER_NEIGHBOUR,
	FCN_HOST_TIMER_ADDRESS,
	FCN_HOST_TIMER_ADVERT,
	FCN_HOST_TIMER_MLD_CHANGE,
	FCN_HOST_TIMER_MLD_ANSWER,
	FCN_HOST_TIMER_SENDERS,
};

struct fcn_host_timer {
	uint64_t due; /**< time at which it expires, ns */
	uint32_t pos; /**< index in the heap; 0: not set */
	uint8_t kind; /**< enum fcn_host_timer_kind */
};

/** A heap of timers; all zero is an empty heap without room. */
struct fcn_host_timers {
	/** indexes start at 1; the children of i are 2 i and 2 i + 1 */
	struct fcn_host_timer **heap;
	uint32_t n;
	uint32_t room;
};

/** Make room for n timers. @return 0; -ENOMEM, and nothing has changed */
int fcn_host_timers_reserve(struct fcn_host_timers *t, uint32_t n);
void fcn_host_timers_free(struct fcn_host_timers *t);

/** Set a timer, or change its time. There must be room in the heap. */
void fcn_host_timer_set(struct fcn_host_timers *t, struct fcn_host_timer *timer, uint64_t due);
/** Stop a timer, if it is set. */
void fcn_host_timer_stop(struct fcn_host_timers *t, struct fcn_host_timer *timer);

/** The timer that expires first; NULL when none is set. */
static inline struct fcn_host_timer *
fcn_host_timer_first(const struct fcn_host_timers *t)
{
	return t->n == 0 ? NULL : t->heap[1];
}

#endif /* HOST_TIMER_H */
