/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Control: owns the configuration and the worker, makes the one into what the
 * other reads. One control thread.
 *
 * A world says what stands behind ports and who owns time: the live switch,
 * replay, the lab.
 */

#ifndef FCN_CONTROL_H
#define FCN_CONTROL_H

#include <stddef.h>
#include <stdint.h>

#include <rte_mempool.h>

#include "fcn_build.h"
#include "fcn_collector.h"
#include "fcn_config.h"
#include "fcn_host.h"
#include "fcn_kernel.h"
#include "fcn_rates.h"
#include "fcn_workers.h"

/** A port as a world opened it. */
struct fcn_control_port {
	const struct fcn_port_ops *ops;
	void *priv;
	int socket;                 /**< NUMA node of the device, negative: unknown */
	struct fcn_build_port info; /**< MAC address and speed, as far as the device knows */
};

/** What differs between live, replay and lab. */
struct fcn_world {
	const char *name;
	uint64_t slack_ns; /**< polls may be this late: what shapers make up for by default */
	/**
	 * Put something behind a port.
	 * @param err one line, on failure
	 * @return 0 or a negative errno
	 */
	int (*port_open)(void *arg, const struct fcn_config_port *port, uint16_t number,
			struct fcn_control_port *out, char *err, size_t err_size);
	/** Apply changed MTU, link speed, ... to an open port; may be NULL. */
	int (*port_update)(void *arg, const struct fcn_config_port *port,
			struct fcn_control_port *open, char *err, size_t err_size);
	void (*port_close)(void *arg, struct fcn_control_port *open);
	bool host;   /**< host functions are on unless the configuration says otherwise */
	bool kernel; /**< there is a kernel whose interfaces and routes may be used */
	/** A line for people, about what the host functions found; may be NULL. */
	void (*log)(void *arg, const char *line);
	/**
	 * Run work(work_arg), which may be held up by the kernel for seconds, and return when it is
	 * done. Meanwhile fcn_control_host_poll() is called, and nothing else of control; the work
	 * itself calls nothing of control. NULL: it is run at once, for nobody waits.
	 */
	void (*aside)(void *arg, void (*work)(void *work_arg), void *work_arg);
	/** Within a long piece of work: call fcn_control_host_poll() if it is due; may be NULL. */
	void (*attend)(void *arg);
	void *arg;
};

/** Parameters of a control. */
struct fcn_control_conf {
	const char *name; /**< unique in the process, at most 8 characters; copied */
	const struct fcn_world *world;
	int socket;                 /**< NUMA node of the worker */
	struct rte_mempool *pool;   /**< of the worker, and of the host functions */
	unsigned int n_workers;     /**< 0: one, with the socket and pool above */
	struct fcn_control_worker { /**< of each worker else */
		unsigned int lcore; /**< for people */
		int socket;
		struct rte_mempool *pool;
	} worker[FCN_MAX_WORKERS];
	bool threaded;   /**< the workers run on other threads */
	uint32_t events; /**< records of a worker's event ring, 0: none */
	uint32_t mac_entries;
	uint32_t flow_sets;
	uint32_t dest_sets;
	uint64_t seed; /**< of decisions by chance */
	/** Of the hash functions over what packets carry: by it flows choose among equal paths, and
	 * addresses their places in tables. 0: the same in every run. A live switch has one that
	 * nobody knows. */
	uint64_t hash_secret;
	uint64_t epoch_ns; /**< see fcn_control_set_epoch() */
};

struct fcn_control;

/** @return NULL, with a line in err, on failure */
struct fcn_control *fcn_control_create(
		const struct fcn_control_conf *conf, char *err, size_t err_size);

/** The workers must have stopped. */
void fcn_control_free(struct fcn_control *ctl);

/**
 * Put a configuration in force, whole or not at all.
 *
 * @param cfg on success it belongs to ctl; on failure still to the caller
 * @param err one line without full stop, on failure
 * @return 0 or -1
 */
int fcn_control_commit(struct fcn_control *ctl, struct fcn_config *cfg, char *err, size_t err_size);

/**
 * Let the host functions work: what workers left to them, and what time brings.
 * To be called often: at every event in virtual time, every millisecond or so otherwise.
 *
 * @param now the worker's clock
 * @return when there is something to do without any packet; FCN_HOST_NEVER
 */
uint64_t fcn_control_host_poll(struct fcn_control *ctl, uint64_t now);

/**
 * Close ports of bridges by which frames go round in a loop, where the configuration wants it, and
 * open those again whose time has come. The collector tells what the workers saw: to be called as
 * often as it is drained, after that. Publishes a snapshot when something changes.
 *
 * @param now the worker's clock
 * @return when the next port is to be opened; FCN_HOST_NEVER
 */
