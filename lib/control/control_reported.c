/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Queue pairs that hosts report. The map itself knows which entries are of which host. */

#include <errno.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bsd/string.h>
#include <rte_common.h>

#include "control_private.h"
#include "fcn_reported.h"

#define SECOND UINT64_C(1000000000)

#define EVENTS_A_SECOND 10

/* Entries that are forgotten before neighbours are answered, which takes some 100 us, and by one
 * poll, but for those of the last host. */
#define PORTION 64
#define POLL_PORTION 16384

/* A host, in the tree by its name. */
struct host {
	struct fcn_reported_host host; /* its name is the first member */
	uint32_t number;               /* its place below; the owner of its entries */
};

struct fcn_control_reported {
	void *root; /* tree of struct host, see tsearch(3) */
	struct host *host[FCN_QP_MAP_OWNERS];
	unsigned int n;
	unsigned int from; /* no number below is free, but 0 */
	struct fcn_reported_counters count;
	bool unsettled;         /* workers may still use what was removed */
	uint64_t expire_due_ns; /* no lifetime ends before */
	uint64_t second_ns;     /* begin of the second in which events are counted */
	uint32_t events;        /* in this second */
};

/* Count for a host, and for all. */
#define COUNT(r, h, member, by) ((r)->count.member += (by), (h)->host.count.member += (by))

int
fcn_control_reported_create(struct fcn_control *ctl)
{
	ctl->reported_qps = calloc(1, sizeof(*ctl->reported_qps));
	if (ctl->reported_qps == NULL)
		return -ENOMEM;
	ctl->reported_qps->expire_due_ns = FCN_HOST_NEVER;
	ctl->reported_qps->from = 1;
	return 0;
}

void
fcn_control_reported_free(struct fcn_control *ctl)
{
	if (ctl->reported_qps == NULL)
		return;
	tdestroy(ctl->reported_qps->root, free);
	free(ctl->reported_qps);
}

void
fcn_control_reported_clear_counters(struct fcn_control *ctl)
{
	struct fcn_control_reported *r = ctl->reported_qps;

	memset(&r->count, 0, sizeof(r->count));
	for (unsigned int i = 1; i < FCN_QP_MAP_OWNERS; i++) {
		if (r->host[i] != NULL)
			memset(&r->host[i]->host.count, 0, sizeof(r->host[i]->host.count));
	}
}

bool
fcn_reported_is_name(const char *name)
{
	static const char letters[] =
			"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_";
	const size_t len = strlen(name);

	return len > 0 && len < FCN_REPORTED_NAME && strspn(name, letters) == len;
}

/* ---- events ---- */

/* Record an event, unless there were too many in this second. */
static void
note(struct fcn_control *ctl, enum fcn_event_type type, const struct host *h, const char *what)
{
	struct fcn_control_reported *r = ctl->reported_qps;
	const uint64_t now = fcn_control_now(ctl);
	char text[160];

	if (now - r->second_ns >= SECOND) {
		r->second_ns = now;
		r->events = 0;
	}
	if (r->events++ >= EVENTS_A_SECOND)
		return;
	snprintf(text, sizeof(text), "host %s %s", h->host.name, what);
	fcn_control_note(ctl, type, &(const struct fcn_event_text){.text = text});
}

/* ---- hosts ---- */

static int
compare(const void *a, const void *b)
{
	return strcmp(a, b);
}

static struct host *
find_host(const struct fcn_control_reported *r, const char *name)
{
	struct host *const *found = tfind(name, &r->root, compare);

	return found != NULL ? *found : NULL;
}

static int
create_host(struct fcn_control *ctl, const char *name, struct host **out)
{
	struct fcn_control_reported *r = ctl->reported_qps;
	struct host *h;

	if (r->n == FCN_REPORTED_HOSTS)
		return -EUSERS;
	h = calloc(1, sizeof(*h));
	if (h == NULL)
		return -ENOMEM;
	strlcpy(h->host.name, name, sizeof(h->host.name));
	h->host.since_ns = fcn_control_now(ctl);
	while (r->host[r->from] != NULL)
		r->from++;
	h->number = r->from;
	if (tsearch(h, &r->root, compare) == NULL) {
		free(h);
		return -ENOMEM;
	}
	r->host[h->number] = h;
	r->n++;
	note(ctl, FCN_EVENT_HOST_REPORTS, h, "reports its queue pairs");
	*out = h;
	return 0;
}

