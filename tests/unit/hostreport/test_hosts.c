/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* What the switch is told of the queue pairs of hosts, when, and how long it knows them. */

#include "stub_switch.h"

#define R "198.51.100.1"

static struct stub_switch sw;

static int
setup_for(struct hosts_conf conf)
{
	memset(&sw, 0, sizeof(sw));
	sw.now = 1000 * SECOND;
	sw.hosts = hosts_create(&conf);
	assert_non_null(sw.hosts);
	return 0;
}

static int
setup(void **state)
{
	(void)state;
	return setup_for((struct hosts_conf){.lifetime_ns = 30 * SECOND,
			.hosts = 3,
			.entries = 300,
			.total = 500,
			.changes = 1000});
}

static int
teardown(void **state)
{
	(void)state;
	hosts_destroy(sw.hosts);
	return 0;
}

TEST_FIXTURE(.setup = setup, .teardown = teardown);

static struct host *
open_host(const char *name)
{
	const struct hosts_peer peer = stub_peer(name);

	return hosts_open(sw.hosts, &peer, &stub_session, sw.now);
}

static uint8_t
say(struct host *host, unsigned int local_qp, unsigned int remote_qp)
{
	const struct fcn_host_report_qp qp = stub_qp("192.0.2.1", local_qp, R, remote_qp);

	return hosts_add(host, &qp);
}

static bool
take_back(struct host *host, unsigned int local_qp, unsigned int remote_qp)
{
	const struct fcn_host_report_qp qp = stub_qp("192.0.2.1", local_qp, R, remote_qp);

	return hosts_remove(host, &qp);
}

/* All that a host has: `n` queue pairs from `first` on. */
static void
say_all(struct host *host, unsigned int first, unsigned int n)
{
	hosts_begin_full(host);
	for (unsigned int i = first; i < first + n; i++)
		say(host, i, 1000 + i);
	hosts_end_full(host, sw.now);
}

/* Go on in steps of 0.1 s. */
static void
pass(uint64_t ns)
{
	for (const uint64_t end = sw.now + ns; sw.now < end;) {
		sw.now += SECOND / 10;
		hosts_tick(sw.hosts, sw.now);
		stub_run(&sw);
	}
	stub_expire(&sw);
}

/* The first line is about what the switch may know from before. */
TEST(first)
{
	struct host *host = open_host("h1");

	say_all(host, 2, 3);
	assert_int_equal(stub_read(&sw, 1), 1);
	assert_string_equal(sw.waiting[0], "proxy qp learned clear host h1");
	assert_int_equal(stub_read(&sw, 1), 1);
	assert_string_equal(sw.waiting[1],
			"proxy qp learned add 198.51.100.1 1002 sender 192.0.2.1 "
			"sender-qp 2 host h1 lifetime 30");
	stub_run(&sw);
	assert_int_equal(sw.n, 3);
	assert_int_equal(hosts_feed.due(sw.hosts), UINT64_MAX);
	assert_true(take_back(host, 2, 1002));
	assert_int_equal(hosts_feed.due(sw.hosts), 0);
	assert_int_equal(stub_read(&sw, 1), 1);
	assert_string_equal(sw.waiting[0],
			"proxy qp learned remove 198.51.100.1 1002 sender 192.0.2.1 host h1");
	stub_run(&sw);
	assert_int_equal(sw.n, 2);
	hosts_close(host, sw.now);
}

/* Only what has changed is said again. */
TEST(full_again)
{
	struct host *host = open_host("h1");

	say_all(host, 2, 10);
	stub_run(&sw);
	hosts_close(host, sw.now);
	pass(5 * SECOND);
	host = open_host("h1");
	hosts_begin_full(host);
	for (unsigned int i = 7; i < 17; i++)
		say(host, i, 1000 + i);
	stub_run(&sw);
	assert_int_equal(sw.n, 15); /* it may still mention the others */
	hosts_end_full(host, sw.now);
	stub_run(&sw);
	assert_int_equal(sw.n, 10);
	assert_int_equal(sw.adds, 15);
	assert_int_equal(sw.removes, 5);
	assert_int_equal(sw.clears, 1);
	hosts_close(host, sw.now);
}

