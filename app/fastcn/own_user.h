/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The option --user: the live switch opens its devices as root, and then becomes another user.
 */

#ifndef OWN_USER_H
#define OWN_USER_H

#include "fcn_control.h"
#include "fcn_session.h"
#include "fcn_user.h"

/**
 * Become a user. The control thread and the thread for slow work keep CAP_NET_ADMIN and
 * CAP_NET_RAW, by which interfaces of the kernel can be opened later, and what the configuration
 * needs beside them; all other threads keep nothing. What is kept, and what this user cannot do, is
 * logged.
 *
 * @param ctl   its platform's aside() has the thread for slow work
 * @param files directories of `save` and captures, for what is logged; a NULL is left out
 * @return 0, or -1 after a message on stderr
 */
int own_user_become(const struct fcn_user *user, struct fcn_control *ctl,
		const struct fcn_session_files *files);

#endif /* OWN_USER_H */
