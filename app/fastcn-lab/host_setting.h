/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Parameters of hosts that are a single value: one list, from which come the commands
 * `host NAMES set WORD VALUE`, their help, and what they do.
 */

#ifndef LAB_HOST_SETTING_H
#define LAB_HOST_SETTING_H

#include "fcn_endpoint.h"

/* X(word, type of the console, field of struct fcn_endpoint_conf, unit of the field, least, most,
 *   help): a value as the console gives it is divided by the unit. */
#define LAB_HOST_SETTINGS(X)                                                                       \
	X("hop-limit", "number", hop_limit, 1, 1, 255, "Hop limit of its packets")                 \
	X("timeout", "time", timeout_ns, 1, 0, MAX_NS,                                             \
			"Time without progress after which a sender goes back and sends again; "   \
			"0: "                                                                      \
			"never")                                                                   \
	X("reaction-interval", "time", reaction_interval_ns, 1, 0, MAX_NS,                         \
			"A queue pair acts on at most one notice (CNP or Fast CNP) in this time; " \
			"0: on all")                                                               \
	X("ack-every", "number", ack_every, 1, 0, 1000000,                                         \
			"Acknowledge every so many packets, and the last one of a message; 0: "    \
			"only that")                                                               \
	X("cnp-interval", "time", cnp_interval_ns, 1, 0, MAX_NS,                                   \
			"Least time between two CNPs (MIN_TIME_BETWEEN_CNPS)")                     \
	X("cnp-delay", "time", cnp_delay_ns, 1, 0, MAX_NS,                                         \
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
	X("dce-tcp-rtt", "time", reaction.dcqcn.tcp_rtt_ns, 1, 1, MAX_NS,                          \
			"DCQCN: timer of alpha (DCE_TCP_RTT)")                                     \
	X("rpg-gd", "number", reaction.dcqcn.gd, 1, 0, 31,                                         \
			"DCQCN: a cut is rate * alpha >> gd (RPG_GD)")                             \
	X("rate-reduce-monitor-period", "time", reaction.dcqcn.monitor_ns, 1, 1, MAX_NS,           \
			"DCQCN: at most one cut in this time (RATE_REDUCE_MONITOR_PERIOD)")        \
	X("rpg-min-dec-fac", "number", reaction.dcqcn.min_dec_fac, 1, 0, 100,                      \
			"DCQCN: percent of the rate that a cut leaves at least (RPG_MIN_DEC_FAC)") \
	X("rpg-time-reset", "time", reaction.dcqcn.time_reset_ns, 1, 1, MAX_NS,                    \
			"DCQCN: timer of increases (RPG_TIME_RESET)")                              \
	X("rpg-byte-reset", "size", reaction.dcqcn.byte_reset, 1, 1, MAX_BYTES,                    \
			"DCQCN: bytes sent for an increase (RPG_BYTE_RESET, but in bytes)")        \
	X("rpg-threshold", "number", reaction.dcqcn.threshold, 1, 0, 1000,                         \
			"DCQCN: steps of fast recovery (RPG_THRESHOLD)")                           \
	X("rpg-ai-rate", "rate", reaction.dcqcn.ai_bps, 1, 0, MAX_BPS,                             \
			"DCQCN: additive increase (RPG_AI_RATE)")                                  \
	X("rpg-hai-rate", "rate", reaction.dcqcn.hai_bps, 1, 0, MAX_BPS,                           \
			"DCQCN: hyper increase (RPG_HAI_RATE)")                                    \
	X("rpg-min-rate", "rate", reaction.dcqcn.min_rate_bps, 1, 1, MAX_BPS,                      \
			"DCQCN: never slower (RPG_MIN_RATE)")                                      \
	X("rate-to-set-on-first-cnp", "rate", reaction.dcqcn.first_rate_bps, 1, 0, MAX_BPS,        \
			"DCQCN: rate at the first CNP; 0: cut as at any other "                    \
			"(RATE_TO_SET_ON_FIRST_CNP)")

/* X(word, field, help): those that are on or off. */
#define LAB_HOST_SWITCHES(X)                                                                      \
	X("cnp", cnp, "Send CNPs for packets with CE")                                            \
	X("selective-repeat", selective_repeat,                                                   \
			"Send again only what is missing, instead of all from there on; hosts "   \
			"at both ends of a flow need it")                                         \
	X("clamp-tgt-rate", reaction.dcqcn.clamp,                                                 \
			"DCQCN: every cut pulls the target to the current rate (CLAMP_TGT_RATE)") \
	X("clamp-tgt-rate-after-time-inc", reaction.dcqcn.clamp_after_time,                       \
			"DCQCN: a cut does so when the timer has increased the rate since the "   \
			"last (CLAMP_TGT_RATE_AFTER_TIME_INC)")

#endif /* LAB_HOST_SETTING_H */
