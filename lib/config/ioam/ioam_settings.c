/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Settings of IOAM: of the switch, of ports, and of namespaces. */

#include "fcn_config_names.h"
#include "setting_table.h"

/* ---- of the switch ---- */

#define IN(member) FCN_SETTING_MEMBER(struct fcn_config, ioam.member)

static const struct fcn_setting settings[] = {
		{"node",
				"Identifier of this node in IOAM traces, with 24 bits and, after "
				"wide, with 56 bits",
				{NUMBER("id", node_id, 0, FCN_IOAM_NO_NODE - 1, "a node's id",
						 .initial = FCN_IOAM_NO_NODE, SHOW("node"),
						 NULL_IF(FCN_IOAM_NO_NODE),
						 .special = {OR("off", FCN_IOAM_NO_NODE,
								 "This node has no identifier, and "
								 "writes all ones into traces")}),
						NUMBER("wide", node_id_wide, 0,
								FCN_IOAM_NO_NODE_WIDE - 1,
								"a node's wide id", .word = "wide",
								OPTIONAL,
								.initial = FCN_IOAM_NO_NODE_WIDE,
								.initial_text = "",
								SHOW("node_wide"),
								NULL_IF(FCN_IOAM_NO_NODE_WIDE))}},
		{"time",
				"Format of timestamps in IOAM traces. tai-offset is the number of "
				"seconds by which TAI is ahead of UTC, for the format ptp",
				{CHOICE("format", time_format, FCN_IOAM_TIME_POSIX,
						 FCN_IOAM_TIME_NTP, fcn_ioam_time_name,
						 .initial = FCN_IOAM_TIME_PTP, SHOW("time")),
						NUMBER("offset", tai_offset, 0, 1000,
								"the offset of TAI in seconds",
								.word = "tai-offset", OPTIONAL,
								.initial = FCN_IOAM_TAI_OFFSET,
								SHOW("tai_offset"))}},
};

const struct fcn_setting_scope fcn_ioam_scope = {
		.title = "IOAM",
		.syntax = "set ioam",
		.show = "ioam",
		FCN_SETTING_TABLE(settings, OPERATE),
};

/* ---- of a port ---- */

#undef IN
#define IN(member) FCN_SETTING_MEMBER(struct fcn_config_port, ioam.member)
#define IN_FORCE(member) FCN_SETTING_IN_FORCE(struct fcn_ioam_port, member)

/* The wide identifier has the same value as the short one unless it is given. */
static int
set_wide_port(const struct fcn_args *args, void *object)
{
	struct fcn_config_ioam_port *ioam = &((struct fcn_config_port *)object)->ioam;

	if (ioam->id == FCN_AUTO)
		ioam->id_wide = FCN_AUTO64;
	else if (ioam->id == FCN_IOAM_NA16)
		ioam->id_wide = FCN_IOAM_NA32;
	else if (!fcn_args_has(args, "wide"))
		ioam->id_wide = ioam->id;
	return 0;
}

static const struct fcn_setting port_settings[] = {
		{"transit",
				"Add data of this node to IOAM traces of packets that this port "
				"receives",
				{SWITCH(transit, SHOW("transit"), IN_FORCE(transit))}},
		{"id",
				"Identifier of the port in IOAM traces, with 16 bits and, after "
				"wide, with 32 bits. Both are the same unless wide is given",
				{NUMBER("id", id, 0, FCN_IOAM_NA16 - 1, "a port's id",
						 .initial = FCN_AUTO, SHOW("id"), IN_FORCE(id),
						 NULL_IF(FCN_IOAM_NA16),
						 .special = {OR("auto", FCN_AUTO,
									     "The identifier is "
									     "the port's number + "
									     "1"),
								 OR("off", FCN_IOAM_NA16,
										 "There is no "
										 "identifier, and "
										 "all ones are "
										 "written into "
										 "traces")}),
						NUMBER("wide", id_wide, 0, FCN_IOAM_NA32 - 1,
								"a port's wide id", .word = "wide",
								OPTIONAL, .initial = FCN_AUTO64,
								.initial_text = "", SHOW("id_wide"),
								IN_FORCE(id_wide),
								NULL_IF(FCN_IOAM_NA32))},
				.finish = set_wide_port},
		{"edge",
				"The IOAM domain ends at this port: remove IOAM options from "
				"packets that pass the port (strip), or drop these packets (drop)",
				{CHOICE("edge", edge, FCN_IOAM_EDGE_OFF, FCN_IOAM_EDGE_DROP,
						fcn_ioam_edge_name, SHOW("edge"), IN_FORCE(edge))}},
};

