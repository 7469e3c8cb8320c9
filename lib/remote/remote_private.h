/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The server, the connection of one client and a listening socket, which the files of lib/remote
 * share.
 */

#ifndef FCN_REMOTE_PRIVATE_H
#define FCN_REMOTE_PRIVATE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "fcn_command.h"
#include "fcn_remote.h"
#include "fcn_remote_frame.h"

/** Size of a line: the longest command, a "\r", one byte by which a line that is too long is
 * recognised, and a terminator. */
#define FCN_REMOTE_LINE_SIZE (FCN_COMMAND_MAX_LINE + 3)
#define FCN_REMOTE_INPUT 4096 /**< size of the input buffer of a client, bytes */
#define FCN_REMOTE_HELD 64    /**< most answers that are held */
#define FCN_REMOTE_OK_SIZE 5  /**< bytes of the answer to a line that succeeds without a text */

/** A connection. */
struct fcn_remote_client {
	int fd; /**< the socket; -1 when it was closed */
	struct fcn_remote_peer peer;
	uint64_t begun_ms; /**< time at which it connected, CLOCK_MONOTONIC in milliseconds */
	uint64_t lines;    /**< number of lines that were run */
	/* input */
	char in[FCN_REMOTE_INPUT];
	size_t in_len;
	size_t in_seen; /**< bytes at the beginning of `in` that are known to have no line end */
	bool skipping;  /**< input is ignored until the end of a line that was too long */
	bool eof;       /**< the client sends no more */
	/** Number of lines that were run and are answered together with the next one, by "ok 0". */
	unsigned int held;
	bool unsettled; /**< one of them, or the one being answered, waits for settle() */
	/* the one answer that is being sent, with those that were held in front of it */
	char before[FCN_REMOTE_HELD * FCN_REMOTE_OK_SIZE + FCN_REMOTE_HEADER_SIZE];
	size_t before_len;
	char header[FCN_REMOTE_HEADER_SIZE];
	size_t header_len;
	char *body;
	size_t body_len;
	size_t sent;       /**< bytes of these parts that were sent */
	bool last;         /**< the connection is closed after this answer */
	uint32_t events;   /**< events that epoll waits for */
	uint64_t since_ms; /**< time at which the client last read a part of its answer or began a
			      line, CLOCK_MONOTONIC in milliseconds */
};

/** Tell whether an answer is being sent. No line is run until it has been sent. */
static inline bool
fcn_remote_client_answering(const struct fcn_remote_client *c)
{
	return c->header_len != 0;
}

/** Read once from the socket, as much as the buffer has room for. An error closes the connection.
 */
void fcn_remote_client_read(struct fcn_remote_client *c, uint64_t now_ms);

/** Tell whether fcn_remote_client_line() would return a line. */
bool fcn_remote_client_has_line(struct fcn_remote_client *c);

/** Take the next line without its "\n". A line longer than the longest command is cut to a length
 * that is still above it, and the rest is ignored. @return false if there is no complete line */
bool fcn_remote_client_line(struct fcn_remote_client *c, char line[FCN_REMOTE_LINE_SIZE]);

/** Start to send an answer of len bytes. @param body allocated by malloc(), or NULL if len is 0;
 * the connection owns it from now on */
void fcn_remote_client_answer(
		struct fcn_remote_client *c, bool ok, char *body, size_t len, uint64_t now_ms);

/** Send what the socket accepts at once. An error, or the end of the last answer, closes the
 * connection. @return bytes of the answer's body if it was freed, which happens when all was sent
 * or the connection was closed; otherwise 0 */
size_t fcn_remote_client_write(struct fcn_remote_client *c, uint64_t now_ms);

/** Close the connection. @return bytes of the answer's body that was freed; 0 if there was none */
size_t fcn_remote_client_close(struct fcn_remote_client *c);

/** A socket that listens at a path. */
struct fcn_remote_socket {
	int fd;
	char path[FCN_REMOTE_PATH_SIZE];
	dev_t dev; /**< device of the socket file; with ino it identifies the file, so that no other
		      file is removed */
	ino_t ino;
};

/** Listen at a path. @return 0 or a negative errno, with a line in err */
int fcn_remote_socket_open(struct fcn_remote_socket *s, const char *path, mode_t mode, gid_t group,
		char *err, size_t err_size);
/** Close the socket and remove its file. */
void fcn_remote_socket_close(struct fcn_remote_socket *s);

#define FCN_REMOTE_CLOSED 32

/** A server. */
struct fcn_remote {
	struct fcn_remote_conf conf;
	struct fcn_remote_socket socket[FCN_REMOTE_SOCKETS]; /**< the first n_sockets listen */
	unsigned int n_sockets;
	int epoll;
	uint64_t no_accept_ms; /**< time until which no connection is accepted, for lack of
				  descriptors; or 0 */
	/** The first n are in use, also those that were closed in this turn; there is room for
	 * FCN_REMOTE_CLOSED of these. */
	struct fcn_remote_client **clients;
	unsigned int n;
	unsigned int next; /**< the client whose line is run first */
	size_t waiting;    /**< bytes of answers that clients have not read */
	uint64_t sessions; /**< number of sessions so far */
	struct fcn_remote_counters count;
};

/**
 * Find out whether a user may have a further session, and make room for root and the user of this
 * process by ending the session of another one that was idle for longest.
 *
 * @return NULL: yes; otherwise an error, one line with its end
 */
const char *fcn_remote_why_full(struct fcn_remote *remote, uid_t user);

/** Tell a client why its session ends, if its socket accepts that at once. */
void fcn_remote_client_tell(const struct fcn_remote_client *c, const char *text);

/** End a session that has asked nothing for too long. @return whether it was ended */
bool fcn_remote_end_idle(struct fcn_remote *remote, struct fcn_remote_client *c, uint64_t now_ms);

#endif /* FCN_REMOTE_PRIVATE_H */
