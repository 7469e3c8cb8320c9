/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* The interactive mode, with the same line editor and commands as the switch's own console. */

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ctl.h"
#include "fcn_console.h"
#include "words.h"

#define PROMPT "fastcn> "

struct interactive {
	struct ctl *ctl;
	struct fcn_console *console;
	bool done;
	int status;
};

/* Show an error as the switch's own console does, with a mark below the error. */
static void
report(const char *text)
{
	unsigned int column = ctl_column(&text);

	if (column > 0)
		printf("%*s^\n", (int)(strlen(PROMPT) + column - 1), "");
	fputs(text, stdout);
}

static void
lost(struct interactive *i, int error)
{
	i->status = ctl_lost(i->ctl, error);
	i->done = true;
}

static void
ask(struct interactive *i, const char *line)
{
	struct ctl_answer answer;
	char *sent = ctl_line(i->ctl, line);
	int rc = sent == NULL ? -ENOMEM : ctl_ask(i->ctl, sent, &answer);
	int number;

	free(sent);
	if (rc == -EINTR) {
		number = ctl_signal(i->ctl);
		printf("interrupted; the switch goes on with it\n");
		i->done = number != SIGINT;
	} else if (rc != 0) {
		lost(i, rc);
	} else if (!answer.ok) {
		report(answer.text);
	} else {
		fwrite(answer.text, 1, answer.len, stdout);
		i->done = ctl_is_last(line);
	}
}

static void
handle(void *arg, const char *line)
{
	struct interactive *i = arg;
	const char *words;

	if (i->done)
		return;
	ctl_history_add(line);
	if (ctl_word(line, "watch", &words)) {
		ctl_watch(i->ctl, words);
	} else if (line[strspn(line, " \t")] != '\0') {
		ask(i, line);
	}
}

static void
remember(void *arg, const char *line)
{
	fcn_console_remember(arg, line);
}

static void
serve(struct interactive *i)
{
	enum {
		INPUT,
		SIGNALS,
		SWITCH,
		COUNT
	};
	struct pollfd fds[COUNT] = {
			[INPUT] = {.fd = STDIN_FILENO, .events = POLLIN},
			[SIGNALS] = {.fd = i->ctl->signals, .events = POLLIN},
			[SWITCH] = {.fd = i->ctl->fd, .events = POLLIN},
	};

	while (!i->done) {
		/* Answers to commands that were interrupted may still come and are ignored here. */
		fds[SWITCH].events = i->ctl->stale > 0 ? 0 : POLLIN;
		if (poll(fds, COUNT, -1) < 0 && errno != EINTR)
			return;
		if (fds[SIGNALS].revents != 0 && ctl_signal(i->ctl) != SIGINT)
			return;
		if (fds[SIGNALS].revents != 0) {
			fcn_console_interrupt(i->console);
		} else if (fds[SWITCH].revents != 0) { /* the switch has closed the connection */
			printf("\n");
			fflush(stdout);
			lost(i, -ECONNRESET);
		} else if (fds[INPUT].revents != 0 && fcn_console_input(i->console) != 0) {
			return;
		}
	}
}

int
ctl_interactive(struct ctl *ctl)
{
	struct interactive i = {.ctl = ctl};
	struct fcn_command_table *table = fcn_command_table_create(&ctl_commands, 1);

	if (table == NULL || ctl_take_signals(ctl) != 0)
		return ctl_lost(ctl, -ENOMEM);
	i.console = fcn_console_create(table, PROMPT, STDIN_FILENO, STDOUT_FILENO, handle, &i);
	if (i.console != NULL) {
		ctl_history_load(remember, i.console);
		serve(&i);
	} else {
		fprintf(stderr, "fastcnctl: cannot set up the terminal\n");
		i.status = CTL_USAGE;
	}
	fcn_console_free(i.console);
	fcn_command_table_free(table);
	return i.status;
}
