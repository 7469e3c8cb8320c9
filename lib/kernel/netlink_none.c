/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Replacement for builds without libmnl: no socket can be opened. */

#include <errno.h>
#include <stddef.h>

#include <rte_common.h>

#include "netlink_socket.h"

bool
fcn_netlink_socket_is_built(void)
{
	return false;
}

struct fcn_netlink_socket *
fcn_netlink_socket_listen(void)
{
	errno = ENOTSUP;
	return NULL;
}

struct fcn_netlink_socket *
fcn_netlink_socket_request(void)
{
	errno = ENOTSUP;
	return NULL;
}

void
fcn_netlink_socket_close(struct fcn_netlink_socket *s)
{
	RTE_SET_USED(s);
}

int
fcn_netlink_socket_fd(const struct fcn_netlink_socket *s)
{
	RTE_SET_USED(s);
	return -1;
}

struct fcn_netlink_io
fcn_netlink_socket_io(struct fcn_netlink_socket *s)
{
	RTE_SET_USED(s);
	return (struct fcn_netlink_io){0};
}

int
fcn_netlink_set_link(struct fcn_netlink_socket *s, const struct fcn_netlink_link *link)
{
	RTE_SET_USED(s);
	RTE_SET_USED(link);
	return -ENOTSUP;
}

int
fcn_netlink_set_address(struct fcn_netlink_socket *s, uint32_t ifindex,
		const struct fcn_prefix *address, bool add)
{
	RTE_SET_USED(s);
	RTE_SET_USED(ifindex);
	RTE_SET_USED(address);
	RTE_SET_USED(add);
	return -ENOTSUP;
}
