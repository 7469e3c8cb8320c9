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
};

struct fcn_config;

/* The functions below return 0, or -ENOMEM with the list as it was; further errors are named at
 * each. */

/**
 * Set the proxy of the senders in a prefix, which is added if it is new. Host bits of the prefix
 * are cleared.
 *
 * @return -EINVAL: messages cannot be sent to this address of a proxy
 */
int fcn_config_proxy_prefix_set(struct fcn_config *cfg, const struct fcn_prefix *prefix,
		const struct fcn_addr *address);
/** Remove a prefix of senders with a proxy. @return -ENOENT: there is none */
int fcn_config_proxy_prefix_remove(struct fcn_config *cfg, const struct fcn_prefix *prefix);
/**
 * Set the address in the option that packets of the senders in a prefix get. The prefix is added if
 * it is new. Host bits of the prefix are cleared.
 *
 * @return -EAFNOSUPPORT: the prefix or the address is not IPv6; -EINVAL: messages cannot be sent to
 *  this address
 */
int fcn_config_proxy_insert_set(struct fcn_config *cfg, const struct fcn_prefix *prefix,
		const struct fcn_addr *address);
/** Remove a prefix of senders whose packets get the option. @return -ENOENT: there is none */
int fcn_config_proxy_insert_remove(struct fcn_config *cfg, const struct fcn_prefix *prefix);

/** Add a prefix of proxies that options may name. @return -EEXIST: it is there */
int fcn_config_proxy_allowed_add(struct fcn_config *cfg, const struct fcn_prefix *prefix);
/** Remove such a prefix. @return -ENOENT: there is none */
int fcn_config_proxy_allowed_remove(struct fcn_config *cfg, const struct fcn_prefix *prefix);
/**
 * Add a prefix of congested nodes whose messages are accepted.
 *
 * @return -EEXIST: it is there; -ENOSPC: there are FCN_PROXY_NODES
 */
int fcn_config_proxy_node_add(struct fcn_config *cfg, const struct fcn_prefix *prefix);
/** Remove a prefix of congested nodes. @return -ENOENT: there is none */
int fcn_config_proxy_node_remove(struct fcn_config *cfg, const struct fcn_prefix *prefix);

/**
 * Set how the senders of a prefix are told about congestion.
 *
 * @return -ENOSPC: there are FCN_PROXY_SENDERS
 */
int fcn_config_proxy_sender_set(struct fcn_config *cfg, const struct fcn_prefix *prefix,
		enum fcn_proxy_translation translation);
/** Remove a prefix of senders. @return -ENOENT: there is none */
int fcn_config_proxy_sender_remove(struct fcn_config *cfg, const struct fcn_prefix *prefix);

/**
 * Add a pair of queue pairs, or set the sender's of one whose receiver's is there.
 *
 * @return -EINVAL: the receiver is no unicast address; -ENOSPC: there are FCN_PROXY_QPS
 */
int fcn_config_proxy_qp_set(struct fcn_config *cfg, const struct fcn_addr *receiver,
		uint32_t receiver_qp, uint32_t sender_qp);
/** Remove a pair of queue pairs. @return -ENOENT: there is none */
int fcn_config_proxy_qp_remove(
		struct fcn_config *cfg, const struct fcn_addr *receiver, uint32_t receiver_qp);

#endif /* FCN_CONFIG_PROXY_H */
