/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Shares of ports in the cycles of a worker. Ports have as many packets as a test says, and each
 * takes as many cycles as its port says: the counter of cycles advances by that when it is
 * received. What is expected is arithmetic: of C cycles, two ports that compete get C / 2 each.
 */

#include "testbed.h"

#define ALWAYS UINT32_MAX
#define READING 20 /* cycles that a turn takes besides */

/* A port that receives. */
struct source {
	uint32_t cost;    /* cycles of a packet */
	uint32_t waiting; /* packets; ALWAYS: there is always one more */
	uint32_t every;   /* turns after which `arrive` packets come; 0: none */
	uint32_t arrive;
	unsigned int class;
	uint64_t received, calls;
	unsigned int idle, longest; /* turns in a row without a packet: now, at most */
};

static struct source source[FCN_MAX_PORTS];
static uint64_t counter;
static unsigned int readings;
/* Cycles by which something else delays the worker in a packet of these numbers. */
static uint64_t delay, delay_every, delayed;

static uint64_t
read_counter(void)
{
	readings++;
	return counter;
}

static uint16_t
receive(void *port, struct rte_mbuf **pkts, uint16_t n, uint64_t now)
{
	const uint16_t number = (uint16_t)((struct bench_port *)port - bench.port);
	struct source *s = &source[number];
	struct frame f;

	RTE_SET_USED(now);
	frame_roce6(&f, 1, 3, 2, 100); /* leaves by port 3 */
	frame_class(&f, s->class, 1);
	frame_to_port(&f, number, 1);
	s->calls++;
	n = (uint16_t)RTE_MIN(n, s->waiting);
	if (s->waiting != ALWAYS)
		s->waiting -= n;
	for (uint16_t i = 0; i < n; i++) {
		pkts[i] = rte_pktmbuf_alloc(bench.pool);
		assert_non_null(pkts[i]);
		memcpy(rte_pktmbuf_append(pkts[i], (uint16_t)f.len), f.data, f.len);
		counter += s->cost;
		if (delay != 0 && ++delayed % delay_every == 0)
			counter += delay;
	}
	s->received += n;
	s->idle = n != 0 ? 0 : s->idle;
	return n;
}

static uint16_t
transmit(void *port, struct rte_mbuf **pkts, uint16_t n, uint64_t now)
{
	struct bench_port *p = port;

	for (uint16_t i = 0; i < n; i++)
		p->out[p->n_out++] = pkts[i];
	p->sent_at = now;
	return n;
}

static uint64_t
link_bps(void *port)
{
	RTE_SET_USED(port);
	return BENCH_LINK_BPS;
}

static const struct fcn_port_ops ops = {
		.kind = "source", .rx_burst = receive, .tx_burst = transmit, .link_bps = link_bps};

static int
setup(void **state)
{
	int rc = bench_setup(state);

	bench_port_routes(4);
	memset(source, 0, sizeof(source));
	counter = 1;
	readings = 0;
	delay = delayed = 0;
	for (unsigned int p = 0; p < 4; p++) {
		source[p].class = 3;
		bench_set_ops((uint16_t)p, &ops);
	}
	bench.worker->stage_clock.read = read_counter;
	bench.snap.cycle_share = true;
	bench_new_snapshot();
	return rc;
}

TEST_FIXTURE(FCN_TEST_EAL, .setup = setup, .teardown = bench_teardown);

static void
turn(void)
{
	static uint64_t n;

	for (unsigned int p = 0; p < 4; p++) {
		struct source *s = &source[p];

		if (s->every != 0 && n % s->every == 0)
			s->waiting += s->arrive;
		s->idle++;
	}
	n++;
	counter += READING;
	bench_poll(bench.worker->now + 1000);
	bench_forget_out();
	for (unsigned int p = 0; p < 4; p++)
		source[p].longest = RTE_MAX(source[p].longest, source[p].idle);
}

/* Run turns until so many cycles have passed, and forget what was received before. */
static void
run(uint64_t cycles)
{
	const uint64_t end = counter + cycles;

	for (unsigned int p = 0; p < 4; p++)
		source[p].received = source[p].calls = source[p].idle = source[p].longest = 0;
	while (counter < end)
		turn();
}

