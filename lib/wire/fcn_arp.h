/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Address Resolution Protocol for IPv4 over Ethernet (RFC 826), with probes and
 * announcements (RFC 5227).
 *
 * Pure functions over the bytes behind the Ethernet header and its VLAN tags;
 * safe from any thread.
 */

#ifndef FCN_ARP_H
#define FCN_ARP_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <rte_ether.h>

#include "fcn_msg_error.h"

#define FCN_ARP_LEN 28 /**< bytes of a message */
#define FCN_ARP_REQUEST 1
#define FCN_ARP_REPLY 2

/** A message. IP addresses in network byte order. */
struct fcn_arp {
	uint16_t opcode;                  /**< FCN_ARP_REQUEST or FCN_ARP_REPLY */
	struct rte_ether_addr sender_mac; /**< ar$sha */
	uint8_t sender_ip[4];             /**< ar$spa; 0.0.0.0 in a probe */
	struct rte_ether_addr target_mac; /**< ar$tha; ignored in a request */
	uint8_t target_ip[4];             /**< ar$tpa; 0.0.0.0 in the reply to a probe */
};

/**
 * Check whether a message is a probe: a request by which a station without an address asks if
 * target_ip is in use (RFC 5227 section 1.1).
 */
static inline bool
fcn_arp_is_probe(const struct fcn_arp *arp)
{
	return arp->opcode == FCN_ARP_REQUEST &&
	       (arp->sender_ip[0] | arp->sender_ip[1] | arp->sender_ip[2] | arp->sender_ip[3]) == 0;
}

/**
 * Read and validate a message. The caller checks two things that the message alone does not show:
 * whether ar$sha is the source address of the frame, and whether an address is the broadcast
 * address of a subnet.
 *
 * @param data first byte of the message, its hardware type
 * @param len  bytes readable at data; those after FCN_ARP_LEN are padding
 * @param out  written when the result is FCN_MSG_OK
 * @return FCN_MSG_OK, or the first defect: FCN_MSG_TRUNCATED; FCN_MSG_ARP_FORMAT;
 *         FCN_MSG_ARP_OPCODE; FCN_MSG_ARP_SENDER_MAC (zero or a group address);
 *         FCN_MSG_ARP_SENDER_IP (no address of a station, and not the 0.0.0.0 of a probe);
 *         FCN_MSG_TARGET (no address of a station; 0.0.0.0 is valid in a reply)
 */
enum fcn_msg_error fcn_arp_parse(const uint8_t *data, uint32_t len, struct fcn_arp *out);

/**
 * Build a message from the fields given, without checks.
 *
 * @return FCN_ARP_LEN, or 0 when room is smaller
 */
uint32_t fcn_arp_build(const struct fcn_arp *arp, uint8_t *buf, uint32_t room);

/**
 * Build a request. The caller sends it to the broadcast address, or, to confirm a cache entry, to
 * the station that had the address last (RFC 1122 section 2.3.2.1).
 *
 * @param sender_ip 4 bytes; NULL builds a probe
 * @param known     MAC address for ar$tha; NULL: it is zero
 * @return FCN_ARP_LEN, or 0 when room is smaller
 */
uint32_t fcn_arp_build_request(const struct rte_ether_addr *sender_mac, const uint8_t *sender_ip,
		const struct rte_ether_addr *known, const uint8_t target_ip[4], uint8_t *buf,
		uint32_t room);

/**
 * Build the reply to a request for an address of the station with the address mac. The caller sends
 * it to request->sender_mac.
 *
 * @return FCN_ARP_LEN, or 0 when room is smaller
 */
uint32_t fcn_arp_build_reply(const struct fcn_arp *request, const struct rte_ether_addr *mac,
		uint8_t *buf, uint32_t room);

#endif /* FCN_ARP_H */
