/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <rte_common.h>

#include "lsdb_parts.h"

const char *
lsdb_limits_why_not(const struct fcn_pnc_limits *limits)
{
	const uint32_t all[] = {limits->items, limits->originators, limits->prefixes,
			limits->originator_items, limits->originator_prefixes};

	for (unsigned int i = 0; i < RTE_DIM(all); i++)
		if (all[i] == 0 || all[i] > FCN_PNC_MAX_LIMIT)
			return "a limit is 1 to 1048576";
	return NULL;
}

struct lsdb *
lsdb_create(const struct lsdb_conf *conf)
{
	const struct fcn_pnc_limits *l = &conf->limits;
	struct lsdb *db = calloc(1, sizeof(*db));

	if (db == NULL)
		return NULL;
	db->conf = *conf;
	db->heap = calloc((size_t)l->items + 1, sizeof(*db->heap));
	if (db->heap == NULL || !pnc_pool_init(&db->items, l->items, sizeof(struct item)) ||
			/* What one originator names takes no room from the others. */
			!pnc_pool_init(&db->origins, l->originators + l->prefixes,
					sizeof(struct origin)) ||
			!pnc_pool_init(&db->claims, l->prefixes, sizeof(struct claim)) ||
			/* Those that are new, while those that go have not been told yet. */
			!pnc_pool_init(&db->prefixes, l->prefixes + LSDB_MESSAGE_PREFIXES,
					sizeof(struct prefix)) ||
			!pnc_table_init(&db->item_table, l->items) ||
			!pnc_table_init(&db->origin_table, l->originators) ||
			!pnc_table_init(&db->prefix_table, l->prefixes)) {
		lsdb_destroy(db);
		return NULL;
	}
	return db;
}

void
lsdb_destroy(struct lsdb *db)
{
	if (db == NULL)
		return;
	free(db->heap);
	free(db->items.base);
	free(db->origins.base);
	free(db->claims.base);
	free(db->prefixes.base);
	free(db->item_table.bucket);
	free(db->origin_table.bucket);
	free(db->prefix_table.bucket);
	free(db);
}

uint64_t
lsdb_hash(const struct lsdb *db, const void *data, size_t len)
{
	uint64_t w[4] = {0};

	memcpy(w, data, len);
	return fcn_hash_pair(&db->conf.hash_key, w[0], w[1]) ^
	       fcn_hash_other_pair(&db->conf.hash_key, w[2], w[3]);
}

void
lsdb_count(struct lsdb *db, enum fcn_pnc_counter counter)
{
	db->count[counter]++;
}

struct lsdb_message *
lsdb_message(struct lsdb *db)
{
	memset(&db->message, 0, offsetof(struct lsdb_message, prefix));
	return &db->message;
}

/* Whether a node can have this address, and others reach it. */
static bool
is_node(const struct fcn_addr *addr)
{
	return fcn_addr_why_no_host(addr) == NULL && !fcn_addr_is_link_local(addr);
}

static struct lsdb_prefix *
add(struct lsdb *db, const struct fcn_prefix *prefix)
{
	struct lsdb_message *m = &db->message;
	struct lsdb_prefix *said = &m->prefix[m->n_prefixes];

	if (m->n_prefixes == LSDB_MESSAGE_PREFIXES) {
		lsdb_count(db, FCN_PNC_COUNT_ITEM_PREFIXES_FULL);
		return NULL;
	}
	*said = (struct lsdb_prefix){.prefix = *prefix};
	memcpy(said->origin, m->origin, LSDB_ORIGIN_LEN);
	m->n_prefixes++;
	return said;
}

struct lsdb_prefix *
lsdb_message_add(struct lsdb *db, const struct fcn_prefix *prefix)
{
	struct fcn_prefix normal = *prefix;

	fcn_prefix_normalise(&normal);
	if (is_node(&normal.addr))
		return add(db, &normal);
	lsdb_count(db, FCN_PNC_COUNT_BAD_PREFIX);
	return NULL;
}

void
lsdb_message_endcon(struct lsdb *db, const struct fcn_addr *sid, const struct fcn_prefix *locator)
{
	const struct fcn_prefix prefix = {.addr = *sid, .len = 128};
	struct lsdb_prefix *said;

	if (!is_node(sid) || !fcn_prefix_contains(locator, sid)) {
		lsdb_count(db, FCN_PNC_COUNT_BAD_SID);
		return;
	}
	said = add(db, &prefix);
	if (said != NULL)
		said->kind = FCN_PNC_ENDCON;
}

