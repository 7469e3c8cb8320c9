/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Commands for flows that a file lists (flow_file.h), and for records of messages. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_common.h>

#include "flow_file.h"
#include "scenario_private.h"

#define ENDLESS_MESSAGE 1000000 /* bytes of each message of a flow without end */
#define DSCP_IN_CLASS 2         /* so that class 3 has DSCP 26, the default */

typedef int (*read_list)(const char *text, size_t size, struct lab_flow_list *list, char *err,
		size_t err_size);

static int
read_file(struct lab_reader *r, const struct fcn_args *args, read_list read,
		struct lab_flow_list *list, char **path)
{
	char *text, why[256];
	size_t size;
	int rc;

	*path = lab_beside(r->sc, fcn_args_str(args, "file"));
	if (*path == NULL)
		return -ENOMEM;
	text = lab_read_file(*path, LAB_MAX_TRACE, &size, &rc);
	if (text == NULL)
		return fcn_command_error(args, rc, "file", "%s: %s", *path, strerror(-rc));
	rc = read(text, size, list, why, sizeof(why));
	free(text);
	return rc != -EINVAL ? rc : fcn_command_error(args, rc, "file", "%s:%s", *path, why);
}

/* Add the flows of a list. @param flow what they have in common */
static int
add_list(struct lab_reader *r, const struct fcn_args *args, struct lab_flow flow,
		const struct lab_flow_list *list, const struct lab_nodes *hosts, const char *path)
{
	const uint64_t offset = fcn_args_u64(args, "offset", 0);
	int rc = 0;

	if (list->n_hosts > hosts->n)
		return fcn_command_error(args, -EINVAL, "hosts",
				"the file has %u hosts, and there are %u here", list->n_hosts,
				hosts->n);
	for (unsigned int i = 0; rc == 0 && i < list->n; i++) {
		const struct lab_listed_flow *f = &list->flow[i];

		if (f->start_ns < offset)
			return fcn_command_error(args, -ERANGE, "offset",
					"%s:%u: the flow starts before the offset", path, f->line);
		flow.from = hosts->node[f->from].index;
		flow.to = hosts->node[f->to].index;
		flow.bytes = f->bytes != 0 ? f->bytes : ENDLESS_MESSAGE;
		flow.messages = f->bytes != 0 ? 1 : UINT64_MAX;
		flow.start_ns = f->start_ns - offset;
		flow.fct_port = f->port;
		if (f->group >= 0 && !fcn_args_has(args, "dscp"))
			flow.dscp = (uint8_t)(8 * f->group + DSCP_IN_CLASS);
		if (f->bytes == 0 && r->endless.line == 0)
			r->endless = r->place;
		rc = lab_flow_push(r, args, &flow);
	}
	return rc;
}

static int
listed(struct fcn_session *session, const struct fcn_args *args, read_list read)
{
	struct lab_reader *r = lab_reader_in(session, LAB_PASS_REST);
	struct lab_flow flow = {.stop_ns = FCN_ENDPOINT_NEVER};
	struct lab_flow_list list = {.n = 0};
	struct lab_nodes hosts = {.n = 0};
	char *path = NULL;
	int rc;

	if (r == NULL)
		return 0;
	rc = lab_flow_name(args, &flow);
	if (rc == 0)
		rc = lab_flow_check_new(r->sc, args, flow.name);
	if (rc == 0)
		rc = lab_flow_dscp(args, &flow);
	if (rc == 0)
		rc = lab_nodes_of(r, args, "hosts", LAB_HOSTS, &hosts);
	if (rc == 0)
		rc = lab_check_hosts(r, args, &hosts);
	if (rc == 0)
		rc = read_file(r, args, read, &list, &path);
	if (rc == 0)
		rc = add_list(r, args, flow, &list, &hosts, path);
	lab_flow_list_free(&list);
	lab_nodes_free(&hosts);
	free(path);
	return rc;
}

static int
traffic_flows(struct fcn_session *session, const struct fcn_args *args)
{
	return listed(session, args, lab_flow_list_read_ns3);
}

static int
traffic_matrix(struct fcn_session *session, const struct fcn_args *args)
{
	return listed(session, args, lab_flow_list_read_htsim);
}

static int
record(struct fcn_session *session, const struct fcn_args *args)
{
	struct lab_reader *r = lab_reader_in(session, LAB_PASS_REST);

	if (r == NULL)
		return 0;
	if (strcmp(fcn_args_str(args, "what"), "fct") == 0)
		r->sc->record_fct = true;
	else
		r->sc->record_messages = true;
	return 0;
}

#define ARGUMENTS                                                                         \
	" <name:name> file <file:name> hosts <hosts:names> [offset <offset:time>] [dscp " \
	"<dscp:number>]"

static const struct fcn_command commands[] = {
		{"traffic flows" ARGUMENTS,
				"Send the flows of a file as the ns-3 simulations of HPCC read it "
				"(flow.txt): the number of flows, then for each of them source, "
				"destination, priority group, port, bytes and start in seconds. "
				"Host "
				"0 is the first one of the list. offset is the time in the file at "
				"which the run begins (default 0). The class is the priority "
				"group, "
				"unless dscp is given",
				FCN_COMMAND_CONFIG, traffic_flows},
		{"traffic matrix" ARGUMENTS,
				"Send the flows of a connection matrix of htsim (.cm), without "
				"triggers: SOURCE->DESTINATION start PS size BYTES. A flow of 0 "
				"bytes has no end",
				FCN_COMMAND_CONFIG, traffic_matrix},
		{"record <what:messages|fct>",
				"Write a line for each message that is complete, when there is a "
				"directory of results: messages.csv, or fct.txt as the ns-3 "
				"simulations of HPCC write it",
				FCN_COMMAND_CONFIG, record},
};

const struct fcn_command_group lab_flow_file_commands = {
		"Files of other simulators", commands, RTE_DIM(commands)};
