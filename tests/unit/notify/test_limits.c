/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Minimum interval and buckets, on paper; and what the notice is made of. */

#include "notify_util.h"

#define SENT FCN_FASTCNP_SENT_OPT1
#define INTERVAL FCN_NOTIFY_INTERVAL
#define QUEUE FCN_NOTIFY_BUCKET_QUEUE
#define GLOBAL FCN_NOTIFY_BUCKET_GLOBAL
#define DESTINATION FCN_NOTIFY_BUCKET_DESTINATION

TEST_FIXTURE(FCN_TEST_EAL, .setup = notify_setup, .teardown = notify_teardown);

TEST(interval)
{
	struct packet p;

	conf.kind[0].interval_ns = 4000;
	packet_roce(&p, 1, 2, 3);
	assert_int_equal(decide_on(&p, 0, 100), SENT);
	assert_int_equal(decide_on(&p, 0, 100), INTERVAL);
	assert_int_equal(decide_on(&p, 0, 4099), INTERVAL);
	assert_int_equal(decide_on(&p, 0, 4100), SENT);
	/* Refusals do not begin the interval anew, and it is the flow's, whatever the port. */
	assert_int_equal(decide_on(&p, 1, 8099), INTERVAL);
	assert_int_equal(decide_on(&p, 1, 8100), SENT);
	assert_int_equal(count_of(1, INTERVAL), 1);
	conf.kind[0].interval_ns = 0;
	for (unsigned int i = 0; i < 10; i++)
		assert_int_equal(decide_on(&p, 0, 8100), SENT);
}

/* Times are kept in 32 bits: what was notified 4.4 s ago was not notified 105 ms ago. */
TEST(interval_of_seconds)
{
	struct packet p;

	conf.kind[0].interval_ns = 1000000000;
	packet_roce(&p, 1, 2, 3);
	for (uint64_t now = 0; now < UINT64_C(100000000000); now += UINT64_C(4400000000)) {
		assert_int_equal(decide_on(&p, 0, now), FCN_FASTCNP_SENT_OPT1);
		assert_int_equal(decide_on(&p, 0, now + 999999999), FCN_NOTIFY_INTERVAL);
	}
}

/*
 * An ICMPv6 error about a notice is believed for conf.recent_ns, 2 s, after the notice, although
 * the minimum interval is 4 us and the caches are aged every millisecond meanwhile.
 */
TEST(notified_recently)
{
	const uint64_t start = 5 * UINT64_C(1000000000), recent = 2 * UINT64_C(1000000000);
	const uint8_t *sender, *receiver;
	struct packet p;

	conf.kind[0].interval_ns = 4000;
	conf.kind[0].recent_ns = (uint32_t)recent;
	packet_roce(&p, 1, 2, 3);
	sender = p.f.data + 14 + 8;
	receiver = p.f.data + 14 + 24;
	assert_false(fcn_notify_was_notified(
			&notify[0], sender, receiver, p.info.dest_qp, start, (uint32_t)recent));
	assert_int_equal(decide_on(&p, 0, start), SENT);
	for (uint64_t now = start; now < start + 2 * recent; now += FCN_NOTIFY_AGE_NS) {
		fcn_notify_age(&conf.kind[0], &notify[0], now);
		assert_int_equal(fcn_notify_was_notified(&notify[0], sender, receiver,
						 p.info.dest_qp, now, (uint32_t)recent),
				now - start < recent);
	}
	/* A flow that is remembered for this longer time can be notified as soon as before. */
	assert_int_equal(decide_on(&p, 0, start + 2 * recent), SENT);
	assert_int_equal(decide_on(&p, 0, start + 2 * recent + 3999), INTERVAL);
	assert_int_equal(decide_on(&p, 0, start + 2 * recent + 4000), SENT);
	assert_int_equal(notify[0].forgotten, 0);
}

/* A flow is sender, receiver, queue pair; not its UDP source port. */
TEST(flow_key)
{
	struct packet p;

	conf.kind[0].interval_ns = 4000;
	packet_roce(&p, 1, 2, 3);
	assert_int_equal(decide_on(&p, 0, 0), SENT);
	packet_roce(&p, 4, 2, 3);
	assert_int_equal(decide_on(&p, 0, 0), SENT);
	packet_roce(&p, 1, 4, 3);
	assert_int_equal(decide_on(&p, 0, 0), SENT);
	packet_roce(&p, 1, 2, 4);
	assert_int_equal(decide_on(&p, 0, 0), SENT);
	packet_roce(&p, 1, 2, 3);
	p.f.data[p.f.udp] ^= 1;
	packet_parse(&p);
	assert_int_equal(decide_on(&p, 0, 0), INTERVAL);
}

