/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Flow control of a port: pause times to the nanosecond, whom frames stop, what is told to others.
 */

#include "fcn_pause.h"
#include "fcn_test.h"

#define ALL 0xff
#define GBPS UINT64_C(1000000000)

static struct fcn_pause p;

/* Class 6 is that of the notices. A quantum lasts 5.12 ns. */
static const struct fcn_pause_conf conf = {
		.rx_classes = 0x4f,
		.link = true,
		.exempt = 0x40,
		.tx_classes = 0x0f,
		.link_bps = 100 * GBPS,
		.quanta = 1000,
		.refresh_ns = 2560,
};

static int
setup(void **state)
{
	RTE_SET_USED(state);
	fcn_pause_reset(&p);
	return 0;
}

TEST_FIXTURE(.setup = setup);

/* One class of a PFC frame. */
static void
pfc(const struct fcn_pause_conf *c, unsigned int class, uint16_t quanta, uint64_t now)
{
	uint16_t all[FCN_PAUSE_CLASSES];

	/* Times of classes the frame does not speak of mean nothing. */
	for (unsigned int i = 0; i < FCN_PAUSE_CLASSES; i++)
		all[i] = i == class ? quanta : 0x5555;
	fcn_pause_receive(&p, c, false, 1u << class, all, now);
}

static uint8_t
held(const struct fcn_pause_conf *c, uint64_t now)
{
	return fcn_pause_update(&p, c, ALL, now).held;
}

static struct fcn_pause_class_stats
stats(unsigned int class, uint64_t now)
{
	struct fcn_pause_class_stats s[FCN_PAUSE_CLASSES];

	fcn_pause_read(&p, now, s);
	return s[class];
}

static uint64_t
next(const struct fcn_pause_conf *c, uint64_t now)
{
	return fcn_pause_next(&p, c, ALL, now);
}

/* quanta * 512 bit times, rounded up: 65535 * 512 = 33553920 bits. */
TEST(times)
{
	static const struct {
		uint64_t gbps;
		uint16_t quanta;
		uint64_t ns;
	} cases[] = {
			{1, 1, 512}, {1, 65535, 33553920}, {10, 1, 52}, {10, 5, 256},
			{10, 65535, 3355392}, {25, 1, 21}, {25, 25, 512},
			{25, 65535, 1342157},                              /* 1342156.8 */
			{100, 1, 6}, {100, 25, 128}, {100, 65535, 335540}, /* 335539.2 */
			{400, 1, 2}, {400, 25, 32}, {400, 65535, 83885},   /* 83884.8 */
	};
	struct fcn_pause_conf c = conf;

	for (unsigned int i = 0; i < RTE_DIM(cases); i++) {
		uint64_t from = 1000003, until = from + cases[i].ns;

		fcn_pause_reset(&p);
		c.link_bps = cases[i].gbps * GBPS;
		assert_true(fcn_pause_is_idle(&p));
		pfc(&c, 3, cases[i].quanta, from);
		assert_false(fcn_pause_is_idle(&p));
		assert_int_equal(held(&c, from), 0x08);
		assert_int_equal(next(&c, from), until);
		assert_int_equal(held(&c, until - 1), 0x08);
		assert_int_equal(next(&c, until - 1), until);
		assert_int_equal(held(&c, until), 0);
		assert_true(fcn_pause_is_idle(&p));
		assert_int_equal(next(&c, until), FCN_PAUSE_NEVER);
		assert_int_equal(stats(3, until + 5000).rx_pause_ns, cases[i].ns);
	}
	/* Without a link there is no time, and nothing is stopped. */
	c.link_bps = 0;
	pfc(&c, 3, 65535, UINT64_C(1) << 40);
	assert_true(fcn_pause_is_idle(&p));
	assert_int_equal(held(&c, UINT64_C(1) << 40), 0);
}

