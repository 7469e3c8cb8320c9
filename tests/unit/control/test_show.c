/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* What `show` makes of a worker's state, which is put there by hand. */

#include "show_platform.h"

static struct fcn_worker *w;
static struct fcn_queue *queue; /* class 3 of port 0 */

static int
setup(void **state)
{
	RTE_SET_USED(state);
	return show_platform_setup(&w, &queue, 0);
}

TEST_FIXTURE(FCN_TEST_EAL, .setup = setup, .teardown = platform_teardown);

/* Polls may be 100 us late. */
static int
setup_late(void **state)
{
	RTE_SET_USED(state);
	return show_platform_setup(&w, &queue, 100000);
}

TEST(notify)
{
	struct fcn_notify_stats(*stats)[FCN_NOTIFY_CLASSES] = w->notify[0].stats;
	const json_t *total, *rows;
	json_t *v;

	stats[0][3].verdict[FCN_FASTCNP_SENT_OPT1] = 5;
	stats[0][3].verdict[FCN_NOTIFY_INTERVAL] = 7;
	stats[0][4].verdict[FCN_NOTIFY_BUCKET_QUEUE] = 11;
	stats[1][3].verdict[FCN_NOTIFY_BUCKET_GLOBAL] = 13;
	stats[1][3].verdict[FCN_NOTIFY_INTERVAL] = 17;
	stats[1][3].verdict[FCN_NOTIFY_LIGHT_FLOW] = 19;
	stats[1][3].verdict[FCN_NOTIFY_IPV4] = 1000; /* none was due */
	stats[1][0].verdict[FCN_FASTCNP_SENT_OPT2] = 23;
	w->notify[0].forgotten = 29;
	v = fcn_show_notify(platform.ctl);
	total = json_object_get(v, "total");
	platform_shows(total, "{'sent': 28, 'suppressed': 67, 'wanted': 95, 'forgotten': 29, "
			      "'suppressed_interval': 24, 'suppressed_bucket_queue': 11, "
			      "'suppressed_bucket_global': 13, 'suppressed_light_flow': 19}");
	rows = json_object_get(v, "verdicts");
	assert_int_equal(json_array_size(rows), 8);
	assert_string_equal(platform_string(json_array_get(rows, 2), "verdict"), "bucket_queue");
	assert_int_equal(platform_number(json_array_get(rows, 2), "class"), 4);
	assert_int_equal(platform_number(json_array_get(rows, 2), "packets"), 11);
	assert_string_equal(platform_string(json_array_get(rows, 3), "verdict"), "sent_option2");
	assert_string_equal(platform_string(json_array_get(rows, 3), "port"), "p1");
	json_decref(v);
}

TEST(ioam)
{
	struct fcn_config *cfg = platform_edit();
	const struct fcn_ioam_namespace ns = {.id = 7,
			.short_data = FCN_IOAM_DATA_VALUE,
			.short_value = 0xBEEF,
			.wide_data = FCN_IOAM_DATA_TX_BYTES,
			.schema_id = 3,
			.schema_words = 1,
			.schema = {0x01, 0x23, 0xAB, 0xCD}};
	const json_t *row;
	json_t *v;

	cfg->ioam.node_id = 0x1234;
	cfg->port[0].ioam.transit = true;
	cfg->port[1].ioam.id = FCN_IOAM_NA16;
	assert_int_equal(fcn_list_add(cfg, fcn_list_of("ioam namespace"), &ns, NULL), 0);
	platform_commit(cfg);
	w->counters[0].ioam_written = 1;
	w->counters[0].ioam_overflow = 2;
	w->counters[0].ioam_full = 3;
	w->counters[0].ioam_foreign = 4;
	w->counters[0].ioam_malformed = 5;
	w->counters[0].ioam_stripped = 6;
	v = fcn_show_ioam(platform.ctl);
	assert_int_equal(platform_number(v, "node"), 0x1234);
	assert_true(json_is_null(json_object_get(v, "node_wide")));
	assert_string_equal(platform_string(v, "time"), "ptp");
	assert_int_equal(json_array_size(json_object_get(v, "namespaces")), 2);
	row = json_array_get(json_object_get(v, "namespaces"), 1);
	platform_shows(row, "{'namespace': 7, 'short': '0xbeef', 'wide': 'tx-bytes', 'schema': 3, "
			    "'opaque': '0123abcd'}");
	row = json_array_get(json_object_get(v, "ports"), 0);
	assert_true(show_platform_is_true(row, "transit"));
	platform_shows(row, "{'id': 1, 'written': 1, 'overflow': 2, 'full': 3, 'foreign': 4, "
			    "'malformed': 5, 'stripped': 6}");
	row = json_array_get(json_object_get(v, "ports"), 1);
	assert_true(json_is_null(json_object_get(row, "id")));
	json_decref(v);
}

