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
	uint16_t port;    /**< port it was last seen on */
	uint64_t seen_ns; /**< when it was last seen */
};

/**
 * Create a table; for the control thread, before the worker has it.
 *
 * @param name     for those who look at the heap; need not be unique
 * @param capacity entries, at least 1; every one of them can be used
 * @param socket   NUMA node of the table, or SOCKET_ID_ANY
 * @return NULL with rte_errno (EINVAL, ENOMEM) on failure
 */
struct fcn_mac_table *fcn_mac_table_create(const char *name, uint32_t capacity, int socket);

/** Free a table that no worker uses any more. NULL is allowed. */
void fcn_mac_table_free(struct fcn_mac_table *table);

/**
 * Note that key was seen on port. A full table learns nothing new.
 *
 * @return 0 refreshed, 1 learned, 2 moved from another port, -ENOSPC table full
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

/** Iterate: *next starts at 0. @return false at the end. Order is that of the table, not of keys.
 */
bool fcn_mac_table_next(
		const struct fcn_mac_table *table, uint32_t *next, struct fcn_mac_entry *entry);

#endif /* FCN_MAC_TABLE_H */
