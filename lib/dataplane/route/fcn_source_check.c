/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "fcn_source_check.h"

#include "route_find.h"
#include "route_remember.h"

/* A source address. */
struct source {
	unsigned int version;
	const uint8_t *addr; /* in the packet, network byte order */
};

uint32_t
fcn_route_look_up(const struct fcn_snapshot_table *table, const struct fcn_fib *fib,
		unsigned int version, const uint8_t *addr)
{
	uint64_t nh;

	if (version == 6) {
		uint8_t addresses[1][16];

		memcpy(addresses[0], addr, sizeof(addresses[0]));
		fcn_fib6_lookup(fib, addresses, &nh, 1);
	} else {
		const uint32_t address = fcn_get_be32(addr);

		fcn_fib4_lookup(fib, &address, &nh, 1);
	}
	return table->first + (uint32_t)nh;
}

static struct source
source_of(const struct fcn_wire_info *info, const uint8_t *data)
{
	const uint8_t *ip = data + info->l3_off;

	if (info->flags & FCN_PKT_IPV6)
		return (struct source){6, ip + offsetof(struct rte_ipv6_hdr, src_addr)};
	return (struct source){4, ip + offsetof(struct rte_ipv4_hdr, src_addr)};
}

/* Look an address up in a table without steering rules: where packets to it go that match none. */
static uint32_t
look_up(const struct fcn_snapshot *s, unsigned int number, const struct source *source)
{
	const struct fcn_snapshot_table *table = &s->table[number];

	return fcn_route_look_up(table, table->normal, source->version, source->addr);
}

static inline bool
is_own(const struct fcn_next_hop *nh)
{
	return nh->type == FCN_NEXT_HOP_LOCAL && nh->local == FCN_LOCAL_HOST;
}

bool
fcn_source_is_own(struct fcn_worker *w, unsigned int version, const uint8_t *addr)
{
	const struct source source = {version, addr};
	uint64_t key[2];
	uint32_t index;

	if (version == 6)
		memcpy(key, addr, sizeof(key));
	else
		fcn_dest_cache_key4(addr, key);
	if (!fcn_dest_cache_find_key(&w->dest_cache, key, &index)) {
		uint8_t bytes[16] = {0};

		memcpy(bytes, addr, version == 6 ? 16 : 4);
		index = look_up(w->snap, FCN_TABLE_MAIN, &source);
		/* Where there are rules, the cache has another next hop. */
		if (w->snap->table[FCN_TABLE_MAIN].fib == w->snap->table[FCN_TABLE_MAIN].normal) {
			index = fcn_route_host(w->snap, index, (uint8_t)version, bytes);
			if (version == 6)
				fcn_route_remember(w, bytes, index);
			else
				fcn_route_remember4(w, bytes, index);
		}
	}
	return is_own(&w->snap->next_hop[index]);
}

bool
fcn_source_is_own_in(const struct fcn_snapshot *s, unsigned int table,
		const struct fcn_wire_info *info, const uint8_t *data)
{
	const struct source source = source_of(info, data);

	return fcn_source_may_be_own(&s->own, info, data) &&
	       is_own(&s->next_hop[look_up(s, table, &source)]);
}

/* The same as fcn_route_leaves_by(), of a next hop that is no group and no segment list. */
static bool
is_by(const struct fcn_next_hop *nh, uint16_t interface)
{
	return (fcn_next_hop_is_forward(nh) || nh->type == FCN_NEXT_HOP_NO_NEIGHBOUR ||
			       nh->type == FCN_NEXT_HOP_CONNECTED) &&
	       nh->interface == interface;
}

/* The same of a next hop that may be a group, but of no segment list. */
static bool
is_one_by(const struct fcn_snapshot *s, const struct fcn_next_hop *nh, uint16_t interface)
{
	if (nh->type != FCN_NEXT_HOP_GROUP)
		return is_by(nh, interface);
	for (unsigned int i = 0; i < nh->n_members; i++) {
		if (is_by(&s->next_hop[s->member[nh->first_member + i]], interface))
			return true;
	}
	return false;
}

/* Get the next hop towards the first segment, if a next hop is a segment list. */
static const struct fcn_next_hop *
via(const struct fcn_snapshot *s, const struct fcn_next_hop *nh)
{
	return nh->type == FCN_NEXT_HOP_ENCAPS ? &s->next_hop[s->srv6.encaps[nh->first_member].via]
					       : nh;
}

bool
fcn_route_leaves_by(const struct fcn_snapshot *s, const struct fcn_next_hop *nh, uint16_t interface)
{
	if (nh->type != FCN_NEXT_HOP_GROUP)
		return is_one_by(s, via(s, nh), interface);
	for (unsigned int i = 0; i < nh->n_members; i++) {
		const struct fcn_next_hop *path = &s->next_hop[s->member[nh->first_member + i]];

		if (is_one_by(s, via(s, path), interface))
			return true;
	}
	return false;
}

bool
fcn_source_is_behind(const struct fcn_snapshot *s, unsigned int table, const struct fcn_addr *addr,
		uint16_t interface)
{
	const struct source source = {addr->version, addr->bytes};

	return s->table[table].fib != NULL &&
	       fcn_route_leaves_by(s, &s->next_hop[look_up(s, table, &source)], interface);
}

/* Check whether the source check of ports leaves an address out. */
static bool
is_unchecked(const struct fcn_prefix_list *list, const struct source *source)
{
	if (likely(list == NULL))
		return false;
	return (source->version == 6 ? fcn_prefix_list_lookup6(list, source->addr, 0)
				     : fcn_prefix_list_lookup4(list, fcn_get_be32(source->addr),
						       0)) == FCN_BORDER_LISTED;
}

enum fcn_drop_reason
fcn_source_check(const struct fcn_snapshot *s, const struct fcn_packet *p, const uint8_t *data)
{
	const struct fcn_snapshot_port *port = &s->port[p->in_port];
	const struct source source = source_of(&p->info, data);
	const struct fcn_next_hop *nh;

	if (likely(port->source_check == FCN_SOURCE_CHECK_OFF &&
			    !fcn_source_may_be_own(&s->own, &p->info, data)))
		return FCN_DROP_NONE;
	nh = &s->next_hop[look_up(s, port->table, &source)];
	if (is_own(nh))
		return fcn_source_may_return(s, p) ? FCN_DROP_NONE : FCN_DROP_OWN_SOURCE;
	if (port->source_check == FCN_SOURCE_CHECK_OFF ||
			is_unchecked(s->border.unchecked, &source))
		return FCN_DROP_NONE;
	if (nh->type == FCN_NEXT_HOP_NO_ROUTE || nh->type == FCN_NEXT_HOP_BLACKHOLE)
		return FCN_DROP_SOURCE_NO_ROUTE;
	return port->source_check == FCN_SOURCE_CHECK_LOOSE ||
					       fcn_route_leaves_by(s, nh, p->in_port)
			       ? FCN_DROP_NONE
			       : FCN_DROP_SOURCE_OTHER_PORT;
}
