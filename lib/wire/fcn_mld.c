/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <string.h>

#include <netinet/in.h>

#include "icmp6_common.h"
#include "fcn_inet.h"
#include "fcn_mld.h"
#include "fcn_nd.h"

#define PLEN_OFF 4
#define NH_OFF 6
#define HOP_LIMIT_OFF 7
#define SRC_OFF 8

#define OPT_PAD1 0
#define OPT_PADN 1
#define OPT_ROUTER_ALERT 5
#define ROUTER_ALERT_LEN 2 /* length of the value; value 0 is for MLD */

#define HBH_LEN 8
#define MESSAGE_OFF (FCN_IP6_LEN + HBH_LEN)

/* Lengths of the messages, and offsets of their fields. */
#define V1_LEN 24
#define V2_QUERY_LEN 28
#define REPORT_LEN 8
#define DELAY_OFF 4
#define GROUP_OFF 8
#define N_SOURCES_OFF 26
#define N_RECORDS_OFF 6

const uint8_t fcn_mld_all_routers[16] = {0xFF, 0x02, [15] = 0x16};

static const uint8_t unspecified[16];

/*
 * Check whether the packet begins with a Hop-by-Hop Options header that has a Router Alert option
 * for MLD. The extension headers were parsed before and are known to be readable.
 */
static bool
has_router_alert(const uint8_t *ip)
{
	uint32_t off = FCN_IP6_LEN + 2, end;

	if (ip[NH_OFF] != IPPROTO_HOPOPTS)
		return false;
	end = FCN_IP6_LEN + (ip[FCN_IP6_LEN + 1] + 1u) * 8;
	while (off < end) {
		if (ip[off] == OPT_PAD1) {
			off++;
			continue;
		}
		if (off + 2 > end || off + 2 + ip[off + 1] > end)
			return false;
		if (ip[off] == OPT_ROUTER_ALERT)
			return ip[off + 1] == ROUTER_ALERT_LEN && fcn_get_be16(ip + off + 2) == 0;
		off += 2u + ip[off + 1];
	}
	return false;
}

/*
 * Decode a Maximum Response Code. Large values have a mantissa and an exponent (RFC 3810 section
 * 5.1.3).
 */
static uint32_t
delay_of_code(uint16_t code)
{
	if (code < 0x8000)
		return code;
	return (uint32_t)(0x1000 | (code & 0x0FFF)) << ((code >> 12 & 7) + 3);
}

enum fcn_msg_error
fcn_mld_parse_query(const uint8_t *ip, uint32_t len, struct fcn_mld_query *out)
{
	struct fcn_mld_query q = {.version = 1};
	struct fcn_ip6_chain chain;
	enum fcn_msg_error error;
	const uint8_t *icmp;
	uint32_t icmp_len;

	error = fcn_icmp6_find(ip, len, &chain);
	if (error != FCN_MSG_OK)
		return error;
	icmp = ip + chain.off;
	icmp_len = chain.end - chain.off;
	if (icmp[0] != FCN_MLD_QUERY)
		return FCN_MSG_TYPE;
	if (ip[HOP_LIMIT_OFF] != FCN_MLD_HOP_LIMIT)
		return FCN_MSG_HOP_LIMIT;
	if (icmp[1] != 0)
		return FCN_MSG_CODE;
	if (!fcn_ip6_is_link_local(ip + SRC_OFF))
		return FCN_MSG_SOURCE;
	if (!has_router_alert(ip))
		return FCN_MSG_ROUTER_ALERT;
	/* The version follows from the length (RFC 3810 section 8.1). */
	if (icmp_len != V1_LEN && icmp_len < V2_QUERY_LEN)
		return FCN_MSG_TRUNCATED;
	q.max_delay_ms = fcn_get_be16(icmp + DELAY_OFF);
	if (icmp_len != V1_LEN) {
		q.version = 2;
		q.max_delay_ms = delay_of_code((uint16_t)q.max_delay_ms);
		q.n_sources = fcn_get_be16(icmp + N_SOURCES_OFF);
		if (icmp_len - V2_QUERY_LEN < q.n_sources * 16u)
			return FCN_MSG_TRUNCATED;
	}
	memcpy(q.src, ip + SRC_OFF, 16);
	memcpy(q.group, icmp + GROUP_OFF, 16);
	if (!fcn_ip6_is_multicast(q.group) && !fcn_ip6_is_unspecified(q.group))
		return FCN_MSG_TARGET;
	*out = q;
	return FCN_MSG_OK;
}

/*
 * Write the headers of a message of icmp_len bytes, and the message with all bytes zero but the
 * type.
 *
 * @return the message
 */
static uint8_t *
begin(uint8_t *buf, uint8_t type, const uint8_t *src, const uint8_t *dst, uint32_t icmp_len)
{
	static const uint8_t hop_by_hop[HBH_LEN] = {
			IPPROTO_ICMPV6, 0, OPT_ROUTER_ALERT, ROUTER_ALERT_LEN, 0, 0, OPT_PADN, 0};
	uint8_t *icmp = buf + MESSAGE_OFF;

	fcn_icmp6_put_ip(buf, src != NULL ? src : unspecified, dst, FCN_CONTROL_TCLASS,
			FCN_MLD_HOP_LIMIT, HBH_LEN + icmp_len);
	buf[NH_OFF] = IPPROTO_HOPOPTS;
	memcpy(buf + FCN_IP6_LEN, hop_by_hop, HBH_LEN);
	memset(icmp, 0, icmp_len);
	icmp[0] = type;
	return icmp;
}

uint32_t
fcn_mld_build_report(const uint8_t *src, const struct fcn_mld_record *record, uint16_t n,
		uint8_t *buf, uint32_t room)
{
	uint32_t len = REPORT_LEN + n * (uint32_t)FCN_MLD_RECORD_LEN;
	uint8_t *icmp, *p;

	if (n == 0 || len > UINT16_MAX - HBH_LEN || room < MESSAGE_OFF + len)
		return 0;
	icmp = begin(buf, FCN_MLD_REPORT_V2, src, fcn_mld_all_routers, len);
	fcn_put_be16(icmp + N_RECORDS_OFF, n);
	p = icmp + REPORT_LEN;
	for (uint16_t i = 0; i < n; i++, p += FCN_MLD_RECORD_LEN) {
		p[0] = record[i].type;
		memcpy(p + 4, record[i].group, 16);
	}
	return fcn_icmp6_put_checksum_at(buf, MESSAGE_OFF, len);
}

uint32_t
fcn_mld_build_v1(const uint8_t *src, uint8_t type, const uint8_t group[16], uint8_t *buf,
		uint32_t room)
{
	uint8_t *icmp;

	if (room < MESSAGE_OFF + V1_LEN)
		return 0;
	icmp = begin(buf, type, src, type == FCN_MLD_DONE ? fcn_nd_all_routers : group, V1_LEN);
	memcpy(icmp + GROUP_OFF, group, 16);
	return fcn_icmp6_put_checksum_at(buf, MESSAGE_OFF, V1_LEN);
}
