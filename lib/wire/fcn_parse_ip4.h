/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The fast path of the parser for RoCEv2 over IPv4.
 */

#ifndef FCN_PARSE_IP4_H
#define FCN_PARSE_IP4_H

#include "fcn_parse.h"

/** Check the checksum of an IPv4 header of 20 bytes. */
static inline bool
fcn_ip4_checksum_is_right(const uint8_t *ip)
{
	uint64_t words[2], sum;
	uint32_t last;

	memcpy(words, ip, sizeof(words));
	memcpy(&last, ip + sizeof(words), sizeof(last));
	sum = (uint64_t)(uint32_t)words[0] + (words[0] >> 32) + (uint32_t)words[1] +
	      (words[1] >> 32) + last;
	/* The first sum is below 5 * 2^32, the second one below 3 * 2^16. */
	sum = (sum & 0xFFFF) + (sum >> 16 & 0xFFFF) + (sum >> 32);
	return (sum & 0xFFFF) + (sum >> 16) == 0xFFFF;
}

/**
 * Write what fcn_parse_fast_ip4() finds in a frame that it accepts.
 *
 * @param word the first eight octets of the IPv4 header as a number: version, header length, TOS,
 *             total length, identification, flags, fragment offset
 * @param info written in full
 */
static inline void
fcn_parse_fast_ip4_info(const uint8_t *data, uint64_t word, struct fcn_wire_info *info)
{
	const uint32_t ip_off = sizeof(struct rte_ether_hdr);
	const uint32_t udp_off = ip_off + sizeof(struct rte_ipv4_hdr);
	const uint32_t bth_off = udp_off + sizeof(struct rte_udp_hdr);
	const uint8_t *ip = data + ip_off, *udp = data + udp_off, *bth = data + bth_off;
	const uint32_t ip_len = (uint16_t)(word >> 32);

#ifdef __SSE4_1__
	/* Write the same fields in three stores, as fcn_parse_fast_info() does. */
	const uint32_t flags = FCN_PKT_IPV4 | FCN_PKT_INNER_IPV4 | FCN_PKT_UDP | FCN_PKT_ROCE |
			       FCN_PKT_ROCE_PORT;
	const __m128i head = _mm_setr_epi16(
			(short)flags, 0, 0, RTE_ETHER_TYPE_IPV4, 0, ip_off, ip_off, 0);
	const __m128i middle = _mm_setr_epi16(udp_off, 0, 0, FCN_ROCE_UDP_PORT, 0, 0, 0, 0);
	const __m128i places = _mm_setr_epi8(
			-1, -1, -1, -1, 1, 0, -1, -1, 11, 10, -1, -1, 15, 14, 13, -1);
	const __m128i l4 = _mm_loadu_si128((const void *)udp);
	/* opcode, protocol, TOS, TTL; the rest is zero */
	const uint64_t tail = bth[0] | IPPROTO_UDP << 8 | (word >> 32 & 0xFF0000) |
			      (uint32_t)ip[offsetof(struct rte_ipv4_hdr, time_to_live)] << 24;

	_mm_storeu_si128((void *)info, _mm_insert_epi16(head, (int)ip_len, 7));
	_mm_storeu_si128((void *)&info->l4_off, _mm_or_si128(_mm_shuffle_epi8(l4, places), middle));
	memcpy(&info->opcode, &tail, sizeof(tail));
#else
	*info = (struct fcn_wire_info){
			.flags = FCN_PKT_IPV4 | FCN_PKT_INNER_IPV4 | FCN_PKT_UDP | FCN_PKT_ROCE |
				 FCN_PKT_ROCE_PORT,
			.error = FCN_WIRE_OK,
			.ether_type = RTE_ETHER_TYPE_IPV4,
			.l3_off = ip_off,
			.inner_l3_off = ip_off,
			.l4_off = udp_off,
			.ip_len = ip_len,
			.src_port = fcn_load_be32(udp) >> 16,
			.dst_port = FCN_ROCE_UDP_PORT,
			.p_key = fcn_load_be32(bth),
			.dest_qp = fcn_load_be32(bth + 4) & 0xFFFFFF,
			.opcode = bth[0],
			.proto = IPPROTO_UDP,
			.tclass = word >> 48,
			.ttl = ip[offsetof(struct rte_ipv4_hdr, time_to_live)],
	};
#endif
}

/**
 * Parse a frame if it is a well-formed data packet of RoCEv2 over IPv4, untagged, without options,
 * no fragment, and no CNP.
 *
 * @param info written in full when the result is true, otherwise not at all; it is what
 *             fcn_parse_slow() writes
 * @return whether the frame is such a packet; if not, fcn_parse_slow() parses it
 */
static inline bool
fcn_parse_fast_ip4(
		const uint8_t *data, uint32_t seg_len, uint32_t pkt_len, struct fcn_wire_info *info)
{
	const uint32_t ip_off = sizeof(struct rte_ether_hdr);
	const uint32_t udp_off = ip_off + sizeof(struct rte_ipv4_hdr);
	const uint32_t bth_off = udp_off + sizeof(struct rte_udp_hdr);
	const uint32_t min_udp = sizeof(struct rte_udp_hdr) + sizeof(struct fcn_bth_hdr) +
				 FCN_ICRC_LEN;
	const uint8_t *ip = data + ip_off, *udp = data + udp_off, *bth = data + bth_off;
	uint32_t udp_len;
	uint64_t word;

	if (unlikely(seg_len < bth_off + sizeof(struct fcn_bth_hdr) ||
			    pkt_len < udp_off + min_udp ||
			    ((const struct rte_ether_hdr *)data)->ether_type !=
					    RTE_BE16(RTE_ETHER_TYPE_IPV4)))
		return false;
	/* version, header length, TOS, total length; identification, flags, fragment offset */
	word = fcn_get_be64(ip);
	udp_len = (uint16_t)(word >> 32) - (uint32_t)sizeof(struct rte_ipv4_hdr);
	/*
	 * The frame has to be a whole packet of UDP to the port of RoCEv2, with the length of the
	 * packet, TVer 0, and no CNP. A total length below that of the header gives a long UDP.
	 */
	if (unlikely((word & UINT64_C(0xFF00000000003FFF)) != UINT64_C(0x45) << 56 ||
			    ip[offsetof(struct rte_ipv4_hdr, next_proto_id)] != IPPROTO_UDP ||
			    fcn_load_be32(udp + offsetof(struct rte_udp_hdr, dst_port)) !=
					    (FCN_ROCE_UDP_PORT << 16 | udp_len) ||
			    udp_len - min_udp > pkt_len - udp_off - min_udp ||
			    (bth[1] & FCN_BTH_TVER_MASK) != 0 || bth[0] == FCN_BTH_OPCODE_CNP ||
			    !fcn_ip4_checksum_is_right(ip)))
		return false;
	fcn_parse_fast_ip4_info(data, word, info);
	return true;
}

#endif /* FCN_PARSE_IP4_H */
