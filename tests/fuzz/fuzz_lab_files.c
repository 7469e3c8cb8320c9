/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Files that the lab reads but its scenarios. An odd first byte: a capture that a host sends, at a
 * speed by the other bits. An even one: what `fastcn-lab compare` reads, as texts with a 0 byte
 * between them: result.json and series.csv of one run, and those of another one.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "summary.h"
#include "network.h"
#include "report.h"
#include "run.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CHECK(condition)          \
	do {                      \
		if (!(condition)) \
			abort();  \
	} while (0)

#define BUFFERS 1023
#define SWITCHES 2
#define QUEUES_MB 128
#define RUNS 2

static char dir[] = "/tmp/fuzz_lab_XXXXXX";

/* gnuplot is not started. */
pid_t __wrap_fork(void);
pid_t __wrap_waitpid(pid_t pid, int *status, int options);

pid_t
__wrap_fork(void)
{
	return 1;
}

pid_t
__wrap_waitpid(pid_t pid, int *status, int options)
{
	RTE_SET_USED(options);
	*status = 0;
	return pid;
}

static void
clean(void)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -r %s", dir);
	CHECK(system(command) == 0);
}

static void
path_of(char path[128], unsigned int run, const char *file)
{
	if (file == NULL)
		snprintf(path, 128, "%s/%u", dir, run);
	else
		snprintf(path, 128, "%s/%u/%s", dir, run, file);
}

static void
write_file(const char *path, const void *data, size_t size)
{
	FILE *out = fopen(path, "we");

	CHECK(out != NULL && fwrite(data, 1, size, out) == size);
	CHECK(fclose(out) == 0);
}

static void
start(void)
{
	char path[128];

	CHECK(mkdtemp(dir) != NULL && atexit(clean) == 0);
	for (unsigned int run = 0; run < RUNS; run++) {
		path_of(path, run, NULL);
		CHECK(mkdir(path, 0700) == 0);
	}
	CHECK(lab_eal_init(BUFFERS, SWITCHES, QUEUES_MB) == 0);
}

/* ---- fastcn-lab compare ---- */

/* The next text of the input. */
static size_t
next(const uint8_t **data, size_t *size)
{
	const uint8_t *end = *size > 0 ? memchr(*data, '\0', *size) : NULL;

	return end != NULL ? (size_t)(end - *data) : *size;
}

static void
skip(const uint8_t **data, size_t *size, size_t len)
{
	len += len < *size;
	*data += len;
	*size -= len;
}

static void
fuzz_compare(const uint8_t *data, size_t size, bool pictures)
{
	static const char *const files[] = {"result.json", "series.csv"};
	char path[RUNS][128], file[128], out[128];
	char *argv[8] = {"compare", path[0]};
	FILE *nowhere = fopen("/dev/null", "we"), *real[2] = {stdout, stderr};
	int argc = 2;

	CHECK(nowhere != NULL);
	path_of(path[0], 0, NULL);
	path_of(path[1], 1, NULL);
	snprintf(out, sizeof(out), "%s/out", dir);
	for (unsigned int i = 0; i < 2 * RUNS; i++) {
		size_t len = next(&data, &size);

		path_of(file, i / 2, files[i % 2]);
		write_file(file, data, len);
		if (i % 2 == 1 && len == 0)
			unlink(file);
		if (i == 2 && len > 0)
			argv[argc++] = path[1];
		skip(&data, &size, len);
	}
	argv[argc++] = "--metric";
	argv[argc++] = "queue.s1.p1.3.mean";
	if (pictures) {
		argv[argc++] = "--out";
		argv[argc++] = out;
	}
	fflush(stdout);
	stdout = stderr = nowhere;
	lab_compare_main(argc, argv);
	stdout = real[0];
	stderr = real[1];
	fclose(nowhere);
}

/* ---- a capture that a host sends ---- */

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

	CHECK(nowhere != NULL);
	snprintf(file, sizeof(file), "%s/capture", dir);
	write_file(file, data, size);
	snprintf(text, sizeof(text),
			"duration 10ms\nhost add a,b\nlink add a b rate 10G\n"
			"traffic pcap a file %s%s\n",
			file, more[how % RTE_DIM(more)]);
	sc = lab_scenario_load("fuzz", text, NULL, 0, stderr);
	CHECK(sc != NULL);
	measure = lab_measure_create(sc, NULL, err, sizeof(err));
	CHECK(measure != NULL);
	net = lab_network_create(sc, measure, nowhere);
	if (net != NULL) {
		while (fcn_sim_step(net->sim, sc->duration_ns))
			;
		lab_check_end(net);
		/* only what is wrong with the file */
		CHECK(json_array_size(net->violations) <= 1);
		CHECK(net->host[0].sent <= size / 16);
		CHECK(lab_network_free(net) == 0);
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
	if (data[0] & 1)
		fuzz_capture(data + 1, size - 1, data[0] >> 1);
	else
		fuzz_compare(data + 1, size - 1, data[0] & 2);
	return 0;
}
