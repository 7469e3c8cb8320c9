/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * A list of paths by prefix, kept up to date with changes of a store. One owner,
 * the control thread.
 */

#ifndef FCN_KERNEL_LIST_H
#define FCN_KERNEL_LIST_H

#include "fcn_kernel_store.h"

/** All 0: empty. */
struct fcn_kernel_list {
	struct fcn_kernel_path *path; /**< prefixes ascend */
	size_t n, room;
};

/**
 * Bring a list up to date.
 *
 * @param changes of one with all, the list takes path over
 * @return 0; -ENOMEM, and the list is as it was
 */
int fcn_kernel_list_change(struct fcn_kernel_list *list, struct fcn_kernel_changes *changes);

/** Paths to a prefix. @param n how many. @return the first, NULL: none */
const struct fcn_kernel_path *fcn_kernel_list_find(const struct fcn_kernel_path *path,
		size_t n_paths, const struct fcn_prefix *prefix, size_t *n);

void fcn_kernel_list_free(struct fcn_kernel_list *list);

#endif /* FCN_KERNEL_LIST_H */
