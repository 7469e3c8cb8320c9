/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* The console on a pseudo terminal, and on a pipe. */

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "commands.h"
#include "fcn_console.h"

#define PROMPT "test> "
#define UP "\033[A"
#define LEFT "\033[D"

struct terminal {
	struct fcn_command_table *table;
	struct fcn_console *console;
	int master;
	int slave;
	struct termios before;
	char shown[65536];  /* since the last look() */
	unsigned int asked; /* calls of give_names() */
	char lines[4096];   /* handed to the callback, each with '|' behind it */
};

static void
remember(void *arg, const char *line)
{
	struct terminal *t = arg;
	size_t len = strlen(t->lines);

	snprintf(t->lines + len, sizeof(t->lines) - len, "%s|", line);
}

static int
setup(void **state)
{
	struct terminal *t = calloc(1, sizeof(*t));

	assert_non_null(t);
	assert_int_equal(openpty(&t->master, &t->slave, NULL, NULL, NULL), 0);
	assert_int_equal(tcgetattr(t->slave, &t->before), 0);
	t->table = commands_table();
	t->console = fcn_console_create(t->table, PROMPT, t->slave, t->slave, remember, t);
	assert_non_null(t->console);
	*state = t;
	return 0;
}

static int
teardown(void **state)
{
	struct terminal *t = *state;

	fcn_console_free(t->console);
	fcn_command_table_free(t->table);
	close(t->master);
	close(t->slave);
	free(t);
	return 0;
}

TEST_FIXTURE(.setup = setup, .teardown = teardown);

static bool
readable(int fd, int timeout_ms)
{
	struct pollfd pfd = {.fd = fd, .events = POLLIN};

	return poll(&pfd, 1, timeout_ms) == 1 && (pfd.revents & POLLIN) != 0;
}

/* Type keys and let the console read all of them. @return what its last call returned. */
static int
type_bytes(struct terminal *t, const char *keys, size_t len)
{
	int rc = 0;

	while (len > 0) { /* a terminal takes 4 KB at a time */
		size_t n = len < 256 ? len : 256;

		assert_int_equal(write(t->master, keys, n), n);
		keys += n;
		len -= n;
		assert_true(readable(t->slave, 5000));
		while (readable(t->slave, len > 0 ? 0 : 50))
			rc = fcn_console_input(t->console);
	}
	return rc;
}

static int
type(struct terminal *t, const char *keys)
{
	return type_bytes(t, keys, strlen(keys));
}

/* What the terminal has shown since the last call, carriage returns left out. */
static const char *
look(struct terminal *t)
{
	size_t len = 0, from, to;
	ssize_t n;

	while (len < sizeof(t->shown) - 1 && readable(t->master, 50)) {
		n = read(t->master, t->shown + len, sizeof(t->shown) - 1 - len);
		if (n <= 0)
			break;
		len += (size_t)n;
	}
	for (from = to = 0; from < len; from++)
		if (t->shown[from] != '\r')
			t->shown[to++] = t->shown[from];
	t->shown[to] = '\0';
	return t->shown;
}

TEST(lines)
{
	struct terminal *t = *state;

	assert_string_equal(look(t), PROMPT);
	assert_int_equal(type(t, "show ports\n"), 0);
	assert_string_equal(t->lines, "show ports|");
	assert_string_equal(look(t), "show ports\n" PROMPT);
	assert_int_equal(type(t, "a\nb\r\nc\n"), 0); /* Enter is \n or \r */
	assert_string_equal(t->lines, "show ports|a|b||c|");
	assert_string_equal(look(t), "a\n" PROMPT "b\n" PROMPT "\n" PROMPT "c\n" PROMPT);
}

TEST(editing)
{
	struct terminal *t = *state;

	type(t, "shw ports" LEFT LEFT LEFT LEFT LEFT LEFT LEFT "o\n");
	type(t, "showw\177 ports\n");
	type(t, "ports\001show \n");
	assert_string_equal(t->lines, "show ports|show ports|show ports|");
	/* Ctrl-U throws away all of it, wherever the cursor is, and what did not fit. */
	type(t, "set queue" LEFT LEFT "\025");
	type(t, "\xc3\xa4\025stop\n");
	assert_string_equal(t->lines, "show ports|show ports|show ports|stop|");
}

