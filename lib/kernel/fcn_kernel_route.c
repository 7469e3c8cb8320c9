/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <stdlib.h>
#include <string.h>

#include <rte_common.h>
#include <rte_jhash.h>

#include "fcn_kernel_store_private.h"

static uint32_t
hash_prefix(const struct fcn_prefix *p)
{
	uint32_t words[sizeof(p->addr.bytes) / sizeof(uint32_t)];

	memcpy(words, p->addr.bytes, sizeof(words)); /* aligned */
	return rte_jhash_32b(words, RTE_DIM(words), (uint32_t)p->addr.version << 8 | p->len);
}

static struct fcn_kernel_dest *
find_dest(const struct fcn_kernel_store *s, const struct fcn_prefix *prefix)
{
	struct fcn_kernel_node *node = fcn_kernel_hash_first(&s->dests, hash_prefix(prefix));

	for (; node != NULL; node = node->next) {
		struct fcn_kernel_dest *d = RTE_PTR_SUB(
				node, offsetof(struct fcn_kernel_dest, node));

		if (fcn_prefix_equal(&d->prefix, prefix))
			return d;
	}
	return NULL;
}

/* The place of the route with this metric, or where it would stand. */
static struct fcn_kernel_route **
route_place(struct fcn_kernel_dest *d, uint32_t metric)
{
	struct fcn_kernel_route **at = &d->routes;

	while (*at != NULL && (*at)->metric < metric)
		at = &(*at)->next;
	return at;
}

static void
free_route(struct fcn_kernel_store *s, struct fcn_kernel_route *r)
{
	struct fcn_kernel_nexthop *n = r->nexthop != 0 ? fcn_kernel_nexthop_find(s, r->nexthop)
						       : NULL;

	if (n != NULL) {
		n->refs--;
		fcn_kernel_nexthop_put(s, n);
	}
	s->n_routes--;
	free(r);
}

static void
remove_route(struct fcn_kernel_store *s, struct fcn_kernel_route **at)
{
	struct fcn_kernel_route *r = *at;

	*at = r->next;
	free_route(s, r);
}

static void
drop_dest_if_empty(struct fcn_kernel_store *s, struct fcn_kernel_dest *d)
{
	if (d->routes != NULL)
		return;
	fcn_kernel_hash_remove(&s->dests, &d->node);
	free(d);
}

static bool
is_same_route(const struct fcn_kernel_route *r, const struct fcn_rtnl_route *said)
{
	return r->nexthop == said->nexthop && r->protocol == said->protocol &&
	       r->type == said->type && r->left_out == said->left_out &&
	       (r->nexthop != 0 ||
			       (r->n_paths == said->n_paths &&
					       memcmp(r->path, said->path,
							       r->n_paths * sizeof(r->path[0])) ==
							       0));
}

static struct fcn_kernel_route *
make_route(struct fcn_kernel_store *s, const struct fcn_rtnl_route *said)
{
	uint8_t n = said->nexthop == 0 ? said->n_paths : 0;
	struct fcn_kernel_nexthop *nexthop;
	struct fcn_kernel_route *r;

	r = s->n_routes < FCN_KERNEL_MAX_ROUTES ? calloc(1, sizeof(*r) + n * sizeof(r->path[0]))
						: NULL;
	if (r == NULL) {
		s->full++;
		return NULL;
	}
	*r = (struct fcn_kernel_route){.metric = said->metric,
			.nexthop = said->nexthop,
			.epoch = s->epoch,
			.protocol = said->protocol,
			.type = said->type,
			.n_paths = n,
			.left_out = said->left_out};
	memcpy(r->path, said->path, n * sizeof(r->path[0]));
	if (r->nexthop != 0) {
		nexthop = fcn_kernel_nexthop_get(s, r->nexthop);
		if (nexthop == NULL) {
			free(r);
			return NULL;
		}
		nexthop->refs++;
	}
	s->n_routes++;
	return r;
}

static bool
has_path(const struct fcn_rtnl_path *list, unsigned int n, const struct fcn_rtnl_path *path)
{
	for (unsigned int i = 0; i < n; i++) {
		if (list[i].ifindex == path->ifindex && fcn_addr_equal(&list[i].via, &path->via))
			return true;
	}
	return false;
}

/*
 * IPv6: one path of several goes by a message of its own, and the others stay.
 * IPv4: the whole route goes; one that stood behind it is in use now.
 */
