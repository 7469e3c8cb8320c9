/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Metrics as text: from JSON written by hand, line by line. */

#include <errno.h>

#include "fcn_metrics.h"
#include "fcn_test.h"

/* What show says; by name. */
static const struct {
	const char *show, *json;
} shows[] = {
		{"version", "{\"fastcn\": \"1\", \"dpdk\": \"a\\\"b\\\\c\\nd\"}"},
		{"port", "[{\"port\": \"p1\", \"rx_packets\": 18446744073709, \"tx_bytes\": 7,"
			 " \"link_bps\": 10000000004, \"ring_bytes\": null},"
			 " {\"port\": \"p2\", \"rx_packets\": 0, \"ring_bytes\": 5},"
			 " {\"port\": \"p2.7\", \"parent\": \"p2\", \"vlan\": 7, \"rx_packets\": 3,"
			 " \"tx_bytes\": 4, \"consumed\": 2, \"kind\": \"vlan\"},"
			 " {\"port\": \"host\", \"parent\": \"b1\", \"bridge\": \"b1\", \"vlan\": "
			 "1,"
			 " \"kind\": \"bridge\", \"rx_packets\": 5, \"tx_bytes\": 6}]"},
		{"bridge", "[{\"bridge\": \"b1\", \"ports\": [{\"port\": \"p1\", \"macs\": 3},"
			   " {\"port\": \"p2\", \"macs\": 0}]},"
			   " {\"bridge\": \"b2\", \"ports\": []},"
			   " {\"bridge\": \"b3\", \"ports\": [{\"port\": \"p3\", \"macs\": 5}]}]"},
		{"queue", "[{\"port\": \"p1\", \"class\": 3, \"congested\": true, \"level\": null,"
			  " \"account\": {\"charged_bytes\": 9}, \"drops\": {\"a\": 1, \"b\": 2},"
			  " \"sojourn\": [{\"from_ns\": 0, \"below_ns\": 1, \"packets\": 5},"
			  " {\"from_ns\": 128, \"below_ns\": 256, \"packets\": 7},"
			  " {\"from_ns\": 256, \"below_ns\": 512, \"packets\": 11},"
			  " {\"from_ns\": 2147483648, \"below_ns\": 4294967296, \"packets\": 13}]},"
			  " {\"port\": \"p1\", \"class\": 4, \"congested\": false, \"level\": 7,"
			  " \"account\": null, \"sojourn\": []}]"},
		{"pfc", "{\"ports\": [], \"classes\": [{\"port\": \"p1\", \"class\": 0,"
			" \"rx_pause_ns\": 1000000001}]}"},
		{"notify", "{\"verdicts\": [{\"port\": \"p1\", \"class\": 3, \"kind\": "
			   "\"fast_cnp\","
			   " \"outcome\": \"sent\", \"verdict\": \"sent_option1\", \"packets\": "
			   "44}]}"},
		{"conservation", "{\"received\": 3, \"ok\": true}"},
};

static unsigned int asked[RTE_DIM(shows)];

static json_t *
get(void *arg, const char *show)
{
	RTE_SET_USED(arg);
	for (size_t i = 0; i < RTE_DIM(shows); i++) {
		json_error_t error;
		json_t *v;

		if (strcmp(shows[i].show, show) != 0)
			continue;
		asked[i]++;
		v = json_loads(shows[i].json, 0, &error);
		if (v == NULL)
			fail_msg("%s: %s", show, error.text);
		return v;
	}
	return json_null();
}

static char *
text_of(enum fcn_metrics_format format)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	memset(asked, 0, sizeof(asked));
	assert_int_equal(fcn_metrics_write(out, format, get, NULL), 0);
	assert_int_equal(fclose(out), 0);
	return text;
}

/* These lines, one after the other, and then a family's end. */
static void
assert_family(const char *text, const char *lines)
{
	const char *at = strstr(text, lines);

	if (at == NULL)
		fail_msg("no\n%s\nin\n%s", lines, text);
	assert_true(at == text || at[-1] == '\n');
	assert_true(strncmp(at + strlen(lines), "# ", 2) == 0);
}

