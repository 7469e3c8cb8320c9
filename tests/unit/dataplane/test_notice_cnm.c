/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Congestion Notification Messages through a whole worker: which packets cause them, whom they are
 * sent to, and every octet of them. Whether a message says what it should is checked by
 * test_wire_cnm, with vectors.
 */

#include "fcn_cnm.h"
#include "fcn_icmp6.h"
#include "fcn_notice_cnm.h"
#include "testbed.h"
#include "vectors.h"

#define ETHER_LEN 14
#define CLASS 3
#define PORT 1021

static const uint8_t node[16] = {0x20, 1, 0x0d, 0xb8, 0, 0xf, [15] = 2};
static const uint8_t proxy6[16] = {0x20, 1, 0x0d, 0xb8, 0, 0xf, [15] = 0x21};
static const uint8_t other6[16] = {0x20, 1, 0x0d, 0xb8, 0, 0xf, [15] = 0x22};
static const uint8_t proxy4[4] = {198, 51, 100, 21};
static const uint8_t node4[4] = {192, 0, 2, 254};

static struct fcn_notice_cnm_conf cnm;

static struct fcn_prefix_list *
list_of(const char *text)
{
	struct fcn_prefix_value v = {.value = 1};

	assert_int_equal(fcn_prefix_parse(text, &v.prefix), 0);
	return fcn_prefix_list_create("list", &v, 1, SOCKET_ID_ANY);
}

/* The proxy of one prefix of senders. */
static void
proxy_of(const char *senders, const char *proxy)
{
	struct fcn_proxy_prefix item = {.origin = FCN_PROXY_STATIC};

	fcn_proxy_map_free(cnm.proxies);
	assert_int_equal(fcn_prefix_parse(senders, &item.prefix), 0);
	assert_int_equal(fcn_addr_parse(proxy, &item.proxy), 0);
	cnm.proxies = fcn_proxy_map_create("proxies", &item, 1, SOCKET_ID_ANY);
	assert_non_null(cnm.proxies);
}

static int
setup(void **state)
{
	bench_setup(state);
	bench_route("2001:db8:1::/48", 5); /* the congested way is by port 1 */
	bench_route("198.51.100.128/25", 5);
	bench_route("2001:db8:f::/48", 6); /* proxies are behind port 2 */
	bench_route("198.51.100.0/25", 6);
	bench_routes_done();
	bench_notices(1, 1);
	memset(&cnm, 0, sizeof(cnm));
	memcpy(bench.snap.notify.common.source, node, sizeof(node));
	memcpy(bench.snap.notify.common.source4[2], node4, sizeof(node4));
	cnm.message = (struct fcn_cnm_template){.port = PORT, .dscp = 48, .hop_limit = 64};
	assert_int_equal(fcn_cnm_template_init(&cnm.message), 0);
	bench.snap.notify.n_kinds = fcn_notice_kind_count;
	bench.snap.notify.on = 1 << FCN_NOTICE_CNM;
	bench.snap.notify.kind[FCN_NOTICE_CNM] = bench.snap.notify.kind[FCN_NOTICE_FAST_CNP];
	bench.snap.notify.kind[FCN_NOTICE_CNM].kind = &fcn_notice_cnm;
	bench.snap.notify.kind[FCN_NOTICE_CNM].own = &cnm;
	return 0;
}

static int
teardown(void **state)
{
	fcn_cnm_template_fini(&cnm.message);
	fcn_proxy_map_free(cnm.proxies);
	fcn_prefix_list_free(cnm.allowed);
	fcn_prefix_list_free(cnm.refused);
	return bench_teardown(state);
}

static uint64_t
verdict(unsigned int kind, unsigned int v)
{
	uint64_t sum = 0;

	for (unsigned int c = 0; c < FCN_NOTIFY_CLASSES; c++)
		sum += bench.worker->notify[kind].stats[1][c].verdict[v];
	return sum;
}

