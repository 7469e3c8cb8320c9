/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Settings of flow control: of ports, and of their classes. */

#include <errno.h>

#include "setting_table.h"

#define MAX_BYTES 1000000000
#define MAX_DELAY_NS 1000000000
#define MIN_STORM_NS 1000
#define MAX_STORM_NS 100000000000

/* ---- of a class ---- */

#define IN(member) FCN_SETTING_MEMBER(struct fcn_config_pfc_class, member)
#define IS_DYNAMIC(which) FCN_SETTING_SELECTS(struct fcn_config_pfc_class, dynamic, which)

static int
check_xoff(const struct fcn_args *args, void *object)
{
	const struct fcn_config_pfc_class *c = object;

	if (c->xoff == FCN_AUTO || c->xon == FCN_AUTO || c->xon <= c->xoff)
		return 0;
	return fcn_command_error(args, -EINVAL, "xon",
			"a sender goes on at or below the threshold where it pauses");
}

static const struct fcn_setting class_settings[] = {
		{"xoff", "Bytes from which on the sender is to pause, and at which it may go on",
				{SIZE("xoff", xoff, 1, MAX_BYTES, "a threshold",
						 .initial = FCN_AUTO,
						 .special = {OR("auto", FCN_AUTO,
								 "The sender is to pause from 100 "
								 "KB on at 25G, in proportion to "
								 "the link, and may go on 3 KB "
								 "below, at half of it at the "
								 "least")}),
						SIZE("xon", xon, 0, MAX_BYTES, "a threshold",
								.word = "xon", OPTIONAL,
								.initial = FCN_AUTO)},
				IS_DYNAMIC(false), check_xoff},
		{"xoff dynamic",
				"Pause above this part of what the shared buffer has free, go on "
				"so far below it",
				{RATIO("alpha", alpha, 1, 128 * FCN_RATIO_ONE, "alpha", OPTIONAL,
						 .initial = FCN_RATIO_ONE / 8),
						SIZE("below", xon_below, 0, MAX_BYTES, "a distance",
								.word = "below", OPTIONAL,
								.initial = 3000)},
				IS_DYNAMIC(true)},
		{"reserve", "Bytes of the shared buffer that are always the class's",
				{SIZE("bytes", reserve, 0, MAX_BYTES, "a reserve")}},
		{"headroom", "Room for what arrives until the sender pauses",
				{SIZE("bytes", headroom, 0, MAX_BYTES, "a headroom",
						.initial = FCN_AUTO,
						.special = {OR("auto", FCN_AUTO,
								"As much as loses nothing, by "
								"speed, delay, reaction and "
								"MTU")})}},
		{"send",
				"Ask the sender behind the port to pause before packets of the "
				"class are lost: it is lossless",
				{SWITCH(send)}},
		{"receive", "Pause the class when the other end asks for it", {SWITCH(receive)}},
};

static int
select_classes(struct fcn_config *cfg, const struct fcn_args *args,
		struct fcn_setting_objects *objects)
{
	uint64_t class = fcn_args_u64(args, "class", FCN_ARG_CLASS_ALL), ports;
	int rc = fcn_setting_ports(cfg, args, "port", &ports);

	for (; ports != 0; ports &= ports - 1) {
		for (unsigned int c = 0; c < FCN_CLASSES; c++) {
			if (class == FCN_ARG_CLASS_ALL || class == c)
				fcn_setting_add(objects,
						&cfg->port[__builtin_ctzll(ports)].pfc.class[c]);
		}
	}
	return rc;
}

static void
each_class(const struct fcn_setting_scope *scope, const struct fcn_config *cfg,
		fcn_setting_visit visit, void *arg)
{
	char head[FCN_NAME_LEN + 32];

	RTE_SET_USED(scope);
	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
		for (unsigned int c = 0; fcn_config_has_link(cfg, p) && c < FCN_CLASSES; c++) {
			snprintf(head, sizeof(head), "set pfc %s class %u", cfg->port[p].name, c);
			visit(arg, &cfg->port[p].pfc.class[c], head);
		}
	}
}

const struct fcn_setting_scope fcn_pfc_class_scope = {
		.title = "Flow control",
		.syntax = "set pfc <port:name> class <class:class>",
		FCN_SETTING_TABLE(class_settings),
		.select = select_classes,
		.each = each_class,
};

/* ---- of a port ---- */

#undef IN
#define IN(member) FCN_SETTING_MEMBER(struct fcn_config_port, pfc.member)

#define STORM_TIME(name, member)                                                          \
	TIME(name, member, MIN_STORM_NS, MAX_STORM_NS, "a watchdog's time", .word = name, \
			OPTIONAL, .initial = 200000000)

static const struct fcn_setting settings[] = {
		{"quanta", "Pause time to ask for, in 512 bit times",
				{NUMBER("quanta", quanta, 1, UINT16_MAX, "a pause in quanta",
						.initial = UINT16_MAX)}},
		{"delay", "Delay of the link, one way",
				{TIME("time", delay_ns, 0, MAX_DELAY_NS, "a delay",
						.initial = 500)}},
		{"react", "Time that the other end takes to pause",
				{TIME("time", react_ns, 0, MAX_DELAY_NS, "a reaction time",
						.initial = FCN_AUTO64,
						.special = {OR("auto", FCN_AUTO64,
								"The other end takes 60 quanta of "
								"the link to pause")})}},
		{"link-pause", "Pause the port when an IEEE 802.3x PAUSE asks for it",
				{SWITCH(link_pause)}},
		{"watchdog",
				"Disbelieve pauses of a class that has been stopped for detect, "
				"until no pause came for restore: drop its packets, or send them",
				{CHOICE("action", action, FCN_STORM_DROP, FCN_STORM_FORWARD,
						 fcn_storm_action_name, .initial = FCN_STORM_OFF,
						 .special = {OR("off", FCN_STORM_OFF,
								 "Every pause is believed")}),
						STORM_TIME("detect", detect_ns),
						STORM_TIME("restore", restore_ns)}},
		{"hardware", "Have the device pause and ask for pauses, too", {SWITCH(hardware)}},
};

const struct fcn_setting_scope fcn_pfc_scope = {
		.title = "Flow control",
		.syntax = "set pfc <port:name>",
		FCN_SETTING_TABLE(settings),
		.select = fcn_setting_select_ports,
		.each = fcn_setting_each_port,
		.head = "set pfc",
};
