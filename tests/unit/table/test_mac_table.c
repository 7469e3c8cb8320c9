/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>

#include <rte_errno.h>
#include <rte_memory.h>

#include "fcn_mac_table.h"
#include "table_test.h"

#define REFRESHED 0
#define LEARNED 1
#define MOVED 2

#define MAX_AGE 300000000000ull /* 300 s */

static struct fcn_mac_key
key_of(uint32_t number)
{
	struct fcn_mac_key key = {.vlan = 10, .bridge = 1};

	key.mac.addr_bytes[0] = 0x02;
	key.mac.addr_bytes[2] = (uint8_t)(number >> 24);
	key.mac.addr_bytes[3] = (uint8_t)(number >> 16);
	key.mac.addr_bytes[4] = (uint8_t)(number >> 8);
	key.mac.addr_bytes[5] = (uint8_t)number;
	return key;
}

static struct fcn_mac_table *
table_create(uint32_t capacity)
{
	struct fcn_mac_table *table = fcn_mac_table_create("macs", capacity, SOCKET_ID_ANY, 0);

	assert_non_null(table);
	assert_int_equal(fcn_mac_table_count(table), 0);
	return table;
}

static int
learn(struct fcn_mac_table *table, uint32_t number, uint16_t port, uint64_t now)
{
	struct fcn_mac_key key = key_of(number);

	return fcn_mac_table_learn(table, &key, port, now);
}

static int
lookup(const struct fcn_mac_table *table, uint32_t number, uint64_t now)
{
	struct fcn_mac_key key = key_of(number);

	return fcn_mac_table_lookup(table, &key, now, MAX_AGE);
}

TEST_FIXTURE(FCN_TEST_EAL);

TEST(learn_and_move)
{
	struct fcn_mac_table *table = table_create(16);

	assert_int_equal(lookup(table, 1, 0), -ENOENT);
	assert_int_equal(learn(table, 1, 7, 0), LEARNED);
	assert_int_equal(lookup(table, 1, 0), 7);
	assert_int_equal(learn(table, 1, 7, 10), REFRESHED);
	assert_int_equal(learn(table, 1, 63, 20), MOVED);
	assert_int_equal(fcn_mac_table_moved_from(table), 7);
	assert_int_equal(lookup(table, 1, 20), 63);
	assert_int_equal(learn(table, 1, 0, 30), MOVED);
	assert_int_equal(fcn_mac_table_moved_from(table), 63);
	assert_int_equal(lookup(table, 1, 30), 0);
	assert_int_equal(lookup(table, 2, 30), -ENOENT);
	assert_int_equal(fcn_mac_table_count(table), 1);
	fcn_mac_table_free(table);
	fcn_mac_table_free(NULL);
}

/* One MAC in two VLANs or two bridges is two addresses. */
TEST(every_part_of_the_key_counts)
{
	struct fcn_mac_table *table = table_create(16);
	struct fcn_mac_key key[4];
	unsigned int i;

	for (i = 0; i < RTE_DIM(key); i++)
		key[i] = key_of(5);
	key[1].vlan = 11;
	key[2].bridge = 2;
	key[3].mac.addr_bytes[0] = 0x06;
	for (i = 0; i < RTE_DIM(key); i++)
		assert_int_equal(fcn_mac_table_learn(table, &key[i], (uint16_t)i, 0), LEARNED);
	for (i = 0; i < RTE_DIM(key); i++)
		assert_int_equal(fcn_mac_table_lookup(table, &key[i], 0, MAX_AGE), i);
	fcn_mac_table_free(table);
}

/*
 * In a table of one bucket 16 bits of hash tell keys apart, the rest is up to
 * the comparison: among this many strangers several share them.
 */