TEST(newest_wins)
{
	/* 1280 ns, then 128 ns from 100 on: over at 228. */
	pfc(&conf, 0, 250, 0);
	pfc(&conf, 0, 25, 100);
	assert_int_equal(next(&conf, 100), 228);
	assert_int_equal(held(&conf, 227), 0x01);
	assert_int_equal(held(&conf, 228), 0);
	/* The other way round: the longer one lasts, and neither sum nor the first one counts. */
	pfc(&conf, 0, 25, 1000);
	pfc(&conf, 0, 250, 1100);
	assert_int_equal(held(&conf, 1128), 0x01);
	assert_int_equal(held(&conf, 2379), 0x01);
	assert_int_equal(held(&conf, 2380), 0);
	assert_int_equal(stats(0, 9999).rx_pause_ns, 228 + 1380);
	assert_int_equal(stats(0, 9999).rx_xoff, 4);
	assert_int_equal(stats(0, 9999).rx_xon, 0);
}

TEST(resume)
{
	pfc(&conf, 1, 250, 1000);
	pfc(&conf, 2, 250, 1000);
	pfc(&conf, 1, 0, 1077);
	assert_int_equal(held(&conf, 1077), 0x04);
	assert_int_equal(stats(1, 1077).rx_pause_ns, 77);
	assert_int_equal(stats(1, 5000).rx_pause_ns, 77);
	assert_int_equal(stats(2, 5000).rx_pause_ns, 1280);
	/* One that finds nothing stopped does nothing. */
	pfc(&conf, 1, 0, 6000);
	assert_true(fcn_pause_is_idle(&p));
	assert_int_equal(stats(1, 7000).rx_pause_ns, 77);
	assert_int_equal(stats(1, 7000).rx_xon, 2);
	assert_int_equal(stats(1, 7000).rx_xoff, 1);
	/* Nobody looked, and the time was up long before. */
	pfc(&conf, 1, 25, 8000);
	pfc(&conf, 1, 0, 9000);
	assert_int_equal(stats(1, 9000).rx_pause_ns, 77 + 128);
	pfc(&conf, 1, 25, 10000);
	pfc(&conf, 1, 25, 11000);
	assert_int_equal(stats(1, 20000).rx_pause_ns, 77 + 3 * 128);
}

TEST(whom)
{
	const uint16_t time[FCN_PAUSE_CLASSES] = {25, 25, 25, 25, 25, 25, 25, 25};
	struct fcn_pause_conf c = conf;

	/* PFC: those taken, less the exempt one, whatever else the frame speaks of. */
	fcn_pause_receive(&p, &c, false, ALL, time, 0);
	assert_int_equal(held(&c, 0), 0x0f);
	for (unsigned int i = 0; i < FCN_PAUSE_CLASSES; i++) {
		assert_int_equal(stats(i, 0).rx_xoff, i < 4);
		assert_int_equal(stats(i, 0).rx_ignored, i >= 4);
	}
	/* PAUSE: all but the exempt one. */
	fcn_pause_receive(&p, &c, true, ALL, time, 1000);
	assert_int_equal(held(&c, 1000), 0xbf);
	assert_int_equal(stats(6, 1000).rx_ignored, 2);
	assert_int_equal(stats(7, 1000).rx_xoff, 1);
	/* A frame leaves those alone that it does not speak of. */
	fcn_pause_receive(&p, &c, false, 0x01, (const uint16_t[FCN_PAUSE_CLASSES]){0}, 1001);
	assert_int_equal(held(&c, 1001), 0xbe);
	/* Not taken at all. */
	c.link = false;
	fcn_pause_receive(&p, &c, true, ALL, time, 2000);
	c.rx_classes = 0;
	fcn_pause_receive(&p, &c, false, ALL, time, 2000);
	fcn_pause_receive(&p, &c, false, ALL, (const uint16_t[FCN_PAUSE_CLASSES]){0}, 2000);
	assert_int_equal(held(&c, 2000), 0);
	assert_true(fcn_pause_is_idle(&p));
	assert_int_equal(stats(0, 2000).rx_ignored, 3);
	assert_int_equal(stats(0, 2000).rx_xoff, 2);
	assert_int_equal(stats(0, 2000).rx_xon, 1);
}

