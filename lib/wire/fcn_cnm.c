/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <string.h>

#include "fcn_cnm.h"
#include "fcn_names.h"
#include "fcn_udp.h"

#define IP4_TOTAL_OFF 2
#define IP4_FRAGMENT_OFF 6
#define IP4_TTL_OFF 8
#define IP4_PROTO_OFF 9
#define IP4_CKSUM_OFF 10
#define IP4_SRC_OFF 12
#define IP4_DST_OFF 16
#define IP4_DONT_FRAGMENT 0x4000
#define IP6_PLEN_OFF 4
#define IP6_SRC_OFF 8
#define IP6_DST_OFF 24
#define UDP_LEN 8
#define UDP_LENGTH_OFF 4
#define UDP_CKSUM_OFF 6

/* Source ports, which only tell flows apart: 0xC000 and 14 bits. */
#define SRC_PORT 0xC000
#define SRC_PORT_MASK 0x3FFF

FCN_NAME_FUNCTION(fcn_cnm_error_name, enum fcn_cnm_error, "ok", FCN_CNM_ERRORS(FCN_ITEM_WORD))
FCN_NAME_FUNCTION(fcn_cnm_error_text, enum fcn_cnm_error, "valid", FCN_CNM_ERRORS(FCN_ITEM_TEXT))

void
fcn_cnm_flow_of(const uint8_t *data, const struct fcn_wire_info *info,
		struct fcn_flow_descriptor *flow)
{
	const uint8_t *ip = data + info->inner_l3_off;

	memset(flow, 0, sizeof(*flow));
	if (info->flags & FCN_PKT_INNER_IPV4) {
		flow->version = 4;
		memcpy(flow->src, ip + IP4_SRC_OFF, 4);
		memcpy(flow->dst, ip + IP4_DST_OFF, 4);
	} else {
		flow->version = 6;
		memcpy(flow->src, ip + IP6_SRC_OFF, 16);
		memcpy(flow->dst, data + info->final_dst_off, 16);
	}
	flow->proto = info->proto;
	if (info->proto == IPPROTO_UDP || info->proto == IPPROTO_TCP) {
		flow->src_port = info->src_port;
		flow->dst_port = info->dst_port;
	}
}

uint32_t
fcn_cnm_quote_min(const struct fcn_wire_info *info)
{
	uint32_t len = info->l4_off - info->inner_l3_off;

	if (info->flags & FCN_PKT_ROCE)
		return len + UDP_LEN + sizeof(struct fcn_bth_hdr);
	if (info->proto == IPPROTO_UDP)
		return len + UDP_LEN;
	return info->proto == IPPROTO_TCP ? len + 4 : len;
}

static bool
is_same(const struct fcn_flow_descriptor *a, const struct fcn_flow_descriptor *b)
{
	return a->version == b->version && a->proto == b->proto && a->src_port == b->src_port &&
	       a->dst_port == b->dst_port && memcmp(a->src, b->src, sizeof(a->src)) == 0 &&
	       memcmp(a->dst, b->dst, sizeof(a->dst)) == 0;
}

enum fcn_cnm_error
fcn_cnm_read(const uint8_t *data, uint32_t len, const struct fcn_parse_codes *codes,
		struct fcn_cnm *cnm)
{
	struct fcn_flow_descriptor quoted;
	struct fcn_cnm out;
	uint32_t head;

	if (len == 0)
		return FCN_CNM_BAD_TRUNCATED;
	head = fcn_flow_descriptor_len(data[0]);
	if (head == 0)
		return FCN_CNM_BAD_VERSION;
	if (len < head)
		return FCN_CNM_BAD_TRUNCATED;
	fcn_flow_descriptor_read(data, &out.flow);
	out.quote = data + head;
	out.quote_len = len - head;
	fcn_parse_ip(out.quote, out.quote_len, codes, &out.about);
	if (!fcn_cnm_has_flow(&out.about) || fcn_cnm_quote_min(&out.about) > out.quote_len) {
		*cnm = (struct fcn_cnm){.flow = out.flow};
		return FCN_CNM_BAD_QUOTE;
	}
	fcn_cnm_flow_of(out.quote, &out.about, &quoted);
	if (!is_same(&out.flow, &quoted))
		return FCN_CNM_BAD_MISMATCH;
	*cnm = out;
	return FCN_CNM_OK;
}

