/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Plain packets that are recognised, by each width of SIMD registers, against those that are parsed
 * as any packet: the same random frames, many of them with defects, have the same metadata in the
 * stages, are forwarded alike, and count the same. Then packets on the fast path against those that
 * pass through the stages.
 */

#include "fast_path_bridge.h"
#include "fast_widths.h"
#include "mix.h"
#include "reference.h"
#include "testbed.h"

#define TURNS fcn_test_effort(3000)
#define BURST 24
#define PORTS 4

static uint64_t seed = 18;

static unsigned int
below(unsigned int n)
{
	return (unsigned int)(ref_random(&seed) % n);
}

/* Ports 0 and 1 are a bridge. Ports 2 and 3 are routed, port 3 also by another table. */
static int
setup(void **state)
{
	bench_setup(state);
	bench_bridge(2);
	bench_route("2001:db8:1::/48", 6);
	bench_route("2001:db8:2::/48", 7);
	bench_route("10.1.0.0/16", 6);
	bench_route("10.2.0.0/16", 7);
	bench_routes_done();
	bench.snap.table[1] = bench.snap.table[FCN_TABLE_MAIN];
	return 0;
}

TEST_FIXTURE(FCN_TEST_EAL, .setup = setup, .teardown = bench_teardown);

static struct rte_mbuf **
take_none(struct fcn_fast *f, struct rte_mbuf **mbuf, struct rte_mbuf **end)
{
	RTE_SET_USED(f);
	RTE_SET_USED(end);
	return mbuf;
}

static void
admit_none(const struct fcn_fast *f, unsigned int from, unsigned int to)
{
	for (unsigned int i = from; i < to; i++)
		fcn_fast_bridging_pass(f->bridging, i);
}

/* The functions in use, and how many packets they have recognised. */
static const struct fcn_fast_functions *in_use;
static uint64_t n_recognised6, n_recognised4;

static unsigned int
classify6(struct fcn_burst *b, unsigned int from, unsigned int to, const struct fcn_plain_run *run)
{
	const unsigned int end = in_use->classify6(b, from, to, run);

	n_recognised6 += end - from;
	return end;
}

static unsigned int
classify4(struct fcn_burst *b, unsigned int from, unsigned int to, const struct fcn_plain_run *run)
{
	const unsigned int end = in_use->classify4(b, from, to, run);

	n_recognised4 += end - from;
	return end;
}

/* Functions of a width that recognise packets, and take none of them by the fast path. */
static const struct fcn_fast_functions *
recognise(unsigned int width)
{
	static const struct fcn_fast_functions functions = {.ip6 = take_none,
			.ip4 = take_none,
			.admit = admit_none,
			.classify6 = classify6,
			.classify4 = classify4};

	in_use = fast_width(width);
	return &functions;
}

/* Change one octet of the headers, or a length, in some of the frames. */
static void
spoil(struct frame *f)
{
	const unsigned int at = below(78);

	switch (below(8)) {
	case 0:
		f->data[at] = (uint8_t)below(256);
		break;
	case 1:
		f->data[at] ^= (uint8_t)(1u << below(8));
		break;
	case 2: /* padding, or an end that is missing */
		f->len += below(8);
		f->len -= RTE_MIN(f->len, below(8));
		break;
	case 3: /* a CNP, or any opcode */
		f->data[14 + 40 + 8] = below(2) ? FCN_BTH_OPCODE_CNP : (uint8_t)below(256);
		break;
	case 4: /* addresses that may not be forwarded */
		f->data[below(2) ? 14 + 8 : 14 + 24] = below(2) ? 0xfe : 0x30;
		break;
	default:
		break;
	}
}

static void
make(struct frame *f, uint16_t port)
{
	frame_roce6(f, (uint8_t)below(20), 1 + below(2), (uint8_t)below(20),
			below(4) ? 4 * below(8) : 4 * below(420));
	if (port >= 2)
		frame_to_port(f, port, 1);
	else
		frame_macs(f, 1 + below(9), 10 + below(9));
	frame_class(f, below(8), below(4));
	f->data[21] = (uint8_t)below(256); /* hop limit */
	f->data[15] = (uint8_t)(f->data[15] & 0xf0) | (uint8_t)below(16);
	for (unsigned int i = 14 + 40; i < 14 + 42; i++)
		f->data[i] = (uint8_t)below(256); /* UDP source port */
	for (unsigned int i = 14 + 48 + 2; i < 78; i++)
		f->data[i] = (uint8_t)below(256); /* BTH behind the TVer */
	spoil(f);
}

