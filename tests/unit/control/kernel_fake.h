/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * A fake kernel that records calls. Linked with a test, it replaces the TAP interfaces and netlink
 * sockets of lib/kernel, network namespaces and if_nametoindex(3). It needs no privileges, and
 * returns errors where a test requests them.
 */

#ifndef KERNEL_FAKE_H
#define KERNEL_FAKE_H

#include <net/if.h>

#include "fcn_kernel_tap.h"
#include "netlink_socket.h"
#include "fcn_test.h"

/** Index of the first interface that is opened. Each further one gets the next index. */
#define KERNEL_FIRST_IFINDEX 7
#define KERNEL_INTERFACES 16
#define KERNEL_ADDRESSES 8

/** An interface that was opened, and the requests about it. */
struct kernel_interface {
	char name[IFNAMSIZ];
	uint32_t ifindex;
	struct fcn_kernel_tap *tap; /**< NULL: closed */
	bool removed;               /**< removed by somebody other than the switch */
	bool in_netns; /**< opened in the configured namespace, not in that of the program */
	struct fcn_netlink_link link;
	struct fcn_prefix address[KERNEL_ADDRESSES];
	unsigned int n_addresses;
	unsigned int to_send;  /**< frames that the kernel has for the switch */
	uint8_t received[128]; /**< first bytes of the last frame that the switch wrote */
};

struct kernel {
	struct kernel_interface interface[KERNEL_INTERFACES];
	unsigned int n_interfaces;       /**< interfaces that were ever opened */
	unsigned int n_closed;           /**< interfaces that were closed */
	unsigned int n_links;            /**< requests that set up a link */
	unsigned int n_added, n_removed; /**< requests about addresses */
	unsigned int n_sockets;          /**< sockets that are open */
	unsigned int n_dumps;            /**< requests for dumps */
	bool sockets_in_netns;           /**< the sockets were opened in the configured namespace */
	bool away;                       /**< the thread is in the namespace */
	bool has_netns;                  /**< there is a namespace, whatever its name */
	bool other_netns;                /**< it is another one than before */
	int enter_error;                 /**< errno of entering it; 0: it works */
	int socket_error;                /**< errno of opening a socket; 0: it works */
	int link_error, address_error;   /**< negative errno that is the answer to requests */
	bool without_mnl;                /**< built without libmnl */
	const char *refused;             /**< name of an interface that cannot be created */
	const char *other;               /**< name of another device, or NULL */
	uint32_t other_ifindex;          /**< its index */
};

extern struct kernel kernel;

/** Reset the fake kernel to its initial state. */
void kernel_reset(void);

/** Get the open interface with this name. */
struct kernel_interface *kernel_find(const char *name);
bool kernel_has_address(const struct kernel_interface *i, const char *prefix);
/** Remove an interface, as by somebody other than the switch. */
void kernel_remove(const char *name);
/** Let the kernel have n frames to send on an interface. */
void kernel_send(const char *name, unsigned int n);

/* ---- netlink messages of the kernel, one at a time ---- */

/** Make the message about a route to a prefix. @param via NULL: connected. @param type RTN_* */
void kernel_route(uint16_t message, const char *prefix, const char *via, uint32_t ifindex,
		uint8_t type, uint8_t protocol);
/**
 * Make the message about a route to an IPv6 prefix by a segment list.
 *
 * @param segments addresses with commas in between, as `ip route` takes them
 * @param reduced `mode encap.red`, otherwise `mode encap`
 */
void kernel_segments(uint16_t message, const char *prefix, const char *segments, bool reduced);
/**
 * Make the message about a route to an IPv6 prefix that makes it a local SID.
 *
 * @param action  SEG6_LOCAL_ACTION_*
 * @param table   number of a table; 0: none
 * @param via     IPv6 address of a station, or NULL
 * @param flavors set of 1 << SEG6_LOCAL_FLV_OP_*
 */
void kernel_sid(uint16_t message, const char *prefix, uint32_t action, uint32_t table,
		const char *via, uint32_t flavors);
/** Append an attribute to the message. */
void kernel_attribute(uint16_t type, const void *data, uint16_t len);
/** Make the message about a neighbour that somebody configured. */
void kernel_neighbour(uint16_t message, const char *addr, const uint8_t mac[6], uint32_t ifindex);
/** Make the message about a VRF. */
void kernel_vrf(uint16_t message, const char *name, uint32_t ifindex, uint32_t table);
/** Send the message as a notification. */
void kernel_notify(void);
/** Include the message in answers from now on. */
void kernel_add_to_dumps(void);
/** Answers are empty from now on. */
void kernel_forget(void);

#endif /* KERNEL_FAKE_H */