TEST(openmetrics)
{
	char *text = text_of(FCN_METRICS_OPENMETRICS);

	assert_family(text, "# TYPE fastcn_build info\n"
			    "# HELP fastcn_build Versions of fastcn and DPDK.\n"
			    "fastcn_build_info{fastcn=\"1\",dpdk=\"a\\\"b\\\\c\\nd\"} 1\n");
	assert_family(text, "# TYPE fastcn_port_received_packets counter\n"
			    "# HELP fastcn_port_received_packets Frames received.\n"
			    "fastcn_port_received_packets_total{port=\"p1\"} 18446744073709\n"
			    "fastcn_port_received_packets_total{port=\"p2\"} 0\n");
	assert_family(text, "# TYPE fastcn_port_transmitted_bytes counter\n"
			    "# UNIT fastcn_port_transmitted_bytes bytes\n"
			    "# HELP fastcn_port_transmitted_bytes Bytes passed to the port's "
			    "device for transmission, "
			    "without FCS.\n"
			    "fastcn_port_transmitted_bytes_total{port=\"p1\"} 7\n");
	/* a sub-interface is no port where its packets are the port's, too */
	assert_family(text, "# TYPE fastcn_sub_interface_received_packets counter\n# HELP "
			    "fastcn_sub_interface_received_packets Packets received by the "
			    "sub-interface; its port counts them, "
			    "too.\nfastcn_sub_interface_received_packets_total{port=\"p2.7\","
			    "parent=\"p2\",vlan=\"7\"} "
			    "3\n");
	/* nor is the interface of a bridge, and it is no sub-interface either */
	assert_family(text, "# TYPE fastcn_bridge_interface_received_packets counter\n# "
			    "HELP fastcn_bridge_interface_received_packets Frames that the "
			    "bridge delivered to the bridge interface, including copies of "
			    "frames to groups; the ports of the bridge count them, "
			    "too.\nfastcn_bridge_interface_received_packets_total{port=\"host\","
			    "bridge=\"b1\",vlan=\"1\"} "
			    "5\n");
	assert_null(strstr(text, "fastcn_port_received_packets_total{port=\"host\"}"));
	assert_non_null(strstr(text, "\nfastcn_port_consumed_packets_total{port=\"p2.7\"} 2\n"));
	/* rows that stand in each row of a list */
	assert_family(text, "# TYPE fastcn_bridge_port_mac_addresses gauge\n# HELP "
			    "fastcn_bridge_port_mac_addresses MAC addresses learned on the "
			    "port of a "
			    "bridge.\nfastcn_bridge_port_mac_addresses{port=\"p1\"} "
			    "3\nfastcn_bridge_port_mac_addresses{port=\"p2\"} "
			    "0\nfastcn_bridge_port_mac_addresses{port=\"p3\"} 5\n");
	/* null is no sample; bits a second are bytes a second; state is 0 and 1 */
	assert_non_null(strstr(text, "\nfastcn_port_ring_bytes{port=\"p2\"} 5\n"));
	assert_null(strstr(text, "fastcn_port_ring_bytes{port=\"p1\"}"));
	assert_non_null(strstr(
			text, "\nfastcn_port_link_bytes_per_second{port=\"p1\"} 1250000000.5\n"));
	assert_non_null(strstr(text, "\nfastcn_queue_congested{port=\"p1\",class=\"3\"} 1\n"
				     "fastcn_queue_congested{port=\"p1\",class=\"4\"} 0\n"));
	assert_non_null(strstr(text, "\nfastcn_queue_congestion_level{port=\"p1\",class=\"4\"} "
				     "7\n# "));
	assert_null(strstr(text, "fastcn_queue_congestion_level{port=\"p1\",class=\"3\"}"));
	/* a member within a member; values by name */
	assert_non_null(strstr(text, "\nfastcn_queue_buffer_charged_bytes{port=\"p1\",class=\"3\"} "
				     "9\n# "));
	assert_non_null(strstr(text,
			"\nfastcn_queue_dropped_packets_total{port=\"p1\",class=\"3\",reason=\"a\"}"
			" 1\n"
			"fastcn_queue_dropped_packets_total{port=\"p1\",class=\"3\",reason=\"b\"}"
			" 2\n# "));
	/* nanoseconds are seconds, exactly */
	assert_non_null(strstr(text, "\nfastcn_pfc_paused_seconds_total{port=\"p1\",class=\"0\"} "
				     "1.000000001\n"));
	assert_non_null(strstr(text, "\nfastcn_notify_packets_total{port=\"p1\",class=\"3\",kind="
				     "\"fast_cnp\",outcome=\"sent\","
				     "verdict=\"sent_option1\"} 44\n"));
	assert_non_null(strstr(text, "\nfastcn_conservation_balanced 1\n"));
	assert_non_null(strstr(text, "\nfastcn_conservation_received_packets_total 3\n"));
	assert_string_equal(text + strlen(text) - 6, "# EOF\n");
	/* what a show has is asked for once */
	for (size_t i = 0; i < RTE_DIM(asked); i++)
		assert_int_equal(asked[i], 1);
	free(text);
}