/* Forget all that a host has reported. @return how many there were */
static uint32_t
forget_entries(struct fcn_control *ctl, const struct host *h)
{
	uint32_t n = 0, place;

	while (ctl->env.qps != NULL) {
		place = fcn_qp_map_first(ctl->env.qps, h->number);
		if (place == FCN_QP_MAP_NONE)
			break;
		fcn_qp_map_remove(ctl->env.qps, place);
		if (++n % PORTION == 0)
			fcn_control_attend(ctl);
	}
	return n;
}

static void
forget_host(struct fcn_control *ctl, struct host *h)
{
	struct fcn_control_reported *r = ctl->reported_qps;

	tdelete(h, &r->root, compare);
	r->host[h->number] = NULL;
	r->from = RTE_MIN(r->from, h->number);
	r->n--;
	free(h);
}

static void
live(struct fcn_control *ctl, struct host *h, uint64_t until)
{
	struct fcn_control_reported *r = ctl->reported_qps;

	h->host.expires_ns = until;
	r->expire_due_ns = RTE_MIN(r->expire_due_ns, until);
}

/* Find a host, or let it begin to report. */
static int
open_host(struct fcn_control *ctl, const char *name, struct host **h)
{
	if (fcn_qp_map_room(ctl->env.qps) == 0)
		return -EOPNOTSUPP;
	*h = find_host(ctl->reported_qps, name);
	return *h != NULL ? 0 : create_host(ctl, name, h);
}

/* ---- reports ---- */

static bool
is_host(const struct fcn_addr *addr)
{
	return (addr->version == 4 || addr->version == 6) && fcn_addr_why_no_host(addr) == NULL &&
	       !fcn_addr_is_link_local(addr);
}

/* Refuse a report, which is an event. */
static int
refuse(struct fcn_control *ctl, const struct host *h, int rc, const char *why)
{
	note(ctl, FCN_EVENT_HOST_REFUSED, h, why);
	return rc;
}

/* Whether an entry is still about the same connection. */
static bool
is_same(const struct fcn_qp_pair *a, const struct fcn_qp_pair *b)
{
	return a->sender_qp == b->sender_qp && fcn_addr_equal(&a->sender, &b->sender);
}

/* Check whether a host may report a queue pair. @param was written: the entry that is there; of
 * version 0 if there is none */
static int
check(struct fcn_control *ctl, struct host *h, const struct fcn_qp_pair *pair,
		struct fcn_qp_entry *was, struct fcn_reported_error *error)
{
	struct fcn_control_reported *r = ctl->reported_qps;
	const struct fcn_qp_map *map = ctl->env.qps;
	const uint32_t place = fcn_qp_map_place(map, &pair->receiver, pair->receiver_qp);

	was->pair.receiver.version = 0;
	if (place != FCN_QP_MAP_NONE && fcn_qp_map_get(map, place, was) &&
			was->owner != h->number) {
		COUNT(r, h, held, 1);
		error->holder = was->owner == FCN_QP_MAP_CONFIGURED
						? NULL
						: r->host[was->owner]->host.name;
		return refuse(ctl, h, -EEXIST, "reports a queue pair that somebody else has");
	}
	if (place == FCN_QP_MAP_NONE &&
			fcn_qp_map_count(map, h->number) >= ctl->config->proxy.reported_host) {
		COUNT(r, h, over_host, 1);
		return refuse(ctl, h, -EDQUOT, "has reported as many queue pairs as one host may");
	}
	return 0;
}

int
fcn_reported_add(struct fcn_control *ctl, const struct fcn_qp_pair *pair, const char *host,
		uint64_t lifetime, struct fcn_reported_error *error)
{
	struct fcn_control_reported *r = ctl->reported_qps;
	const uint64_t now = fcn_control_now(ctl);
	struct fcn_qp_entry was;
	struct host *h;
	int rc;

	if (!is_host(&pair->receiver) || !is_host(&pair->sender) ||
			pair->receiver.version != pair->sender.version)
		return -EINVAL;
	rc = open_host(ctl, host, &h);
	if (rc != 0) {
		r->count.over_all += rc == -EUSERS;
		return rc;
	}
	live(ctl, h, RTE_MAX(h->host.expires_ns, now + lifetime * SECOND));
	rc = check(ctl, h, pair, &was, error);
	if (rc != 0)
		return rc;
	rc = fcn_qp_map_put(ctl->env.qps, pair, h->number, now);
	if (rc < 0) {
		COUNT(r, h, over_all, 1);
		return refuse(ctl, h, rc,
				"reports queue pairs, and there are as many as there may be");
	}
	COUNT(r, h, added, rc == 0);
	COUNT(r, h, replaced, rc == 1);
	COUNT(r, h, renewed, rc == 2);
	if (was.pair.receiver.version != 0 && !is_same(&was.pair, pair))
		r->unsettled = true;
	return 0;
}

