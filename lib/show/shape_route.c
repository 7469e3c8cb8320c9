/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Shapes: bridges, routes, the kernel, the border, IOAM, and SRv6. */

#include "fcn_config_scopes.h"
#include "fcn_control.h"
#include "fcn_learned.h"
#include "fcn_show_shapes.h"

static const struct fcn_shape storm[] = {SHAPE_STRING("kind", "Kind of frames"),
		SHAPE_SETTINGS(fcn_storm_scope, "bridge.ports.storm_control"),
		SHAPE_INTEGER("dropped", "Frames dropped as there were too many"), SHAPE_END};

static const struct fcn_shape bridge_port[] = {SHAPE_PORT,
		SHAPE_SETTINGS(fcn_bridge_port_scope, "bridge.ports"),
		SHAPE_INTEGER("macs", "MAC addresses learned on the port"),
		SHAPE_COUNTERS(FCN_BRIDGE_PORT_COUNTERS),
		SHAPE_BOOLEAN("accepts_clones", "Whether its device takes copies that share bytes"),
		SHAPE_BOOLEAN("err_disabled", "Whether the port is closed because of a loop"),
		SHAPE_INTEGER_NULL("recover_in_ns", "When it opens again; null: by a command only"),
		SHAPE_LIST("storm_control", "Limits of flooded frames", storm), SHAPE_END};

static const struct fcn_shape bridge_interface[] = {SHAPE_STRING("port", "Name of the interface"),
		SHAPE_INTEGER("vlan", "VLAN; 0: without a tag"),
		SHAPE_SETTINGS(fcn_mac_scope, "bridge.interfaces"), SHAPE_END};

static const struct fcn_shape bridge[] = {SHAPE_STRING("bridge", "Name of the bridge"),
		SHAPE_SETTINGS(fcn_bridge_scope, "bridge"),
		SHAPE_SETTINGS(fcn_copies_scope, "bridge"),
		SHAPE_LIST("interfaces",
				"Interfaces by which the switch is a station of the bridge",
				bridge_interface),
		SHAPE_LIST("ports", "Ports of the bridge", bridge_port), SHAPE_END};

const struct fcn_shape fcn_shape_bridges = SHAPE_LIST(NULL, "Bridges", bridge);

static const struct fcn_shape mac[] = {SHAPE_STRING("bridge", "Name of the bridge"),
		SHAPE_INTEGER("vlan", "VLAN"), SHAPE_STRING("mac", "MAC address"), SHAPE_PORT,
		SHAPE_INTEGER("age_ns", "Time since it was seen last, nanoseconds"), SHAPE_END};

const struct fcn_shape fcn_shape_macs = SHAPE_LIST(NULL, "Learned MAC addresses", mac);

static const struct fcn_shape address[] = {
		SHAPE_STRING("port", "Port that has the address; \"loopback\" or \"kernel\": none"),
		SHAPE_STRING("address", "The address, of a port with its prefix length"),
		SHAPE_STRING_NULL("state", "State of duplicate address detection"),
		SHAPE_INTEGER_NULL("left_ns", "How long that still takes, nanoseconds"), SHAPE_END};

const struct fcn_shape fcn_shape_addresses = SHAPE_LIST(NULL, "IP addresses", address);

static const struct fcn_shape route[] = {SHAPE_STRING("prefix", "Destinations"),
		SHAPE_STRING("table", "Route table"),
		SHAPE_STRING("origin", "\"connected\", \"config\" or \"kernel\""),
		SHAPE_STRING("kind", "What the route does"),
		SHAPE_MAYBE("via", "Gateway", FCN_SHAPE_STRING | FCN_SHAPE_NULL),
		SHAPE_MAYBE_STRING("port", "Port by which packets leave"),
		SHAPE_MAYBE_STRING("next_hop", "\"resolved\", or why packets cannot leave"),
		SHAPE_MAYBE_STRING("policy", "SRv6 policy that packets take"),
		{.name = "segments",
				.text = "Segments in the order in which they are visited",
				.types = FCN_SHAPE_STRING | FCN_SHAPE_NULL,
				.is_list = true,
				.optional = true},
		SHAPE_MAYBE_STRING("protocol", "Protocol from which the kernel has the route"),
		SHAPE_MAYBE_INTEGER("weight", "Weight of the path among several"), SHAPE_END};

const struct fcn_shape fcn_shape_routes = SHAPE_LIST(NULL, "Routes", route);

