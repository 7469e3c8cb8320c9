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
#include "fcn_history.h"
#include "words.h"

#define PROMPT "fastcn> "
#define PROMPT_STOPPED "fastcn(stopped)> "

struct interactive {
	struct ctl *ctl;
	struct fcn_console *console;
	const char *prompt;
	char history[FCN_HISTORY_PATH]; /* path of the history file; "": there is none */
	bool done;
	int status;
};

/* Show an error as the switch's own console does, with a mark below the error. */
static void
report(const struct interactive *i, const char *text)
{
	unsigned int column = ctl_column(&text);

	if (column > 0)
		printf("%*s^\n", (int)(strlen(i->prompt) + column - 1), "");
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
	} else if (rc == -ETIMEDOUT) {
		fflush(stdout);
		ctl_lost(i->ctl, rc);
	} else if (rc != 0) {
		lost(i, rc);
	} else if (!answer.ok) {
		report(i, answer.text);
	} else {
		ctl_print(answer.text, answer.len);
		i->done = ctl_is_last(line);
	}
}

/* Choose the prompt by what the switch does now. If it does not say, the prompt stays. */
static void
choose_prompt(struct interactive *i)
{
	struct ctl_answer answer;

	if (i->ctl->stale > 0 || ctl_ask(i->ctl, "show status json", &answer) != 0 || !answer.ok)
		return;
	if (strstr(answer.text, "\"forwarding\": true") != NULL)
		i->prompt = PROMPT;
	else if (strstr(answer.text, "\"forwarding\": false") != NULL)
		i->prompt = PROMPT_STOPPED;
}

static void
handle(void *arg, const char *line)
{
	struct interactive *i = arg;
	const char *words;
	bool json;

	if (i->done)
		return;
	fcn_history_add(i->history, line);
	if (ctl_word(line, "watch", &words)) {
		ctl_watch(i->ctl, words, NULL);
	} else if (ctl_is_follow(line, &json)) {
		ctl_follow(i->ctl, json);
	} else if (line[strspn(line, " \t")] != '\0') {
		ask(i, line);
	}
	if (!i->done) {
		choose_prompt(i);
		fcn_console_prompt(i->console, i->prompt);
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
			ctl_farewell(i->ctl);
			lost(i, -ECONNRESET);
		} else if (fds[INPUT].revents != 0 && fcn_console_input(i->console) != 0) {
			return;
		}
	}
}

int
ctl_interactive(struct ctl *ctl)
{
	struct interactive i = {.ctl = ctl, .prompt = PROMPT};
	struct fcn_command_table *table = fcn_command_table_create(&ctl_commands, 1);

	if (table != NULL)
		fcn_command_table_options(table, ctl_options, ctl_n_options);
	if (table == NULL || ctl_take_signals(ctl) != 0)
		return ctl_lost(ctl, -ENOMEM);
	choose_prompt(&i);
	i.console = fcn_console_create(table, i.prompt, STDIN_FILENO, STDOUT_FILENO, handle, &i);
	if (i.console != NULL) {
		fcn_console_complete_names(i.console, ctl_names, ctl);
		fcn_history_file("FASTCNCTL_HISTORY", ".fastcnctl_history", i.history);
		fcn_history_load(i.history, remember, i.console);
		serve(&i);
	} else {
		fprintf(stderr, "fastcnctl: cannot set up the terminal\n");
		i.status = CTL_USAGE;
	}
	fcn_console_free(i.console);
	fcn_command_table_free(table);
	return i.status;
}
