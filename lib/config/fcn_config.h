/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The configuration as data: what a person asked for, before anything is made
 * of it. A change is made to a copy, the copy is applied whole or not at all.
 *
 * Owned by the control thread.
 */

#ifndef FCN_CONFIG_H
#define FCN_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rte_ether.h>

#include "fcn_addr.h"
#include "fcn_notice_fastcnp.h"
#include "fcn_snapshot.h"

#define FCN_NAME_LEN 32
#define FCN_KERNEL_NAME_LEN 16 /**< of an interface of the kernel, terminator included */
#define FCN_DEVICE_LEN 256

#define FCN_DEFAULT_PVID 1
/** Longest IP packet of a port that was not told otherwise, bytes. */
#define FCN_DEFAULT_MTU 1500

/** Addresses of an interface of a bridge at the most: every question in the VLAN is compared. */
#define FCN_BRIDGE_ADDRESSES 16

/** Workers that find nothing to do sleep for so long, in the end. */
#define FCN_DEFAULT_IDLE_NS 100000

/** A value that follows from others until it is set. */
#define FCN_AUTO UINT32_MAX
#define FCN_AUTO64 UINT64_MAX

/** 1 as a ratio: they are kept in billionths. */
#define FCN_RATIO_ONE UINT64_C(1000000000)

/** The detector rate measures in this part of the port's rate, a ratio. */
#define FCN_RATE_STEP (FCN_RATIO_ONE / 1000)

/** Detector parameters as configured; FCN_AUTO where a default applies. */
struct fcn_config_detector {
	enum fcn_detector_type type;
	bool at_dequeue;      /**< red */
	uint32_t enter;       /**< step, red (Kmin): bytes; AUTO: 32 us of the queue's rate */
	uint32_t kmax;        /**< red: bytes; AUTO: 128 us of the queue's rate */
	uint64_t pmax;        /**< red: ratio */
	uint32_t leave;       /**< step, red, qcn: bytes; AUTO: half of enter, or of qeq */
	uint32_t qeq;         /**< qcn: bytes; AUTO: 4 us of the queue's rate, at least 26 KB */
	uint32_t weight;      /**< qcn */
	uint32_t sample;      /**< qcn: bytes */
	uint64_t target_ns;   /**< sojourn */
	uint64_t leave_ns;    /**< sojourn; AUTO64: half of target */
	uint64_t interval_ns; /**< sojourn: above target for so long; rate: window; AUTO64: 100 us,
				 10 us */
	uint64_t threshold;   /**< rate: ratio, a multiple of FCN_RATE_STEP */
	uint64_t leave_ratio; /**< rate: ratio, likewise; AUTO64: 0.9 of threshold */
	uint64_t hold_ns;     /**< AUTO64: 20 us for qcn, 0 for others */
};

#define FCN_STRICT_AUTO (-1)

/** Limits of shapers. 400 Gbit/s ports exist; more than ten times that is a typing mistake. */
#define FCN_SHAPER_MIN_BPS 1000
#define FCN_SHAPER_MAX_BPS 4000000000000
#define FCN_SHAPER_MAX_BURST 1000000000

/** A class shaper. */
struct fcn_config_shaper {
	uint64_t bps;   /**< 0: none */
	uint32_t burst; /**< as struct fcn_config_port.burst */
};

struct fcn_config_queue {
	uint32_t limit_bytes;
	uint32_t limit_packets;
	uint16_t weight;
	int8_t strict; /**< 1, 0; FCN_STRICT_AUTO: classes 6, 7 and that of the notices */
	struct fcn_queue_policy policy;
	struct fcn_config_shaper committed;
	struct fcn_config_shaper peak;
	uint32_t reserve; /**< of the shared buffer, where there is one: bytes of its own */
	uint64_t alpha;   /**< ... ratio: its part of what is free */
	struct fcn_config_detector detector;
};

/** Flow control of one class of a port. */
struct fcn_config_pfc_class {
	bool send;          /**< ask the sender behind the port to pause: the class is lossless */
	bool receive;       /**< pause when asked to */
	bool dynamic;       /**< threshold from the shared buffer */
	uint32_t xoff;      /**< static: bytes; AUTO: 32 us of the link */
	uint32_t xon;       /**< static: bytes; AUTO: 3 KB below xoff, at least half of it */
	uint64_t alpha;     /**< dynamic: ratio */
	uint32_t xon_below; /**< dynamic: bytes */
	uint32_t reserve;   /**< bytes of the shared buffer, part of the threshold */
	uint32_t headroom;  /**< bytes; AUTO: what loses nothing */
};

