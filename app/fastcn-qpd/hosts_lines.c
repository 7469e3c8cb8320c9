/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Lines to the switch about hosts and their queue pairs, and its answers. */

#include <inttypes.h>

#include "hosts_private.h"

#define SECOND_NS UINT64_C(1000000000)

/* Seconds for which the switch is to know what it is told of a host now. */
static uint64_t
lifetime_s(const struct host *host)
{
	const struct hosts *h = host->hosts;
	uint64_t left = h->conf.lifetime_ns;

	if (host->session.arg == NULL)
		left = host->until_ns > h->now_ns ? host->until_ns - h->now_ns : 1;
	return (left + SECOND_NS - 1) / SECOND_NS;
}

static void
write_host(struct host *host, enum hosts_line which, char *line)
{
	const char *name = host->peer.name;

	host->kept_ns = host->hosts->now_ns;
	if (which == HOSTS_LINE_CLEAR) {
		host->hosts->counters.told_clear++;
		snprintf(line, FCN_REMOTE_FEED_LINE, "proxy qp learned clear host %s", name);
		return;
	}
	host->hosts->counters.told_keep++;
	snprintf(line, FCN_REMOTE_FEED_LINE, "proxy qp learned keep host %s lifetime %" PRIu64,
			name, lifetime_s(host));
}

/* What follows "add" and "remove": the receiver, its queue pair, and the sender. */
static int
write_key(const struct hosts_entry *e, const char *verb, char *line)
{
	const struct fcn_addr remote = fcn_addr_unmap(e->qp.remote);
	const struct fcn_addr local = fcn_addr_unmap(e->qp.local);
	char receiver[FCN_ADDR_STRLEN], sender[FCN_ADDR_STRLEN];

	return snprintf(line, FCN_REMOTE_FEED_LINE, "proxy qp learned %s %s %" PRIu32 " sender %s",
			verb, fcn_addr_format(&remote, receiver, sizeof(receiver)), e->qp.remote_qp,
			fcn_addr_format(&local, sender, sizeof(sender)));
}

static void
write_add(struct hosts_entry *e, char *line)
{
	const int n = write_key(e, "add", line);

	snprintf(line + n, FCN_REMOTE_FEED_LINE - (size_t)n,
			" sender-qp %" PRIu32 " host %s lifetime %" PRIu64, e->qp.local_qp,
			e->host->peer.name, lifetime_s(e->host));
	e->is_told = true;
}

static void
write_remove(struct hosts_entry *e, char *line)
{
	const int n = write_key(e, "remove", line);

	snprintf(line + n, FCN_REMOTE_FEED_LINE - (size_t)n, " host %s", e->host->peer.name);
	e->host->n_in_force -= e->is_in_force;
	e->is_told = e->is_in_force = false;
	e->host->hosts->counters.told_remove++;
}

static void
note(struct hosts *h, enum hosts_line line, struct host *host, struct hosts_entry *e,
		uint64_t number)
{
	h->unanswered[(h->first + h->n_unanswered++) % FCN_REMOTE_FEED_WINDOW] =
			(struct hosts_unanswered){line, host, e, number};
	host->unanswered++;
	if (e != NULL)
		e->unanswered++;
}

/* ---- the next line ---- */

/* Find what the switch has refused and is told again first. @param due when */
static struct hosts_entry *
first_refused(const struct hosts *h, uint64_t *due)
{
	struct hosts_entry *e = TAILQ_FIRST(&h->refused);

	*due = e != NULL ? e->number + HOSTS_RETRY_NS : UINT64_MAX;
	if (e != NULL && h->retries >= HOSTS_RETRIES && *due < h->retries_ns + SECOND_NS)
		*due = h->retries_ns + SECOND_NS;
	return e;
}

static bool
write_retry(struct hosts *h, char *line)
{
	uint64_t due;
	struct hosts_entry *e = first_refused(h, &due);

	if (due > h->now_ns)
		return false;
	if (h->now_ns - h->retries_ns >= SECOND_NS) {
		h->retries_ns = h->now_ns;
		h->retries = 0;
	}
	h->retries++;
	h->counters.told_retry++;
	hosts_move(e, HOSTS_NOWHERE);
	write_add(e, line);
	note(h, HOSTS_LINE_RETRY, e->host, e, 0);
	return true;
}

