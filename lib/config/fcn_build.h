/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Build the snapshot that workers read, of a configuration and of what is known
 * besides it: devices, links, neighbours, routes of the kernel. Values of the
 * configuration that contradict each other are refused here, with a message that
 * says what is wrong and where. Nothing else is refused.
 *
 * Not thread safe: all functions are for the control thread.
 */

#ifndef FCN_BUILD_H
#define FCN_BUILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fcn_config.h"
#include "fcn_host.h"
#include "fcn_kernel_store.h"
#include "fcn_port_set.h"
#include "fcn_proxy_map.h"
#include "fcn_snapshot.h"
#include "fcn_warning.h"

/** What is known of the device of a port. */
struct fcn_build_port {
	struct rte_ether_addr mac; /**< MAC address of the device; all zero: unknown */
	uint64_t link_bps;         /**< speed of the link in bits per second; 0: unknown */
	uint32_t max_frame;        /**< longest frame that the device sends, without FCS; 0: any */
	uint32_t descriptors;      /**< packet buffers that the rings of the device can hold */
	bool down;                 /**< the link is down */
	bool no_clones; /**< the device cannot send packets that share bytes with others */
};

/** A neighbour that the host functions found. A configured one of the same address has priority. */
struct fcn_build_neighbour {
	uint16_t port;
	struct fcn_addr addr;
	struct rte_ether_addr mac;
};

/** What a snapshot is built of besides the configuration. */
struct fcn_build_env {
	const char *name;    /**< name of the switch, for names of tables; at most 12 characters */
	int socket;          /**< NUMA node of the tables */
	uint64_t generation; /**< of the snapshot; differs from that of the one before */
	unsigned int n_workers; /**< each has an equal part of the shared buffer and of limits; 0
				   stands for 1 */
	/** packet buffers of the smallest pool of workers; 0: received packets are in others */
	uint32_t buffers;
	uint32_t cache;    /**< buffers of a pool that each thread may keep for itself */
	uint64_t slack_ns; /**< lateness of polls that the default burst of a shaper makes up for */
	struct fcn_build_port port[FCN_MAX_PORTS];
	unsigned int n_ports;             /**< the snapshot has room for as many ports at least */
	struct fcn_port_set err_disabled; /**< ports of bridges that are closed because of a loop */
	bool host;                        /**< the host functions are on */
	/** a set of the same routes as those of the configuration, which the snapshot shares; NULL:
	 * there is none */
	struct fcn_route_set *routes[FCN_MAX_TABLES];
	/** by table; used if its `routes` is NULL: the set of another configuration, `before`. If
	 * the two differ in a few routes, the new set is made of this one. NULL: there is none */
	struct fcn_route_set *routes_before[FCN_MAX_TABLES];
	const struct fcn_config *before;
	const struct fcn_build_neighbour *neighbours;
	size_t n_neighbours;
	bool kernel; /**< the interfaces of the kernel that are configured for ports exist */
	/** paths of the kernel's routes, by table and ascending prefix, see
	 * fcn_kernel_list_table(); a configured route of the same prefix has priority */
	const struct fcn_kernel_path *kernel_paths;
	size_t n_kernel_paths;
	/** with routes_before: prefixes whose kernel_paths are not those that it was made of */
	const struct fcn_kernel_prefix *kernel_changed;
	size_t n_kernel_changed;
	/** segment lists that these paths name, by ascending serial */
	const struct fcn_kernel_segments *kernel_segments;
	size_t n_kernel_segments;
	/** local SIDs that these paths name, by ascending serial */
	const struct fcn_kernel_sid *kernel_sids;
	size_t n_kernel_sids;
	/** numbers of the kernel's tables that are imported, by table; 0: none, or not known yet */
	uint32_t kernel_table[FCN_MAX_TABLES];
	/** the kernel's own addresses, which are addresses of the switch, by table */
	const struct fcn_kernel_own *kernel_own;
	size_t n_kernel_own;
	/** permanent neighbours of the kernel; they have priority over those that were found */
	const struct fcn_kernel_neighbour *kernel_neighbours;
	size_t n_kernel_neighbours;
	/** senders that were found not to understand notices of a kind */
	const struct fcn_host_refusal *refusals;
	size_t n_refusals;
	/** prefixes of senders whose proxies were learned; a configured one that is equal has
	 * priority */
	const struct fcn_proxy_prefix *learned_proxies;
	size_t n_learned_proxies;
	/** END.CON SIDs that were learned, each of 128 bits; they may repeat */
	const struct fcn_prefix *learned_endcons;
	size_t n_learned_endcons;
	/** The map of queue pairs in force, with what hosts have reported. The next snapshot shares
	 * it if it needs the same one, and else has another one with the same reports. NULL: there
	 * is none */
	struct fcn_qp_map *qps;
	uint64_t hash_secret; /**< for the places of its entries */
	/** result: where the snapshot differs from what the configuration says, because of what is
	 * known here; NULL: nobody asks */
	struct fcn_warnings *warnings;
};