/* What a frame says, as "xoff bits, xon bits". */
static void
tell(const struct fcn_pause_conf *c, uint8_t xoff, uint8_t xon, uint64_t now)
{
	uint16_t quanta[FCN_PAUSE_CLASSES];

	memset(quanta, 0xee, sizeof(quanta));
	assert_true(fcn_pause_is_due(&p, now));
	assert_int_equal(fcn_pause_fill_frame(&p, c, quanta, now), xoff | xon);
	for (unsigned int i = 0; i < FCN_PAUSE_CLASSES; i++)
		assert_int_equal(quanta[i], xoff >> i & 1 ? c->quanta : 0);
	assert_false(fcn_pause_is_due(&p, now));
}

TEST(told)
{
	assert_false(fcn_pause_is_due(&p, 0));
	assert_int_equal(next(&conf, 0), FCN_PAUSE_NEVER);
	fcn_pause_set_xoff(&p, &conf, 3, true);
	assert_true(fcn_pause_is_due(&p, 100));
	assert_int_equal(next(&conf, 100), 100);
	tell(&conf, 0x08, 0, 120);
	/* Again at half the pause time, to the nanosecond. */
	assert_int_equal(next(&conf, 120), 2680);
	assert_false(fcn_pause_is_due(&p, 2679));
	tell(&conf, 0x08, 0, 2680);
	assert_int_equal(next(&conf, 2680), 5240);
	/* Said again, it is nothing new. */
	fcn_pause_set_xoff(&p, &conf, 3, true);
	assert_false(fcn_pause_is_due(&p, 2700));
	/* Another class: the frame speaks of both, and the time runs anew for both. */
	fcn_pause_set_xoff(&p, &conf, 0, true);
	tell(&conf, 0x09, 0, 3000);
	assert_int_equal(next(&conf, 3000), 5560);
	/* One goes on: the other is told again with it. */
	fcn_pause_set_xoff(&p, &conf, 3, false);
	tell(&conf, 0x01, 0x08, 4000);
	assert_int_equal(next(&conf, 4000), 6560);
	fcn_pause_set_xoff(&p, &conf, 0, false);
	tell(&conf, 0, 0x01, 5000);
	assert_int_equal(next(&conf, 5000), FCN_PAUSE_NEVER);
	assert_false(fcn_pause_is_due(&p, UINT64_MAX - 1));

	assert_int_equal(stats(3, 9000).tx_xoff, 3);
	assert_int_equal(stats(3, 9000).tx_xon, 1);
	assert_int_equal(stats(0, 9000).tx_xoff, 2);
	assert_int_equal(stats(0, 9000).tx_xon, 1);
	/* From the frame that stopped to the one that let go on. */
	assert_int_equal(stats(3, 9000).tx_pause_ns, 4000 - 120);
	assert_int_equal(stats(0, 9000).tx_pause_ns, 5000 - 3000);
	assert_int_equal(stats(1, 9000).tx_pause_ns, 0);
	assert_int_equal(stats(1, 9000).tx_xoff + stats(1, 9000).tx_xon, 0);
}

/* What was taken back before a frame was sent needs none. */
TEST(taken_back)
{
	fcn_pause_set_xoff(&p, &conf, 3, true);
	fcn_pause_set_xoff(&p, &conf, 3, false);
	assert_false(fcn_pause_is_due(&p, 101));
	fcn_pause_set_xoff(&p, &conf, 3, true);
	fcn_pause_set_xoff(&p, &conf, 2, true);
	fcn_pause_set_xoff(&p, &conf, 3, false);
	tell(&conf, 0x04, 0, 110);
	/* Stopped, on, stopped: the pause that was told still lasts, and so does its repetition. */
	fcn_pause_set_xoff(&p, &conf, 2, false);
	fcn_pause_set_xoff(&p, &conf, 2, true);
	assert_false(fcn_pause_is_due(&p, 201));
	assert_int_equal(next(&conf, 201), 2670);
	/* A class that is not given is never told of. */
	fcn_pause_set_xoff(&p, &conf, 5, true);
	assert_false(fcn_pause_is_due(&p, 300));
	assert_int_equal(p.xoff, 0x04);
}

