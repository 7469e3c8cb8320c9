/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The expectations of each counter of each list: a member in the JSON of its `show`, a metric and a
 * line in doc/counters.md. The expectations are derived from the lists alone, without the code that
 * reads them.
 */

#ifndef COUNTERS_EXPECTED_H
#define COUNTERS_EXPECTED_H

#include <jansson.h>

#include "counters_fake.h"
#include "fcn_kernel_tap.h"
#include "fcn_test.h"

#define EXPECTED_MAX 700

/* Interfaces of the platform: a port of a bridge, a routed port, a sub-interface of that, and an
 * interface of the bridge. */
enum {
	BRIDGED,
	ROUTED,
	SUB_INTERFACE,
	BRIDGE_INTERFACE
};

#define CLASS 3

/* The types of fcn_counter.h. */
enum type {
	COUNTER,
	BYTES,
	SECONDS,
	GAUGE,
	LEVEL,
	DURATION
};

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
	char name[64];
	char metric[96]; /* "": it has none */
	char line[320];  /* of the documentation; "": it has none */
	enum type type;
	json_int_t value;
	bool is_kept; /* it is not set to zero by `clear counters` */
};

/** The expectations so far; n_expected is set to 0 before the first. */
extern struct expected expected[EXPECTED_MAX];
extern unsigned int n_expected;

/* Give each counter of a structure a value of its own, and expect it. */
void expect_port(struct fcn_port_counters *c);
void expect_reasons(struct fcn_port_counters *c);
void expect_queue_reasons(struct fcn_queue_stats *c);
void expect_verdicts(struct fcn_notify_stats *c);
void expect_device(struct fcn_port_device_stats *c);
void expect_police(struct fcn_port_counters *port);
void expect_sub_interface(struct fcn_port_counters *c);
void expect_bridge_interface(struct fcn_port_counters *c);
void expect_bridge_port(struct fcn_port_counters *c);
void expect_queue(struct fcn_queue_stats *c);
void expect_detector(struct fcn_detector *c);
void expect_pause(struct fcn_pause_class_stats *c);
void expect_ingress(struct fcn_ingress *c);
void expect_notices(struct fcn_notice_accounting *c);
void expect_notify(struct fcn_notify_state *c);
void expect_load(struct fcn_worker_load *c);
void expect_worker(struct fcn_worker *c);
void expect_segment_list(struct fcn_segment_list_counters *c);
void expect_steering(struct fcn_steering_counters *c);
void expect_sid(struct fcn_srv6_sid_counters *c);
void expect_tunnel_ecn(uint64_t c[FCN_TUNNEL_ECN_COMBINATION_COUNT]);
void expect_endcon(struct fcn_endcon_counters *c);
void expect_arn_held(struct fcn_arn_held *c);
void expect_arn_sender(struct fcn_arn_sender *c);
void expect_arn_received(struct fcn_arn_received_counters *c);
void expect_arn_forgotten(struct fcn_arn_received *c);
void expect_arn_edge(struct fcn_arn_edge_state *c);
void expect_proxy(struct fcn_proxy_counters *c);
void expect_tap(struct fcn_kernel_tap_counts *c);
void expect_kernel_interface(struct fcn_kernel_interface_counts *c);
void expect_host(uint64_t c[FCN_HOST_COUNTER_COUNT]);
void expect_conservation(struct fcn_conservation *c);
void expect_netlink(struct fcn_netlink_counts *c);
void expect_store(struct fcn_kernel_counts *c);
void expect_builds(struct fcn_control_kernel_builds *c);
void expect_scrapes(struct fcn_metrics_server_stats *c);
void expect_lines(struct fcn_event_log_stats *c);

#endif /* COUNTERS_EXPECTED_H */
