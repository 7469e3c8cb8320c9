/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * When frames leave, to the nanosecond: pacing, turns, windows, pauses. The endpoint is alone; its
 * line is as fast as the test is.
 */

#include "endpoint_state.h"
#include "fcn_test.h"
#include "pair.h"

#define FULL_BITS ((1102 + 24) * 8) /* of a full packet on the wire */
#define SECOND UINT64_C(1000000000)
#define LONG_MESSAGE (UINT64_C(1) << 30)

static struct pair p;
static uint8_t frame[FCN_ENDPOINT_MAX_FRAME];

/* Queue pairs of endpoint 0 with a lot to send. */
static void
start(unsigned int n, const uint64_t *rate, const uint8_t *dscp, uint32_t *number)
{
	pair_start(&p);
	for (unsigned int i = 0; i < n; i++) {
		uint32_t qp[2];

		pair_connect(&p, qp, dscp[i], rate[i]);
		number[i] = qp[0];
		assert_int_equal(fcn_endpoint_post(p.ep[0], qp[0], LONG_MESSAGE, 0, 0), 0);
	}
}

/* To which queue pair of endpoint 1 a frame is. */
static uint32_t
dest_qp(void)
{
	return (uint32_t)frame[14 + 40 + 8 + 5] << 16 | (uint32_t)frame[14 + 40 + 8 + 6] << 8 |
	       frame[14 + 40 + 8 + 7];
}

/* The next frame as soon as there is one. @return the time */
static uint64_t
next_frame(uint64_t now)
{
	while (fcn_endpoint_send(p.ep[0], frame, sizeof(frame), now) == 0) {
		uint64_t next = fcn_endpoint_next(p.ep[0], now);

		assert_true(next > now && next != FCN_ENDPOINT_NEVER);
		now = next;
	}
	return now;
}

TEST_FIXTURE(FCN_TEST_EAL);

TEST(rate_is_exact)
{
	static const uint64_t rates[] = {1000000, 7000000000, 9999999967, 33333333333, PAIR_BPS};

	for (unsigned int r = 0; r < RTE_DIM(rates); r++) {
		uint64_t now = 0;
		uint32_t qp;

		pair_init(&p);
		p.conf[0].timeout_ns = 0;
		start(1, &rates[r], (const uint8_t[]){26}, &qp);
		for (uint64_t k = 0; k < 3000; k++) {
			/* First whole nanosecond not before k frames' time, from the first one on.
			 */
			uint64_t bits = k * FULL_BITS;
			uint64_t due = bits / rates[r] * SECOND +
				       (bits % rates[r] * SECOND + rates[r] - 1) / rates[r];

			now = next_frame(now);
			assert_int_equal(now, due);
		}
		pair_stop(&p);
	}
}

/* Packets that pad and end a message count what they are. */
TEST(short_packets)
{
	static const uint64_t sizes[] = {1, 100, 1024, 1500};
	static const uint64_t lengths[] = {82, 178, 1102, 1102, 554}; /* 476 = 1500 - 1024 */
	const uint64_t rate = 1000000007;
	uint64_t bits = 0, now = 0;
	uint32_t qp[2];

	pair_init(&p);
	p.conf[0].timeout_ns = 0;
	pair_start(&p);
	pair_connect(&p, qp, 26, rate);
	for (unsigned int i = 0; i < RTE_DIM(sizes); i++)
		fcn_endpoint_post(p.ep[0], qp[0], sizes[i], 0, 0);
	for (unsigned int i = 0; i < RTE_DIM(lengths); i++) {
		now = next_frame(now);
		assert_int_equal(now, (bits * SECOND + rate - 1) / rate);
		bits += (lengths[i] + 24) * 8;
	}
	assert_int_equal(fcn_endpoint_next(p.ep[0], now), FCN_ENDPOINT_NEVER);
	/* What was idle does not make up for it. */
	fcn_endpoint_post(p.ep[0], qp[0], 2048, 0, 1000000);
	assert_int_equal(next_frame(1000000), 1000000);
	assert_int_equal(next_frame(1000000), 1000000 + (FULL_BITS * SECOND + rate - 1) / rate);
	pair_stop(&p);
}

TEST(turns)
{
	const uint64_t rate[3] = {0};
	uint32_t qp[3];

	pair_init(&p);
	p.conf[0].timeout_ns = 0;
	start(3, rate, (const uint8_t[]){26, 26, 34}, qp);
	/* All due twice, on a line so slow that they always are; so fast that all go at once. */
	for (unsigned int i = 0; i < 300; i++) {
		uint64_t now = i / 6 * 100000;

		assert_int_equal(next_frame(1000000 + now), 1000000 + now);
		assert_int_equal(dest_qp(), qp[i % 3]);
	}
	pair_stop(&p);
}

