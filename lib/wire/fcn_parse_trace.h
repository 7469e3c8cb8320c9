/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The fast path of fcn_parse() for RoCEv2 over IPv6 with an IOAM trace in a Hop-by-Hop Options
 * header.
 */

#ifndef FCN_PARSE_TRACE_H
#define FCN_PARSE_TRACE_H

#include "fcn_ioam.h"
#include "fcn_parse.h"

#define FCN_TRACE_HBH_OFF ((uint32_t)(sizeof(struct rte_ether_hdr) + sizeof(struct rte_ipv6_hdr)))
/** Bytes from the start of the options header to the option, which is aligned to 4n. */
#define FCN_TRACE_OPTION 4
/** Bytes from the start of the options header to the trace option header. */
#define FCN_TRACE_HEADER 8
/** Bytes of UDP and BTH. */
#define FCN_TRACE_UPPER_LEN ((uint32_t)(sizeof(struct rte_udp_hdr) + sizeof(struct fcn_bth_hdr)))

/**
 * A valid options header that was read: PadN of two octets, a pre-allocated trace, and PadN of four
 * octets if the length needs it. The packets of flows on one path have the same one but for flags
 * and node data, so that its fields do not have to be checked again for each packet.
 */
struct fcn_trace_layout {
	uint64_t head;    /**< its first eight octets; 0: none was read, and no valid one is 0 */
	uint64_t trace;   /**< the next eight, without flags: Namespace-ID to Trace-Type */
	uint64_t offsets; /**< fields l4_off to dst_port of the result, as one number */
	uint64_t tail;   /**< fields opcode to ioam_len, of which only proto and ioam_len are set */
	uint32_t len;    /**< bytes of the options header */
	uint32_t padded; /**< all bits set if it ends with padding, else 0 */
};

/**
 * Read an options header.
 *
 * @param hbh the options header
 * @param len readable bytes, at least FCN_TRACE_HEADER + FCN_IOAM_TRACE_HDR_LEN
 * @param known written when the result is true
 * @return false: the frame is for the slow path
 */
bool fcn_parse_trace_layout(const uint8_t *hbh, uint32_t len, struct fcn_trace_layout *known);

/* Read the eight octets of a trace option header, without the flags, as they are in memory. */
static inline uint64_t
fcn_parse_trace_word(const uint8_t *trace)
{
	uint64_t word;

	memcpy(&word, trace, sizeof(word));
	/* Octet 2 has NodeLen and three flags, octet 3 the fourth and RemainingLen. */
	return word & ~rte_cpu_to_be_64(UINT64_C(0x0000078000000000));
}

/* Write all fields of the result. */
static __rte_always_inline void
fcn_parse_trace_write(struct fcn_wire_info *info, const struct fcn_trace_layout *layout,
		const uint8_t *hbh, uint64_t word)
{
	const uint32_t flags = FCN_PKT_IPV6 | FCN_PKT_UDP | FCN_PKT_ROCE | FCN_PKT_ROCE_PORT |
			       FCN_PKT_HBH | FCN_PKT_IOAM_TRACE;
	const uint32_t ip_off = sizeof(struct rte_ether_hdr);
	const uint32_t ip_len = sizeof(struct rte_ipv6_hdr) + (uint16_t)(word >> 16);
	const uint32_t ioam_off = FCN_TRACE_HBH_OFF + FCN_TRACE_OPTION;
	const uint8_t *udp = hbh + layout->len, *bth = udp + sizeof(struct rte_udp_hdr);
#ifdef __SSE4_1__
	/*
	 * As in fcn_parse_fast(): each store writes several fields, and the shuffle moves the UDP
	 * source port, P_Key and queue pair to their fields, in host byte order.
	 */
	const uint64_t first = flags | (uint64_t)RTE_ETHER_TYPE_IPV6 << 48;
	const uint64_t second = ip_off << 16 | (uint64_t)ip_off << 32 | (uint64_t)ip_len << 48;
	const __m128i places = _mm_setr_epi8(
			-1, -1, -1, -1, 1, 0, -1, -1, 11, 10, -1, -1, 15, 14, 13, -1);
	const __m128i l4 = _mm_loadu_si128((const void *)udp);
	/* opcode, protocol, traffic class, hop limit; option length */
	const uint64_t tail = bth[0] | (word >> 36 & 0xFF0000) | (uint32_t)word << 24 |
			      layout->tail;

	memcpy(info, &first, sizeof(first));
	memcpy((uint8_t *)info + 8, &second, sizeof(second));
	_mm_storeu_si128((void *)&info->l4_off,
			_mm_or_si128(_mm_shuffle_epi8(l4, places),
					_mm_set_epi64x(ioam_off << 16,
							(long long)layout->offsets)));
	memcpy(&info->opcode, &tail, sizeof(tail));
#else
	*info = (struct fcn_wire_info){
			.flags = flags,
			.error = FCN_WIRE_OK,
			.ether_type = RTE_ETHER_TYPE_IPV6,
			.l3_off = ip_off,
			.inner_l3_off = ip_off,
			.l4_off = FCN_TRACE_HBH_OFF + layout->len,
			.ip_len = ip_len,
			.final_dst_off = ip_off + offsetof(struct rte_ipv6_hdr, dst_addr),
			.src_port = fcn_load_be32(udp) >> 16,
			.dst_port = FCN_ROCE_UDP_PORT,
			.p_key = fcn_load_be32(bth),
			.ioam_off = ioam_off,
			.dest_qp = fcn_load_be32(bth + 4) & 0xFFFFFF,
			.opcode = bth[0],
			.proto = IPPROTO_UDP,
			.tclass = word >> 52,
			.ttl = word,
			.ioam_len = hbh[FCN_TRACE_OPTION + 1],
	};
#endif
}

