/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The state of a switch as JSON values. Programs get the values themselves, and people a text that
 * is made of them (fcn_render_text()), so both always get the same.
 *
 * Not thread safe: called by the control thread. Counters of a worker are read between two of its
 * turns. Every function returns a new reference, or NULL on lack of memory. Members are documented
 * in doc/, by the names they have in JSON: times are nanoseconds (_ns), rates bits a second (_bps)
 * and sizes bytes.
 */

#ifndef FCN_SHOW_H
#define FCN_SHOW_H

#include <jansson.h>

#include "fcn_control.h"
#include "fcn_explain.h"

/** Set a member to an unsigned number. */
static inline void
fcn_show_set(json_t *object, const char *key, uint64_t value)
{
	json_object_set_new(object, key, json_integer((json_int_t)value));
}

#define FCN_SHOW_COUNTER(member, name, ...) fcn_show_set(show_to, name, show_from->member);

/** Set members of an object to the counters of a list, see fcn_counter.h. @param from pointer to
 * the structure that has the counters */
#define FCN_SHOW_COUNTERS(o, from, LIST)                             \
	do {                                                         \
		json_t *const show_to = (o);                         \
		const __typeof__(*(from)) *const show_from = (from); \
                                                                     \
		LIST(FCN_SHOW_COUNTER)                               \
	} while (0)

/** Ports and interfaces: settings, link, rates, counters. @param port number, or -1 for all */
json_t *fcn_show_ports(struct fcn_control *ctl, int port);

/**
 * Counters of the drivers of ports' devices, by the drivers' names.
 *
 * @param port number, or -1 for all
 * @param all  also those that are 0
 */
json_t *fcn_show_xstats(struct fcn_control *ctl, int port, bool all);

/** Descriptors of the queues of ports' devices. @param port number, or -1 for all */
json_t *fcn_show_descriptors(struct fcn_control *ctl, int port);

/** Pools of packet buffers, each once. */
json_t *fcn_show_mempools(struct fcn_control *ctl);

/** Members of a port that are columns of a table; the last is NULL. */
extern const char *const fcn_show_port_columns[];

/**
 * Class queues: settings, counters, congestion, waiting times, and the watermarks since
 * fcn_control_clear_watermarks() was last called.
 *
 * @param port  number, or -1 for all
 * @param class number, or -1 for all
 * @param all   also queues without any packet so far; a single queue is shown in any case
 */
json_t *fcn_show_queues(struct fcn_control *ctl, int port, int class, bool all);

/** Members of a queue that are columns of a table; the last is NULL. */
extern const char *const fcn_show_queue_columns[];

/** Packets received, sent and dropped and notices of each port, and the packet accounting. */
json_t *fcn_show_summary(struct fcn_control *ctl);

/** The latest congestion episodes of queues, oldest first. @param last at most so many */
json_t *fcn_show_episodes(struct fcn_control *ctl, int port, int class, unsigned int last);

/** The latest events that the collector keeps, oldest first. @param last at most so many */
json_t *fcn_show_events(struct fcn_control *ctl, unsigned int last);

/** The list of these events alone: it waits for no worker. */
json_t *fcn_show_event_list(struct fcn_control *ctl, unsigned int last);

/** The warnings in force, oldest first. */
json_t *fcn_show_warnings(struct fcn_control *ctl);

/** The shared buffer with its watermarks, and the queues and lossless classes that use it. */
json_t *fcn_show_buffer(struct fcn_control *ctl);

/**
 * Flow control (PFC and PAUSE) of ports and of classes that use it, with watermarks of lossless
 * classes.
 *
 * @param port number, or -1 for all
 */
json_t *fcn_show_pfc(struct fcn_control *ctl, int port);

/** IOAM: the node, namespaces, and what ports added to packets. */
json_t *fcn_show_ioam(struct fcn_control *ctl);
/** Show how trimmed packets go on. */
json_t *fcn_show_trim(struct fcn_control *ctl);

