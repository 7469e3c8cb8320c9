/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The platform of platform.h, beside the kernel of kernel_fake.h.
 */

#ifndef KERNEL_PLATFORM_H
#define KERNEL_PLATFORM_H

#include <jansson.h>

#include "kernel_fake.h"
#include "platform.h"

#define MS UINT64_C(1000000)

/** Lines about the kernel in the platform's log. */
struct kernel_log {
	unsigned int n;
	char line[16][200];
};

extern struct kernel_log kernel_log;

int kernel_platform_setup(void **state);
/** Test setup: the platform has no kernel. */
int kernel_platform_setup_without(void **state);
/** Test teardown: check that all interfaces and sockets are closed. */
int kernel_platform_teardown(void **state);

/**
 * Add a port with a kernel interface of this name; NULL: without one. @return number of the port
 */
unsigned int kernel_platform_port(struct fcn_config *cfg, const char *name, const char *interface);
void kernel_platform_address(struct fcn_config *cfg, uint16_t port, const char *prefix);
/**
 * Run a poll of control's connection to the kernel, and a turn of the worker. @return time of the
 * next poll
 */
uint64_t kernel_platform_poll(uint64_t now);

/** Get the last line of the log. */
const char *kernel_platform_last_line(void);

#endif /* KERNEL_PLATFORM_H */
