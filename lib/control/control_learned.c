/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Prefixes of senders whose proxies were learned, and their publication. The table is a balanced
 * tree, so that no choice of prefixes makes it slow.
 */

#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include <rte_common.h>

#include "control_private.h"

#define MS UINT64_C(1000000)
#define SECOND (1000 * MS)

/* Minimum time between two snapshots. Building them takes at most a quarter of the time. */
#define BUILD_EVERY_NS (10 * MS)
#define BUILD_SHARE 3
/* Time after which a failed build is tried again. */
#define AGAIN_NS (500 * MS)

/* Time between two searches for prefixes whose lifetime has ended. */
#define EXPIRE_EVERY_NS (100 * MS)

#define EVENTS_A_SECOND 100

struct fcn_control_learned {
	void *root; /* tree of struct fcn_learned, see tsearch(3) */
	struct fcn_learned_state state;
	uint64_t version;                  /* counts changes */
	uint64_t published;                /* version that is published */
	uint64_t build_due_ns;             /* time before which no snapshot is built */
	uint64_t expire_due_ns;            /* no lifetime ends before */
	uint64_t second_ns;                /* begin of the second in which events are counted */
	uint32_t events;                   /* in this second */
	struct fcn_proxy_prefix *in_force; /* memory of env.learned_proxies */
};

int
fcn_control_learned_create(struct fcn_control *ctl)
{
	ctl->learned = calloc(1, sizeof(*ctl->learned));
	if (ctl->learned == NULL)
		return -ENOMEM;
	ctl->learned->expire_due_ns = FCN_HOST_NEVER;
	return 0;
}

void
fcn_control_learned_free(struct fcn_control *ctl)
{
	if (ctl->learned == NULL)
		return;
	tdestroy(ctl->learned->root, free);
	free(ctl->learned->in_force);
	free(ctl->learned);
}

void
fcn_control_learned_clear_counters(struct fcn_control *ctl)
{
	struct fcn_learned_state *s = &ctl->learned->state;

	memset(s->count, 0, sizeof(s->count));
	s->builds = 0;
	s->events_skipped = 0;
}

/* ---- the table ---- */

static int
compare(const void *va, const void *vb)
{
	const struct fcn_learned *a = va, *b = vb;
	int d = fcn_prefix_compare(&a->item.prefix, &b->item.prefix);

	return d != 0 ? d : (int)a->item.origin - (int)b->item.origin;
}

static struct fcn_learned *
find(const struct fcn_control_learned *l, const struct fcn_prefix *prefix, unsigned int origin)
{
	struct fcn_learned key = {.item = {.prefix = *prefix, .origin = (uint8_t)origin}};
	struct fcn_learned *const *found;

	fcn_prefix_normalise(&key.item.prefix);
	found = tfind(&key, &l->root, compare);
	return found != NULL ? *found : NULL;
}

/* Where to put the elements of the tree. */
struct filler {
	const struct fcn_learned **at;
	uint32_t n;
};

static void
fill(const void *node, VISIT visit, void *arg)
{
	struct filler *f = arg;

	if (visit == postorder || visit == leaf)
		f->at[f->n++] = *(const struct fcn_learned *const *)node;
}

/* Get pointers to all elements, in order. @return to be freed; NULL when memory is exhausted */
static const struct fcn_learned **
all(const struct fcn_control_learned *l)
{
	struct filler f = {.at = calloc(l->state.n + 1, sizeof(f.at[0]))};

	if (f.at != NULL)
		twalk_r(l->root, fill, &f);
	return f.at;
}

struct fcn_learned *
fcn_learned_list(const struct fcn_control *ctl, uint32_t *n)
{
	const struct fcn_learned **from = all(ctl->learned);
	struct fcn_learned *list = NULL;

	*n = ctl->learned->state.n;
	if (from != NULL)
		list = calloc(*n + 1, sizeof(*list));
	for (uint32_t i = 0; list != NULL && i < *n; i++)
		list[i] = *from[i];
	free(from);
	return list;
}

/*
 * Get the number of further prefixes that a protocol may have. A protocol that has less than its
 * share finds room for the rest of it, as what the others have not used of theirs is kept.
 */
