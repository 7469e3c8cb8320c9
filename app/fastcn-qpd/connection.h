/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/** @file One connection of a host: the handshake, then its session. */

#ifndef QPD_CONNECTION_H
#define QPD_CONNECTION_H

#include "server.h"

/** Begin. @param from the other address, as text @return 0; -1: no memory, and fd is not closed */
int connection_new(struct server *s, int fd, const char *from);

/** End the connection, its session and itself, without a word. */
void connection_free(struct connection *c);

/** The same; it is counted and logged if its session had begun. */
void connection_end(struct connection *c, enum session_end end);

/** Do what can be done without waiting. The connection may end. */
void connection_run(struct connection *c, time_t wall_s);

/** Get the time when connection_run() has something to do without an event; 0: now. */
uint64_t connection_due(const struct connection *c);

/** Log what happened to a connection. @param counter of the server, by which lines are limited
 * @param detail its first line is logged; NULL: none */
void server_log(struct server *s, const struct connection *c, const uint64_t *counter,
		const char *text, const char *detail);

#endif /* QPD_CONNECTION_H */
