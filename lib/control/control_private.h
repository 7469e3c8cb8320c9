/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The members of a control, and the functions that the files of lib/control share.
 */

#ifndef FCN_CONTROL_PRIVATE_H
#define FCN_CONTROL_PRIVATE_H

#include "fcn_control.h"
#include "fcn_learned.h"

/** What a stalled worker has to do when it turns again. */
struct fcn_control_owed {
	struct fcn_port_set flush; /**< forget the MAC addresses learned on these ports */
	bool counters;             /**< clear its counters */
	bool watermarks;           /**< reset its watermarks */
};

/** A control. */
struct fcn_control {
	struct fcn_config *config;      /**< the running configuration */
	uint64_t commits;               /**< times that it was replaced */
	bool unavailable;               /**< see fcn_control_is_unavailable() */
	int lacking;                    /**< see fcn_control_lacking() */
	struct fcn_snapshot *published; /**< the snapshot in force, of config and env */
	/** The snapshot that each worker reads: the one in force, unless the worker is stalled. */
	struct fcn_snapshot *given[FCN_MAX_WORKERS];
	struct fcn_snapshot *retired; /**< list of the snapshots that stalled workers may read */
	struct fcn_worker *worker[FCN_MAX_WORKERS];
	unsigned int n_workers;
	unsigned int lcore[FCN_MAX_WORKERS]; /**< lcore of each worker */
	struct fcn_control_owed owed[FCN_MAX_WORKERS];
	uint32_t reported; /**< bit set of the workers that are stalled, as the log says */
	uint64_t clears;   /**< how many times counters were cleared */
	struct fcn_placement place[FCN_MAX_PORTS]; /**< the workers of each open port */
	struct fcn_collector *collector;
	struct rte_rcu_qsbr *qsbr; /**< NULL: workers and control are one thread */
	const struct fcn_platform *platform;
	char name[16];
	uint64_t hash_secret;     /**< of the workers */
	struct fcn_build_env env; /**< what snapshots are built of besides the configuration */
	struct fcn_control_port port[FCN_MAX_PORTS]; /**< ops NULL: not open */
	struct rte_mempool *pool;
	struct fcn_control_kernel
			*kernel; /**< of the kernel's interfaces and routes, see control_kernel.h */
	bool routes_stale;       /**< the next snapshot shares no routes with the one before */
	struct fcn_host *host;   /**< neighbours, ICMP */
	uint64_t host_now;       /**< latest known time of the workers' clock */
	uint64_t host_version;   /**< fcn_host_version() when the current snapshot was built */
	uint64_t found_due_ns;   /**< time before which no new neighbours are published */
	bool host_busy;          /**< see fcn_control_host_was_busy() */
	struct fcn_build_neighbour *neighbours; /**< memory of env.neighbours */
	struct fcn_host_refusal *refusals;      /**< memory of env.refusals */
	uint64_t ignored_ns; /**< time of the last event about a refusal that is ignored; 0: none */
	struct fcn_rates *rates;                           /**< rates over about the last second */
	struct fcn_control_counter_events *counter_events; /**< counters at the last call */
	struct fcn_control_err_disable *err_disable;       /**< ports closed because of loops */
	struct fcn_control_learned *learned;               /**< proxies and END.CON SIDs */
	struct fcn_control_reported *reported_qps;         /**< hosts that report queue pairs */
	struct fcn_warnings *warnings; /**< those in force; env.warnings are of the snapshot built
					  last */
	uint64_t n_warnings;           /**< warnings that ever were */
	struct fcn_port_set updated;   /**< ports whose device may differ from the configuration */
	bool refresh_failed;           /**< the last fcn_control_refresh() is to be tried again */
	struct fcn_port_set stalled;   /**< ports whose device takes no packets, as the log says */
};

/** Get the packets for which the queues of a port are to have memory. */
void fcn_control_queue_slots(
		const struct fcn_snapshot *s, unsigned int port, uint32_t slots[FCN_CLASSES]);
