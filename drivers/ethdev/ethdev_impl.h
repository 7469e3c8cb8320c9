/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Inside a port of the live switch.
 */

#ifndef ETHDEV_IMPL_H
#define ETHDEV_IMPL_H

#include <stdbool.h>

#include <linux/if_packet.h>

#include <rte_ethdev.h>

#include "fcn_ethdev.h"

#define ETHDEV_NAME_LEN 64
#define ETHDEV_ARGUMENTS_LEN 512

/* net_af_packet: the rings it shares with the kernel, when its arguments do not say otherwise. */
#define ETHDEV_PAGE 4096u
#define ETHDEV_AF_PACKET_FRAME 2048u
#define ETHDEV_AF_PACKET_FRAMES 512u
/** Of a frame in the ring, what comes before its packet; linux/if_packet.h. */
#define ETHDEV_AF_PACKET_HEADER ((uint32_t)(TPACKET2_HDRLEN - sizeof(struct sockaddr_ll)))

/** How the device tells its transmit backlog; found out once. */
enum ethdev_backlog {
	ETHDEV_BACKLOG_NONE,
	ETHDEV_BACKLOG_COUNT, /**< it counts */
	ETHDEV_BACKLOG_PROBE, /**< it can be asked about single descriptors */
};

/** What rx_burst() is called with: receive queues to ask in turn. */
struct ethdev_rx {
	uint16_t port_id;
	uint16_t first, n; /**< queues */
	uint16_t turn;     /**< the one to be asked first, counted from first */
};

/** What is known of a driver that it does not say itself; bits of fcn_ethdev.traits. */
enum ethdev_trait {
	ETHDEV_KERNEL_LINK = 1 << 0,   /**< the kernel's interface tells the link */
	ETHDEV_MOVES = 1 << 1,         /**< works on when that goes to another namespace */
	ETHDEV_NO_LINK = 1 << 2,       /**< the link it tells of is made up */
	ETHDEV_NO_SPEED = 1 << 3,      /**< the speed it tells of is made up */
	ETHDEV_NO_BYTES = 1 << 4,      /**< counts no bytes */
	ETHDEV_PAIRED = 1 << 5,        /**< wants as many transmit queues as receive queues */
	ETHDEV_MTU_BLOCKS = 1 << 6,    /**< a frame above the MTU stops it for ever */
	ETHDEV_KERNEL_MTU = 1 << 7,    /**< so does, or is lost, one above the interface's MTU */
	ETHDEV_FRAME_SIZE = 1 << 8,    /**< loses frames above its argument framesz */
	ETHDEV_CHAINS = 1 << 9,        /**< takes frames of several buffers without saying so */
	ETHDEV_ONCE = 1 << 10,         /**< once closed, its interface stays taken until the end */
	ETHDEV_SPREADS = 1 << 11,      /**< spreads flows over queues without RSS */
	ETHDEV_LINK_POLL = 1 << 12,    /**< tells its link when asked; its interrupt gets lost */
	ETHDEV_ENDS = 1 << 13,         /**< has another end, which chooses the receive queue */
	ETHDEV_DEFRAG = 1 << 14,       /**< the kernel reassembles IPv4 fragments for it */
	ETHDEV_SERVER_FIRST = 1 << 16, /**< as a client, is refused where no server listens */
	ETHDEV_HIDES = 1 << 15,        /**< what it sends is not seen by tcpdump, by default */
	/** Says of descriptors that have been sent that they wait: only some are marked as sent. */
	ETHDEV_NO_BACKLOG = 1 << 17,
	ETHDEV_PASSES_ON =
			1 << 18, /**< its other end has the very buffers, and may write to them */
	/** Stops and starts itself to change its MTU, while workers use its rings: not to be asked.
	 */
	ETHDEV_MTU_RESTARTS = 1 << 18,
};

struct fcn_ethdev {
	struct ethdev_rx all;                          /**< first: the port as a handle */
	struct ethdev_rx queue[FCN_ETHDEV_MAX_QUEUES]; /**< handles of single queues */
	uint16_t port_id;
	uint16_t n_rx;       /**< receive queues */
	uint16_t n_tx;       /**< descriptors of the transmit ring */
	uint64_t link_bps;   /**< assumed where the device cannot tell */
	uint32_t traits;     /**< enum ethdev_trait */
	int if_index;        /**< the kernel's interface, 0: none */
	int socket;          /**< to ask the kernel about it, -1: none */
	uint16_t mtu;        /**< of the port */
	uint32_t frame_size; /**< longest frame that the driver's own buffers hold */
	uint32_t max_frame;  /**< longest frame it may be given; control writes, a worker reads */
	void (*link_changed)(void *arg);
	void *link_arg;
	char limits[256];
	bool filters;      /**< was told to hear only what is for it */
	bool takes_clones; /**< may be given packets that share bytes with others */
	bool scatters;     /**< was set up for frames longer than a buffer */
	enum ethdev_backlog backlog;
	uint8_t pfc_receive, pfc_send; /**< bit set: classes the device was asked to do */
	uint16_t pfc_quanta;
	struct rte_mempool *pool;
	bool probed; /**< EAL was told of it when the port was opened, and is to forget it */
	char name[ETHDEV_NAME_LEN];
};

