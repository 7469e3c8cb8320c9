/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * A list of paths sorted by table and prefix, which is updated with the changes of a store. Only
 * the control thread uses it.
 */

#ifndef FCN_KERNEL_LIST_H
#define FCN_KERNEL_LIST_H

#include "fcn_kernel_store.h"

/** A list; all zero is an empty one. */
struct fcn_kernel_list {
	struct fcn_kernel_path *path; /**< sorted by table and prefix */
	size_t n, room;
};

/**
 * Apply changes to a list.
 *
 * @param changes when its flag `all` is set, the list takes over the memory of changes->path
 * @return 0; -ENOMEM, and the list has not changed
 */
int fcn_kernel_list_change(struct fcn_kernel_list *list, struct fcn_kernel_changes *changes);

/**
 * Find the paths to a prefix.
 *
 * @param n written: their number
 * @return the first path; NULL when there is none
 */
const struct fcn_kernel_path *fcn_kernel_list_find(const struct fcn_kernel_path *path,
		size_t n_paths, const struct fcn_kernel_prefix *prefix, size_t *n);

/** Find the paths of a table, which are adjacent. Parameters and result as above. */
const struct fcn_kernel_path *fcn_kernel_list_table(
		const struct fcn_kernel_path *path, size_t n_paths, unsigned int table, size_t *n);

void fcn_kernel_list_free(struct fcn_kernel_list *list);

#endif /* FCN_KERNEL_LIST_H */
