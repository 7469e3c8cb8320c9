/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * From a configuration to the snapshot that workers read. What does not fit
 * together is refused here, with a sentence that says what and where.
 */

#ifndef FCN_BUILD_H
#define FCN_BUILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fcn_config.h"
#include "fcn_kernel_store.h"
#include "fcn_snapshot.h"

/** What is known of the ports that stand behind the configuration. */
struct fcn_build_port {
	struct rte_ether_addr mac; /**< of the device; all zero: none */
	uint64_t link_bps;         /**< of the device; 0: unknown */
	bool down;                 /**< it has no link */
	bool no_clones;            /**< it cannot be given packets that share bytes with others */
};

/** A neighbour that was found; those configured win. */
struct fcn_build_neighbour {
	uint16_t port;
	struct fcn_addr addr;
	struct rte_ether_addr mac;
};

struct fcn_build_env {
	const char *name; /**< unique in the process, at most 12 characters */
	int socket;       /**< NUMA node of the tables */
	uint64_t generation;
	unsigned int n_workers; /**< they share the buffer out; 0 is 1 */
	uint64_t slack_ns; /**< polls may be this late: what a shaper makes up for by default */
	struct fcn_build_port port[FCN_MAX_PORTS];
	uint64_t err_disabled; /**< bit set: ports of bridges that are closed because of a loop */
	bool host;             /**< host functions are on */
	struct fcn_route_set *routes; /**< of the same routes as cfg's, to be shared; NULL: none */
	/** Without: a set, and of what configuration it is; that of one not far from it is made
	 * of it. NULL: none */
	const struct fcn_route_set *routes_before;
	const struct fcn_config *before;
	const struct fcn_build_neighbour *neighbours;
	size_t n_neighbours;
	bool kernel; /**< interfaces of the kernel stand for ports that are configured so */
	const struct fcn_kernel_path *kernel_paths; /**< of routes, prefixes ascend; those
						       configured win */
	size_t n_kernel_paths;
	/** With routes_before: prefixes whose kernel_paths are not those that it was made of. */
	const struct fcn_prefix *kernel_changed;
	size_t n_kernel_changed;
	const struct fcn_kernel_neighbour *kernel_neighbours; /**< win over those found */
	size_t n_kernel_neighbours;
	const uint8_t (*senders_none)[16]; /**< senders found not to understand Fast CNP */
	size_t n_senders_none;
};

/**
 * @param err one line without full stop, on failure
 * @return NULL on failure
 */
struct fcn_snapshot *fcn_snapshot_build(const struct fcn_config *cfg,
		const struct fcn_build_env *env, char *err, size_t err_size);

/** Free a snapshot that no worker reads any more. NULL is allowed. */
void fcn_snapshot_free(struct fcn_snapshot *s);

/** The detector of a queue with every default filled in. */
void fcn_build_detector(const struct fcn_config *cfg, const struct fcn_config_port *port,
		const struct fcn_config_queue *q, uint64_t port_bps, struct fcn_detector_conf *d);

/** MAC address of a port: as configured, as the device has it, or one made from its number. */
struct rte_ether_addr fcn_build_mac(const struct fcn_config_port *port,
		const struct fcn_build_port *dev, uint16_t number);

#endif /* FCN_BUILD_H */
