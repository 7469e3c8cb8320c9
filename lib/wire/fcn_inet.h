/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Reading and writing of numbers in network byte order at any alignment, and tests for kinds of IP
 * addresses, which are given as bytes on the wire.
 */

#ifndef FCN_INET_H
#define FCN_INET_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <rte_ether.h>

#define FCN_IP4_LEN 20 /**< IPv4 header without options */
#define FCN_IP6_LEN 40 /**< IPv6 header */

/**
 * DSCP 48 (internetwork control), Not-ECT: traffic class of messages that the switch itself sends.
 */
#define FCN_CONTROL_TCLASS 0xC0

/**
 * Convert a number between host and network byte order. The assembler code of rte_cpu_to_be_16() on
 * x86 takes three operations, this takes one.
 */
static inline uint16_t
fcn_swap_be16(uint16_t v)
{
	return RTE_BYTE_ORDER == RTE_LITTLE_ENDIAN ? __builtin_bswap16(v) : v;
}

static inline uint16_t
fcn_get_be16(const uint8_t *p)
{
	return (uint16_t)(p[0] << 8 | p[1]);
}

static inline uint32_t
fcn_get_be32(const uint8_t *p)
{
	return (uint32_t)fcn_get_be16(p) << 16 | fcn_get_be16(p + 2);
}

static inline uint64_t
fcn_get_be64(const uint8_t *p)
{
	return (uint64_t)fcn_get_be32(p) << 32 | fcn_get_be32(p + 4);
}

static inline void
fcn_put_be16(uint8_t *p, uint16_t v)
{
	p[0] = (uint8_t)(v >> 8);
	p[1] = (uint8_t)v;
}

static inline void
fcn_put_be32(uint8_t *p, uint32_t v)
{
	fcn_put_be16(p, (uint16_t)(v >> 16));
	fcn_put_be16(p + 2, (uint16_t)v);
}

/** Check for the unspecified address, ::. */
static inline bool
fcn_ip6_is_unspecified(const uint8_t a[16])
{
	static const uint8_t zero[16];

	return memcmp(a, zero, 16) == 0;
}

/** Check for the loopback address, ::1. */
static inline bool
fcn_ip6_is_loopback(const uint8_t a[16])
{
	static const uint8_t one[16] = {[15] = 1};

	return memcmp(a, one, 16) == 0;
}

/** Check for a multicast address, ff00::/8. */
static inline bool
fcn_ip6_is_multicast(const uint8_t a[16])
{
	return a[0] == 0xFF;
}

/** Check for a link-local address, fe80::/10. */
static inline bool
fcn_ip6_is_link_local(const uint8_t a[16])
{
	return a[0] == 0xFE && (a[1] & 0xC0) == 0x80;
}

/** Check whether an address can be that of a single station: it is not ::, ::1 or multicast. */
static inline bool
fcn_ip6_is_station(const uint8_t a[16])
{
	return !fcn_ip6_is_multicast(a) && !fcn_ip6_is_unspecified(a) && !fcn_ip6_is_loopback(a);
}

/** Check for the unspecified address, 0.0.0.0. */
static inline bool
fcn_ip4_is_unspecified(const uint8_t a[4])
{
	return (a[0] | a[1] | a[2] | a[3]) == 0;
}

/**
 * Check whether an address can be that of a single station: it is not in 0.0.0.0/8, 127.0.0.0/8,
 * 224.0.0.0/4 or 240.0.0.0/4 (RFC 1812 sections 4.2.2.11 and 5.3.7). The broadcast address of a
 * subnet cannot be recognised here, as the subnet is not known.
 */
static inline bool
fcn_ip4_is_station(const uint8_t a[4])
{
	return a[0] != 0 && a[0] != 127 && a[0] < 224;
}

/**
 * Check whether a MAC address can be that of a single station: it is neither a group address nor
 * zero.
 */
static inline bool
fcn_mac_is_station(const struct rte_ether_addr *mac)
{
	return !rte_is_multicast_ether_addr(mac) && !rte_is_zero_ether_addr(mac);
}

#endif /* FCN_INET_H */
