/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* The watchdog against pause storms: when it steps in, what it lets happen, when it is over. */

#include "fcn_pause.h"
#include "fcn_test.h"

static struct fcn_pause p;

/* A quantum lasts one nanosecond. */
static const struct fcn_pause_conf conf = {
		.rx_classes = 0xff,
		.exempt = 0x80,
		.link_bps = UINT64_C(512000000000),
		.action = FCN_STORM_FORWARD,
		.detect_ns = 1000,
		.restore_ns = 700,
};

static int
setup(void **state)
{
	RTE_SET_USED(state);
	fcn_pause_reset(&p);
	return 0;
}

TEST_FIXTURE(.setup = setup);

static void
pfc(unsigned int class, uint16_t quanta, uint64_t now)
{
	uint16_t all[FCN_PAUSE_CLASSES] = {0};

	all[class] = quanta;
	fcn_pause_receive(&p, &conf, false, 1u << class, all, now);
}

/* What a look finds, one mask after the other. */
static void
expect(const struct fcn_pause_conf *c, uint64_t now, uint8_t backlog, uint8_t held, uint8_t dropped,
		uint8_t began, uint8_t restored)
{
	struct fcn_pause_update look = fcn_pause_update(&p, c, backlog, now);

	assert_int_equal(look.held, held);
	assert_int_equal(look.dropped, dropped);
	assert_int_equal(look.began, began);
	assert_int_equal(look.restored, restored);
}

static uint64_t
next(const struct fcn_pause_conf *c, uint8_t backlog, uint64_t now)
{
	return fcn_pause_next(&p, c, backlog, now);
}

TEST(forward)
{
	struct fcn_pause_class_stats stats[FCN_PAUSE_CLASSES];

	/* Each pause is repeated before it is over: stopped without a break since 5000. */
	for (uint64_t t = 5000; t < 6000; t += 250)
		pfc(3, 300, t); /* the last one at 5750, until 6050 */
	assert_int_equal(next(&conf, 0x08, 5750), 6000);
	expect(&conf, 5999, 0x08, 0x08, 0, 0, 0);
	assert_int_equal(next(&conf, 0x08, 5999), 6000);
	expect(&conf, 6000, 0x08, 0, 0, 0x08, 0);
	/* More of the same: still not believed, and 700 ns after the last one it is over. */
	pfc(3, 300, 6040);
	expect(&conf, 6040, 0x08, 0, 0, 0, 0);
	assert_int_equal(next(&conf, 0x08, 6040), 6340); /* its time is up, not the storm's */
	expect(&conf, 6340, 0x08, 0, 0, 0, 0);
	assert_false(fcn_pause_is_idle(&p));
	assert_int_equal(next(&conf, 0x08, 6340), 6740);
	expect(&conf, 6739, 0x08, 0, 0, 0, 0);
	expect(&conf, 6740, 0x08, 0, 0, 0, 0x08);
	assert_true(fcn_pause_is_idle(&p));
	assert_int_equal(next(&conf, 0x08, 6740), FCN_PAUSE_NEVER);
	/* Believed again. */
	pfc(3, 300, 7000);
	expect(&conf, 7000, 0x08, 0x08, 0, 0, 0);
	fcn_pause_read(&p, 8000, stats);
	assert_int_equal(stats[3].storms, 1);
	assert_int_equal(stats[3].rx_pause_ns, 1340 + 300); /* what was asked for, storm or not */
	assert_int_equal(stats[3].rx_xoff, 6);
}

TEST(drop)
{
	struct fcn_pause_conf c = conf;

	c.action = FCN_STORM_DROP;
	pfc(2, 600, 0);
	pfc(2, 600, 500);
	expect(&c, 999, 0x04, 0x04, 0, 0, 0);
	expect(&c, 1000, 0x04, 0x04, 0x04, 0x04, 0);
	/* As long as the storm lasts, whether the time is up or not, and whether it has packets. */
	expect(&c, 1100, 0, 0x04, 0x04, 0, 0);
	expect(&c, 1199, 0x04, 0x04, 0x04, 0, 0);
	expect(&c, 1200, 0x04, 0, 0, 0, 0x04);
}

