/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Queue pairs that hosts report: what workers find, for how long, and who may change it. */

#include <errno.h>
#include <pthread.h>
#include <time.h>

#include "fcn_learned.h"
#include "fcn_reported.h"
#include "platform.h"

#define SECOND UINT64_C(1000000000)

static uint64_t now;

static void
accept_reports(uint32_t most, uint32_t per_host)
{
	struct fcn_config *cfg = platform_edit();

	cfg->proxy.reported = most;
	cfg->proxy.reported_host = per_host;
	platform_commit(cfg);
}

static int
setup(void **state)
{
	int rc = platform_setup_ports(state);

	now = 1000 * SECOND;
	fcn_learned_poll(platform.ctl, now);
	accept_reports(5, 3);
	return rc;
}

TEST_FIXTURE(FCN_TEST_EAL, .setup = setup, .teardown = platform_teardown);

static struct fcn_qp_pair
pair(uint32_t qp, const char *sender, uint32_t sender_qp)
{
	struct fcn_qp_pair p = {.receiver_qp = qp, .sender_qp = sender_qp};

	assert_int_equal(fcn_addr_parse("2001:db8::2", &p.receiver), 0);
	assert_int_equal(fcn_addr_parse(sender, &p.sender), 0);
	return p;
}

static int
add(const char *host, uint32_t qp, uint32_t sender_qp)
{
	const struct fcn_qp_pair p = pair(qp, "2001:db8::1", sender_qp);
	struct fcn_reported_error error;

	return fcn_reported_add(platform.ctl, &p, host, 10, &error);
}

static int
take(const char *host, uint32_t qp, const char *sender)
{
	const struct fcn_qp_pair p = pair(qp, sender, 0);

	return fcn_reported_remove(platform.ctl, &p, host);
}

/* What a worker finds. @return -1: nothing */
static int
found(uint32_t qp)
{
	const struct fcn_qp_pair p = pair(qp, "2001:db8::1", 0);
	uint32_t sender_qp;

	return fcn_qp_map_find(fcn_control_snapshot(platform.ctl)->proxy.qps, 6, p.receiver.bytes,
			       qp, p.sender.bytes, &sender_qp)
			       ? (int)sender_qp
			       : -1;
}

static const struct fcn_reported_counters *
counters(void)
{
	return fcn_reported_counters(platform.ctl);
}

/* Reports are in force at once, and make no snapshot. */
TEST(changes)
{
	const uint64_t generation = fcn_control_snapshot(platform.ctl)->generation;

	assert_int_equal(add("a", 1, 11), 0);
	assert_int_equal(found(1), 11);
	assert_int_equal(add("a", 1, 11), 0);
	assert_int_equal(add("a", 1, 12), 0);
	assert_int_equal(found(1), 12);
	assert_int_equal(add("a", 2, 13), 0);
	assert_int_equal(take("a", 1, "2001:db8::9"), -ENOENT);
	assert_int_equal(found(1), 12);
	assert_int_equal(take("a", 1, "2001:db8::1"), 0);
	assert_int_equal(found(1), -1);
	assert_int_equal(take("a", 1, "2001:db8::1"), -ENOENT);
	assert_int_equal(take("nobody", 2, "2001:db8::1"), -ENOENT);
	assert_int_equal(found(2), 13);
	assert_int_equal(fcn_control_snapshot(platform.ctl)->generation, generation);
	assert_int_equal(counters()->added, 2);
	assert_int_equal(counters()->renewed, 1);
	assert_int_equal(counters()->replaced, 1);
	assert_int_equal(counters()->removed, 1);
	assert_int_equal(counters()->not_removed, 3);
}

/* A host changes nothing of another one, nor of the configuration. */
TEST(holders)
{
	const struct fcn_qp_pair p = pair(1, "2001:db8::7", 99), c = pair(4, "2001:db8::1", 44);
	struct fcn_reported_error error = {NULL};
	struct fcn_config *cfg;

	assert_int_equal(add("a", 1, 11), 0);
	assert_int_equal(fcn_reported_add(platform.ctl, &p, "b", 10, &error), -EEXIST);
	assert_string_equal(error.holder, "a");
	assert_int_equal(take("b", 1, "2001:db8::1"), -ENOENT);
	assert_int_equal(found(1), 11);
	assert_int_equal(fcn_reported_clear(platform.ctl, "b"), 0);
	assert_int_equal(found(1), 11);
	/* What is configured has priority over what was reported before, and stays. */
	assert_int_equal(add("a", 4, 43), 0);
	cfg = platform_edit();
	assert_int_equal(fcn_list_add(cfg, fcn_list_of("proxy qp"), &c, NULL), 0);
	platform_commit(cfg);
	assert_int_equal(found(4), 44);
	assert_int_equal(found(1), 11);
	assert_int_equal(fcn_reported_add(platform.ctl, &c, "a", 10, &error), -EEXIST);
	assert_null(error.holder);
	assert_int_equal(take("a", 4, "2001:db8::1"), -ENOENT);
	assert_int_equal(found(4), 44);
	assert_int_equal(counters()->held, 2);
	cfg = platform_edit();
	assert_int_equal(fcn_list_remove(cfg, fcn_list_of("proxy qp"), &c, false, NULL), 0);
	platform_commit(cfg);
	assert_int_equal(found(4), -1);
	assert_int_equal(found(1), 11);
}

