/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * A whole switch with two kinds of notices: Fast CNP, and one that only tests have. Whatever names
 * a notice names the right kind: `show`, metrics, the trace, the event log, comments in captures.
 * The sums of the kinds are checked against each other.
 */

#include <stdlib.h>

#include <rte_ip.h>

#include "app_util.h"
#include "build_parts.h"
#include "fcn_capture_control.h"
#include "fcn_exports.h"
#include "fcn_metrics.h"
#include "notice_kind_report.h"

static struct report_conf report = {.to = {0x20, 1, 0xd, 0xb8, 0, 0x77, [15] = 1}};
static struct fcn_exports *exports;

/* The ports of the platform, but what a test has put here is received first, by p0. */
static struct fcn_port_ops port_ops;
static struct rte_mbuf *arriving;

static uint16_t
rx_burst(void *priv, struct rte_mbuf **pkts, uint16_t n, uint64_t now)
{
	if (arriving == NULL || ((const struct platform_port *)priv)->number != 0)
		return platform_port_ops.rx_burst(priv, pkts, n, now);
	pkts[0] = arriving;
	arriving = NULL;
	return 1;
}

/* What lib/config has for each kind. */
int
fcn_build_notice_report(const struct fcn_config *cfg, const struct fcn_build_env *env,
		struct fcn_snapshot *s, char *err, size_t size)
{
	RTE_SET_USED(cfg);
	RTE_SET_USED(env);
	RTE_SET_USED(err);
	RTE_SET_USED(size);
	s->notify.kind[FCN_NOTICE_REPORT].own = &report;
	return 0;
}

/* Packets come in by p0 and leave by p1, where class 3 is always congested. Fast CNPs leave by p0,
 * reports by p1. */
static const char *const lines[] = {
		"port add p0",
		"port add p1",
		"set loopback 2001:db8:f::5",
		"neighbour add p0 fe80::2 02:00:00:00:00:02",
		"neighbour add p1 fe80::3 02:00:00:00:00:03",
		"route add 2001:db8::/48 via fe80::2 port p0",
		"route add 2001:db8:1::/48 via fe80::3 port p1",
		"route add 2001:db8:77::/48 via fe80::3 port p1",
		"set queue p1 class 3 detector step threshold 1",
		"set queue p1 class 3 notify on",
		"set notify fast-cnp on",
		"set notify bucket destination 300000 burst 1",
		NULL,
};

static void
switch_report_on(void)
{
	struct fcn_config *cfg = platform_edit();

	cfg->notify.on |= 1u << FCN_NOTICE_REPORT;
	platform_commit(cfg);
}

static int
setup(void **state)
{
	char err[256] = "";

	if (app_setup(state) != 0)
		return -1;
	port_ops = platform_port_ops;
	port_ops.rx_burst = rx_burst;
	platform.port[0].ops = &port_ops;
	session.captures = fcn_captures_create(&(struct fcn_captures_conf){.ctl = platform.ctl});
	exports = fcn_exports_create(platform.ctl, session.captures, err, sizeof(err));
	if (session.captures == NULL || exports == NULL)
		return -1;
	app_all(lines);
	switch_report_on();
	platform.source = true;
	return 0;
}

static int
teardown(void **state)
{
	fcn_exports_free(exports);
	fcn_captures_free(session.captures);
	return app_teardown(state);
}

TEST_FIXTURE(APP_TEST, .setup = setup, .teardown = teardown);

static void
turns(unsigned int n)
{
	struct fcn_worker *w = fcn_control_worker(platform.ctl, 0);

	for (unsigned int i = 0; i < n; i++) {
		fcn_poll_once(w, w->now + 1000);
		fcn_control_drain(platform.ctl);
		fcn_exports_run(exports);
		fcn_captures_run(session.captures);
	}
}

/* Get a file that a test made. It is valid until the next call. */
static const char *
read_file(const char *name, size_t *len)
{
	static char text[2000000];
	FILE *in = fopen(name, "rb");

	assert_non_null(in);
	*len = fread(text, 1, sizeof(text) - 1, in);
	assert_true(*len < sizeof(text) - 1);
	text[*len] = '\0';
	fclose(in);
	return text;
}

/* Count how often a text occurs among bytes. */
static unsigned int
occurs(const char *bytes, size_t len, const char *text)
{
	const char *at = bytes, *end = bytes + len;
	unsigned int n = 0;

	while ((at = memmem(at, end - at, text, strlen(text))) != NULL) {
		at++;
		n++;
	}
	return n;
}

