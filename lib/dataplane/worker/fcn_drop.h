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

#include "fcn_arn.h"
#include "fcn_border_view.h"
#include "fcn_cnm.h"
#include "fcn_endcon.h"
#include "fcn_queue.h"
#include "fcn_srv6_error.h"
#include "fcn_wire_error.h"

/* Elements of the list below for what a local SID refuses. */
#define FCN_DROP_SRV6_REASON(X, sym, name, text, type, code) X(SRV6_##sym, name, text)
#define FCN_DROP_ENDCON_REASON(X, sym, name, text) X(ENDCON_##sym, name, text)
/* The same of messages of precise flow control. */
#define FCN_DROP_ARN_REASON(X, sym, name, text) X(ARN_##sym, name, text)

/* The same of Congestion Notification Messages. */
#define FCN_DROP_CNM_REASON(X, sym, name, text) X(CNM_##sym, name, text)

/* X(symbol, name, text) */
#define FCN_DROP_REASONS(X)                                                                        \
	FCN_WIRE_FATAL_ERRORS(X)                                                                   \
	X(PORT_NEW, "port_new",                                                                    \
			"the port was added a moment ago, and the worker has no "                  \
			"configuration for it yet")                                                \
	X(RX_OVERSIZE, "rx_oversize", "the received frame is longer than the port's MTU allows")   \
	FCN_BORDER_KINDS(X)                                                                        \
	X(SOURCE_MAC, "source_mac",                                                                \
			"the source MAC address is a group address, or the address of "            \
			"a bridge interface")                                                      \
	X(RESERVED_MAC, "reserved_mac",                                                            \
			"the destination is a reserved group address, which no bridge "            \
			"forwards (01-80-C2-00-00-0x)")                                            \
	X(VLAN_NOT_MEMBER, "vlan_not_member", "the port is not a member of the frame's VLAN")      \
	X(ERR_DISABLED, "err_disabled", "port of a bridge is closed because of a loop")            \
	X(VLAN_UNEXPECTED, "vlan_unexpected",                                                      \
			"a routed port received a tagged frame, and has no "                       \
			"sub-interface for its VLAN")                                              \
	X(SAME_PORT, "same_port", "the destination is behind the port that received the frame")    \
	X(NO_FLOOD_PORT, "no_flood_port",                                                          \
			"the frame had to be flooded, and its VLAN has no other port")             \
	X(STORM_BROADCAST, "storm_broadcast",                                                      \
			"storm control: broadcast frames exceed the rate of the port")             \
	X(STORM_UNKNOWN_UNICAST, "storm_unknown_unicast",                                          \
			"storm control: unknown unicast frames exceed the rate of the "            \
			"port")                                                                    \
	X(STORM_MULTICAST, "storm_multicast",                                                      \
			"storm control: multicast frames exceed the rate of the port")             \
	X(FLOOD_LIMIT, "flood_limit",                                                              \
			"flooding needed more copies than a worker makes in one turn "             \
			"of its loop")                                                             \
	X(NO_MBUF, "no_mbuf", "there was no packet buffer for a copy of the frame")                \
	X(BRIDGE_INTERFACE, "bridge_interface",                                                    \
			"the frame is for the MAC address of a bridge interface, but "             \
			"the packet is not for an IP address of it, and a bridge "                 \
			"interface does not route")                                                \
	X(NOT_MY_MAC, "not_my_mac",                                                                \
			"a routed port received a frame whose destination MAC address "            \
			"is not its own")                                                          \
	X(ETHER_TYPE, "ether_type",                                                                \
			"a routed port received a frame that holds neither IPv4 nor "              \
			"IPv6")                                                                    \
	X(MARTIAN, "martian",                                                                      \
			"the source address is one that no packet may have, such as a "            \
			"multicast address")                                                       \
	X(OWN_SOURCE, "own_source",                                                                \
			"the source is an address of the switch itself, and another node "         \
			"sent the packet")                                                         \
	X(SOURCE_NO_ROUTE, "source_no_route",                                                      \
			"source check: there is no route to the source address")                   \
	X(SOURCE_OTHER_PORT, "source_other_port",                                                  \
			"source check, strict: no route to the source address leaves by the "      \
			"port that received the packet")                                           \
	X(LINK_LOCAL, "link_local",                                                                \
			"the source or destination is a link-local address, and such "             \
			"packets are not forwarded")                                               \
	X(MULTICAST, "multicast",                                                                  \
			"the destination is a multicast or broadcast address, and such "           \
			"packets are not routed")                                                  \
	X(HOP_LIMIT, "hop_limit", "hop limit or TTL ends here")                                    \
	X(NOTICE_RETURNS, "notice_returns",                                                        \
			"a Fast CNP would leave by the port or sub-interface that received it, "   \
			"as in a routing loop")                                                    \
	X(NO_ROUTE, "no_route", "there is no route to the destination")                            \
	X(BLACKHOLE, "blackhole", "the route to the destination is a blackhole")                   \
	X(LOCAL, "local",                                                                          \
			"the packet is for the switch itself, and no function of the "             \
			"switch receives it")                                                      \
	X(LOCAL_LOOP, "local_loop",                                                                \
			"the packet was delivered to the switch itself too often, and "            \
			"is for the switch again")                                                 \
	X(PUNT_LIMITED, "punt_limited",                                                            \
			"the packet was for the host functions, and exceeded the rate "            \
			"or the backlog of its port")                                              \
	X(SRV6_NO_SID, "srv6_no_sid",                                                              \
			"to an address of the switch that is no SID, with a Segment "              \
			"Routing Header that has segments left")                                   \
	FCN_SRV6_REFUSALS_FOR(FCN_DROP_SRV6_REASON, X)                                             \
	X(TUNNEL_ECN, "tunnel_ecn",                                                                \
			"tunnel egress: the outer header is marked CE, and the inner "             \
			"packet is Not-ECT")                                                       \
	FCN_ENDCON_REFUSALS_FOR(FCN_DROP_ENDCON_REASON, X)                                         \
	X(ENDCON_ACCESS, "endcon_access", "to END.CON: not from a P node in the access list")      \
	X(ENDCON_SOURCE, "endcon_source",                                                          \
			"to END.CON: Fast CNP whose source is no P node in the access list")       \
	X(ENDCON_RATE, "endcon_rate",                                                              \
			"to END.CON: more Fast CNPs from one P node than its rate allows")         \
	X(ENDCON_TOTAL, "endcon_total",                                                            \
			"to END.CON: more Fast CNPs from all P nodes than the rate allows")        \
	FCN_ARN_REFUSALS_FOR(FCN_DROP_ARN_REASON, X)                                               \
	X(ARN_ACCESS, "arn_access", "ARN: not from a source in the access list")                   \
	X(ARN_PORT, "arn_port",                                                                    \
			"ARN: not by the port of its source, or by which routes to it leave")      \
	X(ARN_HOP_LIMIT, "arn_hop_limit", "ARN: from more hops away than messages may come")       \
	X(ARN_RATE, "arn_rate", "ARN: more messages from one source than its rate allows")         \
	X(ARN_TOTAL, "arn_total", "ARN: more messages from all sources than the rate allows")      \
	FCN_CNM_ERRORS_FOR(FCN_DROP_CNM_REASON, X)                                                 \
	X(CNM_ADDRESS, "cnm_address", "CNM: its flow is not one between unicast addresses")        \
	X(CNM_LOOP, "cnm_loop",                                                                    \
			"CNM: about CNPs, about messages, or about packets of the switch itself")  \
	X(CNM_ACCESS, "cnm_access", "CNM: not from a congested node in the access list")           \
	X(CNM_RATE, "cnm_rate", "CNM: more messages from one congested node than its rate allows") \
	X(CNM_TOTAL, "cnm_total",                                                                  \
			"CNM: more messages from all congested nodes than the rate allows")        \
	X(NO_NEIGHBOUR, "no_neighbour", "the MAC address of the next hop is not known")            \
	X(NEIGHBOUR_FAILED, "neighbour_failed",                                                    \
			"the next hop did not answer address resolution (ARP or "                  \
			"Neighbour Discovery)")                                                    \
	X(NEIGHBOUR_WAIT, "neighbour_wait",                                                        \
			"too many packets were waiting for the MAC address of their next hop")     \
	X(NEIGHBOUR_LIMIT, "neighbour_limit",                                                      \
			"the MAC address of the next hop was not asked for, because "              \
			"the port has reached its limit of such requests")                         \
	X(INJECT_FULL, "inject_full", "the ring from the host functions to the worker was full")   \
	X(MTU, "mtu", "the packet is longer than the MTU of the egress port")                      \
	X(HEADROOM, "headroom", "the packet buffer has no headroom for the new header")            \
	X(IOAM_EDGE, "ioam_edge",                                                                  \
			"the packet has an IOAM option, and its port is an edge of the "           \
			"IOAM domain")                                                             \
	X(CROSS_CORE_FULL, "cross_core_full",                                                      \
			"the cross-core ring to the worker of the egress port had no slot for it") \
	X(ARN_FLOW_LIMIT, "arn_flow_limit",                                                        \
			"precise flow control: as many packets or bytes of the held flow "         \
			"or service were waiting as permitted")                                    \
	X(ARN_TOTAL_LIMIT, "arn_total_limit",                                                      \
			"precise flow control: as many packets or bytes of all held flows "        \
			"were waiting as permitted")                                               \
	X(PORT_GONE, "port_gone", "the egress port was removed")                                   \
	X(TX_OVERSIZE, "tx_oversize",                                                              \
			"the frame is longer than the egress port's device can send; "             \
			"counted at the egress port")                                              \
	X(TX_STALLED, "tx_stalled",                                                                \
			"the egress port's device accepted no frame for a second; "                \
			"counted at the egress port")                                              \
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

