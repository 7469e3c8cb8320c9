/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Event records, which a worker pushes to the statistics collector. They have a fixed size and use
 * a ring with one producer and one consumer. When the ring is full, records are lost and counted,
 * and the worker does not wait.
 */

#ifndef FCN_EVENT_H
#define FCN_EVENT_H

#include <stdbool.h>
#include <stdint.h>

/*
 * X(symbol, name, text). Events about the operation of the switch: its links, and what people do.
 * They are among those that the control thread reports. Those from CONFIGURED on have words:
 * FCN_EVENTS_WORDED. They are never left out of the log, however many there are.
 */
#define FCN_OPERATION_EVENTS(X)                                                                    \
	X(LINK_UP, "link_up", "The link of the port came up.")                                     \
	X(LINK_DOWN, "link_down", "The link of the port went down.")                               \
	X(LINK_SPEED, "link_speed", "The link of the port is up, and has another speed.")          \
	X(CONFIGURED, "configured",                                                                \
			"A command has changed the configuration, or has begun or confirmed a "    \
			"trial.")                                                                  \
	X(RELOADED, "reloaded",                                                                    \
			"The configuration file was read again and is in force, because of "       \
			"SIGHUP.")                                                                 \
	X(RELOAD_FAILED, "reload_failed",                                                          \
			"The configuration file was read again because of SIGHUP, and is not in "  \
			"force, as it has errors. Nothing was changed.")                           \
	X(REVERTED, "reverted",                                                                    \
			"Nobody has confirmed what was on trial, and the switch has gone back to " \
			"the configuration of before.")                                            \
	X(STARTED, "started", "The program has started.")                                          \
	X(STOPPED, "stopped", "The program ends.")                                                 \
	X(FORWARDING, "forwarding", "The switch forwards packets from now on.")                    \
	X(PAUSED, "paused", "The switch forwards no packets from now on.")                         \
	X(HOST_REPORTS, "host_reports",                                                            \
			"A host has begun to report its queue pairs. The event comes at most 10 "  \
			"times a second, together with `host_gone` and `host_refused`.")           \
	X(HOST_GONE, "host_gone",                                                                  \
			"A host that has reported queue pairs was forgotten with them, as it has " \
			"withdrawn them all, or at the end of its lifetime.")                      \
	X(HOST_REFUSED, "host_refused",                                                            \
			"A queue pair that a host reported was refused, because there are too "    \
			"many, or somebody else has it.")

/*
 * X(symbol, name, text). Events that the control thread reports to the collector, in addition to
 * those of the workers.
 */
#define FCN_CONTROL_EVENTS(X)                                                                      \
	X(DROP_BURST, "drop_burst",                                                                \
			"Packets that this port received were dropped, after a second "            \
			"without drops. The event comes at most once a second.")                   \
	X(POLICED, "policed",                                                                      \
			"Packets of this port for the host functions were dropped "                \
			"because they exceeded its rate, after a second without such "             \
			"drops. The event comes at most once a second.")                           \
	X(SUPPRESSED, "suppressed",                                                                \
			"Notices were suppressed, after a second without suppression. "            \
			"The event comes at most once a second.")                                  \
	X(BORDER, "border",                                                                        \
			"Packets were dropped at this port because they may not cross "            \
			"the border of the domain, after a second without such drops. "            \
			"The event comes at most once a second for each reason.")                  \
	X(ERR_DISABLED, "err_disabled",                                                            \
			"A port of a bridge was closed because of a loop: MAC "                    \
			"addresses moved back and forth between it and another port.")             \
	X(ERR_RECOVERED, "err_recovered",                                                          \
			"A port that was closed because of a loop is open again.")                 \
	X(NEIGHBOUR, "neighbour", "The MAC address of a neighbour was learned or has changed.")    \
	X(NEIGHBOUR_LOST, "neighbour_lost", "A neighbour no longer answers.")                      \
	X(SENDER, "sender",                                                                        \
			"A sender answered a notice with an ICMPv6 Parameter Problem. It is sent " \
			"no notices of this kind until this is forgotten.")                        \
	X(SENDER_IGNORED, "sender_ignored",                                                        \
			"The proxy of a prefix that is configured or learned answered a notice "   \
			"with ICMP port unreachable. It is sent notices all the same. The event "  \
			"comes at most once a second.")                                            \
	X(SENDER_FORGOTTEN, "sender_forgotten",                                                    \
			"The time for which a sender counted as unable to receive notices of a "   \
			"kind has passed. It is sent notices of this kind again.")                 \
	X(PROXY_LEARNED, "proxy_learned",                                                          \
			"The proxy of the senders in a prefix was learned from a routing "         \
			"protocol, or has changed. The event comes at most 100 times a second, "   \
			"together with `proxy_lost`, `endcon_learned` and `endcon_lost`.")         \
	X(PROXY_LOST, "proxy_lost",                                                                \
			"A learned proxy of the senders in a prefix was withdrawn, or forgotten "  \
			"at the end of its lifetime.")                                             \
	X(ENDCON_LEARNED, "endcon_learned",                                                        \
			"An END.CON SID was learned from a routing protocol. The event comes at "  \
			"most 100 times a second, together with `endcon_lost`, `proxy_learned` "   \
			"and `proxy_lost`.")                                                       \
	X(ENDCON_LOST, "endcon_lost",                                                              \
			"A learned END.CON SID was withdrawn, or forgotten at the end of its "     \
			"lifetime.")                                                               \
	X(WARNING, "warning",                                                                      \
			"A part of the configuration does not fit what is the case now, and is "   \
			"limited to what fits. `show warnings` has the place and the reason.")     \
	X(WARNING_OVER, "warning_over", "What a warning was about is no longer the case.")         \
	X(WORKER_STALLED, "worker_stalled",                                                        \
			"The thread of a worker does not run. Its ports forward nothing, and "     \
			"what "                                                                    \
			"needs all workers is refused.")                                           \
	X(WORKER_RECOVERED, "worker_recovered", "The thread of a stalled worker runs again.")      \
	FCN_OPERATION_EVENTS(X)

