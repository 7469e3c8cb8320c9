/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Ports of the live switch: any DPDK ethdev, by the name EAL knows it by.
 * Control functions are for the one control thread; the port's operations for
 * the worker that owns it.
 */

#ifndef FCN_ETHDEV_H
#define FCN_ETHDEV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rte_ether.h>
#include <rte_mempool.h>

#include "fcn_port.h"

struct fcn_ethdev;

/** Operations for struct fcn_port; the private pointer is a struct fcn_ethdev. */
extern const struct fcn_port_ops fcn_ethdev_port_ops;

/** Receive queues of a port at most. */
#define FCN_ETHDEV_MAX_QUEUES 16

/** What a port wants of its device. */
struct fcn_ethdev_conf {
	/** Name, such as net_tap0 or 0000:03:00.0. One that EAL does not have yet is made, with
	 * the arguments behind the name: net_tap0,iface=tap0 */
	const char *device;
	struct rte_mempool *pool;         /**< where received packets come from */
	uint16_t mtu;                     /**< longest IP packet, bytes */
	uint16_t queues;                  /**< receive queues, 1 to FCN_ETHDEV_MAX_QUEUES */
	const struct rte_ether_addr *mac; /**< to give it, NULL to keep its own */
	uint64_t link_bps; /**< speed to assume where the device cannot tell, bits per second */
	/** The device says that its link may have changed, on a thread of its own; NULL: nobody
	 * listens. Not every device says so. */
	void (*link_changed)(void *arg);
	void *arg; /**< of link_changed() */
};

/**
 * Configure and start a device: receive queues over which it spreads flows of
 * IP, UDP and TCP where it can, one transmit queue in use, with a short ring;
 * promiscuous.
 *
 * @param err one line, on failure
 * @return NULL on failure
 */
struct fcn_ethdev *fcn_ethdev_open(const struct fcn_ethdev_conf *conf, char *err, size_t err_size);

/** Change what may change while it runs. @return 0, or a negative errno with a line in err. */
int fcn_ethdev_update(struct fcn_ethdev *dev, uint16_t mtu, const struct rte_ether_addr *mac,
		uint64_t link_bps, char *err, size_t err_size);

/**
 * Have the device do priority flow control: pause classes it is asked to, ask
 * for pauses of others when it has no more room itself. Only what differs from
 * before is asked of it.
 *
 * @param receive bit set: classes to pause when asked
 * @param send    bit set: classes to ask pauses for
 * @param quanta  pause time to ask for
 * @param err     one line, on failure
 * @return 0 or a negative errno
 */
int fcn_ethdev_pfc(struct fcn_ethdev *dev, uint8_t receive, uint8_t send, uint16_t quanta,
		char *err, size_t err_size);

/**
 * Have the device hear every frame, as it does when it is opened, or only those to its own MAC
 * address and to groups.
 *
 * @param err one line, on failure: a device that cannot hear all groups, or not leave it
 * @return 0 or a negative errno
 */
int fcn_ethdev_promiscuous(struct fcn_ethdev *dev, bool on, char *err, size_t err_size);

/** Stop the device. One that EAL had before stays and can be opened again; one that was made is
 * removed. */
void fcn_ethdev_close(struct fcn_ethdev *dev);

/** MAC address of the device. */
void fcn_ethdev_mac(const struct fcn_ethdev *dev, struct rte_ether_addr *mac);

/** NUMA node of the device, SOCKET_ID_ANY when unknown. */
int fcn_ethdev_socket(const struct fcn_ethdev *dev);

#endif /* FCN_ETHDEV_H */
