/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Whom a Congestion Notification Message tells: the proxy of a prefix, the one that the packet's
 * option names, the switch itself, or instead of all these the sender, by a Fast CNP.
 */

#include "cnm_bench.h"
#include "fcn_icmp6.h"

TEST_FIXTURE(FCN_TEST_EAL, .setup = cnm_setup, .teardown = cnm_teardown);

/* The option of vector 13, and which of the two ways is tried first. */
TEST(option)
{
	static const uint8_t option[16] = {0x20, 1, 0x0d, 0xb8, 0, 0xf, [15] = 0x22};
	struct frame f;
	uint32_t off;

	off = cnm_make_named(&f, option);
	cnm_proxy_of("2001:db8::/32", "2001:db8:f::21");
	cnm_assert_told(&f, 6, cnm_other6, ETHER_LEN, 6);
	assert_int_equal(cnm_verdict(FCN_NOTICE_CNM, FCN_NOTIFY_SENT), 1);
	cnm.address_from = FCN_CNM_FROM_PREFIX_OPTION;
	cnm_assert_told(&f, 6, cnm_proxy6, ETHER_LEN, 6);
	assert_int_equal(cnm_verdict(FCN_NOTICE_CNM, FCN_NOTIFY_SENT_1), 1);
	cnm.address_from = FCN_CNM_FROM_PREFIX;
	cnm_assert_told(&f, 6, cnm_proxy6, ETHER_LEN, 6);
	cnm_proxy_of("2001:db8:77::/48", "2001:db8:f::21");
	cnm_assert_none(&f, FCN_NOTIFY_NO_PROXY);
	cnm.address_from = FCN_CNM_FROM_PREFIX_OPTION;
	cnm_assert_told(&f, 6, cnm_other6, ETHER_LEN, 6);
	cnm.address_from = FCN_CNM_FROM_OPTION;
	cnm_assert_told(&f, 6, cnm_other6, ETHER_LEN, 6);
	/* Only proxies of a list may be named, and none without one. */
	fcn_prefix_list_free(cnm.allowed);
	cnm.allowed = NULL;
	cnm_assert_none(&f, FCN_NOTIFY_PROXY_UNUSABLE);
	cnm.allowed = cnm_list_of("2001:db8:f::21/128");
	cnm_assert_none(&f, FCN_NOTIFY_PROXY_UNUSABLE);
	cnm.address_from = FCN_CNM_FROM_OPTION_PREFIX;
	cnm_proxy_of("2001:db8::/32", "2001:db8:f::21");
	cnm_assert_told(&f, 6, cnm_proxy6, ETHER_LEN, 6);
	fcn_prefix_list_free(cnm.allowed);
	cnm.allowed = cnm_list_of("2001:db8:f::/64");
	cnm_assert_told(&f, 6, cnm_other6, ETHER_LEN, 6);
	/* Neither the switch itself, nor an address that no packet can have. */
	memcpy(f.data + off + 2, cnm_node, 16);
	cnm_assert_told(&f, 6, cnm_proxy6, ETHER_LEN, 6);
	memset(f.data + off + 2, 0, 16);
	f.data[off + 2 + 15] = 1;
	fcn_prefix_list_free(cnm.allowed);
	cnm.allowed = cnm_list_of("::/0");
	cnm_assert_told(&f, 6, cnm_proxy6, ETHER_LEN, 6);
	memcpy(f.data + off + 2 + 10, ((uint8_t[6]){0xff, 0xff, 198, 51, 100, 21}), 6);
	cnm_assert_told(&f, 6, cnm_proxy6, ETHER_LEN, 6);
}

/* A proxy that an option names is not told after it has refused messages. What the configuration
 * or a routing protocol says is believed more than a refusal. */
TEST(refused)
{
	struct frame f;

	cnm.address_from = FCN_CNM_FROM_OPTION_PREFIX;
	cnm_make_named(&f, cnm_proxy6);
	cnm_assert_told(&f, 6, cnm_proxy6, ETHER_LEN, 6);
	cnm.refused = cnm_list_of("2001:db8:f::21/128");
	cnm_assert_none(&f, FCN_NOTIFY_PROXY_UNUSABLE);
	cnm_proxy_of("2001:db8::/32", "2001:db8:f::21");
	cnm_assert_told(&f, 6, cnm_proxy6, ETHER_LEN, 6);
}

