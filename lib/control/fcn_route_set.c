/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_common.h>

#include "fcn_next_hop.h"
#include "fcn_route_set.h"

/* Gateways and groups that may come until a set is made whole again. */
#define SPARE(n) ((n) / 4 + 64)

/* More changes than this, or than a part of all routes: the whole is as cheap. */
#define MOST_CHANGES 4096
#define CHANGES_PART 8

/* Work in progress. */
struct builder {
	const struct fcn_config *cfg;
	const struct fcn_kernel_routes *kernel;
	struct fcn_route_set *set;
	struct fcn_fib_route *route; /* the later of equal prefixes wins */
	size_t n_routes;
	const struct fcn_config_route **sorted;
	size_t n_sorted;
	uint32_t *bucket; /* hash of the groups by their members: index + 1, 0: empty */
	uint32_t n_buckets;
	char *err;
	size_t err_size;
};

static int
compare_addr(const struct fcn_addr *a, const struct fcn_addr *b)
{
	if (a->version != b->version)
		return a->version - b->version;
	return memcmp(a->bytes, b->bytes, sizeof(a->bytes));
}

static int
compare_prefixes(const struct fcn_prefix *a, const struct fcn_prefix *b)
{
	int d = compare_addr(&a->addr, &b->addr);

	return d != 0 ? d : a->len - b->len;
}

static int
compare_routes(const void *va, const void *vb)
{
	const struct fcn_config_route *a = *(const struct fcn_config_route *const *)va;
	const struct fcn_config_route *b = *(const struct fcn_config_route *const *)vb;
	int d = compare_prefixes(&a->prefix, &b->prefix);

	/* a blackhole first: it hides any path */
	if (d == 0)
		d = b->blackhole - a->blackhole;
	if (d == 0)
		d = a->port - b->port;
	return d != 0 ? d : compare_addr(&a->via, &b->via);
}

static int
compare_gateways(const void *va, const void *vb)
{
	const struct fcn_gateway *a = va, *b = vb;

	return a->port != b->port ? a->port - b->port : compare_addr(&a->addr, &b->addr);
}

static bool
is_link_local(const struct fcn_addr *a)
{
	return a->version == 6 && a->bytes[0] == 0xfe && (a->bytes[1] & 0xc0) == 0x80;
}

static void
add_route(struct builder *b, const struct fcn_prefix *prefix, uint32_t next_hop)
{
	b->route[b->n_routes++] = (struct fcn_fib_route){.prefix = *prefix, .next_hop = next_hop};
}

static void
add_host_route(struct builder *b, const struct fcn_addr *addr, uint32_t next_hop)
{
	struct fcn_prefix p = {.addr = *addr, .len = addr->version == 6 ? 128 : 32};

	add_route(b, &p, next_hop);
}

/* Every router that a route names, and every neighbour that was configured, once. */
static void
collect_gateways(struct builder *b)
{
	const struct fcn_config *cfg = b->cfg;
	struct fcn_route_set *set = b->set;
	uint32_t n = 0, kept = 0;

	for (size_t i = 0; i < cfg->routes.n; i++) {
		const struct fcn_config_route *r = &cfg->routes.item[i];

		if (!r->blackhole)
			set->gateway[n++] = (struct fcn_gateway){r->port, r->via};
	}
	for (size_t i = 0; i < cfg->neighbours.n; i++)
		set->gateway[n++] = (struct fcn_gateway){
				cfg->neighbours.item[i].port, cfg->neighbours.item[i].addr};
	for (size_t i = 0; i < b->kernel->n; i++) {
		const struct fcn_kernel_path *p = &b->kernel->path[i];

		if (p->type == FCN_KERNEL_GATEWAY && fcn_route_set_has_path(cfg, p))
			set->gateway[n++] = (struct fcn_gateway){p->port, p->via};
	}
	qsort(set->gateway, n, sizeof(set->gateway[0]), compare_gateways);
	for (uint32_t i = 0; i < n; i++) {
		if (kept == 0 || compare_gateways(&set->gateway[kept - 1], &set->gateway[i]) != 0)
			set->gateway[kept++] = set->gateway[i];
	}
	set->n_gateways = kept;
	set->n_sorted = kept;
	set->gateway_room = kept + SPARE(kept);
}

