/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Steered prefixes of a set of routes. The route table leads their packets to the rules. A second
 * one without them leads the packets that match no rule. */

#include <stdlib.h>
#include <string.h>

#include "route_set_private.h"

/* Get the first rule of the table, and the number of its rules. */
static size_t
rules_of_table(const struct fcn_config *cfg, unsigned int table, size_t *n)
{
	const struct fcn_config_srv6_steering *rule = cfg->srv6.steering.item;
	size_t first = 0;

	while (first < cfg->srv6.steering.n && rule[first].table < table)
		first++;
	*n = 0;
	while (first + *n < cfg->srv6.steering.n && rule[first + *n].table == table)
		++*n;
	return first;
}

int
fcn_route_builder_count_steered(struct fcn_route_builder *b)
{
	const struct fcn_config_srv6_steering *rule = b->cfg->srv6.steering.item;
	struct fcn_route_set *set = b->set;
	size_t n, first = rules_of_table(b->cfg, b->table, &n);

	set->steered = calloc(n + 1, sizeof(*set->steered));
	set->rule_next_hop = calloc(n + 1, sizeof(*set->rule_next_hop));
	if (set->steered == NULL || set->rule_next_hop == NULL)
		return -1;
	for (size_t i = first; i < first + n; i++) {
		if (i == first || !fcn_prefix_equal(&rule[i].prefix, &rule[i - 1].prefix))
			set->steered[set->n_steered++].first = (uint32_t)i;
		set->steered[set->n_steered - 1].n++;
	}
	return 0;
}

int
fcn_route_builder_add_steered(struct fcn_route_builder *b)
{
	const struct fcn_config_srv6_steering *rule = b->cfg->srv6.steering.item;
	struct fcn_route_set *set = b->set;

	b->first_steered = b->n_routes;
	for (uint32_t i = 0; i < set->n_steered; i++) {
		const struct fcn_steered_prefix *s = &set->steered[i];

		for (uint32_t k = s->first; k < s->first + s->n; k++) {
			int nh = fcn_route_builder_policy(b, rule[k].policy);

			if (nh < 0)
				return -1;
			set->rule_next_hop[k - set->steered[0].first] = (uint32_t)nh;
		}
		fcn_route_builder_add(b, &rule[s->first].prefix, fcn_route_set_steered(set, i));
	}
	return 0;
}

int
fcn_route_builder_tables(struct fcn_route_builder *b, const char *name, int socket)
{
	struct fcn_route_set *set = b->set;
	struct fcn_fib_route *steered = &b->route[b->first_steered];

	set->fib = fcn_fib_create(name, b->route, b->n_routes, socket);
	if (set->fib == NULL || set->n_steered == 0)
		return set->fib == NULL ? -1 : 0;
	b->n_routes -= set->n_steered;
	memmove(steered, steered + set->n_steered,
			(b->n_routes - b->first_steered) * sizeof(*steered));
	set->normal = fcn_fib_create(name, b->route, b->n_routes, socket);
	return set->normal == NULL ? -1 : 0;
}

/* Tell whether a prefix has rules. The steered prefixes are sorted. */
static bool
is_steered(const struct fcn_route_builder *b, const struct fcn_prefix *prefix)
{
	const struct fcn_config_srv6_steering *rule = b->cfg->srv6.steering.item;
	uint32_t from = 0, to = b->set->n_steered;

	while (from < to) {
		const uint32_t middle = from + (to - from) / 2;
		const int d = fcn_prefix_compare(
				prefix, &rule[b->set->steered[middle].first].prefix);

		if (d == 0)
			return true;
		if (d < 0)
			to = middle;
		else
			from = middle + 1;
	}
	return false;
}

int
fcn_route_builder_change_tables(struct fcn_route_builder *b, const struct fcn_route_set *from,
		const char *name, int socket)
{
	struct fcn_route_set *set = b->set;
	size_t n = 0;

	if (set->n_steered > 0) {
		set->normal = fcn_fib_change(from->normal, name, b->route, b->n_routes, socket);
		if (set->normal == NULL)
			return -1;
		for (size_t i = 0; i < b->n_routes; i++) {
			if (!is_steered(b, &b->route[i].prefix))
				b->route[n++] = b->route[i];
		}
		b->n_routes = n;
	}
	set->fib = fcn_fib_change(from->fib, name, b->route, b->n_routes, socket);
	return set->fib == NULL ? -1 : 0;
}
