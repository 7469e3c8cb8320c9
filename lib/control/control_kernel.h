/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The connection of a control to the Linux kernel. It passes the configuration of interfaces and
 * addresses to lib/kernel, and publishes the kernel's routes and neighbours in snapshots. It is off
 * unless it is configured and the platform has a kernel. Internal to lib/control.
 */

#ifndef CONTROL_KERNEL_H
#define CONTROL_KERNEL_H

#include "control_private.h"
#include "fcn_kernel.h"

/** Allocate ctl->kernel. @return 0; -1 on lack of memory */
int fcn_control_kernel_create(struct fcn_control *ctl);
/** Close and free ctl->kernel. */
void fcn_control_kernel_free(struct fcn_control *ctl);

/**
 * Open the kernel interfaces and sockets that a configuration needs, before it is applied.
 *
 * @param err one line, on failure; then nothing more is open than before
 * @return 0; -1
 */
int fcn_control_kernel_prepare(
		struct fcn_control *ctl, const struct fcn_config *cfg, char *err, size_t err_size);
/** Close what fcn_control_kernel_prepare() opened for a configuration that is not applied.
 */
void fcn_control_kernel_abandon(struct fcn_control *ctl);
/** Apply the configuration that has been published, ctl->config. */
void fcn_control_kernel_configure(struct fcn_control *ctl);

/**
 * Pass a frame to the kernel interface of a port; for fcn_host_env.
 *
 * @param arg struct fcn_control
 */
void fcn_control_kernel_deliver(void *arg, const struct rte_mbuf *m, uint16_t port);

/** Set the counters of kernel interfaces to 0. */
void fcn_control_kernel_clear_counters(struct fcn_control *ctl);

#endif /* CONTROL_KERNEL_H */
