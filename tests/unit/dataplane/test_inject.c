/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* What the host functions have the worker do: send, forward, drop; each is in the packet
 * accounting. */

#include <rte_ring_elem.h>

#include "fcn_punt.h"
#include "port_bits.h"
#include "testbed.h"

#define SUB 9 /* sub-interface of port 2, VLAN 300 */
#define CLASS 3

static int
setup(void **state)
{
	struct fcn_snapshot_port *sub = &bench.snap.port[SUB];

	if (bench_setup(state) != 0)
		return -1;
	bench_route("2001:db8:0::/48", 4);
	bench_routes_done();
	bench.worker->injects = rte_ring_create_elem(
			"inject_test", sizeof(struct fcn_inject), 64, SOCKET_ID_ANY, 0);
	assert_non_null(bench.worker->injects);
	*sub = bench.snap.port[2];
	sub->parent = 2;
	sub->vlan = 300;
	return 0;
}

TEST_FIXTURE(FCN_TEST_EAL, .setup = setup, .teardown = bench_teardown);

/* A packet of the flow, as a buffer that came from the worker. */
static struct rte_mbuf *
packet(const struct frame *f)
{
	struct rte_mbuf *m = rte_pktmbuf_alloc(bench.pool);

	assert_non_null(m);
	memcpy(rte_pktmbuf_append(m, f->len), f->data, f->len);
	return m;
}

static void
inject(struct fcn_inject in)
{
	assert_int_equal(rte_ring_enqueue_elem(bench.worker->injects, &in, sizeof(in)), 0);
}

static const struct fcn_port_counters *
counters(uint16_t port)
{
	return &bench.worker->counters[port];
}

TEST(send)
{
	struct frame f;

	bench_notices(1, 1); /* congested by the first byte */
	frame_roce6(&f, 1, 1, 2, 100);
	inject((struct fcn_inject){.kind = FCN_INJECT_SEND,
			.mbuf = packet(&f),
			.out_port = 1,
			.class = CLASS});
	bench_poll(1);
	assert_int_equal(bench_out_len(1, 0), f.len);
	assert_memory_equal(bench_only_out(1), f.data, f.len); /* as it was, without a mark */
	assert_int_equal(counters(1)->generated, 1);
	assert_int_equal(counters(1)->injected, 1);
	assert_int_equal(bench_queue(1, CLASS)->stats.deq_packets, 1);
	/* Nobody is told that it met congestion. */
	assert_int_equal(bench_verdict(1, CLASS, FCN_FASTCNP_SENT_OPT1), 0);
	assert_int_equal(bench_queue(1, CLASS)->stats.notices, 0);
}

/* What waited for its neighbour meets the queue as if it had been routed just now. */
TEST(forward)
{
	const uint8_t *notice;
	struct frame f, out;

	bench_notices(1, 1);
	frame_roce6(&f, 1, 1, 2, 100);
	inject((struct fcn_inject){.kind = FCN_INJECT_FORWARD,
			.mbuf = packet(&f),
			.out_port = 1,
			.in_port = 0,
			.class = CLASS});
	bench_poll(1);
	assert_int_equal(counters(0)->returned, 1);
	assert_int_equal(counters(1)->injected, 0);
	assert_int_equal(bench.port[1].n_out, 1);
	out = f;
	out.data[15] |= 0x30; /* CE, as its sender may not understand notices */
	assert_memory_equal(bench_out(1, 0), out.data, out.len);
	assert_int_equal(bench_queue(1, CLASS)->stats.notices, 1);
	/* The notice goes back to 2001:db8::1. */
	assert_int_equal(bench.port[0].n_out, 1);
	notice = bench_out(0, 0);
	assert_memory_equal(notice + 14 + 24, f.data + 14 + 8, 16);
	assert_int_equal(counters(1)->generated, 1);
}

/* It is still a packet of a lossless class of the port it came in by. */
TEST(forward_lossless)
{
	const struct fcn_ingress *in = &bench.worker->ingress[0][CLASS];
	struct frame f;

	bench_set_ops(1, &bench_gate_ops);
	bench.port[1].accept = 0;
	bench_lossless(0, CLASS, 100000, 50000, 10000);
	frame_roce6(&f, 1, 1, 2, 100);
	for (unsigned int c = CLASS; c <= CLASS + 1; c++)
		inject((struct fcn_inject){.kind = FCN_INJECT_FORWARD,
				.mbuf = packet(&f),
				.out_port = 1,
				.in_port = 0,
				.class = c});
	bench_poll(1);
	assert_int_equal(in->used, f.len);
	assert_int_equal(bench.worker->ingress[0][CLASS + 1].used, 0);
	bench.port[1].accept = UINT16_MAX;
	bench_poll(2);
	assert_int_equal(bench.port[1].n_out, 2);
	assert_int_equal(in->used, 0);
}

