/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* What the built-in console completes and remembers. The helper thread reads directories and the
 * history, as file systems may take their time. */

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fcn_file_names.h"
#include "fcn_pager.h"
#include "live.h"

struct listing {
	const char *word;
	void (*add)(void *list, const char *name);
	void *list;
};

static void
list_files(void *arg)
{
	const struct listing *l = arg;

	fcn_file_names(l->word, l->add, l->list);
}

static void
names(void *arg, const char *key, const char *word, void (*add)(void *list, const char *name),
		void *list)
{
	struct fcn_live *live = arg;
	struct listing l = {word, add, list};

	if (strcmp(key, "file") == 0)
		fcn_control_aside(live->ctl, list_files, &l);
	else
		fcn_session_names(fcn_control_config(live->ctl), key, add, list);
}

static void
remember(void *arg, const char *line)
{
	fcn_console_remember(arg, line);
}

struct history {
	const char *name, *line;
	struct fcn_console *console;
};

static void
load(void *arg)
{
	const struct history *h = arg;

	fcn_history_load(h->name, remember, h->console);
}

static void
add(void *arg)
{
	const struct history *h = arg;

	fcn_history_add(h->name, h->line);
}

void
fcn_live_console_prepare(struct fcn_live *live, struct fcn_console *console)
{
	struct history h = {.name = live->history, .console = console};

	fcn_console_complete_names(console, names, live);
	fcn_console_keep_interrupt(console, "quit ends the switch, as Ctrl-D does");
	if (isatty(STDIN_FILENO) &&
			fcn_history_file("FASTCN_HISTORY", ".fastcn_history", live->history))
		fcn_control_aside(live->ctl, load, &h);
}

void
fcn_live_console_remember(struct fcn_live *live, const char *line)
{
	struct history h = {.name = live->history, .line = line};

	if (live->history[0] != '\0')
		fcn_control_aside(live->ctl, add, &h);
}

void
fcn_live_console_write(struct fcn_live *live, const char *text, size_t len)
{
	/* There is one pager for lines that come at once, and none at the end of the program. */
	bool wanted = live->console != NULL && live->pager == 0 && !live->session.ended &&
		      !live->done;

	if (wanted)
		live->pager = fcn_pager_start(text, len);
	if (!wanted || live->pager == 0)
		fcn_console_output_write(&live->output, text, len);
}

void
fcn_live_console_poll(struct fcn_live *live, const char *prompt)
{
	/* While the pager has the terminal, there is no prompt. */
	if (live->pager == 0 || waitpid(live->pager, NULL, WNOHANG) == 0) {
		fcn_console_prompt(live->console, live->pager == 0 ? prompt : "");
		return;
	}
	live->pager = 0;
	fcn_console_prompt(live->console, prompt);
	fcn_console_show(live->console);
}
