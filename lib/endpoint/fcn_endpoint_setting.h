/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Settings of an endpoint in words, as commands of lib/cli: `set payload 4096`, `reaction dcqcn`.
 * The lists here, and the tables of the reactions, are the one source of their syntax and help.
 * Whoever offers them declares a command from each row, with words of its own in front where it
 * needs some, gets those of the reactions made, and changes struct fcn_endpoint_conf by
 * fcn_endpoint_set() when such a command is run.
 *
 * Any thread may call these functions, each with a struct fcn_endpoint_conf of its own.
 */

#ifndef FCN_ENDPOINT_SETTING_H
#define FCN_ENDPOINT_SETTING_H

#include "fcn_command.h"
#include "fcn_endpoint.h"

#define FCN_ENDPOINT_MAX_NS UINT64_C(1000000000000)
#define FCN_ENDPOINT_MAX_BYTES UINT64_C(1000000000000)
#define FCN_ENDPOINT_MAX_BPS UINT64_C(10000000000000)

/* X(syntax, help): settings of a form of their own. */
#define FCN_ENDPOINT_FORMS(X)                                                                      \
	X("set payload <bytes:256|512|1024|2048|4096>",                                            \
			"Number of payload bytes in a packet: the path MTU of RoCE "               \
			"(default 1024)")                                                          \
	X("set operation <operation:send|write>",                                                  \
			"Operation that sends messages: SEND (default) or RDMA WRITE. "            \
			"A message of RDMA WRITE has at most 2 GiB, and its first "                \
			"packet is 16 bytes longer. Receivers accept both")                        \
	X("set window <bytes:size>", "Maximum number of payload bytes that are not acknowledged. " \
				     "The window of a reaction, which counts bytes on the wire, "  \
				     "applies in addition")                                        \
	X("set window none", "The number of bytes that are not acknowledged has no limit")         \
	X("set ack-dscp <dscp:number>", "DSCP of acknowledgements")                                \
	X("set ack-dscp same", "Acknowledgements have the DSCP of the data packets")               \
	X("set cnp-scope <scope:qp|pair|port>",                                                    \
			"Scope of the minimum time between CNPs: each queue pair (qp), "           \
			"each pair of addresses (pair), or the whole adapter (port)")              \
	X("set fast-cnp accept [from <from:prefix>]",                                              \
			"Accept Fast CNPs from all addresses, or only from this prefix")           \
	X("set fast-cnp <how:refuse|ignore>",                                                      \
			"Answer Fast CNPs with an ICMPv6 Parameter Problem, as a host "            \
			"does that does not know the option (refuse), or drop them "               \
			"silently (ignore)")                                                       \
	X("set detour after <after:count> [hold <hold:time>]",                                     \
			"After this number of Fast CNPs from one switch, a queue pair "            \
			"changes its path by changing its UDP source port, at most "               \
			"once in the hold time")                                                   \
	X("set detour off", "Queue pairs do not change their path")                                \
	X("set ioam on [hops <hops:number>] [namespace <namespace:number>] "                       \
	  "[type <type:number>]",                                                                  \
			"Data packets have an IOAM trace with room for this number of "            \
			"nodes, and acknowledgements return it to the sender. type is "            \
			"the IOAM Trace-Type (default 0xb62000, which has all the data "           \
			"that HPCC++ needs)")                                                      \
	X("set ioam off", "Data packets have no IOAM trace")                                       \
	X("set icrc <mode:skip|cover|norm>",                                                       \
			"How the ICRC covers IPv6 extension headers: they are left out "           \
			"(skip), covered (cover), or the ICRC is that of the packet "              \
			"without them (norm)")                                                     \
	X("set trim-reaction <how:none|cnp>",                                                      \
			"What a sender does when it learns that a packet was trimmed, "            \
			"beside sending it again: nothing (none), or what it does for a CNP")      \
	X("set base-rtt <time:time>",                                                              \
			"Round trip time without queueing, for all reactions that have "           \
			"base-rtt")

/* X(word, type of the console, field of struct fcn_endpoint_conf, unit of the field, least, most,
 *   help): a value as the console gives it is divided by the unit. */
