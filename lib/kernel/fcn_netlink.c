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

#include "fcn_netlink_question.h"

/* Of 32 KB, some 250 messages, when much is said. */
#define DATAGRAMS_A_POLL 16

#define MS UINT64_C(1000000)
/* What is unclear is mostly so several times in a row. */
#define SETTLE_NS (50 * MS)
#define SETTLE_MAX_NS (3200 * MS)
/* Between two tries; and how long an answer may take. */
#define RETRY_NS (1000 * MS)
#define ANSWER_NS (5000 * MS)
/* All is read this often, in case something went without a word; and no more than a part of the
 * time. */
#define CHECK_NS FCN_NETLINK_CHECK_NS
#define CHECK_SHARE 50

struct fcn_netlink {
	struct fcn_netlink_io io;
	struct fcn_kernel_store *store;
	struct fcn_netlink_conf conf;
	enum fcn_netlink_state state;
	enum fcn_netlink_question question; /* READING: being answered */
	uint32_t seq;                       /* of the question */
	bool interrupted;                   /* the table changed while it was read */
	bool checking;                      /* all is read though nothing speaks for a change */
	bool unsure;                        /* something does */
	uint32_t found;                     /* differences, when checking */
	uint64_t began_ns;                  /* reading */
	uint32_t table;                     /* in force, 0: none or unknown */
	uint32_t vrf;                       /* interface */
	uint64_t due_ns;                    /* READING: answer late; else: read all again */
	uint64_t settle_ns;                 /* longer each time that a table does not keep still */
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

const char *
fcn_netlink_state_name(enum fcn_netlink_state state)
{
	static const char *const names[] = {
			[FCN_NETLINK_OFF] = "off",
			[FCN_NETLINK_NO_VRF] = "no such vrf",
			[FCN_NETLINK_READING] = "reading",
			[FCN_NETLINK_LISTENING] = "listening",
			[FCN_NETLINK_FAILED] = "failed",
	};

	return (unsigned int)state < RTE_DIM(names) ? names[state] : "?";
}

uint32_t
fcn_netlink_table(const struct fcn_netlink *nl)
{
	return nl->table;
}

uint32_t
fcn_netlink_vrf(const struct fcn_netlink *nl)
{
	return nl->vrf;
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
set_table(struct fcn_netlink *nl, uint32_t table)
{
	nl->table = table;
	fcn_kernel_store_set_table(nl->store, table);
}

/* ---- questions ---- */

static void
ask(struct fcn_netlink *nl, enum fcn_netlink_question question, uint64_t now)
{
	int rc;

	nl->question = question;
	nl->state = FCN_NETLINK_READING;
	nl->due_ns = now + ANSWER_NS;
	rc = fcn_netlink_ask(&nl->io, question, nl->table, ++nl->seq);
	if (rc != 0)
		fail(nl, now, "cannot ask the kernel: %s", strerror(-rc));
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
	nl->vrf = 0; /* is looked for again */
	ask(nl, ASK_LINKS, now);
}

/* All will be read again, soon. */
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

/* Read again, after a longer time if that was so before. */
static void
settle(struct fcn_netlink *nl, uint64_t now)
{
	nl->state = FCN_NETLINK_LISTENING;
	nl->due_ns = now + nl->settle_ns;
	nl->settle_ns = RTE_MIN(2 * nl->settle_ns, SETTLE_MAX_NS);
}

/* The VRF was not among the links. */
static void
miss_vrf(struct fcn_netlink *nl, uint64_t now)
{
	if (nl->interrupted) { /* or was left out */
		nl->unsure = true;
		settle(nl, now);
		return;
	}
	nl->state = FCN_NETLINK_NO_VRF;
	nl->due_ns = next_check(nl, now); /* or when it comes */
	nl->settle_ns = SETTLE_NS;
	set_table(nl, 0);
	fcn_kernel_store_clear(nl->store);
}

/* A question was answered to the end. */
static void
answered(struct fcn_netlink *nl, uint64_t now)
{
	if (nl->question == ASK_LINKS && nl->conf.vrf[0] != '\0' && nl->vrf == 0) {
		miss_vrf(nl, now);
		return;
	}
	if (nl->question + 1 != ASK_DONE) {
		ask(nl, nl->question + 1, now);
		return;
	}
	nl->counts.syncs++;
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
	/* A kernel without nexthop objects (before 5.3) has none. */
	if (nl->question == ASK_NEXTHOPS && (error == -EOPNOTSUPP || error == -EINVAL))
		answered(nl, now);
	/* IPv6 may not be there at all; a table may not be there yet. */
	else if ((nl->question == ASK_ROUTES6 || nl->question == ASK_ROUTES4) &&
			(error == -ENOENT || error == -EOPNOTSUPP || error == -EAFNOSUPPORT))
		answered(nl, now);
	else
		fail(nl, now, "the kernel refuses to tell its state: %s", strerror(-error));
	/* It still answers a question that was given up. */
	if (error == -EBUSY)
		nl->due_ns = now + SETTLE_NS;
}

/* ---- answers and changes ---- */

/* The VRF whose table it is came, went or became another. */
static void
look_at_vrf(struct fcn_netlink *nl, const struct fcn_rtnl *msg, bool answer, uint64_t now)
{
	const struct fcn_rtnl_link *l = &msg->link;
	bool is_it = strcmp(l->name, nl->conf.vrf) == 0 && l->vrf_table != 0;

	if (nl->conf.vrf[0] == '\0')
		return;
	if (!msg->gone && is_it) {
		bool is_new = nl->vrf != l->ifindex || nl->table != l->vrf_table;

		nl->vrf = l->ifindex;
		if (!is_new)
			return;
		set_table(nl, l->vrf_table);
	} else if (l->ifindex == nl->vrf && nl->vrf != 0) { /* gone, or renamed */
		nl->vrf = 0;
		set_table(nl, 0);
	} else {
		return;
	}
	if (nl->state == FCN_NETLINK_READING) {
		/* Questions were asked that it is the answer to, or of a table that is none now. */
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
		look_at_vrf(nl, &msg, answer, now);
	switch (fcn_kernel_store_apply(nl->store, &msg, answer)) {
	case FCN_KERNEL_UNCLEAR:
		nl->counts.unclear++;
		distrust(nl, now);
		break;
	case FCN_KERNEL_CHANGED:
		nl->found += answer;
		break;
	case FCN_KERNEL_SAME:
		/* The answer had overtaken it: that was no difference. */
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

		if (to_us && !answer) /* to a question that was given up */
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

/* What was lost cannot be told: read all, be it for the second time. */
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
		/* What had been said meanwhile nobody knows; and it may be so the next time. */
		fail(nl, now, "cannot hear the kernel: %s", strerror((int)-len));
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

void
fcn_netlink_configure(struct fcn_netlink *nl, const struct fcn_netlink_conf *conf, uint64_t now)
{
	if (nl->state != FCN_NETLINK_OFF && conf->table == nl->conf.table &&
			strcmp(conf->vrf, nl->conf.vrf) == 0)
		return;
	nl->conf = *conf;
	nl->vrf = 0;
	nl->state = FCN_NETLINK_OFF; /* what is said of the table before is no more of use */
	nl->settle_ns = SETTLE_NS;
	nl->last_error[0] = '\0';
	set_table(nl, conf->table);
	if (conf->table == 0 && conf->vrf[0] == '\0') {
		nl->due_ns = FCN_NETLINK_NEVER;
		fcn_kernel_store_clear(nl->store);
		return;
	}
	read_all(nl, now);
}
