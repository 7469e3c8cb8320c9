/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Which events become lines of the event log: of each kind so many a second, and the rest is
 * counted. Events about the operation of the switch (FCN_OPERATION_EVENTS) all become lines.
 */

#ifndef EVENT_SAMPLE_H
#define EVENT_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>

#include "fcn_event.h"

/** What became of the events of the present second, by kind. All 0 at the beginning. */
struct event_sample {
	uint32_t written[FCN_EVENT_TYPE_COUNT];
	uint64_t left_out[FCN_EVENT_TYPE_COUNT];
};

/** Tell whether an event is to become a line, and count it. @param rate most lines of a kind a
 * second; 0: any number */
bool event_sample_take(struct event_sample *sample, enum fcn_event_type type, uint32_t rate);

/** Begin another second. @param tell called for each kind of which events were left out, with their
 * number */
void event_sample_next(struct event_sample *sample,
		void (*tell)(void *arg, enum fcn_event_type type, uint64_t left_out), void *arg);

#endif /* EVENT_SAMPLE_H */
