/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Blocks of a pcapng file (draft-ietf-opsawg-pcapng), made in memory: a
 * section of Ethernet interfaces whose timestamps are nanoseconds since 1970,
 * in the byte order of this machine. Pure functions; nothing is written.
 *
 * Each returns the length of its block, a multiple of 4.
 */

#ifndef FCN_PCAPNG_H
#define FCN_PCAPNG_H

#include <stddef.h>
#include <stdint.h>

#define FCN_PCAPNG_TEXT_MAX 511 /**< octets of a text; what is longer is cut */

/** No block without a packet is longer, nor one with a packet without its octets. */
#define FCN_PCAPNG_BLOCK_MAX 1024

/** Enhanced Packet Block flags: which way a packet went, section 4.3.1. */
enum fcn_pcapng_direction {
	FCN_PCAPNG_NO_DIRECTION, /**< no such option */
	FCN_PCAPNG_INBOUND,
	FCN_PCAPNG_OUTBOUND,
};

/** A packet. */
struct fcn_pcapng_packet {
	uint32_t interface; /**< number: interfaces count from 0 in the order of their blocks */
	uint64_t time_ns;
	uint32_t len;           /**< octets it had */
	const uint8_t *part[2]; /**< octets of it that are kept, one part behind the other */
	uint32_t part_len[2];
	enum fcn_pcapng_direction direction;
	uint64_t dropped;    /**< packets missed since the last of this interface */
	const char *comment; /**< NULL: none */
};

/** Section Header Block: the first one. @param application name and version of this program */
size_t fcn_pcapng_section(uint8_t buf[FCN_PCAPNG_BLOCK_MAX], const char *application);

/**
 * Interface Description Block.
 *
 * @param bps     bits per second; 0: not known
 * @param snaplen octets kept of a packet at most
 * @param filter  expression of libpcap; NULL: none
 */
size_t fcn_pcapng_interface(uint8_t buf[FCN_PCAPNG_BLOCK_MAX], const char *name, uint64_t bps,
		uint32_t snaplen, const char *filter);

/** Enhanced Packet Block. @param buf FCN_PCAPNG_BLOCK_MAX octets more than the packet's parts */
size_t fcn_pcapng_packet(uint8_t *buf, const struct fcn_pcapng_packet *packet);

/**
 * Interface Statistics Block.
 *
 * @param time_ns  when they were read
 * @param received packets that were to be written
 * @param dropped  those of them that were missed
 */
size_t fcn_pcapng_statistics(uint8_t buf[FCN_PCAPNG_BLOCK_MAX], uint32_t interface,
		uint64_t time_ns, uint64_t received, uint64_t dropped);

#endif /* FCN_PCAPNG_H */
