/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Command lines whose options are declared like commands: what they set, and their errors. */

#include <unistd.h>

#include <rte_common.h>

#include "fcn_test.h"
#include "fcn_program_options.h"

struct object {
	bool json, help;
	uint8_t bit;
	uint16_t code;
	uint32_t routes;
	uint64_t wait_ns, port;
	const char *file, *any, *operand;
	struct fcn_addr addr;
};

static int
set_listen(struct fcn_session *session, const struct fcn_args *args)
{
	struct object *o = fcn_options_object(session);

	o->addr = *fcn_args_addr(args, "address");
	o->port = fcn_args_u64(args, "port", 0);
	return o->port != 0 ? 0 : fcn_command_error(args, -1, "port", "no such port");
}

static int
set_file(struct fcn_session *session, const struct fcn_args *args)
{
	RTE_SET_USED(args);
	((struct object *)fcn_options_object(session))->file = fcn_options_word(session);
	return 0;
}

static const struct fcn_command list[] = {
		{"json", "As JSON", FCN_OPTIONS_FLAG(struct object, json)},
		{"bit <value:number>", "A bit", FCN_OPTIONS_NUMBER(struct object, bit, 0, 31)},
		{"code <value:number>", "A code",
				FCN_OPTIONS_NUMBER(struct object, code, 1, 65535)},
		{"routes <value:number>", "Routes",
				FCN_OPTIONS_NUMBER(struct object, routes, 1, UINT32_MAX)},
		{"wait <value:time>",
				"A time with a help that is so long that it needs more than one "
				"line "
				"of the width that help has",
				FCN_OPTIONS_NUMBER(struct object, wait_ns, 1500000,
						UINT64_C(60000000000))},
		{"listen <address:addr> <port:number>", "Where to listen", FCN_COMMAND_CONFIG,
				set_listen},
		{"file <text:text>", "A file", FCN_COMMAND_CONFIG, set_file},
		{"any <text:text>", "Any text", FCN_OPTIONS_TEXT(struct object, any)},
		{"help", "This", FCN_OPTIONS_FLAG(struct object, help)},
};

static const struct fcn_options options = {"prog", list, RTE_DIM(list)};

static int
take(void *object, const char *word)
{
	((struct object *)object)->operand = word;
	return word[0] == 'x' ? -1 : 0;
}

static const struct fcn_options with_operand = {"prog", list, RTE_DIM(list), take};

/* Read a command line. @param said what it writes to standard error */
static int
read_words(struct object *o, char *const *words, char *said, size_t size)
{
	FILE *file = tmpfile();
	int saved = dup(STDERR_FILENO), rc;

	assert_non_null(file);
	fflush(stderr);
	dup2(fileno(file), STDERR_FILENO);
	memset(o, 0, sizeof(*o));
	rc = fcn_options_read(&options, o, words);
	fflush(stderr);
	dup2(saved, STDERR_FILENO);
	close(saved);
	rewind(file);
	size = fread(said, 1, size - 1, file);
	said[size] = '\0';
	fclose(file);
	return rc;
}

#define WORDS(...)                                      \
	(char *const[])                                 \
	{                                               \
		__VA_ARGS__ __VA_OPT__(, )(char *) NULL \
	}

TEST(read)
{
	char *file = (char *)(uintptr_t) "a # b";
	struct object o;
	char said[256];

	assert_int_equal(read_words(&o, WORDS(), said, sizeof(said)), 0);
	assert_int_equal(o.routes, 0);
	assert_int_equal(read_words(&o,
					 WORDS("--json", "--bit=31", "--code", "65535", "--routes",
							 "4294967295", "--wait", "2ms", "--listen",
							 "192.0.2.1", "1790", "--file", file),
					 said, sizeof(said)),
			0);
	assert_string_equal(said, "");
	assert_true(o.json);
	assert_int_equal(o.bit, 31);
	assert_int_equal(o.code, 65535);
	assert_int_equal(o.routes, UINT32_MAX);
	assert_int_equal(o.wait_ns, 2000000);
	assert_int_equal(o.addr.version, 4);
	assert_int_equal(o.port, 1790);
	assert_ptr_equal(o.file, file);
	/* What says the same twice does no harm. */
	assert_int_equal(read_words(&o, WORDS("--json", "--json"), said, sizeof(said)), 0);
}

