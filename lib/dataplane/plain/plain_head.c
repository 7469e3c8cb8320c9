/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "fast_route.h"
#include "plain_head.h"

/* Offsets of what is compared. */
#define ETHER_TYPE offsetof(struct rte_ether_hdr, ether_type)
#define IP RTE_ETHER_HDR_LEN
#define NEXT_HEADER (IP + offsetof(struct rte_ipv6_hdr, proto))
#define SRC (IP + offsetof(struct rte_ipv6_hdr, src_addr))
#define DST (IP + offsetof(struct rte_ipv6_hdr, dst_addr))
#define FRAGMENT (IP + offsetof(struct rte_ipv4_hdr, fragment_offset))
#define PROTOCOL (IP + offsetof(struct rte_ipv4_hdr, next_proto_id))
#define DST_PORT(udp) ((udp) + offsetof(struct rte_udp_hdr, dst_port))
#define TVER(bth) ((bth) + 1)

/* The octets of a number of 16 bits, from an offset on. */
#define PAIR(off, number) [off] = (uint8_t)((number) >> 8), [(off) + 1] = (uint8_t)(number)

/* By the MAC addresses: that of a port, which is not in `value`, and those of two stations. */
#define TO_PORT 0xff, 0xff, 0xff, 0xff, 0xff, 0xff
#define STATIONS [0] = RTE_ETHER_GROUP_ADDR, [RTE_ETHER_ADDR_LEN] = RTE_ETHER_GROUP_ADDR

#define VALUE6                                                                                   \
	PAIR(ETHER_TYPE, RTE_ETHER_TYPE_IPV6), PAIR(DST_PORT(FCN_PLAIN_UDP), FCN_ROCE_UDP_PORT), \
			[IP] = 6 << 4, [NEXT_HEADER] = IPPROTO_UDP
#define MASK6                                                                                     \
	PAIR(ETHER_TYPE, 0xffff),                                                                 \
			PAIR(DST_PORT(FCN_PLAIN_UDP), 0xffff), [IP] = 0xf0, [NEXT_HEADER] = 0xff, \
							       [TVER(FCN_PLAIN_BTH)] =            \
									       FCN_BTH_TVER_MASK

const struct fcn_plain_head fcn_plain_head_stations = {
		.value = {VALUE6},
		.mask = {STATIONS, MASK6},
};
const struct fcn_plain_head fcn_plain_head_routed = {
		.value = {VALUE6, [SRC] = FCN_GLOBAL_FIRST, [DST] = FCN_GLOBAL_FIRST},
		.mask = {TO_PORT, MASK6, [SRC] = FCN_GLOBAL_MASK, [DST] = FCN_GLOBAL_MASK},
};

/* Of the fragment, the bit "do not fragment" may be set. */
#define VALUE4                                                                                    \
	PAIR(ETHER_TYPE, RTE_ETHER_TYPE_IPV4), PAIR(DST_PORT(FCN_PLAIN_UDP4), FCN_ROCE_UDP_PORT), \
			[IP] = RTE_IPV4_VHL_DEF, [PROTOCOL] = IPPROTO_UDP
#define MASK4                                                                                   \
	PAIR(ETHER_TYPE, 0xffff), PAIR(FRAGMENT, 0x3fff),                                       \
			PAIR(DST_PORT(FCN_PLAIN_UDP4), 0xffff), [IP] = 0xff, [PROTOCOL] = 0xff, \
								[TVER(FCN_PLAIN_BTH4)] =        \
										FCN_BTH_TVER_MASK

const struct fcn_plain_head fcn_plain_head_stations4 = {
		.value = {VALUE4},
		.mask = {STATIONS, MASK4},
};
const struct fcn_plain_head fcn_plain_head_routed4 = {
		.value = {VALUE4},
		.mask = {TO_PORT, MASK4},
};
