/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Prefixes of senders whose proxies were learned, END.CON SIDs, and their publication. A table is a
 * balanced tree, so that no choice of prefixes makes it slow.
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

/* Time between two searches for what has reached the end of its lifetime. */
#define EXPIRE_EVERY_NS (100 * MS)

#define EVENTS_A_SECOND 100

#define PROTOCOL(name) (1u << FCN_PROXY_##name)

static const struct {
	uint32_t max, share;
	uint32_t protocols; /* bits */
	enum fcn_event_type learned, lost;
} kinds[FCN_LEARNED_KIND_COUNT] = {
		[FCN_LEARNED_PROXY] = {FCN_LEARNED_MAX, FCN_LEARNED_SHARE,
				PROTOCOL(ISIS) | PROTOCOL(OSPF) | PROTOCOL(OSPF3) | PROTOCOL(BGP),
				FCN_EVENT_PROXY_LEARNED, FCN_EVENT_PROXY_LOST},
		[FCN_LEARNED_ENDCON] = {FCN_LEARNED_ENDCON_MAX, FCN_LEARNED_ENDCON_SHARE,
				PROTOCOL(ISIS) | PROTOCOL(OSPF3), FCN_EVENT_ENDCON_LEARNED,
				FCN_EVENT_ENDCON_LOST},
};

struct table {
	void *root; /* tree of struct fcn_learned, see tsearch(3) */
	struct fcn_learned_state state;
};

struct fcn_control_learned {
	struct table table[FCN_LEARNED_KIND_COUNT];
	uint64_t builds, events_skipped;
	uint64_t version;                  /* counts changes */
	uint64_t published;                /* version that is published */
	uint64_t build_due_ns;             /* time before which no snapshot is built */
	uint64_t expire_due_ns;            /* no lifetime ends before */
	uint64_t second_ns;                /* begin of the second in which events are counted */
	uint32_t events;                   /* in this second */
	struct fcn_proxy_prefix *in_force; /* memory of env.learned_proxies */
	struct fcn_prefix *endcons;        /* memory of env.learned_endcons */
};

bool
fcn_learned_has_protocol(enum fcn_learned_kind kind, enum fcn_proxy_origin protocol)
{
	return kinds[kind].protocols >> protocol & 1;
}

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
	for (unsigned int kind = 0; kind < FCN_LEARNED_KIND_COUNT; kind++)
		tdestroy(ctl->learned->table[kind].root, free);
	free(ctl->learned->in_force);
	free(ctl->learned->endcons);
	free(ctl->learned);
}

void
fcn_control_learned_clear_counters(struct fcn_control *ctl)
{
	struct fcn_control_learned *l = ctl->learned;

	for (unsigned int kind = 0; kind < FCN_LEARNED_KIND_COUNT; kind++)
		memset(l->table[kind].state.count, 0, sizeof(l->table[kind].state.count));
	l->builds = 0;
	l->events_skipped = 0;
}

/* ---- the tables ---- */

static int
compare(const void *va, const void *vb)
{
	const struct fcn_learned *a = va, *b = vb;
	int d = fcn_prefix_compare(&a->item.prefix, &b->item.prefix);

	return d != 0 ? d : (int)a->item.origin - (int)b->item.origin;
}

