/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * RoCEv2 invariant CRC: CRC-32 of Ethernet over eight octets of ones, the IP,
 * UDP and BTH headers with their mutable fields set to ones, and the rest of
 * the packet (InfiniBand Architecture, annex A17; rdma_rxe).
 */

#ifndef FCN_ICRC_H
#define FCN_ICRC_H

#include <stdbool.h>
#include <stdint.h>

#include <fcn_compat.h>

#include "fcn_wire_error.h"

/**
 * How IPv6 extension headers enter the ICRC; no specification says. The three
 * agree for packets without extension headers.
 */
enum fcn_icrc_mode {
	FCN_ICRC_SKIP,  /**< base header as on the wire, extension headers left out (default) */
	FCN_ICRC_COVER, /**< extension headers included, unmasked */
	FCN_ICRC_NORM,  /**< as if the packet had no extension headers: payload length and next
			   header  rewritten */
};

/**
 * ICRC of a RoCEv2 packet in contiguous memory, as the register's value: store
 * it least significant byte first.
 *
 * @param crc  CRC context
 * @param ip   first byte of the IPv4 or IPv6 header
 * @param l4   offset of the UDP header from ip, at least 20 or 40
 * @param len  bytes from ip up to and including the ICRC, at least l4 + 24
 * @param mode treatment of extension headers; of no effect on IPv4
 */
uint32_t fcn_icrc(const struct fcn_crc32 *crc, const uint8_t *ip, uint32_t l4, uint32_t len,
		enum fcn_icrc_mode mode);

/** Whether the last four bytes of the packet are its ICRC. Parameters as fcn_icrc(). */
bool fcn_icrc_ok(const struct fcn_crc32 *crc, const uint8_t *ip, uint32_t l4, uint32_t len,
		enum fcn_icrc_mode mode);

/*
 * The register of the CRC itself, to correct an ICRC by the difference that a
 * change in front of it makes. Behind a change the register differs from what
 * it was by a value that n more octets, whatever they hold, only shift; so
 *
 *   new ICRC = old ICRC ^ fcn_crc32_shift(register before ^ register now, n)
 *
 * also when the change makes the packet shorter or longer. What was damaged
 * before stays damaged by the same bits. Both need no CRC context.
 */

/** Register behind the eight octets of ones that every ICRC begins with. */
#define FCN_ICRC_REGISTER 0xDEBB20E3u

/**
 * Register after more octets, one by one: for a few octets of headers. Neither
 * preset nor complemented; so of a difference alone (from 0 on) it is a
 * difference again.
 */
uint32_t fcn_crc32_update(uint32_t reg, const uint8_t *data, uint32_t len);

/** Difference of two registers after n more octets that are the same for both; some hundred
 * cycles, of any n. */
uint32_t fcn_crc32_shift(uint32_t difference, uint32_t n);

/**
 * Register behind the last octet that a change of extension headers can alter of
 * what the ICRC covers: Next Header, or the last extension header. It leaves
 * out what makes no difference, so only the difference of two means something,
 * made before and after a change. With FCN_ICRC_NORM it is always 0.
 *
 * @param ip   first byte of the IPv6 header
 * @param l4   offset of the UDP header from ip, at least 40; all of it is readable
 * @param mode treatment of extension headers
 */
uint32_t fcn_icrc_headers_register(const uint8_t *ip, uint32_t l4, enum fcn_icrc_mode mode);

/**
 * Correct the ICRC, and the UDP checksum that covers it (RFC 1624; 0, for none,
 * stays).
 *
 * @param udp        UDP header, its Length right
 * @param icrc       last four bytes of the datagram, wherever they are
 * @param mode       treatment of extension headers
 * @param difference of fcn_icrc_headers_register() before and after the change
 */
void fcn_icrc_correct(uint8_t *udp, uint8_t *icrc, enum fcn_icrc_mode mode, uint32_t difference);

#endif /* FCN_ICRC_H */
