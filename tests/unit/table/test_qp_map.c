/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <pthread.h>
#include <stdlib.h>

#include "fcn_qp_map.h"
#include "table_test.h"

#define ANY "0.0.0.1" /* a sender, of entries of any sender */

static struct fcn_qp_pair
pair(const char *receiver, uint32_t receiver_qp, uint32_t sender_qp)
{
	struct fcn_qp_pair p = {.receiver_qp = receiver_qp, .sender_qp = sender_qp};

	assert_int_equal(fcn_addr_parse(receiver, &p.receiver), 0);
	return p;
}

static struct fcn_qp_pair
pair_from(const char *receiver, uint32_t receiver_qp, const char *sender, uint32_t sender_qp)
{
	struct fcn_qp_pair p = pair(receiver, receiver_qp, sender_qp);

	assert_int_equal(fcn_addr_parse(sender, &p.sender), 0);
	return p;
}

/* Look up a queue pair. @return that of the sender; -1: it is not found */
static int64_t
find_from(const struct fcn_qp_map *map, const char *receiver, uint32_t receiver_qp,
		const char *sender)
{
	struct fcn_addr addr, from;
	uint32_t qp;

	assert_int_equal(fcn_addr_parse(receiver, &addr), 0);
	assert_int_equal(fcn_addr_parse(sender, &from), 0);
	return fcn_qp_map_find(map, addr.version, addr.bytes, receiver_qp, from.bytes, &qp)
			       ? (int64_t)qp
			       : -1;
}

static int64_t
find(const struct fcn_qp_map *map, const char *receiver, uint32_t receiver_qp)
{
	return find_from(map, receiver, receiver_qp, ANY);
}

static struct fcn_qp_map *
map_of(uint32_t reported, const struct fcn_qp_pair *pairs, unsigned int n)
{
	struct fcn_qp_map *map = fcn_qp_map_create("map", reported, n, 0, SOCKET_ID_ANY);

	assert_non_null(map);
	for (unsigned int i = 0; i < n; i++)
		assert_int_equal(fcn_qp_map_put(map, &pairs[i], FCN_QP_MAP_CONFIGURED, 0), 0);
	return map;
}

TEST_FIXTURE(FCN_TEST_EAL);

TEST(find)
{
	const struct fcn_qp_pair pairs[] = {
			pair("2001:db8::2", 18, 1),
			pair("192.0.2.1", 17, 2),
			pair("2001:db8::2", 17, 3),
			pair("192.0.2.1", FCN_QP_MAX, 0),
			/* the same bytes as 192.0.2.1 */
			pair("c000:201::", 17, 4),
			pair("2001:db8::3", 0, FCN_QP_MAX),
	};
	struct fcn_qp_map *map = map_of(0, pairs, RTE_DIM(pairs));

	assert_int_equal(find(map, "2001:db8::2", 18), 1);
	assert_int_equal(find(map, "192.0.2.1", 17), 2);
	assert_int_equal(find(map, "2001:db8::2", 17), 3);
	assert_int_equal(find(map, "192.0.2.1", FCN_QP_MAX), 0);
	assert_int_equal(find(map, "c000:201::", 17), 4);
	assert_int_equal(find(map, "2001:db8::3", 0), FCN_QP_MAX);
	assert_int_equal(find(map, "2001:db8::2", 19), -1);
	assert_int_equal(find(map, "2001:db8::3", 17), -1);
	assert_int_equal(find(map, "192.0.2.2", 17), -1);
	fcn_qp_map_free(map);
	assert_int_equal(find(NULL, "192.0.2.1", 17), -1);
	fcn_qp_map_free(NULL);
}

/* IPv4 addresses are the first four bytes, whatever is behind them. */
TEST(ipv4_bytes)
{
	const struct fcn_qp_pair p = pair("192.0.2.1", 17, 5);
	struct fcn_qp_map *map = map_of(0, &p, 1);
	const uint8_t addr[16] = {192, 0, 2, 1, 0xff, 0xff};
	uint32_t qp = 0;

	assert_true(fcn_qp_map_find(map, 4, addr, 17, addr, &qp));
	assert_int_equal(qp, 5);
	assert_false(fcn_qp_map_find(map, 6, addr, 17, addr, &qp));
	fcn_qp_map_free(map);
}

/* With a sender, only its packets count. */
TEST(sender)
{
	struct fcn_qp_pair p = pair_from("2001:db8::2", 17, "2001:db8:a::1", 5);
	struct fcn_qp_map *map = map_of(0, &p, 1);

	assert_int_equal(find_from(map, "2001:db8::2", 17, "2001:db8:a::1"), 5);
	assert_int_equal(find_from(map, "2001:db8::2", 17, "2001:db8:a::2"), -1);
	assert_int_equal(find_from(map, "2001:db8::2", 17, "2001:db8:b::1"), -1);
	p = pair_from("192.0.2.1", 17, "192.0.2.2", 6);
	assert_int_equal(fcn_qp_map_put(map, &p, FCN_QP_MAP_CONFIGURED, 0), 0);
	assert_int_equal(find_from(map, "192.0.2.1", 17, "192.0.2.2"), 6);
	assert_int_equal(find_from(map, "192.0.2.1", 17, "192.0.2.3"), -1);
	fcn_qp_map_free(map);
}

