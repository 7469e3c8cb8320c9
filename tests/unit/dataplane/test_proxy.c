/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * The proxy network node through a whole worker: messages of vector 14 become the Fast CNPs of
 * vector 09 and the CNPs of vector 04, at the right times, or are refused.
 */

#include "proxy_bench.h"

/* ---- translations ---- */

TEST_FIXTURE(FCN_TEST_EAL, .setup = proxy_setup, .teardown = proxy_teardown);

TEST(fast_cnp)
{
	proxy_translate("2001:db8:1::/48", FCN_PROXY_FAST_CNP);
	proxy_report(FLOW6, 1 * US);
	proxy_assert_sent(proxy_vectors.fast_cnp.data[0], proxy_vectors.fast_cnp.len[0]);
	assert_int_equal(proxy_counters()->fast_cnps, 1);
	assert_int_equal(bench.worker->counters[0].consumed, 1);
	assert_int_equal(bench.worker->counters[0].generated, 1);
	/* A quote of 1192 octets is as good. */
	proxy_report(CUT, 60 * US);
	proxy_assert_sent(proxy_vectors.fast_cnp.data[0], proxy_vectors.fast_cnp.len[0]);
	assert_int_equal(proxy_counters()->accepted, 2);
	proxy_assert_accounted();
}

/* Whole traces are copied; the Fast CNP is that of vector 10, but for the trace and what is
 * computed of it. */
TEST(trace)
{
	uint8_t frame[2048];
	const uint8_t *want = proxy_vectors.fast_cnp_trace.data[0], *out;
	uint32_t len;

	proxy_translate("2001:db8:1::/48", FCN_PROXY_FAST_CNP_TRACE);
	proxy_quote(FLOW6, proxy_vectors.data_ioam.data[0], proxy_vectors.data_ioam.len[0], frame,
			&len);
	srv6_arrive(frame, len);
	proxy_turn(bench.worker->now + US);
	out = bench_only_out(1);
	assert_int_equal(bench_out_len(1, 0), proxy_vectors.fast_cnp_trace.len[0]);
	/* Up to the trace: Ethernet, IPv6, 8 octets of Destination Options and the option. */
	assert_memory_equal(out + 12, want + 12, ETHER_LEN + 40 + 8 - 12);
	/* The trace of L = 21 words; in the data it is behind IPv6, Hop-by-Hop and PadN. */
	assert_memory_equal(out + ETHER_LEN + 48, proxy_vectors.data_ioam.data[0] + ETHER_LEN + 48,
			8 + 4 * 21);
	/* The receiver, padding, UDP but its checksum, BTH, reserved octets. */
	assert_memory_equal(out + ETHER_LEN + 140, want + ETHER_LEN + 140, 16 + 4 + 6);
	assert_memory_equal(out + ETHER_LEN + 168, want + ETHER_LEN + 168, 12 + 16);
	assert_int_equal(proxy_counters()->fast_cnps_trace, 1);
	/* Without a trace in the quote: option 1. */
	proxy_report(FLOW6, 60 * US);
	proxy_assert_sent(proxy_vectors.fast_cnp.data[0], proxy_vectors.fast_cnp.len[0]);
	assert_int_equal(proxy_counters()->fast_cnps_no_trace, 1);
	assert_int_equal(proxy_counters()->fast_cnps, 0);
	proxy_assert_accounted();
}

/* A trace does not leave its domain by an edge (RFC 9486 section 4), nor does one of a message that
 * came from outside. The sender is told with option 1, and not by ports that carry nothing. */
TEST(trace_at_edge)
{
	uint8_t frame[2048];
	uint32_t len;

	proxy_translate("2001:db8:1::/48", FCN_PROXY_FAST_CNP_TRACE);
	proxy_quote(FLOW6, proxy_vectors.data_ioam.data[0], proxy_vectors.data_ioam.len[0], frame,
			&len);
	bench.snap.ioam.any_edge = true;
	for (unsigned int edge = 0; edge < 2; edge++) { /* ports 0, of the message, and 1 */
		bench.snap.port[edge].ioam.edge = FCN_IOAM_EDGE_STRIP;
		bench.snap.port[!edge].ioam.edge = FCN_IOAM_EDGE_OFF;
		proxy_publish();
		srv6_arrive(frame, len);
		proxy_turn(bench.worker->now + 60 * US);
		proxy_assert_sent(proxy_vectors.fast_cnp.data[0], proxy_vectors.fast_cnp.len[0]);
		assert_int_equal(proxy_counters()->fast_cnps_no_trace, edge + 1);
	}
	bench.snap.port[1].err_disabled = true;
	proxy_publish();
	srv6_arrive(frame, len);
	proxy_turn(bench.worker->now + 60 * US);
	proxy_assert_nothing_sent();
	assert_int_equal(proxy_counters()->unreachable, 1);
	assert_int_equal(proxy_counters()->fast_cnps_trace, 0);
	proxy_assert_accounted();
}

