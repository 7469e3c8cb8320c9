/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The Linux kernel beside the switch: interfaces that stand for ports there,
 * and routes of one of its tables. Off unless configured, and unless the world
 * has a kernel at all. Owned by the control thread.
 */

#ifndef FCN_CONTROL_KERNEL_H
#define FCN_CONTROL_KERNEL_H

#include "fcn_control.h"
#include "fcn_netlink.h"
#include "fcn_netlink_socket.h"
#include "fcn_kernel_list.h"
#include "fcn_kernel_tap.h"

/** A port's interface, and what the kernel was told of it. */
struct fcn_kernel_interface {
	struct fcn_kernel_tap *tap; /**< NULL: none */
	bool told;                  /**< of what follows */
	struct fcn_netlink_link link;
	struct fcn_prefix *address;
	size_t n_addresses;
	uint64_t to_kernel_none; /**< frames dropped, as there was no interface to give them to */
};

struct fcn_control_kernel {
	struct fcn_kernel_interface interface[FCN_MAX_PORTS];
	struct fcn_kernel_tap
			*planned[FCN_MAX_PORTS]; /**< of the configuration about to come in force */
	struct fcn_netlink_socket *listen, *request;
	struct fcn_netlink *netlink;
	struct fcn_kernel_store *store;
	char netns[FCN_NAME_LEN]; /**< where they were opened, "": the program's own */
	int epoll;
	uint64_t netlink_due_ns; /**< though nothing is heard */
	uint64_t tend_due_ns;    /**< next look at interfaces and gateways */
	uint64_t version;        /**< of the store, as published */
	uint64_t build_due_ns;   /**< not before */
	uint64_t builds;
	uint64_t differences;         /**< that the log was told */
	uint64_t left_out;            /**< paths that routes have too many */
	struct fcn_kernel_list paths; /**< as published */
	struct fcn_kernel_neighbour *neighbours;
	char last_error[160];
};

/** @return 0, -1: no memory */
int fcn_control_kernel_create(struct fcn_control *ctl);
void fcn_control_kernel_free(struct fcn_control *ctl);

/**
 * Open what a configuration needs, before it comes in force.
 *
 * @param err one line, on failure; then nothing is left open
 * @return 0, -1
 */
int fcn_control_kernel_prepare(
		struct fcn_control *ctl, const struct fcn_config *cfg, char *err, size_t err_size);
/** It does not come in force. */
void fcn_control_kernel_abandon(struct fcn_control *ctl);
/** It is in force. */
void fcn_control_kernel_configure(struct fcn_control *ctl);

/** Give a frame to the interface of a port; for fcn_host_env. Without an interface, the frame is
 * counted as to_kernel_none. */
void fcn_control_kernel_deliver(void *arg, const struct rte_mbuf *m, uint16_t port);

void fcn_control_kernel_clear_counters(struct fcn_control *ctl);

#endif /* FCN_CONTROL_KERNEL_H */