static const struct fcn_fastcnp_conf build_conf = {.source = {0x20, 1, 0xd, 0xb8, [15] = 5},
		.opt1_type = 0x9E,
		.opt2_type = 0x9F,
		.dscp = 48,
		.hop_limit = 64};

/* The notice about a packet. @return its length */
static uint16_t
build_about(const struct packet *p, enum fcn_notify_verdict sent, uint8_t *buf)
{
	struct rte_mbuf m = {.buf_addr = buf};
	struct fcn_wire_info info;
	const struct fcn_notice_order order = {.data = p->f.data,
			.about = &p->info,
			.mbuf = &m,
			.info = &info,
			.form = sent - FCN_NOTIFY_SENT};

	fcn_notice_fastcnp.build(&fastcnp, &conf.common, &order, 1);
	assert_int_equal(m.pkt_len, info.ip_len);
	assert_int_equal(m.data_len, info.ip_len);
	return info.ip_len;
}

/* With a Segment Routing Header on its way, the receiver is the last segment. */
TEST(final_destination)
{
	struct packet p;
	uint8_t buf[512];
	uint8_t *srh;

	assert_int_equal(fcn_fastcnp_kind_init(&fastcnp, &build_conf), 0);
	conf.kind[0].interval_ns = 4000;
	for (unsigned int last = 1; last <= 2; last++) {
		frame_ether(&p.f, 0x86DD);
		frame_ip6(&p.f, 43);
		srh = frame_srh(&p.f, 17, 2, 1, 0);
		memcpy(srh + 8, (uint8_t[16]){0x20, 1, 0xd, 0xb8, [15] = (uint8_t)last}, 16);
		memcpy(srh + 24, p.f.data + 14 + 24, 16);
		frame_roce(&p.f, 64);
		packet_parse(&p);
		assert_int_equal(decide_on(&p, 0, 0), SENT); /* same active segment, two flows */
		build_about(&p, SENT, buf);
		assert_memory_equal(buf + 48, srh + 8, 16);           /* the receiver */
		assert_memory_equal(buf + 24, p.f.data + 14 + 8, 16); /* to the sender */
	}
	/* Arrived at the last one: the destination it is. */
	frame_ether(&p.f, 0x86DD);
	frame_ip6(&p.f, 43);
	frame_srh(&p.f, 17, 2, 0, 0);
	frame_roce(&p.f, 64);
	packet_parse(&p);
	build_about(&p, SENT, buf);
	assert_memory_equal(buf + 48, p.f.data + 14 + 24, 16);
	fcn_fastcnp_template_fini(&fastcnp.fastcnp);
}

