/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "event_sample.h"

#define BIT(sym, name, text) | UINT64_C(1) << FCN_EVENT_##sym

static const uint64_t always = 0 FCN_OPERATION_EVENTS(BIT);

bool
event_sample_take(struct event_sample *sample, enum fcn_event_type type, uint32_t rate)
{
	if (rate == 0 || (always >> type & 1) != 0)
		return true;
	if (sample->written[type] < rate) {
		sample->written[type]++;
		return true;
	}
	sample->left_out[type]++;
	return false;
}

void
event_sample_next(struct event_sample *sample,
		void (*tell)(void *arg, enum fcn_event_type type, uint64_t left_out), void *arg)
{
	for (unsigned int t = 0; t < FCN_EVENT_TYPE_COUNT; t++) {
		const uint64_t n = sample->left_out[t];

		sample->written[t] = 0;
		sample->left_out[t] = 0;
		if (n > 0)
			tell(arg, t, n);
	}
}
