/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/** @file ICMPv6 messages that stations send to the switch, and the switch never sends itself. */

#ifndef ICMP6_REQUEST_H
#define ICMP6_REQUEST_H

#include <string.h>

#include "fcn_icmp6.h"
#include "icmp6_common.h"
#include "fcn_inet.h"
#include "fcn_nd.h"

/**
 * Build an echo request (RFC 4443 section 4.1). buf has room for it. @return bytes of the packet
 */
static inline uint32_t
echo_request6(const uint8_t src[16], const uint8_t dst[16], uint16_t id, uint16_t seq,
		const uint8_t *data, uint32_t data_len, uint8_t *buf)
{
	const uint8_t icmp[8] = {FCN_ICMP6_ECHO_REQUEST, 0, 0, 0, (uint8_t)(id >> 8), (uint8_t)id,
			(uint8_t)(seq >> 8), (uint8_t)seq};

	fcn_icmp6_put_ip(buf, src, dst, 0, 64, sizeof(icmp) + data_len);
	memcpy(buf + FCN_IP6_LEN, icmp, sizeof(icmp));
	memcpy(buf + FCN_IP6_LEN + sizeof(icmp), data, data_len);
	return fcn_icmp6_put_checksum(buf, sizeof(icmp) + data_len);
}

/**
 * Build a router solicitation (RFC 4861 section 4.1); src NULL: from ::, without an option. buf has
 * room for it.
 *
 * @return bytes of the packet
 */
static inline uint32_t
router_solicitation(const uint8_t *src, const struct rte_ether_addr *mac, uint8_t *buf)
{
	static const uint8_t none[16];
	uint8_t *icmp = buf + FCN_IP6_LEN;
	uint32_t len = src == NULL ? 8 : 16;

	fcn_icmp6_put_ip(buf, src == NULL ? none : src, fcn_nd_all_routers, 0xC0, 255, len);
	memset(icmp, 0, len);
	icmp[0] = FCN_ND_ROUTER_SOLICIT;
	if (src != NULL) {
		icmp[8] = 1; /* source link-layer address, of 8 octets */
		icmp[9] = 1;
		memcpy(icmp + 10, mac, RTE_ETHER_ADDR_LEN);
	}
	return fcn_icmp6_put_checksum(buf, len);
}

#endif /* ICMP6_REQUEST_H */
