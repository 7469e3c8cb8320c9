/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * MAC Control frames: Priority-based Flow Control (IEEE 802.1Q clause 36,
 * IEEE 802.3 annex 31D) and PAUSE (IEEE 802.3 annex 31B).
 *
 * Times are quanta of 512 bit times of the link; 0 means "go on".
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

/** 01-80-C2-00-00-01, where both kinds are sent to. */
extern const struct rte_ether_addr fcn_mac_control_addr;

enum fcn_mac_control_type {
	FCN_MAC_CONTROL_IS_PFC,
	FCN_MAC_CONTROL_IS_PAUSE,
	FCN_MAC_CONTROL_IS_OTHER,     /**< another opcode, or tagged: not for us */
	FCN_MAC_CONTROL_IS_MALFORMED, /**< too short for its fields */
};

/** A MAC Control frame, read. */
struct fcn_mac_control {
	enum fcn_mac_control_type type;
	/** PFC: bit set: priorities the frame speaks of; PAUSE: all of them. */
	uint8_t priorities;
	/** Pause time of each such priority, quanta; PAUSE: the one time, in all of them. */
	uint16_t quanta[FCN_PFC_PRIORITIES];
};

/**
 * Read a frame of EtherType 0x8808.
 *
 * @param data the frame, from its Ethernet header on
 * @param len  bytes readable at data
 * @param out  written in full; priorities and quanta are 0 unless it is PFC or PAUSE
 * @return out->type. The upper octet of the PFC class enable vector is
 *         reserved and ignored, and so are quanta of priorities that are not
 *         enabled. Padding is not required, only the fields themselves. MAC
 *         Control frames are never tagged: with anything but 0x8808 in the type
 *         field of the Ethernet header the result is FCN_MAC_CONTROL_IS_OTHER.
 *         The destination address is the caller's to check.
 */
enum fcn_mac_control_type fcn_mac_control_parse(
		const uint8_t *data, uint32_t len, struct fcn_mac_control *out);

/**
 * Build a PFC frame.
 *
 * @param buf        room for FCN_PFC_FRAME_LEN bytes, all of which are written
 * @param source     MAC address of the sending port
 * @param priorities bit set: class enable vector
 * @param quanta     pause time of each priority; those of the others are written as 0
 */
void fcn_pfc_build(uint8_t *buf, const struct rte_ether_addr *source, uint8_t priorities,
		const uint16_t quanta[FCN_PFC_PRIORITIES]);

/** Build a PAUSE frame, like fcn_pfc_build(). */
void fcn_pause_build(uint8_t *buf, const struct rte_ether_addr *source, uint16_t quanta);

/**
 * Nanoseconds that so many quanta last on a link, rounded up: the first whole
 * nanosecond at which sending may begin again.
 *
 * @param bps bits per second, 0: no link, no time
 */
uint64_t fcn_pfc_quanta_to_ns(uint16_t quanta, uint64_t bps);

#endif /* FCN_PFC_H */
