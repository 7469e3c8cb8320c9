/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/** @file Numbers and parts of IS-IS that the files of its reader have in common. */

#ifndef FCN_PNC_ISIS_PRIVATE_H
#define FCN_PNC_ISIS_PRIVATE_H

#include "auth.h"
#include "fcn_pnc_isis.h"
#include "lsdb.h"

#define ISIS_DISCRIMINATOR 0x83
#define ISIS_LSP_HEADER 27 /* octets */
#define ISIS_LSP_L1 18
#define ISIS_LSP_L2 20
/* offsets */
#define ISIS_AT_TYPE 4
#define ISIS_AT_PDU_LEN 8
#define ISIS_AT_LIFETIME 10
#define ISIS_AT_LSP_ID 12
#define ISIS_AT_SEQUENCE 20
#define ISIS_AT_CHECKSUM 24
#define ISIS_AT_FLAGS 26

#define ISIS_TLV_INSTANCE 7
#define ISIS_TLV_AUTH 10
#define ISIS_TLV_PURGE_ORIGINATOR 13
#define ISIS_TLV_FINGERPRINT 15
#define ISIS_TLV_LOCATOR 27
#define ISIS_TLV_ROUTER_ID4 134
#define ISIS_TLV_PREFIX4 135
#define ISIS_TLV_HOST_NAME 137
#define ISIS_TLV_ROUTER_ID6 140
#define ISIS_TLV_MT_PREFIX4 235
#define ISIS_TLV_PREFIX6 236
#define ISIS_TLV_MT_PREFIX6 237

#define ISIS_SUB_SOURCE4 11
#define ISIS_SUB_SOURCE6 12

#define ISIS_LOCATOR_SUB_END_SID 5

#define ISIS_MAX_METRIC 0xFE000000 /* a prefix with a higher one is not reachable (RFC 5305) */

/* Prefix Attribute Flags, first octet */
#define ISIS_FLAG_EXTERNAL 0x80
#define ISIS_FLAG_READVERTISED 0x40
#define ISIS_FLAG_NODE 0x20

/* Authentication types */
#define ISIS_AUTH_PASSWORD 1
#define ISIS_AUTH_GENERIC 3
#define ISIS_AUTH_MD5 54

/**
 * Check the authentication of an LSP.
 *
 * @param copy the LSP, which is changed
 * @param tlv offset of the value of its authentication TLV; 0: there is none
 * @return FCN_PNC_COUNT_NEW when it is right, or why not
 */
enum fcn_pnc_counter isis_auth_check(const struct fcn_pnc_auth *auth, uint8_t *copy, size_t len,
		size_t tlv, size_t tlv_len);

/**
 * Read the TLVs of prefixes, addresses and SRv6 locators into the message of a database.
 *
 * @param type  of the TLV
 * @param value its value
 */
void isis_tlv_read(struct lsdb *db, const struct fcn_pnc_isis_conf *conf, uint8_t type,
		const uint8_t *value, size_t len);

#endif /* FCN_PNC_ISIS_PRIVATE_H */
