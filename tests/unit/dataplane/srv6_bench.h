/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The test bench with local SIDs: packets of the vectors arrive at port 0; routes to everything
 * lead to port 1.
 */

#ifndef SRV6_BENCH_H
#define SRV6_BENCH_H

#include "fcn_punt.h"
#include "testbed.h"
#include "vectors.h"

#define ETHER_LEN 14
#define IP6_LEN 40

/** The one SID of the bench. */
extern struct fcn_srv6_sid srv6_sid;

/** Test setup and teardown. */
int srv6_bench_setup(void **state);
int srv6_bench_teardown(void **state);

/** Fast CNPs to END.CON: vector 11. */
extern struct vectors srv6_endcon;

/** Test setup and teardown: their SID is here, and their P node, 2001:db8:f::/48, in the access
 * list; no limits. */
int srv6_endcon_setup(void **state);
int srv6_endcon_teardown(void **state);

/**
 * Let the destination of a frame be the SID, with this behavior.
 *
 * @param flavors set of FCN_SRV6_FLAVOR_*
 */
void srv6_set_sid(const uint8_t *frame, enum fcn_srv6_behavior behavior, unsigned int flavors);

#define SRV6_NEXT_HOP 5 /**< that of the routes to everything */

/** Number of next hops that srv6_set_group() has, behind ports 1 to 3. */
#define SRV6_GATEWAYS 8
/** Get one of them. */
struct fcn_next_hop *srv6_gateway(unsigned int i);

/**
 * Let the routes to everything lead to a group of the first n gateways, as they are at first, from
 * the next snapshot on.
 *
 * @param n 0: they lead to port 1 again
 */
void srv6_set_group(unsigned int n);

/** Let a frame arrive at port 0, to the MAC address of that port. */
struct rte_mbuf *srv6_arrive(const uint8_t *data, uint32_t len);
/** The same at any port. */
struct rte_mbuf *srv6_arrive_by(uint16_t port, const uint8_t *data, uint32_t len);

/** Count one hop in a frame as a router does. The checksum of an IPv4 header is computed anew. */
void srv6_count_hop(uint8_t *frame);

/**
 * Run a turn. One packet leaves, by this port, and is the frame `want` from the IP header on.
 */
void srv6_expect(uint16_t port, const uint8_t *want, uint32_t len);

/** Take the packet that waits for the host functions, of whatever kind; it is freed. @return false:
 * there is none */
bool srv6_take(struct fcn_punt *punt);

#endif /* SRV6_BENCH_H */
