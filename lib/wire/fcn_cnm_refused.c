/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <string.h>

#include "fcn_cnm_refused.h"
#include "fcn_icmp4.h"
#include "fcn_icmp6.h"

#define IP4_PROTO_OFF 9
#define IP4_SRC_OFF 12
#define IP6_NH_OFF 6
#define IP6_SRC_OFF 8
#define UDP_LEN 8

/* The quoted message, from its IP header on. */
struct quoted {
	const uint8_t *ip;
	uint32_t len;
	uint8_t reporter[16], to[16]; /* source and destination of the ICMP message */
};

static bool
read_icmp6(const uint8_t *ip, uint32_t len, struct quoted *q)
{
	struct fcn_icmp6 msg;

	if (fcn_icmp6_parse(ip, len, &msg) != FCN_MSG_OK || msg.type != FCN_ICMP6_UNREACHABLE ||
			msg.code != FCN_ICMP6_NO_PORT)
		return false;
	*q = (struct quoted){.ip = ip + msg.quote_off, .len = msg.quote_len};
	memcpy(q->reporter, msg.src, sizeof(msg.src));
	memcpy(q->to, msg.dst, sizeof(msg.dst));
	return true;
}

static bool
read_icmp4(const uint8_t *ip, uint32_t len, struct quoted *q)
{
	struct fcn_icmp4 msg;

	if (fcn_icmp4_parse(ip, len, &msg) != FCN_MSG_OK || msg.type != FCN_ICMP4_UNREACHABLE ||
			msg.code != FCN_ICMP4_PORT)
		return false;
	*q = (struct quoted){.ip = ip + msg.quote_off, .len = msg.quote_len};
	memcpy(q->reporter, msg.src, sizeof(msg.src));
	memcpy(q->to, msg.dst, sizeof(msg.dst));
	return true;
}

/* Check the headers of the quoted message. @return what is behind its UDP header, and in *left how
 * much of it; NULL: it is not one */
static const uint8_t *
find_message(const struct quoted *q, bool v4, uint16_t port, uint32_t *left)
{
	const uint32_t hdr = v4 ? FCN_IP4_LEN : FCN_IP6_LEN, addr_len = v4 ? 4 : 16;
	const uint8_t *src = q->ip + (v4 ? IP4_SRC_OFF : IP6_SRC_OFF);

	if (q->len < hdr + UDP_LEN || q->ip[0] >> 4 != (v4 ? 4 : 6) || (v4 && q->ip[0] != 0x45) ||
			q->ip[v4 ? IP4_PROTO_OFF : IP6_NH_OFF] != IPPROTO_UDP)
		return NULL;
	if (memcmp(src, q->to, addr_len) != 0 ||
			memcmp(src + addr_len, q->reporter, addr_len) != 0 ||
			fcn_get_be16(q->ip + hdr + 2) != port)
		return NULL;
	*left = q->len - hdr - UDP_LEN;
	return q->ip + hdr + UDP_LEN;
}

/* Write an address as IPv6 or IPv4-mapped. */
static void
put_address(const uint8_t *addr, bool v4, uint8_t *to)
{
	memcpy(to, (const uint8_t[12]){[10] = 0xFF, 0xFF}, 12);
	memcpy(v4 ? to + 12 : to, addr, v4 ? 4 : 16);
}

bool
fcn_cnm_is_refused(const uint8_t *ip, uint32_t len, uint16_t port,
		const struct fcn_parse_codes *codes, struct fcn_refused_notice *out)
{
	const bool v4 = len > 0 && ip[0] >> 4 == 4;
	const uint8_t *message;
	struct fcn_cnm cnm;
	struct quoted q;
	uint32_t left;

	if (port == 0 || !(v4 ? read_icmp4(ip, len, &q) : read_icmp6(ip, len, &q)))
		return false;
	message = find_message(&q, v4, port, &left);
	if (message == NULL || fcn_cnm_read(message, left, codes, &cnm) != FCN_CNM_OK)
		return false;
	memset(out, 0, sizeof(*out));
	put_address(q.reporter, v4, out->sender);
	put_address(cnm.flow.src, cnm.flow.version == 4, out->data_source);
	put_address(cnm.flow.dst, cnm.flow.version == 4, out->receiver);
	out->dest_qp = fcn_cnm_flow_number(&cnm.about);
	return true;
}
