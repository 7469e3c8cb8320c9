/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <stdlib.h>

#include <rte_common.h>
#include <rte_jhash.h>

#include "host_state.h"

/* Least time until a neighbour that was known before the start is probed. */
#define RESTORED_PROBE_NS FCN_HOST_SECOND

int
fcn_neighbours_init(struct fcn_neighbours *t, uint32_t max)
{
	uint32_t buckets = rte_align32pow2(RTE_MAX(max, 1u));

	memset(t, 0, sizeof(*t));
	t->all = calloc(RTE_MAX(max, 1u), sizeof(*t->all));
	t->bucket = calloc(buckets, sizeof(struct fcn_neighbour *));
	if (t->all == NULL || t->bucket == NULL) {
		fcn_neighbours_fini(t);
		return -ENOMEM;
	}
	t->max = max;
	t->bucket_mask = buckets - 1;
	return 0;
}

void
fcn_neighbours_link(struct fcn_neighbours *t)
{
	TAILQ_INIT(&t->free);
	for (unsigned int i = 0; i < FCN_NEIGHBOUR_SHARES; i++) {
		for (unsigned int k = 0; k < FCN_NEIGHBOUR_AGE_FREE; k++)
			TAILQ_INIT(&t->by_age[i][k]);
	}
	for (uint32_t i = 0; i < t->max; i++) {
		t->all[i].age = FCN_NEIGHBOUR_AGE_FREE;
		t->all[i].timer.kind = FCN_HOST_TIMER_NEIGHBOUR;
		TAILQ_INIT(&t->all[i].waiting);
		TAILQ_INSERT_TAIL(&t->free, &t->all[i], by_age);
	}
	fcn_neighbours_divide(t, 0, 0);
}

/* Entries of a share beyond its reserved ones. */
static uint32_t
beyond(const struct fcn_neighbours *t, uint16_t share)
{
	return t->used[share] > t->guaranteed ? t->used[share] - t->guaranteed : 0;
}

void
fcn_neighbours_divide(struct fcn_neighbours *t, unsigned int n_ports, uint32_t most)
{
	/* and one part for the switch itself, which solicits neighbours, too */
	const uint32_t parts = 2 * n_ports + 1;

	t->guaranteed = t->max / 2 / parts;
	t->common = t->max - t->guaranteed * parts;
	t->most = most == 0 ? t->max : most;
	t->common_used = 0;
	for (unsigned int i = 0; i < FCN_NEIGHBOUR_SHARES; i++)
		t->common_used += beyond(t, i);
}

void
fcn_neighbours_fini(struct fcn_neighbours *t)
{
	free(t->all);
	free(t->bucket);
	memset(t, 0, sizeof(*t));
}

static struct fcn_neighbour **
bucket_of(struct fcn_host *h, uint16_t port, const struct fcn_addr *addr)
{
	/* whole words, as the hash function reads them */
	uint32_t key[5] = {(uint32_t)addr->version << 16 | port};

	memcpy(&key[1], addr->bytes, sizeof(addr->bytes));
	return &h->neighbours.bucket[rte_jhash_32b(key, RTE_DIM(key), h->hash_seed) &
				     h->neighbours.bucket_mask];
}

struct fcn_neighbour *
fcn_neighbour_find(struct fcn_host *h, uint16_t port, const struct fcn_addr *addr)
{
	struct fcn_neighbour *n = *bucket_of(h, port, addr);

	while (n != NULL && (n->port != port || !fcn_addr_equal(&n->addr, addr)))
		n = n->hash_next;
	return n;
}

bool
fcn_neighbour_resolved(const struct fcn_neighbour *n)
{
	return n->state == FCN_NEIGHBOUR_REACHABLE || n->state == FCN_NEIGHBOUR_PROBE;
}

