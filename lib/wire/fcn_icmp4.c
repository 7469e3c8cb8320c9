/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <string.h>

#include <netinet/in.h>

#include <rte_common.h>
#include <rte_ip.h>

#include "fcn_icmp4.h"
#include "fcn_inet.h"

/* Offsets in the IPv4 header. */
#define TOTAL_OFF 2
#define ID_OFF 4
#define FRAG_OFF 6
#define TTL_OFF 8
#define PROTO_OFF 9
#define IP_CKSUM_OFF 10
#define SRC_OFF 12
#define DST_OFF 16

#define FLAG_DF 0x4000
#define MORE_OR_OFFSET 0x3FFF
#define OFFSET_MASK 0x1FFF
#define ECN_MASK 0x03

/* Offsets in the ICMP message. */
#define CKSUM_OFF 2
#define WORD_OFF 4
#define ORIGINAL_OFF 5 /* length of the quoted packet in 32-bit words, RFC 4884 section 4 */
#define LOW_OFF 6      /* low half of the word: MTU, sequence number */
#define HDR_LEN 8

#define EXTENDED_MIN_QUOTE 128 /* octets in front of extensions, RFC 4884 section 4 */

/* Get the length of the IPv4 header at ip, all of which is readable; 0: there is no valid one. */
static uint32_t
header_len(const uint8_t *ip, uint32_t len)
{
	uint32_t hdr;

	if (len < FCN_IP4_LEN || ip[0] >> 4 != 4)
		return 0;
	hdr = (ip[0] & 0x0F) * 4u;
	if (hdr < FCN_IP4_LEN || hdr > len || hdr > fcn_get_be16(ip + TOTAL_OFF))
		return 0;
	return hdr;
}

static bool
is_error(uint8_t type)
{
	return type == FCN_ICMP4_UNREACHABLE || type == FCN_ICMP4_SOURCE_QUENCH ||
	       type == FCN_ICMP4_REDIRECT || type == FCN_ICMP4_TIME_EXCEEDED ||
	       type == FCN_ICMP4_PARAM_PROBLEM;
}

/*
 * Find the extent of the quoted packet, without extensions and without bytes behind its total
 * length.
 */
static void
find_quote(const uint8_t *ip, struct fcn_icmp4 *out)
{
	const uint8_t *icmp = ip + out->off, *quote = icmp + HDR_LEN;
	uint32_t len = out->len - HDR_LEN;

	if (out->type == FCN_ICMP4_UNREACHABLE || out->type == FCN_ICMP4_TIME_EXCEEDED ||
			out->type == FCN_ICMP4_PARAM_PROBLEM) {
		uint32_t original = icmp[ORIGINAL_OFF] * 4u;

		if (original >= EXTENDED_MIN_QUOTE && original < len)
			len = original;
	}
	if (header_len(quote, len) != 0)
		len = RTE_MIN(len, (uint32_t)fcn_get_be16(quote + TOTAL_OFF));
	out->quote_off = out->off + HDR_LEN;
	out->quote_len = len;
}

/* Read the word behind the checksum. */
static void
parse_word(const uint8_t *icmp, struct fcn_icmp4 *out)
{
	switch (out->type) {
	case FCN_ICMP4_ECHO_REQUEST:
	case FCN_ICMP4_ECHO_REPLY:
		out->id = fcn_get_be16(icmp + WORD_OFF);
		out->seq = fcn_get_be16(icmp + LOW_OFF);
		break;
	case FCN_ICMP4_UNREACHABLE:
		if (out->code == FCN_ICMP4_FRAG_NEEDED)
			out->param = fcn_get_be16(icmp + LOW_OFF);
		break;
	case FCN_ICMP4_PARAM_PROBLEM:
		if (out->code == FCN_ICMP4_POINTER)
			out->param = icmp[WORD_OFF];
		break;
	default:
		break;
	}
}

enum fcn_msg_error
fcn_icmp4_parse(const uint8_t *ip, uint32_t len, struct fcn_icmp4 *out)
{
	uint32_t hdr = header_len(ip, len);
	const uint8_t *icmp = ip + hdr;

	if (len < FCN_IP4_LEN)
		return FCN_MSG_TRUNCATED;
	if (hdr == 0)
		return FCN_MSG_IP_HEADER;
	if (fcn_get_be16(ip + TOTAL_OFF) > len)
		return FCN_MSG_TRUNCATED;
	len = fcn_get_be16(ip + TOTAL_OFF) - hdr;
	if (rte_raw_cksum(ip, hdr) != 0xFFFF)
		return FCN_MSG_IP_CHECKSUM;
	if (ip[PROTO_OFF] != IPPROTO_ICMP)
		return FCN_MSG_PROTOCOL;
	if (fcn_get_be16(ip + FRAG_OFF) & MORE_OR_OFFSET)
		return FCN_MSG_FRAGMENT;
	if (len < HDR_LEN)
		return FCN_MSG_TRUNCATED;
	if (rte_raw_cksum(icmp, len) != 0xFFFF)
		return FCN_MSG_CHECKSUM;
	if (!fcn_ip4_is_station(ip + SRC_OFF))
		return FCN_MSG_SOURCE;

	memset(out, 0, sizeof(*out));
	out->type = icmp[0];
	out->code = icmp[1];
	out->tos = ip[1];
	out->ttl = ip[TTL_OFF];
	memcpy(out->src, ip + SRC_OFF, 4);
	memcpy(out->dst, ip + DST_OFF, 4);
	out->off = hdr;
	out->len = len;
	parse_word(icmp, out);
	if (is_error(out->type))
		find_quote(ip, out);
	return FCN_MSG_OK;
}

