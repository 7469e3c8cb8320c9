/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Prefixes with the capability, who says so, and which proxy they have. */

#include "lsdb_parts.h"

/* Numbers in the list of lsdb.h. */
enum rank {
	RANK_NAMED,
	RANK_ORIGIN,
	RANK_INSTEAD = RANK_ORIGIN + 2 * LSDB_SOURCE_COUNT,
	RANK_ITSELF,
	RANK_NONE,
};

static uint64_t
hash_of(const struct lsdb *db, uint8_t kind, const struct fcn_prefix *prefix)
{
	uint8_t bytes[19];

	bytes[0] = prefix->addr.version;
	bytes[1] = prefix->len;
	memcpy(bytes + 2, prefix->addr.bytes, 16);
	bytes[18] = kind;
	return lsdb_hash(db, bytes, sizeof(bytes));
}

static uint32_t
find_prefix(const struct lsdb *db, uint64_t hash, uint8_t kind, const struct fcn_prefix *prefix)
{
	uint32_t p = db->prefix_table.bucket[hash & db->prefix_table.mask];

	while (p != 0 && (prefix_at(db, p)->kind != kind ||
					 !fcn_prefix_equal(&prefix_at(db, p)->prefix, prefix)))
		p = prefix_at(db, p)->next;
	return p;
}

/* There are never more prefixes than claims, so there is always room. */
static uint32_t
get(struct lsdb *db, uint8_t kind, const struct fcn_prefix *prefix)
{
	const uint64_t hash = hash_of(db, kind, prefix);
	uint32_t p = find_prefix(db, hash, kind, prefix);

	if (p != 0)
		return p;
	p = pnc_pool_get(&db->prefixes);
	prefix_at(db, p)->prefix = *prefix;
	prefix_at(db, p)->kind = kind;
	pnc_table_add(&db->prefix_table, &db->prefixes, hash, p);
	return p;
}

static void
forget(struct lsdb *db, uint32_t p)
{
	const struct prefix *prefix = prefix_at(db, p);

	pnc_table_remove(&db->prefix_table, &db->prefixes,
			hash_of(db, prefix->kind, &prefix->prefix), p);
	pnc_pool_put(&db->prefixes, p);
}

void
lsdb_prefix_changed(struct lsdb *db, uint32_t p)
{
	struct prefix *prefix = prefix_at(db, p);

	if (prefix->is_changed)
		return;
	prefix->is_changed = true;
	prefix->changed_next = db->changed;
	db->changed = p;
}

/* The address of an originator for a prefix of an IP version. */
static enum rank
address_of(const struct origin *origin, unsigned int version, struct fcn_addr *proxy)
{
	const unsigned int own = version == 6;

	for (unsigned int n = 0; n < 2; n++) {
		for (unsigned int s = 0; s < LSDB_SOURCE_COUNT; s++) {
			*proxy = origin->address[s][n == 0 ? own : !own];
			if (proxy->version != 0)
				return RANK_ORIGIN + n * LSDB_SOURCE_COUNT + s;
		}
	}
	return RANK_NONE;
}

static enum rank
proxy_of(const struct lsdb *db, const struct claim *claim, struct fcn_addr *proxy)
{
	const struct fcn_prefix *prefix = &prefix_at(db, claim->prefix)->prefix;
	const struct origin *owner = origin_at(db, item_at(db, claim->item)->origin);
	enum rank rank;

	if (db->conf.needs_first && owner->n_firsts == 0)
		return RANK_NONE;
	*proxy = claim->proxy;
	if (proxy->version != 0)
		return RANK_NAMED;
	if (claim->uses_origin) {
		rank = address_of(origin_at(db, claim->origin), prefix->addr.version, proxy);
		if (rank != RANK_NONE)
			return rank;
	}
	*proxy = claim->instead;
	if (proxy->version != 0)
		return RANK_INSTEAD;
	*proxy = prefix->addr;
	return prefix->len == (prefix->addr.version == 4 ? 32 : 128) ? RANK_ITSELF : RANK_NONE;
}

/* Find the proxy of a prefix, and until when. Returns false when there is none. */
static bool
choose(const struct lsdb *db, const struct prefix *prefix, struct fcn_addr *proxy,
		uint64_t *expires_ns)
{
	enum rank best = RANK_NONE;

	*expires_ns = 0;
	for (uint32_t c = prefix->claim; c != 0; c = claim_at(db, c)->prefix_next) {
		const struct claim *claim = claim_at(db, c);
		const uint64_t end = item_at(db, claim->item)->expires_ns;
		struct fcn_addr addr;
		const enum rank rank = proxy_of(db, claim, &addr);
		int order;

		if (rank == RANK_NONE || rank > best)
			continue;
		order = rank < best ? -1 : (int)addr.version - (int)proxy->version;
		if (order == 0)
			order = memcmp(addr.bytes, proxy->bytes, sizeof(addr.bytes));
		if (order > 0 || (order == 0 && end <= *expires_ns))
			continue;
		best = rank;
		*proxy = addr;
		*expires_ns = end;
	}
	return best != RANK_NONE;
}