TEST(events)
{
	struct fcn_event ev = {.type = FCN_EVENT_STORM,
			.time_ns = 5,
			.port = 1,
			.class = 4,
			.occupancy = 77};
	const json_t *row;
	json_t *v;

	for (unsigned int i = 0; i < 3; i++) {
		ev.time_ns++;
		assert_int_equal(rte_ring_sp_enqueue_elem(w->events, &ev, sizeof(ev)), 0);
	}
	ev.type = FCN_EVENT_NOTICE; /* not one of these */
	assert_int_equal(rte_ring_sp_enqueue_elem(w->events, &ev, sizeof(ev)), 0);
	w->events_lost = 9;
	v = fcn_show_events(platform.ctl, 2);
	assert_int_equal(platform_number(v, "records_lost"), 9);
	assert_int_equal(json_array_size(json_object_get(v, "events")), 2);
	row = json_array_get(json_object_get(v, "events"), 0);
	platform_shows(row, "{'time_ns': 7, 'event': 'storm', 'port': 'p1', 'class': 4, "
			    "'occupancy': 77}");
	json_decref(v);
	v = fcn_show_events(platform.ctl, UINT32_MAX);
	assert_int_equal(json_array_size(json_object_get(v, "events")), 3);
	json_decref(v);
}

/* An event about an address that moved says where from, and which it was; others do not. */
TEST(moved)
{
	static const enum fcn_event_type types[] = {
			FCN_EVENT_MAC_FLAPPING, FCN_EVENT_ERR_DISABLED, FCN_EVENT_ERR_RECOVERED};
	struct fcn_event ev = {.port = 1, .in_port = 0, .sender = {2, 0, 0, 0, 0xAB, 9}};
	json_t *v;

	for (size_t i = 0; i < RTE_DIM(types); i++) {
		const json_t *row;

		ev.type = types[i];
		assert_int_equal(rte_ring_sp_enqueue_elem(w->events, &ev, sizeof(ev)), 0);
		v = fcn_show_events(platform.ctl, 1);
		row = json_array_get(json_object_get(v, "events"), 0);
		assert_string_equal(platform_string(row, "event"), fcn_event_name(types[i]));
		assert_string_equal(platform_string(row, "port"), "p1");
		if (types[i] == FCN_EVENT_ERR_RECOVERED) {
			assert_true(json_is_null(json_object_get(row, "from")));
			assert_true(json_is_null(json_object_get(row, "mac")));
		} else {
			platform_shows(row, "{'from': 'p0', 'mac': '02:00:00:00:ab:09'}");
		}
		json_decref(v);
	}
}

/* Of the packets that the switch generates, only those for congestion are notices. */
TEST(port)
{
	const json_t *kinds;
	json_t *v;

	w->counters[0].generated = 10;
	w->counters[0].notices[FCN_NOTICE_FAST_CNP] = 1;
	w->counters[0].notices[FCN_NOTICE_CNM] = 2;
	w->counters[0].pause_sent = 4;
	w->counters[0].arn_sent = 2;
	w->counters[0].proxy_sent = 1;
	w->counters[0].consumed = 3;
	v = fcn_show_ports(platform.ctl, 0);
	kinds = json_object_get(json_array_get(v, 0), "notices_by_kind");
	assert_int_equal(platform_number(json_array_get(v, 0), "notices"), 3);
	assert_int_equal(json_object_size(kinds), fcn_notice_kind_count);
	platform_shows(kinds, "{'fast_cnp': 1, 'endcon': 0, 'cnm': 2}");
	assert_int_equal(platform_number(json_array_get(v, 0), "pause_sent"), 4);
	assert_int_equal(platform_number(json_array_get(v, 0), "consumed"), 3);
	json_decref(v);
	platform_gives(fcn_show_conservation(platform.ctl), "{'consumed': 3, 'generated': 10}");
	memset(&w->counters[0], 0, sizeof(w->counters[0]));
}

/* A full queue's drops stand at the port the packets came in by, and name the queue. */
TEST(drops)
{
	const json_t *row, *queues;
	json_t *v;

	w->counters[1].drop[FCN_DROP_QUEUE_BYTES] = 7;
	w->counters[1].drop[FCN_DROP_NO_ROUTE] = 2;
	queue->stats.drop[FCN_REFUSED_QUEUE_BYTES] = 7;
	queue->stats.drop[FCN_REFUSED_BUFFER] = 4;
	w->port[1].egress->queue[7].stats.drop[FCN_REFUSED_QUEUE_BYTES] = 1;
	v = fcn_show_drops(platform.ctl);
	assert_int_equal(json_array_size(v), 2);
	for (size_t i = 0; i < 2; i++) {
		row = json_array_get(v, i);
		assert_string_equal(platform_string(row, "port"), "p1");
		queues = json_object_get(row, "queues");
		if (strcmp(platform_string(row, "reason"), "no_route") == 0) {
			assert_null(queues);
			continue;
		}
		platform_shows(row, "{'reason': 'queue_bytes', 'packets': 7}");
		assert_int_equal(json_array_size(queues), 2);
		assert_string_equal(json_string_value(json_array_get(queues, 0)), "p0/3");
		assert_string_equal(json_string_value(json_array_get(queues, 1)), "p1/7");
	}
	json_decref(v);
	memset(w->counters, 0, sizeof(w->counters)); /* there were no packets */
}

