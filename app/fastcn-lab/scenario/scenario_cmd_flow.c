/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <string.h>

#include <rte_common.h>

#include "fcn_endpoint_setting.h"
#include "scenario_private.h"

#define DEFAULT_DSCP 26 /* class 3, which is common for RoCEv2 */

int
lab_flow_dscp(const struct fcn_args *args, struct lab_flow *flow)
{
	uint64_t dscp = fcn_args_u64(args, "dscp", DEFAULT_DSCP);

	if (dscp > 63)
		return fcn_command_error(args, -ERANGE, "dscp", "a DSCP must be 0 to 63");
	flow->dscp = (uint8_t)dscp;
	return 0;
}

/* Read the arguments of a flow command, without its ends. */
static int
read_flow(struct lab_reader *r, const struct fcn_args *args, struct lab_flow *flow)
{
	uint64_t port = fcn_args_u64(args, "source-port", 0);

	flow->bytes = fcn_args_u64(args, "size", 0);
	flow->messages = fcn_args_has(args, "endless") ? UINT64_MAX
						       : fcn_args_u64(args, "messages", 1);
	flow->interval_ns = fcn_args_u64(args, "interval", 0);
	flow->start_ns = fcn_args_u64(args, "start", 0);
	flow->stop_ns = fcn_args_u64(args, "stop", FCN_ENDPOINT_NEVER);
	flow->rate_bps = fcn_args_u64(args, "rate", 0);
	flow->src_port = (uint16_t)port;
	if (flow->bytes == 0 || flow->bytes > LAB_MAX_MESSAGE)
		return fcn_command_error(args, -ERANGE, "size",
				"the size of a message must be 1 to 1Ti bytes");
	if (flow->messages == 0)
		return fcn_command_error(args, -ERANGE, "messages",
				"the number of messages must be at least 1");
	if (port > UINT16_MAX)
		return fcn_command_error(args, -ERANGE, "source-port", "a port must be 1 to 65535");
	if (flow->stop_ns <= flow->start_ns)
		return fcn_command_error(args, -EINVAL, "stop", "stop is before start");
	if (flow->start_ns >= r->sc->duration_ns)
		lab_warning(r, args, "start", "start is after the end of the run");
	if (flow->messages == UINT64_MAX && flow->stop_ns == FCN_ENDPOINT_NEVER &&
			r->endless.line == 0)
		r->endless = r->place;
	return 0;
}

int
lab_flow_push(struct lab_reader *r, const struct fcn_args *args, const struct lab_flow *flow)
{
	struct lab_flow *item;

	if (r->sc->n_flows == LAB_MAX_FLOWS)
		return fcn_command_error(args, -ENOSPC, NULL, "there can be at most %u flows",
				LAB_MAX_FLOWS);
	item = lab_push(&r->sc->flow, &r->sc->n_flows, sizeof(*item));
	if (item == NULL)
		return -ENOMEM;
	*item = *flow;
	return 0;
}

static int
add_flows(struct lab_reader *r, const struct fcn_args *args, const struct lab_flow *like,
		const struct lab_nodes *from, const struct lab_nodes *to)
{
	uint64_t every = fcn_args_u64(args, "every", 0), later;
	struct lab_flow flow = *like;
	unsigned int i, j, n = 0;
	int rc = 0;

	for (i = 0; rc == 0 && i < from->n; i++) {
		if (__builtin_mul_overflow(every, (uint64_t)i, &later) ||
				__builtin_add_overflow(like->start_ns, later, &flow.start_ns))
			return fcn_command_error(
					args, -ERANGE, "every", "the flows would start too late");
		for (j = 0; rc == 0 && j < to->n; j++) {
			if (from->node[i].index == to->node[j].index)
				continue;
			flow.from = from->node[i].index;
			flow.to = to->node[j].index;
			rc = lab_flow_push(r, args, &flow);
			n++;
		}
	}
	if (rc == 0 && n == 0)
		return fcn_command_error(args, -EINVAL, "to", "%s cannot send a flow to itself",
				r->sc->host[to->node[0].index].name);
	return rc;
}

