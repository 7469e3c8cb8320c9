/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Counters of a switch that are measured: notices that it suppressed, of which it has no events,
 * and times for which its link partners paused it. A restart or a command can set them to zero, so
 * they are read before, and at the end.
 */

#include "network.h"

static uint64_t
suppressed(const struct lab_net_switch *sw, unsigned int port, unsigned int class)
{
	const struct fcn_worker *w = fcn_control_worker(sw->ctl, 0);
	uint64_t n = 0;

	for (unsigned int k = 0; k < fcn_notice_kind_count; k++)
		n += fcn_notify_suppressed(&w->notify[k].stats[port][class]);
	return n;
}

static void
read_port(struct lab_net_switch *sw, unsigned int port, struct lab_counters *now)
{
	struct fcn_worker *w = fcn_control_worker(sw->ctl, 0);
	struct fcn_pause_class_stats stats[FCN_PAUSE_CLASSES] = {0};

	if (w->port[port].egress != NULL)
		fcn_pause_read(&w->port[port].pause, w->now, stats);
	for (unsigned int c = 0; c < FCN_CLASSES; c++)
		now[c] = (struct lab_counters){.suppressed = suppressed(sw, port, c),
				.paused_ns = stats[c].rx_pause_ns};
}

/* Get what was counted since the last reading; a counter that decreased was cleared unseen. */
static struct lab_counters
counted(const struct lab_counters *before, const struct lab_counters *now)
{
	return (struct lab_counters){.suppressed = now->suppressed -
						   RTE_MIN(before->suppressed, now->suppressed),
			.paused_ns = now->paused_ns - RTE_MIN(before->paused_ns, now->paused_ns)};
}

void
lab_counters_read(struct lab_net_switch *sw)
{
	struct lab_counters now[FCN_CLASSES], new;

	for (unsigned int p = 0; p < fcn_control_worker(sw->ctl, 0)->n_ports; p++) {
		read_port(sw, p, now);
		for (unsigned int c = 0; c < FCN_CLASSES; c++) {
			new = counted(&sw->counters[p][c], &now[c]);
			if (new.suppressed != 0 || new.paused_ns != 0)
				lab_measure_counters(sw->net->m, sw->index,
						fcn_control_config(sw->ctl)->port[p].name, p, c,
						&new);
			sw->counters[p][c] = now[c];
		}
	}
}

void
lab_counters_begin(struct lab_net_switch *sw)
{
	for (unsigned int p = 0; p < fcn_control_worker(sw->ctl, 0)->n_ports; p++)
		read_port(sw, p, sw->counters[p]);
}
