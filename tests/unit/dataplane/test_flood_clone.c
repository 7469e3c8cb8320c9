/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Copies for flooding that share bytes: whatever stages behind them write, every port sends what it
 * would send if all bytes were copied.
 */

#include "ioam_remove.h"
#include "testbed.h"

#define N_PORTS 4
#define VLAN 10

/* What left by a port, in order. */
struct sent {
	uint8_t data[1 << 17];
	uint32_t used;
	uint32_t len[256];
	unsigned int n;
};

struct outcome {
	struct sent port[N_PORTS];
	uint64_t copied, cloned, drops, marked;
};

static struct outcome by_copy, by_clone;

/* Frames of a scenario, and what may be written to them. */
struct scenario {
	void (*configure)(void);
	void (*make)(struct frame *f, uint32_t payload, unsigned int k);
	uint64_t cloned_at_least; /* copies */
	bool never_cloned;
};

static const uint32_t payloads[] = {0, 30, 60, 61, 100, 200, 1000, 1900, 1988, 1989, 3000, 3800};

static void
note_sent(struct outcome *o)
{
	for (unsigned int p = 0; p < N_PORTS; p++) {
		struct sent *s = &o->port[p];

		for (unsigned int i = 0; i < bench.port[p].n_out; i++) {
			const struct rte_mbuf *m = bench.port[p].out[i];
			uint8_t *to = s->data + s->used;
			const void *at;

			rte_mbuf_sanity_check(m, 1);
			assert_true(s->used + m->pkt_len <= sizeof(s->data) &&
					s->n < RTE_DIM(s->len));
			at = rte_pktmbuf_read(m, 0, m->pkt_len, to);
			if (at != to)
				memcpy(to, at, m->pkt_len);
			s->used += m->pkt_len;
			s->len[s->n++] = m->pkt_len;
		}
	}
}

static void
poll_at(struct outcome *o, uint64_t now)
{
	bench_poll(now);
	note_sent(o);
}

/* All frames come in by port 0; gates open port by port, at different times. */
static void
run(const struct scenario *s, enum fcn_copy_mode mode, struct outcome *o)
{
	uint64_t now = 1000;

	memset(o, 0, sizeof(*o));
	bench_setup(NULL);
	bench_bridge(N_PORTS);
	bench.snap.copies = mode;
	for (unsigned int p = 0; p < N_PORTS; p++)
		bench.snap.port[p].mtu = 9000;
	for (unsigned int p = 1; p < N_PORTS; p++)
		bench_set_ops(p, &bench_gate_ops);
	s->configure();
	for (unsigned int p = 1; p < N_PORTS; p++)
		bench.port[p].accept = 0;
	for (size_t i = 0; i < RTE_DIM(payloads); i++) {
		for (unsigned int k = 0; k < 4; k++) {
			struct frame f;

			s->make(&f, payloads[i], k);
			bench_in(0, &f);
		}
		poll_at(o, now++);
	}
	for (unsigned int p = 1; p < N_PORTS; p++) {
		bench.port[p].accept = UINT16_MAX;
		poll_at(o, now += 1000);
	}
	poll_at(o, now + 1);
	for (unsigned int p = 0; p < N_PORTS; p++) {
		o->copied += bench.worker->counters[p].copied;
		o->cloned += bench.worker->counters[p].cloned;
		o->marked += p == 0 ? 0 : bench_queue(p, 3)->stats.ce_marked;
	}
	o->drops = bench_all_drops();
	assert_int_equal(bench_teardown(NULL), 0);
}

static void
assert_same(const struct outcome *a, const struct outcome *b)
{
	for (unsigned int p = 0; p < N_PORTS; p++) {
		uint32_t at = 0;

		assert_int_equal(a->port[p].n, b->port[p].n);
		for (unsigned int i = 0; i < a->port[p].n; i++) {
			assert_int_equal(a->port[p].len[i], b->port[p].len[i]);
			assert_memory_equal(a->port[p].data + at, b->port[p].data + at,
					a->port[p].len[i]);
			at += a->port[p].len[i];
		}
	}
	assert_int_equal(a->copied + a->cloned, b->copied + b->cloned);
	assert_int_equal(a->drops, b->drops);
	assert_int_equal(a->marked, b->marked);
}

