/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Packets that a worker punts to the host functions of the switch (neighbour resolution, ICMP), and
 * packets that the host functions inject or return.
 *
 * The host functions are one thread, so punts are policed (control-plane policing): each ingress
 * port has, for each kind of packet, a token bucket and a maximum number of waiting packets. Each
 * kind has a ring, which holds the maximum of all ports together, so that no port and no kind can
 * block another one.
 */

#ifndef FCN_PUNT_H
#define FCN_PUNT_H

#include <stdbool.h>
#include <stdint.h>

#include <rte_mbuf.h>
#include <rte_ring.h>

#include "fcn_addr.h"
#include "fcn_icmp6.h"
#include "fcn_port_limit.h"

/** Why a packet goes to the host functions. */
enum fcn_punt_reason {
	FCN_PUNT_LOCAL,        /**< it is addressed to the switch */
	FCN_PUNT_LINK,         /**< it is ICMPv6 of this link, such as Neighbour Discovery */
	FCN_PUNT_ARP,          /**< it is ARP, to the broadcast address or to the port */
	FCN_PUNT_NO_NEIGHBOUR, /**< the MAC address of its next hop is unknown */
	FCN_PUNT_NO_ROUTE,     /**< there is no route to its destination */
	FCN_PUNT_HOP_LIMIT,    /**< its hop limit or TTL ends here; it is as received */
	FCN_PUNT_MTU,          /**< it is longer than the egress port's MTU; it is as received */
	FCN_PUNT_SID,          /**< it is an echo request to a local SID */
	FCN_PUNT_ERROR,        /**< a local SID has refused it, with an ICMPv6 error */
	FCN_PUNT_ENDCON,       /**< END.CON has; the error comes from the address of END.CON */
	FCN_PUNT_CONTROL,      /**< it is of a control protocol; its port has a kernel interface */
	FCN_PUNT_REASON_COUNT,
};

/*
 * X(symbol, name, rate, burst, backlog, text). The kinds of packets that are policed, in the order
 * in which the host functions take them. rate is the default number of packets a second of one
 * port, burst the default number at once; backlog is the number of packets of one port that may
 * wait for the host functions, a power of two; see fcn_punt_queues_divide().
 */
#define FCN_PUNT_KINDS(X)                                                                        \
	X(NEIGHBOUR, "neighbour", 2000, 256, 128, "ARP, Neighbour Discovery and queries of MLD") \
	X(CONTROL, "control", 5000, 512, 128,                                                    \
			"routing protocols, on a port with a kernel interface")                  \
	X(LINK, "link", 1000, 128, 64,                                                           \
			"protocols of the link other than IP and IS-IS, such as LLDP, LACP, "    \
			"802.1X and PTP, on a port with a kernel interface")                     \
	X(LOCAL, "local", 5000, 256, 128, "other packets to an address of the switch")           \
	X(RESOLVE, "resolve", 1000, 128, 64,                                                     \
			"packets to forward whose next hop's MAC address is not known")          \
	X(MTU, "mtu", 500, 64, 16, "packets longer than the egress port's MTU")                  \
	X(NO_ROUTE, "no_route", 500, 64, 16, "packets without a route")                          \
	X(HOP_LIMIT, "hop_limit", 500, 64, 16, "packets whose hop limit or TTL has expired")     \
	X(SRV6, "srv6", 500, 64, 16, "packets that a local SID refuses with an ICMPv6 error")

enum fcn_punt_kind {
#define FCN_PUNT_ENUM(sym, name, rate, burst, backlog, text) FCN_PUNT_KIND_##sym,
	FCN_PUNT_KINDS(FCN_PUNT_ENUM)
#undef FCN_PUNT_ENUM
	FCN_PUNT_KIND_COUNT,
};

/** Get the short name of a kind for commands, counters and JSON; never NULL. Any thread. */
const char *fcn_punt_kind_name(enum fcn_punt_kind kind);

/** Rate at which packets of a kind may be punted. */
struct fcn_punt_rate {
	uint32_t per_second; /**< packets per second; 0: none */
	uint32_t burst;      /**< maximum number of packets at once */
};

/** Get the default rate of a kind, for one port. Any thread may call it. */
struct fcn_punt_rate fcn_punt_default(enum fcn_punt_kind kind);

/** Number of ports whose backlogs the queues of a worker have room for. More ports share it. */
#define FCN_PUNT_PORTS 64u

/** Get the number of packets of one ingress port that may wait, of all kinds, if there are at most
 * FCN_PUNT_PORTS ports. Any thread may call it. */
uint32_t fcn_punt_backlog(void);

/** Number of packets that the ring from the host functions to a worker holds. */
#define FCN_INJECTS 4096

