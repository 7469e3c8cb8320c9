/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * What the kernel said of one of its route tables: routes, nexthop objects, and
 * neighbours that somebody made. Fed with messages (fcn_rtnl.h), asked for paths
 * by port, all or those that changed. It does no I/O and has one owner, the
 * control thread.
 *
 * Interfaces are those of ports: a path through any other is none of the switch.
 * But a route through another may hide one through a port, so these are kept, too.
 */

#ifndef FCN_KERNEL_STORE_H
#define FCN_KERNEL_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rte_ether.h>

#include "fcn_port_limit.h"
#include "fcn_rtnl.h"

/** Routes, nexthop objects and neighbours that are kept; more are counted. */
#define FCN_KERNEL_MAX_ROUTES (1u << 20)
#define FCN_KERNEL_MAX_NEXTHOPS (1u << 18)
#define FCN_KERNEL_MAX_NEIGHBOURS 65536u
#define FCN_KERNEL_MAX_LINKS 65536u
/** Prefixes whose changes are told one by one; when there are more, all is. */
#define FCN_KERNEL_MAX_CHANGES 4096u

enum fcn_kernel_path_type {
	FCN_KERNEL_GATEWAY,
	FCN_KERNEL_CONNECTED, /**< destinations are on the port's link */
	FCN_KERNEL_BLACKHOLE,
	FCN_KERNEL_UNREACHABLE,
};

/** A path of a route; those of one prefix stand together. */
struct fcn_kernel_path {
	struct fcn_prefix prefix;
	uint8_t type;        /**< enum fcn_kernel_path_type; all but GATEWAY stand alone */
	uint8_t protocol;    /**< RTPROT_* */
	uint16_t port;       /**< GATEWAY, CONNECTED */
	uint16_t weight;     /**< GATEWAY: 1.., the sum over a prefix is at most FCN_RTNL_MAX_PATHS
			      */
	struct fcn_addr via; /**< GATEWAY; of any version */
};

struct fcn_kernel_neighbour {
	uint16_t port;
	struct fcn_addr addr;
	struct rte_ether_addr mac;
};

/** What a message did. */
enum fcn_kernel_effect {
	FCN_KERNEL_NOTHING, /**< it does not concern the table */
	FCN_KERNEL_SAME,    /**< it said what was known */
	FCN_KERNEL_CHANGED, /**< fcn_kernel_store_version() changed, too */
	FCN_KERNEL_UNCLEAR, /**< the kernel may have changed more than it said: ask for all */
};

struct fcn_kernel_counts {
	uint32_t routes; /**< of the table, through whatever interface */
	uint32_t nexthops;
	uint32_t neighbours;
	uint64_t full; /**< messages left out: no room */
};

struct fcn_kernel_store;

/** @return NULL on lack of memory */
struct fcn_kernel_store *fcn_kernel_store_create(void);
void fcn_kernel_store_free(struct fcn_kernel_store *store);

/** Keep routes of this table; 0: of none. With another than before, all routes are forgotten. */
void fcn_kernel_store_set_table(struct fcn_kernel_store *store, uint32_t table);

/** The interface that stands for a port; 0: none. */
void fcn_kernel_store_set_port(struct fcn_kernel_store *store, uint16_t port, uint32_t ifindex);

/** Take in a message. @param dumped it answers a question for all, and tells of no change */
enum fcn_kernel_effect fcn_kernel_store_apply(
		struct fcn_kernel_store *store, const struct fcn_rtnl *msg, bool dumped);

/** Forget everything but the table and the ports. */
void fcn_kernel_store_clear(struct fcn_kernel_store *store);

/** All is going to be said anew; what there is stays until fcn_kernel_store_end_sync(). */
void fcn_kernel_store_begin_sync(struct fcn_kernel_store *store);
/**
 * All was said: what was not is forgotten.
 *
 * @param interrupted something may have been left out: only what was not said the last time
 *                    either is forgotten
 * @return how much was
 */
uint32_t fcn_kernel_store_end_sync(struct fcn_kernel_store *store, bool interrupted);

/** Changes with everything that paths and neighbours are made of. */
uint64_t fcn_kernel_store_version(const struct fcn_kernel_store *store);

/**
 * Paths through ports, of the routes with the least metric; prefixes ascend as
 * fcn_prefix_compare() has it.
 *
 * @param list to be freed; NULL when there is none
 * @param left_out paths that routes had too many
 * @return 0, -ENOMEM
 */
int fcn_kernel_store_paths(const struct fcn_kernel_store *store, struct fcn_kernel_path **list,
		size_t *n, uint64_t *left_out);

/** What became different since it was last asked for. */
struct fcn_kernel_changes {
	bool all;                  /**< all prefixes may have changed; path has those there are */
	struct fcn_prefix *prefix; /**< else: those that may have changed, ascending */
	size_t n_prefixes;
	struct fcn_kernel_path *path; /**< paths to them now, in the same order */
	size_t n_paths;
	uint64_t left_out; /**< paths that all routes have too many */
};

/**
 * Changes of paths, to be freed with fcn_kernel_changes_free(). Costs what the
 * changes cost, and where a nexthop object changed a look at each route.
 *
 * @return 0; -ENOMEM: the next time all is told
 */
int fcn_kernel_store_changes(struct fcn_kernel_store *store, struct fcn_kernel_changes *changes);
/** The next time, tell all: what was told was not made use of. */
void fcn_kernel_store_set_all_changed(struct fcn_kernel_store *store);
void fcn_kernel_changes_free(struct fcn_kernel_changes *changes);

/** Neighbours on ports. @param list to be freed. @return 0, -ENOMEM */
int fcn_kernel_store_neighbours(const struct fcn_kernel_store *store,
		struct fcn_kernel_neighbour **list, size_t *n);

void fcn_kernel_store_counts(
		const struct fcn_kernel_store *store, struct fcn_kernel_counts *counts);

#endif /* FCN_KERNEL_STORE_H */
