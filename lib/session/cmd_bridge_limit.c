/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* What a port of a bridge may have of it, so that the others have theirs. */

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "fcn_render.h"
#include "session_private.h"

#define MAX_MACS 1000000u
#define MAX_RATE 100000000u
#define MAX_BURST 1000000u
#define DEFAULT_BURST_PART 10 /* of a second */

static int
set_mac_limit(struct fcn_session *session, const struct fcn_args *args)
{
	int port = fcn_session_bridge_port(session, args);
	uint64_t limit = fcn_args_u64(args, "addresses", FCN_AUTO);

	if (port < 0)
		return port;
	if (limit != FCN_AUTO && (limit < 1 || limit > MAX_MACS))
		return fcn_command_error(args, -ERANGE, "addresses",
				"a port may learn 1 to %u addresses", MAX_MACS);
	fcn_session_edit(session)->port[port].mac_limit = limit;
	return 0;
}

/* The kind that an argument names. */
static unsigned int
kind_of(const struct fcn_args *args)
{
	unsigned int k = 0;

	while (strcmp(fcn_flood_kind_name(k), fcn_args_str(args, "kind")) != 0)
		k++;
	return k;
}

static int
set_storm(struct fcn_session *session, const struct fcn_args *args)
{
	int port = fcn_session_bridge_port(session, args);
	uint64_t rate = fcn_args_u64(args, "rate", 0), burst = rate / DEFAULT_BURST_PART;

	if (port < 0)
		return port;
	if (fcn_args_has(args, "off")) {
		fcn_session_edit(session)->port[port].storm[kind_of(args)] =
				(struct fcn_config_storm){0};
		return 0;
	}
	if (rate < 1 || rate > MAX_RATE)
		return fcn_command_error(args, -ERANGE, "rate", "a rate is 1 to %u frames a second",
				MAX_RATE);
	burst = RTE_MAX(burst, UINT64_C(1));
	burst = fcn_args_u64(args, "burst", RTE_MIN(burst, (uint64_t)MAX_BURST));
	if (burst < 1 || burst > MAX_BURST)
		return fcn_command_error(
				args, -ERANGE, "burst", "a burst is 1 to %u frames", MAX_BURST);
	fcn_session_edit(session)->port[port].storm[kind_of(args)] = (struct fcn_config_storm){
			.rate = rate, .burst = burst};
	return 0;
}

static int
set_move_limit(struct fcn_session *session, const struct fcn_args *args)
{
	int bridge = fcn_session_bridge(session, args);
	uint64_t limit = fcn_args_u64(args, "moves", 0);

	if (bridge < 0)
		return bridge;
	if (!fcn_args_has(args, "off") && (limit < 1 || limit > MAX_MACS))
		return fcn_command_error(args, -ERANGE, "moves",
				"a limit is 1 to %u moves a second, or off", MAX_MACS);
	fcn_session_edit(session)->bridge[bridge].move_limit = limit;
	return 0;
}

static const struct fcn_command commands[] = {
		{"set bridge <bridge:name> move-limit <moves:count>",
				"Tell, by the event mac_flapping, when so many MAC addresses a "
				"second move to a port from others (default 10)",
				FCN_COMMAND_CONFIG, set_move_limit},
		{"set bridge <bridge:name> move-limit off",
				"The switch does not tell when MAC addresses move from port to "
				"port",
				FCN_COMMAND_CONFIG, set_move_limit},
		{"set bridge <bridge:name> port <port:name> mac-limit <addresses:count>",
				"A port learns at most so many MAC addresses (default auto). "
				"Frames of further addresses are forwarded, but their addresses "
				"are not learned",
				FCN_COMMAND_CONFIG, set_mac_limit},
		{"set bridge <bridge:name> port <port:name> mac-limit auto",
				"A port learns at most a quarter of the MAC addresses that the "
				"table holds (default)",
				FCN_COMMAND_CONFIG, set_mac_limit},
		{"set bridge <bridge:name> port <port:name> storm-control "
		 "<kind:broadcast|unknown-unicast|multicast> <rate:count> [burst <burst:count>]",
				"Frames of this kind a second that a port may have flooded, and "
				"how many at once (default: as many as in a tenth of a second)",
				FCN_COMMAND_CONFIG, set_storm},
		{"set bridge <bridge:name> port <port:name> storm-control "
		 "<kind:broadcast|unknown-unicast|multicast> off",
				"Frames of this kind are flooded without a limit (default)",
				FCN_COMMAND_CONFIG, set_storm},
};

const struct fcn_command_group fcn_bridge_limit_commands = {
		"Limits of bridge ports", commands, RTE_DIM(commands)};

static void
save_port(const struct fcn_config *cfg, const struct fcn_config_port *port, FILE *out)
{
	const char *bridge = cfg->bridge[port->bridge].name;

	if (port->mac_limit != FCN_AUTO)
		fprintf(out, "set bridge %s port %s mac-limit %u\n", bridge, port->name,
				port->mac_limit);
	for (unsigned int k = 0; k < FCN_FLOOD_KINDS; k++) {
		const struct fcn_config_storm *storm = &port->storm[k];

		if (storm->rate != 0)
			fprintf(out,
					"set bridge %s port %s storm-control %s %" PRIu64
					" burst %u\n",
					bridge, port->name, fcn_flood_kind_name(k), storm->rate,
					storm->burst);
	}
}

void
fcn_save_bridge_limits(const struct fcn_config *cfg, FILE *out)
{
	for (unsigned int b = 0; b < FCN_MAX_BRIDGES; b++) {
		const struct fcn_config_bridge *bridge = &cfg->bridge[b];

		if (bridge->name[0] == '\0')
			continue;
		if (bridge->move_limit == 0)
			fprintf(out, "set bridge %s move-limit off\n", bridge->name);
		else
			fprintf(out, "set bridge %s move-limit %u\n", bridge->name,
					bridge->move_limit);
	}
	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
		if (cfg->port[p].name[0] != '\0' && cfg->port[p].bridge >= 0)
			save_port(cfg, &cfg->port[p], out);
	}
}
