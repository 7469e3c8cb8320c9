/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Settings of an endpoint in words, as commands of lib/cli: `set payload 4096`, `reaction dcqcn`.
 * The lists here are the one source of their syntax and help. Whoever offers them declares a
 * command from each row, with words of its own in front where it needs some, and changes struct
 * fcn_endpoint_conf by fcn_endpoint_set() when such a command is run.
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
				     "HPCC's window, which counts bytes on the wire, applies in "  \
				     "addition")                                                   \
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
	X("set base-rtt <time:time>",                                                              \
			"Round trip time without queueing, for the reactions hpcc and "            \
			"beta")

/* X(syntax, help): what a sender does about congestion. */
#define FCN_ENDPOINT_REACTIONS(X)                                                                \
	X("reaction none", "Do not react to congestion, and always send at line rate (default)") \
	X("reaction dcqcn [<profile:" FCN_DCQCN_PROFILE_NAMES ">]",                              \
			"React to CNPs and Fast CNPs as DCQCN does, with the default "           \
			"parameters of ConnectX adapters (default), with the algorithm "         \
			"and parameters of the DCQCN paper, or as ConnectX adapters but "        \
			"with a recovery as fast as in the paper")                               \
	X("reaction hpcc [base-rtt <base-rtt:time>] [eta <eta:ratio>] "                          \
	  "[max-stage <max-stage:number>] [wai <wai:size>] [flows "                              \
	  "<flows:number>] [min-rate <min-rate:rate>] [fallback "                                \
	  "<fallback:rate>]",                                                                    \
			"React to the IOAM traces in acknowledgements and Fast CNPs as "         \
			"HPCC++ does. This also turns ioam on. base-rtt is the round "           \
			"trip time without queueing, eta the target utilisation, "               \
			"max-stage the maximum number of consecutive additive "                  \
			"increases, wai the additive increase of the window (default: "          \
			"computed from eta and the expected number of flows), and "              \
			"fallback the link rate of hops whose trace does not contain it")        \
	X("reaction beta [factor <factor:ratio>] [increase <increase:rate>] "                    \
	  "[base-rtt <base-rtt:time>] [quiet-rounds <quiet-rounds:number>] "                     \
	  "[bytes <bytes:size>] [min-rate <min-rate:rate>]",                                     \
			"Each notice multiplies the rate by factor. Each round trip "            \
			"without a notice adds increase to the rate, or 1/1000 of the "          \
			"line rate after quiet-rounds such round trips, and only if at "         \
			"least this number of bytes was sent")                                   \
	X("reaction level [<profile:" FCN_DCQCN_PROFILE_NAMES ">] [default-level "               \
	  "<default-level:number>] [threshold <threshold:size>] [limit "                         \
	  "<limit:size>]",                                                                       \
			"Each notice reduces the rate by 3% to 47%, depending on its "           \
			"congestion level; the rate recovers as in DCQCN. The level is "         \
			"the position of the queue length in the notice's trace "                \
			"between threshold (default: 32 us at the speed of its link) "           \
			"and limit (default: 320 us at the speed of its link, at least "         \
			"1 MB). A notice without a trace has the level default-level "           \
			"(default 7)")

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
	X("ioam-echo", "number", echo_type, 1, 0, 255,                                          \
			"Option type of the option in acknowledgements that returns an "        \
			"IOAM trace to the sender")                                             \
	X("initial-alpha", "number", reaction.dcqcn.initial_alpha, 1, 0, 1023,                  \
			"DCQCN: alpha at the first CNP, in units of 1/1024 (INITIAL_ALPHA)")    \
	X("dce-tcp-g", "number", reaction.dcqcn.tcp_g, 1, 0, 1023,                              \
			"DCQCN: weight of the old value when alpha is updated, in "             \
			"units of 1/1024 (DCE_TCP_G)")                                          \
	X("dce-tcp-rtt", "time", reaction.dcqcn.tcp_rtt_ns, 1, 1, FCN_ENDPOINT_MAX_NS,          \
			"DCQCN: period of the timer that updates alpha (DCE_TCP_RTT)")          \
	X("rpg-gd", "number", reaction.dcqcn.gd, 1, 0, 31,                                      \
			"DCQCN: a rate decrease is rate * alpha >> gd (RPG_GD)")                \
	X("rate-reduce-monitor-period", "time", reaction.dcqcn.monitor_ns, 1, 0,                \
			FCN_ENDPOINT_MAX_NS,                                                    \
			"DCQCN: minimum time between two rate decreases; 0: each CNP "          \
			"decreases the rate when it arrives "                                   \
			"(RATE_REDUCE_MONITOR_PERIOD)")                                         \
	X("rpg-min-dec-fac", "number", reaction.dcqcn.min_dec_fac, 1, 0, 100,                   \
			"DCQCN: minimum rate after a decrease, in percent of the rate "         \
			"before it (RPG_MIN_DEC_FAC)")                                          \
	X("rpg-time-reset", "time", reaction.dcqcn.time_reset_ns, 1, 0, FCN_ENDPOINT_MAX_NS,    \
			"DCQCN: period of the timer for rate increases; 0: none "               \
			"(RPG_TIME_RESET)")                                                     \
	X("rpg-byte-reset", "size", reaction.dcqcn.byte_reset, 1, 0, FCN_ENDPOINT_MAX_BYTES,    \
			"DCQCN: number of bytes sent after which the rate is increased; "       \
			"0: none (RPG_BYTE_RESET, but in bytes)")                               \
	X("rpg-threshold", "number", reaction.dcqcn.threshold, 1, 0, 1000,                      \
			"DCQCN: number of fast recovery steps (RPG_THRESHOLD)")                 \
	X("rpg-ai-rate", "rate", reaction.dcqcn.ai_bps, 1, 0, FCN_ENDPOINT_MAX_BPS,             \
			"DCQCN: rate of an additive increase (RPG_AI_RATE)")                    \
	X("rpg-hai-rate", "rate", reaction.dcqcn.hai_bps, 1, 0, FCN_ENDPOINT_MAX_BPS,           \
			"DCQCN: rate of a hyper increase (RPG_HAI_RATE)")                       \
	X("rpg-min-rate", "rate", reaction.dcqcn.min_rate_bps, 1, 1, FCN_ENDPOINT_MAX_BPS,      \
			"DCQCN: minimum rate (RPG_MIN_RATE)")                                   \
	X("rate-to-set-on-first-cnp", "rate", reaction.dcqcn.first_rate_bps, 1, 0,              \
			FCN_ENDPOINT_MAX_BPS,                                                   \
			"DCQCN: rate after the first CNP; 0: the same decrease as "             \
			"after any other CNP (RATE_TO_SET_ON_FIRST_CNP)")