/* Of a fast and a slow one that share a slow line, the slow one loses nothing. */
TEST(meeting)
{
	const uint64_t rate[] = {10000000000, 1000000000};
	uint64_t slow = 0, now = 0;
	uint32_t qp[2];

	pair_init(&p);
	p.conf[0].timeout_ns = 0;
	start(2, rate, (const uint8_t[]){26, 26}, qp);
	while (now < 10000000) {
		now = next_frame(now);
		slow += dest_qp() == qp[1];
		now += FULL_BITS / 11; /* a line of 11 Gb/s: both fit, but never at once */
	}
	/* 1 Gb/s for 10 ms are 1110.1 packets. */
	assert_in_range(slow, 1109, 1111);
	pair_stop(&p);
}

static void
feed_pause(uint8_t class, uint16_t quanta, uint64_t now)
{
	uint8_t pause[60] = {
			1, 0x80, 0xc2, 0, 0, 1, 2, [12] = 0x88, 8, 1, 1, 0, (uint8_t)(1u << class)};

	pause[18 + 2 * class] = (uint8_t)(quanta >> 8);
	pause[19 + 2 * class] = (uint8_t)quanta;
	fcn_endpoint_receive(p.ep[0], pause, sizeof(pause), now);
}

TEST(pause)
{
	const uint64_t rate[2] = {0};
	struct fcn_endpoint_counters n;
	uint32_t qp[2];
	uint64_t now;

	pair_init(&p);
	p.conf[0].timeout_ns = 0;
	start(2, rate, (const uint8_t[]){26, 34}, qp);
	next_frame(0);
	assert_int_equal(dest_qp(), qp[0]);
	/* 100 quanta are 51200 bits, at 100 Gb/s 512 ns. */
	feed_pause(3, 100, 1000);
	now = next_frame(1000);
	assert_int_equal(dest_qp(), qp[1]);
	now = next_frame(now + 200);
	assert_int_equal(dest_qp(), qp[1]);
	feed_pause(4, 1000, 1300);
	assert_int_equal(fcn_endpoint_send(p.ep[0], frame, sizeof(frame), 1400), 0);
	assert_int_equal(fcn_endpoint_next(p.ep[0], 1400), 1512);
	assert_int_equal(fcn_endpoint_send(p.ep[0], frame, sizeof(frame), 1511), 0);
	/* Its turn, once the pause is over; the other goes on when it is told to. */
	assert_int_equal(next_frame(1512), 1512);
	assert_int_equal(dest_qp(), qp[0]);
	feed_pause(3, 65535, 1600);
	feed_pause(3, 10, 1650); /* the newest counts: until 1702 (51.2 ns, up) */
	feed_pause(4, 0, 1660);
	assert_int_equal(next_frame(1660), 1660);
	assert_int_equal(dest_qp(), qp[1]);
	fcn_endpoint_counters(p.ep[0], &n, 1680);
	assert_int_equal(n.paused_ns[3], 512 + 80);
	assert_int_equal(n.paused_ns[4], 360);
	fcn_endpoint_counters(p.ep[0], &n, 5000);
	assert_int_equal(n.paused_ns[3], 512 + 102);
	now = next_frame(1800);
	fcn_endpoint_counters(p.ep[0], &n, 5000);
	assert_int_equal(n.paused_ns[3], 512 + 102);
	assert_int_equal(n.pfc_received, 5);

	static const uint64_t told[][3] = {{3, 1, 1000}, {4, 1, 1300}, {3, 0, 1512}, {3, 1, 1600},
			{4, 0, 1660}, {3, 0, 1702}};

	assert_int_equal(pair_n_events(&p, 0, FCN_ENDPOINT_PAUSE), RTE_DIM(told));
	for (unsigned int i = 0; i < RTE_DIM(told); i++) {
		const struct fcn_endpoint_event *ev = pair_event(&p, 0, FCN_ENDPOINT_PAUSE, i);

		assert_int_equal(ev->qp, told[i][0]);
		assert_int_equal(ev->value, told[i][1]);
		assert_int_equal(ev->time_ns, told[i][2]);
	}
	pair_stop(&p);
}