/* Texts of any form, and words that are no options. */
TEST(texts)
{
	struct object o = {.json = false};

	assert_int_equal(fcn_options_read(&with_operand, &o,
					 WORDS("--any", "a\n# \t b", "op", "-h")),
			0);
	assert_string_equal(o.any, "a\n# \t b");
	assert_string_equal(o.operand, "op");
	assert_true(o.help);
	assert_int_equal(fcn_options_read(&with_operand, &o, WORDS("--any=", "--json")), 0);
	assert_string_equal(o.any, "");
	assert_int_equal(fcn_options_read(&with_operand, &o, WORDS("xyz")), -1);
	assert_int_equal(fcn_options_read(&with_operand, &o, WORDS("-x")), -1);
	assert_int_equal(fcn_options_read(&options, &o, WORDS("op")), -1);
}

TEST(errors)
{
	static const struct {
		char *words[4];
		const char *said;
	} wrong[] = {
			{{"--json=x"}, "prog: --json=x: the option has no value; see prog "
				       "--help\n"},
			{{"--json="}, "prog: --json=: the option has no value; see prog "
				      "--help\n"},
			{{"--what"}, "prog: --what: no such option; see prog --help\n"},
			{{"json"}, "prog: json: no such option; see prog --help\n"},
			{{"--jso"}, "prog: --jso: no such option; see prog --help\n"},
			{{"--"}, "prog: --: no such option; see prog --help\n"},
			{{"--bit"}, "prog: --bit: needs a value; see prog --help\n"},
			{{"--listen", "::1"},
					"prog: --listen: needs two values; see prog --help\n"},
			{{"--bit=1", "--bit=2"}, "prog: --bit=2: the option is given twice; see "
						 "prog --help\n"},
			{{"--any=a", "--json", "--any"}, "prog: --any: the option is given twice; "
							 "see prog --help\n"},
			{{"--bit", "32"}, "prog: --bit 32: the value must be 0 to 31\n"},
			{{"--wait", "1ms"}, "prog: --wait 1ms: the value must be 1500us to 60s\n"},
			{{"--wait=61s"}, "prog: --wait=61s: the value must be 1500us to 60s\n"},
			{{"--file", "a\nb"},
					"prog: --file: a value must be one line, and not empty\n"},
			{{"--file", ""}, "prog: --file: a value must be one line, and not empty\n"},
			/* Of two values, the one that is wrong is named. */
			{{"--listen", "192.0.2.1", "0"}, "prog: --listen 0: no such port\n"},
			{{"--listen=192.0.2.1", "0"}, "prog: --listen=192.0.2.1 0: no such port\n"},
	};
	struct object o;
	char said[256];

	for (size_t i = 0; i < RTE_DIM(wrong); i++) {
		assert_int_equal(read_words(&o, wrong[i].words, said, sizeof(said)), -1);
		assert_string_equal(said, wrong[i].said);
	}
	assert_int_equal(read_words(&o, WORDS("--listen", "nowhere", "1"), said, sizeof(said)), -1);
	assert_non_null(strstr(said, "prog: --listen nowhere: "));
	/* What comes behind an error is not read. */
	assert_int_equal(read_words(&o, WORDS("--what", "--bit", "1"), said, sizeof(said)), -1);
	assert_int_equal(o.bit, 0);
}

TEST(help)
{
	char text[1024];
	FILE *out = fmemopen(text, sizeof(text), "w");

	assert_non_null(out);
	fcn_options_help(&options, out);
	fclose(out);
	assert_non_null(strstr(text, "  --json\n        As JSON\n  --bit NUMBER\n        A bit\n"));
	assert_non_null(strstr(text, "  --wait TIME\n"
				     "        A time with a help that is so long that it needs "
				     "more than one line of the\n"
				     "        width that help has\n"));
	assert_non_null(strstr(text, "  --listen ADDRESS PORT\n"));
	assert_non_null(strstr(text, "  --file TEXT\n"));
}