static void
arrive(struct frame *f)
{
	bench_forget_out();
	memcpy(f->data, &bench.snap.port[0].mac, 6);
	bench_in(0, f);
	bench_poll(bench.worker->now + 1000);
}

/* The packet causes no message, for this reason. */
static void
assert_none(struct frame *f, enum fcn_notify_verdict why)
{
	const uint64_t before = verdict(FCN_NOTICE_CNM, why);

	arrive(f);
	assert_int_equal(bench.port[2].n_out, 0);
	assert_int_equal(verdict(FCN_NOTICE_CNM, why), before + 1);
}

/* The packet causes a message to a proxy, which quotes it from an offset on, as it is now. */
static void
assert_told(struct frame *f, unsigned int version, const uint8_t *proxy, uint32_t quote_off,
		unsigned int flow_version)
{
	const uint32_t max = fcn_cnm_quote_max(version, flow_version);
	const uint8_t *frame, *ip, *forwarded;
	const unsigned int notices = __builtin_popcount(
			bench.snap.notify.on & ~bench.snap.notify.yielding);
	struct fcn_event ev[2];
	struct fcn_cnm got;
	uint32_t len;

	bench_events_of(FCN_EVENT_NOTICE, ev, 0);
	arrive(f);
	assert_int_equal(bench.port[2].n_out, 1);
	assert_int_equal(bench.port[1].n_out, 1);
	frame = bench_out(2, 0);
	len = bench_out_len(2, 0);
	ip = frame + ETHER_LEN;
	assert_memory_equal(frame, ((uint8_t[6]){2, 0, 0, 0, 0, 22}), 6);
	assert_int_equal(frame[12] << 8 | frame[13], version == 4 ? 0x0800 : 0x86DD);
	assert_int_equal(fcn_cnm_parse(ip, version == 4 ? 20 : 40, len - ETHER_LEN,
					 &fcn_parse_default_codes, &got),
			FCN_CNM_OK);
	if (version == 4) {
		assert_memory_equal(ip + 12, node4, 4);
		assert_memory_equal(ip + 16, proxy, 4);
		assert_int_equal(ip[8], 64);
		assert_int_equal(ip4_checksum(ip), ip[10] << 8 | ip[11]);
	} else {
		assert_memory_equal(ip + 8, node, 16);
		assert_memory_equal(ip + 24, proxy, 16);
		assert_int_equal(ip[7], 64);
	}
	assert_int_equal(got.flow.version, flow_version);
	assert_int_equal(bench_events_of(FCN_EVENT_NOTICE, ev, RTE_DIM(ev)), notices);
	assert_int_equal(ev[notices - 1].kind, FCN_NOTICE_CNM);
	assert_int_equal(got.flow.level, ev[notices - 1].level);
	assert_int_equal(got.quote_len, RTE_MIN(f->len - quote_off, max));
	/* What is quoted is what leaves, but for the CE mark, which comes later. */
	forwarded = bench_out(1, 0) + quote_off;
	assert_int_equal(got.quote[0], forwarded[0]);
	assert_memory_equal(got.quote + 20, forwarded + 20, got.quote_len - 20);
}

static void
make_roce4(struct frame *f, uint32_t payload)
{
	*f = (struct frame){0};
	frame_ether(f, 0x0800);
	frame_ip4(f, 17, 20);
	memcpy(f->data + 14 + 16, ((uint8_t[4]){198, 51, 100, 200}), 4);
	frame_roce(f, payload);
	f->data[15] = CLASS << 5 | 1;
	frame_finish(f);
}

