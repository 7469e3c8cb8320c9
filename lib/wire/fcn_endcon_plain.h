/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * A fast form of fcn_endcon_check() for the form in which P nodes send most Fast
 * CNPs to END.CON: an untagged IPv6 header, in front of a Fast CNP with option 1, whose only
 * extension header is 24 octets long: two octets of PadN, then the option. Every offset is constant
 * then, and what the ICRC and the UDP checksum cover in front of the destination address is the
 * same for all Fast CNPs of a P node.
 *
 * Pure functions, safe from any thread.
 */

#ifndef FCN_ENDCON_PLAIN_H
#define FCN_ENDCON_PLAIN_H

#include "fcn_endcon.h"
#include "fcn_parse_tunnel.h"

#define FCN_ENDCON_PLAIN_EXT_LEN 24u /**< bytes of the extension header */
/** Bytes of the IPv6 header of the P node, which are in front of the Fast CNP. */
#define FCN_ENDCON_PLAIN_INNER_OFF (FCN_TUNNEL_IP_OFF + FCN_TUNNEL_IP6_LEN)
/** Bytes of the frame. */
#define FCN_ENDCON_PLAIN_LEN (FCN_ENDCON_PLAIN_INNER_OFF + FCN_FASTCNP_OPT1_LEN)

/** What all Fast CNPs of a P node have in common. */
struct fcn_endcon_node {
	uint64_t address[2]; /**< address of the P node, network byte order */
	/** four octets of zero, and the ICRC if all octets from the destination address on were 0
	 */
	uint64_t icrc;
	uint32_t sum;  /**< what is constant in the sum of UDP checksum, not folded */
	bool is_clmul; /**< fcn_endcon_plain_is_intact() multiplies without carry */
};

/** Check whether an address, 16 bytes, is that of a node. */
static inline bool
fcn_endcon_node_is(const struct fcn_endcon_node *node, const uint8_t *address)
{
	uint64_t word[2];

	memcpy(word, address, sizeof(word));
	return ((word[0] ^ node->address[0]) | (word[1] ^ node->address[1])) == 0;
}

/**
 * Prepare what all Fast CNPs of a P node have in common.
 *
 * @param crc     CRC context
 * @param mode    how extension headers enter the ICRC
 * @param address 16 bytes
 * @param node    every field is written
 */
void fcn_endcon_node_init(const struct fcn_crc32 *crc, enum fcn_icrc_mode mode,
		const uint8_t *address, struct fcn_endcon_node *node);

/* Offsets of the parts of a frame of the plain form whose constant octets are checked. */
#define FCN_ENDCON_PLAIN_EXT_OFF (FCN_ENDCON_PLAIN_INNER_OFF + FCN_TUNNEL_IP6_LEN)
#define FCN_ENDCON_PLAIN_UDP_OFF (FCN_ENDCON_PLAIN_EXT_OFF + FCN_ENDCON_PLAIN_EXT_LEN)

/** Check whether a frame of this length has the constant octets of the plain form. */
static inline bool
fcn_endcon_plain_is_form_portable(const uint8_t *data, uint8_t opt1)
{
	const uint8_t *outer = data + FCN_TUNNEL_IP_OFF, *inner = data + FCN_ENDCON_PLAIN_INNER_OFF;
	const uint8_t *udp = data + FCN_ENDCON_PLAIN_UDP_OFF, *bth = udp + FCN_TUNNEL_UDP_LEN;
	/* Next Header, length, PadN with two octets of 0, the option's type and length */
	const uint64_t option = UINT64_C(0x1102010200000010) | (uint64_t)opt1 << 8;

	return fcn_get_be16(outer - 2) == RTE_ETHER_TYPE_IPV6 && outer[0] >> 4 == 6 &&
	       fcn_get_be16(outer + 4) == FCN_FASTCNP_OPT1_LEN && outer[6] == IPPROTO_IPV6 &&
	       inner[0] >> 4 == 6 &&
	       fcn_get_be16(inner + 4) == FCN_ENDCON_PLAIN_EXT_LEN + FCN_CNP_UDP_LEN &&
	       inner[6] == IPPROTO_DSTOPTS &&
	       fcn_get_be64(data + FCN_ENDCON_PLAIN_EXT_OFF) == option &&
	       fcn_get_be16(udp + 2) == FCN_ROCE_UDP_PORT &&
	       fcn_get_be16(udp + 4) == FCN_CNP_UDP_LEN && bth[0] == FCN_BTH_OPCODE_CNP &&
	       (bth[1] & FCN_BTH_TVER_MASK) == 0;
}

#ifdef __SSE4_1__

/* The octets of a part that are not those of `want`, among the octets that `mask` selects. */
static inline __m128i
fcn_endcon_plain_differs(const uint8_t *part, __m128i want, __m128i mask)
{
	return _mm_and_si128(_mm_xor_si128(_mm_loadu_si128((const void *)part), want), mask);
}

