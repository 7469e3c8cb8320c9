/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Every counter of every list has a member in the JSON of its `show`, a metric, and a line in
 * doc/counters.md. The expectations are made of the lists alone, and not of what reads them. Each
 * counter is given a value of its own, so that two that are exchanged are found, too. Those that
 * only their owner can set (of the host functions, and of what the kernel said) are not compared.
 */

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "fcn_metrics.h"
#include "fcn_show_list.h"
#include "kernel_platform.h"

/* Interfaces of the platform: a port of a bridge, a routed port, a sub-interface of that, and an
 * interface of the bridge. */
enum {
	BRIDGED,
	ROUTED,
	SUB_INTERFACE,
	BRIDGE_INTERFACE
};

#define CLASS 3
#define ANY (-1) /* a value that is not compared */

/* The types of fcn_counter.h. */
enum type {
	COUNTER,
	BYTES,
	SECONDS,
	GAUGE,
	LEVEL,
	DURATION
};

/* What each appends to the metric's name. */
static const char *const endings[] = {
		"_total", "_bytes_total", "_seconds_total", "", "_bytes", "_seconds"};

/* Where the counters of a list are to be found. */
struct place {
	const char *show,
			*rows; /* rows NULL: the value of the show is the row, or a list of rows */
	const char *within;    /* in front of the name within the row, "": nothing */
	const char *metric;    /* in front of the metric's name */
	const char *labels;    /* of the metric's sample, "": none */
};

struct expected {
	struct place place;
	char name[64], metric[96];
	const char *help; /* NULL: neither metric nor documentation */
	enum type type;
	json_int_t value;
};

static struct expected expected[400];
static unsigned int n_expected;
static char *metrics, *page;

static uint64_t
expect(const struct place *place, const char *name, enum type type, const char *metric,
		const char *help)
{
	struct expected *e = &expected[n_expected++];

	assert_true(n_expected <= RTE_DIM(expected));
	*e = (struct expected){
			.place = *place, .help = help, .type = type, .value = 1000 + n_expected};
	snprintf(e->name, sizeof(e->name), "%s%s", place->within, name);
	snprintf(e->metric, sizeof(e->metric), "fastcn_%s%s%s", place->metric, metric,
			endings[type]);
	return (uint64_t)e->value;
}

/* Give the counter of `c` a value, which is expected at `place`. */
#define PUT(member, name, type, metric, help) c->member = expect(&place, name, type, metric, help);
#define PUT_OF_BRIDGE(member, name, type, metric, help, of_bridge) \
	PUT(member, name, type, metric, of_bridge)
#define PUT_OF_PORT(member, name, type, metric, help, of_bridge) \
	PUT(member, name, type, metric, help)
/* The same counter again, where it has no metric. */
#define AGAIN(member, name, ...)                 \
	expect(&place, name, COUNTER, "", NULL); \
	expected[n_expected - 1].value = (json_int_t)c->member;

static void
put_port(struct fcn_port_counters *c)
{
	struct place place = {"port", NULL, "", "", "{port=\"p1\"}"};

	FCN_PORT_TRAFFIC_COUNTERS(PUT)
	FCN_PORT_ROCE_COUNTERS(PUT)
	FCN_PORT_LOCAL_COUNTERS(PUT)
	place = (struct place){"pfc", "ports", "frames_", "", "{port=\"p1\"}"};
	FCN_PORT_PFC_COUNTERS(PUT)
	place = (struct place){"port", NULL, "pause_", "", ""};
	FCN_PORT_PFC_COUNTERS(AGAIN)
	place = (struct place){"ioam", "ports", "", "", "{port=\"p1\"}"};
	FCN_IOAM_PORT_COUNTERS(PUT)
	place = (struct place){"border", "ports", "", "", "{port=\"p1\"}"};
	FCN_UNTRUSTED_PORT_COUNTERS(PUT)
}

static void
put_police(struct fcn_port_counters *port)
{
	static char labels[FCN_PUNT_KIND_COUNT][64];

	for (unsigned int k = 0; k < FCN_PUNT_KIND_COUNT; k++) {
		const struct place place = {"police", NULL, "", "", labels[k]};

		snprintf(labels[k], sizeof(labels[k]), "{port=\"p1\",kind=\"%s\"}",
				fcn_punt_kind_name(k));
#define PUT_KIND(member, name, type, metric, help) \
	port->member[k] = expect(&place, name, type, metric, help);
		FCN_POLICE_COUNTERS(PUT_KIND)
	}
}

