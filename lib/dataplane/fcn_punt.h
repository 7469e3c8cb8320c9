/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Packets that a worker leaves to the switch's own host functions (neighbour
 * resolution, ICMP), and frames that those have a worker send. Each over an
 * SP/SC ring; a full one drops, and counts that.
 */

#ifndef FCN_PUNT_H
#define FCN_PUNT_H

#include <stdint.h>

#include <rte_mbuf.h>

/** Packets of a worker that go to the host functions: 20000 a second, 512 at once. */
#define FCN_PUNT_COST_NS 50000
#define FCN_PUNT_BURST 512

/** Why a packet goes to the host functions. */
enum fcn_punt_reason {
	FCN_PUNT_LOCAL,        /**< to an address of the switch */
	FCN_PUNT_LINK,         /**< link-local or link-scope multicast ICMPv6: ND */
	FCN_PUNT_ARP,          /**< ARP, to all or to the port */
	FCN_PUNT_NO_NEIGHBOUR, /**< the next hop's MAC address is unknown */
	FCN_PUNT_NO_ROUTE,
	FCN_PUNT_HOP_LIMIT, /**< hop limit or TTL would end here; as received */
	FCN_PUNT_MTU,       /**< longer than the egress port's MTU; as received */
	FCN_PUNT_CONTROL,   /**< of a control protocol, on a port with an interface of the kernel */
	FCN_PUNT_REASON_COUNT,
};

/** A packet on its way to the host functions, from its Ethernet header on, as received. */
struct fcn_punt {
	struct rte_mbuf *mbuf;
	uint16_t in_port;
	uint8_t reason; /**< enum fcn_punt_reason */
	uint8_t class;
	/** Of the outermost IP header; 0 for ARP, and for packets of the switch itself that have
	 * no Ethernet header yet (notices): those go as they are, their hop limit included. */
	uint16_t l3_off;
	uint16_t mtu;     /**< MTU: what would fit */
	uint64_t time_ns; /**< the worker's clock */
};

/** A frame on its way to a port, whole from its Ethernet header on. */
struct fcn_inject {
	struct rte_mbuf *mbuf;
	uint16_t out_port;
	uint8_t class;
};

#endif /* FCN_PUNT_H */
