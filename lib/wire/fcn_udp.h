/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * UDP checksum with the pseudo-header of either IP version (RFC 768; RFC 8200 section 8.1). Unlike
 * DPDK's functions it does not take length and protocol from the IP header, because they are not
 * those of UDP when there are extension headers.
 */

#ifndef FCN_UDP_H
#define FCN_UDP_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>

#include <rte_byteorder.h>
#include <rte_ip.h>

/**
 * Compute the one's complement sum of pseudo-header and datagram, including the checksum field, not
 * inverted.
 */
static inline uint16_t
fcn_udp_sum(const uint8_t *src, const uint8_t *dst, uint32_t addr_len, const uint8_t *udp,
		uint32_t len)
{
	uint32_t sum;

	sum = rte_raw_cksum(src, addr_len);
	sum += rte_raw_cksum(dst, addr_len);
	sum += rte_cpu_to_be_16((uint16_t)(len >> 16));
	sum += rte_cpu_to_be_16((uint16_t)len);
	sum += rte_cpu_to_be_16(IPPROTO_UDP);
	sum += rte_raw_cksum(udp, len);
	sum = (sum & 0xFFFF) + (sum >> 16);
	return (uint16_t)(sum + (sum >> 16));
}

/**
 * Compute the checksum of a datagram in the byte order of the header (network byte order in
 * memory). It is never 0, which would mean that the datagram has no checksum.
 *
 * @param src,dst  addresses of addr_len (4 or 16) bytes
 * @param udp      datagram with a checksum field of 0
 * @param len      bytes at udp
 */
static inline uint16_t
fcn_udp_checksum(const uint8_t *src, const uint8_t *dst, uint32_t addr_len, const uint8_t *udp,
		uint32_t len)
{
	uint16_t sum = (uint16_t)~fcn_udp_sum(src, dst, addr_len, udp, len);

	return sum == 0 ? 0xFFFF : sum;
}

/**
 * Check whether the checksum of a datagram that has one is correct. The parameters are those of
 * fcn_udp_checksum().
 */
static inline bool
fcn_udp_checksum_ok(const uint8_t *src, const uint8_t *dst, uint32_t addr_len, const uint8_t *udp,
		uint32_t len)
{
	return fcn_udp_sum(src, dst, addr_len, udp, len) == 0xFFFF;
}

#endif /* FCN_UDP_H */
