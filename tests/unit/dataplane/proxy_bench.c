/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "proxy_bench.h"
#include "reference.h"

#define NODE "2001:db8:f::5/128" /* sources of the messages */
#define NODE4 "203.0.113.5/32"

struct proxy_vectors proxy_vectors;
unsigned int proxy_n_senders;
struct fcn_fib *proxy_normal;

static struct fcn_prefix_value sender[8];

static struct fcn_prefix
prefix_of(const char *text)
{
	struct fcn_prefix p;

	assert_int_equal(fcn_prefix_parse(text, &p), 0);
	return p;
}

void
proxy_publish(void)
{
	struct fcn_proxy_conf *conf = &bench.snap.proxy;

	fcn_prefix_list_free(conf->senders);
	conf->senders = fcn_prefix_list_create("senders", sender, proxy_n_senders, SOCKET_ID_ANY);
	assert_non_null(conf->senders);
	bench_new_snapshot();
	bench_poll(bench.worker->now + 1);
}

void
proxy_translate(const char *prefix, enum fcn_proxy_translation translation)
{
	sender[proxy_n_senders++] = (struct fcn_prefix_value){
			.prefix = prefix_of(prefix), .value = translation};
	proxy_publish();
}

void
proxy_add_qp(const char *receiver, uint32_t qp, uint32_t sender_qp)
{
	struct fcn_qp_pair pair = {.receiver_qp = qp, .sender_qp = sender_qp};

	assert_int_equal(fcn_addr_parse(receiver, &pair.receiver), 0);
	fcn_qp_map_free(bench.snap.proxy.qps);
	bench.snap.proxy.qps = fcn_qp_map_create("qps", 0, 1, 0, SOCKET_ID_ANY);
	assert_non_null(bench.snap.proxy.qps);
	assert_int_equal(fcn_qp_map_put(bench.snap.proxy.qps, &pair, 0, 0), 0);
	proxy_publish();
}

int
proxy_setup(void **state)
{
	struct fcn_proxy_conf *conf = &bench.snap.proxy;
	const struct fcn_prefix_value nodes[] = {{prefix_of(NODE), 1}, {prefix_of(NODE4), 1}};
	struct fcn_fastcnp_conf fast = {
			.opt1_type = 0x9e, .opt2_type = 0x9f, .dscp = 48, .hop_limit = 64};

	srv6_bench_setup(state);
	vectors_load(&proxy_vectors.cnm, "14_cnm");
	vectors_load(&proxy_vectors.fast_cnp, "09_fastcnp_opt1");
	vectors_load(&proxy_vectors.fast_cnp_trace, "10_fastcnp_opt2");
	vectors_load(&proxy_vectors.cnp, "04_cnp");
	vectors_load(&proxy_vectors.data, "01_roce6_write");
	vectors_load(&proxy_vectors.data_ioam, "05_roce6_write_ioam");
	memcpy(fast.source, proxy_vectors.fast_cnp.data[0] + ETHER_LEN + 8, 16);
	*conf = (struct fcn_proxy_conf){.receive = true,
			.port = PORT,
			.class = 6,
			.dscp = 48,
			.hop_limit = 64,
			.interval_ns = 50 * US,
			.least_interval_ns = 50 * US,
			.pfc_ns = 800 * US,
			.ce_ns = 1000 * US};
	assert_int_equal(fcn_fastcnp_template_init(&conf->fastcnp, &fast), 0);
	conf->nodes = fcn_prefix_list_create("nodes", nodes, RTE_DIM(nodes), SOCKET_ID_ANY);
	assert_non_null(conf->nodes);
	proxy_n_senders = 0;
	bench.next_hop[CONNECTED] = (struct fcn_next_hop){
			.type = FCN_NEXT_HOP_CONNECTED, .port = 2, .interface = 2, .mtu = 1500};
	bench_route("2001:db8:1::/48", TO_PORT(1));
	bench_route("192.0.2.0/24", TO_PORT(1));
	bench_route("2001:db8:2::/48", TO_PORT(3));
	bench_route("198.51.100.0/24", TO_PORT(3));
	bench_route("2001:db8:3::99/128", LOCAL);
	bench_route("192.0.2.99/32", LOCAL);
	bench_routes_done();
	bench_new_snapshot();
	bench_poll(1000);
	return 0;
}

