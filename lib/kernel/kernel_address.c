/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Addresses of interfaces. Those of loopback, VRF and dummy devices are the node's own: a switch
 * receives packets to them by any of its ports.
 */

#include <errno.h>
#include <stdlib.h>

#include <rte_common.h>
#include <rte_jhash.h>

#include "kernel_store_private.h"

struct address {
	struct fcn_kernel_node node;
	uint32_t epoch;
	uint32_t ifindex;
	struct fcn_addr addr;
};

static uint32_t
hash_address(uint32_t ifindex, const struct fcn_addr *addr)
{
	uint32_t words[sizeof(addr->bytes) / sizeof(uint32_t)];

	memcpy(words, addr->bytes, sizeof(words));
	return rte_jhash_32b(words, RTE_DIM(words), ifindex);
}

static struct address *
find_address(const struct fcn_kernel_store *s, const struct fcn_rtnl_address *reported)
{
	struct fcn_kernel_node *node = fcn_kernel_hash_first(
			&s->addresses, hash_address(reported->ifindex, &reported->addr));

	for (; node != NULL; node = node->next) {
		struct address *a = RTE_PTR_SUB(node, offsetof(struct address, node));

		if (a->ifindex == reported->ifindex && fcn_addr_equal(&a->addr, &reported->addr))
			return a;
	}
	return NULL;
}

static void
remove_address(struct fcn_kernel_store *s, struct address *a)
{
	fcn_kernel_hash_remove(&s->addresses, &a->node);
	free(a);
}

static bool
is_own(const struct fcn_kernel_store *s, uint32_t ifindex)
{
	const struct fcn_kernel_link *l = fcn_kernel_link_find(s, ifindex);

	return l != NULL && l->is_own;
}

/* Store an address, or remove it. @return whether an address of the node itself has changed */
static bool
store(struct fcn_kernel_store *s, const struct fcn_rtnl *msg)
{
	const struct fcn_rtnl_address *reported = &msg->address;
	struct address *a = find_address(s, reported);

	if (msg->gone) {
		if (a == NULL)
			return false;
		remove_address(s, a);
	} else if (a != NULL) {
		a->epoch = s->epoch;
		return false;
	} else {
		a = s->addresses.n < FCN_KERNEL_MAX_ADDRESSES ? calloc(1, sizeof(*a)) : NULL;
		if (a == NULL) {
			s->full++;
			return false;
		}
		a->ifindex = reported->ifindex;
		a->addr = reported->addr;
		a->epoch = s->epoch;
		fcn_kernel_hash_add(&s->addresses, &a->node,
				hash_address(reported->ifindex, &reported->addr));
	}
	return is_own(s, reported->ifindex);
}

/*
 * The kernel removes IPv4 routes without a notification when the address is removed that makes them
 * connected or that is their source address, on any interface.
 */
enum fcn_kernel_effect
fcn_kernel_address_apply(struct fcn_kernel_store *s, const struct fcn_rtnl *msg, bool dumped)
{
	const struct fcn_rtnl_address *reported = &msg->address;
	const bool concerns = fcn_kernel_link_is_used(s, reported->ifindex) ||
			      (reported->addr.version == 4 && s->n_sources > 0);
	const bool changed = store(s, msg);

	if (changed)
		fcn_kernel_store_changed(s);
	if (msg->gone && concerns && !dumped)
		return FCN_KERNEL_UNCLEAR;
	return changed ? FCN_KERNEL_CHANGED : FCN_KERNEL_NOTHING;
}

uint32_t
fcn_kernel_address_sweep(struct fcn_kernel_store *s, enum fcn_kernel_sweep what)
{
	struct fcn_kernel_node *node, *after;
	uint32_t n_gone = 0;

	FCN_KERNEL_HASH_EACH(&s->addresses, node, after)
	{
		struct address *a = RTE_PTR_SUB(node, offsetof(struct address, node));

		if (!fcn_kernel_store_is_stale(s, a->epoch, what))
			continue;
		if (is_own(s, a->ifindex)) {
			fcn_kernel_store_changed(s);
			n_gone++;
		}
		remove_address(s, a);
	}
	return n_gone;
}

/* Get the number of the VRF's table that an interface belongs to; 0: it belongs to no VRF. */
static uint32_t
vrf_of(const struct fcn_kernel_store *s, const struct fcn_kernel_link *l)
{
	const struct fcn_kernel_link *master;

	if (l->vrf_table != 0)
		return l->vrf_table;
	master = l->master != 0 ? fcn_kernel_link_find(s, l->master) : NULL;
	return master != NULL ? master->vrf_table : 0;
}

static bool
is_table_of_vrf(const struct fcn_kernel_store *s, uint32_t number)
{
	struct fcn_kernel_node *node, *after;

	FCN_KERNEL_HASH_EACH(&s->links, node, after)
	{
		const struct fcn_kernel_link *l = RTE_PTR_SUB(
				node, offsetof(struct fcn_kernel_link, node));

		if (l->there && l->vrf_table == number)
			return true;
	}
	return false;
}

/* Whether a switch can have an address: it is a station's, and reachable from elsewhere. */
static bool
is_reachable(const struct fcn_addr *addr)
{
	return fcn_addr_why_no_host(addr) == NULL && !fcn_addr_is_link_local(addr);
}

static int
compare_own(const void *va, const void *vb)
{
	const struct fcn_kernel_own *a = va, *b = vb;

	if (a->table != b->table)
		return a->table - b->table;
	if (a->addr.version != b->addr.version)
		return a->addr.version - b->addr.version;
	return memcmp(a->addr.bytes, b->addr.bytes, sizeof(a->addr.bytes));
}

/* Keep the first ones of a sorted list, each once. @return their number */
static size_t
keep_some(struct fcn_kernel_own *list, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n && kept < FCN_KERNEL_MAX_OWN; i++) {
		if (kept == 0 || compare_own(&list[kept - 1], &list[i]) != 0)
			list[kept++] = list[i];
	}
	return kept;
}

int
fcn_kernel_store_own(const struct fcn_kernel_store *s, struct fcn_kernel_own **list, size_t *n)
{
	struct fcn_kernel_node *node, *after;
	bool of_vrf[FCN_MAX_TABLES];
	struct fcn_kernel_own *item;
	size_t n_items = 0;

	item = calloc((size_t)s->addresses.n * FCN_MAX_TABLES + 1, sizeof(*item));
	if (item == NULL)
		return -ENOMEM;
	for (unsigned int t = 0; t < FCN_MAX_TABLES; t++)
		of_vrf[t] = s->number[t] != 0 && is_table_of_vrf(s, s->number[t]);
	FCN_KERNEL_HASH_EACH(&s->addresses, node, after)
	{
		const struct address *a = RTE_PTR_SUB(node, offsetof(struct address, node));
		const struct fcn_kernel_link *l = fcn_kernel_link_find(s, a->ifindex);
		uint32_t vrf;

		if (l == NULL || !l->is_own || !is_reachable(&a->addr))
			continue;
		vrf = vrf_of(s, l);
		for (unsigned int t = 0; t < FCN_MAX_TABLES; t++) {
			if (s->number[t] == 0 || (vrf == 0 ? of_vrf[t] : s->number[t] != vrf))
				continue;
			item[n_items].addr = a->addr;
			item[n_items++].table = (uint8_t)t;
		}
	}
	qsort(item, n_items, sizeof(*item), compare_own);
	*n = keep_some(item, n_items);
	*list = item;
	return 0;
}
