/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * A station of the BGP Monitoring Protocol (BMP, RFC 7854): routers connect to it and report the
 * routes of their BGP peers. It keeps those with Proxy Node Capability (fcn_bgp_nhc.h) and reports
 * them to a sink. Their proxy is the next hop, which the attribute has to repeat: a router that
 * does not know the attribute and sets another next hop has passed on what no longer holds.
 *
 * Routes of global tables are read: those of a peer before and after the policy of the router, and
 * the router's own (Loc-RIB, RFC 9069). If several routers or peers have a route to a prefix, the
 * best one is reported. A route stays until it is withdrawn or its peer is down. When a session
 * ends, the router may be well, so its routes are kept for a time, and a router that comes back
 * keeps those that it reports again. It is recognised by address and name.
 *
 * The station owns its memory, which its limits bound; it opens nothing and reads no clock. It is
 * used by one thread at a time.
 */

#ifndef FCN_PNC_BMP_H
#define FCN_PNC_BMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fcn_addr.h"
#include "fcn_pnc.h"

#define FCN_PNC_BMP_NAME_LEN 64 /**< bytes of a router's name, terminator included */

#define FCN_PNC_BMP_ROUTERS 16 /**< default limit of routers, and of sessions */

/** Parameters of a station. A limit of 0 stands for its default. */
struct fcn_pnc_bmp_conf {
	uint8_t nhc_type;  /**< type of the attribute; 0: FCN_BGP_NHC_TYPE */
	uint16_t pnc_code; /**< code of PNC; 0: FCN_BGP_PNC_CODE */
	uint64_t hold_ns;  /**< time for which routes are kept after the end of a session */
	/**
	 * maximum number of routers, and of sessions; default FCN_PNC_BMP_ROUTERS. If it is more
	 * than one, the routers of one address have three quarters of them, and of `routes` and
	 * `paths`, at most, so that the others have the rest.
	 */
	uint32_t routers;
	uint32_t peers;       /**< maximum number of peers of a router; default 256 */
	uint32_t routes;      /**< maximum number of routes with PNC; default 65536 */
	uint32_t paths;       /**< maximum number of routes to one prefix; default 32 */
	uint32_t message_len; /**< maximum length of a BMP message in bytes; default 262144 */
	uint64_t secret;      /**< secret number for the hash of prefixes */
};

/* X(symbol, name, text): why a session is ended by the station, or has been ended by the router */
#define FCN_PNC_BMP_ENDS(X)                                                                \
	X(VERSION, "version", "a message is not of version 3 of BMP")                      \
	X(LENGTH, "length", "a message is shorter than its headers")                       \
	X(TOO_LONG, "too_long", "a message is longer than the limit")                      \
	X(TLV, "tlv", "information in an Initiation message is cut short")                 \
	X(FIRST, "first", "the first message is not an Initiation")                        \
	X(ROUTERS, "routers", "there are more routers, or of one address, than permitted") \
	X(MEMORY, "memory", "memory is used up")                                           \
	X(TERMINATED, "terminated", "the router has sent a Termination message")

/** Why fcn_pnc_bmp_input() ends a session; 0: it does not. */
enum fcn_pnc_bmp_end {
	FCN_PNC_BMP_GOES_ON,
#define FCN_PNC_BMP_ENUM(sym, name, text) FCN_PNC_BMP_END_##sym,
	FCN_PNC_BMP_ENDS(FCN_PNC_BMP_ENUM)
#undef FCN_PNC_BMP_ENUM
};

/** One line of text that explains an end; never NULL. */
const char *fcn_pnc_bmp_end_text(enum fcn_pnc_bmp_end end);

/* X(member, text): what a station counts, besides the ends of sessions */
#define FCN_PNC_BMP_COUNTERS(X)                                                               \
	X(sessions, "sessions begun")                                                         \
	X(messages, "BMP messages")                                                           \
	X(updates, "BGP UPDATE messages read")                                                \
	X(learned, "routes with PNC, new or changed")                                         \
	X(withdrawn, "routes with PNC withdrawn, or announced again without PNC")             \
	X(peer_down, "routes with PNC whose peer went down")                                  \
	X(expired, "routes with PNC forgotten, as they were not reported again in time")      \
	X(other_message, "BMP messages that are not needed: statistics, mirrored messages")   \
	X(unknown_message, "BMP messages of unknown types")                                   \
	X(other_table, "messages about other tables than the global one (VPN)")               \
	X(sent_routes, "messages about routes that the router sends (Adj-RIB-Out)")           \
	X(unknown_peer, "messages about peers that are not up")                               \
	X(malformed_open, "OPEN messages in Peer Up that are malformed; the peer is ignored") \
	X(malformed_update, "UPDATE messages that are malformed, and ignored")                \
	X(malformed_attribute, "UPDATE messages with a malformed AS_PATH, NEXT_HOP, or "      \
			       "LOCAL_PREF; their routes count as withdrawn")                 \
	X(malformed_prefix, "UPDATE messages with a prefix that is malformed or repeats; "    \
			    "they are ignored")                                               \
	X(ambiguous, "UPDATE messages about a router's own table that can be read with and "  \
		     "without path identifiers; they are ignored")                            \
	X(nhc_malformed, "attributes of next hop dependent characteristics that are "         \
			 "malformed, or in which PNC has a value")                            \
	X(nhc_flags, "such attributes that are not optional and transitive")                  \
	X(nhc_repeated, "UPDATE messages with several such attributes; the first one counts") \
	X(nhc_next_hop, "routes with PNC for another next hop than theirs")                   \
	X(bad_proxy, "routes with PNC whose next hop cannot be the address of a proxy")       \
	X(bad_prefix, "routes with PNC to prefixes in which there are no senders")            \
	X(full_routes, "routes with PNC beyond the limit")                                    \
	X(full_share, "routes with PNC beyond the part of the limit that one address has")    \
	X(full_paths, "routes with PNC beyond the limit of one prefix")                       \
	X(full_peers, "peers beyond the limit; they are ignored")                             \
	X(full_sessions, "sessions refused, as there are too many")                           \
	X(made_room, "routers that were forgotten with the routes that were kept of them, "   \
		     "as another address with fewer routers had no room")                     \
	X(memory, "routes with PNC for which there is no memory")

