/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Hosts, this process and the switch do things in random order: queue pairs come, go and are
 * reused, sessions begin and end, the switch answers late, loses its connection and everything it
 * knows. At each quiet moment the switch knows exactly what the hosts have; and whenever something
 * is said to be in force, the switch has no entry of what was removed before.
 */

#include "stub_switch.h"

#define HOSTS 3
#define RECEIVERS 40 /* of each host, so that keys are reused */
#define STEPS 200000

static struct stub_switch sw;
static uint64_t seed;

static unsigned int
below(unsigned int n)
{
	seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (unsigned int)(seed >> 33) % n;
}

struct player {
	char name[8];
	struct host *host;
	unsigned int qp[RECEIVERS]; /* local number by receiver's queue pair; 0: there is none */
	uint64_t mark;
	bool is_marked;
	unsigned int marked[RECEIVERS]; /* what there was at the mark */
	bool is_touched[RECEIVERS];     /* since then */
};

static struct player players[HOSTS];

static struct fcn_host_report_qp
pair(const struct player *p, unsigned int i, unsigned int local_qp)
{
	return stub_qp("192.0.2.1", local_qp,
			p->name[1] == '0'   ? "198.51.100.1"
			: p->name[1] == '1' ? "198.51.100.2"
					    : "198.51.100.3",
			1000 + i);
}

static void
say_all(struct player *p)
{
	hosts_begin_full(p->host);
	for (unsigned int i = 0; i < RECEIVERS; i++) {
		const struct fcn_host_report_qp qp = pair(p, i, p->qp[i]);

		if (p->qp[i] != 0)
			assert_int_equal(hosts_add(p->host, &qp), 0);
	}
	hosts_end_full(p->host, sw.now);
}

static void
change(struct player *p, unsigned int i)
{
	const unsigned int old = p->qp[i];
	struct fcn_host_report_qp qp = pair(p, i, old);

	p->is_touched[i] = true;
	p->qp[i] = old != 0 && below(3) > 0 ? 0 : 2 + below(1000);
	if (p->host == NULL)
		return;
	if (old != 0 && below(4) > 0 &&
			p->qp[i] != old) /* or the end of the former one comes later */
		assert_true(hosts_remove(p->host, &qp));
	if (p->qp[i] != 0) {
		const struct fcn_host_report_qp fresh = pair(p, i, p->qp[i]);

		assert_int_equal(hosts_add(p->host, &fresh), 0);
	}
	if (old != 0 && p->qp[i] != old)
		hosts_remove(p->host, &qp);
}

static void
open_or_close(struct player *p)
{
	const struct hosts_peer peer = stub_peer(p->name);

	p->is_marked = false;
	if (p->host != NULL) {
		hosts_close(p->host, sw.now);
		p->host = NULL;
		return;
	}
	p->host = hosts_open(sw.hosts, &peer, &stub_session, sw.now);
	assert_non_null(p->host);
	say_all(p);
}

static const struct stub_entry *
find(const struct player *p, unsigned int i)
{
	char receiver[] = "198.51.100.1";

	receiver[11] = (char)('1' + (p - players));
	return stub_find(&sw, receiver, 1000 + i);
}

static void
mark(struct player *p)
{
	if (p->host == NULL || p->is_marked)
		return;
	p->is_marked = true;
	p->mark = hosts_mark(p->host);
	memcpy(p->marked, p->qp, sizeof(p->marked));
	memset(p->is_touched, 0, sizeof(p->is_touched));
}

/* What is in force by the mark is what there was then, but for what has changed since. */
static void
check_mark(struct player *p)
{
	if (!p->is_marked || p->host == NULL || !hosts_is_in_force(p->host, p->mark))
		return;
	p->is_marked = false;
	stub_expire(&sw);
	for (unsigned int i = 0; i < RECEIVERS; i++) {
		const struct stub_entry *e = find(p, i);

		if (!p->is_touched[i])
			assert_int_equal(e != NULL ? e->sender_qp : 0, p->marked[i]);
	}
}

static void
check_quiet(void)
{
	stub_run(&sw);
	stub_expire(&sw);
	for (struct player *p = players; p < players + HOSTS; p++) {
		if (p->host == NULL)
			continue;
		assert_true(hosts_is_in_force(p->host, hosts_mark(p->host)));
		for (unsigned int i = 0; i < RECEIVERS; i++) {
			const struct stub_entry *e = find(p, i);

			assert_int_equal(e != NULL ? e->sender_qp : 0, p->qp[i]);
		}
	}
}

static void
step(void)
{
	struct player *p = &players[below(HOSTS)];
	const unsigned int what = below(1000);

	if (what < 500)
		change(p, below(RECEIVERS));
	else if (what < 700)
		stub_read(&sw, 1 + below(5));
	else if (what < 900)
		stub_answer(&sw, 1 + below(5));
	else if (what < 950)
		mark(p);
	else if (what < 960)
		open_or_close(p);
	else if (what < 965)
		stub_disconnect(&sw, below(2) == 0);
	else if (what < 970 && p->host != NULL)
		say_all(p);
	else if (what < 980)
		check_quiet();
	else
		sw.now += below(20) == 0 ? below(6) * SECOND : SECOND / 20;
	hosts_tick(sw.hosts, sw.now);
	for (unsigned int i = 0; i < HOSTS; i++)
		check_mark(&players[i]);
}

TEST(model)
{
	const struct hosts_conf conf = {.lifetime_ns = 5 * SECOND,
			.hosts = HOSTS,
			.entries = RECEIVERS,
			.total = HOSTS * RECEIVERS,
			.changes = 1000};

	seed = 1;
	sw.now = 1000 * SECOND;
	sw.hosts = hosts_create(&conf);
	assert_non_null(sw.hosts);
	for (unsigned int i = 0; i < HOSTS; i++)
		snprintf(players[i].name, sizeof(players[i].name), "h%u", i);
	for (unsigned int i = 0; i < STEPS; i++)
		step();
	check_quiet();
	assert_true(sw.clears > 100 && sw.keeps > 100 && sw.removes > 1000);
	assert_true(hosts_counters(sw.hosts)->forgotten > 3);
	for (unsigned int i = 0; i < HOSTS; i++)
		if (players[i].host != NULL)
			hosts_close(players[i].host, sw.now);
	hosts_destroy(sw.hosts);
}
