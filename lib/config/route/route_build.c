/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <stdlib.h>
#include <string.h>

#include <rte_malloc.h>

#include "build_parts.h"
#include "route_build.h"
#include "fcn_kernel_list.h"
#include "fcn_local.h"
#include "fcn_route_set.h"

/* A neighbour whose MAC address is known, configured or found. */
struct resolved {
	uint16_t port;
	struct fcn_addr addr;
	struct rte_ether_addr mac;
	enum {
		FOUND,
		OF_KERNEL,
		STATIC
	} origin; /* the last of these has priority */
};

static int
compare_key(const struct resolved *r, uint16_t port, const struct fcn_addr *addr)
{
	if (r->addr.version != addr->version)
		return r->addr.version - addr->version;
	if (r->port != port)
		return r->port - port;
	return memcmp(r->addr.bytes, addr->bytes, sizeof(addr->bytes));
}

/* Compare in the order of fcn_neighbour_compare(). Of the same neighbour, the configured one comes
 * first, then that of the kernel, then the one that was found. */
static int
compare_resolved(const void *va, const void *vb)
{
	const struct resolved *a = va, *b = vb;
	int d = compare_key(a, b->port, &b->addr);

	return d != 0 ? d : (int)b->origin - (int)a->origin;
}

static bool
is_routed(const struct fcn_config *cfg, uint16_t port)
{
	return cfg->port[port].name[0] != '\0' && cfg->port[port].bridge < 0 &&
	       !fcn_config_is_bridge_interface(cfg, port);
}

/* Collect all neighbours, sorted and each once. @return NULL when memory is exhausted */
static struct resolved *
collect(const struct fcn_config *cfg, const struct fcn_build_env *env, uint32_t *n)
{
	struct resolved *list = calloc(
			cfg->neighbours.n + env->n_neighbours + env->n_kernel_neighbours + 1,
			sizeof(*list));
	uint32_t all = 0, kept = 0;

	if (list == NULL)
		return NULL;
	for (size_t i = 0; i < cfg->neighbours.n; i++) {
		const struct fcn_config_neighbour *from = &cfg->neighbours.item[i];

		list[all++] = (struct resolved){from->port, from->addr, from->mac, STATIC};
	}
	for (size_t i = 0; i < env->n_neighbours; i++) {
		const struct fcn_build_neighbour *from = &env->neighbours[i];

		if (is_routed(cfg, from->port))
			list[all++] = (struct resolved){from->port, from->addr, from->mac, FOUND};
	}
	for (size_t i = 0; i < env->n_kernel_neighbours; i++) {
		const struct fcn_kernel_neighbour *from = &env->kernel_neighbours[i];

		if (is_routed(cfg, from->port))
			list[all++] = (struct resolved){
					from->port, from->addr, from->mac, OF_KERNEL};
	}
	qsort(list, all, sizeof(*list), compare_resolved);
	for (uint32_t i = 0; i < all; i++) {
		if (kept == 0 || compare_key(&list[kept - 1], list[i].port, &list[i].addr) != 0)
			list[kept++] = list[i];
	}
	*n = kept;
	return list;
}

