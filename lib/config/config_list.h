/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Lists of a configuration. Copies of a configuration share the elements until
 * one of them changes its list, because most commands change no list, and a list
 * of routes may be long. The elements have a reference counter in front of them.
 *
 * Not thread safe: all functions are for the control thread. Internal to
 * lib/config.
 */

#ifndef FCN_CONFIG_LIST_H
#define FCN_CONFIG_LIST_H

#include <stddef.h>

/** Give back a configuration's reference to the elements at item; the last one frees them. NULL, a
 * list that never had an element, is allowed. */
void fcn_config_list_release(void *item);

/** Take a reference to the elements at item for one more configuration. NULL is allowed. */
void fcn_config_list_share(void *item);

/**
 * Make sure that no other configuration shares the elements of a list, and that there is room for
 * more.
 *
 * @param item   pointer to the pointer to the elements, which may change
 * @param n      number of elements
 * @param room   number of elements for which there is room; updated
 * @param size   bytes of an element
 * @param wanted number of elements for which there has to be room
 * @return 0; -ENOMEM: nothing was changed
 */
int fcn_config_list_own(void *item, size_t n, size_t *room, size_t size, size_t wanted);

#endif /* FCN_CONFIG_LIST_H */
