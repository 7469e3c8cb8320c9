/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Sources of packets: of the switch itself, which nobody else may use, and reverse path forwarding
 * (RFC 3704), on the fast path of any width and in the stages.
 */

#include <arpa/inet.h>

#include "fast_widths.h"
#include "testbed.h"

#define ETHER_LEN 14
#define SRC6 (ETHER_LEN + 8)
#define LOCAL 2
#define BLACKHOLE 1
#define GROUP 20

/* The addresses of the switch, which have the first five groups in common. */
static const char *const own[] = {"2001:db8:9::1", "2001:db8:9::7"};

static void
set_hull(void)
{
	struct fcn_own_hull *hull = &bench.snap.own;
	uint8_t a[16], b[16];

	inet_pton(AF_INET6, own[0], a);
	inet_pton(AF_INET6, own[1], b);
	memset(hull, 0, sizeof(*hull));
	hull->any6 = hull->any4 = true;
	for (unsigned int i = 0; i < 16; i++) {
		hull->mask6[i] = (uint8_t) ~(a[i] ^ b[i]);
		hull->value6[i] = a[i] & b[i];
	}
	memcpy(hull->value4, (uint8_t[]){10, 9, 0, 1}, 4);
	memset(hull->mask4, 0xff, 4);
	memcpy(hull->frame_value6 + SRC6, hull->value6, 16);
	memcpy(hull->frame_mask6 + SRC6, hull->mask6, 16);
	hull->frame_value6[SRC6] &= 0x1f;
	hull->frame_mask6[SRC6] &= 0x1f;
	memcpy(hull->frame_value4 + ETHER_LEN + 12, hull->value4, 4);
	memcpy(hull->frame_mask4 + ETHER_LEN + 12, hull->mask4, 4);
}

static int
setup(void **state)
{
	char prefix[INET6_ADDRSTRLEN + 4];

	bench_setup(state);
	bench.next_hop[GROUP] = (struct fcn_next_hop){
			.type = FCN_NEXT_HOP_GROUP, .n_members = 2, .first_member = 0};
	bench.member[0] = 6;
	bench.member[1] = 7;
	for (unsigned int i = 0; i < 2; i++) {
		snprintf(prefix, sizeof(prefix), "%s/128", own[i]);
		bench_route(prefix, LOCAL);
	}
	bench_route("10.9.0.1/32", LOCAL);
	bench_route("2001:db8:1::/48", 5);
	bench_route("2001:db8:5::/48", GROUP);
	bench_route("2001:db8:6::/48", BLACKHOLE);
	bench_route("2001:db8::/48", 4);
	bench_routes_done();
	set_hull();
	bench_new_snapshot();
	return 0;
}

TEST_FIXTURE(FCN_TEST_EAL, .setup = setup, .teardown = bench_teardown);

/* Send a packet of RoCEv2, or of another protocol, from an address. @return whether it left */
static bool
passes(uint16_t port, const char *src, bool roce)
{
	static uint64_t now;
	struct frame f;

	frame_roce6(&f, 1, 1, 2, 100);
	frame_to_port(&f, port, 1);
	inet_pton(AF_INET6, src, f.data + SRC6);
	if (!roce)
		f.data[ETHER_LEN + 6] = 59; /* no next header */
	now = RTE_MAX(now, bench.worker->now) + 1000;
	fast_try();
	bench_send(port, &f, now);
	return bench_n_out() == 1;
}

/* In the hull, but not the switch's: 2001:db8:9::3 and ::5. */
static void
check_own(bool roce)
{
	const uint64_t before = bench_drops(FCN_DROP_OWN_SOURCE);

	assert_true(passes(0, "2001:db8::1", roce));
	assert_true(passes(0, "2001:db8:9::3", roce));
	assert_true(passes(0, "2001:db8:9::5", roce));
	assert_true(passes(0, "2001:db8:8::1", roce));
	assert_true(passes(0, "2001:db8:9::1:1", roce));
	assert_int_equal(bench_drops(FCN_DROP_OWN_SOURCE), before);
	assert_false(passes(0, own[0], roce));
	assert_false(passes(0, own[1], roce));
	assert_int_equal(bench_drops(FCN_DROP_OWN_SOURCE), before + 2);
	bench_check();
}

TEST(own)
{
	for (unsigned int i = 0; i < FAST_WIDTHS; i++) {
		bench.worker->fast = fast_width(i);
		check_own(true);
		check_own(true); /* they are in the cache now */
		check_own(false);
	}
	bench.worker->fast = NULL;
	check_own(true);
}

/* A border port, whose packets take the stages. */
TEST(own_at_border)
{
	bench.snap.port[0].checked_ingress = true;
	fcn_port_set_add(&bench.snap.border.ports, 0);
	bench_new_snapshot();
	check_own(true);
	check_own(false);
}

