/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Configuration of congestion notification with a proxy
 * (draft-xiao-rtgwg-proxy-congestion-notification): a part of struct fcn_config. Numbers are in
 * host byte order, addresses in network byte order, times in nanoseconds.
 */

#ifndef FCN_CONFIG_PROXY_H
#define FCN_CONFIG_PROXY_H

#include <stdbool.h>
#include <stdint.h>

#include "fcn_addr.h"
#include "fcn_config_parts.h"
#include "fcn_proxy_edge_conf.h"
#include "fcn_proxy_conf.h"
#include "fcn_qp_map.h"

/** Most queue pairs that a host reports, unless another number is set. */
#define FCN_PROXY_HOST_QPS 16384

/** Traffic senders whose proxy network node is configured. */
struct fcn_config_proxy_prefix {
	struct fcn_prefix prefix; /**< of the senders, IPv4 or IPv6, without host bits */
	struct fcn_addr address;  /**< of the proxy, IPv4 or IPv6 */
};

/** How the senders of a prefix are told about congestion. */
struct fcn_config_proxy_sender {
	struct fcn_prefix prefix; /**< without host bits */
	uint8_t translation;      /**< enum fcn_proxy_translation */
};

/** Congestion notification with a proxy. */
struct fcn_config_proxy {
	/** UDP port of Congestion Notification Messages; 0: none, and nothing is sent or accepted
	 */
	uint16_t cnm_port;
	FCN_CONFIG_LIST(fcn_config_proxy_prefix) prefixes;
	/** senders whose packets get an option with the address of their proxy, IPv6 both */
	FCN_CONFIG_LIST(fcn_config_proxy_prefix) inserts;
	/** packets that this option makes longer than an MTU */
	enum fcn_proxy_too_big too_big;
	uint8_t address_from; /**< enum fcn_cnm_address_from */
	uint8_t direct;       /**< enum fcn_cnm_direct */
	/** proxies that may be told because the option in a data packet names them; empty: all */
	FCN_CONFIG_LIST(fcn_prefix) allowed;
	/* the switch as a proxy */
	bool receive;                          /**< messages are received and translated */
	struct fcn_config_bucket node_bucket;  /**< messages of each congested node */
	struct fcn_config_bucket total_bucket; /**< messages of all congested nodes */
	uint64_t interval_ns;                  /**< between two notifications for a flow */
	/** The same at level 7; FCN_AUTO64: the same as interval_ns. */
	uint64_t level7_ns;
	uint64_t pfc_ns;                   /**< pause of a sender's link at level 7 */
	uint64_t ce_ns;                    /**< for how long packets of a flow are marked */
	FCN_CONFIG_LIST(fcn_prefix) nodes; /**< congested nodes that may send messages */
	FCN_CONFIG_LIST(fcn_config_proxy_sender) senders;
	FCN_CONFIG_LIST(fcn_qp_pair) qps;
	uint32_t reported;      /**< most queue pairs that hosts report; 0: none is accepted */
	uint32_t reported_host; /**< most of one host */
	bool intercept;         /**< Fast CNPs to senders with known queue pairs become CNPs */
};

#endif /* FCN_CONFIG_PROXY_H */
