/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Configuration of the switch as a proxy network node, which receives Congestion Notification
 * Messages and translates them into what the traffic sender understands
 * (draft-xiao-rtgwg-proxy-congestion-notification section 3). It is part of the snapshot: workers
 * only read it. Addresses are in network byte order, numbers in host byte order.
 */

#ifndef FCN_PROXY_CONF_H
#define FCN_PROXY_CONF_H

#include <stdbool.h>
#include <stdint.h>

#include "fcn_fastcnp.h"
#include "fcn_flow_descriptor.h"
#include "fcn_prefix_list.h"
#include "fcn_qp_map.h"
#include "fcn_source_limit.h"

#define FCN_PROXY_NODES 256    /**< maximum number of prefixes of congested nodes */
#define FCN_PROXY_SENDERS 4096 /**< maximum number of prefixes of senders */

#define FCN_PROXY_LEVELS 8 /**< congestion levels, 0 to 7 */

/**
 * X(symbol, name, text): what a sender understands, and so what messages about its flows are
 * translated into. The text completes "translated into".
 */
#define FCN_PROXY_TRANSLATIONS(X)                                           \
	X(NONE, "none", "nothing")                                          \
	X(FAST_CNP, "fast-cnp", "Fast CNPs")                                \
	X(FAST_CNP_TRACE, "fast-cnp-trace", "Fast CNPs with an IOAM trace") \
	X(CNP, "cnp", "CNPs in the name of the receiver")                   \
	X(PFC, "pfc", "pauses of the sender's link")                        \
	X(CE, "ce", "CE marks on the packets of the flow")

enum fcn_proxy_translation {
#define FCN_PROXY_TRANSLATION_ENUM(sym, name, text) FCN_PROXY_##sym,
	FCN_PROXY_TRANSLATIONS(FCN_PROXY_TRANSLATION_ENUM)
#undef FCN_PROXY_TRANSLATION_ENUM
	FCN_PROXY_TRANSLATION_COUNT,
};

/** Get the word for an enum fcn_proxy_translation in commands, `show` and events; never NULL. */
const char *fcn_proxy_translation_name(unsigned int translation);

/** Get the text that completes "translated into"; never NULL. */
const char *fcn_proxy_translation_text(unsigned int translation);

/** The switch as a proxy. */
struct fcn_proxy_conf {
	bool receive;      /**< messages are received and translated; only with a port */
	bool intercept;    /**< Fast CNPs to senders in `qps` are translated into CNPs */
	uint16_t port;     /**< UDP destination port of messages */
	uint8_t class;     /**< class queue of what is sent to senders: that of notices */
	uint8_t dscp;      /**< DSCP of CNPs, which `fastcnp` has, too */
	uint8_t hop_limit; /**< the same of their Hop Limit or TTL */
	/** Longest time in ns between two notifications for a flow, at level 0. */
	uint32_t interval_ns;
	/** The same at level 7, at most interval_ns. Between the two it falls evenly. */
	uint32_t least_interval_ns;
	uint32_t pfc_ns;               /**< pause of the sender's link at level 7, ns */
	uint64_t ce_ns;                /**< for how long the packets of a flow are marked, ns */
	struct fcn_prefix_list *nodes; /**< congested nodes that may send messages; NULL: none */
	/** enum fcn_proxy_translation by prefix of the sender; NULL: no sender is known. */
	struct fcn_prefix_list *senders;
	/** Queue pairs of senders, also without `receive`, for notices that are CNPs; NULL: nobody
	 * needs any. The control thread changes its entries, and several snapshots share it. */
	struct fcn_qp_map *qps;
	struct fcn_crc32 crc;                /**< for `intercept` */
	struct fcn_source_limits limits;     /**< of messages of congested nodes */
	struct fcn_fastcnp_template fastcnp; /**< of the Fast CNPs to senders */
};

/** Get what messages about a flow are translated into. @return FCN_PROXY_TRANSLATION_COUNT: its
 * sender is in no prefix */
enum fcn_proxy_translation fcn_proxy_translation_of(
		const struct fcn_proxy_conf *conf, const struct fcn_flow_descriptor *flow);

#endif /* FCN_PROXY_CONF_H */