/* Remove an entry from its list and its share. */
static void
remove_from_lists(struct fcn_neighbours *t, struct fcn_neighbour *n)
{
	if (n->age == FCN_NEIGHBOUR_AGE_FREE) {
		TAILQ_REMOVE(&t->free, n, by_age);
		return;
	}
	TAILQ_REMOVE(&t->by_age[n->share][n->age], n, by_age);
	t->common_used -= beyond(t, n->share) > 0;
	t->used[n->share]--;
}

static void
join(struct fcn_neighbours *t, struct fcn_neighbour *n, uint16_t share, enum fcn_neighbour_age age)
{
	n->share = share;
	n->age = age;
	t->used[share]++;
	t->common_used += beyond(t, share) > 0;
	TAILQ_INSERT_TAIL(&t->by_age[share][age], n, by_age);
}

/* Whether a share has room for one more entry. */
static bool
has_room(const struct fcn_neighbours *t, uint16_t share)
{
	return t->used[share] < t->most &&
	       (t->used[share] < t->guaranteed || t->common_used < t->common);
}

/*
 * Change the state of a neighbour. The version changes when a MAC address is added, changed or
 * removed, because the route table depends on it.
 */
static void
set_state(struct fcn_host *h, struct fcn_neighbour *n, enum fcn_neighbour_state state, uint64_t now)
{
	bool resolved = fcn_neighbour_resolved(n);

	n->state = state;
	n->since_ns = now;
	n->tries = 0;
	if (fcn_neighbour_resolved(n) != resolved)
		h->version++;
}

static void
remove_neighbour(struct fcn_host *h, struct fcn_neighbour *n)
{
	struct fcn_neighbour **at = bucket_of(h, n->port, &n->addr);

	while (*at != n)
		at = &(*at)->hash_next;
	*at = n->hash_next;
	fcn_host_timer_stop(&h->timers, &n->timer);
	if (fcn_neighbour_resolved(n))
		h->version++;
	remove_from_lists(&h->neighbours, n);
	n->age = FCN_NEIGHBOUR_AGE_FREE;
	TAILQ_INSERT_TAIL(&h->neighbours.free, n, by_age);
	h->neighbours.n--;
	fcn_host_wait_drop(h, n, false, 0);
}

/*
 * When all shared entries are in use, evict the oldest neighbour that did not answer, of a share
 * that uses shared entries. It makes room for a neighbour that exists.
 */
static void
put_out_failed(struct fcn_host *h)
{
	struct fcn_neighbours *t = &h->neighbours;
	struct fcn_neighbour *found = NULL;

	for (unsigned int i = 0; i < FCN_NEIGHBOUR_SHARES; i++) {
		struct fcn_neighbour *n = TAILQ_FIRST(&t->by_age[i][FCN_NEIGHBOUR_AGE_FAILED]);

		if (n != NULL && beyond(t, i) > 0 &&
				(found == NULL || beyond(t, i) > beyond(t, found->share)))
			found = n;
	}
	if (found != NULL)
		remove_neighbour(h, found);
}

/*
 * Make room for one more entry in a share. Only entries of the same share are evicted, so that no
 * port can evict what another one needs. Neighbours that answered stay. A port that needs many
 * neighbours first loses those that did not answer, then those that were solicited first. Of
 * neighbours that only announced themselves, which may be forged, the oldest is evicted.
 */
static bool
make_room(struct fcn_host *h, uint16_t share, enum fcn_neighbour_age age)
{
	static const struct {
		unsigned int n;
		enum fcn_neighbour_age age[2];
	} order[] = {
			[FCN_NEIGHBOUR_AGE_ASKED] = {2,
					{FCN_NEIGHBOUR_AGE_FAILED, FCN_NEIGHBOUR_AGE_ASKED}},
			[FCN_NEIGHBOUR_AGE_HEARD] = {1, {FCN_NEIGHBOUR_AGE_HEARD}},
			[FCN_NEIGHBOUR_AGE_CONFIRMED] = {1, {FCN_NEIGHBOUR_AGE_HEARD}},
	};
	struct fcn_neighbours *t = &h->neighbours;

	if (!has_room(t, share) && t->used[share] < t->most && age != FCN_NEIGHBOUR_AGE_ASKED)
		put_out_failed(h);
	for (unsigned int i = 0; i < order[age].n && !has_room(t, share); i++) {
		struct fcn_neighbour_list *list = &t->by_age[share][order[age].age[i]];

		if (!TAILQ_EMPTY(list))
			remove_neighbour(h, TAILQ_FIRST(list));
	}
	if (has_room(t, share) && !TAILQ_EMPTY(&t->free))
		return true;
	fcn_host_count(h, FCN_HOST_NEIGHBOUR_FULL);
	return false;
}

