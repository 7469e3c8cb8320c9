/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Every counter of every list has a member in the JSON of its `show`, a metric, and a line in
 * doc/counters.md. The expectations are made of the lists alone, and not of what reads them. Each
 * counter is given a value of its own, so that two that are exchanged are found, too. Where a
 * counter's owner has no place for a value, the function by which it is read is replaced.
 */

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "counters_expected.h"
#include "fcn_exports.h"
#include "fcn_metrics.h"
#include "fcn_show_list.h"
#include "kernel_platform.h"
#include "kernel_private.h"

static char *metrics, *page;
static struct fcn_exports *exports;

static json_t *
get(void *arg, const char *name)
{
	const struct fcn_show_source source = {.ctl = platform.ctl, .exports = exports};
	const struct fcn_show *show = fcn_show_find(name);
	struct fcn_show_query query = FCN_SHOW_QUERY_ANY;

	RTE_SET_USED(arg);
	assert_non_null(show);
	query.all = true;
	return fcn_show_get(&source, show, &query);
}

static char *
metrics_text(void)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_int_equal(fcn_metrics_write(out, FCN_METRICS_OPENMETRICS, get, NULL), 0);
	assert_int_equal(fclose(out), 0);
	return text;
}

static char *
read_page(void)
{
	static char text[200000];
	FILE *in = fopen(COUNTERS_PAGE, "r");
	size_t n;

	assert_non_null(in);
	n = fread(text, 1, sizeof(text) - 1, in);
	assert_true(n > 0 && n < sizeof(text) - 1);
	fclose(in);
	return text;
}

/* A policy with a segment list and a steering rule, which have the slot 0. */
static void
add_policy(struct fcn_config *cfg)
{
	struct fcn_config_srv6_segments segments;
	struct fcn_config_srv6_policy policy;
	struct fcn_config_srv6_steering rule;

	memset(&policy, 0, sizeof(policy));
	memset(&rule, 0, sizeof(rule));
	memset(&segments, 0, sizeof(segments));
	snprintf(policy.name, sizeof(policy.name), "toward");
	policy.hop_limit = 64;
	assert_int_equal(fcn_addr_parse("2001:db8:f::5", &policy.source), 0);
	assert_int_equal(fcn_list_add(cfg, fcn_list_of("srv6 policy"), &policy, NULL), 0);
	segments.weight = 1;
	segments.list.n = 1;
	memcpy(segments.list.segment[0], policy.source.bytes, 16);
	segments.list.segment[0][15] = 6;
	assert_int_equal(fcn_list_add(cfg, fcn_list_of("srv6 segments"), &segments, NULL), 0);
	assert_int_equal(fcn_prefix_parse("2001:db8:8::/48", &rule.prefix), 0);
	rule.dscp = rule.port = FCN_SRV6_ANY;
	assert_int_equal(fcn_list_add(cfg, fcn_list_of("srv6 steering"), &rule, NULL), 0);
}