TEST(history)
{
	struct terminal *t = *state;

	type(t, "one\ntwo\ntwo\n\n");
	t->lines[0] = '\0';
	type(t, UP "\n"); /* neither twice nor empty */
	type(t, UP UP "\n");
	assert_string_equal(t->lines, "two|one|");
	type(t, "th" UP "\033[Bree\n"); /* and back down to what was typed */
	assert_string_equal(t->lines, "two|one|three|");
}

/* Ctrl-R: the newest line that has what was typed; again: the one before that. */
TEST(search)
{
	struct terminal *t = *state;

	type(t, "one two\nthree\none four\n");
	fcn_console_remember(t->console, "of an earlier session");
	t->lines[0] = '\0';
	look(t);
	type(t, "\022");
	assert_string_equal(look(t), "\033[K(history)`': ");
	type(t, "one");
	assert_non_null(strstr(look(t), "\033[K(history)`one': one four"));
	type(t, "\022");
	assert_string_equal(look(t), "\033[K(history)`one': one two");
	type(t, "\022");
	assert_string_equal(look(t), "\033[K(history has no)`one': one two\a");
	type(t, "\n");
	assert_string_equal(t->lines, "one two|");
	assert_non_null(strstr(look(t), PROMPT "one two"));
	/* What follows is another line, and another search. */
	type(t, "\022earl\n\022thrx\177e\n");
	assert_string_equal(t->lines, "one two|of an earlier session|three|");
}

/* Other keys edit what was found, and Ctrl-C and Ctrl-G give back what was there before. */
TEST(search_ends)
{
	struct terminal *t = *state;

	fcn_console_keep_interrupt(t->console, "quit ends it");
	type(t, "one two\n");
	type(t, "\022tw" LEFT LEFT LEFT "X\n");
	assert_string_equal(t->lines, "one two|one Xtwo|");
	type(t, "abc\022two\007d\nabc\022two\022\022\003e\n\022zzz\nf\022zzz\n");
	/* What was there before is seen before it runs. */
	assert_string_equal(t->lines, "one two|one Xtwo|abcd|abce|");
	type(t, "\n");
	assert_string_equal(t->lines, "one two|one Xtwo|abcd|abce|f|");
	/* An empty search finds nothing, and what is too long to search for is cut. */
	type(t, "\022\022\022\177\n");
	for (unsigned int i = 0; i < 100; i++)
		type(t, i == 0 ? "\022t" : "t");
	type(t, "\003g\n");
	assert_string_equal(t->lines, "one two|one Xtwo|abcd|abce|f|g|");
}

/* The oldest lines are forgotten. */
TEST(search_far)
{
	struct terminal *t = *state;
	char line[32];

	for (unsigned int i = 0; i < 1500; i++) {
		snprintf(line, sizeof(line), "line %u.", i);
		fcn_console_remember(t->console, line);
	}
	type(t, "\022line 500.\n\022line 499.\n");
	assert_string_equal(t->lines, "line 500.|");
}

TEST(tab_completes)
{
	struct terminal *t = *state;

	type(t, "se\tport p1 ra\t1G\n");
	assert_string_equal(t->lines, "set port p1 rate 1G|");
	t->lines[0] = '\0';
	type(t, "set \tp1 l\td\t\n"); /* alone behind a blank; one of some words */
	assert_string_equal(t->lines, "set port p1 link down |");
	t->lines[0] = '\0';
	look(t);
	type(t, "show p\t"); /* what both have in common */
	assert_string_equal(look(t), "show port\033[0K");
	type(t, "\n");
	assert_string_equal(t->lines, "show port|");
}

TEST(tab_lists)
{
	struct terminal *t = *state;

	look(t);
	type(t, "set port p1 m\t");
	assert_string_equal(look(t), "set port p1 m\n"
				     " mtu  Set the MTU of a port\n"
				     " mac  Set the MAC address of a port\n"
				     "\033M\033E" PROMPT "set port p1 m\033[0K");
	type(t, "tu 9K\n");
	assert_string_equal(t->lines, "set port p1 mtu 9K|");
}

