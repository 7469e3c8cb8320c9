/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Halts that upstream neighbours are asked for: when which message is sent, in nanoseconds. */

#include "fcn_test.h"

#include <string.h>

#include "fcn_arn_flow.h"
#include "fcn_arn_sender.h"
#include "vectors.h"

#define US UINT64_C(1000)
#define PORT 5
#define CLASS 3

static struct fcn_arn_sender s;
static struct fcn_arn_sender_conf conf;
static uint32_t unreachable; /* bit set of neighbours */
static uint64_t busy_until;  /* links have no room for messages until then */
static uint64_t time_now;

static int
setup(void **state)
{
	(void)state;
	fcn_arn_sender_init(&s);
	memset(&conf, 0, sizeof(conf));
	conf.n_neighbours = 3;
	for (unsigned int i = 0; i < conf.n_neighbours; i++)
		conf.neighbour_addr[i][15] = i + 1;
	fcn_arn_sender_reconfigure(&s, &conf, 0);
	unreachable = 0;
	busy_until = 0;
	return 0;
}

TEST_FIXTURE(.setup = setup);

static uint64_t
reach(void *arg, unsigned int neighbour)
{
	assert_ptr_equal(arg, &unreachable);
	if (unreachable >> neighbour & 1)
		return FCN_ARN_NEVER;
	return busy_until > time_now ? busy_until - time_now : 0;
}

/* A packet of a flow, by the last octet of its addresses. */
static struct fcn_arn_cause
flow(unsigned int number, uint32_t neighbours)
{
	struct fcn_arn_cause c;

	memset(&c, 0, sizeof(c));
	c.key.port = PORT;
	c.key.class = CLASS;
	c.key.mode = FCN_ARN_MODE_FLOW;
	c.key.flow.version = 6;
	c.key.flow.proto = 17;
	c.key.flow.src[14] = number >> 8;
	c.key.flow.src[15] = number;
	c.neighbours = neighbours;
	c.time_us = 500;
	c.level = 5;
	c.reason = FCN_ARN_REASON_CONGESTED;
	return c;
}

static bool
halt(unsigned int number, uint32_t neighbours, uint64_t now)
{
	struct fcn_arn_cause c = flow(number, neighbours);

	return fcn_arn_sender_halt(&s, &c, now);
}

static bool
next(uint64_t now, struct fcn_arn_message *message)
{
	unsigned int budget = 10000;

	time_now = now;
	return fcn_arn_sender_next(&s, &conf, reach, &unreachable, now, &budget, message);
}

/* One message is due, to this neighbour. */
static void
expect(uint64_t now, unsigned int neighbour, uint8_t type)
{
	struct fcn_arn_message m;

	assert_true(next(now, &m));
	assert_int_equal(m.neighbour, neighbour);
	assert_int_equal(m.arn.type, type);
	assert_int_equal(m.port, PORT);
	assert_int_equal(m.class, CLASS);
}

static void
expect_none(uint64_t now)
{
	struct fcn_arn_message m;

	assert_false(next(now, &m));
}

static unsigned int
count(uint64_t now)
{
	struct fcn_arn_message m;
	unsigned int n = 0;

	while (next(now, &m))
		n++;
	return n;
}

static void
end_queue(uint64_t now)
{
	fcn_arn_sender_end(&s, PORT, CLASS, FCN_ARN_REASON_CONGESTED, now);
}

/* A message at once, again after half of the time whether packets come or not, and one at the end.
 */
