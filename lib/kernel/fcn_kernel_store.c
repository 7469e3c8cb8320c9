/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_common.h>
#include <rte_jhash.h>

#include "fcn_kernel_hash.h"
#include "fcn_kernel_store.h"

/* One of the routes to a prefix; the least metric is in use. */
struct route {
	struct route *next; /* metrics ascend */
	uint32_t metric;
	uint32_t nexthop; /* id, 0: paths count */
	uint32_t epoch;   /* when it was last said */
	uint8_t protocol;
	uint8_t type;
	uint8_t n_paths;
	bool others; /* of the same metric stand behind it in the kernel */
	uint16_t left_out;
	struct fcn_rtnl_path path[];
};

struct dest {
	struct fcn_kernel_node node;
	struct fcn_prefix prefix;
	struct route *routes;
};

/* A nexthop object; known by routes that name it even when it is not there. */
struct nexthop {
	struct fcn_kernel_node node;
	uint32_t id;
	uint32_t refs; /* routes that name it */
	uint32_t epoch;
	bool there;
	bool blackhole;
	struct fcn_rtnl_path path;
	uint8_t n_members;
	uint16_t left_out;
	struct fcn_rtnl_member *member;
};

struct neighbour {
	struct fcn_kernel_node node;
	uint32_t epoch;
	uint32_t ifindex;
	struct fcn_addr addr;
	struct rte_ether_addr mac;
};

struct fcn_kernel_store {
	struct fcn_kernel_hash dests, nexthops, neighbours;
	uint32_t table;
	uint32_t ifindex[FCN_MAX_PORTS];
	uint32_t epoch;
	uint32_t n_routes, n_nexthops;
	uint64_t version;
	uint64_t full;
};

struct fcn_kernel_store *
fcn_kernel_store_create(void)
{
	struct fcn_kernel_store *s = calloc(1, sizeof(*s));

	if (s == NULL || fcn_kernel_hash_init(&s->dests) != 0 ||
			fcn_kernel_hash_init(&s->nexthops) != 0 ||
			fcn_kernel_hash_init(&s->neighbours) != 0) {
		fcn_kernel_store_free(s);
		return NULL;
	}
	return s;
}

uint64_t
fcn_kernel_store_version(const struct fcn_kernel_store *s)
{
	return s->version;
}

void
fcn_kernel_store_counts(const struct fcn_kernel_store *s, struct fcn_kernel_counts *counts)
{
	*counts = (struct fcn_kernel_counts){.routes = s->n_routes,
			.nexthops = s->n_nexthops,
			.neighbours = s->neighbours.n,
			.full = s->full};
}

static enum fcn_kernel_effect
changed(struct fcn_kernel_store *s)
{
	s->version++;
	return FCN_KERNEL_CHANGED;
}

static int
port_of(const struct fcn_kernel_store *s, uint32_t ifindex)
{
	for (unsigned int p = 0; ifindex != 0 && p < FCN_MAX_PORTS; p++) {
		if (s->ifindex[p] == ifindex)
			return (int)p;
	}
	return -1;
}

/* ---- nexthop objects ---- */

static struct nexthop *
find_nexthop(const struct fcn_kernel_store *s, uint32_t id)
{
	uint32_t hash = rte_jhash_1word(id, 0);
	struct fcn_kernel_node *node = fcn_kernel_hash_first(&s->nexthops, hash);

	for (; node != NULL; node = node->next) {
		struct nexthop *n = RTE_PTR_SUB(node, offsetof(struct nexthop, node));

		if (n->id == id)
			return n;
	}
	return NULL;
}

/* Found, or made as one that is not there. */
static struct nexthop *
get_nexthop(struct fcn_kernel_store *s, uint32_t id)
{
	struct nexthop *n = find_nexthop(s, id);

	if (n != NULL)
		return n;
	n = s->nexthops.n < FCN_KERNEL_MAX_NEXTHOPS ? calloc(1, sizeof(*n)) : NULL;
	if (n == NULL) {
		s->full++;
		return NULL;
	}
	n->id = id;
	fcn_kernel_hash_add(&s->nexthops, &n->node, rte_jhash_1word(id, 0));
	return n;
}

static void
put_nexthop(struct fcn_kernel_store *s, struct nexthop *n)
{
	if (n->there || n->refs > 0)
		return;
	fcn_kernel_hash_remove(&s->nexthops, &n->node);
	free(n->member);
	free(n);
}

static void
lose_nexthop(struct fcn_kernel_store *s, struct nexthop *n)
{
	n->there = false;
	s->n_nexthops--;
	put_nexthop(s, n);
}