/* What another local queue pair has taken over stays when the former one ends. */
TEST(taken_over)
{
	struct host *host = open_host("h1");

	say_all(host, 2, 0);
	say(host, 5, 77);
	stub_run(&sw);
	say(host, 6, 77);
	assert_false(take_back(host, 5, 77));
	stub_run(&sw);
	assert_int_equal(stub_find(&sw, R, 77)->sender_qp, 6);
	assert_true(take_back(host, 6, 77));
	stub_run(&sw);
	assert_int_equal(sw.n, 0);
	assert_int_equal(sw.unknown, 0);
	hosts_close(host, sw.now);
}

/* A change that is taken back before it was said is not said. */
TEST(not_said)
{
	struct host *host = open_host("h1");

	say_all(host, 2, 1);
	stub_run(&sw);
	say(host, 9, 99);
	take_back(host, 9, 99);
	take_back(host, 2, 1002);
	say(host, 2, 1002);
	assert_true(stub_run(&sw) <= 1);
	assert_int_equal(sw.n, 1);
	hosts_close(host, sw.now);
}

/* While the session lives, the switch is told to keep all; then it forgets, and so does this. */
TEST(kept)
{
	struct host *host = open_host("h1");

	say_all(host, 2, 20);
	pass(100 * SECOND);
	assert_int_equal(sw.n, 20);
	assert_int_equal(sw.adds, 20);
	assert_in_range(sw.keeps, 8, 11);
	hosts_close(host, sw.now);
	pass(19 * SECOND);
	assert_int_equal(sw.n, 20);
	assert_int_equal(hosts_count(sw.hosts), 1);
	pass(12 * SECOND);
	assert_int_equal(sw.n, 0);
	assert_int_equal(hosts_count(sw.hosts), 0);
	assert_int_equal(hosts_entries(sw.hosts), 0);
	assert_int_equal(hosts_counters(sw.hosts)->forgotten, 1);
}

/* A session that never says all of it keeps nothing for longer than a lifetime. */
TEST(half_a_session)
{
	struct host *host = open_host("h1");

	say_all(host, 2, 20);
	stub_run(&sw);
	hosts_close(host, sw.now);
	host = open_host("h1");
	hosts_begin_full(host);
	pass(31 * SECOND);
	assert_int_equal(sw.n, 0);
	/* It ends, and what the switch has forgotten is told again. */
	for (unsigned int i = 2; i < 12; i++)
		say(host, i, 1000 + i);
	hosts_end_full(host, sw.now);
	pass(SECOND);
	assert_int_equal(sw.n, 10);
	hosts_close(host, sw.now);
}

/* All that a host has takes longer to say than the switch waits: it is kept, or told again. */
TEST(long_session)
{
	struct host *host = open_host("h1");

	hosts_begin_full(host);
	for (unsigned int i = 2; i < 12; i++) {
		say(host, i, 1000 + i);
		pass(5 * SECOND);
	}
	assert_int_equal(sw.n, 10);
	hosts_end_full(host, sw.now);
	assert_int_equal(sw.adds, 10);
	stub_run(&sw);
	/* Once more, with others before: those of the session before end, and so do some of these.
	 */
	hosts_begin_full(host);
	hosts_close(host, sw.now);
	host = open_host("h1");
	hosts_begin_full(host);
	for (unsigned int i = 100; i < 110; i++) {
		say(host, i, 1000 + i);
		pass(5 * SECOND);
	}
	hosts_end_full(host, sw.now);
	assert_false(hosts_is_in_force(host, hosts_mark(host)));
	stub_run(&sw);
	assert_true(hosts_is_in_force(host, hosts_mark(host)));
	assert_int_equal(sw.n, 10);
	hosts_close(host, sw.now);
}

/* This process stood still for longer than the switch waits. */
TEST(stood_still)
{
	struct host *host = open_host("h1");

	say_all(host, 2, 20);
	stub_run(&sw);
	sw.now += 40 * SECOND;
	stub_expire(&sw);
	assert_int_equal(sw.n, 0);
	pass(SECOND);
	assert_int_equal(sw.n, 20);
	/* The switch forgot for a reason of its own. */
	sw.n = 0;
	pass(11 * SECOND);
	assert_int_equal(sw.n, 20);
	assert_int_equal(hosts_counters(sw.hosts)->keep_unknown, 1);
	hosts_close(host, sw.now);
}

