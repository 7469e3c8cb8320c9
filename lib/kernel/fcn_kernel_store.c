/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <stdlib.h>

#include "kernel_store_private.h"

struct fcn_kernel_store *
fcn_kernel_store_create(void)
{
	struct fcn_kernel_store *s = calloc(1, sizeof(*s));

	if (s == NULL || fcn_kernel_hash_init(&s->dests) != 0 ||
			fcn_kernel_hash_init(&s->nexthops) != 0 ||
			fcn_kernel_hash_init(&s->neighbours) != 0 ||
			fcn_kernel_hash_init(&s->links) != 0 ||
			fcn_kernel_hash_init(&s->addresses) != 0 ||
			fcn_kernel_pool_init(&s->lists, FCN_KERNEL_SERIAL) != 0 ||
			fcn_kernel_pool_init(&s->sids, FCN_KERNEL_SERIAL | FCN_KERNEL_SID_SERIAL) !=
					0) {
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
#define COPY(member, ...) .member = s->member,
	*counts = (struct fcn_kernel_counts){.routes = s->n_routes,
			.nexthops = s->n_nexthops,
			.neighbours = s->neighbours.n,
			.segment_lists = s->lists.hash.n,
			.sids = s->sids.hash.n,
			FCN_KERNEL_STORE_COUNTERS(COPY)};
#undef COPY
#define COPY(member, ...) counts->member = s->unusable[FCN_RTNL_UNUSABLE_##member];
	FCN_RTNL_UNUSABLE(COPY)
#undef COPY
	memcpy(counts->table_routes, s->n_table_routes, sizeof(counts->table_routes));
}

void
fcn_kernel_store_clear_counts(struct fcn_kernel_store *s)
{
	s->full = 0;
	s->segments_full = 0;
	s->sids_full = 0;
}

enum fcn_kernel_effect
fcn_kernel_store_apply(struct fcn_kernel_store *s, const struct fcn_rtnl *msg, bool dumped)
{
	switch (msg->kind) {
	case FCN_RTNL_ROUTE:
		return fcn_kernel_route_apply(s, msg, dumped);
	case FCN_RTNL_NEXTHOP:
		return fcn_kernel_nexthop_apply(s, msg);
	case FCN_RTNL_NEIGHBOUR:
		return fcn_kernel_neighbour_apply(s, msg);
	case FCN_RTNL_LINK:
		return fcn_kernel_link_apply(s, msg, dumped);
	case FCN_RTNL_ADDRESS:
		return fcn_kernel_address_apply(s, msg, dumped);
	default:
		return FCN_KERNEL_NOTHING;
	}
}

void
fcn_kernel_store_begin_sync(struct fcn_kernel_store *s)
{
	s->epoch++;
}

static uint32_t
sweep(struct fcn_kernel_store *s, enum fcn_kernel_sweep what)
{
	uint32_t n = fcn_kernel_route_sweep(s, what);

	n += fcn_kernel_nexthop_sweep(s, what);
	n += fcn_kernel_neighbour_sweep(s, what);
	n += fcn_kernel_address_sweep(s, what);
	fcn_kernel_link_sweep(s, what);
	return n;
}

uint32_t
fcn_kernel_store_end_sync(struct fcn_kernel_store *s, bool interrupted)
{
	uint32_t n = sweep(s, interrupted ? FCN_KERNEL_UNSAID_TWICE : FCN_KERNEL_UNSAID);

	s->ended_epoch = s->epoch;
	return n;
}

void
fcn_kernel_store_clear(struct fcn_kernel_store *s)
{
	sweep(s, FCN_KERNEL_ALL);
	s->links_full = false;
}

/* Free what is kept only until it has been reported. */
static void
forget_changes(struct fcn_kernel_store *s)
{
	struct fcn_kernel_changes changes;

	if (fcn_kernel_store_changes(s, &changes) == 0)
		fcn_kernel_changes_free(&changes);
}

void
fcn_kernel_store_free(struct fcn_kernel_store *s)
{
	if (s == NULL)
		return;
	if (s->dests.bucket != NULL && s->nexthops.bucket != NULL && s->neighbours.bucket != NULL &&
			s->links.bucket != NULL && s->addresses.bucket != NULL &&
			s->lists.hash.bucket != NULL && s->sids.hash.bucket != NULL) {
		fcn_kernel_store_clear(s);
		fcn_kernel_store_all_changed(s);
		forget_changes(s);
	}
	fcn_kernel_hash_fini(&s->dests);
	fcn_kernel_hash_fini(&s->nexthops);
	fcn_kernel_hash_fini(&s->neighbours);
	fcn_kernel_hash_fini(&s->links);
	fcn_kernel_hash_fini(&s->addresses);
	fcn_kernel_pool_fini(&s->lists);
	fcn_kernel_pool_fini(&s->sids);
	free(s->changed);
	free(s);
}

void
fcn_kernel_store_set_table(struct fcn_kernel_store *s, unsigned int table, uint32_t number)
{
	if (number == s->number[table])
		return;
	s->number[table] = number;
	fcn_kernel_route_clear(s, table);
	fcn_kernel_store_changed(s); /* local SIDs name tables by their numbers */
}

void
fcn_kernel_store_set_port(struct fcn_kernel_store *s, uint16_t port, uint32_t ifindex)
{
	if (s->ifindex[port] == ifindex)
		return;
	s->ifindex[port] = ifindex;
	fcn_kernel_store_all_changed(s);
}