static uint32_t
room_of(const struct fcn_control_learned *l, unsigned int protocol)
{
	uint32_t kept = 0;

	for (unsigned int p = FCN_PROXY_STATIC + 1; p < FCN_PROXY_ORIGIN_COUNT; p++)
		if (p != protocol && l->state.n_of[p] < FCN_LEARNED_SHARE)
			kept += FCN_LEARNED_SHARE - l->state.n_of[p];
	return FCN_LEARNED_MAX - l->state.n - kept;
}

void
fcn_learned_state(const struct fcn_control *ctl, struct fcn_learned_state *state)
{
	*state = ctl->learned->state;
	for (unsigned int p = FCN_PROXY_STATIC + 1; p < FCN_PROXY_ORIGIN_COUNT; p++)
		state->room[p] = room_of(ctl->learned, p);
	state->pending = ctl->learned->version != ctl->learned->published;
}

/* ---- changes ---- */

static void
put_address(uint8_t to[16], const struct fcn_addr *addr)
{
	if (addr->version == 6) {
		memcpy(to, addr->bytes, 16);
		return;
	}
	memset(to, 0, 10);
	memset(to + 10, 0xFF, 2); /* RFC 4291 section 2.5.5.2 */
	memcpy(to + 12, addr->bytes, 4);
}

/* Record an event, unless there were too many in this second. */
static void
note(struct fcn_control *ctl, enum fcn_event_type type, const struct fcn_proxy_prefix *item)
{
	struct fcn_control_learned *l = ctl->learned;
	struct fcn_event ev = {
			.time_ns = fcn_control_now(ctl),
			.type = type,
			.kind = item->origin & 0xF,
			.level = FCN_LEVEL_NONE,
			.port = FCN_MAX_PORTS, /* there is no port */
			.in_port = FCN_MAX_PORTS,
			.len = item->prefix.len,
	};

	if (ev.time_ns - l->second_ns >= SECOND) {
		l->second_ns = ev.time_ns;
		l->events = 0;
	}
	if (l->events++ >= EVENTS_A_SECOND) {
		l->state.events_skipped++;
		return;
	}
	put_address(ev.sender, &item->prefix.addr);
	put_address(ev.receiver, &item->proxy);
	fcn_collector_note(ctl->collector, &ev);
}

static void
set_expiry(struct fcn_control_learned *l, struct fcn_learned *p, uint64_t now, uint64_t lifetime)
{
	p->expires_ns = now + lifetime * SECOND;
	l->expire_due_ns = RTE_MIN(l->expire_due_ns, p->expires_ns);
}

/* Insert a new element. */
static int
insert(struct fcn_control_learned *l, const struct fcn_learned *from)
{
	struct fcn_learned *p = malloc(sizeof(*p));

	if (p == NULL)
		return -ENOMEM;
	*p = *from;
	if (tsearch(p, &l->root, compare) == NULL) {
		free(p);
		return -ENOMEM;
	}
	l->state.n++;
	l->state.n_of[p->item.origin]++;
	return 0;
}

static int
add_new(struct fcn_control *ctl, struct fcn_learned *p, uint64_t now, uint64_t lifetime)
{
	struct fcn_control_learned *l = ctl->learned;
	struct fcn_learned_counters *c = &l->state.count[p->item.origin];

	if (room_of(l, p->item.origin) == 0) {
		c->refused++;
		return -ENOSPC;
	}
	p->since_ns = now;
	set_expiry(l, p, now, lifetime);
	if (insert(l, p) != 0) {
		c->memory++;
		return -ENOMEM;
	}
	c->added++;
	l->version++;
	note(ctl, FCN_EVENT_PROXY_LEARNED, &p->item);
	return 0;
}

int
fcn_learned_add(struct fcn_control *ctl, const struct fcn_proxy_prefix *item, uint64_t lifetime)
{
	struct fcn_control_learned *l = ctl->learned;
	const uint64_t now = fcn_control_now(ctl);
	struct fcn_learned new = {.item = *item}, *p;

	if (fcn_addr_why_no_host(&item->proxy) != NULL || fcn_addr_is_link_local(&item->proxy))
		return -EINVAL;
	fcn_prefix_normalise(&new.item.prefix);
	p = find(l, &new.item.prefix, item->origin);
	if (p == NULL)
		return add_new(ctl, &new, now, lifetime);
	set_expiry(l, p, now, lifetime);
	if (fcn_addr_equal(&p->item.proxy, &item->proxy)) {
		l->state.count[item->origin].renewed++;
		return 0;
	}
	p->item.proxy = item->proxy;
	p->since_ns = now;
	l->state.count[item->origin].changed++;
	l->version++;
	note(ctl, FCN_EVENT_PROXY_LEARNED, &p->item);
	return 0;
}

