/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* An IOAM transit node: what it writes of a packet's way through the switch, and what it leaves. */

#include "testbed.h"

#define EPOCH (UINT64_C(1700000000) * 1000000000 + 123456789)

/* Hop limit and node, interfaces, seconds, fraction, delay, namespace data, queue depth. */
#define SHORT 0xFE0000
/* Bits 8 to 11: the wide forms, and the buffer's occupancy. */
#define WIDE 0x00F000

static int
setup(void **state)
{
	struct fcn_ioam_conf *conf = &bench.snap.ioam;

	bench_setup(state);
	bench_route("2001:db8:3::/48", 7);
	bench_port_routes(2);
	bench_set_ops(1, &bench_gate_ops);
	bench.worker->epoch_ns = EPOCH;
	*conf = (struct fcn_ioam_conf){.any_transit = true,
			.node_id = 0x010203,
			.node_id_wide = 0x11121314151617,
			.time_format = FCN_IOAM_TIME_POSIX_NS,
			.tai_offset = 37,
			.n_namespaces = 2,
			.ns = {{.id = 0x0000, .schema_id = FCN_IOAM_NO_SCHEMA},
					{.id = 0x1234,
							.short_data = FCN_IOAM_DATA_VALUE,
							.short_value = 0x61626364,
							.wide_data = FCN_IOAM_DATA_TX_BYTES,
							.schema_id = FCN_IOAM_NO_SCHEMA}}};
	for (uint16_t p = 0; p < 4; p++) {
		struct fcn_ioam_port *port = &bench.snap.port[p].ioam;

		port->transit = p == 0;
		port->id = 0x2100 + p;
		port->id_wide = 0x31323300 + p;
	}
	return 0;
}

TEST_FIXTURE(FCN_TEST_EAL, .setup = setup, .teardown = bench_teardown);

static uint32_t
word(const uint8_t *data, unsigned int i)
{
	const uint8_t *p = data + 4 * i;

	return (uint32_t)p[0] << 24 | p[1] << 16 | p[2] << 8 | p[3];
}

/* n packets of 1000 bytes without a trace, in the same class. */
static void
fill_queue(unsigned int n)
{
	struct frame f;

	frame_roce6(&f, 1, 1, 2, 1000 - 14 - 64);
	for (unsigned int i = 0; i < n; i++)
		bench_in(0, &f);
}

static const struct fcn_port_counters *
counters(void)
{
	return &bench.worker->counters[0];
}

/* Every short field, with the time and the queue as the packet met them; the delay as it left. */
TEST(fields)
{
	struct frame f, want;
	const uint8_t *out;

	bench.port[1].accept = 0;
	fill_queue(3);
	bench_poll(1000);
	frame_ioam6(&f, SHORT, 7, 8, 7, 100);
	bench_send(0, &f, 5000);
	fill_queue(2); /* behind it: not what it met */
	bench_poll(6000);
	bench.port[1].accept = UINT16_MAX;
	bench_poll(5000 + 0x01020304);
	assert_int_equal(bench.port[1].n_out, 6);
	out = bench_out(1, 3);
	want = f;
	memcpy(want.data, bench.next_hop[5].l2.dst_addr.addr_bytes, 6);
	memcpy(want.data + 6, bench.next_hop[5].l2.src_addr.addr_bytes, 6);
	want.data[14 + 7] = 63;
	want.data[TRACE_OFF + 3] = 1; /* one word of eight is free */
	memcpy(want.data + TRACE_DATA_OFF + 4,
			(uint8_t[]){63, 0x01, 0x02, 0x03,        /* hop limit, node */
					0x21, 0x00, 0x21, 0x01,  /* in, out */
					0x65, 0x53, 0xF1, 0x00,  /* 1700000000 */
					0x07, 0x5B, 0xE0, 0x9D,  /* 123456789 + 5000 */
					0x01, 0x02, 0x03, 0x04,  /* delay */
					0x61, 0x62, 0x63, 0x64,  /* namespace */
					0x00, 0x00, 0x0B, 0xB8}, /* 3000 */
			28);
	assert_int_equal(bench_out_len(1, 3), f.len);
	assert_memory_equal(out, want.data, f.len);
	assert_int_equal(counters()->ioam_written, 1);
	assert_int_equal(counters()->ioam_overflow | counters()->ioam_full |
					 counters()->ioam_foreign | counters()->ioam_malformed,
			0);
	/* Those without a trace are as they were. */
	assert_int_equal(bench_out_len(1, 0), 1000);
}

