/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "bgp_rib.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_ROUTES 256

struct entry {
	struct bgp_rib_route route;
	struct bgp_rib_owner *owner;
	uint64_t until;      /* of a stale one: the time when it is forgotten */
	uint32_t chain;      /* next of the same bucket, or of the free entries */
	uint32_t next, prev; /* of the same owner and list */
	uint8_t list;        /* enum bgp_rib_list */
	bool reported;       /* the sink has this one of its prefix */
};

struct bgp_rib {
	struct fcn_hash_key key;
	struct fcn_pnc_sink sink;
	uint32_t max_routes, max_paths;
	uint32_t router_routes, router_paths; /* of one router */
	uint32_t size, used, count, reported;
	uint32_t free; /* first free entry below `used` */
	uint32_t n_buckets;
	uint32_t *buckets;
	struct entry *entries;
};

struct bgp_rib *
bgp_rib_create(uint32_t max_routes, uint32_t max_paths, bool is_shared,
		const struct fcn_hash_key *key, const struct fcn_pnc_sink *sink)
{
	struct bgp_rib *rib = calloc(1, sizeof(*rib));

	if (rib == NULL)
		return NULL;
	*rib = (struct bgp_rib){.key = *key,
			.sink = *sink,
			.max_routes = max_routes,
			.max_paths = max_paths,
			.router_routes = is_shared ? bgp_rib_part(max_routes) : max_routes,
			.router_paths = is_shared ? bgp_rib_part(max_paths) : max_paths,
			.free = BGP_RIB_NONE,
			.n_buckets = FIRST_ROUTES};
	while (rib->n_buckets < max_routes)
		rib->n_buckets *= 2;
	rib->buckets = malloc(rib->n_buckets * sizeof(*rib->buckets));
	if (rib->buckets == NULL) {
		free(rib);
		return NULL;
	}
	memset(rib->buckets, 0xFF, rib->n_buckets * sizeof(*rib->buckets));
	return rib;
}

void
bgp_rib_destroy(struct bgp_rib *rib)
{
	if (rib == NULL)
		return;
	free(rib->buckets);
	free(rib->entries);
	free(rib);
}

void
bgp_rib_owner_init(struct bgp_rib_owner *owner, enum bgp_rib_view view, uint32_t identifier,
		struct bgp_rib_share *share)
{
	*owner = (struct bgp_rib_owner){
			.view = (uint8_t)view, .identifier = identifier, .share = share};
	for (unsigned int list = 0; list < BGP_RIB_LISTS; list++)
		owner->first[list] = BGP_RIB_NONE;
}

static uint32_t *
bucket_of(const struct bgp_rib *rib, const struct fcn_prefix *prefix)
{
	uint64_t word[2], hash;

	memcpy(word, prefix->addr.bytes, sizeof(word));
	hash = fcn_hash_pair(&rib->key, word[0], word[1]) ^
	       fcn_hash_other_pair(&rib->key, prefix->len, prefix->addr.version);
	return &rib->buckets[(hash ^ hash >> 32) & (rib->n_buckets - 1)];
}

/* ---- the lists of an owner ---- */

static void
link_entry(struct bgp_rib *rib, uint32_t index, uint8_t list)
{
	struct entry *e = &rib->entries[index];
	struct bgp_rib_owner *owner = e->owner;

	e->list = list;
	e->prev = BGP_RIB_NONE;
	e->next = owner->first[list];
	if (e->next != BGP_RIB_NONE)
		rib->entries[e->next].prev = index;
	owner->first[list] = index;
	owner->count[list]++;
}

static void
unlink_entry(struct bgp_rib *rib, uint32_t index)
{
	struct entry *e = &rib->entries[index];
	struct bgp_rib_owner *owner = e->owner;

	if (e->prev == BGP_RIB_NONE)
		owner->first[e->list] = e->next;
	else
		rib->entries[e->prev].next = e->next;
	if (e->next != BGP_RIB_NONE)
		rib->entries[e->next].prev = e->prev;
	owner->count[e->list]--;
}

/* ---- the best route ---- */

static bool
is_stale(const struct entry *e)
{
	return e->list != BGP_RIB_CURRENT;
}