static void
compare(const struct scenario *s)
{
	run(s, FCN_COPY_BYTES, &by_copy);
	assert_int_equal(by_copy.cloned, 0);
	assert_true(by_copy.copied > 0 && by_copy.port[3].n > 0);
	run(s, FCN_COPY_CLONE, &by_clone);
	assert_same(&by_copy, &by_clone);
	if (s->never_cloned)
		assert_int_equal(by_clone.cloned, 0);
	else
		assert_true(by_clone.cloned >= s->cloned_at_least && by_clone.cloned > 0);
}

/* ---- frames ---- */

static void
fill(struct frame *f, uint32_t from, unsigned int k)
{
	for (uint32_t i = from; i < f->len; i++)
		f->data[i] = (uint8_t)(i * 7 + i / 251 + k);
}

static void
make_plain(struct frame *f, uint32_t payload, unsigned int k)
{
	frame_ether(f, 0x88B5);
	frame_zero(f, 46 + payload);
	fill(f, 14, k);
	frame_macs(f, 200, 1);
}

/* RoCEv2 that can be marked; sealed. */
static void
make_roce6(struct frame *f, uint32_t payload, unsigned int k)
{
	frame_roce6(f, 1 + k, 1, 2, payload);
	fill(f, 14 + 40 + 8 + 12, k);
	ioam_finish(f, REF_SKIP, true);
	frame_macs(f, 200, 1);
}

static void
make_ip4(struct frame *f, uint32_t payload, unsigned int k)
{
	frame_ether(f, 0x0800);
	frame_ip4(f, 17, k % 2 == 0 ? 20 : 60);
	frame_roce(f, payload);
	fill(f, f->udp + 20, k);
	f->data[14 + 1] = 3 << 5 | 1; /* class 3, ECT(1) */
	frame_finish(f);
	frame_macs(f, 200, 1);
}

static void
make_mixed(struct frame *f, uint32_t payload, unsigned int k)
{
	if (k % 2 == 0)
		make_roce6(f, payload, k);
	else
		make_ip4(f, payload, k);
}

/* Untagged, tagged for its VLAN, and for its priority alone. */
static void
make_tagged(struct frame *f, uint32_t payload, unsigned int k)
{
	frame_ether(f, 0x88B5);
	if (k != 0)
		frame_vlan(f, 0x8100, k == 1 ? 3 << 13 | VLAN : 5 << 13);
	frame_zero(f, 46 + payload);
	fill(f, 18, k);
	frame_macs(f, 200, 1);
}

/* With an IOAM trace: one that all nodes write to, with the delay that is known at departure. */
static void
make_ioam(struct frame *f, uint32_t payload, unsigned int k)
{
	if (k < 3)
		frame_ioam6(f, 0xFE0000, 7, 7 * (1 + k), 0, payload);
	else
		frame_ioam6_tunnel(f, 0xFE0000, 7, 14, true, RTE_MIN(payload, 3600u));
	fill(f, f->udp + 20, k);
	if (k < 3)
		ioam_finish(f, REF_SKIP, k != 1);
	frame_macs(f, 200, 1);
}

/* ---- what writes ---- */

static void
no_feature(void)
{
}

/* Frames leave tagged by some ports and untagged by others. */
static void
vlans(void)
{
	for (unsigned int p = 0; p < N_PORTS; p++) {
		struct fcn_snapshot_port *port = &bench.snap.port[p];

		port->pvid = p % 2 == 0 ? VLAN : 1;
		if (p != 2)
			port->tagged[VLAN / 64] |= 1ull << VLAN % 64;
	}
}

/* The same, and the last port is the one that takes tags off. */
static void
vlans_other(void)
{
	for (unsigned int p = 0; p < N_PORTS; p++) {
		struct fcn_snapshot_port *port = &bench.snap.port[p];

		port->pvid = p % 3 == 0 ? VLAN : 1;
		port->tagged[VLAN / 64] |= 1ull << VLAN % 64;
	}
}

/* Packets that meet more than so many bytes in the queue of a port are marked. */
static void
marks_at(unsigned int port, uint32_t enter)
{
	struct fcn_queue_conf *q;

	bench_notices(port, enter);
	q = bench_queue_conf(port, 3);
	q->policy.notify = false;
	bench.snap.notify.on = 0;
}

static void
marks(void)
{
	marks_at(1, 1);
	marks_at(3, 20000);
}

