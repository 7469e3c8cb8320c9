/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Frames of bridges that the fast path leaves to the stages, and what somebody wants to look at: so
 * many frames as that concerns, and no others, pass through the stages.
 */

#include "fast_widths.h"
#include "port_bits.h"
#include "testbed.h"

#define PORTS 4
#define WAYS (1 + FAST_WIDTHS) /* without the fast path, and with each of its functions */

/* What a frame that is not for the fast path is like, or what is on, and how many of 24 frames are
 * not taken because of that. */
struct elsewhere {
	const char *name;
	const char *filter;      /* of a packet trace */
	uint64_t captured;       /* ports */
	uint64_t border_out;     /* ports */
	uint16_t odd, odd_class; /* EtherType of a frame of port 0, and its class */
	uint16_t checked;        /* 1 + port */
	unsigned int passed;
};

/* 16 frames from port 0, and 8 from port 3, to ports 1 and 2 in turn. */
static void
arrive_at_two_ports(const struct elsewhere *e)
{
	for (unsigned int i = 0; i < 24; i++) {
		const uint16_t port = i < 16 ? 0 : 3;
		struct frame f;

		frame_roce6(&f, (uint8_t)i, 1, 2, 0);
		if (i == 5 && e->odd != 0) {
			f.data[14 + 6] = 6; /* TCP */
			frame_class(&f, e->odd_class, 0);
			fcn_put_be16(f.data + 12, e->odd);
		}
		frame_macs(&f, (uint8_t)(1 + i % 2), (uint8_t)(10 + port));
		bench_in(port, &f);
	}
}

/* Set up a bridge in which stations 1, 2, 10 and 13 are known at ports 1, 2, 0 and 3. */
static void
begin(unsigned int way)
{
	static const uint8_t station[PORTS] = {10, 1, 2, 13};

	assert_int_equal(bench_setup(NULL), 0);
	bench.worker->fast = way == 0 ? NULL : fast_width(way - 1);
	bench_bridge(PORTS);
	bench_new_snapshot();
	for (uint16_t p = 0; p < PORTS; p++) {
		struct frame f;

		frame_roce6(&f, 1, 1, 2, 0);
		frame_macs(&f, 200, station[p]);
		bench_in(p, &f);
	}
	bench_poll(1);
}

TEST_FIXTURE(FCN_TEST_EAL);

/*
 * What the fast path has to leave to the stages concerns that alone: an odd frame is alone, and a
 * trace, a capture or a border at one port makes no difference to others. Nothing overtakes
 * another frame of its queue.
 */
TEST(elsewhere)
{
	static const struct elsewhere cases[] = {{.name = "nothing", .passed = 0},
			{.name = "TCP", .odd = 0x86DD, .odd_class = 3, .passed = 1},
			{.name = "TCP of another class",
					.odd = 0x86DD,
					.odd_class = 5,
					.passed = 1},
			{.name = "another EtherType", .odd = 0x88B5, .passed = 1},
			{.name = "a trace of nobody", .filter = "ether[11] == 99", .passed = 0},
			{.name = "a trace of port 3", .filter = "ether[11] == 13", .passed = 8},
			{.name = "a trace of one", .filter = "ip6[23] == 7", .passed = 1},
			{.name = "a capture", .captured = 1 << 3, .passed = 8},
			{.name = "a border", .checked = 1 + 3, .passed = 8},
			{.name = "a border that is left by", .border_out = 1 << 2, .passed = 12}};

	for (unsigned int i = 0; i < WAYS * RTE_DIM(cases); i++) {
		const struct elsewhere *e = &cases[i / WAYS];
		const unsigned int way = i % WAYS;
		uint8_t last[PORTS] = {0};
		unsigned int n = 0;

		begin(way);
		fast_try();
		if (e->filter != NULL)
			bench_trace(100, e->filter);
		bench_capture(e->captured);
		bench.snap.border.ports = ports_of(e->border_out);
		if (e->checked != 0)
			bench.snap.port[e->checked - 1].checked_ingress = true;
		bench_new_snapshot();
		arrive_at_two_ports(e);
		bench_poll(2);
		print_message("%s, way %u: %u taken\n", e->name, way, fast_taken());
		if (way != 0)
			assert_int_equal(fast_taken(), 24 - e->passed);
		for (uint16_t p = 1; p <= 2; p++) {
			for (unsigned int k = 0; k < bench.port[p].n_out; k++, n++) {
				const uint8_t *out = bench_out(p, k);

				if (out[12] != 0x86 || (out[14] & 0xF) != 3 << 1)
					continue;
				assert_true(k == 0 || out[14 + 23] > last[p]);
				last[p] = out[14 + 23];
			}
		}
		assert_int_equal(n, 24);
		assert_int_equal(bench_teardown(NULL), 0);
	}
}

