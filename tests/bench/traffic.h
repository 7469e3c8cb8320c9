/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The packets of the measurements: RoCEv2 over IPv6, several flows between the hosts behind each
 * port.
 *
 * Host h behind port p has the address 2001:db8:p:h::1 and the MAC address 02:00:00:00:0p:0h.
 */

#ifndef BENCH_TRAFFIC_H
#define BENCH_TRAFFIC_H

#include <stdbool.h>
#include <stdint.h>

#include <rte_ether.h>

#define BENCH_PORTS 2
#define BENCH_HOSTS 16  /* behind each port */
#define BENCH_FLOWS 256 /* from the hosts behind each port */
#define BENCH_PACKET_MAX 2048
#define BENCH_CLASS 3 /* of all packets */

/** What the switch does in an SRv6 domain. The first three are SIDs of the switch. */
enum bench_srv6 {
	BENCH_SRV6_NONE,
	BENCH_SRV6_END,     /**< End: a Segment Routing Header with a segment left */
	BENCH_SRV6_END_DT6, /**< End.DT6: without Segment Routing Header */
	BENCH_SRV6_END_CON, /**< END.CON: Fast CNPs with option 1 */
	/** P node: tunnels from END.CON SIDs to other nodes, without Segment Routing Header */
	BENCH_SRV6_P_NODE,
	BENCH_SRV6_ENCAPS,     /**< H.Encaps with two segments; packets arrive without a tunnel */
	BENCH_SRV6_ENCAPS_RED, /**< H.Encaps.Red with two segments */
	BENCH_SRV6_NO_SRH,     /**< a single segment, without Segment Routing Header */
	BENCH_SRV6_PATHS,      /**< H.Encaps.Red with two segments, by three lists of a policy */
};

/** Whether packets enter the SRv6 domain at the switch. */
static inline bool
bench_srv6_is_headend(enum bench_srv6 kind)
{
	return kind >= BENCH_SRV6_ENCAPS;
}

/** Properties of the packets. */
struct bench_traffic {
	bool bridged;         /**< from host to host, not to the router's MAC address */
	bool circulating;     /**< to hosts behind their own ingress port */
	bool trace;           /**< with an IOAM trace of three hops in a Hop-by-Hop header */
	uint16_t payload;     /**< bytes of RoCEv2 payload */
	enum bench_srv6 srv6; /**< in a tunnel, or to enter one */
};

/** MAC address of all ports of the switch. */
extern const struct rte_ether_addr bench_router_mac;

struct rte_ether_addr bench_host_mac(unsigned int port, unsigned int host);
void bench_host_address(unsigned int port, unsigned int host, uint8_t addr[16]);

/** Get the address of a SID: enum bench_srv6, or above these one of another node. */
void bench_sid_address(unsigned int sid, uint8_t addr[16]);
/** Get the outer source of packets in tunnels that a port receives: an END.CON SID. */
void bench_outer_source(unsigned int port, uint8_t addr[16]);
/** Put a packet into a tunnel, or the Fast CNP about it. @return the new length in bytes */
uint32_t bench_wrap_srv6(enum bench_srv6 kind, unsigned int port, uint8_t *frame, uint32_t len);

/** Make a packet of a flow that a port receives. @return its length in bytes */
uint32_t bench_packet(const struct bench_traffic *traffic, unsigned int port, unsigned int flow,
		uint8_t *buf);

/** Write one packet of each flow of a port. @return 0 or -1. */
int bench_write_pcap(const struct bench_traffic *traffic, unsigned int port, const char *file);

#endif /* BENCH_TRAFFIC_H */
