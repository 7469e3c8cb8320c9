/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rte_eal.h>

#include "random_scenario.h"
#include "report.h"
#include "run.h"

#define SWITCHES 8 /* more than any has */
#define QUEUES_MB 128
#define DIVIDED 4 /* one of so many seeds is run with several threads, too */
#define EXIT_USAGE 2
#define EXIT_SIGNAL 128 /* and the number of the signal that ended it */

static volatile sig_atomic_t interrupted;

/* The seed of the current run, which is printed when the program crashes. */
static char under_way[128];

static void
interrupt(int sig)
{
	interrupted = sig;
}

static void
crashed(int sig)
{
	ssize_t n = write(STDERR_FILENO, under_way, strlen(under_way));

	RTE_SET_USED(n);
	signal(sig, SIG_DFL);
	raise(sig);
}

static void
usage(FILE *out)
{
	fputs("usage: lab-random [--seeds FIRST[-LAST]] [--divided] [--print]\n"
	      "\n"
	      "Run random scenarios of the lab, with faults, and check after every event what "
	      "must\n"
	      "always hold: packets are conserved, queues bounded, no buffer leaks, no notice is\n"
	      "about a notice, no capable sender is marked for a packet it was notified for. Ends\n"
	      "at the first seed that violates any of it, with the command that runs it again.\n"
	      "Every fourth one runs again with two or three threads: the result is the same.\n"
	      "\n"
	      "  --seeds FIRST-LAST  which (default 1-200)\n"
	      "  --divided           run all of them with several threads, too\n"
	      "  --print             write the scenario of FIRST instead of running it\n",
			out);
}

/* Read seeds: "7" or "1-200". */
static int
parse_seeds(const char *text, uint64_t *first, uint64_t *last)
{
	char *end;

	errno = 0;
	*first = strtoull(text, &end, 10);
	*last = *first;
	if (end != text && *end == '-')
		*last = strtoull(text = end + 1, &end, 10);
	return errno == 0 && end != text && *end == '\0' && *last >= *first ? 0 : -1;
}

/* Print the invariants and expectations that do not hold. @return their number */
static unsigned int
report_broken(const struct lab_scenario *sc, json_t *result, uint64_t seed)
{
	unsigned int n = lab_check_expectations(sc, result);
	json_t *line;
	size_t i;

	json_array_foreach (json_object_get(result, "violations"), i, line)
		fprintf(stderr, "seed %" PRIu64 ": %s\n", seed, json_string_value(line));
	json_array_foreach (json_object_get(result, "expectations"), i, line) {
		if (!json_is_true(json_object_get(line, "ok")))
			fprintf(stderr, "seed %" PRIu64 ": does not hold: %s (%s)\n", seed,
					json_string_value(json_object_get(line, "text")),
					json_string_value(json_object_get(line, "note")));
	}
	return n + (unsigned int)json_array_size(json_object_get(result, "violations"));
}

static json_t *
run_scenario(struct lab_scenario *sc, unsigned int threads, FILE *err)
{
	char why[256] = "";
	struct lab_measure *m = lab_measure_create(sc, NULL, why, sizeof(why));
	json_t *result = NULL;

	sc->threads = threads;
	if (m != NULL)
		result = lab_run(sc, m, &interrupted, NULL, NULL, false, err);
	lab_measure_free(m);
	return result;
}

/*
 * Run it again with several threads, which must give the same result. What this says is not shown:
 * some scenarios cannot be divided, or have too few buffers, and the run says so and has no result.
 *
 * @return 0; 1 when the result is another, which is printed; -1 when it could not be run
 */
static int
run_divided(struct lab_scenario *sc, const json_t *result, uint64_t seed)
{
	const unsigned int threads = 2 + seed % 2;
	char *said = NULL;
	size_t size = 0;
	FILE *err = open_memstream(&said, &size);
	json_t *other;
	int rc = -1;

	if (err == NULL)
		return -1;
	other = run_scenario(sc, threads, err);
	fclose(err);
	if (other != NULL)
		rc = interrupted == 0 && !json_equal(result, other);
	else if (strstr(said, "buffers may run out") != NULL)
		rc = 0;
	if (rc != 0)
		fprintf(stderr, "%sseed %" PRIu64 ": another result with %u threads\n", said, seed,
				threads);
	json_decref(other);
	free(said);
	return rc;
}