/* Messages over either version about flows of either, short and too long to be quoted whole. */
static void
test_versions(void **state)
{
	static const uint32_t payloads[] = {64, 456, 464, 508, 1100, 1118, 1200, 1400};
	struct frame f;

	RTE_SET_USED(state);
	for (size_t i = 0; i < RTE_DIM(payloads); i++) {
		frame_roce6(&f, 1, 1, 2, payloads[i]);
		proxy_of("2001:db8::/32", "2001:db8:f::21");
		assert_told(&f, 6, proxy6, ETHER_LEN, 6);
		proxy_of("2001:db8::/32", "198.51.100.21");
		assert_told(&f, 4, proxy4, ETHER_LEN, 6);
		make_roce4(&f, payloads[i]);
		proxy_of("192.0.2.0/24", "2001:db8:f::21");
		assert_told(&f, 6, proxy6, ETHER_LEN, 4);
		proxy_of("192.0.2.0/24", "198.51.100.21");
		assert_told(&f, 4, proxy4, ETHER_LEN, 4);
	}
	assert_int_equal(verdict(FCN_NOTICE_CNM, FCN_NOTIFY_SENT_1), 4 * RTE_DIM(payloads));
	assert_int_equal(bench.worker->notice_accounting[FCN_NOTICE_CNM].made,
			4 * RTE_DIM(payloads));
}

/* A packet in several buffers. */
static void
test_chained(void **state)
{
	struct frame f;

	RTE_SET_USED(state);
	bench.snap.port[1].mtu = bench.next_hop[5].mtu = 4000;
	bench.snap.port[0].mtu = 4000;
	proxy_of("2001:db8::/32", "2001:db8:f::21");
	frame_roce6(&f, 1, 1, 2, 3500);
	assert_told(&f, 6, proxy6, ETHER_LEN, 6);
}

/* The packet of vector 13, with an option that names a proxy. @return offset of the option */
static uint32_t
make_named(struct frame *f, const uint8_t *proxy)
{
	struct vectors v;
	uint32_t off;

	*f = (struct frame){0};
	vectors_load(&v, "13_roce6_write_proxyopt");
	memcpy(f->data, v.data[0], v.len[0]);
	f->len = v.len[0];
	vectors_free(&v);
	frame_class(f, CLASS, 1);
	f->data[14 + 24 + 5] = 1; /* to 2001:db8:1:: */
	for (off = 14 + 40; f->data[off] != 0x1E; off++)
		;
	memcpy(f->data + off + 2, proxy, 16);
	return off;
}

/* The option of vector 13, and which of the two ways is tried first. */
static void
test_option(void **state)
{
	static const uint8_t option[16] = {0x20, 1, 0x0d, 0xb8, 0, 0xf, [15] = 0x22};
	struct frame f;
	uint32_t off;

	RTE_SET_USED(state);
	off = make_named(&f, option);
	proxy_of("2001:db8::/32", "2001:db8:f::21");
	assert_told(&f, 6, other6, ETHER_LEN, 6);
	assert_int_equal(verdict(FCN_NOTICE_CNM, FCN_NOTIFY_SENT), 1);
	cnm.address_from = FCN_CNM_FROM_PREFIX_OPTION;
	assert_told(&f, 6, proxy6, ETHER_LEN, 6);
	assert_int_equal(verdict(FCN_NOTICE_CNM, FCN_NOTIFY_SENT_1), 1);
	cnm.address_from = FCN_CNM_FROM_PREFIX;
	assert_told(&f, 6, proxy6, ETHER_LEN, 6);
	proxy_of("2001:db8:77::/48", "2001:db8:f::21");
	assert_none(&f, FCN_NOTIFY_NO_PROXY);
	cnm.address_from = FCN_CNM_FROM_PREFIX_OPTION;
	assert_told(&f, 6, other6, ETHER_LEN, 6);
	cnm.address_from = FCN_CNM_FROM_OPTION;
	assert_told(&f, 6, other6, ETHER_LEN, 6);
	/* Only proxies of a list may be named. */
	cnm.allowed = list_of("2001:db8:f::21/128");
	assert_none(&f, FCN_NOTIFY_PROXY_UNUSABLE);
	cnm.address_from = FCN_CNM_FROM_OPTION_PREFIX;
	proxy_of("2001:db8::/32", "2001:db8:f::21");
	assert_told(&f, 6, proxy6, ETHER_LEN, 6);
	fcn_prefix_list_free(cnm.allowed);
	cnm.allowed = list_of("2001:db8:f::/64");
	assert_told(&f, 6, other6, ETHER_LEN, 6);
	/* Neither the switch itself, nor an address that no packet can have. */
	memcpy(f.data + off + 2, node, 16);
	assert_told(&f, 6, proxy6, ETHER_LEN, 6);
	memset(f.data + off + 2, 0, 16);
	f.data[off + 2 + 15] = 1;
	fcn_prefix_list_free(cnm.allowed);
	cnm.allowed = NULL;
	assert_told(&f, 6, proxy6, ETHER_LEN, 6);
	memcpy(f.data + off + 2 + 10, ((uint8_t[6]){0xff, 0xff, 198, 51, 100, 21}), 6);
	assert_told(&f, 6, proxy6, ETHER_LEN, 6);
}

