/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Output of the built-in console that never holds up the control thread: what a
 * stopped terminal or a full pipe does not take is kept, and no further command
 * is read until it is gone.
 */

#ifndef FCN_CONSOLE_OUTPUT_H
#define FCN_CONSOLE_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

struct fcn_console;

struct fcn_console_output {
	int fd;
	bool own;   /**< opened here, and to be closed */
	char *kept; /**< what was not taken, len bytes of which sent are gone */
	size_t len, sent, room;
	bool broken; /**< nobody reads any more, or there was no memory */
};

/**
 * Terminals and pipes are opened once more, without waiting: the descriptor
 * itself is shared with other programs. A file never waits.
 */
void fcn_console_output_open(struct fcn_console_output *out, int fd);

/** What is kept is lost: see fcn_console_output_finish(). */
void fcn_console_output_close(struct fcn_console_output *out);

/** Write what is taken at once, and keep the rest. */
void fcn_console_output_write(struct fcn_console_output *out, const char *data, size_t len);

/** Whether something is kept: call fcn_console_output_flush() when fd is writable. */
bool fcn_console_output_waits(const struct fcn_console_output *out);
void fcn_console_output_flush(struct fcn_console_output *out);

/** Write all of it, as long as some is taken every so often, and stop has nothing to be read. */
void fcn_console_output_finish(struct fcn_console_output *out, int stop, int patience_ms);

/** Prompt and echo of a console go there, too. */
void fcn_console_write_to(struct fcn_console *console, struct fcn_console_output *out);

#endif /* FCN_CONSOLE_OUTPUT_H */
