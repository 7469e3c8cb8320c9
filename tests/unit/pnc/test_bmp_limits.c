/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* What a BMP station does with malformed messages, and at its limits. */

#include "bmp_messages.h"
#include "fcn_pnc_bmp.h"

static struct memory memory;
static struct bytes in, attributes, update;
static struct fcn_addr from;

static struct fcn_pnc_bmp *
create(const struct fcn_pnc_bmp_conf *conf)
{
	struct fcn_pnc_sink sink = memory_sink(&memory);
	struct fcn_pnc_bmp *bmp = fcn_pnc_bmp_create(conf, &sink);

	assert_non_null(bmp);
	memset(&memory, 0, sizeof(memory));
	fcn_addr_parse("192.0.2.254", &from);
	in.len = 0;
	return bmp;
}

static struct fcn_pnc_bmp_session *
begin(struct fcn_pnc_bmp *bmp, const char *name)
{
	struct fcn_pnc_bmp_session *session = fcn_pnc_bmp_open(bmp, &from);

	assert_non_null(session);
	in.len = 0;
	put_initiation(&in, name);
	put_peer_up(&in, 1, "4104 0000fde8", "4104 0000fde8");
	assert_int_equal(fcn_pnc_bmp_input(session, in.data, in.len, 0), FCN_PNC_BMP_GOES_ON);
	in.len = 0;
	return session;
}

static void
input(struct fcn_pnc_bmp_session *session)
{
	assert_int_equal(fcn_pnc_bmp_input(session, in.data, in.len, 0), FCN_PNC_BMP_GOES_ON);
	in.len = 0;
}

static void
announce(struct fcn_pnc_bmp_session *session, unsigned int peer, const char *prefixes)
{
	route4_attributes(&attributes, 0x11, true);
	make_update(&update, "", &attributes, prefixes);
	put_route(&in, peer, 0, &update);
	input(session);
}

/* Each end of a session has its reason. */
TEST(ends)
{
	static const struct {
		const char *before, *bytes;
		enum fcn_pnc_bmp_end end;
	} cases[] = {
			{"", "02", FCN_PNC_BMP_END_VERSION},
			{"", "03 00000005 04", FCN_PNC_BMP_END_LENGTH},
			{"", "03 00040001 04", FCN_PNC_BMP_END_TOO_LONG},
			{"", "03 00000006 05", FCN_PNC_BMP_END_FIRST},
			{"", "03 00000009 04 000200", FCN_PNC_BMP_END_TLV},
			{"", "03 0000000b 04 00020002 72", FCN_PNC_BMP_END_TLV},
			{"03 00000006 04", "03 00000006 05", FCN_PNC_BMP_END_TERMINATED},
			{"03 00000006 04", "03 00000006 00", FCN_PNC_BMP_END_LENGTH},
			{"03 00000006 04", "03 00000007 03 00", FCN_PNC_BMP_END_LENGTH},
			{"03 00000006 04", "fa", FCN_PNC_BMP_END_VERSION},
	};
	struct fcn_pnc_bmp_conf conf = {0};
	struct fcn_pnc_bmp *bmp = create(&conf);
	const struct fcn_pnc_bmp_counters *c = fcn_pnc_bmp_counters(bmp);

	for (unsigned int i = 0; i < 2 * RTE_DIM(cases); i++) {
		struct fcn_pnc_bmp_session *session = fcn_pnc_bmp_open(bmp, &from);
		enum fcn_pnc_bmp_end end = FCN_PNC_BMP_GOES_ON;

		in.len = 0;
		bytes_hex(&in, cases[i / 2].before);
		bytes_hex(&in, cases[i / 2].bytes);
		if (i % 2 == 0)
			end = fcn_pnc_bmp_input(session, in.data, in.len, 0);
		for (size_t at = 0; i % 2 == 1 && at < in.len && end == FCN_PNC_BMP_GOES_ON; at++)
			end = fcn_pnc_bmp_input(session, in.data + at, 1, 0);
		assert_int_equal(end, cases[i / 2].end);
		assert_true(strlen(fcn_pnc_bmp_end_text(end)) > 10);
		fcn_pnc_bmp_close(session, 0);
		fcn_pnc_bmp_tick(bmp, 0);
	}
	assert_int_equal(c->end_VERSION, 4);
	assert_int_equal(c->end_LENGTH, 6);
	assert_int_equal(c->end_TOO_LONG, 2);
	assert_int_equal(c->end_FIRST, 2);
	assert_int_equal(c->end_TLV, 4);
	assert_int_equal(c->end_TERMINATED, 2);
	fcn_pnc_bmp_destroy(bmp);
}

