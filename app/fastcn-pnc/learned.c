/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "learned.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include "fcn_hash_key.h"

#define SECOND_NS UINT64_C(1000000000)
#define BUCKETS 65536 /* a power of two */

enum place {
	NOWHERE, /* it is removed, and the switch has been told or need not be */
	DIRTY,   /* the switch has to be told */
	CLEAN,   /* the switch has been told */
	REFUSED, /* the switch has been told, and has refused it */
};

struct entry {
	struct fcn_pnc_prefix item;
	bool is_wanted; /* it is to be there */
	bool is_told;   /* by this connection, the switch has been told that it is there */
	uint8_t place;
	uint8_t refusals; /* since it was accepted last, at most LEARNED_RETRY_LEVELS */
	uint16_t unanswered;
	uint64_t told_ns, told_until_ns;
	TAILQ_ENTRY(entry) link; /* in the list of its place */
	struct entry *chain;
};

TAILQ_HEAD(entries, entry);

struct learned {
	struct learned_conf conf;
	struct fcn_hash_key key;
	struct entries dirty, clean; /* clean: told_ns rises */
	/* By the number of refusals. All of a list wait for the same time: its first is due first.
	 */
	struct entries refused[LEARNED_RETRY_LEVELS];
	uint32_t n_dirty, n_refused, count[FCN_PNC_KIND_COUNT][FCN_PNC_PROTOCOL_COUNT];
	uint64_t retries_ns;  /* begin of the second in which retries are counted */
	unsigned int retries; /* in this second */
	bool changed_last;    /* the last line was about something that has changed */
	struct entry *unanswered[LEARNED_WINDOW];
	bool is_add[LEARNED_WINDOW]; /* what these lines were */
	unsigned int first, n_unanswered;
	struct learned_counters counters;
	struct entry *buckets[BUCKETS];
};

struct learned *
learned_create(const struct learned_conf *conf)
{
	struct learned *l = calloc(1, sizeof(*l));

	if (l == NULL)
		return NULL;
	l->conf = *conf;
	fcn_hash_key_make(&l->key, conf->secret);
	TAILQ_INIT(&l->dirty);
	TAILQ_INIT(&l->clean);
	for (unsigned int i = 0; i < LEARNED_RETRY_LEVELS; i++)
		TAILQ_INIT(&l->refused[i]);
	return l;
}

void
learned_destroy(struct learned *l)
{
	struct entry *e;

	for (unsigned int i = 0; l != NULL && i < BUCKETS; i++) {
		while ((e = l->buckets[i]) != NULL) {
			l->buckets[i] = e->chain;
			free(e);
		}
	}
	free(l);
}

/* Get the pointer to an entry, or to the end of its chain. */
static struct entry **
find_entry(struct learned *l, const struct fcn_pnc_prefix *item)
{
	const struct fcn_prefix *prefix = &item->prefix;
	uint64_t word[2], hash;
	struct entry **at;

	memcpy(word, prefix->addr.bytes, sizeof(word));
	hash = fcn_hash_pair(&l->key, word[0], word[1]) ^
	       fcn_hash_other_pair(&l->key, prefix->len,
			       (uint64_t)item->kind << 16 | (uint64_t)prefix->addr.version << 8 |
					       item->protocol);
	at = &l->buckets[(hash ^ hash >> 32) & (BUCKETS - 1)];
	while (*at != NULL &&
			((*at)->item.protocol != item->protocol || (*at)->item.kind != item->kind ||
					!fcn_prefix_equal(&(*at)->item.prefix, prefix)))
		at = &(*at)->chain;
	return at;
}

static void
move(struct learned *l, struct entry *e, enum place place)
{
	struct entries *const lists[] = {[DIRTY] = &l->dirty,
			[CLEAN] = &l->clean,
			[REFUSED] = &l->refused[e->refusals > 0 ? e->refusals - 1 : 0]};

	if (e->place == place && place == DIRTY)
		return;
	if (e->place != NOWHERE)
		TAILQ_REMOVE(lists[e->place], e, link);
	if (e->place == DIRTY)
		l->n_dirty--;
	else if (e->place == REFUSED)
		l->n_refused--;
	e->place = (uint8_t)place;
	if (place != NOWHERE)
		TAILQ_INSERT_TAIL(lists[place], e, link);
	if (place == DIRTY)
		l->n_dirty++;
	else if (place == REFUSED)
		l->n_refused++;
}

/* Free an entry of which nothing is left to do. */
static void
settle(struct learned *l, struct entry *e)
{
	struct entry **at;

	if (e->is_wanted || e->place != NOWHERE || e->unanswered > 0)
		return;
	at = find_entry(l, &e->item);
	*at = e->chain;
	free(e);
}

/* ---- the sink ---- */

static bool
is_accepted(const struct learned_accept *accept, const struct fcn_prefix *prefix)
{
	for (unsigned int i = 0; i < accept->n; i++)
		if (prefix->len >= accept->prefix[i].len &&
				fcn_prefix_contains(&accept->prefix[i], &prefix->addr))
			return true;
	return accept->n == 0;
}