/* Cost 1000 ns, burst 3. The bucket is full again at TAT. */
TEST(queue_bucket)
{
	static const struct {
		uint64_t now;
		enum fcn_notify_verdict want;
		uint64_t tat; /* behind it */
	} paper[] = {
			{0, SENT, 1000},
			{0, SENT, 2000},
			{0, SENT, 3000},
			{0, QUEUE, 3000},
			{999, QUEUE, 3000},
			{1000, SENT, 4000},
			{1000, QUEUE, 4000},
			{1999, QUEUE, 4000},
			{2500, SENT, 5000},
			{2500, QUEUE, 5000},
			{5000, SENT, 6000}, /* full: three at once */
			{5000, SENT, 7000},
			{5000, SENT, 8000},
			{5000, QUEUE, 8000},
			{1000000, SENT, 1001000}, /* and no more than three after any time */
			{1000000, SENT, 1002000},
			{1000000, SENT, 1003000},
			{1000000, QUEUE, 1003000},
	};
	struct decision d;
	struct place place;
	struct packet p;

	set_queue_bucket(1000, 3);
	packet_roce(&p, 1, 2, 3);
	for (size_t i = 0; i < RTE_DIM(paper); i++) {
		assert_int_equal(decide_on(&p, 7, paper[i].now), paper[i].want);
		assert_int_equal(notify[0].queue_tat[7][CLASS], paper[i].tat);
	}
	/* Another port has its own. */
	assert_int_equal(decide_on(&p, 8, 1000000), SENT);
	assert_int_equal(notify[0].queue_tat[8][CLASS], 1001000);
	assert_int_equal(count_of(7, QUEUE), 7);
	assert_int_equal(count_of(7, SENT), 11);
	/* So has another class of the port. */
	place = place_of(7, FCN_NOTIFY_NONE);
	place.at.class = CLASS + 1;
	d = decide_at(&p, &place, 1000000);
	assert_int_equal(d.verdict, SENT);
	assert_int_equal(notify[0].queue_tat[7][CLASS + 1], 1001000);
	assert_int_equal(notify[0].queue_tat[7][CLASS], 1003000);
	assert_int_equal(notify[0].stats[7][CLASS + 1].verdict[SENT], 1);
	assert_int_equal(count_of(7, SENT), 11);
	/* Burst 1: one each 1000 ns. */
	set_queue_bucket(1000, 1);
	assert_int_equal(decide_on(&p, 9, 0), SENT);
	assert_int_equal(decide_on(&p, 9, 999), QUEUE);
	assert_int_equal(decide_on(&p, 9, 1000), SENT);
	/* No limit. */
	set_queue_bucket(0, 1);
	for (unsigned int i = 0; i < 100; i++)
		assert_int_equal(decide_on(&p, 9, 1000), SENT);
}

/* A token a second and a hundred at once: the buckets are full again after 100 s. Other rates that
 * are configured then hold at once; the same rates give nothing away. */
TEST(new_rates)
{
	const uint64_t second = 1000000000;
	struct packet p;

	set_queue_bucket(second, 100);
	conf.kind[0].global_cost_ns = second;
	conf.kind[0].global_burst = 100;
	packet_roce(&p, 1, 2, 3);
	for (unsigned int i = 0; i < 100; i++)
		assert_int_equal(decide_on(&p, 7, 1), SENT);
	fcn_notify_reconfigure(&conf.kind[0], &notify[0], FCN_MAX_PORTS, 1);
	assert_int_equal(notify[0].queue_tat[7][CLASS], 1 + 100 * second);
	assert_int_equal(notify[0].global_tat, 1 + 100 * second);
	assert_int_equal(decide_on(&p, 7, 1), QUEUE);
	set_queue_bucket(1000, 3);
	conf.kind[0].global_cost_ns = 100;
	conf.kind[0].global_burst = 2;
	fcn_notify_reconfigure(&conf.kind[0], &notify[0], FCN_MAX_PORTS, 1);
	assert_int_equal(notify[0].queue_tat[7][CLASS], 3001);
	assert_int_equal(notify[0].global_tat, 201);
	assert_int_equal(decide_on(&p, 7, 1), QUEUE);
	assert_int_equal(decide_on(&p, 7, 1001), SENT);
}

/* One bucket for all queues, and no other's token is gone with its refusals. Cost 1000 ns, burst 2.
 */
TEST(global_bucket)
{
	static const struct {
		uint16_t port;
		uint64_t now;
		enum fcn_notify_verdict want;
		uint64_t tat; /* of all, behind it */
	} paper[] = {
			{0, 0, SENT, 1000},
			{1, 0, SENT, 2000},
			{2, 0, GLOBAL, 2000},
			{0, 999, GLOBAL, 2000},
			{0, 1000, SENT, 3000},
			{1, 1999, GLOBAL, 3000},
			{1, 2000, SENT, 4000},
			{63, 50000, SENT, 51000},
			{0, 50000, SENT, 52000},
			{1, 50000, GLOBAL, 52000},
	};
	struct packet p;

	conf.kind[0].global_cost_ns = 1000;
	conf.kind[0].global_burst = 2;
	set_queue_bucket(10, 5);
	packet_roce(&p, 1, 2, 3);
	for (size_t i = 0; i < RTE_DIM(paper); i++) {
		assert_int_equal(decide_on(&p, paper[i].port, paper[i].now), paper[i].want);
		assert_int_equal(notify[0].global_tat, paper[i].tat);
	}
	/* Counted on the queue that asked. */
	assert_int_equal(count_of(0, GLOBAL), 1);
	assert_int_equal(count_of(1, GLOBAL), 2);
	assert_int_equal(count_of(2, GLOBAL), 1);
	assert_int_equal(notify[0].queue_tat[2][CLASS], 0);
	assert_int_equal(notify[0].queue_tat[0][CLASS], 50010);
	/* Off: as many as one likes, and nothing is charged. */
	conf.kind[0].global_cost_ns = 0;
	set_queue_bucket(0, 1);
	for (unsigned int i = 0; i < 100; i++)
		assert_int_equal(decide_on(&p, 1, 50000), SENT);
	assert_int_equal(notify[0].global_tat, 52000);
}

