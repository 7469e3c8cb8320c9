/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Routers that speak BMP to a station. The input is a sequence of steps, each a byte and what
 * belongs to it: bytes of a session as they are; a BMP message, a BGP UPDATE or an OPEN of a given
 * length, to which the headers are added; a session that ends and another that begins; time.
 *
 * What the sink has been told is compared with the number of prefixes of the station, and nothing
 * may be removed that was not added.
 */

#include "fcn_bgp_nhc.h"
#include "fcn_pnc_bmp.h"
#include "fuzz.h"

#define MAX_PREFIXES 64
#define SESSIONS 2
#define HOLD 1000

static struct fcn_pnc_prefix told[MAX_PREFIXES];
static unsigned int n_told;

static unsigned int
find(const struct fcn_prefix *prefix)
{
	unsigned int i = 0;

	while (i < n_told && !fcn_prefix_equal(&told[i].prefix, prefix))
		i++;
	return i;
}

static void
add(void *arg, const struct fcn_pnc_prefix *prefix)
{
	unsigned int i = find(&prefix->prefix);
	struct fcn_prefix normal = prefix->prefix;

	(void)arg;
	require(i < MAX_PREFIXES && prefix->protocol == FCN_PNC_BGP);
	require(!fcn_prefix_normalise(&normal) && fcn_addr_why_no_host(&prefix->proxy) == NULL);
	n_told += i == n_told;
	told[i] = *prefix;
}

static void
forget(void *arg, const struct fcn_pnc_prefix *prefix)
{
	unsigned int i = find(&prefix->prefix);

	(void)arg;
	require(i < n_told && fcn_addr_equal(&told[i].proxy, &prefix->proxy));
	told[i] = told[--n_told];
}

struct input {
	const uint8_t *data;
	size_t size;
};

static const uint8_t *
take(struct input *in, size_t *len)
{
	const uint8_t *at = in->data;

	if (*len > in->size)
		*len = in->size;
	in->data += *len;
	in->size -= *len;
	return at;
}

static uint8_t
take_byte(struct input *in)
{
	size_t len = 1;
	const uint8_t *at = take(in, &len);

	return len == 1 ? *at : 0;
}

static size_t
put_length(uint8_t *out, size_t at, size_t width, size_t len)
{
	for (size_t i = 0; i < width; i++)
		out[at + i] = (uint8_t)(len >> 8 * (width - 1 - i));
	return len;
}

/* The header of BMP, whose length and type are not filled in, and that of a peer (RFC 7854). */
static const uint8_t peer_head[48] = {[0] = 3,
		[28] = 192,
		[30] = 2,
		[31] = 9,  /* its address */
		[35] = 1,  /* AS */
		[39] = 1}; /* identifier */

/*
 * A BMP message about this peer, with this body.
 * @param is_own the peer has no address: it is the router itself
 */
static size_t
peer_message(uint8_t *out, uint8_t type, uint8_t flags, bool is_own, const uint8_t *body,
		size_t len)
{
	memcpy(out, peer_head, sizeof(peer_head));
	out[5] = type;
	out[6] = flags >> 6; /* type of the peer */
	out[7] = (uint8_t)(flags << 4);
	if (is_own)
		memset(out + 16, 0, 16);
	memcpy(out + sizeof(peer_head), body, len);
	return put_length(out, 1, 4, sizeof(peer_head) + len);
}

/* A BGP message with a valid header. */
static size_t
bgp_message(uint8_t *out, uint8_t type, const uint8_t *body, size_t len)
{
	memset(out, 0xFF, 16);
	out[18] = type;
	memcpy(out + 19, body, len);
	return put_length(out, 16, 2, 19 + len);
}

struct station {
	struct fcn_pnc_bmp *bmp;
	struct fcn_pnc_bmp_session *session[SESSIONS];
	uint64_t now;
};

