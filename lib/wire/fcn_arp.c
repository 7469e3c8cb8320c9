/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <string.h>

#include "fcn_arp.h"
#include "fcn_inet.h"

/* Offsets in the message. */
#define HTYPE_OFF 0
#define PTYPE_OFF 2
#define HLEN_OFF 4
#define PLEN_OFF 5
#define OPCODE_OFF 6
#define SHA_OFF 8
#define SPA_OFF 14
#define THA_OFF 18
#define TPA_OFF 24

#define HTYPE_ETHERNET 1

enum fcn_msg_error
fcn_arp_parse(const uint8_t *data, uint32_t len, struct fcn_arp *out)
{
	struct fcn_arp arp;

	if (len < FCN_ARP_LEN)
		return FCN_MSG_TRUNCATED;
	if (fcn_get_be16(data + HTYPE_OFF) != HTYPE_ETHERNET ||
			fcn_get_be16(data + PTYPE_OFF) != RTE_ETHER_TYPE_IPV4 ||
			data[HLEN_OFF] != RTE_ETHER_ADDR_LEN || data[PLEN_OFF] != 4)
		return FCN_MSG_ARP_FORMAT;
	arp.opcode = fcn_get_be16(data + OPCODE_OFF);
	memcpy(&arp.sender_mac, data + SHA_OFF, RTE_ETHER_ADDR_LEN);
	memcpy(arp.sender_ip, data + SPA_OFF, 4);
	memcpy(&arp.target_mac, data + THA_OFF, RTE_ETHER_ADDR_LEN);
	memcpy(arp.target_ip, data + TPA_OFF, 4);
	if (arp.opcode != FCN_ARP_REQUEST && arp.opcode != FCN_ARP_REPLY)
		return FCN_MSG_ARP_OPCODE;
	if (!fcn_mac_is_station(&arp.sender_mac))
		return FCN_MSG_ARP_SENDER_MAC;
	if (!fcn_ip4_is_station(arp.sender_ip) && !fcn_arp_is_probe(&arp))
		return FCN_MSG_ARP_SENDER_IP;
	/* In the reply to a probe, the target has no address yet (RFC 5227 section 2.1.1). */
	if (!fcn_ip4_is_station(arp.target_ip) &&
			!(arp.opcode == FCN_ARP_REPLY && fcn_ip4_is_unspecified(arp.target_ip)))
		return FCN_MSG_TARGET;
	*out = arp;
	return FCN_MSG_OK;
}

uint32_t
fcn_arp_build(const struct fcn_arp *arp, uint8_t *buf, uint32_t room)
{
	if (room < FCN_ARP_LEN)
		return 0;
	fcn_put_be16(buf + HTYPE_OFF, HTYPE_ETHERNET);
	fcn_put_be16(buf + PTYPE_OFF, RTE_ETHER_TYPE_IPV4);
	buf[HLEN_OFF] = RTE_ETHER_ADDR_LEN;
	buf[PLEN_OFF] = 4;
	fcn_put_be16(buf + OPCODE_OFF, arp->opcode);
	memcpy(buf + SHA_OFF, &arp->sender_mac, RTE_ETHER_ADDR_LEN);
	memcpy(buf + SPA_OFF, arp->sender_ip, 4);
	memcpy(buf + THA_OFF, &arp->target_mac, RTE_ETHER_ADDR_LEN);
	memcpy(buf + TPA_OFF, arp->target_ip, 4);
	return FCN_ARP_LEN;
}

uint32_t
fcn_arp_build_request(const struct rte_ether_addr *sender_mac, const uint8_t *sender_ip,
		const struct rte_ether_addr *known, const uint8_t target_ip[4], uint8_t *buf,
		uint32_t room)
{
	struct fcn_arp arp = {.opcode = FCN_ARP_REQUEST, .sender_mac = *sender_mac};

	if (sender_ip != NULL)
		memcpy(arp.sender_ip, sender_ip, 4);
	if (known != NULL)
		arp.target_mac = *known;
	memcpy(arp.target_ip, target_ip, 4);
	return fcn_arp_build(&arp, buf, room);
}

uint32_t
fcn_arp_build_reply(const struct fcn_arp *request, const struct rte_ether_addr *mac, uint8_t *buf,
		uint32_t room)
{
	struct fcn_arp arp = {.opcode = FCN_ARP_REPLY,
			.sender_mac = *mac,
			.target_mac = request->sender_mac};

	memcpy(arp.sender_ip, request->target_ip, 4);
	memcpy(arp.target_ip, request->sender_ip, 4);
	return fcn_arp_build(&arp, buf, room);
}
