/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>

#include <rte_version.h>

#include "fcn_show.h"
#include "session_private.h"

#define FLOWS_SHOWN 10

/* A `show` without arguments of its own. */
#define SHOW(name, value)                                                         \
	static int name(struct fcn_session *session, const struct fcn_args *args) \
	{                                                                         \
		return fcn_session_put(session, args, value);                     \
	}

SHOW(show_drops, fcn_show_drops(session->ctl))
SHOW(show_errors, fcn_show_errors(session->ctl))
SHOW(show_conservation, fcn_show_conservation(session->ctl))
SHOW(show_mac, fcn_show_macs(session->ctl))
SHOW(show_address, fcn_show_addresses(session->ctl))
SHOW(show_neighbour, fcn_show_neighbours(session->ctl))
SHOW(show_route_count, fcn_show_route_count(session->ctl))
SHOW(show_class_map, fcn_show_class_map(session->ctl))
SHOW(show_notify, fcn_show_notify(session->ctl))
SHOW(show_sender, fcn_show_senders(session->ctl))
SHOW(show_buffer, fcn_show_buffer(session->ctl))
SHOW(show_ioam, fcn_show_ioam(session->ctl))
SHOW(show_border, fcn_show_border(session->ctl))

static int
chosen_port(struct fcn_session *session, const struct fcn_args *args, int *port)
{
	*port = -1;
	if (!fcn_args_has(args, "port") || fcn_args_str(args, "port") == NULL)
		return 0;
	*port = fcn_session_port(session, args, "port");
	return *port < 0 ? *port : 0;
}

static int
show_bridge(struct fcn_session *session, const struct fcn_args *args)
{
	int bridge = -1;

	if (fcn_args_has(args, "bridge") && fcn_args_str(args, "bridge") != NULL) {
		bridge = fcn_session_bridge(session, args);
		if (bridge < 0)
			return bridge;
	}
	return fcn_session_put(session, args, fcn_show_bridges(session->ctl, bridge));
}

static int
show_port(struct fcn_session *session, const struct fcn_args *args)
{
	int port, rc = chosen_port(session, args, &port);

	return rc != 0 ? rc : fcn_session_put(session, args, fcn_show_ports(session->ctl, port));
}

static int
chosen_class(const struct fcn_args *args)
{
	uint64_t class = fcn_args_u64(args, "class", FCN_ARG_CLASS_ALL);

	return class == FCN_ARG_CLASS_ALL ? -1 : (int)class;
}

/* How many of a list; all of them when the line does not say. */
static unsigned int
chosen_number(const struct fcn_args *args)
{
	return RTE_MIN(fcn_args_u64(args, "n", UINT32_MAX), (uint64_t)UINT32_MAX);
}

static int
show_route(struct fcn_session *session, const struct fcn_args *args)
{
	const struct fcn_route_query query = {
			.prefix = fcn_args_prefix(args, "prefix"),
			.skip = fcn_args_u64(args, "skip", 0),
			.limit = fcn_args_u64(args, "n", UINT64_MAX),
	};

	return fcn_session_put(session, args, fcn_show_some_routes(session->ctl, &query));
}

static int
show_queue(struct fcn_session *session, const struct fcn_args *args)
{
	int port, rc = chosen_port(session, args, &port);

	if (rc != 0)
		return rc;
	return fcn_session_put_list(session, args,
			fcn_show_queues(session->ctl, port, chosen_class(args),
					fcn_args_has(args, "all")),
			fcn_show_queue_columns);
}

static int
show_pfc(struct fcn_session *session, const struct fcn_args *args)
{
	int port, rc = chosen_port(session, args, &port);

	return rc != 0 ? rc : fcn_session_put(session, args, fcn_show_pfc(session->ctl, port));
}

static int
show_rates(struct fcn_session *session, const struct fcn_args *args)
{
	int port, rc = chosen_port(session, args, &port);

	return rc != 0 ? rc : fcn_session_put(session, args, fcn_show_rates(session->ctl, port));
}

static int
show_episodes(struct fcn_session *session, const struct fcn_args *args)
{
	int port, rc = chosen_port(session, args, &port);

	if (rc != 0)
		return rc;
	return fcn_session_put(session, args,
			fcn_show_episodes(session->ctl, port, chosen_class(args),
					chosen_number(args)));
}

static int
show_events(struct fcn_session *session, const struct fcn_args *args)
{
	return fcn_session_put(session, args, fcn_show_events(session->ctl, chosen_number(args)));
}

static int
show_flows(struct fcn_session *session, const struct fcn_args *args)
{
	return fcn_session_put(session, args, fcn_show_flows(session->ctl, FLOWS_SHOWN));
}

static int
show_config(struct fcn_session *session, const struct fcn_args *args)
{
	RTE_SET_USED(args);
	fcn_session_save(fcn_control_config(session->ctl), session->out);
	return 0;
}