/* Make RoCEv2 over IPv4 from 10.9.0.1 to 10.1.0.1, without a checksum yet. */
static void
make_plain_ip4(struct frame *f, uint16_t port, unsigned int payload)
{
	uint8_t *ip = &f->data[14];
	uint16_t len;

	frame_roce6(f, 1, 1, 1, payload);
	if (port >= 2)
		frame_to_port(f, port, 1);
	else
		frame_macs(f, 1 + below(9), 10 + below(9));
	memmove(ip + 20, ip + 40, f->len - 14 - 40);
	f->len -= 20;
	len = (uint16_t)(f->len - 14);
	f->data[12] = 0x08;
	f->data[13] = 0x00;
	memcpy(ip,
			(uint8_t[20]){0x45, 0, (uint8_t)(len >> 8), (uint8_t)len, 0, 0, 0x40, 0, 64,
					IPPROTO_UDP, 0, 0, 10, 9, 0, 1, 10, 1, 0, 1},
			20);
}

/* The same with any fields, some of it with defects. */
static void
make_ip4(struct frame *f, uint16_t port)
{
	static const uint8_t first[] = {10, 10, 10, 127, 0, 224, 169, 1};
	uint8_t *ip = &f->data[14];

	make_plain_ip4(f, port, below(4) ? 4 * below(8) : 4 * below(420));
	ip[1] = (uint8_t)below(256);
	ip[5] = (uint8_t)below(256);
	ip[6] = (uint8_t)(below(8) ? 0x40 : below(256)); /* fragments */
	ip[8] = (uint8_t)below(256);                     /* TTL */
	ip[12] = below(8) ? 10 : first[below(RTE_DIM(first))];
	ip[13] = ip[12] == 169 ? 254 : 9;
	ip[15] = (uint8_t)below(20);
	ip[16] = below(8) ? 10 : first[below(RTE_DIM(first))];
	ip[17] = ip[16] == 169 ? 254 : (uint8_t)(1 + below(2));
	ip[19] = (uint8_t)below(20);
	fcn_put_be16(ip + 10, ip4_checksum(ip));
	if (below(16) == 0)
		ip[10] ^= (uint8_t)(1u << below(8));
	if (below(4) == 0)
		spoil(f);
}

static void
make_any(struct frame *f, uint16_t port)
{
	if (below(3) == 0)
		make_ip4(f, port);
	else
		make(f, port);
}

/* What a turn has done. */
struct outcome {
	struct fcn_packet packet[BURST];
	struct fcn_port_counters counters; /* of the ingress port, before the turn and behind it */
	uint64_t drops;
	unsigned int n_out[PORTS];
	uint64_t sum[PORTS]; /* of hashes: classes take turns, so the order may be another one */
};

static void
run(const struct frame *frames, uint16_t port, const struct fcn_fast_functions *fast,
		struct outcome *o)
{
	struct fcn_worker *w = bench.worker;
	const struct fcn_port_counters before = w->counters[port];
	const uint64_t drops = bench_all_drops();
	const uint64_t *from = (const void *)&before, *to = (const void *)&w->counters[port];
	uint64_t *more = (void *)&o->counters;

	memset(o, 0, sizeof(*o));
	memset(w->rx->pkt, 0x5a, sizeof(w->rx->pkt));
	w->fast = fast;
	for (unsigned int i = 0; i < BURST; i++)
		bench_in(port, &frames[i]);
	bench_poll(1);
	assert_int_equal(w->rx->n,
			0); /* the turn ends with frames that hosts inject: there are none */
	memcpy(o->packet, w->rx->pkt, sizeof(o->packet));
	for (unsigned int i = 0; i < sizeof(before) / sizeof(*from); i++)
		more[i] = to[i] - from[i];
	o->drops = bench_all_drops() - drops;
	for (uint16_t p = 0; p < PORTS; p++) {
		o->n_out[p] = bench.port[p].n_out;
		for (unsigned int i = 0; i < o->n_out[p]; i++)
			o->sum[p] += mix_of(bench_out(p, i), bench_out_len(p, i));
	}
}

TEST(same)
{
	static struct frame frames[BURST];
	static struct outcome as_any, recognised;
	uint64_t forwarded = 0, dropped = 0;

	for (unsigned int turn = 0; turn < TURNS; turn++) {
		const uint16_t port = (uint16_t)below(PORTS);
		struct fcn_snapshot_port *conf = &bench.snap.port[port];

		conf->mtu = (uint16_t)(below(3) ? 1500 : 40 + below(200));
		conf->trust = below(4) ? FCN_TRUST_DSCP : FCN_TRUST_NONE;
		if (port == 3)
			conf->table = below(2);
		bench_new_snapshot();
		for (unsigned int i = 0; i < BURST; i++)
			make_any(&frames[i], port);
		run(frames, port, NULL, &as_any);
		run(frames, port, NULL, &as_any); /* what the first run has learned is known now */
		for (unsigned int v = 0; v < FAST_WIDTHS; v++) {
			run(frames, port, recognise(v), &recognised);
			assert_memory_equal(&recognised, &as_any, sizeof(recognised));
		}
		dropped += as_any.drops;
		for (unsigned int p = 0; p < PORTS; p++)
			forwarded += as_any.n_out[p];
	}
	assert_true(forwarded > TURNS * BURST / 2);
	assert_true(dropped > TURNS);
	assert_true(n_recognised6 > FAST_WIDTHS * TURNS * BURST / 4);
	assert_true(n_recognised4 > FAST_WIDTHS * TURNS * BURST / 20);
}