void
lsdb_prefix_name(struct lsdb *db, struct lsdb_prefix *said, const struct fcn_addr *addr)
{
	if (addr->version == 0 || said->proxy.version != 0)
		return;
	if (is_node(addr))
		said->proxy = *addr;
	else
		lsdb_count(db, FCN_PNC_COUNT_BAD_PROXY);
}

void
lsdb_message_address(struct lsdb *db, enum lsdb_source source, const struct fcn_addr *addr)
{
	struct fcn_addr *at = &db->message.address[source][addr->version == 6];

	if (!is_node(addr))
		lsdb_count(db, FCN_PNC_COUNT_BAD_PROXY);
	else if (at->version == 0 || memcmp(addr->bytes, at->bytes, sizeof(at->bytes)) < 0)
		*at = *addr;
}

static uint32_t
find_item(const struct lsdb *db, uint64_t hash, const uint8_t key[LSDB_KEY_LEN])
{
	uint32_t i = db->item_table.bucket[hash & db->item_table.mask];

	while (i != 0 && memcmp(item_at(db, i)->key, key, LSDB_KEY_LEN) != 0)
		i = item_at(db, i)->next;
	return i;
}

static uint32_t
find_key(const struct lsdb *db, const uint8_t key[LSDB_KEY_LEN])
{
	return find_item(db, lsdb_hash(db, key, LSDB_KEY_LEN), key);
}

bool
lsdb_find(const struct lsdb *db, const uint8_t key[LSDB_KEY_LEN], struct lsdb_held *held)
{
	const uint32_t i = find_key(db, key);
	const struct item *item = item_at(db, i);

	if (i == 0)
		return false;
	*held = (struct lsdb_held){.is_withdrawn = item->is_withdrawn,
			.checksum = item->checksum,
			.sequence = item->sequence,
			.expires_ns = item->expires_ns};
	return true;
}

/* Items without contents are in a list, from which the oldest gives way to a new one. */
static void
set_empty(struct lsdb *db, uint32_t i, bool is_empty)
{
	struct item *item = item_at(db, i);

	if (item->is_empty == is_empty)
		return;
	item->is_empty = is_empty;
	if (is_empty) {
		item->empty_next = 0;
		item->empty_prev = db->empty_last;
		if (db->empty_last != 0)
			item_at(db, db->empty_last)->empty_next = i;
		else
			db->empty_first = i;
		db->empty_last = i;
		return;
	}
	if (item->empty_next != 0)
		item_at(db, item->empty_next)->empty_prev = item->empty_prev;
	else
		db->empty_last = item->empty_prev;
	if (item->empty_prev != 0)
		item_at(db, item->empty_prev)->empty_next = item->empty_next;
	else
		db->empty_first = item->empty_next;
}

/* Take what an item says out of the database. The item stays. */
static void
clear(struct lsdb *db, uint32_t i)
{
	struct item *item = item_at(db, i);
	struct origin *origin = origin_at(db, item->origin);

	lsdb_claims_remove(db, i);
	lsdb_origin_remove_addresses(db, i);
	if (item->is_first && --origin->n_firsts == 0)
		lsdb_origin_changed(db, item->origin);
	item->is_first = false;
}

static void
forget(struct lsdb *db, uint32_t i)
{
	struct item *item = item_at(db, i);

	clear(db, i);
	set_empty(db, i, false);
	lsdb_heap_remove(db, i);
	pnc_table_remove(&db->item_table, &db->items, lsdb_hash(db, item->key, LSDB_KEY_LEN), i);
	db->n_originators -= --origin_at(db, item->origin)->n_items == 0;
	lsdb_origin_release(db, item->origin);
	pnc_pool_put(&db->items, i);
}

/* Whether there is room for an item of an originator, as far as this one is concerned. */
static enum fcn_pnc_counter
check_originator(const struct lsdb *db, const uint8_t key[LSDB_ORIGIN_LEN])
{
	const uint32_t o = lsdb_origin_find(db, key);
	const uint32_t n_items = o == 0 ? 0 : origin_at(db, o)->n_items;

	if (n_items >= db->conf.limits.originator_items)
		return FCN_PNC_COUNT_ORIGINATOR_ITEMS_FULL;
	if (n_items == 0 && db->n_originators >= db->conf.limits.originators)
		return FCN_PNC_COUNT_ORIGINATORS_FULL;
	return FCN_PNC_COUNT_NEW;
}

