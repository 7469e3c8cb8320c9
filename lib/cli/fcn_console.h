/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * An interactive console for a table of commands, with line editing, history and
 * completion by rte_cmdline.
 *
 * Not thread safe: one thread calls all functions of a console.
 */

#ifndef FCN_CONSOLE_H
#define FCN_CONSOLE_H

#include "fcn_command.h"

struct fcn_console;

/**
 * Create a console. At a terminal it has a prompt, editing, history, a search in it
 * (Ctrl-R), completion (TAB) and lists of what can follow ('?'). For this the terminal is switched
 * to non-canonical mode without echo: it delivers each character at once. Ctrl-C still sends
 * SIGINT, and output still needs only "\n" at the end of a line. If `in` is a pipe or a file, lines
 * are read without prompt, editing and echo.
 *
 * @param table  must outlive the console
 * @param prompt at most 31 characters; copied
 * @param in     file descriptor to read from, a terminal or not; not closed
 * @param out    file descriptor for prompt and echo; not closed
 * @param handle called with each complete line, without the end-of-line character; it must not free
 *               the console. A line that is too long is cut, but not so short that
 *               fcn_command_run() would accept it: it returns the error for a line that is too
 *               long.
 * @param arg    first argument of handle
 * @return NULL when memory is exhausted or the terminal cannot be set up
 */
struct fcn_console *fcn_console_create(const struct fcn_command_table *table, const char *prompt,
		int in, int out, void (*handle)(void *arg, const char *line), void *arg);
/**
 * Show the prompt again, for a program that has let another one use the terminal. The line that was
 * being typed is lost.
 */
void fcn_console_show(struct fcn_console *console);
/** Change the prompt of the next lines. @param prompt at most 31 characters; copied */
void fcn_console_prompt(struct fcn_console *console, const char *prompt);
/** Restore the terminal and free a console. NULL is allowed. */
void fcn_console_free(struct fcn_console *console);
/**
 * Read input that is available, and handle the lines that it completes, also those behind a line
 * that ends the program. To be called when `in` is readable; it does not wait for input.
 *
 * @return 0; 1: the input has ended, by Ctrl-D in an empty line or at the end of the file
 */
int fcn_console_input(struct fcn_console *console);
/** Add a line to the history, as if it had been typed. This is for lines of earlier sessions. */
void fcn_console_remember(struct fcn_console *console, const char *line);
/**
 * Give the names that an argument may have, for completion.
 *
 * @param key  key of the argument: "port", "file", ...
 * @param word what was typed of it; names that begin otherwise are ignored
 * @param add  to be called for each name
 * @param list first argument of add
 */
typedef void (*fcn_console_names)(void *arg, const char *key, const char *word,
		void (*add)(void *list, const char *name), void *list);
/** Complete names, too. @param names called while a line is completed @param arg its first argument
 */
void fcn_console_complete_names(struct fcn_console *console, fcn_console_names names, void *arg);

/** Discard the line that is being typed and begin another one, for a program that handles SIGINT
 * itself. */
void fcn_console_interrupt(struct fcn_console *console);

/**
 * Let Ctrl-C discard the line that is being typed, as in a shell, instead of sending SIGINT, for as
 * long as the console is there. A program that does other things while a command of the console
 * runs needs no signal for that.
 *
 * @param hint line that is printed when there was no line to discard, such as how the program is
 *             ended; it has to stay valid
 */
void fcn_console_keep_interrupt(struct fcn_console *console, const char *hint);

/**
 * Have Ctrl-C end something that a command has begun and that goes on meanwhile.
 *
 * @param fn ends it. @return whether there was something; false: Ctrl-C does what it does otherwise
 */
void fcn_console_on_interrupt(struct fcn_console *console, bool (*fn)(void *arg), void *arg);

#endif /* FCN_CONSOLE_H */
