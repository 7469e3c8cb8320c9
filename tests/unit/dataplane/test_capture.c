/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Packet capture, the worker's side: what is copied, what is missed, what stays as it was. */

#include "testbed.h"
#include "port_bits.h"

#define RING 16384 /* units */
#define EPOCH UINT64_C(1700000000000000000)

static struct fcn_capture_reader reader;
static struct bpf_program program;
static bool has_program;

/* Records read, with their octets. */
static struct seen {
	struct fcn_capture_record r;
	uint8_t data[FRAME_MAX];
} seen[512];
static unsigned int n_seen;

static void
make_ring(uint32_t units)
{
	rte_ring_free(bench.worker->capture.ring);
	bench.worker->capture.ring = fcn_capture_ring_create("test_capture", units, SOCKET_ID_ANY);
	assert_non_null(bench.worker->capture.ring);
	reader = (struct fcn_capture_reader){.ring = bench.worker->capture.ring};
}

static int
setup(void **state)
{
	bench_setup_two_ports(state);
	bench.worker->epoch_ns = EPOCH;
	make_ring(RING);
	n_seen = 0;
	return 0;
}

static int
teardown(void **state)
{
	int rc = bench_teardown(state);

	if (has_program)
		pcap_freecode(&program);
	has_program = false;
	return rc;
}

TEST_FIXTURE(FCN_TEST_EAL, .setup = setup, .teardown = teardown);

static void
tap(unsigned int number, enum fcn_capture_point point, uint64_t ports, uint32_t snaplen,
		const char *filter)
{
	struct fcn_capture_tap t = {.snaplen = snaplen};
	pcap_t *dead;

	t.ports[point] = ports_of(ports);
	if (filter != NULL) {
		dead = pcap_open_dead(DLT_EN10MB, 65535);
		assert_int_equal(pcap_compile(dead, &program, filter, 1, PCAP_NETMASK_UNKNOWN), 0);
		pcap_close(dead);
		has_program = true;
		t.filter = &program;
	}
	fcn_capture_open(bench.worker, number, &t);
}

/* Take all there is. @return how many records */
static unsigned int
take(void)
{
	const struct fcn_capture_record *r;
	struct fcn_capture_octets o;

	n_seen = 0;
	while ((r = fcn_capture_peek(&reader, &o)) != NULL) {
		struct seen *s = &seen[n_seen];

		assert_true(n_seen++ < RTE_DIM(seen));
		s->r = *r;
		assert_int_equal(o.len[0] + o.len[1], r->caplen);
		memcpy(s->data, o.part[0], o.len[0]);
		if (o.len[1] != 0)
			memcpy(s->data + o.len[0], o.part[1], o.len[1]);
		assert_int_equal(fcn_capture_next(&reader), 1 + (r->caplen + 63) / 64);
	}
	fcn_capture_release(&reader);
	return n_seen;
}

TEST(off)
{
	struct frame f;

	frame_roce6(&f, 1, 1, 2, 100);
	bench_in(0, &f);
	frame_roce6(&f, 1, 9, 2, 100); /* no route */
	bench_send(0, &f, 1);
	assert_int_equal(take(), 0);
	tap(3, FCN_CAPTURE_RX, UINT64_MAX, 100, NULL);
	fcn_capture_close(bench.worker, 3);
	bench_send(0, &f, 2);
	assert_int_equal(take(), 0);
	for (unsigned int p = 0; p < FCN_CAPTURE_POINT_COUNT; p++)
		assert_int_equal(bits_of(bench.worker->capture.ports[p]), 0);
}

/* As it came, although the packet that goes on is rewritten. */
TEST(received)
{
	struct frame f, g;

	tap(2, FCN_CAPTURE_RX, 1 << 1, FCN_CAPTURE_SNAPLEN, NULL);
	frame_roce6(&f, 1, 1, 2, 100);
	bench_in(0, &f); /* by another port */
	frame_roce6(&g, 7, 0, 2, 333);
	frame_to_port(&g, 1, 1);
	bench_send(1, &g, 100);
	assert_int_equal(take(), 1);
	assert_int_equal(seen[0].r.time_ns, EPOCH + 100);
	assert_int_equal(seen[0].r.point, FCN_CAPTURE_RX);
	assert_int_equal(seen[0].r.port, 1);
	assert_int_equal(seen[0].r.taps, 1 << 2);
	assert_int_equal(seen[0].r.origin, FCN_CAPTURE_FORWARDED);
	assert_int_equal(seen[0].r.len, g.len);
	assert_int_equal(seen[0].r.caplen, g.len);
	assert_memory_equal(seen[0].data, g.data, g.len);
}