#define FCN_ENDPOINT_VALUES(X)                                                                  \
	X("hop-limit", "number", hop_limit, 1, 1, 255,                                          \
			"Hop limit of the packets that the host sends")                         \
	X("timeout", "time", timeout_ns, 1, 0, FCN_ENDPOINT_MAX_NS,                             \
			"Time without acknowledgements after which a sender sends "             \
			"again from the first packet that is not acknowledged; 0: never")       \
	X("reaction-interval", "time", reaction_interval_ns, 1, 0, FCN_ENDPOINT_MAX_NS,         \
			"A queue pair reacts to at most one notice (CNP or Fast CNP) "          \
			"in this time; 0: to all")                                              \
	X("ack-every", "number", ack_every, 1, 0, 1000000,                                      \
			"Number of packets after which an acknowledgement is sent, in "         \
			"addition to that of the last packet of a message; 0: only "            \
			"that of the last packet")                                              \
	X("cnp-interval", "time", cnp_interval_ns, 1, 0, FCN_ENDPOINT_MAX_NS,                   \
			"Minimum time between two CNPs (MIN_TIME_BETWEEN_CNPS)")                \
	X("cnp-delay", "time", cnp_delay_ns, 1, 0, FCN_ENDPOINT_MAX_NS,                         \
			"Time from the reception of a packet with CE to the "                   \
			"transmission of its CNP")                                              \
	X("cnp-dscp", "number", cnp_dscp, 1, 0, 63, "DSCP of CNPs (CNP_DSCP)")                  \
	X("fast-cnp-opt1", "number", opt1_type, 1, 0, 255,                                      \
			"Option type of Fast CNP option 1, which must be that of the switches") \
	X("fast-cnp-opt2", "number", opt2_type, 1, 0, 255,                                      \
			"Option type of Fast CNP option 2, which must be that of the switches") \
	X("trimmed-opt", "number", trimmed_type, 1, 0, 255,                                     \
			"Option type of the option by which a Fast CNP returns the headers "    \
			"of a trimmed packet, which must be that of the switches")              \
	X("ioam-echo", "number", echo_type, 1, 0, 255,                                          \
			"Option type of the option in acknowledgements that returns an "        \
			"IOAM trace to the sender")

/* X(word, field, help): those that are on or off. */
#define FCN_ENDPOINT_STATES(X)                                                            \
	X("cnp", cnp, "Send CNPs for received packets that are marked with CE")           \
	X("window-by-rate", window_by_rate,                                               \
			"The window is in proportion to the rate: the share of it that "  \
			"the rate is of the line's, at least one packet (as in the "      \
			"simulator of the HPCC paper)")                                   \
	X("selective-repeat", selective_repeat,                                           \
			"Selective repeat: send again only the missing packets, and "     \
			"not all packets from the first missing one on. Both ends of a "  \
			"flow need it")                                                   \
	X("trim", trim,                                                                   \
			"Understand packets that a switch has trimmed to their headers. " \
			"A receiver asks at once for exactly this packet, with "          \
			"go-back-N for all packets from this one on when it is the "      \
			"expected one. A sender that accepts Fast CNPs repeats what a "   \
			"notice returns. Without it, such packets count as malformed, "   \
			"and such notices are refused")                                   \
	X("ecn-echo", ecn_echo,                                                           \
			"Acknowledgements report packets that are marked with CE, by "    \
			"the bit BECN of their BTH. The reactions that need it turn it "  \
			"on for their host, but it is the receiver that reports")

/**
 * Make the commands of all reactions, `reaction NAME ...` and those of their settings, from what
 * each of them declares.
 *
 * @param title  of the group
 * @param before words in front of each command, with a space behind them
 * @param run    runs each command; it calls fcn_endpoint_set()
 * @param into   the group, with memory that fcn_command_table_create() takes
 * @return 0; -ENOMEM; -E2BIG when a text has no room, which is a mistake of the program
 */
int fcn_endpoint_reaction_commands(const char *title, const char *before,
		int (*run)(struct fcn_session *session, const struct fcn_args *args),
		struct fcn_command_group *into);

/**
 * Change a configuration as a command says that one of the lists declares, or that was made from
 * the table of a reaction.
 *
 * @param args the command's arguments, of which words in front of the declared syntax do not matter
 * @param conf with the defaults of its line's rate, see fcn_endpoint_defaults()
 * @return 0, or a negative errno after fcn_command_error(): -ERANGE for a value out of its range,
 *         -EINVAL for one of another kind, -ENOSPC when there are too many prefixes
 */
int fcn_endpoint_set(const struct fcn_args *args, struct fcn_endpoint_conf *conf);

/** The operation of this name, "send" or "write". */
enum fcn_operation fcn_endpoint_operation(const char *name);

#endif /* FCN_ENDPOINT_SETTING_H */
