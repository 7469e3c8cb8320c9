/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Segment lists of paths. Each different one is stored once, however many paths name it. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_common.h>
#include <rte_jhash.h>

#include "kernel_store_private.h"

struct stored_list {
	struct fcn_kernel_node node;
	uint32_t refs; /* paths that name it */
	uint64_t serial;
	uint16_t slot;
	uint8_t n, mode;
	uint8_t segment[FCN_SRV6_MAX_SEGMENTS][16]; /* the last one to be visited first */
};

static uint32_t
hash_segments(const struct fcn_rtnl_segments *segments)
{
	return rte_jhash(segments->segment, segments->n * FCN_SRH_SEGMENT_LEN, segments->mode);
}

static struct stored_list *
find_list(const struct fcn_kernel_store *s, const struct fcn_rtnl_segments *segments, uint32_t hash)
{
	struct fcn_kernel_node *node = fcn_kernel_hash_first(&s->segments, hash);

	for (; node != NULL; node = node->next) {
		struct stored_list *l = RTE_PTR_SUB(node, offsetof(struct stored_list, node));

		if (l->n == segments->n && l->mode == segments->mode &&
				memcmp(l->segment, segments->segment, l->n * sizeof(*l->segment)) ==
						0)
			return l;
	}
	return NULL;
}

/* Add a list that is not there yet. @return NULL: there is no room */
static struct stored_list *
add_list(struct fcn_kernel_store *s, const struct fcn_rtnl_segments *segments, uint32_t hash)
{
	struct stored_list *l;

	l = s->segments.n < FCN_SRV6_KERNEL_LISTS ? calloc(1, sizeof(*l)) : NULL;
	if (l == NULL)
		return NULL;
	l->n = segments->n;
	l->mode = segments->mode;
	memcpy(l->segment, segments->segment, l->n * sizeof(*l->segment));
	while (s->segments_slot[l->slot])
		l->slot++;
	s->segments_slot[l->slot] = true;
	l->serial = ++s->last_serial | FCN_KERNEL_SERIAL;
	fcn_kernel_hash_add(&s->segments, &l->node, hash);
	return l;
}

bool
fcn_kernel_segments_ref(struct fcn_kernel_store *s, struct fcn_rtnl_segments *segments)
{
	const uint32_t hash = hash_segments(segments);
	struct stored_list *l = find_list(s, segments, hash);

	if (l == NULL)
		l = add_list(s, segments, hash);
	if (l == NULL) {
		s->segments_full++;
		return false;
	}
	l->refs++;
	segments->segment = l->segment[0];
	return true;
}

/* Get the list that has the segments of a path. */
static struct stored_list *
list_of(const struct fcn_rtnl_segments *segments)
{
	return RTE_PTR_SUB(segments->segment, offsetof(struct stored_list, segment));
}

uint64_t
fcn_kernel_segments_serial(const struct fcn_rtnl_segments *segments)
{
	return list_of(segments)->serial;
}

void
fcn_kernel_segments_unref(struct fcn_kernel_store *s, const struct fcn_rtnl_segments *segments)
{
	struct stored_list *l = list_of(segments);

	if (--l->refs > 0)
		return;
	s->segments_slot[l->slot] = false;
	fcn_kernel_hash_remove(&s->segments, &l->node);
	free(l);
}

static int
compare_serials(const void *va, const void *vb)
{
	const struct fcn_kernel_segments *a = va, *b = vb;

	return a->serial < b->serial ? -1 : a->serial > b->serial;
}

int
fcn_kernel_store_segments(
		const struct fcn_kernel_store *s, struct fcn_kernel_segments **list, size_t *n)
{
	struct fcn_kernel_segments *item = calloc(s->segments.n + 1, sizeof(*item));
	struct fcn_kernel_node *node, *after;

	if (item == NULL)
		return -ENOMEM;
	*n = 0;
	FCN_KERNEL_HASH_EACH(&s->segments, node, after)
	{
		const struct stored_list *l = RTE_PTR_SUB(node, offsetof(struct stored_list, node));
		struct fcn_kernel_segments *to = &item[(*n)++];

		to->serial = l->serial;
		to->slot = l->slot;
		to->list.mode = l->mode;
		to->list.n = l->n;
		for (unsigned int i = 0; i < l->n; i++)
			memcpy(to->list.segment[i], l->segment[l->n - 1 - i],
					sizeof(to->list.segment[i]));
	}
	if (*n > 0)
		qsort(item, *n, sizeof(*item), compare_serials);
	*list = item;
	return 0;
}
