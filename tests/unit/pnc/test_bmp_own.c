/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * A router's own table (Loc-RIB, RFC 9069) as released routers report it, also where they are
 * wrong: without Peer Up, with one of the wrong type, and with path identifiers that nothing
 * announces. No prefix may be learned that the router has not.
 */

#include "bmp_messages.h"
#include "fcn_pnc_bmp.h"

#define LOCAL 0x300u         /* type of the peer: Loc-RIB */
#define POST 0x40u           /* after policy */
#define VRF(n) ((n) << 16)   /* distinguisher */
#define P101 "18 0a6500 "    /* 10.101.0.0/24 */
#define P102 "18 0a6600 "    /* 10.102.0.0/24 */
#define ID1 "00000001 "      /* a path identifier */
#define AS4 "4104 0000fde8 " /* capability: AS numbers of 4 bytes */
#define ADD_PATH(mode) "4504 0001 01 " mode " "

struct station {
	struct fcn_pnc_bmp *bmp;
	struct fcn_pnc_bmp_session *session;
	struct memory memory;
	struct bytes in, attributes, update;
};

static int
setup(void **state)
{
	struct fcn_pnc_bmp_conf conf = {.hold_ns = 1000, .secret = 1};
	struct station *s = calloc(1, sizeof(*s));
	struct fcn_addr from = {4, {192, 0, 2, 254}};
	struct fcn_pnc_sink sink;

	if (s == NULL)
		return -1;
	sink = memory_sink(&s->memory);
	s->bmp = fcn_pnc_bmp_create(&conf, &sink);
	s->session = s->bmp != NULL ? fcn_pnc_bmp_open(s->bmp, &from) : NULL;
	put_initiation(&s->in, "r1");
	*state = s;
	return s->session == NULL;
}

static int
teardown(void **state)
{
	struct station *s = *state;

	fcn_pnc_bmp_destroy(s->bmp);
	free(s);
	return 0;
}

TEST_FIXTURE(.setup = setup, .teardown = teardown);

static const struct fcn_pnc_bmp_counters *
input(struct station *s)
{
	assert_int_equal(fcn_pnc_bmp_input(s->session, s->in.data, s->in.len, 0),
			FCN_PNC_BMP_GOES_ON);
	s->in.len = 0;
	return fcn_pnc_bmp_counters(s->bmp);
}

static void
announce(struct station *s, unsigned int flags, unsigned int peer, const char *prefixes)
{
	route4_attributes(&s->attributes, 0x11, true);
	make_update(&s->update, "", &s->attributes, prefixes);
	put_route(&s->in, peer, flags, &s->update);
}

static void
withdraw(struct station *s, unsigned int flags, unsigned int peer, const char *prefixes)
{
	make_update(&s->update, prefixes, NULL, "");
	put_route(&s->in, peer, flags, &s->update);
}

static void
assert_learned(const struct station *s, unsigned int n, const char *first, const char *second)
{
	assert_int_equal(s->memory.n, n);
	if (first != NULL)
		assert_string_equal(memory_proxy(&s->memory, first), "192.0.2.17");
	if (second != NULL)
		assert_string_equal(memory_proxy(&s->memory, second), "192.0.2.17");
}

/* What is ignored is told once for each router and cause. */
static void
assert_told(struct station *s, const char *part)
{
	const char *text = fcn_pnc_bmp_take_ignored(s->session);

	if (part == NULL) {
		assert_null(text);
		return;
	}
	assert_non_null(text);
	assert_non_null(strstr(text, part));
	assert_null(fcn_pnc_bmp_take_ignored(s->session));
}

/* gobgp up to 4.7: its Peer Up announces nothing, and its prefixes have path identifiers. */
TEST(identifiers_unannounced)
{
	struct station *s = *state;
	const struct fcn_pnc_bmp_counters *c;

	put_table_up(&s->in, LOCAL, 0, AS4, AS4);
	announce(s, LOCAL, 0, ID1 P101 ID1 P102);
	announce(s, LOCAL, 0, ID1 P101);
	c = input(s);
	assert_learned(s, 0, NULL, NULL);
	assert_int_equal(c->malformed_prefix, 2);
	assert_int_equal(c->learned, 0);
	assert_told(s, "a prefix repeats");
	announce(s, LOCAL, 0, "00000002 " P101);
	assert_int_equal(input(s)->malformed_prefix, 3);
	assert_told(s, NULL);
	/* Without them it is as announced. Other bits behind a prefix are none of its own. */
	announce(s, LOCAL, 0, P101 P102);
	announce(s, LOCAL, 0, "17 0a0001");
	assert_int_equal(input(s)->malformed_prefix, 4);
	assert_learned(s, 2, "10.101.0.0/24", "10.102.0.0/24");
}

