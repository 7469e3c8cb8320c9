/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* What goes wrong, always or from a time on; and what is done at a time. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_common.h>

#include "scenario_private.h"

#define RATIO_ONE 1000000000u
#define BOTH 2u
#define MAX_FORGED 1000000u

/* ---- links ---- */

/* Links between two nodes, and the direction of them that is meant. */
struct chosen {
	unsigned int *link;
	unsigned int *direction;
	unsigned int n;
};

static void
free_chosen(struct chosen *c)
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
add_chosen(struct chosen *c, unsigned int link, unsigned int direction)
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

/* All links between two nodes; to: the node that frames go to, NULL: either. */
static int
choose_pair(struct lab_reader *r, const struct fcn_args *args, struct lab_node a, struct lab_node b,
		const struct lab_nodes *to, struct chosen *c)
{
	unsigned int i, e, n = 0, direction;
	int rc = 0;

	for (i = 0; rc == 0 && i < r->sc->n_links; i++) {
		const struct lab_node *end = r->sc->link[i].end;

		if (!(same_node(end[0], a) && same_node(end[1], b)) &&
				!(same_node(end[0], b) && same_node(end[1], a)))
			continue;
		n++;
		direction = BOTH;
		for (e = 0; e < 2 && to->n > 0; e++)
			for (unsigned int t = 0; t < to->n; t++)
				if (same_node(end[e], to->node[t]))
					direction = 1 - e;
		if (to->n > 0 && direction == BOTH)
			return fcn_command_error(args, -EINVAL, "towards",
					"that is no end of the link of %s and %s",
					lab_node_name(r->sc, a), lab_node_name(r->sc, b));
		rc = add_chosen(c, i, direction);
	}
	if (rc == 0 && n == 0)
		return fcn_command_error(args, -ENOENT, "b", "there is no link of %s and %s",
				lab_node_name(r->sc, a), lab_node_name(r->sc, b));
	return rc;
}

/* The links that a line is about; to be freed. */
static int
choose_links(struct lab_reader *r, const struct fcn_args *args, struct chosen *c)
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
		free_chosen(c);
	return rc;
}

