/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Configuration files: every error with its line and column. */

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "commands.h"

TEST_FIXTURE(FCN_TEST_COMMANDS);

static const char name[] = "test_command_file.conf";

/* Run a file with these bytes; what is written to err goes to said. */
static int
run_file(struct fcn_session *session, const void *bytes, size_t len, char *said, size_t size)
{
	FILE *file = fopen(name, "w"), *err;
	int rc;

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, len, file), len);
	fclose(file);
	memset(session, 0, sizeof(*session));
	memset(said, 0, size);
	err = fmemopen(said, size, "w");
	assert_non_null(err);
	file = fopen(name, "r");
	assert_non_null(file);
	rc = fcn_command_run_stream(commands, session, file, name, err);
	fclose(file);
	fclose(err);
	unlink(name);
	return rc;
}

#define RUN_FILE(session, text, said) run_file(session, text, sizeof(text) - 1, said, sizeof(said))

TEST(good)
{
	struct fcn_session session;
	char said[4096];

	assert_int_equal(RUN_FILE(&session, "", said), 0);
	assert_int_equal(RUN_FILE(&session,
					 "# ports\n"
					 "\n"
					 "set port p1 rate 10G\n"
					 "   \t\n"
					 "set port p1 link up # the first one\r\n"
					 "\r\n"
					 "type text a b",
					 said),
			0);
	assert_string_equal(said, "");
	assert_int_equal(session.runs, 3);
	assert_string_equal(session.str, "a b");
	assert_int_equal(RUN_FILE(&session, "\xef\xbb\xbfset port p1 link up\n", said), 0);
	assert_string_equal(said, "");
	assert_int_equal(session.runs, 1);
}

TEST(all_mistakes)
{
	struct fcn_session session;
	char said[4096];

	assert_int_equal(RUN_FILE(&session,
					 "set port p1 rate 10G\n"
					 "set port p1 rte 10G\n"
					 "\n"
					 "  show ports\n"
					 "type number 1\0 2\n"
					 "type text \xff\n"
					 "set port p1 rate 0\r\n"
					 "set port p1 link up\n"
					 "queue p1 0 detector step",
					 said),
			6);
	assert_string_equal(said,
			"test_command_file.conf:2:13: did you mean rate? expected rate, link, "
			"mtu or mac, found \"rte\"\n"
			"test_command_file.conf:4:3: this command is for the console, it is "
			"not configuration\n"
			"test_command_file.conf:5:14: control character 0x00 is not allowed\n"
			"test_command_file.conf:6:11: byte 0xff is not UTF-8\n"
			"test_command_file.conf:7:18: port p1 cannot stand still\n"
			"test_command_file.conf:9:25: expected <threshold:size> (a size; "
			"examples: 9216, 200K, 64Ki, 1.5M), found end of line\n");
	assert_int_equal(session.runs, 3); /* the one that failed is among them */
}

TEST(long_lines)
{
	static char text[70000];
	struct fcn_session session;
	char said[4096];

	/* 1024 bytes are a line, with either end */
	memset(text, ' ', sizeof(text));
	memcpy(text, "set port p1 link up", 19);
	memcpy(text + 1024, "\r\n", 2);
	assert_int_equal(run_file(&session, text, 1026, said, sizeof(said)), 0);
	assert_int_equal(run_file(&session, text, 1025, said, sizeof(said)), 0);
	assert_int_equal(run_file(&session, text, 1024, said, sizeof(said)), 0);
	assert_int_equal(session.runs, 1);
	/* one more is too much, even behind a byte order mark, and whatever it is */
	memmove(text + 3, text, 1026);
	memcpy(text, "\xef\xbb\xbf", 3);
	assert_int_equal(run_file(&session, text, 1024 + 3, said, sizeof(said)), 0);
	memset(text + 3 + 1024, ' ', 10);
	assert_int_equal(run_file(&session, text, 1025 + 3, said, sizeof(said)), 1);
	assert_string_equal(said,
			"test_command_file.conf:1:1025: the line is longer than 1024 bytes\n");
	/* the line behind it is read as a line */
	memset(text, 'x', sizeof(text));
	memcpy(text + 69000, "\nset port p1 link up\nx", 22);
	assert_int_equal(run_file(&session, text, 69022, said, sizeof(said)), 2);
	assert_string_equal(said,
			"test_command_file.conf:1:1025: the line is longer than 1024 bytes\n"
			"test_command_file.conf:3:1: expected set, queue, note, pick or type, "
			"found \"x\"\n");
	assert_int_equal(session.runs, 1);
}

TEST(many_mistakes)
{
	struct fcn_session session;
	char text[100], said[4096], *line;
	unsigned int i;

	for (i = 0; i < 46; i += 2)
		memcpy(text + i, "x\n", 2);
	assert_int_equal(run_file(&session, text, 40, said, sizeof(said)), 20);
	assert_null(strstr(said, "more"));
	assert_int_equal(run_file(&session, text, 46, said, sizeof(said)), 23);
	for (i = 0, line = said; (line = strchr(line, '\n')) != NULL; line++)
		i++;
	assert_int_equal(i, 21);
	assert_non_null(strstr(said, "\ntest_command_file.conf:20:1: "));
	assert_non_null(strstr(said, "\ntest_command_file.conf: and 3 more\n"));
}

TEST(not_a_file)
{
	struct fcn_session session = {0};
	FILE *folder = fopen("/", "r");

	assert_non_null(folder);
	assert_int_equal(fcn_command_run_stream(commands, &session, folder, "/", stderr), -EISDIR);
	fclose(folder);
	assert_int_equal(session.runs, 0);
}

/* A file of which each read gives a part; behind the last one, the disk fails once. */
struct failing {
	const char *part[3];
	unsigned int next;
};

static ssize_t
read_part(void *arg, char *buf, size_t size)
{
	struct failing *f = arg;
	const char *part = f->next < 3 ? f->part[f->next] : NULL;

	if (f->next++ > 0 && part == NULL) {
		errno = f->part[f->next - 2] != NULL ? EIO : 0;
		return f->part[f->next - 2] != NULL ? -1 : 0;
	}
	assert_true(strlen(part) <= size);
	memcpy(buf, part, strlen(part));
	return strlen(part);
}

/* Half a line is no line: the other half may change what it means. */
TEST(read_error)
{
	struct failing f = {.part = {"set port p1 rate 10G\nset port p1", " link up"}};
	struct fcn_session session = {0};
	FILE *in = fopencookie(&f, "r", (cookie_io_functions_t){.read = read_part});

	assert_non_null(in);
	assert_int_equal(fcn_command_run_stream(commands, &session, in, "in", stderr), -EIO);
	fclose(in);
	assert_int_equal(session.runs, 1);
}
