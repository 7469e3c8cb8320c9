/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Parsing of a frame: Ethernet, VLAN tags, IPv4 or IPv6 (at most two, one tunnelled in the other),
 * extension headers, UDP, BTH.
 *
 * Pure functions over bytes: they never read past the bytes given, keep no state, and are safe from
 * any thread.
 */

#ifndef FCN_PARSE_H
#define FCN_PARSE_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __SSE4_1__
#include <smmintrin.h>
#endif

#include <rte_branch_prediction.h>
#include <rte_byteorder.h>
#include <rte_ether.h>
#include <rte_ip.h>
#include <rte_udp.h>

#include "fcn_bth.h"
#include "fcn_inet.h"
#include "fcn_wire_error.h"

#define FCN_PARSE_MAX_IP 2        /**< IP headers read */
#define FCN_PARSE_MAX_EXT 8       /**< extension headers read behind one IPv6 header */
#define FCN_PARSE_MAX_HEADERS 512 /**< bytes of headers read, from the start of the frame */
#define FCN_PARSE_MAX_VLANS 2     /**< VLAN tags read */

/* Facts about a packet, struct fcn_wire_info.flags */
#define FCN_PKT_IPV4 0x00000001       /**< outermost IP header is IPv4 */
#define FCN_PKT_IPV6 0x00000002       /**< outermost IP header is IPv6 */
#define FCN_PKT_FRAGMENT 0x00000004   /**< innermost IP packet is a fragment, first or later */
#define FCN_PKT_TUNNEL 0x00000008     /**< a second IP header was read, at inner_l3_off */
#define FCN_PKT_INNER_IPV4 0x00000010 /**< innermost IP header read is IPv4, otherwise IPv6 */
#define FCN_PKT_UDP 0x00000020        /**< l4_off is a UDP header, its length checked */
#define FCN_PKT_ROCE 0x00000040       /**< valid RoCEv2: a BTH stands at l4_off + 8 */
#define FCN_PKT_ROCE_PORT 0x00000080  /**< UDP to port 4791, valid RoCEv2 or not */
#define FCN_PKT_IOAM_TRACE \
	0x00000100 /**< innermost Hop-by-Hop has a valid IOAM trace, at ioam_off */
/** innermost Hop-by-Hop has a malformed IOAM trace, which stays unchanged */
#define FCN_PKT_IOAM_INVALID 0x00000200
#define FCN_PKT_HBH 0x00000400 /**< outermost IPv6 header has a Hop-by-Hop Options header */
#define FCN_PKT_SRH 0x00000800 /**< Segment Routing Header with Segments Left above 0 \ */
/** there is a Fast CNP option 1 or 2 in a Destination Options header */
#define FCN_PKT_FASTCNP 0x00001000
#define FCN_PKT_PROXY 0x00002000 /**< usable Proxy Network Node Address, see fcn_wire_proxy() */
/**
 * Headers of a RoCEv2 packet that a switch has trimmed: a BTH stands at l4_off + 8, and the UDP
 * length says that more followed. FCN_PKT_UDP and FCN_PKT_ROCE are not set, as there is no ICRC.
 */
#define FCN_PKT_TRIMMED 0x00004000

/**
 * Result of parsing a frame. Offsets are in bytes from the start of the frame, lengths in bytes;
 * numbers are in host byte order.
 *
 * l4_off is the offset of the upper layer, even if the parser does not read that protocol (ESP, a
 * third IP header, a malformed IP header in a tunnel). It may equal the end of the packet. It is 0
 * for a fragment other than the first, and when parsing ended in the extension headers. The ports
 * of a first fragment are read, but FCN_PKT_UDP and FCN_PKT_ROCE are never set for a fragment.
 */
