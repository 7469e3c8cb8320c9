/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Commands from anybody: the first byte says whether the others are a line, a
 * configuration file, words to look up in the help, or keys typed at a console.
 */

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <sys/mman.h>
#include <unistd.h>

#include <rte_common.h>

#include "fcn_console.h"
#include "fcn_filter.h"
#include "fuzz.h"

struct fcn_session {
	unsigned int runs;
};

static const char *const keys[] = {"name", "number", "class", "rate", "count", "size", "time",
		"addr", "prefix", "mac", "vlans", "text", "choice", "more", "none"};

static int
run(struct fcn_session *session, const struct fcn_args *args)
{
	uint64_t sum = 0;
	unsigned int i, j;

	session->runs++;
	for (i = 0; i < RTE_DIM(keys); i++) {
		const char *str = fcn_args_str(args, keys[i]);

		require(fcn_args_has(args, keys[i]) || str == NULL);
		if (str != NULL) {
			require(strlen(str) > 0 && strlen(str) < FCN_COMMAND_MAX_TEXT);
			require(str[0] != ' ' && str[strlen(str) - 1] != ' ');
		}
		sum += fcn_args_u64(args, keys[i], 0);
		if (fcn_args_addr(args, keys[i]) != NULL)
			sum += fcn_args_addr(args, keys[i])->version;
		if (fcn_args_prefix(args, keys[i]) != NULL)
			require(fcn_args_prefix(args, keys[i])->len <= 128);
		if (fcn_args_mac(args, keys[i]) != NULL)
			sum += fcn_args_mac(args, keys[i])->addr_bytes[5];
		for (j = 0; fcn_args_vlans(args, keys[i]) != NULL && j < 64; j++)
			sum += fcn_args_vlans(args, keys[i])[j];
	}
	if (sum % 2 != 0)
		return fcn_command_error(
				args, -1, keys[sum % RTE_DIM(keys)], "sum %ju", (uintmax_t)sum);
	return 0;
}

static const struct fcn_command commands[] = {
		{"set port <name:name> rate <rate:rate>", "Set a rate", FCN_COMMAND_CONFIG, run},
		{"set port <name:name> link <choice:up|down>", "Set a link", FCN_COMMAND_CONFIG,
				run},
		{"set <name:name> <mac:mac> [<vlans:vlans>]", "Set others", FCN_COMMAND_CONFIG,
				run},
		{"queue <class:class> [step <size:size> [leave <more:size>]] [every <time:time>]",
				"Set a queue", FCN_COMMAND_CONFIG, run},
		{"route <prefix:prefix> [via <addr:addr>] [metric <number:number>]", "Set a route",
				FCN_COMMAND_CONFIG, run},
		{"route4 <addr:addr4> <more:addr6>", "Set both", FCN_COMMAND_CONFIG, run},
		{"note <text:text>", "Note something", FCN_COMMAND_CONFIG, run},
		{"show [<count:count>]", "Show things", FCN_COMMAND_ACTION, run},
		{"show ports", "Show ports", FCN_COMMAND_ACTION, run},
};

static const struct fcn_command_group group = {"Commands", commands, RTE_DIM(commands)};

static void
fuzz_line(const struct fcn_command_table *table, const char *line, int allow)
{
	struct fcn_session session = {0};
	struct fcn_diag diag;
	int rc;

	memset(&diag, 0xff, sizeof(diag));
	rc = fcn_command_run(table, &session, line, allow, &diag);
	require(rc <= 0);
	require(memchr(diag.message, '\0', sizeof(diag.message)) != NULL);
	require((rc == 0) == (diag.message[0] == '\0'));
	require(rc == 0 ? diag.column == 0 : diag.column >= 1 && diag.column <= strlen(line) + 1);
	require(session.runs <= 1);
}

static void
fuzz_file(const struct fcn_command_table *table, FILE *nowhere, const uint8_t *data, size_t size)
{
	struct fcn_session session = {0};
	int fd = memfd_create("fuzz", 0);
	FILE *in;
	int rc;

	require(fd >= 0 && write(fd, data, size) == (ssize_t)size && lseek(fd, 0, SEEK_SET) == 0);
	in = fdopen(fd, "r");
	require(in != NULL);
	rc = fcn_command_run_stream(table, &session, in, "fuzz", nowhere);
	require(rc >= 0 && (size_t)rc <= size);
	fclose(in);
}