/* Limits of a host and of all; what was refused changes nothing. */
TEST(limits)
{
	for (uint32_t qp = 1; qp <= 3; qp++)
		assert_int_equal(add("a", qp, qp), 0);
	assert_int_equal(add("a", 4, 4), -EDQUOT);
	assert_int_equal(add("a", 3, 33), 0);
	assert_int_equal(add("b", 4, 4), 0);
	assert_int_equal(add("b", 5, 5), 0);
	assert_int_equal(add("b", 6, 6), -ENOSPC);
	assert_int_equal(found(6), -1);
	assert_int_equal(take("a", 1, "2001:db8::1"), 0);
	assert_int_equal(add("b", 6, 6), 0);
	assert_int_equal(counters()->over_host, 1);
	assert_int_equal(counters()->over_all, 1);
}

static uint64_t
wait(uint64_t ns)
{
	now += ns;
	return fcn_learned_poll(platform.ctl, now);
}

/* The same. @return how long it is until there is work again */
static uint64_t
wait_left(uint64_t ns)
{
	const uint64_t due = wait(ns);

	return due - now;
}

/* A host lives as long as its last report or until it is kept no more; an earlier end of another
 * host does not matter to it. */
TEST(lifetimes)
{
	assert_int_equal(add("a", 1, 11), 0);
	assert_int_equal(wait_left(4 * SECOND), 6 * SECOND);
	assert_int_equal(add("b", 2, 22), 0);
	assert_int_equal(fcn_reported_keep(platform.ctl, "a", 20), 0);
	assert_int_equal(fcn_reported_keep(platform.ctl, "c", 20), -ENOENT);
	assert_int_equal(wait_left(9 * SECOND), SECOND);
	assert_int_equal(found(2), 22);
	assert_int_equal(wait_left(SECOND), 10 * SECOND);
	assert_int_equal(found(2), -1);
	assert_int_equal(found(1), 11);
	assert_int_equal(fcn_reported_hosts(platform.ctl), 1);
	assert_int_equal(wait(10 * SECOND), FCN_HOST_NEVER);
	assert_int_equal(found(1), -1);
	assert_int_equal(fcn_reported_hosts(platform.ctl), 0);
	assert_int_equal(counters()->expired, 2);
	/* A name that comes again is a new host. */
	assert_int_equal(add("a", 1, 12), 0);
	assert_int_equal(found(1), 12);
	assert_int_equal(fcn_reported_clear(platform.ctl, "a"), 1);
	assert_int_equal(found(1), -1);
}

/* Another size of the map keeps what hosts reported, as far as there is room; without room they are
 * forgotten, and no report is accepted. */
TEST(sizes)
{
	for (uint32_t qp = 1; qp <= 3; qp++)
		assert_int_equal(add("a", qp, 10 + qp), 0);
	accept_reports(1000, 1000);
	for (uint32_t qp = 1; qp <= 3; qp++)
		assert_int_equal(found(qp), 10 + (int)qp);
	for (uint32_t qp = 4; qp <= 500; qp++)
		assert_int_equal(add("b", qp, 10 + qp), 0);
	assert_int_equal(fcn_reported_clear(platform.ctl, "a"), 3);
	assert_int_equal(found(2), -1);
	assert_int_equal(found(500), 510);
	accept_reports(0, 1);
	assert_int_equal(found(500), -1);
	assert_null(fcn_control_snapshot(platform.ctl)->proxy.qps);
	assert_int_equal(fcn_reported_hosts(platform.ctl), 0);
	assert_int_equal(add("b", 4, 4), -EOPNOTSUPP);
	assert_int_equal(fcn_reported_keep(platform.ctl, "b", 4), -EOPNOTSUPP);
}

/* A worker in the middle of a turn, which lasts a while. */
static void *
end_turn(void *arg)
{
	const struct timespec ts = {.tv_nsec = 30000000};

	nanosleep(&ts, NULL);
	__atomic_store_n((bool *)arg, true, __ATOMIC_RELAXED);
	rte_rcu_qsbr_quiescent(fcn_control_qsbr(platform.ctl), 0);
	return NULL;
}

