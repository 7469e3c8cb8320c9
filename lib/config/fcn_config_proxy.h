/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Configuration of congestion notification with a proxy
 * (draft-xiao-rtgwg-proxy-congestion-notification): a part of struct fcn_config. Numbers are in
 * host byte order, addresses in network byte order.
 */

#ifndef FCN_CONFIG_PROXY_H
#define FCN_CONFIG_PROXY_H

#include <stdint.h>

#include "fcn_addr.h"
#include "fcn_config_parts.h"
#include "fcn_proxy_edge_conf.h"

/** Traffic senders whose proxy network node is configured. */
struct fcn_config_proxy_prefix {
	struct fcn_prefix prefix; /**< of the senders, IPv4 or IPv6, without host bits */
	struct fcn_addr address;  /**< of the proxy, IPv4 or IPv6 */
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

#endif /* FCN_CONFIG_PROXY_H */
