/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Settings of bridges and of their ports, and storm control. */

#include <string.h>

#include "fcn_config_names.h"
#include "setting_table.h"

#define MAX_MACS 1000000

/* ---- of a bridge ---- */

#define IN(member) FCN_SETTING_MEMBER(struct fcn_config_bridge, member)

static const struct fcn_setting_value loop_action = CHOICE("loop-action", loop_action, FCN_LOOP_LOG,
		FCN_LOOP_DISABLE, fcn_loop_action_name, SHOW("loop_action"));

static const struct fcn_setting settings[] = {
		{"ageing", "Time after which a MAC address is removed if it has sent no frame",
				{TIME("time", ageing_ns, 1000000, 1000000000000000,
						"an ageing time", .initial = 300000000000,
						SHOW("ageing_ns"))},
				.always = true},
		{"move-limit",
				"Number of MAC address moves to a port per second from which "
				"on the switch reports the event mac_flapping",
				{COUNT("moves", move_limit, 1, MAX_MACS,
						"a limit of moves a second",
						.initial = FCN_DEFAULT_MOVE_LIMIT,
						SHOW("move_limit"),
						.special = {OR("off", 0,
								"The switch does not report moves "
								"of MAC addresses between "
								"ports")})},
				.always = true},
		{"loop-action log",
				"When MAC addresses move between two ports as often as "
				"move-limit allows, the switch only reports it",
				FCN_SETTING_SELECTS(struct fcn_config_bridge, loop_action,
						FCN_LOOP_LOG),
				.always = true},
		{"loop-action disable",
				"When MAC addresses move between two ports as often as "
				"move-limit allows, the switch closes the port that show "
				"bridge lists last, and opens it again after this time. Note "
				"that a station that sends frames with the source address of "
				"another station can cause the port of that station to be "
				"closed",
				{TIME("time", recover_ns, 1000000000, 1000000000000000,
						"the time after which a port is opened again",
						.word = "recover", OPTIONAL,
						.initial = FCN_DEFAULT_RECOVER_NS,
						SHOW("recover_ns"), NULL_IF(0),
						.show_unselected = true,
						.special = {OR("never", 0,
								"When MAC addresses move between "
								"two ports as often as move-limit "
								"allows, the switch closes the "
								"port that show bridge lists last. "
								"It stays closed until the command "
								"clear err-disable opens it")})},
				FCN_SETTING_SELECTS(struct fcn_config_bridge, loop_action,
						FCN_LOOP_DISABLE)},
};

static int
select_bridge(struct fcn_config *cfg, const struct fcn_args *args,
		struct fcn_setting_objects *objects)
{
	int bridge = fcn_setting_bridge(cfg, args);

	if (bridge < 0)
		return bridge;
	fcn_setting_add(objects, &cfg->bridge[bridge]);
	return 0;
}

static void
each_bridge(const struct fcn_setting_scope *scope, const struct fcn_config *cfg,
		fcn_setting_visit visit, void *arg)
{
	char head[FCN_NAME_LEN + 32];

	RTE_SET_USED(scope);
	for (unsigned int b = 0; b < FCN_MAX_BRIDGES; b++) {
		if (cfg->bridge[b].name[0] == '\0')
			continue;
		snprintf(head, sizeof(head), "set bridge %s", cfg->bridge[b].name);
		visit(arg, &cfg->bridge[b], head);
	}
}

const struct fcn_setting_scope fcn_bridge_scope = {
		.title = "Bridges",
		.syntax = "set bridge <bridge:name>",
		.show = "bridge",
		.selected = &loop_action,
		FCN_SETTING_TABLE(settings, OPERATE),
		.select = select_bridge,
		.each = each_bridge,
};

/* ---- of a port of a bridge ---- */

#undef IN
#define IN(member) FCN_SETTING_MEMBER(struct fcn_config_port, member)

static const struct fcn_setting port_settings[] = {
		{"pvid", "VLAN of untagged frames on the port",
				{NUMBER("vlan", pvid, 1, 4094, "a VLAN",
						.initial = FCN_DEFAULT_PVID, SHOW("pvid"),
						.special = {OR("none", 0,
								"The port drops untagged "
								"frames")})},
				.always = true},
		{"tagged", "Set the VLANs whose frames are tagged on the port",
				{VLANS("vlans", tagged, SHOW("tagged"),
						.special = {OR("none", 0,
								"The port has no tagged VLANs")})}},
		{"mac-limit",
				"Maximum number of MAC addresses that the port learns. Frames "
				"from other addresses are forwarded, but their addresses are "
				"not learned",
				{COUNT("addresses", mac_limit, 1, MAX_MACS, "a limit of addresses",
						.initial = FCN_AUTO, SHOW("macs_at_most"),
						.special = {OR("auto", FCN_AUTO,
								"The port learns at most a quarter "
								"of the MAC addresses that "
								"the table can hold")})}},
};

