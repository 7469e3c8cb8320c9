/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Map from a RoCEv2 queue pair of a receiver to the queue pair of the sender at the other end of
 * the connection. A plain CNP has to name the latter, and a data packet only names the former.
 *
 * One thread, the control thread, changes the map while any number of workers look up in it. They
 * take no lock and never see a part of an entry. Entries are of 64 bytes, one cache line: most
 * look-ups read only this line, whether they find the entry or not. An entry stays at its place as
 * long as it exists.
 *
 * An entry has an owner: the configuration, or the host that reported it. A map has room for
 * the entries of hosts, and for those of the configuration that it was created with.
 */

#ifndef FCN_QP_MAP_H
#define FCN_QP_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fcn_addr.h"

#define FCN_QP_MAX 0xFFFFFFu       /**< highest number of a queue pair: 24 bits */
#define FCN_QP_MAP_MOST 1048576    /**< most entries of each of both kinds */
#define FCN_QP_MAP_OWNERS 4097     /**< number of owners: the configuration and 4096 hosts */
#define FCN_QP_MAP_CONFIGURED 0    /**< the owner of entries that are configured */
#define FCN_QP_MAP_NONE UINT32_MAX /**< no place */

/** A connection. */
struct fcn_qp_pair {
	struct fcn_addr receiver; /**< IPv4 or IPv6 */
	uint32_t receiver_qp;     /**< host byte order */
	uint32_t sender_qp;       /**< host byte order */
	/** of the same version; version 0: it is not known, and any will do */
	struct fcn_addr sender;
};

/** An entry, as the control thread sees it. */
struct fcn_qp_entry {
	struct fcn_qp_pair pair;
	uint32_t owner;
	uint64_t since_ns; /**< when the entry came, or got this sender or queue pair of a sender */
};

struct fcn_qp_map;

/**
 * Create an empty map. It is freed by fcn_qp_map_free().
 *
 * @param name     name of the allocation; need not be unique
 * @param reported most entries of hosts
 * @param configured number of entries of the configuration that there is room for
 * @param secret   with another one, entries are at other places: see fcn_hash_key_make()
 * @param socket   NUMA node of the map, or SOCKET_ID_ANY. If DPDK has not enough memory, it is of
 *                 the process's heap
 * @return NULL with rte_errno ENOMEM
 */
struct fcn_qp_map *fcn_qp_map_create(const char *name, uint32_t reported, uint32_t configured,
		uint64_t secret, int socket);

/** Take one more reference to a map, for another snapshot. Control thread only. */
struct fcn_qp_map *fcn_qp_map_share(struct fcn_qp_map *map);

/** Give a reference back; with the last one, the map is freed. No worker reads it by this reference
 * any more. NULL is allowed. Control thread only. */
void fcn_qp_map_free(struct fcn_qp_map *map);

/* ---- look-ups of workers ---- */

/**
 * Find the queue pair of the sender of a packet. Safe for any number of concurrent readers, and
 * bounded: while the entry is just being written, it may not be found.
 *
 * @param map         NULL: an empty one
 * @param version     IP version of both addresses, 4 or 6
 * @param receiver    destination of the packet, network byte order, of which IPv4 uses 4 bytes
 * @param receiver_qp destination queue pair, host byte order
 * @param sender      source of the packet, likewise. An entry of another sender is not found
 * @param sender_qp   written if it is found; host byte order
 * @return whether it is found
 */
bool fcn_qp_map_find(const struct fcn_qp_map *map, uint8_t version, const uint8_t *receiver,
		uint32_t receiver_qp, const uint8_t *sender, uint32_t *sender_qp);

/**
 * Prefetch the line that a look-up reads first. The parameters are those of fcn_qp_map_find().
 *
 * @return for fcn_qp_map_find_at()
 */
uint32_t fcn_qp_map_prefetch(const struct fcn_qp_map *map, uint8_t version, const uint8_t *receiver,
		uint32_t receiver_qp);

/** The same as fcn_qp_map_find(). @param at result of fcn_qp_map_prefetch() with the same map,
 * receiver and queue pair */
bool fcn_qp_map_find_at(const struct fcn_qp_map *map, uint32_t at, uint8_t version,
		const uint8_t *receiver, uint32_t receiver_qp, const uint8_t *sender,
		uint32_t *sender_qp);

/* ---- the control thread ---- */

/**
 * Add an entry, or replace what is known of its receiver and the receiver's queue pair. Workers
 * find the new one when this returns; in between they find the one before.
 *
 * @param owner  FCN_QP_MAP_CONFIGURED, or the number of a host, below FCN_QP_MAP_OWNERS
 * @param now    time for `since_ns`
 * @return 0: it was added; 1: it has replaced another one; 2: it was there already; -ENOSPC: the
 *         map has no room for a further one
 */
int fcn_qp_map_put(struct fcn_qp_map *map, const struct fcn_qp_pair *pair, uint32_t owner,
		uint64_t now);

/** Find the place of an entry. @return FCN_QP_MAP_NONE: there is none */
uint32_t fcn_qp_map_place(const struct fcn_qp_map *map, const struct fcn_addr *receiver,
		uint32_t receiver_qp);

/** Read the entry at a place. @return false: there is none */
bool fcn_qp_map_get(const struct fcn_qp_map *map, uint32_t place, struct fcn_qp_entry *entry);

/** Remove the entry at a place. A worker that has looked it up before may still use it until the
 * end of its turn. */
void fcn_qp_map_remove(struct fcn_qp_map *map, uint32_t place);

/** Remove all entries, as no worker shall find any in a map that was replaced. */
void fcn_qp_map_clear(struct fcn_qp_map *map);

/** Get the place of an entry of an owner, the one that was added last. @return FCN_QP_MAP_NONE: it
 * has none */
uint32_t fcn_qp_map_first(const struct fcn_qp_map *map, uint32_t owner);

/** Get the place of the next entry of the same owner. @return FCN_QP_MAP_NONE: this was the last */
uint32_t fcn_qp_map_next(const struct fcn_qp_map *map, uint32_t place);

/** Get the number of places: each entry is at one below it. */
uint32_t fcn_qp_map_places(const struct fcn_qp_map *map);

/** Note of what list a map was made: its address and length. */
void fcn_qp_map_made_of(struct fcn_qp_map *map, const void *list, size_t n);
/** Tell whether a map was made of a list, which nobody has changed since then. */
bool fcn_qp_map_is_made_of(const struct fcn_qp_map *map, const void *list, size_t n);

/** Get the number of entries of an owner. */
uint32_t fcn_qp_map_count(const struct fcn_qp_map *map, uint32_t owner);

/** Get the number of entries that hosts reported. NULL is an empty map. */
uint32_t fcn_qp_map_reported(const struct fcn_qp_map *map);

/** Get the most entries of hosts. NULL: 0. */
uint32_t fcn_qp_map_room(const struct fcn_qp_map *map);

#endif /* FCN_QP_MAP_H */
