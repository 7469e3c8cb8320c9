/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <stdlib.h>
#include <string.h>

#include "hosts_private.h"

#define SECOND_NS UINT64_C(1000000000)
#define LEAST_QP 2   /* 0 and 1 are those of management (InfiniBand specification, 3.9) */
#define END_SHARE 64 /* entries that are looked at for the cost of a record */

/* ---- the table ---- */

struct hosts *
hosts_create(const struct hosts_conf *conf)
{
	struct hosts *h = calloc(1, sizeof(*h));
	uint32_t buckets = 1024;

	if (h == NULL)
		return NULL;
	h->conf = *conf;
	while (buckets < conf->total)
		buckets *= 2;
	h->mask = buckets - 1;
	fcn_hash_key_make(&h->key, conf->secret);
	TAILQ_INIT(&h->ready);
	TAILQ_INIT(&h->refused);
	h->host = calloc(conf->hosts, sizeof(struct host *));
	h->buckets = calloc(buckets, sizeof(struct hosts_entry *));
	if (h->host == NULL || h->buckets == NULL) {
		hosts_destroy(h);
		return NULL;
	}
	return h;
}

static void
free_host(struct host *host)
{
	struct hosts_entry *e;

	while ((e = TAILQ_FIRST(&host->entries)) != NULL) {
		TAILQ_REMOVE(&host->entries, e, of_host);
		free(e);
	}
	free(host);
}

void
hosts_destroy(struct hosts *h)
{
	if (h == NULL)
		return;
	for (uint32_t i = 0; i < h->n_hosts; i++)
		free_host(h->host[i]);
	free(h->host);
	free(h->buckets);
	free(h);
}

/* Get the pointer to an entry, or to the end of its chain. */
static struct hosts_entry **
find_entry(struct host *host, const struct fcn_host_report_qp *qp)
{
	struct hosts *h = host->hosts;
	struct hosts_entry **at;
	uint64_t w[4], hash;

	memcpy(w, qp->remote, 16);
	memcpy(w + 2, qp->local, 16);
	hash = fcn_hash_pair(&h->key, w[0] ^ qp->remote_qp, w[1]) ^
	       fcn_hash_other_pair(&h->key, w[2], w[3]);
	at = &h->buckets[(hash ^ hash >> 32) & h->mask];
	while (*at != NULL && ((*at)->host != host || (*at)->qp.remote_qp != qp->remote_qp ||
					      memcmp((*at)->qp.remote, qp->remote, 16) != 0 ||
					      memcmp((*at)->qp.local, qp->local, 16) != 0))
		at = &(*at)->chain;
	return at;
}

void
hosts_make_ready(struct host *host)
{
	if (host->is_ready)
		return;
	host->is_ready = true;
	TAILQ_INSERT_TAIL(&host->hosts->ready, host, ready);
}

void
hosts_move(struct hosts_entry *e, enum hosts_place place)
{
	struct host *host = e->host;
	struct hosts *h = host->hosts;

	if (e->place == place)
		return;
	if (e->place == HOSTS_DIRTY) {
		TAILQ_REMOVE(&host->dirty, e, link);
		host->n_dirty--;
	} else if (e->place == HOSTS_REFUSED) {
		TAILQ_REMOVE(&h->refused, e, link);
		h->n_refused--;
	}
	e->place = (uint8_t)place;
	if (place == HOSTS_DIRTY) {
		e->number = ++host->changes;
		TAILQ_INSERT_TAIL(&host->dirty, e, link);
		host->n_dirty++;
		hosts_make_ready(host);
	} else if (place == HOSTS_REFUSED) {
		e->number = h->now_ns;
		TAILQ_INSERT_TAIL(&h->refused, e, link);
		h->n_refused++;
	}
}

void
hosts_settle(struct hosts_entry *e)
{
	struct host *host = e->host;

	if (e->is_wanted || e->place != HOSTS_NOWHERE || e->unanswered > 0)
		return;
	*find_entry(host, &e->qp) = e->chain;
	TAILQ_REMOVE(&host->entries, e, of_host);
	host->n_in_force -= e->is_in_force;
	host->hosts->n_entries--;
	host->n--;
	free(e);
}

/* ---- sessions ---- */

static struct host *
find_host(const struct hosts *h, const char *name)
{
	for (uint32_t i = 0; i < h->n_hosts; i++)
		if (strcmp(h->host[i]->peer.name, name) == 0)
			return h->host[i];
	return NULL;
}

void *
hosts_find_session(const struct hosts *h, const char *name)
{
	const struct host *host = find_host(h, name);

	return host != NULL ? host->session.arg : NULL;
}

static struct host *
make_host(struct hosts *h)
{
	struct host *host;

	if (h->n_hosts == h->conf.hosts)
		return NULL;
	host = calloc(1, sizeof(*host));
	if (host == NULL) {
		h->counters.memory++;
		return NULL;
	}
	host->hosts = h;
	TAILQ_INIT(&host->entries);
	TAILQ_INIT(&host->dirty);
	h->host[h->n_hosts++] = host;
	/* What the switch knows of it comes from a process before this one. */
	host->is_clear_due = true;
	hosts_make_ready(host);
	return host;
}