/*
 * Move an entry to the list of another age. Once its MAC address is known, it counts against the
 * share of neighbours found on its port.
 *
 * @return false when that share is full; nothing has changed then
 */
static bool
set_age(struct fcn_host *h, struct fcn_neighbour *n, enum fcn_neighbour_age age)
{
	const uint16_t from = n->share;
	const bool found = age == FCN_NEIGHBOUR_AGE_HEARD || age == FCN_NEIGHBOUR_AGE_CONFIRMED;
	const uint16_t to = found ? FCN_NEIGHBOUR_SHARE_FOUND(n->port) : from;
	const enum fcn_neighbour_age before = n->age;
	bool room;

	remove_from_lists(&h->neighbours, n);
	/* If no other entry was evicted, it takes its own entry again. */
	TAILQ_INSERT_HEAD(&h->neighbours.free, n, by_age);
	room = to == from || make_room(h, to, age);
	TAILQ_REMOVE(&h->neighbours.free, n, by_age);
	join(&h->neighbours, n, room ? to : from, room ? age : before);
	return room;
}

static struct fcn_neighbour *
add_neighbour(struct fcn_host *h, uint16_t port, const struct fcn_addr *addr, uint16_t share,
		enum fcn_neighbour_age age, uint64_t now)
{
	struct fcn_neighbour **bucket;
	struct fcn_neighbour *n;

	if (!make_room(h, share, age))
		return NULL;
	n = TAILQ_FIRST(&h->neighbours.free);
	n->addr = *addr;
	n->port = port;
	n->state = FCN_NEIGHBOUR_INCOMPLETE;
	n->since_ns = now;
	n->tries = 0;
	memset(&n->mac, 0, sizeof(n->mac));
	bucket = bucket_of(h, port, addr);
	n->hash_next = *bucket;
	*bucket = n;
	remove_from_lists(&h->neighbours, n);
	join(&h->neighbours, n, share, age);
	h->neighbours.n++;
	return n;
}

static void
solicit(struct fcn_host *h, struct fcn_neighbour *n, uint64_t now)
{
	n->tries++;
	fcn_host_timer_set(&h->timers, &n->timer, now + h->conf.retrans_ns);
	fcn_host_solicit(h, n->port, &n->addr, n->state == FCN_NEIGHBOUR_PROBE ? &n->mac : NULL);
}

struct fcn_neighbour *
fcn_neighbour_ask(struct fcn_host *h, uint16_t port, const struct fcn_addr *addr, uint16_t who,
		uint64_t now)
{
	struct fcn_neighbour *n;

	if (who != FCN_HOST_SELF &&
			!fcn_host_take(&h->solicitations[who], &h->conf.solicitations, now)) {
		fcn_host_count(h, FCN_HOST_SOLICIT_LIMITED);
		return NULL;
	}
	n = add_neighbour(h, port, addr, FCN_NEIGHBOUR_SHARE_ASKED(who), FCN_NEIGHBOUR_AGE_ASKED,
			now);
	if (n != NULL)
		solicit(h, n, now);
	return n;
}

static void
set_mac(struct fcn_host *h, struct fcn_neighbour *n, const struct rte_ether_addr *mac)
{
	if (fcn_neighbour_resolved(n) && !rte_is_same_ether_addr(&n->mac, mac))
		h->version++;
	n->mac = *mac;
}