/* A notice carries the hash its flow is spaced by: that of the filter and of episodes. */
TEST(flow_hash)
{
	uint64_t seen[8] = {0};
	unsigned int n = 0;
	struct packet p;

	conf.kind[0].interval_ns = 4000;
	for (unsigned int bits = 0; bits < 8; bits++) {
		struct decision d;

		packet_roce(&p, 1 + (bits & 1), 2 + (bits & 2), 3 + (bits & 4));
		d = decide(&p, 0, FCN_NOTIFY_NONE, 0);
		assert_int_equal(d.verdict, SENT);
		assert_true(d.flow == fcn_notify_flow_hash(&notify[0].key, p.f.data, &p.info));
		for (unsigned int i = 0; i < n; i++)
			assert_true(seen[i] != d.flow);
		seen[n++] = d.flow;
		/* The UDP source port is no part of it. */
		p.f.data[p.f.udp] ^= 1;
		packet_parse(&p);
		assert_true(d.flow == fcn_notify_flow_hash(&notify[0].key, p.f.data, &p.info));
		/* Nothing is made, nothing is said. */
		d = decide(&p, 0, FCN_NOTIFY_NONE, 0);
		assert_int_equal(d.verdict, INTERVAL);
	}
	/* What is not RoCEv2 is told apart by addresses and ports; what is not IP is one flow. */
	packet_roce(&p, 1, 2, 3);
	p.f.data[p.f.udp + 3] = 1;
	packet_parse(&p);
	assert_false(p.info.flags & FCN_PKT_ROCE);
	seen[0] = fcn_notify_flow_hash(&notify[0].key, p.f.data, &p.info);
	p.f.data[p.f.udp] ^= 1;
	packet_parse(&p);
	assert_true(fcn_notify_flow_hash(&notify[0].key, p.f.data, &p.info) != seen[0]);
	for (unsigned int k = 0; k < 2; k++) {
		frame_ether(&p.f, 0x0800);
		frame_ip4(&p.f, 17, 20);
		frame_roce(&p.f, 64);
		p.f.data[14 + 15] = k;
		packet_parse(&p);
		seen[k] = fcn_notify_flow_hash(&notify[0].key, p.f.data, &p.info);
	}
	assert_true(seen[0] != seen[1]);
	frame_ether(&p.f, 0x88CC);
	frame_zero(&p.f, 46);
	packet_parse(&p);
	assert_true(fcn_notify_flow_hash(&notify[0].key, p.f.data, &p.info) == 0);
}

TEST(destination_bucket)
{
	struct packet a, b;

	conf.kind[0].dest_cost_ns = 4000;
	conf.kind[0].dest_burst = 2;
	packet_roce(&a, 1, 2, 3);
	packet_roce(&b, 9, 2, 3);
	assert_int_equal(decide_on(&a, 0, 0), SENT);
	packet_roce(&a, 1, 8, 4); /* of the notices' receiver, whatever the flow and the port */
	assert_int_equal(decide_on(&a, 1, 0), SENT);
	assert_int_equal(decide_on(&a, 0, 3999), DESTINATION);
	assert_int_equal(decide_on(&b, 0, 3999), SENT);
	assert_int_equal(decide_on(&a, 0, 4000), SENT);
	assert_int_equal(decide_on(&a, 0, 4001), DESTINATION);
	conf.kind[0].dest_cost_ns = 0;
	for (unsigned int i = 0; i < 100; i++)
		assert_int_equal(decide_on(&a, 0, 4001), SENT);
}