static void
put_sub_interface(struct fcn_port_counters *c)
{
	const struct place place = {"port", NULL, "", "sub_interface_",
			"{port=\"p1.7\",parent=\"p1\",vlan=\"7\"}"};

	FCN_SUB_INTERFACE_COUNTERS(PUT_OF_PORT)
}

static void
put_bridge_interface(struct fcn_port_counters *c)
{
	const struct place place = {"port", NULL, "", "bridge_interface_",
			"{port=\"br0.20\",bridge=\"br0\",vlan=\"20\"}"};

	FCN_SUB_INTERFACE_COUNTERS(PUT_OF_BRIDGE)
}

static void
put_bridge_port(struct fcn_port_counters *c)
{
	const struct place place = {"bridge", "ports", "", "", "{port=\"p0\"}"};

	FCN_BRIDGE_PORT_COUNTERS(PUT)
}

static void
put_queue(struct fcn_queue_stats *c)
{
	const struct place place = {"queue", NULL, "", "", "{port=\"p1\",class=\"3\"}"};

	FCN_QUEUE_SENT_COUNTERS(PUT)
	FCN_QUEUE_CONGESTION_COUNTERS(PUT)
}

static void
put_detector(struct fcn_detector *c)
{
	const struct place place = {"queue", NULL, "", "", "{port=\"p1\",class=\"3\"}"};

	FCN_DETECTOR_COUNTERS(PUT)
}

static void
put_pause(struct fcn_pause_class_stats *c)
{
	const struct place place = {"pfc", "classes", "", "", "{port=\"p1\",class=\"3\"}"};

	FCN_PAUSE_RECEIVED_COUNTERS(PUT)
	FCN_PAUSE_SENT_COUNTERS(PUT)
}

static void
put_ingress(struct fcn_ingress *c)
{
	const struct place place = {"pfc", "classes", "", "", "{port=\"p1\",class=\"3\"}"};

	FCN_INGRESS_COUNTERS(PUT)
}

static void
put_notices(struct fcn_notice_accounting *c)
{
	const struct place place = {"notify", "kinds", "", "", "{kind=\"fast_cnp\"}"};

	FCN_NOTICE_COUNTERS(PUT)
}

static void
put_notify(struct fcn_notify_state *c)
{
	const struct place place = {"notify", NULL, "total.", "", ""};

	FCN_NOTIFY_STATE_COUNTERS(PUT)
}

static void
put_load(struct fcn_worker_load *c)
{
	const struct place place = {"worker", NULL, "", "", "{worker=\"0\"}"};

	FCN_WORKER_LOAD_COUNTERS(PUT)
}

static void
put_worker(struct fcn_worker *c)
{
	const struct place place = {"worker", NULL, "", "", "{worker=\"0\"}"};

	FCN_WORKER_CROSS_CORE_COUNTERS(PUT)
	FCN_WORKER_COUNTERS(PUT)
}

static void
put_tap(struct fcn_kernel_tap_counts *c)
{
	const struct place place = {
			"kernel", "interfaces", "", "", "{port=\"p1\",interface=\"sw1\"}"};

	FCN_KERNEL_TAP_COUNTERS(PUT)
}

static void
expect_others(void)
{
	struct place place = {"host", NULL, "counters.", "host_", ""};

#define HOST(sym, name, text)                      \
	expect(&place, name, COUNTER, name, text); \
	expected[n_expected - 1].value = ANY;
	FCN_HOST_COUNTERS(HOST)
	place = (struct place){"kernel", NULL, "counters.", "", ""};
#define NETLINK(member, name, type, metric, help) \
	expect(&place, name, type, metric, help); \
	expected[n_expected - 1].value = ANY;
	FCN_NETLINK_COUNTERS(NETLINK)
}

