/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "fcn_pfc.h"
#include "pass_on_bench.h"

void
pass_on_neighbour(unsigned int i, uint8_t number, uint16_t port)
{
	struct fcn_arn_conf *arn = &bench.snap.arn;
	uint8_t *addr = arn->neighbour[i].addr;

	memset(addr, 0, 16);
	memcpy(addr, (uint8_t[]){0x20, 0x01, 0x0d, 0xb8, 0, 0xf}, 6);
	addr[15] = number;
	arn->neighbour[i].port = port;
	memcpy(arn->sender.neighbour_addr[i], addr, 16);
	arn->n_neighbours = i + 1;
	arn->sender.n_neighbours = i + 1;
}

void
pass_on_configure(void)
{
	struct fcn_arn_conf *arn = &bench.snap.arn;

	arn->port = 1022;
	arn->send = true;
	arn->receive = true;
	arn->any_port = true;
	arn->class = 6;
	arn->pass_on_bytes = ENOUGH;
	arn->held = (struct fcn_held_flows_conf){
			.flows = 16,
			.packets = 1000,
			.bytes = 1000000,
			.flow_packets = 1000,
			.flow_bytes = 20000,
			.max_ns = 1000000 * US,
	};
	memcpy(arn->source, (uint8_t[]){0x20, 0x01, 0x0d, 0xb8, 0, 0xf}, 6);
	arn->source[15] = 2;
}

int
pass_on_setup(void **state)
{
	bench_setup(state);
	bench_route("2001:db8:f::/48", 7);
	bench_port_routes(2);
	pass_on_configure();
	pass_on_neighbour(0, 1, 0);
	pass_on_neighbour(1, 3, 2);
	bench_queue_conf(1, CLASS)->arn_time_us = 20;
	bench_queue_conf(1, CLASS)->limit_bytes = 40000;
	bench_new_snapshot();
	return 0;
}

void
pass_on_packets_in(uint64_t now, uint16_t port, unsigned int n)
{
	struct frame f;

	frame_roce6(&f, 1, 1, 2, PACKET - 14 - 40 - 8 - 12 - 4);
	frame_to_port(&f, port, 1);
	assert_int_equal(f.len, PACKET);
	for (unsigned int i = 0; i < n; i++)
		bench_in(port, &f);
	bench_poll(now);
}

void
pass_on_expect_none(void)
{
	assert_int_equal(bench.port[3].n_out, 0);
}

void
pass_on_expect_pfc(bool xoff)
{
	const uint8_t *d;

	assert_int_equal(bench.port[0].n_out, 1);
	d = bench_out(0, 0);
	assert_int_equal(d[12] << 8 | d[13], 0x8808);
	assert_int_equal(d[17], 1 << CLASS);
	assert_int_equal(d[18 + 2 * CLASS] << 8 | d[19 + 2 * CLASS], xoff ? 65535 : 0);
}

void
pass_on_edge(enum fcn_arn_edge how, uint32_t xoff)
{
	bench.snap.port[0].arn_edge = how;
	if (xoff != 0)
		bench_lossless(0, CLASS, xoff, xoff / 2, 40000);
	bench_new_snapshot();
}