/*
 * The longest lifetime that the switch is told. Routers send their routes again when a BMP session
 * begins, but nobody can be asked for link-state messages again: those that were heard count until
 * they age out, also if this process ends meanwhile.
 */
static uint64_t
longest(const struct learned *l, uint8_t protocol)
{
	return protocol == FCN_PNC_BGP ? l->conf.lifetime_ns : LEARNED_LONGEST_NS;
}

/* Whether what the switch was told is still what it has to know. */
static bool
is_known(const struct learned *l, const struct entry *e, const struct fcn_pnc_prefix *item)
{
	uint64_t until = e->told_ns + longest(l, item->protocol);

	if (item->expires_ns < until)
		until = item->expires_ns;
	return e->is_wanted && e->is_told && fcn_addr_equal(&e->item.proxy, &item->proxy) &&
	       until >= e->told_until_ns && until - e->told_until_ns < SECOND_NS;
}

static void
learned_add(void *arg, const struct fcn_pnc_prefix *item)
{
	struct learned *l = arg;
	struct entry **at, *e;
	bool known;

	if (!is_accepted(&l->conf.accept[item->kind], &item->prefix)) {
		l->counters.not_accepted++;
		return;
	}
	at = find_entry(l, item);
	e = *at;
	if (e == NULL) {
		e = calloc(1, sizeof(*e));
		if (e == NULL) {
			l->counters.memory++;
			return;
		}
		e->item = *item;
		*at = e;
	}
	l->count[item->kind][item->protocol] += !e->is_wanted;
	known = is_known(l, e, item);
	e->is_wanted = true;
	e->item = *item;
	if (!known)
		move(l, e, DIRTY);
}

static void
learned_remove(void *arg, const struct fcn_pnc_prefix *item)
{
	struct learned *l = arg;
	struct entry *e = *find_entry(l, item);

	if (e == NULL || !e->is_wanted)
		return;
	l->count[item->kind][item->protocol]--;
	e->is_wanted = false;
	move(l, e, e->is_told ? DIRTY : NOWHERE);
	settle(l, e);
}

struct fcn_pnc_sink
learned_sink(struct learned *l)
{
	return (struct fcn_pnc_sink){.add = learned_add, .remove = learned_remove, .arg = l};
}

/* ---- lines ---- */

/*
 * Write the line about an item.
 * @param seconds its lifetime; 0: it is removed
 */
static void
write_line(const struct fcn_pnc_prefix *item, uint64_t seconds, char *line)
{
	char prefix[FCN_PREFIX_STRLEN], proxy[FCN_ADDR_STRLEN];
	int n;

	fcn_addr_format(&item->proxy, proxy, sizeof(proxy));
	if (item->kind == FCN_PNC_ENDCON)
		n = snprintf(line, LEARNED_LINE, "srv6 endcon learned %s %s",
				seconds != 0 ? "add" : "remove", proxy);
	else
		n = snprintf(line, LEARNED_LINE, "proxy learned %s %s%s%s",
				seconds != 0 ? "add" : "remove",
				fcn_prefix_format(&item->prefix, prefix, sizeof(prefix)),
				seconds != 0 ? " address " : "", seconds != 0 ? proxy : "");
	n += snprintf(line + n, LEARNED_LINE - (size_t)n, " protocol %s",
			fcn_pnc_protocol_name(item->protocol));
	if (seconds != 0)
		snprintf(line + n, LEARNED_LINE - (size_t)n, " lifetime %" PRIu64, seconds);
}

static void
write_add(struct learned *l, struct entry *e, uint64_t now_ns, char *line)
{
	uint64_t left = e->item.expires_ns > now_ns ? e->item.expires_ns - now_ns : 1;

	if (left > longest(l, e->item.protocol))
		left = longest(l, e->item.protocol);
	write_line(&e->item, (left + SECOND_NS - 1) / SECOND_NS, line);
	if (e->place == REFUSED)
		l->counters.told_retry++;
	else if (e->is_told && e->place == CLEAN)
		l->counters.told_refresh++;
	else
		l->counters.told_add++;
	e->is_told = true;
	e->told_ns = now_ns;
	e->told_until_ns = now_ns + left;
	move(l, e, CLEAN);
}

static void
write_remove(struct learned *l, struct entry *e, char *line)
{
	write_line(&e->item, 0, line);
	l->counters.told_remove++;
	e->is_told = false;
	move(l, e, NOWHERE);
}

/*
 * Find what the switch has refused and is told again first. A switch that has no room would refuse
 * each of many again, so their number in a second is limited.
 *
 * @param due the time
 * @return NULL: there is none
 */