static const struct fcn_shape table[] = {SHAPE_STRING("table", "Name of the table"),
		SHAPE_INTEGER("static", "Configured routes"),
		SHAPE_STRING("kernel_state", "State of the synchronisation with the kernel"),
		SHAPE_INTEGER_NULL("kernel_table", "Number of the kernel's table that it follows"),
		SHAPE_MAYBE("kernel_vrf", "The kernel's VRF that it follows",
				FCN_SHAPE_STRING | FCN_SHAPE_NULL),
		SHAPE_MAYBE_SETTINGS(fcn_kernel_table_scope, "table"),
		SHAPE_INTEGER("kernel_routes", "Routes of the kernel"),
		SHAPE_LIST_OF("ports", "Ports of the table", FCN_SHAPE_STRING), SHAPE_END};

const struct fcn_shape fcn_shape_tables = SHAPE_LIST(NULL, "Route tables", table);

static const struct fcn_shape route_count[] = {
		SHAPE_INTEGER("connected", "Networks of ports' addresses"),
		SHAPE_INTEGER("static", "Configured routes with a next hop"),
		SHAPE_INTEGER("blackhole", "Configured routes that drop"),
		SHAPE_INTEGER("kernel", "Paths of the kernel"),
		SHAPE_INTEGER("total", "All of them"), SHAPE_END};

const struct fcn_shape fcn_shape_route_count = SHAPE_OBJECT(
		NULL, "Number of routes by kind", route_count);

static const struct fcn_shape neighbour[] = {SHAPE_PORT,
		SHAPE_STRING("address", "IP address of the neighbour"),
		SHAPE_STRING_NULL("mac", "Its MAC address"),
		SHAPE_STRING("state", "\"static\", \"kernel\", or the state of its resolution"),
		SHAPE_THINGS("neighbour"), SHAPE_END};

const struct fcn_shape fcn_shape_neighbours = SHAPE_LIST(NULL, "Neighbours", neighbour);

static const struct fcn_shape host_configuration[] = {
		SHAPE_SETTINGS(fcn_host_scope, "host.configuration"), SHAPE_END};

static const struct fcn_shape host_counters[] = {SHAPE_NAMED(FCN_HOST_COUNTERS), SHAPE_END};

static const struct fcn_shape host[] = {SHAPE_BOOLEAN("on", "Whether the host functions are on"),
		SHAPE_INTEGER("neighbours", "Neighbours that were found"),
		SHAPE_INTEGER("waiting_packets", "Packets that wait for a neighbour"),
		SHAPE_OBJECT("configuration", "Settings", host_configuration),
		SHAPE_OBJECT("counters", "Counters", host_counters), SHAPE_END};

const struct fcn_shape fcn_shape_host = SHAPE_OBJECT(NULL, "The host functions", host);

static const struct fcn_shape police[] = {SHAPE_PORT, SHAPE_STRING("kind", "Kind of packets"),
		SHAPE_SETTINGS(fcn_police_port_scope, "host police"),
		SHAPE_COUNTERS(FCN_POLICE_COUNTERS), SHAPE_END};

const struct fcn_shape fcn_shape_police = SHAPE_LIST(
		NULL, "Packets for the host functions by port and kind", police);

/* ---- the Linux kernel ---- */

static const struct fcn_shape kernel_counters[] = {SHAPE_COUNTERS(FCN_NETLINK_COUNTERS),
		SHAPE_COUNTERS(FCN_KERNEL_STORE_COUNTERS), SHAPE_COUNTERS(FCN_RTNL_UNUSABLE),
		FCN_CONTROL_KERNEL_COUNTERS(SHAPE_COUNTER) SHAPE_END};

static const struct fcn_shape kernel_interface[] = {SHAPE_PORT,
		SHAPE_SETTINGS(fcn_kernel_port_scope, "kernel.interfaces"),
		SHAPE_BOOLEAN("there", "Whether the kernel has the interface"),
		SHAPE_COUNTERS(FCN_KERNEL_INTERFACE_COUNTERS),
		SHAPE_MAYBE_COUNTERS(FCN_KERNEL_TAP_COUNTERS), SHAPE_END};

static const struct fcn_shape kernel[] = {SHAPE_STRING("state", "State of the synchronisation"),
		SHAPE_INTEGER_NULL("table", "Number of the kernel's table that is followed"),
		SHAPE_SETTINGS(fcn_kernel_scope, "kernel"),
		SHAPE_INTEGER("routes", "Routes of the kernel"),
		SHAPE_INTEGER("nexthops", "Next hop objects of the kernel"),
		SHAPE_INTEGER("neighbours", "Neighbours of the kernel"),
		SHAPE_INTEGER("segment_lists", "Segment lists of the kernel"),
		SHAPE_INTEGER("sids", "Local SIDs of the kernel"),
		SHAPE_INTEGER("paths", "Paths in use"),
		SHAPE_INTEGER("paths_left_out", "Paths for which there is no room"),
		SHAPE_OBJECT("counters", "Counters", kernel_counters),
		SHAPE_STRING_NULL("last_error", "The last error"),
		SHAPE_LIST("interfaces", "Interfaces of ports in the kernel", kernel_interface),
		SHAPE_END};

