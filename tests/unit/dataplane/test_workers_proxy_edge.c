/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * The option with the address of a proxy in a switch with several workers: one receives the packet
 * and inserts or removes the option, and another sends the packet, and tells the proxy if it meets
 * congestion. Worker p % 3 owns port p.
 */

#include "fcn_cnm.h"
#include "fcn_notice_cnm.h"
#include "proxy_edge.h"
#include "workers_bench.h"

static const uint8_t header[OPTION_LEN] = {
		17, 2, 0x01, 0x02, 0, 0, 0x1E, 16, 0x20, 0x01, 0x0D, 0xB8, 0x00, 0x03, [23] = 0x21};

static struct fcn_notice_cnm_conf cnm;

/* The option is inserted at port 0 and removed at port 1; the proxy is behind port 3. */
static int
setup(void **state)
{
	struct fcn_proxy_prefix sender = {.origin = FCN_PROXY_STATIC};

	workers_setup(state);
	assert_int_equal(fcn_prefix_parse("2001:db8::/64", &sender.prefix), 0);
	assert_int_equal(fcn_addr_parse("2001:db8:3::21", &sender.proxy), 0);
	bench.snap.proxy_edge = (struct fcn_proxy_edge_conf){
			.any_insert = true,
			.any_remove = true,
			.too_big = FCN_PROXY_TOO_BIG_OMIT,
			.senders = fcn_proxy_map_create("test", &sender, 1, SOCKET_ID_ANY),
	};
	assert_non_null(bench.snap.proxy_edge.senders);
	bench.snap.codes = fcn_parse_default_codes;
	bench.snap.port[0].proxy_option = FCN_PROXY_EDGE_INSERT;
	bench.snap.port[1].proxy_option = FCN_PROXY_EDGE_REMOVE;
	bench_new_snapshot();
	workers_poll_all(1);
	return 0;
}

static int
teardown(void **state)
{
	struct fcn_proxy_map *senders = bench.snap.proxy_edge.senders;
	int rc = workers_teardown(state);

	fcn_proxy_map_free(senders);
	return rc;
}

TEST_FIXTURE(FCN_TEST_EAL, .setup = setup, .teardown = teardown);

static void
make(struct frame *f, uint16_t in, uint16_t out)
{
	frame_roce6(f, 1, (uint8_t)out, 9, 100);
	frame_to_port(f, in, 1);
	ioam_finish(f, REF_SKIP, true);
}

/* The only packet that left by a port, but for its Ethernet header and hop limit. */
static void
assert_left(uint16_t port, const struct frame *want)
{
	bench_only_out(port);
	assert_routed(port, 0, want);
	bench_forget_out();
}

static void
turns(uint64_t now)
{
	workers_poll_all(now);
	workers_poll_all(now + 1);
}

/* Inserted at one edge and removed at the other, by two switches or by one. */
TEST(edges)
{
	struct frame plain, with;

	make(&plain, 0, 2);
	make_with(&with, &plain);
	bench_in(0, &plain); /* worker 0 inserts, worker 2 sends */
	turns(100);
	assert_left(2, &with);
	make(&plain, 2, 1);
	make_with(&with, &plain);
	bench_in(2, &with); /* worker 2 receives and removes, worker 1 sends */
	turns(200);
	assert_left(1, &plain);
	make(&plain, 0, 1);
	bench_in(0, &plain);
	turns(300);
	assert_left(1, &plain);
	assert_int_equal(workers[0]->counters[0].proxy_inserted, 2);
	assert_int_equal(workers[2]->counters[2].proxy_removed, 1);
	for (unsigned int i = 0; i < N_WORKERS; i++) {
		for (unsigned int p = 0; p < 4; p++) {
			const struct fcn_port_counters *c = &workers[i]->counters[p];

			assert_int_equal(c->proxy_unfit + c->proxy_omitted + c->proxy_stuck, 0);
		}
	}
}

/* The option was removed by another worker than that of the congested port, which tells the proxy
 * that the packet named all the same. */
TEST(message)
{
	static const uint8_t proxy[16] = {0x20, 0x01, 0x0D, 0xB8, 0x00, 0x03, [15] = 0x21};
	struct fcn_prefix_value any = {.value = 1};
	struct frame plain, with;
	struct fcn_cnm got;
	const uint8_t *ip;

	bench_notices(1, 1);
	memset(&cnm, 0, sizeof(cnm));
	bench.snap.notify.common.source[15] = 99;
	cnm.message = (struct fcn_cnm_template){.port = 1021, .dscp = 48, .hop_limit = 64};
	assert_int_equal(fcn_cnm_template_init(&cnm.message), 0);
	assert_int_equal(fcn_prefix_parse("2001:db8:3::/48", &any.prefix), 0);
	cnm.allowed = fcn_prefix_list_create("allowed", &any, 1, SOCKET_ID_ANY);
	assert_non_null(cnm.allowed);
	bench.snap.notify.n_kinds = fcn_notice_kind_count;
	bench.snap.notify.on = 1 << FCN_NOTICE_CNM;
	bench.snap.notify.kind[FCN_NOTICE_CNM] = bench.snap.notify.kind[FCN_NOTICE_FAST_CNP];
	bench.snap.notify.kind[FCN_NOTICE_CNM].kind = &fcn_notice_cnm;
	bench.snap.notify.kind[FCN_NOTICE_CNM].own = &cnm;
	bench_new_snapshot();
	make(&plain, 2, 1);
	make_with(&with, &plain);
	bench_in(2, &with);
	turns(1000);
	turns(2000);
	assert_int_equal(bench.port[1].n_out, 1);
	assert_int_equal(bench_out_len(1, 0), plain.len);
	assert_int_equal(bench.port[3].n_out, 1);
	ip = bench_out(3, 0) + 14;
	assert_memory_equal(ip + 24, proxy, 16);
	assert_int_equal(fcn_cnm_parse(ip, 40, bench_out_len(3, 0) - 14, &fcn_parse_default_codes,
					 &got),
			FCN_CNM_OK);
	assert_int_equal(
			workers[1]->notify[FCN_NOTICE_CNM].stats[1][3].verdict[FCN_NOTIFY_SENT], 1);
	bench_forget_out();
	fcn_cnm_template_fini(&cnm.message);
	fcn_prefix_list_free(cnm.allowed);
}