static inline bool
fcn_endcon_plain_is_form(const uint8_t *data, uint8_t opt1)
{
	const char port = FCN_ROCE_UDP_PORT >> 8, port_low = (char)(FCN_ROCE_UDP_PORT & 0xFF);
	/* Each from the EtherType, or two octets in front of the IPv6 header, on. */
	const __m128i outer = _mm_setr_epi8((char)0x86, (char)0xDD, 0x60, 0, 0, 0, 0,
			FCN_FASTCNP_OPT1_LEN, IPPROTO_IPV6, 0, 0, 0, 0, 0, 0, 0);
	const __m128i inner = _mm_setr_epi8(0, 0, 0x60, 0, 0, 0, 0,
			FCN_ENDCON_PLAIN_EXT_LEN + FCN_CNP_UDP_LEN, IPPROTO_DSTOPTS, 0, 0, 0, 0, 0,
			0, 0);
	const __m128i outer_mask = _mm_setr_epi8(
			-1, -1, (char)0xF0, 0, 0, 0, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0);
	const __m128i inner_mask = _mm_setr_epi8(
			0, 0, (char)0xF0, 0, 0, 0, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0);
	const __m128i ext = _mm_setr_epi8(IPPROTO_UDP, FCN_ENDCON_PLAIN_EXT_LEN / 8 - 1, 1, 2, 0, 0,
			(char)opt1, 16, 0, 0, 0, 0, 0, 0, 0, 0);
	const __m128i udp = _mm_setr_epi8(0, 0, port, port_low, 0, FCN_CNP_UDP_LEN, 0, 0,
			(char)FCN_BTH_OPCODE_CNP, 0, 0, 0, 0, 0, 0, 0);
	const __m128i udp_mask = _mm_setr_epi8(
			0, 0, -1, -1, -1, -1, 0, 0, -1, FCN_BTH_TVER_MASK, 0, 0, 0, 0, 0, 0);
	const __m128i all = _mm_or_si128(
			_mm_or_si128(fcn_endcon_plain_differs(data + FCN_TUNNEL_IP_OFF - 2, outer,
						     outer_mask),
					fcn_endcon_plain_differs(
							data + FCN_ENDCON_PLAIN_INNER_OFF - 2,
							inner, inner_mask)),
			_mm_or_si128(fcn_endcon_plain_differs(data + FCN_ENDCON_PLAIN_EXT_OFF, ext,
						     _mm_set_epi64x(0, -1)),
					fcn_endcon_plain_differs(data + FCN_ENDCON_PLAIN_UDP_OFF,
							udp, udp_mask)));

	return _mm_testz_si128(all, all);
}

#else

static inline bool
fcn_endcon_plain_is_form(const uint8_t *data, uint8_t opt1)
{
	return fcn_endcon_plain_is_form_portable(data, opt1);
}

#endif

/**
 * Check whether a frame has the plain form. It has no octets behind the IPv6 packet.
 *
 * @param opt1 type of option 1, for which fcn_fastcnp_type_is_valid() is true
 * @return whether the frame has this form; its ICRC and UDP checksum may be wrong, and its
 *         addresses any
 */
static __rte_always_inline bool
fcn_endcon_is_plain(const uint8_t *data, uint32_t seg_len, uint32_t pkt_len, uint8_t opt1)
{
	return likely(seg_len == FCN_ENDCON_PLAIN_LEN && pkt_len == FCN_ENDCON_PLAIN_LEN) &&
	       fcn_endcon_plain_is_form(data, opt1);
}

/** fcn_endcon_plain_is_intact() by the CPU's multiplication without carry. */
bool fcn_endcon_plain_is_intact_clmul(const struct fcn_endcon_node *node, const uint8_t *inner);

/** fcn_endcon_plain_is_intact() by the functions for other packets. */
bool fcn_endcon_plain_is_intact_any(const struct fcn_crc32 *crc, enum fcn_icrc_mode mode,
		const struct fcn_endcon_node *node, const uint8_t *inner);

/**
 * Check whether the ICRC of a Fast CNP of the plain form is that of fcn_icrc(), its UDP checksum
 * right and not missing, and its source address that of the node.
 *
 * @param crc   CRC context
 * @param mode  the one that fcn_endcon_node_init() was given
 * @param inner IPv6 header of the Fast CNP, FCN_FASTCNP_OPT1_LEN bytes
 */
static inline bool
fcn_endcon_plain_is_intact(const struct fcn_crc32 *crc, enum fcn_icrc_mode mode,
		const struct fcn_endcon_node *node, const uint8_t *inner)
{
	return likely(node->is_clmul) ? fcn_endcon_plain_is_intact_clmul(node, inner)
				      : fcn_endcon_plain_is_intact_any(crc, mode, node, inner);
}

#endif /* FCN_ENDCON_PLAIN_H */