/* X(word, field, help): those that are on or off. */
#define FCN_ENDPOINT_STATES(X)                                                           \
	X("cnp", cnp, "Send CNPs for received packets that are marked with CE")          \
	X("selective-repeat", selective_repeat,                                          \
			"Selective repeat: send again only the missing packets, and "    \
			"not all packets from the first missing one on. Both ends of a " \
			"flow need it")                                                  \
	X("clamp-tgt-rate", reaction.dcqcn.clamp,                                        \
			"DCQCN: every rate decrease sets the target rate to the "        \
			"current rate (CLAMP_TGT_RATE)")                                 \
	X("clamp-tgt-rate-after-time-inc", reaction.dcqcn.clamp_after_time,              \
			"DCQCN: a rate decrease sets the target rate to the current "    \
			"rate if the timer has increased the rate since the last "       \
			"decrease (CLAMP_TGT_RATE_AFTER_TIME_INC)")                      \
	X("cut-on-arrival", reaction.dcqcn.cut_on_arrival,                               \
			"DCQCN: a CNP decreases the rate when it arrives, unless the "   \
			"minimum time since the last decrease has not passed (as in "    \
			"the paper); if off, at the end of the current period of that "  \
			"time, which begins with the first CNP (as in adapters)")        \
	X("alpha-on-arrival", reaction.dcqcn.alpha_on_arrival,                           \
			"DCQCN: a CNP raises alpha when it arrives, and restarts the "   \
			"timer that lowers it (as in the paper); if off, the timer "     \
			"does both (as in adapters)")

/**
 * Change a configuration as a command says that one of the lists declares.
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
