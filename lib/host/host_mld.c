/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * The switch as a multicast listener: it reports the groups of its addresses, so that switches with
 * MLD snooping forward Neighbour Discovery to it (RFC 3810; RFC 2710 if the querier uses version
 * 1).
 */

#include <rte_common.h>

#include "host_state.h"
#include "fcn_mld.h"
#include "fcn_nd.h"

/* RFC 3810 section 9 */
#define ROBUSTNESS FCN_HOST_MLD_ROBUSTNESS
#define UNSOLICITED_INTERVAL_NS FCN_HOST_SECOND
#define QUERY_INTERVAL_NS (125 * FCN_HOST_SECOND)

/*
 * A query may request an answer at once. However many queries arrive, a port does not answer more
 * often than this.
 */
#define ANSWER_INTERVAL_NS (FCN_HOST_SECOND / 10)

#define GROUPS_MAX 2      /* groups of one address */
#define REPORT_RECORDS 60 /* so that a report fits into the minimum MTU of IPv6 \ */

/* A report that is being built for one port. */
struct report {
	uint16_t port;
	uint16_t n;
	struct fcn_mld_record record[REPORT_RECORDS];
};

static uint16_t
port_of(const struct fcn_host *h, const struct fcn_host_mld *mld)
{
	return (uint16_t)(mld - h->mld);
}

static bool
wanted(const struct fcn_host_conf *conf, uint16_t port)
{
	return conf->mld && conf->port[port].routed && conf->port[port].up;
}

static bool
same_group(const uint8_t a[16], const uint8_t b[16])
{
	return memcmp(a, b, 16) == 0;
}

/*
 * Groups that the switch listens to because of an address. The group of all routers belongs to the
 * link-local address, which every routed port has. The group of all nodes is never reported (RFC
 * 3810 section 6).
 */
static unsigned int
groups_of(const struct fcn_own_address *a, uint8_t group[GROUPS_MAX][16])
{
	if (a->is.port == FCN_HOST_LOOPBACK || a->is.prefix.addr.version != 6)
		return 0;
	fcn_nd_solicited_node(a->is.prefix.addr.bytes, group[0]);
	if (!a->link_local)
		return 1;
	memcpy(group[1], fcn_nd_all_routers, 16);
	return 2;
}

static void
send_message(struct fcn_host *h, uint16_t port, struct rte_mbuf *m, uint32_t len,
		const uint8_t dst[16])
{
	struct rte_ether_addr mac;

	if (len == 0) {
		fcn_host_discard(h, m, FCN_HOST_NO_MBUF);
		return;
	}
	fcn_nd_multicast_mac(dst, &mac);
	fcn_host_count(h, FCN_HOST_MLD_TX);
	fcn_host_send_link(h, m, len, port, &mac, RTE_ETHER_TYPE_IPV6);
}

static void
send_v1(struct fcn_host *h, uint16_t port, const uint8_t *src, const struct fcn_mld_record *r)
{
	bool done = r->type == FCN_MLD_CHANGE_TO_INCLUDE;
	struct rte_mbuf *m = fcn_host_alloc(h);
	uint32_t room, len;
	uint8_t *buf;

	if (m == NULL)
		return;
	buf = fcn_host_room(m, &room);
	len = fcn_mld_build_v1(src, done ? FCN_MLD_DONE : FCN_MLD_REPORT_V1, r->group, buf, room);
	send_message(h, port, m, len, done ? fcn_nd_all_routers : r->group);
}

/*
 * Send the report. Its source is the unspecified address while there is no link-local address (RFC
 * 3590).
 */
static void
flush(struct fcn_host *h, struct report *report, uint64_t now)
{
	const struct fcn_addr *addr = fcn_host_address_link_local(h, report->port);
	const uint8_t *src = addr != NULL ? addr->bytes : NULL;
	struct rte_mbuf *m;
	uint32_t room, len;
	uint8_t *buf;

	if (now < h->mld[report->port].v1_until_ns) {
		for (uint16_t i = 0; i < report->n; i++)
			send_v1(h, report->port, src, &report->record[i]);
	} else if (report->n > 0) {
		m = fcn_host_alloc(h);
		if (m != NULL) {
			buf = fcn_host_room(m, &room);
			len = fcn_mld_build_report(src, report->record, report->n, buf, room);
			send_message(h, report->port, m, len, fcn_mld_all_routers);
		}
	}
	report->n = 0;
}

static void
add(struct fcn_host *h, struct report *report, uint8_t type, const uint8_t group[16], uint64_t now)
{
	for (uint16_t i = 0; i < report->n; i++) {
		if (same_group(report->record[i].group, group))
			return;
	}
	if (report->n == REPORT_RECORDS)
		flush(h, report, now);
	report->record[report->n].type = type;
	memcpy(report->record[report->n++].group, group, 16);
}

