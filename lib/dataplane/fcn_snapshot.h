/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * What workers know of the configuration: one immutable snapshot, built and
 * published by control, read under RCU. A worker looks at the pointer once a
 * turn and reports quiescent at its end.
 */

#ifndef FCN_SNAPSHOT_H
#define FCN_SNAPSHOT_H

#include <stdbool.h>
#include <stdint.h>

#include "fcn_border_conf.h"
#include "fcn_egress.h"
#include "fcn_fib.h"
#include "fcn_neighbour_table.h"
#include "fcn_next_hop.h"
#include "fcn_notify.h"
#include "fcn_parse.h"
#include "fcn_pause.h"
#include "fcn_port.h"
#include "fcn_punt.h"
#include "fcn_quote.h"
#include "fcn_ioam_conf.h"

#define FCN_MAX_BRIDGES 16
#define FCN_VLANS 4096
#define FCN_VLAN_WORDS (FCN_VLANS / 64)

/** In a table of sub-interfaces: the VLAN has none. */
#define FCN_NO_SUB_INTERFACE UINT8_MAX

enum fcn_port_mode {
	FCN_PORT_UNUSED, /**< no such port */
	FCN_PORT_ROUTED,
	FCN_PORT_BRIDGED,
	FCN_PORT_BRIDGE_INTERFACE, /**< the switch itself as a station of a bridge, in one VLAN */
};

/** What a packet's class is taken from. */
enum fcn_port_trust {
	FCN_TRUST_DSCP, /**< DSCP; for packets that are not IP the PCP of the VLAN tag */
	FCN_TRUST_PCP,  /**< PCP; for untagged packets DSCP */
	FCN_TRUST_NONE, /**< class 0 */
};

/** What a bridge floods. */
enum fcn_flood_kind {
	FCN_FLOOD_BROADCAST,
	FCN_FLOOD_UNKNOWN_UNICAST,
	FCN_FLOOD_MULTICAST,
	FCN_FLOOD_KINDS,
};

/** As commands, `show` and events have it, never NULL. */
const char *fcn_flood_kind_name(unsigned int kind);

/** Storm control: a token bucket, a token a frame. */
struct fcn_storm_control {
	uint64_t cost_ns; /**< time until there is another token; 0: no limit */
	uint32_t burst;   /**< tokens the bucket holds, at least 1 */
};

struct fcn_snapshot_port {
	enum fcn_port_mode mode;
	enum fcn_port_trust trust;
	struct rte_ether_addr mac;
	uint16_t mtu;    /**< longest IP packet, bytes */
	uint16_t parent; /**< the parent port, which has the link: of a sub-interface its port, else
			    itself */
	uint16_t vlan;   /**< sub-interface, bridge interface: its VLAN ID; 0: a port */
	uint8_t *sub;    /**< numbers of its sub-interfaces by VLAN ID; NULL: it has none */
	uint16_t bridge; /**< bridged, bridge interface: index of the bridge */
	uint16_t pvid;   /**< bridged: VLAN of untagged frames, 0: untagged frames are refused */
	uint64_t tagged[FCN_VLAN_WORDS]; /**< bridged: VLANs whose frames are tagged on this port */
	bool err_disabled;  /**< bridged: closed because of a loop; it is in no VLAN, and no member
			     */
	uint32_t mac_limit; /**< bridged: MAC addresses learned here at the most; 0: a default that
			       follows from the table */
	bool storm_on;      /**< bridged: some of storm[] limits */
	struct fcn_storm_control storm[FCN_FLOOD_KINDS]; /**< of frames that came in here */
	uint64_t link_bps;                               /**< speed of the link, bits per second */
	struct fcn_addr *own; /**< bridge interface: addresses that it answers for, the loopback
				 among them */
	uint32_t n_own;
	bool kernel; /**< routed: an interface of the kernel stands for it, frames of control
			protocols go there */
	struct fcn_egress_conf egress;
	bool no_clones;   /**< what is sent here shares no bytes with other packets */
	bool down;        /**< no link: nothing is sent, what was to be is dropped */
	bool pause_on;    /**< MAC Control frames are taken or given: some of pause is on */
	uint8_t lossless; /**< bit set: classes with ingress[].lossless */
	struct fcn_pause_conf pause;
	struct fcn_ingress_conf ingress[FCN_CLASSES]; /**< of packets that come in here */
	struct fcn_ioam_port ioam;
	bool checked_ingress; /**< a border port, or an untrusted one: what comes in is looked at */
	struct fcn_trust_conf untrusted;
	/** What a worker may leave to the host functions of what came in here. */
	struct fcn_punt_limit punt[FCN_PUNT_KIND_COUNT];
};

struct fcn_snapshot_bridge {
	bool used;
	uint64_t ageing_ns;
	uint32_t move_limit; /**< moves of MAC addresses in a second to a port from ports with
				lower numbers, or from ports with higher ones, that are told of; 0:
				none are */
	uint64_t members;    /**< bit set: ports that frames may go to */
	uint64_t interfaces; /**< bit set: bridge interfaces */
};

struct fcn_class_map {
	uint8_t dscp[64];
	uint8_t pcp[8];
};

struct fcn_snapshot {
	uint64_t generation;
	struct fcn_parse_codes codes;
	struct fcn_class_map class_map;
	enum fcn_quote_mode copies; /**< how a copy of a packet is made */
	uint8_t protected_classes;  /**< bit set: those that untrusted ports do not get into */
	struct fcn_border_conf border;
	struct fcn_snapshot_bridge bridge[FCN_MAX_BRIDGES];
	uint64_t idle_ns;       /**< longest sleep of a worker that finds nothing to do, 0: none */
	uint64_t mac_ageing_ns; /**< the longest ageing time of any bridge */
	struct fcn_fib *fib;
	struct fcn_next_hop *next_hop; /**< index 0 is "no route" */
	uint32_t n_next_hops;
	uint32_t *member; /**< next hops of groups, in runs */
	struct fcn_neighbour_table neighbours;
	struct fcn_neighbour_entry *neighbour_entry; /**< control's: memory of neighbours */
	struct fcn_route_set *routes;                /**< control's: what snapshots share */
	uint8_t punt; /**< bit set: enum fcn_punt_reason that go to the host functions */
	struct fcn_notices_conf notify;
	struct fcn_buffer_conf buffer;
	struct fcn_ioam_conf ioam;
	struct fcn_snapshot_port port[FCN_MAX_PORTS];
};

static inline bool
fcn_vlan_is_set(const uint64_t *set, uint16_t vlan)
{
	return set[vlan / 64] >> (vlan % 64) & 1;
}

#endif /* FCN_SNAPSHOT_H */