/* The platform, every counter of which has a value. */
static int
setup(void **state)
{
	static struct fcn_port_ops ops;
	static const struct fcn_addr loopback = {.version = 4, .bytes = {127, 0, 0, 1}};
	struct fcn_worker *w;
	struct fcn_config_srv6_sid sid;
	struct fcn_config *cfg;
	struct fcn_kernel *k;
	char err[256];

	if (kernel_platform_setup(state) != 0)
		return -1;
	exports = fcn_exports_create(platform.ctl, NULL, err, sizeof(err));
	assert_non_null(exports);
	assert_int_equal(fcn_exports_log(exports, "/dev/null", err, sizeof(err)), 0);
	if (METRICS_SERVER) /* fastcn can be built without */
		assert_int_equal(fcn_exports_listen(exports, &loopback, 0, err, sizeof(err)), 0);
	ops = platform_port_ops;
	ops.device_stats = counters_fake_device;
	platform.port[ROUTED].ops = &ops;
	cfg = platform_edit();
	assert_int_equal(fcn_config_bridge_add(cfg, "br0"), 0);
	assert_int_equal(kernel_platform_port(cfg, "p0", NULL), BRIDGED);
	assert_int_equal(kernel_platform_port(cfg, "p1", "sw1"), ROUTED);
	assert_int_equal(fcn_config_sub_interface_add(cfg, "p1.7", ROUTED, 7), SUB_INTERFACE);
	assert_int_equal(fcn_config_bridge_interface_add(cfg, "br0.20", 0, 20), BRIDGE_INTERFACE);
	cfg->port[BRIDGED].bridge = 0;
	cfg->port[BRIDGED].pvid = 1;
	cfg->port[ROUTED].pfc.class[CLASS].receive = true;
	memset(&sid, 0, sizeof(sid));
	assert_int_equal(fcn_prefix_parse("2001:db8:51::/64", &sid.prefix), 0);
	assert_int_equal(fcn_list_add(cfg, fcn_list_of("srv6 sid"), &sid, NULL), 0);
	add_policy(cfg);
	platform_commit(cfg);
	w = fcn_control_worker(platform.ctl, 0);
	n_expected = 0;
	expect_port(&w->counters[ROUTED]);
	expect_reasons(&w->counters[ROUTED]);
	expect_device(&fake.device);
	expect_police(&w->counters[ROUTED]);
	expect_sub_interface(&w->counters[SUB_INTERFACE]);
	expect_bridge_interface(&w->counters[BRIDGE_INTERFACE]);
	expect_bridge_port(&w->counters[BRIDGED]);
	expect_queue(&w->port[ROUTED].egress->queue[CLASS].stats);
	expect_queue_reasons(&w->port[ROUTED].egress->queue[CLASS].stats);
	expect_detector(&w->port[ROUTED].egress->queue[CLASS].detector);
	expect_pause(&w->port[ROUTED].pause.stats[CLASS]);
	expect_ingress(&w->ingress[ROUTED][CLASS]);
	expect_notices(&w->notice_accounting[0]);
	expect_verdicts(&w->notify[0].stats[ROUTED][CLASS]);
	expect_notify(&w->notify[0]);
	expect_load(&w->load);
	expect_worker(w);
	expect_segment_list(&w->srv6.segments[0]);
	expect_steering(&w->srv6.steering[0]);
	expect_sid(&w->srv6.sid[0]);
	expect_tunnel_ecn(w->srv6.ecn);
	expect_endcon(&w->srv6.endcon);
	expect_arn_held(&w->arn_held);
	expect_arn_sender(w->arn);
	expect_arn_received(&w->arn_received.counters);
	expect_arn_forgotten(&w->arn_received);
	expect_arn_edge(w->arn_edge);
	expect_proxy(&w->proxy.counters);
	expect_tap((struct fcn_kernel_tap_counts *)(uintptr_t)fcn_kernel_tap_counts(
			kernel_find("sw1")->tap));
	k = fcn_control_kernel(platform.ctl);
	expect_kernel_interface(&k->interface[ROUTED].counts);
	expect_host(fake.host);
	fake.on = true;
	expect_conservation(&fake.conservation);
	expect_netlink(&fake.netlink);
	expect_store(&fake.store);
	expect_builds(&fake.builds);
	if (METRICS_SERVER)
		expect_scrapes(&fake.scrapes);
	expect_lines(&fake.lines);
	metrics = metrics_text();
	page = read_page();
	return 0;
}

static int
teardown(void **state)
{
	struct fcn_worker *w = fcn_control_worker(platform.ctl, 0);

	free(metrics);
	fcn_exports_free(exports);
	fake.on = false;
	/* At the end of a test the packets are accounted for: there were none. */
	w->cross_core_tx = w->cross_core_rx = 0;
	fcn_control_clear_counters(platform.ctl, NULL, 0);
	return kernel_platform_teardown(state);
}

TEST_FIXTURE(FCN_TEST_EAL, .setup = setup, .teardown = teardown);

/* The member of a row that a name, or "a.b", stands for. */
static const json_t *
member_of(const json_t *row, const char *name)
{
	const char *dot = strchr(name, '.');
	char first[64];

	if (dot == NULL)
		return json_object_get(row, name);
	snprintf(first, sizeof(first), "%.*s", (int)(dot - name), name);
	return json_object_get(json_object_get(row, first), dot + 1);
}

static bool
row_has(const json_t *row, const struct expected *e)
{
	const json_t *v = member_of(row, e->name);

	return json_is_integer(v) && json_integer_value(v) == e->value;
}

/* Whether the rows, or the list of those that each hold some, have one with the value. */
static bool
rows_have(const json_t *rows, const struct expected *e)
{
	const json_t *row;
	size_t i;

	if (json_is_object(rows))
		return row_has(rows, e);
	json_array_foreach (rows, i, row) {
		if (row_has(row, e))
			return true;
	}
	return false;
}

TEST(json)
{
	for (unsigned int i = 0; i < n_expected; i++) {
		const struct expected *e = &expected[i];
		json_t *v = get(NULL, e->place.show);
		bool found;

		if (e->place.rows != NULL && json_is_array(v)) /* each bridge has its ports */
			found = rows_have(json_object_get(json_array_get(v, 0), e->place.rows), e);
		else if (e->place.rows != NULL)
			found = rows_have(json_object_get(v, e->place.rows), e);
		else
			found = rows_have(v, e);
		json_decref(v);
		if (!found)
			fail_msg("show %s: no %s of %lld", e->place.show, e->name,
					(long long)e->value);
	}
}

