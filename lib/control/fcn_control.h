/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The control of one switch. It owns the running configuration, the snapshot that is made of it,
 * and the workers that read the snapshot; it opens and closes ports, runs the host functions and
 * follows links and the routes of the kernel. What the program around it has to provide is struct
 * fcn_platform.
 *
 * fcn_control_commit() applies a configuration. The functions named _poll do periodic work;
 * the program calls them from its loop.
 *
 * Not thread safe: one thread calls all functions, the control thread. Workers may run on threads
 * of their own meanwhile. Times are nanoseconds of the workers' clock unless a function says
 * otherwise. Where a function writes a line to err, it is for people, has neither newline nor full
 * stop, and is written on failure only.
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
#include "fcn_platform.h"
#include "fcn_rates.h"
#include "fcn_worker_group.h"

/** Parameters of a control. */
struct fcn_control_conf {
	const char *name; /**< unique in the process, at most 8 characters; copied */
	const struct fcn_platform *platform; /**< must outlive the control */
	int socket;                          /**< NUMA node of the tables, and of a single worker */
	struct rte_mempool *pool;            /**< of the host functions, and of a single worker */
	unsigned int n_workers; /**< 0: a single one, with the socket and the pool above */
	struct fcn_control_worker {
		unsigned int lcore; /**< lcore on which the platform runs the worker; only shown */
		int socket;         /**< NUMA node */
		struct rte_mempool *pool;
	} worker[FCN_MAX_WORKERS]; /**< n_workers of them */
	/** Packet buffers of the smallest of these pools, if received packets are in them; 0: they
	 * are in others. */
	uint32_t buffers;
	bool threaded;         /**< the workers run on other threads than the control */
	uint32_t events;       /**< records in the event ring of each worker, 0: no ring */
	uint32_t mac_entries;  /**< MAC addresses that each worker can learn */
	uint32_t flow_sets;    /**< size of each worker's rate-limit cache of flows */
	uint32_t dest_sets;    /**< size of each worker's rate-limit cache of receivers */
	uint32_t destinations; /**< destinations whose next hops each worker remembers, 32 bytes
				  each */
	uint64_t seed;         /**< seed of the random numbers of workers, as for RED */
	/** Key of the hash functions over packets, for the choice among equal paths and for tables.
	 * With 0, every run has the same results; a live switch has a secret one. */
	uint64_t hash_secret;
	uint64_t epoch_ns; /**< see fcn_control_set_epoch() */
	/** For `show stage cycles`: see struct fcn_worker_conf; NULL: there is no such counter. */
	uint64_t (*read_cycles)(void);
};

struct fcn_control;

/* ---- life ---- */

/**
 * Create a control, with workers that have no ports and an empty running configuration.
 *
 * @return NULL on failure
 */
struct fcn_control *fcn_control_create(
		const struct fcn_control_conf *conf, char *err, size_t err_size);

/** Free a control and close its ports. The workers must have stopped. NULL is allowed. */
void fcn_control_free(struct fcn_control *ctl);

/**
 * Apply a configuration completely or not at all: ports are opened, a snapshot is built
 * and published, and removed ports are closed. Workers continue to forward meanwhile.
 *
 * @param cfg belongs to ctl on success, and still to the caller on failure
 * @return 0; -1 on failure, and then everything is as before
 */
int fcn_control_commit(struct fcn_control *ctl, struct fcn_config *cfg, char *err, size_t err_size);

/**
 * Tell whether the last fcn_control_commit() failed because a device or something of the kernel was
 * not there or in use, and not because of the configuration: so it may succeed later.
 */
bool fcn_control_is_unavailable(const struct fcn_control *ctl);

/** The port because of whose device the last fcn_control_commit() was unavailable, a number of the
 * configuration that was not applied. @return -1: there is none */
int fcn_control_lacking(const struct fcn_control *ctl);

/**
 * Find the ports for which fcn_control_commit() would refuse a configuration because they are open
 * with another device or worker, or are no interfaces: they have to be removed before.
 *
 * @param set result
 */
void fcn_control_conflicts(const struct fcn_control *ctl, const struct fcn_config *cfg,
		struct fcn_port_set *set);

