/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Limits that depend on the link by which a notice leaves, on paper. */

#include "notify_util.h"

#define SENT FCN_FASTCNP_SENT_OPT1
#define QUEUE FCN_NOTIFY_BUCKET_QUEUE
#define LINK FCN_NOTIFY_BUCKET_LINK
#define DESTINATION FCN_NOTIFY_BUCKET_DESTINATION

TEST_FIXTURE(FCN_TEST_EAL, .setup = notify_setup, .teardown = notify_teardown);

/* By which port the notice leaves, and its Ethernet header. */
static enum fcn_notify_reach
by_port_2(struct fcn_notice_route *route, const uint8_t to[16], struct fcn_notify_way *way)
{
	RTE_SET_USED(route);
	RTE_SET_USED(to);
	*way = (struct fcn_notify_way){.port = 2, .head = 14};
	return FCN_NOTIFY_REACH_ALL;
}

/*
 * A Fast CNP with option 1 takes 14 + 104 + 24 = 142 octets on the line. At 80 ns for each, which
 * is a tenth of 1 Gbit/s, these are 11360 ns. With a burst of 20000 ns, another is sent as long as
 * the bucket is full in 20000 ns or earlier.
 */
TEST(link)
{
	static const struct {
		uint64_t now;
		enum fcn_notify_verdict want;
		uint64_t full; /* behind it */
	} paper[] = {
			{0, SENT, 11360},
			{0, SENT, 22720},
			{0, LINK, 22720}, /* in debt: 22720 > 20000 */
			{2719, LINK, 22720},
			{2720, SENT, 34080},
			{2720, LINK, 34080},
			{14079, LINK, 34080},
			{14080, SENT, 45440},
			{1000000, SENT, 1011360}, /* no more than two after any time */
			{1000000, SENT, 1022720},
			{1000000, LINK, 1022720},
	};
	struct fcn_notify_link_shares links[FCN_MAX_PORTS] = {0};
	struct place place = place_of(7, FCN_NOTIFY_NONE);
	struct packet p;

	conf.common.link[2] = (struct fcn_notify_link){80 << FCN_NOTIFY_LINK_SHIFT, 20000};
	conf.kind[0].global_cost_ns = 1;
	conf.kind[0].global_burst = 1000;
	place.at.find_route = by_port_2;
	place.at.link = links;
	packet_roce(&p, 1, 2, 3);
	for (size_t i = 0; i < RTE_DIM(paper); i++) {
		const uint64_t tokens = notify[0].global_tat;
		const struct decision d = decide_at(&p, &place, paper[i].now);

		assert_int_equal(d.verdict, paper[i].want);
		assert_int_equal(links[2].full, paper[i].full);
		/* Who is not told is marked, and no other bucket has lost a token. */
		assert_int_equal(d.mark, true);
		if (d.verdict == LINK)
			assert_int_equal(notify[0].global_tat, tokens);
	}
	assert_int_equal(count_of(7, LINK), 5);
	/* All queues share the link. */
	place.at.port = 8;
	assert_int_equal(decide_at(&p, &place, 1000000).verdict, LINK);
	/* What another bucket refuses is not charged. */
	set_queue_bucket(1000, 1);
	place.at.port = 7;
	assert_int_equal(decide_at(&p, &place, 3000000).verdict, SENT);
	assert_int_equal(links[2].full, 3011360);
	assert_int_equal(decide_at(&p, &place, 3000000).verdict, QUEUE);
	assert_int_equal(links[2].full, 3011360);
	/* No limit. */
	set_queue_bucket(0, 1);
	conf.common.link[2] = (struct fcn_notify_link){0};
	for (unsigned int i = 0; i < 100; i++)
		assert_int_equal(decide_at(&p, &place, 3000000).verdict, SENT);
}

/* The fraction of a nanosecond is rounded up, and a frame has at least 84 octets on the line. */
TEST(link_cost)
{
	struct fcn_notify_link link = {.cost = 52429}; /* 0.8 ns at a tenth of 100 Gbit/s */
	uint64_t full = 0;

	fcn_notify_link_charge(&link, &full, 1294, 1000);
	assert_int_equal(full, 1000 + 1055); /* 1318 * 0.8 = 1054.4 */
	fcn_notify_link_charge(&link, &full, 1, 1000);
	assert_int_equal(full, 2055 + 68); /* 84 * 0.8 = 67.2 */
	link.cost = FCN_NOTIFY_LINK_MAX_COST;
	fcn_notify_link_charge(&link, &full, 2000, 1000);
	assert_int_equal(full, 2123 + (UINT64_C(2024) << 28));
}

/* Port by which a notice would leave. */
static uint16_t way_port;

static enum fcn_notify_reach
by_port(struct fcn_notice_route *route, const uint8_t sender[16], struct fcn_notify_way *way)
{
	RTE_SET_USED(route);
	RTE_SET_USED(sender);
	*way = (struct fcn_notify_way){.port = way_port};
	return FCN_NOTIFY_REACH_ALL;
}

/* Count the notices to the sender of a packet that are sent at one time, by way_port. */
static unsigned int
sent_at_once(const struct packet *p, uint64_t now)
{
	static struct fcn_notify_link_shares links[FCN_MAX_PORTS];
	struct place place = place_of(0, FCN_NOTIFY_NONE);
	unsigned int n = 0;

	place.at.find_route = by_port;
	place.at.link = links;
	while (decide_at(p, &place, now).verdict == SENT)
		n++;
	assert_int_equal(decide_at(p, &place, now).verdict, DESTINATION);
	return n;
}

/* The bucket of a receiver can follow the link by which its notices leave. */
TEST(destination_bucket_by_link)
{
	struct packet a, b, c;

	conf.common.receiver_by_link = true;
	conf.common.receiver[1] = (struct fcn_notify_bucket){400, 160};
	conf.common.receiver[2] = (struct fcn_notify_bucket){1000, 64};
	conf.kind[0].dest_cost_ns = 1000;
	conf.kind[0].dest_burst = 10;
	packet_roce(&a, 1, 2, 3);
	packet_roce(&b, 9, 2, 3);
	packet_roce(&c, 7, 2, 3);
	way_port = 1;
	assert_int_equal(sent_at_once(&a, 0), 160);
	way_port = 2;
	assert_int_equal(sent_at_once(&b, 0), 64);
	way_port = FCN_NOTIFY_NO_LINK;
	assert_int_equal(sent_at_once(&c, 0), 10);
	/* It is one bucket by whatever link: none of them finds that of the other full. */
	way_port = 2;
	assert_int_equal(sent_at_once(&a, 0), 0);
	way_port = 1;
	assert_int_equal(sent_at_once(&b, 399), 0);
	assert_int_equal(sent_at_once(&a, 400), 1);
	assert_int_equal(sent_at_once(&b, 400), 1);
}
