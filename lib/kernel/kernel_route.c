/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <stdlib.h>
#include <string.h>

#include <rte_common.h>
#include <rte_jhash.h>

#include "kernel_store_private.h"

static uint32_t
hash_prefix(unsigned int table, const struct fcn_prefix *p)
{
	uint32_t words[sizeof(p->addr.bytes) / sizeof(uint32_t)];

	memcpy(words, p->addr.bytes, sizeof(words)); /* aligned */
	return rte_jhash_32b(words, RTE_DIM(words),
			table << 16 | (uint32_t)p->addr.version << 8 | p->len);
}

static struct fcn_kernel_dest *
find_dest(const struct fcn_kernel_store *s, unsigned int table, const struct fcn_prefix *prefix)
{
	struct fcn_kernel_node *node = fcn_kernel_hash_first(&s->dests, hash_prefix(table, prefix));

	for (; node != NULL; node = node->next) {
		struct fcn_kernel_dest *d = RTE_PTR_SUB(
				node, offsetof(struct fcn_kernel_dest, node));

		if (d->table == table && fcn_prefix_equal(&d->prefix, prefix))
			return d;
	}
	return NULL;
}

/*
 * Pointer to the route with this metric in the list, or to the position where it would be inserted.
 */
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
	for (unsigned int i = 0; i < r->n_paths; i++)
		fcn_kernel_path_unref(s, &r->path[i]);
	s->n_sources -= r->has_source;
	s->n_routes--;
	free(r);
}

static void
remove_route(struct fcn_kernel_store *s, const struct fcn_kernel_dest *d,
		struct fcn_kernel_route **at)
{
	struct fcn_kernel_route *r = *at;

	*at = r->next;
	s->n_table_routes[d->table]--;
	s->reserved_routes -= fcn_kernel_prefix_is_reserved(&d->prefix);
	free_route(s, r);
}

void
fcn_kernel_dest_put(struct fcn_kernel_store *s, struct fcn_kernel_dest *d)
{
	if (d->routes != NULL || d->changed)
		return;
	fcn_kernel_hash_remove(&s->dests, &d->node);
	free(d);
}

static bool
is_same_route(const struct fcn_kernel_route *r, const struct fcn_rtnl_route *reported)
{
	if (r->nexthop != reported->nexthop || r->protocol != reported->protocol ||
			r->type != reported->type || r->left_out != reported->left_out ||
			r->has_source != reported->has_source)
		return false;
	if (r->nexthop != 0 || r->type != FCN_RTNL_FORWARD)
		return true;
	if (r->n_paths != reported->n_paths)
		return false;
	for (unsigned int i = 0; i < r->n_paths; i++) {
		if (fcn_rtnl_path_compare(&r->path[i], &reported->path[i]) != 0)
			return false;
	}
	return true;
}

static struct fcn_kernel_route *
make_route(struct fcn_kernel_store *s, const struct fcn_rtnl_route *reported)
{
	uint8_t n = reported->nexthop == 0 && reported->type == FCN_RTNL_FORWARD ? reported->n_paths
										 : 0;
	struct fcn_kernel_nexthop *nexthop;
	struct fcn_kernel_route *r;

	r = s->n_routes < FCN_KERNEL_MAX_ROUTES ? calloc(1, sizeof(*r) + n * sizeof(r->path[0]))
						: NULL;
	if (r == NULL) {
		s->full++;
		return NULL;
	}
	*r = (struct fcn_kernel_route){.metric = reported->metric,
			.nexthop = reported->nexthop,
			.epoch = s->epoch,
			.protocol = reported->protocol,
			.type = reported->type,
			.has_source = reported->has_source,
			.left_out = reported->left_out};
	if (r->nexthop != 0) {
		nexthop = fcn_kernel_nexthop_get(s, r->nexthop);
		if (nexthop == NULL) {
			free(r);
			return NULL;
		}
		nexthop->refs++;
	}
	s->n_sources += r->has_source;
	s->n_routes++;
	for (; r->n_paths < n; r->n_paths++) {
		r->path[r->n_paths] = reported->path[r->n_paths];
		if (!fcn_kernel_path_ref(s, &reported->prefix, &r->path[r->n_paths])) {
			free_route(s, r);
			return NULL;
		}
	}
	return r;
}

