/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Commands for traffic of many flows: random, in bursts, or from a capture. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rte_common.h>

#include "scenario_private.h"
#include "workload.h"

#define RATIO_ONE 1e9 /* ratios are billionths */
#define MAX_LOAD 10

/* Parameters of messages at random times. */
struct poisson {
	struct lab_nodes hosts;
	double rate_bps; /* sum of the link rates of all hosts */
	double gap_ns;
	uint64_t from, until;
	struct lab_sizes sizes;
	bool read; /* sizes are to be freed */
	struct fcn_random random;
};

/*
 * Compute the seed of a traffic from its name, so that its random decisions do not depend on the
 * lines before it.
 */
static uint64_t
seed_of(const struct lab_scenario *sc, const char *name)
{
	uint64_t hash = 0xcbf29ce484222325; /* FNV-1a */

	for (; *name != '\0'; name++)
		hash = (hash ^ (uint8_t)*name) * 0x100000001b3;
	return hash ^ sc->seed * 0x9e3779b97f4a7c15;
}

static int
read_distribution(struct lab_reader *r, const struct fcn_args *args, struct poisson *p)
{
	const char *name = fcn_args_str(args, "distribution");
	const struct lab_sizes *known = lab_sizes_find(name);
	char *path, *text, why[128];
	size_t size;
	int rc;

	if (known != NULL) {
		p->sizes = *known;
		return 0;
	}
	path = lab_beside(r->sc, name);
	if (path == NULL)
		return -ENOMEM;
	text = lab_read_file(path, LAB_MAX_TRACE, &size, &rc);
	if (text == NULL)
		rc = fcn_command_error(args, rc, "distribution",
				"websearch, hadoop, alistorage or a file; %s: %s", path,
				strerror(-rc));
	else
		rc = lab_sizes_read(text, &p->sizes, why, sizeof(why));
	if (text != NULL && rc == -EINVAL)
		rc = fcn_command_error(args, -EINVAL, "distribution", "%s:%s", path, why);
	p->read = rc == 0;
	free(text);
	free(path);
	return rc;
}

/* Read the times and the load. */
static int
read_load(struct lab_reader *r, const struct fcn_args *args, struct poisson *p)
{
	double load = (double)fcn_args_u64(args, "load", 0) / RATIO_ONE;

	p->from = fcn_args_u64(args, "from", 0);
	p->until = fcn_args_u64(args, "until", r->sc->duration_ns);
	if (load <= 0 || load > MAX_LOAD)
		return fcn_command_error(args, -ERANGE, "load",
				"a load must be above 0, and at most %d", MAX_LOAD);
	if (p->until == FCN_ENDPOINT_NEVER)
		return fcn_command_error(
				args, -EINVAL, NULL, "give until, because the run has no duration");
	if (p->until <= p->from)
		return fcn_command_error(args, -EINVAL, "until", "until is before from");
	for (unsigned int i = 0; i < p->hosts.n; i++)
		p->rate_bps += (double)r->sc->host[p->hosts.node[i].index].conf.line_bps;
	if (p->rate_bps <= 0)
		return fcn_command_error(args, -EINVAL, "hosts", "the hosts have no links");
	p->gap_ns = lab_sizes_mean(&p->sizes) * 8 * 1e9 / (p->rate_bps * load);
	return 0;
}

/* Choose a source host, with a probability in proportion to its link rate. */
static unsigned int
choose_source(const struct lab_reader *r, struct poisson *p)
{
	double at = lab_random_unit(&p->random) * p->rate_bps;
	unsigned int i;

	for (i = 0; i + 1 < p->hosts.n; i++) {
		at -= (double)r->sc->host[p->hosts.node[i].index].conf.line_bps;
		if (at < 0)
			break;
	}
	return i;
}

static int
add_arrivals(struct lab_reader *r, const struct fcn_args *args, struct poisson *p,
		struct lab_flow flow)
{
	double at = (double)p->from;
	unsigned int from, to;
	int rc = 0;