/* Check whether the kind says that a refusal of the last message by its receiver is forged. */
static bool
is_trusted(void)
{
	const struct fcn_icmp6_error error = {
			.type = FCN_ICMP6_UNREACHABLE, .code = FCN_ICMP6_NO_PORT};
	const uint8_t *ip = bench_out(2, 0) + ETHER_LEN;
	struct fcn_refused_notice refused = {0};
	uint8_t answer[FCN_ICMP6_ERROR_MAX];
	uint32_t len = fcn_icmp6_build_error(&error, ip + 24, 64, ip,
			bench_out_len(2, 0) - ETHER_LEN, answer, sizeof(answer));

	assert_true(fcn_notice_cnm.is_refused(
			&cnm, &bench.snap.notify.common, answer, len, &refused));
	assert_memory_equal(refused.sender, ip + 24, 16);
	return refused.is_trusted;
}

/* The answer of the proxy of a prefix is not believed, even if options name it, too. */
TEST(forged_refusal)
{
	struct frame f;

	cnm_make_named(&f, cnm_proxy6);
	cnm.codes = fcn_parse_default_codes;
	cnm.address_from = FCN_CNM_FROM_OPTION_PREFIX;
	cnm_assert_told(&f, 6, cnm_proxy6, ETHER_LEN, 6);
	assert_false(is_trusted());
	cnm_proxy_of("2001:db8:77::/48", "2001:db8:f::22");
	assert_false(is_trusted());
	cnm_proxy_of("2001:db8:77::/48", "2001:db8:f::21");
	assert_true(is_trusted());
}

/* Fast CNPs yield to messages, as it is configured. */
TEST(direct)
{
	struct frame f;

	bench_route("2001:db8:0::/48", 7); /* senders are behind port 3 */
	bench_routes_done();
	bench.snap.notify.on |= 1 << FCN_NOTICE_FAST_CNP;
	cnm_proxy_of("2001:db8::/32", "2001:db8:f::21");
	frame_roce6(&f, 1, 1, 2, 64);
	cnm_assert_told(&f, 6, cnm_proxy6, ETHER_LEN, 6); /* both */
	assert_int_equal(bench.port[3].n_out, 1);
	bench.snap.notify.yields_to[FCN_NOTICE_FAST_CNP] = 1 << FCN_NOTICE_CNM;
	bench.snap.notify.yielding = 1 << FCN_NOTICE_FAST_CNP;
	cnm_assert_told(&f, 6, cnm_proxy6, ETHER_LEN, 6);
	assert_int_equal(bench.port[3].n_out, 0);
	assert_int_equal(cnm_verdict(FCN_NOTICE_FAST_CNP, FCN_NOTIFY_OTHER_KIND), 1);
	/* The proxy was told a moment ago: that is as good. */
	bench.snap.notify.kind[FCN_NOTICE_CNM].interval_ns = 1000000;
	cnm_assert_none(&f, FCN_NOTIFY_INTERVAL);
	assert_int_equal(bench.port[3].n_out, 0);
	bench.snap.notify.kind[FCN_NOTICE_CNM].interval_ns = 0;
	/* No proxy is known, or it cannot be reached: the sender is told. */
	cnm_proxy_of("2001:db8:77::/48", "2001:db8:f::21");
	cnm_assert_none(&f, FCN_NOTIFY_NO_PROXY);
	assert_int_equal(bench.port[3].n_out, 1);
	cnm_proxy_of("2001:db8::/32", "2001:db8:99::21");
	cnm_assert_none(&f, FCN_NOTIFY_UNREACHABLE);
	assert_int_equal(bench.port[3].n_out, 1);
	bench.snap.notify.yields_always = 1 << FCN_NOTICE_FAST_CNP;
	cnm_assert_none(&f, FCN_NOTIFY_UNREACHABLE);
	assert_int_equal(bench.port[3].n_out, 0);
	assert_int_equal(cnm_verdict(FCN_NOTICE_FAST_CNP, FCN_NOTIFY_OTHER_KIND), 3);
}