struct fcn_wire_info {
	uint32_t flags;        /**< FCN_PKT_* */
	uint8_t error;         /**< enum fcn_wire_error: the first defect found */
	uint8_t n_vlans;       /**< VLAN tags read, 0..2 */
	uint16_t ether_type;   /**< EtherType behind the VLAN tags */
	uint16_t vlan_tci;     /**< TCI of the outermost tag, if n_vlans > 0 */
	uint16_t l3_off;       /**< outermost IP header; 0 when there is none */
	uint16_t inner_l3_off; /**< innermost IP header read; l3_off without a tunnel */
	uint16_t ip_len;       /**< bytes of the outermost IP packet, its header included */
	/** upper layer behind the innermost IP and extension headers; 0 unknown */
	uint16_t l4_off;
	/** final destination (16 bytes) of the innermost IPv6 packet; 0 if IPv4 */
	uint16_t final_dst_off;
	uint16_t src_port; /**< UDP or TCP source port; 0 when there is none */
	uint16_t dst_port; /**< UDP or TCP destination port; 0 when there is none */
	uint16_t p_key;    /**< BTH P_Key */
	uint16_t ioam_off; /**< Option Type octet of the trace option (FCN_PKT_IOAM_TRACE) */
	uint32_t dest_qp;  /**< BTH destination queue pair */
	uint8_t opcode;    /**< BTH opcode */
	uint8_t proto;     /**< protocol at l4_off; of a later fragment, that of the first */
	uint8_t tclass;    /**< traffic class / TOS, outermost IP header: DSCP << 2 | ECN */
	uint8_t ttl;       /**< hop limit / TTL of the outermost IP header */
	/** 16-byte address of FCN_PKT_PROXY. The parser finds it in the frame. Where the switch has
	 * removed the option and keeps the address in front of the frame, the offset is negative,
	 * modulo 2^16: see fcn_wire_proxy() */
	uint16_t proxy_off;
	uint8_t ioam_len; /**< Opt Data Len of the trace option */
	uint8_t pad;
};

/** Get the address of the proxy that a packet names, 16 bytes; NULL when it names none. */
static inline const uint8_t *
fcn_wire_proxy(const uint8_t *data, const struct fcn_wire_info *info)
{
	return info->flags & FCN_PKT_PROXY ? data + (int16_t)info->proxy_off : NULL;
}

/** Record that the address of the proxy is so many bytes in front of the frame. */
static inline void
fcn_wire_proxy_in_front(struct fcn_wire_info *info, uint16_t bytes)
{
	info->flags |= FCN_PKT_PROXY;
	info->proxy_off = (uint16_t)-bytes;
}

/** Get by how many bytes the address of the proxy is in front of the frame; 0: it is not. */
static inline uint16_t
fcn_wire_proxy_front(const struct fcn_wire_info *info)
{
	const int16_t off = (int16_t)info->proxy_off;

	return off < 0 ? (uint16_t)-off : 0;
}

/**
 * Option types that the parser recognises. They have no IANA assignment and are therefore
 * configurable (draft-xiao-rtgwg-rocev2-fast-cnp section 6,
 * draft-xiao-rtgwg-proxy-congestion-notification section 5.2).
 */
struct fcn_parse_codes {
	uint8_t fastcnp_opt1; /**< Fast CNP Destination Option 1 */
	uint8_t fastcnp_opt2; /**< Fast CNP Destination Option 2; may equal option 1 */
	uint8_t proxy_addr;   /**< Proxy Network Node Address option */
	uint8_t trimmed; /**< Trimmed Packet option of returned headers (fcn_trimmed_option.h) */
};

/** The code points of the sample configuration: 0x9E, 0x9F, 0x1E, 0x9D. */
extern const struct fcn_parse_codes fcn_parse_default_codes;

/** Tell whether a type is one of these option types. */
static inline bool
fcn_parse_codes_contain(const struct fcn_parse_codes *codes, uint8_t type)
{
	return type == codes->fastcnp_opt1 || type == codes->fastcnp_opt2 ||
	       type == codes->proxy_addr || type == codes->trimmed;
}

/**
 * Parse a frame of any kind: the slow path of fcn_parse(), which is not inlined.
 *
 * @param data    first byte of the Ethernet header
 * @param seg_len bytes readable at data (the first segment of a chained mbuf)
 * @param pkt_len bytes of the whole frame, at least seg_len; lengths in headers are checked against
 *                this one
 * @param codes   option types
 * @param info    every field is written
 * @return info->error, the first defect found. A frame that is not IP yields FCN_WIRE_OK and an
 *         l3_off of 0. The IPv4 header checksum is checked. After an error behind the IP header,
 *         the fields of the headers that were valid are set. If the length of the faulty header is
 *         known, the parser continues behind it and sets the ports, but not FCN_PKT_ROCE. A
 *         malformed IOAM trace alone does not prevent FCN_PKT_ROCE. Octets after the IP packet
 *         (Ethernet padding) are ignored.
 */
