/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The five-tuple of a flow as messages between switches carry it: the flow identifier of an
 * Adaptive Routing Notification (draft-hu-rtgwg-rocev2-fcn section 4.1.1). The draft does not
 * define the packing; doc/decisions.md does.
 *
 *     octet 0   IP version (high 4 bits), congestion level (3 bits), 0
 *           1   protocol
 *           2   0 (two octets)
 *           4   source port, destination port (two octets each)
 *           8   source address, destination address (4 or 16 octets each)
 *
 * Pure functions, safe from any thread.
 */

#ifndef FCN_FLOW_DESCRIPTOR_H
#define FCN_FLOW_DESCRIPTOR_H

#include <stdint.h>

#define FCN_FLOW_DESCRIPTOR_LEN4 16 /**< bytes with IPv4 addresses */
#define FCN_FLOW_DESCRIPTOR_LEN6 40 /**< bytes with IPv6 addresses */

/** Addresses are in network byte order, of which IPv4 uses the first 4 bytes. */
struct fcn_flow_descriptor {
	uint8_t version;   /**< 4 or 6 */
	uint8_t level;     /**< congestion level, 0 to 7 */
	uint8_t proto;     /**< protocol number */
	uint16_t src_port; /**< host byte order; 0 when the protocol has none */
	uint16_t dst_port; /**< host byte order; 0 when the protocol has none */
	uint8_t src[16];
	uint8_t dst[16];
};

/** Bytes of the descriptor whose first octet this is; 0 when the IP version is neither 4 nor 6. */
static inline uint32_t
fcn_flow_descriptor_len(uint8_t first)
{
	switch (first >> 4) {
	case 4:
		return FCN_FLOW_DESCRIPTOR_LEN4;
	case 6:
		return FCN_FLOW_DESCRIPTOR_LEN6;
	default:
		return 0;
	}
}

/**
 * Read a descriptor. Reserved bits are ignored.
 *
 * @param data fcn_flow_descriptor_len() bytes, which is not 0
 * @param flow every field is written; the last 12 bytes of IPv4 addresses are 0
 */
void fcn_flow_descriptor_read(const uint8_t *data, struct fcn_flow_descriptor *flow);

/**
 * Write a descriptor.
 *
 * @param flow version is 4 or 6
 * @param buf  room for the descriptor
 * @return bytes written
 */
uint32_t fcn_flow_descriptor_write(const struct fcn_flow_descriptor *flow, uint8_t *buf);

#endif /* FCN_FLOW_DESCRIPTOR_H */
