/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * What the files of fcn_kernel.h share: interfaces that stand for ports are in
 * fcn_kernel_interface.c, all else is in fcn_kernel.c. Internal to lib/kernel.
 */

#ifndef FCN_KERNEL_PRIVATE_H
#define FCN_KERNEL_PRIVATE_H

#include "fcn_kernel.h"
#include "fcn_netlink_socket.h"

/** A port's interface, and what the kernel was told of it. */
struct fcn_kernel_interface {
	struct fcn_kernel_tap *tap;   /**< NULL: there is no interface */
	bool told;                    /**< link holds what the kernel was told */
	struct fcn_netlink_link link; /**< what it was told of the interface itself */
	struct fcn_prefix *address;   /**< addresses that it was told */
	size_t n_addresses;
	uint64_t to_kernel_none;
};

struct fcn_kernel {
	struct fcn_kernel_env env;
	struct fcn_kernel_conf conf; /**< in force */
	struct fcn_kernel_interface interface[FCN_MAX_PORTS];
	/** Interfaces of the configuration that is about to come in force; NULL: none. */
	struct fcn_kernel_tap *planned[FCN_MAX_PORTS];
	struct fcn_netlink_socket *listen, *request;
	struct fcn_netlink *netlink; /**< NULL: nothing is wanted of the kernel */
	struct fcn_kernel_store *store;
	char netns[FCN_KERNEL_NETNS_LEN]; /**< where the sockets were opened */
	int epoll;                        /**< -1: not opened yet */
	uint64_t netlink_due_ns;          /**< next look at netlink, though nothing is heard */
	uint64_t tend_due_ns;             /**< next look at interfaces */
	uint64_t differences;             /**< from the kernel's table, that the log was told of */
	char last_error[160];
};

/**
 * Have fcn_kernel_poll() look at a descriptor when there is input.
 *
 * @param what a port's number, or FCN_KERNEL_NETLINK_EVENT
 * @return 0; -1 with errno
 */
int fcn_kernel_watch(struct fcn_kernel *k, int fd, uint32_t what);
#define FCN_KERNEL_NETLINK_EVENT UINT32_MAX

/** Whether a port is to have an interface. */
bool fcn_kernel_interface_is_wanted(const struct fcn_kernel_conf *conf, unsigned int port);
/** The index of the interface of this name in the namespace; 0: there is none. */
unsigned int fcn_kernel_interface_index(const struct fcn_kernel *k, const char *name);

/** Open the interfaces that a configuration wants; else as fcn_kernel_prepare(). */
int fcn_kernel_interface_plan(struct fcn_kernel *k, const struct fcn_kernel_conf *conf, char *err,
		size_t err_size);
/** Put planned interfaces in force: some go, some come, some now stand for another port. */
void fcn_kernel_interface_take_planned(struct fcn_kernel *k);
/** Tell the kernel what changed of an interface, and everything of a new one. */
void fcn_kernel_interface_tell(struct fcn_kernel *k, unsigned int port);
/** Make an interface again that somebody removed. */
void fcn_kernel_interface_mend(struct fcn_kernel *k, unsigned int port);
/** Close a port's interface at the end of all, without env.aside(). */
void fcn_kernel_interface_free(struct fcn_kernel *k, unsigned int port);
/** Tell the kernel whether the interface has a carrier, if that changed. */
void fcn_kernel_interface_set_carrier(struct fcn_kernel *k, unsigned int port);
/** Hand on frames that the kernel sends by an interface. */
void fcn_kernel_interface_take_frames(struct fcn_kernel *k, unsigned int port);

#endif /* FCN_KERNEL_PRIVATE_H */
