/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Nodes divided between threads: the same result as of one thread, and what cannot be divided. */

#include <stdlib.h>
#include <string.h>

#include "fcn_test.h"
#include "network_util.h"
#include "run.h"

/* Two switches of hosts behind two others, with congestion, notices and flow control. */
#define FABRIC                                                                      \
	"buffers 16383\n"                                                           \
	"switch add l[1-2],s[1-2]\n"                                                \
	"host add h[1-8]\n"                                                         \
	"link add h[1-4] l1 rate 10G delay 300ns\n"                                 \
	"link add h[5-8] l2 rate 10G delay 300ns\n"                                 \
	"link add l1 s[1-2] rate 10G delay 1us\n"                                   \
	"link add l2 s[1-2] rate 10G delay 1us\n"                                   \
	"host all reaction dcqcn\n"                                                 \
	"host all set fast-cnp accept\n"                                            \
	"switch all do set queue all class 3 detector red\n"                        \
	"switch all do set notify fast-cnp on\n"                                    \
	"switch all do set queue all class 3 notify on\n"                           \
	"switch all do set pfc all class 3 send on\n"                               \
	"switch all do set pfc all class 3 receive on\n"                            \
	"switch all do set pfc all class 3 xoff dynamic\n"                          \
	"switch all do set buffer size 256K\n"                                      \
	"traffic poisson p hosts h[1-8] load 40% distribution hadoop until 300us\n" \
	"traffic incast i to h1 from h[3-8] size 60K every 200us count 2\n"

TEST_FIXTURE(.begin = net_eal, .end = fcn_test_eal_cleanup);

/* @return the result as text; NULL when there is none. said: what the run said, to be freed */
static char *
result_of(const char *text, unsigned int threads, char **said)
{
	struct lab_scenario *scenario = lab_scenario_load("test", text, NULL, 0, stderr);
	char why[256] = "", *dump = NULL;
	struct lab_measure *m;
	size_t size = 0;
	FILE *err = open_memstream(said, &size);
	json_t *result;

	assert_non_null(scenario);
	scenario->threads = threads;
	m = lab_measure_create(scenario, NULL, why, sizeof(why));
	assert_non_null(m);
	result = lab_run(scenario, m, NULL, NULL, NULL, false, err);
	fclose(err);
	if (result != NULL) {
		assert_int_equal(json_array_size(json_object_get(result, "violations")), 0);
		dump = json_dumps(result, JSON_SORT_KEYS);
	}
	json_decref(result);
	lab_measure_free(m);
	lab_scenario_free(scenario);
	return dump;
}

static void
check_same(const char *rest)
{
	char text[4096], *said, *one, *several;

	snprintf(text, sizeof(text), "%s%s", FABRIC, rest);
	one = result_of(text, 1, &said);
	free(said);
	assert_non_null(one);
	for (unsigned int threads = 2; threads <= 5; threads++) {
		several = result_of(text, threads, &said);
		assert_string_equal(said, "");
		assert_non_null(several);
		assert_string_equal(several, one);
		free(several);
		free(said);
	}
	free(one);
}

/* The run ends with its traffic, by the same event. */
TEST(until_the_end)
{
	check_same("");
	check_same("check on\n");
}

/* Flows of all kinds, which begin and stop while others are under way; and until a time. */
TEST(flows)
{
	check_same("flow add a from h2 to h7 size 3K messages 20 interval 7us start 11us\n"
		   "flow add b from h5 to h4 size 10K messages 1000 stop 170us\n"
		   "flow add c from h[3-4] to h8 size 8K messages 30 every 1us\n"
		   "flow add d from h6 to h2 size 1K messages 100 interval 3us stop 150us\n"
		   "settle 50us\n"
		   "duration 400us\n");
}

/* Flows without an end; and frames that a pause holds when all traffic has ended. */
TEST(held)
{
	check_same("flow add e from h2 to h7 size 10K endless\n"
		   "duration 500us\n");
	check_same("flow add a from h2 to h7 size 30K start 400us stop 450us\n"
		   "at 400us host h7 pause 3 65535\n");
}

/* What the scenario does to links, switches and hosts, at times at which flows begin, too. */
TEST(actions)
{
	check_same("flow add a from h2 to h7 size 30K messages 5 start 100us\n"
		   "flow add b from h[3-6] to h8 size 30K messages 5 start 101us\n"
		   "at 100us link l1 s1 down\n"
		   "at 130us link l1 s1 up\n"
		   "at 101us link l2 s2 rate 5G\n"
		   "at 140us switch s2 restart\n"
		   "at 120us switch l1 starve 3\n"
		   "at 160us switch l1 starve back\n"
		   "at 150us notices drop 20%\n"
		   "at 155us host h3 spoof 4 to h4\n"
		   "at 170us host h8 pause 3 6000\n"
		   "at 171us switch l2 do set queue h8 class 3 detector step threshold 20K\n"
		   "host all set timeout 100us\n"
		   "check on\n");
}

