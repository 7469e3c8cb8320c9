/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* What `show` makes of queues, flow control and the buffer, whose state is put there by hand. */

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

TEST(queue)
{
	struct fcn_config *cfg = platform_edit();
	struct fcn_config_queue *q = &cfg->port[0].queue[3];
	json_t *v;

	q->detector.type = FCN_DETECTOR_STEP;
	q->detector.enter = 20000;
	q->committed.bps = 2000000000;
	q->peak.bps = 3000000000;
	q->reserve = 500;
	q->alpha = FCN_RATIO_ONE / 2;
	q->policy.mark_level = 2;
	q->weight = 9;
	cfg->buffer = 100500;
	platform_commit(cfg);
	queue->stats.deq_packets = 10;
	queue->stats.deq_bytes = 9999;
	queue->stats.sojourn[0] = 2;
	queue->stats.sojourn[1] = 3;
	queue->stats.sojourn[12] = 4;
	queue->stats.sojourn[32] = 1;
	queue->stats.drop[FCN_REFUSED_QUEUE_BYTES] = 1;
	queue->stats.drop[FCN_REFUSED_QUEUE_PACKETS] = 2;
	queue->stats.drop[FCN_REFUSED_BUFFER] = 4;
	queue->stats.drop[FCN_REFUSED_PAUSE_STORM] = 8;
	queue->stats.drop_bytes = 1500;
	queue->stats.notices = 77;
	queue->stats.ce_marked = 5;
	queue->charged = 12345;
	w->buffer.shared_used = 40000;
	v = fcn_show_queues(platform.ctl, -1, -1, false);
	/* 3 Gbit/s are fewer packets of 1024 bytes than 1M a second. The sojourn times are 0, [1,
	 * 2), [2048, 4096), [2^31, 2^32) ns. The threshold is 500, and half of the 60000 that are
	 * free of the 100000 to share. */
	platform_shows(v,
			"[{'port': 'p0', 'class': 3, 'packets': 10, 'bytes': 9999, 'weight': 9, "
			"'dropped': 15, 'tail_drops': 3, 'dropped_bytes': 1500, 'notices': 77, "
			"'ce_marked': 5, 'committed_bps': 2000000000, 'peak_bps': 3000000000, "
			"'mark_level': 2, 'notice_bucket': '1000000/s, burst 64', "
			"'ring_bytes': null, 'level': null, "
			"'drops': {'queue_bytes': 1, 'queue_packets': 2, 'buffer': 4, "
			"'lossless_headroom': 0, 'lossless_packets': 0, 'pause_storm': 8}, "
			"'sojourn': [{'from_ns': 0, 'below_ns': 1}, {'from_ns': 1, 'packets': 3}, "
			"{'from_ns': 2048, 'below_ns': 4096}, {'below_ns': 4294967296}], "
			"'thresholds': {'enter_bytes': 20000, 'leave_bytes': 10000}, "
			"'account': {'charged_bytes': 12345, 'reserve_bytes': 500, 'alpha': 0.5, "
			"'threshold_bytes': 30500}}]");
	assert_int_equal(json_object_size(json_object_get(json_array_get(v, 0), "drops")),
			FCN_QUEUE_VERDICT_COUNT - 1);
	json_decref(v);
	queue->charged = 0;
	w->buffer.shared_used = 0;
}

/* Get the occupancies that a reader sees. */
static void
check_occupancy(json_int_t min, json_int_t avg, json_int_t max)
{
	json_t *v = fcn_show_queues(platform.ctl, 0, 3, true);
	const json_t *row = json_array_get(v, 0);

	assert_int_equal(platform_number(row, "occ_min"), min);
	assert_int_equal(platform_number(row, "occ_avg"), avg);
	assert_int_equal(platform_number(row, "occ_max"), max);
	assert_int_equal(platform_number(row, "occ_last"), 600);
	json_decref(v);
}

/* Two readers see the same watermarks, which only `clear watermarks` resets. 1000 bytes for 300 us
 * and 600 for 100 us are 900 in the mean; the switch is at 1 ms. */
TEST(watermarks)
{
	queue->wm_since = 600000;
	queue->wm_at = 900000;
	queue->wm_integral = 300000000;
	queue->bytes = 600;
	queue->wm_min = 500;
	queue->wm_max = 7000;
	check_occupancy(500, 900, 7000);
	check_occupancy(500, 900, 7000);
	fcn_control_clear_counters(platform.ctl, NULL, 0);
	check_occupancy(500, 900, 7000);
	fcn_control_clear_watermarks(platform.ctl, NULL, 0);
	check_occupancy(600, 600, 600);
	queue->bytes = 0;
}