TEST(strangers_with_equal_hash)
{
	struct fcn_mac_table *table = table_create(8);
	struct fcn_mac_key key;
	uint64_t seed = 12;
	uint32_t i;

	for (i = 0; i < 8; i++)
		assert_int_equal(learn(table, i, 1, 0), LEARNED);
	for (i = 8; i < 200000; i++)
		assert_int_equal(lookup(table, i, 0), -ENOENT);
	for (i = 0; i < 8 * 65536; i++) {
		key = key_of(i / 65536);
		key.bridge = (uint16_t)i;
		assert_int_equal(fcn_mac_table_lookup(table, &key, 0, MAX_AGE),
				key.bridge == 1 ? 1 : -ENOENT);
	}
	for (i = 0; i < 200000; i++) {
		key = key_of((uint32_t)fcn_test_random(&seed));
		key.mac.addr_bytes[1] = 1;
		assert_int_equal(fcn_mac_table_lookup(table, &key, 0, MAX_AGE), -ENOENT);
	}
	fcn_mac_table_free(table);
}

TEST(age_to_the_nanosecond)
{
	struct fcn_mac_table *table = table_create(16);
	uint64_t start = 5000000000ull;

	learn(table, 1, 3, start);
	learn(table, 2, 4, start + 1);
	assert_int_equal(lookup(table, 1, start + MAX_AGE), 3);
	assert_int_equal(lookup(table, 1, start + MAX_AGE + 1), -ENOENT);
	assert_int_equal(fcn_mac_table_age(table, start + MAX_AGE, MAX_AGE, 1000), 0);
	assert_int_equal(fcn_mac_table_count(table), 2);
	assert_int_equal(fcn_mac_table_age(table, start + MAX_AGE + 1, MAX_AGE, 1000), 1);
	assert_int_equal(fcn_mac_table_count(table), 1);
	assert_int_equal(lookup(table, 1, start), -ENOENT);
	assert_int_equal(lookup(table, 2, start + MAX_AGE + 1), 4);
	/* Seen again: young again. */
	assert_int_equal(learn(table, 2, 4, start + MAX_AGE + 2), REFRESHED);
	assert_int_equal(lookup(table, 2, start + 2 * MAX_AGE + 2), 4);
	assert_int_equal(lookup(table, 2, start + 2 * MAX_AGE + 3), -ENOENT);
	/* A clock that stands before the last sight makes nothing old. */
	assert_int_equal(lookup(table, 2, 0), 4);
	assert_int_equal(fcn_mac_table_age(table, 0, MAX_AGE, 1000), 0);
	fcn_mac_table_free(table);
}

TEST(age_budget)
{
	struct fcn_mac_table *table = table_create(100);
	unsigned int i, removed = 0;

	for (i = 0; i < 100; i++)
		learn(table, i, 1, i % 2 ? MAX_AGE + 5 : 0);
	assert_int_equal(fcn_mac_table_age(table, MAX_AGE + 5, MAX_AGE, 0), 0);
	/* Ten looks at ten entries each are one round: the aged half is gone. */
	for (i = 0; i < 10; i++) {
		unsigned int now_removed = fcn_mac_table_age(table, MAX_AGE + 5, MAX_AGE, 10);

		assert_in_range(now_removed, 0, 10);
		removed += now_removed;
	}
	assert_int_equal(removed, 50);
	assert_int_equal(fcn_mac_table_count(table), 50);
	for (i = 0; i < 100; i++)
		assert_int_equal(lookup(table, i, MAX_AGE + 5), i % 2 ? 1 : -ENOENT);
	/* A budget beyond the table is one round, no more. */
	assert_int_equal(fcn_mac_table_age(table, 3 * MAX_AGE, MAX_AGE, UINT32_MAX), 50);
	assert_int_equal(fcn_mac_table_count(table), 0);
	fcn_mac_table_free(table);
}