/* A neighbour answered a solicitation. */
static void
confirm(struct fcn_host *h, struct fcn_neighbour *n, uint64_t now)
{
	uint64_t base = h->conf.reachable_ns;

	set_state(h, n, FCN_NEIGHBOUR_REACHABLE, now);
	/* a random time between 0.5 and 1.5 times the mean (RFC 4861 section 6.3.2) */
	fcn_host_timer_set(&h->timers, &n->timer,
			now + fcn_host_random_between(h, base / 2, base + base / 2));
	fcn_host_wait_send(h, n);
}

/*
 * The MAC address was learned, or became doubtful, by something other than an answer: it is used
 * and probed soon. RFC 4861 delays the probe until a packet is sent to the neighbour, which the
 * host functions do not see.
 */
static void
doubt(struct fcn_host *h, struct fcn_neighbour *n, uint64_t now)
{
	set_state(h, n, FCN_NEIGHBOUR_PROBE, now);
	fcn_host_timer_set(&h->timers, &n->timer, now + FCN_HOST_FIRST_PROBE_NS);
	fcn_host_wait_send(h, n);
}

/* Whether a neighbour can exist: its addresses can be those of a station on this port. */
static bool
believable(struct fcn_host *h, uint16_t port, const struct fcn_addr *addr,
		const struct rte_ether_addr *mac)
{
	if (!fcn_host_port_up(h, port) || !fcn_host_on_link(h, port, addr))
		return false;
	return mac == NULL ||
	       (fcn_mac_is_station(mac) && !rte_is_same_ether_addr(mac, &h->conf.port[port].mac));
}

void
fcn_neighbour_heard(struct fcn_host *h, uint16_t port, const struct fcn_addr *addr,
		const struct rte_ether_addr *mac, uint64_t now)
{
	struct fcn_neighbour *n;

	if (!believable(h, port, addr, mac))
		return;
	n = fcn_neighbour_find(h, port, addr);
	if (n != NULL && fcn_neighbour_resolved(n) && rte_is_same_ether_addr(&n->mac, mac))
		return;
	if (n == NULL)
		n = add_neighbour(h, port, addr, FCN_NEIGHBOUR_SHARE_FOUND(port),
				FCN_NEIGHBOUR_AGE_HEARD, now);
	else if (!set_age(h, n, FCN_NEIGHBOUR_AGE_HEARD))
		return;
	if (n == NULL)
		return;
	set_mac(h, n, mac);
	doubt(h, n, now);
}

bool
fcn_host_restore_neighbour(struct fcn_host *h, uint16_t port, const struct fcn_addr *addr,
		const struct rte_ether_addr *mac, uint64_t now)
{
	struct fcn_neighbour *n;

	if (port >= FCN_MAX_PORTS || fcn_neighbour_find(h, port, addr) != NULL)
		return false;
	fcn_neighbour_heard(h, port, addr, mac, now);
	n = fcn_neighbour_find(h, port, addr);
	if (n == NULL)
		return false;
	/* Those of before are not all probed at once. */
	fcn_host_timer_set(&h->timers, &n->timer,
			now + fcn_host_random_between(
					      h, RESTORED_PROBE_NS, FCN_HOST_FIRST_PROBE_NS));
	return true;
}