TEST(wide_fields)
{
	const uint8_t *out = NULL;
	struct frame f;

	bench.port[1].accept = UINT16_MAX;
	fill_queue(2);
	bench_poll(100); /* 2000 bytes were sent */
	bench.port[1].accept = 0;
	fill_queue(2);
	frame_roce6(&f, 1, 1, 2, 500 - 14 - 64);
	frame_class(&f, 5, 1);
	bench_send(0, &f, 1000);
	frame_ioam6(&f, WIDE, 7, 7, 0, 0);
	bench_send(0, &f, 2000);
	bench.port[1].accept = UINT16_MAX;
	bench_poll(3000);
	assert_int_equal(bench.port[1].n_out, 4);
	for (unsigned int i = 0; i < 4; i++) {
		if (bench_out_len(1, i) == f.len)
			out = bench_out(1, i) + TRACE_DATA_OFF;
	}
	assert_non_null(out);
	assert_int_equal(word(out, 0), 63u << 24 | 0x111213);
	assert_int_equal(word(out, 1), 0x14151617);
	assert_int_equal(word(out, 2), 0x31323300);
	assert_int_equal(word(out, 3), 0x31323301);
	assert_int_equal(word(out, 4), 0);
	assert_int_equal(word(out, 5), 2000);
	/* All that waits on the port, when no buffer is shared. */
	assert_int_equal(word(out, 6), 2500);
	/* With one it is what is used of that: 2000 of lossless, 1000 of lossy, 700 on another
	 * port. */
	bench.snap.buffer = (struct fcn_buffer_conf){.size = 100000, .shared = 90000};
	for (unsigned int c = 0; c < FCN_CLASSES; c++)
		bench_queue_conf(1, c)->slow_path = true;
	bench_lossless(2, 3, 1000, 0, 1000);
	bench_set_ops(3, &bench_gate_ops);
	bench.port[3].accept = 0;
	bench_queue_conf(3, 3)->slow_path = true;
	bench.snap.ioam.ns[1].wide_data = FCN_IOAM_DATA_LINK_SPEED;
	bench_new_snapshot();
	bench.port[1].accept = 0;
	frame_roce6(&f, 1, 1, 2, 1000 - 14 - 64);
	bench_in(0, &f);
	frame_to_port(&f, 2, 1);
	bench_in(2, &f);
	bench_in(2, &f);
	frame_roce6(&f, 1, 3, 2, 700 - 14 - 64);
	bench_send(0, &f, 4000);
	frame_ioam6(&f, WIDE, 7, 7, 0, 0);
	bench_send(0, &f, 5000);
	bench.port[1].accept = UINT16_MAX;
	bench_poll(6000);
	out = bench_out(1, 3) + TRACE_DATA_OFF;
	assert_int_equal(word(out, 5), 10000);
	assert_int_equal(word(out, 6), 3700);
}

/* The delay is what the packet waited: modulo nothing up to 2^31 ns, from there on "too long". */
TEST(delay)
{
	static const struct {
		uint64_t wait;
		uint32_t word;
	} paper[] = {{0, 0}, {1, 1}, {999999, 999999}, {0x7FFFFFFF, 0x7FFFFFFF},
			{0x80000000, 0x80000000}, {0x80000001, 0x80000000},
			{0xFFFFFFFF, 0x80000000}};
	uint64_t now = 0xFFFFF000; /* the 32-bit clock turns round between */
	struct frame f;

	for (size_t i = 0; i < RTE_DIM(paper); i++) {
		bench.port[1].accept = 0;
		frame_ioam6(&f, 0x080000, 1, 1, 0, 0);
		bench_send(0, &f, now);
		assert_int_equal(word(rte_pktmbuf_mtod_offset(bench_queue(1, 3)->ring[i].mbuf,
						      const uint8_t *, TRACE_DATA_OFF),
						 0),
				0xFFFFFFFF);
		now += paper[i].wait;
		bench.port[1].accept = UINT16_MAX;
		bench_poll(now);
		assert_int_equal(word(bench_only_out(1) + TRACE_DATA_OFF, 0), paper[i].word);
		now += 77;
	}
	/* Staged for a port that takes nothing it has left its queue: so it is said to have waited.
	 */
	bench_set_ops(1, &bench_ops);
	bench.port[1].accept = 0;
	frame_ioam6(&f, 0x080000, 1, 1, 0, 0);
	bench_send(0, &f, now);
	bench.port[1].accept = 1;
	bench_poll(now + 500);
	assert_int_equal(word(bench_only_out(1) + TRACE_DATA_OFF, 0), 0);
}

