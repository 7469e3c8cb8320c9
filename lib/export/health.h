/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Whether a switch does its work, for probes: /healthz and /livez of the server of metrics.
 * Internal to lib/export. The control thread makes all calls.
 *
 * A switch is healthy while it forwards, all workers run, and at least one port works: its link is
 * up, and its device takes packets. A port that does not work is not a reason by itself, as cables
 * are unplugged: a probe names the ports that it needs.
 */

#ifndef HEALTH_H
#define HEALTH_H

#include <stdbool.h>
#include <stdio.h>

#include "fcn_show_list.h"

/** What a probe asks. */
struct fcn_health_question {
	bool alive_only; /**< only what a restart of the program can mend: workers that stall */
	char ports[256]; /**< names of ports that have to work, with commas between them; "": none
			  */
};

/**
 * Write what is wrong, a line for each reason; if nothing is, "ok" and a line for each port that
 * does not work and need not.
 *
 * @return whether the switch is healthy
 */
bool fcn_health_write(const struct fcn_show_source *source,
		const struct fcn_health_question *question, FILE *out);

#endif /* HEALTH_H */
