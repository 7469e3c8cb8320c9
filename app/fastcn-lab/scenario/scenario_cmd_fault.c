/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Commands for faults of links, for the whole run or from a time on. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_common.h>

#include "scenario_private.h"

#define RATIO_ONE 1000000000u

/* ---- links ---- */

void
lab_chosen_free(struct lab_chosen *c)
{
	free(c->link);
	free(c->direction);
}

static bool
same_node(struct lab_node a, struct lab_node b)
{
	return a.kind == b.kind && a.index == b.index;
}

static int
add_chosen(struct lab_chosen *c, unsigned int link, unsigned int direction)
{
	unsigned int n = c->n;
	unsigned int *item = lab_push(&c->link, &c->n, sizeof(*item));

	if (item == NULL)
		return -ENOMEM;
	*item = link;
	item = lab_push(&c->direction, &n, sizeof(*item));
	if (item == NULL)
		return -ENOMEM;
	*item = direction;
	return 0;
}

/*
 * Choose all links between two nodes. `to` is the node to which the affected frames are sent; NULL:
 * both.
 */
static int
choose_pair(struct lab_reader *r, const struct fcn_args *args, struct lab_node a, struct lab_node b,
		const struct lab_nodes *to, struct lab_chosen *c)
{
	unsigned int i, e, n = 0, direction;
	int rc = 0;

	for (i = 0; rc == 0 && i < r->sc->n_links; i++) {
		const struct lab_node *end = r->sc->link[i].end;

		if (!(same_node(end[0], a) && same_node(end[1], b)) &&
				!(same_node(end[0], b) && same_node(end[1], a)))
			continue;
		n++;
		direction = LAB_BOTH;
		for (e = 0; e < 2 && to->n > 0; e++)
			for (unsigned int t = 0; t < to->n; t++)
				if (same_node(end[e], to->node[t]))
					direction = 1 - e;
		if (to->n > 0 && direction == LAB_BOTH)
			return fcn_command_error(args, -EINVAL, "towards",
					"this node is not an end of the link between %s and %s",
					lab_node_name(r->sc, a), lab_node_name(r->sc, b));
		rc = add_chosen(c, i, direction);
	}
	if (rc == 0 && n == 0)
		return fcn_command_error(args, -ENOENT, "b", "there is no link between %s and %s",
				lab_node_name(r->sc, a), lab_node_name(r->sc, b));
	return rc;
}

int
lab_choose_links(struct lab_reader *r, const struct fcn_args *args, struct lab_chosen *c)
{
	struct lab_nodes ends[2], to = {.n = 0};
	int rc = lab_pairs_of(r, args, "a", "b", ends);

	memset(c, 0, sizeof(*c));
	if (rc != 0)
		return rc;
	if (fcn_args_has(args, "towards"))
		rc = lab_nodes_of(r, args, "towards", LAB_SWITCHES | LAB_HOSTS, &to);
	for (unsigned int i = 0; rc == 0 && i < ends[0].n; i++)
		rc = choose_pair(r, args, ends[0].node[i], ends[1].node[i], &to, c);
	lab_nodes_free(&ends[0]);
	lab_nodes_free(&ends[1]);
	lab_nodes_free(&to);
	if (rc != 0)
		lab_chosen_free(c);
	return rc;
}

void
lab_warn_late(struct lab_reader *r, const struct fcn_args *args, const char *key)
{
	if (fcn_args_u64(args, key, 0) >= r->sc->duration_ns)
		lab_warning(r, args, key, "the run is over at this time");
}

static int
read_fault(const struct fcn_args *args, struct lab_fault *fault)
{
	static const char *const words[] = {
			[LAB_FAULT_LOSS] = "loss",
			[LAB_FAULT_DUPLICATE] = "duplicate",
			[LAB_FAULT_CORRUPT] = "corrupt",
			[LAB_FAULT_REORDER] = "reorder",
			[LAB_FAULT_NOTICES] = "notice-loss",
	};
	uint64_t ratio = fcn_args_u64(args, "ratio", 0);

	for (unsigned int i = 0; i < RTE_DIM(words); i++)
		if (fcn_args_has(args, words[i]))
			fault->kind = i;
	if (ratio > RATIO_ONE)
		return fcn_command_error(args, -ERANGE, "ratio", "a probability must be at most 1");
	fault->ratio = (uint32_t)ratio;
	fault->time_ns = fcn_args_u64(args, "by", 0);
	if (fault->kind == LAB_FAULT_REORDER && fault->time_ns == 0)
		return fcn_command_error(args, -ERANGE, "by", "a delay must be at least 1ns");
	return 0;
}

