/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The border of the domain, and the trust in what hosts say of their packets' class:
 * configuration, read only for workers.
 */

#ifndef FCN_BORDER_CONF_H
#define FCN_BORDER_CONF_H

#include <stdbool.h>
#include <stdint.h>

#include "fcn_border_view.h"
#include "fcn_prefix_list.h"

/** Value of the prefixes in the lists below. */
#define FCN_BORDER_LISTED 1

/** Of the switch. */
struct fcn_border_conf {
	uint64_t ports; /**< bit set: ports with what is outside behind them */
	struct fcn_border_codes codes;
	struct fcn_prefix_list *peers; /**< hosts outside that CNPs come from and go to; NULL: none
					*/
	struct fcn_prefix_list *sids;  /**< the domain's segment identifiers; NULL: none */
};

/** Whether the DSCP or the PCP of packets is rewritten. */
enum fcn_remark {
	FCN_REMARK_OFF,
	FCN_REMARK_MOVED, /**< of those that were moved out of a protected class */
	FCN_REMARK_ALL,   /**< of all packets of the port */
};

/** Of a port. */
struct fcn_trust_conf {
	bool untrusted;         /**< packets received here do not get into protected classes */
	uint8_t class;          /**< where those go that would */
	enum fcn_remark remark; /**< only on an untrusted port */
	uint8_t dscp;           /**< DSCP that is written; as PCP the class is */
};

#endif /* FCN_BORDER_CONF_H */