/* What was removed or replaced is waited for until the turn is over; what is new is not. */
TEST(settled)
{
	struct rte_rcu_qsbr *qsbr;

	platform_teardown(NULL);
	assert_int_equal(platform_setup(true), 0);
	accept_reports(5, 3);
	qsbr = fcn_control_qsbr(platform.ctl);
	rte_rcu_qsbr_thread_register(qsbr, 0);
	for (unsigned int what = 0; what < 3; what++) {
		bool over = false;
		pthread_t thread;

		rte_rcu_qsbr_thread_online(qsbr, 0);
		assert_int_equal(add("a", 1, 11), 0);
		assert_false(fcn_reported_is_unsettled(platform.ctl));
		assert_int_equal(pthread_create(&thread, NULL, end_turn, &over), 0);
		if (what == 0)
			assert_int_equal(add("a", 1, 12), 0);
		else if (what == 1)
			assert_int_equal(take("a", 1, "2001:db8::1"), 0);
		else
			assert_int_equal(fcn_reported_clear(platform.ctl, "a"), 1);
		assert_true(fcn_reported_is_unsettled(platform.ctl));
		fcn_reported_settle(platform.ctl);
		assert_true(__atomic_load_n(&over, __ATOMIC_RELAXED));
		assert_false(fcn_reported_is_unsettled(platform.ctl));
		assert_int_equal(pthread_join(thread, NULL), 0);
		rte_rcu_qsbr_thread_offline(qsbr, 0); /* it sleeps */
		fcn_reported_clear(platform.ctl, "a");
		fcn_reported_settle(platform.ctl);
	}
	rte_rcu_qsbr_thread_unregister(qsbr, 0);
}

/* Addresses of hosts, of one IP version, and names. */
TEST(names)
{
	struct fcn_qp_pair p = pair(1, "192.0.2.1", 2);
	struct fcn_reported_error error;
	char name[FCN_REPORTED_NAME + 1] = {0};

	assert_int_equal(fcn_reported_add(platform.ctl, &p, "a", 10, &error), -EINVAL);
	p = pair(1, "fe80::1", 2);
	assert_int_equal(fcn_reported_add(platform.ctl, &p, "a", 10, &error), -EINVAL);
	p = pair(1, "ff02::1", 2);
	assert_int_equal(fcn_reported_add(platform.ctl, &p, "a", 10, &error), -EINVAL);
	p.sender.version = 0;
	assert_int_equal(fcn_reported_add(platform.ctl, &p, "a", 10, &error), -EINVAL);
	assert_int_equal(fcn_reported_hosts(platform.ctl), 0);
	memset(name, 'x', FCN_REPORTED_NAME - 1);
	assert_true(fcn_reported_is_name(name));
	assert_true(fcn_reported_is_name("node-1.example_A"));
	name[FCN_REPORTED_NAME - 1] = 'x';
	assert_false(fcn_reported_is_name(name));
	assert_false(fcn_reported_is_name(""));
	assert_false(fcn_reported_is_name("a b"));
	assert_false(fcn_reported_is_name("a/b"));
}

/* `show proxy qp`, `show proxy hosts` and events. */
TEST(shown)
{
	const struct fcn_route_query all = {.limit = UINT64_MAX};
	struct fcn_route_query some = {.limit = 1};
	struct fcn_prefix prefix;
	json_t *o;

	assert_int_equal(add("a", 1, 11), 0);
	wait(3 * SECOND);
	assert_int_equal(add("b", 2, 22), 0);
	platform_gives(fcn_show_proxy_qps(platform.ctl, &all),
			"[{'receiver': '2001:db8::2', 'receiver_qp': 1, 'sender': '2001:db8::1', "
			"'sender_qp': 11, 'source': 'reported', 'host': 'a', 'age_s': 3}, "
			"{'receiver_qp': 2, 'sender_qp': 22, 'host': 'b', 'age_s': 0}]");
	some.skip = 1;
	platform_gives(fcn_show_proxy_qps(platform.ctl, &some), "[{'host': 'b'}]");
	assert_int_equal(fcn_prefix_parse("2001:db8::1/128", &prefix), 0);
	some = (struct fcn_route_query){.limit = 9, .prefix = &prefix};
	o = fcn_show_proxy_qps(platform.ctl, &some);
	assert_int_equal(json_array_size(o), 2);
	json_decref(o);
	assert_int_equal(fcn_prefix_parse("2001:db8::3/128", &prefix), 0);
	some = (struct fcn_route_query){.limit = 9, .prefix = &prefix};
	platform_gives(fcn_show_proxy_qps(platform.ctl, &some), "[]");
	platform_gives(fcn_show_proxy_hosts(platform.ctl),
			"{'configured': 0, 'reported': 2, 'hosts_known': 2, 'reported_most': 5, "
			"'reported_host_most': 3, 'added': 2, 'hosts': [{'host': 'a', "
			"'queue_pairs': 1, 'age_s': 3, 'left_s': 7, 'added': 1}, {'host': 'b'}]}");
	assert_int_equal(fcn_reported_clear(platform.ctl, "b"), 1);
	o = fcn_show_events(platform.ctl, 2);
	platform_shows(json_object_get(o, "events"),
			"[{'event': 'host_reports', 'text': 'host b reports its queue pairs'}, "
			"{'event': 'host_gone'}]");
	json_decref(o);
}
