/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Ports of the live switch: any DPDK ethdev, by its EAL name. The functions below are called by the
 * control thread only; the operations of the port are called by the worker that owns it.
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

/** Maximum number of receive queues of a port. */
#define FCN_ETHDEV_MAX_QUEUES 16

/** Configuration of a port. */
struct fcn_ethdev_conf {
	/**
	 * Name of the device, such as net_tap0 or 0000:03:00.0. A device that EAL does not have yet
	 * is attached, with the arguments that follow the name: net_tap0,iface=tap0
	 */
	const char *device;
	struct rte_mempool *pool; /**< pool for received packets */
	uint16_t mtu;             /**< longest IP packet, bytes */
	uint16_t queues;          /**< receive queues, 1 to FCN_ETHDEV_MAX_QUEUES */
	/** Descriptors of each receive queue, and of the transmit queue; 0: a default. A device
	 * that has not so many, or so few, takes the nearest number. */
	uint16_t rx_descriptors, tx_descriptors;
	const struct rte_ether_addr *mac; /**< MAC address to set; NULL keeps that of the device */
	/**
	 * Callback for a possible change of the link, called by a thread of DPDK; may be NULL. Not
	 * every device supports it.
	 */
	void (*link_changed)(void *arg);
	void *arg; /**< argument of link_changed() */
};

/**
 * Remove the file of the socket that the driver of a device listens on, if no process serves it:
 * one that was killed leaves it behind. Devices without such a socket are left alone.
 */
void fcn_ethdev_remove_stale(const char *device);

/** Do the same for each device that is to be given to EAL by --vdev. To be called before EAL
 * starts.
 * @param argv arguments of the program */
void fcn_ethdev_remove_stale_of(int argc, char *const *argv);

/**
 * Detach from EAL the devices that rte_eal_cleanup() of DPDK 22.11 cannot: net_failsafe takes the
 * devices below it away while EAL goes through the list of them. To be called right before it, when
 * all ports are closed.
 */
void fcn_ethdev_cleanup(void);

/** Whether two processes can have a device. */
enum fcn_ethdev_sharing {
	FCN_ETHDEV_SHARED, /**< each of them receives all packets, as by net_af_packet */
	FCN_ETHDEV_ALONE,  /**< only one process can have it at a time */
	FCN_ETHDEV_BUS,    /**< it is one of a bus, as PCI, and EAL of one process claims it */
};

/** Tell it of a device by its name, which arguments may follow. */
enum fcn_ethdev_sharing fcn_ethdev_sharing(const char *device);

/** Detach from EAL the devices that only one process can have. Their ports are closed. */
void fcn_ethdev_detach_alone(void);

/**
 * Receive and free the packets that wait in a device, and set its counters to 0. No worker receives
 * from it meanwhile.
 *
 * @return how many there were
 */
uint64_t fcn_ethdev_discard(struct fcn_ethdev *dev);

/**
 * Configure and start a device in promiscuous mode. It distributes IP, UDP and TCP flows over its
 * receive queues, if it can. One transmit queue with a short ring is used.
 *
 * @param err written on failure: one line of text
 * @return NULL on failure, with errno set: ENODEV: the device is not there, or in use; EINVAL: it
 *  cannot be what the configuration wants
 */
struct fcn_ethdev *fcn_ethdev_open(const struct fcn_ethdev_conf *conf, char *err, size_t err_size);

/**
 * Change the settings that may change while the device runs.
 *
 * @param mtu      longest IP packet, bytes
 * @param mac      MAC address to set; NULL keeps the current one
 * @param err      written on failure: one line of text
 * @return 0 or a negative errno
 */
int fcn_ethdev_update(struct fcn_ethdev *dev, uint16_t mtu, const struct rte_ether_addr *mac,
		char *err, size_t err_size);

/**
 * Configure priority flow control in the device: it pauses classes when it receives PFC frames, and
 * sends PFC frames when its own receive buffer runs full. The device is only called for settings
 * that have changed.
 *
 * @param receive bit set of the classes that received PFC frames pause
 * @param send    bit set of the classes for which PFC frames are sent
 * @param quanta  pause time in the PFC frames that it sends, in units of 512 bit times (IEEE 802.3
 *                annex 31B)
 * @param err     written on failure: one line of text
 * @return 0 or a negative errno
 */
int fcn_ethdev_pfc(struct fcn_ethdev *dev, uint8_t receive, uint8_t send, uint16_t quanta,
		char *err, size_t err_size);

/**
 * Switch promiscuous mode on, as it is after opening, or off. When it is off, the device receives
 * frames to its own MAC address and to all groups.
 *
 * @param err written on failure, when a device cannot receive all groups, or cannot leave
 *            promiscuous mode: one line of text
 * @return 0 or a negative errno
 */
int fcn_ethdev_promiscuous(struct fcn_ethdev *dev, bool on, char *err, size_t err_size);

/**
 * Stop the device. A device that EAL had before stays attached and can be opened again; one that
 * was attached on opening is detached.
 */
void fcn_ethdev_close(struct fcn_ethdev *dev);

/** Read the MAC address of the device; all zeros when it cannot be read. */
void fcn_ethdev_mac(const struct fcn_ethdev *dev, struct rte_ether_addr *mac);

/** Get the NUMA node of the device; SOCKET_ID_ANY when unknown. */
int fcn_ethdev_socket(const struct fcn_ethdev *dev);

#endif /* FCN_ETHDEV_H */