enum fcn_cnm_error
fcn_cnm_parse(const uint8_t *ip, uint32_t udp_off, uint32_t len,
		const struct fcn_parse_codes *codes, struct fcn_cnm *cnm)
{
	const bool v4 = ip[0] >> 4 == 4;
	const uint32_t addr_len = v4 ? 4 : 16, src_off = v4 ? IP4_SRC_OFF : IP6_SRC_OFF;
	const uint8_t *udp = ip + udp_off;
	uint32_t end, udp_len;

	if (len < udp_off || len - udp_off < UDP_LEN)
		return FCN_CNM_BAD_UDP_LENGTH;
	end = v4 ? fcn_get_be16(ip + IP4_TOTAL_OFF)
		 : FCN_IP6_LEN + (uint32_t)fcn_get_be16(ip + IP6_PLEN_OFF);
	udp_len = fcn_get_be16(udp + UDP_LENGTH_OFF);
	if (end > len || udp_len < UDP_LEN || udp_off + udp_len != end)
		return FCN_CNM_BAD_UDP_LENGTH;
	if (fcn_get_be16(udp + UDP_CKSUM_OFF) == 0 ? !v4
						   : !fcn_udp_checksum_ok(ip + src_off,
								     ip + src_off + addr_len,
								     addr_len, udp, udp_len))
		return FCN_CNM_BAD_UDP_CHECKSUM;
	return fcn_cnm_read(udp + UDP_LEN, udp_len - UDP_LEN, codes, cnm);
}

int
fcn_cnm_template_init(struct fcn_cnm_template *t)
{
	return fcn_crc32_init(&t->crc);
}

void
fcn_cnm_template_fini(struct fcn_cnm_template *t)
{
	fcn_crc32_fini(&t->crc);
}

static void
write_ip4(const struct fcn_cnm_template *t, const uint8_t *src, const uint8_t *dst,
		uint32_t udp_len, uint8_t *buf)
{
	uint16_t sum;

	memset(buf, 0, FCN_IP4_LEN);
	buf[0] = 0x45;
	buf[1] = (uint8_t)(t->dscp << 2);
	fcn_put_be16(buf + IP4_TOTAL_OFF, (uint16_t)(FCN_IP4_LEN + udp_len));
	fcn_put_be16(buf + IP4_FRAGMENT_OFF, IP4_DONT_FRAGMENT);
	buf[IP4_TTL_OFF] = t->hop_limit;
	buf[IP4_PROTO_OFF] = IPPROTO_UDP;
	memcpy(buf + IP4_SRC_OFF, src, 4);
	memcpy(buf + IP4_DST_OFF, dst, 4);
	sum = (uint16_t)~rte_raw_cksum(buf, FCN_IP4_LEN);
	memcpy(buf + IP4_CKSUM_OFF, &sum, sizeof(sum));
}

static void
write_ip6(const struct fcn_cnm_template *t, const uint8_t *src, const uint8_t *dst,
		uint32_t udp_len, uint8_t *buf)
{
	fcn_put_be32(buf, 6u << 28 | (uint32_t)t->dscp << 22);
	fcn_put_be16(buf + IP6_PLEN_OFF, (uint16_t)udp_len);
	buf[6] = IPPROTO_UDP;
	buf[7] = t->hop_limit;
	memcpy(buf + IP6_SRC_OFF, src, 16);
	memcpy(buf + IP6_DST_OFF, dst, 16);
}

/* The checksum of a datagram of which `head` bytes are at udp, and the sum of the rest is given. */
static uint16_t
udp_checksum(const uint8_t *src, const uint8_t *dst, uint32_t addr_len, const uint8_t *udp,
		uint32_t head, uint32_t rest, uint16_t rest_sum)
{
	uint32_t sum = rest_sum;

	sum += rte_raw_cksum(src, addr_len);
	sum += rte_raw_cksum(dst, addr_len);
	sum += rte_cpu_to_be_16((uint16_t)(head + rest));
	sum += rte_cpu_to_be_16(IPPROTO_UDP);
	sum += rte_raw_cksum(udp, head);
	sum = (sum & 0xFFFF) + (sum >> 16);
	sum = (uint16_t) ~(sum + (sum >> 16));
	return sum == 0 ? 0xFFFF : (uint16_t)sum;
}

uint32_t
fcn_cnm_write(const struct fcn_cnm_template *t, unsigned int version, const uint8_t *src,
		const uint8_t *dst, const struct fcn_flow_descriptor *flow, uint32_t quote_len,
		uint16_t quote_sum, uint8_t *buf)
{
	const uint32_t ip_len = version == 4 ? FCN_IP4_LEN : FCN_IP6_LEN;
	uint8_t *udp = buf + ip_len;
	const uint32_t head = UDP_LEN + fcn_flow_descriptor_write(flow, udp + UDP_LEN);
	uint16_t sum;

	if (version == 4)
		write_ip4(t, src, dst, head + quote_len, buf);
	else
		write_ip6(t, src, dst, head + quote_len, buf);
	fcn_put_be16(udp, SRC_PORT | (fcn_crc32(&t->crc, udp + UDP_LEN, head - UDP_LEN) &
						     SRC_PORT_MASK));
	fcn_put_be16(udp + 2, t->port);
	fcn_put_be16(udp + UDP_LENGTH_OFF, (uint16_t)(head + quote_len));
	fcn_put_be16(udp + UDP_CKSUM_OFF, 0);
	sum = udp_checksum(src, dst, version == 4 ? 4 : 16, udp, head, quote_len, quote_sum);
	memcpy(udp + UDP_CKSUM_OFF, &sum, sizeof(sum));
	return ip_len + head;
}