struct host *
hosts_open(struct hosts *h, const struct hosts_peer *peer, const struct hosts_session *session,
		uint64_t now_ns)
{
	struct host *host = find_host(h, peer->name);

	h->now_ns = now_ns;
	if (host == NULL)
		host = make_host(h);
	if (host == NULL)
		return NULL;
	host->peer = *peer;
	host->session = *session;
	host->is_full = false;
	/* Once, so that there is time for all of it. After that, only what it has said again is
	 * kept. */
	hosts_keep(host);
	return host;
}

void
hosts_close(struct host *host, uint64_t now_ns)
{
	host->session.arg = NULL;
	host->until_ns = now_ns + host->hosts->conf.lifetime_ns;
}

uint64_t
hosts_take(struct host *host, uint32_t cost, uint64_t now_ns)
{
	const uint64_t each = SECOND_NS / host->hosts->conf.changes;
	uint64_t from = host->full_ns > now_ns ? host->full_ns : now_ns;

	if (cost > host->hosts->conf.changes)
		cost = host->hosts->conf.changes;
	if (from + cost * each > now_ns + SECOND_NS)
		return from + cost * each - SECOND_NS;
	host->full_ns = from + cost * each;
	return 0;
}

uint32_t
hosts_cost(const struct host *host)
{
	return 1 + host->n / END_SHARE;
}

/* ---- queue pairs ---- */

static bool
is_said(const struct hosts_entry *e)
{
	return e->is_wanted && e->generation == e->host->generation;
}

/* Nothing of a host has been said. */
static void
say_nothing(struct host *host)
{
	host->hosts->n_said -= host->n_said;
	host->n_said = 0;
}

void
hosts_begin_full(struct host *host)
{
	host->generation++;
	say_nothing(host);
}

static void
remove_entry(struct hosts_entry *e)
{
	e->host->n_said -= is_said(e);
	e->host->hosts->n_said -= is_said(e);
	e->is_wanted = false;
	hosts_move(e, e->is_told ? HOSTS_DIRTY : HOSTS_NOWHERE);
	hosts_settle(e);
}

void
hosts_end_full(struct host *host, uint64_t now_ns)
{
	struct hosts_entry *e, *next;

	for (e = TAILQ_FIRST(&host->entries); e != NULL; e = next) {
		next = TAILQ_NEXT(e, of_host);
		if (e->is_wanted && e->generation != host->generation)
			remove_entry(e);
	}
	host->is_full = true;
	/* If it took long, the switch may have forgotten what came first. */
	host->hosts->now_ns = now_ns;
	hosts_keep(host);
}

/* @return 0 or enum fcn_host_report_reason */
static uint8_t
why_not(const struct host *host, const struct fcn_host_report_qp *qp)
{
	const struct fcn_addr local = fcn_addr_unmap(qp->local);
	const struct fcn_addr remote = fcn_addr_unmap(qp->remote);
	unsigned int i = 0;

	if (local.version != remote.version || fcn_addr_why_no_host(&local) != NULL ||
			fcn_addr_why_no_host(&remote) != NULL || qp->local_qp < LEAST_QP ||
			qp->remote_qp < LEAST_QP)
		return FCN_HOST_REPORT_REASON_INVALID;
	while (i < host->peer.n_addresses && memcmp(host->peer.address[i], qp->local, 16) != 0)
		i++;
	return i < host->peer.n_addresses ? 0 : FCN_HOST_REPORT_REASON_ADDRESS;
}

/* Make an entry at the end of a chain. @return 0 or enum fcn_host_report_reason */
static uint8_t
make_entry(struct host *host, struct hosts_entry **at, const struct fcn_host_report_qp *qp)
{
	struct hosts *h = host->hosts;

	*at = calloc(1, sizeof(**at));
	if (*at == NULL) {
		h->counters.memory++;
		return FCN_HOST_REPORT_REASON_TOTAL;
	}
	(*at)->host = host;
	(*at)->qp = *qp;
	TAILQ_INSERT_TAIL(&host->entries, *at, of_host);
	h->n_entries++;
	host->n++;
	return 0;
}

/*
 * Find out whether there is room for a queue pair that is not said yet. In a full state, those that
 * may not be mentioned again do not count; nor do those of which the switch has still to be told
 * that they are gone. Both together are as many again at most.
 */
static uint8_t
why_full(const struct host *host, const struct hosts_entry *e)
{
	const struct hosts *h = host->hosts;

	if (host->n_said >= h->conf.entries || (e == NULL && host->n / 2 >= h->conf.entries))
		return FCN_HOST_REPORT_REASON_ENTRIES;
	if (h->n_said >= h->conf.total || (e == NULL && h->n_entries / 2 >= h->conf.total))
		return FCN_HOST_REPORT_REASON_TOTAL;
	return 0;
}