/* Put an 802.1Q tag of VLAN 20 into a frame, and a source address. */
static void
make_tagged(struct frame *f, uint8_t source)
{
	memmove(f->data + 16, f->data + 12, f->len - 12);
	fcn_put_be16(f->data + 12, 0x8100);
	fcn_put_be16(f->data + 14, 20);
	f->len += 4;
	f->data[11] = source;
}

/*
 * A frame of a VLAN that its port does not carry is dropped without being learned, so it does not
 * move a station, whatever its source. The frames of the others take the fast path.
 */
TEST(other_vlan)
{
	for (unsigned int way = 1; way < WAYS; way++) {
		struct frame f;

		begin(way);
		bench.snap.port[2].tagged[0] = 1 << 20;
		bench_new_snapshot();
		frame_roce6(&f, 1, 1, 2, 0);
		frame_macs(&f, 200, 20);
		make_tagged(&f, 20);
		bench_send(2, &f, 2);
		fast_try();
		frame_roce6(&f, 1, 1, 2, 0);
		frame_macs(&f, 200, 20);
		make_tagged(&f, 20);
		bench_in(0, &f);
		for (unsigned int i = 0; i < 8; i++) {
			frame_roce6(&f, (uint8_t)i, 1, 2, 0);
			frame_macs(&f, 1, 13);
			bench_in(3, &f);
		}
		bench_poll(3);
		assert_int_equal(fast_taken(), 8);
		assert_int_equal(bench_drops(FCN_DROP_VLAN_NOT_MEMBER), 1);
		assert_int_equal(bench_teardown(NULL), 0);
	}
}

/*
 * A bridge forwards frames whose IP header is not valid. They have no DSCP, so they are of class 0,
 * and none of this class overtakes them.
 */
TEST(without_ip_header)
{
	for (unsigned int i = 0; i < 3 * WAYS; i++) {
		struct frame f[5];

		begin(i % WAYS);
		fast_try();
		for (unsigned int k = 0; k < RTE_DIM(f); k++) {
			frame_roce6(&f[k], (uint8_t)k, 1, 2, 0);
			frame_class(&f[k], k == 2 ? 3 : 0, 0);
			frame_macs(&f[k], 1, 10);
			if (k == 2 && i / WAYS == 0) /* shorter than its header says */
				f[k].len = 61;
			else if (k == 2 && i / WAYS == 1) /* of no version */
				f[k].data[14] ^= 0x80;
			else if (k == 2) /* IPv4, with other octets behind the EtherType */
				fcn_put_be16(f[k].data + 12, 0x0800);
			bench_in(0, &f[k]);
		}
		bench_poll(2);
		assert_int_equal(bench.port[1].n_out, RTE_DIM(f));
		for (unsigned int k = 0; k < RTE_DIM(f); k++) {
			assert_int_equal(bench_out_len(1, k), f[k].len);
			assert_memory_equal(bench_out(1, k), f[k].data, f[k].len);
		}
		assert_int_equal(bench_teardown(NULL), 0);
	}
}
