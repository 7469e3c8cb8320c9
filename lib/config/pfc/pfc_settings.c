/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Settings of flow control: of ports, and of their classes. */

#include <errno.h>

#include "fcn_config_names.h"
#include "fcn_names.h"
#include "setting_table.h"

#define MAX_BYTES 1000000000
#define MAX_DELAY_NS 1000000000
#define MIN_STORM_NS 1000
#define MAX_STORM_NS 100000000000

/* ---- of a class ---- */

#define IN(member) FCN_SETTING_MEMBER(struct fcn_config_pfc_class, member)
#define IN_FORCE(member) FCN_SETTING_IN_FORCE(struct fcn_config_pfc_in_force, member)
#define IS_DYNAMIC(which) FCN_SETTING_SELECTS(struct fcn_config_pfc_class, dynamic, which)

static int
check_xoff(const struct fcn_args *args, void *object)
{
	const struct fcn_config_pfc_class *c = object;

	if (c->xoff == FCN_AUTO || c->xon == FCN_AUTO || c->xon <= c->xoff)
		return 0;
	return fcn_command_error(args, -EINVAL, "xon", "xon must be at or below xoff");
}

FCN_STATIC_NAME_FUNCTION(threshold_name, unsigned int, "static", "dynamic")

static const struct fcn_setting_value threshold = CHOICE("threshold", dynamic, 0, 1, threshold_name,
		SHOW("threshold"), IN_FORCE(conf.dynamic));

static const struct fcn_setting class_settings[] = {
		{"xoff",
				"Number of bytes from which on the sender is asked to pause, and "
				"number of bytes at which it may resume",
				{SIZE("xoff", xoff, 1, MAX_BYTES, "a threshold",
						 .initial = FCN_AUTO, SHOW("xoff"), IN_FORCE(xoff),
						 .show_unselected = true,
						 .special = {OR("auto", FCN_AUTO,
								 "The sender is asked to pause "
								 "from 100 KB on if the link has "
								 "25G, and in proportion to the "
								 "speed of the link otherwise. It "
								 "may resume 3 KB below, but not "
								 "below half of it")}),
						SIZE("xon", xon, 0, MAX_BYTES, "a threshold",
								.word = "xon", OPTIONAL,
								.initial = FCN_AUTO,
								.initial_text = "3 KB below xoff, "
										"but not "
										"below half of it",
								SHOW("xon"), IN_FORCE(xon),
								.show_unselected = true)},
				IS_DYNAMIC(false), check_xoff},
		{"xoff dynamic",
				"The sender is asked to pause above this fraction of the free part "
				"of the shared buffer, and may resume this number of bytes below "
				"it",
				{RATIO("alpha", alpha, 1, 128 * FCN_RATIO_ONE, "alpha", OPTIONAL,
						 .initial = FCN_RATIO_ONE / 8,
						 NOT_SHOWN("xoff of show pfc is what it comes to")),
						SIZE("below", xon_below, 0, MAX_BYTES, "a distance",
								.word = "below", OPTIONAL,
								.initial = 3000,
								NOT_SHOWN("xon of show pfc is what "
									  "it comes to"))},
				IS_DYNAMIC(true)},
		{"reserve", "Bytes of the shared buffer that are reserved for the class",
				{SIZE("bytes", reserve, 0, MAX_BYTES, "a reserve",
						SHOW_IN("buffer.ingress", "reserve"),
						IN_FORCE(conf.reserve))}},
		{"headroom", "Headroom in bytes for packets that arrive before the sender pauses",
				{SIZE("bytes", headroom, 0, MAX_BYTES, "a headroom",
						.initial = FCN_AUTO,
						SHOW_ALSO("headroom", "buffer.ingress", "headroom"),
						IN_FORCE(conf.headroom),
						.special = {OR("auto", FCN_AUTO,
								"The headroom is computed from the "
								"speed and delay of the link, the "
								"reaction time of the sender and "
								"the MTU, so that no packet is "
								"lost")})}},
		{"send",
				"Send PFC frames that ask the link partner to pause the class "
				"before its packets would be lost. This makes the class lossless",
				{SWITCH(send, SHOW("send"))}},
		{"receive", "Pause the class when the link partner asks for it by PFC",
				{SWITCH(receive, SHOW("receive"))}},
};

