/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <linux/neighbour.h>
#include <linux/nexthop.h>
#include <linux/rtnetlink.h>

#include <bsd/string.h>
#include <rte_common.h>

#include "fcn_netlink.h"

#define DATAGRAMS_A_POLL 64

#define MS UINT64_C(1000000)
/* What is unclear is mostly so several times in a row. */
#define SETTLE_NS (50 * MS)
#define SETTLE_MAX_NS (3200 * MS)
/* Between two tries; and how long an answer may take. */
#define RETRY_NS (1000 * MS)
#define ANSWER_NS (5000 * MS)

/* What is asked for, one after the other: names before those that use them. */
enum question {
	ASK_LINKS,
	ASK_NEXTHOPS,
	ASK_ROUTES6,
	ASK_ROUTES4,
	ASK_NEIGHBOURS,
	ASK_DONE,
};

struct fcn_netlink {
	struct fcn_netlink_io io;
	struct fcn_kernel_store *store;
	struct fcn_netlink_conf conf;
	enum fcn_netlink_state state;
	enum question question; /* READING: being answered */
	uint32_t seq;           /* of the question */
	bool interrupted;       /* the table changed while it was read */
	uint32_t table;         /* in force, 0: none or unknown */
	uint32_t vrf;           /* interface */
	uint64_t due_ns;        /* READING: answer late; else: read all again */
	uint64_t settle_ns;     /* longer each time that a table does not keep still */
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

/* ---- questions ---- */

struct request {
	struct nlmsghdr hdr;
	union {
		struct rtgenmsg gen;
		struct ifinfomsg link;
		struct nhmsg nexthop;
		struct ndmsg neighbour;
		struct {
			struct rtmsg rtm;
			struct nlattr attr;
			uint32_t table;
		} route;
	};
};

static uint32_t
fill_request(const struct fcn_netlink *nl, struct request *r)
{
	switch (nl->question) {
	case ASK_LINKS:
		r->hdr.nlmsg_type = RTM_GETLINK;
		return sizeof(r->link);
	case ASK_NEXTHOPS:
		r->hdr.nlmsg_type = RTM_GETNEXTHOP;
		return sizeof(r->nexthop);
	case ASK_NEIGHBOURS:
		r->hdr.nlmsg_type = RTM_GETNEIGH;
		return sizeof(r->neighbour);
	default:
		r->hdr.nlmsg_type = RTM_GETROUTE;
		r->route.rtm.rtm_family = nl->question == ASK_ROUTES6 ? AF_INET6 : AF_INET;
		/* of this table alone, where the kernel can tell them apart */
		r->route.attr = (struct nlattr){
				.nla_len = sizeof(r->route.attr) + sizeof(r->route.table),
				.nla_type = RTA_TABLE};
		r->route.table = nl->table;
		return sizeof(r->route);
	}
}

static void
ask(struct fcn_netlink *nl, enum question question, uint64_t now)
{
	struct request r = {.hdr = {.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP}};
	int rc;

	nl->question = question;
	nl->state = FCN_NETLINK_READING;
	nl->due_ns = now + ANSWER_NS;
	r.hdr.nlmsg_len = sizeof(r.hdr) + fill_request(nl, &r);
	r.hdr.nlmsg_seq = ++nl->seq;
	rc = nl->io.send(nl->io.arg, &r, r.hdr.nlmsg_len);
	if (rc != 0)
		fail(nl, now, "cannot ask the kernel: %s", strerror(-rc));
}

static void
read_all(struct fcn_netlink *nl, uint64_t now)
{
	nl->interrupted = false;
	fcn_kernel_store_begin_sync(nl->store);
	if (nl->conf.vrf[0] != '\0')
		nl->vrf = 0; /* is looked for again */
	ask(nl, ASK_LINKS, now);
}

/* All will be read again, soon. */
static void
distrust(struct fcn_netlink *nl, uint64_t now)
{
	if (nl->state == FCN_NETLINK_READING)
		nl->interrupted = true;
	else if (nl->state == FCN_NETLINK_LISTENING)
		nl->due_ns = RTE_MIN(nl->due_ns, now + SETTLE_NS);
}

/* A question was answered to the end. */
static void
answered(struct fcn_netlink *nl, uint64_t now)
{
	if (nl->question == ASK_LINKS && nl->table == 0) {
		nl->state = FCN_NETLINK_NO_VRF;
		nl->due_ns = FCN_NETLINK_NEVER; /* until it comes */
		fcn_kernel_store_clear(nl->store);
		return;
	}
	if (nl->question + 1 != ASK_DONE) {
		ask(nl, nl->question + 1, now);
		return;
	}
	nl->counts.syncs++;
	nl->state = FCN_NETLINK_LISTENING;
	if (nl->interrupted) { /* something may not have been said: nothing is forgotten */
		nl->due_ns = now + nl->settle_ns;
		nl->settle_ns = RTE_MIN(2 * nl->settle_ns, SETTLE_MAX_NS);
		return;
	}
	nl->due_ns = FCN_NETLINK_NEVER;
	nl->settle_ns = SETTLE_NS;
	fcn_kernel_store_end_sync(nl->store);
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

static void
set_table(struct fcn_netlink *nl, uint32_t table)
{
	nl->table = table;
	fcn_kernel_store_set_table(nl->store, table);
}

/* The VRF whose table it is came, went or became another. */
static void
look_at_vrf(struct fcn_netlink *nl, const struct fcn_rtnl *msg, uint64_t now)
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
		if (nl->state != FCN_NETLINK_READING)
			read_all(nl, now);
	} else if (l->ifindex == nl->vrf) { /* gone, or renamed */
		nl->vrf = 0;
		set_table(nl, 0);
		if (nl->state == FCN_NETLINK_LISTENING)
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
		look_at_vrf(nl, &msg, now);
	if (fcn_kernel_store_apply(nl->store, &msg, answer) == FCN_KERNEL_UNCLEAR) {
		nl->counts.unclear++;
		distrust(nl, now);
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
	if (nl->state == FCN_NETLINK_READING || nl->state == FCN_NETLINK_LISTENING) {
		nl->state = FCN_NETLINK_LISTENING;
		nl->due_ns = now + SETTLE_NS;
	}
}

static void
receive(struct fcn_netlink *nl, ssize_t len, uint64_t now)
{
	if (len == -ENOBUFS)
		lost(nl, "messages of the kernel were lost: too many at once", now);
	else if (len < 0)
		fail(nl, now, "cannot hear the kernel: %s", strerror((int)-len));
	else if ((size_t)len > sizeof(nl->buf))
		lost(nl, "a message of the kernel was too long", now);
	else if (nl->state != FCN_NETLINK_OFF)
		take_datagram(nl, (size_t)len, now);
}

uint64_t
fcn_netlink_poll(struct fcn_netlink *nl, uint64_t now)
{
	bool more = true;

	for (unsigned int i = 0; i < DATAGRAMS_A_POLL && more; i++) {
		ssize_t len = nl->io.recv(nl->io.arg, nl->buf, sizeof(nl->buf));

		more = len != -EAGAIN;
		if (more)
			receive(nl, len, now);
	}
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
	nl->last_error[0] = '\0';
	set_table(nl, conf->table);
	if (conf->table == 0 && conf->vrf[0] == '\0') {
		nl->state = FCN_NETLINK_OFF;
		nl->due_ns = FCN_NETLINK_NEVER;
		fcn_kernel_store_clear(nl->store);
		return;
	}
	read_all(nl, now);
}
