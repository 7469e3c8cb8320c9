/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Immutable map from a RoCEv2 queue pair of a receiver to the queue pair of the sender at the other
 * end of the connection. A plain CNP has to name the latter, and a data packet only names the
 * former. A call takes a binary search.
 */

#ifndef FCN_QP_MAP_H
#define FCN_QP_MAP_H

#include <stdbool.h>
#include <stdint.h>

#include "fcn_addr.h"

#define FCN_QP_MAX 0xFFFFFFu /**< highest number of a queue pair: 24 bits */

/** A connection. */
struct fcn_qp_pair {
	struct fcn_addr receiver; /**< IPv4 or IPv6 */
	uint32_t receiver_qp;     /**< host byte order */
	uint32_t sender_qp;       /**< host byte order */
};

struct fcn_qp_map;

/**
 * Build a map. Of two pairs with the same receiver and receiver's queue pair, either may be kept.
 *
 * @param name   name of the allocation; need not be unique
 * @param items  in any order; they are not needed afterwards
 * @param socket NUMA node of the map, or SOCKET_ID_ANY
 * @return NULL with rte_errno ENOMEM
 */
struct fcn_qp_map *fcn_qp_map_create(
		const char *name, const struct fcn_qp_pair *items, unsigned int n, int socket);

/** Free a map that no worker reads any more. NULL is allowed. */
void fcn_qp_map_free(struct fcn_qp_map *map);

/**
 * Find the queue pair of the sender. Safe for any number of concurrent readers.
 *
 * @param map         NULL: an empty one
 * @param version     IP version of the receiver's address, 4 or 6
 * @param receiver    its address, network byte order, of which IPv4 uses the first 4 bytes
 * @param receiver_qp host byte order
 * @param sender_qp   written if it is found; host byte order
 * @return whether it is found
 */
bool fcn_qp_map_find(const struct fcn_qp_map *map, uint8_t version, const uint8_t *receiver,
		uint32_t receiver_qp, uint32_t *sender_qp);

#endif /* FCN_QP_MAP_H */
