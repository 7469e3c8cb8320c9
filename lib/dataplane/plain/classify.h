/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * What the stage `classify` and its functions for wide SIMD registers have in common. Used by this
 * stage only.
 */

#ifndef CLASSIFY_H
#define CLASSIFY_H

#include "fast_route.h"
#include "fcn_stages.h"

/* Offsets of the headers in a frame of plain RoCEv2 over IPv6, and its least length in octets. */
#define FCN_PLAIN_UDP (RTE_ETHER_HDR_LEN + (uint32_t)sizeof(struct rte_ipv6_hdr))
#define FCN_PLAIN_BTH (FCN_PLAIN_UDP + (uint32_t)sizeof(struct rte_udp_hdr))
#define FCN_PLAIN_DATA (FCN_PLAIN_BTH + (uint32_t)sizeof(struct fcn_bth_hdr))
#define FCN_PLAIN_MIN (FCN_PLAIN_DATA + (uint32_t)FCN_ICRC_LEN)

/** Octets of such a frame that are compared: up to the TVer of the BTH. */
#define FCN_PLAIN_HEAD 64

/**
 * What the start of a frame of plain RoCEv2 over IPv6 always has, where `mask` has bits set:
 * EtherType, IP version, next header, UDP destination port, and the TVer of the BTH. On routed
 * ports it has the port's MAC address as destination, too, which is not in `value`, and both IPv6
 * addresses are in 2000::/3. Other bits of `value` are 0.
 */
struct fcn_plain_head {
	uint8_t value[FCN_PLAIN_HEAD];
	uint8_t mask[FCN_PLAIN_HEAD];
};

extern const struct fcn_plain_head fcn_plain_head_bridged;
/** Of those between two stations of a bridge: neither MAC address is that of a group. */
extern const struct fcn_plain_head fcn_plain_head_stations;
extern const struct fcn_plain_head fcn_plain_head_routed;

/** Data shared by the packets received on one port. */
struct fcn_classify_run {
	const struct fcn_snapshot_port *port;
	struct fcn_port_counters *counters;
	uint64_t mac;       /**< fcn_mac_word() of the port's MAC address */
	uint32_t max_frame; /**< maximum frame length in bytes, without tags */
	uint16_t flags;     /**< FCN_PACKET_* of a packet */
	/** FCN_PACKET_* of a packet for which fcn_is_fast_route() is true */
	uint16_t fast_route_flags;
	uint16_t fast_ip4_flags; /**< the same for fcn_is_fast_ip4() */
	uint16_t tunnel_flags;   /**< the same for one that fcn_parse_tunnel() has parsed */
	const struct fcn_plain_head *head; /**< start of the frames of plain RoCEv2 */
	/** class by DSCP: packets on the fast path have no tag, so they have no other */
	const uint8_t *class_of_dscp;
};

/** Get the number of lengths that packets may have, from FCN_PLAIN_MIN on. */
static inline uint32_t
fcn_classify_range(const struct fcn_classify_run *run)
{
	return run->max_frame < FCN_PLAIN_MIN ? 0 : run->max_frame - FCN_PLAIN_MIN + 1;
}

/**
 * Check whether all headers are in the first segment of a packet, and it is neither too short nor
 * too long.
 *
 * @param range of fcn_classify_range()
 */
static inline bool
fcn_classify_is_in_range(const struct rte_mbuf *m, uint32_t range)
{
	return likely(m->data_len >= FCN_PLAIN_DATA && m->pkt_len - FCN_PLAIN_MIN < range);
}

/** Check whether the lengths in the headers are that of the packet. */
static inline bool
fcn_classify_lengths_agree(const uint8_t *data, uint32_t len)
{
	uint16_t plen, udp_len;

	memcpy(&plen, data + RTE_ETHER_HDR_LEN + offsetof(struct rte_ipv6_hdr, payload_len),
			sizeof(plen));
	memcpy(&udp_len, data + FCN_PLAIN_UDP + offsetof(struct rte_udp_hdr, dgram_len),
			sizeof(udp_len));
	return plen == udp_len && plen == fcn_swap_be16((uint16_t)(len - FCN_PLAIN_UDP));
}

/** Check both. */
static inline bool
fcn_classify_has_length(const struct rte_mbuf *m, const uint8_t *data, uint32_t range)
{
	return fcn_classify_is_in_range(m, range) && fcn_classify_lengths_agree(data, m->pkt_len);
}

/** Choose the function for plain packets, by the CPU and what EAL allows; NULL: there is none. */
fcn_classify_plain_t fcn_classify_choose(void);

#ifdef RTE_ARCH_X86_64
#define FCN_CLASSIFY_AVX 1

/** With AVX2. */
unsigned int fcn_classify_avx2(struct fcn_burst *b, unsigned int from, unsigned int to,
		const struct fcn_classify_run *run);

/** With AVX-512 F, BW and VBMI. */
unsigned int fcn_classify_avx512(struct fcn_burst *b, unsigned int from, unsigned int to,
		const struct fcn_classify_run *run);
#endif

#endif /* CLASSIFY_H */