uint64_t fcn_control_err_disable_poll(struct fcn_control *ctl, uint64_t now);

/**
 * Open ports that were closed because of a loop.
 *
 * @param ports bit set; those that are not closed do not matter
 * @return how many were opened, or -ENOMEM: none
 */
int fcn_control_err_disable_clear(struct fcn_control *ctl, uint64_t ports);

/** Nanoseconds until a port is opened again; FCN_HOST_NEVER: it is not, or it is not closed. */
uint64_t fcn_control_err_disable_left(struct fcn_control *ctl, unsigned int port);

/**
 * Run work(arg) beside the control thread, which answers neighbours until it is done. For what the
 * kernel, a disk or a device may hold up. Whoever calls this must expect neighbours to be learned
 * meanwhile, and with them a new snapshot of the configuration in force.
 */
void fcn_control_aside(struct fcn_control *ctl, void (*work)(void *arg), void *arg);

/**
 * Answer neighbours, if it is time. To be called within a long piece of work of the control thread,
 * every 100 us or so, where neighbours may be learned and a snapshot published.
 */
void fcn_control_attend(struct fcn_control *ctl);

/**
 * Look at the ports' links and have the switch follow what changed: routes, bridges, queues,
 * and defaults that depend on a link's speed; each change is a line of the log. To be called a
 * few times a second, and when a device says that its link changed.
 */
void fcn_control_link_poll(struct fcn_control *ctl);

/**
 * Let the kernel's interfaces and routes have their turn: frames, changes, and a new snapshot
 * when there were some. To be called as often as fcn_control_host_poll(), and when there is input
 * at fcn_control_kernel_fd().
 *
 * @param now the worker's clock
 * @return when there is something to do though nothing comes; FCN_HOST_NEVER
 */
uint64_t fcn_control_kernel_poll(struct fcn_control *ctl, uint64_t now);
/** A descriptor to poll for input; -1: there is none. It may change with each commit. */
int fcn_control_kernel_fd(const struct fcn_control *ctl);

/** The kernel's interfaces and routes, see fcn_kernel.h; never NULL, though they may be off. */
struct fcn_kernel *fcn_control_kernel(const struct fcn_control *ctl);

/** How routes of the kernel went into snapshots. */
struct fcn_control_kernel_builds {
	uint64_t builds;   /**< times that routes were built because the kernel's changed */
	uint64_t left_out; /**< paths beyond those that a route can have */
};
void fcn_control_kernel_builds(
		const struct fcn_control *ctl, struct fcn_control_kernel_builds *builds);

/**
 * See what the workers' counters grew by since the last time, and tell the collector of drops and
 * suppressed notices that begin. To be called once a second.
 */
void fcn_control_watch(struct fcn_control *ctl);

/** Nanoseconds since 1970 at time 0 of the worker's clock, for IOAM timestamps. */
void fcn_control_set_epoch(struct fcn_control *ctl, uint64_t epoch_ns);

/** Have a function run by every worker, one after the other, each between two of its turns. */
void fcn_control_call(
		struct fcn_control *ctl, void (*fn)(struct fcn_worker *w, void *arg), void *arg);

/** Drain the events of all workers, see fcn_collector_drain(). */
void fcn_control_drain(struct fcn_control *ctl);

/**
 * The ledger over all workers, each as it is between two turns. While packets
 * go from one to another, `between` is off by those that did so between the
 * readings, and the sum holds all the same.
 */
void fcn_control_conservation(struct fcn_control *ctl, struct fcn_conservation *sum);

void fcn_control_clear_counters(struct fcn_control *ctl);
/** @return entries forgotten, by the worker that had most */
unsigned int fcn_control_clear_macs(struct fcn_control *ctl);

/**
 * Have n packets traced that a filter takes.
 *
 * @param filter BPF expression, NULL: every packet
 * @return 0, or -1 with a line in err
 */
int fcn_control_trace_add(struct fcn_control *ctl, uint32_t n, const char *filter, char *err,
		size_t err_size);
void fcn_control_trace_clear(struct fcn_control *ctl);

/**
 * Compile a filter of Ethernet frames; to be freed with pcap_freecode().
 *
 * @return 0 or a negative errno, with a line in err
 */
int fcn_control_filter_compile(
		const char *text, struct bpf_program *filter, char *err, size_t err_size);

/** What workers count for a tap. */
struct fcn_tap_counts {
	uint64_t missed[FCN_MAX_PORTS]; /**< packets without room in the ring */
	uint64_t time_ns;               /**< nanoseconds since 1970, by the workers' clock */
};

