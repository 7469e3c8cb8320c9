/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * rdline edits the line and keeps the history. The loop of rte_cmdline is not
 * used, because it blocks in read(), nor is its parser, because it does not say
 * what is wrong with a line, nor its completion, because it knows no names.
 */

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <cmdline_rdline.h>

#include "fcn_console.h"
#include "fcn_console_output.h"
#include "fcn_filter.h"
#include "console_private.h"
#include "console_search.h"

#define READ_SIZE 512
#define KEY_ESC 033
#define KEY_BEGIN 001     /* Ctrl-A */
#define KEY_INTERRUPT 003 /* Ctrl-C */
#define KEY_CUT 013       /* Ctrl-K */
#define KEY_SEARCH 022    /* Ctrl-R */
#define KEY_KILL 025      /* Ctrl-U */

struct fcn_console {
	int in;
	int out;
	void (*handle)(void *arg, const char *line);
	void *arg;
	struct fcn_console_output *output_to; /* used instead of out; NULL: out is used */
	char prompt[32];
	bool terminal;
	bool ended;
	struct termios saved;

	/* only at a terminal */
	struct rdline *rdline;
	struct fcn_completion completion;
	struct fcn_search search;
	char *before;        /* the line in front of which a search began */
	bool silent;         /* nothing is written, as the line is shown again afterwards */
	unsigned int escape; /* state in an escape sequence: 1 behind ESC, 2 behind ESC [ */
	bool refused;        /* rdline did not accept a character of this line */
	const char *hint;    /* printed when Ctrl-C finds no line; NULL: nothing */
	bool (*interrupt)(void *arg); /* see fcn_console_on_interrupt(); NULL: nothing */
	void *interrupt_arg;
	char output[1024];
	size_t n_output;
	unsigned long n_written;

	/* at a terminal the complete line, else the part of a line that was read */
	char line[FCN_COMMAND_MAX_LINE + 2];
	size_t len;
};

static void
flush(struct fcn_console *console)
{
	const char *p = console->output;
	struct pollfd pfd = {.fd = console->out, .events = POLLOUT};
	ssize_t n;

	if (console->output_to != NULL) {
		fcn_console_output_write(console->output_to, p, console->n_output);
		console->n_output = 0;
	}
	while (console->n_output > 0) {
		n = write(console->out, p, console->n_output);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN && poll(&pfd, 1, 1000) > 0)
			continue;
		if (n <= 0)
			break; /* The output is lost: nobody reads it. */
		p += n;
		console->n_output -= (size_t)n;
	}
	console->n_output = 0;
}

static int
write_char(struct rdline *rdline, char c)
{
	struct fcn_console *console = rdline_get_opaque(rdline);

	if (console->silent)
		return 1;
	if (console->n_output == sizeof(console->output))
		flush(console);
	console->output[console->n_output++] = c;
	console->n_written++;
	return 1;
}

/* Take a complete line from rdline, which has a '\n' and a terminator. */
static void
validate(struct rdline *rdline, const char *buf, unsigned int size)
{
	struct fcn_console *console = rdline_get_opaque(rdline);

	RTE_SET_USED(size);
	console->len = RTE_MIN(strcspn(buf, "\n"), sizeof(console->line) - 1);
	memcpy(console->line, buf, console->len);
	console->line[console->len] = '\0';
}

