/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Settings of control-plane policing: the rates at which packets of each port go to the host
 * functions, by kind of packet. */

#include <errno.h>
#include <string.h>

#include "setting_table.h"

#define MAX_RATE 1000000

#define ALL "all" /* every port, or every kind */
#define WORD(sym, name, rate, burst, backlog, text) name "|"
#define KINDS "<kind:" FCN_PUNT_KINDS(WORD) ALL ">"

#define IN(member) FCN_SETTING_MEMBER(struct fcn_config_police, member)
#define IS_SET(which) FCN_SETTING_SELECTS(struct fcn_config_police, set, which)
#define IN_FORCE(member) FCN_SETTING_IN_FORCE(struct fcn_punt_rate, member)

/* A rate and a burst. The further arguments say how they are shown. */
#define RATE_AND_BURST(rate_shown, burst_shown)                                         \
	COUNT("rate", rate.per_second, 0, MAX_RATE, "the number of packets per second", \
			.initial_text = "", rate_shown),                                \
			COUNT("burst", rate.burst, 1, MAX_RATE, "a burst of packets",   \
					.word = "burst", .initial_text = "", burst_shown)

_Static_assert(FCN_PUNT_KIND_COUNT <= FCN_SETTING_PARTS,
		"a command for all ports and kinds has more than FCN_SETTING_OBJECTS objects");

static bool
is_chosen(const struct fcn_args *args, enum fcn_punt_kind kind)
{
	const char *word = fcn_args_str(args, "kind");

	return strcmp(word, ALL) == 0 || strcmp(word, fcn_punt_kind_name(kind)) == 0;
}

/* Add the kinds that a command names. */
static void
add_kinds(struct fcn_config_police *police, const struct fcn_args *args,
		struct fcn_setting_objects *objects)
{
	for (unsigned int k = 0; k < FCN_PUNT_KIND_COUNT; k++) {
		if (is_chosen(args, k))
			fcn_setting_add(objects, &police[k]);
	}
}

static void
each_kind(const struct fcn_config_police *police, const char *of, fcn_setting_visit visit,
		void *arg)
{
	char head[FCN_NAME_LEN + 64];

	for (unsigned int k = 0; k < FCN_PUNT_KIND_COUNT; k++) {
		snprintf(head, sizeof(head), "set %s police %s", of, fcn_punt_kind_name(k));
		visit(arg, &police[k], head);
	}
}

/* ---- of all ports that have no rate of their own ---- */

#define BY_PORT NOT_SHOWN("`show host police` has the effective rate of each port")

static const struct fcn_setting_value is_set = SWITCH(set, BY_PORT);

static const struct fcn_setting settings[] = {
		{"",
				"Maximum number of packets of a kind per second, and maximum "
				"number at once, that each port may pass to the host functions. "
				"The rate 0 allows none. A port may have a rate of its own",
				{RATE_AND_BURST(BY_PORT, BY_PORT)}, IS_SET(true)},
		{"default", "Each port has the default rate and burst of this kind", IS_SET(false)},
};

static int
select_host(struct fcn_config *cfg, const struct fcn_args *args,
		struct fcn_setting_objects *objects)
{
	add_kinds(cfg->host.police, args, objects);
	return 0;
}

static void
each_host(const struct fcn_setting_scope *scope, const struct fcn_config *cfg,
		fcn_setting_visit visit, void *arg)
{
	RTE_SET_USED(scope);
	each_kind(cfg->host.police, "host", visit, arg);
}

const struct fcn_setting_scope fcn_police_scope = {
		.title = "Control-plane policing",
		.syntax = "set host police " KINDS,
		.selected = &is_set,
		FCN_SETTING_TABLE(settings, OPERATE),
		.select = select_host,
		.each = each_host,
};

/* ---- of a port or a sub-interface ---- */

/* Shown is the effective rate, also that of a port without a rate of its own. */
#define SHOWN(name, member) SHOW(name), IN_FORCE(member), .show_unselected = true

static const struct fcn_setting_value own_rate = SWITCH(set, SHOW("own_rate"));

static const struct fcn_setting port_settings[] = {
		{"",
				"Maximum number of packets of a kind per second, and maximum "
				"number at once, that this port (all: each port and sub-interface) "
				"may pass to the host functions. This replaces the rate of set "
				"host police for the port",
				{RATE_AND_BURST(SHOWN("rate", per_second), SHOWN("burst", burst))},
				IS_SET(true)},
		{"default",
				"The rate of set host police holds for this port (all: each port "
				"and "
				"sub-interface), which has none of its own",
				IS_SET(false)},
};

/* Find the ports that the argument "port" names: one, or with `all` every port and sub-interface.
 * @return 0; a negative errno after fcn_command_error() */
static int
find_ports(const struct fcn_config *cfg, const struct fcn_args *args, struct fcn_port_set *set)
{
	int port;

	*set = (struct fcn_port_set){0};
	if (strcmp(fcn_args_str(args, "port"), ALL) == 0) {
		for (unsigned int p = 0; p < cfg->n_ports; p++) {
			if (fcn_config_has_link(cfg, p) || fcn_config_is_sub_interface(cfg, p))
				fcn_port_set_add(set, p);
		}
		return !fcn_port_set_is_empty(set) ? 0
						   : fcn_command_error(args, -ENOENT, "port",
								     "there is no port");
	}
	port = fcn_setting_port(cfg, args, "port");
	if (port < 0)
		return port;
	if (fcn_config_is_bridge_interface(cfg, port))
		return fcn_command_error(args, -EINVAL, "port",
				"packets for a bridge interface are policed at the "
				"port that received them");
	fcn_port_set_add(set, port);
	return 0;
}

static int
select_ports(struct fcn_config *cfg, const struct fcn_args *args,
		struct fcn_setting_objects *objects)
{
	struct fcn_port_set ports;
	int rc = find_ports(cfg, args, &ports);

	FCN_PORT_SET_FOREACH (p, &ports)
		add_kinds(cfg->port[p].police, args, objects);
	return rc;
}

static void
each_port(const struct fcn_setting_scope *scope, const struct fcn_config *cfg,
		fcn_setting_visit visit, void *arg)
{
	char of[FCN_NAME_LEN + 8];

	RTE_SET_USED(scope);
	for (unsigned int p = 0; p < cfg->n_ports; p++) {
		if (cfg->port[p].name[0] == '\0')
			continue;
		snprintf(of, sizeof(of), "port %s", cfg->port[p].name);
		each_kind(cfg->port[p].police, of, visit, arg);
	}
}

const struct fcn_setting_scope fcn_police_port_scope = {
		.title = "Control-plane policing",
		.syntax = "set port <port:name> police " KINDS,
		.show = "host police",
		.selected = &own_rate,
		FCN_SETTING_TABLE(port_settings, OPERATE),
		.select = select_ports,
		.each = each_port,
};
