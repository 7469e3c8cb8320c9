/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* The command for traces of group operations (goal.h). */

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <rte_common.h>

#include "goal.h"
#include "scenario_private.h"

#define MAX_ITERATIONS 1000000u

static int
read_trace(struct lab_reader *r, const struct fcn_args *args, struct lab_goal **goal)
{
	const char *name = fcn_args_str(args, "file");
	char *path = lab_beside(r->sc, name), *text, why[256];
	size_t size;
	int rc;

	if (path == NULL)
		return -ENOMEM;
	text = lab_read_file(path, LAB_MAX_TRACE, &size, &rc);
	if (text == NULL) {
		rc = fcn_command_error(args, rc, "file", "%s: %s", path, strerror(-rc));
	} else {
		*goal = lab_goal_read(text, size, why, sizeof(why));
		free(text);
		rc = *goal == NULL ? -EINVAL : lab_goal_check(*goal, why, sizeof(why));
		if (rc == -EINVAL)
			rc = fcn_command_error(args, -EINVAL, "file", "%s:%s", path, why);
	}
	free(path);
	return rc;
}

/* Give each rank its host. */
static int
place_ranks(struct lab_reader *r, const struct fcn_args *args, struct lab_goal_job *job)
{
	struct lab_nodes hosts;
	int rc = lab_nodes_of(r, args, "hosts", LAB_HOSTS, &hosts);

	if (rc != 0)
		return rc;
	if (job->goal->n_ranks > 1)
		rc = lab_check_hosts(r, args, &hosts);
	if (rc == 0 && hosts.n < job->goal->n_ranks)
		rc = fcn_command_error(args, -EINVAL, "hosts",
				"the trace has %u ranks, and there are %u hosts",
				job->goal->n_ranks, hosts.n);
	if (rc == 0) {
		job->host = calloc(job->goal->n_ranks, sizeof(*job->host));
		rc = job->host == NULL ? -ENOMEM : 0;
	}
	for (uint32_t i = 0; rc == 0 && i < job->goal->n_ranks; i++)
		job->host[i] = hosts.node[i].index;
	if (rc == 0 && hosts.n > job->goal->n_ranks)
		lab_warning(r, args, "hosts", "the trace has %u ranks, and there are %u hosts",
				job->goal->n_ranks, hosts.n);
	lab_nodes_free(&hosts);
	return rc;
}

/* Add a flow for each pair of ranks with messages. */
static int
add_pairs(struct lab_reader *r, const struct fcn_args *args, struct lab_flow flow,
		struct lab_goal_job *job)
{
	const struct lab_goal *g = job->goal;
	int rc = 0;

	job->flow = calloc((size_t)g->n_pairs + 1, sizeof(*job->flow));
	if (job->flow == NULL)
		return -ENOMEM;
	job->first_flow = r->sc->n_flows;
	for (uint32_t p = 0; rc == 0 && p < g->n_pairs; p++) {
		const struct lab_goal_pair *pair = &g->pair[p];

		job->flow[p] = UINT_MAX;
		if (pair->from == pair->to)
			continue;
		job->flow[p] = r->sc->n_flows;
		flow.from = job->host[pair->from];
		flow.to = job->host[pair->to];
		flow.bytes = RTE_MAX(pair->bytes, UINT64_C(1));
		flow.messages = (uint64_t)pair->n * job->iterations;
		rc = lab_flow_push(r, args, &flow);
	}
	return rc;
}

static int
read_times(struct lab_reader *r, const struct fcn_args *args, struct lab_goal_job *job)
{
	uint64_t iterations = fcn_args_u64(args, "iterations", 1);

	if (iterations == 0 || iterations > MAX_ITERATIONS)
		return fcn_command_error(args, -ERANGE, "iterations",
				"the number of iterations must be 1 to %u", MAX_ITERATIONS);
	job->iterations = (uint32_t)iterations;
	job->start_ns = fcn_args_u64(args, "start", 0);
	if (job->start_ns >= r->sc->duration_ns)
		lab_warning(r, args, "start", "start is after the end of the run");
	return 0;
}

static int
traffic_goal(struct fcn_session *session, const struct fcn_args *args)
{
	struct lab_reader *r = lab_reader_in(session, LAB_PASS_REST);
	struct lab_flow flow = {.stop_ns = FCN_ENDPOINT_NEVER};
	struct lab_goal_job *job;
	int rc;

	if (r == NULL)
		return 0;
	rc = lab_flow_name(args, &flow);
	if (rc == 0)
		rc = lab_flow_check_new(r->sc, args, flow.name);
	if (rc == 0)
		rc = lab_flow_dscp(args, &flow);
	if (rc != 0)
		return rc;
	job = lab_push(&r->sc->goal, &r->sc->n_goals, sizeof(*job));
	if (job == NULL)
		return -ENOMEM;
	memcpy(job->name, flow.name, sizeof(job->name));
	job->place = r->place;
	rc = read_times(r, args, job);
	if (rc == 0)
		rc = read_trace(r, args, &job->goal);
	if (rc == 0)
		rc = place_ranks(r, args, job);
	if (rc != 0)
		return rc;
	if (job->goal->nics)
		lab_warning(r, args, "file",
				"the trace has NICs other than 0; a host has one adapter, which "
				"all of them mean");
	flow.goal = r->sc->n_goals;
	flow.start_ns = job->start_ns;
	return add_pairs(r, args, flow, job);
}

static const struct fcn_command commands[] = {
		{"traffic goal <name:name> file <file:name> hosts <hosts:names> "
		 "[iterations <iterations:count>] [start <start:time>] [dscp <dscp:number>]",
				"Run a trace of group operations (GOAL, as LogGOPSim "
				"and ATLAHS read it). Rank 0 is the first host of the list. "
				"Messages between two ranks have a queue pair; a send ends when "
				"its last byte is acknowledged, a receive when it has come, and "
				"calc takes so many nanoseconds of its CPU. An iteration (there "
				"is one by default) begins when all ranks have ended the one "
				"before. goal.NAME of the result has their times",
				FCN_COMMAND_CONFIG, traffic_goal},
};

const struct fcn_command_group lab_goal_commands = {
		"Traces of group operations", commands, RTE_DIM(commands)};
