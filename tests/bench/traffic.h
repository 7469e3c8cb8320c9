/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The packets of the measurements: RoCEv2 over IPv6 or IPv4, several flows between the hosts
 * behind each port.
 *
 * Host h behind port p has the addresses 2001:db8:p:h::1 and 10.p.h.h and the MAC address
 * 02:00:00:0p:hh:hh. Further networks, bench_network(), have a route each and no host of their own.
 */

#ifndef BENCH_TRAFFIC_H
#define BENCH_TRAFFIC_H

#include <stdbool.h>
#include <stdint.h>

#include <rte_ether.h>

#define BENCH_PORTS 2 /* of a worker, unless the traffic says another number */
#define BENCH_PORTS_MAX 4
#define BENCH_HOSTS 16        /* behind each port, unless the traffic says another number */
#define BENCH_FLOWS 256       /* from the hosts behind each port, likewise */
#define BENCH_HOSTS_MAX 32768 /* behind each port */
#define BENCH_PAYLOAD_MAX 4200
#define BENCH_PACKET_MAX 4608
#define BENCH_CLASS 3     /* of all packets */
#define BENCH_NAMESPACE 1 /* of IOAM traces */

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

/** The ports that the packets of a port leave by. */
enum bench_leave {
	BENCH_APART, /**< another port of the worker that received them */
	BENCH_NEXT,  /**< a port of the next worker */
	BENCH_ANY,   /**< the flows of a port are divided among all other ports of the switch */
};

/** Properties of the packets. */
struct bench_traffic {
	bool bridged;           /**< from host to host, not to the router's MAC address */
	bool circulating;       /**< to hosts behind their own ingress port */
	bool trace;             /**< with an IOAM trace of three hops in a Hop-by-Hop header */
	bool transit;           /**< the trace has room for one more: the switch adds its data */
	bool ipv4;              /**< IPv4, else IPv6 */
	unsigned int ports;     /**< of a worker; 0: BENCH_PORTS */
	unsigned int workers;   /**< each with ports of its own; 0: one */
	enum bench_leave leave; /**< whose ports they leave by; not for bridges, nor for networks */
	bool best_effort;       /**< TCP has DSCP 0, and so another class than RoCEv2 */
	unsigned int tcp;       /**< of so many flows one is TCP, not RoCEv2; 0: none is */
	unsigned int hosts;     /**< behind each port; 0: BENCH_HOSTS */
	unsigned int flows;     /**< from the hosts behind each port; 0: BENCH_FLOWS */
	/** destinations are in so many networks, at random; 0: they are the hosts */
	unsigned int networks;
	uint16_t payload;     /**< bytes of RoCEv2 payload */
	enum bench_srv6 srv6; /**< in a tunnel, or to enter one */
};

/** MAC address of all ports of the switch. */
extern const struct rte_ether_addr bench_router_mac;

static inline unsigned int
bench_ports(const struct bench_traffic *traffic)
{
	return traffic->ports != 0 ? traffic->ports : BENCH_PORTS;
}

/** Get the number of ports of the whole switch. */
static inline unsigned int
bench_all_ports(const struct bench_traffic *traffic)
{
	return bench_ports(traffic) * (traffic->workers != 0 ? traffic->workers : 1);
}

static inline unsigned int
bench_hosts(const struct bench_traffic *traffic)
{
	return traffic->hosts != 0 ? traffic->hosts : BENCH_HOSTS;
}

static inline unsigned int
bench_flows(const struct bench_traffic *traffic)
{
	return traffic->flows != 0 ? traffic->flows : BENCH_FLOWS;
}

struct rte_ether_addr bench_host_mac(unsigned int port, unsigned int host);
void bench_host_address(unsigned int port, unsigned int host, uint8_t addr[16]);
void bench_host_address4(unsigned int port, unsigned int host, uint8_t addr[4]);

/**
 * Get the prefix of a network: 2001:db8:10xx::, with 56 or 64 bits, or 20.x, with 22 or 24.
 *
 * @return length in bits
 */
uint8_t bench_network(bool ipv4, unsigned int i, uint8_t addr[16]);

/** Get the port behind which a network is, if packets to networks are measured. */
static inline unsigned int
bench_network_port(const struct bench_traffic *traffic, unsigned int i)
{
	return i / 2 % bench_ports(traffic);
}

/** Get the address of a SID: enum bench_srv6, or above these one of another node. */
void bench_sid_address(unsigned int sid, uint8_t addr[16]);
/** Get the outer source of packets in tunnels that a port receives: an END.CON SID. */
void bench_outer_source(unsigned int port, uint8_t addr[16]);
/** Put a packet into a tunnel, or the Fast CNP about it. @return the new length in bytes */
uint32_t bench_wrap_srv6(enum bench_srv6 kind, unsigned int port, uint8_t *frame, uint32_t len);

/** Make a packet of a flow that a port receives. @return its length in bytes */
uint32_t bench_packet(const struct bench_traffic *traffic, unsigned int port, unsigned int flow,
		uint8_t *buf);

/** Get the port behind which the destination of a flow is. @param port that receives the flow */
unsigned int bench_port_to(
		const struct bench_traffic *traffic, unsigned int port, unsigned int flow);

/** Get the host behind that port which is the destination of a flow. */
unsigned int bench_host_to(const struct bench_traffic *traffic, unsigned int flow);

/** Get the queue pair to which a flow goes. */
uint32_t bench_qp_to(const struct bench_traffic *traffic, unsigned int port, unsigned int flow);

/** Get the length of the packets in bytes. */
uint32_t bench_packet_len(const struct bench_traffic *traffic);

/** Set the hop limit of a packet to 255. @param ip its IPv6 or IPv4 header */
void bench_hop_limit(uint8_t *ip);

/** Write one packet of each flow of a port. @return 0 or -1. */
int bench_write_pcap(const struct bench_traffic *traffic, unsigned int port, const char *file);

#endif /* BENCH_TRAFFIC_H */
