/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Invariants of a run as a whole, each broken: time, progress, events, buffers, lines that fail. */

#include <string.h>

#include "fcn_test.h"
#include "network_util.h"
#include "run.h"

/* More events than lab_run() does between two looks at the progress bar. */
static const char text[] = "buffers 2047\n"
			   "duration 2ms\n"
			   "check on\n"
			   "switch add s1\n"
			   "host add h1,h2,r\n"
			   "link add h1,h2,r s1 rate 10G\n"
			   "host all set fast-cnp ignore\n"
			   "flow add f from h1,h2 to r size 600K\n"
			   "switch s1 do set queue r class 3 detector step 10K\n"
			   "switch s1 do set queue r class 3 notify on\n"
			   "switch s1 do set notify interval 1s\n"
			   "switch s1 do set notify fast-cnp on\n";

static struct fcn_sim_event busy;

static void
again(void *arg, uint64_t now)
{
	RTE_SET_USED(arg);
	fcn_sim_schedule(net->sim, &busy, now);
}

TEST_FIXTURE(.begin = net_eal, .end = fcn_test_eal_cleanup);

/* Something that is due at the same instant again and again: a switch's turn, or nobody's. */
TEST(time)
{
	const unsigned int most = 1000000;
	unsigned int n = 0;

	start(text, "");
	assert_int_equal(fcn_sim_event_init(net->sim, &busy, FCN_SIM_ACTION, again, NULL), 0);
	fcn_sim_schedule(net->sim, &busy, 5000);
	while (fcn_sim_step(net->sim, 4999))
		assert_true(lab_check_time(net));
	while (fcn_sim_step(net->sim, sc->duration_ns) && lab_check_time(net))
		assert_true(++n < most);
	assert_int_equal(fcn_sim_now(net->sim), 5000);
	assert_int_equal(n, most - 1);
	assert_int_equal(violations_with("5000 ns: time does not go on: nobody"), 1);
	fcn_sim_schedule(net->sim, &net->node_switch[0].turn, 5000);
	assert_false(lab_check_time(net));
	assert_int_equal(violations_with("5000 ns: time does not go on: s1"), 1);
	fcn_sim_event_fini(net->sim, &busy);
	stop();
}

static uint16_t
take_none(void *priv, struct rte_mbuf **pkts, uint16_t n, uint64_t now)
{
	RTE_SET_USED(priv);
	RTE_SET_USED(pkts);
	RTE_SET_USED(n);
	RTE_SET_USED(now);
	return 0;
}

/* Frames wait at a port, and the dataplane never takes them. */
TEST(progress)
{
	start(text, "");
	for (unsigned int i = 0; i < worker(0)->n_rx_queues; i++)
		worker(0)->rx_queue[i].burst = take_none;
	for (unsigned int i = 0; i < 5000; i++)
		assert_true(fcn_sim_step(net->sim, sc->duration_ns));
	assert_true(violations_with("switch s1 makes no progress") > 0);
	stop();
}

/* Notices to two senders, made and sent, and a queue that becomes congested and is no more. */
TEST(events)
{
	struct lab_net_events e;

	start(text, "");
	run(NULL);
	assert_int_equal(json_array_size(net->violations), 0);
	lab_collector_total(&net->node_switch[0], &e);
	assert_int_equal(e.made, 6);
	assert_int_equal(e.read, 6);
	assert_int_equal(e.lost + e.waiting, 0);
	stop();
	/* three have room, and go with the switch that is restarted; so does one of the next life
	 */
	start(text, "at 0 switch s1 collector stop room 3\n"
		    "at 300us switch s1 restart\n"
		    "at 301us switch s1 collector stop room 1\n"
		    "at 302us switch s1 collector stop room 2\n");
	run(NULL);
	assert_int_equal(json_array_size(net->violations), 0);
	lab_collector_total(&net->node_switch[0], &e);
	assert_int_equal(e.made, e.read + e.lost + e.waiting);
	assert_true(net->node_switch[0].past.events.made >= 5);
	assert_int_equal(
			net->node_switch[0].past.events.lost, net->node_switch[0].past.events.made);
	assert_int_equal(stop(), 0);
}

static void
lose_one(void)
{
	if (fcn_sim_now(net->sim) < 100000)
		worker(0)->events_made = 7;
}

TEST(events_lost)
{
	start(text, "");
	run(lose_one);
	assert_true(violations_with("s1: 7 events were made, 0 read, 0 lost, 0 wait") > 0);
	stop();
	/* one that nobody counts, in a ring that is full */
	start(text, "at 0 switch s1 collector stop room 0");
	while (fcn_sim_step(net->sim, sc->duration_ns) && worker(0)->events_lost == 0)
		;
	assert_int_equal(json_array_size(net->violations), 0);
	worker(0)->events_lost = 0;
	lab_check_switch(&net->node_switch[0]);
	assert_int_equal(violations_with("events were made, 0 read, 0 lost, 0 wait"), 1);
	stop();
}

/* There is room for all messages that are complete at one instant. */
TEST(messages)
{
	const unsigned int n = 100000;

	start(text, "");
	for (unsigned int i = 0; i < n; i++)
		lab_flow_complete(&net->host[0], i % 3);
	assert_int_equal(net->host[0].n_done, n);
	for (unsigned int i = 0; i < n; i++)
		assert_int_equal(net->host[0].done[i], i % 3);
	assert_false(net->failed);
	net->host[0].n_done = 0;
	stop();
}

TEST(line)
{
	start(text, "at 7us switch s1 do set port nobody mtu 1500");
	run(NULL);
	assert_int_equal(violations_with("7000 ns: test:13: set port nobody mtu 1500: "), 1);
	assert_int_equal(json_array_size(net->violations), 1);
	stop();
}

static struct rte_mbuf *kept;

/* Called now and then while a run goes on. */
static void
keep_one(void *arg, uint64_t now, uint64_t end, uint64_t frames)
{
	struct rte_mempool *pool = rte_mempool_lookup("lab_s0");

	RTE_SET_USED(arg);
	RTE_SET_USED(now);
	RTE_SET_USED(end);
	RTE_SET_USED(frames);
	assert_non_null(pool);
	if (kept == NULL)
		kept = rte_pktmbuf_alloc(pool);
}

TEST(leak)
{
	json_t *result, *list;
	char err[256] = "";

	for (unsigned int i = 0; i < 2; i++) {
		sc = lab_scenario_load("test", text, NULL, 0, stderr);
		assert_non_null(sc);
		measure = lab_measure_create(sc, NULL, err, sizeof(err));
		assert_non_null(measure);
		result = lab_run(sc, measure, NULL, i == 0 ? NULL : keep_one, NULL, false, stderr);
		assert_non_null(result);
		list = json_object_get(result, "violations");
		assert_int_equal(json_array_size(list), i);
		if (i == 1)
			assert_string_equal(json_string_value(json_array_get(list, 0)),
					"1 packet buffers leaked");
		json_decref(result);
		lab_measure_free(measure);
		lab_scenario_free(sc);
	}
}
