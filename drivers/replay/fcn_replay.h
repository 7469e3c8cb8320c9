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
 * Virtual time 0 is the earliest stamp of all inputs. Output stamps are that
 * stamp plus virtual time, so inputs and outputs line up in Wireshark.
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

/** Counters of a port's files. */
struct fcn_replay_stats {
	uint64_t in_packets;     /**< packets delivered to the switch */
	uint64_t in_bytes;
	uint64_t in_filtered;    /**< packets in the files that a filter left out */
	uint64_t in_truncated;   /**< packets captured in part (caplen < len): left out */
	uint64_t in_oversize;    /**< packets longer than FCN_REPLAY_MAX_FRAME: left out */
	uint64_t in_runt;        /**< packets shorter than an Ethernet header: left out */
	uint64_t in_backwards;   /**< stamps before their predecessor's: delivered, at that one's time */
	uint64_t in_no_mbuf;     /**< packets left out because the pool was empty */
	uint64_t in_file_errors; /**< files that broke off (cut short, damaged); see fcn_replay_error() */
	uint64_t out_packets;
	uint64_t out_bytes;
};

#define FCN_REPLAY_MAX_FRAME 16000 /**< longest frame replayed, bytes without FCS */

/** Operations for struct fcn_port; the private pointer is a struct fcn_replay_port. */
extern const struct fcn_port_ops fcn_replay_port_ops;

/** @param speed gaps between captured packets are divided by this, above 0 (1.0 as captured) */
struct fcn_replay *fcn_replay_create(double speed);

/** Close all files (outputs are complete and valid afterwards) and free everything. */
void fcn_replay_free(struct fcn_replay *replay);

/**
 * Add a port.
 *
 * @param link_bps speed of its line in both directions, bits per second, above 0
 * @param pool     where received packets come from; frames longer than its data room are chained
 * @return NULL on lack of memory
 */
struct fcn_replay_port *fcn_replay_port_add(struct fcn_replay *replay, const char *name,
	uint64_t link_bps, struct rte_mempool *pool);

/**
 * Add a capture file (pcap or pcapng, any stamp precision, link type Ethernet)
 * to what a port receives; several are merged by time.
 *
 * @param filter BPF expression (libpcap syntax), or NULL for all packets
 * @param err    on failure, one line that names the file and what is wrong
 * @return 0, or a negative errno
 */
int fcn_replay_port_input(struct fcn_replay_port *port, const char *file, const char *filter,
	char *err, size_t err_size);

/** Write what the port sends to a nanosecond pcap file. Without one it is counted and let go. */
int fcn_replay_port_output(struct fcn_replay_port *port, const char *file, char *err,
	size_t err_size);

/** Change the speed of a port's line, bits per second, above 0. */
void fcn_replay_port_link(struct fcn_replay_port *port, uint64_t link_bps);

/** Find the earliest stamp; no input may be added afterwards. */
void fcn_replay_begin(struct fcn_replay *replay);

/** Virtual time of the next packet of any input, FCN_TIME_NEVER at the end of all. */
uint64_t fcn_replay_next_arrival(const struct fcn_replay *replay);

/** Stamp of virtual time 0, nanoseconds since 1970. */
uint64_t fcn_replay_base(const struct fcn_replay *replay);

void fcn_replay_port_stats(const struct fcn_replay_port *port, struct fcn_replay_stats *stats);
const char *fcn_replay_port_name(const struct fcn_replay_port *port);

/** The i-th message about a file that broke off, "FILE: after N packets: why", or NULL. */
const char *fcn_replay_error(const struct fcn_replay *replay, unsigned int i);

/** Departure time (last bit) of the packet the port took last, virtual ns; 0 before the first. */
uint64_t fcn_replay_port_last_departure(const struct fcn_replay_port *port);

#endif /* FCN_REPLAY_H */
