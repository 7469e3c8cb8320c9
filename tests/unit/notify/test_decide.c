/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Who is notified, who is marked, and under which name it is counted. */

#include "notify_util.h"

/* Every packet a notice is due for asks for the same; these call for none. */
static void
ineligible(struct packet *p, enum fcn_notify_verdict v)
{
	packet_roce(p, 1, 2, 3);
	switch (v) {
	case FCN_NOTIFY_NOT_ROCE:
		p->f.data[p->f.udp + 3] = 0; /* another port */
		break;
	case FCN_NOTIFY_NOT_DATA:
		p->f.data[p->f.udp + 8] = 0x11;
		break;
	case FCN_NOTIFY_IPV4:
		frame_ether(&p->f, 0x0800);
		frame_ip4(&p->f, 17, 20);
		frame_roce(&p->f, 64);
		break;
	case FCN_NOTIFY_TUNNELLED:
		frame_ether(&p->f, 0x86DD);
		frame_ip6(&p->f, 41);
		frame_ip6(&p->f, 17);
		frame_roce(&p->f, 64);
		break;
	case FCN_NOTIFY_SOURCE:
		memset(p->f.data + 14 + 8, 0, 16);
		break;
	default:
		fail();
	}
	packet_parse(p);
}

TEST_FIXTURE(FCN_TEST_EAL, .setup = notify_setup, .teardown = notify_teardown);

TEST(eligibility)
{
	static const enum fcn_notify_verdict all[] = {FCN_NOTIFY_NOT_ROCE, FCN_NOTIFY_NOT_DATA,
			FCN_NOTIFY_IPV4, FCN_NOTIFY_TUNNELLED, FCN_NOTIFY_SOURCE};
	struct packet p;

	for (size_t i = 0; i < RTE_DIM(all); i++) {
		ineligible(&p, all[i]);
		assert_int_equal(decide_on(&p, 3, 0), all[i]);
		assert_int_equal(count_of(3, all[i]), 1);
	}
	/* Acknowledgements of every transport, and all that is CNP. */
	for (unsigned int opcode = 0; opcode < 256; opcode++) {
		bool ack = (opcode & 0x1F) == 0x11 || (opcode & 0x1F) == 0x12;
		bool cnp = opcode >> 5 == 4;

		packet_roce(&p, 1, 2, opcode);
		p.f.data[p.f.udp + 8] = opcode;
		packet_parse(&p);
		if (opcode == 0x81) /* not 40 octets of UDP */
			assert_int_equal(decide_on(&p, 0, 0), FCN_NOTIFY_NOT_ROCE);
		else
			assert_int_equal(decide_on(&p, 0, 0),
					ack || cnp ? FCN_NOTIFY_NOT_DATA : FCN_FASTCNP_SENT_OPT1);
	}
	/* A CNP as it should be. */
	frame_ether(&p.f, 0x86DD);
	frame_ip6(&p.f, 17);
	frame_roce(&p.f, 16);
	p.f.data[p.f.udp + 8] = 0x81;
	packet_parse(&p);
	assert_true(p.info.flags & FCN_PKT_ROCE);
	assert_int_equal(decide_on(&p, 0, 0), FCN_NOTIFY_NOT_DATA);
	/* Multicast and unspecified sources; link-local ones can be answered in a bridge. */
	packet_roce(&p, 1, 2, 3);
	p.f.data[14 + 8] = 0xFF;
	assert_int_equal(decide_on(&p, 0, 0), FCN_NOTIFY_SOURCE);
	memset(p.f.data + 14 + 8, 0, 16);
	p.f.data[14 + 8] = 0xFE;
	p.f.data[14 + 9] = 0x80;
	p.f.data[14 + 8 + 15] = 1;
	assert_int_equal(decide_on(&p, 0, 0), FCN_FASTCNP_SENT_OPT1);
	/* The loopback address, addresses of IPv4, and the switch itself. */
	memset(p.f.data + 14 + 8, 0, 16);
	p.f.data[14 + 8 + 15] = 1;
	assert_int_equal(decide_on(&p, 0, 0), FCN_NOTIFY_SOURCE);
	p.f.data[14 + 8 + 10] = 0xFF;
	p.f.data[14 + 8 + 11] = 0xFF;
	p.f.data[14 + 8 + 12] = 192;
	assert_int_equal(decide_on(&p, 0, 0), FCN_NOTIFY_SOURCE);
	memcpy(p.f.data + 14 + 8, fastcnp.fastcnp.conf.source, 16);
	assert_int_equal(decide_on(&p, 0, 0), FCN_NOTIFY_SOURCE);
}

