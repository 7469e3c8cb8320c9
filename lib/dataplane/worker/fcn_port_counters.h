/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Counters of a port. Each worker has counters of its own for each port, and only it writes them;
 * what a port received or sent is the sum over all workers. Bytes are those of frames without FCS.
 */

#ifndef FCN_PORT_COUNTERS_H
#define FCN_PORT_COUNTERS_H

#include "fcn_border_view.h"
#include "fcn_counter.h"
#include "fcn_drop.h"
#include "fcn_notice_kind.h"
#include "fcn_punt.h"
#include "fcn_wire_error.h"

/* The form of these lists is described in fcn_counter.h. */

/* In `show port`. A sub-interface has a list of its own for its traffic. */
#define FCN_PORT_TRAFFIC_COUNTERS(X)                                                     \
	X(rx_packets, "rx_packets", COUNTER, "port_received_packets", "Frames received") \
	X(rx_bytes, "rx_bytes", BYTES, "port_received", "Bytes received, without FCS")   \
	X(tx_packets, "tx_packets", COUNTER, "port_transmitted_packets",                 \
			"Frames passed to the port's device for transmission")           \
	X(tx_bytes, "tx_bytes", BYTES, "port_transmitted",                               \
			"Bytes passed to the port's device for transmission, without "   \
			"FCS")

/* In `show port`: the port's share in the cycles of workers, see fcn_rx_share.h. */
#define FCN_PORT_SHARE_COUNTERS(X)                                                            \
	X(rx_cycles, "rx_cycles", COUNTER, "port_receive_cycles",                             \
			"Cycles of workers that packets received by the port took while it "  \
			"and other ports wanted more of them than there were; an estimate")   \
	X(rx_waited, "rx_waited", COUNTER, "port_receive_waited_turns",                       \
			"Turns in which a worker received nothing from the port, or little, " \
			"because its packets had taken more cycles than those of other ports")

/* In `show port`: properties of the packets that the port received. */
#define FCN_PORT_ROCE_COUNTERS(X)                                                              \
	X(roce_packets, "roce", COUNTER, "port_roce_packets", "Valid RoCEv2 packets received") \
	X(roce_malformed, "roce_malformed", COUNTER, "port_roce_malformed_packets",            \
			"Packets received for the RoCEv2 UDP port that are not valid RoCEv2")  \
	X(roce_trimmed, "roce_trimmed", COUNTER, "port_roce_trimmed_packets",                  \
			"Headers received of RoCEv2 packets that another switch has trimmed")  \
	X(ioam_malformed, "ioam_malformed", COUNTER, "port_ioam_malformed_packets",            \
			"Packets received with a malformed IOAM trace")

/*
 * In `show port`: packets that the switch itself sends or takes. Those injected, and what is sent
 * to upstream neighbours and to senders as their proxy, are also part of `generated`. Those
 * returned were counted as consumed before, by the port they came in by.
 */
#define FCN_PORT_LOCAL_COUNTERS(X)                                                     \
	X(injected, "injected", COUNTER, "port_injected_packets",                      \
			"Frames from the host functions or the kernel interface that " \
			"were sent by this port")                                      \
	X(arn_sent, "arn_sent", COUNTER, "port_arn_sent_messages",                     \
			"Adaptive Routing Notifications sent because of the port")     \
	X(proxy_sent, "proxy_sent", COUNTER, "port_proxy_sent_packets",                \
			"CNPs and Fast CNPs sent to senders as their proxy, by the "   \
			"port that received the message about the congestion")         \
	X(consumed, "consumed", COUNTER, "port_consumed_packets",                      \
			"Frames consumed by the switch itself, such as host function " \
			"packets and flow control frames")                             \
	X(returned, "returned", COUNTER, "port_returned_packets",                      \
			"Frames counted as consumed that were later forwarded or "     \
			"dropped, because they had waited for address resolution or "  \
			"could not be forwarded")

/*
 * In `show pfc`, with "frames_" in front of the name, and in `show port`, with "pause_" in front
 * of it. Those sent are also part of `generated`.
 */
#define FCN_PORT_PFC_COUNTERS(X)                                                                \
	X(pause_received, "received", COUNTER, "pfc_received_frames",                           \
			"MAC Control frames received")                                          \
	X(pause_sent, "sent", COUNTER, "pfc_sent_frames", "PFC frames sent")                    \
	X(pause_no_mbuf, "no_mbuf", COUNTER, "pfc_no_buffer_frames",                            \
			"PFC frames that could not be sent because there was no packet buffer") \
	X(pause_unknown, "unknown", COUNTER, "pfc_unknown_frames",                              \
			"MAC Control frames received that are neither PFC nor PAUSE, "          \
			"or are malformed")

