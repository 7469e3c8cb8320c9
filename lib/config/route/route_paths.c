/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_common.h>

#include "fcn_next_hop.h"
#include "fcn_path_weights.h"
#include "route_set_private.h"

static int
compare_addr(const struct fcn_addr *a, const struct fcn_addr *b)
{
	if (a->version != b->version)
		return a->version - b->version;
	return memcmp(a->bytes, b->bytes, sizeof(a->bytes));
}

int
fcn_route_compare(const void *va, const void *vb)
{
	const struct fcn_config_route *a = *(const struct fcn_config_route *const *)va;
	const struct fcn_config_route *b = *(const struct fcn_config_route *const *)vb;
	int d = fcn_prefix_compare(&a->prefix, &b->prefix);

	/* A blackhole comes first, since it hides any path. */
	if (d == 0)
		d = b->blackhole - a->blackhole;
	if (d == 0)
		d = b->policy - a->policy;
	if (d == 0)
		d = a->port - b->port;
	return d != 0 ? d : compare_addr(&a->via, &b->via);
}

int
fcn_route_compare_gateways(const void *va, const void *vb)
{
	const struct fcn_gateway *a = va, *b = vb;

	return a->port != b->port ? a->port - b->port : compare_addr(&a->addr, &b->addr);
}

void
fcn_route_builder_add(
		struct fcn_route_builder *b, const struct fcn_prefix *prefix, uint32_t next_hop)
{
	b->route[b->n_routes++] = (struct fcn_fib_route){.prefix = *prefix, .next_hop = next_hop};
}

/* Find a gateway. @return its index; -ENOENT */
static int
known_gateway(const struct fcn_route_set *set, uint16_t port, const struct fcn_addr *addr)
{
	const struct fcn_gateway key = {port, *addr};
	const struct fcn_gateway *g = bsearch(&key, set->gateway, set->n_sorted,
			sizeof(set->gateway[0]), fcn_route_compare_gateways);

	if (g != NULL)
		return g - set->gateway;
	for (uint32_t i = set->n_sorted; i < set->n_gateways; i++) {
		if (fcn_route_compare_gateways(&key, &set->gateway[i]) == 0)
			return i;
	}
	return -ENOENT;
}

int
fcn_route_builder_gateway(struct fcn_route_set *set, uint16_t port, const struct fcn_addr *addr)
{
	int found = known_gateway(set, port, addr);

	if (found >= 0)
		return found;
	if (set->n_gateways == set->gateway_room)
		return -ENOSPC;
	set->gateway[set->n_gateways] = (struct fcn_gateway){port, *addr};
	return set->n_gateways++;
}

uint32_t
fcn_route_set_find(const struct fcn_route_set *set, uint16_t port, const struct fcn_addr *addr)
{
	int found = known_gateway(set, port, addr);

	return found < 0 ? FCN_NH_NO_ROUTE : fcn_route_set_gateway(set, found);
}

static uint32_t
group_hash(const struct fcn_route_set *set, const struct fcn_path_group *group)
{
	uint32_t hash = group->n;

	for (uint32_t i = 0; i < group->n; i++)
		hash = (hash ^ set->member[group->first + i]) * 0x9e3779b1u;
	return hash ^ hash >> 15;
}

int
fcn_route_builder_make_buckets(struct fcn_route_builder *b)
{
	b->n_buckets = rte_align32pow2(2 * b->set->group_room + 1);
	b->bucket = calloc(b->n_buckets, sizeof(*b->bucket));
	return b->bucket == NULL ? -1 : 0;
}

static bool
is_same_group(const struct fcn_route_set *set, const struct fcn_path_group *a,
		const struct fcn_path_group *b)
{
	return a->n == b->n && memcmp(&set->member[a->first], &set->member[b->first],
					       a->n * sizeof(*set->member)) == 0;
}