static void
warn_late(struct lab_reader *r, const struct fcn_args *args, const char *key)
{
	if (fcn_args_u64(args, key, 0) >= r->sc->duration_ns)
		lab_warning(r, args, key, "the run is over then");
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
		return fcn_command_error(args, -ERANGE, "ratio", "a probability is at most 1");
	fault->ratio = (uint32_t)ratio;
	fault->time_ns = fcn_args_u64(args, "by", 0);
	if (fault->kind == LAB_FAULT_REORDER && fault->time_ns == 0)
		return fcn_command_error(args, -ERANGE, "by", "at least 1ns");
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

/* A fault of a link, from the beginning or from a time on. */
static int
take_fault(struct lab_reader *r, const struct fcn_args *args, const struct lab_fault *fault,
		unsigned int link, unsigned int direction)
{
	struct lab_fault_change *change;

	if (!fcn_args_has(args, "time")) {
		for (unsigned int d = 0; d < 2; d++)
			if (direction == BOTH || direction == d)
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
	struct chosen c;
	int rc;

	if (r == NULL)
		return 0;
	warn_late(r, args, "time");
	rc = read_fault(args, &fault);
	if (rc == 0)
		rc = choose_links(r, args, &c);
	if (rc != 0)
		return rc;
	for (unsigned int i = 0; rc == 0 && i < c.n; i++)
		rc = take_fault(r, args, &fault, c.link[i], c.direction[i]);
	free_chosen(&c);
	return rc;
}

static int
link_pcap(struct fcn_session *session, const struct fcn_args *args)
{
	struct lab_reader *r = lab_reader_in(session, LAB_PASS_REST);
	struct chosen c;
	int rc;

	if (r == NULL)
		return 0;
	rc = choose_links(r, args, &c);
	if (rc != 0)
		return rc;
	for (unsigned int i = 0; i < c.n; i++)
		r->sc->link[c.link[i]].pcap = true;
	free_chosen(&c);
	return 0;
}

/* ---- actions ---- */

static struct lab_action *
add_action(struct lab_reader *r, const struct fcn_args *args, enum lab_action_kind kind,
		unsigned int target)
{
	struct lab_action *action = lab_push(&r->sc->action, &r->sc->n_actions, sizeof(*action));

	if (action == NULL)
		return NULL;
	action->kind = kind;
	action->time_ns = fcn_args_u64(args, "time", 0);
	action->target = target;
	action->place = r->place;
	return action;
}

static int
at_link_state(struct fcn_session *session, const struct fcn_args *args)
{
	struct lab_reader *r = lab_reader_in(session, LAB_PASS_REST);
	bool up = strcmp(fcn_args_str(args, "state"), "up") == 0;
	struct chosen c;
	int rc;

	if (r == NULL)
		return 0;
	warn_late(r, args, "time");
	rc = choose_links(r, args, &c);
	if (rc != 0)
		return rc;
	for (unsigned int i = 0; rc == 0 && i < c.n; i++)
		if (add_action(r, args, up ? LAB_LINK_UP : LAB_LINK_DOWN, c.link[i]) == NULL)
			rc = -ENOMEM;
	free_chosen(&c);
	return rc;
}

/* Something done to each switch of the list. */
static int
at_switch(struct fcn_session *session, const struct fcn_args *args, enum lab_action_kind kind,
		const char *text, uint64_t count)
{
	struct lab_reader *r = lab_reader_in(session, LAB_PASS_REST);
	struct lab_nodes nodes;
	int rc;

	if (r == NULL)
		return 0;
	warn_late(r, args, "time");
	rc = lab_nodes_of(r, args, "switches", LAB_SWITCHES, &nodes);
	for (unsigned int i = 0; rc == 0 && i < nodes.n; i++) {
		struct lab_action *action = add_action(r, args, kind, nodes.node[i].index);

		if (action == NULL)
			rc = -ENOMEM;
		else
			action->count = count;
		if (rc == 0 && text != NULL) {
			action->text = strdup(text);
			rc = action->text == NULL ? -ENOMEM : 0;
		}
	}
	lab_nodes_free(&nodes);
	return rc;
}

static int
at_switch_do(struct fcn_session *session, const struct fcn_args *args)
{
	return at_switch(session, args, LAB_SWITCH_LINE, fcn_args_str(args, "line"), 0);
}

static int
at_switch_restart(struct fcn_session *session, const struct fcn_args *args)
{
	return at_switch(session, args, LAB_SWITCH_RESTART, NULL, 0);
}

static int
at_switch_starve(struct fcn_session *session, const struct fcn_args *args)
{
	uint64_t count = fcn_args_u64(args, "count", 0);

	if (count > UINT32_MAX)
		return fcn_command_error(args, -ERANGE, "count", "at most 4294967295 buffers");
	return at_switch(session, args, LAB_SWITCH_STARVE, NULL,
			fcn_args_has(args, "back") ? UINT64_MAX : count);
}

static int
at_collector_stop(struct fcn_session *session, const struct fcn_args *args)
{
	uint64_t room = fcn_args_u64(args, "room", LAB_SWITCH_EVENTS);

	if (room > LAB_SWITCH_EVENTS)
		return fcn_command_error(
				args, -ERANGE, "room", "at most %u events", LAB_SWITCH_EVENTS);
	return at_switch(session, args, LAB_COLLECTOR_STOP, NULL, room);
}

static int
at_collector_start(struct fcn_session *session, const struct fcn_args *args)
{
	return at_switch(session, args, LAB_COLLECTOR_START, NULL, 0);
}

static int
at_notices_drop(struct fcn_session *session, const struct fcn_args *args)
{
	struct lab_reader *r = lab_reader_in(session, LAB_PASS_REST);
	uint64_t ratio = fcn_args_u64(args, "ratio", 0);
	struct lab_action *action;

	if (r == NULL)
		return 0;
	warn_late(r, args, "time");
	if (ratio > RATIO_ONE)
		return fcn_command_error(args, -ERANGE, "ratio", "a probability is at most 1");
	action = add_action(r, args, LAB_NOTICES_DROP, 0);
	if (action == NULL)
		return -ENOMEM;
	action->ratio = (uint32_t)ratio;
	return 0;
}

static int
at_forge(struct fcn_session *session, const struct fcn_args *args)
{
	struct lab_reader *r = lab_reader_in(session, LAB_PASS_REST);
	uint64_t count = fcn_args_u64(args, "count", 0);
	struct lab_node from, to;
	struct lab_action *action;
	int rc;

	if (r == NULL)
		return 0;
	warn_late(r, args, "time");
	if (count == 0 || count > MAX_FORGED)
		return fcn_command_error(
				args, -ERANGE, "count", "1 to %u forged notices", MAX_FORGED);
	rc = lab_node_of(r, args, "from", LAB_HOSTS, &from);
	if (rc == 0)
		rc = lab_node_of(r, args, "to", LAB_HOSTS, &to);
	if (rc != 0)
		return rc;
	if (from.index == to.index)
		return fcn_command_error(args, -EINVAL, "to", "a host forges for another");
	action = add_action(r, args, LAB_NOTICES_FORGE, from.index);
	if (action == NULL)
		return -ENOMEM;
	action->other = to.index;
	action->count = count;
	return 0;
}

/* A storm is made of some of these. */
static int
at_pause(struct fcn_session *session, const struct fcn_args *args)
{
	struct lab_reader *r = lab_reader_in(session, LAB_PASS_REST);
	uint64_t quanta = fcn_args_u64(args, "quanta", UINT16_MAX);
	uint64_t class = fcn_args_u64(args, "class", 0);
	struct lab_nodes nodes;
	int rc;

	if (r == NULL)
		return 0;
	warn_late(r, args, "time");
	if (quanta > UINT16_MAX)
		return fcn_command_error(args, -ERANGE, "quanta", "at most %u", UINT16_MAX);
	rc = lab_nodes_of(r, args, "hosts", LAB_HOSTS, &nodes);
	for (unsigned int i = 0; rc == 0 && i < nodes.n; i++) {
		struct lab_action *action = add_action(
				r, args, LAB_HOST_PAUSE, nodes.node[i].index);

		if (action == NULL) {
			rc = -ENOMEM;
			break;
		}
		action->other = class == FCN_ARG_CLASS_ALL ? 0xff : 1u << class;
		action->count = quanta;
	}
	lab_nodes_free(&nodes);
	return rc;
}

#define LINK_FAULTS(at, then)                                                                      \
	{at "link <a:names> <b:names> loss <ratio:ratio> [towards <towards:names>]",               \
			"Lose frames of the links between nodes with this probability" then,       \
			FCN_COMMAND_CONFIG, link_fault},                                           \
			{at "link <a:names> <b:names> duplicate <ratio:ratio> "                    \
			    "[towards <towards:names>]",                                           \
					"Deliver frames twice with this probability" then,         \
					FCN_COMMAND_CONFIG, link_fault},                           \
			{at "link <a:names> <b:names> corrupt <ratio:ratio> "                      \
			    "[towards <towards:names>]",                                           \
					"Turn a bit of a frame over with this probability, as if " \
					"its FCS were good" then,                                  \
					FCN_COMMAND_CONFIG, link_fault},                           \
			{at "link <a:names> <b:names> reorder <ratio:ratio> by <by:time> "         \
			    "[towards <towards:names>]",                                           \
					"Deliver frames that much later with this probability, "   \
					"behind those that follow" then,                           \
					FCN_COMMAND_CONFIG, link_fault},                           \
	{                                                                                          \
		at "link <a:names> <b:names> notice-loss <ratio:ratio> "                           \
		   "[towards <towards:names>]",                                                    \
				"Lose CNPs and Fast CNPs with this probability" then,              \
				FCN_COMMAND_CONFIG, link_fault                                     \
	}

static const struct fcn_command commands[] = {
		LINK_FAULTS("", "; in both directions, or only towards an end"),
		{"link <a:names> <b:names> pcap",
				"Write the frames of the links between nodes to files, one for "
				"each "
				"direction",
				FCN_COMMAND_CONFIG, link_pcap},
		LINK_FAULTS("at <time:time> ", ", from this time on"),
		{"at <time:time> link <a:names> <b:names> <state:down|up>",
				"Take the links between nodes down, what is on its way is lost; or "
				"up again",
				FCN_COMMAND_CONFIG, at_link_state},
		{"at <time:time> switch <switches:names> do <line:text>",
				"Run a line of the switch's own language at this time",
				FCN_COMMAND_CONFIG, at_switch_do},
		{"at <time:time> switch <switches:names> restart",
				"Restart a switch: what it holds is lost, its configuration is "
				"read "
				"again",
				FCN_COMMAND_CONFIG, at_switch_restart},
		{"at <time:time> switch <switches:names> starve [<count:count>]",
				"Take packet buffers away from a switch, all but so many (default "
				"0)",
				FCN_COMMAND_CONFIG, at_switch_starve},
		{"at <time:time> switch <switches:names> starve back", "Give the buffers back",
				FCN_COMMAND_CONFIG, at_switch_starve},
		{"at <time:time> switch <switches:names> collector stop [room <room:count>]",
				"Nobody reads the events of a switch any more (notices made, "
				"congestion entered and left, ...): its ring runs full, with room "
				"for 4096 or so many, and those it has no room for are lost and "
				"counted",
				FCN_COMMAND_CONFIG, at_collector_stop},
		{"at <time:time> switch <switches:names> collector start",
				"Read its events again, those first that wait in the ring",
				FCN_COMMAND_CONFIG, at_collector_start},
		{"at <time:time> notices drop <ratio:ratio>",
				"Lose CNPs and Fast CNPs on all links with this probability, from "
				"this time on",
				FCN_COMMAND_CONFIG, at_notices_drop},
		{"at <time:time> host <from:names> forge <count:count> to <to:names>",
				"A host sends so many forged Fast CNPs to another, for queue pairs "
				"that are not the forger's business",
				FCN_COMMAND_CONFIG, at_forge},
		{"at <time:time> host <hosts:names> pause <class:class> [<quanta:number>]",
				"A host asks the other end of its link not to send a class, for a "
				"time in quanta of 512 bits (default 65535), whether it receives "
				"it or not: a storm, when it does so again and again",
				FCN_COMMAND_CONFIG, at_pause},
};

const struct fcn_command_group lab_fault_commands = {
		"Faults, and what happens at a time", commands, RTE_DIM(commands)};
