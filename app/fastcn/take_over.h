/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Taking over from a running switch (--take-over). This process prepares everything that it can,
 * then the other one, its predecessor, lets go, and this one forwards. If this process fails before
 * that, the other one goes on as if nothing had happened.
 *
 * The control thread makes all calls.
 */

#ifndef TAKE_OVER_H
#define TAKE_OVER_H

#include <stdbool.h>

struct fcn_take_over;
struct fcn_live;

/**
 * Connect to the switch that is to be taken over from.
 *
 * @param path path of its control socket
 * @return NULL: no switch listens there, so that there is nothing to take over, or it belongs to
 *  another user; there was a message on stderr
 */
struct fcn_take_over *fcn_take_over_create(const char *path);

/** End the connection. NULL is allowed. */
void fcn_take_over_free(struct fcn_take_over *t);

/**
 * Keep EAL from making devices that the other switch has, by removing them from its arguments. They
 * are made when the other switch has let go.
 */
void fcn_take_over_arguments(struct fcn_take_over *t, int *argc, char **argv);

/** Have the other switch let go, unless it has. @return whether it has, or has ended by itself */
bool fcn_take_over_release(struct fcn_take_over *t);

/**
 * Have the other switch let go, unless it has, and begin with what it has learned. This switch has
 * its configuration, and is to forward at once.
 *
 * @return false, after a message on stderr: the other switch did not let go
 */
bool fcn_take_over_finish(struct fcn_take_over *t, struct fcn_live *live);

#endif /* TAKE_OVER_H */
