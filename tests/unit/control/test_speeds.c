/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Defaults by the speed of a link: they are those of the table in doc/congestion.md, which is
 * arithmetic on paper, and contradict each other at no speed, with any detector, lossless or not,
 * with or without a shared buffer.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fcn_build.h"
#include "fcn_test.h"

#define SMALLEST 60 /* bytes of the shortest frame, without FCS */
#define PORTS 4

/* A line of the table. Times are in ns. */
struct row {
	char speed[8];
	uint64_t bps;
	uint32_t enter, kmax, limit, packets, qeq, headroom;
	uint64_t target, window;
};

static struct row table[32];
static unsigned int n_rows;

static struct fcn_config *cfg;
static struct fcn_warnings warnings;
static struct fcn_build_env env;
static struct fcn_snapshot *s;

static uint64_t
bps_of(const char *text)
{
	char *unit;
	double n = strtod(text, &unit);

	switch (*unit) {
	case 'M':
		return (uint64_t)(n * 1e6);
	case 'G':
		return (uint64_t)(n * 1e9);
	default:
		return (uint64_t)(n * 1e12);
	}
}

/* Read the lines of the table, which begin with a speed. */
static int
read_table(void **state)
{
	FILE *in = fopen(SPEEDS_PAGE, "re");
	char line[512];

	if (in == NULL || fcn_test_eal_init(state) != 0)
		return -1;
	while (fgets(line, sizeof(line), in) != NULL && n_rows < RTE_DIM(table)) {
		struct row r = {.bps = 0};

		if (sscanf(line,
				    "| %7[0-9.MGT] | %u | %u | %u | %u | %u | %" SCNu64
				    " ns | %" SCNu64 " ns | %u |",
				    r.speed, &r.enter, &r.kmax, &r.limit, &r.packets, &r.qeq,
				    &r.target, &r.window, &r.headroom) != 9)
			continue;
		r.bps = bps_of(r.speed);
		table[n_rows++] = r;
	}
	fclose(in);
	return 0;
}

static int
setup(void **state)
{
	RTE_SET_USED(state);
	env = (struct fcn_build_env){
			.name = "speeds", .socket = SOCKET_ID_ANY, .warnings = &warnings};
	cfg = fcn_config_create();
	for (unsigned int p = 0; p < PORTS; p++) {
		char name[8];

		snprintf(name, sizeof(name), "p%u", p);
		if (cfg == NULL || fcn_config_port_add(cfg, name) != (int)p)
			return -1;
	}
	return 0;
}

static int
teardown(void **state)
{
	RTE_SET_USED(state);
	fcn_snapshot_free(s);
	s = NULL;
	fcn_config_free(cfg);
	return 0;
}

TEST_FIXTURE(.begin = read_table, .end = fcn_test_eal_cleanup, .setup = setup,
		.teardown = teardown);

/* Build the snapshot of links with this speed. Nothing is refused, and nothing is warned of but a
 * buffer that has no room for the headrooms, if it is. */
static const struct fcn_queue_conf *
build_with(uint64_t bps, bool too_small)
{
	char err[256] = "";

	fcn_snapshot_free(s);
	env.generation++;
	for (unsigned int p = 0; p < PORTS; p++)
		env.port[p].link_bps = bps;
	s = fcn_snapshot_build(cfg, &env, err, sizeof(err));
	if (s == NULL)
		fail_msg("%s", err);
	if (too_small) {
		assert_int_equal(warnings.n, 1);
		assert_int_equal(warnings.item[0].kind, FCN_WARNING_HEADROOM);
		warnings.n = 0;
	}
	if (warnings.n != 0)
		fail_msg("%" PRIu64 ": %s: %s", bps, warnings.item[0].place,
				warnings.item[0].reason);
	return &s->port[0].egress.queue[3];
}

static const struct fcn_queue_conf *
build(uint64_t bps)
{
	return build_with(bps, false);
}

static void
set_detector(enum fcn_detector_type type)
{
	for (unsigned int p = 0; p < PORTS; p++)
		cfg->port[p].queue[3].detector.type = type;
}

static void
set_lossless(bool on)
{
	for (unsigned int p = 0; p < PORTS; p++)
		cfg->port[p].pfc.class[3].send = on;
}

TEST(table)
{
	assert_in_range(n_rows, 14, RTE_DIM(table) - 1);
	set_lossless(true);
	for (unsigned int i = 0; i < n_rows; i++) {
		const struct row *r = &table[i];
		const struct fcn_queue_conf *q;

		set_detector(FCN_DETECTOR_RED);
		q = build(r->bps);
		assert_int_equal(q->limit_bytes, r->limit);
		assert_int_equal(q->limit_packets, r->packets);
		assert_int_equal(q->detector.enter, r->enter);
		assert_int_equal(q->detector.kmax, r->kmax);
		assert_int_equal(q->detector.limit, r->limit);
		assert_int_equal(s->port[0].ingress[3].xoff, r->enter);
		assert_int_equal(s->port[0].ingress[3].headroom, r->headroom);
		set_detector(FCN_DETECTOR_STEP);
		assert_int_equal(build(r->bps)->detector.enter, r->enter);
		set_detector(FCN_DETECTOR_QCN);
		assert_int_equal(build(r->bps)->detector.qeq, r->qeq);
		set_detector(FCN_DETECTOR_SOJOURN);
		q = build(r->bps);
		assert_int_equal(q->detector.enter, r->target);
		assert_int_equal(q->detector.interval_ns, 5 * r->target);
		set_detector(FCN_DETECTOR_RATE);
		assert_int_equal(build(r->bps)->detector.interval_ns, r->window);
	}
}

