/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Loads qp_probe.bpf.c into the kernel and reads what it tells.
 *
 * Thread safety: none; one thread has the probes.
 */

#ifndef QP_PROBE_H
#define QP_PROBE_H

#include <stddef.h>
#include <stdint.h>

#include "qp_map.h"

struct qp_probe;

/**
 * Attach the probes, to all functions or to none.
 *
 * @param event gets what they tell; called by qp_probe_read()
 * @param err   gets what is missing if there is an error
 * @return 0, or a negative errno; where the kernel has no RDMA now, it may later
 */
int qp_probe_open(struct qp_probe **p, void (*event)(void *arg, const struct qp_map_event *event),
		void *arg, char *err, size_t size);

/** Get the descriptor that is readable while there are events. */
int qp_probe_fd(const struct qp_probe *p);

/**
 * Read events.
 *
 * @param most as many at most
 * @return their number
 */
unsigned int qp_probe_read(struct qp_probe *p, unsigned int most);

/** Get how many events had no room since the last call. */
uint64_t qp_probe_lost(struct qp_probe *p);

/** Take the probes away. NULL is allowed. */
void qp_probe_close(struct qp_probe *p);

#endif /* QP_PROBE_H */