/* @return index, or -ENOENT */
static int
known_gateway(const struct fcn_route_set *set, uint16_t port, const struct fcn_addr *addr)
{
	const struct fcn_gateway key = {port, *addr};
	const struct fcn_gateway *g = bsearch(&key, set->gateway, set->n_sorted,
			sizeof(set->gateway[0]), compare_gateways);

	if (g != NULL)
		return g - set->gateway;
	for (uint32_t i = set->n_sorted; i < set->n_gateways; i++) {
		if (compare_gateways(&key, &set->gateway[i]) == 0)
			return i;
	}
	return -ENOENT;
}

/* One that is not there is added, behind the sorted ones. @return index, or -ENOSPC */
static int
find_gateway(struct fcn_route_set *set, uint16_t port, const struct fcn_addr *addr)
{
	int found = known_gateway(set, port, addr);

	if (found >= 0)
		return found;
	if (set->n_gateways == set->gateway_room)
		return -ENOSPC;
	set->gateway[set->n_gateways] = (struct fcn_gateway){port, *addr};
	return set->n_gateways++;
}

bool
fcn_route_set_has_path(const struct fcn_config *cfg, const struct fcn_kernel_path *path)
{
	const struct fcn_config_port *port = &cfg->port[path->port];

	if (path->type == FCN_KERNEL_BLACKHOLE || path->type == FCN_KERNEL_UNREACHABLE)
		return true;
	return port->name[0] != '\0' && port->bridge < 0 && port->kernel[0] != '\0';
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

static int
make_buckets(struct builder *b)
{
	b->n_buckets = rte_align32pow2(2 * b->set->group_room + 1);
	b->bucket = calloc(b->n_buckets, sizeof(*b->bucket));
	return b->bucket == NULL ? -1 : 0;
}

/* The bucket of a group with the same members, or the empty one for it. */
static uint32_t *
find_bucket(const struct builder *b, const struct fcn_path_group *group)
{
	const struct fcn_route_set *set = b->set;
	uint32_t at = group_hash(set, group);

	for (;; at++) {
		uint32_t *bucket = &b->bucket[at & (b->n_buckets - 1)];
		const struct fcn_path_group *other = &set->group[*bucket - 1];

		if (*bucket == 0 ||
				(other->n == group->n &&
						memcmp(&set->member[other->first],
								&set->member[group->first],
								group->n * sizeof(*set->member)) ==
								0))
			return bucket;
	}
}

/* The group of the set's last members, which stand there once. @return its number, or -ENOSPC */
static int
find_group(struct builder *b, const struct fcn_path_group *group)
{
	struct fcn_route_set *set = b->set;
	uint32_t *bucket = find_bucket(b, group);

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

/*
 * Paths of one prefix, sorted; a path given twice counts once.
 *
 * @return next hop, or -1
 */
static int
add_paths(struct builder *b, size_t from, size_t to)
{
	struct fcn_route_set *set = b->set;
	struct fcn_path_group group = {.first = set->n_members};
	char text[FCN_PREFIX_STRLEN];
	int found;

	if (b->sorted[from]->blackhole)
		return FCN_NH_BLACKHOLE;
	for (size_t i = from; i < to; i++) {
		const struct fcn_config_route *r = b->sorted[i];

		if (i > from && compare_routes(&b->sorted[i - 1], &b->sorted[i]) == 0)
			continue;
		if (group.n == FCN_NEXT_HOP_MAX_MEMBERS) {
			snprintf(b->err, b->err_size, "route %s: more than %u paths",
					fcn_prefix_format(&r->prefix, text, sizeof(text)),
					FCN_NEXT_HOP_MAX_MEMBERS);
			return -1;
		}
		found = find_gateway(set, r->port, &r->via);
		if (found < 0)
			return -1;
		set->member[set->n_members++] = found;
		group.n++;
	}
	if (group.n == 1)
		return fcn_route_set_gateway(set, set->member[--set->n_members]);
	found = find_group(b, &group);
	return found < 0 ? -1 : (int)fcn_route_set_group(set, found);
}

/* The first route behind those to the prefix of this one. */
static size_t
end_of_paths(const struct builder *b, size_t from)
{
	size_t to = from + 1;

	while (to < b->n_sorted &&
			fcn_prefix_equal(&b->sorted[to]->prefix, &b->sorted[from]->prefix))
		to++;
	return to;
}

/* Static routes; those to one prefix stand together once sorted. */
static int
add_static(struct builder *b)
{
	size_t n = b->cfg->routes.n;

	for (size_t i = 0; i < n; i++)
		b->sorted[i] = &b->cfg->routes.item[i];
	qsort(b->sorted, n, sizeof(b->sorted[0]), compare_routes);
	b->n_sorted = n;
	for (size_t from = 0, to; from < n; from = to) {
		int nh;

		to = end_of_paths(b, from);
		nh = add_paths(b, from, to);
		if (nh < 0)
			return -1;
		add_route(b, &b->sorted[from]->prefix, nh);
	}
	return 0;
}

/* What the kernel has on the links of ports; before all else, as every other route wins. */
static void
add_kernel_connected(struct builder *b)
{
	struct fcn_route_set *set = b->set;

	for (size_t i = 0; i < b->kernel->n; i++) {
		const struct fcn_kernel_path *p = &b->kernel->path[i];

		if (p->type != FCN_KERNEL_CONNECTED || !fcn_route_set_has_path(b->cfg, p))
			continue;
		add_route(b, &p->prefix, fcn_route_set_connected(set, set->n_connected));
		set->connected[set->n_connected++] = p->port;
	}
}

/* The paths of one prefix: a path of twice the weight is there twice. */
static void
add_kernel_paths(struct builder *b, const struct fcn_kernel_path *path, size_t n)
{
	struct fcn_route_set *set = b->set;
	struct fcn_path_group group = {.first = set->n_members};

	for (size_t i = 0; i < n; i++) {
		uint32_t gateway;

		if (!fcn_route_set_has_path(b->cfg, &path[i]))
			continue;
		gateway = find_gateway(set, path[i].port, &path[i].via);
		for (unsigned int k = 0; k < path[i].weight && group.n < FCN_NEXT_HOP_MAX_MEMBERS;
				k++, group.n++)
			set->member[set->n_members++] = gateway;
	}
	if (group.n == 1) {
		add_route(b, &path->prefix,
				fcn_route_set_gateway(set, set->member[--set->n_members]));
	} else if (group.n > 1) {
		add_route(b, &path->prefix, fcn_route_set_group(set, find_group(b, &group)));
	}
}

static void
add_kernel(struct builder *b)
{
	const struct fcn_kernel_path *path = b->kernel->path;
	size_t n = b->kernel->n;

	for (size_t from = 0, to; from < n; from = to) {
		for (to = from + 1;
				to < n && fcn_prefix_equal(&path[to].prefix, &path[from].prefix);
				to++)
			;
		if (path[from].type == FCN_KERNEL_GATEWAY)
			add_kernel_paths(b, &path[from], to - from);
		else if (path[from].type == FCN_KERNEL_BLACKHOLE)
			add_route(b, &path[from].prefix, FCN_NH_BLACKHOLE);
		else if (path[from].type == FCN_KERNEL_UNREACHABLE)
			add_route(b, &path[from].prefix, FCN_NH_UNREACHABLE);
	}
}

/* From the least to the most particular: the kernel's, connected, static, neighbours, our own
 * addresses. */
static int
fill(struct builder *b)
{
	const struct fcn_config *cfg = b->cfg;
	struct fcn_route_set *set = b->set;
	uint32_t first_connected;

	collect_gateways(b);
	add_kernel_connected(b);
	first_connected = set->n_connected;
	for (size_t i = 0; i < cfg->addresses.n; i++)
		set->connected[set->n_connected++] = cfg->addresses.item[i].port;
	add_kernel(b); /* gateways' numbers follow those of what is connected */
	for (size_t i = 0; i < cfg->addresses.n; i++)
		add_route(b, &cfg->addresses.item[i].prefix,
				fcn_route_set_connected(set, first_connected + i));
	if (add_static(b) != 0)
		return -1;
	for (size_t i = 0; i < cfg->neighbours.n; i++) {
		const struct fcn_config_neighbour *n = &cfg->neighbours.item[i];

		if (!is_link_local(&n->addr))
			add_host_route(b, &n->addr,
					fcn_route_set_gateway(
							set, find_gateway(set, n->port, &n->addr)));
	}
	for (size_t i = 0; i < cfg->addresses.n; i++)
		add_host_route(b, &cfg->addresses.item[i].prefix.addr, FCN_NH_LOCAL);
	if (cfg->loopback.version != 0)
		add_host_route(b, &cfg->loopback, FCN_NH_LOCAL);
	return 0;
}

static size_t
count_members(const struct fcn_kernel_routes *kernel)
{
	size_t n = 0;

	for (size_t i = 0; i < kernel->n; i++)
		n += kernel->path[i].weight;
	return n;
}

/* @param room for gateways, groups and members */
static struct fcn_route_set *
allocate(const struct fcn_config *cfg, const struct fcn_kernel_routes *kernel, size_t gateways,
		size_t groups, size_t members)
{
	struct fcn_route_set *set = calloc(1, sizeof(*set));

	if (set == NULL)
		return NULL;
	set->refs = 1;
	set->connected = calloc(cfg->addresses.n + kernel->n + 1, sizeof(*set->connected));
	set->gateway = calloc(gateways + 1, sizeof(*set->gateway));
	set->gateway_room = gateways;
	set->group = calloc(groups + 1, sizeof(*set->group));
	set->group_room = groups;
	set->member = calloc(members + 1, sizeof(*set->member));
	if (set->connected == NULL || set->gateway == NULL || set->group == NULL ||
			set->member == NULL) {
		fcn_route_set_release(set);
		return NULL;
	}
	return set;
}

struct fcn_route_set *
fcn_route_set_create(const struct fcn_config *cfg, const struct fcn_kernel_routes *kernel,
		const char *name, int socket, char *err, size_t err_size)
{
	size_t n_gateways = cfg->routes.n + cfg->neighbours.n + kernel->n;
	size_t max_routes = 2 * cfg->addresses.n + n_gateways + 1;
	struct builder b = {.cfg = cfg, .kernel = kernel, .err = err, .err_size = err_size};
	bool done = false;

	b.set = allocate(cfg, kernel, n_gateways + SPARE(n_gateways), cfg->routes.n + kernel->n,
			cfg->routes.n + count_members(kernel));
	b.route = malloc(max_routes * sizeof(*b.route));
	b.sorted = malloc((cfg->routes.n + 1) * sizeof(*b.sorted));
	if (b.set == NULL || b.route == NULL || b.sorted == NULL || make_buckets(&b) != 0) {
		snprintf(err, err_size, "routes: out of memory");
	} else if (fill(&b) == 0) {
		b.set->group_room = b.set->n_groups + SPARE(b.set->n_groups);
		b.set->fib = fcn_fib_create(name, b.route, b.n_routes, socket);
		done = b.set->fib != NULL;
		if (!done)
			snprintf(err, err_size, "route table: out of memory");
	}
	free(b.route);
	free(b.sorted);
	free(b.bucket);
	if (!done) {
		fcn_route_set_release(b.set);
		return NULL;
	}
	return b.set;
}

/* ---- a set made of another ---- */

/* Where two lists of routes differ: all before and behind is the same. */
struct difference {
	const struct fcn_config_route *was, *is;
	size_t n_was, n_is;
};

static struct difference
compare_lists(const struct fcn_config *before, const struct fcn_config *cfg)
{
	struct difference d = {
			before->routes.item, cfg->routes.item, before->routes.n, cfg->routes.n};

	while (d.n_was > 0 && d.n_is > 0 && memcmp(d.was, d.is, sizeof(*d.is)) == 0) {
		d.was++;
		d.is++;
		d.n_was--;
		d.n_is--;
	}
	while (d.n_was > 0 && d.n_is > 0 &&
			memcmp(&d.was[d.n_was - 1], &d.is[d.n_is - 1], sizeof(*d.is)) == 0) {
		d.n_was--;
		d.n_is--;
	}
	return d;
}

/* Prefixes whose paths may have changed, and a quick no for others. */
struct changed {
	const struct fcn_config_route **route; /* one with each prefix, sorted */
	size_t n;
	uint64_t filter[1024];
};

static uint32_t
filter_bit(const struct changed *c, const struct fcn_prefix *prefix)
{
	uint64_t half[2];

	memcpy(half, prefix->addr.bytes, sizeof(half));
	half[0] = (half[0] ^ half[1] * 0xd6e8feb86659fd93 ^ prefix->len) * 0x9e3779b97f4a7c15;
	return (half[0] >> 32) % (8 * sizeof(c->filter));
}

static void
collect_changed(struct changed *c, const struct difference *d)
{
	size_t n = 0;

	for (size_t i = 0; i < d->n_was; i++)
		c->route[c->n++] = &d->was[i];
	for (size_t i = 0; i < d->n_is; i++)
		c->route[c->n++] = &d->is[i];
	qsort(c->route, c->n, sizeof(c->route[0]), compare_routes);
	for (size_t i = 0; i < c->n; i++) {
		const struct fcn_prefix *p = &c->route[i]->prefix;
		uint32_t bit = filter_bit(c, p);

		if (n > 0 && compare_prefixes(&c->route[n - 1]->prefix, p) == 0)
			continue;
		c->route[n++] = c->route[i];
		c->filter[bit / 64] |= UINT64_C(1) << bit % 64;
	}
	c->n = n;
}

static bool
is_changed(const struct changed *c, const struct fcn_prefix *prefix)
{
	uint32_t bit = filter_bit(c, prefix);
	size_t low = 0, high = c->n;

	if (!(c->filter[bit / 64] >> bit % 64 & 1))
		return false;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int d = compare_prefixes(&c->route[middle]->prefix, prefix);

		if (d == 0)
			return true;
		if (d < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return false;
}

/* All paths there are to the changed prefixes, sorted. @return 0 or -1 */
static int
collect_paths(struct builder *b, const struct changed *c)
{
	size_t room = 0;

	for (size_t i = 0; i < b->cfg->routes.n; i++) {
		const struct fcn_config_route *r = &b->cfg->routes.item[i];
		const struct fcn_config_route **grown;

		if (!is_changed(c, &r->prefix))
			continue;
		if (b->n_sorted == room) {
			room = 2 * room + 64;
			grown = realloc(b->sorted, room * sizeof(*grown));
			if (grown == NULL)
				return -1;
			b->sorted = grown;
		}
		b->sorted[b->n_sorted++] = r;
	}
	if (b->n_sorted > 0)
		qsort(b->sorted, b->n_sorted, sizeof(b->sorted[0]), compare_routes);
	return 0;
}

/* A host that has a route whatever static ones say: a configured neighbour, or ourselves. */
static bool
is_host_of_ours(const struct fcn_config *cfg, const struct fcn_prefix *prefix)
{
	if (prefix->len != (prefix->addr.version == 6 ? 128 : 32))
		return false;
	for (size_t i = 0; i < cfg->addresses.n; i++) {
		if (fcn_addr_equal(&cfg->addresses.item[i].prefix.addr, &prefix->addr))
			return true;
	}
	for (size_t i = 0; i < cfg->neighbours.n; i++) {
		if (!is_link_local(&prefix->addr) &&
				fcn_addr_equal(&cfg->neighbours.item[i].addr, &prefix->addr))
			return true;
	}
	return fcn_addr_equal(&cfg->loopback, &prefix->addr);
}

/* Without static paths a connected network is what remains, if the prefix is one. */
static uint32_t
connected_next_hop(const struct fcn_config *cfg, const struct fcn_route_set *set,
		const struct fcn_prefix *prefix)
{
	for (size_t i = cfg->addresses.n; i-- > 0;) {
		struct fcn_prefix p = cfg->addresses.item[i].prefix;

		fcn_prefix_normalise(&p);
		if (fcn_prefix_equal(&p, prefix))
			return fcn_route_set_connected(set, i);
	}
	return FCN_FIB_NO_ROUTE;
}

/* What each changed prefix leads to now. @return 0 or -1 */
static int
fill_changes(struct builder *b, const struct changed *c)
{
	size_t from = 0;

	for (size_t i = 0; i < c->n; i++) {
		const struct fcn_prefix *prefix = &c->route[i]->prefix;
		int nh = -1;

		if (from < b->n_sorted && fcn_prefix_equal(&b->sorted[from]->prefix, prefix)) {
			size_t to = end_of_paths(b, from);

			nh = add_paths(b, from, to);
			if (nh < 0)
				return -1;
			from = to;
		} else {
			nh = connected_next_hop(b->cfg, b->set, prefix);
		}
		if (!is_host_of_ours(b->cfg, prefix))
			add_route(b, prefix, nh);
	}
	return 0;
}

/* Gateways and groups of another set, with their numbers. */
static struct fcn_route_set *
copy_set(const struct fcn_route_set *from, const struct fcn_config *cfg, size_t more_members)
{
	static const struct fcn_kernel_routes none = {.n = 0};
	struct fcn_route_set *set = allocate(cfg, &none, from->gateway_room, from->group_room,
			from->n_members + more_members);

	if (set == NULL)
		return NULL;
	set->n_connected = from->n_connected;
	set->n_gateways = from->n_gateways;
	set->n_sorted = from->n_sorted;
	set->n_groups = from->n_groups;
	set->n_members = from->n_members;
	memcpy(set->connected, from->connected, from->n_connected * sizeof(*set->connected));
	memcpy(set->gateway, from->gateway, from->n_gateways * sizeof(*set->gateway));
	memcpy(set->group, from->group, from->n_groups * sizeof(*set->group));
	memcpy(set->member, from->member, from->n_members * sizeof(*set->member));
	return set;
}

static int
change(struct builder *b, const struct fcn_route_set *from, const struct changed *c)
{
	char unused[256];

	b->err = unused;
	b->err_size = sizeof(unused);
	if (collect_paths(b, c) != 0)
		return -1;
	b->set = copy_set(from, b->cfg, b->n_sorted);
	b->route = malloc((c->n + 1) * sizeof(*b->route));
	if (b->set == NULL || b->route == NULL || make_buckets(b) != 0)
		return -1;
	for (uint32_t i = 0; i < b->set->n_groups; i++)
		*find_bucket(b, &b->set->group[i]) = i + 1;
	return fill_changes(b, c);
}

#define IS_SAME(a, b, list)                                                                         \
	((a)->list.n == (b)->list.n &&                                                              \
			((a)->list.n == 0 || (a)->list.item == (b)->list.item ||                    \
					memcmp((a)->list.item, (b)->list.item,                      \
							(a)->list.n * sizeof((a)->list.item[0])) == \
							0))

/* Ports that routes of the kernel may go by. */
static bool
is_same_kernel(const struct fcn_config *a, const struct fcn_config *b)
{
	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
		const struct fcn_config_port *x = &a->port[p], *y = &b->port[p];

		if (x->kernel[0] == '\0' && y->kernel[0] == '\0')
			continue;
		if (strcmp(x->name, y->name) != 0 || strcmp(x->kernel, y->kernel) != 0 ||
				x->bridge != y->bridge)
			return false;
	}
	return true;
}

bool
fcn_route_set_is_same(const struct fcn_config *a, const struct fcn_config *b)
{
	/* Octets between members may differ where all is the same: then it is made anew. */
	return IS_SAME(a, b, addresses) && IS_SAME(a, b, routes) && IS_SAME(a, b, neighbours) &&
	       memcmp(&a->loopback, &b->loopback, sizeof(a->loopback)) == 0 && is_same_kernel(a, b);
}

struct fcn_route_set *
fcn_route_set_change(const struct fcn_route_set *set, const struct fcn_config *before,
		const struct fcn_config *cfg, const char *name, int socket)
{
	struct builder b = {.cfg = cfg};
	struct changed c = {.n = 0};
	struct difference d;
	bool done = false;

	if (!IS_SAME(before, cfg, addresses) || !IS_SAME(before, cfg, neighbours) ||
			memcmp(&before->loopback, &cfg->loopback, sizeof(cfg->loopback)) != 0)
		return NULL;
	d = compare_lists(before, cfg);
	if (d.n_was + d.n_is > RTE_MIN((size_t)MOST_CHANGES, cfg->routes.n / CHANGES_PART + 16))
		return NULL;
	c.route = malloc((d.n_was + d.n_is + 1) * sizeof(*c.route));
	if (c.route != NULL) {
		collect_changed(&c, &d);
		done = change(&b, set, &c) == 0;
	}
	if (done) {
		b.set->fib = fcn_fib_change(set->fib, name, b.route, b.n_routes, socket);
		done = b.set->fib != NULL;
	}
	free(c.route);
	free(b.route);
	free(b.sorted);
	free(b.bucket);
	if (!done) {
		fcn_route_set_release(b.set);
		return NULL;
	}
	return b.set;
}

void
fcn_route_set_release(struct fcn_route_set *set)
{
	if (set == NULL || --set->refs > 0)
		return;
	fcn_fib_free(set->fib);
	free(set->connected);
	free(set->gateway);
	free(set->group);
	free(set->member);
	free(set);
}