static void
marks_other(void)
{
	marks_at(2, 1);
	marks_at(1, 30000);
}

/* The headers of what queues have no room for go on. */
static void
trims(void)
{
	for (unsigned int p = 1; p < N_PORTS; p++) {
		bench_queue_conf(p, 3)->limit_bytes = 1000u * p;
		bench_queue_conf(p, 3)->trim_size = 100u * p;
		bench.snap.port[p].trim = (struct fcn_trim_conf){.class = 5, .dscp = 10u + p};
	}
}

static void
transit(void)
{
	bench.worker->epoch_ns = UINT64_C(1700000000) * 1000000000;
	bench.snap.ioam = (struct fcn_ioam_conf){.any_transit = true,
			.node_id = 0x010203,
			.time_format = FCN_IOAM_TIME_POSIX_NS,
			.n_namespaces = 1,
			.ns = {{.id = 0x1234, .schema_id = FCN_IOAM_NO_SCHEMA}}};
	for (uint16_t p = 0; p < N_PORTS; p++) {
		struct fcn_ioam_port *port = &bench.snap.port[p].ioam;

		port->transit = p == 0;
		port->id = 0x2100 + p;
	}
}

static void
trims_ioam(void)
{
	transit();
	trims();
}

static void
transit_and_marks(void)
{
	transit();
	marks();
}

/* IOAM is taken out at some ports, and with it the ICRC rewritten. */
static void
strip_at_2(void)
{
	transit();
	bench.snap.ioam.any_edge = true;
	bench.snap.port[2].ioam.edge = FCN_IOAM_EDGE_STRIP;
}

static void
strip_at_3(void)
{
	transit();
	bench.snap.ioam.any_edge = true;
	bench.snap.port[3].ioam.edge = FCN_IOAM_EDGE_STRIP;
	bench.snap.port[1].ioam.edge = FCN_IOAM_EDGE_DROP;
}

/* A port that cannot send shared bytes has its own, wherever it is. */
static void
no_clones_at(unsigned int port)
{
	bench.snap.port[port].no_clones = true;
	fcn_port_set_add(&bench.snap.bridge[0].no_clones, port);
}

static void
no_clones_at_1(void)
{
	no_clones_at(1);
	marks();
}

static void
no_clones_at_3(void)
{
	no_clones_at(3);
	marks();
}

/* Where all others cannot, nobody shares. */
static void
no_clones_at_2_and_3(void)
{
	no_clones_at(2);
	no_clones_at(3);
}

static void
no_clones_at_all(void)
{
	no_clones_at(1);
	no_clones_at_2_and_3();
}

/* ---- tests ---- */

#define N_FRAMES (4 * RTE_DIM(payloads))

TEST_FIXTURE(FCN_TEST_EAL);

TEST(plain)
{
	/* two copies of each that is longer than what they have of their own */
	compare(&(struct scenario){no_feature, make_plain, 2 * 4 * (RTE_DIM(payloads) - 4), false});
	assert_int_equal(by_clone.port[3].n, N_FRAMES);
	assert_int_equal(by_clone.copied + by_clone.cloned, 2 * N_FRAMES);
}

TEST(tags)
{
	compare(&(struct scenario){vlans, make_tagged, 2 * N_FRAMES / 2, false});
	compare(&(struct scenario){vlans_other, make_tagged, 2 * N_FRAMES / 2, false});
}

TEST(marks)
{
	compare(&(struct scenario){marks, make_mixed, N_FRAMES / 2, false});
	assert_true(by_clone.marked > N_FRAMES);
	compare(&(struct scenario){marks_other, make_mixed, N_FRAMES / 2, false});
	assert_true(by_clone.marked > N_FRAMES);
}

/* Each port trims at lengths of its own, also behind the bytes that are a copy's own. */
TEST(trimmed)
{
	compare(&(struct scenario){trims, make_mixed, N_FRAMES / 2, false});
	assert_int_equal(by_clone.drops, 0);
	for (unsigned int p = 1; p < N_PORTS; p++) {
		assert_int_equal(by_clone.port[p].n, N_FRAMES);
		assert_true(by_clone.port[p].used < N_FRAMES * (100 * p + 20) + 1000 * p);
	}
	compare(&(struct scenario){trims_ioam, make_ioam, N_FRAMES / 2, false});
}