/* As the port has it, and only what it took: what it refuses comes again, and counts once. */
TEST(handed)
{
	struct frame f;

	tap(0, FCN_CAPTURE_TX, 1 << 1, FCN_CAPTURE_SNAPLEN, NULL);
	for (unsigned int i = 0; i < 8; i++) {
		frame_roce6(&f, i, 1, 2, 100);
		bench_in(0, &f);
	}
	bench.port[1].accept = 3;
	bench_poll(10);
	assert_int_equal(take(), 3);
	for (unsigned int i = 0; i < 3; i++) {
		assert_int_equal(seen[i].r.point, FCN_CAPTURE_TX);
		assert_int_equal(seen[i].r.port, 1);
		assert_int_equal(seen[i].r.caplen, bench_out_len(1, i));
		assert_memory_equal(seen[i].data, bench_out(1, i), seen[i].r.caplen);
		assert_int_equal(seen[i].data[14 + 7], 63); /* the hop limit was lowered */
	}
	bench.port[1].accept = 0;
	bench_poll(11);
	assert_int_equal(take(), 0);
	bench.port[1].accept = UINT16_MAX;
	bench_poll(12);
	assert_int_equal(take(), 5);
	assert_int_equal(seen[4].data[14 + 8 + 15], 7);
	assert_int_equal(seen[4].r.time_ns, EPOCH + 12);
	assert_int_equal(bench.worker->capture.tap[0].missed[1], 0);
}

/* Every place that drops says why; a drop is seen where it is counted, and where it was to leave.
 */
TEST(dropped)
{
	struct frame f;

	tap(0, FCN_CAPTURE_DROP, 1 << 0, FCN_CAPTURE_SNAPLEN, NULL);
	tap(1, FCN_CAPTURE_DROP, 1 << 1, FCN_CAPTURE_SNAPLEN, NULL);
	frame_roce6(&f, 1, 9, 2, 100);
	bench_in(0, &f);
	f.len = 13;
	bench_in(2, &f); /* another port's: not wanted */
	frame_roce6(&f, 1, 1, 2, 100);
	bench.snap.port[1].egress.queue[3].limit_bytes = 10;
	bench_send(0, &f, 5);
	assert_int_equal(take(), 2);
	assert_int_equal(seen[0].r.point, FCN_CAPTURE_DROP);
	assert_int_equal(seen[0].r.reason, FCN_DROP_NO_ROUTE);
	assert_int_equal(seen[0].r.port, 0);
	assert_int_equal(seen[0].r.class, FCN_CAPTURE_NO_CLASS);
	assert_int_equal(seen[0].r.taps, 1);
	assert_int_equal(seen[1].r.reason, FCN_DROP_QUEUE_BYTES);
	assert_int_equal(seen[1].r.port, 0);
	assert_int_equal(seen[1].r.out_port, 1);
	assert_int_equal(seen[1].r.class, 3);
	assert_int_equal(seen[1].r.taps, 3);
	assert_int_equal(seen[1].r.caplen, f.len);
	assert_int_equal(bench_all_drops(), 3);
}

