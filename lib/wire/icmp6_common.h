/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Functions that Neighbour Discovery, MLD and ICMPv6 share: the search for the upper layer behind
 * extension headers, the IPv6 header in front of a message, and the checksum. Internal to lib/wire.
 */

#ifndef ICMP6_COMMON_H
#define ICMP6_COMMON_H

#include <stdbool.h>
#include <stdint.h>

#include "fcn_msg_error.h"

#define FCN_ICMP6_HDR_LEN 8 /**< type, code, checksum and four more bytes */

enum fcn_ip6_chain_result {
	FCN_IP6_CHAIN_UPPER,  /**< the upper layer is found */
	FCN_IP6_CHAIN_BROKEN, /**< the headers are malformed, so there is no upper layer */
	/**
	 * the upper layer is beyond the readable bytes, in the first fragment, or behind too many
	 * headers
	 */
	FCN_IP6_CHAIN_UNKNOWN,
};

/** Where the extension headers of a packet end. Offsets count from the IPv6 header. */
struct fcn_ip6_chain {
	/** upper layer, except in a later fragment; it may equal the end of the packet */
	uint32_t off;
	/**
	 * end of the packet by its payload length; the bytes up to there need not all be readable
	 */
	uint32_t end;
	uint8_t proto; /**< upper layer protocol; in a later fragment that of the first fragment */
	bool fragment; /**< there is a Fragment header; valid with every result */
	bool later;    /**< the packet is a fragment other than the first */
};

/**
 * Walk the extension headers of the packet at ip. The inside of a tunnel is not read.
 *
 * @param len   bytes readable at ip
 * @param chain off, end and proto are valid when the result is FCN_IP6_CHAIN_UPPER
 */
enum fcn_ip6_chain_result fcn_ip6_chain_walk(
		const uint8_t *ip, uint32_t len, struct fcn_ip6_chain *chain);

/**
 * Find an ICMPv6 message in an IPv6 packet and check its checksum. The message has to be complete
 * and at least FCN_ICMP6_HDR_LEN bytes long.
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
 * Write the checksum (RFC 4443 section 2.3) of a message of icmp_len bytes that follows the IPv6
 * header directly.
 *
 * @return bytes of the packet
 */
uint32_t fcn_icmp6_put_checksum(uint8_t *ip, uint32_t icmp_len);

/**
 * Like fcn_icmp6_put_checksum(), for a message that begins off bytes behind the start of the IPv6
 * header.
 */
uint32_t fcn_icmp6_put_checksum_at(uint8_t *ip, uint32_t off, uint32_t icmp_len);

#endif /* ICMP6_COMMON_H */