TEST(metrics)
{
	for (unsigned int i = 0; i < n_expected; i++) {
		const struct expected *e = &expected[i];
		bool is_time = e->type == SECONDS || e->type == DURATION;
		char want[256];
		int n;

		if (e->metric[0] == '\0')
			continue;
		n = snprintf(want, sizeof(want), "\n%s%s ", e->metric, e->place.labels);
		snprintf(want + n, sizeof(want) - n, is_time ? "0.%09llu\n" : "%llu\n",
				(unsigned long long)e->value);
		if (strstr(metrics, want) == NULL)
			fail_msg("metrics: no line%s", want);
	}
}

/* The others, which are sums or stand for something by reason, are found in the JSON, too. */
TEST(samples)
{
	const struct fcn_metric_rows *r;
	const struct fcn_metric *m;

	FCN_METRIC_FOREACH (r, m) {
		char want[128];

		if (m->type != FCN_METRIC_COUNTER)
			continue;
		snprintf(want, sizeof(want), "\n" FCN_METRICS_PREFIX "%s_total%c", m->name,
				r->labels[0] != '\0' ? '{' : ' ');
		if (strstr(metrics, want) == NULL)
			fail_msg("metrics: no sample of%s", want);
	}
}

TEST(page)
{
	char line[256];

	/* A capture's values are looked at where there are captures: tests/unit/app. */
#define CAPTURE(member, name, text)                                    \
	snprintf(line, sizeof(line), "\n| `%s` | %s |\n", name, text); \
	assert_non_null(strstr(page, line));
	FCN_CAPTURE_COUNTERS(CAPTURE)
	for (unsigned int i = 0; i < n_expected; i++) {
		const struct expected *e = &expected[i];
		char want[512];

		snprintf(want, sizeof(want), "\n%s", e->line);
		if (strstr(page, want) == NULL)
			fail_msg("doc/counters.md: no line%s", want);
	}
}

/* Rates have no metrics: who reads those makes rates of counters. */
TEST(rates)
{
	struct fcn_worker *w = fcn_control_worker(platform.ctl, 0);
	char want[256];
	const json_t *row;
	json_t *v;

	fcn_control_measure_rates(platform.ctl, 1 * MS);
	w->port[ROUTED].egress->queue[CLASS].stats.deq_packets++;
	fcn_control_measure_rates(platform.ctl, 1001 * MS);
	v = fcn_show_rates(platform.ctl, ROUTED);
#define RATE(member, name, text)                                       \
	assert_true(json_is_integer(json_object_get(row, name)));      \
	snprintf(want, sizeof(want), "\n| `%s` | %s |\n", name, text); \
	assert_non_null(strstr(page, want));
	row = json_array_get(json_object_get(v, "ports"), 0);
	FCN_PORT_RATES(RATE)
	row = json_array_get(json_object_get(v, "queues"), 0);
	FCN_QUEUE_RATES(RATE)
	json_decref(v);
}

/* An episode is a record, so its counters have no metrics. */
TEST(episodes)
{
	struct fcn_worker *w = fcn_control_worker(platform.ctl, 0);
	struct fcn_episodes *e = w->port[ROUTED].egress->queue[CLASS].episodes;
	struct fcn_episode *c = &e->kept[0];
	uint64_t value = 1000;
	char want[256];
	const json_t *row;
	json_t *v;

	e->n_ended = 1;
#define SET(member, name, text) c->member = ++value;
	FCN_EPISODE_COUNTERS(SET)
	FCN_EPISODE_ARRIVAL_COUNTERS(SET)
	v = fcn_show_episodes(platform.ctl, ROUTED, CLASS, 1);
	row = json_array_get(v, 0);
	value = 1000;
#define EPISODE(member, name, text)                                                \
	assert_int_equal(json_integer_value(json_object_get(row, name)), ++value); \
	snprintf(want, sizeof(want), "\n| `%s` | %s |\n", name, text);             \
	assert_non_null(strstr(page, want));
	FCN_EPISODE_COUNTERS(EPISODE)
	FCN_EPISODE_ARRIVAL_COUNTERS(EPISODE)
	json_decref(v);
	e->n_ended = 0;
}

/* What a worker, or the interface of a port, counts goes back to zero. Not so what is on its way
 * between workers, what a device counts, and what the log and the server have counted since they
 * began. For the host functions and the connection to the Linux kernel, which the fakes stand for
 * here, test_host.c and test_kernel_routes.c have tests. */
TEST(clear)
{
	fcn_control_clear_counters(platform.ctl, NULL, 0);
	for (unsigned int i = 0; i < n_expected; i++) {
		const struct expected *e = &expected[i];
		json_t *v = get(NULL, e->place.show);
		const json_t *rows = v;

		if (e->place.rows != NULL)
			rows = json_object_get(
					json_is_array(v) ? json_array_get(v, 0) : v, e->place.rows);
		if (!e->is_kept && rows_have(rows, e))
			fail_msg("show %s: %s was not cleared", e->place.show, e->name);
		json_decref(v);
	}
}