TEST(reconfigure)
{
	const uint16_t time[FCN_PAUSE_CLASSES] = {25, 25, 25, 25, 25, 25, 25, 25};
	struct fcn_pause_conf c = conf;

	fcn_pause_receive(&p, &c, true, ALL, time, 1000);
	fcn_pause_set_xoff(&p, &c, 0, true);
	fcn_pause_set_xoff(&p, &c, 1, true);
	tell(&c, 0x03, 0, 1000);
	fcn_pause_set_xoff(&p, &c, 2, true);
	/* Nothing that matters: nothing changes. */
	c.quanta = 500;
	fcn_pause_reconfigure(&p, &c, 1010);
	assert_int_equal(held(&c, 1010), 0xbf);
	assert_int_equal(p.pending, 0x04);
	/* Classes 4, 5 and 7 are not taken any more, 1 becomes exempt. 1 and 2 are not given. */
	c.link = false;
	c.exempt = 0x42;
	c.tx_classes = 0x09;
	fcn_pause_reconfigure(&p, &c, 1020);
	assert_int_equal(held(&c, 1020), 0x0d);
	assert_int_equal(next(&c, 1020), 1020);
	tell(&c, 0x01, 0x02, 1021);
	assert_int_equal(next(&c, 1021), 1128);
	assert_int_equal(stats(4, 1500).rx_pause_ns, 20);
	assert_int_equal(stats(1, 1500).rx_pause_ns, 20);
	assert_int_equal(stats(0, 1500).rx_pause_ns, 128);
	assert_int_equal(stats(1, 1500).tx_pause_ns, 21);
	assert_int_equal(stats(2, 1500).tx_pause_ns, 0);
	assert_int_equal(stats(2, 1500).tx_xon, 0);
	/* Nothing given: the last frame, now, and no more. */
	c.tx_classes = 0;
	assert_false(fcn_pause_is_due(&p, 2000));
	fcn_pause_reconfigure(&p, &c, 2000);
	tell(&c, 0, 0x01, 2000);
	assert_int_equal(held(&c, 2000), 0);
	assert_int_equal(next(&c, 2000), FCN_PAUSE_NEVER);
	assert_int_equal(stats(0, 6000).tx_pause_ns, 1000);
}

TEST(clear_stats)
{
	pfc(&conf, 0, 250, 1000);
	fcn_pause_set_xoff(&p, &conf, 0, true);
	tell(&conf, 0x01, 0, 1000);
	fcn_pause_clear_stats(&p, 1100);
	assert_int_equal(held(&conf, 1100), 0x01);
	assert_int_equal(p.sent_xoff, 0x01);
	assert_int_equal(stats(0, 1100).rx_xoff, 0);
	assert_int_equal(stats(0, 1100).rx_pause_ns, 0);
	assert_int_equal(stats(0, 1100).tx_pause_ns, 0);
	assert_int_equal(stats(0, 1101).rx_pause_ns, 1);
	assert_int_equal(stats(0, 1101).tx_pause_ns, 1);
	assert_int_equal(stats(0, 3000).rx_pause_ns, 1180);
	assert_int_equal(stats(0, 3000).tx_pause_ns, 1900);
}

static enum fcn_halt_result
halt(unsigned int class, uint64_t ns, uint64_t now)
{
	const struct fcn_halt_conf limits = {.max_ns = 1000, .detect_ns = 2000, .restore_ns = 1500};

	return fcn_pause_halt(&p, &conf, &limits, class, ns, now);
}

/* A halt lasts to the nanosecond; a pause and a halt of one class do not end each other. */
TEST(halt)
{
	assert_int_equal(halt(1, 500, 1000), FCN_HALT_OBEYED);
	assert_false(fcn_pause_is_idle(&p));
	assert_int_equal(next(&conf, 1000), 1500);
	assert_int_equal(held(&conf, 1499), 0x02);
	assert_int_equal(held(&conf, 1500), 0);
	assert_true(fcn_pause_is_idle(&p));
	/* The newest counts, and 0 ends it. */
	halt(1, 500, 2000);
	halt(1, 100, 2000);
	assert_int_equal(held(&conf, 2099), 0x02);
	assert_int_equal(held(&conf, 2100), 0);
	halt(1, 500, 3000);
	halt(1, 0, 3100);
	assert_int_equal(held(&conf, 3100), 0);
	/* 100 quanta are 512 ns. */
	pfc(&conf, 1, 100, 4000);
	halt(1, 300, 4000);
	assert_int_equal(next(&conf, 4000), 4300);
	halt(1, 0, 4100);
	assert_int_equal(held(&conf, 4511), 0x02);
	assert_int_equal(held(&conf, 4512), 0);
	pfc(&conf, 1, 100, 5000);
	halt(1, 300, 5000);
	pfc(&conf, 1, 0, 5100);
	assert_int_equal(held(&conf, 5299), 0x02);
	assert_int_equal(held(&conf, 5300), 0);
	assert_int_equal(stats(1, 6000).rx_pause_ns, 512 + 100);
	/* Class 6 is exempt. */
	assert_int_equal(halt(6, 500, 7000), FCN_HALT_EXEMPT);
	assert_int_equal(held(&conf, 7000), 0);
}

