/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <stdlib.h>
#include <string.h>

#include <rte_common.h>
#include <rte_jhash.h>

#include "fcn_kernel_store_private.h"

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
	if (n->there || n->refs > 0)
		return;
	fcn_kernel_hash_remove(&s->nexthops, &n->node);
	free(n->member);
	free(n);
}

static void
lose_nexthop(struct fcn_kernel_store *s, struct fcn_kernel_nexthop *n)
{
	n->there = false;
	s->n_nexthops--;
	fcn_kernel_nexthop_put(s, n);
}

static bool
is_same_nexthop(const struct fcn_kernel_nexthop *n, const struct fcn_rtnl_nexthop *said)
{
	return n->there && n->blackhole == said->blackhole && n->n_members == said->n_members &&
	       n->left_out == said->left_out &&
	       memcmp(&n->path, &said->path, sizeof(n->path)) == 0 &&
	       (n->n_members == 0 || memcmp(n->member, said->member,
						     n->n_members * sizeof(*n->member)) == 0);
}

enum fcn_kernel_effect
fcn_kernel_nexthop_apply(struct fcn_kernel_store *s, const struct fcn_rtnl *msg)
{
	const struct fcn_rtnl_nexthop *said = &msg->nexthop;
	struct fcn_rtnl_member *member = NULL;
	struct fcn_kernel_nexthop *n;

	if (msg->gone) {
		n = fcn_kernel_nexthop_find(s, said->id);
		if (n == NULL || !n->there)
			return FCN_KERNEL_NOTHING;
		/* Routes that had it go without a word, and its number may come again. */
		bool named = n->refs > 0;

		lose_nexthop(s, n);
		fcn_kernel_store_changed(s);
		return named ? FCN_KERNEL_UNCLEAR : FCN_KERNEL_CHANGED;
	}
	n = fcn_kernel_nexthop_get(s, said->id);
	if (n == NULL)
		return FCN_KERNEL_NOTHING;
	n->epoch = s->epoch;
	if (is_same_nexthop(n, said))
		return FCN_KERNEL_NOTHING;
	if (said->n_members > 0) {
		member = malloc(said->n_members * sizeof(*member));
		if (member == NULL) {
			s->full++;
			fcn_kernel_nexthop_put(s, n);
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
	return fcn_kernel_store_changed(s);
}

void
fcn_kernel_nexthop_sweep(struct fcn_kernel_store *s, bool all)
{
	struct fcn_kernel_node *node, *after;

	FCN_KERNEL_HASH_EACH(&s->nexthops, node, after)
	{
		struct fcn_kernel_nexthop *n = RTE_PTR_SUB(
				node, offsetof(struct fcn_kernel_nexthop, node));

		if (n->there && (all || n->epoch != s->epoch)) {
			lose_nexthop(s, n);
			fcn_kernel_store_changed(s);
		}
	}
}
