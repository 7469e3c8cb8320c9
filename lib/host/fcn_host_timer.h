/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * What is due when: a heap of timers that stand inside what they are for. The
 * next one is known at once, setting and stopping take log n steps. Internal to lib/host.
 */

#ifndef FCN_HOST_TIMER_H
#define FCN_HOST_TIMER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** What a timer stands in. */
enum fcn_host_timer_kind {
	FCN_HOST_TIMER_NEIGHBOUR,
	FCN_HOST_TIMER_ADDRESS,
	FCN_HOST_TIMER_ADVERT,
	FCN_HOST_TIMER_MLD_CHANGE,
	FCN_HOST_TIMER_MLD_ANSWER,
	FCN_HOST_TIMER_SENDERS,
};

struct fcn_host_timer {
	uint64_t due; /**< ns, when it is set */
	uint32_t pos; /**< place in the heap; 0: not set */
	uint8_t kind; /**< enum fcn_host_timer_kind */
};

/** Zeros are an empty heap without room. */
struct fcn_host_timers {
	struct fcn_host_timer **heap; /**< from 1 on: children of i are 2 i and 2 i + 1 */
	uint32_t n;
	uint32_t room;
};

/** Make room for so many timers. @return 0, -ENOMEM and all as it was */
int fcn_host_timers_reserve(struct fcn_host_timers *t, uint32_t n);
void fcn_host_timers_free(struct fcn_host_timers *t);

/** Set a timer, or move it. Room must be there. */
void fcn_host_timer_set(struct fcn_host_timers *t, struct fcn_host_timer *timer, uint64_t due);
/** Stop a timer that may be set. */
void fcn_host_timer_stop(struct fcn_host_timers *t, struct fcn_host_timer *timer);

/** The timer that is due first, NULL: none. */
static inline struct fcn_host_timer *
fcn_host_timer_first(const struct fcn_host_timers *t)
{
	return t->n == 0 ? NULL : t->heap[1];
}

#endif /* FCN_HOST_TIMER_H */
