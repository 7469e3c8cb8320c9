/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The switch as a host: neighbours by ND (RFC 4861, 4862) and ARP (RFC 826, 5227), ICMP and ICMPv6
 * (RFC 792, 1812, 4443), router advertisements (RFC 4861 section 6.2), MLD reports for the
 * multicast groups of its own addresses (RFC 3810), and the capability of senders to receive Fast
 * CNPs, which it learns from the ICMPv6 Parameter Problems that they send.
 *
 * All functions are called by one thread: the control thread, or in virtual time the only thread.
 * The module has no clock but `now` (nanoseconds), no I/O but the callbacks, and no randomness but
 * the seed. The work of each call and the memory are bounded.
 */

#ifndef FCN_HOST_H
#define FCN_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rte_ether.h>
#include <rte_mempool.h>

#include "fcn_addr.h"
#include "fcn_drop.h"
#include "fcn_link_protocol.h"
#include "fcn_parse.h"
#include "fcn_port_limit.h"
#include "fcn_punt.h"

#define FCN_HOST_NEVER UINT64_MAX

/** An address of the switch. */
struct fcn_host_address {
	uint16_t port; /**< FCN_HOST_LOOPBACK: the address belongs to no port */
	struct fcn_prefix prefix;
	uint8_t table; /**< of an address that belongs to no port: number of its route table */
};
#define FCN_HOST_LOOPBACK UINT16_MAX

/**
 * Stands for the switch itself where a function expects the port whose packets need a neighbour.
 */
#define FCN_HOST_SELF FCN_MAX_PORTS

/** Maximum number of packets of one ingress port that wait for neighbours. */
#define FCN_HOST_WAIT_PORT 128

/** Properties of a port that the host functions use. */
struct fcn_host_port {
	/**
	 * the port exists and is routed, or is the interface of a bridge; other ports have no host
	 * functions
	 */
	bool routed;
	/** interface of a bridge: it also answers for the loopback address, and does not route */
	bool in_bridge;
	bool up;
	uint8_t table; /**< number of its route table */
	struct rte_ether_addr mac;
	uint16_t mtu;
	bool advertise; /**< send router advertisements */
	/**
	 * there is a kernel interface for this port, which receives the packets that the host
	 * functions do not handle
	 */
	bool kernel;
};

/** A token bucket. */
struct fcn_host_rate {
	uint32_t per_second; /**< 0: nothing is allowed */
	uint32_t burst;
};

/** Configuration; fcn_host_configure() copies it. */
struct fcn_host_conf {
	struct fcn_host_port port[FCN_MAX_PORTS];
	const struct fcn_host_address *addresses;
	size_t n_addresses;
	/** source of notices, in the main table; version 0: none. Other addresses that belong to
	 * no port are in `addresses` */
	struct fcn_addr loopback;
	bool dad; /**< duplicate address detection for addresses of ports */
	bool mld; /**< report the multicast groups of the addresses of ports */
	struct fcn_host_rate icmp_errors;  /**< for each kind of error and each ingress port */
	struct fcn_host_rate icmp_replies; /**< echo replies, for each ingress port */
	/** addresses that are resolved for the packets of one ingress port */
	struct fcn_host_rate solicitations;
	/** mean time for which a neighbour counts as reachable (RFC 4861 section 6.3.2); 0: 30 s */
	uint64_t reachable_ns;
	uint64_t retrans_ns; /**< time between two solicitations; 0: 1 s */
	/**
	 * Maximum number of dynamic neighbours, usually 8192. Half of the entries are reserved:
	 * each port has an equal share for neighbours that its packets need, and another one for
	 * neighbours on it that were heard from or have answered. The other half is shared by all
	 * ports.
	 */
	uint32_t max_neighbours;
	/**
	 * maximum number of neighbours on one port that were heard from or have answered, and also
	 * of neighbours that its packets need; 0: no further limit
	 */
	uint32_t port_neighbours;
	/**
	 * maximum number of packets of one ingress port that wait for neighbours, at most
	 * FCN_HOST_WAIT_PORT; 0: that
	 */
	uint32_t port_waiting;
	/**
	 * longest time between two unsolicited router advertisements of a port (MaxRtrAdvInterval);
	 * 0: 10 min
	 */
	uint64_t ra_interval_ns;
	/**
	 * for how long a sender that refused a kind of notice counts as unable to receive it,
	 * usually 10 min; 0: nothing is learned
	 */
	uint64_t capability_ns;
	/**
	 * a Parameter Problem about a notice that is older than this is not believed, usually 2 s
	 */
	uint64_t notice_recent_ns;
	/** option types that the host functions know, and accept in packets to the switch */
	struct fcn_parse_codes codes;
	uint8_t class; /**< class queue for the packets that the host functions send, usually 7 */
};