/* Check what must hold of a detector whose queue can hold `room` bytes. */
static void
check_detector(const struct fcn_queue_conf *q, uint64_t bps, uint32_t room)
{
	const struct fcn_detector_conf *d = &q->detector;
	const uint64_t drain = (uint64_t)room * 8 * 1000000000 / bps;

	switch (d->type) {
	case FCN_DETECTOR_RED:
		assert_true(d->enter < d->kmax && d->kmax <= room);
		/* fall through */
	case FCN_DETECTOR_STEP:
		/* Several queues can be congested at once before they drop. */
		assert_true(d->leave < d->enter && d->enter < room / 4);
		break;
	case FCN_DETECTOR_QCN:
		/* From 5 * qeq above it on, the level is the highest. */
		assert_true(d->leave < d->qeq && d->qeq < room / 4);
		break;
	case FCN_DETECTOR_SOJOURN:
		/* No time is longer than what 32 bits hold, 4.29 s. */
		assert_true(d->leave < d->enter && d->enter < drain);
		assert_true(d->interval_ns >= d->enter);
		break;
	case FCN_DETECTOR_RATE:
		/* One frame in eight windows is not the rate. */
		assert_true(1514 * UINT64_C(8) * 1000000000 / bps <= d->interval_ns + 1);
		assert_true(d->leave < d->enter);
		break;
	default:
		break;
	}
	if (d->type == FCN_DETECTOR_OFF || d->type == FCN_DETECTOR_QCN)
		return;
	for (unsigned int l = 1; l <= FCN_LEVEL_MAX; l++)
		assert_true(d->level_from[l] > d->level_from[l - 1]);
	assert_true(d->level_from[FCN_LEVEL_MAX] <= d->limit);
}

static void
check_lossless(const struct fcn_queue_conf *q)
{
	uint64_t bytes = 0;

	for (unsigned int p = 0; p < PORTS; p++) {
		const struct fcn_ingress_conf *in = &s->port[p].ingress[3];

		assert_true(in->xon < in->xoff && in->headroom > 0);
		bytes += in->xoff + in->headroom;
	}
	/* All that the senders send until they pause can leave by one queue. */
	if (q->slots < 65536)
		assert_true((uint64_t)q->slots * 512 >= bytes);
}

/* All detectors, lossless or not, without and with a shared buffer, at all speeds. */
TEST(no_contradiction)
{
	static const uint64_t buffers[] = {0, 1000000, 4000000, 12000000, 64000000, 256000000};

	for (unsigned int i = 0; i < n_rows * FCN_DETECTOR_TYPE_COUNT * RTE_DIM(buffers) * 2; i++) {
		const struct row *r = &table[i % n_rows];
		const unsigned int kind = i / n_rows;
		const bool lossless = kind % 2 != 0;
		const struct fcn_queue_conf *q;
		uint64_t room;

		cfg->buffer = buffers[kind / 2 % RTE_DIM(buffers)];
		set_lossless(lossless);
		set_detector(kind / 2 / RTE_DIM(buffers));
		q = build_with(r->bps, lossless && cfg->buffer != 0 &&
						       (uint64_t)PORTS * r->headroom > cfg->buffer);
		/* With alpha 1, a queue alone has half of what is shared. */
		room = cfg->buffer == 0 ? q->limit_bytes : s->buffer.shared / 2;
		room = RTE_MIN(room, (uint64_t)q->limit_bytes);
		assert_true(q->slots >= q->limit_packets);
		check_detector(q, r->bps, room);
		if (lossless)
			check_lossless(q);
		/* Frames of any length reach the threshold before the room for packets is used up.
		 */
		if (q->detector.type == FCN_DETECTOR_STEP && r->packets < 65536)
			assert_true((uint64_t)q->limit_packets * SMALLEST > q->detector.enter);
	}
}

/* What is configured stays, and what is not makes room for it. */
TEST(configured)
{
	struct fcn_config_queue *c = &cfg->port[0].queue[3];
	const struct fcn_queue_conf *q;

	c->detector.type = FCN_DETECTOR_RED;
	for (unsigned int i = 0; i < n_rows; i++) {
		const uint64_t bps = table[i].bps;

		c->detector.enter = 3000000;
		q = build(bps);
		assert_int_equal(q->detector.enter, 3000000);
		assert_true(q->detector.kmax > 3000000 && q->detector.kmax <= q->limit_bytes);
		c->detector.enter = FCN_AUTO;
		c->detector.kmax = 20000;
		q = build(bps);
		assert_int_equal(q->detector.kmax, 20000);
		assert_in_range(q->detector.enter, 1, 5000);
		c->detector.leave = 9000;
		assert_in_range(build(bps)->detector.enter, 9000, 19999);
		c->detector.leave = c->detector.kmax = FCN_AUTO;
		c->policy.notify_bytes = 70000000;
		assert_int_equal(build(bps)->limit_bytes, 140000000);
		c->policy.notify_bytes = 0;
		/* A limit that is lower than the default at this speed. */
		c->limit_bytes = 100000;
		q = build(bps);
		assert_int_equal(q->limit_bytes, 100000);
		assert_int_equal(q->limit_packets, 4096);
		check_detector(q, bps, 100000);
		c->limit_bytes = 10;
		q = build(bps);
		assert_int_equal(q->detector.enter, 5);
		assert_int_equal(q->detector.kmax, 10);
		c->limit_bytes = FCN_AUTO;
		c->limit_packets = 7;
		assert_int_equal(build(bps)->slots, 7);
		c->limit_packets = FCN_AUTO;
	}
	/* A peak rate and a shaper count as the speed. */
	c->peak.bps = 25000000000;
	assert_int_equal(build(400000000000)->limit_bytes, 1000000);
	c->peak.bps = 0;
	cfg->port[0].rate_bps = 50000000000;
	assert_int_equal(build(400000000000)->limit_bytes, 2000000);
}
