/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * IPv6 Neighbour Discovery over Ethernet (RFC 4861): functions that read and build solicitations
 * and advertisements of neighbours and routers, also for duplicate address detection (RFC 4862
 * section 5.4), and that compute the addresses that they use.
 *
 * Pure functions over bytes, from the IPv6 header on; safe from any thread. All multi-octet numbers
 * are in host byte order.
 */

#ifndef FCN_ND_H
#define FCN_ND_H

#include <stdbool.h>
#include <stdint.h>

#include <rte_ether.h>

#include "fcn_msg_error.h"

#define FCN_ND_ROUTER_SOLICIT 133
#define FCN_ND_ROUTER_ADVERT 134
#define FCN_ND_NEIGHBOUR_SOLICIT 135
#define FCN_ND_NEIGHBOUR_ADVERT 136

#define FCN_ND_HOP_LIMIT 255

#define FCN_ND_ROUTER 0x80    /**< neighbour advertisement: R */
#define FCN_ND_SOLICITED 0x40 /**< neighbour advertisement: S */
#define FCN_ND_OVERRIDE 0x20  /**< neighbour advertisement: O */

#define FCN_ND_MANAGED 0x80 /**< router advertisement: M */
#define FCN_ND_OTHER 0x40   /**< router advertisement: O */

#define FCN_ND_ON_LINK 0x80    /**< prefix: L */
#define FCN_ND_AUTONOMOUS 0x40 /**< prefix: A */

#define FCN_ND_INFINITY UINT32_MAX /**< a prefix with this lifetime does not expire */
#define FCN_ND_MAX_PREFIXES 8      /**< prefixes kept from one advertisement */

#define FCN_ND_NEIGHBOUR_LEN 72 /**< IPv6 packet: NS or NA with its option */
#define FCN_ND_ROUTER_SOLICIT_LEN 56
#define FCN_ND_ROUTER_ADVERT_MAX 328 /**< 40 + 16 + 8 + 8 + 32 each prefix */

/** Prefix Information option. */
struct fcn_nd_prefix {
	uint8_t addr[16];
	uint8_t len;          /**< 0..128 */
	uint8_t flags;        /**< FCN_ND_ON_LINK, FCN_ND_AUTONOMOUS */
	uint32_t valid_s;     /**< valid lifetime */
	uint32_t preferred_s; /**< preferred lifetime */
};

/** Fields of a router advertisement. */
struct fcn_nd_ra {
	uint8_t hop_limit;     /**< 0: unspecified */
	uint8_t flags;         /**< FCN_ND_MANAGED, FCN_ND_OTHER */
	uint16_t lifetime_s;   /**< lifetime as a default router, s; 0: it is no default router */
	uint32_t reachable_ms; /**< 0: unspecified */
	uint32_t retrans_ms;   /**< 0: unspecified */
	uint32_t mtu;          /**< 0: no MTU option */
	uint8_t n_prefixes;
	struct fcn_nd_prefix prefix[FCN_ND_MAX_PREFIXES];
};

/** Fields of a message that was parsed. */
struct fcn_nd {
	uint8_t type;  /**< FCN_ND_ROUTER_SOLICIT, ... */
	uint8_t flags; /**< neighbour advertisement: FCN_ND_ROUTER, ... */
	/**
	 * neighbour solicitation from ::, for duplicate address detection (RFC 4862 section 5.4)
	 */
	bool dad;
	bool has_lladdr; /**< there is a link-layer address option, read into lladdr */
	/** of the source; in a neighbour advertisement, of the target */
	struct rte_ether_addr lladdr;
	uint8_t src[16], dst[16]; /**< of the packet */
	uint8_t target[16];       /**< neighbour solicitation and advertisement */
	/** router advertisement: there were more than FCN_ND_MAX_PREFIXES */
	bool prefixes_left_out;
	struct fcn_nd_ra ra; /**< router advertisement */
};

