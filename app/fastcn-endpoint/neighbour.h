/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Neighbour discovery (RFC 4861) and echo replies (RFC 4443) of the endpoint: it announces its one
 * IPv6 address, answers solicitations for it, and resolves the MAC address of its next hop.
 * Functions take and return frames; the caller sends them and has the clock.
 */

#ifndef LIVE_ND_H
#define LIVE_ND_H

#include <stdbool.h>
#include <stdint.h>

#include <rte_ether.h>

/** Ns between two solicitations (RetransTimer, RFC 4861 section 10). */
#define LIVE_ND_RETRY_NS UINT64_C(1000000000)

/* X(field, text): counters. The list is the source of the struct, of JSON and of the text. */
#define LIVE_ND_COUNTERS(X)                                                           \
	X(nd_answered, "neighbour solicitations answered")                            \
	X(nd_asked, "neighbour solicitations sent")                                   \
	X(echo_answered, "echo requests answered")                                    \
	X(echo_dropped, "echo requests not answered: malformed, or too long a reply") \
	X(icmp_errors, "ICMPv6 errors received")                                      \
	X(icmp_other, "ICMPv6 messages received and ignored, because they are of "    \
		      "other types or malformed")

struct live_nd_counters {
#define LIVE_ND_FIELD(field, text) uint64_t field;
	LIVE_ND_COUNTERS(LIVE_ND_FIELD)
#undef LIVE_ND_FIELD
};

/** State, which is zeroed before live_nd_init(). Only one thread may use it. */
struct live_nd {
	uint8_t addr[16];
	struct rte_ether_addr mac;
	uint8_t hop_limit;
	struct live_nd_counters n;
	/* own address */
	bool probed; /**< the probe for duplicate address detection was sent */
	bool announced;
	bool duplicate;                      /**< another station has the address */
	struct rte_ether_addr duplicate_mac; /**< MAC address of that station */
	/* next hop */
	bool wanted, known;
	uint8_t hop[16];
	struct rte_ether_addr hop_mac;
	unsigned int asked; /**< number of solicitations sent */
	uint64_t next_ns;   /**< time of the next solicitation */
};

void live_nd_init(struct live_nd *nd, const uint8_t addr[16], const struct rte_ether_addr *mac,
		uint8_t hop_limit);

/** Send neighbour solicitations for a next hop until its MAC address is known. */
void live_nd_want(struct live_nd *nd, const uint8_t hop[16], uint64_t now);

/** Get the time, in ns, at which live_nd_poll() will have a frame; UINT64_MAX: never. */
uint64_t live_nd_next(const struct live_nd *nd);

/** Build a frame that is due. @return its length in bytes; 0 when none is due */
uint32_t live_nd_poll(struct live_nd *nd, uint8_t *buf, uint32_t room, uint64_t now);

/**
 * Process a received frame.
 *
 * @param buf    buffer for an answer; does not overlap the frame
 * @param answer set to the length of the answer in bytes, 0 when there is none
 * @return whether the frame was ICMPv6 to this host. The caller has to process all other frames.
 */
bool live_nd_receive(struct live_nd *nd, const uint8_t *frame, uint32_t len, uint8_t *buf,
		uint32_t room, uint32_t *answer);

#endif /* LIVE_ND_H */
