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
#define FCN_ENDPOINT_FORMS(X)                                                                \
	X("set payload <bytes:256|512|1024|2048|4096>",                                      \
			"Bytes of payload in a packet, the path MTU of RoCE (default 1024)") \
	X("set operation <operation:send|write>",                                            \
			"What messages are sent by: SEND (default) or RDMA WRITE, of at "    \
			"most 2 GiB, whose first packet has 16 bytes more; receivers take "  \
			"both")                                                              \
	X("set window <bytes:size>",                                                         \
			"Bytes of payload not acknowledged, at most; HPCC's window, of "     \
			"bytes on the wire, counts beside it")                               \
	X("set window none", "No limit to bytes not acknowledged")                           \
	X("set ack-dscp <dscp:number>", "DSCP of acknowledgements")                          \
	X("set ack-dscp same", "Acknowledgements have the data's DSCP")                      \
	X("set cnp-scope <scope:qp|pair|port>",                                              \
			"What the least time between CNPs is counted by: each queue pair, "  \
			"each pair of addresses, the whole adapter")                         \
	X("set fast-cnp accept [from <from:prefix>]",                                        \
			"Take Fast CNPs: from anybody, or from the prefixes given")          \
	X("set fast-cnp <how:refuse|ignore>",                                                \
			"Answer Fast CNPs by a Parameter Problem, as a host that does not "  \
			"know the option; or drop them without a word")                      \
	X("set detour after <after:count> [hold <hold:time>]",                               \
			"After so many Fast CNPs from one switch, a queue pair takes "       \
			"another path (UDP source port), at most once in the hold time")     \
	X("set detour off", "Queue pairs stay on their path")                                \
	X("set ioam on [hops <hops:number>] [namespace <namespace:number>] "                 \
	  "[type <type:number>]",                                                            \
			"Data packets carry an IOAM trace with room for so many nodes, "     \
			"which acknowledgements echo; type is the Trace-Type (default "      \
			"0xb62000: all that HPCC++ wants)")                                  \
	X("set ioam off", "Data packets carry no trace")                                     \
	X("set icrc <mode:skip|cover|norm>",                                                 \
			"How extension headers enter the ICRC: left out, covered, or as if " \
			"there were none")                                                   \
	X("set base-rtt <time:time>", "Round trip without queues, for HPCC++ and beta")

/* X(syntax, help): what a sender does about congestion. */
#define FCN_ENDPOINT_REACTIONS(X)                                                               \
	X("reaction none", "Do not react to congestion: line rate, whatever is said (default)") \
	X("reaction dcqcn [<profile:connectx|paper>]",                                          \
			"React as DCQCN does to CNPs and Fast CNPs; with the defaults of "      \
			"ConnectX adapters (default) or those of the paper")                    \
	X("reaction hpcc [base-rtt <base-rtt:time>] [eta <eta:ratio>] "                         \
	  "[max-stage <max-stage:number>] [wai <wai:size>] [flows "                             \
	  "<flows:number>] [min-rate <min-rate:rate>] [fallback "                               \
	  "<fallback:rate>]",                                                                   \
			"React as HPCC++ does to IOAM traces, in acknowledgements and in "      \
			"Fast CNPs; turns ioam on. base-rtt: round trip without queues; "       \
			"eta: target utilisation; max-stage: additive increases in a row; "     \
			"wai: additive increase of the window (default: by eta and the "        \
			"expected flows); fallback: rate of hops whose trace does not tell")    \
	X("reaction beta [factor <factor:ratio>] [increase <increase:rate>] "                   \
	  "[base-rtt <base-rtt:time>] [quiet-rounds <quiet-rounds:number>] "                    \
	  "[bytes <bytes:size>] [min-rate <min-rate:rate>]",                                    \
			"Each notice leaves the factor of the rate; each quiet round trip "     \
			"adds the increase, after so many quiet rounds a thousandth of the "    \
			"line's rate; and only if so many bytes were sent")                     \
	X("reaction level [<profile:connectx|paper>] [default-level "                           \
	  "<default-level:number>] [threshold <threshold:size>] [limit "                        \
	  "<limit:size>]",                                                                      \
			"Each notice cuts the rate by its congestion level, 3% to 47%; "        \
			"recover as DCQCN does. The level is where the queue in the "           \
			"notice's trace stands between threshold (default: 32 us of its "       \
			"link) and limit (default 1M); that of a notice without one is the "    \
			"default-level (default 7)")

/* X(word, type of the console, field of struct fcn_endpoint_conf, unit of the field, least, most,
 *   help): a value as the console gives it is divided by the unit. */