static void
forget(struct fcn_control *ctl, struct fcn_learned *p)
{
	struct fcn_control_learned *l = ctl->learned;

	note(ctl, FCN_EVENT_PROXY_LOST, &p->item);
	l->state.n--;
	l->state.n_of[p->item.origin]--;
	l->version++;
	tdelete(p, &l->root, compare);
	free(p);
}

int
fcn_learned_remove(struct fcn_control *ctl, const struct fcn_prefix *prefix,
		enum fcn_proxy_origin protocol)
{
	struct fcn_learned *p = find(ctl->learned, prefix, protocol);

	if (p == NULL)
		return -ENOENT;
	ctl->learned->state.count[protocol].removed++;
	forget(ctl, p);
	return 0;
}

int
fcn_learned_clear(struct fcn_control *ctl, enum fcn_proxy_origin protocol)
{
	struct fcn_control_learned *l = ctl->learned;
	const struct fcn_learned **list = all(l);
	const uint32_t n = l->state.n;
	int cleared = 0;

	if (list == NULL)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++) {
		if (list[i]->item.origin != protocol)
			continue;
		l->state.count[protocol].removed++;
		forget(ctl, find(l, &list[i]->item.prefix, protocol));
		cleared++;
	}
	free(list);
	return cleared;
}

/* ---- time ---- */

static void
expire(struct fcn_control *ctl, uint64_t now)
{
	struct fcn_control_learned *l = ctl->learned;
	const struct fcn_learned **list = all(l);
	const uint32_t n = l->state.n;
	uint64_t due = FCN_HOST_NEVER;

	l->expire_due_ns = now + EXPIRE_EVERY_NS;
	if (list == NULL)
		return;
	for (uint32_t i = 0; i < n; i++) {
		const struct fcn_proxy_prefix item = list[i]->item;

		if (list[i]->expires_ns > now) {
			due = RTE_MIN(due, list[i]->expires_ns);
			continue;
		}
		l->state.count[item.origin].expired++;
		forget(ctl, find(l, &item.prefix, item.origin));
	}
	l->expire_due_ns = RTE_MAX(due, l->expire_due_ns);
	free(list);
}

/* Let the next snapshots have all that is learned. */
static int
collect(struct fcn_control *ctl)
{
	struct fcn_control_learned *l = ctl->learned;
	const struct fcn_learned **list = all(l);
	struct fcn_proxy_prefix *items = NULL;

	if (list != NULL)
		items = calloc(l->state.n + 1, sizeof(*items));
	for (uint32_t i = 0; items != NULL && i < l->state.n; i++)
		items[i] = list[i]->item;
	free(list);
	if (items == NULL)
		return -ENOMEM;
	free(l->in_force);
	ctl->env.learned_proxies = l->in_force = items;
	ctl->env.n_learned_proxies = l->state.n;
	return 0;
}

static void
build(struct fcn_control *ctl, uint64_t now)
{
	struct fcn_control_learned *l = ctl->learned;
	uint64_t spent;

	/* If the build fails, it is tried again at this time. */
	l->build_due_ns = now + AGAIN_NS;
	if (collect(ctl) != 0) {
		fcn_control_log(ctl, "learned proxies: out of memory; changes are not applied yet");
		return;
	}
	if (fcn_control_refresh(ctl) != 0)
		return;
	l->state.builds++;
	l->published = l->version;
	spent = fcn_control_now(ctl) - now;
	l->build_due_ns = now + RTE_MAX(BUILD_EVERY_NS, (1 + BUILD_SHARE) * spent);
}

uint64_t
fcn_learned_poll(struct fcn_control *ctl, uint64_t now)
{
	struct fcn_control_learned *l = ctl->learned;

	now = ctl->host_now = RTE_MAX(now, ctl->host_now);
	if (l->state.n != 0 && l->expire_due_ns <= now)
		expire(ctl, now);
	if (l->version != l->published && now >= l->build_due_ns)
		build(ctl, now);
	now = l->state.n != 0 ? l->expire_due_ns : FCN_HOST_NEVER;
	return l->version != l->published ? RTE_MIN(now, l->build_due_ns) : now;
}
