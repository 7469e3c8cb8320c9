/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <stdlib.h>
#include <string.h>

#include <rte_common.h>
#include <rte_jhash.h>

#include "kernel_store_private.h"

struct fcn_kernel_nexthop *
fcn_kernel_nexthop_find(const struct fcn_kernel_store *s, uint32_t id)
{
	uint32_t hash = rte_jhash_1word(id, 0);
	struct fcn_kernel_node *node = fcn_kernel_hash_first(&s->nexthops, hash);

	for (; node != NULL; node = node->next) {
		struct fcn_kernel_nexthop *n = RTE_PTR_SUB(
				node, offsetof(struct fcn_kernel_nexthop, node));

		if (n->id == id)
			return n;
	}
	return NULL;
}

struct fcn_kernel_nexthop *
fcn_kernel_nexthop_get(struct fcn_kernel_store *s, uint32_t id)
{
	struct fcn_kernel_nexthop *n = fcn_kernel_nexthop_find(s, id);

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

void
fcn_kernel_nexthop_put(struct fcn_kernel_store *s, struct fcn_kernel_nexthop *n)
{
	if (n->there || n->refs > 0 || n->changed)
		return;
	fcn_kernel_hash_remove(&s->nexthops, &n->node);
	free(n->member);
	free(n);
}

static enum fcn_kernel_effect
nexthop_changed(struct fcn_kernel_store *s, struct fcn_kernel_nexthop *n)
{
	n->changed = true;
	s->nexthops_changed = true;
	return fcn_kernel_store_changed(s);
}

static void
lose_nexthop(struct fcn_kernel_store *s, struct fcn_kernel_nexthop *n)
{
	fcn_kernel_path_unref(s, &n->path);
	n->there = false;
	s->n_nexthops--;
	nexthop_changed(s, n);
}

static bool
are_same_members(const struct fcn_kernel_nexthop *n, const struct fcn_rtnl_nexthop *reported)
{
	for (unsigned int i = 0; i < n->n_members; i++) {
		if (n->member[i].id != reported->member[i].id ||
				n->member[i].weight != reported->member[i].weight)
			return false;
	}
	return true;
}

static bool
is_same_nexthop(const struct fcn_kernel_nexthop *n, const struct fcn_rtnl_nexthop *reported)
{
	return n->there && n->blackhole == reported->blackhole &&
	       n->n_members == reported->n_members && n->left_out == reported->left_out &&
	       fcn_rtnl_path_compare(&n->path, &reported->path) == 0 &&
	       are_same_members(n, reported);
}

enum fcn_kernel_effect
fcn_kernel_nexthop_apply(struct fcn_kernel_store *s, const struct fcn_rtnl *msg)
{
	const struct fcn_rtnl_nexthop *reported = &msg->nexthop;
	struct fcn_rtnl_member *member = NULL;
	struct fcn_rtnl_path path = reported->path;
	struct fcn_kernel_nexthop *n;

	if (msg->gone) {
		n = fcn_kernel_nexthop_find(s, reported->id);
		if (n == NULL || !n->there)
			return FCN_KERNEL_SAME;
		/*
		 * The kernel removes the routes that use it without a notification, and its id can
		 * be used again.
		 */
		bool named = n->refs > 0;

		lose_nexthop(s, n);
		return named ? FCN_KERNEL_UNCLEAR : FCN_KERNEL_CHANGED;
	}
	n = fcn_kernel_nexthop_get(s, reported->id);
	if (n == NULL)
		return FCN_KERNEL_NOTHING;
	n->epoch = s->epoch;
	if (is_same_nexthop(n, reported))
		return FCN_KERNEL_SAME;
	if (!fcn_kernel_path_ref(s, NULL, &path)) {
		fcn_kernel_nexthop_put(s, n);
		return FCN_KERNEL_NOTHING;
	}
	if (reported->n_members > 0) {
		member = malloc(reported->n_members * sizeof(*member));
		if (member == NULL) {
			s->full++;
			fcn_kernel_path_unref(s, &path);
			fcn_kernel_nexthop_put(s, n);
			return FCN_KERNEL_NOTHING;
		}
		memcpy(member, reported->member, reported->n_members * sizeof(*member));
	}
	free(n->member);
	n->member = member;
	n->n_members = reported->n_members;
	n->left_out = reported->left_out;
	n->blackhole = reported->blackhole;
	if (n->there)
		fcn_kernel_path_unref(s, &n->path);
	else
		s->n_nexthops++;
	n->path = path;
	n->there = true;
	return nexthop_changed(s, n);
}

uint32_t
fcn_kernel_nexthop_sweep(struct fcn_kernel_store *s, enum fcn_kernel_sweep what)
{
	struct fcn_kernel_node *node, *after;
	uint32_t n_gone = 0;

	FCN_KERNEL_HASH_EACH(&s->nexthops, node, after)
	{
		struct fcn_kernel_nexthop *n = RTE_PTR_SUB(
				node, offsetof(struct fcn_kernel_nexthop, node));

		if (n->there && fcn_kernel_store_is_stale(s, n->epoch, what)) {
			lose_nexthop(s, n);
			n_gone++;
		}
	}
	return n_gone;
}
