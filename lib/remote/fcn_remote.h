/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The server of remote consoles: a UNIX stream socket and the clients connected to it. Clients send
 * lines and get framed answers (fcn_remote_frame.h, doc/remote.md).
 *
 * One thread makes all calls, and none of them waits. Clients take turns. The next line of a client
 * is run only when its socket has taken the whole answer to the line before, and no more input is
 * read from it until then. A client that does not read its answer for a long time is disconnected.
 */

#ifndef FCN_REMOTE_H
#define FCN_REMOTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

struct fcn_remote;

/** The function that runs lines, and the limits of a server. A limit of 0 stands for its default.
 */
struct fcn_remote_conf {
	/**
	 * Run a line.
	 *
	 * @param line the line without its end. A line longer than FCN_COMMAND_MAX_LINE is cut to
	 *             a length that is still above it, so that the command language refuses it.
	 * @param out  stream for the answer
	 * @param user the user who connected, as of then; (uid_t)-1: not known
	 * @param last the function sets this to true to close the connection after this answer;
	 *             it is false before
	 * @return 0 for the header "ok", or a negative errno for the header "error"
	 */
	int (*run)(void *arg, const char *line, FILE *out, uid_t user, bool *last);
	void *arg;             /**< first argument of run() */
	unsigned int clients;  /**< maximum number of clients at a time; default 128 */
	size_t answer_bytes;   /**< maximum length of an answer in bytes; a longer one is replaced
				  by an error; default 64 MiB */
	size_t waiting_bytes;  /**< maximum sum in bytes of the answers that clients have not read;
				  an answer beyond it is replaced by an error; default 256 MiB */
	unsigned int stall_ms; /**< milliseconds after which a client that reads nothing of its
				  answer is disconnected; default 10000 */
	unsigned int half_ms;  /**< milliseconds after which a client that has begun a line and not
				  completed it is disconnected; default 60000 */
	unsigned int turn_ms;  /**< milliseconds after which one call of fcn_remote_run() begins no
				  further line; default 10 */
};

/** Create a server without a socket. @return NULL on lack of memory or descriptors */
struct fcn_remote *fcn_remote_create(const struct fcn_remote_conf *conf);

/** Close all connections and remove the socket. Of answers that are being sent, only what the
 * sockets accept at once is sent. NULL is allowed. */
void fcn_remote_free(struct fcn_remote *remote);

/**
 * Listen on a UNIX stream socket. A socket file that no process listens on any more is replaced. To
 * be called once at most.
 *
 * @param path path of the socket, at most 107 bytes
 * @param mode  permissions of the socket file, such as 0600
 * @param group the group of the socket file; (gid_t)-1: that of the process
 * @param err  one line, on failure
 * @return 0 on success; -EADDRINUSE if another process listens there; -EEXIST if the path is not a
 *         socket; or another negative errno
 */
int fcn_remote_listen(struct fcn_remote *remote, const char *path, mode_t mode, gid_t group,
		char *err, size_t err_size);

/**
 * Serve a client on a connected stream socket.
 *
 * @param fd the server owns the descriptor from now on, also on failure
 * @return 0 on success; -EMFILE if there are too many clients, which the client was told; -ENOMEM
 */
int fcn_remote_add(struct fcn_remote *remote, int fd);

/** Get a descriptor that is readable when fcn_remote_run() has something to do. It belongs to the
 * server. */
int fcn_remote_fd(const struct fcn_remote *remote);

/**
 * Serve clients once: accept connections, read, run one line of each client that has one, and send
 * answers. To be called when the descriptor is readable, and at least ten times a second.
 *
 * @return true if a further call, without waiting, has more lines to run
 */
bool fcn_remote_run(struct fcn_remote *remote);

/** Get the number of clients. */
unsigned int fcn_remote_clients(const struct fcn_remote *remote);

#endif /* FCN_REMOTE_H */
