/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Route tables of a configuration. Each has routes of its own, so that the same prefix can have
 * different routes for packets of different ports. A table is known by its number, below
 * FCN_MAX_TABLES, which it keeps for as long as it exists. Included by fcn_config.h.
 *
 * Not thread safe: all functions are for the control thread.
 */

#ifndef FCN_CONFIG_TABLE_H
#define FCN_CONFIG_TABLE_H

#include <stdbool.h>

#include "fcn_config_parts.h"

#define FCN_TABLE_MAIN_NAME "main" /**< name of FCN_TABLE_MAIN, which is always there */

struct fcn_config;

#define FCN_KERNEL_NAME_LEN 16 /**< size of the name of a kernel interface, with terminator */

/** Which routes of the Linux kernel are used in addition to configured ones. */
enum fcn_kernel_mode {
	FCN_KERNEL_OFF,
	FCN_KERNEL_TABLE, /**< those of a table given by its number */
	FCN_KERNEL_VRF,   /**< those of a VRF device, to which the interfaces of ports belong */
};

/** Which routes of the kernel a table has in addition to its own. */
struct fcn_config_follow {
	enum fcn_kernel_mode mode;
	uint32_t table;                /**< TABLE: number of the kernel's table */
	char vrf[FCN_KERNEL_NAME_LEN]; /**< VRF: name of the device */
};

/** A route table. */
struct fcn_config_table {
	char name[FCN_NAME_LEN];         /**< "": there is no table of this number */
	struct fcn_config_follow follow; /**< not of the main table: see fcn_config_kernel */
};

/** Find a table by name. @return its number; -ENOENT */
int fcn_config_table_find(const struct fcn_config *cfg, const char *name);

/**
 * Add an empty table.
 *
 * @return its number; -EINVAL: the name is empty or too long; -EEXIST: the name is in use;
 *  -ENOSPC: there are FCN_MAX_TABLES
 */
int fcn_config_table_add(struct fcn_config *cfg, const char *name);

/** Get which routes of the kernel a table has. The main table is allowed, and a number below
 * FCN_MAX_TABLES of which there is no table. */
struct fcn_config_follow fcn_config_table_follow(const struct fcn_config *cfg, unsigned int table);

/** Remove a table that nothing uses, see fcn_config_table_is_used(). It is not the main one. */
void fcn_config_table_remove(struct fcn_config *cfg, unsigned int table);

/**
 * Tell whether a port belongs to a table, a route is in it, or a local SID or another object names
 * it.
 *
 * @param by written, if it is used: what uses it, as "port p1"
 */
bool fcn_config_table_is_used(
		const struct fcn_config *cfg, unsigned int table, char *by, size_t size);

/** Get the number of the table of a port, sub-interface or bridge interface. @return -ENOENT: there
 * is no table of the name that the port has */
int fcn_config_port_table(const struct fcn_config *cfg, unsigned int port);

/** Tell whether a port belongs to a table. */
bool fcn_config_is_in_table(const struct fcn_config *cfg, unsigned int port, unsigned int table);

#endif /* FCN_CONFIG_TABLE_H */
