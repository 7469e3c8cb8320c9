/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <string.h>

#include "config_prefix_list.h"

/* Find the element with a prefix without host bits. @return its index; n if there is none */
static size_t
find(const void *elements, size_t n, size_t size, const struct fcn_prefix *prefix)
{
	size_t i = 0;

	while (i < n && !fcn_prefix_equal(
					(const void *)((const char *)elements + i * size), prefix))
		i++;
	return i;
}

int
fcn_config_prefix_put(void *item, size_t *n, size_t *room, size_t size, size_t most,
		const void *element, bool replace)
{
	struct fcn_prefix prefix = *(const struct fcn_prefix *)element;
	char *at;
	size_t i;

	fcn_prefix_normalise(&prefix);
	i = find(*(void **)item, *n, size, &prefix);
	if (i < *n && !replace)
		return -EEXIST;
	if (i == *n && *n >= most)
		return -ENOSPC;
	if (fcn_config_list_own(item, *n, room, size, i < *n ? *n : *n + 1) != 0)
		return -ENOMEM;
	at = *(char **)item + i * size;
	memcpy(at, element, size);
	memcpy(at, &prefix, sizeof(prefix));
	if (i == *n)
		++*n;
	return 0;
}

int
fcn_config_prefix_take(
		void *item, size_t *n, size_t *room, size_t size, const struct fcn_prefix *prefix)
{
	struct fcn_prefix p = *prefix;
	char *at;
	size_t i;

	fcn_prefix_normalise(&p);
	i = find(*(void **)item, *n, size, &p);
	if (i == *n)
		return -ENOENT;
	if (fcn_config_list_own(item, *n, room, size, *n) != 0)
		return -ENOMEM;
	at = *(char **)item + i * size;
	--*n;
	memmove(at, at + size, (*n - i) * size);
	return 0;
}