TEST(times)
{
	const uint64_t at = 1000 * US;

	assert_int_equal(s.due_ns, FCN_ARN_NEVER);
	assert_true(halt(1, 1, at));
	assert_int_equal(s.due_ns, at);
	expect(at, 0, FCN_ARN_CONGESTION);
	expect_none(at);
	assert_int_equal(s.due_ns, at + 250 * US);
	assert_true(halt(1, 1, at + 100 * US));
	assert_int_equal(s.due_ns, at + 250 * US);
	expect_none(at + 250 * US - 1);
	expect(at + 250 * US, 0, FCN_ARN_CONGESTION);
	assert_int_equal(s.due_ns, at + 500 * US);
	expect(at + 500 * US, 0, FCN_ARN_CONGESTION);
	end_queue(at + 600 * US);
	assert_int_equal(s.due_ns, at + 600 * US);
	expect(at + 600 * US, 0, FCN_ARN_ENDED);
	expect_none(at + 600 * US);
	assert_true(fcn_arn_sender_is_idle(&s));
	assert_int_equal(s.due_ns, FCN_ARN_NEVER);
	assert_int_equal(s.halts, 1);
	assert_int_equal(s.sent, 1);
	assert_int_equal(s.refreshed, 2);
	assert_int_equal(s.ended, 1);
	assert_int_equal(s.expired, 0);
}

/* Each neighbour is told, also one whose packets come later, and each is told of the end. */
TEST(neighbours)
{
	halt(1, 1 | 4, 0);
	expect(0, 0, FCN_ARN_CONGESTION);
	expect(0, 2, FCN_ARN_CONGESTION);
	expect_none(0);
	halt(1, 2, 10 * US);
	expect(10 * US, 1, FCN_ARN_CONGESTION);
	expect_none(249 * US);
	for (unsigned int i = 0; i < 3; i++)
		expect(250 * US, i, FCN_ARN_CONGESTION);
	end_queue(300 * US);
	for (unsigned int i = 0; i < 3; i++)
		expect(300 * US, i, FCN_ARN_ENDED);
	expect_none(300 * US);
	assert_int_equal(s.sent, 3);
	assert_int_equal(s.refreshed, 3);
	assert_int_equal(s.ended, 3);
}

/* A class of a port, for a neighbour. */
static struct fcn_arn_cause
class_of_port(uint16_t port, uint8_t class)
{
	struct fcn_arn_cause c = flow(0, 1);

	memset(&c.key, 0, sizeof(c.key));
	c.key.port = port;
	c.key.class = class;
	c.key.mode = FCN_ARN_MODE_PRIORITY;
	return c;
}

/*
 * A message names a class, but not the port whose queue is congested. A neighbour that halts the
 * class for one port is not asked again for another one, and resumes when both can do without.
 */
TEST(two_queues)
{
	struct fcn_arn_cause one = class_of_port(PORT, CLASS), two = class_of_port(7, CLASS);
	struct fcn_arn_message m;

	assert_true(fcn_arn_sender_halt(&s, &one, 0));
	expect(0, 0, FCN_ARN_CONGESTION);
	assert_true(fcn_arn_sender_halt(&s, &two, 100 * US));
	expect_none(100 * US);
	assert_int_equal(s.known, 1);
	expect(250 * US, 0, FCN_ARN_CONGESTION);
	expect_none(350 * US); /* half of the time of the second one */
	assert_int_equal(s.known, 2);
	/* The first one ends: the neighbour goes on, and is asked again before 250 + 500 us. */
	end_queue(400 * US);
	expect_none(400 * US);
	assert_int_equal(s.ended, 0);
	assert_true(next(600 * US, &m));
	assert_int_equal(m.port, 7);
	assert_int_equal(m.arn.type, FCN_ARN_CONGESTION);
	/* The first one again, and both end: one message. */
	assert_true(fcn_arn_sender_halt(&s, &one, 610 * US));
	expect_none(610 * US);
	end_queue(620 * US);
	fcn_arn_sender_end(&s, 7, CLASS, FCN_ARN_REASON_CONGESTED, 620 * US);
	assert_int_equal(count(620 * US), 1);
	assert_int_equal(s.ended, 1);
	assert_true(fcn_arn_sender_is_idle(&s));
	/* Another class is another thing. */
	two = class_of_port(7, CLASS + 1);
	assert_true(fcn_arn_sender_halt(&s, &one, 700 * US));
	assert_true(fcn_arn_sender_halt(&s, &two, 700 * US));
	assert_int_equal(count(700 * US), 2);
}