#define FCN_ENDPOINT_VALUES(X)                                                                     \
	X("hop-limit", "number", hop_limit, 1, 1, 255, "Hop limit of its packets")                 \
	X("timeout", "time", timeout_ns, 1, 0, FCN_ENDPOINT_MAX_NS,                                \
			"Time without progress after which a sender goes back and sends again; "   \
			"0: "                                                                      \
			"never")                                                                   \
	X("reaction-interval", "time", reaction_interval_ns, 1, 0, FCN_ENDPOINT_MAX_NS,            \
			"A queue pair acts on at most one notice (CNP or Fast CNP) in this time; " \
			"0: on all")                                                               \
	X("ack-every", "number", ack_every, 1, 0, 1000000,                                         \
			"Acknowledge every so many packets, and the last one of a message; 0: "    \
			"only that")                                                               \
	X("cnp-interval", "time", cnp_interval_ns, 1, 0, FCN_ENDPOINT_MAX_NS,                      \
			"Least time between two CNPs (MIN_TIME_BETWEEN_CNPS)")                     \
	X("cnp-delay", "time", cnp_delay_ns, 1, 0, FCN_ENDPOINT_MAX_NS,                            \
			"Time from a packet with CE to its CNP")                                   \
	X("cnp-dscp", "number", cnp_dscp, 1, 0, 63, "DSCP of CNPs (CNP_DSCP)")                     \
	X("fast-cnp-opt1", "number", opt1_type, 1, 0, 255,                                         \
			"Code point of Fast CNP option 1, as the switches'")                       \
	X("fast-cnp-opt2", "number", opt2_type, 1, 0, 255,                                         \
			"Code point of Fast CNP option 2, as the switches'")                       \
	X("ioam-echo", "number", echo_type, 1, 0, 255,                                             \
			"Code point of the option that echoes a trace in acknowledgements")        \
	X("initial-alpha", "number", reaction.dcqcn.initial_alpha, 1, 0, 1023,                     \
			"DCQCN: alpha at the first CNP, of 1024 (INITIAL_ALPHA)")                  \
	X("dce-tcp-g", "number", reaction.dcqcn.tcp_g, 1, 0, 1023,                                 \
			"DCQCN: weight that alpha keeps, of 1024 (DCE_TCP_G)")                     \
	X("dce-tcp-rtt", "time", reaction.dcqcn.tcp_rtt_ns, 1, 1, FCN_ENDPOINT_MAX_NS,             \
			"DCQCN: timer of alpha (DCE_TCP_RTT)")                                     \
	X("rpg-gd", "number", reaction.dcqcn.gd, 1, 0, 31,                                         \
			"DCQCN: a cut is rate * alpha >> gd (RPG_GD)")                             \
	X("rate-reduce-monitor-period", "time", reaction.dcqcn.monitor_ns, 1, 1,                   \
			FCN_ENDPOINT_MAX_NS,                                                       \
			"DCQCN: at most one cut in this time (RATE_REDUCE_MONITOR_PERIOD)")        \
	X("rpg-min-dec-fac", "number", reaction.dcqcn.min_dec_fac, 1, 0, 100,                      \
			"DCQCN: percent of the rate that a cut leaves at least (RPG_MIN_DEC_FAC)") \
	X("rpg-time-reset", "time", reaction.dcqcn.time_reset_ns, 1, 1, FCN_ENDPOINT_MAX_NS,       \
			"DCQCN: timer of increases (RPG_TIME_RESET)")                              \
	X("rpg-byte-reset", "size", reaction.dcqcn.byte_reset, 1, 1, FCN_ENDPOINT_MAX_BYTES,       \
			"DCQCN: bytes sent for an increase (RPG_BYTE_RESET, but in bytes)")        \
	X("rpg-threshold", "number", reaction.dcqcn.threshold, 1, 0, 1000,                         \
			"DCQCN: steps of fast recovery (RPG_THRESHOLD)")                           \
	X("rpg-ai-rate", "rate", reaction.dcqcn.ai_bps, 1, 0, FCN_ENDPOINT_MAX_BPS,                \
			"DCQCN: additive increase (RPG_AI_RATE)")                                  \
	X("rpg-hai-rate", "rate", reaction.dcqcn.hai_bps, 1, 0, FCN_ENDPOINT_MAX_BPS,              \
			"DCQCN: hyper increase (RPG_HAI_RATE)")                                    \
	X("rpg-min-rate", "rate", reaction.dcqcn.min_rate_bps, 1, 1, FCN_ENDPOINT_MAX_BPS,         \
			"DCQCN: never slower (RPG_MIN_RATE)")                                      \
	X("rate-to-set-on-first-cnp", "rate", reaction.dcqcn.first_rate_bps, 1, 0,                 \
			FCN_ENDPOINT_MAX_BPS,                                                      \
			"DCQCN: rate at the first CNP; 0: cut as at any other "                    \
			"(RATE_TO_SET_ON_FIRST_CNP)")

/* X(word, field, help): those that are on or off. */
#define FCN_ENDPOINT_STATES(X)                                                                    \
	X("cnp", cnp, "Send CNPs for packets with CE")                                            \
	X("selective-repeat", selective_repeat,                                                   \
			"Send again only what is missing, instead of all from there on; hosts "   \
			"at both ends of a flow need it")                                         \
	X("clamp-tgt-rate", reaction.dcqcn.clamp,                                                 \
			"DCQCN: every cut pulls the target to the current rate (CLAMP_TGT_RATE)") \
	X("clamp-tgt-rate-after-time-inc", reaction.dcqcn.clamp_after_time,                       \
			"DCQCN: a cut does so when the timer has increased the rate since the "   \
			"last (CLAMP_TGT_RATE_AFTER_TIME_INC)")

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
