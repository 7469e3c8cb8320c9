/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Configuration of the border of the domain (draft-xiao-rtgwg-rocev2-fast-cnp section 5), and of
 * untrusted ports, whose hosts may not choose every class. It is part of the snapshot: workers only
 * read it.
 */

#ifndef FCN_BORDER_CONF_H
#define FCN_BORDER_CONF_H

#include <stdbool.h>
#include <stdint.h>

#include "fcn_border_view.h"
#include "fcn_port_set.h"
#include "fcn_prefix_list.h"

/** Value of each prefix in the lists of struct fcn_border_conf. */
#define FCN_BORDER_LISTED 1

/** What becomes at the border of packets that a setting is about. */
enum fcn_border_action {
	FCN_BORDER_DROP, /**< they are dropped */
	FCN_BORDER_PASS, /**< they cross it */
	FCN_BORDER_ACTIONS,
};

/** How the source address of a packet is checked by the route table of its port (RFC 3704). */
enum fcn_source_check {
	FCN_SOURCE_CHECK_OFF,    /**< not at all */
	FCN_SOURCE_CHECK_LOOSE,  /**< there is a route to it */
	FCN_SOURCE_CHECK_STRICT, /**< a route to it leaves by the port that received the packet */
	FCN_SOURCE_CHECK_COUNT,
};

/** Configuration of the border, for the whole switch. */
struct fcn_border_conf {
	struct fcn_port_set ports; /**< the border ports: the other end is outside the domain */
	struct fcn_border_codes codes;
	enum fcn_border_action cnp; /**< CNPs that are no Fast CNPs, but those of `peers` */
	/** With FCN_BORDER_DROP: hosts outside the domain with which CNPs may be exchanged; NULL:
	 * none. */
	struct fcn_prefix_list *peers;
	/** Segment identifiers of the domain, those of the switch itself among them (RFC 8754
	 * section 5.1); NULL: none. */
	struct fcn_prefix_list *sids;
	/** Sources that the source check of ports leaves out; NULL: none. */
	struct fcn_prefix_list *unchecked;
};

/** Packets of an untrusted port whose DSCP and PCP are rewritten. */
enum fcn_remark {
	FCN_REMARK_OFF,   /**< none */
	FCN_REMARK_MOVED, /**< packets that were moved out of a protected class */
	FCN_REMARK_ALL,   /**< all packets of the port */
};

/** Configuration of a port's trust. */
struct fcn_trust_conf {
	bool untrusted;         /**< packets received here must not use protected classes */
	uint8_t class;          /**< class that packets of a protected class are moved to */
	enum fcn_remark remark; /**< used on an untrusted port only */
	uint8_t dscp;           /**< DSCP to write; the PCP to write is the packet's class */
};

#endif /* FCN_BORDER_CONF_H */
