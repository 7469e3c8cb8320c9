/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bsd/string.h>
#include <rte_common.h>

#include "fcn_names.h"
#include "netlink_request.h"

/* A datagram has up to 32 KB, some 250 messages, during a dump. */
#define DATAGRAMS_A_POLL 16

#define MS UINT64_C(1000000)
/*
 * Ambiguous notifications mostly arrive in series, so the table is read again only after a pause.
 */
#define SETTLE_NS (50 * MS)
#define SETTLE_MAX_NS (3200 * MS)
/* Time between two attempts, and timeout of an answer. */
#define RETRY_NS (1000 * MS)
#define ANSWER_NS (5000 * MS)
/*
 * The whole table is read at this interval, in case the kernel changed it without a notification,
 * but for no more than a fraction of the time.
 */
#define CHECK_NS FCN_NETLINK_CHECK_NS
#define CHECK_SHARE 50

struct fcn_netlink {
	struct fcn_netlink_io io;
	struct fcn_kernel_store *store;
	struct fcn_netlink_conf conf;
	enum fcn_netlink_state state;
	enum fcn_netlink_request question; /* READING: the request that is being answered */
	uint32_t seq;                      /* sequence number of the request */
	bool interrupted;                  /* the table changed while it was being read */
	bool checking;                     /* this is a periodic comparison */
	bool unsure;                       /* there may have been a change */
	bool was_read;                     /* a table has been read whole at least once */
	uint32_t found;                    /* differences that a comparison has found */
	uint64_t began_ns;                 /* when reading began */
	unsigned int asked;                /* READING routes: those of this table */
	uint32_t number[FCN_MAX_TABLES];   /* of the kernel's tables; 0: none or unknown */
	uint32_t vrf[FCN_MAX_TABLES];      /* interface indices of their VRFs */
	/* READING: timeout of the answer; otherwise: when to read the table again */
	uint64_t due_ns;
	uint64_t settle_ns; /* pause before reading again; grows while the table keeps changing */
	struct fcn_netlink_counts counts;
	char last_error[128];
	uint8_t buf[FCN_NETLINK_BUFFER];
};

struct fcn_netlink *
fcn_netlink_create(const struct fcn_netlink_io *io, struct fcn_kernel_store *store)
{
	struct fcn_netlink *nl = calloc(1, sizeof(*nl));

	if (nl == NULL)
		return NULL;
	nl->io = *io;
	nl->store = store;
	nl->due_ns = FCN_NETLINK_NEVER;
	nl->settle_ns = SETTLE_NS;
	return nl;
}

void
fcn_netlink_free(struct fcn_netlink *nl)
{
	free(nl);
}

enum fcn_netlink_state
fcn_netlink_state(const struct fcn_netlink *nl)
{
	return nl->state;
}

FCN_NAME_FUNCTION(fcn_netlink_state_name, enum fcn_netlink_state, [FCN_NETLINK_OFF] = "off",
		[FCN_NETLINK_NO_VRF] = "no such vrf", [FCN_NETLINK_READING] = "reading",
		[FCN_NETLINK_LISTENING] = "listening", [FCN_NETLINK_FAILED] = "failed")

static bool
is_followed(const struct fcn_netlink_conf *conf, unsigned int table)
{
	return conf->table[table].number != 0 || conf->table[table].vrf[0] != '\0';
}

enum fcn_netlink_state
fcn_netlink_table_state(const struct fcn_netlink *nl, unsigned int table)
{
	if (!is_followed(&nl->conf, table))
		return FCN_NETLINK_OFF;
	if (nl->state == FCN_NETLINK_LISTENING && nl->number[table] == 0)
		return FCN_NETLINK_NO_VRF;
	return nl->state;
}

uint32_t
fcn_netlink_table(const struct fcn_netlink *nl, unsigned int table)
{
	return nl->number[table];
}

const char *
fcn_netlink_last_error(const struct fcn_netlink *nl)
{
	return nl->last_error;
}

void
fcn_netlink_counts(const struct fcn_netlink *nl, struct fcn_netlink_counts *counts)
{
	*counts = nl->counts;
}

void
fcn_netlink_clear_counts(struct fcn_netlink *nl)
{
	nl->counts = (struct fcn_netlink_counts){0};
}

bool
fcn_netlink_was_read(const struct fcn_netlink *nl)
{
	return nl->was_read;
}

