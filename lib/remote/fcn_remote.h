/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The console from anywhere: a UNIX socket, and the clients on it. Lines come
 * in, framed answers go out (remote_frame.h; doc/remote.md).
 *
 * One thread. Nothing here waits: a client that does not read gets no further
 * line run, and is dropped when it goes on; one that sends without end is read
 * as fast as its lines are run; and lines of several clients are run in turns.
 */

#ifndef FCN_REMOTE_H
#define FCN_REMOTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

struct fcn_remote;

/** What to do with lines, and limits; a limit of 0 is the default. */
struct fcn_remote_conf {
	/**
	 * Run a line.
	 *
	 * @param line without its end; one that is too long for a command is handed over cut,
	 *             but still too long
	 * @param out takes the answer
	 * @param last set when the session ends behind this answer; false before
	 * @return 0 or a negative errno, for the header
	 */
	int (*run)(void *arg, const char *line, FILE *out, bool *last);
	void *arg;
	unsigned int clients;  /**< at a time; default 128 */
	size_t answer_bytes;   /**< a longer answer becomes an error; default 64 MiB */
	size_t waiting_bytes;  /**< of answers not read yet, all clients; default 256 MiB */
	unsigned int stall_ms; /**< a client that takes nothing so long is dropped; 10 s */
	unsigned int half_ms;  /**< as is one that does not finish a line it began; 60 s */
	unsigned int turn_ms;  /**< lines are run so long at most in a turn, but one; 10 ms */
};

/** @return NULL without memory or descriptors */
struct fcn_remote *fcn_remote_create(const struct fcn_remote_conf *conf);

/** Closes all; answers are sent as far as that needs no wait. The socket is removed. */
void fcn_remote_free(struct fcn_remote *remote);

/**
 * Listen on a socket. One that a dead process left is replaced.
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
 * @param fd is the remote's then, also on failure
 * @return 0; -EMFILE: there are too many clients, and fd has been told so; -ENOMEM
 */
int fcn_remote_add(struct fcn_remote *remote, int fd);

/** A descriptor to poll: readable when fcn_remote_run() has something to do. */
int fcn_remote_fd(const struct fcn_remote *remote);

/**
 * One turn: accept, read, run a line of each client that has one, write. To be
 * called when the descriptor is readable, and ten times a second at least.
 *
 * @return whether lines wait to be run: call again without waiting
 */
bool fcn_remote_run(struct fcn_remote *remote);

/** How many clients there are. */
unsigned int fcn_remote_clients(const struct fcn_remote *remote);

#endif /* FCN_REMOTE_H */
