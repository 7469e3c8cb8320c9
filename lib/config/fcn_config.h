/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The configuration of a switch, as commands have set it. Commands change a copy
 * of the running configuration (fcn_config_copy()), and the copy is applied
 * as a whole or not at all (fcn_control_commit()). Snapshots for workers are built
 * of it (fcn_build.h).
 *
 * Times are in nanoseconds (_ns), rates in bits per second (_bps), and ratios in
 * billionths (FCN_RATIO_ONE). Numbers are in host byte order; addresses are in
 * network byte order. A port is given by its number, below FCN_MAX_PORTS. Ports,
 * sub-interfaces and bridge interfaces share these numbers, and their names.
 *
 * Not thread safe: all functions are for the control thread, also where two
 * configurations are copies of each other, because copies share memory.
 */

#ifndef FCN_CONFIG_H
#define FCN_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rte_ether.h>

#include "fcn_addr.h"
#include "fcn_config_srv6.h"
#include "fcn_config_arn.h"
#include "fcn_config_exports.h"
#include "fcn_config_proxy.h"
#include "fcn_config_queue.h"
#include "fcn_config_table.h"
#include "fcn_config_parts.h"
#include "fcn_notice_fastcnp.h"
#include "fcn_snapshot.h"

#define FCN_DEVICE_LEN 256 /**< size of the name of a device, with terminator */

#define FCN_DEFAULT_PVID 1
/** Default MTU of a port: the longest IP packet in bytes. */
#define FCN_DEFAULT_MTU 1500
#define FCN_MIN_MTU 1280 /**< the least that IPv6 allows (RFC 8200 section 5) */
#define FCN_MAX_MTU 9600

/**
 * Maximum number of addresses of a bridge interface. It is low because workers compare all of them
 * with the target of each ARP request and Neighbour Solicitation in the VLAN.
 */
#define FCN_BRIDGE_ADDRESSES 16

/** Default of the longest sleep of a worker that finds nothing to do. */
#define FCN_DEFAULT_IDLE_NS 100000

/** IOAM of a port. */
struct fcn_config_ioam_port {
	bool transit; /**< this node's data are added to traces of packets received here */
	enum fcn_ioam_edge edge;
	uint32_t id;      /**< 16 bits; AUTO: the port's number + 1; FCN_IOAM_NA16: none */
	uint64_t id_wide; /**< 32 bits; AUTO64: the port's number + 1; FCN_IOAM_NA32: none */
};

/** IOAM of the switch (RFC 9197 section 4.4.2). */
struct fcn_config_ioam {
	uint32_t node_id;      /**< 24 bits; FCN_IOAM_NO_NODE: none */
	uint64_t node_id_wide; /**< 56 bits; FCN_IOAM_NO_NODE_WIDE: none */
	enum fcn_ioam_time_format time_format;
	int32_t tai_offset; /**< seconds by which TAI is ahead of UTC, for PTP timestamps */
	FCN_CONFIG_LIST(fcn_ioam_namespace) namespaces; /**< by ascending id */
};

#define FCN_IOAM_TAI_OFFSET 37     /**< default of tai_offset: the seconds since 2017 */
#define FCN_IOAM_NO_NODE 0xFFFFFFu /**< all ones: "not available" */
#define FCN_IOAM_NO_NODE_WIDE ((UINT64_C(1) << 56) - 1)

/** Storm control of a port of a bridge: a limit of the frames of one kind that are flooded. */
struct fcn_config_storm {
	uint64_t rate;  /**< frames per second; 0: no limit */
	uint32_t burst; /**< frames at once */
};

/** Whether packets received by a port may enter protected classes. */
enum fcn_class_trust {
	FCN_CLASS_TRUST_AUTO, /**< they may, unless it is a border port */
	FCN_CLASS_TRUST_ON,
	FCN_CLASS_TRUST_OFF,
};

/** How many packets of a kind a port, or each port without a rate of its own, may leave to the host
 * functions. */
struct fcn_config_police {
	bool set; /**< false: the rate of all ports holds, and of these the default */
	struct fcn_punt_rate rate;
};