/**
 * Check whether a frame is a well-formed, untagged data packet of RoCEv2 over IPv6 with a
 * Hop-by-Hop Options header that contains a pre-allocated trace and padding, and without further
 * extension headers. The first three parameters are those of fcn_parse_fast().
 *
 * @param known the options header that was read last; all zeros before the first packet
 * @param ip6   written when the result is true: the first eight octets of the IPv6 header, in host
 *              byte order
 * @return whether the frame is such a packet
 */
static __rte_always_inline bool
fcn_parse_trace_check(const uint8_t *data, uint32_t seg_len, uint32_t pkt_len,
		struct fcn_trace_layout *known, uint64_t *ip6)
{
	const uint32_t min_udp_len = FCN_TRACE_UPPER_LEN + FCN_ICRC_LEN;
	const uint32_t pad = rte_cpu_to_be_32(UINT32_C(0x01020000)); /* PadN of four octets */
	const uint8_t *hbh = data + FCN_TRACE_HBH_OFF, *udp, *bth;
	uint64_t head, word;
	uint32_t plen, udp_len, last;

	if (unlikely(seg_len < FCN_TRACE_HBH_OFF + FCN_TRACE_HEADER + FCN_IOAM_TRACE_HDR_LEN ||
			    ((const struct rte_ether_hdr *)data)->ether_type !=
					    RTE_BE16(RTE_ETHER_TYPE_IPV6)))
		return false;
	/* version, traffic class, flow label; payload length, next header, hop limit */
	word = fcn_get_be64(data + sizeof(struct rte_ether_hdr));
	if (unlikely((word & UINT64_C(0xF00000000000FF00)) !=
			    (UINT64_C(6) << 60 | IPPROTO_HOPOPTS << 8)))
		return false;
	memcpy(&head, hbh, sizeof(head));
	if (unlikely(head != known->head ||
			    fcn_parse_trace_word(hbh + FCN_TRACE_HEADER) != known->trace) &&
			!fcn_parse_trace_layout(hbh, seg_len - FCN_TRACE_HBH_OFF, known))
		return false;
	if (unlikely(seg_len < FCN_TRACE_HBH_OFF + known->len + FCN_TRACE_UPPER_LEN))
		return false;
	/*
	 * As in fcn_parse_fast(), UDP has to be to the port of RoCEv2, with the length of the
	 * packet, TVer 0, and no CNP. A negative length is none that 16 bits can have.
	 */
	udp = hbh + known->len;
	bth = udp + sizeof(struct rte_udp_hdr);
	memcpy(&last, udp - sizeof(last), sizeof(last));
	plen = (uint16_t)(word >> 16);
	udp_len = plen - known->len;
	if (unlikely(((last ^ pad) & known->padded) != 0 || plen < known->len + min_udp_len ||
			    fcn_load_be32(udp + offsetof(struct rte_udp_hdr, dst_port)) !=
					    (FCN_ROCE_UDP_PORT << 16 | udp_len) ||
			    pkt_len < FCN_TRACE_HBH_OFF + plen ||
			    sizeof(struct rte_ipv6_hdr) + plen > UINT16_MAX ||
			    (bth[1] & FCN_BTH_TVER_MASK) != 0 || bth[0] == FCN_BTH_OPCODE_CNP))
		return false;
	*ip6 = word;
	return true;
}

/**
 * Parse a frame for which fcn_parse_trace_check() is true. For a frame that both can parse, the
 * result is that of fcn_parse_slow().
 *
 * @param info written in full when the result is true, otherwise not at all
 * @return whether the frame is such a packet
 */
static __rte_always_inline bool
fcn_parse_trace(const uint8_t *data, uint32_t seg_len, uint32_t pkt_len,
		struct fcn_trace_layout *known, struct fcn_wire_info *info)
{
	uint64_t ip6;

	if (!fcn_parse_trace_check(data, seg_len, pkt_len, known, &ip6))
		return false;
	fcn_parse_trace_write(info, known, data + FCN_TRACE_HBH_OFF, ip6);
	return true;
}

#endif /* FCN_PARSE_TRACE_H */
