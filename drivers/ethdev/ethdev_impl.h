/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Structures and functions shared by the source files of drivers/ethdev.
 */

#ifndef ETHDEV_IMPL_H
#define ETHDEV_IMPL_H

#include <stdbool.h>

#include <linux/if_packet.h>

#include <rte_ethdev.h>

#include "fcn_ethdev.h"

#define ETHDEV_NAME_LEN 64
#define ETHDEV_ARGUMENTS_LEN 512

/* net_af_packet: default sizes of the rings that it shares with the kernel. */
#define ETHDEV_PAGE 4096u
#define ETHDEV_AF_PACKET_FRAME 2048u
#define ETHDEV_AF_PACKET_FRAMES 512u
/** Bytes in front of the packet in a frame of the ring; see linux/if_packet.h. */
#define ETHDEV_AF_PACKET_HEADER ((uint32_t)(TPACKET2_HDRLEN - sizeof(struct sockaddr_ll)))

/** net_memif: default size of its buffers. */
#define ETHDEV_MEMIF_BUFFER 2048u

/** How to read the transmit backlog of the device; determined once. */
enum ethdev_backlog {
	ETHDEV_BACKLOG_NONE,
	ETHDEV_BACKLOG_COUNT, /**< the device counts it */
	ETHDEV_BACKLOG_PROBE, /**< the device reports the status of single descriptors */
};

/** Argument of rx_burst(): the receive queues to poll, one after the other. */
struct ethdev_rx {
	uint16_t port_id;
	uint16_t first, n; /**< queues */
	uint16_t turn;     /**< the queue to poll first, relative to `first` */
};

/** Properties of a driver that it does not report itself; bits of fcn_ethdev.traits. */
enum ethdev_trait {
	ETHDEV_KERNEL_LINK = 1 << 0, /**< the link status is read from the kernel interface */
	/** The device keeps working when that interface moves to another network namespace. */
	ETHDEV_MOVES = 1 << 1,
	ETHDEV_NO_LINK = 1 << 2,  /**< the link status that it reports is not real */
	ETHDEV_NO_SPEED = 1 << 3, /**< the speed that it reports is not real */
	ETHDEV_NO_BYTES = 1 << 4, /**< the device has no byte counters */
	ETHDEV_PAIRED = 1 << 5,   /**< the device needs as many transmit queues as receive queues */
	ETHDEV_MTU_BLOCKS = 1 << 6, /**< a frame above the MTU blocks transmission for good */
	/** A frame above the MTU of the interface is lost or blocks transmission. */
	ETHDEV_KERNEL_MTU = 1 << 7,
	ETHDEV_FRAME_SIZE = 1 << 8, /**< the device loses frames longer than its argument framesz */
	ETHDEV_CHAINS = 1 << 9,     /**< the device accepts chained mbufs without reporting it */
	/** After a close, its interface stays in use until the process ends. */
	ETHDEV_ONCE = 1 << 10,
	ETHDEV_SPREADS = 1 << 11, /**< the device distributes flows over queues without RSS */
	/** The link status has to be polled, because its interrupt gets lost. */
	ETHDEV_LINK_POLL = 1 << 12,
	ETHDEV_ENDS = 1
		      << 13, /**< the device has a peer process, which chooses the receive queue */
	/** The kernel reassembles IPv4 fragments before it receives them. */
	ETHDEV_DEFRAG = 1 << 14,
	/** As a client, it can only be opened while a server is listening. */
	ETHDEV_SERVER_FIRST = 1 << 16,
	ETHDEV_HIDES = 1 << 15, /**< by default, tcpdump does not see the frames that it sends */
	/**
	 * The device reports descriptors as waiting that have been sent, because only some are
	 * marked as done.
	 */
	ETHDEV_NO_BACKLOG = 1 << 17,
	ETHDEV_PASSES_ON = 1 << 18, /**< its peer gets the same buffers, and may write to them */
	/**
	 * The device stops and restarts to change its MTU, which must not happen while workers use
	 * its rings, so its MTU is not changed.
	 */
	ETHDEV_MTU_RESTARTS = 1 << 19,
	/**
	 * Frames longer than its argument bsize take several of its descriptors, one of which stays
	 * marked as continued: when the ring comes round, two later frames arrive as one.
	 */
	ETHDEV_BUFFER_SIZE = 1 << 20,
	ETHDEV_UNPADDED = 1 << 21, /**< the device sends short frames as they are */
};

struct fcn_ethdev {
	struct ethdev_rx all; /**< handle of the whole port; has to be the first member */
	struct ethdev_rx queue[FCN_ETHDEV_MAX_QUEUES]; /**< handles of single queues */
	uint16_t port_id;
	uint16_t n_rx;       /**< receive queues */
	uint16_t rx_desc;    /**< number of descriptors of a receive ring to ask for; 0: default */
	uint16_t n_tx;       /**< number of descriptors of the transmit ring; 0: default */
	uint32_t traits;     /**< enum ethdev_trait */
	int if_index;        /**< index of the kernel interface; 0: none */
	int socket;          /**< socket for requests to the kernel about it; -1: none */
	uint16_t mtu;        /**< MTU of the port */
	uint32_t frame_size; /**< longest frame that the driver's own buffers hold */
	/** Longest frame that it accepts; written by the control thread, read by a worker. */
	uint32_t max_frame;
	void (*link_changed)(void *arg);
	void *link_arg;
	char limits[512];
	bool filters;        /**< promiscuous mode was switched off */
	bool accepts_clones; /**< it accepts packets that share data with others */
	bool scatters;       /**< it was configured to receive frames longer than a buffer */
	enum ethdev_backlog backlog;
	/** Bit sets of the classes for which the device was configured. */
	uint8_t pfc_receive, pfc_send;
	uint16_t pfc_quanta;
	struct rte_mempool *pool;
	/** It was attached to EAL when the port was opened, and is detached on close. */
	bool probed;
	char name[ETHDEV_NAME_LEN];
};

