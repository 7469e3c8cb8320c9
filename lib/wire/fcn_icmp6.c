/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <string.h>

#include <netinet/in.h>

#include <rte_common.h>

#include "fcn_icmp6.h"
#include "icmp6_common.h"
#include "fcn_inet.h"

#define SRC_OFF 8
#define DST_OFF 24
#define PARAM_OFF 4 /* in ICMPv6 */
#define SEQ_OFF 6

#define ECN_MASK 0x03
#define OPTION_ACTION_MASK 0xC0
#define OPTION_ACTION_REPORT 0x80 /* discard and report, even if the destination is multicast */
#define EXTENDED_MIN_QUOTE 128    /* octets in front of extensions, RFC 4884 section 4 */

/*
 * Find the extent of the quoted packet, without extensions and without bytes behind its payload
 * length.
 */
static void
find_quote(const uint8_t *ip, struct fcn_icmp6 *out)
{
	const uint8_t *icmp = ip + out->off, *quote = icmp + FCN_ICMP6_HDR_LEN;
	uint32_t len = out->len - FCN_ICMP6_HDR_LEN;

	if (out->type == FCN_ICMP6_UNREACHABLE || out->type == FCN_ICMP6_TIME_EXCEEDED) {
		uint32_t original = icmp[PARAM_OFF] * 8u;

		if (original >= EXTENDED_MIN_QUOTE && original < len)
			len = original;
	}
	if (len >= FCN_IP6_LEN && quote[0] >> 4 == 6)
		len = RTE_MIN(len, FCN_IP6_LEN + (uint32_t)fcn_get_be16(quote + 4));
	out->quote_off = out->off + FCN_ICMP6_HDR_LEN;
	out->quote_len = len;
}

enum fcn_msg_error
fcn_icmp6_parse(const uint8_t *ip, uint32_t len, struct fcn_icmp6 *out)
{
	struct fcn_ip6_chain chain;
	enum fcn_msg_error error;
	const uint8_t *icmp;

	error = fcn_icmp6_find(ip, len, &chain);
	if (error != FCN_MSG_OK)
		return error;
	if (fcn_ip6_is_multicast(ip + SRC_OFF))
		return FCN_MSG_SOURCE;

	memset(out, 0, sizeof(*out));
	icmp = ip + chain.off;
	out->type = icmp[0];
	out->code = icmp[1];
	out->tclass = (uint8_t)(ip[0] << 4 | ip[1] >> 4);
	out->hop_limit = ip[7];
	memcpy(out->src, ip + SRC_OFF, 16);
	memcpy(out->dst, ip + DST_OFF, 16);
	out->off = chain.off;
	out->len = chain.end - chain.off;
	if (out->type == FCN_ICMP6_TOO_BIG || out->type == FCN_ICMP6_PARAM_PROBLEM)
		out->param = fcn_get_be32(icmp + PARAM_OFF);
	if (out->type == FCN_ICMP6_ECHO_REQUEST || out->type == FCN_ICMP6_ECHO_REPLY) {
		out->id = fcn_get_be16(icmp + PARAM_OFF);
		out->seq = fcn_get_be16(icmp + SEQ_OFF);
	}
	if (out->type < FCN_ICMP6_INFORMATIONAL)
		find_quote(ip, out);
	return FCN_MSG_OK;
}

uint32_t
fcn_icmp6_build_echo_reply(const uint8_t *request, const struct fcn_icmp6 *msg, const uint8_t *src,
		uint8_t hop_limit, uint8_t *buf, uint32_t room)
{
	uint8_t *icmp = buf + FCN_IP6_LEN;

	if (src == NULL)
		src = msg->dst;
	if (msg->type != FCN_ICMP6_ECHO_REQUEST || room < FCN_IP6_LEN ||
			room - FCN_IP6_LEN < msg->len || !fcn_ip6_is_station(msg->src) ||
			fcn_ip6_is_multicast(src))
		return 0;
	memmove(icmp, request + msg->off, msg->len);
	icmp[0] = FCN_ICMP6_ECHO_REPLY;
	icmp[1] = 0;
	fcn_icmp6_put_ip(buf, src, msg->src, msg->tclass & ~ECN_MASK, hop_limit, msg->len);
	return fcn_icmp6_put_checksum(buf, msg->len);
}

/* Check whether the error is one that is sent even about a packet to a group. */
static bool
may_answer_group(const struct fcn_icmp6_error *error, const uint8_t *ip, uint32_t len)
{
	if (error->type == FCN_ICMP6_TOO_BIG)
		return true;
	return error->type == FCN_ICMP6_PARAM_PROBLEM && error->code == FCN_ICMP6_BAD_OPTION &&
	       error->param >= FCN_IP6_LEN && error->param < len &&
	       (ip[error->param] & OPTION_ACTION_MASK) == OPTION_ACTION_REPORT;
}

/* Check whether the packet is, or may be, an ICMPv6 error or redirect. */
static bool
may_be_error(const uint8_t *ip, uint32_t len)
{
	struct fcn_ip6_chain chain;
	uint8_t type;

	switch (fcn_ip6_chain_walk(ip, len, &chain)) {
	case FCN_IP6_CHAIN_UPPER:
		break;
	case FCN_IP6_CHAIN_BROKEN:
		return false;
	default:
		return true;
	}
	if (chain.proto != IPPROTO_ICMPV6)
		return false;
	if (chain.later || chain.off >= chain.end || chain.off >= len)
		return true;
	type = ip[chain.off];
	return type < FCN_ICMP6_INFORMATIONAL || type == FCN_ICMP6_REDIRECT;
}

bool
fcn_icmp6_may_answer(const struct fcn_icmp6_error *error, const uint8_t *ip, uint32_t len,
		bool link_group)
{
	if (len < FCN_IP6_LEN || ip[0] >> 4 != 6)
		return false;
	if (!fcn_ip6_is_station(ip + SRC_OFF))
		return false;
	if ((link_group || fcn_ip6_is_multicast(ip + DST_OFF)) && !may_answer_group(error, ip, len))
		return false;
	return !may_be_error(ip, len);
}

uint32_t
fcn_icmp6_build_error(const struct fcn_icmp6_error *error, const uint8_t src[16], uint8_t hop_limit,
		const uint8_t *ip, uint32_t len, uint8_t *buf, uint32_t room)
{
	const uint32_t headers = FCN_IP6_LEN + FCN_ICMP6_HDR_LEN;
	uint8_t *icmp = buf + FCN_IP6_LEN;

	if (len < FCN_IP6_LEN || ip[0] >> 4 != 6)
		return 0;
	len = RTE_MIN(len, FCN_IP6_LEN + (uint32_t)fcn_get_be16(ip + 4));
	len = RTE_MIN(len, FCN_ICMP6_ERROR_MAX - headers);
	if (room < headers + len)
		return 0;
	fcn_icmp6_put_ip(buf, src, ip + SRC_OFF, FCN_CONTROL_TCLASS, hop_limit,
			FCN_ICMP6_HDR_LEN + len);
	icmp[0] = error->type;
	icmp[1] = error->code;
	fcn_put_be32(icmp + PARAM_OFF, error->param);
	memcpy(icmp + FCN_ICMP6_HDR_LEN, ip, len);
	return fcn_icmp6_put_checksum(buf, FCN_ICMP6_HDR_LEN + len);
}
