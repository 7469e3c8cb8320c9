/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <stdlib.h>

#include <rte_common.h>

#include "fcn_kernel_store_private.h"

/* The list being made. */
struct listing {
	const struct fcn_kernel_store *store;
	struct fcn_kernel_path *item;
	size_t n, room;
	size_t first; /* of the prefix at hand */
	const struct fcn_prefix *prefix;
	uint8_t protocol;
	uint64_t left_out;
	bool failed;
};

static void
put_path(struct listing *l, const struct fcn_kernel_path *path)
{
	if (l->n == l->room) {
		size_t room = l->room == 0 ? 256 : l->room * 2;
		struct fcn_kernel_path *item = realloc(l->item, room * sizeof(*item));

		if (item == NULL) {
			l->failed = true;
			return;
		}
		l->item = item;
		l->room = room;
	}
	l->item[l->n] = *path;
	l->item[l->n].prefix = *l->prefix;
	l->item[l->n++].protocol = l->protocol;
}

/* The same path twice counts for both. */
static void
put_way(struct listing *l, const struct fcn_rtnl_path *way, uint16_t weight)
{
	int port = way->unusable ? -1 : fcn_kernel_store_port(l->store, way->ifindex);
	struct fcn_kernel_path path = {
			.type = way->via.version == 0 ? FCN_KERNEL_CONNECTED : FCN_KERNEL_GATEWAY,
			.port = port,
			.weight = weight,
			.via = way->via,
	};

	if (port < 0)
		return;
	for (size_t i = l->first; i < l->n; i++) {
		struct fcn_kernel_path *p = &l->item[i];

		if (p->type == path.type && p->port == path.port &&
				fcn_addr_equal(&p->via, &path.via)) {
			p->weight = RTE_MIN(p->weight + weight, UINT16_MAX);
			return;
		}
	}
	if (l->n - l->first == FCN_RTNL_MAX_PATHS)
		l->left_out++;
	else
		put_path(l, &path);
}

/* @return whether the object alone says what becomes of the packets: they are dropped */
static bool
put_nexthop_ways(struct listing *l, uint32_t id)
{
	const struct fcn_kernel_nexthop *n = fcn_kernel_nexthop_find(l->store, id), *m;

	if (n == NULL || !n->there)
		return false;
	if (n->blackhole)
		return true;
	if (n->n_members == 0)
		put_way(l, &n->path, 1);
	l->left_out += n->left_out;
	for (unsigned int i = 0; i < n->n_members; i++) {
		m = fcn_kernel_nexthop_find(l->store, n->member[i].id);
		/* a group is of objects that are none */
		if (m != NULL && m->there && !m->blackhole && m->n_members == 0)
			put_way(l, &m->path, n->member[i].weight);
	}
	return false;
}

static uint32_t
sum_of_weights(const struct listing *l)
{
	uint32_t sum = 0;

	for (size_t i = l->first; i < l->n; i++)
		sum += l->item[i].weight;
	return sum;
}

static uint16_t
divisor_of_weights(const struct listing *l)
{
	uint16_t g = 0;

	for (size_t i = l->first; i < l->n; i++) {
		for (uint16_t a = l->item[i].weight; a != 0;) {
			uint16_t rest = g % a;

			g = a;
			a = rest;
		}
	}
	return g;
}

/* In least terms; where that is too much, as near as the places for paths allow. */
static void
reduce_weights(struct listing *l)
{
	uint16_t g = divisor_of_weights(l);
	uint32_t sum;

	for (size_t i = l->first; i < l->n; i++)
		l->item[i].weight /= g;
	sum = sum_of_weights(l);
	if (sum <= FCN_RTNL_MAX_PATHS)
		return;
	for (size_t i = l->first; i < l->n; i++) {
		uint32_t w = (uint32_t)l->item[i].weight * FCN_RTNL_MAX_PATHS / sum;

		l->item[i].weight = RTE_MAX(w, 1u);
	}
	/* Those that got more than their due give it back. */
	while (sum_of_weights(l) > FCN_RTNL_MAX_PATHS) {
		size_t most = l->first;

		for (size_t i = l->first; i < l->n; i++) {
			if (l->item[i].weight > l->item[most].weight)
				most = i;
		}
		l->item[most].weight--;
	}
}

/* Gateways share the load; a path to the link itself counts where there is none. */
static void
finish_prefix(struct listing *l)
{
	size_t kept = l->first;

	for (size_t i = l->first; i < l->n; i++) {
		if (l->item[i].type == FCN_KERNEL_GATEWAY)
			l->item[kept++] = l->item[i];
	}
	if (kept > l->first)
		l->n = kept;
	else if (l->n > l->first)
		l->n = l->first + 1;
	if (l->n - l->first > 1)
		reduce_weights(l);
	else if (l->n > l->first)
		l->item[l->first].weight = 1;
}

static void
list_route(struct listing *l, const struct fcn_kernel_dest *d, const struct fcn_kernel_route *r)
{
	uint8_t type = r->type == FCN_RTNL_UNREACHABLE ? FCN_KERNEL_UNREACHABLE
						       : FCN_KERNEL_BLACKHOLE;
	bool dropped = r->type != FCN_RTNL_FORWARD;

	l->prefix = &d->prefix;
	l->protocol = r->protocol;
	l->first = l->n;
	if (!dropped && r->nexthop != 0)
		dropped = put_nexthop_ways(l, r->nexthop);
	for (unsigned int i = 0; !dropped && i < r->n_paths; i++)
		put_way(l, &r->path[i], r->path[i].weight);
	if (dropped)
		put_path(l, &(struct fcn_kernel_path){.type = type, .weight = 1});
	else
		l->left_out += r->left_out;
	if (!l->failed)
		finish_prefix(l);
}

/* What no router forwards, whatever a table says. */
static bool
is_of_link(const struct fcn_prefix *p)
{
	const uint8_t *b = p->addr.bytes;

	if (p->addr.version == 6)
		return p->len >= 8 && (b[0] == 0xff || (b[0] == 0xfe && (b[1] & 0xc0) == 0x80));
	return p->len >= 4 && (b[0] >= 224 || b[0] == 127);
}

int
fcn_kernel_store_paths(const struct fcn_kernel_store *s, struct fcn_kernel_path **list, size_t *n,
		uint64_t *left_out)
{
	struct listing l = {.store = s};
	struct fcn_kernel_node *node, *after;

	FCN_KERNEL_HASH_EACH(&s->dests, node, after)
	{
		const struct fcn_kernel_dest *d = RTE_PTR_SUB(
				node, offsetof(struct fcn_kernel_dest, node));

		if (!is_of_link(&d->prefix) && !l.failed)
			list_route(&l, d, d->routes);
	}
	if (l.failed) {
		free(l.item);
		return -ENOMEM;
	}
	*list = l.item;
	*n = l.n;
	*left_out = l.left_out;
	return 0;
}
