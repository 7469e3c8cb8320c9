/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * SRv6 in the configuration for workers. Workers only read it.
 */

#ifndef FCN_SRV6_CONF_H
#define FCN_SRV6_CONF_H

#include <stdbool.h>
#include <stdint.h>

#include "fcn_icrc.h"
#include "fcn_prefix_list.h"
#include "fcn_segment_list.h"
#include "fcn_source_limit.h"
#include "fcn_srv6_behavior.h"
#include "fcn_srv6_encaps.h"

#define FCN_SRV6_SIDS 1024 /**< maximum number of configured local SIDs */
/** Slots of local SIDs: those of the Linux kernel follow the configured ones. */
#define FCN_SRV6_SID_SLOTS (FCN_SRV6_SIDS + FCN_SRV6_KERNEL_LISTS)

/** A local SID. */
struct fcn_srv6_sid {
	uint8_t behavior;  /**< enum fcn_srv6_behavior */
	uint8_t flavors;   /**< set of FCN_SRV6_FLAVOR_* */
	uint8_t inner;     /**< FCN_SRV6_INNER_* that is decapsulated, by the behavior or by USD */
	uint8_t argument;  /**< enum fcn_srv6_argument */
	uint16_t slot;     /**< index of its counters, below FCN_SRV6_SID_SLOTS */
	uint16_t table;    /**< FCN_SRV6_ARGUMENT_TABLE: index of the table; otherwise 0 */
	uint32_t next_hop; /**< FCN_SRV6_ARGUMENT_VIA: index of the next hop */
	uint16_t port;     /**< FCN_SRV6_ARGUMENT_VIA: interface behind which the station is */
	struct fcn_addr via; /**< FCN_SRV6_ARGUMENT_VIA: the station */
	/** The fast path may go on to the next segment, decapsulate, and take Fast CNPs: see
	 * fast_path_srv6.c. */
	bool is_fast_step, is_fast_decaps, is_fast_endcon;
	bool has_csid; /**< it has the flavor NEXT-CSID */
	struct fcn_srv6_csid csid;
	uint64_t serial; /**< differs for each SID that was ever added */
};

#define FCN_SRV6_POLICIES 256       /**< maximum number of policies */
#define FCN_SRV6_SEGMENT_LISTS 1024 /**< maximum number of their segment lists */
#define FCN_PATH_ID_BUCKETS 256     /**< of the table of path identifiers */
/** Slots of segment lists: those of the Linux kernel follow the configured ones. */
#define FCN_SRV6_LIST_SLOTS (FCN_SRV6_SEGMENT_LISTS + FCN_SRV6_KERNEL_LISTS)
#define FCN_SRV6_INNER UINT16_MAX /**< a value of the outer header is that of the inner packet */

/** A segment list of a policy: what a packet gets that enters a tunnel. */
struct fcn_encaps {
	/** outer headers of packets other than RoCEv2; len 0: there is no source address */
	struct fcn_srv6_encaps other;
	struct fcn_srv6_encaps roce; /**< outer headers of RoCEv2; the source may differ */
	uint8_t first[16];           /**< first segment */
	uint32_t via;          /**< index of the next hop to the first segment, in the main table */
	uint8_t tclass_copied; /**< bits of the traffic class that are those of the inner packet */
	uint8_t tclass;        /**< the others */
	uint16_t hop_limit;    /**< hop limit, or FCN_SRV6_INNER */
	uint8_t flow_label;    /**< enum fcn_srv6_flow_label */
	uint16_t slot;         /**< index of its counters, below FCN_SRV6_LIST_SLOTS */
	bool has_path_id;      /**< it has the path identifier path_id */
	uint32_t path_id;
	uint32_t path_next; /**< 1 + index of the next one of its bucket in path_first; 0: none */
	uint64_t serial;    /**< differs for each segment list that was ever added */
};

#define FCN_SRV6_STEERING 1024         /**< maximum number of steering rules */
#define FCN_SRV6_STEERING_OF_PREFIX 64 /**< maximum number of those of one prefix */
#define FCN_SRV6_ANY UINT16_MAX        /**< a steering rule has no such condition */

/** Condition of a steering rule about RoCEv2. */
enum fcn_steering_roce {
	FCN_STEERING_ROCE_ANY, /**< there is none */
	FCN_STEERING_ROCE_OFF, /**< the packet is not RoCEv2 */
	FCN_STEERING_ROCE_ON,  /**< the packet is RoCEv2 */
};

/** A rule that steers packets to a prefix into a policy. */
struct fcn_steering {
	uint32_t next_hop; /**< index of the next hop of the policy */
	uint16_t port;     /**< ingress port or sub-interface, or FCN_SRV6_ANY */
	uint16_t dscp;     /**< DSCP, or FCN_SRV6_ANY */
	uint8_t roce;      /**< enum fcn_steering_roce */
	bool is_live;      /**< packets can leave by the policy */
	uint16_t slot;     /**< index of its counters, below FCN_SRV6_STEERING */
	uint64_t serial;   /**< differs for each rule that was ever added */
};

/** Check whether a packet meets the conditions of a rule. @param port ingress port; FCN_SRV6_ANY:
 * the switch made the packet */
static inline bool
fcn_steering_is_met(const struct fcn_steering *rule, uint16_t port, uint8_t dscp, bool is_roce)
{
	return (rule->port == FCN_SRV6_ANY || rule->port == port) &&
	       (rule->dscp == FCN_SRV6_ANY || rule->dscp == dscp) &&
	       (rule->roce == FCN_STEERING_ROCE_ANY ||
			       (rule->roce == FCN_STEERING_ROCE_ON) == is_roce);
}

/** SRv6. */
struct fcn_srv6_conf {
	struct fcn_encaps *encaps; /**< segment lists: fcn_next_hop.first_member is the index */
	uint32_t n_encaps;
	/** Hash table of the segment lists with a path identifier, see fcn_path_id.h. */
	bool has_path_ids;
	uint32_t path_first[FCN_PATH_ID_BUCKETS];
	/** Steering rules. Those of a prefix are adjacent, in the order in which they are tried:
	 * fcn_next_hop.first_member is the index of the first one. */
	struct fcn_steering *select;
	uint32_t n_select;
	struct fcn_srv6_sid *sid; /**< local SIDs: fcn_next_hop.first_member is the index */
	uint32_t n_sids;
	bool echo;      /**< echo requests to SIDs go to the host functions */
	bool ecn_event; /**< push events about ECN fields that no standard combines in a tunnel */
	struct fcn_prefix_list *p_nodes; /**< nodes whose Fast CNPs END.CON takes; NULL: none */
	struct fcn_source_limits endcon; /**< END.CON: limits of Fast CNPs of P nodes */
	enum fcn_icrc_mode icrc;         /**< of Fast CNPs */
};

#endif /* FCN_SRV6_CONF_H */