/** Result of a route lookup for a destination. */
struct fcn_host_route {
	uint8_t dscp; /**< set before the look-up: DSCP of the packet */
	/** Set before the look-up: a worker left the packet to the host functions. It found no
	 * policy for it, so the neighbour of another path is wanted. */
	bool is_left;
	/** An SRv6 policy leads to the destination. The other members below are not used. */
	bool by_policy;
	uint16_t port;
	struct fcn_addr next_hop; /**< the gateway, or the destination itself if it is connected */
	bool resolved;            /**< the route table has the neighbour's MAC address, in mac */
	struct rte_ether_addr mac;
};

/** Which sender does not understand which notices. */
struct fcn_host_refusal {
	uint8_t sender[16]; /**< IPv6 address, in network byte order */
	uint8_t kind;       /**< number of the kind of notice; the host functions only compare it */
	/** The receiver of such notices is known from the configuration or a routing protocol, so
	 * that its refusal, which may be forged, is only counted. */
	bool ignored;
};

/** Whether a message refuses a notice. */
enum fcn_host_refused {
	FCN_HOST_NOT_REFUSED, /**< it does not: the switch has not sent such a notice recently */
	/** It quotes one, but notices to who refuses it leave by other ports. */
	FCN_HOST_REFUSED_ELSEWHERE,
	FCN_HOST_REFUSED, /**< it does */
};

/** Callbacks by which the host functions use the rest of the switch. */
struct fcn_host_env {
	/**
	 * Send a frame. The callback takes over the mbuf, also when it returns false.
	 *
	 * @param discovery the frame is ARP or Neighbour Discovery, for which the switch reserves
	 *                  some room
	 * @return whether the frame was accepted for sending
	 */
	bool (*send)(void *arg, struct rte_mbuf *m, uint16_t port, uint8_t class, bool discovery);
	/**
	 * Forward a frame that a worker had punted because its neighbour was unknown. The callback
	 * takes over the mbuf. With NULL, send() is called instead.
	 *
	 * @return whether the frame was accepted for sending
	 */
	bool (*forward)(void *arg, struct rte_mbuf *m, uint16_t port, uint16_t in_port,
			uint8_t class);
	/**
	 * Let a worker route a packet that the host functions made. It has room for an Ethernet
	 * header in front, of which the EtherType is set. The callback takes over the mbuf.
	 *
	 * @param in_port port by which the packet came in that caused this one
	 * @return whether the packet was accepted
	 */
	bool (*route_own)(void *arg, struct rte_mbuf *m, uint16_t in_port, unsigned int table,
			uint8_t class);
	/**
	 * Drop a packet that a worker had punted, and count the reason. The callback takes over the
	 * mbuf. With NULL, the mbuf is freed.
	 */
	void (*drop)(void *arg, struct rte_mbuf *m, uint16_t in_port, uint8_t class,
			enum fcn_drop_reason why);
	/**
	 * Look up a destination in a route table, given by its number.
	 *
	 * @return false when there is no route
	 */
	bool (*route)(void *arg, unsigned int table, const struct fcn_addr *dst,
			struct fcn_host_route *route);
	/**
	 * Find out whether an ICMPv6 error to the loopback address, or an ICMPv4 error, refuses a
	 * notice that the switch has sent within the last within_ns, according to its suppression
	 * caches, and has arrived by a port by which such a notice leaves.
	 *
	 * @param in_port port or sub-interface by which it arrived
	 * @param ip      IP header of the message
	 * @param len     bytes readable at ip
	 * @param refusal written when the result is FCN_HOST_REFUSED
	 */
	enum fcn_host_refused (*refused)(void *arg, uint16_t in_port, const uint8_t *ip,
			uint32_t len, uint64_t within_ns, struct fcn_host_refusal *refusal);
	/**
	 * Pass a frame to the kernel interface of a port; the caller keeps the mbuf. Called only
	 * for ports with .kernel set.
	 */
	void (*kernel)(void *arg, const struct rte_mbuf *m, uint16_t port);
	/** Log a line for the operator. The number of lines a second is limited. */
	void (*log)(void *arg, const char *line);
	/**
	 * Secret key of the hash tables of neighbours and senders; 0: it is derived from the seed.
	 */
	uint64_t hash_secret;
	void *arg;
};

