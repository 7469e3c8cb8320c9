/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <rte_byteorder.h>

#include "fcn_parse.h"
#include "walk.h"

#define IPV4_MIN_LEN 20
#define IPV4_MAX_LEN 60
#define IPV4_FLAG_MF 0x2000
#define IPV4_OFFSET_MASK 0x1FFF
#define IPV6_LEN 40
#define IPV6_DST_OFF 24
#define UDP_LEN 8
#define BTH_LEN 12
#define CNP_UDP_LEN 40

const struct fcn_parse_codes fcn_parse_default_codes = {
		.fastcnp_opt1 = 0x9E,
		.fastcnp_opt2 = 0x9F,
		.proxy_addr = 0x1E,
		.trimmed = 0x9D,
};

static inline uint16_t
get16(const uint8_t *p)
{
	return (uint16_t)(p[0] << 8 | p[1]);
}

/*
 * Read the Ethernet header and VLAN tags up to w->off, the first IP header; returns false when
 * there is none.
 */
static bool
walk_ethernet(struct fcn_walk *w)
{
	struct fcn_wire_info *info = w->info;
	uint32_t type_off = 2 * RTE_ETHER_ADDR_LEN;
	uint16_t type;

	if (w->seg_len < type_off + 2)
		goto truncated;
	type = get16(w->data + type_off);
	while ((type == RTE_ETHER_TYPE_VLAN || type == RTE_ETHER_TYPE_QINQ) &&
			info->n_vlans < FCN_PARSE_MAX_VLANS) {
		if (w->seg_len < type_off + 6)
			goto truncated;
		if (info->n_vlans++ == 0)
			info->vlan_tci = get16(w->data + type_off + 2);
		type_off += 4;
		type = get16(w->data + type_off);
	}
	info->ether_type = type;
	w->off = type_off + 2;
	return type == RTE_ETHER_TYPE_IPV4 || type == RTE_ETHER_TYPE_IPV6;
truncated:
	fcn_walk_defect(w, FCN_WIRE_ETH_TRUNCATED);
	return false;
}

/*
 * Read the IPv4 header at w->off (RFC 791 section 3.1). w->end is the end of the enclosing data on
 * entry and the end of the packet on return; w->off is the first byte after the header on return.
 */
static enum fcn_wire_error
walk_ipv4(struct fcn_walk *w, bool *fragment, uint32_t *frag_off)
{
	const uint8_t *p = w->data + w->off;
	uint32_t left = w->end - w->off, hdr_len, total;
	uint16_t frag;

	if (left < IPV4_MIN_LEN || w->off + IPV4_MIN_LEN > w->seg_len)
		return FCN_WIRE_IPV4_TRUNCATED;
	if (p[0] >> 4 != 4)
		return FCN_WIRE_IPV4_VERSION;
	hdr_len = (p[0] & 0x0F) * 4;
	if (hdr_len < IPV4_MIN_LEN || hdr_len > left)
		return FCN_WIRE_IPV4_IHL;
	if (w->off + hdr_len > w->seg_len)
		return FCN_WIRE_IPV4_TRUNCATED;
	total = get16(p + 2);
	if (total < hdr_len || total > left)
		return FCN_WIRE_IPV4_LENGTH;
	if (rte_raw_cksum(p, hdr_len) != 0xFFFF)
		return FCN_WIRE_IPV4_CHECKSUM;
	frag = get16(p + 6);
	*frag_off = frag & IPV4_OFFSET_MASK;
	*fragment = (frag & (IPV4_FLAG_MF | IPV4_OFFSET_MASK)) != 0;
	w->proto = p[9];
	w->end = w->off + total;
	w->off += hdr_len;
	return FCN_WIRE_OK;
}

/*
 * Read the IPv6 header at w->off (RFC 8200 section 3). w->end and w->off change as in walk_ipv4().
 */
static enum fcn_wire_error
walk_ipv6(struct fcn_walk *w)
{
	const uint8_t *p = w->data + w->off;
	uint32_t left = w->end - w->off, total;

	if (left < IPV6_LEN || w->off + IPV6_LEN > w->seg_len)
		return FCN_WIRE_IPV6_TRUNCATED;
	if (p[0] >> 4 != 6)
		return FCN_WIRE_IPV6_VERSION;
	total = IPV6_LEN + get16(p + 4);
	if (total > left || total > UINT16_MAX)
		return FCN_WIRE_IPV6_LENGTH;
	/* Of a jumbogram, an option has the length (RFC 2675). It fits through no port, and without
	 * such an option there is no room for the header that is said to follow. */
	if (total == IPV6_LEN && p[6] == IPPROTO_HOPOPTS)
		return FCN_WIRE_IPV6_JUMBOGRAM;
	w->proto = p[6];
	w->end = w->off + total;
	w->off += IPV6_LEN;
	return FCN_WIRE_OK;
}