/** Flow control of a port. */
struct fcn_config_pfc {
	struct fcn_config_pfc_class class[FCN_CLASSES];
	uint16_t quanta;   /**< pause time asked for */
	uint64_t delay_ns; /**< of the link, one way */
	uint64_t react_ns; /**< of the other end; AUTO64: 60 quanta */
	bool link_pause;   /**< obey 802.3x PAUSE */
	bool hardware;     /**< have the device do it, too */
	enum fcn_storm_action action;
	uint64_t detect_ns;
	uint64_t restore_ns;
};

/** IOAM of a port. */
struct fcn_config_ioam_port {
	bool transit;
	enum fcn_ioam_edge edge;
	uint32_t id;      /**< AUTO: the port's number + 1; FCN_IOAM_NA16: none */
	uint64_t id_wide; /**< AUTO64: the same; FCN_IOAM_NA32: none */
};

/** IOAM of the switch. */
struct fcn_config_ioam {
	uint32_t node_id;      /**< all ones of 24 bits: none */
	uint64_t node_id_wide; /**< all ones of 56 bits: none */
	enum fcn_ioam_time_format time_format;
	int32_t tai_offset;
	uint32_t n_namespaces;
	struct fcn_ioam_namespace ns[FCN_IOAM_NAMESPACES]; /**< in the order of ids */
};

#define FCN_IOAM_TAI_OFFSET 37 /**< seconds, since 2017 */
#define FCN_IOAM_NO_NODE 0xFFFFFFu
#define FCN_IOAM_NO_NODE_WIDE ((UINT64_C(1) << 56) - 1)

/** Storm control of a port: frames of one kind that it may have flooded. */
struct fcn_config_storm {
	uint64_t rate;  /**< frames a second, 0: no limit */
	uint32_t burst; /**< frames at once */
};

/** Whether packets received by a port get into protected classes. */
enum fcn_class_trust {
	FCN_CLASS_TRUST_AUTO, /**< they do, unless it is a border port */
	FCN_CLASS_TRUST_ON,
	FCN_CLASS_TRUST_OFF,
};

/** How many packets of a kind a port may leave to the host functions. */
struct fcn_config_police {
	bool set; /**< of a port: false takes the switch's rate */
	struct fcn_punt_rate rate;
};

struct fcn_config_port {
	char name[FCN_NAME_LEN];     /**< "" is no port */
	char device[FCN_DEVICE_LEN]; /**< ethdev behind it in the live switch, "" for none */
	uint16_t queues;             /**< receive queues of the device */
	uint32_t worker;             /**< that has its class queues; AUTO: one with fewest ports */
	uint16_t vlan;   /**< sub-interface: its VLAN ID; 0: a port. Of a sub-interface only name,
			    MTU and advertise count, the rest is its parent's */
	uint16_t parent; /**< sub-interface: number of the port it is of */
	int of_bridge;   /**< interface of a bridge: index of that; -1. Of such an interface name,
			    VLAN ID, MAC address and MTU count */
	bool has_mac;
	struct rte_ether_addr mac; /**< without has_mac: the device's, or 02:66:63:6e:00:<number> */
	uint64_t link_bps;         /**< speed of the link where the device cannot tell */
	uint64_t rate_bps;         /**< egress shaper, 0 for none */
	uint32_t burst; /**< shaper: bytes that may be made up for after idling; AUTO: 0 in virtual
			   time, 100 us of the rate otherwise */
	uint32_t overhead; /**< octets of a frame that shapers count beyond those in memory */
	uint16_t mtu;
	enum fcn_port_trust trust;
	bool border; /**< what is outside the domain is behind it */
	enum fcn_class_trust class_trust;
	uint8_t untrusted_class; /**< untrusted: class of packets that would get a protected one */
	enum fcn_remark remark;  /**< untrusted: of which packets the DSCP and PCP are rewritten */
	uint8_t remark_dscp;
	bool advertise;                   /**< send router advertisements */
	bool promiscuous;                 /**< hear every frame; those in a bridge do in any case */
	char kernel[FCN_KERNEL_NAME_LEN]; /**< interface of the kernel that stands for it, "": none
					   */
	int bridge;                       /**< index of the bridge, -1: routed */
	uint16_t pvid;
	uint64_t tagged[FCN_VLAN_WORDS];
	uint32_t mac_limit; /**< MAC addresses a bridge learns here; AUTO: a part of the table */
	struct fcn_config_storm storm[FCN_FLOOD_KINDS];
	struct fcn_config_queue queue[FCN_CLASSES];
	struct fcn_config_pfc pfc;
	struct fcn_config_ioam_port ioam;
	struct fcn_config_police police[FCN_PUNT_KIND_COUNT];
};