const struct fcn_setting_scope fcn_ioam_port_scope = {
		.title = "IOAM",
		OF_PORTS("set ioam port"),
		.show = "ioam.ports",
		FCN_SETTING_TABLE(port_settings, OPERATE),
};

/* ---- of namespaces ---- */

#undef IN
#define IN(member) FCN_SETTING_MEMBER(struct fcn_ioam_namespace, member)
#define SHORT(of) FCN_SETTING_SELECTS(struct fcn_ioam_namespace, short_data, FCN_IOAM_DATA_##of)
#define WIDE(of) FCN_SETTING_SELECTS(struct fcn_ioam_namespace, wide_data, FCN_IOAM_DATA_##of)
#define OF_SNAPSHOT NOT_SHOWN("the namespaces of show ioam are those that workers have")
#define SHORT_DATA "Namespace specific data of four octets that this node writes: "
#define WIDE_DATA "Namespace specific data of eight octets that this node writes: "

/* The data of a snapshot: the number of its words, and behind it the words. */
#define SCHEMA (1 + sizeof(((struct fcn_ioam_namespace *)0)->schema))
_Static_assert(offsetof(struct fcn_ioam_namespace, schema) ==
				offsetof(struct fcn_ioam_namespace, schema_words) + 1,
		"the words are behind their number");

static const struct fcn_setting namespace_settings[] = {
		{"short value", SHORT_DATA "this constant",
				{NUMBER("value", short_value, 0, UINT32_MAX, "the value",
						.initial_text = "", OF_SNAPSHOT)},
				SHORT(VALUE)},
		{"short link-speed", SHORT_DATA "the speed of the egress link in Mb/s",
				SHORT(LINK_SPEED)},
		{"short none", SHORT_DATA "none", SHORT(NONE)},
		{"wide value", WIDE_DATA "this constant",
				{NUMBER("value", wide_value, 0, 0, "the value", .initial_text = "",
						OF_SNAPSHOT)},
				WIDE(VALUE)},
		{"wide tx-bytes", WIDE_DATA "the number of bytes sent by the egress port",
				WIDE(TX_BYTES)},
		{"wide none", WIDE_DATA "none", WIDE(NONE)},
		{"schema",
				"Opaque state snapshot that this node writes: the schema ID, and "
				"the data as words of eight hexadecimal digits each",
				{NUMBER("schema", schema_id, 0, FCN_IOAM_NO_SCHEMA - 1, "a schema",
						 .initial = FCN_IOAM_NO_SCHEMA, OF_SNAPSHOT,
						 .special = {OR("none", FCN_IOAM_NO_SCHEMA,
								 "This node writes no opaque state "
								 "snapshot")}),
						{.word = "data",
								.key = "data",
								.type = FCN_SETTING_OCTETS,
								.what = "the data",
								OPTIONAL,
								.offset = offsetof(struct
										fcn_ioam_namespace,
										schema_words),
								.size = SCHEMA,
								OF_SNAPSHOT}}},
};

static const struct fcn_setting_value selected = {.key = "short", IN(short_data), OF_SNAPSHOT};

const struct fcn_setting_scope fcn_ioam_namespace_scope = {
		.title = "IOAM",
		.syntax = "set ioam namespace <id:number>",
		.show = "ioam.namespaces",
		FCN_SETTING_TABLE(namespace_settings, OPERATE),
		.selected = &selected,
		.list = "ioam namespace",
};