TEST(cnp)
{
	proxy_translate("2001:db8:1::/48", FCN_PROXY_CNP);
	proxy_translate("192.0.2.0/24", FCN_PROXY_CNP);
	proxy_set_flow(FLOW6, 0xd00d); /* the source port of vector 04 */
	proxy_set_flow(FLOW4, 0xd00d);
	proxy_set_flow(FLOW4_OVER6, 0xd00d);
	proxy_report(FLOW6, 1 * US);
	proxy_assert_nothing_sent();
	assert_int_equal(proxy_counters()->no_qp, 1);
	proxy_add_qp("2001:db8:2::20", 0x1a7, 0xb2);
	proxy_report(FLOW6, 1 * US);
	proxy_assert_sent(proxy_vectors.cnp.data[0], proxy_vectors.cnp.len[0]);
	proxy_add_qp("198.51.100.20", 0x1a7, 0xb2);
	memcpy(proxy_vectors.cnm.data[FLOW4] + ETHER_LEN + 12,
			(uint8_t[]){203, 0, 113, 5, 192, 0, 2, 99}, 8);
	proxy_finish(proxy_vectors.cnm.data[FLOW4], proxy_vectors.cnm.len[FLOW4]);
	proxy_report(FLOW4, 60 * US);
	proxy_assert_sent(proxy_vectors.cnp.data[1], proxy_vectors.cnp.len[1]);
	proxy_report(FLOW4_OVER6, 60 * US);
	proxy_assert_sent(proxy_vectors.cnp.data[1], proxy_vectors.cnp.len[1]);
	assert_int_equal(proxy_counters()->cnps, 3);
	proxy_assert_accounted();
}

/* What senders are told counts for the share of notices of their link. A Fast CNP with option 1 has
 * 118 octets, and 142 on the line; with room for one, the next waits until they have passed. */
TEST(link_share)
{
	struct fcn_notify_link *link = &bench.snap.notify.common.link[1];

	proxy_translate("2001:db8:1::/48", FCN_PROXY_FAST_CNP);
	bench_charge_link(1);
	proxy_report(FLOW6, US);
	assert_int_equal(bench.worker->notify_link[1].full, bench.worker->now + 142);
	link->burst_ns = 0;
	proxy_set_flow(FLOW6, 0xd00d);
	bench_forget_out();
	bench.worker->notify_link[1].full = bench.worker->now + 2001;
	proxy_report(FLOW6, 2000);
	proxy_assert_nothing_sent();
	assert_int_equal(proxy_counters()->link, 1);
	proxy_report(FLOW6, 1);
	assert_int_equal(proxy_counters()->fast_cnps, 2);
	assert_int_equal(bench.worker->notify_link[1].full, bench.worker->now + 142);
	proxy_assert_accounted();
}

/* What Fast CNPs cannot tell: flows over IPv4, and of other protocols; and acknowledgements. */
TEST(untranslatable)
{
	uint8_t *d = proxy_vectors.cnm.data[FLOW6] + proxy_udp_off(proxy_vectors.cnm.data[FLOW6]) +
		     8;

	proxy_translate("::/0", FCN_PROXY_FAST_CNP);
	proxy_translate("0.0.0.0/0", FCN_PROXY_FAST_CNP);
	proxy_report(FLOW4_OVER6, US);
	assert_int_equal(proxy_counters()->untranslatable, 1);
	d[40 + 48] = 0x11; /* RC acknowledgement */
	proxy_finish(proxy_vectors.cnm.data[FLOW6], proxy_vectors.cnm.len[FLOW6]);
	proxy_report(FLOW6, US);
	assert_int_equal(proxy_counters()->untranslatable, 2);
	d[1] = d[40 + 6] = IPPROTO_TCP;
	proxy_finish(proxy_vectors.cnm.data[FLOW6], proxy_vectors.cnm.len[FLOW6]);
	proxy_report(FLOW6, US);
	assert_int_equal(proxy_counters()->untranslatable, 3);
	proxy_assert_nothing_sent();
	proxy_assert_accounted();
}

