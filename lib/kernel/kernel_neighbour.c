/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_common.h>
#include <rte_jhash.h>

#include "kernel_store_private.h"

struct neighbour {
	struct fcn_kernel_node node;
	uint32_t epoch;
	uint32_t ifindex;
	struct fcn_addr addr;
	struct rte_ether_addr mac;
};

static uint32_t
hash_neighbour(uint32_t ifindex, const struct fcn_addr *addr)
{
	uint32_t words[sizeof(addr->bytes) / sizeof(uint32_t)];

	memcpy(words, addr->bytes, sizeof(words));
	return rte_jhash_32b(words, RTE_DIM(words), ifindex);
}

static struct neighbour *
find_neighbour(const struct fcn_kernel_store *s, const struct fcn_rtnl_neighbour *reported)
{
	struct fcn_kernel_node *node = fcn_kernel_hash_first(
			&s->neighbours, hash_neighbour(reported->ifindex, &reported->addr));

	for (; node != NULL; node = node->next) {
		struct neighbour *n = RTE_PTR_SUB(node, offsetof(struct neighbour, node));

		if (n->ifindex == reported->ifindex && fcn_addr_equal(&n->addr, &reported->addr))
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

enum fcn_kernel_effect
fcn_kernel_neighbour_apply(struct fcn_kernel_store *s, const struct fcn_rtnl *msg)
{
	const struct fcn_rtnl_neighbour *reported = &msg->neighbour;
	struct neighbour *n = find_neighbour(s, reported);

	/* The host functions resolve all other neighbours themselves. */
	if (msg->gone || !reported->permanent) {
		if (n == NULL)
			return FCN_KERNEL_SAME;
		remove_neighbour(s, n);
		return fcn_kernel_store_changed(s);
	}
	if (n == NULL) {
		n = s->neighbours.n < FCN_KERNEL_MAX_NEIGHBOURS ? calloc(1, sizeof(*n)) : NULL;
		if (n == NULL) {
			s->full++;
			return FCN_KERNEL_NOTHING;
		}
		n->ifindex = reported->ifindex;
		n->addr = reported->addr;
		fcn_kernel_hash_add(&s->neighbours, &n->node,
				hash_neighbour(reported->ifindex, &reported->addr));
	} else if (memcmp(&n->mac, reported->mac, sizeof(n->mac)) == 0) {
		n->epoch = s->epoch;
		return FCN_KERNEL_SAME;
	}
	n->epoch = s->epoch;
	memcpy(&n->mac, reported->mac, sizeof(n->mac));
	return fcn_kernel_store_changed(s);
}

uint32_t
fcn_kernel_neighbour_sweep(struct fcn_kernel_store *s, enum fcn_kernel_sweep what)
{
	struct fcn_kernel_node *node, *after;
	uint32_t n_gone = 0;

	FCN_KERNEL_HASH_EACH(&s->neighbours, node, after)
	{
		struct neighbour *n = RTE_PTR_SUB(node, offsetof(struct neighbour, node));

		if (fcn_kernel_store_is_stale(s, n->epoch, what)) {
			remove_neighbour(s, n);
			fcn_kernel_store_changed(s);
			n_gone++;
		}
	}
	return n_gone;
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
		int port = fcn_kernel_store_port(s, from->ifindex);

		if (port >= 0)
			item[(*n)++] = (struct fcn_kernel_neighbour){
					.port = port, .addr = from->addr, .mac = from->mac};
	}
	*list = item;
	return 0;
}