int
proxy_teardown(void **state)
{
	struct fcn_proxy_conf *conf = &bench.snap.proxy;

	bench_check();
	bench.snap.srv6.select = NULL;
	fcn_fib_free(proxy_normal);
	proxy_normal = NULL;
	fcn_prefix_list_free(conf->nodes);
	fcn_prefix_list_free(conf->senders);
	fcn_qp_map_free(conf->qps);
	fcn_fastcnp_template_fini(&conf->fastcnp);
	vectors_free(&proxy_vectors.cnm);
	vectors_free(&proxy_vectors.fast_cnp);
	vectors_free(&proxy_vectors.fast_cnp_trace);
	vectors_free(&proxy_vectors.cnp);
	vectors_free(&proxy_vectors.data);
	vectors_free(&proxy_vectors.data_ioam);
	return srv6_bench_teardown(state);
}

uint32_t
proxy_udp_off(const uint8_t *frame)
{
	return ETHER_LEN + (frame[ETHER_LEN] >> 4 == 4 ? 20 : 40);
}

void
proxy_finish(uint8_t *frame, uint32_t len)
{
	ref_udp_finish(frame + ETHER_LEN, len - ETHER_LEN);
}

void
proxy_turn(uint64_t now)
{
	bench_poll(now);
}

void
proxy_report(unsigned int which, uint64_t after)
{
	srv6_arrive(proxy_vectors.cnm.data[which], proxy_vectors.cnm.len[which]);
	proxy_turn(bench.worker->now + after);
}

void
proxy_set_level(unsigned int which, unsigned int level)
{
	uint8_t *d = proxy_vectors.cnm.data[which] + proxy_udp_off(proxy_vectors.cnm.data[which]) +
		     8;

	*d = (uint8_t)((*d & 0xF1) | level << 1);
	proxy_finish(proxy_vectors.cnm.data[which], proxy_vectors.cnm.len[which]);
}

void
proxy_set_flow(unsigned int which, uint16_t port)
{
	uint8_t *frame = proxy_vectors.cnm.data[which], *d = frame + proxy_udp_off(frame) + 8;
	uint8_t *quote = d + (*d >> 4 == 4 ? 16 : 40);
	uint8_t *udp = quote + (*d >> 4 == 4 ? 20 : 40);

	d[4] = udp[0] = (uint8_t)(port >> 8);
	d[5] = udp[1] = (uint8_t)port;
	proxy_finish(frame, proxy_vectors.cnm.len[which]);
}

const struct fcn_proxy_counters *
proxy_counters(void)
{
	return &bench.worker->proxy.counters;
}

void
proxy_assert_accounted(void)
{
	const struct fcn_proxy_counters *c = proxy_counters();
	uint64_t sum = c->lost + fcn_proxy_n_claims(&bench.worker->proxy);

#define SUM(member, ...) sum += c->member;
	FCN_PROXY_SENT_COUNTERS(SUM)
	FCN_PROXY_SUPPRESSED_COUNTERS(SUM)
#undef SUM
	assert_int_equal(sum, c->accepted);
	assert_int_equal(c->refused, bench_all_drops());
	bench_check();
}

void
proxy_assert_sent(const uint8_t *frame, uint32_t len)
{
	const uint8_t *out = bench_only_out(1);

	assert_int_equal(bench_out_len(1, 0), len);
	assert_memory_equal(out + 12, frame + 12, len - 12);
}

void
proxy_assert_nothing_sent(void)
{
	for (unsigned int p = 0; p < 4; p++)
		assert_int_equal(bench.port[p].n_out, 0);
}

void
proxy_quote(unsigned int which, const uint8_t *frame, uint32_t len, uint8_t *out, uint32_t *out_len)
{
	const uint8_t *m = proxy_vectors.cnm.data[which];
	const uint32_t head = proxy_udp_off(m) + 8 + (m[proxy_udp_off(m) + 8] >> 4 == 4 ? 16 : 40);

	memcpy(out, m, head);
	memcpy(out + head, frame + ETHER_LEN, len - ETHER_LEN);
	*out_len = head + len - ETHER_LEN;
	proxy_finish(out, *out_len);
}

void
proxy_host_route(uint32_t next_hop)
{
	bench_route("2001:db8:1::10/128", next_hop);
	bench_routes_done();
	bench_new_snapshot();
}