static uint64_t
cycles_of(unsigned int p)
{
	return source[p].received * source[p].cost;
}

/* Two ports that compete; packets of one take ten times as long. */
static void
compete(uint32_t dear)
{
	source[0] = (struct source){.cost = 100, .waiting = ALWAYS, .class = 3};
	source[1] = (struct source){.cost = dear, .waiting = ALWAYS, .class = 3};
	run(20000000); /* until what they cost is known */
	run(100000000);
}

/* Without shares, the port with cheap packets gets one for each of the other: an eleventh of the
 * cycles. With them, half. */
TEST(half)
{
	bench.snap.cycle_share = false;
	bench_new_snapshot();
	compete(1000);
	assert_in_range(cycles_of(0), 8500000, 9500000);
	assert_int_equal(bench.worker->counters[1].rx_waited, 0);
	assert_int_equal(bench.worker->shared_turns, 0);
	assert_int_equal(readings, 0);

	bench.snap.cycle_share = true;
	bench_new_snapshot();
	compete(1000);
	assert_in_range(cycles_of(0), 48500000, 51500000);
	assert_in_range(cycles_of(1), 48500000, 51500000);
	assert_true(bench.worker->counters[1].rx_waited > 10000);
	assert_true(bench.worker->counters[0].rx_waited < 100);
	assert_true(bench.worker->shared_turns > 10000);
	/* what is counted of cycles is an estimate */
	assert_in_range(bench.worker->counters[1].rx_cycles, 55000000, 65000000);
	fcn_worker_clear_counters(bench.worker);
	assert_int_equal(bench.worker->counters[1].rx_waited, 0);
}

/* Three get a third. Two of them, whose packets cost the same, share what a dear one leaves. */
TEST(three)
{
	source[2] = (struct source){.cost = 100, .waiting = ALWAYS, .class = 3};
	compete(2000);
	for (unsigned int p = 0; p < 3; p++)
		assert_in_range(cycles_of(p), 32000000, 34500000);
}

/* The packets of the one fill no burst, and yet take most of the cycles. */
TEST(partly_filled)
{
	source[0] = (struct source){.cost = 100, .waiting = ALWAYS, .class = 3};
	source[1] = (struct source){.cost = 2000, .every = 1, .arrive = 20, .class = 3};
	run(20000000);
	source[1].waiting = 0;
	run(100000000);
	assert_in_range(cycles_of(0), 47000000, 53000000);
}

/* Where the packets cost the same, nobody waits long, and turns are as long as without shares. */
TEST(equal)
{
	uint64_t turns;

	compete(100);
	assert_in_range(cycles_of(0), 49000000, 51000000);
	turns = bench.worker->shared_turns;
	assert_true(bench.worker->counters[0].rx_waited + bench.worker->counters[1].rx_waited <
			turns / 100);
	/* of eight bursts one is measured: readings at its beginning and around transmission */
	assert_true(readings < turns * 4 / 8 * 11 / 10);
}

/* Who has all that it wants does not wait, and costs the others nothing: all packets of the one are
 * received in the turn in which they come, or in the next if the other one's are measured, and that
 * one gets all the rest. */
TEST(nobody_is_short)
{
	source[0] = (struct source){.cost = 100, .every = 1, .arrive = 5, .class = 3};
	source[1] = (struct source){.cost = 5000, .waiting = ALWAYS, .class = 3};
	run(100000000);
	assert_true(source[0].waiting <= 10);
	assert_true(source[0].longest <= 2);
	assert_int_equal(bench.worker->counters[0].rx_waited, 0);
	assert_true(bench.worker->counters[1].rx_waited < 10);
	assert_true(cycles_of(1) > 99000000);

	/* nor is anything counted when one port has all the packets */
	source[0] = (struct source){.cost = 100};
	run(10000000);
	readings = 0;
	run(10000000);
	assert_int_equal(readings, 0);
}

/* What a port did not use before is not saved: it gets no more than its share afterwards. */
TEST(not_saved)
{
	source[2] = (struct source){.cost = 100, .waiting = ALWAYS, .class = 3};
	source[0] = (struct source){.cost = 100, .class = 3};
	source[1] = (struct source){.cost = 1000, .waiting = ALWAYS, .class = 3};
	run(50000000);
	source[0].waiting = ALWAYS;
	run(3000000);
	assert_in_range(cycles_of(1), 800000, 1300000);
}