/* Whoever asks last is not always the one that ends last: no neighbour resumes too early, and none
 * is forgotten. */
TEST(two_queues_in_turn)
{
	const struct fcn_arn_cause of[] = {class_of_port(PORT, CLASS), class_of_port(7, CLASS)};
	uint64_t until = 0; /* when the neighbour resumes */
	unsigned int messages = 0;

	for (uint64_t now = 0; now < 10000 * US; now += 5 * US) {
		const unsigned int on = (unsigned int)(now / (130 * US)) % 2 |
					(unsigned int)(now / (310 * US)) % 2 << 1;
		struct fcn_arn_message m;

		for (unsigned int i = 0; i < 2; i++) {
			if (on >> i & 1)
				assert_true(fcn_arn_sender_halt(&s, &of[i], now));
			else
				fcn_arn_sender_end(&s, of[i].key.port, CLASS,
						FCN_ARN_REASON_CONGESTED, now);
		}
		while (next(now, &m)) {
			until = m.arn.type == FCN_ARN_ENDED ? now : now + 500 * US;
			messages++;
		}
		assert_int_equal(until > now, on != 0);
	}
	/* Each of both alone would ask 39 and 16 times, and end as often. */
	assert_true(messages < 2 * (39 + 16));
	assert_int_equal(messages, s.sent + s.refreshed + s.ended);
}

static void
have_all_neighbours(void)
{
	conf.n_neighbours = 0;
	for (; conf.n_neighbours < FCN_ARN_NEIGHBOURS; conf.n_neighbours++)
		conf.neighbour_addr[conf.n_neighbours][15] = (uint8_t)(1 + conf.n_neighbours);
	fcn_arn_sender_reconfigure(&s, &conf, 0);
}

/*
 * What packets of a flow can cause, however many they are: until half of the time is over, each
 * neighbour is told once, and once more when it ends. A message has 48 octets of UDP payload: 4, a
 * flow identifier of 40, a time of 4.
 */
TEST(one_packet)
{
	struct fcn_arn_message m;
	unsigned int n = 1;
	uint8_t packet[FCN_ARN_MAX_PACKET_LEN];

	have_all_neighbours();
	assert_true(halt(1, UINT32_MAX, 0));
	assert_true(next(0, &m));
	assert_int_equal(fcn_arn_build(&m.arn, conf.neighbour_addr[0], conf.neighbour_addr[1], 1022,
					 packet, sizeof(packet)),
			40 + 8 + 48);
	for (uint64_t now = 0; now < 250 * US; now += US) {
		assert_true(halt(1, UINT32_MAX, now));
		n += count(now);
	}
	assert_int_equal(n, FCN_ARN_NEIGHBOURS);
	end_queue(249 * US);
	assert_int_equal(count(249 * US), FCN_ARN_NEIGHBOURS);
	assert_int_equal(count(2000 * US), 0);
}

/* A flow in the queues of several classes is one flow to those that are asked. */
TEST(one_flow_of_many_classes)
{
	have_all_neighbours();
	for (uint8_t class = 0; class < FCN_ARN_CLASSES; class ++) {
		struct fcn_arn_cause c = flow(1, UINT32_MAX);

		c.key.class = class;
		assert_true(fcn_arn_sender_halt(&s, &c, 0));
	}
	assert_int_equal(count(0), FCN_ARN_NEIGHBOURS);
	assert_int_equal(s.known, (FCN_ARN_CLASSES - 1) * FCN_ARN_NEIGHBOURS);
	for (uint8_t class = 0; class < FCN_ARN_CLASSES; class ++)
		fcn_arn_sender_end(&s, PORT, class, FCN_ARN_REASON_CONGESTED, 100 * US);
	assert_int_equal(count(100 * US), FCN_ARN_NEIGHBOURS);
	assert_true(fcn_arn_sender_is_idle(&s));
}