/**
 * Build a snapshot. Neither the configuration nor env is needed afterwards.
 *
 * A configuration that contradicts itself is refused. One that only does not fit what env says, the
 * speed of a link for example, is not: it is limited to what fits, and env->warnings says where.
 * So if a snapshot was built of a configuration once, one can be built with any other env.
 *
 * @param err one line without full stop, on failure
 * @return to be freed with fcn_snapshot_free(); NULL when values of the configuration contradict
 *  each other, or when memory is exhausted
 */
struct fcn_snapshot *fcn_snapshot_build(const struct fcn_config *cfg,
		const struct fcn_build_env *env, char *err, size_t err_size);

/** Free a snapshot that no worker reads any more. NULL is allowed. */
void fcn_snapshot_free(struct fcn_snapshot *s);

/**
 * Translate a local SID of the kernel.
 *
 * @param why result: one line without full stop; NULL on success
 * @return false: the switch cannot do what the SID does
 */
bool fcn_build_kernel_sid(const struct fcn_config *cfg, const uint32_t kernel_table[FCN_MAX_TABLES],
		const struct fcn_kernel_sid *from, struct fcn_config_srv6_sid *to,
		const char **why);

/**
 * Compute the parameters of a queue's detector, with all defaults filled in.
 *
 * @param port_bps speed of the link in bits per second
 * @param buffer   the shared buffer
 * @param d        result
 */
void fcn_build_detector(const struct fcn_config *cfg, const struct fcn_config_port *port,
		const struct fcn_config_queue *q, uint64_t port_bps,
		const struct fcn_buffer_conf *buffer, struct fcn_detector_conf *d);

/**
 * Compute the token bucket of notices about a congested queue, with its default filled in.
 *
 * @param n_workers workers that share the ceiling of all notices
 * @param port,class the queue
 * @param link_bps  speed of the link in bits per second
 */
struct fcn_config_bucket fcn_build_queue_bucket(const struct fcn_config *cfg,
		unsigned int n_workers, unsigned int port, unsigned int class, uint64_t link_bps);

/**
 * Compute the token bucket of notices to one receiver, with its default filled in.
 *
 * @param n_workers workers that share the ceiling of all notices
 * @param link_bps  speed of the link by which they leave in bits per second; 0: they leave by none
 */
struct fcn_config_bucket fcn_build_receiver_bucket(
		const struct fcn_config *cfg, unsigned int n_workers, uint64_t link_bps);

/**
 * Compute the default of the token buckets of messages of one kind that a worker takes by one port:
 * from one node, or from all nodes.
 *
 * @param link_bps speed of the port's link in bits per second; 0: it is not known
 */
struct fcn_config_bucket fcn_build_node_bucket(uint64_t link_bps);
struct fcn_config_bucket fcn_build_nodes_bucket(uint64_t link_bps);

/**
 * Get the number of packet buffers for packets on their way in workers and in rings between them.
 *
 * @param cache buffers of a pool that each thread may keep for itself
 */
uint64_t fcn_build_worker_buffers(unsigned int n_workers, uint32_t cache);

/**
 * Get the MAC address of a port: the configured one, or else that of the device, or else
 * 02:66:63:6e:NN:NN with the port's number.
 */
struct rte_ether_addr fcn_build_mac(const struct fcn_config_port *port,
		const struct fcn_build_port *dev, uint16_t number);

#endif /* FCN_BUILD_H */