/* However dear its packets are, a port gets some in a number of turns: eight packets of 100,000
 * cycles in 250 turns of 3200 cycles, so the other port still has half. */
TEST(not_starved)
{
	compete(100000);
	run(100000000);
	assert_true(source[1].received > 0);
	assert_true(source[1].longest <= FCN_RX_SHARE_WAIT + 1);
	assert_in_range(cycles_of(0), 47000000, 53000000);
}

/* A worker that is interrupted for a while does not take that for the cost of packets. */
TEST(interrupted)
{
	delay = 1000000;
	delay_every = 5000;
	compete(100);
	assert_true(source[0].received > source[1].received * 8 / 10);
	assert_true(source[1].received > source[0].received * 8 / 10);
}

/* The cost of packets is what they cost now. */
TEST(changes)
{
	compete(1000);
	source[1].cost = 100;
	source[0].cost = 1000;
	run(20000000);
	run(100000000);
	assert_in_range(cycles_of(0), 48000000, 52000000);
	assert_in_range(cycles_of(1), 48000000, 52000000);
}

/* Without a counter, everything is as without shares. */
TEST(no_counter)
{
	uint64_t received;

	bench.worker->stage_clock.read = NULL;
	bench_new_snapshot();
	compete(1000);
	received = source[0].received;
	assert_int_equal(bench.worker->shared_turns, 0);
	assert_in_range(source[1].received, received - 100, received + 100);
}

/* A port of another kind has the number now: it begins with nothing. */
TEST(renewed)
{
	compete(1000);
	assert_true(bench.worker->rx_share.port[1].burst != 0);
	bench_set_ops(1, &ops);
	assert_int_equal(bench.worker->rx_share.port[1].burst, 0);
	assert_int_equal(bench.worker->rx_share.port[1].used, 0);
	source[1].cost = 100;
	run(1000000);
	run(10000000);
	assert_in_range(cycles_of(0), 4500000, 5500000);
}

/* While a port waits, the senders of its lossless classes are paused. */
TEST(lossless)
{
	bench_lossless(1, 3, 1000000, 500000, 100000);
	bench_new_snapshot();
	source[0] = (struct source){.cost = 100, .waiting = ALWAYS, .class = 3};
	source[1] = (struct source){.cost = 1000, .waiting = 4000, .class = 3};
	run(1500000);
	assert_true(source[1].waiting > 0);
	assert_int_equal(bench.worker->xoff[1], 1 << 3);
	assert_int_equal(bench.worker->xoff[0], 0);
	run(20000000); /* they have stopped, and its queue is empty */
	assert_int_equal(source[1].waiting, 0);
	assert_int_equal(bench.worker->xoff[1], 0);

	/* nobody is short: it does not wait */
	source[0].waiting = 0;
	source[1].waiting = 4000;
	run(1500000);
	assert_int_equal(bench.worker->xoff[1], 0);

	/* a class that is not lossless any more */
	source[0].waiting = ALWAYS;
	source[1].waiting = 40000;
	run(3000000);
	assert_int_equal(bench.worker->xoff[1], 1 << 3);
	bench.snap.port[1].lossless = 0;
	bench.snap.port[1].ingress[3].lossless = false;
	bench_new_snapshot();
	turn();
	assert_int_equal(bench.worker->xoff[1], 0);
}

/* A pause that helps nothing, because other classes fill the queue, ends for good. */
TEST(pause_in_vain)
{
	bench_lossless(1, 3, 1000000, 500000, 100000);
	bench_new_snapshot();
	compete(1000);
	source[1].class = 2;
	assert_int_equal(bench.worker->xoff[1], 0);
	assert_true(bench.worker->counters[1].rx_waited > 4096);
	source[1].waiting = 100; /* once they are gone, it may be paused again */
	run(10000000);
	source[1].waiting = ALWAYS;
	run(1500000);
	assert_int_equal(bench.worker->xoff[1], 1 << 3);
}
