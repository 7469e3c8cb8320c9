/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The switch as a host: neighbours by ND (RFC 4861, 4862) and ARP (RFC 826, 5227), ICMP and ICMPv6
 * (RFC 792, 1812, 4443), router advertisements, reports of the multicast groups of its own
 * addresses (MLD, RFC 3810), and what senders understand of Fast CNP, learned from the ICMPv6
 * Parameter Problems they answer with.
 *
 * One owner: the control thread (in virtual time, the one thread). No clock but
 * `now`, no I/O but the callbacks, no randomness but the seed. Bounded work a call, bounded
 * memory.
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
#include "fcn_port_limit.h"
#include "fcn_punt.h"

#define FCN_HOST_NEVER UINT64_MAX

/** An address of the switch. */
struct fcn_host_address {
	uint16_t port; /**< FCN_HOST_LOOPBACK: of no port */
	struct fcn_prefix prefix;
};
#define FCN_HOST_LOOPBACK UINT16_MAX

/** Stands for the switch itself where otherwise the port stands whose packets need something. */
#define FCN_HOST_SELF FCN_MAX_PORTS

/** A port, as far as the host functions care. */
struct fcn_host_port {
	bool routed;    /**< exists and is routed, or the next: has host functions at all */
	bool in_bridge; /**< interface of a bridge: it answers for the loopback, too, and does not
			   route */
	bool up;
	struct rte_ether_addr mac;
	uint16_t mtu;
	bool advertise; /**< send router advertisements */
	bool kernel; /**< an interface of the kernel stands for it: what is not answered here goes
			there */
};

/** A token bucket. */
struct fcn_host_rate {
	uint32_t per_second; /**< 0: nothing at all */
	uint32_t burst;
};

/** What is configured; copied by fcn_host_configure(). */
struct fcn_host_conf {
	struct fcn_host_port port[FCN_MAX_PORTS];
	const struct fcn_host_address *addresses;
	size_t n_addresses;
	struct fcn_addr loopback; /**< version 0: none */
	bool dad;                 /**< duplicate address detection for addresses of ports */
	bool mld;                 /**< report the multicast groups of the addresses of ports */
	struct fcn_host_rate icmp_errors;   /**< of each kind, for each ingress port */
	struct fcn_host_rate icmp_replies;  /**< echo replies, for each ingress port */
	struct fcn_host_rate solicitations; /**< addresses that the packets of one ingress port may
					       have asked for */
	uint64_t reachable_ns; /**< how long a neighbour is believed, on average; 0: 30 s */
	uint64_t retrans_ns;   /**< between two solicitations; 0: 1 s */
	/**
	 * Dynamic neighbours, 8192. Half of them are promised: each port has an equal part for
	 * those that its packets ask for, and one for those found on it. The other half goes to
	 * whoever needs it first.
	 */
	uint32_t max_neighbours;
	uint32_t port_neighbours; /**< found on one port at the most, and as many asked for by its
				     packets; 0: no further limit */
	uint64_t ra_interval_ns;  /**< between two unsolicited advertisements of a port at the most;
				     0: 10 min */
	uint64_t capability_ns;   /**< how long a sender counts as not understanding, 10 min; 0:
				     nothing is learned */
	uint64_t notice_recent_ns; /**< a notice older than this is answered too late, 2 s */
	uint8_t fastcnp_opt1, fastcnp_opt2; /**< option types of ours */
	uint8_t class;                      /**< class queue of what the host functions send, 7 */
};

/** Where a packet to an address goes. */
struct fcn_host_way {
	uint16_t port;
	struct fcn_addr next_hop; /**< the gateway, or the destination itself when connected */
	bool resolved;            /**< mac is known to the route table */
	struct rte_ether_addr mac;
};

/** What the host functions ask of the switch around them. */
struct fcn_host_env {
	/**
	 * Send a frame; takes the mbuf in any case.
	 *
	 * @param discovery ARP or Neighbour Discovery, for which the switch keeps some room
	 * @return whether it was taken for sending
	 */
	bool (*send)(void *arg, struct rte_mbuf *m, uint16_t port, uint8_t class, bool discovery);
	/**
	 * Send a frame that a worker had left to the host functions because its neighbour was
	 * unknown; takes the mbuf. NULL: send() is called instead.
	 *
	 * @return whether it was taken for sending
	 */
	bool (*forward)(void *arg, struct rte_mbuf *m, uint16_t port, uint16_t in_port,
			uint8_t class);
	/** A packet that a worker had left to the host functions is dropped; takes the mbuf, and
	 * counts. NULL: it is freed. */
	void (*drop)(void *arg, struct rte_mbuf *m, uint16_t in_port, uint8_t class,
			enum fcn_drop_reason why);
	/** Look up a destination in the route table in force. @return false: no way there */
	bool (*route)(void *arg, const struct fcn_addr *dst, struct fcn_host_way *way);
	/** Whether a Fast CNP was sent for this flow lately (RFC-less; by the suppression caches).
	 */
	bool (*notified)(void *arg, const uint8_t sender[16], const uint8_t receiver[16],
			uint32_t dest_qp, uint64_t within_ns);
	/** Give a frame to the interface of the kernel that stands for a port; the mbuf stays the
	 * caller's. Ports with .kernel alone. */
	void (*kernel)(void *arg, const struct rte_mbuf *m, uint16_t port);
	/** Something a person may want to read; at most so many a second. */
	void (*log)(void *arg, const char *line);
	/** Of the places of neighbours and senders in tables; 0: they follow from the seed. */
	uint64_t hash_secret;
	void *arg;
};

