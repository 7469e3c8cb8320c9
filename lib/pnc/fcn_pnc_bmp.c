/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "fcn_pnc_bmp.h"

#include <stdlib.h>
#include <string.h>

#include "bgp_bytes.h"
#include "bmp_private.h"
#include "fcn_names.h"

#define BMP_VERSION 3
#define FIRST_BUFFER 4096

FCN_NAME_FUNCTION(fcn_pnc_bmp_end_text, enum fcn_pnc_bmp_end, "the session goes on",
		FCN_PNC_BMP_ENDS(FCN_ITEM_TEXT))

static void
set_default(uint32_t *value, uint32_t otherwise)
{
	if (*value == 0)
		*value = otherwise;
}

struct fcn_pnc_bmp *
fcn_pnc_bmp_create(const struct fcn_pnc_bmp_conf *conf, const struct fcn_pnc_sink *sink)
{
	struct fcn_pnc_bmp *bmp = calloc(1, sizeof(*bmp));
	struct fcn_hash_key key;

	if (bmp == NULL)
		return NULL;
	bmp->conf = *conf;
	if (bmp->conf.nhc_type == 0)
		bmp->conf.nhc_type = FCN_BGP_NHC_TYPE;
	if (bmp->conf.pnc_code == 0)
		bmp->conf.pnc_code = FCN_BGP_PNC_CODE;
	set_default(&bmp->conf.routers, FCN_PNC_BMP_ROUTERS);
	set_default(&bmp->conf.peers, 256);
	set_default(&bmp->conf.routes, 65536);
	set_default(&bmp->conf.paths, 32);
	set_default(&bmp->conf.message_len, 262144);
	fcn_hash_key_make(&key, conf->secret);
	bmp->routers = calloc(bmp->conf.routers, sizeof(*bmp->routers));
	bmp->sources = calloc(bmp->conf.routers, sizeof(*bmp->sources));
	bmp->sessions = calloc(bmp->conf.routers, sizeof(*bmp->sessions));
	bmp->seen = bgp_seen_create(&key);
	bmp->rib = bgp_rib_create(
			bmp->conf.routes, bmp->conf.paths, bmp->conf.routers > 1, &key, sink);
	if (bmp->routers == NULL || bmp->sources == NULL || bmp->sessions == NULL ||
			bmp->rib == NULL || bmp->seen == NULL) {
		fcn_pnc_bmp_destroy(bmp);
		return NULL;
	}
	return bmp;
}

void
fcn_pnc_bmp_destroy(struct fcn_pnc_bmp *bmp)
{
	if (bmp == NULL)
		return;
	for (uint32_t i = 0; bmp->routers != NULL && i < bmp->conf.routers; i++)
		free(bmp->routers[i].peers);
	for (uint32_t i = 0; bmp->sessions != NULL && i < bmp->conf.routers; i++)
		free(bmp->sessions[i].buffer);
	bgp_rib_destroy(bmp->rib);
	bgp_seen_destroy(bmp->seen);
	free(bmp->routers);
	free(bmp->sources);
	free(bmp->sessions);
	free(bmp);
}

struct fcn_pnc_bmp_session *
fcn_pnc_bmp_open(struct fcn_pnc_bmp *bmp, const struct fcn_addr *from)
{
	for (uint32_t i = 0; i < bmp->conf.routers; i++) {
		struct fcn_pnc_bmp_session *s = &bmp->sessions[i];

		if (s->is_used)
			continue;
		*s = (struct fcn_pnc_bmp_session){.bmp = bmp, .from = *from, .is_used = true};
		bmp->count.sessions++;
		return s;
	}
	bmp->count.full_sessions++;
	return NULL;
}

