/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Abbreviated words. */

#include <errno.h>

#include "commands.h"

TEST_FIXTURE(FCN_TEST_COMMANDS);

TEST(unique)
{
	struct fcn_session session;

	run_short(&session, "se po p1 r 10G");
	assert_string_equal(session.ran, "rate");
	assert_string_equal(session.str, "p1");
	assert_int_equal(session.u64, 10000000000);
	run_short(&session, "q p1 3 det st 9K le 3K # short");
	assert_string_equal(session.ran, "detector");
	assert_int_equal(session.u64, 9000);
	assert_true(session.has_second);
	assert_int_equal(session.second, 3000);
	/* one of some words */
	run_short(&session, "set port p1 link st");
	assert_string_equal(session.str, "standby");
	run_short(&session, "t c th");
	assert_string_equal(session.str, "three");
	/* what follows decides: only one command that begins so has an argument */
	run_short(&session, "sh port p1");
	assert_string_equal(session.ran, "show_port");
	run_short(&session, "n a 3s r 4");
	assert_string_equal(session.str, "ar");
	assert_int_equal(session.second, 4);
}

TEST(full_words_first)
{
	struct fcn_session session;

	/* a word in full, then a value, then an abbreviation */
	run_short(&session, "pi ports");
	assert_string_equal(session.ran, "pick_ports");
	run_short(&session, "pi port");
	assert_string_equal(session.ran, "pick_any");
	assert_string_equal(session.str, "port");
	run_short(&session, "pick port n");
	assert_string_equal(session.ran, "pick_any_now");
	/* `port` is a word in full, though `ports` begins so, too */
	run_short(&session, "sho port x");
	assert_string_equal(session.ran, "show_port");
	/* a text stays as it is */
	run_short(&session, "q p1 3 des det st 9K");
	assert_string_equal(session.str, "det st 9K");
}

TEST(ambiguous)
{
	run_short_bad("s", 1, "\"s\" is ambiguous: set or show");
	run_short_bad("  queue p1 3 de step 1K", 14, "\"de\" is ambiguous: detector or describe");
	run_short_bad("set port p1 m x", 13, "\"m\" is ambiguous: mtu or mac");
	run_short_bad("type choice t", 13, "\"t\" is ambiguous: two or three");
	run_short_bad("type a x", 6, "\"a\" is ambiguous: addr, addr6 or addr4");
	run_short_bad("ty n x!", 4, "\"n\" is ambiguous: name or number");
}

/* The column is that of the line as it was typed, and the words that were understood are no error.
 */
TEST(errors)
{
	run_short_bad("se po p1 ra 10X", 13, "10X is not a rate (examples: 10G, 2.5G, 100M)");
	run_short_bad("se po p1 zzz 1", 10, "expected rate, link, mtu or mac, found \"zzz\"");
	run_short_bad("se po p1 ra 1", 7, "there is no port p1");
	run_short_bad("Set po", 1,
			"did you mean set? expected set, show, queue, note, pick or type, found "
			"\"Set\"");
	run_short_bad("sh", 3, "expected ports or port, found end of line");
}

/* Only where that is allowed. */
TEST(not_allowed)
{
	struct fcn_session session = {0};
	struct fcn_diag diag;

	assert_int_equal(fcn_command_run(commands, &session, "se port p1 rate 10G",
					 FCN_COMMAND_ALLOW_ALL, &diag),
			-EINVAL);
	assert_int_equal(fcn_command_run(commands, &session, "se port p1 rate 10G",
					 FCN_COMMAND_ALLOW_CONFIG, &diag),
			-EINVAL);
	assert_int_equal(session.runs, 0);
	assert_string_equal(diag.message,
			"did you mean set? expected set, queue, note, pick or type, found \"se\"");
}
