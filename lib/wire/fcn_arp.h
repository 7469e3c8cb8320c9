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
	struct rte_ether_addr target_mac; /**< ar$tha; says nothing in a request */
	uint8_t target_ip[4];             /**< ar$tpa; 0.0.0.0 in the reply to a probe */
};

/** A question whether anybody has target_ip, by one who has no address yet (RFC 5227 1.1). */
static inline bool
fcn_arp_is_probe(const struct fcn_arp *arp)
{
	return arp->opcode == FCN_ARP_REQUEST &&
	       (arp->sender_ip[0] | arp->sender_ip[1] | arp->sender_ip[2] | arp->sender_ip[3]) == 0;
}

/** Tells the sender's own address unasked, as request (RFC 5227's announcement) or reply. */
static inline bool
fcn_arp_is_gratuitous(const struct fcn_arp *arp)
{
	return memcmp(arp->sender_ip, arp->target_ip, sizeof(arp->sender_ip)) == 0;
}

/**
 * Read and validate a message.
 *
 * @param data from the hardware type on
 * @param len  bytes readable at data; what stands behind FCN_ARP_LEN is padding
 * @param out  written when the result is FCN_MSG_OK
 * @return FCN_MSG_OK; FCN_MSG_TRUNCATED; FCN_MSG_ARP_FORMAT; FCN_MSG_ARP_OPCODE;
 *         FCN_MSG_ARP_SENDER_MAC (zero or group); FCN_MSG_ARP_SENDER_IP (an address
 *         no station has, other than a probe's 0.0.0.0); FCN_MSG_TARGET
 *         (the same; 0.0.0.0 is valid in a reply). Whether ar$sha is the
 *         frame's source address, and whether an address is a subnet's
 *         broadcast address, is the caller's to check.
 */
enum fcn_msg_error fcn_arp_parse(const uint8_t *data, uint32_t len, struct fcn_arp *out);

/**
 * Build a message as it is given, unchecked.
 *
 * @return FCN_ARP_LEN, or 0 when room is smaller
 */
uint32_t fcn_arp_build(const struct fcn_arp *arp, uint8_t *buf, uint32_t room);

/**
 * Build a request; to the broadcast address, or to the station that is thought
 * to have the address (RFC 1122 section 2.3.2.1).
 *
 * @param sender_ip NULL: a probe
 * @param known     what ar$tha is to say; NULL: zero
 */
uint32_t fcn_arp_build_request(const struct rte_ether_addr *sender_mac, const uint8_t *sender_ip,
		const struct rte_ether_addr *known, const uint8_t target_ip[4], uint8_t *buf,
		uint32_t room);

/** Build the reply to a request for an address that mac has; it goes to request->sender_mac. */
uint32_t fcn_arp_build_reply(const struct fcn_arp *request, const struct rte_ether_addr *mac,
		uint8_t *buf, uint32_t room);

/** Build an announcement (RFC 5227 section 2.3); to the broadcast address. */
uint32_t fcn_arp_build_announcement(
		const struct rte_ether_addr *mac, const uint8_t ip[4], uint8_t *buf, uint32_t room);

#endif /* FCN_ARP_H */
