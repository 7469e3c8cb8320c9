/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Numbers and next hops in messages of BGP and BMP, in network byte order. */

#ifndef BGP_BYTES_H
#define BGP_BYTES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "fcn_addr.h"

static inline uint16_t
bgp_get16(const uint8_t *p)
{
	return (uint16_t)(p[0] << 8 | p[1]);
}

static inline uint32_t
bgp_get32(const uint8_t *p)
{
	return (uint32_t)bgp_get16(p) << 16 | bgp_get16(p + 2);
}

/* Write a number. @return the place behind it */
static inline uint8_t *
bgp_put16(uint8_t *p, unsigned int value)
{
	p[0] = (uint8_t)(value >> 8);
	p[1] = (uint8_t)value;
	return p + 2;
}

/*
 * Read a next hop: an IPv4 address, an IPv6 address, or a global and a link-local IPv6 address (RFC
 * 2545 section 3), of which the global one is taken.
 * @return false if the length is another
 */
static inline bool
bgp_next_hop(const uint8_t *p, size_t len, struct fcn_addr *addr)
{
	memset(addr, 0, sizeof(*addr));
	if (len != 4 && len != 16 && len != 32)
		return false;
	addr->version = len == 4 ? 4 : 6;
	memcpy(addr->bytes, p, len == 4 ? 4 : 16);
	return true;
}

#endif /* BGP_BYTES_H */
