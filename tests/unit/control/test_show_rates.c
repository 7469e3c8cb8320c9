/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* `show rates`: the growth of counters between two looks, which are half a second apart here. */

#include <jansson.h>

#include "platform.h"

#define SECOND UINT64_C(1000000000)

static void
look(uint64_t now)
{
	fcn_control_measure_rates(platform.ctl, now);
}

/* Whether the rates of a port or of everything, as JSON, are these. */
static void
check(int port, const char *want)
{
	json_t *v = fcn_show_rates(platform.ctl, port), *w = json_loads(want, 0, NULL);
	char *text;

	assert_non_null(w);
	text = json_dumps(v, JSON_COMPACT);
	if (!json_equal(v, w))
		fail_msg("%s is not %s", text, want);
	free(text);
	json_decref(v);
	json_decref(w);
}

TEST_FIXTURE(FCN_TEST_EAL, .setup = platform_setup_ports, .teardown = platform_teardown);

TEST(rates)
{
	struct fcn_worker *w = fcn_control_worker(platform.ctl, 0);
	struct fcn_queue_stats *q = &w->port[0].egress->queue[3].stats;

	check(-1, "{\"over_ns\": 0, \"ports\": [], \"queues\": []}"); /* nothing was measured */
	look(SECOND);
	q->deq_packets = 50;
	q->deq_bytes = 5000;
	q->ce_marked = 7;
	q->notices = 2;
	w->port[1].egress->queue[6].stats.drop[FCN_REFUSED_QUEUE_BYTES] = 4;
	look(SECOND + SECOND / 2);
	check(0, "{\"over_ns\": 500000000, \"ports\": [{\"port\": \"p0\", \"rx_packets\": 0, "
		 "\"rx_bps\": 0, \"tx_packets\": 0, \"tx_bps\": 0, \"drops\": 0, \"notices\": 0}],"
		 "\"queues\": [{\"port\": \"p0\", \"class\": 3, \"packets\": 100, "
		 "\"rate_bps\": 80000, \"drops\": 0, \"ce_marked\": 14, \"notices\": 4}]}");
	/* A queue from which nothing left, but which dropped, is shown. */
	check(1, "{\"over_ns\": 500000000, \"ports\": [{\"port\": \"p1\", \"rx_packets\": 0, "
		 "\"rx_bps\": 0, \"tx_packets\": 0, \"tx_bps\": 0, \"drops\": 0, \"notices\": 0}],"
		 "\"queues\": [{\"port\": \"p1\", \"class\": 6, \"packets\": 0, \"rate_bps\": 0, "
		 "\"drops\": 8, \"ce_marked\": 0, \"notices\": 0}]}");
	q->deq_packets = q->deq_bytes = q->ce_marked = q->notices = 0;
	w->port[1].egress->queue[6].stats.drop[FCN_REFUSED_QUEUE_BYTES] = 0;
}

TEST(ports)
{
	struct fcn_port_counters *c = &fcn_control_worker(platform.ctl, 0)->counters[1],
				 before = *c;

	look(SECOND);
	c->rx_packets += 1;
	c->rx_bytes += 100;
	c->tx_packets += 2;
	c->tx_bytes += 300;
	c->drop[FCN_DROP_NO_ROUTE] += 5;
	c->notices[FCN_NOTICE_FAST_CNP] += 6;
	look(SECOND + SECOND / 2);
	check(1, "{\"over_ns\": 500000000, \"ports\": [{\"port\": \"p1\", \"rx_packets\": 2, "
		 "\"rx_bps\": 1600, \"tx_packets\": 4, \"tx_bps\": 4800, \"drops\": 10, "
		 "\"notices\": 12}], \"queues\": []}");
	*c = before;
}
