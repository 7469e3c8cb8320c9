/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* What one originator does to the entries of others when it says more than there is room for. */

#include <string.h>

#include "lsdb.h"
#include "pnc_util.h"

static struct {
	uint32_t n;
	struct fcn_addr proxy; /* told last */
} told;

static void
add(void *arg, const struct fcn_pnc_prefix *prefix)
{
	RTE_SET_USED(arg);
	told.n++;
	told.proxy = prefix->proxy;
}

static void
take_out(void *arg, const struct fcn_pnc_prefix *prefix)
{
	RTE_SET_USED(arg);
	RTE_SET_USED(prefix);
	told.n--;
}

static struct lsdb *
create(const struct fcn_pnc_limits *limits)
{
	const struct lsdb_conf conf = {.limits = *limits,
			.sink = {.add = add, .remove = take_out},
			.protocol = FCN_PNC_OSPF};
	struct lsdb *db = lsdb_create(&conf);

	assert_non_null(db);
	memset(&told, 0, sizeof(told));
	return db;
}

/* Begin item `number` of an originator. */
static struct lsdb_message *
begin(struct lsdb *db, uint8_t origin, uint8_t number)
{
	struct lsdb_message *m = lsdb_message(db);

	m->key[0] = origin;
	m->key[1] = number;
	m->origin[0] = origin;
	m->sequence = 1;
	m->expires_ns = 100 * SECOND + number;
	return m;
}

static struct lsdb_prefix *
say(struct lsdb *db, const char *text)
{
	struct fcn_prefix prefix;
	struct lsdb_prefix *said;

	assert_int_equal(fcn_prefix_parse(text, &prefix), 0);
	said = lsdb_message_add(db, &prefix);
	assert_non_null(said);
	said->has_origin = true;
	return said;
}

static void
say_address(struct lsdb *db, const char *text)
{
	struct fcn_addr addr;

	assert_int_equal(fcn_addr_parse(text, &addr), 0);
	lsdb_message_address(db, LSDB_ROUTER_ADDRESS, &addr);
}

/* One router names many others as the originators of its prefixes: others are still read. */
TEST(named)
{
	const struct fcn_pnc_limits limits = {.items = 8,
			.originators = 4,
			.prefixes = 16,
			.originator_items = 4,
			.originator_prefixes = 12};
	struct fcn_pnc_state now;
	struct lsdb *db = create(&limits);

	begin(db, 1, 0);
	for (unsigned int i = 0; i < 12; i++) {
		char text[32];

		snprintf(text, sizeof(text), "10.0.%u.0/24", i);
		say(db, text)->origin[0] = (uint8_t)(100 + i);
	}
	assert_int_equal(lsdb_store(db), FCN_PNC_COUNT_NEW);
	for (uint8_t router = 2; router < 6; router++) {
		begin(db, router, 0);
		say_address(db, "192.0.2.2");
		if (router == 2)
			say(db, "10.1.0.0/24");
		assert_int_equal(lsdb_store(db),
				router < 5 ? FCN_PNC_COUNT_NEW : FCN_PNC_COUNT_ORIGINATORS_FULL);
	}
	assert_int_equal(told.n, 1);
	lsdb_state(db, &now);
	assert_int_equal(now.originators, 4);
	assert_int_equal(now.items, 4);
	/* All of it ends, and nothing is left over. */
	assert_true(lsdb_tick(db, 200 * SECOND) == UINT64_MAX);
	lsdb_state(db, &now);
	assert_int_equal(now.originators + now.items + now.unresolved, 0);
	assert_int_equal(told.n, 0);
	lsdb_destroy(db);
}

/* One router has a prefix in many LSAs, with an address that would be chosen: others keep theirs.
 */
TEST(same_prefix)
{
	const struct fcn_pnc_limits limits = FCN_PNC_DEFAULT_LIMITS;
	struct lsdb *db = create(&limits);
	char text[FCN_ADDR_STRLEN];

	for (uint8_t i = 0; i < 200; i++) {
		begin(db, 1, i);
		say_address(db, "192.0.2.9");
		say(db, "10.0.0.0/24");
		assert_int_equal(lsdb_store(db), FCN_PNC_COUNT_NEW);
	}
	begin(db, 2, 0);
	say_address(db, "192.0.2.1");
	say(db, "10.0.0.0/24");
	assert_int_equal(lsdb_store(db), FCN_PNC_COUNT_NEW);
	assert_string_equal(fcn_addr_format(&told.proxy, text, sizeof(text)), "192.0.2.1");
	lsdb_destroy(db);
}

/* A router at its own limit does not make others' withdrawn items forgotten. */
TEST(evicted)
{
	const struct fcn_pnc_limits limits = {.items = 4,
			.originators = 2,
			.prefixes = 16,
			.originator_items = 3,
			.originator_prefixes = 12};
	struct lsdb *db = create(&limits);
	struct lsdb_message *m;
	struct lsdb_held held;
	uint8_t key[LSDB_KEY_LEN];

	m = begin(db, 2, 0);
	memcpy(key, m->key, sizeof(key));
	assert_int_equal(lsdb_store(db), FCN_PNC_COUNT_NEW);
	lsdb_withdraw(db, key, 2, 0, 60 * SECOND);
	for (uint8_t i = 0; i < 4; i++) {
		begin(db, 1, i);
		say_address(db, "192.0.2.1");
		assert_int_equal(lsdb_store(db),
				i < 3 ? FCN_PNC_COUNT_NEW : FCN_PNC_COUNT_ORIGINATOR_ITEMS_FULL);
		assert_true(lsdb_find(db, key, &held) && held.is_withdrawn);
	}
	/* Nor do routers that there is no room for. */
	begin(db, 3, 0);
	say_address(db, "192.0.2.3");
	assert_int_equal(lsdb_store(db), FCN_PNC_COUNT_ORIGINATORS_FULL);
	assert_true(lsdb_find(db, key, &held) && held.is_withdrawn);
	lsdb_destroy(db);
}
