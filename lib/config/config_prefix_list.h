/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Lists of a configuration whose elements begin with a prefix: a struct fcn_prefix, or a structure
 * with one as its first member. No two elements of a list have the same prefix, prefixes have no
 * host bits, and elements stay in the order in which they were added.
 *
 * Not thread safe: all functions are for the control thread. Internal to lib/config.
 */

#ifndef CONFIG_PREFIX_LIST_H
#define CONFIG_PREFIX_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config_list.h"
#include "fcn_addr.h"

#define FCN_CONFIG_NO_LIMIT SIZE_MAX /**< a list may have any number of elements */

/**
 * Add an element, or replace the one that has its prefix. Host bits of the prefix are cleared.
 *
 * @param item    pointer to the pointer to the elements, which may change
 * @param n       number of elements; updated
 * @param room    number of elements for which there is room; updated
 * @param size    bytes of an element
 * @param most    number of elements that the list can have
 * @param element the element. Its padding is 0, because configurations are compared as bytes
 * @param replace an element with this prefix is replaced
 * @return 0; -EEXIST: there is an element with this prefix, and it is not to be replaced; -ENOSPC:
 *  the list has `most` elements; -ENOMEM. After an error the list is as it was
 */
int fcn_config_prefix_put(void *item, size_t *n, size_t *room, size_t size, size_t most,
		const void *element, bool replace);

/**
 * Remove the element with a prefix, host bits of which are ignored. The order is kept.
 *
 * @return 0; -ENOENT: there is none; -ENOMEM: the list is as it was
 */
int fcn_config_prefix_take(
		void *item, size_t *n, size_t *room, size_t size, const struct fcn_prefix *prefix);

/* The functions above for a FCN_CONFIG_LIST, with elements of its type. */
#define FCN_CONFIG_PREFIX_PUT_(list, most, element, replace)                                       \
	({                                                                                         \
		const typeof(*(list)->item) *element_ = (element);                                 \
		fcn_config_prefix_put(&(list)->item, &(list)->n, &(list)->room, sizeof(*element_), \
				most, element_, replace);                                          \
	})

/** Add an element with a new prefix, see fcn_config_prefix_put(). */
#define FCN_CONFIG_PREFIX_ADD(list, most, element) \
	FCN_CONFIG_PREFIX_PUT_(list, most, element, false)

/** Add an element, or replace the one that has its prefix, see fcn_config_prefix_put(). */
#define FCN_CONFIG_PREFIX_SET(list, most, element) FCN_CONFIG_PREFIX_PUT_(list, most, element, true)

/** Remove the element with a prefix, see fcn_config_prefix_take(). */
#define FCN_CONFIG_PREFIX_REMOVE(list, prefix) \
	fcn_config_prefix_take(                \
			&(list)->item, &(list)->n, &(list)->room, sizeof(*(list)->item), prefix)

#endif /* CONFIG_PREFIX_LIST_H */
