/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "cnm_bench.h"
#include "vectors.h"

const uint8_t cnm_node[16] = {0x20, 1, 0x0d, 0xb8, 0, 0xf, [15] = 2};
const uint8_t cnm_node4[4] = {192, 0, 2, 254};
const uint8_t cnm_proxy6[16] = {0x20, 1, 0x0d, 0xb8, 0, 0xf, [15] = 0x21};
const uint8_t cnm_other6[16] = {0x20, 1, 0x0d, 0xb8, 0, 0xf, [15] = 0x22};
const uint8_t cnm_proxy4[4] = {198, 51, 100, 21};

struct fcn_notice_cnm_conf cnm;

struct fcn_prefix_list *
cnm_list_of(const char *text)
{
	struct fcn_prefix_value v = {.value = 1};

	assert_int_equal(fcn_prefix_parse(text, &v.prefix), 0);
	return fcn_prefix_list_create("list", &v, 1, SOCKET_ID_ANY);
}

void
cnm_proxy_of(const char *senders, const char *proxy)
{
	struct fcn_proxy_prefix item = {.origin = FCN_PROXY_STATIC};

	fcn_proxy_map_free(cnm.proxies);
	assert_int_equal(fcn_prefix_parse(senders, &item.prefix), 0);
	assert_int_equal(fcn_addr_parse(proxy, &item.proxy), 0);
	cnm.proxies = fcn_proxy_map_create("proxies", &item, 1, SOCKET_ID_ANY);
	assert_non_null(cnm.proxies);
}

int
cnm_setup(void **state)
{
	bench_setup(state);
	bench_route("2001:db8:1::/48", 5); /* the congested way is by port 1 */
	bench_route("198.51.100.128/25", 5);
	bench_route("2001:db8:f::/48", 6); /* proxies are behind port 2 */
	bench_route("198.51.100.0/25", 6);
	bench_routes_done();
	bench_notices(1, 1);
	memset(&cnm, 0, sizeof(cnm));
	cnm.allowed = cnm_list_of("::/0");
	memcpy(bench.snap.notify.common.source, cnm_node, sizeof(cnm_node));
	memcpy(bench.snap.notify.common.source4[2], cnm_node4, sizeof(cnm_node4));
	cnm.message = (struct fcn_cnm_template){.port = PORT, .dscp = 48, .hop_limit = 64};
	assert_int_equal(fcn_cnm_template_init(&cnm.message), 0);
	bench.snap.notify.n_kinds = fcn_notice_kind_count;
	bench.snap.notify.on = 1 << FCN_NOTICE_CNM;
	bench.snap.notify.kind[FCN_NOTICE_CNM] = bench.snap.notify.kind[FCN_NOTICE_FAST_CNP];
	bench.snap.notify.kind[FCN_NOTICE_CNM].kind = &fcn_notice_cnm;
	bench.snap.notify.kind[FCN_NOTICE_CNM].own = &cnm;
	bench_charge_link(2);
	return 0;
}

int
cnm_teardown(void **state)
{
	fcn_cnm_template_fini(&cnm.message);
	fcn_proxy_map_free(cnm.proxies);
	fcn_prefix_list_free(cnm.allowed);
	fcn_prefix_list_free(cnm.refused);
	return bench_teardown(state);
}

uint64_t
cnm_verdict(unsigned int kind, enum fcn_notify_verdict v)
{
	uint64_t sum = 0;

	for (unsigned int c = 0; c < FCN_NOTIFY_CLASSES; c++)
		sum += bench.worker->notify[kind].stats[1][c].verdict[v];
	return sum;
}

void
cnm_arrive(struct frame *f)
{
	bench_forget_out();
	memcpy(f->data, &bench.snap.port[0].mac, 6);
	bench_send(0, f, bench.worker->now + 1000);
}

void
cnm_assert_none(struct frame *f, enum fcn_notify_verdict why)
{
	const uint64_t before = cnm_verdict(FCN_NOTICE_CNM, why);

	cnm_arrive(f);
	assert_int_equal(bench.port[2].n_out, 0);
	assert_int_equal(cnm_verdict(FCN_NOTICE_CNM, why), before + 1);
}

void
cnm_assert_told(struct frame *f, unsigned int version, const uint8_t *proxy, uint32_t quote_off,
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
	cnm_arrive(f);
	assert_int_equal(bench.port[2].n_out, 1);
	assert_int_equal(bench.port[1].n_out, 1);
	frame = bench_out(2, 0);
	len = bench_out_len(2, 0);
	bench_assert_charged(2, len);
	ip = frame + ETHER_LEN;
	assert_memory_equal(frame, ((uint8_t[6]){2, 0, 0, 0, 0, 22}), 6);
	assert_int_equal(frame[12] << 8 | frame[13], version == 4 ? 0x0800 : 0x86DD);
	assert_int_equal(fcn_cnm_parse(ip, version == 4 ? 20 : 40, len - ETHER_LEN,
					 &fcn_parse_default_codes, &got),
			FCN_CNM_OK);
	if (version == 4) {
		assert_memory_equal(ip + 12, cnm_node4, 4);
		assert_memory_equal(ip + 16, proxy, 4);
		assert_int_equal(ip[8], 64);
		assert_int_equal(ip4_checksum(ip), ip[10] << 8 | ip[11]);
	} else {
		assert_memory_equal(ip + 8, cnm_node, 16);
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

void
cnm_make_roce4(struct frame *f, uint32_t payload)
{
	*f = (struct frame){0};
	frame_ether(f, 0x0800);
	frame_ip4(f, 17, 20);
	memcpy(f->data + 14 + 16, ((uint8_t[4]){198, 51, 100, 200}), 4);
	frame_roce(f, payload);
	f->data[15] = CLASS << 5 | 1;
	frame_finish(f);
}

uint32_t
cnm_make_named(struct frame *f, const uint8_t *proxy)
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
