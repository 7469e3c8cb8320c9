/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Random traffic between the routed ports of group_bench.h: many flows of plain RoCEv2, and among
 * their packets odd ones, of the same flows and of others. Ports 6 and 7 get congested. Each of
 * their class queues gets the packets of one receive queue, so it does not matter which worker has
 * its turn first.
 */

#ifndef GROUP_MIX_H
#define GROUP_MIX_H

#include "group_bench.h"

#define MIX_FLOWS 160
#define MIX_BURST 30           /**< most packets that a port receives in a step of time */
#define MIX_CONGESTED 6        /**< first port that gets congested */
#define MIX_CONGESTED_BURST 56 /**< most packets for these ports: one notice each finds room */

#define MIX_SUB 20 /**< first number of the two sub-interfaces, of ports 2 and 5 */

/** What a flow consists of. */
enum mix_family {
	MIX_ROCE6, /**< RoCEv2 over IPv6: see mix_shape6() */
	MIX_ROCE4, /**< RoCEv2 over IPv4, some with options or padding */
	MIX_TCP6,
	MIX_UDP6,    /**< another port than that of RoCEv2 */
	MIX_SRH,     /**< RoCEv2 by way of a local SID (End) */
	MIX_LOCAL,   /**< echo requests to the switch */
	MIX_REFUSED, /**< without a route, or the hop limit ends */
	MIX_ENDCON,  /**< Fast CNPs to END.CON, which have no mark */
	MIX_FAMILIES,
};

struct mix_flow {
	uint8_t family, in, out, class, ecn, sender, receiver;
	/** It comes in, or goes out, by the sub-interface of the port, which ports 2 and 5 have. */
	bool tagged_in, tagged_out;
	uint32_t number; /**< of the next packet */
};

struct mix {
	uint64_t seed;
	struct mix_flow flow[MIX_FLOWS];
	uint8_t queue[MIX_FLOWS]; /**< receive queue of each flow */
	unsigned int packets;
	unsigned int congested_burst; /**< MIX_CONGESTED_BURST, or less */
};

/** Choose flows at random. */
void mix_begin(struct mix *mix, uint64_t seed);
/** Let the switch have SIDs, IOAM and congestion; to be called after group_begin(). */
void mix_configure(void);
/** Let the detector of a class queue choose the packets that leave, from 1000 bytes on. */
void mix_choose_at_dequeue(uint16_t port, unsigned int class);
/** End what mix_configure() began; before group_end(). */
void mix_unconfigure(void);
/** Let the next packet of a flow arrive. */
void mix_send(struct mix *mix, unsigned int i);
/** Let packets of random flows arrive at all ports, for one step of time. */
void mix_arrive(struct mix *mix);
/** Get a random number below n. */
unsigned int mix_below(struct mix *mix, unsigned int n);
/** Choose how many packets each port sends: all but the congested ones, which send all of their
 * strict classes, and some of the others. */
void mix_rooms(struct mix *mix, uint16_t room[OUTCOME_PORTS]);

#endif /* GROUP_MIX_H */
