/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Multicast Listener Discovery for IPv6 on the side of a listener: functions that read queries and
 * build reports. Version 2 is RFC 3810, version 1 is RFC 2710. Every message follows a Hop-by-Hop
 * Options header with the Router Alert option (RFC 2711), and its hop limit is 1.
 *
 * Pure functions over bytes, from the IPv6 header on; safe from any thread. All multi-octet numbers
 * are in host byte order.
 */

#ifndef FCN_MLD_H
#define FCN_MLD_H

#include <stdint.h>

#include "fcn_msg_error.h"

#define FCN_MLD_QUERY 130
#define FCN_MLD_REPORT_V1 131
#define FCN_MLD_DONE 132 /**< version 1: the sender stops listening */
#define FCN_MLD_REPORT_V2 143

#define FCN_MLD_HOP_LIMIT 1

/** Types of the records of a version 2 report (RFC 3810 section 5.2.12). */
enum fcn_mld_record_type {
	FCN_MLD_MODE_IS_INCLUDE = 1,
	FCN_MLD_MODE_IS_EXCLUDE = 2,
	FCN_MLD_CHANGE_TO_INCLUDE = 3, /**< without sources: the sender stops listening */
	FCN_MLD_CHANGE_TO_EXCLUDE = 4, /**< without sources: the sender begins to listen */
};

/** A record without sources of a version 2 report. */
struct fcn_mld_record {
	uint8_t type; /**< enum fcn_mld_record_type */
	uint8_t group[16];
};

#define FCN_MLD_RECORD_LEN 20                   /**< bytes of a record without sources */
#define FCN_MLD_REPORT_LEN(n) (56u + 20u * (n)) /**< bytes of the IPv6 packet with n records */
#define FCN_MLD_V1_LEN 72                       /**< bytes of the IPv6 packet of version 1 */

/** Fields of a query that was parsed. */
struct fcn_mld_query {
	uint8_t version;       /**< 1 or 2 */
	uint8_t src[16];       /**< link-local address of the querier */
	uint8_t group[16];     /**< the unspecified address in a general query */
	uint32_t max_delay_ms; /**< Maximum Response Delay, up to 8387584 ms */
	uint16_t n_sources;    /**< version 2: number of sources in the query */
};

/**
 * Read a query of version 1 or 2 and validate it (RFC 3810 section 6.2).
 *
 * @param ip  the IPv6 header
 * @param len bytes readable at ip; those behind the payload length are padding
 * @param out written when the result is FCN_MSG_OK
 * @return FCN_MSG_OK, or the first defect: FCN_MSG_IP_HEADER, _TRUNCATED (also for a length that
 *         neither version has), _PROTOCOL, _FRAGMENT, _CHECKSUM, _TYPE, _HOP_LIMIT, _CODE, _SOURCE
 *         (not link-local), _ROUTER_ALERT, _TARGET (neither a group nor the unspecified address)
 */
enum fcn_msg_error fcn_mld_parse_query(const uint8_t *ip, uint32_t len, struct fcn_mld_query *out);

/**
 * Build a report of version 2 (RFC 3810 section 5.2), which goes to ff02::16.
 *
 * @param src link-local address; NULL: the unspecified address, while the interface has no address
 *            yet (RFC 3590)
 * @return bytes of the packet; 0 when room is too small or n is 0
 */
uint32_t fcn_mld_build_report(const uint8_t *src, const struct fcn_mld_record *record, uint16_t n,
		uint8_t *buf, uint32_t room);

/**
 * Build a message of version 1 (RFC 2710 section 3): a report, which goes to its group, or a Done
 * message, which goes to all routers.
 *
 * @param type FCN_MLD_REPORT_V1, FCN_MLD_DONE
 * @return bytes of the packet, 72; 0 when room is too small
 */
uint32_t fcn_mld_build_v1(const uint8_t *src, uint8_t type, const uint8_t group[16], uint8_t *buf,
		uint32_t room);

/** ff02::16, the destination of version 2 reports. */
extern const uint8_t fcn_mld_all_routers[16];

#endif /* FCN_MLD_H */
