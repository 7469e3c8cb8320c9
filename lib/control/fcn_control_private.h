/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * What the parts of control share.
 */

#ifndef FCN_CONTROL_PRIVATE_H
#define FCN_CONTROL_PRIVATE_H

#include "fcn_control.h"

struct fcn_control {
	struct fcn_config *config;      /**< what is in force */
	struct fcn_snapshot *published; /**< what the workers read */
	struct fcn_worker *worker[FCN_MAX_WORKERS];
	unsigned int n_workers;
	unsigned int lcore[FCN_MAX_WORKERS];       /**< where they run */
	uint64_t clears;                           /**< how often counters were cleared */
	struct fcn_placement place[FCN_MAX_PORTS]; /**< of open ports */
	struct fcn_collector *collector;
	struct rte_rcu_qsbr *qsbr; /**< NULL: one thread */
	const struct fcn_world *world;
	char name[16]; /**< of the configuration it was made by */
	struct fcn_build_env env;
	struct fcn_control_port port[FCN_MAX_PORTS]; /**< ops NULL: not open */
	uint32_t slots[FCN_MAX_PORTS][FCN_CLASSES];  /**< packets the open port's queues can hold */
	struct rte_mempool *pool;
	struct fcn_control_kernel *kernel; /**< its interfaces and routes */
	bool routes_stale;                 /**< the next snapshot makes the route table anew */
	struct fcn_host *host;             /**< neighbours, ICMP */
	uint64_t host_now;                 /**< time it was last told */
	uint64_t host_version;             /**< of what it found, as published */
	uint64_t found_due_ns;             /**< what it found is not published before */
	bool host_busy;                    /**< it got something since the program last looked */
	struct fcn_build_neighbour *neighbours;      /**< memory of env.neighbours */
	uint8_t (*senders_none)[16];                 /**< ... and of env.senders_none */
	struct fcn_rates *rates;                     /**< of the last second */
	struct fcn_control_watch *watch;             /**< memory of fcn_control_watch() */
	struct fcn_control_err_disable *err_disable; /**< ... of fcn_control_err_disable_poll() */
	uint64_t stalled;     /**< bit set: ports whose device takes nothing, as last told of */
	bool keep_watermarks; /**< reading does not start them afresh: programs leave them to people
			       */
};

/** Hand a snapshot to the workers, wait until none of them reads the one before, and free that. */
void fcn_control_publish(struct fcn_control *ctl, struct fcn_snapshot *s);

/** Publish a snapshot of the configuration in force with what was found since; keeps the old on
 * failure. @return 0 or -1, with a line of the log */
int fcn_control_refresh(struct fcn_control *ctl);

/** As the world's port_open(), with the result in ctl->port[number]. The kernel may take its time:
 * see fcn_control_aside(). */
int fcn_control_port_open(struct fcn_control *ctl, const struct fcn_config_port *port,
		unsigned int number, char *err, size_t err_size);
/** As the world's port_update(), of an open port. */
int fcn_control_port_update(struct fcn_control *ctl, const struct fcn_config_port *port,
		unsigned int number, char *err, size_t err_size);
/** As the world's port_close(), of a port that ctl->port does not have any more. */
void fcn_control_port_close(struct fcn_control *ctl, struct fcn_control_port *open);

/** What is known of the link of an open port, for snapshots. @return whether it changed */
bool fcn_control_link_read(struct fcn_control *ctl, unsigned int port);
/** Ports that came with a commit: what their devices cannot do is told. */
void fcn_control_link_tell_limits(struct fcn_control *ctl, uint64_t opened);
/** Forget the MAC addresses learned on a port. */
void fcn_control_flush_port(struct fcn_control *ctl, unsigned int port);

int fcn_control_err_disable_create(struct fcn_control *ctl);
void fcn_control_err_disable_free(struct fcn_control *ctl);
/** Ports that stay closed because of a loop when a configuration comes in force. @return bit set */
uint64_t fcn_control_err_disable_keep(const struct fcn_control *ctl, const struct fcn_config *cfg);
/** It is in force, and so is the set of closed ports in ctl->env. */
void fcn_control_err_disable_configure(
		struct fcn_control *ctl, const struct fcn_config *before, uint64_t was_closed);

/** Have a frame sent by a port; takes the mbuf. @return whether there was room for it */
bool fcn_control_send_frame(
		struct fcn_control *ctl, struct rte_mbuf *m, uint16_t port, uint8_t class);

int fcn_control_host_create(struct fcn_control *ctl, const struct fcn_control_conf *conf);
void fcn_control_host_free(struct fcn_control *ctl);
bool fcn_control_host_is_on(const struct fcn_control *ctl, const struct fcn_config *cfg);
/** Tell of neighbours that are in one list and not in the other. Both are sorted by it. */
void fcn_control_tell_neighbours(struct fcn_control *ctl, struct fcn_build_neighbour *before,
		size_t n_before, struct fcn_build_neighbour *now, size_t n_now);
/** The same of senders that refuse Fast CNPs. */
void fcn_control_tell_senders(struct fcn_control *ctl, uint8_t (*before)[16], size_t n_before,
		uint8_t (*now)[16], size_t n_now);
/** The configuration in force changed. */
void fcn_control_host_configure(struct fcn_control *ctl);

#endif /* FCN_CONTROL_PRIVATE_H */
