/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* The messages of a BMP session (RFC 7854 section 4). */

#include <stdlib.h>
#include <string.h>

#include "bgp_bytes.h"
#include "bmp_private.h"

/* Flags of the per-peer header; the router's own table has others. */
#define PEER_POST_POLICY 0x40
#define PEER_AS2 0x20
#define PEER_SENT_ROUTES 0x10 /* Adj-RIB-Out (RFC 8671) */

#define KEY_ADDR 9 /* place of the address in a key */

#define TLV_NAME 2 /* sysName in an Initiation */

enum peer_type {
	PEER_GLOBAL = 0,
	PEER_LOCAL_TABLE = 3, /* Loc-RIB (RFC 9069) */
};

/* The per-peer header. */
struct peer_header {
	const uint8_t *key;
	uint8_t type, flags;
	uint32_t identifier;
};

static void
read_peer_header(const uint8_t *data, struct peer_header *h, uint8_t key[BMP_KEY_LEN])
{
	h->type = data[0];
	h->flags = data[1];
	h->identifier = bgp_get32(data + 30);
	key[0] = data[0];
	memcpy(key + 1, data + 2, BMP_KEY_LEN - 1);
	h->key = key;
}

/*
 * Only global tables have the addresses that the switch sees. Peers of a VRF have another type, or
 * the type of global ones and a distinguisher (FRR before 10.3).
 */
static bool
is_global(const struct peer_header *h)
{
	static const uint8_t zero[KEY_ADDR - 1];

	return (h->type == PEER_GLOBAL || h->type == PEER_LOCAL_TABLE) &&
	       memcmp(h->key + 1, zero, sizeof(zero)) == 0;
}

/* A peer without address is the router itself, whatever type the router gives it. */
static bool
is_own_table(const struct peer_header *h)
{
	static const uint8_t zero[BMP_KEY_LEN - KEY_ADDR];

	return h->type == PEER_LOCAL_TABLE ||
	       (h->type == PEER_GLOBAL && memcmp(h->key + KEY_ADDR, zero, sizeof(zero)) == 0);
}

static struct bmp_peer *
find_peer(const struct fcn_pnc_bmp *bmp, struct bmp_router *router, const uint8_t *key)
{
	for (uint32_t i = 0; i < bmp->conf.peers; i++)
		if (router->peers[i].is_used && memcmp(router->peers[i].key, key, BMP_KEY_LEN) == 0)
			return &router->peers[i];
	return NULL;
}

static struct bmp_peer *
new_peer(struct fcn_pnc_bmp *bmp, struct bmp_router *router, const struct peer_header *h)
{
	for (uint32_t i = 0; i < bmp->conf.peers; i++) {
		struct bmp_peer *peer = &router->peers[i];

		if (peer->is_used)
			continue;
		*peer = (struct bmp_peer){.is_used = true};
		memcpy(peer->key, h->key, BMP_KEY_LEN);
		for (unsigned int view = 0; view < BGP_RIB_VIEWS; view++)
			bgp_rib_owner_init(&peer->owner[view], view, h->identifier,
					&router->source->share);
		return peer;
	}
	bmp->count.full_peers++;
	return NULL;
}

/* Peer Up (section 4.10): local address, two ports, the OPEN sent, the OPEN received. */
static void
peer_up(struct fcn_pnc_bmp_session *s, const struct peer_header *h, const uint8_t *data, size_t len,
		uint64_t now_ns)
{
	struct fcn_pnc_bmp *bmp = s->bmp;
	struct bgp_session_options options = {.is_own_table = is_own_table(h),
			.nhc_type = bmp->conf.nhc_type,
			.pnc_code = bmp->conf.pnc_code};
	struct bmp_peer *peer = find_peer(bmp, s->router, h->key);
	size_t sent = 0, received = 0;
	uint8_t sent_type = 0, received_type = 0;

	if (len > 20)
		sent = bgp_message_length(data + 20, len - 20, &sent_type);
	if (sent > 0)
		received = bgp_message_length(data + 20 + sent, len - 20 - sent, &received_type);
	if (received == 0 || sent_type != BGP_OPEN || received_type != BGP_OPEN ||
			bgp_open_parse(data + 20, sent, data + 20 + sent, received, &options) !=
					0) {
		bmp->count.malformed_open++;
		/* It is not known how to read its routes. */
		if (peer != NULL && peer->is_up) {
			peer->is_up = false;
			bmp_peer_make_stale(bmp, peer, now_ns + bmp->conf.hold_ns);
		}
		return;
	}
	if (peer == NULL)
		peer = new_peer(bmp, s->router, h);
	else if (peer->is_up)
		bmp_peer_make_stale(bmp, peer, now_ns + bmp->conf.hold_ns);
	if (peer == NULL)
		return;
	peer->options = options;
	peer->is_up = true;
	peer->is_unannounced = false;
}