/** Whose routes of the Linux kernel are taken, beside those configured. */
enum fcn_kernel_mode {
	FCN_KERNEL_OFF,
	FCN_KERNEL_TABLE,
	FCN_KERNEL_VRF, /**< the table of a VRF device, and interfaces of ports belong to it */
};

struct fcn_config_kernel {
	enum fcn_kernel_mode mode;
	uint32_t table;                /**< TABLE: number */
	char vrf[FCN_KERNEL_NAME_LEN]; /**< VRF: name of the device */
	char netns[FCN_NAME_LEN]; /**< network namespace, as of ip-netns(8), "": the program's */
};

#define FCN_KERNEL_TABLE_MAIN 254

#define FCN_DEFAULT_MOVE_LIMIT 10
#define FCN_DEFAULT_RECOVER_NS UINT64_C(300000000000)

/** What is done when MAC addresses move between ports of a bridge again and again. */
enum fcn_loop_action {
	FCN_LOOP_LOG,     /**< it is told, and nothing else */
	FCN_LOOP_DISABLE, /**< of the two ports, the one with the higher number is closed */
};

struct fcn_config_bridge {
	char name[FCN_NAME_LEN]; /**< "" is no bridge */
	uint32_t move_limit;     /**< moves of MAC addresses in a second to a port from ports with
				    lower numbers, or from ports with higher ones, that are told of; 0:
				    none are */
	enum fcn_loop_action loop_action;
	uint64_t recover_ns; /**< a closed port is opened again after so long; 0: it is not */
	uint64_t ageing_ns;
};

struct fcn_config_address {
	uint16_t port;
	struct fcn_prefix prefix; /**< the address whole, with the length of its prefix */
};

struct fcn_config_neighbour {
	uint16_t port;
	struct fcn_addr addr;
	struct rte_ether_addr mac;
};

struct fcn_config_route {
	struct fcn_prefix prefix;
	bool blackhole;
	uint16_t port;
	struct fcn_addr via;
};

struct fcn_config_sender {
	struct fcn_prefix prefix;
	enum fcn_sender_capability capability;
};

/** A token bucket; rate 0 is no limit. */
struct fcn_config_bucket {
	uint64_t rate; /**< tokens a second */
	uint32_t burst;
};

struct fcn_config_notify {
	uint8_t on; /**< bit set: kinds of notices that are sent, enum fcn_notice_kind_number */
	bool mark_unknown;
	uint8_t class;
	uint8_t dscp;
	uint8_t hop_limit;
	enum fcn_icrc_mode icrc;
	uint64_t interval_ns;
	struct fcn_config_bucket queue_bucket; /**< of each congested queue */
	struct fcn_config_bucket global_bucket;
	struct fcn_config_bucket dest_bucket;
	enum fcn_sender_capability default_capability;
};

enum fcn_host_mode {
	FCN_HOST_AUTO, /**< on in the live switch, off in replay */
	FCN_HOST_ON,
	FCN_HOST_OFF,
};

/** The switch's own host functions: neighbours, ICMP. */
struct fcn_config_host {
	enum fcn_host_mode mode;
	bool dad;
	bool mld;
	uint8_t class;
	struct fcn_config_bucket errors;
	struct fcn_config_bucket replies;
	struct fcn_config_bucket solicitations;
	uint64_t reachable_ns;
	uint64_t retrans_ns;
	uint64_t advertise_ns;
	uint64_t capability_ns; /**< 0: nothing is learned of senders */
	uint64_t notice_recent_ns;
	uint32_t max_neighbours;
	uint32_t port_neighbours; /**< of one port at the most; 0: no further limit */
	struct fcn_punt_rate police[FCN_PUNT_KIND_COUNT]; /**< of each port */
};

/* Lists that grow; the element type is in the name. */
#define FCN_CONFIG_LIST(type)      \
	struct {                   \
		struct type *item; \
		size_t n;          \
		size_t room;       \
	}

/** The border of the domain, but for the ports it runs through. */
struct fcn_config_border {
	uint16_t cnm_port; /**< UDP port of congestion notification messages, 0: none */
	uint16_t arn_port; /**< UDP port of adaptive routing notifications, 0: none */
	FCN_CONFIG_LIST(fcn_prefix) peers; /**< hosts outside that CNPs come from and go to */
	FCN_CONFIG_LIST(fcn_prefix) sids;  /**< segment identifiers of the domain */
};

