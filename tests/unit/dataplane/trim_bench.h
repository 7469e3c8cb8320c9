/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* A switch whose queue of class 3 at port 1 trims, and whose port 1 sends nothing until it is told
 * to. */

#ifndef TRIM_BENCH_H
#define TRIM_BENCH_H

#include "testbed.h"

#define KEPT 256
#define TRIM_CLASS 5
#define TRIM_DSCP 10

/* The queue has room for `room` bytes, and trims what finds none. */
static inline void
trim_from(uint32_t room)
{
	bench_queue_conf(1, 3)->limit_bytes = room;
	bench_queue_conf(1, 3)->trim_size = KEPT;
	bench.snap.port[1].trim = (struct fcn_trim_conf){.class = TRIM_CLASS, .dscp = TRIM_DSCP};
	bench_new_snapshot();
}

static inline int
trim_setup(void **state)
{
	bench_setup(state);
	bench_route("192.0.2.0/24", 5);
	bench_port_routes(2);
	bench_set_ops(1, &bench_gate_ops);
	bench.port[1].accept = 0;
	return 0;
}

static inline const struct fcn_queue_stats *
stats(void)
{
	return &bench_queue(1, 3)->stats;
}

/* Let the port send all that it has. */
static inline void
open_gate(void)
{
	bench.port[1].accept = 64;
	bench_poll(bench.worker->now + 1);
}

#endif /* TRIM_BENCH_H */
