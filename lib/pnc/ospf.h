/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/** @file What both versions of OSPF have in common: LSAs, their age and order, TLVs. */

#ifndef FCN_PNC_OSPF_PRIVATE_H
#define FCN_PNC_OSPF_PRIVATE_H

#include "auth.h"
#include "fcn_pnc_ospf.h"
#include "lsdb.h"

#define OSPF_TYPE_UPDATE 4
#define OSPF_LSA_HEADER 20
#define OSPF2_HEADER 24
#define OSPF3_HEADER 16
#define OSPF_MAX_AGE 3600
#define OSPF_DO_NOT_AGE 0x8000
#define OSPF_FIRST_SEQUENCE INT32_C(-0x7FFFFFFF)
#define OSPF_LAST_SEQUENCE INT32_C(0x7FFFFFFF)
#define OSPF_AUTH_PASSWORD 1
#define OSPF_AUTH_CRYPTO 2

/* OSPFv2: opaque LSAs, their types, TLVs */
#define OSPF2_OPAQUE_LINK 9
#define OSPF2_OPAQUE_AREA 10
#define OSPF2_OPAQUE_AS 11
#define OSPF2_TE 1
#define OSPF2_EXTENDED_PREFIX 7
#define OSPF2_TLV_ROUTER_ADDRESS 1
#define OSPF2_TLV_PREFIX 1
#define OSPF2_SUB_SOURCE_ROUTER 4
#define OSPF2_SUB_SOURCE_ADDRESS 5
#define OSPF2_PREFIX_NODE 0x40
#define OSPF2_ROUTE_INTRA 1
#define OSPF2_ROUTE_INTER 3

/* OSPFv3: function codes of LSAs, scopes, TLVs */
#define OSPF3_FUNCTION 0x1FFF
#define OSPF3_SCOPE 0x6000
#define OSPF3_SCOPE_AREA 0x2000
#define OSPF3_SCOPE_AS 0x4000
#define OSPF3_TE 10
#define OSPF3_E_INTER 35
#define OSPF3_E_EXTERNAL 37
#define OSPF3_E_TYPE_7 39
#define OSPF3_E_INTRA 41
#define OSPF3_SRV6_LOCATOR 42
#define OSPF3_TLV_ROUTER_ADDRESS 3
#define OSPF3_TLV_INTER 3
#define OSPF3_TLV_EXTERNAL 5
#define OSPF3_TLV_INTRA 6
#define OSPF3_SUB_SOURCE_ROUTER 27
#define OSPF3_SUB_SOURCE_ADDRESS 28
#define OSPF3_OPTION_NU 0x01
#define OSPF3_OPTION_LA 0x02
#define OSPF3_OPTION_N 0x20
#define OSPF3_INFINITY 0xFFFFFF
/* in SRv6 Locator LSAs (RFC 9513) */
#define OSPF3_TLV_LOCATOR 1
#define OSPF3_LOCATOR_SUB_END_SID 1
#define OSPF3_LOCATOR_ROUTE_TYPES 6 /* 1 to 6 */
#define OSPF3_LOCATOR_INFINITY 0xFFFFFFFF

struct ospf_octets {
	const uint8_t *at;
	size_t len;
};

struct ospf_tlv {
	uint16_t type;
	struct ospf_octets value;
};

struct ospf_lsa {
	uint16_t age;
	bool does_not_age;
	uint16_t type; /* of OSPFv2: without the options */
	uint8_t id[4];
	uint8_t router[4];
	int32_t sequence;
	uint16_t checksum;
	struct ospf_octets body;
};

/* Where a packet was read. */
struct ospf_place {
	uint32_t link;
	uint8_t area[4];
	uint8_t instance;
};

/* Types of sub-TLVs of prefixes. */
struct ospf_subs {
	uint16_t source_router;
	uint16_t source_address;
};

/* What the sub-TLVs of a prefix say. */
struct ospf_attributes {
	bool is_proxied;
	bool has_router;
	uint8_t router[4];
	struct fcn_addr address; /* version 0: none */
};

struct ospf_reader {
	struct fcn_pnc_ospf_conf conf;
	struct lsdb *db;
	uint8_t version; /* 2 or 3 */
	/* Fill the key and the originator; false for LSAs that never have what is looked for. */
	bool (*identify)(const struct ospf_place *place, const struct ospf_lsa *lsa,
			uint8_t key[LSDB_KEY_LEN], uint8_t origin[LSDB_ORIGIN_LEN]);
	uint8_t router_address; /* type of the TLV in TE LSAs */
	bool (*is_te)(const struct ospf_lsa *lsa);
	/* Read the body into the message of the database; false when it is malformed. */
	bool (*read)(struct ospf_reader *r, const struct ospf_place *place,
			const struct ospf_lsa *lsa);
	uint8_t copy[PNC_MAX_MESSAGE]; /* of a packet whose authentication is checked */
};

int ospf_create(struct ospf_reader *r, const struct fcn_pnc_ospf_conf *conf,
		const struct fcn_pnc_sink *sink, enum fcn_pnc_protocol protocol,
		const char **error);

/** Read and count the LSAs of an update. @return what the last one was counted as */
enum fcn_pnc_counter ospf_read_lsas(struct ospf_reader *r, const struct ospf_place *place,
		const uint8_t *lsas, size_t len, uint32_t n, uint64_t now_ns);

/** Take a TLV off the front. @return false when it does not fit */
bool ospf_tlv_take(struct ospf_octets *rest, struct ospf_tlv *tlv);

/** Read the sub-TLVs of a prefix. @return false when one is malformed */
bool ospf_read_attributes(const struct fcn_pnc_ospf_conf *conf, const struct ospf_subs *subs,
		struct ospf_octets rest, struct ospf_attributes *a);

/**
 * Use a prefix with the capability.
 *
 * @param is_own it is that of the advertising router, as far as it does not say otherwise
 */
void ospf_use_prefix(struct ospf_reader *r, const struct ospf_lsa *lsa,
		const struct fcn_prefix *prefix, const struct ospf_attributes *a, bool is_own);

/** Use an address that a TLV of the length of one contains. @return false when it does not */
bool ospf_use_address(struct ospf_reader *r, enum lsdb_source source, struct ospf_octets value);

/** Internet checksum (RFC 1071) over data, from a sum to begin with; 0 when it is right. */
uint16_t ospf_checksum(uint32_t sum, const uint8_t *data, size_t len);

/**
 * Digest of an OSPFv2 packet (RFC 2328 section D.4.3, RFC 5709).
 *
 * @param copy the packet with room for the digest behind it, which is changed
 * @return false when it cannot be computed
 */
bool ospf2_digest(const struct fcn_pnc_key *key, uint8_t *copy, size_t len, uint8_t *out);

#define OSPF3_TRAILER 16 /**< octets of the authentication trailer before its digest */

/**
 * Digest of an OSPFv3 packet (RFC 7166 section 4.5).
 *
 * @param copy    packet and trailer, whose field for the digest is written over
 * @param source  IPv6 source address
 * @param swapped with the octets of the Cryptographic Protocol ID in the wrong order
 */
bool ospf3_digest(const struct fcn_pnc_key *key, uint8_t *copy, size_t len,
		const uint8_t source[16], bool swapped, uint8_t *out);

#endif /* FCN_PNC_OSPF_PRIVATE_H */
