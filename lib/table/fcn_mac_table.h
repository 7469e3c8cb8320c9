/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * MAC addresses that a bridge has learned: (bridge, VLAN, MAC) -> port, with ageing (IEEE 802.1Q
 * section 8.8.3). Only the worker that owns a table reads and writes it. The caller passes the
 * time, in nanoseconds.
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

/** An entry: a MAC address, and where and when it was seen. */
struct fcn_mac_entry {
	struct fcn_mac_key key;
	uint16_t port;    /**< port it was last seen on, below FCN_MAX_PORTS */
	uint64_t seen_ns; /**< when it was last seen */
};

/**
 * Create a table; to be called by the control thread before a worker uses it.
 *
 * @param name     name of the allocation; need not be unique
 * @param capacity number of entries, at least 1; the table can be filled completely
 * @param socket   NUMA node of the table, or SOCKET_ID_ANY
 * @param key      secret key of the hash, so that nobody can choose addresses that collide; 0: the
 *                 fixed key
 * @return NULL with rte_errno (EINVAL, ENOMEM) on failure
 */
struct fcn_mac_table *fcn_mac_table_create(
		const char *name, uint32_t capacity, int socket, uint32_t key);

/** Free a table that no worker uses any more. NULL is allowed. */
void fcn_mac_table_free(struct fcn_mac_table *table);

/** Result of learning an address, if it is not an error. */
enum fcn_mac_learned {
	FCN_MAC_REFRESHED = 0,   /**< it was known on this port */
	FCN_MAC_LEARNED = 1,     /**< it was not known */
	FCN_MAC_MOVED = 2,       /**< it was known on another port */
	FCN_MAC_READVERTISE = 3, /**< it was refreshed, and is to be advertised again; only
				    fcn_mac_table_learn_shared() returns it */
};

/** Number of parts into which the reserved half of a table is divided at least. */
#define FCN_MAC_PARTS 64u

/**
 * Reserve half of the table for the ports, in equal parts, FCN_MAC_PARTS or as many as there are
 * ports. A port has room for as many addresses as its part has; the rest of the table is shared by
 * all ports. A new table has no reservation. What ports have beyond smaller parts counts as shared,
 * and stays until it ages, so a table that is full by then has room for new ports only after that.
 *
 * @param n_ports number of ports that learn addresses
 */
void fcn_mac_table_reserve(struct fcn_mac_table *table, unsigned int n_ports);

/**
 * Set the maximum number of addresses of a port. A new table has no such limit. When a limit is
 * lowered, the addresses beyond it stay until they age.
 */
void fcn_mac_table_limit(struct fcn_mac_table *table, uint16_t port, uint32_t limit);

/**
 * Learn that key was seen on port. When there is no room, nothing changes: a new address is not
 * learned, and an address that is known on another port stays there.
 *
 * @return FCN_MAC_REFRESHED, FCN_MAC_LEARNED, or FCN_MAC_MOVED when it was known on another port;
 *         -EDQUOT when the port has reached its limit; -ENOSPC when the shared part of the table is
 *         full
 */
int fcn_mac_table_learn(struct fcn_mac_table *table, const struct fcn_mac_key *key, uint16_t port,
		uint64_t now);

/**
 * Like fcn_mac_table_learn(), for one of several tables that share what they learn. The entries of
 * the other tables age, too, so they have to be refreshed at times.
 *
 * @param readvertise_ns interval, in ns, after which a refreshed address is to be sent to the other
 *                  tables again
 * @return as fcn_mac_table_learn(), or FCN_MAC_READVERTISE: refreshed, and the caller has to send
 * it to the other tables again
 */
int fcn_mac_table_learn_shared(struct fcn_mac_table *table, const struct fcn_mac_key *key,
		uint16_t port, uint64_t now, uint64_t readvertise_ns);

/**
 * Know an address that was seen some time ago, before this table was made. Nothing changes when it
 * is known, or there is no room.
 *
 * @param age_ns time since it was seen; it may have been before time 0
 * @return whether it was added
 */
bool fcn_mac_table_restore(struct fcn_mac_table *table, const struct fcn_mac_key *key,
		uint16_t port, uint64_t age_ns, uint64_t now);

/**
 * Get the previous port of the address for which a learn function last returned FCN_MAC_MOVED; 0
 * when no address has moved yet.
 */
uint16_t fcn_mac_table_moved_from(const struct fcn_mac_table *table);

/**
 * Look up the port of an address. This does not count as seeing it.
 *
 * @param max_age_ns entries last seen longer ago than this count as unknown, even if they have not
 *                   been removed yet
 * @return the port, or -ENOENT
 */
int fcn_mac_table_lookup(const struct fcn_mac_table *table, const struct fcn_mac_key *key,
		uint64_t now, uint64_t max_age_ns);

/**
 * Remove entries last seen more than max_age_ns ago. A call examines at most budget entries of
 * the table; the next call continues where this one stopped.
 *
 * @return entries removed
 */
unsigned int fcn_mac_table_age(struct fcn_mac_table *table, uint64_t now, uint64_t max_age_ns,
		unsigned int budget);

/**
 * Remove every entry, or every entry of one port (port >= 0). The run time is proportional to the
 * capacity.
 *
 * @return entries removed
 */
unsigned int fcn_mac_table_flush(struct fcn_mac_table *table, int port);

/** Get the number of entries in the table, including aged ones that have not been removed yet. */
uint32_t fcn_mac_table_count(const struct fcn_mac_table *table);

/** Get the number of entries of one port, including aged ones. */
uint32_t fcn_mac_table_count_port(const struct fcn_mac_table *table, uint16_t port);

/**
 * Get the maximum number of addresses of a bridge port from its configured limit: at most the
 * capacity of the table. A limit of 0 means that none is configured, and gives a quarter of the
 * table.
 */
uint32_t fcn_mac_limit(const struct fcn_mac_table *table, uint32_t limit);

/** Remove one entry. @return whether there was one */
bool fcn_mac_table_remove(struct fcn_mac_table *table, const struct fcn_mac_key *key);

/**
 * Get the next entry, in no particular order, including aged ones.
 *
 * @param next position; the caller sets it to 0 before the first call
 * @return false when there are no more entries
 */
bool fcn_mac_table_next(
		const struct fcn_mac_table *table, uint32_t *next, struct fcn_mac_entry *entry);

#endif /* FCN_MAC_TABLE_H */
