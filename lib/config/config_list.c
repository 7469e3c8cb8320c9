/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "config_list.h"

/* Header in front of the elements of a list. */
struct list_head {
	_Alignas(max_align_t) unsigned int refs;
};

/* Get the header; NULL for a list that never had an element. */
static struct list_head *
head_of(void *item)
{
	return item == NULL ? NULL : (struct list_head *)item - 1;
}

void
fcn_config_list_release(void *item)
{
	struct list_head *head = head_of(item);

	if (head != NULL && --head->refs == 0)
		free(head);
}

void
fcn_config_list_share(void *item)
{
	struct list_head *head = head_of(item);

	if (head != NULL)
		head->refs++;
}

int
fcn_config_list_own(void *item, size_t n, size_t *room, size_t size, size_t wanted)
{
	struct list_head *old = head_of(*(void **)item), *head;
	bool mine = old != NULL && old->refs == 1;

	if (old == NULL && wanted == 0)
		return 0;
	if (mine && wanted <= *room)
		return 0;
	if (wanted > *room)
		wanted += wanted / 2 + 8;
	head = mine ? realloc(old, sizeof(*head) + wanted * size)
		    : malloc(sizeof(*head) + wanted * size);
	if (head == NULL)
		return -ENOMEM;
	if (!mine) {
		head->refs = 1;
		if (n > 0)
			memcpy(head + 1, *(void **)item, n * size);
		fcn_config_list_release(*(void **)item);
	}
	*(void **)item = head + 1;
	*room = wanted;
	return 0;
}