/*
 * In `show port`, of a sub-interface of a port and of the interface of a bridge. The port counts
 * these packets as well, and the packet accounting uses the counters of the port. Bytes are without
 * the VLAN tag. Packets count as sent when a route or the host functions pass them to the queues of
 * the port; packets that those queues lose are counted by the port.
 *
 * Two metrics come from each line: "sub_interface_", with the first text, and "bridge_interface_",
 * with the second, in front of the metric's name.
 */
#define FCN_SUB_INTERFACE_COUNTERS(X)                                                         \
	X(sub_rx_packets, "rx_packets", COUNTER, "received_packets",                          \
			"Packets received by the sub-interface; its port counts them, too",   \
			"Frames that the bridge delivered to the bridge interface, "          \
			"including copies of frames to groups; the ports of the bridge "      \
			"count them, too")                                                    \
	X(sub_rx_bytes, "rx_bytes", BYTES, "received",                                        \
			"Bytes received by the sub-interface, without VLAN tag and FCS",      \
			"Bytes of frames that the bridge delivered to the bridge interface, " \
			"without VLAN tag and FCS")                                           \
	X(sub_tx_packets, "tx_packets", COUNTER, "transmitted_packets",                       \
			"Packets that the sub-interface passed to the queues of its port",    \
			"Frames from the host functions that the bridge interface "           \
			"passed to the bridge")                                               \
	X(sub_tx_bytes, "tx_bytes", BYTES, "transmitted",                                     \
			"Bytes that the sub-interface passed to the queues of its "           \
			"port, without VLAN tag and FCS",                                     \
			"Bytes of frames that the bridge interface passed to the bridge, "    \
			"without VLAN tag and FCS")

/* In `show bridge`, by the port of the bridge that a frame came in by. */
#define FCN_BRIDGE_PORT_COUNTERS(X)                                                         \
	X(mac_limit, "mac_limited", COUNTER, "bridge_port_mac_limited_packets",             \
			"Frames whose source MAC address was not learned because the "      \
			"port had reached its mac-limit")                                   \
	X(mac_full, "mac_full", COUNTER, "bridge_port_mac_full_packets",                    \
			"Frames whose source MAC address was not learned because the "      \
			"part of the MAC address table that all ports share was full")      \
	X(mac_moves, "mac_moves", COUNTER, "bridge_port_mac_moves",                         \
			"MAC addresses that moved to the port from another port")           \
	X(replicated, "replicated", COUNTER, "bridge_port_replicated_packets",              \
			"Copies made to flood frames that the port received")               \
	X(copied, "copied", COUNTER, "bridge_port_copied_packets",                          \
			"Copies made for flooding that have all bytes of the frame copied") \
	X(cloned, "cloned", COUNTER, "bridge_port_cloned_packets",                          \
			"Copies made for flooding that share bytes with the frame")

/* In `show ioam`, by the port that a packet came in by. */
#define FCN_IOAM_PORT_COUNTERS(X)                                                              \
	X(ioam_written, "written", COUNTER, "ioam_written_packets",                            \
			"Packets received by the port to whose IOAM trace this node "          \
			"added its data")                                                      \
	X(ioam_overflow, "overflow", COUNTER, "ioam_overflow_packets",                         \
			"Packets in whose IOAM trace this node set the Overflow flag, "        \
			"because there was no room for its data")                              \
	X(ioam_full, "full", COUNTER, "ioam_full_packets",                                     \
			"Packets that arrived with the Overflow flag of their IOAM trace set") \
	X(ioam_foreign, "foreign", COUNTER, "ioam_foreign_packets",                            \
			"Packets with an IOAM trace of a namespace that is not configured")    \
	X(ioam_stripped, "stripped", COUNTER, "ioam_stripped_packets",                         \
			"Packets whose IOAM options were removed at the edge of the "          \
			"IOAM domain")

/* In `show proxy option`, by the port that a packet came in by. */
#define FCN_PROXY_OPTION_COUNTERS(X)                                                             \
	X(proxy_inserted, "inserted", COUNTER, "proxy_option_inserted_packets",                  \
			"Packets received by the port into which the option with the address "   \
			"of a proxy was inserted")                                               \
	X(proxy_present, "present", COUNTER, "proxy_option_present_packets",                     \
			"Packets that had an option with the address of a proxy already, and "   \
			"kept it")                                                               \
	X(proxy_unfit, "unfit", COUNTER, "proxy_option_unfit_packets",                           \
			"Packets into which the option with the address of a proxy could not "   \
			"be inserted, such as fragments and tunnels")                            \
	X(proxy_omitted, "omitted", COUNTER, "proxy_option_omitted_packets",                     \
			"Packets that left without the inserted option with the address of a "   \
			"proxy, because with it they were longer than the MTU of the egress "    \
			"port")                                                                  \
	X(proxy_removed, "removed", COUNTER, "proxy_option_removed_packets",                     \
			"Packets from which the option with the address of a proxy was removed " \
			"at their egress port")                                                  \
	X(proxy_stuck, "stuck", COUNTER, "proxy_option_stuck_packets",                           \
			"Packets from which the option with the address of a proxy could not "   \
			"be removed at their egress port")