uint32_t *
fcn_route_builder_bucket(const struct fcn_route_builder *b, const struct fcn_path_group *group)
{
	const struct fcn_route_set *set = b->set;
	uint32_t at = group_hash(set, group);

	for (;; at++) {
		uint32_t *bucket = &b->bucket[at & (b->n_buckets - 1)];

		if (*bucket == 0 || is_same_group(set, &set->group[*bucket - 1], group))
			return bucket;
	}
}

int
fcn_route_builder_group(struct fcn_route_builder *b, const struct fcn_path_group *group)
{
	struct fcn_route_set *set = b->set;
	uint32_t *bucket = fcn_route_builder_bucket(b, group);

	if (*bucket != 0) {
		set->n_members = group->first;
		return *bucket - 1;
	}
	if (set->n_groups == set->group_room)
		return -ENOSPC;
	set->group[set->n_groups] = *group;
	*bucket = ++set->n_groups;
	return *bucket - 1;
}

/* Get the next hop for a group whose members are the last ones of the set. */
static int
next_hop_of_group(struct fcn_route_builder *b, const struct fcn_path_group *group)
{
	int found;

	if (group->n == 1)
		return fcn_route_set_gateway(b->set, b->set->member[--b->set->n_members]);
	found = fcn_route_builder_group(b, group);
	return found < 0 ? -1 : (int)fcn_route_set_group(b->set, found);
}

int
fcn_route_builder_policy(struct fcn_route_builder *b, unsigned int policy)
{
	const struct fcn_config_srv6 *srv6 = &b->cfg->srv6;
	struct fcn_path_group group = {.first = b->set->n_members};
	uint32_t weight[FCN_NEXT_HOP_MAX_SLOTS], found[FCN_NEXT_HOP_MAX_SLOTS];
	size_t n = 0;

	for (size_t i = 0; i < srv6->segments.n && n < RTE_DIM(weight); i++) {
		struct fcn_gateway g = fcn_gateway_of_segments(srv6->segments.item[i].serial);
		int at;

		if (srv6->segments.item[i].policy != policy)
			continue;
		at = fcn_route_builder_gateway(b->set, g.port, &g.addr);
		if (at < 0)
			return -1;
		found[n] = at;
		weight[n++] = srv6->segments.item[i].weight;
	}
	if (n == 0)
		return FCN_NH_UNREACHABLE;
	fcn_path_weights_share(weight, n, FCN_NEXT_HOP_MAX_SLOTS);
	for (size_t i = 0; i < n; i++) {
		for (uint32_t k = 0; k < weight[i]; k++, group.n++)
			b->set->member[b->set->n_members++] = found[i];
	}
	return next_hop_of_group(b, &group);
}

int
fcn_route_builder_paths(struct fcn_route_builder *b, size_t from, size_t to)
{
	struct fcn_route_set *set = b->set;
	struct fcn_path_group group = {.first = set->n_members};
	char text[FCN_PREFIX_STRLEN];
	int found;

	if (b->sorted[from]->blackhole)
		return FCN_NH_BLACKHOLE;
	if (b->sorted[from]->policy != 0)
		return fcn_route_builder_policy(b, b->sorted[from]->policy - 1u);
	for (size_t i = from; i < to; i++) {
		const struct fcn_config_route *r = b->sorted[i];

		if (i > from && fcn_route_compare(&b->sorted[i - 1], &b->sorted[i]) == 0)
			continue;
		if (group.n == FCN_NEXT_HOP_MAX_MEMBERS) {
			snprintf(b->err, b->err_size, "route %s: more than %u paths",
					fcn_prefix_format(&r->prefix, text, sizeof(text)),
					FCN_NEXT_HOP_MAX_MEMBERS);
			return -1;
		}
		found = fcn_route_builder_gateway(set, r->port, &r->via);
		if (found < 0)
			return -1;
		set->member[set->n_members++] = found;
		group.n++;
	}
	return next_hop_of_group(b, &group);
}

size_t
fcn_route_builder_end_of_paths(const struct fcn_route_builder *b, size_t from)
{
	size_t to = from + 1;

	while (to < b->n_sorted &&
			fcn_prefix_equal(&b->sorted[to]->prefix, &b->sorted[from]->prefix))
		to++;
	return to;
}
