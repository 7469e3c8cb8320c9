/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Building of the blocks of a pcapng file (draft-ietf-opsawg-pcapng) in memory. The file is one
 * section with Ethernet interfaces; timestamps are nanoseconds since 1970, and the byte order is
 * that of this machine. The functions keep no state and do no I/O.
 *
 * Each function returns the length of its block in octets, a multiple of 4.
 */

#ifndef FCN_PCAPNG_H
#define FCN_PCAPNG_H

#include <stddef.h>
#include <stdint.h>

#define FCN_PCAPNG_TEXT_MAX 511 /**< maximum octets of a text; a longer one is truncated */

/** Maximum length of a block in octets; in a block with a packet, those of the packet come on top.
 */
#define FCN_PCAPNG_BLOCK_MAX 1024

/** Direction of a packet, in the flags of an Enhanced Packet Block (section 4.3.1). */
enum fcn_pcapng_direction {
	FCN_PCAPNG_NO_DIRECTION, /**< the block has no flags */
	FCN_PCAPNG_INBOUND,
	FCN_PCAPNG_OUTBOUND,
};

/** A packet of a capture. */
struct fcn_pcapng_packet {
	uint32_t interface;     /**< interfaces are numbered from 0 in the order of their blocks */
	uint64_t time_ns;       /**< nanoseconds since 1970 */
	uint32_t len;           /**< original length in octets */
	const uint8_t *part[2]; /**< the captured octets, in two consecutive parts */
	uint32_t part_len[2]; /**< lengths of the parts in octets; 0 for a part that is not used */
	enum fcn_pcapng_direction direction;
	uint64_t dropped;    /**< packets lost since the last one of this interface was captured */
	const char *comment; /**< NULL for none */
};

/** Build the Section Header Block, the first of a file (section 4.1). @param application name and
 * version of the program that writes it */
size_t fcn_pcapng_section(uint8_t buf[FCN_PCAPNG_BLOCK_MAX], const char *application);

/**
 * Build an Interface Description Block (section 4.2).
 *
 * @param name    name of the interface
 * @param bps     speed in bits per second; 0 if it is not known
 * @param snaplen maximum number of octets captured of a packet
 * @param filter  capture filter as an expression of libpcap; NULL for none
 */
size_t fcn_pcapng_interface(uint8_t buf[FCN_PCAPNG_BLOCK_MAX], const char *name, uint64_t bps,
		uint32_t snaplen, const char *filter);

/** Build an Enhanced Packet Block (section 4.3). @param buf has room for FCN_PCAPNG_BLOCK_MAX
 * octets and for the parts of the packet */
size_t fcn_pcapng_packet(uint8_t *buf, const struct fcn_pcapng_packet *packet);

/**
 * Build an Interface Statistics Block (section 4.6).
 *
 * @param interface number of the interface
 * @param time_ns   when the counters were read, in nanoseconds since 1970
 * @param received  packets that were to be captured
 * @param dropped   those of them that were lost
 */
size_t fcn_pcapng_statistics(uint8_t buf[FCN_PCAPNG_BLOCK_MAX], uint32_t interface,
		uint64_t time_ns, uint64_t received, uint64_t dropped);

#endif /* FCN_PCAPNG_H */