/** A port, a sub-interface or a bridge interface. */
struct fcn_config_port {
	char name[FCN_NAME_LEN];     /**< "": there is no port of this number */
	char device[FCN_DEVICE_LEN]; /**< ethdev of the port in the live switch; "": none */
	uint16_t queues;             /**< receive queues of the device */
	/** descriptors of each receive queue and of the transmit queue; 0: a default. The
	 * device may round them. */
	uint16_t rx_descriptors, tx_descriptors;
	/** worker that owns its class queues; AUTO: one on the device's NUMA node if there is any,
	 * and of these one with fewest ports */
	uint32_t worker;
	/** VLAN ID of a sub-interface or bridge interface; 0: a port. A sub-interface uses only
	 * name, parent, MTU, advertise, source_check, kernel and police, and takes the rest from
	 * its parent. */
	uint16_t vlan;
	uint16_t parent; /**< sub-interface: number of its port */
	/** bridge interface: index of its bridge; -1: it is none. It uses only name, VLAN ID, MAC
	 * address and MTU. */
	int of_bridge;
	struct rte_ether_addr mac; /**< all zero: none is configured; see fcn_build_mac() */
	uint64_t link_bps;         /**< speed of the link if the device does not know it */
	uint64_t rate_bps;         /**< rate of the egress shaper on the wire; 0: none */
	/** shaper: bytes that may be made up for after idling; AUTO: as many as the lateness of
	 * polls costs, fcn_build_env.slack_ns */
	uint32_t burst;
	uint32_t overhead; /**< octets that shapers add to a frame, see FCN_SHAPER_OVERHEAD */
	uint16_t mtu;      /**< longest IP packet in bytes */
	enum fcn_port_trust trust;
	bool border; /**< the port leads out of the domain */
	enum fcn_class_trust class_trust;
	uint8_t untrusted_class; /**< untrusted: class of packets that would get a protected one */
	enum fcn_remark remark;  /**< untrusted: packets whose DSCP and PCP are rewritten */
	uint8_t remark_dscp;     /**< untrusted: the DSCP that is written */
	bool advertise;          /**< send router advertisements */
	uint8_t source_check;    /**< routed: enum fcn_source_check */
	bool promiscuous; /**< receive frames to any MAC address, as ports of bridges always do */
	char kernel[FCN_KERNEL_NAME_LEN]; /**< kernel interface that stands for it; "": none */
	char table[FCN_NAME_LEN];         /**< routed: name of its route table; "": the main one */
	int bridge;                       /**< index of the bridge that it is in; -1: routed */
	uint16_t pvid; /**< bridge: VLAN of untagged frames; 0: they are refused */
	uint64_t tagged[FCN_VLAN_WORDS]; /**< bridge: bit set of VLANs with tagged frames */
	/** bridge: maximum number of MAC addresses learned here; AUTO: a quarter of the table */
	uint32_t mac_limit;
	struct fcn_config_storm storm[FCN_FLOOD_KINDS];
	struct fcn_config_queue queue[FCN_CLASSES];
	struct fcn_config_pfc pfc;
	struct fcn_config_ioam_port ioam;
	uint8_t trim_dscp; /**< DSCP of trimmed packets; FCN_TRIM_DSCP_AUTO: that of the switch */
	uint8_t arn_edge;  /**< enum fcn_arn_edge */
	uint8_t proxy_option; /**< enum fcn_proxy_edge */
	struct fcn_config_police police[FCN_PUNT_KIND_COUNT];
};

/** The Linux kernel beside the switch. The first members are about the main table. */
struct fcn_config_kernel {
	enum fcn_kernel_mode mode;
	uint32_t table;                /**< TABLE: number of the table */
	char vrf[FCN_KERNEL_NAME_LEN]; /**< VRF: name of the device */
	char netns[FCN_NAME_LEN]; /**< network namespace of ip-netns(8); "": that of the program */
};

#define FCN_KERNEL_TABLE_MAIN 254

#define FCN_DEFAULT_MOVE_LIMIT 10
#define FCN_DEFAULT_RECOVER_NS UINT64_C(300000000000)

/** What is done when MAC addresses move between two ports of a bridge as often as move_limit. */
enum fcn_loop_action {
	FCN_LOOP_LOG,     /**< an event is noted, and nothing else is done */
	FCN_LOOP_DISABLE, /**< the port with the higher number is closed, too */
};

/** A bridge. */
struct fcn_config_bridge {
	char name[FCN_NAME_LEN]; /**< "": there is no bridge of this index */
	/** MAC addresses that move to a port in a second, counted separately for moves from ports
	 * with lower and with higher numbers, from which on an event is noted; 0: none is */
	uint32_t move_limit;
	enum fcn_loop_action loop_action;
	uint64_t recover_ns; /**< time after which a closed port is opened again; 0: it is not */
	uint64_t ageing_ns;  /**< time after which a MAC address that has not sent is forgotten */
};

