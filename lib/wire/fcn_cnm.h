/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Congestion Notification Message: what a congested node tells the proxy network node near the
 * sender of a flow (draft-xiao-rtgwg-proxy-congestion-notification section 4). It is a UDP datagram
 * over IPv4 or IPv6 with the flow's five-tuple, the congestion level, and the start of a packet of
 * that flow.
 *
 * The draft leaves open the UDP port, the packing of five-tuple and level, for which struct
 * fcn_flow_descriptor is used, and whether its limits include the IP header, which they do here.
 * The IP versions of message and flow are independent of each other.
 *
 * Pure functions over bytes: they never read past the bytes given, keep no state, and are safe from
 * any thread.
 */

#ifndef FCN_CNM_H
#define FCN_CNM_H

#include <stdbool.h>
#include <stdint.h>

#include "fcn_compat.h"
#include "fcn_flow_descriptor.h"
#include "fcn_inet.h"
#include "fcn_parse.h"

#define FCN_CNM_MAX_LEN4 576  /**< maximum length of a message over IPv4, IP header included */
#define FCN_CNM_MAX_LEN6 1280 /**< maximum length over IPv6, likewise */
/** longest headers in front of the quote, in bytes: IPv6, UDP, and the descriptor with IPv6 */
#define FCN_CNM_MAX_HEAD_LEN (FCN_IP6_LEN + 8 + FCN_FLOW_DESCRIPTOR_LEN6)

/*
 * X(arg, symbol, name, text): why a message is ignored. `arg` is passed on, for lists that this one
 * is a part of.
 */
#define FCN_CNM_ERRORS_FOR(X, arg)                                                               \
	X(arg, UDP_LENGTH, "cnm_udp_length", "CNM: UDP length not that of the packet")           \
	X(arg, UDP_CHECKSUM, "cnm_udp_checksum", "CNM: UDP checksum wrong, or absent over IPv6") \
	X(arg, TRUNCATED, "cnm_truncated", "CNM: cut short in the five-tuple")                   \
	X(arg, VERSION, "cnm_version", "CNM: five-tuple of an IP version other than 4, 6")       \
	X(arg, QUOTE, "cnm_quote",                                                               \
			"CNM: the quoted packet is absent, cut in its headers, malformed "       \
			"or a fragment")                                                         \
	X(arg, MISMATCH, "cnm_mismatch", "CNM: the quoted packet has another five-tuple")

/* X(symbol, name, text) */
#define FCN_CNM_ERRORS(X) FCN_CNM_ERRORS_FOR(FCN_CNM_ERROR_ROW, X)
#define FCN_CNM_ERROR_ROW(X, ...) X(__VA_ARGS__)

enum fcn_cnm_error {
	FCN_CNM_OK,
#define FCN_CNM_ENUM(sym, name, text) FCN_CNM_BAD_##sym,
	FCN_CNM_ERRORS(FCN_CNM_ENUM)
#undef FCN_CNM_ENUM
	FCN_CNM_ERROR_COUNT,
};

/** A message that was read. */
struct fcn_cnm {
	struct fcn_flow_descriptor flow; /**< with the congestion level */
	const uint8_t *quote;            /**< IP header of the quoted packet, in the message */
	uint32_t quote_len;              /**< bytes of the packet that are quoted, not always all */
	/** what the headers of the quoted packet hold; offsets are from `quote` */
	struct fcn_wire_info about;
};

/** Short name of a reason, as used in counters and JSON; never NULL. */
const char *fcn_cnm_error_name(enum fcn_cnm_error e);

/** One line of text that explains a reason; never NULL. */
const char *fcn_cnm_error_text(enum fcn_cnm_error e);

/**
 * Tell whether the five-tuple of a packet is known: the innermost IP header that fcn_parse() read,
 * and the protocol behind it with its ports if it is UDP or TCP. It is not known of fragments, and
 * of packets whose headers are malformed.
 */
static inline bool
fcn_cnm_has_flow(const struct fcn_wire_info *info)
{
	const uint32_t flags = info->flags;

	if (!(flags & (FCN_PKT_IPV4 | FCN_PKT_IPV6)) || flags & FCN_PKT_FRAGMENT ||
			info->l4_off == 0)
		return false;
	if (flags & FCN_PKT_ROCE)
		return true;
	/* A malformed trace alone is no obstacle: it stays as it is. */
	if (info->error != FCN_WIRE_OK && !(flags & FCN_PKT_IOAM_INVALID))
		return false;
	if (info->proto == IPPROTO_UDP)
		return (flags & (FCN_PKT_UDP | FCN_PKT_ROCE_PORT)) == FCN_PKT_UDP;
	return info->proto != IPPROTO_TCP || (info->src_port | info->dst_port) != 0;
}