/* PAUSE stops all, CNPs and acknowledgements too; other MAC Control frames nothing. */
TEST(pause_of_all)
{
	uint8_t pause[60] = {1, 0x80, 0xc2, 0, 0, 1, 2, [12] = 0x88, 8, 0, 1, 0, 100};
	uint32_t qp;

	pair_init(&p);
	p.conf[0].timeout_ns = 0;
	start(1, (const uint64_t[]){0}, (const uint8_t[]){26}, &qp);
	fcn_endpoint_receive(p.ep[0], pause, sizeof(pause), 0);
	assert_int_equal(next_frame(0), 512);
	assert_int_equal(pair_counters(&p, 0).paused_ns[0], 512);
	assert_int_equal(pair_counters(&p, 0).paused_ns[7], 512);
	pause[15] = 2; /* another opcode */
	fcn_endpoint_receive(p.ep[0], pause, sizeof(pause), 2000);
	fcn_endpoint_receive(p.ep[0], pause, 17, 2000);
	pause[15] = 1;
	fcn_endpoint_receive(p.ep[0], pause, 17, 2000); /* cut */
	pause[0] = 3;                                   /* to another group */
	fcn_endpoint_receive(p.ep[0], pause, sizeof(pause), 2000);
	assert_int_equal(next_frame(2000), 2000);
	assert_int_equal(pair_counters(&p, 0).rx_other, 2);
	assert_int_equal(pair_counters(&p, 0).rx_malformed, 1);
	assert_int_equal(pair_counters(&p, 0).rx_not_mine, 1);
	assert_int_equal(pair_counters(&p, 0).pfc_received, 1);
	pair_stop(&p);
}

TEST(window)
{
	static const struct {
		uint64_t window;
		unsigned int packets; /* of 1024 bytes that fit */
	} cases[] = {{1, 1}, {1023, 1}, {1024, 1}, {2047, 1}, {2048, 2}, {3000, 2}, {102400, 100}};

	for (unsigned int i = 0; i < RTE_DIM(cases); i++) {
		struct fcn_endpoint_qp_info info;
		uint32_t qp;

		pair_init(&p);
		p.conf[0].timeout_ns = 0;
		p.conf[0].window = cases[i].window;
		start(1, (const uint64_t[]){0}, (const uint8_t[]){26}, &qp);
		for (unsigned int n = 0; n < cases[i].packets; n++) {
			next_frame(n * 1000);
			/* Asked for an acknowledgement when nothing may follow. */
			assert_int_equal(frame[14 + 40 + 8 + 8],
					n + 1 == cases[i].packets ? 0x80 : 0);
		}
		assert_int_equal(fcn_endpoint_next(p.ep[0], 1000000), FCN_ENDPOINT_NEVER);
		fcn_endpoint_qp_info(p.ep[0], qp, &info);
		assert_int_equal(info.in_flight, cases[i].packets * 1024);
		assert_int_equal(info.window, cases[i].window);
		pair_stop(&p);
	}
}

/* The window of HPCC++ before it was told anything is what the line carries in T: 12.5 bytes a ns.
 */
TEST(window_on_wire)
{
	static const struct {
		uint8_t hops;  /* room in the traces of data, 0: it has none */
		uint64_t size; /* of messages, each of one packet */
		uint64_t rtt;  /* T, ns */
		unsigned int packets, wire;
		bool write;
	} cases[] = {
			/* 1126 bytes each, 112600 in 9008 ns */
			{0, 1024, 9008, 100, 1126},
			{0, 1024, 9007, 99, 1126},
			{0, 1024, 9097, 100, 1126}, /* 113712.5, of 113726 */
			{0, 1024, 9099, 101, 1126}, /* 113737.5 */
			/* 78 + 4 + 24 */
			{0, 1, 848, 100, 106},
			{0, 4, 847, 99, 106},
			{0, 5, 880, 100, 110},
			/* a trace of 1 and of 3 hops: 48 and 104 more */
			{1, 1024, 9392, 100, 1174},
			{1, 1024, 9391, 99, 1174},
			{3, 1024, 9840, 100, 1230},
			{3, 1, 1680, 100, 210},
			/* a RETH */
			{0, 1024, 9136, 100, 1142, true},
			{0, 1024, 9135, 99, 1142, true},
			{3, 1, 1808, 100, 226, true},
	};

	for (unsigned int i = 0; i < RTE_DIM(cases); i++) {
		struct fcn_endpoint_qp_info info;
		uint32_t qp[2];

		pair_init(&p);
		p.conf[0].timeout_ns = 0;
		p.conf[0].reaction.kind = FCN_REACTION_HPCC;
		fcn_reaction_set(&p.conf[0].reaction, FCN_REACTION_HPCC, "base-rtt", cases[i].rtt);
		p.conf[0].operation = cases[i].write ? FCN_OPERATION_WRITE : FCN_OPERATION_SEND;
		p.conf[0].ioam = cases[i].hops != 0;
		p.conf[0].ioam_hops = cases[i].hops;
		pair_start(&p);
		pair_connect(&p, qp, 26, 0);
		for (unsigned int n = 0; n < 2 * cases[i].packets; n++)
			assert_int_equal(fcn_endpoint_post(p.ep[0], qp[0], cases[i].size, n, 0), 0);
		for (unsigned int n = 0; n < cases[i].packets; n++)
			assert_int_equal(fcn_endpoint_send(p.ep[0], frame, sizeof(frame),
							 (n + 1) * 1000) +
							 24,
					cases[i].wire);
		assert_int_equal(fcn_endpoint_next(p.ep[0], SECOND), FCN_ENDPOINT_NEVER);
		fcn_endpoint_qp_info(p.ep[0], qp[0], &info);
		assert_int_equal(info.on_wire, cases[i].packets * cases[i].wire);
		assert_int_equal(info.in_flight, cases[i].packets * cases[i].size);
		assert_int_equal(info.window, cases[i].rtt * 25 / 2);
		pair_stop(&p);
	}
}

