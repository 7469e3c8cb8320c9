/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Packets that a worker leaves to the switch's own host functions (neighbour
 * resolution, ICMP), and frames that those have a worker send.
 *
 * The host functions are one thread, so what each port may have them do is
 * bounded (control-plane policing): for each ingress port and each kind of
 * packet there is a token bucket, and a number of packets that may wait. Each
 * kind has a ring of its own, which is large enough for what all ports
 * together may have waiting: neither a port nor a kind can keep the packets of
 * another one out.
 */

#ifndef FCN_PUNT_H
#define FCN_PUNT_H

#include <stdbool.h>
#include <stdint.h>

#include <rte_mbuf.h>
#include <rte_ring.h>

#include "fcn_port_limit.h"

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

/*
 * X(symbol, name, rate, burst, backlog, text). The kinds of packets that are policed, in the order
 * in which the host functions take them. rate is the default number of packets a second of one
 * port, burst the default number at once; backlog is the number of packets of one port that may
 * wait for the host functions, a power of two.
 */
#define FCN_PUNT_KINDS(X)                                                                        \
	X(NEIGHBOUR, "neighbour", 2000, 256, 128, "ARP, Neighbour Discovery and queries of MLD") \
	X(CONTROL, "control", 5000, 512, 128,                                                    \
			"routing protocols, on a port with an interface of the kernel")          \
	X(LOCAL, "local", 5000, 256, 128, "other packets to an address of the switch")           \
	X(RESOLVE, "resolve", 1000, 128, 64,                                                     \
			"packets to forward whose next hop's MAC address is unknown")            \
	X(MTU, "mtu", 500, 64, 16, "packets longer than the egress port's MTU")                  \
	X(NO_ROUTE, "no_route", 500, 64, 16, "packets without a route")                          \
	X(HOP_LIMIT, "hop_limit", 500, 64, 16, "packets whose hop limit or TTL ends here")

enum fcn_punt_kind {
#define FCN_PUNT_ENUM(sym, name, rate, burst, backlog, text) FCN_PUNT_KIND_##sym,
	FCN_PUNT_KINDS(FCN_PUNT_ENUM)
#undef FCN_PUNT_ENUM
	FCN_PUNT_KIND_COUNT,
};

/** Short name as it stands in commands, counters and JSON, never NULL. */
const char *fcn_punt_kind_name(enum fcn_punt_kind kind);

/** Packets a second, and how many at once. */
struct fcn_punt_rate {
	uint32_t per_second; /**< 0: none at all */
	uint32_t burst;
};

/** Default of a kind. */
struct fcn_punt_rate fcn_punt_default(enum fcn_punt_kind kind);

/** A rate as the token bucket counts it. All zeros let nothing pass. */
struct fcn_punt_limit {
	uint64_t cost_ns;  /**< time that one packet takes of the bucket */
	uint64_t spare_ns; /**< time that the bucket may be ahead of the clock */
};

/** @param parts equal parts that the rate is divided into; the limit is that of one part */
struct fcn_punt_limit fcn_punt_limit_of(const struct fcn_punt_rate *rate, unsigned int parts);

/** A packet on its way to the host functions, from its Ethernet header on, as received. */
struct fcn_punt {
	struct rte_mbuf *mbuf;
	uint16_t in_port;
	uint16_t interface; /**< whose packet it is: in_port, or an interface of its bridge */
	uint8_t reason;     /**< enum fcn_punt_reason */
	uint8_t class;
	uint16_t l3_off; /**< of the outermost IP header; 0 for ARP */
	uint16_t mtu;    /**< MTU: what would fit */
};

/** Packets of one worker that wait for the host functions. */
struct fcn_punt_queues;

/** @param socket NUMA node. @return NULL on lack of memory */
struct fcn_punt_queues *fcn_punt_queues_create(int socket);
/** Free the packets that wait, too. NULL is allowed. */
void fcn_punt_queues_free(struct fcn_punt_queues *q);
/**
 * Leave a packet to the host functions. From the worker alone.
 * @return false: as many packets of this port and kind wait as may
 */
bool fcn_punt_put(struct fcn_punt_queues *q, enum fcn_punt_kind kind, const struct fcn_punt *punt);
/**
 * Take the packet of a kind that has waited longest. From the one thread of the host functions.
 * @return false: there is none
 */
bool fcn_punt_take(struct fcn_punt_queues *q, enum fcn_punt_kind kind, struct fcn_punt *punt);

/** What a worker is to do with a packet of the host functions. */
enum fcn_inject_kind {
	FCN_INJECT_SEND,    /**< send a frame that they made */
	FCN_INJECT_FORWARD, /**< send a frame that a worker had left to them, as other packets are
			     */
	FCN_INJECT_DROP,    /**< drop a packet that a worker had left to them, and count it */
};

/** A packet of the host functions for a worker. What is sent is whole from its Ethernet header on.
 */
struct fcn_inject {
	struct rte_mbuf *mbuf;
	uint16_t out_port; /**< SEND, FORWARD */
	uint16_t in_port;  /**< FORWARD, DROP: port it came in by */
	uint8_t class;
	uint8_t kind; /**< enum fcn_inject_kind */
	uint8_t drop; /**< DROP: enum fcn_drop_reason */
};

struct fcn_worker;

/**
 * Drop a packet for which the ring of a worker has no room. To be run by the worker, by
 * fcn_worker_call().
 *
 * @param arg struct fcn_inject of the kind FCN_INJECT_DROP
 */
void fcn_inject_refused(struct fcn_worker *w, void *arg);

#endif /* FCN_PUNT_H */