TEST(ioam)
{
	compare(&(struct scenario){transit, make_ioam, N_FRAMES / 2, false});
	/* every port has its own figures in the trace */
	assert_memory_not_equal(
			by_clone.port[1].data, by_clone.port[3].data, by_clone.port[1].len[0]);
	compare(&(struct scenario){transit_and_marks, make_ioam, N_FRAMES / 2, false});
}

TEST(edge)
{
	compare(&(struct scenario){strip_at_2, make_ioam, 0, true});
	assert_true(by_clone.port[2].used < by_clone.port[1].used);
	compare(&(struct scenario){strip_at_3, make_ioam, 0, true});
	/* without IOAM nothing is taken out */
	compare(&(struct scenario){strip_at_3, make_roce6, N_FRAMES / 2, false});
}

TEST(no_clones)
{
	compare(&(struct scenario){no_clones_at_1, make_mixed, N_FRAMES / 4, false});
	assert_true(by_clone.copied >= N_FRAMES);
	/* the packet itself leaves by port 2, and port 3 has the copy */
	compare(&(struct scenario){no_clones_at_3, make_mixed, N_FRAMES / 4, false});
	assert_true(by_clone.copied >= N_FRAMES);
	/* each of them has a copy, and the packet itself leaves by port 1 */
	compare(&(struct scenario){no_clones_at_2_and_3, make_mixed, 0, true});
	compare(&(struct scenario){no_clones_at_all, make_mixed, 0, true});
}

/* What auto does is by length: frames of one buffer are copied, longer ones share. */
TEST(auto)
{
	static const struct scenario s = {no_feature, make_plain, 0, false};
	uint64_t longer = 0;

	run(&s, FCN_COPY_BYTES, &by_copy);
	run(&s, FCN_COPY_AUTO, &by_clone);
	assert_same(&by_copy, &by_clone);
	for (size_t i = 0; i < RTE_DIM(payloads); i++)
		longer += 14 + 46 + payloads[i] > 2048;
	assert_int_equal(by_clone.cloned, longer * 4 * 2);
}

/* Frames whose headers cannot be read, or end where nobody knows: whole copies. */
TEST(unreadable)
{
	struct frame f;

	bench_setup(NULL);
	bench_bridge(N_PORTS);
	bench.snap.copies = FCN_COPY_CLONE;
	make_roce6(&f, 1000, 1);
	f.data[14 + 40 + 4]--; /* UDP length; with a larger one it would be a trimmed packet */
	bench_send(0, &f, 1);
	assert_int_equal(bench.worker->counters[0].copied, 2);
	assert_int_equal(bench.worker->counters[0].cloned, 0);
	make_roce6(&f, 1000, 1);
	bench_send(0, &f, 2);
	assert_int_equal(bench.worker->counters[0].cloned, 2);
	for (unsigned int p = 1; p < N_PORTS - 1; p++) {
		const struct rte_mbuf *m = bench.port[p].out[0];

		assert_int_equal(m->nb_segs, 2);
		assert_int_equal(m->data_len, 128);
		assert_ptr_equal(rte_pktmbuf_mtod(m->next, const uint8_t *), bench_out(3, 0) + 128);
	}
	assert_int_equal(bench_teardown(NULL), 0);
}

/* Without a buffer for a copy, or for what it shares: counted, and nothing left behind. */
TEST(no_mbuf)
{
	struct rte_mbuf *held[BENCH_POOL];
	struct frame f;

	for (unsigned int left = 0; left < 5; left++) {
		unsigned int n;

		bench_setup(NULL);
		bench_bridge(N_PORTS);
		bench.snap.copies = FCN_COPY_CLONE;
		make_roce6(&f, 1000, 1);
		bench_in(0, &f);
		n = rte_mempool_avail_count(bench.pool) - left;
		assert_int_equal(rte_pktmbuf_alloc_bulk(bench.pool, held, n), 0);
		bench_poll(1);
		assert_int_equal(bench_drops(FCN_DROP_NO_MBUF), 2 - left / 2);
		assert_int_equal(bench.worker->counters[0].cloned, left / 2);
		assert_int_equal(bench.worker->counters[0].replicated, 2);
		assert_int_equal(bench.port[3].n_out, 1);
		rte_pktmbuf_free_bulk(held, n);
		assert_int_equal(bench_teardown(NULL), 0);
	}
}
