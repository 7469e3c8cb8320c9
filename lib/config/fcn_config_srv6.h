/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * SRv6 in the configuration. Included by fcn_config.h, which has the types that
 * lists are made of.
 */

#ifndef FCN_CONFIG_SRV6_H
#define FCN_CONFIG_SRV6_H

#include <stdbool.h>
#include <stdint.h>

#include "fcn_addr.h"
#include "fcn_srv6_conf.h"

#define FCN_SRV6_SID_MIN_BITS 32 /**< shortest prefix of a local SID */

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

#endif /* FCN_CONFIG_SRV6_H */