enum fcn_wire_error fcn_parse_slow(const uint8_t *data, uint32_t seg_len, uint32_t pkt_len,
		const struct fcn_parse_codes *codes, struct fcn_wire_info *info);

/**
 * Parse the start of an IP packet, as messages quote it. Only one IP header is read, whatever is in
 * it.
 *
 * @param ip    first byte of the IP header
 * @param len   bytes readable at ip. The packet may be longer: its length is that of its IP header
 * @param codes option types
 * @param info  every field is written as by fcn_parse_slow(), but offsets are from ip, and l3_off
 *              is always 0
 * @return as fcn_parse_slow()
 */
enum fcn_wire_error fcn_parse_ip(const uint8_t *ip, uint32_t len,
		const struct fcn_parse_codes *codes, struct fcn_wire_info *info);

/** Read four octets in network byte order at any alignment. */
static inline uint32_t
fcn_load_be32(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return rte_be_to_cpu_32(v);
}

/**
 * Write what fcn_parse_fast() finds in a frame that it accepts.
 *
 * @param word the first eight octets of the IPv6 header as a number: version, traffic class, flow
 *             label, payload length, next header, hop limit
 * @param info written in full
 */
static inline void
fcn_parse_fast_info(const uint8_t *data, uint64_t word, struct fcn_wire_info *info)
{
	const uint32_t ip_off = sizeof(struct rte_ether_hdr);
	const uint32_t udp_off = ip_off + sizeof(struct rte_ipv6_hdr);
	const uint32_t bth_off = udp_off + sizeof(struct rte_udp_hdr);
	const uint8_t *udp = data + udp_off, *bth = data + bth_off;
	const uint32_t plen = (uint16_t)(word >> 16);

#ifdef __SSE4_1__
	/*
	 * Write the same fields in three stores. The shuffle that moves UDP source port, P_Key and
	 * queue pair to their fields also converts them to host byte order.
	 */
	const __m128i head = _mm_setr_epi16(
			FCN_PKT_IPV6 | FCN_PKT_UDP | FCN_PKT_ROCE | FCN_PKT_ROCE_PORT, 0, 0,
			(short)RTE_ETHER_TYPE_IPV6, 0, ip_off, ip_off, 0);
	const __m128i middle = _mm_setr_epi16(udp_off,
			ip_off + offsetof(struct rte_ipv6_hdr, dst_addr), 0, FCN_ROCE_UDP_PORT, 0,
			0, 0, 0);
	const __m128i places = _mm_setr_epi8(
			-1, -1, -1, -1, 1, 0, -1, -1, 11, 10, -1, -1, 15, 14, 13, -1);
	__m128i l4 = _mm_loadu_si128((const void *)udp);
	/* opcode, protocol, traffic class, hop limit; the rest is zero */
	uint64_t tail = bth[0] | IPPROTO_UDP << 8 | (word >> 36 & 0xFF0000) | (uint32_t)word << 24;

	_mm_storeu_si128((void *)info,
			_mm_insert_epi16(head, sizeof(struct rte_ipv6_hdr) + plen, 7));
	_mm_storeu_si128((void *)&info->l4_off, _mm_or_si128(_mm_shuffle_epi8(l4, places), middle));
	memcpy(&info->opcode, &tail, sizeof(tail));
#else
	*info = (struct fcn_wire_info){
			.flags = FCN_PKT_IPV6 | FCN_PKT_UDP | FCN_PKT_ROCE | FCN_PKT_ROCE_PORT,
			.error = FCN_WIRE_OK,
			.ether_type = RTE_ETHER_TYPE_IPV6,
			.l3_off = ip_off,
			.inner_l3_off = ip_off,
			.l4_off = udp_off,
			.ip_len = sizeof(struct rte_ipv6_hdr) + plen,
			.final_dst_off = ip_off + offsetof(struct rte_ipv6_hdr, dst_addr),
			.src_port = fcn_load_be32(udp) >> 16,
			.dst_port = FCN_ROCE_UDP_PORT,
			.p_key = fcn_load_be32(bth),
			.dest_qp = fcn_load_be32(bth + 4) & 0xFFFFFF,
			.opcode = bth[0],
			.proto = IPPROTO_UDP,
			.tclass = word >> 52,
			.ttl = word,
	};
#endif
}

