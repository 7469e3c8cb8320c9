/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * UDP, BTH, reserved octets and ICRC: the 40 bytes that a CNP and a Fast CNP have in common.
 * Used by lib/wire, and inlined by fcn_fastcnp_fold.h.
 */

#ifndef FCN_CNP_L4_H
#define FCN_CNP_L4_H

#include <stdint.h>
#include <string.h>

#include <rte_byteorder.h>

#include "fcn_cnp.h"

/* Offsets from the UDP header. */
#define FCN_UDP_CKSUM_OFF 6
#define FCN_CNP_BTH_OFF 8
#define FCN_CNP_P_KEY_OFF (FCN_CNP_BTH_OFF + 2)
#define FCN_CNP_ECN_OFF (FCN_CNP_BTH_OFF + 4)
#define FCN_CNP_ICRC_OFF (FCN_CNP_UDP_LEN - FCN_ICRC_LEN)

/**
 * Write the constant fields. Source port, P_Key, queue pair, checksum and ICRC are written as 0.
 */
static inline void
fcn_cnp_l4_init(uint8_t *udp)
{
	memset(udp, 0, FCN_CNP_UDP_LEN);
	udp[2] = FCN_ROCE_UDP_PORT >> 8;
	udp[3] = FCN_ROCE_UDP_PORT & 0xFF;
	udp[5] = FCN_CNP_UDP_LEN;
	udp[FCN_CNP_BTH_OFF] = FCN_BTH_OPCODE_CNP;
	udp[FCN_CNP_ECN_OFF] = FCN_BTH_BECN;
}

/**
 * Convert to network byte order like rte_cpu_to_be_16(), but with a rotation, which on x86 takes a
 * third of the time of DPDK's xchgb.
 */
static inline rte_be16_t
fcn_cnp_be16(uint16_t value)
{
#if RTE_BYTE_ORDER == RTE_LITTLE_ENDIAN
	return __builtin_bswap16(value);
#else
	return value;
#endif
}

/**
 * Write the variable fields, which are passed in host byte order. Every store is a whole word, so
 * that later loads of a word do not stall.
 */
static inline void
fcn_cnp_l4_patch(uint8_t *udp, uint16_t src_port, uint16_t p_key, uint32_t dest_qp)
{
	rte_be16_t port = fcn_cnp_be16(src_port), key = fcn_cnp_be16(p_key);
	rte_be32_t ecn_qp = rte_cpu_to_be_32((uint32_t)FCN_BTH_BECN << 24 | (dest_qp & 0xFFFFFF));

	memcpy(udp, &port, sizeof(port));
	memcpy(udp + FCN_CNP_P_KEY_OFF, &key, sizeof(key));
	memcpy(udp + FCN_CNP_ECN_OFF, &ecn_qp, sizeof(ecn_qp));
}

/**
 * Get the UDP checksum, as it is written, from a sum in one's complement of 64 bits of what it
 * covers. The halves are added as often as it takes to come to 16 bits.
 */
static inline uint16_t
fcn_cnp_checksum(uint64_t sum)
{
	/* The upper half of the sum of both orders of the halves has their sum and its carry. */
	uint32_t half = (uint32_t)((sum + (sum << 32 | sum >> 32)) >> 32);
	uint16_t folded = (uint16_t) ~((half + (half << 16 | half >> 16)) >> 16);

	return folded == 0 ? 0xFFFF : folded;
}

/** Read the fields of a CNP or Fast CNP. The caller has checked that the frame is one. */
void fcn_cnp_read(const uint8_t *data, const struct fcn_wire_info *info, struct fcn_cnp *cnp);

#endif /* FCN_CNP_L4_H */