/**
 * Find a device by its name, or attach it to EAL.
 *
 * @param device name, or name and arguments as for EAL's --vdev and -a
 * @param name   written: the name without arguments
 * @param probed written: whether it was attached by this call
 * @param err    written on failure: one line of text
 * @return 0 or a negative errno
 */
int ethdev_probe(const char *device, char name[ETHDEV_NAME_LEN], uint16_t *port_id, bool *probed,
		char *err, size_t err_size);

/**
 * Write which device to name for an interface of the kernel: one that no port has, and its network
 * card, with what the card needs first.
 *
 * @param sys       root of sysfs, "/sys"
 * @param interface its name, which exists
 * @param text      written: part of a sentence
 */
void ethdev_name_interface(const char *sys, const char *interface, char *text, size_t size);

/**
 * Refuse arguments with which the driver of the device would crash, block the control thread, or
 * lose packets instead of reporting an error.
 *
 * @param device as for ethdev_probe()
 * @param queues number of receive queues of the port
 * @param err    written when it is refused: one line of text
 * @return 0 or a negative errno
 */
int ethdev_refuse(const char *device, const struct rte_mempool *pool, uint16_t queues, char *err,
		size_t err_size);

/**
 * Get the arguments of a device, from the first comma on. If EAL has the device already, these are
 * the arguments that EAL was given.
 */
void ethdev_arguments(const char *device, char *arguments, size_t size);

/**
 * Get a number from a list of arguments of ethdev_arguments().
 *
 * @param otherwise result when the key is missing
 */
uint64_t ethdev_argument(const char *arguments, const char *key, uint64_t otherwise);

/** Get a text from a list of arguments, cut off if there is no room for it. */
void ethdev_argument_text(const char *arguments, const char *key, const char *otherwise, char *text,
		size_t size);

/** Detach a stopped device from EAL. */
void ethdev_remove(uint16_t port_id);

/**
 * Configure and start a device whose name, pool and n_rx are set.
 *
 * @return 0 or a negative errno with a line of text in err
 */
int ethdev_start(struct fcn_ethdev *dev, uint16_t mtu, const struct rte_ether_addr *mac, char *err,
		size_t size);

/** Register or unregister the callback for link changes of the device. */
void ethdev_listen(struct fcn_ethdev *dev, bool on);

/** Check whether frames with this MTU may be longer than a buffer of the pool. */
bool ethdev_needs_scatter(struct rte_mempool *pool, uint16_t mtu);

/**
 * Set the MTU of the device.
 *
 * @return 0, also for a device without a settable MTU; -EBUSY when it cannot change while the
 *         device runs; another negative errno
 */
int ethdev_set_mtu(struct fcn_ethdev *dev, uint16_t mtu);

/** Write an error text: why the device does not accept an MTU. */
void ethdev_mtu_error(const struct fcn_ethdev *dev, const struct rte_eth_dev_info *info,
		uint16_t mtu, int rc, char *err, size_t err_size);

/**
 * Pad frames with zeros to the shortest length that Ethernet permits, 60 octets without FCS (IEEE
 * 802.3 section 3.2.8). Copies of a frame that share its octets end where it ends, so each of them
 * may write the padding. A frame without room behind it remains short.
 */
void ethdev_pad(struct rte_mbuf **pkts, uint16_t n);

/** Set dev->traits from the driver of the device and its arguments. */
void ethdev_traits(struct fcn_ethdev *dev, const char *device);

/** Append a text to the list of limits of the device. */
void ethdev_limit(struct fcn_ethdev *dev, const char *limit);

/**
 * Enlarge the send buffers of packet sockets for a full transmit ring. With a smaller buffer the
 * kernel stops in the middle of the ring, and the rest waits until something else is sent.
 *
 * @param if_index interface; all packet sockets of this process on it are changed
 * @param frames   number of frames of a ring
 */
void ethdev_send_buffers(int if_index, uint32_t frames);

/** Find the kernel interface of the device, if it has one. */
void ethdev_kernel_open(struct fcn_ethdev *dev, int if_index);
void ethdev_kernel_close(struct fcn_ethdev *dev);
/**
 * Get the link status of the kernel interface.
 *
 * @return 1: it is up and has a carrier; 0: it is not; -1: unknown
 */
int ethdev_kernel_link(const struct fcn_ethdev *dev);
/** Get the MTU of the kernel interface. @return -1: unknown */
int ethdev_kernel_mtu(const struct fcn_ethdev *dev);
/** Check whether the kernel interface is one end of a veth pair. */
bool ethdev_kernel_is_veth(const struct fcn_ethdev *dev);

/** Update dev->max_frame. */
void ethdev_update_max_frame(struct fcn_ethdev *dev);

/** Operations link_up, link_bps and tx_max_frame of struct fcn_port_ops. */
bool ethdev_link_up(void *port);
uint64_t ethdev_link_bps(void *port);
uint32_t ethdev_tx_max_frame(void *port);

/** Determine how to read the transmit backlog; to be called after the device has started. */
void ethdev_backlog_choose(struct fcn_ethdev *dev);

/** Operation tx_backlog of struct fcn_port_ops. */
int ethdev_backlog(void *port);

/** Operations of struct fcn_port_ops: counters and descriptors of the device. */
int ethdev_xstats(void *port, struct fcn_port_xstat *out, unsigned int n);
int ethdev_descriptors(void *port, bool tx, uint16_t queue);
int ethdev_rx_waiting(void *port);

#endif /* ETHDEV_IMPL_H */
