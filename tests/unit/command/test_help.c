/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Help and reference, made from the declarations. */

#include <stdlib.h>

#include "commands.h"

TEST_FIXTURE(FCN_TEST_COMMANDS);

static char *
help(const char *prefix)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	assert_non_null(out);
	fcn_command_help(commands, prefix, out);
	fclose(out);
	return text;
}

static void
check(const char *prefix, const char *expected)
{
	char *text = help(prefix);

	assert_string_equal(text, expected);
	free(text);
}

TEST(prefix)
{
	check("show", "Ports\n"
		      "  show ports                                Show all ports\n"
		      "  show port <what:name>                     Show a port\n"
		      "\n"
		      "Types\n"
		      "  name     a name (letters, digits and ._:-/)\n");
	check("sho ", "Ports\n"
		      "  show ports                                Show all ports\n"
		      "  show port <what:name>                     Show a port\n"
		      "\n"
		      "Types\n"
		      "  name     a name (letters, digits and ._:-/)\n");
	/* arguments may have been given, and the last word be begun */
	check("set port p1 li",
			"Ports\n"
			"  set port <port:name> link <state:up|down|standby>\n"
			"                                            Set the link of a port\n"
			"\n"
			"Types\n"
			"  name     a name (letters, digits and ._:-/)\n");
	check("show port p1", "Ports\n"
			      "  show port <what:name>                     Show a port\n"
			      "\n"
			      "Types\n"
			      "  name     a name (letters, digits and ._:-/)\n");
	check("show nothing", "no command begins with \"show nothing\", and no topic has this "
			      "name; an argument needs a value\n");
	check("show port p1 p2", "no command begins with \"show port p1 p2\", and no topic has "
				 "this name; an argument needs a value\n");
	check("sh ports", "no command begins with \"sh ports\", and no topic has this name; an "
			  "argument needs a value\n");
	check("type text any words that", "Types of argument\n"
					  "  type text <v:text>                        Try text\n"
					  "\n"
					  "Types\n"
					  "  text     a text (the rest of the line)\n");
}

/* A topic is found where no command begins with the words. */
TEST(topic)
{
	char *text = help("queues of"), *exact = help("Queues of a port"), *first = help("ports");

	assert_string_equal(text, exact);
	assert_memory_equal(text, "Queues of a port\n  queue <port:name>", 33);
	assert_null(strstr(text, "show port"));
	assert_memory_equal(first, "Ports\n  set port", 16);
	assert_non_null(strstr(first, "\n  show ports "));
	free(text);
	free(exact);
	free(first);
}

TEST(topics)
{
	char *text = NULL, *line;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	assert_non_null(out);
	fcn_command_topics(commands, out);
	fclose(out);
	/* Each topic once, with its commands in order, each beginning once. */
	line = strstr(text, "\n  Ports  ");
	assert_non_null(line);
	line += 1;
	assert_memory_equal(line + 40, "set port, show ports, show port", 31);
	assert_null(strstr(line, "\n  Ports  "));
	assert_non_null(strstr(line, "\n  Queues of a port "));
	for (line = text; *line != '\0'; line += strcspn(line, "\n") + 1)
		assert_in_range(strcspn(line, "\n"), 0, 100);
	assert_null(strstr(text, ",,"));
	free(text);
}

TEST(wrap)
{
	check("queue p1 0 det", "Queues of a port\n"
				"  queue <port:name> <class:class> detector step <threshold:size> "
				"[leave <leave:size>]\n"
				"                                            See congestion where "
				"a queue holds more than so many\n"
				"                                            bytes\n"
				"\n"
				"Types\n"
				"  class    a class (0..7, or all)\n"
				"  size     a size (examples: 9216, 200K, 64Ki, 1.5M)\n"
				"  name     a name (letters, digits and ._:-/)\n");
}

TEST(everything)
{
	static const char *const titles[] = {"Ports\n  set", "\n\nQueues of a port\n  queue",
			"\n\nOthers\n  note", "\n\nTypes of argument\n  type",
			"\n\nTypes\n  number"};
	char *text = help(NULL), *empty = help(" # all of it"), *at = text, *line;
	unsigned int i;

	assert_string_equal(text, empty);
	for (i = 0; i < 5; i++) {
		at = strstr(at, titles[i]);
		assert_non_null(at);
	}
	for (line = text; *line != '\0'; line += strcspn(line, "\n") + 1)
		assert_in_range(strcspn(line, "\n"), 0, 100);
	free(text);
	free(empty);
}

TEST(reference)
{
	static const char *const parts[] = {
			"# Console reference\n\n",
			"\n## Syntax\n\n",
			"\n## Types\n\n",
			"\n- `rate`: bits per second;",
			("\n\n## Ports\n\n### `set port <port:name> rate <rate:rate>`\n\n"
			 "Set the rate of a port. *Configuration*\n\n"),
			"\n### `set port <port:name> link <state:up|down|standby>`\n\n",
			"\n### `show ports`\n\nShow all ports. *Console only*\n",
			"\n## Queues of a port\n\n",
			"\n## Others\n\n",
			"\n\nNote a \\* in the log\\_file. *Configuration*\n",
	};
	char *text = NULL, *at;
	size_t len = 0;
	unsigned int i;
	FILE *out = open_memstream(&text, &len);

	fcn_command_reference(commands, out);
	fclose(out);
	at = text;
	for (i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		if (strstr(at, parts[i]) == NULL)
			fail_msg("\"%s\" is not where it should be in: %s", parts[i], text);
		at = strstr(at, parts[i]);
	}
	free(text);
}
