/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The plain Congestion Notification Packet that a RoCEv2 receiver sends
 * (draft-xiao-rtgwg-rocev2-fast-cnp section 3, figure 2).
 */

#ifndef FCN_CNP_H
#define FCN_CNP_H

#include <stdint.h>

#include <fcn_compat.h>

#include "fcn_parse.h"
#include "fcn_wire_error.h"

#define FCN_CNP_UDP_LEN 40 /**< UDP 8, BTH 12, reserved 16, ICRC 4 */
#define FCN_CNP_RESERVED_LEN 16

/**
 * Fields of a CNP. Addresses are in network byte order, 16 bytes, of which IPv4 uses the first 4.
 */
struct fcn_cnp {
	uint8_t version;   /**< 4 or 6 */
	uint8_t tclass;    /**< traffic class / TOS */
	uint8_t hop_limit; /**< hop limit / TTL */
	uint8_t src[16];   /**< source address: the receiver of the data */
	uint8_t dst[16];   /**< destination address: the sender of the data */
	uint16_t src_port; /**< UDP source port, host byte order */
	uint16_t p_key;    /**< host byte order */
	uint32_t dest_qp;  /**< queue pair at dst, host byte order */
};

/**
 * Build a CNP from the IP header to the ICRC, with valid checksums. An IPv4 header has Don't
 * Fragment set and identification 0.
 *
 * @param buf  where the IP header goes
 * @param room bytes at buf
 * @return bytes written (80 over IPv6, 60 over IPv4), or 0 when room is too small
 */
uint32_t fcn_cnp_build(const struct fcn_crc32 *crc, const struct fcn_cnp *cnp, uint8_t *buf,
		uint32_t room);

/**
 * Read a CNP from a frame that fcn_parse() has parsed, and check its ICRC.
 *
 * @param data the whole frame, in contiguous memory
 * @param info result of fcn_parse() on it
 * @return FCN_WIRE_OK; FCN_WIRE_NOT_CNP, also for a Fast CNP; FCN_WIRE_ICRC; FCN_WIRE_UDP_CHECKSUM
 *         when there is a UDP checksum and it is wrong; otherwise info->error
 */
enum fcn_wire_error fcn_cnp_parse(const struct fcn_crc32 *crc, const uint8_t *data,
		const struct fcn_wire_info *info, struct fcn_cnp *cnp);

#endif /* FCN_CNP_H */