/* 5 waited nothing, 7 up to 255 ns, 11 up to 511 ns, 13 longer than the last bound. */
TEST(histogram)
{
	char *text = text_of(FCN_METRICS_OPENMETRICS);
	const char *name = "\nfastcn_queue_sojourn_seconds_bucket{port=\"p1\",class=\"3\",le=\"";
	const char *at = strstr(text, name);
	unsigned int n = 0;

	assert_non_null(at);
	assert_non_null(strstr(text, "class=\"3\",le=\"2.55e-07\"} 12\n"));
	assert_non_null(strstr(text, "class=\"3\",le=\"5.11e-07\"} 23\n"));
	assert_non_null(strstr(text, "class=\"3\",le=\"1.073741823\"} 23\n"));
	assert_non_null(strstr(text, "class=\"3\",le=\"+Inf\"} 36\n"));
	assert_non_null(strstr(text, "class=\"4\",le=\"+Inf\"} 0\n"));
	for (; at != NULL; at = strstr(at + 1, name))
		n++;
	assert_int_equal(n, 23 + 1); /* 2^8 to 2^30, and infinity */
	/* OpenMetrics has no count without a sum */
	assert_null(strstr(text, "sojourn_seconds_count"));
	assert_null(strstr(text, "sojourn_seconds_sum"));
	free(text);
}

TEST(text)
{
	char *text = text_of(FCN_METRICS_TEXT);

	assert_family(text, "# TYPE fastcn_build_info gauge\n"
			    "# HELP fastcn_build_info Versions of fastcn and DPDK.\n"
			    "fastcn_build_info{fastcn=\"1\",dpdk=\"a\\\"b\\\\c\\nd\"} 1\n");
	assert_family(text, "# TYPE fastcn_port_transmitted_bytes_total counter\n"
			    "# HELP fastcn_port_transmitted_bytes_total Bytes passed to the port's "
			    "device for transmission, "
			    "without FCS.\n"
			    "fastcn_port_transmitted_bytes_total{port=\"p1\"} 7\n");
	assert_non_null(strstr(text, "\nfastcn_queue_sojourn_seconds_count{port=\"p1\",class=\"3\"}"
				     " 36\n"));
	assert_null(strstr(text, "# UNIT"));
	assert_null(strstr(text, "# EOF"));
	free(text);
}

TEST(choice)
{
	static const struct {
		const char *accept;
		enum fcn_metrics_format format;
	} cases[] = {
			{NULL, FCN_METRICS_OPENMETRICS},
			{"*/*", FCN_METRICS_OPENMETRICS},
			/* Prometheus 2.42's, shortened */
			{"application/openmetrics-text;version=1.0.0,text/"
			 "plain;version=0.0.4;q=0.5",
					FCN_METRICS_OPENMETRICS},
			{"text/plain;version=0.0.4", FCN_METRICS_TEXT},
			{"Text/Plain", FCN_METRICS_TEXT},
			/* RFC 9110 section 12.4.2: 0 is not acceptable, and otherwise the highest
			 */
			{"application/openmetrics-text;q=0", FCN_METRICS_TEXT},
			{"application/openmetrics-text;version=1.0.0;q=0, text/plain",
					FCN_METRICS_TEXT},
			{"application/openmetrics-text; q=0.000,*/*", FCN_METRICS_TEXT},
			{"text/plain;q=0", FCN_METRICS_OPENMETRICS},
			{"text/plain;q=0, */*", FCN_METRICS_OPENMETRICS},
			{"application/openmetrics-text;q=0.3,text/plain;q=0.5", FCN_METRICS_TEXT},
			{"text/plain;q=0.3,application/openmetrics-text;Q=0.301",
					FCN_METRICS_OPENMETRICS},
			{"text/*", FCN_METRICS_TEXT},
			{"application/*;q=0.1,text/*;q=0", FCN_METRICS_OPENMETRICS},
			{"*/*;q=0.9,text/plain;q=0.8", FCN_METRICS_OPENMETRICS},
			{"text/plain,*/*", FCN_METRICS_TEXT},
			{"application/openmetrics-text-not, text/plain", FCN_METRICS_TEXT},
			/* Neither is: as if nothing had been said. */
			{"text/html", FCN_METRICS_OPENMETRICS},
			{"*/*;q=0", FCN_METRICS_OPENMETRICS},
			{"", FCN_METRICS_OPENMETRICS},
			{",,;q=,text/plain;q=x", FCN_METRICS_TEXT},
			/* Prometheus 3 */
			{"application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.5,"
			 "text/plain;version=1.0.0;escaping=allow-utf-8;q=0.3,*/*;q=0.2",
					FCN_METRICS_OPENMETRICS},
	};

	for (size_t i = 0; i < RTE_DIM(cases); i++)
		assert_int_equal(fcn_metrics_choose(cases[i].accept), cases[i].format);
}