static enum fcn_kernel_effect
delete_route(struct fcn_kernel_store *s, const struct fcn_rtnl_route *said)
{
	struct fcn_kernel_dest *d = find_dest(s, &said->prefix);
	struct fcn_kernel_route **at = d != NULL ? route_place(d, said->metric) : NULL;
	struct fcn_kernel_route *r = at != NULL ? *at : NULL;
	unsigned int kept = 0;
	bool others;

	if (r == NULL || r->metric != said->metric)
		return FCN_KERNEL_NOTHING;
	others = r->others;
	if (r->nexthop == 0 && said->nexthop == 0 && r->type == FCN_RTNL_FORWARD &&
			said->type == FCN_RTNL_FORWARD) {
		for (unsigned int i = 0; i < r->n_paths; i++) {
			if (!has_path(said->path, said->n_paths, &r->path[i]))
				r->path[kept++] = r->path[i];
		}
		if (kept == r->n_paths) /* another of the same metric, which we do not have */
			return FCN_KERNEL_UNCLEAR;
		r->n_paths = kept;
	} else if (r->nexthop != said->nexthop || r->type != said->type) {
		return FCN_KERNEL_UNCLEAR;
	}
	if (kept == 0)
		remove_route(s, at);
	drop_dest_if_empty(s, d);
	fcn_kernel_store_changed(s);
	return others ? FCN_KERNEL_UNCLEAR : FCN_KERNEL_CHANGED;
}

/* Whether a route of the same prefix and metric gives way to what is said. */
static bool
gives_way(const struct fcn_kernel_store *s, const struct fcn_kernel_route *old,
		const struct fcn_rtnl *msg, bool dumped)
{
	const struct fcn_rtnl_route *said = &msg->route;

	/* Of several that are said one after the other the first is in use. */
	if (dumped)
		return old->epoch != s->epoch;
	if (msg->replace)
		return true;
	/* IPv6 says the whole route when a path comes to it. */
	if (said->prefix.addr.version != 6 || said->nexthop != 0 || old->nexthop != 0 ||
			old->type != said->type)
		return false;
	for (unsigned int i = 0; i < old->n_paths; i++) {
		if (!has_path(said->path, said->n_paths, &old->path[i]))
			return false;
	}
	return true;
}

static struct fcn_kernel_dest *
get_dest(struct fcn_kernel_store *s, const struct fcn_prefix *prefix)
{
	struct fcn_kernel_dest *d = find_dest(s, prefix);

	if (d != NULL)
		return d;
	d = calloc(1, sizeof(*d));
	if (d == NULL) {
		s->full++;
		return NULL;
	}
	d->prefix = *prefix;
	fcn_kernel_hash_add(&s->dests, &d->node, hash_prefix(prefix));
	return d;
}

static enum fcn_kernel_effect
add_route(struct fcn_kernel_store *s, const struct fcn_rtnl *msg, bool dumped)
{
	const struct fcn_rtnl_route *said = &msg->route;
	struct fcn_kernel_dest *d = get_dest(s, &said->prefix);
	struct fcn_kernel_route *fresh, **at;

	if (d == NULL)
		return FCN_KERNEL_NOTHING;
	at = route_place(d, said->metric);
	if (*at != NULL && (*at)->metric == said->metric) {
		if (is_same_route(*at, said)) {
			(*at)->epoch = s->epoch;
			return FCN_KERNEL_NOTHING;
		}
		if (!gives_way(s, *at, msg, dumped)) {
			(*at)->others = true;
			return dumped ? FCN_KERNEL_NOTHING : FCN_KERNEL_UNCLEAR;
		}
	}
	fresh = make_route(s, said);
	if (fresh == NULL) {
		drop_dest_if_empty(s, d);
		return FCN_KERNEL_NOTHING;
	}
	if (*at != NULL && (*at)->metric == said->metric)
		remove_route(s, at);
	fresh->next = *at;
	*at = fresh;
	return fcn_kernel_store_changed(s);
}

enum fcn_kernel_effect
fcn_kernel_route_apply(struct fcn_kernel_store *s, const struct fcn_rtnl *msg, bool dumped)
{
	if (s->table == 0 || msg->route.table != s->table)
		return FCN_KERNEL_NOTHING;
	return msg->gone ? delete_route(s, &msg->route) : add_route(s, msg, dumped);
}

void
fcn_kernel_route_sweep(struct fcn_kernel_store *s, bool all)
{
	struct fcn_kernel_node *node, *after;

	FCN_KERNEL_HASH_EACH(&s->dests, node, after)
	{
		struct fcn_kernel_dest *d = RTE_PTR_SUB(
				node, offsetof(struct fcn_kernel_dest, node));

		for (struct fcn_kernel_route **at = &d->routes; *at != NULL;) {
			if (!all && (*at)->epoch == s->epoch) {
				at = &(*at)->next;
				continue;
			}
			remove_route(s, at);
			fcn_kernel_store_changed(s);
		}
		drop_dest_if_empty(s, d);
	}
}