/* Write the next line of a host that has one. */
static bool
write_of_host(struct host *host, char *line)
{
	struct hosts_entry *e = TAILQ_FIRST(&host->dirty);
	enum hosts_line which = HOSTS_LINE_REMOVE;

	if (host->is_clear_due || host->is_keep_due) {
		which = host->is_clear_due ? HOSTS_LINE_CLEAR : HOSTS_LINE_KEEP;
		host->is_clear_due = host->is_keep_due = false;
		write_host(host, which, line);
		note(host->hosts, which, host, NULL, 0);
		return true;
	}
	if (e == NULL)
		return false;
	if (e->is_wanted) {
		which = HOSTS_LINE_ADD;
		host->hosts->counters.told_add++;
		write_add(e, line);
	} else {
		write_remove(e, line);
	}
	note(host->hosts, which, host, e, e->number);
	hosts_move(e, HOSTS_NOWHERE);
	return true;
}

static bool
write_ready(struct hosts *h, char *line)
{
	struct host *host;
	bool found = false;

	while (!found && (host = TAILQ_FIRST(&h->ready)) != NULL) {
		TAILQ_REMOVE(&h->ready, host, ready);
		host->is_ready = false;
		found = write_of_host(host, line);
		if (host->n_dirty > 0)
			hosts_make_ready(host);
	}
	return found;
}

static bool
next(void *arg, uint64_t now_ns, char line[FCN_REMOTE_FEED_LINE])
{
	struct hosts *h = arg;

	h->now_ns = now_ns;
	h->is_retry_next = !h->is_retry_next;
	if (h->n_unanswered == FCN_REMOTE_FEED_WINDOW)
		return false;
	return h->is_retry_next ? write_retry(h, line) || write_ready(h, line)
				: write_ready(h, line) || write_retry(h, line);
}

static uint64_t
due(const void *arg)
{
	const struct hosts *h = arg;
	uint64_t at;

	if (!TAILQ_EMPTY(&h->ready))
		return 0;
	first_refused(h, &at);
	return at;
}

/* ---- answers ---- */

static void
added(struct hosts *h, const struct hosts_unanswered *u, bool is_ok, const char *text)
{
	struct hosts_entry *e = u->entry;
	struct host *host = u->host;

	if (is_ok) {
		h->retries -= u->line == HOSTS_LINE_RETRY && h->retries > 0;
		/* Otherwise it has been removed since. */
		host->n_in_force += e->is_told && !e->is_in_force;
		e->is_in_force |= e->is_told;
		return;
	}
	h->counters.refused++;
	host->n_in_force -= e->is_in_force;
	e->is_in_force = false;
	if (host->session.arg != NULL)
		host->session.refused(host->session.arg, &e->qp, text);
	if (e->is_wanted && e->place == HOSTS_NOWHERE && e->unanswered == 1)
		hosts_move(e, HOSTS_REFUSED);
}

/* Take the first line that has no answer. */
static struct hosts_unanswered
take(struct hosts *h)
{
	const struct hosts_unanswered u = h->unanswered[h->first];

	h->first = (h->first + 1) % FCN_REMOTE_FEED_WINDOW;
	h->n_unanswered--;
	return u;
}

static void
release(const struct hosts_unanswered *u)
{
	if (u->entry != NULL) {
		u->entry->unanswered--;
		hosts_settle(u->entry);
	}
	u->host->unanswered--;
}

static bool
answered(void *arg, uint64_t now_ns, bool is_ok, const char *text)
{
	struct hosts *h = arg;
	struct hosts_unanswered u;
	bool is_add;

	h->now_ns = now_ns;
	if (h->n_unanswered == 0)
		return false;
	u = take(h);
	is_add = u.line == HOSTS_LINE_ADD || u.line == HOSTS_LINE_RETRY;
	if (is_add)
		added(h, &u, is_ok, text);
	else if (!is_ok && u.line == HOSTS_LINE_REMOVE)
		h->counters.remove_unknown++;
	release(&u);
	if (u.number != 0)
		u.host->done = u.number;
	if (!is_ok && u.line == HOSTS_LINE_KEEP) {
		h->counters.keep_unknown++;
		hosts_tell_all(u.host);
	}
	if (u.host->session.arg != NULL)
		u.host->session.moved(u.host->session.arg);
	hosts_drop_if_over(u.host);
	return is_add;
}

static void
again(void *arg)
{
	struct hosts *h = arg;

	while (h->n_unanswered > 0) {
		const struct hosts_unanswered u = take(h);

		release(&u);
	}
	for (uint32_t i = h->n_hosts; i-- > 0;) {
		hosts_tell_all(h->host[i]);
		hosts_drop_if_over(h->host[i]);
	}
}

const struct fcn_remote_feed_ops hosts_feed = {
		.next = next, .answered = answered, .again = again, .due = due};
