/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Ports made of capture files, in virtual time. Packets come in at the times
 * of their stamps; packets go out one after the other at the speed of the
 * port's link and are written with the time their last bit left, to the
 * nanosecond.
 *
 * Virtual time 0 is the earliest stamp of the packets that the inputs deliver
 * (not of those a filter or a defect leaves out). Output stamps are that stamp
 * plus virtual time, so inputs and outputs line up in Wireshark.
 *
 * The line of a port is exact: a frame takes max(length, 60) + FCN_WIRE_OVERHEAD
 * octets at the link's speed, fractions of a nanosecond are carried on, so
 * frames back to back do not drift. tx_burst() takes one frame a call, and only
 * when the line is free; departures are rounded up to the next nanosecond.
 * Files are streams: whatever their size, one packet of each is in memory.
 * Not thread safe: one thread owns a replay and its ports.
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

/** Counters of a port's files. What went wrong with a file, fcn_replay_error() says. */
struct fcn_replay_stats {
	uint64_t in_packets; /**< packets delivered to the switch */
	uint64_t in_bytes;   /**< without FCS, as out_bytes */
	/* Packets left out, each under the first of these that holds. */
	uint64_t in_filtered;  /**< by a filter */
	uint64_t in_truncated; /**< captured in part (caplen < len) */
	uint64_t in_runt;      /**< shorter than an Ethernet header */
	uint64_t in_oversize;  /**< longer than FCN_REPLAY_MAX_FRAME */
	uint64_t in_no_mbuf;   /**< the pool was empty */

	uint64_t in_backwards;   /**< stamp before its predecessor's: delivered at that one's */
	uint64_t in_file_errors; /**< files that broke off (cut short, damaged) */
	uint64_t out_packets;    /**< packets sent, with or without an output file */
	uint64_t out_bytes;
	uint64_t out_file_errors; /**< outputs that lack packets (disk full) */
};

#define FCN_REPLAY_MAX_FRAME 16000 /**< longest frame replayed, bytes without FCS */

/** Operations for struct fcn_port; the private pointer is a struct fcn_replay_port. */
extern const struct fcn_port_ops fcn_replay_port_ops;

/**
 * @param speed gaps between captured packets are divided by this, above 0 (1.0 as captured);
 *              virtual time is the quotient to the nearest nanosecond, computed exactly
 * @return NULL on lack of memory or when speed is not a number above 0
 */
struct fcn_replay *fcn_replay_create(double speed);

/**
 * Close all files (outputs are complete and valid afterwards) and free everything.
 * Whether the last bytes found room on the disk is known only from fcn_replay_flush().
 */
void fcn_replay_free(struct fcn_replay *replay);

/**
 * Add a port.
 *
 * @param name     copied, cut to FCN_PORT_NAME_LEN - 1 characters
 * @param link_bps speed of its line in both directions, bits per second, above 0
 * @param pool     where received packets come from; frames longer than its data room are chained.
 *                 May be NULL for a port without inputs
 * @return NULL on lack of memory, link_bps 0, or a pool whose mbufs hold nothing
 */
struct fcn_replay_port *fcn_replay_port_add(struct fcn_replay *replay, const char *name,
		uint64_t link_bps, struct rte_mempool *pool);

/**
 * Add a capture file (pcap or pcapng, any stamp precision, link type Ethernet)
 * to what a port receives; several are merged by time, on a tie the one added
 * first comes first. A file may be read more than once, but not be an output too.
 *
 * @param filter BPF expression (libpcap syntax), or NULL for all packets
 * @param err    on failure, one line that names the file and what is wrong
 * @return 0, or a negative errno: that of opening the file, -EINVAL for what is no Ethernet
 *         capture, a filter that does not compile, an output, or a replay that has begun, -ENOMEM
 */
int fcn_replay_port_input(struct fcn_replay_port *port, const char *file, const char *filter,
		char *err, size_t err_size);

/**
 * Write what the port sends to a nanosecond pcap file. Without one it is counted and let go.
 *
 * @param err on failure, one line that names the file and what is wrong
 * @return 0, or a negative errno: that of opening the file, -EINVAL when it is an input or
 *         another port's output (then it is left as it was), -EEXIST when the port has one
 */
int fcn_replay_port_output(
		struct fcn_replay_port *port, const char *file, char *err, size_t err_size);

/**
 * Change the speed of a port's line, bits per second; 0 is ignored. A frame on its way
 * ends at the old speed.
 */
void fcn_replay_port_link(struct fcn_replay_port *port, uint64_t link_bps);

/** Find the earliest stamp; no input may be added afterwards, and nothing arrives before. */
void fcn_replay_begin(struct fcn_replay *replay);

/** Virtual time of the next packet of any input, FCN_TIME_NEVER at the end of all. */
uint64_t fcn_replay_next_arrival(const struct fcn_replay *replay);

/** Stamp of virtual time 0, nanoseconds since 1970; 0 when no input has a packet. */
uint64_t fcn_replay_base(const struct fcn_replay *replay);

void fcn_replay_port_stats(const struct fcn_replay_port *port, struct fcn_replay_stats *stats);
const char *fcn_replay_port_name(const struct fcn_replay_port *port);

/**
 * Write out what outputs still buffer, so that a full disk shows. To be called at the
 * end of a run, before fcn_replay_free().
 *
 * @return 0, or -EIO when an output lacks packets; see fcn_replay_error()
 */
int fcn_replay_flush(struct fcn_replay *replay);

/**
 * The i-th message about a file that broke off, input or output, in the order they did:
 * "FILE: after N packets: why", or NULL. Valid until fcn_replay_free().
 */
const char *fcn_replay_error(const struct fcn_replay *replay, unsigned int i);

/** Departure time (last bit) of the packet the port took last, virtual ns; 0 before the first. */
uint64_t fcn_replay_port_last_departure(const struct fcn_replay_port *port);

#endif /* FCN_REPLAY_H */
