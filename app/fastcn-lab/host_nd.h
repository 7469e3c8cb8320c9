/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * What a live endpoint does on its link beside RoCEv2: one IPv6 address, announced and answered for
 * (RFC 4861), a next hop that is asked for, echo replies. Frames in, frames out; no port, no clock.
 */

#ifndef HOST_ND_H
#define HOST_ND_H

#include <stdbool.h>
#include <stdint.h>

#include <rte_ether.h>

#define HOST_ND_RETRY_NS UINT64_C(1000000000) /**< between two solicitations (RetransTimer) */

/* X(field, text): counters; one source of the struct, of JSON and of text. */
#define HOST_ND_COUNTERS(X)                                                           \
	X(nd_answered, "neighbour solicitations answered")                            \
	X(nd_asked, "neighbour solicitations sent")                                   \
	X(echo_answered, "echo requests answered")                                    \
	X(echo_dropped, "echo requests not answered: malformed, or too long a reply") \
	X(icmp_errors, "ICMPv6 errors received")                                      \
	X(icmp_other, "other ICMPv6 messages received, or malformed ones, given to nobody")

struct host_nd_counters {
#define HOST_ND_FIELD(field, text) uint64_t field;
	HOST_ND_COUNTERS(HOST_ND_FIELD)
#undef HOST_ND_FIELD
};

/** One owner; all zero and host_nd_init() before use. */
struct host_nd {
	uint8_t addr[16];
	struct rte_ether_addr mac;
	uint8_t hop_limit;
	struct host_nd_counters n;
	/* own address */
	bool probed; /**< somebody else was asked for */
	bool announced;
	bool duplicate;                      /**< somebody else has it */
	struct rte_ether_addr duplicate_mac; /**< who */
	/* next hop */
	bool wanted, known;
	uint8_t hop[16];
	struct rte_ether_addr hop_mac;
	unsigned int asked; /**< times */
	uint64_t next_ns;   /**< asked for again */
};

void host_nd_init(struct host_nd *nd, const uint8_t addr[16], const struct rte_ether_addr *mac,
		uint8_t hop_limit);

/** Ask for a next hop's MAC address until it is known. */
void host_nd_want(struct host_nd *nd, const uint8_t hop[16], uint64_t now);

/** When host_nd_poll() has a frame; UINT64_MAX: never. */
uint64_t host_nd_next(const struct host_nd *nd);

/** A frame that is due. @return its length, 0: none */
uint32_t host_nd_poll(struct host_nd *nd, uint8_t *buf, uint32_t room, uint64_t now);

/**
 * A frame came in.
 *
 * @param buf    for an answer; apart from frame
 * @param answer length of that, 0: none
 * @return whether it was ICMPv6 to this station; else it is untouched, for others
 */
bool host_nd_receive(struct host_nd *nd, const uint8_t *frame, uint32_t len, uint8_t *buf,
		uint32_t room, uint32_t *answer);

#endif /* HOST_ND_H */