const char *
fcn_pnc_bmp_take_ignored(struct fcn_pnc_bmp_session *session)
{
	static const char *const texts[] = {
#define TEXT(sym, text) text,
			FCN_PNC_BMP_IGNORED(TEXT)
#undef TEXT
	};
	struct bmp_router *router = session->router;
	uint32_t left = router != NULL ? router->ignored & ~router->told : 0;

	for (unsigned int i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if ((left & 1u << i) != 0) {
			router->told |= 1u << i;
			return texts[i];
		}
	return NULL;
}

bool
fcn_pnc_bmp_is_initiated(const struct fcn_pnc_bmp_session *session)
{
	return session->router != NULL;
}

/* ---- the stream ---- */

static void
count_end(struct fcn_pnc_bmp *bmp, enum fcn_pnc_bmp_end end)
{
	switch (end) {
#define CASE(sym, name, text)           \
	case FCN_PNC_BMP_END_##sym:     \
		bmp->count.end_##sym++; \
		break;
		FCN_PNC_BMP_ENDS(CASE)
#undef CASE
	case FCN_PNC_BMP_GOES_ON:
		break;
	}
}

/*
 * Get the length of the message that begins here.
 * @param message is set to it; 0: not enough bytes to tell
 */
static enum fcn_pnc_bmp_end
message_length(const struct fcn_pnc_bmp *bmp, const uint8_t *data, size_t len, size_t *message)
{
	*message = 0;
	if (len > 0 && data[0] != BMP_VERSION)
		return FCN_PNC_BMP_END_VERSION;
	if (len < BMP_HEADER_LEN)
		return FCN_PNC_BMP_GOES_ON;
	*message = bgp_get32(data + 1);
	if (*message < BMP_HEADER_LEN)
		return FCN_PNC_BMP_END_LENGTH;
	return *message > bmp->conf.message_len ? FCN_PNC_BMP_END_TOO_LONG : FCN_PNC_BMP_GOES_ON;
}

/* Make room for a message. The buffer is never longer than twice the longest one so far. */
static bool
reserve(struct fcn_pnc_bmp_session *s, size_t len)
{
	size_t size = s->size == 0 ? FIRST_BUFFER : s->size;
	uint8_t *buffer;

	while (size < len)
		size *= 2;
	if (size == s->size)
		return true;
	buffer = realloc(s->buffer, size);
	if (buffer == NULL)
		return false;
	s->buffer = buffer;
	s->size = size;
	return true;
}

/* Add bytes to the message in the buffer until it is complete. @return number of bytes taken */
static size_t
fill(struct fcn_pnc_bmp_session *s, const uint8_t *data, size_t len, size_t message)
{
	size_t n = message - s->used < len ? message - s->used : len;

	memcpy(s->buffer + s->used, data, n);
	s->used += n;
	return n;
}

/* Process the rest of the message in the buffer. @param taken is set to the bytes it had */
static enum fcn_pnc_bmp_end
input_rest(struct fcn_pnc_bmp_session *s, const uint8_t *data, size_t len, size_t *taken,
		uint64_t now_ns)
{
	enum fcn_pnc_bmp_end end;
	size_t message;

	*taken = 0;
	if (s->used < BMP_HEADER_LEN)
		*taken = fill(s, data, len, BMP_HEADER_LEN);
	end = message_length(s->bmp, s->buffer, s->used, &message);
	if (end != FCN_PNC_BMP_GOES_ON || message == 0)
		return end;
	if (!reserve(s, message))
		return FCN_PNC_BMP_END_MEMORY;
	*taken += fill(s, data + *taken, len - *taken, message);
	if (s->used < message)
		return FCN_PNC_BMP_GOES_ON;
	s->used = 0;
	return bmp_message(s, s->buffer, message, now_ns);
}

enum fcn_pnc_bmp_end
fcn_pnc_bmp_input(struct fcn_pnc_bmp_session *session, const uint8_t *data, size_t len,
		uint64_t now_ns)
{
	enum fcn_pnc_bmp_end end = FCN_PNC_BMP_GOES_ON;

	while (len > 0 && end == FCN_PNC_BMP_GOES_ON) {
		size_t message;

		if (session->used == 0) {
			end = message_length(session->bmp, data, len, &message);
			if (end != FCN_PNC_BMP_GOES_ON)
				break;
			if (message != 0 && message <= len) {
				end = bmp_message(session, data, message, now_ns);
				data += message;
				len -= message;
				continue;
			}
			if (!reserve(session, BMP_HEADER_LEN)) {
				end = FCN_PNC_BMP_END_MEMORY;
				break;
			}
		}
		end = input_rest(session, data, len, &message, now_ns);
		data += message;
		len -= message;
	}
	count_end(session->bmp, end);
	return end;
}

/* ---- ends ---- */

uint32_t
bmp_peer_drop(struct fcn_pnc_bmp *bmp, struct bmp_peer *peer)
{
	uint32_t n = 0;

	for (unsigned int i = 0; i < BGP_RIB_VIEWS; i++)
		for (unsigned int list = 0; list < BGP_RIB_LISTS; list++)
			n += bgp_rib_sweep(bmp->rib, &peer->owner[i], list);
	return n;
}

void
bmp_peer_make_stale(struct fcn_pnc_bmp *bmp, struct bmp_peer *peer, uint64_t until_ns)
{
	for (unsigned int i = 0; i < BGP_RIB_VIEWS; i++)
		bgp_rib_make_stale(bmp->rib, &peer->owner[i], until_ns);
}

static uint32_t
count_routes(const struct bmp_peer *peer)
{
	uint32_t n = 0;

	for (unsigned int view = 0; view < BGP_RIB_VIEWS; view++)
		for (unsigned int list = 0; list < BGP_RIB_LISTS; list++)
			n += peer->owner[view].count[list];
	return n;
}

static void
free_router(struct bmp_router *router)
{
	free(router->peers);
	router->source->n_routers--;
	*router = (struct bmp_router){0};
}

void
fcn_pnc_bmp_close(struct fcn_pnc_bmp_session *session, uint64_t now_ns)
{
	struct fcn_pnc_bmp *bmp = session->bmp;
	struct bmp_router *router = session->router;
	uint32_t kept = 0;

	if (router != NULL) {
		router->session = NULL;
		router->until_ns = now_ns + bmp->conf.hold_ns;
		for (uint32_t i = 0; i < bmp->conf.peers; i++) {
			if (!router->peers[i].is_used)
				continue;
			router->peers[i].is_up = false;
			bmp_peer_make_stale(bmp, &router->peers[i], router->until_ns);
			kept += count_routes(&router->peers[i]);
		}
		if (kept == 0) /* there is nothing to keep for it */
			free_router(router);
	}
	free(session->buffer);
	memset(session, 0, sizeof(*session));
}

static uint32_t
routers_of(const struct fcn_pnc_bmp *bmp, const struct fcn_addr *addr)
{
	for (uint32_t i = 0; i < bmp->conf.routers; i++)
		if (bmp->sources[i].n_routers > 0 && fcn_addr_equal(&bmp->sources[i].addr, addr))
			return bmp->sources[i].n_routers;
	return 0;
}

void
bmp_make_room(struct fcn_pnc_bmp *bmp, const struct fcn_addr *addr)
{
	const uint32_t least = routers_of(bmp, addr) + 2;
	struct bmp_router *found = NULL;

	for (uint32_t i = 0; i < bmp->conf.routers; i++) {
		struct bmp_router *r = &bmp->routers[i];

		if (!r->is_used || r->session != NULL || r->source->n_routers < least)
			continue;
		if (found == NULL || r->source->n_routers > found->source->n_routers ||
				(r->source->n_routers == found->source->n_routers &&
						r->until_ns < found->until_ns))
			found = r;
	}
	if (found == NULL)
		return;
	for (uint32_t i = 0; i < bmp->conf.peers; i++)
		if (found->peers[i].is_used)
			bmp_peer_drop(bmp, &found->peers[i]);
	free_router(found);
	bmp->count.made_room++;
}

/* Forget the stale routes of a router whose time is over, and peers that have nothing left. */
static void
expire(struct fcn_pnc_bmp *bmp, struct bmp_router *router, uint64_t now_ns)
{
	for (uint32_t i = 0; i < bmp->conf.peers; i++) {
		struct bmp_peer *peer = &router->peers[i];

		if (!peer->is_used)
			continue;
		for (unsigned int view = 0; view < BGP_RIB_VIEWS; view++)
			bmp->count.expired += bgp_rib_expire(bmp->rib, &peer->owner[view], now_ns);
		peer->is_used = peer->is_up || count_routes(peer) > 0;
	}
}

void
fcn_pnc_bmp_tick(struct fcn_pnc_bmp *bmp, uint64_t now_ns)
{
	for (uint32_t i = 0; i < bmp->conf.routers; i++) {
		struct bmp_router *router = &bmp->routers[i];

		if (!router->is_used)
			continue;
		expire(bmp, router, now_ns);
		if (router->session == NULL && router->until_ns <= now_ns)
			free_router(router);
	}
}

/* ---- what there is to see ---- */

const struct fcn_pnc_bmp_counters *
fcn_pnc_bmp_counters(const struct fcn_pnc_bmp *bmp)
{
	return &bmp->count;
}

bool
fcn_pnc_bmp_router(const struct fcn_pnc_bmp *bmp, unsigned int index,
		struct fcn_pnc_bmp_router_state *state)
{
	const struct bmp_router *router = NULL;

	for (uint32_t i = 0; i < bmp->conf.routers && router == NULL; i++)
		if (bmp->routers[i].is_used && index-- == 0)
			router = &bmp->routers[i];
	if (router == NULL)
		return false;
	*state = (struct fcn_pnc_bmp_router_state){.addr = router->addr,
			.name = router->name,
			.is_connected = router->session != NULL,
			.until_ns = router->until_ns};
	for (uint32_t i = 0; i < bmp->conf.peers; i++) {
		const struct bmp_peer *peer = &router->peers[i];

		if (!peer->is_used)
			continue;
		state->peers += peer->is_up;
		for (unsigned int view = 0; view < BGP_RIB_VIEWS; view++) {
			const uint32_t *count = peer->owner[view].count;
			uint32_t stale = count[BGP_RIB_STALE4] + count[BGP_RIB_STALE6];

			state->stale += stale;
			state->routes += count[BGP_RIB_CURRENT] + stale;
		}
	}
	return true;
}

void
fcn_pnc_bmp_size(const struct fcn_pnc_bmp *bmp, uint32_t *routes, uint32_t *prefixes)
{
	*routes = bgp_rib_routes(bmp->rib);
	*prefixes = bgp_rib_prefixes(bmp->rib);
}
