/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * What is constant in the headers of plain RoCEv2 over IPv6 and over IPv4. Used by the stages
 * `fast_path` and `classify` only.
 */

#ifndef PLAIN_HEAD_H
#define PLAIN_HEAD_H

#include "fcn_stages.h"

/* Offsets of the headers in a frame of plain RoCEv2 over IPv6, and its least length in octets. */
#define FCN_PLAIN_UDP (RTE_ETHER_HDR_LEN + (uint32_t)sizeof(struct rte_ipv6_hdr))
#define FCN_PLAIN_BTH (FCN_PLAIN_UDP + (uint32_t)sizeof(struct rte_udp_hdr))
#define FCN_PLAIN_DATA (FCN_PLAIN_BTH + (uint32_t)sizeof(struct fcn_bth_hdr))
#define FCN_PLAIN_MIN (FCN_PLAIN_DATA + (uint32_t)FCN_ICRC_LEN)

/* The same of RoCEv2 over IPv4 without options. */
#define FCN_PLAIN_UDP4 (RTE_ETHER_HDR_LEN + (uint32_t)sizeof(struct rte_ipv4_hdr))
#define FCN_PLAIN_BTH4 (FCN_PLAIN_UDP4 + (uint32_t)sizeof(struct rte_udp_hdr))
#define FCN_PLAIN_DATA4 (FCN_PLAIN_BTH4 + (uint32_t)sizeof(struct fcn_bth_hdr))
#define FCN_PLAIN_MIN4 (FCN_PLAIN_DATA4 + (uint32_t)FCN_ICRC_LEN)

/** Octets of a frame over IPv6 that are compared: up to the TVer of the BTH. */
#define FCN_PLAIN_HEAD 64
/** Octets of one over IPv4. */
#define FCN_PLAIN_HEAD4 48

/**
 * What the start of a frame of plain RoCEv2 always has, where `mask` has bits set: EtherType, IP
 * version, next header, UDP destination port, and the TVer of the BTH; over IPv4 also that there
 * are no options, and that it is no fragment. On routed ports it has the port's MAC address as
 * destination, too, which is not in `value`, and both IPv6 addresses are global as by
 * fcn_differs_from_global(). Other bits of `value` are 0.
 */
struct fcn_plain_head {
	uint8_t value[FCN_PLAIN_HEAD];
	uint8_t mask[FCN_PLAIN_HEAD];
};

/** Of frames between two stations of a bridge: neither MAC address is that of a group. */
extern const struct fcn_plain_head fcn_plain_head_stations;
extern const struct fcn_plain_head fcn_plain_head_routed;
extern const struct fcn_plain_head fcn_plain_head_stations4; /**< the same over IPv4 */
extern const struct fcn_plain_head fcn_plain_head_routed4;

/** Get the number of lengths that packets may have, from FCN_PLAIN_MIN on. */
static inline uint32_t
fcn_plain_range(uint32_t max_frame)
{
	return max_frame < FCN_PLAIN_MIN ? 0 : max_frame - FCN_PLAIN_MIN + 1;
}

/**
 * Check whether all headers are in the first segment of a packet, and it is neither too short nor
 * too long.
 *
 * @param range of fcn_plain_range()
 */
static inline bool
fcn_plain_is_in_range(const struct rte_mbuf *m, uint32_t range)
{
	return likely(m->data_len >= FCN_PLAIN_DATA && m->pkt_len - FCN_PLAIN_MIN < range);
}

/** Check whether the lengths in the headers are that of the packet. */
static inline bool
fcn_plain_lengths_agree(const uint8_t *data, uint32_t len)
{
	uint16_t plen, udp_len;

	memcpy(&plen, data + RTE_ETHER_HDR_LEN + offsetof(struct rte_ipv6_hdr, payload_len),
			sizeof(plen));
	memcpy(&udp_len, data + FCN_PLAIN_UDP + offsetof(struct rte_udp_hdr, dgram_len),
			sizeof(udp_len));
	return plen == udp_len && plen == fcn_swap_be16((uint16_t)(len - FCN_PLAIN_UDP));
}

#endif /* PLAIN_HEAD_H */