/* A halt in the nanosecond in which the watchdog ends one that nobody has repeated for long. */
TEST(halt_at_the_end)
{
	const struct fcn_halt_conf limits = {.max_ns = 5000, .detect_ns = 2000, .restore_ns = 1500};

	fcn_pause_halt(&p, &conf, &limits, 1, 4000, 10000);
	assert_int_equal(p.halt_until[1], 12000);
	assert_int_equal(fcn_pause_halt(&p, &conf, &limits, 1, 4000, 12000), FCN_HALT_OBEYED);
	assert_int_equal(p.halt_until[1], 14000);
}

/* A class that is halted again and again resumes after 2000 ns, until no halt has come for 1500 ns.
 */
TEST(halt_storm)
{
	halt(1, UINT64_MAX, 10000);
	assert_int_equal(next(&conf, 10000), 11000);
	halt(1, 1000, 11000); /* without interruption */
	assert_int_equal(halt(1, 1000, 11800), FCN_HALT_OBEYED);
	assert_int_equal(next(&conf, 11800), 12000);
	assert_int_equal(held(&conf, 11999), 0x02);
	assert_int_equal(held(&conf, 12000), 0);
	assert_int_equal(halt(1, 1000, 12000), FCN_HALT_STORM);
	assert_int_equal(halt(1, 0, 12100), FCN_HALT_OBEYED);
	assert_int_equal(halt(1, 1000, 13499), FCN_HALT_STORM);
	assert_int_equal(halt(1, 1000, 14998), FCN_HALT_STORM);
	assert_int_equal(held(&conf, 15000), 0);
	assert_int_equal(halt(1, 1000, 16498), FCN_HALT_OBEYED);
	assert_int_equal(held(&conf, 17497), 0x02);
	assert_int_equal(held(&conf, 17498), 0);
	/*
	 * Who ends a halt and begins it again does not escape: 1900 ns of 2000 are used up, of
	 * which the nanosecond between the two deducts 10 * 2000 / 1500 = 13, so 113 are left.
	 */
	assert_int_equal(halt(1, 1000, 20000), FCN_HALT_OBEYED);
	halt(1, 1000, 20900);
	halt(1, 1000, 21500);
	halt(1, 0, 21900);
	assert_int_equal(halt(1, 1000, 21901), FCN_HALT_OBEYED);
	assert_int_equal(held(&conf, 22013), 0x02);
	assert_int_equal(held(&conf, 22014), 0);
	assert_int_equal(halt(1, 1000, 22900), FCN_HALT_STORM);
	/* A longer time without a halt deducts more: of 1000 ns, 30 deduct 400. */
	assert_int_equal(halt(1, 1000, 24400), FCN_HALT_OBEYED);
	assert_int_equal(held(&conf, 25400), 0);
	assert_int_equal(halt(1, 1000, 25430), FCN_HALT_OBEYED);
	assert_int_equal(halt(1, 1000, 26330), FCN_HALT_OBEYED);
	assert_int_equal(held(&conf, 26829), 0x02);
	assert_int_equal(held(&conf, 26830), 0);
	/* A storm is forgotten with all halts. */
	assert_int_equal(halt(1, 1000, 27101), FCN_HALT_STORM);
	fcn_pause_halt_none(&p, 27102);
	assert_int_equal(halt(1, 1000, 27103), FCN_HALT_OBEYED);
	assert_int_equal(held(&conf, 28102), 0x02);
	fcn_pause_halt_none(&p, 28103);
	assert_true(fcn_pause_is_idle(&p));
}