/* A new item without contents. Returns 0 and the reason when there is no room. */
static uint32_t
new_item(struct lsdb *db, const struct lsdb_message *m, enum fcn_pnc_counter *why)
{
	struct item *item;
	uint32_t i, o;

	*why = check_originator(db, m->origin);
	if (*why != FCN_PNC_COUNT_NEW)
		return 0;
	if (db->items.n == db->items.max && db->empty_first != 0) {
		forget(db, db->empty_first);
		lsdb_count(db, FCN_PNC_COUNT_EVICTED);
	}
	*why = FCN_PNC_COUNT_ITEMS_FULL;
	if (db->items.n == db->items.max)
		return 0;
	o = lsdb_origin_get(db, m->origin);
	i = pnc_pool_get(&db->items);
	item = item_at(db, i);
	item->origin = o;
	memcpy(item->key, m->key, LSDB_KEY_LEN);
	pnc_table_add(&db->item_table, &db->items, lsdb_hash(db, m->key, LSDB_KEY_LEN), i);
	db->n_originators += origin_at(db, o)->n_items++ == 0;
	lsdb_heap_add(db, i);
	return i;
}

enum fcn_pnc_counter
lsdb_store(struct lsdb *db)
{
	const struct lsdb_message *m = &db->message;
	enum fcn_pnc_counter why;
	uint32_t i = find_key(db, m->key);
	struct item *item;

	if (i == 0) {
		i = new_item(db, m, &why);
		if (i == 0) {
			lsdb_tell(db);
			return why;
		}
	} else {
		clear(db, i);
	}
	item = item_at(db, i);
	item->is_withdrawn = false;
	item->sequence = m->sequence;
	item->checksum = m->checksum;
	item->expires_ns = m->expires_ns;
	lsdb_heap_move(db, i);

	item->is_first = m->is_first;
	if (m->is_first && origin_at(db, item->origin)->n_firsts++ == 0)
		lsdb_origin_changed(db, item->origin);
	memcpy(item->address, m->address, sizeof(item->address));
	for (unsigned int s = 0; s < LSDB_SOURCE_COUNT; s++)
		item->has_address |= item->address[s][0].version != 0 ||
				     item->address[s][1].version != 0;
	lsdb_origin_add_addresses(db, i);
	for (uint32_t p = 0; p < m->n_prefixes; p++)
		lsdb_claim_add(db, i, &m->prefix[p]);
	set_empty(db, i, item->claim == 0 && !item->has_address && !item->is_first);
	lsdb_tell(db);
	return FCN_PNC_COUNT_NEW;
}

void
lsdb_withdraw(struct lsdb *db, const uint8_t key[LSDB_KEY_LEN], uint32_t sequence,
		uint16_t checksum, uint64_t until)
{
	const uint32_t i = find_key(db, key);
	struct item *item = item_at(db, i);

	if (i == 0)
		return;
	clear(db, i);
	item->is_withdrawn = true;
	item->sequence = sequence;
	item->checksum = checksum;
	item->expires_ns = until;
	lsdb_heap_move(db, i);
	set_empty(db, i, true);
	lsdb_tell(db);
}

void
lsdb_renew(struct lsdb *db, const uint8_t key[LSDB_KEY_LEN], uint64_t expires_ns)
{
	const uint32_t i = find_key(db, key);
	struct item *item = item_at(db, i);

	if (i == 0 || item->expires_ns >= expires_ns)
		return;
	item->expires_ns = expires_ns;
	lsdb_heap_move(db, i);
	for (uint32_t c = item->claim; c != 0; c = claim_at(db, c)->item_next)
		lsdb_prefix_changed(db, claim_at(db, c)->prefix);
	lsdb_tell(db);
}

uint64_t
lsdb_tick(struct lsdb *db, uint64_t now)
{
	for (unsigned int n = 0; n < LSDB_TICK_ITEMS && db->n_heap != 0; n++) {
		const uint32_t i = db->heap[1];

		if (item_at(db, i)->expires_ns > now)
			break;
		if (!item_at(db, i)->is_withdrawn)
			lsdb_count(db, FCN_PNC_COUNT_EXPIRED);
		forget(db, i);
	}
	lsdb_tell(db);
	return db->n_heap == 0 ? UINT64_MAX : item_at(db, db->heap[1])->expires_ns;
}

void
lsdb_state(const struct lsdb *db, struct fcn_pnc_state *state)
{
	state->items = db->items.n;
	state->originators = db->n_originators;
	state->prefixes = db->n_told[FCN_PNC_PROXY];
	state->endcons = db->n_told[FCN_PNC_ENDCON];
	state->unresolved = db->prefixes.n - state->prefixes - state->endcons;
	memcpy(state->count, db->count, sizeof(state->count));
}