/* In the routes of a peer, too, a prefix that repeats makes all of the UPDATE malformed. */
TEST(repeated)
{
	struct station *s = *state;
	const struct fcn_pnc_bmp_counters *c;

	put_peer_up(&s->in, 1, AS4, AS4);
	put_peer_up(&s->in, 2, AS4 ADD_PATH("01"), AS4 ADD_PATH("02"));
	announce(s, 0, 1, P101 P102 P101);
	announce(s, 0, 1, P101 "17 0a6600 17 0a6601");
	announce(s, 0, 2, ID1 P101 ID1 P101);
	announce(s, 0, 1, P101 "21 0102030405");
	withdraw(s, 0, 1, "0000");
	c = input(s);
	assert_learned(s, 0, NULL, NULL);
	assert_int_equal(c->malformed_prefix, 5);
	/* The same prefix with another identifier is another route; /23 is not /24. */
	announce(s, 0, 2, ID1 P101 "00000002 " P101);
	announce(s, 0, 1, P102 "17 0a6600");
	c = input(s);
	assert_int_equal(c->malformed_prefix, 5);
	assert_int_equal(c->learned, 4);
	assert_learned(s, 3, "10.101.0.0/24", "10.102.0.0/24");
}

/* As many different prefixes as a message can have, twice, and then one of them again. */
TEST(many)
{
	struct station *s = *state;
	static char text[8 * 15000 + 1];

	for (unsigned int i = 0; i < 15000; i++)
		snprintf(text + (size_t)8 * i, 9, "18%06x", 0x0a0000 + i);
	put_peer_up(&s->in, 1, AS4, AS4);
	s->attributes.len = 0;
	make_update(&s->update, "", NULL, text);
	put_route(&s->in, 1, 0, &s->update);
	assert_int_equal(input(s)->malformed_prefix, 0);
	memcpy(text + (size_t)8 * 14999, text + (size_t)8 * 7, 8);
	make_update(&s->update, "", NULL, text);
	put_route(&s->in, 1, 0, &s->update);
	assert_int_equal(input(s)->malformed_prefix, 1);
}

/* gobgp 3 reports its own table without Peer Up. */
TEST(no_peer_up)
{
	struct station *s = *state;
	const struct fcn_pnc_bmp_counters *c;

	announce(s, LOCAL, 0, P101);
	announce(s, LOCAL, 0, P102 "20 c0000207");
	c = input(s);
	assert_learned(s, 3, "10.101.0.0/24", "192.0.2.7/32");
	assert_int_equal(c->unknown_peer, 0);
	withdraw(s, LOCAL, 0, P102);
	input(s);
	assert_learned(s, 2, "10.101.0.0/24", NULL);
	/* Path identifiers are recognised. */
	announce(s, LOCAL, 0, ID1 P102 ID1 "19 0a670080");
	input(s);
	assert_learned(s, 4, "10.102.0.0/24", "10.103.0.128/25");
	withdraw(s, LOCAL, 0, ID1 P102);
	c = input(s);
	assert_learned(s, 3, NULL, NULL);
	assert_int_equal(c->ambiguous, 0);
	assert_told(s, NULL);
	announce(s, LOCAL, 0, "00 01 80 02 00"); /* 0/0, 128/1, 0/2; or 98306 and 0/0 */
	announce(s, LOCAL, 0, "00 01 80 08 0a"); /* 0/0, 128/1, 10/8; neither with identifiers */
	c = input(s);
	assert_int_equal(c->ambiguous, 1);
	assert_told(s, "with and without path identifiers");
	assert_string_equal(memory_proxy(&s->memory, "10.0.0.0/8"), "192.0.2.17");
	assert_string_equal(memory_proxy(&s->memory, "128.0.0.0/1"), "192.0.2.17");
	/* Neither reading is possible. */
	announce(s, LOCAL, 0, "00000001 21 0a65000001");
	c = input(s);
	assert_int_equal(c->malformed_prefix, 1);
	assert_told(s, "malformed");
}