static void
capacity_check(uint32_t capacity)
{
	struct fcn_mac_table *table = table_create(capacity);
	uint32_t i;

	for (i = 0; i < capacity; i++)
		assert_int_equal(learn(table, i, (uint16_t)(i % 5), 0), LEARNED);
	assert_int_equal(fcn_mac_table_count(table), capacity);
	assert_int_equal(learn(table, capacity, 1, 0), -ENOSPC);
	assert_int_equal(lookup(table, capacity, 0), -ENOENT);
	/* Full, yet what is known may be seen again and move. */
	assert_int_equal(learn(table, 0, 0, 1), REFRESHED);
	assert_int_equal(learn(table, 0, 9, 1), MOVED);
	assert_int_equal(fcn_mac_table_count(table), capacity);
	for (i = 1; i < capacity; i++)
		assert_int_equal(lookup(table, i, 0), i % 5);
	assert_int_equal(fcn_mac_table_flush(table, 9), 1);
	assert_int_equal(learn(table, capacity, 2, 2), LEARNED);
	assert_int_equal(learn(table, capacity + 1, 2, 2), -ENOSPC);
	fcn_mac_table_free(table);
}

TEST(capacity)
{
	capacity_check(1);
	capacity_check(7);
	capacity_check(8);
	capacity_check(1000);
	capacity_check(4096);
	assert_null(fcn_mac_table_create("macs", 0, SOCKET_ID_ANY, 0));
	assert_int_equal(rte_errno, EINVAL);
}

TEST(flush)
{
	struct fcn_mac_table *table = table_create(64);
	unsigned int i;

	for (i = 0; i < 60; i++)
		learn(table, i, (uint16_t)(i % 3), 0);
	assert_int_equal(fcn_mac_table_flush(table, 7), 0);
	assert_int_equal(fcn_mac_table_flush(table, 0), 20);
	for (i = 0; i < 60; i++)
		assert_int_equal(lookup(table, i, 0), i % 3 == 0 ? -ENOENT : (int)(i % 3));
	assert_int_equal(fcn_mac_table_flush(table, -1), 40);
	assert_int_equal(fcn_mac_table_count(table), 0);
	for (i = 0; i < 60; i++)
		assert_int_equal(lookup(table, i, 0), -ENOENT);
	for (i = 0; i < 64; i++)
		assert_int_equal(learn(table, i, 1, 0), LEARNED);
	fcn_mac_table_free(table);
}

TEST(iterate)
{
	struct fcn_mac_table *table = table_create(50);
	bool seen[40] = {false};
	struct fcn_mac_entry entry;
	unsigned int n = 0;
	uint32_t next = 0;
	uint32_t i;

	assert_false(fcn_mac_table_next(table, &next, &entry));
	for (i = 0; i < 40; i++)
		learn(table, i, (uint16_t)(10 + i), 1000 + i);
	fcn_mac_table_flush(table, 10 + 13);
	next = 0;
	while (fcn_mac_table_next(table, &next, &entry)) {
		struct fcn_mac_key key;

		i = entry.key.mac.addr_bytes[5];
		assert_in_range(i, 0, 39);
		key = key_of(i);
		assert_memory_equal(&entry.key, &key, sizeof(key));
		assert_int_equal(entry.port, 10 + i);
		assert_int_equal(entry.seen_ns, 1000 + i);
		assert_false(seen[i]);
		seen[i] = true;
		n++;
	}
	assert_int_equal(n, 39);
	assert_false(seen[13]);
	assert_false(fcn_mac_table_next(table, &next, &entry));
	fcn_mac_table_free(table);
}