/**
 * Give queues the memory that a snapshot needs, as the speed of a link or a limit may have grown.
 * Without it a queue holds as many packets as before, and ctl->env.warnings has a warning.
 */
void fcn_control_make_room(struct fcn_control *ctl, const struct fcn_snapshot *s);

/** Hand a snapshot to the workers that are not stalled, wait until none of them reads the one
 * before, and free that unless a stalled worker may read it. */
void fcn_control_publish(struct fcn_control *ctl, struct fcn_snapshot *s);
/** Hand the snapshot in force to a worker that turns again. */
void fcn_control_publish_to(struct fcn_control *ctl, unsigned int worker);
/** Free the old snapshots that no worker reads any more. */
void fcn_control_free_retired(struct fcn_control *ctl);
/** Free all snapshots, when no worker runs any more. */
void fcn_control_publish_end(struct fcn_control *ctl);

/** Allocate ctl->warnings and ctl->env.warnings. @return 0; -ENOMEM */
int fcn_control_warnings_create(struct fcn_control *ctl);
void fcn_control_warnings_free(struct fcn_control *ctl);
/** Replace the warnings of the snapshot before by those of the one that is published. What is new
 * and what is over is logged, and is an event. */
void fcn_control_warnings_publish(struct fcn_control *ctl);
/** Let just these warnings of a kind be in force, of those that fcn_control_warn() can raise. */
void fcn_control_warnings_replace(
		struct fcn_control *ctl, enum fcn_warning_kind kind, struct fcn_warnings *these);

/** Wait until every worker that is not stalled has begun another turn: what it has read of a table
 * that the control thread changes in place is not used any more. */
void fcn_control_pass_turn(struct fcn_control *ctl);

/** Have the next snapshot share all sets of routes with the effective one, or none. */
void fcn_control_routes_same(struct fcn_control *ctl, bool same);
/**
 * Have the next snapshot change the current sets of routes, where it does not share them.
 *
 * @param before the configuration of these sets
 */
void fcn_control_routes_before(struct fcn_control *ctl, const struct fcn_config *before);
/** Undo fcn_control_routes_before(), after the snapshot was built. */
void fcn_control_routes_done(struct fcn_control *ctl);

/**
 * Build a snapshot of the running configuration with what is known now, and publish it.
 *
 * @return 0; -1: there is no memory for it. Then the one before stays, the log says so once, and it
 *  is tried again.
 */
int fcn_control_refresh(struct fcn_control *ctl);

/** Have the platform open a port, within fcn_control_aside(). On success, it is
 * ctl->port[number]. */
int fcn_control_port_open(struct fcn_control *ctl, const struct fcn_config_port *port,
		unsigned int number, char *err, size_t err_size);
/** Have the platform update an open port, within fcn_control_aside(). */
int fcn_control_port_update(struct fcn_control *ctl, const struct fcn_config_port *port,
		unsigned int number, char *err, size_t err_size);
/** Have the platform close a port, within fcn_control_aside(). @param open a copy of the port,
 * which is not in ctl->port any more */
void fcn_control_port_close(struct fcn_control *ctl, struct fcn_control_port *open);

/** Read the state of an open port's link into ctl->env. @return whether it changed */
bool fcn_control_link_read(struct fcn_control *ctl, unsigned int port);
/** Log what devices of newly opened ports cannot do. */
void fcn_control_link_log_limits(struct fcn_control *ctl, const struct fcn_port_set *opened);
/** Have all workers forget the MAC addresses learned on a port. */
void fcn_control_flush_port(struct fcn_control *ctl, unsigned int port);

/** Allocate ctl->err_disable, and have it see the events of workers. @return 0; -ENOMEM */
int fcn_control_err_disable_create(struct fcn_control *ctl);
void fcn_control_err_disable_free(struct fcn_control *ctl);
/** Get the ports that stay closed because of a loop if a configuration is applied. */
struct fcn_port_set fcn_control_err_disable_keep(
		const struct fcn_control *ctl, const struct fcn_config *cfg);