static void
tell(struct lsdb *db, struct prefix *prefix)
{
	struct fcn_pnc_prefix said = {
			.prefix = prefix->prefix,
			.protocol = (uint8_t)db->conf.protocol,
			.kind = prefix->kind,
	};

	if (!choose(db, prefix, &said.proxy, &said.expires_ns)) {
		if (!prefix->is_told)
			return;
		said.proxy = prefix->proxy;
		said.expires_ns = prefix->expires_ns;
		prefix->is_told = false;
		db->n_told[prefix->kind]--;
		db->conf.sink.remove(db->conf.sink.arg, &said);
		return;
	}
	if (prefix->is_told && fcn_addr_equal(&prefix->proxy, &said.proxy) &&
			prefix->expires_ns == said.expires_ns)
		return;
	db->n_told[prefix->kind] += !prefix->is_told;
	prefix->is_told = true;
	prefix->proxy = said.proxy;
	prefix->expires_ns = said.expires_ns;
	db->conf.sink.add(db->conf.sink.arg, &said);
}

void
lsdb_tell(struct lsdb *db)
{
	while (db->changed != 0) {
		const uint32_t p = db->changed;
		struct prefix *prefix = prefix_at(db, p);

		db->changed = prefix->changed_next;
		prefix->is_changed = false;
		tell(db, prefix);
		if (prefix->claim == 0)
			forget(db, p);
	}
}

/* Whether a prefix cannot be claimed by another item of an originator. */
static bool
is_full(const struct lsdb *db, const struct prefix *prefix, uint32_t origin)
{
	unsigned int n = 0;

	if (prefix->n_claims >= LSDB_PREFIX_ORIGINS)
		return true;
	for (uint32_t c = prefix->claim; c != 0; c = claim_at(db, c)->prefix_next)
		n += item_at(db, claim_at(db, c)->item)->origin == origin;
	return n >= LSDB_PREFIX_ORIGIN_ITEMS;
}

static void
link_claim(struct lsdb *db, uint32_t c)
{
	struct claim *claim = claim_at(db, c);
	struct prefix *prefix = prefix_at(db, claim->prefix);
	struct origin *origin = origin_at(db, claim->origin);
	struct item *item = item_at(db, claim->item);

	claim->item_next = item->claim;
	item->claim = c;
	claim->prefix_next = prefix->claim;
	if (prefix->claim != 0)
		claim_at(db, prefix->claim)->prefix_prev = c;
	prefix->claim = c;
	prefix->n_claims++;
	claim->origin_next = origin->claim;
	if (origin->claim != 0)
		claim_at(db, origin->claim)->origin_prev = c;
	origin->claim = c;
}

static void
unlink_claim(struct lsdb *db, const struct claim *claim)
{
	struct prefix *prefix = prefix_at(db, claim->prefix);
	struct origin *origin = origin_at(db, claim->origin);

	if (claim->prefix_next != 0)
		claim_at(db, claim->prefix_next)->prefix_prev = claim->prefix_prev;
	if (claim->prefix_prev != 0)
		claim_at(db, claim->prefix_prev)->prefix_next = claim->prefix_next;
	else
		prefix->claim = claim->prefix_next;
	prefix->n_claims--;
	if (claim->origin_next != 0)
		claim_at(db, claim->origin_next)->origin_prev = claim->origin_prev;
	if (claim->origin_prev != 0)
		claim_at(db, claim->origin_prev)->origin_next = claim->origin_next;
	else
		origin->claim = claim->origin_next;
}

void
lsdb_claim_add(struct lsdb *db, uint32_t i, const struct lsdb_prefix *said)
{
	const struct item *item = item_at(db, i);
	struct origin *owner = origin_at(db, item->origin);
	const struct prefix *prefix;
	struct claim *claim;
	bool is_duplicate;
	uint32_t c, p;

	if (owner->n_prefixes >= db->conf.limits.originator_prefixes) {
		lsdb_count(db, FCN_PNC_COUNT_ORIGINATOR_PREFIXES_FULL);
		return;
	}
	c = pnc_pool_get(&db->claims);
	if (c == 0) {
		lsdb_count(db, FCN_PNC_COUNT_PREFIXES_FULL);
		return;
	}
	p = get(db, said->kind, &said->prefix);
	prefix = prefix_at(db, p);
	/* The claims of an item are added in a row, so that an earlier one is the first. */
	is_duplicate = prefix->claim != 0 && claim_at(db, prefix->claim)->item == i;
	if (is_duplicate || is_full(db, prefix, item->origin)) {
		lsdb_count(db, is_duplicate ? FCN_PNC_COUNT_DUPLICATE
					    : FCN_PNC_COUNT_PREFIX_ORIGINATORS_FULL);
		pnc_pool_put(&db->claims, c);
		return;
	}
	claim = claim_at(db, c);
	claim->prefix = p;
	claim->item = i;
	claim->uses_origin = said->has_origin;
	claim->origin = said->has_origin ? lsdb_origin_get(db, said->origin) : item->origin;
	claim->proxy = said->proxy;
	claim->instead = said->instead;
	link_claim(db, c);
	owner->n_prefixes++;
	lsdb_prefix_changed(db, p);
}

void
lsdb_claims_remove(struct lsdb *db, uint32_t i)
{
	struct item *item = item_at(db, i);

	while (item->claim != 0) {
		const uint32_t c = item->claim;
		const struct claim *claim = claim_at(db, c);

		item->claim = claim->item_next;
		unlink_claim(db, claim);
		lsdb_prefix_changed(db, claim->prefix);
		origin_at(db, item->origin)->n_prefixes--;
		lsdb_origin_release(db, claim->origin);
		pnc_pool_put(&db->claims, c);
	}
}
