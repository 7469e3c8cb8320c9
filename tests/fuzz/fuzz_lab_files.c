/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Files that the lab reads but its scenarios: a capture that a host sends, at a speed by the first
 * byte. What `fastcn-lab compare` reads is read in Python: tests/lab/test_results.py breaks it.
 */

#include <stdio.h>
#include <unistd.h>

#include "network.h"
#include "run.h"
#include "fuzz.h"

#define SWITCHES 2
#define QUEUES_MB 128

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

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static bool ready;

	if (!ready)
		start();
	ready = true;
	if (size < 1)
		return 0;
	fuzz_capture(data + 1, size - 1, data[0]);
	return 0;
}