/* X(symbol, name, text). Events about the state of a queue, a class or a port. Notices are not
 * among them: they have records of their own. */
#define FCN_STATE_EVENTS(X)                                                                       \
	X(CONGESTED, "congested", "The queue became congested.")                                  \
	X(RECOVERED, "recovered", "The queue is no longer congested.")                            \
	X(PFC_XOFF, "pfc_xoff", "The switch asked its link partner by PFC to pause the class.")   \
	X(PFC_XON, "pfc_xon",                                                                     \
			"The switch told its link partner by PFC that it may send the "           \
			"class again.")                                                           \
	X(LOSSLESS_LOSS, "lossless_loss",                                                         \
			"A packet of a lossless class was lost. The event comes at "              \
			"most once a millisecond.")                                               \
	X(TRIMMED, "trimmed",                                                                     \
			"The queue had no room for a packet: it was trimmed, and its headers "    \
			"went on to the receiver or back to the sender. The event comes at "      \
			"most once a millisecond and queue.")                                     \
	X(STORM, "storm",                                                                         \
			"A pause storm began: the link partner has paused the class "             \
			"for longer than the PFC watchdog allows.")                               \
	X(STORM_OVER, "storm_over", "The pause storm is over.")                                   \
	X(ARN_PASSED_ON, "arn_passed_on",                                                         \
			"A halt that a downstream switch has asked for is passed on to those "    \
			"who send the packets, because many bytes wait. in_port is the port "     \
			"that received them. The event comes at most once a millisecond and "     \
			"port.")                                                                  \
	X(ARN_SENT, "arn_sent",                                                                   \
			"An upstream neighbour was asked to halt traffic by an adaptive "         \
			"routing notification. The event comes at most once a millisecond "       \
			"and port.")                                                              \
	X(ARN_ENDED, "arn_ended",                                                                 \
			"An upstream neighbour was told that congestion has ended. The event "    \
			"comes at most once a millisecond and port.")                             \
	X(ARN_RECEIVED, "arn_received",                                                           \
			"A downstream switch asks by an adaptive routing notification to "        \
			"halt traffic. The event comes at most once a millisecond and port.")     \
	X(ARN_RESUMED, "arn_resumed",                                                             \
			"A downstream switch lets traffic resume by an adaptive routing "         \
			"notification. The event comes at most once a millisecond and port.")     \
	X(PROXY_NOTIFIED, "proxy_notified",                                                       \
			"As a proxy, the switch told a sender about congestion that a congested " \
			"node has reported. port received the message. The event comes at most "  \
			"once a millisecond and port.")                                           \
	X(MAC_LIMIT, "mac_limit",                                                                 \
			"A MAC address was not learned, because the port has as many addresses "  \
			"as its own mac-limit allows. The event comes at most once a second.")    \
	X(MAC_FULL, "mac_full",                                                                   \
			"A MAC address was not learned although the port is below its "           \
			"mac-limit, because the part of the table that all ports share is full. " \
			"The event comes at most once a second.")                                 \
	X(MAC_FLAPPING, "mac_flapping",                                                           \
			"MAC addresses move to this port from other ports repeatedly. "           \
			"There is a loop, or two stations use one address. The event "            \
			"comes at most once a second for moves from ports with lower "            \
			"numbers, and as often for those from ports with higher "                 \
			"numbers.")                                                               \
	X(FLOOD_STORM, "flood_storm",                                                             \
			"Storm control dropped frames that were to be flooded. The "              \
			"event comes at most once a second.")                                     \
	X(TUNNEL_ECN, "tunnel_ecn",                                                               \
			"A packet left a tunnel at a local SID with ECN fields that no "          \
			"standard combines. The event comes at most once a second and worker.")   \
	FCN_CONTROL_EVENTS(X)

