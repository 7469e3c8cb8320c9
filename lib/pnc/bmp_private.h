/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* What the files of the BMP station share. */

#ifndef BMP_PRIVATE_H
#define BMP_PRIVATE_H

#include "bgp_rib.h"
#include "bgp_update.h"
#include "fcn_pnc_bmp.h"

#define BMP_HEADER_LEN 6
#define BMP_PEER_LEN 42 /* per-peer header */
#define BMP_KEY_LEN 25  /* type of the peer, distinguisher, address */

enum bmp_type {
	BMP_ROUTE_MONITORING,
	BMP_STATISTICS,
	BMP_PEER_DOWN,
	BMP_PEER_UP,
	BMP_INITIATION,
	BMP_TERMINATION,
	BMP_ROUTE_MIRRORING,
};

/* A peer of a router; for the router's own table there is one, too (RFC 9069). */
struct bmp_peer {
	bool is_used, is_up;
	bool is_unannounced; /* a router's own table, of which there was no Peer Up */
	uint8_t key[BMP_KEY_LEN];
	struct bgp_session_options options;
	struct bgp_rib_owner owner[BGP_RIB_VIEWS];
};

/* An address of routers. Those of one address share a part of the room for routes. */
struct bmp_source {
	uint32_t n_routers; /* 0: it is free */
	struct fcn_addr addr;
	struct bgp_rib_share share;
};

struct bmp_router {
	bool is_used;
	struct fcn_pnc_bmp_session *session; /* NULL: it is not connected */
	struct fcn_addr addr;
	char name[FCN_PNC_BMP_NAME_LEN];
	uint64_t until_ns;
	struct bmp_source *source;
	struct bmp_peer *peers; /* conf.peers of them */
	uint32_t ignored;       /* bits of enum fcn_pnc_bmp_ignored, for which there was a cause */
	uint32_t told;          /* of these, what the caller has taken */
};

struct fcn_pnc_bmp_session {
	struct fcn_pnc_bmp *bmp;
	struct bmp_router *router; /* NULL: no Initiation yet */
	struct fcn_addr from;
	uint8_t *buffer; /* the beginning of a message */
	size_t used, size;
	bool is_used;
};

struct fcn_pnc_bmp {
	struct fcn_pnc_bmp_conf conf;
	struct fcn_pnc_bmp_counters count;
	struct bgp_rib *rib;
	struct bgp_seen *seen;
	struct bmp_router *routers;           /* conf.routers of them */
	struct bmp_source *sources;           /* conf.routers of them */
	struct fcn_pnc_bmp_session *sessions; /* conf.routers of them */
};

/* Process a message. @param data with its header, of len bytes */
enum fcn_pnc_bmp_end bmp_message(struct fcn_pnc_bmp_session *session, const uint8_t *data,
		size_t len, uint64_t now_ns);

/* Process the UPDATE in a Route Monitoring message. */
void bmp_route_monitoring(struct fcn_pnc_bmp *bmp, struct bmp_router *router, struct bmp_peer *peer,
		enum bgp_rib_view view, bool is_as2, const uint8_t *data, size_t len);

static inline void
bmp_ignore(struct bmp_router *router, enum fcn_pnc_bmp_ignored what)
{
	router->ignored |= 1u << what;
}

/* Forget all routes of a peer. @return their number */
uint32_t bmp_peer_drop(struct fcn_pnc_bmp *bmp, struct bmp_peer *peer);

/* Forget a router that is not connected, with its routes, so that the address of a session has room
 * for one: of the address that has most routers, and at least two more than that one. */
void bmp_make_room(struct fcn_pnc_bmp *bmp, const struct fcn_addr *addr);

/* Make all routes of a peer stale. */
void bmp_peer_make_stale(struct fcn_pnc_bmp *bmp, struct bmp_peer *peer, uint64_t until_ns);

#endif /* BMP_PRIVATE_H */