/* Each limit refuses in turn; what it did not grant costs nothing of the others. */
TEST(refusal_spends_nothing)
{
	struct packet p, other;
	uint64_t all;

	conf.kind[0].interval_ns = 1000;
	set_queue_bucket(10000, 2);
	conf.kind[0].global_cost_ns = 10;
	conf.kind[0].global_burst = 1000;
	conf.kind[0].dest_cost_ns = 10000;
	conf.kind[0].dest_burst = 2;
	packet_roce(&p, 1, 2, 3);
	packet_roce(&other, 9, 2, 3);
	assert_int_equal(decide_on(&p, 0, 0), SENT);
	/* The interval refuses: a token each is left. */
	for (unsigned int i = 0; i < 20; i++)
		assert_int_equal(decide_on(&p, 0, 999), INTERVAL);
	assert_int_equal(notify[0].queue_tat[0][CLASS], 10000);
	/* The worker refuses. */
	for (unsigned int i = 0; i < 20; i++)
		assert_int_equal(decide(&p, 0, FCN_NOTIFY_NO_MBUF, 1000).verdict,
				FCN_NOTIFY_NO_MBUF);
	for (unsigned int i = 0; i < 20; i++)
		assert_int_equal(decide(&p, 0, FCN_NOTIFY_LIGHT_FLOW, 1000).verdict,
				FCN_NOTIFY_LIGHT_FLOW);
	assert_int_equal(notify[0].queue_tat[0][CLASS], 10000);
	assert_int_equal(decide_on(&p, 0, 1000), SENT);
	assert_int_equal(notify[0].queue_tat[0][CLASS], 20000);
	/* The queue refuses: neither the interval begins nor is the other receiver's token gone. */
	for (unsigned int i = 0; i < 20; i++)
		assert_int_equal(decide_on(&other, 0, 1000), QUEUE);
	assert_int_equal(decide_on(&other, 1, 1000), SENT); /* at once, by another port */
	assert_int_equal(decide_on(&other, 1, 2000), SENT);
	/* The receiver refuses: neither the queue's token nor all's nor the interval. */
	assert_int_equal(notify[0].queue_tat[1][CLASS], 21000);
	all = notify[0].global_tat;
	for (unsigned int i = 0; i < 20; i++)
		assert_int_equal(decide_on(&other, 2, 3000), DESTINATION);
	assert_int_equal(notify[0].queue_tat[2][CLASS], 0);
	assert_int_equal(notify[0].global_tat, all);
	assert_int_equal(decide_on(&other, 2, 11000), SENT); /* the receiver's next token */
	/* All together refuse: neither the queue's token nor the receiver's nor the interval. */
	conf.kind[0].global_burst = 1;
	conf.kind[0].global_cost_ns = 20000;
	assert_int_equal(decide_on(&p, 3, 30000), SENT);
	for (unsigned int i = 0; i < 20; i++)
		assert_int_equal(decide_on(&other, 4, 31000), GLOBAL);
	assert_int_equal(notify[0].queue_tat[4][CLASS], 0);
	conf.kind[0].global_cost_ns = 0;
	assert_int_equal(decide_on(&other, 4, 31000), SENT);
	assert_int_equal(decide_on(&other, 4, 32000), SENT); /* burst of 2: both were there */
}

/*
 * Of the limits the interval is named first, then what the worker says, then
 * the buckets: the queue's, that of all, the receiver's.
 */
TEST(order)
{
	struct packet p, q;

	conf.kind[0].interval_ns = 1000;
	set_queue_bucket(100000, 1);
	conf.kind[0].global_cost_ns = conf.kind[0].dest_cost_ns = 100000;
	packet_roce(&p, 1, 2, 3);
	packet_roce(&q, 1, 2, 4);
	assert_int_equal(decide_on(&p, 0, 0), SENT);
	/* all refuse */
	assert_int_equal(decide(&p, 0, FCN_NOTIFY_NO_MBUF, 1).verdict, INTERVAL);
	assert_int_equal(decide(&q, 0, FCN_NOTIFY_NO_MBUF, 1).verdict, FCN_NOTIFY_NO_MBUF);
	assert_int_equal(decide_on(&q, 0, 1), QUEUE);
	assert_int_equal(decide_on(&q, 1, 1), GLOBAL);
	conf.kind[0].global_cost_ns = 0;
	assert_int_equal(decide_on(&q, 1, 1), DESTINATION);
}