/*
 * Write the IPv4 header of a message of icmp_len bytes that follows, and the checksum of the
 * message.
 */
static uint32_t
finish(uint8_t *ip, const uint8_t src[4], const uint8_t dst[4], uint8_t tos, uint8_t ttl,
		uint16_t id, uint32_t icmp_len)
{
	uint8_t *icmp = ip + FCN_IP4_LEN;
	uint16_t sum;

	ip[0] = 0x45;
	ip[1] = tos;
	fcn_put_be16(ip + TOTAL_OFF, (uint16_t)(FCN_IP4_LEN + icmp_len));
	fcn_put_be16(ip + ID_OFF, id);
	fcn_put_be16(ip + FRAG_OFF, id == 0 ? FLAG_DF : 0);
	ip[TTL_OFF] = ttl;
	ip[PROTO_OFF] = IPPROTO_ICMP;
	fcn_put_be16(ip + IP_CKSUM_OFF, 0);
	memcpy(ip + SRC_OFF, src, 4);
	memcpy(ip + DST_OFF, dst, 4);
	sum = (uint16_t)~rte_raw_cksum(ip, FCN_IP4_LEN);
	memcpy(ip + IP_CKSUM_OFF, &sum, sizeof(sum));
	fcn_put_be16(icmp + CKSUM_OFF, 0);
	sum = (uint16_t)~rte_raw_cksum(icmp, icmp_len);
	memcpy(icmp + CKSUM_OFF, &sum, sizeof(sum));
	return FCN_IP4_LEN + icmp_len;
}

uint32_t
fcn_icmp4_build_echo_reply(const uint8_t *request, const struct fcn_icmp4 *msg, const uint8_t *src,
		uint8_t ttl, uint16_t id, uint8_t *buf, uint32_t room)
{
	uint8_t *icmp = buf + FCN_IP4_LEN;

	if (src == NULL)
		src = msg->dst;
	if (msg->type != FCN_ICMP4_ECHO_REQUEST || room < FCN_IP4_LEN ||
			room - FCN_IP4_LEN < msg->len || !fcn_ip4_is_station(src))
		return 0;
	memmove(icmp, request + msg->off, msg->len);
	icmp[0] = FCN_ICMP4_ECHO_REPLY;
	icmp[1] = 0;
	return finish(buf, src, msg->src, msg->tos & ~ECN_MASK, ttl, id, msg->len);
}

/*
 * Check whether a type is known not to be an error: echo, router discovery, timestamp, information,
 * address mask, extended echo.
 */
static bool
is_query(uint8_t type)
{
	return type == FCN_ICMP4_ECHO_REPLY || type == FCN_ICMP4_ECHO_REQUEST ||
	       (type >= 9 && type <= 10) || (type >= 13 && type <= 18) ||
	       (type >= 42 && type <= 43);
}

bool
fcn_icmp4_may_answer(const uint8_t *ip, uint32_t len, bool group)
{
	uint32_t hdr = header_len(ip, len);

	if (hdr == 0 || group)
		return false;
	if (!fcn_ip4_is_station(ip + SRC_OFF) || !fcn_ip4_is_station(ip + DST_OFF))
		return false;
	if (fcn_get_be16(ip + FRAG_OFF) & OFFSET_MASK)
		return false;
	if (ip[PROTO_OFF] != IPPROTO_ICMP)
		return true;
	return hdr < len && hdr < fcn_get_be16(ip + TOTAL_OFF) && is_query(ip[hdr]);
}

uint32_t
fcn_icmp4_build_error(const struct fcn_icmp4_error *error, const uint8_t src[4], uint8_t ttl,
		uint16_t id, const uint8_t *ip, uint32_t len, uint8_t *buf, uint32_t room)
{
	const uint32_t headers = FCN_IP4_LEN + HDR_LEN;
	uint8_t *icmp = buf + FCN_IP4_LEN;

	if (header_len(ip, len) == 0)
		return 0;
	len = RTE_MIN(len, (uint32_t)fcn_get_be16(ip + TOTAL_OFF));
	len = RTE_MIN(len, FCN_ICMP4_ERROR_MAX - headers);
	if (room < headers + len)
		return 0;
	icmp[0] = error->type;
	icmp[1] = error->code;
	fcn_put_be32(icmp + WORD_OFF, 0);
	if (error->type == FCN_ICMP4_PARAM_PROBLEM)
		icmp[WORD_OFF] = (uint8_t)error->param;
	else
		fcn_put_be16(icmp + LOW_OFF, error->param);
	memcpy(icmp + HDR_LEN, ip, len);
	return finish(buf, src, ip + SRC_OFF, FCN_CONTROL_TCLASS, ttl, id, HDR_LEN + len);
}