/* A window of 20 packets, all of it or by the share of the line's 100 Gb/s. */
TEST(window_by_rate)
{
	static const struct {
		bool by_rate;
		uint64_t gbps, packets;
	} cases[] = {{false, 25, 20}, {true, 25, 5}, {true, 100, 20}, {true, 3, 1}};

	for (unsigned int i = 0; i < RTE_DIM(cases); i++) {
		struct fcn_endpoint_qp_info info;
		uint32_t qp[2];

		pair_init(&p);
		p.delay = 50000; /* nothing is acknowledged meanwhile */
		p.conf[0].window = 20 * 1024;
		p.conf[0].window_by_rate = cases[i].by_rate;
		pair_start(&p);
		pair_connect(&p, qp, 26, cases[i].gbps * 1000000000);
		assert_int_equal(fcn_endpoint_post(p.ep[0], qp[0], 100 * 1024, 0, 0), 0);
		pair_run(&p, 40000);
		fcn_endpoint_qp_info(p.ep[0], qp[0], &info);
		assert_int_equal(info.in_flight, cases[i].packets * 1024);
		pair_stop(&p);
	}
}

/* What an acknowledgement in the midst of messages, or of their ends, leaves in flight. */
TEST(on_wire_of_parts)
{
	/* Two messages of 2 * 1024 + 1 bytes, of three packets each; of WRITEs the first has a
	 * RETH. */
	static const uint32_t all[2][6] = {
			{1126, 1126, 106, 1126, 1126, 106}, {1142, 1126, 106, 1142, 1126, 106}};

	for (unsigned int i = 0; i < 2 * (RTE_DIM(all[0]) + 1); i++) {
		const unsigned int write = i % 2, arrived = i / 2;
		const uint32_t *wire = all[write];
		struct fcn_endpoint_qp_info info;
		uint64_t left = 0;
		uint32_t qp[2], len;

		pair_init(&p);
		p.conf[0].timeout_ns = 0;
		p.conf[0].operation = write ? FCN_OPERATION_WRITE : FCN_OPERATION_SEND;
		p.conf[1].ack_every = 1;
		pair_start(&p);
		pair_connect(&p, qp, 26, 0);
		for (unsigned int n = 0; n < 2; n++)
			assert_int_equal(fcn_endpoint_post(p.ep[0], qp[0], 2049, n, 0), 0);
		for (unsigned int n = 0; n < RTE_DIM(all[0]); n++) {
			len = fcn_endpoint_send(p.ep[0], frame, sizeof(frame), n * 1000);
			assert_int_equal(len + 24, wire[n]);
			left += n < arrived ? 0 : wire[n];
			if (n < arrived)
				fcn_endpoint_receive(p.ep[1], frame, len, n * 1000);
		}
		len = fcn_endpoint_send(p.ep[1], frame, sizeof(frame), 10000);
		if (len > 0)
			fcn_endpoint_receive(p.ep[0], frame, len, 10000);
		fcn_endpoint_qp_info(p.ep[0], qp[0], &info);
		assert_int_equal(info.on_wire, left);
		pair_stop(&p);
	}
}