/**
 * Read a message and make all checks of RFC 4861 sections 6.1.1, 6.1.2, 7.1.1 and 7.1.2. Fragments
 * are refused (RFC 6980).
 *
 * Unknown options are skipped. Of an option that is repeated, the first one counts; prefixes may
 * repeat.
 *
 * @param ip  the IPv6 header
 * @param len bytes readable at ip; those behind the payload length are padding
 * @param out written when the result is FCN_MSG_OK
 * @return FCN_MSG_OK, or the first defect: FCN_MSG_IP_HEADER, _TRUNCATED, _PROTOCOL, _FRAGMENT,
 *         _CHECKSUM, _TYPE (none of the four types), _HOP_LIMIT, _CODE, _SOURCE (multicast or ::1;
 *         :: in a message that does not allow it; a router advertisement that is not from a
 *         link-local address), _DESTINATION (a solicitation from :: that is not to a solicited-node
 *         address), _TARGET (multicast, ::, ::1), _SOLICITED, _OPTION_LENGTH, _OPTION_LLADDR,
 *         _OPTION_PREFIX
 */
enum fcn_msg_error fcn_nd_parse(const uint8_t *ip, uint32_t len, struct fcn_nd *out);

/**
 * Build a neighbour solicitation (RFC 4861 section 4.3).
 *
 * @param src    source address; NULL: ::, for duplicate address detection; the packet then has no
 *               option
 * @param mac    address in the source link-layer address option
 * @param dst    NULL: the solicited-node address of target; the neighbour's address for a unicast
 *               probe (RFC 4861 section 7.3.3)
 * @return bytes of the packet, 72, or 64 when the source is ::; 0 when room is too small
 */
uint32_t fcn_nd_build_ns(const uint8_t *src, const struct rte_ether_addr *mac, const uint8_t *dst,
		const uint8_t target[16], uint8_t *buf, uint32_t room);

/**
 * Build a neighbour advertisement (RFC 4861 section 4.4). Its source address is the target address.
 *
 * @param dst   NULL: all nodes
 * @param mac   address in the target link-layer address option
 * @param flags FCN_ND_ROUTER, _SOLICITED, _OVERRIDE; _SOLICITED is cleared when dst is a group
 * @return bytes of the packet, 72; 0 when room is too small
 */
uint32_t fcn_nd_build_na(const uint8_t *dst, const struct rte_ether_addr *mac,
		const uint8_t target[16], uint8_t flags, uint8_t *buf, uint32_t room);

/**
 * Build the advertisement that answers a neighbour solicitation for an address that mac has (RFC
 * 4861 section 7.2.4). The Override flag is set. The advertisement goes to the source of the
 * solicitation with the Solicited flag, or to all nodes without it when the source is ::.
 *
 * @param ns the solicitation, read by fcn_nd_parse()
 * @return bytes of the packet, 72; 0 when room is too small
 */
uint32_t fcn_nd_build_na_reply(const struct fcn_nd *ns, const struct rte_ether_addr *mac,
		bool router, uint8_t *buf, uint32_t room);

/**
 * Build a router advertisement (RFC 4861 section 4.2).
 *
 * @param src link-local address of the sending port
 * @param dst NULL: all nodes
 * @param mac address in the source link-layer address option; NULL: no such option
 * @param ra  fields to write; the bits of a prefix after its length are written as 0
 * @return bytes of the packet; 0 when room is too small or there are more than FCN_ND_MAX_PREFIXES
 *         prefixes
 */
uint32_t fcn_nd_build_ra(const uint8_t src[16], const uint8_t *dst,
		const struct rte_ether_addr *mac, const struct fcn_nd_ra *ra, uint8_t *buf,
		uint32_t room);

/**
 * Compute the solicited-node multicast address ff02::1:ffXX:XXXX of an address (RFC 4291 section
 * 2.7.1).
 */
void fcn_nd_solicited_node(const uint8_t addr[16], uint8_t out[16]);

/** Check whether an address is a solicited-node multicast address. */
bool fcn_nd_is_solicited_node(const uint8_t addr[16]);

/** Compute the MAC address 33-33-XX-XX-XX-XX of an IPv6 multicast address (RFC 2464 section 7). */
void fcn_nd_multicast_mac(const uint8_t addr[16], struct rte_ether_addr *mac);

/**
 * Compute the link-local address of a MAC address by modified EUI-64 (RFC 4291 appendix A, RFC 2464
 * section 5).
 */
void fcn_nd_link_local(const struct rte_ether_addr *mac, uint8_t out[16]);

extern const uint8_t fcn_nd_all_nodes[16];   /**< ff02::1 */
extern const uint8_t fcn_nd_all_routers[16]; /**< ff02::2 */

#endif /* FCN_ND_H */
