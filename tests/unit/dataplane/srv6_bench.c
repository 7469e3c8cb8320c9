/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <arpa/inet.h>

#include "srv6_bench.h"

#define NEXT_HOP_SID 30
#define FIRST_GATEWAY 40

struct fcn_srv6_sid srv6_sid;
struct vectors srv6_endcon;
static struct fcn_next_hop by_port[4]; /* the next hops of the bench */

int
srv6_bench_setup(void **state)
{
	bench_setup(state);
	memcpy(by_port, &bench.next_hop[4], sizeof(by_port));
	memset(&srv6_sid, 0, sizeof(srv6_sid));
	bench_punts();
	bench.snap.srv6 = (struct fcn_srv6_conf){
			.sid = &srv6_sid, .n_sids = 1, .echo = true, .ecn_event = true};
	bench.next_hop[NEXT_HOP_SID] = (struct fcn_next_hop){
			.type = FCN_NEXT_HOP_LOCAL, .local = FCN_LOCAL_SRV6};
	return 0;
}

int
srv6_bench_teardown(void **state)
{
	struct fcn_punt punt;

	while (srv6_take(&punt))
		;
	return bench_teardown(state);
}

void
srv6_set_sid(const uint8_t *frame, enum fcn_srv6_behavior behavior, unsigned int flavors)
{
	const struct fcn_srv6_behavior_row *row = &fcn_srv6_behaviors[behavior];
	char text[INET6_ADDRSTRLEN + 4];

	srv6_sid = (struct fcn_srv6_sid){
			.behavior = (uint8_t)behavior,
			.flavors = (uint8_t)flavors,
			.inner = flavors & FCN_SRV6_FLAVOR_USD
						 ? FCN_SRV6_INNER_IPV4 | FCN_SRV6_INNER_IPV6
						 : row->inner,
			.argument = row->argument,
			.serial = srv6_sid.serial + 1,
			.next_hop = 6, /* by port 2 */
			.is_fast_step = behavior == FCN_SRV6_END,
			.is_fast_decaps = behavior == FCN_SRV6_END_DT6 ||
					  behavior == FCN_SRV6_END_DT46,
			.is_fast_endcon = behavior == FCN_SRV6_END_CON,
	};
	bench.n_routes = 0;
	bench_route("::/0", SRV6_NEXT_HOP);
	bench_route("0.0.0.0/0", SRV6_NEXT_HOP);
	inet_ntop(AF_INET6, frame + ETHER_LEN + 24, text, INET6_ADDRSTRLEN);
	bench_route(strcat(text, "/128"), NEXT_HOP_SID);
	bench_routes_done();
	bench_new_snapshot();
}

struct fcn_next_hop *
srv6_gateway(unsigned int i)
{
	return &bench.next_hop[FIRST_GATEWAY + i];
}

void
srv6_set_group(unsigned int n)
{
	for (unsigned int i = 0; i < SRV6_GATEWAYS; i++) {
		*srv6_gateway(i) = by_port[1 + i % 3];
		srv6_gateway(i)->l2.dst_addr = (struct rte_ether_addr){{2, 0, 0, 2, 0, (uint8_t)i}};
		bench.member[i] = FIRST_GATEWAY + i;
	}
	bench.next_hop[SRV6_NEXT_HOP] = n == 0 ? by_port[1]
					       : (struct fcn_next_hop){.type = FCN_NEXT_HOP_GROUP,
								 .n_members = n};
}

struct rte_mbuf *
srv6_arrive(const uint8_t *data, uint32_t len)
{
	return srv6_arrive_by(0, data, len);
}

struct rte_mbuf *
srv6_arrive_by(uint16_t port, const uint8_t *data, uint32_t len)
{
	struct frame f = {.len = len};

	assert_true(len <= sizeof(f.data));
	memcpy(f.data, data, len);
	frame_to_port(&f, port, 1);
	return bench_in(port, &f);
}

void
srv6_count_hop(uint8_t *frame)
{
	struct rte_ipv4_hdr *ip4 = (struct rte_ipv4_hdr *)(frame + ETHER_LEN);

	if (frame[ETHER_LEN] >> 4 == 6) {
		frame[ETHER_LEN + 7]--;
		return;
	}
	ip4->time_to_live--;
	ip4->hdr_checksum = 0;
	ip4->hdr_checksum = rte_ipv4_cksum(ip4);
}

void
srv6_expect(uint16_t port, const uint8_t *want, uint32_t len)
{
	const uint8_t *out;

	bench_poll(bench.worker->now + 1000);
	out = bench_only_out(port);
	assert_int_equal(bench_out_len(port, 0), len);
	assert_memory_equal(out + 12, want + 12, len - 12);
}

bool
srv6_take(struct fcn_punt *punt)
{
	for (unsigned int k = 0; k < FCN_PUNT_KIND_COUNT; k++) {
		if (fcn_punt_dequeue(bench.worker->punts, k, punt)) {
			rte_pktmbuf_free(punt->mbuf);
			return true;
		}
	}
	return false;
}

int
srv6_endcon_setup(void **state)
{
	struct fcn_prefix_value value = {.value = 1};

	srv6_bench_setup(state);
	vectors_load(&srv6_endcon, "11_fastcnp_srv6_endcon");
	srv6_set_sid(srv6_endcon.data[0], FCN_SRV6_END_CON, 0);
	assert_int_equal(fcn_prefix_parse("2001:db8:f::/48", &value.prefix), 0);
	bench.snap.srv6.p_nodes = fcn_prefix_list_create("nodes", &value, 1, SOCKET_ID_ANY);
	assert_non_null(bench.snap.srv6.p_nodes);
	bench_new_snapshot();
	return 0;
}

int
srv6_endcon_teardown(void **state)
{
	fcn_prefix_list_free(bench.snap.srv6.p_nodes);
	bench.snap.srv6.p_nodes = NULL;
	vectors_free(&srv6_endcon);
	return srv6_bench_teardown(state);
}
