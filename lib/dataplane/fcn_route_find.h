/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * From what the route table says to the next hop itself: the host on a connected
 * network, and one path of several; for the stages alone.
 */

#ifndef FCN_ROUTE_FIND_H
#define FCN_ROUTE_FIND_H

#include <rte_hash_crc.h>

#include "fcn_snapshot.h"

/** Fixed, so that the same input gives the same output. */
#define FCN_ECMP_SEED 0x65636d70

/** On a connected network it is the host's own next hop that counts, if it is known. */
static inline uint32_t
fcn_route_host(const struct fcn_snapshot *s, uint32_t index, uint8_t version,
		const uint8_t addr[16])
{
	const struct fcn_next_hop *nh = &s->next_hop[index];
	uint32_t host;

	if (likely(nh->type != FCN_NEXT_HOP_CONNECTED))
		return index;
	host = fcn_neighbour_find(&s->neighbours, version, nh->interface, addr);
	return host != 0 ? host : index;
}

/** Both ports, as the flow hash takes them. */
static inline uint32_t
fcn_route_ports(uint16_t src_port, uint16_t dst_port)
{
	return (uint32_t)src_port << 16 | dst_port;
}

/** Flow hash of IPv6: addresses as in the packet. */
static inline uint32_t
fcn_route_hash6(const uint8_t src[16], const uint8_t dst[16], uint32_t ports)
{
	uint32_t h = rte_hash_crc_4byte(ports, FCN_ECMP_SEED);
	uint64_t words[4];

	memcpy(words, src, 16);
	memcpy(words + 2, dst, 16);
	for (unsigned int i = 0; i < RTE_DIM(words); i++)
		h = rte_hash_crc_8byte(words[i], h);
	return h;
}

/** Flow hash of IPv4: source and destination, one behind the other as in the packet. */
static inline uint32_t
fcn_route_hash4(const uint8_t addresses[8], uint32_t ports)
{
	uint64_t words;

	memcpy(&words, addresses, sizeof(words));
	return rte_hash_crc_8byte(words, rte_hash_crc_4byte(ports, FCN_ECMP_SEED));
}

/** Index of the path of a group that a flow takes. */
static inline uint32_t
fcn_route_member(const struct fcn_snapshot *s, const struct fcn_next_hop *group, uint32_t hash)
{
	/* the high bits of a CRC spread better than a modulo of its low ones */
	return s->member[group->first_member + ((uint64_t)hash * group->n_members >> 32)];
}

#endif /* FCN_ROUTE_FIND_H */
