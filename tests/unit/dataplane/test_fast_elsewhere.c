/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * What has to look at the packets of one port, or at single packets, does not take the fast path
 * away from the others. Each case is on at port ELSEWHERE only, whose packets tell that it is.
 */

#include <pcap/pcap.h>

#include "fast_widths.h"

#define IN 0
#define OUT 1
#define ELSEWHERE 3
#define N 20
#define CLASS_5_FILTER "ip6[0:2] & 0x0fc0 = 0x0a00"

/* Where packets of a case do not take the fast path. */
enum concerns {
	NOTHING,
	INGRESS = 1,   /* those that come in by ELSEWHERE */
	EGRESS = 2,    /* those that leave by it */
	CLASS_5 = 4,   /* those of this class, wherever they come in */
	INGRESS_5 = 8, /* those of this class that come in by ELSEWHERE */
};

static void
nothing(void)
{
}

static void
capture(enum fcn_capture_point point)
{
	struct fcn_capture_tap tap = {.snaplen = 64};

	tap.ports[point] = fcn_port_set_of(ELSEWHERE);
	fcn_capture_open(bench.worker, 0, &tap);
}

static void
capture_received(void)
{
	capture(FCN_CAPTURE_RX);
}

static void
capture_sent(void)
{
	capture(FCN_CAPTURE_TX);
}

static void
capture_dropped(void)
{
	capture(FCN_CAPTURE_DROP);
}

static void
trace(void)
{
	struct fcn_trace *t = &bench.worker->trace;
	pcap_t *dead = pcap_open_dead(DLT_EN10MB, 65535);

	assert_non_null(dead);
	assert_int_equal(
			pcap_compile(dead, &t->filter, CLASS_5_FILTER, 1, PCAP_NETMASK_UNKNOWN), 0);
	pcap_close(dead);
	t->has_filter = true;
	t->wanted = N;
}

static void
border(void)
{
	bench.snap.border.ports = fcn_port_set_of(ELSEWHERE);
	bench.snap.port[ELSEWHERE].checked_ingress = true;
	bench.snap.border.codes.options = bench.snap.codes;
}

static void
untrusted(void)
{
	fcn_snapshot_protect(&bench.snap, 1 << 6);
	bench.snap.port[ELSEWHERE].untrusted.untrusted = true;
	bench.snap.port[ELSEWHERE].checked_ingress = true;
}

static void protected(void)
{
	untrusted();
	fcn_snapshot_protect(&bench.snap, 1 << 5);
}

static void
remarked(void)
{
	untrusted();
	bench.snap.port[ELSEWHERE].untrusted.remark = FCN_REMARK_ALL;
}

static void
proxy(void)
{
	struct fcn_proxy_prefix sender = {.origin = FCN_PROXY_STATIC};

	/* Not that of the packets. */
	assert_int_equal(fcn_prefix_parse("2001:db8:9::/64", &sender.prefix), 0);
	assert_int_equal(fcn_addr_parse("2001:db8:f::3", &sender.proxy), 0);
	bench.snap.proxy_edge.senders = fcn_proxy_map_create(
			"fast_elsewhere", &sender, 1, SOCKET_ID_ANY);
	assert_non_null(bench.snap.proxy_edge.senders);
	bench.snap.proxy_edge.any_insert = true;
	bench.snap.port[ELSEWHERE].proxy_option = FCN_PROXY_EDGE_INSERT;
}

static const struct {
	const char *what;
	void (*begin)(void);
	unsigned int concerns; /* enum concerns */
} cases[] = {
		{"nothing", nothing, NOTHING},
		{"capture of what is received", capture_received, INGRESS},
		{"capture of what is sent", capture_sent, NOTHING},
		{"capture of what is dropped", capture_dropped, NOTHING},
		{"trace", trace, CLASS_5},
		{"border", border, INGRESS | EGRESS},
		{"untrusted", untrusted, NOTHING},
		{"untrusted, class 5", protected, INGRESS_5},
		{"untrusted, all remarked", remarked, INGRESS},
		{"proxy", proxy, INGRESS},
};

static void
setup(void)
{
	void *state = NULL;

	bench_setup(&state);
	bench_route("2001:db8:1::/48", 4 + OUT);
	bench_route("2001:db8:3::/48", 4 + ELSEWHERE);
	bench_routes_done();
	bench.worker->capture.ring = fcn_capture_ring_create("fast_elsewhere", 4096, SOCKET_ID_ANY);
	assert_non_null(bench.worker->capture.ring);
}

static void
teardown(void)
{
	void *state = NULL;

	fcn_proxy_map_free(bench.snap.proxy_edge.senders);
	assert_int_equal(bench_teardown(&state), 0);
}

