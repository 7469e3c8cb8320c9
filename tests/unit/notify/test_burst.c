/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Limits while packets of one queue are decided about at one time: which of the packets get notices
 * and what becomes of the buckets, on paper.
 */

#include "fcn_notify_limits.h"
#include "notify_util.h"

#define PACKETS 8
#define NOW 1000000
#define SENT FCN_FASTCNP_SENT_OPT1
#define NO_PORT 200 /* last byte of senders that have no route */

static struct packet packet[PACKETS];
static struct fcn_notify_case cases[PACKETS];
static struct fcn_notify_link_shares links[FCN_MAX_PORTS];

/* Senders whose last byte is even are behind port 2, the others behind port 3. */
static struct fcn_notify_found
find(void *arg, const struct fcn_notify_case *c)
{
	const uint8_t sender = c->due.to[15];
	unsigned int *calls = arg;

	++*calls;
	return (struct fcn_notify_found){
			.reach = sender == NO_PORT ? FCN_NOTIFY_REACH_NONE : FCN_NOTIFY_REACH_ALL,
			.way = {.port = 2 + sender % 2, .head = 14}};
}

/* Make packets of flows of their own. */
static void
make_packets(const uint8_t sender[PACKETS])
{
	for (unsigned int i = 0; i < PACKETS; i++)
		packet_roce(&packet[i], sender[i], 9, (uint8_t)i);
}

/* Decide about all packets. @return calls of find() */
static unsigned int
decide_all(const enum fcn_notify_verdict want[PACKETS])
{
	const struct fcn_notify_place place = {.port = 1, .class = CLASS, .link = links};
	struct fcn_notify_limits limits;
	struct fcn_notify_found found;
	unsigned int calls = 0;

	for (unsigned int i = 0; i < PACKETS; i++) {
		cases[i].data = packet[i].f.data;
		cases[i].info = &packet[i].info;
	}
	conf.kind[0].kind->prepare(&conf.kind[0], &notify[0], cases, PACKETS);
	fcn_notify_limits_begin(&limits, &conf.kind[0], &notify[0], &place, NOW, PACKETS);
	for (unsigned int i = 0; i < PACKETS; i++) {
		assert_int_equal(cases[i].due.reason, FCN_NOTIFY_NONE);
		assert_int_equal(fcn_notify_limit(&limits, &cases[i], find, &calls, &found),
				want[i]);
	}
	fcn_notify_limits_end(&limits);
	return calls;
}

static void
clear_links(void)
{
	memset(links, 0, sizeof(links));
}

TEST_FIXTURE(FCN_TEST_EAL, .setup = notify_setup, .teardown = notify_teardown);

/* A queue with a bucket of three. Flows that were told in this burst meet their interval first. */
TEST(queue)
{
	clear_links();
	conf.kind[0].interval_ns = 1000;
	set_queue_bucket(5000, 3);
	make_packets((const uint8_t[PACKETS]){1, 2, 3, 4, 5, 6, 7, 8});
	packet_roce(&packet[1], 1, 9, 0); /* the flow of the first one */
	assert_int_equal(decide_all((const enum fcn_notify_verdict[PACKETS]){SENT,
					 FCN_NOTIFY_INTERVAL, SENT, SENT, FCN_NOTIFY_BUCKET_QUEUE,
					 FCN_NOTIFY_BUCKET_QUEUE, FCN_NOTIFY_BUCKET_QUEUE,
					 FCN_NOTIFY_BUCKET_QUEUE}),
			7);
	assert_int_equal(notify[0].queue_tat[1][CLASS], NOW + 15000);
}

/* The bucket of the kind has four tokens, and two of them are gone. */
TEST(global)
{
	clear_links();
	conf.kind[0].global_cost_ns = 3000;
	conf.kind[0].global_burst = 4;
	notify[0].global_tat = NOW + 6000;
	make_packets((const uint8_t[PACKETS]){1, 2, NO_PORT, 4, 5, 6, 7, 8});
	decide_all((const enum fcn_notify_verdict[PACKETS]){SENT, SENT, FCN_NOTIFY_UNREACHABLE,
			FCN_NOTIFY_BUCKET_GLOBAL, FCN_NOTIFY_BUCKET_GLOBAL,
			FCN_NOTIFY_BUCKET_GLOBAL, FCN_NOTIFY_BUCKET_GLOBAL,
			FCN_NOTIFY_BUCKET_GLOBAL});
	assert_int_equal(notify[0].global_tat, NOW + 12000);
}

/*
 * Two links, of which each packet takes the other one. A notice is 104 bytes behind 14, and 24 more
 * on the line: 142 ns on port 2, where an octet takes 1 ns, and 284 ns on port 3. A link may be in
 * debt by one notice: port 2 has room for 200 ns, so for two notices, and port 3 for 600 ns, for
 * three.
 */
TEST(links_in_turn)
{
	clear_links();
	conf.common.link[2] = (struct fcn_notify_link){1 << FCN_NOTIFY_LINK_SHIFT, 200};
	conf.common.link[3] = (struct fcn_notify_link){2 << FCN_NOTIFY_LINK_SHIFT, 600};
	make_packets((const uint8_t[PACKETS]){2, 1, 4, 3, 6, 5, 8, 7});
	decide_all((const enum fcn_notify_verdict[PACKETS]){SENT, SENT, SENT, SENT,
			FCN_NOTIFY_BUCKET_LINK, SENT, FCN_NOTIFY_BUCKET_LINK,
			FCN_NOTIFY_BUCKET_LINK});
	assert_int_equal(links[2].full, NOW + 2 * 142);
	assert_int_equal(links[3].full, NOW + 3 * 284);
}

/* A limit that refuses takes no token of another: the link is asked before the queue, and the queue
 * before the receiver. The bucket of a receiver has one token. */
TEST(order)
{
	clear_links();
	conf.common.link[3] = (struct fcn_notify_link){1 << FCN_NOTIFY_LINK_SHIFT, 0};
	conf.kind[0].dest_cost_ns = 1000;
	set_queue_bucket(1000, 3);
	make_packets((const uint8_t[PACKETS]){1, 1, 2, 2, 4, 4, 6, 1});
	decide_all((const enum fcn_notify_verdict[PACKETS]){SENT, FCN_NOTIFY_BUCKET_LINK, SENT,
			FCN_NOTIFY_BUCKET_DESTINATION, SENT, FCN_NOTIFY_BUCKET_QUEUE,
			FCN_NOTIFY_BUCKET_QUEUE, FCN_NOTIFY_BUCKET_LINK});
	assert_int_equal(links[3].full, NOW + 142);
	assert_int_equal(notify[0].queue_tat[1][CLASS], NOW + 3000);
}
