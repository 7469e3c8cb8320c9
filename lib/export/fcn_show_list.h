/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The list of all `show` commands. The console's commands with their help and completion, DPDK's
 * telemetry, the metrics and the API over HTTP, the schema of the shows and the tables in the
 * documentation are made from it.
 *
 * To add a `show`, add one line to FCN_SHOWS, one function to fcn_show_list.c that returns its JSON
 * value, and the shape of this value, fcn_shape_FUNCTION, to fcn_show_shapes.h. `show config` is no
 * part of the list: it writes commands and has no JSON form.
 *
 * The control thread makes all calls.
 */

#ifndef FCN_SHOW_LIST_H
#define FCN_SHOW_LIST_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#include "fcn_capture_control.h"
#include "fcn_control.h"
#include "fcn_show_shapes.h"

struct fcn_exports;

/*
 * The arguments that a `show` can have. FCN_SHOW_SYNTAX_* is what the console accepts: the name,
 * with the arguments behind it or, where a port has more than one `show`, within it.
 * FCN_SHOW_PARAMETERS_* names the parameters that telemetry accepts, in order and separated by
 * commas: port, bridge, class or number. All of them may be left out.
 */
#define FCN_SHOW_SYNTAX_NONE(name) name ""
#define FCN_SHOW_PARAMETERS_NONE NULL
#define FCN_SHOW_SYNTAX_PORT(name) name " [<port:name>]"
#define FCN_SHOW_PARAMETERS_PORT "port"
#define FCN_SHOW_SYNTAX_XSTATS(name) "port [<port:name>] xstats [all]"
#define FCN_SHOW_PARAMETERS_XSTATS NULL
#define FCN_SHOW_SYNTAX_DESCRIPTORS(name) "port [<port:name>] descriptors"
#define FCN_SHOW_PARAMETERS_DESCRIPTORS "port"
#define FCN_SHOW_SYNTAX_QUEUES(name) name " [<port:name>] [class <class:class>] [all]"
#define FCN_SHOW_PARAMETERS_QUEUES "port,class"
#define FCN_SHOW_SYNTAX_EPISODES(name) name " [<port:name>] [class <class:class>] [last <n:number>]"
#define FCN_SHOW_PARAMETERS_EPISODES "port,class"
#define FCN_SHOW_SYNTAX_BRIDGE(name) name " [<bridge:name>]"
#define FCN_SHOW_PARAMETERS_BRIDGE "bridge"
#define FCN_SHOW_SYNTAX_LAST(name) name " [last <n:number>]"
#define FCN_SHOW_PARAMETERS_LAST "number"
#define FCN_SHOW_SYNTAX_LIMIT(name) name " [limit <n:number>]"
#define FCN_SHOW_PARAMETERS_LIMIT "number"
#define FCN_SHOW_SYNTAX_TOP_FLOWS(name) \
	name " [<port:name>] [class <class:class>] [limit <n:number>]"
#define FCN_SHOW_PARAMETERS_TOP_FLOWS "number"
#define FCN_SHOW_SYNTAX_BYTES(name) name " [bytes]"
#define FCN_SHOW_PARAMETERS_BYTES NULL
#define FCN_SHOW_SYNTAX_PREFIXES(name) \
	name " [<prefix:prefix>] [skip <skip:number>] [limit <n:number>]"
#define FCN_SHOW_PARAMETERS_PREFIXES NULL
#define FCN_SHOW_SYNTAX_ROUTES(name) \
	name " [<prefix:prefix>] [table <table:name>] [skip <skip:number>] [limit <n:number>]"
#define FCN_SHOW_PARAMETERS_ROUTES NULL

/*
 * What the text form on the console contains: the whole value, or some columns of a list, where
 * `detail` asks for the whole value.
 */
#define FCN_SHOW_DETAIL_WHOLE ""
#define FCN_SHOW_COLUMNS_WHOLE NULL
#define FCN_SHOW_DETAIL_PORTS " [detail]"
#define FCN_SHOW_COLUMNS_PORTS fcn_show_port_columns
#define FCN_SHOW_DETAIL_QUEUE " [detail]"
#define FCN_SHOW_COLUMNS_QUEUE fcn_show_queue_columns
#define FCN_SHOW_DETAIL_TOP_FLOWS " [detail]"
#define FCN_SHOW_COLUMNS_TOP_FLOWS fcn_show_flow_columns
#define FCN_SHOW_DETAIL_TRACE ""
#define FCN_SHOW_COLUMNS_TRACE fcn_show_trace_columns
#define FCN_SHOW_DETAIL_WORKER " [detail]"
#define FCN_SHOW_COLUMNS_WORKER fcn_show_worker_columns