/* Each detector's figures are those in force, under names of their own. */
TEST(thresholds)
{
	static const struct {
		enum fcn_detector_type type;
		const char *key;
		json_int_t value;
	} want[] = {
			/* the port's 10 Gbit/s */
			{FCN_DETECTOR_STEP, "enter_bytes", 40000},
			{FCN_DETECTOR_RED, "kmin_bytes", 40000},
			{FCN_DETECTOR_RED, "kmax_bytes", 160000},
			{FCN_DETECTOR_QCN, "qeq_bytes", 26000},
			{FCN_DETECTOR_QCN, "sample_bytes", 4096},
			{FCN_DETECTOR_QCN, "hold_ns", 20000},
			{FCN_DETECTOR_SOJOURN, "target_ns", 20000},
			{FCN_DETECTOR_SOJOURN, "interval_ns", 100000},
			{FCN_DETECTOR_RATE, "of_bps", 10000000000},
			{FCN_DETECTOR_RATE, "enter_permille", 950},
			{FCN_DETECTOR_RATE, "leave_permille", 855},
			{FCN_DETECTOR_RATE, "window_ns", 10000},
	};

	for (size_t i = 0; i < RTE_DIM(want); i++) {
		struct fcn_config *cfg = platform_edit();
		const json_t *part;
		json_t *v;

		cfg->port[0].queue[3].detector.type = want[i].type;
		platform_commit(cfg);
		v = fcn_show_queues(platform.ctl, 0, 3, true);
		assert_int_equal(json_array_size(v), 1);
		part = json_object_get(json_array_get(v, 0), "thresholds");
		assert_int_equal(platform_number(part, want[i].key), want[i].value);
		json_decref(v);
	}
}

TEST(chosen)
{
	platform_gives(fcn_show_queues(platform.ctl, -1, -1, true),
			"[{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}]");
	platform_gives(fcn_show_queues(platform.ctl, 1, -1, true),
			"[{}, {}, {}, {}, {}, {}, {}, {}]");
	platform_gives(fcn_show_queues(platform.ctl, -1, 5, true), "[{}, {'port': 'p1'}]");
	/* who names one wants to see it */
	platform_gives(fcn_show_queues(platform.ctl, 1, 5, false), "[{}]");
	platform_gives(fcn_show_queues(platform.ctl, -1, 5, false), "[]");
}

TEST(pfc)
{
	struct fcn_config *cfg = platform_edit();
	struct fcn_pause_class_stats *stats = &w->port[0].pause.stats[3];
	struct fcn_ingress *in = &w->ingress[0][3];

	platform_gives(fcn_show_pfc(platform.ctl, -1), "{'ports': []}");
	cfg->buffer = 1000000;
	cfg->port[0].pfc.class[3] = (struct fcn_config_pfc_class){.send = true,
			.receive = true,
			.dynamic = true,
			.alpha = FCN_RATIO_ONE / 8,
			.xon_below = 3000,
			.reserve = 1000,
			.headroom = 99000};
	cfg->port[0].pfc.class[5].receive = true;
	platform_commit(cfg);
	stats->rx_xoff = 1;
	stats->rx_xon = 2;
	stats->rx_ignored = 3;
	stats->rx_ignored_storm = 10;
	stats->tx_xoff = 4;
	stats->tx_xon = 5;
	stats->rx_pause_ns = 6;
	stats->tx_pause_ns = 7;
	stats->storms = 8;
	w->port[0].pause.storm = 1 << 3;
	*in = (struct fcn_ingress){.used = 500,
			.headroom = 100,
			.used_max = 900,
			.headroom_max = 300,
			.lost_packets = 9,
			.lost_bytes = 9000};
	w->buffer.shared_used = 100000;
	w->counters[0].pause_sent = 21;
	w->counters[0].pause_unknown = 22;
	/* The others that the switch consumed are for the host functions, or messages. */
	w->counters[0].consumed = 27;
	w->counters[0].pause_received = 23;
	json_decref(fcn_show_pfc(platform.ctl, -1));
	/* The first threshold is 1000, and an eighth of the 800000 that are free of 900000 to
	 * share.
	 */
	platform_gives(fcn_show_pfc(platform.ctl, -1),
			"{'ports': [{'frames_sent': 21, 'frames_unknown': 22, "
			"'frames_received': 23}], "
			"'classes': [{'class': 3, 'rx_xoff': 1, 'rx_xon': 2, 'rx_ignored': 3, "
			"'rx_ignored_storm': 10, 'tx_xoff': 4, 'tx_xon': 5, 'rx_pause_ns': 6, "
			"'tx_pause_ns': 7, 'storms': 8, 'storm': true, 'stopped': false, "
			"'xoff': 101000, 'xon': 98000, 'used': 500, 'used_max': 900, "
			"'headroom': 99000, 'headroom_used': 100, 'headroom_max': 300, "
			"'lost_packets': 9, 'lost_bytes': 9000}, "
			"{'class': 5, 'receive': true, 'send': false}]}");
	fcn_control_clear_watermarks(platform.ctl, NULL, 0);
	platform_gives(fcn_show_pfc(platform.ctl, 0),
			"{'classes': [{'used_max': 500, 'headroom_max': 100}, {}]}");
	*in = (struct fcn_ingress){0};
	w->buffer.shared_used = 0;
	w->counters[0].pause_sent = w->counters[0].consumed = 0;
	w->counters[0].pause_received = 0;
}