void
lab_fault_apply(const struct lab_fault *fault, struct fcn_link_faults *faults)
{
	switch (fault->kind) {
	case LAB_FAULT_LOSS:
		faults->loss = fault->ratio;
		break;
	case LAB_FAULT_DUPLICATE:
		faults->duplicate = fault->ratio;
		break;
	case LAB_FAULT_CORRUPT:
		faults->corrupt = fault->ratio;
		break;
	case LAB_FAULT_REORDER:
		faults->reorder = fault->ratio;
		faults->reorder_ns = fault->time_ns;
		break;
	case LAB_FAULT_NOTICES:
		faults->notice_loss = fault->ratio;
		break;
	}
}

/* Store a fault of a link, from the beginning or from a time on. */
static int
take_fault(struct lab_reader *r, const struct fcn_args *args, const struct lab_fault *fault,
		unsigned int link, unsigned int direction)
{
	struct lab_fault_change *change;

	if (!fcn_args_has(args, "time")) {
		for (unsigned int d = 0; d < 2; d++)
			if (direction == LAB_BOTH || direction == d)
				lab_fault_apply(fault, &r->sc->link[link].faults[d]);
		return 0;
	}
	change = lab_push(&r->change, &r->n_changes, sizeof(*change));
	if (change == NULL)
		return -ENOMEM;
	*change = (struct lab_fault_change){.fault = *fault,
			.time_ns = fcn_args_u64(args, "time", 0),
			.link = link,
			.direction = direction,
			.place = r->place};
	return 0;
}

static int
link_fault(struct fcn_session *session, const struct fcn_args *args)
{
	struct lab_reader *r = lab_reader_in(session, LAB_PASS_REST);
	struct lab_fault fault = {.ratio = 0};
	struct lab_chosen c;
	int rc;

	if (r == NULL)
		return 0;
	lab_warn_late(r, args, "time");
	rc = read_fault(args, &fault);
	if (rc == 0)
		rc = lab_choose_links(r, args, &c);
	if (rc != 0)
		return rc;
	for (unsigned int i = 0; rc == 0 && i < c.n; i++)
		rc = take_fault(r, args, &fault, c.link[i], c.direction[i]);
	lab_chosen_free(&c);
	return rc;
}

static int
link_pcap(struct fcn_session *session, const struct fcn_args *args)
{
	struct lab_reader *r = lab_reader_in(session, LAB_PASS_REST);
	struct lab_chosen c;
	int rc;

	if (r == NULL)
		return 0;
	rc = lab_choose_links(r, args, &c);
	if (rc != 0)
		return rc;
	for (unsigned int i = 0; i < c.n; i++)
		r->sc->link[c.link[i]].pcap = true;
	lab_chosen_free(&c);
	return 0;
}

#define LINK_FAULTS(at, then)                                                                      \
	{at "link <a:names> <b:names> loss <ratio:ratio> [towards <towards:names>]",               \
			"Lose frames on the links between these nodes with this probability" then, \
			FCN_COMMAND_CONFIG, link_fault},                                           \
			{at "link <a:names> <b:names> duplicate <ratio:ratio> "                    \
			    "[towards <towards:names>]",                                           \
					"Duplicate frames on the links between these nodes "       \
					"with this probability" then,                              \
					FCN_COMMAND_CONFIG, link_fault},                           \
			{at "link <a:names> <b:names> corrupt <ratio:ratio> "                      \
			    "[towards <towards:names>]",                                           \
					"Invert a bit of frames on the links between these "       \
					"nodes with this probability, and deliver them as "        \
					"if their FCS were correct" then,                          \
					FCN_COMMAND_CONFIG, link_fault},                           \
			{at "link <a:names> <b:names> reorder <ratio:ratio> by <by:time> "         \
			    "[towards <towards:names>]",                                           \
					"Delay frames on the links between these nodes by "        \
					"this time with this probability, so that later "          \
					"frames overtake them" then,                               \
					FCN_COMMAND_CONFIG, link_fault},                           \
	{                                                                                          \
		at "link <a:names> <b:names> notice-loss <ratio:ratio> "                           \
		   "[towards <towards:names>]",                                                    \
				"Lose notices on the links between these nodes with this "         \
				"probability: CNPs, Fast CNPs and Congestion Notification "        \
				"Messages" then,                                                   \
				FCN_COMMAND_CONFIG, link_fault                                     \
	}

static const struct fcn_command commands[] = {
		LINK_FAULTS("", ", in both directions or only towards one end"),
		{"link <a:names> <b:names> pcap",
				"Write the frames of the links between these nodes to capture "
				"files, one file for each direction",
				FCN_COMMAND_CONFIG, link_pcap},
		LINK_FAULTS("at <time:time> ", ", from this time on"),
};

const struct fcn_command_group lab_fault_commands = {"Faults", commands, RTE_DIM(commands)};