/** Settings of precise flow control. */
json_t *fcn_show_arn(struct fcn_control *ctl);
/** Halts that upstream neighbours are asked for, at most so many, and counters of messages. */
json_t *fcn_show_arn_sent(struct fcn_control *ctl, unsigned int limit);
/** Flows and classes that downstream switches have asked to halt, at most so many flows, with the
 * packets that wait, and counters. */
json_t *fcn_show_arn_held(struct fcn_control *ctl, unsigned int limit);
/** Messages that downstream switches sent, by source, and refused ones by reason. */
json_t *fcn_show_arn_received(struct fcn_control *ctl);
/** Halts that are passed on, and their counters. @param limit halts in the list */
json_t *fcn_show_arn_passed_on(struct fcn_control *ctl, unsigned int limit);
/** The option with the address of a proxy: senders, and what ports inserted and removed. */
json_t *fcn_show_proxy_option(struct fcn_control *ctl);
/** The proxy for congestion notification, with at most so many flows, those notified last. */
json_t *fcn_show_proxy(struct fcn_control *ctl, unsigned int limit);
/** The border of the domain: code points, prefix lists, and packets that ports refused. */
json_t *fcn_show_border(struct fcn_control *ctl);

/** Make the value of `show srv6 policy`: policies, and their segment lists. */
json_t *fcn_show_srv6_policies(struct fcn_control *ctl);
/** Make the value of `show srv6 steering`: the rules by which packets take policies. */
json_t *fcn_show_srv6_steering(struct fcn_control *ctl);
/** Local SIDs of SRv6 with their counters, and ECN fields that tunnels ended with here. */
json_t *fcn_show_srv6_sids(struct fcn_control *ctl);
/** END.CON: its limits, its access list, and the Fast CNPs that it has taken. */
json_t *fcn_show_srv6_endcon(struct fcn_control *ctl);

/**
 * Drops so far, by the port where the packets came in and by reason. Where class queues refused or
 * lost the packets, these queues are listed, as port/class.
 */
json_t *fcn_show_drops(struct fcn_control *ctl);

/** Malformed packets so far, by port and error. */
json_t *fcn_show_errors(struct fcn_control *ctl);

/** Packets that ports gave to the host functions, by kind, with limits. @param port number, or -1
 * for all */
json_t *fcn_show_police(struct fcn_control *ctl, int port);

/** The packet accounting of all workers: every packet is counted in one of its members. */
json_t *fcn_show_conservation(struct fcn_control *ctl);

/** Bridges, with their interfaces and ports. @param bridge number, or -1 for all */
json_t *fcn_show_bridges(struct fcn_control *ctl, int bridge);
/** MAC addresses that bridges have learned, by one list over all workers. */
json_t *fcn_show_macs(struct fcn_control *ctl);
/** Addresses of the switch, with the state of duplicate address detection. */
json_t *fcn_show_addresses(struct fcn_control *ctl);
/** Neighbours: configured, found by ND or ARP, and those of the kernel. */
json_t *fcn_show_neighbours(struct fcn_control *ctl);

#define FCN_SHOW_ALL_TABLES (-1) /**< value of fcn_route_query.table */

/** Which routes are wanted. */
struct fcn_route_query {
	int table;                       /**< number of a table, or FCN_SHOW_ALL_TABLES */
	const struct fcn_prefix *prefix; /**< routes that contain it or are in it; NULL: all */
	uint64_t skip;                   /**< leave out so many of them at the beginning */
	uint64_t limit;                  /**< then list at most so many */
};

/** Routes that a query takes: connected, configured and of the kernel, in this order. All routes
 * are compared with it, so the time grows with their number. */
json_t *fcn_show_some_routes(struct fcn_control *ctl, const struct fcn_route_query *query);
/** Prefixes of senders and their proxies that a query takes, its table aside: configured and
 * learned, by ascending prefix, the one that is used first. */