uint8_t
hosts_add(struct host *host, const struct fcn_host_report_qp *qp)
{
	uint8_t why = why_not(host, qp);
	struct hosts_entry **at, *e;
	bool is_known;

	if (why != 0)
		return why;
	at = find_entry(host, qp);
	if (*at == NULL || !is_said(*at))
		why = why_full(host, *at);
	if (why == 0 && *at == NULL)
		why = make_entry(host, at, qp);
	if (why != 0)
		return why;
	e = *at;
	is_known = e->is_wanted && e->qp.local_qp == qp->local_qp;
	host->n_said += !is_said(e);
	host->hosts->n_said += !is_said(e);
	e->is_wanted = true;
	e->generation = host->generation;
	e->qp.local_qp = qp->local_qp;
	if (!is_known)
		hosts_move(e, HOSTS_DIRTY);
	return 0;
}

bool
hosts_remove(struct host *host, const struct fcn_host_report_qp *qp)
{
	struct hosts_entry *e = *find_entry(host, qp);

	if (e == NULL || !e->is_wanted || e->qp.local_qp != qp->local_qp)
		return false;
	remove_entry(e);
	return true;
}

uint64_t
hosts_mark(const struct host *host)
{
	return host->changes;
}

bool
hosts_is_in_force(const struct host *host, uint64_t mark)
{
	if (host->is_clear_due)
		return false;
	if (host->n_dirty == 0 && host->unanswered == 0)
		return true;
	return host->done >= mark && host->done >= host->barrier;
}

/* ---- time ---- */

void
hosts_tell_all(struct host *host)
{
	struct hosts_entry *e, *next;

	for (e = TAILQ_FIRST(&host->entries); e != NULL; e = next) {
		next = TAILQ_NEXT(e, of_host);
		host->n_in_force -= e->is_in_force;
		e->is_told = e->is_in_force = false;
		hosts_move(e, HOSTS_NOWHERE);
		if (e->is_wanted)
			hosts_move(e, HOSTS_DIRTY);
		hosts_settle(e);
	}
	host->barrier = host->changes;
	host->is_clear_due = true;
	host->is_keep_due = false;
	hosts_make_ready(host);
}

void
hosts_keep(struct host *host)
{
	const uint64_t lifetime = host->hosts->conf.lifetime_ns;

	if (host->n_in_force == 0 || host->is_clear_due)
		return;
	if (host->hosts->now_ns - host->kept_ns > lifetime - lifetime / 10) {
		hosts_tell_all(host);
		return;
	}
	host->is_keep_due = true;
	hosts_make_ready(host);
}

/* A host is forgotten. The switch does that by itself. */
static void
forget(struct host *host)
{
	struct hosts_entry *e, *next;

	say_nothing(host);
	for (e = TAILQ_FIRST(&host->entries); e != NULL; e = next) {
		next = TAILQ_NEXT(e, of_host);
		e->is_wanted = false;
		hosts_move(e, HOSTS_NOWHERE);
		hosts_settle(e);
	}
	host->is_clear_due = host->is_keep_due = false;
	hosts_drop_if_over(host);
}

void
hosts_drop_if_over(struct host *host)
{
	struct hosts *h = host->hosts;
	uint32_t i = 0;

	if (host->session.arg != NULL || host->until_ns > h->now_ns || host->unanswered > 0 ||
			host->n > 0)
		return;
	if (host->is_ready)
		TAILQ_REMOVE(&h->ready, host, ready);
	while (h->host[i] != host)
		i++;
	h->host[i] = h->host[--h->n_hosts];
	h->counters.forgotten++;
	free_host(host);
}

/* A session keeps what it has said, and not what one of before has. */
static bool
may_keep(const struct host *host)
{
	return host->is_full || host->n_said == host->n;
}

void
hosts_tick(struct hosts *h, uint64_t now_ns)
{
	h->now_ns = now_ns;
	for (uint32_t i = h->n_hosts; i-- > 0;) {
		struct host *host = h->host[i];

		if (host->session.arg == NULL && host->until_ns <= now_ns) {
			forget(host);
		} else if (host->session.arg != NULL && may_keep(host) &&
				now_ns - host->kept_ns >= h->conf.lifetime_ns / 3) {
			hosts_keep(host);
		}
	}
}

/* ---- what there is ---- */

uint32_t
hosts_count(const struct hosts *h)
{
	return h->n_hosts;
}

struct hosts_shown
hosts_show(const struct hosts *h, uint32_t i)
{
	const struct host *host = h->host[i];

	return (struct hosts_shown){.name = host->peer.name,
			.is_live = host->session.arg != NULL,
			.entries = host->n,
			.in_force = host->n_in_force,
			.pending = host->n_dirty,
			.until_ns = host->until_ns};
}

uint32_t
hosts_entries(const struct hosts *h)
{
	return h->n_entries;
}

uint32_t
hosts_refused(const struct hosts *h)
{
	return h->n_refused;
}

const struct hosts_counters *
hosts_counters(const struct hosts *h)
{
	return &h->counters;
}
