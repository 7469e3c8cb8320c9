/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Commands for actions at a time of the run. */

#include <errno.h>
#include <string.h>

#include <rte_common.h>

#include "scenario_private.h"

#define NS_PER_US 1000
#define MAX_HALT_US 3600000000u

#define RATIO_ONE 1000000000u
#define MAX_SPOOFED 1000000u
#define MAX_TOLD 100000u /* messages of one line */
#define MAX_LEVEL 7

/* Add an action like this one at the time that the command names, with a text of its own. */
static int
add_action(struct lab_reader *r, const struct fcn_args *args, struct lab_action like)
{
	struct lab_action *action = lab_push(&r->sc->action, &r->sc->n_actions, sizeof(*action));

	if (action == NULL)
		return -ENOMEM;
	like.time_ns += fcn_args_u64(args, "time", 0);
	like.place = r->place;
	like.text = like.text != NULL ? strdup(like.text) : NULL;
	*action = like;
	return 0;
}

/* Add an action for each of the links between two lists of nodes. */
static int
at_link(struct fcn_session *session, const struct fcn_args *args, enum lab_action_kind kind,
		uint64_t count)
{
	struct lab_reader *r = lab_reader_in(session, LAB_PASS_REST);
	struct lab_action action = {.kind = kind, .count = count};
	struct lab_chosen c;
	int rc;

	if (r == NULL)
		return 0;
	lab_warn_late(r, args, "time");
	rc = lab_choose_links(r, args, &c);
	if (rc != 0)
		return rc;
	for (unsigned int i = 0; rc == 0 && i < c.n; i++) {
		action.target = c.link[i];
		rc = add_action(r, args, action);
	}
	lab_chosen_free(&c);
	return rc;
}

static int
at_link_state(struct fcn_session *session, const struct fcn_args *args)
{
	bool up = strcmp(fcn_args_str(args, "state"), "up") == 0;

	return at_link(session, args, up ? LAB_LINK_UP : LAB_LINK_DOWN, 0);
}

static int
at_link_rate(struct fcn_session *session, const struct fcn_args *args)
{
	int rc = lab_check_link_rate(args);

	return rc != 0 ? rc : at_link(session, args, LAB_LINK_RATE, fcn_args_u64(args, "rate", 0));
}

/* Add an action for each node that an argument names. */
static int
at_nodes(struct lab_reader *r, const struct fcn_args *args, const char *key, unsigned int which,
		struct lab_action action)
{
	struct lab_nodes nodes;
	int rc = lab_nodes_of(r, args, key, which, &nodes);

	for (unsigned int i = 0; rc == 0 && i < nodes.n; i++) {
		action.target = nodes.node[i].index;
		rc = add_action(r, args, action);
	}
	lab_nodes_free(&nodes);
	return rc;
}

static int
at_switch(struct fcn_session *session, const struct fcn_args *args, enum lab_action_kind kind,
		const char *text, uint64_t count)
{
	struct lab_reader *r = lab_reader_in(session, LAB_PASS_REST);

	if (r == NULL)
		return 0;
	lab_warn_late(r, args, "time");
	return at_nodes(r, args, "switches", LAB_SWITCHES,
			(struct lab_action){.kind = kind,
					.count = count,
					.text = (char *)(uintptr_t)text});
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
		return fcn_command_error(args, -ERANGE, "count",
				"the number of buffers must be at most 4294967295");
	return at_switch(session, args, LAB_SWITCH_STARVE, NULL,
			fcn_args_has(args, "back") ? UINT64_MAX : count);
}

static int
at_collector_stop(struct fcn_session *session, const struct fcn_args *args)
{
	uint64_t room = fcn_args_u64(args, "room", LAB_SWITCH_EVENTS);

	if (room > LAB_SWITCH_EVENTS)
		return fcn_command_error(args, -ERANGE, "room",
				"the number of events must be at most %u", LAB_SWITCH_EVENTS);
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

	if (r == NULL)
		return 0;
	lab_warn_late(r, args, "time");
	if (ratio > RATIO_ONE)
		return fcn_command_error(args, -ERANGE, "ratio", "a probability must be at most 1");
	return add_action(r, args,
			(struct lab_action){.kind = LAB_NOTICES_DROP, .ratio = (uint32_t)ratio});
}