/* A new connection to the switch: all of it again, and nothing that was removed. */
TEST(again)
{
	struct host *host = open_host("h1");

	for (unsigned int all = 0; all < 2; all++) {
		say_all(host, 2, 20);
		stub_run(&sw);
		assert_int_equal(sw.n, 20);
		take_back(host, 2, 1002);
		take_back(host, 3, 1003);
		say(host, 4, 99);
		stub_read(&sw, 2);
		stub_disconnect(&sw, all);
		take_back(host, 5, 1005);
		assert_false(hosts_is_in_force(host, 0));
		stub_run(&sw);
		assert_true(hosts_is_in_force(host, hosts_mark(host)));
		assert_int_equal(sw.n, 18);
		assert_null(stub_find(&sw, R, 1002));
		assert_non_null(stub_find(&sw, R, 99));
	}
	hosts_close(host, sw.now);
}

/* What was reported by a mark is in force when the switch has answered to it, not to what follows.
 */
TEST(marks)
{
	struct host *host = open_host("h1");
	uint64_t first, second;

	say_all(host, 2, 2);
	first = hosts_mark(host);
	say(host, 10, 10);
	second = hosts_mark(host);
	assert_int_equal(stub_read(&sw, 10), 4); /* clear */
	stub_answer(&sw, 2);
	assert_false(hosts_is_in_force(host, first));
	stub_answer(&sw, 1);
	assert_true(hosts_is_in_force(host, first));
	assert_false(hosts_is_in_force(host, second));
	stub_answer(&sw, 1);
	assert_true(hosts_is_in_force(host, second));
	hosts_close(host, sw.now);
}

/* Hosts take turns: one with many changes does not delay another one's. */
TEST(turns)
{
	struct host *first = open_host("h1"), *second = open_host("h2");

	say_all(first, 2, 200);
	stub_read(&sw, 20);
	stub_answer(&sw, 20);
	hosts_begin_full(second);
	say(second, 2, 5);
	hosts_end_full(second, sw.now);
	stub_read(&sw, 4);
	stub_answer(&sw, 4);
	assert_non_null(stub_find(&sw, R, 5));
	hosts_close(first, sw.now);
	hosts_close(second, sw.now);
}

/* What the switch refuses is told again, not too often; in time when it has room again. */
TEST(refused)
{
	struct host *host = open_host("h1");
	unsigned int before;

	sw.refuses = true;
	say_all(host, 2, 300);
	stub_run(&sw);
	assert_int_equal(hosts_refused(sw.hosts), 300);
	assert_true(hosts_is_in_force(host, hosts_mark(host)));
	assert_int_equal(hosts_feed.due(sw.hosts), sw.now + HOSTS_RETRY_NS);
	before = sw.lines;
	pass(10 * SECOND);
	assert_in_range(sw.lines - before, 8 * HOSTS_RETRIES, 10 * HOSTS_RETRIES);
	take_back(host, 2, 1002);
	stub_run(&sw);
	assert_int_equal(hosts_refused(sw.hosts), 299);
	sw.refuses = false;
	pass(2 * SECOND);
	assert_int_equal(sw.n, 299);
	assert_int_equal(hosts_refused(sw.hosts), 0);
	hosts_close(host, sw.now);
}

/* Limits: of a host, of all, of hosts. A full state of other queue pairs has room beside the former
 * ones. */
TEST(limits)
{
	struct host *first = open_host("h1"), *second = open_host("h2");

	say_all(first, 2, 300);
	assert_int_equal(say(first, 400, 400), FCN_HOST_REPORT_REASON_ENTRIES);
	assert_int_equal(say(first, 3, 1002), 0); /* one that is there changes */
	stub_run(&sw);
	hosts_begin_full(second);
	for (unsigned int i = 0; i < 200; i++)
		assert_int_equal(say(second, 2 + i, 5000 + i), 0);
	assert_int_equal(say(second, 999, 999), FCN_HOST_REPORT_REASON_TOTAL);
	hosts_end_full(second, sw.now);
	assert_non_null(open_host("h3"));
	assert_null(open_host("h4"));
	stub_run(&sw);
	assert_int_equal(sw.n, 500);
	hosts_begin_full(first);
	for (unsigned int i = 0; i < 300; i++)
		assert_int_equal(say(first, 2 + i, 9000 + i), 0);
	assert_int_equal(say(first, 400, 400), FCN_HOST_REPORT_REASON_ENTRIES);
	hosts_end_full(first, sw.now);
	stub_run(&sw);
	assert_int_equal(sw.n, 500);
	assert_int_equal(hosts_entries(sw.hosts), 500);
	/* As many again that are not said to the switch yet, and no more, whatever a host does. */
	for (unsigned int i = 0; i < 2000; i++) {
		hosts_begin_full(first);
		say(first, 2, 20000 + i);
		hosts_end_full(first, sw.now);
	}
	assert_true(hosts_entries(sw.hosts) <= 1000);
	hosts_close(first, sw.now);
	hosts_close(second, sw.now);
}