/* Names say their unit, and none is there twice. */
TEST(declarations)
{
	const struct fcn_metric_rows *r, *r2;
	const struct fcn_metric *m, *m2;

	FCN_METRIC_FOREACH (r, m) {
		size_t len = strlen(m->name);

		assert_true(m->type == FCN_METRIC_INFO || m->member != NULL);
		assert_true(m->help[strlen(m->help) - 1] != '.');
		FCN_METRIC_FOREACH (r2, m2)
			assert_true(m == m2 || strcmp(m->name, m2->name) != 0);
		assert_int_equal(strspn(m->name, "abcdefghijklmnopqrstuvwxyz_"), len);
		if (m->unit != NULL) {
			assert_true(len > strlen(m->unit));
			assert_string_equal(m->name + len - strlen(m->unit), m->unit);
		}
	}
}

static json_t *
get_nothing(void *arg, const char *show)
{
	RTE_SET_USED(arg);
	return strcmp(show, "port") == 0 ? NULL : json_null();
}

/* Without memory for one of the shows there are no metrics, rather than some. */
TEST(no_memory)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_int_equal(fcn_metrics_write(out, FCN_METRICS_TEXT, get_nothing, NULL), -ENOMEM);
	fclose(out);
	free(text);
}

static char *
reference(void)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	fcn_metrics_reference(out);
	assert_int_equal(fclose(out), 0);
	return text;
}

/* The documentation names each metric as OpenMetrics has its samples, and where it comes from. */
TEST(reference)
{
	static const char *const rows[] = {
			"| metric | type | labels | meaning | from |\n|---|---|---|---|---|\n"
			"| `fastcn_build_info` | info | fastcn dpdk | Versions of fastcn and DPDK "
			"| `show version` |\n",
			("\n| `fastcn_port_received_packets_total` | counter | port | "
			 "Frames received | `show port`, rx_packets |\n"),
			"\n| `fastcn_bridge_port_mac_addresses` | gauge | port | MAC addresses "
			"learned on the port of a bridge | `show bridge`, ports.macs |\n",
			"\n| `fastcn_queue_dropped_packets_total` | counter | port class reason | ",
			"\n| `fastcn_queue_sojourn_seconds` | histogram | port class | ",
	};
	char *text = reference(), *metrics = text_of(FCN_METRICS_OPENMETRICS), *line, *rest;
	unsigned int n_rows = 0, n_families = 0, n_metrics = 0;

	for (size_t i = 0; i < RTE_DIM(rows); i++)
		assert_non_null(strstr(text, rows[i]));
	for (const char *at = text; (at = strstr(at, "\n| `fastcn_")) != NULL; at++)
		n_rows++;
	/* each family that there is */
	for (line = strtok_r(metrics, "\n", &rest); line != NULL;
			line = strtok_r(NULL, "\n", &rest)) {
		char name[128], type[32], row[256];

		if (sscanf(line, "# TYPE %127s %31s", name, type) != 2)
			continue;
		snprintf(row, sizeof(row), "\n| `%s%s` | %s | ", name,
				strcmp(type, "counter") == 0 ? "_total"
				: strcmp(type, "info") == 0  ? "_info"
							     : "",
				type);
		if (strstr(text, row) == NULL)
			fail_msg("no row%s", row);
		n_families++;
	}
	assert_int_equal(n_rows, n_families);
	for (size_t i = 0; i < fcn_metric_rows_n; i++)
		n_metrics += fcn_metric_rows[i].n;
	assert_int_equal(n_rows, n_metrics);
	free(metrics);
	free(text);
}