/**
 * The fast path of fcn_parse(): parse a frame if it is a well-formed data packet of RoCEv2 over
 * IPv6, untagged, without extension headers, and no CNP.
 *
 * @param info written in full when the result is true, otherwise not at all
 * @return whether the frame is such a packet; if not, fcn_parse_slow() parses it
 */
static inline bool
fcn_parse_fast(const uint8_t *data, uint32_t seg_len, uint32_t pkt_len, struct fcn_wire_info *info)
{
	const uint32_t ip_off = sizeof(struct rte_ether_hdr);
	const uint32_t udp_off = ip_off + sizeof(struct rte_ipv6_hdr);
	const uint32_t bth_off = udp_off + sizeof(struct rte_udp_hdr);
	const uint32_t min_plen = sizeof(struct rte_udp_hdr) + sizeof(struct fcn_bth_hdr) +
				  FCN_ICRC_LEN;
	const uint32_t min_len = udp_off + min_plen, max_len = ip_off + UINT16_MAX;
	const uint8_t *ip = data + ip_off, *udp = data + udp_off, *bth = data + bth_off;
	uint64_t word;
	uint32_t plen;

	if (unlikely(seg_len < bth_off + sizeof(struct fcn_bth_hdr) ||
			    pkt_len - min_len > max_len - min_len ||
			    ((const struct rte_ether_hdr *)data)->ether_type !=
					    RTE_BE16(RTE_ETHER_TYPE_IPV6)))
		return false;
	/* version, traffic class, flow label; payload length, next header, hop limit */
	word = fcn_get_be64(ip);
	plen = (uint16_t)(word >> 16);
	/*
	 * The frame has to be UDP to the port of RoCEv2, with the length of the packet, TVer 0, and
	 * no CNP.
	 */
	if (unlikely((word & UINT64_C(0xF00000000000FF00)) !=
					    (UINT64_C(6) << 60 | IPPROTO_UDP << 8) ||
			    fcn_load_be32(udp + offsetof(struct rte_udp_hdr, dst_port)) !=
					    (FCN_ROCE_UDP_PORT << 16 | plen) ||
			    plen - min_plen > pkt_len - min_len ||
			    (bth[1] & FCN_BTH_TVER_MASK) != 0 || bth[0] == FCN_BTH_OPCODE_CNP))
		return false;
	fcn_parse_fast_info(data, word, info);
	return true;
}

/**
 * Parse a frame: with fcn_parse_fast() if possible, otherwise with fcn_parse_slow(). For a frame
 * that both can parse, the result is the same. Parameters and result are those of fcn_parse_slow().
 */
static inline enum fcn_wire_error
fcn_parse(const uint8_t *data, uint32_t seg_len, uint32_t pkt_len,
		const struct fcn_parse_codes *codes, struct fcn_wire_info *info)
{
	if (likely(fcn_parse_fast(data, seg_len, pkt_len, info)))
		return FCN_WIRE_OK;
	return fcn_parse_slow(data, seg_len, pkt_len, codes, info);
}

/**
 * Adjust all offsets after the bytes in front of the IP header have grown by shift bytes (or
 * shrunk, if shift is negative).
 */
static inline void
fcn_wire_info_shift(struct fcn_wire_info *info, int shift)
{
#define FCN_WIRE_INFO_SHIFT(off) info->off += (uint16_t)(info->off != 0 ? shift : 0)
	FCN_WIRE_INFO_SHIFT(l3_off);
	FCN_WIRE_INFO_SHIFT(inner_l3_off);
	FCN_WIRE_INFO_SHIFT(l4_off);
	FCN_WIRE_INFO_SHIFT(final_dst_off);
	if (unlikely((info->ioam_off | info->proxy_off) != 0)) {
		FCN_WIRE_INFO_SHIFT(ioam_off);
		FCN_WIRE_INFO_SHIFT(proxy_off);
	}
#undef FCN_WIRE_INFO_SHIFT
}

#endif /* FCN_PARSE_H */
