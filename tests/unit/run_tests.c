/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Runs the tests of a folder:
 *
 *	test_wire                    those of each file, in a process of its own
 *	test_wire arn [ARGUMENT...]  those of test_arn.c; what the arguments mean is up to them
 *	test_wire arn:test_b*        those of test_arn.c whose names match
 */

#include <fnmatch.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test_case.h"

char **fcn_test_args;
unsigned int fcn_test_n_args, fcn_test_parameter;

#define MAX_TESTS 256

static struct fcn_test_case *first_case, **next_case = &first_case;
static struct fcn_test_fixture *fixtures;

/* A test that runs with a parameter, and what else is around it. */
struct run {
	char name[128];
	unsigned int parameter;
	CMFixtureFunction setup;
};

/* What cmocka runs, and the parameters. */
static struct CMUnitTest tests[MAX_TESTS];
static struct run runs[MAX_TESTS];

void
fcn_test_add_case(struct fcn_test_case *test)
{
	*next_case = test;
	next_case = &test->next;
}

void
fcn_test_add_fixture(struct fcn_test_fixture *fixture)
{
	fixture->next = fixtures;
	fixtures = fixture;
}

/* Write what a file is called here: "arn" of "../tests/unit/wire/test_arn.c". */
static void
name_of(char name[64], const char *file)
{
	const char *base = strrchr(file, '/');

	base = base == NULL ? file : base + 1;
	if (strncmp(base, "test_", 5) == 0)
		base += 5;
	snprintf(name, 64, "%.*s", (int)strcspn(base, "."), base);
}

static const struct fcn_test_fixture *
fixture_of(const char *file)
{
	static const struct fcn_test_fixture none;

	for (const struct fcn_test_fixture *f = fixtures; f != NULL; f = f->next) {
		if (strcmp(f->file, file) == 0)
			return f;
	}
	return &none;
}

static int
begin_test(void **state)
{
	const struct run *run = *state;

	fcn_test_parameter = run->parameter;
	*state = NULL;
	return run->setup == NULL ? 0 : run->setup(state);
}

/* Add a test of a file. @return the number of tests then */
static unsigned int
add(const struct fcn_test_case *c, const struct fcn_test_fixture *fixture,
		const struct fcn_test_parameter *parameter, unsigned int n)
{
	struct run *run = &runs[n];

	if (n == MAX_TESTS)
		abort();
	tests[n] = c->test;
	if (!c->own) {
		tests[n].setup_func = fixture->setup;
		tests[n].teardown_func = fixture->teardown;
	}
	if (parameter != NULL) {
		snprintf(run->name, sizeof(run->name), "%s, %s", c->test.name, parameter->name);
		run->parameter = parameter->value;
		run->setup = tests[n].setup_func;
		tests[n].name = run->name;
		tests[n].setup_func = begin_test;
		tests[n].initial_state = run;
	}
	return n + 1;
}

/* Run the tests of a file whose names match. @return how many failed, or -1: there are none */
static int
run(const char *name, const char *pattern)
{
	const struct fcn_test_fixture *fixture = NULL;
	const struct fcn_test_parameter *parameter = NULL;
	unsigned int n = 0;
	char of_file[64];

	do {
		for (const struct fcn_test_case *c = first_case; c != NULL; c = c->next) {
			name_of(of_file, c->file);
			if (strcmp(of_file, name) != 0 || fnmatch(pattern, c->test.name, 0) != 0)
				continue;
			if (fixture == NULL) {
				fixture = fixture_of(c->file);
				parameter = fixture->each;
			}
			n = add(c, fixture, parameter, n);
		}
	} while (parameter != NULL && (++parameter)->name != NULL);
	if (n > 0)
		return _cmocka_run_group_tests(name, tests, n, fixture->begin, fixture->end);
	fprintf(stderr, "There is no test \"%s\" in a file test_%s.c.\n", pattern, name);
	return -1;
}

/* Run the tests of each file, @return 0: all passed
 */
static int
run_all(void)
{
	const char *file = NULL;
	int status, failed = 0;
	char name[64];

	for (const struct fcn_test_case *c = first_case; c != NULL; c = c->next) {
		if (file != NULL && strcmp(c->file, file) == 0)
			continue;
		file = c->file;
		name_of(name, file);
		fflush(NULL);
		switch (fork()) {
		case -1:
			return 1;
		case 0:
			exit(run(name, "*") != 0);
		default:
			failed |= wait(&status) < 0 || status != 0;
		}
	}
	return failed;
}

int
main(int argc, char **argv)
{
	char *pattern;

	if (argc < 2)
		return run_all();
	fcn_test_args = argv + 2;
	fcn_test_n_args = (unsigned int)argc - 2;
	pattern = strchr(argv[1], ':');
	if (pattern != NULL)
		*pattern++ = '\0';
	return run(argv[1], pattern == NULL ? "*" : pattern);
}