TEST(off)
{
	struct fcn_pause_conf c = conf;

	c.action = FCN_STORM_OFF;
	pfc(2, 2000, 0);
	pfc(2, 2000, 900);
	assert_int_equal(next(&c, 0xff, 900), 2900);
	expect(&c, 1000, 0xff, 0x04, 0, 0, 0);
	expect(&c, 2899, 0xff, 0x04, 0, 0, 0);
}

/* Without packets there is no storm; the first packet later makes it one at once. */
TEST(backlog)
{
	for (uint64_t t = 0; t <= 2000; t += 100)
		pfc(1, 200, t); /* until 2200 */
	assert_int_equal(next(&conf, 0xfd, 2000), 2200);
	expect(&conf, 2050, 0xfd, 0x02, 0, 0, 0);
	assert_int_equal(next(&conf, 0x02, 2050), 2050);
	expect(&conf, 2050, 0x02, 0, 0, 0x02, 0);
	/* Packets or none, it lasts. */
	expect(&conf, 2199, 0, 0, 0, 0, 0);
	expect(&conf, 2699, 0, 0, 0, 0, 0);
	expect(&conf, 2700, 0, 0, 0, 0, 0x02);
}

/* A break of one nanosecond is a break; a pause that follows at once is none. */
TEST(breaks)
{
	pfc(0, 500, 0);
	expect(&conf, 500, 0x01, 0, 0, 0, 0);
	pfc(0, 500, 500); /* nobody could have sent */
	expect(&conf, 999, 0x01, 0x01, 0, 0, 0);
	pfc(0, 500, 999);
	expect(&conf, 1000, 0x01, 0, 0, 0x01, 0);
	expect(&conf, 1699, 0x01, 0, 0, 0, 0x01);

	pfc(0, 500, 3000);
	pfc(0, 500, 3501);
	pfc(0, 500, 3999);
	pfc(0, 500, 4499);
	assert_int_equal(next(&conf, 0x01, 4499), 4501);
	expect(&conf, 4500, 0x01, 0x01, 0, 0, 0);
	expect(&conf, 4501, 0x01, 0, 0, 0x01, 0);
	expect(&conf, 5199, 0x01, 0, 0, 0, 0x01);

	/* So is one that the sender made by letting it go on. */
	pfc(0, 900, 10000);
	pfc(0, 0, 10500);
	pfc(0, 900, 10501);
	pfc(0, 900, 11101);
	assert_int_equal(next(&conf, 0x01, 11101), 11501);
	expect(&conf, 11500, 0x01, 0x01, 0, 0, 0);
	expect(&conf, 11501, 0x01, 0, 0, 0x01, 0);
}

/* What is left of a pause when a storm is over is obeyed, as if it began there. */
TEST(restored_while_stopped)
{
	pfc(4, 800, 0);
	pfc(4, 5000, 600); /* until 5600 */
	expect(&conf, 1000, 0x10, 0, 0, 0x10, 0);
	assert_int_equal(next(&conf, 0x10, 1000), 1300);
	expect(&conf, 1300, 0x10, 0x10, 0, 0, 0x10);
	/* No pause came for so long: 1000 ns from there on make no storm of it ... */
	assert_int_equal(next(&conf, 0x10, 1300), 5600);
	expect(&conf, 2300, 0x10, 0x10, 0, 0, 0);
	/* ... until one comes. */
	pfc(4, 100, 2400);
	assert_int_equal(next(&conf, 0x10, 2400), 2400);
	expect(&conf, 2400, 0x10, 0, 0, 0x10, 0);

	/* Late to look: counted from when it was over, not from the look. */
	fcn_pause_reset(&p);
	pfc(4, 800, 0);
	pfc(4, 5000, 600);
	expect(&conf, 1000, 0x10, 0, 0, 0x10, 0);
	expect(&conf, 1800, 0x10, 0x10, 0, 0, 0x10);
	pfc(4, 5000, 2000);
	assert_int_equal(next(&conf, 0x10, 2000), 2300);
	expect(&conf, 2299, 0x10, 0x10, 0, 0, 0);
	expect(&conf, 2300, 0x10, 0, 0, 0x10, 0);
}