/** State of a neighbour (RFC 4861 section 7.3.2, as seen from a switch that forwards without
 * telling). */
enum fcn_neighbour_state {
	FCN_NEIGHBOUR_INCOMPLETE, /**< being asked for; packets wait */
	FCN_NEIGHBOUR_REACHABLE,
	FCN_NEIGHBOUR_PROBE,  /**< asked again, or about to be; used meanwhile */
	FCN_NEIGHBOUR_FAILED, /**< did not answer: not asked for again for a while */
};

/** A dynamic neighbour. */
struct fcn_host_neighbour {
	uint16_t port;
	struct fcn_addr addr;
	struct rte_ether_addr mac; /**< REACHABLE and PROBE */
	enum fcn_neighbour_state state;
	uint64_t since_ns; /**< in this state */
	uint32_t waiting;  /**< packets that wait for its MAC address */
};

/** A sender that was found not to understand Fast CNP. */
struct fcn_host_sender {
	uint8_t addr[16];
	uint64_t until_ns;
	uint64_t answers; /**< Parameter Problems it sent */
};

/* Counters: X(symbol, name, text) */
#define FCN_HOST_COUNTERS(X)                                                                       \
	X(ARP_RX, "arp_rx", "ARP packets received")                                                \
	X(ARP_TX, "arp_tx", "ARP packets sent")                                                    \
	X(ARP_BAD, "arp_bad", "ARP packets that say nothing valid")                                \
	X(ND_RX, "nd_rx", "Neighbour Discovery packets received")                                  \
	X(ND_TX, "nd_tx", "Neighbour Discovery packets sent")                                      \
	X(ND_BAD, "nd_bad", "Neighbour Discovery packets that are not valid")                      \
	X(RA_TX, "ra_tx", "router advertisements sent")                                            \
	X(MLD_RX, "mld_rx", "queries of Multicast Listener Discovery received")                    \
	X(MLD_TX, "mld_tx", "reports of Multicast Listener Discovery sent")                        \
	X(MLD_BAD, "mld_bad", "queries of Multicast Listener Discovery that are not valid")        \
	X(ECHO_RX, "echo_rx", "echo requests to the switch")                                       \
	X(ECHO_TX, "echo_tx", "echo replies sent")                                                 \
	X(ECHO_LIMITED, "echo_limited",                                                            \
			"echo requests not answered, by the rate limit of their port")             \
	X(ERROR_TX, "error_tx", "ICMP errors sent")                                                \
	X(ERROR_LIMITED, "error_limited",                                                          \
			"ICMP errors not sent, by the rate limit of their port and kind")          \
	X(ERROR_UNDUE, "error_undue", "packets that no ICMP error may answer")                     \
	X(ERROR_RX, "error_rx", "ICMP errors received")                                            \
	X(LOCAL_UNHANDLED, "local_unhandled", "packets to the switch that nothing there takes")    \
	X(TO_KERNEL, "to_kernel", "frames left, or shown, to the kernel")                          \
	X(UNFORWARDED, "unforwarded",                                                              \
			"packets without route, too long or with a hop limit that ends here")      \
	X(WAIT_QUEUED, "wait_queued", "packets that waited for a neighbour")                       \
	X(WAIT_SENT, "wait_sent", "of them, sent when it was found")                               \
	X(WAIT_DROPPED, "wait_dropped", "of them, dropped: not found, or too many")                \
	X(NEIGHBOUR_FULL, "neighbour_full",                                                        \
			"neighbours not learned: the table, or the port's part of it, is full")    \
	X(SOLICIT_LIMITED, "solicit_limited",                                                      \
			"neighbours not asked for, by the rate limit of the port that wants them") \
	X(NEIGHBOUR_FAILED, "neighbour_failed", "neighbours that did not answer")                  \
	X(UNSENDABLE, "unsendable",                                                                \
			"packets with no way to go: no route, no neighbour, port down, too long")  \
	X(DAD_DUPLICATE, "dad_duplicate", "addresses found in use by another")                     \
	X(CAPABILITY_LEARNED, "capability_learned", "senders found not to understand Fast CNP")    \
	X(CAPABILITY_FORGED, "capability_forged",                                                  \
			"Parameter Problems about notices never sent, or too old")                 \
	X(NO_MBUF, "no_mbuf", "no buffer for a packet to send")                                    \
	X(SEND_REFUSED, "send_refused",                                                            \
			"packets the worker had no room for; of its room, some is kept for ARP "   \
			"and Neighbour Discovery")                                                 \
	X(DISCOVERY_REFUSED, "discovery_refused", "of them, packets of ARP and Neighbour Discovery")

