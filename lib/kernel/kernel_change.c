/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <stdlib.h>

#include <rte_common.h>

#include "kernel_store_private.h"

/* ---- recording of changes ---- */

/* Destinations in the list stay marked, and allocated, until everything has been reported. */
enum fcn_kernel_effect
fcn_kernel_store_all_changed(struct fcn_kernel_store *s)
{
	s->all_changed = true;
	s->n_changed = 0;
	return fcn_kernel_store_changed(s);
}

void
fcn_kernel_store_set_all_changed(struct fcn_kernel_store *s)
{
	fcn_kernel_store_all_changed(s);
}

static bool
has_room(struct fcn_kernel_store *s)
{
	struct fcn_kernel_dest **grown;
	size_t room;

	if (s->n_changed < s->changed_room)
		return true;
	room = RTE_MIN(2 * s->changed_room + 64, (size_t)FCN_KERNEL_MAX_CHANGES);
	grown = room > s->changed_room ? realloc(s->changed, room * sizeof(*grown)) : NULL;
	if (grown == NULL)
		return false;
	s->changed = grown;
	s->changed_room = room;
	return true;
}

enum fcn_kernel_effect
fcn_kernel_dest_changed(struct fcn_kernel_store *s, struct fcn_kernel_dest *d)
{
	if (s->all_changed || d->changed) {
		fcn_kernel_dest_put(s, d);
		return fcn_kernel_store_changed(s);
	}
	if (!has_room(s)) {
		fcn_kernel_store_all_changed(s);
		fcn_kernel_dest_put(s, d);
		return FCN_KERNEL_CHANGED;
	}
	d->changed = true;
	s->changed[s->n_changed++] = d;
	return fcn_kernel_store_changed(s);
}

/* ---- reporting of changes ---- */

/* Mark the groups of which a member has changed as changed. */
static void
mark_groups(struct fcn_kernel_store *s)
{
	struct fcn_kernel_node *node, *after;

	FCN_KERNEL_HASH_EACH(&s->nexthops, node, after)
	{
		struct fcn_kernel_nexthop *n = RTE_PTR_SUB(
				node, offsetof(struct fcn_kernel_nexthop, node));

		for (unsigned int i = 0; i < n->n_members && !n->changed; i++) {
			const struct fcn_kernel_nexthop *m = fcn_kernel_nexthop_find(
					s, n->member[i].id);

			n->changed = m != NULL && m->changed;
		}
	}
}

static bool
is_changed_nexthop_used(const struct fcn_kernel_store *s)
{
	struct fcn_kernel_node *node, *after;

	FCN_KERNEL_HASH_EACH(&s->nexthops, node, after)
	{
		const struct fcn_kernel_nexthop *n = RTE_PTR_SUB(
				node, offsetof(struct fcn_kernel_nexthop, node));

		if (n->changed && n->refs > 0)
			return true;
	}
	return false;
}

static void
mark_routes_of_nexthops(struct fcn_kernel_store *s)
{
	struct fcn_kernel_node *node, *after;

	FCN_KERNEL_HASH_EACH(&s->dests, node, after)
	{
		struct fcn_kernel_dest *d = RTE_PTR_SUB(
				node, offsetof(struct fcn_kernel_dest, node));
		const struct fcn_kernel_nexthop *n = NULL;

		if (d->routes != NULL && d->routes->nexthop != 0)
			n = fcn_kernel_nexthop_find(s, d->routes->nexthop);
		if (n != NULL && n->changed)
			fcn_kernel_dest_changed(s, d);
		if (s->all_changed)
			return;
	}
}

static void
forget_nexthops(struct fcn_kernel_store *s)
{
	struct fcn_kernel_node *node, *after;

	FCN_KERNEL_HASH_EACH(&s->nexthops, node, after)
	{
		struct fcn_kernel_nexthop *n = RTE_PTR_SUB(
				node, offsetof(struct fcn_kernel_nexthop, node));

		n->changed = false;
		fcn_kernel_nexthop_put(s, n);
	}
	s->nexthops_changed = false;
}

static int
report_all(struct fcn_kernel_store *s, struct fcn_kernel_changes *c)
{
	struct fcn_kernel_node *node, *after;

	if (fcn_kernel_store_paths(s, &c->path, &c->n_paths, &s->left_out) != 0)
		return -ENOMEM;
	FCN_KERNEL_HASH_EACH(&s->dests, node, after)
	{
		struct fcn_kernel_dest *d = RTE_PTR_SUB(
				node, offsetof(struct fcn_kernel_dest, node));

		d->left_out = fcn_kernel_dest_left_out(s, d);
		d->changed = false;
		fcn_kernel_dest_put(s, d);
	}
	c->all = true;
	s->all_changed = false;
	return 0;
}

static int
report_changed(struct fcn_kernel_store *s, struct fcn_kernel_changes *c)
{
	struct fcn_kernel_listing l = {.store = s};

	c->prefix = malloc((s->n_changed + 1) * sizeof(*c->prefix));
	if (c->prefix == NULL)
		return -ENOMEM;
	if (s->n_changed > 0)
		qsort(s->changed, s->n_changed, sizeof(*s->changed), fcn_kernel_dest_compare);
	for (size_t i = 0; i < s->n_changed; i++) {
		c->prefix[c->n_prefixes++] = (struct fcn_kernel_prefix){
				s->changed[i]->prefix, s->changed[i]->table};
		fcn_kernel_listing_add(&l, s->changed[i]);
	}
	c->path = l.item;
	c->n_paths = l.n;
	if (l.failed)
		return -ENOMEM;
	for (size_t i = 0; i < s->n_changed; i++) {
		struct fcn_kernel_dest *d = s->changed[i];

		s->left_out -= d->left_out;
		d->left_out = fcn_kernel_dest_left_out(s, d);
		s->left_out += d->left_out;
		d->changed = false;
		fcn_kernel_dest_put(s, d);
	}
	s->n_changed = 0;
	return 0;
}

int
fcn_kernel_store_changes(struct fcn_kernel_store *s, struct fcn_kernel_changes *c)
{
	int rc;

	*c = (struct fcn_kernel_changes){.all = false};
	if (s->nexthops_changed && !s->all_changed) {
		mark_groups(s);
		if (is_changed_nexthop_used(s))
			mark_routes_of_nexthops(s);
	}
	rc = s->all_changed ? report_all(s, c) : report_changed(s, c);
	if (rc != 0) {
		fcn_kernel_changes_free(c);
		s->all_changed = true;
		s->n_changed = 0;
		return rc;
	}
	if (s->nexthops_changed)
		forget_nexthops(s);
	c->left_out = s->left_out;
	return 0;
}

void
fcn_kernel_changes_free(struct fcn_kernel_changes *c)
{
	free(c->prefix);
	free(c->path);
	*c = (struct fcn_kernel_changes){.all = false};
}
