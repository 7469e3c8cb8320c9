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
#include "fcn_snapshot.h"

#define FCN_NAME_LEN 32
#define FCN_DEVICE_LEN 64

/** A value that follows from others until it is set. */
#define FCN_AUTO UINT32_MAX
#define FCN_AUTO64 UINT64_MAX

/** Detector parameters as configured; FCN_AUTO where a default applies. */
struct fcn_config_detector {
	enum fcn_detector_type type;
	uint32_t enter;   /**< step: bytes */
	uint32_t leave;   /**< bytes; AUTO: half of enter, or of qeq */
	uint32_t qeq;     /**< qcn: bytes; AUTO: 4 us of the port's rate, at least 26 KB */
	uint32_t weight;  /**< qcn */
	uint32_t sample;  /**< qcn: bytes */
	uint64_t hold_ns; /**< AUTO64: 0 for step, 20 us for qcn */
};

struct fcn_config_queue {
	uint32_t limit_bytes;
	uint32_t limit_packets;
	uint16_t weight;
	bool strict;
	bool ecn;
	bool notify;
	struct fcn_config_detector detector;
};

struct fcn_config_port {
	char name[FCN_NAME_LEN];     /**< "" is no port */
	char device[FCN_DEVICE_LEN]; /**< ethdev behind it in the live switch, "" for none */
	bool has_mac;
	struct rte_ether_addr mac; /**< without has_mac: the device's, or 02:66:63:6e:00:<number> */
	uint64_t link_bps;         /**< speed of the line where the device cannot tell */
	uint64_t rate_bps;         /**< egress shaper, 0 for none */
	uint32_t burst; /**< shaper: bytes that may be made up for after idling; AUTO: 0 in virtual
			   time, 100 us of the rate otherwise */
	uint16_t mtu;
	enum fcn_port_trust trust;
	int bridge; /**< index of the bridge, -1: routed */
	uint16_t pvid;
	uint64_t tagged[FCN_VLAN_WORDS];
	struct fcn_config_queue queue[FCN_CLASSES];
};

struct fcn_config_bridge {
	char name[FCN_NAME_LEN]; /**< "" is no bridge */
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
	bool fast_cnp;
	bool mark_unknown;
	uint8_t class;
	uint8_t dscp;
	uint8_t hop_limit;
	enum fcn_icrc_mode icrc;
	uint64_t interval_ns;
	struct fcn_config_bucket port_bucket;
	struct fcn_config_bucket dest_bucket;
	enum fcn_sender_capability default_capability;
};

/* Lists that grow; the element type is in the name. */
#define FCN_CONFIG_LIST(type)      \
	struct {                   \
		struct type *item; \
		size_t n;          \
		size_t room;       \
	}

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
	struct fcn_parse_codes codes;
	/** Names that ports in force have, by number: a port of that name gets its number again. */
	char former[FCN_MAX_PORTS][FCN_NAME_LEN];
};

/** A configuration with nothing in it and every default set; NULL on lack of memory. */
struct fcn_config *fcn_config_create(void);

/** Note which numbers the ports in force have; done for a candidate before it is changed. */
void fcn_config_note_ports(struct fcn_config *cfg, const struct fcn_config *in_force);
struct fcn_config *fcn_config_copy(const struct fcn_config *cfg);
void fcn_config_free(struct fcn_config *cfg);

/** Defaults of one class queue. */
void fcn_config_queue_default(struct fcn_config_queue *q, unsigned int class);

/** @return number of the port, or -ENOENT */
int fcn_config_port_find(const struct fcn_config *cfg, const char *name);
/** @return number of the port, -EEXIST, -ENOSPC (too many), -EINVAL (name) */
int fcn_config_port_add(struct fcn_config *cfg, const char *name);
/** Remove a port and all that stands on it: addresses, neighbours, routes. */
void fcn_config_port_remove(struct fcn_config *cfg, uint16_t port);

int fcn_config_bridge_find(const struct fcn_config *cfg, const char *name);
int fcn_config_bridge_add(struct fcn_config *cfg, const char *name);
/** Remove a bridge; its ports are routed afterwards. */
void fcn_config_bridge_remove(struct fcn_config *cfg, unsigned int bridge);
/** Take a port out of its bridge: routed afterwards, its VLANs forgotten. */
void fcn_config_bridge_leave(struct fcn_config *cfg, unsigned int port);

/* Lists: add returns 0, -EEXIST, -EINVAL or -ENOMEM; remove 0 or -ENOENT. */
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

/** Rate at which a port can send, for defaults that scale with it: shaper, else line, bits per
 * second. */
uint64_t fcn_config_port_rate(const struct fcn_config_port *port);

/* Words for enumerations, as commands and `show` have them. */
const char *fcn_trust_name(enum fcn_port_trust trust);
const char *fcn_capability_name(enum fcn_sender_capability capability);
const char *fcn_icrc_mode_name(enum fcn_icrc_mode mode);
const char *fcn_detector_type_name(enum fcn_detector_type type);

#endif /* FCN_CONFIG_H */
