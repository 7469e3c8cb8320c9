/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Reasons for which packets are dropped. The enumeration, the names of the counters, and the texts
 * in `show drops` and in the documentation come from this list. All functions may be called by any
 * thread.
 */

#ifndef FCN_DROP_H
#define FCN_DROP_H

#include "fcn_border_view.h"
#include "fcn_queue.h"
#include "fcn_wire_error.h"

/* X(symbol, name, text) */
#define FCN_DROP_REASONS(X)                                                                    \
	FCN_WIRE_FATAL_ERRORS(X)                                                               \
	X(PORT_NEW, "port_new", "port is not in force yet: the configuration follows at once") \
	X(RX_OVERSIZE, "rx_oversize", "received frame longer than the port's MTU allows")      \
	FCN_BORDER_KINDS(X)                                                                    \
	X(SOURCE_MAC, "source_mac",                                                            \
			"source MAC is a group address, or that of a bridge interface")        \
	X(RESERVED_MAC, "reserved_mac",                                                        \
			"group address that no bridge forwards (01-80-C2-00-00-0x)")           \
	X(VLAN_NOT_MEMBER, "vlan_not_member", "port is no member of the frame's VLAN")         \
	X(ERR_DISABLED, "err_disabled", "port of a bridge is closed because of a loop")        \
	X(VLAN_UNEXPECTED, "vlan_unexpected",                                                  \
			"tagged frame on a routed port, of a VLAN without sub-interface")      \
	X(SAME_PORT, "same_port", "destination is behind the port the frame came in by")       \
	X(NO_FLOOD_PORT, "no_flood_port",                                                      \
			"unknown or group destination and no other port in the VLAN")          \
	X(STORM_BROADCAST, "storm_broadcast",                                                  \
			"storm control: more broadcasts than the port may have flooded")       \
	X(STORM_UNKNOWN_UNICAST, "storm_unknown_unicast",                                      \
			"storm control: more frames to unknown stations than the port may "    \
			"have flooded")                                                        \
	X(STORM_MULTICAST, "storm_multicast",                                                  \
			"storm control: more multicasts than the port may have flooded")       \
	X(FLOOD_LIMIT, "flood_limit", "more copies to flood in one turn than a worker makes")  \
	X(NO_MBUF, "no_mbuf", "no buffer for a copy")                                          \
	X(BRIDGE_INTERFACE, "bridge_interface",                                                \
			"to the MAC address of a bridge interface, which does not route, and " \
			"to no address of it")                                                 \
	X(NOT_MY_MAC, "not_my_mac", "frame on a routed port for another station")              \
	X(ETHER_TYPE, "ether_type", "neither IPv4 nor IPv6 on a routed port")                  \
	X(MARTIAN, "martian", "source address that no packet may carry")                       \
	X(LINK_LOCAL, "link_local", "link-local address, not to be forwarded")                 \
	X(MULTICAST, "multicast", "multicast or broadcast destination, not routed")            \
	X(HOP_LIMIT, "hop_limit", "hop limit or TTL ends here")                                \
	X(NO_ROUTE, "no_route", "no route to the destination")                                 \
	X(BLACKHOLE, "blackhole", "route says to drop")                                        \
	X(LOCAL, "local", "addressed to the switch itself, where nothing takes it")            \
	X(LOCAL_LOOP, "local_loop",                                                            \
			"delivered to the switch itself too often, and for it once more")      \
	X(PUNT_LIMITED, "punt_limited",                                                        \
			"for the host functions, over the rate or the backlog of its port")    \
	X(NO_NEIGHBOUR, "no_neighbour", "MAC address of the next hop unknown")                 \
	X(NEIGHBOUR_FAILED, "neighbour_failed",                                                \
			"next hop did not answer when it was asked for its MAC address")       \
	X(NEIGHBOUR_WAIT, "neighbour_wait",                                                    \
			"too many packets waited for the MAC address of their next hop")       \
	X(NEIGHBOUR_LIMIT, "neighbour_limit",                                                  \
			"next hop not asked for: the port has as many asked for as it may")    \
	X(INJECT_FULL, "inject_full",                                                          \
			"worker did not take what the host functions forward fast enough")     \
	X(MTU, "mtu", "longer than the MTU of the egress port")                                \
	X(HEADROOM, "headroom", "no room in the buffer for the new header")                    \
	X(IOAM_EDGE, "ioam_edge", "IOAM option at a port where its domain ends")               \
	X(CROSS_CORE_FULL, "cross_core_full",                                                  \
			"the cross-core ring to the worker of the egress port was full")       \
	X(PORT_GONE, "port_gone", "egress port was removed")                                   \
	X(TX_OVERSIZE, "tx_oversize",                                                          \
			"longer than the egress port's device can send; at the egress port")   \
	X(TX_STALLED, "tx_stalled",                                                            \
			"egress port's device took nothing for a second; at the egress port")  \
	FCN_QUEUE_REFUSALS(X)

enum fcn_drop_reason {
	FCN_DROP_NONE, /**< not dropped */
#define FCN_DROP_ENUM(sym, name, text) FCN_DROP_##sym,
	FCN_DROP_REASONS(FCN_DROP_ENUM)
#undef FCN_DROP_ENUM
	FCN_DROP_REASON_COUNT,
};

/** Get the drop reason for a defect with which a packet is not forwarded. */
static inline enum fcn_drop_reason
fcn_drop_of_wire_error(enum fcn_wire_error e)
{
	/* Both enumerations begin with the same list, behind one value for "none". */
	return (enum fcn_drop_reason)e;
}

/** Get the drop reason for something that may not cross the border of the domain. */
static inline enum fcn_drop_reason
fcn_drop_of_border(enum fcn_border_kind kind)
{
	/* The list of reasons contains the list of border kinds, in the same order. */
	return (enum fcn_drop_reason)(FCN_DROP_BORDER_FAST_CNP + kind);
}

/** Get the drop reason for a packet that a queue has refused. */
static inline enum fcn_drop_reason
fcn_drop_of_refusal(enum fcn_queue_verdict v)
{
	/* The list of reasons ends with the list of refusals, in the same order. */
	return (enum fcn_drop_reason)(FCN_DROP_QUEUE_BYTES + (v - FCN_REFUSED_QUEUE_BYTES));
}

/** Get the short name of a reason for counters and JSON; never NULL. */
const char *fcn_drop_name(enum fcn_drop_reason r);

/** Get the description of a reason, one line of text; never NULL. */
const char *fcn_drop_text(enum fcn_drop_reason r);

#endif /* FCN_DROP_H */
