/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <stdio.h>
#include <stdlib.h>

#include "counters_expected.h"

/* Text that each type appends to the name of a metric. */
static const char *const endings[] = {
		"_total", "_bytes_total", "_seconds_total", "", "_bytes", "_seconds"};

struct expected expected[EXPECTED_MAX];
unsigned int n_expected;

static struct expected *
expect_json(const struct place *place, const char *name, enum type type)
{
	struct expected *e = &expected[n_expected++];

	assert_true(n_expected <= RTE_DIM(expected));
	*e = (struct expected){
			.place = *place,
			.type = type,
			.value = 1000 + n_expected,
			.is_kept = type == GAUGE,
	};
	snprintf(e->name, sizeof(e->name), "%s%s", place->within, name);
	return e;
}

static void
expect_metric(struct expected *e, const char *metric)
{
	snprintf(e->metric, sizeof(e->metric), "fastcn_%s%s%s", e->place.metric, metric,
			endings[e->type]);
}

static uint64_t
expect(const struct place *place, const char *name, enum type type, const char *metric,
		const char *help)
{
	struct expected *e = expect_json(place, name, type);

	expect_metric(e, metric);
	snprintf(e->line, sizeof(e->line), "| `%s` | `%s` | %s |", e->name, e->metric, help);
	return (uint64_t)e->value;
}

/* Expect a counter that `clear counters` does not set to zero. */
static uint64_t
expect_kept(const struct place *place, const char *name, enum type type, const char *metric,
		const char *help)
{
	uint64_t value = expect(place, name, type, metric, help);

	expected[n_expected - 1].is_kept = true;
	return value;
}

/*
 * Expect one of the counters by reason. They share a name and a metric. The reason is a label of
 * the metric, and a line of the documentation has it with its text.
 */
static uint64_t
expect_reason(const struct place *place, const char *name, const char *metric, const char *reason,
		const char *text)
{
	struct expected *e = expect_json(place, name, COUNTER);

	expect_metric(e, metric);
	snprintf(e->line, sizeof(e->line), "| `%s` | %s |", reason, text);
	return (uint64_t)e->value;
}

/* Give the counter of `c` a value, which is expected at `place`. */
#define PUT(member, name, type, metric, help) c->member = expect(&place, name, type, metric, help);
#define PUT_OF_BRIDGE(member, name, type, metric, help, of_bridge) \
	PUT(member, name, type, metric, of_bridge)
#define PUT_OF_PORT(member, name, type, metric, help, of_bridge) \
	PUT(member, name, type, metric, help)
/* Do the same for a counter that `clear counters` does not set to zero. */
#define PUT_KEPT(member, name, type, metric, help) \
	c->member = expect_kept(&place, name, type, metric, help);
/* Expect the same counter at another place, where it has no metric. */
#define AGAIN(member, name, ...) expect_json(&place, name, COUNTER)->value = (json_int_t)c->member;

/* Format labels, which stay valid until the end of the test. */
static const char *
labels(const char *format, const char *first, const char *second, const char *third)
{
	static char texts[RTE_DIM(expected)][128];
	char *text = texts[n_expected];

	snprintf(text, sizeof(texts[0]), format, first, second, third);
	return text;
}

/* Expect the notices about a port, by kind. */
static void
expect_port_notices(struct fcn_port_counters *c)
{
	for (unsigned int k = 0; k < fcn_notice_kind_count; k++) {
		const char *kind = fcn_notice_kinds[k]->name;
		const struct place place = {"port", NULL, "notices_by_kind.", "",
				labels("{port=\"p1\",kind=\"%s\"}%s%s", kind, "", "")};
		struct expected *e = expect_json(&place, kind, COUNTER);

		expect_metric(e, "port_notices");
		snprintf(e->line, sizeof(e->line),
				"| `notices_by_kind` | `fastcn_port_notices_total` | ");
		c->notices[k] = (uint64_t)e->value;
	}
}

