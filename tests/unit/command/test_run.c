/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Which command a line is, and where and why it is none. */

#include <errno.h>

#include <rte_common.h>

#include "commands.h"

TEST_FIXTURE(FCN_TEST_COMMANDS);

TEST(matches)
{
	struct fcn_session session;

	run_good(&session, "set port p1 rate 10G");
	assert_string_equal(session.ran, "rate");
	assert_string_equal(session.str, "p1");
	assert_int_equal(session.u64, UINT64_C(10000000000));
	run_good(&session, "\t set  port\tp1 link  standby  # comment");
	assert_string_equal(session.ran, "link");
	assert_string_equal(session.str, "standby");
	run_good(&session, "show ports\n");
	assert_string_equal(session.ran, "show_ports");
	run_good(&session, "show port ports\r\n");
	assert_string_equal(session.ran, "show_port");
	assert_string_equal(session.str, "ports");
	/* keywords are fine as names */
	run_good(&session, "set port rate rate 1K");
	assert_string_equal(session.str, "rate");
}

TEST(optional_groups)
{
	struct fcn_session session;

	run_good(&session, "queue p1 3 detector step 200K");
	assert_int_equal(session.u64, 200000);
	assert_false(session.has_second);
	assert_int_equal(session.second, 100000);
	run_good(&session, "queue p1 3 detector step 200K leave 50K");
	assert_true(session.has_second);
	assert_false(session.has_type);
	assert_int_equal(session.second, 50000);

	run_good(&session, "note");
	assert_string_equal(session.str, "");
	assert_int_equal(session.u64, 77);
	assert_int_equal(session.second, 88);
	run_good(&session, "note for me");
	assert_string_equal(session.str, "fw");
	run_good(&session, "note at 5s");
	assert_string_equal(session.str, "a");
	assert_int_equal(session.u64, UINT64_C(5000000000));
	run_good(&session, "note at 5s repeat 3");
	assert_string_equal(session.str, "ar");
	assert_int_equal(session.second, 3);
	run_good(&session, "note for me at 5s repeat 3");
	assert_string_equal(session.str, "fwar");
	/* the inner group not without the outer one, and in this order */
	run_bad("note repeat 3", -EINVAL, 6, "expected for, at or end of line, found \"repeat\"");
	run_bad("note at 5s for me", -EINVAL, 12,
			"expected repeat or end of line, found \"for\", which has to come before "
			"at");
	run_bad("note for me at 5s for me", -EINVAL, 19,
			"expected repeat or end of line, found \"for\"");
	/* a word of another command, and the word of the line behind it is a value */
	run_bad("note for at at at", -EINVAL, 16,
			"at is not a time (examples: 4us, 100ns, 5ms, 300s)");
}

TEST(words_before_arguments)
{
	struct fcn_session session;

	run_good(&session, "pick ports");
	assert_string_equal(session.ran, "pick_ports");
	run_good(&session, "pick port");
	assert_string_equal(session.ran, "pick_any");
	/* the earliest difference counts: "ports" the word, before "now" the word */
	run_good(&session, "pick ports now");
	assert_string_equal(session.ran, "pick_ports_text");
	run_good(&session, "pick port now");
	assert_string_equal(session.ran, "pick_any_now");
}

TEST(nothing_to_do)
{
	static const char *const lines[] = {"", "\n", "\r\n", "   \t ", "# set port", "  # x", "#"};
	struct fcn_session session = {0};
	struct fcn_diag diag;
	unsigned int i;

	for (i = 0; i < RTE_DIM(lines); i++)
		assert_int_equal(fcn_command_run(commands, &session, lines[i],
						 FCN_COMMAND_ALLOW_CONFIG, &diag),
				0);
	assert_int_equal(session.runs, 0);
}

TEST(expected)
{
	run_bad("set port p1 rte 10G", -EINVAL, 13,
			"did you mean rate? expected rate, link, mtu or mac, found \"rte\"");
	run_bad("set port p1 zzz 10G", -EINVAL, 13,
			"expected rate, link, mtu or mac, found \"zzz\"");
	run_bad("  set prot p1", -EINVAL, 7, "did you mean port? expected port, found \"prot\"");
	run_bad("strange", -EINVAL, 1,
			"expected set, show, queue, note, pick or type, found \"strange\"");
	/* no abbreviations, but a hint */
	run_bad("queue p1 3 det step 1K", -EINVAL, 12,
			"did you mean detector? expected detector or describe, found \"det\"");
	run_bad("queue p1 3 de step 1K", -EINVAL, 12,
			"expected detector or describe, found \"de\"");
	run_bad("Set port p1 rate 1K", -EINVAL, 1,
			"did you mean set? expected set, show, queue, note, pick or type, found "
			"\"Set\"");
	run_bad("set port p1 link on", -EINVAL, 18, "expected up, down or standby, found \"on\"");
	/* '#' only begins a comment at the beginning of a word */
	run_bad("show ports#now", -EINVAL, 6, "expected ports or port, found \"ports#now\"");
	run_bad("set\303\251", -EINVAL, 1,
			"expected set, show, queue, note, pick or type, found \"set\303\251\"");
}

