/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The server of remote consoles: UNIX stream sockets and the clients connected to them. Clients
 * send lines and get framed answers (fcn_remote_frame.h, doc/remote.md).
 *
 * One thread makes all calls, and none of them waits. Clients take turns. The next line of a client
 * is run only when its socket has taken the whole answer to the line before, and no more input is
 * read from it until then; but lines that take effect together are answered together. A client that
 * does not read its answer for a long time is disconnected, and so is one that asks nothing for a
 * long time.
 *
 * No user can take all sessions: each has a share, and for root and the user of this process there
 * is always a session, as the one that is idle for longest ends when they come.
 */

#ifndef FCN_REMOTE_H
#define FCN_REMOTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "fcn_remote_counters.h"
#include "fcn_role.h"

#define FCN_REMOTE_SOCKETS 8    /**< maximum number of sockets of a server */
#define FCN_REMOTE_USER_SIZE 33 /**< size of the name of a user, terminator included */

struct fcn_remote;

/** Who is at the other end of a session, as of when it connected. */
struct fcn_remote_peer {
	uint64_t number;     /**< of the session, from 1 on */
	uid_t user;          /**< (uid_t)-1: not known */
	gid_t group;         /**< primary group; (gid_t)-1: not known */
	unsigned int socket; /**< number of the socket, in the order of fcn_remote_listen() */
	/* set by fcn_remote_conf.connected() */
	enum fcn_role role;
	char name[FCN_REMOTE_USER_SIZE]; /**< of the user; "": not known */
	/* written by fcn_remote_conf.run() */
	uint64_t denied; /**< lines that were refused, as the role does not include the command */
	bool unsettled;  /**< the answer has to wait for fcn_remote_conf.settle() */
};

/** The functions of a server, and its limits. A limit of 0 stands for its default. */
struct fcn_remote_conf {
	/**
	 * Run a line.
	 *
	 * @param line the line without its end. A line longer than FCN_COMMAND_MAX_LINE is cut to
	 *             a length that is still above it, so that the command language refuses it.
	 * @param out  stream for the answer
	 * @param peer who sent it
	 * @param last the function sets this to true to close the connection after this answer;
	 *             it is false before
	 * @return 0 for the header "ok", or a negative errno for the header "error"
	 */
	int (*run)(void *arg, const char *line, FILE *out, struct fcn_remote_peer *peer,
			bool *last);
	/**
	 * Let all that was run before take effect. It is called once for lines that a client has
	 * sent together, before they are answered. NULL: nobody sets `unsettled`.
	 */
	void (*settle)(void *arg);
	/**
	 * Note that a session begins, and set its role and the name of its user. NULL: roles stay
	 * `full`.
	 *
	 * @param fd the connection
	 */
	void (*connected)(void *arg, struct fcn_remote_peer *peer, int fd);
	void *arg;                 /**< first argument of the functions */
	unsigned int clients;      /**< maximum number of clients at a time; default 128 */
	unsigned int user_clients; /**< maximum number of those of one user other than root and the
				      user of this process; default a quarter of all */
	size_t answer_bytes;       /**< maximum length of an answer in bytes; a longer one is
				      replaced by an error; default 64 MiB */
	size_t waiting_bytes;      /**< maximum sum in bytes of the answers that clients have not
				      read; an answer beyond it is replaced by an error; default 256
				      MiB */
	unsigned int stall_ms;     /**< milliseconds after which a client that reads nothing of its
				      answer is disconnected; default 10000 */
	unsigned int half_ms;      /**< milliseconds after which a client that has begun a line and
				      not completed it is disconnected; default 60000 */
	unsigned int turn_ms;      /**< milliseconds after which one call of fcn_remote_run() begins
				      no further line; default 10 */
	/** Milliseconds after which a client that asks nothing is disconnected, unless its role is
	 * `learned`; 0: never. It has no default. */
	uint64_t idle_ms;
};

/** A session, as fcn_remote_session() tells it. */
struct fcn_remote_session {
	const struct fcn_remote_peer *peer;
	uint64_t age_ms;  /**< since it connected */
	uint64_t idle_ms; /**< since it last read a part of an answer or began a line */
	uint64_t lines;   /**< number of lines that were run */
};

/** Create a server without a socket. @return NULL on lack of memory or descriptors */
struct fcn_remote *fcn_remote_create(const struct fcn_remote_conf *conf);

/** Close all connections and remove the sockets. Of answers that are being sent, only what the
 * sockets accept at once is sent. NULL is allowed. */
void fcn_remote_free(struct fcn_remote *remote);

/**
 * Listen on a UNIX stream socket. A socket file that no process listens on any more is replaced. To
 * be called FCN_REMOTE_SOCKETS times at most.
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

/** Listen no more, and remove the socket files. Clients that are connected stay. */
void fcn_remote_unlisten(struct fcn_remote *remote);

/**
 * Serve a client on a connected stream socket.
 *
 * @param socket number of the socket that it came by; one that does not listen will do
 * @param fd     the server owns the descriptor from now on, also on failure
 * @return 0 on success; -EMFILE if there are too many clients, which the client was told; -ENOMEM
 */
int fcn_remote_add(struct fcn_remote *remote, unsigned int socket, int fd);

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

/** Get the maximum number of clients. */
unsigned int fcn_remote_most(const struct fcn_remote *remote);

/** Get a session. @param i 0 to fcn_remote_clients() - 1 */
void fcn_remote_session(const struct fcn_remote *remote, unsigned int i,
		struct fcn_remote_session *session);

/** Get the path of a socket. @param i in the order of fcn_remote_listen() @return NULL: there is
 * none
 */
const char *fcn_remote_socket_path(const struct fcn_remote *remote, unsigned int i);

/** Get the counters. */
const struct fcn_remote_counters *fcn_remote_counters(const struct fcn_remote *remote);

/** Tell whether a user is root or that of this process, who may do what they want without it. */
bool fcn_remote_is_own(uid_t user);

#endif /* FCN_REMOTE_H */