/* Queued and staged packets of a port that goes. */
TEST(port_gone)
{
	struct frame f;

	tap(0, FCN_CAPTURE_DROP, UINT64_MAX, FCN_CAPTURE_SNAPLEN, NULL);
	tap(1, FCN_CAPTURE_TX, 1 << 1, FCN_CAPTURE_SNAPLEN, NULL);
	bench.port[1].accept = 0;
	for (unsigned int i = 0; i < 40; i++) { /* 32 are staged, 8 queued */
		frame_roce6(&f, i, 1, 2, 100);
		bench_in(0, &f);
	}
	bench_poll(1);
	bench_poll(2);
	assert_int_equal(take(), 0);
	fcn_worker_port_remove(bench.worker, 1);
	fcn_capture_forget_port(bench.worker, 1);
	assert_int_equal(bench_drops(FCN_DROP_PORT_GONE), 40);
	assert_int_equal(take(), 40);
	for (unsigned int i = 0; i < 40; i++) {
		assert_int_equal(seen[i].r.reason, FCN_DROP_PORT_GONE);
		assert_int_equal(seen[i].r.port, 1);
		assert_int_equal(seen[i].r.class, 3);
		assert_int_equal(seen[i].data[14 + 8 + 15], i);
	}
	/* the next port of this number is another one; "all" is all, still */
	assert_int_equal(bits_of(bench.worker->capture.ports[FCN_CAPTURE_TX]), 0);
	assert_int_equal(bits_of(bench.worker->capture.ports[FCN_CAPTURE_DROP]), UINT64_MAX);
	bench_add_port(1);
}

/* A link that goes takes what waits for it, queued or staged. */
TEST(port_down)
{
	struct frame f;

	tap(0, FCN_CAPTURE_DROP, 1 << 1, FCN_CAPTURE_SNAPLEN, NULL);
	bench.port[1].accept = 0;
	for (unsigned int i = 0; i < 40; i++) {
		frame_roce6(&f, i, 1, 2, 100);
		bench_in(0, &f);
	}
	bench_poll(1);
	bench_poll(2); /* 32 are staged, 8 queued */
	bench.snap.port[1].down = true;
	bench_new_snapshot();
	bench_poll(3);
	assert_int_equal(bench_drops(FCN_DROP_PORT_DOWN), 40);
	assert_int_equal(take(), 40);
	for (unsigned int i = 0; i < 40; i++) {
		assert_int_equal(seen[i].r.reason, FCN_DROP_PORT_DOWN);
		assert_int_equal(seen[i].r.out_port, 1);
		assert_int_equal(seen[i].data[14 + 8 + 15], i);
	}
}

/* Copies that are not made are drops, too. */
TEST(flood)
{
	struct rte_mbuf *all[BENCH_POOL];
	struct frame f;
	unsigned int n = 0;

	bench_bridge(4);
	tap(0, FCN_CAPTURE_DROP, UINT64_MAX, FCN_CAPTURE_SNAPLEN, NULL);
	frame_roce6(&f, 1, 1, 2, 100);
	frame_macs(&f, 200, 1);
	bench_in(0, &f);
	while (n < RTE_DIM(all) && rte_mempool_get(bench.pool, (void **)&all[n]) == 0)
		n++;
	bench_poll(1);
	while (n > 0)
		rte_mempool_put(bench.pool, all[--n]);
	assert_int_equal(bench_drops(FCN_DROP_NO_MBUF), 2);
	assert_int_equal(take(), 2);
	for (unsigned int i = 0; i < 2; i++) {
		assert_int_equal(seen[i].r.reason, FCN_DROP_NO_MBUF);
		assert_int_equal(seen[i].r.out_port, 1 + i);
		assert_memory_equal(seen[i].data, f.data, f.len);
	}
}

/* A notice says for which queue it was made; flow control, who made it. */
TEST(made_here)
{
	struct frame f;

	bench_notices(1, 1);
	tap(0, FCN_CAPTURE_TX, UINT64_MAX, FCN_CAPTURE_SNAPLEN, NULL);
	frame_roce6(&f, 8, 1, 2, 100);
	bench_in(0, &f);
	frame_roce6(&f, 9, 1, 2, 100);
	bench_send(0, &f, 1);
	assert_int_equal(take(), 4);
	for (unsigned int i = 0, notices = 0, data = 0; i < 4; i++) {
		if (seen[i].r.port == 1) {
			data++;
			assert_int_equal(seen[i].r.origin, FCN_CAPTURE_FORWARDED);
			continue;
		}
		notices++;
		assert_int_equal(seen[i].r.origin, FCN_CAPTURE_NOTICE);
		assert_int_equal(seen[i].r.cause_port, 1);
		assert_int_equal(seen[i].r.cause_class, 3);
		assert_int_equal(seen[i].r.occupancy, notices * f.len);
		assert_int_equal(seen[i].r.level, 2); /* see test_trace.c */
		assert_int_equal(seen[i].r.len, 104 + 14);
	}
}