static unsigned int
list_of(const struct fcn_qp_map *map, uint32_t owner, uint32_t *qps, unsigned int room)
{
	struct fcn_qp_entry e;
	unsigned int n = 0;

	for (uint32_t i = fcn_qp_map_first(map, owner); i != FCN_QP_MAP_NONE;
			i = fcn_qp_map_next(map, i)) {
		assert_true(fcn_qp_map_get(map, i, &e));
		assert_int_equal(e.owner, owner);
		assert_true(n < room);
		qps[n++] = e.pair.receiver_qp;
	}
	assert_int_equal(fcn_qp_map_count(map, owner), n);
	return n;
}

/* Entries are added, replaced, renewed and removed; each owner has a list of its own. */
TEST(owners)
{
	struct fcn_qp_map *map = fcn_qp_map_create("map", 3, 1, 99, SOCKET_ID_ANY);
	struct fcn_qp_pair p = pair_from("2001:db8::2", 1, "2001:db8:a::1", 5);
	struct fcn_qp_entry e;
	uint32_t qps[4], place;

	assert_non_null(map);
	assert_int_equal(fcn_qp_map_put(map, &p, 7, 100), 0);
	assert_int_equal(fcn_qp_map_put(map, &p, 7, 200), 2);
	p.receiver_qp = 2;
	assert_int_equal(fcn_qp_map_put(map, &p, 7, 300), 0);
	p.receiver_qp = 3;
	assert_int_equal(fcn_qp_map_put(map, &p, 8, 400), 0);
	p.receiver_qp = 4;
	assert_int_equal(fcn_qp_map_put(map, &p, 8, 500), -ENOSPC);
	assert_int_equal(fcn_qp_map_put(map, &p, FCN_QP_MAP_CONFIGURED, 500), 0);
	assert_int_equal(fcn_qp_map_reported(map), 3);
	assert_int_equal(list_of(map, 7, qps, 4), 2);
	assert_int_equal(qps[0], 2);
	assert_int_equal(qps[1], 1);
	assert_int_equal(list_of(map, 8, qps, 4), 1);
	p.receiver_qp = 1;
	p.sender_qp = 6;
	assert_int_equal(fcn_qp_map_put(map, &p, 7, 600), 1);
	assert_int_equal(find_from(map, "2001:db8::2", 1, "2001:db8:a::1"), 6);
	place = fcn_qp_map_place(map, &p.receiver, 1);
	assert_true(fcn_qp_map_get(map, place, &e));
	assert_int_equal(e.since_ns, 600);
	assert_true(fcn_addr_equal(&e.pair.sender, &p.sender));
	assert_true(fcn_addr_equal(&e.pair.receiver, &p.receiver));
	fcn_qp_map_remove(map, place);
	assert_false(fcn_qp_map_get(map, place, &e));
	assert_int_equal(fcn_qp_map_place(map, &p.receiver, 1), FCN_QP_MAP_NONE);
	assert_int_equal(find_from(map, "2001:db8::2", 1, "2001:db8:a::1"), -1);
	assert_int_equal(list_of(map, 7, qps, 4), 1);
	/* What is configured needs no room of reports. */
	p.receiver_qp = 3;
	assert_int_equal(fcn_qp_map_put(map, &p, FCN_QP_MAP_CONFIGURED, 700), 1);
	assert_int_equal(fcn_qp_map_reported(map), 1);
	fcn_qp_map_clear(map);
	assert_int_equal(fcn_qp_map_reported(map), 0);
	assert_int_equal(list_of(map, 7, qps, 4), 0);
	assert_int_equal(list_of(map, FCN_QP_MAP_CONFIGURED, qps, 4), 0);
	fcn_qp_map_free(map);
}

/* The pair with a number, as different in their addresses as those of a fabric. */
static struct fcn_qp_pair
numbered(uint32_t i)
{
	struct fcn_qp_pair p = pair_from(i % 3 == 0 ? "10.0.0.0" : "2001:db8::", 100 + i % 977,
			i % 3 == 0 ? "10.1.0.0" : "2001:db8:1::", i);

	memcpy(p.receiver.bytes + (i % 3 == 0 ? 1 : 12), &i, 3);
	return p;
}

