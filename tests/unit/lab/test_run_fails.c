/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Runs that cannot go on: no memory for what is checked, a switch that cannot be restarted. They
 * end without a result and say why. Allocations fail by the linker's --wrap.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fcn_test.h"
#include "network_util.h"
#include "run.h"

/* Calls so far while they are counted, and which of them fails; 0: none. */
static unsigned int n_calls, failing;
static bool counting;

/* The last result says that something is missing in it. */
static bool partial;

void *__real_realloc(void *p, size_t size);
void *__wrap_realloc(void *p, size_t size);

void *
__wrap_realloc(void *p, size_t size)
{
	/* behind the language of switches, whose many lists have a test of their own */
	if (counting && rte_mempool_lookup("lab_s0") != NULL && ++n_calls == failing)
		return NULL;
	return __real_realloc(p, size);
}

static const char text[] = "buffers 2047\n"
			   "duration 1ms\n"
			   "check on\n"
			   "switch add s1 file %s\n"
			   "host add h1,h2,r\n"
			   "link add h1,h2,r s1 rate 10G\n"
			   "flow add f from h1,h2 to r size 600K\n"
			   "at 900us switch s1 restart\n";

static char file[] = "/tmp/test_lab_run_fails_XXXXXX";

static void
write_file(const char *line)
{
	FILE *out = fopen(file, "w");

	assert_non_null(out);
	assert_true(fputs(line, out) >= 0);
	assert_int_equal(fclose(out), 0);
}

static void
spoil(void *arg, uint64_t now, uint64_t end, uint64_t frames)
{
	RTE_SET_USED(now);
	RTE_SET_USED(end);
	RTE_SET_USED(frames);
	write_file(arg);
}

/* @return what was said of a run without a result; NULL: it has one, partial or not */
static char *
run_spoilt(const char *line)
{
	char whole[1024], err[256] = "", *said = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&said, &size);
	json_t *result, *list, *told;
	size_t i;

	assert_non_null(out);
	write_file("set queue all class 3 limit 1M\n");
	snprintf(whole, sizeof(whole), text, file);
	sc = lab_scenario_load("test", whole, NULL, 0, stderr);
	assert_non_null(sc);
	measure = lab_measure_create(sc, NULL, err, sizeof(err));
	assert_non_null(measure);
	n_calls = 0;
	counting = true;
	result = lab_run(sc, measure, NULL, line != NULL ? spoil : NULL, (void *)(uintptr_t)line,
			false, out);
	counting = false;
	fclose(out);
	lab_measure_free(measure);
	lab_scenario_free(sc);
	/* all of it was given back, so the next run's names are free */
	partial = false;
	assert_null(rte_mempool_lookup("lab"));
	assert_null(rte_mempool_lookup("lab_s0"));
	if (result == NULL)
		return said;
	list = json_object_get(result, "violations");
	json_array_foreach (list, i, told) {
		assert_non_null(strstr(json_string_value(told), strerror(ENOMEM)));
		partial = true;
	}
	partial |= json_is_true(json_object_get(result, "out_of_memory"));
	json_decref(result);
	assert_string_equal(said, "");
	free(said);
	return NULL;
}

TEST(restart)
{
	char *said, expected[256];

	assert_null(run_spoilt(NULL));
	said = run_spoilt("set queue nobody class 3 limit 1M\n");
	assert_non_null(said);
	snprintf(expected, sizeof(expected), "%s:1:", file);
	assert_non_null(strstr(said, expected));
	assert_non_null(strstr(said, "900000 ns: s1 could not be restarted: the run cannot go "
				     "on\n"));
	free(said);
	assert_null(run_spoilt("set queue all class 3 limit 2M\n"));
}

/* One allocation after the other fails, whatever it is for. */
TEST(memory)
{
	unsigned int all, seen = 0, whole = 0;

	assert_null(run_spoilt(NULL));
	all = n_calls;
	assert_true(all > 0);
	for (failing = 1; failing <= all; failing++) {
		char *said = run_spoilt(NULL);

		if (said == NULL) {
			whole += !partial;
			continue;
		}
		assert_int_not_equal(strlen(said), 0);
		seen += strstr(said, " ns: s1: no memory to check it: the run cannot go on\n") !=
			NULL;
		free(said);
	}
	failing = 0;
	assert_int_equal(seen, 2);    /* what came, what left */
	assert_in_range(whole, 0, 2); /* timers of host functions, which are off, in two lives */
	assert_null(run_spoilt(NULL));
	assert_false(partial);
}

static int
setup(void **state)
{
	int fd = mkstemp(file);

	if (fd < 0)
		return -1;
	close(fd);
	return net_eal(state);
}

static int
teardown(void **state)
{
	unlink(file);
	return fcn_test_eal_cleanup(state);
}

TEST_FIXTURE(.begin = setup, .end = teardown);
