/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Output of the built-in console that does not block the control thread. What a
 * stopped terminal or a full pipe does not accept is kept in memory, without a
 * limit; the program is to read no further command until it was written.
 *
 * Not thread safe: one thread calls all functions of an output.
 */

#ifndef FCN_CONSOLE_OUTPUT_H
#define FCN_CONSOLE_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

struct fcn_console;

/** An output. The members are private, except fd, which the program polls. */
struct fcn_console_output {
	int fd;
	bool own;   /**< fd was opened here, and is to be closed */
	char *kept; /**< bytes that were not accepted: len of them, of which `sent` were written
		     * since
		     */
	size_t len, sent, room;
	bool broken; /**< output is discarded: writing failed, or memory was exhausted */
};

/**
 * Begin output to a file descriptor. A terminal or pipe is opened once more in non-blocking mode,
 * since other programs share the mode of the descriptor itself. A regular file does not block.
 *
 * @param out set to its initial state
 */
void fcn_console_output_open(struct fcn_console_output *out, int fd);

/** End output. What is kept is lost, so fcn_console_output_finish() may come first. */
void fcn_console_output_close(struct fcn_console_output *out);

/** Write as many bytes as are accepted at once, and keep the rest. */
void fcn_console_output_write(struct fcn_console_output *out, const char *data, size_t len);

/** Tell whether bytes are kept. If so, fcn_console_output_flush() is to be called when fd is
 * writable. */
bool fcn_console_output_waits(const struct fcn_console_output *out);
/** Write as many of the kept bytes as are accepted at once. */
void fcn_console_output_flush(struct fcn_console_output *out);

/**
 * Write all kept bytes, and wait where necessary.
 *
 * @param stop        file descriptor; waiting ends when it becomes readable
 * @param patience_ms waiting ends when nothing is accepted for so many milliseconds
 */
void fcn_console_output_finish(struct fcn_console_output *out, int stop, int patience_ms);

/** Have a console write its prompt and echo to an output, which must be open whenever the console
 * reads input. */
void fcn_console_write_to(struct fcn_console *console, struct fcn_console_output *out);

#endif /* FCN_CONSOLE_OUTPUT_H */