/**
 * State of a neighbour (RFC 4861 section 7.3.2). There is no STALE state, because the workers do
 * not report when they forward to a neighbour.
 */
enum fcn_neighbour_state {
	FCN_NEIGHBOUR_INCOMPLETE, /**< a solicitation was sent, and packets wait for the answer */
	FCN_NEIGHBOUR_REACHABLE,
	FCN_NEIGHBOUR_PROBE,  /**< to be confirmed by a solicitation; used meanwhile */
	FCN_NEIGHBOUR_FAILED, /**< did not answer; not solicited again for a while */
};

/** A dynamic neighbour. */
struct fcn_host_neighbour {
	uint16_t port;
	struct fcn_addr addr;
	struct rte_ether_addr mac; /**< valid in REACHABLE and PROBE */
	enum fcn_neighbour_state state;
	uint64_t since_ns; /**< when it entered this state */
	uint32_t waiting;  /**< number of packets that wait for its MAC address */
};

/** A sender that was found not to understand a kind of notice. */
struct fcn_host_sender {
	struct fcn_host_refusal refusal;
	uint64_t until_ns;
	uint64_t answers; /**< number of Parameter Problems that it sent */
};

/* Element of the list below for a protocol of a link. */
#define FCN_HOST_LINK_COUNTER(X, sym, name, kind, groups, types, own, title, text) \
	X(TO_KERNEL_##sym, "to_kernel_" name, "Frames of " title " passed to a kernel interface")

/*
 * Counters of `show host`: X(symbol, name, text). From each line come the value of the enumeration,
 * the name in JSON, the metric, which has "host_" in front of the name, and the documentation.
 */
#define FCN_HOST_COUNTERS(X)                                                                     \
	X(ARP_RX, "arp_rx", "ARP packets received")                                              \
	X(ARP_TX, "arp_tx", "ARP packets sent")                                                  \
	X(ARP_BAD, "arp_bad", "ARP packets received that are not valid")                         \
	X(ND_RX, "nd_rx", "Neighbour Discovery packets received")                                \
	X(ND_TX, "nd_tx", "Neighbour Discovery packets sent")                                    \
	X(ND_BAD, "nd_bad", "Neighbour Discovery packets received that are not valid")           \
	X(RA_TX, "ra_tx", "Router advertisements sent")                                          \
	X(MLD_RX, "mld_rx", "Queries of Multicast Listener Discovery received")                  \
	X(MLD_TX, "mld_tx", "Reports of Multicast Listener Discovery sent")                      \
	X(MLD_BAD, "mld_bad",                                                                    \
			"Queries of Multicast Listener Discovery received that are not "         \
			"valid")                                                                 \
	X(ECHO_RX, "echo_rx", "Echo requests received that are for the switch")                  \
	X(ECHO_TX, "echo_tx", "Echo replies sent")                                               \
	X(ECHO_LIMITED, "echo_limited",                                                          \
			"Echo requests not answered because of the rate limit of their port")    \
	X(ERROR_TX, "error_tx", "ICMP errors sent")                                              \
	X(ERROR_LIMITED, "error_limited",                                                        \
			"ICMP errors not sent because of the rate limit of their port and kind") \
	X(ERROR_UNDUE, "error_undue",                                                            \
			"Packets that may not be answered with an ICMP error, such as "          \
			"ICMP errors and multicast packets")                                     \
	X(ERROR_RX, "error_rx", "ICMP errors received")                                          \
	X(LOCAL_UNHANDLED, "local_unhandled",                                                    \
			"Packets for the switch that no function of the switch receives")        \
	X(TO_KERNEL, "to_kernel", "Frames passed to a kernel interface, alone or as a copy")     \
	FCN_LINK_PROTOCOLS_FOR(FCN_HOST_LINK_COUNTER, X)                                         \
	X(UNFORWARDED, "unforwarded",                                                            \
			"Packets that could not be forwarded: no route, longer than "            \
			"the MTU, or hop limit expired")                                         \
	X(WAIT_QUEUED, "wait_queued",                                                            \
			"Packets that waited for address resolution of their next hop")          \
	X(WAIT_SENT, "wait_sent",                                                                \
			"Packets that waited for address resolution and were sent "              \
			"after it")                                                              \
	X(WAIT_DROPPED, "wait_dropped",                                                          \
			"Packets that waited for address resolution and were dropped, "          \
			"because it failed or too many packets waited")                          \
	X(NEIGHBOUR_FULL, "neighbour_full",                                                      \
			"Neighbours not learned because the table, or the port's share "         \
			"of it, is full")                                                        \
	X(SOLICIT_LIMITED, "solicit_limited",                                                    \
			"Address resolutions not started because of the rate limit of "          \
			"the port whose packets need them")                                      \
	X(NEIGHBOUR_FAILED, "neighbour_failed",                                                  \
			"Neighbours that did not answer address resolution")                     \
	X(UNSENDABLE, "unsendable",                                                              \
			"Packets of the host functions that could not be sent: no "              \
			"route, no neighbour, port down, or longer than the MTU")                \
	X(DAD_DUPLICATE, "dad_duplicate",                                                        \
			"Own addresses that duplicate address detection found in use "           \
			"by another node")                                                       \
	X(CAPABILITY_LEARNED, "capability_learned",                                              \
			"Senders found not to support a kind of notice")                         \
	X(CAPABILITY_IGNORED, "capability_ignored",                                              \
			"ICMP port unreachable messages from proxies of prefixes that are "      \
			"configured or learned; these are told further on")                      \
	X(CAPABILITY_FORGED, "capability_forged",                                                \
			"Parameter Problems ignored because they quote a notice that "           \
			"was never sent, or sent too long ago")                                  \
	X(CAPABILITY_PORT, "capability_other_port",                                              \
			"Refusals of notices ignored because they arrived by a port by "         \
			"which no notice to who sent them leaves")                               \
	X(NO_MBUF, "no_mbuf", "Packets not sent because there was no packet buffer")             \
	X(SEND_REFUSED, "send_refused",                                                          \
			"Packets not sent because the ring to the worker was full; a "           \
			"part of the ring is reserved for ARP and Neighbour Discovery")          \
	X(DISCOVERY_REFUSED, "discovery_refused",                                                \
			"ARP and Neighbour Discovery packets not sent because the ring "         \
			"to the worker was full")

enum fcn_host_counter {
#define FCN_HOST_ENUM(sym, name, text) FCN_HOST_##sym,
	FCN_HOST_COUNTERS(FCN_HOST_ENUM)
#undef FCN_HOST_ENUM
	FCN_HOST_COUNTER_COUNT,
};

const char *fcn_host_counter_name(enum fcn_host_counter c);

struct fcn_host;

/**
 * Create the host functions.
 *
 * @param seed seed of the random numbers, which are used for jitter
 * @return NULL when memory is exhausted
 */
struct fcn_host *fcn_host_create(
		struct rte_mempool *pool, const struct fcn_host_env *env, uint64_t seed);
void fcn_host_free(struct fcn_host *host);

/**
 * Apply a configuration. Neighbours of ports and prefixes that no longer exist, or of ports that
 * are down, are removed; all neighbours are removed when max_neighbours changes. New addresses,
 * including the link-local address that each routed port derives from its MAC address, undergo
 * duplicate address detection and are announced. An address that passed it is only announced again,
 * not checked again, when its port comes back up.
 *
 * @return 0; -ENOMEM, and nothing has changed
 */
int fcn_host_configure(struct fcn_host *host, const struct fcn_host_conf *conf, uint64_t now);

/** Process a packet that a worker punted. Takes over the mbuf. */
void fcn_host_receive(struct fcn_host *host, const struct fcn_punt *punt, uint64_t now);

/**
 * Resolve a neighbour before packets are sent to it, so that the first one need not wait. Nothing
 * happens when the neighbour is known, when it was solicited recently, or when addr cannot be a
 * neighbour's.
 *
 * @param port port to which the neighbour is connected
 * @param who port whose packets need the neighbour: the entry counts against its share of the
 *            neighbour table, and the solicitation against its rate. FCN_HOST_SELF: the switch
 *            itself needs it
 */
void fcn_host_resolve(struct fcn_host *host, uint16_t port, const struct fcn_addr *addr,
		uint16_t who, uint64_t now);

/**
 * Run the timers that are due: retransmitted solicitations, timeouts, advertisements. The work is
 * bounded: when very many timers are due, some are left for the next call, and fcn_host_next() then
 * returns a time that has already passed.
 */
void fcn_host_tick(struct fcn_host *host, uint64_t now);

/** Time at which fcn_host_tick() has to be called next, or FCN_HOST_NEVER. Takes constant time. */
uint64_t fcn_host_next(const struct fcn_host *host);

/**
 * Version of the state that the snapshot depends on: resolved neighbours, usable addresses, learned
 * senders. It changes whenever they do.
 */
uint64_t fcn_host_version(const struct fcn_host *host);

/** Iterate over the dynamic neighbours; *next starts at 0. @return false at the end */
bool fcn_host_neighbour_next(
		const struct fcn_host *host, uint32_t *next, struct fcn_host_neighbour *out);
bool fcn_host_sender_next(const struct fcn_host *host, uint32_t *next, struct fcn_host_sender *out);

/**
 * Iterate over the addresses of ports that have passed duplicate address detection; *next starts
 * at 0. @return false at the end
 */
bool fcn_host_address_next(
		const struct fcn_host *host, uint32_t *next, uint16_t *port, struct fcn_addr *addr);

/* ---- what was known before the switch started: to be called after fcn_host_configure() ---- */

/**
 * Use an address of a port without checking it again, as it passed duplicate address detection a
 * short time ago. It is announced.
 *
 * @return false when the port does not have this address, or it is in use already
 */
bool fcn_host_restore_address(
		struct fcn_host *host, uint16_t port, const struct fcn_addr *addr, uint64_t now);

/**
 * Use a neighbour that was known a short time ago. It is to be confirmed within seconds, as one
 * that was heard from.
 *
 * @return false when a station on this port cannot have these addresses, the neighbour is known
 *         already, or there is no room
 */
bool fcn_host_restore_neighbour(struct fcn_host *host, uint16_t port, const struct fcn_addr *addr,
		const struct rte_ether_addr *mac, uint64_t now);

/**
 * Remember a sender that refused a kind of notice.
 *
 * @param left_ns for how much longer; at most the configured time is used
 * @return false when nothing is learned, or it is known already
 */
bool fcn_host_restore_sender(struct fcn_host *host, const struct fcn_host_refusal *refusal,
		uint64_t left_ns, uint64_t now);

/** State of an address of the switch (RFC 4862, RFC 5227). */
struct fcn_host_address_status {
	/**
	 * "preferred": in use; "tentative": duplicate address detection is running; "duplicate":
	 * another station has it; "down": its port has no link; "unused": the host functions do not
	 * know the address
	 */
	const char *state;
	/**
	 * Nanoseconds until the latest time at which a tentative address becomes preferred, if no
	 * other station has it, or until a duplicate one is checked again; otherwise 0.
	 */
	uint64_t left_ns;
};

/** State of an address of the switch. @param port port of the address, or FCN_HOST_LOOPBACK */
struct fcn_host_address_status fcn_host_address_status(const struct fcn_host *host, uint16_t port,
		const struct fcn_addr *addr, uint64_t now);

/** Remove all dynamic neighbours. @return number removed */
uint32_t fcn_host_clear_neighbours(struct fcn_host *host);
uint32_t fcn_host_clear_senders(struct fcn_host *host);

uint64_t fcn_host_counter(const struct fcn_host *host, enum fcn_host_counter c);

/** Set all counters to 0. */
void fcn_host_clear_counters(struct fcn_host *host);

/**
 * Number of packets that wait for a neighbour: they were punted, and neither sent nor dropped yet.
 */
uint32_t fcn_host_waiting(const struct fcn_host *host);

#endif /* FCN_HOST_H */
