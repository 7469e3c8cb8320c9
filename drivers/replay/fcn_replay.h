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

/** An interface of a pcapng file. */
struct fcn_replay_interface {
	uint32_t number; /**< counted from 0 in its file */
	char name[64];   /**< as the file has it, truncated; "": the file does not say it */
	uint64_t bps;    /**< its speed; 0: the file does not say it */
};

/** A frame of a capture file. */
struct fcn_replay_frame {
	const uint8_t *data;
	uint32_t captured; /**< bytes at data, at least those of an Ethernet header */
	uint32_t len;      /**< bytes of the frame without FCS */
	uint64_t stamp;    /**< ns since 1970, never before that of the previous frame */
	/** NULL: the file does not say it. It is valid until fcn_replay_free(). */
	const struct fcn_replay_interface *interface;
	uint32_t direction; /**< enum fcn_capture_direction */
};

/** Where a frame of a mirror capture enters the switch, and what is changed in it. */
struct fcn_replay_place {
	struct fcn_replay_port *port; /**< NULL: the frame is left out */
	bool has_to;                  /**< the destination MAC address is replaced by `to` */
	uint8_t to[6];
	/** The IPv4 header, which has no options, is replaced by an IPv6 header. Its addresses are
	 * those of RFC 6052 with the well-known prefix, 64:ff9b::/96. */
	bool as_ipv6;
};

/** Functions that see the frames of files, and those that ports send. */
struct fcn_replay_watch {
	void *arg; /**< first argument of all */
	/** See a frame of any input that no filter leaves out. May be NULL. */
	void (*see)(void *arg, const struct fcn_replay_frame *frame);
	/**
	 * Choose the port by which a frame of fcn_replay_mirror() enters; it is called after see().
	 *
	 * @param place all zero; written
	 */
	void (*place)(void *arg, const struct fcn_replay_frame *frame,
			struct fcn_replay_place *place);
	/** See a packet that a port sends. May be NULL. @param left_ns virtual time at which its
	 * last bit leaves */
	void (*sent)(void *arg, const struct rte_mbuf *m, uint64_t left_ns);
};

/** Counters of the files of a port. fcn_replay_error() returns the errors of files. */
struct fcn_replay_stats {
	uint64_t in_packets; /**< packets delivered to the switch */
	uint64_t in_bytes;   /**< bytes delivered, without FCS */
	/* Packets left out; each is counted in the first of these counters that applies. */
	uint64_t in_filtered;  /**< by a filter */
	uint64_t in_truncated; /**< captured incompletely, without fcn_replay_pad() */
	uint64_t in_runt;      /**< shorter than an Ethernet header */
	uint64_t in_oversize;  /**< longer than FCN_REPLAY_MAX_FRAME */
	uint64_t in_no_mbuf;   /**< the pool was empty */

	uint64_t in_padded; /**< captured incompletely and delivered, see fcn_replay_pad() */
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
 * Add a capture file (pcap or pcapng with any timestamp precision, link type Ethernet, also
 * compressed by gzip or zstd; "-": standard input) to the inputs of a port. Several inputs are
 * merged by time; at equal times, the input that was added first comes first. A file may be read
 * more than once, but must not also be an output.
 *
 * @param filter BPF expression (libpcap syntax), or NULL for all packets
 * @param err    written on failure: one line with the name of the file and the reason
 * @return 0, or a negative errno: that of opening the file, -EINVAL for a file that is no Ethernet
 *         capture or is an output, for an invalid filter, or when the replay has begun, -ENOMEM
 */
int fcn_replay_port_input(struct fcn_replay_port *port, const char *file, const char *filter,
		char *err, size_t err_size);

/**
 * Deliver packets that were captured incompletely, with zeros in place of what is missing. Without
 * this call they are left out. To be called before inputs are added.
 */
void fcn_replay_pad(struct fcn_replay *replay);

/**
 * Set the functions that see frames; to be called before inputs are added. Frames of files are seen
 * when they are read, which is one frame ahead of what has arrived.
 */
void fcn_replay_watch(struct fcn_replay *replay, const struct fcn_replay_watch *watch);

/**
 * Add a capture file whose frames enter by several ports: place() of fcn_replay_watch() chooses the
 * port of each. Several files are merged by time. When place() leaves out all of them, the whole
 * file is read by this call.
 *
 * @param file, filter, err as for fcn_replay_port_input()
 * @return as fcn_replay_port_input()
 */
int fcn_replay_mirror(struct fcn_replay *replay, const char *file, const char *filter, char *err,
		size_t err_size);

/** Copy the counters of all mirror captures. Packets that are delivered count at their ports. */
void fcn_replay_mirror_stats(const struct fcn_replay *replay, struct fcn_replay_stats *stats);

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