static bool
is_same_nexthop(const struct nexthop *n, const struct fcn_rtnl_nexthop *said)
{
	return n->there && n->blackhole == said->blackhole && n->n_members == said->n_members &&
	       n->left_out == said->left_out &&
	       memcmp(&n->path, &said->path, sizeof(n->path)) == 0 &&
	       (n->n_members == 0 || memcmp(n->member, said->member,
						     n->n_members * sizeof(*n->member)) == 0);
}

static enum fcn_kernel_effect
apply_nexthop(struct fcn_kernel_store *s, const struct fcn_rtnl *msg)
{
	const struct fcn_rtnl_nexthop *said = &msg->nexthop;
	struct fcn_rtnl_member *member = NULL;
	struct nexthop *n;

	if (msg->gone) {
		n = find_nexthop(s, said->id);
		if (n == NULL || !n->there)
			return FCN_KERNEL_NOTHING;
		/* Routes that had it go without a word, and its number may come again. */
		bool named = n->refs > 0;

		lose_nexthop(s, n);
		changed(s);
		return named ? FCN_KERNEL_UNCLEAR : FCN_KERNEL_CHANGED;
	}
	n = get_nexthop(s, said->id);
	if (n == NULL)
		return FCN_KERNEL_NOTHING;
	n->epoch = s->epoch;
	if (is_same_nexthop(n, said))
		return FCN_KERNEL_NOTHING;
	if (said->n_members > 0) {
		member = malloc(said->n_members * sizeof(*member));
		if (member == NULL) {
			s->full++;
			put_nexthop(s, n);
			return FCN_KERNEL_NOTHING;
		}
		memcpy(member, said->member, said->n_members * sizeof(*member));
	}
	free(n->member);
	n->member = member;
	n->n_members = said->n_members;
	n->left_out = said->left_out;
	n->blackhole = said->blackhole;
	n->path = said->path;
	if (!n->there)
		s->n_nexthops++;
	n->there = true;
	return changed(s);
}

/* ---- routes ---- */

static uint32_t
hash_prefix(const struct fcn_prefix *p)
{
	uint32_t words[sizeof(p->addr.bytes) / sizeof(uint32_t)];

	memcpy(words, p->addr.bytes, sizeof(words)); /* aligned */
	return rte_jhash_32b(words, RTE_DIM(words), (uint32_t)p->addr.version << 8 | p->len);
}

static struct dest *
find_dest(const struct fcn_kernel_store *s, const struct fcn_prefix *prefix)
{
	struct fcn_kernel_node *node = fcn_kernel_hash_first(&s->dests, hash_prefix(prefix));

	for (; node != NULL; node = node->next) {
		struct dest *d = RTE_PTR_SUB(node, offsetof(struct dest, node));

		if (fcn_prefix_equal(&d->prefix, prefix))
			return d;
	}
	return NULL;
}

/* The place of the route with this metric, or where it would stand. */
static struct route **
route_place(struct dest *d, uint32_t metric)
{
	struct route **at = &d->routes;

	while (*at != NULL && (*at)->metric < metric)
		at = &(*at)->next;
	return at;
}

static void
free_route(struct fcn_kernel_store *s, struct route *r)
{
	struct nexthop *n = r->nexthop != 0 ? find_nexthop(s, r->nexthop) : NULL;

	if (n != NULL) {
		n->refs--;
		put_nexthop(s, n);
	}
	s->n_routes--;
	free(r);
}

static void
remove_route(struct fcn_kernel_store *s, struct route **at)
{
	struct route *r = *at;

	*at = r->next;
	free_route(s, r);
}

static void
drop_dest_if_empty(struct fcn_kernel_store *s, struct dest *d)
{
	if (d->routes != NULL)
		return;
	fcn_kernel_hash_remove(&s->dests, &d->node);
	free(d);
}

static bool
is_same_route(const struct route *r, const struct fcn_rtnl_route *said)
{
	return r->nexthop == said->nexthop && r->protocol == said->protocol &&
	       r->type == said->type && r->left_out == said->left_out &&
	       (r->nexthop != 0 ||
			       (r->n_paths == said->n_paths &&
					       memcmp(r->path, said->path,
							       r->n_paths * sizeof(r->path[0])) ==
							       0));
}

