/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The server of remote consoles: a UNIX stream socket and the clients connected to it. Clients send
 * lines and get framed answers (fcn_remote_frame.h, doc/remote.md).
 *
 * All functions are for one thread, and none of them waits. No line of a client is run while the
 * answer to the line before has not been read completely, and a client that does not read for a
 * long time is disconnected. Input is read only as fast as lines are run. Clients take turns.
 */

#ifndef FCN_REMOTE_H
#define FCN_REMOTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

struct fcn_remote;

/** How to run lines, and limits. A limit of 0 stands for its default. */
struct fcn_remote_conf {
	/**
	 * Run a line.
	 *
	 * @param line without its end. A line that is too long for a command is shortened, but
	 *             still too long, so that the command language refuses it.
	 * @param out  where to write the answer
	 * @param last is false; to be set when the connection is to be closed after this answer
	 * @return 0 or a negative errno; the header of the answer says which of both it was
	 */
	int (*run)(void *arg, const char *line, FILE *out, bool *last);
	void *arg;
	unsigned int clients;  /**< most clients at a time; default 128 */
	size_t answer_bytes;   /**< a longer answer is replaced by an error; default 64 MiB */
	size_t waiting_bytes;  /**< most bytes of unread answers of all clients; 256 MiB */
	unsigned int stall_ms; /**< a client that reads nothing of its answer for so long is
				* disconnected, milliseconds; default 10 s */
	unsigned int half_ms;  /**< so is one that does not complete a line; default 60 s */
	unsigned int turn_ms;  /**< one call of fcn_remote_run() begins no line after so many
				* milliseconds; default 10 */
};

/** Create a server without a socket. @return NULL on lack of memory or descriptors */
struct fcn_remote *fcn_remote_create(const struct fcn_remote_conf *conf);

/** Close all connections and remove the socket. Answers are sent as far as sockets accept them at
 * once. NULL is allowed. */
void fcn_remote_free(struct fcn_remote *remote);

/**
 * Listen on a socket. A socket that a process left when it ended is replaced.
 *
 * @param mode permissions, such as 0600
 * @param err one line, on failure
 * @return 0 or a negative errno; -EADDRINUSE: another process listens there
 */
int fcn_remote_listen(struct fcn_remote *remote, const char *path, mode_t mode, char *err,
		size_t err_size);

/**
 * Serve a client on a connected stream socket.
 *
 * @param fd belongs to the server from now on, also on failure
 * @return 0; -EMFILE: there are too many clients, and this one was told so; -ENOMEM
 */
int fcn_remote_add(struct fcn_remote *remote, int fd);

/** @return a descriptor that is readable when fcn_remote_run() has something to do */
int fcn_remote_fd(const struct fcn_remote *remote);

/**
 * Serve clients once: accept connections, read, run one line of each client that has one, and send
 * answers. To be called when the descriptor is readable, and at least ten times a second.
 *
 * @return whether more lines can be run at once: then call it again without waiting
 */
bool fcn_remote_run(struct fcn_remote *remote);

/** @return number of clients */
unsigned int fcn_remote_clients(const struct fcn_remote *remote);

#endif /* FCN_REMOTE_H */