static int
select_classes(struct fcn_config *cfg, const struct fcn_args *args,
		struct fcn_setting_objects *objects)
{
	uint64_t class = fcn_args_u64(args, "class", FCN_ARG_CLASS_ALL);
	struct fcn_port_set ports;
	int rc = fcn_setting_ports(cfg, args, "port", &ports);

	FCN_PORT_SET_FOREACH (p, &ports) {
		for (unsigned int c = 0; c < FCN_CLASSES; c++) {
			if (class == FCN_ARG_CLASS_ALL || class == c)
				fcn_setting_add(objects, &cfg->port[p].pfc.class[c]);
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
	for (unsigned int p = 0; p < cfg->n_ports; p++) {
		for (unsigned int c = 0; fcn_config_has_link(cfg, p) && c < FCN_CLASSES; c++) {
			snprintf(head, sizeof(head), "set pfc %s class %u", cfg->port[p].name, c);
			visit(arg, &cfg->port[p].pfc.class[c], head);
		}
	}
}

const struct fcn_setting_scope fcn_pfc_class_scope = {
		.title = "Flow control",
		.syntax = "set pfc <port:name> class <class:class>",
		.show = "pfc.classes",
		.selected = &threshold,
		FCN_SETTING_TABLE(class_settings, OPERATE),
		.select = select_classes,
		.each = each_class,
};

/* ---- of a port ---- */

#undef IN
#define IN(member) FCN_SETTING_MEMBER(struct fcn_config_port, pfc.member)

#define STORM_TIME(name, member, shown)                                                   \
	TIME(name, member, MIN_STORM_NS, MAX_STORM_NS, "a watchdog's time", .word = name, \
			OPTIONAL, .initial = 200000000, SHOW(shown))

static const struct fcn_setting settings[] = {
		{"quanta", "Pause time in sent PFC frames, in units of 512 bit times",
				{NUMBER("quanta", quanta, 1, UINT16_MAX, "a pause in quanta",
						.initial = UINT16_MAX, SHOW("quanta"))}},
		{"delay", "One-way delay of the link, from which the headroom is computed",
				{TIME("time", delay_ns, 0, MAX_DELAY_NS, "a delay", .initial = 500,
						NOT_SHOWN("headroom of show pfc is what it comes "
							  "to"))}},
		{"react",
				"Time from the packet that crosses xoff until the link partner "
				"pauses, "
				"but for the delay of the link",
				{TIME("time", react_ns, 0, MAX_DELAY_NS, "a reaction time",
						.initial = FCN_AUTO64,
						NOT_SHOWN("headroom of show pfc is what it comes "
							  "to"),
						.special = {OR("auto", FCN_AUTO64,
								"60 units of 512 bit times for the "
								"link partner, and 10us for what "
								"switches in software need to send "
								"and to stop")})}},
		{"link-pause",
				"Pause the port when the link partner sends an IEEE 802.3x PAUSE "
				"frame",
				{SWITCH(link_pause, SHOW("link_pause"))}},
		{"watchdog",
				"PFC watchdog: ignore pauses of a class that has been stopped for "
				"the time detect, and drop its packets or forward them, until no "
				"pause was received for the time restore",
				{CHOICE("action", action, FCN_STORM_DROP, FCN_STORM_FORWARD,
						 fcn_storm_action_name, .initial = FCN_STORM_DROP,
						 SHOW("watchdog"),
						 .special = {OR("off", FCN_STORM_OFF,
								 "There is no PFC watchdog, and "
								 "every pause is obeyed")}),
						STORM_TIME("detect", detect_ns, "detect_ns"),
						STORM_TIME("restore", restore_ns, "restore_ns")}},
		{"hardware",
				"Enable flow control of the device, too, so that it sends and "
				"obeys pauses by itself",
				{SWITCH(hardware, SHOW("hardware"))}},
};

const struct fcn_setting_scope fcn_pfc_scope = {
		.title = "Flow control",
		OF_PORTS("set pfc"),
		.show = "pfc.ports",
		FCN_SETTING_TABLE(settings, OPERATE),
};