/* A message to an upstream neighbour says for which queue it was made; its buffer does not. */
TEST(notification)
{
	struct fcn_arn_conf *arn = &bench.snap.arn;
	struct fcn_arn_cause cause;

	arn->port = 1022;
	arn->send = true;
	arn->class = 6;
	arn->n_neighbours = arn->sender.n_neighbours = 1;
	arn->neighbour[0].port = FCN_PORT_NONE;
	memcpy(arn->neighbour[0].addr, (uint8_t[]){0x20, 0x01, 0x0d, 0xb8, 0, 1}, 6);
	memcpy(arn->sender.neighbour_addr[0], arn->neighbour[0].addr, 16);
	bench_new_snapshot();
	bench_poll(1000);
	tap(0, FCN_CAPTURE_TX, UINT64_MAX, FCN_CAPTURE_SNAPLEN, NULL);
	memset(&cause, 0, sizeof(cause));
	cause.key.port = 2;
	cause.key.class = 3;
	cause.key.mode = FCN_ARN_MODE_PRIORITY;
	cause.neighbours = 1;
	cause.time_us = 100;
	cause.level = 5;
	cause.reason = FCN_ARN_REASON_CONGESTED;
	assert_true(fcn_arn_sender_halt(bench.worker->arn, &cause, 1000));
	cause.reason = FCN_ARN_REASON_PAUSED;
	assert_true(fcn_arn_sender_halt(bench.worker->arn, &cause, 1000));
	bench_poll(1001);
	assert_int_equal(bench.port[1].out[0]->tx_offload, 0);
	fcn_arn_sender_end(bench.worker->arn, 2, 3, FCN_ARN_REASON_CONGESTED, 1001);
	fcn_arn_sender_end(bench.worker->arn, 2, 3, FCN_ARN_REASON_PAUSED, 1001);
	bench_poll(1002);
	assert_int_equal(take(), 2);
	for (unsigned int i = 0; i < 2; i++) {
		assert_int_equal(seen[i].r.origin, FCN_CAPTURE_ARN);
		assert_int_equal(seen[i].r.port, 1);
		assert_int_equal(seen[i].r.cause_port, 2);
		assert_int_equal(seen[i].r.cause_class, 3);
	}
	assert_int_equal(seen[0].r.reasons, FCN_ARN_REASON_CONGESTED | FCN_ARN_REASON_PAUSED);
	assert_int_equal(seen[0].r.level, 5);
	assert_int_equal(seen[1].r.reasons, 0);
}

TEST(pause)
{
	struct frame f;

	bench_lossless(0, 3, 100, 50, 10000);
	bench_new_snapshot();
	tap(0, FCN_CAPTURE_TX, 1 << 0, FCN_CAPTURE_SNAPLEN, NULL);
	tap(1, FCN_CAPTURE_DROP, 1 << 1, FCN_CAPTURE_SNAPLEN, NULL);
	bench.port[1].accept = 0;
	frame_roce6(&f, 1, 1, 2, 200);
	bench_send(0, &f, 1);
	assert_int_equal(bench.worker->counters[0].pause_sent, 1);
	assert_int_equal(take(), 1);
	assert_int_equal(seen[0].r.origin, FCN_CAPTURE_PAUSE);
	assert_int_equal(seen[0].r.port, 0);
	assert_int_equal(seen[0].r.len, bench_out_len(0, 0));
	assert_memory_equal(seen[0].data, bench_out(0, 0), seen[0].r.len);
	bench.port[1].accept = UINT16_MAX;
	bench_poll(2);
}