/* X(symbol, text): what of a router is ignored, and why */
#define FCN_PNC_BMP_IGNORED(X)                                                                  \
	X(MALFORMED, "malformed UPDATE messages: a length is wrong, or a prefix repeats, as "   \
		     "those with path identifiers (ADD-PATH) do that no Peer Up has announced") \
	X(AMBIGUOUS, "UPDATE messages about its own table (Loc-RIB) that can be read with "     \
		     "and without path identifiers (ADD-PATH), as no Peer Up says what holds")  \
	X(PEER, "routes of peers that are not up, as there was no valid Peer Up of them")       \
	X(TABLE, "peers and routes of other tables than the global one")

enum fcn_pnc_bmp_ignored {
#define FCN_PNC_BMP_MEMBER(sym, text) FCN_PNC_BMP_IGNORED_##sym,
	FCN_PNC_BMP_IGNORED(FCN_PNC_BMP_MEMBER)
#undef FCN_PNC_BMP_MEMBER
};

/** Counters of a station. */
struct fcn_pnc_bmp_counters {
#define FCN_PNC_BMP_MEMBER(member, text) uint64_t member;
	FCN_PNC_BMP_COUNTERS(FCN_PNC_BMP_MEMBER)
#undef FCN_PNC_BMP_MEMBER
/** Sessions ended, by reason. */
#define FCN_PNC_BMP_MEMBER(sym, name, text) uint64_t end_##sym;
	FCN_PNC_BMP_ENDS(FCN_PNC_BMP_MEMBER)
#undef FCN_PNC_BMP_MEMBER
};

struct fcn_pnc_bmp;
struct fcn_pnc_bmp_session;

/**
 * Create a station.
 *
 * @param sink where prefixes are reported to; a prefix of a session that has ended has the time
 *             when it is forgotten as expires_ns, others have UINT64_MAX
 * @return NULL on lack of memory
 */
struct fcn_pnc_bmp *fcn_pnc_bmp_create(
		const struct fcn_pnc_bmp_conf *conf, const struct fcn_pnc_sink *sink);

/** Free a station and its sessions; the sink is not called. NULL is allowed. */
void fcn_pnc_bmp_destroy(struct fcn_pnc_bmp *bmp);

/**
 * Begin a session: a router has connected.
 *
 * @param from address of the router
 * @return NULL if there are too many sessions, which is counted, or on lack of memory
 */
struct fcn_pnc_bmp_session *fcn_pnc_bmp_open(struct fcn_pnc_bmp *bmp, const struct fcn_addr *from);

/**
 * Process what a router has sent. Messages can be cut anywhere.
 *
 * @return FCN_PNC_BMP_GOES_ON; otherwise the caller closes the connection and calls
 *         fcn_pnc_bmp_close(), and the rest of the bytes is ignored
 */
enum fcn_pnc_bmp_end fcn_pnc_bmp_input(struct fcn_pnc_bmp_session *session, const uint8_t *data,
		size_t len, uint64_t now_ns);

/**
 * Take one thing that is ignored of the router of a session, and that was not taken yet, so that a
 * caller can log it once for each router.
 *
 * @return what, and why, as text; NULL: nothing further
 */
const char *fcn_pnc_bmp_take_ignored(struct fcn_pnc_bmp_session *session);

/** Check whether a session has begun with a valid Initiation message. */
bool fcn_pnc_bmp_is_initiated(const struct fcn_pnc_bmp_session *session);

/** End a session: the connection has ended. Its routes are kept for hold_ns from now on. */
void fcn_pnc_bmp_close(struct fcn_pnc_bmp_session *session, uint64_t now_ns);

/** Forget routes whose time is over. To be called about once a second. */
void fcn_pnc_bmp_tick(struct fcn_pnc_bmp *bmp, uint64_t now_ns);

/** Get the counters. */
const struct fcn_pnc_bmp_counters *fcn_pnc_bmp_counters(const struct fcn_pnc_bmp *bmp);

/** What there is to see of a router. */
struct fcn_pnc_bmp_router_state {
	struct fcn_addr addr;
	const char *name; /**< valid until the next call for this station */
	bool is_connected;
	uint64_t until_ns; /**< time when its routes are forgotten, if it is not connected */
	uint32_t peers;    /**< number of peers that are up */
	uint32_t routes;   /**< routes with PNC, of all peers and views */
	uint32_t stale;    /**< of these, not reported again since a session ended */
};

/** Get the state of router number index, from 0. @return false if there is no further one */
bool fcn_pnc_bmp_router(const struct fcn_pnc_bmp *bmp, unsigned int index,
		struct fcn_pnc_bmp_router_state *state);

/** Get the number of routes with PNC, and of different prefixes. */
void fcn_pnc_bmp_size(const struct fcn_pnc_bmp *bmp, uint32_t *routes, uint32_t *prefixes);

#endif /* FCN_PNC_BMP_H */