static void __attribute__((format(printf, 3, 4)))
fail(struct fcn_netlink *nl, uint64_t now, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vsnprintf(nl->last_error, sizeof(nl->last_error), format, ap);
	va_end(ap);
	nl->state = FCN_NETLINK_FAILED;
	nl->due_ns = now + RETRY_NS;
}

static void
set_table(struct fcn_netlink *nl, unsigned int table, uint32_t number)
{
	nl->number[table] = number;
	fcn_kernel_store_set_table(nl->store, table, number);
}

/* The first table, from `from` on, whose routes are to be requested; FCN_MAX_TABLES: there is none.
 * Tables that follow the same one share the answer. */
static unsigned int
next_table(const struct fcn_netlink *nl, unsigned int from)
{
	for (; from < FCN_MAX_TABLES; from++) {
		unsigned int first = 0;

		while (nl->number[first] != nl->number[from])
			first++;
		if (nl->number[from] != 0 && first == from)
			break;
	}
	return from;
}

/* ---- requests ---- */

static void
ask(struct fcn_netlink *nl, enum fcn_netlink_request question, uint64_t now)
{
	int rc;

	nl->question = question;
	nl->state = FCN_NETLINK_READING;
	nl->due_ns = now + ANSWER_NS;
	rc = fcn_netlink_ask(&nl->io, question,
			nl->asked < FCN_MAX_TABLES ? nl->number[nl->asked] : 0, ++nl->seq);
	if (rc != 0)
		fail(nl, now, "cannot send a request to the kernel: %s", strerror(-rc));
}

static void
read_all(struct fcn_netlink *nl, uint64_t now)
{
	nl->checking = nl->state == FCN_NETLINK_LISTENING && !nl->unsure;
	nl->interrupted = false;
	nl->unsure = false;
	nl->found = 0;
	nl->began_ns = now;
	fcn_kernel_store_begin_sync(nl->store);
	memset(nl->vrf, 0, sizeof(nl->vrf)); /* they are looked up again */
	ask(nl, ASK_LINKS, now);
}

/* Schedule reading the table again soon. */
static void
distrust(struct fcn_netlink *nl, uint64_t now)
{
	nl->unsure = true;
	nl->checking = false;
	if (nl->state == FCN_NETLINK_READING)
		nl->interrupted = true;
	else if (nl->state == FCN_NETLINK_LISTENING || nl->state == FCN_NETLINK_NO_VRF)
		nl->due_ns = RTE_MIN(nl->due_ns, now + SETTLE_NS);
}

static uint64_t
next_check(const struct fcn_netlink *nl, uint64_t now)
{
	return now + RTE_MAX(CHECK_NS, CHECK_SHARE * (now - nl->began_ns));
}

/*
 * Schedule reading the table again. The pause doubles each time until the table stays unchanged
 * during a reading.
 */
static void
settle(struct fcn_netlink *nl, uint64_t now)
{
	nl->state = FCN_NETLINK_LISTENING;
	nl->due_ns = now + nl->settle_ns;
	nl->settle_ns = RTE_MIN(2 * nl->settle_ns, SETTLE_MAX_NS);
}

/*
 * All links are known: a VRF that is not among them has no table.
 *
 * @return whether there is a table to read
 */
static bool
miss_vrfs(struct fcn_netlink *nl, uint64_t now)
{
	bool missing = false;

	for (unsigned int t = 0; t < FCN_MAX_TABLES; t++) {
		if (nl->conf.table[t].vrf[0] == '\0' || nl->vrf[t] != 0)
			continue;
		missing = true;
		if (!nl->interrupted)
			set_table(nl, t, 0);
	}
	if (missing && nl->interrupted) { /* or it was omitted */
		nl->unsure = true;
		settle(nl, now);
		return false;
	}
	if (next_table(nl, 0) < FCN_MAX_TABLES)
		return true;
	nl->state = FCN_NETLINK_NO_VRF;
	nl->due_ns = next_check(nl, now); /* or when its link appears */
	nl->settle_ns = SETTLE_NS;
	fcn_kernel_store_clear(nl->store);
	return false;
}

/* Get the request that follows. The routes of each table are requested by themselves. */
static enum fcn_netlink_request
next_question(struct fcn_netlink *nl)
{
	if (nl->question == ASK_NEXTHOPS || nl->question == ASK_ROUTES4) {
		nl->asked = next_table(nl, nl->question == ASK_ROUTES4 ? nl->asked + 1 : 0);
		return nl->asked < FCN_MAX_TABLES ? ASK_ROUTES6 : ASK_NEIGHBOURS;
	}
	return nl->question + 1;
}

