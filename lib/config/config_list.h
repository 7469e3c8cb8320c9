/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Lists of a configuration. Configurations that were copied share their lists
 * until one of them changes its own: most commands change none, and a list of
 * routes may be long.
 * Internal to lib/control; the control thread's.
 */

#ifndef FCN_CONFIG_LIST_H
#define FCN_CONFIG_LIST_H

#include <stddef.h>
#include <string.h>

/** One configuration less has the elements at item; NULL is a list that never had an element. */
void fcn_config_list_release(void *item);

/** One configuration more has the elements at item; NULL is allowed. */
void fcn_config_list_share(void *item);

/**
 * Make the elements of a list a configuration's own, with room for more.
 *
 * @param item   pointer to the pointer to the elements
 * @param n      elements there are
 * @param room   elements there is room for
 * @param size   bytes of an element
 * @param wanted elements there is to be room for
 * @return 0 or -ENOMEM
 */
int fcn_config_list_own(void *item, size_t n, size_t *room, size_t size, size_t wanted);

/** The list is to be this configuration's own, with room for so many elements. @return 0 or -ENOMEM
 */
#define FCN_CONFIG_OWN(list, wanted) \
	fcn_config_list_own(&(list)->item, (list)->n, &(list)->room, sizeof(*(list)->item), wanted)

/** Append to a list. @return 0 or -ENOMEM */
#define FCN_CONFIG_APPEND(list, value)                         \
	({                                                     \
		int rc_ = FCN_CONFIG_OWN(list, (list)->n + 1); \
		if (rc_ == 0)                                  \
			(list)->item[(list)->n++] = (value);   \
		rc_;                                           \
	})

/** Remove element i of a list that is the configuration's own, keeping the order. */
#define FCN_CONFIG_REMOVE(list, i)                        \
	memmove(&(list)->item[i], &(list)->item[(i) + 1], \
			(--(list)->n - (i)) * sizeof(*(list)->item))

#endif /* FCN_CONFIG_LIST_H */