/* Clear the fields that describe only the innermost packet, when an inner packet begins. */
static void
enter_inner(struct fcn_wire_info *info, uint32_t l3_off)
{
	info->flags |= FCN_PKT_TUNNEL;
	info->flags &= ~(FCN_PKT_INNER_IPV4 | FCN_PKT_IOAM_TRACE | FCN_PKT_IOAM_INVALID |
			 FCN_PKT_PROXY);
	info->inner_l3_off = l3_off;
	info->l4_off = 0; /* unknown until the upper layer is reached */
	info->final_dst_off = 0;
	info->ioam_off = 0;
	info->ioam_len = 0;
	info->proxy_off = 0;
}

/* Read one IP header with its extension headers. Returns false when parsing ends here. */
static bool
walk_ip(struct fcn_walk *w, bool v4, bool inner)
{
	struct fcn_wire_info *info = w->info;
	const uint32_t l3 = w->off;
	const uint8_t *p = w->data + l3;
	bool fragment = false;
	uint32_t frag_off = 0;
	enum fcn_wire_error error;

	error = v4 ? walk_ipv4(w, &fragment, &frag_off) : walk_ipv6(w);
	if (error != FCN_WIRE_OK) {
		/* The outer packet can be forwarded nevertheless. */
		fcn_walk_defect(w, inner ? FCN_WIRE_TUNNEL_HEADER : error);
		return false;
	}
	if (inner) {
		enter_inner(info, l3);
	} else {
		info->flags |= v4 ? FCN_PKT_IPV4 : FCN_PKT_IPV6;
		info->l3_off = l3;
		info->inner_l3_off = l3;
		info->ip_len = w->end - l3;
		info->tclass = v4 ? p[1] : (p[0] << 4 | p[1] >> 4) & 0xFF;
		info->ttl = v4 ? p[8] : p[7];
	}
	info->proto = w->proto;
	if (v4) {
		info->flags |= FCN_PKT_INNER_IPV4;
		if (fragment) {
			info->flags |= FCN_PKT_FRAGMENT;
			w->off = frag_off == 0 ? w->off : 0;
		}
	} else {
		info->final_dst_off = l3 + IPV6_DST_OFF;
		w->n_fastcnp = 0;
		if (!fcn_walk_ext(w)) {
			info->proto = w->proto;
			return false;
		}
		info->proto = w->proto;
	}
	info->l4_off = w->off;
	return w->off != 0;
}

/* Read the BTH at w->off + 8. The UDP length was checked. */
static enum fcn_wire_error
walk_bth(struct fcn_walk *w, uint32_t udp_len)
{
	const struct fcn_bth_hdr *bth = (const void *)(w->data + w->off + UDP_LEN);
	struct fcn_wire_info *info = w->info;
	enum fcn_wire_error error;

	if (udp_len < UDP_LEN + BTH_LEN + FCN_ICRC_LEN)
		return FCN_WIRE_BTH_TRUNCATED;
	error = fcn_walk_reach(w, w->off + UDP_LEN + BTH_LEN, FCN_WIRE_BTH_TRUNCATED,
			FCN_WIRE_BTH_TRUNCATED);
	if (error != FCN_WIRE_OK)
		return error;
	if ((bth->flags & FCN_BTH_TVER_MASK) != 0)
		return FCN_WIRE_BTH_VERSION;
	info->opcode = bth->opcode;
	info->p_key = rte_be_to_cpu_16(bth->p_key);
	info->dest_qp = fcn_bth_dest_qp(bth);
	if (bth->opcode == FCN_BTH_OPCODE_CNP && udp_len != CNP_UDP_LEN)
		return FCN_WIRE_CNP_LENGTH;
	return FCN_WIRE_OK;
}

/*
 * Read what a switch has left of a packet of RoCEv2 that it trimmed. Its UDP length is that of the
 * whole packet. Neither CNPs nor what has another defect are trimmed packets.
 *
 * @return whether it is that
 */
static bool
walk_trimmed(struct fcn_walk *w, uint32_t udp_len)
{
	struct fcn_wire_info *info = w->info;

	if (info->dst_port != FCN_ROCE_UDP_PORT || udp_len <= w->end - w->off || w->not_roce ||
			info->flags & FCN_PKT_FASTCNP ||
			w->off + UDP_LEN + BTH_LEN > RTE_MIN(w->end, w->seg_len) ||
			w->data[w->off + UDP_LEN] == FCN_BTH_OPCODE_CNP ||
			walk_bth(w, udp_len) != FCN_WIRE_OK)
		return false;
	info->flags |= FCN_PKT_TRIMMED;
	return true;
}