/* What leaves does not depend on whether packets take the fast path, nor by which function. */
TEST(fast)
{
	static struct frame frames[BURST];
	static struct outcome by_stages, fast;
	uint64_t forwarded = 0, taken = 0;

	for (unsigned int turn = 0; turn < TURNS; turn++) {
		const uint16_t port = (uint16_t)(2 + below(2));
		struct fcn_snapshot_port *conf = &bench.snap.port[port];

		conf->mtu = (uint16_t)(below(3) ? 1500 : 40 + below(200));
		conf->trust = below(4) ? FCN_TRUST_DSCP : FCN_TRUST_NONE;
		bench_new_snapshot();
		for (unsigned int i = 0; i < BURST; i++)
			make_any(&frames[i], port);
		run(frames, port, NULL, &by_stages);
		for (unsigned int p = 0; p < PORTS; p++)
			forwarded += by_stages.n_out[p];
		for (unsigned int v = 0; v < FAST_WIDTHS; v++) {
			bench.worker->fast = fast_width(v);
			/* The first packet that is not for the fast path ends it: each has its
			 * turn. */
			for (unsigned int from = 0; from < BURST; from++) {
				bench_in(port, &frames[from]);
				fast_try();
				bench_poll(1);
				taken += fast_taken();
			}
			memset(bench.worker->rx->pkt, 0x5a, sizeof(bench.worker->rx->pkt));
			fast_try();
			run(frames, port, fast_width(v), &fast);
			assert_int_equal(fast.drops, by_stages.drops);
			assert_memory_equal(
					&fast.counters, &by_stages.counters, sizeof(fast.counters));
			assert_memory_equal(fast.n_out, by_stages.n_out, sizeof(fast.n_out));
			assert_memory_equal(fast.sum, by_stages.sum, sizeof(fast.sum));
		}
	}
	assert_true(forwarded > TURNS * BURST / 3);
	assert_true(taken > FAST_WIDTHS * TURNS * BURST / 4);
}

/* The functions recognise what they are for, up to the first packet that is not, and no more. */
static void
check_taken(fcn_fast_classify_t classify, fcn_fast_classify_t other, struct frame *frame,
		unsigned int headers)
{
	struct fcn_burst *b = bench.worker->rx;
	static const uint8_t class_of_dscp[64] = {[24] = 3};
	const struct fcn_plain_run conf = {.head6 = &fcn_plain_head_routed,
			.head4 = &fcn_plain_head_routed4,
			.mac = &bench.snap.port[2].mac,
			.max_frame = 1514,
			.flags = FCN_PACKET_FAST_ROUTE,
			.own = &bench.snap.own,
			.class_of_dscp = class_of_dscp};
	struct rte_mbuf m = {.buf_addr = frame->data,
			.data_len = (uint16_t)frame->len,
			.pkt_len = frame->len};

	for (unsigned int i = 0; i < BURST; i++)
		b->mbuf[i] = &m;
	assert_int_equal(classify(b, 0, BURST, &conf), BURST);
	assert_int_equal(classify(b, 3, 3, &conf), 3);
	assert_int_equal(other(b, 3, BURST, &conf), 3);
	m.data_len = (uint16_t)(headers - 1); /* the BTH is not in the first segment */
	assert_int_equal(classify(b, 5, BURST, &conf), 5);
	m.data_len = (uint16_t)headers;
	assert_int_equal(classify(b, 5, BURST, &conf), BURST);
	m.pkt_len = frame->len + 1; /* padding */
	assert_int_equal(classify(b, 5, BURST, &conf), 5);
}

TEST(taken)
{
	for (unsigned int v = 0; v < FAST_WIDTHS; v++) {
		const struct fcn_fast_functions *f = fast_width(v);
		struct frame frame;

		frame_roce6(&frame, 1, 1, 2, 0);
		frame_to_port(&frame, 2, 1);
		check_taken(f->classify6, f->classify4, &frame, 14 + 40 + 8 + 12);
		make_plain_ip4(&frame, 2, 0);
		fcn_put_be16(&frame.data[14 + 10], ip4_checksum(&frame.data[14]));
		check_taken(f->classify4, f->classify6, &frame, 14 + 20 + 8 + 12);
	}
}