/* What is asked for by one reason ends when no reason is left, and begins again before it was told.
 */
TEST(reasons)
{
	struct fcn_arn_cause c = flow(1, 1);

	halt(1, 1, 0);
	c.reason = FCN_ARN_REASON_PAUSED;
	assert_true(fcn_arn_sender_halt(&s, &c, 0));
	expect(0, 0, FCN_ARN_CONGESTION);
	end_queue(10 * US);
	expect_none(10 * US);
	fcn_arn_sender_end(&s, PORT, CLASS, FCN_ARN_REASON_PAUSED, 20 * US);
	assert_int_equal(s.due_ns, 20 * US);
	halt(1, 1, 20 * US);
	expect_none(20 * US);
	expect(250 * US, 0, FCN_ARN_CONGESTION);
	fcn_arn_sender_end(&s, PORT, CLASS + 1, FCN_ARN_REASON_CONGESTED, 260 * US);
	expect_none(260 * US);
	fcn_arn_sender_end_modes(&s, PORT, CLASS, FCN_ARN_MODE_FLOW, 260 * US);
	expect_none(260 * US);
	fcn_arn_sender_end_modes(&s, PORT, CLASS, FCN_ARN_MODE_SERVICE, 260 * US);
	expect(260 * US, 0, FCN_ARN_ENDED);
}

/* A halt that is passed on is not the queue's: it ends alone, whatever the queue's mode is. */
TEST(passed_on)
{
	struct fcn_arn_cause held = flow(1, 1), other = flow(2, 1);

	held.reason = FCN_ARN_REASON_HELD;
	other.reason = FCN_ARN_REASON_HELD;
	assert_true(fcn_arn_sender_halt(&s, &held, 0));
	assert_true(fcn_arn_sender_halt(&s, &other, 0));
	assert_true(halt(2, 1, 0)); /* which the queue needs, too */
	expect(0, 0, FCN_ARN_CONGESTION);
	expect(0, 0, FCN_ARN_CONGESTION);
	fcn_arn_sender_end(&s, PORT, CLASS, FCN_ARN_REASON_CONGESTED, 10 * US);
	fcn_arn_sender_end_modes(&s, PORT, CLASS, FCN_ARN_MODE_COUNT, 10 * US);
	expect_none(10 * US);
	fcn_arn_sender_end_one(&s, &held.key, FCN_ARN_REASON_HELD, 20 * US);
	expect(20 * US, 0, FCN_ARN_ENDED);
	expect_none(20 * US);
	fcn_arn_sender_end_one(&s, &held.key, FCN_ARN_REASON_HELD, 30 * US);
	expect_none(30 * US);
	fcn_arn_sender_end_one(&s, &other.key, FCN_ARN_REASON_HELD, 40 * US);
	expect(40 * US, 0, FCN_ARN_ENDED);
	assert_true(fcn_arn_sender_is_idle(&s));
}

/* A queue has its maximum of halts, and so has the worker; what is beyond is counted. */
TEST(full)
{
	struct fcn_arn_cause c;
	unsigned int n = 0;

	for (unsigned int i = 0; i < FCN_ARN_QUEUE_HALTS; i++)
		assert_true(halt(i, 1, i));
	assert_false(halt(FCN_ARN_QUEUE_HALTS, 1, 0));
	assert_int_equal(s.queue_full, 1);
	assert_true(halt(0, 1, 0));
	for (unsigned int i = FCN_ARN_QUEUE_HALTS; i < FCN_ARN_HALTS; i++) {
		c = flow(i, 1);
		c.key.port = PORT + i / FCN_ARN_QUEUE_HALTS;
		assert_true(fcn_arn_sender_halt(&s, &c, i));
	}
	c.key.port = 0;
	assert_false(fcn_arn_sender_halt(&s, &c, 0));
	assert_int_equal(s.table_full, 1);
	/* They are due in the order of their times. */
	for (unsigned int i = 0; i < FCN_ARN_HALTS; i++) {
		struct fcn_arn_message m;

		assert_int_equal(s.due_ns, i);
		assert_true(next(i, &m));
		assert_int_equal(m.arn.flow.src[15] | m.arn.flow.src[14] << 8, i);
	}
	for (unsigned int p = 0; p < 4; p++)
		fcn_arn_sender_end(&s, PORT + p, CLASS, FCN_ARN_REASON_CONGESTED, 20 * US);
	n = count(20 * US);
	assert_int_equal(n, FCN_ARN_HALTS);
	assert_true(fcn_arn_sender_is_idle(&s));
	assert_true(halt(1, 1, 30 * US));
}

