/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Ethernet frames with link-state messages that have the Proxy Node Capability: an IS-IS LSP, an
 * OSPFv2 Link State Update with an Extended Prefix LSA, an OSPFv3 one with an E-LSA. test_build.c
 * compares them with frames of tests/data/pnc_messages.py, which shares no code with this.
 */

#ifndef PNC_BUILD_H
#define PNC_BUILD_H

#include "fcn_pnc_auth.h"

/** A prefix of a message. */
struct pnc_build_prefix {
	struct fcn_prefix prefix;
	bool is_proxied;        /**< has the capability */
	bool is_node;           /**< identifies the node (N-flag) */
	bool is_leaked;         /**< IS-IS: from another level; OSPF: from another area */
	struct fcn_addr source; /**< address of the originator; version 0: not named */
	uint32_t metric;
};

/** A message. Numbers are in host byte order. */
struct pnc_build {
	enum fcn_pnc_protocol protocol; /**< ISIS, OSPF or OSPF3 */
	uint8_t flags_sub_tlv;          /**< type of the flags of prefixes */
	uint8_t flag_bit;               /**< 0 to 31: bit of the capability in them */
	/** IS-IS: remaining lifetime, 0 for a purge; OSPF: age, 3600 for a flush; seconds */
	uint16_t seconds;
	uint32_t sequence;
	struct fcn_addr router_address[2]; /**< IPv4, IPv6 (TE router ID or address); version 0:
					      none */
	const struct fcn_pnc_key *key;     /**< NULL: without authentication */

	uint8_t level;        /**< IS-IS: 1 or 2 */
	uint8_t system_id[6]; /**< IS-IS */
	uint8_t fragment;     /**< IS-IS: 0 to 255; OSPF: number of the LSA */

	uint8_t router_id[4]; /**< OSPF */
	uint8_t area[4];      /**< OSPF */
	uint8_t instance;     /**< OSPFv3 */

	uint8_t mac[6];               /**< source of the frame */
	struct fcn_addr link_address; /**< OSPF: source of the packet */

	uint32_t n_prefixes;
	const struct pnc_build_prefix *prefix;
};

/**
 * Build the frame of a message. The router addresses of OSPF are LSAs of their own, in front of the
 * other one.
 *
 * @return bytes of the frame; -ENOSPC when they are more than size or 1514; -EINVAL when a prefix
 *         cannot be in the message, or a digest cannot be computed
 */
int pnc_build(const struct pnc_build *b, uint8_t *frame, size_t size);

/** Octets of the authentication TLV of IS-IS of a key, header included. */
size_t pnc_isis_auth_len(const struct fcn_pnc_key *key);

/**
 * Write the authentication TLV of an LSP at `at`, where there is room for it. Its checksum and
 * lifetime must be 0, and the rest complete.
 *
 * @return false when the digest cannot be computed
 */
bool pnc_isis_auth_write(const struct fcn_pnc_key *key, uint8_t *lsp, size_t len, size_t at);

#endif /* PNC_BUILD_H */