TEST(filter_and_snaplen)
{
	struct frame f;

	tap(0, FCN_CAPTURE_RX, UINT64_MAX, 60, "ip6 src 2001:db8::7");
	tap(1, FCN_CAPTURE_RX, 1 << 0, 80, NULL);
	for (unsigned int i = 0; i < 64; i++) {
		frame_roce6(&f, i % 8, 1, 2, 1000);
		bench_in(0, &f);
	}
	bench_poll(1);
	bench_poll(2);
	assert_int_equal(take(), 64);
	for (unsigned int i = 0; i < 64; i++) {
		assert_int_equal(seen[i].r.taps, i % 8 == 7 ? 3 : 2);
		assert_int_equal(seen[i].r.caplen, 80); /* one copy for both */
		assert_int_equal(seen[i].r.len, f.len);
	}
}

/* A filter looks behind the bytes that a clone has of its own. */
TEST(filter_of_clones)
{
	struct frame f;

	bench_bridge(4);
	bench.snap.copies = FCN_COPY_CLONE;
	for (unsigned int p = 0; p < 4; p++)
		bench.snap.port[p].mtu = 9000;
	tap(0, FCN_CAPTURE_TX, UINT64_MAX, 2000, "ether[1000] = 0x77");
	for (unsigned int i = 0; i < 4; i++) {
		frame_roce6(&f, 1, 1, 2, 1500);
		frame_macs(&f, 9, 1);
		f.data[1000] = i == 2 ? 0x77 : 0x66;
		f.data[1500] = i;
		bench_in(0, &f);
	}
	bench_poll(1);
	bench_poll(2);
	assert_int_equal(bench.worker->counters[0].cloned, 8);
	assert_int_equal(take(), 3);
	for (unsigned int i = 0; i < 3; i++) {
		assert_int_equal(seen[i].r.len, f.len);
		assert_int_equal(seen[i].data[1500], 2);
	}
}

/* No room: missed and told, by capture and port; forwarding goes on as if nothing was. */
TEST(full)
{
	struct frame f;
	unsigned int fit;

	make_ring(16);
	tap(4, FCN_CAPTURE_RX, UINT64_MAX, FCN_CAPTURE_SNAPLEN, NULL);
	for (unsigned int i = 0; i < 10; i++) {
		frame_roce6(&f, i, 1, 2, 100);
		bench_in(0, &f);
	}
	fit = 16 / (1 + (f.len + 63) / 64);
	bench_poll(1);
	assert_int_equal(bench.port[1].n_out, 10);
	assert_int_equal(bench.worker->capture.tap[4].missed[0], 10 - fit);
	assert_int_equal(take(), fit);
	for (unsigned int i = 0; i < fit; i++)
		assert_int_equal(seen[i].r.missed[4], 0);
	bench_in(0, &f);
	bench_send(0, &f, 2);
	assert_int_equal(take(), 2);
	assert_int_equal(seen[0].r.missed[4], 10 - fit);
	assert_int_equal(seen[1].r.missed[4], 0);
	/* opened anew, it begins anew */
	tap(4, FCN_CAPTURE_RX, UINT64_MAX, FCN_CAPTURE_SNAPLEN, NULL);
	assert_int_equal(bench.worker->capture.tap[4].missed[0], 0);
}

/* Lengths of all kinds, chained frames, round the ring's end again and again. */
TEST(wrap)
{
	uint64_t random = 7;

	make_ring(256);
	for (unsigned int p = 0; p < 4; p++) {
		bench.snap.port[p].mtu = 9000;
		bench.next_hop[p + 4].mtu = 9000;
	}
	tap(7, FCN_CAPTURE_RX, UINT64_MAX, FCN_CAPTURE_SNAPLEN, NULL);
	for (unsigned int turn = 1; turn < 2000; turn++) {
		struct frame f[3];
		unsigned int n = 1 + fcn_test_random(&random) % 3;

		for (unsigned int i = 0; i < n; i++) {
			frame_roce6(&f[i], turn, 1, 2, fcn_test_random(&random) % 3900);
			for (unsigned int k = 100; k < f[i].len; k++)
				f[i].data[k] = (uint8_t)fcn_test_random(&random);
			bench_in(0, &f[i]);
		}
		bench_poll(turn);
		assert_int_equal(take(), n);
		for (unsigned int i = 0; i < n_seen; i++) {
			assert_int_equal(seen[i].r.caplen, f[i].len);
			assert_memory_equal(seen[i].data, f[i].data, f[i].len);
		}
	}
}