static json_int_t
number(const json_t *o, const char *key)
{
	const json_t *v = json_object_get(o, key);

	if (!json_is_integer(v))
		fail_msg("no number %s", key);
	return json_integer_value(v);
}

static const char *
string(const json_t *o, const char *key)
{
	const json_t *v = json_object_get(o, key);

	if (!json_is_string(v))
		fail_msg("no string %s", key);
	return json_string_value(v);
}

/* Sum up the packets of the rows of a kind, with an outcome, in `show notify`. */
static json_int_t
sum_of_rows(const json_t *notify, const char *kind, const char *outcome)
{
	json_int_t sum = 0;
	const json_t *row;
	size_t i;

	json_array_foreach (json_object_get(notify, "verdicts"), i, row) {
		if (strcmp(string(row, "kind"), kind) == 0 &&
				strcmp(string(row, "outcome"), outcome) == 0)
			sum += number(row, "packets");
	}
	return sum;
}

/* Sum up the notices of a kind over all rows of `show port`. */
static json_int_t
sum_of_ports(const char *kind)
{
	json_t *ports = fcn_show_ports(platform.ctl, -1);
	json_int_t sum = 0;
	const json_t *row;
	size_t i;

	json_array_foreach (ports, i, row)
		sum += number(json_object_get(row, "notices_by_kind"), kind);
	json_decref(ports);
	return sum;
}

/* Each kind has counters of its own, whose sums hold for itself and for both. */
TEST(show_notify)
{
	static const char *const names[] = {"fast_cnp", "report"};
	static const size_t at[] = {FCN_NOTICE_FAST_CNP, FCN_NOTICE_REPORT};
	static const char *const sums[] = {"wanted", "sent", "suppressed"};
	static const char *const made[] = {"made", "transmitted", "lost", "queued"};
	json_t *o, *kinds, *policy;
	json_int_t sum[RTE_DIM(sums)] = {0}, all[RTE_DIM(made)] = {0};

	turns(200);
	o = fcn_show_notify(platform.ctl);
	policy = json_object_get(o, "policy");
	kinds = json_object_get(o, "kinds");
	assert_int_equal(json_array_size(kinds), fcn_notice_kind_count);
	for (size_t k = 0; k < RTE_DIM(names); k++) {
		const json_t *kind = json_array_get(kinds, at[k]);

		assert_true(json_is_true(json_object_get(policy, names[k])));
		assert_true(json_is_true(json_object_get(kind, "on")));
		assert_string_equal(string(kind, "kind"), names[k]);
		/* Four of the 32 packets of a burst meet congestion. */
		assert_int_equal(number(kind, "wanted"), 200 * 4);
		assert_true(number(kind, "sent") > 0);
		assert_int_equal(number(kind, "sent"), sum_of_rows(o, names[k], "sent"));
		assert_int_equal(
				number(kind, "suppressed"), sum_of_rows(o, names[k], "suppressed"));
		assert_int_equal(number(kind, "wanted"),
				number(kind, "sent") + number(kind, "suppressed"));
		assert_int_equal(number(kind, "made"), number(kind, "sent"));
		assert_int_equal(sum_of_ports(names[k]), number(kind, "sent"));
		assert_int_equal(number(kind, "made"), number(kind, "transmitted") +
								       number(kind, "lost") +
								       number(kind, "queued"));
		for (size_t i = 0; i < RTE_DIM(sums); i++)
			sum[i] += number(kind, sums[i]);
		for (size_t i = 0; i < RTE_DIM(made); i++)
			all[i] += number(kind, made[i]);
	}
	/* Four flows of four senders meet congestion each microsecond, and each is notified every 4
	 * us. All reports go to one receiver, for which there is a token every 3.33 us. */
	assert_int_equal(number(json_array_get(kinds, 0), "sent"), 200);
	assert_in_range(number(json_array_get(kinds, FCN_NOTICE_REPORT), "sent"), 1, 61);
	for (size_t i = 0; i < RTE_DIM(sums); i++)
		assert_int_equal(number(json_object_get(o, "total"), sums[i]), sum[i]);
	for (size_t i = 0; i < RTE_DIM(made); i++)
		assert_int_equal(number(json_object_get(o, "notices"), made[i]), all[i]);
	json_decref(o);
	app_ok("show notify");
	assert_non_null(strstr(app_output(), "sent_report"));
	assert_non_null(strstr(app_output(), "sent_option1"));
}