/* Random arrivals: wanted = sent + suppressed, on each port and in sum. */
TEST(wanted)
{
	uint64_t seed = 3, now = 0, due[4] = {0}, sum = 0;

	conf.kind[0].interval_ns = 4000;
	set_queue_bucket(6000, 2);
	conf.kind[0].global_cost_ns = 1600;
	conf.kind[0].global_burst = 4;
	conf.kind[0].dest_cost_ns = 7000;
	conf.kind[0].dest_burst = 3;
	for (unsigned int i = 0; i < 20000; i++) {
		uint64_t r = fcn_test_random(&seed);
		uint16_t port = r % 4;
		struct packet p;

		now += r >> 8 & 0x3FF;
		packet_roce(&p, 1 + (r >> 20) % 5, 1 + (r >> 24) % 3, (r >> 28) % 4);
		if ((r >> 40) % 8 == 0) {
			p.f.data[p.f.udp + 8] = 0x11;
			packet_parse(&p);
		} else {
			due[port]++;
		}
		decide(&p, port,
				(r >> 44) % 16 == 0   ? FCN_NOTIFY_NO_MBUF
				: (r >> 44) % 16 == 1 ? FCN_NOTIFY_LIGHT_FLOW
						      : FCN_NOTIFY_NONE,
				now);
	}
	for (uint16_t port = 0; port < 4; port++) {
		uint64_t sent = 0, suppressed = 0, other = 0;

		for (unsigned int v = 0; v < FCN_NOTIFY_VERDICT_COUNT; v++) {
			uint64_t n = count_of(port, v);

			sent += fcn_notify_verdict_is_sent(v) ? n : 0;
			suppressed += fcn_notify_verdict_is_suppressed(v) ? n : 0;
			other += n;
		}
		assert_int_equal(sent + suppressed, due[port]);
		assert_true(sent > 100);
		sum += other;
		for (unsigned int v = FCN_NOTIFY_INTERVAL; v <= FCN_NOTIFY_BUCKET_DESTINATION; v++)
			assert_true(count_of(port, v) > 10);
	}
	assert_int_equal(sum, 20000);
}

/* Option 2 holds 57 words; a trace of more is told from option 1 chosen for want of one. */
TEST(options)
{
	static const struct {
		unsigned int words;
		enum fcn_notify_verdict want;
	} cases[] = {{0, FCN_FASTCNP_SENT_OPT2}, {1, FCN_FASTCNP_SENT_OPT2},
			{56, FCN_FASTCNP_SENT_OPT2}, {57, FCN_FASTCNP_SENT_OPT2},
			{58, FCN_FASTCNP_SENT_TOO_LONG}, {61, FCN_FASTCNP_SENT_TOO_LONG}};
	struct packet p;
	uint8_t buf[512];

	assert_int_equal(fcn_fastcnp_kind_init(&fastcnp, &build_conf), 0);
	for (size_t i = 0; i < RTE_DIM(cases); i++) {
		bool opt2 = cases[i].want == FCN_FASTCNP_SENT_OPT2;
		/* 40 + header 32 + 4L rounded up to 8, + 40; option 1: 104 */
		uint32_t len = opt2 ? 80 + RTE_ALIGN_CEIL(32 + 4 * cases[i].words, 8) : 104;
		const uint8_t *bth;

		packet_ioam(&p, cases[i].words);
		assert_true(p.info.flags & FCN_PKT_IOAM_TRACE);
		assert_int_equal(decide_on(&p, 0, 0), cases[i].want);
		assert_int_equal(build_about(&p, cases[i].want, buf), len);
		bth = buf + len - 40 + 8;
		assert_int_equal(bth[-8] << 8 | bth[-7], 0xC0DE); /* UDP source port */
		assert_int_equal(bth[2] << 8 | bth[3], 0xABCD);   /* P_Key */
		assert_int_equal(bth[5] << 16 | bth[6] << 8 | bth[7], 0x123456);
		if (opt2) {
			assert_memory_equal(
					buf + 48, p.f.data + 14 + 40 + 8, 8 + 4 * cases[i].words);
			assert_int_equal(buf[47], 0); /* IOAM Opt-Type */
		}
		assert_int_equal(buf[40 + (opt2 ? 4 : 6)], opt2 ? 0x9F : 0x9E);
	}
	fcn_fastcnp_template_fini(&fastcnp.fastcnp);
	/* A malformed trace selects option 1, and no complaint about its length. */
	packet_ioam(&p, 3);
	p.f.data[14 + 40 + 10] = 2 << 3; /* NodeLen does not match the type */
	packet_parse(&p);
	assert_true(p.info.flags & FCN_PKT_IOAM_INVALID);
	assert_int_equal(decide_on(&p, 0, 0), SENT);
}

