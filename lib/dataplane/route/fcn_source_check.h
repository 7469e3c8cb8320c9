/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Checks of the source address of a received packet by routes: whether the switch itself has the
 * address, and reverse path forwarding (RFC 3704), which `set port P source-check` turns on.
 * The control thread looks routes up by the same functions.
 *
 * A source of the switch itself is found in two steps: nearly all others are outside the hull of
 * the switch's addresses (struct fcn_own_hull), and only those in it are looked up in the route
 * table.
 */

#ifndef FCN_SOURCE_CHECK_H
#define FCN_SOURCE_CHECK_H

#include "fcn_burst.h"
#include "fcn_snapshot.h"

/** Check whether an IPv6 address may be one of the switch's. */
static inline bool
fcn_own_may_have6(const struct fcn_own_hull *own, const uint8_t addr[16])
{
	uint64_t word[2], value[2], mask[2];

	memcpy(word, addr, sizeof(word));
	memcpy(value, own->value6, sizeof(value));
	memcpy(mask, own->mask6, sizeof(mask));
	return own->any6 &&
	       (((word[0] ^ value[0]) & mask[0]) | ((word[1] ^ value[1]) & mask[1])) == 0;
}

/** The hull of IPv6 addresses, for loops over packets. */
struct fcn_own_words6 {
	uint64_t value[2], mask[2];
};

static inline struct fcn_own_words6
fcn_own_words6(const struct fcn_own_hull *own)
{
	struct fcn_own_words6 words = {
			.value = {UINT64_MAX, UINT64_MAX}, .mask = {UINT64_MAX, UINT64_MAX}};

	if (own->any6) {
		memcpy(words.value, own->value6, sizeof(words.value));
		memcpy(words.mask, own->mask6, sizeof(words.mask));
	}
	return words;
}

/** Check whether an IPv6 address may be one of the switch's. */
static inline bool
fcn_own_words6_may_have(const struct fcn_own_words6 *own, const uint8_t addr[16])
{
	uint64_t word[2];

	memcpy(word, addr, sizeof(word));
	return unlikely(((word[0] ^ own->value[0]) & own->mask[0]) == 0) &&
	       unlikely(((word[1] ^ own->value[1]) & own->mask[1]) == 0);
}

/** Check whether an IPv4 address may be one of the switch's. @param addr network byte order */
static inline bool
fcn_own_may_have4(const struct fcn_own_hull *own, const uint8_t addr[4])
{
	uint32_t word, value, mask;

	memcpy(&word, addr, sizeof(word));
	memcpy(&value, own->value4, sizeof(value));
	memcpy(&mask, own->mask4, sizeof(mask));
	return own->any4 && ((word ^ value) & mask) == 0;
}

/**
 * Check whether the source of a packet may be an address of the switch.
 *
 * @param info of IPv6 or IPv4; the packet has a complete header of this version
 */
static inline bool
fcn_source_may_be_own(const struct fcn_own_hull *own, const struct fcn_wire_info *info,
		const uint8_t *data)
{
	const uint8_t *ip = data + info->l3_off;

	if (info->flags & FCN_PKT_IPV6)
		return fcn_own_may_have6(own, ip + offsetof(struct rte_ipv6_hdr, src_addr));
	return info->flags & FCN_PKT_IPV4 &&
	       fcn_own_may_have4(own, ip + offsetof(struct rte_ipv4_hdr, src_addr));
}

/**
 * Check whether a packet from an address of the switch may be one that it has sent itself: a policy
 * has put it into a tunnel, whose segments lead through the switch again, by a port inside the
 * domain.
 */
static inline bool
fcn_source_may_return(const struct fcn_snapshot *s, const struct fcn_packet *p)
{
	return p->info.flags & FCN_PKT_TUNNEL && s->srv6.encaps != NULL &&
	       !fcn_port_set_has(&s->border.ports, p->in_port);
}

/**
 * Look one address up in a table.
 *
 * @param fib     table->fib, or table->normal, which has no steering rules
 * @param version of IP, 4 or 6
 * @param addr    4 or 16 bytes, network byte order
 * @return index of its next hop in fcn_snapshot.next_hop
 */
uint32_t fcn_route_look_up(const struct fcn_snapshot_table *table, const struct fcn_fib *fib,
		unsigned int version, const uint8_t *addr);

struct fcn_worker;

/**
 * Check whether an address is one of the switch's in the main table. The answer comes from the
 * cache of destinations, if that has the address.
 *
 * @param version of IP, 4 or 6
 * @param addr    4 or 16 bytes, network byte order
 */
bool fcn_source_is_own(struct fcn_worker *w, unsigned int version, const uint8_t *addr);

/**
 * Check the source of a received packet by the route table of its port or sub-interface. Both
 * addresses of the packet are those of hosts, so that it may be forwarded.
 *
 * @return FCN_DROP_NONE, or why the packet is dropped
 */
enum fcn_drop_reason fcn_source_check(
		const struct fcn_snapshot *s, const struct fcn_packet *p, const uint8_t *data);

/**
 * Check whether the source of a packet that came out of a tunnel is an address of the switch.
 *
 * @param table number of the route table in which the packet is looked up
 */
bool fcn_source_is_own_in(const struct fcn_snapshot *s, unsigned int table,
		const struct fcn_wire_info *info, const uint8_t *data);

/**
 * Check whether one of the routes to an address leaves by an interface. Steering rules do not
 * count.
 *
 * @param table     number of a route table
 * @param interface number of a port or sub-interface
 */
bool fcn_source_is_behind(const struct fcn_snapshot *s, unsigned int table,
		const struct fcn_addr *addr, uint16_t interface);

/**
 * Check whether packets to a next hop leave by an interface: for a group by one of its paths, for a
 * segment list by a path to its first segment.
 *
 * @param interface number of a port or sub-interface
 */
bool fcn_route_leaves_by(
		const struct fcn_snapshot *s, const struct fcn_next_hop *nh, uint16_t interface);

#endif /* FCN_SOURCE_CHECK_H */