TEST(question_mark_lists)
{
	struct terminal *t = *state;
	const char *shown;

	look(t);
	type(t, "?");
	/* each once, though many commands begin so */
	assert_string_equal(look(t), "\n"
				     " set    4 commands\n"
				     " show   2 commands\n"
				     " queue  2 commands\n"
				     " note   Note a * in the log_file\n"
				     " pick   4 commands\n"
				     " type   16 commands\n"
				     "\033M\033E" PROMPT "\033[0K");
	type(t, "queue p1 3 detector step ?");
	shown = look(t);
	assert_non_null(strstr(shown,
			"\n <threshold:size>  See congestion where a queue holds more "
			"than so many bytes (examples: 9216, 200K, 64Ki, 1.5M)\n"));
	type(t, "9K ?");
	shown = look(t);
	assert_non_null(strstr(shown, "\n [RETURN]"));
	assert_non_null(strstr(shown, "\n leave "));
	type(t, "\n");
	assert_string_equal(t->lines, "queue p1 3 detector step 9K |");
}

/* On a narrow terminal, a line of a list breaks at a blank, and goes on below its text. */
TEST(question_mark_wraps)
{
	struct terminal *t = *state;
	const struct winsize size = {.ws_row = 24, .ws_col = 53};

	look(t);
	assert_int_equal(ioctl(t->master, TIOCSWINSZ, &size), 0);
	type(t, "queue p1 3 detector step ?");
	assert_non_null(strstr(look(t), "\n <threshold:size>  See congestion where a queue holds\n"
					"                   more than so many bytes\n"
					"                   (examples: 9216, 200K, 64Ki,\n"
					"                   1.5M)\n"));
}

/* The names that the program knows. */
static void
give_names(void *arg, const char *key, const char *word, void (*add)(void *list, const char *name),
		void *list)
{
	struct terminal *t = arg;

	(void)word;
	t->asked++;
	if (strcmp(key, "port") == 0) {
		add(list, "leaf1");
		add(list, "leaf2");
		add(list, "spine");
	} else if (strcmp(key, "what") == 0) {
		add(list, "dir/");
	}
}

TEST(names)
{
	struct terminal *t = *state;
	const char *shown;

	fcn_console_complete_names(t->console, give_names, t);
	type(t, "set port s\tl\tst\t\n"); /* the only one that begins so */
	assert_string_equal(t->lines, "set port spine link standby |");
	t->lines[0] = '\0';
	type(t, "se po l\t1 mt\t9K\n"); /* what they have in common; behind abbreviations, too */
	assert_string_equal(t->lines, "se po leaf1 mtu 9K|");
	t->lines[0] = '\0';
	type(t, "pick d\tx\n"); /* a directory is not yet all of a path */
	assert_string_equal(t->lines, "pick dir/x|");
	look(t);
	t->asked = 0;
	type(t, "queue \t");
	shown = look(t);
	assert_non_null(strstr(shown, "\n <port:name>  2 commands (letters, digits and ._:-/)\n"
				      " leaf1\n leaf2\n spine\n"));
	assert_int_equal(t->asked, 1); /* though two commands have the argument */
	type(t, "leaf?");
	shown = look(t);
	assert_non_null(strstr(shown, "\n leaf1\n leaf2\n"));
	assert_null(strstr(shown, "<port:name>"));
	/* another name than those may be typed */
	type(t, "x 3 det\tst\t9K\n");
	assert_string_equal(strchr(t->lines, '|') + 1, "queue leafx 3 detector step 9K|");
}