/* A proxy that an option names is not told after it has refused messages. What the configuration
 * or a routing protocol says is believed more than a refusal. */
static void
test_refused(void **state)
{
	struct frame f;

	RTE_SET_USED(state);
	cnm.address_from = FCN_CNM_FROM_OPTION_PREFIX;
	make_named(&f, proxy6);
	assert_told(&f, 6, proxy6, ETHER_LEN, 6);
	cnm.refused = list_of("2001:db8:f::21/128");
	assert_none(&f, FCN_NOTIFY_PROXY_UNUSABLE);
	proxy_of("2001:db8::/32", "2001:db8:f::21");
	assert_told(&f, 6, proxy6, ETHER_LEN, 6);
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
static void
test_forged_refusal(void **state)
{
	struct frame f;

	RTE_SET_USED(state);
	make_named(&f, proxy6);
	cnm.codes = fcn_parse_default_codes;
	cnm.address_from = FCN_CNM_FROM_OPTION_PREFIX;
	assert_told(&f, 6, proxy6, ETHER_LEN, 6);
	assert_false(is_trusted());
	proxy_of("2001:db8:77::/48", "2001:db8:f::22");
	assert_false(is_trusted());
	proxy_of("2001:db8:77::/48", "2001:db8:f::21");
	assert_true(is_trusted());
}

/* Acknowledgements, CNPs, messages between switches, and what is no flow. */
static void
test_not_due(void **state)
{
	struct frame f;

	RTE_SET_USED(state);
	proxy_of("::/0", "2001:db8:f::21");
	cnm.arn_port = 1022;
	frame_roce6(&f, 1, 1, 2, 64);
	f.data[f.udp + 8] = 0x11;
	assert_none(&f, FCN_NOTIFY_NOT_DATA);
	frame_roce6(&f, 1, 1, 2, 64);
	f.data[f.udp + 2] = PORT >> 8;
	f.data[f.udp + 3] = PORT & 0xFF;
	assert_none(&f, FCN_NOTIFY_NOT_DATA);
	f.data[f.udp + 3]++;
	assert_none(&f, FCN_NOTIFY_NOT_DATA);
	f.data[f.udp + 3]++; /* any other UDP is data */
	assert_told(&f, 6, proxy6, ETHER_LEN, 6);
	f.data[14 + 6] = 58;
	assert_none(&f, FCN_NOTIFY_NOT_DATA);
	f.data[14 + 6] = 6; /* TCP */
	assert_told(&f, 6, proxy6, ETHER_LEN, 6);
	f.data[14 + 6] = 50; /* ESP */
	assert_told(&f, 6, proxy6, ETHER_LEN, 6);
	f.data[14 + 6] = 44;
	assert_none(&f, FCN_NOTIFY_NO_FLOW);
	make_roce4(&f, 64);
	assert_none(&f, FCN_NOTIFY_NO_PROXY); /* it is that of IPv6 senders */
	frame_roce6(&f, 1, 1, 2, 64);
	proxy_of("0.0.0.0/0", "2001:db8:f::21");
	assert_none(&f, FCN_NOTIFY_NO_PROXY);
	fcn_proxy_map_free(cnm.proxies);
	cnm.proxies = NULL;
	assert_none(&f, FCN_NOTIFY_NO_PROXY);
}

/* The flow of a tunnelled packet is that of the inner one, and so is the quote. */
static void
test_tunnel(void **state)
{
	struct frame f = {0};

	RTE_SET_USED(state);
	proxy_of("192.0.2.0/24", "198.51.100.21");
	frame_ether(&f, 0x86DD);
	frame_ip6(&f, 4);
	f.data[14 + 24 + 5] = 1;
	frame_ip4(&f, 17, 20);
	frame_roce(&f, 1000);
	frame_finish(&f);
	frame_class(&f, CLASS, 1);
	assert_told(&f, 4, proxy4, ETHER_LEN + 40, 4);
}

/* A flow is told about once in an interval, whatever the IP version; other flows are others. */
static void
test_interval(void **state)
{
	struct frame f, g;

	RTE_SET_USED(state);
	bench.snap.notify.kind[FCN_NOTICE_CNM].interval_ns = 1000000;
	proxy_of("192.0.2.0/24", "198.51.100.21");
	make_roce4(&f, 64);
	assert_told(&f, 4, proxy4, ETHER_LEN, 4);
	assert_none(&f, FCN_NOTIFY_INTERVAL);
	f.data[14 + 8]--; /* the TTL is none of the flow's */
	frame_finish(&f);
	assert_none(&f, FCN_NOTIFY_INTERVAL);
	g = f;
	g.data[14 + 19]--;
	frame_finish(&g);
	assert_told(&g, 4, proxy4, ETHER_LEN, 4);
	g.data[g.udp + 8 + 7]++; /* another queue pair */
	assert_told(&g, 4, proxy4, ETHER_LEN, 4);
	assert_none(&f, FCN_NOTIFY_INTERVAL);
	g.data[g.udp + 3]++; /* UDP that is not RoCEv2 */
	assert_told(&g, 4, proxy4, ETHER_LEN, 4);
	g.data[14 + 9] = 6; /* and TCP with the same ports */
	frame_finish(&g);
	assert_told(&g, 4, proxy4, ETHER_LEN, 4);
}

/* Without a route, or an IPv4 address to send from, no message is made. */
static void
test_unreachable(void **state)
{
	struct frame f;

	RTE_SET_USED(state);
	frame_roce6(&f, 1, 1, 2, 64);
	proxy_of("2001:db8::/32", "2001:db8:99::21");
	assert_none(&f, FCN_NOTIFY_UNREACHABLE);
	proxy_of("2001:db8::/32", "203.0.113.1");
	assert_none(&f, FCN_NOTIFY_UNREACHABLE);
	proxy_of("2001:db8::/32", "198.51.100.21");
	memset(bench.snap.notify.common.source4[2], 0, 4);
	assert_none(&f, FCN_NOTIFY_UNREACHABLE);
	memcpy(bench.snap.notify.common.source4[2], node4, 4);
	bench_new_snapshot();
	assert_told(&f, 4, proxy4, ETHER_LEN, 6);
	bench.snap.border.ports = 1 << 2;
	assert_none(&f, FCN_NOTIFY_UNREACHABLE);
}

/* Of several paths, that of the message is chosen by a hash; IPv4 has to have an address there. */
static void
test_paths(void **state)
{
	struct frame f;

	RTE_SET_USED(state);
	bench.next_hop[40] = (struct fcn_next_hop){.type = FCN_NEXT_HOP_GROUP, .n_members = 1};
	bench.member[0] = 6;
	bench_route("203.0.113.0/24", 40);
	bench_routes_done();
	frame_roce6(&f, 1, 1, 2, 64);
	proxy_of("2001:db8::/32", "203.0.113.21");
	assert_told(&f, 4, (const uint8_t[4]){203, 0, 113, 21}, ETHER_LEN, 6);
	memset(bench.snap.notify.common.source4[2], 0, 4);
	assert_none(&f, FCN_NOTIFY_UNREACHABLE);
}

/* In a bridge, the message is routed by a port that is not in the bridge. */
static void
test_bridged(void **state)
{
	struct frame f;

	RTE_SET_USED(state);
	bench_bridge(2);
	frame_roce6(&f, 1, 1, 2, 64);
	frame_macs(&f, 9, 8);
	proxy_of("2001:db8::/32", "2001:db8:f::21");
	bench_in(0, &f);
	bench_poll(1000);
	assert_int_equal(bench.port[2].n_out, 1);
	assert_memory_equal(bench_out(2, 0) + 14 + 24, proxy6, 16);
	proxy_of("2001:db8::/32", "2001:db8:99::21");
	bench_in(0, &f);
	bench_poll(2000);
	assert_int_equal(bench.port[2].n_out, 0);
	assert_int_equal(verdict(FCN_NOTICE_CNM, FCN_NOTIFY_UNREACHABLE), 1);
}

/* Fast CNPs yield to messages, as it is configured. */
static void
test_direct(void **state)
{
	struct frame f;

	RTE_SET_USED(state);
	bench_route("2001:db8:0::/48", 7); /* senders are behind port 3 */
	bench_routes_done();
	bench.snap.notify.on |= 1 << FCN_NOTICE_FAST_CNP;
	proxy_of("2001:db8::/32", "2001:db8:f::21");
	frame_roce6(&f, 1, 1, 2, 64);
	assert_told(&f, 6, proxy6, ETHER_LEN, 6); /* both */
	assert_int_equal(bench.port[3].n_out, 1);
	bench.snap.notify.yields_to[FCN_NOTICE_FAST_CNP] = 1 << FCN_NOTICE_CNM;
	bench.snap.notify.yielding = 1 << FCN_NOTICE_FAST_CNP;
	assert_told(&f, 6, proxy6, ETHER_LEN, 6);
	assert_int_equal(bench.port[3].n_out, 0);
	assert_int_equal(verdict(FCN_NOTICE_FAST_CNP, FCN_NOTIFY_OTHER_KIND), 1);
	/* The proxy was told a moment ago: that is as good. */
	bench.snap.notify.kind[FCN_NOTICE_CNM].interval_ns = 1000000;
	assert_none(&f, FCN_NOTIFY_INTERVAL);
	assert_int_equal(bench.port[3].n_out, 0);
	bench.snap.notify.kind[FCN_NOTICE_CNM].interval_ns = 0;
	/* No proxy is known, or it cannot be reached: the sender is told. */
	proxy_of("2001:db8:77::/48", "2001:db8:f::21");
	assert_none(&f, FCN_NOTIFY_NO_PROXY);
	assert_int_equal(bench.port[3].n_out, 1);
	proxy_of("2001:db8::/32", "2001:db8:99::21");
	assert_none(&f, FCN_NOTIFY_UNREACHABLE);
	assert_int_equal(bench.port[3].n_out, 1);
	bench.snap.notify.yields_always = 1 << FCN_NOTICE_FAST_CNP;
	assert_none(&f, FCN_NOTIFY_UNREACHABLE);
	assert_int_equal(bench.port[3].n_out, 0);
	assert_int_equal(verdict(FCN_NOTICE_FAST_CNP, FCN_NOTIFY_OTHER_KIND), 3);
}

/* A message that a limit suppresses tells nobody, so the sender is told by a Fast CNP. */
static void
test_direct_limited(void **state)
{
	struct fcn_notify_conf *conf = &bench.snap.notify.kind[FCN_NOTICE_CNM];
	struct frame f;

	RTE_SET_USED(state);
	bench_route("2001:db8:0::/48", 7); /* senders are behind port 3 */
	bench_routes_done();
	bench.snap.notify.on |= 1 << FCN_NOTICE_FAST_CNP;
	bench.snap.notify.yielding = 1 << FCN_NOTICE_FAST_CNP;
	bench.snap.notify.yields_to[FCN_NOTICE_FAST_CNP] = 1 << FCN_NOTICE_CNM;
	proxy_of("2001:db8::/32", "2001:db8:f::21");
	frame_roce6(&f, 1, 1, 2, 64);
	conf->dest_cost_ns = 1000000000;
	conf->dest_burst = 1;
	assert_told(&f, 6, proxy6, ETHER_LEN, 6);
	assert_int_equal(bench.port[3].n_out, 0);
	assert_none(&f, FCN_NOTIFY_BUCKET_DESTINATION);
	assert_int_equal(bench.port[3].n_out, 1);
	conf->dest_cost_ns = 0;
	bench_queue_bucket(1000000000, 1);
	arrive(&f);
	assert_int_equal(bench.port[2].n_out, 1);
	assert_int_equal(bench.port[3].n_out, 0);
	assert_none(&f, FCN_NOTIFY_BUCKET_QUEUE);
	assert_int_equal(bench.port[3].n_out, 1);
	assert_int_equal(verdict(FCN_NOTICE_FAST_CNP, FCN_NOTIFY_OTHER_KIND), 2);
	assert_int_equal(verdict(FCN_NOTICE_FAST_CNP, FCN_NOTIFY_SENT), 2);
	/* With `never` it is not told, and the packet is marked. */
	bench.snap.notify.yields_always = 1 << FCN_NOTICE_FAST_CNP;
	assert_none(&f, FCN_NOTIFY_BUCKET_QUEUE);
	assert_int_equal(bench.port[3].n_out, 0);
	assert_int_equal(verdict(FCN_NOTICE_FAST_CNP, FCN_NOTIFY_OTHER_KIND), 3);
}

/* Whether the packet is marked, too. */
static void
test_mark(void **state)
{
	struct frame f;

	RTE_SET_USED(state);
	proxy_of("2001:db8::/32", "2001:db8:f::21");
	frame_roce6(&f, 1, 1, 2, 64);
	arrive(&f);
	assert_int_equal(bench_out(1, 0)[15] & 0x30, f.data[15] & 0x30);
	cnm.mark_unknown = true;
	arrive(&f);
	assert_int_equal(bench_out(1, 0)[15] & 0x30, 0x30);
}

/* Events have the addresses of the flow; IPv4 ones are mapped. */
static void
test_event(void **state)
{
	static const uint8_t sender[16] = {[10] = 0xff, 0xff, 192, 0, 2, 1};
	static const uint8_t receiver[16] = {[10] = 0xff, 0xff, 198, 51, 100, 200};
	struct fcn_event ev;
	struct frame f;

	RTE_SET_USED(state);
	proxy_of("192.0.2.0/24", "198.51.100.21");
	make_roce4(&f, 64);
	bench_events_of(FCN_EVENT_NOTICE, &ev, 0);
	arrive(&f);
	assert_int_equal(bench_events_of(FCN_EVENT_NOTICE, &ev, 1), 1);
	assert_int_equal(ev.kind, FCN_NOTICE_CNM);
	assert_memory_equal(ev.sender, sender, 16);
	assert_memory_equal(ev.receiver, receiver, 16);
	assert_int_equal(ev.dest_qp, 0x123456);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

/* A congested switch that is the proxy, too, takes its messages itself, whoever names it, without
 * being in its own access list. */
static void
test_own(void **state)
{
	const struct fcn_notice_accounting *l = &bench.worker->notice_accounting[FCN_NOTICE_CNM];
	struct frame f;

	RTE_SET_USED(state);
	bench_route("2001:db8:f::2/128", 2);
	bench_routes_done();
	frame_roce6(&f, 1, 1, 2, 64);
	proxy_of("2001:db8::/32", "2001:db8:f::2");
	assert_none(&f, FCN_NOTIFY_UNREACHABLE);
	bench.snap.proxy.receive = true;
	bench.snap.proxy.port = PORT;
	bench_new_snapshot();
	assert_none(&f, FCN_NOTIFY_SENT_1);
	assert_int_equal(l->taken, 1);
	assert_int_equal(l->transmitted, 0);
	assert_int_equal(bench.worker->proxy.counters.accepted, 1);
	assert_int_equal(bench.worker->proxy.counters.unknown, 1);
	assert_int_equal(bench.worker->proxy.counters.refused, 0);
	bench_check();
}

/* The same by an IPv4 address of one of its ports, about IPv6 and IPv4 flows. The message comes
 * from that address, whatever addresses other ports have. */
static void
test_own4(void **state)
{
	const struct fcn_notice_accounting *l = &bench.worker->notice_accounting[FCN_NOTICE_CNM];
	struct frame f;

	RTE_SET_USED(state);
	bench_route("198.51.100.21/32", 2);
	bench_routes_done();
	memset(bench.snap.notify.common.source4, 0, sizeof(bench.snap.notify.common.source4));
	proxy_of("2001:db8::/32", "198.51.100.21");
	frame_roce6(&f, 1, 1, 2, 64);
	assert_none(&f, FCN_NOTIFY_UNREACHABLE);
	bench.snap.proxy.receive = true;
	bench.snap.proxy.port = PORT;
	bench_new_snapshot();
	assert_none(&f, FCN_NOTIFY_SENT_1);
	assert_int_equal(l->taken, 1);
	proxy_of("192.0.2.0/24", "198.51.100.21");
	make_roce4(&f, 64);
	assert_none(&f, FCN_NOTIFY_SENT_1);
	assert_int_equal(l->taken, 2);
	assert_int_equal(l->transmitted, 0);
	assert_int_equal(bench.worker->proxy.counters.accepted, 2);
	assert_int_equal(bench.worker->proxy.counters.unknown, 2);
	assert_int_equal(bench.worker->proxy.counters.refused, 0);
	bench_check();
}

/* The same if the packet names it. */
static void
test_own_option(void **state)
{
	struct vectors v;
	struct frame f = {0};
	uint32_t off;

	RTE_SET_USED(state);
	bench_route("2001:db8:f::2/128", 2);
	bench_routes_done();
	vectors_load(&v, "13_roce6_write_proxyopt");
	f.len = v.len[0];
	memcpy(f.data, v.data[0], f.len);
	vectors_free(&v);
	frame_class(&f, CLASS, 1);
	f.data[14 + 24 + 5] = 1; /* to 2001:db8:1:: */
	for (off = 14 + 40; f.data[off] != 0x1E; off++)
		;
	memcpy(f.data + off + 2, node, sizeof(node));
	assert_none(&f, FCN_NOTIFY_PROXY_UNUSABLE);
	cnm.is_proxy = true;
	bench.snap.proxy.receive = true;
	bench.snap.proxy.port = PORT;
	bench_new_snapshot();
	assert_none(&f, FCN_NOTIFY_SENT);
	assert_int_equal(bench.worker->proxy.counters.accepted, 1);
	bench_check();
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
			TEST(test_versions),
			TEST(test_chained),
			TEST(test_option),
			TEST(test_refused),
			TEST(test_forged_refusal),
			TEST(test_not_due),
			TEST(test_tunnel),
			TEST(test_interval),
			TEST(test_unreachable),
			TEST(test_paths),
			TEST(test_bridged),
			TEST(test_direct),
			TEST(test_direct_limited),
			TEST(test_mark),
			TEST(test_event),
			TEST(test_own),
			TEST(test_own4),
			TEST(test_own_option),
	};

	return cmocka_run_group_tests_name(
			"notice_cnm", tests, fcn_test_eal_init, fcn_test_eal_cleanup);
}
