/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Messages of BGP and BMP for the tests, written field by field from RFC 4271, RFC 4760, RFC 7854
 * and draft-ietf-idr-nhc, without code of lib/pnc; and a sink that remembers what it was told.
 */

#ifndef BMP_MESSAGES_H
#define BMP_MESSAGES_H

#include "fcn_test.h"
#include "fcn_pnc.h"

struct bytes {
	size_t len;
	uint8_t data[70000];
};

/* Append hexadecimal text; blanks are ignored. */
void bytes_hex(struct bytes *b, const char *hex);
void bytes_number(struct bytes *b, unsigned int width, uint64_t value);
void bytes_add(struct bytes *b, const struct bytes *more);

/* Append an attribute with a length of one byte, or two if `flags` has 0x10. */
void bytes_attribute(struct bytes *b, unsigned int flags, unsigned int type, const char *hex);

/* Make an UPDATE of its three fields in hexadecimal. */
void make_update(struct bytes *b, const char *withdrawn, const struct bytes *attributes,
		const char *reached);

/* Make an OPEN with these capabilities in hexadecimal. */
void make_open(struct bytes *b, const char *capabilities);

/*
 * Append BMP messages. A peer is the last byte of its address 192.0.2.x; identifiers are the same.
 * Peer 0 has no address.
 */
void put_initiation(struct bytes *b, const char *name);
void put_peer_up(struct bytes *b, unsigned int peer, const char *capabilities_sent,
		const char *capabilities_received);
void put_peer_down(struct bytes *b, unsigned int peer);

/* The same with flags, and with the type of the peer << 8 and a distinguisher << 16. */
void put_table_up(struct bytes *b, unsigned int flags, unsigned int peer,
		const char *capabilities_sent, const char *capabilities_received);
void put_table_down(struct bytes *b, unsigned int flags, unsigned int peer);
void put_message(struct bytes *b, unsigned int type, const struct bytes *body);

/* @param flags of the per-peer header: 0x40 post-policy, 0x20 AS numbers of two bytes; and as above
 */
void put_route(struct bytes *b, unsigned int peer, unsigned int flags, const struct bytes *update);

/* Attributes of a route: 2001:db8:ff::x is the next hop, and PNC is there, if wanted. */
void route6_attributes(struct bytes *b, unsigned int next_hop, const char *prefixes, bool has_pnc);

/* The same for IPv4, with next hop 192.0.2.x; the prefixes are a field of the UPDATE. */
void route4_attributes(struct bytes *b, unsigned int next_hop, bool has_pnc);

/* What the sink knows: the texts of prefix, proxy. */
#define MEMORY_ROWS 4096
struct memory {
	struct fcn_pnc_prefix rows[MEMORY_ROWS];
	unsigned int n, adds, removes;
};

struct fcn_pnc_sink memory_sink(struct memory *m);

/* The proxy of a prefix, as text; "-" if the sink has none. */
const char *memory_proxy(const struct memory *m, const char *prefix);
uint64_t memory_expires(const struct memory *m, const char *prefix);

#endif /* BMP_MESSAGES_H */