TEST(help_of_options)
{
	static const struct fcn_command_option options[] = {
			{"", "leave", "Wrong"},
			{"queue ", "leave", "Not congested below so many bytes"},
			{"other ", "at", "Wrong"},
			{"", "at", "When"},
	};
	struct terminal *t = *state;
	const char *shown;

	fcn_command_table_options(t->table, options, 4);
	type(t, "queue p1 3 detector step 9K ?");
	shown = look(t);
	assert_non_null(strstr(shown, "\n leave     Not congested below so many bytes\n"));
	assert_non_null(strstr(
			shown, "\n [RETURN]  See congestion where a queue holds more than "));
	type(t, "leave ?");
	assert_non_null(strstr(
			look(t), "\n <leave:size>  Not congested below so many bytes (examples: "));
	type(t, "\025note at ?");
	assert_non_null(strstr(look(t), "\n <when:time>  When (examples: "));
}

TEST(filters)
{
	struct terminal *t = *state;

	type(t, "show ports | inc\tp1 | ex\tx\n");
	assert_string_equal(t->lines, "show ports | include p1 | exclude x|");
	t->lines[0] = '\0';
	look(t);
	type(t, "show ports |\t"); /* a blank has to follow */
	assert_string_equal(look(t), "show ports |");
	type(t, " ?");
	assert_non_null(strstr(look(t), "\n include  Show only lines that match a regular "
					"expression\n"
					" exclude  Leave out lines"));
	type(t, "json # \tx\n"); /* nothing in a comment */
	assert_string_equal(t->lines, "show ports | json # x|");
}

TEST(text_does_not_complete)
{
	struct terminal *t = *state;

	type(t, "type text a b c \t?d\n");
	assert_string_equal(t->lines, "type text a b c d|");
}

TEST(too_long)
{
	struct terminal *t = *state;
	char line[3001];

	/* what does not fit must not run without its end, nor without the é; rdline has room for
	 * 512, and for 2048 from DPDK 24.07 */
	memset(line, 'x', sizeof(line));
	line[3000] = '\n';
	assert_int_equal(type_bytes(t, line, 3001), 0);
	assert_string_equal(t->lines, "");
	assert_non_null(strstr(look(t), "\nnot run: "));
	type(t, "type text \303\251a\n");
	assert_string_equal(t->lines, "");
	assert_non_null(strstr(look(t), "\nnot run: "));
	/* too long for a command, but perhaps not for rdline: run with a byte too much, or not at
	 * all */
	line[1500] = '\n';
	assert_int_equal(type_bytes(t, line, 1501), 0);
	if (strstr(look(t), "\nnot run: ") == NULL)
		assert_int_equal(strlen(t->lines), FCN_COMMAND_MAX_LINE + 1 + 1);
	else
		assert_string_equal(t->lines, "");
	t->lines[0] = '\0';
	/* arrows at the end of a line are no characters */
	line[400] = '\n';
	type(t, "a\033[C\033[C\n");
	assert_int_equal(type_bytes(t, line, 401), 0);
	assert_int_equal(strlen(t->lines), 2 + 401);
}

TEST(end_of_input)
{
	struct terminal *t = *state;

	assert_int_equal(type(t, "abc" LEFT "\004\n"), 0); /* deletes a character in a line */
	assert_string_equal(t->lines, "ab|");
	assert_int_equal(type(t, "\004"), 1);
	assert_int_equal(fcn_console_input(t->console), 1);
}

TEST(nothing_to_read)
{
	struct terminal *t = *state;

	assert_int_equal(fcn_console_input(t->console), 0); /* and does not block */
	assert_string_equal(t->lines, "");
}

TEST(terminal_restored)
{
	struct terminal *t = *state;
	struct termios during, after;

	assert_int_equal(tcgetattr(t->slave, &during), 0);
	assert_int_equal(during.c_lflag & (ICANON | ECHO), 0);
	assert_int_equal(during.c_lflag & ISIG, ISIG);
	assert_int_equal(during.c_oflag & OPOST, OPOST);
	fcn_console_free(t->console);
	t->console = NULL;
	assert_int_equal(tcgetattr(t->slave, &after), 0);
	assert_int_equal(after.c_iflag, t->before.c_iflag);
	assert_int_equal(after.c_oflag, t->before.c_oflag);
	assert_int_equal(after.c_cflag, t->before.c_cflag);
	assert_int_equal(after.c_lflag, t->before.c_lflag);
	assert_memory_equal(after.c_cc, t->before.c_cc, sizeof(after.c_cc));
}