/**
 * See to it that workers have rings for what they capture; those stay.
 *
 * @param units of each ring, see fcn_capture_ring_create()
 * @return 0 or a negative errno
 */
int fcn_control_tap_prepare(struct fcn_control *ctl, uint32_t units);

/** Have workers capture packets, once they have rings. @param number below FCN_CAPTURE_MAX */
void fcn_control_tap_open(
		struct fcn_control *ctl, unsigned int number, const struct fcn_capture_tap *tap);

/** What was counted so far. */
void fcn_control_tap_read(
		struct fcn_control *ctl, unsigned int number, struct fcn_tap_counts *counts);

/** Have them capture no more: all that is for the tap is in the rings then, its filter unused. */
void fcn_control_tap_close(
		struct fcn_control *ctl, unsigned int number, struct fcn_tap_counts *counts);

/** A port was removed. */
void fcn_control_tap_forget_port(struct fcn_control *ctl, uint16_t port);

/**
 * The configuration in force.
 *
 * @return valid until the next fcn_control_commit(); never NULL
 */
const struct fcn_config *fcn_control_config(const struct fcn_control *ctl);

/**
 * The snapshot that workers read.
 *
 * @return valid until the next function that may publish another one, as
 *  fcn_control_commit(), fcn_control_host_poll() and fcn_control_attend(); never NULL
 */
const struct fcn_snapshot *fcn_control_snapshot(const struct fcn_control *ctl);

/**
 * What the snapshot in force was built of besides the configuration: links, neighbours found,
 * routes of the kernel.
 *
 * @return valid as long as the snapshot is; never NULL
 */
const struct fcn_build_env *fcn_control_build_env(const struct fcn_control *ctl);

/**
 * A port as the world opened it.
 *
 * @param port number, below FCN_MAX_PORTS
 * @return NULL if no device stands behind this number
 */
const struct fcn_control_port *fcn_control_port(const struct fcn_control *ctl, unsigned int port);

/** The number of workers, at least 1. It never changes. */
unsigned int fcn_control_n_workers(const struct fcn_control *ctl);

/**
 * A worker. While workers run on threads of their own, nothing of it is written and only what says
 * so is read, except by functions that fcn_worker_call() has the worker run.
 *
 * @param number below fcn_control_n_workers()
 */
struct fcn_worker *fcn_control_worker(const struct fcn_control *ctl, unsigned int number);

/** The lcore a worker runs on. @param number below fcn_control_n_workers() */
unsigned int fcn_control_lcore(const struct fcn_control *ctl, unsigned int number);

/** The worker that has the queues of a port. @param port number of an open port */
struct fcn_worker *fcn_control_owner(const struct fcn_control *ctl, unsigned int port);

/**
 * The RCU variable by which worker threads report quiescent states. A worker registers its id
 * there before it begins.
 *
 * @return NULL if workers have no threads of their own (fcn_control_conf.threaded)
 */
struct rte_rcu_qsbr *fcn_control_qsbr(const struct fcn_control *ctl);

/** The collector of the workers' events; never NULL. */
struct fcn_collector *fcn_control_collector(const struct fcn_control *ctl);

/** The host functions; never NULL, though they may be off. */
struct fcn_host *fcn_control_host(const struct fcn_control *ctl);

/**
 * The latest time that is known, nanoseconds of the workers' clock. Each worker has read it at a
 * time of its own; the result never goes back.
 */
uint64_t fcn_control_now(struct fcn_control *ctl);

/** Whether the host functions got something since this was last called. */
bool fcn_control_host_was_busy(struct fcn_control *ctl);

/** What ports and queues carried over about the last second; see fcn_control_measure_rates(). */
const struct fcn_rates *fcn_control_rates(const struct fcn_control *ctl);

/**
 * Read the workers' counters, for rates over the time since the last call. To be called about once
 * a second.
 *
 * @param now nanoseconds of a clock that never goes back
 */
void fcn_control_measure_rates(struct fcn_control *ctl, uint64_t now);

/**
 * Choose whether reading the watermarks of queues leaves them as they are, or starts them afresh
 * (the default). Programs leave them to people.
 */
void fcn_control_keep_watermarks(struct fcn_control *ctl, bool keep);

/** Whether reading the watermarks of queues leaves them as they are. */
bool fcn_control_keeps_watermarks(const struct fcn_control *ctl);

/** Hand a line to the world's log, if it has one. @param line without newline */
void fcn_control_log(const struct fcn_control *ctl, const char *line);

#endif /* FCN_CONTROL_H */