static void
walk_udp(struct fcn_walk *w)
{
	const uint8_t *p = w->data + w->off;
	struct fcn_wire_info *info = w->info;
	enum fcn_wire_error error;
	uint32_t udp_len;

	error = fcn_walk_reach(w, w->off + UDP_LEN, FCN_WIRE_UDP_TRUNCATED, FCN_WIRE_UDP_TRUNCATED);
	if (error != FCN_WIRE_OK)
		goto defect;
	info->src_port = get16(p);
	info->dst_port = get16(p + 2);
	if (info->dst_port == FCN_ROCE_UDP_PORT)
		info->flags |= FCN_PKT_ROCE_PORT;
	/* In a fragment the UDP length is not the number of bytes that are present. */
	if (info->flags & FCN_PKT_FRAGMENT)
		return;
	udp_len = get16(p + 4);
	if (walk_trimmed(w, udp_len))
		return;
	if (udp_len < UDP_LEN || udp_len != w->end - w->off) {
		error = FCN_WIRE_UDP_LENGTH;
		goto defect;
	}
	info->flags |= FCN_PKT_UDP;
	if (info->dst_port != FCN_ROCE_UDP_PORT)
		return;
	error = walk_bth(w, udp_len);
	if (error != FCN_WIRE_OK)
		goto defect;
	if (!w->not_roce)
		info->flags |= FCN_PKT_ROCE;
	return;
defect:
	fcn_walk_defect(w, error);
}

static void
walk_tcp(struct fcn_walk *w)
{
	const uint8_t *p = w->data + w->off;

	if (fcn_walk_reach(w, w->off + 4, FCN_WIRE_EXT_LIMIT, FCN_WIRE_EXT_LIMIT) != FCN_WIRE_OK)
		return;
	w->info->src_port = get16(p);
	w->info->dst_port = get16(p + 2);
}

/* Read the ports behind the innermost IP header. */
static void
walk_upper(struct fcn_walk *w)
{
	if (w->proto == IPPROTO_UDP)
		walk_udp(w);
	else if (w->proto == IPPROTO_TCP)
		walk_tcp(w);
}

enum fcn_wire_error
fcn_parse_ip(const uint8_t *ip, uint32_t len, const struct fcn_parse_codes *codes,
		struct fcn_wire_info *info)
{
	struct fcn_walk w = {.data = ip, .seg_len = len, .codes = codes, .info = info};
	bool v4;

	*info = (struct fcn_wire_info){.error = FCN_WIRE_OK};
	v4 = len > 0 && ip[0] >> 4 == 4;
	info->ether_type = v4 ? RTE_ETHER_TYPE_IPV4 : RTE_ETHER_TYPE_IPV6;
	/* The length in the header is the only one there is, and nothing to compare it with. */
	w.end = len < IPV4_MIN_LEN ? len : v4 ? get16(ip + 2) : IPV6_LEN + (uint32_t)get16(ip + 4);
	if (walk_ip(&w, v4, false))
		walk_upper(&w);
	return info->error;
}

enum fcn_wire_error
fcn_parse_slow(const uint8_t *data, uint32_t seg_len, uint32_t pkt_len,
		const struct fcn_parse_codes *codes, struct fcn_wire_info *info)
{
	struct fcn_walk w = {
			.data = data,
			.seg_len = seg_len,
			.end = pkt_len,
			.codes = codes,
			.info = info,
	};
	bool v4;

	*info = (struct fcn_wire_info){.error = FCN_WIRE_OK};
	if (!walk_ethernet(&w))
		return info->error;
	v4 = info->ether_type == RTE_ETHER_TYPE_IPV4;
	for (unsigned int n = 0; walk_ip(&w, v4, n > 0); n++) {
		if (info->flags & FCN_PKT_FRAGMENT ||
				(w.proto != IPPROTO_IPV6 && w.proto != IPPROTO_IPIP)) {
			walk_upper(&w);
			break;
		}
		v4 = w.proto == IPPROTO_IPIP;
		if (n + 1 == FCN_PARSE_MAX_IP ||
				w.off + (v4 ? IPV4_MAX_LEN : IPV6_LEN) > FCN_PARSE_MAX_HEADERS) {
			fcn_walk_defect(&w, FCN_WIRE_EXT_LIMIT);
			break;
		}
	}
	return info->error;
}