/**
 * Check whether fcn_control_commit() would apply a configuration, and change nothing. Devices and
 * what is of the kernel are not looked for, so these may still be missing then.
 *
 * @param warnings result: the warnings that would come of the configuration and what is known now,
 *                 those that are in force among them; NULL: nobody asks
 * @return 0; -1: it would be refused
 */
int fcn_control_check(struct fcn_control *ctl, const struct fcn_config *cfg,
		struct fcn_warnings *warnings, char *err, size_t err_size);

/* ---- what the program's loop calls ---- */

/**
 * Run the host functions: they process the packets that workers punted, and expired timers.
 * Neighbours and senders that they have learned are published in a new snapshot. This is called at
 * every event in virtual time, and about every millisecond otherwise.
 *
 * @param now the workers' clock
 * @return time of the next call if no packet arrives before; FCN_HOST_NEVER: none
 */
uint64_t fcn_control_host_poll(struct fcn_control *ctl, uint64_t now);

/**
 * Close ports of bridges that are part of a forwarding loop, if that is configured, and open closed
 * ports that are due. Loops are detected by events of workers, so this is called whenever the
 * collector was drained. A change publishes a snapshot.
 *
 * @param now the workers' clock
 * @return time at which the next port is to be opened; FCN_HOST_NEVER: none
 */
uint64_t fcn_control_err_disable_poll(struct fcn_control *ctl, uint64_t now);

/**
 * Open ports now that were closed because of a loop.
 *
 * @param ports those that are not closed do not matter
 * @return number of ports opened; -ENOMEM: memory is exhausted, and none was opened
 */
int fcn_control_err_disable_clear(struct fcn_control *ctl, const struct fcn_port_set *ports);

/**
 * Get the time until a port is opened that was closed because of a loop.
 *
 * @return nanoseconds; FCN_HOST_NEVER: it is not closed, or opens by
 *  fcn_control_err_disable_clear() only
 */
uint64_t fcn_control_err_disable_left(struct fcn_control *ctl, unsigned int port);

/**
 * Read the state of the ports' links. Routes, bridges, queues and defaults that depend on a link's
 * speed follow what changed, and each change is logged. To be called a few times a second, and when
 * a device says that its link changed.
 */
void fcn_control_link_poll(struct fcn_control *ctl);

/**
 * Take frames and messages from the Linux kernel. Changes of its routes go into a new snapshot. To
 * be called as often as fcn_control_host_poll(), and when there is input at
 * fcn_control_kernel_fd().
 *
 * @param now the workers' clock
 * @return time of the next call if no input arrives before; FCN_HOST_NEVER: none
 */
uint64_t fcn_control_kernel_poll(struct fcn_control *ctl, uint64_t now);

/** A descriptor to poll for input; -1: there is none. A commit may change it. */
int fcn_control_kernel_fd(const struct fcn_control *ctl);

/**
 * Compare the workers' counters with those of the last call, and record an event in the collector
 * when drops, suppressed notices, policed packets or drops at the border begin. This is called once
 * a second.
 */
void fcn_control_counter_events(struct fcn_control *ctl);

/**
 * Read the workers' counters, for rates over the time since the last call. To be called about once
 * a second.
 *
 * @param now nanoseconds of a clock that never goes back
 */
void fcn_control_measure_rates(struct fcn_control *ctl, uint64_t now);

/**
 * Look whether the workers' threads turn. One that stalls or recovers is logged and is an event;
 * one that recovers gets the snapshot in force, and does what it has missed. To be called at least
 * every 10 ms or so.
 */
void fcn_control_workers_poll(struct fcn_control *ctl);

/** Move the events of all workers to the collector, see fcn_collector_drain(). */
void fcn_control_drain(struct fcn_control *ctl);

/**
 * Whether the host functions, or the kernel, got a packet since the last call. Then more is likely
 * to come soon.
 */
bool fcn_control_host_was_busy(struct fcn_control *ctl);

/* ---- long work ---- */

/**
 * Run work(arg), which the kernel, a disk or a device may hold up. Where the platform can, it runs
 * on another thread, and the control thread answers neighbours until it is done. So when this
 * returns, neighbours may have been learned and a new snapshot of the same configuration published.
 */
void fcn_control_aside(struct fcn_control *ctl, void (*work)(void *arg), void *arg);

/**
 * Answer neighbours, if it is time. To be called about every 100 us within a long computation of
 * the control thread, at places where neighbours may be learned and a snapshot published.
 */