static int
at_spoof(struct fcn_session *session, const struct fcn_args *args)
{
	struct lab_reader *r = lab_reader_in(session, LAB_PASS_REST);
	uint64_t count = fcn_args_u64(args, "count", 0);
	struct lab_node from, to;
	int rc;

	if (r == NULL)
		return 0;
	lab_warn_late(r, args, "time");
	if (count == 0 || count > MAX_SPOOFED)
		return fcn_command_error(args, -ERANGE, "count",
				"the number of spoofed notices must be 1 to %u", MAX_SPOOFED);
	rc = lab_node_of(r, args, "from", LAB_HOSTS, &from);
	if (rc == 0)
		rc = lab_node_of(r, args, "to", LAB_HOSTS, &to);
	if (rc != 0)
		return rc;
	if (from.index == to.index)
		return fcn_command_error(args, -EINVAL, "to", "the two hosts must be different");
	return add_action(r, args,
			(struct lab_action){.kind = LAB_NOTICES_SPOOF,
					.target = from.index,
					.other = to.index,
					.count = count});
}

/* Add an action that sends a PFC frame. Repeated, it causes a pause storm. */
static int
at_pause(struct fcn_session *session, const struct fcn_args *args)
{
	struct lab_reader *r = lab_reader_in(session, LAB_PASS_REST);
	uint64_t quanta = fcn_args_u64(args, "quanta", UINT16_MAX);
	uint64_t class = fcn_args_u64(args, "class", 0);

	if (r == NULL)
		return 0;
	lab_warn_late(r, args, "time");
	if (quanta > UINT16_MAX)
		return fcn_command_error(args, -ERANGE, "quanta",
				"the number of quanta must be at most %u", UINT16_MAX);
	return at_nodes(r, args, "hosts", LAB_HOSTS,
			(struct lab_action){.kind = LAB_HOST_PAUSE,
					.other = class == FCN_ARG_CLASS_ALL ? 0xff : 1u << class,
					.count = quanta});
}

static bool
has_flow(const struct lab_scenario *sc, const char *name)
{
	for (unsigned int i = 0; i < sc->n_flows; i++) {
		if (strcmp(sc->flow[i].name, name) == 0)
			return true;
	}
	return false;
}

/* Who sends messages about a flow to a switch, and in whose name. */
struct message_ends {
	struct lab_node from, to;
	int as; /* switch; -1: the host itself */
};

static int
read_message_ends(struct lab_reader *r, const struct fcn_args *args, struct message_ends *ends)
{
	const char *flow = fcn_args_str(args, "flow");
	struct lab_node as;
	int rc;

	lab_warn_late(r, args, "time");
	ends->as = -1;
	rc = lab_node_of(r, args, "from", LAB_HOSTS, &ends->from);
	if (rc == 0)
		rc = lab_node_of(r, args, "to", LAB_SWITCHES, &ends->to);
	if (rc == 0 && fcn_args_has(args, "source")) {
		rc = lab_node_of(r, args, "source", LAB_SWITCHES, &as);
		ends->as = (int)as.index;
	}
	if (rc == 0 && !has_flow(r->sc, flow))
		rc = fcn_command_error(args, -ENOENT, "flow",
				"there are no flows named %s before this line", flow);
	return rc;
}

/* @param later than the time that the command names, ns */
static int
add_message(struct lab_reader *r, const struct fcn_args *args, enum lab_action_kind kind,
		const struct message_ends *ends, uint64_t count, uint64_t later)
{
	return add_action(r, args,
			(struct lab_action){.kind = kind,
					.time_ns = later,
					.target = ends->from.index,
					.other = ends->to.index,
					.as = ends->as,
					.count = count,
					.text = (char *)(uintptr_t)fcn_args_str(args, "flow")});
}

/* Add an action that sends Adaptive Routing Notifications. */
static int
at_halt(struct fcn_session *session, const struct fcn_args *args)
{
	struct lab_reader *r = lab_reader_in(session, LAB_PASS_REST);
	uint64_t duration = fcn_args_u64(args, "duration", 0);
	struct message_ends ends;
	int rc;

	if (r == NULL)
		return 0;
	rc = read_message_ends(r, args, &ends);
	if (rc != 0)
		return rc;
	if (duration % NS_PER_US != 0 || duration / NS_PER_US > MAX_HALT_US)
		return fcn_command_error(args, -ERANGE, "duration",
				"a whole number of microseconds, at most %us",
				MAX_HALT_US / 1000000);
	return add_message(r, args, LAB_HOST_HALT, &ends, duration, 0);
}

