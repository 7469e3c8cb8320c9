/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Long answers of a console, by the pager of who reads them.
 *
 * Thread safe, but for the environment that it reads.
 */

#ifndef FCN_PAGER_H
#define FCN_PAGER_H

#include <stddef.h>

#include <sys/types.h>

/**
 * Start a pager for a text, if standard input and output are a terminal on which it has no room.
 * It is $PAGER, which a shell runs; without that variable less, or else more. Empty, or "cat",
 * there is none. less ends by itself if the text has room after all, keeps colours, and leaves the
 * text on the screen ($LESS, unless it is set); it starts no programs and writes no files
 * ($LESSSECURE), as consoles may be all that somebody may use.
 *
 * @param text copied
 * @return the process, to be waited for while nothing else uses the terminal. 0: the text is to be
 *         written to standard output, as it has room, there is no terminal or no pager
 */
pid_t fcn_pager_start(const char *text, size_t len);

/** Count the rows of a terminal that a text takes. @param columns at least 1 */
size_t fcn_pager_rows(const char *text, size_t len, unsigned int columns);

#endif /* FCN_PAGER_H */
