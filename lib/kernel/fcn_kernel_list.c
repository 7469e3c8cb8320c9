/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fcn_kernel_list.h"

/*
 * With more changes than this a new list is built. Each change in place moves the rest of the list.
 */
#define MOST_MOVES 8

/* Index of the first path, from `from` on, that is not before the given prefix. */
static size_t
position(const struct fcn_kernel_path *path, size_t from, size_t n,
		const struct fcn_kernel_prefix *prefix)
{
	size_t low = from, high = n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (fcn_kernel_prefix_compare(path[middle].table, &path[middle].prefix,
				    prefix->table, &prefix->prefix) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Number of consecutive paths, from `from` on, to the prefix. */
static size_t
run_of(const struct fcn_kernel_path *path, size_t from, size_t n,
		const struct fcn_kernel_prefix *prefix)
{
	size_t to = from;

	while (to < n && path[to].table == prefix->table &&
			fcn_prefix_equal(&path[to].prefix, &prefix->prefix))
		to++;
	return to - from;
}

const struct fcn_kernel_path *
fcn_kernel_list_find(const struct fcn_kernel_path *path, size_t n_paths,
		const struct fcn_kernel_prefix *prefix, size_t *n)
{
	size_t at = position(path, 0, n_paths, prefix);

	*n = run_of(path, at, n_paths, prefix);
	return *n > 0 ? &path[at] : NULL;
}

/* Index of the first path of a table, or of a later one. */
static size_t
position_of_table(const struct fcn_kernel_path *path, size_t n, unsigned int table)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (path[middle].table < table)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct fcn_kernel_path *
fcn_kernel_list_table(
		const struct fcn_kernel_path *path, size_t n_paths, unsigned int table, size_t *n)
{
	size_t from = position_of_table(path, n_paths, table);

	*n = position_of_table(path, n_paths, table + 1) - from;
	return *n > 0 ? &path[from] : NULL;
}

static void
move(struct fcn_kernel_list *l, const struct fcn_kernel_changes *c)
{
	size_t from = 0;

	for (size_t i = 0; i < c->n_prefixes; i++) {
		size_t at = position(l->path, 0, l->n, &c->prefix[i]);
		size_t was = run_of(l->path, at, l->n, &c->prefix[i]);
		size_t is = run_of(c->path, from, c->n_paths, &c->prefix[i]);

		if (was != is && at + was < l->n)
			memmove(&l->path[at + is], &l->path[at + was],
					(l->n - at - was) * sizeof(*l->path));
		if (is > 0)
			memcpy(&l->path[at], &c->path[from], is * sizeof(*l->path));
		l->n = l->n - was + is;
		from += is;
	}
}

static size_t
append(struct fcn_kernel_path *to, size_t at, const struct fcn_kernel_path *path, size_t from,
		size_t n)
{
	if (n > 0)
		memcpy(&to[at], &path[from], n * sizeof(*to));
	return at + n;
}

/* Merge the unchanged paths and the changed ones in order. */
static size_t
merge(struct fcn_kernel_path *to, const struct fcn_kernel_list *l,
		const struct fcn_kernel_changes *c)
{
	size_t n = 0, kept = 0, from = 0;

	for (size_t i = 0; i < c->n_prefixes; i++) {
		size_t at = position(l->path, kept, l->n, &c->prefix[i]);
		size_t is = run_of(c->path, from, c->n_paths, &c->prefix[i]);

		n = append(to, n, l->path, kept, at - kept);
		n = append(to, n, c->path, from, is);
		kept = at + run_of(l->path, at, l->n, &c->prefix[i]);
		from += is;
	}
	return append(to, n, l->path, kept, l->n - kept);
}

static void
replace(struct fcn_kernel_list *l, struct fcn_kernel_path *path, size_t n, size_t room)
{
	free(l->path);
	*l = (struct fcn_kernel_list){path, n, room};
}

int
fcn_kernel_list_change(struct fcn_kernel_list *l, struct fcn_kernel_changes *c)
{
	size_t room = l->n + c->n_paths;
	struct fcn_kernel_path *path;

	if (c->all) {
		replace(l, c->path, c->n_paths, c->n_paths);
		c->path = NULL;
		return 0;
	}
	if (c->n_prefixes <= MOST_MOVES && room <= l->room) {
		move(l, c);
		return 0;
	}
	room += room / 4 + 64;
	path = malloc(room * sizeof(*path));
	if (path == NULL)
		return -ENOMEM;
	replace(l, path, merge(path, l, c), room);
	return 0;
}

void
fcn_kernel_list_free(struct fcn_kernel_list *l)
{
	replace(l, NULL, 0, 0);
}
