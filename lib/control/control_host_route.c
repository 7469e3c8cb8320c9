/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* The routes of packets that the host functions send: those of workers, in the same snapshot. */

#include <string.h>

#include "control_private.h"
#include "fcn_route_set.h"
#include "fcn_source_check.h"

static uint32_t
look_up(const struct fcn_snapshot_table *table, const struct fcn_fib *fib,
		const struct fcn_addr *dst)
{
	return fcn_route_look_up(table, fib, dst->version, dst->bytes);
}

/* Get the first path of a group, if it must be no policy: the first one that is none. */
static uint32_t
path_of(const struct fcn_snapshot *s, const struct fcn_next_hop *group, bool no_policy)
{
	const uint32_t *member = &s->member[group->first_member];
	unsigned int i = 0;

	while (no_policy && i + 1 < group->n_members &&
			s->next_hop[member[i]].type == FCN_NEXT_HOP_ENCAPS)
		i++;
	return member[i];
}

bool
fcn_control_host_find_normal(const struct fcn_snapshot *s, unsigned int number,
		const struct fcn_addr *dst, bool no_policy, struct fcn_host_route *route)
{
	const struct fcn_snapshot_table *table = &s->table[number];
	const struct fcn_next_hop *nh;
	uint32_t index, gateway;

	if (table->fib == NULL) /* The table was removed while the packet waited. */
		return false;
	index = look_up(table, table->normal, dst);
	gateway = table->first + fcn_route_set_gateway(table->routes, 0);
	nh = &s->next_hop[index];

	if (nh->type == FCN_NEXT_HOP_GROUP) {
		index = path_of(s, nh, no_policy);
		nh = &s->next_hop[index];
	}
	*route = (struct fcn_host_route){.port = nh->interface, .next_hop = *dst};
	if (nh->type == FCN_NEXT_HOP_CONNECTED) {
		uint32_t host = fcn_neighbour_find(
				&s->neighbours, dst->version, nh->interface, dst->bytes);

		if (host != 0)
			nh = &s->next_hop[host];
		index = 0; /* the destination itself is the next hop */
	}
	switch (nh->type) {
	case FCN_NEXT_HOP_FORWARD:
	case FCN_NEXT_HOP_FORWARD_TAGGED:
		route->resolved = true;
		route->mac = nh->l2.dst_addr;
		break;
	case FCN_NEXT_HOP_CONNECTED:
		break;
	case FCN_NEXT_HOP_ENCAPS:
		route->by_policy = true;
		return true;
	/* The next hop contains the gateway, also as a member of a group. */
	case FCN_NEXT_HOP_NO_NEIGHBOUR:
		index = gateway + nh->first_member;
		break;
	default:
		return false;
	}
	if (index >= gateway && index < gateway + table->routes->n_gateways)
		route->next_hop = table->routes->gateway[index - gateway].addr;
	return true;
}

/* Tell whether a rule steers packets of the switch itself, which are not RoCEv2, into a policy. */
static bool
is_steered(const struct fcn_snapshot *s, unsigned int number, const struct fcn_addr *dst,
		uint8_t dscp)
{
	const struct fcn_snapshot_table *table = &s->table[number];
	const struct fcn_next_hop *nh;

	if (table->fib == table->normal)
		return false;
	nh = &s->next_hop[look_up(table, table->fib, dst)];
	for (unsigned int i = 0; nh->type == FCN_NEXT_HOP_SELECT && i < nh->n_members; i++) {
		const struct fcn_steering *rule = &s->srv6.select[nh->first_member + i];

		if (rule->is_live && fcn_steering_is_met(rule, FCN_SRV6_ANY, dscp, false))
			return true;
	}
	return false;
}

bool
fcn_control_host_find_route(void *arg, unsigned int number, const struct fcn_addr *dst,
		struct fcn_host_route *route)
{
	const struct fcn_snapshot *s = ((struct fcn_control *)arg)->published;
	const uint8_t dscp = route->dscp;

	if (route->is_left || !is_steered(s, number, dst, dscp))
		return fcn_control_host_find_normal(s, number, dst, route->is_left, route);
	*route = (struct fcn_host_route){.dscp = dscp, .by_policy = true};
	return true;
}

/* Check whether packets to an address, which a rule steers into a policy, leave by a port. */
static bool
is_steered_by(const struct fcn_snapshot *s, const struct fcn_snapshot_table *table,
		const struct fcn_addr *to, uint16_t port)
{
	const struct fcn_next_hop *nh;

	if (table->fib == table->normal)
		return false;
	nh = &s->next_hop[look_up(table, table->fib, to)];
	for (unsigned int i = 0; nh->type == FCN_NEXT_HOP_SELECT && i < nh->n_members; i++) {
		const struct fcn_steering *rule = &s->srv6.select[nh->first_member + i];

		if (fcn_route_leaves_by(s, &s->next_hop[rule->next_hop], port))
			return true;
	}
	return false;
}

/* Check whether notices to an address leave by a port. The sender of a packet is in the table of
 * the packet, which is any. */
static bool
leaves_by(const struct fcn_snapshot *s, const uint8_t address[16], uint16_t port)
{
	const struct fcn_addr to = fcn_addr_unmap(address);

	for (unsigned int t = 0; t < FCN_MAX_TABLES; t++) {
		if (fcn_source_is_behind(s, t, &to, port) ||
				is_steered_by(s, &s->table[t], &to, port))
			return true;
	}
	return false;
}

bool
fcn_control_refusal_comes_by(const struct fcn_snapshot *s, const struct fcn_refused_notice *notice,
		uint16_t port)
{
	/* END.CON passes notices on, so the sender's answer comes by some port in the domain. */
	if (notice->is_passed_on)
		return !fcn_port_set_has(&s->border.ports, s->port[port].parent);
	/* In a bridge, notices return by it to the station that sent the packet, without a route.
	 */
	return s->port[port].mode == FCN_PORT_BRIDGE_INTERFACE ||
	       leaves_by(s, notice->sender, port);
}