TEST(buffer)
{
	struct fcn_config *cfg = platform_edit();

	cfg->buffer = 1000000;
	cfg->port[1].pfc.class[4].send = true;
	cfg->port[1].pfc.class[4].headroom = 50000;
	cfg->port[1].pfc.class[4].reserve = 10000;
	platform_commit(cfg);
	w->buffer = (struct fcn_buffer){.shared_used = 40000,
			.shared_max = 70000,
			.headroom_used = 1000,
			.headroom_max = 2000};
	queue->charged = 33000;
	w->ingress[1][4].used = 18000;
	w->ingress[1][4].headroom = 1000;
	json_decref(fcn_show_buffer(platform.ctl));
	platform_gives(fcn_show_buffer(platform.ctl),
			"{'size': 1000000, 'shared': 940000, 'shared_used': 40000, "
			"'shared_max': 70000, 'headroom': 50000, 'headroom_used': 1000, "
			"'headroom_max': 2000, "
			"'queues': [{'port': 'p0', 'class': 3, 'used': 33000, "
			"'threshold': 900000}], "
			"'ingress': [{'port': 'p1', 'class': 4, 'used': 18000, "
			"'in_headroom': 1000}]}");
	fcn_control_clear_watermarks(platform.ctl, NULL, 0);
	platform_gives(fcn_show_buffer(platform.ctl),
			"{'shared_max': 40000, 'headroom_max': 1000}");
	queue->charged = 0;
	memset(&w->ingress[1][4], 0, sizeof(w->ingress[1][4]));
	memset(&w->buffer, 0, sizeof(w->buffer));
}

TEST(episodes)
{
	struct fcn_episodes *e = queue->episodes;
	const json_t *row;
	json_t *v;

	assert_non_null(e);
	/* 18 that ended, of which the last 16 are kept; one on another port between them; one lasts
	 */
	for (unsigned int i = 1; i <= 18; i++) {
		fcn_episode_begin(e, i * 1000);
		e->current.peak_bytes = i;
		fcn_episode_end(e, i * 1000 + 300);
	}
	fcn_episode_begin(w->port[1].egress->queue[0].episodes, 17500);
	fcn_episode_end(w->port[1].egress->queue[0].episodes, 17600);
	fcn_episode_begin(e, 900000);
	e->current.notices = 5;
	e->current.marked = 6;
	e->current.dropped = 7;
	e->current.flows = 8;
	e->current.bytes = 9;
	queue->detector.congested = true;
	v = fcn_show_episodes(platform.ctl, -1, -1, UINT32_MAX);
	assert_int_equal(json_array_size(v), 18);
	assert_int_equal(platform_number(json_array_get(v, 0), "start_ns"), 3000);
	assert_int_equal(platform_number(json_array_get(v, 0), "end_ns"), 3300);
	assert_int_equal(platform_number(json_array_get(v, 0), "duration_ns"), 300);
	assert_int_equal(platform_number(json_array_get(v, 0), "peak_bytes"), 3);
	assert_string_equal(platform_string(json_array_get(v, 15), "port"), "p1");
	row = json_array_get(v, 17);
	assert_int_equal(platform_number(row, "start_ns"), 900000);
	assert_true(json_is_null(json_object_get(row, "end_ns")));
	assert_int_equal(platform_number(row, "duration_ns"), 100000); /* it is 1000000 now */
	platform_shows(row, "{'notices': 5, 'marked': 6, 'dropped': 7, 'flows': 8, 'bytes': 9}");
	json_decref(v);
	v = fcn_show_episodes(platform.ctl, 0, -1, 2);
	assert_int_equal(json_array_size(v), 2);
	assert_int_equal(platform_number(json_array_get(v, 0), "start_ns"), 18000);
	json_decref(v);
	platform_gives(fcn_show_episodes(platform.ctl, -1, 0, 9), "[{}]");
	queue->detector.congested = false;
}
