/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * What Neighbour Discovery and ICMPv6 share: the way to the upper layer, the
 * IPv6 header in front of a message and the checksum. Internal to lib/wire.
 */

#ifndef FCN_ICMP6_COMMON_H
#define FCN_ICMP6_COMMON_H

#include <stdbool.h>
#include <stdint.h>

#include "fcn_msg_error.h"

#define FCN_ICMP6_HDR_LEN 8 /**< type, code, checksum and the word behind them */

enum fcn_ip6_chain_result {
	FCN_IP6_CHAIN_UPPER,   /**< the upper layer is found */
	FCN_IP6_CHAIN_BROKEN,  /**< there is none that anybody could find */
	FCN_IP6_CHAIN_UNKNOWN, /**< behind the readable bytes, in the first fragment, or too far */
};

/** Where the extension headers of a packet end. Offsets count from the IPv6 header. */
struct fcn_ip6_chain {
	uint32_t off;  /**< upper layer; not in a later fragment; may be the end of the packet */
	uint32_t end;  /**< end of the packet by its payload length, perhaps not readable */
	uint8_t proto; /**< upper layer protocol; in a later fragment that of the first */
	bool fragment; /**< a Fragment header was met, whatever the result */
	bool later;    /**< ... and it is not the first fragment */
};

/**
 * Walk the extension headers of the packet at ip, not into tunnels.
 *
 * @param len   bytes readable at ip
 * @param chain meaningful when the result is FCN_IP6_CHAIN_UPPER
 */
enum fcn_ip6_chain_result fcn_ip6_chain_walk(
		const uint8_t *ip, uint32_t len, struct fcn_ip6_chain *chain);

/**
 * Find an ICMPv6 message, whole and of at least FCN_ICMP6_HDR_LEN bytes, and
 * check its checksum.
 *
 * @param len bytes readable at ip
 * @return FCN_MSG_OK with chain written; FCN_MSG_IP_HEADER, _TRUNCATED,
 *         _PROTOCOL, _FRAGMENT or _CHECKSUM
 */
enum fcn_msg_error fcn_icmp6_find(const uint8_t *ip, uint32_t len, struct fcn_ip6_chain *chain);

/** Write an IPv6 header for an ICMPv6 message of icmp_len bytes. */
void fcn_icmp6_put_ip(uint8_t *ip, const uint8_t src[16], const uint8_t dst[16], uint8_t tclass,
		uint8_t hop_limit, uint32_t icmp_len);

/**
 * Write the checksum of the message of icmp_len bytes directly behind the header.
 *
 * @return bytes of the packet
 */
uint32_t fcn_icmp6_seal(uint8_t *ip, uint32_t icmp_len);

/** The same, for a message that stands off bytes behind the start of the IPv6 header. */
uint32_t fcn_icmp6_seal_at(uint8_t *ip, uint32_t off, uint32_t icmp_len);

#endif /* FCN_ICMP6_COMMON_H */