static struct fcn_learned *
find_learned(const struct table *t, const struct fcn_prefix *prefix, unsigned int origin)
{
	struct fcn_learned key = {.item = {.prefix = *prefix, .origin = (uint8_t)origin}};
	struct fcn_learned *const *found;

	fcn_prefix_normalise(&key.item.prefix);
	found = tfind(&key, &t->root, compare);
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
all(const struct table *t)
{
	struct filler f = {.at = calloc(t->state.n + 1, sizeof(f.at[0]))};

	if (f.at != NULL)
		twalk_r(t->root, fill, &f);
	return f.at;
}

struct fcn_learned *
fcn_learned_list(const struct fcn_control *ctl, enum fcn_learned_kind kind, uint32_t *n)
{
	const struct table *t = &ctl->learned->table[kind];
	const struct fcn_learned **from = all(t);
	struct fcn_learned *list = NULL;

	*n = t->state.n;
	if (from != NULL)
		list = calloc(*n + 1, sizeof(*list));
	for (uint32_t i = 0; list != NULL && i < *n; i++)
		list[i] = *from[i];
	free(from);
	return list;
}

/*
 * Get the number of further ones of a kind that a protocol may have. A protocol that has less than
 * its share finds room for the rest of it, as what the others have not used of theirs is kept.
 */
static uint32_t
room_of(const struct fcn_control_learned *l, enum fcn_learned_kind kind, unsigned int protocol)
{
	const struct fcn_learned_state *s = &l->table[kind].state;
	uint32_t kept = 0;

	for (unsigned int p = 0; p < FCN_PROXY_ORIGIN_COUNT; p++)
		if (p != protocol && fcn_learned_has_protocol(kind, p) &&
				s->n_of[p] < kinds[kind].share)
			kept += kinds[kind].share - s->n_of[p];
	return kinds[kind].max - s->n - kept;
}

void
fcn_learned_state(const struct fcn_control *ctl, enum fcn_learned_kind kind,
		struct fcn_learned_state *state)
{
	const struct fcn_control_learned *l = ctl->learned;

	*state = l->table[kind].state;
	for (unsigned int p = 0; p < FCN_PROXY_ORIGIN_COUNT; p++)
		if (fcn_learned_has_protocol(kind, p))
			state->room[p] = room_of(l, kind, p);
	state->builds = l->builds;
	state->events_skipped = l->events_skipped;
	state->pending = l->version != l->published;
}

/* ---- changes ---- */

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
		l->events_skipped++;
		return;
	}
	fcn_control_put_address(ev.sender, &item->prefix.addr);
	fcn_control_put_address(ev.receiver, &item->proxy);
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
insert(struct table *t, const struct fcn_learned *from)
{
	struct fcn_learned *p = malloc(sizeof(*p));

	if (p == NULL)
		return -ENOMEM;
	*p = *from;
	if (tsearch(p, &t->root, compare) == NULL) {
		free(p);
		return -ENOMEM;
	}
	t->state.n++;
	t->state.n_of[p->item.origin]++;
	return 0;
}

static int
add_new(struct fcn_control *ctl, enum fcn_learned_kind kind, struct fcn_learned *p, uint64_t now,
		uint64_t lifetime)
{
	struct fcn_control_learned *l = ctl->learned;
	struct fcn_learned_counters *c = &l->table[kind].state.count[p->item.origin];

	if (room_of(l, kind, p->item.origin) == 0) {
		c->refused++;
		return -ENOSPC;
	}
	p->since_ns = now;
	set_expiry(l, p, now, lifetime);
	if (insert(&l->table[kind], p) != 0) {
		c->memory++;
		return -ENOMEM;
	}
	c->added++;
	l->version++;
	note(ctl, kinds[kind].learned, &p->item);
	return 0;
}

/* Whether messages can be sent to the address, which is not only that of a link. */
static bool
is_node(const struct fcn_addr *addr)
{
	return fcn_addr_why_no_host(addr) == NULL && !fcn_addr_is_link_local(addr);
}

int
fcn_learned_add(struct fcn_control *ctl, enum fcn_learned_kind kind,
		const struct fcn_proxy_prefix *item, uint64_t lifetime)
{
	struct fcn_control_learned *l = ctl->learned;
	struct fcn_learned_counters *c = &l->table[kind].state.count[item->origin];
	const uint64_t now = fcn_control_now(ctl);
	struct fcn_learned new = {.item = *item}, *p;

	if (!is_node(kind == FCN_LEARNED_ENDCON ? &item->prefix.addr : &item->proxy))
		return -EINVAL;
	fcn_prefix_normalise(&new.item.prefix);
	p = find_learned(&l->table[kind], &new.item.prefix, item->origin);
	if (p == NULL)
		return add_new(ctl, kind, &new, now, lifetime);
	set_expiry(l, p, now, lifetime);
	if (fcn_addr_equal(&p->item.proxy, &item->proxy)) {
		c->renewed++;
		return 0;
	}
	p->item.proxy = item->proxy;
	p->since_ns = now;
	c->changed++;
	l->version++;
	note(ctl, kinds[kind].learned, &p->item);
	return 0;
}

static void
forget(struct fcn_control *ctl, enum fcn_learned_kind kind, struct fcn_learned *p)
{
	struct table *t = &ctl->learned->table[kind];

	note(ctl, kinds[kind].lost, &p->item);
	t->state.n--;
	t->state.n_of[p->item.origin]--;
	ctl->learned->version++;
	tdelete(p, &t->root, compare);
	free(p);
}

int
fcn_learned_remove(struct fcn_control *ctl, enum fcn_learned_kind kind,
		const struct fcn_prefix *prefix, enum fcn_proxy_origin protocol)
{
	struct table *t = &ctl->learned->table[kind];
	struct fcn_learned *p = find_learned(t, prefix, protocol);

	if (p == NULL)
		return -ENOENT;
	t->state.count[protocol].removed++;
	forget(ctl, kind, p);
	return 0;
}

