/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Unit tests that register themselves. All tests of a folder are one program, which runs those of
 * one file (see run_tests.c):
 *
 *	TEST_FIXTURE(.setup = make_table, .teardown = free_table);
 *
 *	TEST(look_up)
 *	{
 *		assert_int_equal(...);
 *	}
 *
 * Tests run in the order in which the file has them. The assertions are those of cmocka.
 */

#ifndef TEST_CASE_H
#define TEST_CASE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/** One of the values with which each test of a file runs. */
struct fcn_test_parameter {
	const char *name; /**< NULL behind the last one */
	unsigned int value;
};

/** The value with which the present test runs. */
extern unsigned int fcn_test_parameter;

/** What the tests of a file have around them. A function that is not 0 fails them; NULL: none. */
struct fcn_test_fixture {
	CMFixtureFunction begin;    /**< runs once, before the first test of the file */
	CMFixtureFunction end;      /**< runs once, after the last one */
	CMFixtureFunction setup;    /**< runs before each test that has no own functions */
	CMFixtureFunction teardown; /**< runs after each of those */
	const struct fcn_test_parameter *each; /**< all tests run with each of these; NULL: once */
	const char *file;
	struct fcn_test_fixture *next;
};

/** A registered test. */
struct fcn_test_case {
	struct CMUnitTest test;
	bool own; /**< test has its own setup and teardown */
	const char *file;
	struct fcn_test_case *next;
};

void fcn_test_add_case(struct fcn_test_case *test);
void fcn_test_add_fixture(struct fcn_test_fixture *fixture);

/** The arguments of the program that follow the name of the file, and how many. */
extern char **fcn_test_args;
extern unsigned int fcn_test_n_args;

/** Say what all tests of a file have around them: members of struct fcn_test_fixture. */
#define TEST_FIXTURE(...)                                                                 \
	__attribute__((constructor)) static void fcn_test_fixture_of_file(void)           \
	{                                                                                 \
		static struct fcn_test_fixture fixture = {.file = __FILE__, __VA_ARGS__}; \
                                                                                          \
		fcn_test_add_fixture(&fixture);                                           \
	}                                                                                 \
	_Static_assert(1, "")

/* The function of a test, and one that registers it before main() begins. */
#define FCN_TEST_CASE(function, add, ...)                                                \
	static void function(void **state);                                              \
	__attribute__((constructor)) static void add(void)                               \
	{                                                                                \
		static struct fcn_test_case test_case = {.file = __FILE__, __VA_ARGS__}; \
                                                                                         \
		test_case.test.name = #function;                                         \
		test_case.test.test_func = function;                                     \
		fcn_test_add_case(&test_case);                                           \
	}                                                                                \
	static void function(__attribute__((unused)) void **state)

/** Define a test, with the fixture of its file around it. The body follows; state is cmocka's. */
#define TEST(id) FCN_TEST_CASE(test_##id, fcn_test_add_##id, .own = false)

/** Define a test that has its own setup and teardown instead; each may be NULL. */
#define TEST_WITH(id, setup_function, teardown_function)         \
	FCN_TEST_CASE(test_##id, fcn_test_add_##id, .own = true, \
			.test = {.setup_func = (setup_function), \
					.teardown_func = (teardown_function)})

#endif /* TEST_CASE_H */
