/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_common.h>

#include "fcn_path_weights.h"
#include "kernel_store_private.h"

static void
put_path(struct fcn_kernel_listing *l, const struct fcn_kernel_path *path, uint32_t weight)
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
	l->weight[l->n - l->first] = weight;
	l->item[l->n] = *path;
	l->item[l->n].prefix = l->dest->prefix;
	l->item[l->n].table = l->dest->table;
	l->item[l->n++].protocol = l->dest->routes->protocol;
}

/* A path by the interface of a port. @return false: it is another interface */
static bool
is_by_port(const struct fcn_kernel_listing *l, const struct fcn_rtnl_path *way,
		struct fcn_kernel_path *path)
{
	int port = fcn_kernel_store_port(l->store, way->ifindex);

	path->type = way->via.version == 0 ? FCN_KERNEL_CONNECTED : FCN_KERNEL_GATEWAY;
	path->port = port;
	path->via = way->via;
	return port >= 0;
}

/* A path with a segment list, or to a local SID. The kernel looks up the next segment, so the
 * interface says nothing. */
static struct fcn_kernel_path
by_item(enum fcn_kernel_path_type type, const struct fcn_kernel_item *item)
{
	struct fcn_kernel_path path = {.type = type, .port = FCN_KERNEL_NO_PORT};

	memcpy(path.via.bytes, &item->serial, sizeof(item->serial));
	return path;
}

/* Add a path with its weight. If the path is there already, the weights are added. */
static void
put_way(struct fcn_kernel_listing *l, const struct fcn_rtnl_path *way, uint32_t weight)
{
	struct fcn_kernel_path path = {0};

	if (way->unusable)
		return;
	if (way->segments.item != NULL)
		path = by_item(FCN_KERNEL_SEGMENTS, way->segments.item);
	else if (way->sid.item != NULL)
		path = by_item(FCN_KERNEL_SID, way->sid.item);
	else if (!is_by_port(l, way, &path))
		return;
	for (size_t i = l->first; i < l->n; i++) {
		if (fcn_kernel_path_is_same_way(&l->item[i], &path)) {
			l->weight[i - l->first] += weight; /* of at most FCN_RTNL_MAX_PATHS paths */
			return;
		}
	}
	put_path(l, &path, weight);
}

/*
 * Add the paths of a nexthop object.
 *
 * @return whether the object is a blackhole, so that packets are dropped
 */
static bool
put_nexthop_ways(struct fcn_kernel_listing *l, uint32_t id)
{
	const struct fcn_kernel_nexthop *n = fcn_kernel_nexthop_find(l->store, id), *m;

	if (n == NULL || !n->there)
		return false;
	if (n->blackhole)
		return true;
	if (n->n_members == 0)
		put_way(l, &n->path, 1);
	for (unsigned int i = 0; i < n->n_members; i++) {
		m = fcn_kernel_nexthop_find(l->store, n->member[i].id);
		/* members of a group are single paths, not groups */
		if (m != NULL && m->there && !m->blackhole && m->n_members == 0)
			put_way(l, &m->path, n->member[i].weight);
	}
	return false;
}

/*
 * Finish a prefix: gateways and segment lists share the load; a connected path is used only if
 * there is none of them.
 */
static void
finish_prefix(struct fcn_kernel_listing *l)
{
	size_t kept = l->first;

	for (size_t i = l->first; i < l->n; i++) {
		if (!fcn_kernel_path_is_shared(&l->item[i]))
			continue;
		l->weight[kept - l->first] = l->weight[i - l->first];
		l->item[kept++] = l->item[i];
	}
	if (kept > l->first)
		l->n = kept;
	else if (l->n > l->first)
		l->n = l->first + 1;
	if (l->n > l->first)
		fcn_path_weights_share(l->weight, l->n - l->first, FCN_RTNL_MAX_PATHS);
	for (size_t i = l->first; i < l->n; i++)
		l->item[i].weight = l->weight[i - l->first];
}

/* Prefixes that a router never forwards, even if there is a route. */
static bool
is_of_link(const struct fcn_prefix *p)
{
	const uint8_t *b = p->addr.bytes;

	if (p->addr.version == 6)
		return p->len >= 8 && (b[0] == 0xff || (b[0] == 0xfe && (b[1] & 0xc0) == 0x80));
	return p->len >= 4 && (b[0] >= 224 || b[0] == 127);
}

bool
fcn_kernel_prefix_is_reserved(const struct fcn_prefix *p)
{
	return p->addr.version == 4 && p->len >= 4 && p->addr.bytes[0] >= 240;
}

uint32_t
fcn_kernel_dest_left_out(const struct fcn_kernel_store *s, const struct fcn_kernel_dest *d)
{
	const struct fcn_kernel_route *r = d->routes;
	const struct fcn_kernel_nexthop *n = NULL;

	if (r == NULL || r->type != FCN_RTNL_FORWARD)
		return 0;
	if (r->nexthop != 0)
		n = fcn_kernel_nexthop_find(s, r->nexthop);
	return r->left_out + (n != NULL && n->there ? n->left_out : 0);
}

void
fcn_kernel_listing_add(struct fcn_kernel_listing *l, const struct fcn_kernel_dest *d)
{
	const struct fcn_kernel_route *r = d->routes;
	bool dropped;

	if (l->failed || r == NULL || is_of_link(&d->prefix) || r->type == FCN_RTNL_OTHER)
		return;
	dropped = r->type != FCN_RTNL_FORWARD;
	l->dest = d;
	l->first = l->n;
	if (!dropped && r->nexthop != 0)
		dropped = put_nexthop_ways(l, r->nexthop);
	for (unsigned int i = 0; !dropped && i < r->n_paths; i++)
		put_way(l, &r->path[i], r->path[i].weight);
	if (dropped)
		put_path(l,
				&(struct fcn_kernel_path){
						.type = r->type == FCN_RTNL_UNREACHABLE
									? FCN_KERNEL_UNREACHABLE
									: FCN_KERNEL_BLACKHOLE},
				1);
	l->left_out += fcn_kernel_dest_left_out(l->store, d);
	if (!l->failed)
		finish_prefix(l);
}

int
fcn_kernel_dest_compare(const void *va, const void *vb)
{
	const struct fcn_kernel_dest *a = *(const struct fcn_kernel_dest *const *)va;
	const struct fcn_kernel_dest *b = *(const struct fcn_kernel_dest *const *)vb;

	return fcn_kernel_prefix_compare(a->table, &a->prefix, b->table, &b->prefix);
}

int
fcn_kernel_store_paths(const struct fcn_kernel_store *s, struct fcn_kernel_path **list, size_t *n,
		uint64_t *left_out)
{
	struct fcn_kernel_listing l = {.store = s};
	const struct fcn_kernel_dest **dest = malloc((s->dests.n + 1) * sizeof(*dest));
	struct fcn_kernel_node *node, *after;
	size_t n_dests = 0;

	if (dest == NULL)
		return -ENOMEM;
	FCN_KERNEL_HASH_EACH(&s->dests, node, after)
	dest[n_dests++] = RTE_PTR_SUB(node, offsetof(struct fcn_kernel_dest, node));
	qsort(dest, n_dests, sizeof(*dest), fcn_kernel_dest_compare);
	for (size_t i = 0; i < n_dests; i++)
		fcn_kernel_listing_add(&l, dest[i]);
	free(dest);
	if (l.failed) {
		free(l.item);
		return -ENOMEM;
	}
	*list = l.item;
	*n = l.n;
	*left_out = l.left_out;
	return 0;
}
