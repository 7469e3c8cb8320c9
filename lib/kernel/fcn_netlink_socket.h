/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Sockets of rtnetlink(7), by libmnl: one that listens, one for requests. In the
 * network namespace of the thread that opens them, and for that thread.
 */

#ifndef FCN_NETLINK_SOCKET_H
#define FCN_NETLINK_SOCKET_H

#include <stdbool.h>
#include <stdint.h>

#include <rte_ether.h>

#include "fcn_addr.h"
#include "fcn_netlink.h"

struct fcn_netlink_socket;

/** Whether this program was built with libmnl; without, nothing can be opened. */
bool fcn_netlink_socket_is_built(void);

/**
 * A socket that hears of routes, nexthop objects, neighbours, links and addresses.
 *
 * @return NULL, with errno, on failure; ENOTSUP: built without libmnl
 */
struct fcn_netlink_socket *fcn_netlink_socket_listen(void);
/** A socket for requests. @return as fcn_netlink_socket_listen() */
struct fcn_netlink_socket *fcn_netlink_socket_request(void);
/** NULL is allowed. */
void fcn_netlink_socket_close(struct fcn_netlink_socket *s);
/** To be polled for input. */
int fcn_netlink_socket_fd(const struct fcn_netlink_socket *s);
/** For fcn_netlink_create(). */
struct fcn_netlink_io fcn_netlink_socket_io(struct fcn_netlink_socket *s);

/** What an interface of the kernel is given. */
struct fcn_netlink_link {
	uint32_t ifindex;
	struct rte_ether_addr mac;
	uint16_t mtu;
	bool set_master; /**< or leave it where it is */
	uint32_t master; /**< VRF it belongs to; 0: none */
};

/* Requests, answered at once. @return 0 or a negative errno */

/** Set up a link, without addresses that the kernel makes for itself; and put it up. */
int fcn_netlink_set_link(struct fcn_netlink_socket *s, const struct fcn_netlink_link *link);
/**
 * Give an interface an address, or take it; the kernel does not check whether others have it.
 * One that is there already, or gone, is no error.
 */
int fcn_netlink_set_address(struct fcn_netlink_socket *s, uint32_t ifindex,
		const struct fcn_prefix *address, bool add);

#endif /* FCN_NETLINK_SOCKET_H */
