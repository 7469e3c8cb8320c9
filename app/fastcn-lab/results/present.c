/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "present.h"

#define BUILT "results/lab-results"
#define NOT_STARTED 127 /* exit status of a child that could not start it */
#define FAILED 1        /* the status of fastcn-lab for that */

/* Where the Python part is, and this program, which it starts for the runs of a sweep. */
struct place {
	char lab[PATH_MAX], program[2 * PATH_MAX];
};

/* @return whether it is there */
static int
find(struct place *p)
{
	ssize_t n = readlink("/proc/self/exe", p->lab, sizeof(p->lab) - 1);
	int dir;

	p->lab[n < 0 ? 0 : n] = '\0';
	dir = n < 0 ? 0 : (int)(strrchr(p->lab, '/') - p->lab);
	snprintf(p->program, sizeof(p->program), "%.*s/" BUILT, dir, p->lab);
	if (access(p->program, R_OK) == 0)
		return 1;
	if (LAB_RESULTS[0] == '/')
		snprintf(p->program, sizeof(p->program), "%s", LAB_RESULTS);
	else
		snprintf(p->program, sizeof(p->program), "%.*s/%s", dir, p->lab, LAB_RESULTS);
	return access(p->program, R_OK) == 0;
}

/* Become the Python part with these words. @return when it could not be started */
static void
become(struct place *p, int argc, char **words)
{
	char **argv = calloc((size_t)argc + 4, sizeof(char *));

	if (argv == NULL)
		return;
	argv[0] = (char *)(uintptr_t) "python3";
	argv[1] = p->program;
	argv[2] = p->lab;
	memcpy(&argv[3], words, (size_t)argc * sizeof(char *));
	execvp("python3", argv);
	free(argv);
}

static void
say_missing(const struct place *p, const char *what, FILE *err)
{
	fprintf(err, "%s: %s is not there: install fastcn as a whole\n", what, p->program);
}

static void
say_no_python(const char *what, FILE *err)
{
	fprintf(err, "%s: python3 is not installed (Debian: python3)\n", what);
}

int
lab_present_run(const char *dir, FILE *err)
{
	char *words[] = {(char *)(uintptr_t) "draw", (char *)(uintptr_t)dir};
	struct place p;
	int status = 0;
	pid_t pid;

	if (!find(&p)) {
		say_missing(&p, "no pictures", err);
		return 0;
	}
	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		become(&p, 2, words);
		_exit(NOT_STARTED);
	}
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (pid < 0)
		fprintf(err, "no pictures: %s\n", strerror(errno));
	else if (!WIFEXITED(status))
		fputs("no pictures: interrupted\n", err);
	else if (WEXITSTATUS(status) == NOT_STARTED)
		say_no_python("no pictures", err);
	else if (WEXITSTATUS(status) != 0)
		return -1;
	return 0;
}

int
lab_present_main(int argc, char **argv)
{
	struct place p;
	char what[64];

	snprintf(what, sizeof(what), "fastcn-lab %s", argv[0]);
	if (!find(&p)) {
		say_missing(&p, what, stderr);
		return FAILED;
	}
	become(&p, argc, argv);
	say_no_python(what, stderr);
	return FAILED;
}
