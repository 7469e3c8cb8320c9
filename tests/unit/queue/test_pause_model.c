/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Flow control under random frames, against a model that lives through every
 * nanosecond: its times are counts of nanoseconds, not differences. One port is
 * looked at all the time, one only when something happens or fcn_pause_next() says so.
 */

#include "fcn_pause.h"
#include "fcn_test.h"

#define TICKS 60000
#define N FCN_PAUSE_CLASSES

/* A quantum lasts one nanosecond. */
static const struct fcn_pause_conf base = {
		.rx_classes = 0x3f,
		.link = true,
		.exempt = 0x20,
		.tx_classes = 0x5e,
		.link_bps = UINT64_C(512000000000),
		.quanta = 300,
		.refresh_ns = 150,
		.detect_ns = 200,
		.restore_ns = 200,
};

struct model_class {
	unsigned int left;  /* nanoseconds it still has to stand */
	unsigned int stood; /* without a break; from the end of a storm on */
	unsigned int quiet; /* since a frame stopped it */
	bool storm;
	bool xoff;
	bool sent_xoff;
	struct fcn_pause_class_stats stats;
};

struct model {
	struct model_class class[N];
	unsigned int to_refresh; /* nanoseconds */
};

static void
model_receive(struct model *m, const struct fcn_pause_conf *conf, bool link, uint8_t priorities,
		const uint16_t quanta[N])
{
	for (unsigned int c = 0; c < N; c++) {
		struct model_class *mc = &m->class[c];
		bool obeys = (link ? conf->link : conf->rx_classes >> c & 1) &&
			     (conf->exempt >> c & 1) == 0;

		if ((priorities >> c & 1) == 0)
			continue;
		if (!obeys) {
			mc->stats.rx_ignored++;
			continue;
		}
		mc->left = quanta[c];
		if (quanta[c] == 0) {
			mc->stats.rx_xon++;
		} else {
			mc->stats.rx_xoff++;
			mc->stats.rx_ignored_storm += mc->storm;
			mc->quiet = 0;
		}
	}
}

static struct fcn_pause_update
model_look(struct model *m, const struct fcn_pause_conf *conf, uint8_t backlog)
{
	struct fcn_pause_update look = {0};

	for (unsigned int c = 0; c < N; c++) {
		struct model_class *mc = &m->class[c];
		uint8_t bit = 1u << c;

		if (mc->storm && mc->quiet >= conf->restore_ns) {
			mc->storm = false;
			mc->stood = 0;
			look.restored |= bit;
		}
		if (conf->action != FCN_STORM_OFF && !mc->storm && mc->left > 0 &&
				(backlog & bit) != 0 && mc->stood >= conf->detect_ns &&
				mc->quiet < conf->restore_ns) {
			mc->storm = true;
			mc->stats.storms++;
			look.began |= bit;
		}
		if (mc->storm && conf->action == FCN_STORM_DROP)
			look.dropped |= bit;
		if (mc->storm ? conf->action == FCN_STORM_DROP : mc->left > 0)
			look.held |= bit;
	}
	return look;
}

static bool
model_due(const struct model *m)
{
	bool due = false, told = false;

	for (unsigned int c = 0; c < N; c++) {
		due |= m->class[c].sent_xoff != m->class[c].xoff;
		told |= m->class[c].sent_xoff;
	}
	return due || (told && m->to_refresh == 0);
}

static uint8_t
model_tell(struct model *m, const struct fcn_pause_conf *conf, uint16_t quanta[N])
{
	uint8_t speaks = 0;

	for (unsigned int c = 0; c < N; c++) {
		struct model_class *mc = &m->class[c];

		if (mc->xoff || mc->sent_xoff)
			speaks |= 1u << c;
		quanta[c] = mc->xoff ? conf->quanta : 0;
		mc->stats.tx_xoff += mc->xoff;
		mc->stats.tx_xon += mc->sent_xoff && !mc->xoff;
		mc->sent_xoff = mc->xoff;
	}
	m->to_refresh = conf->refresh_ns;
	return speaks;
}