static int
show_version(struct fcn_session *session, const struct fcn_args *args)
{
	json_t *o = json_pack("{s:s, s:s}", "fastcn", FCN_VERSION, "dpdk", rte_version());

	return fcn_session_put(session, args, o);
}

static const struct fcn_command commands[] = {
		{"show port [json]", "Ports: settings, traffic, drops", FCN_COMMAND_ACTION,
				show_port},
		{"show port <port:name> [json]", "One port", FCN_COMMAND_ACTION, show_port},
		{"show queue [class <class:class>] [all] [detail] [json]",
				"Class queues in use (all: every one): congestion, marks, "
				"watermarks, which start afresh; detail: all that is known of them",
				FCN_COMMAND_ACTION, show_queue},
		{"show queue <port:name> [class <class:class>] [all] [detail] [json]",
				"Class queues of one port", FCN_COMMAND_ACTION, show_queue},
		{"show rates [json]",
				"Packets, bits and notices a second, of ports and of their queues "
				"in use, over the last second of a live switch",
				FCN_COMMAND_ACTION, show_rates},
		{"show rates <port:name> [json]", "Rates of one port and its queues",
				FCN_COMMAND_ACTION, show_rates},
		{"show episodes [class <class:class>] [last <n:number>] [json]",
				"Congestion episodes of queues, in the order they began; without "
				"an end: it lasts",
				FCN_COMMAND_ACTION, show_episodes},
		{"show episodes <port:name> [class <class:class>] [last <n:number>] [json]",
				"Congestion episodes of one port's queues", FCN_COMMAND_ACTION,
				show_episodes},
		{"show events [last <n:number>] [json]",
				"The last events: congestion, flow control, loss in lossless "
				"classes",
				FCN_COMMAND_ACTION, show_events},
		{"show buffer [json]",
				"The shared buffer and who has something in it; its watermarks "
				"start afresh",
				FCN_COMMAND_ACTION, show_buffer},
		{"show pfc [json]",
				"Flow control of ports and classes, both ways; watermarks of "
				"lossless classes start afresh",
				FCN_COMMAND_ACTION, show_pfc},
		{"show pfc <port:name> [json]", "Flow control of one port", FCN_COMMAND_ACTION,
				show_pfc},
		{"show ioam [json]", "IOAM: node, namespaces, what ports added", FCN_COMMAND_ACTION,
				show_ioam},
		{"show border [json]",
				"The border of the domain: code points, lists, what ports did not "
				"let through, and what of untrusted ports was moved and remarked",
				FCN_COMMAND_ACTION, show_border},
		{"show drops [json]",
				"Dropped packets by the port they came in by and reason; where "
				"queues dropped them, which queues, as port/class",
				FCN_COMMAND_ACTION, show_drops},
		{"show errors [json]", "Packets with defects by port and defect",
				FCN_COMMAND_ACTION, show_errors},
		{"show conservation [json]", "The ledger: where every packet is",
				FCN_COMMAND_ACTION, show_conservation},
		{"show notify [json]",
				"Policy of notices, and what became of packets that met "
				"congestion, "
				"by queue",
				FCN_COMMAND_ACTION, show_notify},
		{"show flows [json]", "The flows notified most", FCN_COMMAND_ACTION, show_flows},
		{"show sender [json]", "What senders understand", FCN_COMMAND_ACTION, show_sender},
		{"show bridge [json]", "Bridges, their interfaces and their ports",
				FCN_COMMAND_ACTION, show_bridge},
		{"show bridge <bridge:name> [json]", "One bridge", FCN_COMMAND_ACTION, show_bridge},
		{"show mac [json]", "Learned MAC addresses", FCN_COMMAND_ACTION, show_mac},
		{"show address [json]", "Addresses", FCN_COMMAND_ACTION, show_address},
		{"show route [skip <skip:number>] [limit <n:number>] [json]",
				"Routes; of many, so many from one on", FCN_COMMAND_ACTION,
				show_route},
		{"show route <prefix:prefix> [skip <skip:number>] [limit <n:number>] [json]",
				"Routes that hold an address or a prefix, and those in it",
				FCN_COMMAND_ACTION, show_route},
		{"show route count [json]", "How many routes there are, by kind",
				FCN_COMMAND_ACTION, show_route_count},
		{"show neighbour [json]", "Neighbours", FCN_COMMAND_ACTION, show_neighbour},
		{"show class-map [json]", "Classes by DSCP and PCP", FCN_COMMAND_ACTION,
				show_class_map},
		{"show config", "The configuration in force, as commands", FCN_COMMAND_ACTION,
				show_config},
		{"show version [json]", "Versions of fastcn and DPDK", FCN_COMMAND_ACTION,
				show_version},
};

const struct fcn_command_group fcn_show_commands = {"Show", commands, RTE_DIM(commands)};