void fcn_control_attend(struct fcn_control *ctl);

/* ---- what is running, and what is known ---- */

/**
 * The running configuration.
 *
 * @return valid until the next fcn_control_commit(); never NULL
 */
const struct fcn_config *fcn_control_config(const struct fcn_control *ctl);

/** The number of times that a configuration was applied. */
uint64_t fcn_control_commits(const struct fcn_control *ctl);

/**
 * The snapshot that workers read.
 *
 * @return valid until the next function that may publish another one, as
 *  fcn_control_commit(), fcn_control_host_poll() and fcn_control_attend(); never NULL
 */
const struct fcn_snapshot *fcn_control_snapshot(const struct fcn_control *ctl);

/**
 * What the current snapshot was built of besides the configuration: links, neighbours found,
 * routes of the kernel.
 *
 * @return valid as long as the snapshot is; never NULL
 */
const struct fcn_build_env *fcn_control_build_env(const struct fcn_control *ctl);

/**
 * A port as the platform opened it.
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

/** What ports and queues carried over about the last second; see fcn_control_measure_rates(). */
const struct fcn_rates *fcn_control_rates(const struct fcn_control *ctl);

/** The kernel's interfaces and routes, see fcn_kernel.h; never NULL, though they may be off. */
struct fcn_kernel *fcn_control_kernel(const struct fcn_control *ctl);

/* In `show kernel`; the form of the list is described in fcn_counter.h. */
#define FCN_CONTROL_KERNEL_COUNTERS(X)                \
	X(builds, "builds", COUNTER, "kernel_builds", \
			"Times that changes of the Linux kernel's routes were applied")

/** Counts of routes of the kernel that went into snapshots. */
struct fcn_control_kernel_builds {
	FCN_CONTROL_KERNEL_COUNTERS(FCN_COUNTER_MEMBER)
	uint64_t left_out; /**< paths beyond those that a route can have */
};

/** Get the counts of routes of the kernel that went into snapshots. */
void fcn_control_kernel_builds(
		const struct fcn_control *ctl, struct fcn_control_kernel_builds *builds);

/**
 * The warnings in force, oldest first.
 *
 * @return valid until the next function that may publish a snapshot; never NULL
 */
const struct fcn_warnings *fcn_control_warnings(const struct fcn_control *ctl);
/** The number of warnings that ever were. Each has a number of its own, from 0 on; one whose reason
 * changes gets another. */
uint64_t fcn_control_warnings_total(const struct fcn_control *ctl);
/** Raise a warning that does not come from a snapshot, see fcn_warn(). It lasts until
 * fcn_control_warning_over(). */
void fcn_control_warn(struct fcn_control *ctl, enum fcn_warning_kind kind, unsigned int port,
		const char *place, const char *fmt, ...) __attribute__((format(printf, 5, 6)));
/** End a warning of fcn_control_warn(), if there is one of this kind and place. */
void fcn_control_warning_over(
		struct fcn_control *ctl, enum fcn_warning_kind kind, const char *place);

/** Report an event with words, see FCN_EVENTS_WORDED. */
void fcn_control_note(struct fcn_control *ctl, enum fcn_event_type type,
		const struct fcn_event_text *words);

/** Tell whether the platform has a log. */
bool fcn_control_has_log(const struct fcn_control *ctl);
/** Write a line to the platform's log, if there is one. @param line without newline */
void fcn_control_log(const struct fcn_control *ctl, const char *line);

/* ---- what workers do between two turns ---- */

/**
 * Have every worker run fn(worker, arg), one worker after the other, as by fcn_worker_call().
 *
 * @return bit set of the workers that did not, because they are stalled
 */
uint32_t fcn_control_call(struct fcn_control *ctl, void (*fn)(struct fcn_worker *w, void *arg),
		void *arg, size_t size);

/** Have a function read the state of every worker, one after the other, as by fcn_worker_read(). */
void fcn_control_read(struct fcn_control *ctl, void (*fn)(struct fcn_worker *w, void *arg),
		void *arg, size_t size);

/** Tell whether a worker is stalled. @param worker below fcn_control_n_workers() */
bool fcn_control_is_stalled(const struct fcn_control *ctl, unsigned int worker);

/**
 * Check that all workers turn, before a change that needs them.
 *
 * @return 0; -EAGAIN: one is stalled, and err names it
 */