static bool
has_path(const struct fcn_rtnl_path *list, unsigned int n, const struct fcn_rtnl_path *path)
{
	for (unsigned int i = 0; i < n; i++) {
		if (fcn_rtnl_path_is_same_way(&list[i], path))
			return true;
	}
	return false;
}

/* Remove the paths that a message deletes. @return number removed */
static unsigned int
remove_paths(struct fcn_kernel_store *s, struct fcn_kernel_route *r,
		const struct fcn_rtnl_route *reported)
{
	unsigned int kept = 0, gone;

	for (unsigned int i = 0; i < r->n_paths; i++) {
		if (has_path(reported->path, reported->n_paths, &r->path[i]))
			fcn_kernel_path_unref(s, &r->path[i]);
		else
			r->path[kept++] = r->path[i];
	}
	gone = r->n_paths - kept;
	r->n_paths = kept;
	return gone;
}

/*
 * Whether a deletion is about this route. For IPv6 it may delete one path of several, each with a
 * message of its own; the other paths then stay.
 */
static bool
is_meant(const struct fcn_kernel_route *r, const struct fcn_rtnl_route *reported)
{
	unsigned int n = 0;

	if (r->nexthop != reported->nexthop || r->type != reported->type)
		return false;
	if (r->nexthop != 0 || r->type != FCN_RTNL_FORWARD)
		return true;
	for (unsigned int i = 0; i < r->n_paths; i++)
		n += has_path(reported->path, reported->n_paths, &r->path[i]);
	return reported->prefix.addr.version == 6
			       ? n > 0
			       : n == r->n_paths && r->n_paths == reported->n_paths;
}

static enum fcn_kernel_effect
delete_route(struct fcn_kernel_store *s, unsigned int table, const struct fcn_rtnl_route *reported)
{
	struct fcn_kernel_dest *d = find_dest(s, table, &reported->prefix);
	struct fcn_kernel_route **at = d != NULL ? route_place(d, reported->metric) : NULL;
	struct fcn_kernel_route *r = at != NULL ? *at : NULL;
	bool others;

	if (r == NULL || r->metric != reported->metric)
		return FCN_KERNEL_SAME;
	/* it is about another route with the same metric, which is not stored */
	if (!is_meant(r, reported))
		return FCN_KERNEL_UNCLEAR;
	/* A further route with the same metric is in use now. */
	others = r->others;
	if (r->n_paths > 0)
		remove_paths(s, r, reported);
	if (r->n_paths == 0)
		remove_route(s, d, at);
	fcn_kernel_dest_changed(s, d);
	return others ? FCN_KERNEL_UNCLEAR : FCN_KERNEL_CHANGED;
}

/* Whether a message replaces a stored route with the same prefix and metric. */
static bool
gives_way(const struct fcn_kernel_store *s, const struct fcn_kernel_route *old,
		const struct fcn_rtnl *msg, bool dumped)
{
	const struct fcn_rtnl_route *reported = &msg->route;

	/* In a dump, the first of several routes with the same metric is the one in use. */
	if (dumped)
		return old->epoch != s->epoch;
	if (msg->replace)
		return true;
	/* For IPv6 the kernel sends the whole route when a path is added to it. */
	if (reported->prefix.addr.version != 6 || reported->nexthop != 0 || old->nexthop != 0 ||
			old->type != reported->type)
		return false;
	for (unsigned int i = 0; i < old->n_paths; i++) {
		if (!has_path(reported->path, reported->n_paths, &old->path[i]))
			return false;
	}
	return true;
}

