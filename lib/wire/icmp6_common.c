/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <string.h>

#include <netinet/in.h>

#include <rte_common.h>
#include <rte_ip.h>

#include "icmp6_common.h"
#include "fcn_inet.h"
#include "fcn_parse.h"

#define PLEN_OFF 4
#define NH_OFF 6
#define HOP_LIMIT_OFF 7
#define SRC_OFF 8
#define DST_OFF 24
#define CKSUM_OFF 2 /* in ICMPv6 */

#define EXT_MIN_LEN 8
#define PROTO_HIP 139
#define PROTO_SHIM6 140
#define FRAG_OFFSET_MASK 0xFFF8

static bool
is_extension(uint8_t proto)
{
	switch (proto) {
	case IPPROTO_HOPOPTS:
	case IPPROTO_ROUTING:
	case IPPROTO_FRAGMENT:
	case IPPROTO_AH:
	case IPPROTO_DSTOPTS:
	case IPPROTO_MH:
	case PROTO_HIP:
	case PROTO_SHIM6:
		return true;
	default:
		return false;
	}
}

/* Get the length of the extension header at p, of which EXT_MIN_LEN bytes are readable. */
static uint32_t
extension_len(uint8_t proto, const uint8_t *p)
{
	if (proto == IPPROTO_FRAGMENT)
		return EXT_MIN_LEN;
	if (proto == IPPROTO_AH)
		return (p[1] + 2u) * 4;
	return (p[1] + 1u) * 8;
}

enum fcn_ip6_chain_result
fcn_ip6_chain_walk(const uint8_t *ip, uint32_t len, struct fcn_ip6_chain *chain)
{
	uint32_t off = FCN_IP6_LEN, end;
	uint8_t proto;

	memset(chain, 0, sizeof(*chain));
	if (len < FCN_IP6_LEN || ip[0] >> 4 != 6)
		return FCN_IP6_CHAIN_BROKEN;
	proto = ip[NH_OFF];
	end = FCN_IP6_LEN + fcn_get_be16(ip + PLEN_OFF);
	while (is_extension(proto)) {
		const uint8_t *p = ip + off;
		uint8_t here = proto;

		if (chain->later)
			return FCN_IP6_CHAIN_UNKNOWN; /* in the first fragment */
		if (off + EXT_MIN_LEN > end)
			return FCN_IP6_CHAIN_BROKEN;
		if (off + EXT_MIN_LEN > len || off > FCN_PARSE_MAX_HEADERS)
			return FCN_IP6_CHAIN_UNKNOWN;
		if (here == IPPROTO_FRAGMENT) {
			chain->fragment = true;
			chain->later = (fcn_get_be16(p + 2) & FRAG_OFFSET_MASK) != 0;
		}
		off += extension_len(here, p);
		proto = p[0];
		if (off > end)
			return FCN_IP6_CHAIN_BROKEN;
	}
	chain->off = off;
	chain->end = end;
	chain->proto = proto;
	return FCN_IP6_CHAIN_UPPER;
}

/* Compute the one's complement sum over pseudo-header (RFC 8200 section 8.1) and message. */
static uint16_t
sum_of(const uint8_t *ip, const uint8_t *icmp, uint32_t len)
{
	/* The source address is followed by the destination address. */
	uint32_t sum = rte_raw_cksum(ip + SRC_OFF, 32);

	sum += rte_raw_cksum(icmp, len);
	sum += rte_cpu_to_be_16((uint16_t)len);
	sum += rte_cpu_to_be_16(IPPROTO_ICMPV6);
	sum = (sum & 0xFFFF) + (sum >> 16);
	return (uint16_t)(sum + (sum >> 16));
}

enum fcn_msg_error
fcn_icmp6_find(const uint8_t *ip, uint32_t len, struct fcn_ip6_chain *chain)
{
	if (len < FCN_IP6_LEN)
		return FCN_MSG_TRUNCATED;
	if (ip[0] >> 4 != 6)
		return FCN_MSG_IP_HEADER;
	if (FCN_IP6_LEN + (uint32_t)fcn_get_be16(ip + PLEN_OFF) > len)
		return FCN_MSG_TRUNCATED;
	if (fcn_ip6_chain_walk(ip, len, chain) != FCN_IP6_CHAIN_UPPER)
		return chain->fragment ? FCN_MSG_FRAGMENT : FCN_MSG_IP_HEADER;
	if (chain->proto != IPPROTO_ICMPV6)
		return FCN_MSG_PROTOCOL;
	if (chain->fragment)
		return FCN_MSG_FRAGMENT;
	if (chain->end - chain->off < FCN_ICMP6_HDR_LEN)
		return FCN_MSG_TRUNCATED;
	if (sum_of(ip, ip + chain->off, chain->end - chain->off) != 0xFFFF)
		return FCN_MSG_CHECKSUM;
	return FCN_MSG_OK;
}

void
fcn_icmp6_put_ip(uint8_t *ip, const uint8_t src[16], const uint8_t dst[16], uint8_t tclass,
		uint8_t hop_limit, uint32_t icmp_len)
{
	fcn_put_be32(ip, 6u << 28 | (uint32_t)tclass << 20);
	fcn_put_be16(ip + PLEN_OFF, (uint16_t)icmp_len);
	ip[NH_OFF] = IPPROTO_ICMPV6;
	ip[HOP_LIMIT_OFF] = hop_limit;
	memcpy(ip + SRC_OFF, src, 16);
	memcpy(ip + DST_OFF, dst, 16);
}

uint32_t
fcn_icmp6_put_checksum_at(uint8_t *ip, uint32_t off, uint32_t icmp_len)
{
	uint8_t *cksum = ip + off + CKSUM_OFF;
	uint16_t sum;

	fcn_put_be16(cksum, 0);
	sum = (uint16_t)~sum_of(ip, ip + off, icmp_len);
	memcpy(cksum, &sum, sizeof(sum));
	return off + icmp_len;
}

uint32_t
fcn_icmp6_put_checksum(uint8_t *ip, uint32_t icmp_len)
{
	return fcn_icmp6_put_checksum_at(ip, FCN_IP6_LEN, icmp_len);
}