	while (rc == 0) {
		at += lab_random_gap(&p->random, p->gap_ns);
		if (at >= (double)p->until)
			break;
		from = choose_source(r, p);
		to = (unsigned int)(lab_random_unit(&p->random) * (p->hosts.n - 1));
		to += to >= from; /* any host but the source */
		flow.from = p->hosts.node[from].index;
		flow.to = p->hosts.node[to].index;
		flow.start_ns = (uint64_t)at;
		flow.bytes = lab_sizes_at(&p->sizes, lab_random_unit(&p->random));
		rc = lab_flow_push(r, args, &flow);
	}
	return rc;
}

int
lab_flow_check_new(const struct lab_scenario *sc, const struct fcn_args *args, const char *name)
{
	for (unsigned int i = 0; i < sc->n_flows; i++)
		if (strcmp(sc->flow[i].name, name) == 0)
			return fcn_command_error(args, -EEXIST, "name",
					"there are flows named %s already", name);
	for (unsigned int i = 0; i < sc->n_generators; i++)
		if (strcmp(sc->generator[i].name, name) == 0)
			return fcn_command_error(args, -EEXIST, "name",
					"there are flows named %s already", name);
	for (unsigned int i = 0; i < sc->n_goals; i++)
		if (strcmp(sc->goal[i].name, name) == 0)
			return fcn_command_error(args, -EEXIST, "name",
					"there are flows named %s already", name);
	return 0;
}

int
lab_check_hosts(const struct lab_reader *r, const struct fcn_args *args,
		const struct lab_nodes *hosts)
{
	bool *seen = calloc(r->sc->n_hosts + 1, sizeof(*seen));
	int rc = seen == NULL ? -ENOMEM : 0;

	for (unsigned int i = 0; rc == 0 && i < hosts->n; i++) {
		if (seen[hosts->node[i].index])
			rc = fcn_command_error(args, -EINVAL, "hosts", "%s is given twice",
					r->sc->host[hosts->node[i].index].name);
		seen[hosts->node[i].index] = true;
	}
	free(seen);
	if (rc == 0 && hosts->n < 2)
		rc = fcn_command_error(args, -EINVAL, "hosts", "at least two hosts are needed");
	return rc;
}

static int
traffic_poisson(struct fcn_session *session, const struct fcn_args *args)
{
	struct lab_reader *r = lab_reader_in(session, LAB_PASS_REST);
	struct lab_flow flow = {.messages = 1, .stop_ns = FCN_ENDPOINT_NEVER};
	struct poisson *p;
	int rc;

	if (r == NULL)
		return 0;
	p = calloc(1, sizeof(*p));
	if (p == NULL)
		return -ENOMEM;
	rc = lab_flow_name(args, &flow);
	if (rc == 0)
		rc = lab_flow_check_new(r->sc, args, flow.name);
	if (rc == 0)
		rc = lab_flow_dscp(args, &flow);
	if (rc == 0)
		rc = lab_nodes_of(r, args, "hosts", LAB_HOSTS, &p->hosts);
	if (rc == 0)
		rc = lab_check_hosts(r, args, &p->hosts);
	if (rc == 0)
		rc = read_distribution(r, args, p);
	if (rc == 0)
		rc = read_load(r, args, p);
	p->random.state = seed_of(r->sc, flow.name);
	if (rc == 0)
		rc = add_arrivals(r, args, p, flow);
	lab_nodes_free(&p->hosts);
	if (p->read)
		lab_sizes_free(&p->sizes);
	free(p);
	return rc;
}

static int
add_burst(struct lab_reader *r, const struct fcn_args *args, struct lab_flow flow,
		const struct lab_nodes *from)
{
	unsigned int i, n = 0;
	int rc = 0;

	for (i = 0; rc == 0 && i < from->n; i++) {
		if (from->node[i].index == flow.to)
			continue;
		flow.from = from->node[i].index;
		rc = lab_flow_push(r, args, &flow);
		n++;
	}
	if (rc == 0 && n == 0)
		return fcn_command_error(args, -EINVAL, "from", "%s cannot send a flow to itself",
				r->sc->host[flow.to].name);
	return rc;
}

