/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Commands for traffic of very many flows, whose packets have no queue pairs. */

#include <errno.h>
#include <string.h>

#include <rte_common.h>

#include "scenario_private.h"

/* Maximum number of flows: half of all queue pair numbers, minus one. */
#define MAX_GENERATED 0x7FFFFFu
#define GENERATOR_BYTES 64u
#define MAX_GENERATOR_BYTES 1024u
#define MAX_GENERATOR_PACKETS 1000000u

/* Read the arguments of a generator, without its ends. */
static int
read_generator(struct lab_reader *r, const struct fcn_args *args, struct lab_generator *generator)
{
	uint64_t flows = fcn_args_u64(args, "flows", 0);
	uint64_t active = fcn_args_u64(args, "active", flows);
	uint64_t packets = fcn_args_u64(args, "packets", 1);
	uint64_t bytes = fcn_args_u64(args, "size", GENERATOR_BYTES);

	if (flows == 0 || flows > MAX_GENERATED)
		return fcn_command_error(args, -ERANGE, "flows",
				"the number of flows must be 1 to %u", MAX_GENERATED);
	if (active == 0 || active > flows)
		return fcn_command_error(args, -ERANGE, "active",
				"the number of active flows must be 1 to %u", (uint32_t)flows);
	if (packets == 0 || packets > MAX_GENERATOR_PACKETS)
		return fcn_command_error(args, -ERANGE, "packets",
				"the number of packets of a flow must be 1 to %u",
				MAX_GENERATOR_PACKETS);
	if (bytes > MAX_GENERATOR_BYTES || bytes % 4 != 0)
		return fcn_command_error(args, -ERANGE, "size",
				"the size must be a multiple of 4, and at most %u bytes",
				MAX_GENERATOR_BYTES);
	generator->flows = (uint32_t)flows;
	generator->active = (uint32_t)active;
	generator->packets = (uint32_t)packets;
	generator->bytes = (uint32_t)bytes;
	generator->rate_bps = fcn_args_u64(args, "rate", 0);
	generator->start_ns = fcn_args_u64(args, "start", 0);
	if (generator->start_ns >= r->sc->duration_ns)
		lab_warning(r, args, "start", "start is after the end of the run");
	return 0;
}

static int
add_generators(struct lab_reader *r, const struct fcn_args *args, const struct lab_generator *like,
		const struct lab_nodes *from)
{
	struct lab_scenario *sc = r->sc;
	uint32_t next = 0;

	if (sc->n_generators > 0)
		next = sc->generator[sc->n_generators - 1].first +
		       sc->generator[sc->n_generators - 1].flows;
	for (unsigned int i = 0; i < from->n; i++) {
		struct lab_generator *item;

		if (from->node[i].index == like->to)
			return fcn_command_error(args, -EINVAL, "from",
					"%s cannot send a flow to itself", sc->host[like->to].name);
		if (like->flows > MAX_GENERATED - next)
			return fcn_command_error(args, -ENOSPC, "flows",
					"all generators together have at most %u flows",
					MAX_GENERATED);
		item = lab_push(&sc->generator, &sc->n_generators, sizeof(*item));
		if (item == NULL)
			return -ENOMEM;
		*item = *like;
		item->from = from->node[i].index;
		item->first = next;
		next += like->flows;
	}
	return 0;
}

static int
traffic_generator(struct fcn_session *session, const struct fcn_args *args)
{
	struct lab_reader *r = lab_reader_in(session, LAB_PASS_REST);
	struct lab_generator generator = {.flows = 0};
	struct lab_flow flow = {.from = 0};
	struct lab_nodes from;
	struct lab_node to;
	int rc;

	if (r == NULL)
		return 0;
	rc = lab_flow_name(args, &flow);
	if (rc == 0)
		rc = lab_flow_check_new(r->sc, args, flow.name);
	if (rc == 0)
		rc = lab_flow_dscp(args, &flow);
	if (rc == 0)
		rc = read_generator(r, args, &generator);
	if (rc == 0)
		rc = lab_node_of(r, args, "to", LAB_HOSTS, &to);
	if (rc == 0)
		rc = lab_nodes_of(r, args, "from", LAB_HOSTS, &from);
	if (rc != 0)
		return rc;
	memcpy(generator.name, flow.name, sizeof(generator.name));
	generator.to = to.index;
	generator.dscp = flow.dscp;
	generator.place = r->place;
	rc = add_generators(r, args, &generator, &from);
	lab_nodes_free(&from);
	return rc;
}

#define ARGUMENTS                                                                                  \
	" <name:name> from <from:names> to <to:names> flows <flows:count> "                        \
	"[active <active:count>] [packets <packets:count>] [size <size:size>] [rate <rate:rate>] " \
	"[start <start:time>] [dscp <dscp:number>]"

static const struct fcn_command commands[] = {
		{"traffic generator" ARGUMENTS,
				"Send packets of very many flows (destination queue pairs) "
				"from each source host, without acknowledgements and without "
				"congestion control. active is the number of flows that send "
				"at the same time, one packet each in turn (default: all "
				"flows). packets is the number of packets of each flow "
				"(default 1), after which other flows become active. size is "
				"the number of payload bytes (default 64), and rate the rate "
				"of the host (default: the line rate)",
				FCN_COMMAND_CONFIG, traffic_generator},
		{"traffic spray" ARGUMENTS, "The old word for traffic generator",
				FCN_COMMAND_CONFIG, traffic_generator, .former = true},
};

const struct fcn_command_group lab_generator_commands = {
		"Traffic of very many flows", commands, RTE_DIM(commands)};