/* One kind is switched off: it makes no notices, and the other one goes on. */
TEST(each_alone)
{
	json_int_t sent[2];
	json_t *o;

	turns(10);
	app_ok("set notify fast-cnp off");
	app_ok("clear counters");
	turns(10);
	o = fcn_show_notify(platform.ctl);
	for (size_t k = 0; k < 2; k++) {
		const json_t *kind = json_array_get(json_object_get(o, "kinds"),
				k == 0 ? FCN_NOTICE_FAST_CNP : FCN_NOTICE_REPORT);

		assert_int_equal(json_is_true(json_object_get(kind, "on")), k);
		sent[k] = number(kind, "sent");
	}
	assert_int_equal(sent[0], 0);
	assert_true(sent[1] > 0);
	json_decref(o);
}

static json_t *
get_show(void *arg, const char *show)
{
	RTE_SET_USED(arg);
	return fcn_exports_get(exports, show);
}

/* Fail unless the metrics have a sample. */
static void
assert_sample(const char *text, const char *name, const char *labels, json_int_t value)
{
	char want[256];

	snprintf(want, sizeof(want), "\n%s{%s} %lld\n", name, labels, (long long)value);
	if (strstr(text, want) == NULL)
		fail_msg("no sample %s", want);
}

TEST(metrics)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	json_t *o;

	turns(50);
	assert_int_equal(fcn_metrics_write(out, FCN_METRICS_OPENMETRICS, get_show, NULL), 0);
	fclose(out);
	o = fcn_show_notify(platform.ctl);
	for (size_t k = 0; k < 2; k++) {
		const json_t *kind = json_array_get(json_object_get(o, "kinds"),
				k == 0 ? FCN_NOTICE_FAST_CNP : FCN_NOTICE_REPORT);
		char labels[64];

		snprintf(labels, sizeof(labels), "kind=\"%s\"", string(kind, "kind"));
		assert_sample(text, "fastcn_notify_made_notices_total", labels,
				number(kind, "made"));
		assert_sample(text, "fastcn_notify_transmitted_notices_total", labels,
				number(kind, "transmitted"));
	}
	assert_sample(text, "fastcn_notify_packets_total",
			"port=\"p1\",class=\"3\",kind=\"report\",outcome=\"sent\","
			"verdict=\"sent_report\"",
			sum_of_rows(o, "report", "sent"));
	json_decref(o);
	free(text);
}

/* A packet's trace names what each kind decided, and the trace of a notice says what it is. */
TEST(trace)
{
	app_ok("trace add 32");
	turns(1);
	app_ok("show trace");
	assert_non_null(strstr(
			app_output(), "notice: sent_option1, congestion report: sent_report"));
	assert_non_null(strstr(app_output(), "Fast CNP"));
	/* Four packets met congestion, and their reports have one receiver. */
	assert_int_equal(occurs(app_output(), strlen(app_output()),
					 "congestion report: sent_report"),
			1);
	assert_int_equal(occurs(app_output(), strlen(app_output()),
					 "congestion report: bucket_destination"),
			3);
}

/* Each line of the log about a notice has the kind, and what was decided in the kind's words. */
TEST(event_log)
{
	unsigned int sent[2] = {0}, left[2] = {0};
	char err[256] = "", *save = NULL, *copy;
	const char *text;
	size_t len;

	if (fcn_exports_log(exports, "events.log", err, sizeof(err)) != 0)
		fail_msg("%s", err);
	turns(4);
	platform.source = false;
	turns(1);
	assert_int_equal(fcn_exports_log(exports, NULL, err, sizeof(err)), 0);
	text = read_file("events.log", &len);
	copy = strdup(text);
	for (char *line = strtok_r(copy, "\n", &save); line != NULL;
			line = strtok_r(NULL, "\n", &save)) {
		json_t *o = json_loads(line, 0, NULL);
		bool is_report;

		assert_non_null(o);
		if (json_object_get(o, "notice") != NULL) {
			is_report = strcmp(string(o, "notice"), "report") == 0;
			if (!is_report)
				assert_string_equal(string(o, "notice"), "fast_cnp");
			if (strcmp(string(o, "event"), "notice") == 0) {
				assert_string_equal(string(o, "verdict"),
						is_report ? "sent_report" : "sent_option1");
				sent[is_report]++;
			} else {
				assert_string_equal(string(o, "event"), "notice_sent");
				assert_string_equal(string(o, "port"), is_report ? "p1" : "p0");
				left[is_report]++;
			}
		}
		json_decref(o);
	}
	free(copy);
	for (size_t k = 0; k < 2; k++) {
		assert_true(sent[k] > 0);
		assert_int_equal(left[k], sent[k]);
	}
}