/**
 * Find a device by its name, or have EAL make one.
 *
 * @param device name, or name and arguments as for EAL's --vdev and -a
 * @param name   the name alone
 * @param probed EAL did not have it before
 * @param err    one line, on failure
 * @return 0 or a negative errno
 */
int ethdev_probe(const char *device, char name[ETHDEV_NAME_LEN], uint16_t *port_id, bool *probed,
		char *err, size_t err_size);

/**
 * Refuse what the device's driver would not refuse by itself, or not well: it would crash, keep
 * control waiting, or lose packets.
 *
 * @param device as for ethdev_probe()
 * @param queues receive queues that the port wants
 * @param err    one line, when it is refused
 * @return 0 or a negative errno
 */
int ethdev_refuse(const char *device, const struct rte_mempool *pool, uint16_t queues, char *err,
		size_t err_size);

/** The device's arguments, from their first comma on: those EAL was given, if it has the device. */
void ethdev_arguments(const char *device, char *arguments, size_t size);

/** A number among arguments, as of ethdev_arguments(). */
uint64_t ethdev_argument(const char *arguments, const char *key, uint64_t otherwise);

/** Have EAL forget a device that has stopped. */
void ethdev_remove(uint16_t port_id);

/** Set up the device with its name, pool and n_rx given, and start it. @return 0 or a negative
 * errno with a line in err */
int ethdev_start(struct fcn_ethdev *dev, uint16_t mtu, const struct rte_ether_addr *mac, char *err,
		size_t size);

/** Be told by the device that its link changed, or no more. */
void ethdev_listen(struct fcn_ethdev *dev, bool on);

/** Whether frames of this MTU do not fit into one buffer. */
bool ethdev_needs_scatter(struct rte_mempool *pool, uint16_t mtu);

/** @return 0, also for a device that has none or cannot set it; -EBUSY: not while it runs */
int ethdev_set_mtu(struct fcn_ethdev *dev, uint16_t mtu);

/** Say why it does not take an MTU. */
void ethdev_mtu_error(const struct fcn_ethdev *dev, const struct rte_eth_dev_info *info,
		uint16_t mtu, int rc, char *err, size_t err_size);

/** What is known of the device's driver, and of its arguments. */
void ethdev_traits(struct fcn_ethdev *dev, const char *device);

/** Note in a list of limits that the device has one. */
void ethdev_limit(struct fcn_ethdev *dev, const char *limit);

/**
 * Give packet sockets send buffers for a full ring. With less the kernel stops in the middle of the
 * ring, and the rest waits until something else is sent.
 *
 * @param if_index interface of the sockets: all that this process has on it
 * @param frames   of a ring
 */
void ethdev_send_buffers(int if_index, uint32_t frames);

/** Find the kernel's interface behind the device, if one is. */
void ethdev_kernel_open(struct fcn_ethdev *dev, int if_index);
void ethdev_kernel_close(struct fcn_ethdev *dev);
/** @return 1: it is up and has a carrier, 0: not, -1: cannot be told */
int ethdev_kernel_link(const struct fcn_ethdev *dev);
/** @return MTU of the interface, -1: cannot be told */
int ethdev_kernel_mtu(const struct fcn_ethdev *dev);

/** Find out anew how long a frame the device may be given. */
void ethdev_update_max_frame(struct fcn_ethdev *dev);

/** struct fcn_port_ops.link_up, .link_bps, .tx_max_frame */
bool ethdev_link_up(void *port);
uint64_t ethdev_link_bps(void *port);
uint32_t ethdev_tx_max_frame(void *port);

/** The device has started: find out how it tells its backlog. */
void ethdev_backlog_choose(struct fcn_ethdev *dev);

/** struct fcn_port_ops.tx_backlog */
int ethdev_backlog(void *port);

#endif /* ETHDEV_IMPL_H */
