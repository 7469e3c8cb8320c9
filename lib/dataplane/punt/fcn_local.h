/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Local behaviours: the ways in which the switch processes packets for itself.
 *
 * A packet is for the switch if the check of received packets finds that it is for this link only,
 * or if its next hop is FCN_NEXT_HOP_LOCAL. In either case a behaviour is selected. The local stage
 * calls the behaviour of each such packet, which consumes the packet, or changes it so that it is
 * routed again, or sent to a next hop.
 */

#ifndef FCN_LOCAL_H
#define FCN_LOCAL_H

#include <stdint.h>

/** Maximum number of deliveries of one packet. If it is for the switch once more, it is dropped. */
#define FCN_LOCAL_PASSES 4

/**
 * X(symbol, name, text). The list is the one source of the enumeration, of the table
 * fcn_local_behaviours[] and of the words that `show trace` has for a behaviour. A behaviour NAME
 * is the function fcn_local_NAME(), see fcn_local_deliver_t.
 */
#define FCN_LOCAL_BEHAVIOURS(X)                                                          \
	X(HOST, host, "to an address of the switch, for the host functions")             \
	X(LINK, link, "ICMPv6 of this link, for the host functions")                     \
	X(ARP, arp, "ARP, for the host functions")                                       \
	X(CONTROL, control, "control protocol of this link, for the kernel's interface") \
	X(SRV6, srv6, "to a local SID of SRv6")                                          \
	X(ARN, arn, "an adaptive routing notification to the switch")                    \
	X(CNM, cnm, "a congestion notification message to the proxy")

enum fcn_local {
#define FCN_LOCAL_ENUM(sym, name, text) FCN_LOCAL_##sym,
	FCN_LOCAL_BEHAVIOURS(FCN_LOCAL_ENUM)
#undef FCN_LOCAL_ENUM
	FCN_LOCAL_COUNT,
};

/** Result of a delivery. */
enum fcn_local_result {
	FCN_LOCAL_CONSUMED, /**< it has left the burst: the behaviour has consumed, punted or
			       dropped it */
	FCN_LOCAL_ROUTE,    /**< the behaviour has changed it, and it is to be routed again, in the
			       table b->pkt[i].table, which the behaviour has written */
	FCN_LOCAL_FORWARD,  /**< the same, but it is not looked up: it is to be sent to the next hop
			       b->pkt[i].next_hop, which the behaviour has written, too */
};

struct fcn_worker;
struct fcn_burst;

/**
 * Deliver packet i of a burst. Its metadata are in b->pkt[i]; its frame begins with the Ethernet
 * header that it was received with, without VLAN tags. The function obeys the rules of the workers:
 * it neither waits nor allocates anything but packets.
 *
 * For FCN_LOCAL_ROUTE and FCN_LOCAL_FORWARD, the function leaves an IPv6 or IPv4 packet behind an
 * Ethernet header of any content but the EtherType. Of b->pkt[i] it writes `table`, and for
 * FCN_LOCAL_FORWARD `next_hop`; the stage determines the other metadata again. The packet keeps its
 * class and its ingress port.
 */
typedef enum fcn_local_result (*fcn_local_deliver_t)(
		struct fcn_worker *w, struct fcn_burst *b, unsigned int i);

/** A local behaviour. */
struct fcn_local_behaviour {
	const char *name;
	const char *text; /**< description for `show trace` */
	fcn_local_deliver_t deliver;
};

/** The behaviours of the list, by enum fcn_local. */
extern const struct fcn_local_behaviour fcn_local_behaviours[FCN_LOCAL_COUNT];

/** Get the description of a behaviour of the list; never NULL. */
const char *fcn_local_text(unsigned int behaviour);

/** The declaration of a behaviour's function, for the list. */
#define FCN_LOCAL_DECLARE(sym, name, text)      \
	enum fcn_local_result fcn_local_##name( \
			struct fcn_worker *w, struct fcn_burst *b, unsigned int i);
FCN_LOCAL_BEHAVIOURS(FCN_LOCAL_DECLARE)

/** An element of a table of behaviours, for the list. */
#define FCN_LOCAL_ENTRY(sym, name, text) {#name, text, fcn_local_##name},

#endif /* FCN_LOCAL_H */
