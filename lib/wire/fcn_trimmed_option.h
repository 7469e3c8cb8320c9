/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Trimmed Packet option: what a Fast CNP that returns the headers of a packet to its sender says
 * about the packet, for which a queue had no room. It follows option 1 in the Destination Options
 * header. It is no part of a draft, and its option type is configuration. As that of Fast CNP, it
 * lets a node that does not know it drop the notice and report that (RFC 8200 section 4.2).
 *
 * @code
 *  0                   1                   2                   3
 *  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *                                 +---------------+---------------+
 *                                 |  Option Type  |  Length: 12   |
 * +---------------+---------------+-------------------------------+
 * |    Reason     |     Level     |       Length of packet        |
 * +---------------+---------------+-------------------------------+
 * |  BTH OpCode   |                      PSN                      |
 * +---------------+-------+---------------------------------------+
 * |       0               |              Flow label               |
 * +-----------------------+---------------------------------------+
 * @endcode
 *
 * Pure functions, safe from any thread.
 */

#ifndef FCN_TRIMMED_OPTION_H
#define FCN_TRIMMED_OPTION_H

#include <stdbool.h>
#include <stdint.h>

#include "fcn_parse.h"

#define FCN_TRIMMED_OPTION_DATA 12 /**< Opt Data Len */

/** Reason: the queue had no room for the packet. */
#define FCN_TRIMMED_NO_ROOM 1

/** The option, in host byte order. */
struct fcn_trimmed_option {
	uint8_t reason;      /**< FCN_TRIMMED_NO_ROOM; others may follow */
	uint8_t level;       /**< congestion level of the queue, 0 to 7 */
	uint16_t length;     /**< bytes of the innermost IP packet, its header included */
	uint8_t opcode;      /**< BTH opcode of the packet */
	uint32_t psn;        /**< its packet sequence number, 24 bits */
	uint32_t flow_label; /**< of its innermost IPv6 header, 20 bits */
};

/** Get what the option says of a packet of RoCEv2 over IPv6. @param info result of fcn_parse() on
 * the frame, with FCN_PKT_ROCE */
struct fcn_trimmed_option fcn_trimmed_option_of(
		const uint8_t *data, const struct fcn_wire_info *info, uint8_t level);

/** Write the option from its Option Type octet on: 2 + FCN_TRIMMED_OPTION_DATA bytes. */
void fcn_trimmed_option_write(uint8_t *p, uint8_t type, const struct fcn_trimmed_option *option);

/** Offset of the option in the Destination Options header, behind option 1 and a PadN of 2 bytes.
 */
#define FCN_TRIMMED_OPTION_OFF 26

/** Length of a Destination Options header with option 1 and this option. */
#define FCN_TRIMMED_EXT_LEN (FCN_TRIMMED_OPTION_OFF + 2 + FCN_TRIMMED_OPTION_DATA)

/**
 * Write the option into a notice with option 1, with the PadN in front of it and the length of the
 * header that has both. It is what fcn_trimmed_option_write() writes of fcn_trimmed_option_of(),
 * with the reason FCN_TRIMMED_NO_ROOM.
 *
 * @param ip       IPv6 header of the notice, which the Destination Options header follows
 * @param inner    innermost IP header of the packet, IPv6
 * @param bth      its BTH
 */
static inline void
fcn_trimmed_option_put(
		uint8_t *ip, uint8_t type, uint8_t level, const uint8_t *inner, const uint8_t *bth)
{
	const uint32_t ip6 = fcn_load_be32(inner), psn = fcn_load_be32(bth + 8);
	const uint16_t length = (uint16_t)(sizeof(struct rte_ipv6_hdr) +
					   (inner[4] << 8 | inner[5]));
	uint8_t *ext = ip + sizeof(struct rte_ipv6_hdr);
	const rte_be64_t word[] = {
			rte_cpu_to_be_64(UINT64_C(1) << 56 | (uint64_t)type << 40 |
					 (uint64_t)FCN_TRIMMED_OPTION_DATA << 32 |
					 FCN_TRIMMED_NO_ROOM << 24 | (uint32_t)level << 16 |
					 length),
			rte_cpu_to_be_64((uint64_t)bth[0] << 56 | (uint64_t)(psn & 0xFFFFFF) << 32 |
					 (ip6 & 0xFFFFF)),
	};

	ext[1] = FCN_TRIMMED_EXT_LEN / 8 - 1;
	memcpy(ext + FCN_TRIMMED_OPTION_OFF - 2, word, sizeof(word));
}

/**
 * Find the option in a frame, and read it.
 *
 * @param len  bytes readable at data
 * @param info result of fcn_parse() on the frame
 * @param type its option type
 * @param out  written when the result is true
 * @return false when there is none, or its length is wrong
 */
bool fcn_trimmed_option_read(const uint8_t *data, uint32_t len, const struct fcn_wire_info *info,
		uint8_t type, struct fcn_trimmed_option *out);

#endif /* FCN_TRIMMED_OPTION_H */
