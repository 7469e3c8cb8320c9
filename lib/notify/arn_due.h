/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The halts of a sender of Adaptive Routing Notifications as a binary heap, by the time, in
 * nanoseconds, at which a message about them is due: the next one is the first. A change costs as
 * many steps as the number of halts has binary digits.
 */

#ifndef ARN_DUE_H
#define ARN_DUE_H

#include <rte_common.h>

#include "fcn_arn_sender.h"

/** Get the time at which a message about the halt at a place of the heap is due. */
static inline uint64_t
due_at(const struct fcn_arn_sender *s, unsigned int place)
{
	return s->halt[s->heap[place]].due_ns;
}

/** Put a halt at a place of the heap, which is not in order then. */
static inline void
put_in_heap(struct fcn_arn_sender *s, unsigned int place, uint16_t number)
{
	s->heap[place] = number;
	s->halt[number].heap = place;
}

/** Move the halt at a place to where it belongs, so that the heap is in order. */
static inline void
sift(struct fcn_arn_sender *s, unsigned int place)
{
	const uint16_t number = s->heap[place];
	const uint64_t due = s->halt[number].due_ns;

	while (place > 0 && due_at(s, (place - 1) / 2) > due) {
		put_in_heap(s, place, s->heap[(place - 1) / 2]);
		place = (place - 1) / 2;
	}
	for (;;) {
		unsigned int child = 2 * place + 1;

		if (child >= s->n)
			break;
		if (child + 1 < s->n && due_at(s, child + 1) < due_at(s, child))
			child++;
		if (due_at(s, child) >= due)
			break;
		put_in_heap(s, place, s->heap[child]);
		place = child;
	}
	put_in_heap(s, place, number);
}

/** Note when the first message is due: no earlier than a message that had no room is tried again.
 */
static inline void
note_due(struct fcn_arn_sender *s)
{
	s->due_ns = s->n == 0 ? FCN_ARN_NEVER : RTE_MAX(due_at(s, 0), s->retry_ns);
}

/** Set the time at which a message about a halt of the heap is due. */
static inline void
set_due(struct fcn_arn_sender *s, struct fcn_arn_halt *h, uint64_t due)
{
	h->due_ns = due;
	sift(s, h->heap);
	note_due(s);
}

#endif /* ARN_DUE_H */