static int
select_port(struct fcn_config *cfg, const struct fcn_args *args,
		struct fcn_setting_objects *objects)
{
	int port = fcn_setting_bridge_port(cfg, args);

	if (port < 0)
		return port;
	fcn_setting_add(objects, &cfg->port[port]);
	return 0;
}

static void
each_port(const struct fcn_setting_scope *scope, const struct fcn_config *cfg,
		fcn_setting_visit visit, void *arg)
{
	char head[2 * FCN_NAME_LEN + 32];

	RTE_SET_USED(scope);
	for (unsigned int p = 0; p < cfg->n_ports; p++) {
		const struct fcn_config_port *port = &cfg->port[p];

		if (port->name[0] == '\0' || port->bridge < 0)
			continue;
		snprintf(head, sizeof(head), "set bridge %s port %s",
				cfg->bridge[port->bridge].name, port->name);
		visit(arg, port, head);
	}
}

const struct fcn_setting_scope fcn_bridge_port_scope = {
		.title = "Bridges",
		.syntax = "set bridge <bridge:name> port <port:name>",
		.show = "bridge.ports",
		FCN_SETTING_TABLE(port_settings, OPERATE),
		.select = select_port,
		.each = each_port,
};

/* ---- storm control: by kind of frame ---- */

#undef IN
#define IN(member) FCN_SETTING_MEMBER(struct fcn_config_storm, member)
#define MAX_STORM_BURST 1000000
#define DEFAULT_BURST_PART 10 /* The default burst is the frames of a tenth of a second. */

static int
set_burst(const struct fcn_args *args, void *object)
{
	struct fcn_config_storm *storm = object;

	if (storm->rate == 0)
		storm->burst = 0;
	else if (!fcn_args_has(args, "burst"))
		storm->burst = (uint32_t)RTE_MIN(
				storm->rate / DEFAULT_BURST_PART, (uint64_t)MAX_STORM_BURST);
	if (storm->rate != 0 && storm->burst == 0)
		storm->burst = 1;
	return 0;
}

static const struct fcn_setting storm_settings[] = {
		{"",
				"Maximum number of frames of this kind per second that are "
				"flooded for the port, and maximum number at once",
				{COUNT("rate", rate, 1, 100000000,
						 "the number of frames per second",
						 SHOW("packets_per_second"),
						 .special = {OR("off", 0,
								 "Frames of this kind are flooded "
								 "without a limit")}),
						COUNT("burst", burst, 1, MAX_STORM_BURST,
								"a burst of frames",
								.word = "burst", OPTIONAL,
								SHOW("burst"),
								.initial_text = "as many as in a "
										"tenth of a "
										"second")},
				.finish = set_burst},
};

static int
select_storm(struct fcn_config *cfg, const struct fcn_args *args,
		struct fcn_setting_objects *objects)
{
	int port = fcn_setting_bridge_port(cfg, args);
	unsigned int k = 0;

	if (port < 0)
		return port;
	while (strcmp(fcn_flood_kind_name(k), fcn_args_str(args, "kind")) != 0)
		k++;
	fcn_setting_add(objects, &cfg->port[port].storm[k]);
	return 0;
}

static void
each_storm(const struct fcn_setting_scope *scope, const struct fcn_config *cfg,
		fcn_setting_visit visit, void *arg)
{
	char head[2 * FCN_NAME_LEN + 64];

	RTE_SET_USED(scope);
	for (unsigned int p = 0; p < cfg->n_ports; p++) {
		const struct fcn_config_port *port = &cfg->port[p];

		if (port->name[0] == '\0' || port->bridge < 0)
			continue;
		for (unsigned int k = 0; k < FCN_FLOOD_KINDS; k++) {
			snprintf(head, sizeof(head), "set bridge %s port %s storm-control %s",
					cfg->bridge[port->bridge].name, port->name,
					fcn_flood_kind_name(k));
			visit(arg, &port->storm[k], head);
		}
	}
}

const struct fcn_setting_scope fcn_storm_scope = {
		.title = "Storm control",
		.syntax = "set bridge <bridge:name> port <port:name> storm-control "
			  "<kind:broadcast|unknown-unicast|multicast>",
		.show = "bridge.ports.storm_control",
		FCN_SETTING_TABLE(storm_settings, OPERATE),
		.select = select_storm,
		.each = each_storm,
};
