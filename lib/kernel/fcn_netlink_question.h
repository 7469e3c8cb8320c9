/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The questions that fcn_netlink.c asks the kernel. Internal to lib/kernel.
 */

#ifndef FCN_NETLINK_QUESTION_H
#define FCN_NETLINK_QUESTION_H

#include "fcn_netlink.h"

/** What is asked for, one after the other: names before those that use them. */
enum fcn_netlink_question {
	ASK_LINKS,
	ASK_NEXTHOPS,
	ASK_ROUTES6,
	ASK_ROUTES4,
	ASK_NEIGHBOURS,
	ASK_DONE,
};

/**
 * Ask for all there is of a kind.
 *
 * @param table whose routes
 * @param seq   the answer bears it
 * @return 0 or a negative errno
 */
int fcn_netlink_ask(const struct fcn_netlink_io *io, enum fcn_netlink_question question,
		uint32_t table, uint32_t seq);

#endif /* FCN_NETLINK_QUESTION_H */