/* The comment of a captured notice is the title of its kind. */
TEST(capture)
{
	const json_t *kinds;
	const char *file;
	size_t len;
	json_t *o;

	app_ok("capture start port all tx file notices.pcapng");
	turns(10);
	app_ok("capture stop");
	o = fcn_show_notify(platform.ctl);
	kinds = json_object_get(o, "kinds");
	file = read_file("notices.pcapng", &len);
	assert_int_equal(occurs(file, len, "Fast CNP for congestion of p1 class 3"),
			number(json_array_get(kinds, 0), "transmitted"));
	assert_int_equal(occurs(file, len, "congestion report for congestion of p1 class 3"),
			number(json_array_get(kinds, FCN_NOTICE_REPORT), "transmitted"));
	json_decref(o);
}

/* Make a Parameter Problem of the reports' receiver, about a report on a flow of the platform. */
static struct rte_mbuf *
make_refusal(uint8_t sender)
{
	static const uint8_t loopback[16] = {0x20, 1, 0xd, 0xb8, 0, 0xf, [15] = 5};
	const uint8_t flow[2][16] = {
			{0x20, 1, 0xd, 0xb8, [15] = sender}, {0x20, 1, 0xd, 0xb8, 0, 1, [15] = 1}};
	struct rte_mbuf *m = rte_pktmbuf_alloc(platform.pool);
	const uint16_t len = 8 + REPORT_LEN;
	uint8_t *frame, *ip, *icmp, *quote;
	uint16_t cksum;

	assert_non_null(m);
	frame = (uint8_t *)rte_pktmbuf_append(m, 14 + 40 + len);
	memset(frame, 0, 14 + 40 + len);
	memcpy(frame, &fcn_control_snapshot(platform.ctl)->port[0].mac, 6);
	frame[6] = 2;
	frame[12] = 0x86;
	frame[13] = 0xDD;
	ip = frame + 14;
	ip[0] = 0x60;
	ip[5] = (uint8_t)len;
	ip[6] = IPPROTO_ICMPV6;
	ip[7] = 64;
	memcpy(ip + 8, report.to, 16);
	memcpy(ip + 24, loopback, 16);
	icmp = ip + 40;
	icmp[0] = 4; /* Parameter Problem */
	icmp[1] = 2; /* unrecognized IPv6 option */
	quote = icmp + 8;
	memcpy(quote + 24, report.to, 16);
	memcpy(quote + 52, flow, sizeof(flow));
	cksum = rte_ipv6_udptcp_cksum((const struct rte_ipv6_hdr *)ip, icmp);
	memcpy(icmp + 2, &cksum, 2);
	return m;
}

/* Receive a Parameter Problem and hand it to the host functions. */
static void
receive_refusal(uint8_t sender)
{
	arriving = make_refusal(sender);
	turns(1);
	fcn_control_host_poll(platform.ctl, fcn_control_worker(platform.ctl, 0)->now);
}

/* A message that refuses notices of one kind is of no meaning for another kind. */
TEST(refused)
{
	json_t *o, *row;

	app_ok("set host on");
	app_ok("set notify fast-cnp off");
	turns(1);
	receive_refusal(4); /* Packets of this sender met no congestion, so it got no notice. */
	o = fcn_show_senders(platform.ctl);
	assert_int_equal(json_array_size(o), 0);
	json_decref(o);
	receive_refusal(3);
	o = fcn_show_senders(platform.ctl);
	assert_int_equal(json_array_size(o), 1);
	row = json_array_get(o, 0);
	assert_string_equal(string(row, "prefix"), "2001:db8::3/128");
	assert_string_equal(string(row, "notice"), "report");
	json_decref(o);
	/* It gets Fast CNPs. */
	app_ok("set notify fast-cnp on");
	app_ok("clear counters");
	turns(1);
	o = fcn_show_notify(platform.ctl);
	assert_int_equal(sum_of_rows(o, "fast_cnp", "sent"), 4);
	json_decref(o);
}
