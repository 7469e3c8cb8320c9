/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Short forms for tables of settings. A file that uses them defines IN(member),
 * which gives the member that stores a value:
 * #define IN(member) FCN_SETTING_MEMBER(struct ..., member).
 * After the named arguments, initialisers of further members of struct
 * fcn_setting_value can follow: .word, .initial, .optional, ...
 * Internal to lib/config.
 */

#ifndef SETTING_TABLE_H
#define SETTING_TABLE_H

#include <rte_common.h>

#include "fcn_config_scopes.h"

#define SETTING_VALUE(t, k, member, ...)                                     \
	{                                                                    \
		.type = FCN_SETTING_##t, .key = k, IN(member), ##__VA_ARGS__ \
	}
#define SETTING_RANGE(t, k, member, from, to, about, ...) \
	SETTING_VALUE(t, k, member, .least = from, .most = to, .what = about, ##__VA_ARGS__)

/** A value that is on or off. */
#define SWITCH(member, ...) SETTING_VALUE(SWITCH, "state", member, ##__VA_ARGS__)
/** One traffic class. */
#define CLASS(member, ...) SETTING_VALUE(CLASS, "class", member, ##__VA_ARGS__)
/** A string. */
#define NAME(k, member, about, ...) SETTING_VALUE(NAME, k, member, .what = about, ##__VA_ARGS__)
/** A MAC address, an IPv6 or IPv4 address, a set of VLANs. */
#define MAC(k, member, ...) SETTING_VALUE(MAC, k, member, ##__VA_ARGS__)
#define ADDR6(k, member, ...) SETTING_VALUE(ADDR6, k, member, ##__VA_ARGS__)
#define ADDR4(k, member, ...) SETTING_VALUE(ADDR4, k, member, ##__VA_ARGS__)
#define VLANS(k, member, ...) SETTING_VALUE(VLANS, k, member, ##__VA_ARGS__)
/** One of the words that a function gives for the values from first to last. */
#define CHOICE(k, member, first, last, word_of, ...)                                    \
	SETTING_VALUE(CHOICE, k, member, .least = first, .most = last, .name = word_of, \
			##__VA_ARGS__)
#define NUMBER(...) SETTING_RANGE(NUMBER, __VA_ARGS__)
#define HEX(...) SETTING_RANGE(HEX, __VA_ARGS__)
#define COUNT(...) SETTING_RANGE(COUNT, __VA_ARGS__)
#define SIZE(...) SETTING_RANGE(SIZE, __VA_ARGS__)
#define RATE(...) SETTING_RANGE(RATE, __VA_ARGS__)
#define TIME(...) SETTING_RANGE(TIME, __VA_ARGS__)
#define RATIO(...) SETTING_RANGE(RATIO, __VA_ARGS__)

/** A special word w in the place of the value, which stands for v. */
#define OR(w, v, text)     \
	{                  \
		w, text, v \
	}
/** The value may be left out, and then gets its default. */
#define OPTIONAL .optional = true
/** The value may be left out, and then stays as it is. */
#define KEPT .optional = true, .keeps = true
/** Shown by this name in the part of `show` that the scope names. */
#define SHOW(member) .show = {{NULL, member}}
/** Shown by this name in another part. */
#define SHOW_IN(part, member) .show = {{part, member}}
/** Shown in the part that the scope names, and in another. */
#define SHOW_ALSO(member, part, other) .show = {{NULL, member}, {part, other}}
/** No `show` has it, for this reason. */
#define NOT_SHOWN(reason) .not_shown = reason
/** `show` has null in place of this value. */
#define NULL_IF(value) .has_none = true, .none = value

/** The scope of settings of ports with a link: one, several or all of them. @param words what is in
 * front of the name of the port in their commands */
#define OF_PORTS(words)                                                                    \
	.syntax = words " <port:name>", .head = words, .select = fcn_setting_select_ports, \
	.each = fcn_setting_each_port

/** The scope of settings of a port or an interface. */
#define OF_INTERFACES(words)                                                                   \
	.syntax = words " <port:name>", .head = words, .select = fcn_setting_select_interface, \
	.each = fcn_setting_each_interface

/** Show a token bucket as text; v is its rate. @return a new reference; NULL on lack of memory */
json_t *fcn_setting_show_bucket(const struct fcn_setting_value *v, const void *object);

/** A token bucket: things per second, and a burst. Both are shown as one text. */
#define TOKEN_BUCKET(which, things, shown, rate_, burst_)                               \
	COUNT("rate", which.rate, 1, 1000000000, "the number of " things " per second", \
			.initial = rate_,                                               \
			.special = {OR("off", 0,                                        \
					"This limit of " things " per second is "       \
					"off; other limits still apply")},              \
			SHOW(shown), .form = fcn_setting_show_bucket),                  \
			COUNT("burst", which.burst, 1, 1000000, "a burst of " things,   \
					.word = "burst", .initial = burst_,             \
					NOT_SHOWN("it is shown together with its rate"))

/** A token bucket whose default, auto, depends on a link; auto_text says how. */
#define AUTO_TOKEN_BUCKET(which, things, shown, auto_text)                                  \
	COUNT("rate", which.rate, 1, 1000000000, "the number of " things " per second",     \
			.initial = FCN_AUTO64,                                              \
			.special = {OR("auto", FCN_AUTO64, auto_text),                      \
					OR("off", 0,                                        \
							"This limit of " things             \
							" per second is off; other limits " \
							"still apply")},                    \
			SHOW(shown), .form = fcn_setting_show_bucket),                      \
			COUNT("burst", which.burst, 1, 1000000, "a burst of " things,       \
					.word = "burst", .initial = 64,                     \
					NOT_SHOWN("it is shown together with its rate"))

/** The default of what is taken of one node, and of all nodes, in words. */
#define AUTO_OF_NODE                                                                              \
	"The limit of each port follows from the speed of its link: per second one message for "  \
	"each 512 bytes that the link can carry, at least 1M and at most 5M, and at once as "     \
	"many as this rate permits in 512 us; each worker has this whole limit. `show port` has " \
	"the numbers"
#define AUTO_OF_NODES                                                                             \
	"The limit of each port follows from the speed of its link: per second one message for "  \
	"each 256 bytes that the link can carry, at least 2M and at most 10M, and at once as "    \
	"many as this rate permits in 512 us; each worker has this whole limit. `show port` has " \
	"the numbers"

#endif /* SETTING_TABLE_H */