TEST(time_formats)
{
	static const struct {
		enum fcn_ioam_time_format format;
		uint32_t seconds, fraction;
	} paper[] = {
			{FCN_IOAM_TIME_POSIX, 1700000001, 0},
			{FCN_IOAM_TIME_POSIX_NS, 1700000001, 999},
			{FCN_IOAM_TIME_PTP, 1700000038, 999},
			/* from 1900; 999e-9 * 2^32 = 4290.67 */
			{FCN_IOAM_TIME_NTP, (uint32_t)(1700000001ull + 2208988800), 4290},
	};

	bench.port[1].accept = UINT16_MAX;
	for (size_t i = 0; i < RTE_DIM(paper); i++) {
		const uint8_t *out;
		struct frame f;

		bench.snap.ioam.time_format = paper[i].format;
		frame_ioam6(&f, 0x300000, 2, 2, 0, 0);
		bench_send(0, &f, UINT64_C(1000000999) - 123456789);
		out = bench_only_out(1) + TRACE_DATA_OFF;
		assert_int_equal(word(out, 0), paper[i].seconds);
		assert_int_equal(word(out, 1), paper[i].fraction);
	}
}

/* The frame that left, but for its Ethernet header and hop limit, is what came. */
static void
assert_untouched(const struct frame *f)
{
	struct frame out;

	memcpy(out.data, bench_only_out(1), f->len);
	memcpy(out.data, f->data, 12);
	out.data[14 + 7]++;
	assert_memory_equal(out.data, f->data, f->len);
}

/* No room: the Overflow flag once, and nothing else; a namespace of others; a trace that is none.
 */
TEST(left_alone)
{
	const struct fcn_port_counters *c = counters();
	struct frame f;

	bench.port[1].accept = UINT16_MAX;
	/* 6 of 7 words free */
	frame_ioam6(&f, SHORT, 7, 6, 14, 0);
	bench_send(0, &f, 1);
	f.data[TRACE_OFF + 2] |= 0x04;
	assert_untouched(&f);
	assert_int_equal(c->ioam_overflow, 1);
	/* It says so already, though there were room. */
	frame_ioam6(&f, SHORT, 7, 7, 0, 0);
	f.data[TRACE_OFF + 2] |= 0x04;
	bench_send(0, &f, 2);
	assert_untouched(&f);
	assert_int_equal(c->ioam_full, 1);
	/* Namespace 0x1235 */
	frame_ioam6(&f, SHORT, 7, 7, 0, 0);
	f.data[TRACE_OFF + 1] = 0x35;
	bench_send(0, &f, 3);
	assert_untouched(&f);
	assert_int_equal(c->ioam_foreign, 1);
	/* NodeLen is not that of the type; more free than there is; a ragged list */
	frame_ioam6(&f, SHORT, 6, 7, 0, 0);
	bench_send(0, &f, 4);
	assert_untouched(&f);
	frame_ioam6(&f, SHORT, 7, 7, 0, 0);
	f.data[TRACE_OFF + 3] = 8;
	bench_send(0, &f, 5);
	assert_untouched(&f);
	frame_ioam6(&f, SHORT, 7, 7, 1, 0);
	bench_send(0, &f, 6);
	assert_untouched(&f);
	assert_int_equal(c->ioam_malformed, 3);
	/* An incremental trace: there is none in IPv6, and no room is set aside in it. */
	frame_ioam6(&f, SHORT, 7, 7, 0, 0);
	f.data[TRACE_OFF - 1] = 1;
	bench_send(0, &f, 6);
	assert_untouched(&f);
	/* A port that is no transit. */
	frame_ioam6(&f, SHORT, 7, 7, 0, 0);
	frame_to_port(&f, 2, 1);
	bench_send(2, &f, 7);
	assert_untouched(&f);
	assert_int_equal(c->ioam_written, 0);
	assert_int_equal(bench.worker->counters[2].ioam_written, 0);
	/* Namespace 0 is the node's, too: it has no data for it. */
	frame_ioam6(&f, 0x040000, 1, 1, 0, 0);
	f.data[TRACE_OFF] = f.data[TRACE_OFF + 1] = 0;
	bench_send(0, &f, 8);
	assert_int_equal(word(bench_only_out(1) + TRACE_DATA_OFF, 0), 0xFFFFFFFF);
	assert_int_equal(c->ioam_written, 1);
}