/* One port with 70 000 sources, as an attacker has them: others learn what is behind them. */
TEST(one_port_cannot_fill_it)
{
	struct fcn_mac_table *table = table_create(65536);
	uint32_t i;

	fcn_mac_table_reserve(table, 4);
	fcn_mac_table_limit(table, 5, 16384);
	for (i = 0; i < 70000; i++)
		assert_int_equal(learn(table, i, 5, 0), i < 16384 ? LEARNED : -EDQUOT);
	assert_int_equal(fcn_mac_table_count_port(table, 5), 16384);
	/* What is known there is seen again, and may go. */
	assert_int_equal(learn(table, 7, 5, 1), REFRESHED);
	assert_int_equal(learn(table, 7, 6, 2), MOVED);
	assert_int_equal(learn(table, 100000, 5, 2), LEARNED);
	/* It takes nothing away from another port, either. */
	assert_int_equal(learn(table, 7, 5, 3), -EDQUOT);
	assert_int_equal(lookup(table, 7, 3), 6);
	/* 32768 are shared; 5 has 15872 of them, and its own 512. */
	for (i = 0; i < 17408; i++)
		assert_int_equal(learn(table, 200000 + i, 8, 3), LEARNED);
	assert_int_equal(learn(table, 300000, 8, 3), -ENOSPC);
	/* Each other port still has those that were set aside for it. */
	for (i = 0; i < 512; i++)
		assert_int_equal(learn(table, 400000 + i, 9, 3), LEARNED);
	assert_int_equal(learn(table, 400512, 9, 3), -ENOSPC);
	assert_int_equal(lookup(table, 400511, 3), 9);
	/* What a port gives up is there for all. */
	assert_int_equal(fcn_mac_table_flush(table, 5), 16384);
	assert_int_equal(fcn_mac_table_count_port(table, 5), 0);
	for (i = 0; i < 15872; i++)
		assert_int_equal(learn(table, 500000 + i, 9, 3), LEARNED);
	assert_int_equal(learn(table, 600000, 9, 3), -ENOSPC);
	fcn_mac_table_free(table);
}

/*
 * With more ports than there are parts, each has a smaller one: 65536 / 2 / 256 = 128. What ports
 * had learned before stays.
 */
TEST(parts_of_many_ports)
{
	struct fcn_mac_table *table = table_create(65536);

	fcn_mac_table_reserve(table, 2);
	for (uint32_t i = 0; i < 512 + 32768; i++)
		assert_int_equal(learn(table, i, 0, 0), LEARNED);
	assert_int_equal(learn(table, 100000, 0, 0), -ENOSPC);
	for (uint32_t i = 0; i < 200; i++)
		assert_int_equal(learn(table, 200000 + i, 255, 0), LEARNED);
	fcn_mac_table_reserve(table, 256);
	for (unsigned int p = 1; p <= 250; p++) {
		for (uint32_t i = 0; i < 128; i++)
			assert_int_equal(learn(table, 1000000 * p + i, p, 1), LEARNED);
		/* Beyond its part, 0 has 512 - 128 too many already, and 255 has 72. */
		assert_int_equal(learn(table, 1000000 * p + 128, p, 1), -ENOSPC);
	}
	assert_int_equal(lookup(table, 7, 1), 0);
	assert_int_equal(lookup(table, 200199, 1), 255);
	assert_int_equal(fcn_mac_table_flush(table, 0), 512 + 32768);
	assert_int_equal(learn(table, 300000, 255, 2), LEARNED);
	fcn_mac_table_free(table);
}

/* A table that is full when parts become smaller takes no more until something ages. */
TEST(full_before_many_ports)
{
	struct fcn_mac_table *table = table_create(1024);
	uint32_t n = 0;

	fcn_mac_table_reserve(table, 64); /* 8 for each, 512 shared */
	for (unsigned int p = 0; p < 64; p++) {
		for (uint32_t i = 0; i < 16; i++)
			n += learn(table, 1000 * p + i, p, 0) == LEARNED;
	}
	assert_int_equal(n, 1024);
	fcn_mac_table_reserve(table, 128); /* 4 for each */
	assert_int_equal(learn(table, 500000, 100, 1), -ENOSPC);
	assert_int_equal(learn(table, 7, 100, 1), MOVED); /* needs no room */
	assert_int_equal(fcn_mac_table_flush(table, 5), 16);
	assert_int_equal(learn(table, 500000, 100, 2), LEARNED);
	assert_int_equal(fcn_mac_table_count_port(table, 100), 2);
	fcn_mac_table_free(table);
}