/* Let packets arrive at a port. @return how many of them took the fast path */
static unsigned int
arrive(uint16_t in, uint16_t out, unsigned int class, uint64_t now)
{
	struct frame f;

	frame_roce6(&f, 1, out, 2, 100);
	frame_to_port(&f, in, 1);
	frame_class(&f, class, 1);
	for (unsigned int i = 0; i < N; i++)
		bench_in(in, &f);
	fast_try();
	bench_poll(now);
	return fast_taken();
}

static void
assert_taken(const char *what, unsigned int taken, bool stages)
{
	if (taken != (stages ? 0 : N))
		print_error("%s: %u packets took the fast path\n", what, taken);
	assert_int_equal(taken, stages ? 0 : N);
}

TEST_FIXTURE(FCN_TEST_EAL);

TEST(routed)
{
	for (unsigned int i = 0; i < RTE_DIM(cases); i++) {
		for (unsigned int width = 0; width < FAST_WIDTHS; width++) {
			const char *what = cases[i].what;
			const unsigned int concerns = cases[i].concerns;

			setup();
			bench.worker->fast = fast_width(width);
			cases[i].begin();
			bench_new_snapshot();
			assert_taken(what, arrive(IN, OUT, 3, 1000), false);
			assert_int_equal(bench.port[OUT].n_out, N);
			assert_taken(what, arrive(ELSEWHERE, OUT, 3, 2000), concerns & INGRESS);
			assert_taken(what, arrive(IN, ELSEWHERE, 3, 3000), concerns & EGRESS);
			assert_taken(what, arrive(IN, OUT, 3, 4000), false);
			assert_taken(what, arrive(IN, OUT, 5, 5000), concerns & CLASS_5);
			/* The trace has all packets that it wants. */
			assert_taken(what, arrive(IN, OUT, 5, 6000), false);
			assert_taken(what, arrive(ELSEWHERE, OUT, 5, 7000),
					concerns & (INGRESS | INGRESS_5));
			assert_int_equal(bench.worker->counters[ELSEWHERE].moved,
					concerns & INGRESS_5 ? N : 0);
			assert_taken(what, arrive(ELSEWHERE, OUT, 3, 8000), concerns & INGRESS);
			teardown();
		}
	}
}

/* Let packets arrive at a port of a bridge, from the station behind it. @return as arrive() */
static unsigned int
arrive_bridged(uint16_t in, uint16_t out, uint64_t now)
{
	struct frame f;

	frame_roce6(&f, 1, 1, 2, 100);
	frame_macs(&f, (uint8_t)(1 + out), (uint8_t)(1 + in));
	for (unsigned int i = 0; i < N; i++)
		bench_in(in, &f);
	fast_try();
	bench_poll(now);
	return fast_taken();
}

/* Between ports of a bridge. A trace has all packets of bridges pass through the stages. */
TEST(bridged)
{
	for (unsigned int i = 0; i < RTE_DIM(cases); i++) {
		const char *what = cases[i].what;
		const unsigned int concerns = cases[i].concerns;

		if (concerns & CLASS_5)
			continue;
		setup();
		bench_bridge(4);
		cases[i].begin();
		bench_new_snapshot();
		for (uint16_t p = 0; p < 4; p++) /* where the stations are */
			arrive_bridged(p, (p + 1) % 4, 100 + p);
		assert_taken(what, arrive_bridged(IN, OUT, 1000), false);
		assert_int_equal(bench.port[OUT].n_out, N);
		assert_taken(what, arrive_bridged(ELSEWHERE, OUT, 2000), concerns & INGRESS);
		assert_taken(what, arrive_bridged(IN, ELSEWHERE, 3000), concerns & EGRESS);
		assert_taken(what, arrive_bridged(IN, OUT, 4000), false);
		teardown();
	}
}

/* Packets of both ports in the same turn, those of the port in question first. */
TEST(together)
{
	for (unsigned int i = 0; i < RTE_DIM(cases); i++) {
		struct frame f;

		setup();
		cases[i].begin();
		bench_new_snapshot();
		for (unsigned int turn = 1; turn <= bench.worker->n_rx_queues; turn++) {
			for (unsigned int k = 0; k < N; k++) {
				frame_roce6(&f, 1, OUT, 2, 100);
				frame_to_port(&f, ELSEWHERE, 1);
				bench_in(ELSEWHERE, &f);
				frame_to_port(&f, IN, 1);
				frame_class(&f, 2, 1);
				bench_in(IN, &f);
			}
			fast_try();
			bench_poll(1000 * turn);
			assert_int_equal(fast_taken(), cases[i].concerns & INGRESS ? N : 2 * N);
			assert_int_equal(bench.port[OUT].n_out, 2 * N);
		}
		teardown();
	}
}
