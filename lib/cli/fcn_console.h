/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * An interactive console for a table of commands, with rte_cmdline's line
 * editing, history and completion. A console belongs to one thread.
 */

#ifndef FCN_CONSOLE_H
#define FCN_CONSOLE_H

#include "fcn_command.h"

struct fcn_console;

/**
 * A terminal gets a prompt, editing, history, completion (TAB) and lists of what
 * is possible ('?'). It is put into raw mode, but Ctrl-C still is SIGINT, and
 * "\n" written to it still begins a line. From anything else, lines are read as
 * they are, without prompt and echo.
 *
 * @param prompt at most 31 characters
 * @param in     file descriptor to read from, a terminal or not; not closed
 * @param out    file descriptor for prompt and echo; not closed
 * @param handle called with each finished line, without its end; must not free the console. A
 *               line that is too long is handed over too long, for fcn_command_run() to refuse.
 * @return NULL when there is no memory or the terminal cannot be set up
 */
struct fcn_console *fcn_console_create(const struct fcn_command_table *table, const char *prompt,
		int in, int out, void (*handle)(void *arg, const char *line), void *arg);
/** Restores the terminal. */
void fcn_console_free(struct fcn_console *console);
/**
 * Read what is there and act on it; call when in is readable. Never blocks. All
 * lines that have been read are handed over, even behind one that ends the program.
 * @return 0; 1 at end of input (Ctrl-D in an empty line, EOF)
 */
int fcn_console_input(struct fcn_console *console);
/** Put a line into the history, as if it had been typed; for lines of earlier sessions. */
void fcn_console_remember(struct fcn_console *console, const char *line);
/** Throw away what is typed and begin a line, for a program that takes SIGINT itself. */
void fcn_console_interrupt(struct fcn_console *console);

#endif /* FCN_CONSOLE_H */
