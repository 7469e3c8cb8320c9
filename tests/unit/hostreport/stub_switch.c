/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "stub_switch.h"

#include <arpa/inet.h>

static void
drop(struct stub_switch *s, unsigned int i)
{
	s->entry[i] = s->entry[--s->n];
}

void
stub_expire(struct stub_switch *s)
{
	for (unsigned int i = s->n; i-- > 0;)
		if (s->entry[i].until_ns <= s->now)
			drop(s, i);
}

static struct stub_entry *
find(struct stub_switch *s, const char *receiver, unsigned int qp)
{
	for (unsigned int i = 0; i < s->n; i++)
		if (s->entry[i].qp == qp && strcmp(s->entry[i].receiver, receiver) == 0)
			return &s->entry[i];
	return NULL;
}

const struct stub_entry *
stub_find(struct stub_switch *s, const char *receiver, unsigned int qp)
{
	return find(s, receiver, qp);
}

static bool
add(struct stub_switch *s, const struct stub_entry *fresh)
{
	struct stub_entry *e = find(s, fresh->receiver, fresh->qp);

	s->adds++;
	if (s->refuses || (e != NULL && strcmp(e->host, fresh->host) != 0))
		return false;
	assert_true(s->n < STUB_ENTRIES);
	if (e == NULL)
		e = &s->entry[s->n++];
	*e = *fresh;
	return true;
}

static bool
take_out(struct stub_switch *s, const struct stub_entry *which)
{
	struct stub_entry *e = find(s, which->receiver, which->qp);

	s->removes++;
	if (e == NULL || strcmp(e->host, which->host) != 0 ||
			strcmp(e->sender, which->sender) != 0) {
		s->unknown++;
		return false;
	}
	drop(s, (unsigned int)(e - s->entry));
	return true;
}

/* All entries of a host. @param until_ns 0: they end @return whether there are any */
static bool
of_host(struct stub_switch *s, const char *host, uint64_t until_ns)
{
	bool found = false;

	for (unsigned int i = s->n; i-- > 0;) {
		if (strcmp(s->entry[i].host, host) != 0)
			continue;
		found = true;
		s->entry[i].until_ns = until_ns;
		if (until_ns == 0)
			drop(s, i);
	}
	return found;
}

/* @return whether the switch accepts the line */
static bool
obey(struct stub_switch *s, const char *line)
{
	struct stub_entry e = {0};
	unsigned int seconds;
	int end = 0;

	stub_expire(s);
	s->lines++;
	if (sscanf(line,
			    "proxy qp learned add %63s %u sender %63s sender-qp %u host %79s "
			    "lifetime %u%n",
			    e.receiver, &e.qp, e.sender, &e.sender_qp, e.host, &seconds,
			    &end) == 6 &&
			line[end] == '\0') {
		e.until_ns = s->now + seconds * SECOND;
		return add(s, &e);
	}
	if (sscanf(line, "proxy qp learned remove %63s %u sender %63s host %79s%n", e.receiver,
			    &e.qp, e.sender, e.host, &end) == 4 &&
			line[end] == '\0')
		return take_out(s, &e);
	if (sscanf(line, "proxy qp learned keep host %79s lifetime %u%n", e.host, &seconds, &end) ==
					2 &&
			line[end] == '\0') {
		s->keeps++;
		return of_host(s, e.host, s->now + seconds * SECOND);
	}
	assert_int_equal(sscanf(line, "proxy qp learned clear host %79s%n", e.host, &end), 1);
	assert_int_equal(line[end], '\0');
	s->clears++;
	of_host(s, e.host, 0);
	return true;
}

unsigned int
stub_read(struct stub_switch *s, unsigned int most)
{
	unsigned int n = 0;

	while (n < most && s->n_waiting < FCN_REMOTE_FEED_WINDOW &&
			hosts_feed.next(s->hosts, s->now, s->waiting[s->n_waiting])) {
		s->n_waiting++;
		n++;
	}
	return n;
}

void
stub_answer(struct stub_switch *s, unsigned int most)
{
	for (; most > 0 && s->n_waiting > 0; most--) {
		const bool is_ok = obey(s, s->waiting[0]);

		s->n_waiting--;
		memmove(s->waiting[0], s->waiting[1], s->n_waiting * sizeof(s->waiting[0]));
		hosts_feed.answered(s->hosts, s->now, is_ok, is_ok ? "" : "it is refused\n");
	}
}

unsigned int
stub_run(struct stub_switch *s)
{
	unsigned int n = 0, more;

	stub_answer(s, s->n_waiting);
	while ((more = stub_read(s, 8)) > 0) {
		stub_answer(s, 8);
		n += more;
	}
	return n;
}

void
stub_disconnect(struct stub_switch *s, bool all)
{
	/* It may have done what it did not answer to. */
	while (s->n_waiting > 0 && !all)
		obey(s, s->waiting[--s->n_waiting]);
	s->n_waiting = 0;
	if (all)
		s->n = 0;
	hosts_feed.again(s->hosts);
}

static void
read_address(const char *text, uint8_t to[16])
{
	memset(to, 0, 10);
	memset(to + 10, 0xFF, 2);
	if (inet_pton(AF_INET, text, to + 12) != 1)
		assert_int_equal(inet_pton(AF_INET6, text, to), 1);
}

struct fcn_host_report_qp
stub_qp(const char *local, unsigned int local_qp, const char *remote, unsigned int remote_qp)
{
	struct fcn_host_report_qp qp = {.local_qp = local_qp, .remote_qp = remote_qp};

	read_address(local, qp.local);
	read_address(remote, qp.remote);
	return qp;
}

struct hosts_peer
stub_peer(const char *name)
{
	struct hosts_peer peer = {.n_addresses = 3};

	snprintf(peer.name, sizeof(peer.name), "%s", name);
	read_address("192.0.2.1", peer.address[0]);
	read_address("2001:db8::1", peer.address[1]);
	read_address("192.0.2.9", peer.address[2]);
	return peer;
}

static void
moved(void *arg)
{
	(void)arg;
}

static void
refused(void *arg, const struct fcn_host_report_qp *qp, const char *text)
{
	(void)arg;
	(void)qp;
	(void)text;
}

static int nobody;
const struct hosts_session stub_session = {moved, refused, &nobody};