/* Add actions that send Congestion Notification Messages. */
static int
at_tell(struct fcn_session *session, const struct fcn_args *args)
{
	struct lab_reader *r = lab_reader_in(session, LAB_PASS_REST);
	const uint64_t level = fcn_args_u64(args, "level", 0), gap = fcn_args_u64(args, "gap", 0),
		       n = fcn_args_u64(args, "count", 1);
	struct message_ends ends;
	int rc;

	if (r == NULL)
		return 0;
	rc = read_message_ends(r, args, &ends);
	if (rc != 0)
		return rc;
	if (level > MAX_LEVEL)
		return fcn_command_error(
				args, -ERANGE, "level", "a level must be 0 to %u", MAX_LEVEL);
	if (n > MAX_TOLD)
		return fcn_command_error(args, -ERANGE, "count",
				"the number of messages must be at most %u", MAX_TOLD);
	for (uint64_t i = 0; rc == 0 && i < n; i++)
		rc = add_message(r, args, LAB_HOST_TELL, &ends, level, i * gap);
	return rc;
}

static const struct fcn_command commands[] = {
		{"at <time:time> link <a:names> <b:names> <state:down|up>",
				"Take the links between these nodes down, which loses the "
				"frames on them, or up again",
				FCN_COMMAND_CONFIG, at_link_state},
		{"at <time:time> link <a:names> <b:names> rate <rate:rate>",
				"Both ends of the links between these nodes change to this speed, "
				"as after a renegotiation, without losing frames. `flow` rates, "
				"slowdowns and loads refer to the speed that the link began with",
				FCN_COMMAND_CONFIG, at_link_rate},
		{"at <time:time> switch <switches:names> do <line:text>",
				"Run a command of the switch at this time", FCN_COMMAND_CONFIG,
				at_switch_do},
		{"at <time:time> switch <switches:names> restart",
				"Restart switches at this time. They lose their packets and "
				"state, and read their configuration again",
				FCN_COMMAND_CONFIG, at_switch_restart},
		{"at <time:time> switch <switches:names> starve [<count:count>]",
				"Take all packet buffers but this number (default 0) away from "
				"the switches at this time",
				FCN_COMMAND_CONFIG, at_switch_starve},
		{"at <time:time> switch <switches:names> starve back",
				"Give the packet buffers back to the switches at this time",
				FCN_COMMAND_CONFIG, at_switch_starve},
		{"at <time:time> switch <switches:names> collector stop [room <room:count>]",
				"Stop reading the event records of the switches (notices, "
				"begin and end of congestion and so on) at this time. Their "
				"ring fills up, with room for this number of records (default "
				"4096), and further records are lost and counted",
				FCN_COMMAND_CONFIG, at_collector_stop},
		{"at <time:time> switch <switches:names> collector start",
				"Read the event records of the switches again from this time "
				"on, beginning with those in the ring",
				FCN_COMMAND_CONFIG, at_collector_start},
		{"at <time:time> notices drop <ratio:ratio>",
				"Lose notices on all links with this probability, from this time "
				"on: CNPs, Fast CNPs and Congestion Notification Messages",
				FCN_COMMAND_CONFIG, at_notices_drop},
		{"at <time:time> host <from:names> spoof <count:count> to <to:names>",
				"A host sends this number of spoofed Fast CNPs to another "
				"host, about flows of the latter",
				FCN_COMMAND_CONFIG, at_spoof},
		{"at <time:time> host <from:names> forge <count:count> to <to:names>",
				"The old word for spoof", FCN_COMMAND_CONFIG, at_spoof,
				.former = true},
		{"at <time:time> host <hosts:names> pause <class:class> [<quanta:number>]",
				"The hosts send one PFC frame to their link partner that "
				"pauses the class. quanta is the pause time in units of 512 "
				"bit times (default 65535). Repeated, this causes a pause storm",
				FCN_COMMAND_CONFIG, at_pause},
		{"at <time:time> host <from:names> halt <flow:name> at <to:names> for "
		 "<duration:time> [as <source:names>]",
				"A host sends an Adaptive Routing Notification to a switch for "
				"each flow of this name, defined before this line. It asks to "
				"hold the flow for the duration; 0 ends that. The source is "
				"the host's address, or the loopback of the switch source",
				FCN_COMMAND_CONFIG, at_halt},
		{"at <time:time> host <from:names> tell <to:names> about <flow:name> "
		 "level <level:number> [times <count:count>] [every <gap:time>] "
		 "[as <source:names>]",
				"A host sends a Congestion Notification Message to a switch, as "
				"its proxy, about each flow of this name, defined before this "
				"line. "
				"The level is 0 to 7. The source is the host's address, or the "
				"loopback of the switch source. Further messages follow at this "
				"distance",
				FCN_COMMAND_CONFIG, at_tell},
};

const struct fcn_command_group lab_action_commands = {
		"What happens at a time", commands, RTE_DIM(commands)};
