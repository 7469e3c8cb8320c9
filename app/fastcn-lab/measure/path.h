/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The path of a flow through the network of a scenario, and the ideal duration of a message that is
 * alone on this path. Slowdown is the actual duration divided by the ideal one.
 *
 * The path is the one with the fewest links, and among several of these the one over the links that
 * come first in the scenario; their rates are not compared. Every node stores a frame completely
 * before it forwards it.
 */

#ifndef LAB_PATH_H
#define LAB_PATH_H

#include <stdint.h>

#include "scenario.h"

/**
 * Bytes on the wire in addition to the payload of a packet: Ethernet, IPv6, UDP, BTH and ICRC; FCS,
 * preamble and inter-packet gap.
 */
#define LAB_PACKET_OVERHEAD (78 + 24)
/** Bytes of an acknowledgement on the wire: the same with an AETH. */
#define LAB_ACK_WIRE (LAB_PACKET_OVERHEAD + 4)
/** Bytes of a Fast CNP with option 1 on the wire. */
#define LAB_FASTCNP_WIRE (118 + 24)

struct lab_hop {
	unsigned int link;
	unsigned int direction;
	uint64_t rate_bps;
	uint64_t delay_ns; /**< delay of the link plus latency of the switch at its end */
};

struct lab_path {
	unsigned int n_hops; /**< number of links; 0: there is no path */
	struct lab_hop *hop;
};

/** Find the path between two nodes. @return 0, -ENOENT when there is no path, or -ENOMEM */
int lab_path_find(const struct lab_scenario *sc, struct lab_node from, struct lab_node to,
		struct lab_path *path);
void lab_path_free(struct lab_path *path);

/**
 * Compute the time from posting a message until its sender receives the acknowledgement of its last
 * byte, on an otherwise idle path. Packets have no extension headers, and the number of bytes in
 * flight is not limited. The time is in ns, rounded up.
 *
 * @param payload  bytes of a packet at most
 * @param rate_bps rate limit of the sender, bits per second; 0: the rate of its link
 */
uint64_t lab_path_ideal_ns(
		const struct lab_path *path, uint64_t bytes, uint32_t payload, uint64_t rate_bps);

#endif /* LAB_PATH_H */
