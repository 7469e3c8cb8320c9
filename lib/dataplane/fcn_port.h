/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * What the dataplane asks of a port, whatever stands behind it: an ethdev, a
 * capture file, a simulated link. One call a burst, never one a packet.
 */

#ifndef FCN_PORT_H
#define FCN_PORT_H

#include <stdbool.h>
#include <stdint.h>

#include <rte_mbuf.h>

#include "fcn_port_limit.h"

#define FCN_PORT_NAME_LEN 32

/** Octets a frame costs on the wire beyond those in memory: FCS 4, preamble 8, gap 12. */
#define FCN_WIRE_OVERHEAD 24

/** Time that never comes. */
#define FCN_TIME_NEVER UINT64_MAX

/** What a device lost below the switch, where it counts that. */
struct fcn_port_device_stats {
	uint64_t rx_missed;  /**< packets it had no room for */
	uint64_t rx_errors;  /**< packets it found wrong */
	uint64_t rx_no_mbuf; /**< times it found no buffer */
	uint64_t tx_errors;  /**< packets it took and did not send */
};

/**
 * Operations of a kind of port. Called by the one worker that owns the port,
 * with the port's private pointer and the time in nanoseconds of that
 * worker's clock, which never goes back.
 */
struct fcn_port_ops {
	const char *kind; /**< "ethdev", "replay", ... */

	/**
	 * Receive up to n packets that have arrived by now. Of a port with several receive
	 * queues, each is asked by its own handle, rx_queue(), and by one worker at a time; asked
	 * by the port itself it gives what any of them has, which then is the only asking.
	 * @return packets received
	 */
	uint16_t (*rx_burst)(void *port, struct rte_mbuf **pkts, uint16_t n, uint64_t now);

	/**
	 * Receive queues over which the device spreads what arrives, a flow always to the same
	 * one; at least 1, the same as long as the port is open. Any thread. NULL, together with
	 * rx_queue: one, and the port itself is its handle.
	 */
	uint16_t (*rx_queues)(void *port);

	/**
	 * What rx_burst() is called with for a queue, below rx_queues(); valid as long as the
	 * port is open, the same at every call. Any thread.
	 */
	void *(*rx_queue)(void *port, uint16_t queue);

	/**
	 * Send packets, in order; those taken belong to the port.
	 * @return packets taken. The caller keeps the rest and offers it again.
	 */
	uint16_t (*tx_burst)(void *port, struct rte_mbuf **pkts, uint16_t n, uint64_t now);

	/**
	 * Number of packets that the port can accept now; NULL when only tx_burst() decides,
	 * because the port does not model the time on the wire.
	 */
	uint16_t (*tx_room)(void *port, uint64_t now);

	/** Earliest time at which tx_room() is above 0; NULL together with tx_room. */
	uint64_t (*tx_ready)(void *port, uint64_t now);

	/**
	 * Packets in the device's transmit ring that have not left yet; negative when the
	 * device cannot tell. NULL like that. Bounded work: the worker asks once a turn.
	 */
	int (*tx_backlog)(void *port);

	/**
	 * Maximum frame length: the longest frame that tx_burst() may be given, bytes without FCS,
	 * for a device that would silently lose longer frames or stop sending. The dataplane drops
	 * and counts longer frames. NULL, or UINT32_MAX: there is no limit. It may change while the
	 * port is open. Called by the owning worker, once for each burst.
	 */
	uint32_t (*tx_max_frame)(void *port);

	/**
	 * Whether tx_burst() may be given packets of several segments, and packets that share bytes
	 * with others (see fcn_quote.h): that everybody behind it only reads. NULL: it may. Any
	 * thread; the same as long as the port is open.
	 */
	bool (*takes_clones)(void *port);

	/** Speed of the link in bits per second, 0 when unknown or down. Any thread. */
	uint64_t (*link_bps)(void *port);

	/** Whether the link is up; NULL: always. From the control thread. */
	bool (*link_up)(void *port);

	/**
	 * What the device behind the port cannot do, in one line, "" when nothing is missing;
	 * NULL like that. From the control thread; valid until the port is closed.
	 */
	const char *(*limits)(void *port);

	/** Read what the device lost; NULL when there is no device. From the control thread. */
	void (*device_stats)(void *port, struct fcn_port_device_stats *stats);
};

#endif /* FCN_PORT_H */