/*
 * Whether the size of the answer is bounded by the number of ports, queues and the like. Telemetry
 * offers only these: its commands must not keep the control thread for long.
 */
#define FCN_SHOW_IS_BOUNDED true
#define FCN_SHOW_IS_UNBOUNDED false

/**
 * X(name, arguments, text form, size, function, help, more help)
 *
 * The function is get_FUNCTION() in fcn_show_list.c. The first part of the help is a phrase
 * without a full stop that also stands in telemetry, with at most 90 characters. The console and
 * its documentation add the second part.
 */
#define FCN_SHOWS(X)                                                                              \
	X("status", NONE, WHOLE, BOUNDED, status,                                                 \
			"Show whether the switch forwards, since when, and its configuration "    \
			"file",                                                                   \
			", whether the running configuration is saved in it, ports with a "       \
			"link, workers, warnings, and notices per second")                        \
	X("summary", NONE, WHOLE, BOUNDED, summary,                                               \
			"Show packets received, sent and dropped by port, with the packet "       \
			"accounting",                                                             \
			". stop, shutdown and quit at the switch's own console show this, too")   \
	X("port", PORT, PORTS, BOUNDED, ports,                                                    \
			"Show the ports with their state, speed, rates, drops and notices",       \
			"; detail adds settings and all counters. Rates are those of the last "   \
			"second on a live switch")                                                \
	X("port xstats", XSTATS, WHOLE, UNBOUNDED, xstats,                                        \
			"Show the counters that the drivers of ports' devices keep, if they "     \
			"are not 0",                                                              \
			"; all includes those that are 0. The names are those of the driver")     \
	X("port descriptors", DESCRIPTORS, WHOLE, BOUNDED, descriptors,                           \
			"Show the descriptors of the queues of ports' devices, and how many "     \
			"are in use",                                                             \
			": received frames that wait for the worker, and frames that are not "    \
			"sent yet; - where the device does not report it")                        \
	X("mempool", NONE, WHOLE, BOUNDED, mempools,                                              \
			"Show the pools of packet buffers, and how many buffers are in use",      \
			". Caches of threads count as available")                                 \
	X("queue", QUEUES, QUEUE, BOUNDED, queues,                                                \
			"Show the class queues in use with their occupancy, congestion "          \
			"and ECN marks",                                                          \
			"; all includes class queues that were never used, and detail "           \
			"adds settings and all counters. occ_min, occ_avg and occ_max are "       \
			"those since the last `clear watermarks`")                                \
	X("rates", PORT, WHOLE, BOUNDED, rates,                                                   \
			"Show packets, bits and notices per second, measured over the "           \
			"last second",                                                            \
			", for ports and their class queues in use. Only a live switch "          \
			"measures rates")                                                         \
	X("episodes", EPISODES, WHOLE, BOUNDED, episodes,                                         \
			"Show the congestion episodes of class queues, in the order in "          \
			"which they began",                                                       \
			". An episode without an end is not over yet")                            \
	X("events", LAST, WHOLE, BOUNDED, events,                                                 \
			"Show the last events, such as congestion, flow control and "             \
			"loss in lossless classes",                                               \
			"")                                                                       \
	X("warnings", NONE, WHOLE, BOUNDED, warnings,                                             \
			"Show where the switch differs from its configuration, and why",          \
			", for example a rate that the present speed of a link does not allow. "  \
			"A warning is over when what it says is no longer the case")              \
	X("log", LAST, WHOLE, UNBOUNDED, log,                                                     \
			"Show the last lines that the program has logged, 50 by default",         \
			" and at most 256, with the time, UTC. Only a live switch keeps them")    \
	X("buffer", NONE, WHOLE, BOUNDED, buffer,                                                 \
			"Show the shared buffer and the queues and lossless classes "             \
			"that occupy it",                                                         \
			". Highest values are those since the last `clear watermarks`")           \
	X("pfc", PORT, WHOLE, BOUNDED, pfc,                                                       \
			"Show priority flow control of ports and classes, sent and received",     \
			". Highest values are those since the last `clear watermarks`")           \
	X("ioam", NONE, WHOLE, BOUNDED, ioam,                                                     \
			"Show the IOAM node and namespaces, and by port the packets "             \
			"that got node data",                                                     \
			"")                                                                       \
	X("trim", NONE, WHOLE, BOUNDED, trim,                                                     \
			"Show the class, the DSCP and the share of links of trimmed packets",     \
			". show queue detail tells which queues trim, and how many packets")      \
	X("border", NONE, WHOLE, BOUNDED, border,                                                 \
			"Show the border of the domain: code points, prefixes, and "              \
			"packets dropped at border ports",                                        \
			". Also show how many packets of untrusted ports were moved to "          \
			"another class or got another DSCP")                                      \
	X("proxy option", NONE, WHOLE, UNBOUNDED, proxy_option,                                   \
			"Show the option with the address of a proxy, by sender and by port", "") \
	X("pnc", PREFIXES, WHOLE, UNBOUNDED, pnc,                                                 \
			"Show the proxies of senders by prefix, configured and learned",          \
			". With a prefix, only those that contain it or are in it. Of equal "     \
			"prefixes one is used: a configured one, or the first protocol of "       \
			"isis, ospf, ospf3, bgp")                                                 \
	X("pnc protocols", NONE, WHOLE, BOUNDED, pnc_protocols,                                   \
			"Show how many proxies of senders were learned by which protocol", "")    \
	X("srv6 policy", NONE, WHOLE, UNBOUNDED, srv6_policies,                                   \
			"Show the SRv6 policies, and their segment lists with their counters",    \
			". Also show by which port and station the first segment is reached, "    \
			"or why it is not")                                                       \
	X("srv6 steering", NONE, WHOLE, UNBOUNDED, srv6_steering,                                 \
			"Show the rules by which packets take SRv6 policies, with counters",      \
			". The rules of a prefix are in the order in which they are tried")       \
	X("srv6 sid", NONE, WHOLE, UNBOUNDED, srv6_sids,                                          \
			"Show the local SIDs of SRv6 with their counters",                        \
			". Also show packets whose ECN fields no standard combines in a tunnel")  \
	X("srv6 endcon", NONE, WHOLE, UNBOUNDED, srv6_endcon,                                     \
			"Show END.CON: limits, P nodes, Fast CNPs that it took, and addresses "   \
			"known as END.CON",                                                       \
			"")                                                                       \
	X("arn", NONE, WHOLE, BOUNDED, arn,                                                       \
			"Show the settings of precise flow control by adaptive routing "          \
			"notifications",                                                          \
			"")                                                                       \
	X("arn held", LIMIT, WHOLE, BOUNDED, arn_held,                                            \
			"Show what downstream switches have asked to halt, and the packets "      \
			"that wait",                                                              \
			"; 100 flows unless a limit is given")                                    \
	X("arn passed-on", LIMIT, WHOLE, BOUNDED, arn_passed_on,                                  \
			"Show the halts that are passed on to upstream neighbours or by PFC, "    \
			"and counters",                                                           \
			"; 100 halts unless a limit is given")                                    \
	X("arn sent", LIMIT, WHOLE, BOUNDED, arn_sent,                                            \
			"Show what upstream neighbours are asked to halt, and the messages "      \
			"sent",                                                                   \
			"; 100 halts unless a limit is given")                                    \
	X("arn received", NONE, WHOLE, BOUNDED, arn_received,                                     \
			"Show the messages of downstream switches that ask to halt traffic, by "  \
			"source",                                                                 \
			". Also show how many were refused, and why")                             \
	X("proxy", LIMIT, WHOLE, UNBOUNDED, proxy,                                                \
			"Show the proxy: its settings, nodes and senders, flows, and counters",   \
			"; 100 flows unless a limit is given")                                    \
	X("proxy qp", PREFIXES, WHOLE, UNBOUNDED, proxy_qps,                                      \
			"Show the queue pairs of senders, configured and reported by hosts",      \
			". With a prefix, only those whose receiver or sender is in it. skip "    \
			"leaves out that many at the beginning, and limit is the maximum number " \
			"shown")                                                                  \
	X("proxy hosts", NONE, WHOLE, UNBOUNDED, proxy_hosts,                                     \
			"Show the hosts that report queue pairs, and counters", "")               \
	X("drops", NONE, WHOLE, BOUNDED, drops,                                                   \
			"Show dropped packets by the port that received them and by reason",      \
			". For packets that class queues dropped, the queues are "                \
			"listed as port/class")                                                   \
	X("errors", NONE, WHOLE, BOUNDED, errors,                                                 \
			"Show packets with malformed headers by port and defect", "")             \
	X("conservation", NONE, WHOLE, BOUNDED, conservation,                                     \
			"Show the packet accounting: packets that entered, left, were "           \
			"dropped, or are in the switch",                                          \
			"")                                                                       \
	X("notify", NONE, WHOLE, BOUNDED, notify,                                                 \
			"Show the settings for notices, and the verdicts about packets "          \
			"that met congestion",                                                    \
			", by class queue")                                                       \
	X("notify missing", PORT, WHOLE, BOUNDED, notify_missing,                                 \
			"Show why senders get no notices, by class queue",                        \
			": the first condition that is not met of each queue that has notices "   \
			"on or gets RoCEv2, and what helps; once its packets met congestion, "    \
			"each reason for which they caused no notice, with their number")         \
	X("flows", TOP_FLOWS, TOP_FLOWS, BOUNDED, flows,                                          \
			"Show the flows that brought most bytes to queues while they were "       \
			"congested",                                                              \
			", whoever their senders are, with marks, drops and notices: those of "   \
			"the last minutes in which the queue was congested. Then come flows of "  \
			"which only notices are known, by their number. 10 flows unless a limit " \
			"is given")                                                               \
	X("flows notified", LIMIT, WHOLE, BOUNDED, notified_flows,                                \
			"Show the flows for which most notices were sent",                        \
			"; 10 flows unless a limit is given")                                     \
	X("sender", NONE, WHOLE, UNBOUNDED, senders,                                              \
			"Show which senders support Fast CNPs, as configured and as "             \
			"learned",                                                                \
			"")                                                                       \
	X("bridge", BRIDGE, WHOLE, BOUNDED, bridges,                                              \
			"Show the bridges with their interfaces and ports", "")                   \
	X("mac", NONE, WHOLE, UNBOUNDED, macs, "Show the learned MAC addresses", "")              \
	X("address", NONE, WHOLE, UNBOUNDED, addresses, "Show the IP addresses of the ports", "") \
	X("route", ROUTES, WHOLE, UNBOUNDED, routes, "Show the routes",                           \
			" of all tables, or of one; with a prefix, only the routes that contain " \
			"the prefix or "                                                          \
			"are contained in it. skip leaves out that many routes at the "           \
			"beginning, and limit is the maximum number of routes shown")             \
	X("table", NONE, WHOLE, BOUNDED, tables, "Show the route tables with their ports", "")    \
	X("route count", NONE, WHOLE, BOUNDED, route_count, "Show the number of routes by kind",  \
			"")                                                                       \
	X("neighbour", NONE, WHOLE, UNBOUNDED, neighbours,                                        \
			"Show the neighbours with their MAC addresses", "")                       \
	X("class-map", NONE, WHOLE, BOUNDED, class_map,                                           \
			"Show the class for each DSCP and each VLAN priority (PCP)", "")          \
	X("host", NONE, WHOLE, BOUNDED, host,                                                     \
			"Show the counters of the host functions: address resolution, "           \
			"ping, ICMP errors",                                                      \
			"")                                                                       \
	X("host police", PORT, WHOLE, BOUNDED, police,                                            \
			"Show packets for the host functions by port and kind",                   \
			", with their rate limit and how many passed or were dropped")            \
	X("kernel", NONE, WHOLE, BOUNDED, kernel,                                                 \
			"Show the synchronisation with the Linux kernel: routes, "                \
			"interfaces, and frames",                                                 \
			" sent and received")                                                     \
	X("worker", NONE, WORKER, BOUNDED, workers, "Show the workers with their ports and load", \
			", packets on cross-core rings, and the longest turn of the loop")        \
	X("stage cycles", NONE, WHOLE, BOUNDED, stage_cycles,                                     \
			"Show the cycles that workers spend in each stage, for a packet and a "   \
			"call",                                                                   \
			", if `set worker stage-cycles` is on. Only a live switch counts them. "  \
			"A row for `other` is work of busy turns outside of all stages, one "     \
			"for `idle` turns that moved no packet")                                  \
	X("trace", BYTES, TRACE, BOUNDED, trace,                                                  \
			"Show the traced packets with the stages they passed and the "            \
			"decision of each stage",                                                 \
			". bytes adds the first bytes of each packet")                            \
	X("capture", NONE, WHOLE, BOUNDED, captures, "Show the captures, including ended ones",   \
			", with their file and filter, packets written, and packets "             \
			"missed because the file was written too slowly")                         \
	X("rollback", NONE, WHOLE, BOUNDED, rollback,                                             \
			"Show the last configurations to which `rollback` can go back, with "     \
			"user and time",                                                          \
			", and whether the running one is on trial (`commit confirm`). Number "   \
			"0 is the last one that was kept")                                        \
	X("export", NONE, WHOLE, BOUNDED, exports,                                                \
			"Show the metrics server and the event log, with what was "               \
			"sent, written or lost",                                                  \
			"")                                                                       \
	X("sessions", NONE, WHOLE, UNBOUNDED, sessions,                                           \
			"Show the sessions of remote consoles with their user and role",          \
			", the sockets, and counters. idle_s is the time since a session last "   \
			"asked something")                                                        \
	X("version", NONE, WHOLE, BOUNDED, version, "Show the versions of fastcn and DPDK", "")

