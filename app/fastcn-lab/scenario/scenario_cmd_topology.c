/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Commands for whole networks. Each runs the lines that one would write for it, in every pass. */

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include <rte_common.h>

#include "scenario_private.h"

#define MAX_K 24u /* with 26, there are more than LAB_MAX_HOSTS hosts */
#define MAX_COUNT 4096u
#define DEFAULT_RATE UINT64_C(100000000000)
#define DEFAULT_DELAY 1000

/* What the lines of a network have in common. */
struct topology {
	struct lab_reader *r;
	const struct fcn_args *args;
	char host[96], fabric[96]; /* rate and delay of links */
	char node[64];             /* options of switches */
};

static void
read_options(struct topology *t, struct lab_reader *r, const struct fcn_args *args)
{
	uint64_t rate = fcn_args_u64(args, "rate", DEFAULT_RATE);
	uint64_t delay = fcn_args_u64(args, "delay", DEFAULT_DELAY);

	t->r = r;
	t->args = args;
	snprintf(t->fabric, sizeof(t->fabric), " rate %" PRIu64 " delay %" PRIu64 "ns", rate,
			delay);
	snprintf(t->host, sizeof(t->host), " rate %" PRIu64 " delay %" PRIu64 "ns",
			fcn_args_u64(args, "host-rate", rate),
			fcn_args_u64(args, "host-delay", delay));
	snprintf(t->node, sizeof(t->node), " latency %" PRIu64 "ns",
			fcn_args_u64(args, "latency", LAB_DEFAULT_LATENCY_NS));
}

/* Run a line. Its error is that of the command. */
static int __attribute__((format(printf, 2, 3))) run(const struct topology *t, const char *fmt, ...)
{
	char text[FCN_COMMAND_MAX_LINE];
	struct fcn_diag *own = t->r->diag, diag;
	va_list ap;
	int rc;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	t->r->diag = &diag;
	rc = fcn_command_run(
			t->r->table, lab_reader_session(t->r), text, FCN_COMMAND_ALLOW_ALL, &diag);
	t->r->diag = own;
	return rc == 0 ? 0 : fcn_command_error(t->args, rc, NULL, "%s: %s", text, diag.message);
}

/* Read a number of nodes or links. @return 0, or a negative errno after the error was reported */
static int
count_of(const struct fcn_args *args, const char *key, uint64_t otherwise, unsigned int *n)
{
	uint64_t value = fcn_args_u64(args, key, otherwise);

	if (value == 0 || value > MAX_COUNT)
		return fcn_command_error(
				args, -ERANGE, key, "the number must be 1 to %u", MAX_COUNT);
	*n = (unsigned int)value;
	return 0;
}

/* The links of a pod, counted from 1. */
static int
make_pod(const struct topology *t, unsigned int k, unsigned int pod)
{
	const unsigned int half = k / 2, first = (pod - 1) * half * half;
	int rc = 0;

	for (unsigned int i = 1; rc == 0 && i <= half; i++)
		rc = run(t, "link add h[%u-%u] edge%u_%u%s", first + (i - 1) * half + 1,
				first + i * half, pod, i, t->host);
	for (unsigned int i = 1; rc == 0 && i <= half; i++)
		rc = run(t, "link add edge%u_%u agg%u_[1-%u]%s", pod, i, pod, half, t->fabric);
	for (unsigned int i = 1; rc == 0 && i <= half; i++)
		rc = run(t, "link add agg%u_%u core[%u-%u]%s", pod, i, (i - 1) * half + 1, i * half,
				t->fabric);
	return rc;
}

static int
fat_tree(struct fcn_session *session, const struct fcn_args *args)
{
	const uint64_t k = fcn_args_u64(args, "k", 0);
	const unsigned int half = (unsigned int)k / 2;
	struct topology t;
	int rc;

	if (k < 2 || k > MAX_K || k % 2 != 0)
		return fcn_command_error(args, -ERANGE, "k", "k must be even, and 2 to %u", MAX_K);
	read_options(&t, lab_reader_of(session), args);
	rc = run(&t, "switch add core[1-%u]%s", half * half, t.node);
	for (unsigned int pod = 1; rc == 0 && pod <= k; pod++)
		rc = run(&t, "switch add agg%u_[1-%u],edge%u_[1-%u]%s", pod, half, pod, half,
				t.node);
	if (rc == 0)
		rc = run(&t, "host add h[1-%u]", (unsigned int)k * half * half);
	for (unsigned int pod = 1; rc == 0 && pod <= k; pod++)
		rc = make_pod(&t, (unsigned int)k, pod);
	return rc;
}

static int
leaf_spine(struct fcn_session *session, const struct fcn_args *args)
{
	unsigned int leaves = 0, spines = 0, hosts = 0, links = 0;
	struct topology t;
	int rc = count_of(args, "leaves", 0, &leaves);

	if (rc == 0)
		rc = count_of(args, "spines", 0, &spines);
	if (rc == 0)
		rc = count_of(args, "hosts", 0, &hosts);
	if (rc == 0)
		rc = count_of(args, "links", 1, &links);
	if (rc == 0 && (uint64_t)leaves * hosts > LAB_MAX_HOSTS)
		rc = fcn_command_error(args, -ERANGE, "hosts",
				"%u leaves with %u hosts each have "
				"more than %u hosts",
				leaves, hosts, LAB_MAX_HOSTS);
	if (rc != 0)
		return rc;
	read_options(&t, lab_reader_of(session), args);
	rc = run(&t, "switch add leaf[1-%u],spine[1-%u]%s", leaves, spines, t.node);
	if (rc == 0)
		rc = run(&t, "host add h[1-%u]", leaves * hosts);
	for (unsigned int i = 0; rc == 0 && i < leaves; i++)
		rc = run(&t, "link add h[%u-%u] leaf%u%s", i * hosts + 1, (i + 1) * hosts, i + 1,
				t.host);
	for (unsigned int i = 1; rc == 0 && i <= leaves; i++)
		for (unsigned int l = 0; rc == 0 && l < links; l++)
			rc = run(&t, "link add leaf%u spine[1-%u]%s", i, spines, t.fabric);
	return rc;
}

#define OPTIONS                                                                  \
	" [rate <rate:rate>] [delay <delay:time>] [host-rate <host-rate:rate>] " \
	"[host-delay <host-delay:time>] [latency <latency:time>]"

static const struct fcn_command commands[] = {
		{"topology fat-tree k <k:number>" OPTIONS,
				"Make a fat tree of switches with k ports: k pods of k/2 edge and "
				"k/2 "
				"aggregation switches, and k*k/4 core switches. The hosts h1, h2, "
				"... "
				"are those of edge1_1, edge1_2 and so on, k/2 each; agg1_2 is in "
				"the "
				"first pod, and its cores are the second k/2 of core1, core2, ... "
				"rate and delay are those of all links (default 100G, 1us), "
				"host-rate and host-delay those of the links to hosts; latency is "
				"that of the switches (default 2us)",
				FCN_COMMAND_CONFIG, fat_tree},
		{"topology leaf-spine leaves <leaves:number> spines <spines:number> hosts "
		 "<hosts:number> [links <links:number>]" OPTIONS,
				"Make two tiers of switches: each of leaf1, leaf2, ... has a link, "
				"or so many links, to each of spine1, spine2, ... and so many "
				"hosts: "
				"h1, h2, ... from leaf1 on. The other words mean the same as for a "
				"fat tree",
				FCN_COMMAND_CONFIG, leaf_spine},
};

const struct fcn_command_group lab_topology_commands = {
		"Whole networks", commands, RTE_DIM(commands)};
