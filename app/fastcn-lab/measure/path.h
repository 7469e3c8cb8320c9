/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The path of a flow through the network of a scenario, and how long a message takes that is alone
 * on it: what slowdown is relative to.
 *
 * The path is the one of the fewest links (among equals the one over links that come first in the
 * scenario); a rate that differs between paths of the same length is not looked at. Every node
 * stores a frame and forwards it once it is whole.
 */

#ifndef LAB_PATH_H
#define LAB_PATH_H

#include <stdint.h>

#include "scenario.h"

/** Bytes around a packet's payload: Ethernet, IPv6, UDP, BTH, ICRC; FCS, preamble, gap. */
#define LAB_PACKET_OVERHEAD (78 + 24)
/** An acknowledgement on the wire: that and its AETH. */
#define LAB_ACK_WIRE (LAB_PACKET_OVERHEAD + 4)
/** A Fast CNP with option 1 on the wire. */
#define LAB_FASTCNP_WIRE (118 + 24)

struct lab_hop {
	unsigned int link;
	unsigned int direction;
	uint64_t rate_bps;
	uint64_t delay_ns; /**< of the link, and of the switch at its end */
};

struct lab_path {
	unsigned int n_hops; /**< 0: there is none */
	struct lab_hop *hop;
};

/** @return 0, -ENOENT: no path, -ENOMEM */
int lab_path_find(const struct lab_scenario *sc, struct lab_node from, struct lab_node to,
		struct lab_path *path);
void lab_path_free(struct lab_path *path);

/**
 * Time of a message from its posting to its last byte's acknowledgement at the sender, alone on the
 * idle path, packets with basic headers, without a limit of bytes in flight; rounded up.
 *
 * @param payload  bytes of a packet at most
 * @param rate_bps the sender's pace, 0: line
 */
uint64_t lab_path_ideal_ns(
		const struct lab_path *path, uint64_t bytes, uint32_t payload, uint64_t rate_bps);

#endif /* LAB_PATH_H */