/* The answer to a request is complete. */
static void
answered(struct fcn_netlink *nl, uint64_t now)
{
	enum fcn_netlink_request question;

	if (nl->question == ASK_LINKS && !miss_vrfs(nl, now))
		return;
	question = next_question(nl);
	if (question != ASK_DONE) {
		ask(nl, question, now);
		return;
	}
	nl->counts.syncs++;
	nl->was_read = true;
	nl->found += fcn_kernel_store_end_sync(nl->store, nl->interrupted);
	if (nl->checking) {
		nl->counts.checks++;
		nl->counts.differences += nl->found;
	}
	if (nl->interrupted) {
		settle(nl, now);
		return;
	}
	nl->state = FCN_NETLINK_LISTENING;
	nl->due_ns = next_check(nl, now);
	nl->settle_ns = SETTLE_NS;
}

static void
refused(struct fcn_netlink *nl, int error, uint64_t now)
{
	/* A kernel before Linux 5.3 has no nexthop objects. */
	if (nl->question == ASK_NEXTHOPS && (error == -EOPNOTSUPP || error == -EINVAL))
		answered(nl, now);
	/* The kernel may have no IPv6, and a table may not exist yet. */
	else if ((nl->question == ASK_ROUTES6 || nl->question == ASK_ROUTES4) &&
			(error == -ENOENT || error == -EOPNOTSUPP || error == -EAFNOSUPPORT))
		answered(nl, now);
	else
		fail(nl, now, "the kernel refuses a request for its state: %s", strerror(-error));
	/* The kernel is still answering a request that was abandoned. */
	if (error == -EBUSY)
		nl->due_ns = now + SETTLE_NS;
}

/* ---- answers and notifications ---- */

/*
 * Compare a link message with the VRF of a table: it appeared, was removed or changed.
 *
 * @return whether it did
 */
static bool
is_other_vrf(struct fcn_netlink *nl, unsigned int table, const struct fcn_rtnl *msg)
{
	const struct fcn_rtnl_link *l = &msg->link;
	const char *vrf = nl->conf.table[table].vrf;

	if (vrf[0] == '\0')
		return false;
	if (!msg->gone && strcmp(l->name, vrf) == 0 && l->vrf_table != 0) {
		bool is_new = nl->vrf[table] != l->ifindex || nl->number[table] != l->vrf_table;

		nl->vrf[table] = l->ifindex;
		if (is_new)
			set_table(nl, table, l->vrf_table);
		return is_new;
	}
	if (l->ifindex != nl->vrf[table] || nl->vrf[table] == 0)
		return false;
	nl->vrf[table] = 0; /* it was removed or renamed */
	set_table(nl, table, 0);
	return true;
}

/* Handle a link message that may be about a VRF. */
static void
look_at_vrfs(struct fcn_netlink *nl, const struct fcn_rtnl *msg, bool answer, uint64_t now)
{
	bool is_other = false;

	for (unsigned int t = 0; t < FCN_MAX_TABLES; t++)
		is_other |= is_other_vrf(nl, t, msg);
	if (!is_other)
		return;
	if (nl->state == FCN_NETLINK_READING) {
		/* The requests that were sent are about a table that is no longer the right one. */
		if (!answer)
			distrust(nl, now);
	} else {
		nl->unsure = true;
		read_all(nl, now);
	}
}

static void
take_message(struct fcn_netlink *nl, const struct nlmsghdr *hdr, const struct fcn_rtnl_span *body,
		bool answer, uint64_t now)
{
	struct fcn_rtnl msg;

	nl->counts.messages++;
	if (fcn_rtnl_read(hdr, body, &msg) != 0) {
		nl->counts.malformed++;
		return;
	}
	if (msg.kind == FCN_RTNL_LINK)
		look_at_vrfs(nl, &msg, answer, now);
	switch (fcn_kernel_store_apply(nl->store, &msg, answer)) {
	case FCN_KERNEL_UNCLEAR:
		nl->counts.unclear++;
		distrust(nl, now);
		break;
	case FCN_KERNEL_CHANGED:
		nl->found += answer;
		break;
	case FCN_KERNEL_SAME:
		/*
		 * The dump contained the change before its notification arrived, so it is not an
		 * unnotified difference.
		 */
		nl->found -= !answer && nl->found > 0;
		break;
	case FCN_KERNEL_NOTHING:
		break;
	}
}