/* The tunnel's trace gets the data, of the tunnel's hop limit; the one inside is another's. */
TEST(tunnel)
{
	struct frame f;

	bench.port[1].accept = 0;
	for (unsigned int inner = 0; inner < 2; inner++) {
		const uint32_t inside = TRACE_DATA_OFF + 7 * 4 + 4;
		const uint8_t *out;

		frame_ioam6_tunnel(&f, SHORT, 7, 7, inner, 50);
		f.data[14 + 7] = 20;
		bench_send(0, &f, 1000);
		bench.port[1].accept = UINT16_MAX;
		bench_poll(1500);
		bench.port[1].accept = 0;
		out = bench_only_out(1);
		assert_int_equal(out[TRACE_OFF + 3], 0);
		assert_int_equal(word(out + TRACE_DATA_OFF, 0), 19u << 24 | 0x010203);
		assert_int_equal(word(out + TRACE_DATA_OFF, 4), 500);
		assert_int_equal(word(out + TRACE_DATA_OFF, 6), 0);
		assert_memory_equal(out + inside, f.data + inside, f.len - inside);
		assert_int_equal(counters()->ioam_written, 1 + inner);
	}
	/* One whose tunnel has none is nothing to write to. */
	frame_ether(&f, 0x86DD);
	frame_ip6(&f, 41);
	frame_put(&f, (uint8_t[40]){0x60, [6] = 59, [7] = 64}, 40);
	frame_finish(&f);
	frame_to_port(&f, 0, 1);
	frame_class(&f, 3, 1);
	f.data[14 + 24 + 5] = 1;
	bench_send(0, &f, 2000);
	bench.port[1].accept = UINT16_MAX;
	bench_poll(2500);
	assert_untouched(&f);
	/* Malformed in front of a tunnel: the walk does not report it, so it is counted here. */
	frame_ioam6_tunnel(&f, SHORT, 6, 7, false, 50);
	bench_send(0, &f, 3000);
	assert_untouched(&f);
	assert_int_equal(counters()->ioam_malformed, 1);
	assert_int_equal(counters()->ioam_written, 2);
}

/* In a bridge: no hop, whatever tag comes and goes; of each copy its own interface. */
TEST(bridged)
{
	struct frame f, plain;

	bench_bridge(4);
	bench.port[1].accept = UINT16_MAX;
	/* Port 0 tagged, 1 untagged, 2 tagged, 3 untagged. */
	for (uint16_t p = 0; p < 4; p += 2) {
		bench.snap.port[p].pvid = 0;
		bench.snap.port[p].tagged[0] = 1 << 7;
		bench.snap.port[p + 1].pvid = 7;
	}
	frame_ioam6(&plain, SHORT, 7, 7, 0, 90);
	frame_ether(&f, 0x86DD);
	frame_vlan(&f, 0x8100, 1 << 13 | 7);
	frame_put(&f, plain.data + 14, plain.len - 14);
	frame_macs(&f, 99, 1);
	bench_send(0, &f, 1000);
	for (uint16_t p = 1; p < 4; p++) {
		unsigned int tag = p == 2 ? 4 : 0;
		const uint8_t *out;

		assert_int_equal(bench.port[p].n_out, 1);
		assert_int_equal(bench_out_len(p, 0), plain.len + tag);
		out = bench_out(p, 0) + tag;
		assert_int_equal(word(out + TRACE_DATA_OFF, 0), 64u << 24 | 0x010203);
		assert_int_equal(word(out + TRACE_DATA_OFF, 1), 0x21002100u + p);
		assert_int_equal(word(out + TRACE_DATA_OFF, 4), 0);
		assert_memory_equal(out + TRACE_DATA_OFF + 28, plain.data + TRACE_DATA_OFF + 28,
				plain.len - TRACE_DATA_OFF - 28);
	}
	assert_int_equal(counters()->ioam_written, 3);
}

