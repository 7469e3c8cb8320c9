/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * A client of the remote console, and the socket that clients come in by.
 */

#ifndef FCN_REMOTE_PRIVATE_H
#define FCN_REMOTE_PRIVATE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "fcn_command.h"
#include "fcn_remote_frame.h"

/** A line as it is handed over: with a "\r", and a byte too much to be refused by. */
#define FCN_REMOTE_LINE_SIZE (FCN_COMMAND_MAX_LINE + 3)
#define FCN_REMOTE_INPUT 4096

struct fcn_remote_client {
	int fd; /**< -1: it is gone */
	/* what came */
	char in[FCN_REMOTE_INPUT];
	size_t in_len;
	size_t in_seen; /**< so much of it has no line end */
	bool skipping;  /**< up to the end of a line that was too long */
	bool eof;       /**< nothing more comes */
	/* the answer on its way; one at a time */
	char header[FCN_REMOTE_HEADER_SIZE];
	size_t header_len;
	char *body;
	size_t body_len;
	size_t sent;       /**< of header and body */
	bool last;         /**< the session ends behind it */
	uint32_t events;   /**< that are polled for */
	uint64_t since_ms; /**< it last took something, or a line was last complete */
};

/** Whether an answer is on its way: no line is run before it is gone. */
static inline bool
fcn_remote_client_answering(const struct fcn_remote_client *c)
{
	return c->header_len != 0;
}

/** Read once, as much as there is room for. Closes at an error. */
void fcn_remote_client_read(struct fcn_remote_client *c, uint64_t now_ms);

/** Whether fcn_remote_client_line() would have one. */
bool fcn_remote_client_has_line(struct fcn_remote_client *c);

/** Take the next line, without its end and always too long when it was. @return false: none. */
bool fcn_remote_client_line(struct fcn_remote_client *c, char line[FCN_REMOTE_LINE_SIZE]);

/** Begin an answer; body is the client's then (malloc). */
void fcn_remote_client_answer(
		struct fcn_remote_client *c, bool ok, char *body, size_t len, uint64_t now_ms);

/** Send what the socket takes. Closes at an error, and behind a last answer. @return bytes of the
 * body that need not be kept any more. */
size_t fcn_remote_client_write(struct fcn_remote_client *c, uint64_t now_ms);

/** Close. @return as fcn_remote_client_write() */
size_t fcn_remote_client_close(struct fcn_remote_client *c);

/** A socket that listens at a path. */
struct fcn_remote_socket {
	int fd;
	char path[FCN_REMOTE_PATH_SIZE];
	dev_t dev; /**< what was made there: nothing else is removed */
	ino_t ino;
};

/** @return 0 or a negative errno, with a line in err */
int fcn_remote_socket_open(struct fcn_remote_socket *s, const char *path, mode_t mode, char *err,
		size_t err_size);
void fcn_remote_socket_close(struct fcn_remote_socket *s);

#endif /* FCN_REMOTE_PRIVATE_H */