static struct entry *
first_refused(const struct learned *l, uint64_t *due)
{
	struct entry *first = NULL;

	*due = UINT64_MAX;
	for (unsigned int i = 0; i < LEARNED_RETRY_LEVELS; i++) {
		struct entry *e = TAILQ_FIRST(&l->refused[i]);
		uint64_t wait = LEARNED_RETRY_NS << i;

		if (wait > l->conf.lifetime_ns / 2)
			wait = l->conf.lifetime_ns / 2;
		if (e == NULL || e->told_ns + wait >= *due)
			continue;
		first = e;
		*due = e->told_ns + wait;
	}
	if (first != NULL && l->retries == LEARNED_RETRIES && *due < l->retries_ns + SECOND_NS)
		*due = l->retries_ns + SECOND_NS;
	return first;
}

uint64_t
learned_due(const struct learned *l)
{
	const struct entry *e = TAILQ_FIRST(&l->clean);
	uint64_t due;

	if (!TAILQ_EMPTY(&l->dirty))
		return 0;
	first_refused(l, &due);
	if (e != NULL && e->told_ns + l->conf.lifetime_ns / 2 < due)
		due = e->told_ns + l->conf.lifetime_ns / 2;
	return due;
}

/* Find what the switch is told again now. @return NULL: nothing */
static struct entry *
find_again(struct learned *l, uint64_t now_ns)
{
	uint64_t due;
	struct entry *e = first_refused(l, &due);

	if (e != NULL && due <= now_ns) {
		if (now_ns - l->retries_ns >= SECOND_NS) {
			l->retries_ns = now_ns;
			l->retries = 0;
		}
		l->retries++;
		return e;
	}
	e = TAILQ_FIRST(&l->clean);
	return e != NULL && e->told_ns + l->conf.lifetime_ns / 2 <= now_ns ? e : NULL;
}

/*
 * Find what the switch is told next. What has changed and what is told again take turns: otherwise
 * routes that change all the time could delay the others beyond their lifetime.
 *
 * @return NULL: nothing now
 */
static struct entry *
find_next(struct learned *l, uint64_t now_ns)
{
	struct entry *changed = TAILQ_FIRST(&l->dirty), *again = NULL;

	if (changed == NULL || l->changed_last)
		again = find_again(l, now_ns);
	l->changed_last = again == NULL && changed != NULL;
	return again != NULL ? again : changed;
}

bool
learned_next(struct learned *l, uint64_t now_ns, char *line)
{
	struct entry *e = l->n_unanswered < LEARNED_WINDOW ? find_next(l, now_ns) : NULL;
	unsigned int at;

	if (e == NULL)
		return false;
	at = (l->first + l->n_unanswered++) % LEARNED_WINDOW;
	l->is_add[at] = e->is_wanted;
	l->unanswered[at] = e;
	if (e->is_wanted)
		write_add(l, e, now_ns, line);
	else
		write_remove(l, e, line);
	e->unanswered++;
	return true;
}

/* Note what the switch has said of a line that adds a proxy or SID. */
static void
note_added(struct learned *l, struct entry *e, bool is_ok)
{
	if (!is_ok)
		l->counters.refused++;
	if (!is_ok && e->place == CLEAN) { /* otherwise it is told something else anyway */
		e->refusals += e->refusals < LEARNED_RETRY_LEVELS;
		move(l, e, REFUSED);
	} else if (is_ok) {
		if (e->place == REFUSED)
			move(l, e, CLEAN);
		e->refusals = 0;
	}
}

bool
learned_answered(struct learned *l, bool is_ok)
{
	struct entry *e;
	bool is_add;

	if (l->n_unanswered == 0)
		return false;
	e = l->unanswered[l->first];
	is_add = l->is_add[l->first];
	l->first = (l->first + 1) % LEARNED_WINDOW;
	l->n_unanswered--;
	if (is_add)
		note_added(l, e, is_ok);
	else if (!is_ok)
		l->counters.remove_unknown++;
	e->unanswered--;
	settle(l, e);
	return is_add;
}

void
learned_again(struct learned *l)
{
	struct entry *e;

	while (l->n_unanswered > 0) {
		e = l->unanswered[l->first];
		l->first = (l->first + 1) % LEARNED_WINDOW;
		l->n_unanswered--;
		e->unanswered--;
		/* Perhaps it was not read. If it was, it does no harm to say it twice. */
		if (!e->is_wanted)
			move(l, e, DIRTY);
	}
	while ((e = TAILQ_FIRST(&l->clean)) != NULL)
		move(l, e, DIRTY);
	for (unsigned int i = 0; i < LEARNED_RETRY_LEVELS; i++)
		while ((e = TAILQ_FIRST(&l->refused[i])) != NULL)
			move(l, e, DIRTY);
}

uint32_t
learned_count(const struct learned *l, enum fcn_pnc_kind kind, enum fcn_pnc_protocol protocol)
{
	return l->count[kind][protocol];
}

uint32_t
learned_pending(const struct learned *l)
{
	return l->n_dirty;
}

uint32_t
learned_refused(const struct learned *l)
{
	return l->n_refused;
}

const struct learned_counters *
learned_counters(const struct learned *l)
{
	return &l->counters;
}