/* Malformed BGP messages are counted, and the session goes on. */
TEST(malformed)
{
	static const struct {
		const char *hex; /* of the UPDATE behind its header */
		size_t counter;
	} cases[] = {
#define COUNTER(name) offsetof(struct fcn_pnc_bmp_counters, name)
			{"", COUNTER(malformed_update)},
			{"0000", COUNTER(malformed_update)},
			{"0001 0000", COUNTER(malformed_update)},
			{"0000 0001", COUNTER(malformed_update)},
			{"0000 0003 400101", COUNTER(malformed_update)},
			{"0000 0003 500100", COUNTER(malformed_update)},
			{"0000 0002 4001", COUNTER(malformed_update)},
			{"0000 0007 800e04 00020110", COUNTER(malformed_update)},
			{"0000 0008 800e05 00020110 00", COUNTER(malformed_update)},
			{"0000 0005 800f02 0002", COUNTER(malformed_update)},
			{"0000 000c 800f03 000201 800f03 000201", COUNTER(malformed_update)},
			{"0000 0010 800e05 0002010000 800e05 0002010000",
					COUNTER(malformed_update)},
			{"0000 0005 400202 0201", COUNTER(malformed_attribute)},
			{"0000 0005 400202 0200", COUNTER(malformed_attribute)},
			{"0000 0009 400206 050100000001", COUNTER(malformed_attribute)},
			{"0000 0006 400303 010203", COUNTER(malformed_attribute)},
			{"0000 0004 400501 01", COUNTER(malformed_attribute)},
			{"0000 000d 800e0a 000201 05 0102030405 00", COUNTER(malformed_attribute)},
			{"0001 18 0000", COUNTER(malformed_prefix)},
			{"0000 0000 21 0102030405", COUNTER(malformed_prefix)},
			{"0000 0000 18 0102", COUNTER(malformed_prefix)},
			{"0000 0008 800f05 000201 8100", COUNTER(malformed_prefix)},
	};
	struct fcn_pnc_bmp_conf conf = {0};
	struct fcn_pnc_bmp *bmp = create(&conf);
	struct fcn_pnc_bmp_session *session = begin(bmp, "r1");
	const char *c = (const char *)fcn_pnc_bmp_counters(bmp);

	for (unsigned int i = 0; i < RTE_DIM(cases); i++) {
		uint64_t before, after;

		memcpy(&before, c + cases[i].counter, sizeof(before));
		update.len = 0;
		bytes_hex(&update, "ffffffff ffffffff ffffffff ffffffff 0000 02");
		bytes_hex(&update, cases[i].hex);
		update.data[17] = (uint8_t)update.len;
		put_route(&in, 1, 0, &update);
		input(session);
		memcpy(&after, c + cases[i].counter, sizeof(after));
		assert_int_equal(after, before + 1);
	}
	assert_int_equal(memory.adds, 0);
	/* A header that is not one, another length, another type. */
	for (unsigned int i = 0; i < 3; i++) {
		make_update(&update, "", NULL, "");
		update.data[(const unsigned int[]){0, 17, 18}[i]]++;
		put_route(&in, 1, 0, &update);
		input(session);
	}
	assert_int_equal(fcn_pnc_bmp_counters(bmp)->malformed_update, 12 + 3);
	/* It goes on. Malformed attributes withdraw what was there. */
	announce(session, 1, "18 c63364");
	assert_int_equal(memory.n, 1);
	route4_attributes(&attributes, 0x11, true);
	bytes_attribute(&attributes, 0x40, 5, "0001");
	make_update(&update, "", &attributes, "18 c63364");
	put_route(&in, 1, 0, &update);
	input(session);
	assert_int_equal(memory.n, 0);
	fcn_pnc_bmp_destroy(bmp);
}

