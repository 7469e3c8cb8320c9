/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * From the result of a route lookup to the final next hop: the host on a connected network, and one
 * path of a group. Used by the stages only.
 */

#ifndef ROUTE_FIND_H
#define ROUTE_FIND_H

#include "fcn_burst.h"
#include "fcn_hash_key.h"
#include "fcn_snapshot.h"

/**
 * Get the number of the route table of a packet: that of its ingress port, or the one that a local
 * behaviour chose. The packet is not marked for delivery.
 */
static inline unsigned int
fcn_route_table(const struct fcn_snapshot *s, const struct fcn_packet *p)
{
	return unlikely(p->flags & FCN_PACKET_REROUTE) ? p->table : s->port[p->in_port].table;
}

/**
 * Replace the next hop of a connected network by that of the host, if the neighbour table has it.
 *
 * @param addr address of the host, network byte order; IPv4: in the first 4 bytes, then zeros
 * @return index of the next hop
 */
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

/** Combine source and destination port for the flow hash functions. */
static inline uint32_t
fcn_route_ports(uint16_t src_port, uint16_t dst_port)
{
	return (uint32_t)src_port << 16 | dst_port;
}

/** Compute the hash of fcn_route_hash6(); the caller has prepared the key once for many packets. */
static inline uint32_t
fcn_route_prepared_hash6(const struct fcn_hash_prepared *key, const uint8_t src[16],
		const uint8_t dst[16], uint32_t ports)
{
	uint64_t words[4];

	memcpy(words, src, 16);
	memcpy(words + 2, dst, 16);
	return (uint32_t)((fcn_hash_prepared_pair(key, words[0], words[1]) ^
					  fcn_hash_prepared_other_pair(
							  key, words[2] ^ ports, words[3])) >>
			  32);
}

/** Compute the hash of fcn_route_hash4(); the caller has prepared the key once for many packets. */
static inline uint32_t
fcn_route_prepared_hash4(
		const struct fcn_hash_prepared *key, const uint8_t addresses[8], uint32_t ports)
{
	uint64_t words;

	memcpy(&words, addresses, sizeof(words));
	return (uint32_t)(fcn_hash_prepared_pair(key, words, ports) >> 32);
}

/** Compute the flow hash of an IPv6 packet. The addresses are in network byte order. */
static inline uint32_t
fcn_route_hash6(const struct fcn_hash_key *key, const uint8_t src[16], const uint8_t dst[16],
		uint32_t ports)
{
	const struct fcn_hash_prepared prepared = fcn_hash_prepare(key);

	return fcn_route_prepared_hash6(&prepared, src, dst, ports);
}

/** Compute the flow hash of an IPv4 packet. @param addresses both, as they are in the header */
static inline uint32_t
fcn_route_hash4(const struct fcn_hash_key *key, const uint8_t addresses[8], uint32_t ports)
{
	const struct fcn_hash_prepared prepared = fcn_hash_prepare(key);

	return fcn_route_prepared_hash4(&prepared, addresses, ports);
}

#define FCN_ROUTE_FLOW_LABEL 0xFFFFFu /**< the bits of a flow label */

/** Combine the protocol of a packet, in its tunnel if there is one, and its flow label, for the
 * flow hash functions. @param word the first four octets of its IPv6 header; 0: it has none */
static inline uint32_t
fcn_route_label(uint8_t proto, uint32_t word)
{
	return (uint32_t)proto << 20 | (word & FCN_ROUTE_FLOW_LABEL);
}

/**
 * Get what tells the flows of a packet apart that has no ports, or those of a tunnel: the protocol,
 * and over IPv6 the flow label, which the sender, or the ingress of a tunnel, has given to the flow
 * (RFC 6437, RFC 6438).
 */
static inline uint32_t
fcn_route_no_ports(const uint8_t *ip, const struct fcn_wire_info *info)
{
	return fcn_route_label(info->proto, info->flags & FCN_PKT_IPV6 ? fcn_load_be32(ip) : 0);
}

/**
 * Compute a hash over addresses and ports, so that a flow keeps its path of several with equal cost
 * (RFC 2992). RoCEv2 senders use different source ports for their queue pairs. Only the first
 * fragment of a packet has ports, so for fragments ports are not used. What has no ports is told
 * apart by protocol and flow label, and what is in a tunnel by the flow label of the tunnel, too,
 * as its own addresses do not count.
 */
static inline uint32_t
fcn_route_flow_hash(const struct fcn_hash_key *key, const uint8_t *data,
		const struct fcn_wire_info *info)
{
	const uint8_t *ip = data + info->l3_off;
	uint32_t ports = fcn_route_ports(info->src_port, info->dst_port);

	if (unlikely(ports == 0 || info->flags & FCN_PKT_FRAGMENT))
		ports = fcn_route_no_ports(ip, info);
	else if (info->flags & FCN_PKT_TUNNEL)
		ports ^= fcn_route_no_ports(ip, info);
	if (info->flags & FCN_PKT_IPV6)
		return fcn_route_hash6(key, ip + offsetof(struct rte_ipv6_hdr, src_addr),
				ip + offsetof(struct rte_ipv6_hdr, dst_addr), ports);
	return fcn_route_hash4(key, ip + offsetof(struct rte_ipv4_hdr, src_addr), ports);
}

/** Select one of n consecutive elements, from `first` on, for a flow hash. @return its index */
static inline uint32_t
fcn_route_pick(uint32_t first, uint32_t n, uint32_t hash)
{
	return first + (uint32_t)((uint64_t)hash * n >> 32);
}

/** Select the path of a group for a flow hash. @return index of the next hop */
static inline uint32_t
fcn_route_member(const struct fcn_snapshot *s, const struct fcn_next_hop *group, uint32_t hash)
{
	return s->member[fcn_route_pick(group->first_member, group->n_members, hash)];
}

#endif /* ROUTE_FIND_H */
