/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The fast path of fcn_parse() for RoCEv2 in an IPv6 tunnel, with or without a Segment Routing
 * Header.
 */

#ifndef FCN_PARSE_TUNNEL_H
#define FCN_PARSE_TUNNEL_H

#include "fcn_parse.h"
#include "fcn_srh.h"

#define FCN_TUNNEL_IP_OFF ((uint32_t)sizeof(struct rte_ether_hdr))
#define FCN_TUNNEL_IP6_LEN ((uint32_t)sizeof(struct rte_ipv6_hdr))
#define FCN_TUNNEL_UDP_LEN ((uint32_t)sizeof(struct rte_udp_hdr))
/** Bytes of the inner packet that are read. */
#define FCN_TUNNEL_INNER_LEN \
	(FCN_TUNNEL_IP6_LEN + FCN_TUNNEL_UDP_LEN + (uint32_t)sizeof(struct fcn_bth_hdr))

/** What differs between frames of this kind. */
struct fcn_parse_tunnel {
	uint32_t flags;     /**< FCN_PKT_SRH, or 0 */
	uint32_t inner_off; /**< bytes from the start of the frame to the inner packet */
	uint32_t word0;     /**< first four octets of the outer header, host byte order */
	uint32_t word1;     /**< the next four */
	const uint8_t *udp;
};

/**
 * A valid Segment Routing Header that was read. The packets of a tunnel have the same one but for
 * the segments, so that its fields do not have to be checked again for each packet.
 */
struct fcn_tunnel_srh {
	uint64_t octets; /**< its first eight octets; 0: none was read, and no valid one is 0 */
	uint32_t len;    /**< bytes */
	uint32_t flags;  /**< FCN_PKT_SRH, if segments are left; else 0 */
};

/*
 * Read the Segment Routing Header behind the outer header, whose list has to be valid, without
 * TLVs.
 *
 * @return false: the frame is for the slow path
 */
static inline bool
fcn_parse_tunnel_srh(const uint8_t *srh, struct fcn_tunnel_srh *known)
{
	const uint32_t units = srh[FCN_SRH_LENGTH_OFF], last = srh[FCN_SRH_LAST_ENTRY_OFF];
	const uint32_t left = srh[FCN_SRH_SEGMENTS_LEFT_OFF], len = 8 * (units + 1);

	if (unlikely(srh[FCN_SRH_TYPE_OFF] != FCN_SRH_ROUTING_TYPE || units != 2 * (last + 1) ||
			    left > last + 1 || srh[FCN_SRH_NEXT_HEADER_OFF] != IPPROTO_IPV6 ||
			    FCN_TUNNEL_IP_OFF + 2 * FCN_TUNNEL_IP6_LEN + len >
					    FCN_PARSE_MAX_HEADERS - FCN_TUNNEL_INNER_LEN))
		return false;
	memcpy(&known->octets, srh, sizeof(known->octets));
	known->len = len;
	known->flags = left > 0 ? FCN_PKT_SRH : 0;
	return true;
}

/* Write all fields of the result. */
static __rte_always_inline void
fcn_parse_tunnel_write(struct fcn_wire_info *info, const struct fcn_parse_tunnel *t)
{
	const uint32_t flags = FCN_PKT_IPV6 | FCN_PKT_TUNNEL | FCN_PKT_UDP | FCN_PKT_ROCE |
			       FCN_PKT_ROCE_PORT | t->flags;
	const uint8_t *bth = t->udp + FCN_TUNNEL_UDP_LEN;
#ifdef __SSE4_1__
	/*
	 * As in fcn_parse_fast(): each store writes several fields, and the shuffle moves the UDP
	 * source port, P_Key and queue pair to their fields, in host byte order.
	 */
	const uint64_t inner_off = t->inner_off, plen = t->word1 >> 16;
	const uint64_t first = flags | (uint64_t)RTE_ETHER_TYPE_IPV6 << 48;
	const uint64_t second = FCN_TUNNEL_IP_OFF << 16 | inner_off << 32 |
				(FCN_TUNNEL_IP6_LEN + plen) << 48;
	const uint64_t third = inner_off * 0x10001 +
			       (FCN_TUNNEL_IP6_LEN |
					       (uint32_t)offsetof(struct rte_ipv6_hdr, dst_addr)
							       << 16 |
					       (uint64_t)FCN_ROCE_UDP_PORT << 48);
	const __m128i places = _mm_setr_epi8(
			-1, -1, -1, -1, 1, 0, -1, -1, 11, 10, -1, -1, 15, 14, 13, -1);
	const __m128i l4 = _mm_loadu_si128((const void *)t->udp);
	/* opcode, protocol, traffic class, hop limit; the rest is zero */
	const uint64_t tail = bth[0] | IPPROTO_UDP << 8 | (t->word0 >> 4 & 0xFF0000) |
			      t->word1 << 24;

	memcpy(info, &first, sizeof(first));
	memcpy((uint8_t *)info + 8, &second, sizeof(second));
	_mm_storeu_si128((void *)&info->l4_off,
			_mm_or_si128(_mm_shuffle_epi8(l4, places),
					_mm_cvtsi64_si128((long long)third)));
	memcpy(&info->opcode, &tail, sizeof(tail));
#else
	*info = (struct fcn_wire_info){
			.flags = flags,
			.error = FCN_WIRE_OK,
			.ether_type = RTE_ETHER_TYPE_IPV6,
			.l3_off = FCN_TUNNEL_IP_OFF,
			.inner_l3_off = t->inner_off,
			.l4_off = t->inner_off + FCN_TUNNEL_IP6_LEN,
			.ip_len = FCN_TUNNEL_IP6_LEN + (t->word1 >> 16),
			.final_dst_off = t->inner_off + offsetof(struct rte_ipv6_hdr, dst_addr),
			.src_port = fcn_load_be32(t->udp) >> 16,
			.dst_port = FCN_ROCE_UDP_PORT,
			.p_key = fcn_load_be32(bth),
			.dest_qp = fcn_load_be32(bth + 4) & 0xFFFFFF,
			.opcode = bth[0],
			.proto = IPPROTO_UDP,
			.tclass = t->word0 >> 20,
			.ttl = t->word1,
	};
#endif
}