void
fcn_neighbour_advertised(struct fcn_host *h, uint16_t port, const struct fcn_addr *addr,
		const struct rte_ether_addr *mac, bool solicited, bool override, uint64_t now)
{
	struct fcn_neighbour *n;
	bool other;

	if (!believable(h, port, addr, mac))
		return;
	n = fcn_neighbour_find(h, port, addr);
	if (n == NULL)
		return;
	if (!fcn_neighbour_resolved(n)) {
		/* also a late answer of a failed neighbour */
		if (mac == NULL || !set_age(h, n,
						   solicited ? FCN_NEIGHBOUR_AGE_CONFIRMED
							     : FCN_NEIGHBOUR_AGE_HEARD))
			return;
		set_mac(h, n, mac);
		if (solicited)
			confirm(h, n, now);
		else
			doubt(h, n, now);
		return;
	}
	other = mac != NULL && !rte_is_same_ether_addr(mac, &n->mac);
	if (other && !override) {
		/* keep the old MAC address, but probe it (RFC 4861 section 7.2.5 (a)) */
		if (n->state == FCN_NEIGHBOUR_REACHABLE)
			doubt(h, n, now);
		return;
	}
	if (other)
		set_mac(h, n, mac);
	if (solicited) {
		set_age(h, n, FCN_NEIGHBOUR_AGE_CONFIRMED);
		confirm(h, n, now);
	} else if (other) {
		set_age(h, n, FCN_NEIGHBOUR_AGE_HEARD);
		doubt(h, n, now);
	}
}

static void
fail(struct fcn_host *h, struct fcn_neighbour *n, uint64_t now)
{
	fcn_host_count(h, FCN_HOST_NEIGHBOUR_FAILED);
	set_state(h, n, FCN_NEIGHBOUR_FAILED, now);
	set_age(h, n, FCN_NEIGHBOUR_AGE_FAILED);
	fcn_host_timer_set(
			&h->timers, &n->timer, now + FCN_HOST_SOLICITATIONS * h->conf.retrans_ns);
	/* this comes last, because sending ICMP errors may need room in the table */
	fcn_host_wait_drop(h, n, true, now);
}

void
fcn_neighbour_expire(struct fcn_host *h, struct fcn_neighbour *n, uint64_t now)
{
	switch (n->state) {
	case FCN_NEIGHBOUR_INCOMPLETE:
		if (n->tries < FCN_HOST_SOLICITATIONS)
			solicit(h, n, now);
		else
			fail(h, n, now);
		break;
	case FCN_NEIGHBOUR_REACHABLE:
		set_state(h, n, FCN_NEIGHBOUR_PROBE, now);
		solicit(h, n, now);
		break;
	case FCN_NEIGHBOUR_PROBE:
		if (n->tries < FCN_HOST_SOLICITATIONS) {
			solicit(h, n, now);
		} else {
			/*
			 * it may have another MAC address now: the next packet solicits it by
			 * multicast
			 */
			fcn_host_count(h, FCN_HOST_NEIGHBOUR_FAILED);
			remove_neighbour(h, n);
		}
		break;
	default: /* FAILED for long enough: remove it */
		remove_neighbour(h, n);
		break;
	}
}

static uint32_t
forget_where(struct fcn_host *h, bool all)
{
	struct fcn_neighbours *t = &h->neighbours;
	uint32_t n = 0;

	for (uint32_t i = 0; i < t->max; i++) {
		struct fcn_neighbour *nb = &t->all[i];

		if (nb->age == FCN_NEIGHBOUR_AGE_FREE)
			continue;
		if (all || !believable(h, nb->port, &nb->addr, NULL)) {
			remove_neighbour(h, nb);
			n++;
		}
	}
	return n;
}

void
fcn_neighbours_review(struct fcn_host *h)
{
	forget_where(h, false);
}

uint32_t
fcn_host_clear_neighbours(struct fcn_host *h)
{
	return forget_where(h, true);
}

bool
fcn_host_neighbour_next(const struct fcn_host *h, uint32_t *next, struct fcn_host_neighbour *out)
{
	const struct fcn_neighbours *t = &h->neighbours;

	while (*next < t->max) {
		const struct fcn_neighbour *n = &t->all[(*next)++];

		if (n->age == FCN_NEIGHBOUR_AGE_FREE)
			continue;
		*out = (struct fcn_host_neighbour){.port = n->port,
				.addr = n->addr,
				.mac = n->mac,
				.state = n->state,
				.since_ns = n->since_ns,
				.waiting = n->n_waiting};
		return true;
	}
	return false;
}