/** Get how many of them may be used, if backlogs are divided by 2^shift. */
static inline uint32_t
fcn_inject_limit(unsigned int shift)
{
	return RTE_MAX(FCN_INJECTS >> shift, 1024);
}

/** Parameters of a token bucket. If all are 0, no packet may be punted. */
struct fcn_punt_limit {
	uint64_t cost_ns;  /**< time in ns after which a token is added */
	uint64_t spare_ns; /**< size of the bucket as a time: tokens - 1, times cost_ns */
};

/**
 * Compute the token bucket for a rate. Any thread may call it.
 *
 * @param parts number of workers among which the rate is divided; the result is for one of them
 */
struct fcn_punt_limit fcn_punt_limit_of(const struct fcn_punt_rate *rate, unsigned int parts);

/** A punted packet, as it was received, from its Ethernet header on. */
struct fcn_punt {
	struct rte_mbuf *mbuf;
	uint16_t in_port;
	uint16_t interface; /**< interface that it is for: in_port, or a bridge interface */
	uint8_t reason;     /**< enum fcn_punt_reason */
	uint8_t class;
	uint8_t table;   /**< number of the route table that it was to be routed by */
	uint16_t l3_off; /**< offset of the outermost IP header in bytes; 0 for ARP */
	uint16_t mtu;    /**< with FCN_PUNT_MTU: MTU of the egress port in bytes */
	/** with FCN_PUNT_ERROR and FCN_PUNT_ENDCON: the error, and the enum fcn_drop_reason of the
	 * packet */
	struct fcn_icmp6_error error;
	uint8_t drop;
	/** with FCN_PUNT_NO_NEIGHBOUR: the next hop, behind `via_port`; version 0: it follows from
	 * the route */
	struct fcn_addr via;
	uint16_t via_port;
};

/** Queues of the packets that one worker has punted. */
struct fcn_punt_queues;

/** Create empty queues. @param socket NUMA node. @return NULL when memory is exhausted */
struct fcn_punt_queues *fcn_punt_queues_create(int socket);
/**
 * Divide the queues among ports: each may have as many packets waiting as FCN_PUNT_KINDS says, and
 * of more than FCN_PUNT_PORTS ports each so many the fewer. Only the worker calls it.
 */
void fcn_punt_queues_divide(struct fcn_punt_queues *q, unsigned int n_ports);
/** Free queues and the packets in them. NULL is allowed. */
void fcn_punt_queues_free(struct fcn_punt_queues *q);
/**
 * Put a packet into the queue of its kind. Only the worker calls it.
 *
 * @param shift the maximum number of waiting packets is divided by 2^shift
 * @return false when the maximum number of packets of this port and kind are waiting; the packet
 *         remains the caller's
 */
bool fcn_punt_enqueue(struct fcn_punt_queues *q, enum fcn_punt_kind kind,
		const struct fcn_punt *punt, unsigned int shift);
/** Whether packets of any kind wait. Only the thread of the host functions calls it. */
bool fcn_punt_is_waiting(const struct fcn_punt_queues *q);
/**
 * Take the oldest packet of a kind. Only the thread of the host functions calls it.
 *
 * @param punt written: the packet, which belongs to the caller
 * @return false when there is none
 */
bool fcn_punt_dequeue(struct fcn_punt_queues *q, enum fcn_punt_kind kind, struct fcn_punt *punt);

/** What a worker is to do with a packet from the host functions. */
enum fcn_inject_kind {
	FCN_INJECT_SEND,    /**< send a frame that the host functions made */
	FCN_INJECT_FORWARD, /**< forward a punted packet, whose Ethernet header was replaced */
	FCN_INJECT_DROP,    /**< drop a punted packet, and count it */
	FCN_INJECT_ROUTE,   /**< route a packet that the host functions made */
};

/** A packet from the host functions to a worker. A packet to send begins with an Ethernet header.
 */
struct fcn_inject {
	struct rte_mbuf *mbuf;
	uint16_t out_port; /**< SEND, FORWARD: port, sub-interface or bridge interface */
	/** FORWARD, DROP: ingress port of the punted packet; ROUTE: of the packet that was the
	 * cause
	 */
	uint16_t in_port;
	uint8_t class;
	uint8_t kind; /**< enum fcn_inject_kind */
	union {
		uint8_t drop;  /**< DROP: enum fcn_drop_reason */
		uint8_t table; /**< ROUTE: number of the table */
	};
};

struct fcn_worker;

/**
 * Drop a packet for which the ring to a worker has no room. To be called by fcn_worker_call().
 *
 * @param arg struct fcn_inject of the kind FCN_INJECT_DROP
 */
void fcn_inject_refused(struct fcn_worker *w, void *arg);

#endif /* FCN_PUNT_H */
