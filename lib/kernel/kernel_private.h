/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Structures and functions shared by the source files of fcn_kernel.h: kernel_interface.c
 * handles the interfaces of ports, fcn_kernel.c everything else. Internal to lib/kernel.
 */

#ifndef KERNEL_PRIVATE_H
#define KERNEL_PRIVATE_H

#include "fcn_kernel.h"
#include "fcn_port_set.h"
#include "netlink_socket.h"
#include "netns.h"

/** The interface of a port, and its settings in the kernel. */
struct fcn_kernel_interface {
	struct fcn_kernel_tap *tap;   /**< NULL: there is no interface */
	bool link_sent;               /**< link is valid */
	struct fcn_netlink_link link; /**< settings of the interface that were sent to the kernel */
	struct fcn_prefix *address;   /**< addresses that were added in the kernel */
	size_t n_addresses;
	char why[128]; /**< one line: why it is not there; "": not known */
	struct fcn_kernel_interface_counts counts;
};

struct fcn_kernel {
	struct fcn_kernel_env env;
	struct fcn_kernel_conf conf; /**< the current configuration */
	struct fcn_kernel_interface interface[FCN_MAX_PORTS];
	/** Interfaces of the prepared configuration; NULL: none. */
	struct fcn_kernel_tap *planned[FCN_MAX_PORTS];
	/** Ports whose interface is missing and stays the same in the prepared configuration. */
	struct fcn_port_set missing;
	struct fcn_netlink_socket *listen, *request;
	struct fcn_netlink *netlink; /**< NULL: the kernel is not used */
	struct fcn_kernel_store *store;
	char netns[FCN_KERNEL_NETNS_LEN]; /**< namespace of the sockets */
	struct fcn_netns_id netns_id;     /**< the same, unless its name is "" */
	bool netns_gone;                  /**< no namespace has this name now */
	int epoll;                        /**< -1: not opened yet */
	uint64_t netlink_due_ns;          /**< time of the next netlink poll, even without input */
	uint64_t tend_due_ns;             /**< time of the next check of interfaces */
	/** Number of differences from the kernel's table that have been logged. */
	uint64_t differences;
	char last_error[160];
};

/**
 * Let fcn_kernel_poll() process a descriptor when there is input.
 *
 * @param what number of a port, or FCN_KERNEL_NETLINK_EVENT
 * @return 0; -1 with errno
 */
int fcn_kernel_watch(struct fcn_kernel *k, int fd, uint32_t what);
#define FCN_KERNEL_NETLINK_EVENT UINT32_MAX

/** Whether a port has an interface in a configuration. */
bool fcn_kernel_interface_is_wanted(const struct fcn_kernel_conf *conf, unsigned int port);
/** Name of the VRF that the interface of a port belongs to; "": the configuration names none. */
const char *fcn_kernel_interface_vrf(const struct fcn_kernel *k, unsigned int port);
/** Index of the interface with this name in the namespace; 0: there is none. */
unsigned int fcn_kernel_interface_index(const struct fcn_kernel *k, const char *name);

/**
 * Open the interfaces of a configuration. Parameters and result are those of fcn_kernel_prepare().
 */
int fcn_kernel_interface_plan(struct fcn_kernel *k, const struct fcn_kernel_conf *conf, char *err,
		size_t err_size);
/**
 * Use the planned interfaces: some are removed, some are new, and some belong to another port now.
 */
void fcn_kernel_interface_take_planned(struct fcn_kernel *k);
/** Send the changed settings of an interface to the kernel, or all settings of a new one. */
void fcn_kernel_interface_sync(struct fcn_kernel *k, unsigned int port);
/** Create an interface again that somebody else removed. */
void fcn_kernel_interface_mend(struct fcn_kernel *k, unsigned int port);
/** Close the interface of a port. It is created again by fcn_kernel_interface_mend(). */
void fcn_kernel_interface_close(struct fcn_kernel *k, unsigned int port);
/** Close the interface of a port at the end, without env.aside(). */
void fcn_kernel_interface_free(struct fcn_kernel *k, unsigned int port);
/** Set the carrier of an interface, if it has changed. */
void fcn_kernel_interface_set_carrier(struct fcn_kernel *k, unsigned int port);
/** Pass on frames that the kernel sends on an interface. */
void fcn_kernel_interface_take_frames(struct fcn_kernel *k, unsigned int port);

#endif /* KERNEL_PRIVATE_H */