static json_t *
get(void *arg, const char *name)
{
	const struct fcn_show_source source = {.ctl = platform.ctl};
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

/* The platform, every counter of which has a value. */
static int
setup(void **state)
{
	struct fcn_worker *w;
	struct fcn_config *cfg;

	if (kernel_platform_setup(state) != 0)
		return -1;
	cfg = platform_edit();
	assert_int_equal(fcn_config_bridge_add(cfg, "br0"), 0);
	assert_int_equal(kernel_platform_port(cfg, "p0", NULL), BRIDGED);
	assert_int_equal(kernel_platform_port(cfg, "p1", "sw1"), ROUTED);
	assert_int_equal(fcn_config_sub_interface_add(cfg, "p1.7", ROUTED, 7), SUB_INTERFACE);
	assert_int_equal(fcn_config_bridge_interface_add(cfg, "br0.20", 0, 20), BRIDGE_INTERFACE);
	cfg->port[BRIDGED].bridge = 0;
	cfg->port[BRIDGED].pvid = 1;
	cfg->port[ROUTED].pfc.class[CLASS].receive = true;
	platform_commit(cfg);
	w = fcn_control_worker(platform.ctl, 0);
	n_expected = 0;
	put_port(&w->counters[ROUTED]);
	put_police(&w->counters[ROUTED]);
	put_sub_interface(&w->counters[SUB_INTERFACE]);
	put_bridge_interface(&w->counters[BRIDGE_INTERFACE]);
	put_bridge_port(&w->counters[BRIDGED]);
	put_queue(&w->port[ROUTED].egress->queue[CLASS].stats);
	put_detector(&w->port[ROUTED].egress->queue[CLASS].detector);
	put_pause(&w->port[ROUTED].pause.stats[CLASS]);
	put_ingress(&w->ingress[ROUTED][CLASS]);
	put_notices(&w->notice_accounting[0]);
	put_notify(&w->notify[0]);
	put_load(&w->load);
	put_worker(w);
	put_tap((struct fcn_kernel_tap_counts *)(uintptr_t)fcn_kernel_tap_counts(
			kernel_find("sw1")->tap));
	expect_others();
	metrics = metrics_text();
	page = read_page();
	return 0;
}

static int
teardown(void **state)
{
	struct fcn_worker *w = fcn_control_worker(platform.ctl, 0);

	free(metrics);
	/* At the end of a test the packets are accounted for: there were none. */
	w->cross_core_tx = w->cross_core_rx = 0;
	fcn_control_clear_counters(platform.ctl);
	return kernel_platform_teardown(state);
}

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

	return json_is_integer(v) && (e->value == ANY || json_integer_value(v) == e->value);
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

static void
test_json(void **state)
{
	RTE_SET_USED(state);
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

static void
test_metrics(void **state)
{
	RTE_SET_USED(state);
	for (unsigned int i = 0; i < n_expected; i++) {
		const struct expected *e = &expected[i];
		bool is_time = e->type == SECONDS || e->type == DURATION;
		char want[256];
		int n;

		if (e->help == NULL)
			continue;
		n = snprintf(want, sizeof(want), "\n%s%s ", e->metric, e->place.labels);
		if (e->value != ANY)
			snprintf(want + n, sizeof(want) - n, is_time ? "0.%09llu\n" : "%llu\n",
					(unsigned long long)e->value);
		if (strstr(metrics, want) == NULL)
			fail_msg("metrics: no line%s", want);
	}
}

static void
test_page(void **state)
{
	RTE_SET_USED(state);
	for (unsigned int i = 0; i < n_expected; i++) {
		const struct expected *e = &expected[i];
		char want[512];

		if (e->help == NULL)
			continue;
		snprintf(want, sizeof(want), "\n| `%s` | `%s` | %s |\n", e->name, e->metric,
				e->help);
		if (strstr(page, want) == NULL)
			fail_msg("doc/counters.md: no line%s", want);
	}
}

/* Rates have no metrics: who reads those makes rates of counters. */
static void
test_rates(void **state)
{
	struct fcn_worker *w = fcn_control_worker(platform.ctl, 0);
	char want[256];
	const json_t *row;
	json_t *v;

	RTE_SET_USED(state);
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

/* All but what is on its way between workers goes back to zero. */
static void
test_clear(void **state)
{
	RTE_SET_USED(state);
	fcn_control_clear_counters(platform.ctl);
	for (unsigned int i = 0; i < n_expected; i++) {
		const struct expected *e = &expected[i];
		bool is_kept = strcmp(e->name, "cross_core_tx") == 0 ||
			       strcmp(e->name, "cross_core_rx") == 0 || e->type == GAUGE;
		json_t *v = get(NULL, e->place.show);
		const json_t *rows = v;

		if (e->place.rows != NULL)
			rows = json_object_get(
					json_is_array(v) ? json_array_get(v, 0) : v, e->place.rows);
		if (e->value != ANY && !is_kept && rows_have(rows, e))
			fail_msg("show %s: %s was not cleared", e->place.show, e->name);
		json_decref(v);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
			TEST(test_json),
			TEST(test_metrics),
			TEST(test_page),
			TEST(test_rates),
			TEST(test_clear),
	};

	return cmocka_run_group_tests_name(
			"counters", tests, fcn_test_eal_init, fcn_test_eal_cleanup);
}