/*
 * Run a seed. An interrupted run proves nothing.
 *
 * @return 0; 1 when an invariant or expectation does not hold; -1 when it could not be run. Both
 * cases are printed
 */
static int
run_seed(uint64_t seed, bool divided)
{
	char *text = lab_random_scenario(seed), name[32];
	struct lab_scenario *sc = NULL;
	json_t *result = NULL;
	int rc = -1;

	snprintf(name, sizeof(name), "seed %" PRIu64, seed);
	if (text != NULL)
		sc = lab_scenario_load(name, text, NULL, 0, stderr);
	if (sc != NULL)
		result = run_scenario(sc, 1, stderr);
	if (result != NULL)
		rc = 0;
	/* before expectations are added to the result */
	if (rc == 0 && interrupted == 0 && divided)
		rc = run_divided(sc, result, seed);
	if (rc == 0 && interrupted == 0)
		rc = report_broken(sc, result, seed) != 0;
	json_decref(result);
	lab_scenario_free(sc);
	free(text);
	return rc;
}

static int
run_seeds(uint64_t first, uint64_t last, bool divided)
{
	const bool terminal = isatty(STDERR_FILENO);
	uint64_t seed;
	int rc = 0;

	for (seed = first; seed <= last && interrupted == 0; seed++) {
		snprintf(under_way, sizeof(under_way),
				"crashed; run it again: lab-random --seeds %" PRIu64 "\n", seed);
		rc = run_seed(seed, divided || seed % DIVIDED == 0);
		if (rc != 0 || interrupted != 0)
			break;
		if (terminal && seed % 10 == 0)
			fprintf(stderr, "\r%" PRIu64 " of %" PRIu64, seed - first + 1,
					last - first + 1);
	}
	if (terminal)
		fputc('\r', stderr);
	if (rc != 0) {
		fprintf(stderr, "run it again: lab-random --seeds %" PRIu64 "\n", seed);
		return EXIT_FAILURE;
	}
	printf("%" PRIu64 " seeds: nothing was broken%s\n", seed - first,
			interrupted != 0 ? "; interrupted" : "");
	return interrupted != 0 ? EXIT_SIGNAL + interrupted : EXIT_SUCCESS;
}

int
main(int argc, char **argv)
{
	static const struct option options[] = {
			{"seeds", required_argument, NULL, 's'},
			{"divided", no_argument, NULL, 'd'},
			{"print", no_argument, NULL, 'p'},
			{"help", no_argument, NULL, 'h'},
			{NULL, 0, NULL, 0},
	};
	const struct sigaction on_signal = {.sa_handler = interrupt};
	uint64_t first = 1, last = 200;
	bool print = false, divided = false;
	int c, rc;

	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (c == 'h') {
			usage(stdout);
			return EXIT_SUCCESS;
		}
		if (c == 'p') {
			print = true;
		} else if (c == 'd') {
			divided = true;
		} else if (c != 's') {
			usage(stderr);
			return EXIT_USAGE;
		} else if (parse_seeds(optarg, &first, &last) != 0) {
			fprintf(stderr,
					"lab-random: \"%s\" is no range of seeds: 7, "
					"1-200\n",
					optarg);
			return EXIT_USAGE;
		}
	}
	if (optind < argc) {
		fprintf(stderr, "lab-random: what is \"%s\"?\n", argv[optind]);
		usage(stderr);
		return EXIT_USAGE;
	}
	if (print) {
		char *text = lab_random_scenario(first);

		fputs(text != NULL ? text : "", stdout);
		free(text);
		return text != NULL ? EXIT_SUCCESS : EXIT_FAILURE;
	}
	if (lab_eal_init(SWITCHES, QUEUES_MB) != 0)
		return EXIT_FAILURE;
	sigaction(SIGINT, &on_signal, NULL);
	sigaction(SIGTERM, &on_signal, NULL);
	signal(SIGSEGV, crashed);
	signal(SIGABRT, crashed);
	signal(SIGBUS, crashed);
	signal(SIGFPE, crashed);
	rc = run_seeds(first, last, divided);
	rte_eal_cleanup();
	return rc;
}