/* 20 Mb/s for 1.23 ms are 3075 bytes; only the default burst gets a hint, and only a late worker.
 */
TEST_WITH(shaper_hint, setup_late, platform_teardown)
{
	struct fcn_config *cfg = platform_edit();
	json_t *v;

	cfg->port[0].rate_bps = 20000000;
	cfg->port[1].rate_bps = 20000000;
	cfg->port[1].burst = 1000;
	platform_commit(cfg);
	w->load.longest_ns = 100000;
	v = fcn_show_ports(platform.ctl, 0);
	assert_null(json_object_get(json_array_get(v, 0), "shaper_hint"));
	json_decref(v);
	w->load.longest_ns = 1230000;
	v = fcn_show_ports(platform.ctl, -1);
	assert_string_equal(platform_string(json_array_get(v, 0), "shaper_hint"),
			"The shaper makes up for 100us, and its worker once came back only after "
			"1.3ms; \"set port p0 rate 20M burst 3100\" keeps the rate then.");
	assert_null(json_object_get(json_array_get(v, 1), "shaper_hint"));
	json_decref(v);
}

/* The share of time stays right over years. */
TEST(busy)
{
	const uint64_t day = 86400ull * 1000000000;
	json_t *v;

	for (uint64_t days = 1; days < 20000; days *= 2) {
		w->load.busy_ns = 3 * days * day;
		w->load.idle_ns = 5 * days * day;
		v = fcn_show_workers(platform.ctl);
		assert_true(json_real_value(json_object_get(
					    json_array_get(v, 0), "busy_percent")) == 37.5);
		json_decref(v);
	}
	memset(&w->load, 0, sizeof(w->load));
}

/* Shares, and cycles a packet and a call. What nobody called is not listed. */
TEST(stage_cycles)
{
	struct fcn_stage_work *work = w->stage_cycles.sum;
	json_t *v, *rows, *row;

	work[FCN_STAGE_RX] = (struct fcn_stage_work){.cycles = 1001, .packets = 50, .calls = 2};
	work[FCN_STAGE_ROUTE] = (struct fcn_stage_work){.cycles = 2002, .packets = 40, .calls = 2};
	work[FCN_STAGE_NOTICE] = (struct fcn_stage_work){.cycles = 7}; /* never called */
	work[FCN_CYCLES_OTHER] = (struct fcn_stage_work){.cycles = 990, .packets = 50, .calls = 2};
	work[FCN_CYCLES_IDLE] = (struct fcn_stage_work){.cycles = 300, .calls = 3};
	w->stage_cycles.left_out = 4;
	v = fcn_show_stage_cycles(platform.ctl);
	assert_true(json_is_false(json_object_get(v, "measure")));
	assert_true(json_is_false(json_object_get(v, "available")));
	assert_int_equal(json_integer_value(json_object_get(v, "left_out_turns")), 4);
	rows = json_object_get(v, "workers");
	assert_int_equal(json_array_size(rows), 5);
	row = json_array_get(rows, 0);
	assert_string_equal(platform_string(row, "stage"), "rx");
	assert_int_equal(json_integer_value(json_object_get(row, "worker")), 0);
	assert_true(json_real_value(json_object_get(row, "cycles_per_packet")) == 20.0);
	assert_true(json_real_value(json_object_get(row, "cycles_per_call")) == 500.5);
	assert_true(json_real_value(json_object_get(row, "percent")) == 25.0);
	rows = json_object_get(v, "total");
	assert_int_equal(json_array_size(rows), 5);
	row = json_array_get(rows, 1);
	assert_string_equal(platform_string(row, "stage"), "route");
	assert_true(json_real_value(json_object_get(row, "cycles_per_packet")) == 50.0);
	row = json_array_get(rows, 3);
	assert_string_equal(platform_string(row, "stage"), "all");
	assert_int_equal(json_integer_value(json_object_get(row, "cycles")), 4000);
	assert_true(json_real_value(json_object_get(row, "cycles_per_packet")) == 80.0);
	row = json_array_get(rows, 4);
	assert_string_equal(platform_string(row, "stage"), "idle");
	assert_true(json_is_null(json_object_get(row, "percent")));
	assert_true(json_real_value(json_object_get(row, "cycles_per_call")) == 100.0);
	json_decref(v);
	memset(&w->stage_cycles, 0, sizeof(w->stage_cycles));
}

TEST(epoch)
{
	assert_int_equal(w->epoch_ns, 0);
	fcn_control_set_epoch(platform.ctl, 1234567890123456789);
	assert_int_equal(w->epoch_ns, 1234567890123456789);
}