int
fcn_reported_remove(struct fcn_control *ctl, const struct fcn_qp_pair *pair, const char *host)
{
	struct fcn_control_reported *r = ctl->reported_qps;
	struct host *h = find_host(r, host);
	struct fcn_qp_map *map = ctl->env.qps;
	struct fcn_qp_entry e;
	uint32_t place;

	if (h == NULL || map == NULL) {
		r->count.not_removed++;
		return -ENOENT;
	}
	place = fcn_qp_map_place(map, &pair->receiver, pair->receiver_qp);
	if (place == FCN_QP_MAP_NONE || !fcn_qp_map_get(map, place, &e) || e.owner != h->number ||
			!fcn_addr_equal(&e.pair.sender, &pair->sender)) {
		COUNT(r, h, not_removed, 1);
		return -ENOENT;
	}
	fcn_qp_map_remove(map, place);
	COUNT(r, h, removed, 1);
	r->unsettled = true;
	return 0;
}

int
fcn_reported_keep(struct fcn_control *ctl, const char *host, uint64_t lifetime)
{
	struct host *h = find_host(ctl->reported_qps, host);

	if (fcn_qp_map_room(ctl->env.qps) == 0)
		return -EOPNOTSUPP;
	if (h == NULL)
		return -ENOENT;
	live(ctl, h, fcn_control_now(ctl) + lifetime * SECOND);
	return 0;
}

uint32_t
fcn_reported_clear(struct fcn_control *ctl, const char *host)
{
	struct host *h = find_host(ctl->reported_qps, host);
	uint32_t n;

	if (h == NULL)
		return 0;
	n = forget_entries(ctl, h);
	ctl->reported_qps->count.removed += n;
	note(ctl, FCN_EVENT_HOST_GONE, h, "reports no queue pairs any more");
	forget_host(ctl, h);
	ctl->reported_qps->unsettled |= n != 0;
	return n;
}

void
fcn_reported_settle(struct fcn_control *ctl)
{
	if (ctl->reported_qps->unsettled)
		fcn_control_pass_turn(ctl);
	ctl->reported_qps->unsettled = false;
}

bool
fcn_reported_is_unsettled(const struct fcn_control *ctl)
{
	return ctl->reported_qps->unsettled;
}

/* ---- time, and other maps ---- */

uint64_t
fcn_control_reported_poll(struct fcn_control *ctl, uint64_t now)
{
	struct fcn_control_reported *r = ctl->reported_qps;
	uint64_t due = FCN_HOST_NEVER;
	uint32_t forgotten = 0;

	if (now < r->expire_due_ns)
		return r->expire_due_ns;
	for (unsigned int i = 1; r->n != 0 && i < FCN_QP_MAP_OWNERS; i++) {
		struct host *h = r->host[i];
		uint32_t n;

		if (h == NULL)
			continue;
		if (h->host.expires_ns > now) {
			due = RTE_MIN(due, h->host.expires_ns);
			continue;
		}
		if (forgotten >= POLL_PORTION) {
			due = now;
			continue;
		}
		n = forget_entries(ctl, h);
		r->count.expired += n;
		forgotten += n;
		note(ctl, FCN_EVENT_HOST_GONE, h,
				"has not been heard of for its lifetime, and its queue pairs are "
				"forgotten");
		forget_host(ctl, h);
	}
	r->expire_due_ns = due;
	if (forgotten != 0)
		r->unsettled = true;
	return due;
}

void
fcn_control_reported_follow(struct fcn_control *ctl)
{
	struct fcn_control_reported *r = ctl->reported_qps;

	if (fcn_qp_map_room(ctl->env.qps) != 0)
		return;
	for (unsigned int i = 1; r->n != 0 && i < FCN_QP_MAP_OWNERS; i++) {
		if (r->host[i] == NULL)
			continue;
		note(ctl, FCN_EVENT_HOST_GONE, r->host[i],
				"is forgotten, as no reports are accepted");
		forget_host(ctl, r->host[i]);
	}
	r->expire_due_ns = FCN_HOST_NEVER;
}

/* ---- what others read ---- */

const struct fcn_reported_host *
fcn_reported_host(const struct fcn_control *ctl, unsigned int number)
{
	const struct host *h = ctl->reported_qps->host[number];

	return h != NULL ? &h->host : NULL;
}

unsigned int
fcn_reported_hosts(const struct fcn_control *ctl)
{
	return ctl->reported_qps->n;
}

const struct fcn_reported_counters *
fcn_reported_counters(const struct fcn_control *ctl)
{
	return &ctl->reported_qps->count;
}