/* A bucket delays messages to the time when it has a token, and no other bucket loses one. */
TEST(buckets)
{
	struct fcn_arn_bucket *const bucket[] = {&conf.queue, &conf.global, &conf.neighbour};
	uint64_t *const counter[] = {&s.bucket_queue, &s.bucket_global, &s.bucket_neighbour};

	for (unsigned int b = 0; b < 3; b++) {
		setup(NULL);
		*bucket[b] = (struct fcn_arn_bucket){10 * US, 2};
		for (unsigned int i = 0; i < 3; i++)
			halt(i, 1, 0);
		assert_int_equal(count(0), 2);
		assert_int_equal(*counter[b], 1);
		assert_int_equal(s.due_ns, 10 * US);
		expect_none(10 * US - 1);
		assert_int_equal(count(10 * US), 1);
		assert_int_equal(s.sent, 3);
		/* Not all ends get a token before the time is over. */
		end_queue(20 * US);
		bucket[b]->cost_ns = 1000 * US;
		assert_int_equal(count(20 * US), 1);
		assert_int_equal(count(2000 * US), 0);
		assert_int_equal(s.ended, 1);
		assert_int_equal(s.expired, 2);
		assert_true(fcn_arn_sender_is_idle(&s));
	}
}

/* A neighbour that cannot be reached is asked again after half of the time. */
TEST(unreachable)
{
	unreachable = 2;
	halt(1, 1 | 2, 0);
	expect(0, 0, FCN_ARN_CONGESTION);
	expect_none(0);
	assert_int_equal(s.unreachable, 1);
	unreachable = 0;
	expect(250 * US, 0, FCN_ARN_CONGESTION);
	expect(250 * US, 1, FCN_ARN_CONGESTION);
	assert_int_equal(s.sent, 2);
	assert_int_equal(s.refreshed, 1);
	/* Nobody has to be told of the end of what nobody was asked for. */
	unreachable = 7;
	halt(2, 4, 260 * US);
	expect_none(260 * US);
	end_queue(270 * US);
	assert_int_equal(s.n, 1);
}

/* Neighbours keep their halts when others are added in front of them, and those removed expire. */
TEST(reconfigure)
{
	halt(1, 1 | 4, 0);
	halt(2, 2, 0);
	assert_int_equal(count(0), 3);
	conf.n_neighbours = 2;
	conf.neighbour_addr[0][15] = 9;
	conf.neighbour_addr[1][15] = 3; /* number 2 before */
	fcn_arn_sender_reconfigure(&s, &conf, 10 * US);
	assert_int_equal(s.n, 1);
	assert_int_equal(s.expired, 1);
	end_queue(20 * US);
	expect(20 * US, 1, FCN_ARN_ENDED);
	expect_none(20 * US);
	halt(3, 1, 30 * US);
	fcn_arn_sender_forget(&s);
	assert_true(fcn_arn_sender_is_idle(&s));
	assert_int_equal(s.expired, 2);
	assert_int_equal(s.due_ns, FCN_ARN_NEVER);
}

/* The same address in another table is another neighbour. */
TEST(reconfigure_table)
{
	halt(1, 1, 0);
	assert_int_equal(count(0), 1);
	conf.neighbour_table[0] = 1;
	fcn_arn_sender_reconfigure(&s, &conf, 10 * US);
	assert_true(fcn_arn_sender_is_idle(&s));
	assert_int_equal(s.expired, 1);
	halt(1, 1, 20 * US);
	assert_int_equal(count(20 * US), 1);
	fcn_arn_sender_reconfigure(&s, &conf, 30 * US);
	assert_int_equal(s.n, 1);
}

