/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Independent implementations of ICRC and checksum, bit by bit and byte by byte, to compare
 * lib/wire with; and a generator of reproducible random numbers.
 */

#ifndef REFERENCE_H
#define REFERENCE_H

#include <stdbool.h>
#include <stdint.h>

enum ref_mode {
	REF_SKIP,
	REF_COVER,
	REF_NORM
};

/** Compute the ICRC of the packet at ip, with UDP at ip + l4, of len bytes including the ICRC. */
uint32_t ref_icrc(const uint8_t *ip, uint32_t l4, uint32_t len, enum ref_mode mode);

/**
 * Compute the one's complement sum over pseudo-header and datagram: 0xFFFF when the checksum is
 * right.
 */
uint16_t ref_udp_sum(const uint8_t *src, const uint8_t *dst, uint32_t addr_len, const uint8_t *udp,
		uint32_t len);

/**
 * Set the UDP checksum of the packet at ip, of len bytes in all: UDP behind an IPv6 header, or an
 * IPv4 header without options (RFC 8200 section 8.1, RFC 768). The lengths in it may be any.
 */
void ref_udp_set_checksum(uint8_t *ip, uint32_t len);
/** Set its lengths and all of its checksums. */
void ref_udp_finish(uint8_t *ip, uint32_t len);

/**
 * Set the ICRC and the UDP checksum, or 0 for none, of the Fast CNP at ip: IPv6 with a Destination
 * Options header of 24 bytes in front of UDP.
 */
void ref_fastcnp_finish(uint8_t *ip, enum ref_mode mode, bool checksum);

/** Get the next number of a reproducible sequence (xorshift64); *state must not be 0. */
uint64_t ref_random(uint64_t *state);
void ref_random_fill(uint64_t *state, uint8_t *p, uint32_t len);

#endif /* REFERENCE_H */