static struct route *
make_route(struct fcn_kernel_store *s, const struct fcn_rtnl_route *said)
{
	uint8_t n = said->nexthop == 0 ? said->n_paths : 0;
	struct nexthop *nexthop;
	struct route *r;

	r = s->n_routes < FCN_KERNEL_MAX_ROUTES ? calloc(1, sizeof(*r) + n * sizeof(r->path[0]))
						: NULL;
	if (r == NULL) {
		s->full++;
		return NULL;
	}
	*r = (struct route){.metric = said->metric,
			.nexthop = said->nexthop,
			.epoch = s->epoch,
			.protocol = said->protocol,
			.type = said->type,
			.n_paths = n,
			.left_out = said->left_out};
	memcpy(r->path, said->path, n * sizeof(r->path[0]));
	if (r->nexthop != 0) {
		nexthop = get_nexthop(s, r->nexthop);
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
	struct dest *d = find_dest(s, &said->prefix);
	struct route **at = d != NULL ? route_place(d, said->metric) : NULL;
	struct route *r = at != NULL ? *at : NULL;
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
	changed(s);
	return others ? FCN_KERNEL_UNCLEAR : FCN_KERNEL_CHANGED;
}

/* Whether a route of the same prefix and metric gives way to what is said. */
static bool
gives_way(const struct fcn_kernel_store *s, const struct route *old, const struct fcn_rtnl *msg,
		bool dumped)
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

static struct dest *
get_dest(struct fcn_kernel_store *s, const struct fcn_prefix *prefix)
{
	struct dest *d = find_dest(s, prefix);

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
	struct dest *d = get_dest(s, &said->prefix);
	struct route *fresh, **at;

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
	return changed(s);
}

static enum fcn_kernel_effect
apply_route(struct fcn_kernel_store *s, const struct fcn_rtnl *msg, bool dumped)
{
	if (s->table == 0 || msg->route.table != s->table)
		return FCN_KERNEL_NOTHING;
	return msg->gone ? delete_route(s, &msg->route) : add_route(s, msg, dumped);
}

/* ---- neighbours ---- */

static uint32_t
hash_neighbour(uint32_t ifindex, const struct fcn_addr *addr)
{
	uint32_t words[sizeof(addr->bytes) / sizeof(uint32_t)];

	memcpy(words, addr->bytes, sizeof(words));
	return rte_jhash_32b(words, RTE_DIM(words), ifindex);
}

static struct neighbour *
find_neighbour(const struct fcn_kernel_store *s, const struct fcn_rtnl_neighbour *said)
{
	struct fcn_kernel_node *node = fcn_kernel_hash_first(
			&s->neighbours, hash_neighbour(said->ifindex, &said->addr));

	for (; node != NULL; node = node->next) {
		struct neighbour *n = RTE_PTR_SUB(node, offsetof(struct neighbour, node));

		if (n->ifindex == said->ifindex && fcn_addr_equal(&n->addr, &said->addr))
			return n;
	}
	return NULL;
}

static void
remove_neighbour(struct fcn_kernel_store *s, struct neighbour *n)
{
	fcn_kernel_hash_remove(&s->neighbours, &n->node);
	free(n);
}

static enum fcn_kernel_effect
apply_neighbour(struct fcn_kernel_store *s, const struct fcn_rtnl *msg)
{
	const struct fcn_rtnl_neighbour *said = &msg->neighbour;
	struct neighbour *n = find_neighbour(s, said);

	/* Others the host functions find for themselves. */
	if (msg->gone || !said->permanent) {
		if (n == NULL)
			return FCN_KERNEL_NOTHING;
		remove_neighbour(s, n);
		return changed(s);
	}
	if (n == NULL) {
		n = s->neighbours.n < FCN_KERNEL_MAX_NEIGHBOURS ? calloc(1, sizeof(*n)) : NULL;
		if (n == NULL) {
			s->full++;
			return FCN_KERNEL_NOTHING;
		}
		n->ifindex = said->ifindex;
		n->addr = said->addr;
		fcn_kernel_hash_add(&s->neighbours, &n->node,
				hash_neighbour(said->ifindex, &said->addr));
	} else if (memcmp(&n->mac, said->mac, sizeof(n->mac)) == 0) {
		n->epoch = s->epoch;
		return FCN_KERNEL_NOTHING;
	}
	n->epoch = s->epoch;
	memcpy(&n->mac, said->mac, sizeof(n->mac));
	return changed(s);
}

/* ---- the whole ---- */

enum fcn_kernel_effect
fcn_kernel_store_apply(struct fcn_kernel_store *s, const struct fcn_rtnl *msg, bool dumped)
{
	switch (msg->kind) {
	case FCN_RTNL_ROUTE:
		return apply_route(s, msg, dumped);
	case FCN_RTNL_NEXTHOP:
		return apply_nexthop(s, msg);
	case FCN_RTNL_NEIGHBOUR:
		return apply_neighbour(s, msg);
	case FCN_RTNL_LINK:
		/* IPv4 routes go without a word when their interface goes down, */
		return !dumped && (msg->gone || !msg->link.up) && port_of(s, msg->link.ifindex) >= 0
				       ? FCN_KERNEL_UNCLEAR
				       : FCN_KERNEL_NOTHING;
	case FCN_RTNL_ADDRESS:
		/* or the address that is their source goes. */
		return msg->gone && port_of(s, msg->address.ifindex) >= 0 ? FCN_KERNEL_UNCLEAR
									  : FCN_KERNEL_NOTHING;
	default:
		return FCN_KERNEL_NOTHING;
	}
}

/* Forget what was not said since; or, with all, everything. */
static void
sweep_routes(struct fcn_kernel_store *s, bool all)
{
	struct fcn_kernel_node *node, *after;

	FCN_KERNEL_HASH_EACH(&s->dests, node, after)
	{
		struct dest *d = RTE_PTR_SUB(node, offsetof(struct dest, node));

		for (struct route **at = &d->routes; *at != NULL;) {
			if (!all && (*at)->epoch == s->epoch) {
				at = &(*at)->next;
				continue;
			}
			remove_route(s, at);
			changed(s);
		}
		drop_dest_if_empty(s, d);
	}
}

static void
sweep_nexthops(struct fcn_kernel_store *s, bool all)
{
	struct fcn_kernel_node *node, *after;

	FCN_KERNEL_HASH_EACH(&s->nexthops, node, after)
	{
		struct nexthop *n = RTE_PTR_SUB(node, offsetof(struct nexthop, node));

		if (n->there && (all || n->epoch != s->epoch)) {
			lose_nexthop(s, n);
			changed(s);
		}
	}
}

static void
sweep_neighbours(struct fcn_kernel_store *s, bool all)
{
	struct fcn_kernel_node *node, *after;

	FCN_KERNEL_HASH_EACH(&s->neighbours, node, after)
	{
		struct neighbour *n = RTE_PTR_SUB(node, offsetof(struct neighbour, node));

		if (all || n->epoch != s->epoch) {
			remove_neighbour(s, n);
			changed(s);
		}
	}
}

void
fcn_kernel_store_begin_sync(struct fcn_kernel_store *s)
{
	s->epoch++;
}

void
fcn_kernel_store_end_sync(struct fcn_kernel_store *s)
{
	sweep_routes(s, false);
	sweep_nexthops(s, false);
	sweep_neighbours(s, false);
}

void
fcn_kernel_store_clear(struct fcn_kernel_store *s)
{
	sweep_routes(s, true);
	sweep_nexthops(s, true);
	sweep_neighbours(s, true);
}

void
fcn_kernel_store_free(struct fcn_kernel_store *s)
{
	if (s == NULL)
		return;
	if (s->dests.bucket != NULL && s->nexthops.bucket != NULL && s->neighbours.bucket != NULL)
		fcn_kernel_store_clear(s);
	fcn_kernel_hash_fini(&s->dests);
	fcn_kernel_hash_fini(&s->nexthops);
	fcn_kernel_hash_fini(&s->neighbours);
	free(s);
}

void
fcn_kernel_store_set_table(struct fcn_kernel_store *s, uint32_t table)
{
	if (table == s->table)
		return;
	s->table = table;
	sweep_routes(s, true);
}

void
fcn_kernel_store_set_port(struct fcn_kernel_store *s, uint16_t port, uint32_t ifindex)
{
	if (s->ifindex[port] == ifindex)
		return;
	s->ifindex[port] = ifindex;
	changed(s);
}

/* ---- what it comes to ---- */

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
	int port = way->unusable ? -1 : port_of(l->store, way->ifindex);
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
	const struct nexthop *n = find_nexthop(l->store, id), *m;

	if (n == NULL || !n->there)
		return false;
	if (n->blackhole)
		return true;
	if (n->n_members == 0)
		put_way(l, &n->path, 1);
	l->left_out += n->left_out;
	for (unsigned int i = 0; i < n->n_members; i++) {
		m = find_nexthop(l->store, n->member[i].id);
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
list_route(struct listing *l, const struct dest *d, const struct route *r)
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
		const struct dest *d = RTE_PTR_SUB(node, offsetof(struct dest, node));

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

int
fcn_kernel_store_neighbours(
		const struct fcn_kernel_store *s, struct fcn_kernel_neighbour **list, size_t *n)
{
	struct fcn_kernel_neighbour *item = calloc(s->neighbours.n + 1, sizeof(*item));
	struct fcn_kernel_node *node, *after;

	if (item == NULL)
		return -ENOMEM;
	*n = 0;
	FCN_KERNEL_HASH_EACH(&s->neighbours, node, after)
	{
		const struct neighbour *from = RTE_PTR_SUB(node, offsetof(struct neighbour, node));
		int port = port_of(s, from->ifindex);

		if (port >= 0)
			item[(*n)++] = (struct fcn_kernel_neighbour){
					.port = port, .addr = from->addr, .mac = from->mac};
	}
	*list = item;
	return 0;
}