TEST(end_of_line)
{
	run_bad("set port p1 rate", -EINVAL, 17,
			"expected <rate> (a rate; examples: 10G, 2.5G, 100M), found end of line");
	run_bad("set port p1 rate   # none", -EINVAL, 17,
			"expected <rate> (a rate; examples: 10G, 2.5G, 100M), found end of line");
	run_bad("set port p1", -EINVAL, 12, "expected rate, link, mtu or mac, found end of line");
	run_bad("set port", -EINVAL, 9,
			"expected <port:name> (a name; letters, digits and ._:-/), found end of "
			"line");
	run_bad("set port p1 rate 10G now", -EINVAL, 22, "expected end of line, found \"now\"");
	run_bad("queue p1 3 detector step 9 more", -EINVAL, 28,
			"expected leave or end of line, found \"more\"");
	run_bad("queue p1 3 detector step 9 leave", -EINVAL, 33,
			"expected <leave:size> (a size; examples: 9216, 200K, 64Ki, 1.5M), found "
			"end of line");
	run_bad("type text", -EINVAL, 10,
			"expected <v:text> (a text; the rest of the line), found end of line");
	/* the first words are those of an address, the literal word got as far: both count */
	run_bad("pick", -EINVAL, 5, "expected ports or <what:name>, found end of line");
	run_bad("pick p!", -EINVAL, 6,
			"expected ports or <what:name>, found \"p!\"; p! is not a name (letters, "
			"digits and ._:-/)");
}

TEST(value_column)
{
	run_bad("set port p1 rate 10X", -EINVAL, 18,
			"10X is not a rate (examples: 10G, 2.5G, 100M)");
	run_bad("queue p1 9 detector step 1K", -EINVAL, 10, "9 is not a class (0..7, or all)");
}

TEST(command_error)
{
	run_bad("set port  p1 rate 0", -ERANGE, 19, "port p1 cannot stand still");
	run_bad("set port  p1 rate 1", -ENODEV, 11, "there is no port p1");
	run_bad(" set port  p1 rate 2", -EBUSY, 2, "not now");
	run_bad(" set port  p1 rate 3", -EINVAL, 2, "no such key");
	run_bad(" set port  p1 rate 4", -EEXIST, 2, "File exists");
	assert_int_equal(fcn_command_run(commands, &(struct fcn_session){0}, "set port p1 rate 4",
					 0, NULL),
			-EEXIST);
}

TEST(characters)
{
	struct fcn_session session;
	char line[FCN_COMMAND_MAX_LINE + 3];

	run_bad("show\007 ports", -EILSEQ, 5, "control character 0x07 is not allowed");
	run_bad("show ports # \177", -EILSEQ, 14, "control character 0x7f is not allowed");
	run_bad("type text \303\244\302\205", -EILSEQ, 12, "control character 0x85 is not allowed");
	run_bad("show\nports", -EILSEQ, 5, "control character 0x0a is not allowed");
	run_bad("show\r", 0 - EINVAL, 5, "expected ports or port, found end of line");
	run_bad("show\rports", -EILSEQ, 5, "control character 0x0d is not allowed");
	run_bad("type text \344", -EILSEQ, 11, "byte 0xe4 is not UTF-8");
	run_bad("type text \303\244\200", -EILSEQ, 12, "byte 0x80 is not UTF-8");
	run_bad("type text \300\257", -EILSEQ, 11, "byte 0xc0 is not UTF-8");
	run_bad("type text \340\200\257", -EILSEQ, 11, "byte 0xe0 is not UTF-8");
	run_bad("type text \355\240\200", -EILSEQ, 11, "byte 0xed is not UTF-8");
	run_bad("type text \364\220\200\200", -EILSEQ, 11, "byte 0xf4 is not UTF-8");
	run_bad("type text \360\200\200\200", -EILSEQ, 11, "byte 0xf0 is not UTF-8");
	run_bad("type text \342\202", -EILSEQ, 11, "byte 0xe2 is not UTF-8");
	/* columns count characters, not bytes */
	run_bad("show \303\244 \007", -EILSEQ, 8, "control character 0x07 is not allowed");

	memset(line, ' ', sizeof(line));
	memcpy(line, "show ports", 10);
	strcpy(line + FCN_COMMAND_MAX_LINE, "\n");
	run_good(&session, line);
	strcpy(line + FCN_COMMAND_MAX_LINE, " \n");
	run_bad(line, -E2BIG, 1025, "the line is longer than 1024 bytes");
}

TEST(many_words)
{
	char line[FCN_COMMAND_MAX_LINE + 1];
	unsigned int i;

	strcpy(line, "show ports");
	for (i = 10; i + 2 < sizeof(line); i += 2)
		strcpy(line + i, " x");
	run_bad(line, -EINVAL, 12, "expected end of line, found \"x\"");
}

TEST(configuration_only)
{
	struct fcn_session session = {0};
	struct fcn_diag diag;

	assert_int_equal(fcn_command_run(commands, &session, " show ports",
					 FCN_COMMAND_ALLOW_CONFIG, &diag),
			-EPERM);
	assert_int_equal(diag.column, 2);
	assert_string_equal(
			diag.message, "this command is for the console, it is not configuration");
	assert_int_equal(fcn_command_run(commands, &session, "show prts", FCN_COMMAND_ALLOW_CONFIG,
					 &diag),
			-EINVAL);
	assert_int_equal(diag.column, 1);
	assert_string_equal(diag.message,
			"commands like this one are for the console, they are not configuration");
	/* what is expected is what is allowed */
	assert_int_equal(fcn_command_run(commands, &session, "strange", FCN_COMMAND_ALLOW_CONFIG,
					 &diag),
			-EINVAL);
	assert_string_equal(
			diag.message, "expected set, queue, note, pick or type, found \"strange\"");
	assert_int_equal(session.runs, 0);
	assert_int_equal(fcn_command_run(commands, &session, "set port p1 rate 1G",
					 FCN_COMMAND_ALLOW_CONFIG, &diag),
			0);
	assert_int_equal(session.runs, 1);
}