/* Records of a host: a second's worth at once, then as many as it may in a second. */
TEST(rate)
{
	struct host *host = open_host("h1");
	unsigned int n = 0;
	uint64_t at;

	while (hosts_take(host, 1, sw.now) == 0)
		n++;
	assert_in_range(n, 1000, 1001);
	at = hosts_take(host, 1, sw.now);
	assert_in_range(at, sw.now + 1, sw.now + SECOND / 1000);
	assert_int_equal(hosts_take(host, 1, at), 0);
	sw.now = at;
	n = 0;
	for (const uint64_t end = sw.now + 10 * SECOND; sw.now < end; sw.now += SECOND / 5000)
		n += hosts_take(host, 1, sw.now) == 0;
	assert_in_range(n, 9990, 10010);
	/* What is more than a second's worth is possible, too. */
	sw.now += 5 * SECOND;
	assert_int_equal(hosts_take(host, UINT32_MAX, sw.now), 0);
	assert_int_not_equal(hosts_take(host, 1, sw.now), 0);
	hosts_close(host, sw.now);
}

TEST(not_valid)
{
	static const struct {
		const char *local, *remote;
		unsigned int local_qp, remote_qp;
		uint8_t reason;
	} bad[] = {
			{"192.0.2.1", R, 1, 5, FCN_HOST_REPORT_REASON_INVALID},
			{"192.0.2.1", R, 5, 0, FCN_HOST_REPORT_REASON_INVALID},
			{"192.0.2.1", "2001:db8::2", 5, 5, FCN_HOST_REPORT_REASON_INVALID},
			{"2001:db8::1", R, 5, 5, FCN_HOST_REPORT_REASON_INVALID},
			{"192.0.2.1", "224.0.0.1", 5, 5, FCN_HOST_REPORT_REASON_INVALID},
			{"192.0.2.1", "0.0.0.0", 5, 5, FCN_HOST_REPORT_REASON_INVALID},
			{"2001:db8::1", "ff02::1", 5, 5, FCN_HOST_REPORT_REASON_INVALID},
			{"2001:db8::1", "::1", 5, 5, FCN_HOST_REPORT_REASON_INVALID},
			{"192.0.2.2", R, 5, 5, FCN_HOST_REPORT_REASON_ADDRESS},
			{"2001:db8::2", "2001:db8::1", 5, 5, FCN_HOST_REPORT_REASON_ADDRESS},
			{"2001:db8::1", "2001:db8::2", 5, 5, 0},
			{"192.0.2.9", R, 0xFFFFFF, 2, 0},
	};
	struct host *host = open_host("h1");

	hosts_begin_full(host);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		const struct fcn_host_report_qp qp = stub_qp(
				bad[i].local, bad[i].local_qp, bad[i].remote, bad[i].remote_qp);

		assert_int_equal(hosts_add(host, &qp), bad[i].reason);
	}
	hosts_end_full(host, sw.now);
	stub_run(&sw);
	assert_int_equal(sw.n, 2);
	hosts_close(host, sw.now);
}

/* The longest line fits. */
TEST(longest_line)
{
	char name[HOSTS_NAME_SIZE], line[FCN_REMOTE_FEED_LINE];
	struct hosts_peer peer;
	struct fcn_host_report_qp qp = {.local_qp = 0xFFFFFF, .remote_qp = 0xFFFFFF};
	struct host *host;

	teardown(NULL);
	setup_for((struct hosts_conf){.lifetime_ns = 86400 * SECOND,
			.hosts = 1,
			.entries = 1,
			.total = 1,
			.changes = 1});
	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	peer = stub_peer(name);
	memset(qp.local, 0x2A, 16);
	memset(qp.remote, 0x2B, 16);
	memcpy(peer.address[0], qp.local, 16);
	host = hosts_open(sw.hosts, &peer, &stub_session, sw.now);
	hosts_begin_full(host);
	assert_int_equal(hosts_add(host, &qp), 0);
	assert_true(hosts_feed.next(sw.hosts, sw.now, line));
	assert_true(hosts_feed.next(sw.hosts, sw.now, line));
	assert_non_null(strstr(line, " lifetime 86400"));
	assert_string_equal(strstr(line, " lifetime 86400"), " lifetime 86400");
	hosts_close(host, sw.now);
}
