/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The world of world.h, beside the kernel of kernel_fake.h.
 */

#ifndef KERNEL_WORLD_H
#define KERNEL_WORLD_H

#include <jansson.h>

#include "kernel_fake.h"
#include "world.h"

#define MS UINT64_C(1000000)

/** Lines about the kernel in the world's log. */
struct kernel_log {
	unsigned int n;
	char line[16][200];
};

extern struct kernel_log kernel_log;

int kernel_world_setup(void **state);
/** A world that has no kernel. */
int kernel_world_setup_without(void **state);
/** All interfaces and sockets are closed at the end. */
int kernel_world_teardown(void **state);

/** Add a port for which an interface stands, NULL: none does. @return its number */
unsigned int kernel_world_port(struct fcn_config *cfg, const char *name, const char *interface);
void kernel_world_address(struct fcn_config *cfg, uint16_t port, const char *prefix);
/** Have the kernel's part of control, and the worker, take a turn. @return when the former wants
 * the next */
uint64_t kernel_world_poll(uint64_t now);

/** The last line of the log. */
const char *kernel_world_last_line(void);

/** A member that is a number, or a string. */
json_int_t kernel_world_number(const json_t *o, const char *key);
const char *kernel_world_string(const json_t *o, const char *key);

#endif /* KERNEL_WORLD_H */
