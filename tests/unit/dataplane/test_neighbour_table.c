/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* The hash table of neighbours against the search among the sorted ones. */

#include <stdlib.h>

#include "fcn_neighbour_table.h"
#include "fcn_random.h"
#include "fcn_test.h"

#define MAX_ENTRIES 5000
#define SLOTS (16384 + FCN_NEIGHBOUR_PROBES)

static struct fcn_neighbour_entry entry[MAX_ENTRIES];
static struct fcn_neighbour_slot slot[SLOTS];

static int
compare(const void *left, const void *right)
{
	const struct fcn_neighbour_entry *b = right;

	return fcn_neighbour_compare(left, b->version, b->port, b->addr);
}

/* Sort the entries, and remove equal ones. */
static struct fcn_neighbour_table
table_of(unsigned int n)
{
	unsigned int kept = 0;

	qsort(entry, n, sizeof(entry[0]), compare);
	for (unsigned int i = 0; i < n; i++) {
		if (kept == 0 || compare(&entry[kept - 1], &entry[i]) != 0)
			entry[kept++] = entry[i];
	}
	return (struct fcn_neighbour_table){.n = kept, .entry = entry};
}

/* Addresses that are near each other, of both versions, at few ports. */
static struct fcn_neighbour_entry
random_entry(struct fcn_random *random, unsigned int n)
{
	const uint64_t draw = fcn_random64(random);
	struct fcn_neighbour_entry e = {.addr = {0x20, 1, 0x0d, 0xb8},
			.port = draw >> 32 & 3,
			.version = draw >> 40 & 1 ? 4 : 6,
			.next_hop = 1 + (uint32_t)(draw >> 44)};

	memcpy(&e.addr[e.version == 4 ? 2 : 14], &(uint16_t){draw % (2 * n)}, 2);
	if (draw >> 41 & 1)
		e.addr[7] = draw >> 48;
	return e;
}

TEST(random)
{
	static const unsigned int sizes[] = {0, 1, 2, 3, 10, 100, 1000, MAX_ENTRIES};
	struct fcn_random random = {.state = 5};

	for (unsigned int i = 0; i < RTE_DIM(sizes); i++) {
		struct fcn_neighbour_table t;
		unsigned int found = 0;

		for (unsigned int k = 0; k < sizes[i]; k++)
			entry[k] = random_entry(&random, sizes[i]);
		t = table_of(sizes[i]);
		assert_true(fcn_neighbour_slots(t.n) + FCN_NEIGHBOUR_PROBES <= SLOTS);
		fcn_neighbour_hash(&t, slot);
		assert_non_null(t.slot);
		for (unsigned int k = 0; k < t.n; k++)
			assert_int_equal(fcn_neighbour_find(&t, entry[k].version, entry[k].port,
							 entry[k].addr),
					entry[k].next_hop);
		/* the same, and some that differ from one in a single bit */
		for (unsigned int k = 0; t.n > 0 && k < 20000; k++) {
			const uint64_t draw = fcn_random64(&random);
			struct fcn_neighbour_entry e = entry[draw % t.n];
			uint32_t wanted;

			if (draw >> 32 & 1)
				e.addr[draw >> 33 & 15] ^= 1 << (draw >> 40) % 8;
			else if (draw >> 33 & 1)
				e.port ^= 1;
			wanted = fcn_neighbour_search(&t, e.version, e.port, e.addr);
			assert_int_equal(fcn_neighbour_find(&t, e.version, e.port, e.addr), wanted);
			found += wanted != 0;
		}
		assert_true(t.n == 0 || (found > 4000 && found < 19000));
	}
}

/* Entries that have the same place, whichever the factor, as they are equal. When they have no room
 * near it there is no hash table, and they are found all the same. */
TEST(no_room)
{
	struct fcn_neighbour_table t = {.entry = entry};

	for (unsigned int n = 0; n <= FCN_NEIGHBOUR_PROBES + 1; n++) {
		entry[n] = (struct fcn_neighbour_entry){
				.addr = {10, 1, 2, 3}, .port = 1, .version = 4, .next_hop = 7};
		t.n = n;
		fcn_neighbour_hash(&t, slot);
		assert_true((t.slot == NULL) == (n > FCN_NEIGHBOUR_PROBES));
		assert_int_equal(fcn_neighbour_find(&t, 4, 1, entry[0].addr), n == 0 ? 0 : 7);
		assert_int_equal(fcn_neighbour_find(&t, 6, 1, entry[0].addr), 0);
		assert_int_equal(fcn_neighbour_find(&t, 4, 2, entry[0].addr), 0);
	}
}
