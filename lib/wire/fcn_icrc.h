/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * RoCEv2 invariant CRC (ICRC): the CRC-32 of Ethernet over eight octets of ones, the IP, UDP and
 * BTH headers with their mutable fields set to ones, and the rest of the packet (InfiniBand
 * Architecture Specification, annex A17: RoCEv2; the same as Linux's rdma_rxe).
 */

#ifndef FCN_ICRC_H
#define FCN_ICRC_H

#include <stdbool.h>
#include <stdint.h>

#include <fcn_compat.h>

#include "fcn_wire_error.h"

/**
 * How IPv6 extension headers enter the ICRC. No specification defines that. For packets without
 * extension headers the three modes give the same result.
 */
enum fcn_icrc_mode {
	FCN_ICRC_SKIP,  /**< base header as on the wire, without the extension headers (default) */
	FCN_ICRC_COVER, /**< with the extension headers, unmasked */
	/**
	 * as if the packet had no extension headers: payload length and next header are rewritten
	 */
	FCN_ICRC_NORM,
	/** any of the three, as others may send it; only for functions that check an ICRC */
	FCN_ICRC_ANY,
};

/**
 * Compute the ICRC of a RoCEv2 packet in contiguous memory. The result is a number in host byte
 * order; on the wire it is stored least significant byte first.
 *
 * @param crc  CRC context
 * @param ip   first byte of the IPv4 or IPv6 header
 * @param l4   offset of the UDP header from ip, at least 20 or 40
 * @param len  bytes from ip up to and including the ICRC, at least l4 + 24
 * @param mode treatment of extension headers, not FCN_ICRC_ANY; has no effect on IPv4
 */
uint32_t fcn_icrc(const struct fcn_crc32 *crc, const uint8_t *ip, uint32_t l4, uint32_t len,
		enum fcn_icrc_mode mode);

/**
 * Check whether the last four bytes of the packet are its correct ICRC. The parameters are those of
 * fcn_icrc(); with FCN_ICRC_ANY, it may be correct by any of the three modes.
 */
bool fcn_icrc_ok(const struct fcn_crc32 *crc, const uint8_t *ip, uint32_t l4, uint32_t len,
		enum fcn_icrc_mode mode);

/*
 * Incremental update: these functions correct an ICRC after headers in front of it have changed,
 * without reading the payload again. A CRC is linear. If the registers before and after the change
 * differ by d directly behind the changed octets, then n more octets, whatever they hold, only
 * shift this difference:
 *
 *   new ICRC = old ICRC ^ fcn_crc32_shift(old register ^ new register, n)
 *
 * This also holds when the change makes the packet shorter or longer. An ICRC that was wrong before
 * stays wrong by the same bits. The functions need no CRC context.
 */

/** CRC register after the eight octets of ones that every ICRC begins with. */
#define FCN_ICRC_REGISTER 0xDEBB20E3u

/**
 * Feed octets into a CRC register, one by one; meant for a few octets of headers. The register is
 * neither preset nor complemented, so with reg = 0 and the XOR of two inputs as data the result is
 * the XOR of the two registers.
 */
uint32_t fcn_crc32_update(uint32_t reg, const uint8_t *data, uint32_t len);

/**
 * Compute the difference (XOR) of two registers after n more octets that are the same for both. It
 * takes some hundred cycles for any n.
 */
uint32_t fcn_crc32_shift(uint32_t difference, uint32_t n);

/**
 * Compute the CRC register after the last octet covered by the ICRC that a change of extension
 * headers can alter: Next Header with FCN_ICRC_SKIP, the end of the last extension header with
 * FCN_ICRC_COVER. Octets that cannot change are left out, so a single result means nothing: call it
 * before and after a change, and use the XOR of the two. With FCN_ICRC_NORM it is always 0.
 *
 * @param ip   first byte of the IPv6 header
 * @param l4   offset of the UDP header from ip, at least 40; all of it is readable
 * @param mode treatment of extension headers, not FCN_ICRC_ANY
 */
uint32_t fcn_icrc_headers_register(const uint8_t *ip, uint32_t l4, enum fcn_icrc_mode mode);

/**
 * Correct the ICRC, and the UDP checksum, which covers the ICRC (RFC 1624). A UDP checksum of 0
 * means that there is none and stays 0.
 *
 * @param udp        UDP header with the correct Length
 * @param icrc       the last four bytes of the datagram, which may be in another segment
 * @param mode       treatment of extension headers
 * @param difference XOR of fcn_icrc_headers_register() before and after the change
 */
void fcn_icrc_correct(uint8_t *udp, uint8_t *icrc, enum fcn_icrc_mode mode, uint32_t difference);

#endif /* FCN_ICRC_H */