static void
handle(void *arg, const char *line)
{
	require(strlen(line) <= FCN_COMMAND_MAX_LINE + 1);
	fuzz_line(arg, line, FCN_COMMAND_ALLOW_SHORT);
}

/* Whether there is anything to read soon: a pseudo terminal takes a moment. */
static bool
readable(int fd)
{
	struct pollfd pfd = {.fd = fd, .events = POLLIN};

	return poll(&pfd, 1, 1) == 1;
}

static void
give_names(void *arg, const char *key, const char *word, void (*add)(void *list, const char *name),
		void *list)
{
	RTE_SET_USED(arg);
	add(list, key);
	add(list, word);
	add(list, "p1");
}

/* Without the terminal's processing of input, what is typed arrives as it is. */
static void
fuzz_console(struct fcn_command_table *table, const uint8_t *data, size_t size)
{
	struct fcn_console *console;
	int master, slave, nowhere = open("/dev/null", O_WRONLY);

	require(nowhere >= 0);
	require(openpty(&master, &slave, NULL, NULL, NULL) == 0);
	console = fcn_console_create(table, "> ", slave, nowhere, handle, table);
	require(console != NULL);
	fcn_console_complete_names(console, give_names, NULL);
	if (size > 1024)
		size = 1024;
	require(size == 0 || write(master, data, size) == (ssize_t)size);
	while (readable(slave) && fcn_console_input(console) == 0)
		;
	fcn_console_free(console);
	close(nowhere);
	close(slave);
	close(master);
}

/* The same on a pipe: lines as they are. */
static void
fuzz_pipe(struct fcn_command_table *table, const uint8_t *data, size_t size)
{
	struct fcn_console *console;
	int fd[2];

	require(pipe(fd) == 0);
	console = fcn_console_create(table, "> ", fd[0], fd[1], handle, table);
	require(console != NULL);
	if (size > 4096)
		size = 4096;
	require(write(fd[1], data, size) == (ssize_t)size);
	close(fd[1]);
	while (fcn_console_input(console) == 0)
		;
	fcn_console_free(console);
	close(fd[0]);
}

static void
fuzz_filters(const char *line, FILE *nowhere)
{
	static const char text[] = "port p1 up\nport p2 down\n\nlast";
	struct fcn_filters filters;
	struct fcn_diag diag = {0};
	int rc = fcn_filters_read(line, &filters, &diag);

	require(rc <= 0 && filters.n <= FCN_FILTERS);
	require(fcn_filters_find(line) <= strlen(line) && fcn_filters_last(line) <= strlen(line));
	if (rc == 0)
		require(fcn_filters_apply(&filters, text, strlen(text), nowhere) == 0);
	else
		require(diag.column >= 1 && diag.column <= strlen(line) + 1);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct fcn_command_table *table;
	static FILE *nowhere;
	char *line;

	if (table == NULL) {
		table = fcn_command_table_create(&group, 1);
		nowhere = fopen("/dev/null", "w");
		require(table != NULL && nowhere != NULL);
	}
	if (size == 0)
		return 0;
	switch (data[0] % 8) {
	case 0:
		fuzz_file(table, nowhere, data + 1, size - 1);
		return 0;
	case 1:
		fuzz_console(table, data + 1, size - 1);
		return 0;
	case 2:
		fuzz_pipe(table, data + 1, size - 1);
		return 0;
	default:
		break;
	}
	line = strndup((const char *)data + 1, size - 1);
	require(line != NULL);
	fuzz_filters(line, nowhere);
	if (data[0] % 8 == 3)
		fcn_command_help(table, line, nowhere);
	else
		fuzz_line(table, line,
				data[0] % 8 == 4   ? FCN_COMMAND_ALLOW_SHORT
				: data[0] % 2 == 0 ? FCN_COMMAND_ALLOW_ALL
						   : FCN_COMMAND_ALLOW_CONFIG);
	free(line);
	return 0;
}