/**
 * Get the five-tuple of a packet for which fcn_cnm_has_flow() is true. The destination is the final
 * one, also if segments are left; protocols other than UDP and TCP have no ports.
 *
 * @param data what info's offsets count from
 * @param flow every field is written; the level is 0
 */
void fcn_cnm_flow_of(const uint8_t *data, const struct fcn_wire_info *info,
		struct fcn_flow_descriptor *flow);

/**
 * Get a number that tells flows between the same addresses apart: the destination queue pair of
 * RoCEv2, otherwise one of protocol and ports.
 */
static inline uint32_t
fcn_cnm_flow_number(const struct fcn_wire_info *info)
{
	if (info->flags & FCN_PKT_ROCE)
		return info->dest_qp;
	return ((uint32_t)info->src_port << 16 | info->dst_port) ^
	       info->proto * UINT32_C(0x9E3779B1);
}

/** Bytes of the headers of a packet that a quote has to contain, so that the proxy can read it. */
uint32_t fcn_cnm_quote_min(const struct fcn_wire_info *info);

/**
 * Read what is behind the UDP header.
 *
 * @param data  the descriptor
 * @param len   bytes readable at data
 * @param codes option types
 * @param cnm   written when the result is FCN_CNM_OK; it points into data. With FCN_CNM_BAD_QUOTE,
 *              the flow is valid and all else is 0: who needs no more may use it
 * @return FCN_CNM_OK, or the first reason of the list that applies
 */
enum fcn_cnm_error fcn_cnm_read(const uint8_t *data, uint32_t len,
		const struct fcn_parse_codes *codes, struct fcn_cnm *cnm);

/**
 * Read and validate a packet with a message. Its UDP checksum must be right, and be there over
 * IPv6; over IPv4, 0 is none (RFC 768). The caller has compared the port and looks up the source in
 * its access list.
 *
 * @param ip      the IPv4 or IPv6 header, with a length that was checked
 * @param udp_off offset of the UDP header from ip
 * @param len     bytes readable at ip; those behind the packet's length are padding
 * @param codes   option types
 * @param cnm     as fcn_cnm_read()
 * @return FCN_CNM_BAD_UDP_LENGTH; FCN_CNM_BAD_UDP_CHECKSUM; otherwise as fcn_cnm_read()
 */
enum fcn_cnm_error fcn_cnm_parse(const uint8_t *ip, uint32_t udp_off, uint32_t len,
		const struct fcn_parse_codes *codes, struct fcn_cnm *cnm);

/** What all messages of a node have in common. Workers only read it. */
struct fcn_cnm_template {
	uint16_t port;     /**< UDP destination port, host byte order */
	uint8_t dscp;      /**< 0 to 63; the ECN field is Not-ECT */
	uint8_t hop_limit; /**< or TTL */
	struct fcn_crc32 crc;
};

/**
 * Initialise the member crc.
 *
 * @return 0; -1 if DPDK's rte_net provides no CRC-32
 */
int fcn_cnm_template_init(struct fcn_cnm_template *t);

/** Free what fcn_cnm_template_init() made. */
void fcn_cnm_template_fini(struct fcn_cnm_template *t);

/** Bytes in front of the quote, of a message of an IP version about a flow of an IP version. */
static inline uint32_t
fcn_cnm_head_len(unsigned int version, unsigned int flow_version)
{
	return (version == 4 ? FCN_IP4_LEN : FCN_IP6_LEN) + 8u +
	       (flow_version == 4 ? FCN_FLOW_DESCRIPTOR_LEN4 : FCN_FLOW_DESCRIPTOR_LEN6);
}

/** Maximum number of quoted bytes of such a message. */
static inline uint32_t
fcn_cnm_quote_max(unsigned int version, unsigned int flow_version)
{
	return (version == 4 ? FCN_CNM_MAX_LEN4 : FCN_CNM_MAX_LEN6) -
	       fcn_cnm_head_len(version, flow_version);
}

/**
 * Write all headers of a message: everything in front of the quote, with valid checksums. The UDP
 * source port is 0xC000 and 14 bits of a CRC-32 of the descriptor.
 *
 * @param version   4 or 6
 * @param src       source address, 4 or 16 bytes, network byte order
 * @param dst       address of the proxy, likewise
 * @param flow      five-tuple and level
 * @param quote_len bytes that are quoted, at most fcn_cnm_quote_max()
 * @param quote_sum their sum, as rte_raw_cksum() computes it
 * @param buf       where the IP header goes, fcn_cnm_head_len() bytes
 * @return bytes written
 */
uint32_t fcn_cnm_write(const struct fcn_cnm_template *t, unsigned int version, const uint8_t *src,
		const uint8_t *dst, const struct fcn_flow_descriptor *flow, uint32_t quote_len,
		uint16_t quote_sum, uint8_t *buf);

#endif /* FCN_CNM_H */
