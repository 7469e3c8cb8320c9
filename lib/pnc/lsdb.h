/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * What a link-state protocol has told about proxies: items (LSP fragments or LSAs) with the
 * prefixes that have Proxy Node Capability, and the addresses of their originators. A sink learns
 * of each prefix whose originator's address is known, and of its end.
 *
 * The proxy of a prefix is the first of these that there is:
 *
 * 1. the address that the prefix itself names (IS-IS IPv4/IPv6 Source Router ID, OSPF Prefix Source
 *    Router Address);
 * 2. an address of its originator, of the IP version of the prefix if there is one: its router
 *    address (Traffic Engineering), else the lowest host prefix with the N-flag;
 * 3. the router ID of its originator, where that is configured to be an address (OSPF);
 * 4. the prefix itself, if it is a host prefix.
 *
 * When several originators have the prefix, it is that with the lowest number in this list, then
 * the lowest address. A prefix without any is kept until there is one. Memory and work are bounded
 * by the limits; pools are allocated once, and used from the beginning on.
 */

#ifndef FCN_PNC_LSDB_H
#define FCN_PNC_LSDB_H

#include <stdbool.h>
#include <stdint.h>

#include "fcn_hash_key.h"
#include "fcn_pnc.h"

#define LSDB_KEY_LEN 24            /**< octets by which an item is known */
#define LSDB_ORIGIN_LEN 8          /**< octets by which an originator is known */
#define LSDB_MESSAGE_PREFIXES 2048 /**< prefixes of one item at most */
#define LSDB_PREFIX_ORIGINS 64     /**< items that have the same prefix, at most */
#define LSDB_PREFIX_ORIGIN_ITEMS 8 /**< of these, items of the same originator */
/** how long a withdrawn item is remembered, so that an older copy does not bring it back */
#define LSDB_WITHDRAWN_NS (60 * UINT64_C(1000000000))

/** Where an address of an originator comes from, best first. */
enum lsdb_source {
	LSDB_ROUTER_ADDRESS,
	LSDB_HOST_PREFIX,
	LSDB_SOURCE_COUNT,
};

/** A prefix with Proxy Node Capability, or an END.CON SID, in a message. */
struct lsdb_prefix {
	uint8_t kind; /**< enum fcn_pnc_kind; a SID is its own proxy (4. above) */
	struct fcn_prefix prefix;
	struct fcn_addr proxy;   /**< the address it names itself; version 0: none */
	struct fcn_addr instead; /**< a router ID that is an address; version 0: none */
	bool has_origin;         /**< an address of the following originator is the proxy's */
	uint8_t origin[LSDB_ORIGIN_LEN]; /**< at first that of the message */
};

/** Contents of an item. */
struct lsdb_message {
	uint8_t key[LSDB_KEY_LEN];
	uint8_t origin[LSDB_ORIGIN_LEN];
	/** Without an item that has this set, nothing of the originator counts. */
	bool is_first;
	uint16_t checksum;
	uint32_t sequence;
	uint64_t expires_ns;
	struct fcn_addr address[LSDB_SOURCE_COUNT][2]; /**< of the originator: IPv4, IPv6 */
	uint32_t n_prefixes;
	struct lsdb_prefix prefix[LSDB_MESSAGE_PREFIXES];
};

/** What is known of an item. */
struct lsdb_held {
	bool is_withdrawn;
	uint16_t checksum;
	uint32_t sequence;
	uint64_t expires_ns;
};

struct lsdb_conf {
	struct fcn_pnc_limits limits;
	struct fcn_pnc_sink sink;
	struct fcn_hash_key hash_key;
	enum fcn_pnc_protocol protocol;
	bool needs_first; /**< see is_first */
};

struct lsdb;

/** Get the reason why limits cannot be used. @return one line of text; NULL when they can */
const char *lsdb_limits_why_not(const struct fcn_pnc_limits *limits);

/** Allocate all memory. @return NULL when there is not enough */
struct lsdb *lsdb_create(const struct lsdb_conf *conf);

/** Free it; the sink is not told. NULL is allowed. */
void lsdb_destroy(struct lsdb *db);

/** Count an event. */
void lsdb_count(struct lsdb *db, enum fcn_pnc_counter counter);

/** The message that parsers fill; one for each database, empty after the call. */
struct lsdb_message *lsdb_message(struct lsdb *db);

/**
 * Get a place for a further prefix of the message, which it contains without its host bits. The
 * default route, and prefixes that no host is in, are refused.
 *
 * @return NULL when it is refused or there is no place; counted
 */
struct lsdb_prefix *lsdb_message_add(struct lsdb *db, const struct fcn_prefix *prefix);

/**
 * Add an END.CON SID to the message.
 *
 * @param locator what it has to be in; otherwise, or if no node has such an address, it is counted
 *                and ignored
 */
void lsdb_message_endcon(
		struct lsdb *db, const struct fcn_addr *sid, const struct fcn_prefix *locator);

/**
 * Set the address that a prefix itself names as its originator's, unless it has one. An address
 * that no node has is counted and ignored.
 */
void lsdb_prefix_name(struct lsdb *db, struct lsdb_prefix *said, const struct fcn_addr *addr);

/**
 * Set an address of the originator in a message; of several host prefixes the lowest one stays. An
 * address that no node has is counted and ignored.
 */
void lsdb_message_address(struct lsdb *db, enum lsdb_source source, const struct fcn_addr *addr);

/** Look an item up. @return false when it is not known */
bool lsdb_find(const struct lsdb *db, const uint8_t key[LSDB_KEY_LEN], struct lsdb_held *held);

/**
 * Store the message of lsdb_message() in place of what is known of its item, and tell the sink what
 * changed. What exceeds a limit is counted and left out.
 *
 * @return FCN_PNC_COUNT_NEW, or why it is not stored
 */
enum fcn_pnc_counter lsdb_store(struct lsdb *db);

/**
 * Withdraw the contents of an item that is known. It is remembered, without them, until `until`.
 */
void lsdb_withdraw(struct lsdb *db, const uint8_t key[LSDB_KEY_LEN], uint32_t sequence,
		uint16_t checksum, uint64_t until);

/** Extend the lifetime of an item that is known, and not withdrawn. */
void lsdb_renew(struct lsdb *db, const uint8_t key[LSDB_KEY_LEN], uint64_t expires_ns);

/**
 * End the lifetimes that are over, LSDB_TICK_ITEMS of them at most.
 *
 * @return when to call it again; UINT64_MAX when nothing is known
 */
uint64_t lsdb_tick(struct lsdb *db, uint64_t now);

#define LSDB_TICK_ITEMS 256

/** Numbers and counters. */
void lsdb_state(const struct lsdb *db, struct fcn_pnc_state *state);

#endif /* FCN_PNC_LSDB_H */
