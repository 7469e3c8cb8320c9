/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* What a BMP station learns from routers: routes, withdrawals, ends, the best of several. */

#include "bmp_messages.h"
#include "fcn_pnc_bmp.h"

#define SECOND UINT64_C(1000000000)
#define HOLD (100 * SECOND)
#define PREFIX_A "30 20010db8 000a" /* 2001:db8:a::/48 */
#define PREFIX_B "30 20010db8 000b"
#define A "2001:db8:a::/48"
#define B "2001:db8:b::/48"
#define V4 "198.51.100.0/24"

struct station {
	struct fcn_pnc_bmp *bmp;
	struct memory memory;
	struct fcn_addr from;
	struct bytes in, attributes, update;
};

static int
setup(void **state)
{
	struct fcn_pnc_bmp_conf conf = {.hold_ns = HOLD};
	struct station *s = calloc(1, sizeof(*s));
	struct fcn_pnc_sink sink;

	if (s == NULL)
		return -1;
	sink = memory_sink(&s->memory);
	s->bmp = fcn_pnc_bmp_create(&conf, &sink);
	fcn_addr_parse("192.0.2.254", &s->from);
	*state = s;
	return s->bmp == NULL;
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
count(const struct station *s)
{
	return fcn_pnc_bmp_counters(s->bmp);
}

/* Give the station what is in s->in. */
static void
input(struct station *s, struct fcn_pnc_bmp_session *session, uint64_t now)
{
	assert_int_equal(fcn_pnc_bmp_input(session, s->in.data, s->in.len, now),
			FCN_PNC_BMP_GOES_ON);
	s->in.len = 0;
}

/* A session with peers 1 and 2 up. */
static struct fcn_pnc_bmp_session *
begin(struct station *s, const char *name, uint64_t now)
{
	struct fcn_pnc_bmp_session *session = fcn_pnc_bmp_open(s->bmp, &s->from);

	assert_non_null(session);
	assert_false(fcn_pnc_bmp_is_initiated(session));
	s->in.len = 0;
	put_initiation(&s->in, name);
	put_peer_up(&s->in, 1, "4104 0000fde8", "4104 0000fde8");
	put_peer_up(&s->in, 2, "4104 0000fde8", "4104 0000fde8");
	input(s, session, now);
	assert_true(fcn_pnc_bmp_is_initiated(session));
	return session;
}

static void
announce6(struct station *s, unsigned int peer, unsigned int hop, const char *prefixes,
		bool has_pnc)
{
	route6_attributes(&s->attributes, hop, prefixes, has_pnc);
	make_update(&s->update, "", &s->attributes, "");
	put_route(&s->in, peer, 0, &s->update);
}

static void
withdraw6(struct station *s, unsigned int peer, const char *prefixes)
{
	char text[256];

	s->attributes.len = 0;
	snprintf(text, sizeof(text), "0002 01 %s", prefixes);
	bytes_attribute(&s->attributes, 0x80, 15, text);
	make_update(&s->update, "", &s->attributes, "");
	put_route(&s->in, peer, 0, &s->update);
}

static void
announce4(struct station *s, unsigned int peer, unsigned int hop, const char *prefixes,
		bool has_pnc)
{
	route4_attributes(&s->attributes, hop, has_pnc);
	make_update(&s->update, "", &s->attributes, prefixes);
	put_route(&s->in, peer, 0, &s->update);
}

TEST(routes)
{
	struct station *s = *state;
	struct fcn_pnc_bmp_session *session = begin(s, "r1", 0);

	announce6(s, 1, 0x11, PREFIX_A PREFIX_B, true);
	announce4(s, 1, 0x11, "18 c63364", true);
	announce6(s, 1, 0x11, "30 20010db8 000c", false);
	input(s, session, 0);
	assert_int_equal(s->memory.n, 3);
	assert_string_equal(memory_proxy(&s->memory, A), "2001:db8:ff::11");
	assert_string_equal(memory_proxy(&s->memory, B), "2001:db8:ff::11");
	assert_string_equal(memory_proxy(&s->memory, V4), "192.0.2.17");
	assert_int_equal(memory_expires(&s->memory, A), UINT64_MAX);
	/* Another next hop; then without the attribute; then withdrawn. */
	announce6(s, 1, 0x12, PREFIX_A, true);
	announce6(s, 1, 0x11, PREFIX_B, false);
	input(s, session, 0);
	assert_string_equal(memory_proxy(&s->memory, A), "2001:db8:ff::12");
	assert_string_equal(memory_proxy(&s->memory, B), "-");
	withdraw6(s, 1, PREFIX_A);
	make_update(&s->update, "18 c63364", NULL, "");
	put_route(&s->in, 1, 0, &s->update);
	input(s, session, 0);
	assert_int_equal(s->memory.n, 0);
	assert_int_equal(count(s)->learned, 4);
	assert_int_equal(count(s)->withdrawn, 3);
	/* The same again changes nothing, and the sink is not told. */
	announce6(s, 1, 0x12, PREFIX_A, true);
	announce6(s, 1, 0x12, PREFIX_A, true);
	input(s, session, 0);
	assert_int_equal(s->memory.adds, 5);
}

/* The attribute has to be for the next hop of the route, and to be sound. */
TEST(attribute)
{
	static const struct {
		unsigned int flags;
		const char *nhc;
		bool learned;
	} cases[] = {
			{0xc0, "0001 01 04 c0000211 ffdc 0000", true},
			{0xe0, "0001 01 04 c0000211 ffdc 0000", true},
			{0xd0, "0001 01 04 c0000211 ffdc 0000", true},
			{0xc0, "0001 01 04 c0000211 0001 0000 ffdc 0000", true},
			{0x80, "0001 01 04 c0000211 ffdc 0000", false},
			{0x40, "0001 01 04 c0000211 ffdc 0000", false},
			{0xc0, "0001 01 04 c0000212 ffdc 0000", false}, /* another next hop */
			{0xc0, "0002 01 04 c0000211 ffdc 0000", false}, /* another family */
			{0xc0, "0001 02 04 c0000211 ffdc 0000", false}, /* multicast */
			{0xc0, "0001 01 04 c0000211 ffdb 0000", false}, /* another code */
			{0xc0, "0001 01 04 c0000211 ffdc 0001 00", false},
			{0xc0, "0001 01 04 c0000211", false},
			{0xc0, "", false},
	};
	struct station *s = *state;
	struct fcn_pnc_bmp_session *session = begin(s, "r1", 0);

	for (unsigned int i = 0; i < RTE_DIM(cases); i++) {
		route4_attributes(&s->attributes, 0x11, false);
		bytes_attribute(&s->attributes, cases[i].flags, 39, cases[i].nhc);
		make_update(&s->update, "", &s->attributes, "18 c63364");
		put_route(&s->in, 1, 0, &s->update);
		input(s, session, 0);
		assert_string_equal(memory_proxy(&s->memory, V4),
				cases[i].learned ? "192.0.2.17" : "-");
	}
	assert_int_equal(count(s)->nhc_flags, 2);
	assert_int_equal(count(s)->nhc_next_hop, 3);
	assert_int_equal(count(s)->nhc_malformed, 3);
	/* The first of two counts. */
	route4_attributes(&s->attributes, 0x11, true);
	bytes_attribute(&s->attributes, 0xc0, 39, "0001 01 04 c0000212 ffdc 0000");
	make_update(&s->update, "", &s->attributes, "18 c63364");
	put_route(&s->in, 1, 0, &s->update);
	input(s, session, 0);
	assert_string_equal(memory_proxy(&s->memory, V4), "192.0.2.17");
	assert_int_equal(count(s)->nhc_repeated, 1);
}

/* A next hop or a prefix that nobody has. */
TEST(addresses)
{
	struct station *s = *state;
	struct fcn_pnc_bmp_session *session = begin(s, "r1", 0);

	s->attributes.len = 0;
	bytes_attribute(&s->attributes, 0x40, 3, "7f000001");
	bytes_attribute(&s->attributes, 0xc0, 39, "0001 01 04 7f000001 ffdc 0000");
	make_update(&s->update, "", &s->attributes, "18 c63364");
	put_route(&s->in, 1, 0, &s->update);
	announce4(s, 1, 0x11, "00", true);      /* the default route */
	announce4(s, 1, 0x11, "04 e0", true);   /* multicast */
	announce6(s, 1, 0x11, "0a fe80", true); /* link-local */
	announce6(s, 1, 0x11, "08 ff", true);
	input(s, session, 0);
	assert_int_equal(s->memory.n, 0);
	assert_int_equal(count(s)->bad_proxy, 1);
	assert_int_equal(count(s)->bad_prefix, 4);
	/* Bits behind the prefix have no meaning. */
	announce4(s, 1, 0x11, "16 c63367", true);
	input(s, session, 0);
	assert_string_equal(memory_proxy(&s->memory, "198.51.100.0/22"), "192.0.2.17");
}

/* The best of the routes of several peers and views is the one that is reported. */
TEST(best)
{
	struct station *s = *state;
	struct fcn_pnc_bmp_session *session = begin(s, "r1", 0);

	announce6(s, 2, 0x22, PREFIX_A, true);
	announce6(s, 1, 0x11, PREFIX_A, true); /* the lower identifier */
	input(s, session, 0);
	assert_string_equal(memory_proxy(&s->memory, A), "2001:db8:ff::11");
	/* A higher LOCAL_PREF, although its AS_PATH is longer. */
	s->attributes.len = 0;
	bytes_attribute(&s->attributes, 0x40, 2, "02 02 00000001 00000002");
	bytes_attribute(&s->attributes, 0x40, 5, "00000065");
	bytes_attribute(&s->attributes, 0x80, 14,
			"0002 01 10 20010db8 00ff0000 00000000 00000022 00 " PREFIX_A);
	bytes_attribute(&s->attributes, 0xc0, 39,
			"0002 01 10 20010db8 00ff0000 00000000 00000022 ffdc 0000");
	make_update(&s->update, "", &s->attributes, "");
	put_route(&s->in, 2, 0, &s->update);
	input(s, session, 0);
	assert_string_equal(memory_proxy(&s->memory, A), "2001:db8:ff::22");
	/* The same router after its policy says otherwise. */
	route6_attributes(&s->attributes, 0x13, PREFIX_A, true);
	make_update(&s->update, "", &s->attributes, "");
	put_route(&s->in, 1, 0x40, &s->update);
	input(s, session, 0);
	assert_string_equal(memory_proxy(&s->memory, A), "2001:db8:ff::13");
	/* A withdrawal of one view, of one peer. */
	s->attributes.len = 0;
	bytes_attribute(&s->attributes, 0x80, 15, "0002 01 " PREFIX_A);
	make_update(&s->update, "", &s->attributes, "");
	put_route(&s->in, 1, 0x40, &s->update);
	input(s, session, 0);
	assert_string_equal(memory_proxy(&s->memory, A), "2001:db8:ff::22");
	withdraw6(s, 2, PREFIX_A);
	input(s, session, 0);
	assert_string_equal(memory_proxy(&s->memory, A), "2001:db8:ff::11");
	/* A shorter AS_PATH is better, whatever the width of its numbers. */
	s->attributes.len = 0;
	bytes_attribute(&s->attributes, 0x40, 2, "02 03 0001 0002 0003");
	bytes_attribute(&s->attributes, 0x80, 14,
			"0002 01 10 20010db8 00ff0000 00000000 00000014 00 " PREFIX_A);
	bytes_attribute(&s->attributes, 0xc0, 39,
			"0002 01 10 20010db8 00ff0000 00000000 00000014 ffdc 0000");
	make_update(&s->update, "", &s->attributes, "");
	put_route(&s->in, 1, 0x20, &s->update);
	announce6(s, 2, 0x22, PREFIX_A, true);
	input(s, session, 0);
	assert_int_equal(count(s)->malformed_attribute, 0);
	assert_string_equal(memory_proxy(&s->memory, A), "2001:db8:ff::22");
	put_peer_down(&s->in, 2);
	input(s, session, 0);
	assert_string_equal(memory_proxy(&s->memory, A), "2001:db8:ff::14");
	put_peer_down(&s->in, 1);
	input(s, session, 0);
	assert_int_equal(s->memory.n, 0);
	assert_int_equal(count(s)->peer_down, 2);
	/* What comes for a peer that is down is not taken. */
	announce6(s, 1, 0x11, PREFIX_A, true);
	input(s, session, 0);
	assert_int_equal(s->memory.n, 0);
	assert_int_equal(count(s)->unknown_peer, 1);
}

/* Routes stay for a time when a session ends, and longer if they are reported again. */
TEST(session_end)
{
	struct station *s = *state;
	struct fcn_pnc_bmp_session *session = begin(s, "r1", 0);
	struct fcn_pnc_bmp_router_state router;

	announce6(s, 1, 0x11, PREFIX_A PREFIX_B, true);
	announce4(s, 1, 0x11, "18 c63364", true);
	input(s, session, 0);
	fcn_pnc_bmp_close(session, 10 * SECOND);
	assert_int_equal(s->memory.n, 3);
	assert_int_equal(memory_expires(&s->memory, A), 10 * SECOND + HOLD);
	assert_true(fcn_pnc_bmp_router(s->bmp, 0, &router));
	assert_string_equal(router.name, "r1");
	assert_false(router.is_connected);
	assert_int_equal(router.stale, 3);
	assert_int_equal(router.until_ns, 10 * SECOND + HOLD);
	fcn_pnc_bmp_tick(s->bmp, 9 * SECOND + HOLD);
	assert_int_equal(s->memory.n, 3);
	/* It comes back. What it says of a peer before that is up does not count. */
	session = fcn_pnc_bmp_open(s->bmp, &s->from);
	put_initiation(&s->in, "r1");
	announce6(s, 1, 0x13, PREFIX_A, true);
	input(s, session, 15 * SECOND);
	assert_int_equal(count(s)->unknown_peer, 1);
	assert_string_equal(memory_proxy(&s->memory, A), "2001:db8:ff::11");
	fcn_pnc_bmp_close(session, 10 * SECOND);
	/* It comes back. A is reported again, and then the whole IPv6 table has been. */
	session = begin(s, "r1", 20 * SECOND);
	announce6(s, 1, 0x11, PREFIX_A, true);
	input(s, session, 20 * SECOND);
	assert_int_equal(memory_expires(&s->memory, A), UINT64_MAX);
	assert_int_equal(memory_expires(&s->memory, B), 10 * SECOND + HOLD);
	withdraw6(s, 1, "");
	input(s, session, 20 * SECOND);
	assert_string_equal(memory_proxy(&s->memory, B), "-");
	assert_string_equal(memory_proxy(&s->memory, V4), "192.0.2.17");
	make_update(&s->update, "", NULL, "");
	put_route(&s->in, 1, 0, &s->update);
	input(s, session, 20 * SECOND);
	assert_string_equal(memory_proxy(&s->memory, V4), "-");
	assert_string_equal(memory_proxy(&s->memory, A), "2001:db8:ff::11");
	assert_int_equal(count(s)->expired, 2);
	assert_false(fcn_pnc_bmp_router(s->bmp, 1, &router));
	/* Its time is over without an end of the table. */
	fcn_pnc_bmp_close(session, 30 * SECOND);
	session = begin(s, "r1", 40 * SECOND);
	fcn_pnc_bmp_tick(s->bmp, 30 * SECOND + HOLD - 1);
	assert_int_equal(s->memory.n, 1);
	fcn_pnc_bmp_tick(s->bmp, 30 * SECOND + HOLD);
	assert_int_equal(s->memory.n, 0);
	fcn_pnc_bmp_close(session, 40 * SECOND);
	fcn_pnc_bmp_tick(s->bmp, 40 * SECOND + HOLD);
	assert_false(fcn_pnc_bmp_router(s->bmp, 0, &router));
}

/* A session that reports nothing, however often, does not make routes stay longer. */
TEST(no_longer)
{
	struct station *s = *state;
	struct fcn_pnc_bmp_session *session = begin(s, "r1", 0);

	announce6(s, 1, 0x11, PREFIX_A, true);
	input(s, session, 0);
	fcn_pnc_bmp_close(session, 10 * SECOND);
	session = begin(s, "r1", 12 * SECOND);
	announce6(s, 1, 0x11, PREFIX_B, true);
	input(s, session, 12 * SECOND);
	fcn_pnc_bmp_close(session, 14 * SECOND);
	assert_int_equal(memory_expires(&s->memory, A), 10 * SECOND + HOLD);
	assert_int_equal(memory_expires(&s->memory, B), 14 * SECOND + HOLD);
	fcn_pnc_bmp_tick(s->bmp, 10 * SECOND + HOLD);
	assert_string_equal(memory_proxy(&s->memory, A), "-");
	assert_string_equal(memory_proxy(&s->memory, B), "2001:db8:ff::11");
	fcn_pnc_bmp_tick(s->bmp, 14 * SECOND + HOLD);
	assert_int_equal(s->memory.n, 0);
}

/* Another router has the same prefix, and the first one's goes. */
TEST(routers)
{
	struct station *s = *state;
	struct fcn_pnc_bmp_session *one = begin(s, "r1", 0), *two = begin(s, "r2", 0);

	announce6(s, 1, 0x11, PREFIX_A, true);
	input(s, one, 0);
	announce6(s, 1, 0x12, PREFIX_A, true);
	input(s, two, 0);
	assert_string_equal(memory_proxy(&s->memory, A), "2001:db8:ff::11");
	/* A stale route is not used while there is another. */
	fcn_pnc_bmp_close(one, SECOND);
	assert_string_equal(memory_proxy(&s->memory, A), "2001:db8:ff::12");
	assert_int_equal(memory_expires(&s->memory, A), UINT64_MAX);
	fcn_pnc_bmp_close(two, 2 * SECOND);
	assert_string_equal(memory_proxy(&s->memory, A), "2001:db8:ff::12");
	assert_int_equal(memory_expires(&s->memory, A), 2 * SECOND + HOLD);
	fcn_pnc_bmp_tick(s->bmp, 2 * SECOND + HOLD);
	assert_int_equal(s->memory.n, 0);
	assert_int_equal(count(s)->expired, 2);
}

/* ADD-PATH where the peer sends and the router receives. */
TEST(add_path)
{
	struct station *s = *state;
	struct fcn_pnc_bmp_session *session = begin(s, "r1", 0);

	put_peer_up(&s->in, 3, "4104 0000fde8 4504 0002 01 01", "4504 0002 01 03 4104 0000fde8");
	put_peer_up(&s->in, 4, "4504 0002 01 02", "4504 0002 01 02"); /* both only send */
	announce6(s, 3, 0x11, "00000001 " PREFIX_A "00000002 " PREFIX_B, true);
	announce6(s, 3, 0x12, "00000007 " PREFIX_A, true);
	announce6(s, 4, 0x14, "30 20010db8 000d", true);
	input(s, session, 0);
	assert_int_equal(s->memory.n, 3);
	assert_string_equal(memory_proxy(&s->memory, A), "2001:db8:ff::11");
	assert_string_equal(memory_proxy(&s->memory, "2001:db8:d::/48"), "2001:db8:ff::14");
	withdraw6(s, 3, "00000001 " PREFIX_A);
	input(s, session, 0);
	assert_string_equal(memory_proxy(&s->memory, A), "2001:db8:ff::12");
	withdraw6(s, 3, "00000009 " PREFIX_A);
	input(s, session, 0);
	assert_string_equal(memory_proxy(&s->memory, A), "2001:db8:ff::12");
	withdraw6(s, 3, "00000007 " PREFIX_A);
	input(s, session, 0);
	assert_string_equal(memory_proxy(&s->memory, A), "-");
}

/* The stream can be cut anywhere; other messages are passed over. */
TEST(stream)
{
	struct station *s = *state;
	struct fcn_pnc_bmp_session *session = begin(s, "r1", 0);
	struct bytes *body = calloc(1, sizeof(*body)), *all = calloc(1, sizeof(*all));

	bytes_hex(body, "0011223344");
	for (unsigned int type = 0; type < 3; type++) {
		put_message(all, (const unsigned int[]){1, 6, 99}[type], body);
		announce6(s, 1, 0x11 + type, PREFIX_A, true);
		bytes_add(all, &s->in);
		s->in.len = 0;
	}
	for (size_t step = 1; step < all->len; step += step < 70 ? 1 : 37) {
		uint64_t learned = count(s)->learned;

		for (size_t at = 0; at < all->len; at += step)
			assert_int_equal(fcn_pnc_bmp_input(session, all->data + at,
							 RTE_MIN(step, all->len - at), 0),
					FCN_PNC_BMP_GOES_ON);
		assert_int_equal(count(s)->learned, learned + 3);
	}
	assert_string_equal(memory_proxy(&s->memory, A), "2001:db8:ff::13");
	assert_int_equal(count(s)->unknown_message, count(s)->learned / 3);
	assert_int_equal(count(s)->other_message, 2 * count(s)->learned / 3);
	free(body);
	free(all);
}
