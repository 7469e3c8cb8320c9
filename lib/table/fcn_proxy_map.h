/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Immutable map from the address of a traffic sender to the proxy network node that is to be told
 * about congestion by its traffic (draft-xiao-rtgwg-proxy-congestion-notification section 5.1): the
 * proxy of the longest prefix that contains the address. A prefix can come from several origins; of
 * equal prefixes, the one whose origin comes first counts.
 *
 * A sender and its proxy may be of different IP versions. An IPv4 address of a proxy is found as an
 * IPv4-mapped IPv6 address, ::ffff:a.b.c.d (RFC 4291 section 2.5.5.2).
 */

#ifndef FCN_PROXY_MAP_H
#define FCN_PROXY_MAP_H

#include <stdbool.h>
#include <stdint.h>

#include "fcn_addr.h"

/**
 * Where prefixes come from, by falling precedence: the configuration, and the protocols that
 * advertise the Proxy Node Capability. Each is X(symbol, name).
 */
#define FCN_PROXY_ORIGINS(X) \
	X(STATIC, "static")  \
	X(ISIS, "isis")      \
	X(OSPF, "ospf")      \
	X(OSPF3, "ospf3")    \
	X(BGP, "bgp")

/** Where a prefix comes from. */
enum fcn_proxy_origin {
#define FCN_PROXY_ORIGIN(sym, name) FCN_PROXY_##sym,
	FCN_PROXY_ORIGINS(FCN_PROXY_ORIGIN)
#undef FCN_PROXY_ORIGIN
	FCN_PROXY_ORIGIN_COUNT,
};

/** A prefix of traffic senders and their proxy. */
struct fcn_proxy_prefix {
	struct fcn_prefix prefix; /**< of the senders, IPv4 or IPv6 */
	struct fcn_addr proxy;    /**< IPv4 or IPv6 */
	uint8_t origin;           /**< enum fcn_proxy_origin */
};

struct fcn_proxy_map;

/** Get the name of an enum fcn_proxy_origin for commands, `show` and events; never NULL. */
const char *fcn_proxy_origin_name(unsigned int origin);

/**
 * Build a map. Prefixes are normalised; of equal ones, the one with the lower origin counts, and
 * among equal origins the first.
 *
 * @param name   name of the allocations; need not be unique
 * @param items  in any order; none of them is needed afterwards
 * @param socket NUMA node of the map, or SOCKET_ID_ANY
 * @return NULL with rte_errno on failure: EINVAL for an invalid prefix, address or origin, ENOMEM
 */
struct fcn_proxy_map *fcn_proxy_map_create(
		const char *name, const struct fcn_proxy_prefix *items, unsigned int n, int socket);

/** Free a map that no worker reads any more. NULL is allowed. */
void fcn_proxy_map_free(struct fcn_proxy_map *map);

/**
 * Find the proxy of an IPv6 sender, 16 bytes in network byte order. Safe for any number of
 * concurrent readers.
 *
 * @return IPv6 or IPv4-mapped address, 16 bytes; NULL: no proxy is known. It is valid for as long
 *  as the map
 */
const uint8_t *fcn_proxy_map_find6(const struct fcn_proxy_map *map, const uint8_t *sender);

/** Find the proxy of an IPv4 sender, in host byte order, like fcn_proxy_map_find6(). */
const uint8_t *fcn_proxy_map_find4(const struct fcn_proxy_map *map, uint32_t sender);

/**
 * Check whether an address is that of a proxy in the map. The run time grows with the number of
 * prefixes, so this is not for workers.
 *
 * @param proxy IPv6 or IPv4-mapped address, 16 bytes
 */
bool fcn_proxy_map_has(const struct fcn_proxy_map *map, const uint8_t *proxy);

#endif /* FCN_PROXY_MAP_H */