/** Get the drop reason for a packet that a local SID has refused. */
static inline enum fcn_drop_reason
fcn_drop_of_srv6(enum fcn_srv6_error e)
{
	/* The list of reasons contains the list of refusals, in the same order. */
	return (enum fcn_drop_reason)(FCN_DROP_SRV6_EXT_TRUNCATED + (e - FCN_SRV6_EXT_TRUNCATED));
}

/** Get the drop reason for a packet that END.CON has refused. */
static inline enum fcn_drop_reason
fcn_drop_of_endcon(enum fcn_endcon_error e)
{
	/* The list of reasons contains the list of refusals, in the same order. */
	return (enum fcn_drop_reason)(FCN_DROP_ENDCON_SID + (e - FCN_ENDCON_BAD_SID));
}

/** Get the drop reason for a message of precise flow control that is ignored. */
static inline enum fcn_drop_reason
fcn_drop_of_arn(enum fcn_arn_error e)
{
	/* The list of reasons contains the list of refusals, in the same order. */
	return (enum fcn_drop_reason)(FCN_DROP_ARN_UDP_LENGTH + (e - FCN_ARN_BAD_UDP_LENGTH));
}

/** Check whether a drop reason is one of a message of precise flow control. */
static inline bool
fcn_drop_is_of_arn(enum fcn_drop_reason r)
{
	return r >= FCN_DROP_ARN_UDP_LENGTH && r <= FCN_DROP_ARN_TOTAL;
}

/** Get the drop reason for a Congestion Notification Message that is malformed. */
static inline enum fcn_drop_reason
fcn_drop_of_cnm(enum fcn_cnm_error e)
{
	/* The list of reasons contains the list of errors, in the same order. */
	return (enum fcn_drop_reason)(FCN_DROP_CNM_UDP_LENGTH + (e - FCN_CNM_BAD_UDP_LENGTH));
}

/** Check whether a drop reason is one of a Congestion Notification Message to this proxy. */
static inline bool
fcn_drop_is_of_cnm(enum fcn_drop_reason r)
{
	return r >= FCN_DROP_CNM_UDP_LENGTH && r <= FCN_DROP_CNM_TOTAL;
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