/* And has the trace of it filled in, when its port is a transit node's. */
TEST(forward_ioam)
{
	struct frame f;

	bench.snap.ioam = (struct fcn_ioam_conf){.any_transit = true,
			.node_id = 0x010203,
			.n_namespaces = 1,
			.ns = {{.id = 0x1234, .schema_id = FCN_IOAM_NO_SCHEMA}}};
	bench.snap.port[0].ioam.transit = true;
	frame_ioam6(&f, 0x800000, 1, 2, 0, 64); /* hop limit and node, a word each; room for two */
	for (uint16_t in_port = 0; in_port < 2; in_port++)
		inject((struct fcn_inject){.kind = FCN_INJECT_FORWARD,
				.mbuf = packet(&f),
				.out_port = 3,
				.in_port = in_port,
				.class = CLASS});
	bench_poll(1);
	assert_int_equal(bench.port[3].n_out, 2);
	assert_int_equal(bench_out(3, 0)[TRACE_OFF + 3], 1); /* RemainingLen */
	assert_memory_equal(bench_out(3, 0) + TRACE_DATA_OFF + 4 + 1, ((uint8_t[]){1, 2, 3}), 3);
	assert_int_equal(bench_out(3, 1)[TRACE_OFF + 3], 2);
}

/* Dropped by the worker, which counts it, and has the next of its kind when its ring is full. */
TEST(drop)
{
	struct fcn_inject in = {.kind = FCN_INJECT_DROP,
			.in_port = 2,
			.class = CLASS,
			.drop = FCN_DROP_NEIGHBOUR_FAILED};
	unsigned int in_use;
	struct frame f;

	frame_roce6(&f, 1, 1, 2, 100);
	in.mbuf = packet(&f);
	inject(in);
	bench_poll(1);
	assert_int_equal(counters(2)->drop[FCN_DROP_NEIGHBOUR_FAILED], 1);
	assert_int_equal(counters(2)->returned, 1);
	assert_int_equal(bench_all_drops(), 1);
	in_use = rte_mempool_in_use_count(bench.pool);
	in.mbuf = packet(&f);
	in.drop = FCN_DROP_INJECT_FULL;
	fcn_inject_refused(bench.worker, &in);
	assert_int_equal(rte_mempool_in_use_count(bench.pool), in_use);
	assert_int_equal(counters(2)->drop[FCN_DROP_INJECT_FULL], 1);
	assert_int_equal(counters(2)->returned, 2);
	bench_poll(2);
	assert_int_equal(bench_all_drops(), 2);
}

/* By a sub-interface with a tag; where the buffer has no room for one, it is dropped. */
TEST(headroom)
{
	struct fcn_inject in = {.kind = FCN_INJECT_SEND, .out_port = SUB, .class = 7};
	struct frame f;

	frame_roce6(&f, 1, 1, 2, 100);
	in.mbuf = packet(&f);
	inject(in);
	bench_poll(1);
	assert_memory_equal(bench_only_out(2) + 12, ((uint8_t[]){0x81, 0, 0xE1, 0x2C}), 4);
	in.mbuf = packet(&f);
	assert_non_null(rte_pktmbuf_prepend(in.mbuf, rte_pktmbuf_headroom(in.mbuf)));
	inject(in);
	bench_poll(2);
	assert_int_equal(bench.port[2].n_out, 0);
	assert_int_equal(counters(SUB)->drop[FCN_DROP_HEADROOM], 1);
	assert_int_equal(counters(SUB)->injected, 2);
	assert_int_equal(counters(SUB)->generated, 2);
}

/* The host functions have a packet routed. Meanwhile its table may have been removed. */
TEST(route)
{
	struct fcn_inject in = {.kind = FCN_INJECT_ROUTE, .in_port = 1, .class = CLASS};
	struct frame f;

	frame_roce6(&f, 1, 0, 2, 100); /* behind port 0 */
	memset(f.data, 0, 12);
	in.mbuf = packet(&f);
	inject(in);
	bench_poll(1);
	assert_int_equal(bench.port[0].n_out, 1);
	assert_int_equal(counters(1)->injected, 1);
	assert_int_equal(bench_all_drops(), 0);
	bench_forget_out();
	in.mbuf = packet(&f);
	in.table = FCN_MAX_TABLES - 1;
	inject(in);
	bench_poll(2);
	assert_int_equal(counters(1)->injected, 2);
	assert_int_equal(counters(1)->generated, 2);
	assert_int_equal(counters(1)->drop[FCN_DROP_NO_ROUTE], 1);
}

/* A capture of what leaves tells who made it. */
TEST(capture)
{
	struct fcn_capture_tap tap = {.snaplen = 64, .ports[FCN_CAPTURE_TX] = ports_of(1 << 1)};
	struct fcn_capture_reader reader = {0};
	const struct fcn_capture_record *r;
	struct fcn_capture_octets o;
	struct frame f;

	bench.worker->capture.ring = fcn_capture_ring_create("inject_cap", 1024, SOCKET_ID_ANY);
	assert_non_null(bench.worker->capture.ring);
	reader.ring = bench.worker->capture.ring;
	fcn_capture_open(bench.worker, 0, &tap);
	frame_roce6(&f, 1, 1, 2, 100);
	for (uint8_t kind = FCN_INJECT_SEND; kind <= FCN_INJECT_FORWARD; kind++)
		inject((struct fcn_inject){
				.kind = kind, .mbuf = packet(&f), .out_port = 1, .class = CLASS});
	bench_poll(1);
	r = fcn_capture_peek(&reader, &o);
	assert_non_null(r);
	assert_int_equal(r->port, 1);
	assert_int_equal(r->origin, FCN_CAPTURE_HOST);
	fcn_capture_next(&reader);
	r = fcn_capture_peek(&reader, &o);
	assert_non_null(r);
	assert_int_equal(r->origin, FCN_CAPTURE_FORWARDED);
	fcn_capture_next(&reader);
	fcn_capture_release(&reader);
}
