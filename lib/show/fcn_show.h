/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * What there is to see of a switch, as JSON values: programs get them as they
 * are, people as text (fcn_render_text()), so both always say the same.
 *
 * Called by the control thread; figures of a worker are read between two of
 * its turns. Every function returns a new reference, or NULL on lack of memory.
 */

#ifndef FCN_SHOW_H
#define FCN_SHOW_H

#include <jansson.h>

#include "fcn_control.h"

/** Ports: settings, traffic. @param port number, or -1 for all. */
json_t *fcn_show_ports(struct fcn_control *ctl, int port);

/**
 * Class queues: settings, traffic, congestion, waiting times, watermarks.
 * Reading starts the watermarks afresh.
 *
 * @param port  number, or -1 for all
 * @param class number, or -1 for all
 * @param all   also those that nothing went through; a single queue is shown in any case
 */
json_t *fcn_show_queues(struct fcn_control *ctl, int port, int class, bool all);

/** Members of a queue that a table has room for; the last is NULL. */
extern const char *const fcn_show_queue_columns[];

/** Congestion episodes of queues, in the order they began. @param last at most so many */
json_t *fcn_show_episodes(struct fcn_control *ctl, int port, int class, unsigned int last);

/** The last events of queues and classes, oldest first. */
json_t *fcn_show_events(struct fcn_control *ctl, unsigned int last);

/** The shared buffer and the accounts with something on them. Reading starts its watermarks
 * afresh. */
json_t *fcn_show_buffer(struct fcn_control *ctl);

/**
 * Flow control of ports and of the classes that have to do with it. Reading
 * starts the watermarks of lossless classes afresh.
 *
 * @param port number, or -1 for all
 */
json_t *fcn_show_pfc(struct fcn_control *ctl, int port);

/** IOAM: node, namespaces, ports with what they added. */
json_t *fcn_show_ioam(struct fcn_control *ctl);

/** The domain's border: code points, lists, ports with what they did not let through. */
json_t *fcn_show_border(struct fcn_control *ctl);

/**
 * Drops by the port the packets came in by and reason, those that happened; with those that a class
 * queue refused or lost, the queues where they were to leave, as port/class.
 */
json_t *fcn_show_drops(struct fcn_control *ctl);

/** Packets with defects, by port and defect, those that happened. */
json_t *fcn_show_errors(struct fcn_control *ctl);

/** The ledger: every packet is in one of its lines. */
/** What ports left to the host functions, by kind. @param port number, or -1: all */
json_t *fcn_show_police(struct fcn_control *ctl, int port);
json_t *fcn_show_conservation(struct fcn_control *ctl);

/** Bridges, their interfaces and ports. @param bridge number, or -1 for all */
json_t *fcn_show_bridges(struct fcn_control *ctl, int bridge);
json_t *fcn_show_macs(struct fcn_control *ctl);
json_t *fcn_show_addresses(struct fcn_control *ctl);
json_t *fcn_show_neighbours(struct fcn_control *ctl);

/** Which routes are wanted. */
struct fcn_route_query {
	const struct fcn_prefix *prefix; /**< those that hold it and those in it; NULL: all */
	uint64_t skip;                   /**< so many of them in front are left out */
	uint64_t limit;                  /**< and so many follow at most */
};

/** Some of the routes, in their order. Cost: a look at each, and the answer. */
json_t *fcn_show_some_routes(struct fcn_control *ctl, const struct fcn_route_query *query);
/** How many there are, by kind. */
json_t *fcn_show_route_count(struct fcn_control *ctl);
json_t *fcn_show_class_map(struct fcn_control *ctl);

/** Notices: policy, and what became of packets that met congestion, by queue and verdict. */
json_t *fcn_show_notify(struct fcn_control *ctl);
json_t *fcn_show_senders(struct fcn_control *ctl);

/**
 * Packets, bits and notices a second, of ports and of their queues in use, over about the last
 * second.
 *
 * @param port number, or -1 for all
 */
json_t *fcn_show_rates(struct fcn_control *ctl, int port);

/** The flows notified most. */
json_t *fcn_show_flows(struct fcn_control *ctl, unsigned int n);

/** Traced packets: the stages they met, with what each decided. */
json_t *fcn_show_trace(struct fcn_control *ctl);

/** Host functions: what is configured, what they did. */
json_t *fcn_show_host(struct fcn_control *ctl);

/** Workers: what is theirs, and how busy they are. */
json_t *fcn_show_workers(struct fcn_control *ctl);
extern const char *const fcn_show_worker_columns[];

/** The kernel's interfaces and routes: what is taken from where, frames both ways. */
json_t *fcn_show_kernel(struct fcn_control *ctl);

#endif /* FCN_SHOW_H */
