/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Packet trimming, of the packets that leave by a port: how trimmed packets go on. It is part of
 * the snapshot. Whether the packets of a class queue are trimmed is in struct fcn_queue_conf.
 */

#ifndef FCN_TRIM_CONF_H
#define FCN_TRIM_CONF_H

#include <stdint.h>

#include "fcn_notify_link.h"

/** Value of a DSCP: trimmed packets keep theirs. */
#define FCN_TRIM_DSCP_KEEP 64

/** Value of the DSCP of a port, in the configuration: that of the switch. */
#define FCN_TRIM_DSCP_AUTO 65

/** How trimmed packets leave by a port. */
struct fcn_trim_conf {
	uint8_t class;               /**< class queue of trimmed packets */
	uint8_t dscp;                /**< their DSCP, or FCN_TRIM_DSCP_KEEP */
	struct fcn_notify_link link; /**< the share of the link that they may use */
};

#endif /* FCN_TRIM_CONF_H */