enum fcn_event_type {
	FCN_EVENT_NOTICE,      /**< a notice was made */
	FCN_EVENT_NOTICE_SENT, /**< the port accepted a notice */
#define FCN_EVENT_ENUM(sym, name, text) FCN_EVENT_##sym,
	FCN_STATE_EVENTS(FCN_EVENT_ENUM)
#undef FCN_EVENT_ENUM
	FCN_EVENT_TYPE_COUNT,
};

/** Get the name of a state event; never NULL. */
const char *fcn_event_name(enum fcn_event_type type);
/** Get the description of a state event; never NULL. */
const char *fcn_event_text(enum fcn_event_type type);

/**
 * Bit set of the event types about a MAC address that moved: struct fcn_event.in_port is the port
 * it came from, .sender the address.
 */
#define FCN_EVENTS_MOVED \
	(UINT64_C(1) << FCN_EVENT_MAC_FLAPPING | UINT64_C(1) << FCN_EVENT_ERR_DISABLED)

/** Bit set of the event types that have words: struct fcn_event.len is their number in the
 * collector. */
#define FCN_EVENTS_WORDED \
	((UINT64_C(2) << FCN_EVENT_HOST_REFUSED) - (UINT64_C(1) << FCN_EVENT_CONFIGURED))

/** Bit set of the event types about the link of a port: struct fcn_event.len is its speed in Mb/s,
 * 0 if it is not known. */
#define FCN_EVENTS_LINK                                                          \
	(UINT64_C(1) << FCN_EVENT_LINK_UP | UINT64_C(1) << FCN_EVENT_LINK_DOWN | \
			UINT64_C(1) << FCN_EVENT_LINK_SPEED)

_Static_assert(FCN_EVENT_TYPE_COUNT < 64, "sets of types are words");

/** Check whether an event is one of FCN_STATE_EVENTS. */
static inline bool
fcn_event_is_state(enum fcn_event_type type)
{
	return type > FCN_EVENT_NOTICE_SENT && type < FCN_EVENT_TYPE_COUNT;
}

/** An event record of 64 bytes. Numbers are in host byte order, addresses in network byte order. */
struct fcn_event {
	/** Nanoseconds of the worker's clock. RECOVERED: when the queue recovered, which may have
	 * been noticed only later. */
	uint64_t time_ns;
	uint8_t type;      /**< enum fcn_event_type */
	uint8_t class : 4; /**< class of the queue; FLOOD_STORM: enum fcn_flood_kind */
	/** NOTICE, NOTICE_SENT, SENDER, SENDER_IGNORED, SENDER_FORGOTTEN: enum
	 * fcn_notice_kind_number; PROXY_LEARNED, PROXY_LOST, ENDCON_LEARNED, ENDCON_LOST: enum
	 * fcn_proxy_origin */
	uint8_t kind : 4;
	int8_t level;    /**< NOTICE, PROXY_NOTIFIED: congestion level */
	uint8_t verdict; /**< NOTICE: enum fcn_notify_verdict; BORDER: enum fcn_drop_reason;
			  * TUNNEL_ECN: enum fcn_tunnel_ecn_combination;
			  * ARN_RECEIVED, ARN_RESUMED: enum fcn_arn_mode;
			  * PROXY_NOTIFIED: enum fcn_proxy_translation;
			  * WARNING, WARNING_OVER: enum fcn_warning_kind */
	/** Congested port; NOTICE_SENT: egress port of the notice; PFC and loss: ingress port. */
	uint16_t port;
	/**
	 * NOTICE: ingress port of the data packet; MAC_FLAPPING, ERR_DISABLED: port that the
	 * address was known on before.
	 */
	uint16_t in_port;
	uint32_t occupancy; /**< bytes in the queue, the arriving packet included */
	uint32_t dest_qp;   /**< NOTICE */
	/** NOTICE_SENT: ns from queueing until the port accepted the notice, modulo 2^32. */
	uint32_t wait_ns;
	/** NOTICE_SENT: bytes; DROP_BURST, SUPPRESSED, BORDER: packets; PROXY_LEARNED, PROXY_LOST:
	 * length of the prefix; WORKER_STALLED, WORKER_RECOVERED: number of the worker;
	 * FCN_EVENTS_LINK: speed, Mb/s; FCN_EVENTS_WORDED: number of the words */
	uint32_t len;
	/** NOTICE, PROXY_NOTIFIED: source of the data packet, IPv6 or IPv4-mapped; NEIGHBOUR: its
	 * address; MAC_FLAPPING, ERR_DISABLED: MAC address that moved last; PROXY_LEARNED,
	 * PROXY_LOST: the prefix, IPv6 or IPv4-mapped; ENDCON_LEARNED, ENDCON_LOST: the SID */
	uint8_t sender[16];
	/** NOTICE, PROXY_NOTIFIED: destination of the data packet, likewise; PROXY_LEARNED,
	 * PROXY_LOST: the proxy
	 */
	uint8_t receiver[16];
};

_Static_assert(sizeof(struct fcn_event) == 64, "events are one cache line");

#endif /* FCN_EVENT_H */