static const struct resolved *
find_neighbour(const struct resolved *list, uint32_t n, uint16_t port, const struct fcn_addr *addr)
{
	uint32_t low = 0, high = n;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		int d = compare_key(&list[middle], port, addr);

		if (d == 0)
			return &list[middle];
		if (d < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

static void
forward_to(const struct fcn_snapshot *s, struct fcn_next_hop *nh, const struct resolved *r)
{
	const struct fcn_snapshot_port *interface = &s->port[r->port];

	nh->type = interface->vlan != 0 ? FCN_NEXT_HOP_FORWARD_TAGGED : FCN_NEXT_HOP_FORWARD;
	nh->interface = r->port;
	nh->port = interface->parent;
	nh->vlan = interface->vlan;
	nh->mtu = interface->tx_mtu;
	nh->l2.dst_addr = r->mac;
	nh->l2.src_addr = interface->mac;
	nh->l2.ether_type = RTE_BE16(RTE_ETHER_TYPE_IPV6);
}

/* Tell whether packets can leave by a next hop. Groups consist of such next hops only. */
static bool
is_live(const struct fcn_snapshot *s, const struct fcn_next_hop *nh)
{
	if (nh->type == FCN_NEXT_HOP_ENCAPS)
		nh = &s->next_hop[s->srv6.encaps[nh->first_member].via];
	if (nh->type == FCN_NEXT_HOP_GROUP)
		return true;
	return fcn_next_hop_is_forward(nh) && !s->port[nh->port].down;
}

/* Choose a path of a group of which none is live: the first one whose port has a link, so that the
 * MAC address of its gateway can be resolved; or else the first one. */
static uint32_t
least_bad(const struct fcn_route_set *set, const struct fcn_path_group *group,
		const struct fcn_snapshot *s)
{
	const uint32_t base = s->table[set->table].first;

	for (uint32_t i = 0; i < group->n; i++) {
		uint32_t k = base + fcn_route_set_gateway(set, set->member[group->first + i]);

		if (!s->port[s->next_hop[k].port].down)
			return k;
	}
	return base + fcn_route_set_gateway(set, set->member[group->first]);
}

/*
 * Build the groups of equal paths. A path is not used if the MAC address of its
 * gateway is unknown or the link of its port is down, as long as there is another
 * one.
 *
 * @param n_members members of groups that were built before
 * @return the number with those of this set
 */
static uint32_t
build_groups(const struct fcn_route_set *set, struct fcn_snapshot *s, uint32_t n_members)
{
	const uint32_t base = s->table[set->table].first;

	for (uint32_t g = 0; g < set->n_groups; g++) {
		struct fcn_next_hop *nh = &s->next_hop[base + fcn_route_set_group(set, g)];
		const struct fcn_path_group *group = &set->group[g];
		uint32_t first = n_members;

		for (uint32_t i = 0; i < group->n; i++) {
			uint32_t k = base +
				     fcn_route_set_gateway(set, set->member[group->first + i]);

			if (is_live(s, &s->next_hop[k]))
				s->member[n_members++] = k;
		}
		if (n_members - first > 1) {
			nh->type = FCN_NEXT_HOP_GROUP;
			nh->first_member = first;
			nh->n_members = n_members - first;
		} else if (n_members - first == 1) {
			*nh = s->next_hop[s->member[--n_members]];
		} else { /* no path is live: a packet makes the host functions resolve a gateway */
			*nh = s->next_hop[least_bad(set, group, s)];
		}
	}
	return n_members;
}

/* Build the table of neighbours. Packets to configured ones have a route of their own; that this
 * leads to a neighbour rather than to a gateway is known by the table. */
static void
build_hosts(struct fcn_snapshot *s, const struct resolved *list, uint32_t n, uint32_t nh)
{
	for (uint32_t i = 0; i < n; i++) {
		struct fcn_neighbour_entry *e = &s->neighbour_entry[s->neighbours.n++];

		memcpy(e->addr, list[i].addr.bytes, sizeof(e->addr));
		e->port = list[i].port;
		e->version = list[i].addr.version;
		e->next_hop = nh;
		forward_to(s, &s->next_hop[nh++], &list[i]);
	}
	s->neighbours.entry = s->neighbour_entry;
	fcn_neighbour_hash(&s->neighbours, s->neighbour_slot);
}

/* Build the next hops that are segment lists of policies, and all groups once more. */
static void
build_segment_lists(struct fcn_snapshot *s)
{
	uint32_t n_members = 0;

	/* First all, then the next hops: no list may lead to the first segment of another. */
	for (uint32_t i = 0; i < s->srv6.n_encaps; i++)
		fcn_build_srv6_via(s, &s->srv6.encaps[i]);
	for (unsigned int t = 0; t < FCN_MAX_TABLES; t++) {
		const struct fcn_route_set *set = s->table[t].routes;

		for (uint32_t i = 0; set != NULL && i < set->n_gateways; i++) {
			const struct fcn_gateway *g = &set->gateway[i];
			const uint32_t at = s->table[t].first + fcn_route_set_gateway(set, i);

			int found = g->port == FCN_GATEWAY_SEGMENTS
						    ? fcn_build_srv6_encaps_find(
								      s, fcn_gateway_serial(g))
						    : -1;

			/* A set that was built of another one keeps lists that are gone. */
			if (found >= 0)
				fcn_build_srv6_next_hop(s, found, &s->next_hop[at]);
		}
	}
	for (unsigned int t = 0; t < FCN_MAX_TABLES; t++) {
		if (s->table[t].routes != NULL)
			n_members = build_groups(s->table[t].routes, s, n_members);
	}
}

/* Build the steering rules of all tables, and the next hops of steered prefixes. */
static void
build_steering(const struct fcn_config *cfg, struct fcn_snapshot *s)
{
	for (unsigned int t = 0; t < FCN_MAX_TABLES; t++) {
		const struct fcn_route_set *set = s->table[t].routes;

		for (uint32_t i = 0; set != NULL && i < set->n_steered; i++) {
			const struct fcn_steered_prefix *p = &set->steered[i];
			struct fcn_next_hop *nh = &s->next_hop[s->table[t].first +
							       fcn_route_set_steered(set, i)];

			*nh = (struct fcn_next_hop){.type = FCN_NEXT_HOP_SELECT,
					.first_member = p->first,
					.n_members = (uint8_t)p->n};
			for (uint32_t k = p->first; k < p->first + p->n; k++) {
				const uint32_t rule = set->rule_next_hop[k - set->steered[0].first];
				const uint32_t to = s->table[t].first + rule;

				fcn_build_srv6_steering(&cfg->srv6.steering.item[k], to,
						is_live(s, &s->next_hop[to]), &s->srv6.select[k]);
			}
		}
	}
}

/* Build the next hops of a table, except groups. */
static void
build_table(const struct fcn_config *cfg, const struct fcn_build_env *env,
		const struct fcn_route_set *set, struct fcn_snapshot *s,
		const struct resolved *list, uint32_t n)
{
	struct fcn_next_hop *base = &s->next_hop[s->table[set->table].first];

	base[FCN_NH_BLACKHOLE].type = FCN_NEXT_HOP_BLACKHOLE;
	base[FCN_NH_LOCAL] = (struct fcn_next_hop){
			.type = FCN_NEXT_HOP_LOCAL, .local = FCN_LOCAL_HOST};
	for (uint32_t i = 0; i < set->n_connected; i++)
		base[fcn_route_set_connected(set, i)] = (struct fcn_next_hop){
				.type = FCN_NEXT_HOP_CONNECTED,
				.port = s->port[set->connected[i]].parent,
				.interface = set->connected[i],
				.mtu = s->port[set->connected[i]].tx_mtu};
	for (uint32_t i = 0; i < set->n_sids; i++)
		base[fcn_route_set_sid(set, i)] = (struct fcn_next_hop){.type = FCN_NEXT_HOP_LOCAL,
				.local = FCN_LOCAL_SRV6,
				.first_member = i};
	for (uint32_t i = 0; i < set->n_gateways; i++) {
		const struct fcn_gateway *g = &set->gateway[i];
		struct fcn_next_hop *nh = &base[fcn_route_set_gateway(set, i)];
		const struct resolved *r;

		if (g->port == FCN_GATEWAY_SEGMENTS) {
			/* Segment lists have no route yet, so none leads by another. */
			fcn_build_kernel_sid_next_hop(cfg, env, fcn_gateway_serial(g), nh);
			continue;
		}
		r = find_neighbour(list, n, g->port, &g->addr);
		*nh = (struct fcn_next_hop){.type = FCN_NEXT_HOP_NO_NEIGHBOUR,
				.port = s->port[g->port].parent,
				.interface = g->port,
				.mtu = s->port[g->port].tx_mtu,
				.first_member = i};
		if (r != NULL)
			forward_to(s, nh, r);
	}
}

/* Give each table its part of the next hops. @return number of next hops and members of all */
static uint32_t
divide(struct fcn_snapshot *s, uint32_t *n_members)
{
	uint32_t end = 0;

	*n_members = 0;
	for (unsigned int t = 0; t < FCN_MAX_TABLES; t++) {
		const struct fcn_route_set *set = s->table[t].routes;

		if (set == NULL)
			continue;
		s->table[t].fib = set->fib;
		s->table[t].normal = set->normal != NULL ? set->normal : set->fib;
		s->table[t].first = end;
		end += fcn_route_set_end(set);
		*n_members += set->n_members;
	}
	return end;
}

static int
build_next_hops(const struct fcn_config *cfg, const struct fcn_build_env *env,
		struct fcn_snapshot *s)
{
	size_t n_known = cfg->neighbours.n + env->n_neighbours + env->n_kernel_neighbours;
	uint32_t n = 0, n_members, end = divide(s, &n_members);
	struct resolved *list;

	s->n_next_hops = end + n_known;
	s->next_hop = rte_zmalloc_socket("fcn_next_hop", s->n_next_hops * sizeof(*s->next_hop),
			RTE_CACHE_LINE_SIZE, env->socket);
	s->member = rte_zmalloc_socket("fcn_member", (n_members + 1) * sizeof(*s->member),
			RTE_CACHE_LINE_SIZE, env->socket);
	s->neighbour_entry = rte_zmalloc_socket("fcn_neighbours",
			(n_known + 1) * sizeof(*s->neighbour_entry), RTE_CACHE_LINE_SIZE,
			env->socket);
	s->neighbour_slot = rte_malloc_socket("fcn_neighbours",
			(fcn_neighbour_slots(n_known) + FCN_NEIGHBOUR_PROBES) *
					sizeof(*s->neighbour_slot),
			RTE_CACHE_LINE_SIZE, env->socket);
	list = collect(cfg, env, &n);
	if (s->next_hop == NULL || s->member == NULL || s->neighbour_entry == NULL ||
			s->neighbour_slot == NULL || list == NULL) {
		free(list);
		return -1;
	}
	n_members = 0;
	for (unsigned int t = 0; t < FCN_MAX_TABLES; t++) {
		if (s->table[t].routes == NULL)
			continue;
		build_table(cfg, env, s->table[t].routes, s, list, n);
		n_members = build_groups(s->table[t].routes, s, n_members);
	}
	build_hosts(s, list, n, end);
	/* What leads to first segments is known now; groups of segment lists come last. */
	if (s->srv6.n_encaps > 0)
		build_segment_lists(s);
	build_steering(cfg, s);
	free(list);
	return 0;
}

/* Get what concerns a table of all that is known of the kernel's routes. */
static struct fcn_kernel_routes
kernel_routes(const struct fcn_build_env *env, unsigned int table)
{
	struct fcn_kernel_routes r = {.sid = env->kernel_sids,
			.n_sids = env->n_kernel_sids,
			.own = env->kernel_own,
			.n_own = env->n_kernel_own};
	size_t from = 0, to;

	r.path = fcn_kernel_list_table(env->kernel_paths, env->n_kernel_paths, table, &r.n);
	while (from < env->n_kernel_changed && env->kernel_changed[from].table < table)
		from++;
	for (to = from; to < env->n_kernel_changed && env->kernel_changed[to].table == table; to++)
		;
	r.changed = to > from ? &env->kernel_changed[from] : NULL;
	r.n_changed = to - from;
	return r;
}

/* Get the set of routes of a table: the same as before, or changed, or built anew. */
static struct fcn_route_set *
get_routes(const struct fcn_config *cfg, const struct fcn_build_env *env, unsigned int table,
		char *err, size_t size)
{
	const struct fcn_kernel_routes kernel = kernel_routes(env, table);
	struct fcn_route_set *set = NULL;
	char name[32];

	if (env->routes[table] != NULL) {
		env->routes[table]->refs++;
		return env->routes[table];
	}
	snprintf(name, sizeof(name), "%s_fib%u", env->name, (unsigned int)(env->generation % 2));
	if (env->routes_before[table] != NULL)
		set = fcn_route_set_change(env->routes_before[table], env->before, cfg, &kernel,
				name, env->socket);
	if (set == NULL)
		set = fcn_route_set_create(cfg, table, &kernel, name, env->socket, err, size);
	return set;
}

int
fcn_build_routes(const struct fcn_config *cfg, const struct fcn_build_env *env,
		struct fcn_snapshot *s, char *err, size_t size)
{
	if (fcn_build_check_routes(cfg, err, size) != 0)
		return -1;
	for (unsigned int t = 0; t < FCN_MAX_TABLES; t++) {
		if (cfg->table[t].name[0] == '\0')
			continue;
		s->table[t].routes = get_routes(cfg, env, t, err, size);
		if (s->table[t].routes == NULL)
			return -1;
	}
	if (fcn_build_srv6_encaps(cfg, env, s, err, size) != 0)
		return -1;
	if (build_next_hops(cfg, env, s) != 0) {
		snprintf(err, size, "routes: out of memory");
		return -1;
	}
	return 0;
}

void
fcn_build_routes_free(struct fcn_snapshot *s)
{
	for (unsigned int t = 0; t < FCN_MAX_TABLES; t++)
		fcn_route_set_release(s->table[t].routes);
	rte_free(s->srv6.encaps);
	rte_free(s->srv6.select);
	rte_free(s->next_hop);
	rte_free(s->member);
	rte_free(s->neighbour_entry);
	rte_free(s->neighbour_slot);
}
