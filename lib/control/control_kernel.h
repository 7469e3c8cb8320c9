/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The Linux kernel's part in a control: what the configuration wants of it is handed to lib/kernel,
 * and what the kernel says of routes and neighbours goes into snapshots. Off unless configured, and
 * unless the platform has a kernel at all. Internal to lib/control.
 */

#ifndef CONTROL_KERNEL_H
#define CONTROL_KERNEL_H

#include "control_private.h"
#include "fcn_kernel.h"

/** @return 0; -1 on lack of memory */
int fcn_control_kernel_create(struct fcn_control *ctl);
void fcn_control_kernel_free(struct fcn_control *ctl);

/**
 * Open what a configuration needs, before it comes in force.
 *
 * @param err one line, on failure; then nothing more is open than before
 * @return 0; -1
 */
int fcn_control_kernel_prepare(
		struct fcn_control *ctl, const struct fcn_config *cfg, char *err, size_t err_size);
/** The configuration does not come in force: close what was opened for it. */
void fcn_control_kernel_abandon(struct fcn_control *ctl);
/** The configuration is in force. */
void fcn_control_kernel_configure(struct fcn_control *ctl);

/** Give a frame to the interface of a port; for fcn_host_env. @param arg struct fcn_control */
void fcn_control_kernel_deliver(void *arg, const struct rte_mbuf *m, uint16_t port);

void fcn_control_kernel_clear_counters(struct fcn_control *ctl);

#endif /* CONTROL_KERNEL_H */
