/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The tests of remote consoles need no switch: a fake runs the lines, and clients are the other
 * ends of socket pairs.
 */

#ifndef REMOTE_UTIL_H
#define REMOTE_UTIL_H

#include "test_case.h"

#include "fcn_remote.h"

/**
 * A server whose lines are run by a fake. The answer to "big N" is N times 'x'; "fail TEXT" fails
 * with TEXT; "slow MS" takes MS milliseconds; "quit" ends the session; "later" has no text, and its
 * answer waits until all is settled; the answer to any other line is the line and "\n".
 */
struct remote_testbed {
	struct fcn_remote *remote;
	unsigned int n_lines;       /**< number of lines that were run */
	unsigned int settled;       /**< times that something was settled */
	unsigned int settled_lines; /**< number of lines that were run by the last time */
	char lines[8][1100];        /**< the last lines: line k is at k modulo 8 */
	size_t lengths[8];
	struct fcn_remote_peer peer; /**< who sent the last line */
};

/** The user of clients that connect from now on; (uid_t)-1: that of this process. */
extern uid_t remote_user;

/** Begin a test. @param limits as for fcn_remote_create(), but run() and arg are not used; NULL:
 * all limits have their defaults */
void remote_begin(struct remote_testbed *bed, const struct fcn_remote_conf *limits);
/** End a test. */
void remote_end(struct remote_testbed *bed);

/** Connect a client. @return the client's end of a socket pair, which is non-blocking */
int remote_client(struct remote_testbed *platform);

/** Run turns until there is nothing to do, at most 1000. */
void remote_turns(struct remote_testbed *platform);

/** Send a whole text. */
void remote_send(int fd, const char *text);

/**
 * Receive what has arrived, up to size - 1 bytes, and terminate it with '\0'.
 *
 * @return length; -1 at the end of the stream
 */
int remote_receive(int fd, char *buf, size_t size);

/** Check that exactly this text has arrived. */
void remote_expect(int fd, const char *text);

/** Check that the session is closed, with nothing left to read. */
void remote_expect_end(int fd);

/** Wait for ms milliseconds. */
void remote_sleep(unsigned int ms);

#endif /* REMOTE_UTIL_H */
