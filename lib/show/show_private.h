/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * What the files of lib/show share.
 */

#ifndef SHOW_PRIVATE_H
#define SHOW_PRIVATE_H

#include <jansson.h>

#include "fcn_config_scopes.h"
#include "fcn_control.h"
#include "fcn_show.h"

/** Within long lists, fcn_control_attend() is called every so many rows. */
#define FCN_SHOW_PORTION 64

/** Get the name of a port by its number; "-" for one that is gone. */
const char *fcn_show_port_name(const struct fcn_control *ctl, unsigned int port);

/**
 * Sum a member of struct fcn_worker that holds nothing but uint64_t, such as counters, over the
 * workers.
 *
 * @return the sums, to be freed with free(); NULL on lack of memory
 */
#define FCN_SHOW_SUM(ctl, member)                              \
	fcn_show_sum(ctl, offsetof(struct fcn_worker, member), \
			sizeof(((struct fcn_worker *)0)->member))
void *fcn_show_sum(struct fcn_control *ctl, size_t offset, size_t size);

/** Sum the counters of all ports over the workers. @return as FCN_SHOW_SUM(), one for each port
 * number */
struct fcn_port_counters *fcn_show_counters(struct fcn_control *ctl);

/** Tell the state of a port with a link: "up", "down", "err-disabled" or "stalled". */
const char *fcn_show_port_state(const struct fcn_control *ctl, unsigned int port);

/** Tell the detector, and the measure from which on it finds congestion. @return a new reference,
 * or NULL on lack of memory */
json_t *fcn_show_threshold(const struct fcn_detector_conf *d);

/** Tell what became of a notice by its verdict: "sent", "suppressed" or "not due". */
const char *fcn_show_outcome(unsigned int verdict);

/** List the packets that were dropped for one of some reasons, by reason. @param is_of tells
 * whether a reason is one of them */
json_t *fcn_show_refusals(struct fcn_control *ctl, bool (*is_of)(enum fcn_drop_reason reason));

/* Write an address, 16 bytes of an IPv6 address in network byte order, a prefix or a MAC address as
 * a JSON string. They return a new reference, or NULL on lack of memory. */
json_t *fcn_show_addr(const struct fcn_addr *addr);
json_t *fcn_show_addr6(const uint8_t *bytes);
json_t *fcn_show_prefix(const struct fcn_prefix *prefix);
json_t *fcn_show_mac(const struct rte_ether_addr *mac);
/** Write the source or the destination of a flow. */
json_t *fcn_show_flow_addr(const struct fcn_flow_descriptor *flow, const uint8_t *bytes);

/** Append an object to a list. @return it, for its members to be set; NULL on lack of memory */
static inline json_t *
fcn_show_row(json_t *list)
{
	json_t *o = json_object();

	return json_array_append_new(list, o) == 0 ? o : NULL;
}

static inline void
fcn_show_set_bool(json_t *object, const char *key, bool value)
{
	json_object_set_new(object, key, json_boolean(value));
}

/** Set a member to a string; NULL: to null. */
static inline void
fcn_show_set_str(json_t *object, const char *key, const char *value)
{
	json_object_set_new(object, key, value != NULL ? json_string(value) : json_null());
}

/** Append an object about a port to a list. @return as fcn_show_row() */
static inline json_t *
fcn_show_port_row(const struct fcn_control *ctl, json_t *list, unsigned int port)
{
	json_t *o = fcn_show_row(list);

	fcn_show_set_str(o, "port", fcn_show_port_name(ctl, port));
	return o;
}

/** Append an object about a class of a port to a list. @return as fcn_show_row() */
static inline json_t *
fcn_show_class_row(
		const struct fcn_control *ctl, json_t *list, unsigned int port, unsigned int class)
{
	json_t *o = fcn_show_port_row(ctl, list, port);

	fcn_show_set(o, "class", class);
	return o;
}

/** Set a member to a number, or to null where there is none. */
static inline void
fcn_show_set_known(json_t *object, const char *key, bool known, uint64_t value)
{
	json_object_set_new(object, key, known ? json_integer((json_int_t)value) : json_null());
}

/** Set a member to a level, or to null for FCN_LEVEL_NONE. */
static inline void
fcn_show_set_level(json_t *object, const char *key, int level)
{
	fcn_show_set_known(object, key, level != FCN_LEVEL_NONE, level);
}

/** Tell whether a port exists and is the chosen one; a negative choice means all ports. */
static inline bool
fcn_show_is_chosen(const struct fcn_control *ctl, unsigned int port, int choice)
{
	return fcn_control_config(ctl)->port[port].name[0] != '\0' &&
	       (choice < 0 || (unsigned int)choice == port);
}

/** Add a worker's account of a lossless class to the sum over all workers. The sum of the
 * watermarks is an upper bound, since workers may reach them at different times. */
static inline void
fcn_show_add_ingress(struct fcn_ingress *sum, const struct fcn_ingress *c)
{
	sum->used += c->used;
	sum->headroom += c->headroom;
	sum->used_max += c->used_max;
	sum->headroom_max += c->headroom_max;
	FCN_COUNTERS_ADD(sum, c, FCN_INGRESS_COUNTERS);
}

/** Set the members of an object that tell what the headers of a traced packet say. */
void fcn_show_trace_packet(const struct fcn_trace_record *r, json_t *o);

/** Make the value of `show trace` of one worker's traces, none of which another worker has begun.
 */
json_t *fcn_show_trace_of(struct fcn_control *ctl, struct fcn_trace *trace);

/** Tell the detector, and the measure from which on it finds congestion. */
json_t *fcn_show_threshold(const struct fcn_detector_conf *d);

/** Set the members of an object that tell the flow of an Adaptive Routing Notification. */
void fcn_show_descriptor(const struct fcn_flow_descriptor *flow, json_t *o);

/** Append the routes of the kernel that a query takes, and the neighbours of the kernel. */
void fcn_show_kernel_routes(struct fcn_control *ctl, struct fcn_route_query *q, json_t *list);
void fcn_show_kernel_neighbours(struct fcn_control *ctl, json_t *list);
/** Set the members of a row of `show table` that are about the kernel's table that it follows. */
void fcn_show_kernel_table(const struct fcn_control *ctl, unsigned int table,
		const struct fcn_kernel_info *info, json_t *o);

/** Tell whether a query takes a route. Counts down q->skip and q->limit. */
bool fcn_show_is_wanted(struct fcn_route_query *q, const struct fcn_prefix *route);

/** Make the sums of the notices that are sent to END.CON over all queues, as they stand in `show
 * notify`. */
json_t *fcn_show_endcon_notices(struct fcn_control *ctl);

/** Get the state of a gateway of a table in the current snapshot: "resolved" if its MAC address is
 * known, else "no neighbour". */
const char *fcn_show_next_hop(const struct fcn_control *ctl, unsigned int table, uint16_t port,
		const struct fcn_addr *via);

/** Append the neighbours, and the senders, that the host functions found. */
void fcn_show_found_neighbours(struct fcn_control *ctl, json_t *list);
void fcn_show_found_senders(struct fcn_control *ctl, json_t *list);

#endif /* SHOW_PRIVATE_H */
