/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Configuration of the ports at which the Proxy Network Node Address option
 * (draft-xiao-rtgwg-proxy-congestion-notification section 5.2) is inserted into packets of traffic
 * senders and removed from packets. It is part of the snapshot: workers only read it.
 */

#ifndef FCN_PROXY_EDGE_CONF_H
#define FCN_PROXY_EDGE_CONF_H

#include <stdbool.h>

#include "fcn_proxy_map.h"

/** What a port does with the option: a bit set. */
enum fcn_proxy_edge {
	FCN_PROXY_EDGE_OFF = 0,
	FCN_PROXY_EDGE_INSERT = 1, /**< it is inserted into packets that the port receives */
	FCN_PROXY_EDGE_REMOVE = 2, /**< it is removed from packets that leave by the port */
	FCN_PROXY_EDGE_BOTH = 3,
};

/** Packets that the option makes longer than the MTU of their next hop. */
enum fcn_proxy_too_big {
	FCN_PROXY_TOO_BIG_ERROR, /**< their sender gets an ICMPv6 Packet Too Big */
	FCN_PROXY_TOO_BIG_OMIT,  /**< they leave without the option */
};

/** Configuration of the option for the switch. */
struct fcn_proxy_edge_conf {
	bool any_insert; /**< some port inserts the option, and there are senders */
	/** packets may have to be searched for the option when they leave */
	bool any_remove;
	enum fcn_proxy_too_big too_big;
	/** senders whose packets get the option, and its address; NULL: none */
	struct fcn_proxy_map *senders;
};

#endif /* FCN_PROXY_EDGE_CONF_H */
