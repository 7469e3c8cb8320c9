/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Table of the neighbours that are known, found on connected networks or configured: interface and
 * IP address to the index of the next hop with their MAC address. The control thread sorts it;
 * workers only read it.
 */

#ifndef FCN_NEIGHBOUR_TABLE_H
#define FCN_NEIGHBOUR_TABLE_H

#include <stdint.h>
#include <string.h>

struct fcn_neighbour_entry {
	uint8_t addr[16];  /**< network byte order; IPv4: in the first 4 bytes, then zeros */
	uint16_t port;     /**< port or sub-interface by which the neighbour is reached */
	uint8_t version;   /**< IP version: 4 or 6 */
	uint32_t next_hop; /**< index of the next hop, above 0 */
};

struct fcn_neighbour_table {
	uint32_t n;
	const struct fcn_neighbour_entry *entry; /**< in the order of fcn_neighbour_compare() */
};

/** Compare an entry with a key. @return below 0, 0 or above 0, as memcmp() */
static inline int
fcn_neighbour_compare(const struct fcn_neighbour_entry *e, uint8_t version, uint16_t port,
		const uint8_t addr[16])
{
	if (e->version != version)
		return e->version - version;
	if (e->port != port)
		return e->port - port;
	return memcmp(e->addr, addr, sizeof(e->addr));
}

/** Find the index of a neighbour's next hop; 0 when the table does not contain the neighbour. */
static inline uint32_t
fcn_neighbour_find(const struct fcn_neighbour_table *t, uint8_t version, uint16_t port,
		const uint8_t addr[16])
{
	uint32_t low = 0, high = t->n;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		int d = fcn_neighbour_compare(&t->entry[middle], version, port, addr);

		if (d == 0)
			return t->entry[middle].next_hop;
		if (d < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return 0;
}

#endif /* FCN_NEIGHBOUR_TABLE_H */