/* A turn takes a bounded number of steps, and waits for buffers. */
TEST(budget)
{
	struct fcn_arn_message m;
	unsigned int budget = 3;

	for (unsigned int i = 0; i < 3; i++)
		halt(i, 1, 0);
	fcn_arn_sender_postpone(&s, 0);
	assert_int_equal(s.no_mbuf, 1);
	assert_false(fcn_arn_sender_next(&s, &conf, reach, &unreachable, 0, &budget, &m));
	assert_int_equal(s.due_ns, 10 * US);
	assert_true(fcn_arn_sender_next(&s, &conf, reach, &unreachable, 10 * US, &budget, &m));
	assert_int_equal(budget, 2);
	budget = 0;
	assert_false(fcn_arn_sender_next(&s, &conf, reach, &unreachable, 10 * US, &budget, &m));
	assert_int_equal(s.due_ns, 0 + 10 * US);
	fcn_arn_sender_clear_counters(&s);
	assert_int_equal(s.sent, 0);
	assert_int_equal(s.n, 3);
}

/* The messages are those of vector 15, made of the packets that they are about. */
TEST(vector)
{
	static const uint8_t from[16] = {0x20, 1, 0x0d, 0xb8, 0, 0x0f, [15] = 2};
	static const uint8_t to[16] = {0x20, 1, 0x0d, 0xb8, 0, 0x0f, [15] = 1};
	uint8_t built[FCN_ARN_MAX_PACKET_LEN];
	struct fcn_arn_message m;
	struct fcn_wire_info info;
	struct vectors v, data;
	uint32_t len;

	vectors_load(&v, "15_arn");
	vectors_load(&data, "06_srv6_encaps_srh");
	fcn_parse(data.data[0], data.len[0], data.len[0], &fcn_parse_default_codes, &info);
	for (unsigned int i = 0; i < 4; i++) {
		const enum fcn_arn_mode mode = i == 1   ? FCN_ARN_MODE_SERVICE
					       : i == 2 ? FCN_ARN_MODE_PRIORITY
							: FCN_ARN_MODE_FLOW;
		struct fcn_arn_cause c = flow(0, 1);

		setup(NULL);
		memset(&c.key.flow, 0, sizeof(c.key.flow));
		c.key.mode = mode;
		c.time_us = i == 2 ? 250 : 500;
		if (i != 2)
			assert_true(fcn_arn_flow_of(
					data.data[0], data.len[0], &info, mode, &c.key.flow));
		fcn_arn_sender_halt(&s, &c, 0);
		assert_true(next(0, &m));
		if (i == 3) {
			end_queue(1);
			assert_true(next(1, &m));
		}
		len = fcn_arn_build(&m.arn, from, to, 1022, built, sizeof(built));
		assert_int_equal(len + 14, v.len[i]);
		assert_memory_equal(built, v.data[i] + 14, len);
	}
	vectors_free(&data);
	vectors_free(&v);
}

/* A message waits as long as notices have used up their share of its link, and is not made twice.
 */
TEST(busy_link)
{
	busy_until = 30 * US;
	assert_true(halt(1, 0x3, 10 * US));
	expect_none(10 * US);
	assert_int_equal(s.due_ns, 30 * US);
	assert_int_equal(s.bucket_link, 1);
	assert_true(halt(1, 0x3, 20 * US)); /* a further packet of it */
	expect_none(30 * US - 1);
	expect(30 * US, 0, FCN_ARN_CONGESTION);
	expect(30 * US, 1, FCN_ARN_CONGESTION);
	expect_none(30 * US);
	assert_int_equal(s.sent, 2);
	assert_int_equal(s.bucket_link, 1);
}