/* The address of a WRITE is of 64 bits. */
TEST(address)
{
	static const uint8_t reth[] = {
			0, 0x12, 0x34, 0x56, 0x78, 0x9A, 0xBC, 0xDE, 0, 0, 0, 2, 0, 0, 0, 100};
	uint32_t qp[2];

	pair_init(&p);
	p.conf[0].operation = FCN_OPERATION_WRITE;
	pair_start(&p);
	pair_connect(&p, qp, 26, 0);
	endpoint_qp_find(p.ep[0], qp[0])->posted_bytes = 0x123456789ABCDE;
	assert_int_equal(fcn_endpoint_post(p.ep[0], qp[0], 100, 0, 0), 0);
	assert_int_equal(next_frame(0), 0);
	assert_memory_equal(frame + 74, reth, sizeof(reth));
	pair_stop(&p);
}

/* The pacer alone: what another rate does to a frame that waits. */
TEST(rate_changes)
{
	struct endpoint_pacer pacer = {0};

	endpoint_pacer_rate(&pacer, 1000000000, 0);
	endpoint_pacer_begin(&pacer, 100);
	assert_int_equal(endpoint_pacer_due(&pacer), 100);
	endpoint_pacer_sent(&pacer, 1000, 100); /* 1000 bits, 1 us */
	assert_int_equal(endpoint_pacer_due(&pacer), 1100);
	endpoint_pacer_rate(&pacer, 500000000, 200);
	assert_int_equal(endpoint_pacer_due(&pacer), 2100);
	endpoint_pacer_rate(&pacer, 2000000000, 300);
	assert_int_equal(endpoint_pacer_due(&pacer), 600);
	endpoint_pacer_rate(&pacer, 10000000000, 400); /* 200 is past */
	assert_int_equal(endpoint_pacer_due(&pacer), 400);
	/* Due, but the line was not free: it stays due, unless it is slower than that. */
	endpoint_pacer_rate(&pacer, 20000000000, 450);
	assert_int_equal(endpoint_pacer_due(&pacer), 400);
	endpoint_pacer_rate(&pacer, 1000000000, 450);
	assert_int_equal(endpoint_pacer_due(&pacer), 1100);
	/* Late by less than a frame: made up for; by more: not. */
	endpoint_pacer_sent(&pacer, 1000, 1500);
	assert_int_equal(endpoint_pacer_due(&pacer), 2100);
	endpoint_pacer_sent(&pacer, 1000, 5000);
	assert_int_equal(endpoint_pacer_due(&pacer), 5000);
	/* A third of a nanosecond is kept over a change of the rate. */
	endpoint_pacer_rate(&pacer, 3000000000, 5000);
	endpoint_pacer_sent(&pacer, 1, 5000);
	endpoint_pacer_sent(&pacer, 1, 5001);
	assert_int_equal(pacer.next_ns, 5000);
	assert_int_equal(pacer.next_rem, 2000000000);
	endpoint_pacer_sent(&pacer, 4, 5001);
	assert_int_equal(endpoint_pacer_due(&pacer), 5002);
	endpoint_pacer_rate(&pacer, 6000000000, 5001); /* 5000 2/3 + 2/3 */
	assert_int_equal(pacer.next_ns, 5001);
	assert_int_equal(pacer.next_rem, 2000000000);
}

/* The last packet of a message can be the one that raises the rate: nothing waits behind it. */
TEST(last_packet_raises_rate)
{
	static const uint64_t round_ns = 1000, later = 10000;
	struct endpoint_qp *qp;
	uint32_t number[2];

	pair_init(&p);
	p.conf[0].reaction.kind = FCN_REACTION_BETA;
	fcn_reaction_set(&p.conf[0].reaction, FCN_REACTION_BETA, "base-rtt", round_ns);
	fcn_reaction_set(&p.conf[0].reaction, FCN_REACTION_BETA, "bytes", 1);
	fcn_reaction_set(&p.conf[0].reaction, FCN_REACTION_BETA, "increase", 1000000);
	pair_start(&p);
	pair_connect(&p, number, 26, 0);
	qp = endpoint_qp_find(p.ep[0], number[0]);
	qp->reaction.rate_bps = PAIR_BPS / 2;
	endpoint_sender_reacted(p.ep[0], qp, 0);
	assert_int_equal(fcn_endpoint_post(p.ep[0], number[0], 100, 0, later), 0);
	assert_true(fcn_endpoint_send(p.ep[0], frame, sizeof(frame), later) > 0);
	assert_int_equal(qp->pacer.rate_bps, PAIR_BPS / 2 + 1000000);
	assert_int_equal(p.ep[0]->data[3].n, 0);
	assert_int_equal(fcn_endpoint_send(p.ep[0], frame, sizeof(frame), later + 1), 0);
	pair_stop(&p);
}
