/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Notices that a switch suppressed. It has no events of them, only counters for each queue, which a
 * restart or a command can set to zero. They are read before that can happen, and at the end.
 */

#include "network.h"

static uint64_t
counter_of(const struct lab_net_switch *sw, unsigned int port, unsigned int class)
{
	const struct fcn_worker *w = fcn_control_worker(sw->ctl, 0);
	uint64_t n = 0;

	for (unsigned int k = 0; k < fcn_notice_kind_count; k++)
		n += fcn_notify_suppressed(&w->notify[k].stats[port][class]);
	return n;
}

void
lab_suppressed_read(struct lab_net_switch *sw)
{
	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
		for (unsigned int c = 0; c < FCN_CLASSES; c++) {
			uint64_t now = counter_of(sw, p, c);

			if (now != sw->suppressed[p][c])
				lab_measure_suppressed(sw->net->m, sw->index,
						fcn_control_config(sw->ctl)->port[p].name, p, c,
						now - sw->suppressed[p][c]);
			sw->suppressed[p][c] = now;
		}
	}
}

void
lab_suppressed_begin(struct lab_net_switch *sw)
{
	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
		for (unsigned int c = 0; c < FCN_CLASSES; c++)
			sw->suppressed[p][c] = counter_of(sw, p, c);
	}
}