static struct fcn_kernel_dest *
get_dest(struct fcn_kernel_store *s, unsigned int table, const struct fcn_prefix *prefix)
{
	struct fcn_kernel_dest *d = find_dest(s, table, prefix);

	if (d != NULL)
		return d;
	d = calloc(1, sizeof(*d));
	if (d == NULL) {
		s->full++;
		return NULL;
	}
	d->prefix = *prefix;
	d->table = (uint8_t)table;
	fcn_kernel_hash_add(&s->dests, &d->node, hash_prefix(table, prefix));
	return d;
}

static enum fcn_kernel_effect
add_route(struct fcn_kernel_store *s, unsigned int table, const struct fcn_rtnl *msg, bool dumped)
{
	const struct fcn_rtnl_route *reported = &msg->route;
	struct fcn_kernel_dest *d = get_dest(s, table, &reported->prefix);
	struct fcn_kernel_route *fresh, **at;
	bool others = false;

	if (d == NULL)
		return FCN_KERNEL_NOTHING;
	at = route_place(d, reported->metric);
	if (*at != NULL && (*at)->metric == reported->metric) {
		if (is_same_route(*at, reported)) {
			if (dumped && (*at)->epoch != s->epoch)
				(*at)->others = false; /* until the kernel sends them */
			(*at)->epoch = s->epoch;
			return FCN_KERNEL_SAME;
		}
		if (!gives_way(s, *at, msg, dumped)) {
			(*at)->others = true;
			return dumped ? FCN_KERNEL_SAME : FCN_KERNEL_UNCLEAR;
		}
		/* One of several routes was replaced, and the message does not tell which. */
		others = (*at)->others && !dumped;
	}
	fresh = make_route(s, reported);
	if (fresh == NULL) {
		fcn_kernel_dest_put(s, d);
		return FCN_KERNEL_NOTHING;
	}
	fresh->others = others;
	if (*at != NULL && (*at)->metric == reported->metric)
		remove_route(s, d, at);
	fresh->next = *at;
	*at = fresh;
	s->n_table_routes[table]++;
	s->reserved_routes += fcn_kernel_prefix_is_reserved(&d->prefix);
	fcn_kernel_dest_changed(s, d);
	return others ? FCN_KERNEL_UNCLEAR : FCN_KERNEL_CHANGED;
}

enum fcn_kernel_effect
fcn_kernel_route_apply(struct fcn_kernel_store *s, const struct fcn_rtnl *msg, bool dumped)
{
	enum fcn_kernel_effect effect = FCN_KERNEL_NOTHING, of_table;

	for (unsigned int t = 0; t < FCN_MAX_TABLES; t++) {
		if (s->number[t] == 0 || msg->route.table != s->number[t])
			continue;
		of_table = msg->gone ? delete_route(s, t, &msg->route)
				     : add_route(s, t, msg, dumped);
		effect = RTE_MAX(effect, of_table);
	}
	return effect;
}

/* Remove the routes of the tables in a bit set that are stale. @return number removed */
static uint32_t
sweep_tables(struct fcn_kernel_store *s, uint32_t tables, enum fcn_kernel_sweep what)
{
	struct fcn_kernel_node *node, *after;
	uint32_t n_gone = 0;

	FCN_KERNEL_HASH_EACH(&s->dests, node, after)
	{
		struct fcn_kernel_dest *d = RTE_PTR_SUB(
				node, offsetof(struct fcn_kernel_dest, node));

		uint32_t before = n_gone;

		if (!(tables >> d->table & 1))
			continue;
		for (struct fcn_kernel_route **at = &d->routes; *at != NULL;) {
			if (!fcn_kernel_store_is_stale(s, (*at)->epoch, what)) {
				at = &(*at)->next;
				continue;
			}
			remove_route(s, d, at);
			n_gone++;
		}
		if (n_gone != before)
			fcn_kernel_dest_changed(s, d);
	}
	return n_gone;
}

uint32_t
fcn_kernel_route_sweep(struct fcn_kernel_store *s, enum fcn_kernel_sweep what)
{
	return sweep_tables(s, UINT32_MAX, what);
}

void
fcn_kernel_route_clear(struct fcn_kernel_store *s, unsigned int table)
{
	sweep_tables(s, UINT32_C(1) << table, FCN_KERNEL_ALL);
}