static void
add_groups_of(struct fcn_host *h, struct report *report, uint8_t type,
		const struct fcn_own_address *a, uint64_t now)
{
	uint8_t group[GROUPS_MAX][16];
	unsigned int n = groups_of(a, group);

	for (unsigned int i = 0; i < n; i++)
		add(h, report, type, group[i], now);
}

/*
 * Whether an address of the port other than `but` belongs to this group. The group of all routers
 * stays as long as the port has any link-local address.
 */
static bool
listens(const struct fcn_host *h, uint16_t port, const struct fcn_own_address *but,
		const uint8_t wanted_group[16])
{
	bool routers = same_group(wanted_group, fcn_nd_all_routers);
	uint8_t group[GROUPS_MAX][16];

	for (uint32_t i = 0; i < h->n_addresses; i++) {
		const struct fcn_own_address *a = &h->address[i];
		unsigned int n;

		if (a == but || a->is.port != port || (!a->listening && !routers))
			continue;
		n = groups_of(a, group);
		for (unsigned int g = 0; g < n; g++) {
			if (same_group(group[g], wanted_group))
				return true;
		}
	}
	return false;
}

/* Schedule a repetition of the report, unless one is scheduled already. */
static void
plan_change(struct fcn_host *h, uint16_t port, uint64_t now)
{
	struct fcn_host_mld *mld = &h->mld[port];

	if (mld->change.pos != 0)
		return;
	mld->change.kind = FCN_HOST_TIMER_MLD_CHANGE;
	fcn_host_timer_set(&h->timers, &mld->change,
			now + fcn_host_random_between(h, 1, UNSOLICITED_INTERVAL_NS));
}

/*
 * Report groups that were joined recently.
 *
 * @param fresh only those that have not been reported yet
 */
static void
report_changes(struct fcn_host *h, uint16_t port, bool fresh, uint64_t now)
{
	struct report report = {.port = port};
	struct fcn_host_mld *mld = &h->mld[port];
	bool again = false;

	for (uint32_t i = 0; i < h->n_addresses; i++) {
		struct fcn_own_address *a = &h->address[i];

		if (a->is.port != port || !a->listening || a->reports_left == 0)
			continue;
		if (!fresh || a->reports_left == ROBUSTNESS) {
			add_groups_of(h, &report, FCN_MLD_CHANGE_TO_EXCLUDE, a, now);
			a->reports_left--;
		}
		again |= a->reports_left > 0;
	}
	for (unsigned int i = 0; i < mld->n_leaving && !fresh; i++)
		add(h, &report, FCN_MLD_CHANGE_TO_INCLUDE, mld->leaving[i], now);
	if (!fresh)
		mld->n_leaving = 0;
	flush(h, &report, now);
	if (again)
		plan_change(h, port, now);
}

/* Stop reporting a group as left, because it was joined again. */
static void
stop_leaving(struct fcn_host_mld *mld, const struct fcn_own_address *a)
{
	uint8_t group[GROUPS_MAX][16];
	unsigned int n = groups_of(a, group);

	for (unsigned int i = 0; i < mld->n_leaving;) {
		bool back = false;

		for (unsigned int g = 0; g < n; g++)
			back |= same_group(mld->leaving[i], group[g]);
		if (back)
			memcpy(mld->leaving[i], mld->leaving[--mld->n_leaving], 16);
		else
			i++;
	}
}

/* Join the groups of an address. @return whether a report is due */
static bool
listen_to(struct fcn_host *h, struct fcn_own_address *a)
{
	uint8_t group[GROUPS_MAX][16];

	if (a->listening || groups_of(a, group) == 0 || !wanted(&h->conf, a->is.port))
		return false;
	if (a->link_local || !listens(h, a->is.port, a, group[0]))
		a->reports_left = ROBUSTNESS;
	a->listening = true;
	stop_leaving(&h->mld[a->is.port], a);
	return a->reports_left > 0;
}

void
fcn_host_mld_join(struct fcn_host *h, struct fcn_own_address *a, uint64_t now)
{
	if (listen_to(h, a))
		report_changes(h, a->is.port, true, now);
}

void
fcn_host_mld_leave(struct fcn_host *h, const struct fcn_own_address *a, uint64_t now)
{
	struct report report = {.port = a->is.port};
	uint8_t group[GROUPS_MAX][16];
	unsigned int n = groups_of(a, group);
	struct fcn_host_mld *mld;

	if (!a->listening || n == 0 || !wanted(&h->conf, a->is.port))
		return;
	mld = &h->mld[a->is.port];
	for (unsigned int i = 0; i < n; i++) {
		if (listens(h, a->is.port, a, group[i]))
			continue;
		add(h, &report, FCN_MLD_CHANGE_TO_INCLUDE, group[i], now);
		/*
		 * Without room in the list, leaving is reported only once; if that is lost, the
		 * querier finds out by a query.
		 */
		if (mld->n_leaving < FCN_HOST_MLD_LEAVING)
			memcpy(mld->leaving[mld->n_leaving++], group[i], 16);
		plan_change(h, a->is.port, now);
	}
	flush(h, &report, now);
}

