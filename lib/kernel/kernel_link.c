/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <stdlib.h>

#include <rte_common.h>
#include <rte_jhash.h>

#include "kernel_store_private.h"

/*
 * Interfaces are tracked because the kernel removes routes and nexthop objects of an interface that
 * loses its carrier or goes down, without a notification for each. If any path uses the interface,
 * the table has to be read again.
 */

struct fcn_kernel_link *
fcn_kernel_link_find(const struct fcn_kernel_store *s, uint32_t ifindex)
{
	struct fcn_kernel_node *node = fcn_kernel_hash_first(
			&s->links, rte_jhash_1word(ifindex, 0));

	for (; node != NULL; node = node->next) {
		struct fcn_kernel_link *l = RTE_PTR_SUB(
				node, offsetof(struct fcn_kernel_link, node));

		if (l->ifindex == ifindex)
			return l;
	}
	return NULL;
}

static struct fcn_kernel_link *
get_link(struct fcn_kernel_store *s, uint32_t ifindex)
{
	struct fcn_kernel_link *l = fcn_kernel_link_find(s, ifindex);

	if (l != NULL)
		return l;
	l = s->links.n < FCN_KERNEL_MAX_LINKS ? calloc(1, sizeof(*l)) : NULL;
	if (l == NULL) {
		s->full++;
		s->links_full = true;
		return NULL;
	}
	l->ifindex = ifindex;
	fcn_kernel_hash_add(&s->links, &l->node, rte_jhash_1word(ifindex, 0));
	return l;
}

static void
put_link(struct fcn_kernel_store *s, struct fcn_kernel_link *l)
{
	if (l->there || l->refs > 0)
		return;
	fcn_kernel_hash_remove(&s->links, &l->node);
	free(l);
}

void
fcn_kernel_link_ref(struct fcn_kernel_store *s, uint32_t ifindex)
{
	struct fcn_kernel_link *l = ifindex != 0 ? get_link(s, ifindex) : NULL;

	if (l != NULL)
		l->refs++;
}

void
fcn_kernel_link_unref(struct fcn_kernel_store *s, uint32_t ifindex)
{
	struct fcn_kernel_link *l = ifindex != 0 ? fcn_kernel_link_find(s, ifindex) : NULL;

	if (l == NULL || l->refs == 0) /* the table of interfaces was full */
		return;
	l->refs--;
	put_link(s, l);
}

bool
fcn_kernel_link_is_used(const struct fcn_kernel_store *s, uint32_t ifindex)
{
	const struct fcn_kernel_link *l = fcn_kernel_link_find(s, ifindex);

	return s->links_full || (l != NULL && l->refs > 0) ||
	       fcn_kernel_store_port(s, ifindex) >= 0;
}

/*
 * State of an interface that affects its routes, in one number. A change of any part of it counts.
 */
static uint32_t
state_of(const struct fcn_rtnl_link *reported)
{
	return reported->up | reported->running << 1 | reported->carrier << 2 |
	       reported->operstate << 8;
}

/* An interface is not there any more, and neither are its addresses. */
static void
set_gone(struct fcn_kernel_store *s, struct fcn_kernel_link *l)
{
	if (l->there && l->is_own)
		fcn_kernel_store_changed(s);
	l->there = false;
	l->is_own = false;
	l->vrf_table = 0;
}

/* Store whether an interface has addresses of the node itself, and in which tables. */
static void
set_own(struct fcn_kernel_store *s, struct fcn_kernel_link *l, const struct fcn_rtnl_link *reported)
{
	if (l->is_own == reported->is_own && l->vrf_table == reported->vrf_table &&
			l->master == reported->master)
		return;
	if (l->is_own || reported->is_own)
		fcn_kernel_store_changed(s);
	l->is_own = reported->is_own;
	l->vrf_table = reported->vrf_table;
	l->master = reported->master;
}

enum fcn_kernel_effect
fcn_kernel_link_apply(struct fcn_kernel_store *s, const struct fcn_rtnl *msg, bool dumped)
{
	const struct fcn_rtnl_link *reported = &msg->link;
	bool used = fcn_kernel_link_is_used(s, reported->ifindex), changed;
	struct fcn_kernel_link *l;

	if (msg->gone) {
		l = fcn_kernel_link_find(s, reported->ifindex);
		changed = l == NULL || l->there;
		if (l != NULL) {
			set_gone(s, l);
			put_link(s, l);
		}
	} else {
		l = get_link(s, reported->ifindex);
		changed = l == NULL || !l->there || l->state != state_of(reported);
		if (l != NULL) {
			l->there = true;
			l->state = state_of(reported);
			l->epoch = s->epoch;
			set_own(s, l, reported);
		}
	}
	/* With a dump, the whole table is being read anyway. */
	return used && changed && !dumped ? FCN_KERNEL_UNCLEAR : FCN_KERNEL_NOTHING;
}

void
fcn_kernel_link_sweep(struct fcn_kernel_store *s, enum fcn_kernel_sweep what)
{
	struct fcn_kernel_node *node, *after;

	FCN_KERNEL_HASH_EACH(&s->links, node, after)
	{
		struct fcn_kernel_link *l = RTE_PTR_SUB(
				node, offsetof(struct fcn_kernel_link, node));

		if (fcn_kernel_store_is_stale(s, l->epoch, what))
			set_gone(s, l);
		put_link(s, l);
	}
}