static void
take_datagram(struct fcn_netlink *nl, size_t len, uint64_t now)
{
	const uint8_t *data = nl->buf;
	struct fcn_rtnl_span body;
	struct nlmsghdr hdr;
	size_t left = len;

	while (fcn_rtnl_next(&data, &left, &hdr, &body)) {
		bool to_us = hdr.nlmsg_pid == nl->io.port && hdr.nlmsg_seq != 0;
		bool answer = to_us && nl->state == FCN_NETLINK_READING && hdr.nlmsg_seq == nl->seq;

		if (to_us && !answer) /* an answer to an abandoned request */
			continue;
		if (answer && hdr.nlmsg_flags & NLM_F_DUMP_INTR)
			nl->interrupted = true;
		if (hdr.nlmsg_type == NLMSG_DONE || hdr.nlmsg_type == NLMSG_ERROR) {
			int error = fcn_rtnl_error(&body);

			if (answer && error < 0)
				refused(nl, error, now);
			else if (answer)
				answered(nl, now);
		} else if (hdr.nlmsg_type >= NLMSG_MIN_TYPE) {
			take_message(nl, &hdr, &body, answer, now);
		}
	}
	if (left > 0)
		nl->counts.malformed++;
}

/*
 * It is unknown which notifications were lost, so the table is read again, even if that is just
 * being done.
 */
static void
lost(struct fcn_netlink *nl, const char *why, uint64_t now)
{
	nl->counts.lost++;
	strlcpy(nl->last_error, why, sizeof(nl->last_error));
	if (nl->state == FCN_NETLINK_READING)
		nl->state = FCN_NETLINK_LISTENING;
	if (nl->state == FCN_NETLINK_LISTENING)
		nl->due_ns = now + SETTLE_NS;
	distrust(nl, now);
}

/* @return whether there may be more */
static bool
receive(struct fcn_netlink *nl, ssize_t len, uint64_t now)
{
	if (len == -EAGAIN)
		return false;
	if (len == -EINTR)
		return true;
	if (len == -ENOBUFS) {
		lost(nl, "messages of the kernel were lost: too many at once", now);
	} else if (len < 0) {
		if (nl->state == FCN_NETLINK_OFF)
			return false;
		/*
		 * Notifications may have been lost meanwhile, and the error may persist, so wait
		 * before the next attempt.
		 */
		fail(nl, now, "cannot receive from the kernel: %s", strerror((int)-len));
		return false;
	} else if ((size_t)len > sizeof(nl->buf)) {
		lost(nl, "a message of the kernel was too long", now);
	} else if (nl->state != FCN_NETLINK_OFF) {
		take_datagram(nl, (size_t)len, now);
	}
	return true;
}

uint64_t
fcn_netlink_poll(struct fcn_netlink *nl, uint64_t now)
{
	bool more = true;

	for (unsigned int i = 0; i < DATAGRAMS_A_POLL && more; i++)
		more = receive(nl, nl->io.recv(nl->io.arg, nl->buf, sizeof(nl->buf)), now);
	if (nl->state == FCN_NETLINK_OFF)
		return more ? now : FCN_NETLINK_NEVER;
	if (nl->due_ns <= now) {
		if (nl->state == FCN_NETLINK_READING)
			fail(nl, now, "the kernel does not answer");
		else
			read_all(nl, now);
	}
	return more ? now : nl->due_ns;
}

static bool
is_same_table(const struct fcn_netlink_table *a, const struct fcn_netlink_table *b)
{
	return a->number == b->number && strcmp(a->vrf, b->vrf) == 0;
}

void
fcn_netlink_configure(struct fcn_netlink *nl, const struct fcn_netlink_conf *conf, uint64_t now)
{
	bool any = false, same = true;

	for (unsigned int t = 0; t < FCN_MAX_TABLES; t++) {
		any |= is_followed(conf, t);
		if (is_same_table(&nl->conf.table[t], &conf->table[t]))
			continue;
		same = false;
		nl->vrf[t] = 0;
		set_table(nl, t, conf->table[t].number);
	}
	if (same && nl->state != FCN_NETLINK_OFF)
		return;
	nl->conf = *conf;
	nl->state = FCN_NETLINK_OFF; /* messages about the previous tables are ignored */
	nl->settle_ns = SETTLE_NS;
	nl->last_error[0] = '\0';
	if (!any) {
		nl->due_ns = FCN_NETLINK_NEVER;
		fcn_kernel_store_clear(nl->store);
		return;
	}
	read_all(nl, now);
}