/* What the packet meets, beside its sender's capability and the switches. */
static const enum fcn_notify_verdict reasons[] = {FCN_FASTCNP_SENT_OPT1, FCN_NOTIFY_INTERVAL,
		FCN_NOTIFY_LIGHT_FLOW, FCN_NOTIFY_BUCKET_QUEUE, FCN_NOTIFY_BUCKET_GLOBAL,
		FCN_NOTIFY_BUCKET_DESTINATION, FCN_NOTIFY_BUCKET_LINK, FCN_NOTIFY_NO_MBUF,
		FCN_NOTIFY_UNREACHABLE, FCN_NOTIFY_NOT_ROCE, FCN_NOTIFY_NOT_DATA, FCN_NOTIFY_IPV4,
		FCN_NOTIFY_TUNNELLED, FCN_NOTIFY_SOURCE};

/* The rules of fcn_notify.h as a table. */
static struct decision
rule(enum fcn_sender_capability cap, bool notices, bool ecn, enum fcn_notify_verdict reason)
{
	struct decision d = {.verdict = reason, .mark = ecn};

	if (!notices)
		d.verdict = FCN_NOTIFY_NONE;
	else if (reason < FCN_NOTIFY_SENDER_NONE)
		return d; /* no notice for such a packet: ECN as ever */
	else if (cap == FCN_SENDER_NONE)
		d.verdict = FCN_NOTIFY_SENDER_NONE;
	else if (reason == FCN_FASTCNP_SENT_OPT1)
		d.mark = ecn && cap == FCN_SENDER_UNKNOWN && fastcnp.mark_unknown;
	else if (reason == FCN_NOTIFY_INTERVAL &&
			(cap == FCN_SENDER_CAPABLE || !fastcnp.mark_unknown))
		d.mark = false;
	return d;
}

/* Bring the state to where the reason holds at now = 1000, for flow 1 -> 2, QP 3 on port 5. */
static enum fcn_notify_verdict
arrange(enum fcn_notify_verdict reason, struct packet *p)
{
	struct packet other;

	fcn_notify_state_fini(&notify[0]);
	memset(&notify[0], 0, sizeof(notify[0]));
	assert_int_equal(fcn_notify_state_init(&notify[0], 64, 64, SOCKET_ID_ANY), 0);
	conf.kind[0].interval_ns = 4000;
	set_queue_bucket(0, 1);
	conf.kind[0].global_cost_ns = conf.kind[0].dest_cost_ns = 0;
	packet_roce(p, 1, 2, 3);
	if (reason < FCN_NOTIFY_SENDER_NONE) {
		ineligible(p, reason);
	} else if (reason == FCN_NOTIFY_INTERVAL) {
		fastcnp.default_capability = FCN_SENDER_UNKNOWN;
		assert_int_equal(decide_on(p, 5, 0), FCN_FASTCNP_SENT_OPT1);
	} else if (reason == FCN_NOTIFY_BUCKET_QUEUE || reason == FCN_NOTIFY_BUCKET_GLOBAL ||
			reason == FCN_NOTIFY_BUCKET_DESTINATION) {
		if (reason == FCN_NOTIFY_BUCKET_QUEUE)
			set_queue_bucket(5000, 1);
		else if (reason == FCN_NOTIFY_BUCKET_GLOBAL)
			conf.kind[0].global_cost_ns = 5000;
		else
			conf.kind[0].dest_cost_ns = 5000;
		fastcnp.default_capability = FCN_SENDER_UNKNOWN;
		packet_roce(&other, 1, 2, 4);
		assert_int_equal(decide_on(&other, 5, 0), FCN_FASTCNP_SENT_OPT1);
	} else if (reason != FCN_FASTCNP_SENT_OPT1) {
		return reason;
	}
	return FCN_NOTIFY_NONE;
}