static void
give(struct station *s, unsigned int which, const uint8_t *data, size_t len)
{
	struct fcn_pnc_bmp_session **session = &s->session[which];
	const struct fcn_addr from = {4, {192, 0, 2, 1}};

	if (*session == NULL)
		*session = fcn_pnc_bmp_open(s->bmp, &from);
	require(*session != NULL);
	if (fcn_pnc_bmp_input(*session, data, len, s->now) == FCN_PNC_BMP_GOES_ON) {
		while (fcn_pnc_bmp_take_ignored(*session) != NULL)
			;
		return;
	}
	fcn_pnc_bmp_close(*session, s->now);
	*session = NULL;
}

/* Peer Up with two OPEN messages of this content. */
static void
peer_up(struct station *s, unsigned int which, uint8_t flags, bool is_own, const uint8_t *open,
		size_t len)
{
	static uint8_t body[1024], out[2048];

	memset(body, 0, 20); /* local address and ports */
	len = bgp_message(body + 20, 1, open, len);
	memcpy(body + 20 + len, body + 20, len);
	give(s, which, out, peer_message(out, 3, flags, is_own, body, 20 + 2 * len));
}

/* Initiation with the name of a router, and a Peer Up with both IP versions and long AS numbers. */
static void
begin(struct station *s, unsigned int which)
{
	static const uint8_t open[] = {4, 0, 1, 0, 180, 0, 0, 0, 1, 20, 2, 18, /* capabilities: */
			1, 4, 0, 1, 0, 1, 1, 4, 0, 2, 0, 1, 65, 4, 0, 0, 0, 1};
	const uint8_t initiation[] = {
			3, 0, 0, 0, 16, 4, 0, 1, 0, 0, 0, 2, 0, 2, 'r', (uint8_t)('1' + which)};

	give(s, which, initiation, sizeof(initiation));
	peer_up(s, which, 0, false, open, sizeof(open));
}

static void
step(struct station *s, struct input *in)
{
	static uint8_t bgp[1024], out[2048];
	uint8_t op = take_byte(in), flags = take_byte(in);
	unsigned int which = op >> 7;
	bool is_own = (op & 8) != 0;
	size_t len = take_byte(in);
	const uint8_t *body;

	switch (op & 7) {
	case 0:
		body = take(in, &len);
		give(s, which, body, len);
		break;
	case 1:
		body = take(in, &len);
		give(s, which, out, peer_message(out, flags & 7, flags, is_own, body, len));
		break;
	case 2:
		begin(s, which);
		break;
	case 3:
		if (s->session[which] != NULL)
			fcn_pnc_bmp_close(s->session[which], s->now);
		s->session[which] = NULL;
		break;
	case 4:
		s->now += 100 * (uint64_t)len;
		fcn_pnc_bmp_tick(s->bmp, s->now);
		break;
	case 5:
		body = take(in, &len);
		peer_up(s, which, flags & 0xC0, is_own, body, len);
		break;
	default:
		body = take(in, &len);
		len = bgp_message(bgp, 2, body, len);
		give(s, which, out, peer_message(out, 0, flags, is_own, bgp, len));
		break;
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct fcn_pnc_bmp_conf conf = {.routers = SESSIONS,
			.peers = 4,
			.routes = MAX_PREFIXES,
			.paths = 3,
			.hold_ns = HOLD,
			.message_len = 1024,
			.secret = 1};
	const struct fcn_pnc_sink sink = {.add = add, .remove = forget};
	struct station s = {.bmp = fcn_pnc_bmp_create(&conf, &sink)};
	struct input in = {data, size};
	struct fcn_bgp_nhc nhc;
	uint32_t routes, prefixes;

	require(s.bmp != NULL);
	n_told = 0;
	fcn_bgp_nhc_parse(data, size, FCN_BGP_PNC_CODE, &nhc);
	while (in.size > 0) {
		step(&s, &in);
		fcn_pnc_bmp_size(s.bmp, &routes, &prefixes);
		require(prefixes == n_told && routes >= prefixes && routes <= MAX_PREFIXES);
	}
	/* Everything ends. */
	for (unsigned int i = 0; i < SESSIONS; i++)
		if (s.session[i] != NULL)
			fcn_pnc_bmp_close(s.session[i], s.now);
	fcn_pnc_bmp_tick(s.bmp, s.now + HOLD);
	require(n_told == 0);
	fcn_pnc_bmp_destroy(s.bmp);
	return 0;
}