/* Peers whose OPEN messages cannot be read are ignored. */
TEST(open)
{
	struct fcn_pnc_bmp_conf conf = {0};
	struct fcn_pnc_bmp *bmp = create(&conf);
	struct fcn_pnc_bmp_session *session = begin(bmp, "r1");
	const struct fcn_pnc_bmp_counters *c = fcn_pnc_bmp_counters(bmp);

	put_peer_up(&in, 2, "41", "");
	put_peer_up(&in, 2, "", "4105 00000001");
	put_peer_up(&in, 2, "4503 000201", "");
	input(session);
	assert_int_equal(c->malformed_open, 3);
	announce(session, 2, "18 c63364");
	assert_int_equal(c->unknown_peer, 1);
	put_peer_up(&in, 2, "", "0200 4600 450c 0001 01 02 0001 80 03 0019 41 01");
	input(session);
	announce(session, 2, "18 c63364");
	assert_int_equal(memory.n, 1);
	/* Cut anywhere. */
	update.len = 0;
	put_peer_up(&update, 3, "4104 0000fde8", "4104 0000fde8");
	for (size_t len = 48; len < update.len; len++) {
		struct bytes *cut = calloc(1, sizeof(*cut));

		memcpy(cut->data, update.data + 6, len - 6);
		cut->len = len - 6;
		put_message(&in, 3, cut);
		input(session);
		free(cut);
	}
	assert_int_equal(c->malformed_open, 3 + update.len - 48);
	fcn_pnc_bmp_destroy(bmp);
}

/* Tables of VPNs, and what the router sends to others, are not read. */
TEST(other_tables)
{
	struct fcn_pnc_bmp_conf conf = {0};
	struct fcn_pnc_bmp *bmp = create(&conf);
	struct fcn_pnc_bmp_session *session = begin(bmp, "r1");
	const struct fcn_pnc_bmp_counters *c = fcn_pnc_bmp_counters(bmp);

	route4_attributes(&attributes, 0x11, true);
	make_update(&update, "", &attributes, "18 c63364");
	for (unsigned int type = 1; type < 4; type++) {
		put_route(&in, 1, 0, &update);
		in.data[6] = (uint8_t)type;
		in.data[8] = 1; /* distinguisher */
		input(session);
	}
	assert_int_equal(c->other_table, 3);
	put_route(&in, 1, 0x10, &update);
	input(session);
	assert_int_equal(c->sent_routes, 1);
	assert_int_equal(memory.adds, 0);
	/* The router's own table is read; its flag 0x80 has another meaning. */
	put_peer_up(&in, 9, "", "");
	in.data[6] = 3;
	input(session);
	put_route(&in, 9, 0x90, &update);
	in.data[6] = 3;
	input(session);
	assert_int_equal(memory.n, 1);
	fcn_pnc_bmp_destroy(bmp);
}

TEST(limits)
{
	struct fcn_pnc_bmp_conf conf = {
			.routers = 2, .peers = 3, .routes = 4, .paths = 2, .hold_ns = 100};
	struct fcn_pnc_bmp *bmp = create(&conf);
	struct fcn_pnc_bmp_session *one = begin(bmp, "r1"), *two;
	const struct fcn_pnc_bmp_counters *c = fcn_pnc_bmp_counters(bmp);
	uint32_t routes, prefixes;

	fcn_addr_parse("192.0.2.253", &from);
	two = begin(bmp, "r2");
	assert_null(fcn_pnc_bmp_open(bmp, &from));
	assert_int_equal(c->full_sessions, 1);
	for (unsigned int peer = 2; peer < 5; peer++)
		put_peer_up(&in, peer, "", "");
	input(one);
	assert_int_equal(c->full_peers, 1);
	for (unsigned int peer = 1; peer < 4; peer++)
		announce(one, peer, "18 c63364");
	assert_int_equal(c->full_paths, 1);
	/* One router has three quarters at most, so that another one has some. */
	announce(one, 1, "18 c63301 18 c63302 18 c63303 18 c63304");
	assert_int_equal(c->full_share, 3);
	announce(two, 1, "18 c63302 18 c63304");
	assert_int_equal(c->full_routes, 1);
	fcn_pnc_bmp_size(bmp, &routes, &prefixes);
	assert_int_equal(routes, 4);
	assert_int_equal(prefixes, 3);
	assert_int_equal(memory.n, 3);
	/* What is there can still change. */
	announce(one, 1, "18 c63301");
	assert_int_equal(c->full_share, 3);
	/* Routers that have gone are remembered with their routes, so a third one has no room until
	 * one is forgotten.
	 */
	fcn_pnc_bmp_close(two, 0);
	two = fcn_pnc_bmp_open(bmp, &from);
	put_initiation(&in, "r3");
	assert_int_equal(fcn_pnc_bmp_input(two, in.data, in.len, 0), FCN_PNC_BMP_END_ROUTERS);
	fcn_pnc_bmp_close(two, 0);
	assert_int_equal(memory.n, 3);
	fcn_pnc_bmp_tick(bmp, 100);
	two = fcn_pnc_bmp_open(bmp, &from);
	assert_int_equal(fcn_pnc_bmp_input(two, in.data, in.len, 0), FCN_PNC_BMP_GOES_ON);
	fcn_pnc_bmp_close(one, 200);
	fcn_pnc_bmp_tick(bmp, 300);
	assert_int_equal(memory.n, 0);
	fcn_pnc_bmp_size(bmp, &routes, &prefixes);
	assert_int_equal(routes, 0);
	fcn_pnc_bmp_destroy(bmp);
}