/* Counted on its queue, the one of class 3 on port 5, unless nothing was asked; on no other. */
static void
assert_counted_once(enum fcn_notify_verdict want)
{
	for (unsigned int port = 0; port < FCN_MAX_PORTS; port++) {
		for (unsigned int c = 0; c < FCN_NOTIFY_CLASSES; c++) {
			for (unsigned int v = 0; v < FCN_NOTIFY_VERDICT_COUNT; v++)
				assert_int_equal(notify[0].stats[port][c].verdict[v],
						v != FCN_NOTIFY_NONE && v == want && port == 5 &&
								c == CLASS);
		}
	}
}

static enum fcn_notify_reach
no_route(struct fcn_notice_route *route, const uint8_t sender[16], struct fcn_notify_way *way)
{
	RTE_SET_USED(route);
	RTE_SET_USED(way);
	assert_int_equal(sender[15], 1);
	return FCN_NOTIFY_REACH_NONE;
}

/*
 * A sender that cannot be reached costs no token and begins no interval: once
 * there is a way, its next packet is notified for.
 */
TEST(unreachable)
{
	struct place place = place_of(5, FCN_NOTIFY_NONE);
	struct decision d;
	struct packet p;

	conf.kind[0].interval_ns = 4000;
	set_queue_bucket(5000, 1);
	conf.kind[0].global_cost_ns = conf.kind[0].dest_cost_ns = 5000;
	fastcnp.default_capability = FCN_SENDER_CAPABLE;
	packet_roce(&p, 1, 2, 3);
	place.at.find_route = no_route;
	for (unsigned int i = 0; i < 5; i++) {
		d = decide_at(&p, &place, i);
		assert_int_equal(d.verdict, FCN_NOTIFY_UNREACHABLE);
		assert_true(d.mark);
	}
	d = decide(&p, 5, FCN_NOTIFY_NONE, 5);
	assert_int_equal(d.verdict, FCN_FASTCNP_SENT_OPT1);
	assert_false(d.mark);
	/* Within the interval nobody asks for the way: the sender was told. */
	d = decide_at(&p, &place, 6);
	assert_int_equal(d.verdict, FCN_NOTIFY_INTERVAL);
	assert_false(d.mark);
	assert_int_equal(count_of(5, FCN_NOTIFY_UNREACHABLE), 5);
}

/* The link of port 1, on which notices have used up their share. */
static enum fcn_notify_reach
by_full_link(struct fcn_notice_route *route, const uint8_t sender[16], struct fcn_notify_way *way)
{
	RTE_SET_USED(route);
	assert_int_equal(sender[15], 1);
	*way = (struct fcn_notify_way){.port = 1};
	return FCN_NOTIFY_REACH_ALL;
}

TEST(matrix)
{
	struct fcn_notify_link_shares links[] = {{0}, {.full = 1001}};
	unsigned int cases = 0;

	conf.common.link[1] = (struct fcn_notify_link){.cost = 1};
	for (unsigned int bits = 0; bits < 16; bits++) {
		for (unsigned int cap = FCN_SENDER_UNKNOWN; cap <= FCN_SENDER_NONE; cap++) {
			for (size_t r = 0; r < RTE_DIM(reasons); r++) {
				bool queue_notify = bits & 1, ecn = bits & 2, fast = bits & 4;
				struct decision want, got;
				struct place place;
				struct packet p;

				conf.on = 1;
				fastcnp.mark_unknown = bits & 8;
				place = place_of(5, arrange(reasons[r], &p));
				if (reasons[r] == FCN_NOTIFY_UNREACHABLE) {
					place.at.refuse = FCN_NOTIFY_NONE;
					place.at.find_route = no_route;
				}
				if (reasons[r] == FCN_NOTIFY_BUCKET_LINK) {
					place.at.refuse = FCN_NOTIFY_NONE;
					place.at.find_route = by_full_link;
					place.at.link = links;
				}
				place.notify = queue_notify;
				place.ecn = ecn;
				conf.on = fast;
				fastcnp.default_capability = cap;
				want = rule(cap, queue_notify && fast, ecn, reasons[r]);
				fcn_notify_state_clear_stats(&notify[0], FCN_MAX_PORTS);
				got = decide_at(&p, &place, 1000);
				assert_int_equal(got.verdict, want.verdict);
				assert_int_equal(got.mark, want.mark);
				assert_counted_once(want.verdict);
				cases++;
			}
		}
	}
	assert_int_equal(cases, 16 * 3 * 14);
}

