/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Files that the lab reads but its scenarios: a capture that a host sends, at a speed by the first
 * byte; a trace of group operations, which runs if it is short; lists of flows of other simulators,
 * and distributions of sizes. What `fastcn-lab compare` reads is read in Python:
 * tests/lab/test_results.py breaks it.
 */

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "flow_file.h"
#include "goal.h"
#include "network.h"
#include "run.h"
#include "workload.h"
#include "fuzz.h"

#define SWITCHES 2
#define QUEUES_MB 128

/* What the first byte says that the rest is; below the first of these, it is a capture. */
enum {
	TRACE = 0x80,
	FLOWS,
	MATRIX,
	SIZES,
};

#define STEPS 100000 /* of a trace that runs */

static char dir[] = "/tmp/fuzz_lab_XXXXXX";

static void
clean(void)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -r %s", dir);
	require(system(command) == 0);
}

static void
write_file(const char *path, const void *data, size_t size)
{
	FILE *out = fopen(path, "we");

	require(out != NULL && fwrite(data, 1, size, out) == size);
	require(fclose(out) == 0);
}

static void
start(void)
{
	require(mkdtemp(dir) != NULL && atexit(clean) == 0);
	require(lab_eal_init(SWITCHES, QUEUES_MB) == 0);
}

static void
fuzz_capture(const uint8_t *data, size_t size, uint8_t how)
{
	static const char *const more[] = {"", " speed 0.000001", " speed 1000000", " start 3us",
			" start 18446744073709551615ns", " speed 0.3", " speed 1000 start 9ms"};
	struct lab_measure *measure;
	struct lab_scenario *sc;
	struct lab_network *net;
	FILE *nowhere = fopen("/dev/null", "we");
	char text[512], file[128], err[256] = "";

	require(nowhere != NULL);
	snprintf(file, sizeof(file), "%s/capture", dir);
	write_file(file, data, size);
	snprintf(text, sizeof(text),
			"duration 10ms\nhost add a,b\nlink add a b rate 10G\n"
			"traffic pcap a file %s%s\n",
			file, more[how % RTE_DIM(more)]);
	sc = lab_scenario_load("fuzz", text, NULL, 0, stderr);
	require(sc != NULL);
	measure = lab_measure_create(sc, NULL, err, sizeof(err));
	require(measure != NULL);
	net = lab_network_create(sc, measure, nowhere);
	if (net != NULL) {
		while (fcn_sim_step(net->sim, sc->duration_ns))
			;
		lab_check_end(net);
		/* only what is wrong with the file */
		require(json_array_size(net->violations) <= 1);
		require(net->host[0].sent <= size / 16);
		require(lab_network_free(net) == 0);
	}
	lab_measure_free(measure);
	lab_scenario_free(sc);
	fclose(nowhere);
}

/* Bytes that end where a page that must not be touched may follow: a copy of their length. */
static char *
exactly(const uint8_t *data, size_t size)
{
	char *copy = malloc(size > 0 ? size : 1);

	require(copy != NULL);
	memcpy(copy, data, size);
	return copy;
}

/* Run a trace on three hosts, for some steps. */
static void
run_trace(const char *file)
{
	struct lab_measure *measure;
	struct lab_scenario *sc;
	struct lab_network *net;
	FILE *nowhere = fopen("/dev/null", "we");
	char text[512], err[256] = "";

	require(nowhere != NULL);
	snprintf(text, sizeof(text),
			"duration 1ms\nhost add a,b,c\nswitch add s\nlink add a,b,c s\n"
			"traffic goal g file %s hosts a,b,c iterations 2\n",
			file);
	sc = lab_scenario_load("fuzz", text, NULL, 0, nowhere);
	if (sc != NULL) {
		measure = lab_measure_create(sc, NULL, err, sizeof(err));
		require(measure != NULL);
		net = lab_network_create(sc, measure, nowhere);
		require(net != NULL);
		for (unsigned int i = 0; i < STEPS && fcn_sim_step(net->sim, sc->duration_ns); i++)
			;
		lab_network_free(net);
		lab_measure_free(measure);
	}
	lab_scenario_free(sc);
	fclose(nowhere);
}

static void
fuzz_trace(const uint8_t *data, size_t size)
{
	char *text = exactly(data, size), err[256] = "", file[128];
	struct lab_goal *g = lab_goal_read(text, size, err, sizeof(err));

	require((g == NULL) == (err[0] != '\0'));
	if (g != NULL && lab_goal_check(g, err, sizeof(err)) == 0 && g->n_ranks <= 3) {
		snprintf(file, sizeof(file), "%s/trace", dir);
		write_file(file, data, size);
		run_trace(file);
	}
	lab_goal_free(g);
	free(text);
}

static void
fuzz_flows(const uint8_t *data, size_t size, bool matrix)
{
	char *text = exactly(data, size), err[256] = "";
	struct lab_flow_list list;

	if ((matrix ? lab_flow_list_read_htsim : lab_flow_list_read_ns3)(
			    text, size, &list, err, sizeof(err)) == 0) {
		for (unsigned int i = 0; i < list.n; i++)
			require(list.flow[i].from < list.n_hosts && list.flow[i].to < list.n_hosts);
		lab_flow_list_free(&list);
	} else {
		require(err[0] != '\0');
	}
	free(text);
}

static void
fuzz_sizes(const uint8_t *data, size_t size)
{
	char *text = strndup((const char *)data, size), err[256];
	struct lab_sizes sizes;

	require(text != NULL);
	if (lab_sizes_read(text, &sizes, err, sizeof(err)) == 0) {
		for (unsigned int i = 0; i <= 100; i++)
			require(lab_sizes_at(&sizes, i / 100.) >= 1);
		lab_sizes_free(&sizes);
	}
	free(text);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static bool ready;

	if (!ready)
		start();
	ready = true;
	if (size < 1)
		return 0;
	switch (data[0]) {
	case TRACE:
		fuzz_trace(data + 1, size - 1);
		break;
	case FLOWS:
	case MATRIX:
		fuzz_flows(data + 1, size - 1, data[0] == MATRIX);
		break;
	case SIZES:
		fuzz_sizes(data + 1, size - 1);
		break;
	default:
		fuzz_capture(data + 1, size - 1, data[0]);
	}
	return 0;
}
