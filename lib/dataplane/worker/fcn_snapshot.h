/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Snapshot of the configuration for the workers. The control thread builds and publishes it; after
 * that it does not change. Workers read it under RCU: a worker loads the pointer at the begin of a
 * turn and reports a quiescent state at the end. Numbers are in host byte order.
 */

#ifndef FCN_SNAPSHOT_H
#define FCN_SNAPSHOT_H

#include <stdbool.h>
#include <stdint.h>

#include "fcn_arn_conf.h"
#include "fcn_border_conf.h"
#include "fcn_egress.h"
#include "fcn_fib.h"
#include "fcn_neighbour_table.h"
#include "fcn_next_hop.h"
#include "fcn_notify.h"
#include "fcn_parse.h"
#include "fcn_pause.h"
#include "fcn_port.h"
#include "fcn_port_set.h"
#include "fcn_punt.h"
#include "fcn_copy.h"
#include "fcn_ioam_conf.h"
#include "fcn_proxy_edge_conf.h"
#include "fcn_proxy_conf.h"
#include "fcn_srv6_conf.h"
#include "fcn_table_limit.h"
#include "fcn_trim_conf.h"

#define FCN_MAX_BRIDGES 16              /**< maximum number of bridges */
#define FCN_VLANS 4096                  /**< number of VLAN IDs */
#define FCN_VLAN_WORDS (FCN_VLANS / 64) /**< words of a bit set of VLANs */

/** A snapshot has room for so many ports at least, and for a multiple of it. */
#define FCN_SNAPSHOT_PORTS 16u

#define FCN_OWN_FRAME 64 /**< octets of a frame that struct fcn_own_hull has */

/** What a port number stands for. */
enum fcn_port_mode {
	FCN_PORT_UNUSED,           /**< nothing */
	FCN_PORT_ROUTED,           /**< a routed port, or a sub-interface of one */
	FCN_PORT_BRIDGED,          /**< a port of a bridge */
	FCN_PORT_BRIDGE_INTERFACE, /**< the switch itself as a station of a bridge, in one VLAN */
};

/** Field of a packet that determines its class. */
enum fcn_port_trust {
	FCN_TRUST_DSCP, /**< DSCP; for packets other than IP the PCP of the VLAN tag */
	FCN_TRUST_PCP,  /**< PCP of the VLAN tag; for untagged packets the DSCP */
	FCN_TRUST_NONE, /**< none: the class is 0 */
};

/** Kinds of frames that a bridge floods; storm control limits each. */
enum fcn_flood_kind {
	FCN_FLOOD_BROADCAST,
	FCN_FLOOD_UNKNOWN_UNICAST,
	FCN_FLOOD_MULTICAST,
	FCN_FLOOD_KINDS,
};

/** Get the name of an enum fcn_flood_kind for commands, `show` and events; never NULL. */
const char *fcn_flood_kind_name(unsigned int kind);

/** Storm control: a token bucket from which each frame takes one token. */
struct fcn_storm_control {
	uint64_t cost_ns; /**< time in ns after which a token is added; 0: no limit */
	uint32_t burst;   /**< size of the bucket in tokens, at least 1 */
};

