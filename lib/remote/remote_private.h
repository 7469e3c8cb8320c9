/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * What the files of lib/remote share: the connection of one client, and the listening socket.
 */

#ifndef FCN_REMOTE_PRIVATE_H
#define FCN_REMOTE_PRIVATE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "fcn_command.h"
#include "fcn_remote_frame.h"

/** Room for a line with a "\r", one byte more so that a too long line is seen, and a terminator. */
#define FCN_REMOTE_LINE_SIZE (FCN_COMMAND_MAX_LINE + 3)
#define FCN_REMOTE_INPUT 4096

/** A connection. */
struct fcn_remote_client {
	int fd; /**< -1: it was closed */
	/* input */
	char in[FCN_REMOTE_INPUT];
	size_t in_len;
	size_t in_seen; /**< bytes at its beginning that are known to have no line end */
	bool skipping;  /**< input is ignored until the end of a line that was too long */
	bool eof;       /**< the client sends no more */
	/* the one answer that is being sent */
	char header[FCN_REMOTE_HEADER_SIZE];
	size_t header_len;
	char *body;
	size_t body_len;
	size_t sent;       /**< of header and body */
	bool last;         /**< the connection is closed after this answer */
	uint32_t events;   /**< events that epoll waits for */
	uint64_t since_ms; /**< when the client last read a part of the answer or began a line */
};

/** @return whether an answer is being sent; no line is run before it was sent */
static inline bool
fcn_remote_client_answering(const struct fcn_remote_client *c)
{
	return c->header_len != 0;
}

/** Read once, as much as there is room for. An error closes the connection. */
void fcn_remote_client_read(struct fcn_remote_client *c, uint64_t now_ms);

/** @return whether fcn_remote_client_line() would return a line */
bool fcn_remote_client_has_line(struct fcn_remote_client *c);

/** Take the next line without its end. A line that was too long is shortened, but still too long.
 * @return false: there is no line */
bool fcn_remote_client_line(struct fcn_remote_client *c, char line[FCN_REMOTE_LINE_SIZE]);

/** Start to send an answer. @param body made by malloc(); belongs to the client from now on */
void fcn_remote_client_answer(
		struct fcn_remote_client *c, bool ok, char *body, size_t len, uint64_t now_ms);

/** Send what the socket accepts. An error, or the end of the last answer, closes the connection.
 * @return bytes of the body that were freed */
size_t fcn_remote_client_write(struct fcn_remote_client *c, uint64_t now_ms);

/** Close the connection. @return as fcn_remote_client_write() */
size_t fcn_remote_client_close(struct fcn_remote_client *c);

/** A socket that listens at a path. */
struct fcn_remote_socket {
	int fd;
	char path[FCN_REMOTE_PATH_SIZE];
	dev_t dev; /**< with ino, the file that was made: no other file is removed */
	ino_t ino;
};

/** Listen at a path. @return 0 or a negative errno, with a line in err */
int fcn_remote_socket_open(struct fcn_remote_socket *s, const char *path, mode_t mode, char *err,
		size_t err_size);
/** Close the socket and remove its file. */
void fcn_remote_socket_close(struct fcn_remote_socket *s);

#endif /* FCN_REMOTE_PRIVATE_H */