/**
 * Follow a configuration that has been applied, with the closed ports in ctl->env.
 *
 * @param before the configuration before it
 * @param was_closed ports that were closed by then
 */
void fcn_control_err_disable_configure(struct fcn_control *ctl, const struct fcn_config *before,
		const struct fcn_port_set *was_closed);

/**
 * Have the worker of a port send a frame.
 *
 * @param m the worker frees it; it is freed at once if there is no room
 * @return whether the worker's ring had room for it
 */
bool fcn_control_send_frame(
		struct fcn_control *ctl, struct rte_mbuf *m, uint16_t port, uint8_t class);

int fcn_control_host_create(struct fcn_control *ctl, const struct fcn_control_conf *conf);
void fcn_control_host_free(struct fcn_control *ctl);
/** Find the route of a packet of the host functions; struct fcn_host_env.route. @param arg struct
 * fcn_control */
bool fcn_control_host_find_route(void *arg, unsigned int table, const struct fcn_addr *dst,
		struct fcn_host_route *route);
/**
 * Check whether a message that refuses a notice may come by a port: whether such notices leave by
 * it.
 *
 * @param port port, sub-interface or interface of a bridge
 */
bool fcn_control_refusal_comes_by(const struct fcn_snapshot *s,
		const struct fcn_refused_notice *notice, uint16_t port);

/**
 * Find the normal route to a destination: without steering rules.
 *
 * @param no_policy the neighbour of a path without an SRv6 policy is wanted
 */
bool fcn_control_host_find_normal(const struct fcn_snapshot *s, unsigned int table,
		const struct fcn_addr *dst, bool no_policy, struct fcn_host_route *route);
/** Tell whether the host functions are on by a configuration. */
bool fcn_control_host_is_on(const struct fcn_control *ctl, const struct fcn_config *cfg);
/** Note an event for each neighbour that came, went or changed its MAC address. The lists are
 * sorted by this. */
void fcn_control_neighbour_events(struct fcn_control *ctl, struct fcn_build_neighbour *before,
		size_t n_before, struct fcn_build_neighbour *now, size_t n_now);
/** Note an event for each sender that is now known not to understand notices of a kind, or is not
 * any more. The lists are sorted by this. */
void fcn_control_sender_events(struct fcn_control *ctl, struct fcn_host_refusal *before,
		size_t n_before, struct fcn_host_refusal *now, size_t n_now);
/** Note an event for a refusal that is not believed, at most once a second. */
void fcn_control_refusal_ignored(struct fcn_control *ctl, const struct fcn_host_refusal *refusal);
/** Allocate ctl->learned. @return 0; -ENOMEM */
int fcn_control_learned_create(struct fcn_control *ctl);
void fcn_control_learned_free(struct fcn_control *ctl);
void fcn_control_learned_clear_counters(struct fcn_control *ctl);

/** Allocate ctl->reported. @return 0; -ENOMEM */
int fcn_control_reported_create(struct fcn_control *ctl);
void fcn_control_reported_free(struct fcn_control *ctl);
void fcn_control_reported_clear_counters(struct fcn_control *ctl);
/** Follow the map of queue pairs of the snapshot in force, ctl->env.qps. */
void fcn_control_reported_follow(struct fcn_control *ctl);
/** Forget hosts that have reached the end of their lifetime. @return as fcn_learned_poll() */
uint64_t fcn_control_reported_poll(struct fcn_control *ctl, uint64_t now);

/** Have the host functions follow the running configuration. */
void fcn_control_host_configure(struct fcn_control *ctl);

/** Write an address of either version, or none, as the 16 bytes of one in an event. */
static inline void
fcn_control_put_address(uint8_t to[16], const struct fcn_addr *addr)
{
	if (addr->version == 4)
		fcn_addr_map(addr->bytes, to);
	else
		memcpy(to, addr->bytes, 16);
}

#endif /* FCN_CONTROL_PRIVATE_H */