json_t *fcn_show_pnc(struct fcn_control *ctl, const struct fcn_route_query *query);
/** Learned proxies by protocol: numbers and counters. */
json_t *fcn_show_pnc_protocols(struct fcn_control *ctl);
/** Queue pairs of senders that a query takes, by receiver or by sender: those of the configuration,
 * then those of each host that reports. */
json_t *fcn_show_proxy_qps(struct fcn_control *ctl, const struct fcn_route_query *query);
/** Hosts that report queue pairs, and counters. */
json_t *fcn_show_proxy_hosts(struct fcn_control *ctl);
/** Route tables, with the number of configured routes and the ports that belong to them. */
json_t *fcn_show_tables(struct fcn_control *ctl);
/** How many routes there are in all tables, by origin. */
json_t *fcn_show_route_count(struct fcn_control *ctl);
/** The map from DSCP or PCP to class. */
json_t *fcn_show_class_map(struct fcn_control *ctl);

/** Notices: settings, and the verdicts on packets that met congestion, by queue. */
json_t *fcn_show_notify(struct fcn_control *ctl);

/** Tell why senders get no notices: for each queue, the first condition that is not met. @param
 * port number of a port; -1: all ports */
json_t *fcn_show_notify_missing(struct fcn_control *ctl, int port);
/** Tell what would become of a packet. @param ex of fcn_control_explain(), with the snapshot that
 * is still in force */
json_t *fcn_show_explanation(struct fcn_control *ctl, const struct fcn_explanation *ex);
/** Senders by what is known of them: whether they understand Fast CNPs. */
json_t *fcn_show_senders(struct fcn_control *ctl);

/**
 * Packets, bits and notices a second, of ports and of their queues in use; over the time between
 * the last two calls of fcn_control_measure_rates().
 *
 * @param port number, or -1 for all
 */
json_t *fcn_show_rates(struct fcn_control *ctl, int port);

/**
 * Set members of an object to what the page of the switch draws once a second, "ports", "queues"
 * and "verdicts", in the shortest form: each has the names of the columns, which are those of the
 * members in `show queue`, `show port` and `show notify`, and an array for each row. A name that
 * ends in
 * "_per_s" is a rate over the last second. On lack of memory there are none.
 *
 * Queues: those to which packets came, or that are to tell about congestion. Ports: those with a
 * link of their own. Verdicts: those that were made, summed over all queues.
 */
void fcn_show_feed(struct fcn_control *ctl, json_t *o);

/** The flows about which most notices were sent. @param n at most so many */
json_t *fcn_show_notified_flows(struct fcn_control *ctl, unsigned int n);

/**
 * The flows that brought most bytes to queues while they were congested, by these bytes, with the
 * notices that were sent about them. Flows of which nothing but notices is known come last, by
 * notices, unless a port or a class is chosen.
 *
 * @param port  number, or -1 for all
 * @param class 0 to 7, or -1 for all
 * @param n     at most so many
 */
json_t *fcn_show_flows(struct fcn_control *ctl, int port, int class, unsigned int n);

/** Members of a flow that are columns of a table; the last is NULL. */
extern const char *const fcn_show_flow_columns[];

/** Traced packets: their addresses, operation and numbers, and the steps that they took. @param
 * bytes also their first bytes */
json_t *fcn_show_trace(struct fcn_control *ctl, bool bytes);

/** Members of a traced packet that are columns of a table; the last is NULL. */
extern const char *const fcn_show_trace_columns[];

/** The host functions: settings and counters. */
json_t *fcn_show_host(struct fcn_control *ctl);

/** Workers: their ports, and how busy they are. */
json_t *fcn_show_workers(struct fcn_control *ctl);
/** Members of a worker that are columns of a table; the last is NULL. */
extern const char *const fcn_show_worker_columns[];
/** Get the cycles that workers spend in each stage. */
json_t *fcn_show_stage_cycles(struct fcn_control *ctl);

/** The Linux kernel: its interfaces that stand for ports, with frames both ways, and its routes. */
json_t *fcn_show_kernel(struct fcn_control *ctl);

#endif /* FCN_SHOW_H */