/** An address of a port, sub-interface or bridge interface. */
struct fcn_config_address {
	uint16_t port;
	struct fcn_prefix prefix; /**< the address with its host bits, and the prefix length */
};

/** A configured neighbour. */
struct fcn_config_neighbour {
	uint16_t port;
	struct fcn_addr addr;
	struct rte_ether_addr mac;
};

/** A path of a static route. */
struct fcn_config_route {
	struct fcn_prefix prefix; /**< without host bits */
	uint8_t table;            /**< number of the table that it is in */
	bool blackhole;           /**< packets are dropped; port and via are not used */
	/** 1 + slot of the SRv6 policy that packets take; port and via are not used. 0: none */
	uint16_t policy;
	uint16_t port;       /**< interface behind which the gateway is */
	struct fcn_addr via; /**< the gateway */
};

/** Tell whether a path of a route leads to a gateway. */
static inline bool
fcn_config_route_has_gateway(const struct fcn_config_route *route)
{
	return !route->blackhole && route->policy == 0;
}

/** What is configured of the senders in a prefix. */
struct fcn_config_sender {
	struct fcn_prefix prefix; /**< without host bits */
	enum fcn_sender_capability capability;
};

/** Notices. */
struct fcn_config_notify {
	uint8_t on; /**< bit set of the kinds that are sent, by enum fcn_notice_kind_number */
	bool mark_unknown; /**< packets of senders of unknown capability are CE-marked, too */
	uint8_t class;     /**< class queue of notices */
	uint8_t dscp;      /**< DSCP of notices */
	uint8_t hop_limit; /**< Hop Limit of notices */
	bool entropy;      /**< notices have the flow label of the packet that they are about */
	enum fcn_icrc_mode icrc;
	uint64_t interval_ns; /**< minimum time between two notices for a flow */
	/** for each congested queue; rate FCN_AUTO64: see fcn_build_queue_bucket() */
	struct fcn_config_bucket queue_bucket;
	struct fcn_config_bucket global_bucket; /**< for all notices of a kind */
	/** for each receiver of notices; rate FCN_AUTO64: see fcn_build_receiver_bucket() */
	struct fcn_config_bucket dest_bucket;
	/** for each sender about which another node is told */
	struct fcn_config_bucket source_bucket;
	/** share of each link that notices may use, in billionths; 0: no limit */
	uint64_t link_share;
	enum fcn_sender_capability default_capability; /**< of senders in no configured prefix */
};

/** Trimmed packets; which queues trim is in struct fcn_config_queue. */
struct fcn_config_trim {
	uint8_t class;       /**< class queue of trimmed packets */
	uint8_t dscp;        /**< DSCP of trimmed packets, or FCN_TRIM_DSCP_KEEP */
	uint64_t link_share; /**< share of each link for them, in billionths; 0: no limit */
};

enum fcn_host_mode {
	FCN_HOST_AUTO, /**< on in the live switch, off in replay */
	FCN_HOST_ON,
	FCN_HOST_OFF,
};

/** The switch's own host functions: neighbours, ICMP; see struct fcn_host_conf. */
struct fcn_config_host {
	enum fcn_host_mode mode;
	bool dad;      /**< duplicate address detection (RFC 4862 section 5.4) */
	bool mld;      /**< report the multicast groups of the addresses of ports */
	uint8_t class; /**< class queue of packets that the host functions send */
	struct fcn_config_bucket errors;        /**< ICMP errors, by kind and ingress port */
	struct fcn_config_bucket replies;       /**< echo replies, by ingress port */
	struct fcn_config_bucket solicitations; /**< neighbours asked for, by ingress port */
	uint64_t reachable_ns;                  /**< for how long a neighbour counts as reachable */
	uint64_t retrans_ns;                    /**< time between two solicitations */
	uint64_t advertise_ns;  /**< longest time between two router advertisements of a port */
	uint64_t capability_ns; /**< for how long a sender counts as refusing notices of a kind; 0:
				   it never does */
	uint64_t notice_recent_ns; /**< for how long a notice may be answered by an ICMPv6 error */
	uint32_t max_neighbours;   /**< maximum number of dynamic neighbours */
	uint32_t port_neighbours;  /**< maximum number of these on one port; 0: no further limit */
	/** for each port that has no rate of its own */
	struct fcn_config_police police[FCN_PUNT_KIND_COUNT];
};