static bool
has(const struct fcn_qp_map *map, uint32_t i)
{
	const struct fcn_qp_pair p = numbered(i);
	uint32_t qp = 0;

	if (!fcn_qp_map_find(map, p.receiver.version, p.receiver.bytes, p.receiver_qp,
			    p.sender.bytes, &qp))
		return false;
	assert_int_equal(qp, p.sender_qp);
	return true;
}

/* A full map has all that was put into it and nothing else, also after half of it was removed and
 * other entries came. The expected result is what a set of numbers says. */
TEST(full)
{
	const uint32_t n = 100000;
	struct fcn_qp_map *map = fcn_qp_map_create("map", n, 0, 5, SOCKET_ID_ANY);
	struct fcn_qp_pair p;

	assert_non_null(map);
	for (uint32_t i = 0; i < n; i++) {
		p = numbered(i);
		assert_int_equal(fcn_qp_map_put(map, &p, 1 + i % 64, i), 0);
	}
	for (uint32_t i = 0; i < 2 * n; i++)
		assert_int_equal(has(map, i), i < n);
	for (uint32_t i = 0; i < n; i += 2) {
		p = numbered(i);
		fcn_qp_map_remove(map, fcn_qp_map_place(map, &p.receiver, p.receiver_qp));
	}
	for (uint32_t i = n; i < n + n / 2; i++) {
		p = numbered(i);
		assert_int_equal(fcn_qp_map_put(map, &p, 1, i), 0);
	}
	assert_int_equal(fcn_qp_map_reported(map), n);
	for (uint32_t i = 0; i < 2 * n; i++)
		assert_int_equal(has(map, i), i < n ? i % 2 : i < n + n / 2);
	fcn_qp_map_free(map);
}

/* DPDK has less memory here than the largest map takes. */
TEST(largest)
{
	struct fcn_qp_map *map = fcn_qp_map_create("map", FCN_QP_MAP_MOST, 1, 0, SOCKET_ID_ANY);

	assert_non_null(map);
	for (uint32_t i = 0; i < 1000; i++) {
		const struct fcn_qp_pair p = numbered(i);

		assert_int_equal(fcn_qp_map_put(map, &p, 1, i), 0);
	}
	for (uint32_t i = 0; i < 2000; i++)
		assert_int_equal(has(map, i), i < 1000);
	fcn_qp_map_free(map);
}

/* ---- a worker looks up while the control thread changes ---- */

struct reader {
	const struct fcn_qp_map *map;
	struct fcn_qp_pair stays, changes;
	uint64_t looked; /* atomic */
	bool stop, wrong;
};

/* The sender of `changes` says which queue pair its own entry has: they come and go together. */
static void *
look_up(void *arg)
{
	struct reader *r = arg;

	while (!__atomic_load_n(&r->stop, __ATOMIC_RELAXED)) {
		uint8_t sender[16] = {0x20};
		uint32_t qp;

		r->wrong |= !fcn_qp_map_find(r->map, 6, r->stays.receiver.bytes,
					    r->stays.receiver_qp, sender, &qp) ||
			    qp != r->stays.sender_qp;
		for (uint8_t k = 1; k < 8; k++) {
			sender[15] = k;
			if (!fcn_qp_map_find(r->map, 6, r->changes.receiver.bytes,
					    r->changes.receiver_qp, sender, &qp))
				continue;
			r->wrong |= qp != 1000u * k;
		}
		__atomic_store_n(&r->looked, r->looked + 8, __ATOMIC_RELAXED);
	}
	return NULL;
}

/* Each look-up finds a whole entry or none, and an entry that stays always. */
TEST(reader_thread)
{
	struct fcn_qp_map *map = fcn_qp_map_create("map", 16, 0, 0, SOCKET_ID_ANY);
	struct reader r = {.map = map,
			.stays = pair("2001:db8::1", 1, 77),
			.changes = pair_from("2001:db8::2", 2, "2000::", 0)};
	pthread_t thread;

	assert_non_null(map);
	assert_int_equal(fcn_qp_map_put(map, &r.stays, 1, 0), 0);
	assert_int_equal(pthread_create(&thread, NULL, look_up, &r), 0);
	for (unsigned int i = 0;
			i < 200000 || __atomic_load_n(&r.looked, __ATOMIC_RELAXED) < 4000000; i++) {
		struct fcn_qp_pair p = r.changes;
		const uint8_t k = 1 + i % 7;

		p.sender.bytes[15] = k;
		p.sender_qp = 1000u * k;
		assert_true(fcn_qp_map_put(map, &p, 1, i) >= 0);
		if (i % 5 == 0)
			fcn_qp_map_remove(map, fcn_qp_map_place(map, &p.receiver, p.receiver_qp));
	}
	__atomic_store_n(&r.stop, true, __ATOMIC_RELAXED);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_false(r.wrong);
	fcn_qp_map_free(map);
}