/* Get the packets that were to be marked, whether they are ECN-capable or not. */
static uint64_t
queue_marked(void)
{
	uint64_t sum = 0;

	for (unsigned int c = 0; c < FCN_CLASSES; c++) {
		const struct fcn_queue_stats *s = &bench.worker->port[1].egress->queue[c].stats;

		sum += s->ce_marked + s->not_ect;
	}
	return sum;
}

/*
 * A proxy that is known and can be reached is told in place of the sender: also while a limit
 * suppresses the message, no Fast CNP goes to the sender, and the packet is marked.
 */
TEST(direct_limited)
{
	struct fcn_notify_conf *conf = &bench.snap.notify.kind[FCN_NOTICE_CNM];
	const uint64_t marked = queue_marked();
	struct frame f;

	bench_route("2001:db8:0::/48", 7); /* senders are behind port 3 */
	bench_routes_done();
	bench.snap.notify.on |= 1 << FCN_NOTICE_FAST_CNP;
	bench.snap.notify.yielding = 1 << FCN_NOTICE_FAST_CNP;
	bench.snap.notify.yields_to[FCN_NOTICE_FAST_CNP] = 1 << FCN_NOTICE_CNM;
	cnm_proxy_of("2001:db8::/32", "2001:db8:f::21");
	frame_roce6(&f, 1, 1, 2, 64);
	conf->dest_cost_ns = 1000000000;
	conf->dest_burst = 1;
	cnm_assert_told(&f, 6, cnm_proxy6, ETHER_LEN, 6);
	assert_int_equal(bench.port[3].n_out, 0);
	assert_int_equal(queue_marked(), marked);
	cnm_assert_none(&f, FCN_NOTIFY_BUCKET_DESTINATION);
	assert_int_equal(bench.port[3].n_out, 0);
	assert_int_equal(queue_marked(), marked + 1);
	conf->dest_cost_ns = 0;
	bench_queue_bucket(1000000000, 1);
	cnm_arrive(&f);
	assert_int_equal(bench.port[2].n_out, 1);
	assert_int_equal(bench.port[3].n_out, 0);
	cnm_assert_none(&f, FCN_NOTIFY_BUCKET_QUEUE);
	assert_int_equal(bench.port[3].n_out, 0);
	assert_int_equal(queue_marked(), marked + 2);
	bench_queue_bucket(0, 1);
	conf->global_cost_ns = 1000000000;
	conf->global_burst = 1;
	cnm_arrive(&f);
	assert_int_equal(bench.port[2].n_out, 1);
	cnm_assert_none(&f, FCN_NOTIFY_BUCKET_GLOBAL);
	assert_int_equal(bench.port[3].n_out, 0);
	assert_int_equal(queue_marked(), marked + 3);
	conf->global_cost_ns = 0;
	conf->source = (struct fcn_notify_bucket){.cost_ns = 1000000000, .burst = 1};
	cnm_arrive(&f);
	assert_int_equal(bench.port[2].n_out, 1);
	cnm_assert_none(&f, FCN_NOTIFY_BUCKET_SOURCE);
	assert_int_equal(bench.port[3].n_out, 0);
	assert_int_equal(queue_marked(), marked + 4);
	assert_int_equal(cnm_verdict(FCN_NOTICE_FAST_CNP, FCN_NOTIFY_OTHER_KIND), 8);
	assert_int_equal(cnm_verdict(FCN_NOTICE_FAST_CNP, FCN_NOTIFY_SENT), 0);
}

/* A congested switch that is the proxy, too, takes its messages itself, whoever names it, without
 * being in its own access list. */
TEST(own)
{
	const struct fcn_notice_accounting *l = &bench.worker->notice_accounting[FCN_NOTICE_CNM];
	struct frame f;

	bench_route("2001:db8:f::2/128", 2);
	bench_routes_done();
	frame_roce6(&f, 1, 1, 2, 64);
	cnm_proxy_of("2001:db8::/32", "2001:db8:f::2");
	cnm_assert_none(&f, FCN_NOTIFY_UNREACHABLE);
	bench.snap.proxy.receive = true;
	bench.snap.proxy.port = PORT;
	bench_new_snapshot();
	cnm_assert_none(&f, FCN_NOTIFY_SENT_1);
	assert_int_equal(l->taken, 1);
	assert_int_equal(l->transmitted, 0);
	assert_int_equal(bench.worker->proxy.counters.accepted, 1);
	assert_int_equal(bench.worker->proxy.counters.unknown, 1);
	assert_int_equal(bench.worker->proxy.counters.refused, 0);
	bench_check();
}