/* Ctrl-C reaches a program with a console as the signal it usually is. */
TEST_WITH(interrupt, NULL, NULL)
{
	int master, status = 0;
	char prompt[64];
	pid_t pid;

	pid = forkpty(&master, NULL, NULL, NULL);
	assert_true(pid >= 0);
	if (pid == 0) {
		struct fcn_console *console = fcn_console_create(commands_table(), PROMPT,
				STDIN_FILENO, STDOUT_FILENO, remember, NULL);

		signal(SIGINT, SIG_DFL);
		while (readable(STDIN_FILENO, 5000) && fcn_console_input(console) == 0)
			;
		_exit(1);
	}
	assert_true(readable(master, 5000));
	assert_true(read(master, prompt, sizeof(prompt)) > 0);
	assert_int_equal(write(master, "\003", 1), 1);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGINT);
	close(master);
}

/* A console that keeps it discards the line, and says how the program ends when there is none. */
TEST(interrupt_kept)
{
	struct terminal *t = *state;
	struct termios during;

	fcn_console_keep_interrupt(t->console, "quit ends it");
	assert_int_equal(tcgetattr(t->slave, &during), 0);
	assert_int_equal(during.c_cc[VINTR], _POSIX_VDISABLE);
	assert_int_equal(type(t, "a mistake\003ab\n"), 0);
	assert_string_equal(t->lines, "ab|");
	assert_null(strstr(look(t), "quit ends it"));
	assert_int_equal(type(t, "\003"), 0);
	assert_non_null(strstr(look(t), "quit ends it"));
	assert_int_equal(type(t, "c\n"), 0);
	assert_string_equal(t->lines, "ab|c|");
}

TEST_WITH(pipe, NULL, NULL)
{
	static char text[4000];
	struct terminal *t = calloc(1, sizeof(*t));
	int in[2], out[2], rc;

	assert_non_null(t);
	assert_int_equal(pipe(in), 0);
	assert_int_equal(pipe(out), 0);
	assert_int_equal(fcntl(out[0], F_SETFL, O_NONBLOCK), 0);
	t->table = commands_table();
	t->console = fcn_console_create(t->table, PROMPT, in[0], out[1], remember, t);
	assert_non_null(t->console);

	assert_int_equal(fcn_console_input(t->console), 0);
	assert_int_equal(write(in[1], "one\n\ttwo ?\nthr", 14), 14);
	assert_int_equal(fcn_console_input(t->console), 0);
	assert_string_equal(t->lines, "one|\ttwo ?|");
	assert_int_equal(write(in[1], "ee\0\nfo", 6), 6);
	assert_int_equal(fcn_console_input(t->console), 0);
	assert_string_equal(t->lines, "one|\ttwo ?|three\001|");
	assert_int_equal(write(in[1], "ur", 2), 2);
	close(in[1]);
	assert_int_equal(fcn_console_input(t->console), 0);
	assert_int_equal(fcn_console_input(t->console), 1);
	assert_string_equal(t->lines, "one|\ttwo ?|three\001|four|");
	assert_int_equal(fcn_console_input(t->console), 1);
	assert_string_equal(t->lines, "one|\ttwo ?|three\001|four|");
	/* neither prompt nor echo */
	assert_int_equal(read(out[0], text, 1), -1);
	fcn_console_free(t->console);

	close(in[0]);

	/* a long line is still too long when it is handed over */
	assert_int_equal(pipe(in), 0);
	t->console = fcn_console_create(t->table, PROMPT, in[0], out[1], remember, t);
	memset(text, 'x', sizeof(text));
	text[3999] = '\n';
	assert_int_equal(write(in[1], text, sizeof(text)), sizeof(text));
	t->lines[0] = '\0';
	do
		rc = fcn_console_input(t->console);
	while (t->lines[0] == '\0' && rc == 0);
	assert_int_equal(strlen(t->lines), FCN_COMMAND_MAX_LINE + 1 + 1);
	fcn_console_free(t->console);
	fcn_command_table_free(t->table);
	close(in[0]);
	close(in[1]);
	close(out[0]);
	close(out[1]);
	free(t);
}