/** The border of the domain, except its ports: see struct fcn_config_port. */
struct fcn_config_border {
	uint16_t cnm_port; /**< UDP port of Congestion Notification Messages; 0: none */
	uint16_t arn_port; /**< UDP port of Adaptive Routing Notifications; 0: none */
	enum fcn_border_action cnp;
	enum fcn_border_action local_sids;     /**< packets to and from SIDs of the switch itself */
	FCN_CONFIG_LIST(fcn_prefix) peers;     /**< hosts outside with which CNPs are exchanged */
	FCN_CONFIG_LIST(fcn_prefix) sids;      /**< SRv6 segment identifiers of the domain */
	FCN_CONFIG_LIST(fcn_prefix) unchecked; /**< sources that source-check leaves out */
};

/**
 * The protected classes are those of the notices and of the host functions, that of trimmed packets
 * if a queue trims, and 6 and 7, which network control uses; never class 0.
 */
#define FCN_PROTECTED_AUTO (-1)

/** A configuration. */
struct fcn_config {
	/** By number. Those from n_ports on are all zero, and a copy does not touch them. */
	struct fcn_config_port port[FCN_MAX_PORTS];
	unsigned int n_ports; /**< one more than the highest number that a port has had */
	struct fcn_config_bridge bridge[FCN_MAX_BRIDGES];
	struct fcn_config_table table[FCN_MAX_TABLES]; /**< by number */
	FCN_CONFIG_LIST(fcn_config_address) addresses;
	FCN_CONFIG_LIST(fcn_config_neighbour) neighbours;
	FCN_CONFIG_LIST(fcn_config_route) routes;
	FCN_CONFIG_LIST(fcn_config_sender) senders;
	/* The switch's own addresses, which belong to no port; version 0: none. */
	struct fcn_addr loopback;  /**< IPv6: source of notices */
	struct fcn_addr loopback4; /**< IPv4 */
	struct fcn_class_map class_map;
	struct fcn_config_notify notify;
	struct fcn_config_trim trim;
	struct fcn_config_host host;
	struct fcn_config_kernel kernel;
	uint64_t idle_ns;  /**< longest sleep of a worker that finds nothing to do; 0: none */
	bool stage_cycles; /**< workers count the cycles of their stages */
	bool cycle_share;  /**< ports that compete share the cycles of a worker */
	enum fcn_copy_mode copies; /**< how packets are copied, as for flooding */
	uint64_t buffer; /**< bytes of the shared buffer; 0: queues have only limits of their own */
	uint32_t packets; /**< packets that queues may hold together; AUTO: as buffers permit */
	struct fcn_config_ioam ioam;
	struct fcn_parse_codes codes;
	struct fcn_config_border border;
	struct fcn_config_srv6 srv6;
	struct fcn_config_arn arn;
	struct fcn_config_proxy proxy;
	struct fcn_config_exports exports;
	int protected_classes;                    /**< bit set of classes, or FCN_PROTECTED_AUTO */
	char former[FCN_MAX_PORTS][FCN_NAME_LEN]; /**< see fcn_config_note_ports() */
};

/** Create a configuration without ports, with all defaults. @return NULL when memory is exhausted
 */
struct fcn_config *fcn_config_create(void);

/**
 * Store the names of the current ports by their numbers, before a copy of the configuration is
 * changed. A port that is then removed and added again gets its number back.
 */
void fcn_config_note_ports(struct fcn_config *cfg, const struct fcn_config *in_force);
/**
 * Copy a configuration. The two share the elements of their lists until one of them changes a list.
 *
 * @return to be freed with fcn_config_free(); NULL when memory is exhausted
 */
struct fcn_config *fcn_config_copy(const struct fcn_config *cfg);
/** Free a configuration. NULL is allowed. */
void fcn_config_free(struct fcn_config *cfg);

/** Tell whether a number is that of a port with a link and queues of its own. */
bool fcn_config_has_link(const struct fcn_config *cfg, unsigned int port);
/** Tell whether a number is that of a sub-interface. */
bool fcn_config_is_sub_interface(const struct fcn_config *cfg, unsigned int port);

/**
 * Get the rate of packets of a kind that a port may leave to the host functions: its own, that
 * of all ports, or the default.
 */
struct fcn_punt_rate fcn_config_police(
		const struct fcn_config *cfg, unsigned int port, enum fcn_punt_kind kind);
/** Tell whether a number is that of a bridge interface. */
bool fcn_config_is_bridge_interface(const struct fcn_config *cfg, unsigned int port);