/* The same by an IPv4 address of one of its ports, about IPv6 and IPv4 flows. The message comes
 * from that address, whatever addresses other ports have. */
TEST(own4)
{
	const struct fcn_notice_accounting *l = &bench.worker->notice_accounting[FCN_NOTICE_CNM];
	struct frame f;

	bench_route("198.51.100.21/32", 2);
	bench_routes_done();
	memset(bench.snap.notify.common.source4, 0, sizeof(bench.snap.notify.common.source4));
	cnm_proxy_of("2001:db8::/32", "198.51.100.21");
	frame_roce6(&f, 1, 1, 2, 64);
	cnm_assert_none(&f, FCN_NOTIFY_UNREACHABLE);
	bench.snap.proxy.receive = true;
	bench.snap.proxy.port = PORT;
	bench_new_snapshot();
	cnm_assert_none(&f, FCN_NOTIFY_SENT_1);
	assert_int_equal(l->taken, 1);
	cnm_proxy_of("192.0.2.0/24", "198.51.100.21");
	cnm_make_roce4(&f, 64);
	cnm_assert_none(&f, FCN_NOTIFY_SENT_1);
	assert_int_equal(l->taken, 2);
	assert_int_equal(l->transmitted, 0);
	assert_int_equal(bench.worker->proxy.counters.accepted, 2);
	assert_int_equal(bench.worker->proxy.counters.unknown, 2);
	assert_int_equal(bench.worker->proxy.counters.refused, 0);
	bench_check();
}

/* The same if the packet names it. */
TEST(own_option)
{
	struct frame f;

	bench_route("2001:db8:f::2/128", 2);
	bench_routes_done();
	fcn_prefix_list_free(cnm.allowed);
	cnm.allowed = NULL; /* the switch itself need not be in the list */
	cnm_make_named(&f, cnm_node);
	cnm_assert_none(&f, FCN_NOTIFY_PROXY_UNUSABLE);
	cnm.is_proxy = true;
	bench.snap.proxy.receive = true;
	bench.snap.proxy.port = PORT;
	bench_new_snapshot();
	cnm_assert_none(&f, FCN_NOTIFY_SENT);
	assert_int_equal(bench.worker->proxy.counters.accepted, 1);
	bench_check();
}

/*
 * The proxy's bucket has four tokens and each sender's two. A sender with ten flows gets two
 * messages through, so another one with a single flow is told about; a message that the proxy's
 * bucket refuses costs its sender nothing.
 */
TEST(source_bucket)
{
	struct fcn_notify_conf *conf = &bench.snap.notify.kind[FCN_NOTICE_CNM];
	struct frame f;

	cnm_proxy_of("2001:db8::/32", "2001:db8:f::21");
	conf->dest_cost_ns = 100000000;
	conf->dest_burst = 4;
	conf->source = (struct fcn_notify_bucket){.cost_ns = 100000000, .burst = 2};
	frame_roce6(&f, 1, 1, 2, 64);
	for (unsigned int flow = 0; flow < 10; flow++) {
		f.data[f.udp + 8 + 7] = flow;
		if (flow < 2)
			cnm_assert_told(&f, 6, cnm_proxy6, ETHER_LEN, 6);
		else
			cnm_assert_none(&f, FCN_NOTIFY_BUCKET_SOURCE);
	}
	frame_roce6(&f, 9, 1, 2, 64);
	cnm_assert_told(&f, 6, cnm_proxy6, ETHER_LEN, 6);
	cnm_assert_told(&f, 6, cnm_proxy6, ETHER_LEN, 6);
	frame_roce6(&f, 10, 1, 2, 64);
	cnm_assert_none(&f, FCN_NOTIFY_BUCKET_DESTINATION);
	conf->dest_cost_ns = 0;
	cnm_assert_told(&f, 6, cnm_proxy6, ETHER_LEN, 6);
	cnm_assert_told(&f, 6, cnm_proxy6, ETHER_LEN, 6);
	cnm_assert_none(&f, FCN_NOTIFY_BUCKET_SOURCE);
}