/* The key of the Loc-RIB of the global table: its address is 0. */
static const uint8_t local_key[BMP_KEY_LEN] = {PEER_LOCAL_TABLE};
/* What FRR 9.0 to 10.2 gives the peer instead in messages about its state. */
static const uint8_t wrong_key[BMP_KEY_LEN] = {PEER_GLOBAL};

/*
 * Begin with a router's own table of which there was no Peer Up, as gobgp 3 sends it. The
 * capabilities are those of the Peer Up with the wrong type, if there was one.
 */
static struct bmp_peer *
begin_unannounced(struct fcn_pnc_bmp *bmp, struct bmp_router *router, const struct peer_header *h)
{
	struct bmp_peer *peer = find_peer(bmp, router, h->key);
	const struct bmp_peer *wrong = find_peer(bmp, router, wrong_key);

	if (peer == NULL)
		peer = new_peer(bmp, router, h);
	if (peer == NULL)
		return NULL;
	if (wrong != NULL && wrong->is_up && !wrong->is_unannounced)
		peer->options = wrong->options;
	else
		peer->options = (struct bgp_session_options){.is_own_table = true,
				.path_ids = {BGP_PATH_IDS_UNKNOWN, BGP_PATH_IDS_UNKNOWN},
				.nhc_type = bmp->conf.nhc_type,
				.pnc_code = bmp->conf.pnc_code};
	peer->is_up = true;
	peer->is_unannounced = true;
	return peer;
}

static void
peer_down(struct fcn_pnc_bmp *bmp, struct bmp_router *router, const struct peer_header *h)
{
	struct bmp_peer *peer = find_peer(bmp, router, h->key), *local = NULL;

	if (memcmp(h->key, wrong_key, BMP_KEY_LEN) == 0)
		local = find_peer(bmp, router, local_key);
	if (local != NULL && local->is_unannounced) {
		bmp->count.peer_down += bmp_peer_drop(bmp, local);
		local->is_used = false;
	}
	if (peer == NULL) {
		bmp->count.unknown_peer += local == NULL;
		return;
	}
	bmp->count.peer_down += bmp_peer_drop(bmp, peer);
	peer->is_used = false;
}

static void
route_monitoring(struct fcn_pnc_bmp *bmp, struct bmp_router *router, const struct peer_header *h,
		const uint8_t *data, size_t len)
{
	struct bmp_peer *peer = find_peer(bmp, router, h->key);
	enum bgp_rib_view view = BGP_RIB_LOCAL;
	bool is_as2 = false;

	if (h->type == PEER_GLOBAL) {
		view = (h->flags & PEER_POST_POLICY) != 0 ? BGP_RIB_POST_POLICY
							  : BGP_RIB_PRE_POLICY;
		is_as2 = (h->flags & PEER_AS2) != 0;
	}
	if ((peer == NULL || !peer->is_up) && is_own_table(h)) {
		peer = begin_unannounced(bmp, router, h);
		if (peer == NULL) /* counted */
			return;
	}
	if (peer != NULL && peer->is_up) {
		bmp_route_monitoring(bmp, router, peer, view, is_as2, data, len);
		return;
	}
	bmp->count.unknown_peer++;
	bmp_ignore(router, FCN_PNC_BMP_IGNORED_PEER);
}

/* A message with a per-peer header. */
static enum fcn_pnc_bmp_end
peer_message(struct fcn_pnc_bmp_session *s, uint8_t type, const uint8_t *data, size_t len,
		uint64_t now_ns)
{
	struct fcn_pnc_bmp *bmp = s->bmp;
	uint8_t key[BMP_KEY_LEN];
	struct peer_header h;

	if (len < BMP_PEER_LEN)
		return FCN_PNC_BMP_END_LENGTH;
	read_peer_header(data, &h, key);
	data += BMP_PEER_LEN;
	len -= BMP_PEER_LEN;
	if (!is_global(&h)) {
		bmp->count.other_table++;
		bmp_ignore(s->router, FCN_PNC_BMP_IGNORED_TABLE);
	} else if (type == BMP_PEER_UP) {
		peer_up(s, &h, data, len, now_ns);
	} else if (type == BMP_PEER_DOWN) {
		peer_down(bmp, s->router, &h);
	} else if (h.type == PEER_GLOBAL && (h.flags & PEER_SENT_ROUTES) != 0) {
		bmp->count.sent_routes++;
	} else {
		route_monitoring(bmp, s->router, &h, data, len);
	}
	return FCN_PNC_BMP_GOES_ON;
}

/* ---- Initiation ---- */

