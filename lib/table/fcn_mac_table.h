/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * MAC addresses a bridge has learned: (bridge, VLAN, MAC) -> port, with ageing.
 * One writer and reader: the worker that owns it. Time is handed in.
 */

#ifndef FCN_MAC_TABLE_H
#define FCN_MAC_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include <rte_ether.h>

#include "fcn_port_limit.h"

struct fcn_mac_table;

/** Key of an entry. */
struct fcn_mac_key {
	struct rte_ether_addr mac;
	uint16_t vlan;   /**< VLAN id, 0..4095 */
	uint16_t bridge; /**< bridge index */
} __rte_aligned(2);

/** What is known of an address. */
struct fcn_mac_entry {
	struct fcn_mac_key key;
	uint16_t port;    /**< port it was last seen on, below FCN_MAX_PORTS */
	uint64_t seen_ns; /**< when it was last seen */
};

/**
 * Create a table; for the control thread, before the worker has it.
 *
 * @param name     for those who look at the heap; need not be unique
 * @param capacity entries, at least 1; every one of them can be used
 * @param socket   NUMA node of the table, or SOCKET_ID_ANY
 * @param key      what is not known to those who choose the addresses; 0: the fixed key
 * @return NULL with rte_errno (EINVAL, ENOMEM) on failure
 */
struct fcn_mac_table *fcn_mac_table_create(
		const char *name, uint32_t capacity, int socket, uint32_t key);

/** Free a table that no worker uses any more. NULL is allowed. */
void fcn_mac_table_free(struct fcn_mac_table *table);

/** What learning says of an address beside errors. */
enum fcn_mac_learned {
	FCN_MAC_REFRESHED = 0,
	FCN_MAC_LEARNED = 1,
	FCN_MAC_MOVED = 2, /**< it was known on another port */
	FCN_MAC_RETELL = 3,
};

/**
 * Set aside a part of the table for each port. A port always has room for so many addresses; the
 * rest of the table is shared by all ports. At first nothing is set aside. Only while the table is
 * empty.
 *
 * @param reserve entries for each of FCN_MAX_PORTS ports; together at most the capacity
 */
void fcn_mac_table_reserve(struct fcn_mac_table *table, uint32_t reserve);

/**
 * The most addresses that a port may have; at first there is no such limit. What a port has beyond
 * a smaller limit stays until it ages.
 */
void fcn_mac_table_limit(struct fcn_mac_table *table, uint16_t port, uint32_t limit);

/**
 * Note that key was seen on port. Where there is no room, nothing changes: a new address is not
 * learned, and one that is known on another port stays there.
 *
 * @return 0 refreshed, 1 learned, 2 moved from another port, -EDQUOT the port has as many as it
 *         may, -ENOSPC no room in the part of the table that ports share
 */
int fcn_mac_table_learn(struct fcn_mac_table *table, const struct fcn_mac_key *key, uint16_t port,
		uint64_t now);

/**
 * Like fcn_mac_table_learn(), for one of several tables that tell each other what they learned.
 *
 * @param retell_ns others forget by their own clocks: after so long they are told again
 * @return as fcn_mac_table_learn(), and 3: refreshed, and others are to be told again
 */
int fcn_mac_table_learn_shared(struct fcn_mac_table *table, const struct fcn_mac_key *key,
		uint16_t port, uint64_t now, uint64_t retell_ns);

/** The port that the address was known on which moved last, by either of the functions above; 0 as
 * long as none moved. */
uint16_t fcn_mac_table_moved_from(const struct fcn_mac_table *table);

/**
 * The port behind which key is.
 *
 * @param max_age_ns entries seen longer ago count as unknown, removed or not
 * @return the port, or -ENOENT
 */
int fcn_mac_table_lookup(const struct fcn_mac_table *table, const struct fcn_mac_key *key,
		uint64_t now, uint64_t max_age_ns);

/**
 * Remove entries seen more than max_age_ns ago, looking at no more than budget
 * places of the table; call it again and again, it goes on where it stopped.
 *
 * @return entries removed
 */
unsigned int fcn_mac_table_age(struct fcn_mac_table *table, uint64_t now, uint64_t max_age_ns,
		unsigned int budget);

/**
 * Forget every entry, or every entry of one port (port >= 0). Takes time
 * proportional to the capacity.
 *
 * @return entries removed
 */
unsigned int fcn_mac_table_flush(struct fcn_mac_table *table, int port);

/** Entries in the table, aged ones included. */
uint32_t fcn_mac_table_count(const struct fcn_mac_table *table);

/** Entries of one port, aged ones included. */
uint32_t fcn_mac_table_count_port(const struct fcn_mac_table *table, uint16_t port);

/** Entries that the table can hold. */
uint32_t fcn_mac_table_capacity(const struct fcn_mac_table *table);

/** The most addresses that a port of a bridge may have, where a configuration says limit, 0 for
 * none: then a quarter of the table. */
uint32_t fcn_mac_limit(const struct fcn_mac_table *table, uint32_t limit);

/** Remove one entry. @return whether there was one */
bool fcn_mac_table_remove(struct fcn_mac_table *table, const struct fcn_mac_key *key);

/** Iterate: *next starts at 0. @return false at the end. Order is that of the table, not of keys.
 */
bool fcn_mac_table_next(
		const struct fcn_mac_table *table, uint32_t *next, struct fcn_mac_entry *entry);

#endif /* FCN_MAC_TABLE_H */
