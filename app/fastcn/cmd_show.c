/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>

#include <rte_version.h>

#include "fcn_show.h"
#include "session.h"

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
SHOW(show_bridge, fcn_show_bridges(session->ctl))
SHOW(show_mac, fcn_show_macs(session->ctl))
SHOW(show_address, fcn_show_addresses(session->ctl))
SHOW(show_neighbour, fcn_show_neighbours(session->ctl))
SHOW(show_route, fcn_show_routes(session->ctl))
SHOW(show_class_map, fcn_show_class_map(session->ctl))
SHOW(show_notify, fcn_show_notify(session->ctl))
SHOW(show_sender, fcn_show_senders(session->ctl))

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
show_port(struct fcn_session *session, const struct fcn_args *args)
{
	int port, rc = chosen_port(session, args, &port);

	return rc != 0 ? rc : fcn_session_put(session, args, fcn_show_ports(session->ctl, port));
}

static int
show_queue(struct fcn_session *session, const struct fcn_args *args)
{
	int port, rc = chosen_port(session, args, &port);

	return rc != 0 ? rc
		       : fcn_session_put(session, args,
					 fcn_show_queues(session->ctl, port,
							 fcn_args_has(args, "all")));
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
	fcn_session_save(session->ctl->config, session->out);
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
		{"show queue [all] [json]",
				"Class queues in use (all: every one): congestion, marks, "
				"watermarks, which start afresh",
				FCN_COMMAND_ACTION, show_queue},
		{"show queue <port:name> [all] [json]", "Class queues of one port",
				FCN_COMMAND_ACTION, show_queue},
		{"show drops [json]", "Dropped packets by port and reason", FCN_COMMAND_ACTION,
				show_drops},
		{"show errors [json]", "Packets with defects by port and defect",
				FCN_COMMAND_ACTION, show_errors},
		{"show conservation [json]", "The ledger: where every packet is",
				FCN_COMMAND_ACTION, show_conservation},
		{"show notify [json]",
				"Policy of notices, and what became of packets that met congestion",
				FCN_COMMAND_ACTION, show_notify},
		{"show flows [json]", "The flows notified most", FCN_COMMAND_ACTION, show_flows},
		{"show sender [json]", "What senders understand", FCN_COMMAND_ACTION, show_sender},
		{"show bridge [json]", "Bridges and their ports", FCN_COMMAND_ACTION, show_bridge},
		{"show mac [json]", "Learned MAC addresses", FCN_COMMAND_ACTION, show_mac},
		{"show address [json]", "Addresses", FCN_COMMAND_ACTION, show_address},
		{"show route [json]", "Routes", FCN_COMMAND_ACTION, show_route},
		{"show neighbour [json]", "Neighbours", FCN_COMMAND_ACTION, show_neighbour},
		{"show class-map [json]", "Classes by DSCP and PCP", FCN_COMMAND_ACTION,
				show_class_map},
		{"show config", "The configuration in force, as commands", FCN_COMMAND_ACTION,
				show_config},
		{"show version [json]", "Versions of fastcn and DPDK", FCN_COMMAND_ACTION,
				show_version},
};

const struct fcn_command_group fcn_show_commands = {"Show", commands, RTE_DIM(commands)};