/** The console's syntax of a line of FCN_SHOWS, as in fcn_command.h. */
#define FCN_SHOW_SYNTAX(name, arguments, text) \
	"show " FCN_SHOW_SYNTAX_##arguments(name) FCN_SHOW_DETAIL_##text " [json]"

/** What a `show` reads. */
struct fcn_show_source {
	struct fcn_control *ctl;
	struct fcn_captures *captures; /**< NULL: the program has no captures */
	struct fcn_exports *exports;   /**< NULL: nothing is exported */
};

/** The arguments of a `show`. A function ignores what its `show` does not take. */
struct fcn_show_query {
	int port;                        /**< number of a port; -1: all ports */
	int bridge;                      /**< number of a bridge; -1: all bridges */
	int class;                       /**< class, 0 to 7; -1: all classes */
	int table;                       /**< number of a route table; -1: all tables */
	bool all;                        /**< also show queues without traffic */
	bool bytes;                      /**< also show the first bytes of packets */
	uint64_t number;                 /**< maximum number of rows; UINT64_MAX: not given */
	uint64_t skip;                   /**< number of rows to leave out at the beginning */
	const struct fcn_prefix *prefix; /**< NULL: not given */
};

/** A query without arguments. */
#define FCN_SHOW_QUERY_ANY                                                               \
	(struct fcn_show_query)                                                          \
	{                                                                                \
		.port = -1, .bridge = -1, .class = -1, .table = -1, .number = UINT64_MAX \
	}

