/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Immutable list of prefixes with a value each, looked up by longest match:
 * senders' capabilities, access lists. For packets off the fast path; small in
 * memory, unlike a route table.
 */

#ifndef FCN_PREFIX_LIST_H
#define FCN_PREFIX_LIST_H

#include <stdint.h>

#include "fcn_addr.h"

struct fcn_prefix_value {
	struct fcn_prefix prefix;
	uint32_t value;
};

struct fcn_prefix_list;

/**
 * Build a list. Of two equal prefixes the later wins.
 *
 * @param name unique in the process, at most 24 characters
 * @return NULL with rte_errno set on failure
 */
struct fcn_prefix_list *fcn_prefix_list_create(
		const char *name, const struct fcn_prefix_value *items, unsigned int n, int socket);

/** Free a list that no worker reads any more. NULL is allowed. */
void fcn_prefix_list_free(struct fcn_prefix_list *list);

/** Value of the longest prefix that holds addr (16 bytes), or fallback. Any number of readers. */
uint32_t fcn_prefix_list_lookup6(
		const struct fcn_prefix_list *list, const uint8_t *addr, uint32_t fallback);

/** The same for an IPv4 address in host byte order. */
uint32_t fcn_prefix_list_lookup4(
		const struct fcn_prefix_list *list, uint32_t addr, uint32_t fallback);

#endif /* FCN_PREFIX_LIST_H */