const struct fcn_shape fcn_shape_kernel = SHAPE_OBJECT(
		NULL, "Synchronisation with the Linux kernel", kernel);

/* ---- the border, IOAM ---- */

static const struct fcn_shape border_port[] = {SHAPE_PORT,
		SHAPE_SETTINGS(fcn_border_port_scope, "border.ports"),
		SHAPE_BOOLEAN("trusted", "Whether the port is trusted"),
		SHAPE_INTEGER("in_dropped", "Packets dropped that came in"),
		SHAPE_INTEGER("out_dropped", "Packets dropped that were to leave"),
		SHAPE_COUNTERS(FCN_UNTRUSTED_PORT_COUNTERS), SHAPE_END};

static const struct fcn_shape border_drops[] = {SHAPE_PORT, SHAPE_STRING("reason", "Drop reason"),
		SHAPE_INTEGER("in", "Packets dropped that came in"),
		SHAPE_INTEGER("out", "Packets dropped that were to leave"), SHAPE_END};

static const struct fcn_shape border[] = {SHAPE_SETTINGS(fcn_notify_scope, "border"),
		SHAPE_SETTINGS(fcn_border_scope, "border"),
		SHAPE_LIST_OF("peers", "Prefixes of peers", FCN_SHAPE_STRING),
		SHAPE_LIST_OF("sids", "Prefixes of SIDs", FCN_SHAPE_STRING),
		SHAPE_LIST_OF("exempt_sources", "Sources that are not checked", FCN_SHAPE_STRING),
		SHAPE_LIST_OF("protected_classes", "Protected classes", FCN_SHAPE_INTEGER),
		SHAPE_LIST("ports", "Ports", border_port),
		SHAPE_LIST("drops", "Packets dropped by port and reason", border_drops),
		SHAPE_LIST_OF("warnings", "What crosses the border", FCN_SHAPE_STRING), SHAPE_END};

const struct fcn_shape fcn_shape_border = SHAPE_OBJECT(NULL, "The border of the domain", border);

static const struct fcn_shape ioam_namespace[] = {SHAPE_INTEGER("namespace", "Namespace"),
		SHAPE_STRING("short", "What stands in the short field"),
		SHAPE_STRING("wide", "What stands in the wide field"),
		SHAPE_INTEGER_NULL("schema", "Schema of the opaque data"),
		SHAPE_STRING_NULL("opaque", "Opaque data, hexadecimal"), SHAPE_END};

static const struct fcn_shape ioam_port[] = {SHAPE_PORT,
		SHAPE_SETTINGS(fcn_ioam_port_scope, "ioam.ports"),
		SHAPE_COUNTERS(FCN_IOAM_PORT_COUNTERS),
		SHAPE_INTEGER("malformed", "Packets received with a malformed IOAM trace"),
		SHAPE_INTEGER("dropped", "Packets dropped at the edge of the IOAM domain"),
		SHAPE_END};

static const struct fcn_shape ioam[] = {SHAPE_SETTINGS(fcn_ioam_scope, "ioam"),
		SHAPE_LIST("namespaces", "Namespaces", ioam_namespace),
		SHAPE_LIST("ports", "Ports", ioam_port), SHAPE_END};

const struct fcn_shape fcn_shape_ioam = SHAPE_OBJECT(NULL, "The IOAM node", ioam);

/* ---- SRv6 ---- */

static const struct fcn_shape policy[] = {SHAPE_STRING("policy", "Name of the policy"),
		SHAPE_SETTINGS(fcn_srv6_policy_scope, "srv6 policy.policies"), SHAPE_END};

static const struct fcn_shape segment_list[] = {
		SHAPE_STRING("policy", "Policy; \"kernel\": of the kernel"),
		SHAPE_STRING("origin", "\"config\" or \"kernel\""),
		SHAPE_INTEGER("list", "Number of the segment list"),
		SHAPE_STRING("mode", "How packets are encapsulated"),
		SHAPE_LIST_OF("segments", "SIDs in the order in which they are visited",
				FCN_SHAPE_STRING),
		SHAPE_INTEGER_NULL("weight", "Weight among the lists of the policy"),
		SHAPE_INTEGER_NULL("path_id", "Number of the path"),
		SHAPE_BOOLEAN("live", "Whether packets can leave by it"),
		SHAPE_STRING("state", "\"live\", or why not"),
		SHAPE_INTEGER("paths", "Paths to the first segment"),
		SHAPE_STRING_NULL("port", "Port by which packets leave, if it is one"),
		SHAPE_STRING_NULL("next_hop", "MAC address of the next station, if it is one"),
		SHAPE_INTEGER_NULL("overhead", "Bytes that packets get in front"),
		SHAPE_COUNTERS(FCN_SEGMENT_LIST_COUNTERS), SHAPE_END};