/* Send a packet of RoCEv2 in a tunnel. @return whether it left */
static bool
tunnel_passes(uint16_t port, const char *outer, const char *inner)
{
	struct frame f;

	frame_roce6(&f, 1, 1, 2, 100);
	frame_to_port(&f, port, 1);
	inet_pton(AF_INET6, inner, f.data + SRC6);
	memmove(f.data + ETHER_LEN + 40, f.data + ETHER_LEN, f.len - ETHER_LEN);
	f.data[ETHER_LEN + 4] = (uint8_t)((f.len - ETHER_LEN) >> 8);
	f.data[ETHER_LEN + 5] = (uint8_t)(f.len - ETHER_LEN);
	f.data[ETHER_LEN + 6] = 41; /* IPv6 */
	f.len += 40;
	inet_pton(AF_INET6, outer, f.data + SRC6);
	fast_try();
	bench_send(port, &f, bench.worker->now + 1000);
	return bench_n_out() == 1;
}

/* What the switch has put into a tunnel itself may come back, by a port inside the domain. */
TEST(own_tunnel)
{
	static struct fcn_encaps encaps;
	const char *host = "2001:db8::1";

	assert_true(tunnel_passes(0, host, host));
	assert_false(tunnel_passes(0, own[0], host)); /* it makes no tunnels */
	bench.snap.srv6.encaps = &encaps;
	bench_new_snapshot();
	assert_true(tunnel_passes(0, own[0], host));
	assert_false(passes(0, own[0], true));
	bench.snap.port[0].checked_ingress = true;
	fcn_port_set_add(&bench.snap.border.ports, 0);
	bench_new_snapshot();
	assert_false(tunnel_passes(0, own[0], host));
	assert_int_equal(bench_drops(FCN_DROP_OWN_SOURCE), 3);
	bench.snap.srv6.encaps = NULL;
	bench_new_snapshot();
	bench_check();
}

static void
set_check(enum fcn_source_check check)
{
	bench.snap.port[0].source_check = check;
	bench.snap.port[0].checked_ingress = check != FCN_SOURCE_CHECK_OFF;
	bench_new_snapshot();
}

/* Source, and what becomes of its packets that port 0, 1 or 2 receives with a check. */
TEST(reverse_path)
{
	static const struct {
		const char *src;
		enum fcn_drop_reason loose, strict;
	} cases[] = {
			{"2001:db8::1", FCN_DROP_NONE, FCN_DROP_NONE}, /* by port 0 */
			{"2001:db8:1::9", FCN_DROP_NONE, FCN_DROP_SOURCE_OTHER_PORT},
			{"2001:db8:5::9", FCN_DROP_NONE, FCN_DROP_SOURCE_OTHER_PORT}, /* 2, 3 */
			{"2001:db8:6::9", FCN_DROP_SOURCE_NO_ROUTE, FCN_DROP_SOURCE_NO_ROUTE},
			{"2001:db8:7::9", FCN_DROP_SOURCE_NO_ROUTE, FCN_DROP_SOURCE_NO_ROUTE},
			{"2001:db8:9::1", FCN_DROP_OWN_SOURCE, FCN_DROP_OWN_SOURCE},
	};

	for (unsigned int roce = 0; roce < 2; roce++) {
		for (unsigned int i = 0; i < RTE_DIM(cases); i++) {
			for (unsigned int c = FCN_SOURCE_CHECK_LOOSE; c < FCN_SOURCE_CHECK_COUNT;
					c++) {
				const enum fcn_drop_reason why = c == FCN_SOURCE_CHECK_LOOSE
										 ? cases[i].loose
										 : cases[i].strict;
				const uint64_t all = bench_all_drops(), of = bench_drops(why);

				set_check(c);
				assert_int_equal(passes(0, cases[i].src, roce != 0),
						why == FCN_DROP_NONE);
				assert_int_equal(bench_all_drops() - all, why != FCN_DROP_NONE);
				if (why != FCN_DROP_NONE)
					assert_int_equal(bench_drops(why), of + 1);
			}
		}
	}
	/* One path of a group is enough. */
	bench.member[1] = 4;
	set_check(FCN_SOURCE_CHECK_STRICT);
	assert_true(passes(0, "2001:db8:5::9", true));
}

/* Prefixes that are left out are so by both checks, but not what nobody may send. */
TEST(exempt)
{
	struct fcn_prefix_value v[2] = {{.value = FCN_BORDER_LISTED}, {.value = FCN_BORDER_LISTED}};

	assert_int_equal(fcn_prefix_parse("2001:db8:7::/48", &v[0].prefix), 0);
	assert_int_equal(fcn_prefix_parse("2001:db8:9::/48", &v[1].prefix), 0);
	bench.snap.border.unchecked = fcn_prefix_list_create("test", v, 2, SOCKET_ID_ANY);
	assert_non_null(bench.snap.border.unchecked);
	set_check(FCN_SOURCE_CHECK_STRICT);
	assert_true(passes(0, "2001:db8:7::9", true));
	assert_true(passes(0, "2001:db8:9::9", true));
	assert_false(passes(0, "2001:db8:9::1", true));
	assert_false(passes(0, "2001:db8:8::9", true));
	assert_int_equal(bench_drops(FCN_DROP_OWN_SOURCE), 1);
	assert_int_equal(bench_drops(FCN_DROP_SOURCE_NO_ROUTE), 1);
	fcn_prefix_list_free(bench.snap.border.unchecked);
	bench.snap.border.unchecked = NULL;
}