/* Find the name of the router; control characters are replaced. @return false: malformed */
static bool
read_name(const uint8_t *data, size_t len, char name[FCN_PNC_BMP_NAME_LEN])
{
	memset(name, 0, FCN_PNC_BMP_NAME_LEN);
	while (len > 0) {
		size_t value;

		if (len < 4)
			return false;
		value = bgp_get16(data + 2);
		if (len - 4 < value)
			return false;
		if (bgp_get16(data) == TLV_NAME && name[0] == '\0')
			for (size_t i = 0; i < value && i < FCN_PNC_BMP_NAME_LEN - 1; i++)
				name[i] = data[4 + i] >= ' ' && data[4 + i] < 0x7F
							  ? (char)data[4 + i]
							  : '?';
		data += 4 + value;
		len -= 4 + value;
	}
	return true;
}

/* Find the state of a router that was here before. */
static struct bmp_router *
find_router(struct fcn_pnc_bmp *bmp, const struct fcn_addr *addr, const char *name)
{
	for (uint32_t i = 0; i < bmp->conf.routers; i++) {
		struct bmp_router *r = &bmp->routers[i];

		if (r->is_used && r->session == NULL && fcn_addr_equal(&r->addr, addr) &&
				strcmp(r->name, name) == 0)
			return r;
	}
	return NULL;
}

/* Find the state of an address, or room for it: there are as many as routers. */
static struct bmp_source *
find_source(struct fcn_pnc_bmp *bmp, const struct fcn_addr *addr)
{
	struct bmp_source *room = NULL;

	for (uint32_t i = 0; i < bmp->conf.routers; i++) {
		struct bmp_source *source = &bmp->sources[i];

		if (source->n_routers == 0)
			room = source;
		else if (fcn_addr_equal(&source->addr, addr))
			return source;
	}
	if (room != NULL)
		*room = (struct bmp_source){.addr = *addr};
	return room;
}

static struct bmp_router *
find_room(const struct fcn_pnc_bmp *bmp)
{
	for (uint32_t i = 0; i < bmp->conf.routers; i++)
		if (!bmp->routers[i].is_used)
			return &bmp->routers[i];
	return NULL;
}

/*
 * Begin with a router. One address has three quarters of the room at most: otherwise, sessions that
 * each give another name and end could take the room of all other routers while their routes are
 * kept.
 */
static enum fcn_pnc_bmp_end
new_router(struct fcn_pnc_bmp_session *s, const char *name)
{
	struct fcn_pnc_bmp *bmp = s->bmp;
	struct bmp_source *source;
	struct bmp_router *r;

	if (find_room(bmp) == NULL)
		bmp_make_room(bmp, &s->from);
	source = find_source(bmp, &s->from);
	r = find_room(bmp);
	if (r == NULL || source == NULL || source->n_routers >= bgp_rib_part(bmp->conf.routers))
		return FCN_PNC_BMP_END_ROUTERS;
	*r = (struct bmp_router){.addr = s->from};
	r->peers = calloc(bmp->conf.peers, sizeof(*r->peers));
	if (r->peers == NULL)
		return FCN_PNC_BMP_END_MEMORY;
	r->is_used = true;
	r->source = source;
	source->n_routers++;
	strcpy(r->name, name);
	s->router = r;
	return FCN_PNC_BMP_GOES_ON;
}

static enum fcn_pnc_bmp_end
initiation(struct fcn_pnc_bmp_session *s, const uint8_t *data, size_t len)
{
	enum fcn_pnc_bmp_end end = FCN_PNC_BMP_GOES_ON;
	char name[FCN_PNC_BMP_NAME_LEN];

	if (!read_name(data, len, name))
		return FCN_PNC_BMP_END_TLV;
	if (s->router != NULL) /* further ones may tell more, but not who it is */
		return FCN_PNC_BMP_GOES_ON;
	s->router = find_router(s->bmp, &s->from, name);
	if (s->router == NULL)
		end = new_router(s, name);
	if (s->router != NULL)
		s->router->session = s;
	return end;
}

enum fcn_pnc_bmp_end
bmp_message(struct fcn_pnc_bmp_session *session, const uint8_t *data, size_t len, uint64_t now_ns)
{
	struct fcn_pnc_bmp *bmp = session->bmp;
	uint8_t type = data[BMP_HEADER_LEN - 1];

	bmp->count.messages++;
	data += BMP_HEADER_LEN;
	len -= BMP_HEADER_LEN;
	if (type == BMP_INITIATION)
		return initiation(session, data, len);
	if (session->router == NULL)
		return FCN_PNC_BMP_END_FIRST;
	switch (type) {
	case BMP_ROUTE_MONITORING:
	case BMP_PEER_DOWN:
	case BMP_PEER_UP:
		return peer_message(session, type, data, len, now_ns);
	case BMP_TERMINATION:
		return FCN_PNC_BMP_END_TERMINATED;
	case BMP_STATISTICS:
	case BMP_ROUTE_MIRRORING:
		bmp->count.other_message++;
		return FCN_PNC_BMP_GOES_ON;
	default:
		bmp->count.unknown_message++;
		return FCN_PNC_BMP_GOES_ON;
	}
}