static int
compare(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static bool
is_better(const struct entry *a, const struct entry *b)
{
	int order = compare(is_stale(a), is_stale(b));

	if (order == 0 && is_stale(a))
		order = compare(b->until, a->until);
	if (order == 0)
		order = compare(b->owner->view, a->owner->view);
	if (order == 0)
		order = compare(b->route.local_pref, a->route.local_pref);
	if (order == 0)
		order = compare(a->route.as_hops, b->route.as_hops);
	if (order == 0)
		order = compare(a->owner->identifier, b->owner->identifier);
	if (order == 0)
		order = memcmp(&a->route.proxy, &b->route.proxy, sizeof(a->route.proxy));
	return order < 0;
}

static struct fcn_pnc_prefix
report_of(const struct entry *e)
{
	return (struct fcn_pnc_prefix){
			.prefix = e->route.prefix,
			.proxy = e->route.proxy,
			.protocol = FCN_PNC_BGP,
			.expires_ns = is_stale(e) ? e->until : UINT64_MAX,
	};
}

/* Find the route that the sink has of a prefix. @return NULL if there is none */
static struct entry *
find_reported(struct bgp_rib *rib, const struct fcn_prefix *prefix)
{
	for (uint32_t i = *bucket_of(rib, prefix); i != BGP_RIB_NONE; i = rib->entries[i].chain)
		if (rib->entries[i].reported &&
				fcn_prefix_equal(&rib->entries[i].route.prefix, prefix))
			return &rib->entries[i];
	return NULL;
}

/*
 * Tell the sink what has changed for a prefix.
 * @param old what the sink has; its protocol is FCN_PNC_PROTOCOL_COUNT if it has nothing
 */
static void
report(struct bgp_rib *rib, const struct fcn_prefix *prefix, const struct fcn_pnc_prefix *old)
{
	bool had = old->protocol != FCN_PNC_PROTOCOL_COUNT;
	struct entry *best = NULL;
	struct fcn_pnc_prefix now;

	for (uint32_t i = *bucket_of(rib, prefix); i != BGP_RIB_NONE; i = rib->entries[i].chain) {
		struct entry *e = &rib->entries[i];

		if (!fcn_prefix_equal(&e->route.prefix, prefix))
			continue;
		e->reported = false;
		if (best == NULL || is_better(e, best))
			best = e;
	}
	rib->reported += (uint32_t)(best != NULL) - (uint32_t)had;
	if (best == NULL) {
		if (had)
			rib->sink.remove(rib->sink.arg, old);
		return;
	}
	best->reported = true;
	now = report_of(best);
	if (!had || !fcn_addr_equal(&now.proxy, &old->proxy) || now.expires_ns != old->expires_ns)
		rib->sink.add(rib->sink.arg, &now);
}

/* Get what the sink has of a prefix, before a change. */
static struct fcn_pnc_prefix
reported(struct bgp_rib *rib, const struct fcn_prefix *prefix)
{
	const struct entry *e = find_reported(rib, prefix);

	return e != NULL ? report_of(e)
			 : (struct fcn_pnc_prefix){.protocol = FCN_PNC_PROTOCOL_COUNT};
}

/* ---- entries ---- */

static int
grow(struct bgp_rib *rib)
{
	uint32_t size = rib->size == 0 ? FIRST_ROUTES : 2 * rib->size;
	struct entry *entries;

	if (rib->size == rib->max_routes)
		return -ENOSPC;
	if (size > rib->max_routes)
		size = rib->max_routes;
	entries = realloc(rib->entries, size * sizeof(*entries));
	if (entries == NULL)
		return -ENOMEM;
	rib->entries = entries;
	rib->size = size;
	return 0;
}

/* Number of routes to a prefix. */
struct paths {
	uint32_t all, of_router;
};

/*
 * Find a route.
 * @param paths is set to the number of routes to this prefix
 * @return its index, or BGP_RIB_NONE
 */
static uint32_t
find_route(const struct bgp_rib *rib, const struct bgp_rib_owner *owner,
		const struct fcn_prefix *prefix, uint32_t path_id, struct paths *paths)
{
	uint32_t found = BGP_RIB_NONE;

	*paths = (struct paths){0};
	for (uint32_t i = *bucket_of(rib, prefix); i != BGP_RIB_NONE; i = rib->entries[i].chain) {
		const struct entry *e = &rib->entries[i];

		if (!fcn_prefix_equal(&e->route.prefix, prefix))
			continue;
		paths->all++;
		paths->of_router += e->owner->share == owner->share;
		if (e->owner == owner && e->route.path_id == path_id)
			found = i;
	}
	return found;
}

/* Take a free entry and put it into its bucket. */
static int
insert(struct bgp_rib *rib, const struct fcn_prefix *prefix, uint32_t *index)
{
	uint32_t *bucket = bucket_of(rib, prefix);
	int rc;

	if (rib->free == BGP_RIB_NONE && rib->used == rib->size) {
		rc = grow(rib);
		if (rc != 0)
			return rc;
	}
	*index = rib->free;
	if (*index != BGP_RIB_NONE)
		rib->free = rib->entries[*index].chain;
	else
		*index = rib->used++;
	rib->entries[*index] = (struct entry){.chain = *bucket};
	*bucket = *index;
	rib->count++;
	return 0;
}

static void
erase(struct bgp_rib *rib, uint32_t index)
{
	struct entry *e = &rib->entries[index];
	uint32_t *at = bucket_of(rib, &e->route.prefix);

	unlink_entry(rib, index);
	e->owner->share->count--;
	while (*at != index)
		at = &rib->entries[*at].chain;
	*at = e->chain;
	e->reported = false;
	e->chain = rib->free;
	rib->free = index;
	rib->count--;
}

int
bgp_rib_set(struct bgp_rib *rib, struct bgp_rib_owner *owner, const struct bgp_rib_route *route)
{
	struct fcn_pnc_prefix old = reported(rib, &route->prefix);
	struct paths paths;
	uint32_t index = find_route(rib, owner, &route->prefix, route->path_id, &paths);
	int rc;

	if (index == BGP_RIB_NONE) {
		if (paths.all >= rib->max_paths || paths.of_router >= rib->router_paths)
			return -EMLINK;
		if (owner->share->count >= rib->router_routes)
			return rib->count >= rib->max_routes ? -ENOSPC : -EDQUOT;
		rc = insert(rib, &route->prefix, &index);
		if (rc != 0)
			return rc;
		rib->entries[index].owner = owner;
		owner->share->count++;
	} else {
		unlink_entry(rib, index);
	}
	rib->entries[index].route = *route;
	link_entry(rib, index, BGP_RIB_CURRENT);
	report(rib, &route->prefix, &old);
	return 0;
}

static void
remove_entry(struct bgp_rib *rib, uint32_t index)
{
	struct fcn_prefix prefix = rib->entries[index].route.prefix;
	struct fcn_pnc_prefix old = reported(rib, &prefix);

	erase(rib, index);
	report(rib, &prefix, &old);
}

bool
bgp_rib_remove(struct bgp_rib *rib, struct bgp_rib_owner *owner, const struct fcn_prefix *prefix,
		uint32_t path_id)
{
	struct paths paths;
	uint32_t index = find_route(rib, owner, prefix, path_id, &paths);

	if (index == BGP_RIB_NONE)
		return false;
	remove_entry(rib, index);
	return true;
}

void
bgp_rib_make_stale(struct bgp_rib *rib, struct bgp_rib_owner *owner, uint64_t until)
{
	while (owner->first[BGP_RIB_CURRENT] != BGP_RIB_NONE) {
		uint32_t index = owner->first[BGP_RIB_CURRENT];
		struct fcn_prefix prefix = rib->entries[index].route.prefix;
		struct fcn_pnc_prefix old = reported(rib, &prefix);

		unlink_entry(rib, index);
		rib->entries[index].until = until;
		link_entry(rib, index, prefix.addr.version == 4 ? BGP_RIB_STALE4 : BGP_RIB_STALE6);
		report(rib, &prefix, &old);
	}
}

uint32_t
bgp_rib_sweep(struct bgp_rib *rib, struct bgp_rib_owner *owner, enum bgp_rib_list list)
{
	uint32_t n = owner->count[list];

	while (owner->first[list] != BGP_RIB_NONE)
		remove_entry(rib, owner->first[list]);
	return n;
}

uint32_t
bgp_rib_expire(struct bgp_rib *rib, struct bgp_rib_owner *owner, uint64_t now)
{
	uint32_t n = 0;

	for (unsigned int list = BGP_RIB_STALE4; list <= BGP_RIB_STALE6; list++) {
		uint32_t index = owner->first[list], next;

		for (; index != BGP_RIB_NONE; index = next) {
			next = rib->entries[index].next;
			if (rib->entries[index].until > now)
				continue;
			remove_entry(rib, index);
			n++;
		}
	}
	return n;
}

uint32_t
bgp_rib_routes(const struct bgp_rib *rib)
{
	return rib->count;
}

uint32_t
bgp_rib_prefixes(const struct bgp_rib *rib)
{
	return rib->reported;
}