/* In `show border`, by the untrusted port that a packet came in by. */
#define FCN_UNTRUSTED_PORT_COUNTERS(X)                                                 \
	X(moved, "moved", COUNTER, "untrusted_moved_packets",                          \
			"Packets of an untrusted port moved out of a protected class") \
	X(remarked, "remarked", COUNTER, "untrusted_remarked_packets",                 \
			"Packets of an untrusted port whose DSCP or PCP was rewritten")

/*
 * In `show host police`, of each kind of packets for the host functions (enum fcn_punt_kind), by
 * the port they came in by: each member is an array. Those passed are also part of `consumed`.
 */
#define FCN_POLICE_COUNTERS(X)                                                         \
	X(punted, "passed", COUNTER, "police_passed_packets",                          \
			"Packets passed to the host functions")                        \
	X(punt_limited, "limited", COUNTER, "police_limited_packets",                  \
			"Packets dropped because they exceeded the rate at which the " \
			"port may pass packets of their kind to the host functions")   \
	X(punt_backlog, "backlog", COUNTER, "police_backlog_packets",                  \
			"Packets dropped because too many packets of their port and "  \
			"kind were waiting for the host functions")

/** Counters of a port, kept by one worker. Every member is a uint64_t or an array of them. */
struct fcn_port_counters {
	FCN_PORT_TRAFFIC_COUNTERS(FCN_COUNTER_MEMBER)
	FCN_PORT_SHARE_COUNTERS(FCN_COUNTER_MEMBER)
	/** Packets that the switch made: notices about this port, PFC frames, and those injected,
	 * in arn_sent and in proxy_sent. */
	uint64_t generated;
	/** Notices about congestion of the port, by enum fcn_notice_kind_number: those that `show
	 * notify` counts as sent. */
	uint64_t notices[FCN_NOTICE_KIND_MAX];
	FCN_PORT_ROCE_COUNTERS(FCN_COUNTER_MEMBER)
	FCN_PORT_LOCAL_COUNTERS(FCN_COUNTER_MEMBER)
	FCN_PORT_PFC_COUNTERS(FCN_COUNTER_MEMBER)
#define FCN_POLICE_MEMBER(member, ...) uint64_t member[FCN_PUNT_KIND_COUNT];
	FCN_POLICE_COUNTERS(FCN_POLICE_MEMBER)
#undef FCN_POLICE_MEMBER
	FCN_SUB_INTERFACE_COUNTERS(FCN_COUNTER_MEMBER)
	FCN_BRIDGE_PORT_COUNTERS(FCN_COUNTER_MEMBER)
	FCN_IOAM_PORT_COUNTERS(FCN_COUNTER_MEMBER)
	FCN_PROXY_OPTION_COUNTERS(FCN_COUNTER_MEMBER)
	FCN_UNTRUSTED_PORT_COUNTERS(FCN_COUNTER_MEMBER)
	/** Packets refused at the border of the domain: [0] on the way in, [1] on the way out. */
	uint64_t border[2][FCN_BORDER_KIND_COUNT];
	/** Dropped packets: counted at the ingress port, or, once queued, at the egress port. */
	uint64_t drop[FCN_DROP_REASON_COUNT];
	uint64_t wire_error[FCN_WIRE_ERROR_COUNT]; /**< packets with a defect, forwarded or not */
};

/** Get the number of notices of all kinds that were made because of congestion of the port. */
static inline uint64_t
fcn_port_notices(const struct fcn_port_counters *c)
{
	uint64_t notices = 0;

	for (unsigned int k = 0; k < FCN_NOTICE_KIND_MAX; k++)
		notices += c->notices[k];
	return notices;
}

/** Get the number of dropped packets that the port counts, for all reasons. */
static inline uint64_t
fcn_port_drops(const struct fcn_port_counters *c)
{
	uint64_t drops = 0;

	for (unsigned int r = 0; r < FCN_DROP_REASON_COUNT; r++)
		drops += c->drop[r];
	return drops;
}

#endif /* FCN_PORT_COUNTERS_H */
