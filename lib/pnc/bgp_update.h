/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * UPDATE messages of BGP (RFC 4271 section 4.3, RFC 4760, RFC 6793, RFC 7911, RFC 8654), and of
 * them what tells of proxies: which IPv4 and IPv6 unicast prefixes are reached or withdrawn, and
 * the Next Hop Dependent Characteristics.
 *
 * Pure functions over bytes: they never read past the bytes given and keep no state.
 */

#ifndef BGP_UPDATE_H
#define BGP_UPDATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fcn_addr.h"
#include "fcn_bgp_nhc.h"
#include "fcn_hash_key.h"

#define BGP_HEADER_LEN 19
#define BGP_MAX_LEN 65535 /* of an extended message */

enum bgp_message_type {
	BGP_OPEN = 1,
	BGP_UPDATE = 2,
};

/* What both ends of a BGP session have agreed on, by index of the address family. */
enum {
	BGP_IP4,
	BGP_IP6,
	BGP_FAMILIES
};

/* Whether prefixes have a path identifier in front (ADD-PATH, RFC 7911). */
enum bgp_path_ids {
	BGP_PATH_IDS_NO,
	BGP_PATH_IDS_YES,
	BGP_PATH_IDS_UNKNOWN,
};

struct bgp_session_options {
	enum bgp_path_ids path_ids[BGP_FAMILIES];
	bool as2;          /* AS_PATH has numbers of 2 bytes */
	bool is_own_table; /* the router's own (RFC 9069): it has written all of the UPDATE */
	uint8_t nhc_type;  /* type of the attribute */
	uint16_t pnc_code;
};

/* Encoded prefixes in the message. */
struct bgp_nlri {
	const uint8_t *data;
	size_t len;
	uint8_t family;    /* BGP_IP4 or BGP_IP6 */
	bool has_path_ids; /* set by bgp_update_settle() */
};

enum bgp_nhc_state {
	BGP_NHC_NONE,
	BGP_NHC_READ,
	BGP_NHC_MALFORMED,
	BGP_NHC_FLAGS, /* it is not optional and transitive */
};

struct bgp_update {
	struct bgp_nlri withdrawn[2]; /* the message's own, and that of MP_UNREACH_NLRI */
	struct bgp_nlri reached[2];   /* the message's own, and that of MP_REACH_NLRI */
	struct fcn_addr next_hop[2];  /* of reached[]; version 0: there is none */
	enum bgp_nhc_state nhc_state;
	bool nhc_repeated; /* the attribute is there more than once; the first one counts */
	struct fcn_bgp_nhc nhc;
	bool has_bad_attribute; /* AS_PATH, NEXT_HOP or LOCAL_PREF is malformed: what is reached
				   counts as withdrawn (RFC 7606 section 2) */
	/* End-of-RIB (RFC 4724 section 2): of this family, or -1 */
	int end_of_rib;
	uint32_t local_pref; /* 100 if there is none */
	uint32_t as_hops;    /* length of AS_PATH as RFC 4271 section 9.1.2.2 counts it */
};

struct bgp_path {
	struct fcn_prefix prefix;
	uint32_t path_id;   /* 0 without ADD-PATH */
	bool has_host_bits; /* bits behind the prefix were set; they are cleared */
};

/*
 * Check the header of a message.
 * @param len number of bytes that there are; the message may be shorter
 * @return length of the message; 0 if it is malformed, or does not end within len
 */
size_t bgp_message_length(const uint8_t *data, size_t len, uint8_t *type);

/*
 * Read an UPDATE, header included.
 * @return 0; -EBADMSG if lengths contradict each other, or MP_REACH_NLRI or MP_UNREACH_NLRI is
 *         malformed or repeated: nothing of the message is used then
 */
int bgp_update_parse(const uint8_t *data, size_t len, const struct bgp_session_options *options,
		struct bgp_update *update);

/* Room in which a prefix that repeats is found. */
struct bgp_seen;

/* @return NULL on lack of memory */
struct bgp_seen *bgp_seen_create(const struct fcn_hash_key *key);
void bgp_seen_destroy(struct bgp_seen *seen);

/*
 * Check all prefixes of an UPDATE, and find out whether they have path identifiers where that is
 * not known: one of both readings has to be impossible. Lengths have to be right, no prefix may
 * repeat, and in a router's own table no bits behind a prefix are set: a path identifier that is
 * read as prefixes begins with several default routes.
 * @return 0; -EBADMSG: it cannot be read, or not as its session has agreed; -EAGAIN: it can be read
 *         in both ways
 */
int bgp_update_settle(struct bgp_update *update, const struct bgp_session_options *options,
		struct bgp_seen *seen);

/*
 * Take the next prefix.
 * @return 1; 0 at the end; -EBADMSG if it is malformed, and then nothing is left
 */
int bgp_nlri_next(struct bgp_nlri *nlri, struct bgp_path *path);

/*
 * Read the OPEN messages of both ends.
 * @param sent     what the router has sent to its peer, header included
 * @param received what it has received from the peer
 * @param options  path_ids of prefixes from the peer are set. In a router's own table there is no
 *                 peer, and both messages are the router's: where both do not agree, but one offers
 *                 ADD-PATH, it is unknown
 * @return 0; -EBADMSG if one is malformed
 */
int bgp_open_parse(const uint8_t *sent, size_t sent_len, const uint8_t *received,
		size_t received_len, struct bgp_session_options *options);

#endif /* BGP_UPDATE_H */
