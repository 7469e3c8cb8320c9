/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Sockets of rtnetlink(7), by libmnl: one for notifications, one for requests. They belong to the
 * network namespace of the thread that opens them, and only that thread may use them.
 */

#ifndef NETLINK_SOCKET_H
#define NETLINK_SOCKET_H

#include <stdbool.h>
#include <stdint.h>

#include <rte_ether.h>

#include "fcn_addr.h"
#include "fcn_netlink.h"

struct fcn_netlink_socket;

/** Whether this program was built with libmnl. Without it no socket can be opened. */
bool fcn_netlink_socket_is_built(void);

/**
 * Open a socket that receives notifications about routes, nexthop objects, neighbours, links and
 * addresses.
 *
 * @return NULL with errno on failure; ENOTSUP when built without libmnl
 */
struct fcn_netlink_socket *fcn_netlink_socket_listen(void);
/** Open a socket for requests. @return as fcn_netlink_socket_listen() */
struct fcn_netlink_socket *fcn_netlink_socket_request(void);
/** Close a socket. NULL is allowed. */
void fcn_netlink_socket_close(struct fcn_netlink_socket *s);
/** File descriptor, to be polled for input. */
int fcn_netlink_socket_fd(const struct fcn_netlink_socket *s);
/** Callbacks for fcn_netlink_create(). */
struct fcn_netlink_io fcn_netlink_socket_io(struct fcn_netlink_socket *s);

/** Settings of a kernel interface. */
struct fcn_netlink_link {
	uint32_t ifindex;
	struct rte_ether_addr mac;
	uint16_t mtu;
	bool set_master; /**< change the master; otherwise it stays as it is */
	uint32_t master; /**< interface index of the VRF; 0: none */
};

/* Requests, which wait for the answer of the kernel. They return 0 or a negative errno. */

/**
 * Configure an interface, keep the kernel from assigning addresses to it by itself, and set it up.
 */
int fcn_netlink_set_link(struct fcn_netlink_socket *s, const struct fcn_netlink_link *link);
/**
 * Add an address to an interface, or remove it. The kernel does not perform duplicate address
 * detection for it. It is no error if the address is there already, or already removed.
 */
int fcn_netlink_set_address(struct fcn_netlink_socket *s, uint32_t ifindex,
		const struct fcn_prefix *address, bool add);

#endif /* NETLINK_SOCKET_H */
