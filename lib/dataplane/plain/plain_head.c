/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "plain_head.h"

/* Offsets of what is compared. */
#define ETHER_TYPE offsetof(struct rte_ether_hdr, ether_type)
#define IP RTE_ETHER_HDR_LEN
#define NEXT_HEADER (IP + offsetof(struct rte_ipv6_hdr, proto))
#define SRC (IP + offsetof(struct rte_ipv6_hdr, src_addr))
#define DST (IP + offsetof(struct rte_ipv6_hdr, dst_addr))
#define DST_PORT (FCN_PLAIN_UDP + offsetof(struct rte_udp_hdr, dst_port))
#define TVER (FCN_PLAIN_BTH + 1)

#define PLAIN_VALUE                                                                             \
	[ETHER_TYPE] = RTE_ETHER_TYPE_IPV6 >> 8, [ETHER_TYPE + 1] = RTE_ETHER_TYPE_IPV6 & 0xff, \
	[IP] = 6 << 4, [NEXT_HEADER] = IPPROTO_UDP, [DST_PORT] = FCN_ROCE_UDP_PORT >> 8,        \
	[DST_PORT + 1] = FCN_ROCE_UDP_PORT & 0xff
#define PLAIN_MASK                                                                     \
	[ETHER_TYPE] = 0xff,                                                           \
	[ETHER_TYPE + 1] = 0xff, [IP] = 0xf0, [NEXT_HEADER] = 0xff, [DST_PORT] = 0xff, \
	[DST_PORT + 1] = 0xff, [TVER] = FCN_BTH_TVER_MASK

const struct fcn_plain_head fcn_plain_head_stations = {
		.value = {PLAIN_VALUE},
		.mask = {[0] = RTE_ETHER_GROUP_ADDR,
				[RTE_ETHER_ADDR_LEN] = RTE_ETHER_GROUP_ADDR,
				PLAIN_MASK},
};
const struct fcn_plain_head fcn_plain_head_routed = {
		.value = {PLAIN_VALUE, [SRC] = 0x20, [DST] = 0x20},
		.mask = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
				PLAIN_MASK, [SRC] = 0xe0, [DST] = 0xe0},
};