/* Counts by port against a plain array, with moves, ageing, flushes and small limits. */
TEST(counts_by_port)
{
	enum {
		KEYS = 300,
		PORTS = 4,
		CAPACITY = 256,
		RESERVE = 2,
		LIMIT = 40
	};
	static int where[KEYS];
	static uint64_t seen[KEYS];
	struct fcn_mac_table *table = table_create(CAPACITY);
	uint32_t count[PORTS] = {0};
	uint64_t seed = 5, now = 0;

	fcn_mac_table_reserve(table, PORTS);
	fcn_mac_table_limit(table, 1, LIMIT);
	for (unsigned int i = 0; i < KEYS; i++)
		where[i] = -1;
	for (unsigned int step = 0; step < 50000; step++) {
		uint32_t number = fcn_test_random(&seed) % KEYS;
		uint16_t port = fcn_test_random(&seed) % PORTS;
		uint32_t shared = 0, total = 0, left[PORTS];
		int want;

		now += 100;
		if (step % 5000 == 4999) {
			for (unsigned int i = 0; i < KEYS; i++) {
				if (where[i] == port)
					where[i] = -1;
			}
			assert_int_equal(fcn_mac_table_flush(table, port), count[port]);
			count[port] = 0;
			continue;
		}
		if (step % 1000 == 999) {
			fcn_mac_table_age(table, now, 60000, CAPACITY);
			for (unsigned int i = 0; i < KEYS; i++) {
				if (where[i] >= 0 && now - seen[i] > 60000) {
					count[where[i]]--;
					where[i] = -1;
				}
			}
			continue;
		}
		memcpy(left, count, sizeof(left));
		if (where[number] >= 0)
			left[where[number]]--;
		for (unsigned int p = 0; p < PORTS; p++)
			shared += left[p] > RESERVE ? left[p] - RESERVE : 0;
		if (where[number] == port)
			want = REFRESHED;
		else if (port == 1 && left[1] >= LIMIT)
			want = -EDQUOT;
		else if (left[port] >= RESERVE && shared >= CAPACITY - RESERVE * (int)FCN_MAC_PARTS)
			want = -ENOSPC;
		else
			want = where[number] < 0 ? LEARNED : MOVED;
		assert_int_equal(learn(table, number, port, now), want);
		if (want < 0)
			continue;
		if (where[number] >= 0)
			count[where[number]]--;
		count[port]++;
		where[number] = port;
		seen[number] = now;
		for (unsigned int p = 0; p < PORTS; p++) {
			assert_int_equal(fcn_mac_table_count_port(table, p), count[p]);
			total += count[p];
		}
		assert_int_equal(fcn_mac_table_count(table), total);
	}
	fcn_mac_table_free(table);
}

TEST(remove)
{
	struct fcn_mac_table *table = table_create(10);
	struct fcn_mac_key key = key_of(3);

	assert_false(fcn_mac_table_remove(table, &key));
	learn(table, 3, 2, 0);
	assert_true(fcn_mac_table_remove(table, &key));
	assert_int_equal(lookup(table, 3, 0), -ENOENT);
	assert_int_equal(fcn_mac_table_count_port(table, 2), 0);
	assert_false(fcn_mac_table_remove(table, &key));
	fcn_mac_table_free(table);
}

