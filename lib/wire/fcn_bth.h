/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * InfiniBand Base Transport Header (InfiniBand Architecture Specification volume 1, section 9.2),
 * as RoCEv2 carries it behind UDP port 4791 (annex A17).
 */

#ifndef FCN_BTH_H
#define FCN_BTH_H

#include <stdbool.h>
#include <stdint.h>

#include <fcn_compat.h>

#define FCN_ROCE_UDP_PORT 4791
#define FCN_ICRC_LEN 4

#define FCN_BTH_TVER_MASK 0x0F
#define FCN_BTH_FECN 0x80
#define FCN_BTH_BECN 0x40

#define FCN_BTH_OP_MASK 0x1F        /**< operation: the low five bits of the opcode */
#define FCN_BTH_TRANSPORT_MASK 0xE0 /**< transport: the high three bits */
#define FCN_BTH_TRANSPORT_RC 0x00
#define FCN_BTH_TRANSPORT_UC 0x20
#define FCN_BTH_TRANSPORT_RD 0x40
#define FCN_BTH_TRANSPORT_UD 0x60
#define FCN_BTH_TRANSPORT_CNP 0x80
#define FCN_BTH_TRANSPORT_XRC 0xA0
#define FCN_BTH_OP_ACK 0x11
#define FCN_BTH_OP_ATOMIC_ACK 0x12
#define FCN_BTH_OPCODE_CNP 0x81

/** Base Transport Header, 12 bytes, network byte order. */
FCN_PACKED_BEGIN
struct fcn_bth_hdr {
	uint8_t opcode;     /**< transport (3 bits) and operation (5 bits) */
	uint8_t flags;      /**< SE, MigReq, PadCnt (2 bits), TVer (4 bits) */
	rte_be16_t p_key;   /**< partition key */
	uint8_t ecn;        /**< FECN, BECN, reserved; the one byte that the ICRC masks */
	uint8_t dest_qp[3]; /**< destination queue pair */
	uint8_t ack_req;    /**< AckReq, reserved */
	uint8_t psn[3];     /**< packet sequence number */
} FCN_PACKED_END;

/** Get the destination queue pair in host byte order. */
static inline uint32_t
fcn_bth_dest_qp(const struct fcn_bth_hdr *bth)
{
	return (uint32_t)bth->dest_qp[0] << 16 | (uint32_t)bth->dest_qp[1] << 8 | bth->dest_qp[2];
}

/**
 * Check whether a congested queue sends a notice for a packet with this opcode. It does so for all
 * opcodes except acknowledgements (of every transport that has them) and CNPs, because slowing down
 * their sender would relieve no queue.
 */
static inline bool
fcn_bth_opcode_triggers(uint8_t opcode)
{
	uint8_t op = opcode & FCN_BTH_OP_MASK;

	if ((opcode & FCN_BTH_TRANSPORT_MASK) == FCN_BTH_TRANSPORT_CNP)
		return false;
	return op != FCN_BTH_OP_ACK && op != FCN_BTH_OP_ATOMIC_ACK;
}

#endif /* FCN_BTH_H */