/* A Peer Up that comes later says how to read the table. */
TEST(peer_up_later)
{
	struct station *s = *state;
	struct fcn_pnc_bmp_router_state router;

	announce(s, LOCAL, 0, P101);
	announce(s, LOCAL, 0, P102);
	put_table_up(&s->in, LOCAL, 0, AS4 ADD_PATH("03"), AS4 ADD_PATH("03"));
	announce(s, LOCAL, 0, "00010203 " P101);
	input(s);
	assert_learned(s, 2, "10.101.0.0/24", NULL);
	assert_true(fcn_pnc_bmp_router(s->bmp, 0, &router));
	assert_int_equal(router.peers, 1);
	assert_int_equal(router.stale, 2);
	put_table_down(&s->in, LOCAL, 0);
	input(s);
	assert_learned(s, 0, NULL, NULL);
}

/* Both OPEN messages are the router's own: what it offers there may be the same in both. */
TEST(offers)
{
	static const char *const modes[] = {ADD_PATH("01"), ADD_PATH("02"), ADD_PATH("03")};
	struct station *s = *state;

	for (unsigned int i = 0; i < RTE_DIM(modes); i++) {
		char text[64];

		snprintf(text, sizeof(text), AS4 "%s", modes[i]);
		put_table_up(&s->in, LOCAL, 0, text, text);
		announce(s, LOCAL, 0, ID1 P101);
		input(s);
		assert_learned(s, 1, "10.101.0.0/24", NULL);
		put_table_down(&s->in, LOCAL, 0);
		input(s);
		assert_learned(s, 0, NULL, NULL);
	}
	assert_told(s, NULL);
}

/* FRR 9.0 to 10.2: the Peer Up has the type of a peer of the global table, without address. */
TEST(wrong_type)
{
	struct station *s = *state;
	const struct fcn_pnc_bmp_counters *c;

	put_table_up(&s->in, 0, 0, AS4, AS4);
	announce(s, LOCAL, 0, P101);
	announce(s, LOCAL, 0, P102 "18 0a6700");
	c = input(s);
	assert_int_equal(c->unknown_peer, 0);
	assert_learned(s, 3, "10.101.0.0/24", "10.102.0.0/24");
	/* Its capabilities hold: it has no path identifiers. */
	announce(s, LOCAL, 0, ID1 "18 0a6800");
	assert_int_equal(input(s)->malformed_prefix, 1);
	assert_learned(s, 3, NULL, NULL);
	assert_told(s, "a prefix repeats");
	/* So does its end. */
	put_table_down(&s->in, 0, 0);
	c = input(s);
	assert_learned(s, 0, NULL, NULL);
	assert_int_equal(c->peer_down, 3);
	assert_int_equal(c->unknown_peer, 0);
}

/* The routes of the router itself among those of peers, under a peer without address. */
TEST(no_address)
{
	struct station *s = *state;

	announce(s, POST, 0, P101);
	announce(s, POST, 0, ID1 P102);
	assert_int_equal(input(s)->unknown_peer, 0);
	assert_learned(s, 2, "10.101.0.0/24", "10.102.0.0/24");
	assert_told(s, NULL);
}

/* A real peer has to come up first: after its end, nothing of it is taken. */
TEST(real_peer)
{
	struct station *s = *state;

	announce(s, 0, 1, P101);
	assert_int_equal(input(s)->unknown_peer, 1);
	assert_learned(s, 0, NULL, NULL);
	assert_told(s, "not up");
}

/* FRR before 10.3 gives peers of a VRF the type of global ones, with a distinguisher. */
TEST(vrf)
{
	struct station *s = *state;
	const struct fcn_pnc_bmp_counters *c;

	put_table_up(&s->in, VRF(7u), 1, AS4, AS4);
	announce(s, VRF(7u), 1, P101);
	announce(s, VRF(7u) | LOCAL, 0, P101);
	announce(s, VRF(7u), 0, P101);
	c = input(s);
	assert_learned(s, 0, NULL, NULL);
	assert_int_equal(c->other_table, 4);
	assert_told(s, "other tables");
}