/* Random work against a plain array. */
TEST(against_array)
{
	enum {
		KEYS = 600,
		CAPACITY = 500
	};
	static struct {
		bool known;
		uint16_t port;
		uint64_t seen;
	} model[KEYS];
	struct fcn_mac_table *table = table_create(CAPACITY);
	uint64_t seed = 11, now = 0;
	uint32_t count = 0;
	unsigned int step, i;

	for (step = 0; step < 100000; step++) {
		uint32_t number = (uint32_t)(fcn_test_random(&seed) % KEYS);
		uint16_t port = (uint16_t)(fcn_test_random(&seed) % 4);
		int wanted;

		now += fcn_test_random(&seed) % 1000;
		if (model[number].known && now - model[number].seen <= 100000)
			wanted = model[number].port;
		else
			wanted = -ENOENT;
		if (step % 3 == 0) {
			struct fcn_mac_key key = key_of(number);

			assert_int_equal(fcn_mac_table_lookup(table, &key, now, 100000), wanted);
			continue;
		}
		if (step % 2000 == 1) {
			unsigned int removed = 0;

			for (i = 0; i < KEYS; i++) {
				if (model[i].known && now - model[i].seen > 100000) {
					model[i].known = false;
					removed++;
				}
			}
			assert_int_equal(fcn_mac_table_age(table, now, 100000, CAPACITY), removed);
			count -= removed;
			assert_int_equal(fcn_mac_table_count(table), count);
			continue;
		}
		if (model[number].known)
			wanted = model[number].port == port ? REFRESHED : MOVED;
		else
			wanted = count == CAPACITY ? -ENOSPC : LEARNED;
		assert_int_equal(learn(table, number, port, now), wanted);
		if (wanted == -ENOSPC)
			continue;
		count += wanted == LEARNED;
		model[number].known = true;
		model[number].port = port;
		model[number].seen = now;
	}
	fcn_mac_table_free(table);
}

/*
 * A table that is full or nearly so, from which addresses are removed at random: all others are
 * still found, and the next ones take the numbers that have been free for longest.
 */
static void
removal_check(uint32_t capacity, uint64_t seed)
{
	enum {
		MOST = 4096
	};
	static uint32_t key_at[MOST], queue[MOST];
	static bool used[MOST];
	struct fcn_mac_table *table = fcn_mac_table_create("macs", capacity, SOCKET_ID_ANY, 77);
	uint32_t next_key = 0, next = 0, head = 0, n_free = capacity, seen = 0;
	struct fcn_mac_entry entry;

	assert_non_null(table);
	for (uint32_t i = 0; i < capacity; i++) {
		queue[i] = i;
		used[i] = false;
	}
	for (uint32_t step = 0; step < 6 * capacity; step++) {
		const uint32_t at = (uint32_t)(fcn_test_random(&seed) % capacity);
		struct fcn_mac_key key;

		if (n_free != 0) {
			const uint32_t number = queue[head];

			assert_int_equal(learn(table, next_key, 1, 0), LEARNED);
			key_at[number] = next_key++;
			used[number] = true;
			head = (head + 1) % capacity;
			n_free--;
		} else {
			assert_int_equal(learn(table, next_key, 1, 0), -ENOSPC);
		}
		if (step < capacity || !used[at])
			continue;
		key = key_of(key_at[at]);
		assert_true(fcn_mac_table_remove(table, &key));
		used[at] = false;
		queue[(head + n_free++) % capacity] = at;
		if (step % 16 != 0)
			continue;
		assert_int_equal(lookup(table, key_at[at], 0), -ENOENT);
		for (uint32_t i = 0; i < capacity; i++) {
			if (used[i])
				assert_int_equal(lookup(table, key_at[i], 0), 1);
		}
	}
	while (fcn_mac_table_next(table, &next, &entry)) {
		const struct fcn_mac_key key = key_of(key_at[next - 1]);

		assert_true(used[next - 1]);
		assert_memory_equal(&entry.key, &key, sizeof(key));
		seen++;
	}
	assert_int_equal(seen, capacity - n_free);
	assert_int_equal(seen, fcn_mac_table_count(table));
	fcn_mac_table_free(table);
}

TEST(removal)
{
	for (uint64_t seed = 0; seed < 20; seed++) {
		removal_check(8, seed);
		removal_check(61, seed);
	}
	removal_check(1024, 3);
}

TEST(no_leak)
{
	size_t before = table_heap_used();
	unsigned int i;

	for (i = 0; i < 200; i++) {
		/* Two of one name may live at a time. */
		struct fcn_mac_table *a = table_create(256);
		struct fcn_mac_table *b = table_create(256);

		learn(a, i, 1, 0);
		assert_int_equal(lookup(b, i, 0), -ENOENT);
		fcn_mac_table_free(a);
		fcn_mac_table_free(b);
	}
	assert_int_equal(table_heap_used(), before);
}
