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
/** A platform that has no kernel. */
int kernel_platform_setup_without(void **state);
/** All interfaces and sockets are closed at the end. */
int kernel_platform_teardown(void **state);

/** Add a port for which an interface stands, NULL: none does. @return its number */
unsigned int kernel_platform_port(struct fcn_config *cfg, const char *name, const char *interface);
void kernel_platform_address(struct fcn_config *cfg, uint16_t port, const char *prefix);
/** Have the kernel's part of control, and the worker, take a turn. @return when the former wants
 * the next */
uint64_t kernel_platform_poll(uint64_t now);

/** The last line of the log. */
const char *kernel_platform_last_line(void);

#endif /* KERNEL_PLATFORM_H */