/* Whoever waits in a longer frame than a buffer holds is written to all the same. */
TEST(chained)
{
	struct frame f;

	bench.snap.port[0].mtu = bench.snap.port[1].mtu = bench.next_hop[5].mtu = 4000;
	bench.port[1].accept = 0;
	frame_ioam6(&f, SHORT, 7, 7, 0, 3000);
	bench_send(0, &f, 1000);
	bench.port[1].accept = 1;
	bench_poll(1234);
	assert_int_equal(bench_out_len(1, 0), f.len);
	assert_int_equal(word(bench_out(1, 0) + TRACE_DATA_OFF, 4), 234);
}

/* The only notice that left, with a copy of the trace: this node's data in front of the others'. */
static void
assert_notice(const struct frame *f, uint32_t delay, uint32_t depth)
{
	/* IPv6, extension header, option, trace option header, data */
	const uint32_t off = 14 + 40 + 8 + 8;
	const uint8_t *n;

	assert_int_equal(bench.port[0].n_out, 1);
	n = bench_out(0, 0);
	assert_int_equal(n[14 + 40 + 4], 0x9F);
	assert_int_equal(n[off - 8], 0x12);
	assert_int_equal(n[off - 5], 1); /* one word is free */
	assert_int_equal(word(n + off, 0), 0);
	assert_int_equal(word(n + off, 1), 63u << 24 | 0x010203);
	assert_int_equal(word(n + off, 2), 0x21002101);
	assert_int_equal(word(n + off, 5), delay);
	assert_int_equal(word(n + off, 7), depth);
	assert_memory_equal(n + off + 32, f->data + TRACE_DATA_OFF + 32, 28);
}

/* The notice about a packet tells of this node; of the delay nothing yet. */
TEST(notice)
{
	struct frame f;

	bench_notices(1, 3500);
	bench.port[1].accept = 0;
	fill_queue(3);
	frame_ioam6(&f, SHORT, 7, 8, 7, 1000);
	bench_send(0, &f, 1000);
	assert_notice(&f, 0xFFFFFFFF, 3000);
	bench.port[1].accept = UINT16_MAX;
	bench_poll(1055);
	assert_int_equal(word(bench_out(1, 3) + TRACE_DATA_OFF + 4, 4), 55);
}

/* When it leaves, the delay is known. */
TEST(notice_at_departure)
{
	struct fcn_queue_conf *q = bench_queue_conf(1, 3);
	struct frame f;

	bench_notices(1, 3500);
	q->slow_path = true;
	q->detector.type = FCN_DETECTOR_RED;
	q->detector.at_dequeue = true;
	q->detector.kmax = 3500;
	bench.snap.port[1].egress.at_dequeue = 1 << 3;
	bench.port[1].accept = 0;
	frame_ioam6(&f, SHORT, 7, 8, 7, 1000);
	bench_in(0, &f);
	fill_queue(3);
	bench_poll(1000);
	bench.port[1].accept = UINT16_MAX;
	bench_poll(1055);
	assert_int_equal(bench.port[1].n_out, 4);
	bench_poll(1055);
	assert_notice(&f, 55, 0);
}

/* A full queue loses the packet, and no dequeue action is left behind. */
TEST(lost)
{
	struct frame f;

	bench.port[1].accept = 0;
	bench_queue_conf(1, 3)->limit_packets = 1;
	frame_ioam6(&f, SHORT, 7, 7, 0, 0);
	bench_in(0, &f);
	bench_send(0, &f, 1000);
	assert_int_equal(bench_drops(FCN_DROP_QUEUE_PACKETS), 1);
	bench.port[1].accept = UINT16_MAX;
	bench_poll(1100);
	assert_int_equal(word(bench_only_out(1) + TRACE_DATA_OFF, 4), 100);
}
