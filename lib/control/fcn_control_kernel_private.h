/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * What the files of fcn_control_kernel.h share: interfaces that stand for ports are
 * in fcn_control_interface.c, all else is in fcn_control_kernel.c. Internal to
 * lib/control.
 */

#ifndef FCN_CONTROL_KERNEL_PRIVATE_H
#define FCN_CONTROL_KERNEL_PRIVATE_H

#include "fcn_control_kernel.h"
#include "fcn_control_private.h"

/** Have the world log a line, but the same only once. */
void fcn_control_kernel_note(struct fcn_control *ctl, const char *format, ...)
		__attribute__((format(printf, 2, 3)));

/** Have fcn_control_kernel_poll() hear of a descriptor. @return 0, -1 with errno */
int fcn_control_kernel_watch(struct fcn_control_kernel *k, int fd, uint32_t what);

/**
 * Go where the kernel's interfaces are, this thread alone.
 *
 * @return descriptor to come back by, -1: there is nowhere to go; -2 with errno on failure
 */
int fcn_control_kernel_enter(const char *netns);
/** Come back. */
void fcn_control_kernel_leave(int home);

/** Whether a port shall have an interface. */
bool fcn_kernel_interface_is_wanted(const struct fcn_config_port *port);
/** Index of an interface of this name; 0: there is none. */
unsigned int fcn_kernel_interface_index(const struct fcn_control_kernel *k, const char *name);

/** Open what a configuration needs; else as fcn_control_kernel_prepare(). */
int fcn_kernel_interface_plan(
		struct fcn_control *ctl, const struct fcn_config *cfg, char *err, size_t err_size);
/** Interfaces go, come, and change the port they stand for. */
void fcn_kernel_interface_take_planned(struct fcn_control *ctl);
/** Tell the kernel what changed of an interface; of a new one, all. */
void fcn_kernel_interface_tell(struct fcn_control *ctl, unsigned int port);
/** An interface that somebody removed is made again, for there is a port for it. */
void fcn_kernel_interface_mend(struct fcn_control *ctl, unsigned int port);
/** Close a port's interface, beside the control thread. */
void fcn_kernel_interface_close(struct fcn_control *ctl, unsigned int port);
/** The same at the end of all, when there are no host functions any more. */
void fcn_kernel_interface_free(struct fcn_control_kernel *k, unsigned int port);
/** The interface has a carrier as long as the port has a link. */
void fcn_kernel_interface_set_carrier(struct fcn_control *ctl, unsigned int port);
/** Send what the kernel sends by it. */
void fcn_kernel_interface_take_frames(struct fcn_control *ctl, unsigned int port);

#endif /* FCN_CONTROL_KERNEL_PRIVATE_H */