TEST(unknown_and_none)
{
	proxy_report(FLOW6, US);
	assert_int_equal(proxy_counters()->unknown, 1);
	proxy_translate("2001:db8:1::/48", FCN_PROXY_FAST_CNP);
	proxy_translate("2001:db8:1::10/128", FCN_PROXY_NONE);
	proxy_report(FLOW6, US);
	assert_int_equal(proxy_counters()->none, 1);
	proxy_report(FLOW4_OVER6, US);
	assert_int_equal(proxy_counters()->unknown, 2);
	proxy_assert_nothing_sent();
	proxy_assert_accounted();
}

/* ---- pacing ---- */

/* One notification for a flow in the interval, from whatever node; other flows have their own. */
TEST(interval)
{
	unsigned int sent = 0;

	proxy_translate("2001:db8:1::/48", FCN_PROXY_FAST_CNP);
	for (unsigned int i = 0; i < 1000; i++) {
		proxy_set_level(FLOW6, i % 8);
		proxy_report(FLOW6, 1 * US);
		sent += bench.port[1].n_out;
	}
	assert_int_equal(sent, 20);
	assert_int_equal(proxy_counters()->fast_cnps, 20);
	assert_int_equal(proxy_counters()->paced + proxy_counters()->raised, 980);
	proxy_set_flow(FLOW6, 99);
	proxy_report(FLOW6, 1);
	assert_int_equal(bench.port[1].n_out, 1);
	proxy_assert_accounted();
}

/* Levels raise the number in a time only if the configuration says so, and then evenly. */
TEST(level_sweep)
{
	unsigned int before = 0;

	bench.snap.proxy.least_interval_ns = 15 * US;
	proxy_translate("2001:db8:1::/48", FCN_PROXY_FAST_CNP);
	for (unsigned int level = 0; level <= 7; level++) {
		unsigned int sent = 0;

		proxy_set_level(FLOW6, level);
		for (unsigned int i = 0; i < 2100; i++) {
			proxy_report(FLOW6, 1 * US);
			sent += bench.port[1].n_out;
		}
		assert_true(sent > before);
		assert_in_range(sent, 2100 / (50 - 5 * level) - 1, 2100 / (50 - 5 * level) + 1);
		before = sent;
		proxy_turn(bench.worker->now + 100 * US);
	}
	proxy_assert_accounted();
}

/* ---- refusals ---- */

static void
assert_refused(const uint8_t *frame, uint32_t len, enum fcn_drop_reason why)
{
	const uint64_t before = bench_drops(why), refused = proxy_counters()->refused;

	srv6_arrive(frame, len);
	proxy_turn(bench.worker->now + 100 * US);
	assert_int_equal(bench_drops(why), before + 1);
	assert_int_equal(proxy_counters()->refused, refused + 1);
	proxy_assert_nothing_sent();
}

