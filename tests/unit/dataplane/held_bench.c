/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "arn_order.h"
#include "held_bench.h"

static const struct fcn_held_flows_conf conf = {
		.flows = 16,
		.packets = 300,
		.bytes = 300 * LEN,
		.flow_packets = 200,
		.flow_bytes = 200 * LEN,
		.max_ns = 1000000 * US,
};

int
held_setup(void **state)
{
	bench_setup(state);
	bench_route("2001:db8:1::/48", 5);
	bench_route("2001:db8:2::/48", 6);
	bench_routes_done();
	bench.snap.arn.receive = true;
	bench.snap.arn.any_port = true;
	bench.snap.arn.held = conf;
	bench_new_snapshot();
	bench_poll(1);
	return 0;
}

void
held_frame(struct frame *f, uint8_t sender, uint16_t net, uint32_t number)
{
	frame_roce6(f, sender, net, 9, LEN - 14 - 64);
	assert_int_equal(f->len, LEN);
	memcpy(f->data + NUMBER_OFF, &number, sizeof(number));
}

void
held_arrive(uint8_t sender, uint32_t number)
{
	struct frame f;

	held_frame(&f, sender, 1, number);
	bench_in(0, &f);
}

uint32_t
held_number_of(const uint8_t *data)
{
	uint32_t number;

	memcpy(&number, data + NUMBER_OFF, sizeof(number));
	return number;
}

void
held_message(uint8_t sender, uint32_t time_us)
{
	struct fcn_arn_order o = {
			.arn = {.type = FCN_ARN_CONGESTION,
					.parameters = FCN_ARN_FLOW | FCN_ARN_TIME,
					.time_us = time_us,
					.flow = {.version = 6, .proto = 17, .dst_port = 4791}},
			.port = FCN_PORT_NONE};
	struct frame f;

	held_frame(&f, sender, 1, 0);
	memcpy(o.arn.flow.src, f.data + 14 + 8, 16);
	memcpy(o.arn.flow.dst, f.data + 14 + 24, 16);
	o.arn.flow.src_port = f.data[f.udp] << 8 | f.data[f.udp + 1];
	fcn_arn_distribute(bench.worker, &o);
}

void
held_assert_out(unsigned int n, const uint32_t *numbers)
{
	assert_int_equal(bench.port[1].n_out, n);
	for (unsigned int i = 0; i < n; i++)
		assert_int_equal(held_number_of(bench_out(1, i)), numbers[i]);
}