/* The width of the terminal; 0: not known. */
static unsigned int
columns(const struct fcn_console *console)
{
	struct winsize size;

	return ioctl(console->in, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

static int
complete(struct rdline *rdline, const char *buf, char *dst, unsigned int size, int *state)
{
	struct fcn_console *console = rdline_get_opaque(rdline);

	console->completion.columns = columns(console);
	return fcn_completion_run(&console->completion, buf, state, dst, size);
}

static int
terminal_open(struct fcn_console *console)
{
	struct termios raw;

	if (tcgetattr(console->in, &console->saved) < 0)
		return -1;
	raw = console->saved;
	/* Characters are read as they are typed. Ctrl-C still sends a signal, and "\n" in the
	 * output still begins a line. */
	raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	raw.c_lflag |= ISIG;
	raw.c_oflag |= OPOST | ONLCR;
	raw.c_cc[VMIN] = 1;
	raw.c_cc[VTIME] = 0;
	return tcsetattr(console->in, TCSANOW, &raw);
}

void
fcn_console_prompt(struct fcn_console *console, const char *prompt)
{
	snprintf(console->prompt, sizeof(console->prompt), "%s", prompt);
}

struct fcn_console *
fcn_console_create(const struct fcn_command_table *table, const char *prompt, int in, int out,
		void (*handle)(void *arg, const char *line), void *arg)
{
	struct fcn_console *console = calloc(1, sizeof(*console));

	if (console == NULL)
		return NULL;
	console->in = in;
	console->out = out;
	console->handle = handle;
	console->arg = arg;
	fcn_console_prompt(console, prompt);
	if (!isatty(in))
		return console;

	console->completion.table = table;
	console->completion.filters = fcn_command_table_create(&fcn_filter_commands, 1);
	console->rdline = rdline_new(write_char, validate, complete, console);
	if (console->completion.filters == NULL || console->rdline == NULL ||
			terminal_open(console) < 0) {
		fcn_console_free(console);
		return NULL;
	}
	console->terminal = true;
	rdline_newline(console->rdline, console->prompt);
	flush(console);
	return console;
}

void
fcn_console_free(struct fcn_console *console)
{
	if (console == NULL)
		return;
	if (console->terminal)
		tcsetattr(console->in, TCSANOW, &console->saved);
	rdline_free(console->rdline);
	fcn_completion_free(&console->completion);
	fcn_search_free(&console->search);
	free(console->before);
	free(console);
}

static void
put(struct fcn_console *console, const char *text)
{
	for (; *text != '\0'; text++)
		write_char(console->rdline, *text);
}

/* The line is complete: remember it, run it, and begin another. */
static void
finish_line(struct fcn_console *console)
{
	const char *last;

	if (console->refused) {
		console->refused = false;
		put(console, "not run: the line was too long, or had characters that cannot "
			     "be edited here\n");
	} else {
		last = rdline_get_history_item(console->rdline, 0);
		if (console->len > 0 && (last == NULL || strcmp(last, console->line) != 0))
			rdline_add_history(console->rdline, console->line);
		fcn_search_remember(&console->search, console->line);
		flush(console);
		console->handle(console->arg, console->line);
		if (console->output_to == NULL && console->out == STDOUT_FILENO)
			fflush(stdout); /* The answer comes before the next prompt. */
	}
	rdline_newline(console->rdline, console->prompt);
}

/* Tell whether c is a character of the line: no control character, nor part of an escape sequence.
 */
static bool
is_text(struct fcn_console *console, char c)
{
	unsigned int escape = console->escape;

	if (escape == 0)
		console->escape = c == KEY_ESC;
	else if (escape == 1)
		console->escape = c == '[' ? 2 : 0;
	else if (c >= '@' && c <= '~')
		console->escape = 0;
	return escape == 0 && ((c >= ' ' && c <= '~') || c < 0);
}

/* Discard the line that is being typed. rdline has no key for this, but two keys do it together. */
static void
throw_away(struct fcn_console *console)
{
	rdline_char_in(console->rdline, KEY_BEGIN);
	rdline_char_in(console->rdline, KEY_CUT);
	console->refused = false;
}

/* Put a line in place of that which is being typed. */
static void
set_line(struct fcn_console *console, const char *line)
{
	console->silent = true;
	throw_away(console);
	for (; *line != '\0'; line++)
		rdline_char_in(console->rdline, *line);
	console->silent = false;
	put(console, "\r\033[K");
	rdline_redisplay(console->rdline);
}

static void
begin_search(struct fcn_console *console)
{
	const char *line = rdline_get_buffer(console->rdline);

	free(console->before);
	console->before = strndup(line, strcspn(line, "\n"));
	fcn_search_begin(&console->search);
}

/* Use a key for a search of the history. @return whether it is one for the line that was found */
static bool
search(struct fcn_console *console, char key)
{
	char row[FCN_COMMAND_MAX_LINE + 128];
	const char *found;

	switch (fcn_search_use(&console->search, key)) {
	case FCN_SEARCH_CANCELLED:
		set_line(console, console->before != NULL ? console->before : "");
		return false;
	case FCN_SEARCH_TAKEN:
		found = fcn_search_found(&console->search);
		if (found == NULL) {
			/* The line of before is to be seen before it runs. */
			set_line(console, console->before != NULL ? console->before : "");
			return key != '\r' && key != '\n';
		}
		set_line(console, found);
		return true;
	case FCN_SEARCH_GOES_ON:
		break;
	}
	fcn_search_format(&console->search, columns(console), row, sizeof(row));
	put(console, "\r\033[K");
	put(console, row);
	if (console->search.failed)
		put(console, "\a");
	return false;
}

static void
terminal_input(struct fcn_console *console, const char *buf, size_t len)
{
	unsigned long written;
	bool text;
	size_t i;

	for (i = 0; i < len && !console->ended; i++) {
		if (buf[i] == KEY_INTERRUPT && console->interrupt != NULL &&
				console->interrupt(console->interrupt_arg)) {
			put(console, "\n");
			rdline_newline(console->rdline, console->prompt);
			continue;
		}
		if (buf[i] == KEY_SEARCH && !console->search.on)
			begin_search(console);
		if (console->search.on && !search(console, buf[i]))
			continue;
		if (buf[i] == KEY_INTERRUPT && console->hint != NULL &&
				rdline_get_buffer(console->rdline)[0] == '\n') {
			put(console, "\n");
			put(console, console->hint);
		}
		text = is_text(console, buf[i]);
		written = console->n_written;
		if (buf[i] == KEY_KILL) {
			throw_away(console);
			continue;
		}
		switch (rdline_char_in(console->rdline, buf[i])) {
		case RDLINE_RES_VALIDATED:
			finish_line(console);
			break;
		case RDLINE_RES_SUCCESS:
			/* If rdline echoes nothing, its line is full or the character is not ASCII.
			 */
			if (text && console->n_written == written) {
				console->refused = true;
				put(console, "\a");
			}
			if (buf[i] == KEY_INTERRUPT)
				console->refused = false;
			break;
		case RDLINE_RES_COMPLETE:
			break;
		default: /* Ctrl-D in an empty line */
			put(console, "\n");
			console->ended = true;
			break;
		}
	}
	flush(console);
}

static void
hand_over(struct fcn_console *console)
{
	console->line[console->len] = '\0';
	console->len = 0;
	console->handle(console->arg, console->line);
}

/* Collect lines of input that is no terminal. A line that is too long is handed over with one byte
 * too many, so that it is refused. */
static void
plain_input(struct fcn_console *console, const char *buf, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++) {
		if (buf[i] == '\n')
			hand_over(console);
		else if (console->len < sizeof(console->line) - 1)
			/* NUL would end the line, so it is replaced by another control character,
			 * for which the line is refused. */
			console->line[console->len++] = buf[i] != '\0' ? buf[i] : '\001';
	}
}

int
fcn_console_input(struct fcn_console *console)
{
	struct pollfd pfd = {.fd = console->in, .events = POLLIN};
	char buf[READ_SIZE];
	ssize_t n;

	if (console->ended)
		return 1;
	if (poll(&pfd, 1, 0) <= 0)
		return 0; /* There is no input, and read() would block. */
	n = read(console->in, buf, sizeof(buf));
	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return 0;
	if (n <= 0) {
		console->ended = true;
		if (!console->terminal && console->len > 0)
			hand_over(console); /* The last line had no '\n'. */
	} else if (console->terminal) {
		terminal_input(console, buf, (size_t)n);
	} else {
		plain_input(console, buf, (size_t)n);
	}
	return console->ended ? 1 : 0;
}

void
fcn_console_remember(struct fcn_console *console, const char *line)
{
	if (!console->terminal || line[0] == '\0' || strlen(line) > FCN_COMMAND_MAX_LINE)
		return;
	rdline_add_history(console->rdline, line);
	fcn_search_remember(&console->search, line);
}

void
fcn_console_show(struct fcn_console *console)
{
	if (!console->terminal)
		return;
	rdline_newline(console->rdline, console->prompt);
	flush(console);
}

void
fcn_console_complete_names(struct fcn_console *console, fcn_console_names names, void *arg)
{
	console->completion.names = names;
	console->completion.arg = arg;
}

void
fcn_console_interrupt(struct fcn_console *console)
{
	if (console->terminal)
		terminal_input(console, "\003", 1);
}

void
fcn_console_keep_interrupt(struct fcn_console *console, const char *hint)
{
	struct termios now;

	if (!console->terminal || tcgetattr(console->in, &now) < 0)
		return;
	now.c_cc[VINTR] = _POSIX_VDISABLE;
	if (tcsetattr(console->in, TCSANOW, &now) == 0)
		console->hint = hint;
}

void
fcn_console_on_interrupt(struct fcn_console *console, bool (*fn)(void *arg), void *arg)
{
	console->interrupt = fn;
	console->interrupt_arg = arg;
}

void
fcn_console_write_to(struct fcn_console *console, struct fcn_console_output *out)
{
	console->output_to = out;
}