/** A line of FCN_SHOWS. */
struct fcn_show {
	const char *name;           /**< what follows `show` on the console */
	const char *syntax;         /**< syntax of the console's command */
	const char *parameters;     /**< parameters of telemetry; NULL: there are none */
	const char *help;           /**< first part of the help */
	const char *const *columns; /**< columns of the text form, ended by NULL; NULL: the whole
				       value */
	bool bounded; /**< the size of the answer is bounded, so telemetry offers it */
	const struct fcn_shape *shape; /**< what the value consists of */
	/** Get the value. @return a new reference, or NULL on lack of memory */
	json_t *(*get)(const struct fcn_show_source *source, const struct fcn_show_query *query);
};

/* The shape of each: lib/show and switch_shapes.c define them. */
#define FCN_SHOW_SHAPE(name, arguments, text, size, function, ...) \
	extern const struct fcn_shape fcn_shape_##function;
FCN_SHOWS(FCN_SHOW_SHAPE)
#undef FCN_SHOW_SHAPE

/** All lines of FCN_SHOWS, in its order. The name of the last element is NULL. */
extern const struct fcn_show fcn_shows[];

/** Find a `show` by its name. @param name the name, or the name that telemetry has for it, with '_'
 * for ' ' and '-' @return NULL if there is no such `show` */
const struct fcn_show *fcn_show_find(const char *name);

/**
 * Get the value of a `show` for a program.
 *
 * @return a new reference, or NULL on lack of memory
 */
json_t *fcn_show_get(const struct fcn_show_source *source, const struct fcn_show *show,
		const struct fcn_show_query *query);

#define FCN_SHOW_TELEMETRY_PREFIX "/fastcn/" /**< telemetry's commands begin with this */

/** Write the name of telemetry's command for a `show`, such as "/fastcn/route_count", to command,
 * which has size bytes. */
void fcn_show_telemetry_command(const struct fcn_show *show, char *command, size_t size);

/**
 * Get the value of a `show` with a bounded answer for a program, by name.
 *
 * @param name   as for fcn_show_find()
 * @param params parameters separated by commas, such as "p1,3"; NULL or "": none. A port or a
 * bridge is given by its name.
 * @return a new reference: the value, or an object with the member "error"; NULL on lack of memory
 */
json_t *fcn_show_by_name(
		const struct fcn_show_source *source, const char *name, const char *params);

#endif /* FCN_SHOW_LIST_H */