int
fcn_learned_clear(
		struct fcn_control *ctl, enum fcn_learned_kind kind, enum fcn_proxy_origin protocol)
{
	struct table *t = &ctl->learned->table[kind];
	const struct fcn_learned **list = all(t);
	const uint32_t n = t->state.n;
	int cleared = 0;

	if (list == NULL)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++) {
		if (list[i]->item.origin != protocol)
			continue;
		t->state.count[protocol].removed++;
		forget(ctl, kind, find_learned(t, &list[i]->item.prefix, protocol));
		cleared++;
	}
	free(list);
	return cleared;
}

/* ---- time ---- */

/* @return when the next one is due, or the table is to be searched again */
static uint64_t
expire_kind(struct fcn_control *ctl, enum fcn_learned_kind kind, uint64_t now)
{
	struct table *t = &ctl->learned->table[kind];
	const uint32_t n = t->state.n;
	const struct fcn_learned **list = n != 0 ? all(t) : NULL;
	uint64_t due = FCN_HOST_NEVER;

	if (list == NULL)
		return n != 0 ? now : due;
	for (uint32_t i = 0; i < n; i++) {
		const struct fcn_proxy_prefix item = list[i]->item;

		if (list[i]->expires_ns > now) {
			due = RTE_MIN(due, list[i]->expires_ns);
			continue;
		}
		t->state.count[item.origin].expired++;
		forget(ctl, kind, find_learned(t, &item.prefix, item.origin));
	}
	free(list);
	return due;
}

static void
expire(struct fcn_control *ctl, uint64_t now)
{
	uint64_t due = FCN_HOST_NEVER;

	for (unsigned int kind = 0; kind < FCN_LEARNED_KIND_COUNT; kind++) {
		const uint64_t next = expire_kind(ctl, kind, now);

		due = RTE_MIN(due, next);
	}
	ctl->learned->expire_due_ns = RTE_MAX(due, now + EXPIRE_EVERY_NS);
}

/* Let the next snapshots have all that is learned. */
static int
collect(struct fcn_control *ctl)
{
	struct fcn_control_learned *l = ctl->learned;
	const uint32_t n = l->table[FCN_LEARNED_PROXY].state.n;
	const uint32_t n_endcons = l->table[FCN_LEARNED_ENDCON].state.n;
	const struct fcn_learned **list = all(&l->table[FCN_LEARNED_PROXY]);
	const struct fcn_learned **sids = all(&l->table[FCN_LEARNED_ENDCON]);
	struct fcn_proxy_prefix *items = calloc(n + 1, sizeof(*items));
	struct fcn_prefix *endcons = calloc(n_endcons + 1, sizeof(*endcons));
	const bool has_memory = list != NULL && sids != NULL && items != NULL && endcons != NULL;

	for (uint32_t i = 0; has_memory && i < n; i++)
		items[i] = list[i]->item;
	for (uint32_t i = 0; has_memory && i < n_endcons; i++)
		endcons[i] = sids[i]->item.prefix;
	free(list);
	free(sids);
	if (!has_memory) {
		free(items);
		free(endcons);
		return -ENOMEM;
	}
	free(l->in_force);
	free(l->endcons);
	ctl->env.learned_proxies = l->in_force = items;
	ctl->env.n_learned_proxies = n;
	ctl->env.learned_endcons = l->endcons = endcons;
	ctl->env.n_learned_endcons = n_endcons;
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
		fcn_control_log(ctl, "learned proxies and END.CON SIDs: out of memory; changes are "
				     "not applied yet");
		return;
	}
	if (fcn_control_refresh(ctl) != 0)
		return;
	l->builds++;
	l->published = l->version;
	spent = fcn_control_now(ctl) - now;
	l->build_due_ns = now + RTE_MAX(BUILD_EVERY_NS, (1 + BUILD_SHARE) * spent);
}

static bool
is_empty(const struct fcn_control_learned *l)
{
	for (unsigned int kind = 0; kind < FCN_LEARNED_KIND_COUNT; kind++)
		if (l->table[kind].state.n != 0)
			return false;
	return true;
}

uint64_t
fcn_learned_poll(struct fcn_control *ctl, uint64_t now)
{
	struct fcn_control_learned *l = ctl->learned;
	uint64_t due;

	now = ctl->host_now = RTE_MAX(now, ctl->host_now);
	if (!is_empty(l) && l->expire_due_ns <= now)
		expire(ctl, now);
	if (l->version != l->published && now >= l->build_due_ns)
		build(ctl, now);
	due = fcn_control_reported_poll(ctl, now);
	if (!is_empty(l))
		due = RTE_MIN(due, l->expire_due_ns);
	return l->version != l->published ? RTE_MIN(due, l->build_due_ns) : due;
}
