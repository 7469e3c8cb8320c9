/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Interface between the dataplane and the kinds of ports: an ethdev, a capture file, a simulated
 * link. Packets are passed in bursts; no operation is called for each packet.
 */

#ifndef FCN_PORT_H
#define FCN_PORT_H

#include <stdbool.h>
#include <stdint.h>

#include <rte_mbuf.h>

#include "fcn_counter.h"
#include "fcn_port_limit.h"

#define FCN_PORT_NAME_LEN 32

/**
 * Octets that a frame occupies on the wire in addition to those in memory: FCS 4, preamble and SFD
 * 8, minimum interpacket gap 12 (IEEE 802.3).
 */
#define FCN_WIRE_OVERHEAD 24
/** Octets of the shortest frame, without FCS (IEEE 802.3 clause 3.2.8). */
#define FCN_PORT_MIN_FRAME 60

/** Time in ns that stands for "never". */
#define FCN_TIME_NEVER UINT64_MAX

/*
 * In `show port`, of a port whose device counts; the form of the list is described in
 * fcn_counter.h. These packets are not part of the packet accounting.
 */
#define FCN_PORT_DEVICE_COUNTERS(X)                                                              \
	X(rx_missed, "device_rx_missed", COUNTER, "port_device_missed_packets",                  \
			"Frames that the device lost because it had no free receive descriptor") \
	X(rx_errors, "device_rx_errors", COUNTER, "port_device_receive_errors",                  \
			"Frames that the device received with errors and discarded")             \
	X(rx_no_mbuf, "device_rx_no_mbuf", COUNTER, "port_device_no_buffer_packets",             \
			"Frames that the device lost because there was no packet buffer")        \
	X(tx_errors, "device_tx_errors", COUNTER, "port_device_transmit_errors",                 \
			"Frames that the device did not accept or failed to send, as "           \
			"counted by its driver")

/** Packets that a device lost itself, before or after the switch had them. */
struct fcn_port_device_stats {
	FCN_PORT_DEVICE_COUNTERS(FCN_COUNTER_MEMBER)
};

/** A counter that the driver of a device keeps. */
struct fcn_port_xstat {
	char name[64]; /**< as the driver calls it */
	uint64_t value;
};

/**
 * Operations of a kind of port. The first argument is the private pointer of the port. `now` is the
 * time in nanoseconds of the calling worker's clock, which never goes back. Unless an operation
 * says otherwise, only the worker that owns the port calls it.
 */
struct fcn_port_ops {
	const char *kind; /**< name of the kind of port: "ethdev", "replay", ... */

	/**
	 * Receive up to n packets that have arrived until `now`. If the port has several receive
	 * queues, the first argument is the handle of one of them, from rx_queue(), and one worker
	 * polls this queue. With the private pointer of the port itself instead of a handle, all
	 * queues are polled; then no queue may be polled by its handle.
	 *
	 * @return number of packets received; they belong to the caller
	 */
	uint16_t (*rx_burst)(void *port, struct rte_mbuf **pkts, uint16_t n, uint64_t now);

	/**
	 * Get the number of receive queues over which the device distributes received packets, each
	 * flow to one queue. It is at least 1 and does not change while the port is open. Any
	 * thread may call it. NULL, which rx_queue then is as well: there is one queue, whose
	 * handle is the private pointer of the port.
	 */
	uint16_t (*rx_queues)(void *port);

	/**
	 * Get the handle of a receive queue, the first argument of rx_burst(). `queue` is below
	 * rx_queues(). The handle does not change while the port is open. Any thread may call it.
	 */
	void *(*rx_queue)(void *port, uint16_t queue);

	/**
	 * Send packets in order. Those that the port accepts belong to it.
	 *
	 * @return number of packets accepted; the caller keeps the others and offers them again
	 */
	uint16_t (*tx_burst)(void *port, struct rte_mbuf **pkts, uint16_t n, uint64_t now);

	/**
	 * Get the number of packets that the port can accept now. NULL: the port does not model the
	 * time on the wire, and only tx_burst() finds out how many it accepts.
	 */
	uint16_t (*tx_room)(void *port, uint64_t now);

	/**
	 * Get the earliest time in ns, not before `now`, at which tx_room() is above 0. NULL if
	 * tx_room is NULL.
	 */
	uint64_t (*tx_ready)(void *port, uint64_t now);

	/**
	 * Get the number of descriptors of the device's transmit ring that have not been sent yet;
	 * a frame has one for each segment. Negative: the device cannot report it. NULL: it never
	 * can. The work is bounded, because the worker calls it in each turn.
	 */
	int (*tx_backlog)(void *port);

	/**
	 * Get the maximum length in bytes, without FCS, of a frame for tx_burst(): a device may
	 * silently lose longer frames or stop sending. The dataplane drops and counts longer
	 * frames. NULL, or UINT32_MAX: there is no limit. It may change while the port is open. The
	 * worker calls it once for each burst.
	 */
	uint32_t (*tx_max_frame)(void *port);

	/**
	 * Pad packets to FCN_PORT_MIN_FRAME bytes, if the device does not do so itself. The worker
	 * calls it before tx_burst() for a burst with a shorter packet. NULL: short packets are
	 * sent as they are.
	 */
	void (*tx_pad)(void *port, struct rte_mbuf **pkts, uint16_t n);

	/**
	 * Check whether tx_burst() accepts packets of several segments, and packets that share
	 * bytes with others (see fcn_copy.h), which the device must not write to. NULL: it does.
	 * The result does not change while the port is open. Any thread may call it.
	 */
	bool (*accepts_clones)(void *port);

	/** Get the link speed in bits per second; 0: unknown, or down. Any thread may call it. */
	uint64_t (*link_bps)(void *port);

	/** Check whether the link is up. NULL: it always is. Only the control thread calls it. */
	bool (*link_up)(void *port);

	/**
	 * Get one line of text about what the device does not support; "", or NULL instead of the
	 * function: it supports everything. The text is valid until the port is closed. Only the
	 * control thread calls it.
	 */
	const char *(*limits)(void *port);

	/**
	 * Read the counters of packets that the device lost. NULL: there is no device. Only the
	 * control thread calls it.
	 */
	void (*device_stats)(void *port, struct fcn_port_device_stats *stats);

	/**
	 * Read the counters that the driver of the device keeps. NULL: there is no device. Only the
	 * control thread calls it.
	 *
	 * @param out written: n counters; NULL if n is 0
	 * @return number of counters; if it is above n, or negative (a negative errno), nothing was
	 *         written
	 */
	int (*xstats)(void *port, struct fcn_port_xstat *out, unsigned int n);

	/**
	 * Get the number of descriptors of a queue of the device. NULL: there is no device. Only
	 * the control thread calls it.
	 *
	 * @param tx    a transmit queue, of which there is one, 0; otherwise a receive queue
	 * @param queue below rx_queues() for a receive queue
	 * @return negative: unknown
	 */
	int (*descriptors)(void *port, bool tx, uint16_t queue);

	/**
	 * Get the number of received frames that wait in the device. The argument is that of
	 * rx_burst(), and the worker that polls it calls it. NULL: there is no device.
	 *
	 * @return negative: the device cannot report it
	 */
	int (*rx_waiting)(void *port);
};

#endif /* FCN_PORT_H */