/* Resuming during a storm takes nothing back: it is over when none came for so long. */
TEST(resume_in_storm)
{
	pfc(5, 2000, 0);
	pfc(5, 2000, 900);
	expect(&conf, 1000, 0x20, 0, 0, 0x20, 0);
	pfc(5, 0, 1200);
	expect(&conf, 1200, 0x20, 0, 0, 0, 0);
	assert_int_equal(next(&conf, 0x20, 1200), 1600);
	expect(&conf, 1599, 0x20, 0, 0, 0, 0);
	expect(&conf, 1600, 0x20, 0, 0, 0, 0x20);
}

/* Times of nothing, and without end. */
TEST(extremes)
{
	struct fcn_pause_conf c = conf;

	c.detect_ns = 0;
	pfc(0, 1000, 10);
	assert_int_equal(next(&c, 0x01, 10), 10);
	expect(&c, 10, 0x01, 0, 0, 0x01, 0);
	expect(&c, 710, 0x01, 0x01, 0, 0, 0x01);
	assert_int_equal(next(&c, 0x01, 710), 1010);
	c.restore_ns = 0;
	pfc(0, 1000, 2000);
	assert_int_equal(next(&c, 0x01, 2000), 3000);
	expect(&c, 2000, 0x01, 0x01, 0, 0, 0);

	fcn_pause_reset(&p);
	c.detect_ns = UINT64_MAX;
	pfc(0, 1000, 10);
	assert_int_equal(next(&c, 0x01, 10), 1010);
	expect(&c, 1009, 0x01, 0x01, 0, 0, 0);
	fcn_pause_reset(&p);
	c.detect_ns = 500;
	c.restore_ns = UINT64_MAX;
	pfc(0, 1000, 10);
	expect(&c, 510, 0x01, 0, 0, 0x01, 0);
	expect(&c, UINT64_MAX / 2, 0x01, 0, 0, 0, 0);
	assert_int_equal(next(&c, 0x01, UINT64_MAX / 2), FCN_PAUSE_NEVER);
}

TEST(reconfigure)
{
	struct fcn_pause_conf c = conf;

	pfc(0, 60000, 0);
	pfc(1, 60000, 0);
	pfc(0, 60000, 900);
	pfc(1, 60000, 900);
	expect(&c, 1000, 0x03, 0, 0, 0x03, 0);
	/* What is not taken any more is in no storm either; the other action goes on with it. */
	c.rx_classes = 0xfd;
	c.action = FCN_STORM_DROP;
	fcn_pause_reconfigure(&p, &c, 1100);
	expect(&c, 1100, 0x03, 0x01, 0x01, 0, 0);
	/* No watchdog, no storm: what is left of the pause is obeyed. */
	c.action = FCN_STORM_OFF;
	fcn_pause_reconfigure(&p, &c, 1200);
	expect(&c, 1200, 0x03, 0x01, 0, 0, 0);
	/* Watched again: stopped since 1200, and a frame came within 700 ns. */
	c.action = FCN_STORM_FORWARD;
	fcn_pause_reconfigure(&p, &c, 1300);
	pfc(0, 60000, 2000);
	assert_int_equal(next(&c, 0x01, 2000), 2200);
	expect(&c, 2199, 0x01, 0x01, 0, 0, 0);
	expect(&c, 2200, 0x01, 0, 0, 0x01, 0);
}