/* Whoever connects under many names, and has no routes, leaves room for others. */
TEST(names)
{
	struct fcn_pnc_bmp_conf conf = {.routers = 2, .hold_ns = 100};
	struct fcn_pnc_bmp *bmp = create(&conf);
	struct fcn_pnc_bmp_router_state router;

	for (unsigned int i = 0; i < 5; i++) {
		char name[2] = {(char)('a' + i)};

		fcn_pnc_bmp_close(begin(bmp, name), 0);
		assert_false(fcn_pnc_bmp_router(bmp, 0, &router));
	}
	announce(begin(bmp, "r1"), 1, "18 c63364");
	assert_int_equal(memory.n, 1);
	fcn_pnc_bmp_destroy(bmp);
}

/* A router with many paths to a prefix (ADD-PATH) leaves room for those of others. */
TEST(paths)
{
	struct fcn_pnc_bmp_conf conf = {.paths = 4};
	struct fcn_pnc_bmp *bmp = create(&conf);
	struct fcn_pnc_bmp_session *one = begin(bmp, "r1"), *two;

	fcn_addr_parse("192.0.2.253", &from);
	two = begin(bmp, "r2");
	put_peer_up(&in, 3, "4504 0001 01 01", "4504 0001 01 02");
	input(one);
	announce(one, 3, "00000001 18 c63364 00000002 18 c63364 00000003 18 c63364");
	assert_int_equal(fcn_pnc_bmp_counters(bmp)->full_paths, 0);
	announce(one, 3, "00000004 18 c63364 00000005 18 c63364");
	assert_int_equal(fcn_pnc_bmp_counters(bmp)->full_paths, 2);
	announce(two, 1, "18 c63364");
	assert_int_equal(fcn_pnc_bmp_counters(bmp)->full_paths, 2);
	fcn_pnc_bmp_destroy(bmp);
}

/* Many random routes come and go; what is reported is what a plain model says. */
TEST(churn)
{
	struct fcn_pnc_bmp_conf conf = {.secret = 7};
	struct fcn_pnc_bmp *bmp = create(&conf);
	struct fcn_pnc_bmp_session *session = begin(bmp, "r1");
	static bool has[4][256];
	uint64_t seed = 1;

	memset(has, 0, sizeof(has));
	for (unsigned int peer = 2; peer < 5; peer++)
		put_peer_up(&in, peer, "", "");
	input(session);
	for (unsigned int i = 0; i < 20000; i++) {
		uint64_t r = fcn_test_random(&seed);
		unsigned int peer = r & 3, net = r >> 8 & 0xFF;
		unsigned int best = 0, n = 0;
		char text[32], prefix[FCN_PREFIX_STRLEN];

		snprintf(text, sizeof(text), "18 c633%02x", net);
		has[peer][net] = (r & 0x10) != 0;
		route4_attributes(&attributes, peer + 1, true);
		if (has[peer][net])
			make_update(&update, "", &attributes, text);
		else
			make_update(&update, text, NULL, "");
		put_route(&in, peer + 1, 0, &update);
		input(session);
		while (best < 4 && !has[best][net])
			best++;
		snprintf(text, sizeof(text), "192.0.2.%u", best + 1);
		snprintf(prefix, sizeof(prefix), "198.51.%u.0/24", net);
		assert_string_equal(memory_proxy(&memory, prefix), best < 4 ? text : "-");
		for (unsigned int k = 0; k < 256; k++)
			n += has[0][k] || has[1][k] || has[2][k] || has[3][k];
		assert_int_equal(memory.n, n);
	}
	fcn_pnc_bmp_destroy(bmp);
}

/* Sessions of one address that end and give another name each time do not take the room of the
 * routers of other addresses. */
