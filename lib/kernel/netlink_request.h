/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The dump requests that fcn_netlink.c sends to the kernel. Internal to lib/kernel.
 */

#ifndef NETLINK_REQUEST_H
#define NETLINK_REQUEST_H

#include "fcn_netlink.h"

/**
 * The dump requests in the order in which they are sent: objects come before those that refer to
 * them.
 */
enum fcn_netlink_request {
	ASK_LINKS,
	ASK_ADDRESSES,
	ASK_NEXTHOPS,
	ASK_ROUTES6,
	ASK_ROUTES4,
	ASK_NEIGHBOURS,
	ASK_DONE,
};

/**
 * Send a dump request.
 *
 * @param table table of which routes are requested
 * @param seq   sequence number, which is also in the answer
 * @return 0 or a negative errno
 */
int fcn_netlink_ask(const struct fcn_netlink_io *io, enum fcn_netlink_request question,
		uint32_t table, uint32_t seq);

#endif /* NETLINK_REQUEST_H */
