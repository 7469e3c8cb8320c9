/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The user that a process runs as, and its capabilities. A process that root has started opens what
 * needs root, and then becomes another user:
 *
 *     fcn_user_keep();              in each thread that is to keep capabilities
 *     fcn_user_become(&user, ...);  all threads
 *     fcn_user_limit(FCN_USER_CAP(CAP_NET_RAW), false);  in each of those threads
 *
 * Other threads have no capabilities from then on.
 *
 * Any thread may call these functions; capabilities are those of the calling thread.
 */

#ifndef FCN_USER_H
#define FCN_USER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <linux/capability.h>

/** The bit of a capability, CAP_*. */
#define FCN_USER_CAP(capability) (UINT64_C(1) << (capability))

/** A user with a primary group. */
struct fcn_user {
	char name[33];
	uid_t uid;
	gid_t gid;
};

/**
 * Find a user.
 *
 * @param text "NAME" or "NAME:GROUP"; a number will do for each
 * @param err  one line, on failure
 * @return 0; -ENOENT
 */
int fcn_user_find(const char *text, struct fcn_user *user, char *err, size_t err_size);

/** Have the calling thread keep its capabilities when the process becomes another user. @return 0
 * or a negative errno */
int fcn_user_keep(void);

/**
 * Become a user, with the groups that the user has, in all threads. There is no way back. This does
 * nothing if the process runs as this user already.
 *
 * @param err one line, on failure
 * @return 0 or a negative errno
 */
int fcn_user_become(const struct fcn_user *user, char *err, size_t err_size);

/**
 * Give up all capabilities of the calling thread but some, for good.
 *
 * @param keep bits of FCN_USER_CAP(); what the thread does not have it does not get
 * @param pass whether programs that the thread starts have them, too, such as another process that
 *             is to take over
 * @return 0 or a negative errno
 */
int fcn_user_limit(uint64_t keep, bool pass);

/** Get the capabilities that the calling thread may use, as bits of FCN_USER_CAP(). */
uint64_t fcn_user_capabilities(void);

#endif /* FCN_USER_H */