static int
traffic_incast(struct fcn_session *session, const struct fcn_args *args)
{
	struct lab_reader *r = lab_reader_in(session, LAB_PASS_REST);
	struct lab_flow flow = {.stop_ns = FCN_ENDPOINT_NEVER, .fct_port = LAB_FCT_PORT_INCAST};
	struct lab_nodes from;
	struct lab_node to;
	int rc;

	if (r == NULL)
		return 0;
	flow.bytes = fcn_args_u64(args, "size", 0);
	flow.messages = fcn_args_u64(args, "count", 0);
	flow.interval_ns = fcn_args_u64(args, "every", 0);
	flow.start_ns = fcn_args_u64(args, "start", 0);
	if (flow.bytes == 0 || flow.bytes > LAB_MAX_MESSAGE)
		return fcn_command_error(args, -ERANGE, "size",
				"the size of a message must be 1 to 1Ti bytes");
	if (flow.messages == 0 || flow.messages == UINT64_MAX)
		return fcn_command_error(
				args, -ERANGE, "count", "the number of bursts must be at least 1");
	if (flow.interval_ns == 0)
		return fcn_command_error(
				args, -ERANGE, "every", "an interval must be at least 1ns");
	rc = lab_flow_name(args, &flow);
	if (rc == 0)
		rc = lab_flow_dscp(args, &flow);
	if (rc == 0)
		rc = lab_node_of(r, args, "to", LAB_HOSTS, &to);
	if (rc == 0)
		rc = lab_nodes_of(r, args, "from", LAB_HOSTS, &from);
	if (rc != 0)
		return rc;
	flow.to = to.index;
	rc = add_burst(r, args, flow, &from);
	lab_nodes_free(&from);
	return rc;
}

static int
traffic_pcap(struct fcn_session *session, const struct fcn_args *args)
{
	struct lab_reader *r = lab_reader_in(session, LAB_PASS_REST);
	uint64_t speed = fcn_args_u64(args, "speed", (uint64_t)RATIO_ONE);
	struct lab_capture *capture;
	struct lab_node host;
	int rc;

	if (r == NULL)
		return 0;
	if (speed == 0)
		return fcn_command_error(args, -ERANGE, "speed", "a speed must be above 0");
	rc = lab_node_of(r, args, "host", LAB_HOSTS, &host);
	if (rc != 0)
		return rc;
	capture = lab_push(&r->sc->capture, &r->sc->n_captures, sizeof(*capture));
	if (capture == NULL)
		return -ENOMEM;
	capture->host = host.index;
	capture->speed = (double)speed / RATIO_ONE;
	capture->start_ns = fcn_args_u64(args, "start", 0);
	capture->place = r->place;
	capture->file = lab_beside(r->sc, fcn_args_str(args, "file"));
	if (capture->file == NULL)
		return -ENOMEM;
	if (access(capture->file, R_OK) != 0)
		return fcn_command_error(
				args, -ENOENT, "file", "%s: %s", capture->file, strerror(errno));
	return 0;
}

static const struct fcn_command commands[] = {
		{"traffic poisson <name:name> hosts <hosts:names> load <load:ratio> distribution "
		 "<distribution:name> [from <from:time>] [until <until:time>] "
		 "[dscp <dscp:number>]",
				"Send messages between random hosts at random times (a Poisson "
				"process), each over its own queue pair. load is the payload "
				"rate as a fraction of the hosts' link rate. distribution is "
				"that of the message sizes: websearch, hadoop, alistorage, or a "
				"file "
				"with lines BYTES PERCENT. The traffic lasts until the end of the "
				"run unless until is given",
				FCN_COMMAND_CONFIG, traffic_poisson},
		{"traffic incast <name:name> to <to:names> from <from:names> size <size:size> "
		 "every <every:time> count <count:count> [start <start:time>] "
		 "[dscp <dscp:number>]",
				"Send bursts: all sources send one message each to the "
				"destination at the same time. every is the time between two "
				"bursts, and count the number of bursts",
				FCN_COMMAND_CONFIG, traffic_incast},
		{"traffic pcap <host:names> file <file:name> [speed <speed:ratio>] "
		 "[start <start:time>]",
				"Send the frames of a capture file from the host, at the times "
				"of their timestamps relative to start. speed divides the time "
				"between frames",
				FCN_COMMAND_CONFIG, traffic_pcap},
};

const struct fcn_command_group lab_traffic_commands = {"Traffic", commands, RTE_DIM(commands)};
