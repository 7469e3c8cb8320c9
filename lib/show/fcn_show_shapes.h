/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The shapes of the JSON values that lib/show makes, see fcn_shape.h. Each has the name of the
 * function of its `show` in FCN_SHOWS, and is beside those of the same concern in a file
 * shape_*.c. A `show` and its shape change together: a test of every show fails if they differ.
 */

#ifndef FCN_SHOW_SHAPES_H
#define FCN_SHOW_SHAPES_H

#include "fcn_shape.h"

/* shape_port.c */
extern const struct fcn_shape fcn_shape_summary, fcn_shape_ports, fcn_shape_xstats,
		fcn_shape_descriptors, fcn_shape_mempools, fcn_shape_rates, fcn_shape_drops,
		fcn_shape_errors, fcn_shape_conservation, fcn_shape_workers, fcn_shape_stage_cycles;

/* shape_queue.c */
extern const struct fcn_shape fcn_shape_queues, fcn_shape_episodes, fcn_shape_buffer, fcn_shape_pfc,
		fcn_shape_notify, fcn_shape_notify_missing, fcn_shape_flows,
		fcn_shape_notified_flows, fcn_shape_senders, fcn_shape_class_map;

/** Sums of one kind of notice, as `show notify` and `show srv6 endcon` have them. */
extern const struct fcn_shape fcn_shape_notice_kind[];

/* shape_route.c */
extern const struct fcn_shape fcn_shape_bridges, fcn_shape_macs, fcn_shape_addresses,
		fcn_shape_routes, fcn_shape_tables, fcn_shape_route_count, fcn_shape_neighbours,
		fcn_shape_host, fcn_shape_police, fcn_shape_kernel, fcn_shape_border,
		fcn_shape_ioam, fcn_shape_srv6_policies, fcn_shape_srv6_steering,
		fcn_shape_srv6_sids, fcn_shape_srv6_endcon;

/* shape_proxy.c */
extern const struct fcn_shape fcn_shape_arn, fcn_shape_arn_held, fcn_shape_arn_passed_on,
		fcn_shape_arn_sent, fcn_shape_arn_received, fcn_shape_proxy, fcn_shape_proxy_option,
		fcn_shape_pnc, fcn_shape_pnc_protocols;

/* shape_watch.c */
extern const struct fcn_shape fcn_shape_events, fcn_shape_warnings, fcn_shape_trace;

/* What several shapes have in common. */
#define SHAPE_PORT SHAPE_STRING("port", "Name of the port")
#define SHAPE_CLASS SHAPE_INTEGER("class", "Class, 0 to 7")
#define SHAPE_REFUSALS                                                                      \
	SHAPE_LIST("refusals", "Messages that were refused, by reason",                     \
			((const struct fcn_shape[]){SHAPE_STRING("reason", "Drop reason"),  \
					SHAPE_INTEGER("packets", "Packets dropped for it"), \
					SHAPE_STRING("reason_text", "The reason in words"), \
					SHAPE_END}))
/** The flow of a notice, or none: SHAPE_DESCRIPTOR(STRING), SHAPE_DESCRIPTOR(MAYBE_STRING). */
#define SHAPE_DESCRIPTOR(MAYBE)                                                      \
	SHAPE_##MAYBE##STRING("source", "Source address of the flow"),               \
			SHAPE_##MAYBE##STRING("destination", "Destination address"), \
			SHAPE_##MAYBE##INTEGER("protocol", "IP protocol"),           \
			SHAPE_##MAYBE##INTEGER("source_port", "UDP source port"),    \
			SHAPE_##MAYBE##INTEGER("destination_port", "UDP destination port")

#endif /* FCN_SHOW_SHAPES_H */
