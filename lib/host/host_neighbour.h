/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Neighbour table of the host functions, and the packets that wait for a neighbour. Internal to
 * lib/host.
 */

#ifndef HOST_NEIGHBOUR_H
#define HOST_NEIGHBOUR_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include <rte_ether.h>
#include <rte_mbuf.h>

#include "fcn_addr.h"
#include "fcn_port_limit.h"
#include "host_timer.h"

#define FCN_HOST_WAIT_NEIGHBOUR 3 /**< maximum number of packets that wait for one neighbour */

/**
 * Number of shares of a resource that is divided between the ports: one for each port and one for
 * FCN_HOST_SELF, the switch itself.
 */
#define FCN_HOST_SHARES (FCN_MAX_PORTS + 1)
#define FCN_HOST_WAIT_MAX (FCN_HOST_WAIT_PORT * FCN_HOST_SHARES)

/**
 * Indexes of the shares of the neighbour table: one for neighbours that the packets of a port need,
 * one for neighbours that were found on a port.
 */
#define FCN_NEIGHBOUR_SHARE_ASKED(who) (who)
#define FCN_NEIGHBOUR_SHARE_FOUND(port) (FCN_HOST_SHARES + (port))
#define FCN_NEIGHBOUR_SHARES (FCN_HOST_SHARES + FCN_MAX_PORTS)

struct fcn_host;
struct fcn_neighbour;

/** A packet that waits for the MAC address of its next hop. */
struct fcn_host_wait {
	/** in the list of its ingress port, oldest first, or in the free list */
	TAILQ_ENTRY(fcn_host_wait) port;
	TAILQ_ENTRY(fcn_host_wait) mine; /**< in the list of its neighbour, oldest first */
	struct fcn_neighbour *neighbour;
	struct rte_mbuf *mbuf;
	uint16_t l3_off;
	uint16_t in_port;
	uint8_t class;
	uint8_t table; /**< number of its route table */
	/**
	 * sent by the switch itself: its hop limit is not decremented, and no ICMP error is sent
	 * about it
	 */
	bool own;
	bool left; /**< a worker left it to the host functions, and hears what becomes of it */
};

TAILQ_HEAD(fcn_host_waits, fcn_host_wait);

/**
 * Order of eviction when a share of the neighbour table is full. There is a list for each value,
 * oldest first.
 */
enum fcn_neighbour_age {
	FCN_NEIGHBOUR_AGE_FAILED,
	FCN_NEIGHBOUR_AGE_ASKED, /**< INCOMPLETE */
	/**
	 * announced itself, but never answered a solicitation; evicted only for another such
	 * neighbour
	 */
	FCN_NEIGHBOUR_AGE_HEARD,
	FCN_NEIGHBOUR_AGE_CONFIRMED, /**< answered a solicitation; never evicted */
	FCN_NEIGHBOUR_AGE_FREE,
};

struct fcn_neighbour {
	struct fcn_host_timer timer;
	TAILQ_ENTRY(fcn_neighbour) by_age;
	struct fcn_neighbour *hash_next;
	struct fcn_addr addr;
	uint16_t port;
	uint16_t share; /**< share of the table that it counts against */
	struct rte_ether_addr mac;
	uint8_t state; /**< enum fcn_neighbour_state */
	uint8_t age;   /**< enum fcn_neighbour_age: the list that it is in */
	uint8_t tries; /**< solicitations sent in this state */
	uint64_t since_ns;
	struct fcn_host_waits waiting;
	uint32_t n_waiting;
};

TAILQ_HEAD(fcn_neighbour_list, fcn_neighbour);

struct fcn_neighbours {
	struct fcn_neighbour *all; /**< array of max entries */
	struct fcn_neighbour **bucket;
	uint32_t max;
	uint32_t bucket_mask;
	uint32_t n;          /**< in use */
	uint32_t guaranteed; /**< entries reserved for each share */
	uint32_t most;       /**< maximum number of entries of one share */
	uint32_t common;     /**< entries that are not reserved */
	uint32_t common_used;
	uint32_t used[FCN_NEIGHBOUR_SHARES];
	struct fcn_neighbour_list free;
	struct fcn_neighbour_list by_age[FCN_NEIGHBOUR_SHARES][FCN_NEIGHBOUR_AGE_FREE];
};

/** Allocate a neighbour table. @return 0 or -ENOMEM */
int fcn_neighbours_init(struct fcn_neighbours *t, uint32_t max);
/**
 * Divide the table into shares for n_ports ports.
 *
 * @param most maximum number of entries of one share; 0: no further limit
 */
void fcn_neighbours_divide(struct fcn_neighbours *t, unsigned int n_ports, uint32_t most);
/**
 * Initialise the lists of a new table. Call it when the table is at its final address, because list
 * heads cannot be moved.
 */
void fcn_neighbours_link(struct fcn_neighbours *t);
void fcn_neighbours_fini(struct fcn_neighbours *t);
struct fcn_neighbour *fcn_neighbour_find(
		struct fcn_host *h, uint16_t port, const struct fcn_addr *addr);
/**
 * Start address resolution of a neighbour that is not in the table.
 *
 * @param who port whose packet needs the neighbour, or FCN_HOST_SELF
 * @return NULL when that port's share of the table is full, or its rate of solicitations is
 *         exceeded
 */
struct fcn_neighbour *fcn_neighbour_ask(struct fcn_host *h, uint16_t port,
		const struct fcn_addr *addr, uint16_t who, uint64_t now);
/** A neighbour sent a solicitation or ARP request with its MAC address (RFC 4861 section 7.2.3). */
void fcn_neighbour_heard(struct fcn_host *h, uint16_t port, const struct fcn_addr *addr,
		const struct rte_ether_addr *mac, uint64_t now);
/**
 * A neighbour advertisement or ARP reply was received (RFC 4861 section 7.2.5).
 *
 * @param mac NULL when it had no MAC address
 */
void fcn_neighbour_advertised(struct fcn_host *h, uint16_t port, const struct fcn_addr *addr,
		const struct rte_ether_addr *mac, bool solicited, bool override, uint64_t now);
void fcn_neighbour_expire(struct fcn_host *h, struct fcn_neighbour *n, uint64_t now);
/** Remove the neighbours that do not fit the current configuration. */
void fcn_neighbours_review(struct fcn_host *h);
/** Whether the MAC address of a neighbour is known and may be used. */
bool fcn_neighbour_resolved(const struct fcn_neighbour *n);

#endif /* HOST_NEIGHBOUR_H */