/** Configuration of a port, a sub-interface or a bridge interface. */
struct fcn_snapshot_port {
	enum fcn_port_mode mode;
	enum fcn_port_trust trust;
	struct rte_ether_addr mac;
	uint8_t table; /**< routed: number of the route table for packets received here */
	uint16_t mtu;  /**< longest IP packet, bytes */
	/** Routed: longest IP packet that the device sends at present; not above mtu. */
	uint16_t tx_mtu;
	/** Number of the port that has the link: of a sub-interface its port, otherwise itself. */
	uint16_t parent;
	uint16_t vlan; /**< sub-interface, bridge interface: its VLAN ID; port: 0 */
	/** Numbers of its sub-interfaces by VLAN ID, or FCN_PORT_NONE; NULL: it has none. */
	uint16_t *sub;
	uint16_t bridge; /**< bridged, bridge interface: index of the bridge */
	uint16_t pvid;   /**< bridged: VLAN of untagged frames; 0: they are dropped */
	uint64_t tagged[FCN_VLAN_WORDS]; /**< bridged: bit set of the VLANs that it carries tagged
					  */
	/** Bridged: it is closed because of a loop, and carries no VLAN. */
	bool err_disabled;
	/** Bridged: maximum number of MAC addresses learned here; 0: the default of the table. */
	uint32_t mac_limit;
	bool storm_on;                                   /**< bridged: storm[] contains a limit */
	struct fcn_storm_control storm[FCN_FLOOD_KINDS]; /**< limits of received frames */
	uint64_t link_bps;                               /**< link speed, bits per second */
	/** Bridge interface: the addresses for which it answers, the loopback included. */
	struct fcn_addr *own;
	uint32_t n_own;
	/** Routed: it has a kernel interface, which receives the frames of control protocols. */
	bool kernel;
	struct fcn_egress_conf egress;
	struct fcn_trim_conf trim;
	bool no_clones;   /**< packets that are sent must not share bytes with other packets */
	bool down;        /**< the link is down: packets to the port are dropped */
	bool pause_on;    /**< `pause` lets MAC Control frames be obeyed or sent */
	uint8_t lossless; /**< bit set of the classes with ingress[].lossless */
	struct fcn_pause_conf pause;
	struct fcn_ingress_conf ingress[FCN_CLASSES];         /**< accounts of received packets */
	struct fcn_ingress_conf ingress_packets[FCN_CLASSES]; /**< the same in packets */
	struct fcn_ioam_port ioam;
	uint8_t proxy_option; /**< enum fcn_proxy_edge; of a sub-interface that of its port */
	uint8_t arn_edge;     /**< enum fcn_arn_edge; of a sub-interface that of its port */
	/** It is a border port or untrusted, or the sources of what it receives are checked. */
	bool checked_ingress;
	uint8_t source_check; /**< routed: enum fcn_source_check; of a sub-interface its own */
	struct fcn_trust_conf untrusted;
	/** Limits for punting packets received here, by kind; those of one worker. */
	struct fcn_punt_limit punt[FCN_PUNT_KIND_COUNT];
};

/** Configuration of a bridge. */
struct fcn_snapshot_bridge {
	bool used;
	uint64_t ageing_ns; /**< time in ns after which an unused MAC address is forgotten */
	/**
	 * Number of moves of MAC addresses to a port in a second from which on an event is pushed;
	 * moves from ports with lower and with higher numbers count separately. 0: no events.
	 */
	uint32_t move_limit;
	struct fcn_port_set members;    /**< the ports to which frames are forwarded */
	struct fcn_port_set no_clones;  /**< those of `members` that have no_clones set */
	struct fcn_port_set interfaces; /**< the bridge interfaces */
};

/** Classes by the value of a field. */
struct fcn_class_map {
	uint8_t dscp[64];
	uint8_t pcp[8];
};

/** A route table. */
struct fcn_snapshot_table {
	struct fcn_fib *fib; /**< prefix to index of a next hop; NULL: there is no such table */
	/** The same without steering rules: where a packet goes that matches none. It is `fib` if
	 * there are no rules. */
	struct fcn_fib *normal;
	/**
	 * Index in fcn_snapshot.next_hop of the first next hop of this table. It is added to the
	 * result of a look-up, so next_hop[first] is "no route" of this table.
	 */
	uint32_t first;
	/** Used by the control thread only: the set of routes, which several snapshots share. */
	struct fcn_route_set *routes;
};

/**
 * What the addresses of the switch have in common. An address that differs from `value` where
 * `mask` has bits set is none of them, which is true of nearly all others: so every packet, on the
 * fast path, too, is asked for little. Bytes are in network byte order.
 */
