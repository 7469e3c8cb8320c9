/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <stdlib.h>
#include <string.h>

#include <rte_common.h>

#include "fcn_kernel_list.h"
#include "fcn_next_hop.h"
#include "route_set_private.h"

/* With more changes than this, or than this part of all routes, building the whole set is as cheap.
 */
#define MOST_CHANGES 4096
#define CHANGES_PART 8

/* The part in which two lists of routes differ: all in front of it and behind it is the same. */
struct difference {
	const struct fcn_config_route *was, *is;
	size_t n_was, n_is;
};

static struct difference
compare_lists(const struct fcn_config *before, const struct fcn_config *cfg)
{
	struct difference d = {
			before->routes.item, cfg->routes.item, before->routes.n, cfg->routes.n};

	if (d.was == d.is) { /* The lists are shared, so neither was changed. */
		d.n_was = d.n_is = 0;
		return d;
	}
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

/* Prefixes whose paths may have changed. The filter excludes most others quickly. */
struct changed {
	const struct fcn_prefix **prefix; /* sorted */
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

static int
compare_prefixes(const void *a, const void *b)
{
	return fcn_prefix_compare(
			*(const struct fcn_prefix *const *)a, *(const struct fcn_prefix *const *)b);
}

static void
collect_changed(struct changed *c, const struct difference *d,
		const struct fcn_kernel_routes *kernel, unsigned int table)
{
	size_t n = 0;

	for (size_t i = 0; i < d->n_was; i++) {
		if (d->was[i].table == table)
			c->prefix[c->n++] = &d->was[i].prefix;
	}
	for (size_t i = 0; i < d->n_is; i++) {
		if (d->is[i].table == table)
			c->prefix[c->n++] = &d->is[i].prefix;
	}
	for (size_t i = 0; i < kernel->n_changed; i++)
		c->prefix[c->n++] = &kernel->changed[i].prefix;
	qsort(c->prefix, c->n, sizeof(c->prefix[0]), compare_prefixes);
	for (size_t i = 0; i < c->n; i++) {
		uint32_t bit = filter_bit(c, c->prefix[i]);

		if (n > 0 && fcn_prefix_compare(c->prefix[n - 1], c->prefix[i]) == 0)
			continue;
		c->prefix[n++] = c->prefix[i];
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
		int d = fcn_prefix_compare(c->prefix[middle], prefix);

		if (d == 0)
			return true;
		if (d < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return false;
}

/* Collect all configured paths to the changed prefixes, sorted. @return 0; -1 when memory is
 * exhausted */
static int
collect_paths(struct fcn_route_builder *b, const struct changed *c)
{
	size_t room = 0;

	for (size_t i = 0; i < b->cfg->routes.n; i++) {
		const struct fcn_config_route *r = &b->cfg->routes.item[i];
		const struct fcn_config_route **grown;

		if (r->table != b->table || !is_changed(c, &r->prefix))
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
		qsort(b->sorted, b->n_sorted, sizeof(b->sorted[0]), fcn_route_compare);
	return 0;
}

/* Tell whether a prefix is that of a configured neighbour, a local SID or an own address. Their
 * routes have priority over configured routes, so these change nothing. */
static bool
is_host_of_ours(const struct fcn_route_builder *b, const struct fcn_prefix *prefix)
{
	const struct fcn_config *cfg = b->cfg;

	for (size_t i = 0; i < b->set->n_sids; i++) {
		if (fcn_prefix_equal(&cfg->srv6.sids.item[i].prefix, prefix))
			return true;
	}
	if (prefix->len != (prefix->addr.version == 6 ? 128 : 32))
		return false;
	for (size_t i = 0; i < cfg->addresses.n; i++) {
		if (fcn_addr_equal(&cfg->addresses.item[i].prefix.addr, &prefix->addr) &&
				fcn_config_is_in_table(cfg, cfg->addresses.item[i].port, b->table))
			return true;
	}
	for (size_t i = 0; i < cfg->neighbours.n; i++) {
		if (!fcn_route_is_link_local(&prefix->addr) &&
				fcn_addr_equal(&cfg->neighbours.item[i].addr, &prefix->addr) &&
				fcn_config_is_in_table(cfg, cfg->neighbours.item[i].port, b->table))
			return true;
	}
	for (size_t i = 0; i < b->kernel->n_own; i++) {
		if (b->kernel->own[i].table == b->table &&
				fcn_addr_equal(&b->kernel->own[i].addr, &prefix->addr))
			return true;
	}
	return b->table == FCN_TABLE_MAIN &&
	       (fcn_addr_equal(&cfg->loopback, &prefix->addr) ||
			       fcn_addr_equal(&cfg->loopback4, &prefix->addr));
}

/* Get the next hop of a prefix without configured paths: a connected network, or else that of the
 * kernel's paths. @return -1: there is no room */
static int
other_next_hop(struct fcn_route_builder *b, const struct fcn_prefix *prefix)
{
	const struct fcn_config *cfg = b->cfg;
	const struct fcn_kernel_prefix key = {*prefix, (uint8_t)b->table};
	const struct fcn_kernel_path *path;
	size_t n;

	for (size_t i = cfg->addresses.n; i-- > 0;) {
		struct fcn_prefix p = cfg->addresses.item[i].prefix;

		fcn_prefix_normalise(&p);
		if (fcn_prefix_equal(&p, prefix) &&
				fcn_config_is_in_table(cfg, cfg->addresses.item[i].port, b->table))
			return fcn_route_set_connected(b->set, i);
	}
	path = fcn_kernel_list_find(b->kernel->path, b->kernel->n, &key, &n);
	return path != NULL ? fcn_route_builder_kernel(b, path, n) : FCN_FIB_NO_ROUTE;
}

/* Find the new next hop of each changed prefix. @return 0; -1: there is no room */
static int
fill_changes(struct fcn_route_builder *b, const struct changed *c)
{
	size_t from = 0;

	for (size_t i = 0; i < c->n; i++) {
		const struct fcn_prefix *prefix = c->prefix[i];
		int nh;

		if (from < b->n_sorted && fcn_prefix_equal(&b->sorted[from]->prefix, prefix)) {
			size_t to = fcn_route_builder_end_of_paths(b, from);

			nh = fcn_route_builder_paths(b, from, to);
			from = to;
		} else {
			nh = other_next_hop(b, prefix);
		}
		if (nh < 0)
			return -1;
		if (!is_host_of_ours(b, prefix))
			fcn_route_builder_add(b, prefix, nh);
	}
	return 0;
}

static uint32_t
n_rules(const struct fcn_route_set *set)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < set->n_steered; i++)
		n += set->steered[i].n;
	return n;
}

/* Copy a set without its route table. Gateways and groups keep their indices. */
static struct fcn_route_set *
copy_set(const struct fcn_route_set *from, const struct fcn_config *cfg, size_t more_members)
{
	struct fcn_route_set *set = fcn_route_set_allocate(
			cfg, from->gateway_room, from->group_room, from->n_members + more_members);

	if (set == NULL)
		return NULL;
	set->steered = calloc(from->n_steered + 1, sizeof(*set->steered));
	set->rule_next_hop = calloc(n_rules(from) + 1, sizeof(*set->rule_next_hop));
	if (set->steered == NULL || set->rule_next_hop == NULL) {
		fcn_route_set_release(set);
		return NULL;
	}
	memcpy(set->steered, from->steered, from->n_steered * sizeof(*set->steered));
	memcpy(set->rule_next_hop, from->rule_next_hop,
			n_rules(from) * sizeof(*set->rule_next_hop));
	set->n_steered = from->n_steered;
	set->is_changed = true;
	set->table = from->table;
	set->n_connected = from->n_connected;
	set->n_sids = from->n_sids;
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
change(struct fcn_route_builder *b, const struct fcn_route_set *from, const struct changed *c)
{
	char unused[256];

	b->err = unused;
	b->err_size = sizeof(unused);
	if (collect_paths(b, c) != 0)
		return -1;
	b->set = copy_set(from, b->cfg, b->n_sorted + c->n * FCN_NEXT_HOP_MAX_SLOTS);
	b->route = malloc((c->n + 1) * sizeof(*b->route));
	if (b->set == NULL || b->route == NULL || fcn_route_builder_make_buckets(b) != 0)
		return -1;
	for (uint32_t i = 0; i < b->set->n_groups; i++)
		*fcn_route_builder_bucket(b, &b->set->group[i]) = i + 1;
	return fill_changes(b, c);
}

#define IS_SAME(a, b, list)                                                                         \
	((a)->list.n == (b)->list.n &&                                                              \
			((a)->list.n == 0 || (a)->list.item == (b)->list.item ||                    \
					memcmp((a)->list.item, (b)->list.item,                      \
							(a)->list.n * sizeof((a)->list.item[0])) == \
							0))

/* Tell whether routes of the kernel can go by the same ports in both configurations. */
static bool
is_same_kernel(const struct fcn_config *a, const struct fcn_config *b)
{
	for (unsigned int p = 0; p < RTE_MAX(a->n_ports, b->n_ports); p++) {
		const struct fcn_config_port *x = &a->port[p], *y = &b->port[p];

		if (x->kernel[0] == '\0' && y->kernel[0] == '\0')
			continue;
		if (strcmp(x->name, y->name) != 0 || strcmp(x->kernel, y->kernel) != 0 ||
				x->bridge != y->bridge)
			return false;
	}
	return true;
}

/* Tell whether all ports belong to the same tables in both configurations. */
static bool
is_same_tables(const struct fcn_config *a, const struct fcn_config *b)
{
	for (unsigned int p = 0; p < RTE_MAX(a->n_ports, b->n_ports); p++) {
		if (fcn_config_port_table(a, p) != fcn_config_port_table(b, p))
			return false;
	}
	return true;
}

bool
fcn_route_set_is_same(const struct fcn_config *a, const struct fcn_config *b)
{
	/* Padding may differ between equal elements. Then the set is built again, which does no
	 * harm. */
	return IS_SAME(a, b, addresses) && IS_SAME(a, b, routes) && IS_SAME(a, b, neighbours) &&
	       IS_SAME(a, b, srv6.sids) && IS_SAME(a, b, srv6.segments) &&
	       IS_SAME(a, b, srv6.steering) &&
	       memcmp(&a->loopback, &b->loopback, sizeof(a->loopback)) == 0 &&
	       memcmp(&a->loopback4, &b->loopback4, sizeof(a->loopback4)) == 0 &&
	       is_same_kernel(a, b) && is_same_tables(a, b);
}

/* Count the routes of a table in the part in which two lists differ. */
static size_t
count_of_table(const struct difference *d, unsigned int table)
{
	size_t n = 0;

	for (size_t i = 0; i < d->n_was; i++)
		n += d->was[i].table == table;
	for (size_t i = 0; i < d->n_is; i++)
		n += d->is[i].table == table;
	return n;
}

struct fcn_route_set *
fcn_route_set_change(struct fcn_route_set *set, const struct fcn_config *before,
		const struct fcn_config *cfg, const struct fcn_kernel_routes *kernel,
		const char *name, int socket)
{
	struct fcn_route_builder b = {.cfg = cfg, .table = set->table, .kernel = kernel};
	size_t most = (cfg->routes.n + kernel->n) / CHANGES_PART + 16;
	struct changed c = {.n = 0};
	struct difference d;
	bool done = false;
	size_t n_changed;

	if (!IS_SAME(before, cfg, addresses) || !IS_SAME(before, cfg, neighbours) ||
			!IS_SAME(before, cfg, srv6.sids) || !IS_SAME(before, cfg, srv6.segments) ||
			!IS_SAME(before, cfg, srv6.steering) ||
			memcmp(&before->loopback, &cfg->loopback, sizeof(cfg->loopback)) != 0 ||
			memcmp(&before->loopback4, &cfg->loopback4, sizeof(cfg->loopback4)) != 0 ||
			!is_same_kernel(before, cfg) || !is_same_tables(before, cfg))
		return NULL;
	d = compare_lists(before, cfg);
	n_changed = count_of_table(&d, set->table) + kernel->n_changed;
	if (n_changed == 0) {
		set->refs++;
		return set;
	}
	if (n_changed > RTE_MIN((size_t)MOST_CHANGES, most))
		return NULL;
	c.prefix = malloc((n_changed + 1) * sizeof(*c.prefix));
	if (c.prefix != NULL) {
		collect_changed(&c, &d, kernel, set->table);
		done = change(&b, set, &c) == 0;
	}
	if (done)
		done = fcn_route_builder_change_tables(&b, set, name, socket) == 0;
	free(c.prefix);
	free(b.route);
	free(b.sorted);
	free(b.bucket);
	if (!done) {
		fcn_route_set_release(b.set);
		return NULL;
	}
	return b.set;
}
