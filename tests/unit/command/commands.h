/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file A small set of commands with every kind of syntax element, which records how it was called.
 */

#ifndef COMMANDS_H
#define COMMANDS_H

#include "fcn_test.h"

#include "fcn_command.h"

/** Records of the last command. */
struct fcn_session {
	const char *ran; /**< its syntax; NULL when no command ran */
	unsigned int runs;
	char str[FCN_COMMAND_MAX_TEXT];
	uint64_t u64;
	uint64_t second;
	struct fcn_addr addr;
	struct fcn_prefix prefix;
	struct rte_ether_addr mac;
	uint64_t vlans[64];
	bool has_second;
	bool has_type; /**< stays false, because the name of a type is no argument */
};

/** Create a table of commands; the test fails if that is not possible. */
struct fcn_command_table *commands_table(void);

/** The table that each test of a file with this fixture has. */
extern struct fcn_command_table *commands;

int commands_setup(void **state);
int commands_teardown(void **state);

/** For TEST_FIXTURE(): the tests of this file have commands. */
#define FCN_TEST_COMMANDS .setup = commands_setup, .teardown = commands_teardown

/** Run a line that must succeed. */
void run_good(struct fcn_session *session, const char *line);
/** The same for a line that may have abbreviated words. */
void run_short(struct fcn_session *session, const char *line);
void run_short_bad(const char *line, unsigned int column, const char *message);
/** Run a line that must fail with this errno, column and message. */
void run_bad(const char *line, int err, unsigned int column, const char *message);

#endif /* COMMANDS_H */