void
expect_port(struct fcn_port_counters *c)
{
	struct place place = {"port", NULL, "", "", "{port=\"p1\"}"};

	FCN_PORT_TRAFFIC_COUNTERS(PUT)
	FCN_PORT_SHARE_COUNTERS(PUT)
	FCN_PORT_ROCE_COUNTERS(PUT)
	FCN_PORT_LOCAL_COUNTERS(PUT)
	expect_port_notices(c);
	place = (struct place){"pfc", "ports", "frames_", "", "{port=\"p1\"}"};
	FCN_PORT_PFC_COUNTERS(PUT)
	place = (struct place){"port", NULL, "pause_", "", ""};
	FCN_PORT_PFC_COUNTERS(AGAIN)
	place = (struct place){"ioam", "ports", "", "", "{port=\"p1\"}"};
	FCN_IOAM_PORT_COUNTERS(PUT)
	place = (struct place){"proxy option", "ports", "", "", "{port=\"p1\"}"};
	FCN_PROXY_OPTION_COUNTERS(PUT)
	place = (struct place){"border", "ports", "", "", "{port=\"p1\"}"};
	FCN_UNTRUSTED_PORT_COUNTERS(PUT)
}

/* Expect the packets that were dropped, or had a defect, by reason. */
void
expect_reasons(struct fcn_port_counters *c)
{
#define BY(what, name) labels("{port=\"p1\",%s=\"%s\"}%s", what, name, "")
	struct place place = {"drops", NULL, "", "", NULL};

#define DROP(sym, name, text)                    \
	place.labels = BY("reason", name);       \
	c->drop[FCN_DROP_##sym] = expect_reason( \
			&place, "packets", "port_dropped_packets", name, text);
	FCN_DROP_REASONS(DROP)
	place.show = "errors";
#define DEFECT(sym, name, text)                        \
	place.labels = BY("error", name);              \
	c->wire_error[FCN_WIRE_##sym] = expect_reason( \
			&place, "packets", "port_defect_packets", name, text);
	FCN_WIRE_FATAL_ERRORS(DEFECT)
	FCN_WIRE_OTHER_ERRORS(DEFECT)
	place = (struct place){"border", "drops", "", "border_kind_", NULL};
#define BORDER(sym, name, text)                                                                  \
	place.labels = BY("reason", name);                                                       \
	c->border[0][FCN_##sym] = expect_reason(&place, "in", "in_dropped_packets", name, text); \
	place.labels = BY("reason", name);                                                       \
	c->border[1][FCN_##sym] = expect_reason(&place, "out", "out_dropped_packets", name, text);
	FCN_BORDER_KINDS(BORDER)
}

/* Expect the packets that a queue refused or lost, by reason. */
void
expect_queue_reasons(struct fcn_queue_stats *c)
{
	struct place place = {"queue", NULL, "drops.", "", NULL};

#define REFUSAL(sym, name, text)                                                            \
	place.labels = labels("{port=\"p1\",class=\"3\",reason=\"%s\"}%s%s", name, "", ""); \
	c->drop[FCN_REFUSED_##sym] = expect_reason(                                         \
			&place, name, "queue_dropped_packets", name, text);
	FCN_QUEUE_REFUSALS(REFUSAL)
}

/* Expect the packets that met congestion, by verdict. */
void
expect_verdicts(struct fcn_notify_stats *c)
{
	const struct fcn_notice_kind *kind = fcn_notice_kinds[0];

	for (unsigned int v = 1; v < FCN_NOTIFY_VERDICT_COUNT; v++) {
		const char *outcome = fcn_notify_verdict_is_sent(v)         ? "sent"
				      : fcn_notify_verdict_is_suppressed(v) ? "suppressed"
									    : "not due";
		const char *name = fcn_notify_verdict_name(kind, v);
		struct place place = {"notify", "verdicts", "", "",
				labels("{port=\"p1\",class=\"3\",kind=\"%s\",outcome=\"%s\","
				       "verdict=\"%s\"}",
						kind->name, outcome, name)};

		if (fcn_notify_verdict_exists(kind, v))
			c->verdict[v] = expect_reason(&place, "packets", "notify_packets", name,
					fcn_notify_verdict_text(kind, v));
	}
}

void
expect_device(struct fcn_port_device_stats *c)
{
	const struct place place = {"port", NULL, "", "", "{port=\"p1\"}"};

	FCN_PORT_DEVICE_COUNTERS(PUT_KEPT)
}

void
expect_police(struct fcn_port_counters *port)
{
	for (unsigned int k = 0; k < FCN_PUNT_KIND_COUNT; k++) {
		const struct place place = {
				"host police", NULL, "", "", BY("kind", fcn_punt_kind_name(k))};

#define PUT_KIND(member, name, type, metric, help) \
	port->member[k] = expect(&place, name, type, metric, help);
		FCN_POLICE_COUNTERS(PUT_KIND)
	}
}

void
expect_sub_interface(struct fcn_port_counters *c)
{
	const struct place place = {"port", NULL, "", "sub_interface_",
			"{port=\"p1.7\",parent=\"p1\",vlan=\"7\"}"};

	FCN_SUB_INTERFACE_COUNTERS(PUT_OF_PORT)
}

void
expect_bridge_interface(struct fcn_port_counters *c)
{
	const struct place place = {"port", NULL, "", "bridge_interface_",
			"{port=\"br0.20\",bridge=\"br0\",vlan=\"20\"}"};

	FCN_SUB_INTERFACE_COUNTERS(PUT_OF_BRIDGE)
}

void
expect_bridge_port(struct fcn_port_counters *c)
{
	const struct place place = {"bridge", "ports", "", "", "{port=\"p0\"}"};

	FCN_BRIDGE_PORT_COUNTERS(PUT)
}

void
expect_queue(struct fcn_queue_stats *c)
{
	const struct place place = {"queue", NULL, "", "", "{port=\"p1\",class=\"3\"}"};

	FCN_QUEUE_SENT_COUNTERS(PUT)
	FCN_QUEUE_CONGESTION_COUNTERS(PUT)
}

void
expect_detector(struct fcn_detector *c)
{
	const struct place place = {"queue", NULL, "", "", "{port=\"p1\",class=\"3\"}"};

	FCN_DETECTOR_COUNTERS(PUT)
}

void
expect_pause(struct fcn_pause_class_stats *c)
{
	const struct place place = {"pfc", "classes", "", "", "{port=\"p1\",class=\"3\"}"};

	FCN_PAUSE_RECEIVED_COUNTERS(PUT)
	FCN_PAUSE_SENT_COUNTERS(PUT)
}

void
expect_ingress(struct fcn_ingress *c)
{
	const struct place place = {"pfc", "classes", "", "", "{port=\"p1\",class=\"3\"}"};

	FCN_INGRESS_COUNTERS(PUT)
}

void
expect_notices(struct fcn_notice_accounting *c)
{
	const struct place place = {"notify", "kinds", "", "", "{kind=\"fast_cnp\"}"};

	FCN_NOTICE_COUNTERS(PUT)
}

void
expect_notify(struct fcn_notify_state *c)
{
	const struct place place = {"notify", NULL, "total.", "", ""};

	FCN_NOTIFY_STATE_COUNTERS(PUT)
}

void
expect_load(struct fcn_worker_load *c)
{
	const struct place place = {"worker", NULL, "", "", "{worker=\"0\"}"};

	FCN_WORKER_LOAD_COUNTERS(PUT)
}

void
expect_worker(struct fcn_worker *c)
{
	const struct place place = {"worker", NULL, "", "", "{worker=\"0\"}"};

	FCN_WORKER_CROSS_CORE_COUNTERS(PUT_KEPT)
	FCN_WORKER_COUNTERS(PUT)
}

void
expect_segment_list(struct fcn_segment_list_counters *c)
{
	const struct place place = {"srv6 policy", "segment_lists", "", "",
			"{policy=\"toward\",origin=\"config\",list=\"0\"}"};

	FCN_SEGMENT_LIST_COUNTERS(PUT)
}

void
expect_steering(struct fcn_steering_counters *c)
{
	const struct place place = {"srv6 steering", NULL, "", "",
			"{prefix=\"2001:db8:8::/48\",table=\"main\",rule=\"0\",policy="
			"\"toward\"}"};

	FCN_STEERING_COUNTERS(PUT)
}

void
expect_sid(struct fcn_srv6_sid_counters *c)
{
	const struct place place = {"srv6 sid", "sids", "", "",
			"{sid=\"2001:db8:51::/64\",origin=\"config\",behavior=\"end\"}"};

	FCN_SRV6_SID_COUNTERS(PUT)
}

void
expect_tunnel_ecn(uint64_t c[FCN_TUNNEL_ECN_COMBINATION_COUNT])
{
	for (unsigned int i = FCN_TUNNEL_ECN_USED + 1; i < FCN_TUNNEL_ECN_COMBINATION_COUNT; i++) {
		const struct place place = {"srv6 sid", "ecn", "", "",
				labels("{combination=\"%s\"}", fcn_tunnel_ecn_name(i), "", "")};

		c[i] = expect_reason(&place, "packets", "tunnel_ecn_packets",
				fcn_tunnel_ecn_name(i), fcn_tunnel_ecn_text(i));
	}
}

void
expect_endcon(struct fcn_endcon_counters *c)
{
	const struct place place = {"srv6 endcon", NULL, "", "", ""};

	FCN_ENDCON_COUNTERS(PUT)
}

void
expect_arn_held(struct fcn_arn_held *c)
{
	const struct place place = {"arn held", NULL, "", "", ""};

	FCN_ARN_OBEYED_COUNTERS(PUT)
	FCN_ARN_HELD_COUNTERS(PUT)
}

void
expect_arn_sender(struct fcn_arn_sender *c)
{
	const struct place place = {"arn sent", NULL, "", "", ""};

	FCN_ARN_SENDER_COUNTERS(PUT)
}

void
expect_arn_received(struct fcn_arn_received_counters *c)
{
	const struct place place = {"arn received", NULL, "", "", ""};

	FCN_ARN_RECEIVED_COUNTERS(PUT)
}

void
expect_arn_forgotten(struct fcn_arn_received *c)
{
	const struct place place = {"arn received", NULL, "", "", ""};

	FCN_ARN_RECEIVED_FORGOTTEN(PUT)
}

void
expect_arn_edge(struct fcn_arn_edge_state *c)
{
	const struct place place = {"arn passed-on", NULL, "", "", ""};

	FCN_ARN_EDGE_COUNTERS(PUT)
}

void
expect_proxy(struct fcn_proxy_counters *c)
{
	const struct place place = {"proxy", NULL, "", "", ""};

	FCN_PROXY_MESSAGE_COUNTERS(PUT)
	FCN_PROXY_SENT_COUNTERS(PUT)
	FCN_PROXY_SUPPRESSED_COUNTERS(PUT)
	FCN_PROXY_TABLE_COUNTERS(PUT)
}

void
expect_tap(struct fcn_kernel_tap_counts *c)
{
	const struct place place = {
			"kernel", "interfaces", "", "", "{port=\"p1\",interface=\"sw1\"}"};

	FCN_KERNEL_TAP_COUNTERS(PUT)
}

void
expect_kernel_interface(struct fcn_kernel_interface_counts *c)
{
	const struct place place = {
			"kernel", "interfaces", "", "", "{port=\"p1\",interface=\"sw1\"}"};

	FCN_KERNEL_INTERFACE_COUNTERS(PUT)
}

void
expect_host(uint64_t c[FCN_HOST_COUNTER_COUNT])
{
	const struct place place = {"host", NULL, "counters.", "host_", ""};

#define PUT_HOST(sym, name, text) \
	c[FCN_HOST_##sym] = expect_kept(&place, name, COUNTER, name, text);
	FCN_HOST_COUNTERS(PUT_HOST)
}

void
expect_conservation(struct fcn_conservation *c)
{
	const struct place place = {"conservation", NULL, "", "", ""};

	FCN_CONSERVATION_IN_COUNTERS(PUT_KEPT)
	FCN_CONSERVATION_OUT_COUNTERS(PUT_KEPT)
}

void
expect_netlink(struct fcn_netlink_counts *c)
{
	const struct place place = {"kernel", NULL, "counters.", "", ""};

	FCN_NETLINK_COUNTERS(PUT_KEPT)
}

void
expect_store(struct fcn_kernel_counts *c)
{
	const struct place place = {"kernel", NULL, "counters.", "", ""};

	FCN_KERNEL_STORE_COUNTERS(PUT_KEPT)
	FCN_RTNL_UNUSABLE(PUT_KEPT)
}

void
expect_builds(struct fcn_control_kernel_builds *c)
{
	const struct place place = {"kernel", NULL, "counters.", "", ""};

	FCN_CONTROL_KERNEL_COUNTERS(PUT_KEPT)
}

void
expect_scrapes(struct fcn_metrics_server_stats *c)
{
	const struct place place = {"export", NULL, "metrics.", "", ""};

	FCN_METRICS_SERVER_COUNTERS(PUT_KEPT)
}

void
expect_lines(struct fcn_event_log_stats *c)
{
	const struct place place = {"export", NULL, "events.", "", ""};

	FCN_EVENT_LOG_COUNTERS(PUT_KEPT)
}
