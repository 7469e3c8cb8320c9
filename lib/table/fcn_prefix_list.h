/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Immutable list of prefixes with a value each, looked up by longest match; used for the
 * capabilities of senders and for access lists. A call looks up one address, which takes 6 to 25
 * cycles with up to 256 prefixes and 2 more for each doubling. A prefix takes up to two ranges of
 * 16 to 24 bytes each.
 */

#ifndef FCN_PREFIX_LIST_H
#define FCN_PREFIX_LIST_H

#include <stdint.h>

#include "fcn_addr.h"

/** A prefix and its value. */
struct fcn_prefix_value {
	struct fcn_prefix prefix;
	uint32_t value;
};

struct fcn_prefix_list;

/**
 * Build a list. Prefixes are normalised; of two equal ones the later wins.
 *
 * @param name   name of the allocation; need not be unique
 * @param items  prefixes of both families, in any order; every 32-bit value is allowed
 * @param socket NUMA node of the list, or SOCKET_ID_ANY
 * @return NULL with rte_errno on failure: EINVAL for an invalid prefix, ENOMEM
 */
struct fcn_prefix_list *fcn_prefix_list_create(
		const char *name, const struct fcn_prefix_value *items, unsigned int n, int socket);

/** Free a list that no worker reads any more. NULL is allowed. */
void fcn_prefix_list_free(struct fcn_prefix_list *list);

/**
 * Get the value of the longest prefix that contains an IPv6 address, 16 bytes in network byte
 * order, or fallback if no prefix does. Safe for any number of concurrent readers.
 */
uint32_t fcn_prefix_list_lookup6(
		const struct fcn_prefix_list *list, const uint8_t *addr, uint32_t fallback);

/** Look up an IPv4 address in host byte order, like fcn_prefix_list_lookup6(). */
uint32_t fcn_prefix_list_lookup4(
		const struct fcn_prefix_list *list, uint32_t addr, uint32_t fallback);

#endif /* FCN_PREFIX_LIST_H */