enum fcn_host_counter {
#define FCN_HOST_ENUM(sym, name, text) FCN_HOST_##sym,
	FCN_HOST_COUNTERS(FCN_HOST_ENUM)
#undef FCN_HOST_ENUM
	FCN_HOST_COUNTER_COUNT,
};

const char *fcn_host_counter_name(enum fcn_host_counter c);
const char *fcn_host_counter_text(enum fcn_host_counter c);

struct fcn_host;

/** @param seed of jitter. @return NULL on lack of memory */
struct fcn_host *fcn_host_create(
		struct rte_mempool *pool, const struct fcn_host_env *env, uint64_t seed);
void fcn_host_free(struct fcn_host *host);

/**
 * Put a configuration in force. Neighbours on ports and prefixes that are gone, or of ports that
 * are down, are forgotten; all of them when max_neighbours changes. New addresses are checked and
 * announced, each routed port's link-local address (by its MAC address) among them; an address
 * that was found good is not checked again when its port comes back up, but announced.
 *
 * @return 0; -ENOMEM: nothing changed
 */
int fcn_host_configure(struct fcn_host *host, const struct fcn_host_conf *conf, uint64_t now);

/** A packet came; takes the mbuf. */
void fcn_host_receive(struct fcn_host *host, const struct fcn_punt *punt, uint64_t now);

/**
 * Ask for a neighbour that packets will go to, so that the first need not wait. Nothing happens
 * when it is known, was asked for lately, or can be none.
 *
 * @param port port that the neighbour is on
 * @param who port whose packets need the neighbour: it pays for the question with its part of the
 *            neighbour table and with its rate of solicitations. FCN_HOST_SELF: the switch needs it
 */
void fcn_host_resolve(struct fcn_host *host, uint16_t port, const struct fcn_addr *addr,
		uint16_t who, uint64_t now);

/** Let time pass: solicitations again, timeouts, advertisements. Bounded: when very much is due at
 * once, some of it is left for the next call, and fcn_host_next() does not lie ahead. */
void fcn_host_tick(struct fcn_host *host, uint64_t now);

/** When fcn_host_tick() next has something to do, FCN_HOST_NEVER. At once: this is cheap. */
uint64_t fcn_host_next(const struct fcn_host *host);

/** Changes with each change of what the route table must know: resolved neighbours, usable
 * addresses, learned senders. */
uint64_t fcn_host_version(const struct fcn_host *host);

/** Neighbours, one by one: *next begins at 0. @return false at the end */
bool fcn_host_neighbour_next(
		const struct fcn_host *host, uint32_t *next, struct fcn_host_neighbour *out);
bool fcn_host_sender_next(const struct fcn_host *host, uint32_t *next, struct fcn_host_sender *out);

/** Whether an address of ours may be used: not being checked, no duplicate. */
bool fcn_host_address_usable(const struct fcn_host *host, const struct fcn_addr *addr);

/** How an address of ours stands, by RFC 4862 and RFC 5227. */
struct fcn_host_address_status {
	/** "preferred": it is used; "tentative": it is being checked; "duplicate": another has it;
	 * "down": its port has no link; "unused": the host functions do not have it */
	const char *state;
	/** Tentative: after how many nanoseconds it is preferred at the latest, if nobody else has
	 * it; duplicate: when it is checked again. 0 otherwise. */
	uint64_t left_ns;
};

/** @param port of the address, or FCN_HOST_LOOPBACK */
struct fcn_host_address_status fcn_host_address_status(const struct fcn_host *host, uint16_t port,
		const struct fcn_addr *addr, uint64_t now);

/** Forget dynamic neighbours. @return how many */
uint32_t fcn_host_clear_neighbours(struct fcn_host *host);
uint32_t fcn_host_clear_senders(struct fcn_host *host);

uint64_t fcn_host_counter(const struct fcn_host *host, enum fcn_host_counter c);
void fcn_host_clear_counters(struct fcn_host *host);
/** Packets that wait now: they were punted and are neither sent nor dropped. */
uint32_t fcn_host_waiting(const struct fcn_host *host);

#endif /* FCN_HOST_H */