int fcn_control_need_workers(struct fcn_control *ctl, char *err, size_t err_size);

/**
 * Tell workers the time of day, for timestamps of IOAM.
 *
 * @param epoch_ns nanoseconds since 1970 when the workers' clock was 0
 */
void fcn_control_set_epoch(struct fcn_control *ctl, uint64_t epoch_ns);

/**
 * Sum up the packet accounting of all workers. They are read one after the other; packets that go
 * from one to another meanwhile are in `between`, so the sum holds at any time.
 */
void fcn_control_conservation(struct fcn_control *ctl, struct fcn_conservation *sum);

/**
 * Set all counters of workers, collector and kernel interfaces to 0. Watermarks stay.
 *
 * @return 0; -EAGAIN: a worker is stalled, err names it, and nothing was cleared
 */
int fcn_control_clear_counters(struct fcn_control *ctl, char *err, size_t err_size);

/**
 * Reset the watermarks of queues, of the buffer, of lossless classes and of held traffic to the
 * present values. Nothing else resets them.
 *
 * @return as fcn_control_clear_counters()
 */
int fcn_control_clear_watermarks(struct fcn_control *ctl, char *err, size_t err_size);

/**
 * Forget all MAC addresses that bridges have learned.
 *
 * @param n how many the worker forgot that had most of them
 * @return as fcn_control_clear_counters()
 */
int fcn_control_clear_macs(struct fcn_control *ctl, unsigned int *n, char *err, size_t err_size);

/* ---- traces of packets ---- */

/**
 * Have each worker trace the next n packets that a filter takes, as far as it has room.
 *
 * @param condition those for which it does not hold are not kept; copied; NULL: all are
 * @param filter    expression of pcap-filter(7), NULL: every packet
 * @return 0; -1: the filter is wrong, no worker has room, or a worker is stalled
 */
int fcn_control_trace_add(struct fcn_control *ctl, uint32_t n,
		const struct fcn_trace_condition *condition, const char *filter, char *err,
		size_t err_size);

/** Forget all traces, and trace no more packets. @return as fcn_control_clear_counters() */
int fcn_control_trace_clear(struct fcn_control *ctl, char *err, size_t err_size);

/**
 * Compile a filter of Ethernet frames. This needs no control.
 *
 * @param text expression of pcap-filter(7)
 * @param filter result, to be freed with pcap_freecode()
 * @return 0; -EINVAL: the expression is wrong; -ENOMEM
 */
int fcn_control_filter_compile(
		const char *text, struct bpf_program *filter, char *err, size_t err_size);

/* ---- captures of packets: each has a tap in every worker ---- */

/** What workers count of a tap. */
struct fcn_tap_counts {
	uint64_t missed[FCN_MAX_PORTS]; /**< packets by port, for which the ring had no room */
	uint64_t time_ns;               /**< latest time of a worker, nanoseconds since 1970 */
};

/**
 * Give every worker a ring for what it captures, if it has none. Rings stay until the end.
 *
 * @param units size of each ring, see fcn_capture_ring_create()
 * @return 0 or a negative errno; -EAGAIN: a worker is stalled
 */
int fcn_control_tap_prepare(struct fcn_control *ctl, uint32_t units);

/**
 * Have workers capture packets. fcn_control_tap_prepare() comes first.
 *
 * @param number of the tap, below FCN_CAPTURE_MAX
 * @param tap what is captured; copied
 */
void fcn_control_tap_open(
		struct fcn_control *ctl, unsigned int number, const struct fcn_capture_tap *tap);

/** Get what workers have counted of a tap so far. */
void fcn_control_tap_read(
		struct fcn_control *ctl, unsigned int number, struct fcn_tap_counts *counts);

/**
 * End a capture. When this returns, all that it captured is in the rings, and its filter is not
 * used any more.
 *
 * @param counts as fcn_control_tap_read() would give them
 * @return 0; -EAGAIN: a worker is stalled and may still use the filter: call it again later
 */
int fcn_control_tap_close(
		struct fcn_control *ctl, unsigned int number, struct fcn_tap_counts *counts);

/** Have no tap capture packets of a port any more, as the number may come to be another port's. */
void fcn_control_tap_forget_port(struct fcn_control *ctl, uint16_t port);

#endif /* FCN_CONTROL_H */