/** Set a class queue to its defaults. */
void fcn_config_queue_default(struct fcn_config_queue *q);

/** Tell whether the switch sends notices or adaptive routing notifications, or is a proxy, so that
 * their class has strict priority and cannot be paused. */
bool fcn_config_sends_notices(const struct fcn_config *cfg);

/** Get the bit set of the kinds of notices that are on: bit enum fcn_notice_kind_number. Those
 * about lost packets are on where a queue returns headers to senders. */
uint8_t fcn_config_notices_on(const struct fcn_config *cfg);

/** Tell whether a queue of a port trims packets that go on, so that the class of trimmed packets
 * has strict priority there. */
bool fcn_config_trims(const struct fcn_config *cfg, unsigned int port);
/** Tell whether a class queue of a port has strict priority. */
bool fcn_config_is_strict(const struct fcn_config *cfg, unsigned int port, unsigned int class);
/** Set a port and its queues to their defaults. The name is empty afterwards. */
void fcn_config_port_default(struct fcn_config_port *port);
/** Set everything but ports and bridges to its default. All members must be 0 before. */
void fcn_config_default(struct fcn_config *cfg);

/** Tell whether a port or bridge can have a name of this length. */
bool fcn_config_is_name(const char *name);

/** Find a port, sub-interface or bridge interface by name. @return its number; -ENOENT */
int fcn_config_port_find(const struct fcn_config *cfg, const char *name);
/**
 * Add a port with all defaults.
 *
 * @return its number; -EINVAL: the name is empty or too long; -EEXIST: the name is in use;
 *  -ENOSPC: there are FCN_MAX_PORTS
 */
int fcn_config_port_add(struct fcn_config *cfg, const char *name);
/**
 * Add a sub-interface to a port, with the port's MTU.
 *
 * @param vlan VLAN ID, 1 to 4094
 * @return its number; -EADDRINUSE: the port has one of this VLAN; or as fcn_config_port_add()
 */
int fcn_config_sub_interface_add(
		struct fcn_config *cfg, const char *name, uint16_t parent, uint16_t vlan);
/** Find the sub-interface of a port and VLAN. @return its number; -ENOENT */
int fcn_config_sub_interface_find(const struct fcn_config *cfg, uint16_t parent, uint16_t vlan);
/**
 * Remove a port, sub-interface or bridge interface, with its sub-interfaces and the addresses,
 * neighbours, paths of routes and local SIDs that name any of them.
 *
 * @return 0; -ENOMEM: nothing was removed
 */
int fcn_config_port_remove(struct fcn_config *cfg, uint16_t port);

/** Find a bridge by name. @return its index; -ENOENT */
int fcn_config_bridge_find(const struct fcn_config *cfg, const char *name);
/**
 * Add a bridge with all defaults.
 *
 * @return its index; -EINVAL: the name is empty or too long; -EEXIST: the name is in use;
 *  -ENOSPC: there are FCN_MAX_BRIDGES
 */
int fcn_config_bridge_add(struct fcn_config *cfg, const char *name);
/**
 * Add an interface to a bridge, by which the switch is a station in one VLAN.
 *
 * @param vlan VLAN ID, 1 to 4094
 * @return its number; -EADDRINUSE: the bridge has one in this VLAN; or as fcn_config_port_add()
 */
int fcn_config_bridge_interface_add(
		struct fcn_config *cfg, const char *name, unsigned int bridge, uint16_t vlan);
/** Find the interface of a bridge in a VLAN. @return its number; -ENOENT */
int fcn_config_bridge_interface_find(
		const struct fcn_config *cfg, unsigned int bridge, uint16_t vlan);
/**
 * Remove a bridge and its interfaces. Its ports are routed afterwards.
 *
 * @return 0; -ENOMEM: the configuration is to be thrown away
 */
int fcn_config_bridge_remove(struct fcn_config *cfg, unsigned int bridge);
/** Take a port out of its bridge. It is routed afterwards, without VLANs, MAC limit and storm
 * control. */
void fcn_config_bridge_leave(struct fcn_config *cfg, unsigned int port);

/** Get the protected classes, which packets of untrusted ports cannot enter. @return bit set */
uint8_t fcn_config_protected(const struct fcn_config *cfg);
/** Tell whether packets received by a port may enter protected classes. */
bool fcn_config_is_trusted(const struct fcn_config_port *port);

#endif /* FCN_CONFIG_H */