static const struct fcn_shape srv6_policy[] = {SHAPE_SETTINGS(fcn_srv6_scope, "srv6 policy"),
		SHAPE_LIST("policies", "Policies", policy),
		SHAPE_LIST("segment_lists", "Segment lists", segment_list), SHAPE_END};

const struct fcn_shape fcn_shape_srv6_policies = SHAPE_OBJECT(NULL, "SRv6 policies", srv6_policy);

static const struct fcn_shape steering[] = {SHAPE_THINGS("srv6 steering"),
		SHAPE_INTEGER("rule", "Number of the rule"),
		SHAPE_BOOLEAN("live", "Whether packets can leave by its policy"),
		SHAPE_COUNTERS(FCN_STEERING_COUNTERS), SHAPE_END};

const struct fcn_shape fcn_shape_srv6_steering = SHAPE_LIST(NULL, "Steering rules", steering);

static const struct fcn_shape csid[] = {
		SHAPE_INTEGER("block_bits", "Length of the locator block in bits"),
		SHAPE_INTEGER("node_bits", "Length of node and function in bits"), SHAPE_END};

static const struct fcn_shape sid[] = {SHAPE_STRING("sid", "The SID with its prefix length"),
		SHAPE_STRING("origin", "\"config\" or \"kernel\""),
		SHAPE_STRING("behavior", "Behavior"),
		SHAPE_INTEGER_NULL("code", "Code point of the behavior with its flavors"),
		SHAPE_LIST_OF("flavors", "Flavors", FCN_SHAPE_STRING),
		{.name = "next_csid",
				.text = "Structure of the flavor NEXT-CSID; null: it has not this "
					"flavor",
				.types = FCN_SHAPE_OBJECT | FCN_SHAPE_NULL,
				.of = csid},
		SHAPE_STRING_NULL("table", "Route table of the behavior"),
		SHAPE_STRING_NULL("port", "Port of the behavior"),
		SHAPE_STRING_NULL("via", "Next hop of the behavior"),
		SHAPE_STRING_NULL("state", "State of the next hop, or why the SID is not used"),
		SHAPE_COUNTERS(FCN_SRV6_SID_COUNTERS), SHAPE_END};

static const struct fcn_shape ecn[] = {
		SHAPE_STRING("combination", "ECN fields that no standard combines"),
		SHAPE_BOOLEAN("dangerous", "Whether the standard calls it dangerous"),
		SHAPE_INTEGER("packets", "Packets with it"), SHAPE_END};

static const struct fcn_shape srv6_sid[] = {SHAPE_SETTINGS(fcn_srv6_scope, "srv6 sid"),
		SHAPE_LIST("sids", "Local SIDs", sid),
		SHAPE_LIST("ecn", "Packets whose ECN fields no standard combines", ecn), SHAPE_END};

const struct fcn_shape fcn_shape_srv6_sids = SHAPE_OBJECT(NULL, "Local SIDs", srv6_sid);

static const struct fcn_shape known[] = {SHAPE_STRING("prefix", "Addresses of END.CON"),
		SHAPE_STRING("origin", "\"configured\", \"kernel\", or the protocol"),
		SHAPE_INTEGER_NULL("age_s", "For how long it has been known, seconds"),
		SHAPE_INTEGER_NULL("left_s", "For how long it will be known, seconds"), SHAPE_END};

static const struct fcn_shape learned[] = {SHAPE_STRING("protocol", "Routing protocol"),
		SHAPE_INTEGER("sids", "SIDs that it has told"),
		SHAPE_INTEGER("room", "SIDs for which there is room"),
		SHAPE_COUNTERS(FCN_LEARNED_ENDCON_COUNTERS), SHAPE_END};

static const struct fcn_shape endcon[] = {SHAPE_SETTINGS(fcn_srv6_scope, "srv6 endcon"),
		SHAPE_LIST_OF("sids", "Local SIDs with the behavior END.CON", FCN_SHAPE_STRING),
		SHAPE_LISTS("srv6 endcon"),
		SHAPE_LIST("known", "Addresses known as END.CON", known),
		SHAPE_LIST("learned", "What protocols have told", learned),
		SHAPE_OBJECT("notices", "Notices sent to END.CON", fcn_shape_notice_kind),
		SHAPE_COUNTERS(FCN_ENDCON_COUNTERS), SHAPE_END};

const struct fcn_shape fcn_shape_srv6_endcon = SHAPE_OBJECT(NULL, "END.CON", endcon);