/* Decide about a packet that an ingress port received. */
static enum fcn_notify_verdict
decide_from(const struct packet *p, uint16_t in_port, uint64_t now)
{
	struct place place = place_of(7, FCN_NOTIFY_NONE);

	place.at.in_port = in_port;
	return decide_at(p, &place, now).verdict;
}

/* Ask n times at once. @return number of notices */
static unsigned int
sent_from(const struct packet *p, uint16_t in_port, uint64_t now, unsigned int n)
{
	unsigned int sent = 0;

	while (n-- > 0) {
		const enum fcn_notify_verdict v = decide_from(p, in_port, now);

		assert_true(v == SENT || v == QUEUE);
		sent += v == SENT;
	}
	return sent;
}

/*
 * One notice each 1000 ns, 8 at once. Port 1 floods the queue and has all of that, until port 2
 * wants notices, too: each has a share of a notice each 2000 ns then, 2 at once, and the last 4
 * that are there are for shares only. As all are gone at first, port 2 has to wait for the next
 * one; what port 1 has taken counts as its share, which is empty until 4000.
 */
TEST(shares)
{
	unsigned int flood = 0, bystander = 0, asked = 0;
	struct packet p;

	set_queue_bucket(1000, 8);
	packet_roce(&p, 1, 2, 3);
	assert_int_equal(sent_from(&p, 1, 0, 20), 8);
	assert_int_equal(sent_from(&p, 2, 100, 20), 0);
	assert_int_equal(sent_from(&p, 1, 1999, 20), 0);
	assert_int_equal(sent_from(&p, 2, 1999, 20), 1);
	/* Three are there. */
	assert_int_equal(sent_from(&p, 1, 4000, 20), 2);
	assert_int_equal(sent_from(&p, 2, 4000, 20), 1);
	/* A bystander that wants one each 5000 ns has all of them, whatever the other does, which
	 * has the rest: 8 at once and 200, less what is there at the end, 3 to 5. */
	for (uint64_t now = 20000; now < 220000; now += 100) {
		flood += sent_from(&p, 1, now, 2);
		if (now % 5000 == 0) {
			asked++;
			bystander += sent_from(&p, 2, now, 1);
		}
	}
	assert_int_equal(asked, 40);
	assert_int_equal(bystander, asked);
	assert_in_range(flood, 208 - 40 - 5, 208 - 40 - 3);
	/* It wants none for two intervals: the other has all again. */
	assert_int_equal(sent_from(&p, 1, 5000000, 20), 8);
	/* The next one after that is not the other's. */
	assert_int_equal(sent_from(&p, 2, 5000001, 1), 0);
	assert_int_equal(sent_from(&p, 1, 5001000, 1), 0);
	assert_int_equal(sent_from(&p, 2, 5001000, 1), 1);
}

/*
 * A slow bucket: one notice each 2 ms, 16 at once. A flood that comes each 2 ms is not alone when
 * the bystander is silent for 5 ms, as the bucket takes 32 ms to fill: it does not take the half
 * that is kept. The flood has emptied the bucket when the bystander comes first, which can then
 * miss the notices of the time in which the first tokens come, 2 ms each.
 */
TEST(shares_of_a_slow_bucket)
{
	const uint64_t ms = 1000000;
	unsigned int bystander = 0, asked = 0;
	struct packet p;

	set_queue_bucket(2 * ms, 16);
	packet_roce(&p, 1, 2, 3);
	assert_int_equal(sent_from(&p, 1, 0, 20), 16);
	for (uint64_t t = 1; t <= 1000; t++) {
		if (t % 2 == 0)
			sent_from(&p, 1, t * ms, 5);
		if (t % 5 == 0) {
			asked++;
			bystander += sent_from(&p, 2, t * ms + 1, 1);
		}
	}
	assert_int_equal(asked, 200);
	assert_in_range(bystander, asked - 1, asked);
}