/* One nanosecond goes by. */
static void
model_tick(struct model *m)
{
	for (unsigned int c = 0; c < N; c++) {
		struct model_class *mc = &m->class[c];

		mc->quiet++;
		mc->stats.tx_pause_ns += mc->sent_xoff;
		if (mc->left > 0) {
			mc->left--;
			mc->stood++;
			mc->stats.rx_pause_ns++;
		} else {
			mc->stood = 0;
		}
	}
	m->to_refresh -= m->to_refresh > 0;
}

static void
same_stats(struct fcn_pause *p, const struct model *m, uint64_t now)
{
	struct fcn_pause_class_stats got[N];

	fcn_pause_read(p, now, got);
	for (unsigned int c = 0; c < N; c++)
		assert_memory_equal(&got[c], &m->class[c].stats, sizeof(got[c]));
}

static void
same_look(struct fcn_pause_update got, struct fcn_pause_update want)
{
	assert_int_equal(got.held, want.held);
	assert_int_equal(got.dropped, want.dropped);
	assert_int_equal(got.began, want.began);
	assert_int_equal(got.restored, want.restored);
}

/* Frames come in swarms, so that there are long pauses without a break and long silences. */
static bool
random_frame(uint64_t *seed, uint64_t now, bool *link, uint8_t *priorities, uint16_t quanta[N])
{
	unsigned int often = (now / 4000) % 3 == 0 ? 25 : (now / 4000) % 3 == 1 ? 90 : 700;

	if (fcn_test_random(seed) % often != 0)
		return false;
	*link = fcn_test_random(seed) % 8 == 0;
	*priorities = *link ? 0xff : fcn_test_random(seed);
	for (unsigned int c = 0; c < N; c++) {
		uint64_t r = fcn_test_random(seed);

		quanta[c] = r % 16 == 0 ? 0 : 1 + (r >> 8) % 200;
	}
	for (unsigned int c = 1; c < N && *link; c++)
		quanta[c] = quanta[0];
	return true;
}

