/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Remote consoles without a switch: what lines do is made up here, clients are
 * the other ends of socket pairs.
 */

#ifndef REMOTE_UTIL_H
#define REMOTE_UTIL_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fcn_remote.h"

/**
 * The lines: "big N" is answered by N times 'x', "fail TEXT" fails with TEXT,
 * "slow MS" takes so long, "quit" ends the session; any other is said back with
 * "\n" behind it.
 */
struct remote_world {
	struct fcn_remote *remote;
	unsigned int n_lines; /**< run so far */
	char lines[8][1100];  /**< the last of them, by number */
	size_t lengths[8];
};

/** @param limits as for fcn_remote_create(), without what runs lines; NULL: all by default */
void remote_begin(struct remote_world *world, const struct fcn_remote_conf *limits);
void remote_end(struct remote_world *world);

/** A client: its end of a socket pair, which does not block. */
int remote_client(struct remote_world *world);

/** Turns until there is nothing to do, 1000 at most. */
void remote_turns(struct remote_world *world);

/** Send, all of it. */
void remote_send(int fd, const char *text);

/** What has come by now, up to size - 1 bytes and with a '\0'. @return length; -1: the end. */
int remote_receive(int fd, char *buf, size_t size);

/** That this, and no more, has come. */
void remote_expect(int fd, const char *text);

/** That the session is closed, and nothing was left to read. */
void remote_expect_end(int fd);

void remote_sleep(unsigned int ms);

#endif /* REMOTE_UTIL_H */
