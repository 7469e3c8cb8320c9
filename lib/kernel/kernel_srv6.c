/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Segment lists and local SIDs of paths. */

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "kernel_store_private.h"

/* A segment list in its pool. */
struct stored_list {
	uint8_t mode, n, zero[2];
	uint8_t segment[FCN_SRV6_MAX_SEGMENTS][16]; /* the last one to be visited first */
};

/* A local SID in its pool. */
struct stored_sid {
	struct fcn_prefix prefix; /* version 0: of a nexthop object */
	uint32_t action, flavors, table, ifindex;
	uint8_t block_bits, node_function_bits;
	struct fcn_addr via;
};

static_assert(sizeof(struct stored_list) % 4 == 0 && sizeof(struct stored_sid) % 4 == 0,
		"the pools take values of whole words");

static bool
refer_to_list(struct fcn_kernel_store *s, struct fcn_rtnl_segments *segments)
{
	struct stored_list l = {.mode = segments->mode, .n = segments->n};
	struct fcn_kernel_item *item;

	memcpy(l.segment, segments->segment, l.n * sizeof(l.segment[0]));
	item = fcn_kernel_pool_get(&s->lists, &l, sizeof(l));
	if (item == NULL) {
		s->segments_full++;
		return false;
	}
	segments->item = item;
	segments->segment = item->value + offsetof(struct stored_list, segment);
	return true;
}

static bool
refer_to_sid(struct fcn_kernel_store *s, const struct fcn_prefix *prefix, struct fcn_rtnl_sid *sid)
{
	struct stored_sid value;

	memset(&value, 0, sizeof(value)); /* padding, too, as values are compared as bytes */
	if (prefix != NULL)
		memcpy(&value.prefix, prefix, sizeof(*prefix));
	value.action = sid->action;
	value.flavors = sid->flavors;
	value.table = sid->table;
	value.ifindex = sid->ifindex;
	value.block_bits = sid->block_bits;
	value.node_function_bits = sid->node_function_bits;
	memcpy(&value.via, &sid->via, sizeof(value.via));
	sid->item = fcn_kernel_pool_get(&s->sids, &value, sizeof(value));
	s->sids_full += sid->item == NULL;
	return sid->item != NULL;
}

bool
fcn_kernel_path_ref(struct fcn_kernel_store *s, const struct fcn_prefix *prefix,
		struct fcn_rtnl_path *path)
{
	path->sid.item = NULL;
	path->segments.item = NULL;
	if (path->unusable == FCN_RTNL_USABLE && path->sid.action != 0 &&
			!refer_to_sid(s, prefix, &path->sid))
		return false;
	if (path->segments.n > 0 && !refer_to_list(s, &path->segments))
		return false;
	fcn_kernel_link_ref(s, path->ifindex);
	s->unusable[path->unusable]++;
	return true;
}

void
fcn_kernel_path_unref(struct fcn_kernel_store *s, const struct fcn_rtnl_path *path)
{
	if (path->sid.item != NULL)
		fcn_kernel_pool_put(&s->sids, path->sid.item);
	if (path->segments.item != NULL)
		fcn_kernel_pool_put(&s->lists, path->segments.item);
	fcn_kernel_link_unref(s, path->ifindex);
	s->unusable[path->unusable]--;
}

int
fcn_kernel_store_segments(
		const struct fcn_kernel_store *s, struct fcn_kernel_segments **list, size_t *n)
{
	const struct fcn_kernel_item **item = fcn_kernel_pool_list(&s->lists);
	struct fcn_kernel_segments *out = calloc(s->lists.hash.n + 1, sizeof(*out));

	if (item == NULL || out == NULL) {
		free(item);
		free(out);
		return -ENOMEM;
	}
	for (size_t i = 0; item[i] != NULL; i++) {
		struct stored_list l;

		memcpy(&l, item[i]->value, sizeof(l));
		out[i].serial = item[i]->serial;
		out[i].slot = item[i]->slot;
		out[i].list.mode = l.mode;
		out[i].list.n = l.n;
		for (unsigned int k = 0; k < l.n; k++)
			memcpy(out[i].list.segment[k], l.segment[l.n - 1 - k],
					sizeof(l.segment[0]));
	}
	free(item);
	*list = out;
	*n = s->lists.hash.n;
	return 0;
}

int
fcn_kernel_store_sids(const struct fcn_kernel_store *s, struct fcn_kernel_sid **list, size_t *n)
{
	const struct fcn_kernel_item **item = fcn_kernel_pool_list(&s->sids);
	struct fcn_kernel_sid *out = calloc(s->sids.hash.n + 1, sizeof(*out));

	if (item == NULL || out == NULL) {
		free(item);
		free(out);
		return -ENOMEM;
	}
	for (size_t i = 0; item[i] != NULL; i++) {
		struct stored_sid sid;
		int port;

		memcpy(&sid, item[i]->value, sizeof(sid));
		port = fcn_kernel_store_port(s, sid.ifindex);
		out[i] = (struct fcn_kernel_sid){
				.serial = item[i]->serial,
				.slot = item[i]->slot,
				.prefix = sid.prefix,
				.action = sid.action,
				.flavors = sid.flavors,
				.block_bits = sid.block_bits,
				.node_function_bits = sid.node_function_bits,
				.table = sid.table,
				.via = sid.via,
				.port = port >= 0 ? port : FCN_KERNEL_NO_PORT,
				.is_other_port = sid.ifindex != 0 && port < 0,
		};
	}
	free(item);
	*list = out;
	*n = s->sids.hash.n;
	return 0;
}