TEST(names_of_one_address)
{
	struct fcn_pnc_bmp_conf conf = {.routers = 8, .hold_ns = 100};
	struct fcn_pnc_bmp *bmp = create(&conf);
	struct fcn_pnc_bmp_session *session;

	for (unsigned int i = 0; i < 10; i++) {
		char name[] = "r0";

		name[1] = (char)('0' + i);
		session = fcn_pnc_bmp_open(bmp, &from);
		assert_non_null(session);
		put_initiation(&in, name);
		put_peer_up(&in, 1, "4104 0000fde8", "4104 0000fde8");
		assert_int_equal(fcn_pnc_bmp_input(session, in.data, in.len, 0),
				i < 6 ? FCN_PNC_BMP_GOES_ON : FCN_PNC_BMP_END_ROUTERS);
		in.len = 0;
		if (i < 6)
			announce(session, 1, "18 c63364");
		fcn_pnc_bmp_close(session, 0);
	}
	assert_int_equal(fcn_pnc_bmp_counters(bmp)->end_ROUTERS, 4);
	fcn_addr_parse("192.0.2.253", &from);
	begin(bmp, "r0");
	/* The time of the routes ends, and there is room again. */
	fcn_pnc_bmp_tick(bmp, 100);
	fcn_addr_parse("192.0.2.254", &from);
	begin(bmp, "r9");
	fcn_pnc_bmp_destroy(bmp);
}

/* Nor do they take the room of the routes of other addresses. */
TEST(routes_of_one_address)
{
	struct fcn_pnc_bmp_conf conf = {.routers = 4, .routes = 8, .hold_ns = 100};
	struct fcn_pnc_bmp *bmp = create(&conf);
	struct fcn_pnc_bmp_session *one = begin(bmp, "r1"), *two = begin(bmp, "r2"), *other;
	const struct fcn_pnc_bmp_counters *c = fcn_pnc_bmp_counters(bmp);
	uint32_t routes, prefixes;

	fcn_addr_parse("192.0.2.253", &from);
	other = begin(bmp, "r1");
	announce(one, 1, "18 c63301 18 c63302 18 c63303 18 c63304");
	announce(two, 1, "18 c63305 18 c63306 18 c63307 18 c63308");
	assert_int_equal(c->full_share, 2);
	announce(other, 1, "18 c63307 18 c63308");
	assert_int_equal(c->full_routes, 0);
	fcn_pnc_bmp_size(bmp, &routes, &prefixes);
	assert_int_equal(routes, 8);
	assert_int_equal(prefixes, 8);
	/* When the routes of a router have gone, the other one of its address has its room. */
	fcn_pnc_bmp_close(one, 0);
	fcn_pnc_bmp_tick(bmp, 100);
	announce(two, 1, "18 c63301 18 c63302 18 c63303 18 c63304");
	assert_int_equal(c->full_share, 2);
	fcn_pnc_bmp_size(bmp, &routes, &prefixes);
	assert_int_equal(routes, 8);
	fcn_pnc_bmp_destroy(bmp);
}

/* Two addresses have taken all the room: a router of a third one gets some of the address that has
 * most, and that one's kept routes are forgotten. */
TEST(room_for_a_third_address)
{
	struct fcn_pnc_bmp_conf conf = {.routers = 4, .hold_ns = 1000};
	struct fcn_pnc_bmp *bmp = create(&conf);
	const struct fcn_pnc_bmp_counters *c = fcn_pnc_bmp_counters(bmp);
	struct fcn_pnc_bmp_session *session;

	for (unsigned int i = 0; i < 3; i++) {
		char name[] = "r0", prefix[] = "18 c63300";

		name[1] = (char)('0' + i);
		prefix[8] = (char)('0' + i);
		session = begin(bmp, name);
		announce(session, 1, prefix);
		fcn_pnc_bmp_close(session, i);
	}
	fcn_addr_parse("192.0.2.253", &from);
	announce(begin(bmp, "r0"), 1, "18 c63309");
	assert_int_equal(memory.n, 4);
	fcn_addr_parse("192.0.2.252", &from);
	announce(begin(bmp, "r0"), 1, "18 c6330a");
	assert_int_equal(c->made_room, 1);
	assert_int_equal(c->end_ROUTERS, 0);
	assert_string_equal(memory_proxy(&memory, "198.51.0.0/24"), "-"); /* the oldest one's */
	assert_int_equal(memory.n, 4);
	/* Of equal ones, none makes room for another. */
	fcn_addr_parse("192.0.2.251", &from);
	begin(bmp, "r0");
	assert_int_equal(c->made_room, 2);
	fcn_addr_parse("192.0.2.250", &from);
	session = fcn_pnc_bmp_open(bmp, &from);
	assert_non_null(session);
	put_initiation(&in, "r0");
	assert_int_equal(fcn_pnc_bmp_input(session, in.data, in.len, 0), FCN_PNC_BMP_END_ROUTERS);
	in.len = 0;
	assert_int_equal(c->made_room, 2);
	fcn_pnc_bmp_destroy(bmp);
	fcn_addr_parse("192.0.2.254", &from);
}
