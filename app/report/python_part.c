/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <rte_common.h>

#include "python_part.h"

#define BUILT "../fastcn-lab/results/lab-results" /* from the folder of a program */
#define NOT_STARTED 127 /* exit status of a child that could not start it */

/* Where the Python part is, and this program, which it starts for the runs of a sweep. */
struct place {
	char self[PATH_MAX], program[2 * PATH_MAX];
};

/* @return whether it is there */
static bool
find(struct place *p)
{
	ssize_t n = readlink("/proc/self/exe", p->self, sizeof(p->self) - 1);
	int dir;

	p->self[n < 0 ? 0 : n] = '\0';
	dir = n < 0 ? 0 : (int)(strrchr(p->self, '/') - p->self);
	snprintf(p->program, sizeof(p->program), "%.*s/" BUILT, dir, p->self);
	if (access(p->program, R_OK) == 0)
		return true;
	if (LAB_RESULTS[0] == '/')
		snprintf(p->program, sizeof(p->program), "%s", LAB_RESULTS);
	else
		snprintf(p->program, sizeof(p->program), "%.*s/%s", dir, p->self, LAB_RESULTS);
	return access(p->program, R_OK) == 0;
}

/* @return when it could not be started */
static void
start(struct place *p, unsigned int n, const char *const *words)
{
	const char **argv = calloc(n + 4, sizeof(argv[0]));

	if (argv == NULL)
		return;
	argv[0] = "python3";
	argv[1] = p->program;
	argv[2] = p->self;
	memcpy(&argv[3], words, n * sizeof(words[0]));
	execvp("python3", (char **)(uintptr_t)argv);
	free(argv);
}

static void
say_missing(const char *what, const struct place *p, FILE *err)
{
	fprintf(err, "%s: %s is not there: install fastcn as a whole\n", what, p->program);
}

static void
say_no_python(const char *what, FILE *err)
{
	fprintf(err, "%s: python3 is not installed (Debian: python3)\n", what);
}

enum python_part_outcome
python_part_run(const char *what, unsigned int n, const char *const *words, FILE *err)
{
	struct place p;
	int status = 0;
	pid_t pid;

	if (!find(&p)) {
		say_missing(what, &p, err);
		return PYTHON_PART_MISSING;
	}
	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		start(&p, n, words);
		_exit(NOT_STARTED);
	}
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (pid < 0)
		fprintf(err, "%s: %s\n", what, strerror(errno));
	else if (!WIFEXITED(status))
		fprintf(err, "%s: interrupted\n", what);
	else if (WEXITSTATUS(status) == NOT_STARTED)
		say_no_python(what, err);
	else
		return WEXITSTATUS(status) == 0 ? PYTHON_PART_DONE : PYTHON_PART_FAILED;
	return PYTHON_PART_MISSING;
}

void
python_part_become(const char *what, unsigned int n, const char *const *words)
{
	struct place p;

	if (!find(&p)) {
		say_missing(what, &p, stderr);
		return;
	}
	start(&p, n, words);
	say_no_python(what, stderr);
}

int
python_part_report(const char *what, const char *kind, FILE *result, FILE *series, FILE *out)
{
	char why[64], in[2][32], to[32] = "-";
	const char *words[] = {"report", kind, in[0], in[1], to};

	/* Opened anew, the files are read from their beginnings. */
	snprintf(in[0], sizeof(in[0]), "/dev/fd/%d", fileno(result));
	snprintf(in[1], sizeof(in[1]), "/dev/fd/%d", fileno(series));
	if (out != NULL)
		snprintf(to, sizeof(to), "/dev/fd/%d", fileno(out));
	snprintf(why, sizeof(why), "%s: no report", what);
	return python_part_run(why, RTE_DIM(words), words, stderr) == PYTHON_PART_DONE ? 0 : -1;
}