TEST(refused)
{
	uint8_t *f = proxy_vectors.cnm.data[FLOW6], copy[2048];
	const uint32_t len = proxy_vectors.cnm.len[FLOW6], udp = proxy_udp_off(f), d = udp + 8;

	proxy_translate("::/0", FCN_PROXY_FAST_CNP);
#define CHANGED(at, to, why)                    \
	do {                                    \
		memcpy(copy, f, len);           \
		copy[at] = to;                  \
		proxy_finish(copy, len);        \
		assert_refused(copy, len, why); \
	} while (0)
	CHANGED(ETHER_LEN + 23, 0x77, FCN_DROP_CNM_ACCESS); /* source */
	CHANGED(d, 0x5a, FCN_DROP_CNM_VERSION);
	CHANGED(d + 1, IPPROTO_TCP, FCN_DROP_CNM_MISMATCH);
	CHANGED(d + 5, 0, FCN_DROP_CNM_MISMATCH);
	CHANGED(d + 39, 0x21, FCN_DROP_CNM_MISMATCH);
	CHANGED(d + 40, 0x45, FCN_DROP_CNM_QUOTE); /* IP version of the quote */
	memcpy(copy, f, len);
	copy[udp + 6] ^= 1;
	assert_refused(copy, len, FCN_DROP_CNM_UDP_CHECKSUM);
	copy[udp + 6] = copy[udp + 7] = 0;
	assert_refused(copy, len, FCN_DROP_CNM_UDP_CHECKSUM);
	memcpy(copy, f, len);
	copy[udp + 5] -= 1;
	assert_refused(copy, len, FCN_DROP_CNM_UDP_LENGTH);
	for (uint32_t n = d; n < d + 40 + 40 + 8 + 12; n++) { /* cut short */
		memcpy(copy, f, n);
		proxy_finish(copy, n);
		assert_refused(copy, n, n < d + 40 ? FCN_DROP_CNM_TRUNCATED : FCN_DROP_CNM_QUOTE);
	}
	/* addresses that no host has: in the descriptor and in the quote */
	memcpy(copy, f, len);
	copy[d + 8] = copy[d + 40 + 8] = 0xff;
	proxy_finish(copy, len);
	assert_refused(copy, len, FCN_DROP_CNM_ADDRESS);
	assert_int_equal(proxy_counters()->accepted, 0);
	proxy_assert_accounted();
}

/* Messages about what proxies send would go round in circles. */
TEST(loops)
{
	const uint32_t d = proxy_udp_off(proxy_vectors.cnm.data[FLOW6]) + 8;
	uint8_t copy[2048];
	uint32_t len;

	proxy_translate("::/0", FCN_PROXY_FAST_CNP);
	/* from the proxy's own address */
	memcpy(copy, proxy_vectors.cnm.data[FLOW6], proxy_vectors.cnm.len[FLOW6]);
	memcpy(copy + d + 8, proxy_vectors.cnm.data[FLOW6] + ETHER_LEN + 24, 16);
	memcpy(copy + d + 40 + 8, proxy_vectors.cnm.data[FLOW6] + ETHER_LEN + 24, 16);
	proxy_finish(copy, proxy_vectors.cnm.len[FLOW6]);
	assert_refused(copy, proxy_vectors.cnm.len[FLOW6], FCN_DROP_CNM_LOOP);
	/* a CNP */
	proxy_quote(FLOW6, proxy_vectors.cnp.data[0], proxy_vectors.cnp.len[0], copy, &len);
	memcpy(copy + d + 4, proxy_vectors.cnp.data[0] + ETHER_LEN + 40, 4);
	memcpy(copy + d + 8, proxy_vectors.cnp.data[0] + ETHER_LEN + 8, 32);
	proxy_finish(copy, len);
	assert_refused(copy, len, FCN_DROP_CNM_LOOP);
	/* another message */
	memcpy(copy, proxy_vectors.cnm.data[FLOW6], proxy_vectors.cnm.len[FLOW6]);
	copy[d + 6] = copy[d + 40 + 42] = PORT >> 8;
	copy[d + 7] = copy[d + 40 + 43] = (uint8_t)PORT;
	proxy_finish(copy, proxy_vectors.cnm.len[FLOW6]);
	assert_refused(copy, proxy_vectors.cnm.len[FLOW6], FCN_DROP_CNM_LOOP);
	proxy_assert_accounted();
}

/* The rates are asked before a message is read: one with a defect takes a token, too. */
TEST(rates)
{
	bench.snap.proxy.limits.each.port[0] = (struct fcn_source_bucket){
			.cost_ns = 10 * US, .burst = 3};
	bench.snap.proxy.limits.all.port[0] = (struct fcn_source_bucket){
			.cost_ns = 1000 * US, .burst = 5};
	proxy_translate("2001:db8:1::/48", FCN_PROXY_FAST_CNP);
	proxy_vectors.cnm.data[FLOW6][proxy_udp_off(proxy_vectors.cnm.data[FLOW6]) + 6] ^= 1;
	for (unsigned int i = 0; i < 4; i++)
		proxy_report(FLOW6, 1);
	assert_int_equal(bench_drops(FCN_DROP_CNM_UDP_CHECKSUM), 3);
	assert_int_equal(bench_drops(FCN_DROP_CNM_RATE), 1);
	proxy_turn(bench.worker->now + 30 * US);
	for (unsigned int i = 0; i < 3; i++)
		proxy_report(FLOW6, 1);
	assert_int_equal(bench_drops(FCN_DROP_CNM_UDP_CHECKSUM), 5);
	assert_int_equal(bench_drops(FCN_DROP_CNM_TOTAL), 1);
	/* A source that is not listed takes none. */
	assert_int_equal(proxy_counters()->refused, 7);
	proxy_assert_accounted();
}

