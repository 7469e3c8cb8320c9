/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* The parts of ingress ports in each bucket that notices share: of the congested queue, of the kind
 * and of the link. Each has a token each 1000 ns, and 8 at once. */

#include "notify_util.h"

#define SENT FCN_FASTCNP_SENT_OPT1
#define TOKEN_NS 1000
#define BURST 8
#define NOTICE_OCTETS (14 + 104 + 24)
#define LINK_PORT 2

static struct fcn_notify_link_shares links[FCN_MAX_PORTS];

TEST_FIXTURE(FCN_TEST_EAL, .setup = notify_setup, .teardown = notify_teardown);

static void
limit_queue(void)
{
	set_queue_bucket(TOKEN_NS, BURST);
}

static void
limit_kind(void)
{
	conf.kind[0].global_cost_ns = TOKEN_NS;
	conf.kind[0].global_burst = BURST;
}

/* A link may be in debt by one notice. */
static void
limit_link(void)
{
	conf.common.link[LINK_PORT] = (struct fcn_notify_link){
			((uint64_t)TOKEN_NS << FCN_NOTIFY_LINK_SHIFT) / NOTICE_OCTETS,
			(BURST - 1) * TOKEN_NS};
}

static const struct limit {
	void (*set)(void);
	enum fcn_notify_verdict empty;
} limits[] = {
		{limit_queue, FCN_NOTIFY_BUCKET_QUEUE},
		{limit_kind, FCN_NOTIFY_BUCKET_GLOBAL},
		{limit_link, FCN_NOTIFY_BUCKET_LINK},
};

static void
begin(const struct limit *limit)
{
	set_queue_bucket(0, 1);
	conf.kind[0].global_cost_ns = 0;
	conf.common.link[LINK_PORT] = (struct fcn_notify_link){0};
	memset(links, 0, sizeof(links));
	limit->set();
}

static enum fcn_notify_reach
find(struct fcn_notice_route *route, const uint8_t to[16], struct fcn_notify_way *way)
{
	RTE_SET_USED(route);
	RTE_SET_USED(to);
	*way = (struct fcn_notify_way){.port = LINK_PORT, .head = 14};
	return FCN_NOTIFY_REACH_ALL;
}

/* Ask n times at once. @return number of notices */
static unsigned int
sent_from(const struct limit *limit, uint16_t in_port, uint64_t now, unsigned int n)
{
	struct place place = place_of(7, FCN_NOTIFY_NONE);
	unsigned int sent = 0;
	struct packet p;

	place.at.in_port = in_port;
	place.at.find_route = find;
	place.at.link = links;
	packet_roce(&p, 1, 2, 3);
	while (n-- > 0) {
		const enum fcn_notify_verdict v = decide_at(&p, &place, now).verdict;

		assert_true(v == SENT || v == limit->empty);
		sent += v == SENT;
	}
	return sent;
}

/* A port that floods has all, until another wants a notice, too: this one has a half of it then,
 * each time that it wants one. */
TEST(bystander)
{
	for (size_t i = 0; i < RTE_DIM(limits); i++) {
		const uint64_t start = (i + 1) * UINT64_C(1000000000);
		unsigned int flood, bystander = 0, asked = 0;

		begin(&limits[i]);
		flood = sent_from(&limits[i], 1, start, 20);
		assert_int_equal(flood, BURST);
		for (uint64_t t = 100; t < 200000; t += 100) {
			flood += sent_from(&limits[i], 1, start + t, 2);
			if (t % 2500 == 0) {
				asked++;
				bystander += sent_from(&limits[i], 2, start + t, 1);
			}
		}
		/* It came when nothing was left. */
		assert_int_equal(asked, 79);
		assert_in_range(bystander, asked - 1, asked);
		assert_in_range(flood + bystander, 200, 200 + BURST);
	}
}

/* Ports that want as much as each other have all of the bucket at once: the half that is in no
 * part, and their parts. */
TEST(equals)
{
	for (size_t i = 0; i < RTE_DIM(limits); i++) {
		const uint64_t start = (i + 1) * UINT64_C(1000000000);
		unsigned int sent[3] = {0};

		begin(&limits[i]);
		for (unsigned int n = 0; n < 2 * BURST; n++)
			sent[1 + n % 2] += sent_from(&limits[i], (uint16_t)(1 + n % 2), start, 1);
		assert_int_equal(sent[1], BURST / 2);
		assert_int_equal(sent[2], BURST / 2);
	}
}

/* Interfaces of one port have one part together, by however many of them a host floods. */
TEST(interfaces)
{
	for (size_t i = 0; i < RTE_DIM(limits); i++) {
		const uint64_t start = (i + 1) * UINT64_C(1000000000);
		unsigned int flood = 0, other = 0;

		begin(&limits[i]);
		for (uint16_t port = 10; port < 20; port++)
			conf.common.part[port] = conf.common.part[1];
		for (uint64_t t = 0; t < 200000; t += 100) {
			for (uint16_t port = 10; port < 20; port++)
				flood += sent_from(&limits[i], port, start + t, 1);
			other += sent_from(&limits[i], 2, start + t, 1);
		}
		assert_in_range(other, 95, 105);
		assert_in_range(flood + other, 200, 200 + BURST);
	}
}