TEST(capability_by_prefix)
{
	struct fcn_prefix_value items[2] = {
			{.value = FCN_SENDER_NONE}, {.value = FCN_SENDER_CAPABLE}};
	struct decision d;
	struct packet p;

	assert_int_equal(fcn_prefix_parse("2001:db8::/32", &items[0].prefix), 0);
	assert_int_equal(fcn_prefix_parse("2001:db8::7", &items[1].prefix), 0);
	fcn_prefix_list_free(fastcnp.senders);
	fastcnp.senders = fcn_prefix_list_create("senders", items, 2, SOCKET_ID_ANY);
	assert_non_null(fastcnp.senders);
	packet_roce(&p, 1, 7, 1); /* the receiver's prefix does not count */
	assert_int_equal(decide_on(&p, 0, 0), FCN_NOTIFY_SENDER_NONE);
	packet_roce(&p, 7, 1, 1);
	d = decide(&p, 0, FCN_NOTIFY_NONE, 0);
	assert_int_equal(d.verdict, FCN_FASTCNP_SENT_OPT1);
	assert_false(d.mark);
	p.f.data[15 + 8] ^= 0x40; /* 2041:... is in no prefix */
	d = decide(&p, 0, FCN_NOTIFY_NONE, 0);
	assert_int_equal(d.verdict, FCN_FASTCNP_SENT_OPT1);
	assert_true(d.mark);
}

/* The names of the kinds: nothing due, suppressed, sent; wanted is the sum of the latter two. */
TEST_WITH(kinds, NULL, NULL)
{
	for (unsigned int v = 0; v <= FCN_FASTCNP_SENT_EDGE; v++) {
		bool sent = v == FCN_FASTCNP_SENT_OPT1 || v == FCN_FASTCNP_SENT_OPT2 ||
			    v == FCN_FASTCNP_SENT_TOO_LONG || v == FCN_FASTCNP_SENT_EDGE;
		bool suppressed = v == FCN_NOTIFY_INTERVAL || v == FCN_NOTIFY_LIGHT_FLOW ||
				  v == FCN_NOTIFY_BUCKET_QUEUE || v == FCN_NOTIFY_BUCKET_GLOBAL ||
				  v == FCN_NOTIFY_BUCKET_DESTINATION ||
				  v == FCN_NOTIFY_BUCKET_SOURCE || v == FCN_NOTIFY_BUCKET_LINK ||
				  v == FCN_NOTIFY_NO_MBUF || v == FCN_NOTIFY_UNREACHABLE;

		assert_int_equal(fcn_notify_verdict_is_sent(v), sent);
		assert_int_equal(fcn_notify_verdict_is_suppressed(v), suppressed);
		for (unsigned int u = 0; u < v; u++)
			assert_string_not_equal(fcn_notify_verdict_name(&fcn_notice_fastcnp, u),
					fcn_notify_verdict_name(&fcn_notice_fastcnp, v));
		assert_true(strlen(fcn_notify_verdict_text(&fcn_notice_fastcnp, v)) > 0);
		assert_true(fcn_notify_verdict_exists(&fcn_notice_fastcnp, v));
	}
	/* A form that Fast CNP does not have, no verdict at all, a kind that there is not. */
	for (unsigned int v = FCN_NOTIFY_SENT_4; v <= FCN_NOTIFY_VERDICT_COUNT; v++) {
		assert_false(fcn_notify_verdict_exists(&fcn_notice_fastcnp, v));
		assert_string_equal(fcn_notify_verdict_name(&fcn_notice_fastcnp, v), "unknown");
		assert_string_equal(fcn_notify_verdict_text(&fcn_notice_fastcnp, v), "unknown");
	}
	assert_ptr_equal(fcn_notice_kind_of(FCN_NOTICE_FAST_CNP), &fcn_notice_fastcnp);
	assert_string_equal(fcn_notice_kind_of(fcn_notice_kind_count)->name, "notice");
	assert_string_equal(fcn_notify_verdict_name(fcn_notice_kind_of(fcn_notice_kind_count),
					    FCN_NOTIFY_SENT),
			"unknown");
}
