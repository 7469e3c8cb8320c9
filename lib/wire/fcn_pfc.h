/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * MAC Control frames: Priority-based Flow Control (IEEE 802.1Q clause 36,
 * IEEE 802.3 annex 31D) and PAUSE (IEEE 802.3 annex 31B).
 *
 * Pause times are in quanta of 512 bit times of the link; 0 ends a pause.
 */

#ifndef FCN_PFC_H
#define FCN_PFC_H

#include <stdbool.h>
#include <stdint.h>

#include <rte_ether.h>

#define FCN_MAC_CONTROL_ETHER_TYPE 0x8808
#define FCN_MAC_CONTROL_PAUSE 0x0001 /**< opcode of PAUSE */
#define FCN_MAC_CONTROL_PFC 0x0101   /**< opcode of PFC */

#define FCN_PFC_PRIORITIES 8
#define FCN_PFC_FRAME_LEN 60 /**< without FCS, padding included */
#define FCN_PFC_QUANTUM_BITS 512

/** 01-80-C2-00-00-01, the destination address of both kinds of frames. */
extern const struct rte_ether_addr fcn_mac_control_addr;

enum fcn_mac_control_type {
	FCN_MAC_CONTROL_IS_PFC,
	FCN_MAC_CONTROL_IS_PAUSE,
	FCN_MAC_CONTROL_IS_OTHER,     /**< another opcode, or not EtherType 0x8808 */
	FCN_MAC_CONTROL_IS_MALFORMED, /**< too short for its fields */
};

/** Fields of a MAC Control frame that was parsed. */
struct fcn_mac_control {
	enum fcn_mac_control_type type;
	/** PFC: class enable vector, one bit for each priority; PAUSE: all bits set. */
	uint8_t priorities;
	/**
	 * Pause time of each priority whose bit is set, in quanta; PAUSE: the one pause time in
	 * every element.
	 */
	uint16_t quanta[FCN_PFC_PRIORITIES];
};

/**
 * Read a MAC Control frame. The caller checks its destination address.
 *
 * @param data the frame, from its Ethernet header on
 * @param len  bytes readable at data
 * @param out  every field is written; priorities and quanta are 0 unless the frame is PFC or PAUSE
 * @return out->type. The upper octet of the PFC class enable vector is reserved and ignored, and so
 *         are the quanta of priorities that are not enabled. The frame may lack its padding, but
 *         not its fields. MAC Control frames are never tagged: when the type field of the Ethernet
 *         header is not 0x8808, the result is FCN_MAC_CONTROL_IS_OTHER.
 */
enum fcn_mac_control_type fcn_mac_control_parse(
		const uint8_t *data, uint32_t len, struct fcn_mac_control *out);

/**
 * Build a PFC frame.
 *
 * @param buf        room for FCN_PFC_FRAME_LEN bytes, all of which are written
 * @param source     MAC address of the sending port
 * @param priorities class enable vector, one bit for each priority
 * @param quanta     pause time of each priority; for priorities whose bit is 0, 0 is written
 */
void fcn_pfc_build(uint8_t *buf, const struct rte_ether_addr *source, uint8_t priorities,
		const uint16_t quanta[FCN_PFC_PRIORITIES]);

/**
 * Compute the duration of a number of quanta on a link, in nanoseconds, rounded up to the first
 * whole nanosecond at which transmission may resume.
 *
 * @param bps link speed in bits per second; 0 means that there is no link, and the result is 0
 */
uint64_t fcn_pfc_quanta_to_ns(uint16_t quanta, uint64_t bps);

#endif /* FCN_PFC_H */
