/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Small things the fcn_show_*.c files share.
 */

#ifndef FCN_SHOW_PRIVATE_H
#define FCN_SHOW_PRIVATE_H

#include <jansson.h>

#include "fcn_control.h"
#include "fcn_show.h"

/** Name of a port by its number; "-" for one that is gone. */
const char *fcn_show_port_name(const struct fcn_control *ctl, unsigned int port);

json_t *fcn_show_addr(const struct fcn_addr *addr);
json_t *fcn_show_addr6(const uint8_t *bytes);
json_t *fcn_show_prefix(const struct fcn_prefix *prefix);
json_t *fcn_show_mac(const struct rte_ether_addr *mac);

/** Set a member to an unsigned number. */
static inline void
fcn_show_set(json_t *object, const char *key, uint64_t value)
{
	json_object_set_new(object, key, json_integer((json_int_t)value));
}

#endif /* FCN_SHOW_PRIVATE_H */