/* What is no message to the proxy goes to the host functions. */
TEST(not_a_message)
{
	uint8_t *f = proxy_vectors.cnm.data[FLOW6];
	struct fcn_punt punt;

	proxy_translate("2001:db8:1::/48", FCN_PROXY_FAST_CNP);
	f[proxy_udp_off(f) + 3] ^= 1; /* another port */
	proxy_report(FLOW6, US);
	assert_true(srv6_take(&punt));
	f[proxy_udp_off(f) + 3] ^= 1;
	bench.snap.proxy.receive = false;
	bench_new_snapshot();
	proxy_report(FLOW6, US);
	assert_true(srv6_take(&punt));
	bench.snap.proxy.receive = true;
	bench_new_snapshot();
	proxy_report(FLOW6, US);
	assert_false(srv6_take(&punt));
	assert_int_equal(proxy_counters()->accepted, 1);
}

/* More messages at once than a worker processes in a turn wait; those beyond what may wait are lost
 * and counted. */
TEST(storm)
{
	const unsigned int n = FCN_PROXY_CLAIMS + 44;
	struct fcn_proxy_claim claim;
	unsigned int sent = 0, turns = 0;

	proxy_translate("2001:db8:1::/48", FCN_PROXY_FAST_CNP);
	memset(&claim, 0, sizeof(claim));
	fcn_flow_descriptor_read(proxy_vectors.cnm.data[FLOW6] +
						 proxy_udp_off(proxy_vectors.cnm.data[FLOW6]) + 8,
			&claim.flow);
	claim.translation = FCN_PROXY_FAST_CNP;
	claim.is_data = claim.has_quote = true;
	for (unsigned int i = 0; i < n; i++) {
		claim.flow.src_port = (uint16_t)i;
		bench.worker->proxy.counters.accepted++;
		fcn_proxy_hand_over(bench.worker, &claim);
	}
	assert_int_equal(proxy_counters()->lost, 44);
	proxy_assert_accounted();
	while (fcn_worker_next_event(bench.worker, bench.worker->now) == bench.worker->now) {
		proxy_turn(bench.worker->now + 1);
		sent += bench.port[1].n_out;
		turns++;
		assert_true(turns <= 2 * FCN_PROXY_CLAIMS / FCN_NOTICE_MAX + 2);
		proxy_assert_accounted();
	}
	assert_true(turns >= FCN_PROXY_CLAIMS / FCN_NOTICE_MAX);
	assert_int_equal(sent, FCN_PROXY_CLAIMS);
	assert_int_equal(proxy_counters()->fast_cnps, FCN_PROXY_CLAIMS);
	assert_int_equal(bench.worker->proxy.flows.forgotten, 0);
}

TEST(clear_and_event)
{
	struct fcn_event ev[8];

	proxy_translate("2001:db8:1::/48", FCN_PROXY_FAST_CNP);
	for (unsigned int i = 0; i < 30; i++)
		proxy_report(FLOW6, 50 * US); /* 1.5 ms */
	assert_int_equal(bench_events_of(FCN_EVENT_PROXY_NOTIFIED, ev, 8), 2);
	assert_int_equal(ev[0].level, 5);
	assert_int_equal(ev[0].verdict, FCN_PROXY_FAST_CNP);
	assert_int_equal(ev[0].port, 0);
	assert_int_equal(ev[0].dest_qp, 0x1a7);
	assert_memory_equal(ev[0].sender, proxy_vectors.fast_cnp.data[0] + ETHER_LEN + 24, 16);
	fcn_worker_clear_counters(bench.worker);
	assert_int_equal(proxy_counters()->accepted, 0);
	proxy_report(FLOW6, US); /* the flow is still known */
	assert_int_equal(proxy_counters()->paced, 1);
}