/** Protected classes that follow from others: those of the notices and the host functions, and 6
 * and 7, in which network control goes; never class 0. */
#define FCN_PROTECTED_AUTO (-1)

struct fcn_config {
	struct fcn_config_port port[FCN_MAX_PORTS];
	struct fcn_config_bridge bridge[FCN_MAX_BRIDGES];
	FCN_CONFIG_LIST(fcn_config_address) addresses;
	FCN_CONFIG_LIST(fcn_config_neighbour) neighbours;
	FCN_CONFIG_LIST(fcn_config_route) routes;
	FCN_CONFIG_LIST(fcn_config_sender) senders;
	struct fcn_addr loopback; /**< version 0: none */
	struct fcn_class_map class_map;
	struct fcn_config_notify notify;
	struct fcn_config_host host;
	struct fcn_config_kernel kernel;
	uint64_t idle_ns; /**< longest sleep of a worker that finds nothing to do, 0: none */
	enum fcn_quote_mode copies; /**< how a copy of a packet is made, as for flooding */
	uint64_t buffer;            /**< bytes that queues share, 0: each has its own limit alone */
	struct fcn_config_ioam ioam;
	struct fcn_parse_codes codes;
	struct fcn_config_border border;
	int protected_classes; /**< bit set of classes, or FCN_PROTECTED_AUTO */
	/** Names that ports in force have, by number: a port of that name gets its number again. */
	char former[FCN_MAX_PORTS][FCN_NAME_LEN];
};

/** A configuration with nothing in it and every default set; NULL on lack of memory. */
struct fcn_config *fcn_config_create(void);

/** Note which numbers the ports in force have; done for a candidate before it is changed. */
void fcn_config_note_ports(struct fcn_config *cfg, const struct fcn_config *in_force);
/** Lists are shared until one of the two changes them: both belong to one thread. */
struct fcn_config *fcn_config_copy(const struct fcn_config *cfg);
void fcn_config_free(struct fcn_config *cfg);

/** Whether there is a port of this number, with a line and queues of its own. */
bool fcn_config_has_link(const struct fcn_config *cfg, unsigned int port);
/** Whether there is a sub-interface of this number. */
bool fcn_config_is_sub_interface(const struct fcn_config *cfg, unsigned int port);

/** How many packets of a kind a port may leave to the host functions: its own rate, or the
 * switch's. */
const struct fcn_punt_rate *fcn_config_police(
		const struct fcn_config *cfg, unsigned int port, enum fcn_punt_kind kind);
/** Whether there is an interface of a bridge of this number. */
bool fcn_config_is_bridge_interface(const struct fcn_config *cfg, unsigned int port);

/** Defaults of a class queue. */
void fcn_config_queue_default(struct fcn_config_queue *q);

/** Whether a class queue of a port is served before those below it. */
bool fcn_config_is_strict(const struct fcn_config *cfg, unsigned int port, unsigned int class);
/** Defaults of a port, its queues included; it has no name yet. */
void fcn_config_port_default(struct fcn_config_port *port);
/** Defaults of what is not of a port; the rest must be zero. */
void fcn_config_default(struct fcn_config *cfg);

/** Whether a port or a bridge can have this name. */
bool fcn_config_is_name(const char *name);

/** @return number of the port, or -ENOENT */
int fcn_config_port_find(const struct fcn_config *cfg, const char *name);
/** @return number of the port, -EEXIST, -ENOSPC (too many), -EINVAL (name) */
int fcn_config_port_add(struct fcn_config *cfg, const char *name);
/**
 * Add a sub-interface to a port, with the port's MTU.
 * @return its number, -EINVAL (name), -EEXIST (the name), -ENOSPC (too many), -EADDRINUSE (the
 *         VLAN has one)
 */
int fcn_config_sub_interface_add(
		struct fcn_config *cfg, const char *name, uint16_t parent, uint16_t vlan);
/** @return number of the sub-interface of a port and VLAN, or -ENOENT */
int fcn_config_sub_interface_find(const struct fcn_config *cfg, uint16_t parent, uint16_t vlan);
/**
 * Remove a port and all that stands on it: sub-interfaces, addresses, neighbours, routes.
 * @return 0, -ENOMEM
 */
int fcn_config_port_remove(struct fcn_config *cfg, uint16_t port);

