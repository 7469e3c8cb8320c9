/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Ports made of capture files, in virtual time. Packets are received at the times of their
 * timestamps. Packets are sent one after the other at the speed of the port's link, and written to
 * a file with the time at which their last bit left, in nanoseconds.
 *
 * Virtual time 0 is the earliest timestamp of the packets that the inputs deliver, without those
 * that are left out by a filter or because of a defect. Output timestamps are this timestamp plus
 * virtual time, so inputs and outputs have the same time base in Wireshark.
 *
 * The timing of a port is exact. A frame takes max(length, 60) + FCN_WIRE_OVERHEAD octets at the
 * link speed, and fractions of a nanosecond are carried over, so frames back to back do not drift.
 * tx_burst() accepts one frame a call, and only when the line is free. Departure times are rounded
 * up to the next nanosecond. Files are read as streams: only one packet of each is in memory.
 *
 * A replay and its ports are used by one thread; there are no locks.
 */

#ifndef FCN_REPLAY_H
#define FCN_REPLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rte_mempool.h>

#include "fcn_port.h"

struct fcn_replay;
struct fcn_replay_port;

/** Counters of the files of a port. fcn_replay_error() returns the errors of files. */
struct fcn_replay_stats {
	uint64_t in_packets; /**< packets delivered to the switch */
	uint64_t in_bytes;   /**< bytes delivered, without FCS */
	/* Packets left out; each is counted in the first of these counters that applies. */
	uint64_t in_filtered;  /**< by a filter */
	uint64_t in_truncated; /**< captured incompletely (caplen < len) */
	uint64_t in_runt;      /**< shorter than an Ethernet header */
	uint64_t in_oversize;  /**< longer than FCN_REPLAY_MAX_FRAME */
	uint64_t in_no_mbuf;   /**< the pool was empty */

	/** Timestamp before that of the previous packet; delivered at the time of that one. */
	uint64_t in_backwards;
	uint64_t in_file_errors; /**< files whose reading stopped early (truncated, damaged) */
	uint64_t out_packets;    /**< packets sent, with or without an output file */
	uint64_t out_bytes;
	uint64_t out_file_errors; /**< output files that lack packets (disk full) */
};

#define FCN_REPLAY_MAX_FRAME 16000 /**< longest frame replayed, bytes without FCS */

/** Operations for struct fcn_port; the private pointer is a struct fcn_replay_port. */
extern const struct fcn_port_ops fcn_replay_port_ops;

/**
 * Create a replay without ports.
 *
 * @param speed the time between packets is divided by this number, which is above 0 (1.0: as
 *              captured). Virtual time is the exact quotient, rounded to the nearest nanosecond
 * @return NULL when memory is exhausted or speed is not a number above 0
 */
struct fcn_replay *fcn_replay_create(double speed);

/**
 * Close all files, which completes the outputs, and free everything. Errors of the last writes are
 * reported only by fcn_replay_flush().
 */
void fcn_replay_free(struct fcn_replay *replay);

/**
 * Add a port.
 *
 * @param name     copied and truncated to FCN_PORT_NAME_LEN - 1 characters
 * @param link_bps speed of the port in both directions, bits per second, above 0
 * @param pool     pool for received packets; frames longer than its data room are chained. May be
 *                 NULL for a port without inputs
 * @return NULL when memory is exhausted, link_bps is 0, or the mbufs of the pool have no data room
 */
struct fcn_replay_port *fcn_replay_port_add(struct fcn_replay *replay, const char *name,
		uint64_t link_bps, struct rte_mempool *pool);

/**
 * Add a capture file (pcap or pcapng with any timestamp precision, link type Ethernet) to the
 * inputs of a port. Several inputs are merged by time; at equal times, the input that was added
 * first comes first. A file may be read more than once, but must not also be an output.
 *
 * @param filter BPF expression (libpcap syntax), or NULL for all packets
 * @param err    written on failure: one line with the name of the file and the reason
 * @return 0, or a negative errno: that of opening the file, -EINVAL for a file that is no Ethernet
 *         capture or is an output, for an invalid filter, or when the replay has begun, -ENOMEM
 */
int fcn_replay_port_input(struct fcn_replay_port *port, const char *file, const char *filter,
		char *err, size_t err_size);

/**
 * Write the packets that the port sends to a pcap file with nanosecond timestamps. Without an
 * output file they are only counted.
 *
 * @param err written on failure: one line with the name of the file and the reason
 * @return 0, or a negative errno: that of opening the file, -EINVAL when it is an input or the
 *         output of another port (the file is then unchanged), -EEXIST when the port has an output
 *         already
 */
int fcn_replay_port_output(
		struct fcn_replay_port *port, const char *file, char *err, size_t err_size);

/**
 * Change the speed of a port in bits per second; 0 is ignored. A frame that is being sent ends at
 * the old speed.
 */
void fcn_replay_port_link(struct fcn_replay_port *port, uint64_t link_bps);

/**
 * Begin the replay: determine virtual time 0. Inputs cannot be added afterwards, and no packet
 * arrives before.
 */
void fcn_replay_begin(struct fcn_replay *replay);

/** Get the virtual time in ns of the next packet of any input; FCN_TIME_NEVER at their end. */
uint64_t fcn_replay_next_arrival(const struct fcn_replay *replay);

/** Get the timestamp of virtual time 0, in ns since 1970; 0 when no input has a packet. */
uint64_t fcn_replay_base(const struct fcn_replay *replay);

/** Copy the counters of a port. */
void fcn_replay_port_stats(const struct fcn_replay_port *port, struct fcn_replay_stats *stats);
/** Get the name of a port; valid until fcn_replay_free(). */
const char *fcn_replay_port_name(const struct fcn_replay_port *port);

/**
 * Write the buffered data of all outputs, so that a full disk is noticed. To be called at the end
 * of a run, before fcn_replay_free().
 *
 * @return 0, or -EIO when an output lacks packets; see fcn_replay_error()
 */
int fcn_replay_flush(struct fcn_replay *replay);

/**
 * Get the i-th error, counted from 0, of the input and output files in the order in which they
 * occurred: "FILE: after N packets: reason". NULL when there is none. The text is valid until
 * fcn_replay_free().
 */
const char *fcn_replay_error(const struct fcn_replay *replay, unsigned int i);

/**
 * Get the virtual time in ns at which the last bit of the port's last packet leaves; 0 before the
 * first packet.
 */
uint64_t fcn_replay_port_last_departure(const struct fcn_replay_port *port);

#endif /* FCN_REPLAY_H */