void
fcn_host_mld_repeat(struct fcn_host *h, uint16_t port, uint64_t now)
{
	for (uint32_t i = 0; i < h->n_addresses; i++) {
		struct fcn_own_address *a = &h->address[i];

		if (a->is.port == port && a->listening)
			a->reports_left = ROBUSTNESS;
	}
	report_changes(h, port, true, now);
}

void
fcn_host_mld_end(struct fcn_host *h, const struct fcn_host_conf *after, uint64_t now)
{
	for (uint16_t port = 0; port < FCN_MAX_PORTS; port++) {
		bool say = wanted(&h->conf, port) && !(after->mld && after->port[port].routed);
		struct report report = {.port = port};

		if (!wanted(&h->conf, port) || wanted(after, port))
			continue;
		for (uint32_t i = 0; i < h->n_addresses; i++) {
			struct fcn_own_address *a = &h->address[i];

			if (a->is.port != port || !a->listening)
				continue;
			if (say)
				add_groups_of(h, &report, FCN_MLD_CHANGE_TO_INCLUDE, a, now);
			a->listening = false;
			a->reports_left = 0;
		}
		flush(h, &report, now);
		fcn_host_timer_stop(&h->timers, &h->mld[port].change);
		fcn_host_timer_stop(&h->timers, &h->mld[port].answer);
		h->mld[port].n_leaving = 0;
		h->mld[port].v1_until_ns = 0;
	}
}

void
fcn_host_mld_review(struct fcn_host *h, const struct fcn_host_conf *before, uint64_t now)
{
	if (!h->conf.mld || before->mld)
		return;
	for (uint32_t i = 0; i < h->n_addresses; i++) {
		struct fcn_own_address *a = &h->address[i];

		/* an address whose check has not started reports its groups when that starts */
		if (a->tries > 0 || a->timer.pos == 0)
			fcn_host_mld_join(h, a, now);
	}
}

void
fcn_host_mld_receive(
		struct fcn_host *h, uint16_t port, const uint8_t *ip, uint32_t len, uint64_t now)
{
	struct fcn_host_mld *mld = &h->mld[port];
	struct fcn_mld_query query;
	uint64_t delay, due;
	bool all;

	fcn_host_count(h, FCN_HOST_MLD_RX);
	if (fcn_mld_parse_query(ip, len, &query) != FCN_MSG_OK) {
		fcn_host_count(h, FCN_HOST_MLD_BAD);
		return;
	}
	if (!wanted(&h->conf, port))
		return;
	delay = query.max_delay_ms * (FCN_HOST_SECOND / 1000);
	/* Older Version Querier Present Timeout (RFC 3810 section 9.12) */
	if (query.version == 1)
		mld->v1_until_ns = now + ROBUSTNESS * QUERY_INTERVAL_NS + delay;
	all = fcn_ip6_is_unspecified(query.group);
	if (!all && !listens(h, port, NULL, query.group))
		return;
	due = now + fcn_host_random_between(h, 0, delay);
	if (mld->answered)
		due = RTE_MAX(due, mld->answered_ns + ANSWER_INTERVAL_NS);
	if (mld->answer.pos != 0) {
		due = RTE_MIN(due, mld->answer.due);
		all |= mld->all || !same_group(mld->group, query.group);
	}
	mld->all = all;
	memcpy(mld->group, query.group, 16);
	mld->answer.kind = FCN_HOST_TIMER_MLD_ANSWER;
	fcn_host_timer_set(&h->timers, &mld->answer, due);
}

void
fcn_host_mld_change_expire(struct fcn_host *h, struct fcn_host_mld *mld, uint64_t now)
{
	fcn_host_timer_stop(&h->timers, &mld->change);
	report_changes(h, port_of(h, mld), false, now);
}

void
fcn_host_mld_answer_expire(struct fcn_host *h, struct fcn_host_mld *mld, uint64_t now)
{
	struct report report = {.port = port_of(h, mld)};

	fcn_host_timer_stop(&h->timers, &mld->answer);
	mld->answered = true;
	mld->answered_ns = now;
	for (uint32_t i = 0; i < h->n_addresses && mld->all; i++) {
		const struct fcn_own_address *a = &h->address[i];

		if (a->is.port == report.port && a->listening)
			add_groups_of(h, &report, FCN_MLD_MODE_IS_EXCLUDE, a, now);
	}
	if (!mld->all && listens(h, report.port, NULL, mld->group))
		add(h, &report, FCN_MLD_MODE_IS_EXCLUDE, mld->group, now);
	flush(h, &report, now);
}