int
lab_flow_name(const struct fcn_args *args, struct lab_flow *flow)
{
	const char *name = fcn_args_str(args, "name");
	const char *why = lab_name_error(name);

	if (why != NULL)
		return fcn_command_error(args, -EINVAL, "name", "%s %s", name, why);
	if (strlen(name) >= sizeof(flow->name))
		return fcn_command_error(args, -EINVAL, "name", "a name has at most %u characters",
				LAB_NAME_LEN - 1);
	snprintf(flow->name, sizeof(flow->name), "%s", name);
	return 0;
}

static int
flow_add(struct fcn_session *session, const struct fcn_args *args)
{
	struct lab_reader *r = lab_reader_in(session, LAB_PASS_REST);
	struct lab_nodes from, to = {.n = 0};
	struct lab_flow flow = {.from = 0};
	int rc;

	if (r == NULL)
		return 0;
	rc = lab_flow_name(args, &flow);
	if (rc == 0)
		rc = lab_flow_dscp(args, &flow);
	if (rc == 0)
		rc = read_flow(r, args, &flow);
	if (rc == 0)
		rc = lab_nodes_of(r, args, "from", LAB_HOSTS, &from);
	if (rc != 0)
		return rc;
	rc = lab_nodes_of(r, args, "to", LAB_HOSTS, &to);
	if (rc == 0)
		rc = add_flows(r, args, &flow, &from, &to);
	lab_nodes_free(&from);
	lab_nodes_free(&to);
	return rc;
}

/* Set the operation of the flows of flow and traffic commands before this line. */
static int
flow_operation(struct fcn_session *session, const struct fcn_args *args)
{
	struct lab_reader *r = lab_reader_in(session, LAB_PASS_REST);
	const char *name = fcn_args_str(args, "name");
	unsigned int n = 0;

	if (r == NULL)
		return 0;
	for (unsigned int i = 0; i < r->sc->n_flows; i++) {
		if (strcmp(r->sc->flow[i].name, name) != 0)
			continue;
		r->sc->flow[i].operation = fcn_endpoint_operation(fcn_args_str(args, "operation"));
		n++;
	}
	if (n == 0)
		return fcn_command_error(args, -ENOENT, "name",
				"there are no flows named %s before this line", name);
	return 0;
}

static const struct fcn_command commands[] = {
		{"flow add <name:name> from <from:names> to <to:names> size <size:size> "
		 "[messages <messages:count>] [interval <interval:time>] [start <start:time>] "
		 "[stop <stop:time>] [every <every:time>] [rate <rate:rate>] "
		 "[dscp <dscp:number>] [source-port <source-port:number>]",
				"Send messages of this size from each source host to each "
				"destination host, each over its own queue pair. messages is "
				"their number (default 1). A message starts when the previous "
				"one is acknowledged, or after each interval. Messages that "
				"are not sent at the time stop are never sent. Each source "
				"starts later than the previous one by the time every. rate is "
				"an upper limit in addition to congestion control (default: "
				"the line rate). dscp selects the class (default 26: class 3). "
				"The UDP source port selects the path (default: random)",
				FCN_COMMAND_CONFIG, flow_add},
		{"flow add <name:name> from <from:names> to <to:names> size <size:size> endless "
		 "[interval <interval:time>] [start <start:time>] [stop <stop:time>] "
		 "[every <every:time>] [rate <rate:rate>] [dscp <dscp:number>] "
		 "[source-port <source-port:number>]",
				"Send messages of this size without end, until the time stop or "
				"the end of the run. The other words mean the same as in the "
				"command with a number of messages",
				FCN_COMMAND_CONFIG, flow_add},
		{"flow set <name:name> operation <operation:send|write>",
				"Set the operation of the flows or the traffic of this name, "
				"defined before this line. This replaces the operation of "
				"their hosts",
				FCN_COMMAND_CONFIG, flow_operation},
};

const struct fcn_command_group lab_flow_commands = {"Flows", commands, RTE_DIM(commands)};