int fcn_config_bridge_find(const struct fcn_config *cfg, const char *name);
int fcn_config_bridge_add(struct fcn_config *cfg, const char *name);
/**
 * Add an interface to a bridge, in one VLAN.
 * @return its number, -EINVAL (name), -EEXIST (the name), -ENOSPC (too many), -EADDRINUSE (the
 *         VLAN has one)
 */
int fcn_config_bridge_interface_add(
		struct fcn_config *cfg, const char *name, unsigned int bridge, uint16_t vlan);
/** @return number of the interface of a bridge in a VLAN, or -ENOENT */
int fcn_config_bridge_interface_find(
		const struct fcn_config *cfg, unsigned int bridge, uint16_t vlan);
/** Remove a bridge and its interfaces; its ports are routed afterwards. @return 0, -ENOMEM */
int fcn_config_bridge_remove(struct fcn_config *cfg, unsigned int bridge);
/** Take a port out of its bridge: routed afterwards, its VLANs and limits forgotten. */
void fcn_config_bridge_leave(struct fcn_config *cfg, unsigned int port);

/* Lists: add returns 0, -EEXIST, -EINVAL or -ENOMEM; remove 0, -ENOENT or -ENOMEM. */
int fcn_config_address_add(struct fcn_config *cfg, uint16_t port, const struct fcn_prefix *prefix);
int fcn_config_address_remove(
		struct fcn_config *cfg, uint16_t port, const struct fcn_prefix *prefix);
/** Sets the MAC address of a neighbour, new or known. */
int fcn_config_neighbour_set(struct fcn_config *cfg, uint16_t port, const struct fcn_addr *addr,
		const struct rte_ether_addr *mac);
int fcn_config_neighbour_remove(struct fcn_config *cfg, uint16_t port, const struct fcn_addr *addr);
/** Adds a path; several to one prefix share the load. The prefix is normalised. */
int fcn_config_route_add(struct fcn_config *cfg, const struct fcn_config_route *route);
/** Removes one path, or all paths to a prefix when via is NULL. */
int fcn_config_route_remove(struct fcn_config *cfg, const struct fcn_prefix *prefix,
		const struct fcn_addr *via, int port);
int fcn_config_sender_set(struct fcn_config *cfg, const struct fcn_prefix *prefix,
		enum fcn_sender_capability capability);
int fcn_config_sender_remove(struct fcn_config *cfg, const struct fcn_prefix *prefix);

/** Hosts outside with which CNPs are exchanged. */
int fcn_config_peer_add(struct fcn_config *cfg, const struct fcn_prefix *prefix);
int fcn_config_peer_remove(struct fcn_config *cfg, const struct fcn_prefix *prefix);
/** Prefixes of segment identifiers of the domain. */
int fcn_config_sid_add(struct fcn_config *cfg, const struct fcn_prefix *prefix);
int fcn_config_sid_remove(struct fcn_config *cfg, const struct fcn_prefix *prefix);

/** Bit set of the classes that packets of untrusted ports do not get into. */
uint8_t fcn_config_protected(const struct fcn_config *cfg);
/** Whether packets received by a port get into those. */
bool fcn_config_is_trusted(const struct fcn_config_port *port);

/** Lists of namespaces are short, and kept in order. @return NULL: there is none */
struct fcn_ioam_namespace *fcn_config_namespace_find(struct fcn_config *cfg, uint16_t id);
/**
 * A namespace without data.
 * @param err on failure -EEXIST, or -ENOSPC
 * @return NULL on failure
 */
struct fcn_ioam_namespace *fcn_config_namespace_add(struct fcn_config *cfg, uint16_t id, int *err);
int fcn_config_namespace_remove(struct fcn_config *cfg, uint16_t id);

/* Words for enumerations, as commands and `show` have them. */
const char *fcn_host_mode_name(enum fcn_host_mode mode);
const char *fcn_trust_name(enum fcn_port_trust trust);
const char *fcn_capability_name(enum fcn_sender_capability capability);
const char *fcn_icrc_mode_name(enum fcn_icrc_mode mode);
const char *fcn_loop_action_name(enum fcn_loop_action action);
const char *fcn_storm_action_name(enum fcn_storm_action action);
/** Of all but "value". */
const char *fcn_ioam_data_name(enum fcn_ioam_data data);
const char *fcn_ioam_edge_name(enum fcn_ioam_edge edge);
const char *fcn_class_trust_name(enum fcn_class_trust trust);
const char *fcn_remark_name(enum fcn_remark remark);
const char *fcn_ioam_time_name(enum fcn_ioam_time_format format);

#endif /* FCN_CONFIG_H */