static void
run(const struct fcn_pause_conf *conf, uint64_t seed)
{
	struct fcn_pause always, rarely;
	struct fcn_pause_update last = {0};
	struct model m = {0};
	uint64_t wake = 0;
	uint64_t start = fcn_test_random(&seed) % 3 ? fcn_test_random(&seed) >> 20 : 0;
	uint8_t backlog = 0;
	unsigned int looks = 0, events = 0, ends = 0, storms = 0;

	fcn_pause_reset(&always);
	fcn_pause_reset(&rarely);
	for (uint64_t now = start; now < start + TICKS; now++) {
		struct fcn_pause_update want;
		uint16_t quanta[N], told[N];
		uint8_t priorities, changed;
		bool link, event = false;

		if (random_frame(&seed, now, &link, &priorities, quanta)) {
			fcn_pause_receive(&always, conf, link, priorities, quanta, now);
			fcn_pause_receive(&rarely, conf, link, priorities, quanta, now);
			model_receive(&m, conf, link, priorities, quanta);
			event = true;
		}
		changed = fcn_test_random(&seed) % 60 == 0 ? 1u << fcn_test_random(&seed) % N : 0;
		backlog ^= changed;
		event |= changed != 0;
		if (fcn_test_random(&seed) % 200 == 0) {
			unsigned int c = fcn_test_random(&seed) % N;
			bool xoff = fcn_test_random(&seed) % 2;

			fcn_pause_set_xoff(&always, conf, c, xoff);
			fcn_pause_set_xoff(&rarely, conf, c, xoff);
			m.class[c].xoff = xoff && (conf->tx_classes >> c & 1) != 0;
			event = true;
		}

		want = model_look(&m, conf, backlog);
		storms += want.began != 0;
		same_look(fcn_pause_update(&always, conf, backlog, now), want);
		if (event || now >= wake) {
			last = fcn_pause_update(&rarely, conf, backlog, now);
			same_look(last, want);
			looks++;
			events += event;
		} else {
			/* Asleep: all is as it was, nothing is due. */
			assert_int_equal(want.began | want.restored, 0);
			assert_int_equal(want.held, last.held);
			assert_int_equal(want.dropped, last.dropped);
			assert_false(model_due(&m));
		}
		assert_int_equal(fcn_pause_is_due(&always, now), model_due(&m));
		assert_int_equal(fcn_pause_is_due(&rarely, now), model_due(&m));
		/* A frame that is due may have to wait; one may be sent that is not. */
		if (model_due(&m) ? fcn_test_random(&seed) % 3 == 0
				  : fcn_test_random(&seed) % 500 == 0) {
			uint8_t speaks = model_tell(&m, conf, quanta);

			assert_int_equal(fcn_pause_fill_frame(&always, conf, told, now), speaks);
			assert_memory_equal(told, quanta, sizeof(told));
			assert_int_equal(fcn_pause_fill_frame(&rarely, conf, told, now), speaks);
			assert_memory_equal(told, quanta, sizeof(told));
		}
		wake = fcn_pause_next(&rarely, conf, backlog, now);
		/* Who has looked need not look again now, but for a frame that is due. */
		if (!model_due(&m))
			assert_true(wake > now);
		else
			assert_int_equal(wake, now);
		ends += wake != FCN_PAUSE_NEVER;
		if (fcn_test_random(&seed) % 5000 == 0)
			same_stats(&always, &m, now);
		if (fcn_test_random(&seed) % 20000 == 0)
			same_stats(&rarely, &m, now);
		if (fcn_test_random(&seed) % 20000 == 0) {
			fcn_pause_clear_stats(&always, now);
			fcn_pause_clear_stats(&rarely, now);
			for (unsigned int c = 0; c < N; c++)
				m.class[c].stats = (struct fcn_pause_class_stats){0};
		}
		model_tick(&m);
	}
	same_stats(&always, &m, start + TICKS);
	same_stats(&rarely, &m, start + TICKS);
	assert_true(ends > 0);
	assert_true(conf->action == FCN_STORM_OFF ? storms == 0 : storms > 20);
	/* Far fewer looks than nanoseconds. */
	assert_true(looks < TICKS / 3 && looks > events);
}

TEST(without_watchdog)
{
	for (uint64_t seed = 1; seed <= 4; seed++)
		run(&base, seed);
}

TEST(watchdog)
{
	static const struct {
		uint64_t detect_ns;
		uint64_t restore_ns;
	} cases[] = {{300, 250}, {200, 60}, {150, 1000}, {0, 100}, {1, 1}, {100, 300}};
	struct fcn_pause_conf conf = base;

	for (unsigned int i = 0; i < RTE_DIM(cases); i++) {
		conf.detect_ns = cases[i].detect_ns;
		conf.restore_ns = cases[i].restore_ns;
		conf.action = FCN_STORM_FORWARD;
		run(&conf, 100 + i);
		conf.action = FCN_STORM_DROP;
		run(&conf, 200 + i);
	}
}

/* Never looked at but when a frame comes: its times are the same. */
TEST(never_looked)
{
	uint64_t seed = 99;

	for (unsigned int i = 0; i < 20; i++) {
		struct model m = {0};
		struct fcn_pause p;

		fcn_pause_reset(&p);
		for (uint64_t now = 0; now < 10000; now++) {
			uint16_t quanta[N];
			uint8_t priorities;
			bool link;

			if (random_frame(&seed, now + 4000 * i, &link, &priorities, quanta)) {
				fcn_pause_receive(&p, &base, link, priorities, quanta, now);
				model_receive(&m, &base, link, priorities, quanta);
			}
			model_tick(&m);
		}
		same_stats(&p, &m, 10000);
	}
}