struct fcn_own_hull {
	bool any6, any4; /**< the switch has such addresses */
	uint8_t value6[16], mask6[16];
	uint8_t value4[4], mask4[4];
	/** The same where the source address stands in an untagged frame, of each version, and 0
	 * elsewhere; without such addresses, all ones stand for them. The first three bits of an
	 * IPv6 address are left out. */
	uint8_t frame_value6[FCN_OWN_FRAME], frame_mask6[FCN_OWN_FRAME];
	uint8_t frame_value4[FCN_OWN_FRAME], frame_mask4[FCN_OWN_FRAME];
};

/** The configuration of the switch. */
struct fcn_snapshot {
	uint64_t generation; /**< number of the snapshot, different from that of the one before */
	struct fcn_parse_codes codes;
	struct fcn_class_map class_map;
	enum fcn_copy_mode copies; /**< how copies of packets are made */
	uint8_t protected_classes; /**< bit set of the classes closed to untrusted ports */
	/** class by DSCP on the fast path of untrusted ports: FCN_CLASSES instead of a protected
	 * one, as the stages have to move such a packet */
	uint8_t untrusted_class_of_dscp[64];
	struct fcn_border_conf border;
	struct fcn_own_hull own; /**< of the addresses of the switch */
	struct fcn_snapshot_bridge bridge[FCN_MAX_BRIDGES];
	uint64_t idle_ns;       /**< longest sleep of an idle worker in ns; 0: it does not sleep */
	bool stage_cycles;      /**< workers count the cycles of their stages */
	bool cycle_share;       /**< ports that compete share the cycles of a worker */
	uint64_t mac_ageing_ns; /**< longest ageing time of all bridges in ns */
	struct fcn_snapshot_table table[FCN_MAX_TABLES]; /**< by number */
	struct fcn_next_hop *next_hop; /**< those of all tables; index 0 is "no route" */
	uint32_t n_next_hops;
	uint32_t *member; /**< indexes of the next hops of groups; a group has consecutive ones */
	struct fcn_neighbour_table neighbours;
	/** Used by the control thread only: memory of `neighbours`. */
	struct fcn_neighbour_entry *neighbour_entry;
	struct fcn_neighbour_slot *neighbour_slot;
	uint16_t punt; /**< bit set of the enum fcn_punt_reason for which packets are punted */
	struct fcn_notices_conf notify;
	struct fcn_buffer_conf buffer;
	struct fcn_packet_budget budget;
	struct fcn_ioam_conf ioam;
	struct fcn_proxy_edge_conf proxy_edge;
	struct fcn_srv6_conf srv6;
	struct fcn_arn_conf arn;
	struct fcn_proxy_conf proxy;
	/* Used by the control thread only, once another snapshot is in force. */
	uint32_t readers; /**< bit set of the workers that may still read it */
	uint64_t token;   /**< RCU token after which they do not */
	struct fcn_snapshot *next_retired;
	/**
	 * Number of elements of `port` that there are: a snapshot has no memory for those behind.
	 * It is above the number of every port that workers have, and below that of no earlier
	 * snapshot.
	 */
	uint16_t n_ports;
	struct fcn_snapshot_port port[FCN_MAX_PORTS]; /**< by port number */
};

/** Set the classes that are closed to untrusted ports. The class map is there already. */
static inline void
fcn_snapshot_protect(struct fcn_snapshot *s, uint8_t classes)
{
	s->protected_classes = classes;
	for (unsigned int dscp = 0; dscp < sizeof(s->untrusted_class_of_dscp); dscp++) {
		const uint8_t class = s->class_map.dscp[dscp];

		s->untrusted_class_of_dscp[dscp] = classes >> class & 1 ? FCN_CLASSES : class;
	}
}

/** Check whether a VLAN ID, below FCN_VLANS, is in a bit set of FCN_VLAN_WORDS. */
static inline bool
fcn_vlan_is_set(const uint64_t *set, uint16_t vlan)
{
	return set[vlan / 64] >> (vlan % 64) & 1;
}

#endif /* FCN_SNAPSHOT_H */