/* Nodes at both ends of a link that takes no time are in one part. */
TEST(no_time)
{
	char *said, *result;

	result = result_of("switch add a,b latency 0\nhost add x,y\nlink add a b rate 10G delay 0\n"
			   "link add x a rate 10G delay 1us\nlink add y b rate 10G delay 1us\n"
			   "flow add f from x to y size 1K\n",
			4, &said);
	assert_non_null(result);
	assert_string_equal(said, "one thread runs the scenario: it has one switch, or no time "
				  "passes on the links between its switches\n");
	free(said);
	free(result);
	sc = lab_scenario_load("test",
			"switch add a,b,c latency 0\nhost add x,y\nlink add a b rate 10G delay 0\n"
			"link add b c rate 10G delay 700ns\nlink add x a rate 10G delay 0\n"
			"link add y c rate 10G delay 0\n",
			NULL, 0, stderr);
	sc->threads = 3;
	measure = lab_measure_create(sc, NULL, (char[256]){""}, 256);
	net = lab_network_create(sc, measure, stderr);
	assert_non_null(net);
	assert_int_equal(net->n_parts, 2);
	assert_ptr_equal(net->node_switch[0].part, net->node_switch[1].part);
	assert_ptr_equal(net->node_switch[0].part, net->host[0].part);
	assert_ptr_not_equal(net->node_switch[0].part, net->node_switch[2].part);
	assert_ptr_equal(net->node_switch[2].part, net->host[1].part);
	assert_int_equal(stop(), 0);
}

/* Parts have nearly the same share of the links' speeds, and what is heaviest is not in one. */
TEST(shares)
{
	unsigned int of[4] = {0};

	sc = lab_scenario_load("test", FABRIC, NULL, 0, stderr);
	sc->threads = 2;
	measure = lab_measure_create(sc, NULL, (char[256]){""}, 256);
	net = lab_network_create(sc, measure, stderr);
	assert_non_null(net);
	assert_int_equal(net->n_parts, 2);
	for (unsigned int i = 0; i < 4; i++)
		of[i] = (unsigned int)(net->node_switch[i].part - net->part);
	assert_true(of[0] != of[1] && of[2] != of[3]);
	assert_int_equal(stop(), 0);
}

/* When buffers run out depends on all parts at one time, so it must not happen. */
TEST(few_buffers)
{
	char *said, *result;

	result = result_of(FABRIC "flow add b from h[3-8] to h2 size 400K\nhost all reaction none\n"
				  "switch all do set buffer size 8M\nbuffers 1024\n",
			2, &said);
	assert_null(result);
	assert_non_null(strstr(said, "1024 packet buffers may run out"));
	free(said);
}

/* Of two logs, calls in the order of the events that make them; of one event, in their own. */
static struct {
	struct fcn_sim *sim[2];
	struct fcn_sim_event ev[4];
	struct lab_log *log[2];
	char text[16];
} logs;

static void
append(void *arg, const void *data)
{
	strncat(arg, data, 1);
}

static void
say_twice(void *arg, uint64_t now)
{
	const unsigned int i = (unsigned int)(uintptr_t)arg;

	RTE_SET_USED(now);
	lab_log_call(logs.log[i % 2], append, logs.text, &"aceg"[i], 1);
	lab_log_call(logs.log[i % 2], append, logs.text, &"bdfh"[i], 1);
}

TEST(log)
{
	const uint64_t time[] = {20, 10, 10, 10};
	struct fcn_sim_group *group = fcn_sim_group_create(2, 1, 100);

	memset(&logs, 0, sizeof(logs));
	for (unsigned int i = 0; i < 2; i++) {
		logs.sim[i] = fcn_sim_group_part(group, i);
		logs.log[i] = lab_log_create(logs.sim[i]);
	}
	for (unsigned int i = 0; i < 4; i++) {
		assert_int_equal(fcn_sim_event_init(logs.sim[i % 2], &logs.ev[i], FCN_SIM_NODE,
						 say_twice, (void *)(uintptr_t)i),
				0);
		fcn_sim_schedule(logs.sim[i % 2], &logs.ev[i], time[i]);
	}
	for (unsigned int i = 0; i < 2; i++) {
		while (fcn_sim_step(logs.sim[i], 100))
			;
	}
	assert_string_equal(logs.text, "");
	assert_true(lab_log_replay(logs.log, 2));
	assert_string_equal(logs.text, "cdefghab");
	assert_true(lab_log_replay(logs.log, 2));
	assert_string_equal(logs.text, "cdefghab");
	lab_log_call(NULL, append, logs.text, "z", 1);
	assert_string_equal(logs.text, "cdefghabz");
	for (unsigned int i = 0; i < 2; i++)
		lab_log_free(logs.log[i]);
	fcn_sim_group_free(group);
}