/**
 * Check whether a frame is a well-formed packet of RoCEv2 over IPv6, but no CNP, both without
 * extension headers, in an untagged IPv6 packet that has a Segment Routing Header without TLVs, or
 * no extension header at all. The parameters are those of fcn_parse_tunnel().
 *
 * @param known changed to what the frame has, also when the result is false
 * @param t written in full when the result is true
 * @return false: fcn_parse() has to read the frame
 */
static __rte_always_inline bool
fcn_parse_tunnel_check(const uint8_t *data, uint32_t seg_len, uint32_t pkt_len,
		struct fcn_tunnel_srh *known, struct fcn_parse_tunnel *t)
{
	const uint32_t min_plen = FCN_TUNNEL_UDP_LEN + (uint32_t)sizeof(struct fcn_bth_hdr) +
				  FCN_ICRC_LEN;
	const uint32_t headers_end = FCN_TUNNEL_IP_OFF + FCN_TUNNEL_IP6_LEN;
	const uint8_t *ip = data + FCN_TUNNEL_IP_OFF, *inner;
	uint32_t plen, inner_plen, next_header;
	uint64_t octets;

	if (unlikely(seg_len < headers_end + FCN_TUNNEL_INNER_LEN ||
			    ((const struct rte_ether_hdr *)data)->ether_type !=
					    RTE_BE16(RTE_ETHER_TYPE_IPV6)))
		return false;
	*t = (struct fcn_parse_tunnel){.inner_off = headers_end};
	t->word0 = fcn_load_be32(ip);
	t->word1 = fcn_load_be32(ip + 4);
	plen = t->word1 >> 16;
	next_header = t->word1 >> 8 & 0xFF;
	if (next_header == IPPROTO_ROUTING) {
		memcpy(&octets, data + headers_end, sizeof(octets));
		if (unlikely(octets != known->octets) &&
				!fcn_parse_tunnel_srh(data + headers_end, known))
			return false;
		t->inner_off += known->len;
		t->flags = known->flags;
		if (unlikely(seg_len < t->inner_off + FCN_TUNNEL_INNER_LEN))
			return false;
	} else if (next_header != IPPROTO_IPV6) {
		return false;
	}
	inner = data + t->inner_off;
	t->udp = inner + FCN_TUNNEL_IP6_LEN;
	/*
	 * The inner packet fills the outer one. If the outer one is too short, inner_plen wraps to
	 * a number that no length of 16 bits is equal to. As
	 * in fcn_parse_fast(), it has to be UDP to the port of RoCEv2, with the length of the
	 * packet, TVer 0, and no CNP.
	 */
	inner_plen = FCN_TUNNEL_IP_OFF + plen - t->inner_off;
	return likely(t->word0 >> 28 == 6 && inner[0] >> 4 == 6 &&
			fcn_load_be32(inner + 4) >> 8 == (inner_plen << 8 | IPPROTO_UDP) &&
			inner_plen >= min_plen &&
			fcn_load_be32(t->udp + offsetof(struct rte_udp_hdr, dst_port)) ==
					(FCN_ROCE_UDP_PORT << 16 | inner_plen) &&
			pkt_len >= headers_end + plen && FCN_TUNNEL_IP6_LEN + plen <= UINT16_MAX &&
			(t->udp[FCN_TUNNEL_UDP_LEN + 1] & FCN_BTH_TVER_MASK) == 0 &&
			t->udp[FCN_TUNNEL_UDP_LEN] != FCN_BTH_OPCODE_CNP);
}

/**
 * Parse a frame if it is one for fcn_parse_tunnel_check(). For a frame that both can parse, the
 * result is that of fcn_parse_slow(). The parameters are those of fcn_parse_fast().
 *
 * @param known the Segment Routing Header that was read last; all zeros before the first packet
 * @param info written in full when the result is true, otherwise not at all
 * @return whether the frame is such a packet
 */
static __rte_always_inline bool
fcn_parse_tunnel(const uint8_t *data, uint32_t seg_len, uint32_t pkt_len,
		struct fcn_tunnel_srh *known, struct fcn_wire_info *info)
{
	struct fcn_parse_tunnel t;

	if (unlikely(!fcn_parse_tunnel_check(data, seg_len, pkt_len, known, &t)))
		return false;
	fcn_parse_tunnel_write(info, &t);
	return true;
}

#endif /* FCN_PARSE_TUNNEL_H */
