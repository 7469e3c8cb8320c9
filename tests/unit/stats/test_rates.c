/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Rates: what counters grew by, over the time between two looks. */

#include "fcn_rates.h"
#include "fcn_test.h"

#define SECOND 1000000000ull

static struct fcn_worker worker; /* of which only counters and queues are looked at */
static struct fcn_egress egress;
static struct fcn_rates *rates;
static struct fcn_port_rates port;
static struct fcn_queue_rates queue[FCN_CLASSES];

static int
setup(void **state)
{
	RTE_SET_USED(state);
	memset(&worker, 0, sizeof(worker));
	memset(&egress, 0, sizeof(egress));
	worker.n_ports = 3;
	worker.port[1].egress = &egress;
	rates = fcn_rates_create();
	return rates == NULL ? -1 : 0;
}

static int
teardown(void **state)
{
	RTE_SET_USED(state);
	fcn_rates_free(rates);
	return 0;
}

TEST_FIXTURE(.setup = setup, .teardown = teardown);

static void
look(uint64_t now)
{
	struct fcn_worker *workers[] = {&worker};

	fcn_rates_read(rates, workers, RTE_DIM(workers), now);
}

static bool
get(unsigned int p)
{
	memset(&port, 0xee, sizeof(port));
	memset(queue, 0xee, sizeof(queue));
	return fcn_rates_get(rates, p, &port, queue);
}

/* In half a second: 100 packets of 125 bytes in, 5 of 2 kinds dropped, 9 notices. */
TEST(second)
{
	struct fcn_port_counters *c = &worker.counters[1];

	assert_int_equal(fcn_rates_over(rates), 0);
	assert_false(get(1));
	c->rx_packets = 1000000;
	look(7 * SECOND);
	assert_false(get(1));
	c->rx_packets += 100;
	c->rx_bytes += 12500;
	c->tx_packets += 3;
	c->tx_bytes += 1;
	c->drop[1] += 2;
	c->drop[FCN_DROP_REASON_COUNT - 1] += 3;
	c->generated += 15; /* six of them for other reasons */
	c->notices[FCN_NOTICE_FAST_CNP] += 4;
	c->notices[FCN_NOTICE_CNM] += 5;
	c->pause_sent += 1;
	c->injected += 1;
	c->arn_sent += 2;
	c->proxy_sent += 2;
	egress.queue[3].stats.deq_packets += 50;
	egress.queue[3].stats.deq_bytes += 5000;
	egress.queue[3].stats.drop[FCN_REFUSED_QUEUE_BYTES] += 4;
	egress.queue[3].stats.drop[FCN_REFUSED_BUFFER] += 6;
	egress.queue[3].stats.ce_marked += 8;
	egress.queue[3].stats.notices += 9;
	look(7 * SECOND + SECOND / 2);
	assert_int_equal(fcn_rates_over(rates), SECOND / 2);
	assert_true(get(1));
	assert_int_equal(port.rx_packets, 200);
	assert_int_equal(port.rx_bits, 200000);
	assert_int_equal(port.tx_packets, 6);
	assert_int_equal(port.tx_bits, 16);
	assert_int_equal(port.drops, 10);
	assert_int_equal(port.notices, 18);
	assert_int_equal(queue[3].packets, 100);
	assert_int_equal(queue[3].bits, 80000);
	assert_int_equal(queue[3].drops, 20);
	assert_int_equal(queue[3].marks, 16);
	assert_int_equal(queue[3].notices, 18);
	assert_int_equal(queue[2].packets, 0);
	assert_false(get(0)); /* no such port */

	/* quiet since */
	look(8 * SECOND);
	assert_true(get(1));
	assert_int_equal(port.rx_packets, 0);
	assert_int_equal(queue[3].bits, 0);
}

/* A look at the same time changes nothing, and three seconds are three. */
TEST(time)
{
	look(0);
	worker.counters[1].rx_packets = 10;
	look(0);
	assert_int_equal(fcn_rates_over(rates), 0);
	look(3 * SECOND);
	assert_int_equal(fcn_rates_over(rates), 3 * SECOND);
	assert_true(get(1));
	assert_int_equal(port.rx_packets, 3); /* rounded down */
}

/* 400 Gbit/s for a day between two looks overflows nothing. */
TEST(large)
{
	look(0);
	worker.counters[1].rx_bytes = 50ull * 1000 * 1000 * 1000 * 86400;
	look(86400 * SECOND);
	assert_true(get(1));
	assert_int_equal(port.rx_bits, 400ull * 1000 * 1000 * 1000);
}

/* Cleared counters, and ports that come: no rates until there are two looks at them. */
TEST(anew)
{
	worker.counters[1].tx_packets = 100;
	egress.queue[7].stats.notices = 5;
	look(1 * SECOND);
	worker.counters[1].tx_packets = 99;
	look(2 * SECOND);
	assert_false(get(1));
	egress.queue[7].stats.notices = 4;
	look(3 * SECOND);
	assert_false(get(1));
	look(4 * SECOND);
	assert_true(get(1));
	worker.port[2].egress = &egress;
	worker.port[1].egress = NULL;
	look(5 * SECOND);
	assert_false(get(1));
	assert_false(get(2));
	look(6 * SECOND);
	assert_true(get(2));
}
