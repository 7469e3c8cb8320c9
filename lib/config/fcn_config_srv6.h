/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * SRv6 in the configuration: a part of struct fcn_config.
 */

#ifndef FCN_CONFIG_SRV6_H
#define FCN_CONFIG_SRV6_H

#include <stdbool.h>
#include <stdint.h>

#include "fcn_addr.h"
#include "fcn_config_parts.h"
#include "fcn_segment_list.h"
#include "fcn_srv6_conf.h"

#define FCN_SRV6_SID_MIN_BITS 32 /**< shortest prefix of a local SID */

#define FCN_SRV6_NO_PROTOCOL 256 /**< no RTPROT_*, as these have 8 bits */

/** A local SID. */
struct fcn_config_srv6_sid {
	struct fcn_prefix prefix; /**< IPv6, without host bits */
	uint8_t behavior;         /**< enum fcn_srv6_behavior */
	uint8_t flavors;          /**< set of FCN_SRV6_FLAVOR_* */
	bool has_csid;            /**< it has the flavor NEXT-CSID, with the lengths `csid` */
	struct fcn_srv6_csid csid;
	uint16_t port;       /**< FCN_SRV6_ARGUMENT_VIA: interface behind which the station is */
	struct fcn_addr via; /**< FCN_SRV6_ARGUMENT_VIA: the station */
	uint16_t table;      /**< FCN_SRV6_ARGUMENT_TABLE: index of the table */
	uint16_t slot;       /**< number that no other SID has, below FCN_SRV6_SIDS */
	uint64_t serial;     /**< number that no other SID had before */
};

#define FCN_SRV6_NAME_LEN 32      /**< size of the name of a policy, with terminator */
#define FCN_SRV6_COPY UINT32_MAX  /**< the value is that of the inner packet */
#define FCN_SRV6_MAX_WEIGHT 65535 /**< greatest weight of a segment list */

/** A policy: how packets enter the SRv6 domain, and by which segment lists. */
struct fcn_config_srv6_policy {
	char name[FCN_SRV6_NAME_LEN];
	uint16_t slot;          /**< number that no other policy has, below FCN_SRV6_POLICIES */
	uint8_t mode;           /**< enum fcn_srv6_encaps_mode */
	uint8_t ecn;            /**< enum fcn_tunnel_ecn_mode */
	uint8_t flow_label;     /**< enum fcn_srv6_flow_label */
	uint32_t dscp;          /**< of the outer header, or FCN_SRV6_COPY */
	uint32_t hop_limit;     /**< of the outer header, or FCN_SRV6_COPY */
	struct fcn_addr source; /**< of the outer header; version 0: the loopback */
	/** of the outer header of RoCEv2: the END.CON SID of this switch; version 0: as source */
	struct fcn_addr roce_source;
};

/** A segment list of a policy. */
struct fcn_config_srv6_segments {
	uint16_t policy;  /**< slot of the policy */
	uint16_t slot;    /**< number that no other list has, below FCN_SRV6_SEGMENT_LISTS */
	uint16_t weight;  /**< share of the policy's flows, 1 to FCN_SRV6_MAX_WEIGHT */
	bool has_path_id; /**< it has the path identifier path_id */
	uint32_t path_id; /**< path identifier of ARN messages, draft-hu-rtgwg-rocev2-fcn */
	uint64_t serial;  /**< number that no other list had before */
	struct fcn_segment_list list; /**< its mode is not used */
};
/** A rule that steers packets to a prefix into a policy, if they meet all its conditions. */
struct fcn_config_srv6_steering {
	struct fcn_prefix prefix; /**< without host bits */
	uint16_t table;           /**< number of the table of the packets */
	uint16_t policy;          /**< slot of the policy */
	uint16_t port;            /**< ingress port or sub-interface, or FCN_SRV6_ANY */
	uint16_t dscp;            /**< DSCP, or FCN_SRV6_ANY */
	uint8_t roce;             /**< enum fcn_steering_roce */
	uint16_t slot;            /**< number that no other rule has, below FCN_SRV6_STEERING */
	uint64_t serial;          /**< number that no other rule had before */
};

/** SRv6. */
struct fcn_config_srv6 {
	FCN_CONFIG_LIST(fcn_config_srv6_sid) sids; /**< local SIDs */
	uint64_t last_serial;                      /**< serial of the SID that was added last */
	FCN_CONFIG_LIST(fcn_config_srv6_policy) policies;
	FCN_CONFIG_LIST(fcn_config_srv6_segments) segments; /**< segment lists of policies */
	/** steering rules, by table, by prefix, and then in the order in which they are tried */
	FCN_CONFIG_LIST(fcn_config_srv6_steering) steering;
	FCN_CONFIG_LIST(fcn_prefix) p_nodes; /**< nodes whose Fast CNPs END.CON takes */
	FCN_CONFIG_LIST(fcn_prefix) endcons; /**< known END.CON addresses, IPv6 */
	/** routes of the kernel with this RTPROT_* are to END.CON addresses, too; or
	 * FCN_SRV6_NO_PROTOCOL */
	uint16_t endcon_protocol;
	/** source of the outer header for segment lists of the kernel; version 0: the loopback */
	struct fcn_addr kernel_source;
	/** the same of RoCEv2: the END.CON SID of this switch; version 0: as kernel_source */
	struct fcn_addr kernel_roce_source;
	bool echo;      /**< echo requests to SIDs are answered */
	bool ecn_event; /**< combinations of inner and outer ECN field that RFC 6040 section
			    4.2 has as currently unused are logged */
	struct fcn_config_bucket endcon_source; /**< Fast CNPs that END.CON takes from a node */
	struct fcn_config_bucket endcon_total;  /**< Fast CNPs that END.CON takes */
};

struct fcn_config;

/** Get the word for a mode, enum fcn_srv6_encaps_mode. */
const char *fcn_srv6_mode_name(unsigned int mode);

/**
 * Check a local SID.
 *
 * @param key result: the argument of the command that is wrong
 * @return NULL if it is valid; otherwise the reason, one line without full stop
 */
const char *fcn_config_srv6_sid_why_not(const struct fcn_config_srv6_sid *sid, const char **key);
/** Find a policy by name. @return its index; -ENOENT */
int fcn_config_srv6_policy_find(const struct fcn_config *cfg, const char *name);
/** Find a policy by its slot. @return NULL: there is none */
const struct fcn_config_srv6_policy *fcn_config_srv6_policy_of(
		const struct fcn_config *cfg, unsigned int slot);
/** Tell whether a route of the kernel makes the addresses of its prefix known END.CON addresses. */
bool fcn_config_srv6_is_endcon_route(
		const struct fcn_config *cfg, uint8_t protocol, const struct fcn_prefix *prefix);

#endif /* FCN_CONFIG_SRV6_H */
